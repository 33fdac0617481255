"""Symptoms: what can be seen in numbers that no known mistake explains.

Each is a function from (expected, got) to a sentence, or None where it does not apply; the first that applies is told.
They are written once for all exercises.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.probing.outcome import Foreign, Raised, leaves, mismatch, same
from autograder.reporting.words import where

Symptom = Callable[[Any, Any], str | None]
TensorSymptom = Callable[[Tensor, Tensor], str | None]


def nothing_returned(expected: Any, got: Any) -> str | None:
    """None came back."""
    if got is None and expected is not None:
        return "None came back. Is there a `return`, in every branch?"
    return None


def swapped_results(expected: Any, got: Any) -> str | None:
    """Two results in the other order."""
    if not (isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got) == 2):
        return None
    turned = same(expected[0], got[1]) and same(expected[1], got[0])
    return "The two results are right, in the wrong order." if turned else None


def one_of_several(expected: Any, got: Any) -> str | None:
    """One result where several were wanted."""
    if isinstance(expected, list) and not isinstance(got, list | Foreign | Raised) and got is not None:
        which = next((str(i + 1) for i, one in enumerate(expected) if same(one, got)), None)
        known = f" What came back equals number {which} of them." if which else ""
        return f"{len(expected)} results are expected, one came back.{known}"
    return None


def several_for_one(expected: Any, got: Any) -> str | None:
    """Several results where one was wanted."""
    if isinstance(expected, Tensor) and isinstance(got, list):
        which = next((str(i + 1) for i, one in enumerate(got) if same(expected, one)), None)
        known = f" Number {which} of them is right: return it alone." if which else ""
        return f"One tensor is expected, a list or tuple of {len(got)} came back.{known}"
    return None


def an_array(expected: Any, got: Any) -> str | None:
    """A numpy array where a tensor was wanted."""
    if isinstance(expected, Tensor) and isinstance(got, Foreign) and got.type_name.startswith("numpy."):
        return "What came back is numpy's. Compute with torch throughout: numpy has no gradients."
    return None


def no_gradient(expected: Any, got: Any) -> str | None:
    """A gradient is missing altogether. Gradients come by name; what comes by number is something else."""
    found = dict(leaves(got))
    named = [(path, one) for path, one in leaves(expected) if path and not path[-1].isdigit()]
    cut = dict.fromkeys(path[-1] for path, one in named if isinstance(one, Tensor) and found.get(path, one) is None)
    if cut:
        names = [f"`{name}`" for name in cut]
        if len(names) > 5:  # of a stack it may be dozens
            names[4:] = [f"{len(names) - 4} more"]
        return (
            f"No gradient reaches {', '.join(names)}: it has no part in the result; or something on the way "
            "cuts the graph (`detach`, `.data`, `.item()`, numpy, `no_grad`, a tensor made anew), or is flat there "
            "(a softmax that gives one key everything, a dropout that drops everything)."
        )
    return None


def not_a_number(expected: Tensor, got: Tensor) -> str | None:
    """NaN or infinity where a number was expected."""
    if not got.is_floating_point():
        return None
    bad = ~torch.isfinite(got) & torch.isfinite(expected)
    if not bad.any():
        return None
    what = "NaN" if torch.isnan(got[bad]).any() else "Infinity"
    if not got.dim():
        return f"{what} came back."
    where = place(tuple(int(i) for i in bad.nonzero()[0]))
    return f"{what} appears in {int(bad.sum())} of {bad.numel()} places, first at {where}."


def constant_factor(expected: Tensor, got: Tensor) -> str | None:
    """The output is a constant times the expected one."""
    factor = _factor(expected, got)
    if factor is None:
        return None
    if abs(factor + 1) < 1e-4:
        return "All your numbers are -1 times the expected ones: right but for the sign."
    if abs(factor) < 1e-6:
        return "All your numbers are zero."
    if abs(factor - 1) < 1e-3:  # too little to mean anything, and it would read "1 times"
        return None
    return f"All your numbers are {factor:.4g} times the expected ones."


def constant_shift(expected: Tensor, got: Tensor) -> str | None:
    """The output is the expected one plus a constant."""
    if got.numel() < 3 or _factor(expected, got) is not None:
        return None
    shift = float((got - expected).mean())
    if 1e-3 < abs(shift) < torch.inf and not mismatch(expected + shift, got).any():
        return f"All your numbers are the expected ones {'plus' if shift > 0 else 'minus'} {abs(shift):.4g}."
    return None


def transposed(expected: Tensor, got: Tensor) -> str | None:
    """The last two dimensions are exchanged."""
    if expected.dim() < 2 or expected.shape[-1] == 1:
        return None
    turned = got.transpose(-1, -2)
    if turned.shape == expected.shape and not mismatch(expected, turned).any():
        return "Your result is the expected one transposed: its last two dimensions are exchanged."
    return None


def rows_do_not_sum_to_one(expected: Tensor, got: Tensor) -> str | None:
    """The expected rows are distributions, the learner's are not."""
    sums, wanted = got.sum(-1), expected.sum(-1)
    ones = torch.isclose(wanted, torch.ones_like(wanted))
    if expected.dim() < 2 or (expected < 0).any() or not ones.any() or not (ones | (wanted == 0)).all():
        return None
    off = ones & mismatch(wanted, sums) & torch.isfinite(sums)
    if not off.any():
        return None
    low, high = round(float(sums[off].min()), 6), round(float(sums[off].max()), 6)
    between = f"to {low:.4g}" if abs(high - low) < 1e-4 else f"to between {low:.4g} and {high:.4g}"
    columns = mismatch(torch.ones_like(got.sum(-2)), got.sum(-2))
    over = " The columns do: it was normalized over the wrong dimension." if not columns.any() else ""
    return f"Rows that should sum to 1 sum {between}.{over}"


