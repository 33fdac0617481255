"""Measuring for lesson 20: time, memory, where the time goes, and a device whose clock is made up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile

from autograder.probing.sizes import sizes
from course.widgets.figures import Picture, panels

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
"""Where the lesson's cells measure."""


def wait() -> None:
    """Wait until the device has finished; a processor has."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()


def where() -> str:
    """The machine that measures, in words."""
    if DEVICE == "cuda":
        return f"measured on {torch.cuda.get_device_name()}"
    return f"measured on the processor, with {torch.get_num_threads()} of its {os.cpu_count()} threads"


def held(run: Callable[[], object]) -> int:
    """The most bytes that a call holds at once, besides what was there before."""
    if DEVICE == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        run()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before
    with sizes() as seen:
        run()
    return seen.peak


def seconds(run: Callable[[], object], repeats: int = 2) -> float:
    """The shortest of some calls, after one that does not count."""
    run()
    found = []
    for _ in range(repeats):
        wait()
        start = perf_counter()
        run()
        wait()
        found.append(perf_counter() - start)
    return min(found)


Attend = Callable[[Tensor, Tensor, Tensor, Tensor], Any]


def _per_length(lengths: Sequence[int], heads: int, d_head: int) -> Iterator[tuple[int, tuple[Tensor, ...]]]:
    for length in lengths:
        drawn = [torch.randn(1, heads, length, d_head, device=DEVICE) for _ in range(3)]
        yield length, (*drawn, torch.ones(length, length, dtype=torch.bool, device=DEVICE).tril())


@torch.no_grad()
def measure_attention(
    ways: Mapping[str, Attend], lengths: Sequence[int], heads: int = 2, d_head: int = 64
) -> dict[str, dict[int, tuple[float, float]]]:
    """Time and memory of causal attention, printed as a table.

    Args:
        ways: name → `attend(q, k, v, mask)`.
        lengths: how many tokens.
        heads, d_head: sizes.

    Returns:
        Name → length → milliseconds and megabytes.
    """
    found: dict[str, dict[int, tuple[float, float]]] = {name: {} for name in ways}
    print(f"{'tokens':>7}  " + "  ".join(f"{name:>24}" for name in ways))
    for length, given in _per_length(lengths, heads, d_head):
        for name, attend in ways.items():
            call = lambda attend=attend, given=given: attend(*given)  # noqa: E731
            found[name][length] = (seconds(call) * 1e3, held(call) / 1e6)
        cells = (f"{ms:>10.1f} ms {mb:>8.1f} MB" for ms, mb in (found[name][length] for name in ways))
        print(f"{length:>7,}  " + "  ".join(f"{one:>24}" for one in cells))
    print(f"({where()})")
    return found


def draw_attention(found: Mapping[str, Mapping[int, tuple[float, float]]]) -> Picture:
    """What `measure_attention` found, as two pictures: time and memory by length."""
    said = "; ".join(
        f"{name}: {rows[max(rows)][0]:.0f} ms and {rows[max(rows)][1]:.0f} MB" for name, rows in found.items()
    )
    picture, axes = panels(1, 2, size=(8.4, 3.0), alt=f"Time and memory by length. At the longest, {said}.")
    for which, (ax, unit) in enumerate(zip(axes[0], ("milliseconds", "megabytes held"), strict=True)):
        for name, rows in found.items():
            ax.plot(list(rows), [one[which] for one in rows.values()], marker="o", markersize=3, label=name)
        ax.set(xlabel="tokens", ylabel=unit, xscale="log", yscale="log", xticks=list(next(iter(found.values()))))
        ax.set_xticklabels([f"{one:,}" for one in next(iter(found.values()))])
        ax.minorticks_off()
    axes[0, 1].legend()
    return picture


class PretendDevice:
    """A processor that hands work to a device; their clock is made up, so that every run gives the same.

    Args:
        pieces: into how many pieces a call is cut.
        launch: how long it takes to hand one over, in seconds.
        work: how long the device works on one.
    """

    def __init__(self, pieces: int, launch: float, work: float) -> None:
        self.pieces, self.launch, self.work = pieces, launch, work
        self.now = self.free = 0.0

    def run(self) -> None:
        """Hand over one call."""
        for _ in range(self.pieces):
            self.now += self.launch
            self.free = max(self.free, self.now) + self.work

    def clock(self) -> float:
        """The time now."""
        return self.now

    def synchronize(self) -> None:
        """Wait until the device has finished."""
        self.now = max(self.now, self.free)


def kept_for_backward(run: Callable[[], Tensor], model: nn.Module) -> int:
    """The bytes that a forward pass keeps for the backward pass, the parameters aside; each memory once."""
    own = {one.untyped_storage().data_ptr() for one in model.parameters()}
    kept: dict[int, int] = {}
    alive = []

    def keep(one: Tensor) -> Tensor:
        storage = one.untyped_storage()
        if storage.data_ptr() not in own and one.is_floating_point():
            kept[storage.data_ptr()] = storage.nbytes()
            alive.append(one.detach())  # so that no other tensor gets its place
        return one

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda one: one):
        run()
    return sum(kept.values())


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the profiler writes to the error stream away: nbgrader takes any of it for a failure."""
    saved, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def where_time_goes(step: Callable[[], object], rows: int = 8, steps: int = 3) -> list[tuple[str, float]]:
    """The operations that take most of a step's time.

    Args:
        step: what is profiled.
        rows: how many operations.
        steps: how often it runs; one run more comes first and does not count.

    Returns:
        Names, and each one's share of the time of all operations.
    """
    kinds = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if DEVICE == "cuda" else [])]
    step()
    with _quiet(), profile(activities=kinds) as seen:
        for _ in range(steps):
            step()
        wait()
    name = "self_device_time_total" if DEVICE == "cuda" else "self_cpu_time_total"
    found = sorted(((one.key, float(getattr(one, name))) for one in seen.key_averages()), key=lambda pair: -pair[1])
    total = sum(time for _, time in found)
    return [(key, time / total) for key, time in found[:rows]]
