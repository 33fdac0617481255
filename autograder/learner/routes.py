"""Ways through the course for whoever has less time than all of it takes, with the hours of the lessons' headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from autograder import registry
from autograder.learner.choices import Choices

MINUTES = re.compile(r"\*About (\d+) minutes")
HEAD = 6000
"""Characters of a lesson in which its header stands."""


@dataclass(frozen=True)
class Route:
    """A way through the course.

    Attributes:
        name: what it leads to.
        lessons: the lessons on it, by their stems, in the order of the course.
        missed: lesson left out that one on the way builds on → what comes of that.
    """

    name: str
    lessons: tuple[str, ...]
    missed: Mapping[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> list[str]:
        """The lessons that are not on it."""
        return [one for one in registry.lessons() if one not in self.lessons]

    @property
    def minutes(self) -> int:
        """How long it takes, by the lessons' headers, without stretches."""
        return sum(minutes(one) for one in self.lessons)

    def minutes_left(self, done: Iterable[str]) -> int:
        """The same without the lessons that are done."""
        there = set(done)
        return sum(minutes(one) for one in self.lessons if one not in there)


BLOCKS = (
    "start_here",
    "layer_norm",
    "attention",
    "multi_head_attention",
    "positional_encoding",
    "feed_forward",
    "encoder",
)
"""What every way begins with: the blocks that all Transformers are made of."""

ROUTES = (
    Route(
        "a language model",
        (*BLOCKS, "tokenization", "gpt"),
        {"decoding": "`sample_next` is a stand-in; the first half of 11 builds it"},
    ),
    Route(
        "translation",
        (
            *(*BLOCKS, "decoder", "transformer"),
            *("optimization", "training", "decoding", "translation"),
        ),
    ),
    Route(
        "an encoder and search",
        (*BLOCKS, "tokenization", "bert", "fine_tuning", "semantic_matching"),
        {
            "gpt": "`GPT`, with which 15 is compared, is a stand-in",
            "optimization": "`decay_groups` is a stand-in",
            "training": "the loops that train are given",
        },
    ),
)


def routes(choices: Choices | None) -> list[Route]:
    """The ways whose lessons are all there, and handed out where a class has chosen."""
    return [one for one in ROUTES if all(_is_there(lesson, choices) for lesson in one.lessons)]


def _is_there(lesson: str, choices: Choices | None) -> bool:
    there = lesson in registry.lessons() and minutes(lesson) > 0
    return there and (choices is None or choices.has(registry.notebook_stem(lesson)))


@cache
def minutes(lesson: str) -> int:
    """The minutes that a lesson's header says; 0 where it cannot be read."""
    stem = registry.notebook_stem(lesson)
    course = registry.home(lesson) / "course"
    found = (_said(path) for path in (course / "lessons" / f"{stem}.md", course / f"{stem}.ipynb"))
    return next((one for one in found if one), 0)


def _said(path: Path) -> int:
    try:
        with path.open(encoding="utf-8") as file:
            found = MINUTES.search(file.read(HEAD))
    except (OSError, UnicodeDecodeError):
        return 0
    return int(found[1]) if found else 0


def in_hours(count: int) -> str:
    """Minutes as hours: "about 13 hours"."""
    hours = max(1, round(count / 60))
    return f"about {hours} hour{'s' if hours > 1 else ''}"


def numbers(lessons: Iterable[str]) -> str:
    """Lessons by their numbers, neighbours together: "00 to 06, 13, 14"."""
    runs: list[list[str]] = []
    known = registry.lessons()
    for lesson in sorted(lessons, key=known.index):
        if runs and known.index(lesson) == known.index(runs[-1][-1]) + 1:
            runs[-1].append(lesson)
        else:
            runs.append([lesson])
    return ", ".join(_run(one) for one in runs)


def _run(lessons: list[str]) -> str:
    ends = [registry.notebook_stem(one)[:2] for one in (lessons[0], lessons[-1])]
    return ends[0] if len(lessons) == 1 else f"{ends[0]} to {ends[1]}" if len(lessons) > 2 else ", ".join(ends)
