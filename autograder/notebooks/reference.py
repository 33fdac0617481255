"""Cuts the text of one definition out of the reference, without importing it."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from functools import cache
from pathlib import Path

from autograder.notebooks.problem import Problem

MARK = re.compile(r"^\s*#.*\b(BEGIN|END) SOLUTION\b.*\n?", re.MULTILINE)


@cache
def module_text(lesson: str) -> str:
    """The text of a lesson's module of the reference.

    Raises:
        Problem: when this copy of the course comes without it.
    """
    try:
        spec = importlib.util.find_spec(f"solutions.{lesson}")
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        raise Problem(f"solutions.{lesson} is not part of this copy of the course.")
    return Path(spec.origin).read_text(encoding="utf-8")


def definition(lesson: str, name: str) -> str:
    """The text of a function or class, with its decorators and a trailing `# END SOLUTION`.

    Raises:
        Problem: when the lesson's module does not define it.
    """
    text = module_text(lesson)
    node = _node(text, name)
    if node is None:
        raise Problem(f"solutions/{lesson}.py does not define {name}.")
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    lines = text.splitlines(keepends=True)[first - 1 :]
    # `node.end_lineno` would lose the comment that closes the solution.
    return "".join(inspect.getblock(lines)).rstrip("\n")


def _node(text: str, name: str) -> ast.FunctionDef | ast.ClassDef | None:
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return node
    return None


def has_solution_marks(source: str) -> bool:
    """Whether a definition says which part the learner has to write."""
    return bool(MARK.search(source))


def without_marks(source: str) -> str:
    """The definition as a learner would have written it, without BEGIN and END SOLUTION."""
    return MARK.sub("", source).rstrip("\n")


def renamed(source: str, old: str, new: str) -> str:
    """The same definition under another name.

    Only the header changes: no definition of the reference speaks of itself by name.
    """
    return re.sub(rf"^(class|def) {old}\b", rf"\1 {new}", source, count=1, flags=re.MULTILINE)
