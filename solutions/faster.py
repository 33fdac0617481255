"""Faster: the same numbers in less time and memory, and how to measure both."""

import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

import torch
from jaxtyping import Bool, Float, Int, Int8
from torch import Tensor, nn

from solutions.gpt import GPTConfig
from solutions.optimization import clip_gradients_


def online_softmax_attention(
    q: Float[Tensor, "... query_len d_head"],
    k: Float[Tensor, "... key_len d_head"],
    v: Float[Tensor, "... key_len d_value"],
    mask: Bool[Tensor, "... #query_len #key_len"] | None = None,
    block: int = 64,
) -> Float[Tensor, "... query_len d_value"]:
    """Mix the values as `scaled_dot_product_attention` does, and never hold the scores of more than `block` keys.

    Args:
        q: queries, one row for each token that asks.
        k: keys, one row for each token that can be read.
        v: values, one row for each key.
        mask: True where a query may look at a key; broadcast to the scores. None hides nothing.
        block: how many keys are read at a time; the last block may have fewer.

    Returns:
        The output alone, as the weights are never there at once. A query that may look at nothing gets 0.

    Raises:
        ValueError: if keys and values differ in number, the mask is not boolean, or block is below 1.

    Source: Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3; Dao et
    al., "FlashAttention" (2022), section 3.1.
    """
    key_len = k.size(-2)
    if key_len != v.size(-2):
        raise ValueError(f"{key_len} keys and {v.size(-2)} values; every key needs a value")
    if mask is not None and mask.dtype != torch.bool:
        raise ValueError(f"mask has dtype {mask.dtype}; give booleans, True where a query may look")
    if block < 1:
        raise ValueError(f"block={block}; give 1 or more")
    if mask is not None:
        mask = mask.expand(*mask.shape[:-1], key_len)  # a column for every key; nothing is copied
    # 1. for each query: the largest score so far, the sum of exponentials so far, the mixed values so far
    # for every block of keys:
    # 2. its scores, with -inf wherever the mask is False
    # 3. the largest score with this block; what was summed so far is brought to it
    # 4. the exponentials of this block: add them to the sum, and the values that they mix to the output
    # 5. at the end divide, once; a query that has seen nothing has a sum of 0
    # BEGIN SOLUTION
    highest = q.new_full((*q.shape[:-1], 1), float("-inf"))  # (..., query_len, 1)
    total = q.new_zeros(*q.shape[:-1], 1)
    output = q.new_zeros(*q.shape[:-1], v.size(-1))  # (..., query_len, d_value)
    for start in range(0, key_len, block):
        stop = start + block
        keys, values = k[..., start:stop, :], v[..., start:stop, :]
        scores = q @ keys.transpose(-2, -1) / math.sqrt(q.size(-1))  # (..., query_len, block)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., start:stop], float("-inf"))
        new = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        level = new.masked_fill(new == float("-inf"), 0.0)  # nothing seen yet: -inf minus -inf would be NaN
        weights = torch.exp(scores - level)
        shrink = torch.exp(highest - level)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        output = output * shrink + weights @ values
        highest = new
    return output / total.masked_fill(total == 0, 1.0)
    # END SOLUTION


def stopwatch(
    run: Callable[[], object],
    clock: Callable[[], float],
    synchronize: Callable[[], object],
    warmup: int,
    repeats: int,
) -> float:
    """Measure how long one call takes, also on a device that works on while the program goes on.

    Args:
        run: what is measured. On a GPU it returns as soon as the work is handed over.
        clock: gives the time now, in seconds.
        synchronize: waits until the device has finished all that it was given.
        warmup: how many calls come first and are not measured.
        repeats: how many calls are measured, each by itself.

    Returns:
        The median of the measured times, in seconds; for an even number of them the mean of the two in the middle.

    Raises:
        ValueError: if warmup is below 0, or repeats below 1.
    """
    if warmup < 0 or repeats < 1:
        raise ValueError(f"warmup={warmup} and repeats={repeats}; give 0 or more, and 1 or more")
    # 1. the calls that are not measured
    # 2. for every measured call: from a moment when the device has nothing to do to the next such moment
    # 3. the median
    # BEGIN SOLUTION
    for _ in range(warmup):
        run()
    times = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        run()
        synchronize()
        times.append(clock() - start)
    return median(times)
    # END SOLUTION


