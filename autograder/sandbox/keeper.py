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

INTRODUCTION = 5.0
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


class Keeper:
    """Carries out orders.

    Args:
        orders: the line to the process that decides.
        runner: one that no student code has run in.
    """

    def __init__(self, orders: socket.socket, runner: Runner) -> None:
        self.orders = orders
        self.runner = runner
        self.busy: Runner | None = None  # a copy that waits for the next probe of its exercise

    def keep(self) -> None:
        """Go on until there are no more orders."""
        while True:
            try:
                order = channel.receive(self.orders)
            except channel.Closed:
                return
            with contextlib.suppress(channel.Closed):
                channel.send(self.orders, self._carry_out(order))
            _bury()

    def _carry_out(self, order: dict[str, Any]) -> dict[str, Any]:
        start = time.monotonic()
        try:
            body = self._done(order)
        except Lost as lost:
            return {"status": lost.status, "words": lost.words, "seconds": time.monotonic() - start}
        return {"status": "answered", "body": body, "seconds": time.monotonic() - start}

    def _done(self, order: dict[str, Any]) -> bytes:
        """The answer to a job, from the copy that is there or a new one.

        The probes of an exercise go to one copy, one after the other, and to a new one when it is lost: a crash or a
        hang costs one probe.
        """
        copy = self.busy if order["follows"] else None
        if copy is None:
            self._dismiss()
            copy = _copied(self.runner)
        self.busy = None
        body = _ask(self.runner, copy, order["job"], order["seconds"])
        if order["stays"]:
            _end(self.runner)
            self.runner = copy
        else:
            self.busy = copy
        return body

    def _dismiss(self) -> None:
        if self.busy is not None:
            _end(self.busy)
            self.busy = None


def _ask(runner: Runner, copy: Runner, job: dict[str, Any], seconds: float) -> bytes:
    """Have a copy of a runner do a job, and give what it said, undecoded."""
    try:
        channel.send(copy.wire, job)
        return channel.receive_raw(copy.wire, seconds, channel.MAX_ANSWER)
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
