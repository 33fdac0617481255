"""Outputs of cells as HTML that cannot run: reports with their tables, pictures, and text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from nbconvert.filters import strip_ansi
from nbconvert.preprocessors.sanitize import SanitizeHTML
from nbformat import NotebookNode

LONGEST = 20_000
"""Characters of a text."""

LONGEST_REPORT = 200_000
"""Characters of a report; ours have less than a tenth of that."""

STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
PICTURES = ("image/png", "image/jpeg")
IN_A_REPORT = ["div", "p", "b", "span", "code", "pre", "br", "details", "summary", "table", "tbody", "tr", "td",
               "figure", "figcaption"]  # fmt: skip

_sanitizer = SanitizeHTML(
    tags=IN_A_REPORT, attributes={"*": ["class"], "td": ["class", "style"]}, styles=["background", "font-weight"]
)


def report(check: NotebookNode) -> str:
    """The report that a check left, or whatever else it did. In stock grading the student's own process wrote it."""
    for output in check.get("outputs", []):
        made = output.get("data", {}).get("text/html")
        if isinstance(made, str) and len(made) <= LONGEST_REPORT:
            return str(_sanitizer.sanitize_html_tags(STYLE.sub("", made)))
    return outputs(check)


def outputs(cell: NotebookNode) -> str:
    """All that a cell put out."""
    return "".join(part for one in cell.get("outputs", []) for part in _parts(one))


def _parts(output: NotebookNode) -> Iterator[str]:
    if output.output_type == "stream":
        yield _text(output.text)
    elif output.output_type == "error":
        yield _text("\n".join(output.traceback) or f"{output.ename}: {output.evalue}")
    else:
        data = output.get("data", {})
        pictures = [kind for kind in PICTURES if isinstance(data.get(kind), str)]
        if pictures:
            words = html.escape(str(data.get("text/plain", ""))[:500])
            code = re.sub(r"[^A-Za-z0-9+/=]", "", data[pictures[0]])
            yield f"<img src='data:{pictures[0]};base64,{code}' alt='{words}'>"
        elif isinstance(data.get("text/plain"), str):
            yield _text(data["text/plain"])


def _text(given: str) -> str:
    shown = strip_ansi(given)[:LONGEST].rstrip()
    return f"<pre class='out'>{html.escape(shown)}</pre>" if shown else ""
