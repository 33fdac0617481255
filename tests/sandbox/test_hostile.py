"""Hostile notebooks. Every attack is shown to work in a plain kernel first: so its failing here means something."""

from __future__ import annotations

import contextlib
import copy
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from nbformat import NotebookNode
from nbformat.v4 import new_output

from autograder.classroom.grading.box import Answer, Box
from autograder.notebooks.files import ROOT
from autograder.sandbox import stage, walls
from autograder.sandbox.inside.limits import Limits
from tests.sandbox.attacks import FORGERIES, LATE, LIARS, PEEKS, WRONG
from tests.sandbox.rooms import ALL, FULL, Room, needs_walls, plan, points, right, statuses, with_cell
from tests.small_lesson import LESSON, cell, notebook

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=0)]

MORE = Limits(cell=20, memory=16 * 2**30, disk=2**30, file=2**30, processes=100_000, files=4096)
SETUP = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor, nn\nfrom autograder import check\n"


@pytest.fixture(scope="module")
def prey(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What attackers are after: files, sockets, an environment variable."""
    folder = tmp_path_factory.mktemp("secrets")
    (folder / "gradebook.db").write_text("points of all")
    (folder / "other.ipynb").write_text("another's answer")
    with contextlib.ExitStack() as ends:
        server = ends.enter_context(socket.create_server(("", 0)))
        door = ends.enter_context(socket.socket(socket.AF_UNIX))
        door.bind(str(folder / "door"))
        hidden = ends.enter_context(socket.socket(socket.AF_UNIX))
        hidden.bind(f"\0autograder-{os.getpid()}")
        for one in (door, hidden):
            one.listen(8)
        patch = ends.enter_context(pytest.MonkeyPatch.context())
        patch.setenv("SECRET_TOKEN", "hunter2")
        yield {
            "{secrets}": str(folder),
            "{root}": str(ROOT),
            "{port}": str(server.getsockname()[1]),
            "{abstract}": f"autograder-{os.getpid()}",
            "{address}": _own_address(),
        }


def _own_address() -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # sends nothing; says which address would be used
            return str(one.getsockname()[0])
        except OSError:
            return "127.0.0.1"


@pytest.fixture(scope="module")
def plain(prey: dict[str, str]) -> Iterator[Box]:
    """A kernel as stock nbgrader starts it: all of the software, the grader's environment, no walls."""
    environment = walls.environment

    @contextlib.contextmanager
    def everything(*_: object) -> Iterator[Path]:
        yield ROOT

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "staged", everything)
        patch.setattr(walls, "environment", lambda *given: {**os.environ, **environment(*given)})
        box = Box(LESSON, plan().modules, MORE, sandboxed=False)
    yield box
    box.close()


def run(box: Box, *cells: str) -> list[Answer]:
    """Run cells as one submission."""
    with box.submission() as submission:
        return [submission.ask({"do": "cell", "text": text}, 20, stays=True) for text in cells]


def said(answer: Answer) -> str:
    return str(answer.value["printed"]) if answer.status == "answered" else answer.words


def got(answer: Answer) -> bool:
    """Whether an attacker has what it wanted: it says so on a line of its own (a warning may repeat its code)."""
    return any(line.startswith("GOT") for line in said(answer).splitlines())


def filled(code: str, prey: dict[str, str]) -> str:
    for name, value in prey.items():
        code = code.replace(name, value)
    return code


# Peeking, reaching out, using up ----------------------------------------------------------


@pytest.mark.parametrize("name", PEEKS)
def test_what_a_plain_kernel_gives_away_the_sandbox_does_not(
    name: str, plain: Box, room: Room, prey: dict[str, str]
) -> None:
    if name == "writes beside torch" and not os.access(Path(torch.__file__).parent, os.W_OK):
        pytest.skip("whoever runs this may not write there without walls either")
    code = filled(PEEKS[name], prey)
    assert got(run(plain, SETUP + WRONG, code)[-1]), "the attack does not even work in a plain kernel"
    answers = run(room.box, SETUP + WRONG, code, "print('still here')")
    assert not got(answers[1])
    assert "still here" in said(answers[2]) or "a hundred" in name
    assert "alive" in said(run(room.box, "print('alive')")[0])


