"""Where a page says that a fresh kernel can go on, one can: with the cells that it names, and a full library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograder.notebooks.build import build
from tests.carried import solved_library
from tests.notebook_run import one_kernel
from tests.test_notebooks import misses_points, raised

pytestmark = [pytest.mark.slow, pytest.mark.turns(6, "course/lessons/20", "course/lessons/21", at=3)]

FIRST, ALONE = "un the first cell", "This cell is all that the rest of the page needs"
LESSONS = ("20_faster", "21_in_the_wild")


def seams(stem: str) -> Iterator[tuple[NotebookNode, int, int]]:
    """The notebook, where a seam is in it, and how many cells of code from its beginning a fresh kernel needs."""
    notebook = build(stem, "solved")
    for place, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown" and (FIRST in cell.source or ALONE in cell.source):
            yield notebook, place, int(FIRST in cell.source)


def test_the_seams_are_found() -> None:
    assert [len(list(seams(stem))) for stem in LESSONS] == [1, 4]


@pytest.mark.parametrize("stem", LESSONS)
def test_a_fresh_kernel_goes_on_from_a_seam(stem: str, tmp_path: Path) -> None:
    solved_library(tmp_path / "library")
    with one_kernel(tmp_path, COURSE_QUICK="1") as run:
        for notebook, place, needed in seams(stem):
            code = [one for one in notebook.cells[:place] if one.cell_type == "code"][:needed]
            own = NotebookNode({**notebook, "cells": [*code, *notebook.cells[place:]]})
            ran = run(own)
            assert raised(ran) == [], place
            assert misses_points(ran) == [], place
