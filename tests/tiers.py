"""How much is tried: `quick` what a change touches, `test` everything that protects a user, `all` every repetition too.

What is only repeated (seeds, the modes of a lesson, a training run) goes by turns in `test`: another day, another turn.
What a change touches is not left to its turn, as long as it touches few lessons: repeating all for half of the course
is what `all` is for, and takes hours. `--turn N` repeats a day's choice.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pytest

from autograder import registry
from autograder.probing.exercise import Exercise
from tests.variants import Variant

ROOT = Path(__file__).resolve().parent.parent
TIERS = ("quick", "test", "all")
FEW = 3
"""So many lessons are repeated in full when a change touches them: those of which it touches most files."""

ONE_A_DAY = len(registry.lessons())
"""The share of what is tried for one lesson each day, besides those that a change touches."""

T = TypeVar("T")

tier = "test"
turn = int(time.time() // 86_400)


def add_options(parser: pytest.Parser) -> None:
    """The two options."""
    parser.addoption("--tier", choices=TIERS, default="test", help="how much to try (see tests/tiers.py)")
    parser.addoption("--turn", type=int, default=turn, help="which of what goes by turns; by default the day's")


def configure(config: pytest.Config) -> None:
    """Take over what was asked for."""
    global tier, turn
    tier, turn = config.getoption("--tier"), config.getoption("--turn")


def by_turns(given: Sequence[T], share: int, days: int = 1) -> list[T]:
    """The part of what is only repeated whose turn it is: every `share`-th, and all of it in tier `all`.

    Another part's turn comes after `days`: so many that a part meets all that goes by turns faster.
    """
    return list(given) if tier == "all" else list(given[turn // days % share :: share])


def its_turn(lesson: str, share: int) -> bool:
    """Whether a lesson is tried in full: its turn has come, or something of it was touched."""
    number = registry.lessons().index(lesson)
    return tier == "all" or number % share == turn % share or lesson in most_touched(touched_files())


def most_touched(files: tuple[str, ...]) -> tuple[str, ...]:
    """The few lessons to repeat in full."""
    return touched_lessons(files)[:FEW]


@cache
def touched_lessons(files: tuple[str, ...]) -> tuple[str, ...]:
    """The lessons of which a change touches a file, first those of which it touches most."""
    parts = [set(Path(name).parts) | {Path(name).stem} for name in files]
    stems = {one: {one, registry.notebook_stem(one)} for one in registry.lessons()}
    counts = {one: sum(bool(names & found) for found in parts) for one, names in stems.items()}
    return tuple(sorted((one for one, count in counts.items() if count), key=lambda one: -counts[one]))


def touches(*folders: str) -> bool:
    """Whether a change touches anything in one of these folders, and few lessons besides."""
    files = touched_files()
    few = len(touched_lessons(files)) <= FEW
    return tier == "all" or (few and any(name.startswith(folders) for name in files))


@cache
def touched_files() -> tuple[str, ...]:
    """What has changed since the commit before the last, or since the main branch where this is another; none if git
    does not say."""
    base = _git("merge-base", "HEAD", "main")
    since = base[0] if base and base != _git("rev-parse", "HEAD") else "HEAD~1"
    return (*_git("diff", "--name-only", since), *_git("ls-files", "--others", "--exclude-standard"))


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], capture_output=True, text=True, cwd=ROOT, check=False)
    return done.stdout.split("\n")[:-1] if done.returncode == 0 else []


# Choosing tests ----------------------------------------------------------------------------


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what waits for its turn; in tier `quick` also browsers, what is slow, and lessons that the change does
    not touch.

    What is slow goes first, so that no process ends with a notebook while the other idles.
    """
    items.sort(key=is_quick)
    chosen = [one for one, is_due in zip(items, due(items), strict=True) if is_due] if _whole(config) else items[:]
    if tier == "quick":
        lessons = set(touched_lessons(touched_files())) or {registry.lessons()[turn % ONE_A_DAY]}
        chosen = [one for one in chosen if is_quick(one) and lessons_of(one) <= lessons]
    kept = set(chosen)
    config.hook.pytest_deselected(items=[one for one in items if one not in kept])
    items[:] = chosen


def _whole(config: pytest.Config) -> bool:
    """Whether all tests were asked for. What is asked for by name does not wait."""
    return [Path(one).resolve() for one in config.args] == [ROOT / "tests"]


def due(items: Sequence[pytest.Item]) -> list[bool]:
    """Of each test, whether it is tried: what is marked with `turns(share, *folders, at=day)` is each `share`-th day,
    and when a change touches one of the folders or the test itself. `at` spreads what is dear over the days.
    """
    marked = [next(one.iter_markers_with_node("turns"), None) for one in items]
    return [tier == "all" or found is None or _has_its_turn(*found) for found in marked]


def _has_its_turn(node: Any, mark: pytest.Mark) -> bool:
    share, *folders = mark.args
    return turn % share == mark.kwargs.get("at", 0) or touches(*folders, str(node.nodeid).partition("::")[0])


def is_quick(item: pytest.Item) -> bool:
    """Whether a test needs no browser and little time."""
    return item.get_closest_marker("browser") is None and item.get_closest_marker("slow") is None


def lessons_of(item: pytest.Item) -> set[str]:
    """The lessons that a test is about, by what it was parametrized with; none when it is about no lesson."""
    spec = getattr(item, "callspec", None)
    return set(_lessons(spec.params.values())) if spec else set()


def _lessons(values: Iterable[Any]) -> Iterable[str]:
    known = registry.lessons()
    stems = {registry.notebook_stem(one): one for one in known}
    for value in values:
        if isinstance(value, Exercise):
            yield value.lesson
        elif isinstance(value, Variant):
            yield registry.exercise(value.exercise).lesson
        elif isinstance(value, str) and (value in known or value in stems):
            yield stems.get(value, value)


def how_to_repeat(failed: Sequence[str]) -> list[str]:
    """The command that runs one failed test again, as it was."""
    choice = f"--tier {tier} --turn {turn}"
    return [f".venv/bin/python -m pytest {choice} '{name}'" for name in dict.fromkeys(failed)]
