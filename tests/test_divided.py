"""A lesson that was divided: what a learner wrote in the one notebook finds its place in the two.

Until it was divided, 09 was one lesson, called training; it is put together here from the two of today.
"""

from __future__ import annotations

import copy
import shutil
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder import registry
from autograder.classroom.grade import _assignment
from autograder.classroom.grading.worker import Task, Worker
from autograder.cli import main
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem
from autograder.notebooks.transplant import answer_names, transplant
from autograder.sandbox import walls

HALVES = ("09_optimization", "10_training")
BEHIND = {"check-AdamW": "own_to_adamw = 1", "check-train_step": "own_to_step = 1", "adamw-2": "own_to_own = 1"}
"""What stands before a cell of the learner's → that cell."""


@pytest.fixture(scope="module")
def built() -> dict[str, NotebookNode]:
    return {f"{stem} {edition}": build(stem, edition) for stem in HALVES for edition in ("student", "solved")}


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, built: dict[str, NotebookNode]) -> Path:
    """A course of the two lessons."""
    course = tmp_path / "course"
    (course / "lessons").mkdir(parents=True)
    for stem in HALVES:
        shutil.copy(lessons.source_path(stem), course / "lessons")
        files.write(course / f"{stem}.ipynb", built[f"{stem} student"])
    monkeypatch.setattr(lessons, "COURSE", course)
    monkeypatch.setattr(lessons, "SOURCES", course / "lessons")
    monkeypatch.setattr(files, "ROOT", tmp_path)
    return course


@pytest.fixture
def before(built: dict[str, NotebookNode]) -> NotebookNode:
    """The one notebook, with every answer, cells of the learner's own and a given cell that was changed."""
    one = copy.deepcopy(built["09_optimization solved"])
    there = {cell.id for cell in one.cells}
    one.cells += [cell for cell in copy.deepcopy(built["10_training solved"].cells) if cell.id not in there]
    for cell in one.cells:
        if cell.id.startswith("question-"):
            cell.source = f"my words on {cell.id}"
    plot = next(cell for cell in one.cells if "def valley" in cell.source)
    plot.source += "\n# my colours"
    for name, text in BEHIND.items():
        at = [cell.id for cell in one.cells].index(name)
        one.cells.insert(at + 1, new_code_cell(text, id="adamw-2" if "adamw" in text else f"mine-{at}"))
    one.metadata["course"]["built"] = "an earlier version"
    return one


def by_the_updater_before(course: Path, before: NotebookNode) -> None:
    """What the first update leaves, which runs the code of the version before: it knows one lesson, now number 10."""
    files.write(course / "09_training.ipynb", before)
    files.back_up(course / "09_training.ipynb")
    (course / "09_training.ipynb").unlink()
    ten = course / "10_training.ipynb"
    files.write(ten, transplant(before, files.read(ten)))
    assert "no longer has a place" in ten.read_text(encoding="utf-8")


def check_that_all_is_in_its_place(course: Path, built: dict[str, NotebookNode]) -> None:
    for stem in HALVES:
        found = {cell.id: cell for cell in files.read(course / f"{stem}.ipynb").cells}
        solved = {cell.id: cell.source for cell in built[f"{stem} solved"].cells}
        for name in answer_names(built[f"{stem} student"]):
            wanted = f"my words on {name}" if name.startswith("question-") else solved[name]
            assert found[name].source == wanted, name
        assert "kept-from-before" not in found
        assert list(solved) == [one for one in found if one in solved]
    ids = [cell.id for cell in files.read(course / "09_optimization.ipynb").cells]
    texts = [cell.source for cell in files.read(course / "09_optimization.ipynb").cells]
    assert any(text.endswith("# my colours") for text in texts)
    at = ids.index("check-AdamW")
    assert texts[at + 1 : at + 3] == ["own_to_adamw = 1", "own_to_own = 1"]
    ten = files.read(course / "10_training.ipynb").cells
    assert ten[[cell.id for cell in ten].index("check-train_step") + 1].source == "own_to_step = 1"
    assert sum("own_to" in cell.source for cell in ten) == 1


