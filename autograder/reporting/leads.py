"""What a report says first: the mistakes in words, or what can be seen when none explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from autograder.judging.judge import Finding, Verdict
from autograder.probing.exercise import OWN, Exercise
from autograder.probing.lineup import WRITES
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import STOPPED, Raised
from autograder.probing.run import Run
from autograder.reporting.symptoms import symptoms
from autograder.reporting.words import article


@dataclass(frozen=True)
class Paragraph:
    """A few sentences of a report; the title is set in bold before them."""

    title: str
    text: str = ""


def lead(verdict: Verdict) -> list[Paragraph]:
    """The first paragraphs of a report."""
    return _LEADS[verdict.status](verdict)


def shown(verdict: Verdict) -> Finding | None:
    """The finding that a report shows in full: the first that failed, unless something else says more."""
    if verdict.status not in ("wrong", "interrupted"):
        return None
    if verdict.exercise.hunt and verdict.status == "wrong" and _left(verdict):
        return (_stopping(verdict) or _left(verdict))[0]
    return verdict.failures[0] if verdict.failures else None


def counts_faults(verdict: Verdict) -> bool:
    """Whether faults of a hunt are left that can be counted: an exception hides whatever else there is."""
    wrong = verdict.exercise.hunt and verdict.status == "wrong"
    return wrong and bool(_left(verdict)) and not _stopping(verdict)


def faults_left(verdict: Verdict) -> str:
    """How many of the faults of a hunt are mended, and not which."""
    many, left = sum(one.credit for one in verdict.findings), len(_left(verdict))
    mended = many - left
    are, still = (("is" if count == 1 else "are") for count in (mended, left))
    return f"{mended} of {many} faults {are} mended, {left} {still} left."


def _left(verdict: Verdict) -> list[Finding]:
    return [one for one in verdict.failures if one.credit]


def _stopping(verdict: Verdict) -> list[Finding]:
    """Those of the faults left that show an exception."""
    return [one for one in _left(verdict) if one.difference and isinstance(one.difference.got, Raised)]


def counts(verdict: Verdict) -> str:
    """How many checks pass, and with how many draws."""
    held = len(verdict.findings) - len(verdict.failures)
    many = len(verdict.findings)
    if verdict.status == "interrupted":
        return f"{held} of the {many} checks that were begun pass."
    tried = f" Each was tried with {verdict.draws} sets of random numbers." if verdict.draws > 1 else ""
    return f"{held} of {many} checks pass{_that_carry_points(verdict)}.{tried}"


def _that_carry_points(verdict: Verdict) -> str:
    """Which checks carry points, and how many of these pass: "2 of 10" beside "0 of 4 points" is a riddle."""
    if verdict.exercise.starts_wrong and not verdict.exercise.hunt:
        return "; a repair has its points when all of them do"
    if verdict.exercise.shows:
        return "; points are for the share of the wrong ones that you accuse, less that of the right ones"
    credit = [finding.passed for finding in verdict.findings if finding.credit]
    if not credit:
        return ", and none carries points by itself"
    rungs = {probe.rung for probe in verdict.exercise.probes}
    kinds = ", ".join(name for rung, name in CREDITED.items() if rung in rungs)
    do = "does" if sum(credit) == 1 else "do"
    return f"; of the {len(credit)} that carry points ({kinds}), {sum(credit)} {do}{_rounded(verdict, credit)}"


def _rounded(verdict: Verdict, credit: Sequence[bool]) -> str:
    """Why the points are not that very share."""
    if all(credit):
        return ", and the last of the points needs the others too"
    exact = verdict.points * len(credit) == verdict.exercise.points * sum(credit)
    return "" if exact else ", rounded down"


CREDITED = {"values": "values", "gradients": "gradients", "edges": "edge cases"}
"""The rungs whose checks carry points, as a reader calls them."""


def _passed(verdict: Verdict) -> list[Paragraph]:
    if verdict.exercise.shows:
        return [_told_all_apart(verdict)]
    return [
        Paragraph(
            "",
            f"All {len(verdict.findings)} checks pass, each tried with {verdict.draws} sets of random numbers.",
        )
    ]


def _told_all_apart(verdict: Verdict) -> Paragraph:
    tried = [finding for finding in verdict.findings if finding.credit]
    wrong = sum(finding.faulty for finding in tried)
    text = f"Your probe accuses all {wrong} that are wrong, and lets all {len(tried) - wrong} pass that are right."
    if has_hidden(verdict.exercise):
        return Paragraph("", f"{text} `reveal({verdict.exercise.name!r})` shows the code of each.")
    return Paragraph("", f"{text} These came with your package. Grading tries it on others as well.")


def has_hidden(exercise: Exercise) -> bool:
    """Whether implementations are at hand that the page and a student's package do not show."""
    return any(probe.hides for probe in exercise.probes)


