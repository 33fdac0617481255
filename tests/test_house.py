"""The floor plan: who may import whom, which walls are folders, how long a file may be (CONTRIBUTING.md)."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from autograder import registry
from autograder.probing.source import docstring_of
from autograder.sandbox import stage

ROOT = Path(__file__).resolve().parent.parent
FLOORS = (
    ("homes",),
    ("probing",),
    ("checks", "lineups", "mistakes", "stand_ins"),
    ("registry",),
    ("judging",),
    ("reporting",),
    ("learner",),
    ("setup",),
    ("notebooks",),
    ("showing",),
    ("sandbox",),
    ("classroom",),
    ("dev",),
    ("cli",),
    ("__main__",),
)
"""From the ground up: what stands on a floor imports its own floor and what is below."""

TRUSTED = ("judging", "lineups", "mistakes", "notebooks", "classroom", "dev")
"""Folders of `autograder` from which the reference may be reached."""

CONTENT = ("checks", "lineups", "mistakes", "stand_ins")
CONTENT_LINES, CODE_LINES = 1000, 450
REFERENCE_LINES = 300
"""Of a lesson in `solutions`, without docstrings: these are the pages' text, cell by cell."""

SECRET = ("solutions", "autograder.mistakes", "autograder.lineups")
LEARNER_RUNS = ("autograder", "course")
ONLY_ON_LINUX = ("autograder/sandbox/inside/", "autograder/sandbox/own_folder.py")
"""What no learner runs: the inside of the sandbox in which an instructor grades, and where it is staged."""

NOT_ON_WINDOWS = {"resource", "fcntl", "pwd", "grp", "termios", "pty"}


