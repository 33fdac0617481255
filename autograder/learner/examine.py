"""Runs all probes of an exercise on an implementation and has the judge decide."""

from __future__ import annotations

import inspect
import secrets
import types
from collections.abc import Callable, Collection, Sequence
from typing import Any

from autograder import registry
from autograder.judging.answers import Answers, NoReference
from autograder.judging.judge import Key, Runs, Verdict, judge
from autograder.judging.oracle import Knows, Oracle, has_reference
from autograder.judging.second_look import Again, SecondLook, lent, run_all, wavering
from autograder.learner.notebook import graded
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import Raised
from autograder.probing.run import Run, captured, run_draws
from autograder.reporting.report import Report

GRADING_DRAWS = 5


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
            notes = wavering(runs, verdict, _again(exercise, implementation, draws))
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
    return Oracle() if has_reference() else Answers()


def unusable(exercise: Exercise, message: str) -> Report:
    """A report on something that cannot be run at all."""
    return Report(exercise.name, "unusable", 0.0, exercise.points, message=message)


def _run_all(exercise: Exercise, implementation: Callable[..., Any], draws: Sequence[int]) -> Runs:
    return run_all(exercise.probes, lambda probe: _run_draws(exercise, implementation, probe, draws))


def _run_draws(exercise: Exercise, implementation: Callable[..., Any], probe: Probe, draws: Sequence[int]) -> Runs:
    runs: dict[Key, Run] = {}
    for seed, run in run_draws(probe, implementation, draws, exercise.forbidden):
        runs[probe, seed] = run
        if run.interrupted:
            break
    return runs


def _again(exercise: Exercise, implementation: Callable[..., Any], draws: Sequence[int]) -> Again:
    """Runs a probe once more on all its draws: the first alone is watched, and torch may take another way then."""
    return lambda probe, seed, luck: dict(run_draws(probe, implementation, draws, exercise.forbidden, luck))[seed]


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
    earlier = _earlier_parts(exercise, implementation, values) | _missing_parts(exercise, values, runs)
    if not earlier:
        return []

    def ask(probe: Probe, replaced: Collection[str]) -> Runs:
        with lent(values, {name: registry.stand_in(registry.exercise(name)) for name in replaced}):
            return _run_draws(exercise, implementation, probe, draws)

    look = SecondLook(exercise, _oracle(), earlier, earlier, ask)
    return look.excuse(verdict) if look.passes(earlier) else look.fault_of_its_own(runs, verdict)


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


def _missing_parts(exercise: Exercise, values: dict[str, Any], runs: Runs) -> set[str]:
    """Names of exercises of the same lesson that the implementation looked for in vain: a cell that does not parse
    defines nothing."""
    others = {one.name for one in registry.exercises(exercise.lesson) if registry.stand_in(one) is not None}
    missing = others - values.keys() - {exercise.name}
    vain = {f"name {name!r} is not defined" for name in missing}
    asked = any(isinstance(run.returned, Raised) and run.returned.message in vain for run in runs.values())
    return missing if asked else set()


def _globals_of(implementation: Any) -> dict[str, Any]:
    """The module namespace in which an implementation looks up names; a decorator may look up in another."""
    parts = [implementation, *vars(implementation).values()] if hasattr(implementation, "__dict__") else []
    functions = (inspect.unwrap(one) for one in parts if callable(one))
    return next((one.__globals__ for one in functions if isinstance(one, types.FunctionType)), {})
