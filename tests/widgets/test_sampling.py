"""The sampling lab: what it shows is what the learner's function gives, over the whole vocabulary."""

import numpy as np
import pytest
import torch

from autograder.stand_ins.decoding import next_token_probs
from course.widgets import SamplingLab
from course.widgets.sampling import DRAWS, _probs

LOGITS = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
WORDS = ["the", "cat", "sat", "on"]
MANY = torch.randn(2000, generator=torch.Generator().manual_seed(0)) * 3


def sent(packed):
    return np.frombuffer(packed["data"], "<f4")


@pytest.mark.parametrize(
    ("knobs", "expected"),
    [
        ({}, [0.5, 0.3, 0.15, 0.05]),
        ({"temperature": 0.5}, np.array([0.25, 0.09, 0.0225, 0.0025]) / 0.365),
        ({"top_k": 2}, [0.625, 0.375, 0, 0]),
        ({"top_p": 0.6}, [0.625, 0.375, 0, 0]),
        ({"top_k": 3, "top_p": 0.4}, [1, 0, 0, 0]),
    ],
)
def test_the_numbers_are_right_and_begin_with_the_best_token(knobs, expected):
    order = [2, 0, 3, 1]
    widget = SamplingLab(next_token_probs, LOGITS[order], [WORDS[i] for i in order], **knobs)
    assert widget.data["tokens"] == WORDS
    assert np.allclose(sent(widget.data["probs"]), expected, atol=1e-6)
    assert np.allclose(sent(widget.data["plain"]), [0.5, 0.3, 0.15, 0.05], atol=1e-6)
    assert widget.problems == [] and widget.data["yours"]


def test_the_learners_function_is_asked_at_every_turn_of_a_knob():
    asked = []

    def mine(logits, temperature=1.0, top_k=None, top_p=None):
        asked.append((round(temperature, 2), top_k, top_p))
        return next_token_probs(logits, temperature, top_k, top_p)

    widget = SamplingLab(mine, LOGITS)
    widget.temperature, widget.top_k, widget.top_p = 2.0, 3, 0.5
    assert asked == [(1.0, None, None), (2.0, None, None), (2.0, 3, None), (2.0, 3, 0.5)]


def test_the_whole_vocabulary_is_there_and_what_is_cut_is_counted():
    widget = SamplingLab(next_token_probs, MANY, top_p=0.9)
    assert len(sent(widget.data["probs"])) == len(widget.data["tokens"]) == 2000
    kept = int((widget.probs > 0).sum())
    assert 1 < kept < 2000
    assert widget.caption.startswith(f"{kept} of 2000 tokens can be drawn")
    assert abs(widget.probs.sum() - 1) < 1e-4


FAR = torch.tensor([0.0, -1.0, -5.0, -12.0, -100.0])


def test_what_is_rounded_to_0_is_not_counted_as_cut():
    widget = SamplingLab(next_token_probs, FAR, temperature=0.1)
    assert widget.data["rounded"] == [False, False, False, True, True]
    expected = "5 of 5 tokens can be drawn, though 2 are so improbable as to be rounded to 0; as open as"
    assert widget.caption.startswith(expected) and widget.caption in widget.alt
    assert widget.caption.endswith("What is cut has 0 of the model's own distribution.")
    widget.top_k = 4
    assert widget.data["rounded"] == [False, False, False, True, False]
    assert widget.caption.startswith("4 of 5 tokens can be drawn, though 1 is so improbable")
    widget.top_p = 0.9
    assert widget.data["rounded"] == [False] * 5
    assert widget.caption.startswith("1 of 5 tokens can be drawn; as open as")


def test_a_token_that_only_the_learners_function_drops_is_cut():
    widget = SamplingLab(lambda logits, *_: torch.eye(4)[0], LOGITS)
    assert widget.data["rounded"] == [False] * 4 and widget.caption.startswith("1 of 4 tokens can be drawn;")


def test_the_draws_follow_the_distribution_and_another_seed_draws_others():
    widget = SamplingLab(next_token_probs, MANY)
    before = widget.drawn
    assert len(before) == DRAWS
    widget.seed = 1
    assert widget.drawn != before
    widget.top_k = 1
    assert widget.data["drawn"] == f"{int(MANY.argmax())} × {DRAWS}"


def test_the_learners_random_numbers_are_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    SamplingLab(next_token_probs, LOGITS)
    assert torch.equal(torch.rand(2), expected)


def unwritten(*_):
    raise NotImplementedError


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (unwritten, "`unwritten` is not written yet. The stand-in is used instead."),
        (lambda *_: None, "is there a `return`? The stand-in is used instead."),
        (lambda logits, *_: logits[:2], "returned shape (2,); expected (4,). The stand-in is used instead."),
        (lambda logits: logits, "raised TypeError"),
    ],
)
def test_a_failing_function_is_told_in_words_and_the_stand_in_is_used(given, words):
    widget = SamplingLab(given, LOGITS)
    assert words in widget.problems[0]
    assert not widget.data["yours"]
    assert np.allclose(widget.probs, [0.5, 0.3, 0.15, 0.05], atol=1e-6)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda logits, *_: logits.softmax(0) / 2, "The probabilities sum to 0.50, not to 1."),
        (lambda logits, *_: logits.softmax(0) * torch.nan, "4 of 4 probabilities are NaN."),
        (lambda logits, *_: logits.log_softmax(0), "4 of 4 probabilities are below 0."),
        (lambda logits, *_: torch.eye(4)[3], "most at “on”: 1.00 against 0.05."),
    ],
)
def test_a_wrong_distribution_is_shown_and_told(given, words):
    widget = SamplingLab(given, LOGITS, WORDS)
    assert any(words in one for one in widget.problems), widget.problems
    assert widget.data["yours"]
    assert widget.plot().png()


def test_words_and_figure_hold_what_is_chosen():
    widget = SamplingLab(next_token_probs, LOGITS, WORDS, temperature=2.0, top_k=2)
    assert "temperature 2.00, top_k 2, top_p None" in widget.alt and "2 of 4 tokens" in widget.alt
    model, drawn = widget.plot().axes[0].lines
    assert len(model.get_ydata()) == 4 and len(drawn.get_ydata()) == 2


def test_without_the_stand_ins_the_same_lines_are_at_hand():
    for knobs in ((1.0, None, None), (2.0, 5, None), (0.7, None, 0.6), (3.0, 40, 0.8)):
        assert torch.allclose(_probs(MANY, *knobs), next_token_probs(MANY, *knobs), atol=1e-7)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"next_token_probs": 3}, "next_token_probs is 3; give your function"),
        ({"logits": torch.zeros(2, 4)}, "logits is shape (2, 4); give the scores of one place"),
        ({"logits": [1.0, 2.0]}, "logits is a list; give the scores of one place"),
        ({"tokens": ["a"]}, "tokens is 1 names; give a list of 4"),
        ({"temperature": 0}, "temperature=0; give 0.1 to 5.0"),
        ({"top_k": 5}, "top_k=5; give 1 to 4, or None"),
        ({"top_p": 0}, "top_p=0; give 0.01 to 1, or None"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        SamplingLab(**{"next_token_probs": next_token_probs, "logits": LOGITS, **arguments})
    assert words in str(error.value)
