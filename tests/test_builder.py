"""Lessons become notebooks: every role, every refusal, the same bytes, nobody's work lost."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbconvert.filters import markdown2html

from autograder import registry
from autograder.notebooks import cell_names, files, lessons, publish, reference
from autograder.notebooks.build import EDITIONS, build
from autograder.notebooks.problem import Problem
from autograder.probing.source import needed
from tests.small_lesson import LESSON, STEM, TEXT, cell, live_in, notebook, solved

EXERCISES = ("normalize", "LayerNorm", "RMSNorm")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return live_in(tmp_path, monkeypatch)


# What the cells become ----------------------------------------------------------------------------


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_edition_is_a_valid_notebook_with_unique_ids(edition: str) -> None:
    built = notebook(edition)
    nbformat.validate(built)
    ids = [one.id for one in built.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{1,64}", one) for one in ids)


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_becomes_a_cell_of_its_own(name: str) -> None:
    source = cell(notebook("source"), name)
    assert "BEGIN SOLUTION" in source.source and "END SOLUTION" in source.source
    place = source.metadata.nbgrader
    assert (place.grade, place.solution, place.locked) == (False, True, False)
    assert place.grade_id == name

    blank = cell(notebook("student"), name).source
    assert "raise NotImplementedError()" in blank and "SOLUTION" not in blank
    assert '"""' in blank

    done = cell(notebook("solved"), name).source
    assert "NotImplementedError" not in done and "SOLUTION" not in done


@pytest.mark.parametrize("edition", EDITIONS)
def test_a_check_is_locked_and_carries_the_points(edition: str) -> None:
    found = cell(notebook(edition), "check-LayerNorm")
    assert found.source == "check(LayerNorm)"
    place = found.metadata.nbgrader
    assert (place.grade, place.solution, place.locked) == (True, False, True)
    assert place.points == registry.exercise("LayerNorm").points


def test_student_code_holds_no_solution() -> None:
    text = files.text_of(notebook("student"))
    for line in ("mean = x.mean(dim=-1, keepdim=True)\n", "weight * normalize(x, self.eps) + self.bias\n"):
        assert line in files.text_of(notebook("source")).replace("\\n", "\n")
        code = "\n".join(one.source for one in notebook("student").cells if one.cell_type == "code")
        assert line.strip() not in code
    assert "solutions" not in text


def test_help_follows_the_check_and_renders() -> None:
    cells = notebook("student").cells
    at = [one.id for one in cells].index("check-normalize")
    text = cells[at + 1].source
    exercise = registry.exercise("normalize")
    titles = re.findall(r"<summary>(.*)</summary>", text)
    assert titles[:3] == ["A nudge", "A skeleton", "Nearly there"]
    assert len(titles) == 3 + len(exercise.traps)
    assert titles[3].startswith("I get <code>")
    page = markdown2html(text)
    assert page.count("<details>") == page.count("</details>") == len(titles)
    assert "```" not in page and 'class="highlight' in page


def test_wild_code_stays_as_it_is_until_it_is_solved() -> None:
    for edition in ("source", "student"):
        found = cell(notebook(edition), "LayerNormalization")
        assert "x.std(" in found.source
        assert "nbgrader" not in found.metadata and found.metadata.tags == ["wild"]
    done = cell(notebook("solved"), "LayerNormalization").source
    assert done.startswith("class LayerNormalization(nn.Module):")
    assert "normalize(x, self.eps)" in done
    assert cell(notebook(), "check-LayerNormalization").metadata.nbgrader.points == 2


def test_tags_of_what_grading_skips_are_kept() -> None:
    tags = [one.metadata.get("tags") for one in notebook("student").cells]
    assert ["demo"] in tags and ["play"] in tags


def test_a_question_is_graded_by_hand_and_its_answer_folded() -> None:
    source = notebook("source")
    asked, answer = cell(source, "asked-eps"), cell(source, "question-eps")
    assert asked.metadata.nbgrader.locked and not asked.metadata.nbgrader.grade
    place = answer.metadata.nbgrader
    assert (place.grade, place.solution, place.locked, place.points) == (True, True, False, 1)
    assert answer.source.startswith("So that its gradient")
    assert not [one for one in source.cells if one.metadata.get("tags") == ["model-answer"]]

    student = notebook("student")
    at = [one.id for one in student.cells].index("question-eps")
    assert student.cells[at].source == "YOUR ANSWER HERE"
    folded = student.cells[at + 1]
    assert "<summary>One good answer</summary>\n\nSo that its gradient" in folded.source
    assert "nbgrader" not in folded.metadata


def test_a_question_without_a_slug_is_named_by_its_first_words() -> None:
    text = TEXT.replace(', "slug": "eps"', "")
    assert cell(notebook("source", text), "question-why-does-eps-stand-inside-the")


