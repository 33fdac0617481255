"""Parameters by formula."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.transformer import Transformer as StandIn
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.transformer.models import Base

# Right, and slips in it ----------------------------------------------------------------------------


def linear(inputs: int, outputs: int) -> int:
    """The parameters of an `nn.Linear`."""
    return inputs * outputs + outputs


def linear_by_linear(c: Any) -> int:
    """Each stack by itself, from a function that counts one layer of torch."""
    d, f, n = c.d_model, c.d_ff, c.num_layers
    attends = 4 * linear(d, d)
    feeds = linear(d, f) + linear(f, d)
    normed = d + d
    reads = n * (attends + feeds + 2 * normed)
    writes = n * (2 * attends + feeds + 3 * normed)
    if c.norm_first:
        reads, writes = reads + normed, writes + normed
    source = c.src_vocab_size * d
    target = 0 if c.share_embeddings else c.tgt_vocab_size * d
    scores = 0 if c.tie_output else d * c.tgt_vocab_size
    return reads + writes + source + target + scores


slips(
    "parameter_count",
    linear_by_linear,
    {
        "biases of attention not counted": {"4 * linear(d, d)": "4 * d * d"},
        "biases of the feed-forward network not counted": [
            {"linear(d, f) + linear(f, d)": "2 * d * f"},
            {"linear(d, f) + linear(f, d)": "d * f + linear(f, d)"},
        ],
        "no biases counted": {"4 * linear(d, d)": "4 * d * d", "linear(d, f) + linear(f, d)": "2 * d * f"},
        "bias of the wrong size": [
            {"linear(d, f) + linear(f, d)": "2 * linear(d, f)"},
            {"linear(d, f) + linear(f, d)": "2 * linear(f, d)"},
        ],
        "one linear layer in the feed-forward network": [
            {" + linear(f, d)": ""},
            {"linear(d, f) + linear(f, d)": "d * f + d + f"},
        ],
        "two norms too few": [
            {"feeds + 2 * normed": "feeds"},
            {"feeds + 2 * normed": "feeds + normed", "feeds + 3 * normed": "feeds + 2 * normed"},
        ],
        "shared table not counted": {"source = c": "source = 0 if c.share_embeddings else c"},
        "layers counted twice": {"c.num_layers": "2 * c.num_layers"},
        "num_layers is not read": {"c.num_layers": "6"},
        "4 · d_model instead of d_ff": {"c.d_ff": "4 * c.d_model"},
        "output projection of attention not counted": {"4 * linear": "3 * linear"},
        "attention counted for every head": [
            {"4 * linear": "4 * c.num_heads * linear"},
            {"4 * linear(d, d)": "3 * c.num_heads * linear(d, d) + linear(d, d)"},
        ],
        "norms counted with one parameter per feature": {"d + d": "d"},
        "norms not counted": {"normed = d + d": "normed = 0"},
        "a norm, or the bias of linear2, not counted": [
            {"3 * normed": "2 * normed"},
            {"attends + feeds + 2 * normed": "attends + feeds + normed"},
            {"linear(f, d)": "f * d"},
        ],
        "one norm for a layer": {"2 * normed": "normed", "3 * normed": "normed"},
        "one attention in a decoder layer": {"2 * attends": "attends"},
        "final norms counted without pre-norm": {"if c.norm_first:": "if True:"},
        "final norms counted only without pre-norm": {"if c.norm_first": "if not c.norm_first"},
        "final norms of pre-norm not counted": {
            "    if c.norm_first:\n        reads, writes = reads + normed, writes + normed\n": ""
        },
        "one final norm instead of two": {", writes + normed": ", writes"},
        "final norms counted for every layer": {
            "reads + normed, writes + normed": "reads + n * normed, writes + n * normed"
        },
        "tied output counted": {"0 if c.tie_output else d": "d"},
        "output layer not counted": {" + target + scores": " + target"},
        "output counted only if tied": {"0 if c.tie_output": "0 if not c.tie_output"},
        "shared table counted twice": {"0 if c.share_embeddings else c": "c"},
        "target's table counted only if shared": {"0 if c.share_embeddings": "0 if not c.share_embeddings"},
        "target's table not counted": {" + target + scores": " + scores"},
        "output counted with the source's vocabulary": {"d * c.tgt_vocab_size": "d * c.src_vocab_size"},
        "target counted with the source's vocabulary": [
            {"c.tgt_vocab_size * d": "c.src_vocab_size * d"},
            {"else c.tgt_vocab_size * d": "else source", "d * c.tgt_vocab_size": "source"},
        ],
        "source's table counted with the target's vocabulary": {"c.src_vocab_size": "c.tgt_vocab_size"},
        "output bias counted": [
            {"else d * c.tgt_vocab_size": "else linear(d, c.tgt_vocab_size)"},
            {" + target + scores": " + target + scores + c.tgt_vocab_size"},
        ],
        "positions counted": {" + target + scores": " + target + scores + c.max_len * d"},
        "one layer of each stack": {"c.num_layers": "1"},
        "only one stack multiplied by num_layers": {"writes = n * (": "writes = ("},
        "num_layers divided between the stacks": {"c.num_layers": "c.num_layers // 2"},
        "decoder not counted": {"    if c.norm_first": "    writes = 0\n    if c.norm_first"},
        "decoder counted like the encoder": {"2 * attends + feeds + 3 * normed": "attends + feeds + 2 * normed"},
        "biases of attention not counted + positions counted": {
            "4 * linear(d, d)": "4 * d * d",
            " + target + scores": " + target + scores + c.max_len * d",
        },
        "output layer not counted + one layer of each stack": {"c.num_layers": "1", " + target + scores": " + target"},
    },
)

slips("parameter_count", linear_by_linear, {"no biases counted": {" + outputs": ""}}, inside="linear")


def shapes_listed(config: Any) -> int:
    """The shapes of all parameters, in a list."""
    width, inner = config.d_model, config.d_ff
    attention = [(width, width), (width,)] * 4
    network = [(inner, width), (inner,), (width, inner), (width,)]
    norm = [(width,), (width,)]
    reader = [*attention, *network, *norm, *norm]
    writer = [*attention, *attention, *network, *norm, *norm, *norm]
    shapes = (reader + writer) * config.num_layers
    shapes += [*norm, *norm] if config.norm_first else []
    shapes += [(config.src_vocab_size, width)]
    shapes += [] if config.share_embeddings else [(config.tgt_vocab_size, width)]
    shapes += [] if config.tie_output else [(width, config.tgt_vocab_size)]
    return sum(map(math.prod, shapes))


slips(
    "parameter_count",
    shapes_listed,
    {
        "biases of attention not counted": {"[(width, width), (width,)]": "[(width, width)]"},
        "biases of the feed-forward network not counted": [
            {"[(inner, width), (inner,), (width, inner), (width,)]": "[(inner, width), (width, inner)]"},
            {"(inner,), ": ""},
        ],
        "no biases counted": {
            "[(width, width), (width,)]": "[(width, width)]",
            "[(inner, width), (inner,), (width, inner), (width,)]": "[(inner, width), (width, inner)]",
        },
        "bias of the wrong size": [
            {"(inner,)": "(width,)"},
            {"(width, inner), (width,)": "(width, inner), (inner,)"},
        ],
        "one linear layer in the feed-forward network": {", (width, inner), (width,)": ""},
        "4 · d_model instead of d_ff": {"config.d_ff": "4 * config.d_model"},
        "output projection of attention not counted": {"] * 4": "] * 3"},
        "attention counted for every head": {"] * 4": "] * 4 * config.num_heads"},
        "norms counted with one parameter per feature": {"norm = [(width,), (width,)]": "norm = [(width,)]"},
        "norms not counted": {"norm = [(width,), (width,)]": "norm = []"},
        "a norm, or the bias of linear2, not counted": [
            {", *norm, *norm, *norm]": ", *norm, *norm]"},
            {"(width, inner), (width,)": "(width, inner)"},
        ],
        "one norm for a layer": {
            "*attention, *network, *norm, *norm]\n": "*attention, *network, *norm]\n",
            "*norm, *norm, *norm]": "*norm]",
        },
        "one attention in a decoder layer": {"*attention, *attention": "*attention"},
        "final norms counted without pre-norm": {" if config.norm_first else []": ""},
        "final norms counted only without pre-norm": {"if config.norm_first": "if not config.norm_first"},
        "final norms of pre-norm not counted": {"    shapes += [*norm, *norm] if config.norm_first else []\n": ""},
        "one final norm instead of two": {"[*norm, *norm] if": "norm if"},
        "final norms counted for every layer": {"[*norm, *norm] if": "[*norm, *norm] * config.num_layers if"},
        "tied output counted": {"[] if config.tie_output else ": ""},
        "output layer not counted": {
            "    shapes += [] if config.tie_output else [(width, config.tgt_vocab_size)]\n": ""
        },
        "output counted only if tied": {"[] if config.tie_output": "[] if not config.tie_output"},
        "shared table counted twice": {"[] if config.share_embeddings else ": ""},
        "target's table counted only if shared": {"[] if config.share": "[] if not config.share"},
        "target's table not counted": {
            "    shapes += [] if config.share_embeddings else [(config.tgt_vocab_size, width)]\n": ""
        },
        "source's table counted with the target's vocabulary": {"config.src_vocab_size": "config.tgt_vocab_size"},
        "positions counted": {
            "(config.src_vocab_size, width)": "(config.src_vocab_size, width), (config.max_len, width)"
        },
        "one layer of each stack": {" * config.num_layers": ""},
        "only one stack multiplied by num_layers": {"(reader + writer) *": "reader + writer *"},
        "decoder not counted": {"(reader + writer)": "reader"},
        "decoder counted like the encoder": {"(reader + writer)": "(reader + reader)"},
    },
)


def added_up(config: Any) -> int:
    """Layer after layer, with the bias as one more input."""
    d, wide = config.d_model, config.d_ff
    encoder = decoder = 0
    for _ in range(config.num_layers):
        encoder += 4 * d * (d + 1)
        encoder += wide * (d + 1) + d * (wide + 1)
        encoder += 2 * 2 * d
        decoder += 8 * d * (d + 1)
        decoder += wide * (d + 1) + d * (wide + 1)
        decoder += 3 * 2 * d
    ends = 2 * d if config.norm_first else 0
    words = config.src_vocab_size
    words += config.tgt_vocab_size * (not config.share_embeddings)
    words += config.tgt_vocab_size * (not config.tie_output)
    return (encoder + ends) + (decoder + ends) + words * d


slips(
    "parameter_count",
    added_up,
    {
        "biases of attention not counted": {"4 * d * (d + 1)": "4 * d * d", "8 * d * (d + 1)": "8 * d * d"},
        "attention counted for every head": {
            "4 * d * (d + 1)": "4 * config.num_heads * d * (d + 1)",
            "8 * d * (d + 1)": "8 * config.num_heads * d * (d + 1)",
        },
        "output projection of attention not counted": {"4 * d": "3 * d", "8 * d": "6 * d"},
        "4 · d_model instead of d_ff": {
            "wide = config.d_model, config.d_ff": "wide = config.d_model, 4 * config.d_model"
        },
        "norms counted with one parameter per feature": {
            "2 * 2 * d": "2 * d",
            "3 * 2 * d": "3 * d",
            "ends = 2 * d": "ends = d",
        },
        "a norm, or the bias of linear2, not counted": [{"3 * 2 * d": "2 * 2 * d"}, {"+= 2 * 2 * d": "+= 2 * d"}],
        "one norm for a layer": {"2 * 2 * d": "2 * d", "3 * 2 * d": "2 * d"},
        "one attention in a decoder layer": {"8 * d": "4 * d"},
        "final norms counted without pre-norm": {" if config.norm_first else 0": ""},
        "final norms counted only without pre-norm": {
            "2 * d if config.norm_first else 0": "0 if config.norm_first else 2 * d"
        },
        "final norms of pre-norm not counted": {"(encoder + ends) + (decoder + ends)": "encoder + decoder"},
        "one final norm instead of two": {"(encoder + ends) + (decoder + ends)": "encoder + decoder + ends"},
        "final norms counted for every layer": {"ends = 2 * d": "ends = config.num_layers * 2 * d"},
        "tied output counted": {" * (not config.tie_output)": ""},
        "output counted only if tied": {"(not config.tie_output)": "config.tie_output"},
        "shared table counted twice": {" * (not config.share_embeddings)": ""},
        "target's table counted only if shared": {"(not config.share_embeddings)": "config.share_embeddings"},
        "output counted with the source's vocabulary": {
            "config.tgt_vocab_size * (not config.tie_output)": "config.src_vocab_size * (not config.tie_output)"
        },
        "target counted with the source's vocabulary": {
            "config.tgt_vocab_size * (not config.share": "config.src_vocab_size * (not config.share"
        },
        "output bias counted": {"+ words * d": "+ words * d + config.tgt_vocab_size"},
        "positions counted": [
            {"+ words * d": "+ (words + config.max_len) * d"},
            {"+ words * d": "+ (words + 2 * config.max_len) * d"},
        ],
        "one layer of each stack": {"range(config.num_layers)": "range(1)"},
        "num_layers divided between the stacks": {"range(config.num_layers)": "range(config.num_layers // 2)"},
        "decoder not counted": {" + (decoder + ends)": " + ends"},
        "entries of the state_dict counted": {
            " * (not config.share_embeddings)": "",
            " * (not config.tie_output)": "",
            "+ words * d": "+ (words + config.max_len) * d",
        },
        "one final norm instead of two + positions counted": {
            "(decoder + ends) + words * d": "decoder + (words + config.max_len) * d"
        },
    },
)


# Right and wrong, in other ways ----------------------------------------------------------------------------


def counted(kind: str, mistake: str = "") -> Any:
    """A parameter_count."""
    if kind == "disguise":
        return disguise("parameter_count", mistake)
    return correct("parameter_count") if kind == "correct" else unlisted("parameter_count")


@counted("disguise", "the model is built")
def by_building(config: Any) -> int:
    return sum(one.numel() for one in StandIn(config).parameters())


@counted("disguise", "the model is built")
def by_building_and_dict(config: Any) -> int:
    found = {id(one): one.numel() for one in Base(config).parameters()}
    return sum(found.values())


@counted("correct")
def by_polynomial(config: Any) -> int:
    d, f, n = config.d_model, config.d_ff, config.num_layers
    layers = n * (12 * d**2 + 12 * d + 4 * d * f + 2 * f + 2 * d + 10 * d)
    rows = config.src_vocab_size + (2 - config.share_embeddings - config.tie_output) * config.tgt_vocab_size
    return layers + d * rows + (4 * d if config.norm_first else 0)


@counted("disguise", "the model is built")
def by_parts(config: Any) -> int:
    def count(module: nn.Module) -> int:
        return sum(map(torch.numel, module.parameters()))

    sizes = (config.num_layers, config.d_model, config.num_heads, config.d_ff, 0.0, config.norm_first)
    total = count(Encoder(*sizes)) + count(Decoder(*sizes)) + config.src_vocab_size * config.d_model
    total += 0 if config.share_embeddings else config.tgt_vocab_size * config.d_model
    total += 0 if config.tie_output else config.tgt_vocab_size * config.d_model
    return total


@counted("unlisted")
def from_one_layer(config: Any) -> int:
    one = by_polynomial(replace(config, num_layers=1))
    return one + sum(by_polynomial(replace(config, num_layers=1)) - rest(config) for _ in range(1, config.num_layers))


@counted("correct")
def on_meta(config: Any) -> int:
    with torch.device("meta"):
        built = Base(config)
    return sum(math.prod(one.shape) for one in built.parameters())


def parts(
    c: Any, *, qkv_bias: int = 4, mats: int = 4, ff: Any = None, norms: Any = (2, 3), norm: int = 2, attentions: int = 2
) -> int:
    """All layers of both stacks; what a wrong count changes is an argument."""
    d, f = c.d_model, c.d_ff
    attention = mats * d * d + qkv_bias * d
    forward = 2 * d * f + f + d if ff is None else ff(d, f)
    one = (1 + attentions) * attention + 2 * forward + sum(norms) * norm * d
    return c.num_layers * one


def rest(c: Any) -> int:
    """Final norms and tables."""
    tables = 3 - bool(c.share_embeddings) - bool(c.tie_output)
    sizes = c.src_vocab_size + (tables - 1) * c.tgt_vocab_size
    return sizes * c.d_model + (4 * c.d_model if c.norm_first else 0)


def miscounted(mistake: str, core: Callable[[Any], int]) -> None:
    """A disguise of parameter_count."""
    counted("disguise", mistake)(core)


miscounted("biases of attention not counted", lambda c: parts(c, qkv_bias=0) + rest(c))
miscounted(
    "biases of the feed-forward network not counted", lambda c: parts(c, ff=lambda d, f: d * f + f * d + d) + rest(c)
)
miscounted("no biases counted", lambda c: parts(c, qkv_bias=0, ff=lambda d, f: 2 * d * f) + rest(c))
miscounted("one bias for four layers", lambda c: parts(c) + rest(c) - 9 * c.num_layers * c.d_model)
miscounted("tables not counted", lambda c: parts(c) + (4 * c.d_model if c.norm_first else 0))
miscounted("bias of the wrong size", lambda c: parts(c, ff=lambda d, f: 2 * d * (f + 1)) + rest(c))
miscounted("one linear layer in the feed-forward network", lambda c: parts(c, ff=lambda d, f: (d + 1) * f) + rest(c))
miscounted(
    "4 · d_model instead of d_ff",
    lambda c: parts(c, ff=lambda d, f: 8 * d * d + 5 * d) + rest(c),
)
miscounted("output projection of attention not counted", lambda c: parts(c, mats=3, qkv_bias=3) + rest(c))
miscounted(
    "attention counted for every head",
    lambda c: parts(c, mats=3 * c.num_heads + 1, qkv_bias=3 * c.num_heads + 1) + rest(c),
)
miscounted(
    "norms counted with one parameter per feature",
    lambda c: parts(c, norm=1) + rest(c) - (2 * c.d_model if c.norm_first else 0),
)
miscounted("norms not counted", lambda c: parts(c, norm=0) + rest(c) - (4 * c.d_model if c.norm_first else 0))
miscounted(
    "a norm, or the bias of linear2, not counted",
    lambda c: parts(c, ff=lambda d, f: d * f + f + f * d) + rest(c),
)
miscounted("one norm for a layer", lambda c: parts(c, norms=(1, 1)) + rest(c))
miscounted("one attention in a decoder layer", lambda c: parts(c, attentions=1) + rest(c))
miscounted(
    "final norms counted without pre-norm", lambda c: parts(c) + rest(c) + (0 if c.norm_first else 4 * c.d_model)
)
miscounted("final norms of pre-norm not counted", lambda c: parts(c) + rest(c) - (4 * c.d_model if c.norm_first else 0))
miscounted(
    "final norms counted only without pre-norm",
    lambda c: parts(c) + rest(c) + (-4 if c.norm_first else 4) * c.d_model,
)
miscounted(
    "target counted with the source's vocabulary",
    lambda c: (
        parts(c) + (3 - c.share_embeddings - c.tie_output) * c.src_vocab_size * c.d_model + 4 * c.norm_first * c.d_model
    ),
)
miscounted("one final norm instead of two", lambda c: parts(c) + rest(c) - (2 * c.d_model if c.norm_first else 0))
miscounted(
    "final norms counted for every layer",
    lambda c: parts(c) + rest(c) + (4 * c.d_model * (c.num_layers - 1) if c.norm_first else 0),
)
miscounted("tied output counted", lambda c: parts(c) + rest(c) + c.tie_output * c.tgt_vocab_size * c.d_model)
miscounted("output layer not counted", lambda c: parts(c) + rest(c) - (not c.tie_output) * c.tgt_vocab_size * c.d_model)
miscounted(
    "output counted only if tied",
    lambda c: parts(c) + rest(c) + (1 if c.tie_output else -1) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "shared table counted twice", lambda c: parts(c) + rest(c) + c.share_embeddings * c.tgt_vocab_size * c.d_model
)
miscounted(
    "target's table counted only if shared",
    lambda c: parts(c) + rest(c) + (1 if c.share_embeddings else -1) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "target's table not counted",
    lambda c: parts(c) + rest(c) - (not c.share_embeddings) * c.tgt_vocab_size * c.d_model,
)
miscounted(
    "output counted with the source's vocabulary",
    lambda c: parts(c) + rest(c) + (not c.tie_output) * (c.src_vocab_size - c.tgt_vocab_size) * c.d_model,
)
miscounted(
    "source's table counted with the target's vocabulary",
    lambda c: parts(c) + rest(c) + (c.tgt_vocab_size - c.src_vocab_size) * c.d_model,
)
miscounted("output bias counted", lambda c: parts(c) + rest(c) + (0 if c.tie_output else c.tgt_vocab_size))
miscounted("positions counted", lambda c: parts(c) + rest(c) + 2 * c.max_len * c.d_model)
miscounted("one layer of each stack", lambda c: parts(c) // c.num_layers + rest(c))


def one_stack(c: Any) -> int:
    """The encoder's layers; a whole feed-forward network was split between two stacks in `parts`."""
    return int(parts(c, attentions=0, norms=(2,), ff=lambda d, f: (2 * d * f + f + d) / 2))


