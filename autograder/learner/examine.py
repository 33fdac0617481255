"""Runs all probes of an exercise on an implementation and has the judge decide."""

from __future__ import annotations

import itertools
import secrets
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from autograder import registry
from autograder.exercise import Exercise
from autograder.judge import Key, Knows, Runs, Verdict, is_blank, judge
from autograder.learner.notebook import graded
from autograder.oracle import NoReference, Oracle, has_reference
from autograder.outcome import same
from autograder.report import Report
from autograder.run import Run, captured, run_probe

PRACTICE = (1, 2)
"""The seeds of practice; grading draws its own, and more."""

GRADING_DRAWS = 5

REMEMBERS = (
    "Run again on the same numbers, your code gives another result. It keeps something from call to call: an "
    "attribute, a global name, a list that grows."
)
IS_RANDOM = (
    "With other random numbers from torch your result changes. Something in your code is random where it should not "
    "be: a dropout that is on, or in another place, or with a share of its own, or a layer that is made anew at each "
    "call."
)


def seeds() -> tuple[int, ...]:
    """The seeds of this check: fixed ones in practice, fresh and secret ones when graded."""
    if graded():
        return tuple(secrets.randbits(63) for _ in range(GRADING_DRAWS))
    return PRACTICE


def examine(exercise: Exercise, implementation: Any, draws: Sequence[int] | None = None) -> Report:
    """Check an implementation.

    Args:
        exercise: what it should implement.
        implementation: the function or class.
        draws: seeds; by default those of practice or grading.

    Returns:
        The report. Nothing the implementation does is raised.
    """
    draws = tuple(draws or seeds())
    if not callable(implementation):
        what = "nothing" if implementation is None else f"a {type(implementation).__name__}"
        return unusable(exercise, f"`{exercise.name}` is {what}, and should be a function or a class.")
    with captured() as printed:
        runs = _run_all(exercise, implementation, draws)
        text = printed()
    try:
        with captured():  # wrong variants of the reference may warn; that is not the learner's concern
            verdict = judge(exercise, runs, _oracle())
            notes = _wavering(exercise, implementation, runs, verdict)
            notes += _follow_through(exercise, implementation, runs, draws, verdict)
    except NoReference as error:
        return unusable(exercise, f"Your code ran, but there is nothing to compare it with: {error}.")
    return Report(
        exercise.name,
        verdict.status,
        verdict.points,
        exercise.points,
        verdict,
        printed=text,
        notes=notes,
    )


def _oracle() -> Knows:
    """The reference where it is here; a student's edition has stored answers instead."""
    if has_reference():
        return Oracle()
    from autograder.answers import Answers

    return Answers()


def unusable(exercise: Exercise, message: str) -> Report:
    """A report on something that cannot be run at all."""
    return Report(exercise.name, "unusable", 0.0, exercise.points, message=message)


def _run_all(exercise: Exercise, implementation: Callable[..., Any], draws: Sequence[int]) -> dict[Key, Run]:
    runs: dict[Key, Run] = {}
    for probe, seed in itertools.product(exercise.probes, draws):
        runs[probe, seed] = run_probe(probe, implementation, seed, exercise.forbidden)
        if runs[probe, seed].interrupted:
            break
    return runs


def _wavering(exercise: Exercise, implementation: Any, runs: dict[Key, Run], verdict: Verdict) -> list[str]:
    """What to say when the first check that fails gives something else each time."""
    first = verdict.failures[0] if verdict.status == "wrong" and not verdict.mistakes else None
    if first is None or first.got is None or first.difference is None or first.difference.kind != "value":
        return []
    probe, seed = next(key for key, run in runs.items() if run is first.got)
    for luck, sentence in ((0, REMEMBERS), (1, IS_RANDOM)):
        again = run_probe(probe, implementation, seed, exercise.forbidden, luck)
        if not same(first.got.returned, again.returned):
            return [sentence]
    return []


# Follow-through ----------------------------------------------------------------------------


