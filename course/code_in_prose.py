"""Which words of a sentence are code? Authors of docstrings say it, by their markup: ``x``, `x`, :func:`x`.

The sentences are those of `course.docstrings`, on the same sides. The markup is taken out, and becomes the labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from course.docstrings import MARKUP, SLICE, blocks, cut, docstrings, fingerprint, is_held_out, is_prose, python_files

OPEN, CLOSE = "\x02", "\x03"
"""They stand around code while the rest of the markup is taken out."""

ROLES = r":(?:py:)?(?:class|func|meth|mod|attr|data|exc|obj|keyword):`[~!.]?([^`<>]+)`"
OTHERS = r":[\w:.]+:`[^`]*`|`[^`<]*<[^`]*>`_*|(?<!`)`[^`]+`_+"
MARKED = re.compile(rf"{ROLES}|{OTHERS}|``([^`]+)``|`([^`]+)`")
"""Code, and what looks like it: other roles and links, without a group."""


@dataclass(frozen=True)
class Tagged:
    """A sentence, word by word; a word is what stands between two spaces.

    Attributes:
        words: as they stand there, without markup.
        tags: "B-code" at the first word of a piece of code, "I-code" at its others, "O" everywhere else.
    """

    words: list[str]
    tags: list[str]


def tagged_sentences() -> tuple[list[Tagged], list[Tagged]]:
    """The sentences with code in them: those that models may learn from, and those that are held out.

    Only sentences with code are taken: where nothing is marked, the author may mark nothing at all.
    """
    seen: set[bytes] = set()
    sides: tuple[list[Tagged], list[Tagged]] = ([], [])
    texts = (text for name in SLICE for path in python_files(name) for text in docstrings(path))
    for one in (one for text in texts for one in tagged(text)):
        key = fingerprint(" ".join(one.words))
        if key not in seen and set(one.tags) != {"O"}:
            sides[is_held_out(key)].append(one)
        seen.add(key)
    return sides


def tagged(docstring: str) -> Iterator[Tagged]:
    """The prose sentences of a docstring, with their tags."""
    for block in blocks(docstring):
        text = MARKED.sub(_open_and_close, block)
        for pattern, kept in MARKUP:
            text = pattern.sub(kept, text)
        plain, owners = _owners(text)
        end = 0
        for sentence in filter(is_prose, cut(plain)):
            start = plain.index(sentence, end)
            end = start + len(sentence)
            yield _by_words(sentence, owners[start:end])


def _open_and_close(found: re.Match[str]) -> str:
    code = next(filter(None, found.groups()), None)
    return found.group() if code is None else f"{OPEN}{code.strip()}{CLOSE}"


def _owners(text: str) -> tuple[str, list[int]]:
    """The text without its marks, and for each character the number of the piece of code it is part of, or 0."""
    owners, number, inside = [], 0, False
    for character in text:
        if character in (OPEN, CLOSE):
            inside = character == OPEN
            number += inside
        else:
            owners.append(number * inside)
    return text.replace(OPEN, "").replace(CLOSE, ""), owners


def _by_words(sentence: str, owners: Sequence[int]) -> Tagged:
    tags, before = [], 0
    for word in re.finditer(r"\S+", sentence):
        inside = [one for one in owners[word.start() : word.end()] if one]
        tags.append("O" if not inside else "I-code" if inside[0] == before else "B-code")
        before = inside[-1] if inside else 0
    return Tagged(sentence.split(), tags)
