"""The checks are checked: what is right passes, what is wrong is caught, what is listed is named.

Generic over all exercises: a new one is covered by existing. A test tries all of its kind on one exercise and tells all
that fail: there are some 15,000, and a test for each took longer to collect and to report than to run.
"""

from __future__ import annotations

import itertools
import random
import re
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest

from autograder import registry
from autograder.dev.trying import VARIANT_KINDS, alike, blank, lonely, unwatched_code
from autograder.judging.agreement import agree
from autograder.judging.decision import Decision
from autograder.judging.edits import EditsOverlap, Pair, check_fits, definition, mistaken
from autograder.judging.judge import judge
from autograder.judging.oracle import Oracle, reference
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Raised
from autograder.probing.run import Runs, captured, run_probe
from autograder.reporting.report import Report, report_of
from tests import tiers
from tests.tiers import ONE_A_DAY, by_turns, its_turn
from tests.trunks import own_lines
from tests.variants import Variant, variants

ORACLE = Oracle()
MANY = 100
TWENTY = range(100, 120)
EXERCISES = [one for one in registry.all_exercises() if not one.repairs]
T = TypeVar("T")


def name(exercise: Exercise) -> str:
    return exercise.name


def each(cases: Iterable[T], tried: Callable[[T], None]) -> None:
    """Try all, and tell all that fail."""
    failed = []
    for case in cases:
        try:
            tried(case)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            failed.append(
                f"{_called(case)}: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            )
    assert not failed, f"{len(failed)} failed\n\n" + "\n\n".join(failed)


def _called(case: object) -> str:
    return case.name if isinstance(case, Mistake) else str(case)


def written_for(kind: str) -> list[Exercise]:
    """The exercises for which something of this kind is written."""
    known = {one.exercise for one in variants(kind)}
    return [one for one in registry.all_exercises() if one.name in known]


def variants_of(exercise: Exercise, kind: str) -> list[Variant]:
    return [one for one in variants(kind) if one.exercise == exercise.name]


def examined(exercise: Exercise, implementation: Any, told: Callable[[Report], bool]) -> Report:
    """A check on one of the practice draws, in turn; on all of them, as a learner has it, where that one alone does not
    tell what is to be told, and when the lesson was touched."""
    draws = PRACTICE if its_turn(exercise.lesson, ONE_A_DAY) else by_turns(PRACTICE, len(PRACTICE))
    report = examine(exercise, implementation, draws)
    return report if told(report) else examine(exercise, implementation)


def taking_turns(given: Sequence[T], share: int, lesson: Callable[[T], str], days: int = len(PRACTICE)) -> list[T]:
    """Those whose turn it is, as long as all draws take to come, and all of a lesson that a change touches."""
    due = set(by_turns(range(len(given)), share, days))
    return [one for at, one in enumerate(given) if at in due or its_turn(lesson(one), ONE_A_DAY)]


def lesson_of(variant: Variant) -> str:
    return registry.exercise(variant.exercise).lesson


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


@pytest.mark.parametrize("exercise", taking_turns(EXERCISES, 2, lambda one: one.lesson, days=1), ids=name)
def test_the_stand_in_passes_and_is_not_seen(exercise: Exercise) -> None:
    part = registry.stand_in(exercise)
    assert part is not None
    report = examine(exercise, part)
    assert report.passed, str(report)


def test_what_is_written_is_for_exercises_that_exist() -> None:
    known = {one.name for one in registry.all_exercises()}
    assert {one.exercise for kind in VARIANT_KINDS for one in variants(kind)} <= known


@pytest.mark.parametrize("exercise", written_for("correct"), ids=name)
def test_correct_variants_pass(exercise: Exercise) -> None:
    def passes(variant: Variant) -> None:
        report = examined(exercise, variant.implementation, lambda one: one.passed)
        assert report.passed, str(report)

    each(taking_turns(variants_of(exercise, "correct"), 2, lesson_of), passes)


@pytest.fixture
def nobody_watches() -> Iterator[None]:
    with unwatched_code():
        yield


@pytest.mark.usefixtures("nobody_watches")
@pytest.mark.parametrize("exercise", EXERCISES, ids=name)
def test_every_mistake_is_caught_and_named(exercise: Exercise) -> None:
    anew = its_turn(exercise.lesson, ONE_A_DAY)

    def is_named(mistake: Mistake) -> None:
        check_fits(exercise.lesson, mistake)
        made = lonely(exercise, [mistake])
        if anew:
            report = examined(exercise, made, lambda one: one.mistake == mistake.name)
        else:
            report = remembered(exercise, mistake, made)
        assert not report.passed
        assert report.points < exercise.points
        assert report.mistake == mistake.name, str(report)

    each(taking_turns(ORACLE.mistakes(exercise), 4, lambda _: exercise.lesson), is_named)


def remembered(exercise: Exercise, mistake: Mistake, made: Callable[..., Any]) -> Report:
    """What a check says by what is stored of a mistake; one probe, in turn, is run anew, and computes just that."""
    [seed] = by_turns(PRACTICE, len(PRACTICE))
    with captured():
        round_of_turns = tiers.turn // (4 * len(PRACTICE))
        due = exercise.probes[(round_of_turns + ORACLE.mistakes(exercise).index(mistake)) % len(exercise.probes)]
        settled = ORACLE.right(exercise, due, seed).settled
        known = ORACLE.wrong(exercise, [mistake], due, seed)
        assert mistake.varies or agree(known, run_probe(due, made, seed, settled=settled)), f"{due.name} is stored anew"
        for draws in ([seed], PRACTICE):
            keys = itertools.product(exercise.probes, draws)
            runs = {(probe, one): ORACLE.wrong(exercise, [mistake], probe, one) for probe, one in keys}
            verdict = judge(exercise, runs, ORACLE)
            if [one.name for one in verdict.mistakes] == [mistake.name]:
                break
    return report_of(Decision(verdict, runs), "", "")


def is_named(variant: Variant) -> None:
    """On a loaded machine a judge in a hurry may not come to the right pair. Where one mistake is the answer, the more
    time there is the more pairs are tried in vain: that is for tier `all`."""
    exercise = registry.exercise(variant.exercise)
    with pytest.MonkeyPatch.context() as patch:
        if " + " in variant.mistake or tiers.tier == "all":
            patch.setattr("autograder.judging.pairs.PAIR_SECONDS", 3)
        report = examined(exercise, variant.implementation, lambda one: one.mistake == variant.mistake)
    assert report.mistake == variant.mistake, str(report)


IN_FULL = taking_turns([one for one in variants("disguise") if not one.trunk], 8, lesson_of)
SLIPS = taking_turns([one for one in variants("disguise") if one.trunk], 40, lesson_of)


@pytest.mark.usefixtures("nobody_watches")
@pytest.mark.parametrize("exercise", written_for("disguise"), ids=name)
def test_every_disguise_is_named(exercise: Exercise) -> None:
    each([one for one in IN_FULL if one.exercise == exercise.name], is_named)


@pytest.mark.usefixtures("nobody_watches")
@pytest.mark.parametrize("exercise", written_for("disguise"), ids=name)
def test_every_slip_in_other_code_is_named(exercise: Exercise) -> None:
    each([one for one in SLIPS if one.exercise == exercise.name], is_named)


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


@pytest.mark.parametrize("exercise", written_for("unlisted"), ids=name)
def test_unlisted_mistakes_are_caught_and_not_named(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    """With pairs when it is the lesson's turn: as nothing is found, that takes all the time that a check has."""
    if not its_turn(exercise.lesson, ONE_A_DAY):
        monkeypatch.setattr("autograder.judging.explaining.likely_pairs", lambda *_: ())

    def is_caught(variant: Variant) -> None:
        report = examined(exercise, variant.implementation, lambda one: one.mistake is None and one.status == "wrong")
        assert not report.passed
        assert report.mistake is None, f"named {report.mistake}"
        assert report.status == "wrong"

    each(taking_turns(variants_of(exercise, "unlisted"), 8, lesson_of), is_caught)


@pytest.mark.parametrize("exercise", taking_turns(EXERCISES, 3, lambda one: one.lesson, days=1), ids=name)
def test_no_two_mistakes_look_the_same(exercise: Exercise) -> None:
    assert alike(exercise) == []


WITH_PAIRS = taking_turns([one for one in EXERCISES if not one.shows], 8, lambda one: one.lesson, days=4)


@pytest.mark.parametrize("exercise", WITH_PAIRS, ids=name)
def test_ten_pairs_of_mistakes_are_named(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten of twelve; of every eighth exercise three of those a day, of which one may have another name, or none in the
    time that there is."""
    monkeypatch.setattr("autograder.judging.pairs.PAIR_SECONDS", 3)  # a loaded machine does not decide
    pairs = list(itertools.combinations(ORACLE.mistakes(exercise), 2))
    random.Random(exercise.name).shuffle(pairs)
    named = [one for part in by_turns(range(4), 4) for one in _three_told(exercise, pairs[part::4])]
    assert sum(named) >= len(named) - (2 if len(named) > 3 else 1)


def _three_told(exercise: Exercise, pairs: list[tuple[Mistake, Mistake]]) -> Iterator[bool]:
    """Whether each of the first three pairs is named that can be made at once, show as more than one of the two, and
    compute what no two others do."""
    told = (_names_the_pair(exercise, *pair) for pair in pairs if _shows_both(exercise, list(pair)))
    return itertools.islice((named for named in told if named is not None), 3)


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


def _names_the_pair(exercise: Exercise, one: Mistake, other: Mistake) -> bool | None:
    """None where two others are named, and compute the same on draws that the judge has not seen: then no check could
    tell."""
    both = f"{one.name} + {other.name}"
    report = examined(exercise, lonely(exercise, [one, other]), lambda told: told.mistake == both)
    assert not report.passed
    if report.mistake == both:
        return True
    named = report.verdict.mistakes if report.verdict else ()
    return None if len(named) == 2 and _compute_the_same(exercise, (one, other), (named[0], named[1])) else False


def _compute_the_same(exercise: Exercise, one: Pair, other: Pair) -> bool:
    """On three of the twenty seeds; another pair in one of the two orders in which it can be made."""

    def runs(pair: Pair) -> Runs:
        return {
            (probe, seed): ORACLE.wrong(exercise, pair, probe, seed) for probe in exercise.probes for seed in TWENTY[:3]
        }

    with captured():
        mine = runs(one)
        others = [runs(pair) for pair in ORACLE.orders(exercise, other)]
    return any(all(agree(mine[key], found[key]) for key in mine) for found in others)


@pytest.mark.parametrize("exercise", [one for one in EXERCISES if its_turn(one.lesson, ONE_A_DAY)], ids=name)
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
    """What the judge calls a mistake's outcomes on one draw, as in grading: candidates come from the practice draws."""

    def practise(probe: Probe) -> Runs:
        return {(probe, one): ORACLE.wrong(exercise, [mistake], probe, one) for one in PRACTICE}

    with captured():
        runs = {(probe, seed): ORACLE.wrong(exercise, [mistake], probe, seed) for probe in exercise.probes}
        verdict = judge(exercise, runs, ORACLE, practise=practise)
    return " + ".join(one.name for one in verdict.mistakes)
