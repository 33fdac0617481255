"""Python text: where a definition stands in it, and which names from outside it uses."""

from __future__ import annotations

import ast
import builtins
import io
import itertools
import linecache
import symtable
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}


def definition(text: str, place: str) -> str:
    """The text of a definition: decorators, and a comment with which its body ends, included.

    Args:
        text: a module's, or a cell's.
        place: "LayerNorm", or "LayerNorm.forward".

    Raises:
        LookupError: when nothing of that name is defined there.
    """
    begin, end = extent(text, place)
    return text[begin:end].rstrip("\n")


def extent(text: str, place: str) -> tuple[int, int]:
    """Where the definition `place` begins and ends in a text.

    Raises:
        LookupError: when nothing of that name is defined there.
    """
    lines, node = _lines(text), _node(text, place)
    first, last = first_line(node) - 1, _last_line(lines, node)
    return sum(map(len, lines[:first])), sum(map(len, lines[:last]))


def show_lines(file: str, text: str) -> None:
    """Let `inspect` and tracebacks find the lines of a text that is executed and stands in no file.

    Args:
        file: the name under which it is compiled.
        text: all of it.
    """
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def docstring_of(node: ast.AST) -> ast.stmt | None:
    """The statement that is a definition's docstring, if it has one."""
    if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    return node.body[0] if ast.get_docstring(node, clean=False) is not None else None


def statement(text: str, node: ast.stmt) -> str:
    """The lines of one statement of a text, decorators included, with one line feed at the end."""
    return "".join(_lines(text)[first_line(node) - 1 : node.end_lineno]).rstrip() + "\n"


@cache
def pieces(text: str) -> tuple[tuple[int, int], ...]:
    """Where each statement of a module begins and ends, one after the other; comments go with what stands above them.

    Statements that share a line are one piece.
    """
    places = [0, *itertools.accumulate(map(len, _lines(text)))]
    neighbours = itertools.pairwise(_body(text))
    starts = [places[first_line(node) - 1] for above, node in neighbours if first_line(node) > (above.end_lineno or 0)]
    return tuple(itertools.pairwise([0, *starts, len(text)]))


def first_line(node: ast.stmt) -> int:
    """The number of a statement's first line; decorators belong to it."""
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])


def needed(text: str) -> set[str]:
    """The global names that a piece of code uses and does not bind: in bases, annotations, defaults and bodies.

    Builtins are left out.
    """
    table = symtable.symtable(text, "definition", "exec")
    used = {name for one in _scopes(table) for name in _globals(one)}
    own = {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}
    return used - own - BUILTINS


def reached(name: str, uses: Mapping[str, Collection[str]]) -> set[str]:
    """A name, and all that it uses, and that they use."""
    found: set[str] = set()
    open_ = {name}
    while open_:
        one = open_.pop()
        found.add(one)
        open_ |= set(uses[one]) - found
    return found


def _scopes(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    for symbol in table.get_symbols():
        top = table.get_type() == "module"
        if symbol.is_referenced() and (symbol.is_global() or top):
            yield symbol.get_name()


def _lines(text: str) -> list[str]:
    # str.splitlines would also cut at form feeds and the like, where Python counts no line.
    return io.StringIO(text).readlines()


def _node(text: str, place: str) -> ast.stmt:
    body: Sequence[ast.stmt] = _body(text)
    node: ast.stmt | None = None
    for name in place.split("."):
        node = next((one for one in body if getattr(one, "name", None) == name), None)
        body = getattr(node, "body", [])
    if node is None:
        raise LookupError(f"{place} is not defined")
    return node


@cache
def _body(text: str) -> tuple[ast.stmt, ...]:
    return tuple(ast.parse(text).body)


def _last_line(lines: Sequence[str], node: ast.stmt) -> int:
    """The number of a definition's last line, where that is a comment that stands as deep as its body: the parser knows
    none."""
    last = end = node.end_lineno or node.lineno
    for number, line in enumerate(lines[end:], end + 1):
        deeper = len(line) - len(line.lstrip()) > node.col_offset
        if line.strip() and not (line.lstrip().startswith("#") and deeper):
            break
        last = number if line.strip() else last
    return last
