"""Closes the system calls that no course needs, for this process and all it starts: a filter of the kernel's (seccomp).

The program is written out by hand: it is a list of numbers, and a library for it would be one more thing that a
grader's machine may lack.
"""

from __future__ import annotations

import collections
import ctypes
import os
import platform
import struct
import sys
from collections.abc import Iterable, Iterator
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from socket import AF_INET, AF_INET6, AF_UNIX

from autograder.sandbox.inside.namespaces import give_up_privileges, in_a_child, prctl

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
"""What the kernel calls the entry that a program of this machine uses; of every other entry nothing is answered."""

X32 = 0x40000000
"""From here on x86_64 counts the calls of another interface, with the same effects."""

REFUSED: dict[str, tuple[int | None, int | None]] = {
    # Keys, and other processes
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "process_mrelease": (448, 448),
    "migrate_pages": (256, 238), "move_pages": (279, 239), "ioprio_set": (251, 30),
    # Memory that is no process's address space, or stays when it is given back
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "vmsplice": (278, 75),
    "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),
    # Large parts of the kernel that only programs of another kind use
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_setup": (206, 0),
    "userfaultfd": (323, 282), "perf_event_open": (298, 241), "bpf": (321, 280), "fanotify_init": (300, 262),
    "personality": (135, 92), "syslog": (103, 116), "quotactl": (179, 60), "quotactl_fd": (443, 443),
    "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265), "lookup_dcookie": (212, 18),
    "modify_ldt": (154, None), "uselib": (134, None), "sysfs": (139, None), "ustat": (136, None),
    # What is mounted where, and other namespaces
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51),
    "unshare": (272, 97), "setns": (308, 268), "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430),
    "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442),
    "statmount": (457, 457), "listmount": (458, 458), "open_tree_attr": (467, 467),
    # The machine itself
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "kexec_file_load": (320, 294), "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225),
    "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
    "iopl": (172, None), "ioperm": (173, None),
}  # fmt: skip
"""Calls that are refused, whatever their arguments: their numbers on x86_64 and aarch64."""

ON_ITSELF_ONLY: dict[str, tuple[tuple[int, int], tuple[int, ...]]] = {
    "prlimit64": ((302, 261), (0,)),
    "sched_setaffinity": ((203, 122), (0,)),
    "sched_setscheduler": ((144, 119), (0,)),
    "sched_setparam": ((142, 118), (0,)),
    "sched_setattr": ((314, 274), (0,)),
    "setpriority": ((141, 140), (0, 1)),
}
"""Calls that set something of a process, by its number: its numbers, and which arguments must be 0 (itself).

The first process of a submission has to be left alone: when it ends or starves, nobody's fault is told.
"""

CLONE, CLONE3 = (56, 220), (435, 435)
NAMESPACES = 0x7E020000
"""The bits of what `clone` is asked for that mean namespaces."""

SOCKETS = (41, 198), (53, 199)
FAMILIES = (AF_UNIX, AF_INET, AF_INET6)
"""Kinds of sockets. Of a network there is none; to others, such as a virtual machine's host, walls do not apply."""

LOAD, EQUAL, AT_LEAST, ANY_BIT, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16
ALLOW, ERROR = 0x7FFF0000, 0x00050000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def load() -> None:
    """Hold this process, and all that it starts, to the filter. There is no way back.

    Raises:
        OSError: where the system does not allow it, or the machine is none of `MACHINES`.
    """
    steps = b"".join(program())
    given = _Program(len(steps) // 8, steps)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given))


def program() -> Iterator[bytes]:
    """The filter: the kernel goes through its steps at each call."""
    machine = platform.machine()
    if machine not in MACHINES or sys.maxsize < 2**32:
        known = " and ".join(MACHINES)
        raise OSError(ENOSYS, f"the filter of system calls is written for {known}, and this is {machine}")
    here = list(MACHINES).index(machine)
    yield _step(LOAD, MACHINE_AT)
    yield from _unless(EQUAL, MACHINES[machine], _refuse(ENOSYS))
    yield _step(LOAD, NUMBER_AT)
    yield from _when(AT_LEAST, X32, _refuse(ENOSYS))
    for numbers in REFUSED.values():
        if (number := numbers[here]) is not None:
            yield from _when(EQUAL, number, _refuse(EPERM))
    yield from _when(EQUAL, CLONE3[here], _refuse(ENOSYS))  # what it is asked for lies in memory; libc falls back
    yield from _when(EQUAL, CLONE[here], [*_argument(0), *_when(ANY_BIT, NAMESPACES, _refuse(EPERM)), _allow()])
    for numbers in SOCKETS:
        yield from _when(EQUAL, numbers[here], [*_argument(0), *_one_of(FAMILIES), *_refuse(EAFNOSUPPORT)])
    for one, which in ON_ITSELF_ONLY.values():
        zeros = [step for at in which for step in (*_argument(at), *_unless(EQUAL, 0, _refuse(EPERM)))]
        yield from _when(EQUAL, one[here], [*zeros, _allow()])
    yield _allow()


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _allow() -> bytes:
    return _step(ANSWER, ALLOW)


def _refuse(error: int) -> list[bytes]:
    return [_step(ANSWER, ERROR | error)]


def _argument(at: int) -> list[bytes]:
    """Load the lower half of an argument: all of these are int, and the kernel looks at no more."""
    return [_step(LOAD, ARGUMENTS_AT + 8 * at)]


def _when(test: int, value: int, steps: list[bytes]) -> list[bytes]:
    """Do these steps if the test holds of what was loaded."""
    return [_step(test, value, 0, len(steps)), *steps]


def _unless(test: int, value: int, steps: list[bytes]) -> list[bytes]:
    return [_step(test, value, len(steps), 0), *steps]


def _one_of(values: Iterable[int]) -> list[bytes]:
    return [step for value in values for step in _when(EQUAL, value, [_allow()])]


def lacking() -> str:
    """Why no process could be held to the filter here; "" when one could. Nothing is changed."""
    try:
        collections.deque(program(), maxlen=0)
    except OSError as error:
        return str(error.strerror)
    _, status = os.waitpid(in_a_child(_tried), 0)
    return "this system does not let a program load one (seccomp)" if status else ""


def _tried() -> None:
    give_up_privileges()
    load()
