"""Takes a list of students into a course's gradebook. nbgrader's own import takes the last of two lines with one id."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

from autograder.classroom.course.book import opened
from autograder.classroom.course.class_grade import refuse_elsewhere
from autograder.notebooks.problem import Problem, named_by_a_person

COLUMNS = ("id", "first_name", "last_name", "email", "lms_user_id")
"""What nbgrader keeps of a student."""


def enroll(listing: str, course: Path = Path()) -> int:
    """Take all students of a list into the gradebook, or none.

    Args:
        listing: a file of comma-separated values with a head line; the column `id` is needed.
        course: the folder of the course.

    Raises:
        Problem: when this is no course, or the list cannot be taken as it is.
    """
    refuse_elsewhere(course)
    students = _read(Path(listing))
    with opened(course) as book:
        known = {one.id for one in book.students}
        for one in students:
            book.update_or_create_student(one.pop("id"), **one)
        new = len({one.id for one in book.students} - known)
    print(f"{listing}: {len(students)} students, {new} of them new to the gradebook.")
    return 0


def _read(path: Path) -> list[dict[str, str | None]]:
    try:
        with named_by_a_person(path), path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            rows = [(reader.line_num, row) for row in reader]
            head = [name.strip() for name in reader.fieldnames or () if name]
    except (UnicodeDecodeError, csv.Error) as error:
        raise Problem(f"{path} is no list of comma-separated values in UTF-8: {error}.") from None
    if "id" not in head or set(head) - set(COLUMNS):
        raise Problem(f"{path} has the columns {', '.join(head) or 'none'}. It needs id, and may have {_others()}.")
    students = [{str(name).strip(): value for name, value in row.items()} for _, row in rows]
    _refuse(path, [line for line, _ in rows], students)
    return [{name: (value or "").strip() or None for name, value in one.items()} for one in students]


def _refuse(path: Path, lines: list[int], students: list[dict[str, str | None]]) -> None:
    """Raise Problem for lines that name nobody, or somebody whom another line names."""
    names = [(one.get("id") or "").strip() for one in students]
    rows = zip(lines, names, students, strict=True)
    odd = [line for line, name, one in rows if not name or "None" in one]  # csv files surplus fields under None
    found = [f"  line {line}: no id, or more fields than the head" for line in odd]
    for name, count in Counter(map(str.casefold, names)).items():
        if name and count > 1:
            where = [str(line) for line, other in zip(lines, names, strict=True) if other.casefold() == name]
            found.append(f"  lines {', '.join(where)}: {name}, {count} times; one id is one student and one folder")
    if found:
        raise Problem("\n".join([f"{path} was not taken, not even in part:", *found]))


def _others() -> str:
    return f"{', '.join(COLUMNS[1:-1])} and {COLUMNS[-1]}"
