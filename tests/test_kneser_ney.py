"""The landmark of lesson 14, held to a case worked by hand and to what every distribution must do."""

from __future__ import annotations

import math

import pytest
import torch

from course.kneser_ney import KneserNey

A, B, C = range(3)
TEXT = torch.tensor([A, B, A, B, A, C])


def test_a_case_worked_by_hand() -> None:
    """Bigrams: ab 2, ba 2, ac 1; discount 1 / (1 + 2·2) = 1/5.

    Different tokens before: a 1 (b), b 1 (a), c 1 (a); all three counts are 1, so the discount is 3/3 = 1, and the
    unigrams are even: (1 - 1)/3 + 1 · 3/3 · 1/3 = 1/3 each.
    After a (3 times, followed by 2 different): b (2 - 1/5)/3 + (1/5 · 2/3)(1/3) = 29/45, c (1 - 1/5)/3 + 2/45 = 14/45,
    a 2/45. After b (2 times, by 1): a (2 - 1/5)/2 + (1/5 · 1/2)(1/3) = 14/15, b and c 1/30. After c: never seen, 1/3.
    """
    model = KneserNey(TEXT, 3, order=2)
    expected = {(A, A): 2 / 45, (A, B): 29 / 45, (A, C): 14 / 45, (B, A): 14 / 15, (B, B): 1 / 30, (C, B): 1 / 3}
    for (before, token), probability in expected.items():
        found = model.log_probs(torch.tensor([before, token]))
        assert found.exp().tolist() == pytest.approx([1 / 3, probability], abs=1e-6)


def test_different_contexts_count_and_not_occurrences() -> None:
    """b stands once after each of a, c, d; e stands four times, always after f. After g, never seen, b is likelier."""
    a, b, c, d, e, f, g = range(7)
    model = KneserNey(torch.tensor([a, b, f, e, c, b, f, e, d, b, f, e, a, f, e]), 7, order=2)
    after_new = [model.log_probs(torch.tensor([g, token]))[1].item() for token in (b, e)]
    assert after_new[0] > after_new[1]


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_probabilities_after_any_context_sum_to_one(order: int) -> None:
    generator = torch.Generator().manual_seed(0)
    text = torch.randint(6, (200,), generator=generator) * torch.randint(2, (200,), generator=generator)
    model = KneserNey(text, 6, order)
    for start in (0, 50, 100):
        context = text[start : start + 4]
        rows = [model.log_probs(torch.cat([context, torch.tensor([token])]))[-1].exp().item() for token in range(6)]
        assert sum(rows) == pytest.approx(1, abs=1e-5) and min(rows) > 0


def test_a_longer_context_helps_where_there_is_something_to_know() -> None:
    text = torch.tensor([0, 1, 2, 0, 2, 1] * 50)
    losses = [-KneserNey(text, 3, order).log_probs(text).mean().item() for order in (1, 2, 3)]
    assert losses[0] == pytest.approx(math.log(3), abs=0.01)
    assert losses[1] > 0.5 > 0.2 > losses[2]


def test_texts_shorter_than_an_n_gram() -> None:
    model = KneserNey(TEXT, 3, order=4)
    assert model.log_probs(torch.tensor([B])).shape == (1,)
    assert model.log_probs(torch.tensor([], dtype=torch.long)).shape == (0,)
    with pytest.raises(ValueError, match="6 tokens and order=7"):
        KneserNey(TEXT, 3, order=7)
    with pytest.raises(ValueError, match="too many n-grams"):
        KneserNey(TEXT, 50_000, order=5)
