"""Which pairs of mistakes are tried first."""

from __future__ import annotations

import pytest

from autograder import registry
from autograder.judging.edits import mistaken
from autograder.judging.oracle import Oracle
from autograder.judging.pairs import ranked
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake

ORACLE = Oracle()


def way(exercise: Exercise, name: str) -> Mistake:
    return next(one for one in ORACLE.mistakes(exercise) if one.name == name)


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
    runs = {(probe, seed): ORACLE.wrong(exercise, made, probe, seed) for probe in exercise.probes for seed in PRACTICE}
    names = [{mistake.name for mistake in pair} for pair in ranked(exercise, runs, ORACLE)]
    assert {one, other} in names[:8]
    assert len(names) > 800


def test_a_pair_whose_edits_overlap_is_named() -> None:
    exercise = registry.exercise("normalize")
    one, other = way(exercise, "eps as a lower bound"), way(exercise, "no root")
    report = examine(exercise, mistaken("layer_norm", "normalize", [one, other]))
    assert set((report.mistake or "").split(" + ")) == {one.name, other.name}
