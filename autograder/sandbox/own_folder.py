"""Temporary folders of a grader's own, which the next grader removes if this one is ended in the middle."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PREFIX = "autograder-grading-"
"""How the names of all of them begin."""

YOUNG = 60.0
"""Seconds in which a folder may not be locked yet."""


@contextmanager
def own_folder(kind: str) -> Iterator[Path]:
    """A new folder for as long as it is needed, or this process lives.

    Args:
        kind: what it is for, told in its name.
    """
    remove_left_behind()
    with ExitStack() as ends:
        name = ends.enter_context(tempfile.TemporaryDirectory(prefix=f"{PREFIX}{kind}-", ignore_cleanup_errors=True))
        ends.enter_context(_locked(Path(name)))
        yield Path(name)


def remove_left_behind() -> None:
    """Remove such folders of this user whose process has ended."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            if _is_ours(folder):
                with _locked(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    found = folder.lstat()
    return folder.is_dir() and not folder.is_symlink() and found.st_uid == os.getuid() and _age(found) > YOUNG


def _age(found: os.stat_result) -> float:
    return time.time() - max(found.st_mtime, found.st_ctime)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a folder. The kernel lets go of it when the process ends, however it does.

    Raises:
        BlockingIOError: when another process holds it.
    """
    import fcntl  # not on Windows, where nothing is graded in a sandbox

    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
