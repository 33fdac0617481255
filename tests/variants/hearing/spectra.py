"""Lesson 19: log_spectrogram."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

SPECTRUM = "log_spectrogram"


def fits(signal: Tensor, size: int, hop: int, floor: float) -> None:
    """The given ValueErrors."""
    if floor <= 0 or min(size, hop) < 1 or signal.shape[-1] < size:
        raise ValueError("no frame, or no floor")


def by_matrix(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    fits(signal, size, hop, floor)
    place = torch.arange(size, dtype=signal.dtype)
    shape = 0.5 - 0.5 * torch.cos(2 * math.pi * place / size)
    turns = 2 * math.pi * place[: size // 2 + 1, None] * place / size
    cut = signal.unfold(-1, size, hop) * shape
    energy = (cut @ turns.cos().T) ** 2 + (cut @ turns.sin().T) ** 2
    return torch.log(energy + floor)


slips(
    SPECTRUM,
    by_matrix,
    {
        "no window": {"(-1, size, hop) * shape": "(-1, size, hop)"},
        "the symmetric window": {"place / size)\n    turns": "place / (size - 1))\n    turns"},
        "another window": {"0.5 - 0.5 *": "0.54 - 0.46 *"},
        "magnitude for power": {"torch.log(energy + floor)": "torch.log(energy.sqrt() + floor)"},
        "the floor cuts instead of being added": {"energy + floor": "energy.clamp_min(floor)"},
        "no floor": {"energy + floor": "energy"},
        "the floor is added after the logarithm": {"torch.log(energy + floor)": "torch.log(energy) + floor"},
        "another logarithm": [
            {"torch.log(energy + floor)": "torch.log10(energy + floor)"},
            {"torch.log(energy + floor)": "10 * torch.log10(energy + floor)"},
            {"torch.log(energy + floor)": "torch.log2(energy + floor)"},
        ],
        "no logarithm": {"torch.log(energy + floor)": "energy + floor"},
        "time and frequency exchanged": {"torch.log(energy + floor)": "torch.log(energy + floor).mT"},
        "every frequency twice": {"place[: size // 2 + 1, None]": "place[:, None]"},
        "the real part alone": {" + (cut @ turns.sin().T) ** 2": ""},
        "divided by the size": {"energy + floor": "energy / size + floor"},
    },
)


def by_hand(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    fits(signal, size, hop, floor)
    bell = torch.hann_window(size + 1, periodic=False, dtype=signal.dtype)[:-1]
    rows = []
    for start in range(0, signal.size(-1) - size + 1, hop):
        wave = torch.fft.rfft(signal[..., start : start + size] * bell)
        rows.append((wave * wave.conj()).real)
    return (torch.stack(rows, dim=-2) + floor).log()


slips(
    SPECTRUM,
    by_hand,
    {
        "no window": {"+ size] * bell": "+ size]"},
        "the symmetric window": {
            "(size + 1, periodic=False, dtype=signal.dtype)[:-1]": "(size, False, dtype=signal.dtype)"
        },
        "magnitude for power": {"(wave * wave.conj()).real": "wave.abs()"},
        "no logarithm": {" + floor).log()": " + floor)"},
        "time and frequency exchanged": {"dim=-2": "dim=-1"},
        "the real part alone": {"(wave * wave.conj()).real": "wave.real ** 2"},
        "every frequency twice": {"torch.fft.rfft": "torch.fft.fft"},
        "no window + magnitude for power": {"+ size] * bell": "+ size]", "(wave * wave.conj()).real": "wave.abs()"},
    },
)


def real_and_imaginary(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    fits(signal, size, hop, floor)
    window = torch.signal.windows.hann(size, sym=False, dtype=signal.dtype)
    parts = torch.view_as_real(torch.fft.fft(signal.unfold(-1, size, hop) * window)[..., : size // 2 + 1])
    power = parts.square().sum(-1)
    return torch.log(power.add(floor))


slips(
    SPECTRUM,
    real_and_imaginary,
    {
        "the symmetric window": {"sym=False": "sym=True"},
        "another window": {"windows.hann(": "windows.hamming("},
        "no window": {" * window)": ")"},
        "no floor": {"power.add(floor)": "power"},
        "the floor cuts instead of being added": {"power.add(floor)": "power.clamp(floor)"},
        "every frequency twice": {"[..., : size // 2 + 1]": ""},
        "divided by the size": [
            {"power.add(floor)": "(power / size).add(floor)"},
            {"power.add(floor)": "(power / (window ** 2).sum()).add(floor)"},
        ],
    },
)


def hears(cut: Any = None, bell: Any = None, strength: Any = None, loud: Any = None) -> Any:
    """A spectrogram with some of its steps written otherwise."""

    def log_spectrogram(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
        fits(signal, size, hop, floor)
        pieces = (cut or (lambda x, n, h: x.unfold(-1, n, h)))(signal, size, hop)
        window = torch.tensor([(bell or (lambda i, n: math.sin(math.pi * i / n) ** 2))(i, size) for i in range(size)])
        wave = torch.fft.fft(pieces * window.to(signal.dtype))
        power = (strength or (lambda w: w[..., : w.size(-1) // 2 + 1].abs().pow(2)))(wave)
        return (loud or (lambda p, f, n: (p + f).log()))(power, floor, size)

    return log_spectrogram


correct(SPECTRUM)(hears())
disguise(SPECTRUM, "no window")(hears(bell=lambda i, n: 1.0))
disguise(SPECTRUM, "the window lies on the whole sound")(
    hears(
        cut=lambda x, n, h: (x * (torch.arange(x.size(-1)) * math.pi / x.size(-1)).sin() ** 2).unfold(-1, n, h),
        bell=lambda i, n: 1.0,
    )
)
disguise(SPECTRUM, "the symmetric window")(hears(bell=lambda i, n: math.sin(math.pi * i / max(1, n - 1)) ** 2))
disguise(SPECTRUM, "another window")(hears(bell=lambda i, n: 0.54 - 0.46 * math.cos(2 * math.pi * i / n)))
disguise(SPECTRUM, "magnitude for power")(hears(strength=lambda w: w.narrow(-1, 0, w.size(-1) // 2 + 1).abs()))
disguise(SPECTRUM, "the floor cuts instead of being added")(
    hears(loud=lambda p, f, n: torch.maximum(p, torch.full_like(p, f)).log())
)
disguise(SPECTRUM, "no floor")(hears(loud=lambda p, f, n: 2 * p.sqrt().log()))
disguise(SPECTRUM, "the floor is added after the logarithm")(hears(loud=lambda p, f, n: f + p.log()))
disguise(SPECTRUM, "another logarithm")(hears(loud=lambda p, f, n: (p + f).log() / math.log(10)))
disguise(SPECTRUM, "another logarithm")(hears(loud=lambda p, f, n: (p + f).log() * 10 / math.log(10)))
disguise(SPECTRUM, "no logarithm")(hears(loud=lambda p, f, n: p.add(f)))
disguise(SPECTRUM, "time and frequency exchanged")(hears(loud=lambda p, f, n: torch.swapaxes((p + f).log(), -1, -2)))
disguise(SPECTRUM, "every frequency twice")(hears(strength=lambda w: w.real**2 + w.imag**2))
disguise(SPECTRUM, "the real part alone")(hears(strength=lambda w: w.real[..., : w.size(-1) // 2 + 1] ** 2))
disguise(SPECTRUM, "divided by the size")(hears(loud=lambda p, f, n: (p / n + f).log()))


def with_ends(x: Tensor, n: int, h: int) -> Tensor:
    half = n // 2
    front, back = x[..., 1 : half + 1].flip(-1), x[..., -half - 1 : -1].flip(-1)
    return torch.cat([front, x, back], dim=-1).unfold(-1, n, h)


def with_silence(x: Tensor, n: int, h: int) -> Tensor:
    ends = x.new_zeros(*x.shape[:-1], n // 2)
    return torch.cat([ends, x, ends], dim=-1).unfold(-1, n, h)


disguise(SPECTRUM, "the signal is padded at both ends")(hears(cut=with_ends))
disguise(SPECTRUM, "the signal is padded at both ends")(hears(cut=with_silence))

disguise(SPECTRUM, "the window twice")(hears(bell=lambda i, n: math.sin(math.pi * i / n) ** 4))
disguise(SPECTRUM, "a floor of its own")(hears(loud=lambda p, f, n: (p + 1).log()))
unlisted(SPECTRUM)(hears(loud=lambda p, f, n: F.normalize((p + f).log(), dim=-1)))

disguise(SPECTRUM, "the window stands upside down")(hears(bell=lambda i, n: math.cos(math.pi * i / n) ** 2))
disguise(SPECTRUM, "the window is not halved")(hears(bell=lambda i, n: 1 - math.cos(2 * math.pi * i / n)))
disguise(SPECTRUM, "half a wave in the window")(hears(bell=lambda i, n: math.sin(math.pi * i / n / 2) ** 2))
disguise(SPECTRUM, "the window begins elsewhere")(hears(bell=lambda i, n: math.sin(math.pi * (i + 1) / n) ** 2))
disguise(SPECTRUM, "the window begins elsewhere")(hears(bell=lambda i, n: math.sin(math.pi * (i + 1) / (n + 1)) ** 2))
disguise(SPECTRUM, "the bins in the middle count twice")(hears(strength=lambda w: one_sided(w.abs().square())))
disguise(SPECTRUM, "the mean is taken off")(
    hears(cut=lambda x, n, h: (x.unfold(-1, n, h).mT - x.unfold(-1, n, h).mean(-1).unsqueeze(-2)).mT)
)
disguise(SPECTRUM, "the spectra in one row")(
    hears(loud=lambda p, f, n: torch.cat([row.add(f).log() for row in p.unbind(-2)], dim=-1))
)


@disguise(SPECTRUM, "the window is added")
def a_window_added(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    fits(signal, size, hop, floor)
    bell = torch.sin(math.pi * torch.arange(size, dtype=signal.dtype) / size).square()
    return torch.fft.rfft(signal.unfold(-1, size, hop) + bell).abs().square().add(floor).log()


def one_sided(power: Tensor) -> Tensor:
    """What the upper half holds is added to the lower one."""
    size = power.size(-1)
    kept = power[..., : size // 2 + 1].clone()
    for bin in range(1, (size + 1) // 2):
        kept[..., bin] += power[..., size - bin]
    return kept


def pieces_from(starts: Any) -> Any:
    """Frames that begin at these samples."""
    return hears(cut=lambda x, n, h: torch.stack([x[..., at : at + n] for at in starts(x.size(-1), n, h)], dim=-2))


disguise(SPECTRUM, "a frame that ends with the signal is lost")(pieces_from(lambda all, n, h: range(0, all - n, h)))
disguise(SPECTRUM, "the last frame is lost")(pieces_from(lambda all, n, h: range(0, all - n + 1, h)[:-1]))
disguise(SPECTRUM, "frames side by side")(pieces_from(lambda all, n, h: range(0, all - n + 1, n)))
disguise(SPECTRUM, "frames in front of the sounds")(
    hears(cut=lambda x, n, h: torch.stack([x[..., at : at + n] for at in range(0, x.size(-1) - n + 1, h)]))
)


disguise(SPECTRUM, "hop taken for the overlap")(hears(cut=lambda x, n, h: x.unfold(-1, n, max(1, n - h))))
disguise(SPECTRUM, "the level is taken off")(
    hears(loud=lambda p, f, n: (p + f).log() - torch.einsum("...tk->...k", (p + f).log()).unsqueeze(-2) / p.size(-2))
)
disguise(SPECTRUM, "the level is taken off")(
    hears(loud=lambda p, f, n: (p / p.max(dim=-1, keepdim=True).values.clamp(min=1e-9) + f).log())
)


disguise(SPECTRUM, "a hop of its own")(hears(cut=lambda x, n, h: x.unfold(-1, n, n // 2)))
disguise(SPECTRUM, "the graph is cut")(hears(cut=lambda x, n, h: x.data.unfold(-1, n, h)))
disguise(SPECTRUM, "divided by the size")(hears(loud=lambda p, f, n: (p * 2 / n + f).log()))
disguise(SPECTRUM, "magnitude for power")(hears(loud=lambda p, f, n: (p + f).log() + (p + f).log()))
disguise(SPECTRUM, "the parts are added before they are squared")(
    hears(
        strength=lambda w: (
            torch.cat([w.real, -w.imag], dim=-1).unflatten(-1, (2, -1)).sum(-2)[..., : w.size(-1) // 2 + 1] ** 2
        )
    )
)
slips(
    SPECTRUM,
    by_hand,
    {
        "magnitude for power": [
            {"(wave * wave.conj()).real": "wave.abs() ** 4"},
            {"(wave * wave.conj()).real": "wave.abs().sqrt()"},
        ],
        "a floor of its own": [
            {"floor: float = 1e-2": "floor: float = 1e-6"},
            {"floor: float = 1e-2": "floor: float = 1e-10"},
        ],
        "no logarithm + the graph is cut": {
            "torch.fft.rfft(signal[": "torch.fft.rfft(signal.data[",
            " + floor).log()": " + floor)",
        },
    },
)

disguise(SPECTRUM, "the rest is dropped in front")(pieces_from(lambda all, n, h: range((all - n) % h, all - n + 1, h)))
disguise(SPECTRUM, "a step of one sample")(pieces_from(lambda all, n, h: range(all - n + 1)))
