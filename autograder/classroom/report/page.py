"""The class report: one page, and a few lines, of what a class got right, wrong and stuck on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from autograder.classroom.course.disputed import Disputed
from autograder.classroom.grading.grades import lacking
from autograder.classroom.report.class_names import Grades
from autograder.classroom.report.disputes import disputes_table
from autograder.classroom.report.exercises import distribution, exercises_table
from autograder.classroom.report.mistakes import mistakes, mistakes_tables
from autograder.classroom.report.parts import STYLE, counted, listed, section, text
from autograder.classroom.report.remarks import remarks_table
from autograder.classroom.report.students import infrastructure_table, late_table, stuck_table, students_table

T = TypeVar("T")

ISOLATION = {
    "sandbox": "Submissions ran in a sandbox; points were decided outside of it.",
    "none": "Submissions ran WITHOUT isolation (--no-sandbox): their code could read and write what the grader could.",
}


def summary(
    lesson: str,
    grades: Grades,
    isolation: str,
    *,
    absent: Sequence[str] = (),
    late: Mapping[str, str] = {},
    disputes: Sequence[Disputed] = (),
) -> str:
    """A few lines for the terminal.

    Args:
        lesson: its notebook, such as "01_layer_norm".
        grades: student → grade.
        isolation: "sandbox" or "none".
        absent: students who handed nothing in.
        late: student → how late, such as "2 hours".
        disputes: checks that students hold to be wrong.
    """
    decided = [grade for grade in grades.values() if grade.complete]
    full = sum(grade.points >= grade.max_points for grade in decided)
    lines = [f"{lesson}: {len(decided)} of {len(grades)} submissions decided, {full} with full points."]
    lines += [f"  {count:4} × {name}" for name, count in mistakes(grades.values())[:5]]
    lines += [f"  late: {', '.join(f'{student} ({how})' for student, how in late.items())}"] if late else []
    lines += [f"  handed nothing in: {', '.join(absent)}"] if absent else []
    unreadable = [student for student, grade in grades.items() if grade.status == "malformed"]
    lines += [f"  could not be read: {', '.join(unreadable)}"] if unreadable else []
    lines += [f"  disputed: {one.exercise or 'a file'} by {one.student} ({one.file})" for one in disputes]
    open_ = [student for student, grade in grades.items() if not grade.complete]
    lines += [f"  not decided, as the sandbox failed: {', '.join(open_)}"] if open_ else []
    return "\n".join([*lines, ISOLATION[isolation], *inside(grades), *lacking(grades.values())])


def inside(grades: Grades) -> list[str]:
    """Which points an instructor's own tests decided, where student code can meddle; nothing when there are none."""
    names = dict.fromkeys(one.exercise for grade in grades.values() for one in grade.results if one.inside)
    if not names:
        return []
    return [f"Decided inside the sandbox, by tests of your own: {', '.join(names)}. There, student code can meddle."]


def html(
    lesson: str,
    grades: Grades,
    isolation: str,
    *,
    absent: Sequence[str] = (),
    late: Mapping[str, str] = {},
    disputes: Sequence[Disputed] = (),
) -> str:
    """One page that needs nothing else.

    Args:
        lesson: its notebook, such as "01_layer_norm".
        grades: student → grade.
        isolation: "sandbox" or "none".
        absent: students who handed nothing in.
        late: student → how late, such as "2 hours".
        disputes: checks that students hold to be wrong.
    """
    grades, late = _by_name(grades), _by_name(late)
    parts = [
        f"<h1>{text(lesson)}</h1><p>{counted(len(grades), 'submission')}. {ISOLATION[isolation]}</p>",
        *(f"<p>{text(one)}</p>" for one in (*inside(grades), *lacking(grades.values()))),
        section("What was wrong, how often", mistakes_tables(grades)),
        section("Exercises", exercises_table(grades)),
        section("Points", distribution(grades)),
        section("Who is stuck", stuck_table(grades)),
        section("Handed nothing in", listed(sorted(absent, key=str.casefold))),
        section("Late", late_table(late)),
        section("Students", students_table(grades, late)),
        section("Disputed: a check is said to be wrong", disputes_table(disputes)),
        section("To look at", remarks_table(grades)),
        section("Not decided: failures of the sandbox, nobody's fault", infrastructure_table(grades)),
    ]
    narrow = "<meta name='viewport' content='width=device-width, initial-scale=1'>"
    head = f"<meta charset='utf-8'>{narrow}<title>{text(lesson)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _by_name(given: Mapping[str, T]) -> dict[str, T]:
    return dict(sorted(given.items(), key=lambda item: item[0].casefold()))
