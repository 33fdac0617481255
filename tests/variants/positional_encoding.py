"""Lesson 04. Nothing here uses another lesson, and hardly anything another exercise: what is needed is written out."""

import cmath
import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, unlisted

# Tables ----------------------------------------------------------------------------


def must_be_even(size: int) -> None:
    """The given ValueError."""
    if size % 2:
        raise ValueError(f"{size} is odd; give an even number")


class Encoding(nn.Module):
    """A PositionalEncoding around any table; the rest of it is right."""

    def __init__(self, make: Callable[[int, int], Tensor], d_model: int, max_len: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("table", make(max_len, d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add the rows token by token."""
        if start < 0 or start + x.shape[1] > self.table.shape[0]:
            raise ValueError("the table is too short")
        return self.dropout(torch.stack([x[:, i] + self.table[start + i] for i in range(x.shape[1])], dim=1))


def around(make: Callable[[int, int], Tensor]) -> Any:
    """A PositionalEncoding that makes its table itself."""

    def module(d_model: int, max_len: int = 5000, dropout: float = 0.0) -> nn.Module:
        return Encoding(make, d_model, max_len, dropout)

    return module


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


def rates(width: int, base: float = 10000.0) -> Tensor:
    """The frequency of every pair."""
    return torch.exp(-torch.arange(0, width, 2) / width * math.log(base))


def woven(angles: Tensor) -> Tensor:
    """Sines and cosines in turn."""
    return torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)


@wrong_table("halves side by side")
def t_halves(n: int, d: int) -> Tensor:
    angles = torch.outer(torch.arange(n).to(rates(d)), rates(d))
    return torch.cat([angles.sin(), angles.cos()], dim=1)


@wrong_table("halves side by side")
def t_halves_turned(n: int, d: int) -> Tensor:
    angles = torch.outer(torch.arange(n).to(rates(d)), rates(d))
    return torch.cat([angles.cos(), angles.sin()], dim=1)


@wrong_table("sine and cosine exchanged")
def t_exchanged(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * (j // 2) / d), lambda p, j: j % 2 == 0)


@wrong_table("exponent doubled")
def t_doubled(n: int, d: int) -> Tensor:
    table = torch.zeros(n, d)
    for i in range(0, d, 2):
        for p in range(n):
            table[p, i] = math.sin(p / 10000 ** (2 * i / d))
            table[p, i + 1] = math.cos(p / 10000 ** (2 * i / d))
    return table


@wrong_table("exponent halved")
def t_halved(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * 10000.0 ** (-torch.arange(d // 2) / d))


@wrong_table("exponent halved")
def t_base_100(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, 100.0))


@wrong_table("the cosine with a frequency of its own")
def t_own(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (j / d), odd_column)


@wrong_table("exponent doubled + the cosine with a frequency of its own")
def t_own_doubled(n: int, d: int) -> Tensor:
    table = torch.zeros(n, d)
    for p in range(n):
        for i in range(0, d, 2):
            table[p, i] = math.sin(p / 10000 ** ((2 * i) / d))
            table[p, i + 1] = math.cos(p / 10000 ** ((2 * (i + 1)) / d))
    return table


@wrong_table("exponent doubled + the cosine with a frequency of its own")
def t_own_doubled_columns(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * j / d), odd_column)


@wrong_table("another base than 10000")
def t_base(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, 1000.0))


@wrong_table("another base than 10000")
def t_base_larger(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d, 1e5))


@wrong_table("logarithm to the base 10")
def t_log10(n: int, d: int) -> Tensor:
    return woven(torch.arange(n).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * -(math.log10(10000) / d)))


@wrong_table("degrees")
def t_degrees(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d) * (math.pi / 180))


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


@wrong_table("exponent without brackets")
def t_no_logarithm(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * torch.exp(-torch.arange(0, d, 2) * 10000.0 / d))


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
def t_by_position(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * (j // 2) / d), lambda p, j: p % 2 == 1)


@wrong_table("sliced by position instead of by channel")
def t_by_position_loop(n: int, d: int) -> Tensor:
    power, table = 10000 ** (torch.arange(d) / d), torch.zeros(n, d)
    for p in range(n):
        table[p] = torch.sin(p / power) if p % 2 == 0 else torch.cos(p / power)
    return table


@wrong_table("one row for all positions")
def t_one_row(n: int, d: int) -> Tensor:
    return woven(1.0 * rates(d)).expand(n, d).clone()


@wrong_table("one row for all positions")
def t_one_row_of_the_end(n: int, d: int) -> Tensor:
    return woven(n * rates(d)).repeat(n, 1)


@wrong_table("counted from 1")
def t_from_one(n: int, d: int) -> Tensor:
    return woven(torch.linspace(1, n, n)[:, None] * rates(d))


@wrong_table("features in rows", modules=False)
def t_turned(n: int, d: int) -> Tensor:
    return torch.stack([f(torch.arange(n) * rate) for rate in rates(d) for f in (torch.sin, torch.cos)])


@wrong_table("a dimension too many", modules=False)
def t_batched(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[None, :, None] * rates(d))


@wrong_table("a dimension too many", modules=False)
def t_in_the_middle(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None, None] * rates(d))


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
def t_exp(n: int, d: int) -> Tensor:
    return woven(torch.arange(n).unsqueeze(1) * torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d)))


@table("correct")
def t_cells(n: int, d: int) -> Tensor:
    return cell_by_cell(n, d, lambda p, j: p / 10000 ** (2 * (j // 2) / d), odd_column)


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


# Tables, wrong in other ways ----------------------------------------------------------------------------


@table("unlisted")
def t_noise(n: int, d: int) -> Tensor:
    return torch.linspace(-1, 1, n * d).reshape(n, d)


@table("unlisted")
def t_backwards(n: int, d: int) -> Tensor:
    return woven(torch.arange(n).flip(0)[:, None] * rates(d))


@table("unlisted")
def t_halved_numbers(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d)) / 2


@table("unlisted")
def t_slow_first(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * rates(d).flip(0))


@table("unlisted")
def t_by_length(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] / n * rates(d))


@table("unlisted")
def t_tangent(n: int, d: int) -> Tensor:
    return torch.tanh(torch.arange(n)[:, None] * rates(d).repeat_interleave(2))


@table("unlisted")
def t_every_second(n: int, d: int) -> Tensor:
    return woven(2.0 * torch.arange(n)[:, None] * rates(d))


# PositionalEncoding ----------------------------------------------------------------------------


def right_table(max_len: int, d_model: int) -> Tensor:
    """The table, for whatever goes wrong elsewhere."""
    must_be_even(d_model)
    return t_where(max_len, d_model)


class Given(nn.Module):
    """The constructor as one would write it; `forward` refuses what does not fit, and `add` does the work."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.keep(right_table(max_len, d_model))

    def keep(self, made: Tensor) -> None:
        """Store the table."""
        self.register_buffer("table", made)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Refuse, or add."""
        if start < 0 or start + x.size(1) > len(self.table):
            raise ValueError("does not fit")
        return self.add(x, start)

    def rows(self, x: Tensor, start: int) -> Tensor:
        """(seq_len, d_model)."""
        return self.table.narrow(0, start, x.size(1))

    def add(self, x: Tensor, start: int) -> Tensor:
        """The sum, dropped."""
        return self.dropout(self.rows(x, start)[None] + x)


def module(kind: str, mistake: str = "", base: type = Given, exercise: str = "PositionalEncoding") -> Any:
    """A module in which one method differs."""

    def add(method: Callable) -> Any:
        made = type(method.__name__, (base,), {method.__name__.rsplit("__", 1)[-1]: method})
        if kind == "disguise":
            disguise(exercise, mistake)(made)
        else:
            (correct if kind == "correct" else unlisted)(exercise)(made)
        return method

    return add


def wrong(mistake: str) -> Any:
    """A disguise of PositionalEncoding; what stands behind the last double underscore names the method."""
    return module("disguise", mistake)


@wrong("a parameter instead of a buffer")
def p1__keep(self: Any, made: Tensor) -> None:
    self.register_parameter("table", nn.Parameter(made))


@wrong("a parameter instead of a buffer")
def p2__keep(self: Any, made: Tensor) -> None:
    self.table = nn.Parameter(made, requires_grad=False)


@disguise("PositionalEncoding", "a parameter instead of a buffer")
class Trained(nn.Module):
    """Not a sinusoid at all."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout, self.table = nn.Dropout(dropout), nn.Parameter(torch.zeros([max_len, d_model]))

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add."""
        end = start + x.shape[1]
        if min(start, len(self.table) - end) < 0:
            raise ValueError("too long")
        return self.dropout(self.table[None, start:end, :] + x)


@wrong("a plain attribute instead of a buffer")
def p4__keep(self: Any, made: Tensor) -> None:
    self.table = made


@wrong("one position for each sequence")
def p5__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.stack([one + self.table[start + i] for i, one in enumerate(x)]))


@wrong("one position for each sequence")
def p6__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[:, None][: x.shape[0]])


@wrong("sliced by the batch size")
def p7__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[None][:, start : start + len(x)])


@wrong("sliced by the batch size")
def p8__add(self: Any, x: Tensor, start: int) -> Tensor:
    batch, _, _ = x.shape
    return self.dropout(x + self.table[:batch, :])


@wrong("start ignored")
def p9__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.stack([x[:, i] + self.table[i] for i in range(x.size(1))], 1))


@wrong("the end without start")
def p10__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[None, start : x.shape[-2]])


@wrong("the whole table added")
def p11__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table.unsqueeze(0))


@wrong("the whole table added")
def p12__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.table[start:, :] + x)


@wrong("one row for all positions")
def p13__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[start : start + 1])


@wrong("one row for all positions")
def p14__add(self: Any, x: Tensor, start: int) -> Tensor:
    _, seq_len, _ = x.shape
    return self.dropout(x + self.table[seq_len, :])


@wrong("one row for all positions")
def p14b__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[start + x.shape[1]].view(1, 1, -1))


@wrong("multiplied instead of added")
def p15__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.einsum("btd,td->btd", x, self.rows(x, start)))


@wrong("concatenated instead of added")
def p16__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.cat((x, self.rows(x, start).repeat(len(x), 1, 1)), -1))


@wrong("tokens left out")
def p17__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.rows(x, start).repeat(x.size(0), 1, 1))


@wrong("tokens left out")
def p18__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.rows(x, start))


@wrong("nothing added")
def p19__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x)


@wrong("tokens scaled by √d_model")
def p20__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(math.sqrt(x.shape[-1]) * x + self.rows(x, start))


@wrong("no dropout")
def p21__add(self: Any, x: Tensor, start: int) -> Tensor:
    return torch.add(x, self.rows(x, start))


@wrong("dropout on the positions")
def p22__add(self: Any, x: Tensor, start: int) -> Tensor:
    return F.dropout(self.rows(x, start), self.dropout.p, self.training) + x


@wrong("dropout on the tokens")
def p23__add(self: Any, x: Tensor, start: int) -> Tensor:
    return F.dropout(x, self.dropout.p, self.training) + self.rows(x, start)


@wrong("dropout on each of the two")
def p24__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.rows(x, start).expand(x.shape)) + self.dropout(x)


@wrong("dropout in evaluation")
def p25__add(self: Any, x: Tensor, start: int) -> Tensor:
    return F.dropout(x + self.rows(x, start), p=self.dropout.p)


@wrong("input overwritten")
def p26__add(self: Any, x: Tensor, start: int) -> Tensor:
    x += self.rows(x, start)
    return self.dropout(x)


@wrong("input overwritten")
def p27__add(self: Any, x: Tensor, start: int) -> Tensor:
    for i in range(x.size(1)):
        x[:, i] += self.table[start + i]
    return self.dropout(x)


@wrong("too long an input accepted")
def p28__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    return self.dropout(x + self.table[start : start + x.size(1)])


@wrong("too long an input accepted")
def p29__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    rows = [self.table[min(start + i, len(self.table) - 1)] for i in range(x.size(1))]
    return self.dropout(x + torch.stack(rows))


class FiveThousand(Given):
    """Has its own idea of how many positions there are."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__(d_model, 5000, dropout)


class Exchanged(Given):
    """Gives its two sizes in the wrong order."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__(max_len, d_model, dropout)


disguise("PositionalEncoding", "max_len ignored")(FiveThousand)
disguise("PositionalEncoding", "max_len and d_model exchanged")(Exchanged)


@disguise("PositionalEncoding", "sliced by position instead of by channel + one position for each sequence")
class TheArticle(nn.Module):
    """As the lesson has it in the wild, in other words."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        must_be_even(d_model)
        self.p = dropout
        power = 10000 ** (torch.arange(d_model) // 2 * 2 / d_model)
        rows = [torch.cos(p / power) if p % 2 else torch.sin(p / power) for p in range(max_len)]
        self.register_buffer("pe", torch.stack(rows).unsqueeze(1))

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """As in an old tutorial."""
        if start < 0 or start + x.shape[1] > len(self.pe):
            raise ValueError("too long")
        return F.dropout(x + self.pe[start : start + x.size(0)], self.p, self.training)


# PositionalEncoding, right ----------------------------------------------------------------------------


@correct("PositionalEncoding")
class NotSaved(Given):
    """A buffer that the state_dict leaves out."""

    def keep(self, made: Tensor) -> None:
        """Store."""
        self.register_buffer("table", made, persistent=False)


@correct("PositionalEncoding")
class WithBatchDimension(nn.Module):
    """The table as tutorials have it, (1, max_len, d_model)."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop = dropout
        self.register_buffer("pe", right_table(max_len, d_model)[None])

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add."""
        end = start + x.size(-2)
        if not 0 <= start <= end <= self.pe.size(1):
            raise ValueError(f"positions {start} to {end} are not all there")
        return F.dropout(x + self.pe[:, start:end], self.drop, self.training)


@correct("PositionalEncoding")
class TwoTables(nn.Module):
    """Sines and cosines each in a buffer of their own."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        must_be_even(d_model)
        angles = torch.outer(torch.arange(max_len).to(rates(d_model)), rates(d_model))
        self.sines, self.cosines = nn.Buffer(angles.sin()), nn.Buffer(angles.cos(), persistent=False)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add to every second feature."""
        steps = range(start, start + x.size(1))
        if start < 0 or steps.stop > self.sines.size(0):
            raise ValueError("out of the table")
        out = x.clone()
        out[..., ::2] += self.sines[list(steps)]
        out[..., 1::2] += self.cosines[list(steps)]
        return self.dropout(out)


@correct("PositionalEncoding")
class Afresh(nn.Module):
    """Keeps frequencies only, and computes what is asked for."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        must_be_even(d_model)
        self.max_len = max_len
        self.register_buffer("rates", rates(d_model), persistent=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Compute and add."""
        if start < 0 or start + x.shape[1] > self.max_len:
            raise ValueError("too far")
        at = torch.arange(start, start + x.shape[1], device=x.device)
        return self.dropout(x + woven(at.unsqueeze(1) * self.rates))


@module("correct")
def c1__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + F.embedding(torch.arange(start, start + x.size(1)), self.table))


@module("correct")
def c2__add(self: Any, x: Tensor, start: int) -> Tensor:
    out = torch.zeros(x.shape)
    for b in range(x.size(0)):
        for t in range(x.size(1)):
            out[b, t] = x[b, t] + self.table[start + t]
    return F.dropout(out, p=self.dropout.p, training=self.training)


@module("correct")
def c3__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x.add(self.table.roll(-start, 0)[: x.size(1)]))


@module("correct")
def c4__add(self: Any, x: Tensor, start: int) -> Tensor:
    x = x + self.table.index_select(0, start + torch.arange(x.size(1))).requires_grad_(False)
    return self.dropout(x) if self.training else x


# PositionalEncoding, wrong in other ways ----------------------------------------------------------------------------


@module("unlisted")
def u1__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x - self.rows(x, start))


@module("unlisted")
def u2__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.rows(x, start).flip(0))


