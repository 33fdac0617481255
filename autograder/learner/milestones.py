"""What the learner's own code has done: normalizes, attends, reverses, ... with the day, and a picture made by it.

A milestone rests on exercises, and counts when all of them have passed and nothing that they are made of is a stand-in.
Most need a run, too: the cell of the lesson that shows what was learned hands its picture to `milestone` (leaving.py).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from autograder import registry
from autograder.learner import library, progress_file
from autograder.learner.choices import Choices, chosen, is_handed_out
from autograder.learner.made_of import Parts

FILE = "milestones.json"
PICTURES = "pictures"


@dataclass(frozen=True)
class Milestone:
    """Something that the learner's own code does.

    Attributes:
        name: what it does, in the words of `progress()`: "reverses".
        lesson: the lesson in which it does so.
        rests: the exercises without which it would not, besides those that they are made of; none means all of the
            lesson that are no stretches.
        run: whether code alone is not enough: a model has to be trained.
    """

    name: str
    lesson: str
    rests: tuple[str, ...] = ()
    run: bool = True

    def exercises(self, choices: Choices | None) -> list[str]:
        """The names of the exercises it rests on that are handed out; none where its lesson is not."""
        if self.lesson not in registry.lessons():
            return []
        own = [one for one in registry.exercises(self.lesson) if is_handed_out(one, choices)]
        if not self.rests or not own:
            return [one.name for one in own if not one.stretch]
        every = registry.all_exercises()
        return [one.name for one in every if one.name in self.rests and is_handed_out(one, choices)]

    @property
    def file(self) -> str:
        """What its picture is called."""
        return f"{self.name.replace(' ', '_')}.png"


MILESTONES = (
    Milestone("normalizes", "layer_norm", ("normalize", "LayerNorm"), run=False),
    Milestone("attends", "attention", ("attention_scores", "causal_mask", "scaled_dot_product_attention"), run=False),
    Milestone("reverses", "transformer", ("TokenEmbedding", "make_masks", "Transformer")),
    Milestone(
        "translates",
        "translation",
        ("Transformer", "AdamW", "label_smoothed_cross_entropy", "train_step", "greedy_decode", "build_vocabulary"),
    ),
    Milestone("writes", "gpt", ("token_windows", "GPT", "init_gpt_", "next_token_loss", "generate")),
    Milestone("reads both ways", "bert", ("mask_tokens", "BERT", "MaskedLanguageHead", "masked_loss")),
    Milestone("finds", "semantic_matching", ("mean_pool", "contrastive_loss", "BiEncoder", "search")),
    Milestone("sees", "vision", ("patchify", "PatchEmbedding", "VisionTransformer", "attention_rollout")),
    Milestone("hears", "hearing", ("log_spectrogram", "AudioEmbedding", "Transcriber", "joint_loss")),
    Milestone("was repaired", "in_the_wild", run=False),
)


@dataclass(frozen=True)
class Standing:
    """Where a milestone stands.

    Attributes:
        milestone: which.
        missing: exercises that have not passed, or whose place a stand-in takes.
        day: when it was reached, as 2026-11-24; "" where it was not, or nobody knows when.
        reached: whether it was.
        alt: what is to be seen on its picture.
    """

    milestone: Milestone
    missing: tuple[str, ...]
    day: str
    reached: bool
    alt: str = ""

    @property
    def waits_for_its_run(self) -> bool:
        """Whether all code is there, and what is missing is the run."""
        return not self.missing and not self.reached


class Standings:
    """All milestones of the lessons that there are, in the order of the course."""

    def __init__(self) -> None:
        self.known = progress_file.read()
        self.choices = chosen()
        self.left = left_by_runs()

    @cached_property
    def parts(self) -> Parts:
        """What has passed, and what it is made of."""
        return Parts()

    def all(self) -> list[Standing]:
        """One for each."""
        found = ((one, one.exercises(self.choices)) for one in MILESTONES)
        return [self._standing(one, names) for one, names in found if names]

    def reached(self) -> list[Standing]:
        """Those that were reached."""
        return [one for one in self.all() if one.reached]

    def of(self, name: str) -> Standing | None:
        """The one of that name; None where its lesson is not there."""
        return next((one for one in self.all() if one.milestone.name == name), None)

    def _standing(self, milestone: Milestone, names: list[str]) -> Standing:
        left = self.left.get(milestone.name, {})
        alt = str(left.get("alt", ""))
        missing = self._missing(names)
        if missing or (milestone.run and not left):
            return Standing(milestone, missing, "", False)
        day = str(left.get("day", "")) if milestone.run else self._last_day(names)
        return Standing(milestone, (), progress_file.a_day(day), True, alt)

    def _missing(self, names: list[str]) -> tuple[str, ...]:
        open_ = [one for one in names if not self.known.get(one, {}).get("passed")]
        if open_:  # what they are made of need not be looked at yet
            return tuple(open_)
        return tuple(self.parts.borrowed(one for one in names if not registry.exercise(one).repairs))

    def _last_day(self, names: Iterable[str]) -> str:
        made = {*names, *self.parts.made_of(names)}
        days = [progress_file.a_day(self.known.get(one, {}).get("day")) for one in made]
        return max(days, default="")


def picture_path(milestone: Milestone) -> Path:
    """Where its picture is kept."""
    return library.home() / PICTURES / milestone.file


def left_by_runs() -> dict[str, dict[str, Any]]:
    """Milestone → day and words of the picture that a run has left; nothing of a damaged file."""
    try:
        found = json.loads((library.home() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    entries = found.items() if isinstance(found, dict) else ()
    return {name: entry for name, entry in entries if isinstance(entry, dict)}
