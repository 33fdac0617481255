"""`autograder export`: the learner's library as a small package of its own, with tests, pictures and a README."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from autograder import registry
from autograder.learner import library, milestone_pictures, progress_file
from autograder.learner.milestones import Standings
from autograder.notebooks import files
from autograder.notebooks.problem import Problem
from autograder.probing.source import needed, statement
from autograder.showing.rewriting import Alone, alone

TAKEN_ALONG = Path(__file__).resolve().parent / "taken_along"
LICENSE = registry.COURSE.parent / "LICENSE"

SHAPES = '''\
"""Shapes in signatures are for readers: `Float[Tensor, "batch seq_len"]` is a Tensor, and the text says its shape."""


class _Shaped:
    def __class_getitem__(cls, item):
        return item[0]


def __getattr__(name):
    if name.startswith("_"):
        raise AttributeError(name)
    return _Shaped
'''

PROJECT = """\
[build-system]
requires = ["setuptools>=77"]
build-backend = "setuptools.build_meta"

[project]
name = "{distribution}"
version = "0.1.0"
description = "A Transformer in PyTorch, written by hand"
requires-python = ">=3.11"
dependencies = [{dependencies}]

[project.optional-dependencies]
test = ["pytest"]

[tool.setuptools]
packages = ["{package}"]

