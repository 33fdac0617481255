"""The position explorer: what it measures in the learner's table, and which errors it sees there."""

import math

import numpy as np
import pytest
import torch

from course.widgets import PositionExplorer
from course.widgets.positions import band, by_place, paper_table, turn, wave_text
from tests.widgets.parts import angles, growing, sinusoids


def sent(packed):
    flat = torch.frombuffer(bytearray(packed["data"]), dtype=torch.float32)
    return flat.reshape(packed["shape"])


def test_a_right_table_has_no_problems_and_is_what_is_sent():
    widget = PositionExplorer(sinusoids, max_len=20, d_model=8)
    assert widget.yours and widget.problems == []
    assert torch.allclose(sent(widget.data["table"]), sinusoids(20, 8))
    assert torch.allclose(sent(widget.data["dots"]), sinusoids(20, 8) @ sinusoids(20, 8).T, atol=1e-5)


@pytest.mark.parametrize("d_model", [2, 4, 10, 32, 64, 128])
def test_right_tables_of_every_width_have_no_problems(d_model):
    assert PositionExplorer(sinusoids, d_model=d_model).problems == []
    assert np.allclose(paper_table(64, d_model), sinusoids(64, d_model), atol=1e-5)


@pytest.mark.parametrize("pair", [0, 3, 8, 15])
def test_wavelengths_are_measured_in_the_learners_numbers(pair):
    widget = PositionExplorer(lambda n, d: sinusoids(n, d, base=50.0))
    length = 2 * math.pi * 50.0 ** (2 * pair / 32)
    assert 2 * math.pi / widget.turn(pair) == pytest.approx(length, rel=1e-4)


def test_slow_and_fast_features_are_told_in_words():
    widget = PositionExplorer(sinusoids)
    assert widget.data["waves"][0] == "Features 0 and 1 come round every 6.28 positions."
    assert widget.data["waves"][3] == "Features 6 and 7 come round every 35.33 positions."
    slow = "Features 30 and 31 come round every 35333 positions: over these 64 they turn by 0.18 % of a circle."
    assert widget.data["waves"][15] == slow
    assert slow in widget.alt


def test_a_pair_that_does_not_turn_steadily_has_no_wavelength():
    drawn = np.random.default_rng(0).normal(size=(2, 20))
    assert turn(*drawn) is None
    quickens = 0.01 * np.arange(20.0) ** 2
    assert turn(np.sin(quickens), np.cos(quickens)) is None
    assert turn(np.full(5, np.nan), np.zeros(5)) is None
    assert wave_text(1, None, 20) == "Features 2 and 3 are not the sine and the cosine of one steady angle."
    assert wave_text(0, 0.0, 20) == "Features 0 and 1 stand still over these 20 positions."


def test_the_learners_function_is_called_again_for_another_width():
    asked = []

    def encoding(max_len, d_model):
        asked.append((max_len, d_model))
        return sinusoids(max_len, d_model)

    widget = PositionExplorer(encoding, max_len=12, d_model=8)
    widget.d_model = 6
    assert asked == [(12, 8), (12, 6)]
    assert widget.data["table"]["shape"] == [12, 6]
    widget.position = 3
    assert len(asked) == 2, "another position needs no other table"


def test_the_band_spans_the_dot_products_at_each_distance():
    dots = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9]])
    low, high = band(dots)
    assert low.tolist() == [7, 4, 1, 2, 3] and high.tolist() == [7, 8, 9, 6, 3]
    assert by_place(dots) == (
        "The dot product of a position with itself runs from 1.00 to 9.00: it depends on the place, "
        "not on the distance alone."
    )
    assert by_place(np.array([[2.0, 1], [1, 2]])) == ""


def halves(n, d):
    table = sinusoids(n, d)
    return torch.cat([table[:, 0::2], table[:, 1::2]], 1)


def cosine_first(n, d):
    return torch.stack([angles(n, d).cos(), angles(n, d).sin()], -1).flatten(1)


def sines_only(n, d):
    return angles(n, d).sin().repeat_interleave(2, 1)


