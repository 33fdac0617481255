"""The names that the grades of a class hold: of exercises, and of mistakes with what is said of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from autograder import registry
from autograder.classroom.grading.grades import Grade, Result
from autograder.judging.oracle import Oracle
from autograder.probing.mistake import Mistake

Grades = Mapping[str, Grade]
"""Student → grade."""


def exercises(grades: Grades) -> list[str]:
    """The names of the exercises, in the order of the notebook."""
    return list(dict.fromkeys(one.exercise for grade in grades.values() for one in grade.results))


@cache
def known_mistakes(exercise: str) -> tuple[Mistake, ...]:
    """An exercise's mistakes that have names; none when there is no such exercise."""
    try:
        return Oracle().mistakes(registry.exercise(exercise))
    except registry.UnknownExercise:
        return ()


def mistake_names(one: Result) -> list[str]:
    """The names in a result's mistake. A plus joins a pair where both sides are known; "std + eps" is one name."""
    known = {mistake.name for mistake in known_mistakes(one.exercise)}
    pieces = one.mistake.split(" + ")
    if one.mistake not in known:
        for at in range(1, len(pieces)):
            pair = [" + ".join(pieces[:at]), " + ".join(pieces[at:])]
            if known.issuperset(pair):
                return list(dict.fromkeys(pair))  # two ways of one mistake bear one name
    return [one.mistake] if one.mistake else []


def explanations(exercise: str, name: str, reports: Sequence[str]) -> list[str]:
    """What is said of a mistake. Several ways of it may be explained differently: those that the reports hold."""
    said = list(dict.fromkeys(one.says for one in known_mistakes(exercise) if one.name == name))
    held = [text for text in said if any(text.rstrip(".") in report for report in reports)]
    return held or said[:1]
