"""The counting of programs that the checks have never seen counts what it says."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from autograder import registry
from tests import count
from tests.missed_pairs import why_missed

PROGRAMS = '''
EXERCISE = "softmax"
RIGHT = {"by powers": """
def softmax(x, dim=-1):
    largest = x.amax(dim, keepdim=True)
    powers = (x - largest.masked_fill(largest == -torch.inf, 0)).exp()
    return powers / powers.sum(dim, keepdim=True).clamp(min=1e-30)
"""}
WRONG = {"nothing is done": "def softmax(x, dim=-1):\\n    return x\\n", "is none": "softmax = missing\\n"}
LISTED = {"over the rows": {"by powers": {"powers.sum(dim,": "powers.sum(0,"}}}
LIKELY = {
    "not exponentiated": {"by powers": {".exp()": ""}},
    "right in other words": {"by powers": {"(x - largest": "(x.clone() - largest"}},
}
'''


def test_what_is_accepted_unnamed_or_broken_is_shown_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "programs.py"
    file.write_text(PROGRAMS, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["count", str(file), "--pairs", "1", "--out", str(tmp_path / "told.jsonl")])
    monkeypatch.setattr("autograder.judging.pairs.PAIR_SECONDS", 1)
    count.main()
    printed = capsys.readouterr().out
    assert "right: 1, rejected 0" in printed
    assert "likely: right in other words [by powers]: passed" in printed
    assert "likely: 2, accepted 1" in printed
    assert "wrong: is none: broken" in printed
    assert "broken: 1" in printed
    assert len((tmp_path / "told.jsonl").read_text(encoding="utf-8").splitlines()) == 7


def test_a_slip_that_hides_another_is_counted_apart() -> None:
    def told(kind: str, what: str, names: tuple[str, ...], explained: bool = True) -> count.Told:
        return count.Told(kind, what, "by powers", "wrong", 0.0, names, explained, "")

    singles = [told("likely", what, (what.upper(),)) for what in ("a", "b", "c")]
    hidden = told("pair", "a + b", ("A",))
    more_is_seen = told("pair", "a + c", ("A",), explained=False)
    printed = count._sums([*singles, hidden, more_is_seen, told("pair", "b + c", ("B", "C"))])
    assert "both have a name alone: 3, told by those two names 1" in printed
    assert "the one hides the other, and the one is told: 1" in printed


SOFTMAX = """
import torch
def softmax(x, dim=-1):
    powers = torch.exp(x {})
    return powers / powers.sum(dim, keepdim=True){}
"""


def test_of_a_pair_that_is_missed_it_says_whether_known_ways_give_it() -> None:
    exercise, names = registry.exercise("softmax"), {"no max subtraction", "divided by the mean of the powers"}
    found: dict[str, Any] = {}
    exec(SOFTMAX.format("", ".div(x.size(dim))"), found)
    assert "gives this, and is tried as number" in why_missed(exercise, found["softmax"], names)
    exec(SOFTMAX.format("* 3", ""), found)
    assert why_missed(exercise, found["softmax"], names).startswith("no two ways of these names give this")
