"""How the course map looks in a notebook."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from autograder.learner.milestones import Standing
from autograder.learner.progress_file import in_words

LEFT = 'style="text-align:left;vertical-align:top"'
RIGHT = 'style="text-align:right;vertical-align:top;white-space:nowrap"'
WIDTH = 190


@dataclass(frozen=True)
class ShownExercise:
    """An exercise in the map: a sign, its name, and whether it is a stretch."""

    mark: str
    name: str
    stretch: bool


def safe(text: str) -> str:
    """Text within HTML; what stands between backticks is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def table(rows: Sequence[tuple[str, Sequence[ShownExercise], str]]) -> str:
    """Lessons, their exercises and points."""
    inside = "".join(_row(stem, part, points) for stem, part, points in rows)
    head = f"<tr><th {LEFT}>lesson</th><th {LEFT}>exercises</th><th {RIGHT}>points</th></tr>"
    return f'<table style="text-align:left">{head}{inside}</table>'


def _row(stem: str, part: Sequence[ShownExercise], points: str) -> str:
    # A mark and its exercise in one piece; between two of them a line may end.
    pieces = (f"{one.mark} {safe(one.name)}{' <i>(stretch)</i>' if one.stretch else ''}" for one in part)
    names = " ".join(f'<span style="white-space:nowrap;margin-right:1em">{one}</span>' for one in pieces)
    link = f'<a href="{stem}.ipynb">{stem}</a>'
    return f"<tr><td {LEFT}>{link}</td><td {LEFT}>{names}</td><td {RIGHT}>{points}</td></tr>"


def milestones(standings: Sequence[Standing], told: Sequence[str]) -> str:
    """What the learner's code does, with pictures, and what is to come."""
    cards = "".join(_card(one) for one in standings if one.reached)
    if not cards:
        return "".join(f"<p>{safe(line)}</p>" for line in told)
    rest = "".join(f"<p>{safe(line)}</p>" for line in told[1:])  # the first names those that have cards
    shelf = f'<div style="display:flex;flex-wrap:wrap;gap:14px;align-items:flex-end">{cards}</div>'
    return f"<p><b>Your own code</b></p>{shelf}{rest}"


def _card(one: Standing) -> str:
    from autograder.learner.milestone_pictures import image, picture  # where nothing was reached, no figure is drawn

    png = picture(one.milestone)
    shown = image(png, one.alt or f"A picture made by code that {one.milestone.name}.", WIDTH) if png else ""
    day = f"<br><small>{in_words(one.day)}</small>" if one.day else ""
    return f'<figure style="margin:0">{shown}<figcaption><b>{safe(one.milestone.name)}</b>{day}</figcaption></figure>'


def routes(lines: Sequence[str]) -> str:
    """The ways through the course, folded."""
    if not lines:
        return ""
    items = "".join(f"<li>{safe(line[:1].upper() + line[1:])}</li>" for line in lines)
    return f"<details><summary>Ways through the course</summary><ul>{items}</ul></details>"
