"""What the students' package asks pip for: ranges, so that it replaces nothing of a hub's own."""

from __future__ import annotations

import re

from autograder.setup.ranges import NEEDED

LAB = {"jupyterlab": ">=4.1,<5"}
"""For a computer of one's own (`[lab]`). A hub has its JupyterLab, and the package leaves that alone."""

DEPENDENCIES = re.compile(r"^dependencies = \[.*?^\]", re.MULTILINE | re.DOTALL)
EXTRAS = re.compile(r"^\[project\.optional-dependencies\]\n.*?(?=^\[)", re.MULTILINE | re.DOTALL)


def with_ranges(project: str) -> str:
    """The text of pyproject.toml as the students' package has it.

    Args:
        project: our own, with exact versions.
    """
    with_needed = DEPENDENCIES.sub(f"dependencies = {_listed(NEEDED)}", project, count=1)
    return EXTRAS.sub(f"[project.optional-dependencies]\nlab = {_listed(LAB)}\n\n", with_needed, count=1)


def _listed(ranges: dict[str, str]) -> str:
    return "[" + ", ".join(f'"{name}{given}"' for name, given in ranges.items()) + "]"
