"""`check`: what a learner calls after every exercise."""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import Any

from autograder import registry
from autograder.judging.oracle import has_reference
from autograder.learner import clean, leftovers, library, progress_file
from autograder.learner.as_given import defining_cell, is_as_given
from autograder.learner.choices import chosen, is_handed_out, stretch_in_words
from autograder.learner.examine import examine, unusable
from autograder.learner.notebook import graded, is_own, namespace, shell
from autograder.learner.offers import offers
from autograder.learner.undefined import explain_undefined_names
from autograder.learner.waiting import says_when_it_takes_long
from autograder.learner.worth import worth
from autograder.probing import lineup
from autograder.probing.exercise import Exercise
from autograder.reporting.leads import counts_faults
from autograder.reporting.report import Report

explain_undefined_names()


def check(implementation: Any, exercise: str | None = None, *, bonus: bool = False) -> Report:
    """Check an implementation and say what is wrong with it; keep it in `my_transformer` when nothing is.

    Args:
        implementation: the function or class itself: `check(LayerNorm)`.
        exercise: the exercise's name, where the implementation is called otherwise.
        bonus: whether its points come on top of the full ones, as a class's notebook says it of a stretch.

    Returns:
        The report. In a notebook it displays itself; `.passed`, `.points` and `.mistake` are for programs.

    Raises:
        UnknownExercise: when there is no exercise of that name; the message lists the nearest.
    """
    if isinstance(implementation, str):
        exercise, implementation = implementation, namespace().get(implementation)
    one = _known(exercise or _name(implementation))
    if _is_instance(implementation, one):
        return _on_its_scale(
            one, unusable(one, f"This is a finished object. Give the class itself: `check({one.name})`.")
        )
    keep = _may_be_kept(one, implementation)
    if keep:
        clean.start()
    with says_when_it_takes_long():
        report = examine(one, implementation)
    untouched = report.status == "wrong" and is_as_given(one, implementation)
    report.as_given = untouched and not one.hunt
    report.counted = bool(report.verdict and counts_faults(report.verdict)) and _asked_once(one, implementation)
    report = _as_a_bonus(report) if bonus else _on_its_scale(one, report)
    if one.wild and report.passed and is_own(implementation):
        lineup.keep_repair(one.name, implementation)
    if keep:
        progress_file.record(one, replace(report, as_given=untouched))  # nobody's mistakes yet
        if report.passed and not _borrowed(report):
            report.notes.append(library.save(one, implementation))
    if report.passed and not graded():  # a grader has no next step
        report.notes += filter(None, [next_step(one)])
    elif report.status == "wrong" and is_own(implementation):
        read = leftovers.leftovers(implementation)
        report.notes += filter(None, [leftovers.told(read, in_class=inspect.isclass(implementation))])
    report.offers = offers(one, report)
    return report


_asked: dict[str, str] = {}
"""Exercise → the cell that was checked last, where a report counts faults before it says which."""


def _asked_once(exercise: Exercise, implementation: Any) -> bool:
    """Whether this is the first check of this very code in a notebook at which somebody sits."""
    if graded() or not is_own(implementation):
        return False
    text = defining_cell(implementation)
    before, _asked[exercise.name] = _asked.get(exercise.name), text
    return before != text


def _as_a_bonus(report: Report) -> Report:
    """On a scale of its own: the check cell of a bonus has 0 points."""
    report.bonus = True
    return report


def _on_its_scale(exercise: Exercise, report: Report) -> Report:
    """With the points of the notebook's own check cell, in which nbgrader counts."""
    return report.out_of(worth(exercise))


def next_step(exercise: Exercise) -> str:
    """What comes after an exercise in its lesson and has not passed yet, or an empty string at the end."""
    order, choices = registry.exercises(exercise.lesson), chosen()
    known = progress_file.read()
    following = [one for one in order[order.index(exercise) + 1 :] if is_handed_out(one, choices)]
    later = [one for one in following if not known.get(one.name, {}).get("passed")]
    if not later:
        return ""
    return f"Next: `{later[0].name}`{stretch_in_words(choices) if later[0].stretch else ''}."


def _known(name: str) -> Exercise:
    try:
        return registry.exercise(name)
    except registry.UnknownExercise as error:
        if has_reference():
            raise
        newest = registry.notebook_stem(registry.lessons()[-1])
        more = f"This package goes up to {newest}; for a later lesson, install the newest package."
        raise registry.UnknownExercise(f"{error} {more}") from None


def _name(implementation: Any) -> str:
    name = getattr(implementation, "__name__", None)
    kind = type(implementation).__name__
    if isinstance(name, str) and callable(implementation):
        return name
    if kind in {one.name for one in registry.all_exercises()}:
        return kind
    what = "nothing (None)" if implementation is None else f"an object of type {kind}"
    first = registry.all_exercises()[0].name
    raise registry.UnknownExercise(f"check takes a function or class itself, as in check({first}). This is {what}.")


def _is_instance(implementation: Any, exercise: Exercise) -> bool:
    return not inspect.isclass(implementation) and type(implementation).__name__ == exercise.name


def _may_be_kept(exercise: Exercise, implementation: Any) -> bool:
    """Only what a notebook itself defines, under the exercise's own name, becomes part of the library."""
    return shell() is not None and not graded() and is_own(implementation) and implementation.__name__ == exercise.name


def _borrowed(report: Report) -> bool:
    """Whether it passed only with another part replaced, or is a repair, which no later lesson needs."""
    return bool(report.notes) or registry.exercise(report.exercise).starts_wrong
