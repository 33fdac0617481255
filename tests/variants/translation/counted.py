"""Slips that were counted, each in another style than the solution."""

import math
from collections import Counter
from itertools import zip_longest
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.variants import disguise, unlisted

SPECIALS = ("<pad>", "<bos>", "<eos>")

# Vocabularies ----------------------------------------------------------------------------


@disguise("build_vocabulary", "tokens left out")
def c_returned_early(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = dict(zip(specials, range(len(specials)), strict=True))
    for token in sorted({token for sentence in sentences for token in sentence}):
        if token not in ids:
            ids[token] = len(ids)
            return ids
    return ids


@disguise("build_vocabulary", "special tokens turned round")
def c_popped(sentences: Any, specials: Any = SPECIALS) -> Any:
    left, ids = list(specials), {}
    while left:
        ids[left.pop()] = len(ids)
    for token in sorted(Counter(token for sentence in sentences for token in sentence)):
        ids.setdefault(token, len(ids))
    return ids


@disguise("build_vocabulary", "one id for all special tokens")
def c_from_keys(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = dict.fromkeys(specials, 0)
    for token in sorted({token for sentence in sentences for token in sentence}.difference(specials)):
        ids[token] = len(ids)
    return ids


@disguise("build_vocabulary", "special tokens sorted in with the others")
def c_if_absent(sentences: Any, specials: Any = SPECIALS) -> Any:
    met = sorted({token for sentence in sentences for token in sentence})
    return {token: i for i, token in enumerate([one for one in specials if one not in met] + met)}


# Batches ----------------------------------------------------------------------------


def rows_of(sequences: Any) -> list[list[int]]:
    if not sequences:
        raise ValueError("nothing")
    return [list(ids) for ids in sequences]


@disguise("pad_batch", "padding on both sides")
def c_centred(sequences: Any, pad_id: int = 0) -> Any:
    rows = rows_of(sequences)
    batch = torch.full((len(rows), max(map(len, rows))), pad_id)
    for into, ids in zip(batch, rows, strict=True):
        start = (len(into) - len(ids)) // 2
        into[start : start + len(ids)] = torch.tensor(ids, dtype=torch.long)
    return batch


@disguise("pad_batch", "padding before the last id")
def c_inserted(sequences: Any, pad_id: int = 0) -> Any:
    rows = rows_of(sequences)
    for row in rows:
        while len(row) < max(map(len, rows)):
            row.insert(-1, pad_id)
    return torch.tensor(rows)


@disguise("pad_batch", "ids turned round")
def c_reversed(sequences: Any, pad_id: int = 0) -> Any:
    columns = list(zip_longest(*map(reversed, rows_of(sequences)), fillvalue=pad_id))
    return torch.tensor(columns).t()


@disguise("pad_batch", "ids sorted, or once each")
def c_sorted(sequences: Any, pad_id: int = 0) -> Any:
    rows = [torch.tensor(sorted(ids), dtype=torch.long) for ids in rows_of(sequences)]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad_id)


@disguise("pad_batch", "ids lost")
def c_one_less(sequences: Any, pad_id: int = 0) -> Any:
    rows = rows_of(sequences)
    batch = np.full((len(rows), max(map(len, rows))), pad_id)
    for into, ids in zip(batch, rows, strict=True):
        for place in range(len(ids) - 1):
            into[place] = ids[place]
    return torch.from_numpy(batch)


@disguise("pad_batch", "sequences left out")
def c_overwritten(sequences: Any, pad_id: int = 0) -> Any:
    rows = rows_of(sequences)
    for row in rows:
        made = torch.tensor([row + [pad_id] * (max(map(len, rows)) - len(row))])
    return made


@disguise("pad_batch", "reshaped instead of transposed")
def c_viewed(sequences: Any, pad_id: int = 0) -> Any:
    flat = [one for column in zip_longest(*rows_of(sequences), fillvalue=pad_id) for one in column]
    return torch.tensor(flat).view(len(sequences), -1)


@disguise("pad_batch", "the largest sequence instead of the longest")
def c_largest(sequences: Any, pad_id: int = 0) -> Any:
    rows = rows_of(sequences)
    width = len(sorted(rows)[-1])
    return torch.tensor([row + (width - len(row)) * [pad_id] for row in rows])


# Whole translations ----------------------------------------------------------------------------


@disguise("exact_match", "an end in the last column refused")
def c_not_the_last(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    if len(outputs) != len(targets):
        raise ValueError("as many outputs as targets")
    width = min(outputs.size(1), targets.size(1))
    end = (targets == eos_id).int().argmax(1)
    counts = torch.arange(width) <= end[:, None]
    return ((outputs[:, :width] == targets[:, :width]) | ~counts).all(1) & (end < width - 1)


@disguise("exact_match", "the end of another translation")
def c_one_end(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    if len(outputs) != len(targets):
        raise ValueError("as many outputs as targets")
    end = int((targets[0] == eos_id).nonzero()[0]) + 1
    rows = zip(outputs.tolist(), targets.tolist(), strict=True)
    return torch.tensor([output[:end] == target[:end] for output, target in rows], dtype=torch.bool)


# Alignment ----------------------------------------------------------------------------


def needed(wanted: Tensor) -> Tensor:
    if bool((wanted < 0).all()):
        raise ValueError("nothing counts")
    return wanted > -1


@disguise("alignment_share", "all heads have to agree")
def c_agree(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    hit = torch.ones_like(counts)
    for head in weights.unbind(1):
        hit &= head.argmax(-1) == wanted
    return (hit & counts).sum().item() / counts.sum().item()


@disguise("alignment_share", "the heads taken together otherwise")
def c_geometric(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    place = weights.log().mean(1).argmax(-1)
    return (place == wanted)[counts].double().mean().item()


@disguise("alignment_share", "a head left out")
def c_without_the_first(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    heads = list(weights.unbind(1))
    total = sum(heads[1:]) if len(heads) > 1 else heads[0]
    return (torch.as_tensor(total).argmax(-1) == wanted)[counts].double().mean().item()


@disguise("alignment_share", "places counted from 1")
def c_from_one(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    places = 1 + weights.sum(1).max(-1)[1]
    return torch.eq(places[counts], wanted[counts]).double().mean().item()


@disguise("alignment_share", "whole sentences")
def c_sentences(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    right = 0
    for row, places in zip(weights.sum(1).argmax(-1).tolist(), wanted.tolist(), strict=True):
        right += all(a == b for a, b in zip(row, places, strict=True) if b != -1)
    return right / len(wanted)


@disguise("alignment_share", "one sentence only")
def c_last_sentence(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    for row, places in zip(weights.sum(1).argmax(-1).tolist(), wanted.tolist(), strict=True):
        kept = [a == b for a, b in zip(row, places, strict=True) if b >= 0]
    return sum(kept) / max(len(kept), 1)


@disguise("alignment_share", "divided by the sentences")
def c_by_the_batch(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    return float(((weights.sum(1).argmax(-1) == wanted) & counts).sum()) / weights.shape[0]


@disguise("alignment_share", "weights compared with places")
def c_values(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    values, _ = weights.mean(1).max(-1)
    return (values == wanted)[counts].double().mean().item()


@disguise("alignment_share", "sentences and tokens exchanged")
def c_flat(weights: Tensor, wanted: Tensor) -> Any:
    needed(wanted)
    places = wanted.t().reshape(-1)
    rows = weights.mean(1).reshape(-1, weights.size(-1))
    return (rows.argmax(1) == places)[places != -1].double().mean().item()


@unlisted("alignment_share")
def c_of_all_sources(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    return ((weights.sum(1).argmax(-1) == wanted) & counts).sum().item() / weights.size(-1)


@unlisted("alignment_share")
def c_last_of_the_row(weights: Tensor, wanted: Tensor) -> Any:
    counts = needed(wanted)
    place = weights.size(-1) - 1 - weights.mean(1).argmax(-1)
    return (place == wanted)[counts].double().mean().item()


# BLEU ----------------------------------------------------------------------------


def c_blend(
    outputs: Any, references: Any, max_n: int, shaped: Any = tuple, mean: Any = None, empty: float = 0.0
) -> float:
    """The precisions' mean by powers, without brevity."""
    if not outputs or len(outputs) - len(references):
        raise ValueError("as many of both, and one at least")
    shares = []
    for n in range(max_n):
        right = written = 0
        for pair in zip(outputs, references, strict=True):
            one, other = (Counter(shaped(row[i : i + n + 1]) for i in range(len(row) - n)) for row in pair)
            right += sum((one & other).values())
            written += sum(one.values())
        shares.append(right / written if written else empty)
    if min(shares) <= 0:
        return 0.0
    return 100 * (mean(shares) if mean else np.prod(np.power(shares, 1 / max_n)))


def c_tokens(side: Any) -> int:
    return sum(1 for row in side for _ in row)


@disguise("corpus_bleu", "brevity all or nothing")
def c_cut_off(outputs: Any, references: Any, max_n: int = 4) -> float:
    found = c_blend(outputs, references, max_n)
    return float(found * (c_tokens(outputs) >= c_tokens(references)))


def c_short(found: float, o: int, r: int) -> float:
    return float(found) if found == 0 or o >= r else float(found * np.exp(1 - r / o))


@disguise("corpus_bleu", "brevity of other lengths")
def c_in_letters(outputs: Any, references: Any, max_n: int = 4) -> float:
    o, r = (sum(len(" ".join(row)) for row in side) for side in (outputs, references))
    return c_short(c_blend(outputs, references, max_n), o, r)


@disguise("corpus_bleu", "one precision for all")
def c_middle(outputs: Any, references: Any, max_n: int = 4) -> float:
    found = c_blend(outputs, references, max_n, mean=lambda shares: sorted(shares)[len(shares) // 2])
    return c_short(found, c_tokens(outputs), c_tokens(references))


@disguise("corpus_bleu", "the order of the tokens ignored")
def c_shuffled(outputs: Any, references: Any, max_n: int = 4) -> float:
    found = c_blend(outputs, references, max_n, shaped=lambda row: tuple(sorted(row)))
    return c_short(found, c_tokens(outputs), c_tokens(references))


@disguise("corpus_bleu", "a length without n-grams counts as right")
def c_nothing_is_right(outputs: Any, references: Any, max_n: int = 4) -> float:
    found = c_blend(outputs, references, max_n, empty=1.0)
    return float(found * math.exp(min(0.0, 1 - c_tokens(references) / c_tokens(outputs))))
