"""Exercises of another kind: what is handed in is a probe, and what it is tried on are implementations.

`shows_fault(implementation) -> bool` draws its own inputs, says True of a wrong implementation and False of a right
one. Each implementation that it is tried on is a probe of the exercise. Some are known to everybody; the others lie in
`autograder/lineups/`, where the reference is, and come as a text where they are needed.
"""

from __future__ import annotations

import ast
import copy
import importlib
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn

import numpy as np
import torch

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise, Probe
from autograder.probing.source import docstring_of, needed, reached

NAMED = "implementation"
"""What every implementation is called where a learner's probe runs."""

TELLING = frozenset(
    {
        *("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__wrapped__", "__dict__"),
        *("__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__", "__builtins__"),
    }
)
"""Attributes of a function that tell how it was written, and not what it does."""

WRITES = "an attribute that is set"


@dataclass(frozen=True)
class Suspect:
    """An implementation on which a learner's probe is tried.

    Attributes:
        name: unique among those of its exercise.
        says: what it does, as a clause with "it": "it scales the attention's projections alone".
        faulty: whether a probe should say True of it.
        implementation: the function.
        mistake: the name of the repair's mistake that it makes; "" where that has no name for it.
        kin: whether it has another fault of the kind that the page shows.
    """

    name: str
    says: str
    faulty: bool
    implementation: Callable[..., Any]
    mistake: str = ""
    kin: bool = False

    @property
    def sentence(self) -> str:
        """What a right probe does."""
        return f"{'accuses' if self.faulty else 'lets pass'} the implementation that {self.says}"


_ALL: dict[str, list[Suspect]] = {}


def right(says: str) -> Callable[[Any], Any]:
    """A right implementation, for the line-up of the module in which it stands.

    Args:
        says: how it is written, as the rest of "the implementation that ...".
    """
    return _adder(says, faulty=False)


def wrong(says: str, *, mistake: str = "", kin: bool = False) -> Callable[[Any], Any]:
    """A wrong implementation.

    Args:
        says: what is wrong with it, as the rest of "the implementation that ...".
        mistake: the name of the repair's mistake that it makes.
        kin: whether it has another fault of the kind that the page shows.
    """
    return _adder(says, faulty=True, mistake=mistake, kin=kin)


def _adder(says: str, **more: Any) -> Callable[[Any], Any]:
    def add(implementation: Any) -> Any:
        one = Suspect(implementation.__name__, says, implementation=implementation, **more)
        _ALL.setdefault(implementation.__module__, []).append(one)
        return implementation

    return add


def suspects(module: str) -> tuple[Suspect, ...]:
    """The implementations of a module, in the order of its text."""
    return tuple(_ALL.get(module, ()))


def hidden(lesson: str, room: str) -> tuple[Suspect, ...]:
    """The implementations of a room that only this side has; none in a sandbox or a student's edition."""
    name = f"autograder.lineups.{lesson}.{room}"
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not name.startswith(str(error.name)):
            raise
    return suspects(name)


def line_up(exercise: Exercise, room: str) -> None:
    """Give an exercise a probe for each implementation of its room: those of this module, then the hidden ones.

    Args:
        exercise: what is handed in is a probe.
        room: the name of the room's modules.
    """
    for one in suspects(str(sys._getframe(1).f_globals["__name__"])):
        compute = partial(tried, implementation=one.implementation)
        exercise.add_probe(Probe(one.name, one.sentence, compute, once=True))
    for one in hidden(exercise.lesson, room):
        compute = partial(tried, implementation=one.implementation)
        exercise.add_probe(Probe(one.name, one.sentence, compute, hides=partial(text_of, one), once=True))


# Trying ----------------------------------------------------------------------------


def tried(shows: Callable[..., Any], draw: Draw, implementation: Callable[..., Any]) -> Any:
    """What a learner's probe says of an implementation. Truth values of numpy and torch are as good as Python's."""
    said = shows(_stranger(unnamed(implementation), draw.seen))
    if isinstance(said, np.bool_) or (
        isinstance(said, torch.Tensor) and said.dtype is torch.bool and said.numel() == 1
    ):
        return bool(said)
    return said


