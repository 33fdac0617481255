"""Cells, run in this process as a notebook runs them."""

import linecache
import sys
import types
from typing import Any

import pytest


def run(monkeypatch: pytest.MonkeyPatch, *cells: str) -> dict[str, Any]:
    """Run cells as a notebook does, and give its namespace."""
    page = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", page)
    page.In = list(cells)  # type: ignore[attr-defined]
    for number, text in enumerate(cells):
        name = f"<cell {number} of {id(page)}>"
        linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
        exec(compile(text, name, "exec"), vars(page))
    return vars(page)
