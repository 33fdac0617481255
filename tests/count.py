"""Counts what the check of an exercise says of programs that it has never seen: `python -m tests.count FILE`.

The file is Python, written by a stranger who has the lesson's page alone:

    EXERCISE = "patchify"
    RIGHT = {"by loops": "def patchify(...): ...", ...}        # also the trunks in which slips are made
    LISTED = {"rows and columns swapped": {"by loops": {"old text": "new text"}, ...}, ...}
    LIKELY = {...}                                             # the same, of slips that no list holds
    WRONG = {"a name": "def patchify(...): ...", ...}          # wrong ones written in full

Pairs are drawn of slips that have different names and can be made in one trunk. Where the one hides the other, a
program does what the one alone does, and only that can be told: such pairs are counted apart. Names told by a report
are for the reader to compare with what a slip is: only whether there is one is counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import runpy
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import torch

from autograder import registry
from autograder.judging import pairs
from autograder.judging.edits import BadEdit, EditsOverlap, edited
from autograder.judging.oracle import reference
from autograder.learner.examine import examine
from autograder.probing.exercise import Exercise
from autograder.probing.source import show_lines
from tests.missed_pairs import why_missed

Slips = Mapping[str, Mapping[str, Mapping[str, str]]]
"""What is wrong → the trunk in which it is made → old text → new text."""


@dataclass(frozen=True)
class Program:
    """A program to be tried.

    Attributes:
        kind: "right", "listed", "likely", "wrong" or "pair".
        what: what is wrong with it, of a pair both, or how a right one is made.
        trunk: the right one that was edited; empty for what is written in full.
        text: its source.
    """

    kind: str
    what: str
    trunk: str
    text: str


@dataclass(frozen=True)
class Told:
    """What the check said of it.

    Attributes:
        names: the mistakes that are told.
        explained: whether they give all that was seen.
        says: the whole report.
    """

    kind: str
    what: str
    trunk: str
    status: str
    points: float
    names: tuple[str, ...]
    explained: bool
    says: str

    @property
    def is_as_it_should_be(self) -> bool:
        """Whether a right one passed, a wrong one did not and has a name, and two slips have two."""
        if self.kind == "right":
            return self.status == "passed"
        return self.status != "passed" and len(self.names) == (2 if self.kind == "pair" else 1)


def main() -> None:
    """Count, print what is not as it should be, and the sums."""
    options = _options()
    given = runpy.run_path(str(options.file))
    exercise = registry.exercise(given["EXERCISE"])
    pairs.PAIR_SECONDS = options.seconds
    told = []
    for program in _singles(given):
        told.append(_tried(exercise, program))
        _show(told[-1], options.all)
    for program in _pairs(given, told, options.pairs):
        told.append(_tried(exercise, program))
        _show(told[-1], options.all)
        if options.why and (names := _missed(told)):
            print("why:", why_missed(exercise, _executed(exercise, program.text), names), flush=True)
    if options.out:
        options.out.write_text("".join(json.dumps(asdict(one)) + "\n" for one in told), encoding="utf-8")
    print(_sums(told))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.count", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--pairs", type=int, default=12, help="how many pairs are drawn (12)")
    parser.add_argument("--seconds", type=float, default=1.0, help="processor time for pairs, in seconds (1.0)")
    parser.add_argument("--all", action="store_true", help="print every report, not only those to be looked at")
    parser.add_argument("--why", action="store_true", help="say of each pair that is missed what would tell it (slow)")
    parser.add_argument("--out", type=Path, help="keep what was told, as JSON lines")
    return parser.parse_args()


def _singles(given: Mapping[str, Any]) -> Iterator[Program]:
    right = given["RIGHT"]
    for name, text in right.items():
        yield Program("right", name, "", text)
    for name, text in given.get("WRONG", {}).items():
        yield Program("wrong", name, "", text)
    for kind in ("listed", "likely"):
        for what, by_trunk in given.get(kind.upper(), {}).items():
            for trunk, swaps in by_trunk.items():
                yield Program(kind, what, trunk, _slipped(right[trunk], swaps, what))


def _pairs(given: Mapping[str, Any], told: list[Told], wanted: int) -> Iterator[Program]:
    """Drawn of slips that no report calls alike; what has a name since is still drawn at its turn."""
    slips: Slips = {**given.get("LISTED", {}), **given.get("LIKELY", {})}
    names = {(one.what, one.trunk): one.names for one in told}
    possible = [
        (one, other, trunk)
        for one, other in itertools.combinations(slips, 2)
        for trunk in slips[one]
        if trunk in slips[other]
    ]
    random.Random(given["EXERCISE"]).shuffle(possible)
    made = 0
    for one, other, trunk in possible:
        if made == wanted:
            return
        if names[one, trunk] and names[one, trunk] == names[other, trunk]:
            continue
        text = _both(given["RIGHT"][trunk], slips[one][trunk], slips[other][trunk])
        if text is not None:
            made += 1
            yield Program("pair", f"{one} + {other}", trunk, text)


def _slipped(text: str, swaps: Mapping[str, str], what: str) -> str:
    try:
        return edited(text, "", swaps)
    except BadEdit as error:
        sys.exit(f"{what}: {error}")


def _both(text: str, one: Mapping[str, str], other: Mapping[str, str]) -> str | None:
    """None where the two change the same text."""
    try:
        return None if one.keys() & other.keys() else edited(text, "", {**one, **other})
    except EditsOverlap:
        return None


def _tried(exercise: Exercise, program: Program) -> Told:
    try:
        implementation = _executed(exercise, program.text)
    except Exception as error:  # the stranger's own slip: it is shown, and mended in the file
        return Told(
            program.kind, program.what, program.trunk, "broken", 0.0, (), False, f"{type(error).__name__}: {error}"
        )
    report = examine(exercise, implementation)
    found = report.verdict.mistakes if report.verdict else ()
    names = tuple(one.name for one in found)
    explained = bool(report.verdict and not report.verdict.unexplained)
    return Told(program.kind, program.what, program.trunk, report.status, report.points, names, explained, str(report))


def _executed(exercise: Exercise, text: str) -> Any:
    """What a cell with this text defines, where the notebook's earlier parts are right."""
    home = ModuleType(f"counted_{abs(hash(text))}")
    vars(home).update({name: value for name, value in vars(_home(exercise)).items() if not name.startswith("__")})
    vars(home).pop(exercise.name, None)
    vars(home).update(torch=torch, nn=torch.nn, F=torch.nn.functional, math=math)  # what most pages have imported
    home.__file__ = f"<{home.__name__}>"
    sys.modules[home.__name__] = home
    show_lines(home.__file__, text)
    exec(compile(text, home.__file__, "exec", dont_inherit=True), vars(home))
    return vars(home)[exercise.name]


