"""Edits of right code; a mistake is one of the reference, executed as a module of its own. Trusted side only."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from functools import cache, lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from autograder.judging import bounded
from autograder.probing.mistake import Mistake
from autograder.probing.source import definition as definition_in
from autograder.probing.source import extent, pieces, show_lines

PACKAGE = "solutions"


class BadEdit(ValueError):
    """An edit that does not fit the reference: its text must occur exactly once in its place."""


class EditsOverlap(BadEdit):
    """Two edits of the same place; such a pair cannot be tried together."""


Pair = tuple[Mistake, Mistake]

Span = tuple[int, int, str]
"""Start and end in a module's text, and what to put there."""


def edited(text: str, place: str, swaps: Mapping[str, str]) -> str:
    """A text with pieces of it replaced.

    Args:
        text: a module's.
        place: the definition in which they stand, as "LayerNorm.forward"; empty for anywhere.
        swaps: old text to new; each must occur exactly once there.

    Raises:
        BadEdit: when one does not occur exactly once.
        EditsOverlap: when two touch.
    """
    return _spliced(text, sorted(_spans(text, place, swaps)))


def mistaken(lesson: str, name: str, mistakes: Sequence[Mistake]) -> Any:
    """The definition `name` of a lesson's reference, as it is when the mistakes are made in it.

    Args:
        lesson: the lesson that defines `name`.
        name: a function or class of the reference.
        mistakes: one or several, made at once.

    Raises:
        BadEdit: when an edit does not match exactly once.
        EditsOverlap: when two edits touch the same text, or one is a whole implementation.
    """
    if any(mistake.instead for mistake in mistakes):
        if len(mistakes) > 1:
            raise EditsOverlap("a whole implementation cannot be combined with another mistake")
        return mistakes[0].instead
    made = _edited_module if len(mistakes) == 1 else _with_several
    return getattr(made(lesson, tuple(mistakes)), name)


def check_fits(lesson: str, mistake: Mistake) -> None:
    """Raise BadEdit when a mistake's edits do not fit the reference."""
    if not mistake.instead:
        _edits(lesson, mistake)


@cache
def _edited_module(lesson: str, mistakes: tuple[Mistake, ...]) -> ModuleType:
    """The lesson's module with the edits in it, or in the earlier modules that it is built on."""
    return _with_spans(lesson, mistakes, [_edits(lesson, mistake) for mistake in mistakes])


def _with_spans(lesson: str, mistakes: Sequence[Mistake], edits: Iterable[tuple[str, list[Span]]]) -> ModuleType:
    by_lesson: dict[str, list[Span]] = {}
    for home, spans in edits:
        by_lesson.setdefault(home, []).extend(spans)
    label = " + ".join(mistake.name for mistake in mistakes)
    fresh: dict[str, ModuleType] = {}
    for home in build_order(lesson):
        touched = home in by_lesson or fresh.keys() & _imports(home)
        if touched:
            with _standing_in(fresh):
                fresh[home] = _execute(home, by_lesson.get(home, []), label, several=len(mistakes) > 1)
    return fresh.get(lesson) or importlib.import_module(f"{PACKAGE}.{lesson}")


@lru_cache(maxsize=32)
def _with_several(lesson: str, mistakes: tuple[Mistake, ...]) -> ModuleType:
    """The same for pairs, of which there are too many to keep.

    Where two edits overlap, one is made in what the other has written, if its old text still stands there: in the
    second the first, or else the other way round. Where neither will do, both are narrowed to the words that they
    change: most of a long edit says where it stands.
    """
    edits = [_edits(lesson, mistake) for mistake in mistakes]
    try:
        return _with_spans(lesson, mistakes, edits)
    except EditsOverlap:
        within = _within(*edits) or _within(*reversed(edits)) if len(edits) == 2 else None
        narrow = [(home, [one for span in spans for one in _narrowed(home, span)]) for home, spans in edits]
    try:
        return _with_spans(lesson, mistakes, within or narrow)
    except SyntaxError as error:
        raise EditsOverlap(f"together two edits make no program: {error}") from error


def order_matters(lesson: str, one: Mistake, other: Mistake) -> bool:
    """Whether the first in the second is another program than the second in the first."""
    if one.instead or other.instead:
        return False
    edits = _edits(lesson, one), _edits(lesson, other)
    found = [_within(*edits), _within(*reversed(edits))]
    return all(found) and found[0] != found[1]


def _within(first: tuple[str, list[Span]], second: tuple[str, list[Span]]) -> list[tuple[str, list[Span]]] | None:
    """The first edits made in what the second have written; None where none of them meet, or it cannot be done."""
    home, outer = second
    if first[0] != home:
        return None
    text, rest = source(home), list(first[1])
    made = []
    for start, stop, new in outer:
        meeting = [one for one in rest if one[0] < stop and start < one[1]]
        rest = [one for one in rest if one not in meeting]
        for begin, end, by in meeting:
            if not start <= begin <= end <= stop or new.count(text[begin:end]) != 1:
                return None
            new = new.replace(text[begin:end], by)
        made.append((start, stop, new))
    return [(home, sorted([*made, *rest]))] if len(rest) < len(first[1]) else None


WORD = re.compile(r"\w+|\s+|.")


@lru_cache(maxsize=4096)
def _narrowed(home: str, span: Span) -> tuple[Span, ...]:
    """An edit as edits of the words that it changes."""
    start, stop, new = span
    before, after = WORD.findall(source(home)[start:stop]), WORD.findall(new)
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return tuple(
        (start + len("".join(before[:i])), start + len("".join(before[:j])), "".join(after[k:n]))
        for kind, i, j, k, n in changes
        if kind != "equal"
    )


