"""Finds the cells of a learner's notebook that belong in another one, after a lesson was divided or renumbered."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from nbformat import NotebookNode

from autograder.notebooks import cell_names, cells, files, lessons
from autograder.notebooks.problem import Problem
from autograder.notebooks.transplant import KEPT, Work, anchors, answer_names, work_in

Before = Mapping[str, list[str]]
"""Id of a cell → the ids that stood before it, nearest first."""


class Homes:
    """Where the cells of the new version stand.

    Args:
        fresh: stem → the new version of that notebook, blank.
    """

    def __init__(self, fresh: Mapping[str, NotebookNode]) -> None:
        self._places: dict[str, set[str]] = {stem: set(anchors(notebook)) for stem, notebook in fresh.items()}
        self._answers = {name for notebook in fresh.values() for name in answer_names(notebook)}

    def of(self, name: str, own: str) -> str:
        """The stem of the notebook with this cell: its own where it has it, else the only one that does, else ""."""
        if name in self._places[own]:
            return own
        found = [stem for stem, places in self._places.items() if name in places]
        return found[0] if len(found) == 1 else ""

    def behind(self, before: Sequence[str], own: str) -> str:
        """The stem of the notebook that has the nearest of these cells; its own where none has."""
        return next((home for one in before if (home := self.of(one, own))), own)

    def is_answer(self, name: str) -> bool:
        """Whether a cell of that name is an exercise, a repair or an answer."""
        return name in self._answers


def leaving(notebook: NotebookNode, own: str, homes: Homes) -> dict[str, Work]:
    """What a learner wrote in a notebook that belongs in others: stem → work. It stays in the notebook as well.

    Args:
        notebook: the learner's.
        own: the stem of its lesson's new version.
        homes: where the cells of the new version stand.
    """
    work, found = work_in(notebook), defaultdict[str, Work](Work)
    for name, cell in work.answers.items():
        found[homes.of(name, own) or own].answers[name] = cell
    for name, cell in work.edited.items():
        found[homes.of(name, own) or own].edited[name] = cell
    kept, stood = _behind_heading(notebook), _stood_before(own)
    for before, cell in work.added:
        name = _kept_name(cell, homes) if cell.id in kept else ""
        home = homes.of(name, own) if name else ""
        if home and home != own:
            part = found[home].answers if homes.is_answer(name) else found[home].edited
            part[name] = cell
        elif cell.id not in kept:
            before = [*stood.get(cell.id, ()), *before]
            found[homes.behind(before, own)].added.append((before, cell))
    return {stem: part for stem, part in found.items() if stem != own}


def without(notebook: NotebookNode, parts: Mapping[str, Work]) -> NotebookNode:
    """A copy of a notebook without these cells; the heading above what was kept goes when nothing is left below it."""
    gone = {cell.id for part in parts.values() for cell in part.cells()}
    rest = NotebookNode({**notebook, "cells": [cell for cell in notebook.cells if cell.id not in gone]})
    if rest.cells and rest.cells[-1].id == KEPT:
        rest.cells.pop()
    return rest


def _behind_heading(notebook: NotebookNode) -> set[str]:
    """The ids of the cells for which an earlier update found no place."""
    ids = [cell.get("id") for cell in notebook.cells]
    return set(ids[ids.index(KEPT) + 1 :]) if KEPT in ids else set()


def _kept_name(cell: NotebookNode, homes: Homes) -> str:
    """What a cell was called before it was put under the heading: its id tells, or what it defines."""
    name = str(cell.id).removeprefix("own-") if str(cell.id).startswith(f"own-{cells.OURS}") else str(cell.id)
    defined = cell_names.bound(cell.source) if cell.cell_type == "code" else set()
    answers = [one for one in sorted(defined) if homes.is_answer(one)]
    return name if homes.is_answer(name) or not answers else answers[0]


def _stood_before(own: str) -> Before:
    """What stood before each cell when its lesson's notebook had another number; the newest backup tells.

    An update by the version before may have put a learner's cells to where the lesson's other half is.
    """
    lesson = lessons.lesson_of(own)
    for notebook in _backups_under_another_number(lesson, own):
        return {cell.id: before for before, cell in work_in(notebook).added}
    return {}


def _backups_under_another_number(lesson: str, own: str) -> Iterator[NotebookNode]:
    folder = lessons.folder() / "backups"
    found = [path for path in folder.glob(f"[0-9][0-9]_{lesson}-*.ipynb") if not path.stem.startswith(f"{own}-")]
    for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True):
        try:
            yield files.read(path)
        except Problem:
            continue
