"""What is wrong with a probe by itself, seen where it runs on the reference: every comparison rests on that."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from autograder import registry
from autograder.judging.oracle import reference
from autograder.probing.draws import PRACTICE, Draw
from autograder.probing.exercise import Exercise
from autograder.probing.outcome import Foreign, leaves, same
from autograder.probing.run import Run, run_probe


def weaknesses(exercise: Exercise) -> tuple[list[str], list[str]]:
    """What is wrong with the probes of an exercise, and what is worth a look, in sentences that say what to do."""
    wrong, odd = [], []
    for probe in exercise.probes:
        raised: list[str] = []
        watched = replace(probe, compute=_noting(probe.compute, exercise.lesson, raised))
        run = run_probe(watched, reference(exercise), PRACTICE[0])
        again = run_probe(probe, reference(exercise), PRACTICE[0], luck=1)
        if said := f"raises on the reference: {raised[-1]}" if raised else _wrong(run, again):
            wrong.append(f"The probe {probe.name} {said}.")
        elif said := _odd(run):
            odd.append(f"The probe {probe.name} {said}.")
    return wrong, odd


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


def _noting(compute: Callable[..., Any], lesson: str, raised: list[str]) -> Callable[..., Any]:
    """The same, which notes what goes wrong in its own lines; what an implementation raises may be the very point.

    So may what a line says with `raise`: a counterpart that a probe brings along does.
    """
    own = {str(file) for file in registry.files("checks", lesson)}

    def run(implementation: Any, draw: Draw) -> Any:
        try:
            return compute(implementation, draw)
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            if last.filename in own and not (last.line or "").startswith("raise"):
                place = f"{Path(last.filename).name}, line {last.lineno}"
                raised.append(f"{type(error).__name__}: {error} ({place})")
            raise

    return run
