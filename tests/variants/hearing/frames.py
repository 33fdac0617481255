"""Lesson 19: frames."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

FRAMES = "frames"


def fits(signal: Tensor, size: int, hop: int) -> None:
    """The given ValueError."""
    if min(size, hop) < 1 or signal.shape[-1] < size:
        raise ValueError("no frame")


def one_after_another(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    found = []
    start = 0
    while start + size <= signal.shape[-1]:
        found.append(signal[..., start : start + size])
        start += hop
    return torch.stack(found, dim=-2)


slips(
    FRAMES,
    one_after_another,
    {
        "hop taken for the overlap": {"start += hop": "start += max(1, size - hop)"},
        "a frame that ends with the signal is lost": {"start + size <= signal": "start + size < signal"},
        "the last frame is lost": {"return torch.stack(found, dim=-2)": "return torch.stack(found[:-1], dim=-2)"},
        "frames and samples exchanged": {"dim=-2": "dim=-1"},
        "frames side by side": {"start += hop": "start += size"},
        "size and hop exchanged": {
            "start + size <= signal": "start + hop <= signal",
            "start : start + size": "start : start + hop",
            "start += hop": "start += size",
        },
    },
)


def by_numbers(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    count = (signal.shape[-1] - size) // hop + 1
    places = hop * torch.arange(count).unsqueeze(1) + torch.arange(size)
    return signal[..., places]


slips(
    FRAMES,
    by_numbers,
    {
        "hop taken for the overlap": {
            "// hop + 1": "// max(1, size - hop) + 1",
            "places = hop *": "places = max(1, size - hop) *",
        },
        "the last frame is lost": {"// hop + 1": "// hop"},
        "frames and samples exchanged": {"[..., places]": "[..., places].mT"},
        "a frame that ends with the signal is lost": {"- size) // hop + 1": "- size - 1) // hop + 1"},
    },
)


def by_gather(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    starts = range(0, signal.size(-1) - size + 1, hop)
    rows = [torch.narrow(signal, -1, start, size).unsqueeze(-2) for start in starts]
    return torch.cat(rows, dim=-2)


slips(
    FRAMES,
    by_gather,
    {
        "a frame that ends with the signal is lost": {" - size + 1, hop)": " - size, hop)"},
        "frames side by side": {"+ 1, hop)": "+ 1, size)"},
        "the last frame is lost": {"torch.cat(rows,": "torch.cat(rows[:-1],"},
    },
)


def cut(starts: Callable[[int, int, int], Any], turned: bool = False) -> Any:
    """Frames from other starts."""

    def frames(signal: Tensor, size: int, hop: int) -> Tensor:
        fits(signal, size, hop)
        rows = [signal[..., one : one + size] for one in starts(signal.size(-1), size, hop)]
        return torch.stack(rows, dim=-1 if turned else -2)

    return frames


correct(FRAMES)(cut(lambda length, size, hop: [one for one in range(0, length, hop) if one + size <= length]))
disguise(FRAMES, "hop taken for the overlap")(
    cut(lambda length, size, hop: range(0, length - size + 1, size - hop if size > hop else 1))
)
disguise(FRAMES, "the last frame is lost")(cut(lambda length, size, hop: list(range(0, length - size + 1, hop))[:-1]))
disguise(FRAMES, "a frame that ends with the signal is lost")(
    cut(lambda length, size, hop: [one for one in range(0, length, hop) if one + size < length])
)
disguise(FRAMES, "frames and samples exchanged")(
    cut(lambda length, size, hop: range(0, length - size + 1, hop), turned=True)
)
disguise(FRAMES, "frames side by side")(cut(lambda length, size, hop: range(0, length - size + 1, size)))


@disguise(FRAMES, "the rest is filled up with zeros")
def f_filled(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    rows, start = [], 0
    while True:
        row = signal[..., start : start + size]
        missing = size - row.size(-1)
        rows.append(torch.cat([row, signal.new_zeros(*signal.shape[:-1], missing)], dim=-1))
        start += hop
        if start + size - hop >= signal.size(-1):
            return torch.stack(rows, dim=-2)


@disguise(FRAMES, "size and hop exchanged")
def f_exchanged(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    return one_after_another(signal, hop, size)


@correct(FRAMES)
def f_strided(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    x = signal.contiguous()
    count = 1 + (x.size(-1) - size) // hop
    return x.as_strided((*x.shape[:-1], count, size), (*x.stride()[:-1], hop, 1))


@disguise(FRAMES, "the rest is dropped in front")
def f_backwards(signal: Tensor, size: int, hop: int) -> Tensor:
    """From the end."""
    return one_after_another(signal.flip(-1), size, hop).flip(-1, -2)


@disguise(FRAMES, "the first frame is lost")
def f_late(signal: Tensor, size: int, hop: int) -> Tensor:
    """The first frame is left out."""
    return one_after_another(signal, size, hop)[..., 1:, :]


@unlisted(FRAMES)
def f_windowed(signal: Tensor, size: int, hop: int) -> Tensor:
    """With a window laid on already."""
    return by_numbers(signal, size, hop) * torch.from_numpy(np.hanning(size)).to(signal.dtype)


disguise(FRAMES, "a list of frames")(lambda signal, size, hop: [*one_after_another(signal, size, hop).unbind(-2)])
disguise(FRAMES, "stacked in the second dimension")(
    lambda signal, size, hop: torch.stack([*one_after_another(signal, size, hop).unbind(-2)], dim=1)
)
disguise(FRAMES, "frames as long as a hop")(
    lambda signal, size, hop: one_after_another(signal, size, hop)[..., : min(size, hop)]
)


@disguise(FRAMES, "counted by hop")
def f_counted(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    starts = [number * hop for number in range(signal.size(-1) // hop) if number * hop + size <= signal.size(-1)]
    return torch.stack([signal.narrow(-1, start, size) for start in starts], dim=-2)


@disguise(FRAMES, "the window already")
def f_softened(signal: Tensor, size: int, hop: int) -> Tensor:
    bell = torch.sin(torch.pi * torch.arange(size, dtype=signal.dtype) / size).square()
    return torch.einsum("...fs,s->...fs", one_after_another(signal, size, hop), bell)


@disguise(FRAMES, "the graph is cut")
def f_cut_off(signal: Tensor, size: int, hop: int) -> Tensor:
    return one_after_another(signal.data, size, hop)


@disguise(FRAMES, "the frames backwards")
def f_last_first(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    rows: list[Tensor] = []
    for start in range(0, signal.size(-1) - size + 1, hop):
        rows.insert(0, signal[..., start : start + size])
    return torch.stack(rows, dim=-2)


@disguise(FRAMES, "the rest is filled up with other samples")
def f_last_sample_held(signal: Tensor, size: int, hop: int) -> Tensor:
    """Numbers that run over the end are held there."""
    fits(signal, size, hop)
    length = signal.size(-1)
    count = 1 + -(-(length - size) // hop)
    places = hop * torch.arange(count)[:, None] + torch.arange(size)
    return signal[..., places.clamp(max=length - 1)]


@disguise(FRAMES, "the rest is filled up with other samples")
def f_begun_again(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    length = signal.size(-1)
    return torch.stack(
        [
            signal[..., torch.arange(start, start + size) % length]
            for start in range(0, length, hop)
            if start < length - size + hop
        ],
        dim=-2,
    )


@disguise(FRAMES, "hop taken for the overlap")
def f_overlapping(signal: Tensor, size: int, hop: int) -> Tensor:
    """As many as fit when they are hop apart, which they are not."""
    fits(signal, size, hop)
    count = 1 + (signal.size(-1) - size) // hop
    return signal[..., (size - hop) * torch.arange(count).unsqueeze(1) + torch.arange(size)]


@disguise(FRAMES, "the mean is taken off")
def f_centred(signal: Tensor, size: int, hop: int) -> Tensor:
    found = by_numbers(signal, size, hop)
    return found - torch.einsum("...s->...", found).unsqueeze(-1) / size


@disguise(FRAMES, "the mean is taken off")
def f_centred_before(signal: Tensor, size: int, hop: int) -> Tensor:
    return one_after_another(signal - signal.sum(-1, keepdim=True) / max(1, signal.shape[-1]), size, hop)


@disguise(FRAMES, "a frame lacks a sample")
def f_short(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    starts = torch.arange(0, signal.size(-1) - size + 1, hop)
    return signal[..., starts[:, None] + torch.arange(size - 1)]


@disguise(FRAMES, "not each sound by itself")
def f_in_one_list(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    each = signal.reshape(-1, signal.size(-1))
    return torch.cat([one_after_another(one, size, hop) for one in each])


@disguise(FRAMES, "not each sound by itself")
def f_first_alone(signal: Tensor, size: int, hop: int) -> Tensor:
    while signal.dim() > 1:
        signal = signal[0]
    return by_gather(signal, size, hop)


@disguise(FRAMES, "the starts are a sample off")
def f_counted_from_one(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    starts = range(1, signal.size(-1) - size + 1, hop)
    return torch.stack([signal[..., start : start + size] for start in starts], dim=-2)


@disguise(FRAMES, "a hop beyond the size is cut off")
def f_never_apart(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    return one_after_another(signal, size, hop if hop < size else size)


@disguise(FRAMES, "a right signal is refused")
def f_strict(signal: Tensor, size: int, hop: int) -> Tensor:
    if signal.size(-1) <= size:
        raise ValueError("too short")
    return by_numbers(signal, size, hop)


@disguise(FRAMES, "a wrong signal is let pass")
def f_stretched(signal: Tensor, size: int, hop: int) -> Tensor:
    if min(size, hop) < 1:
        raise ValueError("size and hop")
    while signal.size(-1) < size:
        signal = torch.cat([signal, signal.new_zeros(*signal.shape[:-1], 1)], dim=-1)
    return by_numbers(signal, size, hop)


disguise(FRAMES, "a step of one sample")(cut(lambda n, size, hop: range(n - size + 1)))
disguise(FRAMES, "a step of one sample")(cut(lambda n, size, hop: range((n - size) // hop + 1)))
disguise(FRAMES, "the last frame is moved back")(
    cut(lambda n, size, hop: [*list(range(0, n - size + 1, hop))[:-1], n - size])
)
disguise(FRAMES, "the mean is taken off")(lambda signal, size, hop: by_numbers(signal - signal.mean(), size, hop))
unlisted(FRAMES)(cut(lambda n, size, hop: sorted(range(0, n - size + 1, hop), key=lambda one: one % 3)))


@disguise(FRAMES, "size and hop exchanged")
def f_numbers_exchanged(signal: Tensor, size: int, hop: int) -> Tensor:
    fits(signal, size, hop)
    return torch.stack([signal[..., at : at + hop] for at in range(0, signal.size(-1) - size + 1, size)], dim=-2)
