"""Numbers as words in four languages, cut into tokens, and which English word each German one translates."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from num2words import num2words

ENGLISH = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand",
)
GERMAN = re.findall(
    r"\w+",
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn "
    "achtzehn neunzehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig hundert tausend",
)
"""In the same order: word i of the one is word i of the other."""

WORD_FOR_WORD = dict(zip(ENGLISH, GERMAN, strict=True))
ENGLISH_OF = {german: english for english, german in WORD_FOR_WORD.items()} | {"eins": "one"}
PARTS = re.compile("|".join(sorted([*GERMAN, "eins", "und"], key=len, reverse=True)))
"""Where several fit, the longest: `hundert` and not `und`, `eins` and not `ein`."""

JAPANESE_NAMES = {
    "零": "rei 0", "一": "ichi 1", "二": "ni 2", "三": "san 3", "四": "yon 4", "五": "go 5", "六": "roku 6",
    "七": "nana 7", "八": "hachi 8", "九": "kyū 9", "十": "jū 10", "百": "hyaku 100",
    "千": "sen 1,000", "万": "man 10,000",
}  # fmt: skip
"""How each character is read, and what it means: for figures, whose font may lack the characters."""

BORDERS = {"hundred", "thousand"}


def english(number: int) -> list[str]:
    """The English words, without hyphens and commas: 342 is three, hundred, and, forty, two."""
    return re.findall(r"\w+", num2words(number))


def german(number: int) -> list[str]:
    """The one German word, cut into its parts: 342 is drei, hundert, zwei, und, vierzig."""
    return PARTS.findall(num2words(number, lang="de"))


def french(number: int) -> list[str]:
    """The French words, without hyphens: 342 is trois, cent, quarante, deux."""
    return re.findall(r"\w+", num2words(number, lang="fr"))


def japanese(number: int) -> list[str]:
    """The Japanese characters: 342 is 三, 百, 四, 十, 二."""
    return list(num2words(number, lang="ja"))


def some_numbers(count: int, below: int = 100_000, seed: int = 0) -> list[int]:
    """Different numbers in random order, short ones more often than they would come by themselves.

    Args:
        count: how many.
        below: all are from 0 up to, but without, this.
        seed: other seeds give other numbers.
    """
    chance = random.Random(seed)
    found: dict[int, None] = {}
    while len(found) < count:
        found[int(below ** chance.random()) - 1] = None  # its logarithm is evenly spread
    numbers = list(found)
    chance.shuffle(numbers)
    return numbers


def wanted_places(source: Sequence[str], target: Sequence[str]) -> list[int]:
    """For every German part the place of the English word that it translates; -1 for `und`, which has none.

    A word may stand in a number more than once (two hundred and twenty-two), but between two of the words *hundred* and
    *thousand* only once.

    Args:
        source: English words, as `english` gives them.
        target: German parts of the same number, as `german` gives them.
    """
    places, stretch = {}, 0
    for place, word in enumerate(source):
        places[stretch, word] = place
        stretch += word in BORDERS
    wanted, stretch = [], 0
    for part in target:
        word = ENGLISH_OF.get(part, "")
        wanted.append(places.get((stretch, word), -1))
        stretch += word in BORDERS
    return wanted
