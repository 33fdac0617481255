"""Lesson 17: contrastive_loss."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

LOSS = "contrastive_loss"


def given(queries: Tensor, documents: Tensor, temperature: Any, same: Any) -> None:
    """The given ValueErrors."""
    size = len(queries)
    if not size or size != len(documents) or not temperature > 0:
        raise ValueError("batch or temperature")
    if same is not None and (same.dtype != torch.bool or same.shape != (size, size)):
        raise ValueError("same")


def by_log_softmax(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    q, d = F.normalize(queries), F.normalize(documents)
    logits = q @ d.mT / temperature
    if isinstance(same, Tensor):
        twin = same.clone().fill_diagonal_(False)
        logits = logits.masked_fill(twin, float("-inf"))
    asked = logits.log_softmax(1).diagonal().mean()
    answered = logits.log_softmax(0).diagonal().mean()
    return -(asked + answered) / 2


slips(
    LOSS,
    by_log_softmax,
    {
        "multiplied by the temperature": {"d.mT / temperature": "d.mT * temperature"},
        "no temperature": {"d.mT / temperature": "d.mT"},
        "distances as scores": [
            {"q @ d.mT / temperature": "-q @ d.mT / temperature"},
            {"q @ d.mT / temperature": "torch.cdist(q, d) / temperature"},
        ],
        "dot products, not cosines": {"F.normalize(queries), F.normalize(documents)": "queries, documents"},
        "normalized over dimension 0": {
            "F.normalize(queries), F.normalize(documents)": "F.normalize(queries, dim=0), F.normalize(documents, dim=0)"
        },
        "one direction": [
            {"-(asked + answered) / 2": "-asked"},
            {"-(asked + answered) / 2": "-answered"},
            {"log_softmax(0)": "log_softmax(1)"},
        ],
        "two losses added up": {"-(asked + answered) / 2": "-(asked + answered)"},
        "a sum over the batch": {
            "log_softmax(1).diagonal().mean()": "log_softmax(1).diagonal().sum()",
            "log_softmax(0).diagonal().mean()": "log_softmax(0).diagonal().sum()",
        },
        "every label is 0": {
            "log_softmax(1).diagonal()": "log_softmax(1)[:, 0]",
            "log_softmax(0).diagonal()": "log_softmax(0)[0]",
        },
        "the same meaning as a negative": {"logits = logits.masked_fill(": "logits.masked_fill("},
        "the right pair is left out, too": {"same.clone().fill_diagonal_(False)": "same"},
        "same upside down": {"same.clone().fill_diagonal_(False)": "(~same).clone().fill_diagonal_(False)"},
        "a score of 0 for what is left out": {'float("-inf")': "0.0"},
        "the documents get no gradient": [
            {"F.normalize(documents)": "F.normalize(documents).detach()"},
            {"F.normalize(queries)": "F.normalize(queries.detach())"},
        ],
        "the temperature gets no gradient": {
            "d.mT / temperature": "d.mT / (temperature.item() if isinstance(temperature, Tensor) else temperature)"
        },
        "-inf before the division": {
            "q @ d.mT / temperature": "q @ d.mT",
            "    asked =": "    logits = logits / temperature\n    asked =",
        },
        "multiplied by the temperature + one direction": {
            "d.mT / temperature": "d.mT * temperature",
            "-(asked + answered) / 2": "-asked",
        },
    },
)


def by_logsumexp(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    cosines = torch.stack([F.cosine_similarity(one[None], documents, dim=1) for one in queries])
    table = cosines / temperature
    skip = torch.zeros_like(table, dtype=torch.bool)
    if isinstance(same, Tensor):
        skip = same & ~torch.eye(len(table)).bool()
    table = torch.where(skip, -torch.inf, table)
    right = table.diag()
    rows, columns = table.logsumexp(dim=-1) - right, table.logsumexp(dim=-2) - right
    return torch.cat([rows, columns]).mean()


slips(
    LOSS,
    by_logsumexp,
    {
        "multiplied by the temperature": {"cosines / temperature": "cosines * temperature"},
        "no temperature": {"table = cosines / temperature": "table = cosines"},
        "temperature for the wrong ones alone": {
            "right = table.diag()": "right = cosines.diag()\n    table = table - table.diag().diag() + right.diag()"
        },
        "distances as scores": {"table = cosines / temperature": "table = (1 - cosines) / temperature"},
        "one direction": [{"torch.cat([rows, columns])": "rows"}, {"torch.cat([rows, columns])": "columns"}],
        "two losses added up": {"torch.cat([rows, columns]).mean()": "(rows + columns).mean()"},
        "a sum over the batch": {"torch.cat([rows, columns]).mean()": "torch.cat([rows, columns]).sum() / 2"},
        "every label is 0": {
            "rows, columns = table.logsumexp(dim=-1) - right, table.logsumexp(dim=-2) - right": (
                "rows, columns = table.logsumexp(dim=-1) - table[:, 0], table.logsumexp(dim=-2) - table[0]"
            )
        },
        "the same meaning as a negative": {"same & ~torch.eye(len(table)).bool()": "skip"},
        "the right pair is left out, too": {"same & ~torch.eye(len(table)).bool()": "same"},
        "same upside down": {"same & ~torch.eye(len(table)).bool()": "~same & ~torch.eye(len(table)).bool()"},
        "a score of 0 for what is left out": {"torch.where(skip, -torch.inf, table)": "torch.where(skip, 0.0, table)"},
        "the right pair is not among the answers": {
            "right = table.diag()": (
                "right = table.diag()\n    table = table.masked_fill(torch.eye(len(table)).bool(), -torch.inf)"
            )
        },
        "-inf before the division": {
            "table = cosines / temperature": "table = cosines",
            "    right = table.diag()": "    table = table / temperature\n    right = table.diag()",
        },
    },
)


def with_targets(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    both = [one / one.norm(dim=1, keepdim=True).clamp(min=1e-12) for one in (queries, documents)]
    made, target = torch.mm(both[0], both[1].t()).div(temperature), list(range(len(queries)))
    if isinstance(same, Tensor):
        left_out = same.logical_and(torch.eye(len(queries)) == 0)
        made = made.masked_fill(left_out, -1e30)
    halves = [F.cross_entropy(one, torch.tensor(target)) for one in (made, made.t())]
    return torch.stack(halves).mean()


slips(
    LOSS,
    with_targets,
    {
        "multiplied by the temperature": {".div(temperature)": ".mul(temperature)"},
        "no temperature": {".div(temperature)": ""},
        "one direction": [
            {"for one in (made, made.t())": "for one in (made,)"},
            {"for one in (made, made.t())": "for one in (made.t(),)"},
            {"(made, made.t())": "(made, made)"},
        ],
        "two losses added up": {"torch.stack(halves).mean()": "sum(halves)"},
        "a sum over the batch": [{"torch.tensor(target))": 'torch.tensor(target), reduction="sum")'}],
        "every label is 0": {"list(range(len(queries)))": "[0] * len(queries)", "-1e30": "-torch.inf"},
        "the same meaning as a negative": {"        made = made.masked_fill(left_out, -1e30)\n": ""},
        "the right pair is left out, too": {
            "same.logical_and(torch.eye(len(queries)) == 0)": "same",
            "-1e30": "-torch.inf",
        },
        "a score of 0 for what is left out": {"-1e30": "0"},
        "dot products, not cosines": {" / one.norm(dim=1, keepdim=True).clamp(min=1e-12)": ""},
        "normalized over dimension 0": {"one.norm(dim=1,": "one.norm(dim=0,"},
        "the documents get no gradient": {"(queries, documents)]": "(queries, documents.data)]"},
    },
)


def cosines(queries: Tensor, documents: Tensor) -> Tensor:
    return torch.stack([F.cosine_similarity(queries, one[None]) for one in documents], dim=1)


def looped(score: Any, keeps: Any = None, right: Any = None, end: Any = None, other: Any = None) -> Any:
    """Question after question, answer after answer."""

    def loss(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
        given(queries, documents, temperature, same)
        size = len(queries)
        marked = torch.zeros(size, size, dtype=torch.bool) if same is None else same
        scores = score(queries, documents, temperature)
        totals: list[list[Tensor]] = [[], []]
        for number, (table, mark) in enumerate(((scores, marked), (scores.T, marked.T))):
            kept = [keeps, other or keeps][number] or keeps_others
            for i in range(size):
                answers = [table[i, j] for j in range(size) if kept(i, j, mark)]
                place = (right or same_place)(i)
                wanted = table[i, place] if right is None or kept(i, place, mark) else torch.tensor(-torch.inf)
                totals[number].append((torch.stack(answers).logsumexp(0) if answers else -torch.inf) - wanted)
        sides = [torch.stack(one) for one in totals]
        return (end or mean_of_both)(*sides)

    return loss


def keeps_others(i: int, j: int, mark: Tensor) -> bool:
    return i == j or not mark[i, j]


def keeps_all(i: int, j: int, mark: Tensor) -> bool:
    return True


def same_place(i: int) -> int:
    return i


def mean_of_both(rows: Tensor, columns: Tensor) -> Tensor:
    return (rows.mean() + columns.mean()) / 2


def divided(queries: Tensor, documents: Tensor, temperature: Any) -> Tensor:
    return cosines(queries, documents) / temperature


correct(LOSS)(looped(divided))
disguise(LOSS, "multiplied by the temperature")(looped(lambda q, d, t: t * cosines(q, d)))
disguise(LOSS, "no temperature")(looped(lambda q, d, t: cosines(q, d)))
disguise(LOSS, "distances as scores")(
    looped(lambda q, d, t: (F.normalize(q)[:, None] - F.normalize(d)).norm(dim=-1) / t)
)
disguise(LOSS, "dot products, not cosines")(looped(lambda q, d, t: torch.einsum("id,jd->ij", q, d) / t))
disguise(LOSS, "normalized over dimension 0")(
    looped(lambda q, d, t: torch.einsum("id,jd->ij", q / q.norm(dim=0), d / d.norm(dim=0)) / t)
)
disguise(LOSS, "one direction")(looped(divided, end=lambda rows, columns: rows.mean()))
disguise(LOSS, "one direction")(looped(divided, end=lambda rows, columns: columns.mean()))
disguise(LOSS, "two losses added up")(looped(divided, end=lambda rows, columns: rows.mean() + columns.mean()))
disguise(LOSS, "a sum over the batch")(looped(divided, end=lambda rows, columns: (rows.sum() + columns.sum()) / 2))
disguise(LOSS, "every label is 0")(looped(divided, right=lambda i: 0))
disguise(LOSS, "the same meaning as a negative")(looped(divided, keeps_all))
disguise(LOSS, "left out in one direction")(looped(divided, keeps_others, other=keeps_all))
disguise(LOSS, "same is not turned over")(
    looped(divided, keeps_others, other=lambda i, j, mark: i == j or not mark[j, i])
)
disguise(LOSS, "same upside down")(looped(divided, lambda i, j, mark: i == j or bool(mark[i, j]) or not mark.any()))
disguise(LOSS, "the right pair is not among the answers")(looped(divided, lambda i, j, mark: i != j and not mark[i, j]))
disguise(LOSS, "the documents get no gradient")(looped(lambda q, d, t: cosines(q, d.data) / t))
disguise(LOSS, "the temperature gets no gradient")(looped(lambda q, d, t: cosines(q, d) / float(t)))


@disguise(LOSS, "temperature for the wrong ones alone")
def l_positives_as_they_are(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents)
    own = torch.eye(len(table))
    table = table * own + table / temperature * (1 - own)
    if isinstance(same, Tensor):
        table = table - 1e30 * (same * (1 - own))
    target = torch.arange(len(table))
    return (F.nll_loss(table.log_softmax(-1), target) + F.nll_loss(table.T.log_softmax(-1), target)) / 2


@disguise(LOSS, "the right pair is left out, too")
def l_all_marked(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    if isinstance(same, Tensor):
        table = table.where(~same, -torch.inf)
    target = torch.arange(len(table))
    return 0.5 * F.cross_entropy(table, target) + 0.5 * F.cross_entropy(table.mT, target)


@disguise(LOSS, "the right pair is left out, too")
def l_all_marked_by_a_billion(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    if isinstance(same, Tensor):
        table[same] = -1e9
    target = torch.arange(len(table))
    return 0.5 * F.cross_entropy(table, target) + 0.5 * F.cross_entropy(table.mT, target)


@disguise(LOSS, "a score of 0 for what is left out")
def l_zeros(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    if isinstance(same, Tensor):
        table = table * (same.logical_not() | torch.eye(len(table)).bool())
    target = torch.arange(len(table))
    return 0.5 * F.cross_entropy(table, target) + 0.5 * F.cross_entropy(table.mT, target)


@disguise(LOSS, "-inf before the division")
def l_too_early(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents)
    if isinstance(same, Tensor):
        table = table.where(torch.eye(len(table)).bool() | ~same, -torch.inf)
    table = table / temperature
    target = torch.arange(len(table))
    return 0.5 * F.cross_entropy(table, target) + 0.5 * F.cross_entropy(table.mT, target)


@unlisted(LOSS)
def l_margin(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    """A hinge, not a softmax."""
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    return F.relu(1 - table.diagonal()[:, None] + table).mean()


@unlisted(LOSS)
def l_soft_targets(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    """What means the same is another right answer."""
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    wanted = torch.eye(len(table)) if same is None else (same | torch.eye(len(table)).bool()).double()
    rows = -(wanted / wanted.sum(1, keepdim=True) * table.log_softmax(1)).sum(1).mean()
    columns = -(wanted / wanted.sum(0) * table.log_softmax(0)).sum(0).mean()
    return 0.7 * rows + 0.3 * columns


@unlisted(LOSS)
def l_cubes(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = cosines(queries, documents) / temperature
    return (table - torch.eye(len(table))).abs().pow(3).mean()


def remade(
    by: Any = None,
    twins: Any = None,
    fill: float = -torch.inf,
    both: Any = None,
    loss: Any = None,
    sides: Any = None,
) -> Any:
    """By sums of powers, so that a step can be another."""

    def score(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
        given(queries, documents, temperature, same)
        pair = (queries, documents) if sides is None else sides(queries, documents)
        table = cosines(*pair)
        table = table / temperature if by is None else by(table, temperature, queries.size(1))
        if same is not None:
            out = same & ~torch.eye(len(same)).bool() if twins is None else twins(same)
            table = torch.where(out, fill, table)
        if loss is not None:
            return loss(table, temperature)
        asked = (table.logsumexp(1) - table.diagonal()).mean()
        answered = (table.logsumexp(0) - table.diagonal()).mean()
        return (asked + answered) / 2 if both is None else both(asked, answered)

    return score


correct(LOSS)(remade())
disguise(LOSS, "no temperature")(remade(by=lambda table, t, d: table * 10))
disguise(LOSS, "no temperature")(remade(by=lambda table, t, d: table / d**0.5))
disguise(LOSS, "another power of the temperature")(remade(by=lambda table, t, d: table * t**-0.5))
disguise(LOSS, "another power of the temperature")(remade(by=lambda table, t, d: table / (t * t)))
disguise(LOSS, "e to the temperature")(remade(by=lambda table, t, d: table / float(torch.tensor(float(t)).exp())))
disguise(LOSS, "one side with itself")(remade(sides=lambda q, d: (q, q)))
disguise(LOSS, "one side with itself")(remade(sides=lambda q, d: (d, d)))
disguise(LOSS, "no mean of the two directions")(remade(both=lambda one, other: one + 0.5 * other))
disguise(LOSS, "no mean of the two directions")(remade(both=lambda one, other: one if one > other else other))
disguise(LOSS, "no mean of the two directions")(remade(both=lambda one, other: one.mul(other)))
disguise(LOSS, "a score of 0 for what is left out")(remade(fill=torch.inf))
disguise(LOSS, "a score of 0 for what is left out")(remade(fill=-10.0))
disguise(LOSS, "same is not turned over")(remade(twins=lambda same: same.triu(1)))
disguise(LOSS, "same is not turned over")(remade(twins=lambda same: same.tril(-1)))
disguise(LOSS, "same is not turned over")(remade(twins=lambda same: (same * same.T).fill_diagonal_(False)))
disguise(LOSS, "the right pair is left out, too")(remade(twins=lambda same: same ^ torch.eye(len(same)).bool()))
disguise(LOSS, "the right pair is left out, too")(remade(twins=lambda same: same.diagonal().diag()))
disguise(LOSS, "everything in one softmax")(
    remade(loss=lambda table, t: -table.flatten().log_softmax(0)[:: len(table) + 1].mean())
)
disguise(LOSS, "another loss than a cross-entropy")(
    remade(loss=lambda table, t: (table - torch.eye(len(table))).square().mean())
)


def answers(which: Any) -> Any:
    """The mean of -ln p of other answers."""

    def loss(table: Tensor, temperature: Any) -> Any:
        right = which(table)[:, None]
        return -(table.log_softmax(1).gather(1, right) + table.T.log_softmax(1).gather(1, right)).mean() / 2

    return remade(loss=loss)


disguise(LOSS, "other right answers")(answers(lambda table: torch.arange(len(table) - 1, -1, -1)))
disguise(LOSS, "other right answers")(answers(lambda table: (torch.arange(len(table)) + 1) % len(table)))
disguise(LOSS, "other right answers")(answers(lambda table: table.max(dim=1).indices))
disguise(LOSS, "the temperature in one direction")(
    remade(
        loss=lambda table, t: (
            -(table.log_softmax(1).diagonal().mean() + (table * t).log_softmax(0).diagonal().mean()) / 2
        )
    )
)
disguise(LOSS, "smoothed labels")(
    remade(
        loss=lambda table, t: (
            -sum(
                0.9 * one.log_softmax(1).diagonal().mean() + 0.1 * one.log_softmax(1).mean() for one in (table, table.T)
            )
            / 2
        )
    )
)


def l_powers_of_e(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    powers = (F.normalize(queries) @ F.normalize(documents).T / temperature).exp()
    if same is not None:
        powers = powers.masked_fill(same & ~torch.eye(len(same)).bool(), 0.0)
    own = powers.diagonal()
    return -((own / powers.sum(0)).log() + (own / powers.sum(1)).log()).mean() / 2


disguise(LOSS, "probabilities that underflow")(l_powers_of_e)


@disguise(LOSS, "a softmax too many")
def l_of_probabilities(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    grid = cosines(queries, documents) / temperature
    if same is not None:
        grid = torch.where(same & ~torch.eye(len(same)).bool(), float("-inf"), grid)
    shares = [torch.softmax(one, -1) for one in (grid, grid.mT)]
    return sum((one.exp().sum(1).log() - one.diagonal()).mean() for one in shares) / 2


@disguise(LOSS, "bits instead of nats")
def l_bits(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    return by_log_softmax(queries, documents, temperature, same) * torch.tensor(torch.e).log2()


@disguise(LOSS, "same is not turned over")
def l_turned(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    return by_log_softmax(queries, documents, temperature, None if same is None else same.T)


@disguise(LOSS, "same is not turned over")
def l_both_ways(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    return by_log_softmax(queries, documents, temperature, None if same is None else same | same.T)


@disguise(LOSS, "infinity times zero")
def as_shares(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    logits = F.normalize(queries) @ F.normalize(documents).mT / temperature
    wanted = torch.eye(len(logits))
    if same is not None:
        logits = torch.where(same & (wanted == 0), -torch.inf, logits)
    return (F.cross_entropy(logits, wanted) + F.cross_entropy(logits.mT, wanted)) / 2


@disguise(LOSS, "or where it should be and")
def left_out_by_or(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    table = F.normalize(queries) @ F.normalize(documents).mT / temperature
    if same is not None:
        places = torch.arange(len(table))
        table = table.masked_fill(same.logical_or(places[:, None] != places), float("-inf"))
    return -(table.log_softmax(1).diagonal() + table.log_softmax(0).diagonal()).mean() / 2


@disguise(LOSS, "multiplied by the temperature at the end")
def scaled_as_distilled(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    return temperature * by_log_softmax(queries, documents, temperature, same)


@disguise(LOSS, "no single tensor")
def a_loss_for_each(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    given(queries, documents, temperature, same)
    table = F.normalize(queries) @ F.normalize(documents).mT / temperature
    if same is not None:
        table = table.masked_fill(same.clone().fill_diagonal_(False), -torch.inf)
    return (table.logsumexp(0) + table.logsumexp(1)) / 2 - table.diag()


@disguise(LOSS, "the right pairs alone")
def only_the_right_ones(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    return 1 - F.cosine_similarity(queries, documents).mean()


@disguise(LOSS, "whole rows are left out")
def doubles_are_not_asked(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    table = F.normalize(queries) @ F.normalize(documents).mT / temperature
    goals, back = torch.arange(len(table)), torch.arange(len(table))
    if same is not None:
        twin = same.clone().fill_diagonal_(False)
        goals[twin.any(1)] = back[twin.any(0)] = -1
    asked = F.cross_entropy(table, goals, ignore_index=-1)
    return torch.lerp(asked, F.cross_entropy(table.mT, back, ignore_index=-1), 0.5)


@disguise(LOSS, "all other pairs are left out")
def nothing_beside_the_right_one(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    table = F.normalize(queries) @ F.normalize(documents).mT / temperature
    if same is not None:
        table = torch.full_like(table, -torch.inf).diagonal_scatter(table.diagonal())
    return (table.logsumexp(0) + table.logsumexp(1)).mean() / 2 - table.diag().mean()


@disguise(LOSS, "wrong pairs are asked for, too")
def mean_of_all(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    table = F.normalize(queries) @ F.normalize(documents).mT / temperature
    if same is not None:
        table = table.masked_fill(same.clone().fill_diagonal_(False), -torch.inf)
    return -torch.stack([F.log_softmax(table, 1), F.log_softmax(table, 0)]).mean()


@disguise(LOSS, "negative cosines are lost")
def sizes_of_cosines(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
    given(queries, documents, temperature, same)
    table = (F.normalize(queries) @ F.normalize(documents).mT).abs() / temperature
    if same is not None:
        table = table.masked_fill(same.clone().fill_diagonal_(False), -torch.inf)
    return (table.logsumexp(0) + table.logsumexp(1)).mean() / 2 - table.diag().mean()
