"""Bad input: whatever a learner hands in, the report is clear, the notebook goes on, and nothing is lost."""

from __future__ import annotations

import _thread
import os
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook
from torch import Tensor, nn

from autograder import registry
from autograder.learner import hints, library, progress, progress_file
from autograder.learner.check import check
from autograder.learner.examine import examine
from autograder.probing.run import captured
from autograder.reporting.report import Report


def right(x: Tensor, eps: float = 1e-5) -> Tensor:
    """A correct `normalize`."""
    return (x - x.mean(-1, keepdim=True)) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps)


def report_on(implementation: Any, name: str = "normalize") -> Report:
    """The report, after all its faces could be made."""
    report = examine(registry.exercise(name), implementation)
    faces = report._repr_mimebundle_()
    assert float(faces["text/plain"]) == report.points
    assert faces["text/html"].startswith("\n<style>")
    return report


def returning(change: Callable[[Tensor], Any]) -> Callable[..., Any]:
    """A `normalize` whose right result is changed before it is returned."""

    def normalize(x: Tensor, eps: float = 1e-5) -> Any:
        return change(right(x, eps))

    return normalize


# What comes back ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda y: None, "None came back. Is there a `return`, in every branch?"),
        (lambda y: "three", "Expected a tensor of shape (3, 4), got a str, 'three'"),
        (lambda y: 3, "got an int, 3"),
        (lambda y: (y, y), "got 2 results"),
        (lambda y: {"y": y}, "got a dict with y"),
        (lambda y: y.detach().numpy(), "got a numpy.ndarray"),
        (lambda y: y.tolist(), "got 3 results"),
        (lambda y: (one for one in y), "got a generator"),
        (lambda y: y[..., :1], "Expected shape (3, 4), got (3, 1)"),
        (lambda y: y.T if y.dim() == 2 else y, "Expected shape (3, 4), got (4, 3)"),
        (lambda y: torch.empty(0), "got (0,)"),
        (lambda y: y.long(), "Expected dtype torch.float32, got torch.int64"),
        (lambda y: y > 0, "got torch.bool"),
        (lambda y: y.half(), "got torch.float16"),
        (lambda y: y + 0j, "got torch.complex64"),
        (lambda y: y.to_sparse(), "got a torch.sparse_coo tensor on cpu"),
        (lambda y: y.to("meta"), "got a torch.strided tensor on meta"),
        (lambda y: y * float("nan"), "NaN appears in 12 of 12 places"),
        (lambda y: y / 0, "Infinity appears in 12 of 12 places"),
        (lambda y: y.detach(), "No gradient reaches `x`"),
        (lambda y: nn.Parameter(y), "No gradient reaches `x`"),
    ],
)
def test_results_of_a_wrong_kind_are_told(change: Callable[[Tensor], Any], said: str) -> None:
    report = report_on(returning(change))
    assert report.status == "wrong"
    assert said in str(report)


def test_only_the_gradient_is_missed_where_only_the_gradient_is_missing() -> None:
    report = report_on(returning(Tensor.detach))
    assert [finding.rung for finding in report.failures] == ["gradients"]
    assert 0 < report.points < report.max_points


def test_a_list_that_holds_itself() -> None:
    def normalize(x: Tensor, eps: float = 1e-5) -> list[Any]:
        result: list[Any] = []
        result.append(result)
        return result

    assert "RecursionError" in str(report_on(normalize))


# What lies ------------------------------------------------------------------------------------


class AlwaysEqual:
    """Says that it equals everything, and prints as if it were right."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return "tensor([[0., 1., -1.]])"


class CannotBeShown:
    def __repr__(self) -> str:
        raise ValueError("not for you")

    __str__ = __repr__


class NearlyAFloat(float):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class CallsItselfATensor:
    __class__ = Tensor  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = object.__hash__


class TensorThatLies(Tensor):
    """Answers every question about itself with yes."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True


class ListThatLies(list):  # type: ignore[type-arg]
    """Shows other items than it holds, and more of them."""

    def __iter__(self) -> Iterator[Any]:
        return iter([right(torch.ones(3, 4))] * 99)

    def __len__(self) -> int:
        return 99


