"""What an author runs: `autograder dev check`, `answers` and `new`."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from autograder import homes, registry
from autograder.cli import main
from autograder.dev import dossier as reading
from autograder.dev import parallel, renew, trying, verify
from autograder.dev.inserting import appended, with_element, with_import, with_section
from autograder.dev.lay_out import lay_out
from autograder.dev.trying import Came, Try
from autograder.judging.edits import BadEdit, edited
from autograder.notebooks import lessons, reference
from autograder.notebooks.problem import Problem
from autograder.probing.draws import Draw
from autograder.probing.exercise import Probe
from autograder.probing.outcome import Raised

ROOT = registry.COURSE.parent
SOFTMAX = registry.exercise("softmax")
Capture = pytest.CaptureFixture[str]


# Trying ------------------------------------------------------------------------------------------


def one_of_each() -> reading.Dossier:
    """Lesson 00's exercise, with one try of every kind but the comparison of all pairs."""
    known = reading.dossier(SOFTMAX)
    known.tries = list({one.kind: one for one in known.tries if one.kind != "alike"}.values())
    return known


def test_one_try_of_each_kind_goes_as_it_should() -> None:
    known = one_of_each()
    kinds = {"reference", "blank", "probes", "stand-in", "mistake", *trying.VARIANT_KINDS}
    assert {one.kind for one in known.tries} == kinds
    known.came = dict(zip(known.tries, trying.attempt_all(known.tries), strict=True))
    reading.conclude(known)
    assert known.missing == []
    assert re.match(r"\d+ probes, \d+ mistakes \(.* all as they should be$", known.line), known.line


@pytest.mark.parametrize(
    ("kind", "came", "said"),
    [
        ("reference", Came("blank"), "reference is not written yet, so nothing else was tried"),
        ("reference", Came("wrong", said="Your row."), "in solutions/start_here.py does not pass: Your row."),
        ("blank", Came("passed", 2), "The blank stub gets 2 points and the status 'passed'; # BEGIN SOLUTION"),
        ("stand-in", Came("wrong", 1, said="Off."), "stand_ins/start_here.py should pass, and has 1 point: Off."),
        ("correct", Came("wrong", 0, "no max"), "variants/start_here.py, line"),
        ("mistake", Came("passed", 2), "passes: write a probe that sees the difference."),
        ("mistake", Came("wrong", 1, "another"), "is caught, and called 'another'."),
        ("disguise", Came("wrong", 1, said="Off."), "is caught, and gets no name (wrong): Off."),
        ("unlisted", Came("wrong", 1, "a name"), "is on no list, and is called 'a name'."),
        ("unlisted", Came(broke="KeyError: 'x'"), "could not be tried: KeyError: 'x'."),
        ("alike", Came(alike=[("a", "b")]), "Some mistakes look the same, so no probe tells them apart: 'a' like 'b'."),
    ],
)
def test_what_did_not_go_as_it_should_is_a_sentence(kind: str, came: Came, said: str) -> None:
    known = reading.Dossier(SOFTMAX, tries=[Try("softmax", kind)], came={Try("softmax", kind): came})
    reading.conclude(known)
    assert [said in one for one in known.missing] == [True], known.missing


def test_a_comment_in_a_hint_is_no_heading(monkeypatch: pytest.MonkeyPatch) -> None:
    fenced = "```python\n# add them up\nx = ...\n```"
    monkeypatch.setattr(SOFTMAX, "hints", ("Which?", f"Two steps:\n{fenced}", "    # add them up\n    x = ..."))
    told = [one for one in reading.dossier(SOFTMAX).missing if "heading" in one]
    assert len(told) == 1 and told[0].startswith("Hint 3 has a comment that a page shows as a heading"), told


def test_a_trap_that_nothing_raises_is_a_remark() -> None:
    dims = Raised(("TypeError",), "max() received an invalid combination of arguments - got")
    tries = {Try("softmax", "mistake"): Came("wrong", 1, reading.dossier(SOFTMAX).mistakes[0].name, raised=(dims,))}
    known = reading.Dossier(SOFTMAX, tries=list(tries), came=tries)
    reading.conclude(known)
    assert known.missing == []
    assert len(known.remarks) == len(SOFTMAX.traps) - 1
    assert not any("max() received" in one for one in known.remarks)


def give_nothing(softmax: Any, draw: Draw) -> None:
    softmax(draw.tensor("x", 3), dim=-1)


def call_wrongly(softmax: Any, draw: Draw) -> Any:
    return softmax(draw.tensor("x", 3), dim=-1, eps=0.1)


