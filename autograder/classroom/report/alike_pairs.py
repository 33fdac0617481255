"""Finds pairs of hand-ins that share what few others have written, once names and comments are taken out.

A list to look at, and nothing more: people who sit together, or ask the same assistant, come out alike as well.
What many have written belongs to the exercise and does not count, nor does what was handed out or the solution has.
"""

from __future__ import annotations

import builtins
import io
import itertools
import keyword
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

PIECE = 8
"""Tokens, or words of an answer, in a row."""

FEW = 0.1
"""What more than this share of a class has written, and more than two, belongs to the exercise."""

LEAST = 12
"""Pairs that share fewer pieces than this are not told."""

LAYOUT = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
KEPT = set(keyword.kwlist) | set(dir(builtins)) | {"self", "torch", "nn", "F", "math"}

Piece = tuple[str, ...]
Texts = Mapping[str, str]
"""Name of a cell → what stands in it."""


@dataclass(frozen=True)
class Pair:
    """Two hand-ins that share what few others have.

    Attributes:
        students: who.
        shared: cell → how many such pieces both have there.
        share: of the smaller hand-in's pieces that few have, how many the other has too.
    """

    students: tuple[str, str]
    shared: dict[str, int]
    share: float


def alike(handed: Mapping[str, Texts], known: Texts) -> list[Pair]:
    """The pairs that share most, first.

    Args:
        handed: student → what they wrote, cell by cell.
        known: what nobody has written by themselves: the blanks, and the solution.
    """
    ours = {name: set(pieces(name, text)) for name, text in known.items()}
    theirs = {
        student: {name: set(pieces(name, text)) - ours.get(name, set()) for name, text in texts.items()}
        for student, texts in handed.items()
    }
    rare = _rare(theirs)
    found = (_pair(one, two, rare) for one, two in itertools.combinations(sorted(rare), 2))
    told = [pair for pair in found if sum(pair.shared.values()) >= LEAST]
    return sorted(told, key=lambda pair: (-pair.share, -sum(pair.shared.values()), pair.students))


def _rare(theirs: Mapping[str, Mapping[str, set[Piece]]]) -> dict[str, dict[str, set[Piece]]]:
    """The same without what many have."""
    count = Counter((name, piece) for texts in theirs.values() for name, found in texts.items() for piece in found)
    most = max(2, int(FEW * len(theirs)))
    return {
        student: {name: {piece for piece in found if count[name, piece] <= most} for name, found in texts.items()}
        for student, texts in theirs.items()
    }


def _pair(one: str, two: str, rare: Mapping[str, Mapping[str, set[Piece]]]) -> Pair:
    both = {name: len(rare[one][name] & rare[two][name]) for name in rare[one].keys() & rare[two].keys()}
    shared = {name: count for name, count in sorted(both.items()) if count}
    smaller = min(sum(map(len, rare[student].values())) for student in (one, two))
    return Pair((one, two), shared, sum(shared.values()) / smaller if smaller else 0.0)


# Pieces --------------------------------------------------------------------------------


def pieces(name: str, text: str) -> Iterator[Piece]:
    """Tokens of code, or words of an answer, a few in a row."""
    words = _words(text) if name.startswith("question-") else list(tokens(text))
    return zip(*(words[start:] for start in range(PIECE)), strict=False)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def tokens(code: str) -> Iterator[str]:
    """Code without comments and layout, every name that its author chose replaced by one."""
    before = ""
    for kind, text in _tokenized(code):
        if kind in LAYOUT:
            continue
        chosen = kind == tokenize.NAME and before != "." and text not in KEPT
        yield "name" if chosen else "text" if kind == tokenize.STRING else text
        before = text


def _tokenized(code: str) -> Iterator[tuple[int, str]]:
    """Python's tokens, as far as it is Python."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            yield token.type, token.string
    except (tokenize.TokenError, SyntaxError):
        return
