"""Formulas of lessons and answers, as MathML."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from autograder.classroom.feedback.formulas import LONGEST, mathml
from autograder.notebooks import files

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\$)\$([^$\n]+?)\$", re.DOTALL)
KNOWN = {
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "mstyle", "msub", "msup", "msubsup",
    "munder", "mover", "munderover", "mtable", "mtr", "mtd",
}  # fmt: skip


def formulas_of_the_lessons() -> list[tuple[str, bool]]:
    texts = [path.read_text(encoding="utf-8") for path in sorted((files.COURSE / "lessons").glob("[0-9]*.md"))]
    prose = (re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL) for text in texts)
    return list(dict.fromkeys((one[0] or one[1], bool(one[0])) for text in prose for one in FORMULA.findall(text)))


def words(made: str) -> str:
    """What a formula says, without its marks."""
    return "".join(ElementTree.fromstring(made).itertext())


def test_every_formula_of_the_lessons_is_known_and_well_formed() -> None:
    found = formulas_of_the_lessons()
    assert len(found) > 100
    for tex, display in found:
        made = mathml(tex, display=display)
        assert made.startswith("<math"), tex
        assert {one.tag for one in ElementTree.fromstring(made).iter()} <= KNOWN, tex


@pytest.mark.parametrize(
    ("tex", "part"),
    [
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"x_{2i}^2", "<msubsup><mi>x</mi><mrow><mn>2</mn><mi>i</mi></mrow><mn>2</mn></msubsup>"),
        (r"\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>"),
        (r"\mathrm{softmax}", "<mi mathvariant='normal'>softmax</mi>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\text{if } x", "<mtext>if&#160;</mtext>"),
        (r"\left(\frac{a}{b}\right)", "<mo form='prefix' stretchy='true'>(</mo>"),
        (r"\sum_{i=1}^n", "<munderover><mo>∑</mo>"),
        (r"f'(x)", "<msup><mi>f</mi><mrow><mo>′</mo></mrow></msup>"),
        (r"a < b", "<mo>&lt;</mo>"),
    ],
)
def test_what_it_writes(tex: str, part: str) -> None:
    assert part in mathml(tex)


def test_rows_and_columns_stay_apart() -> None:
    made = mathml(r"\begin{cases} x & x > 0 \\ 0 & \text{else} \end{cases}")
    assert made.count("<mtr>") == 2 and made.count("<mtd") == 4
    assert words(made) == "{xx>00else"


@pytest.mark.parametrize(
    "tex",
    [
        r"\href{javascript:alert(1)}{x}", r"\unicode{60}", r"\frac{1}", "x_", "x^2^3", "{", "}", r"\left( x",
        r"\begin{x}", r"\begin{aligned} x \end{cases}", "{" * 3000, "x" * (LONGEST + 1), r"\mathrm",
        "<script>alert(1)</script>$",
    ],
)  # fmt: skip
def test_what_it_does_not_know_is_shown_as_it_was_typed(tex: str) -> None:
    made = ElementTree.fromstring(mathml(tex))
    assert made.tag == "code" and made.text == f"${tex}$" and not list(made)


@pytest.mark.parametrize("tex", ["<script>alert(1)</script>", r"\mathrm{<img src=x>}", r"\text{'><b>}", r"\mathbf{<}"])
def test_no_formula_is_html(tex: str) -> None:
    made = mathml(tex)
    assert {one.tag for one in ElementTree.fromstring(made).iter()} <= KNOWN
    assert "<script" not in made and "<img" not in made and "<b>" not in made