@module("unlisted")
def u3__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + 2 * self.rows(x, start))


@module("unlisted")
def u4__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x.detach() + self.rows(x, start))


@module("unlisted")
def u5__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout((x + self.rows(x, start)) / 2)


@module("unlisted")
def u6__add(self: Any, x: Tensor, start: int) -> Tensor:
    return F.dropout1d(x + self.rows(x, start), self.dropout.p, self.training)


@module("unlisted")
def u7__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    if start < 0 or start + x.size(1) >= len(self.table):
        raise ValueError("one too strict")
    return self.add(x, start)


@disguise("PositionalEncoding", "rows lined up with the sequences")
@disguise("ArticlePositionalEncoding", "rows lined up with the sequences")
class KeepsADimension(Encoding):
    """Half of the repair: as many rows as tokens, and a table of three dimensions."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        must_be_even(d_model)
        super().__init__(lambda n, d: woven(torch.arange(n)[:, None] * rates(d))[:, None], d_model, max_len, dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add what is left of the table."""
        if start < 0 or start + x.size(1) > len(self.table):
            raise ValueError("the table is too short")
        return self.dropout(self.table[start : start + x.size(1)] + x)


@table("unlisted", modules=False)
def t_wraps_around(n: int, d: int) -> Tensor:
    """Positions in a byte."""
    return woven(torch.arange(n).to(torch.uint8)[:, None] * rates(d))


