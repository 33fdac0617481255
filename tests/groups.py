"""Which tests run in one process: a file, whose kernels and courses are opened once, or what tries one exercise.

pytest-xdist's own groups are marked in a way that pytest 9.2 no longer reads: each test would be its own group.
"""

from __future__ import annotations

import re

from xdist.scheduler import LoadScopeScheduling

BY_EXERCISE = "tests/test_checks.py"
"""The exercise's name is the first word of what such a test is parametrized with; its tables are made once."""


class Groups(LoadScopeScheduling):
    """Hands out groups in the order in which their first tests stand."""

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """The group of a test, by its name."""
    file, _, rest = nodeid.partition("::")
    exercise = re.search(r"\[(\w+)", rest)
    return f"{file} {exercise[1]}" if file == BY_EXERCISE and exercise else file
