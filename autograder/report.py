"""The report: what the learner sees, and what nbgrader reads.

One object with three faces: `text/html` for a notebook, `text/plain` for nbgrader (the number of points and nothing
else) and `str(report)` for a terminal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autograder.exercise import RUNGS, Mistake
from autograder.judge import Finding, Verdict
from autograder.outcome import Raised
from autograder.symptoms import symptoms
from autograder.words import describe

SYMPTOM_RUNGS = ("type", "invariants", "values", "gradients", "edges")


@dataclass(frozen=True)
class Paragraph:
    """A few sentences of a report; the title is set in bold before them."""

    title: str
    text: str = ""


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
    """

    exercise: str
    status: str
    points: float
    max_points: int
    verdict: Verdict | None = None
    message: str = ""
    printed: str = ""
    notes: list[str] = field(default_factory=list)

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
        return f"{self.exercise} · {self.points:g} of {self.max_points} {unit}"

    def __str__(self) -> str:
        lines = [self.headline]
        for paragraph in lead(self):
            lines.append(f"{paragraph.title} {paragraph.text}".strip())
        first = shown(self)
        if first:
            lines.append(f"First to fail: {first.says}. {' '.join(describe(first))}")
            lines.append(counts(self))
        lines += self.notes
        if self.printed.strip():
            lines.append("Your code printed:\n" + self.printed.rstrip())
        return "\n".join(lines)

    def __repr__(self) -> str:
        return repr(float(self.points))

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        from autograder.report_html import html

        return {"text/plain": repr(self), "text/html": html(self)}


def lead(report: Report) -> list[Paragraph]:
    """What a report says first: the mistakes in words, or what can be seen when none explains it."""
    if report.verdict is None:
        return [Paragraph("", report.message)]
    return _LEADS[report.status](report.verdict)


def shown(report: Report) -> Finding | None:
    """The finding that a report shows in full: the first that failed, unless something else says more."""
    if report.status not in ("wrong", "interrupted"):
        return None
    return report.failures[0] if report.failures else None


def counts(report: Report) -> str:
    """How many probes passed and failed, and on how many draws."""
    findings = report.verdict.findings if report.verdict else []
    failed = sum(not finding.passed for finding in findings)
    draws = report.verdict.draws if report.verdict else 0
    return f"{len(findings) - failed} of {len(findings)} checks hold, on {draws} draws of the numbers each."


def _passed(verdict: Verdict) -> list[Paragraph]:
    return [
        Paragraph(
            "",
            f"All {len(verdict.findings)} checks hold, on {verdict.draws} draws of the numbers each.",
        )
    ]


def _blank(verdict: Verdict) -> list[Paragraph]:
    return [
        Paragraph(
            "Not written yet.",
            "The cell still raises NotImplementedError. Replace that line, run the cell, then run this one again.",
        )
    ]


def _shortcut(verdict: Verdict) -> list[Paragraph]:
    names = ", ".join(f"`{name}`" for name in verdict.forbidden)
    return [
        Paragraph(
            f"Your code calls {names}.",
            "That is what this exercise asks you to build. Write it from smaller operations.",
        )
    ]


def _interrupted(verdict: Verdict) -> list[Paragraph]:
    run = next(one.got for one in verdict.failures if one.got and one.got.interrupted)
    line = f" It was at your line {run.place.number}: `{run.place.text}`." if run.place else ""
    return [
        Paragraph(
            "Stopped while your code was running.",
            f"It had not come to an end.{line} Is there a loop without one?",
        )
    ]


def _wrong(verdict: Verdict) -> list[Paragraph]:
    if verdict.mistakes:
        return _named(verdict.mistakes, verdict.unexplained)
    first = verdict.failures[0]
    if first.rung == "parameters":
        return [Paragraph("The parameters are not what they should be.")]
    if first.difference and first.difference.kind == "raised" and isinstance(first.difference.got, Raised):
        return [Paragraph(f"Your code raised {_article(first.difference.got.kind)}.")]
    seen = _symptoms(verdict.failures)
    if first.difference and first.difference.kind in ("shape", "type", "dtype", "length", "keys"):
        return [Paragraph("Something of the wrong form comes back.", " ".join(seen))]
    return [
        Paragraph(
            "No known mistake gives your numbers.",
            " ".join(["What can be seen:", *seen]) if seen else "",
        )
    ]


def _named(mistakes: Sequence[Mistake], unexplained: Sequence[Finding]) -> list[Paragraph]:
    paragraphs = []
    for mistake in mistakes:
        title, _, text = mistake.says.partition(". ")
        paragraphs.append(Paragraph(title.rstrip(".") + ".", text))
    what = "this" if len(mistakes) == 1 else "the two together"
    paragraphs.append(Paragraph("", f"Made on purpose in our own code, {what} gives exactly your numbers."))
    if unexplained:
        what = "; ".join(finding.says for finding in unexplained[:3])
        paragraphs.append(Paragraph("That is not all.", f"It does not explain what fails here: {what}."))
    return paragraphs


def _symptoms(failures: Sequence[Finding]) -> list[str]:
    """What can be seen in the first failure that shows anything."""
    for finding in sorted(failures, key=lambda one: RUNGS.index(one.rung)):
        if finding.difference is not None and finding.right and finding.got:
            seen = symptoms(finding.right.returned, finding.got.returned)
            if seen:
                return seen
    return []


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


_LEADS = {
    "passed": _passed, "blank": _blank, "shortcut": _shortcut, "interrupted": _interrupted, "wrong": _wrong,
}  # fmt: skip
