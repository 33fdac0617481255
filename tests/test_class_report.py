"""The class report, made of grades that are made up: no submission runs."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from html.parser import HTMLParser

import pytest

from autograder import registry
from autograder.classroom.grading.grades import CellNote, Grade, Result
from autograder.classroom.report import class_names, spreadsheet
from autograder.classroom.report import page as class_report
from autograder.judging.oracle import Oracle
from autograder.probing.mistake import Mistake

STEM = "02_attention"
SDPA = "scaled_dot_product_attention"
FOUR = ("attention_scores", "causal_mask", "padding_mask", SDPA)
Rows = list[list[str]]


class Page(HTMLParser):
    """The tables of a page: heading → rows of texts. Rows in a folded tail stand under "folded"."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, Rows] = {}
        self.text = ""
        self.place, self.inside = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = "h2" if tag == "h2" else self.inside
        if tag == "h2":
            self.place = ""
        elif dict(attrs).get("class") == "more":
            self.place = "folded"
        elif tag == "tr":
            self.tables.setdefault(self.place, []).append([])
        elif tag in ("td", "th"):
            self.tables[self.place][-1].append("")
            self.inside = "cell"
        elif tag == "br" and self.inside == "cell":
            self.tables[self.place][-1][-1] += "\n"

    def handle_endtag(self, tag: str) -> None:
        self.inside = "" if tag in ("h2", "td", "th") else self.inside

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.inside == "h2":
            self.place += data
        elif self.inside == "cell":
            self.tables[self.place][-1][-1] += data


def result(exercise: str, mistake: str = "", status: str = "wrong", points: float | None = 0.0) -> Result:
    return Result(exercise, f"check-{exercise}", status, points, 2.0, mistake)


def right(*names: str) -> list[Result]:
    return [result(name, status="ok", points=2.0) for name in names]


def grade(*results: Result) -> Grade:
    return Grade("x", STEM, results=list(results))


def page(grades: dict[str, Grade], **more: object) -> Page:
    return Page(class_report.html(STEM, grades, "sandbox", **more))


def table(grades: dict[str, Grade], heading: str) -> Rows:
    return page(grades).tables.get(heading, [[]])[1:]


def wrong_rows(grades: dict[str, Grade]) -> dict[tuple[str, str], str]:
    """Exercise and mistake → count and names."""
    return {(row[0], row[1]): row[3] for row in table(grades, "What was wrong, how often")}


def mistakes_of(exercise: str) -> dict[str, list[str]]:
    """The names of an exercise's mistakes → what is said of them."""
    found: dict[str, list[str]] = {}
    for one in Oracle().mistakes(registry.exercise(exercise)):
        found.setdefault(one.name, []).append(one.says)
    return found


# Pairs -------------------------------------------------------------------------------


def test_each_mistake_of_a_pair_counts_for_itself() -> None:
    grades = {
        "ann": grade(result(SDPA, "no scale + -1e9 as fill")),
        "bob": grade(result(SDPA, "no scale")),
        "cem": grade(result(SDPA, "-1e9 as fill + softmax twice")),
    }
    assert wrong_rows(grades) == {
        (SDPA, "no scale"): "2 ann, bob",
        (SDPA, "-1e9 as fill"): "2 ann, cem",
        (SDPA, "softmax twice"): "1 cem",
    }
    assert f"2 × {SDPA}: no scale" in class_report.summary(STEM, grades, "sandbox")


def test_a_plus_in_a_name_makes_no_pair() -> None:
    assert wrong_rows({"ann": grade(result("LayerNorm", "std + eps"))}) == {("LayerNorm", "std + eps"): "1 ann"}
    other = next(name for name in mistakes_of("LayerNorm") if name != "std + eps")
    for both in (f"{other} + std + eps", f"std + eps + {other}"):
        pair = {"ann": grade(result("LayerNorm", both))}
        assert set(wrong_rows(pair)) == {("LayerNorm", "std + eps"), ("LayerNorm", other)}


def test_a_whole_name_goes_before_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    known = tuple(Mistake(name, of="f", says="") for name in ("std", "eps", "std + eps"))
    monkeypatch.setattr(class_names, "known_mistakes", lambda _: known)
    assert set(wrong_rows({"ann": grade(result("f", "std + eps"))})) == {("f", "std + eps")}
    assert set(wrong_rows({"ann": grade(result("f", "eps + std"))})) == {("f", "std"), ("f", "eps")}


def test_what_is_no_known_mistake_is_not_split() -> None:
    rows = wrong_rows({"ann": grade(result(SDPA, "an old name + no scale"), result("no exercise", "a + b"))})
    assert set(rows) == {(SDPA, "an old name + no scale"), ("no exercise", "a + b")}


def test_two_ways_of_one_mistake_are_one() -> None:
    rows = wrong_rows({"ann": grade(result(SDPA, "softmax twice + softmax twice"))})
    assert rows == {(SDPA, "softmax twice"): "1 ann"}


# What to explain on Monday -----------------------------------------------------------


