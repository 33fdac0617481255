"""What students install: checks that work and name mistakes, and nowhere the reference."""

from __future__ import annotations

import ast
import itertools
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import torch
from packaging.version import Version

from autograder import registry
from autograder.classroom.edition.package import LISTING, _mark_version, _replace, _say, notebook, package
from autograder.install import CPU_INDEX
from autograder.judging import answer_keys, answers
from autograder.judging.agreement import agree
from autograder.judging.answers import Answers, NoReference
from autograder.judging.judge import judge
from autograder.judging.oracle import Oracle
from autograder.learner.examine import PRACTICE
from autograder.notebooks import dispute, files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem
from autograder.probing.exercise import Exercise
from autograder.probing.outcome import same
from tests.tiers import ONE_A_DAY, its_turn

ROOT = registry.COURSE.parent

LESSON = "attention"
STEMS = ["01_layer_norm", "02_attention"]

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
    if q.size(-1) != k.size(-1):
        raise ValueError("widths")
    return q @ k.transpose(-2, -1)
print(check(attention_scores).mistake)
def attention_scores(q, k):
    if q.size(-1) != k.size(-1):
        raise ValueError("widths")
    return q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
print(check(attention_scores))
print(reveal("attention_scores", give_up=True))
os.environ["NBGRADER_EXECUTION"] = "autograde"
print(check(attention_scores))
"""

ALL_SO_FAR = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
from autograder import check
def normalize(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
def attention_scores(q, k):
    if q.size(-1) != k.size(-1):
        raise ValueError("widths")
    return q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
def softmax(x, dim=-1):
    return x
for one in (normalize, attention_scores, softmax):
    print(one.__name__, check(one).status)
print(check(softmax))
def split_heads(x):
    return x
try:
    check(split_heads)
except LookupError as error:
    print(error)
"""

NOT_OURS = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in repr(one).lower()]
"""
"""As a `sitecustomize`, it keeps this checkout out of processes that are started by others, too."""

DISPUTE = """
from autograder.cli import main
try:
    main(["dispute", "--replay", "x"])
except SystemExit as end:
    print("no replay", end.code)
raise SystemExit(main(["dispute", "LayerNorm", "--says", "No."]))
"""


@pytest.fixture(scope="module")
def weeks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The first week's wheel, and the package of the second in the same folder."""
    folder = tmp_path_factory.mktemp("made") / "student package"
    assert package(["01"], str(folder)) == 0
    first = Path(shutil.move(next(folder.glob("*.whl")), folder.parent))
    assert package(["02", "01"], str(folder)) == 0
    return first, folder


@pytest.fixture(scope="module")
def made(weeks: tuple[Path, Path]) -> Path:
    return weeks[1]


