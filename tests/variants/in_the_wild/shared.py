"""What every room has: its line-up as variants of the repair, and disguises of the mistakes that all probes share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from autograder.probing.exercise import Exercise
from autograder.probing.lineup import hidden, unnamed
from tests.variants import correct, disguise, unlisted

Shows = Callable[[Callable[..., Any]], bool]


def of_the_line_up(repair: Exercise, room: str) -> None:
    """The implementations on which a probe is tried are tried on the repair's own check."""
    for one in hidden(repair.lesson, room):
        kind = disguise(repair.name, one.mistake) if one.mistake else unlisted(repair.name)
        fresh = unnamed(one.implementation)
        fresh.__name__ = one.name
        (kind if one.faulty else correct(repair.name))(fresh)


def of_all_probes(exercise: Exercise, shows: Shows) -> None:
    """Disguises of what `mistakes/of_probes.py` holds.

    Args:
        exercise: what is handed in is a probe.
        shows: a right one that is not the reference.
    """

    @disguise(exercise.name, "accuses nobody")
    def compares_nothing(implementation: Callable[..., Any]) -> bool:
        try:
            return implementation is None
        finally:
            shows(implementation)

    @disguise(exercise.name, "accuses everybody")
    def compares_with_chance(implementation: Callable[..., Any]) -> bool:
        return not (shows(implementation) and not shows(implementation))

    @disguise(exercise.name, "the answer is turned round")
    def holds(implementation: Callable[..., Any]) -> bool:
        found = shows(implementation)
        return found is False

    @disguise(exercise.name, "raises instead of answering")
    def as_a_test(implementation: Callable[..., Any]) -> None:
        if shows(implementation):
            raise AssertionError("the fault is there")

    @disguise(exercise.name, "nothing said of the right ones")
    def forgets_to_say(implementation: Callable[..., Any]) -> bool | None:
        for _ in range(2):
            if shows(implementation):
                return True
        return None
