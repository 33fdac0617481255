"""Stand-ins that are lent to the sandbox: the text of one, with what it needs, and nothing else of its lesson.

A sandbox holds no stand-ins of the lesson that is graded, as these would be answers. When an exercise fails because an
earlier one is wrong, it is run again with that one replaced. By then the earlier one is decided, so its stand-in may be
seen; those of exercises that are still to come may not.
"""

from __future__ import annotations

from collections.abc import Collection

from autograder import registry
from autograder.probing.exercise import Exercise
from autograder.sandbox.excerpt import closure, defined, excerpt

Loan = tuple[str, str]
"""A module's text, and the name in it that is lent."""


def loan(exercise: Exercise, decided: Collection[str]) -> Loan | None:
    """The stand-in of an exercise as a text of its own.

    Args:
        exercise: what is to be replaced.
        decided: the exercises that have been decided on, and may be shown.

    Returns:
        None when there is no stand-in, or it needs one that may not be shown.
    """
    if exercise.reference not in defined(exercise.lesson):
        return None
    known = registry.exercises(exercise.lesson)
    # A repair shares its answer with another exercise, and may be still to come when that one is decided.
    hidden = {one.reference for one in known if one.name not in decided}
    if closure(exercise.lesson, exercise.reference) & hidden:
        return None
    return excerpt(exercise.lesson, [exercise.reference]), exercise.reference
