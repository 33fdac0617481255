"""Stored answers: what the reference and each of its mistakes compute on the practice draws, as data without code.

With them a check compares instead of computing: a mistake is named in a few milliseconds, and a class can be given the
checks without the reference. A file holds one lesson; it says of what it was made, so that one that is older than the
reference, the checks or the mistakes is not used (`answer_keys.py` makes it anew).
"""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from autograder import homes, registry
from autograder.judging.edits import EditsOverlap, Pair, build_order, source
from autograder.judging.table import Table
from autograder.probing.codec import decode
from autograder.probing.draws import Signature
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Foreign
from autograder.probing.run import Run

FOLDER = Path(__file__).parent.parent / "answers"

AS_RIGHT = Foreign("as it is right")
"""Stands in a wrong outcome for what is right there."""


class NoReference(RuntimeError):
    """This edition of the course comes without the reference."""


class Answers:
    """Answers from a lesson's file what is right and what each mistake would give, on the practice draws.

    Args:
        folder: where the files are; by default those that came with this edition.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def mistakes(self, exercise: Exercise) -> tuple[Mistake, ...]:
        """The mistakes that are told apart in an exercise."""
        return self._of(exercise).mistakes

    def right(self, exercise: Exercise, probe: Probe, seed: int) -> Run:
        """What the reference computed.

        Raises:
            NoReference: when it was not asked on that draw.
        """
        stored = self._of(exercise)
        if not stored.has(probe, seed):
            raise NoReference("these draws are graded where the reference is")
        return stored.right(probe, seed)

    def wrong(self, exercise: Exercise, mistakes: Sequence[Mistake], probe: Probe, seed: int) -> Run:
        """What the reference computed with this mistake made in it.

        Raises:
            EditsOverlap: for several mistakes at once: only single ones are stored.
        """
        if len(mistakes) != 1:
            raise EditsOverlap("Only single mistakes are stored.")
        return self._of(exercise).wrong(int(mistakes[0].swap), probe, seed)

    def orders(self, exercise: Exercise, pair: Pair) -> Sequence[Pair]:
        """None: only single mistakes are stored."""
        return ()

    def table(self, exercise: Exercise, probe: Probe, seed: int) -> Table:
        """What all mistakes give on one draw."""
        return self._of(exercise).table(probe, seed, by_way=False)

    def _of(self, exercise: Exercise) -> Stored:
        return stored_answers(place(exercise.lesson, self.folder), exercise.reference)


class Stored:
    """The answers of one exercise.

    Args:
        path: the lesson's file.
        name: the exercise's, as the reference knows it.

    Raises:
        NoReference: when the file is missing or damaged, or lacks the exercise.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._path = path
        self._rights = _part(path, f"{name}/right")
        self._signatures = [[_signature(one) for one in modules] for modules in self._rights["signatures"]]
        # The same few runs are asked for at every check, and decoding takes longer than comparing.
        self.right, self.table, self._wrong = cache(self._right), cache(self._table), cache(self._decoded)

    @cached_property
    def _wrongs(self) -> dict[str, Any]:
        """Read only for code that is wrong."""
        return _part(self._path, f"{self._name}/wrong")

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes, those that compute the same once; in place of an edit they have their number."""
        told = self._wrongs["mistakes"]
        return tuple(Mistake(name, self._name, says, swap=str(number)) for number, (name, says) in enumerate(told))

    def has(self, probe: Probe, seed: int) -> bool:
        """Whether that draw was asked."""
        return seed in self._rights["seeds"] and probe.name in self._rights["runs"]

    def of_way(self, number: int) -> int:
        """Under which number the mistake stands that is made in this way."""
        return int(self._wrongs["ways"][number])

    def _right(self, probe: Probe, seed: int) -> Run:
        """What the reference computed."""
        return self._run(self._rights["runs"][probe.name][self._draw(seed)], None)

    def wrong(self, number: int, probe: Probe, seed: int) -> Run:
        """What was computed with the mistake of that number made in the reference."""
        return self._wrong(probe, seed, int(self._wrongs["which"][probe.name][self._draw(seed)][number]))

    def _table(self, probe: Probe, seed: int, *, by_way: bool) -> Table:
        """What all mistakes give on one draw, in the order of `mistakes`, or of the ways of making them."""
        which = self._wrongs["which"][probe.name][self._draw(seed)].tolist()
        runs = sorted(set(which))
        numbers = self._wrongs["ways"].tolist() if by_way else range(len(which))
        found = [self._wrong(probe, seed, run) for run in runs]
        return Table(self.right(probe, seed), found, [runs.index(which[number]) for number in numbers])

    def _draw(self, seed: int) -> int:
        return int(self._rights["seeds"].index(seed))

    def _decoded(self, probe: Probe, seed: int, run: int) -> Run:
        """A run by its number; 0 is the right one."""
        right = self.right(probe, seed)
        return self._run(self._wrongs["runs"][run - 1], right.returned) if run else right

    def _run(self, stored: bytes, right: Any) -> Run:
        returned, signatures, changed, settled = decode(stored)
        return Run(_filled(returned, right), self._signatures[signatures], changed, settled=tuple(settled))


def _filled(stored: Any, right: Any) -> Any:
    """A wrong outcome, with what is right in it taken from the right one."""
    if isinstance(stored, Foreign) and stored == AS_RIGHT:
        return right
    if isinstance(stored, list):
        beside = right if isinstance(right, list) and len(right) == len(stored) else [None] * len(stored)
        return [_filled(one, there) for one, there in zip(stored, beside, strict=True)]
    if isinstance(stored, dict):
        there = right if isinstance(right, dict) else {}
        return {key: _filled(one, there.get(key)) for key, one in stored.items()}
    return stored


def _signature(stored: dict[str, list[Any]]) -> Signature:
    return {name: (kind, tuple(shape), owner) for name, (kind, shape, owner) in stored.items()}


# Files ----------------------------------------------------------------------------


def place(lesson: str, folder: Path | None = None) -> Path:
    """Where the answers of a lesson are, or will be: in a folder, or beside its checks."""
    own = homes.own()
    beside = own / "autograder" / "answers" if own and registry.home(lesson) == own else FOLDER
    return (folder or beside) / f"{lesson}.safetensors"


@cache
def stored_answers(path: Path, exercise: str) -> Stored:
    """The answers to an exercise in a lesson's file."""
    return Stored(path, exercise)


