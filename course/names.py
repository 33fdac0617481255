"""Names of countries, languages, currencies and cities in 14 languages, and in English: which belong together?

All of them come from the Unicode CLDR, as the package `Babel` holds it; nothing is loaded from elsewhere. What has one
name in English is one thing here: Panama, the country and the city.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from babel import Locale, UnknownLocaleError
from torch import Tensor

LATIN = ("de", "es", "fi", "fr", "it", "nl", "pl", "pt", "sv", "tr")
OTHER_SCRIPTS = ("bg", "el", "ru", "uk")
LANGUAGES = tuple(sorted(LATIN + OTHER_SCRIPTS))

LONGEST = 24
"""A longer name is left out: most of these are currencies of a dozen words."""

HELD_OUT = 5
"""One thing in five is held out, in all languages, by a hash of its English name."""


@dataclass(frozen=True)
class Name:
    """What a thing is called somewhere.

    Attributes:
        text: the name, with small letters only.
        language: the code of the language, such as "uk".
        english: what the same thing is called in English, with small letters only.
    """

    text: str
    language: str
    english: str


@dataclass(frozen=True)
class Names:
    """All names.

    Attributes:
        known: those that models may learn from.
        held_out: those of things that no model has seen in any language.
        english: every English name once, in the order of the alphabet: what is searched.
    """

    known: list[Name]
    held_out: list[Name]
    english: list[str]

    def where(self) -> dict[str, int]:
        """English name → its number in `english`."""
        return {name: number for number, name in enumerate(self.english)}


@cache
def all_names() -> Names:
    """Read the names from Babel."""
    english = _of_language("en")
    sides: tuple[list[Name], list[Name]] = ([], [])
    for language in LANGUAGES:
        found = {Name(text, language, english[key]) for key, text in _of_language(language).items() if key in english}
        for one in sorted(found, key=lambda one: (one.english, one.text)):
            sides[is_held_out(one.english)].append(one)
    things = {one.english for side in sides for one in side}
    return Names(*sides, sorted(things))


def is_held_out(english: str) -> bool:
    """Whether a thing is held out."""
    return hashlib.blake2b(english.encode(), digest_size=4).digest()[0] % HELD_OUT == 0


def clean(text: str) -> str:
    """Small letters, each a single character where there is one, and single spaces."""
    return " ".join(unicodedata.normalize("NFC", text.casefold()).split())


def _of_language(code: str) -> dict[tuple[str, str], str]:
    """(kind, code) → name."""
    try:
        locale = Locale.parse(code)
    except UnknownLocaleError as error:  # a Babel that was cut down
        raise ValueError(f"Babel knows no names in {code!r}; install the whole package") from error
    found = {key: clean(text) for key, text in _entries(locale)}
    return {key: text for key, text in found.items() if 2 < len(text) <= LONGEST}


def _entries(locale: Locale) -> Iterator[tuple[tuple[str, str], str]]:
    for code, text in locale.territories.items():
        if code.isalpha():  # numbers stand for parts of the world
            yield ("territory", code), text
    for kind, names in (("language", locale.languages), ("currency", locale.currencies)):
        for code, text in names.items():
            yield (kind, code), text
    for zone, parts in locale.time_zones.items():
        if "city" in parts:
            yield ("city", zone), parts["city"]
        elif str(locale) == "en" and "/" in zone:
            yield ("city", zone), zone.rpartition("/")[2].replace("_", " ")


class Characters:
    """Turns names into ids, a character each.

    Args:
        texts: where the characters come from.

    Attributes:
        pad_id, unknown_id, cls_id, sep_id: ids of what is no character.
        vocab_size: how many ids there are.
    """

    pad_id, unknown_id, cls_id, sep_id = range(4)

    def __init__(self, texts: Iterable[str]) -> None:
        self.known = sorted({character for text in texts for character in text})
        self.ids = {character: number + 4 for number, character in enumerate(self.known)}
        self.vocab_size = len(self.known) + 4

    def encode(self, text: str) -> list[int]:
        """The ids of a name, cut off after `LONGEST` characters. A character that is not known has an id of its own."""
        return [self.ids.get(character, self.unknown_id) for character in clean(text)[:LONGEST]]

    def batch(self, texts: Sequence[str]) -> Tensor:
        """A row of ids for each name, filled up with `pad_id`: (batch, seq_len)."""
        return padded([self.encode(text) for text in texts], self.pad_id)


def padded(rows: Sequence[Sequence[int]], pad_id: int) -> Tensor:
    """Rows of one length: (batch, seq_len)."""
    longest = max((len(row) for row in rows), default=0)
    ids = [[*row, *[pad_id] * (longest - len(row))] for row in rows]
    return torch.tensor(ids, dtype=torch.long).reshape(len(rows), longest)


CYRILLIC = (
    "а a б b в v г g ґ g д d е e є e ж zh з z и i і i к k л l м m н n о o п p р r с s т t у u ф f х h ц c ч ch ш sh"
)
GREEK = "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ i φ f χ ch ψ ps ω o"
PAIRS = f"{CYRILLIC} щ sht ь ' ъ ' ы y э e ю iu я ia {GREEK}".split()
LETTERS = dict(zip(PAIRS[::2], PAIRS[1::2], strict=True))
"""Cyrillic and Greek letters → Latin ones, written by hand; an apostrophe for the soft and the hard sign."""

GREEK_PAIRS = {"ου": "ou", "μπ": "b", "ντ": "d", "γκ": "g", "γγ": "ng", "αι": "ai", "ει": "ei", "οι": "oi"}


def transliterate(text: str) -> str:
    """A name in Latin letters without accents, letter by letter."""
    plain = "".join(one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one))
    for pair, latin in GREEK_PAIRS.items():
        plain = plain.replace(pair, latin)
    return "".join(LETTERS.get(one, one) for one in plain)