def test_the_second_update_puts_right_what_the_first_could_not_know(
    course: Path, before: NotebookNode, built: dict[str, NotebookNode], capsys: pytest.CaptureFixture[str]
) -> None:
    by_the_updater_before(course, before)
    assert main(["update", "--no-pull"]) == 0
    check_that_all_is_in_its_place(course, built)
    assert "from 10_training" in capsys.readouterr().out
    written = [(course / f"{stem}.ipynb").read_bytes() for stem in HALVES]
    assert main(["update", "--no-pull"]) == 0
    assert written == [(course / f"{stem}.ipynb").read_bytes() for stem in HALVES]
    assert capsys.readouterr().out.count("up to date\n") == 2


def test_a_notebook_that_is_left_over_gives_what_it_holds_and_goes(
    course: Path, before: NotebookNode, built: dict[str, NotebookNode]
) -> None:
    files.write(course / "09_training.ipynb", before)
    assert lessons.stem_of("training") == lessons.stem_of("09_training") == "10_training"
    assert lessons.stem_of("9") == "09_optimization"
    assert main(["update", "--no-pull"]) == 0
    check_that_all_is_in_its_place(course, built)
    assert not (course / "09_training.ipynb").exists()
    assert [path.name[:11] for path in (course / "backups").iterdir()] == ["09_training"]


def test_what_is_answered_already_is_not_replaced(
    course: Path, before: NotebookNode, built: dict[str, NotebookNode]
) -> None:
    by_the_updater_before(course, before)
    nine = files.read(course / "09_optimization.ipynb")
    next(cell for cell in nine.cells if cell.id == "AdamW").source = "class AdamW: later = True"
    files.write(course / "09_optimization.ipynb", nine)
    assert main(["update", "--no-pull"]) == 0
    found = files.read(course / "09_optimization.ipynb").cells
    assert next(cell for cell in found if cell.id == "AdamW").source == "class AdamW: later = True"
    assert found[-2].id == "kept-from-before" and 'state["step"] += 1' in found[-1].source


def test_a_lesson_counts_under_its_new_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no sources are, as in what students install."""
    for stem in ("10_training", "09_training"):
        (tmp_path / f"{stem}.ipynb").touch()
    monkeypatch.setattr(registry, "COURSE", tmp_path)
    assert registry._numbers.__wrapped__() == {"training": 10}


# A class that released it as one ------------------------------------------------------------------------


@pytest.fixture
def released(tmp_path: Path) -> Path:
    """The instructor's notebook of the one lesson, in a course of nbgrader's."""
    one, other = (build(stem, "source") for stem in HALVES)
    there = {cell.id for cell in one.cells}
    one.cells += [cell for cell in other.cells if cell.id not in there]
    path = tmp_path / "source" / "09_training" / "09_training.ipynb"
    files.write(path, one)
    return path


def test_an_assignment_is_called_by_the_number_it_was_released_under(released: Path) -> None:
    course = released.parent.parent.parent
    for given in ("09_training", "training", "9", "09", "source/09_training"):
        assert _assignment(course, given) == "09_training"
    assert _assignment(course, "10_decoding") == "11_decoding"  # no assignment of this course
    files.write(released.parent.parent / "09_optimization" / "09_optimization.ipynb", files.read(released))
    with pytest.raises(Problem, match="09_optimization or 09_training"):
        _assignment(course, "9")


@pytest.mark.slow
def test_it_can_still_be_graded_whole(released: Path, before: NotebookNode, tmp_path: Path) -> None:
    """No stand-in of either half is there to be handed in as one's own."""
    handed = copy.deepcopy(before)
    taken = next(cell for cell in handed.cells if cell.id == "AdamW")
    taken.source = "from my_transformer import AdamW"
    files.write(tmp_path / "handed.ipynb", handed)
    worker = Worker()
    task = Task(str(tmp_path / "handed.ipynb"), "09_training", "00" * 32, walls.available() is None, str(released))
    try:
        grade = worker.grade(task)
    finally:
        worker.close()
    points = {one.exercise: one.points for one in grade.results}
    assert [name for name, earned in points.items() if not earned] == ["AdamW"]
    assert {"shift_right", "decay_groups", "train_step", "load_checkpoint"} <= points.keys()
