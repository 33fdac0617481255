"""Says that a check is still looking, where it takes longer than a second by the clock."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from autograder.learner.notebook import attended

SECONDS = 1.0
WORDS = "Still looking for what explains your numbers ..."


@contextlib.contextmanager
def says_when_it_takes_long() -> Iterator[None]:
    """In a notebook that someone works in, show a line after a second, and take it away at the end."""
    if not attended():
        yield
        return
    line = _Line()
    timer = threading.Timer(SECONDS, line.show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        line.take_away()


class _Line:
    """A line below the cell, shown at most once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: Any = None
        self._over = False

    def show(self) -> None:
        """Show it, unless all is over."""
        from IPython.display import display

        with self._lock:
            if not self._over:
                self._shown = display({"text/plain": WORDS}, raw=True, display_id=True)

    def take_away(self) -> None:
        """Leave nothing of it to be read."""
        with self._lock:
            self._over = True
            if self._shown is not None:
                self._shown.update({"text/plain": "", "text/html": ""}, raw=True)
