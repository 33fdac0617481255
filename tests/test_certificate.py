"""The certificate: what it says, what it looks like inside, and that nothing but the checks makes it verify."""

from __future__ import annotations

import dataclasses
import json
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autograder.classroom.course import signing
from autograder.classroom.grading import again
from autograder.classroom.grading.grades import Grade, Result
from autograder.cli import main
from autograder.learner import library, milestone_pictures
from autograder.notebooks import files
from autograder.notebooks.problem import Problem
from autograder.showing import certificate_page, signed, verifying
from autograder.showing.certificate import Certificate, Earned, gather, read
from autograder.showing.certificate_page import page
from autograder.showing.verifying import run_trusting, verify
from tests.carried import remember
from tests.small_lesson import STD_PLUS_EPS, STEM, cell, notebook, solved

Capture = pytest.CaptureFixture[str]
OTHER = "02_attention"
PNG = b"\x89PNG a picture"


def earned(name: str, points: float, of: float, lesson: str = STEM, *, extra: bool = False) -> Earned:
    return Earned(name, lesson, float(points), float(of), "2026-05-04", 2, extra)


LESSON = (earned("normalize", 2, 2), earned("LayerNorm", 1, 4), earned("RMSNorm", 0, 3, extra=True))
MADE = Certificate(
    version=verifying.version(),
    holder="Ada </script> Lovelace",
    made="2026-11-24",
    stretches="",
    earned=(*LESSON, earned("LayerNormalization", 2, 2)),
    milestones={},
    numbers={"lines": 120, "mistakes": 2},
    pictures={"attention": PNG},
)
SHARES = {"normalize": 1.0, "LayerNorm": 0.25, "RMSNorm": 0.0, "LayerNormalization": 1.0}


def changed(name: str = "LayerNorm", **fields: Any) -> Certificate:
    """The same certificate with another line, and a code made anew: it is a page as the course makes them."""
    lines = tuple(dataclasses.replace(one, **fields) if one.name == name else one for one in MADE.earned)
    return dataclasses.replace(MADE, earned=lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / f"{STEM}.ipynb").write_text("{}")
    return tmp_path


def verified(folder: Path, text: str, shares: dict[str, float] = SHARES, *more: str) -> int:
    """What comes of verifying a page, where the checks give these shares."""
    path = folder / "certificate.html"
    path.write_text(text, encoding="utf-8")
    return verify(str(path), [str(folder / f"{STEM}.ipynb"), *more], lambda _: dict(shares), folder)


# What it says ----------------------------------------------------------------------------------------


def test_a_page_holds_all_that_it_says_and_needs_nothing_else(folder: Path) -> None:
    text = page(MADE)
    (folder / "c.html").write_text(text, encoding="utf-8")
    again_, whole = read(folder / "c.html")
    assert again_ == MADE and whole == text == page(again_)
    assert "Checked by its holder" in text and "Graded in class" not in text
    assert MADE.code in text and "5 of 8" in text and "◐ LayerNorm 1/4" in text
    assert "<link" not in text and "<script src" not in text and "http" not in text.replace("http-equiv", "")


def test_a_certificate_is_made_of_the_record_and_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    monkeypatch.setattr(milestone_pictures, "attention", lambda: PNG)
    target = tmp_path / "mine.html"
    assert main(["certificate", "--out", str(target), "--no-pdf"]) == 2
    assert "Nothing has passed" in capsys.readouterr().err
    remember(tmp_path, LayerNorm={"points": 1.0, "passed": False, "met": ["std", "std", "eps"]})
    (tmp_path / "layer_norm.py").write_text('__all__ = ["normalize"]\n\n\ndef normalize(x):\n\n    return x\n')
    assert main(["certificate", "--out", str(target), "--no-pdf", "--name", " Ada\n L "]) == 0
    made, _ = read(target)
    assert (made.holder, made.numbers) == ("Ada L", {"lines": 2, "mistakes": 2})
    assert dataclasses.asdict(next(one for one in made.earned if one.name == "LayerNorm"))["points"] == 1.0
    assert main(["certificate", "--out", str(tmp_path / "mine.txt")]) == 2
    assert main(["certificate", "one.ipynb"]) == 2


def test_a_pdf_is_printed_where_it_can_be(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certificate_page, "browser", lambda: None)
    assert certificate_page.print_pdf(folder / "c.html", folder / "c.pdf").startswith("No PDF: there is no Chromium")
    monkeypatch.setattr(certificate_page, "browser", lambda: "/no/such/program")
    assert "did not print" in certificate_page.print_pdf(folder / "c.html", folder / "c.pdf")
    monkeypatch.setattr(certificate_page, "browser", lambda: "true")
    assert "could not print" in certificate_page.print_pdf(folder / "c.html", folder / "c.pdf")


# What holds ------------------------------------------------------------------------------------------


