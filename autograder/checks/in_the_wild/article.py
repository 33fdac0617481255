"""The article: a whole Transformer with twelve faults. Each has a probe that the other eleven do not move."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

WIDTH, HEADS, VOCABULARY = 8, 2, 9

article = Exercise(
    "WildTransformer",
    points=6,
    hunt=True,
    hints=(
        "Your library has a right one of every part. Lay two of them side by side: the same numbers into both, the same weights, and look at what comes out. Where a part has no counterpart, ask what must not "
        "move: change a token that nobody may read, scale the input of a norm, hand in a memory of other numbers.",
        "Faults by definition: one in `Norm`, one in `sinusoids`, two in `Attention`, one in `FeedForward`, one in `Residual`, one in `DecoderLayer`; in the model one each in `masks`, `encode` and `decode`, and two in `loss`. "
        "`EncoderLayer`, `embed` and `forward` are right.",
        "`Norm`: variance over n, eps inside the root. `sinusoids`: even *columns* are sines, and each cosine has the rate of the sine beside it. `Attention`: `split` and `merge` transpose, and an `out_proj` comes last. `FeedForward`: two layers, d_ff between them. "
        "`Residual`: x itself is added. `DecoderLayer`: the cross-attention reads the memory. `masks`: the target's is causal. `encode`: the source's is not. `decode`: no positions for the memory. "
        "`loss`: the model reads `tgt[:, :-1]`, and padding is ignored.",
    ),
    traps={
        "AttributeError: '...' object has no attribute '...'": "the check takes the model apart by the names of the article: `norm`, `sublayer`, `attention`, `cross_attention`, `table`, `masks` and so on. Keep them; "
        "what is new is called as in lessons 03 and 05: `out_proj`, `linear2`.",
        "TypeError: cross_entropy_loss(): argument ... must be Tensor, not ...": "`ignore_index=PAD` is an argument of `F.cross_entropy`, after the scores and the ids.",
        "RuntimeError: shape '[...]' is invalid for input of size ...": "`split` makes (batch, heads, length, d_head) and `merge` goes back to (batch, length, d_model); on the way, heads and length change places by `transpose(1, 2)`.",
        "RuntimeError: view size is not compatible with input tensor's size and stride": "after `transpose`, use `reshape` or `flatten`; `view` would need the numbers to lie in order.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied": "a linear layer got vectors of another width: `linear1` goes from d_model to d_ff, `linear2` from d_ff back to d_model.",
    },
)


def model_of(WildTransformer: Callable, draw: Draw, num_layers: int = 1) -> Any:
    """A tiny one, filled with drawn numbers; its parameters are compared in one probe alone."""
    return draw.fill(WildTransformer(VOCABULARY, WIDTH, HEADS, 10, num_layers, 7)).eval()


def tokens(draw: Draw, name: str, lengths: tuple[int, ...]) -> Tensor:
    """Ids of real tokens, as many in a row as `lengths` says, filled up with padding."""
    real = draw.integers(f"{name} drawn", len(lengths), max(lengths), low=1, high=VOCABULARY)
    past_the_end = torch.arange(max(lengths)) >= torch.tensor(lengths)[:, None]
    return draw.keep(name, real.masked_fill(past_the_end, 0))


def attention_of(WildTransformer: Callable, draw: Draw) -> Any:
    """An attention without queries, so that all that may be read counts alike, whose output layer changes nothing."""
    attention = model_of(WildTransformer, draw).encoder[0].attention.sublayer
    with torch.no_grad():
        attention.q_proj.weight.zero_()
        attention.q_proj.bias.zero_()
        output = getattr(attention, "out_proj", None)
        if output is not None:
            output.weight.copy_(torch.eye(WIDTH))
            output.bias.zero_()
    return attention


class Told(nn.Module):
    """In the place of a layer: what it was given, in one tensor of the shape of the first thing."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self.mix = [draw.tensor(f"mix {number}", WIDTH, WIDTH) for number in range(4)]

    def forward(self, x: Tensor, *others: Tensor, **named: Tensor) -> Tensor:
        for one, mix in zip((*others, *named.values()), self.mix, strict=False):
            seen = one.to(x.dtype)
            x = x + (
                seen.flatten(1).mean(1)[:, None, None]
                if one.dtype is torch.bool
                else (seen @ mix).mean(1, keepdim=True)
            )
        return x


