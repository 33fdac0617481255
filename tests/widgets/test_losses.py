"""The loss explorer: what each token cost the learner's own model, why, and what it costs without a head."""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course.widgets import LossExplorer
from tests.widgets.parts import reader

IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])
NAMES = [f"w{i}" for i in range(12)]


def explorer(model=None, **settings):
    return LossExplorer(model or reader(), IDS, NAMES.__getitem__, **settings)


def sent(packed):
    return np.frombuffer(packed["data"], "<f4").reshape(packed["shape"])


def expected_losses(model):
    with torch.no_grad():
        logits = model.eval()(IDS[None, :-1])[0]
    return F.cross_entropy(logits, IDS[1:], reduction="none").numpy()


def test_the_numbers_are_the_models_own_and_its_mode_stays():
    model = reader().train()
    shown = explorer(model)
    assert model.training
    losses, weights = sent(shown.data["losses"]), sent(shown.data["weights"])
    assert losses.shape == (5, 7) and weights.shape == (4, 7, 7)
    assert np.allclose(losses[0], expected_losses(model), atol=1e-5)
    with torch.no_grad():
        logits, of_blocks = model.eval()(IDS[None, :-1], return_weights=True)
    assert np.allclose(weights, torch.cat(of_blocks, 1)[0].numpy(), atol=1e-6)
    best = logits[0].softmax(-1).topk(10)
    assert np.allclose(sent(shown.data["best"])[0], best.values.numpy(), atol=1e-6)
    assert np.array_equal(sent(shown.data["bestIds"])[0], best.indices.numpy())
    ranks = [1 + int((row > row[one]).sum()) for row, one in zip(logits[0], IDS[1:], strict=True)]
    assert sent(shown.data["ranks"])[0].tolist() == ranks
    assert shown.problems == [] and shown.data["heads"] == ["0.0", "0.1", "1.0", "1.1"]


@pytest.mark.parametrize(("number", "block", "head"), [(1, 0, 0), (2, 0, 1), (3, 1, 0), (4, 1, 1)])
def test_a_silenced_head_adds_nothing(number, block, head):
    model = reader()
    other = copy.deepcopy(model)
    with torch.no_grad():
        other.layers[block].self_attn.out_proj.weight[:, 4 * head : 4 * head + 4] = 0
    before = [one.clone() for one in model.parameters()]
    losses = sent(explorer(model).data["losses"])
    assert np.allclose(losses[number], expected_losses(other), atol=1e-5)
    assert not np.allclose(losses[number], losses[0], atol=1e-3)
    assert all(torch.equal(one, old) for one, old in zip(model.parameters(), before, strict=True))


def test_it_begins_with_the_dearest_token_and_says_so():
    shown = explorer()
    assert shown.token == 1 + int(shown.losses[0].argmax())
    assert f"'w{IDS[shown.token]}' cost" in shown.alt and "No problems." in shown.alt
    assert explorer(token=2).token == 2


def test_a_silenced_head_is_in_the_caption():
    shown = explorer()
    assert "silenced" not in shown.caption
    shown.silenced = 2
    assert shown.caption.endswith("with head 1.0 silenced.")


class Leaky(nn.Module):
    """Reads the next token, and is sure of it."""

    def __init__(self):
        super().__init__()
        self.layers = reader().layers

    def forward(self, ids, return_weights=False):
        size = ids.size(1)
        asked = torch.cat([IDS[1 : size + 1]])
        weights = torch.ones(1, 2, size, size) / size
        return 20 * F.one_hot(asked, 12).float()[None], [weights, weights]


def test_a_leak_and_a_loss_that_is_too_good_are_told():
    problems = " ".join(explorer(Leaky()).problems)
    assert "Tokens read what comes after them: head 0.0, 0.1, 1.0 and 1 more." in problems
    assert "does the model see its answers?" in problems


class Unwritten(nn.Module):
    def forward(self, ids, return_weights=False):
        raise NotImplementedError


class LogitsOnly(nn.Module):
    def forward(self, ids, return_weights=False):
        return torch.zeros(1, ids.size(1), 12)


class NoLayers(nn.Module):
    def forward(self, ids, return_weights=False):
        size = ids.size(1)
        return torch.zeros(1, size, 12), [torch.ones(1, 1, size, size).tril() / torch.arange(1, size + 1)[:, None]]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (Unwritten(), "`Unwritten` is not written yet."),
        (LogitsOnly(), "`LogitsOnly` returned a Tensor where the pair"),
        (NoLayers(), "No head can be silenced: `model.layers[0].self_attn.out_proj` is not there."),
    ],
)
def test_a_model_of_another_kind_is_told_in_words(model, words):
    shown = explorer(model)
    assert words in shown.problems[0]
    assert words in shown.alt and shown.plot().png()


def test_the_figure_has_every_token_and_every_head():
    picture = explorer(token=5).plot()
    bars, likeliest, heads = picture.axes[:3]
    assert len(likeliest.get_yticklabels()) == 10
    assert [one.get_text() for one in bars.get_xticklabels()] == [NAMES[i] for i in IDS[1:]]
    assert [one.get_text() for one in heads.get_yticklabels()] == ["0.0", "0.1", "1.0", "1.1"]


@pytest.mark.parametrize(
    ("ids", "token", "words"),
    [
        (torch.zeros(1, 4, dtype=torch.long), None, "ids is shape (1, 4); give the tokens of one text"),
        (torch.zeros(1, dtype=torch.long), None, "ids is shape (1,); give"),
        ([1, 2], None, "ids is a list; give"),
        (IDS, 0, "token=0 is no place that is predicted; give 1 to 7"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(ids, token, words):
    with pytest.raises(ValueError) as error:
        LossExplorer(reader(), ids, str, token=token)
    assert words in str(error.value)
