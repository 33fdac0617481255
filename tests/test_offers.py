"""What a report offers next: to whom, in which order, and as which HTML."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from autograder.learner import notebook, offers
from autograder.learner.check import check
from autograder.probing.exercise import Exercise
from autograder.registry import exercise
from autograder.reporting.folds import Offer, html
from autograder.stand_ins.layer_norm import normalize


def undone(x, eps=1e-5):
    return x


@pytest.fixture(autouse=True)
def somebody_sits_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    monkeypatch.delenv(notebook.RECORDED, raising=False)
    monkeypatch.setattr(notebook, "shell", lambda: SimpleNamespace(kernel=object()))


def titles(found: list[Offer]) -> list[str]:
    return [one.title for one in found]


def chain(offer: Offer | None) -> Iterator[Offer]:
    while offer:
        yield offer
        offer = offer.then


def test_what_is_wrong_is_offered_hints_step_by_step_and_its_blank() -> None:
    hint, again = check(undone, exercise="normalize").offers
    one: Exercise = exercise("normalize")
    assert [step.text for step in chain(hint)] == list(one.hints)
    assert titles(list(chain(hint))) == ["Hint", "A skeleton", "Nearly there"]
    assert "%run -m autograder reset 01_layer_norm normalize\n" in again.text


def test_what_passed_is_offered_the_solution_alone() -> None:
    (found,) = check(normalize).offers
    assert found.title == "The course's solution" and "def normalize(" in found.text


def test_where_there_is_no_solution_none_is_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(offers.hints, "answer", lambda exercise: None)
    assert check(normalize).offers == []


@pytest.mark.parametrize("variable", ["NBGRADER_EXECUTION", notebook.RECORDED])
def test_nothing_is_offered_where_nobody_sits(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    report = check(undone, exercise="normalize")
    assert report.offers == [] and "ag-offers" not in report.html


def test_nothing_is_offered_outside_of_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "shell", lambda: None)
    assert check(undone, exercise="normalize").offers == []


def test_a_fold_holds_text_code_and_the_next_fold() -> None:
    shown = html([Offer("Hint", "Use `a < b`.\n\n```python\nx = 1 < 2\n```\nThen go.", Offer("More", "It is & was."))])
    assert "<details><summary>Hint</summary><p>Use <code>a &lt; b</code>.</p>" in shown
    assert '<pre class="ag-code">x = 1 &lt; 2</pre><p>Then go.</p>' in shown
    assert "<details><summary>More</summary><p>It is &amp; was.</p></details></details>" in shown
    assert html([]) == ""
