"""What the page beside the weights says of fine-tuning: its log, its choice of settings, and its trainings."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch

from course import fine_tuning_table as table
from course.bert_pieces import BertPieces
from course.fine_tuning_table import CODE, COUNTED, LOG, READ, SCRATCH, SECTION, Row, Task, looks
from course.sections import Placed
from course.shipped import DATA, load_shipped


@pytest.fixture(scope="module")
def pieces() -> BertPieces:
    shipped = load_shipped("bert")
    assert shipped is not None
    return BertPieces(shipped.merges)


@pytest.fixture(scope="module")
def tagging(pieces: BertPieces) -> Task:
    return table.code_in_prose(pieces)


def row(setting: float, validation: float, seed: int = 0, **others: Any) -> Row:
    known = {"task": CODE, "labels": 50, "learner": READ, "held_out": 0.5, "sentences": 9, "weights": "x"}
    head = 0.0 if others.get("learner") == COUNTED else table.HEAD_RATE
    return known | {"seed": seed, "setting": setting, "head": head, "validation": validation} | others


def test_a_setting_is_chosen_by_the_validation_data_of_the_first_draw() -> None:
    rows = [row(1, 0.3), row(2, 0.4), row(3, 0.4), row(1, 0.9, seed=1)]
    assert table.best_setting(rows) == 2
    assert table.settings_of(rows, READ, 1, CODE, 50) == [2]
    assert table.settings_of(rows, READ, 0, CODE, 50) == table.RATES
    assert len(table.settings_of(rows, COUNTED, 0, CODE, 50)) == len(table.RATES)
    assert table.settings_of(rows, READ, 2, CODE, 200) == table.RATES


def test_rates_of_the_head_are_tried_where_lesson_16_shows_them() -> None:
    assert table.heads_of(READ, *table.SHOWN, 5e-4) == table.HEAD_RATES
    assert table.heads_of(READ, *table.SHOWN, 2e-3) == table.heads_of(SCRATCH, *table.SHOWN, 5e-4) == [table.HEAD_RATE]
    assert table.heads_of(COUNTED, *table.SHOWN, 5e-4) == [0]
    shown = {"task": CODE, "labels": 200}
    rows = [row(5e-4, 0.3, **shown), row(5e-4, 0.4, **shown) | {"head": 1e-2, "held_out": 0.75}]
    assert table.heads_table(rows)[-2:] == ["| 0.002 | 0.50 |", "| 0.01 | 0.75 |"]
    assert table.rates_of(rows)[2].startswith("| 0.0005 | 0.50 |")


def test_the_page_shows_held_out_figures_of_the_setting_that_was_chosen() -> None:
    rows = [row(2e-3, 0.4), row(5e-4, 0.3), row(2e-3, 0.1, seed=1) | {"held_out": 0.25}]
    rows += [row(3, 0.4, learner=COUNTED), row(5e-4, 0.4, learner=SCRATCH)]
    assert table.table_of(rows)[2:] == [f"| {CODE} | 50 | 0.50, 0.25 (0.002) | 0.50 (0.0005) | 0.50 (3) |"]


def test_a_log_is_read_as_it_was_written(tmp_path: Path) -> None:
    rows = [row(2e-3, 0.4), row(3.0, 0.25, seed=1, learner=COUNTED)]
    table.write_log(rows, tmp_path / LOG)
    assert table.read_log(tmp_path / LOG) == rows
    assert table.read_log(tmp_path / "none.csv") == []


def test_the_log_that_ships_is_of_the_weights_that_ship() -> None:
    rows = table.read_log(DATA / LOG)
    assert {one["weights"] for one in rows if one["learner"] == READ} == {table.mark_of(DATA / "bert.safetensors")}
    for task in (CODE, SECTION):
        for labels in table.STEPS:
            for learner in table.LEARNERS:
                seeds = {
                    one["seed"]
                    for one in rows
                    if (one["task"], one["labels"], one["learner"]) == (task, labels, learner)
                }
                assert seeds == set(range(table.SEEDS))
    assert all(line.count(",") == table.SEEDS - 1 for line in table.heads_table(rows)[2:])


def test_no_sentence_is_on_two_sides(tagging: Task) -> None:
    sides = [{" ".join(one.words) for one in some} for some in (tagging.pool, tagging.validation, tagging.held_out)]
    assert not sides[0] & sides[1] and not (sides[0] | sides[1]) & sides[2]
    assert len(tagging.pool) >= max(table.STEPS)
    few, many = tagging.drawn(50, 1), tagging.drawn(200, 1)
    assert few == many[:50] and few != tagging.drawn(50, 2)


def test_every_word_is_asked_for_once(tagging: Task, pieces: BertPieces) -> None:
    for one in tagging.held_out:
        assert [label for label in one.labels if label != table.NOBODY] == one.classes
        assert len(one.labels) == len(one.ids) <= table.MAX_LEN and len(one.classes) == len(one.words)
    ids, labels = table.batch_of(tagging, tagging.held_out[:9], pieces)
    assert ids.shape == labels.shape and (labels[ids == pieces.pad_id] == table.NOBODY).all()
    right = torch.tensor([label for one in tagging.held_out for label in one.classes])
    assert tagging.f1(tagging.held_out, right) == 1 and tagging.f1(tagging.held_out, right * 0) == 0


def test_a_regression_sees_a_word_its_neighbours_and_how_it_is_written() -> None:
    assert set(looks(["The", "K4_a,", "is"], 1)) == {
        "-2 edge of the sentence",
        "-1 the",
        "0 k4_a",
        "1 is",
        "2 edge of the sentence",
        "shape A0_a,",
        "end _a,",
    }


def test_the_command_trains_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentences = [Placed(f"It is sentence number {'i' * i} of these.", i % 2) for i in range(12)]
    monkeypatch.setattr(table, "placed_sentences", lambda: (sentences, sentences[:4]))
    for name, value in {"STEPS": {4: 1}, "SEEDS": 1, "RATES": (1e-3,), "PENALTIES": (3.0,), "VALIDATION": 4}.items():
        monkeypatch.setattr(table, name, value)
    shutil.copy(DATA / "bert.safetensors", tmp_path)
    assert table.main(["--folder", str(tmp_path)]) == 0
    rows = table.read_log(tmp_path / LOG)
    assert [(one["task"], one["learner"]) for one in rows] == [
        (task, learner) for learner in (COUNTED, SCRATCH, READ) for task in (CODE, SECTION)
    ]
    assert f"| {SECTION} | 4 |" in capsys.readouterr().out
    kept = [one | {"held_out": 0.125, "weights": "other"} if one["learner"] == READ else one for one in rows]
    table.write_log(kept[1:], tmp_path / LOG)
    assert table.main(["--folder", str(tmp_path)]) == 0
    again = table.read_log(tmp_path / LOG)
    assert sorted(map(str, again)) == sorted(map(str, rows))


def test_weights_that_are_missing_are_said_to_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert table.main(["--folder", str(tmp_path)]) == 2
    assert "bert.safetensors" in capsys.readouterr().err
