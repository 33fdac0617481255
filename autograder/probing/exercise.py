"""What a check is: an exercise, the probes that look at it, and the mistakes people make in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from autograder.probing.mistake import Mistake, Shows, Way, way_of

RUNGS = ("parameters", "type", "values", "invariants", "gradients", "edges")
"""The order in which a report leads with what failed. A probe stands on one of the last four.

Values come before invariants: a probe returns what was computed, so an invariant's probe also fails when nothing
is wrong but the values, and leading with it would point at the wrong thing.
"""

CREDIT_RUNGS = frozenset({"values", "gradients", "edges"})
"""Only probes on these rungs carry points: a stub can have the right parameters by being given them."""


OWN = "own "
"""Stands before the name of an exercise whose call is forbidden: `gelu` is torch's, `own gelu` the learner's."""


@dataclass(frozen=True)
class Probe:
    """A function from an implementation to what that implementation computes.

    Attributes:
        name: unique within its exercise; seeds the draws.
        says: what a right implementation does, as a sentence without a subject.
        compute: `compute(implementation, draw)` returns an outcome (see `outcome.freeze`).
        rung: one of `RUNGS`; decides when a failure is shown and whether it carries points.
        float64: run with float64 as the default dtype.
        hides: makes the text of what a sandbox is given for this probe alone; None where it has all that is needed.
        once: run on the first draw alone, as none of its numbers is drawn.
    """

    name: str
    says: str
    compute: Callable[..., Any]
    rung: str = "values"
    float64: bool = False
    hides: Callable[[], str] | None = None
    once: bool = False

    @property
    def hidden(self) -> str:
        """The text of what a sandbox is given for this probe alone; "" where it has all that is needed."""
        return self.hides() if self.hides else ""


def lesson_of(module: str) -> str:
    """The lesson to which a module of checks belongs: `checks/layer_norm.py`, or a file in `checks/training/`."""
    _, in_checks, within = module.rpartition(".checks.")
    return within.partition(".")[0] if in_checks else module.rpartition(".")[2]


class Exercise:
    """One thing to implement, what it is worth, and the probes that look at it.

    Args:
        name: the name of the function or class, the same in notebook, reference and library.
        points: 1 for a helper, 2 for a function, 3 to 5 for a module.
        forbidden: functions and packages that would do the work instead (`"layer_norm"`), see `watch.py`. The exercise
            that this one repairs and those it is done by are forbidden too.
        hints: three steps: a nudge, a skeleton in comments, nearly the answer.
        traps: "I get <this exception>" → what usually causes it here.
        stretch: checked and worth points, never needed later.
        repairs: the exercise whose reference, probes and mistakes this one shares. The learner starts
            from wrong code, so points are all or nothing: wrong code can pass some probes.
        done_by: earlier exercises that compute the same. Who calls one of them has nothing of their own in it, so its
            stand-in is never lent to this one.
        draws: what it gives is drawn by chance, as it should be.
        memory: what code that keeps something from call to call usually keeps here.
        wild: the learner starts from wrong code, as in a repair, and there is no other exercise that it repairs.
        shows: the repair whose fault this one shows: what is handed in is a probe (see `lineup.py`).
        hunt: wrong code with many faults, one for each probe that carries points. A report says how many are left, and
            which is the first when it is asked again. Points are for the share that is mended.
    """

    def __init__(
        self,
        name: str,
        *,
        points: int,
        forbidden: Sequence[str] = (),
        hints: Sequence[str] = (),
        traps: Mapping[str, str] | None = None,
        stretch: bool = False,
        repairs: Exercise | None = None,
        done_by: Sequence[Exercise] = (),
        draws: bool = False,
        memory: str = "",
        wild: bool = False,
        shows: Exercise | None = None,
        hunt: bool = False,
    ) -> None:
        self.name = name
        self.points = points
        self.hints = tuple(hints)
        self.traps = dict(traps or {})
        self.stretch = stretch
        self.repairs = repairs
        self.done_by = tuple(done_by)
        self.draws = draws
        self.memory = memory
        self.wild = wild or hunt
        self.hunt = hunt
        self.shows = shows
        works = tuple(forbidden) or (repairs.forbidden if repairs else ())
        self.forbidden: tuple[str, ...] = (*works, *(OWN + one.name for one in self.instead))
        self.lesson = lesson_of(str(sys._getframe(1).f_globals["__name__"]))
        self._probes: list[Probe] = []
        self._mistakes: list[Mistake] = []

    @property
    def instead(self) -> tuple[Exercise, ...]:
        """Earlier exercises that would do the whole work: what this one repairs, and what computes the same."""
        return (*([self.repairs] if self.repairs else []), *self.done_by)

    @property
    def starts_wrong(self) -> bool:
        """Whether the learner starts from wrong code: then points are all or nothing."""
        return self.wild or self.repairs is not None

    def __repr__(self) -> str:
        return f"Exercise({self.name!r}, points={self.points})"

    @property
    def reference(self) -> str:
        """The name under which `solutions`, `mistakes` and `stand_ins` know this exercise."""
        return self.repairs.name if self.repairs else self.name

    @property
    def probes(self) -> tuple[Probe, ...]:
        """The probes in the order in which they were written."""
        return self.repairs.probes if self.repairs else tuple(self._probes)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """The ways of all known mistakes, in the order of the text; none until `mistakes/` is imported."""
        return self.repairs.mistakes if self.repairs else tuple(self._mistakes)

    @property
    def known_traps(self) -> dict[str, str]:
        """The exceptions that have a usual cause here; those of what it repairs belong to them."""
        return {**(self.repairs.traps if self.repairs else {}), **self.traps}

    def probe(
        self, says: str, *, rung: str = "values", float64: bool | None = None
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Add the decorated function as a probe.

        Args:
            says: what a right implementation does, as a sentence without a subject.
            rung: "invariants", "values", "gradients" or "edges".
            float64: default dtype float64 while it runs; gradients do so unless told otherwise.

        Raises:
            ValueError: for an unknown rung or a name used twice.
        """
        if rung not in RUNGS[2:]:
            raise ValueError(f"rung={rung!r} is none of {', '.join(RUNGS[2:])}")

        def add(compute: Callable[..., Any]) -> Callable[..., Any]:
            double = rung == "gradients" if float64 is None else float64
            self.add_probe(Probe(compute.__name__, says, compute, rung, double))
            return compute

        return add

    def add_probe(self, probe: Probe) -> None:
        """Add a probe.

        Raises:
            ValueError: for a name used twice.
        """
        if any(one.name == probe.name for one in self._probes):
            raise ValueError(f"{self.name} already has a probe called {probe.name}")
        self._probes.append(probe)

    def mistake(
        self, name: str, says: str, *ways: Way | Mapping[str, str] | Callable[..., Any], also: Sequence[Exercise] = ()
    ) -> None:
        """Add a mistake that people make here: one name, one explanation, and the ways of making it.

        Args:
            name: what a report and a class statistic call it.
            says: what happened, why it matters, where to look; two or three sentences.
            ways: edits of this exercise's reference, old text to new; `edit(...)` where an edit needs more to be
                said of it; a whole implementation where no edit can express the way.
            also: other exercises that show the mistake.

        Raises:
            ValueError: without a way, or when this exercise already has a mistake of that name.
            TypeError: for a way that is neither an edit nor a whole implementation.
        """
        if not ways:
            raise ValueError(f"{self.name}: {name!r} needs at least one way of making it")
        shown = (self, *also)
        if any(one.name == name for exercise in shown for one in exercise._mistakes):
            raise ValueError(f"{self.name} already has a mistake called {name!r}: add the way to it")
        for way in map(way_of, ways):
            where: Sequence[Shows] = shown if way.of is None else way.of
            made = way.mistake(name, says, tuple(one.reference for one in where), self.reference)
            for exercise in where:
                exercise.add(made)

    def add(self, mistake: Mistake) -> None:
        """Add one way of making a mistake."""
        self._mistakes.append(mistake)
