"""What the checks of lesson 20 share: a machine whose time is made up."""

from __future__ import annotations

from collections.abc import Sequence

from autograder.probing.draws import Draw
from autograder.stand_ins.gpt import GPTConfig


class Machine:
    """A processor that hands work to a device, with a clock of its own: nothing is timed.

    Args:
        costs: how long the device works on the first call, the second, ...; the last one for all after it.
        launch: how long the processor takes to hand a call over; another time for each call, and this at least.
        wait: how long it takes to ask whether the device has finished.
        busy: how long the device still has to work when it all begins.
        device: without one the processor does the work itself.

    Attributes:
        runs: how many calls there were.
        readings: how often the clock was asked.
    """

    def __init__(
        self, costs: Sequence[float], launch: float = 0.05, wait: float = 0.02, busy: float = 0.0, device: bool = True
    ) -> None:
        self.costs = list(costs)
        self.launch, self.wait, self.device = launch, wait, device
        self.now, self.free = 100.0, 100.0 + busy
        self.runs = self.readings = 0

    def run(self) -> None:
        """Hand over one call."""
        cost = self.costs[min(self.runs, len(self.costs) - 1)]
        self.runs += 1
        self.now += self.launch * (1 + 0.3 * (2 * self.runs % 5))
        self.free = max(self.now, self.free) + cost
        if not self.device:
            self.now = self.free

    def clock(self) -> float:
        """The time now."""
        self.readings += 1
        return self.now

    def synchronize(self) -> None:
        """Wait until the device has finished."""
        self.now = max(self.now, self.free) + self.wait


def costs(draw: Draw, count: int, warmup: int = 0) -> list[float]:
    """So many calls of different lengths, the first of them long."""
    drawn = [1.0 + abs(one) for one in draw.tensor("costs", count).tolist()]
    return [cost * (9 - place if place < warmup else 1) for place, cost in enumerate(drawn)]


def small_gpt(**other: object) -> GPTConfig:
    """Sizes of a tiny GPT, all different."""
    sizes: dict[str, object] = dict(vocab_size=17, d_model=12, num_heads=3, num_layers=2, d_ff=20, max_len=14)
    return GPTConfig(**(sizes | other))  # type: ignore[arg-type]
