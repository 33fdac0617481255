"""What a certificate says: exercises, points, days, milestones, as data with a code that guards against accidents."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import date
from importlib import metadata
from pathlib import Path
from typing import Any

import autograder
from autograder import registry
from autograder.learner import progress_file
from autograder.learner.choices import Choices, chosen, is_handed_out
from autograder.learner.made_of import Parts
from autograder.learner.milestones import Standings
from autograder.learner.progress import CourseMap
from autograder.notebooks.problem import Problem, named_by_a_person

KIND = "transformer-course certificate 1"
MAX_BYTES = 20_000_000
LONGEST_NAME = 100

DATA = re.compile(r'<script type="application/json" id="certificate">(.*?)</script>', re.DOTALL)
PICTURE = re.compile(r'<img id="picture-(\w+)" [^>]*src="data:image/png;base64,([A-Za-z0-9+/=]+)"')
ATTENTION = "attention"


@dataclass(frozen=True)
class Earned:
    """An exercise in a certificate.

    Attributes:
        name, lesson: "LayerNorm" and "01_layer_norm".
        points, of: earned and possible.
        day: of the first pass; "" where nobody knows.
        tries: checks up to that; 0 where nobody counted.
        extra: whether full points do without it.
    """

    name: str
    lesson: str
    points: float
    of: float
    day: str
    tries: int
    extra: bool


@dataclass(frozen=True)
class Certificate:
    """All that a certificate says.

    Attributes:
        version: of the course.
        holder: a name, or "".
        made: the day on which it was made.
        stretches: what the class does with stretches; "" for those who study alone.
        earned: every exercise of the lessons that are listed, also those with 0 points.
        milestones: what the holder's code does → since when.
        numbers: lines of the holder's library, and mistakes that were met on the way.
        graded: points that an instructor has signed; nothing where nobody has.
        pictures: name → PNG.
    """

    version: str
    holder: str
    made: str
    stretches: str
    earned: tuple[Earned, ...]
    milestones: dict[str, str]
    numbers: dict[str, int]
    graded: dict[str, Any] = field(default_factory=dict)
    pictures: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """As data for JSON, with sums in the place of pictures."""
        plain = asdict(self)
        plain["pictures"] = {name: hashlib.sha256(png).hexdigest() for name, png in self.pictures.items()}
        return {"kind": KIND, **plain}

    @property
    def code(self) -> str:
        """A sum of all that it says, in groups of four. Anybody can make it: it shows accidents, and no forgery."""
        text = json.dumps(self.data, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        digits = hashlib.sha256(text.encode()).hexdigest()[:16]
        return "-".join(digits[at : at + 4] for at in range(0, 16, 4))

    def lessons(self) -> dict[str, list[Earned]]:
        """Lesson → its exercises."""
        found: dict[str, list[Earned]] = {}
        for one in self.earned:
            found.setdefault(one.lesson, []).append(one)
        return found


def version() -> str:
    """Of the course, as it is installed."""
    try:
        return metadata.version("transformer-course")
    except metadata.PackageNotFoundError:
        return autograder.__version__


def gather(holder: str = "", graded: dict[str, Any] | None = None) -> Certificate:
    """What the learner's library and the record of checks say today.

    Raises:
        Problem: when nothing has passed yet.
    """
    course, choices = CourseMap(), chosen()
    earned = tuple(_earned(course, choices))
    if not any(one.points for one in earned):
        raise Problem("Nothing has passed its check yet, so there is nothing to certify.")
    standings = Standings()
    parts, reached = standings.parts, standings.reached()
    known = progress_file.read()
    numbers = {
        "lines": _lines(parts),
        "mistakes": len({(one.name, name) for one in earned for name in progress_file.met(known.get(one.name, {}))}),
    }
    return Certificate(
        version=version(),
        holder=" ".join(holder.split())[:LONGEST_NAME],
        made=date.today().isoformat(),
        stretches=choices.stretches if choices else "",
        earned=earned,
        milestones={one.milestone.name: one.day for one in reached},
        numbers=numbers,
        graded=graded or {},
        pictures=dict(_pictures(standings)),
    )


def _earned(course: CourseMap, choices: Choices | None) -> Iterator[Earned]:
    for stem, rows in course.rows():
        for row in rows:
            entry = course.known.get(row.exercise.name, {})
            day, tries = progress_file.a_day(entry.get("day")), progress_file.tries(entry)
            points = min(row.points, row.possible)
            yield Earned(row.exercise.name, stem, points, row.possible, day, tries, course.is_extra(row.exercise))


def _lines(parts: Parts) -> int:
    """Lines of code in the library, without imports, empty lines and what stands in it by our hand."""
    texts = (text for module in parts.modules.values() for text in module.definitions.values())
    return sum(bool(line.strip()) for text in texts for line in text.splitlines())


def _pictures(standings: Standings) -> Iterator[tuple[str, bytes]]:
    from autograder.learner import milestone_pictures

    if (drawn := milestone_pictures.attention()) is not None:
        yield ATTENTION, drawn
    for one in standings.reached():
        if (png := milestone_pictures.picture(one.milestone)) is not None:
            yield Path(one.milestone.file).stem, png


# Reading one that somebody made ----------------------------------------------------------------------------


def read(path: Path) -> tuple[Certificate, str]:
    """What a certificate's file says, and its whole text. It may be anybody's, and nothing of it is believed.

    Raises:
        Problem: when it is no certificate.
    """
    if not path.is_file():
        raise Problem(f"There is no file {path}.")
    with named_by_a_person(path):
        raw = path.read_bytes() if path.stat().st_size <= MAX_BYTES else b""
    text = raw.decode("utf-8", "replace").replace("\r\n", "\n")
    found = DATA.search(text)
    try:
        data = json.loads(found[1].replace("<\\/", "</")) if found else None
        return _of(data, _embedded(text)), text
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, binascii.Error):
        raise Problem(f"{path} is no certificate of this course, or what it says cannot be read any more.") from None


def _of(data: Any, pictures: Mapping[str, bytes]) -> Certificate:
    if data["kind"] != KIND:
        raise ValueError(data["kind"])
    earned = tuple(_one_earned(one) for one in data["earned"])
    texts = ("version", "holder", "made", "stretches")
    if not all(isinstance(data[name], str) for name in texts) or not isinstance(data["graded"], dict):
        raise TypeError("a text is none")
    milestones = {str(name): progress_file.a_day(day) for name, day in data["milestones"].items()}
    numbers = {str(name): int(count) for name, count in data["numbers"].items()}
    kept = {name: pictures.get(name, b"") for name in data["pictures"]}
    plain = {name: data[name] for name in texts}
    return Certificate(
        **plain, earned=earned, milestones=milestones, numbers=numbers, graded=data["graded"], pictures=kept
    )


def _one_earned(given: dict[str, Any]) -> Earned:
    points, of = given["points"], given["of"]
    if not all(isinstance(one, int | float) and not isinstance(one, bool) for one in (points, of)):
        raise TypeError("points are numbers")
    if not 0 <= points <= of < 1e6:  # a NaN is none of it
        raise ValueError("points of another kind")
    day, tries = progress_file.a_day(given["day"]), int(given["tries"])
    return Earned(
        str(given["name"]), str(given["lesson"]), float(points), float(of), day, tries, given["extra"] is True
    )


def _embedded(text: str) -> dict[str, bytes]:
    return {name: base64.b64decode(data, validate=True) for name, data in PICTURE.findall(text)}


def handed_out(certificate: Certificate, lesson: str) -> list[str]:
    """The names of a lesson's exercises, for a class that does with stretches what a certificate says."""
    choices = Choices(stretches=certificate.stretches) if certificate.stretches else None
    return [one.name for one in registry.exercises(lesson) if is_handed_out(one, choices)]