class Kept(nn.Module):
    """In the place of a layer: keeps what it was given last, and gives back the first of it."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[Tensor] = []

    def forward(self, x: Tensor, *others: Tensor, **named: Tensor) -> Tensor:
        self.given = [*others, *named.values()]
        return x


class First(nn.Module):
    """In the place of a layer: the first thing that it was given."""

    def forward(self, x: Tensor, *others: Tensor, **named: Tensor) -> Tensor:
        return x


# One probe for each fault ---------------------------------------------------------------------


@article.probe("normalizes the features of a token, and scales and shifts them")
def norm(WildTransformer: Callable, draw: Draw) -> Any:
    one = model_of(WildTransformer, draw).encoder[0].attention.norm
    one.eps = 0.3
    return one(draw.tensor("x", 2, 3, WIDTH, scale=2, shift=1))


@article.probe("has a sine in every even feature of a position, and a cosine of the same angle beside it")
def positions(WildTransformer: Callable, draw: Draw) -> Any:
    model = model_of(WildTransformer, draw)
    with torch.no_grad():
        model.embedding.weight.zero_()
    return model.embed(tokens(draw, "ids", (6, 6)))


@article.probe("gives each head its own features of every token")
def heads(WildTransformer: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 6, WIDTH)
    mask = draw.keep("mask", torch.ones(2, 1, 6, 6, dtype=torch.bool).tril())
    return attention_of(WildTransformer, draw)(x, x, x, mask)


@article.probe("mixes the heads at the end of an attention")
def output_projection(WildTransformer: Callable, draw: Draw) -> Any:
    attention = model_of(WildTransformer, draw).encoder[0].attention.sublayer
    x = draw.tensor("x", 3, 1, WIDTH)  # one token: whatever an attention does, it reads that one
    return attention(x, x, x, draw.keep("mask", torch.ones(3, 1, 1, 1, dtype=torch.bool)))


@article.probe("widens a token to d_ff features and brings it back")
def feed_forward(WildTransformer: Callable, draw: Draw) -> Any:
    return model_of(WildTransformer, draw).encoder[0].feed_forward.sublayer(draw.tensor("x", 2, 3, WIDTH))


@article.probe("adds what a sublayer gives to what it was given, and then normalizes")
def shortcut(WildTransformer: Callable, draw: Draw) -> Any:
    residual = model_of(WildTransformer, draw).encoder[0].attention
    residual.sublayer, residual.norm = Told(draw), draw.fill(nn.LayerNorm(WIDTH))
    return residual(draw.tensor("x", 2, 3, WIDTH), draw.tensor("other", 2, 4, WIDTH))


@article.probe("lets every token of the target read the memory, where the source's mask allows it")
def cross_attention(WildTransformer: Callable, draw: Draw) -> Any:
    layer = model_of(WildTransformer, draw).decoder[0]
    layer.self_attention, layer.cross_attention, layer.feed_forward = First(), Told(draw), First()
    x, memory = draw.tensor("x", 2, 3, WIDTH), draw.tensor("memory", 2, 4, WIDTH)
    src_mask = draw.keep("src_mask", torch.arange(4).lt(torch.tensor([[2], [4]]))[:, None, None, :])
    tgt_mask = draw.keep("tgt_mask", torch.ones(2, 1, 3, 3, dtype=torch.bool).tril())
    return layer(x, memory, tgt_mask, src_mask)


@article.probe("lets every token of the source read all of the source but padding")
def source_mask(WildTransformer: Callable, draw: Draw) -> Any:
    src, tgt = tokens(draw, "src", (5, 3)), tokens(draw, "tgt", (2, 4))
    model, kept = model_of(WildTransformer, draw), Kept()
    model.encoder = nn.ModuleList([kept])
    model.encode(src, model.masks(src, tgt)[0])
    return _seen_by_real_tokens(kept.given[-1], src)


@article.probe("lets a token of the target read itself and those before it")
def target_mask(WildTransformer: Callable, draw: Draw) -> Any:
    src, tgt = tokens(draw, "src", (5, 3)), tokens(draw, "tgt", (2, 4))
    mask = model_of(WildTransformer, draw).masks(src, tgt)[1]
    return _seen_by_real_tokens(mask, tgt)


def _seen_by_real_tokens(mask: Tensor, ids: Tensor) -> list[Tensor]:
    """For each sentence, who is read by its real tokens; what padding reads is nobody's business."""
    batch, length = ids.shape
    whole = mask.expand(batch, 1, length, length)[:, 0]
    return [one[real] for one, real in zip(whole, ids != 0, strict=True)]


