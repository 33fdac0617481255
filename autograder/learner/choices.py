"""What a class counts: stretches, questions and lessons, as its instructor chose when the course was made.

The choices stand in `choices.toml`: in the course's folder, and in the package that its students install.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from autograder import registry
from autograder.probing.exercise import Exercise

FILE = "choices.toml"
STRETCHES = ("counted", "bonus", "left out")
QUESTIONS = ("by hand", "answered", "left out")

PACKAGE = Path(__file__).resolve().parent.parent


class BadChoices(ValueError):
    """A file of choices says something else than it may."""


@dataclass(frozen=True)
class Choices:
    """What a class counts.

    Attributes:
        stretches: one of `STRETCHES`: like any other exercise, on top of the full points, or not handed out.
        questions: one of `QUESTIONS`: graded by a person, a point for whoever answers, or not handed out.
        lessons: the notebooks' names, such as "01_layer_norm"; none means all.
        deadlines: notebook's name → when its solutions may come out, in words; only a students' package has them.
    """

    stretches: str = STRETCHES[0]
    questions: str = QUESTIONS[0]
    lessons: tuple[str, ...] = ()
    deadlines: dict[str, str] = field(default_factory=dict, compare=False)

    def has(self, stem: str) -> bool:
        """Whether a lesson is handed out."""
        return not self.lessons or stem in self.lessons


SKIP_IT = ", a stretch: skip it if you like"
IN_WORDS = {"counted": ", a stretch that counts", "bonus": ", a stretch: a bonus, so skip it if you like"}


def stretch_in_words(choices: Choices | None) -> str:
    """What to say behind the name of a stretch."""
    return IN_WORDS.get(choices.stretches, SKIP_IT) if choices else SKIP_IT


def is_handed_out(exercise: Exercise, choices: Choices | None) -> bool:
    """Whether a learner has an exercise's cell in a notebook: alone, always."""
    if choices is None:
        return True
    kept = not exercise.stretch or choices.stretches != "left out"
    return kept and choices.has(registry.notebook_stem(exercise.lesson))


def is_package() -> bool:
    """Whether this is what the students of a class install: without the reference, and with its choices."""
    return (PACKAGE / FILE).is_file()


def chosen() -> Choices | None:
    """What the class counts to which this process belongs; None for those who study alone.

    A students' package says it. An instructor's kernels, nbgrader's among them, start somewhere in the course's folder.
    """
    return next((found for found in map(_read, _places()) if found is not None), None)


def _places() -> Iterator[Path]:
    yield PACKAGE / FILE
    here = Path.cwd()
    yield from (folder / FILE for folder in (here, *here.parents))


def _read(path: Path) -> Choices | None:
    try:
        return read(path)
    except (OSError, BadChoices):  # no check fails for it; `classroom package` says what is wrong
        return None


def read(path: Path) -> Choices:
    """The choices in a file. What it does not say is as in `Choices`.

    Raises:
        OSError: when the file cannot be read.
        BadChoices: when it says something else than it may.
    """
    try:
        return of(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadChoices(f"it is no TOML file ({error})") from None


def of(given: dict[str, Any]) -> Choices:
    """Choices from data.

    Raises:
        BadChoices: saying what was given and what would do.
    """
    known = [one.name for one in fields(Choices)]
    unknown = [name for name in given if name not in known]
    if unknown:
        raise BadChoices(f"{unknown[0]!r} is none of {', '.join(known)}")
    for name, allowed in (("stretches", STRETCHES), ("questions", QUESTIONS)):
        if given.get(name, allowed[0]) not in allowed:
            raise BadChoices(f"{name} = {given[name]!r} is none of {', '.join(map(repr, allowed))}")
    lessons = given.get("lessons", [])
    if not isinstance(lessons, list) or not all(isinstance(one, str) for one in lessons):
        raise BadChoices('lessons is a list of names, such as ["01_layer_norm"]')
    deadlines = given.get("deadlines", {})
    if not isinstance(deadlines, dict) or not all(isinstance(one, str) for one in deadlines.values()):
        raise BadChoices('deadlines is a table of texts, such as 01_layer_norm = "2026-05-05 23:59 UTC"')
    return Choices(**{**given, "lessons": tuple(lessons)})
