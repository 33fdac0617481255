"""Code on which the checks of lesson 19 are tried."""

from tests.variants.hearing import (
    adversaries,
    distances,
    ears,
    frames,
    losses,
    overheard,
    paths,
    rates,
    readers,
    spectra,
    transcribers,
)

__all__ = [
    "adversaries",
    "distances",
    "ears",
    "frames",
    "losses",
    "overheard",
    "paths",
    "rates",
    "readers",
    "spectra",
    "transcribers",
]
