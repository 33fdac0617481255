"""The reference beside torch.nn on the same shapes and weights: milliseconds, and the ratio of the two."""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from course.from_torch import load_from_torch
from solutions.decoder import Decoder, DecoderLayer
from solutions.encoder import Encoder, EncoderLayer
from solutions.feed_forward import FeedForward
from solutions.layer_norm import LayerNorm
from solutions.multi_head_attention import MultiHeadAttention

BATCH, SEQ_LEN, D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS = 16, 64, 256, 8, 1024, 4


@dataclass
class Pair:
    """One of our modules and torch's, each with how it is called."""

    name: str
    ours: nn.Module
    theirs: nn.Module
    call_ours: Callable[[Tensor], Tensor]
    call_theirs: Callable[[Tensor], Tensor]


def pairs() -> Iterator[Pair]:
    """All pairs, in train mode with a dropout of 0: torch's inference fast path is another program."""
    sizes = (D_MODEL, NUM_HEADS, D_FF)
    torch_sizes = {"d_model": D_MODEL, "nhead": NUM_HEADS, "dim_feedforward": D_FF, "dropout": 0.0, "batch_first": True}
    memory = torch.randn(BATCH, SEQ_LEN, D_MODEL)
    norm, their_norm = LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)
    yield Pair("LayerNorm", norm, their_norm, norm, their_norm)
    forward = FeedForward(D_MODEL, D_FF)
    their_forward = nn.Sequential(copy(forward.linear1), nn.ReLU(), copy(forward.linear2))
    yield Pair("FeedForward", forward, their_forward, forward, their_forward)
    attention, fused = MultiHeadAttention(*sizes[:2]), nn.MultiheadAttention(*sizes[:2], batch_first=True)
    yield _filled("MultiHeadAttention", attention, fused, lambda x: attention(x, x, x)[0], lambda x: fused(x, x, x)[0])
    for norm_first in (False, True):
        kind = "pre-norm" if norm_first else "post-norm"
        final = nn.LayerNorm(D_MODEL) if norm_first else None
        layer = EncoderLayer(*sizes, norm_first=norm_first)
        their_layer = nn.TransformerEncoderLayer(**torch_sizes, norm_first=norm_first)
        yield _filled(f"EncoderLayer, {kind}", layer, their_layer, layer, their_layer)
        stack = Encoder(NUM_LAYERS, *sizes, norm_first=norm_first)
        their_stack = nn.TransformerEncoder(their_layer, NUM_LAYERS, norm=final, enable_nested_tensor=False)
        yield _filled(f"Encoder of {NUM_LAYERS}, {kind}", stack, their_stack, stack, their_stack)
        yield _reading(f"DecoderLayer, {kind}", DecoderLayer(*sizes, norm_first=norm_first),
                       nn.TransformerDecoderLayer(**torch_sizes, norm_first=norm_first), memory)  # fmt: skip
        their_layer = nn.TransformerDecoderLayer(**torch_sizes, norm_first=norm_first)
        yield _reading(f"Decoder of {NUM_LAYERS}, {kind}", Decoder(NUM_LAYERS, *sizes, norm_first=norm_first),
                       nn.TransformerDecoder(their_layer, NUM_LAYERS, norm=final), memory)  # fmt: skip


def _filled(
    name: str, ours: nn.Module, theirs: nn.Module, call_ours: Callable[..., Tensor], call_theirs: Callable[..., Tensor]
) -> Pair:
    load_from_torch(ours, theirs)
    return Pair(name, ours, theirs, call_ours, call_theirs)


def _reading(name: str, ours: nn.Module, theirs: nn.Module, memory: Tensor) -> Pair:
    look = torch.ones(SEQ_LEN, SEQ_LEN, dtype=torch.bool).tril()
    return _filled(name, ours, theirs, lambda x: ours(x, memory, look), lambda x: theirs(x, memory, tgt_mask=~look))


def modules() -> None:
    """Print a row for each pair."""
    print(f"\n(batch, seq_len, d_model) = {(BATCH, SEQ_LEN, D_MODEL)}, {NUM_HEADS} heads, d_ff {D_FF}, no dropout")
    columns = f"{'ours':>10s}{'torch':>10s}{'ratio':>8s}  " * 2
    print(f"{'':26s}{'forward':>28s}{'forward and backward':>30s}{'largest':>18s}")
    print(f"{'':26s}{columns}{'difference':>16s}   (ms)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # torch says which of its fast paths it does not take
        for pair in pairs():
            print(_row(pair))


def _row(pair: Pair) -> str:
    x = torch.randn(BATCH, SEQ_LEN, D_MODEL)
    ours, theirs = side_by_side(_forward(pair.call_ours, x), _forward(pair.call_theirs, x))
    back_ours, back_theirs = side_by_side(_both_ways(pair.call_ours, x), _both_ways(pair.call_theirs, x))
    with torch.no_grad():
        gap = (pair.call_ours(x) - pair.call_theirs(x)).abs().max().item()
    return f"{pair.name:26s}{_cells(ours, theirs)}{_cells(back_ours, back_theirs)}{gap:16.1e}"


def _cells(ours: float, theirs: float) -> str:
    return f"{ours:10.1f}{theirs:10.1f}{ours / theirs:8.2f}  "


def _forward(call: Callable[[Tensor], Tensor], x: Tensor) -> Callable[[], None]:
    def run() -> None:
        with torch.no_grad():
            call(x)

    return run


def _both_ways(call: Callable[[Tensor], Tensor], x: Tensor) -> Callable[[], None]:
    # Drawn, not ones: what comes back through a norm from ones is nearly 0, and such numbers are slow.
    cotangent = torch.randn_like(x)

    def run() -> None:
        call(x.requires_grad_()).backward(cotangent)

    return run


def side_by_side(one: Callable[[], None], other: Callable[[], None], times: int = 15) -> tuple[float, float]:
    """The median milliseconds of two calls, made in turn, so that a busy moment of the machine hits both."""
    taken: tuple[list[float], list[float]] = ([], [])
    for run in (one, other):
        run()
    for _ in range(times):
        for run, found in zip((one, other), taken, strict=True):
            start = time.perf_counter()
            run()
            found.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken[0]), statistics.median(taken[1])


if __name__ == "__main__":
    modules()
