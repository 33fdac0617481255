"""What a report adds by running an implementation again: with other luck, and with earlier parts put right."""

import random
import types
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from autograder.dev.trying import lonely
from autograder.judging import explaining, oracle
from autograder.judging.decision import CHANCE_DECIDES, IS_RANDOM, REMEMBERS
from autograder.judging.oracle import LiveOracle, Oracle
from autograder.learner.examine import examine
from autograder.registry import exercise

GIVEN = """
import torch
from torch import nn

class FeedForward(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.0, activation="relu"):
        super().__init__()
        if activation not in ("relu", "gelu"):
            raise ValueError(activation)
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)
        self.activation = torch.relu if activation == "relu" else gelu

    def forward(self, x):
        return self.linear2({hidden})

def gelu(x, approximate="none"):
    return {gelu}
"""
RIGHT, UNDROPPED = "self.dropout(self.activation(self.linear1(x)))", "self.activation(self.linear1(x))"


def feed_forward(hidden: str, gelu: str) -> Any:
    """A learner's notebook as a module, with these two lines in it."""
    module = types.ModuleType("learners_notebook")
    exec(GIVEN.format(hidden=hidden, gelu=gelu), module.__dict__)
    return module.__dict__["FeedForward"]


def test_an_earlier_part_that_is_wrong_costs_nothing() -> None:
    report = examine(exercise("FeedForward"), feed_forward(RIGHT, "x * torch.sigmoid(x)"))
    assert report.passed
    assert "`FeedForward` is right; `gelu`, which it uses, is not" in str(report)


def test_an_earlier_part_that_is_wrong_does_not_hide_a_known_mistake() -> None:
    report = examine(exercise("FeedForward"), feed_forward(UNDROPPED, "x * torch.sigmoid(x)"))
    assert report.mistake == "no dropout"
    assert not report.passed
    assert "`gelu`, which it uses, is not right either" in str(report)


def test_an_earlier_part_that_is_right_is_not_spoken_of() -> None:
    report = examine(exercise("FeedForward"), feed_forward("2 * " + RIGHT, "nn.functional.gelu(x)"))
    assert report.mistake is None
    assert "not right either" not in str(report)


DECORATED = """
import torch

@torch.no_grad()
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if len(logits) == 0:
        raise ValueError("no row")
    probs = next_token_probs(logits, temperature, top_k, top_p)
    return torch.multinomial(probs, 1, generator=generator).squeeze(1)
"""


@pytest.mark.parametrize("earlier", ["", "next_token_probs = lambda logits, *settings: logits.softmax(dim=-1)"])
def test_a_decorated_function_is_tried_with_the_earlier_part_put_right(earlier: str) -> None:
    module = types.ModuleType("learners_notebook")
    exec(earlier + DECORATED, module.__dict__)
    report = examine(exercise("sample_next"), module.__dict__["sample_next"])
    assert report.passed
    assert "`next_token_probs`" in str(report)


def test_what_is_random_and_should_not_be_is_said_to_be() -> None:
    def add_norm(x: Tensor, sublayer: Any, norm: Any, dropout: Any, norm_first: bool = False) -> Tensor:
        made = nn.functional.dropout(sublayer(norm(x) if norm_first else x), 0.1)
        return x + made if norm_first else norm(x + made)

    assert IS_RANDOM in str(examine(exercise("add_norm"), add_norm))


def test_a_probe_whose_answer_is_a_matter_of_luck_is_told_so() -> None:
    """To draw is what a probe has to do, so that it is random is no reproach."""

    def shows_idle_mask(implementation: Any) -> bool:
        logits, labels, asked = torch.randn(1, 4, 5), torch.randint(5, (1, 4)), torch.rand(1, 4) < 0.5
        return bool(implementation(logits, labels, asked) > 1.6)

    text = str(examine(exercise("shows_idle_mask"), shows_idle_mask))
    assert CHANCE_DECIDES in text and IS_RANDOM not in text


def test_what_is_kept_from_call_to_call_is_said_to_be() -> None:
    calls = []

    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        if approximate not in ("none", "tanh"):
            raise ValueError(approximate)
        calls.append(1)
        return x * torch.special.ndtr(x) + len(calls)

    assert REMEMBERS in str(examine(exercise("gelu"), gelu))


