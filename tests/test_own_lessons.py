"""Lessons of an instructor's own: a folder of theirs, taken into a course, goes the whole way that ours go."""

from __future__ import annotations

import csv
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from autograder import homes, registry
from autograder.classroom.course import gradebook
from autograder.classroom.course.taken_in import taken_in
from autograder.classroom.grading import cluster
from autograder.classroom.grading.worker import Task, own_worker
from autograder.cli import main
from autograder.judging import answers
from autograder.judging.oracle import has_reference, reference
from autograder.learner import library
from autograder.notebooks import files, lessons
from autograder.probing.run import _place
from autograder.sandbox import stage
from tests.own_lesson import LESSON, STEM, write
from tests.sandbox.rooms import needs_walls
from tests.small_lesson import cell
from tests.stock import nbgrader

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def afterwards_as_before() -> Iterator[None]:
    yield
    homes.use(None)


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """The folder, in use."""
    homes.use(write(tmp_path / "mine"))
    return tmp_path / "mine"


# The packages join ----------------------------------------------------------------------------------


def test_while_a_folder_is_in_use_its_lesson_is_one_of_the_course(mine: Path) -> None:
    assert registry.lessons()[-1] == LESSON and lessons.stem_of("50") == STEM
    assert registry.home(LESSON) == mine and registry.home("layer_norm") == homes.ROOT
    assert has_reference() and reference(registry.exercise("twice"))(3) == 6
    assert library.serve("soft_twice")(torch.zeros(2)).tolist() == [1, 1]
    assert answers.place(LESSON).is_relative_to(mine) and not answers.place("layer_norm").is_relative_to(mine)
    assert len(LESSON_FILES := registry.files("mistakes", LESSON)) == 1 and LESSON_FILES[0].is_relative_to(mine)


def test_afterwards_nothing_of_it_is_left(mine: Path) -> None:
    registry.exercise("twice")
    homes.use(None)
    assert LESSON not in registry.lessons() and homes.VARIABLE not in os.environ
    assert not [name for name, one in sys.modules.items() if str(mine) in str(getattr(one, "__file__", ""))]
    with pytest.raises(registry.UnknownExercise):
        registry.exercise("twice")


def test_a_line_of_its_probes_is_none_of_the_learners(mine: Path) -> None:
    """A report shows the learner's own line: not that of a probe, wherever the probe stands."""

    def broken(_: object) -> None:
        raise ValueError("no")

    probe = registry.exercise("twice").probes[0]
    try:
        probe.compute(broken, type("Draw", (), {"tensor": lambda *_: None}))
    except ValueError as error:
        found = _place(error.__traceback__)
    assert found is not None and found.file == __file__ and str(mine) in probe.compute.__code__.co_filename


def test_a_sandbox_has_its_modules_and_files_and_no_answers(mine: Path) -> None:
    with stage.staged(LESSON) as folder:
        names = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        given = (folder / "autograder" / "stand_ins" / f"{LESSON}.py").read_text(encoding="utf-8")
    assert {f"autograder/checks/{LESSON}.py", f"course/{LESSON}_tools.py", f"course/data/{LESSON}.txt"} <= names
    assert not [one for one in names if one.startswith(("solutions", "autograder/mistakes")) or one.endswith(".md")]
    assert "def twice" not in given and "def soft_twice" not in given
    assert "homes.py" not in {Path(name).parts[0] for name in names}


# Where a process finds it ---------------------------------------------------------------------------


def course_in(folder: Path) -> Path:
    (folder / homes.FOLDER).mkdir(parents=True)
    (folder / homes.CHOICES).touch()
    return folder


def test_a_process_finds_the_folder_of_its_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place := course_in(tmp_path / "class") / "source" / STEM).mkdir(parents=True)
    monkeypatch.chdir(place)
    assert homes.here() == tmp_path / "class" / homes.FOLDER
    monkeypatch.chdir(tmp_path)
    assert homes.here() is None
    monkeypatch.setattr(homes, "_told", str(tmp_path))
    assert homes.here() == tmp_path
    monkeypatch.setattr(homes, "_told", str(tmp_path / "gone"))
    assert homes.here() is None


def test_what_a_student_hands_in_is_no_course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    course = course_in(tmp_path / "class")
    monkeypatch.chdir(course_in(course / "submitted" / "eve" / STEM))
    assert homes.here() == course / homes.FOLDER


