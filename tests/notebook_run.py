"""Runs whole notebooks: in a kernel of its own, with its time and memory, or several in one."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.notebooks import files
from tests.kernel import started
from tests.tiers import touches

CELL_SECONDS = 360
"""Longer than any cell takes on a slow machine; a cell that takes longer hangs."""

EMPTY = "%reset -f"
UNDRAWN = "from course.widgets.figures import Picture\nPicture.png = lambda picture: b''\ndel Picture"
"""Leaves figures undrawn, which is much of a rehearsal's time. A lesson in full draws its own."""

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
    client = NotebookClient(own, **_settings(folder), shutdown_kernel="immediate")
    begin = time.monotonic()
    client.execute(env=_environment(folder) | environment)
    seconds = time.monotonic() - begin
    peak = own.cells.pop()
    return Ran(own, seconds, int(peak.outputs[0].text) / 1000)


@contextmanager
def one_kernel(folder: Path, **environment: str) -> Iterator[Callable[[NotebookNode], NotebookNode]]:
    """A kernel in which one notebook after the other runs; it is emptied before each.

    Figures are made, and drawn only where a change touches how.
    """
    with started(folder, _environment(folder) | environment) as manager:
        yield partial(_run_in, manager, folder)


def _run_in(manager: KernelManager, folder: Path, given: NotebookNode) -> NotebookNode:
    own = nbformat.from_dict(given)
    begin = EMPTY if touches("course/widgets/") else f"{EMPTY}\n{UNDRAWN}"
    own.cells = [new_code_cell(begin), *own.cells]
    client = NotebookClient(own, km=manager, **_settings(folder))
    client.execute()
    assert client.kc is not None
    client.kc.stop_channels()
    del own.cells[0]
    return own


def _settings(folder: Path) -> dict[str, Any]:
    where = {"metadata": {"path": str(folder)}}
    return {"allow_errors": True, "timeout": CELL_SECONDS, "resources": where, "store_widget_state": False}


def _environment(folder: Path) -> dict[str, str]:
    """What a kernel finds: the course, and a learner's library in this folder."""
    paths = [str(files.ROOT), str(files.ROOT / "course"), os.environ.get("PYTHONPATH", "")]
    env = {name: value for name, value in os.environ.items() if name != "NBGRADER_EXECUTION"}
    return env | {"PYTHONPATH": os.pathsep.join(paths), "MY_TRANSFORMER_HOME": str(folder / "library")}
