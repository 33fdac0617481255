"""Reads the sample answers to a lesson's questions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent

QUESTION = re.compile(r"^## (\S+)$", re.MULTILINE)
SAMPLE = re.compile(r"^- \*\*([\d.]+)\*\* (.+?)\n  \*(.+?)\*$", re.MULTILINE | re.DOTALL)


class SampleAnswer(NamedTuple):
    """A graded answer in a student's words.

    Attributes:
        share: of the question's points, from 0 to 1.
        answer: what a student wrote.
        shows: what that tells whoever grades it.
    """

    share: float
    answer: str
    shows: str


def of_lesson(lesson: str, own: Path | None = None) -> dict[str, list[SampleAnswer]]:
    """Slug of a question → its samples; nothing for a lesson without any.

    Args:
        lesson: its name without a number, so that a class that released it under another one has them, too.
        own: a folder of lessons of the instructor's own, with the paths of this repository.
    """
    folders = (FOLDER, own / "autograder" / "classroom" / "samples") if own else (FOLDER,)
    found: dict[str, list[SampleAnswer]] = {}
    for path in (folder / f"{lesson}.md" for folder in folders):
        if path.is_file():
            found |= parsed(path.read_text(encoding="utf-8"))
    return found


def parsed(text: str) -> dict[str, list[SampleAnswer]]:
    """The samples in a file's text."""
    _, *parts = QUESTION.split(text)
    return {slug: _samples(part) for slug, part in zip(parts[::2], parts[1::2], strict=True)}


def _samples(part: str) -> list[SampleAnswer]:
    found = SAMPLE.findall(part)
    return [SampleAnswer(float(share), _in_one_line(answer), _in_one_line(shows)) for share, answer, shows in found]


def _in_one_line(text: str) -> str:
    return " ".join(text.split())
