"""Writes the built notebooks to `course/`, without ever replacing a learner's work."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence

from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem


def stems_of(given: Sequence[str]) -> list[str]:
    """The lessons that are meant; all that have a source, when none is given."""
    return [lessons.stem_of(one) for one in given] if given else lessons.source_stems()


def publish(given: Sequence[str] = (), *, force: bool = False) -> int:
    """Write the notebooks of lessons and say what became of each.

    Args:
        given: names of lessons; none means all.
        force: replace a notebook also when someone touched it, after a backup.

    Returns:
        1 when a notebook was left because someone touched it, otherwise 0.
    """
    left = 0
    for stem in stems_of(given):
        said, ok = _publish_one(stem, force)
        left += not ok
        print(f"{files.shown(lessons.notebook_path(stem))}: {said}")
    return 1 if left else 0


def _publish_one(stem: str, force: bool) -> tuple[str, bool]:
    path = lessons.notebook_path(stem)
    text = files.text_of(build(stem))
    if not path.exists():
        files.write_text(path, text)
        return "built", True
    if files.holds(path, text):
        return "unchanged", True
    backup = ""
    if _is_someones(stem):
        if not force:
            return "left as it is, since someone has written or run something in it", False
        backup = f"; what it was is in {files.shown(files.back_up(path))}"
    files.write_text(path, text)
    return f"built{backup}", True


def _is_someones(stem: str) -> bool:
    """Whether the notebook on disk is not what was built last; a broken file counts as such."""
    try:
        return files.is_touched(files.read(lessons.notebook_path(stem)))
    except Problem:
        return True


def report_drift(given: Sequence[str] = ()) -> int:
    """Say which committed notebooks are not what their lessons build to, and write nothing.

    Returns:
        1 when there is one, otherwise 0.
    """
    found = {stem: said for stem in stems_of(given) if (said := drift(stem))}
    for stem, said in found.items():
        print(f"{files.shown(lessons.notebook_path(stem))}: {said}")
    if not found:
        print("All notebooks are what their lessons build to.")
    return 1 if found else 0


def drift(stem: str) -> str:
    """How the committed notebook of a lesson differs from what the lesson builds to; "" if not.

    Committed is what git's index holds. The file in `course/` may hold a learner's work; it counts
    only where there is no git, or git does not know it.
    """
    path = lessons.notebook_path(stem)
    held = files.committed(path)
    if held is None and path.exists():
        held = path.read_text(encoding="utf-8")
    if held is None:
        return f"is not built yet. Run: autograder build {stem}"
    first = next(_changes(held, files.text_of(build(stem))), "")
    return f"is not what {stem}.md builds to.{first}" if first else ""


def _changes(old: str, new: str) -> Iterator[str]:
    if old == new:
        return
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "committed", "built", n=0)
    yield " First difference:\n" + "\n".join(line for _, line in zip(range(8), lines, strict=False))
