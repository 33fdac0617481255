"""Makes what the students of a class install: notebooks and checks without the reference, with stored answers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from autograder import registry
from autograder.classroom import answer_keys, texts
from autograder.notebooks import files, lessons
from autograder.notebooks.build import build
from autograder.notebooks.problem import Problem
from autograder.sandbox import stage
from autograder.sandbox.excerpt import partners

ROOT = registry.COURSE.parent
PROJECT = ("pyproject.toml", "LICENSE")
ALONE = ("__main__.py", "answers.py", "cli.py", "install.py")
"""What students run besides what a sandbox needs."""


def package(given: Sequence[str], out: str) -> int:
    """Write a folder with a wheel and the notebooks of these lessons.

    Args:
        given: names of lessons.
        out: the folder; it must not exist yet, or be empty.

    Raises:
        Problem: when something is there already, a lesson cannot be built, or this is no checkout of the course.
    """
    place = Path(out)
    files.refuse_if_taken(place)
    missing = [name for name in PROJECT if not (ROOT / name).is_file()]
    if missing:
        raise Problem(f"A package is made in a checkout of the course; here is no {' and no '.join(missing)}.")
    stems = sorted({lessons.stem_of(one) for one in given})
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="autograder-package-", ignore_cleanup_errors=True) as name:
        tree = Path(name)
        _fill(tree, stems)
        wheel = _build_wheel(tree, place)
    for stem in stems:
        files.write(place / f"{stem}.ipynb", build(stem, "student"))
    words = texts.PACKAGE.replace("$wheel", wheel.name).replace("$first", stems[0])
    (place / "README.md").write_text(words, encoding="utf-8", newline="\n")
    size = sum(path.stat().st_size for path in place.iterdir()) / 1e6
    print(f"{place} holds {wheel.name} and {', '.join(stems)}: {size:.1f} MB, without the reference.")
    return 0


def _fill(tree: Path, stems: Sequence[str]) -> None:
    """The software as far as these lessons need it: what the sandbox of the last one may see, and the answers."""
    chosen = [lessons.lesson_of(stem) for stem in stems]
    # A sandbox lends these to their probes in turn.
    stage.fill(tree, chosen[-1], {name for one in registry.exercises(chosen[-1]) for name in partners(one)})
    own = tree / "autograder"
    for name in ALONE:
        shutil.copyfile(stage.PACKAGE / name, own / name)
    shutil.copytree(stage.PACKAGE / "notebooks", own / "notebooks", ignore=shutil.ignore_patterns("__pycache__"))
    for lesson in chosen:
        print(f"{lesson}: writing down the answers", flush=True)
        answer_keys.make(lesson, own / "checks" / f"{lesson}.safetensors")
    for name in PROJECT:
        shutil.copyfile(ROOT / name, tree / name)
    _mark_version(tree / "pyproject.toml")


def _mark_version(project: Path) -> None:
    """An edition of its own: whoever has both can tell them apart."""
    text = project.read_text(encoding="utf-8")
    project.write_text(re.sub(r'(?m)^(version = "[^"]+)"', r'\1+student"', text, count=1), encoding="utf-8")


def _build_wheel(tree: Path, place: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*command, "--wheel-dir", str(place), str(tree)], capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"The wheel could not be built. pip says:\n{done.stderr.strip()[-2000:]}")
    return next(place.glob("*.whl"))
