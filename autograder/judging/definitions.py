"""What a lesson's stand-ins define, as text, and what each of it needs."""

from __future__ import annotations

import ast
import importlib.util
from functools import cache
from pathlib import Path

from autograder.probing.source import needed, reached


@cache
def closure(lesson: str, name: str) -> frozenset[str]:
    """A name of a lesson's stand-ins, with all that it needs of its own module."""
    return frozenset(reached(name, _uses(lesson)))


@cache
def _uses(lesson: str) -> dict[str, set[str]]:
    """Name → which others of its own module it needs."""
    parts = defined(lesson)
    return {name: needed(piece) & parts.keys() for name, piece in parts.items()}


@cache
def defined(lesson: str) -> dict[str, str]:
    """Name → text of everything that a module of stand-ins defines at its top level."""
    parts: dict[str, str] = {}
    for node in ast.parse(text(lesson)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            parts[node.name] = ast.unparse(node)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts[node.targets[0].id] = ast.unparse(node)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            parts[node.target.id] = ast.unparse(node)
    return parts


@cache
def text(lesson: str) -> str:
    """The text of a lesson's module of stand-ins; empty where it has none."""
    spec = importlib.util.find_spec(f"autograder.stand_ins.{lesson}")
    return Path(spec.origin).read_text(encoding="utf-8") if spec and spec.origin else ""
