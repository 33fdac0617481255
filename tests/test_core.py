"""The parts of a check: draws, outcomes, edits, the watch, symptoms."""

from __future__ import annotations

import cProfile
import math
import sys
from typing import Any

import numpy as np
import pytest
import sacrebleu
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from tokenizers.models import BPE
from torch import Tensor, nn

from autograder.judging import bounded
from autograder.judging.agreement import _compatible
from autograder.judging.edits import BadEdit, EditsOverlap, check_fits, definition, mistaken, order_matters
from autograder.judging.oracle import reference
from autograder.learner.examine import examine
from autograder.probing.draws import Draw, NotAModule, signature
from autograder.probing.exercise import Exercise
from autograder.probing.mistake import Mistake
from autograder.probing.outcome import Foreign, Raised, difference, freeze, same
from autograder.probing.run import _raised
from autograder.probing.watch import outside_the_watch, watch
from autograder.registry import exercise
from autograder.reporting.symptoms import symptoms
from autograder.reporting.words import _parameters

# Draws --------------------------------------------------------------------------------------------


def test_draws_depend_on_seed_probe_and_name_only() -> None:
    one, other = Draw(1, "p"), Draw(1, "p")
    other.tensor("first", 3)
    torch.manual_seed(99)
    assert torch.equal(one.tensor("x", 2, 3), other.tensor("x", 2, 3))
    assert not torch.equal(Draw(2, "p").tensor("x", 2, 3), Draw(1, "p").tensor("x", 2, 3))
    assert not torch.equal(Draw(1, "q").tensor("x", 2, 3), Draw(1, "p").tensor("x", 2, 3))
    assert not torch.equal(one.tensor("y", 2, 3), one.tensor("x", 2, 3))


def test_weights_are_drawn_by_name_and_shared_ones_once() -> None:
    class Tied(nn.Module):
        def __init__(self, turned: bool) -> None:
            super().__init__()
            parts = {"a": nn.Linear(3, 3), "b": nn.Linear(3, 3)}
            for name in sorted(parts, reverse=turned):
                self.add_module(name, parts[name])
            self.b.weight = self.a.weight

    one, other = Draw(1, "p").module(Tied, False), Draw(1, "p").module(Tied, True)
    assert torch.equal(one.a.bias, other.a.bias)
    assert one.a.weight is one.b.weight
    assert signature(one)["b.weight"][2] == "a.weight"
    assert torch.equal(one.a.weight, other.a.weight)
    assert signature(one) == signature(other)
    assert not (one.a.bias == 0).any()


def test_what_is_kept_in_buffers_is_not_compared() -> None:
    class Kept(nn.Module):
        def __init__(self, parameter: bool, **how: bool) -> None:
            super().__init__()
            self.scale = nn.Parameter(torch.ones(2))
            if parameter:
                self.table = nn.Parameter(torch.zeros(3))
            elif how:
                self.register_buffer("table", torch.zeros(3), **how)

    saved = signature(Kept(False, persistent=True))
    for other in (signature(Kept(False, persistent=False)), signature(Kept(False))):
        assert _compatible(saved, other)
        assert _compatible(other, saved)
    trained = signature(Kept(True))
    assert not _compatible(saved, trained)
    assert not _compatible(trained, saved)
    assert _parameters([saved], [trained]) == ["`table` should be a buffer and is a parameter."]


def test_a_changed_input_is_noticed() -> None:
    draw = Draw(1, "p")
    x, y = draw.tensor("x", 3), draw.tensor("y", 3)
    x.add_(1)
    y + 1
    assert draw.changed() == ["x"]


def test_what_is_no_module_is_said_to_be_none() -> None:
    with pytest.raises(NotAModule, match="made a list"):
        Draw(1, "p").module(list)


