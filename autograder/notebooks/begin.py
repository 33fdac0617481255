"""`transformer-course`: a folder of one's own with the notebooks, for a learner who has no clone of the course."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from autograder.homes import DESK
from autograder.learner.library import PACKAGE
from autograder.notebooks import files
from autograder.registry import COURSE, NOTEBOOKS

FIRST = "00_start_here.ipynb"
MARK = "The notebooks and the library of somebody who learns from the Transformer course lie beside this file.\n"
TAKEN_ALONG = (NOTEBOOKS, "AGENTS.md")


def begin(folder: Path, *, lab: bool = True) -> int:
    """Make a learner's folder, or go on in one, and open JupyterLab there.

    Args:
        folder: where; new, empty, or made by this before.
        lab: open JupyterLab; else only say what would.

    Raises:
        Problem: when something else lies there, or the system does not allow it.
    """
    if (folder / DESK).is_file():
        print(f"You go on in {folder}. `autograder update` takes new versions of the notebooks.")
    else:
        files.refuse_if_taken(folder)
        _lay_out(folder)
        print(f"Your notebooks are in {folder}, and what passes is kept in {folder / PACKAGE}.")
    command = [sys.executable, "-m", "jupyterlab", "--ServerApp.root_dir=.", FIRST]
    return subprocess.run(command, cwd=folder, env=_environment(), check=False).returncode if lab else 0


def _lay_out(folder: Path) -> None:
    for pattern in TAKEN_ALONG:
        for path in sorted(COURSE.glob(pattern)):
            files.write_text(folder / path.name, path.read_text(encoding="utf-8"))
    (folder / PACKAGE).mkdir(exist_ok=True)
    files.write_text(folder / DESK, MARK)  # last: with it, the folder is complete


def _environment() -> dict[str, str]:
    """What JupyterLab's terminals find `autograder` with: a tool's programs may not be on the path."""
    programs = str(Path(sys.executable).parent)
    return {**os.environ, "PATH": os.pathsep.join([programs, os.environ.get("PATH", "")])}
