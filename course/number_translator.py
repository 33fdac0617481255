"""Type a number and see it translated, token by token, by the learner's own model."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from ipywidgets import HTML, Layout, Text, VBox
from num2words import num2words
from torch import Tensor

from course.number_words import english
from course.tokens import Strips
from course.widgets import CrossAttentionStepper
from course.widgets.alignment import LONGEST
from course.widgets.base import graded
from course.widgets.figures import Picture

Answer = tuple[list[str], Sequence[Tensor]]
LARGEST = 10**12
MOST_WORDS = 64
"""The positions that the models of the course have."""

GROUPED = re.compile(r"\d+|(?!0)\d{1,3}([\s.,'\u2019_])\d{3}(?:\1\d{3})*")
"""A whole number in digits, all in a row or in groups of three."""


class NumberTranslator(VBox):
    """A field for a number, in digits or in English words, its translation, and what each part of it reads.

    Args:
        translate: `translate(source)` gives the target tokens of one list of source tokens, and the cross-attention of
            each layer, (1, heads, tgt, src), with one row for each of them.
        text: the number to begin with.
        end: what the last target token is called; its row is that after the last word.
    """

    def __init__(self, translate: Callable[[list[str]], Answer], text: str = "42", *, end: str = "<eos>") -> None:
        self.translate, self.end = translate, end
        self.field = Text(text, description="a number", continuous_update=False, layout=Layout(width="420px"))
        self.words = HTML()
        self.stepper: CrossAttentionStepper | None = None
        self.field.observe(self._draw, "value")
        super().__init__([self.field, self.words])
        self._draw()

    def open(self) -> None:
        """Connect to the browser, except in a graded run, where nothing would answer."""
        if not graded():
            super().open()

    def plot(self) -> Picture | None:
        """The attention as a static figure; None where there is nothing to show."""
        return self.stepper.plot() if self.stepper else None

    def _draw(self, _: Any = None) -> None:
        self.stepper = None
        try:
            source = tokens_of(self.field.value)
            target, weights = self.translate(source)
        except Exception as error:  # whatever the learner's code raises is said, and the notebook goes on
            self.words.value = f"<p>{escape(_told(error))}</p>"
        else:
            self.words.value = self._strips(source, target)
            self.stepper, left_out = _stepper(weights, source, [*target, self.end])
            self.words.value += f"<p>{escape(left_out)}</p>" if left_out else ""
        self.children = [self.field, self.words, *([self.stepper] if self.stepper else [])]

    def _strips(self, source: list[str], target: list[str]) -> str:
        rows = Strips({"English": source, "German": target})._repr_html_()
        return f"{rows}<p><b>{escape(''.join(target))}</b>{escape(verdict(self.field.value, target))}</p>"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        picture = self.plot()
        data, metadata = picture._repr_mimebundle_() if picture else ({}, {})
        static = {**data, "text/html": self.words.value + data.get("text/html", ""), "text/plain": self.alt}
        if graded():
            return static, metadata
        live = super()._repr_mimebundle_(**kwargs)
        return {**static, **((live[0] if isinstance(live, tuple) else live) or {})}, metadata

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        said = re.sub(r"<style>.*?</style>|<[^>]+>", " ", self.words.value, flags=re.DOTALL)
        return " ".join(f"{self.field.value}: {said} {self.stepper.alt if self.stepper else ''}".split())


def tokens_of(text: str) -> list[str]:
    """What was typed as English words: 342, 12,000, or words with or without hyphens.

    Raises:
        ValueError: if it is neither, or too much; says so.
    """
    digits = _digits(text)
    if len(digits) > len(str(LARGEST - 1)):
        raise ValueError(f"{_short(digits)} is too large; give less than a million millions")
    if digits:
        return english(int(digits))
    if re.search(r"\d", text):
        raise ValueError(f"{_short(text.strip())} cannot be read; type a whole number, such as 342 or 12,000")
    words = re.findall(r"[a-z]+", text.lower())
    if not words:
        raise ValueError("type a number, such as 342 or forty-two")
    if len(words) > MOST_WORDS:
        raise ValueError(f"{len(words)} words are too many; give {MOST_WORDS} words at most")
    return words


def verdict(text: str, target: Sequence[str]) -> str:
    """Whether a translation is right, for numbers given in digits."""
    digits = _digits(text)
    if not digits:
        return ""
    right = num2words(int(digits), lang="de")
    return ", right" if right == "".join(target) else f", wrong: it is {right}"


def _digits(text: str) -> str:
    """The digits of a whole number, without what parts its groups and zeros in front; "" if it is none."""
    if not GROUPED.fullmatch(text.strip()):
        return ""
    return re.sub(r"\D", "", text).lstrip("0") or "0"


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:20]}… ({len(text)} characters)"


def _told(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{_short(repr(error.args[0]))} is not in its vocabulary: it never read this word."
    return str(error) if isinstance(error, ValueError) else f"Your code raised {type(error).__name__}: {error}"


def _stepper(
    weights: Sequence[Tensor], source: list[str], target: list[str]
) -> tuple[CrossAttentionStepper | None, str]:
    """The attention; where it cannot be drawn None, and why."""
    most = max(len(source), len(target))
    if most > LONGEST:  # a model may write on and on
        return None, f"The attention is too long to draw: {most} tokens; {LONGEST} at most can be drawn."
    try:
        return CrossAttentionStepper(list(weights), source=source, target=target), ""
    except ValueError as error:
        return None, f"The attention cannot be drawn: {error}."
