"""The same hand-ins have the same points in every mode, also where an instructor has changed a course.

*Stock* is nbgrader's own `Execute` and `determine_grade`, over a notebook with the gradebook's points and tests put
back in it, as `nbgrader autograde` does; *fast* is `autograder check FILE`, *trusted* is `autograder grade`, and the
*students' edition* is `autograder check FILE` with what is in the package that students install. `pytest -s` shows the
table. What an instructor may change stands in three notebooks: as shipped, with changes that do not touch each other,
and a lesson of their own.
"""

from __future__ import annotations

import copy
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder import homes
from autograder.classroom.course.adapting import adapted
from autograder.classroom.course.choosing import text_of
from autograder.classroom.course.marks import marks_in
from autograder.classroom.edition import package
from autograder.classroom.grading.batch import Options, grade_all
from autograder.classroom.grading.plan import released
from autograder.classroom.grading.worker import Task
from autograder.classroom.scores import bonus_in
from autograder.learner.choices import FILE, Choices
from autograder.notebooks import files
from autograder.notebooks.build import build
from tests import own_lesson
from tests.kernel import started
from tests.sandbox.own_cells import with_own
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import NO_GRADIENT, STEM, cell, notebook, solved

pytestmark = [needs_walls, pytest.mark.slow, pytest.mark.turns(4, "autograder/classroom", "autograder/reporting", at=3)]

ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
CHANGED = {"check-LayerNorm": 10, "check-LayerNormalization": 0.5, "check-normalize": 0}
CHOSEN = Choices("bonus", "by hand", (STEM, own_lesson.STEM))

Points = dict[str, float]
"""Cell → points."""


# What an instructor makes of the course ------------------------------------------------------------


def changed() -> NotebookNode:
    """Other points, a stretch as a bonus, and an exercise of the instructor's own."""
    own = with_own(adapted(notebook("source"), STEM, CHOSEN))
    for name, points in CHANGED.items():
        cell(own, name).metadata.nbgrader.points = points
    return own


def own_folder() -> NotebookNode:
    """A lesson of the instructor's own. Its second exercise uses a part of lesson 00, which the class leaves out."""
    return adapted(build(own_lesson.STEM, "source"), own_lesson.STEM, CHOSEN)


COURSES: dict[str, tuple[str, Callable[[], NotebookNode]]] = {
    "shipped": (STEM, lambda: notebook("source")),
    "changed": (STEM, changed),
    "own": (own_lesson.STEM, own_folder),
}
"""Course → the lesson's name, and the instructor's notebook of it."""

COLUMNS: dict[str, tuple[str, set[str]]] = {
    "as shipped": ("shipped", {f"check-{name}" for name in ALL}),
    "points changed": ("changed", set(CHANGED)),
    "stretch a bonus": ("changed", {"check-RMSNorm"}),
    "own exercise": ("changed", {"test-my_own", "test-partly"}),
    "own folder": ("own", {"check-twice"}),
    "lessons left out": ("own", {"check-soft_twice"}),
}
"""What is looked at → in which course, and in which of its cells."""


# What is handed in ----------------------------------------------------------------------------


def right(own: NotebookNode) -> NotebookNode:
    return solved(own, *ALL)


def wrong(own: NotebookNode) -> NotebookNode:
    own = solved(own, *ALL)
    cell(own, "LayerNorm").source = cell(own, "LayerNorm").source.replace(*NO_GRADIENT)
    cell(own, "RMSNorm").source = cell(own, "RMSNorm").source.replace("self.weight *", "self.weight.detach() *")
    return own


def half(own: NotebookNode) -> NotebookNode:
    return solved(own, "normalize", "RMSNorm")


def blank(own: NotebookNode) -> NotebookNode:
    return copy.deepcopy(own)


def broken(own: NotebookNode) -> NotebookNode:
    own = solved(own, *ALL)
    cell(own, "LayerNorm").source += "\n    return ("
    return own


TWICE = "def twice(x): return x + x"
SOFT = "def soft_twice(x): return twice(softmax(x))"

