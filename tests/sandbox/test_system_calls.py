"""What the filter of system calls closes: each attack is shown to work behind the same walls without it first."""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from errno import EPERM
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.grading.box import Box, Infrastructure
from autograder.sandbox import stage
from autograder.sandbox.inside import keyring, system_calls
from tests.sandbox.rooms import FULL, QUICK, Room, needs_walls, plan, points, right, with_cell
from tests.sandbox.system_calls import NEEDED, OLD_ENTRY, REACHING, with_call
from tests.sandbox.test_hostile import got, run, said
from tests.small_lesson import LESSON

pytestmark = needs_walls

KEY = f"autograder-{os.getpid()}"
TAKES_THE_KEY = f"got = call('keyctl', 10, -3, b'user', b'{KEY}', 0) > 0"


@pytest.fixture(scope="module")
def key() -> Iterator[None]:
    """This process has a keyring with a key, as whoever logged in has."""
    number = keyring.KEYCTL.get(platform.machine(), 0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, keyring.JOIN_SESSION_KEYRING, None) < 0:
        pytest.skip("this system has no keys")
    assert libc.syscall(system_calls.REFUSED["add_key"][_here()], b"user", KEY.encode(), b"x", 1, -3) > 0
    yield
    libc.syscall(number, keyring.JOIN_SESSION_KEYRING, None)


def _here() -> int:
    return list(system_calls.MACHINES).index(platform.machine())


@pytest.fixture(scope="module")
def unfiltered(key: None) -> Iterator[Box]:
    """The same walls on a machine that the filter is not written for."""
    staged = stage.staged

    @contextlib.contextmanager
    def of_another_machine(*given: Any) -> Iterator[Path]:
        with staged(*given) as folder:
            file = folder / "autograder" / "sandbox" / "inside" / "system_calls.py"
            before = file.read_text(encoding="utf-8")
            file.write_text(before.replace("    machine = platform.machine()\n", "    machine = 'an abacus'\n"))
            yield folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "staged", of_another_machine)
        box = Box(LESSON, plan().modules, QUICK)
    yield box
    box.close()


@pytest.mark.parametrize("name", REACHING)
def test_what_walls_alone_leave_open_the_filter_closes(name: str, unfiltered: Box, room: Room) -> None:
    code = with_call(REACHING[name])
    if not got(run(unfiltered, code)[0]):
        pytest.skip(f"this system allows it to nobody: {said(run(unfiltered, code)[0])}")
    answers = run(room.box, code, "print('still here')")
    assert answers[0].status == "answered"
    assert not got(answers[0])
    assert "still here" in said(answers[1])


EACH = """\
open_ = []
for name, known in system_calls.REFUSED.items():
    if known[here] is not None and (call(name, *[-1] * 6), ctypes.get_errno()) != (-1, 1):
        open_.append(name)
print(open_)
got = True
"""


def test_each_call_of_the_list_is_refused_whatever_it_is_asked_for(room: Room) -> None:
    assert EPERM == 1
    assert said(run(room.box, with_call(EACH))[0]).splitlines() == ["[]", "GOT"]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="entries of x86_64")
def test_the_entries_for_other_programs_are_closed(unfiltered: Box, room: Room) -> None:
    x32 = with_call("got = libc.syscall(ctypes.c_long(0x40000000 + 39)) == os.getpid()")
    for code in (OLD_ENTRY, x32):
        assert not got(run(room.box, code)[0])
    if not got(run(unfiltered, OLD_ENTRY)[0]):
        pytest.skip("this kernel runs no programs of 32 bits")


@pytest.mark.parametrize("name", NEEDED)
def test_what_notebooks_do_still_works(name: str, room: Room) -> None:
    answer = run(room.box, NEEDED[name])[0]
    assert answer.status == "answered", answer.words
    assert answer.value["error"] == "", answer.value["message"]


def test_the_graders_keys_are_out_of_reach_with_the_filter_and_without(key: None, unfiltered: Box) -> None:
    code = with_call(TAKES_THE_KEY)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "GOT" in done.stdout, "the attack does not even work in a plain process"
    with Box(LESSON, plan().modules, QUICK) as filtered:
        for box in (unfiltered, filtered):
            assert not got(run(box, code)[0])
    adds = with_call(f"got = call('add_key', b'user', b'{KEY}-left', b'x', 1, -3) > 0")
    finds = with_call(f"got = call('keyctl', 10, -3, b'user', b'{KEY}-left', 0) > 0")
    with unfiltered.submission() as one, unfiltered.submission() as other:
        added, same, found = (
            line.ask({"do": "cell", "text": text}, 5, stays=True)
            for line, text in ((one, adds), (one, finds), (other, finds))
        )
    assert got(added) and got(same)
    assert not got(found)


STOPS_THE_KEEPER = "import resource\nresource.prlimit(1, resource.RLIMIT_NOFILE, (0, 0))"


def test_a_limit_set_on_the_keeper_makes_nobody_lose_or_gain(unfiltered: Box, room: Room, tmp_path: Path) -> None:
    own = with_cell(STOPS_THE_KEEPER, before="RMSNorm")
    with pytest.raises(Infrastructure):
        Room(tmp_path, box=unfiltered).grade(own)
    assert points(room.grade(own)) == FULL
    assert points(room.grade(right())) == FULL


def test_what_is_lacking_is_said(unfiltered: Box, room: Room) -> None:
    assert any("an abacus" in one for one in unfiltered.lacks)
    assert not any("filter" in one for one in room.box.lacks)
