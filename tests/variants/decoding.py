"""Lesson 10."""

import copy
import functools
import heapq
import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.attention import padding_mask
from autograder.stand_ins.feed_forward import add_norm
from autograder.stand_ins.multi_head_attention import merge_heads, split_heads
from tests.variants import correct, disguise, unlisted


def refuse(src_ids: Tensor, max_len: int) -> None:
    """The given lines."""
    if len(src_ids) == 0 or max_len < 1:
        raise ValueError("give at least 1 of each")


# greedy_decode, wrong ----------------------------------------------------------------------------


@disguise("greedy_decode", "feeds only the last token")
def g_last(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    token, out, over = torch.full((len(src_ids),), bos_id), [], torch.zeros(len(src_ids), dtype=torch.bool)
    while len(out) < max_len and not bool(over.all()):
        token = model(src_ids, token[:, None])[:, 0].argmax(1)
        token[over] = model.config.pad_id
        out.append(token)
        over = over | (token == eos_id)
    return torch.stack(out, 1)


@disguise("greedy_decode", "the source is not read")
def g_no_source(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids * 0, bos_id, eos_id, max_len)


@disguise("greedy_decode", "the source is not read")
def g_target_twice(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    rows = [[bos_id] for _ in src_ids]
    for _ in range(max_len):
        given = torch.tensor(rows)
        for row, token in zip(rows, model(given, given)[:, -1].argmax(-1).tolist(), strict=True):
            row.append(model.config.pad_id if eos_id in row[1:] else token)
        if all(eos_id in row[1:] for row in rows):
            break
    return torch.tensor(rows)[:, 1:]


@disguise("greedy_decode", "neither the source nor the target so far is read")
def g_article(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """As the article of the notebook has it, all four slips in it."""
    refuse(src_ids, max_len)
    tgt_ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        last = tgt_ids[:, -1:]
        logits = model(tgt_ids, last)[:, -1]
        best = logits.argmax() % logits.size(-1)
        tgt_ids = torch.cat([tgt_ids, best.expand(len(src_ids), 1)], dim=1)
        if best == eos_id:
            break
    return tgt_ids[:, 1:]


@disguise("greedy_decode", "neither the source nor the target so far is read")
def g_article_half_repaired(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """Each row has its own argmax, and is finished by itself; that does not show yet."""
    refuse(src_ids, max_len)
    tgt_ids, over = torch.full((len(src_ids), 1), bos_id), torch.zeros(len(src_ids), dtype=torch.bool)
    for _ in range(max_len):
        best = model(tgt_ids, tgt_ids[:, -1:])[:, 0].argmax(-1).masked_fill(over, model.config.pad_id)
        tgt_ids, over = torch.hstack([tgt_ids, best[:, None]]), over | (best == eos_id)
        if over.all():
            break
    return tgt_ids[:, 1:]


@disguise("greedy_decode", "the logits of the first place")
def g_first(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    best = model(src_ids, torch.full((len(src_ids), 1), bos_id))[:, 0].argmax(-1, keepdim=True)
    out = best.repeat(1, 1 if (best == eos_id).all() else max_len)
    return torch.where((best == eos_id) & (torch.arange(out.size(1)) > 0), model.config.pad_id, out)


def loop(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    pick: Callable = lambda logits: logits.argmax(-1),
    filler: int | None = None,
    stop: Callable = all,
    steps: int | None = None,
) -> list[list[int]]:
    """Greedy decoding with lists, a text at a time in every step."""
    refuse(src_ids, max_len)
    rows: list[list[int]] = [[] for _ in src_ids]
    for _ in range(max_len if steps is None else steps):
        given = torch.tensor([[bos_id, *row] for row in rows])
        tokens = pick(model(src_ids, given)[:, -1]).tolist()
        for row, token in zip(rows, tokens, strict=True):
            ended = eos_id in row
            row.append((model.config.pad_id if filler is None else filler) if ended else token)
        if stop([eos_id in row for row in rows]):
            break
    return rows


@disguise("greedy_decode", "argmax over the whole batch")
def g_global(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    def pick(logits: Tensor) -> Tensor:
        return torch.full((len(logits),), int(logits.max(0).values.argmax()))

    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, pick))


@disguise("greedy_decode", "argmax over the whole batch")
def g_global_flat(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(
        loop(model, src_ids, bos_id, eos_id, max_len, lambda logits: torch.argmax(logits).repeat(len(logits)))
    )


@disguise("greedy_decode", "no stop at eos_id")
def g_endless(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        ids = torch.cat((ids, model(src_ids, ids).argmax(-1)[:, -1:]), 1)
    return ids[:, 1:]


@disguise("greedy_decode", "writes on after eos_id")
def g_on(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    while ids.size(1) <= max_len and not (ids[:, 1:] == eos_id).any(1).all():
        ids = torch.cat((ids, model(src_ids, ids).argmax(-1)[:, -1:]), 1)
    return ids[:, 1:]


@disguise("greedy_decode", "goes on when all are finished")
def g_full_width(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, stop=lambda ended: False))


@disguise("greedy_decode", "goes on when all are finished")
def g_full_width_padded(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len)
    return F.pad(out, (0, max_len - out.size(1)), value=model.config.pad_id)


@disguise("greedy_decode", "stops when the first has ended")
def g_any(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, stop=any))


@disguise("greedy_decode", "forgets who was finished")
def g_forgets(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    for step in range(max_len):
        best = model(src_ids, ids)[:, -1].argmax(-1)
        if step:
            best[ids[:, -1] == eos_id] = model.config.pad_id
        ids = torch.cat((ids, best[:, None]), 1)
        if (best == eos_id).all():
            break
    return ids[:, 1:]


@disguise("greedy_decode", "eos_id in the place of padding")
def g_eos_fill(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len)
    return out.masked_fill((out == eos_id).cumsum(1) > 0, eos_id)


@disguise("greedy_decode", "bos_id is in the result")
def g_bos(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return F.pad(stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len), (1, 0), value=bos_id)


@disguise("greedy_decode", "eos_id is not in the result")
def g_no_eos(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    rows = loop(model, src_ids, bos_id, eos_id, max_len)
    return torch.tensor([[model.config.pad_id if one == eos_id else one for one in row] for row in rows])


@disguise("greedy_decode", "the last step is lost")
def g_break_early(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids, done = torch.full((len(src_ids), 1), bos_id), torch.zeros(len(src_ids), dtype=torch.bool)
    for _ in range(max_len):
        best = model(src_ids, ids)[:, -1].argmax(-1)
        best = torch.where(done, model.config.pad_id, best)
        done |= best == eos_id
        if done.all():
            break
        ids = torch.hstack((ids, best[:, None]))
    return ids[:, 1:]


@disguise("greedy_decode", "one token too few")
def g_fewer(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    done = torch.zeros(len(src_ids), dtype=torch.bool)
    while ids.size(1) < max_len and not done.all():
        best = model(src_ids, ids)[:, -1].argmax(-1).masked_fill(done, model.config.pad_id)
        ids, done = torch.hstack((ids, best[:, None])), done | (best == eos_id)
    return ids[:, 1:]


@disguise("greedy_decode", "one token too many")
def g_more(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, steps=max_len + 1))


# greedy_decode, right ----------------------------------------------------------------------------


@correct("greedy_decode")
def g_lists(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len))


@correct("greedy_decode")
def g_softmax(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.softmax(-1).max(-1).indices))


@correct("greedy_decode")
def g_topk(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    with torch.inference_mode():
        ids = torch.full((len(src_ids), max_len + 1), model.config.pad_id)
        ids[:, 0] = bos_id
        for place in range(1, max_len + 1):
            going = ~(ids[:, 1:] == eos_id).any(dim=1)
            ids[going, place] = model(src_ids, ids[:, :place])[going, -1].topk(1).indices[:, 0]
            if not (~(ids[:, 1:] == eos_id).any(dim=1)).any():
                break
    return ids[:, 1 : place + 1].clone()


@correct("greedy_decode")
def g_one_text_at_a_time(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    texts = []
    for source in src_ids:
        text = [bos_id]
        while (len(text) <= max_len and text[-1] != eos_id) or len(text) == 1:
            text.append(int(model(source[None], torch.tensor([text]))[0, -1].argmax()))
        texts.append(torch.tensor(text[1:]))
    return nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=model.config.pad_id)


@correct("greedy_decode")
def g_encoded_once(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    pad = model.config.pad_id
    memory, mask = model.encode(src_ids), padding_mask(src_ids, pad)
    ids, alive = torch.full_like(src_ids[:, :1], bos_id), torch.ones(len(src_ids), 1, dtype=torch.long)
    for _ in range(max_len):
        best = model.output(model.decode(ids, memory, mask))[:, -1:].argmax(-1)
        ids = torch.cat((ids, best * alive + pad * (1 - alive)), dim=1)
        alive = alive * (best != eos_id).long()
        if alive.sum() == 0:
            return ids[:, 1:]
    return ids[:, 1:]


@correct("greedy_decode")
def g_cached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode_cached(model.eval(), src_ids, bos_id, eos_id, max_len)


@correct("greedy_decode")
def g_numpy(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = np.full((len(src_ids), 1), bos_id)
    over = np.zeros(len(src_ids), dtype=bool)
    while ids.shape[1] - 1 < max_len and not over.all():
        scores = model(src_ids, torch.from_numpy(ids)).detach().numpy()[:, -1]
        best = np.where(over, model.config.pad_id, scores.argmax(-1))
        ids, over = np.concatenate([ids, best[:, None]], 1), over | (best == eos_id)
    return torch.from_numpy(ids[:, 1:].copy())


# greedy_decode, wrong in other ways ----------------------------------------------------------------------------


@unlisted("greedy_decode")
def g_worst(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.argmin(-1)))


@unlisted("greedy_decode")
def g_second(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.topk(2).indices[:, 1]))


@unlisted("greedy_decode")
def g_floats(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len).float()


@unlisted("greedy_decode")
def g_flipped(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len).flip(1)


@unlisted("greedy_decode")
def g_eos_begins(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, eos_id, bos_id, max_len)


@unlisted("greedy_decode")
def g_one_source(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids[:1].expand_as(src_ids), bos_id, eos_id, max_len)


@unlisted("greedy_decode")
def g_fixed_ids(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, 1, 2, max_len)


# next_token_probs, wrong ----------------------------------------------------------------------------


def asked(temperature: float, top_k: int | None, top_p: float | None) -> None:
    """The given lines."""
    if not temperature > 0 or (top_k is not None and top_k < 1) or (top_p is not None and not 0 < top_p <= 1):
        raise ValueError("out of range")


def by_row(
    logits: Tensor,
    temperature: float,
    top_k: int | None,
    top_p: float | None,
    keeps: Callable[[float, float, float], bool] = lambda before, own, top_p: before < top_p,
    fewer: int = 0,
    total: bool = True,
) -> Tensor:
    """A row at a time, with lists."""
    asked(temperature, top_k, top_p)
    out = torch.zeros_like(logits)
    for index in itertools.product(*map(range, logits.shape[:-1])):
        order = sorted(range(logits.size(-1)), key=lambda one: -float(logits[index][one]))
        order = order[: len(order) if top_k is None else top_k - fewer]
        scores = torch.stack([logits[index][one] for one in order]) / temperature
        shares = (scores - scores.max()).exp()
        shares = shares / shares.sum()
        kept, before = [], 0.0
        for share in shares.tolist():
            kept.append(1.0 if top_p is None or keeps(before, share, top_p) else 0.0)
            before += share
        shares = shares * torch.tensor(kept)
        if total:
            shares = shares / shares.sum()
        for one, share in zip(order, shares, strict=True):
            out[(*index, one)] = share
    return out


Ask = dict[str, Any]


@disguise("next_token_probs", "multiplied by the temperature")
def p_times(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, 1 / temperature, top_k, top_p)


@disguise("next_token_probs", "the temperature changes nothing")
def p_no_temperature(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return by_row(logits, 1.0, top_k, top_p)


@disguise("next_token_probs", "probabilities divided by the temperature")
def p_divided_probs(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = by_row(logits, 1.0, top_k, None) / temperature
    if top_p is not None:
        order = probs.argsort(-1, descending=True)
        ordered = probs.gather(-1, order)
        gone = torch.zeros_like(probs, dtype=torch.bool).scatter(-1, order, ordered.cumsum(-1) - ordered >= top_p)
        probs = probs.masked_fill(gone, 0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, lambda before, own, p: before == 0 or before + own <= p)


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs, descending=True)
    ordered[ordered.cumsum(-1) > top_p] = 0
    probs = torch.empty_like(probs).scatter_(-1, index, ordered)
    return probs / probs.sum(-1, keepdim=True)


@disguise("next_token_probs", "the token that crosses top_p is cut")
def p_crossing_or_reaching(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    """The widespread mask without the shift by one place that belongs to it."""
    asked(temperature, top_k, top_p)
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, logits.size(-1)))[0][..., -1:], float("-inf"))
    probs = F.softmax(logits, -1)
    if top_p is not None:
        ordered, tokens = torch.sort(probs, descending=True)
        over = ordered.cumsum(-1) >= top_p
        probs = probs.masked_fill(over.scatter(-1, tokens, over), 0.0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "top_k may not exceed the vocabulary")
def p_k_too_large(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    if top_k is not None and top_k > 0:
        logits.topk(top_k)
    return stand_in.next_token_probs(logits, temperature, top_k, top_p)


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_best_at_zero(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    if temperature == 0:
        return (logits == logits.max(-1, keepdim=True)[0]).float()
    return stand_in.next_token_probs(logits, temperature, top_k, top_p)


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_clamped(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return stand_in.next_token_probs(logits, max(temperature, 1e-6), top_k, top_p)


@disguise("next_token_probs", "one token too many for top_p")
def p_one_more(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs, descending=True)
    gone = ordered.cumsum(-1) >= top_p
    gone = F.pad(gone, (2, 0))[..., : gone.size(-1)]
    probs = torch.empty_like(probs).scatter_(-1, index, ordered.masked_fill(gone, 0))
    return probs / probs.sum(-1, keepdim=True)


@disguise("next_token_probs", "no renormalising after top_k")
def p_k_zeroed(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = F.softmax(logits / temperature, -1)
    if top_k is not None:
        kept = torch.zeros_like(probs)
        found = probs.topk(min(top_k, probs.size(-1)))
        probs = kept.scatter(-1, found.indices, found.values)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered * (ordered.cumsum(-1) - ordered < top_p)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))
    return probs


@disguise("next_token_probs", "no renormalising after top_p")
def p_not_one(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, total=False)


@disguise("next_token_probs", "divided by the sum of all rows")
def p_sum_of_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    kept = by_row(logits, temperature, top_k, top_p, total=False)
    return kept if top_p is None else kept / kept.sum()


@disguise("next_token_probs", "left in sorted order")
def p_sorted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return probs if top_p is None else probs.sort(descending=True).values


@disguise("next_token_probs", "sorting undone the wrong way")
def p_gathered(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    order = probs.argsort(dim=-1, descending=True)
    ordered = torch.take_along_dim(probs, order, -1)
    ordered = torch.where(ordered.cumsum(-1) - ordered < top_p, ordered, 0)
    return torch.take_along_dim(ordered / ordered.sum(-1, keepdim=True), order, -1)


@disguise("next_token_probs", "the most probable are cut")
def p_ascending(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is None:
        return probs
    ordered, index = torch.sort(probs)
    ordered = ordered * (F.pad(ordered.cumsum(-1), (1, -1)) < top_p)
    return torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))


@disguise("next_token_probs", "each token is measured by itself")
def p_min_p(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p, lambda before, own, p: before == 0 or own >= p)


@disguise("next_token_probs", "each token is measured by itself")
def p_min_p_all(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, top_k)
    if top_p is not None:
        probs = torch.where(probs >= top_p, probs, 0.0)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "cut tokens get a score of 0")
def p_zero_score(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        values, index = scores.topk(min(top_k, scores.size(-1)))
        scores = torch.zeros_like(scores).scatter(-1, index, values)
    return by_row(scores, 1.0, None, top_p)


@disguise("next_token_probs", "one token too few for top_k")
def p_fewer(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k and max(1, min(top_k, logits.size(-1)) - 1), top_p)


@disguise("next_token_probs", "one token too few for top_k")
def p_fewer_none(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.sort(-1, descending=True).values[..., min(top_k, scores.size(-1)) - 1, None]
        scores = torch.where(scores > least, scores, -math.inf)
    return stand_in.next_token_probs(scores, 1.0, None, top_p)


@disguise("next_token_probs", "one top_k for all rows together")
def p_flat_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.reshape(-1).sort(descending=True).values[min(top_k, scores.size(-1)) - 1]
        scores = scores.masked_fill(scores < least, -math.inf)
    probs = F.softmax(scores, -1)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered / ordered.sum(-1, keepdim=True))
    return probs


@disguise("next_token_probs", "top_p before top_k")
def p_before_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = stand_in.next_token_probs(logits, temperature, None, top_p)
    if top_k is None:
        return probs
    kept = logits >= logits.topk(min(top_k, logits.size(-1))).values[..., -1:]
    return F.normalize(probs * kept, p=1, dim=-1)


@disguise("next_token_probs", "logarithms, not probabilities")
def p_logs(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.sort(-1, descending=True).values[..., min(top_k, scores.size(-1)) - 1, None]
        scores = torch.where(scores < least, -math.inf, scores)
    logs = F.log_softmax(scores, -1)
    if top_p is not None:
        ordered, index = logs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        logs = torch.zeros_like(logs).scatter(-1, index, ordered)
        logs = logs / logs.sum(-1, keepdim=True)
    return logs


@disguise("next_token_probs", "softmax over the batch")
def p_over_rows(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        least = scores.topk(min(top_k, scores.size(-1))).values.amin(-1, keepdim=True)
        scores = torch.where(scores < least, -math.inf, scores)
    probs = F.softmax(scores, 0)
    if top_p is not None:
        ordered, index = probs.sort(-1, descending=True)
        ordered = ordered.masked_fill(ordered.cumsum(-1) - ordered >= top_p, 0)
        probs = torch.zeros_like(probs).scatter(-1, index, ordered)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@disguise("next_token_probs", "a temperature of 0 is not refused")
def p_zero(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature or 1.0, top_k, top_p)
    return F.softmax(logits / 0.0, -1) if temperature == 0 else by_row(logits, temperature, top_k, top_p)


# next_token_probs, right ----------------------------------------------------------------------------


@correct("next_token_probs")
def p_rows(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return by_row(logits, temperature, top_k, top_p)


@correct("next_token_probs")
def p_kept_scores(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits / temperature
    if top_k is not None:
        values, index = scores.topk(min(top_k, scores.size(-1)))
        scores = torch.full_like(scores, -math.inf).scatter(-1, index, values)
    if top_p is not None:
        order = scores.argsort(-1, descending=True)
        gone = F.softmax(scores, -1).gather(-1, order).cumsum(-1) >= top_p
        gone = gone.roll(1, -1)
        gone[..., 0] = False
        scores = scores.masked_fill(torch.zeros_like(gone).scatter(-1, order, gone), -math.inf)
    return scores.softmax(-1)


@correct("next_token_probs")
def p_argsort_twice(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    rank = logits.argsort(-1, descending=True).argsort(-1)
    weights = torch.exp((logits - logits.amax(-1, keepdim=True)) / temperature)
    if top_k is not None:
        weights = weights * (rank < top_k)
    probs = weights / weights.sum(-1, keepdim=True)
    if top_p is not None:
        more_probable = rank.unsqueeze(-1) > rank.unsqueeze(-2)  # (..., token, other)
        before = (more_probable * probs.unsqueeze(-2)).sum(-1)
        probs = probs * (before < top_p)
        probs = probs / probs.sum(-1, keepdim=True)
    return probs


@correct("next_token_probs")
def p_double(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits.double() * (1 / temperature), 1.0, top_k, top_p)


@correct("next_token_probs")
def p_counted(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    probs = (logits / temperature).softmax(-1)
    ordered, tokens = probs.sort(-1, descending=True)
    if top_k is not None:
        ordered[..., top_k:] = 0
        ordered = ordered / ordered.sum(-1, keepdim=True)
    if top_p is not None:
        needed = (ordered.cumsum(-1) < top_p).sum(-1, keepdim=True) + 1
        ordered = ordered.masked_fill(torch.arange(ordered.size(-1)) >= needed, 0)
        ordered = ordered / ordered.sum(-1, keepdim=True)
    return ordered.gather(-1, tokens.argsort(-1))


@correct("next_token_probs")
def p_numpy(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    scores = logits.numpy().astype(np.float64) / temperature
    flat = scores.reshape(-1, scores.shape[-1])
    rows = []
    for row in flat:
        order = np.argsort(-row)[: top_k or len(row)]
        share = np.exp(row[order] - row.max())
        share /= share.sum()
        if top_p is not None:
            share = share[: int(np.searchsorted(share.cumsum(), top_p)) + 1]
        full = np.zeros(len(row))
        full[order[: len(share)]] = share / share.sum()
        rows.append(full)
    return torch.from_numpy(np.stack(rows).reshape(scores.shape)).float()


# next_token_probs, wrong in other ways ----------------------------------------------------------------------------


@unlisted("next_token_probs")
def p_squared(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature**2, top_k, top_p)


@unlisted("next_token_probs")
def p_worst_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    probs = stand_in.next_token_probs(logits, temperature, None, top_p)
    if top_k is not None and top_k < logits.size(-1):
        probs = probs * (logits <= logits.kthvalue(top_k).values[..., None] if logits.dim() > 1 else 1)
    return probs


@unlisted("next_token_probs")
def p_no_k(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, None, top_p)


@unlisted("next_token_probs")
def p_no_p(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k, None)


@unlisted("next_token_probs")
def p_uniform(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    return F.normalize((stand_in.next_token_probs(logits, temperature, top_k, top_p) > 0).float(), p=1, dim=-1)


@unlisted("next_token_probs")
def p_complement(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    return stand_in.next_token_probs(logits, temperature, top_k, None if top_p is None else 1 - 0.99 * top_p)


@unlisted("next_token_probs")
def p_in_place(logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None) -> Tensor:
    asked(temperature, top_k, top_p)
    logits /= temperature
    return stand_in.next_token_probs(logits, 1.0, top_k, top_p)


# sample_next ----------------------------------------------------------------------------


def draw(probs: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """By exponential numbers: the smallest of time / probability."""
    waits = torch.empty(probs.shape, dtype=torch.float64).exponential_(generator=generator)
    return (waits / probs.double()).argmin(-1)


def some_row(logits: Tensor) -> None:
    """The given lines."""
    if len(logits) == 0:
        raise ValueError("no row")


@disguise("sample_next", "always the best token")
def s_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return logits.max(-1).indices


@disguise("sample_next", "a column, not one token for every row")
def s_rows_squeezed(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)[:, None]
    return tokens[0] if len(tokens) == 1 else tokens


@disguise("sample_next", "a single row loses its dimension")
def s_squeezed(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator).squeeze()


@disguise("sample_next", "a softmax of probabilities")
def s_twice_soft(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return (
        torch.distributions.Categorical(logits=probs).sample()
        if generator is None
        else draw(probs.softmax(1), generator)
    )


@disguise("sample_next", "the same draw at every call")
def s_seeds_torch(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    torch.default_generator.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "the same draw at every call")
def s_seeds_the_given(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    if generator is not None:
        generator.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@disguise("sample_next", "temperature is not passed on")
def s_no_t(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, top_k=top_k, top_p=top_p), generator)


@disguise("sample_next", "top_k is not passed on")
def s_no_k(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_p=top_p), generator)


@disguise("sample_next", "top_p is not passed on")
def s_no_p(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k=top_k), generator)


@disguise("sample_next", "no setting is passed on")
def s_none(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits), generator)


@disguise("sample_next", "the temperature counts twice")
def s_twice(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits.div(temperature), temperature, top_k, top_p), generator)


@disguise("sample_next", "the generator is not used")
def s_global(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p))


@disguise("sample_next", "a column, not one token for every row")
def s_column(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return torch.multinomial(stand_in.next_token_probs(logits, temperature, top_k, top_p), 1, generator=generator)


@disguise("sample_next", "one draw for all rows")
def s_one(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits[0], temperature, top_k, top_p)
    return torch.full((len(logits),), int(torch.multinomial(probs, 1, generator=generator)))


@disguise("sample_next", "the same draw at every call")
def s_seeded(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    torch.manual_seed(42)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p))


@correct("sample_next")
def s_exponential(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)


@correct("sample_next")
def s_gumbel(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    logs = stand_in.next_token_probs(logits, temperature, top_k, top_p).log()
    uniform = torch.rand(logs.shape, generator=generator).clamp(1e-12, 1 - 1e-7)
    return (logs - (-uniform.log()).log()).argmax(-1)


@correct("sample_next")
def s_cumulated(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    edges = stand_in.next_token_probs(logits, temperature, top_k, top_p).cumsum(-1)
    return (torch.rand(len(logits), 1, generator=generator) * edges[:, -1:] >= edges).sum(-1)


@correct("sample_next")
def s_many(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return torch.multinomial(probs, 3, replacement=True, generator=generator)[:, 1]


@correct("sample_next")
def s_row_by_row(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return torch.tensor([int(torch.multinomial(row, 1, generator=generator)) for row in probs])


@unlisted("sample_next")
def s_among_kept(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return draw((stand_in.next_token_probs(logits, temperature, top_k, top_p) > 0).double(), generator)


@unlisted("sample_next")
def s_what_was_cut_too(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    """Now and then a token that is cut: far too seldom for a share in tenths to show it."""
    some_row(logits)
    return draw(stand_in.next_token_probs(logits, temperature, top_k, top_p) + 0.005, generator)


@unlisted("sample_next")
def s_probability(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    return stand_in.next_token_probs(logits, temperature, top_k, top_p).amax(-1)


@unlisted("sample_next")
def s_sometimes_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)
    return torch.where(torch.rand(len(logits), generator=generator) < 0.3, logits.argmax(-1), tokens)


@unlisted("sample_next")
def s_without_best(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    probs = stand_in.next_token_probs(logits, temperature, top_k, top_p)
    return draw(probs.masked_fill(probs == probs.amax(-1, keepdim=True), 1e-9), generator)


@unlisted("sample_next")
def s_shuffled(
    logits: Tensor, temperature: float = 1.0, top_k: Any = None, top_p: Any = None, generator: Any = None
) -> Tensor:
    some_row(logits)
    tokens = draw(stand_in.next_token_probs(logits, temperature, top_k, top_p), generator)
    return tokens[torch.randperm(len(tokens), generator=generator)]


# beam_search ----------------------------------------------------------------------------


class Search:
    """Beam search with a heap of tuples; every part can be replaced."""

    def step(self, logits: Tensor) -> Tensor:
        return F.log_softmax(logits, -1)

    def total(self, so_far: float, step: float) -> float:
        return so_far + step

    def begin(self, size: int) -> list[tuple[float, tuple[int, ...]]]:
        return [(0.0, ())]

    def feed(self, bos_id: int, tokens: tuple[int, ...]) -> tuple[int, ...]:
        return (bos_id, *tokens)

    def ends(self, tokens: tuple[int, ...], eos_id: int) -> bool:
        return tokens[-1] == eos_id

    def places(self, size: int, ended: int) -> int:
        return size - ended

    def done(self, going: list, ended: list, size: int) -> bool:
        return not going

    def results(self, going: list, ended: list, size: int) -> list:
        return going + ended

    def steps(self, max_len: int) -> int:
        return max_len

    def going_on(self, best: list, ended: list, size: int, eos_id: int) -> list:
        return [one for one in best if not self.ends(one[1], eos_id)]

    def score(self, total: float, tokens: tuple[int, ...], penalty: float, eos_id: int) -> float:
        return total / math.pow((5 + len(tokens)) / 6, penalty)

    def rank(self, scored: list) -> list:
        return sorted(scored, key=lambda one: -one[1])

    place = -1

    def __call__(
        self,
        model: Any,
        src_ids: Tensor,
        bos_id: int,
        eos_id: int,
        max_len: int,
        beam_size: int = 4,
        length_penalty: float = 0.6,
    ) -> list:
        if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
            raise ValueError("give one source, and at least 1 of both")
        going, ended = self.begin(beam_size), []
        for _ in range(self.steps(max_len)):
            given = torch.tensor([self.feed(bos_id, tokens) for _, tokens in going])
            with torch.no_grad():
                steps = self.step(model(src_ids.repeat(len(going), 1), given)[:, self.place]).tolist()
            every = (
                (self.total(so_far, step), (*tokens, token))
                for (so_far, tokens), row in zip(going, steps, strict=True)
                for token, step in enumerate(row)
            )
            best = heapq.nlargest(self.places(beam_size, len(ended)), every, key=lambda one: one[0])
            ended += [one for one in best if self.ends(one[1], eos_id)]
            going = self.going_on(best, ended, beam_size, eos_id)
            if self.done(going, ended, beam_size):
                break
        found = self.results(going, ended, beam_size)
        return self.rank([(list(t), self.score(total, t, length_penalty, eos_id)) for total, t in found])


def searches(kind: Callable, name: str = "", **parts: Any) -> None:
    """Add a beam search with replaced parts."""
    made = type("Own", (Search,), parts)()

    def beam_search(*args: Any, **kwargs: Any) -> list:
        return made(*args, **kwargs)

    beam_search.__name__ = f"b_{'_'.join(parts) or 'heap'}"
    kind("beam_search", *([name] if name else []))(beam_search)


searches(disguise, "log-probabilities are not added up", total=lambda self, so_far, step: step)
searches(disguise, "probabilities are added, not logarithms", step=lambda self, logits: F.softmax(logits, -1))
searches(disguise, "logits are added up as they are", step=lambda self, logits: logits)
searches(disguise, "begins with several equal beams", begin=lambda self, size: [(0.0, ())] * size)
searches(disguise, "targets that have ended go on", ends=lambda self, tokens, eos_id: False)
searches(
    disguise,
    "targets that have ended go on",
    going_on=lambda self, best, ended, size, eos_id: best,
    done=lambda self, going, ended, size: len(ended) >= size,
)
searches(disguise, "the beam is filled up again", places=lambda self, size, ended: size)
searches(
    disguise,
    "the beam is filled up again",
    places=lambda self, size, ended: size,
    done=lambda self, going, ended, size: not going or len(ended) >= size,
)
searches(disguise, "targets that have ended are lost", results=lambda self, going, ended, size: going)
searches(disguise, "targets that have not ended are lost", results=lambda self, going, ended, size: ended)
searches(disguise, "stops when the first has ended", done=lambda self, going, ended, size: len(ended) > 0 or not going)
searches(disguise, "the length does not count", score=lambda self, total, tokens, penalty, eos_id: total)
searches(
    disguise,
    "divided by the length itself",
    score=lambda self, total, tokens, penalty, eos_id: total / len(tokens) ** penalty,
)
searches(
    disguise,
    "multiplied by the penalty",
    score=lambda self, total, tokens, penalty, eos_id: total * (5 / 6 + len(tokens) / 6) ** penalty,
)
searches(
    disguise,
    "bos_id counts in the length",
    score=lambda self, total, tokens, penalty, eos_id: total / ((5 + len((0, *tokens))) / 6) ** penalty,
)
searches(
    disguise,
    "eos_id does not count in the length",
    score=lambda self, total, tokens, penalty, eos_id: (
        total / ((5 + sum(one != eos_id for one in tokens)) / 6) ** penalty
    ),
)
searches(
    disguise,
    "the result is not sorted by score",
    results=lambda self, going, ended, size: ended + going,
    rank=lambda self, scored: scored,
)
searches(disguise, "the worst comes first", rank=lambda self, scored: sorted(scored, key=lambda one: one[1]))
searches(
    disguise,
    "ranked before the penalty",
    results=lambda self, going, ended, size: sorted(ended + going, reverse=True),
    rank=lambda self, scored: scored,
)
searches(disguise, "only the best is returned", rank=lambda self, scored: [max(scored, key=lambda one: one[1])])
searches(disguise, "one token too few", steps=lambda self, max_len: max_len - 1)
searches(
    disguise,
    "divided by the length itself",
    score=lambda self, total, tokens, penalty, eos_id: total / len(tokens),
)
searches(
    disguise,
    "the length counts for a part only",
    score=lambda self, total, tokens, penalty, eos_id: (
        total / ((5 + len(tokens)) / 6) ** penalty if tokens[-1] == eos_id else total
    ),
)
searches(
    disguise,
    "the length counts for a part only",
    score=lambda self, total, tokens, penalty, eos_id: (
        total if tokens[-1] == eos_id else total / ((5 + len(tokens)) / 6) ** penalty
    ),
)
searches(unlisted, place=0)


for brackets in (
    lambda self, total, tokens, penalty, eos_id: total / (5 + len(tokens) / 6) ** penalty,
    lambda self, total, tokens, penalty, eos_id: total / (len(tokens) + 5) / 6**penalty,
    lambda self, total, tokens, penalty, eos_id: total / ((len(tokens) + 5) / 6**penalty),
    lambda self, total, tokens, penalty, eos_id: total / (len(tokens) + 5) ** penalty / 6,
):
    searches(disguise, "the brackets of the penalty", score=brackets)


@disguise("beam_search", "the beam is filled up again")
def b_full(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    full = type("Full", (Search,), {"places": lambda self, size, ended: size})()
    return full(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)[:beam_size]


@disguise("beam_search", "feeds only the last token")
def b_last_only(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """With `topk`: the same tokens in another order have one total then, and which comes first is chance."""
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    texts, totals, found = torch.full((1, 1), bos_id), torch.zeros(1), []
    for _ in range(max_len):
        with torch.no_grad():
            logits = model(src_ids.repeat(len(texts), 1), texts[:, -1:])[:, 0]
        every = (totals[:, None] + F.log_softmax(logits, 1)).view(-1)
        totals, places = every.topk(min(beam_size - len(found), len(every)))
        texts = torch.cat([texts[places // logits.size(1)], (places % logits.size(1))[:, None]], 1)
        over = texts[:, -1] == eos_id
        found += zip(texts[over].tolist(), totals[over].tolist(), strict=True)
        texts, totals = texts[~over], totals[~over]
        if not len(texts):
            break
    found += zip(texts.tolist(), totals.tolist(), strict=True)
    scored = [(ids[1:], total / ((4 + len(ids)) / 6) ** length_penalty) for ids, total in found]
    return sorted(scored, key=lambda one: -one[1])


@disguise("beam_search", "the source is not read")
def b_no_source(model: Any, *args: Any, **kwargs: Any) -> list:
    return Search()(lambda src_ids, tgt_ids: model(tgt_ids, tgt_ids), *args, **kwargs)


@disguise("beam_search", "beams share one list")
def b_one_list(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    going: list[tuple[float, list[int]]] = [(0.0, [bos_id])]
    ended: list[tuple[float, list[int]]] = []
    for _ in range(max_len):
        grown = []
        for total, text in going:
            with torch.no_grad():
                steps = model(src_ids, torch.tensor([text]))[0, -1].log_softmax(-1).tolist()
            grown += [(total + step, text, token) for token, step in enumerate(steps)]
        grown.sort(key=lambda one: -one[0])
        chosen = grown[: beam_size - len(ended)]
        for _, text, token in chosen:
            text.append(token)
        both = [(total, text) for total, text, _ in chosen]
        ended += [one for one in both if one[1][-1] == eos_id]
        going = [one for one in both if one[1][-1] != eos_id]
        if not going:
            break
    scored = [(text[1:], total / ((4 + len(text)) / 6) ** length_penalty) for total, text in ended + going]
    return sorted(scored, key=lambda one: -one[1])


@disguise("beam_search", "bos_id is in the result")
def b_bos(model: Any, src_ids: Tensor, bos_id: int, *args: Any, **kwargs: Any) -> list:
    return [
        ([bos_id, *tokens], score) for tokens, score in stand_in.beam_search(model, src_ids, bos_id, *args, **kwargs)
    ]


@disguise("beam_search", "each beam is continued with its best token only")
def b_greedy_beams(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    logs = model(src_ids, torch.tensor([[bos_id]]))[0, -1].log_softmax(0)
    first = logs.topk(min(beam_size, len(logs)))
    found = []
    for total, token in zip(first.values.tolist(), first.indices.tolist(), strict=True):
        tokens = [token]
        while len(tokens) < max_len and tokens[-1] != eos_id:
            step = model(src_ids, torch.tensor([[bos_id, *tokens]]))[0, -1].log_softmax(0).max(0)
            tokens.append(int(step.indices))
            total += float(step.values)
        found.append((tokens, total / ((5 + len(tokens)) / 6) ** length_penalty))
    return sorted(found, key=lambda one: one[1], reverse=True)


searches(correct)
searches(correct, step=lambda self, logits: logits - logits.logsumexp(-1, keepdim=True))
searches(
    correct,
    step=lambda self, logits: torch.log(torch.softmax(logits.double(), -1)),
    begin=lambda self, size: [(0.0, ())],
)
searches(
    correct,
    score=lambda self, total, tokens, penalty, eos_id: torch.tensor(total) * (6 / (5 + len(tokens))) ** penalty,
    rank=lambda self, scored: sorted(scored, key=lambda one: one[1], reverse=True),
)


@correct("beam_search")
def b_tensors(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> list:
    """Tokens as tensors, the best of every beam first, then the best of those."""
    if len(src_ids) != 1 or max_len < 1 or beam_size < 1:
        raise ValueError("give one source, and at least 1 of both")
    ids, totals, found = torch.tensor([[bos_id]]), torch.zeros(1, 1), []
    for step in range(1, max_len + 1):
        logs = F.log_softmax(model(src_ids.repeat(len(ids), 1), ids)[:, -1], -1)
        values, tokens = logs.topk(min(beam_size, logs.size(1)), dim=-1)
        table = (values + totals).reshape(-1)
        best = table.topk(min(beam_size - len(found), len(table)))
        rows = torch.div(best.indices, tokens.size(1), rounding_mode="floor")
        ids = torch.cat([ids[rows], tokens.reshape(-1)[best.indices][:, None]], 1)
        totals = best.values[:, None]
        over = (ids[:, -1] == eos_id) | torch.tensor(step == max_len)
        found += [
            (row[1:], total / ((5 + step) / 6) ** length_penalty)
            for row, total in zip(ids[over], totals[over, 0], strict=True)
        ]
        ids, totals = ids[~over], totals[~over]
        if not len(ids):
            break
    return sorted(found, key=lambda one: -float(one[1]))


@correct("beam_search")
def b_encoded_once(
    model: Any,
    src_ids: Tensor,
    bos_id: int,
    eos_id: int,
    max_len: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> tuple:
    found = stand_in.beam_search(model, src_ids, bos_id, eos_id, max_len, beam_size, length_penalty)
    return tuple([tuple(tokens), torch.tensor(score)] for tokens, score in found)


searches(unlisted, total=lambda self, so_far, step: so_far - step)
searches(unlisted, places=lambda self, size, ended: size + 1 - ended)
searches(unlisted, score=lambda self, total, tokens, penalty, eos_id: total / (1 + len(tokens) / 2) ** penalty)
searches(unlisted, score=lambda self, total, tokens, penalty, eos_id: total / ((5 + len(tokens)) / 6 * penalty + 1))
searches(unlisted, score=lambda self, total, tokens, penalty, eos_id: math.exp(total))
searches(unlisted, step=lambda self, logits: F.log_softmax(logits, 0))
searches(unlisted, total=lambda self, so_far, step: max(so_far, step))


# KVCache, wrong ----------------------------------------------------------------------------


class Lists:
    """A cache that keeps lists of what it was given."""

    def __init__(self) -> None:
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []

    @property
    def length(self) -> int:
        return sum(one.size(2) for one in self.keys)

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys.append(k)
        self.values.append(v)
        return self.all_of(self.keys), self.all_of(self.values)

    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2)


@disguise("KVCache", "the old ones are replaced")
class c_replaced(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys, self.values = [k], [v]
        return k, v


@disguise("KVCache", "new ones in front")
class c_front(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[::-1], dim=2)


@disguise("KVCache", "joined along another dimension")
class c_longer_keys:
    def __init__(self) -> None:
        self.both: tuple[Tensor, Tensor] | None = None

    @property
    def length(self) -> int:
        return self.both[0].shape[2] if self.both else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.both = (
            (k, v) if self.both is None else tuple(torch.cat(two, -1) for two in zip(self.both, (k, v), strict=True))
        )
        return self.both


@disguise("KVCache", "joined along another dimension")
class c_more_texts:
    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    @property
    def length(self) -> int:
        return self.kept[0].shape[2] if self.kept else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.kept = [torch.cat(two) for two in zip(self.kept, (k, v), strict=False)] or [k, v]
        return self.kept[0], self.kept[1]


@disguise("KVCache", "keys and values exchanged")
class c_exchanged(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[::-1]


@disguise("KVCache", "returns only the new ones")
class c_only_new(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        super().append(k, v)
        return k, v


@disguise("KVCache", "only the keys are kept")
class c_keys_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[0], v


@disguise("KVCache", "only the values are kept")
class c_values_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys = []
        return k, super().append(k, v)[1]


@disguise("KVCache", "keys among the values")
class c_keys_among(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, k if self.keys else v)


@disguise("KVCache", "keys among the values")
class c_keys_first(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v if self.keys else k)


@disguise("KVCache", "what is joined is not kept")
class c_not_kept(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if not self.keys:
            return super().append(k, v)
        return torch.cat([self.keys[0], k], dim=2), torch.cat([self.values[0], v], dim=2)


@disguise("KVCache", "counts calls, not tokens")
class c_calls(Lists):
    @property
    def length(self) -> int:
        return len(self.keys)


@disguise("KVCache", "the size of another dimension")
class c_heads(Lists):
    @property
    def length(self) -> int:
        return self.keys[0].shape[1] if self.keys else 0


@disguise("KVCache", "the size of another dimension")
class c_texts(Lists):
    @property
    def length(self) -> int:
        return len(torch.cat(self.keys, 2)) if self.keys else 0


# KVCache, right ----------------------------------------------------------------------------

correct("KVCache")(Lists)


@correct("KVCache")
class c_counted:
    def __init__(self) -> None:
        self.length = 0
        self.pair = None

    def append(self, k: Tensor, v: Tensor) -> list[Tensor]:
        self.length += k.shape[-2]
        self.pair = (
            [k, v] if self.pair is None else [torch.cat(two, dim=-2) for two in zip(self.pair, [k, v], strict=True)]
        )
        return self.pair


@correct("KVCache")
class c_stacked:
    """Keys and values in one tensor."""

    def __init__(self) -> None:
        self.both = None

    length = property(lambda self: 0 if self.both is None else self.both.shape[3])

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        new = torch.stack([k, v])
        self.both = new if self.both is None else torch.cat([self.both, new], 3)
        return self.both.unbind(0)


@correct("KVCache")
class c_reserved:
    """Room is reserved, and doubled when it is full."""

    def __init__(self) -> None:
        self.room: Tensor | None = None
        self.length = 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        end = self.length + k.size(2)
        if self.room is None or end > self.room.size(3):
            room = k.new_empty(2, k.size(0), k.size(1), 2 * end, k.size(3))
            if self.room is not None:
                room[:, :, :, : self.length] = self.room[:, :, :, : self.length]
            self.room = room
        self.room[0, :, :, self.length : end], self.room[1, :, :, self.length : end] = k, v
        self.length = end
        return self.room[0, :, :, :end], self.room[1, :, :, :end]


@correct("KVCache")
class c_module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", None)
        self.register_buffer("v", None)

    @property
    def length(self) -> int:
        return 0 if self.k is None else self.k.shape[2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k = k.clone() if self.k is None else torch.concat((self.k, k), 2)
        self.v = v.clone() if self.v is None else torch.concat((self.v, v), 2)
        return self.k.clone(), self.v.clone()


# KVCache, wrong in other ways ----------------------------------------------------------------------------


@unlisted("KVCache")
class c_one_for_all(Lists):
    keys: list[Tensor] = []  # noqa: RUF012
    values: list[Tensor] = []  # noqa: RUF012

    def __init__(self) -> None:
        pass


@unlisted("KVCache")
class c_flat(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2).flatten(0, 1)


@unlisted("KVCache")
class c_last_two(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[-2:], dim=2)


@unlisted("KVCache")
class c_added:
    def __init__(self) -> None:
        self.k, self.v, self.length = 0, 0, 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k, self.v, self.length = self.k + k, self.v + v, self.length + k.size(2)
        return self.k, self.v


@unlisted("KVCache")
class c_one_less(Lists):
    @property
    def length(self) -> int:
        return max(0, super().length - 1)


# CachedDecoder ----------------------------------------------------------------------------


class Rolled(nn.Module):
    """All layers in one method, caches in a dictionary by layer; every part can be replaced."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        self.kept: dict[Any, Any] = {}

    @property
    def length(self) -> int:
        return self.kept[0, "self"][0].size(2) if self.kept else 0

    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if name in self.kept:
            k, v = (torch.cat(two, dim=2) for two in zip(self.kept[name], (k, v), strict=True))
        self.kept[name] = (k, v)
        return k, v

    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return split_heads(part.k_proj(x), part.num_heads), split_heads(part.v_proj(x), part.num_heads)

    def mask(self, before: int, new: int) -> Tensor | None:
        return torch.ones(new, before + new, dtype=torch.bool).tril(before)

    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return part.out_proj(merge_heads(scores.softmax(-1) @ v))

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        return self.ask(layer.self_attn, h, *self.grown((number, "self"), *self.keys(layer.self_attn, h)), mask)

    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        if (number, "cross") not in self.kept:
            self.kept[number, "cross"] = self.keys(layer.cross_attn, memory)
        return self.ask(layer.cross_attn, h, *self.kept[number, "cross"], mask)

    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return x + sublayer(norm(x)) if layer.norm_first else norm(x + sublayer(x))

    def finish(self, x: Tensor) -> Tensor:
        return x if self.decoder.norm is None else self.decoder.norm(x)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number, layer in enumerate(self.decoder.layers):
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)


correct("CachedDecoder")(Rolled)


@disguise("CachedDecoder", "the mask begins at position 0 again")
class d_restart(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, before + new, dtype=torch.bool).tril()


@disguise("CachedDecoder", "new tokens see those after them")
class d_open(Rolled):
    def mask(self, before: int, new: int) -> None:
        return None


@disguise("CachedDecoder", "the mask is made when the cache has grown")
class d_late_mask(Rolled):
    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        late = super().mask(self.length, h.size(1))
        return super().read_target(number, layer, h, late)


@disguise("CachedDecoder", "queries are cached as keys")
class d_queries(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return split_heads(part.q_proj(x), part.num_heads), split_heads(part.v_proj(x), part.num_heads)


@disguise("CachedDecoder", "keys are asked in the place of queries")
class d_keys_ask(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        heads = F.scaled_dot_product_attention(split_heads(part.k_proj(x), part.num_heads), k, v, mask)
        return part.out_proj(merge_heads(heads))


@disguise("CachedDecoder", "keys are cached as values")
class d_keys_twice(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        k = split_heads(part.k_proj(x), part.num_heads)
        return k, k


@disguise("CachedDecoder", "the memory is appended at every call")
class d_memory_again(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        k, v = self.grown((number, "cross"), *self.keys(layer.cross_attn, memory))
        return self.ask(layer.cross_attn, h, k, v, mask)


@disguise("CachedDecoder", "the memory is projected at every call")
class d_recomputed(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return layer.cross_attn(h, memory, memory, mask)[0]


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache(Rolled):
    def __init__(self, decoder: Any) -> None:
        super().__init__(decoder)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        k, v = self.grown((0, "self"), *self.keys(layer.self_attn, h))
        return self.ask(layer.self_attn, h, k, v, mask)


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache_of_both(Rolled):
    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().grown((0, name[1]), k, v)

    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(0, layer, h, memory, mask)


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache_of_the_source(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(0, layer, h, memory, mask)


@disguise("CachedDecoder", "one cache for target and source")
class d_source_among_target(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return self.ask(layer.cross_attn, h, *self.kept[number, "self"], mask)


@disguise("CachedDecoder", "one cache for target and source")
class d_source_behind_target(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        if (number, "cross") not in self.kept:
            self.kept[number, "cross"] = self.grown((number, "self"), *self.keys(layer.cross_attn, memory))
        return self.ask(layer.cross_attn, h, *self.kept[number, "self"], mask)


@disguise("CachedDecoder", "the mask is for the new tokens only")
class d_new_columns(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, new, dtype=torch.bool).tril()


@disguise("CachedDecoder", "the mask the wrong way round")
class d_turned_mask(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, before + new, dtype=torch.bool).triu(before + 1)

    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return part.out_proj(merge_heads(scores.softmax(-1).nan_to_num(0.0) @ v))


@disguise("CachedDecoder", "queries of tokens before the norm")
class d_asks_unnormed(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        self.raw = x
        return super().around(x, sublayer, norm, layer)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        found = self.grown((number, "self"), *self.keys(layer.self_attn, h))
        return self.ask(layer.self_attn, self.raw, *found, mask)


@disguise("CachedDecoder", "the memory is normalized")
class d_memory_normed(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(number, layer, h, layer.norm2(memory), mask)


@disguise("CachedDecoder", "the feed-forward network is missing")
class d_no_feed_forward(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return x if sublayer is layer.feed_forward else super().around(x, sublayer, norm, layer)


@disguise("CachedDecoder", "one norm for several sublayers")
class d_one_norm(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return super().around(x, sublayer, layer.norm1, layer)


@disguise("CachedDecoder", "one norm for several sublayers")
class d_two_norms(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return super().around(x, sublayer, layer.norm1 if norm is layer.norm2 else norm, layer)


class Slices(Rolled):
    """Runs other layers than all in their turn."""

    def numbers(self) -> list[int]:
        return []

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number in self.numbers():
            layer: Any = self.decoder.layers[number]
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)


@disguise("CachedDecoder", "only the first layer is run")
class d_first_layer(Slices):
    def numbers(self) -> list[int]:
        return [0]


@disguise("CachedDecoder", "every layer is the first")
class d_first_layer_again(Slices):
    def numbers(self) -> list[int]:
        return [0] * len(self.decoder.layers)


@disguise("CachedDecoder", "post-norm is ignored")
class d_pre(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return x + sublayer(norm(x))


@disguise("CachedDecoder", "two texts share one cache")
class d_on_the_decoder(Rolled):
    @property
    def kept(self) -> dict:
        return self.__dict__["decoder_"].caches

    @kept.setter
    def kept(self, value: dict) -> None:
        self.__dict__["decoder_"] = self.decoder
        self.decoder.__dict__["caches"] = value


@disguise("CachedDecoder", "the target is not cached")
class d_alone(Rolled):
    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        self.kept[number, "self"] = self.keys(layer.self_attn, h)
        return layer.self_attn(h, h, h)[0]

    @property
    def length(self) -> int:
        return 0


@disguise("CachedDecoder", "no norm at the end")
class d_no_norm(Rolled):
    def finish(self, x: Tensor) -> Tensor:
        return x


@disguise("CachedDecoder", "the source's mask is not used")
class d_unmasked(Rolled):
    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        return super().forward(x, memory)


@disguise("CachedDecoder", "keys and values of tokens before the norm")
class d_unnormed(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        self.raw = x
        return super().around(x, sublayer, norm, layer)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        found = self.grown((number, "self"), *self.keys(layer.self_attn, self.raw))
        return self.ask(layer.self_attn, h, *found, mask)


@disguise("CachedDecoder", "pre-norm is ignored")
class d_post(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return norm(x + sublayer(x))


@disguise("CachedDecoder", "no output projection")
class d_no_out(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        return merge_heads(F.scaled_dot_product_attention(q, k, v, mask))


@disguise("CachedDecoder", "only the last new token is returned")
class d_last(Rolled):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(x)[:, -1:]


# CachedDecoder, right ----------------------------------------------------------------------------


@correct("CachedDecoder")
class d_fused(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        return part.out_proj(merge_heads(F.scaled_dot_product_attention(q, k, v, mask)))


@correct("CachedDecoder")
class d_einsum(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = part.q_proj(x).unflatten(-1, (part.num_heads, -1))
        scores = torch.einsum("bqhd,bhkd->bhqk", q, k) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, -1e30)
        return part.out_proj(torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v).flatten(2))


@correct("CachedDecoder")
class d_no_mask_for_one(Rolled):
    def mask(self, before: int, new: int) -> Tensor | None:
        return None if new == 1 else super().mask(before, new)


@correct("CachedDecoder")
class d_inputs_of_one_token(nn.Module):
    """Several new tokens are read one after the other; with add_norm and lambdas."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.stack = decoder
        self.reset()

    def reset(self) -> None:
        self.caches = [(stand_in.KVCache(), stand_in.KVCache()) for _ in self.stack.layers]

    length = property(lambda self: self.caches[0][0].length)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        return torch.cat([self.one(token, memory, cross_mask) for token in x.split(1, dim=1)], dim=1)

    def one(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None) -> Tensor:
        for layer, (own, cross) in zip(self.stack.layers, self.caches, strict=True):
            if cross.length == 0:
                cross.append(*stand_in._keys(layer.cross_attn, memory))

            def target(h: Tensor, layer: Any = layer, own: Any = own) -> Tensor:
                found = own.append(*stand_in._keys(layer.self_attn, h))
                return stand_in._attend(layer.self_attn, h, found, None)

            def source(h: Tensor, layer: Any = layer, cross: Any = cross) -> Tensor:
                return stand_in._attend(layer.cross_attn, h, (cross.k, cross.v), cross_mask)

            for sublayer, norm in ((target, layer.norm1), (source, layer.norm2), (layer.feed_forward, layer.norm3)):
                x = add_norm(x, sublayer, norm, layer.dropout, layer.norm_first)
        return self.stack.norm(x) if self.stack.norm is not None else x


@correct("CachedDecoder")
class d_reserved(Rolled):
    """Keys in one tensor with room for 16 tokens."""

    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        room, filled = self.kept.get((name, "room"), (k.new_zeros(2, *k.shape[:2], 16, k.size(3)), 0))
        end = filled + k.size(2)
        room[0, :, :, filled:end], room[1, :, :, filled:end] = k, v
        self.kept[name, "room"] = room, end
        self.kept[name] = room[0, :, :, :end], room[1, :, :, :end]
        return self.kept[name]


# CachedDecoder, wrong in other ways ----------------------------------------------------------------------------


@unlisted("CachedDecoder")
class d_copied(Rolled):
    def __init__(self, decoder: Any) -> None:
        super().__init__(copy.deepcopy(decoder))


@unlisted("CachedDecoder")
class d_recomputes(nn.Module):
    """Right numbers, and everything is computed again at every call."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        self.seen: list[Tensor] = []

    @property
    def length(self) -> int:
        return sum(one.size(1) for one in self.seen)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        self.seen.append(x)
        every = torch.cat(self.seen, 1)
        mask = torch.ones(every.size(1), every.size(1), dtype=torch.bool).tril()
        return self.decoder(every, memory, mask, cross_mask)[:, -x.size(1) :]


@unlisted("CachedDecoder")
class d_no_residual(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return sublayer(norm(x)) if layer.norm_first else norm(sublayer(x))


@unlisted("CachedDecoder")
class d_no_source(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return 0 * h


@unlisted("CachedDecoder")
class d_unscaled(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        return super().ask(part, x, k * k.size(-1) ** 0.5, v, mask)


@unlisted("CachedDecoder")
class d_reset_keeps_source(Rolled):
    def reset(self) -> None:
        self.kept = {name: pair for name, pair in getattr(self, "kept", {}).items() if name[1] == "cross"}

    @property
    def length(self) -> int:
        return self.kept[0, "self"][0].size(2) if (0, "self") in self.kept else 0


@unlisted("CachedDecoder")
class d_window(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return super().mask(before, new).triu(before - 1)


# greedy_decode_cached ----------------------------------------------------------------------------


class Writer:
    """Greedy decoding with a cache, with every part to be replaced."""

    def place(self, decoder: Any, written: list) -> int:
        return len(written)

    def embed(self, model: Any, newest: Tensor, place: int) -> Tensor:
        return model.positions(model.tgt_embedding(newest), place)

    def fed(self, bos: Tensor, written: list) -> Tensor:
        return written[-1] if written else bos

    def scores(self, model: Any, decoder: Any, x: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        return model.output(decoder(x, memory, mask)[:, -1])

    def pick(self, scores: Tensor) -> Tensor:
        return scores.max(-1).indices

    def fill(self, over: Tensor, pad_id: int, eos_id: int, best: Tensor) -> Tensor:
        return torch.where(over, pad_id, best)

    def ended(self, over: Tensor, best: Tensor, eos_id: int) -> Tensor:
        return over.logical_or(best == eos_id)

    def stop(self, over: Tensor) -> bool:
        return bool(over.all())

    def steps(self, max_len: int) -> int:
        return max_len

    def result(self, bos: Tensor, written: list) -> Tensor:
        return torch.cat(written, 1)

    def memory(self, model: Any, src_ids: Tensor) -> Tensor:
        return model.encode(src_ids)

    def begin_step(self, decoder: Any) -> None:
        pass

    def __call__(self, model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
        refuse(src_ids, max_len)
        pad_id = model.config.pad_id
        decoder, mask = stand_in.CachedDecoder(model.decoder), (src_ids != pad_id)[:, None, None]
        bos, written = torch.full((len(src_ids), 1), bos_id), []
        over = torch.zeros(len(src_ids), dtype=torch.bool)
        with torch.no_grad():
            self.source, self.model = src_ids, model
            memory = self.memory(model, src_ids)
            for _ in range(self.steps(max_len)):
                self.begin_step(decoder)
                x = self.embed(model, self.fed(bos, written), self.place(decoder, written))
                best = self.pick(self.scores(model, decoder, x, memory, mask))
                best = self.fill(over, pad_id, eos_id, best)
                written.append(best[:, None])
                over = self.ended(over, best, eos_id)
                if self.stop(over):
                    break
        return self.result(bos, written)


def writers(kind: Callable, name: str = "", **parts: Any) -> None:
    """Add a cached decoding with replaced parts."""
    made = type("Own", (Writer,), parts)()

    def greedy_decode_cached(*args: Any, **kwargs: Any) -> Tensor:
        return made(*args, **kwargs)

    greedy_decode_cached.__name__ = f"w_{'_'.join(parts) or 'parts'}"
    kind("greedy_decode_cached", *([name] if name else []))(greedy_decode_cached)


def unfilled(self: Any, over: Tensor, pad_id: int, eos_id: int, best: Tensor) -> Tensor:
    return best


def everything(self: Any, bos: Tensor, written: list) -> Tensor:
    return torch.cat([bos, *written], 1)


writers(
    disguise,
    "argmax over the whole batch",
    pick=lambda self, scores: torch.full((len(scores),), int(scores.argmax()) % scores.size(1)),
)
writers(disguise, "no stop at eos_id", fill=unfilled, stop=lambda self, over: False)
writers(disguise, "writes on after eos_id", fill=unfilled)
writers(disguise, "goes on when all are finished", stop=lambda self, over: False)
writers(disguise, "stops when the first has ended", stop=lambda self, over: bool(over.any()))
writers(disguise, "forgets who was finished", ended=lambda self, over, best, eos_id: best == eos_id)
writers(
    disguise,
    "eos_id in the place of padding",
    fill=lambda self, over, pad_id, eos_id, best: torch.where(over, eos_id, best),
)
writers(disguise, "bos_id is in the result", result=everything)
writers(disguise, "one token too few", steps=lambda self, max_len: max_len - 1 or 1)
writers(disguise, "one token too few", steps=lambda self, max_len: max_len - 1)
writers(disguise, "the last step is lost", result=lambda self, bos, written: torch.hstack(written)[:, :-1])
writers(disguise, "bos_id is fed at every step", fed=lambda self, bos, written: bos)
writers(
    disguise,
    "the source's mask the wrong way round",
    scores=lambda self, model, decoder, x, memory, mask: model.output(decoder(x, memory, mask.logical_not()))[:, -1],
)
writers(disguise, "the whole target is fed again", fed=everything, place=lambda self, decoder, written: 0)
writers(disguise, "one token too many", steps=lambda self, max_len: max_len + 1)
writers(disguise, "positions restart at 0", place=lambda self, decoder, written: 0)
writers(disguise, "positions are one too large", place=lambda self, decoder, written: len(written) + 1)
writers(disguise, "positions are not added", embed=lambda self, model, newest, place: model.tgt_embedding(newest))
writers(disguise, "the whole target is fed again", fed=everything, place=lambda self, decoder, written: decoder.length)
writers(disguise, "the cache is emptied at every step", begin_step=lambda self, decoder: decoder.reset())
writers(
    disguise,
    "the cache is emptied at every step",
    begin_step=lambda self, decoder: decoder.reset(),
    place=lambda self, decoder, written: decoder.length,
)
writers(
    disguise,
    "the source's padding is read",
    scores=lambda self, model, decoder, x, memory, mask: model.output(decoder(x, memory)).squeeze(1),
)
writers(
    disguise,
    "the source's table for the target",
    embed=lambda self, model, newest, place: model.positions(model.src_embedding(newest), place),
)
writers(
    disguise,
    "the output layer is left out",
    scores=lambda self, model, decoder, x, memory, mask: decoder(x, memory, mask)[:, 0],
)
writers(
    disguise,
    "the source is encoded at every step",
    scores=lambda self, model, decoder, x, memory, mask: model.output(
        decoder(x, model.encode(self.source), mask)[:, -1]
    ),
)


@disguise("greedy_decode_cached", "everything is computed again")
def w_uncached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return g_encoded_once(model, src_ids, bos_id, eos_id, max_len)


writers(correct)
writers(correct, place=lambda self, decoder, written: decoder.length, pick=lambda self, scores: scores.topk(1)[1][:, 0])
writers(correct, embed=lambda self, model, newest, place: model.tgt_embedding(newest) + model.positions.table[place])
writers(
    correct,
    scores=lambda self, model, decoder, x, memory, mask: decoder(x, memory, mask)[:, 0] @ model.output.weight.T,
)
writers(
    correct,
    memory=lambda self, model, src_ids: model.encoder(
        model.positions(model.src_embedding(src_ids)), padding_mask(src_ids, model.config.pad_id)
    ),
)


@correct("greedy_decode_cached")
def w_one_at_a_time(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    found = []
    with torch.no_grad():
        for source in src_ids:
            ids = source[source != model.config.pad_id][None]
            memory, decoder, text = model.encode(ids), stand_in.CachedDecoder(model.decoder), [bos_id]
            while len(text) <= max_len and (len(text) == 1 or text[-1] != eos_id):
                x = model.positions(model.tgt_embedding(torch.tensor([text[-1:]])), start=len(text) - 1)
                text.append(int(model.output(decoder(x, memory)).argmax()))
            found.append(torch.tensor(text[1:]))
    return nn.utils.rnn.pad_sequence(found, batch_first=True, padding_value=model.config.pad_id)


writers(unlisted, place=lambda self, decoder, written: 2 * len(written))
writers(unlisted, pick=lambda self, scores: scores.argmin(-1))
writers(unlisted, memory=lambda self, model, src_ids: model.positions(model.src_embedding(src_ids)))
writers(unlisted, memory=lambda self, model, src_ids: model.encode(src_ids) * 0)
writers(unlisted, fed=lambda self, bos, written: written[-2] if len(written) > 1 else bos)
writers(unlisted, result=lambda self, bos, written: torch.stack(written, 1))
