"""Lesson 16: slips of an adversary who had the page alone, each in full."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.fine_tuning import precision_recall_f1, spans
from tests.variants import disguise
from tests.variants.fine_tuning.adapters import Adapted
from tests.variants.fine_tuning.evaluating import Asking, from_all
from tests.variants.fine_tuning.groups import part_of
from tests.variants.fine_tuning.heads import Given, GivenTokens
from tests.variants.fine_tuning.metrics import in_a_loop, known, valid, with_torch
from tests.variants.fine_tuning.ranking import all_pairs, both_kinds
from tests.variants.fine_tuning.span_scores import same_lengths

MATRIX, SCORES, ASK, MACRO, F1, AUC = (
    "confusion_matrix",
    "precision_recall_f1",
    "evaluate",
    "macro_f1",
    "span_f1",
    "roc_auc",
)

# confusion_matrix ----------------------------------------------------------------------------


@disguise(MATRIX, "only classes that occur")
def one_hot_of_both(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    return F.one_hot(targets).T @ F.one_hot(predictions)


@disguise(MATRIX, "class 0 is left out of the matrix")
def from_class_one(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes - 1, num_classes - 1, dtype=torch.long)
    for t in range(1, num_classes):
        for p in range(1, num_classes):
            matrix[t - 1, p - 1] = ((targets == t) & (predictions == p)).sum()
    return matrix


@disguise(MATRIX, "a row and a column too many")
def counted_from_one(targets: Tensor, predictions: Tensor, num_classes: int) -> Any:
    valid(targets, predictions, num_classes)
    matrix = torch.zeros(num_classes + 1, num_classes + 1, dtype=torch.long)
    matrix.index_put_((targets, predictions), torch.ones_like(targets), accumulate=True)
    return matrix


# precision_recall_f1 ----------------------------------------------------------------------------


def measured(below: Any = None, weigh: Any = None, back: Any = tuple, taken: Any = None) -> Any:
    """Class by class, with other numbers below the line, other weights, or another result."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        known(average)
        counts = in_a_loop(targets, predictions, num_classes).double()
        hit, column, row = counts.diag(), counts.sum(0), counts.sum(1)
        if taken:
            hit, column, row = taken(hit), taken(column), taken(row)
        if average == "micro":
            hit, column, row = (one.sum(0, keepdim=True) for one in (hit, column, row))
        p, r = (hit / one.clamp(min=1) for one in (below(hit, column, row) if below else (column, row)))
        rows = [p, r, (2 * p * r / (p + r)).nan_to_num(0.0)]
        if average is None:
            return back(rows)
        if average == "weighted":
            return tuple(float((one * (weigh or usual)(hit, column, row)).sum()) for one in rows)
        return tuple(float(one.sum() / max(1, len(one))) for one in rows)

    return scores


def usual(hit: Tensor, column: Tensor, row: Tensor) -> Tensor:
    return row / row.sum().clamp(min=1)


disguise(SCORES, "the three in another order")(measured(back=lambda rows: (rows[1], rows[0], rows[2])))
disguise(SCORES, "the three in another order")(measured(back=lambda rows: (rows[2], rows[0], rows[1])))
disguise(SCORES, "one tensor instead of three")(measured(back=torch.stack))
for below in (
    lambda hit, column, row: (hit + column, hit + row),
    lambda hit, column, row: (hit + column, row),
    lambda hit, column, row: (column, hit + row),
):
    disguise(SCORES, "what is right is counted twice below the line")(measured(below=below))
WEIGHTS = {
    "the weighted mean is divided twice": lambda hit, column, row: usual(hit, column, row) / len(row),
    "weighted by what is right": lambda hit, column, row: hit / hit.sum().clamp(min=1),
    "rare classes weigh more": lambda hit, column, row: F.normalize(1 / row.clamp(min=1), p=1, dim=0),
}
for mistake, weigh in WEIGHTS.items():
    disguise(SCORES, mistake)(measured(weigh=weigh))
disguise(SCORES, "class 0 is left out of the measure")(measured(taken=lambda one: one[1:]))