def draw_without_draw(softmax: Any, draw: Draw) -> Any:
    return softmax(torch.randn(3), dim=-1)


def give_a_function(softmax: Any, draw: Draw) -> Any:
    return lambda: softmax(draw.tensor("x", 3), dim=-1)


def give_a_verdict(softmax: Any, draw: Draw) -> bool:
    return bool(softmax(draw.tensor("x", 3), dim=-1).sum() > 0)


def write_over(softmax: Any, draw: Draw) -> Any:
    x = draw.tensor("x", 3)
    x *= 2
    return softmax(x, dim=-1)


@pytest.mark.parametrize(
    ("compute", "kind", "said"),
    [
        (give_nothing, "wrong", "The probe give_nothing returns nothing; return what was computed."),
        (call_wrongly, "wrong", "call_wrongly raises on the reference: TypeError: softmax() got an unexpected keyword"),
        (draw_without_draw, "wrong", "take all random numbers from `draw`."),
        (give_a_function, "wrong", "returns a function, which cannot be compared"),
        (give_a_verdict, "odd", "The probe give_a_verdict returns True or False alone"),
        (write_over, "odd", "changes what it drew, 'x'"),
    ],
)
def test_a_weak_probe_is_told(compute: Any, kind: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SOFTMAX, "_probes", [Probe(compute.__name__, "is tried", compute)])
    monkeypatch.setattr(registry, "files", lambda part, lesson: [Path(__file__)])
    came = trying.attempt(Try("softmax", "probes"))
    found = {"wrong": came.wrong, "odd": came.odd}
    assert said in found.pop(kind)[0] and [*found.values()] == [[]], came


def test_what_is_wrong_with_a_probe_comes_first_and_the_blank_is_not_blamed() -> None:
    came = {Try("softmax", "blank"): Came("wrong", 1), Try("softmax", "probes"): Came(wrong=["Weak."], odd=["Odd."])}
    known = reading.Dossier(SOFTMAX, tries=list(came), came=came, missing=["Else."])
    reading.conclude(known)
    assert known.missing == ["Weak.", "Else."] and known.remarks[0] == "Odd."


def test_work_is_spread_over_processes() -> None:
    assert dict(parallel.spread(abs, [-1, -2, 3], jobs=2)) == {0: 1, 1: 2, 2: 3}


