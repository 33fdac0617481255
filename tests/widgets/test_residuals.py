"""The residual explorer: what it measures is what a plain loop measures, through the learner's functions."""

import time

import numpy as np
import pytest
import torch
from torch import nn

from course.widgets import ResidualExplorer
from course.widgets.residuals import DEEPEST, INITS, KINDS, _one_thread
from course.widgets.stand_ins import FeedForward
from tests.widgets.parts import add_norm, never_adds


def sent(packed):
    flat = torch.frombuffer(bytearray(packed["data"]), dtype=torch.float32)
    return flat.reshape(packed["shape"])


STEPS = {
    "no residual": lambda x, ff: ff(x),
    "residual only": lambda x, ff: x + ff(x),
    "post-norm": lambda x, ff: nn.functional.layer_norm(x + ff(x), (x.shape[-1],)),
    "pre-norm": lambda x, ff: x + ff(nn.functional.layer_norm(x, (x.shape[-1],))),
}


@pytest.mark.parametrize("init", INITS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_curves_are_those_of_a_plain_loop(kind, init):
    widget = ResidualExplorer(add_norm, nn.LayerNorm, FeedForward, depth=5, d_model=8, init=init)
    stream = [widget.x.clone().requires_grad_()]
    for block in widget.blocks:
        stream.append(STEPS[kind](stream[-1], block))
        stream[-1].retain_grad()
    stream[-1].backward(widget.pull)
    curves = widget.curves[kind]
    assert np.allclose(curves.spread, [float(h.detach().std(correction=0)) for h in stream], rtol=1e-4)
    assert np.allclose(curves.gradient, [float(h.grad.norm()) for h in stream[:-1]], rtol=1e-4)
    assert torch.equal(sent(widget.data["spread"])[KINDS.index(kind)], torch.from_numpy(curves.spread))


def test_the_learners_parts_are_those_that_run():
    calls = []

    def counted(x, sublayer, norm, dropout, norm_first=False):
        calls.append(norm_first)
        return add_norm(x, sublayer, norm, dropout, norm_first)

    class Doubled(FeedForward):
        def forward(self, x):
            return 2 * super().forward(x)

    widget = ResidualExplorer(counted, lambda x: x / 2, Doubled, depth=3, d_model=8)
    assert calls.count(True) >= 3 and calls.count(False) >= 6
    assert widget.problems == []
    assert all(isinstance(block, Doubled) for block in widget.blocks)
    halved = ((widget.x + widget.blocks[0](widget.x)) / 2).detach()
    assert widget.curves["post-norm"].spread[1] == pytest.approx(float(halved.std(correction=0)), rel=1e-4)


@pytest.mark.parametrize(("init", "std"), [("small", 0.02), ("he", (2 / 64) ** 0.5), ("torch", (1 / 64 / 3) ** 0.5)])
def test_the_initialisations_are_what_they_say(init, std):
    widget = ResidualExplorer(d_model=64, depth=1, init=init)
    layer = widget.blocks[0].linear1
    assert float(layer.weight.detach().std()) == pytest.approx(std, rel=0.03)
    assert bool(layer.bias.any()) == (init == "torch")


def test_a_deeper_stack_begins_with_the_same_blocks_and_drawing_again_changes_them():
    widget = ResidualExplorer(depth=4, d_model=8, init="he")
    before = widget.curves["pre-norm"].spread.copy()
    widget.depth = 6
    assert np.array_equal(widget.curves["pre-norm"].spread[:5], before)
    widget.seed = 1
    assert not np.array_equal(widget.curves["pre-norm"].spread[:5], before)
    widget.seed, widget.depth = 0, 4
    assert np.array_equal(widget.curves["pre-norm"].spread, before)


def test_the_learners_random_numbers_are_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    threads = torch.get_num_threads()
    ResidualExplorer(depth=3)
    assert torch.equal(torch.rand(2), expected)
    assert torch.get_num_threads() == threads


def test_numbers_too_small_for_float32_are_zero_and_drawn():
    widget = ResidualExplorer(depth=48, init="small")
    assert widget.curves["no residual"].gradient[0] == 0
    assert widget.curves["post-norm"].gradient[0] > 1
    assert widget.plot().png()


def fastest(action, times=5):
    def once():
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return min(once() for _ in range(times))


def test_a_change_costs_little_more_than_the_four_runs_themselves():
    widget = ResidualExplorer(add_norm, nn.LayerNorm, FeedForward, depth=24)

    def four_runs():
        for step in STEPS.values():
            first = h = widget.x.clone().requires_grad_()
            for block in widget.blocks:
                h = step(h, block)
            torch.autograd.grad(h, first, widget.pull)

    def change():
        widget.seed += 1

    # Side by side, as a limit in seconds would measure what else the machine does.
    with _one_thread():
        change_time, own_time = fastest(change), fastest(four_runs)
    assert change_time < 6 * own_time, f"{change_time / own_time:.1f} times"


def unwritten(*_):
    raise NotImplementedError


def in_place(x, sublayer, norm, dropout, norm_first=False):
    x += sublayer(norm(x) if norm_first else x)
    return x if norm_first else norm(x)


class Narrow(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.linear = nn.Linear(d_model, d_ff)

    def forward(self, x):
        return self.linear(x)


class Unfinished(nn.Module):
    def __init__(self, d_model, d_ff=0):
        super().__init__()

    def forward(self, x):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("part", "given", "words"),
    [
        ("add_norm", unwritten, "`unwritten` is not written yet."),
        ("add_norm", in_place, "`in_place` changes the tensor it is given (an operation in place, such as `+=`)."),
        ("add_norm", lambda x, *_: None, "is there a `return`?"),
        ("add_norm", lambda x: x, "raised TypeError"),
        ("feed_forward", Narrow, "`Narrow` returned shape (16, 128); expected (16, 32)."),
        ("feed_forward", Unfinished, "`Unfinished` is not written yet."),
        ("norm", Unfinished, "`Unfinished` is not written yet."),
        ("norm", lambda x: x.mean(-1), "returned shape (16,); expected (16, 32)."),
    ],
)
def test_a_failing_part_is_told_in_words_and_the_stand_in_is_used(part, given, words):
    widget = ResidualExplorer(**{part: given}, depth=3)
    assert words in widget.problems[0] and widget.problems[0].endswith("The stand-in is used instead.")
    right = ResidualExplorer(depth=3)
    assert all(np.array_equal(widget.curves[kind].spread, right.curves[kind].spread) for kind in KINDS)


def test_a_part_that_fails_only_deeper_down_is_told_too():
    def limited(x, sublayer, norm, dropout, norm_first=False):
        if norm_first and float(x.detach().std()) > 1.2:
            raise OverflowError("too wide")
        return add_norm(x, sublayer, norm, dropout, norm_first)

    widget = ResidualExplorer(limited, depth=24)
    assert widget.problems == ["pre-norm: `limited` raised OverflowError: too wide. The stand-in is used instead."]


def test_a_wrong_add_norm_is_shown_and_compared():
    widget = ResidualExplorer(never_adds, nn.LayerNorm, FeedForward, depth=3)
    assert widget.yours
    assert [line.split(":")[0] for line in widget.problems] == ["residual only", "post-norm", "pre-norm"]
    assert "after one block yours differs from the stand-in by up to" in widget.problems[0]


def test_a_right_one_has_no_problems():
    widget = ResidualExplorer(add_norm, nn.LayerNorm, FeedForward)
    assert widget.yours and widget.problems == []


def test_a_gradient_that_is_cut_off_is_told():
    widget = ResidualExplorer(lambda x, *rest: add_norm(x.detach(), *rest), depth=3)
    assert widget.problems == ["No gradient reaches the input in: residual only, post-norm, pre-norm."]
    assert np.isnan(widget.curves["pre-norm"].gradient).all()
    assert widget.plot().png()


def test_words_and_figure_hold_what_is_chosen():
    widget = ResidualExplorer(add_norm, nn.LayerNorm, FeedForward, depth=4)
    widget.shown = ["pre-norm"]
    last = f"{widget.curves['pre-norm'].spread[-1]:.2f} after block 4"
    assert last in widget.alt and "post-norm" not in widget.alt
    assert [line.get_label() for line in widget.plot().axes[0].lines] == ["pre-norm"]
    widget.shown = []
    assert widget.plot().png()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"add_norm": 3}, "add_norm is 3; give your function or class"),
        ({"norm": "LayerNorm"}, "norm is 'LayerNorm'; give your function or class"),
        ({"depth": 0}, f"depth=0; give a whole number from 1 to {DEEPEST}"),
        ({"depth": 2.5}, f"depth=2.5; give a whole number from 1 to {DEEPEST}"),
        ({"d_model": 1000}, "d_model=1000; give a whole number from 4 to 64"),
        ({"init": "xavier"}, "init='xavier' is not one of torch, small, he"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(arguments, words):
    with pytest.raises(ValueError) as error:
        ResidualExplorer(**arguments)
    assert str(error.value) == words
