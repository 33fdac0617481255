"""What a class got of every exercise, and how its points are distributed."""

from __future__ import annotations

from collections import Counter

from autograder.classroom.grading.grades import Result
from autograder.classroom.report.class_names import Grades
from autograder.classroom.report.parts import bar, breaking, table, text


def exercises_table(grades: Grades) -> str:
    """The mean points of every exercise, and what came of it how often."""
    by_name: dict[str, list[Result]] = {}
    for grade in grades.values():
        for one in grade.results:
            by_name.setdefault(one.exercise, []).append(one)
    head = ["exercise", "mean points", "right", "what else"]
    return table(head, (_exercise(*item) for item in by_name.items()), kind="exercises")


def _exercise(name: str, results: list[Result]) -> list[str]:
    earned = [one.points for one in results if one.points is not None]
    mean = sum(earned) / len(earned) if earned else 0.0
    counts = Counter(one.status for one in results)
    right = counts.pop("ok", 0)
    others = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return [
        breaking(name),
        f"<span class='points'>{mean:.1f} of {results[0].max_points:g}{' (bonus)' if results[0].bonus else ''}</span>",
        f"<span class='points'>{right} {bar(right, len(results))}</span>",
        text(others),
    ]


def distribution(grades: Grades) -> str:
    """How many students have how many tenths of the points."""
    shares = [grade.points / grade.max_points for grade in grades.values() if grade.complete and grade.max_points]
    tenths = Counter(min(int(10 * share), 10) for share in shares)
    most = max(tenths.values(), default=0)
    columns = (_column(tenths[n], most, f"{10 * n}–{10 * n + 9} %" if n < 10 else "100 %") for n in range(11))
    return f"<div class='tenths'>{''.join(columns)}</div>" if shares else ""


def _column(count: int, most: int, name: str) -> str:
    return f"<div>{count or ''}<span class='bar' style='height:{round(80 * count / most)}px'></span>{name}</div>"