def test_a_softmax_has_a_gradient_under_the_drawn_cotangent() -> None:
    draw = Draw(1, "p")
    x = draw.tensor("x", 2, 3, requires_grad=True)
    found = draw.gradients(x.softmax(-1), x=x, unused=torch.zeros(1, requires_grad=True))
    assert found["x"] is not None and found["x"].abs().sum() > 0.01
    assert found["unused"] is None
    assert draw.gradients(x.detach(), x=x) == {"x": None}


# Outcomes -----------------------------------------------------------------------------------------


class Liar:
    def __eq__(self, other: object) -> bool:
        return True

    def __repr__(self) -> str:
        raise RuntimeError("no")

    __hash__ = None  # type: ignore[assignment]


class LyingFloat(float):
    def __float__(self) -> float:
        return 0.0

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = float.__hash__


class LyingTensor(Tensor):
    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True


@pytest.mark.parametrize(
    ("expected", "got", "kind"),
    [
        (torch.ones(2), torch.ones(3), "shape"),
        (torch.ones(2), torch.ones(2, dtype=torch.int64), "dtype"),
        (torch.ones(2), torch.tensor([1.0, 1.001]), "value"),
        (torch.ones(2), torch.tensor([1.0, math.nan]), "value"),
        (torch.ones(2), None, "type"),
        (torch.ones(2), Liar(), "type"),
        (torch.ones(2), torch.ones(2).numpy(), "type"),
        ([torch.ones(1), 1], [torch.ones(1)], "length"),
        ({"a": 1}, {"b": 1}, "keys"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "value"),
        ([(b"a", b"b")], [(b"a", b"b"), (b"b", b"c")], "value"),
        ([1, 2], [1, "2"], "type"),
        (True, 1, "type"),
        (1.0, 1.1, "value"),
        ("a", "b", "value"),
        (Raised(("ValueError", "Exception")), Raised(("KeyError", "Exception")), "raised"),
        (Raised(("NotImplementedError",)), Raised(("NotImplementedError",)), "raised"),
        (torch.ones(1), Raised(("ValueError",)), "raised"),
    ],
)
def test_differences(expected: Any, got: Any, kind: str) -> None:
    found = difference(freeze(expected), freeze(got))
    assert found is not None and found.kind == kind


def test_a_list_of_plain_data_is_compared_as_a_whole() -> None:
    """Tokens and ids: the place is the list, whether an item differs or is one too many."""
    for got in ([[1, 2], [3, 5]], [[1, 2], [3, 4, 4]]):
        found = difference({"ids": [[1, 2], [3, 4]]}, {"ids": got})
        assert found is not None and (found.path, found.expected) == (("ids", "1"), [3, 4])


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(2), nn.Parameter(torch.ones(2))),
        (torch.tensor([math.nan, -math.inf]), torch.tensor([math.nan, -math.inf])),
        (torch.tensor([1000.0, 0.0]), torch.tensor([1000.01, 0.0001])),
        ((1, [2.0]), [1, (2,)]),
        (0.5, np.float64(0.5)),
        (math.nan, math.nan),
        (Raised(("ValueError",)), Raised(("BadInput", "ValueError"))),
    ],
)
def test_agreements(expected: Any, got: Any) -> None:
    assert same(freeze(expected), freeze(got))


def test_a_float_that_lies_is_taken_down_as_it_is() -> None:
    frozen = freeze(LyingFloat(2.0))
    assert type(frozen) is float
    assert frozen == 2.0


def test_a_tensor_that_lies_is_taken_down_as_it_is() -> None:
    lying = torch.ones(2).as_subclass(LyingTensor)
    frozen = freeze(lying)
    assert type(frozen) is Tensor
    assert difference(torch.zeros(2), frozen) is not None


def test_what_is_no_outcome_leaves_only_its_type() -> None:
    assert freeze(Liar()) == Foreign("tests.test_core.Liar")
    assert isinstance(freeze(torch.ones(2).to_sparse()), Foreign)


def test_messages_come_without_terminal_colours() -> None:
    assert _raised(ValueError("\x1b[1mloud\x1b[0m")).message == "loud"


# Edits --------------------------------------------------------------------------------------------


