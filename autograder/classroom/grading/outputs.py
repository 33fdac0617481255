"""Grades for people and for programs: text, JSON, JUnit XML, Gradescope's results.json."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from autograder.classroom.grading.grades import Grade, Result

MARKS = {"ok": "✓", "not attempted": "·", "infrastructure": "?"}
NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may hold."""


def text(grade: Grade) -> str:
    """A grade in lines."""
    points = f"{grade.points:g} of {grade.max_points:g} points" if grade.complete else "not decided"
    lines = [f"{grade.file}: {points}" + (f" ({grade.status}: {grade.words})" if grade.words else "")]
    if grade.status == "malformed":
        return visible(lines[0])
    for one in grade.results:
        lines += _lines(one)
    lines += [f"  ! {note.grade_id}: {note.status}: {note.words}" for note in grade.cells]
    lines += [f"  ! {flag}" for flag in grade.flags]
    return "\n".join(map(visible, lines))


def visible(line: str) -> str:
    """A line for a terminal, without what would clear it, name its window, or begin another line."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)


def _lines(one: Result) -> list[str]:
    points = "-" if one.points is None else f"{one.points:g} of {one.max_points:g}{' (bonus)' if one.bonus else ''}"
    named = f": {one.mistake}" if one.mistake else ""
    head = f"  {MARKS.get(one.status, '✗')} {one.exercise}  {points}  {one.status}{named}"
    said = [] if one.status in ("ok", "not attempted") else one.text.splitlines()[1:3]
    return [head, *(f"      {line[:300]}" for line in said), *(f"      ! {flag}" for flag in one.flags)]


def as_json(grades: Sequence[Grade]) -> str:
    """All grades as one JSON document."""
    return json.dumps({"grades": [grade.plain() for grade in grades]}, indent=1, ensure_ascii=False)


def as_junit(grades: Sequence[Grade]) -> str:
    """All grades as JUnit XML: a suite for every file, a case for every exercise."""
    root = ElementTree.Element("testsuites")
    for grade in grades:
        suite = ElementTree.SubElement(root, "testsuite", _counts(grade))
        for one in grade.results:
            _add_case(suite, grade, one)
        if not grade.results:
            case = ElementTree.SubElement(suite, "testcase", name=grade.lesson, classname=_clean(grade.file))
            ElementTree.SubElement(case, "error", message=_clean(grade.words))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _counts(grade: Grade) -> dict[str, str]:
    open_ = sum(one.points is None for one in grade.results)
    failed = sum(one.status != "ok" for one in grade.results) - open_
    found = {
        "name": grade.file,
        "tests": max(len(grade.results), 1),
        "failures": failed,
        "time": f"{grade.seconds:.3f}",
    }
    return {name: _clean(str(value)) for name, value in {**found, "errors": open_ or int(not grade.results)}.items()}


def _add_case(suite: ElementTree.Element, grade: Grade, one: Result) -> None:
    time = f"{one.seconds:.3f}"
    case = ElementTree.SubElement(suite, "testcase", name=one.exercise, classname=_clean(grade.file), time=time)
    if one.status == "ok":
        return
    kind = "error" if one.points is None else "failure"
    earned = "not decided" if one.points is None else f"{one.points:g} of {one.max_points:g} points"
    told = ElementTree.SubElement(case, kind, message=_clean(f"{one.status}: {one.mistake or earned}"), type=one.status)
    told.text = _clean(one.text)


def _clean(given: str) -> str:
    return NOT_XML.sub("?", given)


def as_gradescope(grades: Sequence[Grade]) -> str:
    """One grade as Gradescope's results.json; "" when it could not be decided, as a file without points is a zero.

    The total is left to Gradescope: it is the sum of the tests.
    """
    (grade,) = grades
    if not grade.complete:
        return ""
    tests = [_test(one) for one in grade.results]
    told: dict[str, Any] = {"stdout_visibility": "hidden", "test_output_format": "text", "tests": tests}
    if grade.words:
        told["output"] = grade.words
    return json.dumps(told, indent=1, ensure_ascii=False)


def _test(one: Result) -> dict[str, Any]:
    status = "passed" if one.status == "ok" else "failed"
    shown = {"name": one.exercise, "status": status, "output": one.text, "visibility": "visible"}
    return {**shown, "score": one.points, "max_score": one.max_points}
