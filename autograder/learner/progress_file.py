"""What is remembered of every exercise: its best points, whether it passed and when, and how many checks that took."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from autograder.learner import library
from autograder.probing.exercise import Exercise
from autograder.reporting.report import Report

FILE = "progress.json"

TRIED = ("passed", "wrong", "shortcut", "interrupted")
"""A check of something else, such as a blank, is no try."""

MOST = 20
"""So many names of mistakes are remembered of an exercise."""


def record(exercise: Exercise, report: Report) -> None:
    """Remember the best points of an exercise on the scale of the last report, the day, and what went wrong before."""
    known = read()
    known[exercise.name] = _entry(exercise, report, known.get(exercise.name, {}))
    try:
        (library.home() / FILE).write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    except OSError:
        return  # a folder that cannot be written is the doctor's to report, not every check's


def _entry(exercise: Exercise, report: Report, before: dict[str, Any]) -> dict[str, Any]:
    earlier = before.get("points", 0.0) / (before.get("of") or exercise.points) * report.max_points
    passed = bool(before.get("passed"))
    entry = {**before, "points": max(report.points, round(earlier, 2)), "of": report.max_points}
    entry["passed"] = report.passed or passed
    if not passed and report.status in TRIED and not report.as_given:
        entry["tries"] = tries(before) + 1
        if report.mistake:
            entry["met"] = list(dict.fromkeys([*met(before), report.mistake]))[:MOST]
    if report.passed:
        today = date.today().isoformat()
        entry |= {"last": today} if passed else {"day": today, "last": today}
    return entry


def read() -> dict[str, dict[str, Any]]:
    """Exercise name → what is remembered; empty when nothing was recorded or the file is damaged.

    "points", "of", "passed"; "day", of the first pass, and "last", of the latest; "tries" up to the first pass;
    "met", the mistakes by name. Files of earlier versions have the first three.
    """
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


def tries(entry: dict[str, Any]) -> int:
    """How many checks it took to pass, or has taken so far; 0 where nobody counted."""
    count = entry.get("tries")
    return count if isinstance(count, int) and count > 0 else 0


def met(entry: dict[str, Any]) -> list[str]:
    """The names of the mistakes that were made on the way."""
    names = entry.get("met")
    return [one for one in names if isinstance(one, str)] if isinstance(names, list) else []


def a_day(given: object) -> str:
    """A day as 2026-11-24; "" for anything else."""
    try:
        return date.fromisoformat(given).isoformat() if isinstance(given, str) else ""
    except ValueError:
        return ""


def in_words(day: str) -> str:
    """A day as a person writes it: "24 November 2026"."""
    return f"{int(day[8:])} {date.fromisoformat(day):%B} {day[:4]}" if day else ""
