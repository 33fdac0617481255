"""Checks of the Transcriber."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.hearing.shared import BINS, PAD, mask_of, real_only, small, some_texts
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

transcriber = Exercise(
    "Transcriber",
    points=5,
    forbidden=["transformer_layer"],
    hints=(
        "It is the Transformer of lesson 08 with `self.ears` in place of the source's embedding. Two things are new: the ears halve the frames, so that the mask has to be halved too; and the memory is read by a second head.",
        "```python\nmemory_mask = ...  # halved, as (batch, 1, 1, half)\nreturn ...         # the encoder over the ears, and the mask\n```\n```python\ntgt_mask = ...     # no padding, and no later place\nx = ...            # embedding, positions\nreturn ...         # decoder with both masks, then output\n```\n```python\nmemory, memory_mask = ...\nreturn ...         # decode, and the log_softmax of ctc_head\n```",
        "`downsample_mask(mask)[:, None, None, :]` is what attentions want. `padding_mask(tgt_ids, pad_id) & causal_mask(tgt_ids.size(1))` is the text's mask. `self.ctc_head(memory).log_softmax(dim=-1)` goes along the vocabulary. The ears add positions to the sound themselves.",
    ),
    traps={
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the memory has half as many vectors as there are frames, rounded up. Is its mask halved with `downsample_mask`, and does it stand as (batch, 1, 1, half)? And is `causal_mask` as long as the text, `tgt_ids.size(1)`?",
        "ValueError: mask has shape (...); give (batch, num_heads, query_len, key_len) = (...), where any size may also be 1": "the memory has half as many vectors as there are frames, rounded up. Is its mask halved with `downsample_mask`, and does it stand as (batch, 1, 1, half)?",
        "AttributeError: 'tuple' object has no attribute ...": "`self.encode(...)` returns two things, `(memory, memory_mask)`.",
        "TypeError: linear(): argument 'input' (position 1) must be Tensor, not tuple": "`self.encode(...)` returns two things, `(memory, memory_mask)`.",
        "AttributeError: 'Transcriber' object has no attribute ...": "the parts are made in the constructor, which is given: `self.ears`, `self.encoder`, `self.embedding`, `self.positions`, `self.decoder`, `self.output`, `self.ctc_head`.",
    },
)


def read(found: Any, tgt_ids: Tensor, mask: Tensor) -> Any:
    """Both readings, where something real stands."""
    if not isinstance(found, tuple) or len(found) != 2:
        return found
    return {
        "logits": real_only(found[0], tgt_ids != PAD, mask[:, ::2]),
        "log-probabilities of the CTC head": real_only(found[1], mask[:, ::2], tgt_ids != PAD),
    }


@transcriber.probe("scores the next token, and every token at each vector of the memory", float64=True)
def both_readings(Transcriber: Callable, draw: Draw) -> Any:
    model, mask, ids = draw.module(Transcriber, small()).eval(), mask_of(draw, 7, 7, 7), some_texts(draw, 4, 4, 4)
    return read(model(draw.tensor("x", 3, 7, BINS), mask, ids), ids, mask)


@transcriber.probe("gives the memory, and a mask of half as many places for the attentions", float64=True)
def the_memory(Transcriber: Callable, draw: Draw) -> Any:
    mask = mask_of(draw, 5, 9, 6, beyond=2)
    model: Any = draw.module(Transcriber, small(num_layers=2)).eval()
    found = model.encode(draw.tensor("x", 3, 11, BINS), mask)
    if not isinstance(found, tuple) or len(found) != 2:
        return found
    return {"memory": real_only(found[0], mask[:, ::2]), "mask": found[1]}


@transcriber.probe("reads the memory where its mask says so, and a text up to each place", float64=True)
def the_text(Transcriber: Callable, draw: Draw) -> Any:
    ids = some_texts(draw, 5, 3)
    model: Any = draw.module(Transcriber, small(num_layers=2)).eval()
    memory, mask = draw.tensor("memory", 2, 6, 8), mask_of(draw, 4, 6)[:, None, None, :]
    return real_only(model.decode(ids, memory, mask), ids != PAD)


@transcriber.probe("scores a place without reading what stands behind it", float64=True)
def no_future(Transcriber: Callable, draw: Draw) -> Any:
    model, mask, x = draw.module(Transcriber, small()).eval(), mask_of(draw, 6, 6), draw.tensor("x", 2, 6, BINS)
    ids, other = some_texts(draw, 5, 5), some_texts(draw, 5, 5, name="other")
    changed = draw.keep("changed", torch.cat([ids[:, :3], other[:, 3:]], dim=1))
    return {"as it was": model(x, mask, ids)[0], "another end": model(x, mask, changed)[0]}


@transcriber.probe("says the same of a sound alone as beside a longer one, with any padding", float64=True)
def sound_alone(Transcriber: Callable, draw: Draw) -> Any:
    model, mask, ids = draw.module(Transcriber, small()).eval(), mask_of(draw, 5, 10), some_texts(draw, 3, 6)
    x = draw.tensor("x", 2, 10, BINS)
    return {
        "together": read(model(x, mask, ids), ids, mask),
        "alone": read(model(x[:1, :5], mask[:1, :5], ids[:1, :3]), ids[:1, :3], mask[:1, :5]),
    }


@transcriber.probe("has the right gradients for all parameters, from both readings", rung="gradients")
def transcriber_gradients(Transcriber: Callable, draw: Draw) -> Any:
    mask, ids = mask_of(draw, 7, 4), some_texts(draw, 4, 2)
    model: Any = draw.module(Transcriber, small())
    x = draw.tensor("x", 2, 7, BINS)
    found, again = (read(model(x, mask, ids), ids, mask) for _ in range(2))
    both = torch.cat([3 * one.flatten() for one in found.values()])
    of_ctc = draw.gradients(again["log-probabilities of the CTC head"], **dict(model.encoder.named_parameters()))
    of_both = draw.gradients(both, **dict(model.named_parameters()))
    all_train = all(one.training for one in model.modules())
    return {"both": of_both, "of CTC alone": of_ctc, "all in training mode afterwards": all_train}


@transcriber.probe("works for one frame and one token", rung="edges", float64=True)
def least_sound(Transcriber: Callable, draw: Draw) -> Any:
    model, ids = draw.module(Transcriber, small()).eval(), some_texts(draw, 1)
    found = model(draw.tensor("x", 1, 1, BINS), mask_of(draw, 1), ids)
    return {"found": found, "some in training mode afterwards": any(one.training for one in model.modules())}


@transcriber.probe("works where a sound has no frame", rung="edges", float64=True)
def transcriber_edges(Transcriber: Callable, draw: Draw) -> Any:
    model, ids = draw.module(Transcriber, small()).eval(), some_texts(draw, 3, 3)
    mask = mask_of(draw, 5, 0)
    return real_only(model(draw.tensor("x", 2, 5, BINS), mask, ids)[0], ids != PAD)
