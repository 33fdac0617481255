"""The attention stepper: what it computes, what it says, and that a learner's error never stops it."""

import numpy as np
import pytest
import torch

from course.widgets import AttentionStepper
from course.widgets.stand_ins import attention_scores as own_scores
from course.widgets.stand_ins import scaled_dot_product_attention as own_attention
from tests.widgets.parts import (
    CAUSAL,
    TOKENS,
    X,
    attention,
    attention_scores,
    unmasked,
    unscaled,
    zeroed_after,
)


def stepper(scores=attention_scores, function=attention, mask=CAUSAL, **more):
    return AttentionStepper(X, X, X, mask, TOKENS, mine=(scores, function), **more)


def test_right_functions_have_no_problems():
    widget = stepper()
    assert widget.problems() == []
    assert "No problems." in widget.alt


def test_the_stand_in_is_torchs_attention():
    q, k, v = (torch.randn(2, 3, 5, 8) for _ in range(3))
    mask = torch.rand(5, 5) < 0.7
    mask.fill_diagonal_(True)
    expected = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    output, weights = own_attention(q, k, v, mask)
    assert torch.allclose(output, expected, atol=1e-6)
    assert torch.allclose(weights.sum(-1), torch.ones(2, 3, 5), atol=1e-6)
    assert torch.allclose(own_scores(q, k), q @ k.mT / 8**0.5)


def test_the_stand_in_gives_zero_for_a_fully_masked_row():
    mask = torch.tensor([[False] * 3, [True] * 3, [True] * 3])
    output, weights = own_attention(X, X, X, mask)
    assert weights[0].tolist() == [0, 0, 0]
    assert output[0].tolist() == [0, 0, 0, 0]


def test_a_missing_scale_is_found_at_stage_2_with_its_factor():
    said = stepper(scores=unscaled).comparison()
    assert said == "Yours first differs at stage 2: every score is 2.00 times the stand-in's."


def test_weights_zeroed_after_the_softmax_are_found_at_stage_4():
    problems = stepper(function=zeroed_after).problems()
    assert problems[0].startswith("Yours first differs at stage 4: only rows in which something is masked")
    assert problems[1].startswith("2 rows do not sum to 1: the ")


def test_an_ignored_mask_leaks():
    assert any("future leaks" in line for line in stepper(function=unmasked).problems())


def test_transposed_scores_are_called_transposed():
    widget = AttentionStepper(X, X.roll(1, 1), X, mine=(lambda q, k: attention_scores(k, q), attention))
    assert widget.comparison() == "Yours first differs at stage 2: your scores are the stand-in's, transposed."


def test_nan_is_named_with_its_row():
    def broken(q, k, v, mask=None):
        output, weights = attention(q, k, v, mask)
        weights[1, 0] = torch.nan
        return output, weights

    problems = stepper(function=broken).problems()
    assert "1 row is NaN: cat." in problems
    assert "NaN against" in problems[0]


def raises(*_):
    raise ValueError("no such thing\nsecond line")


def not_written(*_):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (not_written, "`not_written` is not written yet."),
        (raises, "`raises` raised ValueError: no such thing."),
        (lambda *_: None, "None where the pair (output, weights) is expected"),
        (lambda *_: X, "a Tensor where the pair (output, weights) is expected"),
        (lambda *_: (X, X), "weights of shape (3, 4); expected (3, 3)"),
        (lambda *_: ("a", "b"), "a str where a tensor is expected"),
    ],
)
def test_a_failing_function_is_told_in_words_and_the_stand_in_is_shown(function, words):
    widget = stepper(function=function)
    assert words in " ".join(widget.troubles)
    assert "The stand-in is shown instead." in widget.troubles[0]
    theirs = widget.stand_in.weights
    assert theirs is not None
    assert np.array_equal(widget.shown("weights", 0), theirs[0])
    assert widget.plot().png()


def test_swapped_results_are_told():
    widget = stepper(function=lambda *a: tuple(reversed(attention(*a))))
    assert "an output of shape (3, 3); expected (3, 4)" in " ".join(widget.troubles)


def test_a_function_that_writes_into_its_arguments_changes_nothing():
    def in_place(q, k, v, mask=None):
        q.mul_(0)
        return attention(q, k, v, mask)

    before = X.clone()
    widget = stepper(function=in_place)
    assert torch.equal(X, before)
    assert torch.equal(torch.from_numpy(widget.stand_in.raw[0]), X @ X.T)


def test_only_one_function_may_be_given():
    widget = stepper(scores=None)
    assert widget.troubles == ["`attention_scores` was not given. The stand-in is shown instead."]


def test_heads_and_the_first_batch_item_are_taken():
    q, k, v = (torch.randn(2, 3, n, 8) for n in (4, 5, 5))
    mask = torch.ones(2, 1, 1, 5, dtype=torch.bool)
    mask[0, ..., -1] = False
    widget = AttentionStepper(q, k, v, mask, mine=(attention_scores, attention))
    assert widget.num_heads == 3
    assert widget.problems(2) == []
    assert np.allclose(widget.shown("output", 2), attention(q, k, v, mask)[0][0, 2], atol=1e-6)
    assert widget.allowed is not None
    assert not widget.allowed[..., -1].any()


def test_stages_1_to_3_share_one_scale():
    widget = stepper(scores=unscaled)
    assert widget.limit("raw") == widget.limit("scores") == widget.limit("masked")
    assert widget.limit("raw") == float((X @ X.T).abs().max())
    assert widget.limit("weights") == 1


def test_the_picture_has_the_same_numbers():
    picture = stepper().plot()
    written = {text.get_text() for ax in picture.axes for text in ax.texts}
    weights = attention(X, X, X, CAUSAL)[1]
    assert f"{weights[2, 0]:.2f}" in written
    assert {ax.get_xlabel() for ax in picture.axes} >= {"key (is read)", "feature"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"q": [1, 2]}, "q is a list; give a float tensor"),
        ({"q": X.int()}, "q is a tensor of torch.int32; give a float tensor"),
        ({"q": X[0]}, "q has shape (4,); give"),
        ({"q": torch.randn(65, 4)}, "at most 64"),
        ({"k": torch.randn(3, 5)}, "q has 4 features and k has 5"),
        ({"features": ["common", "noun"]}, "features is 2 names; give a list of"),
        ({"v": torch.randn(4, 4)}, "k has 3 tokens and v has 4"),
        ({"v": torch.randn(1, 3, 4)}, "batch and heads must agree"),
        ({"mask": CAUSAL.float()}, 'boolean tensor in which True means "may look"'),
        ({"mask": torch.ones(4, 4, dtype=torch.bool)}, "it must broadcast to (3, 3)"),
        ({"tokens": ["a"]}, "tokens is 1 names; give a list of 3"),
        ({"tokens": "abc"}, "tokens is the text 'abc'"),
        ({"key_tokens": ["a"]}, "key_tokens is 1 names"),
        ({"mine": attention}, "give the pair"),
        ({"mine": (1, 2)}, "give the pair"),
        ({"stage": 6}, "stage=6"),
        ({"stand_in": (raises, attention)}, "stand_in does not work here: `raises` raised"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        AttentionStepper(**{"q": X, "k": X, "v": X, **arguments})
    assert words in str(error.value)