@pytest.mark.parametrize("name", LATE)
def test_nothing_outlives_its_submission(name: str, plain: Box, room: Room, prey: dict[str, str]) -> None:
    code, late = filled(LATE[name], prey), Path(prey["{secrets}"]) / "late"
    with plain.submission() as submission:
        submission.ask({"do": "cell", "text": code}, 20, stays=True)
        time.sleep(0.8)
    assert late.exists(), "the attack does not even work in a plain kernel"
    late.unlink()
    before = _processes_inside(room.box)
    with room.box.submission() as submission:
        submission.ask({"do": "cell", "text": code}, 20, stays=True)
    time.sleep(0.8)
    assert not late.exists()
    assert _processes_inside(room.box) <= before


def _processes_inside(box: Box) -> int:
    """How many processes there are below a box's outermost one."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    found, open_ = set(), {box.process}
    while open_:
        open_ = {child for child, parent in parents.items() if parent in open_} - found
        found |= open_
    return len(found)


FOLDERS = "import os\nfor folder in ('/tmp', '/dev/shm', '.', os.environ['HOME']):\n"
LEAVES = FOLDERS + "    open(folder + '/left-{n}', 'w').close()"
FINDS = FOLDERS + "    if os.path.exists(folder + '/left-{n}'): print('GOT')"


def test_one_submission_leaves_nothing_for_the_next(plain: Box, room: Room) -> None:
    number = str(os.getpid())
    leaves, finds = LEAVES.replace("{n}", number), FINDS.replace("{n}", number)
    run(plain, leaves)
    assert got(run(plain, finds)[0])
    # Where Python is installed somewhere in /tmp, that folder is read-only inside.
    refused = "OSError" if Path(sys.prefix).is_relative_to("/tmp") else ""
    assert run(room.box, leaves)[0].value["error"] == refused
    assert not got(run(room.box, finds)[0])
    for folder in ("/tmp", "/dev/shm"):
        Path(f"{folder}/left-{number}").unlink()


WRITES = "import os\nos.write(2, b'left behind')"
READS = """\
import os
try: found = os.pread(2, 1000, 0)
except OSError: found = b''
print('GOT' if b'left behind' in found else '')
"""
OPEN = """\
import os, stat
for number in range(3, 1000):
    try: mode = os.fstat(number).st_mode
    except OSError: continue
    if stat.S_ISREG(mode): print('GOT')
"""


def test_submissions_share_no_open_file(room: Room, tmp_path: Path) -> None:
    with (tmp_path / "shared").open("w+b") as shared:
        subprocess.run([sys.executable, "-c", WRITES], stderr=shared, check=True)
        command = [sys.executable, "-c", READS]
        assert b"GOT" in subprocess.run(command, stderr=shared, stdout=subprocess.PIPE, check=True).stdout
        command = [sys.executable, "-c", OPEN]
        done = subprocess.run(command, pass_fds=[shared.fileno()], stdout=subprocess.PIPE, check=True)
        assert b"GOT" in done.stdout
    run(room.box, WRITES)
    for attack in (READS, OPEN):
        assert not got(run(room.box, attack)[0])


KILLS = "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)"
SIGNALS = """\
import os
for number in range(1, 65):
    for process in (1, os.getppid()):
        try: os.kill(process, number)
        except OSError: pass
"""


def test_killing_upwards_ends_nobody_elses_work(room: Room) -> None:
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {KILLS!r}])"
    done = subprocess.run([sys.executable, "-c", parent], check=False)
    assert done.returncode == -9, "the attack does not even work on a plain parent"
    for code in (KILLS, SIGNALS):
        run(room.box, code, code)
    assert points(room.grade(right())) == FULL


UNCOVERS = """\
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
libc.unshare(0x10000000 | 0x00020000)
for folder in ('/proc', '/scratch', '/tmp', '/course-software'):
    libc.umount2(folder.encode(), 2)
