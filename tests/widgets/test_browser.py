"""The widgets in a real JupyterLab: mouse, keyboard, both themes, no network."""

import os

import pytest

from course.widgets.numbers import number
from course.widgets.palette import SIGNED, WEIGHTS, ramp
from tests import jupyterlab
from tests.tiers import by_turns, touches
from tests.widgets.page import Shown, later, near, pixel
from tests.widgets.parts import CAUSAL, X, attention

pytestmark = [pytest.mark.browser, pytest.mark.turns(3, "course/widgets", "tests/widgets", at=2)]

SETUP = """
import torch
from course.toy import toy
from course.widgets import AttentionStepper, CrossAttentionStepper, LossExplorer, MaskPlayground, NormExplorer
from course.widgets import BlankExplorer, NameFinder, PictureReader, PositionExplorer, ResidualExplorer, SamplingLab
from course.widgets import TonePad, TrainingDashboard
from autograder.stand_ins.vision import attention_rollout
from course.widgets.figures import heatmap, panels
from autograder.stand_ins.hearing import log_spectrogram
from tests.widgets.parts import *
twelve = "the quick brown fox jumps over the lazy dog and runs home".split()
many = torch.randn(1, 2, 12, 8, generator=torch.Generator().manual_seed(0))
english, german = ["twenty", "one", "<eos>"], ["<bos>", "ein", "und", "zwanzig"]
wrong = alignment()
wrong[1][0, 1, 2] *= 0.5
wrong[1][0, 0, 0, 0] = torch.nan
words = [f"word{i}" for i in range(300)]
scores = torch.linspace(4, -6, 300)
row = [CLS, *range(12), SEP]


def probs(logits, temperature=1.0, top_k=None, top_p=None):
    kept = logits.argsort(descending=True)[:top_k]
    return torch.zeros_like(logits).scatter(0, kept, (logits[kept] / temperature).softmax(0))


def unwritten(max_len, d_model):
    raise NotImplementedError
"""
FIGURES = """
picture, axes = panels(1, 3, size=(14, 3), alt="a wide figure")
heatmap(axes[0, 0], CAUSAL, kind="mask", title="a mask")
axes[0, 1].plot([0, 1])
picture
"""
CELLS = [
    SETUP,
    "stepper = AttentionStepper(X, X, X, CAUSAL, TOKENS, mine=(unscaled, attention)); stepper",
    "playground = MaskPlayground(TOKENS, attention=attention); playground",
    "norms = NormExplorer(X, torch.nn.LayerNorm, tokens=TOKENS); norms",
    "AttentionStepper(many, many, many, None, twelve, stage=4)",
    "MaskPlayground(twelve)",
    "opened = NormExplorer(toy(), torch.nn.LayerNorm, tokens=TOKENS); opened",
    FIGURES,
    "positions = PositionExplorer(sinusoids); positions",
    "PositionExplorer(unwritten, 128, 128)",
    "residuals = ResidualExplorer(add_norm, torch.nn.LayerNorm); residuals",
    "alignment_of = CrossAttentionStepper(alignment(), english, german, layer=0, head=0); alignment_of",
    "CrossAttentionStepper(wrong, english, german, step=2, head=1)",
    "CrossAttentionStepper((many @ many.mT).softmax(-1), twelve, twelve, step=3)",
    "dashboard = TrainingDashboard(**training(), landmarks={'nothing': 3.4, 'before': 3, 'floor': 0.5}); dashboard",
    "sampling = SamplingLab(probs, scores, words, top_k=5); sampling",
    "losses = LossExplorer(reader(), torch.arange(40) % 12, lambda one: f' w{one}'); losses",
    "blanks = BlankExplorer(*fills(), row, lambda one: f' w{one}', MASK, special=(CLS, SEP), blanks=(3, 9), "
    "from_left=lambda ids: torch.arange(12.0)); blanks",
    "seer, photos = sees(8, 8); reader_of = PictureReader(seer, photos, rollout=attention_rollout); reader_of",
    "pad = TonePad(look, log_spectrogram, keys='25', noise=0.5); pad",
    "finder = NameFinder(letters, {'en': ['peru', 'chad', 'mali'], 'fr': ['pérou', 'tchad', 'mali']}, text='chad')\n"
    "finder",
    "from autograder import check\nnormalize = lambda x, eps=1e-5: x\ncheck(normalize, exercise='normalize')",
]
STEPPER, PLAYGROUND, NORMS, WIDE_STEPPER, WIDE_PLAYGROUND, OPENED, FIGURE = range(1, 8)
POSITIONS, UNWRITTEN, RESIDUALS, ALIGNMENT, WRONG, WIDE_ALIGNMENT, DASHBOARD, SAMPLING, LOSSES, BLANKS = range(8, 18)
PICTURES, PAD, FINDER, REPORT = range(18, 22)
WIDE = [
    WIDE_STEPPER,
    WIDE_PLAYGROUND,
    POSITIONS,
    UNWRITTEN,
    RESIDUALS,
    WIDE_ALIGNMENT,
    DASHBOARD,
    SAMPLING,
    LOSSES,
    BLANKS,
    PAD,
    FINDER,
]
ACTIVE = "() => jupyterapp.shell.currentWidget.content.activeCellIndex"


@pytest.fixture(scope="module")
def tab(tmp_path_factory):
    if jupyterlab.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(jupyterlab.missing())
    root = tmp_path_factory.mktemp("lab")
    jupyterlab.write_notebook(root / "widgets.ipynb", CELLS)
    with (
        jupyterlab.server(root) as lab,
        jupyterlab.browser(lab, width=1000, height=1100) as tab,
    ):
        yield tab


