"""What was wrong in a class, how often: mistakes counted, and their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.report.class_names import Grades, exercises, explanations, mistake_names
from autograder.classroom.report.parts import bar, listed, prose, table, text

RARE = 8
"""Mistakes that one student each made are folded when there are more of them."""


def mistakes(grades: Iterable[Grade]) -> list[tuple[str, int]]:
    """Named mistakes with their exercise, most frequent first. Each of a pair counts for itself."""
    wrong = [one for grade in grades for one in grade.results if _is_wrong(one)]
    return Counter(f"{one.exercise}: {name}" for one in wrong for name in mistake_names(one)).most_common()


def _is_wrong(one: Result) -> bool:
    """Whether it ran and gave something else. An exception may have a name, too."""
    return one.status == "wrong" or (bool(one.mistake) and one.status not in ("ok", "not attempted"))


@dataclass
class _Made:
    """A mistake, the students who made it, and what their reports say. Without a name it is all that has none."""

    exercise: str
    name: str
    students: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)


def _made(grades: Grades) -> list[_Made]:
    """The mistakes of a class, most frequent first."""
    found: dict[tuple[str, str], _Made] = {}
    for student, grade in grades.items():
        for one in filter(_is_wrong, grade.results):
            for name in mistake_names(one) or [""]:
                made = found.setdefault((one.exercise, name), _Made(one.exercise, name))
                made.students.append(student)
                made.reports.append(one.text)
    order = exercises(grades)
    return sorted(found.values(), key=lambda made: (-len(made.students), not made.name, order.index(made.exercise)))


def mistakes_tables(grades: Grades) -> str:
    """What was wrong, most frequent first; a long tail of what one student each did is folded."""
    found = _made(grades)
    once = [made for made in found if len(made.students) == 1]
    if len(once) <= RARE or len(once) == len(found):
        return _mistakes_table(found, len(grades))
    tail = f"<summary>{len(once)} more that one student each made</summary>{_mistakes_table(once, len(grades))}"
    return _mistakes_table(found[: -len(once)], len(grades)) + f"<details class='more'>{tail}</details>"


def _mistakes_table(found: Sequence[_Made], of: int) -> str:
    return table(
        ["exercise", "mistake", "what the report says of it", "students"],
        (_mistake(one, of) for one in found),
        "mistakes",
    )


def _mistake(made: _Made, of: int) -> list[str]:
    said = explanations(made.exercise, made.name, made.reports) if made.name else []
    summary = f"{len(made.students)} {bar(len(made.students), of, 120)}"
    return [
        text(made.exercise).replace("_", "_<wbr>"),
        text(made.name or "none that has a name"),
        "<br>".join(prose(each) for each in said),
        f"<details><summary>{summary}</summary>{listed(made.students)}</details>",
    ]
