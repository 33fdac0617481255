"""Stand-ins that are lent to the sandbox: the text of one, with what it needs, and nothing else of its lesson."""

from __future__ import annotations

from autograder import registry
from autograder.sandbox.excerpt import excerpt

Loan = tuple[str, str]
"""A module's text, and the name in it that is lent."""


def loan(name: str) -> Loan:
    """The stand-in of an exercise, by the exercise's name, as a text of its own."""
    exercise = registry.exercise(name)
    return excerpt(exercise.lesson, [exercise.reference]), exercise.reference
