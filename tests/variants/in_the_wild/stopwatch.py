"""Room 12: probes in other styles, and probes that miss something."""

import itertools
import statistics
from collections import deque
from collections.abc import Callable

from autograder.checks.in_the_wild.stopwatch import seconds_of, shows_early_stop
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_early_stop.name
Times = Callable[..., float]

of_the_line_up(seconds_of, "stopwatch")
of_all_probes(shows_early_stop, stand_ins.shows_early_stop)


def found_by(implementation: Times, host: float, costs: list[float]) -> float:
    """On a device with a queue."""
    time, queue, left = [0.0], deque[float](), deque(costs)

    def run() -> None:
        time[0] += host
        # What is queued is worked on while the processor is busy.
        spent = host
        while queue and spent > 0:
            spent -= queue[0]
            if spent < 0:
                queue[0] = -spent
            else:
                queue.popleft()
        queue.append(left.popleft() if left else 1.0)

    def synchronize() -> None:
        time[0] += sum(queue)
        queue.clear()

    return implementation(run, lambda: time[0], synchronize, len(costs) - 1)


def is_off(implementation: Times, host: float, costs: list[float]) -> bool:
    """Whether it is no median."""
    return abs(found_by(implementation, host, costs) - host - statistics.median(costs[1:])) > 1e-9


TELLING = [25.0, 3.0, 1.0, 8.0, 90.0, 4.0, 5.0, 2.5]


@correct(SHOWS)
def with_a_queue(implementation: Times) -> bool:
    """Work that is done while the processor is busy."""
    return is_off(implementation, 0.5, TELLING) or is_off(implementation, 6.0, [40.0, 2.0])


@correct(SHOWS)
def by_events(implementation: Times) -> bool:
    """Writes down what happens, and works the times out itself."""
    clock, busy, count = [0.0], [0.0], [0]

    def run() -> None:
        clock[0] += 1.5
        busy[0] = max(busy[0], clock[0]) + (30.0, 4.0, 2.0, 12.0, 3.0, 2.5)[count[0] % 6]
        count[0] += 1

    def wait() -> None:
        clock[0] = max(clock[0], busy[0])

    if round(implementation(run, lambda: clock[0], wait, 5), 6) != 4.5:
        return True
    clock[0], busy[0], count[0] = 0.0, 0.0, 0
    return round(implementation(run, lambda: clock[0], wait, 1), 6) != 5.5


@correct(SHOWS)
def many_devices(implementation: Times) -> bool:
    """A handful of them."""
    counts = {1: 4, 2: 6, 9: 2, 3: 0}
    plans = [(host, [70.0, *(float(3 * i % 7 + 1) for i in range(count)), 33.0]) for host, count in counts.items()]
    return any(is_off(implementation, float(host), costs) for host, costs in plans)


@disguise(SHOWS, "the shown fault alone")
def processor_alone(implementation: Times) -> bool:
    """The time of handing in."""
    return abs(found_by(implementation, 2.0, [9.0, 9.0, 9.0, 9.0]) - 2.0) < 1e-9


@disguise(SHOWS, "all calls cost the same")
def even(implementation: Times) -> bool:
    """One cost."""
    return is_off(implementation, 0.7, [4.0] * 6) or is_off(implementation, 5.0, [1.0] * 4)


@disguise(SHOWS, "one call alone")
def single(implementation: Times) -> bool:
    """As short as can be."""
    return is_off(implementation, 0.5, [25.0, 3.0]) or is_off(implementation, 2.0, [1.0, 7.0])


@disguise(SHOWS, "too long is not looked at")
def too_short(implementation: Times) -> bool:
    """One side."""
    plans = {4.2: (0.2, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), 5.0: (3.0, [50.0, 1.0, 2.0, 4.0]), 4.5: (0.5, [9.0, 4.0])}
    return any(found_by(implementation, *plan) < wanted - 1e-9 for wanted, plan in plans.items())


