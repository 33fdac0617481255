"""What a tier leaves out."""

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
