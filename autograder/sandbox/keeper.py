"""Keeps one submission: hands its work to runners, kills what takes too long, and never runs student code itself.

The keeper is the first process of the submission's own namespace, so that all of it ends when the keeper does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import time
from dataclasses import dataclass
from typing import Any

from autograder.sandbox import channel

INTRODUCTION = 10.0
"""Seconds that a copy has to say who it is."""


@dataclass
class Runner:
    """A process that student code has run in, or will, and the line to it."""

    wire: socket.socket
    process: int


class Lost(Exception):
    """A runner did not come back."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


def keep(orders: socket.socket, runner: Runner) -> None:
    """Carry out orders until there are no more.

    Args:
        orders: the line to the process that decides.
        runner: one that no student code has run in.
    """
    while True:
        try:
            order = channel.receive(orders)
        except channel.Closed:
            return
        runner, answer = _carry_out(order, runner)
        with contextlib.suppress(channel.Closed):
            channel.send(orders, answer)
        _bury()


def _carry_out(order: dict[str, Any], runner: Runner) -> tuple[Runner, dict[str, Any]]:
    start = time.monotonic()
    try:
        copy, body = _ask_a_copy(runner, order["job"], order["seconds"])
    except Lost as lost:
        return runner, {"status": lost.status, "words": lost.words, "seconds": time.monotonic() - start}
    answer = {"status": "answered", "body": body, "seconds": time.monotonic() - start}
    if not order["stays"]:
        copy.wire.close()
        return runner, answer
    _end(runner)
    return copy, answer


def _ask_a_copy(runner: Runner, job: dict[str, Any], seconds: float) -> tuple[Runner, bytes]:
    """Have a copy of the runner do a job, and give what it said, undecoded."""
    copy = _copied(runner)
    try:
        channel.send(copy.wire, job)
        return copy, channel.receive_raw(copy.wire, seconds, channel.MAX_ANSWER)
    except channel.TooLate:
        _end(copy)
        raise Lost("timeout", f"did not come to an end within {seconds:g} s") from None
    except channel.BadMessage as error:
        _end(copy)
        raise Lost("killed", str(error)) from None
    except channel.Closed:
        _end(copy)
        raise _how_it_ended(runner) from None


def _copied(runner: Runner) -> Runner:
    ours, theirs = socket.socketpair()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    try:
        socket.send_fds(runner.wire, [b"f"], [theirs.fileno()])
        theirs.close()
        ours.settimeout(INTRODUCTION)
        said, extra, _, _ = ours.recvmsg(1, socket.CMSG_SPACE(12))
    except OSError:
        said, extra = b"", []
    for level, kind, data in extra if said == b"h" else []:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
            return Runner(ours, int(struct.unpack("3i", data[:12])[0]))
    ours.close()
    raise Lost("killed", "the process could not be copied: too many processes, or code that runs at every fork")


def _how_it_ended(runner: Runner) -> Lost:
    """Ask the runner, whose child it was."""
    try:
        runner.wire.send(b"s")
        runner.wire.settimeout(2)
        (code,) = struct.unpack("!i", runner.wire.recv(4))
    except (OSError, struct.error):
        return Lost("killed", "its process ended")
    finally:
        runner.wire.settimeout(None)
    if code == -signal.SIGXCPU:
        return Lost("timeout", "used up its processor time")
    if code < 0:
        return Lost("killed", f"its process was ended by {_signal_name(-code)}")
    return Lost("killed", f"it ended its own process (exit code {code})")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _end(runner: Runner) -> None:
    with contextlib.suppress(OSError):
        runner.wire.close()
    with contextlib.suppress(OSError):
        os.kill(runner.process, signal.SIGKILL)


def _bury() -> None:
    """Take note of all that ended, so that nothing is left of it."""
    with contextlib.suppress(OSError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
