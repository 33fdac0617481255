"""Which stand-ins may be lent when an exercise is run again, and what is said of it then."""

from __future__ import annotations

import types
from contextlib import AbstractContextManager
from typing import Any

import pytest

from autograder import registry
from autograder.judging.decision import IS_RANDOM
from autograder.judging.definitions import closure
from autograder.judging.judge import judge
from autograder.judging.lending import lendable, lent, namespace_of, within_reach
from autograder.judging.oracle import Oracle
from autograder.learner import examine as examining
from autograder.learner.examine import examine
from autograder.probing.draws import PRACTICE
from autograder.probing.exercise import Exercise
from autograder.probing.run import captured, run_draws
from autograder.registry import exercise
from autograder.reporting.report import Report

# What may be lent ----------------------------------------------------------------------------


def test_only_earlier_parts_without_the_answer_are_lent() -> None:
    for lesson in registry.lessons():
        known = registry.exercises(lesson)
        for place, one in enumerate(known):
            parts = [exercise(name) for name in lendable(one)]
            assert set(parts) <= set(known[:place])
            assert not any(one.reference in closure(lesson, part.reference) for part in parts)


def test_a_repair_is_not_lent_what_it_repairs_nor_what_is_built_on_that() -> None:
    assert lendable(exercise("LayerNormalization")) == ["normalize", "RMSNorm"]
    heads = ["split_heads", "merge_heads"]
    assert lendable(exercise("MultiHeadAttention")) == heads
    assert lendable(exercise("ArticleMultiHeadAttention")) == [*heads, "GroupedQueryAttention"]


@pytest.mark.turns(3, "autograder/judging", "autograder/stand_ins", at=1)
def test_no_part_that_is_lent_earns_anything_as_the_exercise_itself() -> None:
    """A stub that only calls an earlier part would be excused for that part, and get its points."""
    lent_ones = [
        (one, exercise(name))
        for each in registry.lessons()
        for one in registry.exercises(each)
        for name in lendable(one)
    ]
    assert {one.name: by_calling(one, part) for one, part in lent_ones if by_calling(one, part)} == {}
    for one in registry.all_exercises():
        for part in one.done_by:
            assert by_calling(one, part) > 0, "it need not be withheld"


def by_calling(one: Exercise, part: Exercise) -> float:
    """The points of an exercise for the stand-in of another."""
    oracle, runs = Oracle(), {}
    with captured():
        for probe in one.probes:
            settled = {seed: oracle.right(one, probe, seed).settled for seed in PRACTICE[:2]}
            found = run_draws(probe, registry.stand_in(part), PRACTICE[:2], one.forbidden, 0, settled)
            runs.update({(probe, seed): run for seed, run in found})
        return judge(one, runs, oracle, name_mistakes=False).points


USES = {
    "by name": "def f(x): return part(x)",
    "in a helper": "def helper(x): return part(x)\ndef f(x): return helper(x)",
    "in a function within": "def f(x): return (lambda: part(x))()",
    "in a method": "class f:\n    def forward(self, x): return part(x)",
    "in a base": "class Base:\n    def forward(self, x): return part(x)\nclass f(Base):\n    pass",
    "in a property": "class f:\n    @property\n    def a(self): return part(1)",
    "in a static method": "class f:\n    @staticmethod\n    def a(): return part(1)",
    "behind a decorator": "import torch\n@torch.no_grad()\ndef f(x): return part(x)",
    "behind a decorator that hides it": "def hide(g): return lambda x: g(x)\n@hide\ndef f(x): return part(x)",
    "behind a cache": "import functools\n@functools.cache\ndef helper(x): return part(x)\ndef f(x): return helper(x)",
    "in a partial": (
        "import functools\ndef helper(x, y): return part(x)\ng = functools.partial(helper, y=1)\ndef f(x): return g(x)"
    ),
    "in a default": "def helper(x): return part(x)\ndef f(x, g=helper): return g(x)",
    "in a table": "TABLE = {'a': [lambda x: part(x)]}\ndef f(x): return TABLE['a'][0](x)",
    "in an object": "class C:\n    def __call__(self, x): return part(x)\nc = C()\ndef f(x): return c(x)",
    "as a text": "def f(x): return globals()['part'](x)",
}


def notebook(code: str) -> dict[str, Any]:
    """The names of a learner's notebook."""
    module = types.ModuleType("learners_notebook")
    exec(code, module.__dict__)
    return module.__dict__


@pytest.mark.parametrize("way", USES)
def test_a_part_that_code_uses_is_within_its_reach(way: str) -> None:
    values = notebook(f"def part(x): return x\ndef other(x): return x\n{USES[way]}")
    assert within_reach(values["f"], ["other", "part"]) == ["part"]
    assert namespace_of(values["f"]) is values


