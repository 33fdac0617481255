"""`autograder certificate --verify`: what of a certificate holds, by running the checks again and by nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder import registry
from autograder.judging.oracle import has_reference
from autograder.learner import choices
from autograder.learner.milestones import MILESTONES
from autograder.learner.worth import points_in
from autograder.notebooks import lessons
from autograder.notebooks.check_files import run_apart
from autograder.notebooks.problem import Problem
from autograder.showing.certificate import Certificate, Earned, handed_out, read, version
from autograder.showing.certificate_page import page, total
from autograder.showing.signed import is_good, key_in, name_of

SLACK = 0.011
"""Points of a part are rounded to two decimals, twice."""

Shares = dict[str, float]
"""Exercise → which share of its points a notebook earns now."""

Run = Callable[[Path], Shares]
"""Runs a notebook's checks again; raises Problem where that cannot be done."""


@dataclass(frozen=True)
class Found:
    """Something that a certificate says, and whether it holds; None where nobody here can tell."""

    says: str
    holds: bool | None = True

    def __str__(self) -> str:
        return f"{'[ok]' if self.holds else '[--]' if self.holds is None else '[!!]'} {self.says}"


def verify(file: str, notebooks: Sequence[str], run: Run, course: Path = Path()) -> int:
    """Say line by line what of a certificate holds.

    Args:
        file: the certificate.
        notebooks: the holder's notebooks.
        run: how their checks are run again.
        course: a folder in which the class's key and source may lie.

    Returns:
        0 when all of it holds, else 1.

    Raises:
        Problem: when the file is no certificate, or no notebook is named.
    """
    if not notebooks:
        raise Problem(
            f"Name the notebooks whose checks are to run again: autograder certificate --verify {file} *.ipynb"
        )
    certificate, text = read(Path(file))
    found = [*_of_the_page(certificate, text), *_of_the_list(certificate)]
    for line in found:
        print(line, flush=True)
    shares = _run_all([Path(one) for one in notebooks], run, found)
    rest = [
        *_of_points(certificate, shares, course),
        *_of_milestones(certificate, shares),
        *_of_grades(certificate, course),
    ]
    for line in rest:
        print(line)
    print(Found("name, days, counts and pictures are the holder's word", None))
    return _sum_up(certificate, [*found, *rest])


def _sum_up(certificate: Certificate, found: list[Found]) -> int:
    wrong = sum(one.holds is False for one in found)
    open_ = sum(one.holds is None for one in found)
    points, of = total(certificate.earned)
    if not wrong and not open_:
        print(f"All of it holds: {points:g} of {of:g} points.")
        return 0
    words = [f"{wrong} of what it says does not hold" if wrong else "", f"{open_} cannot be told here" if open_ else ""]
    print(f"Not verified: {' and '.join(filter(None, words))}.")
    return 1


# The page ----------------------------------------------------------------------------


def _of_the_page(certificate: Certificate, text: str) -> Iterator[Found]:
    made_with, here = certificate.version, version()
    if _release(made_with) != _release(here):
        yield Found(
            f"it was made with version {made_with} of the course, and this is {here}: the points below are of today, "
            f"and whether the page was changed only that version can tell (git checkout v{_release(made_with)})",
            None,
        )
    elif page(certificate) != text:
        yield Found(f"the page was changed after it was made{_first_change(page(certificate), text)}", False)
    else:
        yield Found(f"the page is as version {made_with} made it, code {certificate.code}")


def _release(of: str) -> str:
    """A version without what a students' package adds to it."""
    return of.partition("+")[0]


def _first_change(made: str, found: str) -> str:
    pairs = zip(made.splitlines(), found.splitlines(), strict=False)
    changed = next(((a, b) for a, b in pairs if a != b), None)
    if changed is None:
        return ""
    at = next((i for i, (a, b) in enumerate(zip(*changed, strict=False)) if a != b), min(map(len, changed)))
    said = changed[1][max(0, at - 25) : at + 25].strip()
    return f": it says “{said}” where its data give something else"


def _of_the_list(certificate: Certificate) -> Iterator[Found]:
    """Whether every lesson that is listed is listed whole: what is missing makes a total look full."""
    known = {registry.notebook_stem(one): one for one in registry.lessons()}
    if certificate.stretches not in ("", *choices.STRETCHES):
        yield Found(f"it says of stretches what no class can choose: {certificate.stretches!r}", False)
        return
    for stem, earned in certificate.lessons().items():
        if stem not in known:
            yield Found(f"{stem} is no lesson of this course", False)
            continue
        there, listed = handed_out(certificate, known[stem]), [one.name for one in earned]
        if sorted(there) != sorted(listed):
            others = sorted(set(there) ^ set(listed)) or sorted({one for one in listed if listed.count(one) > 1})
            yield Found(f"{stem} does not list its exercises as the course has them: {', '.join(others)}", False)
        for one in earned:
            if one.name in there and one.extra is not _is_extra(one.name, certificate.stretches):
                yield Found(
                    f"{one.name} is {'no ' if one.extra else 'a '}stretch, and is listed as the contrary", False
                )
    if certificate.stretches:
        yield Found(f"it is of a class, where stretches are {certificate.stretches}")


