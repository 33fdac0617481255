"""Checks of the cache of keys and values."""

from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# KVCache ----------------------------------------------------------------------------

kv_cache = Exercise(
    "KVCache",
    points=2,
    memory="all caches share what they keep, since it stands in the class or in a default argument. Every layer has a cache of its own: write `self.k = ...`, and begin with nothing in `__init__`.",
    hints=(
        "What is kept has the shape (batch, num_heads, length, d_head). Which of the four dimensions grows? And what has to be done the first time, "
        "when nothing is kept yet?",
        "```python\n"
        "# length: 0 if there is nothing, else the size of one dimension\n"
        "# append:\n"
        "if ...:            # nothing kept yet\n"
        "    ...            # keep what came\n"
        "else:\n"
        "    ...            # keep the old and then the new, keys and values alike\n"
        "return ...         # all of both\n"
        "```",
        "`torch.cat([self.k, k], dim=-2)` puts the new keys after the old keys; `self.k.size(-2)` is how many there are.",
    ),
    traps={
        "TypeError: expected Tensor as element 0 in argument 0, but got NoneType": "at the first call nothing is kept yet: `self.k` is None.",
        "AttributeError: 'NoneType' object has no attribute 'size'": "an empty cache has the length 0, and `self.k` is None then.",
        "RuntimeError: Sizes of tensors must match except in dimension 0": "`torch.cat` joins along dimension 0, the batch, unless told otherwise. Tokens lie in dimension -2.",
        "AttributeError: can't set attribute": "`length` is a property, worked out from what is kept; there is nothing to assign.",
    },
)


def keys_and_values(
    draw: Draw, *lengths: int, batch: int = 2, heads: int = 3, width: int = 5
) -> Iterator[tuple[Tensor, Tensor]]:
    """Keys and values of new tokens, `lengths` of them at a time."""
    for step, length in enumerate(lengths):
        size = (batch, heads, length, width)
        yield draw.tensor(f"k {step}", *size), draw.tensor(f"v {step}", *size)


@kv_cache.probe("gives back all keys and all values so far, the new ones last")
def in_order(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    return [tuple(cache.append(k, v)) for k, v in keys_and_values(draw, 1, 1, 1)]


@kv_cache.probe("takes several tokens at once")
def several_at_once(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    return [tuple(cache.append(k, v)) for k, v in keys_and_values(draw, 4, 1, 2)]


@kv_cache.probe("counts the tokens that it holds")
def lengths(KVCache: Callable, draw: Draw) -> Any:
    found: dict[str, list[Any]] = {"six, one and four": [], "one and seven": []}
    for told, sizes in zip(found.values(), ((6, 1, 4), (1, 7)), strict=True):  # sums that no other dimension has
        cache: Any = KVCache()
        for k, v in keys_and_values(draw, *sizes):
            cache.append(k, v)
            told.append(cache.length)
    return found


@kv_cache.probe("has the length 0 as long as it is empty", rung="edges")
def empty(KVCache: Callable, draw: Draw) -> Any:
    cache: Any = KVCache()
    return cache.length


@kv_cache.probe("is a cache of its own: two do not mix", rung="edges")
def two_caches(KVCache: Callable, draw: Draw) -> Any:
    (k, v), (more_k, more_v), (other_k, other_v) = keys_and_values(draw, 2, 1, 2)
    one: Any = KVCache()
    one.append(k, v)
    other: Any = KVCache()
    found = {"another one is empty": other.length, "append to it": tuple(other.append(other_k, other_v))}
    return found | {"append to the first": tuple(one.append(more_k, more_v)), "lengths": [one.length, other.length]}


@kv_cache.probe("works for one text, one head, one feature, and for numbers that are not contiguous", rung="edges")
def small_caches(KVCache: Callable, draw: Draw) -> Any:
    single: Any = KVCache()
    turned: Any = KVCache()
    steps = list(keys_and_values(draw, 1, 2, batch=1, heads=1, width=1))
    a, b = draw.tensor("a", 2, 4, 3, 5).transpose(1, 2), draw.tensor("b", 2, 4, 3, 5).transpose(1, 2)
    return {
        "one of all": [tuple(single.append(k, v)) for k, v in steps],
        "not contiguous": [tuple(turned.append(k, v)) for k, v in ((a, b), (b[:, :, :1], a[:, :, 1:2]))],
    }