def averages(choose: Any) -> Any:
    """Right for each class, and something else with an average."""

    def scores(targets: Tensor, predictions: Tensor, num_classes: int, average: str | None = None) -> Any:
        found = with_torch(targets, predictions, num_classes, average)
        if not average:
            return found
        return choose(average, found, with_torch(targets, predictions, num_classes, "macro"))

    return scores


disguise(SCORES, "only F1 comes back")(averages(lambda average, found, macro: found[2]))
disguise(SCORES, "only F1 comes back")(
    averages(lambda average, found, macro: found[2] if average == "macro" else found)
)
disguise(SCORES, "weighted is macro")(
    averages(lambda average, found, macro: (*found[:2], macro[2]) if average == "weighted" else found)
)

# evaluate, macro_f1 ----------------------------------------------------------------------------


def another(mistake: str, **methods: Any) -> None:
    disguise(ASK, mistake)(type("Another", (Asking,), methods)())


def without_the_first(self: Any, model: Any, ids: Tensor) -> Tensor:
    with torch.no_grad():
        scores = model(ids).clone()
    scores[..., 0] = -torch.inf
    return scores.max(-1).indices


def written_over(self: Any, labels: Tensor, predicted: Tensor) -> Any:
    asked = labels.ne(-100)
    labels.masked_fill_(~asked, 0)
    return labels[asked], predicted[asked]


def asked_for_something(self: Any, labels: Tensor, predicted: Tensor) -> Any:
    if bool((labels == -100).all()):
        raise ValueError("an empty batch")
    return labels[labels != -100], predicted[labels != -100]


def counted(self: Any, batches: Any) -> Any:
    sum(len(ids) for ids, _ in batches)
    return batches


another("the first batch is lost", chosen=lambda self, batches: [*batches][1:])
another("the batches are gone through twice", chosen=counted)
another(
    "only what is not asked",
    refuse=lambda self, found: Asking.refuse(self, found),
    collect=lambda self, labels, predicted: (labels[labels < 0], predicted[labels < 0]),
)
another("class 0 is never predicted", predict=without_the_first)
another("a batch without labels is refused", collect=asked_for_something)
another("the labels are changed", collect=written_over)
another("floats instead of classes", result=lambda self, wanted, came: (torch.cat(wanted) * 1.0, torch.cat(came) * 1.0))
another("left in the other mode", end=lambda self, model, before: model.eval() if before else model.train())
another(
    "accuracy instead of both",
    result=lambda self, wanted, came: (torch.cat(wanted) == torch.cat(came)).double().mean().item(),
)


@disguise(MACRO, "mean of the batches")
def text_by_text(model: Any, batches: Any, num_classes: int) -> Any:
    texts = [(row[None], one[None]) for ids, labels in batches for row, one in zip(ids, labels, strict=True)]
    found = [from_all(model, [text], num_classes) for text in texts if (text[1] != -100).any()]
    return sum(found) / len(found)


@disguise(MACRO, "absent classes are left out of the mean")
def of_those_found(model: Any, batches: Any, num_classes: int) -> Any:
    each = precision_recall_f1(*Asking()(model, batches), num_classes)[2]
    return float(each.sum() / each.bool().sum())


@disguise(MACRO, "places of class 0 do not count")
def positive_labels(model: Any, batches: Any, num_classes: int) -> Any:
    kept = [(ids, labels.masked_fill(labels < 1, -100)) for ids, labels in batches]
    return from_all(model, kept, num_classes)


@disguise(MACRO, "a batch is lost")
def all_but_the_last(model: Any, batches: Any, num_classes: int) -> Any:
    return from_all(model, list(batches)[:-1], num_classes)


@disguise(MACRO, "a batch is lost")
def all_but_the_first(model: Any, batches: Any, num_classes: int) -> Any:
    return from_all(model, list(batches)[1:], num_classes)


# span_f1 ----------------------------------------------------------------------------


def of_texts(targets: Any, predictions: Any) -> list[tuple[set[Any], set[Any]]]:
    same_lengths(targets, predictions)
    return [(set(spans(wanted)), set(spans(found))) for wanted, found in zip(targets, predictions, strict=True)]


