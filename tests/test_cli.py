"""The commands: what they do to a learner's notebook, and what they say when called wrongly."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.classroom.grade import _write
from autograder.classroom.grading.batch import Options
from autograder.cli import main
from autograder.notebooks import files, lessons, transplant
from autograder.notebooks.files import stamped
from autograder.notebooks.problem import Problem
from tests.small_lesson import STD_PLUS_EPS, STEM, TEXT, cell, live_in, notebook, solved, without

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return live_in(tmp_path / "clone", monkeypatch)


@pytest.fixture
def path(course: Path) -> Path:
    """The built notebook."""
    files.write(course / f"{STEM}.ipynb", notebook())
    return course / f"{STEM}.ipynb"


def backups(path: Path) -> list[bytes]:
    folder = path.parent / "backups"
    return [one.read_bytes() for one in folder.iterdir()] if folder.exists() else []


def ids(given: NotebookNode) -> list[str]:
    return [one.id for one in given.cells]


def named(given: str) -> str:
    """The id of the given cell with this text."""
    return next(one.id for one in notebook().cells if given in one.source)


# Calling it --------------------------------------------------------------------------------------


def test_version(capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out.startswith("autograder 0.")


@pytest.mark.parametrize("arguments", [[], ["fly"], ["reset"], ["classroom"], ["check"]])
def test_a_wrong_call_is_explained(arguments: list[str], capsys: Capture) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "usage: autograder" in capsys.readouterr().err


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["build", "77"], "There is no lesson '77'"),
        (["reset", "1", "Layernorm"], "no exercise 'Layernorm'. There are: normalize, LayerNorm"),
        (["check", "nowhere.ipynb"], "There is no file"),
        (["check", "README.md"], "neither a notebook"),
        (["classroom", "init", "/dev/null/class"], "Not a directory"),
    ],
)
def test_an_error_is_one_line(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    told = capsys.readouterr()
    assert said in told.err and told.err.count("\n") == 1 and told.out == ""


def test_a_bug_of_ours_keeps_its_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lessons, "source_stems", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["build"])


def test_an_error_of_the_system_about_nothing_that_a_person_named_keeps_its_trace(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        (course.parent / "our own file").read_bytes()

    monkeypatch.setattr(lessons, "stem_of", lost)
    with pytest.raises(FileNotFoundError, match="our own file"):
        main(["reset", "01"])


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "{taken}/file.py"],
        ["check", "{folder}.py"],
        ["grade", "{taken}/01_layer_norm.ipynb"],
        ["classroom", "init", "{taken}/class", "01"],
        ["classroom", "package", "1", "--out", "{taken}/package"],
    ],
)
def test_a_path_that_the_system_refuses_is_a_mistake_in_the_call(
    arguments: list[str], course: Path, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "taken").touch()
    (tmp_path / "folder.py").mkdir()
    filled = [one.format(taken=tmp_path / "taken", folder=tmp_path / "folder") for one in arguments]
    assert main(filled) == 2
    told = capsys.readouterr().err
    assert str(tmp_path) in told
    assert told.startswith("autograder: ") and told.count("\n") == 1


def test_a_place_for_grades_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    for target in ("taken/grades.json", "missing/grades.json", ""):
        with pytest.raises(Problem, match=re.escape(str(tmp_path / target))):
            _write([], Options(json=str(tmp_path / target)))


def test_a_notebook_that_cannot_be_written_is_named(path: Path, capsys: Capture) -> None:
    path.unlink()
    path.mkdir()
    assert main(["reset", "01"]) == 2
    assert path.name in capsys.readouterr().err


def test_nobody_need_read_to_the_end() -> None:
    """As behind `| head`: no trace, and nothing more is printed."""
    code = (
        "from autograder import cli\ncli._doctor = lambda _: print('x' * 10**6)\nraise SystemExit(cli.main(['doctor']))"
    )
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, cwd=files.ROOT)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_the_command_line_needs_no_torch() -> None:
    program = (
        "import sys; from autograder import cli; cli.parser(); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'jupytext', 'nbformat')))"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=files.ROOT, check=False)
    assert done.returncode == 0


def test_build_and_its_check(course: Path, capsys: Capture) -> None:
    assert main(["build", "--check"]) == 1
    assert main(["build", "layer_norm"]) == 0
    assert main(["build", "--check"]) == 0
    files.write(course / f"{STEM}.ipynb", solved(notebook(), "normalize"))
    assert main(["build"]) == 1
    assert main(["build", "--force"]) == 0
    assert "backups" in capsys.readouterr().out


# reset -------------------------------------------------------------------------------------------


def test_reset_of_one_exercise_leaves_the_others(path: Path, capsys: Capture) -> None:
    files.write(path, solved(notebook(), "normalize", "LayerNorm"))
    mine = path.read_bytes()
    assert main(["reset", "1", "LayerNorm"]) == 0
    assert files.read(path) == solved(notebook(), "normalize")
    assert backups(path) == [mine]
    assert "backups" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["LayerNormalization", "question-eps", "RMSNorm"])
def test_reset_brings_back_a_cell_that_was_deleted(path: Path, name: str) -> None:
    files.write(path, without(notebook(), name))
    assert main(["reset", "1", name]) == 0
    assert ids(files.read(path)) == ids(notebook())


def test_reset_of_a_blank_changes_nothing(path: Path, capsys: Capture) -> None:
    before = path.read_bytes()
    assert main(["reset", "1", "LayerNorm"]) == 0
    assert main(["reset", "1"]) == 0
    assert path.read_bytes() == before and not backups(path)
    assert capsys.readouterr().out.count("blank already") == 2


def test_reset_of_a_whole_notebook(path: Path) -> None:
    path.write_text("broken", encoding="utf-8")
    assert main(["reset", STEM]) == 0
    assert files.read(path) == notebook()
    assert backups(path) == [b"broken"]


# update: what is the learner's --------------------------------------------------------------------


def learners() -> NotebookNode:
    """A notebook in which someone has worked: answers, an edited cell, cells of their own."""
    own = solved(notebook(), "normalize", "LayerNorm", "LayerNormalization")
    cell(own, "question-eps").source = "Because of the gradient."
    cell(own, named('print("a figure")')).source = 'print("my figure")'
    cell(own, "check-normalize").outputs = [new_output("stream", name="stdout", text="x")]
    at = ids(own).index("check-LayerNorm") + 1
    own.cells[at:at] = [
        new_code_cell("mine = 1", id="a1", metadata={"tags": ["check"]}),
        new_markdown_cell("note", id="b2"),
        new_code_cell("  ", id="c3"),
    ]
    own.cells.insert(0, new_markdown_cell("my notebook", id="d4"))
    return own


def later() -> NotebookNode:
    """A later version: a text, a stub and a question say something else."""
    new = notebook("student", TEXT.replace("That is all.", "That is all for now."))
    cell(new, "RMSNorm").source += "\n    # a better stub"
    cell(new, "asked-eps").source = "Why?"
    return stamped(new)


def test_everything_a_learner_wrote_goes_over() -> None:
    new = transplant.transplant(learners(), later())
    assert not {cell(new, name).source for name in ("normalize", "LayerNorm", "LayerNormalization")} - {
        one.source for one in notebook("solved").cells
    }
    assert cell(new, "question-eps").source == "Because of the gradient."
    assert cell(new, named('print("a figure")')).source == 'print("my figure")'
    assert [one.source for one in new.cells[:2]] == ["my notebook", later().cells[0].source]
    at = ids(new).index("check-LayerNorm")
    assert [one.source for one in new.cells[at + 1 : at + 3]] == ["mine = 1", "note"]
    assert len(new.cells) == len(later().cells) + 3


def test_what_the_course_changed_comes_from_the_course() -> None:
    new = transplant.transplant(learners(), later())
    assert cell(new, "RMSNorm").source.endswith("# a better stub")
    assert cell(new, "asked-eps").source == "Why?"
    assert "That is all for now." in files.text_of(new)
    assert '"That is all."' not in files.text_of(new)
    assert not cell(new, "check-normalize").outputs


def test_an_untouched_notebook_becomes_the_new_one() -> None:
    assert transplant.transplant(notebook(), later()) == later()


def test_taking_the_same_version_twice_changes_nothing() -> None:
    once = transplant.transplant(learners(), later())
    assert transplant.transplant(once, later()) == once


def test_an_answer_whose_exercise_vanished_is_kept_at_the_end() -> None:
    lacking = without(later(), "LayerNorm", "check-LayerNorm", "question-eps", "RMSNorm")
    new = transplant.transplant(learners(), lacking)
    heading = ids(new).index("kept-from-before")
    kept = new.cells[heading + 1 :]
    assert new.cells[heading].source.startswith("## Kept")
    assert [one.source for one in kept] == [
        cell(notebook("solved"), "LayerNorm").source,
        "Because of the gradient.",
    ]  # RMSNorm was blank
    assert not any("nbgrader" in one.metadata for one in kept)
    assert [one.source for one in new.cells].count("mine = 1") == 1

    again = transplant.transplant(new, without(lacking, "normalize"))
    assert ids(again).count("kept-from-before") == 1
    assert again.cells[-1].source == cell(notebook("solved"), "normalize").source
    assert [one.source for one in again.cells[-3:-1]] == [one.source for one in kept]


def test_an_edit_of_a_cell_that_vanished_is_kept_too() -> None:
    new = transplant.transplant(learners(), without(later(), named('print("a figure")')))
    assert new.cells[-1].source == 'print("my figure")'
    assert not new.cells[-1].id.startswith("course-")


def test_a_pasted_copy_of_an_exercise_is_a_cell_of_the_learners() -> None:
    own = learners()
    copy = new_code_cell("x = 'another try'", id="e5")
    copy.metadata = NotebookNode({"nbgrader": dict(cell(own, "normalize").metadata.nbgrader)})
    own.cells.insert(ids(own).index("normalize"), copy)
    new = transplant.transplant(own, later())
    at = ids(new).index("e5")
    assert new.cells[at + 1].id == "normalize" and "nbgrader" not in new.cells[at].metadata
    assert cell(new, "normalize").source == cell(notebook("solved"), "normalize").source


def test_ids_that_another_program_dropped_lose_no_answer() -> None:
    own = learners()
    for number, one in enumerate(own.cells):
        one.id = f"colab{number}"
    new = transplant.transplant(own, later())
    assert cell(new, "normalize").source == cell(notebook("solved"), "normalize").source
    assert "x.std" not in cell(new, "LayerNormalization").source
    texts = [one.source for one in new.cells]
    assert len(set(texts)) == len(texts)
    assert {"mine = 1", "note", 'print("my figure")', "my notebook"} <= set(texts)


# update: files and git ----------------------------------------------------------------------------


def git(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def commit(folder: Path, given: NotebookNode) -> None:
    files.write(folder / "course" / f"{STEM}.ipynb", given)
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "a version", "--allow-empty")


@pytest.fixture
def upstream(tmp_path: Path, course: Path) -> Path:
    """A repository with the course in it, of which `course` is a clone."""
    folder = tmp_path / "upstream"
    (folder / "course" / "lessons").mkdir(parents=True)
    (folder / "course" / "__init__.py").touch()
    (folder / "course" / "lessons" / f"{STEM}.md").write_text(TEXT, encoding="utf-8")
    git(folder, "init", "-q")
    commit(folder, notebook())
    (course / "lessons" / f"{STEM}.md").unlink()
    (course / "lessons").rmdir()
    course.rmdir()
    course.parent.rmdir()
    git(tmp_path, "clone", "-q", str(folder), str(course.parent))
    return folder


def test_update_pulls_and_keeps_the_answers(upstream: Path, course: Path, capsys: Capture) -> None:
    path = course / f"{STEM}.ipynb"
    files.write(path, learners())
    mine = path.read_bytes()
    commit(upstream, later())
    assert main(["update"]) == 0
    assert files.read(path) == transplant.transplant(learners(), later())
    assert backups(path) == [mine]
    assert "with your 4 answers and 4 other cells" in capsys.readouterr().out
    assert git(course, "show", f":./{STEM}.ipynb") == files.text_of(later())

    written = path.read_bytes()
    assert main(["update"]) == 0
    assert path.read_bytes() == written and backups(path) == [mine]
    assert "up to date" in capsys.readouterr().out


def test_a_pull_that_fails_leaves_all_as_it_was(upstream: Path, course: Path, capsys: Capture) -> None:
    path = course / f"{STEM}.ipynb"
    git(course, "commit", "-q", "-m", "their own", "--allow-empty")  # histories part here
    files.write(path, learners())
    mine, head = path.read_bytes(), git(course, "rev-parse", "HEAD")
    commit(upstream, later())
    assert main(["update"]) == 2
    assert path.read_bytes() == mine and git(course, "rev-parse", "HEAD") == head
    told = capsys.readouterr().err
    assert "git pull failed" in told and told.count("\n") == 1


def test_no_pull_builds_what_is_here(upstream: Path, course: Path) -> None:
    files.write(course / f"{STEM}.ipynb", learners())
    commit(upstream, later())
    text = TEXT.replace("That is all.", "That is all here.")
    (course / "lessons" / f"{STEM}.md").write_text(text, encoding="utf-8")
    assert main(["update", "--no-pull"]) == 0
    written = files.text_of(files.read(course / f"{STEM}.ipynb"))
    assert "That is all here." in written and "my figure" in written


def test_a_lesson_that_moved_takes_its_answers_along(upstream: Path, course: Path) -> None:
    files.write(course / f"{STEM}.ipynb", learners())
    git(upstream, "mv", f"course/{STEM}.ipynb", "course/02_layer_norm.ipynb")
    git(upstream, "mv", f"course/lessons/{STEM}.md", "course/lessons/02_layer_norm.md")
    files.write(upstream / "course" / "02_layer_norm.ipynb", later())
    git(upstream, "commit", "-q", "-a", "-m", "moved")
    assert main(["update"]) == 0
    moved = files.read(course / "02_layer_norm.ipynb")
    assert moved == transplant.transplant(learners(), later())
    assert not (course / f"{STEM}.ipynb").exists()


def test_a_lesson_that_went_leaves_the_learners_notebook(upstream: Path, course: Path, capsys: Capture) -> None:
    path = course / f"{STEM}.ipynb"
    files.write(path, learners())
    mine = path.read_bytes()
    git(upstream, "rm", "-q", f"course/{STEM}.ipynb", f"course/lessons/{STEM}.md")
    git(upstream, "commit", "-q", "-m", "gone")
    assert main(["update"]) == 0
    assert path.read_bytes() == mine
    assert "no longer part of the course" in capsys.readouterr().out


def test_update_works_without_git(course: Path, path: Path) -> None:
    files.write(path, learners())
    text = TEXT.replace("That is all.", "That is all for now.")
    (course / "lessons" / f"{STEM}.md").write_text(text, encoding="utf-8")
    assert main(["update"]) == 0
    assert files.read(path) == transplant.transplant(learners(), notebook("student", text))
    assert len(backups(path)) == 1


def test_update_leaves_the_learners_own_notebooks_alone(course: Path, path: Path, capsys: Capture) -> None:
    own = course / "99_my_notes.ipynb"
    files.write(own, new_notebook(cells=[new_code_cell("1")]))
    before = own.read_bytes()
    assert main(["update"]) == 0
    assert own.read_bytes() == before and not backups(path)
    assert "99_my_notes" not in capsys.readouterr().out


def test_update_leaves_what_is_no_notebook(path: Path, capsys: Capture) -> None:
    path.write_text("<<<<<<< HEAD", encoding="utf-8")
    assert main(["update"]) == 0
    assert path.read_text(encoding="utf-8") == "<<<<<<< HEAD"
    assert "stays as it is" in capsys.readouterr().out


def test_a_crash_while_updating_puts_everything_back(course: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files.write(path, learners())
    mine = path.read_bytes()
    (course / "lessons" / f"{STEM}.md").write_text(TEXT.replace("That is all.", "Other."))
    monkeypatch.setattr("autograder.notebooks.update._counted", lambda given: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["update"])
    assert path.read_bytes() == mine


# check -------------------------------------------------------------------------------------------


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`autograder ...` in a process of its own, as its children print past Python."""
    return subprocess.run(
        [sys.executable, "-m", "autograder", *map(str, arguments)],
        cwd=files.ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


ALL = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")


def test_check_of_a_notebook_that_is_right(tmp_path: Path) -> None:
    right = tmp_path / "right.ipynb"
    files.write(right, solved(notebook(), *ALL))
    before = right.read_bytes()
    done = run("check", right)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "LayerNorm · 4 of 4 points" in done.stdout and "4 of 4 passed." in done.stdout
    assert "raised" not in done.stdout  # the play cell would, and is skipped
    assert right.read_bytes() == before and [right] == list(tmp_path.iterdir())


def test_check_of_a_notebook_that_is_wrong_in_many_ways(tmp_path: Path) -> None:
    own = solved(notebook(), "normalize")
    cell(own, "LayerNorm").source = "class LayerNorm(nn.Module:"
    cell(own, "RMSNorm").source = "import os\nos.write(1, b'noise')\nprint('noise')\nRMSNorm = 3"
    own.cells.insert(0, new_code_cell("import sys\nsys.exit('noise')", id="exits"))
    files.write(tmp_path / "wrong.ipynb", own)
    done = run("check", tmp_path / "wrong.ipynb")
    assert done.returncode == 1 and "noise" not in done.stdout.replace("SystemExit: noise", "")
    assert "SyntaxError" in done.stdout
    assert "(check-LayerNorm) raised NameError" in done.stdout
    assert "normalize · 2 of 2 points" in done.stdout and "1 of 4 passed." in done.stdout


def test_check_reads_the_learners_library_and_writes_to_a_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = tmp_path / "library"
    library.mkdir()
    own = "from pathlib import Path\n\nPath(__file__).with_name('written').touch()\n__all__ = ['normalize']\n\n\n"
    (library / "layer_norm.py").write_text(own + "def normalize(x): return 'from the library'\n")
    monkeypatch.setenv("MY_TRANSFORMER_HOME", str(library))
    asks = new_code_cell("from my_transformer import normalize as own\nraise RuntimeError(own(1))")
    notebook_with = solved(notebook(), *ALL)
    notebook_with.cells.append(asks)
    files.write(tmp_path / "asks.ipynb", notebook_with)
    done = run("check", tmp_path / "asks.ipynb")
    assert "raised RuntimeError: from the library" in done.stdout, done.stdout + done.stderr
    assert [one.name for one in library.iterdir()] == ["layer_norm.py"]


def test_check_of_a_notebook_that_kills_its_process(tmp_path: Path) -> None:
    own = notebook()
    cell(own, "normalize").source = "import os\nos._exit(0)"
    files.write(tmp_path / "dead.ipynb", own)
    done = run("check", tmp_path / "dead.ipynb")
    assert done.returncode == 1 and "ended the process" in done.stdout


def test_check_of_python_files(tmp_path: Path) -> None:
    head = "import torch\nfrom torch import Tensor, nn\nfrom jaxtyping import Float\n"
    right = "\n\n".join(cell(notebook("solved"), name).source for name in ALL)
    body = "        return self.weight * normalize(x, self.eps) + self.bias"
    (tmp_path / "right.py").write_text(f"{head}\n{right}\n", encoding="utf-8")
    wrong = right.replace(body, STD_PLUS_EPS, 1)
    (tmp_path / "wrong.py").write_text(f"{head}\n{wrong}\nopen('here', 'w')\n", encoding="utf-8")
    done = run("check", tmp_path / "right.py", tmp_path / "wrong.py")
    assert done.returncode == 1
    first, second = done.stdout.split(f"# {tmp_path / 'wrong.py'}")
    assert "4 of 4 passed." in first
    assert "3 of 4 passed." in second and "LayerNorm · 0 of 4 points" in second
    assert not (tmp_path / "here").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.ipynb", "{", "is no notebook"),
        ("a.ipynb", '{"cells": 3}', "is no notebook"),
        ("a.py", "def f(:", "is no Python: invalid syntax, line 1"),
        ("a.py", "x = 1", "has nothing to check"),
    ],
)
def test_check_refuses_what_cannot_be_checked(tmp_path: Path, name: str, text: str, said: str, capsys: Capture) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert main(["check", str(tmp_path / name)]) == 2
    assert said in capsys.readouterr().err
