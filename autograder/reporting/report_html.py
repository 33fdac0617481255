"""The report as HTML: short when all is well, and when not, the mistake in words and the numbers beside each other.

Everything that comes from the learner is escaped. Colours come from JupyterLab's theme, with light fall-backs for
nbgrader's feedback pages.
"""

from __future__ import annotations

import html as escape_html
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from autograder.judging.judge import Finding
from autograder.probing.outcome import mismatch
from autograder.reporting.folds import Offer, inline
from autograder.reporting.folds import html as row_of
from autograder.reporting.leads import Paragraph
from autograder.reporting.words import farthest, number, where

ROWS, COLUMNS = 6, 8
"""The largest excerpt of a tensor that is shown."""

STYLE = """
<style>
.ag-report{font:14px/1.5 var(--jp-content-font-family,system-ui,sans-serif);color:var(--jp-content-font-color1,#1f2328);
 border:1px solid var(--jp-border-color2,#d0d7de);border-left:5px solid var(--ag-tone);border-radius:4px;
 padding:10px 16px 12px;margin:4px 0;max-width:760px;background:var(--jp-layout-color1,#fff)}
.ag-report.ag-passed{--ag-tone:#2da44e}.ag-report.ag-wrong{--ag-tone:#d4763b}.ag-report.ag-quiet{--ag-tone:#8c959f}
.ag-report p{margin:6px 0 0}.ag-head{font-weight:600}.ag-head .ag-mark{color:var(--ag-tone);margin-right:.5em}
.ag-small{color:var(--jp-content-font-color2,#57606a);font-size:13px}
.ag-report code{font-size:12.5px;background:var(--jp-layout-color2,#f0f2f4);color:inherit;border-radius:3px;
 padding:1px 4px}
.ag-report pre{font-size:12px;max-height:150px;overflow:auto;white-space:pre-wrap;margin:4px 0 0;padding:6px 8px;
 color:inherit;background:var(--jp-layout-color2,#f0f2f4)}
.ag-report pre.ag-code{max-height:none;white-space:pre;margin-top:4px!important;padding:6px 8px!important}
.ag-report details{margin-top:6px}.ag-report summary{cursor:pointer;display:list-item}
.ag-first{margin-top:10px!important;padding-top:8px;border-top:1px solid var(--jp-border-color2,#d0d7de)}
.ag-strip{display:flex;flex-wrap:wrap;gap:18px;margin-top:8px}
.ag-strip figure{margin:0}
.ag-strip figcaption{font-size:12px;color:var(--jp-content-font-color2,#57606a);margin-bottom:2px}
.ag-report table.ag-grid{border-collapse:separate;border-spacing:2px;margin:0;border:0;color:inherit;
 font:11.5px/1 var(--jp-code-font-family,monospace)}
.ag-report table.ag-grid td{padding:5px 4px;min-width:36px;text-align:right;border:0;border-radius:2px;color:inherit}
.ag-report table.ag-grid tr{background:none}
.ag-report td.ag-worst{outline:2px solid var(--jp-content-font-color1,#1f2328)}
.ag-report td.ag-nan{background:repeating-linear-gradient(45deg,rgba(128,128,128,.45) 0 3px,transparent 3px 6px)}
</style>
"""

NO_FORMULAS = "tex2jax_ignore mathjax_ignore"
"""Classes by which MathJax, the old and the new, leaves alone what stands inside. A dollar in a learner's message is
one, and a formula could hold links."""

MARKS = {
    "passed": ("passed", "✓"),
    "wrong": ("wrong", "✗"),
    "shortcut": ("wrong", "✗"),
    "interrupted": ("wrong", "■"),
}


@dataclass(frozen=True)
class Shown:
    """What a report shows.

    Attributes:
        status: "passed", "wrong" and so on; sets colour and sign.
        headline: name and points.
        paragraphs: what it says first.
        first: the failure that it shows in full.
        explanation: that failure in sentences.
        code: what the code that computed this calls the learner's part, in words, and that code.
        counts: how many checks hold.
        notes: further lines.
        printed: what the learner's code printed.
        offers: what to do next.
    """

    status: str
    headline: str
    paragraphs: Sequence[Paragraph]
    first: Finding | None
    explanation: Sequence[str]
    code: tuple[str, str]
    counts: str
    notes: Sequence[str]
    printed: str
    offers: Sequence[Offer] = ()


def html(shown: Shown) -> str:
    """A report as one self-contained piece of HTML."""
    tone, mark = MARKS.get(shown.status, ("quiet", "○"))
    body = [f'<div class="ag-head"><span class="ag-mark">{mark}</span>{inline(shown.headline)}</div>']
    body += [_paragraph(paragraph) for paragraph in shown.paragraphs]
    if shown.first:
        body += [_failure(shown.first, shown.explanation), _code(*shown.code)]
        body.append(f'<p class="ag-small">{shown.counts}</p>')
    body += [f'<p class="ag-small">{inline(note)}</p>' for note in shown.notes]
    if shown.printed.strip():
        text = escape_html.escape(shown.printed.rstrip())
        body.append(f'<p class="ag-small">Your code printed:</p><pre>{text}</pre>')
    body.append(row_of(shown.offers))
    return f'{STYLE}<div class="ag-report ag-{tone} {NO_FORMULAS}">{"".join(body)}</div>'


