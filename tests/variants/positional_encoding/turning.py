"""Lesson 04: apply_rotary, alone and in an attention that turns so."""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.positional_encoding.shared import Attending, Slips, must_be_even, woven

# apply_rotary, slips ----------------------------------------------------------------------------


def attending_with(turned: Callable[..., Tensor]) -> Any:
    """A RotaryAttention that turns so."""
    return type("Attending", (Attending,), {"turn": staticmethod(turned)})


def slips_of_turns(trunk: Callable[..., Tensor], made: Slips, alone: Slips) -> None:
    """Slips of apply_rotary, those in `made` also of a RotaryAttention that turns so."""
    slips("apply_rotary", trunk, made | alone)
    slips("RotaryAttention", trunk, made, around=attending_with)


def pair_by_pair(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """A loop over the pairs."""
    d = x.shape[-1]
    must_be_even(d)
    out = torch.zeros_like(x)
    for i in range(0, d, 2):
        theta = positions / base ** (i / d)
        a, b = x[..., i], x[..., i + 1]
        out[..., i] = a * theta.cos() - b * theta.sin()
        out[..., i + 1] = a * theta.sin() + b * theta.cos()
    return out


NEW_A, NEW_B = "a * theta.cos() - b * theta.sin()", "a * theta.sin() + b * theta.cos()"
AS_HALVES = {"x[..., i], x[..., i + 1]": "x[..., i // 2], x[..., (i + d) // 2]"}
TO_HALVES = {"out[..., i] =": "out[..., i // 2] =", "out[..., i + 1] =": "out[..., (i + d) // 2] ="}
slips_of_turns(
    pair_by_pair,
    {
        "half-split pairs": AS_HALVES | TO_HALVES,
        "turned the other way round": {
            NEW_A: "a * theta.cos() + b * theta.sin()",
            NEW_B: "b * theta.cos() - a * theta.sin()",
        },
        "a minus missing": {NEW_A: "a * theta.cos() + b * theta.sin()"},
        "a minus too many": [
            {NEW_B: "-a * theta.sin() + b * theta.cos()"},
            {NEW_B: "a * theta.sin() - b * theta.cos()"},
        ],
        "pairs counted from 1": {"(i / d)": "((i + 2) / d)"},
        "an exponent of its own for each feature": {
            "out[..., i + 1] =": "theta = positions / base ** ((i + 1) / d)\n        out[..., i + 1] ="
        },
        "the new first used for the second": {
            "out[..., i] =": "a =",
            "out[..., i + 1] =": "out[..., i], out[..., i + 1] = a,",
        },
        "degrees": {"theta = positions": "theta = torch.pi / 180 * positions"},
        "angles times 2π": {"theta = positions": "theta = 2 * torch.pi * positions"},
        "exponent doubled": {"(i / d)": "(2 * i / d)"},
        "exponent halved": {"(i / d)": "(i / 2 / d)"},
        "multiplied by the power": {"positions / base": "positions * base"},
        "one frequency for all pairs": {"(i / d)": "(i // d)"},
        "exponent without brackets": [{"(i / d)": "i / d"}, {"(i / d)": "i"}],
        "added instead of turned": {NEW_A: "a + theta.sin()", NEW_B: "b + theta.cos()"},
        "features not mixed within their pair": [
            {NEW_A: "a * theta.cos()", NEW_B: "b * theta.cos()"},
            {NEW_A: "a * theta.sin()", NEW_B: "b * theta.cos()"},
            {NEW_A: "a * theta.cos()", NEW_B: "b * theta.sin()"},
            {NEW_A: "a * theta.cos() + a * theta.sin()", NEW_B: "b * theta.cos() + b * theta.sin()"},
        ],
        "another base than 10000": {"base: float = 10000.0": "base: float = 1000.0"},
    },
    {
        "neighbours and halves mixed": [AS_HALVES, TO_HALVES],
        "a minus in the wrong place": {
            NEW_A: "a * theta.cos() + b * theta.sin()",
            NEW_B: "a * theta.sin() - b * theta.cos()",
        },
        "coordinates exchanged": [{"a, b =": "b, a ="}, {NEW_A: NEW_B, NEW_B: NEW_A}],
        "a product instead of a power": {"base ** (i / d)": "(base * (i / d))"},
        "nothing turned": {"return out": "return x"},
        "only one coordinate turned": [{NEW_A: "a"}, {NEW_B: "b"}],
        "cut off from the gradient": {"return out": "return out.detach()"},
        "one position for all tokens": {"theta = positions": "theta = positions[0]"},
        "positions counted from the first token": [
            {"theta = positions": "theta = (positions - positions[0])"},
            {"theta = positions": "theta = (positions - positions.min())"},
        ],
        "minus of a position lost": {"theta = positions": "theta = abs(positions)"},
        "positions divided by 10000 twice": {"theta = positions": "theta = positions / 10000"},
        "the quotient raised to the power": {"positions / base ** (i / d)": "(positions / base) ** (i / d)"},
        "frequencies up to the end": {"(i / d)": "(i / max(d - 2, 1))"},
        "exponent over d_head - 1": {"(i / d)": "(i / (d - 1))"},
        "base ignored": {"/ base **": "/ 10000 **"},
        "positions ignored": {"= positions /": "= torch.arange(len(positions)) /"},
        "counted from 1": {"= positions /": "= (positions + 1) /"},
        "odd width accepted": [
            {"must_be_even(d)": "pass"},
            {"must_be_even(d)": "pass", "zeros_like(x)": "clone(x)", "(0, d, 2)": "(0, d - 1, 2)"},
        ],
        "a minus missing + positions ignored": {
            NEW_A: "a * theta.cos() + b * theta.sin()",
            "= positions /": "= torch.arange(len(positions)) /",
        },
    },
)


def crosswise(x: Tensor) -> Tensor:
    """Every pair of neighbours, turned by a quarter."""
    first, second = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
    return torch.stack((-second, first), dim=-1).flatten(-2)


def with_all_angles(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """As in most code for Llama, for neighbours: cosines and sines as wide as x."""
    must_be_even(x.size(-1))
    speeds = 1.0 / base ** (torch.arange(0, x.size(-1), 2) / x.size(-1))
    angles = torch.outer(positions, speeds.to(x)).repeat_interleave(2, dim=-1)
    return x * torch.cos(angles) + crosswise(x) * torch.sin(angles)


TURNED = "x * torch.cos(angles) + crosswise(x) * torch.sin(angles)"
slips_of_turns(
    with_all_angles,
    {
        "neighbours and halves mixed": {".repeat_interleave(2, dim=-1)": ".repeat(1, 2)"},
        "turned the other way round": [{"+ crosswise": "- crosswise"}, {"angles = torch": "angles = -torch"}],
        "degrees": {
            "torch.cos(angles)": "torch.cos(angles.deg2rad())",
            "torch.sin(angles)": "torch.sin(angles.deg2rad())",
        },
        "angles times 2π": {"speeds = 1.0": "speeds = 2 * torch.pi"},
        "exponent doubled": [
            {"(torch.arange(0, x.size(-1), 2)": "(2 * torch.arange(0, x.size(-1), 2)"},
            {"base **": "(base * base) **"},
        ],
        "exponent halved": {"torch.arange(0, x.size(-1), 2)": "torch.arange(x.size(-1) // 2)"},
        "multiplied by the power": {"1.0 / base": "base"},
        "one frequency for all pairs": {"2) /": "2) //"},
        "exponent without brackets": {
            "(torch.arange(0, x.size(-1), 2) / x.size(-1))": "torch.arange(0, x.size(-1), 2)"
        },
        "turned along the wrong dimension": {"return x": "angles = angles.unsqueeze(1)\n    return x"},
        "features not mixed within their pair": [{"crosswise(x)": "x"}, {TURNED: "x * torch.cos(angles)"}],
        "another base than 10000": {"base: float = 10000.0": "base: float = 1000.0"},
    },
    {
        "a product instead of a power": {"base ** (": "(base * "},
        "base ignored": {"/ base **": "/ 10000.0 **"},
        "positions ignored": {"outer(positions": "outer(torch.arange(x.size(-2)).to(x)"},
        "nothing turned": {f"return {TURNED}": "return x"},
        "cut off from the gradient": {"return x *": "x = x.detach()\n    return x *"},
        "positions counted from the first token": {"outer(positions": "outer(positions - positions[0]"},
        "minus of a position lost": {"outer(positions": "outer(positions.abs()"},
        "positions divided by 10000 twice": {"outer(positions": "outer(positions / 10000"},
        "frequencies up to the end": {"2) / x.size(-1))": "2) / max(x.size(-1) - 2, 1))"},
        "exponent over d_head - 1": {"2) / x.size(-1))": "2) / (x.size(-1) - 1))"},
        "counted from 1": {"outer(positions": "outer(positions + 1"},
        "odd width accepted": {"must_be_even(x.size(-1))": "pass"},
    },
)
CROSSWISE_HALVES = {
    "x.unflatten(-1, (-1, 2)).unbind(dim=-1)": "x.chunk(2, dim=-1)",
    "torch.stack((-second, first), dim=-1).flatten(-2)": "torch.cat((-second, first), dim=-1)",
}
IN_CROSSWISE: Slips = {
    "neighbours and halves mixed": CROSSWISE_HALVES,
    "a minus missing": {"(-second, first)": "(second, first)"},
    "a minus too many": {"(-second, first)": "(-second, -first)"},
    "turned the other way round": {"(-second, first)": "(second, -first)"},
}
ALONE_IN_CROSSWISE: Slips = {
    "features not mixed within their pair": {"first, second =": "second, first ="},
}
slips("apply_rotary", with_all_angles, IN_CROSSWISE, inside="crosswise")
slips("apply_rotary", with_all_angles, ALONE_IN_CROSSWISE, inside="crosswise")
slips("RotaryAttention", with_all_angles, IN_CROSSWISE, around=attending_with, inside="crosswise")


def as_complex_numbers(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """As in Meta's code: a turn is a product."""
    half = x.size(-1) / 2
    if half % 1:
        raise ValueError(f"{x.size(-1)} features are no pairs")
    frequencies = torch.pow(base, -torch.arange(half, dtype=x.dtype) / half)
    angles = positions.to(x.dtype).unsqueeze(-1) * frequencies
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(-2)


slips_of_turns(
    as_complex_numbers,
    {
        "half-split pairs": {
            "x.reshape(*x.shape[:-1], -1, 2)": "x.reshape(*x.shape[:-1], 2, -1).mT.contiguous()",
            "torch.view_as_real(turned)": "torch.view_as_real(turned).mT",
        },
        "turned the other way round": [{"pairs * torch": "pairs / torch"}, {"(angles), angles)": "(angles), -angles)"}],
        "degrees": {"(angles), angles)": "(angles), angles.deg2rad())"},
        "angles times 2π": {"(angles), angles)": "(angles), 2 * torch.pi * angles)"},
        "exponent doubled": {"-torch.arange": "-2 * torch.arange"},
        "exponent halved": {"x.dtype) / half": "x.dtype) / x.size(-1)"},
        "multiplied by the power": {"-torch.arange": "torch.arange"},
        "one frequency for all pairs": {"-torch.arange(half, dtype=x.dtype)": "-torch.zeros(int(half), dtype=x.dtype)"},
        "turned along the wrong dimension": {"turned = pairs": "angles = angles[:, None]\n    turned = pairs"},
        "another base than 10000": {"base: float = 10000.0": "base: float = 1000.0"},
    },
    {
        "neighbours and halves mixed": [
            {"torch.view_as_real(turned)": "torch.view_as_real(turned).mT"},
            {"x.reshape(*x.shape[:-1], -1, 2)": "x.reshape(*x.shape[:-1], 2, -1).mT.contiguous()"},
        ],
        "coordinates exchanged": {"torch.view_as_real(turned)": "torch.view_as_real(turned).flip(-1)"},
        "pairs in a dimension of their own": {".flatten(-2)": ""},
        "minus of a position lost": {"positions.to": "positions.clamp(min=0).to"},
        "base ignored": {"pow(base": "pow(10000.0"},
        "positions ignored": {"positions.to(x.dtype)": "torch.arange(x.size(-2), dtype=x.dtype)"},
        "counted from 1": {"positions.to": "(positions + 1).to"},
        "odd width accepted": {"half % 1": "False"},
        "positions ignored + exponent doubled": {
            "positions.to(x.dtype)": "torch.arange(x.size(-2), dtype=x.dtype)",
            "-torch.arange": "-2 * torch.arange",
        },
    },
)


def into_empty(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """Even and odd features are filled one after the other."""
    width = x.size(-1)
    must_be_even(width)
    rate = torch.exp(torch.arange(0, width, 2, dtype=x.dtype) * (-math.log(base) / width))
    angles = torch.einsum("p,r->pr", positions.to(x.dtype), rate)
    even, odd = x[..., ::2], x[..., 1::2]
    out = torch.empty_like(x)
    out[..., ::2] = torch.addcmul(even * angles.cos(), odd, angles.sin(), value=-1)
    out[..., 1::2] = torch.addcmul(odd * angles.cos(), even, angles.sin())
    return out


slips_of_turns(
    into_empty,
    {
        "half-split pairs": {
            "x[..., ::2], x[..., 1::2]": "x.tensor_split(2, dim=-1)",
            "out[..., ::2] =": "out[..., : width // 2] =",
            "out[..., 1::2] =": "out[..., width // 2 :] =",
        },
        "turned the other way round": {", value=-1)": ")", "even, angles.sin())": "even, angles.sin(), value=-1)"},
        "a minus missing": {", value=-1)": ")"},
        "a minus too many": {"even, angles.sin())": "even, angles.sin(), value=-1)"},
        "the new first used for the second": {
            "(odd * angles.cos(), even,": "(odd * angles.cos(), out[..., ::2].clone(),"
        },
        "degrees": {"angles = ": "angles = math.pi / 180 * "},
        "angles times 2π": {"angles = ": "angles = 2 * math.pi * "},
        "exponent doubled": {"-math.log(base)": "-2 * math.log(base)"},
        "exponent halved": {"torch.arange(0, width, 2, dtype=x.dtype)": "torch.arange(width // 2, dtype=x.dtype)"},
        "multiplied by the power": {"-math.log": "math.log"},
        "exponent without brackets": {"-math.log(base) / width": "-math.log(base)"},
        "turned along the wrong dimension": {"out = torch": "angles = angles[:, None, :]\n    out = torch"},
        "added instead of turned": {
            "torch.addcmul(even * angles.cos(), odd, angles.sin(), value=-1)": "even + angles.sin()",
            "torch.addcmul(odd * angles.cos(), even, angles.sin())": "odd + angles.cos()",
        },
        "another base than 10000": {"base: float = 10000.0": "base: float = 1000.0"},
    },
    {
        "neighbours and halves mixed": {"x[..., ::2], x[..., 1::2]": "x.chunk(2, dim=-1)"},
        "coordinates exchanged": {"even, odd =": "odd, even ="},
        "input overwritten": {
            "x[..., ::2], x[..., 1::2]": "x[..., ::2].clone(), x[..., 1::2].clone()",
            "out = torch.empty_like(x)": "out = x",
        },
        "base ignored": {"math.log(base)": "math.log(10000)"},
        "logarithm to the base 10": [{"math.log": "math.log10"}, {"math.log": "math.log2"}],
        "one position for all tokens": {"positions.to(x.dtype)": "positions[-1:].expand(x.size(-2)).to(x.dtype)"},
        "positions ignored": {"positions.to(x.dtype)": "torch.arange(x.size(-2)).to(x.dtype)"},
        "counted from 1": {"positions.to(x.dtype)": "positions.to(x.dtype) + 1"},
        "odd width accepted": {"must_be_even(width)": "pass"},
    },
)

# apply_rotary, wrong ----------------------------------------------------------------------------


Turn = Callable[[Tensor, Tensor, float], Tensor]


def turn(kind: str, mistake: str = "", attention: str = "") -> Any:
    """An apply_rotary from a function of (x, positions, base).

    With `attention`, also a RotaryAttention that turns so: "same" when the mistake shows there under the same name, or
    the name it has there.
    """

    def add(core: Turn) -> Any:
        @functools.wraps(core)
        def turned(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
            must_be_even(x.shape[-1])
            return core(x, positions, base)

        name = mistake if attention == "same" else attention
        if kind == "disguise":
            disguise("apply_rotary", mistake)(turned)
        else:
            (correct if kind == "correct" else unlisted)("apply_rotary")(turned)
        if attention:
            made = type(f"Attending_{core.__name__}", (Attending,), {"turn": staticmethod(turned)})
            if kind == "disguise":
                disguise("RotaryAttention", name)(made)
            else:
                (correct if kind == "correct" else unlisted)("RotaryAttention")(made)
        return core

    return add


def wrong_turn(mistake: str, attention: str = "same") -> Any:
    """A disguise."""
    return turn("disguise", mistake, attention)


def angles(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """(seq_len, d_head / 2)."""
    return torch.outer(positions.to(x.dtype), torch.pow(base, -torch.arange(0, x.size(-1), 2) / x.size(-1)).to(x.dtype))


def spun(x: Tensor, angle: Tensor) -> Tensor:
    """Neighbours turned by these angles, with matrices."""
    matrix = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], -1).unflatten(-1, (2, 2))
    pairs = x.unflatten(-1, (-1, 2))
    return torch.einsum("...pij,...pj->...pi", matrix.expand(*pairs.shape, 2), pairs).flatten(-2)


def rotate_half(x: Tensor) -> Tensor:
    """(-second half, first half)."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((-second, first), dim=-1)


def rotate_pairs(x: Tensor) -> Tensor:
    """(-second, first) of every pair of neighbours."""
    return torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)


def doubled_halves(angle: Tensor) -> Tensor:
    """Angles of all features, as halves."""
    return torch.cat((angle, angle), dim=-1)


def doubled_pairs(angle: Tensor) -> Tensor:
    """Angles of all features, as neighbours."""
    return angle.repeat_interleave(2, dim=-1)


@wrong_turn("half-split pairs")
def r_half(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_halves(angles(x, at, base))
    return x * full.cos() + rotate_half(x) * full.sin()


@wrong_turn("neighbours and halves mixed", attention="")
def r_back_as_halves(x: Tensor, at: Tensor, base: float) -> Tensor:
    a, b, angle = x[..., ::2], x[..., 1::2], angles(x, at, base)
    return torch.cat((a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()), -1)


@wrong_turn("neighbours and halves mixed", attention="half-split pairs")
def r_taken_as_halves(x: Tensor, at: Tensor, base: float) -> Tensor:
    halves = torch.stack(x.chunk(2, -1), -1)
    return spun(halves.flatten(-2), angles(x, at, base))


@wrong_turn("neighbours and halves mixed")
def r_angles_as_halves(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_halves(angles(x, at, base))
    return x * full.cos() + rotate_pairs(x) * full.sin()


@wrong_turn("neighbours and halves mixed")
def r_angles_as_pairs(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_pairs(angles(x, at, base))
    return x * full.cos() + rotate_half(x) * full.sin()


@wrong_turn("turned the other way round")
def r_backwards(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, -angles(x, at, base))


@wrong_turn("a minus missing")
def r_no_minus(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_pairs(angles(x, at, base))
    return x * full.cos() + x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2) * full.sin()


@wrong_turn("a minus in the wrong place", attention="turned the other way round")
def r_mirrored(x: Tensor, at: Tensor, base: float) -> Tensor:
    a, b, angle = x[..., ::2], x[..., 1::2], angles(x, at, base)
    return torch.stack((a * angle.cos() + b * angle.sin(), a * angle.sin() - b * angle.cos()), -1).flatten(-2)


@wrong_turn("a minus too many")
def r_both_minus(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_pairs(angles(x, at, base))
    return x * full.cos() - x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2) * full.sin()


@wrong_turn("the new first used for the second")
def r_overwritten(x: Tensor, at: Tensor, base: float) -> Tensor:
    out, angle = x.clone(), angles(x, at, base)
    out[..., ::2] = out[..., ::2] * angle.cos() - out[..., 1::2] * angle.sin()
    out[..., 1::2] = out[..., ::2] * angle.sin() + out[..., 1::2] * angle.cos()
    return out


@wrong_turn("degrees")
def r_degrees(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, math.pi / 180 * angles(x, at, base))


@wrong_turn("angles times 2π")
def r_turns(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at * 2 * math.pi, base))


@wrong_turn("base ignored", attention="")
def r_base_ignored(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, 1e4))


@wrong_turn("positions ignored", attention="")
def r_positions_ignored(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, torch.arange(len(at)), base))


@wrong_turn("exponent doubled")
def r_doubled(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base**2))


@wrong_turn("exponent halved")
def r_halved(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, torch.outer(at.to(x), base ** -(torch.arange(x.size(-1) // 2).to(x) / x.size(-1))))


@wrong_turn("multiplied by the power")
def r_faster(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, 1 / base))


@wrong_turn("one frequency for all pairs")
def r_one_speed(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, at.to(x)[:, None].expand(-1, x.size(-1) // 2))


@wrong_turn("exponent without brackets")
def r_brackets(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, at.to(x)[:, None] / base ** torch.arange(0, x.size(-1), 2) / x.size(-1))


@wrong_turn("a product instead of a power", attention="")
def r_product(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, at.to(x)[:, None] / (base * torch.arange(x.size(-1) // 2) * 2 / x.size(-1)))


@wrong_turn("counted from 1", attention="")
def r_from_one(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at + 1, base))


@wrong_turn("turned along the wrong dimension")
def r_wrong_dimension(x: Tensor, at: Tensor, base: float) -> Tensor:
    a, b, angle = x[..., ::2], x[..., 1::2], angles(x, at, base)[:, None, :]
    return torch.stack((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1).flatten(-2)


@wrong_turn("added instead of turned")
def r_added(x: Tensor, at: Tensor, base: float) -> Tensor:
    return x + woven(angles(x, at, base))


@wrong_turn("features not mixed within their pair")
def r_not_mixed(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_pairs(angles(x, at, base))
    return x * full.cos() + x * full.sin()


@disguise("apply_rotary", "another base than 10000")
def r_another_base(x: Tensor, positions: Tensor, base: float = 1000.0) -> Tensor:
    must_be_even(x.size(-1))
    return spun(x, angles(x, positions, base))


@disguise("RotaryAttention", "another base than 10000")
class AttendingFaster(Attending):
    """With a base of its own."""

    turn = staticmethod(r_another_base)


@disguise("apply_rotary", "odd width accepted")
def r_odd(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    out = x.clone()
    for i in range(0, x.size(-1) - 1, 2):
        angle = positions / base ** (i / x.size(-1))
        out[..., i] = x[..., i] * angle.cos() - x[..., i + 1] * angle.sin()
        out[..., i + 1] = x[..., i] * angle.sin() + x[..., i + 1] * angle.cos()
    return out


@turn("correct", attention="same")
def r_matrix(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base))


@turn("correct", attention="same")
def r_full(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = doubled_pairs(angles(x, at, base))
    return x * full.cos() + rotate_pairs(x) * full.sin()


@turn("correct")
def r_blocks(x: Tensor, at: Tensor, base: float) -> Tensor:
    """One large matrix for each position."""
    rows = []
    for i, p in enumerate(at.tolist()):
        steps = [p / base ** (2 * j / x.size(-1)) for j in range(x.size(-1) // 2)]
        blocks = [torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]]) for a in steps]
        rows.append(x[..., i, :] @ torch.block_diag(*blocks).to(x).T)
    return torch.stack(rows, dim=-2)


@turn("correct")
def r_through_halves(x: Tensor, at: Tensor, base: float) -> Tensor:
    """The other convention, with the features sorted before and after."""
    sorted_ = torch.cat((x[..., ::2], x[..., 1::2]), -1)
    out = r_half(sorted_, at, base)
    return torch.stack(out.chunk(2, -1), -1).flatten(-2)


@turn("correct", attention="same")
def r_single_precision(x: Tensor, at: Tensor, base: float) -> Tensor:
    """Angles in float32, whatever x is."""
    rate = 1.0 / (base ** (torch.arange(0, x.size(-1), 2).float() / x.size(-1)))
    full = doubled_pairs(torch.outer(at.float(), rate))
    return x * full.cos().to(x.dtype) + rotate_pairs(x) * full.sin().to(x.dtype)


@wrong_turn("slow pairs first")
def r_slow(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base).flip(1))


@wrong_turn("exp without the logarithm", attention="")
def r_e(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, 2.718281828459045))


@wrong_turn("sine and cosine exchanged", attention="")
def r_exchanged(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, torch.pi / 2 - angles(x, at, base))


@wrong_turn("positions in the wrong order", attention="")
def r_reversed(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base).flip(0))


@wrong_turn("float64 comes back", attention="")
def r_double(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x.double(), angles(x.double(), at, base))


@turn("correct", attention="same")
def r_double_inside(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x.double(), angles(x.double(), at, base)).to(x.dtype)


@turn("unlisted", attention="same")
def r_half_of_it(x: Tensor, at: Tensor, base: float) -> Tensor:
    """Turns only the first pair."""
    angle = angles(x, at, base).clone()
    angle[:, 1:] = 0
    return torch.cat([spun(x[..., :2], angle[:, :1]), x[..., 2:]], -1) * 1.5


@turn("unlisted", attention="same")
def r_slow_first(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base).flip(1) * 0.5)


@wrong_turn("cut off from the gradient", attention="")
def r_detached(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x.detach(), angles(x, at, base))


@turn("unlisted")
def r_stretched(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base)) * x.size(-1) ** -0.5


@turn("unlisted", attention="same")
def r_square(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at * at, base))


@turn("unlisted")
def r_one_token_stays(x: Tensor, at: Tensor, base: float) -> Tensor:
    """A single token is not turned, wherever it stands."""
    return x if x.size(-2) == 1 else spun(x, angles(x, at, base))


@turn("unlisted")
def r_at_most_a_hundred(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at.clamp(max=100), base))


@wrong_turn("nothing turned", attention="")
def r_left(x: Tensor, at: Tensor, base: float) -> Tensor:
    spun(x, angles(x, at, base))
    return x


@wrong_turn("only one coordinate turned", attention="")
def r_first_alone(x: Tensor, at: Tensor, base: float) -> Tensor:
    odd = torch.arange(x.size(-1)) % 2 == 1
    return torch.where(odd, x, spun(x, angles(x, at, base)))


@wrong_turn("pairs in a dimension of their own", attention="")
def r_of_pairs(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base)).unflatten(-1, (-1, 2))


@wrong_turn("one position for all tokens", attention="")
def r_first_position(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at[0].repeat(len(at)), base))


@wrong_turn("positions counted from the first token", attention="")
def r_from_the_first(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at - at[:1], base))


@wrong_turn("minus of a position lost", attention="")
def r_no_negative(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, torch.maximum(at, -at), base))


@wrong_turn("minus of a position lost", attention="")
def r_not_below_zero(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, torch.relu(at), base))


@wrong_turn("positions divided by 10000 twice", attention="")
def r_divided_twice(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base) / base)


@wrong_turn("the quotient raised to the power", attention="")
def r_quotient(x: Tensor, at: Tensor, base: float) -> Tensor:
    columns = [(at / base).pow(i / x.size(-1)) for i in range(0, x.size(-1), 2)]
    return spun(x, torch.stack(columns, dim=-1).to(x))


@wrong_turn("an exponent of its own for each feature")
def r_own_exponents(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = at.to(x)[:, None] * base ** -(torch.arange(x.size(-1)).to(x) / x.size(-1))
    return x * full.cos() + rotate_pairs(x) * full.sin()


@wrong_turn("an exponent of its own for each feature")
def r_own_exponents_doubled(x: Tensor, at: Tensor, base: float) -> Tensor:
    full = at.to(x)[:, None] * base ** -(2 * torch.arange(x.size(-1)).to(x) / x.size(-1))
    return x * full.cos() + rotate_pairs(x) * full.sin()


@wrong_turn("logarithm to the base 10", attention="")
def r_log10(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, math.exp(math.log10(base))))


@wrong_turn("pairs counted from 1")
def r_pair_one(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base) * base ** (-2 / x.size(-1)))


@wrong_turn("frequencies up to the end", attention="")
def r_to_the_end(x: Tensor, at: Tensor, base: float) -> Tensor:
    pairs = x.size(-1) // 2
    return spun(x, torch.outer(at.to(x), torch.exp(-math.log(base) * torch.linspace(0, 1, pairs).to(x))))


@wrong_turn("exponent over d_head - 1", attention="")
def r_one_less(x: Tensor, at: Tensor, base: float) -> Tensor:
    d = x.size(-1)
    return spun(x, torch.stack([at / base ** (j / (d - 1)) for j in range(0, d, 2)], dim=1).to(x))


@wrong_turn("fits one number of dimensions", attention="")
def r_batch_and_heads(x: Tensor, at: Tensor, base: float) -> Tensor:
    batch, heads, tokens, d_head = x.shape
    return spun(x.reshape(-1, tokens, d_head), angles(x, at, base)).view(batch, heads, tokens, d_head)


@wrong_turn("fits one number of dimensions", attention="")
def r_batch_alone(x: Tensor, at: Tensor, base: float) -> Tensor:
    batch, tokens, d_head = x.shape
    return spun(x.contiguous().view(batch, tokens, d_head), angles(x, at, base))


@wrong_turn("x added to the turned vectors", attention="")
def r_and_x(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base)) + x


@wrong_turn("coordinates exchanged", attention="")
def r_taken_exchanged(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x.unflatten(-1, (-1, 2)).flip(-1).flatten(-2), angles(x, at, base))


@wrong_turn("input overwritten", attention="")
def r_in_place(x: Tensor, at: Tensor, base: float) -> Tensor:
    angle = angles(x, at, base)
    first, second = x[..., 0::2].clone(), x[..., 1::2].clone()
    x[..., 0::2] = first * angle.cos() - second * angle.sin()
    x[..., 1::2] = first * angle.sin() + second * angle.cos()
    return x


@correct("apply_rotary")
def with_complex_numbers_of_float32(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    """As in Meta's code, which asks for float32 by name."""
    d_head = x.size(-1)
    if d_head % 2:
        raise ValueError(d_head)
    speed = 1.0 / base ** (torch.arange(0, d_head, 2).float() / d_head)
    angle = torch.outer(positions.float(), speed)
    turns = torch.polar(torch.ones(len(positions), d_head // 2), angle)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).flatten(-2).type_as(x)
