"""Takes what a learner wrote out of one version of a notebook and puts it into another."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field

from nbformat import NotebookNode

from autograder.learner.as_given import digest
from autograder.notebooks import cells

KEPT = "kept-from-before"
HEADING = "## Kept from your earlier notebook\n\nThe course no longer has a place for these cells."
NOT_THEIRS = ("nbgrader", "course", "deletable", "editable", "tags")


@dataclass
class Work:
    """What a learner wrote into a notebook.

    Attributes:
        answers: name → cell, for exercises, repairs and questions that are no longer blank.
        edited: id → cell, for given cells whose text was changed.
        added: cells of the learner's own, each with the ids before it, nearest first.
        strangers: a program dropped all ids, so that the course's cells look like the learner's.
    """

    answers: dict[str, NotebookNode] = field(default_factory=dict)
    edited: dict[str, NotebookNode] = field(default_factory=dict)
    added: list[tuple[list[str], NotebookNode]] = field(default_factory=list)
    strangers: bool = False

    def cells(self) -> list[NotebookNode]:
        """All of them."""
        return [*self.answers.values(), *self.edited.values(), *(cell for _, cell in self.added)]

    def __str__(self) -> str:
        counts = [(len(self.answers), "answer"), (len(self.edited) + len(self.added), "other cell")]
        return " and ".join(f"{n} {what}{'s' * (n != 1)}" for n, what in counts if n)


def work_in(notebook: NotebookNode) -> Work:
    """Everything in a notebook that is the learner's."""
    work, before = Work(strangers=not any(_has_our_id(cell) for cell in notebook.cells)), list[str]()
    names = _names(notebook)
    for index, cell in enumerate(notebook.cells):
        name = names.get(index, "")
        if name and not is_blank(cell):
            work.answers[name] = cell
        elif not name and _is_ours(cell):
            if not _is_locked(cell) and not _as_given(cell):
                work.edited[cell.id] = cell
        elif not name and cell.source.strip():
            work.added.append((before[::-1], cell))
        before.append(name or _anchor(cell))
    return work


def transplant(old: NotebookNode, fresh: NotebookNode) -> NotebookNode:
    """A fresh notebook with all that a learner wrote in an old one.

    Args:
        old: the learner's notebook.
        fresh: the new version, blank.

    Returns:
        A new notebook. What has no place in it stands at its end, under a heading.
    """
    new = copy.deepcopy(fresh)
    put_in(work_in(old), new)
    return new


def put_in(work: Work, new: NotebookNode) -> None:
    """Put what a learner wrote into a notebook; what has no place there, or finds it taken, stands at its end."""
    homeless = [*_put_answers(work, new), *_put_edits(work, new)]
    _put_added(work, new)
    _append(new, homeless)


def put_back(notebook: NotebookNode, fresh: NotebookNode, name: str) -> bool:
    """Replace one answer in a learner's notebook by its blank; add the blank if it is missing.

    Returns:
        Whether anything changed.
    """
    blank = copy.deepcopy(fresh.cells[index_of(fresh, name)])
    at = index_of(notebook, name)
    if at >= 0:
        changed = bool(notebook.cells[at].source != blank.source)
        notebook.cells[at] = blank
        return changed
    earlier = [cell.id for cell in fresh.cells[: index_of(fresh, name)]][::-1]
    notebook.cells.insert(_place_after(notebook, earlier), blank)
    return True


def index_of(notebook: NotebookNode, name: str) -> int:
    """Where the answer of that name stands; -1 where it is missing."""
    return next((index for index, found in _names(notebook).items() if found == name), -1)


def answer_names(notebook: NotebookNode) -> list[str]:
    """The names of all exercises, repairs and answers, in order."""
    return list(_names(notebook).values())


def is_blank(cell: NotebookNode) -> bool:
    """Whether an answer's cell still is as it was given."""
    from nbgrader.utils import compute_checksum

    given = cell.metadata.get("course", {}).get("blank")
    if given:
        return bool(given == digest(cell.source))
    return bool(cell.metadata.nbgrader.get("checksum") == compute_checksum(cell))


