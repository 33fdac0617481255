"""Collects the source of a notebook's function or class with all that it uses: imports, helpers, constants."""

from __future__ import annotations

import ast
import importlib
import inspect
import linecache
import types
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from autograder.learner.notebook import cells, namespace
from autograder.probing.source import first_line, needed, statement

COMMON = ("torch", "torch.nn", "torch.nn.functional", "math", "numpy", "typing", "jaxtyping")
"""Where to look for a name that a star import brought."""

CELLS = 1000
"""So many texts are kept as they were parsed: every save asks for all cells that have run, once a name."""


class NotFound(LookupError):
    """Something the code uses has no source that can be found."""


@dataclass
class Sources:
    """The text of a part, ready to become (a piece of) a module.

    Attributes:
        imports: import statements, each on a line of its own.
        definitions: name → text, what is used before what uses it.
    """

    imports: dict[str, None] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)


def collect(thing: Any) -> Sources:
    """The source of a function or class of the notebook and of everything it needs.

    Args:
        thing: a function or class defined in `__main__`.

    Raises:
        NotFound: naming what could not be found.
    """
    sources = Sources()
    _add(thing.__name__, sources, set())
    return sources


def _add(name: str, sources: Sources, busy: set[str]) -> None:
    """Add a name with what it needs; `busy` holds the names further up, so that recursion ends."""
    if name in sources.definitions or name in busy:
        return
    brought = _import_of(name)
    if brought:
        sources.imports[brought] = None
        return
    text = _definition(name)
    for used in sorted(needed(text) - {name}):
        _add(used, sources, busy | {name})
    sources.definitions[name] = text


def _definition(name: str) -> str:
    value = namespace().get(name)
    if isinstance(value, type | types.FunctionType) and value.__name__ == name:
        found = source_of(value) or _latest(name, (ast.FunctionDef, ast.ClassDef))
    else:
        found = _latest(name, (ast.Assign, ast.AnnAssign, ast.FunctionDef, ast.ClassDef))
    if found is None:
        raise NotFound(f"`{name}` is used, but no cell of this notebook defines it")
    return found


def source_of(thing: Any) -> str | None:
    """The text of a function or class, found through the line numbers of its code; None where there is none."""
    functions = [thing, *(vars(thing).values() if isinstance(thing, type) else ())]
    codes = [code for one in functions if callable(one) and (code := getattr(inspect.unwrap(one), "__code__", None))]
    for code in codes:
        text = "".join(linecache.getlines(code.co_filename))
        for node in _parsed(text):
            inside = getattr(node, "name", None) == thing.__name__
            if inside and first_line(node) <= code.co_firstlineno <= (node.end_lineno or 0):
                return statement(text, node)
    return None


def _latest(name: str, kinds: tuple[type, ...]) -> str | None:
    """The last statement of the notebook that gives `name` its value."""
    for text in reversed(cells()):
        for node in reversed(_parsed(text)):
            if isinstance(node, kinds) and name in _bound(node):
                return statement(text, node)
    return None


@lru_cache(maxsize=CELLS)
def _parsed(text: str) -> tuple[ast.stmt, ...]:
    try:
        return tuple(ast.parse(text).body)
    except (SyntaxError, ValueError):  # a cell that never ran, or a shell command
        return ()


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return {one.id for target in targets if target for one in ast.walk(target) if isinstance(one, ast.Name)}


# Imports ----------------------------------------------------------------------------


def _import_of(name: str) -> str | None:
    """The import statement that brings `name` into the notebook, or None when the notebook defines it."""
    values = namespace()
    if name not in values:
        raise NotFound(f"`{name}` is used, but it does not exist in this notebook")
    value = values[name]
    for text in reversed(cells()):
        for node in _imports_in(text):
            brought = _statement(node, name, value)
            if brought:
                return brought
    return _guessed(name, value)


@lru_cache(maxsize=CELLS)
def _imports_in(text: str) -> tuple[ast.Import | ast.ImportFrom, ...]:
    """Also those in functions and in `try`."""
    walked = ast.walk(ast.Module(list(_parsed(text)), []))
    return tuple(node for node in walked if isinstance(node, ast.Import | ast.ImportFrom))


def _statement(node: ast.Import | ast.ImportFrom, name: str, value: object) -> str | None:
    for alias in node.names:
        if (alias.asname or alias.name.split(".")[0]) == name:
            only = type(node)(**{**dict(ast.iter_fields(node)), "names": [alias]})
            if _brings(only, alias, value):
                return ast.unparse(only)
    return None


def _brings(node: ast.Import | ast.ImportFrom, alias: ast.alias, value: object) -> bool:
    """Whether an import still gives this very value; the notebook may have redefined the name since."""
    if isinstance(node, ast.ImportFrom):
        if node.module == "my_transformer":  # serves a newer version after every save
            return getattr(value, "__module__", None) != "__main__"
        return node.level == 0 and _attribute(node.module or "", alias.name) is value
    wanted = alias.name if alias.asname else alias.name.split(".")[0]
    return isinstance(value, types.ModuleType) and value.__name__ == wanted


def _attribute(module: str, name: str) -> object:
    try:
        return getattr(importlib.import_module(module), name, None)
    except ImportError:
        return None


def _guessed(name: str, value: object) -> str | None:
    """An import for a value that came by a star import or under another name."""
    if isinstance(value, types.ModuleType):
        return f"import {value.__name__} as {name}"
    home = getattr(value, "__module__", None)
    if home == "__main__":
        return None
    own = str(getattr(value, "__name__", name))
    for module in filter(None, [home, *COMMON]):
        if _attribute(module, own) is value:
            return f"from {module} import {own}" + (f" as {name}" if own != name else "")
    return None
