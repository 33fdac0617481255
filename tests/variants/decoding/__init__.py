"""Lesson 11."""

from tests.variants.decoding import (
    beam,
    cache,
    cached_decoder,
    from_the_page,
    greedy,
    greedy_cached,
    knobs,
    sampling,
    strangers,
)

__all__ = [
    "beam",
    "cache",
    "cached_decoder",
    "from_the_page",
    "greedy",
    "greedy_cached",
    "knobs",
    "sampling",
    "strangers",
]
