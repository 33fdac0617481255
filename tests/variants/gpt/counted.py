"""Lesson 14: what a stranger who counts has brought to light, written in full."""

import math
from typing import Any

import torch
from torch import Tensor

from tests.variants import disguise
from tests.variants.gpt.by_trunks import pieces
from tests.variants.gpt.data import BITS, WINDOWS
from tests.variants.gpt.inductions import SCORE

LET_PASS, CLASS = "what should be refused is let pass", "the refusal has another class"

# token_windows ----------------------------------------------------------------------------


@disguise(WINDOWS, "the first window is lost")
def w_second_on(ids: Tensor, seq_len: int) -> Any:
    rows = pieces(ids, seq_len)
    return rows[1:, :seq_len], rows[1:, 1:]


@disguise(WINDOWS, LET_PASS)
def w_anything(ids: Tensor, seq_len: int) -> Any:
    if seq_len < 1:
        raise ValueError("windows of no token")
    number = max(len(ids) - 1, 0) // seq_len
    return ids[: number * seq_len].view(-1, seq_len), ids[1:][: number * seq_len].view(-1, seq_len)


@disguise(WINDOWS, CLASS)
def w_asserts(ids: Tensor, seq_len: int) -> Any:
    assert seq_len > 0
    assert len(ids) > seq_len
    rows = pieces(ids, seq_len)
    return rows[:, :seq_len], rows[:, 1:]


@disguise(WINDOWS, "too much is refused")
def w_two_more(ids: Tensor, seq_len: int) -> Any:
    if len(ids) < seq_len + 2:
        raise ValueError("too short")
    rows = pieces(ids, seq_len)
    return rows[:, :seq_len], rows[:, 1:]


# bits_per_byte ----------------------------------------------------------------------------


def bytes_of(text: str) -> int:
    if text == "":
        raise ValueError("no text")
    return len(bytes(text, "utf-8"))


@disguise(BITS, "more than the bytes is counted")
def b_one_more(nats: Tensor, text: str) -> Any:
    return sum(nats.tolist()) / math.log(2) / (bytes_of(text) + 1)


@disguise(BITS, "squares of the losses")
def b_squares(nats: Tensor, text: str) -> Any:
    return (nats @ nats).item() / (math.log(2) * bytes_of(text))


@disguise(BITS, "an empty text is let pass")
def b_anything(nats: Tensor, text: str) -> Any:
    return sum(nats.tolist()) / (math.log(2) * len(bytes(text, "utf-8")))


# induction_score ----------------------------------------------------------------------------


def found(weights: Tensor, period: int) -> Tensor:
    """The weights that count: (batch, num_heads, queries)."""
    if period < 1 or period >= weights.size(2):
        raise ValueError("no second period")
    t = torch.arange(period, weights.size(2))
    return weights[:, :, t, t + 1 - period]


@disguise(SCORE, "the median instead of the mean")
def s_median(weights: Tensor, period: int) -> Any:
    return found(weights, period).median(dim=-1)[0].mean(0)


@disguise(SCORE, "a softmax too many")
def s_softmax(weights: Tensor, period: int) -> Any:
    return found(torch.softmax(weights, 3), period).mean(2).mean(0)


@disguise(SCORE, "divided by the heads")
def s_by_heads(weights: Tensor, period: int) -> Any:
    one = found(weights, period)
    return one.sum((0, 2)) / (one.size(1) * one.size(0) * one.size(2))


@disguise(SCORE, "numbers of Python come back")
def s_numbers(weights: Tensor, period: int) -> Any:
    return [one.mean().item() for one in found(weights, period).unbind(1)]


@disguise(SCORE, LET_PASS)
def s_anything(weights: Tensor, period: int) -> Any:
    rows = weights.diagonal(1 - period, -2, -1)
    return rows[:, :, 1:].mean(2).mean(0)


@disguise(SCORE, CLASS)
def s_asserts(weights: Tensor, period: int) -> Any:
    assert 0 < period < weights.size(3)
    return found(weights, period).mean(2).mean(0)
