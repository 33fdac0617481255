"""An instructor's own test: run inside as nbgrader would run it, and worth what nbgrader would give for what it showed.

Student code runs in the same process, and can make the test say anything. So these points are told apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autograder.classroom.grading.box import Answer
from autograder.classroom.grading.grades import Result
from autograder.classroom.grading.plan import OwnTest
from autograder.notebooks.test_points import Showed, points
from autograder.reporting.report import Report

INSIDE = (
    "A test of your instructor's own: it ran beside your code, in the sandbox, and its points were decided there. "
    "Other points of this course are decided outside."
)

TEXTS = ("error", "message", "printed", "warned", "value")


@dataclass(frozen=True)
class Told:
    """What a test showed, as its own process tells it; student code may have made it up."""

    error: str = ""
    message: str = ""
    printed: str = ""
    warned: str = ""
    value: str = ""
    line: int = 0


def job(test: OwnTest) -> dict[str, Any]:
    """What to ask of the sandbox."""
    return {"do": "test", "text": test.text}


def result(test: OwnTest, answer: Answer, *, untouched: bool) -> Result:
    """What came of a test.

    Args:
        test: the test.
        answer: what the sandbox says.
        untouched: whether the cells that it is about are as they were handed out.
    """
    if answer.status != "answered":
        return _made(test, answer.status, 0.0, f"Your instructor's test {_stopped(answer)}.")
    told = _told(answer.value)
    if told is None:
        return _made(test, "killed", 0.0, "What came out of your instructor's test was no answer.")
    earned, odd = earned_by(test, told)
    made = _made(test, _status(test, told, earned, untouched), earned, _words(test, told, earned), told.printed)
    made.flags += [odd] if odd else []
    return made


def earned_by(test: OwnTest, told: Told) -> tuple[float, str]:
    """What nbgrader gives for it, and what is odd about that."""
    try:
        return points(Showed(told.error, told.warned, told.value), test.points), ""
    except ValueError:
        return 0.0, f"the test {test.name} gives {told.value[:50]}, which is more than its {test.points:g} points"


def _status(test: OwnTest, told: Told, earned: float, untouched: bool) -> str:
    if not told.error and earned == test.points:
        return "ok"
    if told.error == "NotImplementedError" or (untouched and not earned):
        return "not attempted"
    return "exception" if told.error not in ("", "AssertionError") else "wrong"


def _stopped(answer: Answer) -> str:
    """What became of a test that gave no answer; of its process, the sandbox tells."""
    return answer.words if answer.status == "timeout" else f"did not come to an end: {answer.words}"


def _words(test: OwnTest, told: Told, earned: float) -> str:
    if told.error:
        lines = test.text.splitlines()
        at = f" Line {told.line}: `{lines[told.line - 1].strip()}`" if 0 < told.line <= len(lines) else ""
        return f"Your instructor's test stops: {told.message or told.error}.{at}"
    if told.warned:
        return f"Your instructor's test wrote to stderr, which gives no points: {told.warned.strip()[:300]}"
    if earned == test.points:
        return "Your instructor's test holds."
    return f"Your instructor's test ran to its end. {told.value[:50]} came of it, and {test.points:g} is all."


def _made(test: OwnTest, status: str, earned: float, words: str, printed: str = "") -> Result:
    shown = {"ok": "passed", "not attempted": "blank"}.get(status, "wrong")
    report = Report(test.name, shown, earned, test.points, message=words, notes=[INSIDE], printed=printed)
    made = Result(test.name, test.grade_id, status, earned, test.points, text=str(report), html=report.html)
    made.inside = True
    return made


def _told(given: object) -> Told | None:
    """What plain data says; None when it is nothing of the kind."""
    if type(given) is not dict or any(type(given.get(one)) is not str for one in TEXTS):
        return None
    line = given.get("line")
    texts = {one: given[one][:10_000] for one in TEXTS}
    return Told(**texts, line=line if type(line) is int else 0)
