"""Grades one submission: its code runs in the sandbox, the points are decided out here."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autograder import registry
from autograder.classroom.grading import own_test, results
from autograder.classroom.grading.box import Answer, Box, Infrastructure, Submission
from autograder.classroom.grading.grades import CellNote, Grade, Result
from autograder.classroom.grading.look import look_of
from autograder.classroom.grading.one_exercise import ORACLE, Asker, decided
from autograder.classroom.grading.plan import CheckCell, CheckOrTest, OwnTest, Plan
from autograder.classroom.grading.submission import MAX_CELL, Malformed, ParsedSubmission, Step, digest, parse, read
from autograder.judging.decision import Decision, lend
from autograder.judging.lending import lendable
from autograder.learner.examine import GRADING_DRAWS
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.run import captured
from autograder.sandbox.excerpt import partners
from autograder.sandbox.inside.channel import BadMessage
from autograder.sandbox.inside.limits import Limits

EMPTY = "def {name}(*given, **named):\n    raise NotImplementedError"
"""A submission that does nothing."""


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
    start, content = time.monotonic(), ""
    try:
        raw = read(path)
        content = digest(raw)
        handed = parse(raw, plan)
    except Malformed as problem:
        grade = malformed(str(path), plan, str(problem))
    else:
        grade = _Grading(plan, handed, box, secret).grade(str(path))
    grade.isolation = "sandbox" if box.sandboxed else "none"
    grade.lacks = list(box.lacks)
    grade.seconds, grade.content = time.monotonic() - start, content
    return grade


def grade_nothing(plan: Plan, box: Box, secret: Secret) -> Grade:
    """Grade an empty submission, to learn whether anything can be graded.

    Raises:
        Infrastructure: when the sandbox fails.
    """
    steps = [Step("run", one.exercise.name, EMPTY.format(name=one.exercise.name)) for one in plan.checks.values()]
    checks = [Step("check", name) for name in plan.graded]
    return _Grading(plan, ParsedSubmission([*steps, *checks]), box, secret).grade("")


def malformed(file: str, plan: Plan, why: str) -> Grade:
    """The grade of what is no notebook."""
    return _without_running(file, plan, "malformed", 0.0, why)


def undecided(file: str, plan: Plan, why: str) -> Grade:
    """The grade when the sandbox failed: no points, and no zeros either."""
    return _without_running(file, plan, "infrastructure", None, why)


def _without_running(file: str, plan: Plan, status: str, points: float | None, why: str) -> Grade:
    found = [results.of(one, status, points, text=why) for one in plan.graded.values()]
    return Grade(file, plan.stem, status, why, found)


class _Cells:
    """Runs cells of a notebook, in order, in a submission of their own.

    Args:
        submission: the line into the sandbox.
        limits: how long things may take.
        before: seconds that the notebook has taken already.

    Attributes:
        notes: what is to be said of cells, by their names.
        lost: the numbers of cells that did not come to an end, and so left nothing behind.
    """

    def __init__(self, submission: Submission, limits: Limits, before: float = 0.0) -> None:
        self.submission = submission
        self.limits = limits
        self.notes: dict[str, CellNote] = {}
        self.lost: set[int] = set()
        self._before = before

    @property
    def spent(self) -> float:
        """Seconds that the notebook has taken, with what it took before."""
        return self._before + self.submission.spent

    @property
    def late(self) -> bool:
        """Whether the notebook has used up its time."""
        return self.spent > self.limits.notebook

    def run(self, step: Step) -> None:
        """Run a cell, if there is time."""
        name = step.name or f"cell {step.number}"
        if self.late:
            self.notes[name] = CellNote(name, "timeout", f"the notebook used up its {self.limits.notebook:g} s")
            return
        answer = self.submission.ask({"do": "cell", "text": step.text}, self.limits.cell, stays=True)
        if answer.status != "answered":
            self.lost.add(step.number)
        note = _note_of(name, answer)
        if note is not None:
            self.notes[name] = note


@dataclass(frozen=True)
class _Failed:
    """An exercise that failed by itself, and may pass with loans.

    Attributes:
        check: the cell that checks it.
        decision, printed: what was decided, and what its code printed.
        parts: the earlier parts that may be replaced.
    """

    check: CheckCell
    decision: Decision
    printed: str
    parts: list[str]


@dataclass(frozen=True)
class _Apart:
    """An exercise in whose probes the answer to another exercise is at hand: a partner, or implementations to be tried.

    Attributes:
        check: the cell that checks it.
        used: the parts that it mentions.
    """

    check: CheckCell
    used: Collection[str]


class _Grading:
    """One submission on its way: first everything by itself, then what needs others' answers beside it.

    That is an exercise with a partner, a probe that is tried on implementations, and an exercise that failed and is
    decided once more with loans. Each has a submission of its own. They come in the order of the plan, and what is
    beside an exercise stands earlier there: so none is decided after its own stand-in was in one of them, whatever they
    may find to tell each other by.
    """

    def __init__(self, plan: Plan, handed: ParsedSubmission, box: Box, secret: Secret) -> None:
        self.plan = plan
        self.handed = handed
        self.box = box
        self.limits = box.limits
        self.secret = secret
        self.spent = 0.0
        self.notes: dict[str, CellNote] = {}
        self.lost: set[int] = set()
        self.results: dict[str, Result] = {}
        self.apart: dict[str, _Apart] = {}
        self.failed: dict[str, _Failed] = {}

    def grade(self, file: str) -> Grade:
        """Go through all steps."""
        self._without_loans()
        for name in (one.name for lesson in self.plan.lessons for one in registry.exercises(lesson)):
            if name in self.apart:
                self._take_down(self.apart[name].check, self._with_partners, self.apart[name])
            if name in self.failed:
                self._take_down(self.failed[name].check, self._with_loans, self.failed[name])
        found = [self.results[name] for name in self.plan.graded]
        flags = list(self.handed.flags)
        return Grade(file, self.plan.stem, results=found, cells=list(self.notes.values()), flags=flags)

    def _take_down(self, check: CheckCell, decide: Callable[..., Result | None], *given: object) -> None:
        """Keep the result that this gives, if any. A fault of ours in one exercise is no zero, nor the others' end."""
        start, before = time.monotonic(), self.results.get(check.grade_id)
        try:
            result = decide(*given)
        except Infrastructure:
            raise
        except Exception as error:
            ours = self._fails_on_nothing(check)
            result = before if before and not ours else results.undecidable(check, error, ours=ours)
        if result is not None:
            result.seconds = time.monotonic() - start + (before.seconds if before else 0.0)
            self.results[check.grade_id] = result

    def _fails_on_nothing(self, check: CheckCell) -> bool:
        """Whether a check also fails for an empty submission: then the fault is ours."""
        name = check.exercise.name
        with self.box.submission() as submission:
            _Cells(submission, self.limits).run(Step("run", name, EMPTY.format(name=name)))
            try:
                decided(Asker(check.exercise, submission, self.secret.seeds, self.limits))
            except Infrastructure:
                raise
            except Exception:
                return True
        return False

    # By itself ---------------------------------------------------------------------

    def _without_loans(self) -> None:
        with self.box.submission() as submission:
            cells = _Cells(submission, self.limits)
            self.notes, self.lost = cells.notes, cells.lost
            for step in self.handed.steps:
                if step.kind == "run":
                    cells.run(step)
                elif step.name in self.plan.tests:
                    self.results[step.name] = self._test(self.plan.tests[step.name], cells)
                else:
                    check = self.plan.checks[step.name]
                    self._take_down(check, self._check, check, cells)
        self.spent = cells.spent

    def _check(self, check: CheckCell, cells: _Cells) -> Result | None:
        if cells.late:
            return self._late(check)
        job = {"do": "look", "name": check.exercise.name, "lendable": lendable(check.exercise)}
        answer = cells.submission.ask(job, self.limits.probe)
        if answer.status != "answered":
            return results.without_report(check, answer.status, answer.words)
        try:
            seen = look_of(answer.value)
        except BadMessage as error:
            return results.without_report(check, "killed", f"what came out was no answer: {error}")
        if not seen.defined:
            return self._undefined(check)
        if not seen.callable or seen.instance:
            return results.without_report(check, "wrong", results.unusable(check.exercise, seen))
        if partners(check.exercise) or check.exercise.shows:
            self.apart[check.exercise.name] = _Apart(check, seen.parts)
            return None
        return self._by_itself(check, cells.submission, seen.parts)

    def _test(self, test: OwnTest, cells: _Cells) -> Result:
        """Run an instructor's own test in a copy of how things stand; it leaves nothing behind."""
        if cells.late:
            return self._late(test)
        start = time.monotonic()
        answer = cells.submission.ask(own_test.job(test), self.limits.cell)
        untouched = bool(test.about) and all(self.handed.untouched(self.plan, name) for name in test.about)
        made = own_test.result(test, answer, untouched=untouched)
        made.seconds = time.monotonic() - start
        return made

    def _late(self, check: CheckOrTest) -> Result:
        words = f"the notebook used up its {self.limits.notebook:g} s before this check"
        return results.without_report(check, "timeout", words)

    def _by_itself(self, check: CheckCell, submission: Submission, used: Collection[str]) -> Result:
        ask = Asker(check.exercise, submission, self.secret.seeds, self.limits)
        untouched = self._untouched(check)
        decision, printed = decided(ask, as_handed_out=untouched)
        parts = [name for name in lendable(check.exercise) if name in used]
        if parts and decision.failed and not (untouched and decision.verdict.status == "blank"):
            self.failed[check.exercise.name] = _Failed(check, decision, printed, parts)
        return results.result(check, decision, printed, self._text(check), untouched=untouched)

    def _undefined(self, check: CheckCell) -> Result:
        """The name does not exist: its cell failed, was not written, or calls it otherwise."""
        name = check.exercise.name
        note = self.notes.get(name)
        if note is not None:
            return results.without_report(check, note.status, f"Its cell failed: {note.words}")
        if self.handed.untouched(self.plan, name):
            return results.without_report(check, "not attempted", "Its cell was not written.")
        return results.without_report(check, "not defined", f"The notebook defines no {name}.")

    def _text(self, check: CheckCell) -> str:
        return self.handed.texts.get(check.exercise.name, "")

    def _untouched(self, check: CheckCell) -> bool:
        name = check.exercise.name
        return name in self.handed.texts and self.handed.untouched(self.plan, name)

    # In a submission of its own ------------------------------------------------------

    def _with_partners(self, apart: _Apart) -> Result:
        """Decide on an exercise by itself, where nothing else is decided."""
        with self.box.submission() as submission:
            cells = self._run_before(apart.check, submission)
            late = cells.late
            made = self._late(apart.check) if late else self._by_itself(apart.check, submission, apart.used)
        self.spent = cells.spent
        return made

    def _with_loans(self, failed: _Failed) -> Result:
        """Decide on an exercise with earlier parts put right, in a submission that holds no other answer."""
        check, decision = failed.check, failed.decision
        with self.box.submission() as submission:
            cells = self._run_before(check, submission)
            if not cells.late:
                ask = Asker(check.exercise, submission, self.secret.seeds, self.limits)
                with captured():
                    decision = lend(decision, failed.parts, ORACLE, ask)
        self.spent = cells.spent
        return results.result(check, decision, failed.printed, self._text(check), untouched=self._untouched(check))

    def _run_before(self, check: CheckCell, submission: Submission) -> _Cells:
        cells = _Cells(submission, self.limits, self.spent)
        for step in self._cells_before(check):
            cells.run(step)
        return cells

    def _cells_before(self, check: CheckCell) -> Iterator[Step]:
        """The cells in front of a check. One that was lost left nothing, and would only take its time again."""
        for step in self.handed.steps:
            if step.kind == "check" and step.name == check.grade_id:
                return
            if step.kind == "run" and step.number not in self.lost:
                yield step


def _note_of(name: str, answer: Answer) -> CellNote | None:
    """What there is to say of a cell; nothing when it just ran, or still holds the blank."""
    if answer.status != "answered":
        return CellNote(name, answer.status, answer.words)
    told = answer.value if type(answer.value) is dict else {}
    error, message = (_short(told.get(one)) for one in ("error", "message"))
    if not error or error == "NotImplementedError":
        return None
    line = told.get("line")
    where = f" (line {line})" if type(line) is int and 0 < line < MAX_CELL else ""
    if error == "MemoryError" or "can't allocate memory" in message:
        return CellNote(name, "out of memory", message + where)
    return CellNote(name, "exception", message + where)


def _short(given: object) -> str:
    """A text that student code may have made up."""
    return given[:1000] if type(given) is str else ""


__all__ = ["Infrastructure", "Secret", "grade_file", "grade_nothing", "malformed", "undecided"]