def _home(exercise: Exercise) -> ModuleType:
    """The module of the reference, whose imports and earlier parts a cell finds."""
    return sys.modules[reference(exercise).__module__]


def _show(one: Told, everything: bool) -> None:
    if everything or not one.is_as_it_should_be:
        trunk = f" [{one.trunk}]" if one.trunk else ""
        print(
            f"\n--- {one.kind}: {one.what}{trunk}: {one.status}, {one.points:g}, {' + '.join(one.names) or 'no name'}"
        )
        print(one.says if everything or not one.names else "", flush=True)


def _sums(told: list[Told]) -> str:
    lines = []
    alone = {(one.what, one.trunk): set(one.names) for one in told if len(one.names) == 1}
    for kind in ("right", "wrong", "listed", "likely", "pair"):
        of_kind = [one for one in told if one.kind == kind]
        passed = sum(one.status == "passed" for one in of_kind)
        told_well = sum(one.is_as_it_should_be for one in of_kind)
        if kind == "right":
            lines.append(f"right: {len(of_kind)}, rejected {len(of_kind) - passed}")
        elif of_kind:
            lines.append(f"{kind}: {len(of_kind)}, accepted {passed}, told as they should be {told_well}")
    both = [one for one in told if one.kind == "pair" and _parts(one) <= alone.keys()]
    named = [(one, set().union(*(alone[part] for part in _parts(one)))) for one in both]
    as_both = sum(set(one.names) == names for one, names in named)
    hidden = sum(_hides(one, names) for one, names in named)
    lines.append(f"pairs of which both have a name alone: {len(both)}, told by those two names {as_both}")
    lines.append(f"    in which the one hides the other, and the one is told: {hidden}")
    broken = sum(one.status == "broken" for one in told)
    return "\n" + "\n".join([*lines, *([f"broken: {broken}"] if broken else [])])


def _hides(pair: Told, names: Collection[str]) -> bool:
    """Whether one of two slips gives all that was seen."""
    return len(pair.names) == 1 and pair.explained and set(pair.names) < set(names)


def _missed(told: Sequence[Told]) -> set[str]:
    """The names of both slips of the last pair, where it should have been told by them and was not."""
    *singles, pair = told
    found = {(one.what, one.trunk): one.names for one in singles if len(one.names) == 1}
    if not _parts(pair) <= found.keys():
        return set()
    names = {name for part in _parts(pair) for name in found[part]}
    return set() if set(pair.names) == names or _hides(pair, names) else names


def _parts(pair: Told) -> set[tuple[str, str]]:
    return {(what, pair.trunk) for what in pair.what.split(" + ")}


if __name__ == "__main__":
    main()
