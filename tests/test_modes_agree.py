"""Stock, fast and trusted grading give an honest submission the same points, exercise by exercise, in every lesson.

*Stock* is a kernel that nbgrader's own `Execute` drives, and the points that nbgrader's own `determine_grade` reads out
of the check cells: of what `nbgrader autograde` does, these two make the points. The rest of it (a course, a gradebook,
processes of its own) takes many seconds a lesson, so one lesson goes through all of it. *Fast* is `autograder check
FILE`, *trusted* is `autograder grade FILE`. The kernel leaves out cells that only show something, as the other two do:
some of them train for half a minute. That the real command runs them too makes no difference where it is tried.

Two students hand in every lesson. One has everything right: nothing is built on the cells that are left out. What a
kernel says to that one, with them, is tested in test_notebooks.py. Of the other, exercises are in turn wrong in a way
of the lesson's own list, right, as they were handed out, and broken off in the middle of a line. Mistakes that only
some draws show are not taken: practice, stock and trusted grading each have draws of their own, so their points may
differ by luck, half a point as a rule.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from autograder import registry
from autograder.classroom.course.book import opened
from autograder.classroom.course.init import init
from autograder.cli import main
from autograder.judging.judge import Verdict, judge
from autograder.judging.oracle import Oracle
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.run import captured
from autograder.probing.source import needed
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import cell
from tests.stock import nbgrader
from tests.tiers import ONE_A_DAY, its_turn

THROUGH_ALL_OF_NBGRADER = "01_layer_norm"

TURNS = ("wrong", "right", "blank", "broken")
"""What becomes of the second student's exercises, in turn; every lesson begins at another one."""

BROKEN_OFF = "\n    return ("

TRIED, SEEDS = 8, range(1, 5)
"""How many mistakes are tried for an exercise, each on how many draws."""

ORACLE = Oracle()

Points = dict[str, float]
"""Exercise → points."""


# What is handed in ----------------------------------------------------------------------------


@dataclass
class HandedIn:
    """A notebook, and what became of its exercises.

    Attributes:
        notebook: as it is handed in.
        states: exercise → one of `TURNS`.
        mistakes: exercise → the mistake that was made, where it is wrong.
    """

    notebook: NotebookNode
    states: dict[str, str]
    mistakes: dict[str, Mistake] = field(default_factory=dict)


def exercises(stem: str) -> tuple[Exercise, ...]:
    return registry.exercises(lessons.lesson_of(stem))


def all_points(stem: str) -> Points:
    return {one.name: float(one.points) for one in exercises(stem)}


@cache
def handed_in(stem: str) -> dict[str, HandedIn]:
    """Student → what is handed in."""
    right = HandedIn(build(stem, "solved"), {one.name: "right" for one in exercises(stem)})
    return {"right": right, "half": half_right(stem)}


def half_right(stem: str) -> HandedIn:
    """Of everything something."""
    solved, begin = build(stem, "solved"), int(stem[:2])
    states = {one.name: TURNS[(begin + place) % len(TURNS)] for place, one in enumerate(exercises(stem))}
    made = HandedIn(build(stem, "student"), states)
    for one in exercises(stem):
        source, state = cell(solved, one.name).source, states[one.name]
        if state == "wrong":
            made.mistakes[one.name] = mistake_for(one, source)
            source = edited(source, made.mistakes[one.name])
        if state != "blank":
            cell(made.notebook, one.name).source = source + BROKEN_OFF * (state == "broken")
    return made


def mistake_for(exercise: Exercise, source: str) -> Mistake:
    """A small slip that can be made in the exercise's own cell; if possible one that costs a part of the points."""
    found = [one for one in ORACLE.mistakes(exercise) if fits(one, exercise, source)]
    found.sort(key=lambda one: sum(map(len, one.edits.values())))
    partly = [one for one in found[:TRIED] if 0 < verdict(exercise, one, SEEDS[0]).points < exercise.points]
    return next(one for one in [*partly, *found] if always_shows_the_same(exercise, one))


def fits(mistake: Mistake, exercise: Exercise, source: str) -> bool:
    """Whether the edit is one of this cell's text, and needs nothing that the notebook may lack."""
    own = mistake.place.partition(".")[0] == exercise.reference and mistake.instead is None
    if not own or any(source.count(old) != 1 for old in mistake.edits):
        return False
    return needed(edited(source, mistake)) <= needed(source)


def edited(source: str, mistake: Mistake) -> str:
    """A cell's text with the mistake in it."""
    for old, new in mistake.edits.items():
        source = source.replace(old, new)
    return source


def always_shows_the_same(exercise: Exercise, mistake: Mistake) -> bool:
    """Whether the same probes fail on all draws; else its points are a matter of luck, in every mode."""
    shown = ([one.name for one in verdict(exercise, mistake, seed).failures] for seed in SEEDS)
    return len(list(itertools.islice(itertools.groupby(shown), 2))) == 1


def verdict(exercise: Exercise, mistake: Mistake, seed: int) -> Verdict:
    """What is said of the reference with this mistake in it."""
    with captured():
        runs = {(probe, seed): ORACLE.wrong(exercise, [mistake], probe, seed) for probe in exercise.probes}
        return judge(exercise, runs, ORACLE, name_mistakes=False)


# The three modes ----------------------------------------------------------------------------


