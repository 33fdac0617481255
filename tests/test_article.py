"""The article of lesson 21: twelve faults, each of which is seen for itself, whatever becomes of the others."""

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from autograder import registry
from autograder.learner import as_given
from autograder.learner import check as checking
from autograder.learner.examine import examine
from autograder.reporting.report import Report

ARTICLE = registry.exercise("WildTransformer")
PAGE = Path(__file__).parent.parent / "course" / "lessons" / f"{registry.notebook_stem('in_the_wild')}.md"

Swaps = Mapping[str, str]

# fmt: off
# ruff: noqa: E501
REPAIRS: dict[str, list[Swaps]] = {
    "norm": [
        {"std = x.std(-1, keepdim=True)": "var = x.var(-1, keepdim=True, correction=0)", "(std + self.eps)": "(var + self.eps).sqrt()"},
        {"std = x.std(-1, keepdim=True)": "std = (x.var(-1, unbiased=False, keepdim=True) + self.eps) ** 0.5", "(std + self.eps)": "std"},
        {"return self.weight * (x - mean) / (std + self.eps) + self.bias": "return F.layer_norm(x, x.shape[-1:], self.weight, self.bias, self.eps)"},
    ],
    "positions": [
        {"torch.arange(d_model) / d_model": "torch.arange(0, d_model, 2) / d_model", "table[0::2] = angle[0::2].sin()": "table[:, 0::2] = angle.sin()", "table[1::2] = angle[1::2].cos()": "table[:, 1::2] = angle.cos()"},
        {"torch.arange(d_model) / d_model": "(torch.arange(d_model) // 2 * 2) / d_model", "table[0::2] = angle[0::2].sin()": "table[:, 0::2] = angle[:, 0::2].sin()", "table[1::2] = angle[1::2].cos()": "table[:, 1::2] = angle[:, 1::2].cos()"},
    ],
    "heads": [
        {"x.view(batch, self.num_heads, length, d_model // self.num_heads)": "x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)", "x.reshape(batch, length,": "x.transpose(1, 2).reshape(batch, length,"},
        {"return x.view(batch, self.num_heads, length, d_model // self.num_heads)": "return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)", "return x.reshape(batch, length, num_heads * d_head)": "return torch.cat(x.unbind(1), dim=-1)"},
    ],
    "output_projection": [
        {"self.v_proj = nn.Linear(d_model, d_model)": "self.v_proj = nn.Linear(d_model, d_model)\n        self.out_proj = nn.Linear(d_model, d_model)", "return self.merge(weights @ v)": "return self.out_proj(self.merge(weights @ v))"},
    ],
    "feed_forward": [
        {"self.linear1 = nn.Linear(d_model, d_model)": "self.linear1 = nn.Linear(d_model, d_ff)\n        self.linear2 = nn.Linear(d_ff, d_model)", "return F.relu(self.linear1(x))": "return self.linear2(F.relu(self.linear1(x)))"},
        {"self.linear1 = nn.Linear(d_model, d_model)": "self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)\n        self.between = nn.ReLU()", "return F.relu(self.linear1(x))": "return self.linear2(self.between(self.linear1(x)))"},
    ],
    "shortcut": [
        {"self.norm(self.shortcut(self.sublayer(x, *others)))": "self.norm(x + self.sublayer(x, *others))"},
        {"        self.shortcut = nn.Identity()\n": "", "return self.norm(self.shortcut(self.sublayer(x, *others)))": "made = self.sublayer(x, *others)\n        return self.norm(made + x)"},
    ],
    "cross_attention": [
        {"self.cross_attention(x, x, x, tgt_mask)": "self.cross_attention(x, memory, memory, src_mask)"},
        {"x = self.cross_attention(x, x, x, tgt_mask)": "read = (memory, memory, src_mask)\n        x = self.cross_attention(x, *read)"},
    ],
    "source_mask": [
        {"src_mask & ~future": "src_mask"},
        {".triu(1)\n        for layer in self.encoder": ".triu(src.size(1))\n        for layer in self.encoder"},
    ],
    "target_mask": [
        {"tgt_mask = (tgt != PAD)[:, None, None, :]": "tgt_mask = (tgt != PAD)[:, None, None, :] & torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril()"},
        {"tgt_mask = (tgt != PAD)[:, None, None, :]": "place = torch.arange(tgt.size(1))\n        tgt_mask = (place <= place[:, None])[None, None]"},
    ],
    "memory_as_it_is": [
        {"        memory = memory + self.table[: memory.size(1)]\n": ""},
        {"memory = memory + self.table[: memory.size(1)]": "memory = memory + 0 * self.table[: memory.size(1)]"},
    ],
    "shifted": [{"scores = self(src, tgt[:, 1:])": "scores = self(src, tgt[:, :-1])"}],
    "padding_left_out": [
        {"tgt[:, 1:].flatten())": "tgt[:, 1:].flatten(), ignore_index=PAD)"},
        {"return F.cross_entropy(scores.flatten(0, 1), tgt[:, 1:].flatten())": "real = tgt[:, 1:] != PAD\n        return F.cross_entropy(scores[real], tgt[:, 1:][real])"},
    ],
}
# fmt: on
"""Name of the probe → ways of mending its fault, as text of the page and what stands there instead."""


def handed_out() -> str:
    """The article as the page has it."""
    cells = re.findall(
        r"```\{code-cell\} ipython3\n:tags: \[wild\]\n\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S
    )
    return next(one for one in cells if "class WildTransformer" in one)


