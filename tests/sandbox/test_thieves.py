"""Stubs that steal: nobody gets points for a stand-in, a partner or an answer that was in the room.

Every exercise of a lesson is handed in as the same thief. It looks for its answer in all frames and what they hold,
among loaded modules and objects, in the files that it may read, and in what its like have left on disk; and it leaves
there what it found, for the others. It mentions every part, so that all is lent that can be.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder import registry
from autograder.classroom.grading.box import Answer, Box, Submission
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.loans import loan
from autograder.classroom.grading.one_exercise import ORACLE
from autograder.classroom.grading.one_notebook import Secret, grade_file
from autograder.classroom.grading.plan import Plan, plan_of
from autograder.judging.lending import lendable
from autograder.notebooks import lessons
from autograder.notebooks.build import build
from autograder.probing.exercise import Exercise
from autograder.sandbox.excerpt import excerpt, partners
from autograder.sandbox.inside.limits import Limits
from tests import tiers
from tests.sandbox.rooms import needs_walls
from tests.tiers import ONE_A_DAY, its_turn

pytestmark = [needs_walls, pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=1)]

QUICK = Limits(cell=10, probe=10, exercise=20, notebook=200)

HIDEOUT = '''\
import gc, glob, os, sys

LESSON = "{lesson}"
FOLDERS = (".", os.environ["HOME"], "/tmp", "/dev/shm", "/scratch")


def texts_in(value, depth=0):
    """All texts in frames' values that define something."""
    if type(value) is str:
        if "def " in value or "class " in value:
            yield value
    elif type(value) in (dict, list, tuple) and depth < 4 and len(value) < 1000:
        for one in list(value.values()) if type(value) is dict else value:
            yield from texts_in(one, depth + 1)


def all_frames():
    frame = sys._getframe()
    while frame is not None:
        yield frame
        frame = frame.f_back


def stolen_texts():
    for frame in all_frames():
        if frame.f_globals.get("__name__") != "__main__":
            yield from texts_in(dict(frame.f_locals))
    for folder in FOLDERS:
        for path in glob.glob(folder + "/taken-*"):
            yield open(path).read()
    for folder in sys.path:
        for path in glob.glob(folder + "/autograder/stand_ins/" + LESSON + ".py"):
            yield open(path).read()


def keep(text):
    for folder in FOLDERS:
        try:
            open(folder + "/taken-" + str(abs(hash(text))), "w").write(text)
        except OSError:
            pass


def rooms():
    """Namespaces in which an answer may be."""
    for text in dict.fromkeys(stolen_texts()):
        keep(text)
        values = {{"__name__": "stolen"}}
        try:
            exec(text, values)
        except BaseException:
            continue
        yield values
    for frame in all_frames():
        yield frame.f_locals
        yield frame.f_globals
        yield from [one for one in frame.f_locals.values() if type(one) is dict]
    yield from [vars(one) for name, one in list(sys.modules.items()) if name.startswith(("solutions", "autograder"))]
    yield from [one for one in gc.get_objects() if type(one) is dict]


def steal(*names):
    for values in rooms():
        for name in names:
            found = values.get(name)
            if callable(found) and getattr(found, "__module__", "__main__") != "__main__":
                return found
    raise NotImplementedError
