"""A class student by student: who is stuck and with what, who is late, who got what, and who is not decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.report.class_names import Grades, exercises, mistake_names
from autograder.classroom.report.parts import table, text

LOW = 0.5
"""The share of the points below which a student is called stuck."""

MANY = 3
"""With so many exercises gone wrong, too."""


# Who is stuck ------------------------------------------------------------------------


def stuck_table(grades: Grades) -> str:
    """Students who are low or have much that is wrong, lowest first. What was not decided is left out."""
    found = [(share, student) for student, grade in grades.items() if (share := _share(grade)) is not None]
    stuck = [(share, student) for share, student in found if share < LOW or len(_gone_wrong(grades[student])) >= MANY]
    rows = ([text(student), _total(grades[student]), _stuck_with(grades[student])] for _, student in sorted(stuck))
    return table(["student", "points", "with what"], rows, "stuck")


def _share(grade: Grade) -> float | None:
    """The share of the full points that could be decided on; None when there are none."""
    decided = [one for one in grade.results if one.points is not None and not one.bonus]
    possible = sum(one.max_points for one in decided)
    return sum(one.points or 0.0 for one in decided) / possible if possible else None


def _gone_wrong(grade: Grade) -> list[Result]:
    return [one for one in grade.results if one.status not in ("ok", "not attempted", "infrastructure")]


def _stuck_with(grade: Grade) -> str:
    if grade.status == "malformed":
        return f"cannot be read: {text(grade.words)}"
    if all(one.status == "not attempted" for one in grade.results):
        return "untouched: no exercise was written"
    wrong = [f"{text(one.exercise)} (<span class='bad'>{text(_said(one))}</span>)" for one in _gone_wrong(grade)]
    blank = [text(one.exercise) for one in grade.results if one.status == "not attempted"]
    rest = [f"<span class='none'>not attempted: {', '.join(blank)}</span>"] if blank else []
    return "; ".join([*wrong, *rest])


def _said(one: Result) -> str:
    return "; ".join(mistake_names(one)) or one.status


# Students ----------------------------------------------------------------------------


def students_table(grades: Grades, late: Mapping[str, str]) -> str:
    """Every student's points, exercise by exercise."""
    names = exercises(grades)
    rows = (_student(student, grade, names, late.get(student, "")) for student, grade in grades.items())
    return table(["student", "points", *names], rows, "students")


def _student(student: str, grade: Grade, names: Sequence[str], late: str) -> list[str]:
    results = {one.exercise: one for one in grade.results}
    note = f"<br><span class='none'>late: {text(late)}</span>" if late else ""
    return [text(student) + note, _total(grade), *(_field(results.get(name)) for name in names)]


def _total(grade: Grade) -> str:
    """The points, coloured where they are few or all."""
    if not grade.complete:
        return "<span class='points infra'>not decided</span>"
    share = _share(grade)
    kind = "" if share is None else "low" if share < LOW else "ok" if share == 1 else ""
    return f"<span class='points {kind}'>{grade.points:g} of {grade.max_points:g}</span>"


def _field(one: Result | None) -> str:
    if one is None:
        return ""
    kind = {"ok": "ok", "not attempted": "none", "infrastructure": "infra"}.get(one.status, "bad")
    points = "?" if one.points is None else f"{one.points:g}"
    said = _said(one) if kind == "bad" else "not decided" if kind == "infra" else one.status
    return f"<span class='{kind}'>{points}</span> {'' if kind == 'ok' else text(said)}"


# Late, and not decided ---------------------------------------------------------------


def late_table(late: Mapping[str, str]) -> str:
    """Who handed in late, and how late."""
    return table(["student", "how late"], ([text(who), text(how)] for who, how in late.items()))


def infrastructure_table(grades: Grades) -> str:
    """Whose submission could not be decided, and why."""
    rows = [(student, grade) for student, grade in grades.items() if not grade.complete]
    return table(
        ["student", "what"], ([text(student), text(grade.words or "a check failed")] for student, grade in rows)
    )
