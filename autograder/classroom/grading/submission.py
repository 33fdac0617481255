"""Reads what was handed in. Of a submission only the texts of its cells are used, and their order."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.classroom.grading import flags
from autograder.classroom.grading.plan import Plan

MAX_BYTES = 50_000_000
MAX_VALUES = 2_000_000
"""Of JSON, at most. A value may take fifty times its text in memory: {} for each two letters."""

MAX_CELLS = 2000
MAX_CELL = 200_000
"""Characters of one cell."""

OTHER_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
"""What may lie where a file should."""


class Malformed(ValueError):
    """What was handed in is no notebook; the message says why, for its author."""


@dataclass(frozen=True)
class Step:
    """One thing to do with a submission: run a cell's text, or decide on what a check cell asks for.

    Attributes:
        kind: "run" or "check".
        name: grade_id of a solution or check cell; "" for a cell of the student's own.
        text: what to run.
        number: the cell's number in the notebook, from 1; 0 for what is not in it.
    """

    kind: str
    name: str = ""
    text: str = ""
    number: int = 0


@dataclass
class ParsedSubmission:
    """A submission, ready to be run.

    Attributes:
        steps: what to do, in order; every check and test of the plan occurs once.
        texts: grade_id → the text of that solution cell.
        flags: what an instructor may want to look at.
    """

    steps: list[Step] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)

    def untouched(self, plan: Plan, name: str) -> bool:
        """Whether a solution cell is still as it was handed out, or empty, or gone."""
        return self.texts.get(name, "").strip() in ("", plan.blanks.get(name, "").strip())


def read(path: Path) -> bytes:
    """The bytes of a submission.

    Raises:
        Malformed: when it is a link, no plain file, or too large, or cannot be read.
    """
    try:
        _refuse_unless_plain(os.lstat(path))
        # Not followed: a link could show the grader's own files in the feedback. It may be a link, or a pipe, by now.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        try:
            _refuse_unless_plain(os.fstat(handle))
            return _all_of(handle)
        finally:
            os.close(handle)
    except FileNotFoundError:
        raise Malformed(f"there is no {path.name}") from None
    except OSError as error:
        raise Malformed(f"the file cannot be read: {error.strerror}") from None


def _refuse_unless_plain(found: os.stat_result) -> None:
    """Raise Malformed for what is not to be opened, or, if it was, not to be read."""
    for is_one, name in OTHER_KINDS:
        if is_one(found.st_mode):
            raise Malformed(f"it is no plain file but {name}")
    if found.st_size > MAX_BYTES:
        raise _too_large(found.st_size)


def _all_of(handle: int) -> bytes:
    """What an open file holds. Some have more than they say."""
    pieces, left = [], MAX_BYTES + 1
    while left and (piece := os.read(handle, min(left, 2**20))):
        pieces.append(piece)
        left -= len(piece)
    if not left:
        raise _too_large(MAX_BYTES + 1)
    return b"".join(pieces)


def _too_large(size: int) -> Malformed:
    return Malformed(f"the file has {size / 1e6:.0f} MB; {MAX_BYTES / 1e6:.0f} MB are allowed")


def digest(raw: bytes) -> str:
    """A name for the content."""
    return hashlib.sha256(raw).hexdigest()


def parse(raw: bytes, plan: Plan) -> ParsedSubmission:
    """What there is to do with a submission.

    Raises:
        Malformed: when it is no notebook.
    """
    handed = ParsedSubmission()
    times: Counter[str] = Counter()
    cells = list(_code_cells(raw))
    graded = plan.graded
    for number, (name, text) in enumerate(cells, start=1):
        times[name] += 1
        if times[name] == 1 or not (name in graded or name in plan.fixed):
            handed.steps += _steps_of(name, text, number, plan, handed)
    handed.flags += [flags.TWICE.of(name) for name in plan.blanks if times[name] > 1]
    handed.flags += [flags.CHECK_TWICE.of(name) for name in graded if times[name] > 1]
    _add_fixed(handed, plan)
    _add_missing(handed, plan)
    return handed


def _steps_of(name: str, text: str, number: int, plan: Plan, handed: ParsedSubmission) -> list[Step]:
    asked = plan.checks.get(name) or plan.tests.get(name)
    if asked is not None:
        check = Step("check", name, "", number)
        if text.strip() in ("", asked.source.strip()):
            return [check]
        handed.flags.append(flags.EDITED.of(name))  # a helper, or the answer itself: some editors keep nobody from it
        return [Step("run", "", text, number), check]
    if name in plan.blanks:
        if handed.untouched(plan, name):  # JupyterLab gives both halves of a cell that is split one name
            handed.texts[name] = text
        return [Step("run", name, text, number)]
    if name in plan.fixed:
        return [Step("run", name, plan.fixed[name], number)]
    if name in plan.locked or not text.strip() or text.strip() in plan.ignored:
        return []
    return [Step("run", "", text, number)]


def _add_fixed(handed: ParsedSubmission, plan: Plan) -> None:
    """Put read-only code that is gone back in front of what follows it in the plan."""
    for name in reversed([one for one in plan.order if one in plan.fixed]):
        there = [step.name for step in handed.steps]
        if name not in there:
            behind = plan.order[plan.order.index(name) + 1 :]
            at = min((there.index(one) for one in behind if one in there), default=len(there))
            handed.steps.insert(at, Step("run", name, plan.fixed[name]))


def _add_missing(handed: ParsedSubmission, plan: Plan) -> None:
    """Move every check behind the cells it is about, and add the checks that are gone."""
    for name, check in plan.graded.items():
        names = [step.name for step in handed.steps]
        places = {one: names.index(one) for one in (name, *check.about) if one in names}  # the first of several
        if name not in places:
            handed.flags.append(flags.CHECK_GONE.of(name))
        elif places[name] < max(places.values()):
            handed.flags.append(flags.EARLY.of(name))
            del handed.steps[places[name]]
        else:
            continue
        handed.steps.append(Step("check", name))
    handed.flags += [flags.GONE.of(name) for name in plan.blanks if name not in handed.texts]


# The file ----------------------------------------------------------------------------


def _code_cells(raw: bytes) -> Iterator[tuple[str, str]]:
    """Name and text of the code cells; the name is nbgrader's, else the cell's id."""
    cells = _cells(raw)
    if len(cells) > MAX_CELLS:
        raise Malformed(f"it has {len(cells)} cells; {MAX_CELLS} are allowed")
    for cell in cells:
        # A cell of ours that was made Markdown is none any more, and runs as little as it would in JupyterLab.
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            text = _text(cell.get("source", cell.get("input", "")))
            if len(text) > MAX_CELL:
                raise Malformed(f"a cell has {len(text)} characters; {MAX_CELL} are allowed")
            yield _name(cell), text


def texts(raw: bytes) -> list[tuple[str, str, str]]:
    """Kind, name and text of every cell, for what is to be shown again.

    Raises:
        Malformed: when it is no notebook.
    """
    cells = [cell for cell in _cells(raw)[:MAX_CELLS] if isinstance(cell, dict)]
    return [
        (str(cell.get("cell_type")), _name(cell), _text(cell.get("source", cell.get("input", "")))) for cell in cells
    ]


def _cells(raw: bytes) -> list[Any]:
    if not raw.strip():
        raise Malformed("the file is empty")
    if raw.startswith(b"%PDF"):
        raise Malformed("it is a PDF, and no notebook")
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MAX_VALUES:
        raise Malformed(f"it has more than {MAX_VALUES:,} commas and brackets; clear its outputs")
    try:
        notebook = json.loads(raw)  # as UTF-8, 16 or 32
    except (ValueError, RecursionError) as error:
        raise Malformed(f"it is no JSON: {str(error)[:120]}") from None
    if not isinstance(notebook, dict):
        raise Malformed("it is no notebook")
    sheets = notebook.get("worksheets")  # before 2015, cells lay in worksheets
    if "cells" not in notebook and isinstance(sheets, list):
        found = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _list(sheet.get("cells"))]
    else:
        found = _list(notebook.get("cells"))
    if not found:
        raise Malformed("it has no cells")
    return found


def _list(given: object) -> list[Any]:
    return given if isinstance(given, list) else []


def _text(given: object) -> str:
    """A cell's text: one string, or a list of lines. Unpaired surrogates, which JSON allows, are replaced."""
    lines = given if isinstance(given, list) else [given]
    text = "".join(line for line in lines if isinstance(line, str))
    return text.encode("utf-8", "replace").decode("utf-8")


def _name(cell: dict[str, Any]) -> str:
    metadata = cell.get("metadata")
    for place, key in (("nbgrader", "grade_id"), ("course", "name")):
        known = metadata.get(place) if isinstance(metadata, dict) else None
        if isinstance(known, dict) and isinstance(known.get(key), str):
            return str(known[key])
    found = cell.get("id")
    return found if isinstance(found, str) else ""
