"""What every widget does: shows itself without a kernel, stays silent when graded, travels as one module."""

import base64
from html import escape, unescape
from pathlib import Path

import ipywidgets
import nbformat
import pytest
import torch
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from autograder.stand_ins.hearing import log_spectrogram
from course.widgets import (
    AttentionStepper,
    CrossAttentionStepper,
    LossExplorer,
    MaskPlayground,
    NormExplorer,
    PositionExplorer,
    ResidualExplorer,
    SamplingLab,
    TonePad,
    TrainingDashboard,
)
from course.widgets.base import bundle
from course.widgets.figures import Picture
from tests.widgets.parts import (
    CAUSAL,
    TOKENS,
    X,
    add_norm,
    alignment,
    attention,
    attention_scores,
    look,
    reader,
    run_node,
    sinusoids,
    training,
)

PROJECT = Path(__file__).resolve().parents[2]
MODULES = [
    "stepper.js",
    "playground.js",
    "norms.js",
    "positions.js",
    "residuals.js",
    "alignment.js",
    "dashboard.js",
    "sampling.js",
    "losses.js",
    "tone_pad.js",
]
LIVE = "application/vnd.jupyter.widget-view+json"
PNG = b"\x89PNG\r\n"


def make(kind):
    return {
        "stepper": lambda: AttentionStepper(X, X, X, CAUSAL, TOKENS, mine=(attention_scores, attention)),
        "playground": lambda: MaskPlayground(TOKENS, attention=attention),
        "norms": lambda: NormExplorer(X, torch.nn.LayerNorm, tokens=TOKENS),
        "positions": lambda: PositionExplorer(sinusoids, 12, 8),
        "residuals": lambda: ResidualExplorer(add_norm, torch.nn.LayerNorm, depth=4),
        "alignment": lambda: CrossAttentionStepper(alignment(), source=TOKENS),
        "dashboard": lambda: TrainingDashboard(**training()),
        "sampling": lambda: SamplingLab(None, torch.arange(5.0)),
        "losses": lambda: LossExplorer(reader(), torch.arange(6), str),
        "tone_pad": lambda: TonePad(look, log_spectrogram, keys="47"),
    }[kind]()


every_widget = pytest.mark.parametrize(
    "kind",
    [
        "stepper",
        "playground",
        "norms",
        "positions",
        "residuals",
        "alignment",
        "dashboard",
        "sampling",
        "losses",
        "tone_pad",
    ],
)


@every_widget
def test_the_mimebundle_is_live_and_carries_a_picture_with_words(kind):
    widget = make(kind)
    data, metadata = widget._repr_mimebundle_()
    assert LIVE in data
    assert base64.b64decode(data["image/png"]).startswith(PNG)
    assert metadata["image/png"]["alt"] == widget.alt
    assert data["text/plain"] == widget.alt
    assert f'<img class="course-figure" width="{round(widget.plot().get_figwidth() * 110)}"' in data["text/html"]
    assert f'alt="{escape(widget.alt)}"' in data["text/html"]
    assert data["image/png"] in data["text/html"]


@every_widget
def test_a_graded_run_opens_no_connection_and_still_has_the_picture(kind, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    before = dict(ipywidgets.widgets.widget._instances)
    widget = make(kind)
    data, metadata = widget._repr_mimebundle_()
    assert widget.comm is None
    assert ipywidgets.widgets.widget._instances == before
    assert set(data) == {"image/png", "text/plain"}
    assert metadata["image/png"]["alt"]
    assert isinstance(widget.plot(), Picture)


@every_widget
def test_nbconvert_shows_the_picture_with_its_alt_text(kind, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    data, metadata = make(kind)._repr_mimebundle_()
    cell = nbformat.v4.new_code_cell("widget")
    output = nbformat.v4.new_output("display_data", data, metadata=metadata)
    cell.outputs = [output]
    page, _ = HTMLExporter(template_name="classic").from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert data["image/png"][:60] in page
    assert f'alt="{metadata["image/png"]["alt"]}"' in unescape(page)


def test_a_graded_notebook_shows_only_pictures_and_writes_nothing_to_stderr(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    monkeypatch.setenv("PYTHONPATH", str(PROJECT))
    setup = "from course.widgets import *\nfrom tests.widgets.parts import *"
    last = ["AttentionStepper(X, X, X)", "MaskPlayground(TOKENS)", "NormExplorer(X)"]
    last += ["PositionExplorer(sinusoids)", "ResidualExplorer(add_norm)", "CrossAttentionStepper(alignment())"]
    last += ["TrainingDashboard(**training())", "SamplingLab(None, torch.arange(5.0))"]
    cells = [nbformat.v4.new_code_cell(text) for text in [setup, *last]]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, timeout=60).execute()
    outputs = [output for cell in notebook.cells for output in cell.outputs]
    assert [set(output.data) for output in outputs] == [{"image/png", "text/plain"}] * 8
    assert "application/vnd.jupyter.widget-state+json" not in notebook.metadata.get("widgets", {})


@every_widget
def test_alt_text_is_escaped(kind):
    widget = make(kind)
    picture = Picture(figsize=(1, 1), alt='<script>"x"')
    html = picture._repr_mimebundle_()[0]["text/html"]
    assert "<script>" not in html and "&lt;script&gt;" in html
    assert widget.plot().alt == widget.alt


@pytest.mark.parametrize("name", MODULES)
def test_the_bundle_is_one_module_without_imports(name, tmp_path):
    text = bundle(name)
    lines = text.splitlines()
    assert not [line for line in lines if line.startswith(("import ", "export {", "export const"))]
    assert sum(line.startswith("export default") for line in lines) == 1
    assert text.count("class Heatmap {") == 1
    path = tmp_path / "bundle.mjs"
    path.write_text(text, encoding="utf-8")
    run_node("--check", path)


@pytest.mark.parametrize("name", MODULES)
def test_the_bundle_asks_nobody_for_anything(name):
    text = bundle(name)
    assert not [word for word in ("http:", "https:", "fetch(", "eval(", "innerHTML") if word in text]


def test_numbers_travel_as_float32_bytes():
    packed = make("stepper").data["q"]
    assert packed["shape"] == [1, 3, 4]
    sent = torch.frombuffer(bytearray(packed["data"]), dtype=torch.float32)
    assert torch.equal(sent.reshape(3, 4), X)


def test_a_transposed_tensor_arrives_as_it_is_read():
    widget = AttentionStepper(X.T, X.T, X.T)
    sent = torch.frombuffer(bytearray(widget.data["q"]["data"]), dtype=torch.float32)
    assert torch.equal(sent.reshape(4, 3), X.T)