def edit(swap: str, by: str, **more: Any) -> Mistake:
    return Mistake("m", of=more.pop("of", "LayerNorm"), says="", swap=swap, by=by, **more)


def test_an_edit_must_fit_exactly_once() -> None:
    with pytest.raises(BadEdit, match="occurs 0 times"):
        check_fits("layer_norm", edit("nowhere", ""))
    with pytest.raises(BadEdit, match="occurs 6 times"):
        check_fits("layer_norm", edit("eps", ""))
    with pytest.raises(BadEdit, match="not defined"):
        check_fits("layer_norm", edit("x", "y", inside="LayerNorm.backward"))


def test_an_edit_reaches_what_is_built_on_it() -> None:
    shifted = edit("return (x - mean)", "return 1 + (x - mean)", inside="normalize")
    layer = mistaken("layer_norm", "LayerNorm", [shifted])(3)
    assert torch.allclose(layer(torch.randn(2, 3)).mean(-1), torch.ones(2), atol=1e-5)


def test_an_edit_in_an_earlier_lesson_reaches_later_ones() -> None:
    blind = edit("return", "return 0 *", of="MultiHeadAttention", inside="attention_scores")
    part = mistaken("multi_head_attention", "MultiHeadAttention", [blind])(4, 2)
    _, weights = part(*[torch.randn(1, 3, 4)] * 3)
    assert torch.allclose(weights, torch.full((1, 2, 3, 3), 1 / 3))
    import solutions.multi_head_attention as real

    assert not torch.allclose(real.MultiHeadAttention(4, 2)(*[torch.randn(1, 3, 4)] * 3)[1], weights)


def test_two_edits_of_the_same_words_do_not_go_together() -> None:
    one, other = edit("self.weight *", "self.bias *"), edit("self.weight *", "self.eps *")
    with pytest.raises(EditsOverlap):
        mistaken("layer_norm", "LayerNorm", [one, other])


def test_edits_that_overlap_are_narrowed_to_the_words_that_they_change() -> None:
    one, other = edit("self.weight * normalize", "normalize"), edit("normalize(x", "normalize(2 * x")
    both = mistaken("layer_norm", "LayerNorm", [one, other])(3)
    both.weight.data.fill_(5.0)
    x = torch.randn(2, 3)
    assert torch.allclose(both(x), F.layer_norm(2 * x, (3,)))


def test_one_edit_is_made_in_what_another_has_written() -> None:
    """The first in the second; where that is another program, the judge tries the second in the first, too."""
    one = edit("normalize(x, self.eps)", "2 * (normalize(x, self.eps))")
    other = edit("normalize(x, self.eps)", "(normalize(x, self.eps)).relu().neg()")
    outer = edit("self.weight * normalize(x, self.eps)", "(self.weight * normalize(x, self.eps)).tanh()")
    x = torch.randn(2, 3)
    plain = F.layer_norm(x, (3,), eps=1e-5)
    for pair, expected in {
        (one, other): (2 * plain).relu().neg(),
        (other, one): 2 * plain.relu().neg(),
        (one, outer): (2 * plain).tanh(),
        (outer, one): (2 * plain).tanh(),
    }.items():
        assert torch.allclose(mistaken("layer_norm", "LayerNorm", pair)(3)(x), expected, atol=1e-6)
    assert order_matters("layer_norm", one, other)
    assert not order_matters("layer_norm", one, outer)
    assert not order_matters("layer_norm", one, edit("self.weight *", "self.weight +"))


def test_narrowed_edits_that_make_no_program_together_overlap() -> None:
    text = definition("layer_norm", "LayerNorm")
    line = next(line for line in text.splitlines() if "self.weight * normalize" in line)
    one, other = edit(line, line.replace("return ", "return (")), edit(line, line.replace("self.weight", "weight"))
    with pytest.raises(EditsOverlap, match="no program"):
        mistaken("layer_norm", "LayerNorm", [one, other])


