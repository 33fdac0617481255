"""What an exercise forbids is closed while its probes run: to hide a call of it from the watch gains nothing."""

from __future__ import annotations

import re

import pytest
import torch

from autograder import registry
from autograder.sandbox.inside import closing
from tests.forks import said
from tests.sandbox.rooms import FULL, Room, needs_walls, points, result, right
from tests.small_lesson import cell

pytestmark = pytest.mark.turns(3, "autograder/sandbox", "autograder/classroom/grading", at=1)

SETUP = "import torch\nimport torch.nn.functional as F\nfrom jaxtyping import Float\nfrom torch import Tensor, nn\n"
LAYER = """
class LayerNorm(nn.Module):
    def __init__(self, d_model, eps=1e-5):
        super().__init__()
        self.weight, self.bias, self.eps = nn.Parameter(torch.ones(d_model)), nn.Parameter(torch.zeros(d_model)), eps

    def forward(self, x):
        return hidden(x, self.weight, self.bias, self.eps)
"""
CALL = "F.layer_norm(x, x.shape[-1:], weight, bias, eps)"

HIDDEN: dict[str, str] = {
    "in a thread": f"""
from concurrent.futures import ThreadPoolExecutor
def hidden(x, weight, bias, eps):
    with ThreadPoolExecutor(1) as other:
        return other.submit(lambda: {CALL}).result()
""",
    "under `unwatched`": f"""
from autograder.probing.watch import unwatched
def hidden(x, weight, bias, eps):
    with unwatched():
        return {CALL}
""",
    "with modes disabled": f"""
from torch.utils._python_dispatch import _disable_current_modes
def hidden(x, weight, bias, eps):
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        return {CALL}
""",
    "with the watch replaced": f"""
import contextlib, autograder.probing.run
autograder.probing.run.watch = lambda *_, **__: contextlib.nullcontext()
def hidden(x, weight, bias, eps):
    return {CALL}
""",
    "only where no mode is set": f"""
def hidden(x, weight, bias, eps):
    if torch._C._len_torch_function_stack() == 0:
        return {CALL}
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / torch.sqrt(x.var(-1, keepdim=True, correction=0) + eps) * weight + bias
""",
    "in a script that a thread runs": """
import threading
from typing import List
@torch.jit.script
def scripted(x: Tensor, weight: Tensor, bias: Tensor, eps: float, shape: List[int]) -> Tensor:
    return torch.layer_norm(x, shape, weight, bias, eps)
def hidden(x, weight, bias, eps):
    found = []
    one = threading.Thread(target=lambda: found.append(scripted(x, weight, bias, eps, [x.shape[-1]])))
    one.start()
    one.join()
    return found[0]
""",
    "by another name, in a thread": """
from concurrent.futures import ThreadPoolExecutor
def hidden(x, weight, bias, eps):
    rows = x.reshape(-1, x.shape[-1])
    with ThreadPoolExecutor(1) as other:
        made = other.submit(lambda: torch.ops.aten.native_group_norm(
            rows[:, :, None], None, None, rows.shape[0], rows.shape[1], 1, 1, eps)[0]).result()
    return made.reshape(x.shape) * weight + bias
""",
}


@pytest.fixture(scope="module")
def without_walls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What comes of each in a program of a learner's."""
    folder, codes = tmp_path_factory.mktemp("attacks"), {}
    for number, (name, code) in enumerate(HIDDEN.items()):
        program = folder / f"attack_{number}.py"
        program.write_text(f"{SETUP}{code}{LAYER}\nfrom autograder import check\nprint(repr(check(LayerNorm)))")
        codes[name] = f"import runpy\nrunpy.run_path({str(program)!r}, run_name='__main__')"
    return said(codes, "import autograder", {"MY_TRANSFORMER_HOME": str(folder)})


@needs_walls
@pytest.mark.parametrize("name", HIDDEN)
def test_a_call_that_the_watch_does_not_see_gains_nothing(name: str, room: Room, without_walls: dict[str, str]) -> None:
    told = without_walls[name].strip()
    assert told.endswith("4.0"), f"the attack does not even work in a plain process: {told}"
    own = right()
    cell(own, "LayerNorm").source = f"import torch.nn.functional as F\n{HIDDEN[name]}{LAYER}"
    grade = room.grade(own)
    found = result(grade, "LayerNorm")
    assert (found.points, found.status) == (0.0, "wrong")
    assert "layer_norm" in found.flags[0]


@needs_walls
def test_what_is_closed_for_one_exercise_is_open_for_cells_and_for_others(room: Room) -> None:
    own = right()
    cell(own, "LayerNorm").source += "\nassert torch.layer_norm(torch.ones(2, 3), (3,)).shape == (2, 3)"
    cell(own, "RMSNorm").source = (
        "import torch.nn.functional as F\nF.layer_norm(torch.ones(2, 3), (3,))\n" + cell(own, "RMSNorm").source
    )
    assert points(room.grade(own)) == FULL


