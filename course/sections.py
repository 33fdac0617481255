"""Which section of a docstring is a sentence from? Authors say it, by the headings of numpydoc.

The sentences are those of `course.docstrings`, on the same sides. A heading is no part of any sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from course.docstrings import docstrings, fingerprint, installed, is_held_out, python_files, sentences_of

SECTIONS = ("Parameters", "Returns", "Raises", "Notes", "Examples")
PACKAGES = ("networkx", "numpy", "matplotlib")
"""Those of which most docstrings have such headings."""

HEADING = re.compile(r"^(\w[\w ]*)\n-{3,} *$", re.MULTILINE)


@dataclass(frozen=True)
class Placed:
    """A sentence, and where it stood.

    Attributes:
        text: the sentence, without markup.
        section: its number in SECTIONS.
    """

    text: str
    section: int


def placed_sentences(packages: Sequence[str] = PACKAGES) -> tuple[list[Placed], list[Placed]]:
    """The sentences of five sections: those that models may learn from, and those that are held out.

    A sentence that stands in several places is taken from the first.

    Args:
        packages: names in `course.docstrings.LICENCES`. What is not installed is left out.

    Raises:
        ValueError: if a package is none of these, or none of them is installed.
    """
    seen: set[bytes] = set()
    sides: tuple[list[Placed], list[Placed]] = ([], [])
    texts = (text for name in installed(packages) for path in python_files(name) for text in docstrings(path))
    for one in (one for text in texts for one in placed(text)):
        key = fingerprint(one.text)
        if key not in seen:
            seen.add(key)
            sides[is_held_out(key)].append(one)
    return sides


def placed(docstring: str) -> Iterator[Placed]:
    """The prose sentences of a docstring that stand in one of the five sections.

    Some that follow a heading without a gap are one with it in the text that BERT has read. They are left out: it
    would have read the answer.
    """
    whole = set(sentences_of(docstring))
    _, *parts = HEADING.split(docstring)
    for heading, text in zip(parts[::2], parts[1::2], strict=True):
        if heading in SECTIONS:
            for sentence in filter(whole.__contains__, sentences_of(text)):
                yield Placed(sentence, SECTIONS.index(heading))
