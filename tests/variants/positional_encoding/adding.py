"""Lesson 04: PositionalEncoding, with a table that is right."""

import functools
import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips
from tests.variants.positional_encoding.shared import Encoding, module, must_be_even, rates, woven


def right_table(max_len: int, d_model: int) -> Tensor:
    """The table, for whatever goes wrong elsewhere."""
    must_be_even(d_model)
    return woven(torch.arange(max_len)[:, None] * rates(d_model))


# PositionalEncoding, slips ----------------------------------------------------------------------------


class AsInTutorials(nn.Module):
    """The table has a dimension for the batch."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop = nn.Dropout(p=dropout)
        pe = right_table(max_len, d_model).unsqueeze(0)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add."""
        length = x.size(1)
        if start < 0 or start + length > self.pe.size(1):
            raise ValueError("too long")
        x = x + self.pe[:, start : start + length]
        return self.drop(x)


REGISTERED = 'self.register_buffer("pe", pe)'
ROWS = "self.pe[:, start : start + length]"
SUM = f"x = x + {ROWS}"
REFUSES = "if start < 0 or start + length > self.pe.size(1):"
WITHOUT_BATCH = {"unsqueeze(0)": "unsqueeze(1)", "self.pe.size(1)": "self.pe.size(0)"}
slips(
    "PositionalEncoding",
    AsInTutorials,
    {
        "a plain attribute instead of a buffer": {REGISTERED: "self.pe = pe"},
        "one position for each sequence": [
            WITHOUT_BATCH | {ROWS: "self.pe[start : start + x.size(0)]"},
            WITHOUT_BATCH | {ROWS: "self.pe[: x.size(0), :]"},
        ],
        "rows lined up with the sequences": WITHOUT_BATCH | {ROWS: "self.pe[start : start + length]"},
        "sliced by the batch size": [{"length]": "x.size(0)]"}, {"start : start + length]": ": len(x)]"}],
        "start ignored": {"start : start + length]": ":length]"},
        "the end without start": {": start + length]": ": length]"},
        "the whole table added": [{ROWS: "self.pe"}, {"start : start + length]": "start:]"}],
        "one row for all positions": [
            {": start + length]": ": start + 1]"},
            {"start : start + length]": "length]"},
            {"start : start + length]": "start + length]"},
        ],
        "multiplied instead of added": {"x + self": "x * self"},
        "concatenated instead of added": {SUM: f"x = torch.cat([x, {ROWS}.expand(len(x), -1, -1)], dim=-1)"},
        "tokens left out": [{"x + self": "self"}, {SUM: f"x = {ROWS}.expand_as(x)"}],
        "nothing added": {"x = x +": "_ = x +"},
        "tokens scaled by √d_model": {"x + self": "x * math.sqrt(x.size(-1)) + self"},
        "no dropout": {"self.drop(x)": "x"},
        "dropout on the positions": {ROWS: f"self.drop({ROWS})", "return self.drop(x)": "return x"},
        "dropout on the tokens": {"x + self": "self.drop(x) + self", "return self.drop(x)": "return x"},
        "dropout on each of the two": {SUM: f"x = self.drop(x) + self.drop({ROWS})", "return self.drop(x)": "return x"},
        "dropout in evaluation": {"self.drop(x)": "nn.functional.dropout(x, self.drop.p)"},
        "input overwritten": [{"x = x +": "x +="}, {SUM: f"x.add_({ROWS})"}],
        "too long an input accepted": [{REFUSES: "if False:"}, {" or start + length > self.pe.size(1)": ""}],
        "max_len ignored": {"right_table(max_len, d_model)": "right_table(5000, d_model)"},
        "max_len and d_model exchanged": {"right_table(max_len, d_model)": "right_table(d_model, max_len)"},
        "start ignored + no dropout": {"start : start + length]": ":length]", "self.drop(x)": "x"},
        "the last rows added": {"start : start + length]": "-length:]"},
        "rows in the opposite order": {ROWS: f"{ROWS}.flip(1)"},
        "dropout twice": [
            {"return self.drop(x)": "return self.drop(self.drop(x))"},
            {"x + self": "self.drop(x) + self"},
            {ROWS: f"self.drop({ROWS})"},
        ],
        "tokens cut off from the gradient": {"x + self": "x.detach() + self"},
        "a negative start accepted": {"start < 0 or ": ""},
        "the last position refused": {"length > self": "length >= self"},
    },
)


