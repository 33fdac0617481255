"""The digits of lesson 18: how they are split, blanked and learned, and the table."""

import csv

import pytest
import torch
from my_transformer import patchify
from torch import nn

from course.digits import PATCH, Digits, accuracy, draw_pictures, fit, ink, read_digits, without_patches
from course.digits_table import SIDES, nearness, on_strips, page, settings
from course.shipped import DATA


def test_every_digit_stands_on_one_side():
    known, held_out = read_digits(seed=3)
    assert (len(known), len(held_out)) == (1297, 500)
    assert known.images.shape[1:] == (1, 8, 8) and known.images.dtype == torch.float32
    assert known.images.min() >= 0 and known.images.max() == 1
    again, _ = read_digits(seed=3)
    other, _ = read_digits(seed=4)
    assert torch.equal(known.images, again.images) and not torch.equal(known.labels, other.labels)
    total = torch.cat([known.labels, held_out.labels]).bincount()
    assert total.sum() == 1797 and len(total) == 10


@pytest.mark.parametrize("count", [0, 1797])
def test_both_sides_need_digits(count):
    with pytest.raises(ValueError, match=f"held_out={count}"):
        read_digits(held_out=count)


def test_the_patches_with_the_largest_scores_become_paper():
    images = torch.ones(2, 1, 8, 8)
    scores = torch.arange(32.0).reshape(2, 16)
    scores[1] *= -1
    shown = without_patches(images, scores, 4)
    assert shown[0, 0, 6:].sum() == 0 and shown[0].sum() == 48  # the last four are the lowest row
    assert shown[1, 0, :2].sum() == 0 and shown[1].sum() == 48
    assert torch.equal(without_patches(images, scores, 0), images)


def test_ink_is_a_mean_for_each_patch():
    images = torch.zeros(1, 1, 8, 8)
    images[0, 0, 0, 2:4] = 1
    assert ink(images)[0].tolist() == [0, 0.5, *[0] * 14]


def test_a_model_learns_and_is_left_in_evaluation_mode():
    known, held_out = read_digits()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 10))
    before = accuracy(model, held_out)
    losses = fit(model, known, steps=60, rate=0.01, curve=False)
    assert not model.training and losses[0] > losses[-1]
    assert accuracy(model, held_out) > before


def test_pictures_are_drawn_with_titles():
    picture = draw_pictures([torch.zeros(1, 8, 8), torch.ones(4, 4)], ["paper", "ink"], alt="two")
    assert [ax.get_title(loc="left") for ax in picture.axes] == ["paper", "ink"] and picture.png()


def test_every_side_of_the_table_has_four_settings():
    assert [len(settings(side)) for side in SIDES] == [4] * len(SIDES)


def test_the_patches_of_strips_are_what_reshape_gives():
    digits = read_digits()[0].part(torch.arange(3))
    strips = on_strips(digits)
    assert torch.equal(patchify(strips.images, PATCH), digits.images.reshape(3, 16, 4))
    assert torch.equal(strips.labels, digits.labels)


def test_nearness_of_a_grid():
    rows = torch.arange(16) // 4
    positions = torch.cat([torch.zeros(1, 4), torch.eye(4)[rows]])[None]
    near, far = nearness(positions)
    assert near == pytest.approx(0.5) and far < near  # half of all neighbours stand in one row


def test_the_page_is_made_of_the_log():
    rows = [
        (seed, name, "", measure, seed / 10)
        for seed in (0, 1, 2)
        for name, measure in (("a", "held out"), ("b", "blanked"), ("c", "cosine"))
    ]
    text = page(rows)
    for name in "abc":
        assert f"| {name} | 0.000 | 0.100 | 0.200 |" in text
    assert isinstance(read_digits()[0], Digits)


def test_the_page_that_ships_is_what_its_log_says():
    with (DATA / "digits.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (int(seed), what, setting, measure, float(value))
            for seed, what, setting, measure, value in list(csv.reader(file))[1:]
        ]
    assert (DATA / "digits.md").read_text(encoding="utf-8") == page(rows)