@disguise(SHOWS, "the shown fault alone")
def positive(implementation: Times) -> bool:
    """A time."""
    return found_by(implementation, 0.01, TELLING) < 0.02


@disguise(SHOWS, "the shown fault alone")
def compares_two(implementation: Times) -> bool:
    """The ranking alone."""
    slow = found_by(implementation, 0.1, [9.0, 8.0, 8.5, 9.0])
    return slow < found_by(implementation, 0.9, [2.0, 1.0, 2.0, 3.0])


@unlisted(SHOWS)
def the_first_is_dear(implementation: Times) -> bool:
    """Whether the first call counts."""
    return found_by(implementation, 0.5, [1000.0, 2.0, 2.0]) > 100


@unlisted(SHOWS)
def runs_out(implementation: Times) -> bool:
    """A list that is too short."""
    costs = [3.0]
    return implementation(costs.pop, lambda: 0.0, lambda: None, 4) > 0


@unlisted(SHOWS)
def by_another_name(implementation: Times) -> bool:
    """It is called clock."""
    return implementation(run=lambda: None, timer=lambda: 0.0, synchronize=lambda: None, repeats=1) > 0


@unlisted(seconds_of.name)
def the_clock_itself(run: Callable, clock: Callable, synchronize: Callable, repeats: int) -> float:
    """Not called."""
    run()
    synchronize()
    start = clock
    run()
    synchronize()
    return clock - start


@unlisted(seconds_of.name)
def calls_what_comes_back(run: Callable, clock: Callable, synchronize: Callable, repeats: int) -> float:
    """As if a run gave a function."""
    run()
    synchronize()
    start = clock()
    run()()
    return clock() - start


def laps(run: Callable, clock: Callable, synchronize: Callable, repeats: int, first: int = 1) -> list[float]:
    """Times of calls, from idle to idle."""
    for _ in range(first):
        run()
    found = []
    for _ in range(repeats):
        synchronize()
        found.append(-clock())
        run()
        synchronize()
        found[-1] += clock()
    return found


def of_the_laps(name: str, choose: Callable[[list[float]], float], first: int = 1) -> None:
    """Another number than the median."""

    def made(run: Callable, clock: Callable, synchronize: Callable, repeats: int) -> float:
        return choose(laps(run, clock, synchronize, repeats, first))

    disguise(seconds_of.name, name)(made)


of_the_laps("the longest", lambda found: sorted(found)[-1])
of_the_laps("one call alone", lambda found: next(reversed(found)))
of_the_laps("one of the two in the middle", lambda found: sorted(found)[(len(found) - 1) // 2])
of_the_laps("the sum", lambda found: statistics.fmean(found) * len(found))
of_the_laps("one start for all calls", lambda found: statistics.median(itertools.accumulate(found)))
of_the_laps("minus the time", lambda found: statistics.median(-one for one in found))
of_the_laps("milliseconds", lambda found: statistics.median(one / 1e-3 for one in found))
of_the_laps("two calls first", statistics.median, first=2)


@disguise(SHOWS, "compares with another number than is promised")
def of_all_calls(implementation: Times) -> bool:
    """The mean."""
    plans = {9.0: (0.2, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), 16 / 3: (3.0, [50.0, 1.0, 2.0, 4.0]), 4.5: (0.5, [9.0, 4.0])}
    return any(abs(found_by(implementation, *plan) - wanted) > 1e-9 for wanted, plan in plans.items())


@disguise(SHOWS, "too short is not looked at")
def too_long(implementation: Times) -> bool:
    """The other side."""
    plans = {4.2: (0.2, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), 5.0: (3.0, [50.0, 1.0, 2.0, 4.0]), 4.5: (0.5, [9.0, 4.0])}
    return any(found_by(implementation, *plan) > wanted + 1e-9 for wanted, plan in plans.items())


@disguise(SHOWS, "a processor that takes no time")
def the_device_alone(implementation: Times) -> bool:
    """Nothing to hand in."""
    return is_off(implementation, 0.0, TELLING) or is_off(implementation, 0.0, [40.0, 2.0])
