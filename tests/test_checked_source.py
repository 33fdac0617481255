"""What of an instructor's notebook cannot be graded is said before anything is, with the cell's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from nbformat import NotebookNode

from autograder.classroom.course.checked_source import faults, path_of, read_source
from autograder.notebooks import files
from autograder.notebooks.problem import Problem
from tests.sandbox.own_cells import own_cell, with_own
from tests.small_lesson import STEM, cell, notebook, without


def said(*more: NotebookNode) -> str:
    return "\n".join(faults(with_own(None, *more), STEM))


def test_ours_and_what_an_instructor_adds_can_be_graded() -> None:
    assert faults(notebook("source"), STEM) == faults(with_own(), STEM) == []


@pytest.mark.parametrize("points", [-1, "ten", None, float("nan"), float("inf"), True])
def test_points_are_numbers(points: float) -> None:
    own = notebook("source")
    cell(own, "check-LayerNorm").metadata.nbgrader.points = points
    assert faults(own, STEM) == [f"check-LayerNorm has {points!r} points: points are a number, 0 or more."]


@pytest.mark.parametrize("points", [0, 0.5, 10])
def test_any_number_of_points_will_do(points: float) -> None:
    assert said(own_cell("test-more", "assert True", points)) == ""


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("test-my_own", "assert True", "2 cells are called test-my_own: give each a name"),
        ("test it", "assert True", "is called 'test it': a name has letters"),
        ("", "assert True", "is called ''"),
        ("test-x", "assert my_own(1 == 2", "test-x is no Python: '(' was never closed, line 1"),
        ("test-x", "### AUTOTEST my_own(1)", "test-x holds `### AUTOTEST`"),
        ("test-x", "check(LayerNorm)", "test-x calls check(LayerNorm), which has to be the cell check-LayerNorm"),
        ("check-Gone", "check(Gone)", "has no exercise Gone in 01_layer_norm. Was source/ made by another version?"),
    ],
)
def test_a_cell_that_cannot_be_graded_is_named(name: str, text: str, words: str) -> None:
    assert words in said(own_cell(name, text, 5))


def test_a_test_may_have_a_check_of_its_own() -> None:
    assert said(own_cell("test-x", "def check(x): assert x\ncheck(my_own(1))\nawait my_own(1)", 5)) == ""


def test_our_check_decides_alone() -> None:
    own = notebook("source")
    cell(own, "check-LayerNorm").source += "\nassert LayerNorm(4)"
    assert "check-LayerNorm holds more than `check(LayerNorm)`" in faults(own, STEM)[0]


def test_an_exercise_goes_with_its_check() -> None:
    own = without(notebook("source"), "LayerNorm")
    assert faults(own, STEM) == [
        "check-LayerNorm checks LayerNorm, whose cell is gone: bring it back, or take check-LayerNorm out as well."
    ]
    assert faults(without(own, "check-LayerNorm"), STEM) == []


def test_what_another_nbgrader_made_is_said() -> None:
    own = notebook("source")
    cell(own, "check-LayerNorm").metadata.nbgrader.schema_version = 99
    assert "made by another version of nbgrader" in faults(own, STEM)[0]


def test_what_nbgrader_would_stop_at_is_one_sentence() -> None:
    own = notebook("source")
    own.cells[0].metadata["nbgrader"] = {
        "grade": True, "solution": False, "locked": True, "points": 1, "grade_id": "words", "schema_version": 3,
    }  # fmt: skip
    assert faults(own, STEM) == [
        "nbgrader does not take it: Markdown grade cell 'words' is not marked as a solution cell"
    ]


def test_a_second_notebook_is_an_assignment_of_its_own(tmp_path: Path) -> None:
    files.write(path_of(tmp_path, STEM), notebook("source"))
    assert read_source(tmp_path, STEM)
    files.write(path_of(tmp_path, STEM).with_name("more.ipynb"), notebook("source"))
    with pytest.raises(Problem, match=r"nothing was graded:\n  more.ipynb lies beside it"):
        read_source(tmp_path, STEM)