def stock(given: NotebookNode, folder: Path) -> Points:
    """What nbgrader gives: a kernel runs the notebook, and the outputs of its check cells say the points."""
    from nbgrader.preprocessors import Execute
    from nbgrader.utils import determine_grade

    own = copy.deepcopy(given)
    for one in own.cells:
        if {"demo", "play"} & set(one.metadata.get("tags", [])):
            one.metadata.tags.append("skip-execution")
    with pytest.MonkeyPatch.context() as patch:
        live_apart(patch, folder)
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        execute = Execute(timeout=120, iopub_timeout=30, store_widget_state=False)  # as in the course that `init` makes
        own, _ = execute.preprocess(own, {"metadata": {"path": str(folder)}})
    return {name_of(one): float(determine_grade(one)[0] or 0) for one in own.cells if name_of(one)}


def name_of(one: NotebookNode) -> str:
    """Which exercise a cell checks; "" when it checks none."""
    return one.id.removeprefix("check-") if one.id.startswith("check-") else ""


def fast(given: NotebookNode, folder: Path, capfd: pytest.CaptureFixture[str]) -> Points:
    """What `autograder check FILE` prints; 0 for a check that could not run."""
    files.write(folder / "fast.ipynb", given)
    capfd.readouterr()
    with pytest.MonkeyPatch.context() as patch:
        live_apart(patch, folder)
        main(["check", str(folder / "fast.ipynb")])
    told = re.findall(r"^(\w+) · ([\d.]+) of \d+ points?$", capfd.readouterr().out, flags=re.MULTILINE)
    missing = dict.fromkeys([name_of(one) for one in given.cells if name_of(one)], 0.0)
    return missing | {name: float(points) for name, points in told}


def trusted(stem: str, folder: Path) -> dict[str, Points]:
    """What `autograder grade FILE...` writes down for both students."""
    paths = {student: folder / student / f"{stem}.ipynb" for student in handed_in(stem)}
    for student, path in paths.items():
        files.write(path, handed_in(stem)[student].notebook)
    with pytest.MonkeyPatch.context() as patch:
        live_apart(patch, folder)
        main(["grade", *map(str, paths.values()), "--json", str(folder / "grades.json"), "--jobs", "1"])
    grades = json.loads((folder / "grades.json").read_text(encoding="utf-8"))["grades"]
    found = {one["file"]: {result["exercise"]: result["points"] for result in one["results"]} for one in grades}
    return {student: found[str(path)] for student, path in paths.items()}


def live_apart(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """Know nothing of what others learn or have graded, and leave nothing for them."""
    (folder / "library").mkdir(exist_ok=True)
    patch.delenv("NBGRADER_EXECUTION", raising=False)
    patch.setenv("MY_TRANSFORMER_HOME", str(folder / "library"))
    patch.setenv("AUTOGRADER_CACHE", str(folder / "cache"))
    patch.setenv("PYTHONPATH", os.pathsep.join([str(files.ROOT), str(files.ROOT / "course")]))


# They agree ----------------------------------------------------------------------------


@needs_walls
@pytest.mark.slow
@pytest.mark.parametrize("stem", [one for one in lessons.source_stems() if its_turn(lessons.lesson_of(one), ONE_A_DAY)])
def test_all_modes_give_the_same_points(stem: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    half, graded = handed_in(stem)["half"], trusted(stem, tmp_path)
    assert graded["right"] == all_points(stem)
    modes = [stock(half.notebook, tmp_path), fast(half.notebook, tmp_path, capfd), graded["half"]]
    for points in modes:
        assert points == modes[0]
        compare_with_what_became_of_them(half, points, all_points(stem))


def compare_with_what_became_of_them(half: HandedIn, points: Points, full: Points) -> None:
    """Agreeing on nothing but zeros would be easy."""
    for name, state in half.states.items():
        if state in ("blank", "broken"):
            assert points[name] == 0, name
        elif state == "wrong":
            assert points[name] < full[name], name
        else:
            assert points[name] == full[name], name


@needs_walls
@pytest.mark.slow
@pytest.mark.turns(4, "autograder/classroom", at=1)
def test_nbgraders_own_command_saves_what_is_taken_for_stock_here(tmp_path: Path) -> None:
    stem = THROUGH_ALL_OF_NBGRADER
    half = handed_in(stem)["half"]
    saved = saved_by_nbgrader(stem, tmp_path / "class", {"half": half})
    assert saved == {"half": stock(half.notebook, tmp_path)}


def saved_by_nbgrader(stem: str, course: Path, given: dict[str, HandedIn]) -> dict[str, Points]:
    """Student → points in the gradebook, after nbgrader's own commands."""
    assert init(str(course), [stem]) == 0
    with pytest.MonkeyPatch.context() as patch:
        live_apart(patch, course.parent)
        nbgrader(course, "generate_assignment", stem)
        released = files.read(course / "release" / stem / f"{stem}.ipynb")
        for student, handed in given.items():
            place = course / "submitted" / student / stem
            place.mkdir(parents=True)
            (place / f"{stem}.ipynb").write_text(nbformat.writes(with_answers(released, handed)), encoding="utf-8")
        nbgrader(course, "autograde", stem)
    return read_gradebook(stem, course)


def with_answers(released: NotebookNode, handed: HandedIn) -> NotebookNode:
    """The notebook that nbgrader hands out, with a student's code in it."""
    own = copy.deepcopy(released)
    for name in handed.states:
        cell(own, name).source = cell(handed.notebook, name).source
    return own


def read_gradebook(stem: str, course: Path) -> dict[str, Points]:
    with opened(course) as book:
        return {
            one.student.id: {
                grade.name.removeprefix("check-"): grade.score
                for grade in book.find_submission_notebook(stem, stem, one.student.id).grades
                if grade.name.startswith("check-")
            }
            for one in book.assignment_submissions(stem)
        }