def _names(notebook: NotebookNode) -> dict[int, str]:
    """Index → name, for the cells that hold answers. A copy of one, pasted elsewhere, is none."""
    found: dict[str, int] = {}
    for index, cell in enumerate(notebook.cells):
        name = _name(cell)
        if name and (name not in found or cell.get("id") == name):
            found[name] = index
    return dict(sorted((index, name) for name, index in found.items()))


def _name(cell: NotebookNode) -> str:
    place = cell.metadata.get("nbgrader", {})
    if place.get("solution"):
        return str(place.get("grade_id", ""))
    is_wild = "blank" in cell.metadata.get("course", {})
    return str(cell.metadata["course"].get("name", cell.get("id", ""))) if is_wild else ""


def _is_ours(cell: NotebookNode) -> bool:
    return _is_locked(cell) or _has_our_id(cell)


def _has_our_id(cell: NotebookNode) -> bool:
    return str(cell.get("id", "")).startswith(cells.OURS)


def _anchor(cell: NotebookNode) -> str:
    """By what a cell without an answer is found again in another version."""
    return str(cell.metadata.nbgrader.grade_id if _is_locked(cell) else cell.get("id", ""))


def _is_locked(cell: NotebookNode) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("locked"))


def _as_given(cell: NotebookNode) -> bool:
    """Whether a cell without a name has the text that its id was made from."""
    return bool(cell.id.startswith(cells.text_id(cell)))


# Putting it into the new one ----------------------------------------------------------------------------


def _put_answers(work: Work, new: NotebookNode) -> Iterator[NotebookNode]:
    for name, cell in work.answers.items():
        at = index_of(new, name)
        if at >= 0 and is_blank(new.cells[at]):
            new.cells[at].source = cell.source
        elif at < 0 or new.cells[at].source != cell.source:
            yield cell


def _put_edits(work: Work, new: NotebookNode) -> Iterator[NotebookNode]:
    home = {cell.id: cell for cell in new.cells}
    for name, cell in work.edited.items():
        if name in home and _as_given(home[name]):
            home[name].source = cell.source
        elif name not in home or home[name].source != cell.source:
            yield cell


def _put_added(work: Work, new: NotebookNode) -> None:
    """Put the learner's own cells behind the cells that they stood behind."""
    given = {cell.source.strip() for cell in new.cells}
    for before, cell in work.added:
        if work.strangers and cell.source.strip() in given:
            continue
        own = _plain(cell, new)
        new.cells.insert(_place_after(new, before), own)
        # The next one may name this one as its predecessor, by the id it had.
        for later, _ in work.added:
            later[:] = [own.id if one == cell.get("id") else one for one in later]


def _place_after(notebook: NotebookNode, before: list[str]) -> int:
    """The index behind the nearest of these cells that the notebook has; 0 where it has none."""
    at = anchors(notebook)
    return next((at[one] + 1 for one in before if one in at), 0)


def anchors(notebook: NotebookNode) -> dict[str, int]:
    """By what each cell is found again in another version → where it stands."""
    names = _names(notebook)
    return {names.get(index, cell.id): index for index, cell in enumerate(notebook.cells)}


def _append(new: NotebookNode, homeless: list[NotebookNode]) -> None:
    if not homeless:
        return
    if not any(cell.id == KEPT for cell in new.cells):
        new.cells.append(cells.markdown(HEADING, KEPT))
    for cell in homeless:
        new.cells.append(_plain(cell, new))


def _plain(cell: NotebookNode, new: NotebookNode) -> NotebookNode:
    """A copy of a cell under an id of its own, without outputs and what nbgrader would read."""
    own = copy.deepcopy(cell)
    own.metadata = NotebookNode({k: v for k, v in cell.metadata.items() if k not in NOT_THEIRS})
    if own.cell_type == "code":
        own.outputs, own.execution_count = [], None
    own.id = _free_id(str(cell.get("id", "")), new)
    return own


def _free_id(wanted: str, new: NotebookNode) -> str:
    """An id that no other cell has, and that does not look like one of the course's."""
    taken = {cell.id for cell in new.cells}
    base = f"own-{wanted}"[:56] if not wanted or wanted.startswith(cells.OURS) else wanted
    tries = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 3))
    return next(one for one in tries if one not in taken)
