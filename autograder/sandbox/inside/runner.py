"""The side that student code runs on: cells and probes, one after the other, in copies of one process.

Nothing that a runner says is believed: it shares its memory with student code.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import types
from typing import Any

from autograder import registry
from autograder.judging.lending import lent, namespace_of, within_reach
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import probe_from
from autograder.probing.outcome import Raised
from autograder.probing.records import plain
from autograder.probing.run import Run, captured, run_draws
from autograder.sandbox.inside import channel, closing
from autograder.sandbox.inside.shell import run_cell, run_test

OUT_OF_MEMORY = ("MemoryError", "can't allocate memory", "std::bad_alloc", "Cannot allocate memory")


def serve(wire: socket.socket) -> None:
    """Do what is asked, until there is nobody to ask.

    One byte says what is wanted: `f` a copy of this process, which serves on the socket that comes along; `s` how the
    last copy ended; `j` to do the job that follows.
    """
    last = 0
    while True:
        request, socks, _, _ = socket.recv_fds(wire, 1, 1)
        if not request:
            os._exit(0)
        if request == b"j":
            channel.send(wire, _done(channel.receive(wire)))
        elif request == b"s":
            wire.send(struct.pack("!i", _buried(last)))
            last = 0
        else:
            fresh = socket.socket(fileno=socks[0])
            _buried(last)
            last = os.fork()
            if last == 0:
                wire.close()
                wire = fresh
                wire.send(b"h")  # the kernel adds the number of the process that says it
            else:
                fresh.close()


def _buried(child: int) -> int:
    """How a copy ended: its exit code, or minus the signal. It has ended, or is about to."""
    try:
        _, status = os.waitpid(child, 0) if child else (0, 0)
    except OSError:
        return 0
    return os.waitstatus_to_exitcode(status)


def _done(job: dict[str, Any]) -> dict[str, Any]:
    if job["do"] == "cell":
        return run_cell(job["text"])
    if job["do"] == "test":
        return run_test(job["text"])
    return _look(job) if job["do"] == "look" else _probe(job)


def _namespace() -> dict[str, Any]:
    return vars(sys.modules["__main__"])


# Looking ----------------------------------------------------------------------------


def _look(job: dict[str, Any]) -> dict[str, Any]:
    """What the notebook has under an exercise's name, and which of the parts that may be lent it uses."""
    values, name = _namespace(), job["name"]
    found = values.get(name)
    return {
        "defined": name in values,
        "callable": callable(found),
        "type": type(found).__name__,
        "instance": not isinstance(found, type) and type(found).__name__ == name,
        "parts": within_reach(found, job["lendable"]),
    }


# Probes ----------------------------------------------------------------------------


def _probe(job: dict[str, Any]) -> dict[str, Any]:
    """Run one probe on every draw that is asked for."""
    exercise = registry.exercise(job["exercise"])
    hidden = job.get("hidden", "")
    probe = probe_from(hidden) if hidden else next(one for one in exercise.probes if one.name == job["probe"])
    implementation = _namespace()[job["name"]]
    if job["partners"]:
        module = registry.stand_in_module(exercise.lesson)
        exec(compile(job["partners"], "<lent>", "exec"), vars(module))
    loans = {name: _execute(*loan) for name, loan in job["loans"].items()}
    _close_operators(exercise, [job["partners"], *(text for text, _ in job["loans"].values())])
    with captured() as printed, lent(namespace_of(implementation), loans):
        settled = dict(zip(job["seeds"], job["settled"], strict=True))
        done = run_draws(probe, implementation, job["seeds"], exercise.forbidden, job["luck"], settled)
        runs = [plain(_told(_with_calls(run))) for _, run in done]
        text = printed()
    return {"runs": runs, "printed": text}


_called: list[str] | None = None
"""Calls of operators that are closed in this process; None while all are open."""


def _close_operators(exercise: Exercise, lent: list[str]) -> None:
    """In the copy of a process that does the probes of one exercise, and nothing else."""
    global _called
    if _called is None:
        _called = []
        closing.close(exercise, lent, _called.append)


def _with_calls(done: Run) -> Run:
    """A run with what it called of the operators that are closed, where the watch saw nothing."""
    if _called:
        done.forbidden = done.forbidden or sorted(set(_called))
        _called.clear()
    return done


def _told(done: Run) -> Run:
    """A run whose outcome can be told; running out of memory is said as such."""
    if _ran_out_of_memory(done.returned):
        done.returned = Raised(("OutOfMemory", "Exception"), done.returned.message)
    try:
        channel.encode(done.returned)
    except channel.BadMessage as error:
        done.returned = Raised(("TooLarge", "Exception"), f"the result cannot be taken out: {error}")
    return done


def _ran_out_of_memory(outcome: object) -> bool:
    if not isinstance(outcome, Raised):
        return False
    return "MemoryError" in outcome.kinds or any(words in outcome.message for words in OUT_OF_MEMORY)


def _execute(text: str, name: str) -> Any:
    module = types.ModuleType("autograder.stand_ins.lent")
    sys.modules[module.__name__] = module
    exec(compile(text, "<lent>", "exec"), module.__dict__)
    return vars(module)[name]