def test_what_the_checks_give_verifies(folder: Path, capsys: Capture) -> None:
    assert verified(folder, page(MADE)) == 0
    told = capsys.readouterr().out
    assert "[ok] LayerNorm: 1 of 4 points" in told and "All of it holds: 5 of 8 points." in told
    assert "[--] name, days, counts and pictures are the holder's word" in told
    assert verified(folder, page(MADE), SHARES | {"LayerNorm": 1.0}) == 0  # better since then


def but(**fields: Any) -> str:
    """A page that says something else, with the code that belongs to it."""
    return page(dataclasses.replace(MADE, **fields))


def with_more(*more: Earned) -> str:
    return but(earned=(*MADE.earned, *more))


FORGED = {
    "a changed point": (page(MADE).replace('"points": 1.0,', '"points": 4.0,'), "the page was changed"),
    "a changed text": (page(MADE).replace("5 of 8", "8 of 8"), "it says “"),
    "something added": (page(MADE) + "<p>with honours</p>", "the page was changed"),
    "a point, code made anew": (page(changed(points=4.0)), "LayerNorm: 4 of 4 points, and the checks give 1 now"),
    "full marks, code made anew": (page(changed(points=40.0, of=40.0)), "its full marks are 4"),
    "nobody's exercise": (with_more(earned("Nobody", 9, 9)), "no such exercise"),
    "an exercise left out": (but(earned=MADE.earned[:1]), "does not list its exercises"),
    "an exercise twice": (with_more(MADE.earned[0]), "as the course has them: normalize"),
    "nobody's lesson": (but(earned=(earned("normalize", 2, 2, "77_magic"),)), "is no lesson"),
    "called a stretch": (page(changed(extra=True)), "LayerNorm is no stretch"),
    "nobody's milestone": (but(milestones={"flies": "2026-05-04"}), "is no milestone"),
    "a milestone too many": (but(milestones={"normalizes": ""}), "normalizes: not shown, as LayerNorm"),
    "nobody's stretches": (but(stretches="doubled"), "what no class can choose"),
    "another notebook's": (with_more(*(earned(f"x{i}", 1, 1, OTHER) for i in (1, 2))), "none of these notebooks"),
}


@pytest.mark.parametrize(("text", "said"), FORGED.values(), ids=FORGED)
def test_what_the_checks_do_not_give_does_not_verify(folder: Path, text: str, said: str, capsys: Capture) -> None:
    assert text != page(MADE)
    assert verified(folder, text) == 1
    told = capsys.readouterr().out
    assert said in told and "Not verified" in told, told


def test_another_version_is_said_to_be_another(folder: Path, capsys: Capture) -> None:
    assert verified(folder, but(version="0.0.7")) == 1
    told = capsys.readouterr().out
    assert "[--] it was made with version 0.0.7" in told and "[ok] LayerNorm: 1 of 4 points" in told
    assert verified(folder, but(version=f"{MADE.version.partition('+')[0]}+student.abc")) == 0


def test_notebooks_that_are_gone_show_nothing(folder: Path, capsys: Capture) -> None:
    assert verified(folder, page(MADE), SHARES, str(folder / "gone.ipynb")) == 1
    assert "gone.ipynb is not there" in capsys.readouterr().out
    (folder / f"{STEM}.ipynb").unlink()
    assert verified(folder, page(MADE)) == 1
    assert f"{STEM}: 5 points, and none of these notebooks checks it" in capsys.readouterr().out


def broken(path: Path) -> dict[str, float]:
    raise Problem(f"{path} ended the process that ran it")


def test_bad_input_is_named(folder: Path, capsys: Capture) -> None:
    path = folder / "certificate.html"
    path.write_text(page(MADE), encoding="utf-8")
    assert verify(str(path), [str(folder / f"{STEM}.ipynb")], broken, folder) == 1
    assert "ended the process" in capsys.readouterr().out
    assert main(["certificate", "--verify", str(path), "--trust"]) == 2
    assert "Name the notebooks" in capsys.readouterr().err
    for text in (
        "",
        "<html>",
        page(MADE).replace('"of": 4', '"of": "4"'),
        page(MADE).replace('"points": 2', '"points": NaN'),
    ):
        path.write_text(text, encoding="utf-8")
        assert main(["certificate", "--verify", str(path), "--trust", "x.ipynb"]) == 2
        assert "is no certificate" in capsys.readouterr().err
    assert main(["certificate", "--verify", str(folder / "none.html"), "--trust", "x.ipynb"]) == 2


def test_the_full_marks_of_a_class_are_those_of_its_source(folder: Path) -> None:
    ten = page(changed(points=2.5, of=10.0))
    assert verified(folder, ten) == 1
    source = notebook()
    cell(source, "check-LayerNorm").metadata.nbgrader.points = 10
    files.write(folder / "source" / STEM / f"{STEM}.ipynb", source)
    assert verified(folder, ten) == 0
    assert verified(folder, page(changed(points=9.0, of=10.0))) == 1


