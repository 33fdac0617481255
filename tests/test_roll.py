"""A list of students is taken whole or not at all, and what is wrong in it is said by its lines."""

from __future__ import annotations

import os
import shutil
import sysconfig
from pathlib import Path

import pytest

from autograder.classroom.course.book import opened
from autograder.classroom.course.gradebook import CONFIG
from autograder.classroom.course.roll import enroll
from autograder.cli import main
from autograder.notebooks.problem import Problem


@pytest.fixture(scope="module")
def gradebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """To make one takes nbgrader a process of alembic's, which lies beside Python."""
    place = tmp_path_factory.mktemp("course")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", sysconfig.get_path("scripts"), prepend=os.pathsep)
        with opened(place) as book:
            book.add_student("zoe", first_name="Zoe")
    return place / "gradebook.db"


@pytest.fixture
def course(gradebook: Path, tmp_path: Path) -> Path:
    (tmp_path / CONFIG).touch()
    shutil.copy(gradebook, tmp_path)
    return tmp_path


def listed(course: Path, text: str | bytes) -> str:
    path = course / "students.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def known(course: Path) -> dict[str, str | None]:
    with opened(course) as book:
        return {one.id: one.first_name for one in book.students}


def test_a_list_is_taken(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert enroll(listed(course, "\ufeffid, first_name\nann,Ann\nzoe,Zoë\nben,\n"), course) == 0
    assert known(course) == {"ann": "Ann", "zoe": "Zoë", "ben": None}
    assert "3 students, 2 of them new" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("id,first_name\nann,Ann\nben,Ben\nann,Anna\n", "lines 2, 4: ann, 2 times"),
        ("id\nann\nAnn \n", "lines 2, 3: ann, 2 times"),
        ("id,email\n,a@x\n", "line 2: no id"),
        ("id\nann,Ann\n", "line 2: no id, or more fields than the head"),
        ("name\nann\n", "has the columns name. It needs id"),
        ("", "has the columns none"),
        (b"id\n\xff\n", "no list of comma-separated values in UTF-8"),
    ],
)
def test_a_list_with_something_wrong_in_it_is_refused_whole(text: str | bytes, words: str, course: Path) -> None:
    with pytest.raises(Problem) as refused:
        enroll(listed(course, text), course)
    assert words in str(refused.value)
    assert known(course) == {"zoe": "Zoe"}


def test_elsewhere_there_is_no_gradebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["classroom", "students", "students.csv"]) == 2
    assert "Here is no nbgrader course" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
