"""Wrong ways of room 4."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.checks.in_the_wild.copied_table import shows_copied_table, tied_model
from autograder.mistakes.of_probes import everywhere
from solutions import in_the_wild as solutions

TIE = "head.weight = embedding.weight"
DONE = "return nn.Sequential(OrderedDict(embedding=embedding, head=head))"


class OneUse(nn.Module):
    """A table whose gradient is cut off one of its uses."""

    def __init__(self, vocab_size: int, d_model: int, *, reads: bool) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.reads = reads

    def forward(self, ids: Tensor) -> Tensor:
        """Logits."""
        read, table = self.embedding(ids), self.embedding.weight
        return F.linear(read, table.detach()) if self.reads else F.linear(read.detach(), table)


def reads_alone(vocab_size: int, d_model: int) -> nn.Module:
    """Learns from reading."""
    return OneUse(vocab_size, d_model, reads=True)


def writes_alone(vocab_size: int, d_model: int) -> nn.Module:
    """Learns from writing."""
    return OneUse(vocab_size, d_model, reads=False)


tied_model.mistake(
    "a copy of the table",
    "The head has a table of its own. It may begin as a copy, and after the first step of training the two go different ways: twice the parameters, and neither learns from the other. Give both modules the same parameter.",
    {TIE: "head.weight = nn.Parameter(embedding.weight.clone())"},
    {TIE: "head.weight.data.copy_(embedding.weight.data)"},
    {TIE: "pass"},
)
tied_model.mistake(
    "one storage, two parameters",
    "The numbers are shared, and there are two parameters over them. Each has a gradient of its own, and an optimizer with a memory moves the numbers twice in every step. `head.weight = embedding.weight` makes it one parameter; `.data`, or a new `nn.Parameter` around the old one, does not.",
    {TIE: "head.weight.data = embedding.weight.data"},
    {TIE: "head.weight = nn.Parameter(embedding.weight)"},
)
tied_model.mistake(
    "the table learns from one use alone",
    "Reading and writing use one table, and no gradient comes back from one of the two. Somewhere on the way is a `detach` or a `.data`.",
    reads_alone,
    writes_alone,
)
tied_model.mistake(
    "the table is fixed",
    "The table does not learn: it asks for no gradient.",
    {TIE: "head.weight = embedding.weight.requires_grad_(False)"},
)
tied_model.mistake(
    "a row that does not learn from reading",
    "One row of the table gets no gradient where it is read: `padding_idx` does that. Every token is one as any other here.",
    {"nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, padding_idx=0)"},
)
tied_model.mistake(
    "a bias in the head",
    "The head trains more than the table: it has a bias. What is promised is the product of two rows, and nothing on top. `bias=False`.",
    {"nn.Linear(d_model, vocab_size, bias=False)": "nn.Linear(d_model, vocab_size)"},
    {
        "nn.Linear(d_model, vocab_size, bias=False)": "nn.Linear(d_model, vocab_size)",
        DONE: f"nn.init.ones_(head.bias)\n    {DONE}",
    },
)


def moves_apart(implementation: Callable[[int, int], nn.Module]) -> bool:
    """Whether writing into the table leaves the logits with the old one, in all numbers."""
    model, ids = implementation(7, 5), torch.randint(7, (3, 4))
    with torch.no_grad():
        old = model.get_parameter("embedding.weight").clone()
        model.get_parameter("embedding.weight").normal_()
        new = model.get_parameter("embedding.weight")
        return bool(torch.allclose(model(ids), new[ids] @ old.T, atol=1e-4))


def numbers_at_the_start(implementation: Callable[[int, int], nn.Module]) -> bool:
    """Before anything has changed."""
    model, ids = implementation(7, 5), torch.randint(7, (3, 4))
    table = model.get_parameter("embedding.weight")
    return not torch.allclose(model(ids), table[ids] @ table.T, atol=1e-4)


everywhere(shows_copied_table, solutions.shows_copied_table, shown_alone=[moves_apart])
shows_copied_table.mistake(
    "at the start alone",
    "Your probe looks at a model as it is made. There a copy is as good as the table itself. Change the table, and look then.",
    numbers_at_the_start,
)
shows_copied_table.mistake(
    "gradients are not looked at",
    "Your probe changes the table and looks at the logits, which finds a copy. It lets pass what shares the numbers and not the gradient: two parameters over one storage, a table that learns from one of its uses, one that is copied anew at each call. Compare the gradient with that of a table that is known to be one.",
    {"or not logits.requires_grad:\n        return True": ":\n        return True\n    return False"},
    {"away = torch.randn_like(right)\n": "return False\n    away = torch.randn_like(right)\n"},
)
shows_copied_table.mistake(
    "a head is asked for",
    "Your probe looks for `model.head`, and right code need not have one: `x @ table.T` ties as well. Only `model.embedding` and `model(ids)` are promised.",
    {
        "    model, ids = implementation(7, 5), torch.randint(7, (3, 4))\n": "    model, ids = implementation(7, 5), torch.randint(7, (3, 4))\n    if getattr(getattr(model, 'head', None), 'weight', None) is not model.embedding.weight:\n        return True\n"
    },
)
