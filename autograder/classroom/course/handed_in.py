"""Finds what was handed in: one notebook of each student, and what lies where it is not looked for."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HandedIn:
    """One student's notebook.

    Attributes:
        student: who; a folder's name that is not Unicode is told by its bytes.
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
        if _is_folder(place) or not os.access(folder, os.X_OK):  # then nobody knows, and it is not passed over
            yield _one_of(told(folder.name), place, lesson)


def _one_of(student: str, place: Path, lesson: str) -> HandedIn:
    """The notebook in a folder; browsers call a second download `name (1).ipynb`."""
    expected = place / f"{lesson}.ipynb"
    others = [one for one in _inside(place) if one.suffix == ".ipynb" and _is(stat.S_ISREG, one)]
    if os.path.lexists(expected) or len(others) != 1:
        return HandedIn(student, expected)
    return HandedIn(student, others[0], f"handed in as {told(others[0].name)}")


def misplaced(course: Path, lesson: str) -> list[Path]:
    """Notebooks of the lesson that lie in `submitted/` where nobody looks for them."""
    submitted = course / "submitted"
    return sorted([*submitted.glob(f"{lesson}*.ipynb"), *submitted.glob(f"*/{lesson}*.ipynb")])


def _folders(place: Path) -> list[Path]:
    return [one for one in _inside(place) if _is_folder(one)]


def _inside(place: Path) -> list[Path]:
    """What a folder holds; nothing when it cannot be looked into."""
    try:
        return sorted(place.iterdir())
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    return _is(stat.S_ISDIR, path)


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    """Whether a path is of a kind, and no link; not so when nobody may look."""
    try:
        return kind(path.lstat().st_mode)
    except OSError:
        return False


def told(name: str) -> str:
    """A name that can be written down everywhere: files have bytes for names, and not all are UTF-8."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")