@pytest.fixture(scope="module")
def notebook(tab):
    notebook = tab.open("widgets.ipynb")
    notebook.run_all()
    assert notebook.errors() == []
    return notebook


THEMES = ["light", "dark"]
"""By turns, as all that moves is the same in both; of widgets that are touched, both."""


@pytest.fixture(params=THEMES if touches("course/widgets", "tests/widgets") else by_turns(THEMES, 2))
def themed(notebook, request, tmp_path):
    notebook.theme(request.param)
    notebook.dark = request.param == "dark"
    notebook.folder = tmp_path
    return notebook


def paper(anchors, position):
    return 255 * ramp(anchors)[round(position * 255)]


def test_stepper_by_mouse(themed):
    stepper = Shown(themed, STEPPER)
    assert "first differs at stage 2: every score is 2.00 times" in stepper.text(".tc-problems")
    stepper.segment("1 q·k").click()
    stepper.map().hover(position=stepper.place(1, 0))
    stepper.says("h4", "“cat” asks, “the” is read")
    stepper.says(".tc-sum", "q[cat]·k[the] = 0·2 + 1·0 + 0·1 + 1·5 = 5")
    stepper.segment("2 ÷ √4").click()
    stepper.says(".tc-sum", "5 / 2 = 2.5")
    stepper.says(".tc-off", "yours: 5.00, off by 2.50")
    stepper.segment("difference").click()
    stepper.says(".tc-title", "yours minus stand-in")
    assert later(lambda: themed.ask("(stepper.stage, stepper.view)") == "(2, 'difference')")
    stepper.segment("yours").click()


def test_stepper_by_keyboard(themed):
    stepper = Shown(themed, STEPPER)
    stepper.segment("3 mask").click()
    stepper.map().focus()
    before = themed.page.evaluate(ACTIVE)
    for key in ("Control+Home", "ArrowRight", "ArrowDown", "End"):
        stepper.map().press(key)
    stepper.says("h4", "“cat” asks, “sat” is read")
    stepper.says(".tc-sum", "may not look: the score is taken out")
    stepper.map().press("PageDown")
    stepper.says(".tc-sum", "masked: e^(−∞) = 0")
    stepper.segment("4 softmax").focus()
    stepper.segment("4 softmax").press("ArrowRight")
    stepper.says(".tc-title", "output, yours")
    assert later(lambda: themed.ask("stepper.stage") == "5")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_stepper_colours_are_those_of_the_numbers(themed):
    stepper = Shown(themed, STEPPER)
    stepper.segment("4 softmax").click()
    stepper.says(".tc-title", "weights, yours")
    stepper.map().press("Control+End")
    stepper.says("h4", "“sat” asks, “sat” is read")
    weights = attention(X, X, X, CAUSAL)[1]
    if themed.dark:
        assert later(lambda: max(stepper.colour(2, 1)[:3]) < 110), "a small weight is quiet on a dark page"
    else:
        expected = [paper(WEIGHTS, float(weights[row, 0])) for row in range(3)]
        assert later(lambda: all(near(stepper.colour(row, 0), expected[row]) for row in range(3))), expected
    themed.screenshot(themed.folder / "stepper.png", stepper.root)


def test_playground_paints_by_mouse(themed):
    playground = Shown(themed, PLAYGROUND)
    playground.segment("causal").click()
    playground.says(".tc-problems", "No leak")
    playground.map().click(position=playground.place(1, 2))
    playground.says(".tc-problems", "Changing “sat” moved earlier outputs: cat by")
    assert later(lambda: themed.ask("playground.mask.int().tolist()[1]") == "[1, 1, 1]")
    assert playground.segment("causal").get_attribute("aria-checked") == "false"
    start, end = playground.place(2, 0), playground.place(2, 2)
    box = playground.map().bounding_box()
    themed.page.mouse.move(box["x"] + start["x"], box["y"] + start["y"])
    themed.page.mouse.down()
    themed.page.mouse.move(box["x"] + end["x"], box["y"] + end["y"])
    themed.page.mouse.up()
    playground.says(".tc-sum", "“sat” asks “sat”: may not look, weight 0. When")
    assert later(lambda: themed.ask("playground.mask.int().tolist()[2]") == "[0, 0, 0]")
    themed.screenshot(themed.folder / "playground.png", playground.root)


def test_playground_by_keyboard(themed):
    playground = Shown(themed, PLAYGROUND)
    playground.segment("none").click()
    playground.says(".tc-problems", "Right in an encoder")
    playground.segment("none").press("ArrowRight")
    playground.says(".tc-problems", "No leak")
    playground.map().focus()
    playground.map().press("Control+Home")
    playground.map().press("ArrowRight")
    playground.map().press("Space")
    playground.says(".tc-sum", "“the” asks “cat”: may look")
    playground.says(".tc-problems", "The mask looks ahead in 1 cell: the → cat.")
    slider = playground.root.get_by_role("slider", name="by")
    moved = themed.ask("float(playground.moved[2])")
    slider.press("End")
    playground.says(".tc-shown", "3.00 × push")
    themed.page.wait_for_timeout(400)
    assert later(lambda: float(themed.ask("float(playground.moved[2])")) > float(moved))
    playground.root.get_by_role("combobox", name="change").select_option("1")
    playground.says(".tc-problems", "Changing “cat” moved earlier outputs: the by")
    slider.press("Home")
    playground.root.get_by_role("combobox", name="change").select_option("2")
    playground.says(".tc-sum", "When “sat” changes")