@pytest.mark.parametrize(
    "lie",
    [
        lambda y: AlwaysEqual(),
        lambda y: CannotBeShown(),
        lambda y: NearlyAFloat(1),
        lambda y: CallsItselfATensor(),
        lambda y: (y + 1).as_subclass(TensorThatLies),
        lambda y: ListThatLies([1, 2]),
    ],
    ids=["equal", "repr", "float", "class", "tensor", "list"],
)
def test_nothing_that_lies_passes(lie: Callable[[Tensor], Any]) -> None:
    report = report_on(returning(lie))
    assert report.status == "wrong"
    assert report.points == 0
    assert "tensor([[0., 1., -1.]])" not in str(report)


def test_a_right_tensor_of_another_class_is_taken_for_what_it_holds() -> None:
    failures = report_on(returning(lambda y: y.as_subclass(TensorThatLies))).failures
    assert "values" not in {finding.rung for finding in failures}


def test_names_from_the_learner_are_escaped() -> None:
    tag = "<script>alert(1)</script>"
    html = report_on(returning(lambda y: type(tag, (), {})()))._repr_mimebundle_()["text/html"]
    assert "&lt;script&gt;" in html
    assert "<script" not in html


# What raises ----------------------------------------------------------------------------------


class RaisesInConstructor(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_modell))  # type: ignore[name-defined]  # noqa: F821


class ForgetsSuper(nn.Module):
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        self.weight = nn.Parameter(torch.ones(d_model))


class NoModule:
    def __init__(self, d_model: int, eps: float = 1e-5) -> None:
        self.weight = torch.ones(d_model)

    def __call__(self, x: Tensor) -> Tensor:
        return x


class OtherConstructor(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(width)), nn.Parameter(torch.zeros(width))


@pytest.mark.parametrize(
    ("implementation", "said"),
    [
        (RaisesInConstructor, "`d_modell` does not exist where it is used"),
        (ForgetsSuper, "must call `super().__init__()` before"),
        (NoModule, "The class has to be an `nn.Module`"),
        (OtherConstructor, "does not take `eps`"),
        (lambda *_, **__: None, "made a NoneType, which is not an nn.Module"),
    ],
    ids=["raises", "super", "no-module", "signature", "nothing"],
)
def test_constructors_that_fail(implementation: Any, said: str) -> None:
    report = report_on(implementation, "LayerNorm")
    assert report.status == "wrong"
    assert report.points == 0
    assert said in str(report)


def test_the_line_that_raised_is_shown_and_none_of_ours() -> None:
    text = str(report_on(RaisesInConstructor, "LayerNorm"))
    assert "`self.weight = nn.Parameter(torch.ones(d_modell))" in text
    assert "autograder" not in text


class CannotSayWhy(Exception):
    def __str__(self) -> str:
        raise ValueError("no")


def recursing(x: Tensor, eps: float = 1e-5) -> Tensor:
    return recursing(x, eps)


def raising(error: BaseException) -> Callable[..., Any]:
    def normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
        raise error

    return normalize


@pytest.mark.parametrize(
    ("implementation", "said"),
    [
        (raising(SystemExit(3)), "Your code ends the whole process"),
        (lambda x, eps=1e-5: sys.exit(), "Your code ends the whole process"),
        (recursing, "A function calls itself without end"),
        (raising(CannotSayWhy()), "CannotSayWhy"),
        (raising(type("", (Exception,), {})("nameless")), "nameless"),
        (raising(GeneratorExit()), "GeneratorExit"),
        (raising(MemoryError()), "asks for more memory than there is"),
        (lambda x: x, "called with more arguments than it takes"),
        (
            lambda x, eps=1e-5: x - x.max(dim=-1),
            "gives two things, the values and where they are",
        ),
    ],
    ids=["exit", "sys-exit", "recursion", "no-message", "no-name", "generator-exit", "memory", "signature", "max"],
)
def test_whatever_is_raised_becomes_a_report(implementation: Any, said: str) -> None:
    report = report_on(implementation)
    assert report.status == "wrong"
    assert report.points == 0
    assert said in str(report)


# What does not end ----------------------------------------------------------------------------


def endless(x: Tensor, eps: float = 1e-5) -> Tensor:
    threading.Timer(0.2, _thread.interrupt_main).start()  # as someone who presses the stop button
    while True:
        time.sleep(0.001)


