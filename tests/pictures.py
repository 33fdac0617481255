"""Makes the pictures of the README from real runs.

python -m tests.pictures
"""

from __future__ import annotations

import io
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import nbformat
from PIL import Image

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

MENDED = ANNOTATED.replace("std = x.std(-1, keepdim=True)", "variance = x.var(-1, keepdim=True, correction=0)").replace(
    "(std + self.eps)", "(variance + self.eps).sqrt()"
)

SCENES = ((ANNOTATED, False, 2.5), (ANNOTATED, True, 6.0), (MENDED, False, 3.5), (MENDED, True, 4.0))
"""What is in the cell, whether it has been run, and for how many seconds that is shown."""

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


def moving(folder: Path) -> None:
    """A wrong LayerNorm is checked and mended, as JupyterLab shows it."""
    write_notebook(folder / "moving.ipynb", [SETUP, *(code for code, _, _ in SCENES)])
    home = {"MY_TRANSFORMER_HOME": str(folder / "moving_library")}
    frames = []
    with server(folder, home) as lab, browser(lab, width=860, height=1400) as tab:
        notebook = tab.open("moving.ipynb")
        notebook.run_all()
        assert notebook.errors() == []
        for number, (_, ran, seconds) in enumerate(SCENES, 1):
            cell = notebook.cell(number)
            part = cell if ran else cell.locator(".jp-Cell-inputWrapper")
            frames.append((Image.open(io.BytesIO(part.screenshot())).convert("RGB"), seconds))
    _animate(frames, PICTURES / "check.gif")


def _animate(frames: Sequence[tuple[Image.Image, float]], path: Path) -> None:
    """Frames of one size, on white, in few colours."""
    width, height = (max(sizes) for sizes in zip(*(frame.size for frame, _ in frames), strict=True))
    pages = [Image.new("RGB", (width, height), "white") for _ in frames]
    for page, (frame, _) in zip(pages, frames, strict=True):
        page.paste(frame, (0, 0))
    few = [page.quantize(64, dither=Image.Dither.NONE) for page in pages]
    times = [round(1000 * seconds) for _, seconds in frames]
    few[0].save(path, save_all=True, append_images=few[1:], duration=times, loop=0, optimize=True)


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
        moving(Path(name))
        feedback(Path(name))


if __name__ == "__main__":
    main()