def other_places(expected: Tensor, got: Tensor) -> str | None:
    """The expected numbers, and not where they belong."""
    if not _tells_places(expected) or not _same_numbers(expected.flatten(), got.flatten()):
        return None
    if expected.shape != got.shape:
        same_order = not mismatch(expected.flatten(), got.flatten()).any()
        return f"All your numbers are the expected ones{', in the expected order' * same_order}; the shape is another."
    for dim in range(expected.dim()):
        order = _order_along(expected.movedim(dim, 0), got.movedim(dim, 0))
        if order:
            turned = "the reverse" if order == sorted(order, reverse=True) else "another"
            slices = "All" if expected.dim() == 1 else f"Along dimension {dim} all"
            return f"{slices} that is expected is there, in {turned} order."
    if expected.dim() > 1 and _same_numbers(expected, got):
        return "Every row has the numbers that are expected in it, in another order."
    return "All your numbers are the expected ones, in other places."


def _tells_places(expected: Tensor) -> bool:
    """Where most numbers occur once, it is no chance that all of them are there."""
    return bool(torch.isfinite(expected).all()) and len(expected.unique()) >= max(MANY, expected.numel() / 2)


def _same_numbers(expected: Tensor, got: Tensor) -> bool:
    """Whether the same numbers stand in each row."""
    if expected.shape != got.shape:
        return False
    return not mismatch(expected.sort(-1).values, got.sort(-1).values).any()


def _order_along(expected: Tensor, got: Tensor) -> list[int]:
    """Which slice of the expected ones stands at each place, empty where one is not among them."""
    places = [[at for at, one in enumerate(expected) if not mismatch(one, other).any()] for other in got]
    order = [found[0] for found in places if found]
    return order if sorted(order) == list(range(len(expected))) else []


def not_zero(expected: Tensor, got: Tensor) -> str | None:
    """Exact zeros were expected (what is masked) and something else stands there."""
    leak = (expected == 0) & mismatch(expected, got) & torch.isfinite(got)
    if not leak.any() or (expected == 0).all():
        return None
    index = tuple(int(i) for i in leak.nonzero()[0])
    future = " All of them lie to the right of the diagonal: the future leaks in." if _beyond(expected, leak) else ""
    return (
        f"{_places(leak, 'should be exactly 0 and is not', 'should be exactly 0 and are not')}, first {place(index)} "
        f"with {float(got[index]):.4g}.{future}"
    )


def zeroed(expected: Tensor, got: Tensor) -> str | None:
    """All that is wrong is 0, and the rest is right: something was set to zero that should stay."""
    wrong = mismatch(expected, got)
    some = 0 < int(wrong.sum()) < int((expected != 0).sum())
    if not some or (got[wrong] != 0).any():
        return None
    index = tuple(int(i) for i in wrong.nonzero()[0])
    return (
        f"{_places(wrong, 'is 0', 'are 0')} and should not be, first {place(index)}, where "
        f"{float(expected[index]):.4g} is expected; the others are right."
    )


def _places(where_true: Tensor, one: str, many: str) -> str:
    count = int(where_true.sum())
    return f"1 place {one}" if count == 1 else f"{count} places {many}"


def _beyond(expected: Tensor, leak: Tensor) -> bool:
    """Whether all that lies beyond the diagonal should be zero, and only there something is not."""
    if expected.dim() < 2 or min(expected.shape[-2:]) < 3:
        return False  # a single place is no triangle
    upper = torch.ones(expected.shape[-2:], dtype=torch.bool).triu(1)
    return not bool(expected[..., upper].any()) and not bool(leak[..., ~upper].any())


def only_unmasked_rows(expected: Tensor, got: Tensor) -> str | None:
    """Right exactly where nothing is masked."""
    wrong = mismatch(expected, got).any(-1)
    masked = (expected == 0).any(-1)
    if expected.dim() > 1 and masked.any() and (~masked).any() and bool((wrong == masked).all()):
        return "Wrong are just the rows in which something should be exactly 0, as what is masked is."
    return None


