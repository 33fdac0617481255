"""Makes the stored answers of a lesson: the reference and every mistake, run on the practice draws."""

from __future__ import annotations

import lzma
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from autograder import registry
from autograder.judging.agreement import agree
from autograder.judging.answers import AS_RIGHT, ingredients
from autograder.judging.oracle import LiveOracle
from autograder.probing.codec import encode
from autograder.probing.draws import PRACTICE, Signature
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import same
from autograder.probing.run import Run, captured

LOW_BITS = 8
"""Bits of a float32 that are rounded away in wrong numbers: 2⁻¹⁶ is a sixth of the tolerance, and packs well."""


def make(lesson: str, path: Path) -> None:
    """Run everything once, and write it down.

    Args:
        lesson: whose answers.
        path: the file to write.
    """
    parts: dict[str, Tensor] = {}
    with captured(), warnings.catch_warnings():  # mistakes may warn and print
        warnings.simplefilter("ignore")
        for exercise in registry.exercises(lesson):
            if not exercise.repairs:
                book = _Book(exercise)
                wrongs = book.wrongs()  # first: they have signatures, too
                parts[f"{exercise.name}/wrong"] = _packed(wrongs)
                parts[f"{exercise.name}/right"] = _packed(book.rights())
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file(parts, path, metadata={"made of": ingredients(lesson)})
    path.chmod(0o644)  # safetensors lets nobody else read it, and others install it


def _packed(value: Any) -> Tensor:
    return torch.frombuffer(bytearray(lzma.compress(encode(value, limit=2**30))), dtype=torch.uint8)


class _Book:
    """Writes down the runs of one exercise; what is the same is written once."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.oracle = LiveOracle()
        self.ways = [one for one in self.oracle.mistakes(exercise) if not one.varies]
        self.signatures: list[list[Signature]] = []
        self.runs: list[bytes] = []

    def rights(self) -> dict[str, Any]:
        """What the reference computes."""
        runs = {probe.name: [self._encoded(self._right(probe, seed)) for seed in PRACTICE] for probe in self._probes}
        return {"seeds": list(PRACTICE), "runs": runs, "signatures": [_plain(one) for one in self.signatures]}

    def wrongs(self) -> dict[str, Any]:
        """What is computed with each mistake; ways of one name that compute the same stand under one number."""
        which = {probe.name: [self._numbers(probe, seed) for seed in PRACTICE] for probe in self._probes}
        first: list[int] = []
        ways = []
        for number in range(len(self.ways)):
            alike = (place for place, other in enumerate(first) if self._alike(number, other))
            place = next(alike, len(first))
            if place == len(first):
                first.append(number)
            ways.append(place)
        return {
            "mistakes": [[self.ways[way].name, self.ways[way].says] for way in first],
            "ways": torch.tensor(ways, dtype=torch.int16),
            "runs": self.runs,
            "which": {
                name: [torch.tensor([draw[way] for way in first], dtype=torch.int16) for draw in draws]
                for name, draws in which.items()
            },
        }

    def _alike(self, number: int, other: int) -> bool:
        """Whether two ways are told alike and compute the same: not to the last digit, which depends on the machine."""
        one, two = self.ways[number], self.ways[other]
        if (one.name, one.says) != (two.name, two.says):
            return False
        runs = (
            [self.oracle.wrong(self.exercise, [way], probe, seed) for way in (one, two)]
            for probe in self._probes
            for seed in PRACTICE
        )
        # Both ways round: a KeyError will do where an Exception is expected, and not the reverse.
        return all(_equal(one, two) and _equal(two, one) for one, two in runs)

    @property
    def _probes(self) -> Sequence[Probe]:
        return self.exercise.probes

    def _right(self, probe: Probe, seed: int) -> Run:
        return self.oracle.right(self.exercise, probe, seed)

    def _numbers(self, probe: Probe, seed: int) -> list[int]:
        """For every way, the number of its run; 0 where it computes what is right."""
        right = self._right(probe, seed)
        wrongs = (self.oracle.wrong(self.exercise, [way], probe, seed) for way in self.ways)
        return [0 if _equal(right, wrong) else self._number(self._encoded(wrong, right)) for wrong in wrongs]

    def _number(self, run: bytes) -> int:
        if run not in self.runs:
            self.runs.append(run)
        return self.runs.index(run) + 1

    def _encoded(self, run: Run, right: Run | None = None) -> bytes:
        returned = _single(run.returned) if right is None else _thinned(run.returned, right.returned)
        if run.signatures not in self.signatures:
            self.signatures.append(run.signatures)
        number = self.signatures.index(run.signatures)
        return encode([returned, number, list(run.changed), [int(one) for one in run.settled]])


def _equal(right: Run, wrong: Run) -> bool:
    return agree(right, wrong) and wrong.signatures == right.signatures


def _plain(signatures: list[Signature]) -> list[dict[str, list[Any]]]:
    return [{name: [kind, list(shape), owner] for name, (kind, shape, owner) in one.items()} for one in signatures]


def _thinned(wrong: Any, right: Any) -> Any:
    """A wrong outcome with what is right in it left out, and its numbers rounded."""
    if same(right, wrong):
        return AS_RIGHT
    if isinstance(wrong, list):
        beside = right if isinstance(right, list) and len(right) == len(wrong) else [_NOTHING] * len(wrong)
        return [_thinned(one, there) for one, there in zip(wrong, beside, strict=True)]
    if isinstance(wrong, dict):
        there = right if isinstance(right, dict) else {}
        return {key: _thinned(one, there.get(key, _NOTHING)) for key, one in wrong.items()}
    return _rounded(_single(wrong)) if isinstance(wrong, Tensor) else wrong


_NOTHING = object()
"""Where the right outcome has nothing: no outcome equals it."""


def _single(outcome: Any) -> Any:
    """An outcome with its numbers in float32, where that can hold them."""
    if isinstance(outcome, list):
        return [_single(one) for one in outcome]
    if isinstance(outcome, dict):
        return {key: _single(one) for key, one in outcome.items()}
    if not isinstance(outcome, Tensor) or outcome.dtype is not torch.float64:
        return outcome
    single = outcome.float()
    return single if torch.equal(torch.isfinite(single), torch.isfinite(outcome)) else outcome


def _rounded(numbers: Tensor) -> Tensor:
    if numbers.dtype is not torch.float32:
        return numbers
    bits = numbers.contiguous().view(torch.int32) + (1 << (LOW_BITS - 1))
    rounded = (bits & -(1 << LOW_BITS)).view(torch.float32)
    # What is not finite has other bits, and the largest number would become infinite.
    return torch.where(torch.isfinite(numbers) & torch.isfinite(rounded), rounded, numbers)
