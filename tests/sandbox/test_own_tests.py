"""An instructor's own tests: run inside as stock nbgrader runs them, and worth what it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output
from nbgrader.utils import determine_grade

from autograder.classroom.course.own_tests import failures
from autograder.classroom.grading.box import Answer, Box
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.grading.own_test import Told, earned_by, result
from autograder.classroom.grading.plan import OwnTest, Plan, plan_of_source, released
from autograder.classroom.grading.submission import parse
from autograder.notebooks import files
from autograder.notebooks.test_points import Showed, points
from tests.sandbox.own_cells import TEST, own_cell, with_own
from tests.sandbox.rooms import QUICK, Room, needs_walls
from tests.small_lesson import LESSON, STEM, cell, without

TESTS = ("test-my_own", "test-partly")


def plan(*more: NotebookNode) -> Plan:
    return plan_of_source(with_own(None, *more), STEM)


def handed(code: str = "") -> NotebookNode:
    """What was handed out, with this in the own exercise's cell."""
    own = released(with_own())
    if code:
        cell(own, "my_own").source = code
    return own


class OwnRoom(Room):
    """A sandbox for the small lesson with cells of an instructor's own."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, box=Box(LESSON, plan().modules, QUICK))

    def of(self, given: NotebookNode, *more: NotebookNode) -> dict[str, Result]:
        from autograder.classroom.grading.one_notebook import grade_file

        path = self.folder / f"{STEM}.ipynb"
        files.write(path, given)
        grade: Grade = grade_file(path, plan(*more), self.box, self.secret)
        return {one.grade_id: one for one in grade.results}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OwnRoom]:
    own = OwnRoom(tmp_path_factory.mktemp("own"))
    with own.box:
        yield own


def earned(found: dict[str, Result]) -> tuple[float | None, ...]:
    return tuple(found[name].points for name in TESTS)


# What runs ----------------------------------------------------------------------------


@needs_walls
@pytest.mark.parametrize(
    ("code", "gives", "statuses"),
    [
        ("def my_own(x): return x + 1", (5, 4), ("ok", "ok")),
        ("def my_own(x): return 2", (0, 1), ("wrong", "wrong")),  # right in what is shown, wrong in what is hidden
        ("def my_own(x): return nope", (0, 0), ("exception", "exception")),
        ("", (0, 0), ("not attempted", "not attempted")),
        ("import warnings\ndef my_own(x): warnings.warn('w'); return x + 1", (0, 0), ("wrong", "wrong")),
        ("import os\ndef my_own(x): os._exit(0)", (0, 0), ("killed", "killed")),
        ("def my_own(x):\n    while True: pass", (0, 0), ("timeout", "timeout")),
        ("def my_own(x): print('x' * 10**8); return x + 1", (5, 4), ("ok", "ok")),
    ],
)
def test_own_tests_give_what_nbgrader_gives(
    code: str, gives: tuple[float, float], statuses: tuple[str, str], room: OwnRoom
) -> None:
    found = room.of(handed(code))
    assert earned(found) == gives
    assert tuple(found[name].status for name in TESTS) == statuses
    assert all(found[name].inside and "decided there" in found[name].text for name in TESTS if gives == (5, 4))


@needs_walls
def test_the_line_that_failed_is_told(room: OwnRoom) -> None:
    found = room.of(handed("def my_own(x): return 2"))
    text = found["test-my_own"].text
    assert "printed" not in found["test-partly"].text  # its value is no print
    assert 'AssertionError: not for 2. Line 3: `assert my_own(2) == BASE + 1, "not for 2"`' in text


@needs_walls
def test_a_test_leaves_nothing_behind(room: OwnRoom) -> None:
    first, second = own_cell("test-first", "LEFT = 1", 1), own_cell("test-second", "assert 'LEFT' not in dir()", 1)
    given = released(with_own(None, first, second))
    assert room.of(given, first, second)["test-second"].points == 1


@needs_walls
def test_read_only_code_and_tests_are_ours_whatever_was_made_of_them(room: OwnRoom) -> None:
    own = without(handed("def my_own(x): return 7"), "helper")
    cell(own, "test-my_own").source = ""
    assert earned(room.of(own)) == (0, 0)
    own = handed("def my_own(x): return x + 1")
    cell(own, "helper").source = "BASE = 7"
    assert earned(room.of(own)) == (5, 4)
    assert earned(room.of(without(own, "helper", *TESTS))) == (5, 4)


# What is refused ----------------------------------------------------------------------------


@needs_walls
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("while True: pass", "Your instructor's test did not come to an end within 3 s."),
        (
            "import os; os._exit(3)",
            "did not come to an end: it ended its own process (exit code 3).",
        ),
        (
            "import sys; sys.stdout.write('x' * 10**8); raise KeyError('k')",
            "test stops: KeyError: 'k'.",
        ),
        ("x = [0] * 10**10", "Your instructor's test stops: MemoryError"),
        ("0.5", "0.5 came of it, and 1 is all."),
        ("9", "9 came of it, and 1 is all."),
    ],
)
def test_what_fails_its_own_solution_is_named(text: str, words: str, room: OwnRoom) -> None:
    bad = own_cell("test-bad", text, 1)
    source = with_own(None, bad)
    found = room.of(source, bad)
    assert earned(found) == (5, 4)
    said = failures(Grade("", STEM, results=list(found.values())))
    assert "test-bad: 0" in said and "test-my_own" not in said
    assert words in said


# What there is to do ----------------------------------------------------------------------------


def test_every_test_is_run_once_behind_what_it_is_about() -> None:
    own = handed()
    own.cells.sort(key=lambda one: one.id not in TESTS)
    steps = [one.name for one in parse(files.text_of(own).encode(), plan()).steps]
    assert steps.count("test-my_own") == steps.count("test-partly") == 1
    assert steps.index("my_own") < steps.index("test-my_own")


def test_what_is_to_be_graded_by_hand_is_run_and_not_tested() -> None:
    assert "by-hand" in plan().blanks and "by-hand" not in plan().graded
    assert plan().tests["test-my_own"].text == TEST != plan().tests["test-my_own"].source
    assert plan().tests["test-my_own"].about == ("my_own",)


# What is believed ----------------------------------------------------------------------------

OWN = OwnTest("test", 5, "my_own()", "my_own()")


@pytest.mark.parametrize("said", [None, {}, [], {"error": 1}, 5, {"value": "5", "error": "", "message": ""}])
def test_what_is_no_answer_gives_nothing(said: object) -> None:
    made = result(OWN, Answer("answered", value=said), untouched=False)
    assert (made.status, made.points) == ("killed", 0)


@pytest.mark.parametrize(("value", "gives"), [("2.5", 2.5), ("0", 0), ("'x'", 5), ("", 5), ("True", 5)])
def test_a_number_is_a_part_and_anything_else_is_all(value: str, gives: float) -> None:
    assert earned_by(OWN, Told(value=value)) == (gives, "")


@pytest.mark.parametrize("error", ["", "KeyError"])
@pytest.mark.parametrize("warned", ["", "beware"])
@pytest.mark.parametrize(
    "value",
    ["", "0", "0.0", "2", "5", "5.1", "1e3", "-1", "nan", "inf", "-inf", "tensor(2.)", "True", "'3'", " 3"],
)
def test_the_rule_is_nbgraders(value: str, warned: str, error: str) -> None:
    outputs = [new_output("stream", name="stderr", text=warned)] if warned else []
    outputs += [new_output("error", ename=error)] if error else []
    outputs += [new_output("execute_result", {"text/plain": value})] if value else []
    place = {"grade": True, "solution": False, "points": 5}
    cell = new_code_cell(outputs=outputs, metadata={"nbgrader": place})
    assert _or_refused(lambda: points(Showed(error, warned, value), 5)) == _or_refused(lambda: determine_grade(cell)[0])


def _or_refused(given: Callable[[], float | None]) -> float | str | None:
    try:
        return given()
    except ValueError:
        return "refused"


def test_more_than_there_is_gives_nothing_and_is_told() -> None:
    assert earned_by(OWN, Told(value="99")) == (0, "the test test gives 99, which is more than its 5 points")
