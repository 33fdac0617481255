"""What a report offers next: folds that look like buttons.

A fold is opened by mouse and by keyboard and needs no kernel, so what a report offers works in a saved notebook too.
"""

from __future__ import annotations

import html as escape_html
import re
from collections.abc import Sequence
from dataclasses import dataclass

STYLE = """
<style>
.ag-offers{display:flex;flex-wrap:wrap;gap:8px;margin-top:10px}
.ag-report .ag-offers details{margin:0}.ag-report .ag-offers details[open]{flex-basis:100%}
.ag-report .ag-offers summary{display:inline-block;list-style:none;padding:2px 12px;font-size:13px;border-radius:4px;
 border:1px solid var(--jp-border-color1,#afb8c1);background:var(--jp-layout-color2,#f0f2f4)}
.ag-report .ag-offers summary::-webkit-details-marker{display:none}
.ag-report .ag-offers summary:hover{border-color:var(--jp-content-font-color2,#57606a)}
.ag-report .ag-offers summary:focus-visible{outline:2px solid var(--jp-brand-color1,#0969da);outline-offset:1px}
.ag-report .ag-offers details[open]>summary{border-style:dashed;background:none}
.ag-report .ag-offers details details{margin-top:8px}
</style>
"""

_BLOCK = re.compile(r"```\w*\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Offer:
    """One of the things that may come next.

    Attributes:
        title: what stands on its button.
        text: what it opens: paragraphs, with `code`, and code blocks between fences.
        then: what it offers in turn.
    """

    title: str
    text: str
    then: Offer | None = None


def html(offers: Sequence[Offer]) -> str:
    """A row of buttons; nothing where nothing is offered."""
    return f'{STYLE}<div class="ag-offers">{"".join(map(_fold, offers))}</div>' if offers else ""


def _fold(offer: Offer) -> str:
    more = _fold(offer.then) if offer.then else ""
    return f"<details><summary>{inline(offer.title)}</summary>{_body(offer.text)}{more}</details>"


def _body(text: str) -> str:
    """Paragraphs and blocks of code, in turn: what stands between fences has an odd place."""
    parts = _BLOCK.split(text)
    return "".join(_code(one) if place % 2 else _paragraphs(one) for place, one in enumerate(parts))


def _code(text: str) -> str:
    return f'<pre class="ag-code">{escape_html.escape(text.rstrip())}</pre>'


def _paragraphs(text: str) -> str:
    return "".join(f"<p>{inline(one.strip())}</p>" for one in text.split("\n\n") if one.strip())


def inline(text: str) -> str:
    """Escaped text in which `...` is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape_html.escape(text))
