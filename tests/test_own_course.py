"""A course that its instructor has changed: own cells, other points, and cells that come and go between hand-ins."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.classroom.course.book import opened
from autograder.classroom.course.checked_source import path_of
from autograder.classroom.course.gradebook import CONFIG
from autograder.classroom.course.init import init
from autograder.cli import main
from autograder.notebooks import files
from tests.sandbox.own_cells import own_cell, with_own
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import NO_GRADIENT, STEM, cell, live_in, solved, without
from tests.stock import nbgrader

pytestmark = [needs_walls, pytest.mark.slow, pytest.mark.turns(4, "autograder/classroom", at=0)]

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
Grades = dict[str, dict[str, float]]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A class with own cells, LayerNorm worth 10, three hand-ins, graded."""
    root = tmp_path_factory.mktemp("own class")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        assert init(str(root / "class")) == 0
    place = root / "class"
    source = with_own(files.read(path_of(place, STEM)))
    cell(source, "check-LayerNorm").metadata.nbgrader.points = 10
    files.write(path_of(place, STEM), source)
    nbgrader(place, "generate_assignment", STEM)
    for student, own in hand_ins(files.read(released_in(place))).items():
        hand_in(place, student, own)
    with pytest.MonkeyPatch.context() as patch:
        at_work(place, patch)
        assert main(["grade", "01", "--jobs", "1"]) == 0
    yield place


def hand_ins(released: NotebookNode) -> dict[str, NotebookNode]:
    right, wrong = solved(released, *ALL), solved(released, *ALL)
    cell(right, "my_own").source = "def my_own(x): return x + 1"
    cell(right, "by-hand").source = "my_own(41)"
    cell(wrong, "LayerNorm").source = cell(wrong, "LayerNorm").source.replace(*NO_GRADIENT)
    cell(wrong, "my_own").source = "def my_own(x): return 2"
    return {"right": right, "wrong": wrong, "blank": released}


def released_in(course: Path) -> Path:
    return course / "release" / STEM / f"{STEM}.ipynb"


def hand_in(course: Path, student: str, own: NotebookNode) -> None:
    place = course / "submitted" / student / STEM
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{STEM}.ipynb").write_text(nbformat.writes(own), encoding="utf-8")


def at_work(course: Path, patch: pytest.MonkeyPatch) -> None:
    """As someone who sits in the course's folder."""
    patch.chdir(course)
    patch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    patch.setenv("PYTHONPATH", str(files.ROOT))


