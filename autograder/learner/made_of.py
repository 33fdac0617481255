"""What the parts of the learner's library are made of: which are the learner's own, and which rest on a stand-in."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder import registry
from autograder.learner import library
from autograder.learner.choices import chosen, is_handed_out
from autograder.learner.collect import Sources
from autograder.probing.source import needed, reached


@dataclass(frozen=True)
class Brought:
    """What an import statement brings: from which module, the name there, and the statement."""

    module: str
    name: str
    line: str

    @property
    def is_a_part(self) -> bool:
        """Whether it is a part of the library."""
        return self.module.split(".")[0] == library.PACKAGE


class Module:
    """One file of the library: what it imports and defines, and which of it passed."""

    def __init__(self, path: Path, sources: Sources, passed: list[str]) -> None:
        self.lesson = path.stem
        self.definitions = sources.definitions
        self.passed = passed
        self.brought = dict(pair for line in sources.imports for pair in _brought(line))
        self._uses = {name: self._used(text) for name, text in self.definitions.items()}

    def _used(self, text: str) -> set[str]:
        return needed(text) & (self.definitions.keys() | self.brought.keys())

    def reached(self, name: str) -> set[str]:
        """A definition and all of this file, imports too, that it uses."""
        return reached(name, self._uses | {one: set() for one in self.brought})

    def imports(self, name: str) -> list[Brought]:
        """What a definition and its helpers import."""
        return [self.brought[one] for one in sorted(self.reached(name)) if one in self.brought]


class Parts:
    """All that has passed, by name, as it is served."""

    def __init__(self) -> None:
        self.modules = {module.lesson: module for module in _modules(library.home())}

    def home(self, name: str) -> Module | None:
        """The file from which a part is served; None while a stand-in takes its place."""
        try:
            own = registry.exercise(name).lesson
        except registry.UnknownExercise:
            return None
        order = [own, *(one for one in registry.lessons() if one != own)]
        found = (self.modules[one] for one in order if one in self.modules)
        return next((module for module in found if name in module.passed), None)

    def names(self) -> list[str]:
        """The learner's own parts, in the order of the course."""
        return [one.name for one in registry.all_exercises() if self.home(one.name)]

    def made_of(self, names: Iterable[str]) -> set[str]:
        """These parts, and every part that they are made of, whoever wrote it."""
        found: set[str] = set()
        open_ = set(names)
        while open_:
            name = open_.pop()
            found.add(name)
            module = self.home(name)
            used = module.imports(name) if module else []
            open_ |= {one.name for one in used if one.is_a_part} - found
        return found

    def borrowed(self, names: Iterable[str]) -> list[str]:
        """The exercises among these parts, and in what they are made of, whose place a stand-in takes.

        What a class does not hand out is a stand-in for everybody, and is not counted.
        """
        made, choices = self.made_of(names), chosen()
        known = [one for one in registry.all_exercises() if one.name in made and is_handed_out(one, choices)]
        return [one.name for one in known if not one.repairs and not self.home(one.name)]


def _modules(folder: Path) -> Iterator[Module]:
    for lesson in registry.lessons():
        path = folder / f"{lesson}.py"
        if path.is_file():
            yield Module(path, *library.read_module(path))


def _brought(line: str) -> Iterator[tuple[str, Brought]]:
    for node in ast.parse(line).body:
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.asname or one.name.split(".")[0], Brought(one.name, "", line)
        elif isinstance(node, ast.ImportFrom):
            for one in node.names:
                yield one.asname or one.name, Brought(node.module or "", one.name, line)
