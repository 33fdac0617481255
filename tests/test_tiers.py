"""What a tier leaves out."""

import pytest

from autograder import registry
from tests import tiers


def test_of_every_test_it_can_be_said_which_lessons_it_is_about(request: pytest.FixtureRequest) -> None:
    found = [tiers.lessons_of(one) for one in request.session.items]
    assert set().union(*found) <= set(registry.lessons())


def test_what_is_slow_goes_first(request: pytest.FixtureRequest) -> None:
    quick = [tiers.is_quick(one) for one in request.session.items]
    assert quick == sorted(quick)
