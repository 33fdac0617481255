"""What the students' package asks of their machine, and what its words promise: blanks, solutions and when."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from autograder import registry
from autograder.classroom.course.book import opened
from autograder.classroom.course.init import init
from autograder.classroom.edition import requirements
from autograder.classroom.edition.package import _fill, notebook
from autograder.classroom.edition.solutions import add_released, deadlines, release, solved
from autograder.learner import choices, hints, released_solutions
from autograder.learner.choices import FILE, Choices
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem
from autograder.notebooks.reset import reset
from autograder.notebooks.update import update
from autograder.setup import doctor
from tests.small_lesson import STEM, live_in

ROOT = registry.COURSE.parent
OURS = {"autograder", "solutions", "course", "my_transformer"}
NOT_FOR_STUDENTS = {"nbgrader", "jupytext", "jupyter_server", "jupyter_core"}
"""Imported where they are needed, which no command of a student's does; jupyter_core comes with ipykernel."""


def project() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


# What it asks for ----------------------------------------------------------------------------------


def test_the_ranges_hold_what_the_course_is_tested_with() -> None:
    pins = dict(one.split("==") for one in project()["dependencies"])
    for name, given in {**requirements.NEEDED, **requirements.LAB}.items():
        assert name not in pins or Requirement(f"{name}{given}").specifier.contains(Version(pins[name])), name


def test_the_wheel_asks_for_ranges_and_not_for_the_server() -> None:
    made = tomllib.loads(requirements.with_ranges((ROOT / "pyproject.toml").read_text(encoding="utf-8")))["project"]
    names = {Requirement(one).name for one in made["dependencies"]}
    assert names == set(requirements.NEEDED)
    assert not names & {"jupyterlab", "jupyter_server", "nbgrader", "notebook", "pytest"}
    assert not [one for one in made["dependencies"] if "==" in one]
    assert made["optional-dependencies"] == {"lab": ["jupyterlab>=4.1,<5"]}
    assert made["scripts"] == project()["scripts"]


IMPORTED_AS = {"scikit-learn": "sklearn"}


def test_it_asks_for_everything_that_it_imports(tmp_path: Path) -> None:
    _fill(tmp_path, [registry.notebook_stem(registry.lessons()[-1])])
    asked = {IMPORTED_AS.get(name, name.casefold()) for name in requirements.NEEDED}
    imported = {name.casefold() for path in tmp_path.rglob("*.py") for name in _imported(path)}
    assert imported - asked <= NOT_FOR_STUDENTS