class ComputedAfresh(nn.Module):
    """Keeps frequencies alone, and computes the rows that are asked for."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        must_be_even(d_model)
        self.max_len, self.p = max_len, dropout
        self.register_buffer("speed", rates(d_model), persistent=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Compute and add."""
        if not 0 <= start <= self.max_len - x.size(1):
            raise ValueError(f"no room for {x.size(1)} tokens from {start} on")
        at = torch.arange(start, start + x.size(1), device=x.device)
        angle = at[:, None] * self.speed
        places = torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)
        return F.dropout(x + places, self.p, self.training)


SECOND_END = "start + x.size(1), device"
DROPPED = "F.dropout(x + places, self.p, self.training)"
NEW_IN_TURN = "torch.stack((angle.sin(), angle.cos()), dim=-1).flatten(-2)"
slips(
    "PositionalEncoding",
    ComputedAfresh,
    {
        "halves side by side": {NEW_IN_TURN: "torch.cat((angle.sin(), angle.cos()), dim=-1)"},
        "sine and cosine exchanged": {"angle.sin(), angle.cos()": "angle.cos(), angle.sin()"},
        "no cosine": {"angle.cos()": "angle.sin()"},
        "no sine": {"angle.sin()": "angle.cos()"},
        "degrees": {"angle = at[:, None]": "angle = torch.pi / 180 * at[:, None]"},
        "angles times 2π": {"angle = at[:, None]": "angle = 2 * torch.pi * at[:, None]"},
        "counted from 1": {"angle = at[:, None]": "angle = (at[:, None] + 1)"},
        "multiplied by the power": {"* self.speed": "/ self.speed"},
        "odd width accepted": {"must_be_even(d_model)": "pass"},
        "one position for each sequence": {SECOND_END: "start + len(x), device", "x + places": "x + places[:, None]"},
        "rows lined up with the sequences": {"x + places": "x + places[:, None]"},
        "sliced by the batch size": {SECOND_END: "start + x.size(0), device"},
        "start ignored": {"(start, start + x.size(1), device": "(x.size(1), device"},
        "one row for all positions": {"(start, start + x.size(1), device": "(1, device"},
        "multiplied instead of added": {"x + places": "x * places"},
        "concatenated instead of added": {"x + places": "torch.cat((x, places.expand_as(x)), -1)"},
        "tokens left out": [{"x + places": "places"}, {"x + places": "places.repeat(len(x), 1, 1)"}],
        "nothing added": {"x + places": "x"},
        "tokens scaled by √d_model": {"x + places": "x * x.size(-1) ** 0.5 + places"},
        "no dropout": {DROPPED: "x + places"},
        "dropout on the positions": {DROPPED: "x + F.dropout(places, self.p, self.training)"},
        "dropout on the tokens": {DROPPED: "F.dropout(x, self.p, self.training) + places"},
        "dropout on each of the two": {
            DROPPED: "F.dropout(x, self.p, self.training) + F.dropout(places.expand_as(x), self.p, self.training)"
        },
        "dropout in evaluation": [{", self.training": ""}, {DROPPED: "nn.Dropout(self.p)(x + places)"}],
        "input overwritten": {"x + places": "x.add_(places)"},
        "max_len ignored": {"self.max_len, self.p = max_len": "self.max_len, self.p = 5000"},
        "dropout twice": {DROPPED: f"F.dropout({DROPPED}, self.p, self.training)"},
        "tokens cut off from the gradient": {"x + places": "x.data + places"},
        "the last position refused": {"0 <= start <= self": "0 <= start < self"},
        "halves side by side + start ignored": {
            NEW_IN_TURN: "torch.cat((angle.sin(), angle.cos()), dim=-1)",
            "(start, start + x.size(1), device": "(x.size(1), device",
        },
    },
)


class LookedUp(nn.Module):
    """Every token looks up its position."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.table = nn.Buffer(right_table(max_len, d_model))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Look up and add."""
        batch, seq_len, _ = x.shape
        at = start + torch.arange(seq_len).expand(batch, seq_len)
        if start < 0 or start + seq_len > self.table.shape[0]:
            raise ValueError(f"{seq_len} tokens reach too far")
        found = F.embedding(at, self.table)
        return self.dropout(torch.add(found, x))


