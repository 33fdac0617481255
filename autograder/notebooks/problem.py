"""What goes wrong for a reason that a person can act on."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Problem(Exception):
    """One sentence for the person at the terminal: what is wrong, and what would do."""


@contextmanager
def named_by_a_person(place: Path) -> Iterator[None]:
    """While this is active, what the system refuses with a file or folder that a person named is a Problem.

    An OSError about anything else is a fault of ours, and stays what it is.

    Args:
        place: the file, or the folder with all that is in it.
    """
    try:
        yield
    except OSError as error:
        if not isinstance(error.filename, str) or not _is_about(Path(error.filename), place):
            raise
        raise Problem(f"{error.filename}: {error.strerror}.") from None


def _is_about(found: Path, place: Path) -> bool:
    """A folder that is to be made may fail in one of its parents."""
    found, place = Path(os.path.abspath(found)), Path(os.path.abspath(place))
    return found.is_relative_to(place) or place.is_relative_to(found)