def _imported(path: Path) -> set[str]:
    """Packages that are neither ours nor Python's own."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found - set(sys.stdlib_module_names) - OURS


def test_nothing_that_students_run_imports_what_they_lack(tmp_path: Path) -> None:
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in ("nbgrader", "jupytext", "jupyterlab"))
    code = f"import sys; {blocked}; import autograder.cli, autograder.notebooks.reset; from autograder import check"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_doctor_reads_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor.metadata, "requires", lambda _: ["numpy<3,>=1.26", 'jupyterlab<5,>=4.1; extra == "lab"'])
    monkeypatch.setattr(doctor.metadata, "version", lambda _: "1.25.0")
    assert doctor.version_problems("numpy") == ["numpy is 1.25.0, the course was tested with <3,>=1.26"]
    assert doctor.version_problems("jupyterlab") == []
    monkeypatch.setattr(doctor.metadata, "version", lambda _: "2.4.6+cpu")
    assert doctor.version_problems("numpy") == []
    assert str(doctor.versions()) == "[ok] numpy 2.4.6+cpu"


def test_on_a_hub_the_doctor_leaves_the_server_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "IS_GUEST", True)
    monkeypatch.setattr(doctor, "is_absent", lambda name: name == "jupyterlab")
    assert str(doctor.jupyterlab()).startswith("[ok] ipykernel") and "your server's own" in doctor.jupyterlab().says
    assert doctor.widgets().ok and "your server's JupyterLab lacks anywidget" in doctor.widgets().says


# What its words promise ------------------------------------------------------------------------------


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """This process as in a students' package of one lesson: its blank, the choices, and no source."""
    course = live_in(tmp_path / "home", monkeypatch)
    blank = notebook(STEM)
    (course / "lessons" / f"{STEM}.md").unlink()
    files.write(course / f"{STEM}.ipynb", blank)
    (tmp_path / FILE).write_text(f'[deadlines]\n{STEM} = "2026-05-05 23:59 UTC"\n')
    monkeypatch.setattr(choices, "PACKAGE", tmp_path)
    monkeypatch.setattr(released_solutions, "HOME", tmp_path / "released")
    monkeypatch.setenv("MY_TRANSFORMER_HOME", str(tmp_path / "library"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def test_reset_brings_back_the_blank_of_an_exercise_where_the_student_works(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blank = files.read(package / "home" / "course" / f"{STEM}.ipynb")
    own = files.read(package / "home" / "course" / f"{STEM}.ipynb")
    for cell in own.cells:
        if cell.id in ("normalize", "LayerNorm"):
            cell.source = "# mine"
    files.write(Path(f"{STEM}.ipynb"), own)
    assert reset("01", "normalize") == 0
    sources = {cell.id: cell.source for cell in files.read(Path(f"{STEM}.ipynb")).cells}
    assert sources["LayerNorm"] == "# mine"
    assert sources["normalize"] == next(cell.source for cell in blank.cells if cell.id == "normalize")
    assert re.search(r"normalize in 01_layer_norm.ipynb is blank again. Before: backups/", capsys.readouterr().out)
    assert reset("01") == 0
    assert files.read(Path(f"{STEM}.ipynb")) == blank
    assert len(list(Path("backups").iterdir())) == 2


def test_a_blank_that_a_package_lacks_is_named(package: Path) -> None:
    (package / "home" / "course" / f"{STEM}.ipynb").write_text("")
    with pytest.raises(Problem, match=r"no blank of 01_layer_norm\. Install the newest package"):
        reset("01")


def test_update_says_what_a_class_does_instead(package: Path) -> None:
    with pytest.raises(Problem, match="install the newest"):
        update()


def test_hint_and_reveal_say_when(package: Path) -> None:
    said = str(hints.reveal("LayerNorm", give_up=True))
    assert "not in your package. Your instructor releases it after the deadline (2026-05-05 23:59 UTC)" in said
    every = [str(hints.hint("LayerNorm")) for _ in registry.exercise("LayerNorm").hints]
    assert "releases the solution after the deadline" in every[-1] and "give_up" not in "".join(every)
    assert "when everybody has handed in" in str(hints.reveal("softmax"))


def test_a_released_solution_is_revealed(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (package / "released").mkdir()
    (package / "released" / "layer_norm.json").write_text(json.dumps({"LayerNorm": "class LayerNorm: ..."}))
    assert "class LayerNorm: ..." in str(hints.reveal("LayerNorm", give_up=True))
    assert "not in your package" in str(hints.reveal("normalize", give_up=True))


# Releasing solutions -----------------------------------------------------------------------------------


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    live_in(tmp_path / "home", monkeypatch)
    assert init(str(tmp_path / "class")) == 0
    return tmp_path / "class"


@pytest.mark.slow
def test_a_folder_of_that_name_does_not_hide_the_reference(tmp_path: Path) -> None:
    """`classroom solutions` makes one in the course, in which workers are started."""
    (tmp_path / "solutions").mkdir()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}  # as installed
    command = [sys.executable, "-c", "from autograder import homes; import solutions; print(solutions.__file__)"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.stdout.strip() == str(ROOT / "solutions" / "__init__.py"), done.stderr


def test_solutions_come_out_after_the_deadline_and_the_last_extension(
    course: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yesterday = datetime.utcnow() - timedelta(days=1)
    with opened(course) as book:
        book.update_or_create_assignment(STEM, duedate=yesterday)
        book.update_or_create_student("ada")
        book.update_or_create_submission(STEM, "ada")
        book.grant_extension(STEM, "ada", days=3)
    with pytest.raises(Problem, match=r"with extensions\. Nothing was released"):
        release(course, ["01"])
    until = deadlines(course, [STEM])[STEM]
    assert until == f"{yesterday + timedelta(days=3):%Y-%m-%d %H:%M} UTC"
    with opened(course) as book:
        book.grant_extension(STEM, "ada")
    assert release(course, ["01"]) == 0
    assert "hand it out any way you like" in capsys.readouterr().out
    made = files.read(course / "solutions" / f"{STEM}.ipynb")
    assert "gradient stays finite" in str(made) and "BEGIN SOLUTION" not in str(made)
    add_released(course, [STEM, "02_attention"], tmp_path / "package")
    assert [one.name for one in (tmp_path / "package" / "released").iterdir()] == ["layer_norm.json"]
    texts = json.loads((tmp_path / "package" / "released" / "layer_norm.json").read_text())
    assert texts.keys() == {one.name for one in registry.exercises("layer_norm")}


def test_solutions_hold_no_check_no_blank_and_nothing_for_nbgrader(course: Path) -> None:
    made = solved(files.read(course / "source" / STEM / f"{STEM}.ipynb"), STEM)
    code = {cell.id: cell.source for cell in made.cells if cell.cell_type == "code"}
    assert not [one for one in code.values() if one.startswith("check(")]
    assert not [cell for cell in made.cells if "nbgrader" in cell.metadata]
    space: dict = {}
    for name in [one for one in code if not one.startswith("course-")]:
        exec("import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float\n" + code[name], space)
    import torch

    x = torch.randn(3, 4)
    right = torch.nn.LayerNorm(4)(x)
    assert all(torch.allclose(space[name](4)(x), right, atol=1e-5) for name in ("LayerNorm", "LayerNormalization"))


def test_outside_of_a_course_nothing_is_released(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live_in(tmp_path / "home", monkeypatch)
    with pytest.raises(Problem, match="in the folder of a course that has 01_layer_norm"):
        release(tmp_path, ["01"])
    assert deadlines(None, [STEM]) == {}


def test_a_package_made_in_a_course_takes_what_was_changed_there(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = course / "source" / STEM / f"{STEM}.ipynb"
    source = files.read(path)
    next(cell for cell in source.cells if cell.id == "check-LayerNorm").metadata.nbgrader.points = 10
    files.write(path, source)
    mine = next(cell for cell in notebook(STEM, course).cells if cell.id == "check-LayerNorm")
    assert mine.metadata.nbgrader.points == 10
    assert choices.read(course / FILE) == Choices(lessons=(STEM,))


# One version for a term ---------------------------------------------------------------------------------


def test_the_list_of_changes_names_every_assignment() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    told = {
        stem for line in text.splitlines() if line.startswith("Assignments") for stem in re.findall(r"`(\w+)`", line)
    }
    assert set(lessons.source_stems()) <= told
