"""Stored answers: what the reference and each of its mistakes compute on the practice draws, as data without code.

A class can be given the checks without the reference. A file holds one lesson: an index of all runs, and the numbers
they refer to. Of a mistake's run only what differs from the right one is kept, its numbers to four digits more than a
comparison looks at.
"""

from __future__ import annotations

import base64
import json
import lzma
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from autograder import registry
from autograder.judging.edits import EditsOverlap
from autograder.judging.oracle import NoReference
from autograder.probing.draws import Signature
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Foreign, Raised, same
from autograder.probing.run import Run

FOLDER = Path(__file__).parent.parent / "checks"
LOW_BITS = 8
"""Bits of a float32 that are rounded away in wrong numbers: 2⁻¹⁶ is a sixth of the tolerance, and packs well."""

AS_RIGHT = {"r": 0}


class Answers:
    """Answers from a lesson's file what is right and what each mistake would give, on the practice draws.

    Args:
        folder: where the files are.
    """

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def mistakes(self, exercise: Exercise) -> tuple[Mistake, ...]:
        """The mistakes that are told apart in an exercise."""
        return self._of(exercise).mistakes

    def right(self, exercise: Exercise, probe: Probe, seed: int) -> Run:
        """What the reference computed.

        Raises:
            NoReference: when it was not asked on that draw.
        """
        return self._of(exercise).right(probe, seed)

    def wrong(self, exercise: Exercise, mistakes: Sequence[Mistake], probe: Probe, seed: int) -> Run:
        """What the reference computed with this mistake made in it.

        Raises:
            EditsOverlap: for several mistakes at once: only single ones are stored.
        """
        if len(mistakes) != 1:
            raise EditsOverlap("Only single mistakes are stored.")
        return self._of(exercise).wrong(mistakes[0], probe, seed)

    def _of(self, exercise: Exercise) -> _Stored:
        return _stored(self.folder / f"{exercise.lesson}.safetensors", exercise.reference)


class _Stored:
    """The answers of one exercise."""

    def __init__(self, index: dict[str, Any], exercise: str, numbers: Numbers) -> None:
        if exercise not in index["exercises"]:
            raise NoReference(f"the answers to {exercise} are not in the file of its lesson")
        mine = index["exercises"][exercise]
        self.seeds: list[int] = index["seeds"]
        self.signatures = [[_signature(one) for one in modules] for modules in index["signatures"]]
        self.numbers = numbers
        self.rights = mine["right"]
        # The number keeps apart what is made in several ways under one name.
        self.mistakes = tuple(
            Mistake(one["name"], exercise, one["says"], swap=str(number)) for number, one in enumerate(mine["mistakes"])
        )
        self.wrongs = [one["runs"] for one in mine["mistakes"]]
        # The same few runs are asked for at every check, and decoding takes longer than comparing.
        self.right, self.wrong = cache(self._right), cache(self._wrong)

    def _right(self, probe: Probe, seed: int) -> Run:
        if seed not in self.seeds or probe.name not in self.rights:
            raise NoReference("these draws are graded where the reference is")
        return self._run(self.rights[probe.name][self.seeds.index(seed)], None)

    def _wrong(self, mistake: Mistake, probe: Probe, seed: int) -> Run:
        right = self.right(probe, seed)
        found = self.wrongs[int(mistake.swap)].get(probe.name)
        stored = found[self.seeds.index(seed)] if found else None
        return right if stored is None else self._run(stored, right.returned)

    def _run(self, stored: list[Any], right: Any) -> Run:
        tree, signatures, changed = stored
        return Run(self.numbers.decode(tree, right), self.signatures[signatures], list(changed))


