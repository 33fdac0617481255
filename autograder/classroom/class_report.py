"""The class report: one page and a table, of what a class got right, wrong and stuck on."""

from __future__ import annotations

import csv
import html as escaping
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple, TypeVar

from autograder import registry
from autograder.classroom.grades import CellNote, Grade, Result
from autograder.exercise import Mistake
from autograder.oracle import Oracle

Grades = Mapping[str, Grade]
"""Student → grade."""

T = TypeVar("T")

RARE = 8
"""Mistakes that one student each made are folded when there are more of them."""

LOW = 0.5
"""The share of the points below which a student is called stuck."""

MANY = 3
"""With so many exercises gone wrong, too."""

STOPPED = ("timeout", "out of memory", "killed")

STYLE = """
:root{color-scheme:light dark;--line:#d0d7de;--bar:#0969da;--ok:#1a7f37;--none:#59636e;--bad:#bc4c00;--infra:#8250df}
@media(prefers-color-scheme:dark){:root{--line:#3d444d;--bar:#4493f8;--ok:#3fb950;--none:#9198a1;--bad:#f0883e;--infra:#ab7df8}
body{color:#f0f6fc;background:#0d1117}}
body{font:15px/1.5 system-ui,sans-serif;margin:32px auto;max-width:1068px;padding:0 16px}
h1{font-size:24px}h2{font-size:18px;margin:32px 0 8px}summary{cursor:pointer}
table{border-collapse:collapse;font-size:14px}
th,td{padding:4px 10px;text-align:left;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{padding-left:0}
th{vertical-align:bottom}td{vertical-align:top}.points{white-space:nowrap}
td:first-child{white-space:nowrap}
code{font-size:.92em}
.bar{display:inline-block;height:12px;background:var(--bar);vertical-align:middle}
.ok{color:var(--ok)}.none{color:var(--none)}.bad{color:var(--bad)}.infra{color:var(--infra);font-weight:600}
.low{color:var(--bad);font-weight:700}
.tenths{display:flex;align-items:flex-end;gap:6px;font-size:13px;text-align:center}
.tenths div{width:58px}.tenths .bar{display:block;height:auto}
.scroll{overflow-x:auto}
.mistakes,.students{table-layout:fixed;width:100%;overflow-wrap:anywhere}
.mistakes td,.students td{white-space:normal}
.mistakes td:nth-child(3){color:var(--none);font-size:13.5px}
.mistakes th:nth-child(1){width:17%}.mistakes th:nth-child(2){width:18%}.mistakes th:nth-child(4){width:17%}
.more{margin-top:8px}
.students{font-size:12.5px;line-height:1.35}
.students th:nth-child(n),.students td:nth-child(n){padding:4px 8px 4px 0}
.students th:nth-child(1){width:12%}.students th:nth-child(2){width:84px}
"""

ISOLATION = {
    "sandbox": "Submissions ran in a sandbox; points were decided outside of it.",
    "none": "Submissions ran WITHOUT isolation (--no-sandbox): their code could read and write what the grader could.",
}


# For the terminal --------------------------------------------------------------------


def summary(
    lesson: str, grades: Grades, isolation: str, *, absent: Sequence[str] = (), late: Mapping[str, str] = {}
) -> str:
    """A few lines for the terminal.

    Args:
        lesson: its notebook, such as "01_layer_norm".
        grades: student → grade.
        isolation: "sandbox" or "none".
        absent: students who handed nothing in.
        late: student → how late, such as "2 hours".
    """
    decided = [grade for grade in grades.values() if grade.complete]
    full = sum(grade.points == grade.max_points for grade in decided)
    lines = [f"{lesson}: {len(decided)} of {len(grades)} submissions decided, {full} with full points."]
    lines += [f"  {count:4} × {name}" for name, count in mistakes(grades.values())[:5]]
    lines += [f"  late: {', '.join(f'{student} ({how})' for student, how in late.items())}"] if late else []
    lines += [f"  handed nothing in: {', '.join(absent)}"] if absent else []
    open_ = [student for student, grade in grades.items() if not grade.complete]
    lines += [f"  not decided, as the sandbox failed: {', '.join(open_)}"] if open_ else []
    return "\n".join([*lines, ISOLATION[isolation]])


