"""Room 12: a stopwatch that stops before the device has finished."""

from collections.abc import Callable
from typing import Any

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

seconds_of = Exercise(
    "seconds_of",
    points=2,
    wild=True,
    hints=(
        "A device takes a piece of work and gives the processor back at once. When does the clock stop, and is the work done by then?",
        "```python\nrun()                # not counted\n...                  # wait until the device is idle\nfor _ in range(repeats):\n    start = clock()\n    run()\n    ...              # wait again, and only then read the clock\n```",
        "`synchronize()` once behind the first call, and once in the loop, between `run()` and the second `clock()`.",
    ),
    traps={
        "TypeError: '...' object is not callable": "`run`, `clock` and `synchronize` are functions without arguments: call them.",
        "TypeError: unsupported operand type(s) for ...": "`clock` is a function; `clock()` is the time.",
    },
)

shows_early_stop = Exercise(
    "shows_early_stop",
    points=3,
    shows=seconds_of,
    hints=(
        "You decide what time it is: `Device(host, costs)` stands in the room, and you know what each of its calls costs. Which costs would give another number where somebody waits at the wrong moment, counts the first call, or takes a mean?",
        "```python\ndef shows_early_stop(implementation):\n    for costs in ...:            # what the calls cost on the device, the first one more\n        device = ...             # a new Device for every try\n        found = implementation(device.run, device.clock, device.synchronize, repeats=len(costs) - 1)\n        if ...:                  # not the median of the costs but for the first\n            return True\n    return False\n```",
        "From idle to idle a call takes `host + cost`: that is what each time should be, and the median of all but the first. One call among five costs ten times as much, so that a mean is no median; and `repeats=1` shows whether the first time is clean.",
    ),
    traps={
        "IndexError: list index out of range": "an implementation calls `run` once more than `repeats`, and a wrong one perhaps more often: let your device take any number of calls.",
        "TypeError: ...() got an unexpected keyword argument ...": "the arguments are `run`, `clock`, `synchronize`, `repeats`, in this order.",
    },
)


class Machine:
    """A processor and a device, both in the hands of a probe. Work is queued, and done in order."""

    def __init__(self, device: list[float], host: float = 0.25, uneven: float = 0.0) -> None:
        self.device, self.host, self.uneven = device, host, uneven
        self.now, self.end, self.calls = 100.0, 0.0, 0

    def run(self) -> None:
        """Hand in a piece of work; costs begin anew when they are all used."""
        self.now += self.host * (1 + self.uneven * (2 * self.calls % 5))
        self.end = max(self.end, self.now) + self.device[self.calls % len(self.device)]
        self.calls += 1

    def synchronize(self) -> None:
        """Wait until all of it is done."""
        self.now = max(self.now, self.end)

    def clock(self) -> float:
        """The time."""
        return self.now


def timed(seconds_of: Callable, costs: list[float], host: float, repeats: int) -> Any:
    """What an implementation finds, how often it ran, and whether the device is idle at the end."""
    machine = Machine(costs, host, uneven=0.1)  # whoever times the handing in alone has other times for each call
    found = seconds_of(machine.run, machine.clock, machine.synchronize, repeats)
    return {"seconds": float(found), "calls": machine.calls}


def costs_of(draw: Draw, count: int) -> list[float]:
    """Costs of calls on a device, the first one much the largest, none like another."""
    drawn = draw.tensor("costs", count).abs() + 1
    return [40.0, *(drawn + drawn.argsort() * 0.1).tolist()]


@seconds_of.probe("counts a call until the device has finished it")
def slow_device(seconds_of: Callable, draw: Draw) -> Any:
    return timed(seconds_of, costs_of(draw, 5), 0.25, 5)


@seconds_of.probe("counts the processor's part as well, and is not misled by one call that takes long")
def slow_processor(seconds_of: Callable, draw: Draw) -> Any:
    costs = costs_of(draw, 7)
    costs[4] = 30.0  # the call in the middle
    return timed(seconds_of, costs, 4.0, 7)


@seconds_of.probe("takes the number in the middle, or the mean of the two there", rung="edges")
def how_many(seconds_of: Callable, draw: Draw) -> Any:
    return {repeats: timed(seconds_of, costs_of(draw, 4), 0.5, repeats) for repeats in (1, 2, 3, 4)}


# Implementations that everybody may see ------------------------------------------------------

Step = Callable[[], None]
Clock = Callable[[], float]


@right("is written with statistics.median")
def stand_in(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """As in the stand-ins."""
    return stand_ins.seconds_of(run, clock, synchronize, repeats)


@right("is your own repair, once it has passed in this kernel")
def your_repair(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """The stand-in until then."""
    return own_or(stand_ins.seconds_of)(run, clock, synchronize, repeats)


@wrong("the page shows", mistake="stops before the device has finished")
def as_shown(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """Waits before, and not after."""
    run()
    times = []
    for _ in range(repeats):
        synchronize()
        start = clock()
        run()
        times.append(clock() - start)
    times.sort()
    return (times[(repeats - 1) // 2] + times[repeats // 2]) / 2


@wrong("never waits", mistake="stops before the device has finished")
def never_waits(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """As on a processor."""
    run()
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        times.append(clock() - start)
    times.sort()
    return (times[(repeats - 1) // 2] + times[repeats // 2]) / 2


@wrong("counts the first call", mistake="the first call counts")
def counts_the_first(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """Nothing before."""
    synchronize()
    times: list[float] = []
    while len(times) < repeats:
        start = clock()
        run()
        synchronize()
        times.append(clock() - start)
    times.sort()
    return (times[(repeats - 1) // 2] + times[repeats // 2]) / 2


@wrong("takes the mean of its times", mistake="a mean instead of a median")
def takes_the_mean(run: Step, clock: Clock, synchronize: Step, repeats: int) -> float:
    """Of all of them."""
    run()
    total = 0.0
    for _ in range(repeats):
        synchronize()
        total -= clock()
        run()
        synchronize()
        total += clock()
    return total / repeats


line_up(shows_early_stop, "stopwatch")
