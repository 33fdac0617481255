"""Sample answers to the questions in words: complete, shown to instructors, and to nobody else."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from string import Template
from typing import Any

import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_notebook
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import PyFileConfigLoader

from autograder import homes
from autograder.classroom.course import texts
from autograder.classroom.edition import package
from autograder.classroom.samples.in_formgrader import TITLE
from autograder.classroom.samples.sample_answers import FOLDER, SampleAnswer, of_lesson, parsed
from autograder.notebooks import cells, files, lessons

STEM = "01_layer_norm"
STEMS = lessons.source_stems()
SLUG = "what-is-lost"
MODEL, WROTE = "Its mean, and its size.", "What the student wrote."


def asked(stem: str) -> list[str]:
    """The slugs of a lesson's questions."""
    return re.findall(r'^\+\+\+ .*"question".*"slug": "([^"]+)"', lessons.source_text(stem), re.MULTILINE)


@cache
def sample_texts() -> list[str]:
    found = [one for stem in STEMS for samples in of_lesson(lessons.lesson_of(stem)).values() for one in samples]
    return [text for one in found for text in (one.answer, one.shows)]


def test_every_question_has_three_samples_and_no_sample_is_without_a_question() -> None:
    for stem in STEMS:
        samples = of_lesson(lessons.lesson_of(stem))
        assert list(samples) == asked(stem), stem
        for slug, three in samples.items():
            shares = [one.share for one in three]
            assert len(shares) == 3 and shares[0] == 1 > shares[1] > shares[2] == 0, slug
            assert all(one.answer and one.shows.endswith(".") for one in three), slug
    assert len(set(sample_texts())) == len(sample_texts()) > 500
    assert f"and {sum(len(asked(stem)) for stem in STEMS)} questions" in (homes.ROOT / "README.md").read_text(
        encoding="utf-8"
    )


def test_no_file_has_a_sample_that_is_not_read() -> None:
    """A mark that is mistyped would hide one; a file that no lesson has would never be opened."""
    assert {path.stem for path in FOLDER.glob("*.md")} == {lessons.lesson_of(stem) for stem in STEMS}
    for path in FOLDER.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        assert len(re.findall(r"^- ", text, re.MULTILINE)) == sum(map(len, parsed(text).values())), path.name


# Who sees them ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a graded notebook in it; a question with other points, and one of the instructor's own."""
    place = tmp_path_factory.mktemp("course")
    source = new_notebook(cells=[cells.answer_cell(SLUG, MODEL), cells.answer_cell("my-own", "A secret.")])
    source.cells[0].metadata.nbgrader.points = 4
    files.write(place / "source" / STEM / f"{STEM}.ipynb", source)
    source.cells[0].source = source.cells[1].source = WROTE
    files.write(graded(place), source)
    config = Template(texts.CONFIG).substitute(course_id="class", pattern="x")
    (place / "nbgrader_config.py").write_text(config, encoding="utf-8")
    return place


def graded(course: Path) -> Path:
    return course / "autograded" / "ada" / STEM / f"{STEM}.ipynb"


def page(course: Path, told: dict[str, Any]) -> str:
    """A page of the graded notebook, made as the formgrader makes it, with the course's configuration."""
    config = PyFileConfigLoader("nbgrader_config.py", str(course)).load_config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    made, _ = HTMLExporter(config=config).from_filename(str(graded(course)), resources=told)
    return made


FORMGRADER = {
    "assignment_id": STEM,
    "notebook_id": STEM,
    "submission_id": "1",
    "index": 0,
    "total": 1,
    "base_url": "",
    "student": "ada",
    "last_name": None,
    "first_name": None,
    "notebook_path": "",
}


def test_the_formgrader_shows_them_below_the_students_answer(course: Path) -> None:
    before = graded(course).read_bytes()
    made = page(course, dict(FORMGRADER))
    half = of_lesson("layer_norm")[SLUG][1]
    places = [made.index(one) for one in (WROTE, TITLE, MODEL, "4 of 4", "2 of 4", half.shows, "0 of 4")]
    assert places == sorted(places) and places[-1] < made.rindex(WROTE)
    assert made.count(TITLE) == 1 and "A secret." not in made, "a question without samples shows none"
    assert graded(course).read_bytes() == before


def test_no_other_page_shows_them(course: Path) -> None:
    """nbgrader's own feedback is made by the same exporter, with the same configuration."""
    without = {name: value for name, value in FORMGRADER.items() if name != "submission_id"}
    for told in ({**FORMGRADER, "nbgrader": {"assignment": STEM}}, without):
        made = page(course, told)
        assert WROTE in made and TITLE not in made and MODEL not in made


def test_they_are_in_nothing_that_is_handed_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither in a notebook nor in what students install, of which a sandbox has a part: whole folders."""
    monkeypatch.setattr(package, "_add_answers", lambda lesson, folder: None)  # numbers, and minutes of work
    package._fill(tmp_path, [STEM])
    there = [one for one in tmp_path.rglob("*") if one.suffix in (".py", ".md", ".json", ".toml")]
    books = [lessons.notebook_path(stem) for stem in STEMS]
    known = "\n".join(one.read_text(encoding="utf-8") for one in [*there, *books])
    assert "def check(" in known and "how-many-means" in known
    assert not (tmp_path / "autograder" / "classroom").exists()
    assert [one for one in sample_texts()[::2] if json.dumps(one, ensure_ascii=False)[1:-1] in known] == []


def test_a_lesson_of_ones_own_brings_its_samples(tmp_path: Path) -> None:
    assert of_lesson("no_such_lesson") == {}
    folder = tmp_path / "autograder" / "classroom" / "samples"
    folder.mkdir(parents=True)
    (folder / "mine.md").write_text("## padding\n\n- **1** Two\n  lines.\n  *It shows\n  much.*\n", encoding="utf-8")
    assert of_lesson("mine", tmp_path) == {"padding": [SampleAnswer(1.0, "Two lines.", "It shows much.")]}
