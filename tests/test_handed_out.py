"""The code of a repair, checked as it was handed out: what is wrong with it is for the reader to find."""

import json
from pathlib import Path

import pytest

from autograder import registry
from autograder.learner.check import check
from autograder.learner.handed_out import is_as_handed_out
from autograder.notebooks.build import build
from autograder.probing.exercise import Exercise
from tests.page import run

REPAIRS = [one for one in registry.all_exercises() if one.repairs]
ARTICLE = registry.exercise("LayerNormalization")
PAGE = "import torch\nfrom torch import nn"


def cell_of(exercise: Exercise) -> str:
    """What a reader finds in the notebook."""
    cells = build(registry.notebook_stem(exercise.lesson)).cells
    return str(next(one.source for one in cells if one.id == exercise.name))


def ran(monkeypatch: pytest.MonkeyPatch, *cells: str) -> None:
    """As if these cells had run."""
    run(monkeypatch, *(f"raise_nothing = {text!r}" for text in cells))["In"][:] = cells


@pytest.mark.parametrize("exercise", REPAIRS, ids=lambda one: one.name)
def test_the_code_of_every_repair_is_known_again(monkeypatch: pytest.MonkeyPatch, exercise: Exercise) -> None:
    given = cell_of(exercise)
    ran(monkeypatch, given, f"check({exercise.name})")
    assert is_as_handed_out(exercise)
    ran(monkeypatch, given, f"# the mean is wrong\n{given}")
    assert not is_as_handed_out(exercise)
    ran(monkeypatch)
    assert not is_as_handed_out(exercise)


def test_a_students_edition_finds_it_in_its_notebook(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given = cell_of(ARTICLE)
    (tmp_path / "01_layer_norm.ipynb").write_text(json.dumps({"cells": [{"source": given.splitlines(keepends=True)}]}))
    monkeypatch.setattr(registry, "COURSE", tmp_path)
    monkeypatch.setattr(registry, "notebook_stem", lambda _: "01_layer_norm")
    ran(monkeypatch, given)
    assert is_as_handed_out(ARTICLE)
    (tmp_path / "01_layer_norm.ipynb").write_text("")
    assert not is_as_handed_out(ARTICLE)


def test_nothing_is_named_before_the_reader_has_written_something(monkeypatch: pytest.MonkeyPatch) -> None:
    given = cell_of(ARTICLE)
    report = check(run(monkeypatch, PAGE, given)["LayerNormalization"])
    assert report.mistake and report.hunt and not report.passed
    names = [one.says.partition(". ")[0] for one in report.verdict.mistakes] if report.verdict else []
    assert names and not any(name in text for name in names for text in (str(report), report.html, report.says))
    assert "as it was handed out" in str(report) and "To look at first" in str(report)
    suspected = given.replace("def forward", "# is that the mean?\n    def forward")
    told = check(run(monkeypatch, PAGE, suspected)["LayerNormalization"])
    assert not told.hunt and all(name in str(told) for name in names)


def test_an_exercise_that_is_no_repair_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    exercise = registry.exercise("LayerNorm")
    ran(monkeypatch, cell_of(exercise))
    assert not is_as_handed_out(exercise)
