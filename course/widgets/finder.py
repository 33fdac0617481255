"""A name of your own, and the nearest in every language: found by your model, and which characters made it so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
import traitlets
from torch import Tensor

from course.widgets.base import CourseWidget, Settings
from course.widgets.calls import Answer, ask, name_of, tensor_of
from course.widgets.figures import Picture, heatmap, panels
from course.widgets.numbers import number
from course.widgets.tensors import packed

LONGEST = 24
"""A longer text is cut off: a column is drawn for each character."""


class NameFinder(CourseWidget):
    """The nearest name in each of several lists, and what the score of each would be without a character.

    Args:
        encode: names to vectors, (names, d_model); yours, as the lesson has trained it.
        collections: language → its names.
        text: what stands there at first.

    Raises:
        ValueError: if there is no list, or one of them is empty.
    """

    entry = "finder.js"
    text = traitlets.Unicode().tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(
        self, encode: Callable[[list[str]], Tensor], collections: Mapping[str, Sequence[str]], *, text: str = ""
    ) -> None:
        empty = [language for language, names in collections.items() if not len(names)]
        if not collections or empty:
            raise ValueError(f"collections has {len(collections)} lists, empty: {empty}; give each at least one name")
        self.encode = encode
        self.collections = {language: list(names) for language, names in collections.items()}
        self.languages = list(self.collections)
        self.trouble = ""
        self.known: dict[str, np.ndarray] = {}
        for language, names in self.collections.items():
            vectors = self._encoded(names)
            if vectors.trouble:
                self.trouble = vectors.trouble
                break
            self.known[language] = vectors.value
        self.broken = self.trouble
        super().__init__(text=text)
        self._refresh()
        self.observe(self._refresh, ["text"])

    def _encoded(self, texts: list[str]) -> Answer:
        """Vectors of length 1, or zeros; or in words why there are none."""
        name = name_of(self.encode, "encode")
        answer = ask(self.encode, list(texts), name=name)
        if answer.trouble:
            return answer
        width = answer.value.shape[-1] if isinstance(answer.value, Tensor) and answer.value.dim() == 2 else 0
        taken = tensor_of(answer.value, (len(texts), width), f"`{name}` returned")
        if taken.trouble:
            return taken
        lengths = np.linalg.norm(taken.value, axis=1, keepdims=True)
        return Answer(taken.value / np.where(lengths > 0, lengths, 1))

    @property
    def recorded(self) -> Settings:
        """See `CourseWidget`."""
        names = [names[0] for names in self.collections.values()]
        return {"text": list(dict.fromkeys(names))}

    def _refresh(self, _: Any = None) -> None:
        """Look for the text anew."""
        self.asked = " ".join(self.text.casefold().split())[:LONGEST].rstrip()
        self.found: list[tuple[str, float]] = []
        self.losses = np.zeros((len(self.languages), len(self.asked)), np.float32)
        self.trouble = self.broken
        if not self.asked and not self.broken:
            self.trouble = "No name: type one."
        if not self.trouble:
            self._look()
        self.data = self._data()

    def _look(self) -> None:
        """The nearest name of each language; and the same score for the text without each of its characters."""
        shorter = [self.asked[:at] + self.asked[at + 1 :] for at in range(len(self.asked))]
        vectors = self._encoded([self.asked, *shorter])
        if vectors.trouble:
            self.trouble = vectors.trouble
            return
        for row, language in enumerate(self.languages):
            scores = self.known[language] @ vectors.value.T  # (names, 1 + characters)
            best = int(scores[:, 0].argmax())
            self.found.append((self.collections[language][best], float(scores[best, 0])))
            self.losses[row] = scores[best, 0] - scores[best, 1:]

    # ---- words ----

    @property
    def problems(self) -> list[str]:
        """Everything that is wrong, in sentences."""
        found = [self.trouble] if self.trouble else []
        if any(not np.isfinite(score) for _, score in self.found):
            found.append("Some scores are NaN: has the model been trained without one?")
        return found

    @property
    def caption(self) -> str:
        """The nearest of all."""
        if not self.found:
            return "Nothing is asked."
        row = max(range(len(self.found)), key=lambda at: self.found[at][1])
        name, score = self.found[row]
        return f"“{self.asked}” is nearest to “{name}” ({self.languages[row]}), with {number(score)}."

    def reading(self, row: int) -> str:
        """One language: what was found, and which character counts most."""
        if not self.found:
            return "Nothing is asked."
        name, score = self.found[row]
        place = int(self.losses[row].argmax())
        lost = number(float(self.losses[row, place]))
        said = f"without “{self.asked[place]}” at place {place} the score falls most, by {lost}"
        return f"{self.languages[row]}: “{name}”, {number(score)}; {said}."

    @property
    def alt(self) -> str:
        """What is to be seen, in words."""
        readings = " ".join(self.reading(row) for row in range(len(self.found)))
        return " ".join([f"A name in every language. {self.caption}", readings, *self.problems]).strip()

    def _data(self) -> dict[str, Any]:
        return {
            "asked": self.asked,
            "characters": list(self.asked),
            "languages": self.languages,
            "found": [{"name": name, "score": score} for name, score in self.found],
            "losses": packed(self.losses),
            "caption": self.caption,
            "problems": self.problems,
        }

    def plot(self) -> Picture:
        """What each character is worth to the name found in each language."""
        size = (max(5.0, 2.6 + 0.34 * len(self.asked)), 1.2 + 0.3 * len(self.languages))
        picture, axes = panels(size=size, alt=self.alt)
        rows = [f"{one}: {name} {score:.2f}" for one, (name, score) in zip(self.languages, self.found, strict=False)]
        if not self.found:
            axes[0, 0].set(title=self.problems[0] if self.problems else "nothing is asked", xticks=[], yticks=[])
            return picture
        heatmap(
            axes[0, 0],
            torch.from_numpy(self.losses),
            rows=rows,
            columns=[shown(one) for one in self.asked],
            kind="signed",
            title=f"“{self.asked}” in every language",
            row_axis="language: nearest name",
            column_axis="character that is left out: what the score loses",
        )
        return picture


def shown(character: str) -> str:
    """A space can be seen."""
    return "␣" if character == " " else character
