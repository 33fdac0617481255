"""Room 3: a boolean mask that is handed from one interface to another that means the opposite by True."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

torch_attention = Exercise(
    "torch_attention",
    points=2,
    wild=True,
    hints=(
        "What does True mean in our mask, and what in the `attn_mask` of `nn.MultiheadAttention`? Lesson 02 had a function for it.",
        "```python\nread, _ = attention(x, x, x, attn_mask=..., need_weights=False)    # True is *hidden* there\nreturn read\n```",
        "`attn_mask=~may_look`.",
    ),
    traps={
        "RuntimeError: The shape of the 2D attn_mask is torch.Size([...]), but should be (..., ...).": "the mask is (seq_len, seq_len), and the tokens are (batch, seq_len, d_model): was the attention made with batch_first=True?",
    },
)

shows_upside_down_mask = Exercise(
    "shows_upside_down_mask",
    points=3,
    shows=torch_attention,
    hints=(
        "Take a mask, change one token, and look which results change: those tokens read it. That needs no right numbers. Or work the right numbers out another way.",
        "```python\nattention = nn.MultiheadAttention(..., batch_first=True)\nx = ...\nmay_look = ...            # not symmetric, not causal, not all of the diagonal; True somewhere in every row\nfor key in range(...):\n    other = ...           # x with another token in that place\n    moved = ...           # whose results differ: (seq_len,)\n    ...                   # should be may_look[:, key]\n```",
        "`moved = (implementation(attention, other, may_look) - implementation(attention, x, may_look)).abs().amax((0, 2)) > 1e-5` for each `key`, against `may_look[:, key]`, but for the place `key` itself: that token asks otherwise now, whatever it reads. What moves is not yet right, so compare the numbers as well.",
    ),
    traps={
        "TypeError: implementation() missing ... required positional ...": "an implementation is called as `torch_attention` is: `implementation(attention, x, may_look)`.",
    },
)


def attention_of(draw: Draw, d_model: int = 8, heads: int = 2) -> Any:
    """One of torch's, with drawn weights."""
    return draw.fill(nn.MultiheadAttention(d_model, heads, batch_first=True))


def a_mask(draw: Draw, length: int, name: str = "mask") -> Tensor:
    """Neither symmetric nor causal; nobody is blind, and not everybody sees itself."""
    mask = draw.booleans(name, length, length, chance=0.4) | torch.eye(length, dtype=torch.bool).roll(2, dims=1)
    mask[0, 0] = False
    return draw.keep(f"{name} of ours", mask)


@torch_attention.probe("lets every token read those alone that it may look at", float64=True)
def any_mask(torch_attention: Callable, draw: Draw) -> Any:
    return torch_attention(attention_of(draw), draw.tensor("x", 3, 6, 8), a_mask(draw, 6))


@torch_attention.probe("hides the future under a causal mask", float64=True)
def causal(torch_attention: Callable, draw: Draw) -> Any:
    mask = torch.ones(5, 5, dtype=torch.bool).tril()
    return torch_attention(attention_of(draw), draw.tensor("x", 2, 5, 8), draw.keep("causal", mask))


@torch_attention.probe("hands back the gradient of what was read")
def gradient_of_x(torch_attention: Callable, draw: Draw) -> Any:
    x = draw.tensor("x", 2, 5, 8, requires_grad=True)
    return draw.gradients(torch_attention(attention_of(draw), x, a_mask(draw, 5)), x=x)


@torch_attention.probe("works for one sentence, one token, and a mask that hides nothing", rung="edges", float64=True)
def small(torch_attention: Callable, draw: Draw) -> Any:
    attention = attention_of(draw)
    nothing = torch.ones(4, 4, dtype=torch.bool)
    return {
        "one sentence": torch_attention(attention, draw.tensor("one", 1, 4, 8), a_mask(draw, 4)),
        "one token": torch_attention(attention, draw.tensor("token", 2, 1, 8), torch.ones(1, 1, dtype=torch.bool)),
        "nothing hidden": torch_attention(attention, draw.tensor("all", 2, 4, 8), nothing),
    }


# Implementations that everybody may see ------------------------------------------------------


@right("is written on torch.nn")
def stand_in(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """As in the stand-ins."""
    return stand_ins.torch_attention(attention, x, may_look)


@right("is your own repair, once it has passed in this kernel")
def your_repair(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """The stand-in until then."""
    return own_or(stand_ins.torch_attention)(attention, x, may_look)


@wrong("the page shows", mistake="the mask upside down")
def as_shown(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """True means something else there."""
    read, _ = attention(x, x, x, attn_mask=may_look, need_weights=False)
    return torch.nan_to_num(read)


@wrong("hides nothing", mistake="no mask")
def no_mask(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """Everybody reads everybody."""
    return attention(x, x, x)[0]


@wrong("exchanges who asks and who is read", mistake="the mask turned", kin=True)
def turned(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """Rows for columns."""
    return torch.nan_to_num(attention(x, x, x, attn_mask=~may_look.T)[0])


@wrong("adds the mask as a number", mistake="added as a number", kin=True)
def added(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    """1 or 0 on top of the scores."""
    return attention(x, x, x, attn_mask=may_look.to(x.dtype))[0]


line_up(shows_upside_down_mask, "upside_down")
