"""The library as a package of its own, and exercises to come back to."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell

from autograder import registry
from autograder.cli import main
from autograder.learner import library, milestone_pictures, progress_file
from autograder.learner.examine import examine
from autograder.notebooks import files, lessons
from autograder.notebooks.run_file import CHECK
from autograder.probing.source import needed
from autograder.registry import exercise
from autograder.showing import exporting, reviewing
from tests import tiers
from tests.carried import remember, solved_library
from tests.small_lesson import cell

Capture = pytest.CaptureFixture[str]
ANSWER = "return self.weight * normalize(x, self.eps) + self.bias"
PNG = b"\x89PNG a picture"


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solved_library(tmp_path_factory.mktemp("solved") / "library")


@pytest.fixture
def home(solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of somebody who has passed everything, to be changed."""
    folder = tmp_path / "library"
    folder.mkdir()
    for path in solved.glob("*.*"):
        (folder / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(library, "home", lambda: folder)
    monkeypatch.setattr(milestone_pictures, "attention", lambda: PNG)
    monkeypatch.setattr(milestone_pictures, "picture", lambda one: PNG)
    return folder


@pytest.fixture
def untried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the run of the package's own tests, which one test has."""
    monkeypatch.setattr(exporting, "_tried", lambda place: 0)


# Export ----------------------------------------------------------------------------------------------

WITHOUT_THE_COURSE = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("autograder", "course", "solutions", "jaxtyping", "matplotlib", "IPython"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
import pytest
code = pytest.main(["-q", "-p", "no:cacheprovider"])
import my_transformer
assert my_transformer.__file__.startswith(sys.argv[1]), my_transformer.__file__
sys.exit(code)
"""


def test_an_exported_library_stands_by_itself(home: Path, tmp_path: Path, untried: None, capsys: Capture) -> None:
    """Everything of the whole course is there."""
    place = _exported(tmp_path)
    assert "Left out" not in capsys.readouterr().out
    there = {one for path in (place / "tests").glob("*.py") for one in _names_of_tests(path.read_text())}
    everything = {one for path in exporting.TAKEN_ALONG.glob("test_*.py") for one in _names_of_tests(path.read_text())}
    assert there == everything, "a test is left out although all that it needs is there"
    readme = (place / "README.md").read_text(encoding="utf-8")
    assert "written by Ada Lovelace" in readme and "**Licence.**" in readme
    assert (place / "LICENSE").is_file() and (place / "pictures" / "attention.png").read_bytes() == PNG
    for shown in ("pictures/attention.png", "pictures/normalizes.png", "`Transformer`"):
        assert shown in readme


@pytest.mark.turns(2, "autograder/showing", "solutions")
def test_an_exported_library_runs_without_the_course(home: Path, tmp_path: Path, untried: None) -> None:
    """With torch and pytest alone: what else is imported is not there."""
    place = _exported(tmp_path)
    command = [sys.executable, "-c", WITHOUT_THE_COURSE, str(place)]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def _exported(folder: Path) -> Path:
    place = folder / "mine"
    assert main(["export", str(place), "--name", "Ada Lovelace"]) == 0
    return place


def _names_of_tests(text: str) -> list[str]:
    return [one.name for one in ast.parse(text).body if isinstance(one, ast.FunctionDef)]


def test_what_rests_on_a_stand_in_is_left_out_and_said(
    home: Path, tmp_path: Path, untried: None, capsys: Capture
) -> None:
    (home / "attention.py").unlink()
    text = (home / "layer_norm.py").read_text(encoding="utf-8")
    text = text.replace("from torch import nn", "from torch import nn\nimport numpy as np\nfrom course.toy import toy")
    text = text.replace("class RMSNorm", "def odd(x):\n    return toy() + np.e\n\n\nclass RMSNorm")
    (home / "layer_norm.py").write_text(text.replace("self.eps = eps", "self.eps = eps or odd", 1), encoding="utf-8")
    place = tmp_path / "mine"
    assert main(["export", str(place)]) == 0
    told = capsys.readouterr().out
    assert "Left out: LayerNorm, as it uses course.toy, which is the course's." in told
    assert "Left out: Encoder, as" in told and "Left out: gelu" not in told
    assert not (place / "my_transformer" / "encoder.py").exists()
    front = (place / "my_transformer" / "__init__.py").read_text()
    assert "normalize" in front and "LayerNorm" not in front
    kept = (place / "tests" / "test_layer_norm.py").read_text()
    assert "test_normalize_gives" in kept and "test_layer_norm_takes" not in kept and "import LayerNorm" not in kept


def test_nothing_to_export_and_a_folder_that_is_taken(home: Path, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").touch()
    assert main(["export", str(tmp_path / "taken")]) == 2
    assert "is not empty" in capsys.readouterr().err
    for path in home.glob("*.py"):
        path.unlink()
    assert main(["export", str(tmp_path / "mine")]) == 2
    assert "nothing to export yet" in capsys.readouterr().err and not (tmp_path / "mine").exists()


# Review ----------------------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the notebook of a review goes, and its backup."""
    folder = tmp_path / "course"
    folder.mkdir()
    monkeypatch.setattr(reviewing.lessons, "COURSE", folder)
    (folder / "lessons").symlink_to(lessons.SOURCES)
    return folder


def entry(**fields: Any) -> dict[str, Any]:
    return {"points": 1.0, "of": 1.0, "passed": True, **fields}


def test_what_was_hard_and_what_is_long_ago_come_first() -> None:
    known = {
        "softmax": entry(tries=1, last="2026-05-01"),
        "normalize": entry(tries=9, last="2026-05-20"),
        "LayerNorm": entry(tries=5, last="2026-05-21"),
        "causal_mask": entry(),
        "gelu": entry(tries=30, passed=False),
    }
    assert list(reviewing.pick(known, {})) == ["normalize", "causal_mask", "LayerNorm"]
    asked = {"normalize": "2026-06-01", "causal_mask": "2026-06-01", "LayerNorm": "2026-06-01"}
    assert list(reviewing.pick(known, asked))[:2] == ["normalize", "softmax"]
    assert reviewing.pick({"softmax": entry(tries=1)}, {}) == {"softmax": "passed before days were kept"}
    assert reviewing.pick({}, {}) == {}


def test_a_review_is_a_notebook_in_which_one_can_work(home: Path, course: Path, capsys: Capture) -> None:
    """Blanks are blank, the earlier parts come from the library, and what is written there is right."""
    remember(home, LayerNorm={"tries": 9}, LayerNormalization={"tries": 8}, softmax={"last": "2026-01-01"})
    assert main(["review"]) == 0
    assert "LayerNorm (01_layer_norm): it took 9 checks" in capsys.readouterr().out
    written = files.read(course / reviewing.NOTEBOOK)
    assert [CHECK.fullmatch(one.source) is not None for one in written.cells].count(True) == 3
    assert "x.std" in cell(written, "LayerNormalization").source  # as an article has it
    answer = cell(written, "LayerNorm").source.replace("raise NotImplementedError()", ANSWER)
    assert ANSWER in answer
    above = written.cells[: written.cells.index(cell(written, "LayerNorm"))]
    values: dict[str, Any] = {"__name__": "review"}
    for source in [one.source for one in above if one.cell_type == "code" and not one.metadata.get("tags")] + [answer]:
        exec(source, values)
    assert examine(exercise("LayerNorm"), values["LayerNorm"]).passed
    assert values["normalize"].__module__ == "my_transformer.layer_norm"


def test_a_review_that_was_worked_in_is_kept(home: Path, course: Path, capsys: Capture) -> None:
    assert main(["review"]) == 0 and main(["review"]) == 0
    assert not (course / "backups").exists()
    first = files.read(course / reviewing.NOTEBOOK)
    first.cells.append(new_code_cell("mine = 1"))
    files.write(course / reviewing.NOTEBOOK, first)
    mine = (course / reviewing.NOTEBOOK).read_bytes()
    (home / reviewing.FILE).write_text("[damaged")
    assert main(["review"]) == 0
    assert [path.read_bytes() for path in (course / "backups").iterdir()] == [mine]
    assert "What stood there before" in capsys.readouterr().out
    (home / progress_file.FILE).unlink()
    assert main(["review"]) == 2 and "nothing to come back to" in capsys.readouterr().err


def test_every_exercise_can_come_back() -> None:
    """Its set-up cell has what its answer needs: the imports, what is given, and the earlier parts."""
    for lesson in _lessons_of_today():
        stem = registry.notebook_stem(lesson)
        fresh = reviewing.blank(stem)
        for one in registry.exercises(lesson):
            made = list(reviewing._of_one(one, fresh, stem))
            assert [each.source for each in made if each.id == f"check-{one.name}"] == [f"check({one.name})"]
            above = reviewing.cell_names.bound(made[1].source)
            answer = next(each for each in made if each.id == one.name)
            missing = needed(answer.source) - above - {one.name} if not one.repairs else set()
            assert not missing, f"{one.name} needs {missing}"


def _lessons_of_today() -> list[str]:
    return [one for one in registry.lessons() if tiers.its_turn(one, 7)]
