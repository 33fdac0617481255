"""What the sandbox may see, and that nothing is graded without one unless somebody says so."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder import registry
from autograder.classroom.grading.box import Box, Infrastructure
from autograder.cli import main
from autograder.notebooks.reference import definition, without_marks
from autograder.sandbox import memory, stage, walls
from tests.sandbox.rooms import FULL, Room, needs_walls, plan, points, right, with_cell
from tests.small_lesson import LESSON, STEM


def write(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(right()), encoding="utf-8")
    return path


# Refusing ------------------------------------------------------------------------------


@pytest.fixture
def no_walls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(walls, "available", lambda: "the program bwrap is missing.")
    monkeypatch.setenv("AUTOGRADER_CACHE", str(tmp_path / "cache"))
    return write(tmp_path / f"{STEM}.ipynb")


def test_without_a_sandbox_nothing_is_graded(no_walls: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", str(no_walls)]) == 2
    told = capsys.readouterr()
    assert "bwrap is missing" in told.err and "--no-sandbox" in told.err
    assert told.out == ""


def test_without_a_sandbox_it_is_graded_when_told_so_and_the_grade_says_so(
    no_walls: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", str(no_walls), "--no-sandbox", "--json", "-"]) == 0
    grade = json.loads(capsys.readouterr().out)["grades"][0]
    assert grade["isolation"] == "none"
    assert grade["points"] == grade["max_points"] == 11.0


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walls.shutil, "which", lambda name: None)
    assert "bubblewrap" in (walls.available.__wrapped__() or "")
    monkeypatch.setattr(walls.sys, "platform", "win32")
    assert "needs Linux" in (walls.available.__wrapped__() or "")


def test_a_system_that_allows_nothing_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    failed = subprocess.CompletedProcess([], 1, "", "bwrap: No permissions to create new namespace\n")
    monkeypatch.setattr(walls.subprocess, "run", lambda *args, **kwargs: failed)
    assert "No permissions" in (walls._try() or "")


def test_a_sandbox_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = [sys.executable, "-c", "raise SystemExit('no torch today')"]
    monkeypatch.setattr(walls, "command", lambda folder, given, user: inner)
    with pytest.raises(Infrastructure, match="no torch today"):
        Box(LESSON, [])


def test_what_the_walls_lack_is_told_to_whoever_asks_the_doctor(monkeypatch: pytest.MonkeyPatch) -> None:
    told = subprocess.CompletedProcess([], 0, "this machine is an abacus\n", "")
    monkeypatch.setattr(walls, "available", lambda: None)
    monkeypatch.setattr(walls.subprocess, "run", lambda *args, **kwargs: told)
    monkeypatch.setattr(memory, "place", lambda: None)
    first, second = walls.told()
    assert "System calls" in first and "an abacus" in first
    assert "cgroup" in second
    told.stdout = "\n"
    monkeypatch.setattr(memory, "place", lambda: Path("/"))
    assert walls.told() == ["[ok] for whoever grades: the sandbox, with all that it can hold"]
    monkeypatch.setattr(walls, "available", lambda: "the program bwrap is missing.")
    assert "bwrap is missing" in walls.told()[0]


@needs_walls
def test_the_filter_can_be_had_here() -> None:
    assert not any("System calls" in one for one in walls.lacks())


# What is inside --------------------------------------------------------------------------


@pytest.fixture(scope="module", params=["layer_norm", "attention", "transformer", "training"])
def staged(request: pytest.FixtureRequest) -> Iterator[tuple[str, Path]]:
    with stage.staged(request.param) as folder:
        yield request.param, folder


def test_neither_reference_nor_mistakes_nor_lesson_texts_are_staged(staged: tuple[str, Path]) -> None:
    names = {path.relative_to(staged[1]).as_posix() for path in staged[1].rglob("*") if path.is_file()}
    parts = {part for name in names for part in Path(name).parts}
    assert not parts & {"solutions", "mistakes", "answers", "classroom", "notebooks", "lessons", "tests", ".git"}
    assert all((staged[1] / name).stat().st_size == 0 for name in names if name.endswith(".ipynb"))


def test_stand_ins_of_earlier_lessons_only_are_staged(staged: tuple[str, Path]) -> None:
    lesson, folder = staged
    known = registry.lessons()
    before = set(known[: known.index(lesson)])
    there = {path.stem: path for path in (folder / "autograder" / "stand_ins").glob("*.py")}
    assert {"__init__", *before} <= there.keys() <= {"__init__", *before, lesson}
    own = there[lesson].read_text(encoding="utf-8") if lesson in there else ""
    assert not re.search(
        rf"^(class|def) ({'|'.join(one.reference for one in registry.exercises(lesson))})\b", own, re.M
    )


def test_no_text_of_the_reference_is_staged(staged: tuple[str, Path]) -> None:
    lesson, folder = staged
    everything = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    for one in registry.exercises(lesson):
        if not one.repairs:
            body = [line.strip() for line in without_marks(definition(lesson, one.name)).splitlines()[-4:]]
            assert not all(len(line) > 25 and line in everything for line in body), one.name


def test_what_the_sandbox_runs_imports_neither_reference_nor_mistakes(staged: tuple[str, Path]) -> None:
    code = (
        "import sys, autograder.sandbox.inside.warm, autograder.learner.check;"
        "from autograder import registry;"
        f"assert registry.exercises({staged[0]!r});"
        "bad = [m for m in sys.modules if m.startswith(('solutions', 'autograder.mistakes', 'autograder.classroom'))];"
        "assert not bad, bad"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**walls.environment(str(staged[1]), "/nowhere"), "PATH": "/usr/bin:/bin"},
        cwd=staged[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@needs_walls
def test_what_lies_beside_torch_is_hidden_when_it_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In an installation that is not editable, `solutions` is a folder of site-packages."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    site = tmp_path / "lib" / "site-packages"
    for name in ("solutions", "autograder", "torch"):
        (site / name).mkdir(parents=True)
        (site / name / "secret.py").write_text("x = 1")
    monkeypatch.setattr(sys, "path", [str(site)])
    tmp_path.chmod(0o755)
    with stage.staged(LESSON) as folder:
        done = subprocess.run(
            walls.command(folder, ["/usr/bin/find", str(site), "-type", "f"]),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.stdout.split() == [str(site / "torch" / "secret.py")], done.stderr


# Without walls -----------------------------------------------------------------------------


def test_the_same_points_without_walls(tmp_path: Path) -> None:
    room = Room(tmp_path, sandboxed=False)
    try:
        assert points(room.grade(right())) == FULL
        hangs = room.grade(with_cell("import os, subprocess\nsubprocess.Popen(['sleep', '1000'])\nos._exit(0)"))
        assert points(hangs) == FULL
        assert hangs.isolation == "none"
    finally:
        room.box.close()


@needs_walls
def test_a_box_that_ends_leaves_nothing_behind(tmp_path: Path) -> None:
    box = Box(LESSON, plan().modules)
    software = box.software
    with box.submission() as submission:
        submission.ask({"do": "cell", "text": "import subprocess; subprocess.Popen(['sleep', '4321'])"}, 5, stays=True)
        assert _running("sleep\x004321")
    box.close()
    assert not software.exists()
    assert not _running("sleep\x004321")


def _running(command: str) -> bool:
    lines = (path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists())
    return any(command.encode() in line for line in lines)
