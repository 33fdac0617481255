"""Lesson 15: disguises of what a stranger wrote from the page alone."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise
from tests.variants.bert.embeddings import Tables
from tests.variants.bert.heads import Parts

PACK, HEAD, LOSS, NEXT, SUM = "pack_pair", "MaskedLanguageHead", "masked_loss", "next_sentences", "BertEmbedding"
Text = Sequence[int]
Documents = Sequence[Sequence[str]]


def cut(first: Text, second: Text | None, max_len: int) -> tuple[list[int], list[int] | None]:
    """Both texts, as long as they may be."""
    room = max_len - (2 if second is None else 3)
    if room < 0:
        raise ValueError("no room")
    a, b = len(first), 0 if second is None else len(second)
    while a + b > room:
        a, b = (a, b - 1) if a <= b else (a - 1, b)
    return list(first)[:a], None if second is None else list(second)[:b]


def row(texts: Sequence[Text], start: Text, sep_id: int) -> Any:
    """What opens the row, then each text and its [SEP]."""
    ids, segments = list(start), [0] * len(start)
    for number, text in enumerate(texts):
        ids.extend([*text, sep_id])
        segments.extend([number] * (len(text) + 1))
    return ids, segments


@disguise(PACK, "each text is cut to one half")
def p_halves(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    cut(first, second, max_len)
    if second is None:
        return row([first[: max_len - 2]], [cls_id], sep_id)
    room = max_len - 3
    if len(first) + len(second) > room:
        first, second = first[: math.ceil(room / 2)], second[: math.floor(room / 2)]
    return row([first, second], [cls_id], sep_id)


@disguise(PACK, "[CLS] at the end")
def p_last(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    kept, behind = cut(first, second, max_len)
    texts = [kept] if behind is None else [kept, behind]
    ids, segments = row(texts, [], sep_id)
    ids.append(cls_id)
    segments.append(len(texts) - 1)
    return ids, segments


@disguise(PACK, "the first text twice")
def p_twice(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    kept, behind = cut(first, second, max_len)
    return row([kept] if behind is None else [kept, kept], [cls_id], sep_id)


@disguise(HEAD, "the norm over more than the features")
class NormOfRows(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        bent = self.bend(self.transform(x))
        over = (-2, -1)[-bent.dim() :]
        centred = bent - bent.mean(over, keepdim=True)
        return centred / (centred.square().mean(over, keepdim=True) + 1e-5).sqrt()


@disguise(HEAD, "GELU once more")
class BentAgain(Parts):
    def score(self, x: Tensor) -> Tensor:
        return super().score(self.bend(x))


@disguise(HEAD, "the transform twice")
class TurnedTwice(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return super().prepare(self.transform(x))


@disguise(HEAD, "cosines with the table")
class Cosines(Parts):
    def score(self, x: Tensor) -> Tensor:
        table = self.output.weight / self.output.weight.norm(dim=-1, keepdim=True)
        return F.linear(x, table, self.output.bias)


@disguise(HEAD, "the scores are normalized")
class ScoresNormed(Parts):
    def score(self, x: Tensor) -> Tensor:
        scores = super().score(x)
        centred = scores - scores.mean(-1, keepdim=True)
        return centred * (centred.square().mean(-1, keepdim=True) + 1e-5).rsqrt()


@disguise(LOSS, "a place of each row is left out")
def l_last(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels.ne(-100)
    kept[:, -1] = False
    total = F.cross_entropy(logits[kept], labels[kept], reduction="sum")
    return total / max(int(kept.sum()), 1)


def elsewhere(documents: Documents, number: int, draws: Iterator[float]) -> str:
    """A sentence of another document."""
    at = int(next(draws) * (len(documents) - 1))
    other = documents[at + (at >= number)]
    return other[int(next(draws) * len(other))]


def refuse(documents: Documents) -> None:
    """The given ValueError."""
    if len(documents) < 2 or any(len(one) == 0 for one in documents):
        raise ValueError("too few")


def told(documents: Documents, draws: Iterator[float]) -> list[tuple[str, str, bool]]:
    """As it should be."""
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            stays = next(draws) < 0.5
            found.append((first, second if stays else elsewhere(documents, number, draws), stays))
    return found


@disguise(NEXT, "not one tuple of three for each")
def n_unlabelled(documents: Documents, draws: Iterator[float]) -> Any:
    return [one[:2] for one in told(documents, draws)]


@disguise(NEXT, "a document is left out")
def n_shorter(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number in range(len(documents) - 1):
        for first, second in pairwise(documents[number]):
            stays = next(draws) < 0.5
            found.append((first, second if stays else elsewhere(documents, number, draws), stays))
    return found


@disguise(NEXT, "the first sentence of all pairs")
def n_first(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        before, *rest = document
        for sentence in rest:
            stays = next(draws) < 0.5
            found.append((before, sentence if stays else elsewhere(documents, number, draws), stays))
    return found


@disguise(NEXT, "what was put there begins the next pair")
def n_carried(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        before, *rest = document
        for sentence in rest:
            stays = next(draws) < 0.5
            behind = sentence if stays else elsewhere(documents, number, draws)
            found.append((before, behind, stays))
            before = behind
    return found


@disguise(NEXT, "a neighbour for the document itself")
def n_beside(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found, count = [], len(documents)
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            stays = next(draws) < 0.5
            if not stays:
                at = int(next(draws) * count)
                if at == number:
                    at = 0 if at + 1 == count else at + 1
                second = documents[at][int(next(draws) * len(documents[at]))]
            found.append((first, second, stays))
    return found


@disguise(SUM, "one of the vectors twice")
class PlacesTwice(Tables):
    def place(self, ids: Tensor, segments: Tensor | None) -> Any:
        return super().place(ids, segments) + super().place(ids, segments)


@disguise(SUM, "the norm over more than the features")
class NormOfTexts(Tables):
    def finish(self, x: Tensor) -> Tensor:
        centred = x - x.mean((1, 2), keepdim=True)
        same: nn.Module = self.dropout
        return same(centred / torch.sqrt(centred.square().mean((1, 2), keepdim=True) + 1e-5))
