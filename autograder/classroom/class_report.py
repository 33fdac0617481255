"""The class report: one page and a table, of what a class got right, wrong and stuck on."""

from __future__ import annotations

import csv
import html as escaping
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from autograder.classroom.grades import Grade, Result

Grades = Mapping[str, Grade]
"""Student → grade."""

STYLE = """
:root{color-scheme:light dark;--line:#d0d7de;--bar:#0969da;--ok:#1a7f37;--none:#59636e;--bad:#bc4c00;--infra:#8250df}
@media(prefers-color-scheme:dark){:root{--line:#3d444d;--bar:#4493f8;--ok:#3fb950;--none:#9198a1;--bad:#f0883e;--infra:#ab7df8}
body{color:#f0f6fc;background:#0d1117}}
body{font:15px/1.5 system-ui,sans-serif;margin:32px auto;max-width:1100px;padding:0 16px}
h1{font-size:24px}h2{font-size:18px;margin-top:32px}summary{cursor:pointer}
table{border-collapse:collapse;font-size:14px}
th,td{padding:4px 10px;text-align:left;border-bottom:1px solid var(--line)}
th{vertical-align:bottom}td{vertical-align:top}td:first-child,.points{white-space:nowrap}
.bar{display:inline-block;height:12px;background:var(--bar);vertical-align:middle}
.ok{color:var(--ok)}.none{color:var(--none)}.bad{color:var(--bad)}.infra{color:var(--infra);font-weight:600}
.tenths{display:flex;align-items:flex-end;gap:6px;font-size:13px;text-align:center}
.tenths div{width:58px}.tenths .bar{display:block;height:auto}
.scroll{overflow-x:auto}
"""

ISOLATION = {
    "sandbox": "Submissions ran in a sandbox; points were decided outside of it.",
    "none": "Submissions ran WITHOUT isolation (--no-sandbox): their code could read and write what the grader could.",
}


def summary(lesson: str, grades: Grades, isolation: str) -> str:
    """A few lines for the terminal."""
    decided = [grade for grade in grades.values() if grade.complete]
    full = sum(grade.points == grade.max_points for grade in decided)
    lines = [f"{lesson}: {len(decided)} of {len(grades)} submissions decided, {full} with full points."]
    lines += [f"  {count:4} × {name}" for name, count in mistakes(grades.values())[:5]]
    open_ = [student for student, grade in grades.items() if not grade.complete]
    lines += [f"  not decided, as the sandbox failed: {', '.join(open_)}"] if open_ else []
    return "\n".join([*lines, ISOLATION[isolation]])


def mistakes(grades: Iterable[Grade]) -> list[tuple[str, int]]:
    """Named mistakes with their exercise, most frequent first."""
    found = Counter(f"{one.exercise}: {one.mistake}" for grade in grades for one in grade.results if _is_wrong(one))
    return [(name, count) for name, count in found.most_common() if not name.endswith(": ")]


def _is_wrong(one: Result) -> bool:
    """Whether it ran and gave something else. An exception may have a name, too."""
    return one.status == "wrong" or (bool(one.mistake) and one.status not in ("ok", "not attempted"))


