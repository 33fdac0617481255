"""Room 4: ways of reading and writing with one table."""

import math
from collections import OrderedDict
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.lineup import right, wrong


def both(embedding: nn.Module, head: nn.Module) -> nn.Module:
    return nn.Sequential(OrderedDict(embedding=embedding, head=head))


def pair(vocab_size: int, d_model: int) -> tuple[nn.Embedding, nn.Linear]:
    return nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)


class Model(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, write: Any) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.write = write

    def forward(self, ids: Tensor) -> Tensor:
        out: Tensor = self.write(self.embedding(ids), self.embedding.weight)
        return out


@right("gives the head's parameter to the table")
def from_the_head(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    embedding.weight = head.weight
    return both(embedding, head)


@right("makes one parameter first, and then both modules")
def parameter_first(vocab_size: int, d_model: int) -> nn.Module:
    table = nn.Parameter(torch.randn(vocab_size, d_model) / math.sqrt(d_model))
    embedding, head = pair(vocab_size, d_model)
    embedding.weight, head.weight = table, table
    return both(embedding, head)


@right("has no head, and multiplies with the table")
def without_head(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: x @ table.T)


@right("writes by `F.linear`")
def by_linear(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, F.linear)


@right("writes by `einsum`")
def by_einsum(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: torch.einsum("bsd,vd->bsv", x, table))


@right("has a head that asks for the table at every call")
def asks_for_it(vocab_size: int, d_model: int) -> nn.Module:
    class Last(nn.Module):
        def __init__(self, first: nn.Embedding) -> None:
            super().__init__()
            self.first = first

        def forward(self, x: Tensor) -> Tensor:
            return (x[..., None, :] * self.first.weight).sum(-1)

    embedding = nn.Embedding(vocab_size, d_model)
    return both(embedding, Last(embedding))


@right("registers the table under a second name")
def registered(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    table: Any = nn.init.normal_(embedding.weight, std=0.02)
    del head.weight
    head.register_parameter("weight", table)
    return both(embedding, head)


@right("ties after a state_dict was loaded")
def after_loading(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    model = both(embedding, head)
    model.load_state_dict({name: torch.randn_like(value) for name, value in model.state_dict().items()})
    model.get_submodule("head").weight = model.get_parameter("embedding.weight")
    return model


@right("multiplies one-hot rows twice")
def one_hot(vocab_size: int, d_model: int) -> nn.Module:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, d_model)

        def forward(self, ids: Tensor) -> Tensor:
            table = self.embedding.weight
            return F.one_hot(ids, vocab_size).to(table.dtype) @ (table @ table.T)

    return Twice()


# Wrong ----------------------------------------------------------------------------


@wrong("copies the numbers into the head", mistake="a copy of the table")
def numbers_copied(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    with torch.no_grad():
        head.weight.copy_(embedding.weight)
    return both(embedding, head)


@wrong("loads the table's state into the head", mistake="a copy of the table")
def state_loaded(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    head.load_state_dict(embedding.state_dict())
    return both(embedding, head)


@wrong("makes a parameter of the table's detached clone", mistake="a copy of the table")
def detached_clone(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    head.weight = nn.Parameter(embedding.weight.detach().clone())
    return both(embedding, head)


@wrong("makes two tables that never have anything to do with each other", mistake="a copy of the table")
def two_tables(vocab_size: int, d_model: int) -> nn.Module:
    return both(*pair(vocab_size, d_model))


@wrong("ties, and then puts a new embedding in the place of the old one", mistake="a copy of the table", kin=True)
def new_embedding(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    head.weight = embedding.weight
    return both(nn.Embedding.from_pretrained(embedding.weight.detach().clone(), freeze=False), head)


@wrong("wraps the table in a second parameter", mistake="one storage, two parameters", kin=True)
def wrapped(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    head.weight = nn.Parameter(embedding.weight)
    return both(embedding, head)


@wrong(
    "makes the table from the head's numbers with `from_pretrained`", mistake="one storage, two parameters", kin=True
)
def from_pretrained(vocab_size: int, d_model: int) -> nn.Module:
    head = nn.Linear(d_model, vocab_size, bias=False)
    return both(nn.Embedding.from_pretrained(head.weight, freeze=False), head)


@wrong("copies the table into the head at every call", mistake="the table learns from one use alone", kin=True)
def at_every_call(vocab_size: int, d_model: int) -> nn.Module:
    class Again(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding, self.head = pair(vocab_size, d_model)

        def forward(self, ids: Tensor) -> Tensor:
            self.head.weight.data.copy_(self.embedding.weight.data)
            out: Tensor = self.head(self.embedding(ids))
            return out

    return Again()


@wrong("lets the table learn from writing alone", mistake="the table learns from one use alone", kin=True)
def reading_detached(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: x.detach() @ table.T)


@wrong("lets the table learn from reading alone", mistake="the table learns from one use alone")
def data_alone(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: F.linear(x, table.data))


@wrong("keeps the table fixed", mistake="the table is fixed")
def fixed(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = pair(vocab_size, d_model)
    head.weight = embedding.weight.requires_grad_(False)
    return both(embedding, head)


@wrong("adds a bias", mistake="a bias in the head")
def biased(vocab_size: int, d_model: int) -> nn.Module:
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size)
    head.weight = embedding.weight
    with torch.no_grad():
        head.bias.fill_(0.3)
    return both(embedding, head)


@wrong("scales what is read by √d_model")
def scaled(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: x * (1 + d_model) ** 0.5 @ table.T)


@wrong("writes with the table's rows brought to length 1")
def unit_rows(vocab_size: int, d_model: int) -> nn.Module:
    return Model(vocab_size, d_model, lambda x, table: x @ F.normalize(table, dim=-1, eps=1e-6).T * 1.5)
