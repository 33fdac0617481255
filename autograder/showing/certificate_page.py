"""The certificate as a page: one HTML file that needs nothing else, and a PDF of it where a Chromium is there."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from html import escape
from pathlib import Path

from autograder.learner.progress_file import in_words
from autograder.showing.certificate import ATTENTION, Certificate, Earned

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
ELSEWHERE = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
SECONDS = 60

STYLE = """
:root { --ink: #1c2430; --soft: #5b6675; --line: #d5dae1; --paper: #ffffff; --tint: #f3f6fa; --mark: #2b66ad; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --soft: #a2acba; --line: #3a4350; --paper: #14181e; --tint: #1c222b; --mark: #7fb0e8; }
  img { filter: invert(0.9) hue-rotate(180deg); }
}
* { box-sizing: border-box; }
body { background: var(--paper); color: var(--ink); font: 15px/1.5 "DejaVu Sans", Verdana, sans-serif; margin: 0; }
main { max-width: 52rem; margin: 0 auto; padding: 2.5rem 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 2rem 0 .6rem; }
.who { font-size: 1.25rem; margin: .2rem 0 1rem; } .soft { color: var(--soft); } small { color: var(--soft); }
.said { border-left: 4px solid var(--mark); background: var(--tint); padding: .6rem .9rem; margin: 1rem 0; }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; margin: 1.2rem 0; }
.numbers b { display: block; font-size: 1.5rem; line-height: 1.2; }
img { max-width: 100%; height: auto; border-radius: 3px; } .wide img { width: 100%; }
.cards { display: flex; flex-wrap: wrap; gap: 1.2rem; align-items: flex-end; }
figure { margin: 0; break-inside: avoid; } .cards img { max-width: 13rem; max-height: 10rem; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
td.day { white-space: nowrap; }
td.points, th.points { text-align: right; white-space: nowrap; padding-right: 0; } tr { break-inside: avoid; }
td span { white-space: nowrap; } code { font-family: "DejaVu Sans Mono", monospace; font-size: .92em; }
@page { size: A4; margin: 14mm; } @media print { main { padding: 0; } body { font-size: 12px; } }
"""


def page(certificate: Certificate) -> str:
    """The page. The same certificate gives the same text, by which a change in it is seen."""
    data = json.dumps(certificate.data, ensure_ascii=False, indent=1).replace("</", "<\\/")
    title = f"A Transformer, built by {certificate.holder}" if certificate.holder else "A Transformer, built by hand"
    parts = (
        f"<h1>{escape(title)}</h1>",
        _numbers(certificate),
        _standing(certificate),
        _attention(certificate),
        _milestones(certificate),
        _lessons(certificate),
        _graded(certificate),
        _foot(certificate),
    )
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<main>\n" + "\n".join(filter(None, parts)) + "\n</main>\n"
        f'<script type="application/json" id="certificate">{data}</script>\n</body>\n</html>\n'
    )


def total(earned: Iterable[Earned], *, extra: bool = False) -> tuple[float, float]:
    """Earned and possible points, of what full points take or of what goes beyond."""
    counted = [one for one in earned if one.extra is extra]
    return sum(one.points for one in counted), sum(one.of for one in counted)


def _numbers(certificate: Certificate) -> str:
    passed = sum(one.points >= one.of for one in certificate.earned)
    points, of = total(certificate.earned)
    beyond, _ = total(certificate.earned, extra=True)
    days = [one.day for one in certificate.earned if one.day]
    shown = [
        (f"{passed} of {len(certificate.earned)}", f"exercises, in {len(certificate.lessons())} lessons"),
        (f"{points:g} of {of:g}", "points" + (f", and {beyond:g} from stretches" if beyond else "")),
        (f"{certificate.numbers.get('lines', 0):,}", "lines of code in a library of their own"),
    ]
    if mistakes := certificate.numbers.get("mistakes", 0):
        shown.append((f"{mistakes:,}", "mistakes met and named on the way"))
    cells = "".join(f"<div><b>{number}</b><small>{says}</small></div>" for number, says in shown)
    first, last = (in_words(min(days)), in_words(max(days))) if days else ("", "")
    when = f"{first} to {last}" if first != last else first
    return f'<p class="soft">{when}</p>\n<div class="numbers">{cells}</div>'


def _standing(certificate: Certificate) -> str:
    says = "<b>Checked by its holder.</b> The checks of the course ran on the holder's own machine, and nobody watched."
    if certificate.graded:
        student = escape(str(certificate.graded.get("grades", {}).get("student", "")))
        says = (
            f"<b>Graded in class</b>, as far as the signed table below says, for the student <b>{student}</b>. "
            "The rest was checked by its holder: the checks ran on their own machine, and nobody watched."
        )
    return f'<p class="said">{says}</p>'


def _attention(certificate: Certificate) -> str:
    if ATTENTION not in certificate.pictures:
        return ""
    drawn = _image(certificate, ATTENTION, "What the holder's own attention reads.")
    return (
        f'<h2>Its attention</h2>\n<figure class="wide">{drawn}<figcaption><small>Drawn by the holder\'s own '
        "<code>scaled_dot_product_attention</code>. Each row is a position that asks, and shows which ones it reads."
        "</small></figcaption></figure>"
    )


def _milestones(certificate: Certificate) -> str:
    if not certificate.milestones:
        return ""
    cards = "".join(_card(certificate, name, day) for name, day in certificate.milestones.items())
    return f'<h2>This code</h2>\n<div class="cards">{cards}</div>'


def _card(certificate: Certificate, name: str, day: str) -> str:
    key = name.replace(" ", "_")
    drawn = _image(certificate, key, f"A picture made by code that {name}.") if key in certificate.pictures else ""
    since = f"<br><small>{in_words(day)}</small>" if day else ""
    return f"<figure>{drawn}<figcaption><b>{escape(name)}</b>{since}</figcaption></figure>"


def _image(certificate: Certificate, name: str, alt: str) -> str:
    data = base64.b64encode(certificate.pictures[name]).decode("ascii")
    return f'<img id="picture-{escape(name)}" alt="{escape(alt)}" src="data:image/png;base64,{data}">'


def _lessons(certificate: Certificate) -> str:
    rows = "".join(_row(lesson, earned) for lesson, earned in certificate.lessons().items())
    legend = "✓ passed, ◐ in part, · open; in italics, what full points do without"
    head = '<tr><th>lesson</th><th>exercises</th><th>passed</th><th class="points">points</th></tr>'
    return f"<h2>Lesson by lesson</h2>\n<table>{head}{rows}</table>\n<p><small>{legend}</small></p>"


def _row(lesson: str, earned: list[Earned]) -> str:
    names = " &ensp;".join(f"<span>{_exercise(one)}</span>" for one in earned)
    days = sorted(one.day for one in earned if one.day)
    points, of = total(earned)
    beyond, _ = total(earned, extra=True)
    counted = f"{points:g} of {of:g}" + (f" + {beyond:g}" if beyond else "")
    since = in_words(days[-1]) if days else ""
    first = f"<tr><td>{escape(_spoken(lesson))}</td><td>{names}</td>"
    return f'{first}<td class="day">{since}</td><td class="points">{counted}</td></tr>'


def _spoken(lesson: str) -> str:
    return lesson.replace("_", " ")


def _exercise(one: Earned) -> str:
    mark = "✓" if one.points >= one.of else "◐" if one.points else "·"
    part = "" if one.points in (0, one.of) else f" {one.points:g}/{one.of:g}"
    name = f"<i>{escape(one.name)}</i>" if one.extra else escape(one.name)
    return f"{mark} {name}{part}"


def _graded(certificate: Certificate) -> str:
    if not certificate.graded:
        return ""
    grades = certificate.graded.get("grades", {})
    rows = "".join(
        f'<tr><td>{escape(str(name))}</td><td class="points">{escape(_points_of(one))}</td></tr>'
        for name, one in grades.get("lessons", {}).items()
    )
    key, made = escape(str(certificate.graded.get("key", ""))), escape(in_words(str(grades.get("made", ""))))
    return (
        f'<h2>Graded in class</h2>\n<table><tr><th>assignment</th><th class="points">points</th></tr>{rows}</table>\n'
        f"<p><small>Out of the gradebook on {made}, signed with the key <code>{key}</code>. Only whoever has this key, "
        "the instructor, can say whether the signature is good: <code>autograder certificate --verify</code>, in the "
        "course's folder.</small></p>"
    )


def _points_of(one: object) -> str:
    return f"{one.get('points')} of {one.get('of')}" if isinstance(one, dict) else str(one)


def _foot(certificate: Certificate) -> str:
    return (
        f"<h2>How to check this page</h2>\n<p>Made on {in_words(certificate.made)} with version "
        f"<code>{escape(certificate.version)}</code> of the course. Its code is <code>{certificate.code}</code>. "
        "The code shows that nothing was changed by accident; whoever changes it on purpose can make another. "
        "What proves the points is running the checks again, on the holder's notebooks:</p>\n"
        "<p><code>autograder certificate --verify certificate.html *.ipynb</code></p>\n"
        "<p><small>That says line by line what holds. Name, days, counts and pictures it takes on trust.</small></p>"
    )


# PDF ----------------------------------------------------------------------------


def browser() -> str | None:
    """A Chromium, or what is built on it; None where none is found."""
    found = (shutil.which(name) for name in BROWSERS)
    return next((one for one in (*found, *ELSEWHERE) if one and Path(one).is_file()), None)


def print_pdf(source: Path, target: Path) -> str:
    """Print a page into a PDF.

    Returns:
        Why it did not work; "" when it did.
    """
    program = browser()
    if program is None:
        return "No PDF: there is no Chromium, Chrome or Edge here that could print the page. Print it from a browser."
    root = hasattr(os, "getuid") and os.getuid() == 0  # Chromium's own sandbox refuses root
    with tempfile.TemporaryDirectory(prefix="autograder-", ignore_cleanup_errors=True) as folder:
        command = [
            *(program, "--headless", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={folder}"),
            *(["--no-sandbox"] if root else []),
            *(f"--print-to-pdf={target.resolve()}", source.resolve().as_uri()),
        ]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return f"No PDF: {Path(program).name} did not print the page within {SECONDS} s."
    made = target.is_file() and target.read_bytes()[:5] == b"%PDF-"
    why = re.sub(r"\s+", " ", done.stderr.decode("utf-8", "replace")).strip()[-200:]
    return "" if made else f"No PDF: {Path(program).name} could not print the page. {why}"
