"""A widget on a page without a kernel: its picture, and beside it what `host.js` needs to bring it to life."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from course.widgets.base import bundle

VIEW = "application/vnd.jupyter.widget-view+json"
FOLDER = "widgets"
"""Below `_static`."""


@dataclass
class Widgets:
    """Writes the widgets of a book, and remembers what each can do there.

    Attributes:
        folder: `_static` of the source.
        table: of each widget its page, its name, and the controls that only Python answers.
    """

    folder: Path
    table: list[tuple[str, str, list[str]]] = field(default_factory=list)

    def figure(self, stem: str, number: int, kept: dict[str, Any], picture: str) -> str:
        """The HTML of one widget.

        Args:
            stem: of the lesson.
            number: the how manieth widget of its page it is.
            kept: what `recorded` has made of it.
            picture: a PNG in base64.
        """
        place = self.folder / FOLDER
        place.mkdir(parents=True, exist_ok=True)
        name = f"{stem}-{number}"
        (place / f"{name}.png").write_bytes(base64.b64decode(picture))
        (place / f"{name}.json").write_text(json.dumps(kept), encoding="utf-8")
        (place / kept["module"]).write_text(bundle(kept["module"]), encoding="utf-8")
        self.table.append((stem, kept["module"].removesuffix(".js"), needs_python(kept)))
        files = f"_static/{FOLDER}/{name}"
        return (
            f'<div class="tc-live" data-widget="{files}.json">'
            f'<img src="{files}.png" alt="{escape(kept["alt"], quote=True)}" loading="lazy"></div>'
        )


def needs_python(kept: dict[str, Any]) -> list[str]:
    """The controls of which a page keeps no answers but to the setting with which it begins."""
    return [name for name, values in kept["settings"].items() if len(values) < 2]