BATCH = "torch.ops.aten._batch_norm_{}(x, *[torch.ones(3)] * 4, 0.0, 1e-5)"
CALLS = {
    "softmax": (
        "torch.softmax(x, -1)",
        "torch._masked_softmax(x, torch.zeros(2, 3, dtype=torch.bool), -1)",
        "torch.sparse.softmax(x.to_sparse(), 1)",
    ),
    "layer_norm": ("F.layer_norm(x, (3,))", BATCH.format("with_update"), BATCH.format("no_update")),
    "rms_norm": ("F.rms_norm(x, (3,))",),
    "scaled_dot_product_attention": ("F.scaled_dot_product_attention(x, x, x)",),
    "gelu": ("F.gelu(x)", "torch.ops.aten.gelu_(x + 0)"),
    "cross_entropy": ("F.cross_entropy(x, torch.zeros(2, dtype=torch.long), label_smoothing=0.1)",),
}
"""Calls that come down to what a forbidden name stands for, each by a way of its own."""

CLOSED = [one for one in registry.all_exercises() if closing.closable(one)]

FIRST = """
import threading
import torch.nn.functional as F
from autograder import registry
from autograder.judging.oracle import reference
from autograder.probing.outcome import same
from autograder.probing.run import run_probe
from autograder.sandbox.inside import closing
from tests.variants import of_exercise
registry.all_exercises()
"""
EACH = """
exercise, codes, seen = registry.exercise({name!r}), {codes!r}, []
parts = [reference(exercise), *(one.make() for one in of_exercise(exercise, "correct"))]
def runs():
    return [[run_probe(probe, part, 3).returned for probe in exercise.probes] for part in parts]
def call(code, given, told):
    try: eval(code, {{"F": F, "torch": torch, "x": given}}); told.append("open")
    except RuntimeError as error: told.append("closed here" in str(error))
def in_a_thread(code, grad):
    told = []
    one = threading.Thread(target=call, args=(code, torch.ones(2, 3, requires_grad=grad), told))
    one.start()
    one.join()
    return told
before = runs()
assert [in_a_thread(code, True) for code in codes] == [["open"]] * len(codes)
closing.close(exercise, [], seen.append)
for part, other in zip(before, runs()):
    assert all(same(one, again) for one, again in zip(part, other))
assert seen == []
assert [in_a_thread(code, grad) for code in codes for grad in (True, False)] == [[True]] * 2 * len(codes)
assert sorted(set(seen)) == sorted(set(closing.closable(exercise))), seen
print("FINE", len(parts))
"""


@pytest.fixture(scope="module")
def closed() -> dict[str, str]:
    """What comes of closing for each exercise: there is no way back, so each has a process."""
    codes = {one.name: [code for each in closing.closable(one) for code in CALLS[each]] for one in CLOSED}
    return said({name: EACH.format(name=name, codes=some) for name, some in codes.items()}, FIRST)


@pytest.mark.parametrize("name", [one.name for one in CLOSED])
def test_right_code_does_without_what_is_closed(name: str, closed: dict[str, str]) -> None:
    assert closed[name].startswith("FINE"), closed[name]


def test_each_operator_that_can_be_closed_is_closed_for_some_exercise() -> None:
    assert {name for one in CLOSED for name in closing.closable(one)} == set(closing.CLOSABLE)
    assert all(closing.operators(name) for name in closing.CLOSABLE)


ALIKE = {
    "softmax": "soft(max|min)",
    "layer_norm": "(layer|batch|group|instance)_norm",
    "rms_norm": "rms_norm",
    "gelu": "gelu",
    "scaled_dot_product_attention": "scaled_dot|multi_head",
    "cross_entropy": "cross_entropy",
}
"""How operators are called that do what a forbidden name stands for, or most of it."""

OTHERS = "backward|gather|stats|_triton|miopen|quantized|binary_cross|batch_norm_elemt|overrideable"
"""Of these: what has another purpose, or does a part that is left to write."""


@pytest.mark.parametrize("name", ALIKE)
def test_a_new_name_in_torch_for_what_is_closed_is_noticed(name: str) -> None:
    """torch calls the same work by more names in each version."""
    known = {one.partition(".")[0] for each in closing.CLOSABLE for one in closing.operators(each)}
    given = (one.removeprefix("aten::") for one in torch._C._dispatch_get_all_op_names() if one.startswith("aten::"))
    alike = {one for one in given if re.search(ALIKE[name], one) and not re.search(OTHERS, one)}
    keys = ("CPU", "SparseCPU", "CompositeExplicitAutograd")
    runs = torch._C._dispatch_has_kernel_for_dispatch_key
    here = {one.partition(".")[0] for one in alike if any(runs(f"aten::{one}", key) for key in keys)}
    assert here <= known, f"add to ALIASES of probing/watch.py: {sorted(here - known)}"


def test_what_a_stand_in_uses_stays_open() -> None:
    layer_norm = registry.exercise("RMSNorm")
    assert closing.closable(layer_norm, ["F.layer_norm(x)"]) == ["rms_norm"]
    assert "native_layer_norm" in closing.to_close(layer_norm)
    assert "native_layer_norm" not in closing.to_close(layer_norm, ["F.layer_norm(x)"])  # rms_norm forbids it too
    assert "rms_norm" in closing.to_close(layer_norm, ["F.layer_norm(x)"])
    assert closing.closable(layer_norm, ["class One(nn.RMSNorm): ..."]) == ["layer_norm"]