def test_a_folder_of_somebody_else_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(course_in(tmp_path / "class"))
    monkeypatch.setattr(homes, "_is_ours", lambda folder: False)
    assert homes.here() is None and "belongs to somebody else" in capsys.readouterr().err


# What is refused ----------------------------------------------------------------------------------


def two(root: Path, **second: str) -> list[Path]:
    return [write(root / "mine"), write(root / "theirs", **{"stem": "60_others", "name": "other", **second})]


def one(root: Path, **changed: str) -> list[Path]:
    return [write(root / "mine", **changed)]


def empty(root: Path) -> list[Path]:
    (root / "mine").mkdir()
    return [root / "mine"]


def broken(root: Path) -> list[Path]:
    (write(root / "mine") / "autograder" / "checks" / f"{LESSON}.py").write_text("import nothing_of_that_name")
    return [root / "mine"]


def unbuildable(root: Path) -> list[Path]:
    page = write(root / "mine") / "course" / "lessons" / f"{STEM}.md"
    page.write_text(page.read_text().replace("check(soft_twice)", "print()"))
    return [root / "mine"]


def changed(root: Path, part: str, old: str, new: str) -> list[Path]:
    file = write(root / "mine") / part / f"{LESSON}.py"
    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    return [root / "mine"]


def with_our_file(root: Path) -> list[Path]:
    (write(root / "mine") / "course" / "toy.py").touch()
    return [root / "mine"]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda root: [root / "nowhere"], "There is no folder"),
        (empty, "has no lesson: there is no course/lessons/50_name.md in it"),
        (lambda root: one(root, without="solutions"), "50_doubling has no solutions/doubling.py. Nothing was made."),
        (lambda root: one(root, stem="01_doubling"), "has 01_doubling, and the course has 01_layer_norm"),
        (lambda root: one(root, stem="50_layer_norm"), "has 50_layer_norm, and the course has 01_layer_norm"),
        (lambda root: one(root, name="normalize"), "The exercise normalize is in the course (01_layer_norm) and in"),
        (lambda root: one(root, name="config_of"), "the course gives a part called config_of"),
        (lambda root: two(root, stem="50_others"), "theirs has 50_others, and"),
        (lambda root: two(root, stem="60_doubling"), "theirs has 60_doubling, and"),
        (lambda root: two(root, name="twice"), "The exercise twice is in"),
        (with_our_file, "has course/toy.py, as the course does"),
        (broken, "the checks of doubling cannot be imported (ModuleNotFoundError: No module named 'nothing_of"),
        (
            lambda root: changed(root, "solutions", "return 2 * x", "raise NotImplementedError"),
            "The reference of twice is not written yet.",
        ),
        (
            lambda root: changed(root, "solutions", "return twice(softmax(x))", "return twice(softmax(y))"),
            "The reference of soft_twice raises in every probe (NameError: name 'y' is not defined).",
        ),
        (
            lambda root: changed(root, "autograder/mistakes", '"2 * x"', '"3 * x"'),
            "A mistake does not fit the reference: 'squared': '3 * x' occurs 0 times in twice",
        ),
        (
            lambda root: changed(root, "autograder/mistakes", "soft_twice, twice", "soft_twice, thrice"),
            "twice cannot be tried (ImportError: cannot import name 'thrice'",
        ),
        (unbuildable, "50_doubling.md: A check cell holds only check(...)"),
    ],
)
def test_what_cannot_be_taken_in_is_one_message_and_nothing_is_made(
    made: Callable[[Path], list[Path]], says: str, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "my folders").mkdir()
    folders = made(tmp_path / "my folders")
    place = tmp_path / "class"
    words = [word for folder in folders for word in ("--with", str(folder))]
    assert main(["classroom", "init", str(place), "50", *words]) == 2
    told = capsys.readouterr().err
    assert says in told and told.count("\n") == 1, told
    assert not place.exists() and homes.own() is None


def test_a_lesson_that_was_not_brought_along_says_how(tmp_path: Path, capsys: Capture) -> None:
    """By its number, and by the choices of a course that has it."""
    place, last_year = tmp_path / "class", course_in(tmp_path / "last year")
    assert main(["classroom", "init", str(place), "01", STEM]) == 2
    assert "If it is a lesson of your own, say where it lies: --with FOLDER" in capsys.readouterr().err
    (file := last_year / homes.CHOICES).write_text(f'lessons = ["01_layer_norm", "{STEM}"]\n', encoding="utf-8")
    assert main(["classroom", "init", str(place), "--choices", str(file)]) == 2
    assert f"There is no lesson {STEM!r}." in (said := capsys.readouterr().err)
    assert f"--with '{last_year / homes.FOLDER}'" in said and not place.exists()


