"""Finds what was handed in: one notebook of each student, and what lies where it is not looked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HandedIn:
    """One student's notebook.

    Attributes:
        student: who.
        path: where it lies; nothing need be there.
        note: what is odd about that; "" for nothing.
    """

    student: str
    path: Path
    note: str = ""


def handed_in(course: Path, lesson: str) -> Iterator[HandedIn]:
    """One notebook of each student. Folders that are links are left out: they lead elsewhere."""
    for folder in _folders(course / "submitted"):
        place = folder / lesson
        if place.is_dir() and not place.is_symlink():
            yield _one_of(folder.name, place, lesson)


def _one_of(student: str, place: Path, lesson: str) -> HandedIn:
    """The notebook in a folder; browsers call a second download `name (1).ipynb`."""
    expected = place / f"{lesson}.ipynb"
    others = [one for one in sorted(place.glob("*.ipynb")) if one.is_file() and not one.is_symlink()]
    if expected.is_symlink() or expected.exists() or len(others) != 1:
        return HandedIn(student, expected)
    return HandedIn(student, others[0], f"handed in as {others[0].name}")


def misplaced(course: Path, lesson: str) -> list[Path]:
    """Notebooks of the lesson that lie in `submitted/` where nobody looks for them."""
    submitted = course / "submitted"
    return sorted([*submitted.glob(f"{lesson}*.ipynb"), *submitted.glob(f"*/{lesson}*.ipynb")])


def _folders(place: Path) -> list[Path]:
    return [one for one in sorted(place.glob("*")) if one.is_dir() and not one.is_symlink()]
