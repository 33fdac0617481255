"""Checks of what a BERT is asked for: the head that scores tokens, and the loss."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder.checks.bert.shared import shuffled, small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# MaskedLanguageHead ----------------------------------------------------------------------------

masked_head = Exercise(
    "MaskedLanguageHead",
    points=3,
    hints=(
        "Three parts in the constructor, four steps in `forward`. Which of the parts brings no numbers of its own?",
        "```python\nself.transform = ...  # d_model to d_model\nself.norm = ...\nself.output = ...     # d_model to vocab_size, with a bias\n...                   # its weight is the table's own parameter\n```\n```python\nreturn ...            # transform, GELU, norm, output\n```",
        "`self.output.weight = embedding.weight` makes the two one parameter. `forward` is `self.output(self.norm(gelu(self.transform(hidden))))`.",
    ),
    traps={
        "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None expected)": "`.data` or a copy is no parameter. Assign the table's parameter itself: `self.output.weight = embedding.weight`.",
        "TypeError: cannot assign 'torch.DoubleTensor' as parameter 'weight' (torch.nn.Parameter or None expected)": "`.data` or a copy is no parameter. Assign the table's parameter itself: `self.output.weight = embedding.weight`.",
        "TypeError: cannot assign 'torch.nn.modules.sparse.Embedding' as parameter 'weight' (torch.nn.Parameter or None expected)": "a table is a module; its numbers are `embedding.weight`.",
        "AttributeError: 'MaskedLanguageHead' object has no attribute 'transform'": "the constructor has a blank of its own: it makes `self.transform`, `self.norm` and `self.output`.",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (... and ...)": "a weight of `nn.Linear(d_model, vocab_size)` is (vocab_size, d_model), as a table of tokens is: neither is transposed.",
    },
)


def table(draw: Draw) -> nn.Embedding:
    """The table that the model reads with, of drawn numbers."""
    embedding = nn.Embedding(11, 8)
    draw.fill(embedding)
    return embedding


def states(draw: Draw, *shape: int, **more: Any) -> Tensor:
    """What a BERT made of some tokens."""
    return draw.tensor("hidden", *shape, 8, scale=1.5, **more)


@masked_head.probe("scores every token at every place: transform, GELU, norm, output", float64=True)
def scores(MaskedLanguageHead: Callable, draw: Draw) -> Any:
    return draw.module(MaskedLanguageHead, small(), table(draw))(states(draw, 3, 5))


@masked_head.probe("writes with the very table that the model reads with, and with a bias of its own", float64=True)
def tied(MaskedLanguageHead: Callable, draw: Draw) -> Any:
    embedding, hidden = table(draw), states(draw, 2, 3)
    head = draw.module(MaskedLanguageHead, small(), embedding)
    found = {"before": head(hidden)}
    with torch.no_grad():
        embedding.weight.copy_(draw.tensor("other numbers", 11, 8))
    return found | {"after the table has learned": head(hidden)}


@masked_head.probe("leaves the table as it is, and freezes nothing", rung="invariants", float64=True)
def table_as_it_was(MaskedLanguageHead: Callable, draw: Draw) -> Any:
    embedding = table(draw)
    before, numbers = embedding.weight, embedding.weight.detach().clone()
    head = MaskedLanguageHead(small(), embedding)
    now = embedding.weight.detach().clone()
    head(states(draw, 2, 3))  # the blank stub must show as blank
    return {
        "what cannot learn": [name for name, one in head.named_parameters() if not one.requires_grad],
        "its numbers are as they were": torch.equal(now, numbers),
        "it is the same parameter": embedding.weight is before,
    }


@masked_head.probe("has the right gradients, for what it reads, for all parameters and for the table", rung="gradients")
def head_gradients(MaskedLanguageHead: Callable, draw: Draw) -> Any:
    embedding, hidden = table(draw), states(draw, 2, 4, requires_grad=True)
    head = draw.module(MaskedLanguageHead, small(), embedding)
    wanted = dict(head.named_parameters()) | {"hidden": hidden, "the table": embedding.weight}
    return draw.gradients(head(hidden), **wanted)


@masked_head.probe(
    "works for a single vector, for four dimensions, for large and for small numbers, and in training as in evaluation",
    rung="edges",
    float64=True,
)
def head_edges(MaskedLanguageHead: Callable, draw: Draw) -> Any:
    head, hidden = draw.module(MaskedLanguageHead, small(dropout=1.0), table(draw)), states(draw, 2, 3, 4)
    found = {
        "a vector": head(hidden[0, 0, 0]),
        "four dimensions": head(hidden[:, :1]),
        "large numbers": head(300 * hidden[0]),
        "one place of one row": head(hidden[0, :1, :1]),
        "not contiguous": head(hidden[0].transpose(0, 1)),
        "training": head.train()(hidden[1, :1]),
        "evaluation": head.eval()(hidden[1, :1]),
    }
    with torch.no_grad():  # where the norm reads little more than its eps, a factor in front of it shows
        for name, one in head.named_parameters():
            if name.startswith("transform"):
                one.mul_(0.01)
    return found | {"small numbers": head(hidden[1, 1])}


# masked_loss ----------------------------------------------------------------------------

masked_loss = Exercise(
    "masked_loss",
    points=2,
    hints=(
        "Among five places two are asked. By how many is the sum of the losses divided? And by how many in a batch in which no place is asked?",
        "```python\nasked = ...  # where is a label?\nif ...:      # nowhere\n    return ...  # 0, made of the logits, so that a gradient of zeros goes back\nreturn ...   # the mean cross-entropy of these places\n```",
        "`logits[asked]` is (asked, vocab_size) and `labels[asked]` is (asked,), which is what `F.cross_entropy` wants. The sum of an empty selection, `logits[asked].sum()`, is 0 and has a gradient.",
    ),
    traps={
        "IndexError: Target ... is out of bounds.": "-100 is no token. Take the places out at which nothing is asked, or leave `ignore_index` as it is.",
        "RuntimeError: Expected target size [...], got [...]": "`F.cross_entropy` wants (number, vocab_size) and (number,). `logits[asked]` and `labels[asked]` are that.",
        "ValueError: Expected input batch_size (...) to match target batch_size (...).": "logits and labels are chosen by the same places: `logits[asked]`, `labels[asked]`.",
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn": "where nothing is asked you return a number that was not made of the logits. `logits[asked].sum()` is 0 and has a gradient.",
        "RuntimeError: index -100 is out of bounds for dimension ... with size ...": "-100 is no token, and `gather` cannot look it up. Take the places out at which nothing is asked.",
        "AttributeError: 'float' object has no attribute 'backward'": "a number of Python's has no gradient. `logits[asked].sum()` is 0 and has one.",
        "AttributeError: 'int' object has no attribute 'backward'": "a number of Python's has no gradient. `logits[asked].sum()` is 0 and has one.",
    },
)


def asked(draw: Draw, counts: tuple[int, ...], seq_len: int, vocab: int, name: str = "labels") -> Tensor:
    """Labels of rows in which so many places are asked; the first of the first row for id 0, the next for the last id."""
    labels = draw.integers(f"{name} drawn", len(counts), seq_len, high=vocab).clone()
    order = torch.stack([shuffled(draw, f"{name} {row}", seq_len) for row in range(len(counts))])
    labels[0] = labels[0].where(order[0] != 0, 0).where(order[0] != 1, vocab - 1)
    return draw.keep(name, labels.where(order < torch.tensor(counts)[:, None], -100))


@masked_loss.probe("takes the mean over what is asked in the whole batch")
def one_batch(masked_loss: Callable, draw: Draw) -> Any:
    return masked_loss(draw.tensor("logits", 4, 6, 7, scale=2), asked(draw, (3, 1, 4, 2), 6, 7))


@masked_loss.probe("asks nothing of a row without labels, and does not count it", rung="edges")
def empty_rows(masked_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 3, 5, 7, scale=2)
    return {
        "the second row": masked_loss(logits, asked(draw, (4, 0, 2), 5, 7)),
        "the first row": masked_loss(logits, asked(draw, (0, 3, 1), 5, 7, "of the others")),
    }


@masked_loss.probe("sends a gradient to the places that are asked, and to no other", rung="gradients")
def loss_gradients(masked_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 3, 4, 5, scale=2, requires_grad=True)
    return draw.gradients(masked_loss(logits, asked(draw, (2, 1, 3), 4, 5)), logits=logits)


@masked_loss.probe("gives 0 and a gradient of zeros where nothing is asked", rung="edges")
def nothing_asked(masked_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 2, 3, 5, requires_grad=True)
    nothing = masked_loss(logits, draw.keep("nothing", torch.full((2, 3), -100)))
    nothing.backward()
    arrived = torch.zeros(()) if logits.grad is None else logits.grad  # none has arrived: it is not changed either
    return {"the loss": nothing, "the largest number of its gradient": arrived.abs().amax()}


@masked_loss.probe(
    "works for one place of one row, where every place is asked, for large logits, and on memory that is not contiguous",
    rung="edges",
)
def loss_edges(masked_loss: Callable, draw: Draw) -> Any:
    logits = draw.tensor("logits", 3, 4, 6, scale=2)
    labels = asked(draw, (2, 3, 1), 4, 6)
    return {
        "one place of one row": masked_loss(logits[:1, :1], draw.integers("one", 1, 1, high=6)),
        "every place is asked": masked_loss(logits, draw.integers("all", 3, 4, high=6)),
        "one of twelve places, for token 0": masked_loss(logits, asked(draw, (1, 0, 0), 4, 6, "single")),
        "large logits": masked_loss(300 * logits, labels),
        "not contiguous": masked_loss(logits.transpose(0, 1), labels.T),
    }