@pytest.fixture
def stop_button() -> Iterator[None]:
    """A stop button that works: the worker processes of pytest ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("stop_button")
def test_an_endless_loop_can_be_stopped_and_the_report_says_so() -> None:
    report = report_on(endless)
    assert report.status == "interrupted"
    assert report.points == 0
    assert "Stopped while your code was running" in str(report)
    assert "`time.sleep(0.001)`" in str(report) or "`while True:`" in str(report)


class EndlessFromTheSecondCall:
    """Wrong at first, endless from then on: the second draw of a probe that the first has failed."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def __call__(self, x: Tensor, eps: float = 1e-5) -> Tensor:
        self.left -= 1
        return right(x, eps) + 1 if self.left >= 0 else endless(x)


@pytest.mark.usefixtures("stop_button")
@pytest.mark.parametrize("calls", [1, 2, 3])
def test_a_loop_that_begins_later_says_how_far_the_check_came(calls: int) -> None:
    report = report_on(EndlessFromTheSecondCall(calls))
    assert report.status == "interrupted"
    assert report.points == 0
    assert "that were begun pass" in str(report)


# What is printed ------------------------------------------------------------------------------


def ten_megabytes(x: Tensor, eps: float = 1e-5) -> Tensor:
    print("x" * 10_000_000)
    return right(x, eps)


def test_ten_megabytes_of_printing_are_cut() -> None:
    report = report_on(ten_megabytes)
    assert report.passed
    assert len(str(report)) < 10_000
    assert len(report._repr_mimebundle_()["text/html"]) < 20_000


def noisy(x: Tensor, eps: float = 1e-5) -> Tensor:
    print("to stdout")
    print("to stderr", file=sys.stderr)
    warnings.warn("careful", stacklevel=1)
    os.write(2, b"raw\n")
    return right(x, eps)


def test_nothing_reaches_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    report = report_on(noisy)
    assert capfd.readouterr().err == ""
    assert report.passed
    for said in ("to stdout", "to stderr", "UserWarning: careful"):
        assert said in report.printed
    os.write(2, b"audible again")
    assert capfd.readouterr().err == "audible again"


def test_what_a_check_warns_of_is_not_told_as_the_learners() -> None:
    of_a_check = os.path.join("somewhere", "autograder", "checks", "lesson.py")
    with captured() as printed:
        warnings.warn_explicit("of a check", UserWarning, of_a_check, 1)
        warnings.warn("of the learner", stacklevel=1)
        assert printed() == "UserWarning: of the learner"


def test_closing_stdout_loses_nothing() -> None:
    def normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
        print("last words")
        sys.stdout.close()
        return right(x, eps)

    report = report_on(normalize)
    assert report.passed
    assert "last words" in report.printed


# What is left behind --------------------------------------------------------------------------


def test_settings_of_torch_are_put_back() -> None:
    def normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
        torch.set_default_dtype(torch.float16)
        torch.set_default_device("meta")
        torch.set_grad_enabled(False)
        torch.manual_seed(7)
        return right(x, eps)

    torch.manual_seed(3)
    state = torch.get_rng_state()
    report_on(normalize)
    assert torch.get_default_dtype() is torch.float32
    assert torch.get_default_device().type == "cpu"
    assert torch.is_grad_enabled()
    assert torch.equal(torch.get_rng_state(), state)


def test_another_default_device_of_the_notebook_is_no_mistake() -> None:
    torch.set_default_device("meta")
    try:
        report = report_on(right)
        assert torch.get_default_device().type == "meta"
    finally:
        torch.set_default_device(None)
    assert report.passed


def test_an_input_that_is_made_smaller_counts_as_written_to() -> None:
    def normalize(x: Tensor, eps: float = 1e-5) -> Tensor:
        result = right(x.clone(), eps)
        x.data = torch.empty(0)
        return result

    assert "writes into its own input (`x`)" in str(report_on(normalize))


def test_what_a_probe_itself_writes_over_is_not_held_against_code_that_raises() -> None:
    def alignment_share(*given: Any) -> Tensor:
        raise RuntimeError("no")

    report = report_on(alignment_share, "alignment_share")
    assert "writes into" not in str(report)
    assert not report.passed


# What is no implementation --------------------------------------------------------------------


@pytest.mark.parametrize(("thing", "what"), [(None, "nothing"), (torch.ones(3), "a Tensor"), (3, "a int")])
def test_things_that_cannot_be_called(thing: Any, what: str) -> None:
    report = check(thing, exercise="normalize")
    assert report.status == "unusable"
    assert f"`normalize` is {what}, and should be a function or a class." in str(report)


