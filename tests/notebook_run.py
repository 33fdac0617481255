"""Runs a whole notebook in a kernel of its own, and says how long that took and how much memory it used."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.notebooks import files

CELL_SECONDS = 360
"""Longer than any cell takes on a slow machine; a cell that takes longer hangs."""

PEAK = "print(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])"
"""The kernel's own peak in kB. `ru_maxrss` would count that of the process that started it."""


@dataclass
class Ran:
    """A notebook after its run, how long it took and how much memory its kernel used at most."""

    notebook: NotebookNode
    seconds: float
    megabytes: float


def run(given: NotebookNode, folder: Path, **environment: str) -> Ran:
    """Run a notebook in a kernel of its own, in an empty folder, with the library that is in there."""
    own = nbformat.from_dict(given)
    own.cells = [*own.cells, new_code_cell(PEAK)]
    paths = [str(files.ROOT), str(files.ROOT / "course"), os.environ.get("PYTHONPATH", "")]
    env = {name: value for name, value in os.environ.items() if name != "NBGRADER_EXECUTION"}
    env |= {"PYTHONPATH": os.pathsep.join(paths), "MY_TRANSFORMER_HOME": str(folder / "library")}
    client = NotebookClient(
        own,
        allow_errors=True,
        timeout=CELL_SECONDS,
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
        shutdown_kernel="immediate",
    )
    begin = time.monotonic()
    client.execute(env={**env, **environment})
    seconds = time.monotonic() - begin
    peak = own.cells.pop()
    return Ran(own, seconds, int(peak.outputs[0].text) / 1000)
