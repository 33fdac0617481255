"""Probes that are handed in: the implementations that they are tried on, and what is seen and said of a probe."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder import registry
from autograder.judging.oracle import reference
from autograder.learner.examine import examine
from autograder.probing import lineup
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.run import captured, run_probe
from autograder.reporting.report import Report
from tests.tiers import by_turns

ROOT = Path(__file__).resolve().parent.parent
SHOWS = [one for one in registry.all_exercises() if one.shows]
ROOM = registry.exercise("shows_double_shift")
NEEDED = {"right": 8, "wrong": 12, "kin": 3}


def name(exercise: Exercise) -> str:
    return exercise.name


def room_of(exercise: Exercise) -> str:
    """The name of a room's modules: where the learner's part is checked."""
    known = (one for one in registry.files("checks", exercise.lesson) if one.stem != "__init__")
    return next(one.stem for one in known if f'"{exercise.name}"' in one.read_text(encoding="utf-8"))


def is_faulty(probe: Probe) -> bool:
    return probe.says.startswith("accuses")


@pytest.mark.parametrize("exercise", SHOWS, ids=name)
def test_there_are_enough_that_the_page_does_not_show(exercise: Exercise) -> None:
    known = lineup.hidden(exercise.lesson, room_of(exercise))
    kinds = {"right": [one for one in known if not one.faulty], "wrong": [one for one in known if one.faulty]}
    kinds["kin"] = [one for one in known if one.kin]
    assert {kind: len(some) for kind, some in kinds.items() if len(some) < NEEDED[kind]} == {}
    assert sum(bool(probe.hides) for probe in exercise.probes) == len(known)


@pytest.mark.parametrize("exercise", SHOWS, ids=name)
def test_the_reference_and_the_stand_in_tell_all_of_them_apart_on_any_draw(exercise: Exercise) -> None:
    """A report says wrong of what the reference accuses: so it may never be unlucky."""
    for shows in (reference(exercise), registry.stand_in(exercise)):
        for probe in exercise.probes:
            for seed in by_turns(range(200, 220), 4):
                with captured():
                    run = run_probe(probe, shows, seed)  # type: ignore[arg-type]
                assert run.returned is is_faulty(probe), (probe.name, seed, run.returned)


@pytest.mark.parametrize("exercise", SHOWS, ids=name)
def test_a_text_for_the_sandbox_does_the_same_and_says_nothing(exercise: Exercise) -> None:
    for probe in (one for one in exercise.probes if one.hides):
        seed = PRACTICE[0]
        with captured():
            outcome = run_probe(lineup.probe_from(probe.hidden), reference(exercise), seed).returned
        assert outcome is is_faulty(probe), probe.name
        assert f"def {probe.name}(" not in probe.hidden
        assert '"""' not in probe.hidden and "#" not in probe.hidden and "@right" not in probe.hidden


def test_the_suspects_are_tried_as_themselves() -> None:
    """What compares with a list of names finds nothing."""
    seen: set[str] = set()

    def notes(implementation: Callable[..., Any]) -> bool:
        seen.add(repr(implementation))
        return False

    examine(ROOM, notes)
    assert seen == {"<implementation>"}


# What is said of a probe ---------------------------------------------------------------------


def report_on(shows: Callable[..., Any]) -> Report:
    return examine(ROOM, shows)


RIGHT = reference(ROOM)


def test_it_says_whom_it_should_have_accused_and_whom_not() -> None:
    def forgives_sums(implementation: Callable[..., Any]) -> bool:
        ids, table = torch.randint(7, (4, 6)), torch.randn(7, 7)
        return bool(implementation(lambda given: table[given], ids) > 20) or float(ids.sum()) < 0

    report = report_on(forgives_sums)
    assert "Your probe lets" in str(report)
    assert "It should have accused the implementation that" in str(report)


@pytest.mark.parametrize("attribute", ["__name__", "__code__", "__doc__"])
def test_reading_a_name_or_the_code_is_seen_and_costs_the_points(attribute: str) -> None:
    def reads(implementation: Callable[..., Any]) -> bool:
        getattr(implementation, attribute, None)
        return RIGHT(implementation)

    report = report_on(reads)
    assert (report.status, report.points) == ("shortcut", 0)
    assert f"Your probe reads `{attribute}`" in str(report)


