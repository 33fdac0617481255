"""The training dashboard: it shows the numbers it was given, at the checkpoint that is chosen."""

import numpy as np
import pytest
import torch

from course.widgets import TrainingDashboard
from course.widgets.dashboard import said_text
from course.widgets.running import centred
from tests.widgets.parts import node, training

LANDMARKS = {"knows nothing": 3.4, "by the one before": 2.4, "floor": 0.5}


def made(**changes):
    return TrainingDashboard(**{**training(), "landmarks": LANDMARKS, **changes})


def unpacked(entry):
    return np.frombuffer(entry["data"], "<f4").reshape(entry["shape"])


def test_the_numbers_sent_are_those_given():
    given, widget = training(), made()
    assert widget.data["names"] == ["loss", "learning rate", "gradient norm"]
    curves = unpacked(widget.data["curves"])
    for i, values in enumerate(given["log"].values()):
        assert np.allclose(curves[i], values)
    assert np.allclose(curves[3], centred(given["log"]["loss"]))
    assert widget.data["steps"] == [1, 20, 40, 60]
    assert unpacked(widget.data["weights"]).shape == (4, 2, 2, 4, 3)
    weights = torch.stack(given["checkpoints"][40]["weights"]).numpy()
    assert np.array_equal(unpacked(widget.data["weights"])[2], weights)
    assert np.allclose(unpacked(widget.data["probability"])[:, 0], [1 / 60, 20 / 60, 40 / 60, 1])
    assert widget.data["predicted"][2] == ["a", "␣", "b", "e"]
    assert widget.data["right"] == [0, 1, 3, 4]


def test_it_opens_at_the_last_checkpoint_and_the_last_layer():
    widget = made()
    assert (widget.checkpoint, widget.layer, widget.head) == (3, 1, -1)
    assert made(checkpoint=0).checkpoint == 0


def test_checkpoints_are_put_in_order():
    looks = training()["checkpoints"]
    assert made(checkpoints=dict(reversed(looks.items()))).steps == [1, 20, 40, 60]


def test_the_map_is_that_of_the_chosen_checkpoint_and_head():
    given = training()
    given["checkpoints"][20]["weights"][0][1] = torch.tensor([[0.5, 0.25, 0.25]])
    widget = TrainingDashboard(**given, checkpoint=1)
    widget.layer = 0
    both = given["checkpoints"][20]["weights"][0].numpy()
    assert np.allclose(widget.map(), both.mean(0))
    widget.head = 1
    assert np.allclose(widget.map(), both[1])


def test_alt_says_where_the_training_stands():
    widget = made(checkpoint=2)
    loss = float(centred(training()["log"]["loss"])[39])
    assert f"After 40 steps: loss {loss:.2f}, below `by the one before` (2.40) and above `floor` (0.50);" in widget.alt
    assert "3 of 4 places right." in widget.alt
    assert "A training of 60 steps." in widget.alt
    assert "It predicts: a ␣ b e." in widget.alt
    assert "learning rate 0.0030, gradient norm 1.35" in widget.alt


def test_one_step_is_no_plural():
    assert made(checkpoint=0).said(0).startswith("After 1 step: ")


def test_the_figure_shows_curve_landmarks_and_map():
    picture = made(checkpoint=1).plot()
    curve, shown = picture.axes[:2]
    assert len(curve.lines) == 2 + 1 + len(LANDMARKS)
    assert shown.get_title("left") == "after 20 steps, asked: predicted"
    assert picture.png()


def test_weights_that_are_wrong_are_told():
    given = training()
    given["checkpoints"][40]["weights"][1][:, 2] *= 0.5
    assert "sum to 1" in TrainingDashboard(**given, checkpoint=2).alt
    assert "sum to 1" not in TrainingDashboard(**given, checkpoint=1).alt


def test_a_log_that_was_cut_off_in_the_middle_of_a_step_is_taken():
    given = training()
    given["log"]["gradient norm"].append(1.0)
    assert len(TrainingDashboard(**given).curves["gradient norm"]) == 60


def test_loss_alone_is_enough():
    given = training()
    widget = TrainingDashboard({"loss": given["log"]["loss"]}, given["checkpoints"])
    assert widget.source == ["0", "1", "2"]
    assert widget.plot().png() and "At this step" not in widget.alt


def changed(**changes):
    given = training()
    look = {**given["checkpoints"][20], **changes}
    return {**given["checkpoints"], 20: look}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"log": {}}, "log has no losses"),
        ({"log": {"loss": []}}, "log has no losses"),
        ({"log": {"loss": [1.0] * 60, "learning rate": [1.0]}}, "1 numbers for 'learning rate' and 60 losses"),
        ({"checkpoints": {}}, "there are no checkpoints"),
        ({"checkpoints": {61: {}}}, "a checkpoint after 61 steps; give whole numbers from 1 to 60"),
        ({"checkpoints": {0: {}}}, "a checkpoint after 0 steps"),
        ({"checkpoints": {5: 3}}, "the checkpoint after 5 steps is int"),
        ({"checkpoints": changed(weights=torch.rand(2, 4, 5))}, "all checkpoints look at one example"),
        ({"checkpoints": changed(weights=3)}, "weights is a int"),
        ({"checkpoints": changed(predicted=["a"])}, "predicted is 1 names; give a list of 4"),
        ({"checkpoints": changed(probability=[0.5])}, "probability has 1 numbers; give 4"),
        ({"checkpoints": changed(probability=[2.0] * 4)}, "each from 0 to 1"),
        ({"source": ["x"]}, "source is 1 names; give a list of 3"),
        ({"target": "abcd"}, "target is the text 'abcd'"),
        ({"checkpoint": 4}, "checkpoint=4; give a whole number from 0 to 3"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(changes, words):
    with pytest.raises(ValueError) as error:
        made(**changes)
    assert words in str(error.value)


def test_python_and_javascript_say_the_same():
    marks = [["nothing", 3.4], ["before", 2.4], ["floor", 0.06]]
    cases = [[1, 4.0, marks, 0, 16], [25, 3.4, marks, 1, 16], [200, 0.742, marks, 12, 16], [900, 0.01, marks, 16, 16]]
    cases += [[2, 1.5, [], 1, 2], [3, 1234.5, marks, 0, 1], [7, 0.0600001, marks, 3, 3]]
    script = "result = given.map((one) => dashboard.saidText(...one));"
    assert node(script, uses=["dashboard"], given=cases) == [said_text(*one) for one in cases]
