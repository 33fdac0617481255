"""The whole course solved: every reference as a learner's answer, in one library."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from autograder import registry
from autograder.learner import library, progress_file
from autograder.learner.collect import Sources
from autograder.probing.exercise import Exercise
from autograder.probing.source import statement
from autograder.registry import COURSE

SOLUTIONS = COURSE.parent / "solutions"
DAY = "2026-05-04"


def solved_library(folder: Path) -> Path:
    """Fill a folder with what `check` keeps of a learner who has passed everything."""
    folder.mkdir(parents=True, exist_ok=True)
    for lesson in registry.lessons():
        path, text = folder / f"{lesson}.py", ""
        sources = _sources(lesson)
        for one in registry.exercises(lesson):
            if not one.repairs and one.name in sources.definitions:
                text, _ = library.merged(path, one, sources)
                path.write_text(text, encoding="utf-8")
    remember(folder)
    return folder


def _sources(lesson: str) -> Sources:
    """A reference as a notebook would give it: earlier parts come from the learner's own library."""
    found = Sources()
    _read(lesson, found)
    return found


def _read(stem: str, found: Sources) -> None:
    """Take in a file of the solutions, and the files into which a lesson's is divided."""
    text = (SOLUTIONS / f"{stem}.py").read_text(encoding="utf-8")
    for node in ast.parse(text).body:
        piece = statement(text, node)
        if isinstance(node, ast.ImportFrom) and (divided := _divided(node)):
            _read(divided, found)
            continue
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions."):
            node.module = library.PACKAGE
            piece = f"{ast.unparse(node)}\n"
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                node.names = [alias]
                found.imports[ast.unparse(node)] = None
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.definitions[node.name] = piece
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found.definitions[node.targets[0].id] = piece


def _divided(node: ast.ImportFrom) -> str:
    """The file of the same lesson from which a statement imports; "" where it is a lesson's own."""
    package, _, stem = (node.module or "").partition(".")
    return stem if package == "solutions" and stem not in registry.lessons() else ""


def _entry(one: Exercise) -> dict[str, object]:
    points = float(one.points)
    return {"points": points, "of": points, "passed": True, "day": DAY, "last": DAY, "tries": 2}


def remember(folder: Path, **changed: dict[str, object]) -> None:
    """The record of somebody who has passed everything, one exercise changed where that is said."""
    entries = {one.name: _entry(one) | changed.get(one.name, {}) for one in registry.all_exercises()}
    (folder / progress_file.FILE).write_text(json.dumps(entries), encoding="utf-8")
