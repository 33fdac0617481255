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

from autograder.sandbox.inside import channel

INTRODUCTION = 5.0
"""Seconds that a copy has to say who it is."""

AGAIN = 1.0
"""Seconds of cells that may have to run again when a cell takes the process along. A copy costs a hundredth."""

REPLAY = 8.0
"""Seconds that all of that may take."""

ENDING = 2.0
"""Seconds that a process has to say how its copy ended."""

LATE = REPLAY + 4 * INTRODUCTION + ENDING
"""Seconds that an order takes at most on top of its job's own: what ran before runs again, with two copies that are
slow to introduce themselves; a third does the job, and a fourth is kept; or one has to say how the job ended."""


@dataclass
class Runner:
    """A process that student code has run in, or will.

    Attributes:
        wire: the line to it.
        process: its number.
        parent: the one that it is a copy of; only that one learns how it ended.
    """

    wire: socket.socket
    process: int
    parent: Runner | None = None


@dataclass
class Cell:
    """A cell that came to an end, and how long it took."""

    job: dict[str, Any]
    seconds: float


class Lost(Exception):
    """A runner did not come back."""

    def __init__(self, status: str, words: str) -> None:
        super().__init__(words)
        self.status = status
        self.words = words


class Keeper:
    """Carries out orders.

    Cells run one after the other in one process, each exercise's probes in a copy of it. When a cell takes that process
    along, another takes its place: a copy of how things stood earlier, in which the cells since then run again.

    Args:
        orders: the line to the process that decides.
        runner: one that no student code has run in.
    """

    def __init__(self, orders: socket.socket, runner: Runner) -> None:
        self.orders = orders
        self.earlier = runner
        self.since: list[Cell] = []  # what ran after the copy for `main` was taken
        self.main: Runner | None = None
        self.probing: Runner | None = None  # a copy that waits for the next probe of its exercise

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
            body = self._cell(order) if order["stays"] else self._apart(order)
        except Lost as lost:
            return {"status": lost.status, "words": lost.words, "seconds": time.monotonic() - start}
        return {"status": "answered", "body": body, "seconds": time.monotonic() - start}

    def _cell(self, order: dict[str, Any]) -> bytes:
        """The answer to a job whose effects stay."""
        self._dismiss()
        runner, start = self._main(), time.monotonic()
        try:
            body = _ask(runner, order["job"], order["seconds"])
        except Lost:
            self.main = None
            raise
        self.since.append(Cell(order["job"], time.monotonic() - start))
        if sum(one.seconds for one in self.since) > AGAIN:
            self._set_mark()
        return body

    def _apart(self, order: dict[str, Any]) -> bytes:
        """The answer to a job that leaves nothing behind, from the copy that is there or a new one.

        The probes of an exercise go to one copy, one after the other, and to a new one when it is lost: a crash or a
        hang costs one probe.
        """
        copy = self.probing if order["follows"] else None
        if copy is None:
            self._dismiss()
            copy = self._copied(self._main())
        self.probing = None
        body = _ask(copy, order["job"], order["seconds"])
        self.probing = copy
        return body

    def _main(self) -> Runner:
        """The process with all cells behind it that came to an end."""
        end = time.monotonic() + REPLAY
        while self.main is None:
            self.main = self._copied(self.earlier)
            if time.monotonic() > end:
                self.since = []
            self._replay(self.main, end)
        return self.main

    def _replay(self, runner: Runner, end: float) -> None:
        """Run again what ran before; a cell that fails to end this time is left out the next."""
        for cell in list(self.since):
            try:
                _ask(runner, cell.job, max(end - time.monotonic(), 0.1))
            except Lost:
                self.since.remove(cell)
                self.main = None
                return

    def _set_mark(self) -> None:
        """From here on, nothing before this has to run again."""
        self.earlier, self.since = self._main(), []
        self.main = self._copied(self.earlier)

    def _copied(self, runner: Runner) -> Runner:
        try:
            return _copied(runner)
        except Lost:
            if runner is self.main:  # it may be what is broken; the next order has another made
                _end(runner)
                self.main = None
            raise

    def _dismiss(self) -> None:
        if self.probing is not None:
            _end(self.probing)
            self.probing = None


def _ask(copy: Runner, job: dict[str, Any], seconds: float) -> bytes:
    """Have a copy do a job, and give what it said, undecoded."""
    try:
        copy.wire.settimeout(seconds)
        copy.wire.sendall(b"j")
        channel.send(copy.wire, job)
        return channel.receive_raw(copy.wire, seconds, channel.MAX_ANSWER)
    except channel.TooLate:
        _end(copy)
        raise Lost("timeout", f"did not come to an end within {seconds:g} s") from None
    except channel.BadMessage as error:
        _end(copy)
        raise Lost("killed", str(error)) from None
    except (channel.Closed, OSError):
        _end(copy)
        raise _how_it_ended(copy.parent) from None


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
            return Runner(ours, int(struct.unpack("3i", data[:12])[0]), runner)
    ours.close()
    raise Lost("killed", "the process could not be copied: too many processes, or code that runs at every fork")


def _how_it_ended(runner: Runner | None) -> Lost:
    """Ask the runner whose child it was."""
    if runner is None:
        return Lost("killed", "its process ended")
    try:
        runner.wire.settimeout(ENDING)
        runner.wire.send(b"s")
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