def python_files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.py"))


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> Iterator[str]:
    """All modules that a file imports, as far as its import statements tell."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_of(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def floor_of(module: str) -> int:
    part = module.split(".")[1]
    return next(number for number, parts in enumerate(FLOORS) if part in parts)


def ours(module: str) -> bool:
    """Whether a module is one of `autograder` that has a floor."""
    parts = module.split(".")
    return parts[0] == "autograder" and len(parts) > 1 and any(parts[1] in floor for floor in FLOORS)


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
        inside = path.relative_to(ROOT / "autograder").parts[0]
        if inside not in TRUSTED:
            assert [one for one in imported(path) if within(one, SECRET)] == [], inside


WITHOUT = """
import sys
from pathlib import Path
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "solutions" or name.startswith(("autograder.mistakes", "autograder.lineups")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from autograder import check, hint, progress, registry, reveal
from autograder.judging import answers
if sys.argv[1] == "unusable":
    answers.FOLDER = Path("nowhere")
some = [registry.exercises(one)[0] for one in registry.lessons()]
for exercise in some if sys.argv[1] == "unusable" else registry.all_exercises():
    part = registry.stand_in(exercise)
    report = check(part, exercise=exercise.name)
    assert report.status == sys.argv[1], report
    assert report.passed or "edition" in str(report), report
    hint(exercise.name)
    reveal(exercise.name, give_up=True)
progress()
assert not any(name.split(".")[0] == "solutions" for name in sys.modules)
"""


@pytest.mark.turns(3, "autograder/probing", "autograder/judging", "autograder/learner", "autograder/reporting", at=1)
@pytest.mark.parametrize("status", ["passed", "unusable"], ids=["with stored answers", "with nothing"])
def test_the_learners_side_runs_without_the_reference(status: str) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT, status], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


def test_what_a_learner_runs_needs_nothing_that_windows_lacks() -> None:
    for folder in LEARNER_RUNS:
        for path in python_files(folder):
            if path.relative_to(ROOT).as_posix().startswith(ONLY_ON_LINUX):
                continue
            text = path.read_text(encoding="utf-8")
            assert not NOT_ON_WINDOWS & {one.split(".")[0] for one in imported(path)}, path
            assert not re.search(r"\bos\.(fork|setsid|killpg)\b|SIGALRM|setitimer", text), path


# The floor plan ----------------------------------------------------------------------------


def test_imports_run_one_way() -> None:
    """Those inside functions, too."""
    for path in python_files("autograder"):
        here = module_of(path)
        if here not in ("autograder", "autograder.install"):
            above = [one for one in imported(path) if ours(one) and floor_of(one) > floor_of(here)]
            assert above == [], f"{here} imports {above}, which stands above it"


def test_what_lies_loose_is_the_door_the_list_the_homes_and_the_first_thing_that_runs() -> None:
    loose = {path.stem for path in (ROOT / "autograder").glob("*.py")}
    assert loose == {"__init__", "__main__", "cli", "homes", "registry", "install"}
    folders = {path.parent.name for path in (ROOT / "autograder").glob("*/__init__.py")}
    assert folders | {"homes", "registry", "cli", "__main__"} == {part for floor in FLOORS for part in floor}


def test_nothing_imports_in_a_circle() -> None:
    modules = {module_of(path): path for folder in ("autograder", "course") for path in python_files(folder)}
    graph = {name: {one for one in imported(path) if one in modules} - {name} for name, path in modules.items()}
    packages = {name for name, path in modules.items() if path.name == "__init__.py"}
    TopologicalSorter({name: found - packages for name, found in graph.items()}).prepare()


@pytest.mark.parametrize("kind", ["class", "module"])
def test_no_name_means_two_things(kind: str) -> None:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for path in python_files("autograder"):
        if path.relative_to(ROOT / "autograder").parts[0] in CONTENT or path.name == "__init__.py":
            continue
        # One may begin with an underscore: it is read out loud all the same.
        defined = [one.name.lstrip("_") for one in ast.walk(tree_of(path)) if isinstance(one, ast.ClassDef)]
        for name in defined if kind == "class" else [path.stem]:
            found[name].append(path.relative_to(ROOT).as_posix())
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def test_no_file_is_longer_than_a_reader_can_hold() -> None:
    for folder in ("autograder", "course"):
        for path in python_files(folder):
            content = path.relative_to(ROOT).parts[1] in CONTENT
            lines = lines_of(path)
            assert lines <= (CONTENT_LINES if content else CODE_LINES), f"{path.relative_to(ROOT)} has {lines} lines"


def test_no_reference_has_more_code_than_a_reader_can_hold() -> None:
    for path in python_files("solutions"):
        docstrings = [docstring for docstring in map(docstring_of, ast.walk(tree_of(path))) if docstring]
        code = lines_of(path) - sum((one.end_lineno or 0) - one.lineno + 1 for one in docstrings)
        assert code <= REFERENCE_LINES, f"{path.relative_to(ROOT)} has {code} lines without its docstrings"


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


@pytest.mark.parametrize("lesson", registry.lessons())
def test_a_lesson_is_one_stem_everywhere(lesson: str) -> None:
    stem = registry.notebook_stem(lesson)
    assert (ROOT / "course" / "lessons" / f"{stem}.md").is_file()
    assert (ROOT / "solutions" / f"{lesson}.py").is_file()
    for part in ("checks", "mistakes", "stand_ins"):
        assert registry.files(part, lesson), f"{part} has nothing for {lesson}"
    stems = [{path.stem for path in registry.files(part, lesson)} for part in ("checks", "mistakes")]
    assert len(stems[0]) == 1 or stems[1] <= stems[0], "a folder of mistakes has the files of the checks' folder"


def test_a_sandbox_gets_whole_folders_and_no_answers(tmp_path: Path) -> None:
    """What may enter is said by naming folders: nobody has to remember a file."""
    with stage.staged("layer_norm") as folder:
        there = {path.relative_to(folder / "autograder").parts[0] for path in (folder / "autograder").rglob("*.py")}
        inside = {path.name for path in (folder / "autograder" / "sandbox" / "inside").glob("*.py")}
    assert there == {*stage.FILES, "sandbox", "checks", "stand_ins", *stage.FOLDERS}
    assert inside == {path.name for path in (ROOT / "autograder" / "sandbox" / "inside").glob("*.py")}
    assert not {"mistakes", "answers", "classroom", "notebooks", "dev"} & there
