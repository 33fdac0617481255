"""What a probe gives back, taken down as plain data, and how two of them compare.

An outcome is a tensor, bool, int, float, str, bytes, None, a list, tuple or dict of these, or an exception
that was raised. Nothing of the learner's own making survives in it, so nothing in it can lie.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

RTOL, ATOL = 1e-4, 1e-5
PLAIN = (bool, int, float, str, bytes, type(None))


STOPPED = ("TimeLimit", "Killed")
"""Exceptions that nobody raised: what a run in a sandbox is said to have ended with when it did not come back."""


@dataclass(frozen=True)
class Raised:
    """An exception: the names of its class and that class's bases, and what it said."""

    kinds: tuple[str, ...]
    message: str = ""

    @property
    def kind(self) -> str:
        """The exception's own class name."""
        return self.kinds[0]


@dataclass(frozen=True)
class Foreign:
    """Something that is not an outcome; only the name of its type is kept."""

    type_name: str


@dataclass(frozen=True)
class Difference:
    """The first place at which two outcomes differ.

    Attributes:
        kind: "raised", "type", "shape", "dtype", "length", "keys" or "value".
        path: where in nested outcomes, such as `("weights",)`; empty at the top. Of lists of plain data (tokens, ids)
            it names the list and not the item: one that is too long is as wrong as one with another number in it.
        expected, got: what stands there on either side.
    """

    kind: str
    path: tuple[str, ...]
    expected: Any
    got: Any