COUNTED = "torch.arange(seq_len).expand(batch, seq_len)"
ADDED, REACHES = "torch.add(found, x)", " or start + seq_len > self.table.shape[0]"
slips(
    "PositionalEncoding",
    LookedUp,
    {
        "a parameter instead of a buffer": {"nn.Buffer": "nn.Parameter"},
        "a plain attribute instead of a buffer": {
            "nn.Buffer(right_table(max_len, d_model))": "right_table(max_len, d_model)"
        },
        "one position for each sequence": {COUNTED: "torch.arange(batch)[:, None].expand(batch, seq_len)"},
        "sliced by the batch size": {COUNTED: "torch.arange(batch)"},
        "start ignored": {"start + torch": "torch"},
        "the whole table added": {"F.embedding(at, self.table)": "self.table"},
        "one row for all positions": [
            {"torch.arange(seq_len)": "torch.zeros(seq_len, dtype=torch.long)"},
            {COUNTED: "torch.full((batch, seq_len), seq_len - 1)"},
        ],
        "multiplied instead of added": {"torch.add": "torch.mul"},
        "concatenated instead of added": {ADDED: "torch.cat((x, found), dim=-1)"},
        "tokens left out": {ADDED: "found"},
        "nothing added": {ADDED: "x"},
        "tokens scaled by √d_model": {ADDED: "torch.add(found, x, alpha=math.sqrt(x.shape[-1]))"},
        "no dropout": {f"self.dropout({ADDED})": ADDED},
        "dropout on the positions": {f"self.dropout({ADDED})": "x + self.dropout(found)"},
        "dropout on the tokens": {f"self.dropout({ADDED})": "found + self.dropout(x)"},
        "dropout on each of the two": {f"self.dropout({ADDED})": "self.dropout(found) + self.dropout(x)"},
        "dropout in evaluation": {f"self.dropout({ADDED})": f"F.dropout({ADDED}, self.dropout.p)"},
        "input overwritten": {ADDED: "x.add_(found)"},
        "too long an input accepted": [
            {REACHES: ""},
            {REACHES: "", "F.embedding(at, self": "F.embedding(at.clamp(max=len(self.table) - 1), self"},
            {REACHES: "", "F.embedding(at, self": "F.embedding(at % len(self.table), self"},
        ],
        "max_len ignored": {"right_table(max_len, d_model)": "right_table(5000, d_model)"},
        "max_len and d_model exchanged": {"right_table(max_len, d_model)": "right_table(d_model, max_len)"},
        "dropout twice": [{ADDED: f"self.dropout({ADDED})"}, {ADDED: "torch.add(found, self.dropout(x))"}],
        "tokens cut off from the gradient": {ADDED: "torch.add(found, torch.tensor(x.tolist()))"},
        "a negative start accepted": {"start < 0 or ": ""},
        "the last position refused": {"seq_len > self": "seq_len >= self"},
        "counted from 1": {
            "nn.Buffer(right_table(max_len, d_model))": "nn.Buffer(right_table(max_len + 1, d_model)[1:])"
        },
        "a parameter instead of a buffer + tokens scaled by √d_model": {
            "nn.Buffer": "nn.Parameter",
            ADDED: "torch.add(found, x, alpha=math.sqrt(x.shape[-1]))",
        },
        "one position for each sequence + no dropout": {
            COUNTED: "torch.arange(batch)[:, None].expand(batch, seq_len)",
            f"self.dropout({ADDED})": ADDED,
        },
    },
)

# PositionalEncoding, wrong ----------------------------------------------------------------------------


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


part = functools.partial(module, Given, "PositionalEncoding")


def wrong(mistake: str) -> Any:
    """A disguise of PositionalEncoding; what stands behind the last double underscore names the method."""
    return part("disguise", mistake)


@wrong("a parameter instead of a buffer")
def p1__keep(self: Any, made: Tensor) -> None:
    self.register_parameter("table", nn.Parameter(made))


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


@wrong("a parameter instead of a buffer")
def p1_frozen__keep(self: Any, made: Tensor) -> None:
    self.table = nn.Parameter(made, requires_grad=False)


@wrong("a parameter in a buffer's place")
def p1_inside__keep(self: Any, made: Tensor) -> None:
    self.register_buffer("table", nn.Parameter(made), persistent=False)


@wrong("a new table at every call")
def p4_anew__rows(self: Any, x: Tensor, start: int) -> Tensor:
    return right_table(start + x.size(1), x.size(2))[start:]


@wrong("counted from 1")
def p4_one_further__rows(self: Any, x: Tensor, start: int) -> Tensor:
    return self.table[start + 1 :][: x.size(1)]


@wrong("one position for each sequence")
def p5__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.stack([one + self.table[start + i] for i, one in enumerate(x)]))


@wrong("sliced by the batch size")
def p7__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[None][:, start : start + len(x)])


@wrong("start ignored")
def p9__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.stack([x[:, i] + self.table[i] for i in range(x.size(1))], 1))


@wrong("the end without start")
def p10__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[None, start : x.shape[-2]])


@wrong("the whole table added")
def p11__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table.unsqueeze(0))


@wrong("one row for all positions")
def p13__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[start : start + 1])


@wrong("multiplied instead of added")
def p15__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.einsum("btd,td->btd", x, self.rows(x, start)))


