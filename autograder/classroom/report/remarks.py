"""What an instructor may want to look at: flags, cells that failed, checks that were stopped."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from autograder.classroom.grading.flags import KINDS, Kind
from autograder.classroom.grading.grades import CellNote, Grade, Result
from autograder.classroom.report.class_names import Grades
from autograder.classroom.report.parts import listed, table, text

STOPPED = ("timeout", "out of memory", "killed")


class _Remark(NamedTuple):
    """Something for an instructor to look at. Remarks of one kind are told in one line."""

    kind: Kind
    about: str
    words: str = ""


def remarks_table(grades: Grades) -> str:
    """What there is to look at, student by student."""
    rows = ((student, _lines(_remarks(grade))) for student, grade in grades.items())
    return table(["student", "what"], ([text(student), "<br>".join(lines)] for student, lines in rows if lines))


def _remarks(grade: Grade) -> Iterator[_Remark]:
    """All there is to look at in a submission."""
    if grade.status == "malformed":
        yield _by_itself(grade.words)
    yield from map(_of_flag, grade.flags)
    for one in grade.results:
        for flag in one.flags:
            yield _Remark(Kind(("", f": {flag}"), ("", f": {flag}")), one.exercise)
    yield from map(_of_cell, grade.cells)
    told = {(note.grade_id, note.status) for note in grade.cells}  # a cell that was stopped leaves nothing to check
    for one in grade.results:
        if one.status in STOPPED and (one.exercise, one.status) not in told:
            yield _of_check(one)


def _of_flag(flag: str) -> _Remark:
    named = ((kind, kind.about(flag)) for kind in KINDS)
    return next((_Remark(kind, name) for kind, name in named if name), _by_itself(flag))


def _by_itself(words: str) -> _Remark:
    return _Remark(Kind((words, ""), (words, "")), "")


def _of_cell(note: CellNote) -> _Remark:
    kind = Kind((f"{note.status} in the cell ", ""), (f"{note.status} in the cells ", ""))
    return _Remark(kind, note.grade_id.removeprefix("cell "), note.words)  # their own are called "cell 12"


def _of_check(one: Result) -> _Remark:
    kind = Kind((f"{one.status} in the check of ", ""), (f"{one.status} in the checks of ", ""))
    lines = one.text.splitlines()
    # A report of two lines says why there was nothing to check; a longer one is about the code.
    return _Remark(kind, one.exercise, lines[1] if len(lines) == 2 else "")


def _lines(remarks: Iterable[_Remark]) -> list[str]:
    """One line of HTML for every kind."""
    by_kind: dict[Kind, list[_Remark]] = {}
    for remark in remarks:
        by_kind.setdefault(remark.kind, []).append(remark)
    return [_line(kind, list(dict.fromkeys(found))) for kind, found in by_kind.items()]


def _line(kind: Kind, found: Sequence[_Remark]) -> str:
    by_words: dict[str, list[str]] = {}
    for remark in found:
        by_words.setdefault(remark.words, []).append(remark.about)
    told = [listed(names) + (f" ({text(words)})" if words else "") for words, names in by_words.items()]
    before, after = kind.one if len(found) == 1 else kind.many
    return text(before) + "; ".join(told) + text(after)