def _blank(verdict: Verdict) -> list[Paragraph]:
    return [
        Paragraph(
            "Not written yet.",
            "The cell still raises NotImplementedError. Replace that line, run the cell, then run this one again.",
        )
    ]


def _shortcut(verdict: Verdict) -> list[Paragraph]:
    if verdict.exercise.shows:
        return [_looks_at_code(verdict.forbidden)]
    names = ", ".join(f"your `{name.removeprefix(OWN)}`" if OWN in name else f"`{name}`" for name in verdict.forbidden)
    if verdict.forbidden == ["nn.Module"]:
        text = (
            "What a model holds or computes can be seen when it is built. This exercise asks for it before: by formula."
        )
    elif not all(name.startswith(OWN) for name in verdict.forbidden):
        text = "That is what this exercise asks you to build. Write it from smaller operations."
    elif verdict.exercise.repairs:
        text = "That gives what is right and repairs nothing. Find the lines that are wrong, and change those."
    else:
        text = "It computes the same, in the way that this exercise is there to replace. Write another way."
    return [Paragraph(f"Your code calls {names}.", text)]


def _looks_at_code(seen: Sequence[str]) -> Paragraph:
    if WRITES in seen:
        return Paragraph(
            "Your probe writes into the implementation that it is given.",
            "It sets an attribute of it. Whoever else uses that function gets the changed one. Call it, and look at "
            "what comes back.",
        )
    names = ", ".join(f"`{name}`" for name in seen)
    return Paragraph(
        f"Your probe reads {names} of the implementation that it is given.",
        "That tells how it is called or written, and the same fault can be written in many ways. Look at what it does: "
        "call it with inputs of your own.",
    )


def _interrupted(verdict: Verdict) -> list[Paragraph]:
    run = next(one.got for one in verdict.failures if one.got and one.got.interrupted)
    line = f" It was at your {run.place.spot}: `{run.place.text}`." if run.place else ""
    return [
        Paragraph(
            "Stopped while your code was running.",
            f"It had not come to an end.{line} Is there a loop without one?",
        )
    ]


def _wrong(verdict: Verdict) -> list[Paragraph]:
    if counts_faults(verdict):
        return [Paragraph(faults_left(verdict)), *_first_left(verdict)]
    if verdict.mistakes and not verdict.exercise.hunt:
        return _named(verdict.mistakes, verdict.unexplained)
    first = shown(verdict) or verdict.failures[0]
    if first.rung == "parameters":
        return [Paragraph("The parameters are not what they should be.")]
    if first.difference and first.difference.kind == "raised" and isinstance(first.difference.got, Raised):
        return [Paragraph(_stopped_by(first.difference.got.kind, first.got))]
    if any(one.name == "inputs" for one in verdict.failures):
        return [_writes_into_its_input()]
    if first.difference and first.difference.kind in ("shape", "type", "dtype", "length"):
        missing = first.rung == "gradients" and first.difference.got is None
        title = "A gradient is missing." if missing else "Something of the wrong form comes back."
        return [Paragraph(title, " ".join(_seen_in(first)))]
    if verdict.exercise.shows:
        return [_taken_for_another(verdict.failures)]
    numbers = first.difference is None or isinstance(first.difference.expected, Tensor | float | int)
    return [Paragraph(f"No known mistake gives {'your numbers' if numbers else 'this'}.", _symptoms(verdict.failures))]


