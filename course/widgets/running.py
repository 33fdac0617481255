"""The mean of a curve's neighbours: what it does apart from its noise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WINDOW = 20


def centred(values: Sequence[float] | np.ndarray, window: int = WINDOW) -> np.ndarray:
    """The mean around every value: of as many before as behind it, up to half the window each.

    At its beginning it is the value itself, so that nothing lags behind and nothing bends where the window is full. At
    its end, behind which there is nothing, it is the mean of the last half.
    """
    given, half = np.asarray(values, np.float64), window // 2
    reach = [min(half, at) for at in range(len(given))]
    return np.array([given[at - by : at + by + 1].mean() for at, by in enumerate(reach)], np.float32)