def test_so_does_asking_for_the_source() -> None:
    def reads(implementation: Callable[..., Any]) -> bool:
        import inspect

        try:
            inspect.getsource(implementation)
        except TypeError:
            return RIGHT(implementation)
        return True

    assert report_on(reads).status == "shortcut"


def test_writing_into_an_implementation_is_seen() -> None:
    def writes(implementation: Any) -> bool:
        try:
            implementation.tried = True
        except AttributeError:
            return RIGHT(implementation)
        return False

    assert "writes into the implementation" in str(report_on(writes))


@pytest.mark.parametrize("truth", [torch.tensor, bool, lambda said: torch.tensor([said])])
def test_truth_may_come_as_a_tensor(truth: Callable[[bool], Any]) -> None:
    assert report_on(lambda implementation: truth(RIGHT(implementation))).passed


@pytest.mark.parametrize("given", [None, 1.0, "yes"])
def test_what_is_no_truth_value_has_no_points(given: Any) -> None:
    report = report_on(lambda implementation: given)
    assert report.points == 0
    assert "Expected a bool" in str(report)


def test_an_exception_names_no_implementation() -> None:
    text = str(report_on(lambda implementation: implementation()))
    assert "implementation() missing" in text
    assert not [probe.name for probe in ROOM.probes if f"{probe.name}()" in text]


def test_points_are_for_telling_apart() -> None:
    calls = 0

    def by_halves(implementation: Callable[..., Any]) -> bool:
        nonlocal calls
        calls += 1
        return RIGHT(implementation) and calls % 5 > 0

    assert 0 < report_on(by_halves).points < ROOM.points
    assert report_on(lambda implementation: True).points == 0
    assert report_on(lambda implementation: False).points == 0


def test_a_pass_leads_to_the_code_of_all_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograder.learner import hints

    assert "reveal('shows_double_shift')" in str(report_on(RIGHT))
    monkeypatch.setattr(hints.progress_file, "read", lambda: {ROOM.name: {"passed": True}})
    text = repr(hints.reveal(ROOM.name))
    assert all(probe.hidden.strip() in text for probe in ROOM.probes if probe.hidden)
    monkeypatch.setattr(hints.progress_file, "read", dict)
    assert not [probe.name for probe in ROOM.probes if probe.hidden and probe.hidden in repr(hints.reveal(ROOM.name))]


def test_a_repair_of_ones_own_is_among_the_right_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    own = partial(_noting, calls)
    monkeypatch.setattr(lineup, "_PASSED", {"training_loss": own})
    assert report_on(RIGHT).passed
    assert calls


def _noting(calls: list[int], model: Any, ids: Any) -> Any:
    calls.append(1)
    return registry.stand_in(registry.exercise("training_loss"))(model, ids)  # type: ignore[operator]


WITHOUT = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "solutions" or name.startswith(("autograder.mistakes", "autograder.lineups")):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
from autograder import check, registry
one = registry.exercise("shows_double_shift")
assert len(one.probes) == 6, one.probes
good = check(registry.stand_in(one), exercise=one.name)
assert good.passed and "Grading tries it on others" in str(good), good
bad = check(lambda implementation: False, exercise=one.name)
assert bad.mistake == "accuses nobody" and bad.points == 0, bad
"""


def test_a_students_edition_has_some_and_says_that_there_are_others() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


ASSERTS = """
import torch
from autograder import registry
from autograder.learner.examine import examine

def asks_torch(implementation):
    torch.testing.assert_close(torch.ones(2), torch.ones(2))
    return implementation is None

print(examine(registry.exercise("shows_double_shift"), asks_torch))
"""


def test_a_probe_may_be_the_first_to_ask_torchs_own_comparison() -> None:
    """It imports much when it is first called, and looks through all modules while it does."""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", ASSERTS], capture_output=True, text=True, cwd=ROOT)
    assert "Your probe says False of every implementation" in done.stdout, done.stdout + done.stderr
