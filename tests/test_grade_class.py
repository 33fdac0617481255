"""`autograder grade LESSON`: a class, graded in the sandbox and saved by stock nbgrader."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.classroom.course.book import opened
from autograder.classroom.course.harmless import harmless
from autograder.classroom.course.init import init
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.report import page as class_report
from autograder.classroom.report import spreadsheet
from autograder.cli import main
from autograder.notebooks import files
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import STD_PLUS_EPS, STEM, cell, live_in, notebook, solved
from tests.stock import nbgrader

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
SCRIPT = "<script>alert(1)</script>"
HONEST = ("right", "wrong", "blank")


def submissions(released: NotebookNode) -> dict[str, str]:
    """Student → what is handed in."""
    right = solved(released, *ALL)
    wrong = solved(released, *ALL)
    given = "        return self.weight * normalize(x, self.eps) + self.bias"
    cell(wrong, "LayerNorm").source = cell(wrong, "LayerNorm").source.replace(given, STD_PLUS_EPS)
    cheats = solved(released)
    cell(cheats, "check-normalize").metadata["tags"] = ["skip-execution"]
    cell(cheats, "check-normalize").metadata.nbgrader.points = 99
    cell(cheats, "question-eps").source = SCRIPT
    odd = solved(released, *ALL)
    twice = cell(solved(released), "check-RMSNorm")
    twice.id = "twice"
    odd.cells.append(twice)
    for one in odd.cells:
        if "nbgrader" in one.metadata:
            one.metadata.nbgrader.schema_version = 99
    made = {"right": right, "wrong": wrong, "blank": released, "cheats": cheats, "odd": odd}
    return {**{name: nbformat.writes(one) for name, one in made.items()}, "junk": "no notebook"}


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A class whose honest submissions stock nbgrader graded first, and `autograder grade` then with all the others."""
    root = tmp_path_factory.mktemp("class")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        assert init(str(root / "class")) == 0
    place = root / "class"
    nbgrader(place, "generate_assignment", STEM)
    handed = submissions(files.read(place / "release" / STEM / f"{STEM}.ipynb"))
    for student in HONEST:
        _hand_in(place, student, handed[student])
    nbgrader(place, "autograde", STEM)
    (root / "stock").mkdir()
    (root / "stock" / "points.txt").write_text(repr({one: points(place)[one] for one in HONEST}))
    for student, text in handed.items():
        _hand_in(place, student, text)
    (place / "submitted" / "link").symlink_to(place / "submitted" / "right")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setenv("AUTOGRADER_CACHE", str(root / "cache"))
        patch.setenv("PYTHONPATH", str(files.ROOT))
        assert main(["grade", "01", "--jobs", "2"]) == 0
    yield place


def _hand_in(course: Path, student: str, text: str) -> None:
    place = course / "submitted" / student / STEM
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{STEM}.ipynb").write_text(text, encoding="utf-8")
    (place / "timestamp.txt").write_text("2026-05-04 10:00:00 UTC")
    (place / "submission_secret.txt").write_text(f"secret of {student}")


def points(course: Path) -> dict[str, dict[str, float]]:
    """Student → check → points, from nbgrader's gradebook."""
    with opened(course) as book:
        return {
            one.student.id: {
                grade.name: grade.score for grade in book.find_submission_notebook(STEM, STEM, one.student.id).grades
            }
            for one in book.assignment_submissions(STEM)
        }


@needs_walls
@pytest.mark.slow
@pytest.mark.turns(2, "autograder/classroom", at=1)
def test_points_agree_with_stock_nbgrader_on_honest_submissions(course: Path) -> None:
    stock = eval((course.parent / "stock" / "points.txt").read_text())
    assert stock["right"]["check-LayerNorm"] == 4.0 > stock["wrong"]["check-LayerNorm"]
    assert {one: points(course)[one] for one in HONEST} == stock


@needs_walls
@pytest.mark.slow
def test_nobodys_submission_stops_the_others(course: Path) -> None:
    found = points(course)
    assert set(found) == {"right", "wrong", "blank", "cheats", "odd", "junk"}
    assert found["odd"] == found["right"]
    assert set(found["junk"].values()) == set(found["cheats"].values()) == {0.0}


@needs_walls
@pytest.mark.slow
def test_what_is_saved_is_our_notebook_with_their_texts(course: Path) -> None:
    odd = files.read(course / "autograded" / "odd" / STEM / f"{STEM}.ipynb")
    released = files.read(course / "release" / STEM / f"{STEM}.ipynb")
    assert [one.id for one in odd.cells] == [one.id for one in released.cells]
    assert cell(odd, "check-RMSNorm").outputs[0].data["text/plain"] == "3.0"
    assert "def normalize" in cell(odd, "normalize").source


