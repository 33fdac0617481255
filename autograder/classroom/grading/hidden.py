"""What a learner's probe may say of implementations that it has not seen: True or False, and nothing more."""

from __future__ import annotations

import builtins

from autograder.probing.lineup import TELLING, WRITES
from autograder.probing.outcome import STOPPED, Foreign, Raised
from autograder.probing.run import Place, Run

KINDS = frozenset(STOPPED) | {"OutOfMemory", "TooLarge"} | {one for one in dir(builtins) if one.endswith("Error")}
"""Exceptions that are told by name."""


NOWHERE = Place("", 0, "")
"""A line of the learner's that is not told."""


def only_truth(run: Run) -> Run:
    """A run of a learner's probe as far as it may leave the sandbox.

    What it raised is told by its class, and neither what it said nor where: both could hold the code of an
    implementation. So could what it printed, which is dropped as well.
    """
    seen = [name for name in run.forbidden if name in TELLING or name == WRITES]
    told = _truth(run.returned)
    return Run(told, forbidden=seen, place=NOWHERE if isinstance(told, Raised) else None)


def _truth(returned: object) -> object:
    if isinstance(returned, Raised):
        kinds = [kind for kind in returned.kinds if kind in KINDS]
        return Raised((*kinds[:1], "Exception") if kinds else ("Exception",))
    return returned if returned is None or type(returned) is bool else Foreign("value that is neither True nor False")
