"""The whole course, solved into one library: every part runs on those before it, and a certificate of it verifies."""

from __future__ import annotations

import dataclasses
import secrets
from pathlib import Path

import pytest

from autograder import registry
from autograder.learner import library
from autograder.learner.examine import examine
from autograder.learner.made_of import Parts
from autograder.probing.exercise import Exercise
from autograder.showing import certificate
from autograder.showing.certificate import Certificate, gather
from autograder.showing.certificate_page import page
from autograder.showing.verifying import Run, Shares, verify
from tests import tiers
from tests.carried import remember, solved_library

Capture = pytest.CaptureFixture[str]
SHARE = 7
"""A seventh of the lessons is run again each day, and those that a change touches."""


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return solved_library(tmp_path_factory.mktemp("carried") / "library")


@pytest.fixture
def home(solved: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(library, "home", lambda: solved)
    remember(solved)
    return solved


def run(path: Path) -> Shares:
    """The checks of a lesson on what the library holds, on draws of today.

    A lesson whose turn it is not is believed, and so are repairs, of which a library holds none.
    """
    lesson = path.stem.partition("_")[2]
    exercises = registry.exercises(lesson)
    if not tiers.its_turn(lesson, SHARE):
        return dict.fromkeys((one.name for one in exercises), 1.0)
    draws = (secrets.randbits(63),)
    return {one.name: 1.0 if one.repairs else _now(one, draws) for one in exercises}


def _now(one: Exercise, draws: tuple[int]) -> float:
    return examine(one, library.own(one), draws).points / one.points


def verified(made: Certificate, folder: Path, text: str = "", how: Run = run) -> int:
    notebooks = [folder / f"{registry.notebook_stem(one)}.ipynb" for one in registry.lessons()]
    for path in notebooks:
        path.touch()
    target = folder / "certificate.html"
    target.write_text(text or page(made), encoding="utf-8")
    return verify(str(target), [str(path) for path in notebooks], how, folder)


def test_the_library_is_the_learners_own_throughout(home: Path) -> None:
    parts = Parts()
    everything = [one.name for one in registry.all_exercises() if not one.repairs]
    assert parts.names() == everything and parts.borrowed(everything) == []


def test_a_certificate_of_the_whole_course_verifies(home: Path, tmp_path: Path, capsys: Capture) -> None:
    made = gather("Ada")
    assert len(made.earned) == len(registry.all_exercises())
    assert verified(made, tmp_path) == 0, capsys.readouterr().out
    told = capsys.readouterr().out
    assert f"{sum(one.points for one in registry.all_exercises() if not one.stretch)} points" in told


def half(path: Path) -> Shares:
    """What the notebooks of somebody earn whose softmax is half right."""
    names = [one.name for one in registry.exercises(path.stem.partition("_")[2])]
    return {one: 0.5 if one == "softmax" else 1.0 for one in names}


def test_a_changed_point_does_not_verify_and_nor_does_a_code_made_anew(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(certificate, "_pictures", lambda standings: iter(()))
    remember(home, softmax={"points": 1.0, "passed": False})
    honest = gather()
    assert verified(honest, tmp_path, how=half) == 0
    edited = page(honest).replace('"points": 1.0,\n   "of": 2.0', '"points": 2.0,\n   "of": 2.0')
    assert edited != page(honest) and verified(honest, tmp_path, edited, half) == 1
    better = tuple(dataclasses.replace(one, points=one.of) if one.name == "softmax" else one for one in honest.earned)
    anew = dataclasses.replace(honest, earned=better)
    assert anew.code != honest.code and verified(anew, tmp_path, how=half) == 1
    assert "softmax: 2 of 2 points, and the checks give 1 now" in capsys.readouterr().out
