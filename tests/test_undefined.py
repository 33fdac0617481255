"""`check(LayerNorm)` where there is no LayerNorm."""

import sys
from types import SimpleNamespace

import pytest

from autograder.learner.undefined import why_undefined


def test_a_cell_that_defines_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace())
    assert "Run the cell that defines it" in why_undefined("LayerNorm")


def test_a_class_of_another_name(monkeypatch: pytest.MonkeyPatch) -> None:
    own = type("LayerNrom", (), {"__module__": "__main__"})
    monkeypatch.setitem(sys.modules, "__main__", SimpleNamespace(LayerNrom=own))
    assert "there is LayerNrom" in why_undefined("LayerNorm")


def test_other_names_are_none_of_our_business() -> None:
    assert why_undefined("x") == ""
