"""Makes the pictures of the README from real runs.

python -m tests.pictures
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from autograder.classroom.course.init import init
from autograder.notebooks.build import build
from tests.jupyterlab import PROJECT, Notebook, browser, server, write_notebook

PICTURES = PROJECT / "course" / "pictures"

SETUP = """import torch
from torch import nn
from autograder import check"""

ANNOTATED = """class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        std = x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (std + self.eps) + self.bias


check(LayerNorm)"""

STEPPER = """from course.toy import TOKENS, toy
from course.widgets import AttentionStepper
from autograder.stand_ins.attention import attention_scores, causal_mask, scaled_dot_product_attention

AttentionStepper(toy(), toy(), toy(), causal_mask(3), tokens=TOKENS, stage=4,
                 mine=(attention_scores, scaled_dot_product_attention))"""


def in_jupyterlab(folder: Path) -> None:
    """The report and the stepper, as JupyterLab shows them."""
    write_notebook(folder / "pictures.ipynb", [SETUP, ANNOTATED, STEPPER])
    home = {"MY_TRANSFORMER_HOME": str(folder / "library")}
    with server(folder, home) as lab, browser(lab, width=900, height=2600, scale=2) as tab:
        notebook = tab.open("pictures.ipynb")
        notebook.run_all()
        assert notebook.errors() == []
        _take(notebook, 1, "report.png")
        _take(notebook, 2, "stepper.png", ".jp-Cell-outputArea")


def _take(notebook: Notebook, cell: int, name: str, part: str = "") -> None:
    target = notebook.cell(cell)
    notebook.screenshot(PICTURES / name, target.locator(part).first if part else target)


def feedback(folder: Path) -> None:
    """What a student gets back from nbgrader for the same code."""
    course = folder / "class"
    init(course, ["layer_norm"])
    _nbgrader(course, "generate_assignment", "01_layer_norm")
    submitted = course / "submitted" / "ada" / "01_layer_norm"
    submitted.mkdir(parents=True)
    notebook = build("layer_norm", "solved")
    for cell in notebook.cells:
        if cell.get("id") == "LayerNorm":
            cell.source = ANNOTATED.removesuffix("\n\n\ncheck(LayerNorm)")
    nbformat.write(notebook, submitted / "01_layer_norm.ipynb")
    _nbgrader(course, "autograde", "01_layer_norm")
    _nbgrader(course, "generate_feedback", "01_layer_norm")
    page = course / "feedback" / "ada" / "01_layer_norm" / "01_layer_norm.html"
    _photograph(page, PICTURES / "feedback.png")


def _nbgrader(course: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "nbgrader", *arguments], cwd=course, check=True)


def _photograph(page: Path, picture: Path) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": 1000, "height": 900}, device_scale_factor=2)
        tab.goto(page.as_uri())
        end = tab.locator("#overview + p").bounding_box()
        assert end is not None
        tab.screenshot(path=picture, clip={"x": 0, "y": 0, "width": 1000, "height": end["y"] + end["height"] + 12})
        chromium.close()


def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        in_jupyterlab(Path(name))
        feedback(Path(name))


if __name__ == "__main__":
    main()
