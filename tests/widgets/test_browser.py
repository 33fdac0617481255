"""The widgets in a real JupyterLab: mouse, keyboard, both themes, no network."""

import os
import time

import pytest

from course.widgets.palette import SIGNED, WEIGHTS, ramp
from tests import jupyterlab
from tests.widgets.parts import CAUSAL, X, attention

pytestmark = pytest.mark.browser

SETUP = """
import torch
from course.toy import toy
from course.widgets import AttentionStepper, MaskPlayground, NormExplorer
from course.widgets.figures import heatmap, panels
from tests.widgets.parts import CAUSAL, TOKENS, X, attention, attention_scores, unscaled
twelve = "the quick brown fox jumps over the lazy dog and runs home".split()
many = torch.randn(1, 2, 12, 8, generator=torch.Generator().manual_seed(0))
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
]
STEPPER, PLAYGROUND, NORMS, WIDE_STEPPER, WIDE_PLAYGROUND, OPENED, FIGURE = range(1, 8)
CORNER = 6


class Shown:
    """One widget in the page."""

    def __init__(self, notebook, index):
        self.page = notebook.page
        self.root = notebook.cell(index).locator(".tc-root")
        self.root.wait_for(timeout=20_000)

    def text(self, selector):
        return self.root.locator(selector).first.inner_text()

    def says(self, selector, words):
        """Wait until an element contains the words (the kernel may have to answer first)."""
        try:
            self.root.locator(selector, has_text=words).first.wait_for(timeout=10_000)
        except jupyterlab.PlaywrightTimeout:
            pytest.fail(f"{words!r} is not in:\n{self.root.inner_text()}")

    def segment(self, text):
        return self.root.get_by_role("radio", name=text, exact=True)

    def map(self, number=0):
        return self.root.locator("canvas.tc-heatmap").nth(number)

    def histogram(self, number):
        return self.root.locator("canvas.tc-histogram").nth(number).get_attribute("aria-label")

    def place(self, row, col, number=0, within=0.5):
        """Where a cell is, in pixels from the canvas's corner."""
        canvas = self.map(number)
        left, top, cell = (float(canvas.get_attribute(f"data-{n}")) for n in ("left", "top", "cell"))
        return {"x": left + (col + within) * cell, "y": top + (row + within) * cell}

    def colour(self, row, col, number=0):
        """The colour near a cell's corner, where no number and no cursor is drawn."""
        at = self.place(row, col, number, within=0)
        script = """(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(
            x * devicePixelRatio, y * devicePixelRatio, 1, 1).data]"""
        return self.map(number).evaluate(script, [at["x"] + CORNER, at["y"] + CORNER])


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


@pytest.fixture(params=["light", "dark"])
def themed(notebook, request, tmp_path):
    notebook.theme(request.param)
    notebook.dark = request.param == "dark"
    notebook.folder = tmp_path
    return notebook


def near(colour, expected):
    return max(abs(a - b) for a, b in zip(colour[:3], expected, strict=True)) <= 3


def later(holds, seconds=5.0):
    """Whether something holds before the time is over: kernel and page answer when they can."""
    until = time.monotonic() + seconds
    while not (true := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return true


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
    active = "() => jupyterapp.shell.currentWidget.content.activeCellIndex"
    before = themed.page.evaluate(active)
    for key in ("Control+Home", "ArrowRight", "ArrowDown", "End"):
        stepper.map().press(key)
    stepper.says("h4", "“cat” asks, “sat” is read")
    stepper.says(".tc-sum", "may not look: the score is taken out")
    stepper.map().press("PageDown")
    stepper.says(".tc-sum", "masked: e^(−∞) = 0")
    stepper.segment("4 softmax").focus()
    stepper.segment("4 softmax").press("ArrowRight")
    stepper.says(".tc-title", "output, yours")
    assert themed.ask("stepper.stage") == "5"
    assert themed.page.evaluate(active) == before, "the notebook took the arrow keys"


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
    assert themed.ask("playground.mask.int().tolist()[1]") == "[1, 1, 1]"
    assert playground.segment("causal").get_attribute("aria-checked") == "false"
    start, end = playground.place(2, 0), playground.place(2, 2)
    box = playground.map().bounding_box()
    themed.page.mouse.move(box["x"] + start["x"], box["y"] + start["y"])
    themed.page.mouse.down()
    themed.page.mouse.move(box["x"] + end["x"], box["y"] + end["y"])
    themed.page.mouse.up()
    playground.says(".tc-sum", "“sat” asks “sat”: may not look, weight 0. When")
    assert themed.ask("playground.mask.int().tolist()[2]") == "[0, 0, 0]"
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
    assert float(themed.ask("float(playground.moved[2])")) > float(moved)
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
    assert themed.ask("(norms.eps, norms.weight, norms.problems)") == "(100.0, [3.0, 3.0, 3.0, 3.0], [])"
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


def test_a_figure_fits_into_the_page_and_follows_the_theme(themed):
    image = themed.cell(FIGURE).locator("img.course-figure")
    image.wait_for(timeout=10_000)
    size = image.evaluate("(el) => [el.clientWidth, el.clientHeight, el.parentElement.clientWidth]")
    assert 300 < size[0] <= size[2]
    assert size[0] / size[1] == pytest.approx(14 / 3, abs=0.05)
    filters = image.evaluate("(el) => getComputedStyle(el).filter")
    assert filters == ("invert(0.9) hue-rotate(180deg)" if themed.dark else "none")
    themed.screenshot(themed.folder / "figure.png", image)


@pytest.mark.parametrize("index", [WIDE_STEPPER, WIDE_PLAYGROUND])
def test_twelve_tokens_fit_into_the_column(notebook, index):
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
    assert looks["light"][1] is False and looks["dark"][1] is True
    assert looks["light"][0] != looks["dark"][0]


def test_nothing_was_asked_of_another_machine_and_nothing_broke(tab, notebook):
    assert tab.blocked == []
    broken = [line for line in tab.complaints if not line.startswith("Failed to load resource")]
    assert broken == []