def f1_of(both: Any) -> float:
    below = sum(len(wanted) + len(found) for wanted, found in both)
    return sum(2 * len(wanted & found) for wanted, found in both) / below if below else 0.0


disguise(F1, "the last text alone")(lambda targets, predictions: f1_of(of_texts(targets, predictions)[-1:]))
disguise(F1, "the last text alone")(lambda targets, predictions: f1_of(of_texts(targets, predictions)[:1]))
for passed in (
    lambda wanted, found: not wanted,
    lambda wanted, found: not found,
    lambda wanted, found: not (wanted and found),
):
    disguise(F1, "texts are passed over")(
        lambda targets, predictions, passed=passed: f1_of(
            [one for one in of_texts(targets, predictions) if not passed(*one)]
        )
    )


@disguise(F1, "mean of the texts")
def empty_texts_are_right(targets: Any, predictions: Any) -> Any:
    each = [f1_of([one]) if any(one) else 1.0 for one in of_texts(targets, predictions)]
    return sum(each) / max(1, len(each))


@disguise(F1, "the geometric mean for F1")
def root_of_both(targets: Any, predictions: Any) -> Any:
    both = of_texts(targets, predictions)
    right, there, came = (
        sum(len(wanted & found) for wanted, found in both),
        sum(len(wanted) for wanted, _ in both),
        sum(len(found) for _, found in both),
    )
    return (right**2 / (there * came)) ** 0.5 if right else 0.0


