"""`hint` and `reveal`: help in steps, and at the end the reference."""

from __future__ import annotations

import textwrap

from autograder import registry
from autograder.judging.oracle import has_reference
from autograder.learner import choices, progress_file
from autograder.learner.notebook import graded
from autograder.learner.released_solutions import released, when
from autograder.probing.exercise import Exercise

STEPS = ("A nudge", "A skeleton", "Nearly there")

_given: dict[str, int] = {}


class Help:
    """A piece of Markdown that displays itself in a notebook and prints in a terminal."""

    def __init__(self, title: str, text: str) -> None:
        self.title = title
        self.text = text

    def __repr__(self) -> str:
        return f"{self.title}\n{self.text}"

    def _repr_markdown_(self) -> str:
        return f"**{self.title}**\n\n{self.text}"


def hint(name: str) -> Help:
    """The next hint for an exercise: first a nudge, then a skeleton, then nearly the answer.

    Args:
        name: the exercise's name.

    Raises:
        UnknownExercise: listing the nearest names.
    """
    exercise = registry.exercise(_name(name))
    if not exercise.hints:
        return Help(exercise.name, "There is no hint for this one.")
    step = min(_given.get(exercise.name, 0), len(exercise.hints) - 1)
    _given[exercise.name] = step + 1
    last = step == len(exercise.hints) - 1
    more = f"That was the last hint. {_after_hints(exercise)}" if last else "Call again for the next step."
    title = f"{exercise.name} · {step_name(step)} ({step + 1} of {len(exercise.hints)})"
    return Help(title, f"{exercise.hints[step]}\n\n{more}")


def step_name(step: int) -> str:
    """What a hint is called, by its place."""
    return STEPS[min(step, len(STEPS) - 1)]


def _after_hints(exercise: Exercise) -> str:
    if answer(exercise):
        return f"`reveal({exercise.name!r}, give_up=True)` shows an answer."
    return f"Your instructor releases the solution {when(exercise)}."


def reveal(name: str, give_up: bool = False) -> Help:
    """The reference's source for an exercise, once yours has passed.

    Args:
        name: the exercise's name.
        give_up: show it although yours has not passed.

    Raises:
        UnknownExercise: listing the nearest names.
    """
    exercise = registry.exercise(_name(name))
    text = answer(exercise)
    if text is None:
        says = f"The solution is not in your package. Your instructor releases it {when(exercise)}"
        return Help(exercise.name, f"{says}; then install the newest package.")
    passed = progress_file.read().get(exercise.name, {}).get("passed", False)
    if graded() or not (passed or give_up):
        return Help(
            exercise.name,
            "Yours has not passed yet. `hint` gives one step at a time; "
            f"`reveal({exercise.name!r}, give_up=True)` shows the answer all the same.",
        )
    return Help(f"{exercise.name}: the reference", f"```python\n{text}```{_tried_on(exercise)}")


def _tried_on(exercise: Exercise) -> str:
    """The implementations that a probe was tried on and that the page does not show."""
    found = [(probe.says, textwrap.dedent(probe.hidden).strip()) for probe in exercise.probes if probe.hides]
    told = (f"It {says}.\n\n```python\n{text}\n```" for says, text in found)
    return "".join(f"\n\n{one}" for one in told)


def answer(exercise: Exercise) -> str | None:
    """What this edition has of an answer: the reference's, or what has been released; None where it has none yet."""
    if choices.is_package() or not has_reference():
        return released(exercise)
    return solution_of(exercise)


def solution_of(exercise: Exercise) -> str:
    """The reference's source for an exercise. Only where the reference is."""
    from autograder.judging.edits import definition, standing_with

    text = (standing_with if exercise.hunt else definition)(exercise.lesson, exercise.reference)
    marks = ("# BEGIN SOLUTION", "# END SOLUTION")
    lines = [line for line in text.splitlines() if line.strip() not in marks]
    return "\n".join(lines).strip() + "\n"


def _name(name: object) -> str:
    """`hint(LayerNorm)` is as good as `hint("LayerNorm")`."""
    return name if isinstance(name, str) else str(getattr(name, "__name__", name))
