"""Every built notebook runs from top to bottom, as it is handed out and with all exercises done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from autograder import registry
from autograder.notebooks import cell_names, lessons
from autograder.notebooks.build import build
from tests.carried import solved_library
from tests.kernel import kernel
from tests.notebook_run import one_kernel, run
from tests.small_lesson import TEXT, cell, notebook
from tests.tiers import ONE_A_DAY, its_turn

MEGABYTES = 1000
SHOWN = {"demo", "play"}
"""Tags of cells that only show something; some of them speak of stand-ins."""

WITHOUT = r"\(without \d\d, [^)]*\)"
"""What `progress` says of a route that leaves lessons out."""

OWN_PARTS = """
import my_transformer
from my_transformer import Transformer, TransformerConfig
model = Transformer(TransformerConfig(5, 6, d_model=8, num_heads=2, num_layers=1, d_ff=12))
from torch import nn
own = {type(part).__module__ for part in model.modules() if not type(part).__module__.startswith("torch.")}
print(*sorted(own))
"""


def errors(given: NotebookNode) -> list[tuple[NotebookNode, NotebookNode]]:
    """The cells that raised without being meant to, each with what it raised."""
    return [
        (one, output)
        for one in given.cells
        if one.cell_type == "code" and "raises-exception" not in one.metadata.get("tags", [])
        for output in one.outputs
        if output.output_type == "error"
    ]


def raised(given: NotebookNode) -> list[str]:
    """What they raised, a line each."""
    return [f"{one.id}: {error.ename}: {error.evalue}" for one, error in errors(given)]


def unexpected(given: NotebookNode) -> list[str]:
    """What went wrong in an unsolved notebook and does not come from an exercise that is not done yet."""
    missing: set[str] = set()
    found = []
    for one, error in errors(given):
        name = re.search(r"name '(\w+)' is not defined", error.evalue)
        follows = error.ename == "NameError" and name is not None and name[1] in missing
        if not follows and error.ename != "NotImplementedError":
            found.append(f"{one.id}: {error.ename}: {error.evalue}")
        missing |= cell_names.bound(one.source)
    return found


def reports(given: NotebookNode) -> Iterator[tuple[NotebookNode, list[NotebookNode]]]:
    """The check cells, each with the reports that it shows."""
    for one in given.cells:
        if one.id.startswith("check-"):
            kinds = [out for out in one.outputs if out.output_type == "execute_result"]
            yield one, [out for out in kinds if "text/html" in out.data]


def misses_points(given: NotebookNode) -> list[str]:
    """The checks that do not show exactly one report with all points."""
    return [
        one.id
        for one, shown in reports(given)
        if [float(out.data["text/plain"]) for out in shown] != [one.metadata.nbgrader.points]
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "library").mkdir()
    return tmp_path


RunIt = Callable[[NotebookNode], NotebookNode]


DUE = [one for one in lessons.source_stems() if its_turn(lessons.lesson_of(one), 2)]
"""Every other lesson is gone through a day; all of them, and from the beginning, in tier `all`."""


class Solved:
    """The course as a learner goes through it: one notebook after the other, all into one library.

    What is not gone through has left its parts there. They run in one kernel, emptied between them: to start one takes
    longer than most notebooks.
    """

    def __init__(self, folder: Path, run_in_it: RunIt) -> None:
        self.library = folder / "library"
        self._run = run_in_it
        self._ran: dict[str, NotebookNode] = {}
        if len(DUE) < len(lessons.source_stems()):
            solved_library(self.library)

    def notebook(self, stem: str) -> NotebookNode:
        """A notebook after its run; those before it have run then."""
        for one in DUE[len(self._ran) : DUE.index(stem) + 1]:
            self._ran[one] = self._run(build(one, "solved"))
        return self._ran[stem]


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Solved]:
    """With three steps of each training."""
    folder = tmp_path_factory.mktemp("solved")
    with one_kernel(folder, COURSE_QUICK="1") as run_in_it:
        yield Solved(folder, run_in_it)


@pytest.fixture(scope="module")
def run_unsolved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunIt]:
    """The same for those that nobody has worked in: here no earlier lesson has left anything in the library."""
    with one_kernel(tmp_path_factory.mktemp("unsolved"), COURSE_QUICK="1") as run_in_it:
        yield run_in_it


# Our own lessons ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("stem", DUE)
def test_solved(stem: str, solved: Solved) -> None:
    ran = solved.notebook(stem)
    assert raised(ran) == []
    assert misses_points(ran) == []


@pytest.mark.slow
@pytest.mark.parametrize("stem", DUE)
def test_no_lesson_falls_back_on_a_stand_in(stem: str, solved: Solved) -> None:
    """What a learner builds is what the next lesson uses; what a route would have to do without is no matter."""
    cells = [one for one in solved.notebook(stem).cells if one.cell_type == "code"]
    outputs = [output for one in cells if not SHOWN & set(one.metadata.get("tags", [])) for output in one.outputs]
    assert [text for text in map(str, outputs) if "stand-in" in re.sub(WITHOUT, "", text)] == []


@pytest.mark.slow
def test_the_transformer_is_made_of_the_learners_own_parts(solved: Solved, tmp_path: Path) -> None:
    for stem in DUE:
        solved.notebook(stem)
    with kernel(solved.library, tmp_path) as running:
        own = running.run(OWN_PARTS).split()
    parts = ("decoder", "encoder", "feed_forward", "layer_norm", "multi_head_attention")
    assert own == [f"my_transformer.{lesson}" for lesson in (*parts, "positional_encoding", "transformer")]


@pytest.mark.slow
@pytest.mark.parametrize("stem", [one for one in lessons.source_stems() if its_turn(lessons.lesson_of(one), ONE_A_DAY)])
def test_solved_in_full(stem: str, folder: Path) -> None:
    """With all steps of its training, and with its memory."""
    ran = run(build(stem, "solved"), folder)
    assert raised(ran.notebook) == []
    assert misses_points(ran.notebook) == []
    assert ran.megabytes < MEGABYTES


@pytest.mark.slow
@pytest.mark.parametrize("stem", [one for one in lessons.source_stems() if its_turn(lessons.lesson_of(one), 6)])
def test_unsolved(stem: str, run_unsolved: RunIt) -> None:
    """By turns: all but the exercises' own cells runs solved every other day."""
    ran = run_unsolved(build(stem, "student"))
    assert unexpected(ran) == []
    assert [one.id for one, shown in reports(ran) if len(shown) != 1] == []