def test_only_what_is_named_is_looked_at(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(reading, "_tries", lambda known: ())
    assert main(["dev", "check", "RMSNorm", "0"]) in (0, 1)
    told = capsys.readouterr().out
    assert "RMSNorm: 6 probes" in told and "softmax: 12 probes" in told and "\nnormalize" not in told
    with pytest.raises(Problem, match="Nor is it the name of an exercise"):
        verify.verify(["nonsense"], 1)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "solutions/start_here.py",
            "    # END SOLUTION\n",
            "    (\n",
            "solutions.start_here cannot be imported: SyntaxError",
        ),
        (
            "autograder/checks/start_here.py",
            "Exercise(\n",
            "Exercise((\n",
            "checks.start_here cannot be imported: SyntaxError",
        ),
    ],
)
def test_what_is_no_program_is_told_in_a_line(file: str, old: str, new: str, said: str, root: Path) -> None:
    text = (root / file).read_text(encoding="utf-8")
    (root / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    done = run(root, "autograder", "dev", "check", "softmax", "--jobs", "1")
    assert done.returncode == 1 and said in done.stdout and "Traceback" not in done.stderr, done.stdout + done.stderr


def test_variants_for_no_exercise_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    package = trying.variants_package()
    assert package is not None and package.of_nothing("start_here") == []
    monkeypatch.setattr(package, "_ALL", [*package._ALL])
    monkeypatch.setattr(test_a_weak_probe_is_told, "__module__", "tests.variants.start_here")
    package.disguise("softmx", "no exp")(test_a_weak_probe_is_told)
    assert list(verify._of_nothing("start_here")) == [
        "The lesson's files in tests/variants have 1 variant of 'softmx', which is no exercise."
    ]


@pytest.mark.parametrize(
    ("swaps", "said"),
    [
        ({"nonsense": ""}, "'nonsense' occurs 0 times in f, not once; copy it from there, blanks and all"),
        ({"x": "y"}, "'x' occurs 3 times in f, not once; give more of what stands around it"),
        ({"return x": "return x"}, "'return x' is replaced by itself, which changes nothing"),
    ],
)
def test_an_edit_that_does_not_fit_says_what_to_do(swaps: dict[str, str], said: str) -> None:
    with pytest.raises(BadEdit) as refused:
        edited("def f(x):\n    x += 1\n    return x\n", "f", swaps)
    assert str(refused.value) == said


def test_a_way_that_is_none_is_refused_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "from autograder.checks.start_here import softmax\nsoftmax.mistake('a', 'B.', 'old', 'new')\n"
    (tmp_path / "slipped.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(homes, "ROOT", tmp_path)
    monkeypatch.setattr(trying, "ROOT", tmp_path)
    said = reading.does_not_import("slipped")
    assert "TypeError: 'old' is no way of making a mistake: give {old text: new text}" in said
    assert said.endswith("(slipped.py, line 2).")


def test_a_solution_without_an_end_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = reference.definition("start_here", "softmax")
    monkeypatch.setattr(reference, "definition", lambda *_: whole.replace("# END SOLUTION", ""))
    [said] = verify._page("00_start_here")
    assert "softmax in solutions/start_here.py has 1 # BEGIN SOLUTION, 0 # END SOLUTION." in said


def test_a_checkout_is_not_needed(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(reading, "_tries", lambda known: ())
    monkeypatch.setattr(trying, "variants_package", lambda: None)
    trying.variants.cache_clear()
    verify.verify(["0"], 1)
    trying.variants.cache_clear()
    assert "neither disguises nor variants are tried" in capsys.readouterr().out


def test_the_command_is_there_only_with_the_reference(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "solutions" else find(name))
    with pytest.raises(SystemExit):
        main(["dev", "check"])
    assert "invalid choice: 'dev'" in capsys.readouterr().err


# Answers -----------------------------------------------------------------------------------------


def test_stale_answers_are_made_anew(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    made: list[str] = []

    def make(lesson: str, path: Path) -> None:
        if lesson == "attention":
            raise ValueError("an edit does not fit")
        made.append(path.name)

    monkeypatch.setattr(renew.answer_keys, "make", make)
    monkeypatch.setattr(renew, "is_fresh", lambda lesson: lesson == "start_here")
    assert renew.renew(["0", "1"], jobs=1) == 0
    assert made == ["layer_norm.safetensors"]
    assert capsys.readouterr().out == "start_here: fresh\nlayer_norm: made anew\n"
    assert renew.renew(["0", "2"], jobs=1, force=True) == 1
    assert made[1:] == ["start_here.safetensors"]
    assert "attention: not made, as ValueError: an edit does not fit. `autograder dev" in capsys.readouterr().out


# Adding to a text --------------------------------------------------------------------------------

MODULE = '"""What it is."""\n\nimport math\nfrom typing import Any\n\nimport torch\nfrom torch import Tensor\n\nX = 1\n'


@pytest.mark.parametrize(
    ("module", "names", "before", "line"),
    [
        ("torch", ["nn"], "import torch\n", "from torch import Tensor, nn\n"),
        ("collections.abc", ["Callable"], "import math\n", "from collections.abc import Callable\n"),
        ("jaxtyping", ["Float"], "import torch\n", "from jaxtyping import Float\n"),
        ("re", [], "import math\n", "import re\n"),
        ("tests.variants", ["correct"], "from torch import Tensor\n\n", "from tests.variants import correct\n"),
        ("__future__", ["annotations"], '"""What it is."""\n\n', "from __future__ import annotations\n\n"),
    ],
)
def test_an_import_goes_where_it_belongs(module: str, names: list[str], before: str, line: str) -> None:
    assert before + line in with_import(MODULE, module, names)


def test_imports_keep_their_form() -> None:
    assert with_import(MODULE, "typing", ["Any"]) == MODULE
    assert with_import('"""A."""\n', "re", []) == '"""A."""\n\nimport re\n'
    noted = "from here import b, a  # noqa: I001\n"
    assert with_import(noted, "here", ["aa"]) == "from here import b, a, aa  # noqa: I001\n"
    many = [f"a_long_name_{number}" for number in range(10)]
    assert with_import("import re\n", "here", many).splitlines()[2:4] == ["from here import (", "    a_long_name_0,"]


def test_a_list_gets_an_element() -> None:
    assert with_element('__all__ = ["a", "c"]\n', "__all__", '"b"', ordered=True) == '__all__ = ["a", "b", "c"]\n'
    assert with_element("A = (\n    b,\n)\n", "A", "a") == "A = (\n    b,\n    a,\n)\n"


def test_blocks_and_sections_stand_where_they_belong() -> None:
    assert appended("import re\n", "\nX = 1\n") == "import re\n\nX = 1\n"
    assert appended("import re\n", "\ndef f(): ...\n") == "import re\n\n\ndef f(): ...\n"
    assert with_section("# A\n\n## Questions\n", "\n## B\n") == "# A\n\n## B\n\n## Questions\n"
    assert with_section("# A\n", "\n## B\n") == "# A\n\n## B\n"


# Laying out --------------------------------------------------------------------------------------


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of what is written by hand."""
    skip = shutil.ignore_patterns("__pycache__", "*.ipynb", "answers", "trials", "backups")
    for part in ("autograder", "solutions", "course", "tests/variants"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=skip)
    for kept in (tmp_path / "course/my_transformer").glob("[!_]*"):  # by whoever tried a check in this checkout
        kept.unlink()
    for file in ("pyproject.toml", "tests/__init__.py", "tests/trunks.py"):
        shutil.copyfile(ROOT / file, tmp_path / file)
    return tmp_path


def texts(root: Path) -> dict[Path, str]:
    return {path: path.read_text(encoding="utf-8") for path in root.rglob("*") if path.suffix in (".py", ".md")}


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'course'}"}
    return subprocess.run([sys.executable, "-m", *arguments], cwd=root, env=env, capture_output=True, text=True)


@pytest.mark.turns(3, "autograder/dev", at=1)
def test_what_is_laid_out_is_in_form_and_says_what_is_to_be_written(root: Path) -> None:
    for lesson, name, module in (
        ("layer_norm", "scale_and_shift", False),
        ("01", "ScaleAndShift2", True),
        ("training", "ema_step", False),
        ("tokenization", "PieceTable", True),
    ):
        lay_out(lesson, name, module=module, root=root)
    begun = f"{int(lessons.source_stems()[-1][:2]) + 1:02}_gardening"
    lay_out("gardening", root=root)
    lay_out("gardening", "Garden", module=True, root=root)
    lay_out("98_knitting", root=root)
    for path, text in texts(root).items():
        if path.suffix == ".py":
            ast.parse(text)
    if importlib.util.find_spec("ruff"):
        assert run(root, "ruff", "check", ".").stdout == "All checks passed!\n"
        assert run(root, "ruff", "format", "--check", ".").returncode == 0
    done = run(
        root, "autograder", "dev", "check", "scale_and_shift", "ema_step", "gardening", "knitting", "--jobs", "1"
    )
    assert done.returncode == 1 and "Traceback" not in done.stdout + done.stderr, done.stdout + done.stderr
    for said in (
        "solutions/layer_norm.py:93  TODO: the solution",
        "scale_and_shift: to do:\n  - It has 0 mistakes by name; write at least five in autograder/mistakes/layer_norm",
        "It has 0 correct variants; write at least three as @correct('ema_step') in tests/variants/training.",
        "Garden: to do:",
        "Its reference is not written yet, so nothing else was tried; write it in solutions/gardening.py.",
        f"Its notebook is not what the lesson builds to. Run: autograder build {begun}",
        "98_knitting: 0 exercises, and something to do for the lesson\n  - It has no exercise yet.",
    ):
        assert said in done.stdout, f"{said}\n\n{done.stdout}"


@pytest.mark.parametrize(
    ("lesson", "name", "module", "said"),
    [
        ("layer_norm", "softmax", False, "softmax is there already, in solutions/start_here.py."),
        ("layer_norm", "LayerNormalization", True, "is an exercise already, in autograder/checks/layer_norm.py"),
        ("layer_norm", "three_tokens", False, "three_tokens is defined already, in autograder/checks/layer_norm.py"),
        ("layer_norm", "unbiased", False, "unbiased is defined already, in tests/variants/layer_norm/normalizing.py"),
        ("layer_norm", "Scale", False, "For a class: --module"),
        ("layer_norm", "scale", True, "whose name begins with a capital letter"),
        ("layer_norm", "a" * 36, False, "has 36 characters"),
        ("layer_norm", "2x", False, "is no name of a function or class"),
        ("nothing", "f", False, "There is no lesson 'nothing' yet. To begin it: autograder dev new nothing"),
        ("layer_norm", "", False, "Lesson 01_layer_norm exists."),
        ("01_gpt", "", False, "Lesson 01 exists already: 01_layer_norm."),
        ("Gpt", "", False, "is no name for a lesson"),
    ],
)
def test_nothing_is_written_over(lesson: str, name: str, module: bool, said: str, tmp_path: Path) -> None:
    for part in ("course/lessons", "solutions", "autograder/checks", "tests/variants"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    before = texts(tmp_path)
    with pytest.raises(Problem) as refused:
        lay_out(lesson, name, module=module, root=tmp_path)
    assert said in str(refused.value)
    assert texts(tmp_path) == before
