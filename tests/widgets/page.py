"""One widget in a page of JupyterLab: what it says, where its cells and curves are, which colours they have."""

from __future__ import annotations

import time

import pytest

from tests import jupyterlab

# From a cell's corner to a place where no number and no cursor is drawn.
CORNER = 6

WAIT = 60_000
"""Milliseconds that a kernel on a busy machine may take to answer."""


class Shown:
    """One widget in the page."""

    def __init__(self, notebook, index):
        self.page = notebook.page
        self.root = notebook.cell(index).locator(".tc-root")
        self.root.wait_for(timeout=WAIT)

    def text(self, selector):
        return self.root.locator(selector).first.inner_text()

    def says(self, selector, words):
        """Wait until an element contains the words (the kernel may have to answer first)."""
        try:
            self.root.locator(selector, has_text=words).first.wait_for(timeout=WAIT)
        except jupyterlab.PlaywrightTimeout:
            pytest.fail(f"{words!r} is not in:\n{self.root.inner_text()}")

    def segment(self, text):
        return self.root.get_by_role("radio", name=text, exact=True)

    def map(self, number=0):
        return self.root.locator("canvas.tc-heatmap").nth(number)

    def histogram(self, number):
        return self.root.locator("canvas.tc-histogram").nth(number).get_attribute("aria-label")

    def place(self, row, col, number=0, within=0.5):
        """Where a cell is, in pixels from the canvas's corner."""
        left, top, cell, wide = measures(self.map(number), "left", "top", "cell", "wide")
        return {"x": left + (col + within) * wide, "y": top + (row + within) * cell}

    def colour(self, row, col, number=0):
        """The colour near a cell's corner, where no number and no cursor is drawn."""
        at = self.place(row, col, number, within=0)
        return pixel(self.map(number), at["x"] + CORNER, at["y"] + CORNER)

    def chart(self, number=0):
        return self.root.locator("canvas.tc-chart").nth(number)

    def along(self, number, share):
        """A place on a chart, a share of the way along its x axis."""
        left, right, top, bottom = measures(self.chart(number), "left", "right", "top", "bottom")
        return {"x": left + share * (right - left), "y": (top + bottom) / 2}

    def ink(self, number, series):
        """How many pixels of a chart have the colour of a series."""
        script = """(canvas, name) => {
            const probe = canvas.parentElement.appendChild(document.createElement('i'));
            probe.style.color = `var(--tc-${name})`;
            const [r, g, b] = getComputedStyle(probe).color.match(/[0-9.]+/g).map(Number);
            probe.remove();
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            let found = 0;
            for (let i = 0; i < data.length; i += 4) {
                found += data[i + 3] === 255 && data[i] === r && data[i + 1] === g && data[i + 2] === b;
            }
            return found;
        }"""
        return self.chart(number).evaluate(script, series)


def measures(canvas, *names):
    """What a canvas tells about its own layout, in pixels."""
    return [float(canvas.get_attribute(f"data-{name}")) for name in names]


def pixel(canvas, x, y):
    """Red, green, blue and opacity at a place of a canvas."""
    script = """(canvas, [x, y]) => [...canvas.getContext('2d').getImageData(
        x * devicePixelRatio, y * devicePixelRatio, 1, 1).data]"""
    return canvas.evaluate(script, [x, y])


def near(colour, expected):
    return max(abs(a - b) for a, b in zip(colour[:3], expected, strict=True)) <= 3


def later(holds, seconds=5.0):
    """Whether something holds before the time is over: kernel and page answer when they can."""
    until = time.monotonic() + seconds
    while not (true := holds()) and time.monotonic() < until:
        time.sleep(0.1)
    return true
