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
from course.widgets.base import graded
from course.widgets.figures import Picture

Answer = tuple[list[str], Sequence[Tensor]]
LARGEST = 10**12


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
            self.stepper = _stepper(weights, source, [*target, self.end])
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
        ValueError: if it is neither; says so.
    """
    digits = re.sub(r"[\s,_.']", "", text)
    if digits.isdecimal():
        if int(digits) >= LARGEST:
            raise ValueError(f"{digits} is too large; give less than a million millions")
        return english(int(digits))
    words = re.findall(r"[a-z]+", text.lower())
    if not words:
        raise ValueError("type a number, such as 342 or forty-two")
    return words


def verdict(text: str, target: Sequence[str]) -> str:
    """Whether a translation is right, for numbers given in digits."""
    digits = re.sub(r"[\s,_.']", "", text)
    if not digits.isdecimal():
        return ""
    right = num2words(int(digits), lang="de")
    return ", right" if right == "".join(target) else f", wrong: it is {right}"


def _told(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is not in its vocabulary: it never read this word."
    return str(error) if isinstance(error, ValueError) else f"Your code raised {type(error).__name__}: {error}"


def _stepper(weights: Sequence[Tensor], source: list[str], target: list[str]) -> CrossAttentionStepper | None:
    try:
        return CrossAttentionStepper(list(weights), source=source, target=target)
    except ValueError:  # more tokens than can be drawn, as a model may write on and on
        return None
