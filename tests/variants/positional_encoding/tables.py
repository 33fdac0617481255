"""Lesson 04: the table of sinusoids, alone and in the layer that adds it."""

import cmath
import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted
from tests.variants.positional_encoding.shared import Slips, around, must_be_even, rates, woven

# Tables, slips ----------------------------------------------------------------------------


def number_by_number(max_len: int, d_model: int) -> Tensor:
    """Two loops and the sine of single numbers."""
    must_be_even(d_model)
    table = torch.zeros(max_len, d_model)
    for pos in range(max_len):
        for i in range(0, d_model, 2):
            angle = pos / 10000 ** (i / d_model)
            table[pos, i] = math.sin(angle)
            table[pos, i + 1] = math.cos(angle)
    return table


def slips_of_tables(trunk: Callable[[int, int], Tensor], made: Slips, alone: Slips) -> None:
    """Slips of sinusoidal_encoding, those in `made` also of a PositionalEncoding around it."""
    slips("sinusoidal_encoding", trunk, made)
    slips("sinusoidal_encoding", trunk, alone)
    slips("PositionalEncoding", trunk, made, around=around)


slips_of_tables(
    number_by_number,
    {
        "halves side by side": {"pos, i]": "pos, i // 2]", "pos, i + 1]": "pos, (d_model + i) // 2]"},
        "sine and cosine exchanged": [
            {"math.sin(angle)": "math.cos(angle)", "math.cos(angle)": "math.sin(angle)"},
            {"[pos, i]": "[pos, i + 1]", "[pos, i + 1]": "[pos, i]"},
        ],
        "exponent doubled": {"(i / d_model)": "(2 * i / d_model)"},
        "exponent halved": {"(i / d_model)": "(i / 2 / d_model)"},
        "the cosine with a frequency of its own": [
            {"math.cos(angle)": f"math.cos(pos / 10000 ** ({exponent} / d_model))"}
            for exponent in ("(i + 1)", "(2 * (i + 1))", "(2 * i + 1)", "(i + 2)")
        ],
        "exponent doubled + the cosine with a frequency of its own": {
            "(i / d_model)": "(2 * i / d_model)",
            "math.cos(angle)": "math.cos(pos / 10000 ** (2 * (i + 1) / d_model))",
        },
        "another base than 10000": [{"10000": "1000"}, {"10000": "100000"}],
        "degrees": [
            {"angle = pos": "angle = math.radians(pos)"},
            {"math.sin(angle)": "math.sin(math.radians(angle))", "math.cos(angle)": "math.cos(math.radians(angle))"},
        ],
        "angles times 2π": {"angle = pos": "angle = 2 * math.pi * pos"},
        "positions divided by 10000 twice": {"pos / 10000": "pos / 10000 / 10000"},
        "multiplied by the power": {"pos / 10000": "pos * 10000"},
        "exponent without brackets": [{"(i / d_model)": "i / d_model"}, {"(i / d_model)": "i"}],
        "one frequency for all pairs": {"i / d_model": "i // d_model"},
        "frequencies up to the end": {"i / d_model": "i / max(d_model - 2, 1)"},
        "no cosine": {"math.cos": "math.sin"},
        "no sine": {"math.sin": "math.cos"},
        "sliced by position instead of by channel": {
            "math.sin(angle)": "math.cos(angle) if pos % 2 else math.sin(angle)",
            "math.cos(angle)": "math.cos(angle) if pos % 2 else math.sin(angle)",
        },
        "one row for all positions": [{"angle = pos": "angle = 1"}, {"angle = pos": "angle = max_len"}],
        "counted from 1": {"angle = pos": "angle = (pos + 1)"},
        "odd width accepted": {"must_be_even(d_model)": "pass"},
        "the quotient raised to the power": {"pos / 10000 ** (i / d_model)": "(pos / 10000) ** (i / d_model)"},
        "exponent over max_len": {"/ d_model": "/ max_len"},
        "every second column not filled": [
            {"            table[pos, i + 1] = math.cos(angle)\n": ""},
            {"            table[pos, i] = math.sin(angle)\n": ""},
        ],
        "sines negative": {"math.sin(angle)": "-math.sin(angle)"},
        "positions scaled by max_len": {"angle = pos": "angle = pos / max_len"},
    },
    {
        "another number of rows": {"in range(max_len)": "in range(max_len + 1)", "zeros(max_len": "zeros(max_len + 1"},
        "frequencies up to the end": {"i / d_model": "i / (d_model - 2)"},
        "features in rows": {"return table": "return table.T"},
        "a dimension too many": [
            {"return table": "return table.unsqueeze(0)"},
            {"return table": "return table[:, None]"},
        ],
    },
)