def mended(repairs: Mapping[str, int]) -> str:
    """The article after some repairs, each in one of its ways."""
    text = handed_out()
    for name, way in repairs.items():
        for old, new in REPAIRS[name][way % len(REPAIRS[name])].items():
            assert text.count(old) == 1, f"{name}: {old!r} occurs {text.count(old)} times"
            text = text.replace(old, new)
    return text


def built(text: str) -> Any:
    values: dict[str, Any] = {"math": math, "torch": torch, "F": F, "nn": nn, "PAD": 0, "__name__": "article"}
    exec(compile(text, "<article>", "exec"), values)
    return values["WildTransformer"]


def left(report: Report) -> set[str]:
    return {one.name for one in report.failures if one.credit}


def some_repairs(count: int) -> Iterator[dict[str, int]]:
    """Subsets of the repairs of all sizes, each in a way and at a place in the order that chance picks."""
    chance = random.Random(1)
    for number in range(count):
        names = chance.sample(list(REPAIRS), 2 + number % (len(REPAIRS) - 2))
        yield {name: chance.randrange(6) for name in names}


def test_each_fault_has_a_probe_that_carries_points() -> None:
    assert list(REPAIRS) == [one.name for one in ARTICLE.probes if one.rung == "values"]
    assert len(REPAIRS) == 12


def test_as_handed_out_all_are_left_and_named() -> None:
    report = examine(ARTICLE, built(handed_out()))
    assert left(report) == set(REPAIRS)
    assert report.points == 0
    assert "0 of 12 faults are mended, 12 are left." in str(report)
    assert len(str(report.mistake).split(" + ")) == 12


SINGLE = [(name, way) for name, ways in REPAIRS.items() for way in range(len(ways))]


@pytest.mark.parametrize(("name", "way"), SINGLE, ids=str)
def test_one_repair_is_recognised_among_all_faults(name: str, way: int) -> None:
    report = examine(ARTICLE, built(mended({name: way})))
    assert left(report) == REPAIRS.keys() - {name}
    assert report.points == 0.5
    assert "1 of 12 faults is mended, 11 are left." in str(report)


@pytest.mark.parametrize(("name", "way"), SINGLE, ids=str)
def test_one_fault_is_recognised_where_all_others_are_mended(name: str, way: int) -> None:
    report = examine(ARTICLE, built(mended({other: way for other in REPAIRS if other != name})))
    assert left(report) == {name}
    assert report.mistake is not None and " + " not in report.mistake
    assert "11 of 12 faults are mended, 1 is left." in str(report)


@pytest.mark.parametrize("repairs", list(some_repairs(12)), ids=len)
def test_any_repairs_in_any_order_and_way_are_counted(repairs: dict[str, int]) -> None:
    report = examine(ARTICLE, built(mended(repairs)))
    assert left(report) == REPAIRS.keys() - repairs.keys()


@pytest.mark.parametrize("way", range(3))
def test_with_all_repairs_it_passes(way: int) -> None:
    report = examine(ARTICLE, built(mended(dict.fromkeys(REPAIRS, way))))
    assert report.passed, str(report)


@pytest.mark.parametrize("repairs", [{}, *({name: 0} for name in REPAIRS), *some_repairs(11)], ids=len)
def test_however_far_it_is_mended_it_runs_and_learns(repairs: dict[str, int]) -> None:
    torch.manual_seed(0)
    model = built(mended(repairs))(23)
    words = torch.randint(3, 23, (32, 12))
    words[:16, 7:] = 0
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    losses = []
    for _ in range(15):
        losses.append(model.loss(words[:, :10], words))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    assert losses[-1] < 0.95 * losses[0]


def test_a_check_counts_and_the_next_one_of_the_same_code_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [handed_out()]
    monkeypatch.setattr(as_given, "cells", lambda: cells)
    monkeypatch.setattr(checking, "is_own", lambda _: True)
    monkeypatch.setattr(checking, "_asked", {})
    told = checking.check(built(cells[-1]), exercise=ARTICLE.name)
    assert "0 of 12 faults are mended" in str(told) and "0 of 12 faults are mended" in told.html
    for name in [*REPAIRS, "Norm", "sinusoids", "Attention", "masks", "std"]:
        assert name not in str(told).replace(ARTICLE.name, "")
    again = checking.check(built(cells[-1]), exercise=ARTICLE.name)
    assert "Look at `Norm`" in str(again) and "sinusoids" not in str(again)

    cells.append(mended({"norm": 0}))
    other = checking.check(built(cells[-1]), exercise=ARTICLE.name)
    assert "1 of 12 faults is mended" in str(other) and "Look at" not in str(other)
    assert "Look at `sinusoids`" in str(checking.check(built(cells[-1]), exercise=ARTICLE.name))


def test_what_stops_the_code_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = [handed_out().replace("q.size(-1)", "q.width", 1)]
    monkeypatch.setattr(as_given, "cells", lambda: cells)
    monkeypatch.setattr(checking, "is_own", lambda _: True)
    report = checking.check(built(cells[-1]), exercise=ARTICLE.name)
    assert "AttributeError" in str(report) and "faults are mended" not in str(report)


def test_something_else_that_is_wrong_is_told_when_all_are_mended() -> None:
    text = mended(dict.fromkeys(REPAIRS, 0)).replace("self.output(self.decode", "2 * self.output(self.decode")
    report = examine(ARTICLE, built(text))
    assert not report.passed and left(report) == set()
    assert report.points == ARTICLE.points - 0.5
    assert "faults are mended" not in str(report)


def test_the_ways_of_a_repair_differ() -> None:
    for name, ways in REPAIRS.items():
        texts = [mended({name: way}) for way in range(len(ways))]
        assert all(one != other for one, other in itertools.combinations(texts, 2))
