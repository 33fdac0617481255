"""What Sphinx has to know for the book: formulas as MathML, so that no page asks the network for anything."""

from __future__ import annotations

from typing import Any

from autograder.classroom.feedback.formulas import mathml


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    app.add_css_file("widgets.css")
    app.add_css_file("book.css")
    app.add_js_file("host.js", type="module")
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(writer: Any, node: Any) -> None:
    _write(writer, mathml(node.astext()))


def _block(writer: Any, node: Any) -> None:
    _write(writer, mathml(node.astext(), display=True))


def _write(writer: Any, formula: str) -> None:
    from docutils.nodes import SkipNode

    writer.body.append(formula)
    raise SkipNode
