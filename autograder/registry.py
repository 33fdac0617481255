"""Finds lessons and exercises. A lesson exists by its files; there is no list to extend by hand."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from functools import cache
from pathlib import Path
from types import ModuleType

import autograder.checks
from autograder import homes
from autograder.probing.exercise import Exercise

COURSE = homes.ROOT / "course"

PAGES, NOTEBOOKS = "[0-9][0-9]_*.md", "[0-9][0-9]_*.ipynb"


class UnknownExercise(LookupError):
    """No exercise has that name."""


@cache
def lessons() -> tuple[str, ...]:
    """The stems of all lessons, in the order of the course (`"start_here"`, ...): they have checks and a page."""
    stems = {module.name for module in pkgutil.iter_modules(autograder.checks.__path__)}
    numbers = _numbers()
    return tuple(sorted(stems & numbers.keys(), key=lambda stem: numbers[stem]))


@cache
def _numbers() -> dict[str, int]:
    """Lesson stem → number, read from the names of notebooks and lesson sources."""
    folders = [COURSE, *(own / "course" for own in [homes.own()] if own)]
    names = [path for one in folders for form in (NOTEBOOKS, f"lessons/{PAGES}") for path in one.glob(form)]
    # Sources last, and higher numbers: of a lesson that has moved an older notebook may still lie there.
    names.sort(key=lambda path: (path.suffix == ".md", path.stem))
    found = (re.fullmatch(r"(\d\d)_(\w+)", path.stem) for path in names)
    return {match[2]: int(match[1]) for match in found if match}


def notebook_stem(lesson: str) -> str:
    """A lesson's notebook name without its ending: `"layer_norm"` → `"01_layer_norm"`."""
    number = _numbers().get(lesson)
    return lesson if number is None else f"{number:02d}_{lesson}"


@cache
def exercises(lesson: str) -> tuple[Exercise, ...]:
    """The exercises of a lesson in the order in which its checks define them; a folder says it in `EXERCISES`."""
    module = importlib.import_module(f"autograder.checks.{lesson}")
    found = getattr(module, "EXERCISES", vars(module).values())
    return tuple(one for one in found if isinstance(one, Exercise) and one.lesson == lesson)


def files(part: str, lesson: str) -> list[Path]:
    """What `checks`, `mistakes`, `stand_ins` or `lineups` hold for a lesson: a module, a folder's files, or nothing."""
    return files_in(home(lesson) / "autograder" / part, lesson)


def files_in(folder: Path, lesson: str) -> list[Path]:
    """What a folder holds for a lesson: a module, the files of a folder, or nothing."""
    module = folder / f"{lesson}.py"
    return [module] if module.is_file() else sorted((folder / lesson).glob("*.py"))


def home(lesson: str) -> Path:
    """Where the files of a lesson lie: in this repository, or in an instructor's own folder."""
    own = homes.own()
    is_own = own is not None and (files_in(own / "autograder" / "checks", lesson) or _has_page(own, lesson))
    return own if own is not None and is_own else homes.ROOT


def _has_page(place: Path, lesson: str) -> bool:
    return any(place.glob(f"course/lessons/[0-9][0-9]_{lesson}.md"))


@cache
def all_exercises() -> tuple[Exercise, ...]:
    """Every exercise of the course, in order."""
    return tuple(exercise for lesson in lessons() for exercise in exercises(lesson))


def exercise(name: str) -> Exercise:
    """The exercise of that name.

    Raises:
        UnknownExercise: naming the nearest names there are.
    """
    found = {one.name: one for one in all_exercises()}
    if name in found:
        return found[name]
    folded = {known.casefold(): known for known in found}
    near = [folded[one] for one in difflib.get_close_matches(str(name).casefold(), folded, 3, 0.5)]
    hint = f" Did you mean {' or '.join(near)}?" if near else f" There are: {', '.join(found)}."
    raise UnknownExercise(f"There is no exercise called {name!r}.{hint}")


@cache
def stand_in_module(lesson: str) -> ModuleType | None:
    """The lesson's parts built on torch.nn, or None where it has none."""
    name = f"autograder.stand_ins.{lesson}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        return None


def stand_in(one: Exercise) -> object | None:
    """The stand-in for an exercise, or None where there is none."""
    return getattr(stand_in_module(one.lesson), one.reference, None)


def given_part(name: str) -> object | None:
    """What a lesson gives ready-made under that name (its stand-ins list it in `GIVEN`), or None."""
    homes = (stand_in_module(lesson) for lesson in lessons())
    return next((getattr(one, name) for one in homes if name in getattr(one, "GIVEN", ())), None)
