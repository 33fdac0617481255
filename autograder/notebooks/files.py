"""Notebooks on disk: how they are written, whether someone touched them, and their backups."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from autograder import homes
from autograder.notebooks.problem import Problem, named_by_a_person
from autograder.registry import COURSE

ROOT = COURSE.parent


def text_of(notebook: NotebookNode) -> str:
    """A notebook as the text of its file: always the same, with a newline at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def write(path: Path, notebook: NotebookNode) -> None:
    """Write a notebook, with the same bytes on every system."""
    write_text(path, text_of(notebook))


def write_text(path: Path, text: str) -> None:
    """Write a text, with the same bytes on every system.

    Raises:
        Problem: when the system does not allow it.
    """
    with named_by_a_person(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def holds(path: Path, text: str) -> bool:
    """Whether a file is there, with just this text.

    Raises:
        Problem: when the system does not allow to look.
    """
    with named_by_a_person(path):
        return path.exists() and path.read_bytes() == text.encode()


def read(path: Path) -> NotebookNode:
    """Read a notebook.

    Raises:
        Problem: when the file is missing or no notebook.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise Problem(f"{shown(path)} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise Problem(f"{shown(path)} is no notebook: it is not a text file.") from None
    return parse(text, shown(path))


def parse(text: str, name: str) -> NotebookNode:
    """A notebook from the text of its file; `name` is what an error calls it."""
    try:
        notebook = nbformat.reads(text, as_version=4)
        nbformat.validate(notebook)
    except Exception as error:  # nbformat raises its own kinds, json's and plain AttributeErrors
        reason = (str(error).splitlines() or [type(error).__name__])[0][:120]
        raise Problem(f"{name} is no notebook: {reason}.") from None
    return notebook


def shown(path: Path) -> str:
    """A path as a person would name it: from the course's root where it lies there."""
    resolved = path.resolve()
    roots = [root.resolve() for root in (homes.desk(), ROOT) if root]
    return next((resolved.relative_to(root).as_posix() for root in roots if resolved.is_relative_to(root)), str(path))


# What was built last ----------------------------------------------------------------------------


def stamped(notebook: NotebookNode) -> NotebookNode:
    """The notebook with its digest in `metadata.course.built`, to see later whether it changed."""
    notebook.metadata.setdefault("course", {})["built"] = digest(notebook)
    return notebook


def digest(notebook: NotebookNode) -> str:
    """sha256 of everything in a notebook but the digest itself.

    What the kernel says about its language is left out: JupyterLab writes it into every notebook it saves.
    """
    plain = json.loads(json.dumps(notebook))
    plain["metadata"].get("course", {}).pop("built", None)
    plain["metadata"].pop("language_info", None)
    text = json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def is_touched(notebook: NotebookNode) -> bool:
    """Whether a notebook differs from what was built: someone wrote in it, ran it or saved it."""
    return notebook.metadata.get("course", {}).get("built") != digest(notebook)


def committed(path: Path) -> str | None:
    """The text that git's index holds for a file; None without git or when it is not tracked."""
    found = git("show", f":./{path.name}", folder=path.parent)
    return found.stdout if found is not None and found.returncode == 0 else None


def git(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str] | None:
    """Run git; None where it is not installed."""
    if shutil.which("git") is None or not folder.is_dir():
        return None
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        encoding="utf-8",
        errors="replace",
        check=False,
    )


# Backups ----------------------------------------------------------------------------


def back_up(path: Path) -> Path:
    """Copy a notebook into `backups/` beside it, under a name that says when.

    Returns:
        The copy.

    Raises:
        Problem: when the system does not allow it.
    """
    folder = path.parent / "backups"
    stamp = datetime.now().strftime("%Y%m%d-%H%M%S")
    copy = folder / f"{path.stem}-{stamp}{path.suffix}"
    number = 2
    while copy.exists():
        copy = folder / f"{path.stem}-{stamp}-{number}{path.suffix}"
        number += 1
    with named_by_a_person(path.parent):
        folder.mkdir(exist_ok=True)
        shutil.copy2(path, copy)
    return copy


def refuse_if_taken(place: Path) -> None:
    """Stop before anything is written over.

    Raises:
        Problem: when the folder holds something, is a file, or cannot be looked into.
    """
    if place.exists() and not place.is_dir():
        raise Problem(f"{place} is a file.")
    with named_by_a_person(place):
        there = sorted(one.name for one in place.iterdir()) if place.is_dir() else []
    there = [name for name in there if not name.startswith(".")]
    if there:
        more = f" and {len(there) - 5} more" if len(there) > 5 else ""
        listed = ", ".join(there[:5])
        raise Problem(f"{place} is not empty: it holds {listed}{more}. Nothing was changed.")
