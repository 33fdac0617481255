"""What all widgets share: the bundled ES module, the picture for places without a kernel, silence when graded."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from course.widgets.figures import Picture

HERE = Path(__file__).parent
_IMPORT = re.compile(r'^import\s[^;]*?from\s+"\./(?P<file>[\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)

Settings = Mapping[str, Sequence[Any]]
"""Trait → values."""


def graded() -> bool:
    """Whether nbgrader runs this notebook (it sets NBGRADER_EXECUTION)."""
    return bool(os.environ.get("NBGRADER_EXECUTION"))


@cache
def bundle(entry: str) -> str:
    """One ES module from `entry` and everything it imports, each file once.

    A widget's module is loaded from a Blob URL, where a relative import has nothing to be relative to.

    Args:
        entry: a file name in this folder.
    Returns:
        The text of a module without imports, with the default export of `entry`.
    """
    return "\n".join(_EXPORT.sub("", _IMPORT.sub("", _read(name))) for name in _ordered(entry, []))


def _ordered(name: str, before: list[str]) -> list[str]:
    """The files that `name` needs, dependencies first, then `name`."""
    for found in _IMPORT.finditer(_read(name)):
        if found["file"] not in before:
            before = _ordered(found["file"], before)
    return [*before, name]


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")


class CourseWidget(anywidget.AnyWidget):
    """A widget that shows its picture where it cannot live, and opens no connection when graded."""

    _css = _read("widgets.css")
    data = traitlets.Dict().tag(sync=True)
    entry = ""
    """The file of its ES module."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        if "entry" in cls.__dict__:  # and not again for the class that adding a trait makes
            cls._esm = bundle(cls.entry)
        super().__init_subclass__(**kwargs)

    @property
    def recorded(self) -> Settings:
        """Every control that Python answers, and of which values a page without Python keeps the answers."""
        return {}

    def open(self) -> None:
        """Connect to the browser, except in a graded run, where nothing would answer."""
        if not graded():
            super().open()

    def plot(self) -> Picture:
        """The same numbers as a static figure."""
        raise NotImplementedError

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data, metadata = self.plot()._repr_mimebundle_()
        if graded():
            # nbgrader's feedback is sanitized, which takes the picture out of HTML: leave the PNG alone.
            del data["text/html"]
            return data, metadata
        live = super()._repr_mimebundle_(**kwargs)
        return {**data, **(live[0] if live else {}), "text/plain": self.alt}, metadata
