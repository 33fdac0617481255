"""The classroom in stock mode: nbgrader's own commands, on a course made by `autograder classroom init`."""

from __future__ import annotations

import csv
import html
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from sqlalchemy.exc import OperationalError

from autograder.classroom.course.book import opened
from autograder.classroom.course.init import course_id, init, points_of
from autograder.cli import main
from autograder.judging.oracle import lesson_mistakes
from autograder.notebooks import files
from autograder.notebooks.problem import Problem
from tests.small_lesson import LESSON, STD_PLUS_EPS, STEM, TEXT, cell, live_in, notebook, solved
from tests.stock import nbgrader, typed

pytestmark = pytest.mark.turns(4, "autograder/classroom", "autograder/reporting", at=3)

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
WIDGET = """\
from course.widgets import NormExplorer

NormExplorer(torch.arange(12.0).reshape(3, 4), LayerNorm)"""
STUDENTS = ("blank", "right", "wrong", "broken")


def body_of(name: str) -> str:
    return cell(notebook("solved"), name).source


def handed_in(student: str, released: NotebookNode) -> NotebookNode:
    """What a student hands in."""
    if student == "blank":
        return released
    own = solved(released, *ALL)
    if student == "wrong":
        given = "        return self.weight * normalize(x, self.eps) + self.bias"
        cell(own, "LayerNorm").source = body_of("LayerNorm").replace(given, STD_PLUS_EPS)
        cell(own, "RMSNorm").source = body_of("RMSNorm").replace("eps: float = 1e-6", "eps: float = 1e-2")
        assert own != solved(released, *ALL)
    if student == "broken":
        cell(own, "RMSNorm").source = "class RMSNorm(nn.Module:\n    pass"
    return own


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A course that went all the way, from `init` to feedback."""
    root = tmp_path_factory.mktemp("classroom")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        play = 'raise RuntimeError("grading does not come here")'
        lesson = TEXT.replace(play, WIDGET)
        assert lesson != TEXT
        (root / "home" / "course" / "lessons" / f"{STEM}.md").write_text(lesson, encoding="utf-8")
        assert init(str(root / "class of 2026")) == 0
    course = root / "class of 2026"
    typed(course, "generate_assignment", STEM)
    released = files.read(course / "release" / STEM / f"{STEM}.ipynb")
    for student in STUDENTS:
        own = handed_in(student, released)
        files.write(course / "submitted" / student / STEM / f"{STEM}.ipynb", own)
    typed(course, "autograde", STEM)
    nbgrader(course, "generate_feedback", STEM)
    yield course


@pytest.fixture(scope="module")
def points(classroom: Path) -> dict[str, dict[str, float]]:
    """Student → check → points, from nbgrader's own gradebook."""
    with opened(classroom) as book:
        return {
            student: {grade.name: grade.score for grade in book.find_submission_notebook(STEM, STEM, student).grades}
            for student in STUDENTS
        }


def page(classroom: Path, student: str) -> str:
    return (classroom / "feedback" / student / STEM / f"{STEM}.html").read_text(encoding="utf-8")


# The course's folder ------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_release_is_the_self_study_notebook_without_model_answers(classroom: Path) -> None:
    released = files.read(classroom / "release" / STEM / f"{STEM}.ipynb")
    ours = notebook("student", TEXT.replace('raise RuntimeError("grading does not come here")', WIDGET))
    ours.cells = [one for one in ours.cells if "model-answer" not in one.metadata.get("tags", [])]
    ours.metadata.course.pop("built")
    assert nbformat.writes(released) == nbformat.writes(ours)


@pytest.mark.slow
def test_the_configuration_has_no_side_effect_and_finds_its_own_folder(classroom: Path) -> None:
    from traitlets.config import PyFileConfigLoader

    before = sorted(classroom.iterdir())
    config = PyFileConfigLoader("nbgrader_config.py", str(classroom)).load_config()
    assert config.CourseDirectory.root == str(classroom)
    assert config.CourseDirectory.course_id == "class-of-2026"
    assert config.Execute.store_widget_state is False
    assert sorted(classroom.iterdir()) == before


