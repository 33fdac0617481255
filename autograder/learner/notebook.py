"""What the checks need to know about the notebook they run in."""

from __future__ import annotations

import os
import sys
from typing import Any

RECORDED = "COURSE_RECORDED"
"""Set where a notebook runs for its readers."""


def graded() -> bool:
    """Whether nbgrader runs this notebook: nothing is saved, earlier parts are stand-ins, draws are secret."""
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def recorded() -> bool:
    """Whether this run is kept for readers, as that of the web book: nobody sits at it."""
    return bool(os.environ.get(RECORDED))


def shell() -> Any | None:
    """The running IPython shell, or None outside of one."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def attended() -> bool:
    """Whether somebody may sit at this notebook: it has a kernel, and is neither graded nor recorded."""
    return not graded() and not recorded() and getattr(shell(), "kernel", None) is not None


def namespace() -> dict[str, Any]:
    """The names that the learner's cells define."""
    return vars(sys.modules["__main__"])


def cells() -> list[str]:
    """The text of all cells that ran in this session, oldest first."""
    return [text for text in namespace().get("In", []) if isinstance(text, str)]


def is_own(thing: object) -> bool:
    """Whether a function or class was defined in the notebook itself, and not imported."""
    name = getattr(thing, "__name__", None)
    return getattr(thing, "__module__", None) == "__main__" and isinstance(name, str) and namespace().get(name) is thing
