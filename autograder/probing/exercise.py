"""What a check is: an exercise, the probes that look at it, and the mistakes people make in it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

RUNGS = ("parameters", "type", "values", "invariants", "gradients", "edges")
"""The order in which a report leads with what failed. A probe stands on one of the last four.

Values come before invariants: a probe returns what was computed, so an invariant's probe also fails when nothing
is wrong but the values, and leading with it would point at the wrong thing.
"""

CREDIT_RUNGS = frozenset({"values", "gradients", "edges"})
"""Only probes on these rungs carry points: a stub can have the right parameters by being given them."""


@dataclass(frozen=True)
class Probe:
    """A function from an implementation to what that implementation computes.

    Attributes:
        name: unique within its exercise; seeds the draws.
        says: what a right implementation does, as a sentence without a subject.
        compute: `compute(implementation, draw)` returns an outcome (see `outcome.freeze`).
        rung: one of `RUNGS`; decides when a failure is shown and whether it carries points.
        float64: run with float64 as the default dtype.
    """

    name: str
    says: str
    compute: Callable[..., Any]
    rung: str = "values"
    float64: bool = False


@dataclass(frozen=True)
class Mistake:
    """A wrong implementation that people really write, as an edit of the reference.

    Attributes:
        name: what a report and a class statistic call it.
        of: the exercise it belongs to, or several that can show it.
        says: what happened, why it matters, where to look; two or three sentences.
        swap, by: the text to replace in the reference, and its replacement.
        swaps: several replacements at once, instead of `swap` and `by`.
        inside: the definition that is edited (`"LayerNorm"` or `"LayerNorm.forward"`);
            by default the first of `of`.
        instead: a whole implementation, where no edit can express the mistake.
    """

    name: str
    of: str | tuple[str, ...]
    says: str
    swap: str = ""
    by: str = ""
    swaps: Mapping[str, str] = field(default_factory=dict, hash=False)
    inside: str = ""
    instead: Callable[..., Any] | None = None

    @property
    def exercises(self) -> tuple[str, ...]:
        """The names of the exercises that can show this mistake."""
        return (self.of,) if isinstance(self.of, str) else self.of

    @property
    def edits(self) -> dict[str, str]:
        """Old text to new text; empty for a mistake written as a whole implementation."""
        return {self.swap: self.by, **self.swaps} if self.swap else dict(self.swaps)

    @property
    def place(self) -> str:
        """The definition of the reference in which the edit happens."""
        return self.inside or self.exercises[0]


class Exercise:
    """One thing to implement, what it is worth, and the probes that look at it.

    Args:
        name: the name of the function or class, the same in notebook, reference and library.
        points: 1 for a helper, 2 for a function, 3 to 5 for a module.
        forbidden: functions that would do the work instead (`"layer_norm"`), see `watch.py`.
        hints: three steps: a nudge, a skeleton in comments, nearly the answer.
        traps: "I get <this exception>" → what usually causes it here.
        stretch: checked and worth points, never needed later.
        repairs: the exercise whose reference, probes and mistakes this one shares. The learner starts
            from wrong code, so points are all or nothing: wrong code can pass some probes.
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
    ) -> None:
        self.name = name
        self.points = points
        self.forbidden: tuple[str, ...] = tuple(forbidden) or (repairs.forbidden if repairs else ())
        self.hints = tuple(hints)
        self.traps = dict(traps or {})
        self.stretch = stretch
        self.repairs = repairs
        # The module that defines an exercise is named after its lesson (`checks/layer_norm.py`).
        self.lesson = str(sys._getframe(1).f_globals["__name__"]).rpartition(".")[2]
        self._probes: list[Probe] = []

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
            name = compute.__name__
            if any(probe.name == name for probe in self._probes):
                raise ValueError(f"{self.name} already has a probe called {name}")
            double = rung == "gradients" if float64 is None else float64
            self._probes.append(Probe(name, says, compute, rung, double))
            return compute

        return add