def freeze(value: Any) -> Any:
    """Take down what a probe returned as an outcome that owns its memory.

    Args:
        value: whatever came back.

    Returns:
        The same as plain data; what is no outcome becomes `Foreign`.
    """
    if isinstance(value, Tensor):
        return _freeze_tensor(value)
    if isinstance(value, Raised | Foreign) or type(value) in PLAIN:
        return value
    if isinstance(value, float):  # numpy.float64 is one; called on the plain class, as below
        return float.__float__(value)
    if isinstance(value, tuple | list):
        # Called on the plain class: a subclass may have an __iter__ of its own.
        items = tuple.__iter__(value) if isinstance(value, tuple) else list.__iter__(value)
        return [freeze(item) for item in items]
    if isinstance(value, dict):
        return {_key(key): freeze(item) for key, item in dict.items(value)}
    return Foreign(f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins."))


def _key(key: Any) -> str:
    """A key in words; a named tuple reads like the plain one that it equals."""
    return str(tuple(tuple.__iter__(key)) if isinstance(key, tuple) else key)


def _freeze_tensor(value: Tensor) -> Tensor | Foreign:
    with torch._C.DisableTorchFunctionSubclass():
        if value.layout is not torch.strided or value.device.type != "cpu":
            return Foreign(f"{value.layout} tensor on {value.device}")
        plain = value.detach()
        if type(plain) is not Tensor:  # of what is plain, older versions of torch make no second one under a mode
            plain = torch.Tensor.as_subclass(plain, Tensor)
        return plain.clone()


Known = Mapping[tuple[int, int], bool]
"""Whether two tensors of one shape and kind agree, by their ids: many at once are compared faster than one by one."""


def difference(expected: Any, got: Any, path: tuple[str, ...] = (), known: Known | None = None) -> Difference | None:
    """The first place where two outcomes differ, or None.

    Lists and tuples are alike. Floats are compared with a tolerance, NaN equals NaN; the rest exactly. An
    exception equals another of the same class or of a class derived from it; a NotImplementedError (the
    blank stub) equals nothing.

    Args:
        expected, got: the outcomes.
        path: where they stand in a larger outcome.
        known: what is known of tensors of theirs.
    """
    if isinstance(expected, Raised) or isinstance(got, Raised):
        return None if _same_exception(expected, got) else Difference("raised", path, expected, got)
    if isinstance(expected, Tensor) and isinstance(got, Tensor):
        agree = known.get((id(expected), id(got))) if known else None
        if agree is None:
            return _tensor_difference(expected, got, path)
        return None if agree else Difference("value", path, expected, got)
    if isinstance(expected, list) and isinstance(got, list):
        return _list_difference(expected, got, path, known)
    if isinstance(expected, dict) and isinstance(got, dict):
        if expected.keys() != got.keys():
            return Difference("keys", path, expected, got)
        return _first_difference([(key, expected[key], got[key]) for key in expected], path, known)
    if _is_number(expected) and _is_number(got):
        same = _close_numbers(float(expected), float(got))
        return None if same else Difference("value", path, expected, got)
    if type(expected) is not type(got):
        return Difference("type", path, expected, got)
    return None if expected == got else Difference("value", path, expected, got)


def same(expected: Any, got: Any, known: Known | None = None) -> bool:
    """Whether two outcomes agree."""
    return difference(expected, got, (), known) is None


def leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All places of a nested outcome that hold no further list or dict, with their paths."""
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from leaves(item, (*path, str(i)))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    else:
        yield path, value


def mismatch(expected: Tensor, got: Tensor) -> Tensor:
    """True where two tensors of one shape differ by more than the tolerance. NaN equals NaN."""
    a, b = expected.double(), got.double()
    finite = a[torch.isfinite(a)]
    scale = max(1.0, float(finite.abs().max())) if finite.numel() else 1.0
    return ~torch.isclose(b, a, rtol=RTOL, atol=ATOL * scale, equal_nan=True)


def _list_difference(
    expected: list[Any], got: list[Any], path: tuple[str, ...], known: Known | None
) -> Difference | None:
    plain = _is_plain(expected) and _is_plain(got)
    if len(expected) != len(got):
        return Difference("value" if plain else "length", path, expected, got)
    pairs = [(str(i), a, b) for i, (a, b) in enumerate(zip(expected, got, strict=True))]
    found = _first_difference(pairs, path, known)
    of_an_item = found and found.kind == "value" and not isinstance(found.expected, list)
    return Difference("value", path, expected, got) if plain and of_an_item else found


def _is_plain(value: Any) -> bool:
    """Whether this is text, bytes, a whole number, or a list of such."""
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return type(value) in (bool, int, str, bytes, type(None))


def _tensor_difference(expected: Tensor, got: Tensor, path: tuple[str, ...]) -> Difference | None:
    if expected.shape != got.shape:
        return Difference("shape", path, expected, got)
    if _dtype_kind(expected) != _dtype_kind(got):
        return Difference("dtype", path, expected, got)
    if expected.dtype is got.dtype and torch.equal(expected, got):
        return None  # the most frequent case, in a tenth of the time
    if expected.is_floating_point():
        return Difference("value", path, expected, got) if mismatch(expected, got).any() else None
    return None if torch.equal(expected, got.to(expected.dtype)) else Difference("value", path, expected, got)


def _dtype_kind(tensor: Tensor) -> str:
    """float32 and float64 are one kind: learners may compute in higher precision, not in lower."""
    if tensor.is_floating_point():
        return "float" if tensor.element_size() >= 4 else "half"
    return "bool" if tensor.dtype is torch.bool else "complex" if tensor.is_complex() else "int"


def _first_difference(
    pairs: list[tuple[str, Any, Any]], path: tuple[str, ...], known: Known | None
) -> Difference | None:
    found = (difference(a, b, (*path, name), known) for name, a, b in pairs)
    return next((one for one in found if one), None)


def _same_exception(expected: Any, got: Any) -> bool:
    if not (isinstance(expected, Raised) and isinstance(got, Raised)):
        return False
    return expected.kind in got.kinds and got.kind != "NotImplementedError"


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _close_numbers(a: float, b: float) -> bool:
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    return math.isclose(a, b, rel_tol=RTOL, abs_tol=ATOL)
