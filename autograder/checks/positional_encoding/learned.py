"""Checks of lesson 04: the module whose vectors are learned."""

from collections.abc import Callable
from typing import Any

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

learned_positional_encoding = Exercise(
    "LearnedPositionalEncoding",
    points=2,
    hints=(
        "`nn.Embedding` is a table of vectors that training changes, and calling it with whole numbers looks up rows. Which numbers do you want to look up? Not the tokens: those have become vectors already.",
        "```python\n"
        "positions = ...  # 0, 1, 2, ... up to the number of tokens: (seq_len,)\n"
        "return ...       # x, and the vectors of these positions: (seq_len, d_model)\n"
        "```",
        "`torch.arange(seq_len, device=x.device)`, then `x + self.embedding(positions)`. The batch needs no mention: (seq_len, d_model) is added to every sequence.",
    ),
    traps={
        "RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got torch.FloatTensor": "an embedding looks up whole numbers, and here it got the tokens' features. Look up positions.",
        "TypeError: embedding(): argument 'indices' (position 2) must be Tensor, not int": "one number was given. A position for each token is a tensor: `torch.arange`.",
        "RuntimeError: The size of tensor a (4) must match the size of tensor b (3) at non-singleton dimension 1": "there are not as many vectors as tokens. Tokens are counted by `x.size(1)`; `x.size(0)` is the number of sequences.",
        "IndexError: index out of range in self": "the embedding was asked for a row that it does not have. Positions run from 0 to seq_len - 1.",
    },
)


@learned_positional_encoding.probe("adds to every token the learned vector of its position")
def learned_sums(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 7, 6)(draw.tensor("x", 3, 4, 6))


@learned_positional_encoding.probe("gives every sequence the same vectors, however many sequences there are")
def learned_square(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 9, 4)(draw.tensor("x", 5, 5, 4))


@learned_positional_encoding.probe("leaves out what only depends on the tokens", rung="invariants")
def same_positions(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 5, 6)
    return [layer(draw.tensor("x", 2, 3, 6)), layer(draw.tensor("other", 2, 3, 6, scale=9, shift=4))]


@learned_positional_encoding.probe("does in evaluation what it does in training", rung="invariants")
def learned_in_evaluation(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 7, 6).eval()(draw.tensor("x", 3, 4, 6))


@learned_positional_encoding.probe("has the right gradients, for the tokens and the vectors", rung="gradients")
def learned_gradients(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 7, 6)
    x = draw.tensor("x", 3, 4, 6, requires_grad=True)
    return draw.gradients(layer(x), x=x, **dict(layer.named_parameters()))


@learned_positional_encoding.probe(
    "works for one sequence, one token, one feature, and on memory that is not contiguous",
    rung="edges",
)
def learned_edges(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer, single = draw.module(LearnedPositionalEncoding, 5, 4), draw.module(LearnedPositionalEncoding, 1, 1)
    return {
        "one sequence": layer(draw.tensor("one", 1, 3, 4)),
        "not contiguous": layer(draw.tensor("x", 4, 3, 2).transpose(0, 2)),
        "one token of one feature": single(draw.tensor("token", 2, 1, 1)),
    }


@learned_positional_encoding.probe("has a vector for the last position", rung="edges")
def learned_last_position(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    return draw.module(LearnedPositionalEncoding, 5, 4)(draw.tensor("x", 2, 5, 4))


@learned_positional_encoding.probe("raises a ValueError when there are more tokens than positions", rung="invariants")
def learned_too_long(LearnedPositionalEncoding: Callable, draw: Draw) -> Any:
    layer = draw.module(LearnedPositionalEncoding, 5, 4)
    layer(draw.tensor("fits", 2, 5, 4))  # the blank stub must show as blank
    return layer(draw.tensor("x", 2, 6, 4))
