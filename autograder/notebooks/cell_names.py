"""The names that a cell leaves behind, or imports."""

from __future__ import annotations

import ast
import symtable

from IPython.core.inputtransformer2 import TransformerManager


def bound(source: str) -> set[str]:
    """The names that a cell defines, imports or assigns at its top level.

    Args:
        source: a cell's text; IPython's magics are fine. Code that does not parse binds nothing.
    """
    try:
        table = symtable.symtable(as_python(source), "cell", "exec")
    except SyntaxError:
        return set()
    return {one.get_name() for one in table.get_symbols() if one.is_assigned() or one.is_imported()}


def as_python(source: str) -> str:
    """A cell's text with magics and shell commands turned into calls, as IPython does."""
    return TransformerManager().transform_cell(source)


def imported_from(source: str, package: str) -> list[tuple[str, str]]:
    """The pairs (module, name) of a cell that consists of `from package.module import name` only.

    Raises:
        ValueError: when anything else stands in the cell.
    """
    pairs = []
    for node in ast.parse(source).body:
        module = getattr(node, "module", None) or ""
        if not isinstance(node, ast.ImportFrom) or not module.startswith(f"{package}."):
            raise ValueError(ast.unparse(node))
        for alias in node.names:
            if alias.asname or alias.name == "*":
                raise ValueError(ast.unparse(node))
            pairs.append((module.removeprefix(f"{package}."), alias.name))
    return pairs