def test_norms_by_mouse_and_keyboard(themed):
    norms = Shown(themed, NORMS)
    norms.segment("LayerNorm").click()
    norms.says(".tc-problems", "yours agrees with PyTorch's")
    norms.map().hover(position=norms.place(0, 3))
    norms.says(".tc-sum", "“the”, feature 3, and 3 more: mean 2, variance 3.5.")
    norms.says(".tc-sum", "(5 − 2) / √(3.5 + 1e−5) = 1.60")
    if not themed.dark:
        assert near(norms.colour(0, 0), paper(SIGNED, (2 / 5 + 1) / 2))
    opacity = [norms.colour(row, 0)[3] for row in range(3)]
    assert opacity[0] == 255 and max(opacity[1:]) < 100, "what is not in the group is dimmed"
    norms.segment("LayerNorm").press("ArrowRight")
    norms.says(".tc-title >> nth=1", "after BatchNorm, PyTorch's")
    norms.says(".tc-sum", "“the”, feature 3, and 2 more")
    norms.map(1).press("ArrowDown")
    norms.says(".tc-sum", "“cat”, feature 3, and 2 more")
    norms.segment("LayerNorm").click()
    norms.root.get_by_role("slider", name="eps").press("End")
    norms.says(".tc-sum", "√(0.25 + 100)")
    norms.root.get_by_role("slider", name="weight").press("End")
    norms.says(".tc-sum", "· 3")
    assert later(lambda: themed.ask("(norms.eps, norms.weight, norms.problems)") == "(100.0, [3.0, 3.0, 3.0, 3.0], [])")
    themed.screenshot(themed.folder / "norms.png", norms.root)
    themed.ask("[setattr(norms, 'eps', 1e-5), setattr(norms, 'weight', [1.0] * 4)]")


def lit(norms):
    return [norms.colour(row, 0)[3] == 255 for row in range(3)]


def test_norms_opens_with_nothing_selected_and_the_focus_selects(notebook):
    norms = Shown(notebook, OPENED)
    assert lit(norms) == [True] * 3, "a group that is lit would answer the question"
    norms.says(".tc-sum", "Which numbers share the statistics of a cell?")
    assert norms.text(".tc-colours") == "grey: all numbers"
    assert "mean of the group" not in norms.histogram(0)
    norms.map().focus()
    norms.says(".tc-sum", "“the”, feature 0, and 3 more")
    assert lit(norms) == [True, False, False]
    assert norms.text(".tc-colours").split("\n") == ["blue: the group under the cursor", "grey: all others"]
    assert "mean of the group 0.50" in norms.histogram(0)
    norms.map().press("ArrowDown")
    norms.says(".tc-sum", "“cat”, feature 0")
    norms.map(1).focus()
    norms.says(".tc-sum", "“cat”, feature 0")


def test_norms_names_its_tabs_and_only_the_patterns_that_are_seen(notebook):
    norms = Shown(notebook, OPENED)
    notes = norms.root.locator(".tc-note").all_inner_texts()
    assert notes == [
        "mean and variance of one token's features",
        "mean and variance of one feature over all tokens",
        "mean square of one token's features, no mean",
    ]
    assert norms.segment("RMSNorm").get_attribute("aria-description") == notes[2]
    assert norms.root.locator(".tc-legend .tc-key").all_inner_texts() == [], "each zero is written as 0"


def bars(canvas):
    """From the first to the last column of a histogram in which a bar stands, as shares of its width."""
    script = """(canvas) => {
        const at = Math.round(82 * devicePixelRatio);
        const line = canvas.getContext('2d').getImageData(0, at, canvas.width, 1).data;
        const full = Array.from({ length: canvas.width }, (_, i) => i).filter((i) => line[4 * i + 3] > 0);
        return [full[0] / canvas.width, full.at(-1) / canvas.width];
    }"""
    return canvas.evaluate(script)


def test_the_bars_move_with_eps_because_the_axis_does_not(notebook):
    norms = Shown(notebook, OPENED)
    canvas = norms.root.locator("canvas.tc-histogram").nth(1)
    low, high = bars(canvas)
    assert low < 0.3 and high > 0.7
    norms.root.get_by_role("slider", name="eps").press("End")
    norms.says(".tc-sum", "+ 100)")
    low, high = bars(canvas)
    assert 0.4 < low < 0.5 < high < 0.6
    assert norms.histogram(1).startswith("Histogram after, axis from −2.50 to 2.50: numbers from −0.10 to 0.15")
    assert norms.root.locator(".tc-widened").all_inner_texts() == ["", ""]
    notebook.ask("[setattr(opened, 'eps', 1e-5), setattr(opened, 'weight', [3.0] * 4)]")
    norms.says(".tc-widened >> nth=1", "axis widened to ±10: some numbers are beyond ±2.5")
    assert "axis from −2.50 to 2.50" in norms.histogram(0)
    notebook.ask("setattr(opened, 'weight', [1.0] * 4)")


def test_positions_by_mouse(themed):
    positions = Shown(themed, POSITIONS)
    positions.says(".tc-problems", "No problems: yours is the paper's table.")
    positions.map().click(position=positions.place(20, 4))
    positions.says(".tc-sum", "Features 4 and 5 come round every 19.87 positions.")
    positions.says(".tc-sum", "At position 20: feature 4 is 0.04, feature 5 is 1.00.")
    assert later(lambda: themed.ask("(positions.position, positions.pair)") == "(20, 2)")
    positions.map().hover(position=positions.place(2, 30))
    positions.chart(0).click(position=positions.along(0, 30 / 63))
    positions.says(".tc-sum", "At position 30: feature 4")
    positions.chart(1).hover(position=positions.along(1, 58 / 126))
    positions.says(".tc-sum", "Position 30 · position 25, 5 further back: 11.78.")
    assert all(positions.ink(i, "series1") > 200 for i in (0, 1))
    if not themed.dark:
        at = [positions.place(0, col) for col in (0, 1)]
        found = [pixel(positions.map(), place["x"], place["y"]) for place in at]
        assert near(found[0], paper(SIGNED, 0.5)) and near(found[1], paper(SIGNED, 1))
    themed.screenshot(themed.folder / "positions.png", positions.root)


