"""Lesson 17."""

from tests.variants.semantic_matching import (
    comparing,
    counting,
    encoding,
    losses,
    measures,
    pooling,
    searching,
    stumbles,
)

__all__ = ["comparing", "counting", "encoding", "losses", "measures", "pooling", "searching", "stumbles"]