@pytest.mark.parametrize("stem", lessons.source_stems())
def test_exercises_come_in_the_order_of_the_plan(stem: str) -> None:
    """What is said to come next is what the reader meets next."""
    checked = [one.id.removeprefix("check-") for one in build(stem, "student").cells if one.id.startswith("check-")]
    assert checked == [one.name for one in registry.exercises(lessons.lesson_of(stem))]


# These tests themselves ---------------------------------------------------------------------------


@pytest.mark.slow
def test_a_small_lesson_runs_and_its_time_and_memory_are_measured(folder: Path) -> None:
    own = notebook("solved", TEXT.replace('raise RuntimeError("grading does not come here")', "1"))
    large = new_code_cell("big = torch.ones(100_000_000); del big", id="large")
    plain, ran = run(own, folder), run(with_cell(own, large), folder)
    assert errors(ran.notebook) == [] and misses_points(ran.notebook) == []
    assert ran.seconds > 0
    assert 100 < plain.megabytes < MEGABYTES
    assert ran.megabytes > plain.megabytes + 300
    assert (folder / "library" / "layer_norm.py").is_file()


def with_cell(given: NotebookNode, more: NotebookNode) -> NotebookNode:
    own = nbformat.from_dict(given)
    own.cells = [*given.cells, more]
    return own


@pytest.mark.slow
def test_what_is_not_written_yet_is_told_from_what_is_broken(folder: Path) -> None:
    own = notebook("student", TEXT.replace('raise RuntimeError("grading does not come here")', "1"))
    at = [one.id for one in own.cells].index("check-normalize")
    own.cells[at:at] = [
        new_code_cell("result = normalize(torch.ones(2, 3))", id="uses"),
        new_code_cell("result + 1", id="follows"),
        new_code_cell("reslut + 1", id="misspelt"),
        new_code_cell("1 / 0", id="broken"),
    ]
    ran = run(own, folder, COURSE_QUICK="1")
    assert [one.partition(":")[0] for one in unexpected(ran.notebook)] == ["misspelt", "broken"]
    assert all(len(shown) == 1 for _, shown in reports(ran.notebook))
    assert misses_points(ran.notebook) == [one.id for one, _ in reports(ran.notebook)]
    assert not cell(ran.notebook, "check-normalize").outputs[0].get("ename")
