"""In and out of a learning management system: what it gives to download, and what it takes."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from pathlib import Path

import pytest

from autograder.classroom.collecting import PATTERN
from autograder.classroom.course.book import opened
from autograder.classroom.course.init import init
from autograder.classroom.grading import outputs
from autograder.classroom.grading.grades import Grade, Result
from autograder.cli import main
from tests.small_lesson import STEM, live_in
from tests.stock import nbgrader

NOTEBOOK = f"{STEM}.ipynb"

# As Canvas (lib/content_zipper.rb) and Moodle (mod/assign/classes/downloader.php) write them.
NAMES = {
    f"lovelaceada_1234_56789_{NOTEBOOK}": ("1234", NOTEBOOK),
    f"lovelaceada_LATE_1234_56789_{NOTEBOOK}": ("1234", NOTEBOOK),
    f"garcíamárquezgabriel_77_8_{NOTEBOOK}": ("77", NOTEBOOK),
    f"van_der_bergjan_12_345_{STEM}-1.ipynb": ("12", f"{STEM}-1.ipynb"),
    f"Ada Lovelace_4711_assignsubmission_file/{NOTEBOOK}": ("Ada Lovelace", NOTEBOOK),
    f"Ada Lovelace_4711_assignsubmission_file_/{NOTEBOOK}": ("Ada Lovelace", NOTEBOOK),
    f"Ada Lovelace_4711_assignsubmission_file_{NOTEBOOK}": ("Ada Lovelace", NOTEBOOK),
    f"Jean-Luc O'Neil_9_assignsubmission_file/{NOTEBOOK}": ("Jean-Luc O'Neil", NOTEBOOK),
    f"张 伟_12_assignsubmission_file/{NOTEBOOK}": ("张 伟", NOTEBOOK),
}


@pytest.mark.parametrize("given", NAMES)
def test_the_pattern_reads_both_ways_of_naming(given: str) -> None:
    found = re.match(PATTERN, f"/a course/downloaded/{STEM}/extracted/submissions_12_3/{given}")
    assert found is not None
    assert (found["student_id"], found["file_id"]) == NAMES[given]


@pytest.mark.parametrize("given", [NOTEBOOK, f"lovelaceada_1234_{NOTEBOOK}x/y", "notes.ipynb"])
def test_what_is_named_otherwise_is_nobodys(given: str) -> None:
    assert re.match(PATTERN, f"/course/downloaded/{STEM}/extracted/{given}") is None


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with four students, two of them of one name, and a lesson that is released."""
    root = tmp_path_factory.mktemp("lms")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        assert init(str(root / "class")) == 0
    place = root / "class"
    nbgrader(place, "generate_assignment", STEM)
    with opened(place) as book:
        book.add_assignment("01_not_released_yet")
        book.add_student("ada", first_name="Ada", last_name="Lovelace", email="ada@example.org")
        for one in ("kim1", "kim2"):
            book.add_student(one, first_name="Kim", last_name="Lee")
    return place


def _download(course: Path, name: str, inside: dict[str, str]) -> None:
    place = course / "downloaded" / STEM / "archive"
    place.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(place / name, "w") as archive:
        for path, text in inside.items():
            archive.writestr(path, text)


@pytest.mark.slow
def test_what_canvas_and_moodle_give_to_download_is_collected(course: Path) -> None:
    _download(
        course,
        "submissions.zip",
        {
            f"lovelaceada_1234_56789_{NOTEBOOK}": "canvas 1234",
            f"hoppergrace_LATE_1235_56790_{NOTEBOOK}": "canvas 1235",
            "hoppergrace_LATE_1235_56791_notes.pdf": "no notebook",
        },
    )
    _download(
        course,
        "ML-Layer norm-55.zip",
        {
            f"Ada Lovelace_4711_assignsubmission_file/{NOTEBOOK}": "moodle ada",
            "Ada Lovelace_4711_assignsubmission_onlinetext/onlinetext.html": "no notebook",
            f"Nobody Known_4712_assignsubmission_file/{NOTEBOOK}": "moodle nobody",
            f"Kim Lee_4713_assignsubmission_file/{NOTEBOOK}": "moodle kim",
            f"Kim Lee_4714_assignsubmission_file/{NOTEBOOK}": "moodle kim too",
        },
    )
    said = nbgrader(course, "zip_collect", STEM)
    collected = {path.parent.parent.name: path.read_text() for path in (course / "submitted").glob(f"*/{STEM}/*")}
    assert collected == {
        "1234": "canvas 1234",
        "1235": "canvas 1235",
        "ada": "moodle ada",
        "Nobody Known": "moodle nobody",
        "Kim Lee 4713": "moodle kim",
        "Kim Lee 4714": "moodle kim too",
    }
    assert "The gradebook has 2 students called Kim Lee; collected as 'Kim Lee 4713'" in said


# Out --------------------------------------------------------------------------------------


def table(course: Path, *arguments: str) -> list[list[str]]:
    nbgrader(course, "export", "--exporter=autograder.classroom.export.Exercises", "--to=out.csv", *arguments)
    with (course / "out.csv").open(encoding="utf-8") as file:
        return list(csv.reader(file))


@pytest.mark.slow
def test_lessons_or_exercises_stand_in_a_table_and_never_both(course: Path) -> None:
    lessons, exercises = (table(course, f"--Exercises.columns={one}")[0][1:] for one in ("lessons", "exercises"))
    assert lessons == [f"{STEM} (12)"]
    worth = [float(re.search(r"\(([\d.]+)\)$", one)[1]) for one in exercises]  # type: ignore[index]
    assert len(worth) == 5 and sum(worth) == 12


@pytest.mark.slow
def test_canvas_knows_students_by_login_or_by_its_own_number(course: Path) -> None:
    for ids, at in (("login", 2), ("number", 1)):
        head, possible, *rows = table(course, "--Exercises.layout=canvas", f"--Exercises.ids={ids}")
        assert head[:4] == ["Student", "ID", "SIS Login ID", "Section"] and possible[0] == "Points Possible"
        assert {row[at] for row in rows} == {"ada", "kim1", "kim2"}
        assert {row[3 - at] for row in rows} == {""}


# Gradescope ---------------------------------------------------------------------------------


def test_gradescope_is_given_tests_and_no_total_beside_them() -> None:
    right = Result("normalize", "check-normalize", "ok", 2.0, 2.0, text="normalize · 2 of 2 points")
    wrong = Result("LayerNorm", "check-LayerNorm", "wrong", 1.5, 4.0, "std + eps", text="You divide by <b>")
    told = json.loads(outputs.as_gradescope([Grade("x", STEM, results=[right, wrong])]))
    assert "score" not in told  # it would replace the sum
    assert [one["score"] for one in told["tests"]] == [2.0, 1.5]
    assert [one["max_score"] for one in told["tests"]] == [2.0, 4.0]
    assert [one["status"] for one in told["tests"]] == ["passed", "failed"]
    assert told["tests"][1]["output"] == "You divide by <b>" and told["test_output_format"] == "text"


def test_what_could_not_be_decided_is_no_zero_at_gradescope() -> None:
    open_ = Result("normalize", "check-normalize", "infrastructure", None, 2.0)
    assert outputs.as_gradescope([Grade("x", STEM, "infrastructure", results=[open_])]) == ""


def test_gradescope_takes_one_notebook(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "one.ipynb", "two.ipynb", "--gradescope", str(tmp_path / "results.json")]) == 2
    assert "give one file" in capsys.readouterr().err
    assert not (tmp_path / "results.json").exists()