def test_several_mistakes_whose_loop_never_ends_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "LONGEST", 0.05)
    longer = edit("(kept if len(kept)", "(list(kept) if len(kept)", of="pack_pair")
    both = mistaken("bert", "pack_pair", [longer, edit("[0] * len(ids)", "[1] * len(ids)", of="pack_pair")])
    assert both([1, 2], [3], 8, 9, 6) == ([8, 1, 2, 9, 3, 9], [1, 1, 1, 1, 1, 1])
    with pytest.raises(TimeoutError):
        both([1, 2, 3], [4], 8, 9, 5)


# The watch ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "call",
    [
        lambda x: F.layer_norm(x, (4,)),
        lambda x: torch.layer_norm(x, (4,)),
        lambda x: nn.LayerNorm(4)(x),
        lambda x: torch.ops.aten.native_layer_norm(x, (4,), None, None, 1e-5)[0],
        lambda x: F.group_norm(x, 1),
    ],
)
def test_forbidden_calls_are_seen_by_any_name(call: Any) -> None:
    found: list[str] = []
    with watch(["layer_norm"], found):
        call(torch.randn(2, 4))
    assert found


def test_allowed_calls_are_not() -> None:
    found: list[str] = []
    with watch(["layer_norm"], found):
        x = torch.randn(2, 4)
        x.var(-1, correction=0).sqrt().softmax(0)
    assert found == []


def test_stand_ins_may_call_what_learners_may_not() -> None:
    found: list[str] = []
    with watch(["softmax"], found):
        outside_the_watch(torch.softmax)(torch.randn(3), 0)
    assert found == []


def one_parameter() -> list[nn.Parameter]:
    parameter = nn.Parameter(torch.randn(3))
    parameter.grad = torch.randn(3)
    return [parameter]


@pytest.mark.parametrize(
    ("forbidden", "call"),
    [
        ("torch.optim.Adam", lambda: torch.optim.AdamW(one_parameter()).step()),
        ("torch.optim.Adam", lambda: torch.optim.Adam(one_parameter(), fused=True).step()),
        ("clip_grad_norm_", lambda: nn.utils.clip_grad_norm_(one_parameter(), 0.1, foreach=False)),
        ("clip_grad_norm_", lambda: nn.utils.clip_grads_with_norm_(one_parameter(), 0.1, torch.tensor(2.0))),
    ],
)
def test_what_torch_writes_in_python_is_seen_too(forbidden: str, call: Any) -> None:
    found: list[str] = []
    with watch([forbidden], found):
        call()
    assert found[0] == forbidden
    assert sys.getprofile() is None


def test_a_package_is_seen_as_a_whole() -> None:
    found: list[str] = []
    with watch(["sacrebleu", "tokenizers"], found):
        sacrebleu.corpus_bleu(["a b c d"], [["a b c d"]])
        assert found == ["sacrebleu"]
        Tokenizer(BPE()).encode("a")
    assert found == ["sacrebleu", "tokenizers"]


def as_in_a_notebook(text: str, **names: Any) -> dict[str, Any]:
    exec(compile(text, "<cell>", "exec"), names)
    return names


BY_ANOTHER = """
def greedy_decode(*given):
    return right(*given)


def greedy_decode_cached(*given):
    return greedy_decode(*given)


class Own:
    article_decode = staticmethod(greedy_decode)
"""


@pytest.mark.parametrize("name", ["article_decode", "greedy_decode_cached"])
def test_an_earlier_exercise_may_not_do_the_work_of_a_later_one(name: str) -> None:
    names = as_in_a_notebook(BY_ANOTHER, right=reference(exercise("greedy_decode")))
    found = examine(exercise(name), names.get(name, names["Own"].article_decode))
    assert found.status == "shortcut"
    assert "Your code calls your `greedy_decode`" in str(found)


