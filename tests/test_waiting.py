"""A check that takes longer than a second says that it is looking, where someone is waiting for it."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import IPython.display
import pytest

from autograder.learner import notebook, waiting


class Shown:
    """What a notebook would show."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.there = threading.Event()

    def display(self, data: dict[str, str], **_: Any) -> Shown:
        self.texts.append(data["text/plain"])
        self.there.set()
        return self

    def update(self, data: dict[str, str], **_: Any) -> None:
        self.texts.append(data["text/plain"])


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """A notebook that someone works in, in which every check takes long."""
    made = Shown()
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.setattr(notebook, "shell", lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setattr(waiting, "SECONDS", 0.0)
    monkeypatch.setattr(IPython.display, "display", made.display)
    return made


def test_a_line_is_shown_and_taken_away(shown: Shown) -> None:
    with waiting.says_when_it_takes_long():
        assert shown.there.wait(60)
    assert shown.texts == [waiting.WORDS, ""]


def test_what_is_over_in_time_shows_nothing(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "SECONDS", 3600.0)
    with waiting.says_when_it_takes_long():
        pass
    assert shown.texts == []


def test_graded_notebooks_and_terminals_show_nothing(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with waiting.says_when_it_takes_long():
        pass
    monkeypatch.delenv("NBGRADER_EXECUTION")
    monkeypatch.setattr(notebook, "shell", lambda: None)
    with waiting.says_when_it_takes_long():
        pass
    assert not shown.there.wait(0.2)
