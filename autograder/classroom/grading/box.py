"""The trusted end of the line to a sandbox: starts the warm process, opens submissions, asks for cells and probes."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder.sandbox import memory, stage, walls
from autograder.sandbox.inside import channel, keeper
from autograder.sandbox.inside.limits import Limits
from autograder.sandbox.own_folder import own_folder

START = 120.0
"""Seconds that the warm process has to get ready; importing torch takes two."""

GRACE = keeper.LATE + 5.0
"""Seconds that the keeper has on top of a job's own, to say that it is over. Who makes it slow has that counted."""


class Infrastructure(RuntimeError):
    """The sandbox itself failed; that is nobody's mistake, and never a zero."""


@dataclass(frozen=True)
class Answer:
    """What came of a job.

    Attributes:
        status: "answered", or "timeout" or "killed" when the process that did it did not come back.
        words: why it did not.
        seconds: of wall clock.
        value: what it said, as decoded; student code may have made it up.
    """

    status: str
    words: str = ""
    seconds: float = 0.0
    value: Any = None


@dataclass
class Submission:
    """One submission's line into the sandbox.

    Attributes:
        wire: the line.
        spent: seconds that it has taken in there, and of processor time out here to take in what it said.
    """

    wire: socket.socket
    spent: float = field(default=0.0)

    @contextmanager
    def taking_in(self) -> Iterator[None]:
        """While this is active, what is done out here counts to the submission's time."""
        start = time.process_time()
        try:
            yield
        finally:
            self.spent += time.process_time() - start

    def ask(self, job: dict[str, Any], seconds: float, *, stays: bool = False, follows: bool = False) -> Answer:
        """Have a job done.

        Args:
            job: what `runner.py` understands.
            seconds: how long it may take.
            stays: what the job leaves behind is there for everything that comes.
            follows: it may be done where the job before it was done.

        Raises:
            Infrastructure: when the keeper is gone.
        """
        try:
            channel.send(self.wire, {"job": job, "seconds": float(seconds), "stays": stays, "follows": follows})
            told = channel.receive(self.wire, seconds + GRACE)
        except (channel.Closed, channel.TooLate, channel.BadMessage) as error:
            raise Infrastructure(f"the sandbox does not answer: {error}") from None
        self.spent += told["seconds"]
        if told["status"] != "answered":
            return Answer(told["status"], told["words"], told["seconds"])
        with self.taking_in():
            return _decoded(told["body"], told["seconds"])


def _decoded(body: bytes, seconds: float) -> Answer:
    try:
        return Answer("answered", "", seconds, channel.decode(body))
    except channel.BadMessage as error:
        return Answer("killed", f"what came out was no message: {error}", seconds)


class Box:
    """A warm process for one lesson, behind walls unless told otherwise.

    Args:
        lesson: the lesson's stem.
        modules: what its notebook imports; imported once, before any submission.
        limits: what a submission may take.
        sandboxed: False for no isolation at all.
        number: which of several boxes that run at once.

    Attributes:
        failed: modules that could not be imported, and why.
        lacks: what the walls lack on this machine, in sentences.
    """

    def __init__(
        self,
        lesson: str,
        modules: Sequence[str],
        limits: Limits | None = None,
        *,
        sandboxed: bool = True,
        number: int = 0,
    ) -> None:
        self.limits = limits or Limits()
        self.sandboxed = sandboxed
        self.failed: list[str] = []
        self.lacks: list[str] = []
        self._ends = ExitStack()
        self._folder = self._ends.enter_context(stage.staged(lesson))
        self._start(list(modules), number)

    @property
    def process(self) -> int:
        """The number of the outermost process of the box."""
        return self._process.pid

    @property
    def software(self) -> Path:
        """The folder with what the sandbox sees of the course's software."""
        return self._folder

    def _start(self, modules: list[str], number: int) -> None:
        self._control, theirs = socket.socketpair()
        inner = [sys.executable, "-m", "autograder.sandbox.inside.warm", str(theirs.fileno())]
        environment: dict[str, str] | None = None
        if self.sandboxed:
            group = self._ends.enter_context(memory.counted(self.limits.together))
            self.lacks += [] if group else [walls.NO_GROUP]
            inner = [*group, *walls.command(self._folder, inner, user=walls.FIRST_USER + number)]
        else:
            home = self._ends.enter_context(own_folder("home"))
            environment = walls.environment(str(self._folder), str(home))
        self._errors = self._ends.enter_context(tempfile.TemporaryFile())  # noqa: SIM115  closed with the box
        self._process = subprocess.Popen(
            inner,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=environment,
            cwd=None if self.sandboxed else self._folder,
        )
        theirs.close()
        self._greet(modules)

    def _greet(self, modules: list[str]) -> None:
        settings = {
            "modules": modules,
            "limits": self.limits.plain(),
            "walls": self.sandboxed,
            "covered": walls.covered(),
        }
        try:
            channel.send(self._control, settings)
            told = channel.receive(self._control, START)
            self.failed = told["failed"]
        except (channel.Closed, channel.TooLate) as error:
            said = self.errors()
            self.close()
            raise Infrastructure(f"the sandbox did not start: {said or error}") from None
        if self.sandboxed and told["unfiltered"]:
            self.lacks.append(walls.NO_FILTER.format(why=told["unfiltered"]))

    def errors(self) -> str:
        """The last line that the warm process wrote to stderr."""
        self._errors.seek(max(0, os.fstat(self._errors.fileno()).st_size - 2000))
        lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    @contextmanager
    def submission(self) -> Iterator[Submission]:
        """A fresh copy of the warm process for one submission; all that it started ends with it."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                try:
                    socket.send_fds(self._control, [b"o"], [theirs.fileno()])
                except OSError as error:
                    raise Infrastructure(f"the sandbox is gone: {error}; {self.errors()}") from None
            yield Submission(ours)

    def close(self) -> None:
        """End the box with all that is in it."""
        with contextlib.suppress(OSError):
            self._control.close()
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()
        self._ends.close()

    def __enter__(self) -> Box:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
