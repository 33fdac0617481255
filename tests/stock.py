"""nbgrader's own commands, as someone types them in a course's folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

from autograder.notebooks import files


def nbgrader(course: Path, *arguments: str) -> str:
    """Run one of nbgrader's commands and give what it said."""
    scripts = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    done = subprocess.run(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        env={**os.environ, "PATH": scripts, "PYTHONPATH": str(files.ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr
