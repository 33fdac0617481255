"""Runs a lesson in which every exercise is done, once, and keeps what came of it."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import torch
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder import registry
from autograder.learner.notebook import RECORDED
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem

CELL_SECONDS = 900
KEEP = "from course.widgets.recording import record_all as _record_all\n_record_all('widgets.json')"
READ_BY_A_RUN = ("course/*.py", "course/widgets/*.py", "course/data/*", "solutions/*.py", "autograder/checks/**/*.py",
                 "autograder/reporting/*.py", "autograder/dev/book/runs.py")  # fmt: skip
"""What a notebook's outputs depend on, beside itself; how a report looks is taken along."""


@dataclass(frozen=True)
class Kept:
    """What a run left.

    Attributes:
        notebook: the solved notebook with its outputs.
        widgets: id of a widget's model → what is kept of it (see `course/widgets/recording.py`).
    """

    notebook: NotebookNode
    widgets: dict[str, Any]


def run_of(stem: str, store: Path, *, quick: bool = False) -> Kept:
    """What a lesson gives when it is run; from the store, if it was run as it is now.

    Args:
        stem: such as `01_layer_norm`.
        store: a folder.
        quick: three steps of each training, as tests do.

    Raises:
        Problem: if a cell fails that should not.
    """
    notebook = build(stem, "solved")
    place = store / f"{stem}-{_digest(notebook, quick)}.json"
    if not place.is_file():
        kept = _run(notebook, stem, quick)
        _no_errors(stem, kept.notebook)
        store.mkdir(parents=True, exist_ok=True)
        for old in store.glob(f"{stem}-*.json"):
            old.unlink()
        half = place.with_suffix(".half")
        half.write_text(json.dumps({"notebook": kept.notebook, "widgets": kept.widgets}), encoding="utf-8")
        half.replace(place)
    told = json.loads(place.read_text(encoding="utf-8"))
    return Kept(nbformat.from_dict(told["notebook"]), told["widgets"])


def _digest(notebook: NotebookNode, quick: bool) -> str:
    known = hashlib.blake2b(f"{torch.__version__} {quick}".encode(), digest_size=8)
    known.update(json.dumps([[cell.id, cell.source] for cell in notebook.cells]).encode())
    for path in _read_by_a_run():
        known.update(path.read_bytes())
    return known.hexdigest()


def _read_by_a_run() -> Iterator[Path]:
    for pattern in READ_BY_A_RUN:
        yield from sorted(one for one in files.ROOT.glob(pattern) if one.is_file())


def _run(notebook: NotebookNode, stem: str, quick: bool) -> Kept:
    own = nbformat.from_dict(notebook)
    own.cells = [*own.cells, new_code_cell(KEEP)]
    with tempfile.TemporaryDirectory(prefix="book-") as name:
        folder = Path(name)
        stems = lessons.source_stems()
        fill_library(folder / "library", stems[: stems.index(stem)])
        client = NotebookClient(
            own, timeout=CELL_SECONDS, allow_errors=True, resources={"metadata": {"path": name}},
            store_widget_state=False, shutdown_kernel="immediate", extra_arguments=["--log-level=ERROR"],
        )  # fmt: skip
        client.execute(env=_environment(folder, quick))
        last = own.cells.pop()
        found = folder / "widgets.json"
        if not found.is_file():
            raise Problem(f"the widgets could not be kept: {_said(last)}")
        return Kept(own, json.loads(found.read_text(encoding="utf-8")))


def fill_library(folder: Path, stems: Sequence[str]) -> None:
    """A learner's library in which these lessons are done."""
    folder.mkdir(parents=True)
    for lesson in map(lessons.lesson_of, stems):
        names = [one.name for one in registry.exercises(lesson) if not one.repairs]
        text = f"from solutions.{lesson} import {', '.join(names)}\n\n__all__ = {names!r}\n"
        (folder / f"{lesson}.py").write_text(text, encoding="utf-8")


def _environment(folder: Path, quick: bool) -> dict[str, str]:
    paths = os.pathsep.join([str(files.ROOT), str(files.ROOT / "course"), os.environ.get("PYTHONPATH", "")])
    env = {name: value for name, value in os.environ.items() if name not in ("NBGRADER_EXECUTION", "COURSE_QUICK")}
    env |= {RECORDED: "1", "PYTHONPATH": paths, "MY_TRANSFORMER_HOME": str(folder / "library")}
    return env | ({"COURSE_QUICK": "1"} if quick else {})


def _no_errors(stem: str, notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code" and "raises-exception" not in cell.metadata.get("tags", []) and _said(cell):
            raise Problem(f"{stem}, cell {cell.id}: {_said(cell)}")


def _said(cell: NotebookNode) -> str:
    """The exception that a cell raised, in a line; nothing if it raised none."""
    return next((f"{one.ename}: {one.evalue}" for one in cell.outputs if one.output_type == "error"), "")
