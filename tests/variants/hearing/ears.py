"""Lesson 19: downsample_mask and AudioEmbedding."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.positional_encoding import PositionalEncoding, sinusoidal_encoding
from tests.variants import correct, disguise, slips, unlisted

MASK, EARS = "downsample_mask", "AudioEmbedding"

# downsample_mask ----------------------------------------------------------------------------


def by_counting(mask: Tensor) -> Tensor:
    frames = mask.sum(-1, keepdim=True)
    left = (frames + 1) // 2
    return torch.arange((mask.shape[1] + 1) // 2).expand(len(mask), -1) < left


slips(
    MASK,
    by_counting,
    {
        "both frames have to be real": {"(frames + 1) // 2": "frames // 2"},
        "one vector too many": {"(frames + 1) // 2": "frames // 2 + 1"},
        "turned round": {") < left": ") >= left"},
        "not halved": {"(frames + 1) // 2": "frames", "((mask.shape[1] + 1) // 2)": "(mask.shape[1])"},
        "rounded down": {"((mask.shape[1] + 1) // 2)": "(mask.shape[1] // 2)"},
    },
)


def by_index(mask: Tensor) -> Tensor:
    chosen = [place for place in range(mask.size(1)) if place % 2 == 0]
    return torch.stack([mask[:, place] for place in chosen], dim=1)


slips(
    MASK,
    by_index,
    {
        "the odd frames": {"place % 2 == 0": "place % 2 == 1"},
        "rounded down": {"range(mask.size(1))": "range(mask.size(1) // 2 * 2)"},
        "the first half": {"if place % 2 == 0": "if place < (mask.size(1) + 1) // 2"},
        "not halved": {"if place % 2 == 0": "if place >= 0"},
        "turned round": {"mask[:, place] for": "~mask[:, place] for"},
    },
)


def by_pooling(mask: Tensor) -> Tensor:
    pooled = F.max_pool1d(mask.float()[:, None], 2, stride=2, ceil_mode=True)
    return pooled[:, 0] > 0


slips(
    MASK,
    by_pooling,
    {
        "rounded down": {", ceil_mode=True": ""},
        "turned round": {"> 0": "== 0"},
        "one vector too many": {"[:, None], 2, stride=2, ceil_mode=True": "[:, None], 3, stride=2, padding=1"},
    },
)

disguise(MASK, "not halved")(lambda mask: mask.bool() & True)
disguise(MASK, "the odd frames")(lambda mask: mask.index_select(1, torch.arange(1, mask.size(1), 2)))
disguise(MASK, "rounded down")(lambda mask: mask[:, : mask.size(1) - mask.size(1) % 2].unflatten(1, (-1, 2))[..., 0])
disguise(MASK, "the first half")(lambda mask: mask.narrow(1, 0, -(-mask.size(1) // 2)))
disguise(MASK, "every other sound")(lambda mask: mask[torch.arange(0, len(mask), 2)])
disguise(MASK, "turned round")(lambda mask: mask[:, 0::2].logical_not())


@disguise(MASK, "both frames have to be real")
def m_both(mask: Tensor) -> Tensor:
    even, odd = mask[:, ::2], mask[:, 1::2]
    return even & torch.cat([odd, odd.new_zeros(len(mask), even.size(1) - odd.size(1))], dim=1)


@disguise(MASK, "one vector too many")
def m_any(mask: Tensor) -> Tensor:
    kernel = torch.ones(1, 1, 3)
    return F.conv1d(mask[:, None].float(), kernel, stride=2, padding=1)[:, 0] > 0.5


@disguise(MASK, "cut to the longest sound")
def m_longest(mask: Tensor) -> Tensor:
    rows = [row[: int(mask.sum(1).max())] for row in mask]
    return torch.stack([row[::2] for row in rows])


@disguise(MASK, "all vectors count as real")
def m_all_true(mask: Tensor) -> Tensor:
    return torch.ones(len(mask), (mask.size(1) + 1) // 2, dtype=torch.bool)


@disguise(MASK, "another step")
def m_thirds(mask: Tensor) -> Tensor:
    return mask[:, ::3]


@disguise(MASK, "counted from the end")
def m_reversed(mask: Tensor) -> Tensor:
    return mask.flip(1)[:, ::2]


@disguise(MASK, "the last vector is never real")
def m_without_the_last(mask: Tensor) -> Tensor:
    half = mask[:, torch.arange(0, mask.size(1), 2)]
    half[:, half.size(1) - 1] = False
    return half


@disguise(MASK, "in reverse")
def m_last_sound_first(mask: Tensor) -> Tensor:
    return torch.stack([row[::2] for row in reversed(list(mask))])


@disguise(MASK, "in reverse")
def m_padding_first(mask: Tensor) -> Tensor:
    places = reversed(range(0, mask.size(1), 2))
    return torch.stack([mask[:, place] for place in places], dim=1)


@disguise(MASK, "not boolean")
def m_counted_in_twos(mask: Tensor) -> Tensor:
    return mask.long()[:, ::2] + F.pad(mask.long(), (0, 1))[:, 1::2][:, : (mask.size(1) + 1) // 2]


# AudioEmbedding ----------------------------------------------------------------------------


class Given(nn.Module):
    """The parts of ears, and what goes on with them."""

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(num_bins, d_model, 3, padding=1)
        self.conv2 = nn.Conv1d(d_model, d_model, 3, stride=2, padding=1)
        self.positions = PositionalEncoding(d_model, max_len)

    def checked(self, sound: Tensor, mask: Tensor) -> None:
        if sound.shape[:2] != mask.shape or sound.shape[2] != self.conv1.in_channels:
            raise ValueError("shapes")

    def clean(self, x: Tensor, mask: Tensor) -> Tensor:
        return x * mask[:, None].to(x.dtype)

    def first(self, sound: Tensor, mask: Tensor) -> Tensor:
        return F.gelu(self.conv1(self.clean(sound.mT, mask)))

    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        return F.gelu(self.conv2(self.clean(x, mask)))

    def place(self, x: Tensor) -> Tensor:
        return self.positions(x.mT)

    def forward(self, sound: Tensor, mask: Tensor) -> Tensor:
        self.checked(sound, mask)
        return self.place(self.second(self.first(sound, mask), mask))


correct(EARS)(Given)


def another(**methods: Any) -> type:
    """With some of its parts written otherwise."""
    return type("Given", (Given,), methods)


def bent(activation: Any) -> Any:
    return lambda self, sound, mask: activation(self.conv1(self.clean(sound.mT, mask)))


def bent_again(activation: Any) -> Any:
    return lambda self, x, mask: activation(self.conv2(self.clean(x, mask)))


def early(self: Given, x: Tensor, mask: Tensor) -> Tensor:
    placed = x + sinusoidal_encoding(x.size(2), x.size(1)).mT
    return F.gelu(self.conv2(self.clean(placed, mask)))


def early_and_heard(self: Given, x: Tensor, mask: Tensor) -> Tensor:
    placed = self.clean(x, mask) + sinusoidal_encoding(x.size(2), x.size(1)).mT
    return F.gelu(self.conv2(placed))


DISGUISES: dict[str, list[dict[str, Any]]] = {
    "the first convolution hears the padding": [{"first": lambda self, sound, mask: F.gelu(self.conv1(sound.mT))}],
    "the second convolution hears the padding": [{"second": lambda self, x, mask: F.gelu(self.conv2(x))}],
    "both convolutions hear the padding": [{"clean": lambda self, x, mask: x}],
    "the mask is turned round": [{"clean": lambda self, x, mask: x * (~mask)[:, None].to(x.dtype)}],
    "no GELU between the convolutions": [{"first": bent(lambda x: x)}],
    "no GELU at the end": [{"second": bent_again(lambda x: x)}],
    "no GELU at all": [{"first": bent(lambda x: x), "second": bent_again(lambda x: x)}],
    "ReLU for GELU": [
        {"first": bent(torch.relu), "second": bent_again(torch.relu)},
        {"first": bent(torch.relu)},
        {"second": bent_again(torch.relu)},
    ],
    "positions before the stride": [
        {"second": early, "place": lambda self, x: x.mT},
        {"second": early_and_heard, "place": lambda self, x: x.mT},
    ],
    "a wrong mask is let pass": [{"checked": lambda self, sound, mask: None}],
    "halved twice": [{"second": lambda self, x, mask: F.gelu(self.conv2(self.clean(x, mask)[..., 0::2]))}],
    "another activation": [{"first": bent(lambda x: F.gelu(F.gelu(x)))}],
    "no positions": [{"place": lambda self, x: x.permute(0, 2, 1)}],
    "features and vectors exchanged": [{"place": lambda self, x: self.positions(x.mT).permute(0, 2, 1)}],
}
for mistake, ways in DISGUISES.items():
    for way in ways:
        disguise(EARS, mistake)(another(**way))


@disguise(EARS, "positions of the features")
class OfFeatures(Given):
    def place(self, x: Tensor) -> Tensor:
        half, d_model = x.size(2), x.size(1)
        table = sinusoidal_encoding(half, d_model).to(x.dtype)
        return (x + table.flatten().view(d_model, half)).mT


class InOneGo(nn.Module):
    """Without helpers, the mask as numbers."""

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(num_bins, d_model, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(d_model, d_model, kernel_size=3, padding=1, stride=2)
        self.positions = PositionalEncoding(d_model, max_len)

    def forward(self, spectrogram: Tensor, mask: Tensor) -> Tensor:
        if tuple(mask.shape) != tuple(spectrogram.shape[:2]) or spectrogram.size(-1) != self.conv1.weight.size(1):
            raise ValueError("shapes")
        heard = spectrogram.clone()
        heard[~mask] = 0
        h = nn.functional.gelu(self.conv1(heard.permute(0, 2, 1))).permute(0, 2, 1)
        h = torch.where(mask.unsqueeze(-1), h, torch.zeros_like(h))
        out = self.conv2(h.permute(0, 2, 1))
        out = nn.functional.gelu(out)
        return self.positions(out.permute(0, 2, 1))


slips(
    EARS,
    InOneGo,
    {
        "the first convolution hears the padding": {"        heard[~mask] = 0\n": ""},
        "the second convolution hears the padding": {
            "        h = torch.where(mask.unsqueeze(-1), h, torch.zeros_like(h))\n": ""
        },
        "both convolutions hear the padding": {
            "        heard[~mask] = 0\n": "",
            "        h = torch.where(mask.unsqueeze(-1), h, torch.zeros_like(h))\n": "",
        },
        "the mask is turned round": [
            {"heard[~mask]": "heard[mask]"},
            {"h, torch.zeros_like(h))": "torch.zeros_like(h), h)"},
        ],
        "no GELU at the end": {"        out = nn.functional.gelu(out)\n": ""},
        "no GELU between the convolutions": {
            "nn.functional.gelu(self.conv1(heard.permute(0, 2, 1)))": "self.conv1(heard.permute(0, 2, 1))"
        },
        "no positions": {"return self.positions(out.permute(0, 2, 1))": "return out.permute(0, 2, 1)"},
        "ReLU for GELU": {"out = nn.functional.gelu(out)": "out = nn.functional.relu(out)"},
        "the first convolution hears the padding + no GELU at the end": {
            "        out = nn.functional.gelu(out)\n": "",
            "        heard[~mask] = 0\n": "",
        },
    },
)


class SoundBySound(nn.Module):
    """Each sound by itself, without padding; and filled up afterwards."""

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(num_bins, d_model, 3, 1, 1)
        self.conv2 = nn.Conv1d(d_model, d_model, 3, 2, 1)
        self.positions = PositionalEncoding(d_model, max_len)

    def forward(self, spectrogram: Tensor, mask: Tensor) -> Tensor:
        if mask.shape != spectrogram.shape[:2] or spectrogram.shape[-1] != self.conv1.in_channels:
            raise ValueError("shapes")
        rows = [self.one(sound[real].T) for sound, real in zip(spectrogram, mask, strict=True)]
        longest = (mask.size(1) + 1) // 2
        return self.positions(torch.stack([F.pad(row, (0, 0, 0, longest - len(row))) for row in rows]))

    def one(self, sound: Tensor) -> Tensor:
        h = F.gelu(self.conv1(sound))
        return F.gelu(self.conv2(h)).T


slips(
    EARS,
    SoundBySound,
    {
        "no GELU at the end": {"F.gelu(self.conv2(h)).T": "self.conv2(h).T"},
        "no GELU between the convolutions": {"h = F.gelu(self.conv1(sound))": "h = self.conv1(sound)"},
        "no GELU at all": {
            "F.gelu(self.conv2(h)).T": "self.conv2(h).T",
            "h = F.gelu(self.conv1(sound))": "h = self.conv1(sound)",
        },
        "ReLU for GELU": {"h = F.gelu(self.conv1(sound))": "h = F.relu(self.conv1(sound))"},
        "both convolutions hear the padding": {"self.one(sound[real].T)": "self.one(sound.T)"},
    },
)


class WithSequential(nn.Module):
    """Both convolutions as functions."""

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv1d(num_bins, d_model, 3, padding=1), nn.Conv1d(d_model, d_model, 3, 2, 1)
        self.positions = PositionalEncoding(d_model, max_len)
        self.act = nn.GELU()

    def forward(self, spectrogram: Tensor, mask: Tensor) -> Tensor:
        if mask.shape != spectrogram.shape[:-1] or spectrogram.shape[-1] != self.conv1.in_channels:
            raise ValueError("shapes")
        keep = mask.to(spectrogram.dtype).unsqueeze(2)
        x = torch.einsum("bfc,bfo->bcf", spectrogram, keep.nan_to_num())
        x = self.act(F.conv1d(x, self.conv1.weight, self.conv1.bias, padding=1)) * keep.mT
        x = self.act(F.conv1d(x, self.conv2.weight, self.conv2.bias, stride=2, padding=1))
        return self.positions(torch.einsum("bcf->bfc", x))


slips(
    EARS,
    WithSequential,
    {
        "the second convolution hears the padding": {" * keep.mT": ""},
        "the first convolution hears the padding": {
            'torch.einsum("bfc,bfo->bcf", spectrogram, keep.nan_to_num())': "spectrogram.mT"
        },
        "no positions": {'self.positions(torch.einsum("bcf->bfc", x))': "x.mT"},
        "the mask is turned round": {"keep = mask.to": "keep = (~mask).to"},
        "features and vectors exchanged": {
            'self.positions(torch.einsum("bcf->bfc", x))': 'self.positions(torch.einsum("bcf->bfc", x)).mT'
        },
    },
)


@disguise(EARS, "cut to the longest sound")
class Shortened(Given):
    """Without the padding that stands behind the longest sound."""

    def forward(self, spectrogram: Tensor, mask: Tensor) -> Tensor:
        self.checked(spectrogram, mask)
        longest = int(mask.sum(dim=1).max())
        found: Tensor = super().forward(spectrogram[:, :longest], mask[:, :longest])
        return found


@unlisted(EARS)
class Softsign(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        return F.softsign(self.conv2(self.clean(x, mask)))


@disguise(EARS, "the vectors count twice")
class Doubled(Given):
    def place(self, x: Tensor) -> Tensor:
        return self.positions(2 * x.mT)


@unlisted(EARS)
class Backwards(Given):
    def first(self, sound: Tensor, mask: Tensor) -> Tensor:
        return F.gelu(self.conv1(self.clean(sound.flip(-1).mT, mask)))


@unlisted(EARS)
class Mixed(Given):
    """The ends of the window change places."""

    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        kernel = self.conv2.weight.flip(-1)
        return F.gelu(F.conv1d(self.clean(x, mask), kernel, self.conv2.bias, stride=2, padding=1))


@disguise(EARS, "GELU in front of the convolutions")
class Before(Given):
    def first(self, sound: Tensor, mask: Tensor) -> Tensor:
        return self.conv1(F.gelu(self.clean(sound.mT, mask)))

    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.conv2(F.gelu(self.clean(x, mask)))


@disguise(EARS, "the bias is left out")
class Unbiased(Given):
    def first(self, sound: Tensor, mask: Tensor) -> Tensor:
        cut = F.pad(self.clean(sound.mT, mask), (1, 1)).unfold(-1, 3, 1)
        return F.gelu(torch.einsum("bctk,dck->bdt", cut, self.conv1.weight))


@disguise(EARS, "the odd frames")
class Odd(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        every = F.conv1d(F.pad(self.clean(x, mask), (1, 2)), self.conv2.weight, self.conv2.bias)
        return F.gelu(every[..., 1::2])


@disguise(EARS, "the second convolution is left out")
class Alone(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        return torch.stack([x[..., at] for at in range(0, x.size(-1), 2)], dim=-1)


@disguise(EARS, "the mask comes back too")
class WithMask(Given):
    def forward(self, spectrogram: Tensor, mask: Tensor) -> Any:
        half = torch.stack([mask[:, at] for at in range(0, mask.size(1), 2)], dim=1)
        return super().forward(spectrogram, mask), half


@disguise(EARS, "one mask for all sounds")
class FirstMask(Given):
    def clean(self, x: Tensor, mask: Tensor) -> Tensor:
        return torch.stack([row * mask[0].to(row.dtype) for row in x])


@disguise(EARS, "positions not added")
class Lessened(Given):
    def place(self, x: Tensor) -> Tensor:
        return x.mT - sinusoidal_encoding(x.size(2), x.size(1)).to(x.dtype)


@disguise(EARS, "a norm or a shortcut too many")
class Shortcut(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        heard = self.clean(x, mask)
        return F.gelu(self.conv2(heard)) + torch.stack([heard[..., at] for at in range(0, x.size(-1), 2)], dim=-1)


@disguise(EARS, "a vector for every frame")
class Unhalved(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        cut = F.pad(self.clean(x, mask), (1, 1)).unfold(-1, 3, 1)
        return F.gelu(torch.einsum("bctk,dck->bdt", cut, self.conv2.weight) + self.conv2.bias[:, None])


@disguise(EARS, "the graph is cut")
class Cut(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        return super().second(x.data, mask)


@disguise(EARS, "a real vector is silenced")
class CutAtPairs(Given):
    def second(self, x: Tensor, mask: Tensor) -> Tensor:
        lengths = mask.sum(dim=1) // 2
        heard = super().second(x, mask)
        return heard * (torch.arange(heard.size(2)) < lengths[:, None])[:, None]


@disguise(EARS, "the zeros on one side")
class LookingBack(Given):
    def first(self, sound: Tensor, mask: Tensor) -> Tensor:
        heard = self.clean(sound.mT, mask)
        later = torch.cat([torch.zeros_like(heard[..., :1]), heard[..., :-1]], dim=-1)
        return F.gelu(self.conv1(torch.cat([later, heard[..., -1:]], dim=-1))[..., :-1])


def taken(places: Any) -> Any:
    """A mask of these columns."""
    return lambda mask: mask[:, list(places(range(mask.size(1))))]


disguise(MASK, "counted from the end")(taken(lambda all: [at for at in all if (len(all) - at) % 2]))
disguise(MASK, "another step")(taken(lambda all: [at for at in all if at % 4 == 0]))
disguise(MASK, "all vectors count as real")(
    lambda mask: torch.arange((mask.size(1) + 1) // 2).expand(len(mask), -1) > -1
)
unlisted(MASK)(taken(lambda all: [at for at in all if at % 5 == 0]))
disguise(MASK, "the first vector is always real")(
    lambda mask: mask[:, ::2] | (torch.arange((mask.size(1) + 1) // 2) == 0)
)
unlisted(MASK)(lambda mask: mask.roll(1, 1)[:, ::2])
unlisted(MASK)(taken(lambda all: [at for at in all if at % 6 in (0, 2)]))
disguise(MASK, "vectors in rows")(lambda mask: torch.stack([mask[:, at] for at in range(0, mask.size(1), 2)]))