@pytest.mark.parametrize(
    ("cell", "reached"),
    [("", True), ("part = None", True), ("from math import floor as part", False), ("part = lambda x: x", True)],
)
def test_what_a_notebook_defines_or_lacks_is_within_reach_and_what_it_imports_is_not(cell: str, reached: bool) -> None:
    values = notebook(f"{cell}\n{USES['by name']}")
    assert within_reach(values["f"], ["part"]) == ["part"] * reached


def test_looking_for_names_runs_nothing_and_ends() -> None:
    code = """
class Hostile(type):
    def __getattr__(self, name): raise SystemExit
    def __instancecheck__(self, other): raise SystemExit
class C(metaclass=Hostile):
    def __getattr__(self, name): raise SystemExit
    def __eq__(self, other): raise SystemExit
    def __hash__(self): raise SystemExit
    __wrapped__ = property(lambda self: self)
c = C()
loop = [c]
loop.append(loop)
DATA = ["part"] * 10_000
def f(x): return loop, DATA, f
f.__wrapped__ = f
"""
    assert within_reach(notebook(code)["f"], ["part"]) == []


# In a notebook ----------------------------------------------------------------------------

RIGHT = "return (x - x.mean(-1, keepdim=True)) / (x.var(-1, correction=0, keepdim=True) + eps).sqrt()"
RANDOM = f"{RIGHT} + 0.1 * torch.rand_like(x)"
UNBIASED = RIGHT.replace("correction=0", "correction=1")
THROUGH_LAYER_NORM = "return LayerNorm(x.size(-1), eps)(x)"
"""What `normalize` may do."""

USED, ALONE = "normalize(x, self.eps)", "nn.functional.normalize(x)"
"""How `LayerNorm` may get at normalized tokens."""

NORMS = """
import torch
from torch import nn

def normalize(x, eps=1e-5):
    {normalize}

class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return self.weight * {layer_norm} + self.bias

class RMSNorm(nn.Module):
    def __init__(self, d_model, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(d_model)), eps

    def forward(self, x):
        # The mean of x and -x is 0, and its variance the mean square of x.
        both = LayerNorm(2 * x.size(-1), self.eps)(torch.cat([x, -x], dim=-1))
        return self.weight * both[..., : x.size(-1)]
"""


def report(name: str, normalize: str, layer_norm: str = USED) -> Report:
    """What a check of one of these says."""
    return examine(exercise(name), notebook(NORMS.format(normalize=normalize, layer_norm=layer_norm))[name])


def test_of_code_that_leans_on_a_random_part_only_that_is_said() -> None:
    alone, built_on = report("normalize", RANDOM), report("LayerNorm", RANDOM)
    assert alone.notes == [IS_RANDOM]
    assert built_on.passed
    assert len(built_on.notes) == 1
    assert "`LayerNorm` is right; `normalize`, which it uses, is not" in built_on.notes[0]


def test_what_is_right_and_built_on_a_wrong_part_is_not_blamed() -> None:
    found = report("RMSNorm", UNBIASED)
    assert found.passed
    assert "`RMSNorm` is right; `normalize`, which it uses, is not" in str(found)


def test_two_parts_that_are_wrong_are_both_named() -> None:
    code = NORMS.format(normalize="raise NotImplementedError", layer_norm=ALONE).replace(
        "return self.weight * both[..., : x.size(-1)]",
        "return self.weight * both[..., : x.size(-1)] + 0 * normalize(x)",
    )
    found = examine(exercise("RMSNorm"), notebook(code)["RMSNorm"])
    assert "`RMSNorm` is right; `LayerNorm` and `normalize`, which it uses, are not" in str(found)


def test_two_definitions_that_are_each_others_earn_what_is_right_in_itself() -> None:
    assert report("normalize", THROUGH_LAYER_NORM).points == 0
    assert report("LayerNorm", THROUGH_LAYER_NORM).points == exercise("LayerNorm").points


def test_a_part_that_is_never_mentioned_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def noted(values: dict[str, Any], parts: dict[str, Any]) -> AbstractContextManager[None]:
        tried.extend(parts)
        return lent(values, parts)

    monkeypatch.setattr(examining, "lent", noted)
    assert report("LayerNorm", UNBIASED, ALONE).status == "wrong"
    assert tried == []
    report("LayerNorm", UNBIASED)
    assert set(tried) == {"normalize"}


def test_names_are_what_they_were_after_a_check() -> None:
    values = notebook(NORMS.format(normalize=UNBIASED, layer_norm=USED))
    before = dict(values)
    examine(exercise("LayerNorm"), values["LayerNorm"])
    assert values == before
