"""A page of the book: the student's notebook, with the outputs of the solved one."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterator
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell, new_output

from autograder.dev.book.live import VIEW, Widgets
from autograder.dev.book.runs import Kept
from autograder.notebooks.build import build

LINK = re.compile(r"\[([^\]]*)\]\((\d\d_\w+)\.ipynb[^)]*\)")
"""To another lesson."""


def page(stem: str, kept: Kept, widgets: Widgets, bar: str, stems: Collection[str]) -> NotebookNode:
    """A lesson as it stands in the book.

    Args:
        stem: such as `01_layer_norm`.
        kept: what a run of it gave.
        widgets: writes what its widgets need.
        bar: Markdown that stands below the title.
        stems: the lessons of the book; a link to another one would lead nowhere.
    """
    outputs = {cell.id: cell.outputs for cell in kept.notebook.cells if cell.cell_type == "code"}
    notebook = build(stem, "student")
    shown = [cell for cell in notebook.cells if not _is_written_in(cell)]
    for cell in shown:
        if cell.cell_type == "code":
            cell.outputs = [one for given in outputs.get(cell.id, []) for one in _shown(given, stem, kept, widgets)]
        else:
            cell.source = LINK.sub(lambda link: link[0] if link[2] in stems else link[1], cell.source)
        cell.metadata = {}
    notebook.cells = [shown[0], new_markdown_cell(bar, id="book-bar"), *shown[1:]]
    notebook.metadata = {"kernelspec": notebook.metadata.kernelspec, "language_info": notebook.metadata.language_info}
    return notebook


def _is_written_in(cell: NotebookNode) -> bool:
    """A student answers a question there; a page shows the model answer alone."""
    graded = cell.metadata.get("nbgrader", {})
    return cell.cell_type == "markdown" and bool(graded.get("solution"))


def _shown(output: NotebookNode, stem: str, kept: Kept, widgets: Widgets) -> Iterator[NotebookNode]:
    """An output as a page shows it. Bars of progress and warnings are of the run, and not shown."""
    if output.output_type == "stream":
        if output.name == "stdout":
            yield output
        return
    if output.output_type == "error":
        yield output
        return
    data: dict[str, Any] = copy.deepcopy(dict(output.data))
    view = data.pop(VIEW, None)
    if view is not None:
        own = kept.widgets.get(view["model_id"])
        if own is not None and "image/png" in data:
            number = sum(place == stem for place, *_ in widgets.table) + 1
            data = {"text/html": widgets.figure(stem, number, own, data["image/png"])}
        elif "text/html" not in data:
            return
    yield new_output("display_data", data=data)
