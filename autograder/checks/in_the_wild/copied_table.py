"""Room 4: a head that begins as a copy of the table, where the two should be one."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.lineup import line_up, own_or, right, wrong
from autograder.stand_ins import in_the_wild as stand_ins

tied_model = Exercise(
    "tied_model",
    points=2,
    wild=True,
    hints=(
        "After one step of training: is `model.head.weight` still equal to `model.embedding.weight`? Which of the two has moved?",
        "```python\nembedding, head = ...\nhead.weight = ...       # the parameter itself, not what it holds\nreturn ...\n```",
        "`head.weight = embedding.weight`: one parameter under two names.",
    ),
    traps={
        "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)": "what you assign is a tensor that was computed. The parameter itself is `embedding.weight`.",
    },
)

shows_copied_table = Exercise(
    "shows_copied_table",
    points=3,
    shows=tied_model,
    hints=(
        "At the beginning a copy is as good as the table itself. What could you do to the table so that a copy is found out? And what would a step of training do to each of the two?",
        "```python\nmodel = implementation(..., ...)\nwith torch.no_grad():\n    ...                          # write other numbers into model.embedding.weight\nown = ...                        # a clone of them, with requires_grad_()\n...                              # model(ids) against own[ids] @ own.T\n...                              # and the gradients of the two tables\n```",
        "`(model(ids) * away).sum().backward()` and `(own[ids] @ own.T * away).sum().backward()` with one random `away`; then `model.embedding.weight.grad` and `own.grad` are equal where the table is one.",
    ),
    traps={
        "AttributeError: '...' object has no attribute 'head'": "only `model.embedding` and `model(ids)` are promised. There need be no head at all.",
        "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.": "numbers are written into a parameter under `torch.no_grad()`.",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "some implementations give logits without a graph, and then their table cannot learn: that breaks the promise. Ask `logits.requires_grad` before you call `backward`.",
        "TypeError: implementation() missing 1 required positional argument: 'd_model'": "an implementation is called as `tied_model` is: `implementation(vocab_size, d_model)`.",
    },
)


def filled(tied_model: Callable, draw: Draw, vocab_size: int = 7, d_model: int = 4) -> Any:
    """A model whose table is drawn after it was made; all else that it trains is 0."""
    model = tied_model(vocab_size, d_model)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.zero_()
        model.embedding.weight.copy_(draw.tensor("table", vocab_size, d_model))
    return model


def product(output: Tensor, draw: Draw) -> Tensor:
    """What a drawn cotangent makes of an output."""
    return (output * draw.tensor("cotangent", *output.shape)).sum()


@tied_model.probe("writes with the table that it reads with, when that has changed")
def another_table(tied_model: Callable, draw: Draw) -> Any:
    return filled(tied_model, draw)(draw.integers("ids", 3, 5, high=7))


@tied_model.probe("hands both uses back to the table", rung="gradients", float64=False)
def both_gradients(tied_model: Callable, draw: Draw) -> Any:
    model = filled(tied_model, draw)
    every_id = torch.tensor([[3, 0, 6, 1, 5], [2, 4, 0, 3, 3], [6, 5, 1, 2, 4]])
    product(model(draw.keep("ids", every_id)), draw).backward()
    return model.embedding.weight.grad


@tied_model.probe("gives the same with both after a step of Adam")
def after_a_step(tied_model: Callable, draw: Draw) -> Any:
    model, ids = filled(tied_model, draw), draw.integers("ids", 3, 5, high=7)
    optimizer = torch.optim.Adam([one for one in model.parameters() if one.requires_grad] or [torch.zeros(1)], lr=0.1)
    product(model(ids), draw).backward()
    optimizer.step()
    return [model.embedding.weight, model(ids)]


@tied_model.probe("trains as many numbers as the table has", rung="invariants")
def numbers(tied_model: Callable, draw: Draw) -> Any:
    return sum(one.numel() for one in tied_model(7, 4).parameters() if one.requires_grad)


@tied_model.probe("begins with a table that is not all the same", rung="invariants")
def first_numbers(tied_model: Callable, draw: Draw) -> Any:
    table = tied_model(9, 6).embedding.weight.detach()
    return {"shape": list(table.shape), "all the same": bool((table == table[0, 0]).all())}


@tied_model.probe("works for one row, one token, one feature", rung="edges")
def small(tied_model: Callable, draw: Draw) -> Any:
    model = filled(tied_model, draw, 3, 1)
    return [model(draw.integers("one", 1, 1, high=3)), model(draw.integers("row", 1, 4, high=3))]


# Implementations that everybody may see ------------------------------------------------------


def model_of(embedding: nn.Module, head: nn.Module) -> nn.Module:
    """Both, one behind the other."""
    return nn.Sequential(OrderedDict(embedding=embedding, head=head))


@right("is written on torch.nn")
def stand_in(vocab_size: int, d_model: int) -> nn.Module:
    """As in the stand-ins."""
    return stand_ins.tied_model(vocab_size, d_model)


@right("is your own repair, once it has passed in this kernel")
def your_repair(vocab_size: int, d_model: int) -> nn.Module:
    """The stand-in until then."""
    made: nn.Module = own_or(stand_ins.tied_model)(vocab_size, d_model)
    return made


@wrong("the page shows", mistake="a copy of the table")
def as_shown(vocab_size: int, d_model: int) -> nn.Module:
    """Equal at the beginning."""
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)
    head.weight = nn.Parameter(embedding.weight.clone())
    return model_of(embedding, head)


@wrong(
    "has two parameters that share their numbers, each with a gradient of its own",
    mistake="one storage, two parameters",
    kin=True,
)
def one_storage(vocab_size: int, d_model: int) -> nn.Module:
    """Half a tie."""
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)
    head.weight.data = embedding.weight.data
    return model_of(embedding, head)


@wrong("does not let the table learn from what is written", mistake="the table learns from one use alone", kin=True)
def written_detached(vocab_size: int, d_model: int) -> nn.Module:
    """A gradient is cut."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(vocab_size, d_model)

        def forward(self, ids: Tensor) -> Tensor:
            return self.embedding(ids) @ self.embedding.weight.detach().T

    return Model()


@wrong("adds a bias that nobody has promised", mistake="a bias in the head")
def with_bias(vocab_size: int, d_model: int) -> nn.Module:
    """One more parameter."""
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size)
    head.weight = embedding.weight
    nn.init.constant_(head.bias, 0.5)
    return model_of(embedding, head)


line_up(shows_copied_table, "copied_table")
