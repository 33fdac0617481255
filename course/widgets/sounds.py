"""How the lesson shows a sound: a player, and a spectrogram with its keys."""

from __future__ import annotations

import io
import wave
from collections.abc import Sequence

import numpy as np
import torch
from IPython.display import Audio
from matplotlib.axes import Axes
from torch import Tensor

from course.tones import COLUMNS, HOP, RATE, ROWS, SIZE, Sound
from course.widgets.figures import Picture, panels, styled
from course.widgets.palette import COLOURS, INK

PLAYED = 2 * RATE
"""Samples a second of what is played: some browsers take no fewer."""

LOWEST, HIGHEST = -5.0, 9.0
"""One scale for all spectrograms: log(0.01), and a loud key."""


def wav(signal: Tensor) -> bytes:
    """A signal as a WAV file of 16 bits, at twice its rate. Every second sample is one of the signal's own."""
    doubled = torch.fft.irfft(torch.fft.rfft(signal), n=2 * len(signal)) * 2
    loudest = max(float(doubled.abs().max()), 1e-9)
    numbers = (doubled * (0.5 * 32767 / loudest)).round().to(torch.int16).numpy().astype("<i2")
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(PLAYED)
        file.writeframes(numbers.tobytes())
    return buffer.getvalue()


def player(sound: Sound) -> Audio:
    """A player of the browser's, with the sound in the page."""
    return Audio(data=wav(sound.signal))


def spectrogram_picture(spectrograms: Sequence[Tensor], sounds: Sequence[Sound], titles: Sequence[str]) -> Picture:
    """Spectrograms below one another, on one scale, with the keys above each.

    Args:
        spectrograms: (frames, bins) each.
        sounds: what was heard.
        titles: what each is called.
    """
    said = "; ".join(f"{title}: {one.keys}" for title, one in zip(titles, sounds, strict=True))
    alt = f"Spectrograms. {said}. Each key is two bars that stand out, one below 1,000 Hz and one above 1,200 Hz."
    picture, axes = panels(len(sounds), 1, size=(8.5, 2.3 * len(sounds)), alt=alt)
    for ax, values, sound, title in zip(axes[:, 0], spectrograms, sounds, titles, strict=True):
        draw_spectrogram(ax, values.detach().numpy(), sound, title)
    return picture


def draw_spectrogram(ax: Axes, values: np.ndarray, sound: Sound, title: str) -> None:
    """One spectrogram in axes of seconds and hertz."""
    with styled():
        half = HOP / RATE / 2
        end = ((len(values) - 1) * HOP + SIZE / 2) / RATE + half
        extent = (SIZE / 2 / RATE - half, end, -RATE / SIZE / 2, RATE / 2 + RATE / SIZE / 2)
        image = ax.imshow(
            values.T,
            origin="lower",
            aspect="auto",
            extent=extent,
            cmap=COLOURS["weights"],
            vmin=LOWEST,
            vmax=HIGHEST,
        )
        above = ax.get_xaxis_transform()
        for key, (start, stop) in zip(sound.keys, sound.spans, strict=True):
            ax.text((start + stop) / 2 / RATE, 1.02, key, color=INK, ha="center", transform=above)
        ax.set_yticks([ROWS[0], ROWS[-1], COLUMNS[0], COLUMNS[-1]])
        ax.set_title(title, pad=20)
        ax.set(xlabel="time, s", ylabel="frequency, Hz")
        ax.figure.colorbar(image, ax=ax, label="log(power + floor)")