def test_a_function_of_torch_and_an_exercise_may_have_the_same_name() -> None:
    names = as_in_a_notebook("def gelu(x):\n    return x", right=None)
    found: list[str] = []
    with watch(["gelu"], found):
        names["gelu"](torch.randn(3))
    assert found == []
    with watch(["own gelu"], found):
        torch.nn.functional.gelu(torch.randn(3))
        names["gelu"](torch.randn(3))
    assert found == ["own gelu"]


def test_a_profiler_in_c_goes_on_and_nobody_is_blamed_for_it() -> None:
    """`%prun check(...)`: sys.setprofile takes functions only, and cProfile's is none."""

    def afterwards() -> None:
        pass

    clip = exercise("clip_gradients_")
    with cProfile.Profile() as profile:
        right = examine(clip, reference(clip))
        short = examine(clip, nn.utils.clip_grad_norm_)
        afterwards()
    assert right.passed, str(right)
    assert short.status == "shortcut"
    assert any(getattr(one.code, "co_name", "") == "afterwards" for one in profile.getstats())
    assert sys.getprofile() is None


def test_a_profiler_that_cannot_be_put_back_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "getprofile", object)
    monkeypatch.setattr(sys, "setprofile", lambda _: pytest.fail("it was replaced"))
    with watch(["clip_grad_norm_"], []):
        nn.utils.clip_grad_norm_(one_parameter(), 0.1)


def test_what_stands_beside_a_forbidden_function_is_not_forbidden() -> None:
    found: list[str] = []
    with watch(["torch.optim.Adam", "clip_grad_norm_"], found):
        torch.optim.SGD(one_parameter(), lr=0.1).step()
        nn.utils.get_total_norm(one_parameter())
    assert found == []


def test_an_optimizer_that_is_a_stand_in_is_not_seen() -> None:
    @outside_the_watch
    class Own(torch.optim.AdamW):
        pass

    found: list[str] = []
    with watch(["torch.optim.Adam"], found):
        Own(one_parameter()).step()
    assert found == []


# Symptoms -----------------------------------------------------------------------------------------

