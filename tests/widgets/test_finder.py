"""The name finder: the nearest name in each language by the learner's own encoder, and what a character is worth."""

import numpy as np
import pytest
import torch

from course.widgets import NameFinder
from tests.widgets.parts import letters

LISTS = {"en": ["peru", "chad", "mali"], "fr": ["pérou", "tchad", "mali"]}


def sent(packed):
    return np.frombuffer(packed["data"], "<f4").reshape(packed["shape"])


def cosine(one, other):
    a, b = letters([one, other])
    return float(a @ b / (a.norm() * b.norm()))


def test_it_finds_the_nearest_of_every_language():
    shown = NameFinder(letters, LISTS, text="chade")
    assert [one["name"] for one in shown.data["found"]] == ["chad", "tchad"]
    assert shown.data["found"][0]["score"] == pytest.approx(cosine("chade", "chad"), abs=1e-6)
    assert shown.caption == "“chade” is nearest to “chad” (en), with 0.89." and shown.problems == []


def test_a_character_is_worth_what_the_score_loses_without_it():
    shown = NameFinder(letters, LISTS, text="chad")
    losses = sent(shown.data["losses"])
    assert losses.shape == (2, 4)
    wanted = [1 - cosine(one, "chad") for one in ("had", "cad", "chd", "cha")]
    assert losses[0].tolist() == pytest.approx(wanted, abs=1e-6)


def test_another_name_is_looked_for_anew():
    shown = NameFinder(letters, LISTS, text="chad")
    shown.text = "  MALI "
    assert shown.data["asked"] == "mali" and [one["name"] for one in shown.data["found"]] == ["mali", "mali"]
    shown.text = "x" * 40
    assert len(shown.data["characters"]) == 24
    shown.text = " "
    assert shown.problems == ["No name: type one."] and shown.caption == "Nothing is asked." and shown.plot().png()


def test_one_character_and_no_known_one_can_be_asked():
    assert sent(NameFinder(letters, LISTS, text="a").data["losses"]).shape == (2, 1)
    assert NameFinder(letters, LISTS, text="и").data["found"][0]["score"] == 0


def test_alt_and_figure_say_what_is_to_be_seen():
    shown = NameFinder(letters, LISTS, text="chad")
    assert "en: “chad”, 1.00; without" in shown.alt and shown.alt.startswith("A name in every language.")
    assert [one.get_text() for one in shown.plot().axes[0].get_yticklabels()] == ["en: chad 1.00", "fr: tchad 0.89"]


def unwritten(texts):
    raise NotImplementedError


def flat(texts):
    return torch.zeros(len(texts))


@pytest.mark.parametrize(
    ("encode", "words"),
    [
        (unwritten, "`unwritten` is not written yet."),
        (flat, "`flat` returned shape (3,)"),
        (lambda texts: None, "is there a `return`?"),
    ],
)
def test_an_encoder_of_another_kind_is_told_in_words(encode, words):
    shown = NameFinder(encode, LISTS, text="chad")
    assert any(words in one for one in shown.problems) and words in shown.alt and shown.plot().png()


@pytest.mark.parametrize("lists", [{}, {"en": []}])
def test_bad_input_says_what_was_given_and_what_would_do(lists):
    with pytest.raises(ValueError, match="give each at least one name"):
        NameFinder(letters, lists)
