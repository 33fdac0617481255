"""One try of a check: on the reference, the stand-in, the blank, a mistake, or a variant written for trying it."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

from autograder import homes, registry
from autograder.dev.probes import weaknesses
from autograder.judging.edits import home_of, mistaken, source
from autograder.judging.oracle import Oracle, reference
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Raised, leaves
from autograder.probing.run import captured
from autograder.reporting.report import Report

ROOT = homes.ROOT
UNWRITTEN = "TODO"
"""Stands in what `autograder dev new` has laid out and nobody has written."""

VARIANT_KINDS = ("correct", "unlisted", "disguise")

SECONDS_FOR_PAIRS = {"disguise": 3.0, "unlisted": 0.3}
"""Processor time for pairs of mistakes: on a loaded machine a judge in a hurry may not come to the right pair, and
where no pair explains anything it takes all the time it has."""


# What is tried ----------------------------------------------------------------------------


def lonely(exercise: Exercise, mistakes: Sequence[Mistake]) -> Callable[..., Any]:
    """The reference with mistakes in it, out of reach of follow-through: its helpers are not the learner's own."""
    implementation = mistaken(exercise.lesson, exercise.reference, mistakes)

    def call(*args: Any, **kwargs: Any) -> Any:
        return implementation(*args, **kwargs)

    call.__name__ = exercise.name
    return call


def blank(exercise: Exercise) -> Any:
    """The stub a learner starts from: every solution region raises NotImplementedError."""
    text = re.sub(
        r"^([ \t]*)# BEGIN SOLUTION.*?# END SOLUTION",
        r"\1raise NotImplementedError()",
        source(home_of(exercise.lesson, exercise.reference)),
        flags=re.S | re.M,
    )
    values: dict[str, Any] = {"__name__": "blank"}
    exec(compile(text, "blank", "exec", dont_inherit=True), values)  # this file has its annotations as text
    return values[exercise.reference]


def alike(exercise: Exercise) -> list[tuple[str, str]]:
    """Names of mistakes that nobody could tell apart: they compute the same on every practice draw."""
    oracle = Oracle()
    known = oracle.mistakes(exercise)
    pairs = {pair for pair in itertools.combinations(range(len(known)), 2) if _differ_in_name(known, pair)}
    for probe, seed in itertools.product(exercise.probes, PRACTICE):
        with captured():  # wrong variants of the reference may warn
            table = oracle.table(exercise, probe, seed)
        for one in {one for one, _ in pairs}:
            same = table.agreeing(table.runs[table.which[one]])
            pairs -= {pair for pair in pairs if pair[0] == one and not same[pair[1]]}
    return list(dict.fromkeys((known[one].name, known[other].name) for one, other in sorted(pairs)))


def _differ_in_name(known: Sequence[Mistake], pair: tuple[int, int]) -> bool:
    return known[pair[0]].name != known[pair[1]].name


def variants_package() -> ModuleType | None:
    """`tests.variants` of this checkout, or None where this is none."""
    if not (ROOT / "tests" / "variants" / "__init__.py").is_file():
        return None
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    package = importlib.import_module("tests.variants")
    homes.join("tests.variants")
    return package


def has_variants(lesson: str) -> bool:
    """Whether there is a module of variants for a lesson; an instructor's own may do without."""
    return variants_package() is not None and importlib.util.find_spec(f"tests.variants.{lesson}") is not None


@cache
def variants(exercise: Exercise, kind: str) -> tuple[Any, ...]:
    """The implementations of one kind on which an exercise is tried, as far as they are written."""
    package = variants_package() if has_variants(exercise.lesson) else None
    found = package.of_exercise(exercise, kind) if package is not None else ()
    return tuple(one for one in found if not _is_unwritten(one.implementation))


def _is_unwritten(implementation: Any) -> bool:
    """Whether it still says TODO, as `autograder dev new` laid it out."""
    file = getattr(sys.modules.get(getattr(implementation, "__module__", "")), "__file__", None)
    if not file or not _says_todo(file):
        return False  # asking for the source of every variant takes seconds
    try:
        return UNWRITTEN in inspect.getsource(implementation)
    except (TypeError, OSError):
        return False


@cache
def _says_todo(file: str) -> bool:
    return UNWRITTEN in Path(file).read_text(encoding="utf-8")


# Trying ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Try:
    """One thing to try, in words that travel to another process.

    Attributes:
        exercise: whose check.
        kind: "reference", "probes", "stand-in", "blank", "mistake", "alike", or one of `VARIANT_KINDS`.
        number: which mistake or variant, in their order.
    """

    exercise: str
    kind: str
    number: int = 0


@dataclass(frozen=True)
class Came:
    """What came of a try.

    Attributes:
        status, points, mistake: the report's.
        said: what the report leads with.
        raised: the exceptions among the outcomes that were wrong.
        alike: pairs of names that look the same.
        wrong, odd: what is wrong with the probes themselves, and what is worth a look.
        broke: what went wrong with the try itself, when it did.
    """

    status: str = ""
    points: float = 0.0
    mistake: str | None = None
    said: str = ""
    raised: tuple[Raised, ...] = ()
    alike: list[tuple[str, str]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    broke: str = ""


def attempt_all(tries: Sequence[Try]) -> list[Came]:
    """Try one after the other."""
    return [attempt(one) for one in tries]


def attempt(one: Try) -> Came:
    """Try it; whatever goes wrong is told."""
    try:
        exercise = registry.exercise(one.exercise)
        if one.kind == "alike":
            return Came(alike=alike(exercise))
        if one.kind == "probes":
            wrong, odd = weaknesses(exercise)
            return Came(wrong=wrong, odd=odd)
        with _circumstances(one.kind):
            return _came(examine(exercise, _implementation(exercise, one)))
    except Exception as error:  # an author's slip in a check or a mistake is told like any other
        return Came(broke=f"{type(error).__name__}: {error}")


def _implementation(exercise: Exercise, one: Try) -> Any:
    if one.kind == "mistake":
        return lonely(exercise, [Oracle().mistakes(exercise)[one.number]])
    if one.kind in VARIANT_KINDS:
        return variants(exercise, one.kind)[one.number].implementation
    return {"reference": reference, "stand-in": registry.stand_in, "blank": blank}[one.kind](exercise)


@contextlib.contextmanager
def _circumstances(kind: str) -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        if kind in ("mistake", "disguise"):
            stack.enter_context(unwatched_code())
        if kind in SECONDS_FOR_PAIRS:
            stack.enter_context(patch("autograder.judging.pairs.PAIR_SECONDS", SECONDS_FOR_PAIRS[kind]))
        yield


def unwatched_code() -> contextlib.AbstractContextManager[Any]:
    """Nobody looks out for forbidden calls, which doubles a check's time: that is tried on what is right."""
    return patch("autograder.probing.run.watch", lambda *_, **__: contextlib.nullcontext())


def _came(report: Report) -> Came:
    told = [line for line in str(report).splitlines()[1:] if line.strip()]
    wrong = (finding.got.returned for finding in report.failures if finding.got)
    raised = (leaf for outcome in wrong for _, leaf in leaves(outcome) if isinstance(leaf, Raised))
    said = told[0] if told else report.message
    return Came(report.status, report.points, report.mistake, said, tuple(dict.fromkeys(raised)))
