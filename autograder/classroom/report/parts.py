"""Parts of a page: its style, sections, tables, texts and bars."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

STYLE = """
:root{color-scheme:light dark;--line:#d0d7de;--bar:#0969da;--ok:#1a7f37;--none:#59636e;--bad:#bc4c00;--infra:#8250df}
@media(prefers-color-scheme:dark){:root{--line:#3d444d;--bar:#4493f8;--ok:#3fb950;--none:#9198a1;--bad:#f0883e;--infra:#ab7df8}
body{color:#f0f6fc;background:#0d1117}}
body{font:15px/1.5 system-ui,sans-serif;margin:32px auto;max-width:1068px;padding:0 16px}
h1{font-size:24px}h2{font-size:18px;margin:32px 0 8px}summary{cursor:pointer}
table{border-collapse:collapse;font-size:14px}
th,td{padding:4px 10px;text-align:left;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{padding-left:0}
th{vertical-align:bottom}td{vertical-align:top}.points{white-space:nowrap}
td:first-child{white-space:nowrap}
code{font-size:.92em}
.bar{display:inline-block;height:12px;background:var(--bar);vertical-align:middle}
.ok{color:var(--ok)}.none{color:var(--none)}.bad{color:var(--bad)}.infra{color:var(--infra);font-weight:600}
.low{color:var(--bad);font-weight:700}
.tenths{display:flex;align-items:flex-end;gap:6px;font-size:13px;text-align:center}
.tenths div{width:58px}.tenths .bar{display:block;height:auto}
.scroll{overflow-x:auto}
.mistakes,.students{table-layout:fixed;width:100%;overflow-wrap:anywhere}
.mistakes td,.students td{white-space:normal}
.mistakes td:nth-child(3){color:var(--none);font-size:13.5px}
.mistakes th:nth-child(1){width:17%}.mistakes th:nth-child(2){width:18%}.mistakes th:nth-child(4){width:17%}
.more{margin-top:8px}
.students{font-size:12.5px;line-height:1.35}
.students th:nth-child(n),.students td:nth-child(n){padding:4px 8px 4px 0}
.students th:nth-child(1){width:12%}.students th:nth-child(2){width:84px}
@media(max-width:700px){
body{margin:16px auto;padding:0 10px}.tenths{gap:2px;font-size:11px}
.mistakes,.mistakes tbody,.mistakes tr,.mistakes td{display:block;width:auto}.mistakes tr:first-child{display:none}
.mistakes td{border:0;padding:0}.mistakes tr{border-top:1px solid var(--line);padding:6px 0}
.mistakes td:first-child{font-weight:600}.students{min-width:640px}
.exercises .bar{display:none}.exercises .points{white-space:normal}
}
@media print{
:root{--line:#d0d7de;--bar:#0969da;--ok:#1a7f37;--none:#59636e;--bad:#bc4c00;--infra:#8250df}
body{color:#000;background:#fff;max-width:none;margin:0;padding:0}tr{break-inside:avoid}h2{break-after:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
"""


def section(title: str, body: str) -> str:
    """A heading and what stands below it; nothing when that is empty."""
    return f"<h2>{text(title)}</h2><div class='scroll'>{body}</div>" if body else ""


def table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are HTML already."""
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    if not lines:
        return ""
    top = "".join(f"<th>{breaking(name)}</th>" for name in head)
    return f"<table class='{kind}'><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def text(given: str) -> str:
    """Text that a page shows as it is, cut where it is very long."""
    return html.escape(str(given)[:500])


def breaking(name: str) -> str:
    """A name that may go on in the next line where a word of it ends."""
    return re.sub(r"(?<=_)(?=.)|(?<=[a-z])(?=[A-Z])", "<wbr>", text(name))


def prose(given: str) -> str:
    """Text in which `...` is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text(given))


def listed(names: Iterable[str]) -> str:
    """Names, with commas."""
    return ", ".join(text(name) for name in names)


def counted(count: int, what: str) -> str:
    """As in "1 submission" and "2 submissions"."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def bar(count: int, of: int, widest: int = 200) -> str:
    """A bar as long as a count is of all, in pixels."""
    return f"<span class='bar' style='width:{round(widest * count / of) if of else 0}px'></span>"
