"""What a submission has under an exercise's name, as its own process tells it: taken by exact type, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.sandbox.inside.channel import BadMessage

MAX_TYPE = 100
"""Characters of a type's name."""


@dataclass(frozen=True)
class Look:
    """What was seen; student code may have made it up.

    Attributes:
        defined: whether the name exists.
        callable: whether it can be called.
        instance: whether it is a finished object of a class of that name.
        type: what it is.
        parts: earlier parts that it mentions.
    """

    defined: bool
    callable: bool
    instance: bool
    type: str
    parts: frozenset[str]


def look_of(given: Any) -> Look:
    """The look that plain data stands for.

    Raises:
        BadMessage: when it is none.
    """
    kinds = {"defined": bool, "callable": bool, "instance": bool, "type": str, "parts": list}
    if type(given) is not dict or {name: type(one) for name, one in given.items()} != kinds:
        raise BadMessage("no look at a name")
    if not all(type(one) is str for one in given["parts"]):
        raise BadMessage("a part's name that is no text")
    told = {**given, "type": given["type"][:MAX_TYPE], "parts": frozenset(given["parts"])}
    return Look(**told)
