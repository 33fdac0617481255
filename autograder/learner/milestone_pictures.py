"""Pictures of milestones: those that a run left, and those that are drawn from the learner's own parts."""

from __future__ import annotations

import base64
import contextlib
import html
import io
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from autograder import registry
from autograder.learner import library
from autograder.learner.milestones import PICTURES, Milestone, picture_path
from course.toy import FEATURES, TOKENS, toy
from course.widgets.figures import DARK, heatmap, panels
from course.widgets.palette import INK

DOTS = 110
WIDTH, LINES = 62, 12
"""Of a text: characters in a line, and so many lines."""


def save(shown: object, path: Path) -> str:
    """Keep what a run showed, a figure or a text, as a picture.

    Returns:
        What is to be seen on it.
    """
    figure = shown if isinstance(shown, Figure) else _of_text(str(shown))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=DOTS, pil_kwargs={"optimize": True})
    return str(getattr(figure, "alt", ""))


def _of_text(text: str) -> Figure:
    lines = [line for part in text.strip().splitlines() for line in textwrap.wrap(part, WIDTH) or [""]][:LINES]
    picture, axes = panels(size=(5.4, 0.4 + 0.21 * len(lines)), alt=" ".join(lines))
    axes[0, 0].set_axis_off()
    look: dict[str, Any] = {"family": "monospace", "fontsize": 9, "color": INK, "linespacing": 1.45, "va": "top"}
    axes[0, 0].text(0, 1, "\n".join(lines), transform=axes[0, 0].transAxes, parse_math=False, **look)
    return picture


def picture(milestone: Milestone) -> bytes | None:
    """The picture of a milestone that was reached; None where there is none, or it cannot be drawn."""
    path, draw = picture_path(milestone), DRAWN.get(milestone.name)
    try:
        if draw is not None and _is_old(path, milestone.lesson):
            with contextlib.redirect_stdout(io.StringIO()):  # of stand-ins a lesson says enough
                save(draw(), path)
        return path.read_bytes()
    except Exception:  # whatever the learner's code does now, the map is shown
        return None


def attention() -> bytes | None:
    """The picture of the learner's own attention as a PNG; None where it has not passed, or cannot be drawn."""
    path = library.home() / PICTURES / "attention.png"
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            save(attention_picture(), path)
        return path.read_bytes()
    except Exception:
        return None


def _is_old(path: Path, lesson: str) -> bool:
    made_of = library.home() / f"{lesson}.py"
    return not path.is_file() or not made_of.is_file() or path.stat().st_mtime < made_of.stat().st_mtime


def image(png: bytes, alt: str, width: int) -> str:
    """A picture within a page, on a card that follows a notebook's theme."""
    data = base64.b64encode(png).decode("ascii")
    looks = f'class="course-figure" style="max-width:{width}px;max-height:{width}px" alt="{html.escape(alt)}"'
    return f'{DARK}<img {looks} src="data:image/png;base64,{data}">'


# Drawn from the library ----------------------------------------------------------------------------


def _own(name: str) -> Any:
    part = library.own(registry.exercise(name))
    if part is None:
        raise LookupError(f"{name} has not passed yet")
    return part


def _normalizes() -> Figure:
    layer = _own("LayerNorm")(len(FEATURES))
    figure, axes = panels(1, 2, size=(6.2, 2.5), alt="The toy tensor, and what your LayerNorm makes of it.")
    names: dict[str, Any] = {"rows": TOKENS, "columns": FEATURES, "row_axis": "", "column_axis": "", "legend": False}
    with torch.no_grad():
        after = layer(toy())
    for ax, title, values in ((axes[0, 0], "before", toy()), (axes[0, 1], "after your LayerNorm", after)):
        heatmap(ax, values, title=title, kind="signed", **names)
    return figure


def _attends() -> Figure:
    mask = _own("causal_mask")(len(TOKENS))
    _, weights = _own("scaled_dot_product_attention")(toy(), toy(), toy(), mask)
    names: dict[str, Any] = {"rows": TOKENS, "columns": TOKENS, "mask": mask}
    drawn = heatmap(None, weights, title="your attention, causal", alt="The weights of your attention.", **names)
    assert drawn is not None
    return drawn


DRAWN: dict[str, Callable[[], Figure]] = {"normalizes": _normalizes, "attends": _attends}
"""Milestones whose picture takes no run."""

HEADS, PLACES, SHARPER = 4, 24, 8.0


def attention_picture() -> Figure:
    """What the learner's own attention reads: positions, where these are the learner's too, and else the toy tensor.

    Raises:
        LookupError: when the attention has not passed yet.
    """
    attention = _own("scaled_dot_product_attention")
    try:
        positions = _own("sinusoidal_encoding")(PLACES, 4 * HEADS)
        heads = _own("split_heads")(positions[None], HEADS)  # (1, heads, places, 4)
    except LookupError:
        return _attends()
    mask = _own("causal_mask")(PLACES)
    weights: Tensor = attention(SHARPER * heads, heads, heads, mask)[1][0]
    says = f"Causal attention over {PLACES} positions in {HEADS} heads: from a narrow band to an even spread."
    figure, axes = panels(1, HEADS, size=(9.6, 2.7), alt=says)
    names = [str(one) if one % 6 == 0 else "" for one in range(PLACES)]
    for number, ax in enumerate(axes[0]):
        look: dict[str, Any] = {"legend": False, "mask": mask, "rows": names, "columns": names}
        look["row_axis"] = "" if number else "position (asks)"
        heatmap(ax, weights[number], title=f"head {number}", column_axis="is read", **look)
    return figure