'''

THIEF = """\
def {name}(*given, **named):
    mentioned = lambda: ({parts})
    return steal("{name}", "{reference}")(*given, **named)
"""


ORDERS: dict[str, Callable[[list[Exercise]], list[Exercise]]] = {
    "the plan's": list,
    "from the last to the first": lambda known: known[::-1],
    "another each day": lambda known: random.Random(tiers.turn).sample(known, len(known)),
}
"""In which order the cells stand."""


NOTHING = ("NotImplementedError", "AttributeError")
"""What comes of a thief that finds nothing, and of a probe whose partner is not there."""


def stub(one: Exercise) -> str:
    """An exercise's cell without any solution."""
    others = [each.name for each in registry.exercises(one.lesson) if each is not one]
    return THIEF.format(name=one.name, reference=one.reference, parts=", ".join([*others, "None"]))


def handed_in(plan: Plan, order: str) -> NotebookNode:
    """A notebook of thieves whose cells stand in one of `ORDERS`."""
    made = build(plan.stem, "student")
    cells = {one.id: one for one in made.cells}
    known = ORDERS[order]([one.exercise for one in plan.checks.values()])
    made.cells = [new_code_cell(HIDEOUT.format(lesson=plan.lesson), id="hideout")]
    for one in known:
        own, check = copy.deepcopy(cells[one.name]), cells[f"check-{one.name}"]
        own.source = stub(one)
        made.cells += [own, check]
    return made


def ask(submission: Submission, one: Exercise, *, lent: bool) -> bool:
    """Whether an exercise's first probe comes to something, with all lent to it that may be, or with nothing."""
    probe = one.probes[0]
    job = {"do": "probe", "exercise": one.name, "name": one.name, "probe": probe.name, "seeds": [1], "luck": 0}
    job["settled"] = [list(ORACLE.right(one, probe, 1).settled)]
    names = partners(one) if lent else set()
    job["partners"] = excerpt(one.lesson, names) if names else ""
    job["loans"] = {name: list(loan(name)) for name in (lendable(one) if lent else ())}
    answer = submission.ask(job, 10)
    runs = answer.value["runs"] if answer.status == "answered" else [{"returned": None}]
    return getattr(runs[0]["returned"], "kind", "") not in NOTHING


@contextmanager
def opened(box: Box, notebook: NotebookNode) -> Iterator[Submission]:
    """A submission in which a notebook's definitions were run."""
    with box.submission() as submission:
        for one in notebook.cells:
            if not one.id.startswith("check-"):
                submission.ask({"do": "cell", "text": one.source}, 10, stays=True)
        yield submission


def robbed(box: Box, plan: Plan) -> list[str]:
    """The exercises whose answers are found where everything is lent in one room, one after the other."""
    known = [one.exercise for one in plan.checks.values()]
    with opened(box, handed_in(plan, "the plan's")) as submission:
        before = [one.name for one in known if ask(submission, one, lent=False)]
        assert before == [], "answers are found before anything was lent"
        for one in known:
            ask(submission, one, lent=True)
        return [one.name for one in known if ask(submission, one, lent=False)]


def lent_at_all(plan: Plan) -> bool:
    return any(lendable(one.exercise) or partners(one.exercise) for one in plan.checks.values())


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The probes that are asked for, one after the other."""
    found: list[dict[str, Any]] = []
    before = Submission.ask

    def noted(self: Submission, job: dict[str, Any], *given: Any, **named: Any) -> Answer:
        found.extend([job] if job["do"] == "probe" else [])
        return before(self, job, *given, **named)

    monkeypatch.setattr(Submission, "ask", noted)
    return found


def too_late(asked: list[dict[str, Any]]) -> list[str]:
    """Exercises that are asked for after their own stand-in was beside another."""
    found, beside = [], set[str]()
    for job in asked:
        found += [job["exercise"]] if job["exercise"] in beside else []
        beside |= {*job["loans"], *(partners(registry.exercise(job["exercise"])) if job["partners"] else ())}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("stem", [registry.notebook_stem(one) for one in registry.lessons()])
def test_thieves_gain_nothing(stem: str, tmp_path: Path, asked: list[dict[str, Any]]) -> None:
    if not its_turn(lessons.lesson_of(stem), ONE_A_DAY):
        pytest.skip("another day's turn")
    plan, secret = plan_of(stem), Secret()
    with Box(plan.lesson, plan.modules, QUICK) as box:
        assert bool(robbed(box, plan)) == lent_at_all(plan), "the theft does not even work where all is in one room"
        assert bool(too_late(asked)) == lent_at_all(plan), "it is not noticed where all is in one room"
        for order in ORDERS:
            path = tmp_path / f"{stem}.ipynb"
            path.write_text(nbformat.writes(handed_in(plan, order)))
            asked.clear()
            grade = grade_file(path, plan, box, secret)
            assert earned(grade) == {}
            assert too_late(asked) == []
            assert grade.complete


@pytest.mark.parametrize("lesson", registry.lessons())
def test_what_is_beside_an_exercise_stands_earlier_in_the_plan(lesson: str) -> None:
    """So decided in the plan's order, none comes after its own stand-in was beside another."""
    known = [one.name for one in registry.exercises(lesson)]
    for number, one in enumerate(registry.exercises(lesson)):
        assert not {*lendable(one), *partners(one)} & set(known[number:])


def earned(grade: Grade) -> dict[str, float | None]:
    """What was not worth 0."""
    return {one.exercise: one.points for one in grade.results if one.points != 0}
