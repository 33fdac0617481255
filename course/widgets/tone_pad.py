"""A telephone to dial on: the sound, its spectrogram, what was written, and where the transcriber looked for it."""

from __future__ import annotations

import base64
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import traitlets
from torch import Tensor

from course.tones import HOP, KEYS, RATE, SIZE, Sound, dial
from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import number
from course.widgets.sounds import draw_spectrogram, wav
from course.widgets.tensors import packed

LONGEST = 12
"""Keys that can be dialled."""

LOUDEST = 3.0
"""Noise, as a standard deviation."""


class TonePad(CourseWidget):
    """Dial, hear, add noise, and see what your transcriber makes of it.

    Args:
        look: `look(sound)` gives where your transcriber looked, (written, vectors), and the names of what it wrote.
        hear: your log_spectrogram.
        keys: what is dialled at first, up to 12 keys.
        noise: its standard deviation, 0 to 3.
        seed: draws how long the keys are, and the noise.

    Raises:
        ValueError: for what is no key, too many of them, or another noise.
    """

    entry = "tone_pad.js"
    dialled = traitlets.Unicode("").tag(sync=True)
    noise = traitlets.Float(0.0).tag(sync=True)

    def __init__(
        self,
        look: Callable[[Sound], tuple[Tensor, Sequence[str]]],
        hear: Callable[..., Tensor],
        *,
        keys: str = "2580#",
        noise: float = 0.5,
        seed: int = 1,
    ) -> None:
        if len(keys) > LONGEST or any(one not in KEYS for one in keys):
            raise ValueError(f"keys={keys!r}; give up to {LONGEST} of {KEYS}")
        if not 0 <= noise <= LOUDEST:
            raise ValueError(f"noise={noise}; give 0 to {LOUDEST:g}")
        self.look, self.hear, self.seed = look, hear, seed
        super().__init__(dialled=keys, noise=float(noise))
        self._refresh()
        self.observe(self._refresh, ["dialled", "noise"])

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        return {"dialled": (), "noise": (0.0, 0.5, 1.0, 1.5, 2.0, LOUDEST)}

    def _refresh(self, _: Any = None) -> None:
        asked = "".join(one for one in self.dialled if one in KEYS)[:LONGEST]
        self.sound = dial(asked, random.Random(self.seed), noise=min(max(self.noise, 0.0), LOUDEST))
        self.trouble = ""
        self.spectrogram, self.weights = np.zeros((0, 0), np.float32), np.zeros((0, 0), np.float32)
        self.written: list[str] = []
        if asked:
            self._hear()
        self.data = self._data()

    def _hear(self) -> None:
        heard = ask(lambda x: self.hear(x, SIZE, HOP), self.sound.signal, name=name_of(self.hear))
        looked = heard if heard.trouble else ask(self.look, self.sound, name="your transcriber")
        fits = looked if looked.trouble else _pair(looked.value)
        self.trouble = fits.trouble
        if not heard.trouble:
            self.spectrogram = np.asarray(heard.value.detach().float().numpy())
        if not fits.trouble:
            self.weights, self.written = fits.value

    # ---- words ----

    @property
    def text(self) -> str:
        """The keys that were written."""
        return "".join(one for one in self.written if one in KEYS)

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        if self.weights.size:
            sums = self.weights.sum(1)
            off = np.abs(sums - 1) > 1e-3
            if off.any():
                at = int(off.argmax())
                found.append(f"For “{self.written[at]}” {number(float(sums[at]))} is read in all, not 1.")
        return found

    @property
    def caption(self) -> str:
        """What was dialled and what was written."""
        if not self.sound.keys:
            return "Nothing is dialled."
        said = "the same" if self.text == self.sound.keys else self.text or "nothing"
        return f"Dialled {self.sound.keys} in noise of {number(self.noise)}; written: {said}."

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        where = [
            f"{one} at {self._time(int(row.argmax()))} s" for one, row in zip(self.written, self.weights, strict=True)
        ]
        looked = f" The largest weight of each: {', '.join(where)}." if where else ""
        return f"A telephone. {self.caption}{looked} {' '.join(self.problems) or 'No problems.'}"

    def _time(self, vector: int) -> str:
        return f"{(2 * vector * HOP + SIZE / 2) / RATE:.2f}"

    def _data(self) -> dict[str, Any]:
        bins = self.spectrogram.shape[1] if self.spectrogram.size else 0
        return {
            "keypad": list(KEYS),
            "longest": LONGEST,
            "loudest": LOUDEST,
            "spectrogram": packed(self.spectrogram.T[::-1]) if bins else None,
            "hertz": [f"{one * RATE / SIZE:.0f}" for one in reversed(range(bins))],
            "frameTimes": [f"{(one * HOP + SIZE / 2) / RATE:.2f}" for one in range(len(self.spectrogram))],
            "weights": packed(self.weights) if self.weights.size else None,
            "written": self.written,
            "vectorTimes": [self._time(one) for one in range(self.weights.shape[1])],
            "sound": base64.b64encode(wav(self.sound.signal)).decode("ascii"),
            "caption": self.caption,
            "problems": self.problems,
        }

    def plot(self) -> Picture:
        """The spectrogram, and below it where the transcriber looked."""
        picture, axes = panels(2, 1, size=(8.5, 5.2), alt=self.alt)
        if self.spectrogram.size:
            draw_spectrogram(axes[0, 0], self.spectrogram, self.sound, self.caption)
        else:
            axes[0, 0].remove()
        if self.weights.size:
            names = [self._time(one) if one % 4 == 0 else "" for one in range(self.weights.shape[1])]
            axis = "time of the vector, s (is read)"
            title = "where the transcriber looked"
            heatmap(
                axes[1, 0],
                self.weights,
                rows=self.written,
                columns=names,
                title=title,
                row_axis="written (asks)",
                column_axis=axis,
            )
        else:
            axes[1, 0].remove()
        return picture


def _pair(value: object) -> Answer:
    """Weights and names that fit each other."""
    if not isinstance(value, (tuple, list)) or len(value) != 2 or not isinstance(value[0], Tensor):
        return Answer(trouble="`look` has to give weights, (written, vectors), and a name for each row.")
    weights, names = value[0].detach().float().numpy(), list(value[1])
    if weights.ndim != 2 or len(weights) != len(names):
        return Answer(trouble=f"`look` gave weights {weights.shape} and {len(names)} names; give one for each row.")
    return Answer((np.ascontiguousarray(weights), [str(one) for one in names]))
