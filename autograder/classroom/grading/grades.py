"""What grading a submission gives: plain data, so that it can be kept, sent and shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

STATUSES = (
    "ok", "wrong", "exception", "timeout", "out of memory", "killed", "not attempted", "not defined", "malformed",
    "infrastructure",
)  # fmt: skip
"""What can be said of an exercise, and of a whole submission."""


@dataclass
class Result:
    """What came of one exercise, or of one test of an instructor's own.

    Attributes:
        exercise, grade_id: its name, and its check cell's; of an instructor's own test, twice its cell's.
        status: one of `STATUSES`.
        points, max_points: earned and possible; points are None when the sandbox failed, which is never a zero.
        mistake: the named mistake, "a + b" for a pair, or "".
        text, html: the report, in words and for a page.
        flags: what an instructor may want to look at.
        seconds: of wall clock.
        inside: whether the points were decided in the sandbox, by an instructor's own test.
    """

    exercise: str
    grade_id: str
    status: str
    points: float | None
    max_points: float
    mistake: str = ""
    text: str = ""
    html: str = ""
    flags: list[str] = field(default_factory=list)
    seconds: float = 0.0
    inside: bool = False


@dataclass
class CellNote:
    """What is to be said of a solution cell: an exception it raised, or that it did not come to an end."""

    grade_id: str
    status: str
    words: str


@dataclass
class Grade:
    """What came of one submission.

    Attributes:
        file: its path, as it was given.
        lesson: the lesson's notebook, such as "01_layer_norm".
        status: "ok" when all that was handed in could be run; "malformed" or "infrastructure" otherwise.
        words: why not.
        results: one for every exercise.
        cells: what went wrong in cells.
        flags: what an instructor may want to look at.
        isolation: "sandbox" or "none".
        lacks: what the sandbox lacked on the machine that graded, in sentences.
        seconds: of wall clock.
        student: who handed it in, where that is known.
        content: sha256 of what was graded; "" when nothing could be read.
    """

    file: str
    lesson: str
    status: str = "ok"
    words: str = ""
    results: list[Result] = field(default_factory=list)
    cells: list[CellNote] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    isolation: str = "sandbox"
    lacks: list[str] = field(default_factory=list)
    seconds: float = 0.0
    student: str = ""
    content: str = ""

    @property
    def points(self) -> float:
        """Earned points, without those that the infrastructure's failure left open."""
        return sum(one.points or 0.0 for one in self.results)

    @property
    def max_points(self) -> float:
        """Possible points."""
        return sum(one.max_points for one in self.results)

    @property
    def complete(self) -> bool:
        """Whether every exercise could be decided on."""
        return self.status != "infrastructure" and all(one.points is not None for one in self.results)

    def plain(self) -> dict[str, Any]:
        """As data for JSON."""
        return {**asdict(self), "points": self.points, "max_points": self.max_points}

    @classmethod
    def of(cls, given: dict[str, Any]) -> Grade:
        """From data."""
        known = {name: value for name, value in given.items() if name not in ("points", "max_points")}
        known["results"] = [Result(**one) for one in known["results"]]
        known["cells"] = [CellNote(**one) for one in known["cells"]]
        return cls(**known)


def lacking(grades: Iterable[Grade]) -> list[str]:
    """What the sandboxes lacked that graded these, each once."""
    return list(dict.fromkeys(one for grade in grades for one in grade.lacks))


def given_up(file: str, why: str, nothing: Grade) -> Grade:
    """The grade of a submission that ends its grading each time it is tried.

    Args:
        file: its path.
        why: what came of trying.
        nothing: the grade of an empty submission, which could be had in between. So the fault is this one's.
    """
    words = f"{why}; an empty submission could be graded"
    results = [replace(one, status="killed", points=0.0, text=words, html="", mistake="") for one in nothing.results]
    return replace(nothing, file=file, status="killed", words=words, results=results, cells=[], flags=[])
