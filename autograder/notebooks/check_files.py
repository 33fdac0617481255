"""Checks files from the terminal, each in a process of its own."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autograder.notebooks import files
from autograder.notebooks.problem import Problem, named_by_a_person

SUFFIXES = (".ipynb", ".py")


def check_files(given: Sequence[str], *, as_json: bool = False) -> int:
    """Run files and print the report of every check.

    Args:
        given: notebooks, whose own checks run, or .py files, of which every exercise is checked.
        as_json: print nothing but one JSON object: of every file and exercise what the check knows.

    Returns:
        0 when everything passed, 1 when something did not.

    Raises:
        Problem: for a file that is missing, malformed, or holds nothing to check.
    """
    paths = [Path(one) for one in given]
    for path in paths:
        _look_at(path)
    if as_json:
        found = [_checked(path, quiet=True) for path in paths]
        print(json.dumps({"files": [one.as_data() for one in found]}, indent=2, ensure_ascii=False))
        return 0 if all(one.passed == one.total > 0 for one in found) else 1
    return max(_check_one(path, heading=len(paths) > 1) for path in paths)


def _look_at(path: Path) -> None:
    if path.suffix not in SUFFIXES:
        raise Problem(f"{path} is neither a notebook (.ipynb) nor a Python file (.py).")
    if not path.is_file():
        raise Problem(f"There is no file {path}.")
    if path.suffix == ".ipynb":
        files.read(path)
        return
    try:
        with named_by_a_person(path):
            ast.parse(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise Problem(f"{path} is no Python: {error.msg}, line {error.lineno}.") from None
    except ValueError:  # also UnicodeDecodeError
        raise Problem(f"{path} is no Python: it is not a text file.") from None


@dataclass(frozen=True)
class _Checked:
    """What came of one file; `told` is None when its process ended before it could tell."""

    path: Path
    code: int
    told: dict[str, Any] | None

    @property
    def passed(self) -> int:
        return sum(self.told["reports"].values()) if self.told else 0

    @property
    def total(self) -> int:
        return len(self.told["reports"]) + len(self.told["broken"]) if self.told else 0

    def as_data(self) -> dict[str, Any]:
        told = self.told or {"told": {}, "broken": []}
        ended = "" if self.told else f"It ended the process that ran it (exit code {self.code})."
        exercises = list(told["told"].values())
        return {"file": str(self.path), "error": ended, "exercises": exercises, "could_not_run": told["broken"]}


def _check_one(path: Path, *, heading: bool) -> int:
    if heading:
        print(f"# {path}", flush=True)
    found = _checked(path)
    if found.told is None:
        print(f"{path} ended the process that ran it (exit code {found.code}).")
        return 1
    if not found.total:
        raise Problem(f"{path} has nothing to check.")
    print(f"{found.passed} of {found.total} passed.")
    return 0 if found.passed == found.total else 1


def _checked(path: Path, *, quiet: bool = False) -> _Checked:
    told, code = run_apart(path, aloud=not quiet)
    return _Checked(path, code, told)


def run_apart(path: Path, *, aloud: bool = True, **variables: str) -> tuple[dict[str, Any] | None, int]:
    """Run a file in a process of its own, in a folder that is thrown away.

    Args:
        path: the notebook or Python file.
        aloud: print its reports.
        variables: of the environment, besides what it always runs with.

    Returns:
        What came of its checks, as `run_file.CheckedFile` has it, or None where the process ended early; the exit code.
    """
    with tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with named_by_a_person(path):
            copy = shutil.copy(path, folder)
        done = subprocess.run(
            [sys.executable, "-m", "autograder.notebooks.run_file", copy],
            cwd=folder,
            env=environment(path, folder) | variables,
            stdin=subprocess.DEVNULL,
            stdout=None if aloud else subprocess.DEVNULL,
            check=False,
        )
        told = folder / "checked.json"
        return json.loads(told.read_text(encoding="utf-8")) if told.is_file() else None, done.returncode


def environment(path: Path, folder: Path) -> dict[str, str]:
    """What a file runs with: with the learner's library to read, not to write; training cut short; no windows."""
    beside = [str(files.ROOT), str(files.COURSE), str(path.resolve().parent)]
    paths = os.pathsep.join([*beside, os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {
        **os.environ,
        "COURSE_QUICK": "1",
        "MPLBACKEND": "agg",
        "MY_TRANSFORMER_HOME": str(_copy_of_library(folder)),
        "PYTHONIOENCODING": "utf-8",
        "PYTHONPATH": paths,
    }


def _copy_of_library(folder: Path) -> Path:
    from autograder.learner.library import home

    copy = folder / "library"
    copy.mkdir()
    for module in home().glob("*.py"):
        if module.name != "__init__.py":
            shutil.copy(module, copy)
    return copy
