"""How an instructor says what a class counts: by options, by a file, or asked on a terminal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from string import Template

from autograder import homes
from autograder.learner import choices
from autograder.learner.choices import QUESTIONS, STRETCHES, BadChoices, Choices
from autograder.notebooks import lessons
from autograder.notebooks.problem import Problem

WHAT = {
    "stretches": (
        "Stretches: exercises that no later lesson needs. Do they count?",
        dict(
            zip(
                STRETCHES,
                ("like any other exercise", "on top of the full points", "they are not handed out"),
                strict=True,
            )
        ),
    ),
    "questions": (
        "Questions in words, about four a lesson. Who grades them?",
        dict(
            zip(QUESTIONS, ("you do", "whoever answers has the point", "they are not handed out"), strict=True),
        ),
    ),
}

FILE = """\
# What this class counts, as it was chosen when the course was made. The notebooks in source/ were made by it, and the
# students' package, progress() and the reports read it. To choose otherwise before the first release, make another
# course: autograder classroom init ANOTHER --choices $name
stretches = "$stretches"  # $all_stretches
questions = "$questions"  # $all_questions
lessons = [$lessons]
"""


def choose(given: Sequence[str], *, file: str = "", stretches: str = "", questions: str = "") -> Choices:
    """What a class counts.

    Args:
        given: names of lessons; none means all.
        file: a file of choices. What is said besides goes before it.
        stretches: one of `STRETCHES`, or "".
        questions: one of `QUESTIONS`, or "".

    Raises:
        Problem: when the file says something else than it may, or there is no such lesson.
    """
    try:
        return _chosen(given, file, stretches, questions)
    except lessons.UnknownLesson as problem:
        if homes.own() is not None:  # its lessons are among those that were looked through
            raise
        beside = Path(file).parent / homes.FOLDER if file else Path("/nowhere")
        where = shlex.quote(str(beside)) if beside.is_dir() else "FOLDER"
        raise Problem(f"{problem} If it is a lesson of your own, say where it lies: --with {where}") from None


def _chosen(given: Sequence[str], file: str, stretches: str, questions: str) -> Choices:
    found = in_file(Path(file)) if file else Choices()
    if not (file or given or stretches or questions) and sys.stdin.isatty():
        try:
            return asked()
        except EOFError:
            raise Problem("The questions were not all answered. Nothing was made.") from None
    return replace(
        found,
        stretches=stretches or found.stretches,
        questions=questions or found.questions,
        lessons=_stems(given or found.lessons),
    )


def in_file(path: Path) -> Choices:
    """The choices in a file.

    Raises:
        Problem: when it cannot be read, or says something else than it may.
    """
    try:
        found = choices.read(path)
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror}.") from None
    except BadChoices as error:
        raise Problem(f"{path}: {error}.") from None
    return replace(found, lessons=_stems(found.lessons) if found.lessons else ())


def of_course(course: Path) -> Choices:
    """What the class of a course counts; everything, by hand, in a course that was made without choices.

    Raises:
        Problem: when its file was changed to something else than it may say.
    """
    path = course / choices.FILE
    return in_file(path) if path.is_file() else Choices()


def _stems(given: Sequence[str]) -> tuple[str, ...]:
    """Lessons in the order of the course, each once; all of them where none is named."""
    return tuple(sorted({lessons.stem_of(one) for one in given})) or tuple(lessons.source_stems())


def text_of(made: Choices) -> str:
    """Choices as the text of a file; with the deadlines, which only a package has."""
    words = {
        "name": choices.FILE,
        "stretches": made.stretches,
        "questions": made.questions,
        "all_stretches": ", ".join(f'"{one}"' for one in STRETCHES),
        "all_questions": ", ".join(f'"{one}"' for one in QUESTIONS),
        "lessons": ", ".join(f'"{one}"' for one in made.lessons),
    }
    due = [f'{stem} = "{when}"' for stem, when in made.deadlines.items()]
    return Template(FILE).substitute(words) + "\n".join(["", "[deadlines]", *due, ""] if due else [])


# On a terminal -------------------------------------------------------------------------


def asked(ask: Callable[[str], str] = input) -> Choices:
    """What a person answers, question by question; an empty answer takes the first of each."""
    print("Three questions. Enter takes the first of each. They can be answered anew until something is handed out.\n")
    stretches, questions = (_pick(ask, *WHAT[name]) for name in ("stretches", "questions"))
    return Choices(stretches, questions, _ask_lessons(ask))


def _pick(ask: Callable[[str], str], question: str, ways: dict[str, str]) -> str:
    print(question)
    for number, (name, words) in enumerate(ways.items(), start=1):
        print(f"  {number}  {name}: {words}")
    names = list(ways)
    while True:
        answer = ask("> ").strip() or "1"
        if answer in names:
            return answer
        if answer.isdecimal() and 0 < int(answer) <= len(names):
            return names[int(answer) - 1]
        print(f"{answer!r} is none of 1 to {len(names)}.")


def _ask_lessons(ask: Callable[[str], str]) -> tuple[str, ...]:
    print(f"Lessons: {', '.join(lessons.source_stems())}")
    print("Which? Numbers with spaces between, such as 00 01 02. Stand-ins take the place of what is left out.")
    while True:
        answer = ask("> ").split()
        try:
            return _stems(answer)
        except Problem as problem:
            print(problem)
