"""`milestone`: the cell of a lesson that shows what a model has learned leaves its picture for the course map."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from typing import TypeVar

from autograder.learner import library
from autograder.learner.choices import chosen
from autograder.learner.collect import source_of
from autograder.learner.made_of import Parts
from autograder.learner.milestones import FILE, Standings, left_by_runs, picture_path
from autograder.learner.notebook import graded, is_own, namespace

T = TypeVar("T")


def milestone(name: str, shown: T) -> T:
    """Show what the learner's code did in a run, and keep the picture where it was the learner's own code throughout.

    Args:
        name: of the milestone, such as "reverses".
        shown: a picture, or a text.

    Returns:
        What was given, so that a cell can end with it.
    """
    from course.training import quick

    if not quick() and not graded():  # a rehearsal has trained nothing
        try:
            print(_kept(name, shown))
        except OSError as error:
            print(f"The picture could not be kept: {error.strerror or error}.")
    return shown


def _kept(name: str, shown: object) -> str:
    """Keep the picture, and say so, or why not."""
    standing = Standings().of(name)
    if standing is None:
        return f"There is no milestone {name!r} here."
    others = [one for one in standing.milestone.exercises(chosen()) if _is_another(one)]
    if standing.missing or others:
        why = _why_not(standing.missing, others)
        return f'Milestone "{name}": not yet, as {why}, then run this cell again.'
    from autograder.learner.milestone_pictures import save

    alt = save(shown, picture_path(standing.milestone))
    left = {**left_by_runs(), name: {"day": date.today().isoformat(), "alt": alt}}
    library.write(library.home() / FILE, json.dumps(left, indent=1) + "\n")
    return f"Milestone: your own code {name}. progress() shows the picture from now on."


def _why_not(missing: Sequence[str], others: Sequence[str]) -> str:
    """What a milestone still lacks, and what to do about it."""
    named = ", ".join(missing or others)
    if len(missing or others) == 1:
        return f"{named} {'has not passed yet' if missing else 'is not the one here that passed its check'}. Check it"
    return f"{named} {'have not passed yet' if missing else 'are not those here that passed their checks'}. Check them"


def _is_another(name: str) -> bool:
    """Whether the notebook has a definition of that name with another text than the one that passed."""
    thing = namespace().get(name)
    text = source_of(thing) if is_own(thing) else None
    module = Parts().home(name)
    return text is not None and module is not None and module.definitions.get(name) != text