def test_positions_by_keyboard(themed):
    positions = Shown(themed, POSITIONS)
    positions.map().focus()
    before = themed.page.evaluate(ACTIVE)
    for key in ("Control+Home", "ArrowRight", "ArrowRight", "ArrowDown"):
        positions.map().press(key)
    positions.says(".tc-sum", "At position 1: feature 2 is 0.53, feature 3 is 0.85.")
    positions.chart(0).press("End")
    positions.says(".tc-sum", "At position 63: feature 2")
    positions.chart(1).press("Home")
    positions.says(".tc-sum", "Position 63 · position 0, 63 further back")
    positions.root.get_by_role("slider", name="features").press("End")
    positions.says(".tc-sum", "Features 30 and 31 come round every 35333 positions: over these 64 they turn by 0.18 %")
    width = positions.root.get_by_role("slider", name="d_model")
    width.press("Home")
    width.press("ArrowRight")
    positions.says(".tc-sum", "Features 2 and 3 come round every 628.32 positions")
    assert later(lambda: themed.ask("(positions.d_model, positions.table.shape)") == "(4, (64, 4))")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"
    themed.ask("setattr(positions, 'd_model', 32)")
    positions.says(".tc-shown >> nth=2", "32")


def test_an_unwritten_function_is_told_in_words(notebook):
    unwritten = Shown(notebook, UNWRITTEN)
    unwritten.says(".tc-problems", "unwritten is not written yet. The paper's table is shown instead.")
    assert unwritten.text(".tc-title") == "the paper's table"


def curve(notebook, kind, block):
    """What the kernel holds for a block, as the widget writes it."""
    run = f"residuals.curves[{kind!r}]"
    held = notebook.ask(f"[float({run}.spread[{block}]), float({run}.gradient[{block - 1}])]")
    spread, gradient = (number(float(x)) for x in held[1:-1].split(", "))
    return f"{kind}: spread {spread} after it, gradient {gradient} at its input"


def test_residuals_by_mouse(themed):
    residuals = Shown(themed, RESIDUALS)
    residuals.segment("He (fan-in)").click()
    residuals.says(".tc-keysline", "He (fan-in)")
    assert later(lambda: themed.ask("residuals.init") == "'he'")
    residuals.chart(0).hover(position=residuals.along(0, 6 / 24))
    residuals.says("h4", "Block 6 of 24")
    for kind in ("no residual", "residual only", "post-norm", "pre-norm"):
        residuals.says(".tc-sum", curve(themed, kind, 6))
    first = curve(themed, "pre-norm", 6)
    assert residuals.ink(1, "series1") > 100
    residuals.root.get_by_role("checkbox", name="post-norm").click()
    assert later(lambda: residuals.ink(1, "series1") == 0), "post-norm is still drawn"
    assert "post-norm" not in residuals.text(".tc-sum")
    residuals.root.get_by_role("checkbox", name="post-norm").click()
    residuals.root.get_by_role("button", name="draw again").click()
    assert later(lambda: themed.ask("residuals.seed") != "0" and curve(themed, "pre-norm", 6) != first)
    residuals.says(".tc-sum", curve(themed, "pre-norm", 6))
    assert later(lambda: themed.ask("len(residuals.shown)") == "4")
    themed.screenshot(themed.folder / "residuals.png", residuals.root)
    themed.ask("setattr(residuals, 'seed', 0)")


def test_residuals_by_keyboard(themed):
    residuals = Shown(themed, RESIDUALS)
    before = themed.page.evaluate(ACTIVE)
    residuals.segment("He (fan-in)").click()
    residuals.segment("He (fan-in)").press("Home")
    residuals.says(".tc-keysline", "nn.Linear's own start")
    for key in ("Home", "ArrowRight", "ArrowRight"):
        residuals.chart(1).press(key)
    residuals.says("h4", "Block 3 of 24")
    residuals.says(".tc-sum", curve(themed, "no residual", 3))
    box = residuals.root.get_by_role("checkbox", name="no residual")
    box.press("Space")
    assert later(lambda: themed.ask("residuals.shown[0]") == "'residual only'")
    box.press("Space")
    slider = residuals.root.get_by_role("slider", name="depth")
    slider.press("End")
    residuals.says("h4", "Block 3 of 48")
    slider.press("Home")
    residuals.says("h4", "Block 1 of 1")
    assert later(lambda: themed.ask("(residuals.depth, residuals.problems)") == "(1, [])")
    themed.ask("setattr(residuals, 'depth', 24)")
    residuals.says("h4", "Block 1 of 24")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_sampling_by_mouse(themed):
    sampling = Shown(themed, SAMPLING)
    sampling.says(".tc-caption", "5 of 300 tokens can be drawn")
    sampling.says(".tc-problems", "No problems: yours agrees with the stand-in.")
    sampling.chart().hover(position=sampling.along(0, 0))
    sampling.says("h4", "“word0”, rank 1 of 300")
    sampling.chart().hover(position=sampling.along(0, 1))
    sampling.says("h4", "“word299”, rank 300 of 300")
    sampling.says(".tc-sum", "cut: it cannot be drawn")
    assert sampling.root.locator(".tc-chip").count() == 60
    assert sampling.text(".tc-gap") == "and 240 more"
    before = sampling.text(".tc-drawn")
    sampling.root.get_by_role("button", name="draw 20").click()
    assert later(lambda: sampling.text(".tc-drawn") != before), before
    sampling.says(".tc-drawn", themed.ask("sampling.drawn_text")[1:-1].split(",")[0])
    themed.screenshot(themed.folder / "sampling.png", sampling.root)
    themed.ask("setattr(sampling, 'seed', 0)")