def probe_from(text: str) -> Probe:
    """The probe of an implementation that came as a text: it has no name, and nothing is said of it."""
    values: dict[str, Any] = {"__name__": NAMED}
    exec(compile(text, "<lent>", "exec", dont_inherit=True), values)
    return Probe(NAMED, "", partial(tried, implementation=values[NAMED]))


def unnamed(implementation: Callable[..., Any]) -> Callable[..., Any]:
    """The same function under a name that says nothing, as Python's own messages tell it; what it keeps is empty."""
    if not isinstance(implementation, FunctionType):
        return implementation
    code, values = implementation.__code__, implementation.__globals__
    made = FunctionType(code, values, NAMED, implementation.__defaults__, implementation.__closure__)
    made.__kwdefaults__, made.__qualname__ = copy.deepcopy(implementation.__kwdefaults__), NAMED
    return made


def _stranger(implementation: Callable[..., Any], seen: list[str]) -> Callable[..., Any]:
    """The same function behind a face that shows nothing; what is looked at but for its results is noted."""

    class Implementation:
        __slots__ = ()

        def __call__(self, *given: Any, **named: Any) -> Any:
            return implementation(*given, **named)

        def __getattribute__(self, name: str) -> Any:
            if name in TELLING:
                seen.append(name)
            return object.__getattribute__(self, name)

        def __setattr__(self, name: str, value: Any) -> NoReturn:
            seen.append(WRITES)
            raise AttributeError("an implementation that is tried cannot be written into")

        def __repr__(self) -> str:
            return f"<{NAMED}>"

    return Implementation()


# A repair of one's own ---------------------------------------------------------------------

_PASSED: dict[str, Callable[..., Any]] = {}


def keep_repair(name: str, implementation: Callable[..., Any]) -> None:
    """From now on, in this process, let this repair be among the right ones."""
    _PASSED[name] = implementation


def own_or(stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """The learner's own repair of that name, if it has passed in this process; else the stand-in."""
    return _PASSED.get(stand_in.__name__, stand_in)


# Texts ----------------------------------------------------------------------------


def text_of(suspect: Suspect) -> str:
    """The text of a module that defines an implementation and what it needs, without a word on what it does."""
    file = sys.modules[suspect.implementation.__module__].__file__
    assert file is not None
    return portable(Path(file).read_text(encoding="utf-8"), suspect.name)


def portable(text: str, name: str) -> str:
    """Cut one definition out of a module, with what it needs: renamed, without docstrings, comments and decorators."""
    module = _taken_apart(text)
    wanted = reached(name, module.uses)
    kept = [bare for known, bare in module.bare.items() if known in wanted and known != name]
    own = ast.parse(module.bare[name]).body[0]
    assert isinstance(own, ast.FunctionDef)
    own.name = NAMED
    return "\n\n".join([*module.imports, *kept, ast.unparse(own)]) + "\n"


@dataclass(frozen=True)
class _InParts:
    """The text of a module in parts: its imports but ours; name → the bare text, and → the names that it uses."""

    imports: tuple[str, ...]
    bare: Mapping[str, str]
    uses: Mapping[str, Collection[str]]


@cache
def _taken_apart(text: str) -> _InParts:
    body = ast.parse(text).body
    imports = [one for one in body if isinstance(one, ast.Import | ast.ImportFrom) and not _is_ours(one)]
    bare = {known: ast.unparse(_bare(one)) for one in body for known in _defined(one)}
    uses = {known: needed(text) & bare.keys() for known, text in bare.items()}
    return _InParts(tuple(map(ast.unparse, imports)), bare, uses)


def _is_ours(node: ast.Import | ast.ImportFrom) -> bool:
    return isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autograder.probing")


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [one.id for one in node.targets if isinstance(one, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _bare(node: ast.stmt) -> ast.stmt:
    """A statement without decorators of the line-up and docstrings."""
    node = ast.parse(ast.unparse(node)).body[0]
    for one in ast.walk(node):
        if isinstance(one, ast.FunctionDef | ast.ClassDef):
            if docstring_of(one):
                one.body = one.body[1:] or [ast.Pass()]
            one.decorator_list = [each for each in one.decorator_list if not _says(each)]
    return node


def _says(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(called, ast.Name) and called.id in (right.__name__, wrong.__name__)
