"""What all of a submission may take together, where the system counts it."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.classroom.grading.box import Box
from autograder.sandbox import memory
from autograder.sandbox.inside.limits import MEGABYTE
from tests.sandbox.rooms import FULL, QUICK, Room, needs_walls, plan, points, right, with_cell
from tests.sandbox.test_hostile import got, run, said
from tests.small_lesson import LESSON

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=2)]
needs_groups = pytest.mark.skipif(memory.place() is None, reason="this user may use no control group")

SMALL = dataclasses.replace(QUICK, cell=20, together=1000 * MEGABYTE)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    """A sandbox that may take little."""
    with Box(LESSON, plan().modules, SMALL) as box:
        yield Room(tmp_path_factory.mktemp("small"), box=box)


@pytest.fixture(scope="module")
def uncounted() -> Iterator[Box]:
    """The same where there are no control groups."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "place", lambda: None)
        box = Box(LESSON, plan().modules, SMALL)
    yield box
    box.close()


PROCESSES = """\
import os, time
ready, done = os.pipe(), os.pipe()
for _ in range(6):
    if os.fork() == 0:
        taken = bytearray(b'x') * (150 * 2**20)
        os.write(ready[1], b'x')
        os.read(done[0], 1)
        os._exit(0)
os.close(ready[1])
there = 0
while there < 6 and os.read(ready[0], 1): there += 1
os.write(done[1], b'x' * 6)
print('GOT' if there == sum(os.wait()[1] == 0 for _ in range(6)) == 6 else '')
"""
SMALL_ONES = """\
import subprocess
many = [subprocess.Popen(['python3', '-c', "x = bytearray(b'x') * (25 * 2**20); input()"], stdin=-1) for _ in range(30)]
for one in many: one.wait(15)
"""


@needs_groups
def test_many_processes_take_no_more_than_all_of_a_submission_may(small: Room, uncounted: Box) -> None:
    assert got(run(uncounted, PROCESSES)[0]), "the attack does not even work where memory is not counted"
    assert not got(run(small.box, PROCESSES)[0])
    for code in (PROCESSES, SMALL_ONES):
        grade = small.grade(with_cell(code, before="RMSNorm"))
        assert grade.status == "ok"
        assert (grade.status, points(grade)["normalize"]) == ("ok", 2.0)
        assert None not in points(grade).values()
    assert points(small.grade(right())) == FULL


def test_no_memory_lies_outside_of_what_a_process_is_limited_to(room: Room) -> None:
    """3,000 MB in files that are none: each is in nobody's address space."""
    code = (
        "import os\nfiles = [os.memfd_create(str(n)) for n in range(8)]\n"
        "for one in files:\n    for _ in range(10): os.write(one, bytes(2**20))\nprint('GOT')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "GOT" in done.stdout, "the attack does not even work in a plain process"
    answer = run(room.box, code)[0]
    assert not got(answer)
    assert answer.value["error"] == "PermissionError"


def test_what_is_no_folder_of_its_own_cannot_be_written_to(room: Room) -> None:
    code = (
        "import os\n"
        "for folder in ('/dev', '/', '/usr', '/proc', '/dev/pts', '/course-software'):\n"
        "    try: open(folder + '/left', 'w').close()\n"
        "    except OSError: continue\n"
        "    print('GOT', folder)\n"
        "open('/dev/null', 'w').write('x');\n"
    )
    answer = run(room.box, code)[0]
    assert (said(answer), answer.value["error"]) == ("", "")


def test_a_sandbox_that_counts_nothing_says_so(uncounted: Box, room: Room) -> None:
    assert any("cgroup" in one for one in uncounted.lacks)
    assert any("cgroup" in one for one in room.box.lacks) == (memory.place() is None)


@needs_groups
def test_a_box_that_ends_leaves_no_group_and_the_next_removes_what_was_left() -> None:
    above = memory.place()
    assert above is not None
    left = above / f"{memory.PREFIX}-999999999-0"
    left.mkdir()
    memory.place.cache_clear()
    assert memory.place() == above
    assert not left.exists()
    with Box(LESSON, []):
        assert list(above.glob(f"{memory.PREFIX}-{os.getpid()}-*"))
        before = len(list(above.glob(f"{memory.PREFIX}-{os.getpid()}-*")))
    assert len(list(above.glob(f"{memory.PREFIX}-{os.getpid()}-*"))) == before - 1


# Where groups may be made: told by files of the kernel's that are made up here ---------------


def _layout(folder: Path, monkeypatch: pytest.MonkeyPatch, own: str, mounts: str) -> list[Path]:
    lines = {"/proc/self/cgroup": own.splitlines(), "/proc/self/mountinfo": mounts.splitlines()}
    monkeypatch.setattr(memory, "_lines", lambda file: lines[file])
    return [one.relative_to(folder) for one in memory._candidates()]


V2 = "31 23 0:28 {root} {folder} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
V1 = (
    "33 31 0:33 {root} {folder}/memory rw - cgroup cgroup rw,memory\n"
    "34 31 0:34 / {folder}/cpu rw - cgroup cgroup rw,cpu"
)


def test_in_a_system_of_the_newer_kind_a_group_stands_where_memory_is_shared_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, shares in (("", "cpu memory"), ("user", "memory pids"), ("user/shell", ""), ("user/shell/own", "cpu")):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "cgroup.subtree_control").write_text(shares)
    found = _layout(tmp_path, monkeypatch, "0::/user/shell/own", V2.format(root="/", folder=tmp_path))
    assert found == [Path("user"), Path()]


def test_in_a_system_of_the_older_kind_a_group_stands_below_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "4:memory:/job/7\n3:cpu:/other\n0::/"
    assert _layout(tmp_path, monkeypatch, own, V1.format(root="/", folder=tmp_path)) == [Path("memory/job/7")]
    assert _layout(tmp_path, monkeypatch, own, V1.format(root="/job", folder=tmp_path)) == [Path("memory/7")]
    assert _layout(tmp_path, monkeypatch, own, V1.format(root="/elsewhere", folder=tmp_path)) == []
    assert _layout(tmp_path, monkeypatch, "", "") == []


def test_a_limit_is_written_in_either_kind(tmp_path: Path) -> None:
    (tmp_path / "memory.max").touch()
    (tmp_path / "memory.swap.max").touch()
    memory._limit(tmp_path, 1000)
    assert ((tmp_path / "memory.max").read_text(), (tmp_path / "memory.swap.max").read_text()) == ("1000", "0")
    with pytest.raises(FileNotFoundError, match="counts no memory"):
        memory._limit(tmp_path / "none", 1000)


MAPS_A_LOT = """\
import mmap
torch_for_graphics_cards = mmap.mmap(-1, 4 * 2**30, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
from autograder.sandbox.inside import limits
limits.apply(limits.Limits(), limits.mapped())
bytearray(2**30)
try:
    bytearray(2 * 2**30)
except MemoryError:
    print("held")
"""


def test_what_is_mapped_before_any_submission_takes_none_of_its_memory() -> None:
    done = subprocess.run([sys.executable, "-c", MAPS_A_LOT], capture_output=True, text=True, check=False)
    assert done.stdout == "held\n", done.stderr
