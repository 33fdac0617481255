"""Makes what the students of a class install: notebooks and checks without the reference, with stored answers."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from string import Template

from nbformat import NotebookNode

from autograder import homes, registry
from autograder.classroom.course import texts
from autograder.classroom.course.choosing import of_course, text_of
from autograder.classroom.course.class_grade import is_course
from autograder.classroom.course.init import ALL, of_class
from autograder.classroom.course.ready import refuse_unready
from autograder.classroom.course.source_file import path_of
from autograder.classroom.edition.requirements import with_ranges
from autograder.classroom.edition.solutions import add_released, deadlines
from autograder.classroom.grading.plan import released
from autograder.install import CPU_INDEX
from autograder.judging import answer_keys, answers
from autograder.learner.choices import FILE, Choices
from autograder.notebooks import files, lessons
from autograder.notebooks.problem import Problem, named_by_a_person
from autograder.sandbox import stage
from autograder.sandbox.excerpt import partners

ROOT = registry.COURSE.parent
PROJECT = ("pyproject.toml", "LICENSE")
LISTING = ".package.json"
"""In a package: what was written, by which an earlier one is known again."""


def package(given: Sequence[str], out: str) -> int:
    """Write a folder with a wheel and the notebooks of these lessons.

    Args:
        given: names of lessons; each week all so far, as a wheel replaces the one before.
        out: the folder; it must not exist yet, be empty, or hold nothing but an earlier package as it was written.

    Raises:
        Problem: when something else is there, a lesson cannot be built, or this is no checkout of the course.
    """
    place = Path(out)
    with named_by_a_person(place):
        _earlier(place)  # refused before the minutes of work, not after
    course = Path() if is_course(Path()) else None
    chosen = of_course(Path()) if course else Choices()
    missing = [name for name in PROJECT if not (ROOT / name).is_file()]
    if missing:
        raise Problem(f"A package is made in a checkout of the course; here is no {' and no '.join(missing)}.")
    stems = sorted({lessons.stem_of(one) for one in given})
    left_out = [stem for stem in stems if not chosen.has(stem)]
    if left_out:
        raise Problem(f"{', '.join(left_out)}: this class leaves it out (choices.toml).")
    for stem in stems:
        refuse_unready(lessons.lesson_of(stem), homes.own() or Path(homes.FOLDER), "No package was made.")
    chosen = replace(chosen, deadlines=deadlines(course, stems))
    with tempfile.TemporaryDirectory(prefix="autograder-package-", ignore_cleanup_errors=True) as name:
        made = Path(name) / "made"
        _make(made, Path(name) / "tree", stems, course, chosen)
        _replace(place, made)
    _say(place, stems, chosen)
    return 0


def notebook(stem: str, course: Path | None = None) -> NotebookNode:
    """A lesson's notebook as a class gets it: what nbgrader releases, with neither solutions nor model answers.

    Args:
        stem: its name.
        course: the course whose source is taken, with whatever was changed there.
    """
    source = path_of(course, stem) if course else None
    return released(files.read(source) if source and source.is_file() else of_class(stem, Choices()))


def _make(made: Path, tree: Path, stems: Sequence[str], course: Path | None, chosen: Choices) -> None:
    """All files of the package, in a folder of their own."""
    made.mkdir()
    blanks = {stem: notebook(stem, course) for stem in stems}
    _fill(tree, stems)
    for stem, blank in blanks.items():
        files.write(tree / "course" / f"{stem}.ipynb", blank)  # for `reset`
        files.write(made / f"{stem}.ipynb", blank)
    (tree / "autograder" / FILE).write_text(text_of(chosen), encoding="utf-8", newline="\n")
    add_released(course, stems, tree / "autograder")
    _mark_version(tree)
    wheel = _build_wheel(tree, made)
    words = {"index": CPU_INDEX, "wheel": wheel.name, "newest": stems[-1], "lessons": ", ".join(stems)}
    text = Template(texts.PACKAGE).substitute(words)
    (made / "README.md").write_text(text, encoding="utf-8", newline="\n")


def _say(place: Path, stems: Sequence[str], chosen: Choices = ALL) -> None:
    """What was made, what of it to hand out, and what it lacks."""
    wheel = next(place.glob("*.whl"))
    size = sum(path.stat().st_size for path in _visible(place)) / 1e6
    print(f"{place} holds {wheel.name} and {', '.join(stems)}: {size:.1f} MB, without the reference and model answers.")
    print(f"Hand out {wheel.name}, README.md and {stems[-1]}.ipynb, which is the one that nbgrader puts into release/.")
    if stems[:-1]:
        print("The earlier notebooks are for whoever has none: copied over a student's own, they replace the work.")
    before = [stem for stem in lessons.notebook_stems() if chosen.has(stem)]
    left_out = [one for one in before[: before.index(stems[-1])] if one not in stems]
    if left_out:
        numbers = " ".join(sorted(one[:2] for one in (*stems, *left_out)))
        print(f"It has no answers to {', '.join(left_out)}: whoever installs it loses these checks.")
        print(f"For all lessons so far: autograder classroom package {numbers}")


# The folder ----------------------------------------------------------------------------


def _earlier(place: Path) -> list[Path]:
    """The files of the package that is there already, each as it was written.

    Raises:
        Problem: when something else is there, or someone wrote in one of them.
    """
    if not (place / LISTING).is_file():
        files.refuse_if_taken(place)
        return []
    written = _listed(place / LISTING)
    there = _visible(place)
    others = [one.name for one in there if one.is_symlink() or not one.is_file() or written.get(one.name) != _sum(one)]
    if others:
        raise Problem(
            f"{place} holds an earlier package, and what is not as it was written: {', '.join(others)}. "
            "Nothing was changed. Move that away, or choose another folder with --out."
        )
    return there


def _replace(place: Path, made: Path) -> None:
    """Put the new package where the earlier one is."""
    sums = {path.name: _sum(path) for path in _visible(made)}
    with named_by_a_person(place):
        for path in _earlier(place):
            path.unlink()
        place.mkdir(parents=True, exist_ok=True)
        for path in made.iterdir():
            shutil.copyfile(path, place / path.name)
        (place / LISTING).write_text(json.dumps(sums, indent=1), encoding="utf-8", newline="\n")


def _listed(listing: Path) -> dict[str, str]:
    """Name → sum of what was written; nothing when the list is damaged."""
    try:
        found = json.loads(listing.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _visible(folder: Path) -> list[Path]:
    return sorted(one for one in folder.iterdir() if not one.name.startswith("."))


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# The wheel ----------------------------------------------------------------------------


def _fill(tree: Path, stems: Sequence[str]) -> None:
    """The software as far as these lessons need it: what the sandbox of the last one may see, and the answers."""
    chosen = [lessons.lesson_of(stem) for stem in stems]
    # A sandbox lends these to their probes in turn.
    stage.fill(tree, chosen[-1], {name for one in registry.exercises(chosen[-1]) for name in partners(one)})
    own = tree / "autograder"
    for file in stage.PACKAGE.glob("*.py"):  # the command, and what installs
        shutil.copyfile(file, own / file.name)
    for name in ("notebooks", "showing"):
        shutil.copytree(stage.PACKAGE / name, own / name, ignore=shutil.ignore_patterns("__pycache__"))
    for lesson in chosen:
        _add_answers(lesson, own / "answers")
    for name in PROJECT:
        shutil.copyfile(ROOT / name, tree / name)
    project = tree / PROJECT[0]
    project.write_text(with_ranges(project.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


def _add_answers(lesson: str, folder: Path) -> None:
    """Those that this edition has, where nothing has changed since they were made."""
    kept = answers.place(lesson)
    if answers.made_of(kept) == answers.ingredients(lesson):
        folder.mkdir(exist_ok=True)
        shutil.copyfile(kept, folder / kept.name)
    else:
        print(f"{lesson}: writing down the answers", flush=True)
        answer_keys.make(lesson, folder / kept.name)


def _mark_version(tree: Path) -> None:
    """A version for this content: pip takes an equal one for installed already, and skips the wheel."""
    edition = f"student.{_content(tree)[:12]}"
    project = tree / "pyproject.toml"
    text = project.read_text(encoding="utf-8")
    marked = re.sub(r'(?m)^(version = "[^"+]+)"', rf'\g<1>+{edition}"', text, count=1)
    project.write_text(marked, encoding="utf-8", newline="\n")


def _content(tree: Path) -> str:
    """A sum of all files and their names."""
    lines = sorted(f"{path.relative_to(tree).as_posix()} {_sum(path)}" for path in tree.rglob("*") if path.is_file())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _build_wheel(tree: Path, place: Path) -> Path:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*command, "--wheel-dir", str(place), str(tree)], capture_output=True, text=True)
    if done.returncode:
        raise Problem(f"The wheel could not be built. pip says:\n{done.stderr.strip()[-2000:]}")
    return next(place.glob("*.whl"))
