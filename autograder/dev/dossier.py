"""What there is to an exercise, and what is missing: first by reading, then by what came of the tries."""

from __future__ import annotations

import importlib
import inspect
import itertools
import re
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from autograder import homes, registry
from autograder.dev import trying
from autograder.dev.trying import UNWRITTEN, VARIANT_KINDS, Came, Try
from autograder.judging.edits import BadEdit, check_fits, mistaken
from autograder.judging.oracle import LiveOracle, reference
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.reporting.causes import usual

HINTS, MISTAKES, VARIANTS = 3, 5, 3
"""How many an exercise has: hints exactly, names of mistakes and variants of a kind at least."""

FENCED = re.compile(r"```.*?```", re.DOTALL)
HEADING = re.compile(r"^\s*#{1,6} ", re.MULTILINE)

Variant = Any  # tests.variants.Variant, which no module of ours may import


@dataclass
class Dossier:
    """What is known of one exercise.

    Attributes:
        exercise: the exercise.
        missing: what is not as it should be, in sentences that say what to do.
        can_wait: the same, where a class can be given the exercise without it; only of an instructor's own lesson.
        remarks: what is worth a look.
        tries: what to try; none where something is missing that every try needs.
        came: what came of them.
    """

    exercise: Exercise
    missing: list[str] = field(default_factory=list)
    can_wait: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    tries: list[Try] = field(default_factory=list)
    came: dict[Try, Came] = field(default_factory=dict)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """All ways of all its mistakes."""
        return LiveOracle().mistakes(self.exercise)

    @property
    def names(self) -> set[str]:
        """The names of its mistakes, but for one that is still to be written."""
        return {one.name for one in self.mistakes if not one.name.startswith(UNWRITTEN)}

    def variants(self, kind: str) -> tuple[Variant, ...]:
        """The implementations of one kind that are written."""
        return trying.variants(self.exercise, kind)

    @property
    def is_tried(self) -> bool:
        """Whether everything has come that was to be tried."""
        return len(self.came) == len(self.tries)

    @property
    def line(self) -> str:
        """Everything that was looked at, counted."""
        probes = _counted(len(self.exercise.probes), "probe")
        if self.exercise.repairs:
            return f"{probes} of {self.exercise.reference}, whose reference passes: all as they should be"
        ways = f"{_counted(len(self.names), 'mistake')} ({_counted(len(self.mistakes), 'way')})"
        if trying.variants_package() is None:
            return f"{probes}, {ways}: all as they should be; no checkout, so nothing else was tried"
        right, unlisted, disguised = (len(self.variants(kind)) for kind in VARIANT_KINDS)
        tried = f"{_counted(disguised, 'disguise')}, {right} right and {unlisted} unlisted variants"
        return f"{probes}, {ways}, {tried}: all as they should be"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


# By reading ----------------------------------------------------------------------------


def dossier(exercise: Exercise) -> Dossier:
    """What can be said of an exercise without trying anything, and what there is to try."""
    known = Dossier(exercise)
    known.missing += _unwritten(exercise)
    if exercise.repairs:
        known.tries = [Try(exercise.name, "reference")] if exercise.probes else []
        return known
    unfit = [said for said in _unfit(known) if f"{UNWRITTEN}: " not in said]
    (known.can_wait if is_own(exercise.lesson) else known.missing).extend(_too_few(known))
    known.missing += unfit
    known.tries = list(_tries(known)) if exercise.probes else []
    return known


def is_own(lesson: str) -> bool:
    """Whether a lesson is an instructor's own, of which less is asked than of the course's."""
    return registry.home(lesson) != homes.ROOT


def _unwritten(exercise: Exercise) -> Iterator[str]:
    where = shown(registry.files("checks", exercise.lesson)[0])
    if len(exercise.hints) != HINTS:
        yield f"It has {_counted(len(exercise.hints), 'hint')}; write three in {where}."
    for number, hint in enumerate(exercise.hints, start=1):
        if HEADING.search(FENCED.sub("", hint)):
            fences = "put code between ```python and ```"
            yield f"Hint {number} has a comment that a page shows as a heading; {fences}, in {where}."
    if not exercise.probes:
        yield f"It has no probe, so anything passes; write some in {where}."
    if not exercise.repairs and registry.stand_in(exercise) is None:
        yield f"It has no stand-in; define {exercise.name} in {_file('stand_ins', exercise)}."


