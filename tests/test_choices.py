"""What a class counts is chosen once, and everything that students read says so."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder import registry
from autograder.classroom.course import adapting, choosing
from autograder.classroom.course.adapting import IN_CLASS, adapted
from autograder.classroom.course.choosing import asked, choose, in_file, text_of
from autograder.classroom.course.marks import marks_in
from autograder.classroom.scores import bonus_in, is_answer
from autograder.cli import main
from autograder.learner import check, choices, library, progress
from autograder.learner.choices import FILE, BadChoices, Choices
from autograder.notebooks import cell_names, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem
from autograder.probing.source import needed
from autograder.reporting.report import Report
from tests.small_lesson import live_in

STEMS = tuple(lessons.source_stems())
STRETCHES = {one.name for one in registry.all_exercises() if one.stretch}
LEAN = Choices("left out", "left out", STEMS[1:4])


@cache
def source(stem: str) -> NotebookNode:
    return build(stem, "source")


def words(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


# How it is said ----------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [Choices(lessons=STEMS), Choices("bonus", "answered", STEMS[:2]), LEAN])
def test_what_is_written_is_what_is_read(made: Choices, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text_of(made), encoding="utf-8")
    assert in_file(tmp_path / FILE) == made


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('stretches = "maybe"', "stretches = 'maybe' is none of 'counted', 'bonus', 'left out'"),
        ('question = "by hand"', "'question' is none of"),
        ('lessons = "01"', "a list of names"),
        ("lessons = [1]", "a list of names"),
        ('lessons = ["77"]', "There is no lesson '77'"),
        ("stretches =", "no TOML file"),
        ("stretches = 3", "stretches = 3 is none of"),
    ],
)
def test_a_bad_file_is_refused_with_what_would_do(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(Problem, match=re.escape(says)):
        in_file(tmp_path / FILE)


def test_options_go_before_the_file(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('stretches = "bonus"\nquestions = "left out"\nlessons = ["03", "1"]')
    made = choose([], file=str(tmp_path / FILE), questions="answered")
    assert made == Choices("bonus", "answered", (STEMS[1], STEMS[3]))
    assert choose(["02"], file=str(tmp_path / FILE)).lessons == (STEMS[2],)
    assert choose([]) == Choices(lessons=STEMS)


def test_on_a_terminal_it_asks_until_the_answer_will_do(capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["4", "2", "", "77", "02 01"])
    assert asked(lambda _: next(answers)) == Choices("bonus", "by hand", STEMS[1:3])
    said = capsys.readouterr().out
    assert "'4' is none of 1 to 3." in said and "There is no lesson '77'" in said


def test_who_leaves_the_questions_gets_no_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        choosing.sys, "stdin", type("Terminal", (), {"isatty": lambda _: True, "readline": lambda _: ""})()
    )
    assert main(["classroom", "init", str(tmp_path / "class")]) == 2
    assert "Nothing was made" in capsys.readouterr().err and not (tmp_path / "class").exists()


def test_a_folder_that_is_taken_is_refused_before_anything_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.txt").touch()
    monkeypatch.setattr(choosing.sys.stdin, "isatty", lambda: True)
    assert main(["classroom", "init", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err


def test_the_readme_and_the_file_of_a_course_say_what_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_in(tmp_path / "home", monkeypatch)
    course = tmp_path / "class"
    assert main(["classroom", "init", str(course), "--stretches", "bonus", "--questions", "answered"]) == 0
    assert "Stretches: bonus. Questions: answered." in capsys.readouterr().out
    text = (course / "README.md").read_text(encoding="utf-8")
    assert "extra credit" in text and "have it when they are answered" in text and "carry 8 points" in text
    assert choosing.of_course(course) == Choices("bonus", "answered", ("01_layer_norm",))


# What a class reads --------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", STEMS)
def test_nothing_is_said_in_a_class_that_is_true_only_alone(stem: str) -> None:
    text = words(adapted(source(stem), stem, Choices()))
    assert "open the fold" not in text and "if you like, `" not in text and "give_up" not in text
    assert text.count("Your instructor reads these.") == 1


def test_every_sentence_that_a_class_reads_otherwise_is_in_a_lesson() -> None:
    text = "\n".join(words(source(stem)) for stem in STEMS)
    assert not [one for one in IN_CLASS if one not in text]


@pytest.mark.parametrize("stem", STEMS)
def test_a_class_without_stretches_and_questions_reads_of_none(stem: str) -> None:
    made = adapted(source(stem), stem, LEAN)
    ours = {one.name for one in registry.exercises(lessons.lesson_of(stem)) if one.stretch}
    text = words(made)
    assert not re.search(r"\(a stretch\)|the stretch\b|if you like, `|## Questions|YOUR ANSWER", text)
    assert not re.search(r"(for|with) (the|both)( \w+)? ?stretches\b", text)
    assert not ours & {cell.id for cell in made.cells} and not [one for one in ours if f"`{one}`" in text]
    assert not {"question", "answer"} & {tag for cell in made.cells for tag in cell.metadata.get("tags", [])}
    assert not _used_and_never_made(made) - _used_and_never_made(source(stem))
    checks = {one.id for one in source(stem).cells if one.id.startswith("check-")}
    assert {one.id for one in made.cells if one.id.startswith("check-")} == checks - {f"check-{one}" for one in ours}


def _used_and_never_made(notebook: NotebookNode) -> set[str]:
    """Names that code cells use and no cell makes."""
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    made = {name for text in code for name in cell_names.bound(text)}
    return {name for text in code for name in needed(cell_names.as_python(text))} - made


@pytest.mark.parametrize("stem", LEAN.lessons)
def test_no_link_leads_to_a_lesson_that_is_left_out(stem: str) -> None:
    text = words(adapted(source(stem), stem, LEAN))
    assert set(re.findall(r"\((\d\d_\w+)\.ipynb\)", text)) <= set(LEAN.lessons)
    assert (adapting.LAST in text) == (stem == LEAN.lessons[-1])
    assert f"Your class leaves out *{adapting.title('00_start_here')}*" in text or "lesson 00" not in text


def test_lessons_that_a_text_names_are_found() -> None:
    text = "lessons 08, 09 and 10; lesson 02, and lessons 03 to 05; 64 lessons, 12 heads"
    assert sorted(adapting._numbers(text)) == ["02", "03", "04", "05", "08", "09", "10"]


def test_a_list_of_what_is_built_stays_a_sentence() -> None:
    one, two = "built `a`, `b` and, if you like, `c`, and trained", "`a`, `b` and, if you like, `c` and `d`*"
    three = "*90 minutes, and 40 more for the three stretches · `a`, `b` and, if you like, `c`, `d` and `e`*"
    assert adapting._with_stretches(one, "counted") == "built `a`, `b` and `c`, and trained"
    assert adapting._with_stretches(two, "counted") == "`a`, `b`, `c` and `d`*"
    assert adapting._without_stretches(one) == "built `a` and `b`, and trained"
    assert adapting._without_stretches(two) == "`a` and `b`*"
    assert "`a`, `b`, `c`, `d` and `e`*" in adapting._with_stretches(three, "counted")
    assert adapting._without_stretches(three) == "*90 minutes · `a` and `b`*"


@pytest.mark.parametrize(
    ("questions", "texts"),
    [
        ("by hand", ["# Mine", "## Questions\n\nYour instructor reads these."]),
        ("answered", ["# Mine", "## Questions\n\nWhoever writes an answer has its point."]),
        ("left out", ["# Mine"]),
    ],
)
def test_a_heading_alone_announces_questions_too(questions: str, texts: list[str]) -> None:
    """As an instructor's own lesson may have it."""
    mine = new_notebook(cells=[new_markdown_cell("# Mine"), new_markdown_cell("## Questions")])
    made = adapted(mine, "00_start_here", Choices("counted", questions))
    assert [cell.source for cell in made.cells] == texts


