"""The page that a student gets back: what stands on it, and that nothing of it runs or comes from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from autograder.classroom.course.rebuild import rebuilt
from autograder.classroom.feedback.feedback_page import page
from autograder.classroom.feedback.looks import STYLE
from autograder.classroom.feedback.one_cell import GradedNotebook, name
from autograder.classroom.feedback.overview import NOT_ATTEMPTED, UNREADABLE, WAITS
from autograder.classroom.feedback.prose import markdown
from autograder.classroom.feedback.shown_outputs import outputs, report
from autograder.classroom.grading.grades import Grade, Result
from autograder.classroom.grading.one_notebook import malformed
from autograder.classroom.grading.plan import plan_from
from autograder.learner.check import check
from autograder.reporting.report import Report
from autograder.stand_ins.layer_norm import normalize as stand_in
from tests.jupyterlab import CHROMIUM
from tests.small_lesson import STEM, cell, notebook

ABOUT = {"student": "ada", "assignment": STEM, "notebook": STEM, "score": 3.5, "max_score": 12.0, "late_penalty": 0}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def off_by_a_little(x: Any, eps: float = 1e-5) -> Any:
    return (x - x.mean(-1, keepdim=True)) / (x.var(-1, keepdim=True) + eps).sqrt()


@cache
def report_on(wrong: bool, exercise: str = "normalize") -> Report:
    return check(off_by_a_little if wrong else stand_in, exercise=exercise)


def results() -> list[Result]:
    wrong, right = report_on(True), report_on(False)
    return [
        Result("normalize", "check-normalize", "wrong", 0.5, 2.0, "variance over n - 1", wrong.says, "", wrong.html),
        Result("LayerNorm", "check-LayerNorm", "ok", 4.0, 4.0, "", right.says, "", right.html),
        Result("RMSNorm", "check-RMSNorm", "timeout", 0.0, 3.0, "", "It took too long.", "RMSNorm timed out"),
        Result("LayerNormalization", "check-LayerNormalization", "not attempted", 0.0, 2.0, "", "", "as handed out"),
    ]


def graded(change: Callable[[NotebookNode], None] = lambda _: None) -> GradedNotebook:
    """A notebook as trusted grading saves it, with nbgrader's points."""
    ours = notebook("student")
    saved = rebuilt(ours, b"", Grade("x", STEM, results=results()))
    for one in results():
        cell(saved, one.grade_id).metadata.nbgrader["score"] = one.points
    for given in ("normalize", "LayerNorm", "RMSNorm"):
        cell(saved, given).source = f"{given} = my_own_way"
    change(saved)
    return GradedNotebook(saved.cells, {name(one): one.source for one in ours.cells}, {"question-eps"})


