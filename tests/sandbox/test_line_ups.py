"""Probes that are handed in: what they are tried on enters when its turn comes, and nothing but truth comes out."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from autograder import registry
from autograder.classroom.grading.box import Answer, Box, Submission
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.one_notebook import Secret, grade_file
from autograder.classroom.grading.plan import plan_of
from autograder.notebooks.build import build
from autograder.probing.exercise import Exercise
from autograder.sandbox.inside.limits import Limits
from tests.sandbox.rooms import needs_walls, result
from tests.small_lesson import cell

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=0)]

LESSON = "in_the_wild"
SHOWS, REPAIR = "shows_unscaled_residuals", "init_residuals_"
LIMITS = Limits(cell=20, probe=10, exercise=60, notebook=300)


@pytest.fixture(scope="module")
def box() -> Iterator[Box]:
    with Box(LESSON, plan_of(LESSON).modules, LIMITS) as made:
        yield made


def handed_in(**cells: str) -> NotebookNode:
    """The first room solved, but for these cells; no other exercise is written."""
    own, done = copy.deepcopy(build(LESSON, "student")), build(LESSON, "solved")
    for name in (REPAIR, SHOWS):
        cell(own, name).source = cells.get(name, cell(done, name).source)
    kept = {"", REPAIR, SHOWS, f"check-{REPAIR}", f"check-{SHOWS}"}
    checks = {f"check-{one.name}" for one in registry.exercises(LESSON)} | {
        one.name for one in registry.exercises(LESSON)
    }
    own.cells = [one for one in own.cells if one.id not in checks or one.id in kept]
    return own


def graded(box: Box, folder: Path, given: NotebookNode) -> Grade:
    path = folder / "21_in_the_wild.ipynb"
    path.write_text(nbformat.writes(given), encoding="utf-8")
    return grade_file(path, plan_of(LESSON), box, Secret())


def test_what_is_right_has_all_points_and_is_told_nothing_of_the_hidden_ones(box: Box, tmp_path: Path) -> None:
    grade = graded(box, tmp_path, handed_in())
    assert result(grade, REPAIR).status == "ok", result(grade, REPAIR).text
    assert result(grade, SHOWS).points == 3, result(grade, SHOWS).text


def test_the_lineup_enters_one_by_one_in_a_submission_of_its_own(
    box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, dict[str, Any]]] = []
    before = Submission.ask

    def noted(self: Submission, job: dict[str, Any], *given: Any, **named: Any) -> Answer:
        asked.append((id(self.wire), job))
        return before(self, job, *given, **named)

    monkeypatch.setattr(Submission, "ask", noted)
    graded(box, tmp_path, handed_in())
    shows, repair = ({wire for wire, job in asked if job.get("exercise") == name} for name in (SHOWS, REPAIR))
    assert len(shows) == 1
    texts = [job["hidden"] for _, job in asked if job.get("hidden")]
    assert len(texts) == sum(bool(probe.hides) for probe in registry.exercise(SHOWS).probes) >= 20
    assert all(text.count("def implementation(") == 1 for text in texts)
    order = [job.get("exercise") for _, job in asked if job.get("exercise")]
    assert order.index(SHOWS) > len(order) - 1 - order[::-1].index(REPAIR), "the repair is decided first"
    assert repair


def test_nothing_of_them_lies_in_the_sandbox(box: Box) -> None:
    there = "\n".join(path.read_text(encoding="utf-8") for path in box.software.rglob("*.py"))
    known = [probe for probe in registry.exercise(SHOWS).probes if probe.hides]
    assert known
    assert not [path for path in box.software.rglob("*") if path.name == "lineups"]
    assert not [probe.says for probe in known if probe.says in there]


SPIES = f"""
def {SHOWS}(implementation):
    import gc, inspect
    found = [one for one in gc.get_objects() if type(one).__name__ == "function" and one.__name__ == "implementation"]
    print([one.__code__.co_consts for one in found])
    raise ValueError(repr([one.__code__.co_consts for one in found]) + "SPIED")
"""
TELLS = f"""
def {SHOWS}(implementation):
    return "SPIED " + repr(implementation)
"""
READS = f"""
def {SHOWS}(implementation):
    return "half" in implementation.__name__
"""


@pytest.mark.parametrize("code", [SPIES, TELLS], ids=["raised", "returned"])
def test_what_was_seen_does_not_come_out(box: Box, tmp_path: Path, code: str) -> None:
    found = result(graded(box, tmp_path, handed_in(**{SHOWS: code})), SHOWS)
    assert found.points == 0
    assert "SPIED" not in found.text + found.html
    assert "co_consts" not in found.html


def test_reading_a_name_is_flagged(box: Box, tmp_path: Path) -> None:
    found = result(graded(box, tmp_path, handed_in(**{SHOWS: READS})), SHOWS)
    assert found.points == 0
    assert "reads `__name__`" in found.text
    assert any("__name__" in flag for flag in found.flags)


ENDLESS = f"""
def {SHOWS}(implementation):
    while True:
        pass
"""


def test_one_that_never_ends_is_stopped(box: Box, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "limits", Limits(cell=20, probe=0.5, exercise=2, notebook=60))
    found = result(graded(box, tmp_path, handed_in(**{SHOWS: ENDLESS})), SHOWS)
    assert found.status == "timeout"
    assert found.points == 0


def test_a_lineup_has_both_kinds_in_number() -> None:
    for exercise in (one for one in registry.exercises(LESSON) if one.shows):
        assert _hidden(exercise)[0] >= 12
        assert _hidden(exercise)[1] >= 8


def _hidden(exercise: Exercise) -> tuple[int, int]:
    """How many wrong ones, and how many right ones, no page shows."""
    says = [probe.says for probe in exercise.probes if probe.hides]
    wrong = sum(one.startswith("accuses") for one in says)
    return wrong, len(says) - wrong
