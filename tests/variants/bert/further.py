"""Lesson 15: disguises of what a stranger wrote from the page alone."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import disguise, unlisted
from tests.variants.bert.embeddings import Tables
from tests.variants.bert.heads import Parts
from tests.variants.bert.masking import Token, ruled
from tests.variants.bert.models import Given

PACK, HEAD, LOSS, NEXT, SUM = "pack_pair", "MaskedLanguageHead", "masked_loss", "next_sentences", "BertEmbedding"
MASKING, MODEL = "mask_tokens", "BERT"
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


@disguise(LOSS, "a place or a row is left out")
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


# Counted ----------------------------------------------------------------------------


@disguise(PACK, "segments of texts that are not yet cut")
def p_numbered_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    _, segments = row([first] if second is None else [first, second], [cls_id], sep_id)
    kept, behind = cut(first, second, max_len)
    ids, _ = row([kept] if behind is None else [kept, behind], [cls_id], sep_id)
    return ids, segments


@disguise(PACK, "segments that are no whole numbers")
def p_compared(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    kept, behind = cut(first, second, max_len)
    ids, _ = row([kept] if behind is None else [kept, behind], [cls_id], sep_id)
    return ids, [place >= len(kept) + 2 for place in range(len(ids))]


@disguise(PACK, "segments that are no whole numbers")
def p_of_zeros(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    kept, behind = cut(first, second, max_len)
    ids, _ = row([kept] if behind is None else [kept, behind], [cls_id], sep_id)
    numbers = torch.zeros(len(ids))
    numbers[len(kept) + 2 :] = 1
    return ids, numbers.tolist()


@disguise(PACK, "cut from the front")
def p_removed(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    cut(first, second, max_len)  # its ValueError
    texts = [list(first)] if second is None else [list(first), list(second)]
    while sum(map(len, texts)) + len(texts) + 1 > max_len:
        longest = max(reversed(texts), key=len)
        longest.remove(longest[-1])
    return row(texts, [cls_id], sep_id)


@disguise(PACK, "one list instead of two")
def p_attended(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    kept, behind = cut(first, second, max_len)
    ids, segments = row([kept] if behind is None else [kept, behind], [cls_id], sep_id)
    return ids, segments, [1 for _ in ids]


@disguise(PACK, "the last [SEP] is cut off")
def p_closed_first(first: Text, second: Text | None, cls_id: int, sep_id: int, max_len: int) -> Any:
    cut(first, second, max_len)  # its ValueError
    texts = [[cls_id, *first, sep_id]] + ([] if second is None else [[*second, sep_id]])
    while sum(map(len, texts)) > max_len:
        max(reversed(texts), key=len).pop()
    return [one for text in texts for one in text], [number for number, text in enumerate(texts) for _ in text]


disguise(MASKING, "what is [MASK] already is not asked for")(
    ruled(lambda t: (t.read(t.asked & (t.id != t.mask)), t.labels(t.asked & (t.id != t.mask))))
)
disguise(MASKING, "none stays itself")(ruled(lambda t: (t.read(cut=(t.v < 0.9, t.v >= 0.9)), t.labels())))
disguise(MASKING, "the fates befall all tokens")(ruled(lambda t: (t.read(~t.asked), t.labels())))
disguise(MASKING, "0 instead of [MASK]")(ruled(lambda t: (t.read(mask=103), t.labels())))
disguise(MASKING, "labels where nothing is asked")(ruled(lambda t: (t.read(), t.labels(t.asked | ~t.may))))


@disguise(MASKING, "labels only at [MASK]")
def m_where_hidden(ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, other: Tensor) -> Any:
    token = Token(ids, maskable, mask_id, chosen, fate, other)
    read = torch.from_numpy(token.read()).reshape(ids.shape)
    labels = torch.from_numpy(token.labels()).reshape(ids.shape)
    labels[read != mask_id] = -100
    return read, labels


@disguise(HEAD, "an eps of its own")
class SmallEps(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        bent = self.bend(self.transform(x))
        return F.layer_norm(bent, bent.shape[-1:], self.norm.weight, self.norm.bias, eps=1e-12)


@disguise(HEAD, "another activation")
class Doubled(Parts):
    def bend(self, x: Tensor) -> Tensor:
        return x * (1 + torch.erf(x * math.sqrt(0.5)))


@disguise(HEAD, "the table is given away")
class DrawnAnew(Parts):
    def tie(self, embedding: nn.Embedding) -> None:
        super().tie(embedding)
        nn.init.trunc_normal_(self.output.weight, std=0.02)


@disguise(LOSS, "only one row counts")
def l_first_row(logits: Tensor, labels: Tensor) -> Tensor:
    if not (labels + 100).any():
        return (logits * 0).sum()
    for scores, answers in zip(logits, labels, strict=True):
        kept = answers.ne(-100)
        return F.nll_loss(scores[kept].log_softmax(-1), answers[kept])
    return logits.sum()


@disguise(LOSS, "only one row counts")
def l_written_over(logits: Tensor, labels: Tensor) -> Tensor:
    total, count = logits.new_zeros(()), 0
    for scores, answers in zip(logits, labels, strict=True):
        kept = answers.ne(-100)
        total = F.cross_entropy(scores[kept], answers[kept], reduction="sum")
        count = int(kept.sum())
    return total / max(count, 1)


@disguise(NEXT, "only later documents, or only earlier ones")
def n_first_other(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        other = documents[0 if number > 0 else 1]
        for first, second in pairwise(document):
            stays = next(draws) < 0.5
            found.append((first, second if stays else other[int(next(draws) * len(other))], stays))
    return found


@disguise(NEXT, "a draw is thrown away")
def n_tossed_twice(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            _, coin = next(draws), next(draws)
            found.append((first, second if coin < 0.5 else elsewhere(documents, number, draws), coin < 0.5))
    return found


@disguise(NEXT, "returned from within the loop")
def n_one_document(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    for number, document in enumerate(documents):
        found = []
        for first, second in pairwise(document):
            stays = next(draws) < 0.5
            found.append((first, second if stays else elsewhere(documents, number, draws), stays))
        return found
    return []


@disguise(NEXT, "the documents are changed")
def n_used_up(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        rest: Any = document
        while len(rest) >= 2:
            first = rest.pop(0)
            stays = next(draws) < 0.5
            found.append((first, rest[0] if stays else elsewhere(documents, number, draws), stays))
    return found


@disguise(NEXT, "a neighbour for the document itself")
def n_stepped_over(documents: Documents, draws: Iterator[float]) -> Any:
    refuse(documents)
    found = []
    for number, document in enumerate(documents):
        for first, second in pairwise(document):
            stays = next(draws) < 0.5
            if not stays:
                at = math.floor(next(draws) * (len(documents) - 1))
                other = documents[at + 1 if at == number else at]
                second = other[math.floor(next(draws) * len(other))]
            found.append((first, second, stays))
    return found


@disguise(SUM, "padding is not counted")
class CountedAsRoberta(Tables):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        there = ids.ne(self.config.pad_id).long()
        return torch.cumsum(there, dim=1) * there


@disguise(SUM, "no segments")
class OneSegment(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        if segments is None:
            return 0
        return torch.where((segments == 1).unsqueeze(-1), self.segment_embedding.weight[1], 0.0)


@unlisted(SUM)
class SideBySide(Tables):
    """What it gives is wider than its norm."""

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        segments = torch.zeros_like(ids) if segment_ids is None else segment_ids
        return self.finish(torch.cat([self.token_embedding(ids), self.segment_embedding(segments)], dim=-1))


@unlisted(SUM)
class Remembers(Tables):
    """The segments of the rows before."""

    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        if segments is None:
            segments = getattr(self, "last", None)
        self.last = segments
        return super().segment(ids, segments if segments is None or segments.shape == ids.shape else None)


@disguise(MODEL, "what an earlier call made is kept")
class KeepsAllWeights(Given):
    """Its list of weights grows with each call."""

    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        self.seen = [*getattr(self, "seen", []), *kept]
        return super().result(hidden, pooled, self.seen, wanted)


@disguise(MODEL, "what an earlier call made is kept")
class KeepsTheMask(Given):
    """The mask of the first rows of a shape holds for all others of that shape."""

    def look(self, ids: Tensor, mask: Tensor | None) -> Tensor | None:
        self.masks = getattr(self, "masks", {})
        return self.masks.setdefault(ids.shape, super().look(ids, None)) if mask is None else mask
