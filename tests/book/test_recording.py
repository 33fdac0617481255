"""What widgets keep for a page without Python."""

from __future__ import annotations

import base64
import json

import ipywidgets
import pytest
import torch

from autograder.stand_ins.decoding import next_token_probs
from course import widgets
from course.tokens import TokenExplorer
from course.toy import toy
from course.widgets import recording
from course.widgets.base import CourseWidget
from course.widgets.recording import record_all, recorded
from course.widgets.sampling import SamplingLab
from tests.widgets.parts import X, attention, attention_scores


def made() -> list[CourseWidget]:
    return [
        SamplingLab(next_token_probs, torch.arange(5.0), top_p=0.8),
        widgets.NormExplorer(toy()),
        widgets.MaskPlayground(["the", "cat", "sat"]),
        widgets.PositionExplorer(max_len=16, d_model=8),
        widgets.ResidualExplorer(depth=2),
        widgets.AttentionStepper(X, X, X, mine=(attention_scores, attention)),
    ]


@pytest.mark.parametrize("widget", made(), ids=lambda one: type(one).__name__)
def test_all_that_python_answers_is_named(widget: CourseWidget) -> None:
    listeners = {name: by_type.get("change", []) for name, by_type in widget._trait_notifiers.items()}
    observed = {name for name in widget.keys for one in listeners.get(name, []) if "_refresh" in repr(one)}
    assert set(widget.recorded) == observed


def test_an_answer_is_what_python_would_have_said() -> None:
    lab = SamplingLab(next_token_probs, torch.arange(5.0), top_p=0.8)
    kept = recorded(lab)
    names = list(kept["settings"])
    place = 0
    wanted = {"temperature": 0.5, "top_k": 2, "top_p": 1.0, "seed": 1}
    for name in names:
        place = place * len(kept["settings"][name]) + kept["settings"][name].index(wanted[name])
    answer = {**kept["state"]["data"], **kept["answers"][place]}
    assert (lab.temperature, lab.top_p) == (1.0, 0.8), "the widget is left as it was"
    for name, value in wanted.items():
        setattr(lab, name, value)
    assert answer["caption"] == lab.data["caption"] and answer["drawn"] == lab.data["drawn"]
    assert base64.b64decode(answer["probs"]["base64"]) == lab.data["probs"]["data"]


def test_what_begins_elsewhere_is_kept_too() -> None:
    kept = recorded(SamplingLab(next_token_probs, torch.arange(5.0), temperature=1.7))
    assert 1.7 in kept["settings"]["temperature"] and kept["settings"]["temperature"] == sorted(
        kept["settings"]["temperature"]
    )


def test_too_many_answers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "MOST_ANSWERS", 3)
    with pytest.raises(ValueError, match="name fewer settings"):
        recorded(widgets.PositionExplorer(max_len=16, d_model=8))


@pytest.fixture
def process_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no other test had made a widget."""
    monkeypatch.setattr(ipywidgets.widgets.widget, "_instances", {})


@pytest.mark.usefixtures("process_of_its_own")
def test_all_widgets_of_a_process_are_written_down(tmp_path) -> None:
    stepper = widgets.AttentionStepper(X, X, X)
    box = ipywidgets.IntSlider()
    record_all(tmp_path / "kept.json")
    kept = json.loads((tmp_path / "kept.json").read_text())
    assert kept[stepper.model_id]["module"] == "stepper.js" and kept[stepper.model_id]["answers"] == []
    assert list(kept) == [stepper.model_id] and box.model_id not in kept


@pytest.mark.usefixtures("process_of_its_own")
def test_what_names_a_box_s_fields_can_be_written_down(tmp_path) -> None:
    box = TokenExplorer(lambda text, merges: list(text.encode()), [], "ab")
    record_all(tmp_path / "kept.json")
    (only,) = json.loads((tmp_path / "kept.json").read_text()).values()
    assert box.children and only["module"] == "names.js" and only["alt"] == ""
