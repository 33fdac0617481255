"""The cross-attention stepper: which weights it takes, what it says about a row, which errors it sees."""

import numpy as np
import pytest
import torch

from course.widgets import CrossAttentionStepper
from course.widgets.alignment import reads_text
from tests.widgets.parts import alignment

SOURCE = ["twenty", "one", "<eos>"]
TARGET = ["<bos>", "ein", "und", "zwanzig"]


def make(**changed):
    return CrossAttentionStepper(**{"weights": alignment(), "source": SOURCE, "target": TARGET, **changed})


@pytest.mark.parametrize("form", ["list", "tuple", "single", "without batch"])
def test_every_form_of_weights_is_taken(form):
    layers = alignment()
    given = {"list": layers, "tuple": tuple(layers), "single": layers[1], "without batch": layers[1][0]}[form]
    widget = make(weights=given, head=1)
    assert np.array_equal(widget.map(), layers[1][0, 1].numpy())
    assert widget.weights.shape[0] == (2 if form in ("list", "tuple") else 1)


def test_weights_that_need_a_gradient_are_taken_and_left_alone():
    weights = alignment()[0].requires_grad_()
    widget = make(weights=weights)
    widget.weights[:] = 0
    assert torch.equal(weights.detach(), alignment()[0])


def test_of_a_batch_the_first_item_is_shown():
    weights = torch.cat([alignment()[0], alignment()[1]])
    assert np.array_equal(make(weights=weights, head=0).map(), alignment()[0][0, 0].numpy())


def test_the_mean_of_all_heads():
    widget = make(layer=0)
    assert np.allclose(widget.map(), alignment()[0][0].mean(0), atol=1e-7)
    widget.head = 0
    assert widget.reads(3) == "`zwanzig` reads `<eos>` 1.00; the other 2 together 0."


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.93, 0.05, 0.01, 0.006, 0.004], "`x` reads `a` 0.93, `b` 0.05, `c` 0.01; the other 2 together 0.01."),
        ([0.25, 0.75], "`x` reads `b` 0.75, `a` 0.25."),
        ([0.996, 0.004], "`x` reads `a` 1.00, `b` 0.0040."),
        ([1.0], "`x` reads `a` 1.00."),
        ([0.25, 0.25, 0.25, 0.25], "`x` reads `a` 0.25, `b` 0.25, `c` 0.25, `d` 0.25."),
        ([0.0, 0.0], "`x` reads nothing."),
        ([0.004, 0.004], "`x` reads no token by 0.01 or more."),
        ([0.5, float("nan")], "`x` reads NaN."),
    ],
)
def test_a_row_in_words(row, said):
    assert reads_text("x", row, "abcde"[: len(row)]) == said


def test_the_alt_text_holds_the_numbers_of_every_row():
    widget = make(layer=0, head=0)
    assert "und reads one 0.94, twenty 0.06" in widget.alt
    assert "zwanzig reads <eos> 1.00" in widget.alt
    assert "layer 0, head 0" in widget.alt and widget.alt.endswith("No problems.")


def test_rows_that_do_not_sum_to_one_and_nan_are_told_wherever_they_are():
    layers = alignment()
    layers[0][0, 1, 2] *= 0.5
    layers[1][0, 0, 0, 0] = torch.nan
    widget = make(weights=layers, layer=0, head=1)
    assert widget.problems == ["1 row does not sum to 1: und 0.50."]
    assert widget.data["wrong"] == [[0, 1], [1, 0]]
    widget.layer, widget.head = 1, -1
    assert widget.problems == ["1 row is NaN: <bos>."]
    assert widget.plot().png()
    widget.head = 1
    assert widget.problems == []


def test_a_weight_below_zero_is_told():
    layers = alignment()
    layers[0][0, 0, 0] = torch.tensor([1.25, -0.25, 0])
    assert make(weights=layers[0], head=0).problems == ["A weight is below 0: <bos> → one −0.25."]


def test_names_are_positions_when_none_are_given():
    widget = CrossAttentionStepper(alignment())
    assert widget.source == ["0", "1", "2"] and widget.target == ["0", "1", "2", "3"]


def test_what_is_chosen_out_of_range_is_the_last():
    widget = make()
    widget.step, widget.layer, widget.head = 99, 99, 99
    assert np.array_equal(widget.map(), alignment()[1][0, 1].numpy())
    assert "zwanzig" in widget.plot().axes[0].get_title(loc="left")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"weights": [[0.5, 0.5]]}, "weights is a list; give a float tensor"),
        ({"weights": torch.ones(2, 4, 3, dtype=torch.long)}, "weights is a tensor of torch.int64; give a float tensor"),
        ({"weights": torch.ones(4, 3)}, "weights has shape (4, 3); give (heads, tgt, src), (1, heads, tgt, src)"),
        ({"weights": torch.ones(2, 0, 3)}, "weights has shape (2, 0, 3); give"),
        ({"weights": torch.ones(2, 4, 40)}, "weights has shape (2, 4, 40); at most 32 tokens can be drawn"),
        ({"weights": []}, "weights has layers of no layer; give tensors of one shape"),
        ({"weights": [torch.ones(2, 4, 3), torch.ones(2, 4, 4)]}, "layers of (2, 4, 3) and (2, 4, 4); give tensors"),
        ({"weights": (alignment(), alignment())}, "weights is a pair of lists; give the second of them"),
        ({"source": ["a"]}, "source is 1 names; give a list of 3"),
        ({"target": "zwanzig"}, "target is the text 'zwanzig'; give a list of 4"),
        ({"step": 4}, "step=4; give a whole number from 0 to 3"),
        ({"layer": 2}, "layer=2; give a whole number from 0 to 1"),
        ({"head": 2}, "head=2; give a whole number from -1 to 1"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        make(**arguments)
    assert words in str(error.value)
