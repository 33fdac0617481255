"""Which pairs of mistakes are tried first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import torch
from torch import nn

from autograder import registry
from autograder.judging.edits import Pair, mistaken
from autograder.judging.oracle import Oracle
from autograder.judging.pairs import ranked
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.reporting.leads import lead

ORACLE = Oracle()


def way(exercise: Exercise, name: str) -> Mistake:
    return next(one for one in ORACLE.mistakes(exercise) if one.name == name)


def in_order(exercise: Exercise, made: list[Mistake]) -> list[set[str]]:
    """The names of all pairs, as they are tried where these mistakes were made."""
    runs = {(probe, seed): ORACLE.wrong(exercise, made, probe, seed) for probe in exercise.probes for seed in PRACTICE}
    return [{mistake.name for mistake in pair} for pair in ranked(exercise, runs, ORACLE)]


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("parameter_count", "positions counted", "final norms of pre-norm not counted"),
        ("sinusoidal_encoding", "angles times 2π", "frequencies up to the end"),
    ],
)
def test_those_come_first_whose_effects_add_up_or_multiply(name: str, one: str, other: str) -> None:
    """Of several hundred pairs: both spoil all that is looked at, so that no place tells one from the other."""
    exercise = registry.exercise(name)
    made = [way(exercise, one), way(exercise, other)]
    if name == "sinusoidal_encoding":
        made[0] = [way for way in ORACLE.mistakes(exercise) if way.name == one][-1]
    names = in_order(exercise, made)
    assert {one, other} in names[:8]
    assert len(names) > 800


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("attention_rollout", "the class token's row alone", "other shares than one half"),
        ("patchify", "patches are lost", "the pixels changed"),
        ("patchify", "the patches in the opposite order", "patches are lost"),
    ],
)
def test_numbers_of_one_mistake_are_known_again_where_the_other_moved_them(name: str, one: str, other: str) -> None:
    """What one leaves out or puts elsewhere has no number to be compared with at its place, or the wrong one."""
    exercise = registry.exercise(name)
    made = [way(exercise, one), way(exercise, other)]
    names = in_order(exercise, made)
    assert {one, other} in names[:3]
    assert len(names) > 1000


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("cosine_scores", "one side as it is", "queries and documents exchanged"),
        ("edit_distance", "another number of the table", "the table begins a step off"),
        ("tf_idf", "an empty row becomes NaN", "without the 1 in front"),
    ],
)
def test_a_form_that_one_mistake_gives_brings_its_pairs_forward(name: str, one: str, other: str) -> None:
    """Another shape, a list for a number, NaN in a row: nothing can be added up there, or little."""
    exercise = registry.exercise(name)
    made = [way(exercise, one), way(exercise, other)]
    if name == "edit_distance":
        made[0] = next(way for way in ORACLE.mistakes(exercise) if "row" in way.edits.values())
    names = in_order(exercise, made)
    assert {one, other} in names[:80]
    assert len(names) > 1000


def test_lists_of_another_length_are_known_by_what_is_in_them() -> None:
    """Without `backward` and with a step in every round the list of events is shorter, and no event stands where it
    stood."""
    exercise = registry.exercise("train_step")
    made = [way(exercise, "no backward"), way(exercise, "a step for every micro-batch")]
    events = next(probe for probe in exercise.probes if probe.name == "order_of_events")
    runs = {(events, seed): ORACLE.wrong(exercise, made, events, seed) for seed in PRACTICE}
    names = [{mistake.name for mistake in pair} for pair in ranked(exercise, runs, ORACLE)]
    assert {one.name for one in made} in names[:4]
    assert len(names) > 1000


def test_pairs_are_sorted_in_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their time is the processor's, and of that a thread that waits takes as much as one that works."""
    seen = []

    def pairs(*of: Any) -> Iterator[Pair]:
        seen.append(torch.get_num_threads())
        return ranked(*of)

    monkeypatch.setattr("autograder.judging.pairs.ranked", pairs)
    exercise, before = registry.exercise("normalize"), torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        examine(exercise, mistaken("layer_norm", "normalize", [way(exercise, "no root"), way(exercise, "no eps")]))
        assert set(seen) == {1}
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_a_pair_whose_edits_overlap_is_named() -> None:
    exercise = registry.exercise("normalize")
    one, other = way(exercise, "eps as a lower bound"), way(exercise, "no root")
    report = examine(exercise, mistaken("layer_norm", "normalize", [one, other]))
    assert set((report.mistake or "").split(" + ")) == {one.name, other.name}


def squared_and_copied(parameters: Iterable[nn.Parameter], max_norm: float) -> float:
    """A `clip_gradients_` without the root and not in place, which stumbles where there is no gradient at all."""
    gradients = [one.grad for one in parameters if one.grad is not None]
    length: Any = sum(gradient.square().sum() for gradient in gradients)
    if length > max_norm:
        gradients = [gradient * (max_norm / length) for gradient in gradients]
    found: float = length.item()
    return found


def test_a_pair_that_an_edge_case_alone_refutes_is_named_and_the_edge_case_told() -> None:
    verdict = examine(registry.exercise("clip_gradients_"), squared_and_copied).verdict
    assert verdict
    squared, copied = sorted((one.name for one in verdict.mistakes), key=lambda name: name == "not in place")
    assert squared in ("no root", "the square is returned")  # where nothing is scaled in place, the two are one
    assert copied == "not in place"
    assert {one.rung for one in verdict.unexplained} == {"edges"}
    assert lead(verdict)[-1].text.startswith("They do not explain")
