"""The mask playground: presets, painting, what moves when a token changes."""

import pytest
import torch

from course.widgets import MaskPlayground
from course.widgets.playground import preset_mask
from tests.widgets.parts import TOKENS, attention, unmasked, zeroed_after


def paint(widget, mask):
    widget.painted = mask.int().flatten().tolist()


def sent(packed):
    flat = torch.frombuffer(bytearray(packed["data"]), dtype=torch.float32)
    return flat.reshape(packed["shape"])


def test_presets():
    tokens = ["a", "b", "<pad>"]
    causal = torch.ones(3, 3).tril().bool()
    assert torch.equal(preset_mask("causal", tokens), causal)
    assert torch.equal(preset_mask("causal, off by one", tokens), torch.ones(3, 3).tril(1).bool())
    assert preset_mask("padding", tokens)[:, 2].any().item() is False
    assert preset_mask("padding", ["a", "b"]).tolist() == [[True, False], [True, False]]
    assert preset_mask("none", tokens).all()


def test_a_right_attention_under_a_causal_mask_has_no_leak():
    widget = MaskPlayground(TOKENS, attention=attention)
    assert widget.problems == []
    assert widget.moved[:2].tolist() == [0, 0]
    assert widget.moved[2] > 0
    assert "No leak" in widget.notes[0]


def test_painting_asks_the_attention_again():
    widget = MaskPlayground(TOKENS, attention=attention)
    mask = torch.tensor([[True, False, False], [False, True, False], [True, True, True]])
    paint(widget, mask)
    expected = attention(widget.x, widget.x, widget.x, mask)[1]
    assert torch.allclose(sent(widget.data["weights"]), expected)
    assert widget.data["painted"] == mask.int().flatten().tolist()


def test_off_by_one_leaks_the_next_token():
    widget = MaskPlayground(TOKENS, preset_mask("causal, off by one", TOKENS), attention)
    assert widget.leaks == [1]
    assert widget.problems[0].startswith("Changing “sat” moved earlier outputs: cat by ")
    assert "the → cat, cat → sat. The future leaks." in widget.problems[1]


def test_without_a_mask_looking_ahead_is_a_note_and_no_problem():
    widget = MaskPlayground(TOKENS, preset_mask("none", TOKENS), attention)
    assert widget.problems == [] and widget.leaks == []
    assert "Right in an encoder" in widget.notes[0]


@pytest.mark.parametrize("wrong", [unmasked, zeroed_after])
def test_an_attention_that_lets_the_future_through_is_caught(wrong):
    widget = MaskPlayground(TOKENS, attention=wrong)
    assert widget.leaks == [0, 1]
    assert any("moved outputs that may not see it: the by " in line for line in widget.problems)


def test_changing_another_token_by_another_amount():
    widget = MaskPlayground(TOKENS, attention=attention)
    widget.changed = 0
    assert (widget.moved > 0).all()
    small = widget.moved.copy()
    widget.amount = 3.0
    assert widget.moved[0] > small[0]
    widget.amount = 0.0
    assert widget.moved.tolist() == [0, 0, 0]
    assert widget.problems == []


def test_a_function_that_fails_later_shows_the_stand_in_and_says_so():
    def only_causal(q, k, v, mask=None):
        if mask is not None and mask.all():
            raise RuntimeError("cannot")
        return attention(q, k, v, mask)

    widget = MaskPlayground(TOKENS, attention=only_causal)
    assert widget.problems == []
    paint(widget, torch.ones(3, 3))
    assert widget.problems[0] == "`only_causal` raised RuntimeError: cannot. The stand-in is shown instead."
    assert torch.allclose(sent(widget.data["weights"]), attention(widget.x, widget.x, widget.x)[1])
    paint(widget, torch.ones(3, 3).tril())
    assert widget.problems == []


def test_the_callers_vectors_are_used_and_kept():
    x = torch.randn(3, 4)
    before = x.clone()
    widget = MaskPlayground(TOKENS, attention=attention, x=x)
    expected = attention(x, x, x, torch.ones(3, 3).tril().bool())[1]
    assert torch.allclose(sent(widget.data["weights"]), expected)
    assert torch.equal(x, before)


def test_nan_moves_are_leaks_not_silence():
    def broken(q, k, v, mask=None):
        output, weights = attention(q, k, v, mask)
        return output * torch.nan, weights

    assert MaskPlayground(TOKENS, attention=broken).leaks == [0, 1]


def test_the_picture_names_what_moves():
    widget = MaskPlayground(TOKENS, attention=attention)
    words = [text.get_text().strip() for text in widget.plot().axes[2].texts]
    assert words[:2] == ["still", "still"]
    assert "moves the outputs of: sat." in widget.alt


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"tokens": "abc"}, "tokens is the text 'abc'; give a list of 2 to 24 names"),
        ({"tokens": ["a"]}, "tokens is 1 names"),
        ({"mask": torch.ones(3, 3)}, "boolean"),
        ({"mask": torch.ones(2, 2, dtype=torch.bool)}, "it must broadcast to (3, 3)"),
        ({"x": torch.randn(2, 4)}, "give (3, d_model)"),
        ({"changed": 3}, "changed=3 is no position; give 0 to 2"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        MaskPlayground(**{"tokens": TOKENS, **arguments})
    assert words in str(error.value)
