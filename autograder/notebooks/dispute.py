"""`autograder dispute EXERCISE`: one file with what someone needs who is to look whether a check is wrong."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder import __version__, registry
from autograder.notebooks import files
from autograder.notebooks.check_files import environment
from autograder.notebooks.problem import Problem, named_by_a_person
from autograder.notebooks.run_file import SKIPPED
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise

KIND = "transformer-course dispute 1"
LONGEST = 4000
"""Characters of what somebody says."""

MAX_BYTES = 2_000_000
DISTRIBUTIONS = ("torch", "numpy", "ipython")


@dataclass(frozen=True)
class Dispute:
    """What the file holds.

    Attributes:
        exercise, lesson: "LayerNorm" and "01_layer_norm".
        says: what is wrong with the check, in the words of who says so.
        cells: name and text of the code cells, up to the check.
        report, status, points, mistake: what the check said.
        seeds: of the draws.
        versions: of what it ran with.
        kind: what kind of file this is.
    """

    exercise: str
    lesson: str
    says: str
    cells: list[list[str]]
    report: str
    status: str
    points: float
    mistake: str
    seeds: list[int]
    versions: dict[str, str]
    kind: str = field(default=KIND)


def dispute(exercise: str, notebook: str = "", says: str = "") -> int:
    """Write the file beside the notebook, and say what it holds.

    Args:
        exercise: whose check is wrong.
        notebook: the notebook; by default the lesson's, here or in the course.
        says: what is wrong with it; asked for at a terminal.

    Raises:
        Problem: when there is no such exercise or notebook, or nothing is said.
    """
    one = _exercise(exercise)
    stem = registry.notebook_stem(one.lesson)
    path = _notebook(notebook, stem)
    cells = _cells(files.read(path), one.name)
    words = (says or _asked(one.name)).strip()[:LONGEST]
    if not words:
        raise Problem('Say what is wrong with the check: --says "...".')
    told = _run(path, cells, one.name)
    made = Dispute(
        one.name, stem, words, cells, told["text"], told["status"], told["points"], told["mistake"],
        list(PRACTICE), versions(),
    )  # fmt: skip
    target = path.with_name(f"dispute-{one.name}.json")
    with named_by_a_person(target):
        target.write_text(json.dumps(asdict(made), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{target} holds your code up to the check of {one.name}, its report, versions and seeds, and what you say.")
    print("It holds no name of yours, unless your code does: read it. Then hand it in with the notebook, or attach it.")
    return 0


def read(path: Path) -> Dispute:
    """What a file holds. It may be anybody's: nothing of it is run, and all of it is checked.

    Raises:
        Problem: when it is no such file.
    """
    if not path.is_file() or path.is_symlink():
        raise Problem(f"There is no file {path}.")
    if path.stat().st_size > MAX_BYTES:
        raise Problem(f"{path} is too large for a dispute.")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise Problem(f"{path} is no dispute: it is no JSON.") from None
    if not _fits(found):
        raise Problem(f"{path} is no dispute that this version can read.")
    return Dispute(**found)


def versions() -> dict[str, str]:
    """Of this course, of Python, and of what computes."""
    found = {name: version(name) for name in DISTRIBUTIONS}
    return {
        "transformer-course": _course(),
        "python": platform.python_version(),
        **found,
        "system": platform.platform(),
    }


def _course() -> str:
    try:
        return version("transformer-course")  # a student's edition has its content in it
    except ImportError:
        return __version__


# The notebook ----------------------------------------------------------------------------


def _exercise(name: str) -> Exercise:
    try:
        return registry.exercise(name)
    except registry.UnknownExercise as error:
        raise Problem(str(error)) from None


def _notebook(given: str, stem: str) -> Path:
    places = [Path(given)] if given else [Path(f"{stem}.ipynb"), files.COURSE / f"{stem}.ipynb"]
    found = next((path for path in places if path.is_file()), None)
    if found is None:
        missing = files.shown(places[0])
        raise Problem(f"There is no {missing}. Say where the notebook is: autograder dispute EXERCISE NOTEBOOK.")
    return found


def _cells(notebook: NotebookNode, exercise: str) -> list[list[str]]:
    """The code up to the check. What only shows something is left out."""
    found = []
    for cell in notebook.cells:
        name = str(cell.metadata.get("nbgrader", {}).get("grade_id") or cell.get("id", ""))
        if cell.cell_type == "code" and not SKIPPED & set(cell.metadata.get("tags", [])):
            found.append([name, cell.source])
        if name == f"check-{exercise}":
            return found
    raise Problem(f"The notebook has no check of {exercise}.")


def as_notebook(cells: list[list[str]]) -> NotebookNode:
    """The cells as a notebook, each with its name."""
    made = new_notebook(cells=[new_code_cell(text) for _, text in cells])
    for cell, (name, _) in zip(made.cells, cells, strict=True):
        cell.metadata["course"] = {"name": name}
    return made


def _asked(exercise: str) -> str:
    return input(f"What is wrong with the check of {exercise}? ") if sys.stdin and sys.stdin.isatty() else ""


def _run(path: Path, cells: list[list[str]], exercise: str) -> dict[str, Any]:
    """What the check says, in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        copy = folder / path.name
        files.write(copy, as_notebook(cells))
        subprocess.run(
            [sys.executable, "-m", "autograder.notebooks.run_file", str(copy)],
            cwd=folder,
            env=environment(path, folder),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            check=False,
        )
        told = folder / "checked.json"
        known = json.loads(told.read_text(encoding="utf-8"))["told"] if told.is_file() else {}
    nothing = {"text": "The check gave no report.", "status": "no report", "points": 0.0, "mistake": ""}
    return dict(known.get(exercise, nothing))


# Reading ----------------------------------------------------------------------------------


def _fits(found: Any) -> bool:
    if type(found) is not dict or set(found) != {one.name for one in fields(Dispute)} or found["kind"] != KIND:
        return False
    return all(_checks(found))


def _checks(found: dict[str, Any]) -> Iterator[bool]:
    for name in ("exercise", "lesson", "says", "report", "status", "mistake"):
        yield type(found[name]) is str
    yield type(found["points"]) in (int, float)
    yield (
        _are(found["seeds"], int) and 0 < len(found["seeds"]) <= 10 and all(0 <= one < 2**63 for one in found["seeds"])
    )
    yield type(found["versions"]) is dict and _are(list(found["versions"].values()), str)
    cells = found["cells"]
    yield _are(cells, list) and len(cells) < 2000 and all(len(one) == 2 and _are(one, str) for one in cells)


def _are(given: Any, kind: type) -> bool:
    return type(given) is list and all(type(one) is kind for one in given)
