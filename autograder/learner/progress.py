"""`progress`: the course map with what is done, what comes next, and the points."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from typing import Any

from autograder import registry
from autograder.learner import library
from autograder.probing.exercise import Exercise
from autograder.reporting.report import Report

FILE = "progress.json"
LEFT = 'style="text-align:left"'
RIGHT = 'style="text-align:right;white-space:nowrap"'


@dataclass(frozen=True)
class Row:
    """An exercise, its points, how many there are, and whether it passed."""

    exercise: Exercise
    points: float
    possible: float
    passed: bool


def record(exercise: Exercise, report: Report) -> None:
    """Remember the best points of an exercise, on the scale of the last report."""
    known = read()
    before = known.get(exercise.name, {})
    earlier = before.get("points", 0.0) / (before.get("of") or exercise.points) * report.max_points
    passed = report.passed or before.get("passed", False)
    best = max(report.points, round(earlier, 2))
    known[exercise.name] = {"points": best, "of": report.max_points, "passed": passed}
    try:
        (library.home() / FILE).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    except OSError:
        return  # a folder that cannot be written is the doctor's to report, not every check's


def read() -> dict[str, dict[str, Any]]:
    """Exercise name → {"points", "of", "passed"}; empty when nothing was recorded or the file is damaged."""
    try:
        found = json.loads((library.home() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: entry for name, entry in found.items() if _is_entry(entry)}


def _is_entry(entry: object) -> bool:
    numbers = (entry.get("points"), entry.get("of", 0.0)) if isinstance(entry, dict) else (None,)
    return all(isinstance(one, int | float) for one in numbers)


class CourseMap:
    """The course map; displays itself in a notebook and prints in a terminal."""

    def __init__(self) -> None:
        self.known = read()

    def rows(self) -> list[tuple[str, list[Row]]]:
        """Lessons with their exercises, points and whether each passed."""
        return [
            (registry.notebook_stem(lesson), [self._row(one) for one in registry.exercises(lesson)])
            for lesson in registry.lessons()
        ]

    def _row(self, exercise: Exercise) -> Row:
        entry = self.known.get(exercise.name, {})
        possible = float(entry.get("of", exercise.points))
        return Row(exercise, float(entry.get("points", 0.0)), possible, bool(entry.get("passed")))

    @property
    def next(self) -> str:
        """The first exercise that has not passed and is no stretch."""
        rows = [row for _, part in self.rows() for row in part]
        return next((one.exercise.name for one in rows if not one.passed and not one.exercise.stretch), "")

    def total(self) -> str:
        """Earned of possible points; stretch exercises apart, as nothing later needs them."""
        rows = [row for _, part in self.rows() for row in part]
        text = _points([one for one in rows if not one.exercise.stretch])
        extra = sum(one.points for one in rows if one.exercise.stretch)
        return f"{text} points" + (f", and {extra:g} from stretches." if extra else ".")

    def __repr__(self) -> str:
        lines = []
        for stem, part in self.rows():
            lines.append(stem)
            lines += [f"  {_mark(one)} {one.exercise.name:32s}{_points([one])}" for one in part]
        following = f" Next: {self.next}." if self.next else ""
        return "\n".join([*lines, self.total() + following])

    def _repr_html_(self) -> str:
        following = f" Next: <b>{html.escape(self.next)}</b>." if self.next else " All done."
        rows = "".join(_html_row(stem, part) for stem, part in self.rows())
        return (
            f'<p>{self.total()}{following}</p><table style="text-align:left">'
            f"<tr><th {LEFT}>lesson</th><th {LEFT}>exercises</th><th {RIGHT}>points</th></tr>{rows}</table>"
        )


def _points(rows: list[Row]) -> str:
    return f"{sum(one.points for one in rows):g} of {sum(one.possible for one in rows):g}"


def _mark(one: Row) -> str:
    return "✓" if one.passed else "◐" if one.points else "·"


def _html_row(stem: str, part: list[Row]) -> str:
    # A mark and its exercise in one piece; between two of them a line may end.
    names = " &ensp; ".join(
        f'<span style="white-space:nowrap">{_mark(one)} {html.escape(one.exercise.name)}'
        f"{' <i>(stretch)</i>' if one.exercise.stretch else ''}</span>"
        for one in part
    )
    link = f'<a href="{stem}.ipynb">{stem}</a>'
    return f"<tr><td {LEFT}>{link}</td><td {LEFT}>{names}</td><td {RIGHT}>{_points(part)}</td></tr>"


def progress() -> CourseMap:
    """The course map: done, next, points."""
    return CourseMap()
