"""The numbers at the end of the course are counted."""

import json
from pathlib import Path

import pytest

from autograder import registry
from autograder.learner import library
from course.in_numbers import in_numbers


def test_an_empty_library_has_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    found = in_numbers()
    assert found.exercises == (0, len(registry.all_exercises()))
    assert (found.lines, found.files, found.checks, found.mistakes) == (0, 0, 0, 0)


def test_lines_tries_and_mistakes_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    (tmp_path / "layer_norm.py").write_text("# a comment\nimport torch\n\n\ndef normalize(x):\n    return x\n")
    (tmp_path / "notes.py").write_text("mine = 1\n")  # no lesson's
    entries = {
        "normalize": {
            "points": 2,
            "of": 2,
            "passed": True,
            "tries": 3,
            "met": ["no eps", "no eps + variance over n - 1"],
        },
        "LayerNorm": {"points": 0, "of": 4, "passed": False, "tries": 2, "met": ["no eps"]},
        "gone": {"points": 1, "of": 1, "passed": True, "tries": 9},
    }
    (tmp_path / "progress.json").write_text(json.dumps(entries))
    found = in_numbers()
    assert found.exercises[0] == 1
    assert (found.lines, found.files, found.checks, found.mistakes) == (3, 1, 5, 2)
    assert "1 of" in str(found) and "3 in 1 files" in str(found)
