"""The picture reader: what the learner's own Vision Transformer says, where it looked, and the paper."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from autograder.stand_ins.vision import VisionConfig, attention_rollout
from course.widgets import PictureReader
from tests.widgets.parts import sees


def reader(model=None, **settings):
    made, images = sees()
    return PictureReader(model or made, images, range(5), **{"rollout": attention_rollout, **settings})


def sent(packed):
    return np.frombuffer(packed["data"], "<f4").reshape(packed["shape"])


def test_the_numbers_are_the_models_own_and_its_mode_stays():
    model, images = sees()
    model.train()
    shown = PictureReader(model, images, range(5), rollout=attention_rollout, picture=2)
    assert model.training
    with torch.no_grad():
        logits, weights = model.eval()(images[2:3], return_weights=True)
    assert shown.data["shares"] == pytest.approx(logits.softmax(-1)[0].tolist(), abs=1e-6)
    maps = sent(shown.data["maps"])
    assert shown.views == [
        *(f"layer {one}, {who}" for one in (0, 1) for who in ("head 0", "head 1", "mean")),
        "rolled out",
    ]
    assert np.allclose(maps[[0, 1, 3, 4]], torch.cat(weights)[:, :].flatten(0, 1).numpy(), atol=1e-6)
    assert np.allclose(maps[2], weights[0][0].mean(0), atol=1e-6)
    assert np.allclose(maps[6], attention_rollout(weights)[0], atol=1e-6)
    assert shown.views[shown.view] == "layer 1, mean" and shown.problems == []


def test_what_is_drawn_is_read_anew():
    shown = reader()
    before = shown.data["shares"]
    shown.pixels = [0.0] * 24
    assert shown.data["shares"] != before
    assert shown.caption.startswith("The model says ")
    shown.pixels = [0.0] * 3
    assert shown.problems == ["pixels has 3 numbers; give 24."] and shown.caption == "No answer."
    assert shown.plot().png()


def test_it_says_who_reads_what():
    shown = reader()
    assert "A picture of a 0." in shown.alt and "layer 1, mean: the class token reads most of patches" in shown.alt
    shown.asks, shown.view = 4, 0
    assert "layer 0, head 0: patch 4 reads most" in shown.alt
    assert shown.plot().png()


class Answers(nn.Module):
    """Says what it is told to say."""

    def __init__(self, logits, weights):
        super().__init__()
        self.config = VisionConfig(4, 6, 1, 2)
        self.found = (logits, weights)

    def forward(self, images, return_weights=False):
        return self.found


class Unwritten(Answers):
    def forward(self, images, return_weights=False):
        raise NotImplementedError


EVEN = torch.full((1, 2, 7, 7), 1 / 7)


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (Unwritten(None, None), "`Unwritten` is not written yet."),
        (Answers(torch.zeros(1, 4), EVEN), "`Answers` returned no logits and list of weights."),
        (Answers(torch.zeros(4), [EVEN]), "`Answers` returned logits of shape (4,)"),
        (Answers(torch.zeros(1, 4), [EVEN[..., 1:]]), "layer 0 of `Answers` returned weights of shape (1, 2, 7, 6)"),
        (Answers(torch.full((1, 4), torch.nan), [EVEN]), "`Answers` returned logits that are no numbers."),
        (Answers(torch.zeros(1, 4), [2 * EVEN]), "In the view “layer 0, head 0”, what the class token reads sums to 2"),
    ],
)
def test_what_is_wrong_is_said(model, said):
    shown = reader(model, rollout=None)
    assert shown.problems[0].startswith(said)
    assert shown.plot().png() and shown.alt


def test_a_rollout_that_is_not_written_leaves_the_rest():
    def attention_rollout(weights):
        raise NotImplementedError

    shown = reader(rollout=attention_rollout)
    assert shown.problems == ["`attention_rollout` is not written yet."] and len(shown.views) == 6


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"images": torch.zeros(2, 3, 4, 6)}, "images has shape (2, 3, 4, 6)"),
        ({"images": torch.zeros(2, 1, 4, 6, dtype=torch.long)}, "give a float tensor"),
        ({"labels": [1]}, "1 labels for 5 pictures"),
        ({"picture": 5}, "give 0 to 4"),
        ({"view": "layer 9"}, "view='layer 9'"),
        ({"images": torch.zeros(2, 1, 5, 6), "labels": None}, "it has to divide 5 x 6"),
    ],
)
def test_it_refuses_what_does_not_fit(settings, said):
    model, images = sees()
    given = {"images": images, "labels": range(5), **settings}
    with pytest.raises(ValueError, match=re.escape(said)):
        PictureReader(model, given.pop("images"), given.pop("labels"), **given)