FEW = 5
"""Numbers in a row of which it says nothing that one of them is right."""

MANY = 4
"""Different numbers that are not all there by chance."""


def part_right(expected: Tensor, got: Tensor) -> str | None:
    """Only one slice of some dimension is right, or only one is wrong."""
    wrong = mismatch(expected, got)
    if wrong.dim() == 1 and len(wrong) < FEW:
        return None
    for dim in range(wrong.dim()):
        others = [d for d in range(wrong.dim()) if d != dim]
        per_index = wrong.any(dim=others) if others else wrong
        size = per_index.numel()
        right = [i for i in range(size) if not per_index[i]]
        if size > 1 and 0 < len(right) < size and _mostly(wrong.movedim(dim, 0)[per_index]):
            wrong_ones = [i for i in range(size) if per_index[i]]
            fewer, word = (right, "right") if len(right) <= len(wrong_ones) else (wrong_ones, "wrong")
            return f"Along dimension {dim} only {_indices(fewer)} {word}, of {size}."
    return None


def _mostly(wrong: Tensor) -> bool:
    """A few wrong numbers say nothing about the slices they happen to lie in."""
    return 4 * int(wrong.sum()) >= 3 * wrong.numel()


def _indices(right: list[int]) -> str:
    if len(right) == 1:
        return f"index {right[0]} is"
    return f"{'indices ' + ', '.join(map(str, right)) if len(right) <= 4 else str(len(right)) + ' indices'} are"


ANY: tuple[Symptom, ...] = (
    nothing_returned, swapped_results, one_of_several, several_for_one, an_array, no_gradient,
)  # fmt: skip
TENSOR: tuple[TensorSymptom, ...] = (
    not_a_number, transposed, other_places, constant_factor, constant_shift, rows_do_not_sum_to_one,
    only_unmasked_rows, not_zero, zeroed, part_right,
)  # fmt: skip


PATTERNS = (transposed, other_places, constant_factor, constant_shift, only_unmasked_rows, part_right)
"""What may be a coincidence on one draw: told when it reads the same on all that differ."""


def symptoms(expected: Any, got: Any, elsewhere: Sequence[tuple[Any, Any]] = (), *, parts: bool = True) -> list[str]:
    """What can be seen when one outcome is held against the other, most telling first.

    Args:
        expected, got: frozen outcomes that differ.
        elsewhere: such outcomes on other draws.
        parts: tell that a slice is right, too. Where something else is wrong everywhere, that is mostly chance.

    Returns:
        Up to three sentences.
    """
    whole = [one(expected, got) for one in ANY]
    known = [one for one in TENSOR if parts or one is not part_right]
    return [one for one in [*whole, *_first_tensor_symptoms([(expected, got), *elsewhere], known)] if one][:3]


def _first_tensor_symptoms(draws: Sequence[tuple[Any, Any]], known: Sequence[TensorSymptom]) -> list[str]:
    """What the first tensor shows that shows anything: what is true of one of them need not be true of the next."""
    first, *others = ((dict(leaves(expected)), dict(leaves(got))) for expected, got in draws)
    others_first = [one for one in known if one is not part_right]  # than which all others say more
    for some, path in itertools.product((others_first, known), first[0]):
        seen = _seen(first[0][path], first[1].get(path), some)
        again = [_seen(expected.get(path), got.get(path), PATTERNS) for expected, got in others]
        told = [text for one, text in seen.items() if one not in PATTERNS or all(a.get(one) == text for a in again)]
        if told:
            return [where(path) + told[0], *told[1:]]
    return []


def _seen(expected: Any, got: Any, known: Sequence[TensorSymptom]) -> dict[TensorSymptom, str]:
    """Symptom → sentence, for those that two tensors show."""
    if not (isinstance(expected, Tensor) and isinstance(got, Tensor) and expected.numel()) or got.is_complex():
        return {}
    if not (expected.is_floating_point() and got.is_floating_point()):  # ids: how far apart they are says nothing
        known = [other_places]
    expected, got = expected.double(), got.double()
    if expected.shape != got.shape:
        known = [transposed, other_places] if expected.dim() == got.dim() else [other_places]
    elif not mismatch(expected, got).any():
        known = []
    seen = {one: text for one in known if (text := one(expected, got))}
    whole = next((one for one in (transposed, other_places) if one in seen), None)
    return {whole: seen[whole]} if whole else seen  # what says where all of it is says enough


def _factor(expected: Tensor, got: Tensor) -> float | None:
    if expected.numel() < 3 or not torch.isfinite(got).all():
        return None
    norm = float((expected * expected).sum())
    factor = float((expected * got).sum()) / norm if norm else 0.0
    return None if mismatch(expected * factor, got).any() else factor


def place(index: tuple[int, ...]) -> str:
    """An index in words: `[0, 2, 1]`."""
    return f"[{', '.join(map(str, index))}]"
