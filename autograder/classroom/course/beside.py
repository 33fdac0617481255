"""What lies beside a submission, and nbgrader reads too. It may be the student's, and end nbgrader when it is odd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from autograder.classroom.grading.submission import Malformed, read

SMALL = 1000
"""Bytes."""


def beside(submission: Path) -> Iterator[tuple[str, bytes | None]]:
    """The names of such files beside a submission, with what they hold; None for what nbgrader could not read."""
    for name, fits in FILES.items():
        try:
            content = read(submission.parent / name)
        except Malformed:
            continue
        yield name, content if len(content) < SMALL and fits(content) else None


def _is_a_time(content: bytes) -> bool:
    from nbgrader.utils import parse_utc

    try:
        text = content.decode().strip()
        return not text or parse_utc(text) is not None
    except Exception:  # the parser raises many kinds
        return False


FILES: dict[str, Callable[[bytes], bool]] = {"timestamp.txt": _is_a_time, "submission_secret.txt": bytes.isascii}
"""When it came in, and what `nbgrader release_feedback` finds a submission by."""
