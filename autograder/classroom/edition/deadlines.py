"""When a lesson's solutions may come out: after its deadline, and the last extension of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from autograder.classroom.course.book import opened


def deadline(course: Path, stem: str) -> datetime | None:
    """The end of a lesson's last extension, in UTC; None where no deadline was set."""
    from nbgrader.api import MissingEntry

    with opened(course) as book:
        try:
            due = book.find_assignment(stem).duedate
        except MissingEntry:
            return None
        extensions = [one.extension or timedelta() for one in book.assignment_submissions(stem)]
    return None if due is None else due.replace(tzinfo=UTC) + max([timedelta(), *extensions])


def in_words(when: datetime) -> str:
    """As in "2026-05-05 23:59 UTC"."""
    return f"{when:%Y-%m-%d %H:%M} UTC"
