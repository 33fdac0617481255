"""The norm explorer: what each kind computes, the learner's LayerNorm, its errors."""

import numpy as np
import pytest
import torch
from torch import nn

from course.toy import toy
from course.widgets import NormExplorer
from course.widgets.norms import axis_end
from tests.widgets.parts import TOKENS, X


def normalize(x, eps=1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return centred / (x.var(-1, keepdim=True, correction=0) + eps).sqrt()


def by_n_minus_1(x, eps=1e-5):
    return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + eps)


class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * normalize(x, self.eps) + self.bias


def test_the_three_kinds_equal_torchs_layers():
    x = torch.randn(2, 5, 4) * 3 + 1
    widget = NormExplorer(x)
    assert np.allclose(widget.after, nn.LayerNorm(4)(x).detach().reshape(-1, 4), atol=1e-5)
    widget.kind = "RMSNorm"
    assert np.allclose(widget.after, nn.RMSNorm(4, eps=1e-5)(x).detach().reshape(-1, 4), atol=1e-5)
    widget.kind = "BatchNorm"
    batch = nn.BatchNorm1d(4)(x.reshape(-1, 4)).detach()
    assert np.allclose(widget.after, batch, atol=1e-5)


@pytest.mark.parametrize("mine", [normalize, LayerNorm, LayerNorm(4), nn.LayerNorm])
def test_right_code_has_no_problems_wherever_the_sliders_are(mine):
    widget = NormExplorer(X, mine, tokens=TOKENS)
    widget.eps = 0.5
    widget.weight = [2.0, 1.0, 1.0, -1.0]
    widget.bias = [0.0, 1.0, 0.0, 0.0]
    assert widget.yours and widget.problems == []
    assert widget.after[0, 3] == pytest.approx(-3 / (3.5 + 0.5) ** 0.5)


def test_n_minus_1_is_named_by_its_factor():
    widget = NormExplorer(X, by_n_minus_1, tokens=TOKENS)
    assert widget.problems == ["Yours differs from PyTorch's: every number is 0.87 times PyTorch's."]


def test_only_layernorm_is_the_learners():
    widget = NormExplorer(X, by_n_minus_1)
    widget.kind = "RMSNorm"
    assert not widget.yours and widget.problems == []


class Unfinished(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()

    def forward(self, x):
        raise NotImplementedError


class NoEps(nn.Module):
    def __init__(self, d_model):
        super().__init__()


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        (Unfinished, "`Unfinished` is not written yet."),
        (NoEps, "`NoEps` raised TypeError"),
        (lambda x, eps: x.mean(-1), "returned shape (1, 3); expected (1, 3, 4)."),
        (lambda x, eps: None, "is there a `return`?"),
    ],
)
def test_a_failing_layer_is_told_in_words_and_pytorchs_is_shown(mine, words):
    widget = NormExplorer(X, mine)
    assert words in widget.problems[0]
    assert "PyTorch's is shown instead." in widget.problems[0]
    assert np.allclose(widget.after, nn.LayerNorm(4)(X).detach(), atol=1e-5)


def test_a_constant_token_without_eps_is_nan_and_named():
    x = X.clone()
    x[1] = 3.0
    widget = NormExplorer(x, normalize, tokens=TOKENS, eps=0.0)
    assert "NaN in: cat." in widget.problems
    assert widget.plot().png()


@pytest.mark.parametrize(
    ("most", "end"),
    [(0, 2.5), (0.15, 2.5), (2.5, 2.5), (2.6, 5), (5, 5), (6, 10), (11, 20), (21, 50), (450, 500), (7e30, 1e31)],
)
def test_an_axis_has_few_ends(most, end):
    assert axis_end(np.array([0.0, -most, np.nan], np.float32)) == pytest.approx(end)


def test_the_axes_stand_still_while_eps_and_kind_move():
    widget = NormExplorer(toy(), normalize)
    found = []
    for kind in ("LayerNorm", "BatchNorm", "RMSNorm"):
        for eps in (0.0, 1e-5, 1.0, 100.0):
            widget.kind = kind
            widget.eps = eps
            found.append(widget.data["ends"])
    assert np.abs(widget.after).max() < 0.2
    assert found == [{"before": 2.5, "after": 2.5}] * 12


def test_a_wide_token_has_an_axis_of_its_own_and_it_stands_still_too():
    x = torch.zeros(3, 64)
    x[:, 0] = 1.0
    widget = NormExplorer(x)
    assert widget.data["reach"] == 10.0
    widget.eps = 100.0
    assert widget.data["ends"] == {"before": 2.5, "after": 10.0}


def test_weight_and_bias_widen_the_axis_after_alone():
    widget = NormExplorer(toy())
    widget.bias = [0.0, 0.0, 0.0, 2.0]
    assert widget.data["ends"] == {"before": 2.5, "after": 5.0}
    widget.weight = [3.0] * 4
    assert widget.data["ends"] == {"before": 2.5, "after": 10.0}
    assert widget.data["reach"] == 2.5


def test_the_picture_has_the_same_constant_axis():
    widget = NormExplorer(toy(), eps=100.0)
    assert widget.plot().axes[2].get_xlim() == (-2.5, 2.5)


def test_each_kind_says_which_numbers_it_uses():
    widget = NormExplorer(toy())
    assert list(widget.data["uses"]) == ["LayerNorm", "BatchNorm", "RMSNorm"]
    assert widget.data["uses"]["RMSNorm"] == "mean square of one token's features, no mean"
    widget.kind = "BatchNorm"
    assert "(mean and variance of one feature over all tokens)" in widget.alt


def test_rows_of_a_batch_are_named():
    widget = NormExplorer(torch.randn(2, 3, 4), tokens=TOKENS)
    assert widget.rows == ["A · the", "A · cat", "A · sat", "B · the", "B · cat", "B · sat"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"x": [[1.0]]}, "x is a list; give a float tensor"),
        ({"x": torch.randn(1, 2, 3, 4)}, "give (tokens, features)"),
        ({"x": torch.randn(70, 4)}, "at most 64"),
        ({"x": torch.randn(4, 4, 70)}, "give 1 to 64 rows and features"),
        ({"tokens": ["a"]}, "tokens is 1 names; give a list of 3"),
        ({"kind": "GroupNorm"}, "kind='GroupNorm' is not one of"),
        ({"mine": 3}, "mine is 3"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        NormExplorer(**{"x": X, **arguments})
    assert words in str(error.value)
