"""Lesson 12: the reference and its stand-ins against sacrebleu and each other, the data, and the widget."""

from __future__ import annotations

import os
import random
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import sacrebleu
import torch
from num2words import num2words
from torch import Tensor

from autograder.stand_ins import translation as stand_ins
from course import dates, number_words
from course.number_translator import NumberTranslator, tokens_of, verdict
from solutions import translation as reference
from tests import jupyterlab
from tests.tiers import by_turns

BOTH = pytest.mark.parametrize("ours", [reference, stand_ins], ids=["reference", "stand-in"])

# Measures -----------------------------------------------------------------------------------------


def random_corpus(seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Outputs and references of 0 to 9 of five tokens, more or less alike."""
    chance = random.Random(seed)
    references = [chance.choices("abcde", k=chance.randrange(1, 10)) for _ in range(chance.randrange(1, 9))]
    outputs = [[token for token in one if chance.random() < 0.9] + ["a"] * chance.randrange(3) for one in references]
    return outputs, references


@BOTH
@pytest.mark.parametrize("max_n", [1, 2, 4])
def test_bleu_is_sacrebleus_on_random_corpora(ours: Any, max_n: int) -> None:
    theirs = sacrebleu.metrics.BLEU(tokenize="none", smooth_method="none", max_ngram_order=max_n, force=True)
    scores = []
    for seed in range(100):
        outputs, references = random_corpus(seed)
        texts = [[" ".join(one) for one in side] for side in (outputs, references)]
        scores.append(theirs.corpus_score(texts[0], [texts[1]]).score)
        assert ours.corpus_bleu(outputs, references, max_n) == pytest.approx(scores[-1], abs=1e-9)
    assert len({round(score) for score in scores}) > 20


@BOTH
def test_an_exact_match_has_a_bleu_of_100(ours: Any) -> None:
    pairs = [number_words.german(number) for number in (342, 4_217)]
    assert ours.corpus_bleu(pairs, pairs) == pytest.approx(100)


def test_the_two_exact_matches_agree_on_random_rows() -> None:
    generator = torch.Generator().manual_seed(0)
    rights = 0
    for out_len in (1, 2, 3, 5):
        outputs = torch.randint(0, 4, (400, out_len), generator=generator)
        targets = torch.randint(0, 4, (400, 4), generator=generator)
        targets[:, 3] = 2
        found = reference.exact_match(outputs, targets, 2)
        assert torch.equal(found, stand_ins.exact_match(outputs, targets, 2))
        rights += int(found.sum())
    assert rights > 100


def test_the_two_alignment_shares_agree() -> None:
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        weights = torch.rand(3, 2, 6, 5, generator=generator).softmax(-1)
        wanted = torch.randint(-1, 5, (3, 6), generator=generator)
        expected = reference.alignment_share(weights, wanted)
        assert stand_ins.alignment_share(weights, wanted) == pytest.approx(expected)


@BOTH
def test_bad_input_is_refused(ours: Any) -> None:
    with pytest.raises(ValueError, match="give at least one"):
        ours.pad_batch([])
    with pytest.raises(ValueError, match="2 outputs"):
        ours.exact_match(torch.ones(2, 3), torch.ones(1, 3), 2)
    with pytest.raises(ValueError, match="count"):
        ours.alignment_share(torch.rand(1, 1, 2, 2), torch.full((1, 2), -1))
    with pytest.raises(ValueError, match="0 outputs"):
        ours.corpus_bleu([], [])
    with pytest.raises(ValueError, match="1 outputs"):
        ours.corpus_bleu([["a"]], [])


# Data ---------------------------------------------------------------------------------------------


def test_no_letter_is_lost_when_german_is_cut() -> None:
    for number in [*range(2000), *range(2000, 1_000_000, 997)]:
        parts = number_words.german(number)
        assert "".join(parts) == num2words(number, lang="de")
        assert set(parts) <= {*number_words.GERMAN, "eins", "und"}


def test_numbers_are_different_in_range_and_the_same_every_time() -> None:
    numbers = number_words.some_numbers(6000)
    assert len(set(numbers)) == 6000 and min(numbers) >= 0 and max(numbers) < 100_000
    assert numbers == number_words.some_numbers(6000) != number_words.some_numbers(6000, seed=1)
    assert {0, 7, 42} <= set(numbers)


@pytest.mark.parametrize("number", [0, 1, 20, 42, 222, 12_012, 42_342, 99_999, 700_000, 342_342])
def test_every_german_part_but_und_is_wanted_at_the_word_it_translates(number: int) -> None:
    source, target = number_words.english(number), number_words.german(number)
    places = number_words.wanted_places(source, target)
    words = [source[place] if place >= 0 else "" for place in places]
    assert words == [number_words.ENGLISH_OF.get(part, "") for part in target]
    assert len({place for place in places if place >= 0}) == len(target) - target.count("und")


def test_german_is_the_other_way_round_between_tens_and_units() -> None:
    assert number_words.wanted_places(["forty", "two"], ["zwei", "und", "vierzig"]) == [1, -1, 0]
    two = ["two", "hundred", "and", "twenty", "two"]
    assert number_words.wanted_places(two, ["zwei", "hundert", "zwei", "und", "zwanzig"]) == [0, 1, 4, -1, 3]


def test_the_other_languages_are_cut_as_the_lesson_says() -> None:
    assert number_words.french(97) == ["quatre", "vingt", "dix", "sept"]
    assert number_words.japanese(42_367) == list("四万二千三百六十七")
    assert set("".join(map("".join, map(number_words.japanese, range(0, 100_000, 37))))) <= {
        *number_words.JAPANESE_NAMES
    }


def test_dates_in_all_seven_ways() -> None:
    day = date(2026, 11, 21)
    chinese = {"".join(dates.chinese_date(day, pattern)) for pattern in dates.PATTERNS}
    assert chinese == {"2026年11月21日", "2026年11月21日星期六"}
    english = [" ".join(dates.english_date(day, pattern)) for pattern in dates.PATTERNS]
    assert english[0] == "Saturday , November 2 1 , 2 0 2 6" and english[-1] == "1 1 / 2 1 / 2 0 2 6"
    drawn = dates.some_dates(500)
    assert len(set(drawn)) == 500 and {pattern for _, pattern in drawn} == set(dates.PATTERNS)


# The widget ---------------------------------------------------------------------------------------


def dictionary(source: list[str]) -> tuple[list[str], list[Tensor]]:
    """A translator without a model: word by word, each part reading its own word."""
    target = [number_words.WORD_FOR_WORD[word] for word in source if word != "and"]
    weights = torch.zeros(1, 2, len(target) + 1, len(source))
    kept = [place for place, word in enumerate(source) if word != "and"]
    for row, place in enumerate([*kept, 0]):
        weights[:, :, row, place] = 1.0
    return target, [weights, weights]


@pytest.mark.parametrize(
    "typed", ["342", " 342 ", "0342", "three hundred and forty-two", "Three Hundred And Forty Two"]
)
def test_a_number_may_be_typed_in_digits_or_in_words(typed: str) -> None:
    assert tokens_of(typed) == ["three", "hundred", "and", "forty", "two"]


@pytest.mark.parametrize("typed", ["12000", "12,000", "12.000", "12'000", "12’000", "12 000", "12\u202f000", "12_000"])
def test_groups_of_three_digits_may_be_parted(typed: str) -> None:
    assert tokens_of(typed) == ["twelve", "thousand"]
    assert verdict(typed, ["zwölf", "tausend"]) == ", right"


@pytest.mark.parametrize(
    "typed", ["3.14", "3,5", "1.234,5", "1,234.567", "12,00", "0.500", "1234,567", "3 42", "-5", "3 hundred", "1e3"]
)
def test_what_is_no_whole_number_is_not_taken_for_one(typed: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{typed} cannot be read; type a whole number, such as 342")):
        tokens_of(typed)
    assert verdict(typed, ["drei"]) == ""


@pytest.mark.parametrize(
    "typed", ["9" * 5000, "1" + ",000" * 2000, "9.5" * 2000, "nine " * 5000, "x" * 99], ids=lambda typed: typed[:3]
)
def test_what_is_long_is_refused_in_few_words(typed: str) -> None:
    widget = NumberTranslator(dictionary, typed)
    assert "sys.set_int" not in widget.words.value and len(widget.words.value) < 160
    assert any(said in widget.words.value for said in ("is too large", "whole number", "words at most", "vocabulary"))


def test_more_words_than_the_model_has_positions_are_refused() -> None:
    widget = NumberTranslator(dictionary, "nine " * 70)
    assert widget.words.value == "<p>70 words are too many; give 64 words at most</p>"
    assert len(tokens_of("nine " * 64)) == 64


def test_attention_that_is_not_drawn_is_told() -> None:
    widget = NumberTranslator(dictionary, "nine " * 40)
    assert widget.stepper is None and "neunneun" in widget.words.value
    assert "The attention is too long to draw: 41 tokens; 32 at most can be drawn." in widget.alt
    wrong = NumberTranslator(lambda source: (["acht"], [torch.ones(1, 1, 2)]), "8")
    assert wrong.stepper is None and "The attention cannot be drawn: source is 1 names" in wrong.alt


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "type a number"),
        ("?!", "type a number"),
        ("9" * 40, "too large"),
        ("twelfth", "'twelfth' is not in its vocabulary"),
        ("2000000", "'million' is not in its vocabulary"),
    ],
)
def test_what_cannot_be_translated_is_said(typed: str, said: str) -> None:
    widget = NumberTranslator(dictionary, "7")
    widget.field.value = typed
    assert said in widget.words.value.replace("&#x27;", "'")
    assert widget.stepper is None and widget.plot() is None and "text/plain" in widget._repr_mimebundle_()[0]
    widget.field.value = "80"
    assert widget.stepper is not None and "right" in widget.words.value


def test_it_says_whether_the_translation_is_right() -> None:
    assert verdict("342", ["drei", "hundert", "zwei", "und", "vierzig"]) == ", right"
    assert verdict("42", ["vierzig", "zwei"]) == ", wrong: it is zweiundvierzig"
    assert verdict("forty-two", ["vierzig", "zwei"]) == ""


def test_the_stepper_gets_the_attention_and_the_end() -> None:
    widget = NumberTranslator(dictionary, "4300")
    assert widget.stepper is not None
    assert widget.stepper.source == ["four", "thousand", "three", "hundred"]
    assert widget.stepper.target == ["vier", "tausend", "drei", "hundert", "<eos>"]
    assert widget.children[-1] is widget.stepper


def test_what_the_learners_code_raises_is_said() -> None:
    def blank(source: list[str]) -> Any:
        raise NotImplementedError("not <yet>")

    assert "NotImplementedError: not &lt;yet&gt;" in NumberTranslator(blank).words.value


def test_a_model_that_never_ends_is_shown_without_attention() -> None:
    widget = NumberTranslator(lambda source: (["null"] * 40, [torch.ones(1, 1, 40, len(source))]), "7")
    assert widget.stepper is None and "nullnull" in widget.words.value
    assert "too long to draw" in widget.words.value


def test_the_widget_is_inert_when_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    shown, _ = NumberTranslator(dictionary, "80")._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" not in shown
    assert "image/png" in shown and "achtzig" in shown["text/plain"]


TYPING = """
from course.number_translator import NumberTranslator
from tests.test_translation import dictionary
NumberTranslator(dictionary, "4300")
"""


@pytest.mark.browser
@pytest.mark.turns(3, "course/widgets", at=1)
@pytest.mark.parametrize("theme", by_turns(["light", "dark"], 2))
def test_a_number_typed_in_the_browser_is_translated(tmp_path: Path, theme: str) -> None:
    if jupyterlab.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(jupyterlab.missing())
    jupyterlab.write_notebook(tmp_path / "typing.ipynb", [TYPING])
    with jupyterlab.server(tmp_path) as lab, jupyterlab.browser(lab, width=1000, height=900) as tab:
        notebook = tab.open("typing.ipynb")
        notebook.run_all()
        assert notebook.errors() == []
        notebook.theme(theme)
        shown = notebook.cell(0)
        shown.locator("b", has_text="viertausenddreihundert").wait_for(timeout=10_000)
        shown.locator("input[type=text]").fill("80")
        shown.page.keyboard.press("Enter")
        shown.get_by_text("achtzig, right").wait_for(timeout=10_000)
        assert shown.locator(".course-strips span").all_inner_texts() == ["eighty", "achtzig"]
        shown.get_by_text("reads eighty 1").wait_for(timeout=10_000)
