"""The web book: three lessons of it, in a browser without network and without a kernel."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe

from autograder import registry
from autograder.dev.book.site import WebBook, _sphinx, make
from autograder.notebooks import lessons, reference
from tests import jupyterlab
from tests.book.serving import NARROW, SERIOUS, WIDE, served

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.turns(4, "autograder/dev/book", "tests/book", at=0)]

STEMS = ["00_start_here", "02_attention", "11_decoding"]
LIVES = "[data-live=yes] >> nth={}"


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> WebBook:
    made = WebBook(STEMS, tmp_path_factory.mktemp("book"), "somebody/course", quick=True)
    assert make(made) == []
    return made


@pytest.fixture(scope="module")
def tab(book: WebBook) -> Iterator[jupyterlab.Tab]:
    if jupyterlab.missing():
        (pytest.fail if os.environ.get("CI") else pytest.skip)(jupyterlab.missing())
    with served(book.site) as url, jupyterlab.browser(jupyterlab.Server(url, book.site), width=WIDE) as tab:
        yield tab


def opened(tab: jupyterlab.Tab, name: str) -> jupyterlab.Page:
    tab.page.goto(f"{tab.lab.url}/{name}.html")
    return tab.page


def alive(tab: jupyterlab.Tab, stem: str, number: int = 0) -> jupyterlab.Locator:
    """A widget of a page, once it lives."""
    place = opened(tab, stem).locator(".tc-live").nth(number)
    place.scroll_into_view_if_needed()
    place.locator(".tc-root").wait_for()
    return place


def test_no_page_tells_a_solution(book: WebBook) -> None:
    for stem in STEMS:
        page = re.sub(r"<[^>]+>", "", (book.site / f"{stem}.html").read_text(encoding="utf-8"))
        page = page.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&#39;", "'")
        lesson = lessons.lesson_of(stem)
        for exercise in registry.exercises(lesson):
            if not exercise.repairs:
                source = reference.definition(lesson, exercise.name)
                hidden = re.search(r"# BEGIN SOLUTION\n(.*?)\s*# END SOLUTION", source, re.S)
                assert hidden and hidden[1].strip() not in page, exercise.name


def test_links_lead_somewhere(book: WebBook) -> None:
    for page in book.site.glob("*.html"):
        for target in re.findall(r'(?:href|src|data-widget)="([^"#?]+)', page.read_text(encoding="utf-8")):
            if not target.startswith(("http", "data:", "mailto:")):
                assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_pages_say_where_to_write(book: WebBook) -> None:
    page = (book.site / "02_attention.html").read_text(encoding="utf-8")
    assert "Author name not set" not in page
    assert "mybinder.org/v2/gh/somebody/course/HEAD?urlpath=lab/tree/course/02_attention.ipynb" in page
    assert "colab.research.google.com/github/somebody/course/blob/HEAD/course/02_attention.ipynb" in page
    assert 'href="index.html#in-colab"' in page
    assert re.search(r'href="11_decoding.html"[^>]*>(<[^>]*>)*next lesson', page)


def test_the_first_page_has_the_cell_for_colab(book: WebBook) -> None:
    page = re.sub(r"<[^>]+>", "", (book.site / "index.html").read_text(encoding="utf-8"))
    assert "!git clone -q --depth 1 https://github.com/somebody/course transformer-course" in page


def test_formulas_need_no_network(book: WebBook) -> None:
    page = (book.site / "02_attention.html").read_text(encoding="utf-8")
    assert "<math" in page and not re.search("<script[^>]*mathjax", page, re.I)


def test_the_stepper_by_mouse_and_keyboard(tab: jupyterlab.Tab) -> None:
    stepper = alive(tab, "02_attention")
    stepper.get_by_role("radio", name="4 softmax").click()
    stepper.locator(".tc-caption", has_text="shares").wait_for()
    stepper.locator("canvas.tc-heatmap").focus()
    tab.page.keyboard.press("ArrowDown")
    stepper.get_by_text("“cat” asks").wait_for()


def test_the_sampling_lab_by_keyboard(tab: jupyterlab.Tab) -> None:
    lab = alive(tab, "11_decoding")
    slider = lab.get_by_role("slider", name="top_k")
    slider.focus()
    tab.page.keyboard.press("ArrowRight")
    lab.get_by_text("1 of 29 tokens can be drawn").wait_for()
    lab.locator(".tc-drawn", has_text="× 20").wait_for()


def test_what_only_python_knows_is_said(tab: jupyterlab.Tab) -> None:
    playground = alive(tab, "02_attention", 1)
    playground.locator("canvas.tc-heatmap").first.focus()
    tab.page.keyboard.press("ArrowRight")
    tab.page.keyboard.press("Space")
    playground.get_by_text("Only Python knows").wait_for()
    playground.get_by_role("radio", name="causal", exact=True).click()
    playground.get_by_text("Only Python knows").wait_for(state="hidden")


def test_nothing_is_asked_of_the_network(tab: jupyterlab.Tab) -> None:
    for name in ("index", "widgets", *STEMS):
        opened(tab, name)
    assert tab.blocked == [] and tab.complaints == []


def test_without_javascript_there_is_the_picture(book: WebBook) -> None:
    page = (book.site / "02_attention.html").read_text(encoding="utf-8")
    pictures = re.findall(r'<div class="tc-live"[^>]*><img src="([^"]+)" alt="([^"]+)"', page)
    assert len(pictures) == 2 and all(len(alt) > 40 for _, alt in pictures)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", "02_attention"])
def test_pages_can_be_read_by_all(tab: jupyterlab.Tab, name: str, scheme: str) -> None:
    tab.page.emulate_media(color_scheme=scheme)
    page = opened(tab, name)
    try:
        for width in (NARROW, WIDE):
            page.set_viewport_size({"width": width, "height": 900})
            page.wait_for_timeout(1000)  # the theme's own script says of what scrolls that the keyboard reaches it
            found = Axe().run(page).response["violations"]
            assert [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in SERIOUS] == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
    finally:
        page.set_viewport_size({"width": WIDE, "height": 1000})
        page.emulate_media(color_scheme="light")


def test_in_the_dark_figures_are_inverted_and_not_dimmed_by_the_theme(tab: jupyterlab.Tab) -> None:
    tab.page.emulate_media(color_scheme="dark")
    try:
        page = opened(tab, "02_attention")
        script = "() => [...document.querySelectorAll('img.course-figure')].map((one) => getComputedStyle(one).filter)"
        filters = page.evaluate(script)
        assert filters and set(filters) == {"invert(0.9) hue-rotate(180deg)"}
    finally:
        tab.page.emulate_media(color_scheme="light")


def test_a_table_that_a_cell_shows_is_a_table(tmp_path: Path) -> None:
    shown = nbformat.v4.new_output(
        "display_data", {"text/markdown": "Of three seeds:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"}
    )
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("shown", outputs=[shown])]
    (tmp_path / "source" / "_static").mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / "source" / "index.ipynb")
    made = WebBook([], tmp_path, "somebody/course", quick=True)
    _sphinx(made, tmp_path / "source")
    assert "<table" in (made.site / "index.html").read_text(encoding="utf-8")
