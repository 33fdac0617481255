"""`autograder classroom init --demo`: the class to look at is what it says."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from autograder.classroom.course import demo
from autograder.notebooks.problem import Problem
from autograder.sandbox import walls

pytestmark = pytest.mark.slow


@pytest.mark.turns(5, "autograder/classroom", "course/lessons/01", at=2)
def test_a_class_to_look_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if why := walls.available():
        pytest.skip(why)
    place = tmp_path / "course"
    assert demo.demo(str(place)) == 0
    with (place / "reports" / f"{demo.STEM}.csv").open(encoding="utf-8-sig") as file:
        rows = {(row["student"], row["exercise"]): row for row in csv.DictReader(file)}
    status = {key: row["status"] for key, row in rows.items()}
    assert {status["student-1", name] for name in demo.EXERCISES} == {"ok"}
    assert rows["student-2", "normalize"]["mistake"] == "normalize: variance over n - 1"
    assert rows["student-3", "normalize"]["mistake"] == "normalize: std + eps"
    assert status["student-4", "LayerNorm"] == "wrong" and not rows["student-4", "LayerNorm"]["mistake"]
    assert {status["student-5", name] for name in demo.EXERCISES} == {"not attempted"}
    assert not any(row["flags"] for row in rows.values())
    said = capsys.readouterr().out
    for path in (line.strip() for line in said.partition("To look at:")[2].splitlines() if line.startswith("  ")):
        assert Path(path).is_file(), path


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(Problem, match=r"thesis\.tex"):
        demo.demo(str(tmp_path))
    assert [one.name for one in tmp_path.iterdir()] == ["thesis.tex"]
