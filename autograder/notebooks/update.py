"""Takes a new version of the course without touching what the learner wrote."""

from __future__ import annotations

import copy
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CompletedProcess

from nbformat import NotebookNode

import autograder
from autograder.homes import desk
from autograder.learner import choices
from autograder.notebooks import files, lessons
from autograder.notebooks.moved import Homes, leaving, without
from autograder.notebooks.problem import Problem
from autograder.notebooks.reset import blank
from autograder.notebooks.transplant import Work, put_in, transplant, work_in


@dataclass
class Held:
    """A notebook that someone touched.

    Attributes:
        path: where it is.
        before: the bytes of its file.
        backup: a copy of it.
        notebook: its content; None when the file is no notebook.
        parts: stem → what belongs in the notebook of that lesson.
    """

    path: Path
    before: bytes
    backup: Path
    notebook: NotebookNode | None
    parts: dict[str, Work] = field(default_factory=dict)


NEWER = "`uvx transformer-course@latest`, or `pip install --upgrade transformer-course`, and then this again"

Arrival = tuple[str, Work]
"""From which notebook it comes, and what."""


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
    """Bring every notebook up to date, and each cell to where it stands now. Lessons are matched by name: a new version
    may renumber and divide them."""
    fresh, said = _new_versions(pulled)
    stems = {lessons.lesson_of(stem): stem for stem in (*fresh, *said)}
    own = {one.path: stems.get(lessons.lesson_of(one.path.stem), "") for one in held}
    arriving = _sent_on([one for one in held if own[one.path] in fresh], own, fresh)
    staying = {own[one.path]: one for one in held if one.path.stem == own[one.path]}
    for stem in sorted(stems.values()):
        told = said.get(stem) or _update_one(stem, staying.get(stem), fresh[stem], arriving.get(stem, []))
        print(f"{files.shown(lessons.notebook_path(stem))}: {told}")
    for one in held:
        stem = own[one.path]
        if one.path.stem != stem:
            print(f"{files.shown(one.path)}: {_moved_away(one) if stem in fresh else _gone(one, stem)}")
        elif stem not in fresh:
            _put_back([one])


def _new_versions(pulled: bool) -> tuple[dict[str, NotebookNode], dict[str, str]]:
    """Stem → the blank notebook; stem → why there is none."""
    fresh, said = dict[str, NotebookNode](), dict[str, str]()
    for stem in _stems():
        try:
            # After a pull the code in memory is the old one's; the new notebook lies on the disk.
            fresh[stem] = files.read(lessons.notebook_path(stem)) if pulled else blank(stem)
        except Problem as problem:
            said[stem] = str(problem)
    return fresh, said


def _sent_on(
    held: Sequence[Held], own: Mapping[Path, str], fresh: Mapping[str, NotebookNode]
) -> dict[str, list[Arrival]]:
    """Stem → what arrives there from notebooks of other lessons, or of a number that the lesson had before."""
    homes, found = Homes(fresh), defaultdict[str, list[Arrival]](list)
    for one in held:
        if one.notebook is None:
            continue
        stem = own[one.path]
        one.parts = leaving(one.notebook, stem, homes)
        for home, work in one.parts.items():
            found[home].append((one.path.stem, work))
        if one.path.stem != stem:
            found[stem].insert(0, (one.path.stem, work_in(without(one.notebook, one.parts))))
    return found


def _moved_away(one: Held) -> str:
    """Take away a notebook whose lesson has another number now."""
    if one.notebook is None:
        _put_back([one])
        return "is no notebook that can be read, so it stays as it is"
    one.path.unlink(missing_ok=True)
    return f"has another number now. Before: {files.shown(one.backup)}"


def _gone(one: Held, stem: str) -> str:
    _put_back([one])
    return "stays as it is" if stem else "no longer part of the course; yours stays as it is"


def touched_notebooks() -> list[Held]:
    """The notebooks that are not what was built last, or have a number from before; each with a fresh backup."""
    found, left = [], [stem for stem in lessons.left_over() if _is_lesson(stem)]
    for path in map(lessons.notebook_path, [*_stems(), *left]):
        if not path.is_file():
            continue
        notebook = _read(path)
        if notebook is None or path.stem in left or files.is_touched(notebook):
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


def _update_one(stem: str, held: Held | None, fresh: NotebookNode, arriving: Sequence[Arrival]) -> str:
    """Write a lesson's new notebook and say in words what was done."""
    path = lessons.notebook_path(stem)
    if held is not None and held.notebook is None:
        path.write_bytes(held.before)
        return "is no notebook that can be read, so it stays as it is"
    arriving = [(origin, work) for origin, work in arriving if work.cells()]
    if held is None or held.notebook is None:
        new, said = copy.deepcopy(fresh), "up to date" if files.holds(path, files.text_of(fresh)) else "new version"
    else:
        rest = without(held.notebook, held.parts)
        is_new = _version(rest) != _version(fresh)
        if not (is_new or held.parts or arriving):
            path.write_bytes(held.before)
            held.backup.unlink()
            return "up to date"
        new = transplant(rest, fresh) if is_new else copy.deepcopy(rest)
        said = f"new version, {_counted(held.notebook)}" if is_new else "up to date"
    for origin, work in arriving:
        put_in(work, new)
        said += f", with your {work} from {origin}"
    files.write(path, new)
    return said + (f". Before: {files.shown(held.backup)}" if held is not None else "")


def _version(notebook: NotebookNode) -> str:
    return str(notebook.metadata.get("course", {}).get("built"))


def _counted(notebook: NotebookNode) -> str:
    said = str(work_in(notebook))
    return f"with your {said}" if said else "you had written nothing in it"


# git ----------------------------------------------------------------------------


def _pull(held: Sequence[Held]) -> bool:
    """Restore the tracked notebooks and pull; whether that was done."""
    if desk():
        print(f"These are the notebooks of version {autograder.__version__}. For a newer one: {NEWER}.")
        return False
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
