"""Whether an instructor's own lesson can be given to a class: its reference runs, and its mistakes fit it.

Against a reference that raises, every hand-in that raises the same would be right, the blank one among them.
"""

from __future__ import annotations

from pathlib import Path

from autograder import homes, registry
from autograder.judging.edits import BadEdit, check_fits
from autograder.judging.judge import is_blank
from autograder.judging.oracle import LiveOracle, reference
from autograder.notebooks.problem import Problem
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.outcome import Raised
from autograder.probing.run import run_probe


def refuse_unready(lesson: str, folder: Path, then: str) -> None:
    """Raise Problem where a lesson of an instructor's own cannot be graded; the course's are tested otherwise.

    Args:
        lesson: its name, such as "pooling".
        folder: where its files lie, as a person names it.
        then: what follows from it, in a sentence.
    """
    if lesson not in registry.lessons() or registry.home(lesson) == homes.ROOT:
        return
    for exercise in registry.exercises(lesson):
        try:
            said = _of_reference(exercise) or _of_mistakes(exercise)
        except Exception as error:  # an author's slip, of any kind
            said = f"{exercise.name} cannot be tried ({type(error).__name__}: {error})."
        if said:
            raise Problem(f"{folder}: {said} `autograder dev check --in {folder}` says more. {then}")


def _of_reference(exercise: Exercise) -> str:
    if not exercise.probes:
        return f"{exercise.name} has no probe, so anything would pass."
    runs = [run_probe(probe, reference(exercise), PRACTICE[0]) for probe in exercise.probes]
    if any(map(is_blank, runs)):
        return f"The reference of {exercise.name} is not written yet."
    raised = [run.returned for run in runs if isinstance(run.returned, Raised)]
    if len(raised) < len(runs):
        return ""
    return f"The reference of {exercise.name} raises in every probe ({raised[0].kind}: {raised[0].message})."


def _of_mistakes(exercise: Exercise) -> str:
    try:
        for mistake in LiveOracle().mistakes(exercise):
            check_fits(exercise.lesson, mistake)
    except BadEdit as error:
        return f"A mistake does not fit the reference: {error}."
    return ""
