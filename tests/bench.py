"""`make bench`: how long things take, beside what they are compared with. Prints; asserts nothing.

python -m tests.bench
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from tests.bench_checks import table
from tests.bench_modules import modules
from tests.bench_notebooks import notebooks
from tests.bench_translation import translations


def milliseconds(run: Callable[[], Any], times: int = 5) -> float:
    """The median time of a call, after one that does not count."""
    run()
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        taken.append(1000 * (time.perf_counter() - start))
    return statistics.median(taken)


def start_up() -> None:
    """What a notebook waits for before its first report."""
    for label, code in (
        ("python, import torch", "import torch"),
        ("  + autograder", "import torch; from autograder import check"),
        ("  + a first check", f"import torch; from autograder import check; {FIRST}"),
    ):
        print(f"{label:24s}{milliseconds(lambda code=code: _python(code), 3):8.0f} ms")


FIRST = "from autograder.stand_ins.layer_norm import normalize; check(normalize)"


def _python(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)


def main() -> None:
    """Print everything."""
    print(f"torch {torch.__version__}, {torch.get_num_threads()} threads\n")
    start_up()
    modules()
    translations()
    notebooks()
    table()


if __name__ == "__main__":
    main()
