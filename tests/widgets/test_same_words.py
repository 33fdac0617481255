"""Python and JavaScript say the same: numbers, problems, colours."""

import numpy as np
import torch

from course.widgets.alignment import reads_text
from course.widgets.numbers import number, short
from course.widgets.palette import SIGNED, WEIGHTS, ramp
from course.widgets.problems import looks_ahead, means_causal, weight_problems
from tests.widgets.parts import node

VALUES = [
    *(0, 0.125, 0.375, -0.125, 2.5, 1, -1.0666, 0.0031, 0.00005, 0.0001),
    *(999.995, 1240.4, 99999, 100000, 250000, -1e-9, 0.005, 0.01),
]
NAMES = ["the", "cat", "sat", "on"]


def test_numbers_are_written_alike():
    script = "result = given.map((x) => [numbers.number(x), numbers.short(x)]);"
    theirs = node(script, uses=["numbers"], given=VALUES)
    assert theirs == [[number(x), short(x)] for x in VALUES]


def cases():
    source = torch.Generator().manual_seed(3)
    for i in range(30):
        mask = torch.rand(4, 4, generator=source) < 0.6
        weights = torch.softmax(torch.randn(4, 4, generator=source), -1)
        if i % 2:
            weights = weights * mask
        if i % 3:
            weights = weights / weights.sum(-1, keepdim=True).clamp(min=1e-9)
        if i % 5 == 0:
            weights[1, 2] = torch.nan
        yield weights.numpy(), mask.numpy()


def test_problems_are_said_alike():
    given = [
        [[None if np.isnan(x) else float(x) for x in w.flat], m.astype(int).flatten().tolist()] for w, m in cases()
    ]
    script = f"""
    const names = {NAMES};
    const square = (values) => ({{ values: Float32Array.from(values, (x) => x ?? NaN), rows: 4, cols: 4 }});
    result = given.map(([w, m]) => [
      problems.weightProblems(square(w), square(m), names, names),
      problems.weightProblems(square(w), null, names, names),
      problems.looksAhead(square(m), names), problems.meansCausal(square(m))]);
    """
    mine = [
        [
            weight_problems(w, m, NAMES, NAMES),
            weight_problems(w, None, NAMES, NAMES),
            looks_ahead(m, NAMES),
            means_causal(m),
        ]
        for w, m in cases()
    ]
    assert node(script, uses=["problems"], given=given) == mine
    said = " ".join(line for case in mine for line in case[0])
    assert all(word in said for word in ("NaN", "sum to 1", "future leaks", "Masked keys"))


def test_rows_are_read_alike():
    source = torch.Generator().manual_seed(4)
    sizes = [1, 2, 3, 4, 9] * 6
    drawn = [torch.softmax(5 * torch.randn(n, generator=source), -1).tolist() for n in sizes]
    rows = [*drawn, [0.25] * 4, [0.5, 0.5], [0.0] * 5, [0.004] * 3, [0.5, float("nan")], [1.0, 0.0]]
    names = list("abcdefghi")
    script = f"""const names = {names};
    result = given.map((row) => alignment.readsText("x", row.map((x) => x ?? NaN), names.slice(0, row.length)));"""
    given = [[None if x != x else x for x in row] for row in rows]
    mine = [reads_text("x", row, names[: len(row)]) for row in rows]
    assert node(script, uses=["alignment"], given=given) == mine
    assert all(word in " ".join(mine) for word in ("together", "nothing", "NaN", "no token"))


def test_paper_has_the_colours_of_the_light_theme():
    script = "const { weights, signed } = palette.ANCHORS.light; result = [weights, signed].map(palette.ramp);"
    theirs = np.array(node(script, uses=["palette"]))
    mine = np.round(255 * np.stack([ramp(WEIGHTS), ramp(SIGNED)]))
    assert np.abs(theirs - mine).max() <= 1
