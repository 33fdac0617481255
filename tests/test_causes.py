"""What an exception of torch's own usually means: the pattern fits the message that this torch really raises."""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from autograder.learner.examine import examine
from autograder.probing.outcome import Raised
from autograder.registry import exercise
from autograder.reporting.causes import cause, usual


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


X: Any = torch.ones(2, 3)
WORD: Any = "relu"
LINEAR: Any = nn.Linear(3, 3)
FUNCTION: Any = lambda x: 2 * x  # noqa: E731
NOTHING: Any = None
NUMBER: Any = 3
TORCH: Any = torch
NN: Any = nn


class Forgetful:
    def forward():  # type: ignore[misc]
        """Without self."""


SLIPS: list[tuple[Callable[[], object], str]] = [
    (lambda: X ^ 3, "is no power"),
    (lambda: nn.Module()(X), "no method `forward`"),
    (lambda: NN.Sigmoid(X), "`nn.Sigmoid` is a class"),
    (lambda: NN.LayerNorm(X), "make one first with its sizes"),
    (lambda: X(1 + X), "an operator missing before the bracket"),
    (lambda: WORD(X), "A `str` is called"),
    (lambda: LINEAR[X], "`Linear`, which has nothing to look up"),
    (lambda: FUNCTION[X], "To call it, take round ones"),
    (lambda: X @ LINEAR, "If one of them is a module, call it"),
    (lambda: X + FUNCTION, "call it, with brackets"),
    (lambda: FUNCTION.weight, "A function has no `weight`"),
    (lambda: LINEAR.wieght, "a typing slip"),
    (lambda: TORCH.swish(X), "the function has another name there"),
    (lambda: math.exp(X), "for whole tensors"),
    (lambda: LINEAR(X).numpy(), "numpy knows no gradients"),
    (lambda: NOTHING.shape, "what a function without `return` gives"),
    (lambda: ~NOTHING, "an argument that may be None, such as a mask"),
    (lambda: eval("self"), "as their first parameter"),
    (lambda: torch.nn.functional.dropout(NOTHING), "None stands where a tensor"),
    (lambda: nn.ModuleList()(x=X), "does not run them: a loop does"),
    (lambda: [one for one in NUMBER], "`range(n)` counts"),
    (lambda: nn.ModuleList([NN.Linear]), "If it is a class, make one of it"),
    (lambda: nn.Sequential(LINEAR)(X, X), "hands it on from part to part"),
    (lambda: Forgetful().forward(X), "`self` counts as one"),
    (lambda: NN.ModuleList(LINEAR), "takes a list of modules"),
    (lambda: LINEAR.forward(X, input=X), "`input` is given twice"),
    (lambda: NOTHING.append(X), "without `found =` before it"),
    (lambda: NUMBER(X), "An `int` is called"),
]  # fmt: skip


@pytest.mark.parametrize(("slip", "said"), SLIPS, ids=lambda one: one if isinstance(one, str) else "")
def test_slips_of_the_first_hour(slip: Callable[[], object], said: str) -> None:
    assert said in told(slip)


def test_a_power_written_as_in_a_formula_is_not_taken_for_the_blank_stub() -> None:
    def gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
        return 0.5 * x * (1 + torch.tanh(x + 0.044715 * x ^ 3))

    report = examine(exercise("gelu"), gelu)
    assert "Not written yet" not in str(report)
    assert "`x**3`" in str(report)


TRAPS = {
    "RuntimeError: The size of tensor a (4) must match the size of tensor b (3)": "the mean lost its dimension",
    "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1": "heads",
    "TypeError: normalize() ...": "normalize takes two arguments",
    "RuntimeError: shape '[...]' is invalid": "the sizes do not multiply",
}


@pytest.mark.parametrize(
    ("kind", "message", "said"),
    [
        ("RuntimeError", "The size of tensor a (64) must match the size of tensor b (10) at ...", "the mean lost"),
        ("RuntimeError", "The size of tensor a (6) must match the size of tensor b (2) at non-singleton dimension 1",
         "heads"),
        ("RuntimeError", "The size of tensor a (6) must match the size of tensor b (2) at non-singleton dimension 3",
         "the mean lost"),
        ("TypeError", "normalize() takes 2 positional arguments but 3 were given", "normalize takes two"),
        ("RuntimeError", "shape '[2, 3]' is invalid for input of size 7", "the sizes"),
        ("ValueError", "normalize() takes 2", ""),
        ("RuntimeError", "In short: The size of tensor a (4) must match", ""),
    ],
)  # fmt: skip
def test_a_trap_of_the_exercise_fits_whatever_the_numbers(kind: str, message: str, said: str) -> None:
    found = usual(Raised((kind,), message), TRAPS)
    assert found.startswith(said) and bool(found) == bool(said)


def test_a_trap_about_the_stub_is_not_told_of_a_missing_forward() -> None:
    traps = {"NotImplementedError": "write gelu first"}
    assert usual(Raised(("NotImplementedError",)), traps)
    assert not usual(Raised(("NotImplementedError",), 'Module [A] is missing the required "forward" function'), traps)


def test_a_report_tells_the_trap_of_its_exercise() -> None:
    def normalize(x: torch.Tensor, eps: float = 1e-5) -> torch.Tensor:
        return torch.tanh(x - x.mean(dim=-1)) / (x.var(dim=-1, correction=0) + eps)

    report = examine(exercise("normalize"), normalize)
    assert "Most often in this exercise: the mean, or the variance, lost its" in str(report)
    assert "Most often in this exercise: the mean, or the variance, lost its" in report._repr_mimebundle_()["text/html"]
    assert "Two tensors meet that do not line up" not in str(report)  # the cause in general says less


def test_tensors_beside_each_other_a_range_and_a_layer_called_as_a_function_are_told() -> None:
    x, embedding = torch.ones(2), torch.nn.Embedding(3, 2)
    assert "`torch.stack((a, b), dim=...)`" in told(lambda: torch.stack(x, x, dim=-1))  # type: ignore[call-overload]
    assert "`torch.arange`" in told(lambda: embedding(range(2)))
    assert "in the constructor" in told(lambda: torch.nn.Dropout(x))  # type: ignore[arg-type]