def mistakes(grades: Iterable[Grade]) -> list[tuple[str, int]]:
    """Named mistakes with their exercise, most frequent first. Each of a pair counts for itself."""
    wrong = [one for grade in grades for one in grade.results if _is_wrong(one)]
    return Counter(f"{one.exercise}: {name}" for one in wrong for name in _names(one)).most_common()


def _is_wrong(one: Result) -> bool:
    """Whether it ran and gave something else. An exception may have a name, too."""
    return one.status == "wrong" or (bool(one.mistake) and one.status not in ("ok", "not attempted"))


# Names of mistakes -------------------------------------------------------------------


@cache
def _known(exercise: str) -> tuple[Mistake, ...]:
    try:
        return Oracle().mistakes(registry.exercise(exercise))
    except registry.UnknownExercise:
        return ()


def _names(one: Result) -> list[str]:
    """The names in a result's mistake. A plus joins a pair where both sides are known; "std + eps" is one name."""
    known = {mistake.name for mistake in _known(one.exercise)}
    pieces = one.mistake.split(" + ")
    if one.mistake not in known:
        for at in range(1, len(pieces)):
            pair = [" + ".join(pieces[:at]), " + ".join(pieces[at:])]
            if known.issuperset(pair):
                return list(dict.fromkeys(pair))  # two ways of one mistake bear one name
    return [one.mistake] if one.mistake else []


def _explanations(exercise: str, name: str, reports: Sequence[str]) -> list[str]:
    """What is said of a mistake. Several ways of it may be explained differently: those that the reports hold."""
    said = list(dict.fromkeys(one.says for one in _known(exercise) if one.name == name))
    held = [text for text in said if any(text.rstrip(".") in report for report in reports)]
    return held or said[:1]


# The table for spreadsheets ----------------------------------------------------------


def as_csv(grades: Grades) -> str:
    """A line for every student and exercise. Mistakes stand with their exercise, as in the terminal's summary."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["student", "exercise", "status", "points", "max_points", "mistake", "flags"])
    for student, grade in grades.items():
        for one in grade.results:
            points = "" if one.points is None else f"{one.points:g}"
            # With its exercise in front, "-1e9 as fill" is no formula, and keeps its name without an apostrophe.
            named = "; ".join(f"{one.exercise}: {name}" for name in _names(one))
            flags = "; ".join([*one.flags, *grade.flags])
            row = [student, one.exercise, one.status, points, f"{one.max_points:g}", named, flags]
            writer.writerow([_harmless(text) for text in row])
    return out.getvalue()


FORMULA = re.compile(r"(^|[;\t\r\n])(?=\s*[=+\-@＝＋－＠]|[\t\r\n])")
"""Where a formula could begin. Where commas are decimal, spreadsheets may cut a field at its semicolons."""


def _harmless(text: str) -> str:
    """A field that no spreadsheet takes for a formula."""
    return FORMULA.sub(r"\1'", text)


# The page ----------------------------------------------------------------------------


def html(
    lesson: str, grades: Grades, isolation: str, *, absent: Sequence[str] = (), late: Mapping[str, str] = {}
) -> str:
    """One page that needs nothing else.

    Args:
        lesson: its notebook, such as "01_layer_norm".
        grades: student → grade.
        isolation: "sandbox" or "none".
        absent: students who handed nothing in.
        late: student → how late, such as "2 hours".
    """
    grades, late = _by_name(grades), _by_name(late)
    parts = [
        f"<h1>{_text(lesson)}</h1><p>{_counted(len(grades), 'submission')}. {ISOLATION[isolation]}</p>",
        _section("What was wrong, how often", _mistakes_tables(grades)),
        _section("Exercises", _exercises_table(grades)),
        _section("Points", _distribution(grades)),
        _section("Who is stuck", _stuck_table(grades)),
        _section("Handed nothing in", _listed(sorted(absent, key=str.casefold))),
        _section("Late", _table(["student", "how late"], ([_text(who), _text(how)] for who, how in late.items()))),
        _section("Students", _students_table(grades, late)),
        _section("To look at", _remarks_table(grades)),
        _section("Not decided: failures of the sandbox, nobody's fault", _infrastructure_table(grades)),
    ]
    head = f"<meta charset='utf-8'><title>{_text(lesson)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _by_name(given: Mapping[str, T]) -> dict[str, T]:
    return dict(sorted(given.items(), key=lambda item: item[0].casefold()))


def _section(title: str, body: str) -> str:
    return f"<h2>{_text(title)}</h2><div class='scroll'>{body}</div>" if body else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], kind: str = "") -> str:
    """A table of cells that are HTML already."""
    lines = ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    if not lines:
        return ""
    top = "".join(f"<th>{_breaking(name)}</th>" for name in head)
    return f"<table class='{kind}'><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _text(given: str) -> str:
    return escaping.escape(str(given)[:500])


def _breaking(name: str) -> str:
    """A name that may go on in the next line where a word of it ends."""
    return re.sub(r"(?<=_)(?=.)|(?<=[a-z])(?=[A-Z])", "<wbr>", _text(name))


def _prose(text: str) -> str:
    """Text in which `...` is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", _text(text))


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_text(name) for name in names)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _bar(count: int, of: int, widest: int = 200) -> str:
    return f"<span class='bar' style='width:{round(widest * count / of) if of else 0}px'></span>"


