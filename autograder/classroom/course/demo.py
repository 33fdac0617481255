"""A class to look at: a course with five made-up hand-ins, graded, with feedback, report and exports."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from autograder.classroom.course.init import init, scripts_on_the_path
from autograder.learner.choices import Choices
from autograder.notebooks import files
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem

STEM = "01_layer_norm"
TIME = "2026-05-04 10:00:00 UTC\n"
VARIANCE = "variance = (x - mean).square().mean(dim=-1, keepdim=True)"


@dataclass(frozen=True)
class HandIn:
    """What one made-up student has written.

    Attributes:
        shows: why it is there.
        edits: exercise → old text of its solution to new.
        blank: exercises that were left as they were handed out.
        answers: whether questions in words were answered.
    """

    shows: str
    edits: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    blank: tuple[str, ...] = ()
    answers: bool = True


ANYTHING = "(A made-up answer: in a class of yours, a student writes here, and you grade it by hand.)"
EXERCISES = ("normalize", "LayerNorm", "RMSNorm", "LayerNormalization")
CLASS = {
    "student-1": HandIn("everything right"),
    "student-2": HandIn("a named mistake", {"normalize": (VARIANCE, "variance = x.var(dim=-1, keepdim=True)")}),
    "student-3": HandIn(
        "two mistakes at once, in one line",
        {"normalize": ("torch.sqrt(variance + eps)", "(x.std(dim=-1, keepdim=True) + eps)")},
    ),
    "student-4": HandIn(
        "something that no list has, and a stretch left out",
        {"LayerNorm": ("self.weight * normalize", "self.weight.sigmoid() * normalize")},
        blank=("RMSNorm",),
    ),
    "student-5": HandIn(
        "nothing written", blank=("normalize", "LayerNorm", "RMSNorm", "LayerNormalization"), answers=False
    ),
}


def demo(folder: str) -> int:
    """Make the course in a new folder, with everything that an instructor gets to see.

    Args:
        folder: where; it must not exist yet, or be empty.

    Raises:
        Problem: when something lies there, or a command of nbgrader's fails.
    """
    place = Path(folder)
    init(folder, [STEM], Choices())
    _run(place, "nbgrader", "generate_assignment", STEM)
    for student, handed_in in CLASS.items():
        _hand_in(place, student, handed_in)
    _run(place, "autograder", "grade", STEM)
    _run(place, "nbgrader", "generate_feedback", STEM, "--force")
    _run(place, "nbgrader", "export")
    _say_what_there_is(place)
    return 0


def _hand_in(place: Path, student: str, handed_in: HandIn) -> None:
    """Write one notebook: what was handed out, with what a student has made of it."""
    home = place / "submitted" / student / STEM
    home.mkdir(parents=True)
    shutil.copy(place / "release" / STEM / f"{STEM}.ipynb", home)
    write_hand_in(home / f"{STEM}.ipynb", handed_in)
    files.write_text(home / "timestamp.txt", TIME)


def write_hand_in(path: Path, handed_in: HandIn) -> None:
    """Write into a notebook that was handed out what a student makes of it.

    Raises:
        Problem: when the reference is not as the demonstration expects.
    """
    notebook = files.read(path)
    solved = {cell.id: cell.source for cell in build(STEM, "solved").cells if cell.cell_type == "code"}
    for cell in notebook.cells:
        name = str(cell.id)
        if name in handed_in.blank:
            continue
        if name in handed_in.edits:
            old, new = handed_in.edits[name]
            if solved[name].count(old) != 1:
                raise Problem(f"the demonstration edits {name}, which no longer has {old!r} once")
            cell.source = solved[name].replace(old, new)
        elif _is_answer(cell) and handed_in.answers:
            cell.source = ANYTHING
        elif name in solved:
            cell.source = solved[name]
    files.write(path, notebook)


def _is_answer(cell: NotebookNode) -> bool:
    return cell.cell_type == "markdown" and bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _run(place: Path, module: str, *arguments: str) -> None:
    """Run a command in the course's folder, as an instructor would."""
    print(f"$ {module} {' '.join(arguments)}", flush=True)
    with scripts_on_the_path():
        command = [sys.executable, "-m", module, *arguments]
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Problem(f"{module} {arguments[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")


def _say_what_there_is(place: Path) -> None:
    print(f"\n{place} is a course with {len(CLASS)} made-up hand-ins:")
    for student, handed_in in CLASS.items():
        print(f"  {student}: {handed_in.shows}")
    print("To look at:")
    shown = [f"reports/{STEM}.html", f"feedback/student-2/{STEM}/{STEM}.html", "grades.csv", f"reports/{STEM}.csv"]
    for name in shown:
        print(f"  {place / name}")
    print(f"Everything else as in a course of your own: {place / 'README.md'}.")
