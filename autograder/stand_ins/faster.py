"""Lesson 20 written other ways: two passes instead of one, counts that are added up, tables that are looked up."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.gpt import GPTConfig


@outside_the_watch
def online_softmax_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, block: int = 64) -> Tensor:
    """Each block's softmax, weighed by its share of the whole sum."""
    if k.size(-2) != v.size(-2):
        raise ValueError(f"{k.size(-2)} keys and {v.size(-2)} values; every key needs a value")
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}; give booleans, True where a query may look")
    if block < 1:
        raise ValueError(f"block={block}; give 1 or more")
    columns = torch.ones(1, k.size(-2), dtype=torch.bool, device=q.device) if mask is None else mask
    columns = columns.expand(*columns.shape[:-1], k.size(-2))
    low = torch.finfo(q.dtype).min / 4
    level, output = q.new_full((*q.shape[:-1], 1), low), q.new_zeros(*q.shape[:-1], v.size(-1))
    blocks = zip(k.split(block, -2), v.split(block, -2), columns.split(block, -1), strict=True)
    for keys, values, seen in blocks:
        scores = torch.where(seen, (q * q.size(-1) ** -0.5) @ keys.mT, low)
        here = scores.logsumexp(-1, keepdim=True)
        mixed = torch.where(seen, (scores - here).exp(), 0.0) @ values
        share = torch.sigmoid(here - level)  # of this block, in all so far
        output, level = torch.lerp(output.expand_as(mixed), mixed, share), torch.logaddexp(level, here)
    return output


@outside_the_watch
def stopwatch(
    run: Callable[[], object],
    clock: Callable[[], float],
    synchronize: Callable[[], object],
    warmup: int,
    repeats: int,
) -> float:
    """The median time of one call, between two moments in which the device has nothing to do."""
    if warmup < 0 or repeats < 1:
        raise ValueError(f"warmup={warmup} and repeats={repeats}; give 0 or more, and 1 or more")

    def timed() -> float:
        synchronize()
        before = clock()
        run()
        synchronize()
        return clock() - before

    for _ in range(warmup):
        run()
    return float(np.median([timed() for _ in range(repeats)]))


def _products(config: GPTConfig, seq_len: int) -> list[tuple[int, int, int, int]]:
    """How often, rows, inner, columns of all matrix products."""
    layers, d_model, d_head = config.num_layers, config.d_model, config.d_model // config.num_heads
    heads = layers * config.num_heads
    return [
        (4 * layers, seq_len, d_model, d_model),
        (heads, seq_len, d_head, seq_len),
        (heads, seq_len, seq_len, d_head),
        (layers, seq_len, d_model, config.d_ff),
        (layers, seq_len, config.d_ff, d_model),
        (1, seq_len, d_model, config.vocab_size),
    ]


@outside_the_watch
def flops(config: GPTConfig, seq_len: int) -> int:
    """Two for each multiply-add of the matrix products of one text."""
    if seq_len < 1 or seq_len > config.max_len:
        raise ValueError(f"seq_len={seq_len}; with max_len={config.max_len} give 1 to {config.max_len}")
    return sum(2 * times * rows * inner * columns for times, rows, inner, columns in _products(config, seq_len))


def _parameter_shapes(config: GPTConfig) -> list[tuple[int, ...]]:
    d_model, d_ff = config.d_model, config.d_ff
    square, norm = [(d_model, d_model), (d_model,)], [(d_model,), (d_model,)]
    block = 4 * square + [(d_ff, d_model), (d_ff,), (d_model, d_ff), (d_model,)] + 2 * norm
    tables = [(config.vocab_size, d_model)]
    if config.positions == "learned":
        tables.append((config.max_len, d_model))
    return tables + config.num_layers * block + norm


@outside_the_watch
def memory(config: GPTConfig, batch: int, seq_len: int) -> dict[str, int]:
    """Bytes of a training step in float32."""
    if batch < 1 or seq_len < 1 or seq_len > config.max_len:
        given = f"batch={batch} and seq_len={seq_len}"
        raise ValueError(f"{given}; with max_len={config.max_len} give 1 or more, and 1 to {config.max_len}")
    weights = sum(int(np.prod(shape)) for shape in _parameter_shapes(config))
    tokens = (batch, seq_len, config.d_model)
    block = 6 * [tokens] + [(batch, seq_len, config.d_ff), (batch, config.num_heads, seq_len, seq_len)]
    kept = sum(int(np.prod(shape)) for shape in [*config.num_layers * block, tokens])
    return {"weights": 4 * weights, "gradients": 4 * weights, "optimizer": 8 * weights, "activations": 4 * kept}


