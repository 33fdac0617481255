"""What `progress()` says that the learner's own code does, and the ways through the course."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from autograder import registry
from autograder.learner import choices, leaving, library, milestones, progress_file, routes
from autograder.learner.leaving import milestone
from autograder.learner.milestones import MILESTONES, Standings
from autograder.learner.progress import CourseMap
from autograder.registry import COURSE, exercise
from autograder.reporting.report import Report
from tests.carried import DAY, remember, solved_library

Capture = pytest.CaptureFixture[str]
READ = (COURSE.parent / "README.md").read_text(encoding="utf-8")
SYLLABUS = (COURSE.parent / "autograder/classroom/syllabus.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solved_library(tmp_path_factory.mktemp("solved") / "library")


@pytest.fixture
def home(solved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of somebody who has passed everything, to be changed."""
    for name in ("COURSE_QUICK", "NBGRADER_EXECUTION"):
        monkeypatch.delenv(name, raising=False)
    for path in solved.glob("*.*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    return tmp_path


def drawn() -> Any:
    figure = Figure(figsize=(1, 1))
    figure.alt = "a picture"
    return figure


# What is remembered of a check -----------------------------------------------------------------------


def test_a_check_leaves_days_tries_and_mistakes(home: Path) -> None:
    (home / progress_file.FILE).unlink()
    one = exercise("LayerNorm")
    for status, points in (("blank", 0.0), ("wrong", 1.0), ("wrong", 1.0), ("passed", 4.0), ("passed", 4.0)):
        progress_file.record(one, Report("LayerNorm", status, points, 4))
    entry = progress_file.read()["LayerNorm"]
    assert (entry["tries"], entry["passed"], entry["day"] == entry["last"] != "") == (3, True, True)
    remember(home, LayerNorm={"day": "yesterday", "tries": -3, "met": "none"})
    damaged = progress_file.read()["LayerNorm"]
    assert progress_file.a_day(damaged["day"]) == "" and not progress_file.tries(damaged)
    assert progress_file.met(damaged) == []
    repr(CourseMap())


# Milestones ------------------------------------------------------------------------------------------


def test_every_milestone_rests_on_exercises_that_there_are() -> None:
    for one in MILESTONES:
        if one.lesson in registry.lessons():
            assert set(one.exercises(None)) >= set(one.rests)
        else:
            assert one.exercises(None) == []


def test_code_that_passed_is_enough_for_some_and_others_wait_for_a_run(home: Path) -> None:
    found = {one.milestone.name: one for one in Standings().all()}
    assert found["attends"].reached and found["attends"].day == DAY
    assert found["reverses"].waits_for_its_run and not found["reverses"].day
    told = repr(CourseMap())
    assert "Your own code normalizes (4 May 2026), attends (4 May 2026)" in told
    assert "run their lessons to where a model is trained: reverses (08)" in told


def test_a_run_leaves_its_picture_and_its_day(home: Path, capsys: Capture) -> None:
    picture = drawn()
    assert milestone("reverses", picture) is picture
    assert "your own code reverses" in capsys.readouterr().out
    milestone("writes", "The value of the $graph is\n" + "a long line " * 20)
    assert {"reverses", "writes"} <= {one.milestone.name for one in Standings().reached()}
    shown = CourseMap()._repr_html_()
    assert shown.count("<img") == 4 and "<b>reverses</b>" in shown and 'alt="a picture"' in shown


@pytest.mark.parametrize("variable", ["COURSE_QUICK", "NBGRADER_EXECUTION"])
def test_a_rehearsal_leaves_nothing(
    home: Path, variable: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setenv(variable, "1")
    milestone("reverses", drawn())
    assert capsys.readouterr().out == "" and not (home / milestones.PICTURES).exists()


def test_what_rests_on_a_stand_in_is_no_milestone(home: Path, capsys: Capture) -> None:
    """`Transformer` has passed, and its decoder has not: what reverses is not the learner's own code."""
    (home / "decoder.py").unlink()
    assert Standings().of("reverses").missing == ("DecoderLayer", "Decoder")[1:]
    milestone("reverses", drawn())
    assert "not yet, as Decoder has not passed yet. Check it, then" in capsys.readouterr().out
    assert not (home / milestones.FILE).exists()


def test_several_that_are_missing_are_told_as_several(home: Path, capsys: Capture) -> None:
    for part in ("decoder.py", "encoder.py"):
        (home / part).unlink()
    milestone("reverses", drawn())
    assert "have not passed yet. Check them, then" in capsys.readouterr().out


def test_what_failed_later_is_no_milestone_either(home: Path) -> None:
    milestone("reverses", drawn())
    remember(home, make_masks={"passed": False})
    standing = Standings().of("reverses")
    assert not standing.reached and standing.missing == ("make_masks",)


def test_another_text_than_the_one_that_passed_is_seen(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(leaving, "_is_another", lambda name: name == "Transformer")
    milestone("reverses", drawn())
    assert "Transformer is not the one here that passed" in capsys.readouterr().out


def test_a_class_has_the_milestones_of_its_lessons(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = choices.Choices(lessons=("00_start_here", "01_layer_norm", "08_transformer"))
    monkeypatch.setattr(milestones, "chosen", lambda: chosen)
    monkeypatch.setattr("autograder.learner.made_of.chosen", lambda: chosen)
    (home / "decoder.py").unlink()  # a stand-in for everybody in this class
    found = {one.milestone.name: one for one in Standings().all()}
    assert list(found) == ["normalizes", "reverses"] and not found["reverses"].missing


def test_a_damaged_record_stops_nothing(home: Path) -> None:
    (home / "attention.py").write_text("def broken(:")
    for content in ("{", "[1]", '{"reverses": 3}', '{"reverses": {"day": 7}}', '{"nobody": {}}'):
        (home / milestones.FILE).write_text(content)
        shown = CourseMap()._repr_html_()
        assert "normalizes" in shown and not Standings().of("attends").reached


# Ways through the course -----------------------------------------------------------------------------

TOPICS = {
    "attention": ("attention", "multi_head_attention"),
    "positions": ("positional_encoding",),
    "feed-forward network": ("feed_forward",),
    "encoder": ("encoder",),
    "decoder": ("decoder",),
    "Transformer": ("transformer",),
    "tokenization": ("tokenization",),
    "optimization": ("optimization",),
    "training": ("training",),
    "GPT": ("gpt",),
    "BERT": ("bert",),
    "fine-tuning": ("fine_tuning",),
}


def needs_of(lesson: str) -> set[str]:
    """The lessons that a lesson's header says it needs, and those whose parts its cells import."""
    text = (COURSE / "lessons" / f"{registry.notebook_stem(lesson)}.md").read_text(encoding="utf-8")
    header = re.search(r"\*About .* · needs (.+?) · you will", text)[1]
    names = [one for line in re.findall(r"from my_transformer import (.+)", text) for one in line.split(", ")]
    found = {exercise(one).lesson for one in names if one in {each.name for each in registry.all_exercises()}}
    if "lessons on" in header:
        for topic in re.split(r", | and ", header.partition("lessons on ")[2]):
            found |= set(TOPICS[topic.removeprefix("the ")])
    for first, last in re.findall(r"(\d\d)(?: to (\d\d))?", header):
        found |= set(registry.lessons()[int(first) : int(last or first) + 1])
    return found - {lesson}


@pytest.mark.parametrize("route", routes.ROUTES, ids=lambda one: one.name)
def test_a_routes_lessons_have_what_they_need(route: routes.Route) -> None:
    """Each lesson that one on the way builds on comes before it, or the route says what comes of its absence."""
    lacking = set()
    for at, lesson in enumerate(route.lessons):
        lacking |= needs_of(lesson) - set(route.lessons[:at])
    assert lacking == set(route.missed)
    parts = re.findall(r"`(\w+)` is a stand-in|`(\w+)`, with", " ".join(route.missed.values()))
    assert all(registry.stand_in(exercise(one or other)) for one, other in parts)


def test_a_routes_hours_are_those_of_the_headers_and_the_readme_has_them() -> None:
    for lesson in registry.lessons():
        assert routes.minutes(lesson) >= 20, f"{lesson}: its header says no minutes"
    for route in routes.ROUTES:
        hours, lessons = routes.in_hours(route.minutes), routes.numbers(route.lessons)
        assert re.search(rf"\| {route.name} \| {lessons} \| {hours} \|", READ), (route.name, lessons, hours)


def test_readme_and_syllabus_count_what_there_is() -> None:
    minutes = {one: routes.minutes(one) for one in registry.lessons()}
    everything = registry.all_exercises()
    stretches = [one for one in everything if one.stretch]
    assert f"take about {round(sum(minutes.values()) / 60)} hours: {len(everything)} exercises, of which" in READ
    assert f"of which {len(stretches)} are stretches" in READ
    for lesson in registry.lessons():
        number = registry.notebook_stem(lesson)[:2]
        assert re.search(rf"^\| {number} \| .*?\| {minutes[lesson]} \|", READ, re.MULTILINE), f"README: {lesson}"
        points, more = (
            sum(one.points for one in registry.exercises(lesson) if one.stretch is extra) for extra in (False, True)
        )
        counted = f"{points} ({more})" if more else str(points)
        row = rf"^\| {number} [^|]*\| {minutes[lesson]} \| {re.escape(counted)} \|"
        assert re.search(row, SYLLABUS, re.MULTILINE), f"syllabus: {lesson}, {minutes[lesson]} minutes, {counted}"


def test_a_route_says_what_is_left_of_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(home, softmax={"passed": False})
    first = CourseMap().routes()[0]
    assert f"{routes.in_hours(routes.minutes('start_here'))} of them ahead" in first
    monkeypatch.setattr("autograder.learner.progress.chosen", lambda: choices.Choices(lessons=("01_layer_norm",)))
    assert CourseMap().routes() == []
