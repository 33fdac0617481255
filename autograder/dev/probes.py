"""What is wrong with a probe by itself, seen where it runs on the reference: every comparison rests on that."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder import homes, registry
from autograder.judging.oracle import reference
from autograder.probing.draws import PRACTICE, Draw
from autograder.probing.exercise import Exercise
from autograder.probing.outcome import Foreign, leaves, same
from autograder.probing.run import Run, run_probe


def weaknesses(exercise: Exercise) -> tuple[list[str], list[str]]:
    """What is wrong with the probes of an exercise, and what is worth a look, in sentences that say what to do."""
    wrong, odd, broken = [], [], []
    for probe in exercise.probes:
        seen = _ExceptionsSeen(exercise.lesson)
        run = run_probe(replace(probe, compute=seen.noting(probe.compute)), reference(exercise), PRACTICE[0])
        again = run_probe(probe, reference(exercise), PRACTICE[0], luck=1)
        if said := f"raises on the reference: {seen.by_probe}" if seen.by_probe else _wrong(run, again):
            wrong.append(f"The probe {probe.name} {said}.")
        elif seen.by_reference:
            broken.append(f"The reference raises in the probe {probe.name}: {seen.by_reference}.")
        elif not exercise.shows and (said := _odd(run)):
            odd.append(f"The probe {probe.name} {said}.")
    if len(broken) == len(exercise.probes):  # in one of several it may be the very point
        return wrong + broken, odd
    return wrong, [*(f"{one[:-1]}; mend it, unless the probe is about that." for one in broken), *odd]


def _wrong(run: Run, again: Run) -> str:
    """What no probe may do, seen in two runs on the reference with other luck."""
    found = [leaf for _, leaf in leaves(run.returned)]
    if all(leaf is None for leaf in found):
        return "returns nothing; return what was computed"
    if strange := [leaf.type_name for leaf in found if isinstance(leaf, Foreign)]:
        return f"returns a {strange[0]}, which cannot be compared; return tensors, numbers, or lists and dicts of them"
    if not same(run.returned, again.returned):
        return "gives something else each time it runs on the reference; take all random numbers from `draw`"
    return ""


def _odd(run: Run) -> str:
    """What few probes have a reason for."""
    if run.changed:
        names = ", ".join(map(repr, run.changed))
        return f"changes what it drew, {names}, so nobody sees whether an implementation does; work on a clone"
    if all(leaf is None or isinstance(leaf, bool) for _, leaf in leaves(run.returned)):
        return "returns True or False alone; where there is something that was computed, return that"
    return ""


class _ExceptionsSeen:
    """Notes what a probe's own lines raise, and what the reference does without a `raise`.

    What an implementation raises may be the very point, and so may what a line says with `raise`: a counterpart that a
    probe brings along does.

    Args:
        lesson: whose probe, and whose reference.

    Attributes:
        by_probe: the exception and its line, where it was the probe's own; else "".
        by_reference: the same of the reference.
    """

    def __init__(self, lesson: str) -> None:
        self.by_probe = self.by_reference = ""
        self._checks = {str(file) for file in registry.files("checks", lesson)}
        self._solutions = homes.below("solutions")

    def noting(self, compute: Callable[..., Any]) -> Callable[..., Any]:
        """The same computation, which notes what it raises."""

        def run(implementation: Any, draw: Draw) -> Any:
            try:
                return compute(implementation, draw)
            except Exception as error:
                self._note(error)
                raise

        return run

    def _note(self, error: Exception) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        if frames[-1].filename in self._checks:
            self.by_probe = _said(error, frames[-1])
        elif solved := [one for one in frames if one.filename.startswith(self._solutions)]:
            self.by_reference = _said(error, solved[-1])


def _said(error: Exception, frame: traceback.FrameSummary) -> str:
    """An exception and its line; "" where the line raises it by name."""
    if (frame.line or "").startswith("raise"):
        return ""
    return f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line {frame.lineno})"
