"""The process that answers lines of JSON: it may print, end or hang."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.learner.child import Child
from autograder.notebooks.files import ROOT

CODE = """
import os, sys, time
from autograder.learner.child import only_answers, serve

lingers = False

def answer(question):
    global lingers
    lingers = question == "linger"
    print("this is no answer")
    os.write(1, b"nor is this")
    if question == "end":
        os._exit(1)
    if question == "hang":
        time.sleep(60)
    return {"got": question, "process": os.getpid(), "variable": os.environ.get("VARIABLE")}

answers = only_answers()
if "half" in os.environ:
    answers.write('{"got": ')
    answers.flush()
    os._exit(0)
serve(answer, answers)
if lingers:
    time.sleep(60)
open("ended", "w").close()
"""


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    (tmp_path / "answering.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]), "VARIABLE": "é"}


@pytest.fixture
def child(variables: dict[str, str]) -> Iterator[Child]:
    made = Child("answering", 20.0, variables)
    yield made
    made.end()


def test_it_answers_whatever_it_prints(child: Child) -> None:
    child.start()
    first, second = child.ask([1, "ü\n"]), child.ask({"a": None})
    assert (first["got"], second["got"]) == ([1, "ü\n"], {"a": None})
    assert first["process"] == second["process"]
    assert first["variable"] == "é"


def test_one_that_ended_is_replaced(child: Child) -> None:
    before = child.ask(1)["process"]
    assert child.ask("end") is None
    assert child.ask(1)["process"] != before


def test_one_that_hangs_is_given_up(child: Child) -> None:
    assert child.ask(1)
    child.seconds = 0.3
    assert child.ask("hang") is None
    child.seconds = 20.0
    assert child.ask(1)


def test_half_an_answer_is_none(variables: dict[str, str]) -> None:
    assert Child("answering", 20.0, {**variables, "half": "1"}).ask(1) is None


def test_it_may_end_by_itself_if_there_is_time(child: Child, tmp_path: Path) -> None:
    child.ask(1)
    child.end(patience=20.0)
    assert (tmp_path / "ended").exists()
    child.end()


def test_it_is_ended_if_there_is_none(child: Child, tmp_path: Path) -> None:
    child.ask("linger")
    child.end()
    assert not (tmp_path / "ended").exists()
