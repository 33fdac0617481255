"""One submission in the sandbox, from right to hopeless: what status and how many points it gets."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import nbformat
import pytest

from autograder.classroom.grading.one_notebook import Secret, grade_file
from autograder.classroom.grading.submission import Malformed, parse, read
from autograder.registry import exercise
from tests.sandbox.rooms import (
    ALL,
    FULL,
    Room,
    needs_walls,
    plan,
    points,
    result,
    right,
    statuses,
    with_cell,
    with_code,
)
from tests.small_lesson import STD_PLUS_EPS, cell, notebook, solved

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=2)]

SYNTAX = "class RMSNorm(nn.Module:\n    pass"
HANGS = "class RMSNorm(nn.Module):\n    def __init__(self, d_model, eps=1e-6):\n        while True: pass"
LOOPS = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"


def test_what_is_right_gets_everything(room: Room) -> None:
    grade = room.patiently(right())
    assert points(grade) == FULL
    assert set(statuses(grade).values()) == {"ok"}
    assert (grade.status, grade.cells, grade.flags, grade.isolation) == ("ok", [], [], "sandbox")


def test_what_was_not_written_gets_nothing(room: Room) -> None:
    grade = room.grade(notebook("student"))
    assert set(points(grade).values()) == {0.0}
    assert set(statuses(grade).values()) == {"not attempted"}


def test_a_known_mistake_is_named(room: Room) -> None:
    given = "        return self.weight * normalize(x, self.eps) + self.bias"
    own = right()
    cell(own, "LayerNorm").source = cell(own, "LayerNorm").source.replace(given, STD_PLUS_EPS)
    grade = room.grade(own)
    assert (result(grade, "LayerNorm").status, result(grade, "LayerNorm").mistake) == ("wrong", "std + eps")
    assert "std" in result(grade, "LayerNorm").html
    assert points(grade) == {**FULL, "LayerNorm": points(grade)["LayerNorm"]}
    assert 0 <= (points(grade)["LayerNorm"] or 0) < 4


def test_an_earlier_part_that_is_wrong_costs_nothing_later(room: Room) -> None:
    grade = room.grade(with_code("normalize", "def normalize(x, eps=1e-5):\n    return x / 2"))
    assert points(grade) == {**FULL, "normalize": 0.0}
    assert "stand-in in that place" in result(grade, "LayerNorm").text


UNBIASED = ("square().mean(dim=-1, keepdim=True)", "square().sum(dim=-1, keepdim=True) / (x.shape[-1] - 1)")


@pytest.mark.parametrize(
    "slip", [("+ self.bias", "- self.bias"), ("self.weight *", "self.weight +"), (", self.eps", "")]
)
def test_a_slip_in_an_earlier_part_costs_no_points_beside_one_of_its_own(room: Room, slip: tuple[str, str]) -> None:
    own = right()
    before = cell(own, "LayerNorm").source
    cell(own, "LayerNorm").source = slip[1].join(before.rsplit(slip[0], 1))
    alone = room.grade(own)
    cell(own, "normalize").source = cell(own, "normalize").source.replace(*UNBIASED)
    both = room.grade(own)
    assert result(both, "normalize").status == result(alone, "LayerNorm").status == "wrong"
    assert result(both, "LayerNorm").points == result(alone, "LayerNorm").points
    assert result(both, "LayerNorm").mistake == result(alone, "LayerNorm").mistake


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (SYNTAX, "exception"),
        ("1 / 0", "exception"),
        ("RMSNorm = None", "wrong"),
        ("RMSNorm = LayerNorm(4)", "exception"),
        ("rms_norm = 3", "not defined"),
        ("", "not attempted"),
        ("def RMSNorm(*a): return nope", "exception"),
        ("import os; os._exit(0)", "killed"),
        ("import os; os.kill(os.getpid(), 11)", "killed"),
        ("x = bytearray(3 * 2**30)", "out of memory"),
        ("class RMSNorm(nn.Module):\n    def __init__(self, *a): torch.ones(2**31)", "out of memory"),
        ("class RMSNorm(nn.Module):\n    def __init__(self, *a): import os; os._exit(3)", "killed"),
        ("class RMSNorm(nn.Module):\n    def __init__(self, *a): exit()", "exception"),
        ("def RMSNorm(*a): return print", "exception"),
    ],
)
def test_what_goes_wrong_in_one_exercise_stays_there(room: Room, code: str, status: str) -> None:
    grade = room.patiently(with_code("RMSNorm", code))
    assert statuses(grade) == {**dict.fromkeys(ALL, "ok"), "RMSNorm": status}, grade
    assert points(grade) == {**FULL, "RMSNorm": 0.0}


@pytest.mark.parametrize("code", [LOOPS, HANGS])
def test_what_does_not_end_costs_one_exercise(room: Room, code: str) -> None:
    grade = room.grade(with_code("RMSNorm", code))
    assert statuses(grade) == {**dict.fromkeys(ALL, "ok"), "RMSNorm": "timeout"}
    assert grade.seconds < 30


def test_a_part_that_was_stopped_is_replaced_for_what_is_built_on_it(room: Room) -> None:
    grade = room.grade(with_code("normalize", LOOPS))
    assert points(grade) == {**FULL, "normalize": 0.0}


def test_a_forbidden_call_is_flagged(room: Room) -> None:
    code = "class RMSNorm(nn.RMSNorm):\n    def __init__(self, d_model, eps=1e-6): super().__init__(d_model, eps=eps)"
    grade = room.grade(with_code("RMSNorm", code))
    assert result(grade, "RMSNorm").points == 0
    assert any("forbids" in flag for flag in result(grade, "RMSNorm").flags)


def test_helpers_in_cells_of_ones_own_are_run(room: Room) -> None:
    own = with_cell("def mean(x): return x.mean(-1, keepdim=True)")
    own = solved(own, *ALL)
    body = "def normalize(x, eps=1e-5):\n    d = x - mean(x)\n    return d / (mean(d * d) + eps).sqrt()"
    cell(own, "normalize").source = body
    assert points(room.grade(own)) == FULL


def test_cells_that_only_show_something_are_not_run(room: Room) -> None:
    own = right()
    played = next(one for one in own.cells if "grading does not come here" in one.source)
    assert room.grade(own).cells == []
    played.source += "\n# touched, so it is the student's own"
    assert [note.status for note in room.grade(own).cells] == ["exception"]


# The file ------------------------------------------------------------------------------


def test_cells_that_are_gone_moved_or_twice(room: Room) -> None:
    own = right()
    own.cells = [one for one in own.cells if one.id != "check-RMSNorm"]
    check = cell(own, "check-LayerNorm")
    own.cells.remove(check)
    own.cells.insert(0, check)
    again = copy.deepcopy(cell(own, "normalize"))
    again.source, again.id = "another_attempt = None", "another"
    own.cells.append(again)
    own.cells.append(copy.deepcopy(cell(own, "check-normalize")))
    grade = room.grade(own)
    assert points(grade) == FULL
    assert len(grade.flags) == 4


def test_a_cell_that_was_split_is_run_whole(room: Room) -> None:
    """JupyterLab gives both halves the metadata, and with it the name."""
    own = right()
    whole = cell(own, "normalize")
    half = copy.deepcopy(whole)
    half.source, half.id = "def helper(x):\n    return x", "half"
    own.cells.insert(own.cells.index(whole), half)
    grade = room.grade(own)
    assert points(grade) == FULL
    assert grade.flags == ["normalize occurs more than once; all of it was run"]


def test_what_someone_wrote_into_a_check_cell_is_run(room: Room) -> None:
    own = right()
    exercise_, check = cell(own, "normalize"), cell(own, "check-normalize")
    check.source, exercise_.source = f"{exercise_.source}\n\n{check.source}", ""
    grade = room.grade(own)
    assert points(grade) == FULL
    assert grade.cells == []
    assert grade.flags == ["the check cell check-normalize was edited; what it holds was run before the check"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_other_encodings_of_unicode_are_read(room: Room, encoding: str) -> None:
    assert points(room.grade(nbformat.writes(right()).encode(encoding))) == FULL


def test_a_device_that_is_not_there_costs_only_what_is_computed_on_it(room: Room) -> None:
    grade = room.grade(with_cell("import torch\ntorch.set_default_device('cuda')", before="LayerNorm"))
    assert points(grade)["LayerNorm"] == FULL["LayerNorm"]


BY_LAYER_NORM = """\
class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        # The mean of x and -x is 0, and its variance the mean square of x.
        both = LayerNorm(2 * x.size(-1), self.eps)(torch.cat([x, -x], dim=-1))
        return self.weight * both[..., : x.size(-1)]"""


def test_what_is_built_on_a_wrong_part_is_decided_once_more_when_that_part_can_be_lent(room: Room) -> None:
    own = right()
    cell(own, "RMSNorm").source = BY_LAYER_NORM
    assert points(room.grade(own)) == FULL
    cell(own, "LayerNorm").source = cell(own, "LayerNorm").source.replace("self.bias", "2 * self.bias + 1")
    graded = points(room.grade(own))
    assert graded["LayerNorm"] < FULL["LayerNorm"]
    assert graded["RMSNorm"] == FULL["RMSNorm"]


def test_a_solution_cell_that_is_gone(room: Room) -> None:
    own = right()
    own.cells = [one for one in own.cells if one.id != "RMSNorm"]
    grade = room.grade(own)
    assert statuses(grade)["RMSNorm"] == "not attempted"
    assert "the cell RMSNorm is gone" in grade.flags


def raw(**changes: Any) -> bytes:
    return json.dumps({**json.loads(nbformat.writes(right())), **changes}).encode()


@pytest.mark.parametrize(
    ("what", "given"),
    [
        ("nothing", b""),
        ("no JSON", b"certainly not"),
        ("no text", b"\xff\xfe\x00"),
        ("a number", b"3"),
        ("no cells", b"{}"),
        ("cells that are none", b'{"cells": 3}'),
        ("nested", b"[" * 100_000),
        ("a huge number", b'{"cells": [' + b"9" * 10_000 + b"]}"),
        ("a huge cell", json.dumps({"cells": [{"cell_type": "code", "source": "x" * 300_000}]}).encode()),
        ("many cells", json.dumps({"cells": [{"cell_type": "code"}] * 3000}).encode()),
        ("a large file", b'{"cells": []}' + b" " * 60_000_000),
    ],
)
def test_what_is_no_notebook_is_malformed(room: Room, what: str, given: bytes) -> None:
    grade = room.grade(given)
    assert grade.status == "malformed"
    assert points(grade) == dict.fromkeys(ALL, 0.0)
    assert grade.words


def test_odd_cells_do_no_harm(room: Room) -> None:
    odd = [3, None, "x", [], {}, {"cell_type": "code"}, {"cell_type": "code", "source": [1, "pass"], "metadata": 5}]
    odd += [{"cell_type": "code", "source": "y = '\ud800'", "metadata": {"nbgrader": {"grade_id": ["normalize"]}}}]
    cells = json.loads(nbformat.writes(right()))["cells"]
    assert points(room.grade(raw(cells=[*odd, *cells]))) == FULL


@pytest.mark.parametrize("change", [{"nbformat": 99}, {"nbformat": "x"}, {"metadata": None}, {"nbformat_minor": -1}])
def test_what_is_said_about_the_format_does_not_matter(room: Room, change: dict[str, Any]) -> None:
    assert points(room.grade(raw(**change))) == FULL


def test_a_link_is_not_followed(tmp_path: Path, room: Room) -> None:
    target = tmp_path / "right.ipynb"
    target.write_text(nbformat.writes(right()))
    (tmp_path / "link.ipynb").symlink_to(target)
    grade = grade_file(tmp_path / "link.ipynb", plan(), room.box, room.secret)
    assert grade.status == "malformed"
    os.mkfifo(tmp_path / "pipe.ipynb")
    with pytest.raises(Malformed):
        read(tmp_path / "pipe.ipynb")


def test_every_task_is_checked_exactly_once_whatever_the_order() -> None:
    own = right()
    own.cells.reverse()
    handed = parse(nbformat.writes(own).encode(), plan())
    checks = [step.name for step in handed.steps if step.kind == "check"]
    assert sorted(checks) == sorted(plan().checks)
    order = [step.name for step in handed.steps]
    assert all(order.index(name) < order.index(f"check-{name}") for name in ALL)


# Seeds -----------------------------------------------------------------------------------


def test_seeds_are_secret_and_each_probe_has_its_own() -> None:
    one, other = Secret(), Secret()
    seeds = [one.seeds(each, probe) for each in map(exercise, ALL[:3]) for probe in each.probes]
    flat = [seed for some in seeds for seed in some]
    assert len(set(flat)) == len(flat) > 50
    layer_norm = exercise("LayerNorm")
    assert one.seeds(layer_norm, layer_norm.probes[0]) != other.seeds(layer_norm, layer_norm.probes[0])
    assert one.key.hex() not in repr(one)


# What ran before a cell that takes its process along ---------------------------------------

COUNTS = "open('ran', 'a').write('x')"
HOW_OFTEN = "print(len(open('ran').read()))"
EXIT = "import os; os._exit(0)"
ONLY_ONCE = f"import os\nif not os.path.exists('ran'): {COUNTS}\nelse: os._exit(0)"


def _said(room: Room, *cells: str) -> list[str]:
    """What cells print, or the status of those that were lost."""
    with room.box.submission() as submission:
        answers = [submission.ask({"do": "cell", "text": text}, 5, stays=True) for text in cells]
    return [one.value["printed"].strip() if one.status == "answered" else one.status for one in answers]


def test_names_are_there_again_after_a_cell_that_was_killed(room: Room) -> None:
    assert _said(room, "a = 1", "b = 2", EXIT, EXIT, "print(a + b)") == ["", "", "killed", "killed", "3"]


def test_what_took_long_does_not_run_again(room: Room) -> None:
    assert _said(room, COUNTS, EXIT, HOW_OFTEN)[-1] == "2"
    assert _said(room, COUNTS + "; import time; time.sleep(1.1)", EXIT, HOW_OFTEN)[-1] == "1"


def test_a_cell_that_does_not_run_a_second_time_is_left_out(room: Room) -> None:
    told = _said(room, "a = 1", ONLY_ONCE + "\nb = 2", "c = 3", EXIT, "print(a, c, 'b' in globals())")
    assert told == ["", "", "", "killed", "1 3 False"]


def test_a_thread_that_ends_the_process_later_costs_what_comes_then(room: Room) -> None:
    later = "import os, threading\nthreading.Timer(0.8, os._exit, [0]).start()"
    told = _said(room, "a = 1", later, "import time; time.sleep(5)", "print(a)")
    assert told == ["", "", "killed", "1"]
