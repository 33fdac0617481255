"""Lesson 12 on torch's padding, on whole tensors and on sacrebleu, another way than the reference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from autograder.probing.watch import outside_the_watch

GIVEN = ("ngrams",)
"""What the lesson gives ready-made, so that it is served without being checked."""


def build_vocabulary(
    sentences: Sequence[Sequence[str]], specials: Sequence[str] = ("<pad>", "<bos>", "<eos>")
) -> dict[str, int]:
    """Special tokens first, the others as sorted."""
    ids = {token: i for i, token in enumerate(specials)}
    for token in sorted(Counter(chain.from_iterable(sentences))):
        ids.setdefault(token, len(ids))
    return ids


@outside_the_watch
def pad_batch(sequences: Sequence[Sequence[int]], pad_id: int = 0) -> Tensor:
    """torch's pad_sequence, batch first."""
    if not sequences:
        raise ValueError("an empty batch; give at least one sequence")
    rows = [torch.tensor(list(ids), dtype=torch.long) for ids in sequences]
    return pad_sequence(rows, batch_first=True, padding_value=pad_id)


@outside_the_watch
def exact_match(outputs: Tensor, targets: Tensor, eos_id: int) -> Tensor:
    """All places up to the target's first eos_id at once; a shorter output lacks the rest."""
    if outputs.size(0) != targets.size(0):
        raise ValueError(f"{outputs.size(0)} outputs for {targets.size(0)} targets; give as many")
    ended = (targets == eos_id).long().cumsum(1) - (targets == eos_id).long()  # how many ends stand before a place
    missing = max(0, targets.size(1) - outputs.size(1))
    nothing = torch.full((outputs.size(0), missing), -1)
    written = torch.cat([outputs, nothing], dim=1)[:, : targets.size(1)]
    return ((written == targets) | (ended > 0)).all(1)


@outside_the_watch
def alignment_share(weights: Tensor, wanted: Tensor) -> float:
    """Hits divided by places that count; the sum over the heads is largest where their mean is."""
    batch, place = torch.where(wanted >= 0)
    if len(batch) == 0:
        raise ValueError("nothing to count: no place is wanted")
    rows = weights.sum(1)[batch, place]  # (counting, src_len)
    return int((rows.argmax(-1) == wanted[batch, place]).sum()) / len(batch)


@outside_the_watch
def corpus_bleu(outputs: Sequence[Sequence[str]], references: Sequence[Sequence[str]], max_n: int = 4) -> float:
    """sacrebleu's, with every token numbered, so that none is cut or joined."""
    if len(outputs) != len(references) or not outputs:
        raise ValueError(f"{len(outputs)} outputs for {len(references)} references; give as many, and at least one")
    from sacrebleu.metrics import BLEU  # half a second, and only for this

    numbers: dict[str, str] = {}
    texts = [
        [" ".join(numbers.setdefault(token, f"t{len(numbers)}") for token in sentence) for sentence in side]
        for side in (outputs, references)
    ]
    score = BLEU(tokenize="none", smooth_method="none", max_ngram_order=max_n, force=True)
    return float(score.corpus_score(texts[0], [texts[1]]).score)


def ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    """All n tokens in a row, and how often each stands there."""
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))
