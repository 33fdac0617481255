"""Points are the instructor's: what the check cell of the notebook at hand is worth, a report counts in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder import registry
from autograder.learner import as_given, library, progress, progress_file, worth
from autograder.learner import check as checking
from autograder.notebooks import files
from autograder.reporting.report import NOT_ATTEMPTED
from solutions import layer_norm as reference
from tests.small_lesson import STEM, cell, notebook

LAYER_NORM = registry.exercise("LayerNorm")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a kernel seems to have been started."""
    monkeypatch.setattr(worth, "FOLDER", tmp_path)
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    return tmp_path


def put(path: Path, points: object) -> None:
    """A notebook in which LayerNorm is worth that."""
    own = notebook()
    cell(own, "check-LayerNorm").metadata.nbgrader.points = points
    path.write_text(json.dumps(own), encoding="utf-8")


def test_a_report_counts_in_the_points_of_its_notebook(here: Path) -> None:
    put(here / f"{STEM}.ipynb", 10)
    report = checking.check(reference.LayerNorm)
    assert (report.points, report.max_points, repr(report)) == (10.0, 10, "10.0")
    assert str(report).startswith("LayerNorm · 10 of 10 points")
    assert "10 of 10 points" in report.html


def test_a_part_is_the_same_part_of_any_points() -> None:
    from autograder.reporting.report import Report

    scaled = [Report("LayerNorm", "wrong", 1.5, 4).out_of(points) for points in (10, 1, 0)]
    assert [one.points for one in scaled] == [3.75, 0.38, 0.0]


def test_a_repair_that_nobody_has_begun_is_not_attempted(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its report says so, and names nothing before the reader has written what they suspect."""
    (here / f"{STEM}.ipynb").write_text(json.dumps(notebook()), encoding="utf-8")
    given = cell(notebook(), "LayerNormalization").source
    values: dict[str, Any] = {"torch": torch, "nn": torch.nn, "__name__": "__main__"}
    exec(given, values)
    monkeypatch.setattr(as_given, "is_own", lambda _: True)
    for ran, says in (([given], True), ([given, f"{given}\n# begun"], False), (["1"], False)):
        monkeypatch.setattr(as_given, "cells", lambda ran=ran: ran)
        report = checking.check(values["LayerNormalization"])
        assert report.as_given is says and (NOT_ATTEMPTED in str(report)) is says
        assert (report.says == NOT_ATTEMPTED) is says and "To look at first" in str(report)
        for told in (str(report), report.html):
            assert ("You divide by" in told) is not says
        assert report.points == 0


@pytest.mark.parametrize("points", [-1, "10", None, True, float("nan"), float("inf")])
def test_what_is_no_number_of_points_is_not_believed(points: object, here: Path) -> None:
    put(here / f"{STEM}.ipynb", points)
    assert worth.worth(LAYER_NORM) == 4


def test_a_bonus_has_the_points_that_it_can_earn(here: Path) -> None:
    own = notebook()
    cell(own, "check-LayerNorm").metadata.update(course={"bonus": 3})
    cell(own, "check-LayerNorm").metadata.nbgrader.points = 0
    files.write(here / f"{STEM}.ipynb", own)
    assert worth.worth(LAYER_NORM) == 3


def test_without_a_notebook_an_exercise_has_its_own_points(here: Path) -> None:
    (here / "broken.ipynb").write_text('{"cells": ["check-LayerNorm", {"metadata": []}]}')
    assert worth.worth(LAYER_NORM) == 4


def test_of_several_notebooks_the_kernels_own_is_asked(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(here / f"{STEM}.ipynb", 10)
    put(here / f"{STEM} (1).ipynb", 7)
    assert worth.worth(LAYER_NORM) == 4  # nobody knows
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / f"{STEM} (1).ipynb"))
    assert worth.worth(LAYER_NORM) == 7
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / "elsewhere" / f"{STEM}.ipynb"))
    (here / f"{STEM} (1).ipynb").unlink()
    assert worth.worth(LAYER_NORM) == 10
    monkeypatch.setenv("JPY_SESSION_NAME", str(here / "its name before.ipynb"))
    assert worth.worth(LAYER_NORM) == 10


def test_progress_is_on_the_scale_of_the_last_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autograder.reporting.report import Report

    monkeypatch.setattr(library, "home", lambda: tmp_path)
    progress_file.record(LAYER_NORM, Report("LayerNorm", "wrong", 2.0, 4))
    progress_file.record(LAYER_NORM, Report("LayerNorm", "wrong", 1.0, 10))
    assert "LayerNorm                       5 of 10" in repr(progress.progress())


def test_files_of_earlier_versions_say_no_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    files.write_text(tmp_path / progress_file.FILE, json.dumps({"LayerNorm": {"points": 4.0, "passed": True}}))
    assert "✓ LayerNorm                       4 of 4" in repr(progress.progress())