STUDENTS: dict[str, tuple[Callable[[NotebookNode], NotebookNode], dict[str, str]]] = {
    "right": (right, {"my_own": "def my_own(x): return x + 1", "twice": TWICE, "soft_twice": SOFT}),
    "wrong": (
        wrong,
        {
            "my_own": "def my_own(x): return 2",
            "twice": "def twice(x): return x * x",
            "soft_twice": "def soft_twice(x): return (2 * softmax(x)).detach() + 0 * x",
        },
    ),
    "half": (half, {"my_own": "def my_own(x): return x + (x < 3)", "twice": TWICE}),
    "blank": (blank, {}),
    "broken": (broken, {"my_own": "def my_own(x): return nope", "twice": "def twice(x:", "soft_twice": SOFT}),
}
"""What becomes of lesson 01's exercises, and the code of those of the instructor's own."""

LACKING = {
    ("changed", "wrong", "fast", "test-my_own"): "its hidden part is in no notebook that is handed out",
    ("changed", "wrong", "students", "test-my_own"): "its hidden part is in no notebook that is handed out",
    (
        "own",
        "broken",
        "students",
        "check-soft_twice",
    ): "what takes the place of `twice` is an answer, and in no package",
}
"""Where what a student has at hand cannot give the points that count, and why."""


def handed_in(course: str, student: str) -> NotebookNode:
    (edit, written), (_, make) = STUDENTS[student], COURSES[course]
    own = released(make()) if course == "own" else edit(released(make()))
    for one in own.cells:
        one.source = written.get(one.id, one.source)
    return own


PLACES = [(course, student) for course in COURSES for student in STUDENTS]
Table = dict[tuple[str, str], Points]