def test_sampling_by_keyboard(themed):
    sampling = Shown(themed, SAMPLING)
    before = themed.page.evaluate(ACTIVE)
    for key in ("Home", "ArrowRight", "ArrowRight"):
        sampling.chart().press(key)
    sampling.says("h4", "“word2”, rank 3 of 300")
    top_k = sampling.root.get_by_role("slider", name="top_k")
    top_k.press("ArrowLeft")
    sampling.says(".tc-caption", "4 of 300 tokens can be drawn")
    top_k.press("Home")
    sampling.says(".tc-caption", "300 of 300 tokens can be drawn")
    assert later(lambda: themed.ask("(sampling.top_k, sampling.problems)") == "(0, [])")
    sampling.root.get_by_role("slider", name="top_p").press("ArrowLeft")
    sampling.says(".tc-problems", "Yours differs from the stand-in's")
    themed.ask("sampling.set_trait('top_p', 1.0) or sampling.set_trait('top_k', 5)")
    sampling.says(".tc-caption", "5 of 300 tokens can be drawn")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_losses_by_mouse(themed):
    losses = Shown(themed, LOSSES)
    plain = themed.ask("losses.caption")[1:-1]
    losses.says(".tc-caption", plain)
    token = losses.root.locator(".tc-token").nth(5)
    token.click()
    losses.says("h4", "“␣w5” cost")
    assert later(lambda: themed.ask("losses.token") == "5")
    assert losses.root.locator(".tc-line").count() == 10
    pale = token.evaluate("(el) => el.style.background")
    losses.root.get_by_role("combobox", name="silence").select_option("2")
    losses.says(".tc-caption", "with block 1, head 0 silenced")
    losses.says("h4", "With block 1, head 0 silenced:")
    assert losses.root.locator(".tc-line").count() == 20
    assert losses.segment("change by silencing").get_attribute("aria-checked") == "true"
    assert token.evaluate("(el) => el.style.background") != pale
    assert later(lambda: themed.ask("losses.silenced") == "2")
    losses.map().hover(position=losses.place(1, 3))
    losses.says(".tc-maps .tc-sum", "Block 0, head 1 read “␣w3” with")
    themed.screenshot(themed.folder / "losses.png", losses.root)
    losses.root.get_by_role("combobox", name="silence").select_option("-1")
    losses.says(".tc-caption", plain)
    losses.says(".tc-under", "nats that each token cost")


def test_losses_by_keyboard(themed):
    losses = Shown(themed, LOSSES)
    before = themed.page.evaluate(ACTIVE)
    token = losses.root.locator(".tc-token")
    token.nth(5).click()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        losses.page.keyboard.press(key)
    losses.says("h4", "“␣w3” cost")
    assert losses.page.evaluate("() => document.activeElement.textContent") == "␣w3"
    losses.page.keyboard.press("End")
    losses.says("h4", "“␣w3” cost")  # the last of 40 is 3 again
    assert later(lambda: token.nth(39).get_attribute("aria-selected") == "true")
    losses.map().focus()
    losses.map().press("ArrowDown")
    losses.says(".tc-maps .tc-sum", "Block 0, head 1 read")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_blanks_by_mouse(themed):
    blanks = Shown(themed, BLANKS)
    themed.ask("blanks.set_trait('blanks', [3, 9]) or blanks.set_trait('token', 3)")
    blanks.says("h4", "“␣w2” stood here")
    token = blanks.root.locator(".tc-token")
    assert [token.nth(one).inner_text() for one in (2, 3, 9)] == ["␣w1", "[MASK]", "[MASK]"]
    blanks.says(".tc-caption", "of 2 blanks right from both sides")
    blanks.says("h4", "“␣w2” stood here: from both sides it has probability")
    assert blanks.root.locator(".tc-line").count() == 20
    token.nth(2).click()
    blanks.says(".tc-caption", "of 3 blanks right")
    blanks.says("h4", "“␣w1” stood here")
    assert token.nth(2).inner_text() == "[MASK]"
    assert later(lambda: themed.ask("blanks.blanks") == "[2, 3, 9]")
    blanks.map().hover(position=blanks.place(1, 1))
    blanks.says(".tc-maps .tc-sum", "Layer 0, head 1 read “␣w0” with")
    themed.screenshot(themed.folder / "blanks.png", blanks.root)
    token.nth(2).click()
    blanks.says(".tc-caption", "of 2 blanks right")
    blanks.says("h4", "“␣w1” is no blank")
    token.nth(0).click(force=True)
    assert later(lambda: themed.ask("blanks.blanks") == "[3, 9]")


