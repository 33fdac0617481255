"""Differences in words: what was expected, what came, where, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from autograder.judging.judge import Finding
from autograder.probing.draws import Signature
from autograder.probing.outcome import STOPPED, Difference, Foreign, Raised, mismatch
from autograder.probing.run import Place
from autograder.reporting.causes import cause

SHORT = 80
"""So many characters of two lists can be compared by eye."""


def describe(finding: Finding) -> list[str]:
    """What differs in a failed finding, in a sentence or two."""
    if finding.name == "parameters" and finding.right and finding.got:
        return _parameters(finding.right.signatures, finding.got.signatures)
    if finding.name == "inputs" and finding.got:
        known = finding.right.changed if finding.right else []
        changed = ", ".join(f"`{name}`" for name in finding.got.changed if name not in known)
        return [f"Your code writes into its own input ({changed}). Whoever called it still needs that tensor."]
    if finding.difference is None:
        return []
    lines = _SENTENCES[finding.difference.kind](finding.difference, finding)
    return [line[:1].upper() + line[1:] for line in lines]


def where(path: tuple[str, ...]) -> str:
    """A path in nested results: "In `weights`: " or nothing at the top."""
    named = [f"the {ordinal(int(part))} result" if part.isdigit() else f"`{part}`" for part in path]
    return f"In {', '.join(named)}: " if named else ""


def ordinal(index: int) -> str:
    """A place, counted from 0, in words: "first"."""
    words = ("first", "second", "third", "fourth", "fifth")
    if index < len(words):
        return words[index]
    place = index + 1
    end = {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}th" if place % 100 in (11, 12, 13) else f"{place}{end}"


def kind_of(value: Any) -> str:
    """What a value is, without printing it."""
    if isinstance(value, Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, Foreign):
        return f"a {value.type_name}"
    if isinstance(value, list):
        return results(len(value))
    if isinstance(value, dict):
        return f"a dict with {', '.join(value) or 'nothing'}"
    if value is None:
        return "None"
    shown = number(value) if isinstance(value, float) else f"{value!r:.60}"
    return f"{article(type(value).__name__)}, {shown}"


def article(name: str) -> str:
    """A type's name behind "a" or "an"."""
    vowel = name.startswith(tuple("AEIOUaeiou")) and not name.startswith("Uni")
    return f"{'an' if vowel else 'a'} {name}"


def results(count: int) -> str:
    """A number of results."""
    return "1 result" if count == 1 else f"{count} results"


def number(value: Any, digits: int = 4) -> str:
    """A number as a learner would write it."""
    if isinstance(value, int):  # ids, counts, truth values
        return str(value)
    text = f"{float(value):.{digits}g}"
    return "0" if text == "-0" else text


def apart(expected: Any, got: Any) -> tuple[str, str]:
    """Two numbers that differ, with as many digits as it takes to see it."""
    pairs = ((number(expected, digits), number(got, digits)) for digits in range(4, 17))
    pair = next((one for one in pairs if one[0] != one[1]), None)
    return pair or (number(expected, 17), number(got, 17))


def farthest(expected: Tensor, got: Tensor) -> tuple[int, ...]:
    """The index of the largest difference; a NaN counts as the largest."""
    gap = (got.double() - expected.double()).abs()
    gap = torch.where(mismatch(expected, got), torch.nan_to_num(gap, nan=torch.inf), 0.0)
    return tuple(int(i) for i in torch.unravel_index(gap.argmax(), gap.shape))


def told(raised: Raised, place: Place | None) -> list[str]:
    """An exception with the learner's own line and what it usually means."""
    message = _in_a_line(raised.message).split(" Hint: enable anomaly detection")[0].removesuffix(".")[:420]
    lines = [f"`{raised.kind}`{': ' if message else ''}{message}."]
    if place and place.text:
        led = f" That was called by your `{place.called_by}`." if place.called_by else ""
        lines.append(f"Your {place.spot}: `{place.text}`.{led}")
    elif place is None and raised.kind not in STOPPED:
        lines.append("It was raised where the check calls your code or uses its result, not in a line of yours.")
    return [*lines, *filter(None, [cause(raised)])]


def _in_a_line(message: str) -> str:
    """The first line, and two more where it only announces them, as that of `load_state_dict` does."""
    lines = [one.strip() for one in message.strip().splitlines()] or [""]
    if not lines[0].endswith(":"):
        return lines[0]
    shown = [one if len(one) <= 170 else f"{one[:170]} ..." for one in lines[1:3]]
    return " ".join([lines[0], *shown, *(["And more like these"] if len(lines) > 3 else [])])


def _raised(found: Difference, finding: Finding) -> list[str]:
    if isinstance(found.got, Raised):
        if isinstance(found.expected, Raised):
            wanted = f"A {found.expected.kind} is expected here: “{found.expected.message[:200]}”."
            return [wanted, *told(found.got, finding.got.place if finding.got else None)]
        return told(found.got, finding.got.place if finding.got else None)
    wanted = found.expected
    return [
        f"This input is not valid, and the answer to it should be a {wanted.kind}, such as “{wanted.message[:200]}”. "
        f"What came back is {kind_of(found.got)}."
    ]