# Running the checks again ----------------------------------------------------------------------------


def test_the_checks_of_a_notebook_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, on other draws than those of practice, and without the holder's library."""
    own = solved(notebook(), "normalize", "LayerNormalization")
    cell(own, "LayerNorm").source = cell(notebook("solved"), "LayerNorm").source.replace(
        "        return self.weight * normalize(x, self.eps) + self.bias", STD_PLUS_EPS
    )
    files.write(tmp_path / f"{STEM}.ipynb", own)
    shares = run_trusting(tmp_path / f"{STEM}.ipynb")
    assert shares["normalize"] == shares["LayerNormalization"] == 1.0 and shares["RMSNorm"] == 0.0
    assert shares["LayerNorm"] < 1.0


def test_in_a_sandbox_what_could_not_be_decided_is_no_zero(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.ipynb"
    files.write(path, notebook())
    results = [
        Result("normalize", "check-normalize", "ok", 2.0, 2.0),
        Result("LayerNorm", "check-LayerNorm", "wrong", 1.0, 4.0),
    ]
    asked: list[Any] = []
    monkeypatch.setattr(
        again, "grade_all", lambda tasks, how: asked.append((tasks, how)) or [Grade("", "", results=results)]
    )
    assert again.run_in_sandbox(path) == {"normalize": 1.0, "LayerNorm": 0.25}
    (task,), how = asked[0]
    assert task.sandboxed and task.lesson == STEM and how.fresh and how.sandbox
    results[0].points = None
    with pytest.raises(Problem, match="could not be decided"):
        again.run_in_sandbox(path)
    monkeypatch.setattr(again.walls, "available", lambda: "bwrap is missing.")
    with pytest.raises(Problem, match="--trust"):
        again.refuse_without_sandbox()


# Graded in class -------------------------------------------------------------------------------------


class Book:
    """As much of a gradebook as is asked for."""

    students = (SimpleNamespace(id="ada/1"), SimpleNamespace(id="bob"))
    assignments = (SimpleNamespace(name=STEM, max_score=8.0), SimpleNamespace(name=OTHER, max_score=10.0))

    def __enter__(self) -> Book:
        return self

    def __exit__(self, *_: object) -> None: ...

    def find_submission(self, assignment: str, student: str) -> SimpleNamespace:
        from nbgrader.api import MissingEntry

        if (assignment, student) == (STEM, "ada/1"):
            return SimpleNamespace(score=7.0, late_submission_penalty=0.5)
        raise MissingEntry


def test_an_instructor_signs_and_only_the_key_can_tell(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(folder)
    assert main(["classroom", "sign"]) == 2
    (folder / "nbgrader_config.py").touch()
    monkeypatch.setattr(signing, "opened", lambda course: Book())
    assert main(["classroom", "sign", "eve"]) == 2 and "no student 'eve'" in capsys.readouterr().err
    assert main(["classroom", "sign"]) == 0
    key = (folder / signed.KEY).read_bytes()
    if os.name == "posix":
        assert stat.S_IMODE((folder / signed.KEY).stat().st_mode) == 0o600
    assert key.decode() not in capsys.readouterr().out
    assert main(["classroom", "sign"]) == 0 and (folder / signed.KEY).read_bytes() == key

    (made,) = (folder / signing.OUT).iterdir()
    grades = signed.read_signed(made)
    assert grades["grades"]["lessons"] == {STEM: {"points": 6.5, "of": 8.0}}
    text = but(graded=grades)
    assert "<b>Graded in class</b>" in text and "6.5 of 8.0" in text and "<b>ada/1</b>" in text
    assert verified(folder, text) == 0
    assert "the signature is good" in capsys.readouterr().out

    forged = json.loads(json.dumps(grades))
    forged["grades"]["lessons"][STEM]["points"] = 8.0
    assert verified(folder, but(graded=forged)) == 1
    assert "does not fit" in capsys.readouterr().out
    other = signed.sign(forged["grades"], b"another key")
    assert verified(folder, but(graded=other)) == 1
    (folder / signed.KEY).unlink()
    assert verified(folder, text) == 1
    assert "[--] graded in class" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"grades": {"kind": "x"}, "signature": "1"}'])
def test_what_nobody_signed_is_not_taken_in(tmp_path: Path, text: str) -> None:
    (tmp_path / "ada.json").write_text(text)
    with pytest.raises(Problem, match="classroom sign"):
        signed.read_signed(tmp_path / "ada.json")
    with pytest.raises(Problem, match="no file"):
        signed.read_signed(tmp_path / "bob.json")


def test_gathering_takes_points_on_the_classs_scale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    monkeypatch.setattr(milestone_pictures, "attention", lambda: None)
    remember(tmp_path, LayerNorm={"points": 10.0, "of": 10.0})
    made = gather()
    assert next(one for one in made.earned if one.name == "LayerNorm").of == 10.0 and made.pictures == {}