@pytest.fixture(scope="module")
def installed(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(next(made.glob("*.whl"))).extractall(folder)
    return folder


@pytest.mark.slow
def test_it_holds_a_wheel_the_notebooks_and_what_to_do(made: Path) -> None:
    wheel = next(made.glob("*.whl")).name
    names = [path.name for path in made.iterdir() if path.name != LISTING]
    assert sorted(names) == sorted([*(f"{stem}.ipynb" for stem in STEMS), "README.md", wheel])
    text = (made / "README.md").read_text(encoding="utf-8")
    # Once for the first time, and once for every other.
    assert text.count(f'python -m pip install --extra-index-url {CPU_INDEX} "{wheel}[lab]"\n') == 2
    assert text.count(f"jupyter lab {STEMS[-1]}.ipynb\n") == 2
    assert f"compare with for: {', '.join(STEMS)}." in text
    assert "$" not in text


@pytest.mark.slow
def test_its_notebooks_are_a_class_edition(made: Path) -> None:
    for stem in STEMS:
        assert (made / f"{stem}.ipynb").read_text(encoding="utf-8") == files.text_of(notebook(stem))


@pytest.mark.parametrize("stem", lessons.source_stems())
def test_no_notebook_has_a_model_answer_or_a_solution(stem: str) -> None:
    told, made = _model_answers(stem), notebook(stem)
    assert told
    for cell in made.cells:
        assert "model-answer" not in cell.metadata.get("tags", [])
        assert "One good answer" not in cell.source and "BEGIN SOLUTION" not in cell.source
        assert not [answer for answer in told if answer in cell.source], cell.id
    # Nothing else is missing. That nbgrader releases the same is tested in test_classroom.py.
    own = [one for one in build(stem).cells if one.metadata.get("tags") != ["model-answer"]]
    assert [one.id for one in made.cells] == [one.id for one in own]
    code = [[one.source for one in cells if one.cell_type == "code"] for cells in (made.cells, own)]
    assert code[0] == code[1]


@pytest.mark.slow
def test_no_lesson_text_and_no_model_answer_is_in_the_wheel(installed: Path) -> None:
    texts = {
        path: path.read_text(encoding="utf-8", errors="replace") for path in installed.rglob("*") if path.is_file()
    }
    assert not [path for path in texts if path.suffix == ".md"]
    told = [answer for stem in lessons.source_stems() for answer in _model_answers(stem)]
    assert not [path for path, text in texts.items() if any(answer in text for answer in told)]


def _model_answers(stem: str) -> list[str]:
    return [cell.source for cell in build(stem, "source").cells if cell.metadata.get("tags") == ["answer"]]


@pytest.mark.slow
def test_no_reference_no_mistake_and_no_later_lesson_is_inside(installed: Path) -> None:
    names = [path.relative_to(installed).as_posix() for path in installed.rglob("*.*")]
    assert not [name for name in names if {"solutions", "mistakes", "sandbox"} & set(Path(name).with_suffix("").parts)]
    later = [name for name in names if "multi_head_attention" in name or name.startswith("course/lessons")]
    assert not [name for name in later if "/taken_along/" not in name]  # what `export` takes along compares with torch
    for path in installed.rglob("*.py"):
        defined = {node.name for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _defines(node)}
        answers = {one.reference for one in registry.exercises(LESSON)}
        # Widgets compare with a few functions of their own, and have them in every edition.
        assert path.parent.name == "widgets" or not defined & answers, path


def _defines(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


@pytest.mark.slow
def test_no_line_of_the_reference_is_inside(installed: Path) -> None:
    sources = [ROOT / f"solutions/{lessons.lesson_of(stem)}.py" for stem in STEMS]
    blanks = [blank for one in sources for blank in _blanks(one.read_text(encoding="utf-8"))]
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
    assert "The solution is not in your package. Your instructor releases it when everybody has" in done.stdout
    assert "graded where the reference is" in done.stdout


@pytest.mark.slow
def test_a_student_can_dispute_a_check_and_replays_none(made: Path, installed: Path, tmp_path: Path) -> None:
    shutil.copy(made / f"{STEMS[0]}.ipynb", tmp_path)
    (tmp_path / "sitecustomize.py").write_text(NOT_OURS)
    paths = os.pathsep.join([str(tmp_path), str(installed)])
    around = {**os.environ, "PYTHONPATH": paths, "MY_TRANSFORMER_HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-c", DISPUTE]
    done = subprocess.run(command, cwd=tmp_path, env=around, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr
    told = dispute.read(tmp_path / "dispute-LayerNorm.json")
    assert told.says == "No." and "+student." in told.versions["transformer-course"]
    assert told.report.startswith("LayerNorm · 0 of 4 points") and told.status == "blank"
    assert "no replay 2" in done.stdout and "unrecognized arguments: --replay" in done.stderr


@pytest.mark.slow
def test_it_checks_all_lessons_so_far_and_no_other(installed: Path, tmp_path: Path) -> None:
    around = {**os.environ, "PYTHONPATH": str(installed), "MY_TRANSFORMER_HOME": str(tmp_path)}
    around.pop("NBGRADER_EXECUTION", None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", ALL_SO_FAR], cwd=tmp_path, env=around, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:3] == ["normalize passed", "attention_scores passed", "softmax unusable"]
    assert f"has no answers to 00_start_here; it has those to {', '.join(STEMS)}" in " ".join(done.stdout.split())
    assert "This package goes up to 02_attention; for a later lesson, install the newest package." in done.stdout


@pytest.mark.slow
def test_pip_replaces_the_package_of_the_week_before(weeks: tuple[Path, Path], tmp_path: Path) -> None:
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home], check=True, timeout=100)
    first, second = weeks[0], next(weeks[1].glob("*.whl"))
    assert _installed(home, first) == {"layer_norm"}
    assert _installed(home, second) == {"layer_norm", "attention"}


def _installed(home: Path, wheel: Path) -> set[str]:
    """The lessons with answers after `pip install THE.whl`."""
    pip = [sys.executable, "-m", "pip", "--python", str(home)]
    command = [*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(command, check=True, capture_output=True, timeout=200)
    return {path.stem for path in home.rglob("answers/*.safetensors")}


def test_a_version_is_that_of_the_content(tmp_path: Path) -> None:
    marked = [_version(tmp_path / str(n), answers) for n, answers in enumerate(("1", "1", "2"))]
    assert marked[0] == marked[1] != marked[2]
    assert all(one.base_version == "0.1.0" and str(one).startswith("0.1.0+student.") for one in marked)


def _version(tree: Path, answers: str) -> Version:
    tree.mkdir()
    (tree / "answers").write_text(answers)
    (tree / "pyproject.toml").write_text('[project]\nname = "course"\nversion = "0.1.0"\n')
    _mark_version(tree)
    return Version(tomllib.loads((tree / "pyproject.toml").read_text())["project"]["version"])


@pytest.mark.parametrize("lesson", [one for one in registry.lessons() if its_turn(one, 11)])
def test_every_mistake_has_the_same_verdict_as_in_the_full_edition(lesson: str) -> None:
    full, stored = Oracle(), Answers()
    for exercise in registry.exercises(lesson):
        # One edit of each name: the others are the same to the code that is tested here, and there are thousands.
        for mistake in {one.name: one for one in full.mistakes(exercise) if not one.varies}.values():
            runs = {
                (one, seed): full.wrong(exercise, [mistake], one, seed) for one in exercise.probes for seed in PRACTICE
            }
            verdict = judge(exercise, runs, stored)
            assert [one.name for one in verdict.mistakes] == [mistake.name], exercise
            left = [one.name for one in verdict.unexplained]  # a hunt's whole is wrong as long as a fault is left
            assert not left or (exercise.hunt and left == [one.name for one in judge(exercise, runs, full).unexplained])
            plain, kept = (judge(exercise, runs, one, name_mistakes=False) for one in (full, stored))
            assert _told(plain) == _told(kept)


def _told(verdict: object) -> tuple[object, ...]:
    return verdict.status, verdict.points, [finding.name for finding in verdict.failures]


@pytest.mark.parametrize("lesson", registry.lessons())
def test_the_answers_that_ship_are_those_of_this_course(lesson: str) -> None:
    """That they are right is tested with every mistake (test_checks.py): one of its probes is run, and it is named."""
    path = answers.FOLDER / f"{lesson}.safetensors"
    assert answers.made_of(path) == answers.ingredients(lesson), f"autograder dev answers {lesson}"


@pytest.mark.parametrize("lesson", registry.lessons())
def test_the_answers_of_a_lesson_take_little_more_than_a_megabyte_at_most(lesson: str) -> None:
    assert (answers.FOLDER / f"{lesson}.safetensors").stat().st_size < 1_300_000


@pytest.mark.parametrize("lesson", [one for one in registry.lessons() if its_turn(one, ONE_A_DAY)])
def test_answers_that_are_made_anew_are_those_that_ship(lesson: str, tmp_path: Path) -> None:
    answer_keys.make(lesson, tmp_path / f"{lesson}.safetensors")
    made, kept = Answers(tmp_path), Answers()
    for exercise in registry.exercises(lesson):
        assert [one.name for one in made.mistakes(exercise)] == [one.name for one in kept.mistakes(exercise)]
        for mistake, probe in itertools.product(made.mistakes(exercise), exercise.probes):
            assert agree(*(one.wrong(exercise, [mistake], probe, PRACTICE[0]) for one in (made, kept)))


def test_numbers_that_cannot_be_rounded_are_kept_as_they_are() -> None:
    every_bit = torch.tensor([-1, 0x7FFFFFFF], dtype=torch.int32).view(torch.float32)  # two NaNs
    largest = torch.finfo(torch.float32).max
    given = torch.cat([every_bit, torch.tensor([largest, -largest, float("inf"), float("-inf"), 0.0, 0.1])])
    assert same(given, answer_keys._rounded(given))


def test_other_draws_and_other_lessons_have_no_answer(tmp_path: Path) -> None:
    normalize = registry.exercise("normalize")
    scores = registry.exercise("attention_scores")
    with pytest.raises(NoReference, match="has no stored answers"):
        Answers(tmp_path / "nothing").right(normalize, normalize.probes[0], 1)
    answer_keys.make("layer_norm", tmp_path / "layer_norm.safetensors")
    with pytest.raises(NoReference, match="no answers to 02_attention; it has those to 01_layer_norm"):
        Answers(tmp_path).right(scores, scores.probes[0], 1)
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


def test_an_earlier_package_is_replaced_whole_and_what_is_hidden_stays(tmp_path: Path) -> None:
    place = _earlier_package(tmp_path)
    (place / ".venv").mkdir()
    _replace(place, _folder(tmp_path / "next", {"b.whl": "new", "README.md": "new"}))
    assert {path.name for path in place.iterdir()} == {".venv", LISTING, "b.whl", "README.md"}
    assert (place / "README.md").read_text() == "new"


@pytest.mark.parametrize("name", ["01.ipynb", "other.txt"])
def test_a_package_in_which_someone_wrote_is_left_alone(tmp_path: Path, name: str) -> None:
    place = _earlier_package(tmp_path)
    (place / name).write_text("an afternoon's work")
    with pytest.raises(Problem, match=f"not as it was written: {name}. Nothing was changed"):
        package(["02"], str(place))
    assert (place / "a.whl").read_text() == "old" and (place / name).read_text() == "an afternoon's work"


@pytest.mark.parametrize("listing", ["", "[]", "null", '{"a.whl": 1}'])
def test_a_damaged_list_makes_no_file_ours(tmp_path: Path, listing: str) -> None:
    place = _earlier_package(tmp_path)
    (place / LISTING).write_text(listing)
    with pytest.raises(Problem, match=r"a\.whl"):
        package(["02"], str(place))


def test_folders_and_links_are_not_ours(tmp_path: Path) -> None:
    place = _earlier_package(tmp_path)
    shutil.move(place / "a.whl", tmp_path / "a.whl")
    (place / "a.whl").symlink_to(tmp_path / "a.whl")
    (place / "01.ipynb").unlink()
    (place / "01.ipynb").mkdir()
    with pytest.raises(Problem, match=r"01.ipynb, a.whl\. Nothing"):
        package(["02"], str(place))


def _earlier_package(tmp_path: Path) -> Path:
    place = tmp_path / "place"
    _replace(place, _folder(tmp_path / "made", {"a.whl": "old", "README.md": "old", "01.ipynb": "blank"}))
    return place


def _folder(path: Path, texts: dict[str, str]) -> Path:
    path.mkdir()
    for name, text in texts.items():
        (path / name).write_text(text)
    return path


def test_it_says_what_to_hand_out_and_which_lessons_it_lacks(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "course.whl").touch()
    _say(tmp_path, ["01_layer_norm", "03_multi_head_attention"])
    said = capsys.readouterr().out
    assert "Hand out course.whl, README.md and 03_multi_head_attention.ipynb" in said
    assert "no answers to 00_start_here, 02_attention:" in said
    assert "autograder classroom package 00 01 02 03\n" in said
    _say(tmp_path, ["00_start_here"])
    assert "no answers" not in capsys.readouterr().out