def _type(found: Difference, finding: Finding) -> list[str]:
    return [f"{where(found.path)}expected {kind_of(found.expected)}, got {kind_of(found.got)}."]


def _shape(found: Difference, finding: Finding) -> list[str]:
    expected, got = tuple(found.expected.shape), tuple(found.got.shape)
    return [f"{where(found.path)}expected shape {expected}, got {got}."]


def _dtype(found: Difference, finding: Finding) -> list[str]:
    return [f"{where(found.path)}expected dtype {found.expected.dtype}, got {found.got.dtype}."]


def _length(found: Difference, finding: Finding) -> list[str]:
    return [f"{where(found.path)}expected {results(len(found.expected))}, got {len(found.got)}."]


def _items(found: Difference) -> list[str]:
    expected, got = found.expected, found.got
    if max(len(repr(expected)), len(repr(got))) <= SHORT:
        return [f"{where(found.path)}expected {expected}, got {got}."]
    pairs = enumerate(zip(expected, got, strict=False))
    first = next((i for i, (a, b) in pairs if a != b), min(len(expected), len(got)))
    wanted, came = (repr(one[first])[:SHORT] if first < len(one) else "nothing more" for one in (expected, got))
    counts = f"{len(expected)} items are expected, {len(got)} came, the" if len(expected) != len(got) else "The"
    spot = f"{where(found.path)}{counts} first that differs is number {first + 1}"
    return [f"{spot}: expected {wanted}, got {came}."]


def _keys(found: Difference, finding: Finding) -> list[str]:
    missing = [key for key in found.expected if key not in found.got]
    extra = [key for key in found.got if key not in found.expected]
    parts = [f"missing {_some(missing)}"] * bool(missing)
    parts += [f"not expected: {_some(extra)}"] * bool(extra)
    return [f"{where(found.path)}{'; '.join(parts)}."]


def _some(names: Sequence[str], limit: int = 6) -> str:
    """The first names, and how many more there are."""
    beyond = len(names) - limit
    return ", ".join(names[:limit]) + (f" and {beyond} more" if beyond > 0 else "")


def _value(found: Difference, finding: Finding) -> list[str]:
    if isinstance(found.expected, list):
        return _items(found)
    if isinstance(found.expected, float | int) and isinstance(found.got, float | int):
        return [f"{where(found.path)}expected {{}}, got {{}}.".format(*apart(found.expected, found.got))]
    if not isinstance(found.expected, Tensor):
        return [f"{where(found.path)}expected {found.expected!r:.80}, got {found.got!r:.80}."]
    wrong = mismatch(found.expected, found.got)
    index = farthest(found.expected, found.got)
    expected, got = found.expected[index].item(), found.got[index].item()
    spot = f" at {list(index)}" if index else ""
    share = f"{int(wrong.sum())} of {wrong.numel()} numbers differ, most{spot}: " if index else ""
    wanted, came = apart(expected, got)
    return [f"{where(found.path)}{share}expected {wanted}, got {came}."]


_SENTENCES = {
    "raised": _raised, "type": _type, "shape": _shape, "dtype": _dtype, "length": _length, "keys": _keys,
    "value": _value,
}  # fmt: skip


def _parameters(right: list[Signature], got: list[Signature]) -> list[str]:
    pair = next(((a, b) for a, b in zip(right, got, strict=False) if _entries(a, b) or a != b), None)
    if pair is None:
        return []
    lines = _entries(*pair)
    return lines or ["The parts share their storage in another way than they should."]


def _entries(right: Signature, got: Signature) -> list[str]:
    lines = []
    missing = [name for name, entry in right.items() if name not in got and entry[0] == "parameter"]
    extra = [name for name, entry in got.items() if name not in right and entry[0] == "parameter"]
    if missing:
        lines.append(f"Missing: {_listed(missing, right)}.")
    if extra:
        lines.append(f"Not expected: {_listed(extra, got)}.")
    both = [name for name in right if name in got and "parameter" in (right[name][0], got[name][0])]  # no buffers
    return lines + _cut([line for name in both for line in _entry(name, right[name], got[name])])


def _cut(lines: list[str], limit: int = 2) -> list[str]:
    """The first few lines: a layer that occurs twice shares all that is in it."""
    more = len(lines) - limit
    return lines[:limit] + ([f"And {more} more like {'this' if more == 1 else 'these'}."] if more > 0 else [])


def _listed(names: Sequence[str], entries: Signature, limit: int = 4) -> str:
    """The first few names with their shapes, and how many more there are."""
    return _some([f"`{name}` {entries[name][1]}" for name in names], limit)


def _entry(name: str, right: tuple[str, tuple[int, ...], str], got: tuple[str, tuple[int, ...], str]) -> list[str]:
    if right[0] != got[0]:
        return [f"`{name}` should be a {right[0]} and is a {got[0]}."]
    if right[1] != got[1]:
        return [f"`{name}` should have shape {right[1]} and has {got[1]}."]
    if right[2] != got[2]:
        if got[2] == name:
            return [f"`{name}` should share its storage with `{right[2]}` and has its own."]
        if right[2] != name:
            return [f"`{name}` should share its storage with `{right[2]}`, and shares only that of `{got[2]}`."]
        return [f"`{name}` shares its storage with `{got[2]}` and should not."]
    return []