def _too_few(known: Dossier) -> Iterator[str]:
    if len(known.names) < MISTAKES:
        where = _file("mistakes", known.exercise)
        yield f"It has {_counted(len(known.names), 'mistake')} by name; write at least five in {where}."
    if trying.variants_package() is None:
        return
    place = _file("variants", known.exercise)
    for kind in ("correct", "unlisted"):
        count = len(known.variants(kind))
        if count < VARIANTS:
            form = f"@{kind}({known.exercise.name!r})"
            yield f"It has {_counted(count, f'{kind} variant')}; write at least three as {form} in {place}."
    disguised = {one.mistake for one in known.variants("disguise") if not one.trunk}
    for name in sorted(known.names - disguised):
        yield f"The mistake {name!r} has no disguise; write it in full, as @{_disguise(known, name)}, in {place}."
    pairs = {f"{one} + {other}" for one, other in itertools.permutations(known.names, 2)}
    for name in sorted(disguised - known.names - pairs):
        names = _file("mistakes", known.exercise)
        yield f"A disguise in {place} is called {name!r}, as no mistake is; the names stand in {names}."


def _disguise(known: Dossier, name: str) -> str:
    return f'disguise("{known.exercise.name}", "{name}")'


def _unfit(known: Dossier) -> Iterator[str]:
    """Mistakes that cannot be made in the reference."""
    for one in known.mistakes:
        try:
            check_fits(known.exercise.lesson, one)
            mistaken(known.exercise.lesson, known.exercise.reference, [one])
        except BadEdit as error:  # it says what it looked for
            yield f"A mistake does not fit the reference: {error}."
        except Exception as error:
            yield f"With the mistake {one.name!r} in it the reference does not run: {type(error).__name__}: {error}."


def _tries(known: Dossier) -> Iterator[Try]:
    exercise = known.exercise
    kinds = ["reference", "blank", "probes", *(["stand-in"] if registry.stand_in(exercise) else [])]
    yield from (Try(exercise.name, kind) for kind in kinds)
    yield from (Try(exercise.name, "correct", number) for number in range(len(known.variants("correct"))))
    if any(_unfit(known)):  # what is wrong is compared with all of them
        return
    yield from (Try(exercise.name, "mistake", number) for number in range(len(known.mistakes)))
    yield Try(exercise.name, "alike")
    for kind in ("disguise", "unlisted"):
        yield from (Try(exercise.name, kind, number) for number in range(len(known.variants(kind))))


def _file(part: str, exercise: Exercise) -> str:
    """Where something of an exercise stands or will stand, as a person names it."""
    if part == "variants":
        folder = registry.home(exercise.lesson) / "tests" / "variants"
        module = folder / f"{exercise.lesson}.py"
        return shown(folder / exercise.lesson if (folder / exercise.lesson).is_dir() else module)
    found = registry.files(part, exercise.lesson)
    folder = registry.home(exercise.lesson) / "autograder" / part
    return shown(found[0] if len(found) == 1 else folder / exercise.lesson) if found else f"{shown(folder)}/"


def shown(path: Path) -> str:
    """A path as it is seen from the root of the checkout, or from where one stands."""
    places = (place for place in (trying.ROOT, Path.cwd()) if path.is_relative_to(place))
    return next((path.relative_to(place).as_posix() for place in places), str(path))


def does_not_import(module: str) -> str:
    """What keeps a module from being imported, in a sentence; "" when nothing does."""
    try:
        importlib.import_module(module)
    except Exception as error:
        return f"{module} cannot be imported: {type(error).__name__}: {error}{_place(error)}."
    return ""


def _place(error: Exception) -> str:
    """The last line of an author's own that an exception came through."""
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    ours = homes.below("")
    frames = [one for one in traceback.extract_tb(error.__traceback__) if one.filename.startswith(ours)]
    machinery = ("/autograder/dev/", "/autograder/probing/")
    inner = [one for one in frames if not any(part in Path(one.filename).as_posix() for part in machinery)]
    return f" ({shown(Path(inner[-1].filename))}, line {inner[-1].lineno})" if inner else ""


# By what came of the tries ----------------------------------------------------------------


def conclude(known: Dossier) -> None:
    """Say what the tries have shown."""
    known.came = {one: known.came[one] for one in known.tries if one in known.came}  # in their order
    probes = _came_of(known, "probes")
    first = ("reference",) if probes.wrong else ("reference", "blank")  # a blank is a function as any to a wrong probe
    basics = [_basic(known, one, came) for one, came in known.came.items() if one.kind in first]
    known.missing += [said for said in basics if said]
    if _came_of(known, "reference").status == "blank":
        return  # nothing can be compared with it
    known.missing[:0] = probes.wrong  # the rest may come of it
    known.remarks += probes.odd
    if len(probes.wrong) == len(known.exercise.probes):
        return  # nothing that was compared says anything
    for one, came in known.came.items():
        if one.kind not in ("reference", "blank") and (said := _sentence(known, one, came)):
            known.missing.append(said)
    known.remarks += _idle_traps(known)