@cache
def fresh_answers(exercise: Exercise) -> Stored | None:
    """The answers to an exercise that came with this edition, or None where what they are made of has changed."""
    path = place(exercise.lesson)
    if not path.is_file() or made_of(path) != ingredients(exercise.lesson):
        return None
    return stored_answers(path, exercise.reference)


def made_of(path: Path) -> str:
    """What a lesson's answers were made of; "" when the file does not say."""
    try:
        with safe_open(path, framework="pt") as file:
            return str((file.metadata() or {}).get("made of", ""))
    except (SafetensorError, OSError):
        return ""


@cache
def ingredients(lesson: str) -> str:
    """A name for all that a lesson's answers are made of: its reference and what that is built on, its checks and its
    mistakes."""
    digest = hashlib.sha256()
    for one in build_order(lesson):
        digest.update(f"{one}.py".encode() + source(one).encode())
    for part in ("checks", "lineups", "mistakes", "stand_ins"):
        for file in registry.files(part, lesson):
            digest.update(file.name.encode() + file.read_text(encoding="utf-8").encode())
    return digest.hexdigest()


def _part(path: Path, name: str) -> Any:
    """One part of a file, unpacked.

    Raises:
        NoReference: when the file is missing or damaged, or has no such part.
    """
    if not path.is_file():
        raise NoReference(_lacking(path))
    try:
        with safe_open(path, framework="pt") as file:
            if name not in file.keys():  # noqa: SIM118  it is no dictionary
                raise NoReference(f"the answers to {name.partition('/')[0]} are not in the file of its lesson")
            packed = file.get_tensor(name)
        return decode(lzma.decompress(packed.numpy().tobytes()))
    except (SafetensorError, ValueError, lzma.LZMAError, OSError) as error:
        raise NoReference(f"{path.name} cannot be read ({error}); install this edition of the course again") from None


def _lacking(path: Path) -> str:
    """What a student is told whose package has other lessons."""
    here = [registry.notebook_stem(one) for one in registry.lessons() if path.with_stem(one).is_file()]
    if not here:
        return "this edition of the course comes without the reference, and has no stored answers"
    return f"this package has no answers to {registry.notebook_stem(path.stem)}; it has those to {', '.join(here)}"
