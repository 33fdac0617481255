"""The learner's library as modules that stand by themselves: which parts can, and their text."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from autograder import registry
from autograder.learner import library
from autograder.learner.made_of import Brought, Module, Parts

OURS = ("autograder", "course", "solutions")
SHAPES = "jaxtyping"


@dataclass
class Alone:
    """A library that needs the course no longer.

    Attributes:
        modules: lesson → text of its module.
        names: lesson → what it offers.
        left_out: part → why it is not there.
        packages: what it needs besides torch.
    """

    modules: dict[str, str] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)


def alone(parts: Parts) -> Alone:
    """Everything of a library that rests on the learner's own code, and on what the lessons' notebooks gave."""
    return _Rewriter(parts).write()


class _Rewriter:
    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        self.made = Alone()
        self._reasons: dict[str, str] = {}

    def write(self) -> Alone:
        """All modules, those that are imported by others with what these want of them."""
        wanted: dict[str, list[str]] = {}
        for name in self.parts.names():
            if reason := self._reason(name):
                self.made.left_out[name] = reason
            else:
                self._want(name, wanted)
        for lesson in registry.lessons():
            if lesson in wanted:
                self.made.modules[lesson] = self._text(self.parts.modules[lesson], wanted[lesson])
                self.made.names[lesson] = wanted[lesson]
        return self.made

    def _want(self, name: str, wanted: dict[str, list[str]]) -> None:
        module = self._provider(name)
        assert module is not None
        if name in wanted.setdefault(module.lesson, []):
            return
        wanted[module.lesson].append(name)
        for given in module.reached(name) & module.definitions.keys():
            if registry.given_part(given) is not None:  # a config, without which nobody can build the part
                self._want(given, wanted)
        for one in module.imports(name):
            if one.is_a_part:
                self._want(one.name, wanted)

    def _provider(self, name: str) -> Module | None:
        """The file that has a part, or something that a lesson gave and that the part's notebook defined."""
        modules = (self.parts.home(name), *self.parts.modules.values())
        return next((one for one in modules if one is not None and name in one.definitions), None)

    def _reason(self, name: str) -> str:
        """Why a part cannot stand by itself; "" when it can."""
        if name not in self._reasons:
            self._reasons[name] = ""  # while it is being looked at: of two that use each other none is to blame
            self._reasons[name] = self._found_reason(name)
        return self._reasons[name]

    def _found_reason(self, name: str) -> str:
        module = self._provider(name)
        if module is None:
            return f"it uses {name}, which is not yours yet"
        reasons = (self._reason_of_import(one) for one in module.imports(name))
        return next(filter(None, reasons), "")

    def _reason_of_import(self, one: Brought) -> str:
        root = one.module.split(".")[0]
        if root in OURS:
            return f"it uses {one.module}, which is the course's"
        if root == library.PACKAGE and not one.name:
            return f"it imports {one.module} as a whole"
        return self._reason(one.name) if one.is_a_part else ""

    def _text(self, module: Module, names: list[str]) -> str:
        order = list(module.definitions)
        names.sort(key=order.index)
        definitions = library.in_order(module.definitions, names)
        used = {name for one in names for name in module.reached(one)}
        lines = _together({self._import(bound, module.brought[bound]) for bound in used if bound in module.brought})
        stem = registry.notebook_stem(module.lesson)
        title = stem[3:].replace("_", " ").capitalize()
        head = f'"""{title}: written in lesson {stem[:2]}, where it passed its checks."""\n'
        listing = "__all__ = [" + ", ".join(f'"{name}"' for name in names) + "]\n"
        blocks = [head, "".join(f"{line}\n" for line in lines), listing]
        return "\n".join(filter(None, blocks)) + "".join(f"\n\n{text}" for text in definitions.values())

    def _import(self, bound: str, one: Brought) -> str:
        renamed = f" as {bound}" if bound != one.name else ""
        root = one.module.split(".")[0]
        if one.is_a_part:
            provider = self._provider(one.name)
            assert provider is not None
            return f"from .{provider.lesson} import {one.name}{renamed}"
        if root == SHAPES and one.name:
            return f"from .shapes import {one.name}{renamed}"
        if root not in ("torch", *sys.stdlib_module_names):
            self.made.packages.add(root)
        return one.line.strip()


def _together(lines: set[str]) -> list[str]:
    """Import statements, those from one module in one line; the standard library's and torch's before ours."""
    found: dict[tuple[bool, str], set[str]] = {}
    for line in lines:
        begin, _, names = line.partition(" import ")
        found.setdefault((begin.startswith("from ."), begin if names else line), set()).add(names)
    ordered = sorted(found.items())
    return [f"{begin} import {', '.join(sorted(names))}" if any(names) else begin for (_, begin), names in ordered]
