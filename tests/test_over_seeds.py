"""Tables over seeds: what ships is what the log says, and what the commands measure can be measured."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from my_transformer import GPT

from course import blanks_table, copying_table, digits_table, followers_table
from course.blanks_table import FATES, Learner, Text
from course.over_seeds import by_seed, kept
from course.pretrain_bert import NOBODY
from course.shipped import DATA


def logged(name: str, types: tuple[type, ...]) -> list[Any]:
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return [tuple(kind(one) for kind, one in zip(types, row, strict=True)) for row in rows]


@pytest.mark.parametrize(
    ("name", "types", "page"),
    [
        ("digits", (int, str, str, str, float), digits_table.page),
        ("copying", (int, str, str, int, float), copying_table.page),
        ("followers", (int, str, str, float), followers_table.page),
        ("blanks", (int, str, int, int, str, float), blanks_table.page),
    ],
)
def test_the_page_that_ships_is_that_of_the_log(name: str, types: tuple[type, ...], page: Callable[..., str]) -> None:
    rows = logged(name, types)
    assert page(rows) == (DATA / f"{name}.md").read_text(encoding="utf-8")
    assert {row[0] for row in rows} == {0, 1, 2}


def test_a_log_has_four_digits_and_so_has_what_is_returned(tmp_path: Path) -> None:
    rows = kept(iter([(0, "a", 0.123456), (1, "a", 1.0)]), ("seed", "what", "value"), tmp_path / "log.csv")
    assert rows == [(0, "a", 0.1235), (1, "a", 1.0)]
    assert (tmp_path / "log.csv").read_text() == "seed,what,value\n0,a,0.1235\n1,a,1.0000\n"


def test_a_table_has_a_line_for_each_thing_and_a_column_for_each_seed() -> None:
    rows = [(0, "a", 0.5), (0, "b", 0.25), (1, "a", 0.125), (0, "of another table", 9.0), (1, "b", 1.0)]
    found = by_seed(rows, ["what"], lambda row: (row[1],) if len(row[1]) == 1 else None)
    assert found == [
        "| what | seed 0 | seed 1 |",
        "| --- | --- | --- |",
        "| a | 0.500 | 0.125 |",
        "| b | 0.250 | 1.000 |",
    ]


class Copier:
    """Writes what stood one period before, and looks there."""

    def __call__(self, ids: torch.Tensor, return_weights: bool = False) -> Any:
        period = (
            next(p for p in range(8, 21) if all(torch.equal(row[p:], row[:-p]) for row in ids)) if return_weights else 0
        )
        logits = torch.zeros(*ids.shape, copying_table.SYMBOLS)
        for number, row in enumerate(ids):
            own = period or next(p for p in range(8, 21) if torch.equal(row[p:], row[:-p]))
            logits[number, own - 1 : -1].scatter_(-1, row[:-own, None], 1.0)
            logits[number, -1, row[len(row) - own]] = 1.0
        if not return_weights:
            return logits
        weights = torch.zeros(len(ids), 2, ids.size(1), ids.size(1))
        for query in range(period - 1, ids.size(1)):
            weights[:, 1, query, query - period + 1] = 1
        return logits, [weights]


def test_who_copies_is_found_to_copy() -> None:
    assert copying_table.share_found(Copier()) == 1
    found = {measure: value for measure, _, value in copying_table.of_heads(Copier())}
    assert found == {copying_table.SCORE: pytest.approx(1), copying_table.BEFORE: 0}


def test_a_model_of_the_table_learns_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_QUICK", "1")
    model = copying_table.learned(2, 450, 0)
    assert isinstance(model, GPT) and len(model.layers) == 2
    assert 0 <= copying_table.share_found(model) < 0.3


def test_rows_of_any_length_give_the_answer_away() -> None:
    pieces = followers_table.BertPieces([])
    chance = torch.Generator().manual_seed(0)
    lengths = torch.randint(1, 40, (400,), generator=chance).tolist()
    sentences = [torch.randint(97, 122, (size,), generator=chance).tolist() for size in lengths]
    even, uneven = (
        followers_table.lengths_of(made(sentences, pieces, batch=16), 0)[followers_table.BY_LENGTH]
        for made in followers_table.WAYS.values()
    )
    assert abs(even - 0.5) < 0.05 < uneven - 0.5


@pytest.fixture(scope="module")
def text() -> Text:
    return blanks_table.read_text()


def test_exchanged_words_leave_what_is_asked_where_it_is(text: Text) -> None:
    moved, asked = text.exchanged(), text.labels != NOBODY
    special = text.inputs >= text.pieces.number
    assert torch.equal(moved[asked | special], text.inputs[asked | special])
    assert moved.flatten().bincount().equal(text.inputs.flatten().bincount())
    assert (moved != text.inputs)[~(asked | special)].double().mean() > 0.9


def test_a_learner_of_the_table_is_measured_by_fate(text: Text, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COURSE_QUICK", "1")
    rows = list(blanks_table._of_one(Learner(text, "learned", 300, 0), "learned", 0))
    found = {row[4]: row[5] for row in rows}
    assert set(found) == {blanks_table.NATS, blanks_table.RIGHT, *FATES}
    assert 5 < text.unigram < 7 and found[blanks_table.NATS] > 5