print('GOT' if any(name.isdigit() for name in os.listdir('/proc')) else '')
"""


def test_what_is_covered_cannot_be_uncovered(plain: Box, room: Room) -> None:
    assert got(run(plain, "import os\nprint('GOT' if '1' in os.listdir('/proc') else '')")[0])
    assert not got(run(room.box, UNCOVERS)[0])


# Forging points ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", FORGERIES)
def test_points_that_can_be_forged_in_a_plain_kernel_cannot_be_here(name: str, plain: Box, room: Room) -> None:
    attack = FORGERIES[name]
    last = "print('POINTS', repr(check(RMSNorm)))"
    forged = said(run(plain, SETUP, WRONG, attack, last)[-1])
    assert "POINTS 3.0" in forged, f"the attack does not even work in a plain kernel: {forged}"
    own = only_rms_norm(f"{WRONG}\n\n{attack}")
    assert (points(room.grade(own))["RMSNorm"] or 0) < 3


def only_rms_norm(code: str) -> NotebookNode:
    """A notebook in which nothing else was written."""
    own = notebook("student")
    cell(own, "RMSNorm").source = code
    return own


def test_without_an_attack_the_wrong_code_does_not_get_full_points(plain: Box) -> None:
    assert "POINTS 0.0" in said(run(plain, SETUP, WRONG, "print('POINTS', repr(check(RMSNorm)))")[-1])


@pytest.mark.parametrize("name", LIARS)
def test_values_that_deceive_a_comparison_deceive_nobody_here(name: str, plain: Box, room: Room) -> None:
    make, deceived = LIARS[name]
    assert "True" in said(run(plain, SETUP, make, f"print({deceived})")[-1])
    own = right()
    lies = f"{make}\nclass RMSNorm(LayerNorm):\n    def forward(self, x): return answer"
    cell(own, "RMSNorm").source = lies
    cell(own, "normalize").source = f"{make}\ndef normalize(x, eps=1e-5): return answer"
    earned = points(room.grade(own))
    assert (earned["normalize"], earned["RMSNorm"]) == (0.0, 0.0)


OVERWRITES = """\
import autograder.sandbox.inside.runner as r, autograder.sandbox.inside.channel as c
import autograder.probing.outcome as o, torch
def lie(job):
    return {"runs": [%s] * len(job["seeds"]), "printed": ""}
