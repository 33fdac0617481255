"""A clean process in which a module of the learner's library is tried before it replaces anything.

The process is started with the first check and kept, as importing torch takes over a second. It never sees the
notebook.
"""

from __future__ import annotations

import atexit
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from autograder.learner.child import Child, only_answers, serve

SECONDS = 60.0
"""How long a trial may take before the process is given up."""


@dataclass(frozen=True)
class TrialFailure:
    """Why a module is not fit to be kept: the exercise that fails (empty for the module itself), and what it says."""

    name: str
    message: str


_child = Child("autograder.learner.clean", SECONDS, silent=True)
atexit.register(_child.end)


def start() -> None:
    """Start the process, if it does not run, and do not wait for it."""
    _child.start()


def try_out(lesson: str, text: str, names: list[str]) -> TrialFailure | None:
    """Execute a module's text in the clean process and check the exercises it holds.

    Args:
        lesson: the lesson's stem.
        text: the module's text.
        names: the exercises that must pass.

    Returns:
        What is wrong with it, or None.
    """
    answer = _child.ask({"lesson": lesson, "text": text, "names": names})
    if answer is None:
        return TrialFailure("", f"The clean process ended or took longer than {SECONDS:.0f} s.")
    return TrialFailure(**answer) if answer else None


# The other side ----------------------------------------------------------------------------


def _trial(lesson: str, text: str, names: list[str]) -> TrialFailure | None:
    from autograder import registry
    from autograder.learner.examine import examine

    module = ModuleType(f"my_transformer.{lesson}")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(text, f"{lesson}.py", "exec"), module.__dict__)
    except BaseException as error:
        return TrialFailure("", f"{type(error).__name__}: {error}"[:300])
    for name in names:
        report = examine(registry.exercise(name), getattr(module, name, None))
        if not report.passed:
            return TrialFailure(name, " ".join(str(report).splitlines()[1:3])[:300])
    return None


def _answer(request: dict[str, Any]) -> dict[str, str]:
    """What is wrong, in its two fields; nothing in none."""
    problem = _trial(**request)
    return vars(problem) if problem else {}


def _main() -> None:
    answers = only_answers()
    import autograder.learner.examine  # noqa: F401  imported before the first request, not during it

    serve(_answer, answers)


if __name__ == "__main__":
    _main()