def _taken_for_another(failures: Sequence[Finding]) -> Paragraph:
    """Whom a learner's probe lets pass, and whom it accuses, the first of each in words."""
    missed = [one for one in failures if one.faulty]
    accused = [one for one in failures if one.credit and not one.faulty]
    titles = [
        *([f"lets {len(missed)} pass that {_is(missed)} wrong"] if missed else []),
        *([f"accuses {len(accused)} that {_is(accused)} right"] if accused else []),
    ]
    told = [f"It should have {_past(some[0].says)}." for some in (missed, accused) if some]
    return Paragraph(f"Your probe {' and '.join(titles)}.", " ".join(told))


def _is(some: Sequence[Finding]) -> str:
    return "is" if len(some) == 1 else "are"


def _past(says: str) -> str:
    return says.replace("accuses", "accused", 1).replace("lets pass", "let pass", 1)


def _stopped_by(kind: str, got: Run | None) -> str:
    if kind in STOPPED:
        return "Your code was stopped."
    if got is None or got.place is None:  # what it returned can do that, too, where a check reads it
        return f"A{article(kind)[1:]} was raised."
    return f"Your code raised {article(kind)}."


def _writes_into_its_input() -> Paragraph:
    """Told before all other symptoms: whatever uses the same input again gets other numbers because of it."""
    return Paragraph(
        "Your code writes into its own input.",
        "Whoever called it still needs that tensor. What else fails here may come from that alone. "
        "`x -= y`, `x.sub_(y)` and `x[...] = y` do this; `x = x - y` makes a new tensor.",
    )


def _named(mistakes: Sequence[Mistake], unexplained: Sequence[Finding]) -> list[Paragraph]:
    paragraphs = _with_titles(mistakes)
    what = "this mistake" if len(mistakes) == 1 else "both mistakes"
    if not unexplained:
        return [*paragraphs, Paragraph("", f"We made {what} on purpose and got exactly what your code gives.")]
    told = "; ".join(finding.says for finding in unexplained[:3])
    values = Paragraph("", f"We made {what} on purpose and got your values.")
    explain = "It does" if len(mistakes) == 1 else "They do"
    return [*paragraphs, values, Paragraph("That is not all.", f"{explain} not explain what fails here: {told}.")]


def _with_titles(mistakes: Sequence[Mistake]) -> list[Paragraph]:
    """What they say, the first sentence of each in bold."""
    halves = (mistake.says.partition(". ") for mistake in mistakes)
    return [Paragraph(title.rstrip(".") + ".", text) for title, _, text in halves]


def _first_left(verdict: Verdict) -> list[Paragraph]:
    """The first fault of a hunt that is left, by its name where it has one."""
    first = _left(verdict)[0]
    if first not in verdict.unexplained:  # mistakes stand in the order of the probes that they explain
        return _with_titles(verdict.mistakes[:1])
    seen = " ".join(_seen_in(first))
    return [Paragraph("The first that is left has no name here.", f"What can be seen: {seen}" if seen else "")]


def _symptoms(failures: Sequence[Finding]) -> str:
    """What can be seen in the first failure that shows anything; which one it is, when another is shown in full."""
    for finding in failures:
        seen = " ".join(_seen_in(finding, parts=finding is failures[0]))
        if seen:
            place = "" if finding is failures[0] else f" in the check that it {finding.says}"
            return f"What can be seen{place}: {seen}"
    return ""


def _seen_in(finding: Finding, *, parts: bool = True) -> list[str]:
    if finding.difference is None or not (finding.right and finding.got):
        return []
    return symptoms(finding.right.returned, finding.got.returned, finding.elsewhere, parts=parts)


_LEADS = {
    "passed": _passed, "blank": _blank, "shortcut": _shortcut, "interrupted": _interrupted, "wrong": _wrong,
}  # fmt: skip
