"""Earlier parts that are lent when an exercise failed: what is said then, and that nobody hands them in."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.classroom.grading.box import Answer, Box, Submission
from autograder.classroom.grading.loans import loan
from autograder.judging.decision import IS_RANDOM
from autograder.learner.examine import examine
from autograder.probing.exercise import Probe
from autograder.registry import exercise
from tests.sandbox.rooms import ALL, FULL, Room, needs_walls, points, result, right, statuses, with_cell, with_code
from tests.small_lesson import cell, notebook

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=0)]

RANDOM = """\
def normalize(x, eps=1e-5):
    far = x - x.mean(-1, keepdim=True)
    return far / (far.square().mean(-1, keepdim=True) + eps).sqrt() + 0.1 * torch.rand_like(x)"""
WRONG = "def normalize(x, eps=1e-5): return x / 2"
THROUGH_LAYER_NORM = "def normalize(x, eps=1e-5): return LayerNorm(x.size(-1), eps)(x)"


def test_of_code_that_leans_on_a_random_part_only_that_is_said(room: Room) -> None:
    grade = room.grade(with_code("normalize", RANDOM))
    assert points(grade) == {**FULL, "normalize": 0.0}
    assert IS_RANDOM in result(grade, "normalize").text
    built_on = result(grade, "LayerNorm").text
    assert "`LayerNorm` is right; `normalize`, which it uses, is not" in built_on
    assert IS_RANDOM not in built_on


def test_two_definitions_that_are_each_others_earn_what_is_right_in_itself(room: Room) -> None:
    assert points(room.grade(with_code("normalize", THROUGH_LAYER_NORM))) == {**FULL, "normalize": 0.0}


@pytest.mark.parametrize("code", [WRONG, THROUGH_LAYER_NORM])
def test_another_order_of_the_cells_gains_nothing(room: Room, code: str) -> None:
    own = with_code("normalize", code)
    for name in ("check-LayerNorm", "LayerNorm"):
        one = cell(own, name)
        own.cells.remove(one)
        own.cells.insert(own.cells.index(cell(own, "normalize")), one)
    assert cell(own, "LayerNorm").source.startswith("class")
    assert next(one.id for one in own.cells if one.id in ("normalize", "check-LayerNorm")) == "check-LayerNorm"
    assert points(room.grade(own)) == {**FULL, "normalize": 0.0}


@pytest.fixture
def opened(room: Room, monkeypatch: pytest.MonkeyPatch) -> list[Submission]:
    """The submissions that are opened in the room."""
    found: list[Submission] = []
    before = Box.submission

    @contextlib.contextmanager
    def noted(box: Box) -> Iterator[Submission]:
        with before(box) as submission:
            found.append(submission)
            yield submission

    monkeypatch.setattr(Box, "submission", noted)
    return found


BY_ITSELF = """\
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return self.weight * x + self.bias"""


def test_a_part_that_is_never_mentioned_is_not_tried(room: Room, opened: list[Submission]) -> None:
    own = with_code("normalize", WRONG)
    for name in ("LayerNorm", "LayerNormalization"):
        cell(own, name).source = BY_ITSELF.replace("class LayerNorm(", f"class {name}(")
    room.grade(own)
    assert len(opened) == 1
    cell(own, "LayerNorm").source = BY_ITSELF.replace("* x +", "* normalize(x) +")
    room.grade(own)
    assert len(opened) == 3


def test_what_was_not_written_is_not_tried(room: Room, opened: list[Submission]) -> None:
    assert set(statuses(room.grade(notebook("student"))).values()) == {"not attempted"}
    assert len(opened) == 1


def test_what_is_run_once_more_comes_in_the_order_of_the_plan(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where its own stand-in was beside another, an exercise has been decided."""
    own, asked, before = with_code("normalize", WRONG), [], Submission.ask
    for name in ("LayerNorm", "LayerNormalization"):
        cell(own, name).source = BY_ITSELF.replace("class LayerNorm(", f"class {name}(").replace(
            "* x +", "* normalize(x) +"
        )
    for one in [cell(own, kind + name) for name in reversed(ALL) for kind in ("", "check-")]:
        own.cells.remove(one)
        own.cells.append(one)

    def noted(self: Submission, job: dict[str, Any], *given: Any, **named: Any) -> Answer:
        asked.extend([job["exercise"]] if job.get("loans") else [])
        return before(self, job, *given, **named)

    monkeypatch.setattr(Submission, "ask", noted)
    room.grade(own)
    assert list(dict.fromkeys(asked)) == ["LayerNorm", "LayerNormalization"]