def test_blanks_by_keyboard(themed):
    blanks = Shown(themed, BLANKS)
    before = themed.page.evaluate(ACTIVE)
    themed.ask("blanks.set_trait('blanks', [3, 9]) or blanks.set_trait('token', 2)")
    blanks.says("h4", "“␣w1” is no blank")
    blanks.root.locator(".tc-token").nth(3).click()
    blanks.says("h4", "“␣w2” stood here")
    for key in ("Home", "ArrowRight", "Enter"):
        blanks.page.keyboard.press(key)
    blanks.says("h4", "“␣w1” stood here")
    blanks.says(".tc-caption", "of 3 blanks right")
    blanks.page.keyboard.press("Enter")
    blanks.says("h4", "“␣w1” is no blank")
    blanks.map().focus()
    blanks.map().press("ArrowDown")
    blanks.says(".tc-maps .tc-sum", "Layer 0, head 1 read")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_finder_by_mouse(themed):
    finder = Shown(themed, FINDER)
    themed.ask("finder.set_trait('text', 'chad') or finder.set_trait('row', 0)")
    finder.says(".tc-caption", "“chad” is nearest to “chad” (en), with 1.00.")
    line = finder.root.locator(".tc-foundline")
    line.nth(1).click()
    finder.says(".tc-sum", "fr: “tchad”, 0.89; without")
    finder.root.get_by_role("textbox", name="name").fill("mali")
    finder.says(".tc-caption", "“mali” is nearest to “mali”")
    assert later(lambda: themed.ask("finder.text") == "'mali'")
    finder.map().hover(position=finder.place(1, 2))
    finder.says(".tc-sum", "fr, “mali”: without “l” the score changes by")
    themed.screenshot(themed.folder / "finder.png", finder.root)
    finder.root.get_by_role("textbox", name="name").fill("")
    finder.says(".tc-problems", "No name: type one.")


def test_finder_by_keyboard(themed):
    finder = Shown(themed, FINDER)
    before = themed.page.evaluate(ACTIVE)
    themed.ask("finder.set_trait('text', 'peru') or finder.set_trait('row', 0)")
    finder.says(".tc-caption", "“peru” is nearest to “peru” (en)")
    box = finder.root.get_by_role("textbox", name="name")
    box.focus()
    box.press("End")
    finder.page.keyboard.type("b")
    finder.says(".tc-caption", "“perub” is nearest to “peru” (en)")
    finder.root.locator(".tc-foundline").nth(0).click()
    finder.page.keyboard.press("ArrowDown")
    finder.says(".tc-sum", "fr: “pérou”")
    finder.map().focus()
    finder.map().press("ArrowRight")
    finder.says(".tc-sum", "without “")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the keys"


def test_pad_by_mouse(themed):
    pad = Shown(themed, PAD)
    themed.ask("pad.set_trait('dialled', '25') or pad.set_trait('noise', 0.5)")
    pad.says(".tc-caption", "Dialled 25 in noise of 0.50; written: the same.")
    played = pad.root.locator("audio").get_attribute("src")
    assert played.startswith("data:audio/wav;base64,UklGR")
    pad.root.get_by_role("button", name="8", exact=True).click()
    pad.says(".tc-caption", "Dialled 258 in noise")
    assert later(lambda: pad.root.locator("audio").get_attribute("src") != played)
    pad.map(1).hover(position=pad.place(2, 3, 1))
    pad.says(".tc-sum", "For “8” it read the vector at")
    pad.map(0).hover(position=pad.place(10, 4, 0))
    pad.says(".tc-sum", "Hz at")
    pad.root.get_by_role("slider", name="noise").press("End")
    pad.says(".tc-caption", "in noise of 3.00")
    themed.screenshot(themed.folder / "pad.png", pad.root)
    pad.root.get_by_role("button", name="clear").click()
    pad.says(".tc-caption", "Nothing is dialled.")
    assert pad.root.get_by_role("button", name="delete last").is_disabled()
    assert not pad.map(0).is_visible()


def test_pad_by_keyboard(themed):
    pad = Shown(themed, PAD)
    before = themed.page.evaluate(ACTIVE)
    themed.ask("pad.set_trait('dialled', '2') or pad.set_trait('noise', 0.5)")
    pad.says(".tc-dialled", "2")
    pad.root.get_by_role("button", name="1", exact=True).focus()
    for key in ("a", "#", "x", "ArrowRight", "ArrowDown", "Enter"):
        pad.page.keyboard.press(key)
    pad.says(".tc-caption", "Dialled 2A#5 in noise")
    pad.page.keyboard.press("Backspace")
    pad.says(".tc-caption", "Dialled 2A# in noise")
    assert later(lambda: themed.ask("pad.dialled") == "'2A#'")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the keys"


def thickness(drawing, token):
    """How many pixels wide the line is that ends at a source token."""
    x = float(drawing.get_attribute("data-sources").split()[token])
    y = float(drawing.get_attribute("data-from")) + 2
    script = """(canvas, [x, y]) => {
        const { data } = canvas.getContext('2d').getImageData(x - 12, y, 24, 1);
        return data.filter((_, i) => i % 4 === 3 && data[i] > 40).length;
    }"""
    return drawing.evaluate(script, [round(x), round(y)])


def test_alignment_by_mouse(themed):
    shown = Shown(themed, ALIGNMENT)
    drawing, sentence = shown.chart(), ".tc-reads"
    shown.root.get_by_role("slider", name="target token").press("Home")
    shown.says(sentence, "<bos> reads twenty 0.75, one 0.25")
    assert shown.root.get_by_role("button", name="back").is_disabled()
    assert shown.colour(1, 1)[3] == 0, "a row that is still to come is filled"
    shown.root.get_by_role("button", name="next").click()
    shown.says(sentence, "ein reads one 0.88, <eos> 0.13")
    assert later(lambda: shown.colour(1, 1)[3] == 255), "the row of the current token is not filled"
    assert [thickness(drawing, i) for i in range(3)] == pytest.approx([0, 8.75, 1.25], abs=1.3)
    shown.map().hover(position=shown.place(0, 0))
    shown.says(".tc-sum", "“<bos>” asks, “twenty” is read: 0.75.")
    x = float(drawing.get_attribute("data-targets").split()[3])
    drawing.click(position={"x": x, "y": float(drawing.get_attribute("data-target"))})
    shown.says(sentence, "zwanzig reads <eos> 1.00")
    assert later(lambda: themed.ask("alignment_of.step") == "3")
    assert thickness(drawing, 2) == pytest.approx(10, abs=1.3)
    shown.root.get_by_role("combobox", name="head").select_option("-1")
    assert later(lambda: themed.ask("alignment_of.head") == "-1")
    shown.says(sentence, themed.ask("alignment_of.reads(3).replace('`', '')")[1:-1])
    themed.screenshot(themed.folder / "alignment.png", shown.root)
    shown.root.get_by_role("combobox", name="head").select_option("0")