def from_logarithms(max_len: int, d_model: int) -> Tensor:
    """As in most code: exp of a logarithm."""
    must_be_even(d_model)
    speed = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angles = torch.arange(max_len).unsqueeze(-1) * speed
    return torch.stack((torch.sin(angles), torch.cos(angles)), dim=-1).flatten(1)


IN_TURN = "torch.stack((torch.sin(angles), torch.cos(angles)), dim=-1).flatten(1)"
slips_of_tables(
    from_logarithms,
    {
        "halves side by side": [
            {IN_TURN: "torch.cat((torch.sin(angles), torch.cos(angles)), dim=-1)"},
            {IN_TURN: "torch.cat((torch.cos(angles), torch.sin(angles)), dim=-1)"},
            {"dim=-1": "dim=1"},
        ],
        "sine and cosine exchanged": {"torch.sin(angles), torch.cos(angles)": "torch.cos(angles), torch.sin(angles)"},
        "exponent doubled": [
            {"-math.log": "-2 * math.log"},
            {"torch.arange(0, d_model, 2)": "2 * torch.arange(0, d_model, 2)"},
        ],
        "exponent halved": [{"torch.arange(0, d_model, 2)": "torch.arange(d_model // 2)"}, {"10000.0": "100.0"}],
        "another base than 10000": [{"10000.0": "1000.0"}, {"10000.0": "1e5"}],
        "logarithm to the base 10": {"math.log": "math.log10"},
        "degrees": {"angles = ": "angles = math.pi / 180 * "},
        "angles times 2π": {"angles = ": "angles = 2 * math.pi * "},
        "positions divided by 10000 twice": {".unsqueeze(-1)": ".unsqueeze(-1) / 10000"},
        "multiplied by the power": {"-math.log": "math.log"},
        "exponent without brackets": [
            {"math.log(10000.0) / d_model": "math.log(10000.0)"},
            {"math.log(10000.0)": "10000.0"},
        ],
        "one frequency for all pairs": {"torch.arange(0, d_model, 2) *": "torch.arange(0, d_model, 2) // d_model *"},
        "frequencies up to the end": {"/ d_model": "/ max(d_model - 2, 1)"},
        "halves side by side + frequencies up to the end": {
            IN_TURN: "torch.cat((torch.sin(angles), torch.cos(angles)), dim=-1)",
            "/ d_model": "/ max(d_model - 2, 1)",
        },
        "no cosine": {"torch.cos": "torch.sin"},
        "no sine": {"torch.sin": "torch.cos"},
        "one row for all positions": {"torch.arange(max_len).unsqueeze(-1)": "torch.ones(max_len, 1)"},
        "counted from 1": {"arange(max_len)": "arange(1, max_len + 1)"},
        "odd width accepted": {"must_be_even(d_model)": "pass"},
        "exponent over max_len": {"/ d_model": "/ max_len"},
        "pairs counted from 1": {"(0, d_model, 2)": "(2, d_model + 1, 2)"},
        "sines negative": [{"-1) * speed": "-1) * -speed"}, {"torch.sin(angles)": "-torch.sin(angles)"}],
        "positions scaled by max_len": [
            {"torch.arange(max_len)": "torch.linspace(0, 1, max_len)"},
            {".unsqueeze(-1)": ".unsqueeze(-1) / max_len"},
        ],
    },
    {
        "logarithm to the base 10": {"math.log": "math.log2"},
        "another number of rows": [
            {"arange(max_len)": "arange(max_len + 1)"},
            {"arange(max_len)": "arange(max_len - 1)"},
        ],
        "pairs in a dimension of their own": {".flatten(1)": ""},
        "features in rows": {".flatten(1)": ".flatten(1).T"},
        "a dimension too many": [{".flatten(1)": ".flatten(1)[None]"}, {".flatten(1)": ".flatten(1).unsqueeze(1)"}],
    },
)


