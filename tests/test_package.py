"""What students install: checks that work and name mistakes, and nowhere the reference."""

from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from autograder import registry
from autograder.answers import Answers
from autograder.classroom import answer_keys
from autograder.classroom.package import package
from autograder.exercise import Exercise
from autograder.judge import judge
from autograder.learner.examine import PRACTICE
from autograder.notebooks.problem import Problem
from autograder.oracle import NoReference, Oracle

ROOT = registry.COURSE.parent

LESSON = "attention"

INSIDE = """
import importlib.util, os, sys
# This process has the whole course by an editable install; the students have not.
sys.meta_path = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
for name in ("solutions", "autograder.mistakes", "autograder.classroom"):
    assert importlib.util.find_spec(name) is None, name
import autograder, math
from autograder import check, reveal
print(autograder.__file__)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1)
print(check(attention_scores).mistake)
def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
print(check(attention_scores))
print(reveal("attention_scores", give_up=True))
os.environ["NBGRADER_EXECUTION"] = "autograde"
print(check(attention_scores))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "student package"
    assert package(["02"], str(folder)) == 0
    return folder


@pytest.fixture(scope="module")
def installed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(next(made.glob("*.whl"))).extractall(folder)
    return folder


@pytest.fixture(scope="module", params=registry.lessons())
def answers(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A lesson and the folder with its answers."""
    folder = tmp_path_factory.mktemp("answers")
    answer_keys.make(request.param, folder / f"{request.param}.safetensors")
    return request.param, folder


@pytest.mark.slow
def test_it_holds_a_wheel_the_notebooks_and_what_to_do(made: Path) -> None:
    wheel = next(made.glob("*.whl")).name
    assert sorted(path.name for path in made.iterdir()) == sorted(["02_attention.ipynb", "README.md", wheel])
    assert f"pip install {wheel}" in (made / "README.md").read_text(encoding="utf-8")
    assert "BEGIN SOLUTION" not in (made / "02_attention.ipynb").read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_reference_no_mistake_and_no_later_lesson_is_inside(installed: Path) -> None:
    names = [path.relative_to(installed).as_posix() for path in installed.rglob("*.*")]
    assert not [name for name in names if "solutions" in name or "mistakes" in name or "sandbox" in name]
    assert not [name for name in names if "multi_head_attention" in name or name.startswith("course/lessons")]
    for path in installed.rglob("*.py"):
        defined = {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _defines(node)}
        answers = {one.reference for one in registry.exercises(LESSON)}
        # Widgets compare with a few functions of their own, and have them in every edition.
        assert path.parent.name == "widgets" or not defined & answers, path


def _defines(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


@pytest.mark.slow
def test_no_line_of_the_reference_is_inside(installed: Path) -> None:
    blanks = _blanks((ROOT / f"solutions/{LESSON}.py").read_text(encoding="utf-8"))
    for path in itertools.chain(installed.rglob("*.py"), installed.rglob("*.ipynb")):
        text = "\n".join(line.strip() for line in path.read_text(encoding="utf-8").splitlines())
        assert not [blank for blank in blanks if blank in text], path


def _blanks(text: str) -> list[str]:
    """What stands between the marks, without its indentation; single lines may also be a hint's."""
    pieces = [piece.partition("# END SOLUTION")[0] for piece in text.split("# BEGIN SOLUTION")[1:]]
    blanks = ["\n".join(line.strip() for line in piece.strip().splitlines()) for piece in pieces]
    return [blank for blank in blanks if "\n" in blank]


@pytest.mark.slow
def test_its_checks_work_where_there_is_nothing_else(installed: Path, tmp_path: Path) -> None:
    around = {**os.environ, "PYTHONPATH": str(installed), "MY_TRANSFORMER_HOME": str(tmp_path)}
    around.pop("NBGRADER_EXECUTION", None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", INSIDE], cwd=tmp_path, env=around, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert str(installed) in done.stdout
    assert "scale" in done.stdout.splitlines()[1]
    assert "2 of 2 points" in done.stdout
    assert "The reference is not part of this edition" in done.stdout
    assert "graded where the reference is" in done.stdout


@pytest.mark.slow
def test_every_mistake_has_the_same_verdict_as_in_the_full_edition(answers: tuple[str, Path]) -> None:
    lesson, folder = answers
    full, stored = Oracle(), Answers(folder)
    for exercise in registry.exercises(lesson):
        # One edit of each name: the others are the same to the code that is tested here, and there are thousands.
        for mistake in {one.name: one for one in full.mistakes(exercise)}.values():
            runs = {
                (one, seed): full.wrong(exercise, [mistake], one, seed) for one in exercise.probes for seed in PRACTICE
            }
            verdict = judge(exercise, runs, stored)
            assert [one.name for one in verdict.mistakes] == [mistake.name], exercise
            assert verdict.unexplained == []
            plain, kept = (judge(exercise, runs, one, name_mistakes=False) for one in (full, stored))
            assert _told(plain) == _told(kept)


def _told(verdict: object) -> tuple[object, ...]:
    return verdict.status, verdict.points, [finding.name for finding in verdict.failures]


def test_the_answers_of_a_lesson_take_a_megabyte_at_most(answers: tuple[str, Path]) -> None:
    lesson, folder = answers
    assert (folder / f"{lesson}.safetensors").stat().st_size < 1_000_000


def test_other_draws_and_other_lessons_have_no_answer(tmp_path: Path) -> None:
    normalize = registry.exercise("normalize")
    with pytest.raises(NoReference, match="no answers to this lesson"):
        Answers(tmp_path / "nothing").right(normalize, normalize.probes[0], 1)
    answer_keys.make("layer_norm", tmp_path / "layer_norm.safetensors")
    with pytest.raises(NoReference, match="graded where the reference is"):
        Answers(tmp_path).right(normalize, normalize.probes[0], 12345)


def test_a_damaged_file_is_said_to_be_one(tmp_path: Path) -> None:
    (tmp_path / "layer_norm.safetensors").write_bytes(b"no answers")
    exercise: Exercise = registry.exercise("normalize")
    with pytest.raises(NoReference, match="install this edition"):
        Answers(tmp_path).mistakes(exercise)


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(Problem, match="not empty"):
        package(["02"], str(tmp_path))
