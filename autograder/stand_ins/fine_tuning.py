"""Lesson 16, written another way than the reference."""

import copy
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain, groupby
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.optimization import decay_groups


@outside_the_watch
def align_labels(word_labels: Sequence[int], word_ids: Sequence[int | None]) -> list[int]:
    """A word's label at its first piece, -100 everywhere else."""
    known = [word for word in word_ids if word is not None]
    if known and not 0 <= min(known) <= max(known) < len(word_labels):
        raise ValueError(
            f"word numbers go from {min(known)} to {max(known)}, with {len(word_labels)} labels; give one a word"
        )
    found: list[int] = []
    for word, pieces in groupby(word_ids):
        rest = len(list(pieces)) - 1
        found += [-100 if word is None else word_labels[word], *[-100] * rest]
    return found


class _Classifier(nn.Module):
    """A model with dropout and a linear layer behind it."""

    def __init__(self, bert: nn.Module, num_classes: int) -> None:
        super().__init__()
        config: Any = bert.config
        self.bert = bert
        self.dropout = nn.Dropout(config.dropout)
        self.head = nn.Linear(config.d_model, num_classes)

    def _read(self, which: int, ids: Tensor, segment_ids: Tensor | None, mask: Tensor | None) -> Tensor:
        return self.head(self.dropout(self.bert(ids, segment_ids=segment_ids, mask=mask)[which]))


@outside_the_watch
class SequenceClassifier(_Classifier):
    """Put one label on a whole text."""

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """(batch, num_classes) logits."""
        return self._read(1, ids, segment_ids, mask)


@outside_the_watch
class TokenClassifier(_Classifier):
    """Put a label on every token of a text."""

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None) -> Tensor:
        """(batch, seq_len, num_tags) logits."""
        return self._read(0, ids, segment_ids, mask)


@outside_the_watch
def fine_tune_groups(
    model: nn.Module, head: nn.Module, rate: float, head_rate: float, weight_decay: float
) -> list[dict[str, Any]]:
    """A group for each learning rate and each weight decay."""
    new = set(map(id, head.parameters()))
    if new - set(map(id, model.parameters())):
        raise ValueError("head has parameters that model does not have; give a part of the model, such as model.head")
    decaying = set(map(id, decay_groups(model, weight_decay)[0]["params"]))
    groups: dict[tuple[float, float], dict[str, Any]] = {}
    for one in model.parameters():
        key = (head_rate if id(one) in new else rate, weight_decay if id(one) in decaying else 0.0)
        groups.setdefault(key, {"params": [], "lr": key[0], "weight_decay": key[1]})["params"].append(one)
    return list(groups.values())


@outside_the_watch
@torch.no_grad()
def evaluate(model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor]:
    """Targets and predictions of all that is asked."""
    mode = model.training
    model.train(False)
    found = [(labels.flatten(), model(ids).argmax(-1).flatten()) for ids, labels in batches]
    model.train(mode)
    if all(bool((labels == -100).all()) for labels, _ in found):
        raise ValueError(f"{len(found)} batches without a single label; give at least one that is not -100")
    targets, predictions = (torch.cat(one) for one in zip(*found, strict=True))
    return targets[targets != -100], predictions[targets != -100]


@outside_the_watch
def confusion_matrix(targets: Tensor, predictions: Tensor, num_classes: int) -> Tensor:
    """Rows: targets; columns: predictions."""
    if targets.shape != predictions.shape:
        raise ValueError(f"{len(targets)} targets and {len(predictions)} predictions; give one for each")
    known = torch.arange(num_classes)
    if not bool(torch.isin(torch.cat([targets, predictions]), known).all()):
        raise ValueError(f"a class that is not among 0 to {num_classes - 1}; give these alone, and leave out -100")
    is_target, is_prediction = (one[:, None] == known for one in (targets, predictions))  # (places, num_classes)
    return is_target.long().T @ is_prediction.long()


@outside_the_watch
def precision_recall_f1(
    targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None
) -> tuple[Any, Any, Any]:
    """Class by class; what is undefined is 0."""
    if average not in (None, "macro", "micro", "weighted"):
        raise ValueError(f"average={average!r}; give None, 'macro', 'micro' or 'weighted'")
    counts = confusion_matrix(targets, predictions, num_classes).tolist()
    right = [counts[one][one] for one in range(num_classes)]
    predicted = [sum(row[one] for row in counts) for one in range(num_classes)]
    there = [sum(row) for row in counts]
    if average == "micro":
        return _three(sum(right), sum(predicted), sum(there))
    each = [_three(*one) for one in zip(right, predicted, there, strict=True)]
    if average is None:
        vectors = torch.tensor(each, dtype=torch.float64)
        return vectors[:, 0], vectors[:, 1], vectors[:, 2]
    weights = there if average == "weighted" else [1] * num_classes
    total = sum(weights) or 1
    first, second, third = (
        sum(w * x for w, x in zip(weights, one, strict=True)) / total for one in zip(*each, strict=True)
    )
    return first, second, third


