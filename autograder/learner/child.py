"""A process of ours that answers lines of JSON with lines of JSON. One that hangs or ends harms nobody."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any


class Child:
    """Such a process, started when it is needed, and again when it was lost.

    Args:
        module: what it runs; there, `only_answers` and `serve` are called.
        seconds: how long it may take for an answer.
        variables: of its environment, besides those of this process.
        silent: drop what it writes to stderr.
    """

    def __init__(
        self, module: str, seconds: float, variables: Mapping[str, str] | None = None, *, silent: bool = False
    ) -> None:
        self.module = module
        self.seconds = seconds
        self.variables = dict(variables or {})
        self.silent = silent
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the process, if it does not run, and do not wait for it."""
        if self._process is not None and self._process.poll() is None:
            return
        self.end()
        self._process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if self.silent else None,
            env={**os.environ, **self.variables},
            text=True,
            encoding="utf-8",
        )

    def ask(self, question: object) -> Any:
        """The answer to a question; None when the process ended, or took too long."""
        self.start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        timer = threading.Timer(self.seconds, process.kill)
        timer.start()
        try:
            process.stdin.write(json.dumps(question) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            timer.cancel()
        if answer.endswith("\n"):  # else it ended in the middle of one
            return json.loads(answer)
        self.end()
        return None

    def end(self, patience: float = 0.0) -> None:
        """End the process.

        Args:
            patience: seconds that it has to end by itself, now that nobody asks it any more.
        """
        if self._process is None:
            return
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe and pipe.close()
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


# Within the process ----------------------------------------------------------------------------


def only_answers() -> IO[str]:
    """Where to write answers; what is printed from now on goes nowhere, as it must not come between them."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    return answers


def serve(answer: Callable[[Any], Any], answers: IO[str]) -> None:
    """Answer what comes in on stdin, until it is closed.

    Args:
        answer: gives the answer to a question, neither of them None.
        answers: where to write them (see `only_answers`).
    """
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()
