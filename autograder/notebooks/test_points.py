"""What an instructor's own test is worth for what it showed: nbgrader's rule, for where nbgrader is not installed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Showed:
    """What a test cell left to be seen.

    Attributes:
        error: the name of its exception; "" without one.
        warned: what it wrote to stderr.
        value: the text of its last line's value; "" for none.
    """

    error: str = ""
    warned: str = ""
    value: str = ""


def points(showed: Showed, worth: float) -> float:
    """An exception or a word on stderr is 0, a number is that many points, anything else is all of them.

    Raises:
        ValueError: when the number is more than the test is worth.
    """
    if showed.error or showed.warned:
        return 0.0
    try:
        number = float(showed.value)
    except ValueError:
        return worth
    if number > worth:
        raise ValueError(f"{number:g} is more than {worth:g}")
    return number if number >= 0 else worth  # all of them also for a negative number, and for one that is none