def _follow_through(
    exercise: Exercise, implementation: Any, runs: Runs, draws: Sequence[int], verdict: Verdict
) -> list[str]:
    """Try again with earlier parts of the notebook replaced; if that passes, the fault lies there.

    Changes the verdict to passed in that case, and says whose fault it was. Where a fault of its own is left, and only
    then has a name, the verdict tells that one.
    """
    if verdict.status not in ("wrong", "blank"):
        return []
    values = _globals_of(implementation)
    earlier = _earlier_parts(exercise, implementation, values)
    if not earlier:
        return []
    if not _passes(exercise, implementation, draws, values, earlier):
        return _fault_of_its_own(exercise, implementation, runs, draws, values, earlier, verdict)
    guilty = [name for name in earlier if not _passes(exercise, implementation, draws, values, earlier - {name})]
    verdict.status, verdict.points = "passed", float(exercise.points)
    verdict.findings = [_held(finding) for finding in verdict.findings]
    verdict.mistakes, verdict.unexplained = (), []
    names = " and ".join(f"`{name}`" for name in sorted(guilty or earlier))
    verb = "are" if len(guilty or earlier) > 1 else "is"
    return [
        f"`{exercise.name}` is right; {names}, which it uses, {verb} not. It was checked with a stand-in in that place."
    ]


def _fault_of_its_own(
    exercise: Exercise,
    implementation: Any,
    runs: Runs,
    draws: Sequence[int],
    values: dict[str, Any],
    earlier: set[str],
    verdict: Verdict,
) -> list[str]:
    """Name what is wrong with it besides earlier parts that are wrong too, where these alone hid it."""
    if verdict.mistakes:
        return []
    guilty = [name for name in earlier if _matters(exercise, implementation, runs, draws, values, name)]
    if not guilty:
        return []
    with _replaced(values, earlier):
        other = judge(exercise, _run_all(exercise, implementation, draws), _oracle())
    if not other.mistakes:
        return []
    verdict.status, verdict.findings = other.status, other.findings
    verdict.points = max(verdict.points, other.points)
    verdict.mistakes, verdict.unexplained = other.mistakes, other.unexplained
    names = " and ".join(f"`{name}`" for name in sorted(guilty))
    verb = "are" if len(guilty) > 1 else "is"
    return [
        f"{names}, which it uses, {verb} not right either. What is said here was found with a stand-in in that place."
    ]


def _matters(
    exercise: Exercise, implementation: Any, runs: Runs, draws: Sequence[int], values: dict[str, Any], name: str
) -> bool:
    """Whether an earlier part, replaced by its stand-in, changes what comes out."""
    with _replaced(values, {name}):
        again = _run_all(exercise, implementation, draws)
    return any(_apart(run, again[key]) for key, run in runs.items() if key in again)


def _apart(one: Run, other: Run) -> bool:
    """Whether two runs differ; a blank equals nothing, but here it is no other than it was."""
    return not same(one.returned, other.returned) and not (is_blank(one) and is_blank(other))


def _held(finding: Any) -> Any:
    return type(finding)(finding.says, finding.name, finding.rung, finding.credit, True)


def _passes(
    exercise: Exercise,
    implementation: Any,
    draws: Sequence[int],
    values: dict[str, Any],
    replaced: set[str],
) -> bool:
    with _replaced(values, replaced):
        runs = _run_all(exercise, implementation, draws)
    return judge_only(exercise, runs)


def judge_only(exercise: Exercise, runs: dict[Key, Run]) -> bool:
    """Whether everything holds, without looking for mistakes."""
    return judge(exercise, runs, _oracle(), name_mistakes=False).status == "passed"


def _earlier_parts(exercise: Exercise, implementation: Any, values: dict[str, Any]) -> set[str]:
    """Names of exercises of the same lesson that the implementation finds in its own module."""
    home = getattr(implementation, "__module__", None)
    return {
        one.name
        for one in registry.exercises(exercise.lesson)
        if one.name != exercise.name
        and getattr(values.get(one.name), "__module__", "") == home
        and registry.stand_in(one) is not None
    }


def _globals_of(implementation: Any) -> dict[str, Any]:
    """The module namespace in which an implementation looks up names."""
    functions = [implementation, *vars(implementation).values()] if hasattr(implementation, "__dict__") else []
    found = (one.__globals__ for one in functions if isinstance(one, types.FunctionType))
    return next(found, {})


@contextmanager
def _replaced(values: dict[str, Any], names: set[str]) -> Iterator[None]:
    """While this is active, the named parts are their stand-ins."""
    before = {name: values[name] for name in names}
    values.update({name: registry.stand_in(registry.exercise(name)) for name in names})
    try:
        yield
    finally:
        values.update(before)
