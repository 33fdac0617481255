"""Trains the article of lesson 21 with one fault left in it, for each of the twelve; the lesson's table is from here.

python -m tests.article_runs                       # each fault alone, one random start
python -m tests.article_runs none all --seeds 3    # all mended, and as handed out
"""

from __future__ import annotations

import argparse
import re
import time
from typing import Any

from tests.test_article import PAGE, REPAIRS, mended

CELL = re.compile(r"```\{code-cell\} ipython3\n(:tags: \[(\w+)\]\n)?(.*?)```", re.S)


def page_with(article: str) -> dict[str, Any]:
    """What the cells of the article's part define, with this text in the place of the article."""
    part = PAGE.read_text(encoding="utf-8").partition("\n## The article\n")[2]
    values: dict[str, Any] = {"__name__": "article_runs"}
    for _, tag, text in CELL.findall(part):
        if tag in ("", "wild"):
            exec(article if tag else text, values)
    return values


def run(left: list[str], steps: int, seed: int) -> str:
    """What becomes of it with these faults left: losses, and what is written right."""
    page = page_with(mended({name: 0 for name in REPAIRS if name not in left}))
    page["train"] = lambda step, steps, label: [float(step(number)) for number in range(steps)]
    start = time.process_time()
    model, losses = page["taught"](steps, seed)
    written, wanted = page["write"](model, page["held_out"]), page["backwards"](page["held_out"])[:, 1:]
    right = ((written == wanted) | (wanted == 0)).all(1).float().mean().item()
    said = " ".join(f"{losses[at]:.3f}" for at in (0, steps // 2, -1))
    return f"loss {said}, {right:6.1%} of words right, {time.process_time() - start:.0f} s"


def main() -> None:
    """Print a line for each run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("left", nargs="*", default=list(REPAIRS), help="a fault, none or all")
    parser.add_argument("--steps", type=int, default=700)
    parser.add_argument("--seeds", type=int, default=1)
    given = parser.parse_args()
    for name in given.left:
        names = {"none": [], "all": list(REPAIRS)}.get(name, [name])
        for seed in range(given.seeds):
            print(f"{name:20} start {seed}: {run(names, given.steps, seed)}", flush=True)


if __name__ == "__main__":
    main()