def graded_cells(own: NotebookNode) -> list[NotebookNode]:
    """The cells whose points no person gives."""
    places = [(one, one.metadata.get("nbgrader", {})) for one in own.cells]
    return [one for one, place in places if place.get("grade") and not place.get("solution")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A course that has taken in a lesson; each hand-in in a folder of its own, each source in another."""
    root = tmp_path_factory.mktemp("everywhere")
    (root / FILE).write_text(text_of(CHOSEN), encoding="utf-8")
    homes.use(own_lesson.write(root / homes.FOLDER))
    for course, student in PLACES:
        files.write(path_in(root, course, student), handed_in(course, student))
    for course, (_, make) in COURSES.items():
        files.write(source_in(root, course), make())
    yield root
    homes.use(None)


def path_in(folder: Path, course: str, student: str) -> Path:
    return folder / "in" / f"{course}-{student}" / f"{COURSES[course][0]}.ipynb"


def source_in(folder: Path, course: str) -> Path:
    return folder / "source" / course / f"{COURSES[course][0]}.ipynb"


# The four modes ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def stock(folder: Path) -> Table:
    """In one kernel, emptied before each notebook."""
    place = folder / "kernel"
    place.mkdir()
    known = {**os.environ, "PYTHONPATH": str(files.ROOT), "NBGRADER_EXECUTION": "autograde"}
    with started(place, {**known, "MY_TRANSFORMER_HOME": str(place)}) as manager:
        return {(course, student): in_kernel(course, student, place, manager) for course, student in PLACES}


IN_A_HURRY = """\
from autograder.judging import pairs
from autograder.learner import examine
pairs.PAIR_SECONDS, examine.GRADING_DRAWS = 0, 2"""
"""Neither how long a name is looked for nor how many draws there are decides on points here."""


def in_kernel(course: str, student: str, place: Path, manager: object) -> Points:
    from nbgrader.preprocessors import Execute
    from nbgrader.utils import determine_grade

    stem, make = COURSES[course]
    own = overwritten(handed_in(course, student), make())
    (place / f"{stem}.ipynb").write_text(nbformat.writes(own))  # `nbgrader autograde` has it there, too
    own.cells.insert(0, new_code_cell(f"%reset -f\n{IN_A_HURRY}"))
    own, _ = Execute(timeout=120).preprocess(own, {"metadata": {"path": str(place)}}, km=manager)
    return {
        one.metadata.nbgrader.grade_id: float(determine_grade(one)[0] or 0) + bonus_in(one) for one in graded_cells(own)
    }


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
            str(path_in(folder, course, student)), COURSES[course][0], "", True, str(source_in(folder, course))
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
    """With nothing on the path but what a wheel is made of."""
    package._fill(folder / "edition", list(CHOSEN.lessons))
    (folder / "edition" / "autograder" / FILE).write_text(text_of(CHOSEN), encoding="utf-8")
    there = {path.name for path in (folder / "edition").rglob("*")}
    assert not {"solutions", "mistakes", homes.FOLDER} & there
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
    said = re.findall(
        r"^([\w-]+) · ([\d.]+) of [\d.]+ points?(?:, a bonus)?$", told.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    found = {name if name.startswith("test-") else f"check-{name}": float(points) for name, points in said}
    return {one.metadata.nbgrader.grade_id: 0.0 for one in graded_cells(COURSES[course][1]())} | found


# They agree ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def modes(stock: Table, fast: Table, trusted: Table, edition: Table) -> Iterator[dict[str, Table]]:
    found = {"stock": stock, "fast": fast, "trusted": trusted, "students": edition}
    print("\n\n" + "\n".join(lines(found)))
    yield found


def lines(modes: dict[str, Table]) -> Iterator[str]:
    """The table: the sum of points of each hand-in in each mode, and why where they differ."""
    yield f"{'course':18}{'hand-in':10}" + "".join(f"{name:>10}" for name in modes)
    for (column, (course, names)), student in itertools.product(COLUMNS.items(), STUDENTS):
        sums = "".join(f"{summed(table[course, student], names):>10g}" for table in modes.values())
        lacking = {why for (*place, _, name), why in LACKING.items() if place == [course, student] and name in names}
        yield f"{column:18}{student:10}{sums}  {'; '.join(lacking)}"


def summed(points: Points, names: set[str]) -> float:
    return sum(points[name] for name in names)


@pytest.mark.parametrize(("course", "student"), PLACES)
def test_the_same_points_in_every_mode(course: str, student: str, modes: dict[str, Table]) -> None:
    counts = modes["trusted"][course, student]
    assert modes["stock"][course, student] == counts
    for mode in ("fast", "students"):
        found = modes[mode][course, student]
        assert found.keys() == counts.keys()
        differing = {name for name in counts if found[name] != counts[name]}
        assert differing == {name for *place, name in LACKING if place == [course, student, mode]}


PARTLY = [
    ("shipped", "check-LayerNorm"),
    ("changed", "check-LayerNorm"),
    ("changed", "check-RMSNorm"),
    ("own", "check-soft_twice"),
]
"""Where numbers are right and gradients are not."""


def test_every_graded_cell_is_in_the_table(modes: dict[str, Table]) -> None:
    for course in COURSES:
        told = {name for one, names in COLUMNS.values() for name in names if one == course}
        assert told == modes["trusted"][course, "right"].keys()


def test_what_they_agree_on_is_what_the_instructor_said(modes: dict[str, Table]) -> None:
    """Agreeing on nothing but zeros would be easy."""
    found = modes["trusted"]
    for course, (_, make) in COURSES.items():
        own = make()
        possible = {one.metadata.nbgrader.grade_id: one.metadata.nbgrader.points for one in graded_cells(own)}
        assert found[course, "right"] == possible | marks_in(own).bonus
        assert not any(found[course, "blank"].values())
    for course, name in PARTLY:
        assert 0 < found[course, "wrong"][name] < found[course, "right"][name]
    assert found["changed", "right"]["check-LayerNorm"] == 10
    assert marks_in(changed()).bonus == {"check-RMSNorm": 3}
    assert found["changed", "half"]["test-partly"] == 2
    assert (
        not any(found["own", "wrong"][name] for name in ("check-twice",)) and found["own", "half"]["check-twice"] == 2
    )
