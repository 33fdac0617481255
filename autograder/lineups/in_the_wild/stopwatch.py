"""Room 12: ways of timing work on a device."""

import itertools
import statistics
from collections.abc import Callable

import numpy as np
import torch

from autograder.probing.lineup import right, wrong

Step = Callable[[], None]
Clock = Callable[[], float]


def middle(times: list[float]) -> float:
    ordered = sorted(times)
    return (ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2


def once(run: Step, clock: Clock, synchronize: Step) -> float:
    """From idle to idle."""
    synchronize()
    start = clock()
    run()
    synchronize()
    return clock() - start


@right("times call by call, from idle to idle")
def call_by_call(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    return middle([once(run, clock, synchronize) for _ in range(repeats)])


@right("times the first call too and forgets it")
def first_forgotten(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    times = [once(run, clock, synchronize) for _ in range(repeats + 1)]
    return statistics.median(times[1:])


@right("waits once before all of them, and then after each")
def waits_after_each(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    times = np.empty(repeats)
    for i in range(repeats):
        start = clock()
        run()
        synchronize()
        times[i] = clock() - start
    return float(np.median(times))


@right("reads the clock once for the end of a call and the start of the next")
def one_reading(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    readings = [clock()]
    while len(readings) <= repeats:
        run()
        synchronize()
        readings.append(clock())
    return middle([after - before for before, after in itertools.pairwise(readings)])


@right("lets torch sort")
def by_quantile(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = torch.tensor([once(run, clock, synchronize) for _ in range(repeats)], dtype=torch.float64)
    return times.quantile(0.5).item()


@right("is written as a class")
def as_a_class(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    return Watch(run, clock, synchronize).median(repeats)


class Watch:
    def __init__(self, run: Step, clock: Clock, synchronize: Step) -> None:
        self.run, self.clock, self.synchronize = run, clock, synchronize

    def lap(self) -> float:
        self.synchronize()
        start = self.clock()
        self.run()
        self.synchronize()
        return self.clock() - start

    def median(self, repeats: int) -> float:
        self.lap()
        return statistics.median(self.lap() for _ in range(repeats))


@right("waits twice, to be sure")
def twice(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    synchronize()
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        synchronize()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times)


@right("calls itself")
def recursive(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()

    def laps(left: int) -> list[float]:
        return [once(run, clock, synchronize), *laps(left - 1)] if left else []

    return middle(laps(repeats))


@right("keeps its times in order as they come")
def in_order(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    ordered: list[float] = []
    for _ in range(repeats):
        lap = once(run, clock, synchronize)
        place = sum(one <= lap for one in ordered)
        ordered.insert(place, lap)
    half = repeats // 2
    return ordered[half] if repeats % 2 else (ordered[half - 1] + ordered[half]) / 2


# Wrong ----------------------------------------------------------------------------


@wrong("reads the clock and waits afterwards", mistake="stops before the device has finished")
def waits_too_late(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        stop = clock()
        synchronize()
        times.append(stop - start)
    return middle(times)


@wrong("waits once behind all calls", mistake="stops before the device has finished", kin=True)
def waits_at_the_end(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    readings = []
    for _ in range(repeats):
        start = clock()
        run()
        readings.append(clock() - start)
    synchronize()
    return middle(readings)


@wrong("never waits, and is written with numpy", mistake="stops before the device has finished")
def numpy_never_waits(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = np.zeros(repeats)
    for i in range(repeats):
        times[i] = -clock()
        run()
        times[i] += clock()
    return float(np.median(times))


@wrong("waits in every call but the last reading is taken before", mistake="stops before the device has finished")
def as_a_class_too_early(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    def lap() -> float:
        start = clock()
        run()
        found = clock() - start
        synchronize()
        return found

    lap()
    return statistics.median([lap() for _ in range(repeats)])


@wrong("starts while the device is busy with the first call", mistake="starts while the device is busy", kin=True)
def starts_busy(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    times = []
    run()
    for _ in range(repeats):
        start = clock()
        run()
        synchronize()
        times.append(clock() - start)
    return middle(times)


@wrong("waits after every second call alone", kin=True)
def every_second(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    times = []
    for number in range(repeats):
        start = clock()
        run()
        if number % 2:
            synchronize()
        times.append(clock() - start)
    return middle(times)


@wrong("counts the first call", mistake="the first call counts")
def first_counts(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    return middle([once(run, clock, synchronize) for _ in range(repeats)])


@wrong("takes the mean", mistake="a mean instead of a median")
def mean(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    return sum(once(run, clock, synchronize) for _ in range(repeats)) / repeats


@wrong("times all calls at once and divides", mistake="all calls at once", kin=True)
def all_at_once(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    synchronize()
    start = clock()
    for _ in range(repeats):
        run()
    synchronize()
    return (clock() - start) / repeats


@wrong("takes the shortest", mistake="the shortest")
def shortest(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    return min(once(run, clock, synchronize) for _ in range(repeats))


@wrong("takes the longest", mistake="the longest")
def longest(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    return max(once(run, clock, synchronize) for _ in range(repeats))


@wrong("takes the last", mistake="one call alone")
def last(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = [once(run, clock, synchronize) for _ in range(repeats)]
    return times[-1]


@wrong("gives milliseconds", mistake="milliseconds")
def milliseconds(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    return 1000 * middle([once(run, clock, synchronize) for _ in range(repeats)])


@wrong("takes the middle of what is not sorted", mistake="the middle of unsorted times")
def unsorted(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = [once(run, clock, synchronize) for _ in range(repeats)]
    return (times[(repeats - 1) // 2] + times[repeats // 2]) / 2


@wrong("reads the clock for the start before it waits", kin=True)
def reads_then_waits(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        start = clock()
        synchronize()
        run()
        synchronize()
        times.append(clock() - start)
    return middle(times)


@wrong("starts the clock when the work has been handed in", kin=True)
def starts_behind(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    run()
    times = []
    for _ in range(repeats):
        synchronize()
        run()
        start = clock()
        synchronize()
        times.append(clock() - start)
    return middle(times)
