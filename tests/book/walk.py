"""Walks through a finished book in Chromium without network, and says what is broken.

python -m tests.book.walk .book/site [--shots DIR] [--only STEM...] [--all]

On every page, light and wide, dark and narrow: errors of the console, what was asked of the network, what axe-core
calls serious, what is wider than the window. Dead links, anchors too. Every widget is pointed at with the mouse and
moved with the keyboard. The exit code says whether anything was found; how each widget behaves is printed as a table.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

from tests import jupyterlab
from tests.book.serving import NARROW, SERIOUS, WIDE, served

CONTROLS = "input:not([type=hidden]), select, button, [role=radio], [role=slider], canvas[tabindex], [tabindex='0']"
LOOK = """(root) => root.innerHTML.length + [...root.querySelectorAll('canvas')].map((one) => one.toDataURL()).join('')
    + root.innerText + [...root.querySelectorAll('input')].map((one) => `${one.value}${one.checked}`).join()"""
KEYS = ("ArrowRight", "ArrowDown", "Space", "Enter", "ArrowLeft")
MOST_CONTROLS = 12
"""Of a widget; a strip of tokens has hundreds."""


LINK = re.compile(r'\b(?:href|src|data-widget)="([^"]+)"')
TWO = (("light", WIDE), ("dark", NARROW))
FOUR = (*TWO, ("dark", WIDE), ("light", NARROW))


@cache
def _ids(path: Path) -> frozenset[str]:
    return frozenset(re.findall(r'\b(?:id|name)="([^"]+)"', path.read_text(encoding="utf-8")))


def dead_links(site: Path) -> Iterator[str]:
    """Links within the book that lead to no file, or to no place in it."""
    for page in sorted(site.glob("*.html")):
        for target in sorted(set(LINK.findall(page.read_text(encoding="utf-8")))):
            if target.startswith(("http", "data:", "mailto:")):
                continue
            name, _, anchor = target.partition("#")
            path = page.parent / name.partition("?")[0] if name else page
            if not path.exists():
                yield f"{page.name}: {target} is not there"
            elif anchor and path.suffix == ".html" and anchor not in _ids(path):
                yield f"{page.name}: {target} has no such place"


def faults_of(tab: jupyterlab.Tab, name: str, looks: Sequence[tuple[str, int]], shots: Path | None) -> Iterator[str]:
    """What is wrong with a page, in each of the themes and widths."""
    for scheme, width in looks:
        tab.page.emulate_media(color_scheme=scheme)
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.goto(f"{tab.lab.url}/{name}.html")
        tab.page.wait_for_timeout(800)
        where = f"{name}, {scheme}, {width}"
        heard = list(tab.complaints)
        found = Axe().run(tab.page).response["violations"]
        tab.complaints[:] = heard  # axe asks for style sheets by itself, from the wrong place
        for one in found:
            if one["impact"] in SERIOUS:
                yield f"{where}: {one['id']}, {len(one['nodes'])} times: {one['nodes'][0]['html'][:200]}"
        if (across := tab.page.evaluate("document.documentElement.scrollWidth")) > width:
            yield f"{where}: {across} pixels wide"
        if shots:
            tab.page.screenshot(path=str(shots / f"{name}-{scheme}-{width}.png"), full_page=True)
    tab.page.set_viewport_size({"width": WIDE, "height": 900})


def widgets_of(tab: jupyterlab.Tab, name: str) -> Iterator[tuple[int, str, bool, bool]]:
    """Of each widget of a page: its place, its module, and whether it moved by mouse and by keyboard."""
    tab.page.goto(f"{tab.lab.url}/{name}.html")
    for number, place in enumerate(tab.page.locator(".tc-live").all()):
        place.scroll_into_view_if_needed()
        kept = tab.page.evaluate("(one) => fetch(one).then((it) => it.json())", place.get_attribute("data-widget"))
        module = kept["module"].removesuffix(".js")
        try:
            place.locator(".tc-root").wait_for(timeout=5000)
        except jupyterlab.PlaywrightTimeout:
            yield number, module, False, False
            continue
        yield number, module, _by_mouse(tab, place), _by_keyboard(tab, place)


def _controls(place: jupyterlab.Locator) -> list[jupyterlab.Locator]:
    return [one for one in place.locator(CONTROLS).all()[: 3 * MOST_CONTROLS] if one.is_visible()][:MOST_CONTROLS]


def _by_mouse(tab: jupyterlab.Tab, place: jupyterlab.Locator) -> bool:
    """Whether a click or a pointer anywhere in a widget changes what is seen."""
    before = place.evaluate(LOOK)
    for one in [*_controls(place), *place.locator("canvas, svg").all()[:4]]:
        try:
            box = one.bounding_box() or {"width": 0.0, "height": 0.0}
            one.click(position={"x": 0.7 * box["width"], "y": 0.5 * box["height"]}, timeout=1500)
        except jupyterlab.PlaywrightTimeout:
            continue
        tab.page.wait_for_timeout(120)
        if place.evaluate(LOOK) != before:
            return True
    return False


def _by_keyboard(tab: jupyterlab.Tab, place: jupyterlab.Locator) -> bool:
    """Whether a key changes what is seen, once the focus is on a control."""
    for one in _controls(place):
        before = place.evaluate(LOOK)
        one.focus()
        for key in KEYS:
            tab.page.keyboard.press(key)
            tab.page.wait_for_timeout(80)
            if place.evaluate(LOOK) != before:
                return True
    return False


def search_finds(tab: jupyterlab.Tab, word: str) -> bool:
    """Whether the search page lists something for a word."""
    tab.page.goto(f"{tab.lab.url}/search.html?q={word}")
    try:
        tab.page.locator("#search-results li a").first.wait_for(timeout=10_000)
    except jupyterlab.PlaywrightTimeout:
        return False
    return True


def walk(site: Path, names: Sequence[str], looks: Sequence[tuple[str, int]], shots: Path | None) -> list[str]:
    """Everything that is wrong; the table of widgets is printed on the way."""
    faults = list(dead_links(site))
    with served(site) as url, jupyterlab.browser(jupyterlab.Server(url, site), width=WIDE) as tab:
        for name in names:
            faults += faults_of(tab, name, looks, shots)
            for number, module, mouse, keyboard in widgets_of(tab, name):
                said = f"mouse {'yes' if mouse else 'NO'}, keyboard {'yes' if keyboard else 'NO'}"
                print(f"{name} {number}: {module}, {said}", flush=True)
                if not (mouse and keyboard):
                    faults.append(f"{name}, widget {number} ({module}): {said}")
        if not search_finds(tab, "softmax"):
            faults.append("the search finds nothing for softmax")
        faults += [f"asked of the network: {one}" for one in tab.blocked]
        faults += [f"console: {one}" for one in tab.complaints]
    return faults


def main() -> int:
    """Walk, and print what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("site", type=Path)
    parser.add_argument("--shots", type=Path, help="a folder for screenshots")
    parser.add_argument("--only", nargs="*", help="pages, such as 01_layer_norm")
    parser.add_argument("--all", action="store_true", help="also dark and wide, light and narrow")
    told = parser.parse_args()
    if told.shots:
        told.shots.mkdir(parents=True, exist_ok=True)
    names = told.only or sorted(one.stem for one in told.site.glob("*.html") if one.stem != "genindex")
    faults = walk(told.site, names, FOUR if told.all else TWO, told.shots)
    print("\n".join(faults) or f"{len(names)} pages: nothing found")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