def _paragraph(paragraph: Paragraph) -> str:
    title = f"<b>{inline(paragraph.title)}</b> " if paragraph.title else ""
    return f"<p>{title}{inline(paragraph.text)}</p>" if title or paragraph.text else ""


def _failure(finding: Finding, explanation: Sequence[str]) -> str:
    lines = "<br>".join(map(inline, explanation))
    title = f"To look at first: {finding.says}."
    return f'<p class="ag-first"><b>{inline(title)}</b><br>{lines}</p>{_strip(finding)}'


def _code(whose: str, code: str) -> str:
    if not code:
        return ""
    legend = inline(f"{whose}, `draw` makes the random numbers.")
    return (
        f'<details class="ag-small"><summary>What was computed</summary><p>{legend}</p>'
        f'<pre class="ag-code">{escape_html.escape(code)}</pre></details>'
    )


def _strip(finding: Finding) -> str:
    """Expected, got and difference beside each other on one scale."""
    found = finding.difference
    if found is None or found.kind != "value" or not isinstance(found.expected, Tensor):
        return ""
    if not found.expected.dim():
        return ""
    index = farthest(found.expected, found.got)
    expected, got, wrong, worst = _excerpt(found.expected, found.got, index)
    scale = _scale((expected, got))
    panels = [("expected", expected), ("yours", got)]
    panels += [] if found.expected.dtype is torch.bool else [("yours - expected", got - expected)]
    say = _FORMS.get(found.expected.dtype, _short)
    figures = [
        f"<figure><figcaption>{name}</figcaption>{_grid(values, wrong, worst, scale, say)}</figure>"
        for name, values in panels
    ]
    return f'<div class="ag-strip">{"".join(figures)}</div>{_legend(found.expected, index, found.path)}'


def _excerpt(expected: Tensor, got: Tensor, index: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor, tuple[int, int]]:
    """The 2-D part around the largest difference, cut to a size that can be read."""
    a, b = (tensor.double()[index[:-2]] for tensor in (expected, got))
    if a.dim() == 1:
        a, b = a[None], b[None]
    row, column = (0, *index)[-2:] if expected.dim() == 1 else index[-2:]
    top = max(0, min(row - ROWS // 2, a.shape[0] - ROWS))
    left = max(0, min(column - COLUMNS // 2, a.shape[1] - COLUMNS))
    part = (slice(top, top + ROWS), slice(left, left + COLUMNS))
    return a[part], b[part], mismatch(a, b)[part], (row - top, column - left)


def _scale(tensors: Iterable[Tensor]) -> float:
    largest = (tensor[torch.isfinite(tensor)].abs() for tensor in tensors)
    return max((float(one.max()) for one in largest if one.numel()), default=1.0) or 1.0


def _grid(values: Tensor, wrong: Tensor, worst: tuple[int, int], scale: float, say: Callable[[float], str]) -> str:
    rows = []
    for r, row in enumerate(values.tolist()):
        cells = [_cell(value, bool(wrong[r, c]), (r, c) == worst, scale, say) for c, value in enumerate(row)]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return f'<table class="ag-grid">{"".join(rows)}</table>'


def _cell(value: float, wrong: bool, worst: bool, scale: float, say: Callable[[float], str]) -> str:
    if value != value:
        return f'<td class="ag-nan{" ag-worst" if worst else ""}">NaN</td>'
    strength = min(abs(value) / scale, 1.0) * 0.6
    colour = "217,119,60" if value > 0 else "66,133,200"
    weight = ";font-weight:700" if wrong else ""
    mark = ' class="ag-worst"' if worst else ""
    return f'<td{mark} style="background:rgba({colour},{strength:.2f}){weight}">{say(value)}</td>'


def _short(value: float) -> str:
    if abs(value) < 5e-6:
        return "0"
    text = f"{value:.2f}" if 0.01 <= abs(value) < 1000 else f"{value:.1e}"
    return text if value == value and abs(value) != float("inf") else number(value)


def _whole(value: float) -> str:
    return str(int(value)) if abs(value) < torch.inf else number(value)


def _truth(value: float) -> str:
    return str(bool(value))


_FORMS: dict[torch.dtype, Callable[[float], str]] = {torch.bool: _truth, torch.int64: _whole, torch.int32: _whole}
"""How numbers of a kind are written, where it is not with two decimals."""


def _legend(whole: Tensor, index: Sequence[int], path: tuple[str, ...]) -> str:
    part = f"Part [{', '.join(map(str, index[:-2]))}] of shape {tuple(whole.shape)}. " if whole.dim() > 2 else ""
    place = where(path).removesuffix(": ")
    place = f"{place}. " if place else ""
    colours = "Orange is positive, blue negative, one scale for all three; bold numbers differ, the framed one most."
    if whole.dtype is torch.bool:
        colours = "Orange is True; bold places differ."
    return f'<p class="ag-small">{inline(place)}{part}{colours}</p>'
