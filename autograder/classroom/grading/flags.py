"""What an instructor may want to look at in a submission, told of one cell and of several."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """What stands before and after the name of what it is about, and around several names."""

    one: tuple[str, str]
    many: tuple[str, str]

    def of(self, name: str) -> str:
        """What is said of one cell."""
        before, after = self.one
        return before + name + after

    def about(self, told: str) -> str:
        """Which cell it is that this was said of; "" for what is of another kind."""
        before, after = self.one
        fits = told.startswith(before) and told.endswith(after)
        name = told.removeprefix(before).removesuffix(after)
        return name if fits and len(name.split()) == 1 else ""


GONE = Kind(("the cell ", " is gone"), ("the cells ", " are gone"))
CHECK_GONE = Kind(("the cell ", " is gone; checked at the end"), ("the cells ", " are gone; checked at the end"))
EARLY = Kind(
    ("the cell ", " stood before what it checks; checked at the end"),
    ("the cells ", " stood before what they check; checked at the end"),
)
TWICE = Kind(("", " occurs more than once; all of it was run"), ("", " occur more than once; all of them were run"))
CHECK_TWICE = Kind(("", " occurs twice; the first one counts"), ("", " occur twice; the first of each counts"))
EDITED = Kind(
    ("the check cell ", " was edited; what it holds was run before the check"),
    ("the check cells ", " were edited; what they hold was run before the checks"),
)
ELSEWHERE = Kind(
    ("", " is empty, but a cell of their own follows it"), ("", " are empty, but cells of their own follow them")
)
KINDS = (GONE, CHECK_GONE, EARLY, TWICE, CHECK_TWICE, EDITED, ELSEWHERE)
"""Those that come once for every cell."""
