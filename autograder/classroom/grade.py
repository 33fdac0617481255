"""`autograder grade`: many notebooks, in parallel, each in the sandbox."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from autograder import __version__, registry
from autograder.classroom.course.class_grade import grade_class, is_course
from autograder.classroom.grading import outputs
from autograder.classroom.grading.batch import Options, exit_code, grade_all
from autograder.classroom.grading.grades import Grade, lacking
from autograder.classroom.grading.worker import Task
from autograder.notebooks import lessons
from autograder.notebooks.problem import Problem, named_by_a_person


def grade_files(given: Sequence[str], options: Options) -> int:
    """Grade plain notebooks and print what came of them; in the folder of an nbgrader course, whole assignments.

    Args:
        given: files, or in a course names of lessons.
        options: how to grade.

    Returns:
        0 when every exercise of every file is right, 1 when one is not, 3 when something could not be decided because
        the sandbox failed. In a course, 0 when all could be decided.

    Raises:
        Problem: when a file is missing, its lesson is unknown, or the sandbox cannot be used and nobody said to do
            without.
    """
    assignments = is_course(Path()) and not any(os.path.lexists(one) for one in given)
    if options.gradescope and (assignments or len(given) > 1):
        raise Problem("--gradescope writes the grade of one notebook: give one file.")
    if assignments:
        return _grade_assignments(given, options)
    files = [(Path(one), _lesson_of(Path(one), options.lesson)) for one in given]
    grades = grade_all([Task(str(path), stem, "", options.sandbox) for path, stem in files], options)
    _print(grades, options)
    return exit_code(grades)


def _grade_assignments(given: Sequence[str], options: Options) -> int:
    """Grade what was submitted to assignments of the course in this folder, and write down all of it."""
    if options.lesson:
        raise Problem(
            "--lesson is for files whose names do not tell their lesson. Leave it out: an assignment of this course is "
            f"called by its name, as in `autograder grade {given[0]}`."
        )
    stems = [_assignment(Path(), one) for one in given]
    grades: list[Grade] = []
    try:
        for stem in stems:
            grades += grade_class(Path(), stem, options)
    finally:  # of two assignments, one may be graded before the other turns out to be none
        if grades:
            _write(grades, options)
    return 0 if all(grade.complete for grade in grades) else 3


def _assignment(course: Path, given: str) -> str:
    """The assignment of a course that a person means: by the number under which it was released, whatever its lesson
    has now."""
    wanted = Path(given).name.removesuffix(".ipynb")
    released = sorted(path.stem for path in (course / "source").glob("*/*.ipynb") if path.stem == path.parent.name)
    found = [one for one in released if wanted == one] or [one for one in released if _is_called(one, wanted)]
    if len(found) > 1:
        raise Problem(f"{given} may be {' or '.join(found)} in this course. Say the whole name.")
    stem = found[0] if found else wanted if (course / "source" / (wanted or "-")).is_dir() else ""
    if stem and stem.partition("_")[2] not in registry.lessons():
        raise Problem(
            f"{given} is no lesson of this version of the course ({__version__}). `nbgrader autograde {given}` grades "
            "an assignment of your own; tests of your own in a lesson's notebook are graded with that lesson."
        )
    return stem or lessons.stem_of(given)


def _is_called(assignment: str, wanted: str) -> bool:
    number, _, lesson = assignment.partition("_")
    return wanted == lesson or (wanted.isdecimal() and number.isdecimal() and int(wanted) == int(number))


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
    if not options.for_a_program:
        print("\n".join(outputs.text(grade) for grade in grades))
        if not options.sandbox:
            print("Graded without isolation (--no-sandbox).")
        print(*lacking(grades), sep="\n", end="\n" if lacking(grades) else "")
    _write(grades, options)


def _write(grades: Sequence[Grade], options: Options) -> None:
    wanted = (
        (options.json, outputs.as_json),
        (options.junit, outputs.as_junit),
        (options.gradescope, outputs.as_gradescope),
    )
    for target, made in wanted:
        if target and (text := made(grades)):
            said = text.encode("utf-8", "backslashreplace").decode()  # a file's name may be none of Unicode's
            with named_by_a_person(Path(target)):
                print(said) if target == "-" else Path(target).write_text(said, encoding="utf-8")
