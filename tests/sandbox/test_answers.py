"""Answers in Markdown as an instructor's browser shows them: what a student wrote runs nothing and leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from nbconvert import HTMLExporter
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder import registry
from autograder.classroom.course.harmless import harmless
from autograder.judging.decision import decide
from autograder.judging.oracle import Oracle
from autograder.probing.outcome import Foreign, Raised
from autograder.probing.run import Place, Run
from autograder.reporting.report import report_of
from autograder.reporting.report_html import NO_FORMULAS
from tests.jupyterlab import sync_playwright

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.turns(2, "autograder/classroom/feedback", "autograder/reporting", at=0),
]

TO = "javascript:document.title='GOT'"
IN_PAGES = {
    "a link in MathML": f'<math><mi href="{TO}">x</mi></math>',
    "a link of older MathML": f'<math xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="{TO}"><mi>x</mi></math>',
    "an action of MathML": f'<math><maction actiontype="statusline" xlink:href="{TO}"><mi>x</mi></maction></math>',
    "a link": f'<a href="{TO}">x</a>',
    "a link in a drawing": f'<svg><a xlink:href="{TO}"><text y="9">x</text></a></svg>',
    "a drawing that changes a link": f'<svg><a><set attributeName="href" to="{TO}"/><text y="9">x</text></a></svg>',
    "a form": f'<form action="{TO}"><button>x</button></form>',
    "a button": f'<form id="f"></form><button form="f" formaction="{TO}">x</button>',
    "a frame": f'<iframe src="{TO}"></iframe>',
    "an object": f'<object data="{TO}"></object>',
    "an embedded one": f'<embed src="{TO}">',
    "a base": f'<base href="{TO}">',
    "a page that turns": f'<meta http-equiv="refresh" content="0;url={TO}">',
    "a picture": "<img src=x onerror=\"document.title='GOT'\">",
    "a map": f'<map name="m"><area href="{TO}"></map>',
    "a video": f'<video poster="{TO}" src="{TO}"></video>',
    "a table": f'<table background="{TO}"><tr><td>x</td></tr></table>',
    "a cite": f'<blockquote cite="{TO}">x</blockquote>',
    "a manifest": f'<link rel="manifest" href="{TO}">',
    "Markdown": f"[x]({TO})",
    "Markdown, with a name": f"[x][y]\n\n[y]: {TO}\n",
    "Markdown in letters of another kind": f"[x](&#106;{TO[1:]})",
    "a picture in Markdown": f"![x]({TO})",
}
"""What holds an address, or runs."""

IN_FORMULAS = {
    "a link in a formula": rf"$\href{{{TO}}}{{x}}$",
    "MathML in a formula": rf'$\mmlToken{{mi}}[href="{TO}"]{{x}}$',
    "a style in a formula": r"$\style{background: url(https://example.org/seen)}{x}$",
    "a name in a formula": r"$\cssId{own}{\class{own}{x}}$",
    "an extension": r"$\require{HTML}x$",
    "a definition": r"$\def\own{x}\own$",
    "another name": r"$\let\frac\undefined$",
    "a backslash by its number": rf"&#36;&#92;href{{{TO}}}{{x}}&#36;",
    "a backslash by another number": rf"&dollar;&#x5c;mmlToken{{mi}}[href='{TO}']{{x}}&#36;",
    "a backslash by its name": rf"&#36;&bsol;href{{{TO}}}{{x}}&#36;",
    "a letter by its number": rf"&#36;\h&#114;ef{{{TO}}}{{x}}&#36;",
    "a letter by another number": rf"&#36;\\&#x68;ref{{{TO}}}{{x}}&#36;",
    "a character that is left out": f"$\\h\0ref{{{TO}}}{{x}}$",
}
"""What MathJax makes more of than mathematics, as it reads it in the page."""

FINDS = """\
() => {
    const found = [];
    for (const one of document.querySelectorAll("main *"))
        for (const each of one.attributes) {
            const leads = /^\\s*javascript:|url=javascript:/i.test(each.value);
            if (leads || each.name.startsWith("on"))
                found.push(one.localName + " " + each.name);
        }
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const command = /\\\\(href|mmlToken|style|cssId|class|require|def|let)/.exec(texts.currentNode.data);
        const ignored = "pre, code, script, style, .tex2jax_ignore, .mathjax_ignore";  // by MathJax 2 and 3
        if (command && !texts.currentNode.parentElement.closest(ignored)) found.push(command[0]);
    }
    return found;
}
"""

MATHEMATICS = r"""
The scores are $\frac{QK^\top}{\sqrt{d_k}}$, and $\operatorname{softmax}(x)_i = \frac{e^{x_i}}{\sum_j e^{x_j}}$ with
$\mathbb{E}[x] \approx 0 \pm \epsilon$, `"\n"` and a \\(\mathcal{O}(n^2)\\). $$\begin{aligned} a &= b \\ &\leq c < d
\end{aligned}$$ &lt;eos&gt; is no tag, R&D no entity, [a link](https://example.org?a=1&copy=2) a link, and C:\ a drive.
"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    """A page of a browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        yield browser.new_page()
        browser.close()


def shown(page: Any, answer: str | NotebookNode) -> list[str]:
    """What in the page of an answer, or of another cell, is dangerous, as the browser understands it."""
    cell = new_markdown_cell(answer) if isinstance(answer, str) else answer
    made, _ = HTMLExporter().from_notebook_node(new_notebook(cells=[cell]))
    page.route("**", lambda route: route.abort())  # no network
    page.set_content(made, wait_until="domcontentloaded")
    found: list[str] = page.evaluate(FINDS)
    return found


@pytest.mark.parametrize("name", [*IN_PAGES, *IN_FORMULAS])
def test_nothing_of_an_answer_runs_or_leads_elsewhere(name: str, page: Any) -> None:
    answer = {**IN_PAGES, **IN_FORMULAS}[name]
    assert shown(page, answer), "the attack does not even work where nothing is done about it"
    assert shown(page, harmless(answer)) == []
    assert shown(page, f"$x$ and {answer}\n\n{harmless(answer)}"), "it is not seen beside other things"


TEXT = " ".join([*IN_FORMULAS.values(), *IN_PAGES.values()])


def reports_on(text: str) -> str:
    """Reports that say all that a submission can have a report say."""
    names = {text: ("parameter", (4,), text)}
    odd = [Raised((text, "Exception"), text), Foreign(text), {text: torch.ones(2)}, text, [text], torch.ones(2)]
    told = [(one, None) for one in odd] + [(torch.ones(2), names)]
    return "".join(_report(returned, signature, text) for returned, signature in told)


def _report(returned: Any, signature: Any, text: str) -> str:
    exercise, oracle = registry.exercise("LayerNorm"), Oracle()
    runs: dict[Any, Run] = {}
    for probe in exercise.probes:
        right = oracle.right(exercise, probe, 1)
        signatures = right.signatures if signature is None else [signature]
        runs[probe, 1] = Run(returned, signatures, [text], [], Place(text, 3, text, text))
    return report_of(decide(exercise, runs, oracle, lambda *_, **__: {}), text).html


def output(page: str) -> NotebookNode:
    """A check cell with that output."""
    return new_code_cell("check(LayerNorm)", outputs=[new_output("execute_result", {"text/html": page})])


def test_nothing_of_a_report_runs_or_leads_elsewhere(page: Any) -> None:
    """nbgrader's pages show it as HTML, and have MathJax read it."""
    made = reports_on(TEXT)
    read_by_mathjax = shown(page, output(made.replace(NO_FORMULAS, "")))
    assert "\\href" in read_by_mathjax, "the attack does not even work where formulas are read"
    assert shown(page, output(made)) == []


def test_mathematics_stays_as_it_is(page: Any) -> None:
    assert harmless(MATHEMATICS) == MATHEMATICS
    assert shown(page, MATHEMATICS) == []