def test_a_mistake_stands_beside_what_its_report_says() -> None:
    says = mistakes_of(SDPA)["no scale"][0]
    [row] = table({"ann": grade(result(SDPA, "no scale"))}, "What was wrong, how often")
    assert row[2] == says.replace("`", "")


def test_of_several_explanations_that_of_the_report_is_told() -> None:
    first, *_, last = dict.fromkeys(mistakes_of("EncoderLayer")["no residuals"])
    assert first != last
    for says in (first, last):
        one = result("EncoderLayer", "no residuals")
        one.text = f"EncoderLayer · 0 of 5 points\n{says}\nFirst to fail: it."
        [row] = table({"ann": grade(one)}, "What was wrong, how often")
        assert row[2] == says.replace("`", "")


def many_once(count: int) -> dict[str, Grade]:
    """One mistake made twice, and so many made once."""
    rare = [name for name in mistakes_of(SDPA) if name != "no scale" and " + " not in name][:count]
    assert len(rare) == count
    once = {f"r{n}": grade(result(SDPA, name)) for n, name in enumerate(rare)}
    return {**once, "y": grade(result(SDPA, "no scale")), "z": grade(result(SDPA, "no scale"))}


def test_the_frequent_come_first_and_a_long_tail_is_folded() -> None:
    short, long = page(many_once(8)).tables, page(many_once(9)).tables
    heading = "What was wrong, how often"
    assert short[heading][1][1] == "no scale" and len(short[heading]) == 1 + 9 and "folded" not in short
    assert [row[1] for row in long[heading][1:]] == ["no scale"] and len(long["folded"]) == 1 + 9
    assert "9 more that one student each made" in page(many_once(9)).text


def test_what_only_single_students_did_is_not_folded_when_it_is_all_there_is() -> None:
    alone = {who: one for who, one in many_once(9).items() if who not in "yz"}
    assert len(table(alone, "What was wrong, how often")) == 9


def test_many_names_are_all_shown() -> None:
    grades = {f"student-with-a-long-name-{n:02}": grade(result(SDPA, "no scale")) for n in range(40)}
    assert wrong_rows(grades)[SDPA, "no scale"].endswith("name-39")


# Who is stuck ------------------------------------------------------------------------


def test_who_is_stuck_lowest_first_and_with_what() -> None:
    a, b, c, d = FOUR
    zip_ = grade(*(result(name, status="malformed") for name in FOUR))
    zip_.status, zip_.words = "malformed", "it is no JSON"
    grades = {
        "half": grade(*right(a, b), result(c), result(d, status="not attempted")),
        "low": grade(*right(a), result(b, "excludes itself"), result(c, status="not attempted"), result(d)),
        "much": grade(*(result(name, status=status, points=1.5) for name, status in zip(FOUR, ODD, strict=True))),
        "zip": zip_,
        "blank": grade(*(result(name, status="not attempted") for name in FOUR)),
        "full": grade(*right(*FOUR)),
    }
    assert table(grades, "Who is stuck") == [
        ["blank", "0 of 8", "untouched: no exercise was written"],
        ["zip", "0 of 8", "cannot be read: it is no JSON"],
        ["low", "2 of 8", f"{b} (excludes itself); {d} (wrong); not attempted: {c}"],
        ["much", "6 of 8", f"{a} (wrong); {b} (exception); {c} (timeout)"],
    ]


ODD = ("wrong", "exception", "timeout", "ok")


def test_nobody_is_stuck_on_what_the_sandbox_failed_to_decide() -> None:
    open_ = [result(name, status="infrastructure", points=None) for name in FOUR]
    one_open = grade(*right(*FOUR[:3]), open_[3])
    undecided = Grade("x", STEM, "infrastructure", "the worker ended", open_)
    assert table({"one": one_open, "all": undecided}, "Who is stuck") == []


def test_students_come_by_name_and_the_low_can_be_seen() -> None:
    a, *rest = FOUR
    low = grade(*right(a), *(result(name, status="not attempted") for name in rest))
    grades = {"Zoe": low, "anna": grade(*right(*FOUR)), "Bo": grade(*right(*FOUR[:2]), *map(result, FOUR[2:]))}
    assert [row[0] for row in table(grades, "Students")] == ["anna", "Bo", "Zoe"]
    text = class_report.html(STEM, grades, "sandbox").partition("<h2>Students")[2]
    for kind, total in (("low", "2 of 8"), ("ok", "8 of 8"), ("", "4 of 8")):
        assert f"<span class='points {kind}'>{total}</span>" in text


def test_the_absent_and_the_late_are_named() -> None:
    grades = {"anna": grade(*right(*FOUR)), "<b>": grade(*right(*FOUR))}
    more = {"absent": ["Gus", "<i>"], "late": {"anna": "2 hours", "<b>": "1 day"}}
    found = page(grades, **more)
    assert found.tables["Late"][1:] == [["<b>", "1 day"], ["anna", "2 hours"]]
    assert "Handed nothing in<i>, Gus" in found.text
    assert found.tables["Students"][2][0] == "anna\nlate: 2 hours"
    told = class_report.summary(STEM, grades, "sandbox", **more)
    assert "handed nothing in: Gus, <i>" in told and "late: anna (2 hours), <b> (1 day)" in told
    assert "nothing in" not in class_report.summary(STEM, grades, "sandbox") + page(grades).text