@pytest.mark.parametrize("stem", STEMS)
def test_a_bonus_costs_nobody_full_points_and_an_answer_is_marked(stem: str) -> None:
    made = adapted(source(stem), stem, Choices("bonus", "answered"))
    marks, by_id = marks_in(made), {cell.id: cell for cell in made.cells}
    ours = {one.name: one.points for one in registry.exercises(lessons.lesson_of(stem)) if one.stretch}
    assert marks.bonus == {f"check-{name}": points for name, points in ours.items()}
    for name in ours:
        assert by_id[f"check-{name}"].source == f"check({name}, bonus=True)"
        assert by_id[f"check-{name}"].metadata.nbgrader.points == 0
    assert marks.answered == {cell.id for cell in made.cells if cell.id.startswith("question-")}


def test_points_that_an_instructor_gives_a_bonus_make_it_none() -> None:
    made = adapted(source("01_layer_norm"), "01_layer_norm", Choices("bonus"))
    next(cell for cell in made.cells if cell.id == "check-RMSNorm").metadata.nbgrader.points = 5
    assert marks_in(made).bonus == {}


# What the course says while a learner works ------------------------------------------------------------


@pytest.fixture
def in_class(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder within a course; what is chosen is written above it."""
    monkeypatch.setenv("MY_TRANSFORMER_HOME", str(tmp_path / "home"))
    library.home.cache_clear()
    (tmp_path / "class" / "release").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "class" / "release")
    yield tmp_path / "class"
    library.home.cache_clear()


def _choose(course: Path, made: Choices) -> None:
    (course / FILE).write_text(text_of(made), encoding="utf-8")


def test_alone_nothing_is_chosen(in_class: Path) -> None:
    assert choices.chosen() is None
    assert check.next_step(registry.exercise("LayerNorm")) == "Next: `RMSNorm`, a stretch: skip it if you like."


@pytest.mark.parametrize(
    ("how", "following"),
    [
        ("counted", "Next: `RMSNorm`, a stretch that counts."),
        ("bonus", "Next: `RMSNorm`, a stretch: a bonus, so skip it if you like."),
        ("left out", "Next: `LayerNormalization`."),
    ],
)
def test_the_next_step_and_the_map_say_what_counts(how: str, following: str, in_class: Path) -> None:
    _choose(in_class, Choices(how, "by hand", STEMS[1:3]))
    assert check.next_step(registry.exercise("LayerNorm")) == following
    shown = progress.progress()
    assert [stem for stem, _ in shown.rows()] == list(STEMS[1:3])
    every = [one for stem in STEMS[1:3] for one in registry.exercises(lessons.lesson_of(stem))]
    full = sum(one.points for one in every if how == "counted" or not one.stretch)
    assert shown.total() == f"0 of {full} points."
    assert ("RMSNorm" in repr(shown)) == (how != "left out")


def test_a_stand_in_says_that_it_stays_one(in_class: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _choose(in_class, Choices("left out", "by hand", STEMS[1:3]))
    assert [library.serve(name) is not None for name in ("softmax", "RMSNorm", "normalize")] == [True] * 3
    assert capsys.readouterr().out.splitlines() == [
        "my_transformer: softmax is a stand-in: your class leaves out 00_start_here.",
        "my_transformer: RMSNorm is a stand-in: your class leaves out RMSNorm.",
        "my_transformer: normalize is a stand-in until yours passes its check in 01_layer_norm.",
    ]


def test_a_damaged_file_keeps_no_check_from_running(in_class: Path) -> None:
    (in_class / FILE).write_text("stretches = ")
    assert choices.chosen() is None
    with pytest.raises(BadChoices):
        choices.read(in_class / FILE)


# What nbgrader reads -----------------------------------------------------------------------------------


def test_a_bonus_is_no_point_to_stock_nbgrader_and_is_told_beside() -> None:
    report = Report("RMSNorm", "passed", 2.0, 3, bonus=True)
    output = {"data": report._repr_mimebundle_()}
    assert output["data"]["text/plain"] == "0.0" and report.headline == "RMSNorm · 2 of 3 points, a bonus"
    assert bonus_in(NotebookNode(outputs=[output])) == 2.0
    assert bonus_in(NotebookNode(outputs=[{"data": {"text/plain": "9"}}, {"output_type": "error"}])) == 0.0


@pytest.mark.parametrize(
    ("text", "answered"),
    [("YOUR ANSWER HERE", False), ("", False), (" \n*YOUR ANSWER HERE* ...", False), ("4", True), ("It is.", True)],
)
def test_an_answer_is_any_word_of_ones_own(text: str, answered: bool) -> None:
    assert is_answer(text) is answered