@table("disguise", "degrees", modules=False)
def t_degrees_before(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * (math.pi / 180) * rates(d))


@table("disguise", "multiplied by the power", modules=False)
def t_exp_without_minus(n: int, d: int) -> Tensor:
    return woven(torch.arange(n)[:, None] * torch.exp(torch.arange(0, d, 2) * (math.log(10000.0) / d)))


# LearnedPositionalEncoding ----------------------------------------------------------------------------


class Learned(nn.Module):
    """As given; `look` does the work."""

    def __init__(self, max_len: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(max_len, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Refuse, or add."""
        if x.shape[1] > self.embedding.weight.shape[0]:
            raise ValueError("too long")
        return self.look(x)


learned = functools.partial(module, base=Learned, exercise="LearnedPositionalEncoding")


@learned("disguise", "one position for each sequence")
def l1__look(self: Any, x: Tensor) -> Tensor:
    return torch.stack([one + self.embedding.weight[i] for i, one in enumerate(x)])


@learned("disguise", "sliced by the batch size")
def l2__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: len(x)]


@learned("disguise", "one row for all positions")
def l3__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.zeros(x.shape[:2], dtype=torch.long))


@learned("disguise", "one row for all positions")
def l4__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[x.size(1) - 1]


@learned("disguise", "the whole table added")
def l5__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight.unsqueeze(0)


@learned("disguise", "counted from 1")
def l6__look(self: Any, x: Tensor) -> Tensor:
    return x + torch.stack([self.embedding(torch.tensor(i + 1)) for i in range(x.size(1))])


@learned("disguise", "multiplied instead of added")
def l7__look(self: Any, x: Tensor) -> Tensor:
    return torch.mul(self.embedding.weight[: x.size(1)], x)


@learned("disguise", "concatenated instead of added")
def l8__look(self: Any, x: Tensor) -> Tensor:
    return torch.cat((x, self.embedding.weight[: x.size(1)].repeat(len(x), 1, 1)), dim=2)


@learned("disguise", "tokens left out")
def l9__look(self: Any, x: Tensor) -> Tensor:
    return self.embedding(torch.arange(x.size(1)).repeat(len(x), 1))


@learned("disguise", "tokens left out")
def l10__look(self: Any, x: Tensor) -> Tensor:
    return self.embedding.weight[: x.size(1)]


@learned("disguise", "vectors cut off from the gradient")
def l11__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight.data[: x.size(1)]


@learned("disguise", "input overwritten")
def l12__look(self: Any, x: Tensor) -> Tensor:
    x += self.embedding(torch.arange(x.size(1)))
    return x


@learned("disguise", "too long an input accepted")
def l13__forward(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.arange(x.size(1)))


@learned("disguise", "too long an input accepted")
def l14__forward(self: Any, x: Tensor) -> Tensor:
    at = torch.arange(x.size(1))
    return x + self.embedding(torch.minimum(at, torch.tensor(self.embedding.num_embeddings - 1)))


@learned("disguise", "tokens scaled by √d_model")
def l15__look(self: Any, x: Tensor) -> Tensor:
    return self.embedding.weight[: x.size(1)] + x * math.sqrt(self.embedding.embedding_dim)


@learned("disguise", "counted from the end")
def l16__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[-x.size(1) :]


@learned("correct")
def l17__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: x.size(1)]


@learned("correct")
def l18__look(self: Any, x: Tensor) -> Tensor:
    return torch.stack([x[:, i] + self.embedding(torch.tensor(i)) for i in range(x.size(1))], dim=1)


@learned("correct")
def l19__look(self: Any, x: Tensor) -> Tensor:
    at = torch.arange(x.size(1)).expand(x.shape[:2])
    return x + self.embedding(at)


@learned("correct")
def l20__look(self: Any, x: Tensor) -> Tensor:
    chosen = F.one_hot(torch.arange(x.size(1)), self.embedding.num_embeddings).to(x)
    return x + chosen @ self.embedding.weight


@learned("correct")
def l21__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(torch.ones(x.shape[1], dtype=torch.int).cumsum(0) - 1)


@learned("correct")
def l22__forward(self: Any, x: Tensor) -> Tensor:
    try:
        return x + self.embedding(torch.arange(x.size(1)))
    except IndexError as error:
        raise ValueError(f"{x.size(1)} tokens are too many") from error


@learned("unlisted")
def l23__look(self: Any, x: Tensor) -> Tensor:
    return x - self.embedding.weight[: x.size(1)]


@learned("unlisted")
def l28__look(self: Any, x: Tensor) -> Tensor:
    """Nothing is added once training is over."""
    return x + self.embedding.weight[: x.size(1)] if self.training else x


@learned("unlisted")
def l24__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding.weight[: x.size(1)].flip(0)


@learned("unlisted")
def l25__look(self: Any, x: Tensor) -> Tensor:
    return x + self.embedding(x.abs().sum(-1).long() % self.embedding.num_embeddings)


@learned("unlisted")
def l26__look(self: Any, x: Tensor) -> Tensor:
    return x.detach() + self.embedding.weight[: x.size(1)]


@learned("unlisted")
def l27__look(self: Any, x: Tensor) -> Tensor:
    return (x + self.embedding.weight[: x.size(1)]) / 2**0.5


# apply_rotary ----------------------------------------------------------------------------

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


class Attending(nn.Module):
    """Rotary attention written out: heads behind the tokens, a softmax by hand."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads:
            raise ValueError(f"{d_model} is not divisible by {num_heads}")
        must_be_even(d_model // num_heads)
        self.num_heads = num_heads
        for name in ("q", "k", "v", "out"):
            self.add_module(f"{name}_proj", nn.Linear(d_model, d_model))

    @staticmethod
    def turn(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
        """As complex numbers."""
        rate = base ** (-torch.arange(0, x.size(-1), 2, dtype=x.dtype) / x.size(-1))
        turns = torch.polar(torch.ones(1, dtype=x.dtype), positions.to(x.dtype)[:, None] * rate)
        return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2)).contiguous()) * turns).flatten(-2)

    def cut(self, x: Tensor) -> Tensor:
        """(batch, num_heads, seq_len, d_head)."""
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Turn both."""
        return self.turn(q, torch.arange(q.size(2))), self.turn(k, torch.arange(k.size(2)))

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """q, k, v of all heads."""
        return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.cut(self.v_proj(value))

    def shares(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """The weights."""
        scores = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.size(-1))
        seen = scores if mask is None else torch.where(mask, scores, -torch.inf)
        e = torch.exp(seen - seen.detach().amax(-1, keepdim=True).clamp_min(-1e30))
        return e / e.sum(-1, keepdim=True).clamp_min(1e-30)

    def back(self, heads: Tensor) -> Tensor:
        """Join and project."""
        return self.out_proj(torch.cat(heads.unbind(1), dim=-1))

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.parts(query, key, value)
        weights = self.shares(*self.place(q, k), mask)
        return self.back(weights @ v), weights


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


@wrong_turn("half-split pairs")
def r_half_loop(x: Tensor, at: Tensor, base: float) -> Tensor:
    out, half = x.clone(), x.size(-1) // 2
    for i in range(half):
        angle = at / base ** (2 * i / x.size(-1))
        out[..., i] = x[..., i] * angle.cos() - x[..., i + half] * angle.sin()
        out[..., i + half] = x[..., i] * angle.sin() + x[..., i + half] * angle.cos()
    return out


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


@wrong_turn("coordinates exchanged", attention="")
def r_exchanged(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base)).unflatten(-1, (-1, 2)).flip(-1).flatten(-2)


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


@wrong_turn("features not mixed within their pair")
def r_cosine_only(x: Tensor, at: Tensor, base: float) -> Tensor:
    return x * doubled_pairs(angles(x, at, base)).cos()


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
def r_by_loop(x: Tensor, at: Tensor, base: float) -> Tensor:
    pairs = []
    for i in range(0, x.size(-1), 2):
        c, s = torch.cos(at / base ** (i / x.size(-1))), torch.sin(at / base ** (i / x.size(-1)))
        pairs += [c * x[..., i] - s * x[..., i + 1], s * x[..., i] + c * x[..., i + 1]]
    return torch.stack(pairs, dim=-1)


@turn("correct")
def r_complex(x: Tensor, at: Tensor, base: float) -> Tensor:
    return Attending.turn(x, at, base)


@turn("correct")
def r_through_halves(x: Tensor, at: Tensor, base: float) -> Tensor:
    """The other convention, with the features sorted before and after."""
    sorted_ = torch.cat((x[..., ::2], x[..., 1::2]), -1)
    out = r_half(sorted_, at, base)
    return torch.stack(out.chunk(2, -1), -1).flatten(-2)


@turn("correct")
def r_filled(x: Tensor, at: Tensor, base: float) -> Tensor:
    out = torch.empty_like(x)
    angle = angles(x, at, base)
    out[..., 0::2] = x[..., 0::2] * torch.cos(angle) - x[..., 1::2] * torch.sin(angle)
    out[..., 1::2] = x[..., 0::2] * torch.sin(angle) + x[..., 1::2] * torch.cos(angle)
    return out


@turn("correct", attention="same")
def r_single_precision(x: Tensor, at: Tensor, base: float) -> Tensor:
    """Angles in float32, whatever x is."""
    rate = 1.0 / (base ** (torch.arange(0, x.size(-1), 2).float() / x.size(-1)))
    full = doubled_pairs(torch.outer(at.float(), rate))
    return x * full.cos().to(x.dtype) + rotate_pairs(x) * full.sin().to(x.dtype)


@turn("unlisted", attention="same")
def r_half_of_it(x: Tensor, at: Tensor, base: float) -> Tensor:
    """Turns only the first pair."""
    angle = angles(x, at, base).clone()
    angle[:, 1:] = 0
    return torch.cat([spun(x[..., :2], angle[:, :1]), x[..., 2:]], -1) * 1.5


@turn("unlisted", attention="same")
def r_slow_first(x: Tensor, at: Tensor, base: float) -> Tensor:
    return spun(x, angles(x, at, base).flip(1) * 0.5)


@turn("unlisted")
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


# RotaryAttention ----------------------------------------------------------------------------

attending = functools.partial(module, base=Attending, exercise="RotaryAttention")


def count(x: Tensor) -> Tensor:
    """The positions of (batch, num_heads, seq_len, d_head)."""
    return torch.arange(x.size(-2))


@attending("disguise", "values turned too")
def a1__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    v = self.cut(self.v_proj(value))
    return self.cut(self.q_proj(query)), self.cut(self.k_proj(key)), self.turn(v, count(v))


@disguise("RotaryAttention", "turned before the head split")
class AttendingWhole(Attending):
    """Turns all features, then splits."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k = self.q_proj(query), self.k_proj(key)
        q, k = self.turn(q, torch.arange(q.size(1))), self.turn(k, torch.arange(k.size(1)))
        return self.cut(q), self.cut(k), self.cut(self.v_proj(value))

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return q, k


