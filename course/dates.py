"""Dates as English writes them, in seven ways, and as Chinese does, from the Unicode CLDR, which comes with Babel."""

from __future__ import annotations

import random
import re
from datetime import date, timedelta

from babel.dates import format_date

PATTERNS = ("full", "long", "medium", "EEE, MMM d, y", "EEEE, d MMMM y", "d MMMM y", "M/d/y")
"""Babel's names for three of CLDR's own forms, and four more: Sat, Nov 21, 2026; 21 November 2026; 11/21/2026."""

CHINESE_NAMES = {
    "年": "nián, year", "月": "yuè, month", "日": "rì, day", "星": "xīng", "期": "qī", "一": "yī, 1", "二": "èr, 2",
    "三": "sān, 3", "四": "sì, 4", "五": "wǔ, 5", "六": "liù, 6",
}  # fmt: skip
"""How each character is read, and what it means: for figures, whose font may lack the characters."""

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)


def some_dates(count: int, seed: int = 0) -> list[tuple[date, str]]:
    """Different pairs of a day of two centuries and an English pattern, in random order."""
    chance = random.Random(seed)
    days = (LAST - FIRST).days + 1
    numbers = chance.sample(range(days * len(PATTERNS)), count)
    return [(FIRST + timedelta(days=one // len(PATTERNS)), PATTERNS[one % len(PATTERNS)]) for one in numbers]


def english_date(day: date, pattern: str) -> list[str]:
    """Words, single digits, and signs: Nov, 2, 1, `,`, 2, 0, 2, 6."""
    return re.findall(r"[A-Za-z]+|\d|[^\w\s]", format_date(day, pattern, locale="en"))


def chinese_date(day: date, pattern: str) -> list[str]:
    """Single characters: 2026年11月21日, with the day of the week where the English has it."""
    return list(format_date(day, "full" if "E" in pattern or pattern == "full" else "long", locale="zh"))