def flops(config: GPTConfig, seq_len: int) -> int:
    """Count what a GPT computes in one forward pass over one text, by formula.

    Counted are the matrix products: those of the projections, of the attention (queries with keys, weights
    with values; the causal half is not taken off), of the feed-forward networks and of the head. A multiply
    and an add count as two. Tables that are looked up, biases, norms, softmax and activations are not counted.

    Args:
        config: sizes.
        seq_len: how many tokens the text has.

    Returns:
        The number of floating-point operations.

    Raises:
        ValueError: if seq_len is below 1 or above config.max_len.

    Source: Kaplan et al., "Scaling Laws for Neural Language Models" (2020), table 1.
    """
    if not 1 <= seq_len <= config.max_len:
        raise ValueError(f"seq_len={seq_len}; with max_len={config.max_len} give 1 to {config.max_len}")
    # (rows, inner) @ (inner, columns) takes 2 * rows * inner * columns
    # 1. one block: four projections, two products of the attention, two of the feed-forward network
    # 2. all blocks, and the head
    # BEGIN SOLUTION
    projections = 4 * 2 * seq_len * config.d_model**2
    attention = 2 * 2 * seq_len**2 * config.d_model  # all heads together have d_model features
    feed_forward = 2 * 2 * seq_len * config.d_model * config.d_ff
    head = 2 * seq_len * config.d_model * config.vocab_size
    return config.num_layers * (projections + attention + feed_forward) + head
    # END SOLUTION


def memory(config: GPTConfig, batch: int, seq_len: int) -> dict[str, int]:
    """Count the bytes that a step of training a GPT holds, by formula. Every number has four bytes (float32).

    Args:
        config: sizes.
        batch: how many texts are read at once.
        seq_len: how many tokens each has.

    Returns:
        Four entries, in bytes:

        - "weights": all parameters. The head is the token table once more, and has no bias. All other linear
          layers have biases; a norm has a weight and a bias; with rotary positions there is no table of positions.
        - "gradients": one number for each parameter.
        - "optimizer": two for each, the running means of AdamW.
        - "activations": what the matrix products of `flops` read, weights and biases aside, as the backward
          pass needs it again. Each tensor counts once, however many products read it. In a block: the tokens
          after each norm, the queries, keys and values, the attention weights of all heads, the mixed values,
          and the hidden features. After the blocks: what the head reads.

    Raises:
        ValueError: if batch is below 1, or seq_len is below 1 or above config.max_len.
    """
    if batch < 1 or not 1 <= seq_len <= config.max_len:
        given = f"batch={batch} and seq_len={seq_len}"
        raise ValueError(f"{given}; with max_len={config.max_len} give 1 or more, and 1 to {config.max_len}")
    # 1. the parameters of one block: four projections, two linear layers, two norms
    # 2. the tables, all blocks, the last norm
    # 3. what one block keeps: six tensors like the tokens, the hidden features, the attention weights
    # BEGIN SOLUTION
    d_model, d_ff, tokens = config.d_model, config.d_ff, batch * seq_len
    linears = 4 * (d_model**2 + d_model) + (d_model * d_ff + d_ff) + (d_ff * d_model + d_model)
    norm = 2 * d_model
    positions = config.max_len * d_model if config.positions == "learned" else 0
    parameters = config.vocab_size * d_model + positions + config.num_layers * (linears + 2 * norm) + norm
    attention = batch * config.num_heads * seq_len**2
    kept = config.num_layers * (6 * tokens * d_model + tokens * d_ff + attention) + tokens * d_model
    numbers = {"weights": parameters, "gradients": parameters, "optimizer": 2 * parameters, "activations": kept}
    return {name: 4 * count for name, count in numbers.items()}
    # END SOLUTION


