"""What an exception of torch's own usually means: the pattern fits the message that this torch really raises."""

from collections.abc import Callable

import pytest
import torch
from torch import nn

from autograder.causes import cause
from autograder.outcome import Raised


def told(run: Callable[[], object]) -> str:
    """The cause of what `run` raises."""
    with pytest.raises(Exception) as caught:
        run()
    return cause(Raised(tuple(one.__name__ for one in caught.type.__mro__), str(caught.value)))


def test_a_number_copied_into_a_parameter_outside_no_grad() -> None:
    layer = nn.Linear(2, 2)
    for run in (lambda: layer.weight.copy_(torch.ones(2, 2)), lambda: layer.weight[0].copy_(torch.ones(2))):
        assert "inside `with torch.no_grad():`" in told(run)


def test_a_tensor_in_the_place_of_a_parameter() -> None:
    layer = nn.Linear(2, 2)
    assert "`weight` is a parameter" in told(lambda: setattr(layer, "weight", torch.ones(2, 2)))


def test_a_dimension_that_was_not_repeated() -> None:
    words = told(lambda: torch.ones(1, 6, 2, 2) @ torch.ones(1, 2, 2, 2))
    assert "6 against 2 in dimension 1" in words
    assert "should have been repeated" in words


def test_a_number_where_a_tensor_was_expected_is_not_called_a_part_of_a_class() -> None:
    words = told(lambda: (3).shape)  # type: ignore[attr-defined]
    assert "most often a tensor" in words
    assert "constructor" not in words
