"""Runs a notebook's cells without a kernel, as a notebook would."""

from __future__ import annotations

import io
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from types import ModuleType
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Type
from traitlets.config import Config

from autograder.probing.capped import Capped

PRINTED_LIMIT = 10_000
"""Characters that are kept of what one cell prints."""


class NothingShown(DisplayHook):
    """Keeps the value of a cell's last line, and prints nothing of it."""

    def write_output_prompt(self) -> None:
        """Nothing."""

    def write_format_data(self, *_: Any) -> None:
        """Nothing."""

    def finish_displayhook(self) -> None:
        """No line's end either."""
        self._is_active = False


class Shell(InteractiveShell):
    """IPython without a terminal, a history file or windows."""

    displayhook_class = Type(NothingShown)

    def enable_gui(self, gui: Any = None) -> None:
        """Nothing: `%matplotlib inline` asks for it, and a bare shell would raise."""

    def enable_matplotlib(self, gui: Any = None) -> Any:
        """Pictures in the notebook, whatever kind of window is asked for: here is none."""
        return super().enable_matplotlib("inline")

    def ask_exit(self) -> None:
        """Nothing: `exit` ends a terminal, and here is none."""

    def _showtraceback(self, *_: Any) -> None:
        """Nothing: what was raised is told apart from what was printed."""

    def showtraceback(self, *_: Any, **__: Any) -> None:
        """Nothing, and in less time: to colour a traceback takes longer than most cells."""


_shell: Shell | None = None


def start() -> None:
    """Make the shell, and a `__main__` in which the notebook's definitions will live."""
    global _shell
    module = ModuleType("__main__")
    sys.modules["__main__"] = module
    Shell.clear_instance()
    _shell = Shell.instance(user_module=module, config=Config({"HistoryManager": {"enabled": False}}))


def run_cell(text: str) -> dict[str, Any]:
    """Run a cell and say what came of it.

    Returns:
        "error": the exception's name, or "" when there was none; "message": what it said; "line": the cell's own line
        where it arose, 0 when unknown; "printed": what was printed.
    """
    out = Capped(PRINTED_LIMIT)
    told, _ = _run(text, out, out)
    return {**told, "printed": io.StringIO.getvalue(out)}


def run_test(text: str) -> dict[str, Any]:
    """Run a test cell and say what nbgrader would see of it.

    Returns:
        As `run_cell`, with the test's own line where the exception came through; "warned": what was written to stderr,
        and "value": the text of what the last line gives, "" for nothing.
    """
    out, errors = Capped(PRINTED_LIMIT), Capped(PRINTED_LIMIT)
    told, value = _run(text, out, errors, of_the_cell=True)
    with redirect_stdout(out), redirect_stderr(errors):
        shown = _text_of(value)
    printed, warned = io.StringIO.getvalue(out), io.StringIO.getvalue(errors)
    return {**told, "printed": printed, "warned": warned, "value": shown}


def _text_of(value: Any) -> str:
    """What a kernel would show of a value; a student's own may fail to be shown."""
    formatter = _shell.display_formatter if _shell else None
    if value is None or formatter is None:
        return ""
    try:
        return str(formatter.format(value)[0].get("text/plain", ""))[:PRINTED_LIMIT]
    except BaseException:
        return ""


def _run(text: str, out: Capped, errors: Capped, *, of_the_cell: bool = False) -> tuple[dict[str, Any], Any]:
    """What is to be told of an exception, and the value of the last line."""
    if _shell is None:
        raise RuntimeError("start() comes first")
    with redirect_stdout(out), redirect_stderr(errors):
        result = _shell.run_cell(text, store_history=True)
    error = result.error_before_exec or result.error_in_exec
    told = {"error": "", "message": "", "line": 0} if error is None else _told(error, of_the_cell)
    return told, result.result


def _told(error: BaseException, of_the_cell: bool) -> dict[str, Any]:
    if isinstance(error, SyntaxError):
        return {
            "error": type(error).__name__,
            "message": f"SyntaxError: {error.msg}"[:1000],
            "line": _line(error, of_the_cell),
        }
    try:
        message = " ".join("".join(traceback.format_exception_only(error)).split())
    except BaseException:  # an exception of a student's own may fail to print
        message = ""
    return {"error": type(error).__name__, "message": message[:1000], "line": _line(error, of_the_cell)}


def _line(error: BaseException, of_the_cell: bool) -> int:
    """The line of the notebook where an exception arose, or the line of this very cell through which it came."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    found, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_globals.get("__name__") == "__main__":
            found = trace.tb_lineno
            if of_the_cell:
                break
        trace = trace.tb_next
    return found
