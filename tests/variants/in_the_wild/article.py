"""Articles put right in other words, and every fault in full in one of them."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

ARTICLE = "WildTransformer"
PAD = 0

# Right ----------------------------------------------------------------------------


class Token(nn.Module):
    """A norm, step by step."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        away = x - x.sum(-1, keepdim=True) / x.size(-1)
        return self.bias + self.weight * self.scaled(away)

    def scaled(self, away: Tensor) -> Tensor:
        return away * torch.rsqrt(away.pow(2).mean(-1, keepdim=True) + self.eps)


def table(max_len: int, d_model: int) -> Tensor:
    """Number by number."""
    rows = [[turned(place, feature, d_model) for feature in range(d_model)] for place in range(max_len)]
    return torch.tensor(rows)


def turned(place: int, feature: int, d_model: int) -> float:
    angle = place / 10000 ** (feature // 2 * 2 / d_model)
    return math.cos(angle) if feature % 2 else math.sin(angle)


class Looks(nn.Module):
    """An attention that cuts its heads with unflatten."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.num_heads = num_heads

    def apart(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.num_heads, -1)).permute(0, 2, 1, 3)

    def together(self, x: Tensor) -> Tensor:
        return x.permute(0, 2, 1, 3).flatten(-2)

    def last(self, x: Tensor) -> Tensor:
        return self.out_proj(x)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        q, k, v = (self.apart(one) for one in (self.q_proj(query), self.k_proj(key), self.v_proj(value)))
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.size(-1) ** -0.5
        weights = scores.masked_fill(mask.logical_not(), float("-inf")).softmax(-1)
        return self.last(self.together(torch.einsum("bhqk,bhkd->bhqd", weights, v)))


class Wide(nn.Module):
    """A feed-forward network."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1(x).clamp(min=0)
        return self.linear2(hidden)


class Around(nn.Module):
    """A residual that begins with the sum."""

    def __init__(self, norm: nn.Module, sublayer: nn.Module) -> None:
        super().__init__()
        self.norm, self.sublayer = norm, sublayer

    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        total = x.clone()
        total += self.sublayer(x, *given)
        return self.norm(total)


class Reads(nn.Module):
    """An encoder layer."""

    def __init__(self, made: Any, sizes: tuple[int, int, int]) -> None:
        super().__init__()
        self.attention = made.around(made.norm(sizes[0]), made.looks(sizes[0], sizes[1]))
        self.feed_forward = made.around(made.norm(sizes[0]), made.wide(sizes[0], sizes[2]))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        y = self.attention(x, x, x, mask)
        return self.feed_forward(y)


class Writes(nn.Module):
    """A decoder layer."""

    def __init__(self, made: Any, sizes: tuple[int, int, int]) -> None:
        super().__init__()
        self.self_attention = made.around(made.norm(sizes[0]), made.looks(sizes[0], sizes[1]))
        self.cross_attention = made.around(made.norm(sizes[0]), made.looks(sizes[0], sizes[1]))
        self.feed_forward = made.around(made.norm(sizes[0]), made.wide(sizes[0], sizes[2]))

    def forward(self, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        own = self.self_attention(x, x, x, tgt_mask)
        return self.feed_forward(self.cross(own, memory, tgt_mask, src_mask))

    def cross(self, own: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        return self.cross_attention(own, memory, memory, src_mask)


@correct(ARTICLE)
class InOtherWords(nn.Module):
    """A whole one, whose parts stand as attributes of the class, so that one at a time can be another."""

    norm, looks, wide, around, reads, writes = Token, Looks, Wide, Around, Reads, Writes
    places = staticmethod(table)

    def __init__(
        self,
        vocab_size: int,
        d_model: int = 64,
        num_heads: int = 4,
        d_ff: int = 256,
        num_layers: int = 2,
        max_len: int = 9,
    ) -> None:
        super().__init__()
        sizes = (d_model, num_heads, d_ff)
        self.output = nn.Linear(d_model, vocab_size)
        self.decoder = nn.ModuleList([self.writes(self, sizes) for _ in range(num_layers)])
        self.encoder = nn.ModuleList([self.reads(self, sizes) for _ in range(num_layers)])
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.register_buffer("table", self.places(max_len, d_model)[None], persistent=False)
        self.root = math.sqrt(d_model)

    def embed(self, ids: Tensor) -> Tensor:
        return torch.add(self.table[:, : ids.shape[1]], self.embedding(ids), alpha=self.root)

    def masks(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
        return self.of_source(src), self.of_target(tgt)

    def of_source(self, src: Tensor) -> Tensor:
        return src.ne(PAD).view(len(src), 1, 1, -1)

    def of_target(self, tgt: Tensor) -> Tensor:
        place = torch.arange(tgt.size(1))
        return (place[:, None] >= place).logical_and(tgt.ne(PAD).view(len(tgt), 1, 1, -1))

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        memory = self.embed(src)
        for layer in self.encoder:
            memory = layer(memory, self.read(src_mask))
        return memory

    def read(self, src_mask: Tensor) -> Tensor:
        return src_mask

    def decode(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        y, known = self.embed(tgt), self.remembered(memory)
        for layer in self.decoder:
            y = layer(y, known, tgt_mask, src_mask)
        return y

    def remembered(self, memory: Tensor) -> Tensor:
        return memory

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        allowed, past = self.masks(src, tgt)
        return self.output(self.decode(tgt, self.encode(src, allowed), past, allowed))

    def loss(self, src: Tensor, tgt: Tensor) -> Tensor:
        return self.cost(self(src, tgt[:, :-1]), tgt[:, 1:])

    def cost(self, scores: Tensor, wanted: Tensor) -> Tensor:
        surprise = -scores.log_softmax(-1).gather(-1, wanted[..., None])[..., 0]
        return surprise[wanted != PAD].mean()


@correct(ARTICLE)
class CausalAlone(InOtherWords):
    """The target's padding comes last, and the triangle hides it from all that is asked for."""

    def of_target(self, tgt: Tensor) -> Tensor:
        return torch.ones(tgt.size(1), tgt.size(1)).tril().bool()[None, None]

    def cost(self, scores: Tensor, wanted: Tensor) -> Tensor:
        return F.cross_entropy(scores.transpose(1, 2), wanted, ignore_index=PAD)


@correct(ARTICLE)
class OfTorch(InOtherWords):
    """With torch's own norm, and padding that reads nothing."""

    norm = nn.LayerNorm

    def of_source(self, src: Tensor) -> Tensor:
        return (src != PAD)[:, None, None]

    def cost(self, scores: Tensor, wanted: Tensor) -> Tensor:
        costs = F.cross_entropy(scores.flatten(0, 1), wanted.flatten(), reduction="none").view_as(wanted)
        real = (wanted != PAD).to(costs.dtype)
        return (costs * real).sum() / real.sum()


# Faults ----------------------------------------------------------------------------


def fault(mistake: str, **parts: Any) -> None:
    """A listed mistake: the whole model with some of its parts written otherwise."""
    disguise(ARTICLE, mistake)(type(InOtherWords.__name__, (InOtherWords,), parts))


class OverFewer(Token):
    def scaled(self, away: Tensor) -> Tensor:
        return away / (away.std(-1, keepdim=True) + self.eps)


class OverFewerInside(Token):
    def scaled(self, away: Tensor) -> Tensor:
        return away / torch.sqrt(away.pow(2).sum(-1, keepdim=True) / (away.size(-1) - 1) + self.eps)


class Outside(Token):
    def scaled(self, away: Tensor) -> Tensor:
        return away / (away.pow(2).mean(-1, keepdim=True).sqrt() + self.eps)


class Without(Token):
    def scaled(self, away: Tensor) -> Tensor:
        return away / away.std(-1, keepdim=True, correction=0)


fault("standard deviation over n - 1, eps beside it", norm=OverFewer)
fault("variance over n - 1", norm=OverFewerInside)
fault("eps beside the root", norm=Outside)
fault("no eps", norm=Without)


def by_rows(max_len: int, d_model: int) -> Tensor:
    made = torch.tensor([[place / 10000 ** (one / d_model) for one in range(d_model)] for place in range(max_len)])
    even = (torch.arange(max_len) % 2 == 0)[:, None]
    return torch.where(even, made.sin(), made.cos())


def of_its_own(max_len: int, d_model: int) -> Tensor:
    made = torch.tensor([[place / 10000 ** (one / d_model) for one in range(d_model)] for place in range(max_len)])
    return torch.where(torch.arange(d_model) % 2 == 0, made.sin(), made.cos())


def half_as_fast(max_len: int, d_model: int) -> Tensor:
    made = torch.tensor([[place / 10000 ** (one // 2 / d_model) for one in range(d_model)] for place in range(max_len)])
    return torch.where(torch.arange(d_model) % 2 == 0, made.sin(), made.cos())


def the_other_way(max_len: int, d_model: int) -> Tensor:
    return table(max_len, d_model).unflatten(1, (-1, 2)).flip(-1).flatten(1)


fault("sines in even positions instead of even features", places=staticmethod(by_rows))
fault("cosines with a rate of their own", places=staticmethod(of_its_own))
fault("rates fall half as fast", places=staticmethod(half_as_fast))
fault("sine and cosine exchanged", places=staticmethod(the_other_way))


class Chunks(Looks):
    def apart(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        return x.reshape(batch, self.num_heads, length, width // self.num_heads)

    def together(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), x.size(2), -1)


class ChunksBehind(Looks):
    def together(self, x: Tensor) -> Tensor:
        return x.contiguous().view(x.size(0), x.size(2), -1)


class ChunksInFront(Looks):
    def apart(self, x: Tensor) -> Tensor:
        return x.reshape(x.size(0), self.num_heads, x.size(1), -1)


class Unmixed(Looks):
    def last(self, x: Tensor) -> Tensor:
        return x


fault("heads cut by view", looks=Chunks)
fault("heads merged by reshape", looks=ChunksBehind)
fault("heads cut by view, merged by transpose", looks=ChunksInFront)
fault("no output projection", looks=Unmixed)


class Narrow(nn.Module):
    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear1(x).clamp(min=0)


class Late(Wide):
    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.linear1(x)).relu()


class Straight(Wide):
    def forward(self, x: Tensor) -> Tensor:
        hidden = self.linear1(x)
        return self.linear2(hidden)


fault("one matrix as feed-forward network", wide=Narrow)
fault("ReLU at the end of the feed-forward network", wide=Late)
fault("no ReLU", wide=Straight)


class Alone(Around):
    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        return self.norm(self.sublayer(x, *given))


class Inner(Around):
    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        made = self.norm(self.sublayer(x, *given))
        return made + x


class Before(Around):
    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        made = self.sublayer(self.norm(x), *given)
        return made + x


fault("a shortcut that adds nothing", around=Alone)
fault("normalized before it is added", around=Inner)
fault("pre-norm", around=Before)


class Deaf(Writes):
    def cross(self, own: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        return self.cross_attention(own, own, own, tgt_mask)


class TwoSides(Writes):
    def cross(self, own: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        return self.cross_attention(own, own, memory, src_mask)


class WrongMask(Writes):
    def cross(self, own: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        return self.cross_attention(own, memory, memory, tgt_mask)


fault("cross-attention reads the target", writes=Deaf)
fault("keys from the target, values from the memory", writes=TwoSides)
fault("the target's mask for the memory", writes=WrongMask)


def read_backwards(self: Any, src_mask: Tensor) -> Tensor:
    place = torch.arange(src_mask.size(-1))
    return (place[:, None] >= place) & src_mask


def read_padding(self: Any, src: Tensor) -> Tensor:
    return torch.ones(len(src), 1, 1, src.size(1), dtype=torch.bool)


def read_ahead(self: Any, tgt: Tensor) -> Tensor:
    return (tgt != PAD)[:, None, None]


def read_only_ahead(self: Any, tgt: Tensor) -> Tensor:
    place = torch.arange(tgt.size(1))
    return (place[:, None] < place) & (tgt != PAD)[:, None, None]


fault("source causal", read=read_backwards)
fault("padding of the source not hidden", of_source=read_padding)
fault("target not causal", of_target=read_ahead)
fault("the past hidden instead of the future", of_target=read_only_ahead)


def placed_again(self: Any, memory: Tensor) -> Tensor:
    return self.table[:, : memory.size(1)] + memory


def unshifted(self: Any, src: Tensor, tgt: Tensor) -> Tensor:
    wanted = tgt[:, 1:]
    return self.cost(self(src, wanted), wanted)


def stays_behind(self: Any, src: Tensor, tgt: Tensor) -> Tensor:
    read = tgt[:, :-1]
    return self.cost(self(src, read), read)


def of_all(self: Any, scores: Tensor, wanted: Tensor) -> Tensor:
    return F.cross_entropy(scores.transpose(1, 2), wanted)


def over_all(self: Any, scores: Tensor, wanted: Tensor) -> Tensor:
    costs = F.cross_entropy(scores.transpose(1, 2), wanted, reduction="none")
    return (costs * (wanted != PAD)).mean()


fault("positions added to the memory again", remembered=placed_again)
fault("target not shifted", loss=unshifted)
fault("asked for what it reads", loss=stays_behind)
fault("padding counts in the loss", cost=of_all)
fault("padding counts in the number that divides", cost=over_all)


# Wrong, and on no list ----------------------------------------------------------------------------


class Doubled(Around):
    def forward(self, x: Tensor, *given: Tensor) -> Tensor:
        return self.norm(x + 2 * self.sublayer(x, *given))


@unlisted(ARTICLE)
class TwiceTheSublayer(InOtherWords):
    around = Doubled


@unlisted(ARTICLE)
class OneSentenceOneVote(InOtherWords):
    """A mean of the sentences' means."""

    def cost(self, scores: Tensor, wanted: Tensor) -> Tensor:
        costs = F.cross_entropy(scores.transpose(1, 2), wanted, reduction="none")
        real = (wanted != PAD).to(costs.dtype)
        return ((costs * real).sum(1) / real.sum(1)).mean()


@unlisted(ARTICLE)
class FirstIsHidden(InOtherWords):
    """Nobody reads the start of the target but the start itself."""

    def of_target(self, tgt: Tensor) -> Tensor:
        mask = super().of_target(tgt).clone()
        mask[:, :, 1:, 0] = False
        return mask


@unlisted(ARTICLE)
class MemoryScaled(InOtherWords):
    def remembered(self, memory: Tensor) -> Tensor:
        return memory * self.root
