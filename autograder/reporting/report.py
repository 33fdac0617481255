"""The report: what the learner sees, and what nbgrader reads.

One object with three faces: `text/html` for a notebook, `text/plain` for nbgrader (the number of points and nothing
else) and `str(report)` for a terminal.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from autograder.judging.decision import Decision
from autograder.judging.judge import Finding, Verdict
from autograder.probing.outcome import Raised
from autograder.reporting.bonus import BONUS_TYPE, bonus_data
from autograder.reporting.causes import cause, usual
from autograder.reporting.folds import Offer
from autograder.reporting.leads import Paragraph, counts, faults_left, lead, shown
from autograder.reporting.probe_text import probe_text
from autograder.reporting.report_html import Shown, html
from autograder.reporting.thrown_away import thrown_away
from autograder.reporting.words import describe

NOT_ATTEMPTED = "Not attempted: its cell is as it was handed out."
"""What is said of an exercise that nobody has written in."""

HUNT = Paragraph(
    NOT_ATTEMPTED,
    "Below is the first thing that goes wrong with this code. Write what you suspect beside its lines, as comments, or "
    "change them; then run the cell and check again, and what is found gets its name.",
)

WHERE = (
    "Where they are is not said yet. Mend what you have found and check again; or check the same code again, and the "
    "first that is left is shown."
)

FOR_PAGES = "application/vnd.transformer-course.report+json"
"""The kind of data by which a page of ours knows a report again; notebooks show nothing of it."""


@dataclass
class Report:
    """What came of a check.

    Attributes:
        exercise: the exercise's name.
        status: "passed", "wrong", "blank", "shortcut", "interrupted", or "unusable" when there was nothing to run.
        points, max_points: earned and possible.
        verdict: the judge's findings; None when there was nothing to run.
        message: what to say when there was nothing to run.
        printed: what the learner's code printed or warned.
        notes: further lines (what was saved, what comes next, whose fault a failure is).
        seen: what was seen in the text of code that is wrong.
        bonus: whether the points come on top of the full ones.
        as_given: whether it is a repair that nobody has begun; what is wrong with it is not named then.
        counted: whether, of code with many faults, it is only said how many are left.
        offers: what to do next, where somebody sits at a notebook.
    """

    exercise: str
    status: str
    points: float
    max_points: float
    verdict: Verdict | None = None
    message: str = ""
    printed: str = ""
    notes: list[str] = field(default_factory=list)
    seen: list[Paragraph] = field(default_factory=list)
    bonus: bool = False
    as_given: bool = False
    counted: bool = False
    offers: list[Offer] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether everything held."""
        return self.status == "passed"

    @property
    def mistake(self) -> str | None:
        """The name of the mistake that explains the outcome, "a + b" for a pair, None when none does."""
        found = self.verdict.mistakes if self.verdict else ()
        return " + ".join(mistake.name for mistake in found) or None

    @property
    def failures(self) -> list[Finding]:
        """What failed, first rung first."""
        return self.verdict.failures if self.verdict else []

    @property
    def headline(self) -> str:
        """Name and points: "LayerNorm · 1 of 4 points"."""
        unit = "point" if self.max_points == 1 else "points"
        return f"{self.exercise} · {self.points:g} of {self.max_points:g} {unit}{', a bonus' if self.bonus else ''}"

    def out_of(self, points: float) -> Report:
        """The same, where full marks are as many points as this."""
        earned = round(self.points * points / self.max_points, 2)
        return replace(self, points=earned, max_points=points)

    @property
    def paragraphs(self) -> list[Paragraph]:
        """What it says first."""
        if self.verdict is None:
            return [Paragraph("", self.message)]
        if self.counted:
            return [Paragraph(faults_left(self.verdict), WHERE)]
        return [HUNT] if self.as_given else [*lead(self.verdict), *self.seen]

    @property
    def says(self) -> str:
        """What it says first, in a line: the mistakes, or that there is none."""
        if self.as_given:
            return NOT_ATTEMPTED
        mistakes = self.verdict.mistakes if self.verdict and not self.counted else ()
        first = self.paragraphs[: max(len(mistakes), 1)]
        return " ".join(one.title or one.text.partition(". ")[0].rstrip(".") + "." for one in first)

    @property
    def first(self) -> Finding | None:
        """The failure that it shows in full."""
        return shown(self.verdict) if self.verdict and not self.counted else None

    @property
    def explanation(self) -> list[str]:
        """That failure in sentences, with what an exception usually means in this exercise."""
        if self.first is None or self.verdict is None:
            return []
        raised = self.first.difference.got if self.first.difference else None
        hides_the_rest = self.verdict.exercise.hunt and isinstance(raised, Raised)
        if self.as_given or (self.verdict.mistakes and not hides_the_rest):  # what is wrong is said, or to be found
            return describe(self.first)
        here = usual(raised, self.verdict.exercise.known_traps) if isinstance(raised, Raised) else ""
        if not isinstance(raised, Raised) or not here:
            return describe(self.first)
        general = cause(raised)
        lines = [line for line in describe(self.first) if line != general]
        return [*lines, f"Most often in this exercise: {here}"]

    @property
    def code(self) -> tuple[str, str]:
        """What the code that computed this calls the learner's part, and that code; empty when no probe did."""
        if self.first is None or self.verdict is None:
            return "", ""
        probes = [probe for probe in self.verdict.exercise.probes if probe.name == self.first.name]
        called, text = probe_text(probes[0]) if probes else ("", "")
        of = "yours" if called == self.exercise else f"your `{self.exercise}`"  # a repair shares another's probes
        return (f"`{called}` is {of}", text) if text else ("", "")

    @property
    def counts(self) -> str:
        """How many checks hold; empty when nothing ran."""
        return counts(self.verdict) if self.verdict and not self.counted else ""

    def __str__(self) -> str:
        lines = [self.headline]
        lines += [f"{one.title} {one.text}".strip() for one in self.paragraphs]
        if self.first:
            lines.append(f"To look at first: {self.first.says}. {' '.join(self.explanation)}")
            lines.append(self.counts)
        lines += self.notes
        if self.printed.strip():
            lines.append("Your code printed:\n" + self.printed.rstrip())
        return "\n".join(lines)

    def as_data(self) -> dict[str, Any]:
        """What a program may want to know of it, as plain data."""
        first = {"check": self.first.says, "explanation": self.explanation} if self.first else None
        return {
            "exercise": self.exercise,
            "status": self.status,
            "points": self.points,
            "max_points": self.max_points,
            "mistake": self.mistake or "",
            "says": [f"{one.title} {one.text}".strip() for one in self.paragraphs],
            "first_failure": first,
            "notes": list(self.notes),
            "text": str(self),
        }

    def __repr__(self) -> str:
        return repr(0.0 if self.bonus else float(self.points))

    @property
    def html(self) -> str:
        """The report as one self-contained piece of HTML."""
        return html(
            Shown(
                self.status,
                self.headline,
                self.paragraphs,
                self.first,
                self.explanation,
                self.code,
                self.counts,
                self.notes,
                self.printed,
                self.offers,
            )
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        shown = {
            "text/plain": repr(self),
            "text/html": self.html,
            FOR_PAGES: {"status": self.status, "says": self.says},
        }
        return {**shown, BONUS_TYPE: bonus_data(self.points)} if self.bonus else shown


def report_of(decision: Decision, printed: str = "", source: str = "") -> Report:
    """The report on what was decided.

    Args:
        decision: what to report.
        printed: what the learner's code printed or warned.
        source: its text, where that is known.
    """
    verdict = decision.verdict
    exercise = verdict.exercise
    report = Report(exercise.name, verdict.status, verdict.points, exercise.points, verdict, printed=printed)
    report.notes += decision.notes
    report.seen += filter(None, [thrown_away(source) if verdict.status == "wrong" and not exercise.shows else None])
    return report
