"""The walls: the command line of bubblewrap, and whether it works here. Runs outside, on the trusted side."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

STAGE = "/course-software"
"""Where the sandbox sees the staged files (see `stage.py`)."""

SCRATCH = "/scratch"
"""Where student code may write; every submission has a folder of its own in memory there."""

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "fonts", "ssl/openssl.cnf")
HIDDEN = ("solutions", "autograder", "course", "my_transformer", "tests")
"""Packages that an installation may have put beside torch. What the sandbox may see of them is staged."""

FIRST_USER = 64000
"""User numbers inside, when the grader is root: limits on processes are not enforced for root."""

NO_FILTER = "System calls that no course needs are not closed: {why}."
NO_GROUP = (
    "Memory is limited for each process, not for all of a submission together: there is no control group (cgroup) "
    "that this user may use."
)

TRIAL = (
    "import numpy; from autograder.sandbox.inside import namespaces as n; "
    "n.set_apart(['/scratch'], 2**20); n.in_a_child(lambda: (n.hide_processes(), n.give_up_privileges())); import os; "
    "raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))"
)


def command(stage: Path, inner: Sequence[str], *, user: int = FIRST_USER) -> list[str]:
    """The command that runs `inner` behind the walls.

    Args:
        stage: the folder with what the sandbox may see of the course's software.
        inner: a command inside; Python is `sys.executable` there too.
        user: the user number inside, when this process is root.
    """
    as_root = os.getuid() == 0
    walls = ["bwrap", "--die-with-parent", "--new-session", "--unshare-net", "--unshare-pid", "--unshare-ipc"]
    walls += ["--unshare-uts", "--unshare-cgroup-try", "--hostname", "sandbox"]
    walls += [] if as_root else ["--unshare-user"]
    # First, as Python itself may be installed somewhere in /tmp.
    walls += [*_empty("/tmp"), *_empty(SCRATCH)]
    walls += [*_system(), *_python()]
    walls += ["--ro-bind", str(stage), STAGE]
    walls += ["--proc", "/proc", "--dev", "/dev", "--remount-ro", "/dev", "--remount-ro", "/tmp", "--remount-ro", "/"]
    walls += ["--chdir", SCRATCH, "--clearenv"]
    for name, value in environment().items():
        walls += ["--setenv", name, value]
    return [*walls, "--", *(_as_user(user) if as_root else []), *inner]


def _empty(folder: str) -> list[str]:
    return ["--perms", "1777", "--size", str(64 * 2**20), "--tmpfs", folder]


def covered() -> list[str]:
    """The folders that are new for every submission."""
    in_tmp = any(prefix.is_relative_to("/tmp") for prefix in _prefixes())
    return [SCRATCH, "/dev/shm", *([] if in_tmp else ["/tmp"])]


def environment(stage: str = STAGE, home: str = SCRATCH) -> dict[str, str]:
    """All that student code finds in its environment."""
    return {
        "COURSE_QUICK": "1",
        "HOME": home,
        "IPYTHONDIR": f"{home}/ipython",
        "LANG": "C.UTF-8",
        "MPLBACKEND": "agg",
        "MPLCONFIGDIR": f"{home}/matplotlib",
        "MY_TRANSFORMER_HOME": f"{home}/library",
        "NBGRADER_EXECUTION": "autograde",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PATH": "/usr/bin:/bin",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": stage,
        "PYTHONSAFEPATH": "1",
        "TORCHDYNAMO_DISABLE": "1",  # what is compiled runs as it is written: compiling takes longer than a probe may
        "TMPDIR": home,
        "TQDM_MININTERVAL": "3600",
    }


def _system() -> list[str]:
    """The system's libraries and programs, and the few files of /etc that programs need."""
    parts: list[str] = []
    for folder in map(Path, SYSTEM):
        if folder.is_symlink():
            parts += ["--symlink", os.readlink(folder), str(folder)]
        elif folder.is_dir():
            parts += ["--ro-bind", str(folder), str(folder)]
    for name in ETC:
        parts += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return parts


def _python() -> list[str]:
    """This Python with its packages, without those of ours that may lie among them."""
    parts: list[str] = []
    prefixes = _prefixes()
    for prefix in prefixes:
        if not prefix.is_relative_to("/usr"):
            parts += [*_folders_to(prefix), "--ro-bind", str(prefix), str(prefix)]
    for folder in map(Path, dict.fromkeys(map(os.path.realpath, sys.path))):
        if any(folder.is_relative_to(prefix) for prefix in prefixes):
            for name in HIDDEN:
                if (folder / name).is_dir():
                    parts += ["--tmpfs", str(folder / name)]
    return parts


def _prefixes() -> list[Path]:
    return [Path(one).resolve() for one in dict.fromkeys((sys.base_prefix, sys.prefix))]


def _folders_to(place: Path) -> list[str]:
    """The empty folders above a place; those that bubblewrap makes by itself no other user may enter."""
    above = [folder for folder in reversed(place.parents) if folder != Path("/")]
    return [part for folder in above for part in ("--perms", "0755", "--dir", str(folder))]


def _as_user(user: int) -> list[str]:
    number = str(user)
    return ["setpriv", f"--reuid={number}", f"--regid={number}", "--clear-groups", "--no-new-privs",
            "--inh-caps=-all", "--bounding-set=-all", "--"]  # fmt: skip


@cache
def available() -> str | None:
    """Why the sandbox cannot be used here, in a sentence; None when it can."""
    if not sys.platform.startswith("linux"):
        return f"the sandbox needs Linux, and this is {sys.platform}."
    needed = {"bwrap": "bubblewrap", "setpriv": "util-linux"} if os.getuid() == 0 else {"bwrap": "bubblewrap"}
    for program, package in needed.items():
        if shutil.which(program) is None:
            return f"the program {program} is missing; it is in the package {package}."
    return _try()


def told() -> list[str]:
    """Lines on what this machine has for `autograder grade`."""
    why = available()
    if why is not None:
        return [f"[--] for whoever grades: `autograder grade` cannot be used here: {why}"]
    missing = [f"[--] for whoever grades: {one}" for one in lacks()]
    return missing or ["[ok] for whoever grades: the sandbox, with all that it can hold"]


def lacks() -> list[str]:
    """What the walls lack on this machine, in sentences; asked for only where the sandbox is available."""
    from autograder.sandbox import memory, stage

    with stage.staged("start_here") as folder:
        code = "from autograder.sandbox.inside import system_calls; print(system_calls.lacking())"
        inner = [sys.executable, "-c", code]
        done = subprocess.run(command(folder, inner), capture_output=True, text=True, timeout=60, check=False)
    why = done.stdout.strip() if done.returncode == 0 else done.stderr.strip()[-200:]
    return [*([NO_FILTER.format(why=why)] if why else []), *([NO_GROUP] if memory.place() is None else [])]


def _try() -> str | None:
    from autograder.sandbox import stage

    with stage.staged("start_here") as folder:
        inner = [sys.executable, "-c", TRIAL]
        done = subprocess.run(command(folder, inner), capture_output=True, text=True, timeout=60, check=False)
    if done.returncode == 0:
        return None
    said = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
    return f"this system does not let a process be walled off: {said}"
