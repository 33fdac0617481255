"""Puts a process into namespaces of its own, through ctypes: what Python 3.11 has no functions for. Linux only."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID = 0x00020000, 0x08000000, 0x10000000, 0x20000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REC, MS_PRIVATE = 1, 2, 4, 8, 0x4000, 0x40000
MS_REMOUNT, MS_BIND = 0x20, 0x1000
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38
SIGKILL = 9
CAPABILITY_VERSION_3 = 0x20080522
LAST_CAPABILITY = 63

DEVICES = tuple(f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "pts"))
"""What bubblewrap puts into /dev. All of it but the last is the machine's own."""


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _must(result: int, what: str) -> None:
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def set_apart(folders: Sequence[str], disk: int) -> None:
    """Leave this process, and all that it starts, nothing that it shares with others and could change.

    Args:
        folders: those that could be written to; there are empty ones in their place.
        disk: bytes that each of these may hold.
    """
    unshare()
    reach_itself()
    mount_own(folders, disk)
    leave_devices_alone()


def unshare() -> None:
    """Give this process users, mounts, IPC, a network, and for its children process numbers, of its own.

    Raises:
        OSError: where the system does not allow it.
    """
    user, group = os.getuid(), os.getgid()
    # The maps belong to root while the process cannot be dumped. No student's process lives yet.
    prctl(PR_SET_DUMPABLE, 1)
    _must(_libc().unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWNET), "unshare")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    prctl(PR_SET_DUMPABLE, 0)


def reach_itself() -> None:
    """Let this process, in a network of its own, have connections to itself. There is nobody else."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_one:
        fcntl.ioctl(any_one, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))


def mount_own(folders: Sequence[str], disk: int) -> None:
    """Cover folders that could be shared with others by empty ones in memory, `disk` bytes large each."""
    mount("none", "/", "", MS_REC | MS_PRIVATE)
    for folder in folders:
        mount("tmpfs", folder, "tmpfs", MS_NOSUID | MS_NODEV, f"size={disk},nr_inodes=4096,mode=1777")


def leave_devices_alone() -> None:
    """Let nobody set the times of devices, which everybody sees. They can be read and written as before."""
    for device in filter(os.path.exists, DEVICES):
        as_it_is = os.statvfs(device).f_flag & (MS_NOSUID | MS_NODEV | MS_NOEXEC)
        mount("none", device, "", MS_BIND | MS_REMOUNT | MS_RDONLY | as_it_is)


def die_first(processes: int) -> None:
    """When memory runs out, be what is ended, with all that this process starts: before anything else.

    Args:
        processes: the folder /proc, opened while it was to be seen.
    """
    prctl(PR_SET_DUMPABLE, 1)  # while it cannot be dumped, the file belongs to root
    own = os.open("self/oom_score_adj", os.O_WRONLY, dir_fd=processes)
    os.write(own, b"1000")
    os.close(own)
    prctl(PR_SET_DUMPABLE, 0)


def hide_processes() -> None:
    """Cover /proc: nothing that a course needs is there, and much that nobody has to see."""
    mount("tmpfs", "/proc", "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4096,mode=555")


def mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    """The system call."""
    arguments = [ctypes.c_char_p(text.encode()) for text in (source, target, kind)]
    done = _libc().mount(*arguments, ctypes.c_ulong(flags), ctypes.c_char_p(data.encode()))
    _must(done, f"mount {kind or source} on {target}")


def give_up_privileges() -> None:
    """No capabilities, none to be got by running a program, and no looking into this process from another."""
    libc = _libc()
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # those that the kernel does not know fail
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    nothing = (ctypes.c_uint32 * 6)()
    _must(libc.capset(header, nothing), "capset")
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    prctl(PR_SET_DUMPABLE, 0)


def die_with_parent() -> None:
    """Be killed when the parent ends."""
    prctl(PR_SET_PDEATHSIG, SIGKILL)


def prctl(option: int, value: int, more: Any = 0) -> None:
    """The system call."""
    _must(_libc().prctl(option, value, more, 0, 0), f"prctl {option}")


def in_a_child(work: Callable[[], None]) -> int:
    """Fork; the child does the work and ends. Gives the child's number."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    finally:
        os._exit(code)
