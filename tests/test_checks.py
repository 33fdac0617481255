"""The checks are checked: what is right passes, what is wrong is caught, what is listed is named.

Generic over all exercises: a new one is covered by existing.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from autograder import registry
from autograder.dev.trying import alike, blank, lonely, unwatched_code
from autograder.judging.agreement import agree
from autograder.judging.edits import EditsOverlap, check_fits, definition, mistaken
from autograder.judging.judge import judge
from autograder.judging.oracle import Oracle, reference
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Raised
from autograder.probing.run import captured
from autograder.reporting.report import Report
from tests.tiers import by_turns, its_turn, touched_lessons
from tests.trunks import own_lines
from tests.variants import Variant, variants

ORACLE = Oracle()
MANY = 100
TWENTY = range(100, 120)
EXERCISES = [one for one in registry.all_exercises() if not one.repairs]
MISTAKES = [(one, mistake) for one in EXERCISES for mistake in ORACLE.mistakes(one)]


def name(value: Any) -> str:
    if isinstance(value, Exercise | Mistake):
        return value.name.replace(" ", "_")
    return str(value)


def examined(exercise: Exercise, implementation: Any, told: Callable[[Report], bool]) -> Report:
    """A check on one of the practice draws, in turn; on all of them, as a learner has it, where that one alone does not
    tell what is to be told, and when the lesson was touched."""
    draws = PRACTICE if exercise.lesson in touched_lessons() else by_turns(PRACTICE, len(PRACTICE))
    report = examine(exercise, implementation, draws)
    return report if told(report) else examine(exercise, implementation)


def taking_turns(slips: Sequence[Variant], share: int) -> list[Variant]:
    """Those whose turn it is, and all of a lesson that a change touches."""
    due = set(by_turns(range(len(slips)), share))
    touched = touched_lessons()
    return [one for at, one in enumerate(slips) if at in due or registry.exercise(one.exercise).lesson in touched]


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_the_blank_stub_gets_nothing_and_a_readable_report(exercise: Exercise) -> None:
    report = examine(exercise, blank(exercise))
    assert report.points == 0
    assert not report.passed
    assert report.mistake is None
    assert "Not written yet" in str(report)


@pytest.mark.parametrize("exercise", registry.all_exercises(), ids=name)
def test_the_reference_passes(exercise: Exercise) -> None:
    report = examine(exercise, reference(exercise))
    assert report.passed, str(report)
    assert report.points == exercise.points


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_the_stand_in_passes_and_is_not_seen(exercise: Exercise) -> None:
    part = registry.stand_in(exercise)
    assert part is not None
    report = examine(exercise, part)
    assert report.passed, str(report)


@pytest.mark.parametrize("variant", variants("correct"), ids=str)
def test_correct_variants_pass(variant: Variant) -> None:
    report = examined(registry.exercise(variant.exercise), variant.implementation, lambda one: one.passed)
    assert report.passed, str(report)


@pytest.fixture
def nobody_watches() -> Iterator[None]:
    with unwatched_code():
        yield


@pytest.mark.usefixtures("nobody_watches")
@pytest.mark.parametrize(("exercise", "mistake"), MISTAKES, ids=name)
def test_every_mistake_is_caught_and_named(exercise: Exercise, mistake: Mistake) -> None:
    check_fits(exercise.lesson, mistake)
    report = examined(exercise, lonely(exercise, [mistake]), lambda one: one.mistake == mistake.name)
    assert not report.passed
    assert report.points < exercise.points
    assert report.mistake == mistake.name, str(report)


@pytest.fixture
def time_for_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a loaded machine a judge in a hurry may not come to the right pair."""
    monkeypatch.setattr("autograder.judging.pairs.PAIR_SECONDS", 3)


@pytest.mark.usefixtures("nobody_watches", "time_for_pairs")
@pytest.mark.parametrize("variant", [one for one in variants("disguise") if not one.trunk], ids=str)
def test_every_disguise_is_named(variant: Variant) -> None:
    exercise = registry.exercise(variant.exercise)
    report = examined(exercise, variant.implementation, lambda one: one.mistake == variant.mistake)
    assert report.mistake == variant.mistake, str(report)


@pytest.mark.usefixtures("nobody_watches", "time_for_pairs")
@pytest.mark.parametrize("variant", taking_turns([one for one in variants("disguise") if one.trunk], 10), ids=str)
def test_every_slip_in_other_code_is_named(variant: Variant) -> None:
    exercise = registry.exercise(variant.exercise)
    report = examined(exercise, variant.implementation, lambda one: one.mistake == variant.mistake)
    assert report.mistake == variant.mistake, str(report)


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_every_mistake_has_a_disguise_written_in_full(exercise: Exercise) -> None:
    written = (one for one in variants("disguise") if not one.trunk)
    disguised = {one.mistake for one in written if one.exercise == exercise.name}
    names = {mistake.name for mistake in ORACLE.mistakes(exercise)}
    pairs = {f"{one} + {other}" for one, other in itertools.permutations(names, 2)}
    assert names == disguised - pairs


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_slips_are_made_in_three_trunks_that_share_no_line_with_the_solution(exercise: Exercise) -> None:
    found = {one.trunk for one in variants("disguise") if one.trunk and one.exercise == exercise.name}
    answer = solution_lines(exercise)
    strange = [trunk for trunk in found if not own_lines(trunk) & answer]
    if not found:
        pytest.skip("no trunks yet")
    assert len(strange) >= 3, {trunk.__name__: own_lines(trunk) & answer for trunk in found}


