"""nbgrader's own commands, as someone runs them in a course's folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
import traceback
from functools import cache
from pathlib import Path
from typing import NoReturn

from nbgrader import api
from nbgrader.apps.nbgraderapp import NbGraderApp

from autograder.notebooks import files

# For every gradebook that is made, nbgrader starts `alembic` to ask for a number that is always the same.
api.get_alembic_version = cache(api.get_alembic_version)


def nbgrader(course: Path, *arguments: str) -> str:
    """Run one of nbgrader's commands and give what it said.

    It runs in a copy of this process, as to import nbgrader takes longer than most of its commands.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        child = os.fork()
        if child == 0:
            _run_and_end(course, arguments, said.fileno())
        _, ended = os.waitpid(child, 0)
        said.seek(0)
        text = said.read()
    assert ended == 0, text
    return text


def typed(course: Path, *arguments: str) -> str:
    """The same as it is typed: in a new process."""
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        env={**os.environ, **_environment()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def _run_and_end(course: Path, arguments: tuple[str, ...], output: int) -> NoReturn:
    ended = 1
    try:
        for stream in (1, 2):
            os.dup2(output, stream)
        sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
        os.chdir(course)
        os.environ.update(_environment())
        NbGraderApp.launch_instance(list(arguments))
        ended = 0
    except SystemExit as end:  # with a number, with nothing, or with what is to be said
        ended = end.code if isinstance(end.code, int) else int(end.code is not None)
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended)


def _environment() -> dict[str, str]:
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    return {"PATH": scripts, "PYTHONPATH": str(files.ROOT)}
