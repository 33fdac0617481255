"""Who makes the keeper slow loses own time: it is never taken for a sandbox that failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autograder.classroom.grading import box as boxes
from autograder.classroom.grading.box import Box, Infrastructure
from autograder.sandbox import stage
from autograder.sandbox.inside import keeper
from tests.sandbox.rooms import QUICK, needs_walls, plan
from tests.small_lesson import LESSON

pytestmark = [needs_walls, pytest.mark.slow]

SCALE = 0.2
"""Times of the keeper's are cut to this, so that the test is short."""

SLOW = SCALE * keeper.INTRODUCTION / 2
FORKS_SLOWLY = f"import os, time\nos.register_at_fork(after_in_child=lambda: time.sleep({SLOW}))"
IS_KEPT = f"import time\ntime.sleep({1.5 * SCALE * keeper.AGAIN})"
HANGS_AGAIN = "import os, time\nif os.path.exists('ran'): time.sleep(100)\nopen('ran', 'w').close()"
GOES = "import os\nos._exit(0)"
TAKES_ALL = "import time\ntime.sleep(1.8)"


@pytest.fixture(scope="module")
def hasty() -> Iterator[Box]:
    """A sandbox whose keeper has less patience."""
    staged = stage.staged

    @contextlib.contextmanager
    def with_shorter_times(*given: Any) -> Iterator[Path]:
        with staged(*given) as folder:
            file = folder / "autograder" / "sandbox" / "inside" / "keeper.py"
            text = file.read_text(encoding="utf-8")
            for name in ("INTRODUCTION", "AGAIN", "REPLAY", "ENDING"):
                value = getattr(keeper, name)
                assert text.count(f"\n{name} = {value}\n") == 1
                text = text.replace(f"\n{name} = {value}\n", f"\n{name} = {SCALE * value}\n")
            file.write_text(text, encoding="utf-8")
            yield folder

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stage, "staged", with_shorter_times)
        box = Box(LESSON, plan().modules, QUICK)
    yield box
    box.close()


def late_by(box: Box) -> float:
    """How much longer than its job an order takes, when what ran before it hangs, and every copy is slow."""
    with box.submission() as submission:
        for text in (FORKS_SLOWLY, IS_KEPT, HANGS_AGAIN, GOES):
            submission.ask({"do": "cell", "text": text}, 2, stays=True)
        before = submission.spent
        submission.ask({"do": "cell", "text": TAKES_ALL}, 2, stays=True)
        return submission.spent - before - 2


def test_slow_copies_and_replays_are_the_submissions_time(hasty: Box, monkeypatch: pytest.MonkeyPatch) -> None:
    late = late_by(hasty)
    assert late > SCALE * keeper.REPLAY + SLOW, "what was to be slow is not"
    assert late < SCALE * keeper.LATE + 5
    assert boxes.GRACE > keeper.LATE
    monkeypatch.setattr(boxes, "GRACE", SCALE * keeper.REPLAY)
    with pytest.raises(Infrastructure):
        late_by(hasty)
