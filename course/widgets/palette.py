"""The two colour scales of the course, for light paper. `palette.js` has the same and the dark ones.

Lightness falls in equal steps (OKLab, Björn Ottosson 2020); blue and orange stay apart for colour-blind readers.
"""

from __future__ import annotations

import numpy as np
from matplotlib.colors import ListedColormap

STEPS = 256
# (lightness, chroma, hue in degrees) at equal distances along the scale.
WEIGHTS = ((0.985, 0.004, 240.0), (0.66, 0.125, 240.0), (0.335, 0.125, 272.0))
SIGNED = (
    (0.50, 0.135, 252.0),
    (0.74, 0.085, 245.0),
    (0.98, 0.0, 90.0),
    (0.74, 0.12, 55.0),
    (0.50, 0.135, 42.0),
)

INK = "#1c2430"
SOFT = "#5b6675"
LINE = "#d5dae1"
PAPER = "#ffffff"
ALARM = "#b3124f"

_LMS = np.array(
    [
        [1.0, 0.3963377774, 0.2158037573],
        [1.0, -0.1055613458, -0.0638541728],
        [1.0, -0.0894841775, -1.2914855480],
    ]
)
_RGB = np.array(
    [
        [4.0767416621, -3.3077115913, 0.2309699292],
        [-1.2684380046, 2.6097574011, -0.3413193965],
        [-0.0041960863, -0.7034186147, 1.7076147010],
    ]
)


def ramp(anchors: tuple[tuple[float, float, float], ...]) -> np.ndarray:
    """Colours along a scale.

    Args:
        anchors: (lightness, chroma, hue in degrees), at equal distances.
    Returns:
        (256, 3) sRGB values between 0 and 1.
    """
    light, chroma, hue = np.array(anchors).T
    lab = np.stack([light, chroma * np.cos(np.radians(hue)), chroma * np.sin(np.radians(hue))])
    at = np.linspace(0, len(anchors) - 1, STEPS)
    steps = np.stack([np.interp(at, np.arange(len(anchors)), row) for row in lab], 1)
    linear = np.clip((steps @ _LMS.T) ** 3 @ _RGB.T, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)


TINT = "#d6e6f7"

COLOURS = {
    "mask": ListedColormap([PAPER, TINT], name="course mask"),
    "weights": ListedColormap(ramp(WEIGHTS), name="course weights"),
    "signed": ListedColormap(ramp(SIGNED), name="course signed"),
}
