"""`autograder review`: three exercises blank again in a notebook of their own; no lesson's notebook is changed."""

from __future__ import annotations

import ast
import contextlib
import copy
import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from autograder import registry
from autograder.learner import choices, library, progress_file
from autograder.learner.choices import is_handed_out
from autograder.notebooks import cell_names, cells, files, lessons
from autograder.notebooks.problem import Problem
from autograder.notebooks.reset import blank
from autograder.notebooks.transplant import index_of
from autograder.probing.exercise import Exercise
from autograder.probing.source import needed, statement

COUNT = 3
NOTEBOOK = "review.ipynb"
FILE = "review.json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}

HEAD = """\
# Come back

{count} that you have passed, blank again: {why}. Write each once more without looking. The lessons' notebooks stay as
they are. What passes here takes the place of the earlier version in your library.

`hint("{first}")` helps as ever. The next `autograder review` chooses others.\
"""


def review() -> int:
    """Write the notebook, keep a copy of one that somebody has worked in, and say what is in it.

    Raises:
        Problem: when nothing has passed yet.
    """
    known, asked = progress_file.read(), _asked()
    picked = pick(known, asked)
    if not picked:
        raise Problem("Nothing has passed its check yet, so there is nothing to come back to.")
    path = Path(NOTEBOOK) if choices.is_package() else lessons.COURSE / NOTEBOOK
    backup = f" What stood there before: {files.shown(files.back_up(path))}" if _is_worked_in(path) else ""
    files.write(path, _notebook(picked))
    today = date.today().isoformat()
    library.write(library.home() / FILE, json.dumps({**asked, **dict.fromkeys(picked, today)}, indent=1) + "\n")
    for name, why in picked.items():
        print(f"{name} ({registry.notebook_stem(registry.exercise(name).lesson)}): {why}")
    print(f"They are blank in {files.shown(path)}.{backup}")
    return 0


def pick(known: dict[str, dict[str, Any]], asked: dict[str, str]) -> dict[str, str]:
    """Exercise → why it was chosen: those that took most checks and those that are longest ago, by turns.

    Args:
        known: what is remembered of every exercise.
        asked: exercise → day of the review that had it last.
    """
    chosen = choices.chosen()
    passed = [one for one in registry.all_exercises() if known.get(one.name, {}).get("passed")]
    names = [one.name for one in passed if is_handed_out(one, chosen)]
    tries = {name: progress_file.tries(known[name]) for name in names}
    seen = {name: max(progress_file.a_day(known[name].get("last")), asked.get(name, "")) for name in names}
    # What a review had before waits until the others have had their turn.
    hard = sorted((name for name in names if tries[name] > 1), key=lambda name: (asked.get(name, ""), -tries[name]))
    old = sorted(names, key=lambda name: seen[name])
    picked: dict[str, str] = {}
    for order, why in (2 * COUNT) * ((hard, _by_tries), (old, _by_day)):
        rest = [name for name in order if name not in picked]
        if rest and len(picked) < COUNT:
            picked[rest[0]] = why(rest[0], tries, seen)
    return picked


def _by_tries(name: str, tries: dict[str, int], seen: dict[str, str]) -> str:
    return f"it took {tries[name]} checks"


def _by_day(name: str, tries: dict[str, int], seen: dict[str, str]) -> str:
    return f"last passed on {progress_file.in_words(seen[name])}" if seen[name] else "passed before days were kept"


def _asked() -> dict[str, str]:
    """Exercise → day of the review that had it last; nothing of a damaged file."""
    try:
        found = json.loads((library.home() / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    pairs = found.items() if isinstance(found, dict) else ()
    return {name: day for name, given in pairs if (day := progress_file.a_day(given))}


def _is_worked_in(path: Path) -> bool:
    try:
        return path.exists() and files.is_touched(files.read(path))
    except Problem:
        return True


# The notebook ----------------------------------------------------------------------------


def _notebook(picked: dict[str, str]) -> NotebookNode:
    count = "One exercise" if len(picked) == 1 else f"{len(picked)} exercises"
    reasons = "; ".join(f"`{name}`, {why}" for name, why in picked.items())
    head = HEAD.format(count=count, why=reasons, first=next(iter(picked)))
    made = [cells.markdown(head)]
    blanks: dict[str, NotebookNode] = {}
    for name in picked:
        stem = registry.notebook_stem(registry.exercise(name).lesson)
        if stem not in blanks:
            blanks[stem] = blank(stem)
        made += _of_one(registry.exercise(name), blanks[stem], stem)
    cells.give_ids(made)
    return files.stamped(
        new_notebook(cells=made, metadata={"course": {}, "kernelspec": dict(KERNEL)}, nbformat_minor=5)
    )


def _of_one(exercise: Exercise, fresh: NotebookNode, stem: str) -> Iterator[NotebookNode]:
    at = index_of(fresh, exercise.name)
    check = next((i for i, one in enumerate(fresh.cells) if cells.grade_id(one) == f"check-{exercise.name}"), -1)
    if at < 0 or check < 0:
        raise Problem(f"{stem} has no cell for {exercise.name}.")
    yield cells.markdown(f"## `{exercise.name}`\n\nFrom [{stem}]({stem}.ipynb), where all is explained.")
    yield cells.code(_set_up(exercise, fresh.cells[:at], needed(fresh.cells[at].source)))
    if text := _text_above(fresh.cells[:at]):
        yield cells.markdown(text)
    yield copy.deepcopy(fresh.cells[at])
    yield copy.deepcopy(fresh.cells[check])
    for one in fresh.cells[check + 1 : check + 2]:
        if _is_help(one):
            yield cells.markdown(one.source, tags=["help"])


def _text_above(above: list[NotebookNode]) -> str:
    """What stands right above an exercise, below the last heading."""
    text = ""
    for cell in reversed(above):
        if cell.cell_type != "markdown" or _is_help(cell):
            break
        text = f"{cell.source}\n\n{text}".strip()
    return re.split(r"(?m)^#{2,} .*$", text)[-1].strip()


def _is_help(cell: NotebookNode) -> bool:
    return "help" in cell.metadata.get("tags", [])


def _set_up(exercise: Exercise, above: list[NotebookNode], names: set[str]) -> str:
    """What the exercise's cell may use: the lesson's imports, constants of these names, what the lesson gives, and its
    earlier parts from the library."""
    plain = [one for one in above if one.cell_type == "code" and not one.metadata.get("tags")]
    given = [one.source for one in above if "given" in one.metadata.get("tags", [])]
    imports = list(dict.fromkeys(line for one in plain for line in _imports(one.source)))
    every = registry.exercises(exercise.lesson)
    earlier = [one.name for one in every[: every.index(exercise)] if not one.repairs and one.name != exercise.reference]
    brought = [f"from my_transformer import {', '.join(earlier)}"] if earlier else []
    constants = [line for one in plain for line in _constants(one.source, names)]
    return "\n\n\n".join(["\n".join([*imports, *brought]), *filter(None, ["\n".join(constants)]), *given])


def _imports(source: str) -> Iterator[str]:
    for node in _statements(source):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield statement(source, node).rstrip()


def _constants(source: str, names: set[str]) -> Iterator[str]:
    """`PAD, BOS = 0, 1`, where one of them is wanted; what is computed is the lesson's."""
    for node in _statements(source):
        if isinstance(node, ast.Assign) and names & cell_names.bound(ast.unparse(node)):
            with contextlib.suppress(ValueError):
                ast.literal_eval(node.value)
                yield statement(source, node).rstrip()


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(cell_names.as_python(source)).body
    except SyntaxError:
        return []
