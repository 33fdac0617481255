"""Which hand-ins are said to be alike: a copy with other names, and not what everybody writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.classroom.course.alike import NOTE
from autograder.classroom.course.init import init
from autograder.classroom.grading.plan import released
from autograder.classroom.report.alike_pairs import alike, tokens
from autograder.cli import main
from autograder.notebooks import files
from tests.small_lesson import STEM, cell, live_in

KNOWN = {"f": "def f(x, eps=1e-5):\n    mean = x.mean(-1, keepdim=True)\n    return (x - mean) / eps\n"}
ADA = """\
def f(x, eps=1e-5):
    # The long way round.
    pieces = [x[..., k] for k in range(x.size(-1))]
    total = sum(pieces) / len(pieces)
    centred = x - total.unsqueeze(-1)
    return centred / torch.sqrt((centred * centred).sum(-1, keepdim=True) / x.size(-1) + eps)
"""
OTHERS = {
    "cem": "def f(x, eps=1e-5):\n    mean = x.mean(-1, keepdim=True)\n    return (x - mean) * torch.rsqrt(x.var(-1, correction=0, keepdim=True) + eps)\n",  # noqa: E501
    "dan": "def f(x, eps=1e-5):\n    spread, mean = torch.var_mean(x, -1, correction=0, keepdim=True)\n    return (x - mean) / (spread + eps).sqrt()\n",  # noqa: E501
    "eva": "def f(x, eps=1e-5):\n    n = x.shape[-1]\n    m = torch.einsum('...d->...', x) / n\n    c = x - m[..., None]\n    v = torch.einsum('...d,...d->...', c, c) / n\n    return c / (v + eps)[..., None] ** 0.5\n",  # noqa: E501
}
RENAMED = ADA.replace("pieces", "parts").replace("total", "mu").replace("centred", "y").replace("# The long way", "#")


def handed(**texts: str) -> dict[str, dict[str, str]]:
    return {student: {"f": text} for student, text in texts.items()}


def test_a_copy_with_other_names_and_comments_comes_first() -> None:
    found = alike(handed(ada=ADA, bob=RENAMED, **OTHERS), KNOWN)
    assert found[0].students == ("ada", "bob") and found[0].share == 1.0
    assert len(found) == 1, found


def test_independent_work_and_the_solution_itself_are_not_told() -> None:
    assert alike(handed(ada=ADA, bob=KNOWN["f"], cem2=KNOWN["f"], **OTHERS), KNOWN) == []


def test_what_many_write_belongs_to_the_exercise() -> None:
    assert alike(handed(ada=ADA, bob=ADA, cem=ADA, dan=ADA), KNOWN) == []


def test_answers_in_words_are_compared_too() -> None:
    said = "Because the root has no gradient at zero and the small number keeps it away from there at every token"
    texts = {one: {"question-eps": said.upper() if one == "bob" else said} for one in ("ada", "bob")}
    texts["cem"] = {"question-eps": "It keeps the gradient finite where all features of a token are the same"}
    assert [pair.students for pair in alike(texts, {})] == [("ada", "bob")]


def test_names_that_a_student_chose_are_taken_out_and_attributes_are_not() -> None:
    assert list(tokens("y = self.weight * x.mean(-1)  # mine")) == list(tokens("z = self.weight * u.mean(-1)"))
    assert list(tokens("x.mean(-1)")) != list(tokens("x.sum(-1)"))
    assert list(tokens("def f(:\n  '''")) == ["def", "name", "(", ":"]


@pytest.mark.slow
def test_a_course_is_told_its_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    live_in(tmp_path / "home", monkeypatch)
    init(str(tmp_path / "class"))
    monkeypatch.chdir(tmp_path / "class")
    assert main(["classroom", "alike", "01"]) == 2
    assert "0 of 01_layer_norm can be read" in capsys.readouterr().err
    blank = released(files.read(Path("source") / STEM / f"{STEM}.ipynb"))
    for student, text in {"ada": ADA, "bob": RENAMED, **OTHERS}.items():
        cell(blank, "normalize").source = text.replace("def f(", "def normalize(")
        files.write(Path("submitted") / student / STEM / f"{STEM}.ipynb", blank)
    (Path("submitted") / "bob2" / STEM).mkdir(parents=True)
    (Path("submitted") / "bob2" / STEM / f"{STEM}.ipynb").write_text("no notebook")
    capsys.readouterr()
    assert main(["classroom", "alike", "01"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("100%  ada and bob: normalize (")
    assert said[1].startswith("1 pair of 5 hand-ins") and said[2] == NOTE