def amp_step(
    model: nn.Module,
    batch: Any,
    optimizer: torch.optim.Optimizer,
    loss_fn: Callable[[nn.Module, Any], Tensor],
    dtype: torch.dtype,
    scaler: torch.amp.GradScaler | None = None,
    max_norm: float | None = None,
) -> float:
    """Change the model once, with a forward pass in a smaller dtype (automatic mixed precision).

    Args:
        model: what is trained; put into train mode. Its parameters stay in float32.
        batch: handed to loss_fn.
        optimizer: steps once. Gradients that are there before do not count.
        loss_fn: `loss_fn(model, batch)` gives the mean loss; runs under `torch.autocast`.
        dtype: torch.float16 or torch.bfloat16, what the forward pass computes in where that is safe.
        scaler: for float16 alone, whose small gradients would become 0: they are computed of the loss times
            a large number. With bfloat16, which has the range of float32, it is not used.
        max_norm: if given, the gradient is clipped to this length: the true gradient, not the scaled one.

    Returns:
        The loss before the step, not scaled.

    Source: Micikevicius et al., "Mixed Precision Training" (2018), section 3.2; `torch.amp`.
    """
    device = next(model.parameters()).device.type
    # 1. train mode; no gradient is left over from the step before
    # 2. the loss, under autocast
    # 3. without a scaler, or in bfloat16: backward, clip, step
    # 4. with one: `scaler.scale(loss)`, backward; `scaler.unscale_(optimizer)` before clipping; then
    #    `scaler.step(optimizer)`, which leaves a step out whose gradient is not finite, and `scaler.update()`
    # BEGIN SOLUTION
    model.train()
    optimizer.zero_grad()
    with torch.autocast(device, dtype=dtype):
        loss = loss_fn(model, batch)
    used = scaler if dtype == torch.float16 else None
    (loss if used is None else used.scale(loss)).backward()
    if max_norm is not None:
        if used is not None:
            used.unscale_(optimizer)
        clip_gradients_(model.parameters(), max_norm)
    if used is None:
        optimizer.step()
    else:
        used.step(optimizer)
        used.update()
    return loss.item()
    # END SOLUTION


def average_gradients(per_rank: Sequence[Sequence[Tensor | None]], sizes: Sequence[int]) -> list[Tensor]:
    """Make the gradient of a whole batch out of the gradients of its shards.

    Args:
        per_rank: for every process (its number is called rank) the gradient of the mean loss over its own
            shard, a tensor for each parameter. None where a parameter took no part in it: a gradient of 0.
        sizes: how many examples each shard has. One without examples counts for nothing, whatever its
            gradients are.

    Returns:
        For every parameter the gradient of the mean loss over all examples.

    Raises:
        ValueError: if there are not as many sizes as ranks, the ranks differ in their number of parameters,
            a size is negative, no shard has an example, or no shard with examples has a gradient for some parameter.

    Source: Li et al., "PyTorch Distributed: Experiences on Accelerating Data Parallel Training" (2020), section 2.2.
    """
    if len(per_rank) != len(sizes) or len({len(one) for one in per_rank}) > 1:
        counts = [len(one) for one in per_rank]
        raise ValueError(f"{len(sizes)} sizes, and gradients of {counts} parameters; give a size for each, and alike")
    if not sizes or min(sizes) < 0 or sum(sizes) == 0:
        raise ValueError(f"sizes={list(sizes)}; give 0 or more for each, and one above 0 at least")
    shards = [(gradients, size) for gradients, size in zip(per_rank, sizes, strict=True) if size > 0]
    if any(all(one is None for one in column) for column in zip(*(gradients for gradients, _ in shards), strict=True)):
        raise ValueError("a parameter has a gradient in no shard; leave it out")
    # for every parameter: the sum over `shards` of size times gradient, by the number of all examples
    # BEGIN SOLUTION
    examples = sum(sizes)
    averaged = []
    for column in zip(*(gradients for gradients, _ in shards), strict=True):
        parts = [size / examples * one for one, (_, size) in zip(column, shards, strict=True) if one is not None]
        averaged.append(torch.stack(parts).sum(dim=0))
    return averaged
    # END SOLUTION


def quantize_rows(
    weight: Float[Tensor, "rows columns"],
) -> tuple[Int8[Tensor, "rows columns"], Float[Tensor, "rows 1"]]:
    """Keep a matrix in whole numbers of one byte, with a scale for every row.

    Args:
        weight: the matrix.

    Returns:
        The matrix in int8, from -127 to 127, and the scales: `int8 * scale` is nearly the matrix. The largest
        absolute value of a row becomes 127 or -127; others go to the nearest whole number. A row of zeros has scale 1.

    Source: Dettmers et al., "LLM.int8()" (2022), section 2, absmax quantization.
    """
    # 1. the scale of every row; 1 where it would be 0
    # 2. by the scale, rounded, as int8
    # BEGIN SOLUTION
    scale = weight.abs().amax(dim=1, keepdim=True) / 127  # (rows, 1)
    scale = scale.masked_fill(scale == 0, 1.0)
    return torch.round(weight / scale).to(torch.int8), scale
    # END SOLUTION


