"""What a learner builds is what the next lesson uses: the whole course, solved lesson by lesson into one library."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder import registry
from autograder.notebooks.build import build
from tests.kernel import Kernel, kernel

SKIPPED = {"demo", "play"}

OWN_PARTS = """
import my_transformer
from my_transformer import Transformer, TransformerConfig
model = Transformer(TransformerConfig(5, 6, d_model=8, num_heads=2, num_layers=1, d_ff=12))
from torch import nn
own = {type(part).__module__ for part in model.modules() if not type(part).__module__.startswith("torch.")}
print(*sorted(own))
"""


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[str]]]:
    """The library after all lessons, and what the cells of each showed."""
    library, folder = tmp_path_factory.mktemp("library"), tmp_path_factory.mktemp("folder")
    shown = {}
    # One kernel, emptied between lessons: to start and to import torch takes longer than most of them.
    with kernel(library, folder, COURSE_QUICK="1") as running:
        for lesson in registry.lessons():
            shown[lesson] = list(_run(lesson, running))
            running.run("%reset -f")
    return library, shown


def _run(lesson: str, running: Kernel) -> Iterator[str]:
    for cell in build(lesson, "solved").cells:
        if cell.cell_type == "code" and not SKIPPED & set(cell.metadata.get("tags", [])):
            yield running.run(cell.source)


@pytest.mark.slow
def test_no_lesson_falls_back_on_a_stand_in(solved: tuple[Path, dict[str, list[str]]]) -> None:
    told = [line for texts in solved[1].values() for text in texts for line in text.splitlines() if "stand-in" in line]
    assert told == []


@pytest.mark.slow
def test_no_cell_goes_wrong(solved: tuple[Path, dict[str, list[str]]]) -> None:
    assert [text for texts in solved[1].values() for text in texts if "[error]" in text] == []


@pytest.mark.slow
def test_the_transformer_is_made_of_the_learners_own_parts(solved: tuple[Path, dict[str, list[str]]]) -> None:
    library, _ = solved
    with kernel(library, library) as running:
        own = running.run(OWN_PARTS).split()
    lessons = ("decoder", "encoder", "feed_forward", "layer_norm", "multi_head_attention")
    lessons += ("positional_encoding", "transformer")
    assert own == [f"my_transformer.{lesson}" for lesson in lessons]
