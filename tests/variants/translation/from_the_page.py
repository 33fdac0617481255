"""Slips that an adversary wrote who had the page alone."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import disguise, unlisted

SPECIALS = ("<pad>", "<bos>", "<eos>")

# Vocabularies ----------------------------------------------------------------------------


def others_of(sentences: Any, specials: Any) -> list[str]:
    """All tokens but the special ones, sorted."""
    return sorted(token for token in Counter(token for one in sentences for token in one) if token not in specials)


@disguise("build_vocabulary", "the other ids from 0 again")
def v_again(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = dict(zip(specials, range(len(specials)), strict=True))
    ids.update((token, i) for i, token in enumerate(others_of(sentences, specials)))
    return ids


@disguise("build_vocabulary", "a gap behind the special tokens")
def v_gap(sentences: Any, specials: Any = SPECIALS) -> Any:
    ids = {token: i for i, token in enumerate(specials)}
    for i, token in enumerate(others_of(sentences, specials), start=len(specials) + 1):
        ids[token] = i
    return ids


@disguise("build_vocabulary", "ids that are no whole numbers")
def v_floats(sentences: Any, specials: Any = SPECIALS) -> Any:
    number, ids = 0.0, {}
    for token in [*specials, *others_of(sentences, specials)]:
        ids[token] = number
        number += 1.0
    return ids


@disguise("build_vocabulary", "words joined")
def v_sentences(sentences: Any, specials: Any = SPECIALS) -> Any:
    rows = sorted(set(map(tuple, sentences)))
    return {token: i for i, token in enumerate(list(specials) + rows)}


@disguise("build_vocabulary", "special tokens left out")
def v_only_met(sentences: Any, specials: Any = SPECIALS) -> Any:
    return {token: i for i, token in enumerate(others_of(sentences, ()))}


@unlisted("build_vocabulary")
def v_stripped(sentences: Any, specials: Any = SPECIALS) -> Any:
    others = others_of([[token.strip() for token in one] for one in sentences], specials)
    return {token: i for i, token in enumerate([*specials, *others])}


# Batches ----------------------------------------------------------------------------


@disguise("pad_batch", "as wide as the first sequence")
def b_last(sequences: Any, pad_id: int = 0) -> Any:
    if not len(sequences):
        raise ValueError("nothing")
    width = len(sequences[-1])
    rows = [torch.tensor(list(ids), dtype=torch.long) for ids in sequences]
    return torch.stack([F.pad(row, (0, width - len(row)), value=pad_id) for row in rows])


@disguise("pad_batch", "no tensor")
def b_ragged(sequences: Any, pad_id: int = 0) -> Any:
    if not len(sequences):
        raise ValueError("nothing")
    return [torch.LongTensor(ids) for ids in sequences]


# Whole translations ----------------------------------------------------------------------------


def aligned(outputs: Tensor, targets: Tensor, value: int = -5) -> Tensor:
    """Outputs, as wide as the targets."""
    if len(outputs) != len(targets):
        raise ValueError("as many outputs as targets")
    width = targets.size(1)
    return F.pad(outputs, (0, max(0, width - outputs.size(1))), value=value)[:, :width]


def counting(targets: Tensor, eos_id: int) -> Tensor:
    """What counts: up to and with the first end."""
    ends = (targets == eos_id).long()
    return ends.cumsum(1) - ends == 0


@disguise("exact_match", "what stands behind the end counts")
def m_whole_width(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return (aligned(outputs, targets) == targets).all(1)


@disguise("exact_match", "padding in the output counts as right")
def m_output_padding(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    written = aligned(outputs, targets)
    return ((written == targets) | (written == 0)).all(1)


@disguise("exact_match", "padding on either side counts as right")
def m_both_paddings(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    written = aligned(outputs, targets)
    real = (written != 0) & (targets != 0)
    return ((written == targets) | ~real).all(1)


@disguise("exact_match", "padding on either side counts as right")
def m_both_paddings_cut(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    if len(outputs) != len(targets):
        raise ValueError("as many outputs as targets")
    width = min(outputs.size(1), targets.size(1))
    one, other = outputs[:, :width], targets[:, :width]
    return (one.eq(other) | one.eq(0) | other.eq(0)).all(-1)


@disguise("exact_match", "only what stands behind the end is compared")
def m_behind(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return ((aligned(outputs, targets) == targets) | counting(targets, eos_id)).all(1)


@disguise("exact_match", "all tokens have to differ")
def m_differ(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    return ((aligned(outputs, targets) != targets) | ~counting(targets, eos_id)).all(1)


@disguise("exact_match", "an output without an end counts as right")
def m_filled_with_end(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    written = aligned(outputs, targets, value=eos_id)
    return ((written == targets) | ~counting(targets, eos_id)).all(1)


@disguise("exact_match", "an end of 0 is taken for padding")
def m_filled_with_0(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    written = aligned(outputs, targets, value=0)
    return ((written == targets) | ~counting(targets, eos_id)).all(1)


@disguise("exact_match", "0 is taken for padding")
def m_zeros_out(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    aligned(outputs, targets)
    rows = zip(outputs, targets, strict=True)
    return torch.tensor([one[one != 0].tolist() == other[other != 0].tolist() for one, other in rows])


@disguise("exact_match", "another number of targets accepted")
def m_torch_complains(outputs: Tensor, targets: Tensor, eos_id: int) -> Any:
    width = targets.size(1)
    written = F.pad(outputs, (0, max(0, width - outputs.size(1))), value=-5)[:, :width]
    return ((written == targets) | ~counting(targets, eos_id)).all(1)


# Alignment ----------------------------------------------------------------------------


def asked(wanted: Tensor) -> None:
    if not (wanted >= 0).any():
        raise ValueError("nothing counts")


@disguise("alignment_share", "-1 is taken for a place")
def a_first_place(weights: Tensor, wanted: Tensor) -> float:
    asked(wanted)
    return weights.sum(1).argmax(-1).eq(wanted.relu()).double().mean().item()


@disguise("alignment_share", "-1 is taken for a place")
def a_last_place(weights: Tensor, wanted: Tensor) -> float:
    asked(wanted)
    hits = [
        row[place].item() == row.max().item()
        for mean, places in zip(weights.mean(1), wanted.tolist(), strict=True)
        for row, place in zip(mean, places, strict=True)
    ]
    return sum(hits) / len(hits)


@disguise("alignment_share", "tokens without a source count")
def a_free_hits(weights: Tensor, wanted: Tensor) -> float:
    asked(wanted)
    return torch.where(wanted < 0, True, weights.mean(1).argmax(-1) == wanted).double().mean().item()


@disguise("alignment_share", "the rest after a -1 is left out")
def a_break(weights: Tensor, wanted: Tensor) -> float:
    asked(wanted)
    hits = total = 0
    for mean, places in zip(weights.mean(1), wanted.tolist(), strict=True):
        for row, place in zip(mean, places, strict=True):
            if place == -1:
                break
            hits, total = hits + (int(row.argmax()) == place), total + 1
    return hits / total


# BLEU ----------------------------------------------------------------------------


def grams(tokens: Any, n: int) -> Counter:
    return Counter(" ".join([f"{len(one)}:{one}" for one in tokens[i : i + n]]) for i in range(len(tokens) - n + 1))


def refused(outputs: Any, references: Any) -> None:
    if len(outputs) != len(references) or not outputs:
        raise ValueError("as many of both")


def precisions(outputs: Any, references: Any, orders: Any) -> Iterator[float]:
    """The precision of each length."""
    for n in orders:
        both = [(grams(one, n), grams(other, n)) for one, other in zip(outputs, references, strict=False)]
        total = sum(sum(one.values()) for one, _ in both)
        yield sum(sum((one & other).values()) for one, other in both) / max(total, 1)


def mean_of(shares: list[float]) -> float:
    """The geometric mean; 0 if one of them is 0."""
    return math.prod(shares) ** (1 / len(shares))


def short(outputs: Any, references: Any) -> tuple[int, int]:
    return sum(len(one) for one in outputs), sum(len(one) for one in references)


def brevity(o: int, r: int) -> float:
    return 1.0 if o >= r else math.exp(1 - r / o) if o else 0.0


@disguise("corpus_bleu", "counted as often as the reference has it")
def s_reference_counts(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    shares = []
    for n in range(1, max_n + 1):
        both = [(grams(one, n), grams(other, n)) for one, other in zip(outputs, references, strict=True)]
        total = sum(sum(one.values()) for one, _ in both)
        shares.append(sum(other[gram] for one, other in both for gram in one) / max(total, 1))
    return 100 * mean_of(shares) * brevity(*short(outputs, references))


@disguise("corpus_bleu", "another exponent in brevity")
def s_without_1(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    o, r = short(outputs, references)
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    return 100 * mean_of(shares) * (1 if o >= r else math.exp(-r / o) if o else 0)


@disguise("corpus_bleu", "another exponent in brevity")
def s_brackets(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    o, r = short(outputs, references)
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    return 100 * mean_of(shares) * (1 if o >= r else math.exp((1 - r) / o) if o else 0)


@disguise("corpus_bleu", "the longest n-grams only")
def s_overwritten(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    if not all(shares):
        return 0.0
    return 100 * shares[-1] ** (1 / max_n) * brevity(*short(outputs, references))


@disguise("corpus_bleu", "lengths from 0")
def s_from_0(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    logs = 0.0
    for n in range(max_n):
        both = [(grams(one, n), grams(other, n)) for one, other in zip(outputs, references, strict=True)]
        shared = sum(sum((one & other).values()) for one, other in both)
        if shared == 0:
            return 0.0
        logs += math.log(shared / sum(sum(one.values()) for one, _ in both))
    o, r = short(outputs, references)
    return 100 * math.exp(logs / max_n) * min(1.0, math.exp(1 - r / o))


@disguise("corpus_bleu", "empty outputs left out")
def s_none_empty(outputs: Any, references: Any, max_n: int = 4) -> Any:
    refused(outputs, references)
    kept = [(one, other) for one, other in zip(outputs, references, strict=True) if one]
    if not kept:
        return 0.0
    outputs, references = zip(*kept, strict=True)
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    return 100 * mean_of(shares) * brevity(*short(outputs, references))


@disguise("corpus_bleu", "a corpus of nothing accepted")
def s_nothing(outputs: Any, references: Any, max_n: int = 4) -> Any:
    if len(outputs) != len(references):
        raise ValueError("as many of both")
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    return 100 * mean_of(shares) * brevity(*short(outputs, references))


@disguise("corpus_bleu", "another number of references accepted")
def s_no_refusal(outputs: Any, references: Any, max_n: int = 4) -> Any:
    shares = list(precisions(outputs, references, range(1, max_n + 1)))
    return 100 * mean_of(shares) * brevity(*short(outputs, references))