@needs_walls
@pytest.mark.slow
def test_the_questions_are_left_to_be_graded_by_hand(course: Path) -> None:
    cheats = files.read(course / "autograded" / "cheats" / STEM / f"{STEM}.ipynb")
    assert cell(cheats, "question-eps").source == "< script>alert(1)< /script>"
    with opened(course) as book:
        assert book.find_submission(STEM, "cheats").needs_manual_grade
        assert not book.find_submission(STEM, "blank").needs_manual_grade


@needs_walls
@pytest.mark.slow
def test_feedback_names_the_mistake(course: Path) -> None:
    nbgrader(course, "generate_feedback", STEM, "--student=wrong")
    page = (course / "feedback" / "wrong" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "Two slips in one" in page


@needs_walls
@pytest.mark.slow
def test_the_class_report(course: Path) -> None:
    page = (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    for text in ("<td>LayerNorm</td><td>std + eps</td>", "occurs twice", "no JSON", "in a sandbox"):
        assert text in page
    assert SCRIPT not in page and "http" not in page
    rows = list(csv.DictReader((course / "reports" / f"{STEM}.csv").open(encoding="utf-8-sig")))
    assert len(rows) == 24
    assert {row["student"] for row in rows if row["status"] == "malformed"} == {"junk"}


@needs_walls
@pytest.mark.slow
def test_a_second_time_nothing_runs_again(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from autograder.classroom.grading import pool

    monkeypatch.chdir(course)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    monkeypatch.setattr(pool, "run", lambda *_: pytest.fail("something ran again"))
    before = points(course)
    assert main(["grade", "01", "--jobs", "1"]) == 0
    assert points(course) == before
    assert "6 of 6 submissions decided" in capsys.readouterr().out


@needs_walls
@pytest.mark.slow
def test_the_grades_of_all_students_are_written_down_for_programs(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(course)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    assert main(["grade", "01", "--json", str(tmp_path / "grades.json"), "--junit", "-"]) == 0
    told = capsys.readouterr()
    assert "6 of 6 submissions decided" in told.err
    assert len(ElementTree.fromstring(told.out.encode()).findall("testsuite")) == 6
    grades = json.loads((tmp_path / "grades.json").read_text(encoding="utf-8"))["grades"]
    found = {one["student"]: {each["grade_id"]: each["points"] for each in one["results"]} for one in grades}
    assert found.keys() == points(course).keys()
    for student, earned in found.items():
        assert {name: points(course)[student][name] for name in earned} == earned


def test_the_lesson_of_a_courses_assignment_is_not_said_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "nbgrader_config.py").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "01", "--lesson", "02"]) == 2
    assert "--lesson is for files" in capsys.readouterr().err


@needs_walls
@pytest.mark.slow
def test_a_student_whom_the_sandbox_failed_keeps_the_points_from_before(
    course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from autograder.classroom.course import class_grade

    def failing(tasks: list, _: object) -> list[Grade]:
        return [Grade(one.file, one.lesson, "infrastructure", "the worker ended") for one in tasks]

    monkeypatch.chdir(course)
    monkeypatch.setattr(class_grade, "grade_all", failing)
    before = points(course)
    assert main(["grade", "01", "--jobs", "1"]) == 3
    assert points(course) == before
    assert "not decided" in capsys.readouterr().out


@needs_walls
@pytest.mark.slow
def test_feedback_can_be_released(course: Path) -> None:
    """nbgrader hands feedback back by the secret that the exchange put beside a submission."""
    kept = course / "autograded" / "right" / STEM / "submission_secret.txt"
    assert kept.read_text() == "secret of right"


@needs_walls
@pytest.mark.slow
def test_what_was_graded_by_hand_stays_so_until_the_answer_changes(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(course)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    _answer(course, "wrong", "Because of 0.")
    assert main(["grade", "01", "--jobs", "1"]) == 0
    assert _waits(course, "wrong", points=0.5)
    assert main(["grade", "01", "--jobs", "1"]) == 0
    assert not _waits(course, "wrong")
    _answer(course, "wrong", "Because of 0, and its gradient.")
    assert main(["grade", "01", "--jobs", "1"]) == 0
    assert _waits(course, "wrong")


def _answer(course: Path, student: str, text: str) -> None:
    path = course / "submitted" / student / STEM / f"{STEM}.ipynb"
    own = nbformat.read(path, 4)
    cell(own, "question-eps").source = text
    path.write_text(nbformat.writes(own))


def _waits(course: Path, student: str, points: float | None = None) -> bool:
    """Whether the question waits for a person, who may then give points."""
    with opened(course) as book:
        grade = book.find_grade("question-eps", STEM, STEM, student)
        waited = bool(grade.needs_manual_grade)
        if points is not None:
            grade.manual_score, grade.needs_manual_grade = points, False
            book.db.commit()
        return waited


BY_HAND = """
c.Autograde.sanitize_preprocessors = ["autograder.classroom.saving.Rebuild"]
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
"""


@needs_walls
@pytest.mark.slow
def test_nbgraders_own_command_gives_the_same_points(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = points(course)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "another cache"))
    config = course / "nbgrader_config.py"
    config.write_text(config.read_text(encoding="utf-8") + BY_HAND, encoding="utf-8")
    nbgrader(course, "autograde", STEM, "--force", "--student=[c-w][hr]*")  # cheats, wrong
    assert points(course) == before


@needs_walls
@pytest.mark.slow
def test_points_per_exercise_can_be_exported(course: Path) -> None:
    nbgrader(course, "export", "--exporter=autograder.classroom.export.Exercises", "--to=points.csv")
    rows = {row["ID number"]: row for row in csv.DictReader((course / "points.csv").open(encoding="utf-8"))}
    assert rows["right"][f"{STEM} LayerNorm (4)"] == "4"
    assert rows["junk"][f"{STEM} LayerNorm (4)"] == "0"
    assert f"{STEM} (12)" not in rows["right"]
    assert rows["cheats"][f"{STEM} question-eps (1)"] == ""  # waits for a person
    exporter = ("--exporter=autograder.classroom.export.Exercises", "--Exercises.columns=lessons")
    nbgrader(course, "export", *exporter, "--to=lessons.csv")
    lessons = {row["ID number"]: row for row in csv.DictReader((course / "lessons.csv").open(encoding="utf-8"))}
    assert float(lessons["right"][f"{STEM} (12)"]) == sum(points(course)["right"].values())


@needs_walls
@pytest.mark.slow
def test_the_export_for_canvas_has_the_columns_of_its_own(course: Path) -> None:
    """As its importer reads them: the student's own columns first, in their order, and no number in parentheses."""
    exporter = ("--exporter=autograder.classroom.export.Exercises", "--Exercises.layout=canvas")
    nbgrader(course, "export", *exporter, "--to=canvas.csv")
    head, possible, *rows = csv.reader((course / "canvas.csv").open(encoding="utf-8"))
    assert head[:4] == ["Student", "ID", "SIS Login ID", "Section"]
    assert not any("(" in name for name in head)
    at = head.index(f"{STEM} LayerNorm")
    assert (possible[0], possible[at]) == ("Points Possible", "4")
    assert {row[2]: row[at] for row in rows}["right"] == "4"


# The report alone ----------------------------------------------------------------------


def test_what_a_student_is_called_runs_nowhere() -> None:
    results = [Result("normalize", "check-normalize", "wrong", 1.0, 2.0, mistake=SCRIPT, flags=[SCRIPT])]
    grades = {SCRIPT: Grade("x", STEM, results=results), "=1+1": Grade("x", STEM, results=results)}
    assert SCRIPT not in class_report.html(STEM, grades, "none")
    assert "\n=1" not in spreadsheet.as_csv(grades)
    assert "WITHOUT isolation" in class_report.html(STEM, grades, "none")


def test_a_lesson_that_is_no_assignment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "nbgrader_config.py").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "01"]) == 2
    assert "no assignment" in capsys.readouterr().err


