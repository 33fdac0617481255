"""Whose fault it is when grading fails: a submission's own, unless an empty one shows it as well."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import nbformat
import pytest
import torch

from autograder.classroom.grading import one_notebook, pool, results
from autograder.classroom.grading.box import Infrastructure, Submission
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.look import look_of
from autograder.classroom.grading.one_exercise import ORACLE, Asker
from autograder.classroom.grading.plan import Plan
from autograder.classroom.grading.worker import Task, Worker, fairly
from autograder.judging.decision import decide
from autograder.probing.codec import BadMessage, decode, encode
from autograder.probing.outcome import Raised
from autograder.probing.run import Run
from autograder.registry import exercise
from tests.sandbox.rooms import FULL, Room, needs_walls, plan, points, result, right, statuses, with_cell, with_code
from tests.small_lesson import STEM

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=1)]

# What a submission says of itself ------------------------------------------------------------------

FORGES = """\
import torch, autograder.sandbox.inside.runner as runner
runner._look = lambda job: {}
"""
LOOK = {"defined": True, "callable": True, "instance": False, "type": "type", "parts": []}
ODD = {
    "a tensor": "{'defined': torch.ones(2)}",
    "a tensor for another": "{**LOOK, 'callable': torch.ones(2)}",
    "a tensor of parts": "{**LOOK, 'parts': torch.ones(2, 2)}",
    "parts that are none": "{**LOOK, 'parts': [torch.ones(2)]}",
    "a list": "[LOOK]",
    "nothing": "None",
    "a number for a truth": "{**LOOK, 'defined': 1}",
    "more than was asked": "{**LOOK, 'points': 3}",
}


def look(submission: Submission) -> Any:
    """What a submission says of RMSNorm."""
    return submission.ask({"do": "look", "name": "RMSNorm", "lendable": []}, 5).value


@pytest.mark.parametrize("odd", ODD)
def test_a_forged_look_costs_its_author(odd: str, room: Room) -> None:
    code = FORGES.format(f"(LOOK := {LOOK!r}) and {ODD[odd]}")
    with room.box.submission() as submission:
        submission.ask({"do": "cell", "text": code}, 5, stays=True)
        with pytest.raises(BadMessage):
            look_of(look(submission))
    grade = room.grade(with_cell(code, before="check-RMSNorm"))
    assert points(grade) == {"normalize": 2.0, "LayerNorm": 4.0, "RMSNorm": 0.0, "LayerNormalization": 0.0}
    assert statuses(grade)["RMSNorm"] == "killed"
    assert grade.complete


def test_an_honest_look_is_taken(room: Room) -> None:
    with room.box.submission() as submission:
        assert look_of(look(submission)).defined is False


# What fails out here --------------------------------------------------------------------------------


def _fails_on(monkeypatch: pytest.MonkeyPatch, name: str, *, blanks: bool) -> None:
    """Have one exercise's decision fail, of what is wrong and, with `blanks`, of what is blank as well."""

    def failing(given: Any, *rest: Any) -> Any:
        decision = decide(given, *rest)
        if given.name == name and (blanks or decision.verdict.status == "wrong"):
            raise TypeError("not to be compared")
        return decision

    monkeypatch.setattr("autograder.classroom.grading.one_exercise.decide", failing)


WRONG = with_code("RMSNorm", "class RMSNorm(LayerNorm): pass")


