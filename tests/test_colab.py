"""The cell that brings the course into Colab: what it adds, what it leaves alone, what it says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement

from autograder.setup import colab, doctor
from autograder.setup.ranges import IN_COLAB

THERE = {"ipywidgets", "numpy", "typing-extensions", "huggingface-hub", "pytz", "jsonschema", "fastjsonschema"}
THERE |= {"jupyter-core", "traitlets", "comm"}
"""What those packages ask for that Colab has, whatever its version."""


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in ("PYTHONPATH", IN_COLAB):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("MY_TRANSFORMER_HOME", str(tmp_path / "library"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What pip is asked to install."""
    found: list[str] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        assert command[1:4] == ["-m", "pip", "install"] and {"--no-deps", "--require-hashes"} <= set(command)
        found.append(Path(command[-1]).read_text())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    return found


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_all_that_is_added_comes_with_its_own_needs() -> None:
    known = {*map(canonical, colab.ADDED), *THERE}
    for name in colab.ADDED:
        needs = [Requirement(one) for one in metadata.requires(name) or []]
        ours = {canonical(one.name) for one in needs if not one.marker or one.marker.evaluate({"extra": ""})}
        assert ours <= known, name


def test_only_what_is_missing_is_added_from_the_lock(asked, monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: name in ("anywidget", "Babel"))
    colab.main()
    (text,) = asked
    assert re.findall(r"^(\w+)==", text, re.M) == ["anywidget", "babel"] and text.count("--hash=sha256:") >= 2
    assert "Added: anywidget, Babel.\n" in capsys.readouterr().out


def test_where_all_is_there_pip_is_not_asked(asked, monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: False)
    colab.main()
    assert asked == [] and capsys.readouterr().out.startswith("Nothing had to be added.\n")


def test_no_second_torch_comes(asked, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: name == "torch")
    with pytest.raises(SystemExit, match="There is no torch here"):
        colab.main()
    assert asked == [] and not set(colab.ADDED) & set(colab.NEVER_TOUCHED)


def test_a_version_that_was_not_tried_is_said(asked, monkeypatch, capsys) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: False)
    monkeypatch.setattr(doctor, "version_problems", lambda name: ["torch is 2.1"] if name == "torch" else [])
    colab.main()
    assert "\ntorch is 2.1.\n" in capsys.readouterr().out


def test_pip_that_fails_is_told_in_its_own_words(monkeypatch) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: name == "docopt")
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 1, "", "no net\n"))
    with pytest.raises(SystemExit, match=r"could not be installed: docopt\. pip said:\nno net"):
        colab.main()


def test_other_processes_find_the_course_too(asked, monkeypatch) -> None:
    monkeypatch.setattr(doctor, "is_absent", lambda name: False)
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    colab.main()
    colab.main()
    places = [str(colab.ROOT), str(colab.ROOT / "course"), "/somewhere"]
    assert os.environ["PYTHONPATH"].split(os.pathsep) == places and sys.path[:2].count(places[0]) <= 1


def test_widgets_are_woken_where_colab_lets_them_sleep(asked, monkeypatch, capsys) -> None:
    woken: list[bool] = []
    output = ModuleType("google.colab.output")
    output.enable_custom_widget_manager = lambda: woken.append(True)  # type: ignore[attr-defined]
    for name in ("google", "google.colab"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "google.colab.output", output)
    monkeypatch.setattr(doctor, "is_absent", lambda name: False)
    colab.main()
    assert woken == [True] and "not Colab" not in capsys.readouterr().out


def test_code_that_passed_is_kept_on_a_drive(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("MY_TRANSFORMER_HOME")
    monkeypatch.setattr(colab, "DRIVE", tmp_path)
    colab.find_the_course()
    assert os.environ["MY_TRANSFORMER_HOME"] == str(tmp_path / "my_transformer")


def test_the_doctor_there_asks_for_ranges_and_not_for_nbgrader() -> None:
    text = "from autograder.setup import doctor; print(doctor.versions in doctor.CHECKS, doctor._wanted()['torch'])"
    known = {**os.environ, IN_COLAB: "1"}
    ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=known, cwd=colab.ROOT)
    assert ran.stdout.split() == ["True", ">=2.4,<3"]