def _three(right: int, predicted: int, there: int) -> tuple[float, float, float]:
    """Precision, recall and F1 of counts."""
    if not right:
        return 0.0, 0.0, 0.0
    return right / predicted, right / there, 2 * right / (predicted + there)


@outside_the_watch
def macro_f1(model: nn.Module, batches: Iterable[tuple[Tensor, Tensor]], num_classes: int) -> float:
    """The mean over the classes of all batches' F1."""
    each = precision_recall_f1(*evaluate(model, batches), num_classes)[2]
    return each.mean().item()


@outside_the_watch
def spans(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """(kind, start, end) of each entity."""
    for tag in tags:
        if tag != "O" and not (tag[:2] in ("B-", "I-") and tag[2:]):
            raise ValueError(f"a tag is {tag!r}; give 'O', 'B-' and a kind, or 'I-' and a kind")
    before = ["O", *tags]
    starts = [
        place
        for place, tag in enumerate(tags)
        if tag[0] == "B" or (tag[0] == "I" and before[place][2:] != tag[2:])  # of an O nothing is left
    ]
    found = []
    for start in starts:
        end = start + 1
        while end < len(tags) and tags[end] == f"I-{tags[start][2:]}":
            end += 1
        found.append((tags[start][2:], start, end))
    return found


@outside_the_watch
def span_f1(targets: Sequence[Sequence[str]], predictions: Sequence[Sequence[str]]) -> float:
    """F1 over the entities of all texts."""
    if list(map(len, targets)) != list(map(len, predictions)):
        raise ValueError("targets and predictions have texts of different lengths; give one tag for each target")
    wanted, found = (
        Counter(chain.from_iterable(((row, *span) for span in spans(tags)) for row, tags in enumerate(texts)))
        for texts in (targets, predictions)
    )
    return _three((wanted & found).total(), found.total(), wanted.total())[2]


@outside_the_watch
def roc_auc(scores: Tensor, labels: Tensor) -> float:
    """The share of pairs that a 1 wins, and half of those that nobody does."""
    wanted = labels.bool()
    if bool(wanted.all()) or not bool(wanted.any()):
        raise ValueError(
            f"{int(wanted.sum())} labels are 1 and {int((~wanted).sum())} are 0; give at least one of each"
        )
    ones, zeros = scores[wanted], scores[~wanted].sort().values
    below = torch.searchsorted(zeros, ones)
    not_above = torch.searchsorted(zeros, ones, right=True)
    return (below + not_above).double().mean().item() / (2 * len(zeros))


@outside_the_watch
class SpanReader(nn.Module):
    """Score every token as the first of the answer, and as the last."""

    def __init__(self, bert: nn.Module) -> None:
        super().__init__()
        config: Any = bert.config
        self.bert, self.head = bert, nn.Linear(config.d_model, 2)

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """(start, end), each (batch, seq_len) logits."""
        scores = self.head(self.bert(ids, segment_ids=segment_ids, mask=mask)[0])
        return scores[..., 0], scores[..., 1]


@outside_the_watch
def best_span(start: Tensor, end: Tensor, allowed: Tensor, max_len: int) -> tuple[int, int]:
    """The span with the largest sum, from a table of all pairs."""
    if max_len < 1 or not bool(allowed.any()):
        raise ValueError(f"max_len={max_len}, and {int(allowed.sum())} tokens are allowed; give 1 or more of each")
    places = torch.arange(len(start))
    lengths = places - places[:, None] + 1  # of the span from row to column
    run = (~allowed).cumsum(dim=0)  # the same throughout a stretch that is allowed
    fits = (lengths > 0) & (lengths <= max_len) & allowed & allowed[:, None] & (run == run[:, None])
    scores = (start[:, None] + end)[fits]
    first, last = fits.nonzero()[scores.argmax()].tolist()
    return first, last + 1


@outside_the_watch
class LoRALinear(nn.Module):
    """A frozen layer, and a narrow one beside it."""

    def __init__(self, linear: nn.Linear, rank: int, alpha: float) -> None:
        super().__init__()
        if rank < 1:
            raise ValueError(f"rank={rank}; give 1 or more")
        self.linear, self.rank, self.alpha = linear, rank, alpha
        for one in linear.parameters():
            one.requires_grad = False
        self.down = nn.Parameter(nn.init.normal_(torch.empty(rank, linear.in_features), std=linear.in_features**-0.5))
        self.up = nn.Parameter(nn.init.zeros_(torch.empty(linear.out_features, rank)))

    def _difference(self) -> Tensor:
        return self.alpha * (self.up @ self.down) / self.rank

    def forward(self, x: Tensor) -> Tensor:
        """The layer, plus the difference."""
        return F.linear(x, self.linear.weight + self._difference(), self.linear.bias)

    def merge(self) -> nn.Linear:
        """A new layer that computes the same by itself."""
        merged = copy.deepcopy(self.linear).requires_grad_(True)
        merged.weight.data += self._difference().detach()
        return merged
