"""The strip of lesson 14 that says where one model beats another."""

import pytest

from course.strips import GainStrip


def strip() -> GainStrip:
    return GainStrip(["the", " <b>", "\n"], [1.0, 0.5, 3.0], [1.5, 4.5, 2.0], ("your GPT", "the 5-gram"))


def test_the_colour_says_who_was_better_and_by_how_much() -> None:
    html = strip()._repr_html_()
    chips = html.split('class="course-strips"')[1].split("<small>")[0]
    looks = [part.split(")")[0] for part in chips.split("rgba(")[1:]]
    assert looks == ["66,133,200,0.09", "66,133,200,0.70", "217,119,60,0.17"]
    assert "your GPT 0.50, the 5-gram 4.50 nats" in chips
    assert "␣&lt;b&gt;" in chips and "<b>" not in chips and "⏎" in chips


def test_words_say_what_colours_do() -> None:
    found = strip()
    assert found.caption == "your GPT is better at 2 of 3 tokens than the 5-gram, and 1.17 nats cheaper on average."
    assert found.caption in found._repr_html_() and found.caption in repr(found)
    assert repr(found).splitlines()[2].split() == ["␣<b>", "0.50", "against", "4.50"]
    worse = GainStrip(["a"], [2.0], [1.0], ("a", "b"))
    assert worse.caption == "a is better at 0 of 1 tokens than b, and 1.00 nats dearer on average."


def test_lengths_must_fit() -> None:
    with pytest.raises(ValueError, match="2 tokens, 1 and 2 losses"):
        GainStrip(["a", "b"], [1.0], [1.0, 2.0], ("a", "b"))
