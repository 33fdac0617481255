"""Solved lessons in somebody else's Python, as a notebook in Colab has it: nothing of that Python may be replaced.

python -m tests.colab PYTHON [LESSON...]

PYTHON is that of a fresh environment with torch and the kernel's packages in Colab's versions; the course is not in it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell

from autograder.homes import ROOT
from autograder.notebooks.build import build
from tests.test_notebooks import misses_points

LESSONS = ("01_layer_norm", "02_attention", "08_transformer", "17_semantic_matching")
FETCHED = f"%run {ROOT / 'autograder' / 'setup' / 'colab.py'}"


def packages(python: str) -> dict[str, str]:
    """Package → version, as pip lists them."""
    command = [python, "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return dict(line.split("==", 1) for line in listed.splitlines() if "==" in line)


def run(stem: str, python: str, folder: Path) -> str:
    """What the first cell printed and whether all others ran."""
    notebook = build(stem, "solved")
    notebook.cells.insert(0, new_code_cell(FETCHED))
    manager = KernelManager()
    manager._kernel_spec = KernelSpec(argv=[python, "-m", "ipykernel_launcher", "-f", "{connection_file}"])
    client = NotebookClient(notebook, km=manager, timeout=600, resources={"metadata": {"path": str(folder)}})
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NBGRADER_EXECUTION")}
    try:
        client.execute(env={**env, "COURSE_QUICK": "1", "MY_TRANSFORMER_HOME": str(folder / "library")})
    except CellExecutionError as error:
        return f"{stem}: {error}"
    finally:
        manager.shutdown_kernel(now=True)
    printed = "".join(one.get("text", "") for one in notebook.cells[0].outputs)
    failed = misses_points(notebook)
    return f"{stem}: every cell ran; {', '.join(failed) or 'every check'} {'failed' if failed else 'passed'}\n{printed}"


def main(python: str, *stems: str) -> None:
    """Run the lessons and say what was added, and what is another version than before."""
    before = packages(python)
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "library").mkdir()
        for stem in stems or LESSONS:
            print(run(stem, python, Path(name)), flush=True)
    after = packages(python)
    print("added:", *(f"{name} {after[name]}" for name in sorted(after.keys() - before.keys())))
    print("replaced:", *([name for name in before if after.get(name) != before[name]] or ["nothing"]))


if __name__ == "__main__":
    main(*sys.argv[1:])
