"""What attention is put together from, each part right; and the lines that the stubs give, in front of all variants."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from tests import variants

SDPA = "scaled_dot_product_attention"


INF = float("inf")


def attends(
    score: Callable | None = None,
    fill: Callable | None = None,
    weigh: Callable | None = None,
    mix: Callable | None = None,
) -> Any:
    """Attention put together from four steps, each right unless given."""

    def run(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        s = (score or dot)(q, k)
        if mask is not None:
            s = (fill or where_inf)(s, mask)
        w = (weigh or safe)(s)
        return (mix or mixed)(w, k, v), w

    return run


def dot(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q, k) / q.shape[-1] ** 0.5


def where_inf(s: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, s, torch.tensor(-INF, dtype=s.dtype))


def safe(s: Tensor) -> Tensor:
    return torch.nan_to_num(F.softmax(s, -1), nan=0.0)


def mixed(w: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.einsum("...qk,...kd->...qd", w, v)


# The given lines ----------------------------------------------------------------------------


def _one_width(q: Tensor, k: Tensor) -> bool:
    return q.shape[-1] == k.shape[-1]


def _rows_of_ids(token_ids: Tensor, pad_id: int) -> bool:
    return token_ids.ndim == 2


def _values_and_a_mask(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> bool:
    return k.shape[-2] == v.shape[-2] and (mask is None or mask.dtype is torch.bool)


def _heads(mask: Tensor, num_heads: int) -> bool:
    return mask.ndim == 4 and mask.shape[1] in (1, num_heads)


GIVEN: dict[str, Callable[..., bool]] = {
    "attention_scores": _one_width,
    "padding_mask": _rows_of_ids,
    SDPA: _values_and_a_mask,
    "to_torch_mask": _heads,
}


def behind_the_given_lines(exercise: str, implementation: Any) -> Any:
    """Code that is written without the lines that the stub gives, with them."""
    fits = GIVEN.get(exercise)
    if fits is None:
        return implementation

    @wraps(implementation)
    def run(*given: Any) -> Any:
        if not fits(*given):
            raise ValueError(exercise)
        return implementation(*given)

    return run


def disguise(exercise: str, mistake: str) -> Callable[[Any], Any]:
    """A listed mistake written in full, behind the given lines."""
    return _behind(exercise, variants.disguise(exercise, mistake))


def correct(exercise: str) -> Callable[[Any], Any]:
    """Right, in an unusual way, behind the given lines."""
    return _behind(exercise, variants.correct(exercise))


def unlisted(exercise: str) -> Callable[[Any], Any]:
    """Wrong in a way that no list holds, behind the given lines."""
    return _behind(exercise, variants.unlisted(exercise))


def slips(
    exercise: str,
    trunk: Any,
    made: Any,
    *,
    around: Callable[[Any], Any] | None = None,
    inside: str = "",
) -> None:
    """Listed mistakes in right code that somebody else wrote, behind the given lines."""

    def whole(code: Any) -> Any:
        return behind_the_given_lines(exercise, around(code) if around else code)

    variants.slips(exercise, trunk, made, around=whole, inside=inside)


def _behind(exercise: str, add: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def written(implementation: Any) -> Any:
        add(behind_the_given_lines(exercise, implementation))
        return implementation

    return written
