"""`autograder dispute`: one file that says what somebody holds to be wrong, and that others can run again."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.course.disputed import disputed
from autograder.classroom.grading import replay
from autograder.classroom.report import page as class_report
from autograder.cli import main
from autograder.notebooks import dispute, files
from autograder.notebooks.dispute import KIND, Dispute
from autograder.notebooks.problem import Problem
from autograder.probing.draws import PRACTICE
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import STD_PLUS_EPS, STEM, cell, live_in, notebook, solved

Capture = pytest.CaptureFixture[str]
SAYS = "The paper's own code\ndoes it like this."

MADE = Dispute(
    "normalize", STEM, "No.", [["normalize", "def normalize(x, eps=1e-5):\n    return x"]], "0 of 2", "wrong", 0.0, "",
    [1, 2], {"torch": "1.0"},
)  # fmt: skip


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dispute of a LayerNorm that is wrong, beside its notebook."""
    place = tmp_path_factory.mktemp("dispute")
    own = solved(notebook(), "normalize")
    given = "        return self.weight * normalize(x, self.eps) + self.bias"
    cell(own, "LayerNorm").source = cell(notebook("solved"), "LayerNorm").source.replace(given, STD_PLUS_EPS)
    files.write(place / f"{STEM}.ipynb", own)
    with pytest.MonkeyPatch.context() as patch:
        live_in(place / "home", patch)
        assert main(["dispute", "LayerNorm", str(place / f"{STEM}.ipynb"), "--says", SAYS]) == 0
    return place / "dispute-LayerNorm.json"


@pytest.mark.slow
def test_it_holds_the_code_the_report_versions_seeds_and_what_is_said(written: Path) -> None:
    told = dispute.read(written)
    assert (told.exercise, told.lesson, told.says, told.seeds) == ("LayerNorm", STEM, SAYS, list(PRACTICE))
    assert (told.status, told.mistake) == ("wrong", "std + eps")
    assert told.report.startswith("LayerNorm · 0 of 4 points") and "You divide by" in told.report
    names = [name for name, _ in told.cells]
    assert names[-1] == "check-LayerNorm" and "normalize" in names and "check-RMSNorm" not in names
    assert STD_PLUS_EPS in "".join(text for _, text in told.cells)
    assert {"python", "torch", "transformer-course"} <= set(told.versions)
    assert str(written.parent) not in written.read_text(encoding="utf-8")


@needs_walls
@pytest.mark.slow
def test_a_replay_runs_it_again_in_the_sandbox(written: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    live_in(written.parent / "home", monkeypatch)
    assert main(["dispute", "--replay", str(written)]) == 0
    said = capsys.readouterr().out
    assert "The paper's own code" in said and "It says the same." in said
    assert said.count("You divide by `x.std(-1) + eps`.") == 2
    assert "With fresh seeds: wrong, 0 of 4 points." in said and "The versions are the same." in said


def test_without_a_sandbox_it_asks_for_trust(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    live_in(tmp_path / "home", monkeypatch)
    monkeypatch.setattr(replay.walls, "available", lambda: "bubblewrap is missing.")
    monkeypatch.setattr(replay, "Box", lambda *given, **more: pytest.fail("nothing may run"))
    path = _file(tmp_path, asdict(MADE))
    assert main(["dispute", "--replay", str(path)]) == 2
    said = capsys.readouterr().err
    assert "somebody else's code" in said and "bubblewrap is missing." in said and "--trust" in said


@pytest.mark.slow
def test_with_trust_it_runs_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    live_in(tmp_path / "home", monkeypatch)
    monkeypatch.setattr(replay.walls, "available", lambda: "bubblewrap is missing.")
    path = _file(tmp_path, {**asdict(MADE), "points": 2.0})
    assert main(["dispute", "--replay", str(path), "--trust"]) == 1  # it had two points then
    said = capsys.readouterr().out
    assert "It says something else." in said and "Other versions then: torch 1.0, here" in said


# What is wrong with a file or a call -------------------------------------------------------------


def _file(place: Path, content: Any) -> Path:
    path = place / "dispute-normalize.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "another"}, {"more": 1}, {"cells": [["x"]]}, {"cells": [[1, "x"]]}, {"cells": "x"}, {"seeds": []},
        {"seeds": [True]}, {"seeds": [-1]}, {"seeds": [2**64]}, {"points": "4"}, {"versions": {"torch": 1}},
        {"says": None},
    ],
)  # fmt: skip
def test_a_file_of_another_form_is_no_dispute(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(Problem, match="no dispute that this version can read"):
        dispute.read(_file(tmp_path, {**asdict(MADE), **change}))


@pytest.mark.parametrize("content", ["", "no JSON", "[" * 100_000])
def test_what_is_no_json_is_told(tmp_path: Path, content: str) -> None:
    with pytest.raises(Problem, match="is no dispute"):
        dispute.read(_file(tmp_path, content))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "Say whose check is wrong"),
        (["LayerNrm"], "LayerNorm"),
        (["LayerNorm", "nowhere.ipynb", "--says", "x"], "There is no nowhere.ipynb"),
        (["LayerNorm", "{notebook}"], "Say what is wrong with the check"),
        (["gelu", "{notebook}", "--says", "x"], "has no check of gelu"),
        (["--replay", "nowhere.json"], "There is no file nowhere.json"),
    ],
)
def test_a_wrong_call_is_one_sentence(tmp_path: Path, capsys: Capture, arguments: list[str], said: str) -> None:
    files.write(tmp_path / f"{STEM}.ipynb", notebook())
    given = [one.format(notebook=tmp_path / f"{STEM}.ipynb") for one in arguments]
    assert main(["dispute", *given]) == 2
    assert said in capsys.readouterr().err
    assert not list(tmp_path.glob("*.json"))


# In a class --------------------------------------------------------------------------------------


def test_the_class_report_lists_what_was_handed_in(tmp_path: Path) -> None:
    place = tmp_path / "submitted" / "ada" / STEM
    place.mkdir(parents=True)
    _file(place, {**asdict(MADE), "says": "<script>alert(1)</script>"})
    (place / "dispute-RMSNorm.json").write_text("{")
    (place / "dispute-x.json").symlink_to(place / "dispute-normalize.json")
    os.mkfifo(place / "dispute-y.json")
    (tmp_path / "submitted" / "bob" / STEM).mkdir(parents=True)
    found = disputed(tmp_path, STEM)
    assert [(one.student, one.exercise) for one in found] == [("ada", ""), ("ada", "normalize")]
    shown = class_report.html(STEM, {}, "sandbox", disputes=found)
    assert "Disputed" in shown and "&lt;script&gt;" in shown and "<script>" not in shown
    assert f"submitted/ada/{STEM}/dispute-normalize.json" in shown
    assert "disputed: normalize by ada" in class_report.summary(STEM, {}, "sandbox", disputes=found)


def test_a_kind_belongs_to_each_form() -> None:
    """Whoever changes what the file holds has to change its kind, or old files are misread."""
    assert KIND.endswith(" 1") and set(asdict(MADE)) == {
        "exercise", "lesson", "says", "cells", "report", "status", "points", "mistake", "seeds", "versions", "kind",
    }  # fmt: skip