# What the builder refuses -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from torch import Tensor, nn", "from torch import nn", "normalize uses Tensor"),
        ("import torch\n", "", "normalize uses torch"),
        (":tags: [demo]", ":tags: [dmeo]", "'dmeo' is none of"),
        (":tags: [demo]", ":tags: [demo, play]", "one role"),
        ("check(RMSNorm)", "check(RMSNorm);", "only check"),
        ("check(RMSNorm)", "check(LayerNorm)", "twice"),
        ("check(RMSNorm)", "check(Nothing)", "exercise of this lesson"),
        ("import LayerNorm, RMSNorm", "import LayerNorm", "RMSNorm is checked before"),
        ("import LayerNorm, RMSNorm", "import LayerNorm, RMSNorm, Other", "Other is no exercise"),
        ("import LayerNorm, RMSNorm", "import LayerNorm as L", "as L"),
        ("import LayerNorm, RMSNorm", "import LayerNorm, RMSNorm\nx = 1", "x = 1"),
        ("import LayerNorm, RMSNorm", "import LayerNorm, RMSNorm, normalize", "two cells"),
        ("solutions.layer_norm import normalize", "solutions.other import normalize", "other"),
        (
            ":tags: [exercise]\n\nfrom solutions.layer_norm import normalize",
            ":tags: [given]\n\nfrom solutions.layer_norm import normalize",
            "normalize in solutions/layer_norm.py has a solution, so it cannot be given",
        ),
        ("class LayerNormalization", "class Something", "wild cell defines Something"),
        ("from autograder import check", "", "from autograder import check"),
        ('+++ {"tags": ["answer"]}', "+++", "not followed by its answer"),
        ('+++ {"tags": ["question"], "slug": "eps"}', "+++", "without its question"),
        ("```{code-cell} ipython3\n:tags: [check]\n\ncheck(RMSNorm)\n```", "", "no check cell"),
    ],
)
def test_the_builder_says_what_is_wrong(old: str, new: str, said: str) -> None:
    assert TEXT.count(old) == 1
    with pytest.raises(Problem, match=re.escape(said)):
        notebook("source", TEXT.replace(old, new))


def test_what_only_shows_something_defines_nothing_to_build_on() -> None:
    text = TEXT.replace("import torch\n", "").replace('print("a figure")', "import torch")
    with pytest.raises(Problem, match="uses torch"):
        notebook("source", text)


def test_a_problem_names_the_lesson(course: Path) -> None:
    (course / "lessons" / f"{STEM}.md").write_text("# Nothing here\n", encoding="utf-8")
    with pytest.raises(Problem, match=rf"{STEM}\.md: The exercise normalize has no cell"):
        build("1")


# Cutting definitions out of the reference ---------------------------------------------------------

MODULE = '''\
import functools


@functools.cache
@staticmethod
def decorated(n: int) -> int:
    """Doc."""
    # BEGIN SOLUTION
    return n
    # END SOLUTION


# a comment between


class Last:
    def f(self):
        # BEGIN SOLUTION
        return Last
        # END SOLUTION
'''


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reference, "module_text", lambda lesson: MODULE)


@pytest.mark.usefixtures("module")
def test_a_definition_keeps_decorators_and_the_closing_mark() -> None:
    found = reference.definition("any", "decorated")
    assert found.startswith("@functools.cache\n@staticmethod\ndef decorated")
    assert found.endswith("    # END SOLUTION")
    assert reference.definition("any", "Last").endswith("        # END SOLUTION")


@pytest.mark.usefixtures("module")
def test_marks_can_be_taken_out() -> None:
    found = reference.without_marks(reference.definition("any", "decorated"))
    assert found.endswith('    """Doc."""\n    return n')


@pytest.mark.usefixtures("module")
def test_a_missing_definition_is_a_problem() -> None:
    with pytest.raises(Problem, match="does not define nobody"):
        reference.definition("any", "nobody")


def test_names_a_definition_needs() -> None:
    source = '@wrap(a)\ndef f(x: B["one two"], y=c, *z: D) -> E:\n    k = g(x)\n    return [k, *h]'
    assert needed(source) == {"wrap", "a", "B", "c", "D", "E", "g", "h"}
    assert needed("class A(Base):\n    t: T = u\n    def f(self): return A(v)") == {
        "Base", "T", "u", "v",
    }  # fmt: skip


def test_names_a_cell_binds() -> None:
    cell = "%matplotlib inline\nimport a.b\nfrom c import d as e\nf, *g = 1, 2\nfor h in []: pass"
    assert cell_names.bound(cell) == {"a", "e", "f", "g", "h"}
    assert cell_names.bound("this is (no python") == set()


# The same bytes -----------------------------------------------------------------------------------


