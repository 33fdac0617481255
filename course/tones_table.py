"""Writes `course/data/tones.csv` and `tones.md`: error rates of transcribers and of a textbook decoder, over seeds.

`python -m course.tones_table` trains for forty minutes of one core. Every run is written down as it ends, and the same
command goes on after the last one. Without the file it begins anew.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from course import goertzel
from course.shipped import DATA
from course.tones import Sound, padded, some_sounds
from course.training import train
from course.transcribing import (
    STEPS,
    WEIGHT,
    Parts,
    both_readings,
    key_error_rate,
    new_transcriber,
    parts_of_the_library,
    training_step,
)

LOG, PAGE = "tones.csv", "tones.md"

RATES = (1e-3, 2e-3, 4e-3)
"""Tried for each kind of training on validation messages, with one seed."""

COMPARED = (2e-3, 4e-3)
"""The rates that were chosen, one for each kind of training; each kind is trained with both of them."""

SEEDS = (0, 1, 2)
MESSAGES = 200
FIELDS = ("kind", "rate", "seed", "sounds", "decoder", "ctc", "seconds")

TRAININGS: dict[str, dict[str, Any]] = {
    "joint": {"weight": WEIGHT},
    "cross-entropy alone": {"weight": 0.0},
    "joint, a tenth silent": {"weight": WEIGHT, "noise": (0.0, 1.2), "silent": 0.1, "steps": 300},
}

TUNED = ("joint", "cross-entropy alone")
"""The others have the rate of the one that they begin like."""

TESTS: dict[str, dict[str, Any]] = {
    "silence": {"noise": (0.0, 0.0)},
    "noise 0.2": {"noise": (0.2, 0.2)},
    "noise 0.5": {"noise": (0.5, 0.5)},
    "noise 1": {"noise": (1.0, 1.0)},
    "noise 1.5": {"noise": (1.5, 1.5)},
    "noise 2": {"noise": (2.0, 2.0)},
    "noise 3": {"noise": (3.0, 3.0)},
    "10 to 12 keys, noise 0.5": {"noise": (0.5, 0.5), "shortest": 10, "longest": 12},
}

VALIDATION_SEED, TEST_SEED = 7, 8

READINGS = {
    "decoder": ("joint", "decoder", None),
    "CTC": ("joint", "ctc", None),
    "decoder, no CTC": ("cross-entropy alone", "decoder", None),
    "textbook": ("textbook", "decoder", None),
}
CURED = {
    "decoder": ("joint", "decoder", None),
    "CTC": ("joint", "ctc", None),
    "decoder, silence too": ("joint, a tenth silent", "decoder", None),
    "CTC, silence too": ("joint, a tenth silent", "ctc", None),
}
AT_BOTH_RATES = {
    f"{rate:g}{name}": (kind, "decoder", rate)
    for rate in COMPARED
    for name, kind in ((" with CTC", "joint"), (", no CTC", "cross-entropy alone"))
}
"""Columns of tables that the lesson prints; without a rate, the one that a kind of training has chosen."""

Row = dict[str, str]
Column = tuple[str, str, float | None]


def validation() -> list[Sound]:
    """Messages as in training, for whatever has to be chosen."""
    return some_sounds(MESSAGES, VALIDATION_SEED)


def test_sounds(name: str, seed: int = TEST_SEED) -> list[Sound]:
    """Messages for one row of the table."""
    return some_sounds(MESSAGES, seed, **TESTS[name])


def read_log(folder: Path = DATA) -> list[Row]:
    """What has been measured so far."""
    path = folder / LOG
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _append(rows: list[dict[str, Any]], folder: Path) -> None:
    path = folder / LOG
    new = not path.is_file()
    with path.open("a", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if new:
            table.writeheader()
        table.writerows(rows)


def _measured(model: Any, parts: Parts, sounds: list[Sound]) -> dict[str, str]:
    decoder, ctc = (f"{key_error_rate(one, sounds, parts):.4f}" for one in both_readings(model, parts, sounds))
    return {"decoder": decoder, "ctc": ctc}


def run_training(parts: Parts, kind: str, rate: float, seed: int, folder: Path = DATA) -> None:
    """Train one transcriber and write down its error rates, unless that has been done."""
    if any((one["kind"], one["rate"], one["seed"]) == (kind, str(rate), str(seed)) for one in read_log(folder)):
        return
    began = time.process_time()
    model = new_transcriber(parts, seed)
    settings = {"steps": STEPS, **TRAININGS[kind]}
    step = training_step(model, parts, rate=rate, seed=seed, **settings)
    train(step, settings["steps"], label=f"{kind}, {rate}, {seed}", curve=False)
    seconds = f"{time.process_time() - began:.0f}"
    common = {"kind": kind, "rate": rate, "seed": seed, "seconds": seconds}
    rows = [{**common, "sounds": "validation", **_measured(model, parts, validation())}]
    rows += [{**common, "sounds": name, **_measured(model, parts, test_sounds(name))} for name in TESTS]
    _append(rows, folder)


def best_rate(kind: str, folder: Path = DATA) -> float:
    """The rate with the fewest errors of the decoder on validation messages, of those that were tried with seed 0."""
    tried = [one for one in read_log(folder) if (one["kind"], one["sounds"], one["seed"]) == (kind, "validation", "0")]
    return float(min(tried, key=lambda one: float(one["decoder"]))["rate"])


def _chosen_rate(kind: str, folder: Path) -> float | None:
    return None if kind == "textbook" else best_rate(kind, folder)


def run_textbook(parts: Parts, folder: Path = DATA) -> None:
    """Tune the textbook decoder on validation messages, and at each noise by itself; write down its error rates."""
    if any(one["kind"] == "textbook" for one in read_log(folder)):
        return
    sounds = validation()
    choice = goertzel.tune(sounds, lambda outputs: key_error_rate(outputs, sounds, parts))
    rows = []
    for name in TESTS:
        tested = test_sounds(name)
        by_itself = _tuned_there(parts, name)
        for kind, (threshold, at_least) in {"textbook": choice, "textbook, tuned there": by_itself}.items():
            rate = key_error_rate(goertzel.decode(*padded(tested), threshold, at_least), tested, parts)
            rows.append({"kind": kind, "rate": f"{threshold} {at_least}", "sounds": name, "decoder": f"{rate:.4f}"})
    _append(rows, folder)


def _tuned_there(parts: Parts, name: str) -> tuple[float, int]:
    sounds = test_sounds(name, VALIDATION_SEED)
    return goertzel.tune(sounds, lambda outputs: key_error_rate(outputs, sounds, parts))


def cell(rows: list[Row], kind: str, sounds: str, reading: str, rate: float | None = None) -> str:
    """The error rates of a kind on some sounds, seed by seed."""
    found = [one for one in rows if (one["kind"], one["sounds"]) == (kind, sounds)]
    if rate is not None:
        found = [one for one in found if one["rate"] == str(rate)]
    return " ".join(f"{float(one[reading]):.3f}" for one in found)


def page(folder: Path = DATA) -> str:
    """The table as Markdown."""
    rows = read_log(folder)
    measured = [kind for kind in TRAININGS if any(one["kind"] == kind for one in rows)]
    rates = {kind: best_rate(kind, folder) for kind in measured}
    columns = [
        (kind, reading)
        for kind in measured
        for reading in ("decoder", "ctc")
        if reading == "decoder" or not kind.startswith("cross-entropy")
    ]
    names = [f"{kind}: {'CTC' if reading == 'ctc' else reading}" for kind, reading in columns]
    names += ["textbook, tuned on validation", "textbook, tuned at that noise"]
    cells = {
        name: [cell(rows, kind, name, reading, rates[kind]) for kind, reading in columns]
        + [cell(rows, kind, name, "decoder") for kind in ("textbook", "textbook, tuned there")]
        for name in TESTS
    }
    measured_there = _markdown(f"error rate on {MESSAGES} messages, seed by seed", names, cells)
    chosen = ", ".join(f"{kind} {rate:g}" for kind, rate in rates.items())
    tried = "\n".join(f"- {kind}: {_tries(rows, kind)}" for kind in TUNED)
    return HEAD.format(steps=STEPS, table=measured_there, tried=tried, chosen=chosen, both=_at_both_rates(rows))


def table(columns: Mapping[str, Column], folder: Path = DATA) -> str:
    """What was measured, for a notebook: a line for each kind of sound, seed by seed.

    Args:
        columns: name → kind of training, "decoder" or "ctc", and the rate.
        folder: where the log lies.
    """
    rows = read_log(folder)
    lines = [f"{'errors for each key':26}" + "".join(f"{name:>21}" for name in columns)]
    for name in TESTS:
        cells = [
            cell(rows, kind, name, reading, rate or _chosen_rate(kind, folder))
            for kind, reading, rate in columns.values()
        ]
        lines.append(f"{name:26}" + "".join(f"{one:>21}" for one in cells))
    return "\n".join(lines)


def _at_both_rates(rows: list[Row]) -> str:
    cells = {
        name: [cell(rows, kind, name, reading, rate) for kind, reading, rate in AT_BOTH_RATES.values()]
        for name in TESTS
    }
    return _markdown("decoder, seed by seed", list(AT_BOTH_RATES), cells)


def _markdown(corner: str, columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> str:
    head = [f"| {corner} | {' | '.join(columns)} |", "| --- " * (len(columns) + 1) + "|"]
    return "\n".join([*head, *(f"| {name} | {' | '.join(cells)} |" for name, cells in rows.items())])


def _tries(rows: list[Row], kind: str) -> str:
    found = [one for one in rows if (one["kind"], one["sounds"], one["seed"]) == (kind, "validation", "0")]
    return ", ".join(f"rate {float(one['rate']):g}: {float(one['decoder']):.3f}" for one in found)


HEAD = """# Touch tones: error rates over seeds

