"""`autograder grade LESSON` in an nbgrader course: grades all that was submitted, and has stock nbgrader save it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from nbformat import NotebookNode

from autograder import homes
from autograder.classroom.course import gradebook, own_tests
from autograder.classroom.course.beside import beside
from autograder.classroom.course.checked_source import path_of, read_source
from autograder.classroom.course.disputed import disputed
from autograder.classroom.course.handed_in import HandedIn, handed_in, misplaced, told
from autograder.classroom.course.ready import refuse_unready
from autograder.classroom.course.rebuild import answered_elsewhere, rebuilt
from autograder.classroom.course.released import refuse_unless_released
from autograder.classroom.grading import flags
from autograder.classroom.grading.batch import Options, grade_all
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.plan import released
from autograder.classroom.grading.submission import Malformed, read
from autograder.classroom.grading.worker import Task
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem


def is_course(folder: Path) -> bool:
    """Whether a folder is an nbgrader course."""
    return (folder / gradebook.CONFIG).is_file()


def refuse_elsewhere(folder: Path) -> None:
    """Raise Problem where a folder is no nbgrader course."""
    if not is_course(folder):
        raise Problem("Here is no nbgrader course: run this in the folder that `autograder classroom init` made.")


def grade_class(course: Path, lesson: str, options: Options) -> list[Grade]:
    """Grade all submissions of a lesson and save the points in the course's gradebook.

    Args:
        course: the course's folder.
        lesson: the assignment, such as "01_layer_norm".
        options: how to grade.

    Returns:
        The grades of all students. Where the sandbox failed, what the gradebook holds was left as it was.

    Raises:
        Problem: when there is nothing to grade, some of it cannot be graded, or there is no sandbox.
    """
    source = read_source(course, lesson)
    refuse_unless_released(course, lesson, source)
    if of_a_lesson := lessons.NAME.fullmatch(lesson):
        refuse_unready(of_a_lesson["lesson"], course / homes.FOLDER, "Nothing was graded.")
    handed = list(handed_in(course, lesson))
    if not handed:
        raise Problem(f"Nobody has handed in {lesson}: there is no {course / 'submitted'}/STUDENT/{lesson}/.")
    own_tests.refuse_unless_they_pass(course, lesson, source, options)
    tasks = [Task(str(one.path), lesson, "", options.sandbox, str(path_of(course, lesson))) for one in handed]
    grades = dict(zip((one.student for one in handed), grade_all(tasks, options), strict=True))
    for one in handed:
        grades[one.student].student = one.student
        grades[one.student].flags += [one.note] if one.note else []
    saved = {student: grade for student, grade in grades.items() if grade.complete}
    _stage(course, lesson, released(source), handed, saved)
    gradebook.save(course, lesson)
    _report(course, lesson, grades, options)
    return list(grades.values())


def _stage(course: Path, lesson: str, ours: NotebookNode, handed: Sequence[HandedIn], saved: dict[str, Grade]) -> None:
    """Write the rebuilt notebooks for nbgrader to save, with what it has put beside them."""
    shutil.rmtree(course / gradebook.STAGED, ignore_errors=True)
    for one in handed:
        if one.student not in saved:
            continue
        place = course / gradebook.STAGED / one.student / lesson
        notebook = _rebuilt(ours, one.path, saved[one.student])
        saved[one.student].flags += map(flags.ELSEWHERE.of, answered_elsewhere(notebook, ours))
        files.write(place / f"{lesson}.ipynb", notebook)
        for name, content in beside(one.path):
            if content is None:
                saved[one.student].flags.append(f"{name} holds nothing that nbgrader can read, and was left out")
            else:
                (place / name).write_bytes(content)


def _rebuilt(ours: NotebookNode, path: Path, grade: Grade) -> NotebookNode:
    """The notebook to save. Where someone's texts cannot be taken over, it holds the results alone."""
    try:
        return rebuilt(ours, _bytes(path), grade)
    except Exception as error:
        grade.flags.append(f"the texts could not be taken over: {type(error).__name__}: {error}"[:300])
        return rebuilt(ours, b"", grade)


def _bytes(path: Path) -> bytes:
    try:
        return read(path)
    except Malformed:
        return b""


def _report(course: Path, lesson: str, grades: dict[str, Grade], options: Options) -> None:
    from autograder.classroom.report import page, spreadsheet

    folder = course / "reports"
    folder.mkdir(exist_ok=True)
    isolation = "sandbox" if options.sandbox else "none"
    absent, late = gradebook.absent(course, grades), gradebook.late(course, lesson)
    disputes = disputed(course, lesson)
    shown = page.html(lesson, grades, isolation, absent=absent, late=late, disputes=disputes)
    (folder / f"{lesson}.html").write_text(shown, encoding="utf-8", errors="backslashreplace")
    table = spreadsheet.as_csv(grades)
    (folder / f"{lesson}.csv").write_text(table, encoding="utf-8-sig", errors="backslashreplace", newline="")  # Excel
    say = partial(print, file=sys.stderr if options.for_a_program else sys.stdout)
    say(page.summary(lesson, grades, isolation, absent=absent, late=late, disputes=disputes))
    for path in misplaced(course, lesson):
        say(f"NOT READ: {told(str(path))}. It belongs at {Path('submitted') / 'STUDENT' / lesson / lesson}.ipynb.")
    say(f"Points are in the gradebook; the class report is {os.path.relpath(folder / f'{lesson}.html')}.")