@wrong("concatenated instead of added")
def p16__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(torch.cat((x, self.rows(x, start).repeat(len(x), 1, 1)), -1))


@wrong("tokens left out")
def p17__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.rows(x, start).repeat(x.size(0), 1, 1))


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


@wrong("the last rows added")
def p30__rows(self: Any, x: Tensor, start: int) -> Tensor:
    return self.table[len(self.table) - x.size(1) :]


@wrong("dropout twice")
def p31__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(self.dropout(x + self.rows(x, start)))


@wrong("a negative start accepted")
def p32__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    if len(self.table) - start < x.size(1):
        raise ValueError("too long")
    return self.dropout(torch.stack([x[:, i] + self.table[start + i] for i in range(x.size(1))], 1))


@wrong("too long an input accepted")
def p33__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    if start < 0 or x.size(1) > len(self.table):
        raise ValueError("too long")
    return self.dropout(x + torch.stack([self.table[start + i] for i in range(x.size(1))]))


@wrong("start ignored")
def p34__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.table[None, : start + x.size(1)])


@disguise("PositionalEncoding", "a parameter instead of a buffer")
class UnderAnotherName(nn.Module):
    """As in tutorials, with a parameter."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__()
        self.drop, self.pe = nn.Dropout(dropout), nn.Parameter(right_table(max_len, d_model), requires_grad=False)

    def forward(self, x: Tensor, start: int = 0) -> Tensor:
        """Add."""
        if start < 0 or start + x.size(1) > self.pe.size(0):
            raise ValueError("too long")
        return self.drop(x + self.pe[start : start + x.size(1), :])


@wrong("a dimension of size 1 lost")
def p35__add(self: Any, x: Tensor, start: int) -> Tensor:
    out = self.dropout(self.rows(x, start) + x)
    return out[0] if out.size(0) == 1 else out


@wrong("nothing added")
def p36__keep(self: Any, made: Tensor) -> None:
    self.register_buffer("table", torch.zeros_like(made))


@disguise("PositionalEncoding", "another default")
class Short(Given):
    """A table of 512 places unless told otherwise."""

    def __init__(self, d_model: int, max_len: int = 512, dropout: float = 0.0) -> None:
        super().__init__(d_model, max_len, dropout)


@disguise("PositionalEncoding", "another default")
class Drops(Given):
    """Drops a tenth unless told otherwise."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.1) -> None:
        super().__init__(d_model, max_len, dropout)


@disguise("PositionalEncoding", "dropout of its own")
class AlwaysAHalf(Given):
    """Drops a half whatever is asked for."""

    def __init__(self, d_model: int, max_len: int = 5000, dropout: float = 0.0) -> None:
        super().__init__(d_model, max_len, 0.5)


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


# PositionalEncoding, right ----------------------------------------------------------------------------


@correct("PositionalEncoding")
class NotSaved(Given):
    """A buffer that the state_dict leaves out."""

    def keep(self, made: Tensor) -> None:
        """Store."""
        self.register_buffer("table", made, persistent=False)


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


@part("correct")
def c2__add(self: Any, x: Tensor, start: int) -> Tensor:
    out = torch.zeros(x.shape)
    for b in range(x.size(0)):
        for t in range(x.size(1)):
            out[b, t] = x[b, t] + self.table[start + t]
    return F.dropout(out, p=self.dropout.p, training=self.training)


@part("correct")
def c3__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x.add(self.table.roll(-start, 0)[: x.size(1)]))


@part("correct")
def c4__add(self: Any, x: Tensor, start: int) -> Tensor:
    x = x + self.table.index_select(0, start + torch.arange(x.size(1))).requires_grad_(False)
    return self.dropout(x) if self.training else x


# PositionalEncoding, wrong in other ways ----------------------------------------------------------------------------


@wrong("subtracted instead of added")
def u1__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x - self.rows(x, start))


@wrong("rows in the opposite order")
def u2__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + self.rows(x, start).flip(0))


@part("unlisted")
def u3__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x + 2 * self.rows(x, start))


@wrong("tokens cut off from the gradient")
def u4__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout(x.detach() + self.rows(x, start))


@part("unlisted")
def u5__add(self: Any, x: Tensor, start: int) -> Tensor:
    return self.dropout((x + self.rows(x, start)) / 2)


@part("unlisted")
def u6__add(self: Any, x: Tensor, start: int) -> Tensor:
    return F.dropout1d(x + self.rows(x, start), self.dropout.p, self.training)


@wrong("the last position refused")
def u7__forward(self: Any, x: Tensor, start: int = 0) -> Tensor:
    if start < 0 or start + x.size(1) >= len(self.table):
        raise ValueError("one too strict")
    return self.add(x, start)