@pytest.mark.parametrize("thing", [None, torch.ones(3), 3, CannotBeShown()])
def test_check_of_a_value_says_what_it_takes(thing: Any) -> None:
    with pytest.raises(registry.UnknownExercise, match="check takes a function or class itself"):
        check(thing)


def test_check_of_an_unknown_name_lists_the_near_ones() -> None:
    with pytest.raises(registry.UnknownExercise, match="Did you mean LayerNorm"):
        check(type("LayerNom", (nn.Module,), {}))


def test_check_of_a_finished_object_asks_for_the_class() -> None:
    LayerNorm = type("LayerNorm", (nn.Module,), {})
    assert "Give the class itself: `check(LayerNorm)`" in str(check(LayerNorm()))


def test_hint_and_reveal_of_an_unknown_name_list_the_near_ones() -> None:
    for ask in (hints.hint, hints.reveal):
        with pytest.raises(registry.UnknownExercise, match="Did you mean LayerNorm"):
            ask("LayerNrm")
        with pytest.raises(registry.UnknownExercise, match="There are: softmax, normalize, LayerNorm"):
            ask("Nope")


# The learner's library ------------------------------------------------------------------------

SOFTMAX = '__all__ = ["softmax"]\n\n\ndef softmax(x, dim=-1):\n    return "mine"\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty library of its own."""
    monkeypatch.setattr(library, "home", lambda: tmp_path)
    yield tmp_path
    sys.modules.pop("my_transformer.start_here", None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"def softmax(x:\n", "SyntaxError"),
        (b"raise RuntimeError('broken')\n", "RuntimeError: broken"),
        (b"raise SystemExit\n", "SystemExit"),
        (b"import no_such_module\n", "ModuleNotFoundError"),
        (b"\xff\xfe\x00 no text", "cannot be read"),
        (b"x = 1\x00\n", "null bytes"),
    ],
)
def test_a_broken_file_is_named_and_its_stand_in_serves(
    home: Path, content: bytes, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "start_here.py").write_bytes(content)
    found = library.serve("softmax")
    said = capsys.readouterr().out
    assert "start_here.py" in said
    assert reason in said
    assert torch.allclose(found(torch.zeros(4)), torch.full((4,), 0.25))
    assert (home / "start_here.py").read_bytes() == content


@pytest.mark.parametrize("listing", ["None", "5", "[n for n in dir()]", "['softmax', 3]", "'softmax'"])
def test_a_strange_list_of_names_stops_nothing(home: Path, listing: str) -> None:
    text = f"def softmax(x, dim=-1):\n    return 'mine'\n\n\n__all__ = {listing}\n"
    (home / "start_here.py").write_text(text)
    assert callable(library.serve("softmax"))
    assert library.read_module(home / "start_here.py")[0].definitions.keys() == {"softmax"}


