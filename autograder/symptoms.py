"""Symptoms: what can be seen in numbers that no known mistake explains.

Each is a function from (expected, got) to a sentence, or None where it does not apply; the first that applies is told.
They are written once for all exercises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.outcome import Foreign, Raised, leaves, mismatch, same

Symptom = Callable[[Any, Any], str | None]
TensorSymptom = Callable[[Tensor, Tensor], str | None]


def nothing_returned(expected: Any, got: Any) -> str | None:
    """None came back."""
    if got is None and expected is not None:
        return "None came back. Is there a `return`?"
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


def no_gradient(expected: Any, got: Any) -> str | None:
    """A gradient is missing altogether."""
    pairs = zip(leaves(expected), leaves(got), strict=False)
    cut = [path[-1] for (path, a), (_, b) in pairs if isinstance(a, Tensor) and b is None and path]
    if cut:
        return (
            f"No gradient reaches {', '.join(f'`{name}`' for name in cut)}: it is not used, or something on the way "
            "cuts the graph (`detach`, `.data`, `.item()`, numpy, `no_grad`, a tensor made anew)."
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
    where = place(tuple(int(i) for i in bad.nonzero()[0]))
    return f"{what} appears in {int(bad.sum())} of {bad.numel()} places, first at {where}."


def constant_factor(expected: Tensor, got: Tensor) -> str | None:
    """The output is a constant times the expected one."""
    factor = _factor(expected, got)
    if factor is None:
        return None
    if abs(factor + 1) < 1e-4:
        return "Everything is right but for the sign: your numbers are -1 times the expected ones."
    if abs(factor) < 1e-6:
        return "All your numbers are zero."
    return f"All your numbers are {factor:.4g} times the expected ones."


def constant_shift(expected: Tensor, got: Tensor) -> str | None:
    """The output is the expected one plus a constant."""
    if got.numel() < 3:
        return None
    shift = float((got - expected).mean())
    if abs(shift) > 1e-3 and not mismatch(expected + shift, got).any():
        return f"All your numbers are the expected ones plus {shift:.4g}."
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
    off = mismatch(wanted, sums) & torch.isfinite(sums)
    if not off.any():
        return None
    low, high = float(sums[off].min()), float(sums[off].max())
    between = f"to {low:.4g}" if abs(high - low) < 1e-4 else f"to between {low:.4g} and {high:.4g}"
    columns = mismatch(torch.ones_like(got.sum(-2)), got.sum(-2))
    over = " The columns do: it was normalized over the wrong dimension." if not columns.any() else ""
    return f"Rows that should sum to 1 sum {between}.{over}"


def not_zero(expected: Tensor, got: Tensor) -> str | None:
    """Exact zeros were expected (what is masked) and something else stands there."""
    leak = (expected == 0) & mismatch(expected, got)
    if not leak.any() or (expected == 0).all():
        return None
    index = tuple(int(i) for i in leak.nonzero()[0])
    beyond = expected.dim() > 1 and bool((leak.nonzero()[:, -1] > leak.nonzero()[:, -2]).all())
    future = " All of them lie to the right of the diagonal: the future leaks in." if beyond else ""
    return (
        f"{int(leak.sum())} places should be exactly 0 and are not, first {place(index)} with "
        f"{float(got[index]):.4g}.{future}"
    )


def only_unmasked_rows(expected: Tensor, got: Tensor) -> str | None:
    """Right exactly where nothing is masked."""
    wrong = mismatch(expected, got).any(-1)
    masked = (expected == 0).any(-1)
    if expected.dim() > 1 and masked.any() and (~masked).any() and bool((wrong == masked).all()):
        return "Rows in which nothing is masked are right; rows in which something is masked are wrong."
    return None


def part_right(expected: Tensor, got: Tensor) -> str | None:
    """Only one slice of some dimension is right, or only one is wrong."""
    wrong = mismatch(expected, got)
    for dim in range(wrong.dim()):
        others = [d for d in range(wrong.dim()) if d != dim]
        per_index = wrong.any(dim=others) if others else wrong
        size = per_index.numel()
        right = [i for i in range(size) if not per_index[i]]
        if size > 1 and 0 < len(right) < size:
            names = ", ".join(map(str, right)) if len(right) <= 4 else f"{len(right)} of {size}"
            return f"Along dimension {dim} only index {names} is right, of {size}."
    return None


ANY: tuple[Symptom, ...] = (nothing_returned, swapped_results, one_of_several, no_gradient)
TENSOR: tuple[TensorSymptom, ...] = (
    not_a_number, transposed, constant_factor, constant_shift, rows_do_not_sum_to_one, only_unmasked_rows, not_zero,
    part_right,
)  # fmt: skip


def symptoms(expected: Any, got: Any) -> list[str]:
    """What can be seen when one outcome is held against the other, most telling first.

    Args:
        expected, got: frozen outcomes that differ.

    Returns:
        Up to three sentences.
    """
    found = [one(expected, got) for one in ANY]
    for (_, a), (_, b) in zip(leaves(expected), leaves(got), strict=False):
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            found += _tensor_symptoms(a, b)
    return list(dict.fromkeys(one for one in found if one))[:3]


def _tensor_symptoms(expected: Tensor, got: Tensor) -> Sequence[str | None]:
    if not expected.is_floating_point() or not got.is_floating_point() or not expected.numel():
        return ()
    expected, got = expected.double(), got.double()
    if expected.shape != got.shape:
        return (transposed(expected, got),) if expected.dim() == got.dim() else ()
    if not mismatch(expected, got).any():
        return ()
    return [one(expected, got) for one in TENSOR]


def _factor(expected: Tensor, got: Tensor) -> float | None:
    if expected.numel() < 3 or not torch.isfinite(got).all():
        return None
    norm = float((expected * expected).sum())
    factor = float((expected * got).sum()) / norm if norm else 0.0
    return None if mismatch(expected * factor, got).any() else factor


def place(index: tuple[int, ...]) -> str:
    """An index in words: `[0, 2, 1]`."""
    return f"[{', '.join(map(str, index))}]"
