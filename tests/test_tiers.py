"""What a tier leaves out."""

from types import SimpleNamespace
from typing import Any

import pytest

from autograder import registry
from tests import tiers
from tests.groups import group_of


def test_of_every_test_it_can_be_said_which_lessons_it_is_about(request: pytest.FixtureRequest) -> None:
    found = [tiers.lessons_of(one) for one in request.session.items]
    assert set().union(*found) <= set(registry.lessons())


def test_a_wide_change_repeats_the_few_lessons_that_it_touches_most() -> None:
    files = ("course/lessons/02_attention.md", "autograder/checks/gpt/model.py", "solutions/gpt.py", "README.md")
    assert tiers.most_touched(files) == ("gpt", "attention")
    wide = tuple(f"solutions/{one}.py" for one in registry.lessons())
    assert tiers.most_touched((*wide, *files)) == ("gpt", "attention", registry.lessons()[0])


def test_what_is_slow_goes_first(request: pytest.FixtureRequest) -> None:
    quick = [tiers.is_quick(one) for one in request.session.items]
    assert quick == sorted(quick)


def test_tests_that_share_what_is_dear_run_in_one_process() -> None:
    checks = "tests/test_checks.py::test_correct_variants_pass"
    assert (
        group_of(f"{checks}[normalize-correct-a@b]")
        == group_of(f"{checks}[normalize]")
        != group_of(f"{checks}[softmax]")
    )
    assert (
        group_of("tests/test_notebooks.py::test_a[x]")
        == group_of("tests/test_notebooks.py::test_b")
        != group_of("tests/test_cli.py::test_a")
    )


def marked(place: str, *arguments: Any, at: int = 0) -> Any:
    """A test with a mark of turns, of which `due` sees no more."""
    found = [(SimpleNamespace(nodeid=place), pytest.mark.turns(*arguments, at=at).mark)] if arguments else []
    return SimpleNamespace(iter_markers_with_node=lambda name: iter(found))


PARTS = [marked(f"tests/test_{number}.py::test_one[{number}]", 3, "docs/", at=number % 3) for number in range(7)]


@pytest.mark.parametrize("first", [5, 6, 7])
def test_each_part_has_one_turn_in_its_days(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "tier", "test")
    monkeypatch.setattr(tiers, "touched_files", lambda: ())
    days = []
    for turn in range(first, first + 3):
        monkeypatch.setattr(tiers, "turn", turn)
        days.append(tiers.due([*PARTS, marked("always")]))
    assert [sum(part) for part in zip(*days, strict=True)] == [1] * 7 + [3]
    assert {sum(day[:7]) for day in days} == {2, 3}


@pytest.mark.parametrize(
    ("touched", "parts"), [("docs/judge.md", range(7)), ("tests/test_4.py", [4]), ("README.md", [])]
)
def test_what_a_change_touches_does_not_wait(touched: str, parts: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "tier", "test")
    monkeypatch.setattr(tiers, "touched_files", lambda: (touched,))
    found = []
    for turn in range(3):
        monkeypatch.setattr(tiers, "turn", turn)
        found.append(tiers.due(PARTS))
    assert [number for number, days in enumerate(zip(*found, strict=True)) if all(days)] == list(parts)


def test_the_tier_of_everything_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiers, "tier", "all")
    assert all(tiers.due(PARTS))
