"""Lesson 12's translator from several random starts: how many of 1,000 numbers it gets right, how long it takes.

The code that is measured is the lesson's own: the cells that define the translator and its training come from its page.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import time
from typing import Any

from autograder.notebooks import lessons

NEEDED = (
    "from my_transformer import",
    "class Translator",
    "def loss_of",
    "def translate(",
    "def cross_attention(",
)
SEEDS = (0, 1, 2)
STEPS = 600


def lesson_names() -> dict[str, Any]:
    """What the lesson's own cells define, with the reference in place of the learner's parts."""
    text = lessons.source_text("12_translation")
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", text, re.DOTALL)
    wanted = [cell for cell in cells if any(name in cell for name in NEEDED)]
    names: dict[str, Any] = {"__name__": "lesson"}
    for cell in ["from solutions.translation import *", *wanted]:
        exec(re.sub(r"from my_transformer import (.*)", _from_reference, cell), names)
    return names


def _from_reference(found: re.Match[str]) -> str:
    homes = {
        "decoding": ("greedy_decode",),
        "training": ("train_step",),
        "transformer": ("Transformer", "TransformerConfig", "make_masks"),
    }
    lines = []
    for name in (one.strip() for one in found[1].split(",")):
        home = next((home for home, held in homes.items() if name in held), "optimization")
        lines.append(f"from solutions.{home} import {name}")
    return "\n".join(lines)


def translations() -> None:
    """A row for each random start: seconds, exact match, where the cross-attention lies, memory."""
    names = lesson_names()
    numbers = names["some_numbers"](6000)
    pairs = [(names["english"](number), names["german"](number)) for number in numbers]
    columns = f"{'seconds':>10s}{'processor':>11s}{'exact match':>13s}{'layer 0':>9s}{'layer 1':>9s}"
    print(f"\n{'English to German, seed':32s}{columns}{'MB so far':>11s}")
    for seed in SEEDS:
        print(_row(names, pairs[1000:], pairs[:1000], seed))


def _row(names: dict[str, Any], examples: list[Any], held_out: list[Any], seed: int) -> str:
    translator = names["Translator"](examples, seed)
    start, cpu = time.perf_counter(), time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        names["learn"](translator, examples, STEPS, "German")
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    right = names["share_right"](translator, held_out)
    shares = "".join(f"{one:9.1%}" for one in _alignment(names, translator, held_out))
    return f"{seed:<32d}{seconds:10.1f}{cpu:11.1f}{right:13.1%}{shares}{_megabytes():>11s}"


def _alignment(names: dict[str, Any], translator: Any, held_out: list[Any]) -> list[float]:
    src = translator.sources([source for source, _ in held_out])
    tgt = translator.targets([target for _, target in held_out])
    rows = [[*names["wanted_places"](*pair), -1] for pair in held_out]
    wanted = names["pad_batch"]([*rows, [-1] * tgt.size(1)], pad_id=-1)[:-1]
    return [names["alignment_share"](weights, wanted) for weights in names["cross_attention"](translator, src, tgt)]


def _megabytes() -> str:
    """The most memory that this process has used; not known on Windows."""
    if sys.platform == "win32":
        return "-"
    import resource

    unit = 1e6 if sys.platform == "darwin" else 1e3
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit:.0f}"


if __name__ == "__main__":
    translations()