def test_alignment_by_keyboard(themed):
    shown = Shown(themed, ALIGNMENT)
    drawing, sentence = shown.chart(), ".tc-reads"
    before = themed.page.evaluate(ACTIVE)
    drawing.focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        drawing.press(key)
    shown.says(sentence, "und reads one 0.94, twenty 0.06")
    assert "Target token 3 of 4. und reads one 0.94" in drawing.get_attribute("aria-label")
    shown.map().press("PageDown")
    shown.says(sentence, "zwanzig reads <eos> 1.00")
    shown.map().press("PageUp")
    shown.map().press("ArrowUp")
    shown.says(".tc-sum", "“ein” asks,")
    shown.says(sentence, "und reads one")
    shown.map().press("ArrowDown")
    shown.map().press("ArrowDown")
    shown.says(".tc-sum", "“zwanzig” is still to come.")
    shown.root.get_by_role("button", name="back").press("Enter")
    shown.says(sentence, "ein reads one 0.88")
    shown.root.get_by_role("combobox", name="layer").select_option("1")
    assert later(lambda: themed.ask("(alignment_of.step, alignment_of.layer)") == "(1, 1)")
    shown.says(sentence, themed.ask("alignment_of.reads(1).replace('`', '')")[1:-1])
    shown.root.get_by_role("combobox", name="layer").select_option("0")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_wrong_weights_are_told(notebook):
    shown = Shown(notebook, WRONG)
    shown.says(".tc-problems", "1 row does not sum to 1: und 0.50.")
    shown.says(".tc-problems", "Problems too in layer 1 head 0.")
    shown.root.get_by_role("combobox", name="head").select_option("0")
    shown.says(".tc-problems", "1 row is NaN: <bos>.")
    shown.chart().press("Home")
    shown.says(".tc-reads", "<bos> reads NaN.")


def said(themed, checkpoint):
    """What Python says of a checkpoint, as the page shows it."""
    return themed.ask(f"dashboard.said({checkpoint}).replace('`', '')")[1:-1]


def guesses(shown):
    return [chip.inner_text() for chip in shown.root.locator(".tc-guess .tc-chip").all()]


def test_dashboard_by_mouse(themed):
    shown = Shown(themed, DASHBOARD)
    shown.root.get_by_role("slider", name="checkpoint").press("Home")
    shown.says(".tc-reads", said(themed, 0))
    assert "After 1 step: loss 3.20, below nothing (3.40) and above before (3.00); 0 of 4" in shown.text(".tc-reads")
    assert guesses(shown) == ["e", "e", "e", "e"]
    assert shown.root.locator(".tc-missed").count() == 4
    assert shown.root.get_by_role("button", name="back").is_disabled()
    before = shown.colour(0, 0)
    shown.chart(0).click(position=shown.along(0, 36 / 59))  # between 20 and 40, nearer to 40
    shown.says(".tc-reads", said(themed, 2))
    assert later(lambda: themed.ask("dashboard.checkpoint") == "2")
    assert guesses(shown) == ["a", "␣", "b", "e"]
    assert shown.colour(0, 0) != before, "the map is still that of the first checkpoint"
    ends = WEIGHTS if not themed.dark else None
    weight = float(themed.ask("float(dashboard.map()[0, 0])"))
    assert ends is None or near(shown.colour(0, 0), paper(ends, weight))
    shown.root.get_by_role("button", name="next").click()
    shown.says(".tc-reads", "4 of 4 places right")
    assert shown.root.get_by_role("button", name="next").is_disabled()
    assert shown.root.locator(".tc-missed").count() == 0
    shown.map().hover(position=shown.place(1, 2))
    shown.says(".tc-sum", "At the place of “␣”, “z” is read: ")
    shown.root.get_by_role("combobox", name="head").select_option("1")
    assert later(lambda: themed.ask("dashboard.head") == "1")
    assert all(shown.ink(0, name) > 100 for name in ("series1",))
    assert shown.ink(1, "series2") > 50 and shown.ink(2, "series3") > 50
    themed.screenshot(themed.folder / "dashboard.png", shown.root)
    shown.root.get_by_role("combobox", name="head").select_option("-1")


def test_dashboard_by_keyboard(themed):
    shown = Shown(themed, DASHBOARD)
    before = themed.page.evaluate(ACTIVE)
    shown.chart(0).focus()
    for key in ("Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft"):
        shown.chart(0).press(key)
    shown.says(".tc-reads", said(themed, 2))
    shown.chart(2).press("End")
    shown.says(".tc-reads", said(themed, 3))
    shown.map().press("PageUp")
    shown.says(".tc-reads", said(themed, 2))
    shown.map().press("Control+Home")
    shown.map().press("ArrowDown")
    shown.says(".tc-sum", "At the place of “␣”, “x” is read: ")
    assert later(lambda: themed.ask("dashboard.checkpoint") == "2")
    shown.root.get_by_role("combobox", name="layer").select_option("0")
    assert later(lambda: themed.ask("dashboard.layer") == "0")
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the arrow keys"