class Seen(HTMLParser):
    """The rows of the table, where each place begins, and what could run or leads elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.dangers: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.ids |= {str(known["id"])} if "id" in known else set()
        if known.get("id") == "overview":
            self._inside = True
        if self._inside and tag == "tr":
            self.rows.append([])
        if self._inside and tag == "td":
            self.rows[-1].append("")
        if self._inside and tag == "a":
            self.links.append(str(known["href"]).removeprefix("#"))
        if tag in ("script", "iframe", "link", "object", "form", "base", "svg"):
            self.dangers.append(tag)
        for key, value in attrs:
            if key.startswith("on") or (key in ("src", "href") and not str(value).startswith(("#", "data:"))):
                self.dangers.append(f"{tag} {key}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "table"

    def handle_data(self, data: str) -> None:
        if self._inside and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def seen(change: Callable[[NotebookNode], None] = lambda _: None) -> Seen:
    return Seen(page(graded(change), ABOUT))


# The table ----------------------------------------------------------------------------


def test_it_opens_with_a_table_of_what_was_graded() -> None:
    rows = seen().rows[1:]
    assert [row[0] for row in rows] == [
        "✗ normalize", "✓ LayerNorm", "✗ RMSNorm", "○ LayerNormalization", "○ Question 1: eps",
    ]  # fmt: skip
    assert [row[1] for row in rows] == ["0.5 of 2", "4 of 4", "0 of 3", "0 of 2", "0 of 1"]
    assert rows[0][2] == report_on(True).says
    assert [row[2] for row in rows[2:]] == ["It took too long.", NOT_ATTEMPTED, WAITS]


def test_each_line_leads_to_a_place_on_the_page() -> None:
    found = seen()
    assert len(found.links) == 5 and set(found.links) <= found.ids


def test_the_header_tells_points_lateness_and_what_waits() -> None:
    text = page(graded(), {**ABOUT, "late_penalty": 2.0})
    assert "3.5 of 12 points" in text
    assert "2 points were taken off for being late; 1 answer waits" in text


def test_an_untouched_repair_names_no_mistake_whatever_its_check_says() -> None:
    """Stock grading runs the check on our own wrong code."""

    def stock(saved: NotebookNode) -> None:
        bundle = report_on(True, "LayerNormalization")._repr_mimebundle_()
        cell(saved, "check-LayerNormalization").outputs = [new_output("execute_result", bundle)]

    said = report_on(True, "LayerNormalization").says
    assert said not in page(graded(stock), ABOUT)
    assert seen(stock).rows[4][2] == NOT_ATTEMPTED


# The notebook ----------------------------------------------------------------------------


def test_what_could_not_be_read_is_not_called_unattempted() -> None:
    """The cells of such a page are the blank ones, so it has to say whose fault their emptiness is."""
    ours = notebook("student")
    why = "it is no JSON: Expecting <value>"
    saved = rebuilt(ours, b"", malformed("x", plan_from(ours, STEM), why))
    found = GradedNotebook(saved.cells, {name(one): one.source for one in ours.cells}, set())
    text = page(found, {**ABOUT, "score": 0.0})
    assert {row[2] for row in Seen(text).rows[1:]} == {UNREADABLE}
    assert "could not be read</b>: it is no JSON: Expecting &lt;value&gt;. So nothing was graded." in text
    assert NOT_ATTEMPTED not in text and "No answer." not in text


def test_the_lessons_own_text_is_folded_and_the_students_is_not() -> None:
    def own(saved: NotebookNode) -> None:
        saved.cells.insert(3, new_markdown_cell("Mine, mine."))

    text = page(graded(own), ABOUT)
    unfolded = re.sub(r"<details class='lesson'>.*?</details>", "", text, flags=re.DOTALL)
    assert "Tokens come in every size." in text and "Tokens come in every size." not in unfolded
    assert "Mine, mine." in unfolded and "my_own_way" in unfolded
    assert "Why does" in unfolded  # a question stands with its answer


def test_a_caption_does_not_stand_without_its_picture() -> None:
    def pictured(saved: NotebookNode, picture: bool) -> None:
        demo = next(one for one in saved.cells if "demo" in one.metadata.get("tags", []))
        demo.outputs = [new_output("display_data", {"image/png": PIXEL, "text/plain": "A line."})] if picture else []

    ours = notebook("student")
    at = next(number for number, one in enumerate(ours.cells) if "demo" in one.metadata.get("tags", []))
    ours.cells.insert(at + 1, new_markdown_cell("*What to see: a line.*\n\nIt goes on.", id="caption"))
    released = {name(one): one.source for one in ours.cells}
    for picture in (True, False):
        pictured(ours, picture)
        text = page(GradedNotebook(ours.cells, released, set()), ABOUT)
        assert "It goes on." in text
        assert ("What to see" in text) is picture and ("data:image/png;base64" in text) is picture
        assert ("Pictures are not made" in text) is not picture


def test_hints_stand_behind_what_is_not_right() -> None:
    ours = notebook("student")
    hints = [one for one in ours.cells if "help" in one.metadata.get("tags", [])]
    assert hints
    whole = page(graded(), ABOUT)
    unfolded = re.sub(r"<details class='lesson'>.*?</details>", "", whole, flags=re.DOTALL)
    assert unfolded.count("<p class='label'>Hints</p>") == len(hints) - 1  # LayerNorm has all its points


def test_a_comment_stands_with_what_it_is_about_and_nbgraders_own_does_not() -> None:
    def commented(saved: NotebookNode) -> None:
        cell(saved, "normalize").metadata.nbgrader["comment"] = "Mind the **mean**."
        cell(saved, "question-eps").metadata.nbgrader["comment"] = "No response."

    text = page(graded(commented), ABOUT)
    assert "Mind the <strong>mean</strong>." in text and "No response." not in text


# Nothing runs ----------------------------------------------------------------------------

TRICKS = """\
<script>alert(1)</script> <img src=x onerror=alert(1)> <details open ontoggle=alert(1)> [x](javascript:alert(1))
![x](http://elsewhere.example/x.png) <link rel=stylesheet href=//elsewhere.example> $\\href{javascript:alert(1)}{x}$
<svg/onload=alert(1)> $<script>alert(1)</script>$ <base href=//elsewhere.example>

| a | b |
| --- | --- |
| <form action=//elsewhere.example> | x |
"""


def tricks(saved: NotebookNode) -> None:
    """What a student's own process may have left everywhere."""
    html = {"text/html": TRICKS, "text/plain": TRICKS}
    saved.cells.insert(2, new_markdown_cell(TRICKS))
    saved.cells.insert(2, new_code_cell(TRICKS, outputs=[new_output("display_data", html)]))
    cell(saved, "question-eps").source = TRICKS
    cell(saved, "check-normalize").outputs = [new_output("execute_result", html)]
    cell(saved, "RMSNorm").outputs = [
        new_output("display_data", {"image/png": "x' onerror='alert(1)", "text/plain": "' onerror='alert(1)"}),
        new_output("error", ename="<script>", evalue=TRICKS, traceback=[TRICKS]),
        new_output("stream", text=TRICKS),
    ]
    told = {"application/vnd.transformer-course.report+json": {"says": TRICKS}, "text/plain": "0"}
    cell(saved, "check-RMSNorm").outputs = [new_output("execute_result", told)]


def test_nothing_that_a_student_wrote_runs_or_leads_elsewhere() -> None:
    found = seen(tricks)
    assert [one for one in found.dangers if not one.startswith("a href=#harmful-link")] == []
    assert Seen(TRICKS).dangers  # it would have been seen


def test_a_report_keeps_its_tables_and_colours() -> None:
    made = report_on(True)
    shown = report(new_code_cell(outputs=[new_output("execute_result", made._repr_mimebundle_())]))
    assert "<style>" not in shown and "&lt;" not in shown.replace("&lt;module", "")
    assert made.html.count("<td") == shown.count("<td") > 10
    assert 'style="background:rgba' in shown.replace(": ", ":")


def test_what_takes_minutes_to_read_is_shown_as_it_was_typed() -> None:
    assert markdown("[" * 200_000) == f"<pre class='out'>{'[' * 200_000}</pre>"
    made = {"text/html": "<div>" * 200_000, "text/plain": "0.0"}
    assert report(new_code_cell(outputs=[new_output("execute_result", made)])) == "<pre class='out'>0.0</pre>"


def test_outputs_are_text_and_pictures() -> None:
    shown = outputs(
        new_code_cell(
            outputs=[
                new_output("stream", text="\x1b[31mred\x1b[0m"),
                new_output("display_data", {"text/html": "<b>x</b>", "text/plain": "a table"}),
                new_output("display_data", {"image/png": PIXEL, "text/plain": "A line."}),
            ]
        )
    )
    assert ">red<" in shown and "a table" in shown and "<b>" not in shown and "alt='A line.'" in shown


def test_html_of_the_lesson_is_html_and_a_students_is_text() -> None:
    assert "<summary>A nudge</summary>" in markdown("<details><summary>A nudge</summary>\n\nx\n</details>", ours=True)
    assert "&lt;details&gt;" in markdown("<details>")
    assert "<math" in markdown("$x^2$") and "display='block'" in markdown("$$\nx^2\n$$")


# In a browser ----------------------------------------------------------------------------


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_it_needs_no_network_and_fits_a_telephone(tmp_path: Path) -> None:
    from playwright.sync_api import Route, sync_playwright

    (tmp_path / "page.html").write_text(page(graded(tricks), ABOUT), encoding="utf-8")
    asked: list[str] = []

    def only_files(route: Route) -> None:
        if route.request.url.startswith(("file:", "data:")):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        tab = chromium.new_page(viewport={"width": 1280, "height": 900})
        said: list[str] = []
        tab.on("dialog", lambda one: (said.append(one.message), one.dismiss()))
        tab.route("**/*", only_files)
        tab.goto((tmp_path / "page.html").as_uri())
        assert tab.locator("#overview").bounding_box()["y"] < 200  # type: ignore[index]
        assert tab.evaluate("getComputedStyle(document.querySelector('summary')).display") == "list-item"
        for width in (1280, 400):
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
        chromium.close()
    assert asked == [] and said == []


def test_a_dark_page_is_dark_throughout_and_white_on_paper() -> None:
    """Looked at in Chromium, wide and narrow; this holds that no colour of the light page is written without a name."""
    light, _, dark = STYLE.partition("@media screen and (prefers-color-scheme:dark)")
    named = set(re.findall(r"(--[\w-]+):", light.partition("}")[0]))
    assert named <= set(re.findall(r"(--[\w-]+):", dark)) and STYLE.count("{") == STYLE.count("}")
    rules = light.partition("}")[2].partition("@media")[0]
    assert not re.search(r"(?:color|background|border)[\w-]*:\s*#", rules)
    assert {"--jp-content-font-color1", "--jp-layout-color1"} <= set(re.findall(r"(--[\w-]+):", dark))
