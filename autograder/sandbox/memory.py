"""Counts the memory of a whole sandbox together, in a control group of the kernel's where one can be had. Runs outside.

The other limit, a process's address space, is held by each process alone.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

LIMITS = (("memory.max", "memory.swap.max", 0), ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes", None))
"""The kernel's two kinds of control groups: the file for memory, and for swap with what goes there (None: the same)."""

ENTER = 'echo 0 > "$0" && exec "$@"'
PREFIX = "autograder"
ENDING = 5.0
"""Seconds that processes that were killed have to be gone."""

_numbers = itertools.count()


@contextmanager
def counted(limit: int) -> Iterator[list[str]]:
    """A control group for one sandbox, for as long as it is needed.

    Args:
        limit: bytes of memory for everything in it.

    Yields:
        What stands in front of a command so that it runs in the group; nothing where there are no groups.
    """
    above = place()
    if above is None:
        yield []
        return
    with _group(above, limit) as group:
        yield _inside(group)


@cache
def place() -> Path | None:
    """The group below which this process may make groups that count memory; None when there is none."""
    return next((one for one in _candidates() if _usable(one)), None)


def _usable(above: Path) -> bool:
    """Whether a process of ours can be put into a group below this one."""
    try:
        _sweep(above)
        with _group(above, 2**30) as group:
            command = [*_inside(group), "true"]
            return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _inside(group: Path) -> list[str]:
    return ["sh", "-c", ENTER, str(group / "cgroup.procs")]


@contextmanager
def _group(above: Path, limit: int) -> Iterator[Path]:
    group = above / f"{PREFIX}-{os.getpid()}-{next(_numbers)}"
    group.mkdir()
    try:
        _limit(group, limit)
        yield group
    finally:
        _remove(group)


def _limit(group: Path, limit: int) -> None:
    for memory, swap, swapped in LIMITS:
        if (group / memory).exists():
            (group / memory).write_text(str(limit))
            if (group / swap).exists():
                (group / swap).write_text(str(limit if swapped is None else swapped))
            return
    raise FileNotFoundError(f"{group} counts no memory")


def _remove(group: Path) -> None:
    end = time.monotonic() + ENDING
    while group.exists() and time.monotonic() < end:
        try:
            group.rmdir()
        except OSError:  # what was killed is not gone yet
            time.sleep(0.01)


def _sweep(above: Path) -> None:
    """Remove what a grader left behind that was killed."""
    for group in above.glob(f"{PREFIX}-*-*"):
        process = group.name.split("-")[1]
        if process.isdigit() and not Path("/proc", process).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def _candidates() -> Iterator[Path]:
    for kind, own in _own_groups(_lines("/proc/self/cgroup")):
        for root, mounted in _mounts(kind, _lines("/proc/self/mountinfo")):
            if own == root or own.startswith(root.rstrip("/") + "/"):
                group = mounted / own.removeprefix(root).lstrip("/")
                yield from [group] if kind == "cgroup" else _sharing_memory(group, mounted)


def _own_groups(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The groups of this process that could count memory: the kind of their file system, and their path there."""
    for number, controllers, path in (line.split(":", 2) for line in lines):
        if number == "0" and not controllers:
            yield "cgroup2", path
        elif "memory" in controllers.split(","):
            yield "cgroup", path


def _mounts(kind: str, lines: Sequence[str]) -> Iterator[tuple[str, Path]]:
    """Where groups of a kind are to be seen: which of them is on top, and in which folder."""
    for line in lines:
        fields, _, others = line.partition(" - ")
        system, _, options = others.split(" ", 2)
        if system == kind and (kind == "cgroup2" or "memory" in options.split(",")):
            yield fields.split()[3], Path(fields.split()[4])


def _sharing_memory(group: Path, top: Path) -> Iterator[Path]:
    """A group of the newer kind and those above it, as far as memory is counted for the groups below each."""
    for one in (group, *group.parents):
        with contextlib.suppress(OSError):
            if "memory" in (one / "cgroup.subtree_control").read_text().split():
                yield one
        if one == top:
            return


def _lines(file: str) -> list[str]:
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
