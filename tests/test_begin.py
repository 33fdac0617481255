"""The course from its wheel, for somebody who has no clone: a folder of one's own, in a place with an awkward name."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder.homes import DESK
from autograder.notebooks import lessons
from tests.lock import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.turns(4, "autograder/setup", "autograder/cli.py", "autograder/homes.py", at=2),
]

# The editable install of this checkout must not answer.
RUN = """import sys
sys.meta_path = [one for one in sys.meta_path if "ditable" not in repr(one)]
from autograder.cli import begin, main
sys.exit({call})"""

RIGHT = '''
import torch
from torch import Tensor


def normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
    """Each token to mean 0 and variance 1."""
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, correction=0) + eps).sqrt()
'''


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, laid out as pip lays it out."""
    place = tmp_path_factory.mktemp("ein Ort für alles")
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(place), "."]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(place.glob("*.whl"))) as wheel:
        wheel.extractall(place / "site")
    return place / "site"


def run(installed: Path, folder: Path, call: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "MY_TRANSFORMER_HOME"}
    command = [sys.executable, "-P", "-c", RUN.format(call=call)]
    env = kept | {"PYTHONPATH": str(installed), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, encoding="utf-8", check=False)


@pytest.fixture(scope="module")
def desk(installed: Path) -> Path:
    done = run(installed, installed.parent, "begin(['mein Kurs', '--no-lab'])")
    assert done.returncode == 0, done.stderr
    return installed.parent / "mein Kurs"


def test_a_folder_has_all_notebooks_and_a_library(installed: Path, desk: Path) -> None:
    assert (desk / DESK).is_file() and (desk / "my_transformer").is_dir() and (desk / "AGENTS.md").is_file()
    assert {path.stem for path in desk.glob("*.ipynb")} == set(lessons.source_stems())
    again = run(installed, installed.parent, "begin(['mein Kurs', '--no-lab'])")
    assert again.returncode == 0 and "You go on in" in again.stdout


def test_nothing_of_anybodys_is_written_over(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to whom.txt").write_text("mine")
    done = run(installed, tmp_path, "begin(['letters', '--no-lab'])")
    assert done.returncode == 2 and "to whom.txt" in done.stderr
    assert [one.name for one in (tmp_path / "letters").iterdir()] == ["to whom.txt"]


def test_commands_work_in_it(installed: Path, desk: Path) -> None:
    notebook = desk / "01_layer_norm.ipynb"
    blank = notebook.read_text(encoding="utf-8")
    notebook.write_text(blank.replace("raise NotImplementedError", "return x", 1), encoding="utf-8")
    done = run(installed, desk, "main(['reset', '01'])")
    assert "is blank again" in done.stdout, done.stderr
    assert notebook.read_text(encoding="utf-8") == blank and len(list((desk / "backups").iterdir())) == 1
    updated = run(installed, desk, "main(['update'])")
    assert updated.returncode == 0 and "transformer-course@latest" in updated.stdout
    assert "01_layer_norm.ipynb: up to date" in updated.stdout
    looked = run(installed, desk, "main(['doctor'])")
    assert f"[ok] your code is kept in {desk / 'my_transformer'}" in looked.stdout, looked.stderr


def test_what_passes_is_checked_there(installed: Path, desk: Path) -> None:
    (desk / "mine.py").write_text(RIGHT, encoding="utf-8")
    done = run(installed, desk, "main(['check', 'mine.py'])")
    assert done.returncode == 0 and "normalize" in done.stdout, done.stdout + done.stderr
