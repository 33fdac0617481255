"""Makes the stored answers of a lesson: the reference and every mistake, run on the practice draws."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from autograder import registry
from autograder.judging.answers import Numbers, write
from autograder.judging.oracle import Oracle
from autograder.learner.examine import PRACTICE
from autograder.probing.draws import Signature
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import same
from autograder.probing.run import Run, captured


def make(lesson: str, path: Path) -> None:
    """Run everything once, and write it down.

    Args:
        lesson: whose answers.
        path: the file to write.
    """
    book = _Book()
    with captured(), warnings.catch_warnings():  # mistakes may warn and print
        warnings.simplefilter("ignore")
        exercises = {one.name: book.exercise(one) for one in registry.exercises(lesson) if not one.repairs}
    index = {"seeds": list(PRACTICE), "signatures": book.signatures, "exercises": exercises}
    write(path, index, book.numbers)


class _Book:
    """Writes runs down; equal signatures once."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.oracle = Oracle()
        self.signatures: list[list[dict[str, Any]]] = []
        self._known: dict[str, int] = {}

    def exercise(self, exercise: Exercise) -> dict[str, Any]:
        """All runs of one exercise."""
        right = {
            probe.name: [self._run(self.oracle.right(exercise, probe, seed)) for seed in PRACTICE]
            for probe in exercise.probes
        }
        return {"right": right, "mistakes": list(self._mistakes(exercise))}

    def _mistakes(self, exercise: Exercise) -> Iterator[dict[str, Any]]:
        told: set[tuple[str, str]] = set()
        for mistake in self.oracle.mistakes(exercise):
            runs = {probe.name: self._wrongs(exercise, mistake, probe) for probe in exercise.probes}
            runs = {name: found for name, found in runs.items() if any(found)}
            key = mistake.name, json.dumps(runs)
            if key not in told:  # two edits that compute the same need one entry
                told.add(key)
                yield {"name": mistake.name, "says": mistake.says, "runs": runs}

    def _wrongs(self, exercise: Exercise, mistake: Mistake, probe: Probe) -> list[Any]:
        pairs = (
            (self.oracle.right(exercise, probe, seed), self.oracle.wrong(exercise, [mistake], probe, seed))
            for seed in PRACTICE
        )
        return [self._difference(right, wrong) for right, wrong in pairs]

    def _difference(self, right: Run, wrong: Run) -> list[Any] | None:
        """A mistake's run, or None where it is the right one."""
        beside = (wrong.signatures, wrong.changed) == (right.signatures, right.changed)
        if beside and same(right.returned, wrong.returned):
            return None
        tree = self.numbers.encode(wrong.returned, right=right.returned, exact=False)
        return [tree, self._signatures(wrong.signatures), wrong.changed]

    def _run(self, run: Run) -> list[Any]:
        return [self.numbers.encode(run.returned), self._signatures(run.signatures), run.changed]

    def _signatures(self, found: list[Signature]) -> int:
        plain = [{name: [kind, list(shape), shared] for name, (kind, shape, shared) in one.items()} for one in found]
        key = json.dumps(plain)
        if key not in self._known:
            self._known[key] = len(self.signatures)
            self.signatures.append(plain)
        return self._known[key]