SECONDS = "import time\ntime.sleep({})"


def test_what_was_stopped_is_not_waited_for_again(room: Room, opened: list[Submission]) -> None:
    own = with_cell(SECONDS.format(30))
    cell(own, "normalize").source = WRONG
    assert points(room.grade(own)) == {**FULL, "normalize": 0.0}
    assert opened[1].spent < 3


def test_a_notebook_without_time_left_gets_no_loans(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    own = with_code("normalize", WRONG)
    own.cells += [new_code_cell(SECONDS.format(2.7), id=f"last-{number}") for number in range(2)]
    assert points(room.grade(own)) == {**FULL, "normalize": 0.0}
    monkeypatch.setattr(room.box, "limits", replace(room.box.limits, notebook=5.0))
    assert statuses(room.grade(own)) == {**dict.fromkeys(FULL, "wrong"), "RMSNorm": "ok"}


ENDS_IN_THE_SECOND_RUN = """\
import os
class LayerNorm(LayerNorm):
    def forward(self, x):
        if hasattr(normalize, "__wrapped__"): os._exit(1)
        return super().forward(x)"""


def test_a_second_run_that_fails_changes_nothing(room: Room) -> None:
    own = with_code("normalize", WRONG)
    cell(own, "LayerNorm").source += f"\n\n{ENDS_IN_THE_SECOND_RUN}"
    found = result(room.grade(own), "LayerNorm")
    assert (found.status, found.points) == ("wrong", 0.0)
    assert "Killed" not in found.text


# Stealing them ------------------------------------------------------------------------------

TAKES = """\
import inspect, marshal, os
class LayerNorm(LayerNorm):
    def forward(self, x):
        real = getattr(normalize, "__wrapped__", None)
        for folder in (".", os.environ["HOME"], "/tmp", "/dev/shm") if real else ():
            try: open(folder + "/taken", "wb").write(marshal.dumps(real.__code__))
            except OSError: pass
        return super().forward(x)"""

HANDS_IN = """\
import marshal, os, types, torch.nn.functional
def normalize(x, eps=1e-5):
    for folder in (".", os.environ["HOME"], "/tmp", "/dev/shm"):
        if os.path.exists(folder + "/taken"):
            code = marshal.loads(open(folder + "/taken", "rb").read())
            return types.FunctionType(code, {"F": torch.nn.functional})(x, eps)
    raise NotImplementedError"""

LOOKS_ABOUT = """\
import gc, sys
def LayerNormalization(*given, **named):
    frame, found = sys._getframe(), []
    while frame:
        found += [one["LayerNorm"] for one in [frame.f_locals, *frame.f_locals.values()] if type(one) is dict and "LayerNorm" in one]
        frame = frame.f_back
    found += [one.LayerNorm for one in gc.get_objects() if type(one) is type(sys) and "stand_ins" in one.__name__ and hasattr(one, "LayerNorm")]
    for one in found:
        if getattr(one, "__module__", "") != "__main__": return one(*given, **named)
    raise NotImplementedError"""  # noqa: E501


def thief(**cells: str) -> NotebookNode:
    """The right notebook with these cells, or with this added to them."""
    own = right()
    for name, code in cells.items():
        cell(own, name).source = f"{cell(own, name).source}\n\n{code}" if code.startswith("import inspect") else code
    return own


def ask(submission: Submission, name: str, *replaced: str) -> Answer:
    """Ask for the first probe of an exercise."""
    probe: Probe = exercise(name).probes[0]
    job = {"do": "probe", "exercise": name, "name": name, "probe": probe.name, "seeds": [1], "settled": [[]], "luck": 0}
    loans = {one: list(loan(one)) for one in replaced}
    return submission.ask({**job, "loans": loans, "partners": ""}, 5)


def blank(answer: Answer) -> bool:
    """Whether the first probe came to nothing."""
    returned = answer.value["runs"][0]["returned"]
    return getattr(returned, "kind", "") == "NotImplementedError"


def run(submission: Submission, own: NotebookNode) -> None:
    for one in own.cells:
        if one.cell_type == "code" and "check(" not in one.source and "RuntimeError" not in one.source:
            submission.ask({"do": "cell", "text": one.source}, 5, stays=True)


def test_what_was_lent_to_one_exercise_cannot_be_handed_in_for_another(room: Room) -> None:
    own = thief(LayerNorm=TAKES, normalize=HANDS_IN)
    with room.box.submission() as submission:
        run(submission, own)
        assert blank(ask(submission, "normalize"))
        ask(submission, "LayerNorm", "normalize")
        assert not blank(ask(submission, "normalize")), "the theft does not even work where all is lent in one place"
    assert points(room.grade(own)) == {**FULL, "normalize": 0.0}


def test_no_exercise_finds_its_own_answer_lent(room: Room) -> None:
    wrong = cell(right(), "LayerNorm").source.replace("+ self.bias", "- self.bias")
    own = thief(LayerNorm=wrong, LayerNormalization=LOOKS_ABOUT)
    with room.box.submission() as submission:
        run(submission, own)
        assert blank(ask(submission, "LayerNormalization"))
        lent = ask(submission, "LayerNormalization", "LayerNorm")
        assert not blank(lent), "the theft does not even work where it is lent"
    assert points(room.grade(own))["LayerNormalization"] == 0.0


# In a notebook and here ---------------------------------------------------------------------------

GONE = {
    "missing": "",
    "misspelt": "def normalise(x, eps=1e-5): return x",
    "as handed out": "def normalize(x, eps=1e-5):\n    raise NotImplementedError",
    "broken off": "def normalize(x, eps=1e-5):\n    return (x -",
    "raising": "normalize = undefined_name",
    "deleted": "def normalize(x, eps=1e-5): return x\ndel normalize",
    "nothing": "normalize = None",
    "another signature": "def normalize(x): return x",
    "an object of torch's": "normalize = nn.LayerNorm(4)",
    "imported": "from torch.nn.functional import normalize",
    "wrong": WRONG,
    "right": "",
}
"""What may have become of `normalize`, on which `LayerNorm` leans."""


def in_a_notebook(own: NotebookNode) -> dict[str, float]:
    """Exercise → points, as `check` in the notebook gives them."""
    module = types.ModuleType("learners_notebook")
    for one in own.cells:
        if one.cell_type == "code" and "check(" not in one.source:
            with contextlib.suppress(Exception):
                exec(compile(one.source, "<cell>", "exec"), module.__dict__)
    given = vars(module)
    return {name: examine(exercise(name), given[name]).points if name in given else 0.0 for name in FULL}


@pytest.mark.parametrize("state", GONE)
def test_a_notebooks_check_excuses_what_grading_excuses(state: str, room: Room) -> None:
    own = right() if state == "right" else with_code("normalize", GONE[state])
    graded = points(room.grade(own))
    assert graded == in_a_notebook(own)
    imported = state in ("imported", "an object of torch's")
    assert graded["LayerNorm"] == (0.0 if imported else FULL["LayerNorm"])
    assert graded["normalize"] == (FULL["normalize"] if state == "right" else 0.0)
