"""The learner's library: what `my_transformer` serves, and what becomes part of it."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import itertools
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import platformdirs

from autograder import homes, registry
from autograder.learner.choices import chosen, is_handed_out
from autograder.learner.clean import TrialFailure, try_out
from autograder.learner.collect import NotFound, Sources, collect
from autograder.learner.notebook import graded
from autograder.probing.exercise import Exercise
from autograder.probing.source import needed, statement

PACKAGE = "my_transformer"


@cache
def home() -> Path:
    """Where the learner's code is kept: $MY_TRANSFORMER_HOME, else beside the notebooks of a learner without a clone,
    else course/my_transformer if it can be written, else the user's data folder."""
    told = os.environ.get("MY_TRANSFORMER_HOME")
    beside, desk = registry.COURSE / PACKAGE, homes.desk()
    if told:
        folder = Path(told).expanduser()
    elif desk:
        folder = desk / PACKAGE
    elif beside.is_dir() and os.access(beside, os.W_OK):
        folder = beside
    else:
        folder = Path(platformdirs.user_data_dir("transformer-course")) / PACKAGE
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# Serving ----------------------------------------------------------------------------


def serve(name: str) -> Any:
    """What `from my_transformer import NAME` gives: the learner's own if it passed, else the stand-in, with a line.

    Raises:
        AttributeError: when no exercise has that name.
    """
    given = registry.given_part(name)
    if given is not None:
        return given
    try:
        exercise = registry.exercise(name)
    except registry.UnknownExercise as error:
        raise AttributeError(str(error)) from None
    asker = sys._getframe(1).f_back
    if asker is not None and asker.f_code.co_name == "_handle_fromlist":
        return None  # `from ... import x` first asks whether x is there, and then again for x: one line is enough
    passed = None if graded() else own(exercise)
    if passed is not None:
        return passed
    part = registry.stand_in(exercise)
    if part is None or exercise.starts_wrong:
        raise AttributeError(f"{name} is not a part of {PACKAGE}")
    if not graded():
        print(f"{PACKAGE}: {name} is a stand-in{_until(exercise)}.")
    return part


def _until(exercise: Exercise) -> str:
    """How long a stand-in takes a part's place; for good where the class leaves it out."""
    stem, choices = registry.notebook_stem(exercise.lesson), chosen()
    if is_handed_out(exercise, choices):
        return f" until yours passes its check in {stem}"
    return f": your class leaves out {exercise.name if choices and choices.has(stem) else stem}"


def own(exercise: Exercise) -> Any | None:
    """The learner's own part, if it has passed."""
    for module in map(_load, (exercise.lesson, *_homes_before(exercise))):
        if module is not None and exercise.name in _listed(getattr(module, "__all__", ())):
            return getattr(module, exercise.name, None)
    return None


def _homes_before(exercise: Exercise) -> list[str]:
    """The other lessons whose file holds a part: it passed when it belonged to one of them."""
    if exercise.name in read_module(home() / f"{exercise.lesson}.py")[1]:
        return []
    others = [one for one in registry.lessons() if one != exercise.lesson]
    return [one for one in others if exercise.name in read_module(home() / f"{one}.py")[1]]


def _listed(names: Any) -> list[str]:
    """The names in an `__all__`, which a learner may have written; none when it is no list of names."""
    return [one for one in names if isinstance(one, str)] if isinstance(names, list | tuple) else []


def _load(lesson: str) -> ModuleType | None:
    """The learner's module of a lesson as it stands on disk; None, with a line, when it cannot be used."""
    path = home() / f"{lesson}.py"
    if not path.is_file():
        return None
    name = f"{PACKAGE}.{lesson}"
    with contextlib.suppress(OSError, UnicodeDecodeError):
        text = path.read_text(encoding="utf-8")
        known = sys.modules.get(name)
        if known is not None and getattr(known, "_text", None) == text:
            return known
        return _execute(name, path, text)
    print(f"{PACKAGE}: {path.name} cannot be read. Stand-ins take its place.")
    return None


def _execute(name: str, path: Path, text: str) -> ModuleType | None:
    # Compiled here and not by the import system, whose cache can miss two saves within a second.
    module = ModuleType(name)
    module.__file__ = str(path)
    module._text = text  # type: ignore[attr-defined]
    before = sys.modules.get(name)
    sys.modules[name] = module
    try:
        exec(compile(text, str(path), "exec"), module.__dict__)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever one file does, the notebook goes on
        sys.modules.pop(name) if before is None else sys.modules.update({name: before})
        line = f"{type(error).__name__}: {error}"[:200]
        print(f"{PACKAGE}: {path.name} does not load ({line}). Stand-ins take its place; the file is untouched.")
        return None
    return module


# Saving ----------------------------------------------------------------------------


