"""Checks of writing: generate."""

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

generate = Exercise(
    "generate",
    points=3,
    hints=(
        "It is a loop of three lines: read, draw, append. What may be too long for the model, and which end of it does the next token depend on? And two things have to be as before when you are done.",
        "```python\nwas_training = ...  # and switch to evaluation\nfor _ in range(max_new_tokens):\n    logits = ...    # of the last place; the model reads at most the last max_len tokens\n    new = ...       # sample_next, with all the settings: (batch,)\n    ids = ...       # one column more\n...                 # the mode as it was\nreturn ids\n```",
        "`model(ids[:, -model.config.max_len :])[:, -1]`, `sample_next(logits, temperature, top_k, top_p, generator)`, `torch.cat([ids, new.unsqueeze(1)], dim=1)`. `model.train(was_training)` brings either mode back.",
    ),
    traps={
        "ValueError: ... tokens, and max_len=...": "the text has become longer than the model reads. Give it the last `model.config.max_len` tokens.",
        "RuntimeError: Tensors must have same number of dimensions: got 2 and 1": "`sample_next` gives (batch,), and a column is appended: `new.unsqueeze(1)`.",
        "ValueError: logits has no row; give at least 1": "the batch has no text left. Does your slice take places, `[:, ...]`, or rows?",
        "RuntimeError: Sizes of tensors must match except in dimension ...": "a column is appended: (batch, seq_len) and (batch, 1), along dimension 1. `new.unsqueeze(1)` makes a column of (batch,), and it takes the logits of the last *place* of every row, `[:, -1]`, to have one number for each.",
        "RuntimeError: torch.searchsorted(): boundaries tensor should be ...": "`sample_next` wants (batch, vocab_size), the logits of one place. The model gives them for all places: `[:, -1]`.",
        "AttributeError: '...' object has no attribute 'max_len'": "the sizes of a model stand in its `config`: `model.config.max_len`.",
        "NameError: name 'config' is not defined": "the config is the model's here: `model.config`.",
        "RuntimeError: prob_dist must be 1 or 2 dim": "`sample_next` takes the scores of a single place, (batch, vocab_size). The next token follows the last one: `[:, -1]`.",
        "IndexError: index -2 is out of bounds for dimension 1 with size 1": "a text of one token has no place before its last. The next token follows the last one: `[:, -1]`.",
    },
)

VOCAB = 13
MAX_LEN = 5


class Voice(nn.Module):
    """A part of a model, with a mode of its own. In training mode it says another token: so dropout would show."""

    def forward(self, sure: Tensor) -> Tensor:
        """The token, or another."""
        return sure + int(self.training)


class GPT(nn.Module):
    """Stands in for a learner's: what it is sure of depends on every token that it reads, and on the place of each.

    In training mode it is sure of another token. With `flat`, it finds all tokens likely.
    """

    def __init__(self, draw: Draw, flat: bool = False) -> None:
        super().__init__()
        self.config = SimpleNamespace(max_len=MAX_LEN, vocab_size=VOCAB)
        self.table = nn.Parameter(draw.tensor("table", MAX_LEN, VOCAB))
        self.voice = Voice()
        self.flat = flat
        self.tracked: list[bool] = []
        self.asked_in_training: list[bool] = []

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        """Logits for every place, and weights where they are asked for."""
        if ids.size(1) > MAX_LEN:
            raise ValueError(f"{ids.size(1)} tokens, and max_len={MAX_LEN}; give the last {MAX_LEN} of them")
        self.tracked.append(torch.is_grad_enabled())
        self.asked_in_training.append(self.training)
        seen = self.table[torch.arange(ids.size(1)), ids].cumsum(dim=1)  # of each place all before it, too
        sure = self.voice((seen * 1e4).long().remainder(VOCAB))
        logits = F.one_hot(sure.remainder(VOCAB), VOCAB).to(self.table.dtype)
        logits = logits * (0.5 if self.flat else 80.0) + 0 * self.table.sum()
        return (logits, [torch.eye(ids.size(1)).tril().expand(len(ids), 1, -1, -1)]) if return_weights else logits


class Undecided(GPT):
    """Finds 200 tokens almost equally likely, whatever it reads."""

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        """Logits for every place."""
        return (torch.arange(200) / 10_000).expand(*ids.shape, -1)


class Counting(GPT):
    """Is sure of the id that is larger by `step` than what it has just read; behind the last one it begins at 0."""

    def __init__(self, draw: Draw, step: int) -> None:
        super().__init__(draw)
        self.step = step

    def forward(self, ids: Tensor, return_weights: bool = False) -> Any:
        """Logits for every place."""
        return 80.0 * F.one_hot((ids + self.step).remainder(VOCAB), VOCAB).to(self.table.dtype)


def prompts(draw: Draw, batch: int, seq_len: int) -> Tensor:
    """Texts to be continued."""
    return draw.integers("ids", batch, seq_len, high=VOCAB)


@generate.probe("puts behind each prompt what the model is sure of, token after token")
def short_texts(generate: Callable, draw: Draw) -> Any:
    torch.default_generator.manual_seed(
        1
    )  # whoever draws where nothing should be left to chance does so alike each time
    return generate(GPT(draw).eval(), prompts(draw, 3, 2), 3, top_k=1)


