"""Runs one file and prints the reports of its checks: `python -m autograder.notebooks.run_file FILE`.

It runs in a process of its own, in a folder that is thrown away. What else the file prints is
dropped.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import sys
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import asdict, dataclass, field
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from nbformat import NotebookNode

from autograder import registry
from autograder.learner import check as checking
from autograder.notebooks import cells, files
from autograder.notebooks.test_points import Showed, points
from autograder.probing.capped import Capped

CHECK = re.compile(r"check\(\w+(, bonus=True)?\)")
"""What a check cell of ours holds."""

SKIPPED = {"demo", "play"}
"""Cells with these tags only show something."""


@dataclass
class CheckedFile:
    """What came of the checks: exercise → whether it passed last, and checks that could not run; and what was told."""

    reports: dict[str, bool] = field(default_factory=dict)
    told: dict[str, dict[str, Any]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


def main(name: str) -> None:
    """Run a file, print reports, and leave beside it what came of them."""
    path, checked, say = Path(name), CheckedFile(), _silence()
    checking.check = _heard(checking.check, checked, say)
    run = _run_notebook if path.suffix == ".ipynb" else _run_module
    run(path, checked, say)
    (path.parent / "checked.json").write_text(json.dumps(asdict(checked)), encoding="utf-8")


def _silence() -> Callable[[str], None]:
    """Drop all that is printed from now on, and return the one way to print that is left."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return lambda text: print(text, file=out, flush=True)


def _heard(check: Callable[..., Any], checked: CheckedFile, say: Callable[[str], None]) -> Callable[..., Any]:
    """The same `check`, whose reports are printed and counted wherever it is called."""

    @wraps(check)
    def heard(*arguments: Any, **options: Any) -> Any:
        report = check(*arguments, **options)
        checked.reports[report.exercise] = report.passed
        checked.told[report.exercise] = report.as_data()
        say(f"{report}\n")
        return report

    return heard


# Notebooks ----------------------------------------------------------------------------


class KernellessShell(InteractiveShell):
    """Runs cells as a notebook does, without a kernel."""

    def enable_gui(self, gui: Any = None) -> None:
        """Nothing: `%matplotlib inline` asks for it, and a bare shell would raise."""


def _run_notebook(path: Path, checked: CheckedFile, say: Callable[[str], None]) -> None:
    module = ModuleType("__main__")
    sys.modules["__main__"] = module  # where the notebook's own definitions are looked up
    shell = KernellessShell(user_module=module)
    for number, cell in enumerate(files.read(path).cells, start=1):
        if cell.cell_type == "code" and not SKIPPED & set(cell.metadata.get("tags", [])):
            _run_cell(shell, number, cell, checked, say)


def _run_cell(
    shell: InteractiveShell,
    number: int,
    cell: NotebookNode,
    checked: CheckedFile,
    say: Callable[[str], None],
) -> None:
    name = cells.grade_id(cell)
    if _is_own_test(cell):
        _run_own_test(shell, cell, name, checked, say)
        return
    result = shell.run_cell(cell.source, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    if error is None or (isinstance(error, NotImplementedError) and not _is_check(cell)):
        return
    if _is_check(cell):
        checked.broken.append(name)
    say(f"Cell {number}{f' ({name})' if name else ''} raised {_in_a_line(error)}\n")


def _run_own_test(
    shell: InteractiveShell, cell: NotebookNode, name: str, checked: CheckedFile, say: Callable[[str], None]
) -> None:
    """A test of an instructor's own, as far as a notebook that is handed out holds it."""
    warned = Capped(1000)
    with redirect_stderr(warned):
        result = shell.run_cell(cell.source, store_history=True)
        value = _text_of(shell, result.result)
    error, worth = result.error_before_exec or result.error_in_exec, float(cell.metadata.nbgrader.points)
    showed = Showed(type(error).__name__ if error else "", warned.getvalue(), value)
    try:
        earned = points(showed, worth)
    except ValueError:
        earned = 0.0
    checked.reports[name] = earned == worth
    why = f"\nYour instructor's test raised {_in_a_line(error)}" if error else ""
    say(f"{name} · {earned:g} of {worth:g} points{why}\n")


def _text_of(shell: InteractiveShell, value: object) -> str:
    if value is None or shell.display_formatter is None:
        return ""
    return str(shell.display_formatter.format(value)[0].get("text/plain", ""))


def _is_own_test(cell: NotebookNode) -> bool:
    """Whether a cell with points is no check of ours."""
    points = cell.metadata.get("nbgrader", {}).get("points")
    return _is_check(cell) and isinstance(points, int | float) and not CHECK.fullmatch(cell.source.strip())


def _is_check(cell: NotebookNode) -> bool:
    place = cell.metadata.get("nbgrader", {})
    return bool(place.get("grade") and not place.get("solution"))


def _in_a_line(error: BaseException) -> str:
    return " ".join("".join(traceback.format_exception_only(error)).split())[:300]


# Python files ----------------------------------------------------------------------------


def _run_module(path: Path, checked: CheckedFile, say: Callable[[str], None]) -> None:
    """Execute a .py file, then check every exercise that it defines."""
    spec = importlib.util.spec_from_file_location("checked_file", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:  # SystemExit too: what is defined by then can be checked
        checked.broken.append(path.name)
        say(f"{path.name} raised {_in_a_line(error)}\n")
    for exercise in registry.all_exercises():
        found = vars(module).get(exercise.name)
        if getattr(found, "__module__", None) == module.__name__:
            checking.check(found, exercise=exercise.name)


if __name__ == "__main__":
    main(sys.argv[1])