def save(exercise: Exercise, implementation: Any) -> str:
    """Make a passing part of the notebook part of the library, if it also passes in a clean process.

    Args:
        exercise: what it implements.
        implementation: the function or class, defined in the notebook.

    Returns:
        A line for the report: where it was saved, or why it was not.
    """
    path = home() / f"{exercise.lesson}.py"
    shown = f"{PACKAGE}/{path.name}"
    try:
        text, passed = merged(path, exercise, collect(implementation))
    except NotFound as error:
        return f"Not saved to `{shown}`: {error}."
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text:
        return f"Saved in `{shown}`."
    try:
        problem = try_out(exercise.lesson, text, passed)
        if problem:
            return f"Not saved to `{shown}`: {_reason(problem, exercise)}"
        backup = _keep_what_a_hand_wrote(path)
        write(path, text)
    except OSError as error:
        return f"Not saved to `{shown}`: {error.strerror or error}."
    return f"Saved to `{shown}`.{backup}"


def _reason(problem: TrialFailure, exercise: Exercise) -> str:
    if problem.name in ("", exercise.name):
        return f"alone, without the rest of this notebook, it does not run. {problem.message}"
    return (
        f"with it, `{problem.name}` from the same file would no longer pass. Run `check({problem.name})` again first."
    )


def merged(path: Path, exercise: Exercise, new: Sources) -> tuple[str, list[str]]:
    """The module's text with the new part in it, and the names of the exercises that it then holds.

    Args:
        path: the module as it stands; may be missing or broken.
        exercise: what the new part implements.
        new: the part and what it needs.
    """
    old, passed = read_module(path)
    passed = [*(name for name in passed if name != exercise.name and not _moved(name, path)), exercise.name]
    order = [one.name for one in registry.exercises(exercise.lesson)]
    passed.sort(key=lambda name: order.index(name) if name in order else len(order))
    definitions = {**old.definitions, **new.definitions}
    # What the notebook brings by import replaces a definition of that name, and the other way round.
    used = in_order(definitions, passed)
    wanted = {name for text in used.values() for name in needed(text)} - used.keys()
    imports = [one for one in {**old.imports, **new.imports} if _binds(one) in wanted]
    return _module_text(exercise.lesson, imports, passed, used), passed


def _moved(name: str, path: Path) -> bool:
    """Whether a part that a module holds belongs to another lesson now, and is kept there as well."""
    with contextlib.suppress(registry.UnknownExercise):
        lesson = registry.exercise(name).lesson
        return lesson != path.stem and name in read_module(path.with_name(f"{lesson}.py"))[1]
    return False


def _module_text(lesson: str, imports: Sequence[str], passed: Sequence[str], definitions: dict[str, str]) -> str:
    stem = registry.notebook_stem(lesson)
    head = f'"""Your own {lesson}, from {stem}: check() keeps here what passed."""\n'
    listing = ", ".join(f'"{name}"' for name in passed)
    blocks = [head, "\n".join([*sorted(imports), ""]), f"__all__ = [{listing}]\n"]
    text = "\n".join(block for block in blocks if block.strip())
    text += "".join(f"\n\n{definition}" for definition in definitions.values())
    return text + _seal(text)


def _seal(text: str) -> str:
    """A last line that shows later whether anyone but check() has written in the file."""
    return f"\n# written by check(): {hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}\n"


def read_module(path: Path) -> tuple[Sources, list[str]]:
    """Imports, definitions and passed names of a module; empty for one that is missing or broken."""
    sources, passed = Sources(), []
    try:
        text = path.read_text(encoding="utf-8")
        body = ast.parse(text).body
    except (OSError, SyntaxError, ValueError):
        return sources, []
    for node in body:
        piece = statement(text, node)
        if isinstance(node, ast.Import | ast.ImportFrom):
            sources.imports[piece.strip()] = None
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            sources.definitions[node.name] = piece
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == "__all__":
                # Where it is no plain list, nothing is known to have passed.
                with contextlib.suppress(ValueError, TypeError):
                    passed = _listed(ast.literal_eval(node.value))
            else:
                sources.definitions[name] = piece
    return sources, [name for name in passed if name in sources.definitions]


def in_order(definitions: dict[str, str], wanted: Sequence[str]) -> dict[str, str]:
    """The definitions that the wanted ones use, what is used before what uses it."""
    found: dict[str, str] = {}

    def add(name: str, busy: frozenset[str]) -> None:
        if name in found or name in busy or name not in definitions:
            return
        for used in sorted(needed(definitions[name])):
            add(used, busy | {name})
        found[name] = definitions[name]

    for name in wanted:
        add(name, frozenset())
    return found


def _binds(line: str) -> str:
    """The name that a single import statement brings."""
    alias = ast.parse(line).body[0].names[0]  # type: ignore[attr-defined]
    return str(alias.asname or alias.name.split(".")[0])


def _keep_what_a_hand_wrote(path: Path) -> str:
    """Keep a copy of a file in which someone else than check() has written; merging may drop what it does not know."""
    if not path.is_file():
        return ""
    text = path.read_text(encoding="utf-8", errors="replace")
    body, _, seal = text.rpartition("\n# written by")
    if seal and text == body + _seal(body):
        return ""
    aside = path.with_suffix(".earlier.txt")
    for number in itertools.count(2):
        if not aside.exists():
            break
        aside = path.with_suffix(f".earlier{number}.txt")
    os.replace(path, aside)
    return f" What stood there had been changed by hand, or could not be read; it is kept as `{aside.name}`."


def write(path: Path, text: str) -> None:
    """Replace the file in one step, so that no crash leaves half of it."""
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(name, path)