def with_nan(n, d):
    table = sinusoids(n, d)
    table[3] = torch.nan
    table[5, 0] = torch.inf
    return table


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        (
            lambda n, d: sinusoids(n, d, 1000.0),
            "Features 2 and 3 come round every 9.68 positions. In the paper",
        ),
        (halves, "Yours holds all sines, then all cosines: another layout."),
        (cosine_first, "Yours differs from the paper's table: the number furthest off is position"),
        (sines_only, "No pair of features (2i, 2i + 1) is the sine and the cosine of one steady angle."),
        (growing, "The dot product of a position with itself runs from 4.00 to 16.00: it depends on the place"),
        (lambda n, d: 2 * sinusoids(n, d), "The numbers run from −2.00 to 2.00: no sine or cosine leaves −1 to 1."),
        (
            lambda n, d: sinusoids(n, d)[1:2].expand(n, d),
            "All positions have the same vector: nothing tells",
        ),
        (lambda n, d: sinusoids(n, d)[[*range(n - 1), 2]], "1 pair of positions has the same vector: 2 and 63."),
        (with_nan, "2 positions have NaN or infinite numbers: 3, 5."),
    ],
)
def test_a_wrong_table_is_shown_and_what_is_seen_is_said(encoding, words):
    widget = PositionExplorer(encoding)
    assert widget.yours
    assert any(line.startswith(words) for line in widget.problems), widget.problems
    assert widget.plot().png()


def test_one_wrong_pair_is_named():
    def encoding(n, d):
        table = sinusoids(n, d)
        table[:, 4] = 0.5
        return table

    said = "1 pair of features is not the sine and the cosine of one steady angle: (4, 5)."
    assert PositionExplorer(encoding).problems[0] == said


def unwritten(max_len, d_model):
    raise NotImplementedError


def raising(max_len, d_model):
    return torch.zeros(max_len, d_model) + torch.zeros(max_len, 3)


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        (unwritten, "`unwritten` is not written yet."),
        (raising, "`raising` raised RuntimeError"),
        (lambda n, d: None, "is there a `return`?"),
        (lambda n, d: sinusoids(n, d).T, "returned shape (32, 64); expected (64, 32)."),
        (lambda n, d: sinusoids(n, d).numpy(), "returned a ndarray where a tensor is expected."),
    ],
)
def test_a_failing_function_is_told_in_words_and_the_papers_table_is_shown(encoding, words):
    widget = PositionExplorer(encoding)
    assert not widget.yours
    assert words in widget.problems[0] and "The paper's table is shown instead." in widget.problems[0]
    assert np.array_equal(widget.table, paper_table(64, 32))


def test_a_function_that_fails_for_one_width_recovers_with_the_next():
    def encoding(max_len, d_model):
        if d_model == 6:
            raise ValueError("six is too few")
        return sinusoids(max_len, d_model)

    widget = PositionExplorer(encoding, 12, 8)
    widget.d_model = 6
    assert "`encoding` raised ValueError: six is too few." in widget.problems[0]
    widget.d_model = 4
    assert widget.problems == []


def test_a_position_beyond_the_table_is_its_last():
    widget = PositionExplorer(sinusoids, 8, 4)
    widget.position, widget.pair = 100, 100
    assert "Dot product of position 7 with itself 2.00" in widget.alt
    assert widget.plot().png()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"encoding": 3}, "encoding is 3; give your sinusoidal_encoding"),
        ({"d_model": 7}, "d_model=7 is odd; sine and cosine come in pairs, so give an even number"),
        ({"d_model": 0}, "d_model=0; give a whole number from 2 to 128"),
        ({"d_model": 130}, "d_model=130; give a whole number from 2 to 128"),
        ({"max_len": 1}, "max_len=1; give a whole number from 2 to 128"),
        ({"max_len": 8.0}, "max_len=8.0; give a whole number from 2 to 128"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        PositionExplorer(**{"encoding": sinusoids, **arguments})
    assert str(error.value) == words
