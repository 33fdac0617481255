"""Code on which the checks of lesson 19 are tried."""

from tests.variants.hearing import distances, ears, frames, losses, paths, rates, spectra, transcribers

__all__ = ["distances", "ears", "frames", "losses", "paths", "rates", "spectra", "transcribers"]
