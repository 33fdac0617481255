"""Lesson 13 beside the library `tokenizers`: merges, ids and texts are exactly the same."""

from __future__ import annotations

import os
import random
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tokenizers.models import WordPiece

from autograder.stand_ins import tokenization as stand_ins
from course.documentation import python_documentation
from course.from_tokenizers import library_tokenizer, train_with_library
from course.tokens import TokenExplorer, show_tokens
from solutions import tokenization as reference
from tests import jupyterlab
from tests.tiers import by_turns

BOTH = pytest.mark.parametrize("ours", [reference, stand_ins], ids=["reference", "stand-in"])
SIZE = 1024
ALPHABETS = ("ab", "abc ", "aé .", "abcdefg  ", "日本語a ", "aaaaab ", "x_1,  \n")


@cache
def text() -> str:
    return python_documentation()


@cache
def merges() -> list[tuple[bytes, bytes]]:
    return train_with_library(text(), SIZE)


def drawn(alphabets: Sequence[str], length: int, times: int) -> Iterator[tuple[random.Random, str]]:
    for seed in range(times):
        chance = random.Random(seed)
        signs = chance.choice(alphabets)
        yield chance, "".join(chance.choices(signs, k=chance.randint(0, length)))


def test_the_text_is_as_large_as_the_lesson_says_and_repeats_no_paragraph() -> None:
    assert 300_000 < len(text()) < 600_000
    paragraphs = text().split("\n\n")
    assert len(paragraphs) == len(set(paragraphs))


# Training -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "train", [reference.byte_pair_train_fast, stand_ins.byte_pair_train], ids=["reference", "stand-in"]
)
def test_the_library_learns_the_same_merges(train: Any) -> None:
    assert train(text(), SIZE) == merges()
    assert len(merges()) == SIZE - 256


def test_the_naive_trainer_learns_them_too() -> None:
    assert reference.byte_pair_train(text(), 256 + 80) == merges()[:80]


@pytest.mark.parametrize(
    "train", [reference.byte_pair_train, reference.byte_pair_train_fast, stand_ins.byte_pair_train]
)
def test_ties_and_runs_are_decided_as_by_the_library(train: Any) -> None:
    for chance, given in drawn(ALPHABETS, 150, 60):
        size = 256 + chance.choice([0, 1, 5, 20, 400])
        assert train(given, size) == train_with_library(given, size), (given, size)


def test_left_to_itself_the_library_only_decides_ties_otherwise() -> None:
    other = train_with_library(text(), SIZE, byte_order=False)
    assert other != merges()
    assert set(other) == set(merges())


def test_no_two_merges_make_the_same_token() -> None:
    tokens = [left + right for left, right in merges()]
    assert len(tokens) == len(set(tokens))


# Encoding and decoding ----------------------------------------------------------------------------


@BOTH
def test_the_library_encodes_the_whole_text_as_we_do(ours: Any) -> None:
    ids = ours.byte_pair_encode(text(), merges())
    assert ids == library_tokenizer(merges()).encode(text()).ids
    assert ours.byte_pair_decode(ids, merges()) == text()