def _came_of(known: Dossier, kind: str) -> Came:
    return next((came for one, came in known.came.items() if one.kind == kind), Came())


def _basic(known: Dossier, one: Try, came: Came) -> str:
    home = shown(registry.home(known.exercise.lesson) / "solutions" / f"{known.exercise.lesson}.py")
    if came.broke:
        return f"The {one.kind} could not be tried: {came.broke}."
    if one.kind == "reference":
        if came.status == "blank":
            return f"Its reference is not written yet, so nothing else was tried; write it in {home}."
        return "" if came.status == "passed" else f"Its reference in {home} does not pass: {came.said}"
    if came.status != "blank" or came.points or came.mistake:
        got = f"{_points(came)} and the status {came.status!r}"
        return f"The blank stub gets {got}; # BEGIN SOLUTION in {home} should leave nothing to run."
    return ""


def _sentence(known: Dossier, one: Try, came: Came) -> str:
    """What is wrong about one try; "" when it went as it should."""
    if one.kind == "alike":
        pairs = " and ".join(f"{a!r} like {b!r}" for a, b in came.alike)
        return f"Some mistakes look the same, so no probe tells them apart: {pairs}." if pairs else came.broke
    what = _what(known, one)
    if one.kind == "probes" and not came.broke:
        return ""
    if came.broke:
        return f"{what} could not be tried: {came.broke}."
    if came.status == "blank" and one.kind != "mistake":
        return f"{what} is not written yet."
    if one.kind in ("stand-in", "correct"):
        return "" if came.status == "passed" else f"{what} should pass, and has {_points(came)}: {came.said}"
    if came.status == "passed":
        return f"{what} passes: write a probe that sees the difference."
    if one.kind == "unlisted":
        return f"{what} is on no list, and is called {came.mistake!r}." if came.mistake else ""
    name = _name(known, one)
    if came.mistake == name:
        return ""
    if came.mistake:
        return f"{what} is caught, and called {came.mistake!r}."
    return f"{what} is caught, and gets no name ({came.status}): {came.said}"


def _name(known: Dossier, one: Try) -> str:
    """The name that a wrong try should be given."""
    if one.kind == "mistake":
        return known.mistakes[one.number].name
    return str(known.variants(one.kind)[one.number].mistake)


def _what(known: Dossier, one: Try) -> str:
    """A try as a person speaks of it."""
    if one.kind == "probes":
        return "What the probes give on the reference"
    if one.kind == "stand-in":
        return f"The stand-in in {_file('stand_ins', known.exercise)}"
    if one.kind == "mistake":
        made = known.mistakes[one.number]
        way = " and ".join(f"{old!r} → {new!r}" for old, new in made.edits.items()) or "a whole implementation"
        return f"The mistake {made.name!r} (by {way})"
    variant = known.variants(one.kind)[one.number]
    of = f"disguise of {variant.mistake!r}" if one.kind == "disguise" else f"{one.kind} variant"
    return f"The {of} {_defined(variant.implementation)}"


def _defined(implementation: Any) -> str:
    """A variant's name, and where it stands where Python knows."""
    name = getattr(implementation, "__name__", "without a name")
    try:
        file, (_, line) = inspect.getfile(implementation), inspect.getsourcelines(implementation)
    except (TypeError, OSError):
        return f"`{name}`"
    return f"`{name}` ({shown(Path(file))}, line {line})"


def _points(came: Came) -> str:
    return f"{came.points:g} point{'' if came.points == 1 else 's'}"


def _idle_traps(known: Dossier) -> Iterator[str]:
    """Exceptions that the exercise speaks of and that nothing which was tried has raised."""
    raised = [error for came in known.came.values() for error in came.raised]
    for trap in known.exercise.traps if any(one.kind == "mistake" for one in known.came) else ():
        if not any(usual(error, {trap: "known"}) for error in raised):
            yield f"Nothing that was tried raises the trap {trap!r}: a variant that does would show that it is real."


def has_reference(exercise: Exercise) -> bool:
    """Whether the lesson's module of the reference defines it."""
    try:
        return callable(reference(exercise))
    except AttributeError:
        return False


def said_of(problems: Sequence[str]) -> str:
    """Sentences as a list below a line."""
    return "".join(f"\n  - {one}" for one in problems)