def _is_extra(name: str, stretches: str) -> bool:
    return registry.exercise(name).stretch and stretches != "counted"


# The checks, again ----------------------------------------------------------------------------


def _run_all(paths: Sequence[Path], run: Run, found: list[Found]) -> Shares:
    """What all notebooks earn; of two that have an exercise, the better one counts."""
    best: Shares = {}
    for path in paths:
        try:
            if not path.is_file():
                raise Problem(f"{path} is not there")
            shares = run(path)
        except Problem as error:
            found.append(Found(f"{str(error).rstrip('.')}: what it would show is not shown", False))
            print(found[-1], flush=True)
            continue
        best |= {name: max(share, best.get(name, 0.0)) for name, share in shares.items()}
    return best


def _of_points(certificate: Certificate, shares: Shares, course: Path) -> Iterator[Found]:
    for stem, earned in certificate.lessons().items():
        claimed = [one for one in earned if one.points]
        if len(claimed) > 1 and not any(one.name in shares for one in earned):
            yield Found(
                f"{stem}: {sum(one.points for one in claimed):g} points, and none of these notebooks checks it", False
            )
        else:
            yield from (_of_one(one, shares, course) for one in claimed)


def _of_one(one: Earned, shares: Shares, course: Path) -> Found:
    said = f"{one.name}: {one.points:g} of {one.of:g} points"
    try:
        marks = _full_marks(one, course)
    except registry.UnknownExercise:
        return Found(f"{said}, and the course has no such exercise", False)
    if one.of not in marks:
        return Found(f"{said}, and its full marks are {' or '.join(f'{each:g}' for each in sorted(marks))}", False)
    if one.name not in shares:
        return Found(f"{said}, and none of these notebooks checks it", False)
    now = shares[one.name] * one.of
    if now + SLACK < one.points:
        return Found(f"{said}, and the checks give {round(now, 2):g} now", False)
    return Found(said)


def _full_marks(one: Earned, course: Path) -> set[float]:
    """What an exercise can be worth: as the course has it, and as the class has it whose folder or package this is."""
    exercise = registry.exercise(one.name)
    stem = registry.notebook_stem(exercise.lesson)
    places = [course / "source" / stem / f"{stem}.ipynb"]
    places += [lessons.notebook_path(stem)] if choices.is_package() else []
    of_class = (points_in(path, exercise) for path in places)
    return {float(exercise.points), *(points for points in of_class if points is not None)}


def _of_milestones(certificate: Certificate, shares: Shares) -> Iterator[Found]:
    known = {one.name: one for one in MILESTONES}
    listed = {one.name for one in certificate.earned}
    for name in certificate.milestones:
        if name not in known:
            yield Found(f"“{name}” is no milestone of this course", False)
            continue
        # What a class leaves out is not listed, and rests on a stand-in for everybody.
        rests = [one for one in known[name].exercises(None) if one in listed]
        lacking = [one for one in rests if shares.get(one, 0.0) < 1.0]
        if lacking or not rests:
            why = f"{', '.join(lacking)} did not pass" if lacking else "no lesson that is listed has it"
            yield Found(f"its code {name}: not shown, as {why}", False)
        else:
            run = ", and that its model was trained is the holder's word" if known[name].run else ""
            yield Found(f"its code {name}: all that this rests on passes{run}")


def _of_grades(certificate: Certificate, course: Path) -> Iterator[Found]:
    if not certificate.graded:
        return
    key, given = key_in(course), certificate.graded.get("key")
    student = json.dumps(certificate.graded.get("grades", {}).get("student"), ensure_ascii=False)
    if key is None:
        yield Found(
            f"graded in class as {student}: only whoever has the class's key {given} can tell, in its folder", None
        )
    elif is_good(certificate.graded, key):
        yield Found(f"graded in class as {student}: the signature is good, and was made with this class's key")
    elif given != name_of(key):
        yield Found(
            f"graded in class as {student}: signed with the key {given}, and this class's is {name_of(key)}", False
        )
    else:
        yield Found(f"graded in class as {student}: the signature does not fit what it is said to sign", False)


def run_trusting(path: Path) -> Shares:
    """Run a notebook's checks again with our own rights; where the reference is here, on random numbers of today.

    Raises:
        Problem: when it ends the process.
    """
    variables = {"NBGRADER_EXECUTION": "autograde"} if has_reference() else {}
    checked, code = run_apart(path, aloud=False, **variables)
    if checked is None:
        raise Problem(f"{path} ended the process that ran it (exit code {code})")
    return {name: _share(told) for name, told in checked["told"].items()}


def _share(told: dict[str, Any]) -> float:
    return float(told["points"] / told["max_points"]) if told["max_points"] else float(told["status"] == "passed")
