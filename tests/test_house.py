"""Who may import whom (CONTRIBUTING.md, "The rules of the house")."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TRUSTED = ("judging/", "mistakes/", "notebooks/", "classroom/", "cli.py")
"""Where in `autograder` the reference may be reached."""

SECRET = ("solutions", "autograder.mistakes")
LEARNER_RUNS = ("autograder", "course")
ONLY_ON_LINUX = ("autograder/sandbox/",)
"""What no learner runs: the inside of the sandbox in which an instructor grades."""

NOT_ON_WINDOWS = {"resource", "fcntl", "pwd", "grp", "termios", "pty"}


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """All modules that a file imports, as far as its import statements tell."""
    yield from imported_by(ast.parse(path.read_text(encoding="utf-8")))


def imported_by(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == one or module.startswith(f"{one}.") for one in packages)


@pytest.mark.parametrize("path", python_files("solutions"), ids=lambda path: path.name)
def test_the_reference_stands_alone(path: Path) -> None:
    allowed = ("torch", "jaxtyping", "solutions", *sys.stdlib_module_names)
    assert [one for one in imported(path) if not within(one, allowed)] == []


def test_the_reference_imports_names_and_not_modules() -> None:
    """An edited module reaches what is built on it only through `from solutions.x import name`."""
    for path in python_files("solutions"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "solutions":
                pytest.fail(f"{path.name}: write from solutions.<module> import <name>")


@pytest.mark.parametrize("path", python_files("course"), ids=lambda path: path.name)
def test_the_course_never_imports_the_reference(path: Path) -> None:
    assert [one for one in imported(path) if within(one, SECRET)] == []


def test_lessons_import_the_reference_in_exercise_and_given_cells_only() -> None:
    for lesson in sorted((ROOT / "course" / "lessons").glob("[0-9]*.md")):
        cells = re.findall(r"```\{code-cell\}.*?\n(.*?)```", lesson.read_text(encoding="utf-8"), re.S)
        for cell in cells:
            if "from solutions" in cell:
                assert re.search(r":tags: \[(exercise|given)\]", cell), f"{lesson.name}: {cell}"


def test_only_the_trusted_side_names_the_reference() -> None:
    for path in python_files("autograder"):
        inside = path.relative_to(ROOT / "autograder").as_posix()
        if not inside.startswith(TRUSTED):
            assert [one for one in imported(path) if within(one, SECRET)] == [], inside


def imported_when_run(path: Path) -> Iterator[str]:
    """All modules that a file imports, in functions too, but those that only its annotations need."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for_types = [
        node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    for one in for_types:
        one.body = [ast.Pass()]
    yield from imported_by(tree)


def test_nothing_imports_in_a_circle() -> None:
    paths = [one for folder in LEARNER_RUNS for one in python_files(folder) if one.stem != "__init__"]
    modules = {".".join(one.relative_to(ROOT).with_suffix("").parts): one for one in paths}
    imports = {name: set(imported_when_run(path)) & modules.keys() for name, path in modules.items()}
    while free := {name for name, wanted in imports.items() if not wanted & imports.keys()}:
        imports = {name: wanted for name, wanted in imports.items() if name not in free}
    assert sorted(imports) == []


CONTENT = ("checks", "mistakes", "stand_ins")
"""Where names are those of exercises and lessons."""


def test_no_class_and_no_module_is_called_like_another() -> None:
    """One may begin with an underscore: it is read out loud all the same."""
    paths = [one for one in python_files("autograder") if not set(one.parts) & set(CONTENT)]
    modules = Counter(one.stem for one in paths if not one.stem.startswith("__"))
    nodes = (node for one in paths for node in ast.walk(ast.parse(one.read_text(encoding="utf-8"))))
    classes = Counter(node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef))
    assert [name for name, times in (modules + classes).items() if times > 1] == []


WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "solutions" or name.startswith("autograder.mistakes"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from autograder import check, hint, progress, registry, reveal
for exercise in registry.all_exercises():
    part = registry.stand_in(exercise)
    report = check(part, exercise=exercise.name)
    assert report.status == "unusable", report
    assert "edition" in str(report), report
    hint(exercise.name)
    reveal(exercise.name, give_up=True)
progress()
assert not any(name.split(".")[0] == "solutions" for name in sys.modules)
"""


def test_the_learners_side_runs_without_the_reference() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_what_a_learner_runs_needs_nothing_that_windows_lacks() -> None:
    for folder in LEARNER_RUNS:
        for path in python_files(folder):
            if path.relative_to(ROOT).as_posix().startswith(ONLY_ON_LINUX):
                continue
            text = path.read_text(encoding="utf-8")
            assert not NOT_ON_WINDOWS & {one.split(".")[0] for one in imported(path)}, path
            assert not re.search(r"\bos\.(fork|setsid|killpg)\b|SIGALRM|setitimer", text), path
