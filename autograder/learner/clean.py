"""A clean process in which a module of the learner's library is tried before it replaces anything.

The process is started with the first check and kept, as importing torch takes over a second. It never sees the
notebook.
"""

from __future__ import annotations

import ast
import atexit
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from autograder.learner.child import Child, only_answers, serve
from autograder.probing.source import needed, reached, statement

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

_passed: set[tuple[str, str]] = set()
"""Exercise, and the text of all that it is made of: what has passed here. A lesson grows part by part, and the parts
that are there already are not checked again with each new one."""


def _trial(lesson: str, text: str, names: list[str]) -> TrialFailure | None:
    from autograder import registry
    from autograder.learner.examine import examine

    module = ModuleType(f"my_transformer.{lesson}")
    sys.modules[module.__name__] = module  # dataclasses look their module up
    try:
        exec(compile(text, f"{lesson}.py", "exec"), module.__dict__)
    except BaseException as error:
        return TrialFailure("", f"{type(error).__name__}: {error}"[:300])
    for part in ((name, _made_of(text, name)) for name in names):
        if part in _passed:
            continue
        report = examine(registry.exercise(part[0]), getattr(module, part[0], None))
        if not report.passed:
            return TrialFailure(part[0], " ".join(str(report).splitlines()[1:3])[:300])
        _passed.add(part)
    return None


def _made_of(text: str, name: str) -> str:
    """The statements of a module from which a name in it is made, those of what it uses included; all of them where
    nothing of that name is defined."""
    pieces = {bound: statement(text, node) for node in ast.parse(text).body for bound in _bound(node)}
    uses = {one: needed(piece) & pieces.keys() for one, piece in pieces.items()}
    return "".join(pieces[one] for one in sorted(reached(name, uses))) if name in pieces else text


def _bound(node: ast.stmt) -> list[str]:
    """The names that a statement brings, of the kinds that a learner's library is written in."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [one.asname or one.name.partition(".")[0] for one in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else []
    return [one.id for one in targets if isinstance(one, ast.Name)]


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