@disguise(F1, "entities are compared in step")
def side_by_side(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    right = below = 0
    for wanted, found in zip(map(spans, targets), map(spans, predictions), strict=True):
        for place in range(min(len(wanted), len(found))):
            right += wanted[place] == found[place]
        below += len(wanted) + len(found)
    return 2 * right / below if below else 0.0


@disguise(F1, "texts are mixed up")
def lists_of_all(targets: Any, predictions: Any) -> Any:
    same_lengths(targets, predictions)
    wanted, found = ([one for text in texts for one in spans(text)] for texts in (targets, predictions))
    below = len(wanted) + len(found)
    return 2 * len(set(wanted).intersection(found)) / below if below else 0.0


# roc_auc ----------------------------------------------------------------------------


def curve(scores: Tensor, wanted: Tensor) -> tuple[list[float], list[float]]:
    """False alarms and hits at every threshold, from none to all."""
    hits, alarms = [0.0], [0.0]
    for threshold in sorted(set(scores.tolist()), reverse=True):
        said = scores >= threshold
        hits.append((said & wanted).sum().item() / wanted.sum().item())
        alarms.append((said & ~wanted).sum().item() / (~wanted).sum().item())
    return alarms, hits


def below(alarms: list[float], hits: list[float]) -> float:
    steps = range(len(hits) - 1)
    return sum((alarms[i + 1] - alarms[i]) * (hits[i + 1] + hits[i]) / 2 for i in steps)


def on_the_curve(change: Any) -> Any:
    def area(scores: Tensor, labels: Tensor) -> float:
        wanted = both_kinds(labels)
        return change(*curve(scores, wanted), wanted.double().mean().item())

    return area


disguise(AUC, "an end of the curve is missing")(on_the_curve(lambda a, h, share: below(a[1:], h[1:])))
disguise(AUC, "an end of the curve is missing")(on_the_curve(lambda a, h, share: below(a[:-1], h[:-1])))
disguise(AUC, "ones as a share of all places")(on_the_curve(lambda a, h, share: below(a, [share * x for x in h])))
disguise(AUC, "ones as a share of all places")(on_the_curve(lambda a, h, share: below([(1 - share) * x for x in a], h)))
disguise(AUC, "the area with a minus")(on_the_curve(lambda a, h, share: below(a[::-1], h[::-1])))
disguise(AUC, "never below one half")(on_the_curve(lambda a, h, share: abs(below(a, h) - 0.5) + 0.5))


def by_ranks(least: Any, share: Any) -> Any:
    def area(scores: Tensor, labels: Tensor) -> float:
        wanted = both_kinds(labels)
        under = (scores[:, None] > scores).sum(1) + (scores[:, None] == scores).double().sum(1) / 2 + 0.5
        ones, zeros = int(wanted.sum()), int((~wanted).sum())
        return float(under[wanted].sum() - least(ones, zeros)) / share(ones, zeros)

    return area


disguise(AUC, "something else is taken off")(by_ranks(lambda n, m: m * (m + 1) / 2, lambda n, m: n * m))
disguise(AUC, "something else is taken off")(by_ranks(lambda n, m: n * (n + 1), lambda n, m: n * m))
disguise(AUC, "a number of pairs")(by_ranks(lambda n, m: n * (n + 1) / 2, lambda n, m: 1))
disguise(AUC, "a share of all places")(by_ranks(lambda n, m: n * (n + 1) / 2, lambda n, m: n + m))


@disguise(AUC, "the pairs that the 1 loses")
def lost(scores: Tensor, labels: Tensor) -> float:
    wanted = both_kinds(labels)
    return (scores[wanted][:, None] - scores[~wanted] <= 0).double().mean().item()


@disguise(AUC, "the pairs that the 1 loses")
def lost_for_sure(scores: Tensor, labels: Tensor) -> float:
    return all_pairs(-scores, labels) - ties(scores, labels) / 2


def ties(scores: Tensor, labels: Tensor) -> float:
    wanted = both_kinds(labels)
    return (scores[wanted][:, None] == scores[~wanted]).double().mean().item()


# SequenceClassifier, TokenClassifier -----------------------------------------------------------------------


def headed(mistake: str, **methods: Any) -> None:
    disguise("SequenceClassifier", mistake)(type("Another", (Given,), methods))
    disguise("TokenClassifier", mistake)(type("Another", (GivenTokens,), methods))


def one_more(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels + 1)


def kept_share(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels)
    self.dropout.p = 1.0 - self.dropout.p


headed("a label too many", __init__=one_more)
headed("a dropout rate of its own", __init__=kept_share)
headed("labels instead of logits", score=lambda self, vector: self.head(self.dropout(vector)).max(-1).indices)
for function in (F.relu, torch.tanh, F.gelu, lambda vector: F.layer_norm(vector, vector.shape[-1:])):
    headed(
        "bent in front of the head",
        score=lambda self, vector, function=function: self.head(function(self.dropout(vector))),
    )
    headed(
        "bent in front of the head",
        score=lambda self, vector, function=function: self.head(self.dropout(function(vector))),
    )
disguise("SequenceClassifier", "the largest of all places")(
    type("Largest", (Given,), {"choose": lambda self, hidden, pooled: hidden.max(dim=1).values})
)
disguise("SequenceClassifier", "every token is scored")(
    type("EveryToken", (Given,), {"choose": lambda self, hidden, pooled: hidden})
)
disguise("TokenClassifier", "the text's vector is added")(
    type("Added", (GivenTokens,), {"choose": lambda self, hidden, pooled: hidden + pooled[:, None, :]})
)
disguise("TokenClassifier", "probabilities instead of logits")(
    type("OverTexts", (GivenTokens,), {"score": lambda self, vector: F.softmax(self.head(self.dropout(vector)), 0)})
)


class Silenced(GivenTokens):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        hidden = self.read(ids, segment_ids, mask)[0].clone()
        hidden[ids == self.bert.config.pad_id] = 0.0
        return self.score(hidden)


disguise("TokenClassifier", "padding is set to 0")(Silenced)

# fine_tune_groups ----------------------------------------------------------------------------


def by_one_of_them(choose: Any) -> Any:
    def groups(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
        part_of(model, head)
        own = set(map(id, head.parameters()))
        wide = [one for one in model.parameters() if one.dim() >= 2]
        narrow = [one for one in model.parameters() if one.dim() < 2]
        return [
            {"params": some, "weight_decay": decay, "lr": head_rate if choose(id(one) in own for one in some) else rate}
            for some, decay in ((wide, weight_decay), (narrow, 0.0))
        ]

    return groups


disguise("fine_tune_groups", "the groups are not cut")(by_one_of_them(any))
disguise("fine_tune_groups", "the groups are not cut")(by_one_of_them(all))


@disguise("fine_tune_groups", "what is frozen is in no group")
def of_what_is_trained(model: Any, head: Any, rate: float, head_rate: float, weight_decay: float) -> Any:
    part_of(model, head)
    own = set(map(id, head.parameters()))
    return [
        {"params": [one], "lr": head_rate if id(one) in own else rate, "weight_decay": weight_decay * (one.dim() > 1)}
        for one in filter(lambda one: one.requires_grad, model.parameters())
    ]


# LoRALinear ----------------------------------------------------------------------------


def adapted(mistake: str, **parts: Any) -> None:
    disguise("LoRALinear", mistake)(type("Another", (Adapted,), parts))


def merged(change: Any) -> Any:
    """`merge`, with something else behind it."""

    def merge(self: Any) -> Any:
        made = Adapted.merge(self)
        return change(self, made)

    return merge


def more_in_forward(times: Any) -> Any:
    return lambda self, x: self.base(x) + times(self) * self.added(x)


def more_when_merged(times: Any) -> Any:
    def change(self: Any, made: Any) -> Any:
        made.weight.data += (times(self) - 1) * self.added(torch.eye(self.linear.in_features)).T.detach()
        return made

    return merged(change)


for mistake, times in {
    "the difference counts twice": lambda self: 2,
    "the scale counts twice": lambda self: self.alpha / self.rank,
}.items():
    adapted(mistake, scale=lambda self, times=times: times(self) * self.alpha / self.rank)
    adapted(mistake, forward=more_in_forward(times))
    adapted(mistake, merge=more_when_merged(times))
adapted("the scale is rounded down", scale=lambda self: float(int(self.alpha / self.rank)))
adapted("the input gets no gradient through the layer", base=lambda self, x: self.linear(x).detach())
adapted("the input gets no gradient through the layer", base=lambda self, x: self.linear(x).detach(), frozen=())


def squashed(self: Any, x: Tensor) -> Tensor:
    return F.linear(torch.tanh(F.linear(x, self.down)), self.up) * self.scale()


def two_biases(self: Any, x: Tensor) -> Tensor:
    return self.linear(x) if self.linear.bias is None else self.linear(x) + self.linear.bias


class MergingBent(Adapted):
    """Merges as if nothing were bent."""

    def forward(self, x: Tensor) -> Tensor:
        return self.base(x) + squashed(self, x)


def emptied(self: Any, made: Any) -> Any:
    self.up.data.fill_(0.0)
    return made


def always_with_a_bias(self: Any, made: Any) -> Any:
    whole = nn.Linear(made.in_features, made.out_features)
    whole.weight.data = made.weight.data
    whole.bias.data = torch.zeros(made.out_features) if made.bias is None else made.bias.data
    return whole


disguise("LoRALinear", "bent between the two")(MergingBent)
adapted("the bias is added twice", base=two_biases)
adapted("merging empties the difference", merge=merged(emptied))
adapted("a matrix instead of a layer", merge=merged(lambda self, made: made.weight.detach()))
adapted("a layer without a bias is not thought of", merge=merged(always_with_a_bias))


class Upright(Adapted):
    """Both narrow matrices as x meets them, and multiplied as they stand."""

    turned: tuple[str, ...] = ("down", "up")

    def __init__(self, linear: Any, rank: int, alpha: float) -> None:
        super().__init__(linear, rank, alpha)
        for name in self.turned:
            setattr(self, name, nn.Parameter(getattr(self, name).data.T.clone()))

    def added(self, x: Tensor) -> Tensor:
        down = self.down if "down" in self.turned else self.down.T
        up = self.up if "up" in self.turned else self.up.T
        return self.alpha / self.rank * (x @ down @ up)


disguise("LoRALinear", "the narrow matrices have another form")(Upright)
for name in ("down", "up"):
    disguise("LoRALinear", "the narrow matrices have another form")(type("Upright", (Upright,), {"turned": (name,)}))


def still(name: str) -> Any:
    def made(self: Any, linear: Any, rank: int, alpha: float) -> None:
        Adapted.__init__(self, linear, rank, alpha)
        getattr(self, name).requires_grad_(False)

    return made


adapted("a narrow matrix is not trained", __init__=still("up"))
adapted("a narrow matrix is not trained", __init__=still("down"))
