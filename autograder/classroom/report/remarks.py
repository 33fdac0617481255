"""What an instructor may want to look at: flags, cells that failed, checks that were stopped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autograder.classroom.grades import CellNote, Grade, Result
from autograder.classroom.report.names import Grades
from autograder.classroom.report.parts import listed, table, text

STOPPED = ("timeout", "out of memory", "killed")


class _Kind(NamedTuple):
    """What is remarked, around the name of what it is remarked of, or around several names."""

    one: tuple[str, str]
    many: tuple[str, str]


class _Remark(NamedTuple):
    """Something for an instructor to look at. Remarks of one kind are told in one line."""

    kind: _Kind
    about: str
    words: str = ""


FLAGS = {
    r"the cell (\S+) is gone; checked at the end": _Kind(
        ("the cell ", " is gone; checked at the end"), ("the cells ", " are gone; checked at the end")
    ),
    r"the cell (\S+) is gone": _Kind(("the cell ", " is gone"), ("the cells ", " are gone")),
    r"the cell (\S+) stood before \S+; checked at the end": _Kind(
        ("the cell ", " stood before what it checks; checked at the end"),
        ("the cells ", " stood before what they check; checked at the end"),
    ),
    r"(\S+) occurs twice; the first one counts": _Kind(
        ("", " occurs twice; the first one counts"), ("", " occur twice; the first of each counts")
    ),
    r"(\S+) is empty, but a cell of their own follows it": _Kind(
        ("", " is empty, but a cell of their own follows it"), ("", " are empty, but cells of their own follow them")
    ),
}
"""The flags that come once for every cell, and how they are told of one cell and of several."""


def remarks_table(grades: Grades) -> str:
    """What there is to look at, student by student."""
    rows = ((student, _lines(_remarks(grade))) for student, grade in grades.items())
    return table(["student", "what"], ([text(student), "<br>".join(lines)] for student, lines in rows if lines))


def _remarks(grade: Grade) -> Iterator[_Remark]:
    """All there is to look at in a submission."""
    if grade.status == "malformed":
        yield _Remark(_Kind((grade.words, ""), (grade.words, "")), "")
    yield from map(_of_flag, grade.flags)
    for one in grade.results:
        for flag in one.flags:
            yield _Remark(_Kind(("", f": {flag}"), ("", f": {flag}")), one.exercise)
    yield from map(_of_cell, grade.cells)
    told = {(note.grade_id, note.status) for note in grade.cells}  # a cell that was stopped leaves nothing to check
    for one in grade.results:
        if one.status in STOPPED and (one.exercise, one.status) not in told:
            yield _of_check(one)


def _of_flag(flag: str) -> _Remark:
    for pattern, kind in FLAGS.items():
        found = re.fullmatch(pattern, flag)
        if found:
            return _Remark(kind, found[1])
    return _Remark(_Kind((flag, ""), (flag, "")), "")


def _of_cell(note: CellNote) -> _Remark:
    kind = _Kind((f"{note.status} in the cell ", ""), (f"{note.status} in the cells ", ""))
    return _Remark(kind, note.grade_id.removeprefix("cell "), note.words)  # their own are called "cell 12"


def _of_check(one: Result) -> _Remark:
    kind = _Kind((f"{one.status} in the check of ", ""), (f"{one.status} in the checks of ", ""))
    lines = one.text.splitlines()
    # A report of two lines says why there was nothing to check; a longer one is about the code.
    return _Remark(kind, one.exercise, lines[1] if len(lines) == 2 else "")


def _lines(remarks: Iterable[_Remark]) -> list[str]:
    """One line of HTML for every kind."""
    by_kind: dict[_Kind, list[_Remark]] = {}
    for remark in remarks:
        by_kind.setdefault(remark.kind, []).append(remark)
    return [_line(kind, list(dict.fromkeys(found))) for kind, found in by_kind.items()]


def _line(kind: _Kind, found: Sequence[_Remark]) -> str:
    by_words: dict[str, list[str]] = {}
    for remark in found:
        by_words.setdefault(remark.words, []).append(remark.about)
    told = [listed(names) + (f" ({text(words)})" if words else "") for words, names in by_words.items()]
    before, after = kind.one if len(found) == 1 else kind.many
    return text(before) + "; ".join(told) + text(after)
