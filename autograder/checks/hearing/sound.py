"""Checks of what is made of a sound: frames and log_spectrogram."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# frames ----------------------------------------------------------------------------

frames = Exercise(
    "frames",
    points=2,
    hints=(
        "Where does frame 0 begin, where frame 1, where frame i? And which is the last start from which a whole frame still fits?",
        "```python\nreturn ...  # one method of tensors does all of it: windows along a dimension, of a size, a step apart\n```\nOr: the numbers of all starts, `torch.arange(...)`, plus the numbers within a frame, and the signal at these places.",
        "`signal.unfold(dimension, size, step)`: the dimension is the last, -1. By hand: `starts = torch.arange(0, signal.size(-1) - size + 1, hop)`, then `signal[..., starts[:, None] + torch.arange(size)]`.",
    ),
    traps={
        "RuntimeError: stack expects a non-empty TensorList": "there is no frame in your list. `signal` may hold several sounds: samples are counted in the last dimension, `signal.size(-1)`, and cut there, `signal[..., start : start + size]`. And a signal of exactly `size` samples has one frame.",
        "RuntimeError: stack expects each tensor to be equal size, but got [...] at entry ... and [...] at entry ...": "a frame at the end is shorter than the others. Only whole frames: the last start is the length less the size.",
        "IndexError: index ... is out of bounds for dimension ... with size ...": "a frame goes beyond the end of the signal. The last start is the length less the size.",
        "RuntimeError: shape '[...]' is invalid for input of size ...": "frames overlap where hop is below size, so they are no reshape of the signal: samples stand in several frames.",
    },
)


@frames.probe("cuts whole frames of `size` samples whose starts are `hop` apart", float64=True)
def overlapping(frames: Callable, draw: Draw) -> Any:
    return {
        "20 samples, size 6, hop 2": frames(draw.tensor("fits", 20), 6, 2),
        "17 samples, size 5, hop 4": frames(draw.tensor("fits too", 17), 5, 4),
        "22 samples, size 7, hop 4": frames(draw.tensor("rest of 3", 22), 7, 4),
        "24 samples, size 5, hop 3": frames(draw.tensor("rest of 1", 24), 5, 3),
    }


@frames.probe("cuts several sounds at once", float64=True)
def several(frames: Callable, draw: Draw) -> Any:
    return {
        "3 sounds": frames(draw.tensor("x", 3, 19), 4, 3),
        "2 times 3 sounds": frames(draw.tensor("y", 2, 3, 11), 5, 2),
    }


@frames.probe("cuts as many frames as fit, each of `size` samples")
def sizes_of_frames(frames: Callable, draw: Draw) -> Any:
    found = {}
    for samples, size, hop in ((26, 7, 4), (22, 6, 4), (19, 5, 2)):
        cut = frames(draw.tensor(f"{samples} samples", 3, samples), size, hop)
        if not isinstance(cut, Tensor):
            return cut
        names = ("sounds", "frames", "samples", "beyond")
        found[f"{samples} samples, size {size}, hop {hop}"] = dict(zip(names, cut.shape, strict=False))
    return found


@frames.probe("hands gradients back to every sample, as often as it was used", rung="gradients")
def frame_gradients(frames: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 18, requires_grad=True)
    return draw.gradients(frames(x, 5, 3), x=x)


@frames.probe(
    "works for one frame, for frames side by side and apart, for hop 1, and on memory that is not contiguous",
    rung="edges",
    float64=True,
)
def frame_edges(frames: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 13)
    return {
        "one frame and a rest": frames(x, 11, 4),
        "side by side": frames(x, 4, 4),
        "apart": frames(x, 3, 5),
        "hop 1": frames(x, 6, 1),
        "not contiguous": frames(draw.tensor("columns", 13, 2).T, 5, 3),
    }


@frames.probe("makes one frame of a signal that is exactly as long as a frame", rung="edges")
def one_whole_frame(frames: Callable, draw: Draw) -> Any:
    return frames(draw.tensor("x", 2, 8), 8, 3)


@frames.probe("raises a ValueError for a signal shorter than a frame, and for a size or a hop of 0", rung="invariants")
def refuses_signals(frames: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 9)
    frames(x, 4, 2)  # the blank stub must show as blank
    return {
        "9 samples, size 10": raised(lambda: frames(x, 10, 2)),
        "size 0": raised(lambda: frames(x, 0, 2)),
        "hop 0": raised(lambda: frames(x, 4, 0)),
        "no sample": raised(lambda: frames(x[:0], 4, 2)),
    }


# log_spectrogram ----------------------------------------------------------------------------

log_spectrogram = Exercise(
    "log_spectrogram",
    points=2,
    forbidden=["stft"],
    hints=(
        "Three steps: the frames under a window, the Fourier transform of each, and a logarithm. Of a complex number only its size counts; which power of it is the *power*?",
        "```python\nwindow = ...  # torch.hann_window, periodic as it comes\npower = ...   # torch.fft.rfft of the frames times the window; squared magnitude\nreturn ...    # floor, logarithm\n```",
        "`torch.fft.rfft(frames(signal, size, hop) * window)` works on the last dimension, which is the frame. `.abs() ** 2` is the power, and `(power + floor).log()` the result.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the window has as many numbers as a *frame* has samples: `torch.hann_window(size)`, times the frames.",
        "RuntimeError: log for complex ...": "the transform is complex. Its magnitude is `.abs()`.",
        "TypeError: 'float' object is not callable": "`floor` is a number here, an argument of the function.",
    },
)


@log_spectrogram.probe("gives the logarithm of power + floor under a periodic Hann window", float64=True)
def spectra(log_spectrogram: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 27)
    return {
        "size 8, hop 5, floor 0.3": log_spectrogram(x, 8, 5, 0.3),
        "size 7, hop 3, floor 0.01": log_spectrogram(x, 7, 3),
        "size 12, hop 4, floor 2": log_spectrogram(x, 12, 4, floor=2.0),
    }


@log_spectrogram.probe("finds a tone in the bins beside its frequency, at every frame", float64=True)
def a_tone(log_spectrogram: Callable, draw: Draw) -> Any:
    phase = draw.tensor("phase", 1)
    time = torch.arange(40, dtype=phase.dtype)
    tone = draw.keep("tone", torch.sin(2 * torch.pi * 3.3 / 16 * time + phase))
    return log_spectrogram(tone, 16, 6, 0.1)


@log_spectrogram.probe("hears several sounds at once", float64=True)
def several_spectra(log_spectrogram: Callable, draw: Draw) -> Any:
    return log_spectrogram(draw.tensor("x", 3, 21, scale=2), 6, 4, 0.5)


@log_spectrogram.probe("has the right gradients", rung="gradients")
def spectrum_gradients(log_spectrogram: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 20, requires_grad=True)
    return draw.gradients(log_spectrogram(x, 6, 4, 0.5), x=x)


@log_spectrogram.probe("works for silence, for one frame, and for sounds in two dimensions", rung="edges", float64=True)
def spectrum_edges(log_spectrogram: Callable, draw: Draw) -> Any:
    return {
        "silence": log_spectrogram(draw.keep("silence", torch.zeros(14)), 6, 4),
        "one frame": log_spectrogram(draw.tensor("x", 9), 9, 4, 0.2),
        "two dimensions": log_spectrogram(draw.tensor("y", 2, 3, 12), 4, 3, 0.2),
    }


@log_spectrogram.probe("raises a ValueError for a signal shorter than a frame, and for a floor of 0", rung="invariants")
def refuses_floor(log_spectrogram: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 9)
    log_spectrogram(x, 4, 2)  # the blank stub must show as blank
    return {
        "9 samples, size 10": raised(lambda: log_spectrogram(x, 10, 2)),
        "floor 0": raised(lambda: log_spectrogram(x, 4, 2, 0.0)),
    }
