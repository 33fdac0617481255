"""The same hand-ins have the same points in every mode, also where an instructor has changed a course.

*Stock* is nbgrader's own `Execute` and `determine_grade`, over a notebook with the gradebook's points and tests put
back in it, as `nbgrader autograde` does; *fast* is `autograder check FILE`, *trusted* is `autograder grade`, and the
*students' edition* is `autograder check FILE` with the package that students install. `pytest -s` shows the table.
"""

from __future__ import annotations

import copy
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.classroom.edition import package
from autograder.classroom.grading.batch import Options, grade_all
from autograder.classroom.grading.plan import released
from autograder.classroom.grading.worker import Task
from autograder.notebooks import files
from tests.kernel import started
from tests.sandbox.own_cells import with_own
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import NO_GRADIENT, STEM, cell, notebook, solved

pytestmark = [needs_walls, pytest.mark.slow]

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
CHANGED = {"check-LayerNorm": 10, "check-RMSNorm": 0.5, "check-normalize": 0}

Points = dict[str, float]
"""Cell → points."""


# What an instructor makes of the course ------------------------------------------------------------


def points_changed() -> NotebookNode:
    own = notebook("source")
    for name, points in CHANGED.items():
        cell(own, name).metadata.nbgrader.points = points
    return own


COURSES: dict[str, Callable[[], NotebookNode]] = {
    "as shipped": lambda: notebook("source"),
    "points changed": points_changed,
    "own exercise": with_own,
}
"""What `init` can be told belongs here, too: stretches as a bonus, lessons left out."""


# What is handed in ----------------------------------------------------------------------------


def right(own: NotebookNode) -> NotebookNode:
    return solved(own, *ALL)


def wrong(own: NotebookNode) -> NotebookNode:
    own = solved(own, *ALL)
    cell(own, "LayerNorm").source = cell(own, "LayerNorm").source.replace(*NO_GRADIENT)
    return own


def half(own: NotebookNode) -> NotebookNode:
    return solved(own, "normalize", "RMSNorm")


def blank(own: NotebookNode) -> NotebookNode:
    return copy.deepcopy(own)


def broken(own: NotebookNode) -> NotebookNode:
    own = solved(own, *ALL)
    cell(own, "LayerNorm").source += "\n    return ("
    return own


STUDENTS: dict[str, tuple[Callable[[NotebookNode], NotebookNode], str]] = {
    "right": (right, "def my_own(x): return x + 1"),
    "wrong": (wrong, "def my_own(x): return 2"),
    "half": (half, "def my_own(x): return x + (x < 3)"),
    "blank": (blank, ""),
    "broken": (broken, "def my_own(x): return nope"),
}
"""What becomes of the lesson's exercises, and of the instructor's own."""

HIDDEN = {("own exercise", "wrong", "test-my_own"): "its hidden part is in no notebook that is handed out"}
"""Where what a student has at hand cannot give the points that count, and why."""


def handed_in(course: str, student: str) -> NotebookNode:
    edit, code = STUDENTS[student]
    own = edit(released(COURSES[course]()))
    if code and course == "own exercise":
        cell(own, "my_own").source = code
    return own


PLACES = [(course, student) for course in COURSES for student in STUDENTS]
Table = dict[tuple[str, str], Points]


