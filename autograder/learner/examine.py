"""Runs all probes of an exercise on an implementation, in this process, and has it decided on."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Sequence
from typing import Any

from autograder import registry
from autograder.judging.answers import Answers, NoReference
from autograder.judging.decision import Ask, Decision, decide, lend, run_all
from autograder.judging.lending import lendable, lent, namespace_of, within_reach
from autograder.judging.oracle import Knows, Oracle, has_reference
from autograder.learner.collect import source_of
from autograder.learner.notebook import graded
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.run import Key, Run, Runs, captured, other_luck_kept, run_draws
from autograder.reporting.report import Report, report_of

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
    ask = _asker(exercise, implementation, draws)
    with other_luck_kept():
        with captured() as printed:
            runs = run_all(exercise.probes, ask)
            text = printed()
        try:
            with captured():  # wrong variants of the reference may warn; that is not the learner's concern
                decision = _decided(exercise, implementation, runs, ask)
        except NoReference as error:
            return unusable(exercise, f"Your code ran, but there is nothing to compare it with: {error}.")
    return report_of(decision, text, source_of(implementation) or "")


def _decided(exercise: Exercise, implementation: Any, runs: Runs, ask: Ask) -> Decision:
    oracle = _oracle()
    decision = decide(exercise, runs, oracle, ask)
    parts = within_reach(implementation, lendable(exercise)) if decision.failed else []
    return lend(decision, parts, oracle, ask)


def _oracle() -> Knows:
    """The reference where it is here; a student's edition has stored answers instead."""
    return Oracle() if has_reference() else Answers()


def unusable(exercise: Exercise, message: str) -> Report:
    """A report on something that cannot be run at all."""
    return Report(exercise.name, "unusable", 0.0, exercise.points, message=message)


def _asker(exercise: Exercise, implementation: Callable[..., Any], draws: Sequence[int]) -> Ask:
    """Runs probes here; while a part is replaced, the implementation finds its stand-in under its name."""
    values = namespace_of(implementation)

    def ask(probe: Probe, *, luck: int = 0, replaced: Collection[str] = (), practice: bool = False) -> Runs:
        with lent(values, {name: registry.stand_in(registry.exercise(name)) for name in replaced}):
            return _run_draws(exercise, implementation, probe, PRACTICE if practice else draws, luck)

    return ask


def _run_draws(
    exercise: Exercise, implementation: Callable[..., Any], probe: Probe, draws: Sequence[int], luck: int
) -> Runs:
    runs: dict[Key, Run] = {}
    for seed, run in run_draws(
        probe, implementation, draws, exercise.forbidden, luck, _settled(exercise, probe, draws)
    ):
        runs[probe, seed] = run
        if run.interrupted:
            break
    return runs


def _settled(exercise: Exercise, probe: Probe, draws: Sequence[int]) -> dict[int, Sequence[int]]:
    """What a probe settles on that looks for telling inputs, so that it need not look again."""
    try:
        return {seed: _oracle().right(exercise, probe, seed).settled for seed in draws}
    except NoReference:
        return {}
