"""Runs one probe on one implementation and takes down everything that came of it."""

from __future__ import annotations

import contextlib
import itertools
import linecache
import os
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import torch
from torch.utils import _device

from autograder import homes
from autograder.probing.capped import Capped
from autograder.probing.compiler import no_compiler
from autograder.probing.draws import Draw, Signature
from autograder.probing.exercise import Probe
from autograder.probing.outcome import Raised, freeze
from autograder.probing.watch import watch

PRINTED_LIMIT = 4000
OUR_CHECKS = f"{os.sep}autograder{os.sep}checks{os.sep}"
COLOURS = re.compile("\x1b\\[[0-9;]*m")
"""Terminal colours: torch puts some into its messages, and a report is no terminal."""


@dataclass(frozen=True)
class Place:
    """A line of the learner's code.

    Attributes:
        file: its file name, or a notebook cell's.
        number: the line's number.
        text: the line itself, stripped; empty when its source is unknown.
        inside: the function or method that holds it, if that has a name.
        called_by: the learner's line in another cell or file that led there: what it passes may be what does not fit.
    """

    file: str
    number: int
    text: str
    inside: str = ""
    called_by: str = ""

    @property
    def spot(self) -> str:
        """The line by its number, and by its file where that has a name; a cell's has none that a reader knows."""
        path = Path(self.file)
        named = path.suffix == ".py" and path.stem.isidentifier()
        of = f" of `{path.name}`" if named else ""
        return f"line {self.number}{of}{f', in `{self.inside}`' if self.inside else ''}"


@dataclass
class Run:
    """What came of one run of one probe.

    Attributes:
        returned: the frozen outcome (see `outcome.py`).
        signatures: parameters and buffers of the modules that were made.
        changed: names of drawn inputs that were written over.
        forbidden: forbidden calls that were seen.
        place: where in the learner's code an exception was raised.
        interrupted: the learner pressed stop.
        settled: what the probe settled on (see `Draw`).
    """

    returned: Any
    signatures: list[Signature] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    place: Place | None = None
    interrupted: bool = False
    settled: tuple[int, ...] = ()


Key = tuple[Probe, int]
"""One run: a probe and the seed of its draws."""

Runs = Mapping[Key, Run]


def run_probe(
    probe: Probe,
    implementation: Callable[..., Any],
    seed: int,
    forbidden: Sequence[str] = (),
    luck: int = 0,
    settled: Sequence[int] = (),
) -> Run:
    """Run a probe once.

    Args:
        probe: what to run.
        implementation: the function or class to run it on.
        seed: which draw.
        forbidden: calls to look out for (see `watch.py`).
        luck: another one gives the implementation other random numbers; the draws are the same.
        settled: what the probe settles on with this seed, where that is known.

    Returns:
        What came of it. Whatever the implementation raises is an outcome, a keyboard interrupt too.
    """
    draw = Draw(seed, probe.name, settled)
    calls: list[str] = []
    changed: list[str] = []
    place, interrupted = None, False
    with _settings(probe.float64, seed + luck):
        try:
            with watch(forbidden, calls, operators=probe.rung == "values"):
                returned = freeze(probe.compute(implementation, draw))
            changed = draw.changed()
        except KeyboardInterrupt as error:
            returned, place, interrupted = _raised(error), _place(error.__traceback__), True
        except BaseException as error:  # SystemExit too: a learner's exit() must not end the notebook
            returned, place = _raised(error), _place(error.__traceback__)
    if probe.float64 and _mixes_dtypes(returned):
        # `.float()` beside a tensor of the default dtype is right wherever that is float32: everywhere but here.
        return run_probe(replace(probe, float64=False), implementation, seed, forbidden, luck, settled)
    calls += dict.fromkeys(draw.seen)
    return Run(returned, draw.signatures, changed, calls, place, interrupted, draw.settled)


def _mixes_dtypes(outcome: Any) -> bool:
    """Whether torch refused to compute with float64 and float32 at once."""
    if not (isinstance(outcome, Raised) and outcome.kinds[0] == "RuntimeError"):
        return False
    return {"double", "float"} <= set(re.findall(r"[a-z]+", outcome.message.lower()))


def run_draws(
    probe: Probe,
    implementation: Callable[..., Any],
    seeds: Sequence[int],
    forbidden: Sequence[str] = (),
    luck: int = 0,
    settled: Mapping[int, Sequence[int]] | None = None,
) -> Iterator[tuple[int, Run]]:
    """Run a probe on several draws, one after the other; on the first alone where one is enough.

    Forbidden calls are looked out for on the first draw alone: the others do the same with other numbers, in half the
    time. Below torch's dispatcher only probes of values are watched, through which all that works has to go.

    Yields:
        A seed, and what came of it.
    """
    for number, seed in enumerate(enough(probe, seeds)):
        known = (settled or {}).get(seed, ())
        yield seed, run_probe(probe, implementation, seed, () if number else forbidden, luck, known)