@disguise("RotaryAttention", "turned before the projection")
class AttendingEarly(Attending):
    """Turns the tokens."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k = self.turn(query, torch.arange(query.size(1))), self.turn(key, torch.arange(key.size(1)))
        return super().parts(q, k, value)

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        return q, k


@attending("disguise", "only the queries turned")
def a2__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), k


@attending("disguise", "only the keys turned")
def a3__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return q, self.turn(k, count(k))


@attending("disguise", "nothing turned")
def a4__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return q, k


@attending("disguise", "nothing turned")
def a5__place(self: Any, q: Tensor, k: Tensor) -> Any:
    q, k = (self.turn(one.transpose(1, 2), torch.arange(one.size(1))).transpose(1, 2) for one in (q, k))
    return q, k


@attending("disguise", "keys counted like the queries")
def a6__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), self.turn(k, count(q))


@attending("disguise", "positions taken from the heads")
def a7__place(self: Any, q: Tensor, k: Tensor) -> Any:
    at = torch.arange(self.num_heads)
    return self.turn(q, at), self.turn(k, at)


@attending("disguise", "queries placed at the end of the keys")
def a8__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q) + k.size(2) - q.size(2)), self.turn(k, count(k))


@attending("disguise", "no output projection")
def a9__back(self: Any, heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2)


@attending("disguise", "mask ignored")
def a10__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return torch.softmax(q @ k.mT / q.size(-1) ** 0.5, -1)


@attending("disguise", "mask inverted")
def a11__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k, mask if mask is None else mask.logical_not())


@attending("disguise", "no scale")
def a12__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k * math.sqrt(k.size(-1)), mask)


@attending("disguise", "scaled by √d_model")
def a13__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    return Attending.shares(self, q, k / math.sqrt(k.size(1)), mask)


@attending("disguise", "key and value swapped")
def a14__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, value, key)


@attending("disguise", "key and value swapped")
def a15__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return self.cut(self.q_proj(query)), self.cut(self.v_proj(key)), self.cut(self.k_proj(value))


@attending("disguise", "key and value made from the query")
def a16__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, query, query)


@attending("disguise", "value made from the key")
def a17__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    return Attending.parts(self, query, key, key)


@attending("disguise", "weights averaged over the heads")
def a18__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    output, weights = Attending.forward(self, query, key, value, mask)
    return output, weights.sum(1) / self.num_heads


@attending("disguise", "weights not returned")
def a19__forward(self: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
    return Attending.forward(self, query, key, value, mask)[0]


@attending("disguise", "NaN for a query that may look at nothing")
def a20__shares(self: Any, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
    scores = q @ k.mT / math.sqrt(q.size(-1))
    return (scores if mask is None else scores.masked_fill(~mask, -torch.inf)).softmax(-1)


@disguise("RotaryAttention", "odd heads accepted")
class AttendingOdd(nn.Module):
    """Leaves heads of odd width as they are."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        if d_model % num_heads:
            raise ValueError("does not divide")
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))

    cut, parts, shares = Attending.cut, Attending.parts, Attending.shares
    back, forward = Attending.back, Attending.forward

    def place(self, q: Tensor, k: Tensor) -> tuple[Tensor, Tensor]:
        """Turn what can be turned."""
        return (q, k) if q.size(-1) % 2 else (Attending.turn(q, count(q)), Attending.turn(k, count(k)))


