"""Checks what a widget is given, and packs numbers for the browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

LARGEST = 64


def first_batch(x: Tensor, name: str) -> Tensor:
    """Keep the first item of the batch, and the dimension it stands in.

    Args:
        x: (seq_len, d), (batch, seq_len, d) or (batch, num_heads, seq_len, d), float.
        name: what to call it in an error.
    Returns:
        The same tensor with a batch of one, detached, float32, on the CPU.
    Raises:
        ValueError: not a float tensor, or of another number of dimensions, or too large to draw.
    """
    if not isinstance(x, Tensor) or not x.is_floating_point():
        given = f"a tensor of {x.dtype}" if isinstance(x, Tensor) else f"a {type(x).__name__}"
        raise ValueError(f"{name} is {given}; give a float tensor")
    if x.dim() not in (2, 3, 4) or 0 in x.shape:
        want = "(seq_len, d), (batch, seq_len, d) or (batch, num_heads, seq_len, d)"
        raise ValueError(f"{name} has shape {tuple(x.shape)}; give {want}")
    if x.shape[-2] > LARGEST:
        raise ValueError(f"{name} has {x.shape[-2]} tokens; at most {LARGEST} can be drawn: slice it first")
    x = x.detach().cpu().to(torch.float32)
    return x if x.dim() == 2 else x[:1]


def heads(x: Tensor | np.ndarray) -> np.ndarray:
    """Any leading dimensions as one, so (rows, columns) becomes (1, rows, columns)."""
    values = x.numpy() if isinstance(x, Tensor) else x
    return np.ascontiguousarray(values.reshape(-1, *values.shape[-2:]), "<f4")


def first_mask(mask: Tensor | None, like: tuple[int, ...]) -> Tensor | None:
    """Fit a mask to the scores of the first batch item.

    Args:
        mask: boolean, True means "may look", broadcastable to the scores; or None.
        like: the shape of the scores, (..., query_len, key_len).
    Returns:
        The mask with at most as many dimensions as the scores, still to be broadcast.
    Raises:
        ValueError: not boolean, or of a shape that does not broadcast.
    """
    if mask is None:
        return None
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        given = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise ValueError(f'mask is {given}; give a boolean tensor in which True means "may look"')
    fitted = _fewer_dimensions(mask.detach().cpu(), like)
    try:
        torch.broadcast_to(fitted, like)
    except RuntimeError:
        raise ValueError(f"mask has shape {tuple(mask.shape)}; it must broadcast to {like}") from None
    return fitted


def _fewer_dimensions(mask: Tensor, like: tuple[int, ...]) -> Tensor:
    if mask.dim() == len(like) and mask.dim() > 2:
        return mask[:1]
    while mask.dim() > len(like):
        mask = mask[0]
    return mask


def labels(names: Sequence[str] | None, length: int, what: str) -> list[str]:
    """Names for rows or columns: what was given, or the positions 0, 1, 2, ...

    Args:
        names: one for each, or None.
        length: how many are needed.
        what: what to call them in an error.
    Returns:
        A list of strings.
    Raises:
        ValueError: another number of names.
    """
    if names is None:
        return [str(i) for i in range(length)]
    if isinstance(names, str) or len(names) != length:
        given = f"the text {names!r}" if isinstance(names, str) else f"{len(names)} names"
        raise ValueError(f"{what} is {given}; give a list of {length}")
    return [str(name) for name in names]


def packed(values: np.ndarray | None) -> dict[str, Any] | None:
    """Numbers for the browser: their shape and their bytes as little-endian float32.

    Args:
        values: any real or boolean array, or None.
    Returns:
        {"shape": [...], "data": bytes}, or None.
    """
    if values is None:
        return None
    return {
        "shape": list(values.shape),
        "data": np.ascontiguousarray(values, "<f4").tobytes(),
    }
