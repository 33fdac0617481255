"""`autograder classroom sign`: writes what the gradebook says of each student, signed with the class's key."""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from autograder.classroom.course.book import opened
from autograder.classroom.course.class_grade import refuse_elsewhere
from autograder.notebooks import files
from autograder.notebooks.problem import Problem, named_by_a_person
from autograder.showing.certificate import version
from autograder.showing.signed import KEY, KIND, key_in, name_of, sign

OUT = "certificates"


def sign_grades(course: Path, students: Sequence[str] = ()) -> int:
    """Write a signed file for every student who has points, or for those who are named.

    Raises:
        Problem: outside of a course, for a student who is not in the gradebook, or where nobody has points yet.
    """
    refuse_elsewhere(course)
    with opened(course) as book:
        grades = [found for one in _chosen(book, students) if (found := _grades(book, one))["lessons"]]
    if not grades:
        raise Problem("Nobody has points in the gradebook yet: autograder grade LESSON.")
    key = _key(course)
    for one in grades:
        name = re.sub(r"[^\w.-]", "_", one["student"])
        files.write_text(course / OUT / f"{name}.json", json.dumps(sign(one, key), indent=1, ensure_ascii=False) + "\n")
    print(f"{OUT}/ holds the signed points of {len(grades)} students, each to be handed to that student alone.")
    print("With such a file a certificate says graded in class: autograder certificate --graded FILE")
    print(f"Signed with the key {name_of(key)} in {KEY}. Keep it to yourself: whoever has it can sign anything.")
    return 0


def _chosen(book: Any, students: Sequence[str]) -> list[str]:
    known = sorted(one.id for one in book.students)
    unknown = [one for one in students if one not in known]
    if unknown:
        raise Problem(
            f"There is no student {unknown[0]!r} in the gradebook. There are: {', '.join(known) or 'none yet'}."
        )
    return list(students) or known


def _grades(book: Any, student: str) -> dict[str, Any]:
    """What `nbgrader export` has of a student: each assignment that was handed in, late penalties off."""
    from nbgrader.api import MissingEntry

    lessons = {}
    for assignment in sorted(book.assignments, key=lambda one: str(one.name)):
        try:
            handed = book.find_submission(assignment.name, student)
        except MissingEntry:
            continue
        points = max(0.0, handed.score - handed.late_submission_penalty)
        lessons[assignment.name] = {"points": round(points, 2), "of": assignment.max_score}
    return {
        "kind": KIND, "student": student, "made": date.today().isoformat(), "version": version(), "lessons": lessons,
    }  # fmt: skip


def _key(course: Path) -> bytes:
    """The class's key; made where there is none, for its owner alone."""
    path = course / KEY
    with named_by_a_person(path):
        if (found := key_in(course)) is not None:
            return found
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32))
    return path.read_bytes()
