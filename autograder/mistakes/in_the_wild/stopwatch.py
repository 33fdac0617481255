"""Wrong ways of room 12."""

from collections.abc import Callable

from autograder.checks.in_the_wild.stopwatch import Machine, seconds_of, shows_early_stop
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

FIRST = "    run()  # not counted\n    synchronize()\n"
LAP = "        run()\n        synchronize()\n        times.append(clock() - start)\n"
MEDIAN = "statistics.median(times)"

seconds_of.mistake(
    "stops before the device has finished",
    "Your stopwatch stops before the device has finished. It times how long the processor takes to hand in the work: a call of one large product then looks faster than a call of two small ones, and the ranking is reversed. Call `synchronize()` between `run()` and the second reading.",
    {LAP: "        run()\n        times.append(clock() - start)\n        synchronize()\n"},
    {FIRST: "    run()\n", LAP: "        run()\n        times.append(clock() - start)\n"},
)
seconds_of.mistake(
    "starts while the device is busy",
    "Your stopwatch starts while the device is still busy with the first call, which is not to be counted: the first time contains what is left of it. Wait before the first reading as well.",
    {FIRST: "    run()\n"},
)
seconds_of.mistake(
    "the first call counts",
    "The first call is counted. It sets things up that later calls find ready; call `run` once before, wait, and then time `repeats` calls.",
    {FIRST: ""},
    {FIRST: "    synchronize()\n", "range(repeats)": "range(repeats + 1)"},
)
seconds_of.mistake(
    "a mean instead of a median",
    "You take the mean. One call that something else delayed then moves the result; the median stays.",
    {MEDIAN: "statistics.mean(times)"},
)
seconds_of.mistake(
    "all calls at once",
    "You time all calls together and divide. On a device the processor hands in the next call while the last one runs, so its part disappears; and there is no median of one number. Time every call by itself, from idle to idle.",
    {
        "    for _ in range(repeats):\n        start = clock()\n"
        + LAP: "    start = clock()\n    for _ in range(repeats):\n        run()\n    synchronize()\n    times.append((clock() - start) / repeats)\n",
    },
)
seconds_of.mistake(
    "the shortest",
    "You take the shortest time. That is a choice that some make; here the median is asked for.",
    {MEDIAN: "min(times)"},
)
seconds_of.mistake(
    "the middle of unsorted times",
    "You take the time of the call in the middle. The median is the middle of the *sorted* times.",
    {MEDIAN: "(times[(repeats - 1) // 2] + times[repeats // 2]) / 2"},
    {MEDIAN: "times[repeats // 2]"},
)
seconds_of.mistake(
    "the longest",
    "You take the longest time. One call that something else delayed decides it; the median stays.",
    {MEDIAN: "max(times)"},
)
seconds_of.mistake(
    "one call alone",
    "You give the time of one call.",
    edit({MEDIAN: "times[0]"}, says="You give the time of the first call alone. One call may be delayed by something else: time all of them, and take the median."),
    edit({MEDIAN: "times[-1]"}, says="You give the time of the last call alone. One call may be delayed by something else: keep all times, and take the median."),
)  # fmt: skip
seconds_of.mistake(
    "one of the two in the middle",
    "For an even number of times you give one of the two in the middle. The median is their mean.",
    {MEDIAN: "statistics.median_low(times)"},
    {MEDIAN: "statistics.median_high(times)"},
)
seconds_of.mistake(
    "the sum",
    "You add the times up. The median of single calls is asked for.",
    {MEDIAN: "sum(times)"},
)
seconds_of.mistake(
    "one start for all calls",
    "The clock is read once before all calls, and every time counts from there. So the second time holds the first call too. Read it anew for each call.",
    {"    for _ in range(repeats):\n        start = clock()\n": "    start = clock()\n    for _ in range(repeats):\n"},
)
seconds_of.mistake(
    "minus the time",
    "Your time is negative: the two readings are subtracted the wrong way round. It is the later minus the earlier.",
    {"clock() - start": "start - clock()"},
)
seconds_of.mistake(
    "milliseconds",
    "Your time is in milliseconds. Asked for are seconds, as the clock gives them.",
    {MEDIAN: f"1000 * {MEDIAN}"},
)
seconds_of.mistake(
    "two calls first",
    "Two calls come before those that are timed. One is not counted.",
    {FIRST: f"    run()\n{FIRST}"},
)

PLANS = "for host, costs in ((0.2, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), (3.0, [50.0, 1.0, 2.0, 4.0]), (1.0, [9.0, 4.0])):"


def stops_at_once(implementation: Callable[..., float]) -> bool:
    """Whether the device's work is not counted at all."""
    machine = Machine([8.0], 0.5)
    return implementation(machine.run, machine.clock, machine.synchronize, 3) == 0.5


everywhere(shows_early_stop, solutions.shows_early_stop, shown_alone=[stops_at_once])
shows_early_stop.mistake(
    "all calls cost the same",
    "On your device every call costs the same. Mean, median, shortest and longest are then one number, and a first call that is counted looks like all others. Let the costs differ, the first one most.",
    {PLANS: "for host, costs in ((0.2, [3.0] * 6), (3.0, [2.0] * 4)):"},
)
shows_early_stop.mistake(
    "one call alone",
    "Your probe asks for the time of one call. Mean, median, shortest and longest of one number are that number: ask for several, of different costs, as well.",
    {PLANS: "for host, costs in ((1.0, [9.0, 4.0]), (0.5, [3.0, 8.0])):"},
)
shows_early_stop.mistake(
    "too long is not looked at",
    "Your probe asks whether the time is too short. A first call that is counted, a device that was still busy, or a mean with one long call in it make it too long. Ask whether it *is* the median.",
    {"abs(found - wanted) > 1e-6": "found < wanted - 1e-6"},
)
shows_early_stop.mistake(
    "too short is not looked at",
    "Your probe asks whether the time is too long. Who does not wait for the device has a time that is too short, as on the page. Ask whether it *is* the median.",
    {"abs(found - wanted) > 1e-6": "found > wanted + 1e-6"},
)
shows_early_stop.mistake(
    "a processor that takes no time",
    "On your device handing in takes no time, so code passes that starts the clock behind it. From idle to idle both count, the part of the processor and the work of the device: let handing in take a second.",
    {PLANS: "for host, costs in ((0.0, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), (0.0, [50.0, 1.0, 2.0, 4.0]), (0.0, [9.0, 4.0])):"},
)  # fmt: skip
shows_early_stop.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is a mean. Promised is the median of all calls but the first.",
    {"wanted = host + statistics.median(costs[1:])": "wanted = host + statistics.mean(costs[1:])"},
    edit(
        {"wanted = host + statistics.median(costs[1:])": "wanted = host + min(costs[1:])"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is the shortest time. Promised is the median of all calls but the first.",
    ),
    edit(
        {"wanted = host + statistics.median(costs[1:])": "wanted = host"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is the time of handing in. From idle to idle the work of the device counts as well.",
    ),
)