def test_the_notebook_of_the_small_lesson_has_a_question() -> None:
    """What the tests above build on."""
    assert cell(notebook("source"), "question-eps")


TRICKS = """\
<script>alert(1)</script> <SCRIPT src=x></SCRIPT> <img src=x onerror=alert(1)> <x onclick=alert(1)>
</div><svg/onload=alert(1)> <!-- --><iframe srcdoc="<b>"> <a href="javascript:alert(1)">x</a>
[x](javascript:alert(1)) ![x](javascript:alert(1)) <javascript:alert(1)> [y] [z](
 java&#115;cript:alert(1)) $\\href{javascript:alert(1)}{x}$

[y]: javascript:alert(1)
"""


class Dangers(HTMLParser):
    """What in a page's body could run."""

    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = set() if tag == "main" else self.found
        if self.found is None:
            return
        self.found |= {tag} & {"script", "iframe", "svg"}
        self.found |= {name for name, value in attrs if name.startswith("on") or "script:" in str(value)}

    def handle_data(self, data: str) -> None:
        if self.found is not None and "\\href" in data:
            self.found.add("formula")


def dangers(text: str) -> set[str] | None:
    parser = Dangers()
    parser.feed(HTMLExporter().from_notebook_node(new_notebook(cells=[new_markdown_cell(text)]))[0])
    return parser.found


def test_no_script_of_an_answer_runs_in_a_page() -> None:
    assert dangers(TRICKS) == {"script", "iframe", "svg", "onerror", "onclick", "onload", "href", "formula"}
    assert dangers(harmless(TRICKS)) == set()


def test_an_honest_answer_stays_as_it_is() -> None:
    for text in ("a < b, c<3 and $x<2$", "**bold**, `x = y`, [a link](https://example.org)", "1. one\n2. two > one"):
        assert harmless(text) == text