# From beginning to end ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A class with two folders, of which nothing is left where they were; one lesson is handed in and graded."""
    root = tmp_path_factory.mktemp("own lessons")
    place = root / "class"
    theirs = write(root / "theirs", stem="60_others", name="other")
    words = [word for folder in (write(root / "mine"), theirs) for word in ("--with", str(folder))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AUTOGRADER_CACHE", str(root / "cache"))
        patch.setenv("PYTHONPATH", str(files.ROOT))
        assert main(["classroom", "init", str(place), "50", "60", *words, "--questions", "answered"]) == 0
        shutil.rmtree(root / "mine")
        shutil.rmtree(root / "theirs")
        patch.chdir(place)
        homes.use(homes.here())
        gradebook.release(place, STEM)
        hand_in(place, "right", twice="    return x + x", soft_twice="    return twice(softmax(x))")
        hand_in(place, "wrong", twice="    return x * x", soft_twice="    return twice(softmax(x))")
        hand_in(place, "blank")
        assert main(["grade", "50", "--jobs", "1"]) == 0
    yield place


@needs_walls
@pytest.mark.slow
def test_checks_that_were_spoiled_in_the_term_grade_nobody(course: Path, capsys: Capture) -> None:
    """Else what raises as the reference does would have full points."""
    solution = course / homes.FOLDER / "solutions" / f"{LESSON}.py"
    text = solution.read_text(encoding="utf-8")
    solution.write_text(text.replace("return 2 * x", "return 2 * x.nothing"), encoding="utf-8")
    try:
        homes.use(None)
        homes.use(course / homes.FOLDER)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(course)
            assert main(["grade", "50", "--jobs", "1"]) == 2
            assert main(["classroom", "package", "50", "--out", "package"]) == 2
    finally:
        solution.write_text(text, encoding="utf-8")
    said = capsys.readouterr().err
    assert "The reference of twice raises in every probe (AttributeError" in said and "Nothing was graded." in said
    assert "No package was made." in said and not (course / "package").exists()


def hand_in(course: Path, student: str, **done: str) -> None:
    own = files.read(course / "release" / STEM / f"{STEM}.ipynb")
    for name, body in done.items():
        cell(own, name).source = f"def {name}(x):\n{body}"
    files.write(course / "submitted" / student / STEM / f"{STEM}.ipynb", own)


@needs_walls
@pytest.mark.slow
def test_the_lesson_is_released_and_graded_in_the_sandbox(course: Path) -> None:
    rows = csv.DictReader((course / "reports" / f"{STEM}.csv").open(encoding="utf-8-sig"))
    assert {(row["student"], row["exercise"]): (row["points"], row["mistake"]) for row in rows} == {
        ("right", "twice"): ("2", ""),
        ("right", "soft_twice"): ("2", ""),
        ("wrong", "twice"): ("0", "twice: squared"),
        ("wrong", "soft_twice"): ("2", ""),  # with ours in place of `twice`
        ("blank", "twice"): ("0", ""),
        ("blank", "soft_twice"): ("0", ""),
    }
    assert "You take the square." in (course / "reports" / f"{STEM}.html").read_text(encoding="utf-8")
    assert not (course / "source" / "01_layer_norm").exists() and (course / "source" / "60_others").is_dir()


@needs_walls
@pytest.mark.slow
def test_a_machine_of_a_cluster_gets_it_with_a_hand_in(
    course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a parcel holds is enough where the course's folder is not."""
    handed, source = (course / one / STEM / f"{STEM}.ipynb" for one in ("submitted/wrong", "source"))
    homes.use(course / homes.FOLDER)
    parcel = pickle.dumps(cluster._packed(Task(str(handed), STEM, "00" * 32, source=str(source))))
    homes.use(None)
    monkeypatch.chdir(tmp_path)
    with own_worker_closed():
        graded = cluster.grade(pickle.loads(parcel))
    assert [(one["exercise"], one["points"]) for one in graded["results"]] == [("twice", 0), ("soft_twice", 2)], graded
    assert homes.own() is not None and not homes.own().is_relative_to(course)


@contextmanager
def own_worker_closed() -> Iterator[None]:
    try:
        yield
    finally:
        own_worker().close()


@needs_walls
@pytest.mark.slow
def test_feedback_names_its_mistake(course: Path) -> None:
    nbgrader(course, "generate_feedback", STEM, "--student=wrong")
    page = (course / "feedback" / "wrong" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "You take the square." in page and "<td class='points'>0 of 2</td>" in page


@needs_walls
@pytest.mark.slow
def test_another_year_takes_it_from_the_course(course: Path) -> None:
    with taken_in([str(course / homes.FOLDER)]) as own:
        assert own is not None and (own / "course" / "data" / "others.txt").is_file()
        assert lessons.source_stems()[-2:] == [STEM, "60_others"]


# Its author ---------------------------------------------------------------------------------------


def test_an_author_lays_out_and_tries_it_in_the_folder(tmp_path: Path, capsys: Capture) -> None:
    place = tmp_path / "mine"
    assert main(["dev", "new", "tripling", "--in", str(place)]) == 0
    assert f"autograder dev new tripling NAME --in {place}" in capsys.readouterr().out
    assert main(["dev", "new", "50", "thrice", "--in", str(place)]) == 0
    assert (place / "course" / "lessons" / "50_tripling.md").is_file()
    assert main(["dev", "check", "--in", str(place), "--jobs", "1"]) == 1
    told = capsys.readouterr().out
    assert told.count("\nthrice: to do:") == 1 and "01_layer_norm" not in told
    assert f"write at least five in {place}/autograder/mistakes/tripling.py." in told
    assert main(["dev", "new", "layer_norm", "--in", str(place)]) == 2
    assert main(["dev", "new", "tripling", "softmax", "--in", str(place)]) == 2
    said = capsys.readouterr().err
    assert "01_layer_norm is a lesson of the course." in said and "softmax is there already, in solutions" in said
    assert main(["dev", "check", "--in", str(tmp_path / "nowhere")]) == 2


def test_what_a_class_does_not_need_can_wait(tmp_path: Path, capsys: Capture) -> None:
    """Few mistakes, no disguises, no stored answers, and no file of variants at all: said last, and no failure."""
    place = write(tmp_path / "mine", without="tests/")
    assert main(["dev", "check", "--in", str(place), "--jobs", "1"]) == 0
    first, _, waits = capsys.readouterr().out.partition("What can wait")
    assert "to do" not in first and first.count("all as they should be") == 2
    assert "twice: It has 1 mistake by name; write at least five in" in waits and "TODO" not in waits
    assert f"as @correct('twice') in {place}/tests/variants/{LESSON}.py." in waits
    assert "It has no stored answers yet" in waits


def test_a_reference_that_raises_is_told_and_nothing_that_comes_of_it(tmp_path: Path, capsys: Capture) -> None:
    place = write(tmp_path / "mine", without="tests/")
    for part in ("solutions", "autograder/mistakes"):
        file = place / part / f"{LESSON}.py"
        file.write_text(file.read_text(encoding="utf-8").replace("2 * x", "2 * x[7, 7]"), encoding="utf-8")
    assert main(["dev", "check", "twice", "--in", str(place), "--jobs", "1"]) == 1
    told = capsys.readouterr().out.partition("What can wait")[0]
    assert "\n  - The reference raises in the probe small: IndexError: index 7 is out of bounds" in told
    assert f"({LESSON}.py, line 12)." in told and told.count("\n  - ") == 1, told


def test_its_stored_answers_lie_beside_it(tmp_path: Path) -> None:
    place = write(tmp_path / "mine")
    assert main(["dev", "answers", "--in", str(place), "--jobs", "1"]) == 0
    assert (place / "autograder" / "answers" / f"{LESSON}.safetensors").is_file()
    homes.use(place)
    assert answers.fresh_answers(registry.exercise("twice")) is not None


def test_a_module_of_its_own_is_found_before_anything_of_ours(tmp_path: Path) -> None:
    """The first line of a notebook may be `from course.doubling_tools import START`, in a kernel of the course's."""
    write(course_in(tmp_path / "class") / homes.FOLDER)
    command = [sys.executable, "-c", f"from course.{LESSON}_tools import START; print(START)"]
    environment = {**os.environ, "PYTHONPATH": str(files.ROOT)}
    done = subprocess.run(command, cwd=tmp_path / "class", env=environment, capture_output=True, text=True)
    assert done.stdout == "1.5\n", done.stderr
