"""Answers in Markdown as an instructor's browser shows them: what a student wrote runs nothing and leads nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.classroom.course.harmless import harmless
from tests.jupyterlab import sync_playwright

pytestmark = [pytest.mark.browser, pytest.mark.slow]

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
        if (command && !texts.currentNode.parentElement.closest("pre, code, script, style")) found.push(command[0]);
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


def shown(page: Any, answer: str) -> list[str]:
    """What in an answer's page is dangerous, as the browser understands it."""
    made, _ = HTMLExporter().from_notebook_node(new_notebook(cells=[new_markdown_cell(answer)]))
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


def test_mathematics_stays_as_it_is(page: Any) -> None:
    assert harmless(MATHEMATICS) == MATHEMATICS
    assert shown(page, MATHEMATICS) == []
