"""What a mistake is: a wrong implementation that people really write, as an edit of the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol


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
        varies: what it computes differs from process to process, so that it cannot be stored.
    """

    name: str
    of: str | tuple[str, ...]
    says: str
    swap: str = ""
    by: str = ""
    swaps: Mapping[str, str] = field(default_factory=dict, hash=False)
    inside: str = ""
    instead: Callable[..., Any] | None = None
    varies: bool = False

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


class Shows(Protocol):
    """An exercise, as far as a mistake knows it: what its reference is called, and that mistakes are added to it."""

    @property
    def reference(self) -> str: ...

    def add(self, mistake: Mistake) -> None: ...


@dataclass(frozen=True)
class Way:
    """One way of making a mistake, see `edit`."""

    swaps: Mapping[str, str] = field(default_factory=dict, hash=False)
    inside: str = ""
    says: str = ""
    of: tuple[Shows, ...] | None = None
    instead: Callable[..., Any] | None = None
    varies: bool = False

    def mistake(self, name: str, says: str, of: tuple[str, ...], place: str) -> Mistake:
        """The mistake made in this way.

        Args:
            name, says: the mistake's.
            of: names of the exercises that show it.
            place: the definition that is edited, where the way says nothing else.
        """
        inside = "" if self.instead else self.inside or place
        made = Mistake(name, of, self.says or says, swaps=dict(self.swaps), inside=inside, instead=self.instead)
        return replace(made, varies=self.varies)


def edit(
    swaps: Mapping[str, str],
    *,
    inside: str = "",
    says: str = "",
    of: Sequence[Shows] | None = None,
    varies: bool = False,
) -> Way:
    """A way of making a mistake, where old text and new are not all that there is to say of it.

    Args:
        swaps: text of the reference → what stands there instead; each must occur exactly once.
        inside: the definition that is edited (`"LayerNorm.forward"`, `"add_norm"`), where it is not the exercise.
        says: an explanation of its own, where the mistake's is not true of this way.
        of: the exercises that show this way, where they are not those of the mistake.
        varies: what it computes differs from process to process, as the order of a set does, or from machine to
            machine, as rounding does.
    """
    return Way(dict(swaps), inside, says, None if of is None else tuple(of), varies=varies)


def way_of(given: Way | Mapping[str, str] | Callable[..., Any]) -> Way:
    """An edit or a whole implementation as a way.

    Raises:
        TypeError: for anything else.
    """
    if isinstance(given, Way):
        return given
    if not isinstance(given, Mapping) and not callable(given):
        raise TypeError(f"{given!r} is no way of making a mistake: give {{old text: new text}}, or a function or class")
    return Way(dict(given)) if isinstance(given, Mapping) else Way(instead=given)
