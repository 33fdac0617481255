"""What a decision, or the lack of one, comes to in a grade: status, points, and the report in words."""

from __future__ import annotations

from autograder.classroom.grading.grades import Result
from autograder.classroom.grading.look import Look
from autograder.classroom.grading.one_exercise import LOST
from autograder.classroom.grading.plan import CheckCell, CheckOrTest
from autograder.judging.decision import Decision
from autograder.probing.exercise import Exercise
from autograder.probing.outcome import Raised
from autograder.reporting.report import NOT_ATTEMPTED, Report, report_of

STATUS_OF = {kind: status for status, kind in LOST.items()}


def result(check: CheckCell, decision: Decision, printed: str, source: str, *, untouched: bool) -> Result:
    """The result of a check that was decided.

    Args:
        check: the check.
        decision: what was decided.
        printed: what the code printed meanwhile.
        source: the text of its cell.
        untouched: whether the exercise's cell is as it was handed out.
    """
    report = report_of(decision, printed, source).out_of(check.points)
    report.bonus = check.bonus
    status = _status(report, decision, untouched)
    if status == "not attempted" and report.status != "blank":  # what is wrong with the code of a repair is our own
        return without_report(check, status, NOT_ATTEMPTED)
    made = of(check, status, report.points)
    made.mistake, made.says = report.mistake or "", report.says
    made.text, made.html = str(report), report.html
    made.flags = [f"calls {name}, which the exercise forbids" for name in decision.verdict.forbidden]
    return made


def without_report(check: CheckOrTest, status: str, words: str) -> Result:
    """The result of a check for which there was nothing to run."""
    bonus = isinstance(check, CheckCell) and check.bonus
    report = Report(check.name, "unusable", 0.0, check.points, message=words, bonus=bonus)
    made = of(check, status, 0.0, text=str(report), html=report.html)
    made.says = words
    return made


def undecidable(check: CheckCell, error: Exception, *, ours: bool) -> Result:
    """The result of a check that failed itself.

    Args:
        check: the check.
        error: how.
        ours: whether it fails for an empty submission as well. Then it is nobody's zero.
    """
    said = f"{type(error).__name__}: {error}"[:300]
    if ours:
        words = f"The check itself failed: {said}"
        return of(check, "infrastructure", None, text=words)
    made = without_report(check, "exception", f"What came out of it cannot be checked: {said}")
    made.flags = [f"the check failed on what came out ({said}), and not on an empty submission"]
    return made


def of(check: CheckOrTest, status: str, points: float | None, *, text: str = "", html: str = "") -> Result:
    """A result of a check, of whatever kind."""
    bonus = isinstance(check, CheckCell) and check.bonus
    return Result(check.name, check.grade_id, status, points, check.points, text=text, html=html, bonus=bonus)


def unusable(exercise: Exercise, seen: Look) -> str:
    """Why what a notebook has under an exercise's name cannot be checked."""
    if seen.instance:
        return f"`{exercise.name}` is a finished object. It should be the class itself."
    return f"`{exercise.name}` is a {seen.type}, and should be a function or a class."


def _status(report: Report, decision: Decision, untouched: bool) -> str:
    if report.passed:
        return "ok"
    if report.status == "blank" or (not report.points and untouched):
        return "not attempted"
    outcomes = [run.returned for run in decision.runs.values() if isinstance(run.returned, Raised)]
    lost = [STATUS_OF[one.kind] for one in outcomes if one.kind in STATUS_OF]
    if lost:
        return lost[0]
    if report.status == "shortcut":  # what it calls is closed, and so raises
        return "wrong"
    raised = _raised(report)
    if any("OutOfMemory" in one.kinds for one in raised):
        return "out of memory"
    told = raised and not report.mistake and "TooLarge" not in raised[0].kinds
    return "exception" if told else "wrong"


def _raised(report: Report) -> list[Raised]:
    """The exceptions in a report, when the first thing that differs is one."""
    got = [finding.difference.got for finding in report.failures if finding.difference]
    return [one for one in got if isinstance(one, Raised)] if got and isinstance(got[0], Raised) else []