def test_what_a_check_cannot_take_is_its_authors(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    _fails_on(monkeypatch, "RMSNorm", blanks=False)
    grade = room.grade(WRONG)
    assert points(grade) == {**FULL, "RMSNorm": 0.0}
    assert result(grade, "RMSNorm").status == "exception"
    assert "not to be compared" in result(grade, "RMSNorm").flags[0]
    assert points(room.grade(right())) == FULL


def test_a_check_that_fails_on_an_empty_submission_is_nobodys_zero(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    _fails_on(monkeypatch, "RMSNorm", blanks=True)
    grade = room.grade(WRONG)
    assert points(grade) == {**FULL, "RMSNorm": None}
    assert result(grade, "RMSNorm").status == "infrastructure"


def test_a_second_run_that_cannot_be_taken_changes_nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    own = with_code("normalize", "def normalize(x, eps=1e-5): return x / 2")

    def fails(*given: Any) -> Any:
        raise TypeError("not to be compared")

    monkeypatch.setattr(one_notebook, "lend", fails)
    assert points(room.grade(own)) == {**dict.fromkeys(FULL, 0.0), "RMSNorm": 3.0}


# What ends the sandbox, or the worker -----------------------------------------------------------------


class _Faulty:
    """Attempts, some of which fail; an empty submission is graded as told."""

    def __init__(self, *fails: bool, empty: bool = True) -> None:
        self.fails = list(fails)
        self.empty = empty
        self.asked: list[str] = []

    def __call__(self, task: Task) -> Grade:
        self.asked.append("empty" if task.empty else "own")
        bad = not self.empty if task.empty else self.fails.pop(0)
        status, found = ("infrastructure", "it ended") if bad else ("ok", "")
        nothing = [one_notebook.Result("RMSNorm", "check-RMSNorm", "not attempted", 0.0, 3.0)]
        return Grade(task.file, task.lesson, status, found, [] if bad else nothing)


TASK = Task("own.ipynb", STEM, "00" * 32)


@pytest.mark.parametrize(
    ("fails", "empty", "status", "asked"),
    [
        ([False], True, "ok", ["own"]),
        ([True, False], True, "ok", ["own", "own"]),
        ([True, True, False], True, "ok", ["own", "own", "empty", "own"]),
        ([True, True, True], True, "killed", ["own", "own", "empty", "own"]),
        ([True, True], False, "infrastructure", ["own", "own", "empty"]),
    ],
)
def test_infrastructure_is_what_an_empty_submission_shows_too(
    fails: list[bool], empty: bool, status: str, asked: list[str]
) -> None:
    attempt = _Faulty(*fails, empty=empty)
    grade = fairly(TASK, attempt(TASK), attempt, 1)
    assert (grade.status, attempt.asked, grade.file) == (status, asked, TASK.file)
    assert grade.complete == (status != "infrastructure")
    assert status != "killed" or grade.results[0].points == 0


@pytest.fixture
def worker(room: Room, monkeypatch: pytest.MonkeyPatch) -> Worker:
    """A worker with the room's sandbox, which is not replaced."""
    monkeypatch.setattr(Worker, "_box", lambda *_: room.box)
    monkeypatch.setattr(Worker, "_plan", lambda *_: plan())
    return Worker()


@pytest.mark.parametrize(
    "error", [Infrastructure("the sandbox does not answer"), MemoryError(), RecursionError("deep")]
)
def test_a_submission_that_ends_its_sandbox_each_time_gets_zero(
    error: Exception, worker: Worker, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask = Submission.ask

    def ended(self: Submission, job: dict[str, Any], *given: Any, **named: Any) -> Any:
        if "ends it" in job.get("text", ""):
            raise error
        return ask(self, job, *given, **named)

    monkeypatch.setattr(Submission, "ask", ended)
    path = room.folder / f"{STEM}.ipynb"
    path.write_text(nbformat.writes(with_cell("'ends it'")))
    grade = worker.grade(replace(TASK, file=str(path)))
    assert (grade.status, grade.complete) == ("killed", True)
    assert set(points(grade).values()) == {0.0}
    path.write_text(nbformat.writes(right()))
    assert points(worker.grade(replace(TASK, file=str(path)))) == FULL


def test_a_worker_that_ends_each_time_is_the_submissions_fault(
    worker: Worker, room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Mortal:
        """A worker's process that one file ends."""

        def ask(self, task: dict[str, Any]) -> dict[str, Any] | None:
            return None if task["file"] == "ends it" and not task["empty"] else worker.grade(Task(**task)).plain()

    grade = pool._graded(Mortal(), replace(TASK, file="ends it"))  # type: ignore[arg-type]
    assert (grade.status, grade.points, grade.complete) == ("killed", 0.0, True)
    monkeypatch.setattr(Mortal, "ask", lambda *_: None)
    assert pool._graded(Mortal(), TASK).status == "infrastructure"  # type: ignore[arg-type]


def test_a_plan_that_cannot_be_made_is_nobodys_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> Plan:
        raise OSError("the gradebook's notebook is gone")

    monkeypatch.setattr(Worker, "_plan", fails)
    assert Worker().grade(TASK).status == "infrastructure"


# What it costs -----------------------------------------------------------------------------------------

WIDE = {
    "many tensors": [torch.zeros(2)] * 12_000,
    "many numbers": [0.5] * 35_000,
    "many lists": [[]] * 35_000,
    "many names": {f"name {number}": 1.0 for number in range(15_000)},
    "a wide tensor": torch.zeros(1, 400_000),
    "a long tensor": torch.zeros(400_000, 1),
    "many dimensions": torch.zeros([1] * 15 + [400_000]),
    "an empty tensor of many rows": torch.zeros(2**39, 0),
    "a long text": "x" * 1_500_000,
    "lists in lists": [[[0.5] * 100] * 35] * 10,
}
"""Answers that are small enough for five of them to be received at once."""


def _told(monkeypatch: pytest.MonkeyPatch, change: dict[str, Any]) -> Asker:
    """Asks a submission that says the same of every probe."""

    def run_of(*_: Any) -> Run:
        return Run(**{"returned": torch.zeros(2, 3, 4), **change})

    monkeypatch.setattr("autograder.classroom.grading.one_exercise.run_of", run_of)
    told = one_notebook.Answer("answered", value={"runs": [0] * 5, "printed": ""})
    monkeypatch.setattr(Submission, "ask", lambda *_, **__: told)
    return Asker(exercise("LayerNorm"), Submission(None), one_notebook.Secret(bytes(32)).seeds, one_notebook.Limits())  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def ready() -> None:
    """The reference and all mistakes have run on the draws: that is the batch's, and no submission's."""
    given, seeds = exercise("LayerNorm"), one_notebook.Secret(bytes(32)).seeds
    for probe in given.probes:
        for seed in seeds(given, probe):
            ORACLE.table(given, probe, seed)


def _seconds(ask: Asker) -> float:
    """What it costs to decide on an answer and to say what is wrong."""
    start = time.process_time()
    decision, printed = one_notebook.decided(ask)
    results.result(plan().checks["check-LayerNorm"], decision, printed, "", untouched=False)
    return time.process_time() - start


PARAMETERS = [{f"layer.{number}": ("parameter", (4, 4), "") for number in range(500)}] * 8


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("name", [*WIDE, "parameters"])
def test_an_answer_that_is_large_costs_little_out_here(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"returned": WIDE[name]} if name in WIDE else {"signatures": PARAMETERS}
    small = _seconds(_told(monkeypatch, {}))
    large = _seconds(_told(monkeypatch, change))
    assert large < small + 8, f"{large:.1f} s; a wrong answer of the right size takes {small:.1f} s"


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("name", [*WIDE, "parameters"])
def test_an_answer_that_is_large_is_not_compared(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = {"returned": WIDE[name]} if name in WIDE else {"signatures": PARAMETERS}
    ask = _told(monkeypatch, change)
    given = exercise("LayerNorm")
    kinds = {getattr(run.returned, "kind", "") for probe in given.probes for run in ask(probe).values()}
    assert kinds == {"TooLarge"}
    small = _told(monkeypatch, {})
    assert not any(isinstance(run.returned, Raised) for probe in given.probes for run in small(probe).values())


MANY = "import torch\nimport autograder.sandbox.inside.runner as r\nr._look = lambda job: [torch.zeros(1)] * 100_000"


def test_what_it_takes_to_take_an_answer_in_counts_to_the_submissions_time(room: Room) -> None:
    with room.box.submission() as submission:
        submission.ask({"do": "cell", "text": MANY}, 5, stays=True)
        before = submission.spent
        answer = submission.ask({"do": "look", "name": "RMSNorm", "lendable": []}, 10)
        start = time.process_time()
        decode(encode(answer.value))
        assert answer.status == "answered"
        assert submission.spent - before > answer.seconds + 0.1 * (time.process_time() - start)
