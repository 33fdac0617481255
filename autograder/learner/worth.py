"""What an exercise is worth: what the notebook says in which it is checked, as an instructor may have changed it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeGuard

from autograder.learner.notebook import graded
from autograder.probing.exercise import Exercise

FOLDER = Path(os.path.abspath("."))
"""Where this process was started. A kernel is started in its notebook's folder; code may move on from there."""

MAX_BYTES = 50_000_000


def worth(exercise: Exercise) -> float:
    """The points of an exercise's check cell in the notebook that runs; the exercise's own where none can be found."""
    told = {points for path in notebooks(exercise) if (points := points_in(path, exercise)) is not None}
    return told.pop() if len(told) == 1 else float(exercise.points)


def notebooks(exercise: Exercise) -> Iterator[Path]:
    """The notebook that this kernel belongs to, or all in its folder that it may be."""
    own = Path(os.environ.get("JPY_SESSION_NAME", ""))  # JupyterLab says it; what grades says none, or another's
    if own.suffix == ".ipynb" and own.parent == FOLDER and own.is_file() and not graded():
        return iter([own])
    return FOLDER.glob("*.ipynb")


def points_in(path: Path, exercise: Exercise) -> float | None:
    """What the exercise's check cell is worth in a notebook; None when it has none that says so."""
    try:
        found = [_said_of(cell) for cell in cells_in(path, exercise)]
    except (TypeError, AttributeError):
        return None
    return next((points for name, points in found if name == f"check-{exercise.name}" and _is_a_number(points)), None)


def cells_in(path: Path, exercise: Exercise) -> list[dict[str, Any]]:
    """The cells of a notebook in which an exercise is checked; none of another, or of one that cannot be read."""
    try:
        raw = path.read_bytes() if path.stat().st_size < MAX_BYTES else b""
        found = json.loads(raw)["cells"] if f'"check-{exercise.name}"'.encode() in raw else []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def _said_of(cell: dict[str, Any]) -> tuple[object, object]:
    """A cell's name and points. A bonus has none for nbgrader, and says beside that what it earns."""
    metadata = cell.get("metadata", {})
    place, said = metadata.get("nbgrader", {}), metadata.get("course", {})
    return place.get("grade_id"), place.get("points") or said.get("bonus", place.get("points"))


def _is_a_number(points: object) -> TypeGuard[float]:
    return isinstance(points, int | float) and not isinstance(points, bool) and 0 <= points < math.inf