# What was wrong ----------------------------------------------------------------------


@dataclass
class _Made:
    """A mistake, the students who made it, and what their reports say. Without a name it is all that has none."""

    exercise: str
    name: str
    students: list[str] = field(default_factory=list)
    reports: list[str] = field(default_factory=list)


def _made(grades: Grades) -> list[_Made]:
    """The mistakes of a class, most frequent first."""
    found: dict[tuple[str, str], _Made] = {}
    for student, grade in grades.items():
        for one in filter(_is_wrong, grade.results):
            for name in _names(one) or [""]:
                made = found.setdefault((one.exercise, name), _Made(one.exercise, name))
                made.students.append(student)
                made.reports.append(one.text)
    order = _exercises(grades)
    return sorted(found.values(), key=lambda made: (-len(made.students), not made.name, order.index(made.exercise)))


def _mistakes_tables(grades: Grades) -> str:
    """What was wrong, most frequent first; a long tail of what one student each did is folded."""
    found = _made(grades)
    once = [made for made in found if len(made.students) == 1]
    if len(once) <= RARE or len(once) == len(found):
        return _mistakes_table(found, len(grades))
    tail = f"<summary>{len(once)} more that one student each made</summary>{_mistakes_table(once, len(grades))}"
    return _mistakes_table(found[: -len(once)], len(grades)) + f"<details class='more'>{tail}</details>"


def _mistakes_table(found: Sequence[_Made], of: int) -> str:
    return _table(
        ["exercise", "mistake", "what the report says of it", "students"],
        (_mistake(one, of) for one in found),
        "mistakes",
    )


def _mistake(made: _Made, of: int) -> list[str]:
    said = _explanations(made.exercise, made.name, made.reports) if made.name else []
    summary = f"{len(made.students)} {_bar(len(made.students), of, 120)}"
    return [
        _text(made.exercise).replace("_", "_<wbr>"),
        _text(made.name or "none that has a name"),
        "<br>".join(_prose(text) for text in said),
        f"<details><summary>{summary}</summary>{_listed(made.students)}</details>",
    ]


# Exercises and points ----------------------------------------------------------------


def _exercises(grades: Grades) -> list[str]:
    """The names of the exercises, in the order of the notebook."""
    return list(dict.fromkeys(one.exercise for grade in grades.values() for one in grade.results))


def _exercises_table(grades: Grades) -> str:
    by_name: dict[str, list[Result]] = {}
    for grade in grades.values():
        for one in grade.results:
            by_name.setdefault(one.exercise, []).append(one)
    return _table(["exercise", "mean points", "right", "what else"], (_exercise(*item) for item in by_name.items()))


def _exercise(name: str, results: list[Result]) -> list[str]:
    earned = [one.points for one in results if one.points is not None]
    mean = sum(earned) / len(earned) if earned else 0.0
    counts = Counter(one.status for one in results)
    right = counts.pop("ok", 0)
    others = ", ".join(f"{count} {status}" for status, count in counts.most_common())
    return [
        _breaking(name),
        f"<span class='points'>{mean:.1f} of {results[0].max_points:g}</span>",
        f"<span class='points'>{right} {_bar(right, len(results))}</span>",
        _text(others),
    ]


