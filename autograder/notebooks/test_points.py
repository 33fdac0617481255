"""What an instructor's own test is worth for what it showed: nbgrader's rule, by nbgrader's own function."""

from __future__ import annotations

from dataclasses import dataclass

from nbformat.v4 import new_code_cell, new_output


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
    from nbgrader.utils import determine_grade

    outputs = [new_output("stream", name="stderr", text=showed.warned)] if showed.warned else []
    outputs += [new_output("error", ename=showed.error, evalue="")] if showed.error else []
    outputs += [new_output("execute_result", {"text/plain": showed.value})] if showed.value else []
    place = {"grade": True, "solution": False, "points": worth}
    return float(determine_grade(new_code_cell(outputs=outputs, metadata={"nbgrader": place}))[0] or 0.0)