def unicode_text() -> str:
    """Every assigned character, each between letters and behind a space."""
    signs = (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    return "".join(f"a{sign}b {sign}. " for sign in signs if unicodedata.category(sign) != "Cn")


@BOTH
def test_any_unicode_text_comes_back_and_is_cut_as_by_the_library(ours: Any) -> None:
    given = unicode_text()[:400_000]
    assert "".join(ours.pretokenize(given)) == given
    ids = ours.byte_pair_encode(given, merges())
    assert ids == library_tokenizer(merges()).encode(given).ids
    assert ours.byte_pair_decode(ids, merges()) == given


@BOTH
def test_every_character_is_cut_alike(ours: Any) -> None:
    given = unicode_text()
    cut = library_tokenizer([]).pre_tokenizer.pre_tokenize_str(given)
    assert ours.pretokenize(given) == [given[start:end] for _, (start, end) in cut]


@BOTH
def test_broken_bytes_are_replaced_as_by_the_library(ours: Any) -> None:
    library = library_tokenizer(merges())
    for seed in range(500):
        chance = random.Random(seed)
        ids = [chance.randrange(chance.choice([256, SIZE])) for _ in range(chance.randint(0, 12))]
        assert ours.byte_pair_decode(ids, merges()) == library.decode(ids, skip_special_tokens=False)


@BOTH
def test_special_tokens_are_never_split(ours: Any) -> None:
    specials = ["<|end|>", "<|endlich|>", "[MASK]"]
    tokenizer, library = ours.BytePairTokenizer(merges(), specials), library_tokenizer(merges(), specials)
    assert tokenizer.vocab_size == library.get_vocab_size() == SIZE + 3
    signs = [*specials, "<|", "end", "|>", "lich", " ", "  ", "é", "日", "🙂", "class"]
    for _, given in drawn([signs], 12, 300):  # type: ignore[list-item]
        ids = tokenizer.encode(given)
        assert ids == library.encode(given).ids
        assert tokenizer.decode(ids) == given


@BOTH
def test_word_pieces_are_cut_as_by_the_library(ours: Any) -> None:
    for chance, word in drawn(["abé", "abc"], 9, 300):
        starts, rests = ({"".join(chance.choices("abé", k=chance.randint(1, 3))) for _ in range(6)} for _ in "ab")
        vocabulary = starts | {f"##{one}" for one in rests}
        ids = {token: i for i, token in enumerate(["[UNK]", *vocabulary])}
        library = WordPiece(ids, unk_token="[UNK]")
        assert ours.word_piece_encode(word, vocabulary) == [one.value for one in library.tokenize(word)]


# What the lesson shows with -----------------------------------------------------------------------


def test_strips_show_what_cannot_be_seen() -> None:
    strips = show_tokens([b" the", b"\n", "日".encode()[:1], "<b>"])
    assert repr(strips) == "4 tokens: ␣the|⏎|\\xe6|<b>"
    assert "&lt;" in strips._repr_html_() and "<b>␣" not in strips._repr_html_()


def test_the_explorer_makes_as_many_merges_as_its_slider_says() -> None:
    explorer = TokenExplorer(reference.byte_pair_encode, merges(), "the end")
    assert explorer.tokens() == [bytes([byte]) for byte in b"the end"]
    explorer.slider.value = len(merges())
    assert explorer.tokens()[0] == b"the" and "The last merge" in explorer.words.value
    explorer.text.value = ""
    assert "0 tokens" in explorer.words.value


def test_the_explorer_says_what_the_function_raised() -> None:
    def blank(text: str, merges: Any) -> list[int]:
        raise NotImplementedError("not <yet>")

    explorer = TokenExplorer(blank, merges(), "the end")
    assert "NotImplementedError: not &lt;yet&gt;" in explorer.words.value
    assert "text/plain" in explorer._repr_mimebundle_()


def test_the_explorer_is_inert_when_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    shown = TokenExplorer(reference.byte_pair_encode, merges(), "the end")._repr_mimebundle_()
    assert set(shown) == {"text/html", "text/plain"}


EXPLORER = """
from autograder.stand_ins.tokenization import byte_pair_encode
from course.from_tokenizers import train_with_library
from course.tokens import TokenExplorer
explorer = TokenExplorer(byte_pair_encode, train_with_library("low lower lowest " * 3, 300), "low")
explorer
"""


@pytest.mark.browser
@pytest.mark.turns(3, "course/widgets", at=1)
@pytest.mark.parametrize("theme", by_turns(["light", "dark"], 2))
def test_the_explorer_follows_keys_and_typing(tmp_path: Path, theme: str) -> None:
    if jupyterlab.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(jupyterlab.missing())
    jupyterlab.write_notebook(tmp_path / "explorer.ipynb", [EXPLORER])
    with jupyterlab.server(tmp_path) as lab, jupyterlab.browser(lab, width=1000, height=700) as tab:
        notebook = tab.open("explorer.ipynb")
        notebook.run_all()
        assert notebook.errors() == []
        notebook.theme(theme)
        shown = notebook.cell(0)
        shown.get_by_role("slider", name="number of merges").wait_for(timeout=10_000)
        shown.get_by_role("textbox", name="text", exact=True).wait_for(timeout=10_000)
        shown.locator(".noUi-handle").focus()
        shown.page.keyboard.press("ArrowRight")
        shown.get_by_text("The last merge: l + o → lo").wait_for(timeout=10_000)
        assert shown.locator(".course-strips span").all_inner_texts() == ["lo", "w"]
        assert shown.locator(".course-strips span.new").all_inner_texts() == ["lo"]
        shown.locator("textarea").fill("lol 天")
        shown.get_by_text("5 characters, 7 bytes").wait_for(timeout=10_000)
        assert "\\xe5" in shown.locator(".course-strips span").all_inner_texts()