def _distribution(grades: Grades) -> str:
    """How many students have how many tenths of the points."""
    shares = [grade.points / grade.max_points for grade in grades.values() if grade.complete and grade.max_points]
    tenths = Counter(min(int(10 * share), 10) for share in shares)
    most = max(tenths.values(), default=0)
    columns = (_column(tenths[n], most, f"{10 * n}–{10 * n + 9} %" if n < 10 else "100 %") for n in range(11))
    return f"<div class='tenths'>{''.join(columns)}</div>" if shares else ""


def _column(count: int, most: int, name: str) -> str:
    return f"<div>{count or ''}<span class='bar' style='height:{round(80 * count / most)}px'></span>{name}</div>"


# Who is stuck ------------------------------------------------------------------------


def _stuck_table(grades: Grades) -> str:
    """Students who are low or have much that is wrong, lowest first. What was not decided is left out."""
    found = [(share, student) for student, grade in grades.items() if (share := _share(grade)) is not None]
    stuck = [(share, student) for share, student in found if share < LOW or len(_gone_wrong(grades[student])) >= MANY]
    rows = ([_text(student), _total(grades[student]), _stuck_with(grades[student])] for _, student in sorted(stuck))
    return _table(["student", "points", "with what"], rows, "stuck")


def _share(grade: Grade) -> float | None:
    """The share of the points that could be decided on; None when there are none."""
    decided = [one for one in grade.results if one.points is not None]
    possible = sum(one.max_points for one in decided)
    return sum(one.points or 0.0 for one in decided) / possible if possible else None


def _gone_wrong(grade: Grade) -> list[Result]:
    return [one for one in grade.results if one.status not in ("ok", "not attempted", "infrastructure")]


def _stuck_with(grade: Grade) -> str:
    if grade.status == "malformed":
        return f"cannot be read: {_text(grade.words)}"
    if all(one.status == "not attempted" for one in grade.results):
        return "untouched: no exercise was written"
    wrong = [f"{_text(one.exercise)} (<span class='bad'>{_text(_said(one))}</span>)" for one in _gone_wrong(grade)]
    blank = [_text(one.exercise) for one in grade.results if one.status == "not attempted"]
    rest = [f"<span class='none'>not attempted: {', '.join(blank)}</span>"] if blank else []
    return "; ".join([*wrong, *rest])


def _said(one: Result) -> str:
    return "; ".join(_names(one)) or one.status


# Students ----------------------------------------------------------------------------


def _students_table(grades: Grades, late: Mapping[str, str]) -> str:
    names = _exercises(grades)
    rows = (_student(student, grade, names, late.get(student, "")) for student, grade in grades.items())
    return _table(["student", "points", *names], rows, "students")


def _student(student: str, grade: Grade, names: Sequence[str], late: str) -> list[str]:
    results = {one.exercise: one for one in grade.results}
    note = f"<br><span class='none'>late: {_text(late)}</span>" if late else ""
    return [_text(student) + note, _total(grade), *(_field(results.get(name)) for name in names)]


def _total(grade: Grade) -> str:
    """The points, coloured where they are few or all."""
    if not grade.complete:
        return "<span class='points infra'>not decided</span>"
    share = _share(grade)
    kind = "" if share is None else "low" if share < LOW else "ok" if share == 1 else ""
    return f"<span class='points {kind}'>{grade.points:g} of {grade.max_points:g}</span>"


def _field(one: Result | None) -> str:
    if one is None:
        return ""
    kind = {"ok": "ok", "not attempted": "none", "infrastructure": "infra"}.get(one.status, "bad")
    points = "?" if one.points is None else f"{one.points:g}"
    said = _said(one) if kind == "bad" else "not decided" if kind == "infra" else one.status
    return f"<span class='{kind}'>{points}</span> {'' if kind == 'ok' else _text(said)}"


# To look at --------------------------------------------------------------------------


