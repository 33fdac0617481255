"""A batch cannot be stopped: whatever lies where a notebook should, the others keep their points."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from autograder.classroom.course.book import opened
from autograder.classroom.course.init import init
from autograder.classroom.grading import cache
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.submission import digest
from autograder.cli import main
from autograder.notebooks import files
from tests.sandbox.broken import GONE, KINDS, NOT_UNICODE
from tests.sandbox.rooms import ALL, FULL, needs_walls
from tests.small_lesson import STEM, live_in, solved
from tests.stock import nbgrader

pytestmark = [
    needs_walls,
    pytest.mark.slow,
    pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=1),
]

HONEST = {f"honest-{number}": ALL[:number] for number in range(5)}
"""Student → the exercises that are done."""

BROKEN = [*KINDS, GONE, NOT_UNICODE]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A course to which nobody has handed in anything."""
    root = tmp_path_factory.mktemp("batch")
    with pytest.MonkeyPatch.context() as patch:
        live_in(root / "home", patch)
        assert init(str(root / "class")) == 0
    nbgrader(root / "class", "generate_assignment", STEM)
    yield root / "class"


@pytest.fixture
def released(course: Path) -> NotebookNode:
    return files.read(course / "release" / STEM / f"{STEM}.ipynb")


@pytest.fixture
def leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is called `GONE` is gone as soon as it was looked at."""
    look = cache.key

    def key(file: Path, *given: Any) -> str:
        found = look(file, *given)
        if GONE in str(file):
            assert found
            file.unlink()
        return found

    monkeypatch.setattr(cache, "key", key)


def hand_in(path: Path, name: str, released: NotebookNode) -> str:
    """Put down what one student hands in; gives where."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if name in KINDS:
        KINDS[name](path)
    else:
        done = HONEST.get(name, ALL)
        path.write_text("no notebook" if name == NOT_UNICODE else nbformat.writes(solved(released, *done)))
    return str(path)


def earned(name: str) -> float:
    """The points of an honest one."""
    return sum(FULL[one] for one in HONEST[name])


def test_there_are_enough_kinds() -> None:
    assert len(BROKEN) >= 40
    assert len(HONEST) == 5


@pytest.mark.usefixtures("leaves")
def test_no_submission_stops_a_class(
    course: Path, released: NotebookNode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (*BROKEN, *HONEST):
        hand_in(course / "submitted" / name / STEM / f"{STEM}.ipynb", name, released)
    closed = course / "submitted" / "a closed folder"
    hand_in(closed / STEM / f"{STEM}.ipynb", "text", released)
    closed.chmod(0)
    for number, odd in enumerate((b"yesterday", b"\xff\xfe", b"99999-99-99 UTC", bytes(500))):
        (course / "submitted" / f"honest-{number}" / STEM / "timestamp.txt").write_bytes(odd)
    monkeypatch.chdir(course)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(course.parent / "cache"))
    try:
        assert main(["grade", "01", "--jobs", "1", "--json", "grades.json"]) == 0
    finally:
        closed.chmod(0o700)
    grades = {one["student"]: one for one in json.loads(Path("grades.json").read_text())["grades"]}
    assert {name: grades[name]["points"] for name in HONEST} == {name: earned(name) for name in HONEST}
    assert {grades[name]["status"] for name in HONEST} == {"ok"}
    assert len(grades) == len(BROKEN) + len(HONEST) + 1
    broken = [one for name, one in grades.items() if name not in HONEST]
    assert {(one["status"], one["points"]) for one in broken} == {("malformed", 0.0)}
    assert all(one["words"] for one in broken)
    page = Path("reports", f"{STEM}.html").read_text(encoding="utf-8")
    assert all(name in page for name in (*HONEST, "a folder", "M\\xfcller", "a closed folder"))
    with opened(course) as book:
        saved = {one.student.id: one.score for one in book.assignment_submissions(STEM)}
    assert {name: saved[name] for name in HONEST} == {name: earned(name) for name in HONEST}
    assert saved["a folder"] == 0
    assert f"{len(grades)} of {len(grades)} submissions decided" in capsys.readouterr().out


@pytest.mark.usefixtures("leaves")
def test_no_file_stops_a_batch(
    tmp_path: Path, released: NotebookNode, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    given = [hand_in(tmp_path / f"{name}.ipynb", name, released) for name in (*BROKEN, *HONEST)]
    given += ["/dev/zero", "/dev/full", "/proc/self/mem", "/proc/self/fd/0", "/"]
    grade = ["grade", *given, "--lesson", "01", "--jobs", "1", "--json", "grades.json", "--junit", "grades.xml"]
    assert main(grade) == 1
    grades = {Path(one["file"]).stem: one for one in json.loads(Path("grades.json").read_text())["grades"]}
    assert {name: grades[name]["points"] for name in HONEST} == {name: earned(name) for name in HONEST}
    broken = {name: one["status"] for name, one in grades.items() if name not in HONEST}
    assert len(broken) == len(BROKEN) + 5
    assert set(broken.values()) == {"malformed"}
    assert "honest-4" in capsys.readouterr().out


@pytest.mark.parametrize("graded", [b"another", b""])
def test_a_grade_is_kept_under_the_name_of_what_was_graded(
    graded: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file may be replaced, or go, after it was looked up and before its turn comes."""
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "one.ipynb"
    path.write_bytes(b"this")
    name = cache.key(path, STEM, True)
    cache.put(name, Grade(str(path), STEM, "malformed", content=digest(graded) if graded else ""))
    assert cache.get(name, path) is None
    cache.put(name, Grade(str(path), STEM, "malformed", content=digest(b"this")))
    assert cache.get(name, path) is not None
