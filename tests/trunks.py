"""Slips in right code that is not the reference: a definition of a module of variants, executed with pieces of it
replaced."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from autograder.judging.edits import edited
from autograder.probing.source import definition, needed, reached, show_lines


def slipped(trunk: Callable[..., Any], swaps: Mapping[str, str], inside: str = "") -> Any:
    """A trunk as it is after a slip.

    Args:
        trunk: a function or class at the top level of its module.
        swaps: text of the module → what stands there instead; each must occur exactly once.
        inside: the definition that is edited ("Attend.forward"), where it is a part of which the trunk is made. What
            stands between the two is made anew as well.

    Raises:
        BadEdit: when one does not occur exactly once.
    """
    place, name = inside or trunk.__qualname__, trunk.__qualname__
    part = place.split(".")[0]
    home = sys.modules[trunk.__module__]
    text = _text(trunk.__module__)
    values = dict(vars(home))
    for one in _between(text, part, name):
        piece = definition(text, one)
        _execute(edited(piece, place, swaps) if one == part else piece, values, f"<{home.__name__}.{one}: {swaps}>")
    return values[name]


def own_lines(trunk: Callable[..., Any]) -> frozenset[str]:
    """The lines of a trunk, without indentation."""
    text = definition(_text(trunk.__module__), trunk.__qualname__)
    return frozenset(line.strip() for line in text.splitlines())


def _execute(text: str, values: dict[str, Any], label: str) -> None:
    """Define something anew. Its decorators are left off: they say what it is a variant of."""
    tree = ast.parse(text)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            node.decorator_list = []
    source = ast.unparse(tree)
    show_lines(label, source)
    exec(compile(source, label, "exec", dont_inherit=True), values)


@cache
def _between(text: str, edited_part: str, trunk: str) -> tuple[str, ...]:
    """What is to be made anew: the part that is edited, the trunk, and whatever leads from the one to the other."""
    uses = _uses(text)
    wanted = reached(trunk, uses)
    anew = {edited_part}
    for name in uses:  # in the order of the file: what is used at once stands before
        if name in wanted and (uses[name] & anew or name == trunk):
            anew.add(name)
    return tuple(name for name in uses if name in anew)


@cache
def _uses(text: str) -> dict[str, frozenset[str]]:
    """Definition → which others of its module it uses, in the order of the file."""
    names = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return {name: frozenset(needed(definition(text, name)) & set(names)) for name in names}


@cache
def _text(module: str) -> str:
    return Path(inspect.getfile(sys.modules[module])).read_text(encoding="utf-8")
