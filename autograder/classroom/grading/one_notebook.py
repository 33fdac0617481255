"""Grades one submission: its code runs in the sandbox, the points are decided out here."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.classroom.grading.box import Answer, Box, Infrastructure, Submission
from autograder.classroom.grading.grades import CellNote, Grade, Result
from autograder.classroom.grading.one_exercise import Decider, Decision
from autograder.classroom.grading.plan import Plan, Task
from autograder.classroom.grading.submission import MAX_CELL, Handed, Malformed, Step, parse, read
from autograder.learner.examine import GRADING_DRAWS
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.outcome import Raised
from autograder.reporting.report import Report
from autograder.reporting.report_html import html

NO_ANSWERS = "No module named 'autograder.judging.answers'"


@dataclass(frozen=True)
class Secret:
    """Where seeds come from: a number that never enters a sandbox.

    One secret serves a whole batch: everyone gets the same draws, and the reference is run on them once. Each probe has
    seeds of its own, so that none is known before its probe's turn.
    """

    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def seeds(self, exercise: Exercise, probe: Probe) -> Sequence[int]:
        """The seeds of a probe's draws."""
        texts = (f"{exercise.lesson}/{exercise.name}/{probe.name}/{number}" for number in range(GRADING_DRAWS))
        digests = (hashlib.blake2b(text.encode(), key=self.key, digest_size=8).digest() for text in texts)
        return tuple(int.from_bytes(one, "big") >> 1 for one in digests)


def grade_file(path: Path, plan: Plan, box: Box, secret: Secret) -> Grade:
    """Grade a notebook.

    Args:
        path: the file.
        plan: what its lesson asks for.
        box: a sandbox for that lesson.
        secret: where the seeds come from.

    Returns:
        The grade, whatever the file holds.

    Raises:
        Infrastructure: when the sandbox fails.
    """
    start = time.monotonic()
    try:
        handed = parse(read(path), plan)
    except Malformed as problem:
        grade = malformed(str(path), plan, str(problem))
    else:
        with box.submission() as submission:
            grade = _Run(plan, handed, submission, box, secret).grade(str(path))
    grade.isolation = "sandbox" if box.sandboxed else "none"
    grade.seconds = time.monotonic() - start
    return grade


def malformed(file: str, plan: Plan, why: str) -> Grade:
    """The grade of what is no notebook."""
    results = [
        Result(task.exercise.name, name, "malformed", 0.0, task.points, text=why) for name, task in plan.tasks.items()
    ]
    return Grade(file, plan.stem, "malformed", why, results)


def undecided(file: str, plan: Plan, why: str) -> Grade:
    """The grade when the sandbox failed: no points, and no zeros either."""
    results = [
        Result(task.exercise.name, name, "infrastructure", None, task.points, text=why)
        for name, task in plan.tasks.items()
    ]
    return Grade(file, plan.stem, "infrastructure", why, results)


