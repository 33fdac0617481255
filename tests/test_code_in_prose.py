"""The labels of lesson 16: which words of a docstring's sentences are marked as code."""

from __future__ import annotations

import pytest

from course.code_in_prose import Tagged, tagged, tagged_sentences
from course.docstrings import fingerprint, is_held_out, sentences_of
from solutions.fine_tuning import spans


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("It takes ``x`` as it is.", "O O B O O O"),
        ("It takes `x`, and :func:`~a.b`.", "O O B O B"),
        ("It takes ``f(1, 2)`` and more.", "O O B I O O"),
        ("One is ``a`` `b` of all.", "O O B B O O"),
        ("The ``k``-core of (`G`) is.", "O B O B O"),
        ("The `text <address>`_ is a link.", "O O O O O"),
        ("A :ref:`place <target>` and :math:`x` stay.", "O O O O O"),
        ("Both `links`_ and `x` are here.", "O O O B O O"),
        ("Nothing at all is marked here.", "O O O O O O"),
    ],
)
def test_markup_becomes_tags(text: str, tags: str) -> None:
    [found] = tagged(text)
    assert [tag[0] for tag in found.tags] == tags.split()
    assert [" ".join(found.words)] == list(sentences_of(text))


def test_sentences_are_cut_where_they_are_without_tags() -> None:
    text = "It is ``x``. ``Graph`` is a class, e.g. a large one. The ``x``\nis the same ``x``."
    found = list(tagged(text))
    assert [" ".join(one.words) for one in found] == ["Graph is a class, e.g. a large one.", "The x is the same x."]
    assert [spans(one.tags) for one in found] == [[("code", 0, 1)], [("code", 1, 2), ("code", 5, 6)]]


def test_the_sides_are_those_of_the_text_that_bert_has_read() -> None:
    known, held_out = tagged_sentences()
    assert len(known) > 1000 and len(held_out) > 50
    for side, held in ((known, False), (held_out, True)):
        keys = [fingerprint(" ".join(one.words)) for one in side]
        assert len(set(keys)) == len(keys)
        assert {is_held_out(key) for key in keys} == {held}
        assert all(len(one.words) == len(one.tags) and "B-code" in one.tags for one in side)


def test_words_and_tags_go_together() -> None:
    assert list(tagged("Short ``x``.")) == []
    assert next(tagged("Returns the ``x`` of it.")) == Tagged(
        ["Returns", "the", "x", "of", "it."], ["O", "O", "B-code", "O", "O"]
    )
