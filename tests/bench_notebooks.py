"""How long the solved notebooks take from top to bottom, beside what they may take, and how much memory.

python -m tests.bench_notebooks [LESSON...]
"""

from __future__ import annotations

import re
import sys
import tempfile
from pathlib import Path

from autograder.notebooks import lessons
from autograder.notebooks.build import build
from tests.notebook_run import run

SECONDS, TRAINING_SECONDS = 60, 120


def notebooks(stems: list[str] | None = None) -> None:
    """Print a line for each notebook."""
    print(f"\n{'solved notebook':32s}{'seconds':>10s}{'at most':>10s}{'MB':>10s}   (at most 1000)")
    for stem in stems or lessons.source_stems():
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "library").mkdir()
            ran = run(build(stem, "solved"), Path(folder))
        print(f"{stem:32s}{ran.seconds:10.0f}{seconds_allowed(stem):10d}{ran.megabytes:10.0f}", flush=True)


def seconds_allowed(stem: str) -> int:
    """Lessons that train a model have more time; they say so in their header, or how many seconds they need."""
    header = lessons.source_text(stem).split("---")[1]
    found = re.search(r"^training: (true|\d+)$", header, re.MULTILINE)
    if found is None:
        return SECONDS
    return TRAINING_SECONDS if found[1] == "true" else int(found[1])


if __name__ == "__main__":
    notebooks(sys.argv[1:])