class QuantizedLinear(nn.Module):
    """Compute what a linear layer does with a matrix of one byte a number; for a model that is no longer trained.

    Args:
        linear: the layer whose numbers are taken over, as copies that autograd does not follow. It is left as it is.

    Attributes:
        weight: (features out, features in), int8, a buffer.
        scale: (features out, 1), a buffer.
        bias: (features out), a buffer; None where the layer has none.
    """

    weight: Tensor
    scale: Tensor
    bias: Tensor | None

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        # `self.register_buffer(name, tensor)` for each of the three, with None for a missing bias; no parameter is left
        # BEGIN SOLUTION
        weight, scale = quantize_rows(linear.weight.detach())
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if linear.bias is None else linear.bias.detach().clone())
        # END SOLUTION

    def forward(self, x: Float[Tensor, "... features_in"]) -> Float[Tensor, "... features_out"]:
        """Multiply with the matrix that the whole numbers and scales stand for, and add the bias."""
        # BEGIN SOLUTION
        matrix = self.weight.to(x.dtype) * self.scale  # (features out, features in)
        output = x @ matrix.T
        return output if self.bias is None else output + self.bias
        # END SOLUTION


@torch.no_grad()
def prune_magnitude_(model: nn.Module, share: float) -> None:
    """Set the smallest numbers of a model's matrices to 0, in place.

    Of all numbers in all matrices (parameters with two dimensions or more, each counted once, however many
    names it has) the share with the smallest absolute values becomes 0: as many as share times their number,
    rounded up or down. There is one threshold for the whole model, so one matrix may lose more than another; all
    that equal the threshold go. Biases and norms are left alone.

    Args:
        model: its parameters are changed.
        share: 0 for none of them, 1 for all.

    Raises:
        ValueError: if share is below 0 or above 1.

    Source: Han et al., "Learning both Weights and Connections for Efficient Neural Networks" (2015), section 3.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share={share}; give 0 to 1")
    # 1. the absolute values of all matrices in one row; how many of them go?
    # 2. the largest of those that go is the threshold
    # 3. in every matrix: 0 wherever the absolute value is not above it
    # BEGIN SOLUTION
    matrices = [one for one in model.parameters() if one.dim() >= 2]
    sizes = torch.cat([one.abs().flatten() for one in matrices])
    count = round(share * len(sizes))
    if count == 0:
        return
    threshold = sizes.kthvalue(count).values
    for matrix in matrices:
        matrix[matrix.abs() <= threshold] = 0.0
    # END SOLUTION


def speculative_step(
    draft_ids: Int[Tensor, " drafted"],
    draft_probs: Float[Tensor, "drafted vocab_size"],
    target_probs: Float[Tensor, "drafted_and_one vocab_size"],
    accept: Float[Tensor, " drafted"],
    resample: float,
) -> Int[Tensor, " kept_and_one"]:
    """Check in one pass of a large model what a small one has drafted; the text is distributed as the large one's.

    Args:
        draft_ids: the tokens that the small model (the draft) has drawn, in order.
        draft_probs: its distribution at each of their places.
        target_probs: the large model's (the target's) at the same places, and at the one after them.
        accept: a number from 0 to 1 for each drafted token.
        resample: one more, for the token that ends the step.

    Returns:
        The drafted tokens that stay, and one more. A token stays where its number in `accept` is below p / q, the
        target's probability for it over the draft's. At the first that does not stay the step ends: it is replaced by a
        token drawn from max(p - q, 0), normalised, of that place. When all stay, one more is drawn from the target's
        last distribution. Drawn is the first token at which the cumulated sum exceeds `resample`;
        the last token of all, where by rounding no sum does.

    Source: Leviathan et al., "Fast Inference from Transformers via Speculative Decoding" (2023), algorithm 1.
    """
    # 1. how many tokens stay, before the first that does not?
    # 2. the distribution of the token that ends the step
    # 3. draw it, and put it behind those that stay
    # BEGIN SOLUTION
    drafted = draft_ids.unsqueeze(1)  # (drafted, 1)
    p, q = target_probs[:-1].gather(1, drafted).squeeze(1), draft_probs.gather(1, drafted).squeeze(1)
    stays = accept < p / q
    kept = int(stays.long().cumprod(dim=0).sum())
    if kept < len(draft_ids):
        rest = (target_probs[kept] - draft_probs[kept]).clamp(min=0)
        rest = rest / rest.sum()
    else:
        rest = target_probs[kept]
    last = (rest.cumsum(dim=0) <= resample).sum().clamp(max=len(rest) - 1)  # a sum may end a hair below 1
    return torch.cat([draft_ids[:kept], last.reshape(1)])
    # END SOLUTION
