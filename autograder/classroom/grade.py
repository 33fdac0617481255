"""`autograder grade`: many notebooks, in parallel, each in the sandbox."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from autograder.classroom.course.class_grade import grade_class, is_course
from autograder.classroom.grading import outputs
from autograder.classroom.grading.batch import Options, exit_code, grade_all
from autograder.classroom.grading.grades import Grade
from autograder.classroom.grading.worker import Task
from autograder.notebooks import lessons
from autograder.notebooks.problem import Problem


def grade_files(given: Sequence[str], options: Options) -> int:
    """Grade plain notebooks and print what came of them; in the folder of an nbgrader course, whole assignments.

    Args:
        given: files, or in a course names of lessons.
        options: how to grade.

    Returns:
        0 when every exercise of every file is right, 1 when one is not, 3 when something could not be decided because
        the sandbox failed.

    Raises:
        Problem: when a file is missing, its lesson is unknown, or the sandbox cannot be used and nobody said to do
            without.
    """
    if is_course(Path()) and not any(os.path.lexists(one) for one in given):
        return max(grade_class(Path(), lessons.stem_of(one), options) for one in given)
    files = [(Path(one), _lesson_of(Path(one), options.lesson)) for one in given]
    grades = grade_all([Task(str(path), stem, "", options.sandbox) for path, stem in files], options)
    _print(grades, options)
    return exit_code(grades)


def _lesson_of(path: Path, told: str) -> str:
    if not os.path.lexists(path):
        raise Problem(f"There is no file {path}.")
    if told:
        return lessons.stem_of(told)
    for name in (path.stem, path.parent.name):
        try:
            return lessons.stem_of(name)
        except Problem:
            continue
    raise Problem(f"{path.name} does not say of which lesson it is. Say it: --lesson LESSON.")


def _print(grades: Sequence[Grade], options: Options) -> None:
    for target, made in ((options.json, outputs.as_json), (options.junit, outputs.as_junit)):
        if target:
            said = made(grades).encode("utf-8", "backslashreplace").decode()  # a file's name may be none of Unicode's
            print(said) if target == "-" else Path(target).write_text(said, encoding="utf-8")
    if not options.quiet and "-" not in (options.json, options.junit):
        print("\n".join(outputs.text(grade) for grade in grades))
        if not options.sandbox:
            print("Graded without isolation (--no-sandbox).")
