"""Lesson 11: greedy decoding."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.attention import padding_mask
from tests.variants import correct, disguise, slips, unlisted


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


@disguise("greedy_decode", "the last token alone, and one argmax for all")
def g_article_source_mended(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """As the article of the notebook has it, with the source in its place."""
    refuse(src_ids, max_len)
    tgt_ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        logits = model(src_ids, tgt_ids[:, -1:])[:, -1]
        best = logits.argmax() % logits.size(-1)
        tgt_ids = torch.cat([tgt_ids, best.expand(len(src_ids), 1)], dim=1)
        if best == eos_id:
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


def g_rows(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """A list for every text."""
    refuse(src_ids, max_len)
    rows = [[bos_id] for _ in src_ids]
    for _ in range(0, max_len):
        scores = model(src_ids, torch.tensor(rows))[:, -1]
        for row, token in zip(rows, scores.argmax(1).tolist(), strict=True):
            row.append(model.config.pad_id if eos_id in row else token)
        if all(eos_id in row for row in rows):
            break
    return torch.tensor([row[1:] for row in rows])


slips(
    "greedy_decode",
    g_rows,
    {
        "feeds only the last token": {"torch.tensor(rows))[:, -1]": "torch.tensor(rows)[:, -1:])[:, -1]"},
        "the source is not read": {"model(src_ids": "model(torch.tensor(rows)"},
        "neither the source nor the target so far is read": {
            "model(src_ids, torch.tensor(rows))": "model(torch.tensor(rows), torch.tensor(rows)[:, -1:])"
        },
        "the logits of the first place": {"[:, -1]": "[:, 0]"},
        "argmax over the whole batch": {"scores.argmax(1).tolist()": "[int(scores.argmax())] * len(rows)"},
        "no stop at eos_id": {
            "model.config.pad_id if eos_id in row else token": "token",
            "        if all(eos_id in row for row in rows):\n            break\n": "",
        },
        "writes on after eos_id": {"model.config.pad_id if eos_id in row else token": "token"},
        "goes on when all are finished": {"        if all(eos_id in row for row in rows):\n            break\n": ""},
        "stops when the first has ended": {"if all(": "if any("},
        "forgets who was finished": [
            {"if eos_id in row else": "if row[-1] == eos_id else"},
            {"if eos_id in row else": "if row[-1] == eos_id else", "all(eos_id in row": "all(eos_id == row[-1]"},
        ],
        "eos_id in the place of padding": {"model.config.pad_id": "eos_id"},
        "bos_id is in the result": {"[row[1:] for row in rows]": "rows"},
        "one token too few": {"range(0, max_len)": "range(1, max_len)"},
        "one token too many": {"range(0, max_len)": "range(0, max_len + 1)"},
        "bos_id is in the result + one token too few": {
            "[row[1:] for row in rows]": "rows",
            "range(0, max_len)": "range(1, max_len)",
        },
    },
)


def g_table(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    """Room for all tokens from the beginning."""
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1 + max_len), model.config.pad_id)
    ids[:, 0], place = bos_id, 0
    going = torch.ones(len(src_ids), dtype=torch.bool)
    while place < max_len and going.any():
        best = model(src_ids, ids[:, : place + 1])[:, place].max(-1).indices
        place += 1
        ids[going, place] = best[going]
        going &= best != eos_id
    return ids[:, 1 : place + 1]


slips(
    "greedy_decode",
    g_table,
    {
        "feeds only the last token": {"ids[:, : place + 1])[:, place]": "ids[:, place : place + 1])[:, 0]"},
        "the source is not read": [
            {"model(src_ids, ids": "model(ids[:, : place + 1], ids"},
            {"model(src_ids, ids": "model(src_ids * 0, ids"},
        ],
        "the logits of the first place": {"[:, place].max": "[:, 0].max"},
        "argmax over the whole batch": {"max(-1).indices": "argmax().repeat(len(src_ids))"},
        "no stop at eos_id": {" and going.any()": "", "        going &= best != eos_id\n": ""},
        "writes on after eos_id": {"ids[going, place] = best[going]": "ids[:, place] = best"},
        "goes on when all are finished": {" and going.any()": ""},
        "stops when the first has ended": {"going.any()": "going.all()"},
        "forgets who was finished": {"going &= best": "going = best"},
        "eos_id in the place of padding": {"model.config.pad_id": "eos_id"},
        "eos_id is not in the result": {
            "ids[going, place] = best[going]\n        going &= best != eos_id": (
                "going &= best != eos_id\n        ids[going, place] = best[going]"
            )
        },
        "bos_id is in the result": {"ids[:, 1 :": "ids[:, 0 :"},
        "the last step is lost": {"1 : place + 1": "1:place"},
        "one token too few": {"place < max_len": "place < max_len - 1"},
        "eos_id in the place of padding + bos_id is in the result": {
            "model.config.pad_id": "eos_id",
            "ids[:, 1 :": "ids[:, 0 :",
        },
    },
)


def g_one_text_at_a_time(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    texts = []
    for source in src_ids:
        text = [bos_id]
        while len(text) <= max_len and text[-1] != eos_id:
            text.append(int(model(source[None], torch.tensor([text]))[0, -1].argmax()))
        texts.append(torch.tensor(text[1:]))
    return nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=model.config.pad_id)


slips(
    "greedy_decode",
    g_one_text_at_a_time,
    {
        "feeds only the last token": {"torch.tensor([text])": "torch.tensor([text[-1:]])"},
        "the source is not read": {"source[None]": "torch.tensor([text])"},
        "neither the source nor the target so far is read": {
            "source[None], torch.tensor([text])": "torch.tensor([text]), torch.tensor([text[-1:]])"
        },
        "the logits of the first place": {"[0, -1]": "[0, 0]"},
        "no stop at eos_id": {" and text[-1] != eos_id": ""},
        "eos_id in the place of padding": {"model.config.pad_id": "eos_id"},
        "eos_id is not in the result": {
            "torch.tensor(text[1:])": "torch.tensor([model.config.pad_id if x == eos_id else x for x in text[1:]])"
        },
        "bos_id is in the result": {"text[1:]": "text"},
        "one token too few": {"<= max_len": "< max_len"},
        "one token too many": {"len(text) <=": "len(text) - 1 <="},
    },
)


def g_encoded_once(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    pad = model.config.pad_id
    memory, mask = model.encode(src_ids), padding_mask(src_ids, pad)
    ids, alive = torch.full_like(src_ids[:, :1], bos_id), torch.ones(len(src_ids), 1, dtype=torch.long)
    for _ in range(0, max_len):
        best = model.output(model.decode(ids, memory, mask))[:, -1:].argmax(-1)
        best = best * alive + pad * (1 - alive)
        ids = torch.cat((ids, best), dim=1)
        alive = alive * (best != eos_id).long()
        if alive.sum() == 0:
            return ids[:, 1:]
    return ids[:, 1:]


slips(
    "greedy_decode",
    g_encoded_once,
    {
        "feeds only the last token": {"decode(ids,": "decode(ids[:, -1:],"},
        "the source is not read": {
            "model.encode(src_ids)": "model.encode(src_ids * 0)",
            "padding_mask(src_ids,": "padding_mask(src_ids * 0,",
        },
        "the logits of the first place": {"[:, -1:].argmax": "[:, :1].argmax"},
        "no stop at eos_id": {"        best = best * alive + pad * (1 - alive)\n": "", "alive.sum() == 0": "False"},
        "writes on after eos_id": {"        best = best * alive + pad * (1 - alive)\n": ""},
        "goes on when all are finished": {"alive.sum() == 0": "max_len == 0"},
        "stops when the first has ended": {"alive.sum() == 0": "alive.sum() < len(alive)"},
        "forgets who was finished": {"alive * (best != eos_id).long()": "(best != eos_id).long()"},
        "eos_id in the place of padding": {"pad * (1": "eos_id * (1"},
        "one token too few": {"range(0, max_len)": "range(1, max_len)"},
        "one token too many": {"range(0, max_len)": "range(0, max_len + 1)"},
    },
)


def g_numpy(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = np.full((len(src_ids), 1), bos_id)
    over = np.zeros(len(src_ids), dtype=bool)
    while ids.shape[1] - 1 < max_len and not over.all():
        scores = model(src_ids, torch.from_numpy(ids)).detach().numpy()[:, -1]
        best = np.where(over, model.config.pad_id, scores.argmax(-1))
        ids, over = np.concatenate([ids, best[:, None]], 1), over | (best == eos_id)
    return torch.from_numpy(ids[:, 1:].copy())


slips(
    "greedy_decode",
    g_numpy,
    {
        "feeds only the last token": {"torch.from_numpy(ids))": "torch.from_numpy(ids[:, -1:]))"},
        "the source is not read": {"model(src_ids,": "model(torch.from_numpy(ids),"},
        "the logits of the first place": {"numpy()[:, -1]": "numpy()[:, 0]"},
        "argmax over the whole batch": {"scores.argmax(-1)": "scores.argmax()"},
        "no stop at eos_id": {
            " and not over.all()": "",
            "np.where(over, model.config.pad_id, scores.argmax(-1))": "scores.argmax(-1)",
        },
        "writes on after eos_id": {"np.where(over, model.config.pad_id, scores.argmax(-1))": "scores.argmax(-1)"},
        "goes on when all are finished": {" and not over.all()": ""},
        "stops when the first has ended": {"not over.all()": "not over.any()"},
        "forgets who was finished": {"over | (best == eos_id)": "best == eos_id"},
        "eos_id in the place of padding": {"model.config.pad_id": "eos_id"},
        "bos_id is in the result": {"ids[:, 1:].copy()": "ids"},
        "the last step is lost": {"ids[:, 1:].copy()": "ids[:, 1:-1].copy()"},
        "one token too few": {"ids.shape[1] - 1 <": "ids.shape[1] <"},
        "one token too many": {"- 1 < max_len": "- 1 <= max_len"},
    },
)


@correct("greedy_decode")
def g_cached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode_cached(model.eval(), src_ids, bos_id, eos_id, max_len)


@disguise("greedy_decode", "source and target exchanged")
def g_exchanged(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    rows = [[bos_id] for _ in src_ids]
    while len(rows[0]) <= max_len and not all(eos_id in row[1:] for row in rows):
        tokens = model(torch.tensor(rows), src_ids)[:, -1].max(1).indices
        for row, token in zip(rows, tokens.tolist(), strict=True):
            row.append(model.config.pad_id if eos_id in row[1:] else token)
    return torch.tensor(rows)[:, 1:]


@disguise("greedy_decode", "the logits of a place of padding")
def g_end_of_buffer(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    buffer = torch.full((len(src_ids), max_len + 1), model.config.pad_id)
    buffer[:, 0] = bos_id
    ended, width = torch.zeros(len(src_ids), dtype=torch.bool), 1
    while width <= max_len and not ended.all():
        scores = model(src_ids, buffer)[:, -1]
        buffer[~ended, width] = scores.argmax(1)[~ended]
        ended |= buffer[:, width] == eos_id
        width += 1
    return buffer[:, 1:width]


@disguise("greedy_decode", "nothing but padding is written")
def g_silenced(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    return torch.full((len(src_ids), max_len), model.config.pad_id)


@disguise("greedy_decode", "no target ends by itself")
def g_together(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        ids = torch.cat((ids, model(src_ids, ids).argmax(-1)[:, -1:]), 1)
        if set(ids[:, -1].tolist()) == {eos_id}:
            break
    return ids[:, 1:]


@disguise("greedy_decode", "stops only when all end at once")
def g_at_once(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len)
    if (out[:, -1] == eos_id).all():
        return out
    return F.pad(out, (0, max_len - out.size(1)), value=model.config.pad_id)


@disguise("greedy_decode", "one row decides when to stop")
def g_first_row(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, stop=lambda ended: ended[0]))


@disguise("greedy_decode", "one row decides when to stop")
def g_last_row(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, stop=lambda ended: ended[-1]))


@disguise("greedy_decode", "the global EOS instead of eos_id")
def g_global_eos(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, 2, max_len))


@disguise("greedy_decode", "another id in the place of padding")
def g_filled_with_bos(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, filler=bos_id))


@disguise("greedy_decode", "another id in the place of padding")
def g_filled_with_minus_1(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    rows = loop(model, src_ids, bos_id, eos_id, max_len)
    ends = [row.index(eos_id) + 1 if eos_id in row else len(row) for row in rows]
    cut = [torch.tensor(row[:end]) for row, end in zip(rows, ends, strict=True)]
    return nn.utils.rnn.pad_sequence(cut, batch_first=True, padding_value=-1)


@disguise("greedy_decode", "eos_id is not in the result")
def g_lists_without_end(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    rows = loop(model, src_ids, bos_id, eos_id, max_len)
    cut = [torch.LongTensor(row[: row.index(eos_id)] if eos_id in row else row) for row in rows]
    return nn.utils.rnn.pad_sequence(cut, batch_first=True, padding_value=model.config.pad_id)


@disguise("greedy_decode", "bos_id is in the result")
def g_wrong_end_cut(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor([[bos_id, *row[:-1]] for row in loop(model, src_ids, bos_id, eos_id, max_len)])


@disguise("greedy_decode", "bos_id is in the result")
def g_row_cut(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    rows = [[bos_id, *row] for row in loop(model, src_ids, bos_id, eos_id, max_len)]
    return torch.tensor(rows)[1:]


@disguise("greedy_decode", "padding is never written")
def g_never_padding(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    def pick(logits: Tensor) -> Tensor:
        logits[:, model.config.pad_id] = -torch.inf
        return logits.argmax(-1)

    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, pick))


@disguise("greedy_decode", "pad_id is taken for an end")
def g_stops_at_padding(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    refuse(src_ids, max_len)
    ids = torch.full((len(src_ids), 1), bos_id)
    ends = torch.tensor([eos_id, model.config.pad_id])
    while ids.size(1) <= max_len and not torch.isin(ids[:, 1:], ends).any(1).all():
        over = torch.isin(ids[:, 1:], ends).any(1)
        best = model(src_ids, ids)[:, -1].argmax(-1)
        ids = torch.hstack((ids, torch.where(over, model.config.pad_id, best)[:, None]))
    return ids[:, 1:]


@disguise("greedy_decode", "nothing to write is not refused")
def g_no_refusal(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    ids = torch.full((len(src_ids), 1), bos_id)
    for _ in range(max_len):
        over = (ids[:, 1:] == eos_id).any(1)
        best = model(src_ids, ids)[:, -1].argmax(-1)
        ids = torch.hstack((ids, torch.where(over, model.config.pad_id, best)[:, None]))
        if (ids[:, 1:] == eos_id).any(1).all():
            break
    return ids[:, 1:]


# greedy_decode, wrong in other ways ----------------------------------------------------------------------------


@unlisted("greedy_decode")
def g_some_fill(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, filler=7))


@disguise("greedy_decode", "the lowest score")
def g_worst(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.argmin(-1)))


@disguise("greedy_decode", "the second-best token")
def g_second(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return torch.tensor(loop(model, src_ids, bos_id, eos_id, max_len, lambda one: one.topk(2).indices[:, 1]))


@disguise("greedy_decode", "no tensor of ids")
def g_floats(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len).float()


@disguise("greedy_decode", "the result turned round")
def g_flipped(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len).flip(1)


@unlisted("greedy_decode")
def g_eos_begins(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, eos_id, bos_id, max_len)


@disguise("greedy_decode", "not every source is read as it is")
def g_one_source(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids[:1].expand_as(src_ids), bos_id, eos_id, max_len)


@disguise("greedy_decode", "begins with another token + the global EOS instead of eos_id")
def g_fixed_ids(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    return stand_in.greedy_decode(model, src_ids, 1, 2, max_len)


@disguise("greedy_decode", "0 in the place of padding")
def g_zeros(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    out = stand_in.greedy_decode(model, src_ids, bos_id, eos_id, max_len)
    ended = (out == eos_id).cumsum(1) - (out == eos_id).long() > 0
    return out.masked_fill(ended, 0)


@disguise("greedy_decode", "padding in front")
def g_padded_in_front(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    found = g_lists(model, src_ids, bos_id, eos_id, max_len).tolist()
    short = [row[: row.index(eos_id) + 1] if eos_id in row else row for row in found]
    return torch.tensor([[model.config.pad_id] * (len(found[0]) - len(row)) + row for row in short])
