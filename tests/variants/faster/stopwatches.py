"""Lesson 20: stopwatches."""

import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.variants import correct, disguise, slips, unlisted

WATCH = "stopwatch"


def refuse(warmup: int, repeats: int) -> None:
    """The given lines."""
    if warmup < 0 or repeats < 1:
        raise ValueError("counts that do not fit")


# Right ----------------------------------------------------------------------------


def one_loop(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    """Warm-up and measured calls in one loop; the first are not kept."""
    refuse(warmup, repeats)
    kept: list[float] = []
    for number in range(warmup + repeats):
        synchronize()
        before = clock()
        run()
        synchronize()
        taken = clock() - before
        if number >= warmup:
            kept.append(taken)
    return float(np.median(kept))


slips(
    WATCH,
    one_loop,
    {
        "warm-up counted": {"if number >= warmup:": "if True:"},
        "no warm-up": {"range(warmup + repeats)": "range(repeats)", "if number >= warmup:": "if True:"},
        "no synchronise before the last reading": {
            "run()\n        synchronize()\n        taken": "run()\n        taken"
        },
        "mean instead of median": {"np.median(kept)": "np.mean(kept)"},
        "the shortest time": {"np.median(kept)": "np.min(kept)"},
        "sum of the times": {"np.median(kept)": "np.sum(kept)"},
        "one of the two in the middle": {
            "float(np.median(kept))": "torch.tensor(kept, dtype=torch.float64).median().item()"
        },
        "milliseconds": {"float(np.median(kept))": "float(np.median(kept)) * 1e3"},
        "the last time": {"float(np.median(kept))": "kept[-1]"},
    },
)


def readings(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    """All readings in two lists."""
    refuse(warmup, repeats)
    [run() for _ in range(warmup)]
    synchronize()
    starts, stops = [], []
    while len(starts) < repeats:
        starts.append(clock())
        run()
        synchronize()
        stops.append(clock())
    differences = sorted(stop - start for start, stop in zip(starts, stops, strict=True))
    middle = repeats // 2
    both = differences[middle] + differences[middle - 1 + repeats % 2]
    return both / 2


slips(
    WATCH,
    readings,
    {
        "no synchronise before the first reading": {"    synchronize()\n    starts": "    starts"},
        "no synchronise before the last reading": {"run()\n        synchronize()\n": "run()\n"},
        "no warm-up": {"[run() for _ in range(warmup)]": "..."},
        "another number of warm-ups": [
            {"[run() for _ in range(warmup)]": "run()"},
            {"range(warmup)": "range(warmup + 1)"},
        ],
        "one of the two in the middle": [
            {"both / 2": "differences[middle]"},
        ],
        "middle of the unsorted times": {
            "sorted(stop": "list(stop",
            "both / 2": "differences[middle]",
        },
    },
)


def by_tensors(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    """A context for one call, and a quantile."""
    refuse(warmup, repeats)

    def once() -> float:
        synchronize()
        began = clock()
        run()
        synchronize()
        return clock() - began

    while warmup:
        run()
        warmup -= 1
    laps = torch.tensor([once() for _ in range(repeats)], dtype=torch.float64)
    return laps.quantile(0.5).item()


slips(
    WATCH,
    by_tensors,
    {
        "the clock starts before the waiting": {
            "synchronize()\n        began = clock()": "began = clock()\n        synchronize()"
        },
        "no synchronise before the first reading": {"synchronize()\n        began = clock()": "began = clock()"},
        "mean instead of median": {"laps.quantile(0.5)": "laps.mean()"},
        "one of the two in the middle": {"laps.quantile(0.5)": "laps.median()"},
        "milliseconds": {"laps.quantile(0.5)": "(1000 * laps).quantile(0.5)"},
    },
)


@correct(WATCH)
def waits_all_the_time(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    refuse(warmup, repeats)
    for _ in range(warmup):
        run()
        synchronize()
    times = []
    for _ in range(repeats):
        before = (synchronize(), clock())[1]
        after = (run(), synchronize(), clock())[2]
        times.append(after - before)
    return statistics.median(times)


# In full ----------------------------------------------------------------------------


def laps(run: Any, clock: Any, synchronize: Any, count: int, first: bool = True, last: bool = True) -> list[float]:
    """Times of calls, with or without waiting."""
    found = []
    for _ in range(count):
        if first:
            synchronize()
        at = clock()
        run()
        if last:
            synchronize()
        found.append(clock() - at)
    return found


def after_warming(run: Any, warmup: int, repeats: int) -> None:
    """The given lines, and the warm-up."""
    refuse(warmup, repeats)
    for _ in range(warmup):
        run()


@disguise(WATCH, "warm-up counted")
def warm_ones_too(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    refuse(warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, warmup + repeats))


@disguise(WATCH, "no warm-up")
def cold(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    refuse(warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, repeats))


@disguise(WATCH, "another number of warm-ups")
def warmed_once(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    refuse(warmup, repeats)
    run()
    return statistics.median(laps(run, clock, synchronize, repeats))


@disguise(WATCH, "no synchronise before the first reading")
def starts_at_once(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, repeats, first=False))


@disguise(WATCH, "the clock starts before the waiting")
def waits_too_late(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    times = []
    for _ in range(repeats):
        times.append(-clock())
        synchronize()
        run()
        synchronize()
        times[-1] += clock()
    return statistics.median(times)


@disguise(WATCH, "no synchronise before the last reading")
def stops_too_early(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, repeats, last=False))


@disguise(WATCH, "no synchronise before the last reading")
def never_waits(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, repeats, first=False, last=False))


@disguise(WATCH, "mean instead of median")
def averaged(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.fmean(laps(run, clock, synchronize, repeats))


@disguise(WATCH, "the shortest time")
def best(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return min(laps(run, clock, synchronize, repeats))


@disguise(WATCH, "all calls at once, divided")
def all_in_one(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)

    def many() -> None:
        for _ in range(repeats):
            run()

    return laps(many, clock, synchronize, 1)[0] / repeats


@disguise(WATCH, "no synchronise before the last reading + mean instead of median")
def all_in_one_without_waiting(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    began = clock()
    for _ in range(repeats):
        run()
    return (clock() - began) / repeats


@disguise(WATCH, "one of the two in the middle")
def the_lower_one(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median_low(laps(run, clock, synchronize, repeats))


@disguise(WATCH, "middle of the unsorted times")
def not_sorted(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return laps(run, clock, synchronize, repeats)[int(repeats / 2)]


@disguise(WATCH, "sum of the times")
def all_together(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return float(np.cumsum(laps(run, clock, synchronize, repeats))[-1])


@disguise(WATCH, "the last time")
def only_the_last(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    *_, last = laps(run, clock, synchronize, repeats)
    return last


@disguise(WATCH, "milliseconds")
def in_thousandths(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, lambda: clock() * 1e3, synchronize, repeats))


# On no list ----------------------------------------------------------------------------


@disguise(WATCH, "another clock")
def on_the_wall(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, time.monotonic, synchronize, repeats))


@disguise(WATCH, "the longest time")
def the_longest(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return max(laps(run, clock, synchronize, repeats))


@unlisted(WATCH)
def calls_a_second(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return 1 / max(statistics.median(laps(run, clock, synchronize, repeats)), 1e-9)


@unlisted(WATCH)
def two_calls_for_one(run: Callable[[], object], clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(lambda: (run(), run()), clock, synchronize, repeats))


@unlisted(WATCH)
def in_tenths(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return round(statistics.median(laps(run, clock, synchronize, repeats)), 1)


@disguise(WATCH, "warm-up taken from the measured calls")
def not_on_top(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    refuse(warmup, repeats)
    found = laps(run, clock, synchronize, repeats)
    del found[:warmup]
    return statistics.median(found)


@disguise(WATCH, "another number of measured calls")
def one_for_luck(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, clock, synchronize, 1 + repeats))


@disguise(WATCH, "the first time")
def leaves_the_loop(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return laps(run, clock, synchronize, 1)[0]


@disguise(WATCH, "one start for all calls")
def since_the_beginning(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    synchronize()
    began, ends = clock(), []
    for _ in range(repeats):
        run()
        synchronize()
        ends.append(clock())
    return statistics.median(ends) - began


@disguise(WATCH, "minus the time")
def backwards(run: Any, clock: Any, synchronize: Any, warmup: int, repeats: int) -> float:
    after_warming(run, warmup, repeats)
    return statistics.median(laps(run, lambda: -clock(), synchronize, repeats))
