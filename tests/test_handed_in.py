"""What is found in `submitted/`, and what of a submission is shown again."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from autograder.classroom.course.handed_in import handed_in, misplaced
from autograder.classroom.course.rebuild import SHOWN, TOO_LONG, answered_elsewhere, rebuilt
from autograder.classroom.grade import _write
from autograder.classroom.grading.batch import Options
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.plan import released
from autograder.classroom.grading.submission import MAX_CELL, Malformed, parse, read
from autograder.notebooks import files
from tests.small_lesson import STEM, cell, notebook


def put(course: Path, *names: str) -> None:
    for name in names:
        path = course / "submitted" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}")


def test_a_second_download_is_found_under_its_name(tmp_path: Path) -> None:
    put(tmp_path, f"ann/{STEM}/{STEM}.ipynb", f"ann/{STEM}/{STEM} (1).ipynb", f"ben/{STEM}/{STEM} (1).ipynb")
    put(tmp_path, f"cem/{STEM}/a.ipynb", f"cem/{STEM}/b.ipynb", f"dan/{STEM}/notes.txt")
    found = {one.student: (one.path.name, one.note) for one in handed_in(tmp_path, STEM)}
    expected = (f"{STEM}.ipynb", "")
    assert found["ben"] == (f"{STEM} (1).ipynb", f"handed in as {STEM} (1).ipynb")
    assert found["ann"] == found["cem"] == found["dan"] == expected


def test_links_are_no_submissions(tmp_path: Path) -> None:
    put(tmp_path, f"ann/{STEM}/{STEM}.ipynb")
    (tmp_path / "submitted" / "ben").symlink_to(tmp_path / "submitted" / "ann")
    (tmp_path / "submitted" / "cem" / STEM).mkdir(parents=True)
    (tmp_path / "submitted" / "cem" / STEM / "mine.ipynb").symlink_to(tmp_path / "submitted" / "ann" / STEM)
    assert [(one.student, one.note) for one in handed_in(tmp_path, STEM)] == [("ann", ""), ("cem", "")]


CLOSED = """\
import sys
from pathlib import Path
from autograder.classroom.course.handed_in import handed_in
from autograder.classroom.grading.submission import Malformed, read
for one in handed_in(Path(sys.argv[1]), sys.argv[2]):
    try:
        read(one.path)
    except Malformed as error:
        print(one.student, error)
"""


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="needs setpriv, so that root is held to permissions")
def test_what_nobody_may_look_into_is_not_passed_over_and_stops_nobody(tmp_path: Path) -> None:
    put(tmp_path, *(f"{name}/{STEM}/{STEM}.ipynb" for name in ("ann", "ben", "cem", "dan")))
    handed = tmp_path / "submitted"
    closed = (handed / "ann", handed / "ben" / STEM, handed / "cem" / STEM / f"{STEM}.ipynb")
    for one in closed:
        one.chmod(0)
    without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"] if os.getuid() == 0 else []
    command = [*without, sys.executable, "-c", CLOSED, str(tmp_path), STEM]
    done = subprocess.run(command, capture_output=True, text=True, cwd=files.ROOT, check=False)
    for one in closed:
        one.chmod(0o700)
    why = "the file cannot be read: Permission denied"
    assert done.stdout.splitlines() == [f"{name} {why}" for name in ("ann", "ben", "cem")], done.stderr


def test_what_lies_elsewhere_is_said(tmp_path: Path) -> None:
    put(tmp_path, f"{STEM}.ipynb", f"ann/{STEM}.ipynb", f"ben/{STEM}/{STEM}.ipynb", "cem/other.ipynb")
    assert [str(one.relative_to(tmp_path)) for one in misplaced(tmp_path, STEM)] == [
        f"submitted/{STEM}.ipynb",
        f"submitted/ann/{STEM}.ipynb",
    ]


@pytest.mark.parametrize(("raw", "why"), [(b" \n", "empty"), (b"%PDF-1.7 ...", "a PDF")])
def test_what_is_no_notebook_is_called_by_its_name(raw: bytes, why: str) -> None:
    with pytest.raises(Malformed, match=why):
        parse(raw, None)  # type: ignore[arg-type]


def test_a_file_that_is_not_there_is_called_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(Malformed, match=r"there is no 01\.ipynb"):
        read(tmp_path / "01.ipynb")


def test_an_answer_in_a_cell_of_ones_own_is_kept_and_flagged() -> None:
    ours = released(notebook("source"))
    handed = copy.deepcopy(ours)
    at = handed.cells.index(cell(handed, "question-eps"))
    handed.cells.insert(at + 1, new_markdown_cell("So that <b>nothing</b> is divided by 0."))
    kept = rebuilt(ours, nbformat.writes(handed).encode(), Grade("x", STEM))
    assert [one.source for one in kept.cells if one.id.startswith("own-")] == [
        "So that < b>nothing< /b> is divided by 0."
    ]
    assert answered_elsewhere(kept, ours) == ["question-eps"]
    cell(kept, "question-eps").source = "So that nothing is divided by 0."
    assert answered_elsewhere(kept, ours) == []


def test_what_nobody_has_touched_keeps_its_html() -> None:
    ours = released(notebook("source"))
    hints = [one.source for one in ours.cells if "<details>" in one.source]
    kept = rebuilt(ours, nbformat.writes(ours).encode(), Grade("x", STEM))
    assert hints
    assert [one.source for one in kept.cells if "<details>" in one.source] == hints


def test_a_name_that_is_not_unicode_can_be_told(capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> None:
    graded = [Grade(os.fsdecode(b"M\xfcller.ipynb"), STEM, "malformed", "it is a PDF")]
    target = tmp_path / "grades.json"
    _write(graded, Options(json=str(target)))
    _write(graded, Options(json="-"))
    assert json.loads(target.read_bytes()) == json.loads(capfdbinary.readouterr().out)
    assert b"ller.ipynb" in target.read_bytes()


BRACKETS = "[" * MAX_CELL


def test_an_answer_that_is_long_is_shown_as_it_is_typed() -> None:
    """Of these brackets, as Markdown, nbconvert makes a page in many minutes, and a class waits for its feedback."""
    ours = notebook("student")
    ours.cells.insert(1, new_markdown_cell(BRACKETS, id="long"))
    ours.cells.insert(2, new_markdown_cell("<b>short</b>", id="short"))
    kept = rebuilt(notebook("student"), nbformat.writes(ours).encode(), Grade("x", STEM))
    shown = [one for one in kept.cells if one.id.startswith("own-")]
    start = time.process_time()
    page, _ = HTMLExporter().from_notebook_node(new_notebook(cells=shown))
    assert time.process_time() - start < 5
    assert page.count("[") >= MAX_CELL
    assert "< b>short" in shown[1].source and not shown[1].source.startswith(" ")


def test_of_what_is_very_long_the_rest_is_left_out_and_that_is_said() -> None:
    ours, grade = notebook("student"), Grade("x", STEM)
    ours.cells += [new_code_cell(f"x = {number}  # {'x' * 150_000}", id=f"long-{number}") for number in range(20)]
    kept = rebuilt(notebook("student"), nbformat.writes(ours).encode(), grade)
    assert sum(len(one.source) for one in kept.cells) < SHOWN + 100_000
    assert sum(one.id.startswith("own-") for one in kept.cells) == 6
    assert grade.flags == [TOO_LONG]
