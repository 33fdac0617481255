"""Takes a new version of the course without touching what the learner wrote."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from nbformat import NotebookNode

from autograder.learner import choices
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem
from autograder.notebooks.reset import blank
from autograder.notebooks.transplant import transplant, work_in


@dataclass
class Held:
    """A notebook that someone touched.

    Attributes:
        path: where it is.
        before: the bytes of its file.
        backup: a copy of it.
        notebook: its content; None when the file is no notebook.
    """

    path: Path
    before: bytes
    backup: Path
    notebook: NotebookNode | None


def update(*, pull: bool = True) -> int:
    """Bring all notebooks up to date, with the learner's answers in them.

    Args:
        pull: ask git for a new version first, where the course is a clone with an upstream.

    Raises:
        Problem: when git cannot pull; everything is then as it was.
    """
    if choices.is_package():
        raise Problem("This is a class's package: to update it, install the newest. Your notebooks stay as they are.")
    held = touched_notebooks()
    pulled = pull and _pull(held)
    try:
        _update_all(held, pulled)
    except BaseException:
        _put_back(held)
        raise
    return 0


def _update_all(held: Sequence[Held], pulled: bool) -> None:
    """Bring every notebook up to date. Lessons are matched by name: a new version may renumber."""
    waiting = {lessons.lesson_of(one.path.stem): one for one in held}
    for stem in _stems():
        said = _update_one(stem, waiting.pop(lessons.lesson_of(stem), None), pulled)
        print(f"{files.shown(lessons.notebook_path(stem))}: {said}")
    _put_back(list(waiting.values()))
    for one in waiting.values():
        print(f"{files.shown(one.path)}: no longer part of the course; yours stays as it is")


def touched_notebooks() -> list[Held]:
    """The notebooks that are not what was built last, each with a fresh backup."""
    found = []
    for path in map(lessons.notebook_path, _stems()):
        if not path.is_file():
            continue
        notebook = _read(path)
        if notebook is None or files.is_touched(notebook):
            found.append(Held(path, path.read_bytes(), files.back_up(path), notebook))
    return found


def _stems() -> list[str]:
    """The lessons; a notebook of the learner's own that is only named like one is none."""
    return [stem for stem in lessons.notebook_stems() if _is_lesson(stem)]


def _is_lesson(stem: str) -> bool:
    path = lessons.notebook_path(stem)
    notebook = _read(path) if path.is_file() else None
    has_source = lessons.source_path(stem).is_file()
    return has_source or notebook is None or "course" in notebook.metadata


def _read(path: Path) -> NotebookNode | None:
    try:
        return files.read(path)
    except Problem:
        return None


def _update_one(stem: str, held: Held | None, pulled: bool) -> str:
    """Write a lesson's new notebook and say in words what was done."""
    path = lessons.notebook_path(stem)
    try:
        # After a pull the code in memory is the old one's; the new notebook lies on the disk.
        fresh = files.read(path) if pulled else blank(stem)
    except Problem as problem:
        return _left(held, str(problem))
    if held is None:
        new = not files.holds(path, files.text_of(fresh))
        files.write(path, fresh)
        return "new version" if new else "up to date"
    if held.notebook is None:
        return _left(held, "is no notebook that can be read, so it stays as it is")
    if _version(held.notebook) == _version(fresh):
        path.write_bytes(held.before)
        held.backup.unlink()
        return "up to date"
    files.write(path, transplant(held.notebook, fresh))
    return f"new version, {_counted(held.notebook)}. Before: {files.shown(held.backup)}"


def _left(held: Held | None, why: str) -> str:
    if held is not None:
        held.path.write_bytes(held.before)
    return why


def _version(notebook: NotebookNode) -> str:
    return str(notebook.metadata.get("course", {}).get("built"))


def _counted(notebook: NotebookNode) -> str:
    work = work_in(notebook)
    counts = [(len(work.answers), "answer"), (len(work.edited) + len(work.added), "other cell")]
    said = [f"{n} {what}{'s' * (n != 1)}" for n, what in counts if n]
    return f"with your {' and '.join(said)}" if said else "you had written nothing in it"


# git ----------------------------------------------------------------------------


def _pull(held: Sequence[Held]) -> bool:
    """Restore the tracked notebooks and pull; whether that was done."""
    upstream = _git("rev-parse", "--verify", "--quiet", "@{upstream}")
    if upstream is None or upstream.returncode or not _tracked([lessons.COURSE / "__init__.py"]):
        print("This copy of the course has no place to pull from; the notebooks are built here.")
        return False
    os.environ["GIT_TERMINAL_PROMPT"] = "0"  # ask for no password: nobody could see the question
    try:
        if restored := _tracked([one.path for one in held]):
            _must("checkout", "--quiet", "--", *restored)
        _must("pull", "--ff-only", "--quiet")
    except BaseException:
        _put_back(held)
        raise
    return True


def _tracked(paths: Sequence[Path]) -> list[str]:
    if not paths:
        return []
    found = _git("ls-files", "--", *map(str, paths))
    return found.stdout.splitlines() if found is not None and found.returncode == 0 else []


def _git(*arguments: str) -> CompletedProcess[str] | None:
    return files.git(*arguments, folder=lessons.COURSE)


def _must(*arguments: str) -> None:
    """Run git.

    Raises:
        Problem: with git's own first line of complaint.
    """
    done = _git(*arguments)
    if done is None or done.returncode:
        complaint = done.stderr.strip().splitlines() if done is not None else []
        line = next((one for one in complaint if one.startswith(("error", "fatal"))), "")
        reason = line or " ".join(complaint[:2]) or "no reason given"
        raise Problem(f"git {arguments[0]} failed ({reason}). Everything is as it was.")


def _put_back(held: Sequence[Held]) -> None:
    for one in held:
        one.path.write_bytes(one.before)
