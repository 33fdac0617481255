"""What the reference computes, and what it computes with mistakes made in it. Trusted side only."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Any, Protocol

from autograder import registry
from autograder.judging.answers import NoReference, Stored, fresh_answers
from autograder.judging.edits import Pair, mistaken, order_matters
from autograder.judging.table import Table
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.run import Run, run_probe
from autograder.probing.watch import unwatched


@cache
def has_reference() -> bool:
    """Whether this edition of the course comes with the reference."""
    try:
        importlib.import_module("solutions")
    except ModuleNotFoundError:
        return False
    return True


def reference(exercise: Exercise) -> Callable[..., Any]:
    """The reference implementation.

    Raises:
        NoReference: when `solutions` is absent.
    """
    name = f"solutions.{exercise.lesson}"
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise NoReference(f"{name} is not part of this edition of the course") from error
    found: Callable[..., Any] = getattr(module, exercise.reference)
    return found


@cache
def lesson_mistakes(lesson: str) -> tuple[Mistake, ...]:
    """All mistakes of a lesson: its module of mistakes is imported, which adds them to the exercises."""
    name = f"autograder.mistakes.{lesson}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
    return tuple(dict.fromkeys(one for exercise in registry.exercises(lesson) for one in exercise.mistakes))


class Knows(Protocol):
    """What a judge asks: the reference and the mistakes, or stored answers of both."""

    def mistakes(self, exercise: Exercise) -> tuple[Mistake, ...]: ...

    def right(self, exercise: Exercise, probe: Probe, seed: int) -> Run: ...

    def wrong(self, exercise: Exercise, mistakes: Sequence[Mistake], probe: Probe, seed: int) -> Run: ...

    def orders(self, exercise: Exercise, pair: Pair) -> Sequence[Pair]: ...

    def table(self, exercise: Exercise, probe: Probe, seed: int) -> Table: ...


class LiveOracle:
    """Answers what is right and what each mistake would give, by running the reference."""

    def mistakes(self, exercise: Exercise) -> tuple[Mistake, ...]:
        """The mistakes that an exercise can show."""
        lesson_mistakes(exercise.lesson)
        return exercise.mistakes

    def right(self, exercise: Exercise, probe: Probe, seed: int) -> Run:
        """What the reference computes."""
        return _right(exercise, probe, seed)

    def wrong(self, exercise: Exercise, mistakes: Sequence[Mistake], probe: Probe, seed: int) -> Run:
        """What the reference computes with these mistakes made in it.

        Raises:
            EditsOverlap: when the mistakes touch the same place.
        """
        if len(mistakes) == 1:
            return _with_one(exercise, mistakes[0], probe, seed)
        return _run(mistaken(exercise.lesson, exercise.reference, mistakes), probe, seed)

    def orders(self, exercise: Exercise, pair: Pair) -> Sequence[Pair]:
        """The two orders in which two mistakes can be made, where these give two programs; else one."""
        one, other = pair
        return (pair, (other, one)) if order_matters(exercise.lesson, one, other) else (pair,)

    def table(self, exercise: Exercise, probe: Probe, seed: int) -> Table:
        """What all mistakes give on one draw."""
        return _table(exercise, probe, seed)


class Oracle(LiveOracle):
    """The same, from stored answers where there are any to the draws that are asked for."""

    def right(self, exercise: Exercise, probe: Probe, seed: int) -> Run:
        """What the reference computes."""
        stored = fresh_answers(exercise)
        if stored is not None and stored.has(probe, seed):
            return stored.right(probe, seed)
        return super().right(exercise, probe, seed)

    def wrong(self, exercise: Exercise, mistakes: Sequence[Mistake], probe: Probe, seed: int) -> Run:
        """What the reference computes with these mistakes made in it.

        Raises:
            EditsOverlap: when the mistakes touch the same place.
        """
        stored = fresh_answers(exercise) if len(mistakes) == 1 and not mistakes[0].varies else None
        if stored is not None and stored.has(probe, seed):
            return stored.wrong(stored.of_way(_ways(exercise)[mistakes[0]]), probe, seed)
        return super().wrong(exercise, mistakes, probe, seed)

    def table(self, exercise: Exercise, probe: Probe, seed: int) -> Table:
        """What all mistakes give on one draw."""
        stored = fresh_answers(exercise)
        if stored is None or not stored.has(probe, seed):
            return super().table(exercise, probe, seed)
        if any(one.varies for one in self.mistakes(exercise)):
            return _beside_what_varies(exercise, probe, seed, stored)
        return stored.table(probe, seed, by_way=True)


@cache
def _ways(exercise: Exercise) -> dict[Mistake, int]:
    """Under which number the stored answers have each mistake."""
    kept = (one for one in Oracle().mistakes(exercise) if not one.varies)
    return {mistake: number for number, mistake in enumerate(kept)}


# What a draw gives is remembered: practice asks for the same ones at every check. Nobody changes a Run.


@lru_cache(maxsize=5_000)
def _right(exercise: Exercise, probe: Probe, seed: int) -> Run:
    return _run(reference(exercise), probe, seed)


@lru_cache(maxsize=20_000)
def _with_one(exercise: Exercise, mistake: Mistake, probe: Probe, seed: int) -> Run:
    return _run(mistaken(exercise.lesson, exercise.reference, [mistake]), probe, seed)


@lru_cache(maxsize=500)
def _table(exercise: Exercise, probe: Probe, seed: int) -> Table:
    runs = [_with_one(exercise, one, probe, seed) for one in LiveOracle().mistakes(exercise)]
    return Table(_right(exercise, probe, seed), runs, range(len(runs)))


@lru_cache(maxsize=500)
def _beside_what_varies(exercise: Exercise, probe: Probe, seed: int, stored: Stored) -> Table:
    """What is stored, and what the ways give that are always run."""
    table = stored.table(probe, seed, by_way=True)
    runs, which, kept = list(table.runs), list[int](), iter(table.which)
    for one in LiveOracle().mistakes(exercise):
        if one.varies:
            runs.append(_with_one(exercise, one, probe, seed))
        which.append(len(runs) - 1 if one.varies else next(kept))
    return Table(table.right, runs, which)


def _run(implementation: Callable[..., Any], probe: Probe, seed: int) -> Run:
    with unwatched():
        return run_probe(probe, implementation, seed)
