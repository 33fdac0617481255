"""Variables of the notebook that a learner's code reads where it meant an argument or an attribute."""

from __future__ import annotations

import symtable
from typing import Any

from torch import Tensor, nn

from autograder.learner.collect import source_of
from autograder.learner.notebook import cells, namespace
from autograder.probing.source import needed

PLAIN = (bool, int, float, complex, str, list, tuple, dict, set, Tensor, nn.Module)


def leftovers(implementation: Any) -> list[str]:
    """The names of plain values that an implementation reads and that another cell of the notebook made.

    Constants (`IN_CAPITALS`), imports, functions and classes do not count, nor what its own cell defines.

    Args:
        implementation: a function or class of the notebook.
    """
    text = source_of(implementation)
    if text is None:
        return []
    values = namespace()
    read = [name for name in sorted(needed(text)) if isinstance(values.get(name), PLAIN) and not name.isupper()]
    return [name for name in read if (cell := _made_by(name)) and text.strip() not in cell]


def told(names: list[str], *, in_class: bool = True) -> str:
    """What to say of them; "" when there are none.

    Args:
        names: of the variables.
        in_class: whether the code has a `self` on which they may stand.
    """
    if not names:
        return ""
    listed = " and ".join(f"`{name}`" for name in names[:3])
    if len(names) == 1:
        attribute = f", or `self.{names[0]}`" if in_class else ""
        return f"Your code reads {listed}, a variable of this notebook. Is an argument meant{attribute}?"
    attributes = ", or attributes (`self.`)" if in_class else ""
    return f"Your code reads {listed}, variables of this notebook. Are arguments meant{attributes}?"


def _made_by(name: str) -> str:
    """The last cell that gave a variable its value; "" when an import did, or nothing that ran."""
    return next((text for text in reversed(cells()) if name in _assigned(text)), "")


def _assigned(text: str) -> set[str]:
    try:
        table = symtable.symtable(text, "cell", "exec")
    except (SyntaxError, ValueError):  # a shell command
        return set()
    return {one.get_name() for one in table.get_symbols() if one.is_assigned() and not one.is_imported()}