Written by `python -m course.tones_table`, which any machine can run again; `tones.csv` is its log. Transcribers of
{steps} steps, trained on messages of 3 to 8 keys in noise of 0.2 to 1; "a tenth silent" had 300 steps, noise of 0 to
1.2, and a tenth of the messages without any.

{table}

Both kinds of training had the same three rates to choose from, on validation messages and with seed 0; what begins
with the same words has the same rate. The textbook decoder had 8 thresholds and 3 lengths. Error rates of the decoder
on validation messages:

{tried}

Chosen: {chosen}.

Both kinds at the rates that either has chosen:

{both}
"""


def main() -> None:
    """Run what has not been run, and write the page."""
    torch.set_num_threads(1)
    parts = parts_of_the_library()
    run_textbook(parts)
    for kind in TRAININGS:
        for rate in RATES if kind in TUNED else [best_rate(kind.split(",")[0])]:
            run_training(parts, kind, rate, SEEDS[0])
        for seed in SEEDS[1:]:
            run_training(parts, kind, best_rate(kind), seed)
    for kind in TUNED:
        for rate in COMPARED:
            for seed in SEEDS:
                run_training(parts, kind, rate, seed)
    (DATA / PAGE).write_text(page(), encoding="utf-8")
    print(DATA / PAGE)


if __name__ == "__main__":
    main()
