"""Keeps grades by content: of the submission, and of everything that decides on it."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path

import platformdirs

from autograder import homes, registry
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.submission import Malformed, digest, read

BESIDE = ("setup", "dev")
"""Folders of `autograder` that decide on no grade."""

OF_A_LESSON = ("checks", "lineups", "mistakes")
"""Folders of which a lesson's grades depend on that lesson's part."""

DISTRIBUTIONS = ("torch", "numpy", "ipython")


def folder() -> Path:
    """Where grades are kept: $AUTOGRADER_CACHE, else the user's cache folder."""
    told = os.environ.get("AUTOGRADER_CACHE")
    return Path(told) if told else Path(platformdirs.user_cache_dir("transformer-course")) / "grades"


def key(file: Path, lesson: str, sandboxed: bool, source: str = "") -> str:
    """A name for what is graded and how; "" when the file cannot be read."""
    try:
        content = read(file)
    except Malformed:
        return ""
    how = hashlib.sha256(f"{software(lesson)} {sandboxed} ".encode())
    if source:
        how.update(Path(source).read_bytes())
    return f"{how.hexdigest()[:32]}-{digest(content)}"


@cache
def software(lesson: str) -> str:
    """A name for everything of ours that a lesson's grades depend on: its checks, its mistakes, the reference."""
    found = hashlib.sha256("".join(f"{name} {version(name)}\n" for name in DISTRIBUTIONS).encode())
    for path in sorted(_files(lesson), key=homes.inside):  # the same wherever an instructor's own lessons lie
        found.update(f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def _files(stem: str) -> Iterator[Path]:
    lesson = stem.split("_", 1)[-1]
    # Released under another number, it may hold exercises of a lesson that has been a part of this one.
    lessons = [lesson] if stem == registry.notebook_stem(lesson) else registry.lessons()
    for home in homes.known():
        package = home / "autograder"
        for folder in (package, home / "solutions", home / "course"):
            for path in folder.rglob("*.py"):
                if folder != package or path.relative_to(package).parts[0] not in (*BESIDE, *OF_A_LESSON):
                    yield path
    for part in OF_A_LESSON:
        yield from (path for one in lessons for path in registry.files(part, one))
    page = registry.home(lesson) / "course" / "lessons" / f"{registry.notebook_stem(lesson)}.md"
    yield from [page] if page.is_file() else []


def get(name: str, file: Path) -> Grade | None:
    """The grade that is kept under a name, told of this file."""
    try:
        grade = Grade.of(json.loads((folder() / f"{name}.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    grade.file = str(file)
    return grade


def put(name: str, grade: Grade) -> None:
    """Keep a grade. One that is not complete, or that could not be kept, is made anew the next time.

    Nor is one kept of other content than the name says: the file was replaced, or gone, when its turn came.
    """
    if not grade.complete or not grade.content or not name.endswith(f"-{grade.content}"):
        return
    with contextlib.suppress(OSError):
        folder().mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder(), suffix=".tmp")
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            json.dump(grade.plain(), out)
        os.replace(temporary, folder() / f"{name}.json")
