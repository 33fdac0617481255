"""`autograder dev answers`: makes stored answers anew where what they are made of has changed."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from tqdm import tqdm

from autograder import homes, registry
from autograder.dev.parallel import spread
from autograder.judging import answer_keys, answers
from autograder.notebooks import lessons


def renew(given: Sequence[str], jobs: int, *, force: bool = False) -> int:
    """Make the stored answers of lessons, and say what became of each.

    Args:
        given: names of lessons; none means all.
        jobs: processes.
        force: make those that are fresh, too.

    Returns:
        1 when answers could not be made, otherwise 0.
    """
    stems = [lessons.stem_of(one) for one in given] or all_stems()
    wanted = [lessons.lesson_of(stem) for stem in stems]
    known = registry.lessons()
    said = {one: "" if one in known else "has no checks" for one in wanted}
    stale = [one for one in wanted if one in known and (force or not is_fresh(one))]
    with tqdm(total=len(stale), unit="lesson", disable=None, file=sys.stderr, leave=False) as bar:
        for number, problem in spread(_make, stale, jobs):
            said[stale[number]] = problem
            bar.update()
    for one in wanted:
        print(f"{one}: {said[one] or ('made anew' if one in stale else 'fresh')}")
    return 1 if any(said.values()) else 0


def all_stems() -> list[str]:
    """The lessons that are meant where none is named: those of the course, or of the folder that was named."""
    own = homes.own()
    return [one for one in lessons.source_stems() if own is None or registry.home(lessons.lesson_of(one)) == own]


def is_fresh(lesson: str) -> bool:
    """Whether a lesson's stored answers are made of its checks, its mistakes and the reference as they are now."""
    return answers.made_of(answers.place(lesson)) == answers.ingredients(lesson)


def _make(lesson: str) -> str:
    """Make a lesson's answers; what kept it from doing so, if anything did."""
    try:
        answer_keys.make(lesson, answers.place(lesson))
    except Exception as error:  # an author's slip: `autograder dev check` says where
        return f"not made, as {type(error).__name__}: {error}. `autograder dev check {lesson}` says more."
    return ""
