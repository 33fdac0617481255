"""The checks that students hold to be wrong."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.classroom.course.disputed import Disputed
from autograder.classroom.report.parts import breaking, table, text


def disputes_table(disputes: Sequence[Disputed]) -> str:
    """Who says what of which check, and the file that `autograder dispute --replay` runs again."""
    return table(["student", "exercise", "what the student says", "file"], map(_dispute, disputes))


def _dispute(one: Disputed) -> list[str]:
    return [text(one.student), breaking(one.exercise), text(one.says), f"<code>{text(one.file)}</code>"]
