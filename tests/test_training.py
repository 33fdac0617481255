"""The training helper: how many steps, what is returned, and that nothing is lost when it stops early."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn

from course import giving_back
from course.training import QUICK_STEPS, at_most, loss_curve, smooth, train
from course.widgets.running import centred


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv("COURSE_QUICK", raising=False)


def test_every_step_is_made_in_order_and_its_loss_returned() -> None:
    asked: list[int] = []
    losses = train(lambda i: asked.append(i) or 1 / (i + 1), 7)
    assert asked == list(range(7))
    assert losses == [1 / (i + 1) for i in range(7)]
    assert at_most(100) == 100


@pytest.mark.parametrize("name", ["NBGRADER_EXECUTION", "COURSE_QUICK"])
def test_a_grader_or_a_test_gets_three_steps(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "1")
    assert len(train(lambda i: 1.0, 100)) == QUICK_STEPS == 3
    assert len(train(lambda i: 1.0, 2)) == 2
    assert (at_most(100), at_most(2)) == (QUICK_STEPS, 2)


def test_a_model_learns_and_tensors_are_taken_for_losses() -> None:
    torch.manual_seed(0)
    model = nn.Linear(3, 1)
    x = torch.randn(64, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step(_: int) -> torch.Tensor:
        loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    losses = train(step, 60)
    assert all(isinstance(one, float) for one in losses)
    assert losses[-1] < losses[0] / 100


def test_stopping_keeps_what_was_learned(capsys: pytest.CaptureFixture[str]) -> None:
    def step(i: int) -> float:
        if i == 4:
            raise KeyboardInterrupt
        return 1.0

    assert train(step, 10) == [1.0] * 4
    assert "Stopped after 4 of 10 steps" in capsys.readouterr().out


def test_a_loss_that_is_no_number_ends_it_and_says_where() -> None:
    with pytest.raises(ValueError, match="loss at step 2 is nan"):
        train(lambda i: math.nan if i == 2 else 1.0, 10)


def test_no_steps_is_a_clear_error() -> None:
    with pytest.raises(ValueError, match="steps=0"):
        train(lambda i: 1.0, 0)


def test_the_curve_is_drawn_in_one_place_and_ends_with_the_last_step(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, picture: Any) -> None:
            shown.append(picture)

    monkeypatch.setattr("course.training.display", lambda picture, display_id: shown.append(picture) or Handle())
    monkeypatch.setattr("course.training.SECONDS_BETWEEN_PICTURES", -1.0)
    train(lambda i: 2.0, 3, landmarks={"chance": 3.0})
    assert len(shown) == 4
    drawn = shown[-1].axes[0].lines
    assert [len(line.get_xdata()) for line in drawn[:2]] == [3, 3]
    assert list(drawn[2].get_ydata()) == [3.0, 3.0]
    train(lambda i: 2.0, 3, curve=False)
    assert len(shown) == 4


def test_the_curve_says_in_words_where_it_ends() -> None:
    picture = loss_curve({"with": [4.0, 2.0], "without": [4.0, 4.0]})
    assert picture.alt == "Loss by step: with ends at 3, without ends at 4."


def test_smoothing_is_the_mean_of_the_last_values() -> None:
    assert smooth([4.0, 2.0, 0.0], window=2) == [4.0, 3.0, 1.0]


def test_names_of_landmarks_that_are_close_together_stand_beside_each_other() -> None:
    picture = loss_curve(
        {"loss": [3.5, 1.0, 0.05]}, landmarks={"low": 0.06, "nothing": 3.4, "signs": 2.95, "zero": 0.0}
    )
    places = {text.get_text(): text.xy for text in picture.axes[0].texts}
    assert places["nothing"] == (1, 3.4) and places["low"] == (1, 0.06)
    assert places["signs"][0] < 0.92 and places["signs"][1] == 2.95


def test_names_of_landmarks_lie_on_their_own_lines_and_on_no_other_name() -> None:
    given = {"low": 0.06, "nothing known": 3.4, "by the counts": 2.95, "by the sign before": 2.41}
    for losses in ([3.5, 0.05], [3.5, 0.9], [3.5, 1e-6]):
        picture = loss_curve({"loss": losses}, landmarks=given)
        picture.png()
        ax = picture.axes[0]
        boxes = {text.get_text(): text.get_window_extent() for text in ax.texts}
        for name, value in given.items():
            line = ax.transData.transform((0, value))[1]
            assert abs((boxes[name].y0 + boxes[name].y1) / 2 - line) < 2
        assert not any(boxes[one].overlaps(boxes[other]) for one in boxes for other in boxes if one < other)


def test_the_name_of_a_landmark_does_not_hide_where_a_curve_crosses_it() -> None:
    given = {"low": 0.06, "nothing known": 3.4, "by the counts": 2.95, "by the sign before": 2.41}
    losses = [2.5 * 0.95**step + 1.05 for step in range(150)]
    picture = loss_curve({"loss": losses}, landmarks=given)
    picture.png()
    ax = picture.axes[0]
    boxes = [text.get_window_extent() for text in ax.texts]
    drawn = ax.transData.transform(list(enumerate(losses)))
    assert not any(box.contains(x, y) for box in boxes for x, y in drawn)


@pytest.mark.parametrize(
    ("losses", "marks"),
    [
        ([3.6, 0.9], {"1", "2", "3"}),
        ([4.0, 0.06], {"0.1", "0.2", "0.5", "1", "2"}),
        ([4.0, 0.002], {"0.01", "0.1", "1"}),
        ([4.0, 1e-6], {r"$\mathdefault{10^{-2}}$", r"$\mathdefault{10^{-4}}$"}),
    ],
)
def test_the_marks_of_the_loss_are_plain_numbers_unless_they_run_long(losses: list[float], marks: set[str]) -> None:
    picture = loss_curve({"loss": losses * 20})
    picture.png()
    ax = picture.axes[0]
    assert marks <= {text.get_text() for text in ax.get_yticklabels(which="both")}


def test_a_curve_is_smoothed_on_both_sides_and_begins_with_its_first_value() -> None:
    assert centred([4.0, 2.0, 0.0, 2.0, 8.0], window=2).tolist() == pytest.approx([4.0, 2.0, 4 / 3, 10 / 3, 5.0])
    line = [float(one) for one in range(50)]
    assert centred(line).tolist()[:40] == line[:40]  # nothing lags behind


def test_freed_memory_is_given_back_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    times: list[int] = []
    monkeypatch.setattr("course.training.give_back", lambda: times.append(1))
    train(lambda number: 1.0, 25, curve=False)
    assert len(times) == 2


def test_without_glibc_nothing_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(giving_back.ctypes, "CDLL", lacking)
    giving_back._trim.cache_clear()
    try:
        giving_back.give_back()
    finally:
        giving_back._trim.cache_clear()
