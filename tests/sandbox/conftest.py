"""The sandbox that the tests of this folder share."""

from tests.sandbox.rooms import room

__all__ = ["room"]