@pytest.mark.turns(3, "autograder/notebooks", at=1)
def test_another_process_builds_the_same_bytes() -> None:
    program = (
        "import sys; from tests.small_lesson import notebook;"
        "from autograder.notebooks import files;"
        "sys.stdout.buffer.write(files.text_of(notebook()).encode())"
    )
    built = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=files.ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert built == {files.text_of(notebook()).encode()}


def test_reading_and_writing_changes_no_byte(tmp_path: Path) -> None:
    files.write(tmp_path / "a.ipynb", notebook())
    read = files.read(tmp_path / "a.ipynb")
    assert files.text_of(read) == (tmp_path / "a.ipynb").read_text(encoding="utf-8")
    assert (tmp_path / "a.ipynb").read_bytes().endswith(b"}\n")
    assert not files.is_touched(read)


def test_opening_and_saving_is_no_change() -> None:
    built = notebook()
    built.metadata.language_info.version = "3.11.7"  # what JupyterLab adds
    assert not files.is_touched(built)


def test_any_change_shows() -> None:
    for change in (
        lambda built: built.cells[0].update(source="other"),
        lambda built: cell(built, "check-LayerNorm").update(execution_count=1),
        lambda built: built.metadata.update(widgets={}),
        lambda built: built.cells.pop(),
        lambda built: built.metadata.course.pop("built"),
    ):
        built = notebook()
        change(built)
        assert files.is_touched(built)


# Writing them ------------------------------------------------------------------------------------


def test_building_twice_writes_once(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert publish.publish() == 0
    path = course / f"{STEM}.ipynb"
    os.utime(path, (1, 1))
    assert publish.publish(["1"]) == 0
    assert path.stat().st_mtime == 1
    assert "unchanged" in capsys.readouterr().out


def test_a_new_text_replaces_an_untouched_notebook(course: Path) -> None:
    publish.publish()
    source = course / "lessons" / f"{STEM}.md"
    source.write_text(TEXT.replace("That is all.", "That was all."), encoding="utf-8")
    assert publish.publish() == 0
    assert "That was all." in (course / f"{STEM}.ipynb").read_text(encoding="utf-8")
    assert not (course / "backups").exists()


def test_a_touched_notebook_is_left_unless_forced(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = course / f"{STEM}.ipynb"
    files.write(path, solved(notebook(), "normalize"))
    mine = path.read_bytes()
    assert publish.publish() == 1
    assert path.read_bytes() == mine
    assert "left as it is" in capsys.readouterr().out
    assert publish.publish(force=True) == 0
    assert path.read_text(encoding="utf-8") == files.text_of(notebook())
    (backup,) = (course / "backups").iterdir()
    assert backup.read_bytes() == mine
    assert backup.name in capsys.readouterr().out


def test_a_file_that_is_no_notebook_counts_as_touched(course: Path) -> None:
    path = course / f"{STEM}.ipynb"
    path.write_text("<<<<<<< HEAD", encoding="utf-8")
    assert publish.publish() == 1
    assert path.read_text(encoding="utf-8") == "<<<<<<< HEAD"


def test_two_backups_in_one_second_are_two_files(course: Path) -> None:
    publish.publish()
    path = course / f"{STEM}.ipynb"
    assert files.back_up(path) != files.back_up(path)


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def test_drift_is_measured_on_what_is_committed(course: Path) -> None:
    assert "not built yet" in publish.drift(STEM)
    publish.publish()
    assert publish.drift(STEM) == ""
    path = course / f"{STEM}.ipynb"
    git(course.parent, "init", "-q")
    git(course.parent, "add", "course")
    files.write(path, solved(notebook(), "normalize"))
    assert publish.drift(STEM) == ""  # a learner's work is no drift
    git(course.parent, "add", "course")
    assert "First difference" in publish.drift(STEM)


def test_drift_sees_a_changed_lesson(course: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish.publish()
    (course / "lessons" / f"{STEM}.md").write_text(TEXT.replace("every size", "all sizes"))
    assert publish.report_drift() == 1
    assert "all sizes" in capsys.readouterr().out


# Our own lessons ----------------------------------------------------------------------------------


@pytest.mark.parametrize("stem", lessons.source_stems())
def test_the_committed_notebook_is_what_its_lesson_builds_to(stem: str) -> None:
    assert publish.drift(stem) == ""


@pytest.mark.parametrize("stem", lessons.source_stems())
def test_every_lesson_builds_in_every_edition(stem: str) -> None:
    for edition in EDITIONS:
        nbformat.validate(build(stem, edition))


def test_a_lesson_is_found_by_any_of_its_names(course: Path) -> None:
    for given in ("1", "01", LESSON, STEM, f"{STEM}.ipynb", str(course / "lessons" / f"{STEM}.md")):
        assert lessons.stem_of(given) == STEM
    with pytest.raises(Problem, match=f"There are: {STEM}"):
        lessons.stem_of("2")