@article.probe("hands the memory to the decoder's layers as it is")
def memory_as_it_is(WildTransformer: Callable, draw: Draw) -> Any:
    model = model_of(WildTransformer, draw)
    with torch.no_grad():
        model.table.copy_(draw.tensor("table", model.table.numel()).view_as(model.table))
    model.decoder = nn.ModuleList([Told(draw)])
    tgt, memory = tokens(draw, "tgt", (4, 4)), draw.tensor("memory", 2, 5, WIDTH)
    masks = [draw.keep(name, torch.ones(2, 1, 1, size, dtype=torch.bool)) for name, size in (("own", 4), ("cross", 5))]
    return model.decode(tgt, memory, *masks)


@article.probe("is asked for the token that follows, and has not read it")
def shifted(WildTransformer: Callable, draw: Draw) -> Any:
    model, rows = model_of(WildTransformer, draw), draw.tensor("rows", VOCABULARY, VOCABULARY)
    model.forward = lambda src, tgt: rows[tgt]  # the scores of a model that goes by its own place alone
    return model.loss(tokens(draw, "src", (4, 4)), tokens(draw, "tgt", (5, 5)))


@article.probe("leaves padding out of the mean")
def padding_left_out(WildTransformer: Callable, draw: Draw) -> Any:
    model, scores = model_of(WildTransformer, draw), draw.tensor("scores", 3, 6, VOCABULARY)
    model.forward = lambda src, tgt: scores[:, : tgt.size(1)]  # whatever it reads
    return model.loss(tokens(draw, "src", (4, 4, 4)), tokens(draw, "tgt", (3, 6, 5)))


# All of it at once -----------------------------------------------------------------------------


@article.probe(
    "has the parameters of such a model, and scores and costs what it should", rung="invariants", float64=True
)
def whole(WildTransformer: Callable, draw: Draw) -> Any:
    model: Any = draw.module(WildTransformer, VOCABULARY, WIDTH, HEADS, 10, 2, 7)
    src, tgt = tokens(draw, "src", (5, 3, 4)), tokens(draw, "tgt", (2, 4, 3))
    return {
        "scores": [one[ids != 0] for one, ids in zip(model(src, tgt), tgt, strict=True)],
        "loss": model.loss(src, tgt),
    }


@article.probe("has the right gradients", rung="invariants", float64=True)
def gradients(WildTransformer: Callable, draw: Draw) -> Any:
    model = model_of(WildTransformer, draw)
    loss = model.loss(tokens(draw, "src", (5, 3)), tokens(draw, "tgt", (3, 4)))
    return draw.gradients(loss, **dict(model.named_parameters()))


@article.probe("works for one token on each side, and for another width", rung="invariants")
def small(WildTransformer: Callable, draw: Draw) -> Any:
    model: Any = draw.fill(WildTransformer(5, 6, 1, 4, 1, 3))
    return {
        "one token": model(torch.tensor([[3]]), torch.tensor([[1]])),
        "loss": model.loss(torch.tensor([[3]]), torch.tensor([[1, 2]])),
    }