def solution_lines(exercise: Exercise) -> set[str]:
    """The lines that a learner has to write, in the reference; not those that say next to nothing."""
    text = definition(exercise.lesson, exercise.reference)
    written = "\n".join(re.findall(r"# BEGIN SOLUTION\n(.*?)# END SOLUTION", text, re.DOTALL)) or text
    return {line.strip() for line in written.splitlines() if len(line.strip()) > 15}


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_there_is_enough_to_try_a_check_on(exercise: Exercise) -> None:
    for kind in ("correct", "unlisted"):
        count = sum(one.exercise == exercise.name for one in variants(kind))
        assert count >= 3, f"{exercise.name} has {count} {kind} variants"
    assert len({mistake.name for mistake in ORACLE.mistakes(exercise)}) >= 5


@pytest.mark.parametrize("variant", variants("unlisted"), ids=str)
def test_unlisted_mistakes_are_caught_and_not_named(variant: Variant, monkeypatch: pytest.MonkeyPatch) -> None:
    """With pairs when it is the lesson's turn: as nothing is found, that takes all the time that a check has."""
    exercise = registry.exercise(variant.exercise)
    if not its_turn(exercise.lesson, 9):
        monkeypatch.setattr("autograder.judging.explaining.ranked", lambda *_: ())
    report = examined(exercise, variant.implementation, lambda one: one.mistake is None and one.status == "wrong")
    assert not report.passed
    assert report.mistake is None, f"named {report.mistake}"
    assert report.status == "wrong"


@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_no_two_mistakes_look_the_same(exercise: Exercise) -> None:
    assert alike(exercise) == []


@pytest.mark.usefixtures("time_for_pairs")
@pytest.mark.parametrize("exercise", [one for one in EXERCISES if not one.shows], ids=name)
def test_ten_pairs_of_mistakes_are_named(exercise: Exercise) -> None:
    """Ten of twelve; three of those a day, of which one may have another name, or none in the time that there is."""
    pairs = list(itertools.combinations(ORACLE.mistakes(exercise), 2))
    random.Random(exercise.name).shuffle(pairs)
    tried = by_turns(list(_composable(exercise, pairs)), 4)
    named = sum(_names_the_pair(exercise, one, other) for one, other in tried)
    assert named >= len(tried) - (2 if len(tried) > 3 else 1)


def _composable(exercise: Exercise, pairs: list[tuple[Mistake, Mistake]]) -> Any:
    """The first twelve pairs that can be made at once and show as more than one of the two."""
    found = (pair for pair in pairs if _shows_both(exercise, list(pair)))
    return itertools.islice(found, 12)


def _shows_both(exercise: Exercise, pair: list[Mistake]) -> bool:
    """Whether two can be made at once, and compute what neither none nor one mistake does, and not by exceptions alone:
    two can make up for each other."""
    if pair[0].name == pair[1].name:
        return False
    try:
        mistaken(exercise.lesson, exercise.reference, pair)
    except EditsOverlap:
        return False
    like_one = [True] * len(ORACLE.mistakes(exercise))
    like_none = only_raises = True
    with captured():
        for probe, seed in itertools.product(exercise.probes, PRACTICE):
            run = ORACLE.wrong(exercise, pair, probe, seed)
            table = ORACLE.table(exercise, probe, seed)
            right = agree(table.right, run)
            like_none = like_none and right
            only_raises = only_raises and (right or isinstance(run.returned, Raised))
            like_one = [before and now for before, now in zip(like_one, table.agreeing(run), strict=True)]
            if not (like_none or only_raises or any(like_one)):
                return True
    return False


def _names_the_pair(exercise: Exercise, one: Mistake, other: Mistake) -> bool:
    report = examine(exercise, lonely(exercise, [one, other]))
    assert not report.passed
    return report.mistake == f"{one.name} + {other.name}"


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if its_turn(one.lesson, 9)], ids=name)
def test_twenty_seeds_give_the_same_verdicts(exercise: Exercise) -> None:
    mistakes = ORACLE.mistakes(exercise)
    for seed in by_turns(TWENTY, 5):
        assert examine(exercise, reference(exercise), [seed]).passed
    # To name one mistake the others are run too, so where there are many each is tried on one seed at least.
    turns = 1 + len(mistakes) * len(exercise.probes) // MANY
    turns, seeds = (turns, TWENTY) if turns == 1 else (min(turns, 4), TWENTY[:4])
    for seed in by_turns(seeds, len(seeds)):
        for mistake in mistakes[seed % turns :: turns]:
            assert _named_on(exercise, mistake, seed) == mistake.name, f"{mistake.name}, seed {seed}"


def _named_on(exercise: Exercise, mistake: Mistake, seed: int) -> str:
    """What the judge calls a mistake's outcomes on one draw."""
    with captured():
        runs = {(probe, seed): ORACLE.wrong(exercise, [mistake], probe, seed) for probe in exercise.probes}
        verdict = judge(exercise, runs, ORACLE)
    return " + ".join(one.name for one in verdict.mistakes)
