"""Lesson 20: operations and bytes, by formula."""

import math
from typing import Any

from tests.variants import correct, disguise, slips, unlisted

COUNT = "flops"
HOLD = "memory"


def refuse(config: Any, seq_len: int, batch: int = 1) -> None:
    """The given lines."""
    if batch < 1 or seq_len < 1 or seq_len > config.max_len:
        raise ValueError("sizes that do not fit")


# flops, right ----------------------------------------------------------------------------


def products_in_a_row(config: Any, seq_len: int) -> int:
    """Product by product."""
    refuse(config, seq_len)
    t, d, h, f = seq_len, config.d_model, config.num_heads, config.d_ff
    done = 0
    for _ in range(config.num_layers):
        done += 3 * t * d * d  # q, k, v
        done += h * t * (d // h) * t
        done += h * t * t * (d // h)
        done += t * d * d  # out
        done += t * d * f
        done += t * f * d
    done += t * d * config.vocab_size
    return 2 * done


slips(
    COUNT,
    products_in_a_row,
    {
        "a multiply-add counted once": {"return 2 * done": "return done"},
        "half of the attention": [
            {"        done += h * t * t * (d // h)\n": ""},
            {
                "done += h * t * (d // h) * t": "done += h * (d // h) * t * (t + 1) // 2",
                "done += h * t * t * (d // h)": "done += h * (d // h) * t * (t + 1) // 2",
            },
        ],
        "one head alone": {
            "done += h * t * (d // h) * t": "done += t * (d // h) * t",
            "done += h * t * t * (d // h)": "done += t * t * (d // h)",
        },
        "every head as wide as the model": {
            "done += h * t * (d // h) * t": "done += h * t * d * t",
            "done += h * t * t * (d // h)": "done += h * t * t * d",
        },
        "another number of projections": {"        done += t * d * d  # out\n": ""},
        "one matrix in the feed-forward network": {"        done += t * f * d\n": ""},
        "head left out": {"    done += t * d * config.vocab_size\n": ""},
        "head in every block": {"    done += t * d * config.vocab_size": "        done += t * d * config.vocab_size"},
        "one block alone": {"range(config.num_layers)": "range(1)"},
        "backward pass counted too": {"return 2 * done": "return 6 * done"},
        "as long as may be": {"t, d, h, f = seq_len,": "t, d, h, f = config.max_len,"},
    },
)


def by_token(config: Any, seq_len: int) -> float:
    """What one token takes, times the tokens; a float that is whole."""
    refuse(config, seq_len)
    matrices = config.num_layers * (4 * config.d_model**2 + 2 * config.d_model * config.d_ff)
    reading = 2.0 * config.num_layers * seq_len * config.d_model
    head = config.vocab_size * config.d_model
    return 2.0 * seq_len * (matrices + reading + head)


slips(
    COUNT,
    by_token,
    {
        "of one token": {"2.0 * seq_len * (matrices": "2.0 * (matrices"},
        "attention missing": {"(matrices + reading + head)": "(matrices + head)"},
        "half of the attention": {"reading = 2.0 *": "reading = 1.0 *"},
        "attention grows with the length": {
            "config.num_layers * seq_len * config.d_model": "config.num_layers * config.d_model"
        },
        "head left out": {" + head)": ")"},
        "looking up counted as a product": {"head = config": "head = 2 * config"},
        "a multiply-add counted once": {"return 2.0 *": "return"},
    },
)


def as_shapes(config: Any, seq_len: int) -> int:
    """A list of all shapes."""
    refuse(config, seq_len)
    d = config.d_model
    square, up, down = [(seq_len, d, d)], [(seq_len, d, config.d_ff)], [(seq_len, config.d_ff, d)]
    maps = [(seq_len, d, seq_len), (seq_len, seq_len, d)]
    shapes = (4 * square + maps + up + down) * config.num_layers + [(seq_len, d, config.vocab_size)]
    return 2 * sum(math.prod(one) for one in shapes)


slips(
    COUNT,
    as_shapes,
    {
        "another number of projections": [{"4 * square": "3 * square"}, {"4 * square": "square"}],
        "attention missing": {" + maps": ""},
        "half of the attention": {", (seq_len, seq_len, d)]": "]"},
        "one matrix in the feed-forward network": {" + down": ""},
        "one block alone": {" * config.num_layers": ""},
        "every head as wide as the model": [
            {"4 * square": "4 * square * config.num_heads"},
            {"+ maps": "+ config.num_heads * maps"},
        ],
    },
)


# flops, in full ----------------------------------------------------------------------------


def parts(config: Any, t: int) -> dict[str, int]:
    """Multiply-adds by part, of one block but for the head."""
    refuse(config, t)
    d = config.d_model
    return {"square": t * d**2, "map": t**2 * d, "wide": t * d * config.d_ff, "head": t * d * config.vocab_size}


def total(config: Any, t: int, square: float = 4, maps: float = 2, wide: float = 2, head: float = 1) -> int:
    """The sum, each part as often as is said."""
    p = parts(config, t)
    block = square * p["square"] + maps * p["map"] + wide * p["wide"]
    return int(2 * (config.num_layers * block + head * p["head"]))


@disguise(COUNT, "a multiply-add counted once")
def macs(config: Any, seq_len: int) -> int:
    return total(config, seq_len) // 2


@disguise(COUNT, "half of the attention")
def one_map(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=1)


@disguise(COUNT, "half of the attention")
def what_is_seen(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=(seq_len + 1) / seq_len)


@disguise(COUNT, "biases counted")
def with_biases(config: Any, seq_len: int) -> int:
    outputs = 4 * config.d_model + config.d_ff + config.d_model
    return total(config, seq_len) + config.num_layers * seq_len * outputs


@disguise(COUNT, "attention missing")
def no_map(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=0)


@disguise(COUNT, "every head as wide as the model")
def wide_heads(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=2 * config.num_heads)


@disguise(COUNT, "one head alone")
def narrow(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=2 / config.num_heads)


@disguise(COUNT, "attention grows with the length")
def linear(config: Any, seq_len: int) -> int:
    return total(config, seq_len, maps=0) + 4 * config.num_layers * seq_len * config.d_model


@disguise(COUNT, "d_ff taken for four times d_model")
def four_times(config: Any, seq_len: int) -> int:
    return total(config, seq_len, wide=8 * config.d_model / config.d_ff)


@disguise(COUNT, "attention over max_len")
def asks_all_places(config: Any, seq_len: int) -> int:
    return round(total(config, seq_len, maps=0) + 4 * config.num_layers * seq_len * config.max_len * config.d_model)


@disguise(COUNT, "head of one token")
def one_row_of_scores(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=0) + 2 * config.d_model * config.vocab_size


@disguise(COUNT, "head left out")
def headless(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=0)


@disguise(COUNT, "head in every block")
def many_heads(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=config.num_layers)


@disguise(COUNT, "one block alone")
def first_block(config: Any, seq_len: int) -> int:
    p = parts(config, seq_len)
    return 2 * (4 * p["square"] + 2 * p["map"] + 2 * p["wide"] + p["head"])


@disguise(COUNT, "another number of projections")
def without_out(config: Any, seq_len: int) -> int:
    return total(config, seq_len, square=3)


@disguise(COUNT, "one matrix in the feed-forward network")
def up_alone(config: Any, seq_len: int) -> int:
    return total(config, seq_len, wide=1)


@disguise(COUNT, "looking up counted as a product")
def both_ends(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=2)


@disguise(COUNT, "backward pass counted too")
def there_and_back(config: Any, seq_len: int) -> int:
    forward = total(config, seq_len)
    return forward + 2 * forward


@disguise(COUNT, "of one token")
def a_token(config: Any, seq_len: int) -> int:
    return round(total(config, seq_len) / seq_len)


@disguise(COUNT, "as long as may be")
def full_length(config: Any, seq_len: int) -> int:
    refuse(config, seq_len)
    return total(config, config.max_len)


@disguise(COUNT, "two for each parameter")
def rule_of_thumb(config: Any, seq_len: int) -> int:
    return 2 * held(config, 1, seq_len)["weights"] // 4 * seq_len


@unlisted(COUNT)
def twice_as_much(config: Any, seq_len: int) -> int:
    return total(config, seq_len) * 4


@unlisted(COUNT)
def a_block_more(config: Any, seq_len: int) -> int:
    return total(config, seq_len, square=5)


@unlisted(COUNT)
def as_many_tables(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=config.num_heads)


@disguise(COUNT, "half of the head")
def half_a_head(config: Any, seq_len: int) -> int:
    return total(config, seq_len, head=0.5)


@disguise(COUNT, "feed-forward network left out")
def without_a_network(config: Any, seq_len: int) -> int:
    return total(config, seq_len, wide=0)


@disguise(COUNT, "the tokens left out")
def a_row_of_each(config: Any, seq_len: int) -> int:
    return total(config, seq_len, square=4 / seq_len, wide=2 / seq_len)


@disguise(COUNT, "one addition less in each sum")
def sums_of_n(config: Any, seq_len: int) -> int:
    results = seq_len * (6 * config.d_model + config.d_ff + config.num_heads * seq_len)
    return total(config, seq_len) - config.num_layers * results - seq_len * config.vocab_size


@disguise(COUNT, "the softmax counted")
def exponentials_too(config: Any, seq_len: int) -> int:
    return total(config, seq_len) + 3 * config.num_layers * config.num_heads * seq_len * seq_len


@disguise(COUNT, "three matrices in the feed-forward network")
def three_in_the_network(config: Any, seq_len: int) -> int:
    return total(config, seq_len, wide=3)


# memory, right ----------------------------------------------------------------------------


def held(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    """Shape by shape."""
    refuse(config, seq_len, batch)
    d, f = config.d_model, config.d_ff
    shapes: list[tuple[int, ...]] = [(config.vocab_size, d)]
    if config.positions != "rotary":
        shapes.append((config.max_len, d))
    for _ in range(config.num_layers):
        for _ in ("q", "k", "v", "out"):
            shapes += [(d, d), (d,)]
        shapes += [(f, d), (f,), (d, f), (d,)]
        for _ in ("norm1", "norm2"):
            shapes += [(d,), (d,)]
    shapes += [(d,), (d,)]
    n = sum(math.prod(one) for one in shapes)
    row = batch * seq_len * d
    block = row  # after norm1
    block += 3 * row
    block += batch * config.num_heads * seq_len * seq_len
    block += row  # mixed
    block += row  # after norm2
    block += batch * seq_len * f
    return {
        "weights": 4 * n,
        "gradients": 4 * n,
        "optimizer": 8 * n,
        "activations": 4 * (config.num_layers * block + row),
    }


slips(
    HOLD,
    held,
    {
        "the head counted again": {"[(config.vocab_size, d)]": "2 * [(config.vocab_size, d)]"},
        "positions left out": {'if config.positions != "rotary":': "if False:"},
        "rotary positions have a table": {'if config.positions != "rotary":': "if True:"},
        "positions as long as the text": {"(config.max_len, d)": "(seq_len, d)"},
        "another number of projections": {'("q", "k", "v", "out")': '("q", "k", "v")'},
        "norms left out": [
            {"shapes += [(d,), (d,)]\n    n =": "n ="},
            {'("norm1", "norm2")': '("norm1",)'},
        ],
        "one matrix in the feed-forward network": {"[(f, d), (f,), (d, f), (d,)]": "[(f, d), (f,)]"},
        "biases left out": [
            {"[(f, d), (f,), (d, f), (d,)]": "[(f, d), (d, f)]"},
            {"shapes += [(d, d), (d,)]": "shapes.append((d, d))"},
        ],
        "another number of tensors like the tokens": [
            {"    block += row  # mixed\n": ""},
            {"block += 3 * row": "block += 5 * row"},
        ],
        "the heads left out": {"batch * config.num_heads * seq_len": "batch * seq_len"},
        "attention weights left out": {"    block += batch * config.num_heads * seq_len * seq_len\n": ""},
        "hidden features left out": {"    block += batch * seq_len * f\n": ""},
        "what the head reads left out": {"config.num_layers * block + row": "config.num_layers * block"},
        "the activations of one block": {"config.num_layers * block + row": "block + row"},
        "another number for AdamW": {'"optimizer": 8 * n': '"optimizer": 4 * n'},
    },
)


def layer_by_layer(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    """One sum for parameters, one for what is kept."""
    refuse(config, seq_len, batch)
    d, f, layers = config.d_model, config.d_ff, config.num_layers
    count = d * (config.vocab_size + (config.max_len if config.positions == "learned" else 0) + 2)
    count += layers * (4 * d * (d + 1) + f * (d + 1) + d * (f + 1) + 4 * d)
    every_text = layers * (seq_len * (6 * d + f) + config.num_heads * seq_len**2) + seq_len * d
    size = 4
    return dict(
        weights=size * count, gradients=size * count, optimizer=2 * size * count, activations=size * batch * every_text
    )


slips(
    HOLD,
    layer_by_layer,
    {
        "numbers instead of bytes": [{"size = 4": "size = 1"}, {"size = 4": "size = 2"}, {"size = 4": "size = 8"}],
        "the batch left out": {"size * batch * every_text": "size * every_text"},
        "norms left out": {
            'if config.positions == "learned" else 0) + 2)': 'if config.positions == "learned" else 0))'
        },
        "biases left out": {"4 * d * (d + 1) + f * (d + 1) + d * (f + 1)": "4 * d * d + f * d + d * f"},
        "half of the attention weights": {"config.num_heads * seq_len**2": "config.num_heads * seq_len**2 // 2"},
        "scores counted beside the weights": {"config.num_heads * seq_len**2": "2 * config.num_heads * seq_len**2"},
        "hidden features counted twice": {"(6 * d + f)": "(6 * d + 2 * f)"},
        "logits counted": {"+ seq_len * d\n": "+ seq_len * (d + config.vocab_size)\n"},
        "another number of tensors like the tokens": [{"(6 * d": "(8 * d"}, {"(6 * d": "(4 * d"}],
        "the parameters of one block": {"count += layers * (4": "count += (4"},
        "the activations of one block": {"every_text = layers * (": "every_text = ("},
    },
)


def as_floats(config: Any, batch: int, seq_len: int) -> dict[str, float]:
    """Two small functions."""
    refuse(config, seq_len, batch)

    def linear(rows: float, columns: float) -> float:
        return rows * columns + columns

    d, f = float(config.d_model), float(config.d_ff)
    block = 4 * linear(d, d) + linear(d, f) + linear(f, d) + 2 * 2 * d
    tables = [config.vocab_size, *([config.max_len] if config.positions == "learned" else [])]
    weights = 4 * (sum(tables) * d + config.num_layers * block + 2 * d)
    tokens = 4.0 * batch * seq_len
    kept = tokens * (6 * d + f + config.num_heads * seq_len)
    return {
        "activations": config.num_layers * kept + tokens * d,
        "optimizer": weights + weights,
        "gradients": weights,
        "weights": weights,
    }


slips(
    HOLD,
    as_floats,
    {
        "biases left out": {"return rows * columns + columns": "return rows * columns"},
        "another number for AdamW": [
            {'"optimizer": weights + weights': '"optimizer": weights'},
            {'"optimizer": weights + weights': '"optimizer": 3 * weights'},
        ],
        "the head counted again": {"tables = [config.vocab_size,": "tables = [config.vocab_size, config.vocab_size,"},
        "the heads left out": {"config.num_heads * seq_len)": "seq_len)"},
        "positions left out": {"[config.max_len] if config": "[] if config"},
        "one matrix in the feed-forward network": {" + linear(f, d)": ""},
        "attention weights left out": {" + config.num_heads * seq_len)": ")"},
        "hidden features left out": {"(6 * d + f + ": "(6 * d + "},
    },
)


# memory, in full ----------------------------------------------------------------------------


def changed(config: Any, batch: int, seq_len: int, weights: int = 0, kept: float = 0) -> dict[str, int]:
    """What is right, with so many parameters and so many kept numbers more."""
    found = held(config, batch, seq_len)
    more = {"weights": 4 * weights, "gradients": 4 * weights, "optimizer": 8 * weights, "activations": int(4 * kept)}
    return {name: found[name] + more[name] for name in found}


@disguise(HOLD, "the head counted again")
def untied(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, config.vocab_size * config.d_model)


@disguise(HOLD, "a bias of the head")
def head_with_bias(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, config.vocab_size)


@disguise(HOLD, "positions left out")
def nowhere(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -config.max_len * config.d_model * (config.positions == "learned"))


@disguise(HOLD, "rotary positions have a table")
def always_learned(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, config.max_len * config.d_model * (config.positions == "rotary"))


@disguise(HOLD, "positions as long as the text")
def short_table(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(
        config, batch, seq_len, (seq_len - config.max_len) * config.d_model * (config.positions == "learned")
    )


@disguise(HOLD, "biases left out")
def no_bias(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -config.num_layers * (5 * config.d_model + config.d_ff))


@disguise(HOLD, "another number of projections")
def three(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -config.num_layers * config.d_model * (config.d_model + 1))


@disguise(HOLD, "one matrix in the feed-forward network")
def up_only(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -config.num_layers * config.d_model * (config.d_ff + 1))


@disguise(HOLD, "norms left out")
def no_norm(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -2 * config.d_model * (2 * config.num_layers + 1))


@disguise(HOLD, "the parameters of one block")
def block_once(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    d, f = config.d_model, config.d_ff
    return changed(config, batch, seq_len, (1 - config.num_layers) * (4 * d * d + 2 * d * f + f + 9 * d))


@disguise(HOLD, "another number for AdamW")
def one_moment(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    found = held(config, batch, seq_len)
    return found | {"optimizer": found["gradients"]}


@disguise(HOLD, "numbers instead of bytes")
def plain_numbers(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return {name: size >> 2 for name, size in held(config, batch, seq_len).items()}


@disguise(HOLD, "the batch left out")
def one_text(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    found = held(config, batch, seq_len)
    return found | {"activations": held(config, 1, seq_len)["activations"]}


@disguise(HOLD, "the heads left out")
def one_map_each(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=-config.num_layers * batch * (config.num_heads - 1) * seq_len**2)


@disguise(HOLD, "another size of attention weights")
def across_texts(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    maps = config.num_layers * config.num_heads * seq_len**2
    return changed(config, batch, seq_len, kept=maps * batch * (batch - 1))


@disguise(HOLD, "attention weights left out")
def no_maps(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=-config.num_layers * batch * config.num_heads * seq_len**2)


@disguise(HOLD, "half of the attention weights")
def triangle(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(
        config, batch, seq_len, kept=-config.num_layers * (batch * config.num_heads * seq_len * (seq_len - 1) // 2)
    )


@disguise(HOLD, "scores counted beside the weights")
def two_maps(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=config.num_layers * batch * config.num_heads * seq_len**2)


@disguise(HOLD, "hidden features left out")
def not_hidden(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=-config.num_layers * batch * seq_len * config.d_ff)


@disguise(HOLD, "hidden features counted twice")
def before_and_after(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=config.num_layers * batch * seq_len * config.d_ff)


@disguise(HOLD, "another number of tensors like the tokens")
def five(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=-config.num_layers * batch * seq_len * config.d_model)


@disguise(HOLD, "what the head reads left out")
def unread(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=-batch * seq_len * config.d_model)


@disguise(HOLD, "logits counted")
def with_logits(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, kept=batch * seq_len * config.vocab_size)


@disguise(HOLD, "the activations of one block")
def kept_once(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    row = batch * seq_len
    block = row * (6 * config.d_model + config.d_ff) + batch * config.num_heads * seq_len**2
    return changed(config, batch, seq_len, kept=(1 - config.num_layers) * block)


@unlisted(HOLD)
def a_table_of_heads(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, config.num_heads * config.d_model)


@unlisted(HOLD)
def one_number_more(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, 7)


@unlisted(HOLD)
def nothing_kept(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return held(config, batch, seq_len) | {"activations": 0}


@correct(HOLD)
def by_difference(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len)


@correct(COUNT)
def by_parts(config: Any, seq_len: int) -> int:
    return total(config, seq_len)


@disguise(HOLD, "d_ff taken for four times d_model")
def four_times_as_wide(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    more, layers = 4 * config.d_model - config.d_ff, config.num_layers
    return changed(config, batch, seq_len, layers * more * (2 * config.d_model + 1), layers * more * batch * seq_len)


@disguise(HOLD, "the token table left out")
def no_tokens(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    return changed(config, batch, seq_len, -config.vocab_size * config.d_model)


@disguise(HOLD, "activations of max_len tokens")
def as_long_as_may_be(config: Any, batch: int, seq_len: int) -> dict[str, int]:
    whole = held(config, batch, config.max_len)["activations"]
    return held(config, batch, seq_len) | {"activations": whole}
