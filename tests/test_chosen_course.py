"""A class whose stretches are a bonus and whose questions need only be answered: the same points everywhere."""

from __future__ import annotations

import csv
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.classroom.course.book import opened
from autograder.classroom.course.init import init
from autograder.cli import main
from autograder.learner.choices import Choices
from autograder.notebooks import files
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import STEM, cell, live_in, solved
from tests.stock import nbgrader

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
LESS = [one for one in ALL if one != "RMSNorm"]
HAND_INS = {"all": (ALL, "Because."), "skips": (LESS, "Because."), "blank": ((), "")}
FULL, BONUS = 9.0, 3.0
"""Eight points by checks and one for the question; RMSNorm on top."""

pytestmark = [pytest.mark.slow, needs_walls, pytest.mark.turns(4, "autograder/classroom", at=3)]


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Path]]:
    """The same hand-ins, graded by stock nbgrader with the course's configuration, and in the sandbox."""
    root = tmp_path_factory.mktemp("chosen")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        assert init(str(root / "stock"), chosen=Choices("bonus", "answered")) == 0
    nbgrader(root / "stock", "generate_assignment", STEM)
    released = files.read(root / "stock" / "release" / STEM / f"{STEM}.ipynb")
    for student, (done, answer) in HAND_INS.items():
        own = solved(released, *done)
        cell(own, "question-eps").source = answer or cell(own, "question-eps").source
        files.write(root / "stock" / "submitted" / student / STEM / f"{STEM}.ipynb", own)
    shutil.copytree(root / "stock", root / "trusted")
    nbgrader(root / "stock", "autograde", STEM)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_CACHE", str(root / "cache"))
        patch.setenv("PYTHONPATH", str(files.ROOT))
        patch.chdir(root / "trusted")
        assert main(["grade", "01", "--jobs", "1"]) == 0
    yield {"stock": root / "stock", "trusted": root / "trusted"}


def scores(course: Path) -> dict[str, tuple[float, float]]:
    """Student → points and full points, from nbgrader's gradebook."""
    with opened(course) as book:
        return {one.student.id: (one.score, one.max_score) for one in book.assignment_submissions(STEM)}


def test_a_bonus_comes_on_top_and_an_answer_has_its_point(courses: dict[str, Path]) -> None:
    expected = {"all": (FULL + BONUS, FULL), "skips": (FULL, FULL), "blank": (0.0, FULL)}
    assert scores(courses["trusted"]) == expected
    assert scores(courses["stock"]) == expected


def test_nobody_has_to_grade_anything(courses: dict[str, Path]) -> None:
    for course in courses.values():
        with opened(course) as book:
            found = [one for name in HAND_INS for one in book.find_submission_notebook(STEM, STEM, name).grades]
            assert not [one for one in found if one.needs_manual_grade]
            extra = {(one.student.id, one.name): one.extra_credit for one in found if one.extra_credit}
            assert extra == {("all", "check-RMSNorm"): BONUS}


def test_feedback_reports_and_exports_say_the_same(courses: dict[str, Path]) -> None:
    course = courses["trusted"]
    nbgrader(course, "generate_feedback", STEM)
    page = (course / "feedback" / "all" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "RMSNorm · 3 of 3 points, a bonus" in page
    assert re.search(rf"{FULL + BONUS:g}(\.0)? (/|of) {FULL:g}", page)
    report = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "3 (bonus)" in report and "11 of 8" in report and "8 of 8" in report
    nbgrader(course, "export")
    rows = {row["student_id"]: row for row in csv.DictReader((course / "grades.csv").open(encoding="utf-8"))}
    assert {name: float(row["score"]) for name, row in rows.items()} == {"all": 12.0, "skips": 9.0, "blank": 0.0}
    table = list(csv.DictReader((course / "reports" / f"{STEM}.csv").open(encoding="utf-8-sig")))
    assert sum(float(row["max_points"]) for row in table if row["student"] == "all") == 8
    assert sum(float(row["points"]) for row in table if row["student"] == "all") == 11


def test_points_are_the_same_when_graded_again(courses: dict[str, Path]) -> None:
    before = scores(courses["trusted"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_CACHE", str(courses["trusted"].parent / "cache"))
        patch.chdir(courses["trusted"])
        assert main(["grade", "01", "--jobs", "1"]) == 0
    assert scores(courses["trusted"]) == before
