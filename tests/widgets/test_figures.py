"""The helpers for static figures."""

import matplotlib as mpl
import numpy as np
import pytest
import torch

from course.widgets.figures import STYLE, Picture, heatmap, panels, style

WEIGHTS = torch.tensor([[1.0, 0, 0], [0.25, 0.75, 0], [0.2, 0.3, 0.5]])
CAUSAL = torch.ones(3, 3).tril().bool()


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_a_heatmap_of_its_own_has_axes_scale_and_numbers():
    picture = heatmap(None, WEIGHTS, rows=list("abc"), columns=list("xyz"), title="weights")
    assert isinstance(picture, Picture)
    ax, bar = picture.axes
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query (asks)", "key (is read)")
    assert [label.get_text() for label in ax.get_yticklabels()] == list("abc")
    assert ax.images[0].get_clim() == (0, 1)
    assert [t.get_text() for t in bar.get_yticklabels()] == ["0", "0.25", "0.5", "0.75", "1"]
    assert "0.75" in words(ax)


def test_weights_are_never_scaled_to_their_own_largest():
    picture = heatmap(None, WEIGHTS / 100)
    assert picture.axes[0].images[0].get_clim() == (0, 1)


def test_signed_numbers_are_centred_at_zero():
    picture = heatmap(None, np.array([[-3.0, 1.0]]), kind="signed")
    assert picture.axes[0].images[0].get_clim() == (-3, 3)
    wide = heatmap(None, np.array([[-3.0, 1.0]]), kind="signed", limit=5)
    assert wide.axes[0].images[0].get_clim() == (-5, 5)


def test_masked_cells_have_a_pattern_and_no_number_unless_they_leak():
    quiet = heatmap(None, WEIGHTS, mask=CAUSAL).axes[0]
    assert len([patch for patch in quiet.patches if patch.get_hatch() == "////"]) == 3
    assert len(words(quiet)) == 6
    leak = WEIGHTS.clone()
    leak[0, 2] = 0.4
    assert "0.40" in words(heatmap(None, leak, mask=CAUSAL).axes[0])


def test_nan_has_another_pattern_and_its_name():
    values = WEIGHTS.clone()
    values[1, 1] = torch.nan
    ax = heatmap(None, values).axes[0]
    assert [patch.get_hatch() for patch in ax.patches] == ["xxxx"]
    assert "NaN" in words(ax)


def test_small_is_not_called_zero():
    written = words(heatmap(None, np.array([[0.001, 0.0]])).axes[0])
    assert written == ["~0", "0"]


def test_drawing_into_given_axes_returns_nothing_to_show_twice():
    picture, axes = panels(1, 2)
    assert axes.shape == (1, 2)
    assert heatmap(axes[0, 0], WEIGHTS, legend=False) is None
    assert len(picture.axes) == 2


def looks(title):
    return title.get_fontsize(), title.get_fontweight(), title.get_color(), title.get_position()[0]


@pytest.mark.parametrize("title", [lambda ax: ax.set(title="a line"), lambda ax: ax.set_title("a line")])
def test_a_title_looks_alike_on_a_heatmap_and_on_a_line_plot(title):
    _, [[left, right]] = panels(1, 2)
    with mpl.rc_context({"axes.titlesize": 20, "axes.titlelocation": "center", "axes.titleweight": "normal"}):
        title(left)
        heatmap(right, WEIGHTS, title="a heatmap")
    assert (left.get_title("left"), left.get_title("center")) == ("a line", "")
    assert looks(left._left_title) == looks(right._left_title) == (10, "bold", STYLE["text.color"], 0)


def test_an_author_may_still_choose_another_title():
    _, [[ax]] = panels()
    ax.set_title("centred", loc="center", fontsize=14)
    assert (ax.get_title("center"), ax.title.get_fontsize()) == ("centred", 14)


def test_a_legend_has_the_style_though_it_is_not_set():
    _, [[ax]] = panels()
    with mpl.rc_context({"legend.frameon": True}):
        ax.plot([0, 1], [0, 1], label="run")
        assert not ax.legend().get_frame_on()


def test_alarms_stand_on_a_ground_of_their_own():
    values = WEIGHTS.clone()
    values[1, 1], values[0, 2] = torch.nan, 0.4
    grounds = {text.get_text(): text.get_bbox_patch() for text in heatmap(None, values, mask=CAUSAL).axes[0].texts}
    assert grounds["NaN"] is not None and grounds["0.40"] is not None
    assert grounds["1.00"] is None


@pytest.mark.parametrize("inches", [3.0, 12.5])
def test_a_picture_is_as_wide_as_its_letters_ask_and_never_wider_than_the_page(inches):
    picture, _ = panels(size=(inches, 1), alt="a figure")
    html = picture._repr_mimebundle_()[0]["text/html"]
    assert f'width="{round(110 * inches)}" style="max-width: 100%; height: auto"' in html
    assert 'class="course-figure"' in html


def test_style_is_set_for_the_notebook():
    with mpl.rc_context():
        style()
        assert {key: mpl.rcParams[key] for key in ("axes.titlesize", "figure.facecolor")} == {
            key: STYLE[key] for key in ("axes.titlesize", "figure.facecolor")
        }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"values": torch.zeros(2)}, "give a matrix"),
        ({"mask": torch.ones(3, 3)}, "give booleans"),
        ({"mask": torch.ones(2, 2).bool()}, "broadcast to"),
        ({"rows": ["a"]}, "rows has 1 names; give 3"),
    ],
)
def test_bad_input_is_told(arguments, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        heatmap(None, **{"values": WEIGHTS, **arguments})