class Numbers:
    """Outcomes as JSON, with their tensors in one block of bytes. What occurs twice is stored once."""

    def __init__(self, block: bytes = b"") -> None:
        self.block = bytearray(block)
        self._known: dict[bytes, int] = {}

    def encode(self, value: Any, *, right: Any = None, exact: bool = True) -> Any:
        """An outcome as JSON.

        Args:
            value: the outcome.
            right: what stands there in the right run; what agrees with it is not stored.
            exact: keep all digits.
        """
        if right is not None and same(right, value):
            return AS_RIGHT
        if isinstance(value, Tensor):
            return {"t": self._add(value, exact)}
        if isinstance(value, Raised):
            return {"e": [list(value.kinds), value.message]}
        if isinstance(value, Foreign):
            return {"f": value.type_name}
        if isinstance(value, bytes):
            return {"b": base64.b64encode(value).decode()}
        if isinstance(value, list):
            beside = right if isinstance(right, list) and len(right) == len(value) else [None] * len(value)
            return [self.encode(one, right=there, exact=exact) for one, there in zip(value, beside, strict=True)]
        if isinstance(value, dict):
            there = right if isinstance(right, dict) else {}
            return {"d": {key: self.encode(one, right=there.get(key), exact=exact) for key, one in value.items()}}
        return value

    def decode(self, stored: Any, right: Any = None) -> Any:
        """The outcome that was encoded, given what stands there in the right run."""
        if isinstance(stored, list):
            beside = right if isinstance(right, list) and len(right) == len(stored) else [None] * len(stored)
            return [self.decode(one, there) for one, there in zip(stored, beside, strict=True)]
        if not isinstance(stored, dict):
            return stored
        ((kind, what),) = stored.items()
        if kind == "d":
            there = right if isinstance(right, dict) else {}
            return {key: self.decode(one, there.get(key)) for key, one in what.items()}
        if kind == "r":
            return right
        return _LEAVES[kind](what) if kind in _LEAVES else self._tensor(*what)

    def _add(self, tensor: Tensor, exact: bool) -> list[Any]:
        kept = _kept(tensor, exact)
        data = kept.contiguous().view(torch.uint8).numpy().tobytes() if kept.numel() else b""
        if data not in self._known:
            self._known[data] = len(self.block)
            self.block += data
        return [str(kept.dtype).removeprefix("torch."), list(tensor.shape), self._known[data]]

    def _tensor(self, dtype: str, shape: list[int], start: int) -> Tensor:
        kind = getattr(torch, dtype)
        count = torch.Size(shape).numel()
        if count == 0:
            return torch.empty(shape, dtype=kind)
        return torch.frombuffer(self.block, dtype=kind, count=count, offset=start).reshape(shape).clone()


_LEAVES: dict[str, Any] = {
    "e": lambda what: Raised(tuple(what[0]), what[1]),
    "f": Foreign,
    "b": base64.b64decode,
}


def _kept(tensor: Tensor, exact: bool) -> Tensor:
    """The numbers as they are stored: flat, in float32 where that can hold them, with fewer digits unless exact."""
    flat = tensor.detach().reshape(-1)
    if not flat.is_floating_point() or flat.element_size() < 4:
        return flat
    single = flat.float()
    if not torch.equal(torch.isfinite(single), torch.isfinite(flat)):
        return flat
    return single if exact else _rounded(single)


def _rounded(numbers: Tensor) -> Tensor:
    bits = numbers.view(torch.int32) + (1 << (LOW_BITS - 1))
    rounded = (bits & -(1 << LOW_BITS)).view(torch.float32)
    # What is not finite has other bits, and the largest number would become infinite.
    return torch.where(torch.isfinite(numbers) & torch.isfinite(rounded), rounded, numbers)


def _signature(stored: dict[str, list[Any]]) -> Signature:
    return {name: (kind, tuple(shape), shared) for name, (kind, shape, shared) in stored.items()}


# Files ----------------------------------------------------------------------------


def write(path: Path, index: dict[str, Any], numbers: Numbers) -> None:
    """Write a lesson's answers."""
    text = json.dumps(index, separators=(",", ":"), ensure_ascii=False).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({"index": _packed(text), "numbers": _packed(bytes(numbers.block))}, path)


def _packed(data: bytes) -> Tensor:
    return torch.frombuffer(bytearray(lzma.compress(data)), dtype=torch.uint8)


@cache
def _stored(path: Path, exercise: str) -> _Stored:
    index, numbers = _read(path)
    return _Stored(index, exercise, numbers)


def _lacking(path: Path) -> str:
    """What a student is told whose package has other lessons."""
    here = [registry.notebook_stem(one) for one in registry.lessons() if path.with_stem(one).is_file()]
    if not here:
        return "this edition of the course comes without the reference, and has no stored answers"
    return f"this package has no answers to {registry.notebook_stem(path.stem)}; it has those to {', '.join(here)}"


@cache
def _read(path: Path) -> tuple[dict[str, Any], Numbers]:
    if not path.is_file():
        raise NoReference(_lacking(path))
    try:
        packed = load_file(path)
        text, block = (lzma.decompress(packed[name].numpy().tobytes()) for name in ("index", "numbers"))
        return json.loads(text), Numbers(block)
    except (SafetensorError, KeyError, ValueError, lzma.LZMAError) as error:
        raise NoReference(f"{path.name} cannot be read ({error}); install this edition of the course again") from None
