"""What an interrupted grader leaves behind, and who cleans it up."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from autograder.notebooks.files import ROOT
from autograder.sandbox import own_folder, stage

STAGES = """\
import signal, time
from autograder.sandbox import stage
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # below nohup it would be ignored
with stage.staged("start_here") as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of this test alone, in which nothing is too young to be removed."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(own_folder, "YOUNG", -1.0)
    return tmp_path


def grader() -> subprocess.Popen[str]:
    """A process that stages a lesson, and says where."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", STAGES], stdout=subprocess.PIPE, text=True, env=environment)


def staged_by(started: subprocess.Popen[str]) -> Path:
    assert started.stdout is not None
    return Path(started.stdout.readline().strip())


def test_what_an_interrupted_grader_left_is_removed_by_the_next(temporary: Path) -> None:
    living = grader()
    ended = {how: grader() for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)}
    try:
        in_use, *left = map(staged_by, (living, *ended.values()))
        for how, one in ended.items():
            one.send_signal(how)
            one.wait()
        assert all((one / "autograder").is_dir() for one in left), "nothing is left, so there is nothing to clean"
        with stage.staged("start_here") as own:
            assert not any(one.exists() for one in left)
            assert (in_use / "autograder").is_dir()
            with stage.staged("start_here"):
                assert own.is_dir()
    finally:
        for one in (living, *ended.values()):
            one.kill()
            one.wait()
    own_folder.remove_left_behind()
    assert list(temporary.iterdir()) == []


def test_what_only_looks_like_it_is_left_alone(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (temporary / "kept").mkdir()
    (temporary / "autograder-grading-link").symlink_to("kept")
    (temporary / "autograder-grading-file").write_text("mine")
    others = temporary / "autograder-grading-stage-a"
    others.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getuid", lambda: 12345)  # it belongs to somebody else
        own_folder.remove_left_behind()
    assert others.exists()
    with monkeypatch.context() as patch:
        patch.setattr(own_folder, "YOUNG", 60.0)  # its process may be about to lock it
        own_folder.remove_left_behind()
    assert others.exists()
    own_folder.remove_left_behind()
    assert sorted(one.name for one in temporary.iterdir()) == [
        "autograder-grading-file",
        "autograder-grading-link",
        "kept",
    ]