miscounted(
    "only one stack multiplied by num_layers",
    lambda c: one_stack(c) + (parts(c) - one_stack(c)) // c.num_layers + rest(c),
)
miscounted("num_layers divided between the stacks", lambda c: parts(c) // 2 + rest(c))
miscounted("decoder not counted", lambda c: one_stack(c) + rest(c))
miscounted("decoder counted like the encoder", lambda c: parts(c, attentions=1, norms=(2, 2)) + rest(c))
miscounted("entries of the state_dict counted", lambda c: sum(one.numel() for one in StandIn(c).state_dict().values()))

# Which tables there are, by the answers to the two questions.
for tables in (
    lambda shared, tied: 1 if not shared else 0 if tied else 1,
    lambda shared, tied: 0 if shared else 2 - tied,
    lambda shared, tied: 0 if shared or tied else 2,
    lambda shared, tied: 0 if shared and tied else 2,
    lambda shared, tied: 1 if shared or tied else 2,
):
    miscounted(
        "sharing and tying mixed up",
        lambda c, tables=tables: (
            parts(c)
            + rest(c)
            + (tables(c.share_embeddings, c.tie_output) - of_the_target(c)) * c.tgt_vocab_size * c.d_model
        ),
    )


def of_the_target(c: Any) -> int:
    """How many tables have as many rows as the target has words, beside the source's."""
    return (not c.share_embeddings) + (not c.tie_output)


miscounted("source's table not counted", lambda c: parts(c) + rest(c) - c.src_vocab_size * c.d_model)
miscounted(
    "tables counted for every layer",
    lambda c: (
        parts(c) + rest(c) + (c.num_layers - 1) * c.d_model * (c.src_vocab_size + of_the_target(c) * c.tgt_vocab_size)
    ),
)
miscounted("encoder counted like the decoder", lambda c: parts(c, attentions=3, norms=(3, 3)) + rest(c))
miscounted("a norm too many", lambda c: parts(c, norms=(2, 4)) + rest(c))
miscounted(
    "attention counted for one head",
    lambda c: parts(c) + rest(c) - 9 * c.num_layers * (c.d_model + 1) * (c.d_model - c.d_model // c.num_heads),
)
miscounted("the count is a float", lambda c: float(parts(c) + rest(c)))
miscounted("the count is a float", lambda c: (parts(c) + rest(c)) / 1)

for factor in (1, 2, 0.5):
    counted("unlisted")(lambda c, factor=factor: int(factor * (parts(c) + rest(c)) + c.num_heads))


@counted("disguise", "two norms too few")
def no_norm_in_a_reader(c: Any) -> int:
    return linear_by_linear(c) - c.num_layers * 4 * c.d_model


@counted("disguise", "shared table not counted")
def nothing_left_of_it(c: Any) -> int:
    return linear_by_linear(c) - (c.src_vocab_size * c.d_model if c.share_embeddings else 0)


@counted("disguise", "layers counted twice")
def twice_as_deep(c: Any) -> int:
    return linear_by_linear(replace(c, num_layers=c.num_layers + c.num_layers))


@counted("disguise", "num_layers is not read")
def six_deep(c: Any) -> int:
    return linear_by_linear(replace(c, num_layers=6))


@counted("unlisted")
def without_projection_biases(c: Any) -> int:
    return parts(c, qkv_bias=3) + rest(c)


@counted("unlisted")
def gated(c: Any) -> int:
    return parts(c, ff=lambda d, f: 3 * d * f) + rest(c)


@counted("unlisted")
def in_millions(c: Any) -> str:
    return f"{(parts(c) + rest(c)) / 1e6:.1f} M"


@counted("disguise", "the configuration is changed")
def in_its_own_attributes(c: Any) -> int:
    total = linear_by_linear(c)
    c.norm_first, c.tie_output = bool(c.norm_first) and not c.tie_output, False
    return total


@counted("disguise", "the configuration is changed")
def for_the_count_alone(c: Any) -> int:
    setattr(c, "pad_id", None)  # noqa: B010
    return linear_by_linear(c)