def enough(probe: Probe, seeds: Sequence[int]) -> Sequence[int]:
    """The draws that a probe runs on, of those that there are."""
    return seeds[:1] if probe.once else seeds


@contextlib.contextmanager
def _settings(float64: bool, seed: int) -> Iterator[None]:
    """Default dtype, device, threads, gradient mode and global generators as the probe wants them, and back again."""
    before, device = torch.get_default_dtype(), _device.CURRENT_DEVICE  # to ask torch for "cuda" makes a tensor there
    state = torch.get_rng_state()
    try:
        _set_device(None)
        torch.set_default_dtype(torch.float64 if float64 else torch.float32)
        torch.default_generator.manual_seed(seed % 2**32)  # torch.manual_seed notes down the stack, for CUDA
        with one_thread(), other_luck_kept(), torch.inference_mode(False), torch.enable_grad(), no_compiler():
            random.seed(seed % 2**32)
            np.random.seed(seed % 2**32)
            yield
    finally:
        _set_device(device)
        torch.set_default_dtype(before)
        torch.set_rng_state(state)


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Probes are small, and so are the matrices by which the judge compares: a second thread makes a softmax of 5 × 5
    numbers hundreds of times slower, not faster. Where the processor is busy, waiting for it is all that is done."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


_kept = False


@contextlib.contextmanager
def other_luck_kept() -> Iterator[None]:
    """Python's and numpy's global generators are at last as they were; within another such block, that one sees to it.

    To ask numpy for its state and give it back takes longer than many a run.
    """
    global _kept
    if _kept:
        yield
        return
    _kept, states = True, (random.getstate(), np.random.get_state())
    try:
        yield
    finally:
        _kept = False
        random.setstate(states[0])
        np.random.set_state(states[1])


def _set_device(device: torch.device | None) -> None:
    # Only where it differs: once set, torch sends every call through a mode.
    if device != _device.CURRENT_DEVICE:
        torch.set_default_device(device)


def _raised(error: BaseException) -> Raised:
    kinds = tuple(cls.__name__ for cls in type(error).__mro__ if cls is not object)
    try:
        message = str(error)
    except BaseException:  # an exception of the learner's own may fail to print
        message = ""
    return Raised(kinds, COLOURS.sub("", message)[:1000])


def _place(trace: TracebackType | None) -> Place | None:
    """The innermost line that is neither ours nor a library's."""
    first = found = None
    ours = (*homes.below("autograder"), "<frozen")
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if not (file.startswith(ours) or "site-packages" in file or _is_standard(file)):
            text = linecache.getline(file, trace.tb_lineno).strip()
            name = trace.tb_frame.f_code.co_qualname.partition(".<locals>")[0]
            found = Place(file, trace.tb_lineno, text, name if "<" not in name else "")
            first = first or found
        trace = trace.tb_next
    return replace(found, called_by=first.text) if found and first and found.file != first.file else found


def _is_standard(file: str) -> bool:
    return file.startswith(os.path.dirname(os.__file__))


@contextlib.contextmanager
def captured() -> Iterator[Callable[[], str]]:
    """Keep what code prints or warns while this is active; nbgrader takes any stderr for a failure.

    Yields:
        A function that gives the text so far.
    """
    out = Capped(PRINTED_LIMIT)
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(out),
        warnings.catch_warnings(record=True) as warned,
        _silent_descriptor(),
    ):
        warnings.simplefilter("always")
        yield lambda: _counted(out.getvalue()) + _warning_text(warned)


def _counted(text: str) -> str:
    """Printed text with lines that follow each other unchanged told once: a probe runs code many times."""
    groups = ((line, len(list(same))) for line, same in itertools.groupby(text.splitlines()))
    return "".join(f"{line}{f'   ({count} times)' if count > 1 else ''}\n" for line, count in groups)


def _warning_text(warned: Sequence[warnings.WarningMessage]) -> str:
    # A check's own lines may warn, too. And torch adds where in its own C++ a warning arose: no use to a learner.
    theirs = (one for one in warned if OUR_CHECKS not in one.filename)
    told = (f"{one.category.__name__}: {one.message}".split(" (Triggered internally")[0] for one in theirs)
    lines = dict.fromkeys(told)
    return "\n".join(list(lines)[:5])


@contextlib.contextmanager
def _silent_descriptor() -> Iterator[None]:
    """Send raw writes to file descriptor 2 (C++ warnings, os.write) nowhere for a while."""
    if sys.__stderr__:
        with contextlib.suppress(ValueError, OSError):  # someone may have closed it
            sys.__stderr__.flush()
    try:
        saved = os.dup(2)
    except OSError:  # no descriptor 2: nothing to silence
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)