class _Run:
    """One submission on its way through its cells."""

    def __init__(self, plan: Plan, handed: Handed, submission: Submission, box: Box, secret: Secret) -> None:
        self.plan = plan
        self.handed = handed
        self.submission = submission
        self.limits = box.limits
        self.secret = secret
        self.notes: dict[str, CellNote] = {}
        self.decided: dict[str, bool] = {}
        self.postponed: set[str] = set()

    def grade(self, file: str) -> Grade:
        """Go through all steps."""
        grade = Grade(file, self.plan.stem, flags=list(self.handed.flags))
        for step in self.handed.steps:
            if step.kind == "run":
                self._run_cell(step)
            else:
                grade.results.append(self._check(self.plan.tasks[step.name]))
        grade.results = [self._once_more(one) if one.grade_id in self.postponed else one for one in grade.results]
        order = list(self.plan.tasks)
        grade.results.sort(key=lambda result: order.index(result.grade_id))
        grade.cells = list(self.notes.values())
        return grade

    def _late(self) -> bool:
        return self.submission.spent > self.limits.notebook

    def _run_cell(self, step: Step) -> None:
        name = step.name or f"cell {step.number}"
        if self._late():
            self.notes[name] = CellNote(name, "timeout", f"the notebook used up its {self.limits.notebook:g} s")
            return
        answer = self.submission.ask({"do": "cell", "text": step.text}, self.limits.cell, stays=True)
        note = _note_of(name, answer)
        if note is not None:
            self.notes[name] = note

    def _check(self, task: Task) -> Result:
        start = time.monotonic()
        if self._late():
            words = f"the notebook used up its {self.limits.notebook:g} s before this check"
            result = self._without_report(task, "timeout", words)
        else:
            result = self._look_and_decide(task)
        self.decided[task.exercise.name] = result.status == "ok"
        result.seconds = time.monotonic() - start
        return result

    def _once_more(self, result: Result) -> Result:
        """Decide again at the end, when no answer has to be kept back any more."""
        again = self._check(self.plan.tasks[result.grade_id])
        better = (again.points or 0.0) > (result.points or 0.0) or bool(again.mistake and not result.mistake)
        return again if better else result

    def _look_and_decide(self, task: Task) -> Result:
        exercise = task.exercise
        others = [one.exercise.name for one in self.plan.tasks.values() if one is not task]
        answer = self.submission.ask({"do": "look", "name": exercise.name, "others": others}, self.limits.probe)
        seen = answer.value if type(answer.value) is dict else {}
        if answer.status != "answered":
            return self._without_report(task, answer.status, answer.words)
        if not seen.get("defined"):
            return self._undefined(task)
        if not seen.get("callable") or seen.get("instance"):
            return self._without_report(task, "wrong", _unusable(exercise, seen))
        # A part whose cell was stopped, or failed, is lost to what is built on it; that costs only the part itself.
        stopped = {note.grade_id for note in self.notes.values()}
        same_home = [name for name in others if name in _strings(seen.get("same_home")) | stopped]
        decider = Decider(exercise, self.submission, self.secret.seeds, self.limits, self.decided)
        try:
            result = self._result(task, decider.decide(same_home, as_handed_out=self._as_handed_out(exercise)))
            if decider.withheld and result.status != "ok":
                self.postponed.add(task.grade_id)
            return result
        except Infrastructure:
            raise
        except Exception as error:  # a fault of ours in one exercise: no zero, and the others are decided
            words = f"The check itself failed: {type(error).__name__}: {error}"[:300]
            return Result(exercise.name, task.grade_id, "infrastructure", None, task.points, text=words)

    def _undefined(self, task: Task) -> Result:
        """The name does not exist: its cell failed, was not written, or calls it otherwise."""
        name = task.exercise.name
        note = self.notes.get(name)
        if note is not None:
            return self._without_report(task, note.status, f"Its cell failed: {note.words}")
        if self.handed.untouched(self.plan, name):
            return self._without_report(task, "not attempted", "Its cell was not written.")
        return self._without_report(task, "not defined", f"The notebook defines no {name}.")

    def _without_report(self, task: Task, status: str, words: str) -> Result:
        report = Report(task.exercise.name, "unusable", 0.0, task.exercise.points, message=words)
        return Result(task.exercise.name, task.grade_id, status, 0.0, task.points, text=str(report), html=html(report))

    def _result(self, task: Task, decision: Decision) -> Result:
        report = decision.report
        exercise = task.exercise
        points = report.points * task.points / exercise.points
        result = Result(exercise.name, task.grade_id, self._status(exercise, decision), points, task.points)
        result.mistake = "" if result.status == "not attempted" else report.mistake or ""
        result.text, result.html = str(report), html(report)
        forbidden = report.verdict.forbidden if report.verdict else []
        result.flags = [f"calls {name}, which the exercise forbids" for name in forbidden]
        return result

    def _status(self, exercise: Exercise, decision: Decision) -> str:
        report = decision.report
        if report.passed:
            return "ok"
        if report.status == "blank" or (not report.points and self._as_handed_out(exercise)):
            return "not attempted"
        for answer in decision.lost:
            return answer.status
        raised = _raised(report)
        if any("OutOfMemory" in one.kinds for one in raised):
            return "out of memory"
        told = raised and not report.mistake and "TooLarge" not in raised[0].kinds
        return "exception" if told else "wrong"

    def _as_handed_out(self, exercise: Exercise) -> bool:
        return exercise.name in self.handed.texts and self.handed.untouched(self.plan, exercise.name)


def _raised(report: Report) -> list[Raised]:
    """The exceptions in a report, when the first thing that differs is one."""
    got = [finding.difference.got for finding in report.failures if finding.difference]
    return [one for one in got if isinstance(one, Raised)] if got and isinstance(got[0], Raised) else []


def _note_of(name: str, answer: Answer) -> CellNote | None:
    """What there is to say of a cell; nothing when it just ran, or still holds the blank."""
    if answer.status != "answered":
        return CellNote(name, answer.status, answer.words)
    told = answer.value if type(answer.value) is dict else {}
    error, message = (_short(told.get(one)) for one in ("error", "message"))
    # A check that someone calls in a cell of their own finds nothing to compare with in there.
    if not error or error == "NotImplementedError" or NO_ANSWERS in message:
        return None
    line = told.get("line")
    where = f" (line {line})" if type(line) is int and 0 < line < MAX_CELL else ""
    if error == "MemoryError" or "can't allocate memory" in message:
        return CellNote(name, "out of memory", message + where)
    return CellNote(name, "exception", message + where)


def _short(given: object) -> str:
    """A text that student code may have made up."""
    return given[:1000] if type(given) is str else ""


def _unusable(exercise: Exercise, seen: dict[str, Any]) -> str:
    if seen.get("instance"):
        return f"`{exercise.name}` is a finished object. It should be the class itself."
    return f"`{exercise.name}` is a {str(seen.get('type'))[:100]}, and should be a function or a class."


def _strings(given: object) -> set[str]:
    return {one for one in given if type(one) is str} if type(given) is list else set()


__all__ = ["Infrastructure", "Secret", "grade_file", "malformed", "undecided"]