@pytest.fixture
def typed(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Type a command of autograder's, and see its exit code and what it says."""
    at_work(course, monkeypatch)

    def run(*words: str) -> tuple[int, str]:
        capsys.readouterr()
        code = main(list(words))
        told = capsys.readouterr()
        return code, told.out + told.err

    return run


def points(course: Path) -> Grades:
    """Student → cell → points, from nbgrader's gradebook."""
    with opened(course) as book:
        return {
            one.student.id: {
                grade.name: grade.score for grade in book.find_submission_notebook(STEM, STEM, one.student.id).grades
            }
            for one in book.assignment_submissions(STEM)
        }


def change(course: Path, edit: Callable[[NotebookNode], NotebookNode | None]) -> NotebookNode:
    """Change the instructor's notebook, and give it as it was."""
    before = files.read(path_of(course, STEM))
    after = files.read(path_of(course, STEM))
    files.write(path_of(course, STEM), edit(after) or after)
    return before


# Own cells, own points ----------------------------------------------------------------------------


def test_own_cells_are_graded(course: Path) -> None:
    found = points(course)
    own = {student: (grades["test-my_own"], grades["test-partly"]) for student, grades in found.items()}
    assert own == {"right": (5, 4), "wrong": (0, 1), "blank": (0, 0)}


def test_own_cells_to_be_graded_by_hand_wait_for_a_hand(course: Path) -> None:
    with opened(course) as book:
        waits = {who: book.find_grade("by-hand", STEM, STEM, who).needs_manual_grade for who in ("right", "blank")}
    assert waits == {"right": True, "blank": False}


def test_all_pages_are_on_one_scale(course: Path) -> None:
    """The gradebook, the card and the header of the feedback, the class report, its table, and the export."""
    nbgrader(course, "generate_feedback", STEM, "--student=right", "--force")
    page = (course / "feedback" / "right" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "LayerNorm · 10 of 10 points" in page and "LayerNorm · 4 of 4" not in page
    assert re.search(r"check-LayerNorm.*<td class='points'>10 of 10</td>", page)
    report = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "of 10</span>" in report and "<span class='ok'>10</span>" in report
    rows = list(csv.DictReader((course / "reports" / f"{STEM}.csv").open(encoding="utf-8-sig")))
    assert {row["max_points"] for row in rows if row["exercise"] == "LayerNorm"} == {"10"}
    nbgrader(course, "export", "--exporter=autograder.classroom.export.Exercises", "--to=points.csv")
    exported = {row["ID number"]: row for row in csv.DictReader((course / "points.csv").open(encoding="utf-8"))}
    assert {who: float(row[f"{STEM} LayerNorm (10)"]) for who, row in exported.items()} == {
        who: grades["check-LayerNorm"] for who, grades in points(course).items()
    }
    assert points(course)["right"]["check-LayerNorm"] == 10
    assert 0 < points(course)["wrong"]["check-LayerNorm"] < 10


def test_the_report_says_which_points_were_decided_inside(course: Path) -> None:
    report = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert "Decided inside the sandbox, by tests of your own: test-my_own, test-partly." in report


# What cannot be ----------------------------------------------------------------------------


def test_tests_that_fail_their_own_solution_are_refused(course: Path, typed: Callable[..., tuple[int, str]]) -> None:
    before, grades = change(course, lambda one: replaced(one, "x + 1", "x + 3")), points(course)
    try:
        code, told = typed("grade", "01", "--jobs", "1")
    finally:
        files.write(path_of(course, STEM), before)
    assert (code, points(course)) == (2, grades)
    assert "test-my_own: 0 of 5 points. Your instructor's test stops: AssertionError. Line 1: `assert my" in told
    assert "Nothing was graded." in told


def replaced(given: NotebookNode, old: str, new: str) -> None:
    cell(given, "my_own").source = cell(given, "my_own").source.replace(old, new)


def test_an_assignment_that_is_no_lesson_is_nbgraders(course: Path, typed: Callable[..., tuple[int, str]]) -> None:
    (course / "source" / "essay").mkdir()
    code, told = typed("grade", "essay", "--jobs", "1")
    assert code == 2 and "nbgrader autograde essay" in told
    code, told = typed("grade", "esay")
    assert code == 2 and "There is no lesson 'esay'" in told


# What changes after the first hand-in --------------------------------------------------------


def test_points_that_changed_have_to_be_released(course: Path, typed: Callable[..., tuple[int, str]]) -> None:
    def worth_7(one: NotebookNode) -> None:
        cell(one, "check-LayerNorm").metadata.nbgrader.points = 7

    before, grades = change(course, worth_7), points(course)
    try:
        code, told = typed("grade", "01", "--jobs", "1")
    finally:
        files.write(path_of(course, STEM), before)
    assert (code, points(course)) == (2, grades)
    assert "points: check-LayerNorm, 10 before, 7 now" in told
    assert "blank, right, wrong have points that count as before until you grade again." in told
    assert f"`nbgrader generate_assignment {STEM} --force`" in told


BY_HAND = """
c.Autograde.sanitize_preprocessors = ["autograder.classroom.saving.Rebuild"]
c.Autograde.autograde_preprocessors = ["nbgrader.preprocessors.SaveAutoGrades"]
"""


def test_nbgraders_own_command_grades_the_same_and_refuses_in_the_same_words(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    config, before, grades = course / CONFIG, path_of(course, STEM).read_text(encoding="utf-8"), points(course)
    written = config.read_text(encoding="utf-8")
    try:
        config.write_text(written + BY_HAND, encoding="utf-8")
        nbgrader(course, "autograde", STEM, "--force", "--student=wrong")
        assert points(course) == grades
        change(course, lambda one: with_cells(one, [own_cell("test-new", "assert True", 1)]))
        with pytest.raises(AssertionError) as failed:
            nbgrader(course, "autograde", STEM, "--force", "--student=wrong")
    finally:
        config.write_text(written, encoding="utf-8")
        path_of(course, STEM).write_text(before, encoding="utf-8")
    assert "added: test-new (1 point)" in str(failed.value) and "Traceback" not in str(failed.value)
    assert points(course) == grades


def test_cells_that_come_and_go_cost_nobody_what_stays(course: Path, typed: Callable[..., tuple[int, str]]) -> None:
    """The last test here: it leaves another course behind."""
    grade_by_hand(course, "right", 1.5)
    late = [own_cell("late", "# BEGIN SOLUTION\nlate = 1\n# END SOLUTION", solution=True)]
    late += [own_cell("test-late", "assert late == 1", 3)]
    before = points(course)
    change(course, lambda one: files.stamped(with_cells(without(one, "RMSNorm", "check-RMSNorm"), late)))

    code, told = typed("grade", "01", "--jobs", "1")
    assert code == 2 and points(course) == before
    for words in ("added: test-late (3 points)", "removed: check-RMSNorm (3 points)", "classroom update 01_layer_norm"):
        assert words in told
    assert "blank, right, wrong have handed in a notebook without what was added: 0 points there, until they" in told

    said = refused_by_nbgrader(course)
    assert "classroom update" in said and "Traceback" not in said

    code, told = typed("classroom", "update", "01")
    assert code == 0 and "removed: RMSNorm" in told
    assert list(course.glob("gradebook-before-*.db"))
    code, told = typed("grade", "01", "--jobs", "1")
    assert code == 0
    after = points(course)
    assert {who: grades.pop("test-late") for who, grades in after.items()} == dict.fromkeys(before, 0)
    assert after == {
        who: {one: got for one, got in had.items() if one != "check-RMSNorm"} for who, had in before.items()
    }
    assert after["right"]["by-hand"] == 1.5
    assert typed("classroom", "update", "01") == (0, f"{path_of(Path(), STEM)} is as it was released. There is nothing "
                                                  "to take over.\n")  # fmt: skip


def with_cells(given: NotebookNode, more: list[NotebookNode]) -> NotebookNode:
    given.cells += more
    return given


def grade_by_hand(course: Path, student: str, given: float) -> None:
    with opened(course) as book:
        grade = book.find_grade("by-hand", STEM, STEM, student)
        grade.manual_score, grade.needs_manual_grade = given, False
        book.db.commit()


def refused_by_nbgrader(course: Path) -> str:
    with pytest.raises(AssertionError) as failed:
        nbgrader(course, "generate_assignment", STEM, "--force")
    return str(failed.value)