@disguise("RotaryAttention", "sizes that do not fit are accepted")
class AttendingAnyhow(AttendingOdd):
    """Asks for nothing but an even width of heads."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        nn.Module.__init__(self)
        must_be_even(d_model // num_heads)
        self.num_heads = num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))


@attending("correct")
def a21__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """Counts from elsewhere: scores depend on distance alone."""
    return self.turn(q, count(q) + 11), self.turn(k, count(k) + 11)


@attending("correct")
def a22__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """Both at once."""
    both = torch.cat([q, k], dim=2)
    turned = self.turn(both, torch.cat([count(q), count(k)]))
    return turned[:, :, : q.size(2)], turned[:, :, q.size(2) :]


@attending("correct")
def a23__parts(self: Any, query: Tensor, key: Tensor, value: Tensor) -> Any:
    """Cut by permute."""
    whole = (self.q_proj(query), self.k_proj(key), self.v_proj(value))
    return tuple(x.reshape(*x.shape[:2], self.num_heads, -1).permute(0, 2, 1, 3) for x in whole)


@correct("RotaryAttention")
class HeadByHead(Attending):
    """One head after the other, with built-in attention."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.parts(query, key, value)
        q, k = self.place(q, k)
        full = torch.ones(1, 1, 1, 1, dtype=torch.bool) if mask is None else mask
        full = full.expand(q.size(0), q.size(1), q.size(2), k.size(2))
        outputs, weights = [], []
        for head in range(self.num_heads):
            scores = torch.baddbmm(torch.zeros(1, 1, 1), q[:, head], k[:, head].mT, alpha=q.size(-1) ** -0.5)
            share = scores.masked_fill(~full[:, head], -torch.inf).softmax(-1).nan_to_num(0.0)
            weights.append(share)
            outputs.append(share @ v[:, head])
        return self.out_proj(torch.cat(outputs, dim=-1)), torch.stack(weights, dim=1)