def as_csv(grades: Grades) -> str:
    """A line for every student and exercise."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(["student", "exercise", "status", "points", "max_points", "mistake", "flags"])
    for student, grade in grades.items():
        for one in grade.results:
            points = "" if one.points is None else f"{one.points:g}"
            flags = "; ".join([*one.flags, *grade.flags])
            row = [student, one.exercise, one.status, points, f"{one.max_points:g}", one.mistake, flags]
            writer.writerow([_harmless(field) for field in row])
    return out.getvalue()


def _harmless(field: str) -> str:
    """A field that no spreadsheet takes for a formula."""
    return f"'{field}" if field.startswith(("=", "+", "-", "@", "\t", "\r")) else field


def html(lesson: str, grades: Grades, isolation: str) -> str:
    """One page that needs nothing else."""
    parts = [
        f"<h1>{_text(lesson)}</h1><p>{len(grades)} submissions. {ISOLATION[isolation]}</p>",
        _section("What was wrong, how often", _mistakes_table(grades)),
        _section("Exercises", _exercises_table(grades)),
        _section("Points", _distribution(grades)),
        _section("Students", _students_table(grades)),
        _section("To look at", _flags_table(grades)),
        _section("Not decided: failures of the sandbox, nobody's fault", _infrastructure_table(grades)),
    ]
    head = f"<meta charset='utf-8'><title>{_text(lesson)}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _section(title: str, body: str) -> str:
    return f"<h2>{_text(title)}</h2><div class='scroll'>{body}</div>" if body else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are HTML already."""
    lines = ["".join(f"<td>{field}</td>" for field in row) for row in rows]
    if not lines:
        return ""
    top = "".join(f"<th>{_text(name).replace('_', '_<wbr>')}</th>" for name in head)
    return f"<table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _mistakes_table(grades: Grades) -> str:
    """What was wrong, most frequent first, and with whom."""
    who: dict[tuple[str, str], list[str]] = {}
    for student, grade in grades.items():
        for one in filter(_is_wrong, grade.results):
            who.setdefault((one.exercise, one.mistake), []).append(student)
    found = sorted(who.items(), key=lambda item: (not item[0][1], -len(item[1])))
    rows = ([*_what(*what), _folded(names), _bar(len(names), len(grades))] for what, names in found)
    return _table(["exercise", "mistake", "students", ""], rows)


def _what(exercise: str, mistake: str) -> list[str]:
    return [_text(exercise), _text(mistake or "none that has a name")]


def _folded(names: Sequence[str]) -> str:
    return f"<details><summary>{len(names)}</summary>{_text(', '.join(names))}</details>"


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
        _text(name),
        f"{mean:.1f} of {results[0].max_points:g}",
        f"{right} {_bar(right, len(results))}",
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


def _students_table(grades: Grades) -> str:
    names = list(dict.fromkeys(one.exercise for grade in grades.values() for one in grade.results))
    return _table(["student", "points", *names], (_student(*item, names) for item in grades.items()))


def _student(student: str, grade: Grade, names: Sequence[str]) -> list[str]:
    results = {one.exercise: one for one in grade.results}
    total = f"{grade.points:g} of {grade.max_points:g}" if grade.complete else "not decided"
    return [_text(student), f"<span class='points'>{total}</span>", *(_field(results.get(name)) for name in names)]


def _field(one: Result | None) -> str:
    if one is None:
        return ""
    kind = {"ok": "ok", "not attempted": "none", "infrastructure": "infra"}.get(one.status, "bad")
    points = "?" if one.points is None else f"{one.points:g}"
    said = one.mistake if one.mistake and kind == "bad" else one.status
    return f"<span class='{kind}'>{points}</span> {'' if kind == 'ok' else _text(said)}"


def _flags_table(grades: Grades) -> str:
    rows = []
    for student, grade in grades.items():
        found = [*grade.flags, *(f"{one.exercise}: {flag}" for one in grade.results for flag in one.flags)]
        found += [f"{note.grade_id}: {note.status}: {note.words}" for note in grade.cells]
        found += [grade.words] if grade.status == "malformed" else []
        rows += [[_text(student), _text(flag)] for flag in found]
    return _table(["student", "what"], rows)


def _infrastructure_table(grades: Grades) -> str:
    rows = [(student, grade) for student, grade in grades.items() if not grade.complete]
    return _table(
        ["student", "what"], ([_text(student), _text(grade.words or "a check failed")] for student, grade in rows)
    )


def _bar(count: int, of: int) -> str:
    return f"<span class='bar' style='width:{round(200 * count / of) if of else 0}px'></span>"


def _text(given: str) -> str:
    return escaping.escape(str(given)[:500])