def test_what_grows_from_call_to_call_is_said_to_be_kept() -> None:
    class KVCache:
        kept: tuple[list[Tensor], list[Tensor]] = [], []  # one for all caches

        @property
        def length(self) -> int:
            return sum(k.size(-2) for k in self.kept[0])

        def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, ...]:
            self.kept[0].append(k)
            self.kept[1].append(v)
            return tuple(torch.cat(one, dim=-2) for one in self.kept)

    assert REMEMBERS in str(examine(exercise("KVCache"), KVCache))


def test_what_is_wrong_each_time_in_the_same_way_is_neither() -> None:
    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        return 3 * torch.tanh(x)

    text = str(examine(exercise("gelu"), gelu))
    assert IS_RANDOM not in text and REMEMBERS not in text


def test_what_torch_does_otherwise_under_a_watch_is_no_memory() -> None:
    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        return x + torch._C._len_torch_function_stack()  # as a kernel that takes other shapes under a watch

    assert REMEMBERS not in str(examine(exercise("gelu"), gelu))


def test_code_that_names_float32_is_right_where_the_probes_take_float64() -> None:
    def apply_rotary(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        if x.size(-1) % 2:
            raise ValueError(x.shape)
        speed = 1.0 / base ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
        angle = torch.einsum("i,j->ij", positions.float(), speed)  # two dtypes, where the default is float64
        turned = torch.view_as_complex(x.float().unflatten(-1, (-1, 2))) * torch.polar(torch.ones_like(angle), angle)
        return torch.view_as_real(turned).flatten(-2).type_as(x)

    assert examine(exercise("apply_rotary"), apply_rotary).passed


# Parameters of one's own ----------------------------------------------------------------------------


class NamedOtherwise(nn.Module):
    """A layer norm that is wrong, under names that no mistake uses."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model))

    def forward(self, x: Tensor) -> Tensor:
        return self.gamma * x.tanh() + self.beta


class OneNameOfTheirs(NamedOtherwise):
    """The same under the names that it should have."""

    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__(d_model)
        self.weight, self.bias = self.gamma, self.beta
        del self.gamma, self.beta

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x.tanh() + self.bias


@pytest.mark.parametrize(("layer", "tried"), [(NamedOtherwise, False), (OneNameOfTheirs, True)])
def test_pairs_are_not_tried_on_parameters_that_no_mistake_has(
    layer: type[nn.Module], tried: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    def no_pairs(*given: Any) -> list[Any]:
        asked.append(given)
        return []

    monkeypatch.setattr(explaining, "likely_pairs", no_pairs)
    report = examine(exercise("LayerNorm"), layer)
    assert report.status == "wrong"
    assert report.mistake is None
    assert bool(asked) is tried


def test_what_numpy_draws_is_chance_and_no_memory() -> None:
    def gelu(x: Tensor, approximate: str = "none") -> Tensor:
        return x * torch.special.ndtr(x) + float(np.random.rand())

    text = str(examine(exercise("gelu"), gelu))
    assert IS_RANDOM in text and REMEMBERS not in text


def test_a_check_leaves_the_learners_random_numbers_as_they_were() -> None:
    np.random.seed(5)
    random.seed(5)
    expected = np.random.rand(), random.random()
    np.random.seed(5)
    random.seed(5)
    examine(exercise("gelu"), lambda x, approximate="none": x + np.random.rand() + random.random())
    assert (np.random.rand(), random.random()) == expected


@pytest.mark.parametrize("names", [["variance over n - 1"], ["eps as a lower bound", "no root"]])
def test_on_secret_draws_only_what_is_found_is_made(names: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What every mistake gives is stored for the practice draws: these give the candidates."""
    one = exercise("normalize")
    known = {mistake.name: mistake for mistake in reversed(Oracle().mistakes(one))}
    wrong = lonely(one, [known[name] for name in names])
    made, run = [], oracle._run

    def noted(implementation: Any, probe: Any, seed: int) -> Any:
        made.append(implementation)
        return run(implementation, probe, seed)

    monkeypatch.setattr(oracle, "_run", noted)
    monkeypatch.setattr(LiveOracle, "table", lambda *_: pytest.fail("all mistakes are made on secret draws"))
    report = examine(one, wrong, [2**40 + 7, 2**41 + 7])
    assert set((report.mistake or "").split(" + ")) == set(names)
    assert len(set(made)) == 2 or len(names) > 1, "the reference, and what is found"