@generate.probe("reads the last max_len tokens when a text has become longer")
def long_texts(generate: Callable, draw: Draw) -> Any:
    torch.default_generator.manual_seed(1)
    return generate(GPT(draw).eval(), prompts(draw, 2, 3), 7, top_k=1)


@generate.probe("writes in evaluation mode, and leaves the model in the mode in which it came")
def modes(generate: Callable, draw: Draw) -> Any:
    model, ids = GPT(draw), prompts(draw, 2, 2)
    torch.default_generator.manual_seed(1)
    found = {}
    for name, mode in {"training": True, "evaluation": False}.items():
        model.train(mode)
        found[f"written, from {name} mode"] = generate(model, ids, 3, top_k=1)
        found[f"in training mode when it was asked, from {name} mode"] = any(model.asked_in_training)
        model.asked_in_training.clear()
        found[f"in training mode afterwards, from {name} mode"] = model.training
        found[f"its part in training mode afterwards, from {name} mode"] = model.voice.training
    return found


@generate.probe("hands temperature, top_k, top_p and the generator on to the draw", float64=False)
def settings(generate: Callable, draw: Draw) -> Any:
    ids = prompts(draw, 6, 2)
    model = GPT(draw, flat=True).eval()

    def written(torchs: int = 1, **given: Any) -> list[list[int]]:
        torch.default_generator.manual_seed(torchs)
        return generate(model, ids, 8, **given).tolist()

    def from_generator(own: int, torchs: int) -> list[list[int]]:
        return written(torchs, generator=torch.Generator().manual_seed(own))

    def again(own: torch.Generator) -> bool:
        first = generate(model, ids, 8, generator=own)
        return torch.equal(first, generate(model, ids, 8, generator=own))

    # A share of one half: in 1,000 draws it misses by 0.1 in one case out of 200 million (Hoeffding).
    many = draw.integers("many", 1000, 1, high=VOCAB)
    sure = model(many)[:, -1].argmax(dim=-1)
    half = generate(model, many, 1, temperature=0.5 / math.log(VOCAB - 1), generator=torch.Generator().manual_seed(1))
    likeliest = (half[:, -1] == sure).double().mean().item()

    # Of a flat distribution, two draws of 48 tokens agree only where nothing is left to chance.
    torch.default_generator.manual_seed(1)
    best = generate(GPT(draw).eval(), ids, 8, top_k=1).tolist()
    # In 2,000 draws from 200 tokens, five or more are missed once in a million millions.
    asked, own = many.repeat(2, 1), torch.Generator().manual_seed(1)
    met = generate(Undecided(draw).eval(), asked, 1, generator=own)[:, -1].unique()
    return {
        "without settings every token may be drawn": len(met) > 195,
        "a temperature of 0.001 writes the likeliest": written(temperature=0.001) == best,
        "top_k=1 writes the likeliest": written(top_k=1) == best,
        "a small top_p writes the likeliest": written(top_p=0.01) == best,
        "without settings the likeliest": written() == best,
        "the same generator, the same text": from_generator(1, 5) == from_generator(1, 6),
        "another generator, the same text": from_generator(1, 5) == from_generator(2, 5),
        "the same generator once more, the same text": again(torch.Generator().manual_seed(3)),
        "without a generator, another seed, the same text": written(1) == written(2),
        "the likeliest, at a temperature that gives it a half": "half"
        if abs(likeliest - 0.5) < 0.1
        else "more"
        if likeliest > 0.5
        else "less",
    }


@generate.probe("tracks no gradient, and gives ids that want none", rung="invariants")
def without_gradients(generate: Callable, draw: Draw) -> Any:
    model = GPT(draw).eval()
    ids = generate(model, prompts(draw, 1, 2), 2)
    return {
        "the model tracked gradients": any(model.tracked),
        "gradients are on afterwards": torch.is_grad_enabled(),
        "whole numbers": not ids.is_floating_point(),
    }


@generate.probe(
    "works for one text of one token, for nothing to write, and for prompts longer than max_len", rung="edges"
)
def writing_edges(generate: Callable, draw: Draw) -> Any:
    model, ids = GPT(draw).eval(), prompts(draw, 2, 8)
    torch.default_generator.manual_seed(1)
    return {
        "one text of one token": generate(model, ids[:1, :1], 2, top_k=1),
        "nothing to write": generate(model, ids, 0),
        "a long prompt": generate(model, ids, 3, top_k=1),
        "the same token again and again": generate(Counting(draw, 0).eval(), ids[:1, :2], 3, top_k=1),
        "every token there is": generate(Counting(draw, 1).eval(), ids[:1, :2], VOCAB, top_k=1),
    }


@generate.probe("raises a ValueError for an empty prompt, and for fewer than 0 tokens to write", rung="invariants")
def refuses_to_write(generate: Callable, draw: Draw) -> Any:
    model, ids = GPT(draw).eval(), prompts(draw, 2, 3)
    generate(model, ids, 1)  # the blank stub must show as blank
    return {
        "an empty prompt": raised(lambda: generate(model, ids[:, :0], 2)),
        "-1 tokens": raised(lambda: generate(model, ids, -1)),
    }