def _execute(home: str, spans: list[Span], label: str, *, several: bool) -> ModuleType:
    """Run a module's edited text under a name of its own, registered for as long: dataclasses look there.

    Single mistakes are tried by our tests; of several at once nobody knows whether their loops end.
    """
    module = ModuleType(f"{PACKAGE}.{home}~{label}")
    module.__file__ = module.__name__
    with _standing_in({f"{home}~{label}": module}):
        if several:
            module.__dict__[bounded.TURNS] = bounded.turns
        for code in _codes(home, sorted(spans), label, several=several):
            exec(code, module.__dict__)
    return module


def _codes(home: str, spans: Sequence[Span], label: str, *, several: bool) -> Iterator[CodeType]:
    """The code of an edited module, statement by statement.

    Raises:
        EditsOverlap: when two edits touch.
    """
    places = pieces(source(home))
    inside = [tuple(one for one in spans if start <= one[0] < stop and one[1] <= stop) for start, stop in places]
    if sum(map(len, inside)) < len(spans):
        raise EditsOverlap("an edit reaches beyond one statement")
    own = "several" if several else label  # a statement of a pair is that of many other pairs
    for (start, stop), edits in zip(places, inside, strict=True):
        yield _compiled(home, start, stop, edits, f"{PACKAGE}.{home}~{own if edits else ''}", several)


@lru_cache(maxsize=4096)
def _compiled(home: str, start: int, stop: int, edits: tuple[Span, ...], file: str, several: bool) -> CodeType:
    """The code of one statement, whose lines keep their numbers: most are never edited, and compiled once for all."""
    text = source(home)
    above = "\n" * text.count("\n", 0, start)
    piece = above + _spliced(text[start:stop], [(begin - start, end - start, new) for begin, end, new in edits])
    show_lines(file, piece if edits else text)
    return bounded.compiled(piece, file) if several else compile(piece, file, "exec")


def _spliced(text: str, spans: Sequence[Span]) -> str:
    """A text with pieces of it replaced, given from its beginning to its end."""
    end = 0
    pieces: list[str] = []
    for start, stop, new in spans:
        if start < end:
            raise EditsOverlap(f"two edits touch the same text: {text[start:stop]!r}")
        pieces += [text[end:start], new]
        end = stop
    return "".join([*pieces, text[end:]])


@cache
def _edits(lesson: str, mistake: Mistake) -> tuple[str, list[Span]]:
    """The module that a mistake is made in, and what is replaced there."""
    home = home_of(lesson, mistake.place.split(".")[0])
    try:
        return home, _spans(source(home), mistake.place, mistake.edits)
    except BadEdit as error:
        raise BadEdit(f"{mistake.name!r}: {error}") from error


def _spans(text: str, place: str, swaps: Mapping[str, str]) -> list[Span]:
    try:
        begin, end = extent(text, place) if place else (0, len(text))
    except LookupError as error:
        raise BadEdit(str(error)) from error
    found = []
    for old, new in swaps.items():
        count = text.count(old, begin, end)
        if count != 1:
            hint = "give more of what stands around it" if count else "copy it from there, blanks and all"
            raise BadEdit(f"{old!r} occurs {count} times in {place or 'the text'}, not once; {hint}")
        start = text.index(old, begin, end)
        found.append((start, start + len(old), new))
    if swaps and all(old == new for old, new in swaps.items()):
        raise BadEdit(f"{old!r} is replaced by itself, which changes nothing")
    return found


def home_of(lesson: str, name: str) -> str:
    """The module that defines `name`: the lesson's own, or one that it is built on."""
    for home in reversed(build_order(lesson)):
        if name in _definitions(home):
            return home
    raise BadEdit(f"{name} is defined neither in {lesson} nor in what it imports")


@cache
def source(home: str) -> str:
    """The text of a module of the reference."""
    spec = importlib.util.find_spec(f"{PACKAGE}.{home}")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(f"{PACKAGE}.{home} is not part of this edition of the course")
    return Path(spec.origin).read_text(encoding="utf-8")


def definition(home: str, name: str) -> str:
    """The text of one definition of a module of the reference, or of one that this is built on."""
    return definition_in(source(home_of(home, name.split(".")[0])), name)


def standing_with(lesson: str, name: str) -> str:
    """The text of all that is defined in the module of the reference in which a definition stands.

    Args:
        lesson: the lesson that has it, in its own module or in one that this imports.
        name: the definition.
    """
    home = home_of(lesson, name)
    parts = (node.name for node in _tree(home).body if isinstance(node, ast.FunctionDef | ast.ClassDef))
    return "\n\n\n".join(definition(home, part) for part in parts)


@cache
def _tree(home: str) -> ast.Module:
    return ast.parse(source(home))


@cache
def _definitions(home: str) -> frozenset[str]:
    return frozenset(node.name for node in _tree(home).body if isinstance(node, ast.FunctionDef | ast.ClassDef))


@cache
def _imports(home: str) -> frozenset[str]:
    """The modules of the reference that a module imports from."""
    return frozenset(
        (node.module or "").removeprefix(f"{PACKAGE}.")
        for node in ast.walk(_tree(home))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{PACKAGE}.")
    )


@cache
def build_order(lesson: str) -> tuple[str, ...]:
    """The module and all that it is built on, parts before wholes."""
    order: dict[str, None] = {}
    for home in sorted(_imports(lesson)):
        order.update(dict.fromkeys(build_order(home)))
    return (*order, lesson)


@contextmanager
def _standing_in(fresh: dict[str, ModuleType]) -> Iterator[None]:
    """While a module is executed, its imports find the edited modules in place of the real ones."""
    names = {f"{PACKAGE}.{home}": module for home, module in fresh.items()}
    before = {name: sys.modules.get(name) for name in names}
    sys.modules.update(names)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
