"""Lesson 19: what adversaries have written and no list had; sounds, ears and the transcriber."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.positional_encoding import sinusoidal_encoding
from tests.variants import disguise, unlisted
from tests.variants.hearing import ears, frames, spectra, transcribers

FRAMES, SPECTRUM, MASK, EARS, MODEL = "frames", "log_spectrogram", "downsample_mask", "AudioEmbedding", "Transcriber"

# frames ----------------------------------------------------------------------------


@disguise(FRAMES, "the last frame is moved back")
def f_moved(signal: Tensor, size: int, hop: int) -> Tensor:
    frames.fits(signal, size, hop)
    starts = list(range(0, signal.size(-1) - size + 1, hop))
    if starts[-1] + size < signal.size(-1):
        starts.append(signal.size(-1) - size)
    return torch.stack([signal[..., one : one + size] for one in starts], dim=-2)


@disguise(FRAMES, "counted by size")
def f_by_size(signal: Tensor, size: int, hop: int) -> Tensor:
    frames.fits(signal, size, hop)
    fit = range(0, signal.size(-1) - size + 1, hop)
    return torch.stack([signal[..., one : one + size] for one in fit[: signal.size(-1) // size]], dim=-2)


@disguise(FRAMES, "frames in one row")
def f_row(signal: Tensor, size: int, hop: int) -> Tensor:
    frames.fits(signal, size, hop)
    return torch.cat([signal[..., one : one + size] for one in range(0, signal.size(-1) - size + 1, hop)], dim=-1)


@disguise(FRAMES, "frames in front of the sounds")
def f_in_front(signal: Tensor, size: int, hop: int) -> Tensor:
    frames.fits(signal, size, hop)
    return torch.stack([signal[..., one : one + size] for one in range(0, signal.size(-1) - size + 1, hop)])


@disguise(FRAMES, "cut along the first dimension")
def f_first_dimension(signal: Tensor, size: int, hop: int) -> Tensor:
    frames.fits(signal, size, hop)
    return torch.stack([signal[one : one + size] for one in range(0, len(signal) - size + 1, hop)], dim=-2)


@unlisted(FRAMES)
def f_loudest(signal: Tensor, size: int, hop: int) -> Tensor:
    """Each frame over its loudest sample."""
    found = frames.by_numbers(signal, size, hop)
    return found / found.abs().amax(dim=-1, keepdim=True)


# log_spectrogram ----------------------------------------------------------------------------

disguise(SPECTRUM, "the window lies on the frequencies")(
    spectra.hears(
        bell=lambda i, n: 1.0,
        loud=lambda p, f, n: (p * torch.hann_window(p.size(-1), dtype=p.dtype) + f).log(),
    )
)
disguise(SPECTRUM, "a bin is left out")(spectra.hears(strength=lambda w: w[..., : w.size(-1) // 2].abs().pow(2)))
disguise(SPECTRUM, "the parts are added before they are squared")(
    spectra.hears(strength=lambda w: (w.real + w.imag)[..., : w.size(-1) // 2 + 1] ** 2)
)
disguise(SPECTRUM, "the parts are added before they are squared")(
    spectra.hears(strength=lambda w: (w.real**2 - w.imag**2)[..., : w.size(-1) // 2 + 1])
)


@disguise(SPECTRUM, "transformed across the frames")
def s_across(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    spectra.fits(signal, size, hop, floor)
    cut = signal.unfold(-1, size, hop) * torch.hann_window(size, dtype=signal.dtype)
    wave = torch.fft.fft(cut.mT)[..., : cut.size(-2) // 2 + 1].mT
    return (wave.real**2 + wave.imag**2 + floor).log()


@disguise(SPECTRUM, "filled up to a power of two")
def s_power_of_two(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    spectra.fits(signal, size, hop, floor)
    whole = next(2**one for one in range(20) if 2**one >= size)
    cut = F.pad(signal.unfold(-1, size, hop) * torch.hann_window(size, dtype=signal.dtype), (0, whole - size))
    return (torch.fft.rfft(cut).abs().square() + floor).log()


unlisted(SPECTRUM)(spectra.hears(loud=lambda p, f, n: -(p + f).log()))
unlisted(SPECTRUM)(spectra.hears(strength=lambda w: w.angle()[..., : w.size(-1) // 2 + 1].square()))

# downsample_mask ----------------------------------------------------------------------------

disguise(MASK, "not boolean")(lambda mask: F.avg_pool1d(mask[:, None].float(), 1, 2)[:, 0])
disguise(MASK, "four dimensions already")(lambda mask: mask[:, 0::2].unsqueeze(1).unsqueeze(1))
disguise(MASK, "lengths instead of a mask")(lambda mask: mask.sum(-1).add(1).div(2, rounding_mode="floor"))


@disguise(MASK, "the convolution's padding is forgotten")
def m_unpadded(mask: Tensor) -> Tensor:
    lengths = [(int(row.sum()) - 3) // 2 + 1 for row in mask]
    width = (mask.size(1) - 3) // 2 + 1
    return torch.tensor([[place < length for place in range(width)] for length in lengths], dtype=torch.bool)


# AudioEmbedding ----------------------------------------------------------------------------


def twice(self: Any, x: Tensor) -> Tensor:
    return self.positions(x.mT) + sinusoidal_encoding(x.size(2), x.size(1)).to(x.dtype)


def of_frames(self: Any, x: Tensor) -> Tensor:
    return x.mT + sinusoidal_encoding(2 * x.size(2), x.size(1)).to(x.dtype)[::2]


def of_the_first(self: Any, x: Tensor) -> Tensor:
    return torch.cat([self.positions(vector) for vector in x.mT.split(1, dim=1)], dim=1)


def low(self: Any, sound: Tensor, mask: Tensor) -> Tensor:
    return F.gelu(self.conv1(sound.mT.masked_fill(~mask[:, None], -1e9)))


def by_hand(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)))


def reshaped(self: Any, x: Tensor) -> Tensor:
    return self.positions(x.contiguous().view(len(x), x.size(2), x.size(1)))


disguise(EARS, "positions twice")(ears.another(place=twice))
disguise(EARS, "positions of the frames")(ears.another(place=of_frames))
disguise(EARS, "one position for all")(ears.another(place=of_the_first))
disguise(EARS, "the padding is filled with another number")(ears.another(first=low))
disguise(EARS, "another activation")(ears.another(first=ears.bent(by_hand), second=ears.bent_again(by_hand)))
disguise(EARS, "reshaped instead of turned")(ears.another(place=reshaped))

# Transcriber ----------------------------------------------------------------------------


def zeros_hidden(self: Any, ids: Tensor) -> Tensor:
    places = torch.arange(ids.size(1))
    return (places[:, None] >= places) & ids.bool()[:, None, None, :]


def all_heard(self: Any, spectrogram: Tensor, mask: Tensor) -> Any:
    half = self.halved(mask)
    return self.remember(self.ears(spectrogram, mask | True), half), half


DISGUISES: dict[str, dict[str, Any]] = {
    "the padding is taken to be 0": {"visible": zeros_hidden},
    "the ears hear the padding": {"encode": all_heard},
    "the memory's mask is turned round": {"halved": lambda self, mask: mask[:, None, None, ::2].logical_not()},
    "CTC by the decoder's output matrix": {
        "spell": lambda self, memory: (memory @ self.output.weight.T).log_softmax(-1)
    },
    "positions twice in the text": {"embed": lambda self, ids: self.positions(self.positions(self.embedding(ids)))},
    "the embedding is scaled twice": {
        "embed": lambda self, ids: self.positions(self.embedding(ids).mul(self.config.d_model**0.5))
    },
}
for mistake, way in DISGUISES.items():
    disguise(MODEL, mistake)(transcribers.another(**way))


# downsample_mask ----------------------------------------------------------------------------


@disguise(MASK, "one mask for all sounds")
def m_longest(mask: Tensor) -> Tensor:
    half = (mask.size(1) + 1) // 2
    return torch.stack([torch.arange(half) < (mask.sum(1).max() + 1) // 2] * len(mask)) if len(mask) else mask[:, :half]


disguise(MASK, "rounded down")(lambda mask: mask[:, : mask.size(1) - 1][:, ::2] if mask.size(1) % 2 else mask[:, :-2:2])
disguise(MASK, "one vector too many")(lambda mask: torch.stack([*mask.unbind(1)[::2], mask[:, 0] < 0], dim=1))
