"""The learner's library: what passes is kept, what fails replaces nothing, and no file in it stops a notebook."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.learner import clean
from autograder.learner.collect import Sources
from autograder.learner.examine import examine
from autograder.learner.library import merged
from autograder.probing.exercise import Exercise
from autograder.probing.source import needed
from autograder.registry import exercise
from autograder.reporting.report import Report
from tests.kernel import Kernel, kernel

SETUP = """
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from jaxtyping import Float
from autograder import check
from autograder.probing.source import needed
SCALE = 2.0
HALF = 1 / SCALE
"""

NORMALIZE = """
def root(value: Tensor) -> Tensor:
    return value ** HALF


def normalize(x: Float[Tensor, "... d"], eps: float = 1e-5):
    centred = x - x.mean(-1, keepdim=True)
    return centred / root(F.relu(centred.square().mean(-1, keepdim=True)) + eps)
"""

LAYER = """
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, x):
        return self.weight * normalize(x, self.eps) + self.bias
"""

WRONG = LAYER.replace("+ self.bias", "- self.bias")


EMPTIED = """
%reset -f
import sys
for name in [one for one in sys.modules if one.partition(".")[0] == "my_transformer"]: del sys.modules[name]
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library of all these tests; each begins with an empty one."""
    return tmp_path_factory.mktemp("library")


@pytest.fixture(scope="module")
def running(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with kernel(library, tmp_path_factory.mktemp("kernel")) as one:
        yield one


@pytest.fixture
def notebook(running: Kernel, library: Path) -> Kernel:
    """A kernel as good as new: to start one takes longer than these tests."""
    for path in library.iterdir():
        path.unlink()
    running.run(EMPTIED)
    running.run(SETUP)
    return running


@pytest.fixture
def saved(library: Path) -> Path:
    return library / "layer_norm.py"


def test_what_passes_is_kept_with_all_that_it_uses(notebook: Kernel, saved: Path) -> None:
    notebook.run(NORMALIZE)
    assert "Saved to `my_transformer/layer_norm.py`" in notebook.run("print(check(normalize))")
    text = saved.read_text()
    for line in ("SCALE = 2.0", "HALF = 1 / SCALE", "def root(value: Tensor)", "import torch.nn.functional as F"):
        assert line in text
    assert '__all__ = ["normalize"]' in text
    assert text.index("SCALE = 2.0") < text.index("HALF = 1") < text.index("def normalize")
    notebook.run(LAYER)
    notebook.run("check(LayerNorm)")
    assert '__all__ = ["normalize", "LayerNorm"]' in saved.read_text()
    served = notebook.run("from my_transformer import LayerNorm as Mine; print(Mine.__module__, Mine is LayerNorm)")
    assert served.strip() == "my_transformer.layer_norm False"
    assert (
        notebook.run("import my_transformer.layer_norm as m; print(m.__all__)").strip() == "['normalize', 'LayerNorm']"
    )


def test_failing_code_never_replaces_passing_code(notebook: Kernel, saved: Path) -> None:
    notebook.run(NORMALIZE + LAYER)
    notebook.run("check(normalize); check(LayerNorm)")
    before = saved.read_text()
    notebook.run(WRONG)
    assert "0 of 4" in notebook.run("print(check(LayerNorm))")
    assert saved.read_text() == before


def test_what_runs_only_in_the_notebook_is_not_kept(notebook: Kernel, saved: Path) -> None:
    notebook.run("globals()['secret'] = 1.0")
    notebook.run("def normalize(x, eps=1e-5):\n    return secret * torch.layer_norm(x, x.shape[-1:], eps=eps)")
    shown = notebook.run("print(check(normalize))")
    assert "Your code calls `layer_norm`" in shown
    notebook.run(NORMALIZE.replace("centred /", "secret * centred /"))
    assert "`secret` is used, but no cell of this notebook defines it" in notebook.run("print(check(normalize))")
    assert not saved.exists()


def test_a_part_that_is_only_borrowed_is_not_kept(notebook: Kernel, saved: Path) -> None:
    notebook.run("def normalize(x, eps=1e-5):\n    return x\n" + LAYER)
    shown = notebook.run("print(check(LayerNorm))")
    assert "4 of 4" in shown
    assert "`normalize`, which it uses, is not" in shown
    assert not saved.exists()


BAD_FILES = ("def broken(:", "raise SystemExit(3)", "import nowhere", "\x00", '__all__ = ["LayerNorm"]\n1 / 0\n')


def test_a_bad_file_is_named_and_its_stand_in_serves(notebook: Kernel, saved: Path) -> None:
    for text in BAD_FILES:
        saved.write_text(text)
        shown = notebook.run("from my_transformer import LayerNorm; print(LayerNorm(3).weight)")
        assert "layer_norm.py does not load" in shown
        assert "stand-in" in shown
        assert "[error]" not in shown
        assert saved.read_text() == text


def test_what_a_hand_wrote_is_kept_when_the_file_is_replaced(notebook: Kernel, saved: Path) -> None:
    saved.write_text("def broken(:")
    notebook.run(NORMALIZE)
    assert "layer_norm.earlier.txt" in notebook.run("print(check(normalize))")
    assert saved.with_name("layer_norm.earlier.txt").read_text() == "def broken(:"
    assert "def normalize" in saved.read_text()
    notebook.run(LAYER)
    assert "kept as" not in notebook.run("print(check(LayerNorm))")
    saved.write_text(saved.read_text() + "\n\ndef mine(): return 1\n")
    notebook.run(NORMALIZE.replace("centred", "around_mean"))
    assert "layer_norm.earlier2.txt" in notebook.run("print(check(normalize))")
    assert "def mine" in saved.with_name("layer_norm.earlier2.txt").read_text()


def test_grading_ignores_the_library(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    (library / "layer_norm.py").write_text('__all__ = ["LayerNorm"]\nLayerNorm = "mine"\n')
    with kernel(library, tmp_path, NBGRADER_EXECUTION="autograde") as running:
        shown = running.run("from my_transformer import LayerNorm; print(LayerNorm.__module__)")
    assert shown.strip() == "autograder.stand_ins.layer_norm"


def test_an_unknown_name_is_an_import_error(notebook: Kernel) -> None:
    assert "[error] ImportError" in notebook.run("from my_transformer import Nonsense")


# Without a kernel ---------------------------------------------------------------------------------


def test_needs_are_globals_only() -> None:
    text = "def f(x, eps=DEFAULT):\n    y = x + torch.ones(1)\n    return [g(z) for z in y]\n"
    assert needed(text) == {"DEFAULT", "g", "torch"}
    assert needed("class A(Base):\n    def f(self) -> Tensor:\n        return A\n") == {"Base", "Tensor"}


def test_a_new_helper_replaces_the_old_and_what_nobody_uses_goes(tmp_path: Path) -> None:
    path = tmp_path / "layer_norm.py"
    old = (
        "import math\n\n__all__ = ['normalize']\n\ndef helper(): return math.pi\n\ndef normalize(x): return helper()\n"
    )
    path.write_text(old)
    new = Sources({"import torch": None}, {"normalize": "def normalize(x): return torch.ones(1)\n"})
    text, passed = merged(path, exercise("normalize"), new)
    assert passed == ["normalize"]
    assert "helper" not in text
    assert "math" not in text
    assert ast.parse(text)


SHIFT = "def shift_right(tgt, bos_id):\n    return tgt\n"
STEP = "def train_step(*given):\n    return shift_right(*given)\n"


def test_a_part_that_another_lesson_held_is_served_until_its_own_has_it(tmp_path: Path) -> None:
    """As AdamW is, which was kept in training.py before it had a lesson of its own."""
    (tmp_path / "library").mkdir()
    old = tmp_path / "library" / "training.py"
    old.write_text(f'__all__ = ["shift_right", "train_step"]\n\n\n{SHIFT}\n\n{STEP}')
    with kernel(tmp_path / "library", tmp_path) as running:
        ask = "from my_transformer import shift_right; print(shift_right.__module__)"
        assert running.run(ask).split() == ["my_transformer.training"]
        step = Sources(definitions={"train_step": STEP})
        assert merged(old, exercise("train_step"), step)[1] == ["train_step", "shift_right"]
        (tmp_path / "library" / "optimization.py").write_text(f'__all__ = ["shift_right"]\n\n\n{SHIFT}')
        assert running.run(ask).split() == ["my_transformer.optimization"]
    text, passed = merged(old, exercise("train_step"), step)
    assert passed == ["train_step"] and "def shift_right" in text


def test_a_part_is_tried_again_only_when_something_of_it_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def noted(one: Exercise, part: object) -> Report:
        looked_at.append(one.name)
        return examine(one, part)

    monkeypatch.setattr("autograder.learner.examine.examine", noted)
    monkeypatch.setattr(clean, "_passed", set())
    text = SETUP.replace("from autograder", "# from autograder") + NORMALIZE
    assert clean._trial("layer_norm", text, ["normalize"]) is None
    assert clean._trial("layer_norm", text + LAYER, ["normalize", "LayerNorm"]) is None
    assert looked_at == ["normalize", "LayerNorm"]
    problem = clean._trial("layer_norm", text.replace("SCALE = 2.0", "SCALE = 3.0") + LAYER, ["normalize", "LayerNorm"])
    assert problem is not None and problem.name == "normalize"
    assert clean._trial("layer_norm", text + LAYER, ["normalize", "LayerNorm"]) is None
    assert looked_at == ["normalize", "LayerNorm", "normalize"]
