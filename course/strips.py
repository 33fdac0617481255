"""A text whose tokens are coloured by which of two models predicted them better."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from course.tokens import STYLE, Token, readable
from course.widgets.numbers import number

BETTER, WORSE = "66,133,200", "217,119,60"
"""Blue and orange, laid half transparent over the page's own colour, so that they fit both themes."""

STRONGEST = 0.7
LIMIT = 4.0
"""Nats of difference from which on the colour is at its strongest."""


class GainStrip:
    """A text in which blue tokens are those that the first model predicted better; displays itself.

    Args:
        tokens: the text, piece by piece.
        losses: the first model's loss of each token, in nats.
        others: the second model's.
        names: what the two are called.

    Raises:
        ValueError: if there are not as many losses as tokens.
    """

    def __init__(
        self, tokens: Sequence[Token], losses: Sequence[float], others: Sequence[float], names: tuple[str, str]
    ) -> None:
        if not len(tokens) == len(losses) == len(others):
            raise ValueError(f"{len(tokens)} tokens, {len(losses)} and {len(others)} losses; give as many of each")
        self.tokens = [readable(one) for one in tokens]
        self.losses, self.others, self.names = list(map(float, losses)), list(map(float, others)), names

    @property
    def caption(self) -> str:
        """How often the first is better, and by how much on the mean."""
        gains = [other - own for own, other in zip(self.losses, self.others, strict=True)]
        wins = sum(gain > 0 for gain in gains)
        mean = sum(gains) / max(1, len(gains))
        said = f"{number(abs(mean))} nats {'cheaper' if mean >= 0 else 'dearer'} on average"
        return f"{self.names[0]} is better at {wins} of {len(gains)} tokens than {self.names[1]}, and {said}."

    def __repr__(self) -> str:
        best = sorted(zip(self.others, self.losses, self.tokens, strict=True), key=lambda one: one[1] - one[0])[:8]
        lines = [f"   {token:14} {own:5.2f} against {other:5.2f}" for other, own, token in best]
        return "\n".join([self.caption, "Where it gains most, in nats:", *lines])

    def _repr_html_(self) -> str:
        chips = "".join(map(self._chip, self.tokens, self.losses, self.others))
        key = (
            f'<span style="background:rgba({BETTER},{STRONGEST})">blue</span> {escape(self.names[0])} knew it better, '
            f'<span style="background:rgba({WORSE},{STRONGEST})">orange</span> {escape(self.names[1])} did; '
            f"strongest from {LIMIT:g} nats on. Point at a token for its numbers."
        )
        text = f'<div class="course-strips"><div><p>{chips}</p></div><div><p><small>{key}</small></p></div></div>'
        return f"{STYLE}<p>{escape(self.caption)}</p>{text}"

    def _chip(self, token: str, own: float, other: float) -> str:
        gain = other - own
        strength = STRONGEST * min(1.0, abs(gain) / LIMIT)
        look = f"background:rgba({BETTER if gain > 0 else WORSE},{strength:.2f})"
        said = f"{self.names[0]} {number(own)}, {self.names[1]} {number(other)} nats"
        return f'<span style="{look}" title="{escape(said)}">{escape(token)}</span><wbr>'
