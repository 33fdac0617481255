"""How much a submission may take. The numbers are sent to the sandbox; the kernel holds student code to them."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, fields
from typing import Any

MEGABYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """What a submission may take.

    Attributes:
        cell, probe: seconds of wall clock that one cell, or one probe with all its draws, may take.
        exercise: seconds for all probes of an exercise; what is left undone then counts as too late.
        notebook: seconds for everything.
        memory: bytes of address space of a process, beside what is mapped before any submission: a torch for graphics
            cards maps several gigabytes, of which next to nothing is ever read.
        together: bytes of memory of a whole sandbox, with the gigabyte that is there before any submission. Held where
            the system has control groups (see `memory.py`).
        disk: bytes of each of the submission's folders, which live in memory.
        file: bytes of one file.
        processes: processes and threads at once.
        files: open files of a process.
        processor: seconds of processor time of a process.
    """

    cell: float = 30.0
    probe: float = 10.0
    exercise: float = 30.0
    notebook: float = 300.0
    memory: int = 1408 * MEGABYTE
    together: int = 3072 * MEGABYTE
    disk: int = 64 * MEGABYTE
    file: int = 32 * MEGABYTE
    processes: int = 48
    files: int = 256
    processor: int = 300

    def plain(self) -> dict[str, Any]:
        """As plain data, for the channel."""
        return asdict(self)

    @classmethod
    def of(cls, given: dict[str, Any]) -> Limits:
        """From plain data."""
        known = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in given.items() if name in known})


def mapped() -> int:
    """Bytes of address space of this process; 0 where the system does not say. Ask before /proc is hidden."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def apply(limits: Limits, before: int) -> None:
    """Hold this process, and all that it starts, to the limits. There is no way back.

    Args:
        limits: how much a submission may take.
        before: what was mapped before any submission.
    """
    import resource

    wanted = {
        resource.RLIMIT_AS: before + limits.memory,
        resource.RLIMIT_CPU: limits.processor,
        resource.RLIMIT_FSIZE: limits.file,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_NPROC: limits.processes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    for what, limit in wanted.items():
        hard = resource.getrlimit(what)[1]
        value = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(what, (value, value))