def by_column_numbers(max_len: int, d_model: int) -> Tensor:
    """Angles of all columns, and then sines or cosines."""
    must_be_even(d_model)
    column = torch.arange(d_model)
    rate = 1 / 10000 ** (2 * (column // 2) / d_model)
    angle = torch.arange(max_len)[:, None] * rate[None, :]
    return torch.where(column % 2 == 0, angle.sin(), angle.cos())


TWO_I = "2 * (column // 2)"
slips_of_tables(
    by_column_numbers,
    {
        "halves side by side": {TWO_I: "2 * (column % (d_model // 2))", "column % 2 == 0": "column < d_model // 2"},
        "sine and cosine exchanged": [
            {"column % 2 == 0": "column % 2 == 1"},
            {"angle.sin(), angle.cos()": "angle.cos(), angle.sin()"},
        ],
        "exponent doubled": {TWO_I: "2 * (column // 2 * 2)"},
        "exponent halved": {TWO_I: "(column // 2)"},
        "the cosine with a frequency of its own": {TWO_I: "column"},
        "exponent doubled + the cosine with a frequency of its own": {TWO_I: "2 * column"},
        "another base than 10000": {"10000": "1000"},
        "degrees": {"angle.sin(), angle.cos()": "angle.deg2rad().sin(), angle.deg2rad().cos()"},
        "angles times 2π": {"rate = 1": "rate = 2 * math.pi"},
        "positions divided by 10000 twice": {
            "torch.arange(max_len)[:, None]": "(torch.arange(max_len) / 10000)[:, None]"
        },
        "multiplied by the power": [{"1 / 10000": "10000"}, {"* rate": "/ rate"}],
        "exponent without brackets": {f"({TWO_I} / d_model)": f"({TWO_I}) / d_model"},
        "one frequency for all pairs": {f"{TWO_I} /": f"{TWO_I} //"},
        "frequencies up to the end": {"/ d_model": "/ max(d_model - 2, 1)"},
        "no cosine": {"angle.cos()": "angle.sin()"},
        "no sine": {"angle.sin()": "angle.cos()"},
        "sliced by position instead of by channel": [
            {"column % 2 == 0": "torch.arange(max_len)[:, None] % 2 == 0"},
            {"column % 2 == 0": "torch.arange(max_len)[:, None] % 2 == 0", TWO_I: "column"},
            {"column % 2 == 0": "torch.arange(max_len)[:, None] % 2 == 0", TWO_I: "2 * column"},
        ],
        "one row for all positions": {"torch.arange(max_len)[:, None]": "torch.full((max_len, 1), max_len - 1)"},
        "counted from 1": {"torch.arange(max_len)": "(1 + torch.arange(max_len))"},
        "odd width accepted": {"must_be_even(d_model)": "pass"},
        "exponent over max_len": {"/ d_model": "/ max_len"},
        "every second column not filled": {"angle.cos())": "0 * angle)"},
        "sines negative": {"rate = 1": "rate = -1"},
        "positions scaled by max_len": {"torch.arange(max_len)": "(torch.arange(max_len) / max_len)"},
    },
    {
        "another number of rows": {"torch.arange(max_len)": "torch.arange(max_len + 1)"},
        "features in rows": {"angle.cos())": "angle.cos()).T"},
        "a dimension too many": {"torch.arange(max_len)[:, None]": "torch.arange(max_len)[None, :, None]"},
    },
)


def column_by_column(max_len: int, d_model: int) -> Tensor:
    """A loop over the pairs."""
    must_be_even(d_model)
    columns = []
    for i in range(d_model // 2):
        wavelength = math.pow(10000, 2 * i / d_model)
        angles = torch.arange(max_len) / wavelength
        columns += [angles.sin(), angles.cos()]
    return torch.stack(columns, dim=1)


WAVELENGTH = "math.pow(10000, 2 * i / d_model)"
slips_of_tables(
    column_by_column,
    {
        "halves side by side": {"(columns, dim": "(columns[0::2] + columns[1::2], dim"},
        "sine and cosine exchanged": {"angles.sin(), angles.cos()": "angles.cos(), angles.sin()"},
        "exponent doubled": {"range(d_model // 2)": "range(0, d_model, 2)"},
        "exponent halved": {"2 * i": "i"},
        "the cosine with a frequency of its own": {
            "angles.cos()": "(torch.arange(max_len) / math.pow(10000, (2 * i + 1) / d_model)).cos()"
        },
        "another base than 10000": {"10000": "1000000"},
        "degrees": {"angles = ": "angles = math.pi / 180 * "},
        "angles times 2π": [
            {"torch.arange(max_len)": "torch.arange(max_len) * 2 * math.pi"},
            {"torch.arange(max_len)": "torch.arange(max_len) * math.pi"},
        ],
        "positions divided by 10000 twice": {"torch.arange(max_len)": "torch.arange(max_len) / 10000"},
        "multiplied by the power": {"/ wavelength": "* wavelength"},
        "exponent without brackets": [
            {WAVELENGTH: "math.pow(10000, 2 * i) / d_model"},
            {WAVELENGTH: "math.pow(10000, 2 * i)"},
        ],
        "a product instead of a power": {WAVELENGTH: "10000 * 2 * i / d_model"},
        "one frequency for all pairs": {WAVELENGTH: "math.pow(10000, 2 * i // d_model)"},
        "frequencies up to the end": {"/ d_model": "/ max(d_model - 2, 1)"},
        "no cosine": {"angles.cos()": "angles.sin()"},
        "no sine": {"angles.sin()": "angles.cos()"},
        "one row for all positions": {"torch.arange(max_len)": "torch.full((max_len,), d_model)"},
        "counted from 1": {"torch.arange(max_len)": "torch.arange(1, max_len + 1)"},
        "odd width accepted": {"must_be_even(d_model)": "pass"},
        "the quotient raised to the power": {
            WAVELENGTH: "10000",
            "torch.arange(max_len) / wavelength": "(torch.arange(max_len) / wavelength) ** (2 * i / d_model)",
        },
        "every second column not filled": {"angles.cos()": "torch.zeros(max_len)"},
        "sines negative": {"angles.sin()": "-angles.sin()"},
        "positions scaled by max_len": {"torch.arange(max_len)": "torch.arange(max_len) / max_len"},
    },
    {
        "another number of rows": {"torch.arange(max_len)": "torch.arange(max_len - 1)"},
        "features in rows": {"columns, dim=1": "columns"},
        "a dimension too many": {"dim=1)": "dim=1).unsqueeze(0)"},
    },
)

# Tables, wrong ----------------------------------------------------------------------------


def table(kind: str, mistake: str = "", modules: bool = True) -> Any:
    """A sinusoidal_encoding from a function of (length, width), and a PositionalEncoding around it."""

    def add(core: Callable[[int, int], Tensor]) -> Any:
        @functools.wraps(core)
        def made(max_len: int, d_model: int) -> Tensor:
            must_be_even(d_model)
            return core(max_len, d_model)

        module = around(made)
        module.__name__ = f"around_{core.__name__}"
        for name, one in (("sinusoidal_encoding", made), ("PositionalEncoding", module))[: 2 if modules else 1]:
            if kind == "disguise":
                disguise(name, mistake)(one)
            else:
                (correct if kind == "correct" else unlisted)(name)(one)
        return core

    return add


def wrong_table(mistake: str, modules: bool = True) -> Any:
    """A disguise."""
    return table("disguise", mistake, modules)


def cell_by_cell(length: int, width: int, angle: Callable[..., float], cosine: Callable[..., bool]) -> Tensor:
    """A table of single numbers: an angle, and whether its cosine or its sine, for position p and column j."""
    rows = [[(math.cos if cosine(p, j) else math.sin)(angle(p, j)) for j in range(width)] for p in range(length)]
    return torch.tensor(rows).reshape(length, width)


def odd_column(p: int, j: int) -> bool:
    """Odd columns hold cosines."""
    return j % 2 == 1


@wrong_table("halves side by side")
def t_halves(n: int, d: int) -> Tensor:
    angles = torch.outer(torch.arange(n).to(rates(d)), rates(d))
    return torch.cat([angles.sin(), angles.cos()], dim=1)


@wrong_table("sine and cosine exchanged")
def t_exchanged(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * (j // 2) / d), lambda p, j: j % 2 == 0)


@wrong_table("exponent doubled")
def t_doubled(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, 1e8))


@wrong_table("exponent halved")
def t_halved(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(d // 2) / d))


@wrong_table("the cosine with a frequency of its own")
def t_own(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (j / d), odd_column)


@wrong_table("exponent doubled + the cosine with a frequency of its own")
def t_own_doubled_columns(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * j / d), odd_column)


@wrong_table("another base than 10000")
def t_base_larger(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, 1e5))


@wrong_table("logarithm to the base 10")
def t_log10(n: int, d: int) -> Tensor:
    return woven(torch.arange(n).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * -(math.log10(10000) / d)))


@wrong_table("degrees")
def t_to_degrees(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: math.degrees(p / 10000 ** ((j - j % 2) / d)), odd_column)


@wrong_table("angles times 2π")
def t_turns(n: int, d: int) -> Tensor:
    return woven(2 * math.pi * torch.arange(n)[:, None] * rates(d))


@wrong_table("positions divided by 10000 twice")
def t_twice(n: int, d: int) -> Tensor:
    return woven((torch.arange(n) / 10000)[:, None] * rates(d))


@wrong_table("multiplied by the power")
def t_faster(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * 10000 ** (torch.arange(0, d, 2) / d))


@wrong_table("exponent without brackets")
def t_brackets(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] / 10000.0 ** torch.arange(0, d, 2).float() / d)


@wrong_table("a product instead of a power")
def t_product(n: int, d: int) -> Tensor:
    return woven(torch.stack([torch.arange(n) / torch.tensor(10000 * 2 * i / d) for i in range(d // 2)], dim=1))


@wrong_table("one frequency for all pairs")
def t_one_speed(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] / 10000 ** (torch.arange(0, d, 2) // d))


@wrong_table("frequencies up to the end")
def t_to_the_end(n: int, d: int) -> Tensor:
    steps = torch.arange(d // 2) * (math.log(10000) / max(d // 2 - 1, 1))
    return woven(torch.arange(n)[:, None] * torch.exp(-steps))


@wrong_table("halves side by side + frequencies up to the end")
def t_tensor2tensor(n: int, d: int) -> Tensor:
    steps = torch.arange(d // 2) * (math.log(10000) / max(d // 2 - 1, 1))
    angles = torch.arange(n)[:, None] * torch.exp(-steps)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


@wrong_table("no cosine")
def t_no_cosine(n: int, d: int) -> Tensor:
    return torch.sin(torch.arange(n)[:, None] * rates(d).repeat_interleave(2))


@wrong_table("no sine")
def t_no_sine(n: int, d: int) -> Tensor:
    return torch.cos(torch.arange(n)[:, None] * rates(d).repeat_interleave(2))


@wrong_table("sliced by position instead of by channel")
def t_by_position_loop(n: int, d: int) -> Tensor:
    power, table = 10000 ** (torch.arange(d) / d), torch.zeros(n, d)
    for p in range(n):
        table[p] = torch.sin(p / power) if p % 2 == 0 else torch.cos(p / power)
    return table


@wrong_table("one row for all positions")
def t_one_row(n: int, d: int) -> Tensor:
    return woven(1.0 * rates(d)).expand(n, d).clone()


@wrong_table("counted from 1")
def t_from_one(n: int, d: int) -> Tensor:
    return woven(torch.linspace(1, n, n)[:, None] * rates(d))


@wrong_table("features in rows", modules=False)
def t_turned(n: int, d: int) -> Tensor:
    return torch.stack([f(torch.arange(n) * rate) for rate in rates(d) for f in (torch.sin, torch.cos)])


@wrong_table("a dimension too many", modules=False)
def t_in_the_middle(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None, None] * rates(d))


@wrong_table("the quotient raised to the power")
def t_quotient(n: int, d: int) -> Tensor:
    columns = [f((torch.arange(n) / 10000).pow(j / d)) for j in range(0, d, 2) for f in (torch.sin, torch.cos)]
    return torch.stack(columns, dim=1)


@wrong_table("exponent over d_model - 1")
def t_one_less(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (j // 2 * 2 / (d - 1)), odd_column)


@wrong_table("pairs counted from 1")
def t_pair_one(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * (j // 2 + 1) / d), odd_column)


@wrong_table("exponent over max_len")
def t_over_length(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * torch.exp(-torch.arange(0, d, 2) / n * math.log(10000)))


@wrong_table("every second column not filled")
def t_sines_alone(n: int, d: int) -> Tensor:
    angles = torch.arange(n)[:, None] * rates(d)
    return torch.stack([angles.sin(), torch.zeros(n, d // 2)], dim=-1).flatten(1)


@wrong_table("sines negative")
def t_clockwise(n: int, d: int) -> Tensor:
    turns = torch.exp(-1j * torch.arange(n)[:, None] * rates(d))
    return torch.stack([turns.imag, turns.real], dim=-1).flatten(1)


@wrong_table("another number of rows", modules=False)
def t_a_row_more(n: int, d: int) -> Tensor:
    return woven(torch.outer(torch.linspace(0, n, n + 1), rates(d)))


@wrong_table("another number of rows", modules=False)
def t_a_row_less(n: int, d: int) -> Tensor:
    return woven(torch.arange(n - 1)[:, None] * rates(d))


@wrong_table("pairs in a dimension of their own", modules=False)
def t_of_pairs(n: int, d: int) -> Tensor:
    angles = torch.arange(n)[:, None] * rates(d)
    return torch.stack([angles.sin(), angles.cos()], dim=-1)


def odd_table(max_len: int, d_model: int) -> Tensor:
    """One sine more than cosines."""
    angles = torch.arange(max_len)[:, None] * rates(d_model)
    table = torch.zeros(max_len, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles[:, : d_model // 2].cos()
    return table


disguise("sinusoidal_encoding", "odd width accepted")(odd_table)
disguise("PositionalEncoding", "odd width accepted")(around(odd_table))


@disguise("sinusoidal_encoding", "odd width accepted")
def odd_that_does_not_fit(max_len: int, d_model: int) -> Tensor:
    angles = torch.arange(max_len)[:, None] * rates(d_model)
    table = torch.zeros(max_len, d_model)
    table[:, ::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


# Tables, right ----------------------------------------------------------------------------


@table("correct")
def t_complex(n: int, d: int) -> Tensor:
    turns = [[cmath.exp(1j * p * 10000 ** (-2 * i / d)) for i in range(d // 2)] for p in range(n)]
    return torch.tensor([[part for one in row for part in (one.imag, one.real)] for row in turns])


@table("correct")
def t_shifted_sine(n: int, d: int) -> Tensor:
    quarter = torch.tensor([0, math.pi / 2]).repeat(d // 2)
    return torch.sin(torch.arange(n)[:, None] * rates(d).repeat_interleave(2) + quarter)


@table("correct")
def t_by_turning(n: int, d: int) -> Tensor:
    """Each row from the row before, turned by one step."""
    step, row, rows = rates(d).double(), torch.tensor([0.0, 1.0]).repeat(d // 2).double(), []
    for _ in range(n):
        rows.append(row)
        sine, cosine = row[0::2], row[1::2]
        new_sine = sine * step.cos() + cosine * step.sin()
        row = torch.stack([new_sine, cosine * step.cos() - sine * step.sin()], -1).flatten()
    return torch.stack(rows).to(torch.get_default_dtype())


@table("correct")
def t_columns(n: int, d: int) -> Tensor:
    at = torch.arange(n)
    return torch.stack([(at / 10000 ** (j // 2 * 2 / d) + j % 2 * math.pi / 2).sin() for j in range(d)], dim=1)


@table("correct")
def t_where(n: int, d: int) -> Tensor:
    j = torch.arange(d)
    angles = torch.arange(n)[:, None] / torch.pow(10000, (j - j % 2) / d)
    return torch.where(j % 2 == 0, angles.sin(), angles.cos())


@table("correct")
def t_single_precision(n: int, d: int) -> Tensor:
    position = torch.arange(n, dtype=torch.float32)[:, None]
    return woven(position / torch.pow(torch.tensor(10000.0), torch.arange(0, d, 2).float() / d))


@table("correct")
def t_einsum(n: int, d: int) -> Tensor:
    angles = torch.einsum("p,i->pi", torch.arange(n).double(), rates(d).double())
    turned = torch.polar(torch.ones_like(angles), math.pi / 2 - angles)  # the cosine of this is the sine of that
    return torch.view_as_real(turned).flatten(1).to(torch.get_default_dtype())


@correct("sinusoidal_encoding")
def points_on_a_circle(max_len: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(d_model)
    speed = 1.0 / 10000 ** (torch.arange(0, d_model, 2).float() / d_model)
    angle = torch.outer(torch.arange(max_len).float(), speed)
    return torch.view_as_real(torch.polar(torch.ones(angle.shape), angle)).flip(-1).flatten(1)


# Tables, wrong in other ways ----------------------------------------------------------------------------


@table("unlisted")
def t_noise(n: int, d: int) -> Tensor:
    return torch.linspace(-1, 1, n * d).reshape(n, d)


@wrong_table("counted from the end")
def t_backwards(n: int, d: int) -> Tensor:
    return woven(torch.arange(n).flip(0)[:, None] * rates(d))


@table("unlisted")
def t_halved_numbers(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d)) / 2


@wrong_table("exp without the logarithm")
def t_e(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, math.e))


@wrong_table("float64 comes back")
def t_double(n: int, d: int) -> Tensor:
    return woven(torch.arange(n, dtype=torch.float64)[:, None] * rates(d))


@wrong_table("a parameter, not plain numbers", modules=False)
def t_parameter(n: int, d: int) -> Tensor:
    return nn.Parameter(woven(torch.arange(n)[:, None] * rates(d)), requires_grad=True)


@table("correct")
def t_double_inside(n: int, d: int) -> Tensor:
    return woven(torch.arange(n, dtype=torch.float64)[:, None] * rates(d)).to(torch.get_default_dtype())


@wrong_table("slow pairs first")
def t_slow_first(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d).flip(0))


@wrong_table("positions scaled by max_len")
def t_by_length(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] / n * rates(d))


@wrong_table("position 0 empty")
def t_row_for_padding(n: int, d: int) -> Tensor:
    made = woven(torch.arange(n)[:, None] * rates(d))
    made[0] = 0.0
    return made


@wrong_table("a list instead of a tensor", modules=False)
def t_rows(n: int, d: int) -> list:
    return [woven(place * rates(d)).tolist() for place in range(n)]


@table("unlisted")
def t_tangent(n: int, d: int) -> Tensor:
    return torch.tanh(torch.arange(n)[:, None] * rates(d).repeat_interleave(2))


@table("unlisted")
def t_every_second(n: int, d: int) -> Tensor:
    return woven(2.0 * torch.arange(n)[:, None] * rates(d))


@table("unlisted", modules=False)
def t_wraps_around(n: int, d: int) -> Tensor:
    """Positions in a byte."""
    return woven(torch.arange(n).to(torch.uint8)[:, None] * rates(d))