r._probe = lie
"""
RUN = '{"returned": %s, "signatures": [], "changed": [], "forbidden": [], "place": None, "interrupted": False}'


@pytest.mark.parametrize(
    "value",
    [
        "None", "torch.zeros(2, 3, 4)", "float('nan')", "[torch.full((2, 3, 4), float('nan'))] * 3",
        "o.Raised(('Exception', 'ValueError', 'TypeError', 'RuntimeError'))", "{'x' * 600: 3}", "2**8000",
        "o.Foreign('torch.Tensor')", "[[[[]]]] * 1000", "'x' * 10**6", "torch.zeros(0)", "torch.zeros(3000, 300)",
    ],
)  # fmt: skip
def test_outcomes_made_up_by_an_overwritten_runner_gain_nothing(value: str, plain: Box, room: Room) -> None:
    attack = OVERWRITES % (RUN % value)
    assert said(run(plain, SETUP, attack, "print(bool(r._probe({'seeds': [1]})))")[-1]) == "True\n"
    assert (points(room.grade(only_rms_norm(f"{WRONG}\n{attack}")))["RMSNorm"] or 0) < 3


NOISE = ["b''", "b'\\0' * 4", "b'\\xff' * 100", "b'\\0\\0\\0\\x01z'", "b'\\0\\0\\0\\x05l\\xff\\xff\\xff\\xff'"]


@pytest.mark.parametrize("noise", NOISE)
def test_noise_on_every_open_line_costs_only_its_author(noise: str, room: Room) -> None:
    attack = f"import os\nfor number in range(3, 256):\n    try: os.write(number, {noise})\n    except OSError: pass"
    grade = room.grade(with_cell(attack, before="RMSNorm"))
    assert points(grade)["normalize"] == 2.0
    assert grade.status == "ok"
    assert points(room.grade(right())) == FULL


@pytest.mark.parametrize("call", ["os.fork()", "os.close(3)", "os.closerange(3, 256)", "os.dup2(1, 3)"])
def test_forks_and_closed_lines_cost_only_their_author(call: str, room: Room) -> None:
    grade = room.grade(with_cell(f"import os\n{call}", before="RMSNorm"))
    assert points(grade)["normalize"] == 2.0
    assert points(room.grade(right())) == FULL


def test_code_that_runs_at_every_fork_costs_only_its_author(room: Room) -> None:
    hook = "import os, time\nos.register_at_fork(after_in_child=lambda: time.sleep(1000))"
    grade = room.grade(with_cell(hook, before="check-RMSNorm"))
    found = statuses(grade)
    assert [found[name] for name in ("normalize", "LayerNorm")] == ["ok", "ok"]
    assert found["RMSNorm"] in ("killed", "timeout")
    assert points(room.grade(right())) == FULL


# The file itself ---------------------------------------------------------------------------


def forged(change: dict[str, Any], **metadata: Any) -> Any:
    """The right notebook with a wrong RMSNorm and a check cell that was tampered with."""
    own = only_rms_norm(WRONG)
    check = cell(own, "check-RMSNorm")
    check.update(change)
    check.metadata.update(metadata)
    return own


RESULT = new_output("execute_result", {"text/plain": "3.0"}, execution_count=1)


@pytest.mark.parametrize(
    ("name", "change", "metadata"),
    [
        ("skipped by its tag", {}, {"tags": ["skip-execution"]}),
        ("another text", {"source": "3.0"}, {}),
        ("a forged output", {"outputs": [RESULT], "source": ""}, {}),
    ],
)
def test_a_check_cell_that_was_tampered_with(
    name: str, change: dict[str, Any], metadata: dict[str, Any], room: Room
) -> None:
    from nbgrader.utils import determine_grade

    own = forged(change, **metadata)
    check = copy.deepcopy(cell(own, "check-RMSNorm"))
    check.outputs = [RESULT] if change else []  # what it leaves when stock nbgrader runs it, or skips it
    assert determine_grade(check)[0] == 3, "the attack does not even work in stock nbgrader"
    assert (points(room.grade(own))["RMSNorm"] or 0) < 3


@pytest.mark.parametrize("kind", ["markdown", "raw"])
def test_a_check_cell_that_was_made_another_kind_of_cell(kind: str, room: Room) -> None:
    own = forged({})
    check = cell(own, "check-RMSNorm")
    check.cell_type = kind
    del check["outputs"], check["execution_count"]
    grade = room.grade(own)
    assert (points(grade)["RMSNorm"] or 0) < 3
    assert set(points(grade)) == set(ALL)


def test_points_in_metadata_are_not_believed(room: Room) -> None:
    own = right()
    cell(own, "check-RMSNorm").metadata.nbgrader.points = 1000
    assert points(room.grade(own)) == FULL


def test_one_exercises_cell_may_not_answer_for_the_grade_of_another(room: Room) -> None:
    """Two cells of one name: the first counts, and a check of another name than its own is no check."""
    own = right()
    cell(own, "RMSNorm").source = WRONG
    cell(own, "check-RMSNorm").metadata.nbgrader.grade_id = "check-LayerNorm"
    grade = room.grade(own)
    assert (points(grade)["RMSNorm"] or 0) < 3
    assert points(grade)["LayerNorm"] == 4.0
    assert grade.flags
