"""What the students' package asks pip for: ranges, so that it replaces nothing of a hub's own.

Both ends of each were tried, as far as the package index had them, but for scikit-learn's: CONTRIBUTING.md says how.
"""

from __future__ import annotations

import re

NEEDED = {
    "torch": ">=2.4,<3",
    "numpy": ">=1.26,<3",
    "ipykernel": ">=6.29,<8",
    "ipython": ">=8.20,<10",
    "ipywidgets": ">=8.1,<9",
    "anywidget": ">=0.9,<1",
    "matplotlib": ">=3.8,<4",
    "jaxtyping": ">=0.2.25,<1",
    "nbformat": ">=5.9,<6",
    "packaging": ">=23.2",
    "platformdirs": ">=4,<5",
    "safetensors": ">=0.4.2,<1",
    "tqdm": ">=4.66,<5",
    "tokenizers": ">=0.19.1,<1",
    "sacrebleu": ">=2.4,<3",
    "num2words": ">=0.5.13,<0.6",
    "Babel": ">=2.14,<3",
    "traitlets": ">=5.14,<6",
    "scikit-learn": ">=1.5,<2",
}

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