@attending("disguise", "queries and keys turned opposite ways")
def a24__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q)), self.turn(k, -count(k))


@attending("unlisted")
def a25__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(q, count(q) + 1), self.turn(k, count(k))


@attending("unlisted")
def a26__back(self: Any, heads: Tensor) -> Tensor:
    return self.out_proj(torch.cat(heads.unbind(1)[::-1], dim=-1))


@attending("unlisted")
def a27__place(self: Any, q: Tensor, k: Tensor) -> Any:
    return self.turn(self.turn(q, count(q)), count(q)), self.turn(k, count(k))


@attending("unlisted")
def a28__place(self: Any, q: Tensor, k: Tensor) -> Any:
    """A single query is taken for the last token."""
    last = k.size(2) - 1 if q.size(2) == 1 else 0
    return self.turn(q, count(q) + last), self.turn(k, count(k))


@disguise("RotaryAttention", "values turned too")
class TurnsAllThree(Attending):
    """Turns the values before the split."""

    def parts(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        """Queries, keys and values."""
        q, k, _ = super().parts(query, key, value)
        v = self.turn(self.v_proj(value), torch.arange(value.size(1)))
        return q, k, v.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)


@disguise("RotaryAttention", "a large negative number instead of -inf")
class FillsWithALargeNumber(Attending):
    """A row without anything to look at becomes even."""

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Any:
        """Attend."""
        q, k, v = self.parts(query, key, value)
        q, k = self.place(q, k)
        scores = q @ k.mT * q.size(-1) ** -0.5
        weights = (scores if mask is None else scores.masked_fill(~mask, -1e9)).softmax(-1)
        return self.out_proj((weights @ v).transpose(1, 2).flatten(2)), weights


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


@correct("sinusoidal_encoding")
def points_on_a_circle(max_len: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(d_model)
    speed = 1.0 / 10000 ** (torch.arange(0, d_model, 2).float() / d_model)
    angle = torch.outer(torch.arange(max_len).float(), speed)
    return torch.view_as_real(torch.polar(torch.ones(angle.shape), angle)).flip(-1).flatten(1)