[tool.pytest.ini_options]
testpaths = ["tests"]
pythonpath = ["."]
"""

LICENCE = (
    "What I wrote is mine. Names, signatures, docstrings and what was given come from the course, under its BSD "
    "3-clause licence (LICENSE)."
)


def export(folder: str, author: str = "") -> int:
    """Write the package into a folder, and run its tests there.

    Args:
        folder: the folder; it must not exist yet, or be empty.
        author: who wrote the library.

    Raises:
        Problem: when the folder holds something, or nothing of the library can stand by itself yet.
    """
    place, standings = Path(folder), Standings()
    files.refuse_if_taken(place)
    made = alone(standings.parts)
    if not made.modules:
        why = "; ".join(f"{name}: {says}" for name, says in made.left_out.items()) or "nothing has passed its check"
        raise Problem(f"There is nothing to export yet ({why}).")
    _write(place, made, standings, author)
    count = sum(map(len, made.names.values()))
    print(f"{place}: {count} parts in {len(made.modules)} modules, a README, pictures and tests.")
    for name, why in made.left_out.items():
        print(f"Left out: {name}, as {why}.")
    return _tried(place)


def _write(place: Path, made: Alone, standings: Standings, author: str) -> None:
    package = place / library.PACKAGE
    for lesson, text in made.modules.items():
        files.write_text(package / f"{lesson}.py", text)
    files.write_text(package / "shapes.py", SHAPES)
    files.write_text(package / "__init__.py", _front(made, author))
    for lesson, text in _tests(made).items():
        files.write_text(place / "tests" / f"test_{lesson}.py", text)
    pictures = _pictures(place, standings)
    files.write_text(place / "README.md", _readme(made, author, pictures))
    dependencies = ", ".join(f'"{one}"' for one in ["torch", *sorted(made.packages)])
    distribution = library.PACKAGE.replace("_", "-")
    project = PROJECT.format(package=library.PACKAGE, distribution=distribution, dependencies=dependencies)
    files.write_text(place / "pyproject.toml", project)
    files.write_text(place / ".gitignore", "__pycache__/\n.pytest_cache/\n*.egg-info/\n")
    if LICENSE.is_file():
        files.write_text(place / "LICENSE", LICENSE.read_text(encoding="utf-8"))


def _front(made: Alone, author: str) -> str:
    lines = [f"from .{lesson} import {', '.join(sorted(names))}" for lesson, names in made.names.items()]
    listing = ", ".join(f'"{name}"' for names in made.names.values() for name in names)
    return (
        f'"""A Transformer in PyTorch, written by {author or "hand"}."""\n\n'
        + "\n".join(lines)
        + f"\n\n__all__ = [{listing}]\n"
    )


# Tests ----------------------------------------------------------------------------


def _tests(made: Alone) -> dict[str, str]:
    there = {name for names in made.names.values() for name in names}
    sources = {lesson: TAKEN_ALONG / f"test_{lesson}.py" for lesson in made.modules}
    found = {
        lesson: tests_of(path.read_text(encoding="utf-8"), there) for lesson, path in sources.items() if path.is_file()
    }
    return {lesson: text for lesson, text in found.items() if text}


def tests_of(text: str, there: Collection[str]) -> str:
    """Of a file of tests those whose parts are there, with what they need; "" when none is left."""
    body = ast.parse(text).body
    asked = {alias.name for node in body if _is_ours(node) for alias in node.names}  # type: ignore[attr-defined]
    tests = [node for node in body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    kept = [node for node in tests if needed(statement(text, node)) & asked <= set(there)]
    if not kept:
        return ""
    used = {name for node in kept for name in needed(statement(text, node))}
    # What is neither an import nor a test, such as a constant, goes with whatever needs it.
    others = [node for node in body if isinstance(node, ast.Assign) and _bound(node) & used]
    used |= {name for node in others for name in needed(statement(text, node))}
    imports = [line for node in body if (line := _import(node, used))]
    parts = [statement(text, body[0]), "\n".join([*imports, ""]), *(statement(text, node) for node in others)]
    return "\n".join(parts) + "".join(f"\n\n{statement(text, node)}" for node in kept)


def _is_ours(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == library.PACKAGE


def _bound(node: ast.Assign) -> set[str]:
    return {one.id for one in node.targets if isinstance(one, ast.Name)}


def _import(node: ast.stmt, used: set[str]) -> str:
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return ""
    kept = [one for one in node.names if (one.asname or one.name.split(".")[0]) in used]
    if not kept:
        return ""
    node.names = kept
    return ast.unparse(node)


# README ----------------------------------------------------------------------------


def _pictures(place: Path, standings: Standings) -> list[tuple[str, str]]:
    """Files and words of the pictures that were made by this code."""
    found = []
    if (png := milestone_pictures.attention()) is not None:
        found.append(("attention.png", "What its attention reads, position by position"))
        _write_picture(place, "attention.png", png)
    for one in standings.reached():
        if (png := milestone_pictures.picture(one.milestone)) is not None:
            since = f", since {progress_file.in_words(one.day)}" if one.day else ""
            found.append((one.milestone.file, f"It {one.milestone.name}{since}"))
            _write_picture(place, one.milestone.file, png)
    return found


def _write_picture(place: Path, name: str, png: bytes) -> None:
    (place / "pictures").mkdir(exist_ok=True)
    (place / "pictures" / name).write_bytes(png)


def _readme(made: Alone, author: str, pictures: list[tuple[str, str]]) -> str:
    rows = [f"| `{lesson}` | {', '.join(f'`{name}`' for name in names)} |" for lesson, names in made.names.items()]
    shown = [f"![{says}](pictures/{file})\n\n*{says}.*\n" for file, says in pictures]
    more = f" and {', '.join(sorted(made.packages))}" if made.packages else ""
    lines = sum(bool(line.strip()) for text in made.modules.values() for line in text.splitlines())
    return "\n".join(
        [
            f"# A Transformer, written by {author or 'hand'}\n",
            f"{lines:,} lines of PyTorch, part by part, each of which passed the checks of the course in which it was "
            "written. Masks are boolean and True means \"may look\"; batches come first.\n",
            *shown,
            "| module | parts |\n| --- | --- |",
            *rows,
            "",
            f"It needs torch{more}; the tests need pytest, and nothing else:\n",
            "```\npip install -e .[test]\npython -m pytest\n```\n",
            f"**Licence.** {LICENCE}",
            "",
        ]
    )  # fmt: skip


def _tried(place: Path) -> int:
    """Run the package's own tests, where the course is not on the path."""
    if importlib.util.find_spec("pytest") is None:
        print("Its tests did not run, as there is no pytest here: pip install pytest, then python -m pytest in it.")
        return 0
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MY_TRANSFORMER_HOME")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        command, cwd=place, env=variables | {"PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    last = re.sub(r"\x1b\[[0-9;]*m", "", (done.stdout.strip().splitlines() or ["pytest said nothing"])[-1])
    print(f"Its own tests: {last}.")
    if done.returncode:
        print(f"Run them in {place} to see why: python -m pytest")
    return 1 if done.returncode else 0
