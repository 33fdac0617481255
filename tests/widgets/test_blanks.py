"""The blank explorer: what the learner's own BERT puts into blanks, what it read, and what the left alone tells."""

import numpy as np
import pytest
import torch
from torch import nn

from course.widgets import BlankExplorer
from tests.widgets.parts import CLS, MASK, SEP, fills

IDS = [CLS, 3, 1, 4, 1, 5, SEP]
NAMES = [*(f" w{i}" for i in range(12)), "[PAD]", "[CLS]", "[SEP]", "[MASK]"]


def explorer(bert=None, head=None, **settings):
    made = fills()
    settings = {"special": (CLS, SEP), "blanks": [2, 4], **settings}
    return BlankExplorer(bert or made[0], head or made[1], IDS, NAMES.__getitem__, MASK, **settings)


def sent(packed):
    return np.frombuffer(packed["data"], "<f4").reshape(packed["shape"])


def expected(blanks):
    bert, head = fills()
    ids = torch.tensor([IDS])
    ids[0, blanks] = MASK
    with torch.no_grad():
        hidden, _, weights = bert.eval()(ids, return_weights=True)
        return head.eval()(hidden)[0].softmax(-1), torch.cat(weights, 1)[0]


def test_the_numbers_are_the_models_own_and_its_mode_stays():
    bert, head = fills()
    bert.train()
    shown = explorer(bert, head)
    assert bert.training
    probs, weights = expected([2, 4])
    assert np.allclose(sent(shown.data["weights"]), weights.numpy(), atol=1e-6)
    assert shown.data["heads"] == ["0.0", "0.1", "1.0", "1.1"] and shown.problems == []
    for place in (2, 4):
        [found] = shown.data["read"][str(place)]
        best = probs[place].topk(10)
        assert found["ids"] == best.indices.tolist()
        assert found["shares"] == pytest.approx(best.values.tolist(), abs=1e-6)
        answer = probs[place, IDS[place]]
        assert found["share"] == pytest.approx(answer.item(), abs=1e-6)
        assert found["rank"] == 1 + int((probs[place] > answer).sum())
    assert set(shown.data["read"]) == {"2", "4"}


def test_other_blanks_are_read_anew():
    shown = explorer()
    before = sent(shown.data["weights"])
    shown.blanks = [1, 2, 5]
    probs, weights = expected([1, 2, 5])
    assert np.allclose(sent(shown.data["weights"]), weights.numpy(), atol=1e-6)
    assert not np.allclose(before, weights.numpy(), atol=1e-4)
    assert [shown.data["read"][str(one)][0]["share"] for one in (1, 2, 5)] == pytest.approx(
        [probs[one, IDS[one]].item() for one in (1, 2, 5)], abs=1e-6
    )
    shown.blanks = []
    assert shown.caption == "No blanks: nothing is asked." and shown.data["read"] == {}
    assert shown.plot().png()


def test_a_causal_reader_gets_what_stands_before_and_nothing_else():
    seen = []

    def from_left(ids):
        seen.append(list(ids))
        return torch.arange(12.0)

    shown = explorer(from_left=from_left)
    assert seen == [[3], [3, 1, 4]]
    left = shown.data["read"]["2"][1]
    assert left["ids"][0] == 11 and left["rank"] == 11
    assert shown.caption.endswith("0 from the left alone.")
    assert "From the left alone, ' w1' has probability" in shown.alt


def test_it_says_what_stands_in_the_blanks():
    shown = explorer()
    assert "[CLS] w3[MASK] w4[MASK] w5[SEP]" in shown.alt
    assert "From both sides, ' w1' has probability" in shown.reading(2)
    assert shown.reading(1) == "' w3' is no blank."
    assert shown.caption.endswith("of 2 blanks right from both sides.")


def test_without_blanks_the_middle_one_is_chosen():
    shown = explorer(blanks=())
    assert shown.blanks == [3] and shown.token == 3


class Causal(nn.Module):
    """Reads from the left alone."""

    def forward(self, ids, return_weights=False):
        size = ids.size(1)
        weights = torch.ones(1, 2, size, size).tril() / torch.arange(1, size + 1)[:, None]
        return torch.zeros(1, size, 8), torch.zeros(1, 8), [weights]


class Unwritten(nn.Module):
    def forward(self, ids, return_weights=False):
        raise NotImplementedError


class HiddenOnly(nn.Module):
    def forward(self, ids, return_weights=False):
        return torch.zeros(1, ids.size(1), 8)


class Doubled(nn.Module):
    def forward(self, ids, return_weights=False):
        hidden, pooled, [weights] = Causal()(ids)
        return hidden, pooled, [2 * weights]


@pytest.mark.parametrize(
    ("bert", "words"),
    [
        (Unwritten(), "`Unwritten` is not written yet."),
        (HiddenOnly(), "`HiddenOnly` returned no hidden, pooled and list of weights."),
        (Causal(), "No head reads anything that comes later"),
        (Doubled(), "Head 0.0 reads 2.00 in all at place 0, not 1."),
    ],
)
def test_a_model_of_another_kind_is_told_in_words(bert, words):
    shown = explorer(bert)
    assert any(words in one for one in shown.problems)
    assert words in shown.alt and shown.plot().png()


def test_a_causal_reader_that_fails_is_told():
    def broken(ids):
        raise RuntimeError("no")

    assert "`broken` raised RuntimeError: no." in explorer(from_left=broken).problems
    assert "`<lambda>` returned None: is there a `return`?" in explorer(from_left=lambda ids: None).problems


def test_the_figure_has_both_readers_and_every_head():
    picture = explorer(from_left=lambda ids: torch.arange(12.0)).plot()
    both, left, heads = picture.axes[:3]
    assert "from both sides" in both.get_title(loc="left") and "from the left alone" in left.get_title(loc="left")
    assert [one.get_text() for one in heads.get_yticklabels()] == ["0.0", "0.1", "1.0", "1.1"]


@pytest.mark.parametrize(
    ("ids", "settings", "words"),
    [
        (torch.zeros(1, 4, dtype=torch.long), {}, "ids has shape (1, 4); give one row of 3 to 64 ids"),
        ([CLS, SEP], {}, "ids has shape (2,); give one row"),
        ([CLS, CLS, SEP], {}, "all of these ids are special"),
        (IDS, {"blanks": [0]}, "blanks=[0]: 0 cannot be one; give some of [1, 2, 3, 4, 5]"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(ids, settings, words):
    with pytest.raises(ValueError) as error:
        BlankExplorer(*fills(), ids, str, MASK, special=(CLS, SEP), **settings)
    assert words in str(error.value)
