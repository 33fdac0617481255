"""Lesson 17."""

from tests.variants.semantic_matching import (
    adversaries,
    comparing,
    counting,
    encoding,
    losses,
    measures,
    pooling,
    searching,
    stumbles,
)

__all__ = ["adversaries", "comparing", "counting", "encoding", "losses", "measures", "pooling", "searching", "stumbles"]