class _Kind(NamedTuple):
    """What is remarked, around the name of what it is remarked of, or around several names."""

    one: tuple[str, str]
    many: tuple[str, str]


class _Remark(NamedTuple):
    """Something for an instructor to look at. Remarks of one kind are told in one line."""

    kind: _Kind
    about: str
    words: str = ""


FLAGS = {
    r"the cell (\S+) is gone; checked at the end": _Kind(
        ("the cell ", " is gone; checked at the end"), ("the cells ", " are gone; checked at the end")
    ),
    r"the cell (\S+) is gone": _Kind(("the cell ", " is gone"), ("the cells ", " are gone")),
    r"the cell (\S+) stood before \S+; checked at the end": _Kind(
        ("the cell ", " stood before what it checks; checked at the end"),
        ("the cells ", " stood before what they check; checked at the end"),
    ),
    r"(\S+) occurs twice; the first one counts": _Kind(
        ("", " occurs twice; the first one counts"), ("", " occur twice; the first of each counts")
    ),
    r"(\S+) is empty, but a cell of their own follows it": _Kind(
        ("", " is empty, but a cell of their own follows it"), ("", " are empty, but cells of their own follow them")
    ),
}
"""The flags that come once for every cell, and how they are told of one cell and of several."""


def _remarks_table(grades: Grades) -> str:
    rows = ((student, _lines(_remarks(grade))) for student, grade in grades.items())
    return _table(["student", "what"], ([_text(student), "<br>".join(lines)] for student, lines in rows if lines))


def _remarks(grade: Grade) -> Iterator[_Remark]:
    """All there is to look at in a submission."""
    if grade.status == "malformed":
        yield _Remark(_Kind((grade.words, ""), (grade.words, "")), "")
    yield from map(_of_flag, grade.flags)
    for one in grade.results:
        for flag in one.flags:
            yield _Remark(_Kind(("", f": {flag}"), ("", f": {flag}")), one.exercise)
    yield from map(_of_cell, grade.cells)
    told = {(note.grade_id, note.status) for note in grade.cells}  # a cell that was stopped leaves nothing to check
    for one in grade.results:
        if one.status in STOPPED and (one.exercise, one.status) not in told:
            yield _of_check(one)


def _of_flag(flag: str) -> _Remark:
    for pattern, kind in FLAGS.items():
        found = re.fullmatch(pattern, flag)
        if found:
            return _Remark(kind, found[1])
    return _Remark(_Kind((flag, ""), (flag, "")), "")


def _of_cell(note: CellNote) -> _Remark:
    kind = _Kind((f"{note.status} in the cell ", ""), (f"{note.status} in the cells ", ""))
    return _Remark(kind, note.grade_id.removeprefix("cell "), note.words)  # their own are called "cell 12"


def _of_check(one: Result) -> _Remark:
    kind = _Kind((f"{one.status} in the check of ", ""), (f"{one.status} in the checks of ", ""))
    lines = one.text.splitlines()
    # A report of two lines says why there was nothing to check; a longer one is about the code.
    return _Remark(kind, one.exercise, lines[1] if len(lines) == 2 else "")


def _lines(remarks: Iterable[_Remark]) -> list[str]:
    """One line of HTML for every kind."""
    by_kind: dict[_Kind, list[_Remark]] = {}
    for remark in remarks:
        by_kind.setdefault(remark.kind, []).append(remark)
    return [_line(kind, list(dict.fromkeys(found))) for kind, found in by_kind.items()]


def _line(kind: _Kind, found: Sequence[_Remark]) -> str:
    by_words: dict[str, list[str]] = {}
    for remark in found:
        by_words.setdefault(remark.words, []).append(remark.about)
    told = [_listed(names) + (f" ({_text(words)})" if words else "") for words, names in by_words.items()]
    before, after = kind.one if len(found) == 1 else kind.many
    return _text(before) + "; ".join(told) + _text(after)


# Not decided -------------------------------------------------------------------------


def _infrastructure_table(grades: Grades) -> str:
    rows = [(student, grade) for student, grade in grades.items() if not grade.complete]
    return _table(
        ["student", "what"], ([_text(student), _text(grade.words or "a check failed")] for student, grade in rows)
    )