def test_the_import_says_once_that_it_is_a_stand_in(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec("from my_transformer import softmax", {})
    assert capsys.readouterr().out.count("softmax is a stand-in") == 1


def test_what_was_saved_is_what_is_served(home: Path) -> None:
    (home / "start_here.py").write_text(SOFTMAX)
    assert library.serve("softmax")(torch.zeros(2)) == "mine"


@pytest.mark.parametrize("content", ["", "[1, 2]", "{", '{"normalize": 3}', '{"normalize": {"points": "all"}}'])
def test_a_damaged_record_of_progress_is_an_empty_one(home: Path, content: str) -> None:
    (home / progress_file.FILE).write_text(content)
    assert progress_file.read() == {}
    assert "\n0 of " in repr(progress.progress())


def test_points_do_not_wrap_and_a_mark_stays_with_its_exercise(home: Path) -> None:
    shown = progress.progress()._repr_html_()
    row = next(part for part in shown.split("<tr>") if "<td" in part)
    assert re.search(r'<td style="text-align:right;vertical-align:top;white-space:nowrap">0 of \d+</td>', row)
    assert re.search(r'<span style="white-space:nowrap;[^"]*">· \w+', row)
    heads = re.findall(r"<th (.*?)>", shown)
    assert heads == re.findall(r"<td (.*?)>", row)


# In a notebook --------------------------------------------------------------------------------

SETUP = """\
import os, sys, threading, time, _thread, warnings
import torch
from autograder import check, hint, progress
treasure = "still here"
"""

RIGHT = """\
def softmax(x, dim=-1):
    largest = x.amax(dim, keepdim=True)
    powers = torch.exp(x - largest.masked_fill(largest == -torch.inf, 0))
    return powers / powers.sum(dim, keepdim=True).clamp(min=1)
"""

ENDLESS = """\
def softmax(x, dim=-1):
    threading.Timer(0.2, _thread.interrupt_main).start()
    while True:
        time.sleep(0.001)
"""

LOUD = """\
def softmax(x, dim=-1):
    print("x" * 10_000_000)
    warnings.warn("careful")
    os.write(2, b"raw")
    return x
"""

CELLS = {
    "setup": SETUP,
    "undefined": "check(softmax)",
    "nothing": "x = 1",
    "still undefined": "check(softmax)",
    "other name": "def sofmax(x, dim=-1):\n    return x",
    "check of the other name": "check(softmax)",
    "right": RIGHT,
    "check right": "check(softmax)",
    "endless": ENDLESS,
    "check endless": "check(softmax)",
    "exit": "def softmax(x, dim=-1):\n    sys.exit()",
    "check exit": "check(softmax)",
    "recursion": "def softmax(x, dim=-1):\n    return softmax(x, dim)",
    "check recursion": "check(softmax)",
    "loud": LOUD,
    "check loud": "check(softmax)",
    "a demo": "scores = torch.ones(2, 3)",
    "reads it": "def softmax(x, dim=-1):\n    return scores / scores.sum(dim, keepdim=True)",
    "check of what reads it": "check(softmax)",
    "hint": 'hint("sofmax")',
    "after": "print(treasure, threading.active_count() > 0, progress())",
}


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    """The outputs of the cells above, by name, and the saved module under "saved"."""
    folder = tmp_path_factory.mktemp("notebook")
    book = new_notebook(cells=[new_code_cell(text) for text in CELLS.values()])
    client = NotebookClient(book, timeout=60, allow_errors=True, resources={"metadata": {"path": str(folder)}})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MY_TRANSFORMER_HOME", str(folder / "library"))
        patch.delenv("NBGRADER_EXECUTION", raising=False)
        client.execute()
    found = {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}
    return {**found, "saved": [(folder / "library" / "start_here.py").read_text(encoding="utf-8")]}


def said(outputs: list[Any]) -> str:
    """All that a cell showed, as text."""
    texts = [one.get("text", "") + one.get("evalue", "") for one in outputs]
    return "".join([*texts, *(str(one.get("data", {}).get("text/html", "")) for one in outputs)])


def test_a_cell_that_defines_nothing_is_told_to_run_the_one_that_does(notebook: dict[str, list[Any]]) -> None:
    for name in ("undefined", "still undefined"):
        assert "Run the cell that defines it" in said(notebook[name])


def test_a_function_of_another_name_is_found(notebook: dict[str, list[Any]]) -> None:
    assert "there is sofmax" in said(notebook["check of the other name"])


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("check right", "Saved to"),
        ("check endless", "Stopped while your code was running"),
        ("check exit", "Your code ends the whole process"),
        ("check recursion", "A function calls itself without end"),
        ("check loud", "UserWarning: careful"),
        ("check of what reads it", "Your code reads <code>scores</code>, a variable of this notebook."),
    ],
)
def test_the_report_says_what_happened(notebook: dict[str, list[Any]], cell: str, words: str) -> None:
    assert words in said(notebook[cell])


def test_no_check_writes_to_stderr(notebook: dict[str, list[Any]]) -> None:
    checks = [outputs for name, outputs in notebook.items() if name.startswith("check")]
    assert len(checks) == 7
    assert not [one for outputs in checks for one in outputs if one.get("name") == "stderr"]


def test_reports_stay_short(notebook: dict[str, list[Any]]) -> None:
    assert len(said(notebook["check loud"])) < 30_000


def test_an_unknown_hint_is_a_sentence(notebook: dict[str, list[Any]]) -> None:
    assert "Did you mean softmax?" in said(notebook["hint"])


def test_nothing_is_lost(notebook: dict[str, list[Any]]) -> None:
    after = said(notebook["after"])
    assert "still here" in after
    assert "2 of 2" in after
    assert "largest.masked_fill" in notebook["saved"][0]