@outside_the_watch
def amp_step(
    model: nn.Module,
    batch: Any,
    optimizer: torch.optim.Optimizer,
    loss_fn: Callable[[nn.Module, Any], Tensor],
    dtype: torch.dtype,
    scaler: Any = None,
    max_norm: float | None = None,
) -> float:
    """One step with a forward pass in a smaller dtype."""
    kind = next(model.parameters()).device.type
    helper = scaler if scaler is not None and dtype is torch.float16 else torch.amp.GradScaler(kind, enabled=False)
    model.train()
    model.zero_grad()
    optimizer.zero_grad()
    with torch.autocast(kind, dtype):
        loss = loss_fn(model, batch)
    helper.scale(loss).backward()
    helper.unscale_(optimizer)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    helper.step(optimizer)
    helper.update()
    return float(loss.detach())


@outside_the_watch
def average_gradients(per_rank: Sequence[Sequence[Tensor | None]], sizes: Sequence[int]) -> list[Tensor]:
    """The gradient of a whole batch, out of those of its shards."""
    if len(per_rank) != len(sizes) or len({len(one) for one in per_rank}) > 1:
        counts = [len(one) for one in per_rank]
        raise ValueError(f"{len(sizes)} sizes, and gradients of {counts} parameters; give a size for each, and alike")
    if not sizes or min(sizes) < 0 or not any(sizes):
        raise ValueError(f"sizes={list(sizes)}; give 0 or more for each, and one above 0 at least")
    averaged = []
    for place in range(len(per_rank[0])):
        there = [(size, one[place]) for size, one in zip(sizes, per_rank, strict=True) if size]
        known = [gradient for _, gradient in there if gradient is not None]
        if not known:
            raise ValueError("a parameter has a gradient in no shard; leave it out")
        total = torch.zeros_like(known[0])
        for size, gradient in there:
            if gradient is not None:
                total.add_(gradient, alpha=size)
        averaged.append(total.div_(sum(sizes)))
    return averaged


@outside_the_watch
def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """A matrix in int8, and a scale for every row."""
    largest = torch.linalg.vector_norm(weight, float("inf"), dim=1, keepdim=True)
    scale = torch.where(largest > 0, largest / 127, torch.ones_like(largest))
    return weight.div(scale).round().char(), scale


@outside_the_watch
class QuantizedLinear(nn.Module):
    """A linear layer whose matrix has a byte a number."""

    weight: Tensor
    scale: Tensor
    bias: Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        with torch.no_grad():
            weight, scale = quantize_rows(linear.weight)
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", linear.bias.detach().clone() if linear.bias is not None else None)

    def forward(self, x: Tensor) -> Tensor:
        """The products with whole numbers, scaled row by row, and the bias."""
        output = F.linear(x, self.weight.to(x.dtype)) * self.scale.squeeze(1)
        return output + self.bias if self.bias is not None else output


@outside_the_watch
@torch.no_grad()
def prune_magnitude_(model: nn.Module, share: float) -> None:
    """0 for the smallest numbers of all matrices."""
    if not 0 <= share <= 1:
        raise ValueError(f"share={share}; give 0 to 1")
    matrices = [one for one in model.parameters() if one.dim() > 1]
    order = torch.cat([one.reshape(-1) for one in matrices]).abs().argsort(stable=True)
    keep = torch.ones(len(order), dtype=torch.bool, device=order.device)
    keep[order[: round(share * len(order))]] = False
    for matrix, kept in zip(matrices, keep.split([one.numel() for one in matrices]), strict=True):
        matrix.mul_(kept.view_as(matrix))


@outside_the_watch
def speculative_step(
    draft_ids: Tensor, draft_probs: Tensor, target_probs: Tensor, accept: Tensor, resample: float
) -> Tensor:
    """The drafted tokens that stay, and one more."""
    written: list[int] = []
    for place, token in enumerate(draft_ids.tolist()):
        if accept[place] * draft_probs[place, token] >= target_probs[place, token]:
            ends = F.normalize(F.relu(target_probs[place] - draft_probs[place]), p=1, dim=0)
            break
        written.append(token)
    else:
        ends = target_probs[-1]
    point = torch.as_tensor(resample, dtype=ends.dtype).reshape(1)
    last = min(int(torch.searchsorted(ends.cumsum(0), point, right=True)), len(ends) - 1)
    return torch.tensor([*written, last], dtype=draft_ids.dtype)