def test_a_figure_fits_into_the_page_and_follows_the_theme(themed):
    image = themed.cell(FIGURE).locator("img.course-figure")
    image.wait_for(timeout=10_000)
    size = image.evaluate("(el) => [el.clientWidth, el.clientHeight, el.parentElement.clientWidth]")
    assert 300 < size[0] <= size[2]
    assert size[0] / size[1] == pytest.approx(14 / 3, abs=0.05)
    filters = image.evaluate("(el) => getComputedStyle(el).filter")
    assert filters == ("invert(0.9) hue-rotate(180deg)" if themed.dark else "none")
    themed.screenshot(themed.folder / "figure.png", image)


@pytest.mark.parametrize("index", WIDE)
def test_wide_tables_and_twelve_tokens_fit_into_the_column(notebook, index):
    wide = Shown(notebook, index)
    root = wide.root.bounding_box()
    assert root["width"] <= 720
    for canvas in wide.root.locator("canvas").all():
        box = canvas.bounding_box()
        assert box["x"] + box["width"] <= root["x"] + root["width"]
    assert wide.root.evaluate("(el) => el.scrollWidth <= el.clientWidth")


def test_themes_differ_and_the_focus_is_seen(notebook):
    looks = {}
    for theme in ("light", "dark"):
        notebook.theme(theme)
        stepper = Shown(notebook, STEPPER)
        stepper.map().focus()
        style = "(el) => [getComputedStyle(el).backgroundColor, el.classList.contains('tc-dark')]"
        ring = "(el) => parseFloat(getComputedStyle(el).outlineWidth)"
        looks[theme] = stepper.root.evaluate(style)
        assert stepper.map().evaluate(ring) >= 2
        chart = Shown(notebook, RESIDUALS).chart()
        chart.focus()
        assert chart.evaluate(ring) >= 2
    assert looks["light"][1] is False and looks["dark"][1] is True
    assert looks["light"][0] != looks["dark"][0]


def test_nothing_was_asked_of_another_machine_and_nothing_broke(tab, notebook):
    assert tab.blocked == []
    broken = [line for line in tab.complaints if not line.startswith("Failed to load resource")]
    assert broken == []


def test_pictures_by_mouse(themed):
    pictures = Shown(themed, PICTURES)
    themed.ask("reader_of.set_trait('asks', 0) or reader_of.set_trait('pixels', photos[0].flatten().tolist())")
    pictures.says(".tc-caption", "The model says")
    pictures.says(".tc-reading .tc-sum", "The class token read")
    pictures.root.get_by_text("Clear the paper").click()
    assert later(lambda: themed.ask("sum(reader_of.pixels)") == "0.0")
    paper = pictures.root.locator("canvas.tc-chart")
    paper.click(position={"x": 33 * 2 + 5, "y": 33 + 5})
    assert later(lambda: themed.ask("reader_of.pixels[10]") == "1.0")
    assert later(lambda: themed.ask("[reader_of.pixels[i] for i in (2, 9, 11, 18, 0)]") == "[0.4, 0.4, 0.4, 0.4, 0.0]")
    pictures.root.get_by_label("rubber").check()
    paper.click(position={"x": 33 * 2 + 5, "y": 33 + 5})
    assert later(lambda: themed.ask("reader_of.pixels[10]") == "0.0")
    pictures.root.get_by_label("rubber").uncheck()
    pictures.root.get_by_text("The picture again").click()
    assert later(lambda: themed.ask("reader_of.pixels == photos[0].flatten().tolist()") == "True")
    themed.screenshot(themed.folder / "pictures.png", pictures.root)


def test_pictures_by_keyboard(themed):
    pictures = Shown(themed, PICTURES)
    themed.ask("reader_of.set_trait('pixels', [0.0] * 64) or reader_of.set_trait('asks', 0)")
    paper = pictures.root.locator("canvas.tc-chart")
    paper.focus()
    paper.press("Home")
    for key in ("ArrowDown", "ArrowRight", " "):
        paper.press(key)
    assert later(lambda: themed.ask("max(reader_of.pixels)") == "1.0")
    paper.press("Delete")
    assert later(lambda: themed.ask("max(reader_of.pixels)") == "0.4")
    pictures.root.get_by_label("asks").select_option("3")
    assert later(lambda: themed.ask("reader_of.asks") == "3")
    pictures.says(".tc-reading .tc-sum", "Patch 3 read")
    pictures.root.get_by_label("weights").select_option(label="rolled out")
    assert later(lambda: themed.ask("reader_of.views[reader_of.view] == 'rolled out'") == "True")


def test_what_a_report_offers_opens_by_mouse_and_keyboard(themed):
    report = themed.cell(REPORT)
    hint, deeper, again = (report.locator("summary", has_text=text) for text in ("Hint", "A skeleton", "Start again"))
    before = themed.page.evaluate(ACTIVE)
    again.click()
    assert "autograder reset 01_layer_norm normalize" in again.locator("..").inner_text()
    hint.focus()
    hint.press("Enter")
    hint.press("Tab")
    deeper.press("Space")
    folds = [one.locator("..") for one in (hint, deeper, again)]
    assert later(lambda: all(one.evaluate("fold => fold.open") for one in folds))
    for one in (deeper, hint, again):
        one.press("Enter")
    assert later(lambda: not any(one.evaluate("fold => fold.open") for one in folds))
    assert themed.page.evaluate(ACTIVE) == before, "the notebook took the keys"
