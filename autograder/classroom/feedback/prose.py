"""Markdown as HTML, with formulas that need no network."""

from __future__ import annotations

from html import escape

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from autograder.classroom.feedback.formulas import mathml

LONGEST = 5000
"""Characters of somebody else's text that is read as Markdown: of 200,000 brackets in a line it takes many minutes."""


class _Renderer(IPythonRenderer):
    def block_math(self, body: str) -> str:
        return mathml(body, display=True)

    def inline_math(self, body: str) -> str:
        return mathml(body)

    def latex_environment(self, name: str, body: str) -> str:
        return mathml(rf"\begin{{{name}}}{body}\end{{{name}}}", display=True)


class _Theirs(_Renderer):
    """Shows HTML as it was typed, and asks for no picture of the network's."""

    def image(self, text: str, url: str, title: str | None = None) -> str:
        return f"[picture: {text or escape(url)}]"


def markdown(text: str, *, ours: bool = False) -> str:
    """A text in Markdown, as HTML.

    Args:
        text: what a cell or a comment holds.
        ours: it is the lesson's, so HTML in it is meant as such. Anybody else's is shown as it was typed.
    """
    if not ours and len(text) > LONGEST:
        return f"<pre class='out'>{escape(text)}</pre>"
    kind = _Renderer if ours else _Theirs
    renderer = kind(escape=not ours, allow_harmful_protocols=False, exclude_anchor_links=True)
    return MarkdownWithMath(renderer).render(text)
