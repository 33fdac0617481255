"""What code that is probed can learn of draws: those of its own probe, when its turn comes."""

from __future__ import annotations

from pathlib import Path

import pytest

from autograder.learner.examine import examine
from autograder.registry import exercise
from tests.sandbox.rooms import FULL, Room, needs_walls, points, result, right
from tests.small_lesson import cell

pytestmark = needs_walls

SETUP = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor, nn"
FORESEES = """\
import json, os, sys

PLACE = os.environ["HOME"] + "/seeds"

def seeds_of(probe):
    if not os.path.exists(PLACE): return {}
    return {name: seeds for name, seeds in json.load(open(PLACE)).items() if name != probe}

def step(seeds):
    return {b - a for a, b in zip(seeds, seeds[1:])}

class LayerNorm(LayerNorm):
    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        frame = sys._getframe()
        while frame is not None and type(frame.f_locals.get("draw")).__name__ != "Draw": frame = frame.f_back
        draw = frame.f_locals["draw"]
        earlier = seeds_of(draw.probe)
        known = {seed for seeds in earlier.values() for seed in seeds}
        if draw.seed in known: print("GOT")
        if any(abs(draw.seed - seed) < 2**32 for seed in known): print("GOT one that is near")
        own = json.load(open(PLACE)) if os.path.exists(PLACE) else {}
        own.setdefault(draw.probe, []).append(draw.seed)
        if earlier: print("LEARNED")
        json.dump(own, open(PLACE, "w"))
"""


def test_the_seeds_of_one_probe_tell_nothing_of_those_of_the_next(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = right()
    wrong = cell(own, "LayerNorm").source.replace("+ self.bias", "- self.bias")  # a report on what is right is short
    cell(own, "LayerNorm").source = f"{wrong}\n\n{FORESEES}"
    monkeypatch.setenv("HOME", str(tmp_path))
    names = {"__name__": "notebook"}
    for name in ("normalize", "LayerNorm"):
        exec(f"{SETUP}\n{cell(own, name).source}", names)
    assert "GOT" in examine(exercise("LayerNorm"), names["LayerNorm"]).printed, "practice draws are the same for all"
    grade = room.grade(own)
    assert points(grade)["RMSNorm"] == FULL["RMSNorm"]
    assert "LEARNED" in result(grade, "LayerNorm").text
    assert "GOT" not in result(grade, "LayerNorm").text
