"""Wrong ways that every exercise shares in which a probe is handed in (see `probing/lineup.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Way

Shows = Callable[[Callable[..., Any]], bool]


def everywhere(
    exercise: Exercise,
    shows: Shows,
    *,
    shown_alone: Sequence[Way | dict[str, str] | Shows],
    forms_alone: Sequence[Way] = (),
) -> None:
    """Add the mistakes that can be made in any probe.

    Args:
        exercise: what is handed in is a probe.
        shows: its reference.
        shown_alone: ways of knowing the page's fault alone.
        forms_alone: ways of looking at nothing but shapes and names, where these tell anything.
    """

    def turned(implementation: Callable[..., Any]) -> bool:
        return not shows(implementation)

    def asserts(implementation: Callable[..., Any]) -> None:
        assert not shows(implementation), "wrong"

    def asserts_and_says(implementation: Callable[..., Any]) -> bool:
        assert not shows(implementation), "wrong"
        return False

    def raises(implementation: Callable[..., Any]) -> bool:
        if shows(implementation):
            raise ValueError("wrong")
        return False

    def says_nothing_of_the_right(implementation: Callable[..., Any]) -> bool | None:
        return True if shows(implementation) else None

    exercise.mistake(
        "accuses nobody",
        "Your probe says False of every implementation, so it shows no fault. So does whoever compares an implementation with itself, looks at shapes where the shapes are right, or at something that no fault touches. What does the wrong code do otherwise than it should? Begin with the code on the page, and write a probe that says True of that.",
        accuses_nobody,
    )
    exercise.mistake(
        "accuses everybody",
        "Your probe says True of every implementation, of the right ones as well. So it does where it expects a number that depends on chance, where it is narrower than rounding or chance, or where it asks for something that nobody has promised. Try it on your own repair first: there it should say False.",
        accuses_everybody,
    )
    exercise.mistake(
        "the answer is turned round",
        "Your probe tells all of them apart, and says it the wrong way round. True means that the implementation is wrong: the probe *shows the fault*.",
        turned,
    )
    exercise.mistake(
        "raises instead of answering",
        "Your probe raises an exception where an implementation is wrong. A test does that; this probe is asked, and answers: `return True` where it shows the fault, `return False` where it does not.",
        *(_instead(one) for one in (asserts, asserts_and_says, raises)),
    )
    exercise.mistake(
        "nothing said of the right ones",
        "Your probe says True of the wrong ones, and nothing of the right ones: a function that comes to its end without a `return` gives None. Say `return False` there.",
        says_nothing_of_the_right,
    )
    exercise.mistake(
        "the shown fault alone",
        "Your probe says True of the code on the page and of what does exactly the same. Other code has another fault of this kind and passes. Do not ask whether the page's fault is there; ask whether what was promised is kept.",
        *shown_alone,
    )
    if forms_alone:
        exercise.mistake(
            "shapes and names alone",
            "Your probe accuses those alone whose results have another form. Most faults give the right shape with wrong numbers in it. Look at the numbers.",
            *forms_alone,
        )


def _instead(implementation: Callable[..., Any]) -> Way:
    return Way(instead=implementation)


def accuses_nobody(implementation: Callable[..., Any]) -> bool:
    """Says nothing of anybody."""
    return False


def accuses_everybody(implementation: Callable[..., Any]) -> bool:
    """Trusts nobody."""
    return True