def test_who_handed_in_what_cannot_be_read_is_named_at_once() -> None:
    unread = Grade("x", STEM, "malformed", "it is no JSON", [result("softmax", status="malformed")])
    told = class_report.summary(STEM, {"anna": grade(*right(*FOUR)), "dan": unread}, "sandbox")
    assert "\n  could not be read: dan\n" in told
    assert "be read" not in class_report.summary(STEM, {"anna": grade(*right(*FOUR))}, "sandbox")


def test_what_the_sandbox_lacked_is_told_once() -> None:
    grades = {"anna": grade(*right(*FOUR)), "bob": grade(*right(*FOUR)), "cleo": grade(*right(*FOUR))}
    for student in ("anna", "cleo"):
        grades[student].lacks = ["There is no <filter>."]
    for told in (page(grades).text, class_report.summary(STEM, grades, "sandbox")):
        assert told.count("There is no <filter>.") == 1
    assert Grade.of(grades["anna"].plain()) == grades["anna"]


# To look at --------------------------------------------------------------------------


def looked_at(one: Grade) -> list[str]:
    rows = table({"ann": one}, "To look at")
    assert len(rows) <= 1
    return rows[0][1].splitlines() if rows else []


@pytest.mark.parametrize("status", ["timeout", "out of memory", "killed"])
def test_a_check_that_was_stopped_is_to_be_looked_at(status: str) -> None:
    assert looked_at(grade(result("a", status=status))) == [f"{status} in the check of a"]
    assert looked_at(grade(result("a", status=status), result("b", status=status))) == [
        f"{status} in the checks of a, b"
    ]


def test_why_nothing_was_checked_is_told() -> None:
    one = result("a", status="timeout")
    one.text = "a · 0 of 2 points\nthe notebook used up its 300 s before this check"
    assert looked_at(grade(one)) == ["timeout in the check of a (the notebook used up its 300 s before this check)"]


def test_a_cell_that_was_stopped_is_told_once() -> None:
    one = grade(result("a", status="timeout"))
    one.cells = [CellNote("a", "timeout", "no end within 30 s")]
    assert looked_at(one) == ["timeout in the cell a (no end within 30 s)"]


JOINED: Sequence[tuple[str, str]] = (
    ("the cell {} is gone", "the cells a, b, c are gone"),
    ("the cell {} is gone; checked at the end", "the cells a, b, c are gone; checked at the end"),
    (
        "the cell {} stood before what it checks; checked at the end",
        "the cells a, b, c stood before what they check; checked at the end",
    ),
    ("{} occurs twice; the first one counts", "a, b, c occur twice; the first of each counts"),
)


@pytest.mark.parametrize(("flag", "joined"), JOINED)
def test_flags_of_one_kind_are_one_line(flag: str, joined: str) -> None:
    one = Grade("x", STEM, flags=[flag.format(name) for name in "abc"] + ["something else"])
    assert looked_at(one) == [joined, "something else"]


def test_cells_with_one_exception_are_one_line_with_all_words() -> None:
    one = grade()
    said = [("a", "no maths"), ("b", "no maths"), ("cell 12", "no indent")]
    one.cells = [CellNote(name, "exception", words) for name, words in said]
    assert looked_at(one) == ["exception in the cells a, b (no maths); 12 (no indent)"]


def test_forbidden_calls_are_joined() -> None:
    one = grade(result("a"), result("b"))
    for each in one.results:
        each.flags = ["calls f, which the exercise forbids"]
    assert looked_at(one) == ["a, b: calls f, which the exercise forbids"]


# The table ---------------------------------------------------------------------------


def rows_of(grades: dict[str, Grade]) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(spreadsheet.as_csv(grades), newline="")))


def test_mistakes_have_the_names_of_the_page() -> None:
    [row] = rows_of({"ann": grade(result(SDPA, "-1e9 as fill + no scale"))})
    assert row["mistake"] == f"{SDPA}: -1e9 as fill; {SDPA}: no scale"


@pytest.mark.parametrize(
    "begin", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "\t=", "＝", "＠", "x;=", "x; @", "x\n+"]
)
def test_no_field_begins_a_formula(begin: str) -> None:
    one = result(SDPA, f"{begin}1")
    one.flags = [f"{begin}1"]
    [row] = rows_of({f"{begin}1": grade(one)})
    for field in (row["student"], row["flags"]):
        assert "'" in field
        assert not any(re.match(r"\s*[=+\-@＝＠]", piece) for piece in re.split("[;\t\r\n]", field)), field
    assert row["mistake"].startswith(SDPA)


def test_what_is_no_formula_stays_as_it_is() -> None:
    one = result(SDPA, "no scale")
    one.flags = ["the cell check-a is gone; checked at the end", "a - b"]
    [row] = rows_of({"anna-lena": grade(one)})
    assert (row["student"], row["flags"]) == ("anna-lena", "; ".join(one.flags))
