"""What a report says of variables of the notebook that the code under test reads."""

import sys
import types
from typing import Any

import pytest

from autograder.learner.leftovers import leftovers, told
from autograder.probing.source import show_lines

PAGE = "import torch\nfrom torch import nn\nfrom math import pi\nEPS = 1e-5"
DEMO = "for norm_first in (False, True):\n    scores = torch.ones(2, 2)\nmodel = nn.Linear(2, 2)\ndef helper(): pass"


def run(monkeypatch: pytest.MonkeyPatch, *cells: str) -> dict[str, Any]:
    """Run cells as a notebook does, and give its namespace."""
    page = types.ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", page)
    page.In = list(cells)  # type: ignore[attr-defined]
    for number, text in enumerate(cells):
        name = f"<cell {number} of {id(page)}>"
        show_lines(name, text)
        exec(compile(text, name, "exec"), vars(page))
    return vars(page)


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("def f(x):\n    return x if norm_first else x + 1", ["norm_first"]),
        ("class f:\n    def forward(self, x):\n        return model(scores)", ["model", "scores"]),
        ("def f(scores):\n    return scores * pi + EPS", []),  # an argument, an import, a constant
        ("def f(x):\n    return helper() or torch.relu(nn.Identity()(x))", []),
        ("slope = 2.0\ndef f(x):\n    return slope * x", []),  # its own cell made it
        ("def f(x):\n    return nowhere", []),
    ],
)
def test_plain_values_of_other_cells_are_found(monkeypatch: pytest.MonkeyPatch, code: str, found: list[str]) -> None:
    values = run(monkeypatch, PAGE, DEMO, code)
    assert leftovers(values["f"]) == found


def test_what_has_no_source_has_none() -> None:
    assert leftovers(len) == []


def test_they_are_told_by_name() -> None:
    assert told([]) == ""
    assert "`self.norm_first`" in told(["norm_first"])
    assert "`a` and `b`, variables" in told(["a", "b"])


def test_a_function_has_no_self() -> None:
    for names in (["a"], ["a", "b"]):
        assert "self" not in told(names, in_class=False)