WEIGHTS = torch.tensor([[0.7, 0.3, 0.0], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
CAUSAL = torch.tensor([[1.0, 0.0, 0.0], [0.2, 0.8, 0.0], [0.1, 0.1, 0.8]])
NUMBERS = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
SQUARE = torch.tensor([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        (NUMBERS, 2 * NUMBERS, "2 times the expected"),
        (NUMBERS, -NUMBERS, "but for the sign"),
        (NUMBERS, 0 * NUMBERS, "All your numbers are zero"),
        (NUMBERS, NUMBERS + 5, "plus 5"),
        (NUMBERS, NUMBERS.T, "transposed"),
        (SQUARE, SQUARE.T, "transposed"),
        (WEIGHTS, WEIGHTS / WEIGHTS.sum(0), "Rows that should sum to 1"),
        (CAUSAL, CAUSAL + torch.tensor([[0, 0, 0.1], [0, 0, 0], [0, 0, 0]]), "the future leaks in"),
        (NUMBERS, NUMBERS.where(NUMBERS < 4, math.nan), "NaN appears in 1 of 6 places"),
        (torch.tensor(1.0), torch.tensor(math.nan), "NaN came back"),
        (NUMBERS, torch.cat([NUMBERS[:1], NUMBERS[1:] * 3]), "Along dimension 0 only index 0 is right"),
        ([WEIGHTS, NUMBERS], [NUMBERS, WEIGHTS], "in the wrong order"),
        ([WEIGHTS, NUMBERS], NUMBERS, "equals number 2"),
        ({"x": NUMBERS}, {"x": None}, "No gradient reaches `x`"),
        (dict.fromkeys("abcdefg", NUMBERS), dict.fromkeys("abcdefg"), "reaches `a`, `b`, `c`, `d`, 3 more: "),
        (NUMBERS, None, "Is there a `return`, in every branch?"),
        (NUMBERS, [NUMBERS, WEIGHTS], "Number 1 of them is right"),
        (NUMBERS, NUMBERS.numpy(), "What came back is numpy's"),
        (NUMBERS, NUMBERS - 5, "minus 5"),
        (NUMBERS, NUMBERS.flip(0), "Along dimension 0 all that is expected is there, in the reverse order."),
        (NUMBERS, NUMBERS[:, [1, 0, 2]], "Along dimension 1 all that is expected is there, in another order."),
        (NUMBERS, torch.tensor([[3.0, 1, -2], [0.5, 4, -1]]), "Every row has the numbers that are expected in it"),
        (NUMBERS, torch.tensor([[1.0, 4, 3], [0.5, -2, -1]]), "the expected ones, in other places"),
        (NUMBERS, NUMBERS.flatten(), "in the expected order; the shape is another"),
        (NUMBERS, NUMBERS.T.flatten(), "All your numbers are the expected ones; the shape is another"),
        (torch.arange(6), torch.arange(5, -1, -1), "All that is expected is there, in the reverse order."),
        ({"a": NUMBERS, "b": WEIGHTS}, {"a": NUMBERS, "b": 2 * WEIGHTS}, "In `b`: All your numbers are 2 times"),
    ],
)
def test_symptoms(expected: Any, got: Any, words: str) -> None:
    assert any(words in one for one in symptoms(freeze(expected), freeze(got)))


@pytest.mark.parametrize(
    ("expected", "got", "words"),
    [
        # A zero of some other mask, to the right of the diagonal or not, has nothing to do with the future.
        (WEIGHTS, WEIGHTS + torch.tensor([[0, 0, 0.1], [0, 0, 0], [0, 0, 0]]), "future"),
        (CAUSAL, CAUSAL + torch.tensor([[0, 0, math.nan], [0, 0, 0], [0, 0, 0]]), "future"),
        # What is true of one tensor is not said of both.
        ({"a": NUMBERS, "b": NUMBERS}, {"a": NUMBERS * math.nan, "b": 0 * NUMBERS}, "zero"),
        # A factor that reads as 1 says nothing.
        (NUMBERS, NUMBERS * 1.0003, "times the expected"),
        # One wrong number of three says nothing about the row it lies in.
        (NUMBERS, NUMBERS + torch.tensor([[0, 0, 0], [0, 0, 1]]), "Along dimension 0"),
        # One wrong number in a row: that there is none in the first column is chance.
        (torch.zeros(3, 3), torch.tensor([[0.0, 1, 0], [0, 0, 2], [0, 3, 0]]), "Along dimension 1"),
        (torch.tensor([[0.0, 0], [0.5, 0.5]]), torch.tensor([[1.0, 1], [0.5, 0.5]]), "should sum to 1"),
        # Of yes and no, and of few numbers, each order is there by chance.
        (torch.tensor([[True, False], [True, True]]), torch.tensor([[True, True], [True, False]]), "there"),
        (torch.tensor([0, 0, 1, 1, 2, 2, 3, 3, 3]), torch.tensor([3, 3, 3, 2, 2, 1, 1, 0, 0]), "order"),
        (NUMBERS, NUMBERS.repeat(2, 1), "expected ones"),
    ],
)
def test_symptoms_that_are_not_told(expected: Any, got: Any, words: str) -> None:
    assert not any(words in one for one in symptoms(freeze(expected), freeze(got)))


# Exercises ----------------------------------------------------------------------------------------


def test_a_slice_that_is_right_is_not_told_of_a_check_further_down() -> None:
    one_row_right = torch.cat([NUMBERS[:1], NUMBERS[1:] * 3])
    assert symptoms(NUMBERS, one_row_right)
    assert not symptoms(NUMBERS, one_row_right, parts=False)


def test_a_probe_must_have_a_rung_and_a_name_of_its_own() -> None:
    one = Exercise("One", points=1)
    with pytest.raises(ValueError, match="rung='nonsense'"):
        one.probe("says", rung="nonsense")
    one.probe("says")(test_symptoms)
    with pytest.raises(ValueError, match="already has a probe"):
        one.probe("says")(test_symptoms)