def graded_cells(own: NotebookNode) -> list[NotebookNode]:
    """The cells whose points no person gives."""
    places = [(one, one.metadata.get("nbgrader", {})) for one in own.cells]
    return [one for one, place in places if place.get("grade") and not place.get("solution")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Each hand-in in a folder of its own, each source in another."""
    root = tmp_path_factory.mktemp("everywhere")
    for course, student in PLACES:
        files.write(root / "in" / f"{course}-{student}" / f"{STEM}.ipynb", handed_in(course, student))
    for course, make in COURSES.items():
        files.write(root / "source" / course / f"{STEM}.ipynb", make())
    return root


def path_in(folder: Path, course: str, student: str) -> Path:
    return folder / "in" / f"{course}-{student}" / f"{STEM}.ipynb"


# The four modes ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stock(folder: Path) -> Table:
    """In one kernel, emptied before each notebook."""
    place = folder / "kernel"
    place.mkdir()
    known = {**os.environ, "PYTHONPATH": str(files.ROOT), "NBGRADER_EXECUTION": "autograde"}
    with started(place, {**known, "MY_TRANSFORMER_HOME": str(place)}) as manager:
        return {(course, student): in_kernel(course, student, place, manager) for course, student in PLACES}


def in_kernel(course: str, student: str, place: Path, manager: object) -> Points:
    from nbgrader.preprocessors import Execute
    from nbgrader.utils import determine_grade

    own = overwritten(handed_in(course, student), COURSES[course]())
    (place / f"{STEM}.ipynb").write_text(nbformat.writes(own))  # `nbgrader autograde` has it there, too
    own.cells.insert(0, new_code_cell("%reset -f"))
    own, _ = Execute(timeout=120).preprocess(own, {"metadata": {"path": str(place)}}, km=manager)
    return {one.metadata.nbgrader.grade_id: float(determine_grade(one)[0] or 0) for one in graded_cells(own)}


def overwritten(own: NotebookNode, source: NotebookNode) -> NotebookNode:
    """With the points and texts that the gradebook has of the source; cells that only show something are left out."""
    kept = {one.metadata.nbgrader.grade_id: one for one in graded_cells(source)}
    for one in graded_cells(own):
        one.source = kept[one.metadata.nbgrader.grade_id].source
        one.metadata.nbgrader.points = kept[one.metadata.nbgrader.grade_id].metadata.nbgrader.points
    own.cells = [one for one in own.cells if not {"demo", "play"} & set(one.metadata.get("tags", []))]
    return own


@pytest.fixture(scope="module")
def trusted(folder: Path) -> Table:
    tasks = {
        (course, student): Task(
            str(path_in(folder, course, student)), STEM, "", True, str(folder / "source" / course / f"{STEM}.ipynb")
        )
        for course, student in PLACES
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_CACHE", str(folder / "cache"))
        patch.setenv("PYTHONPATH", str(files.ROOT))
        grades = grade_all(list(tasks.values()), Options(jobs=1))
    return {
        place: {one.grade_id: float(one.points or 0) for one in grade.results}
        for place, grade in zip(tasks, grades, strict=True)
    }


@pytest.fixture(scope="module")
def fast(folder: Path) -> Table:
    return checked(folder, "fast", [files.ROOT, files.ROOT / "course"])


@pytest.fixture(scope="module")
def edition(folder: Path) -> Table:
    """With nothing on the path but what is in the wheel."""
    (folder / "wheel").mkdir()
    package._fill(folder / "tree", [STEM])
    zipfile.ZipFile(package._build_wheel(folder / "tree", folder / "wheel")).extractall(folder / "edition")
    assert not (folder / "edition" / "solutions").exists()
    return checked(folder, "told", [folder / "edition"])


def checked(folder: Path, name: str, paths: list[Path]) -> Table:
    (folder / name).mkdir()
    names = [str(path_in(folder, *place)) for place in PLACES]
    known = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths)), "COURSE_QUICK": "1", "MPLBACKEND": "agg"}
    command = [sys.executable, str(Path(__file__).with_name("check_in_turn.py")), str(folder / name), *names]
    subprocess.run(command, env=known, check=True, cwd=folder, capture_output=True)
    return {place: points_said((folder / name / "-".join(place)).with_suffix(".txt"), place[0]) for place in PLACES}


def points_said(told: Path, course: str) -> Points:
    """What `autograder check` printed; 0 for a check that could not run."""
    said = re.findall(r"^([\w-]+) · ([\d.]+) of [\d.]+ points?$", told.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = {name if name.startswith("test-") else f"check-{name}": float(points) for name, points in said}
    return {one.metadata.nbgrader.grade_id: 0.0 for one in graded_cells(COURSES[course]())} | found


# They agree ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def modes(stock: Table, fast: Table, trusted: Table, edition: Table) -> Iterator[dict[str, Table]]:
    found = {"stock": stock, "fast": fast, "trusted": trusted, "students": edition}
    print("\n\n" + "\n".join(lines(found)))
    yield found


def lines(modes: dict[str, Table]) -> Iterator[str]:
    """The table: the sum of points of each hand-in in each mode, and why where they differ."""
    yield f"{'course':16}{'hand-in':10}" + "".join(f"{name:>10}" for name in modes)
    for course, student in PLACES:
        sums = "".join(f"{sum(table[course, student].values()):>10g}" for table in modes.values())
        why = [f"{name}: {reason}" for (*place, name), reason in HIDDEN.items() if place == [course, student]]
        yield f"{course:16}{student:10}{sums}  {'; '.join(why)}"


@pytest.mark.parametrize(("course", "student"), PLACES)
def test_the_same_points_in_every_mode(course: str, student: str, modes: dict[str, Table]) -> None:
    counts = modes["trusted"][course, student]
    assert modes["stock"][course, student] == counts
    for mode in ("fast", "students"):
        found = modes[mode][course, student]
        assert found.keys() == counts.keys()
        differing = {name for name in counts if found[name] != counts[name]}
        assert all((course, student, name) in HIDDEN for name in differing), differing


def test_what_they_agree_on_is_what_the_instructor_said(modes: dict[str, Table]) -> None:
    """Agreeing on nothing but zeros would be easy."""
    found = modes["trusted"]
    for course, make in COURSES.items():
        possible = {one.metadata.nbgrader.grade_id: one.metadata.nbgrader.points for one in graded_cells(make())}
        assert found[course, "right"] == possible
        assert not any(found[course, "blank"].values())
        assert 0 < found[course, "wrong"]["check-LayerNorm"] < possible["check-LayerNorm"]
    assert found["points changed", "right"]["check-LayerNorm"] == 10
    assert found["own exercise", "half"]["test-partly"] == 2
    for course, student, name in HIDDEN:
        assert modes["fast"][course, student][name] != found[course, student][name]