@pytest.mark.slow
def test_release_through_an_exchange(classroom: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    nbgrader(classroom, "release_assignment", STEM, f"--Exchange.root={tmp_path}")
    assert (tmp_path / "class-of-2026" / "outbound" / STEM / f"{STEM}.ipynb").is_file()


@pytest.mark.slow
def test_an_existing_course_is_never_written_to(classroom: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {one: one.stat().st_mtime_ns for one in classroom.rglob("*")}
    assert main(["classroom", "init", str(classroom)]) == 2
    told = capsys.readouterr().err
    assert "gradebook.db" in told and told.count("\n") == 1
    assert {one: one.stat().st_mtime_ns for one in classroom.rglob("*")} == before


def test_nothing_is_made_of_a_lesson_that_cannot_be_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = live_in(tmp_path / "home", monkeypatch)
    (course / "lessons" / f"{STEM}.md").write_text("# Nothing\n", encoding="utf-8")
    with pytest.raises(Problem, match="has no cell"):
        init(str(tmp_path / "class"))
    assert not (tmp_path / "class").exists()


def test_a_course_of_no_lessons_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = live_in(tmp_path / "home", monkeypatch)
    (course / "lessons" / f"{STEM}.md").unlink()
    with pytest.raises(Problem, match="no lesson sources"):
        init(str(tmp_path / "class"))


def test_a_gradebook_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: object) -> None:
        raise OperationalError("", {}, OSError("the disk is full"))

    live_in(tmp_path / "home", monkeypatch)
    monkeypatch.setattr("nbgrader.api.Gradebook", fails)
    with pytest.raises(Problem, match=r"could not make .*gradebook.db: .*the disk is full"):
        init(str(tmp_path / "class"))


def test_a_course_is_named_after_its_folder() -> None:
    assert course_id(Path("/x/Höhere Mathe 2")) == "H-here-Mathe-2"
    assert course_id(Path("/x/???")) == "transformer"


# Points -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_blank_gets_nothing(points: dict[str, dict[str, float]]) -> None:
    assert set(points["blank"].values()) == {0.0}


@pytest.mark.slow
def test_what_is_right_gets_everything(points: dict[str, dict[str, float]]) -> None:
    right = {name: got for name, got in points["right"].items() if name.startswith("check-")}
    assert sum(right.values()) == points_of(notebook("source")) == 11


@pytest.mark.slow
def test_what_is_partly_right_gets_a_part(points: dict[str, dict[str, float]]) -> None:
    right, wrong = points["right"], points["wrong"]
    assert 0 <= wrong["check-LayerNorm"] < right["check-LayerNorm"]
    assert 0 < wrong["check-RMSNorm"] < right["check-RMSNorm"]  # only its default eps is wrong
    assert wrong["check-normalize"] == right["check-normalize"]


@pytest.mark.slow
def test_a_syntax_error_costs_only_its_own_exercise(points: dict[str, dict[str, float]]) -> None:
    lost = {name for name, got in points["right"].items() if points["broken"][name] != got}
    assert lost == {"check-RMSNorm"} and points["broken"]["check-RMSNorm"] == 0


@pytest.mark.slow
def test_grades_can_be_exported(classroom: Path, points: dict[str, dict[str, float]]) -> None:
    nbgrader(classroom, "export")
    rows = list(csv.DictReader((classroom / "grades.csv").open(encoding="utf-8")))
    assert {row["student_id"]: float(row["score"]) for row in rows} == {
        student: sum(got.values()) for student, got in points.items()
    }
    assert {row["max_score"] for row in rows} == {"12.0"}  # 11 by checks and 1 by hand


# Feedback -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_feedback_names_the_mistake(classroom: Path) -> None:
    mistake = next(one for one in lesson_mistakes(LESSON) if one.name == "std + eps")
    said = html.escape(mistake.says.partition(". ")[0].split("`")[0].strip(), quote=False)
    assert len(said) > 10
    assert said in page(classroom, "wrong")
    for student in ("right", "broken", "blank"):  # of "blank", the article's code is still to be repaired
        assert said not in page(classroom, student)


@pytest.mark.slow
@pytest.mark.parametrize("student", STUDENTS)
def test_feedback_shows_the_report_and_the_widgets_picture(classroom: Path, student: str) -> None:
    text = page(classroom, student)
    assert "<td><span class=" in text and "<a href='#check-normalize'>normalize</a>" in text
    assert "data:image/png;base64," in text
    assert "application/vnd.jupyter.widget-view+json" not in text
