"""Checks of taking over somebody else's weights: load_gpt2."""

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.gpt.shared import small
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.stand_ins import gpt as right

load_gpt2 = Exercise(
    "load_gpt2",
    points=3,
    stretch=True,
    hints=(
        "Print name and shape of every entry on both sides, theirs and `model.state_dict()`, for one block. Which shapes differ, and how? A square matrix does not tell: go by what the docstring says.",
        '```python\n...  # refuse other positions and another activation\nours = {}\nfor name, value in state_dict.items():\n    ...  # masks and lm_head.weight: continue\n    ...  # matrices with ".c_" in their name: transpose\n    ...  # "c_attn": three entries; otherwise one, under our_name(name)\n    ...  # the token table is also "head.weight"\nmodel.load_state_dict(ours)\n```',
        '`name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight"))` is left out; note that `.attn.c_attn.bias` does not end so. `value.T` first, then `value.chunk(3)`: rows are what comes out. `our_name(name).replace("c_attn", "q_proj")`.',
    ),
    traps={
        "RuntimeError: Error(s) in loading state_dict for GPT: ...": "the message lists what is missing, what is unknown and what has another shape. A shape the other way round wants `.T`; `head.weight` is an entry too.",
        'RuntimeError: Error(s) in loading state_dict for GPT: Missing key(s) in state_dict: "head.weight"': "`head.weight` is an entry of ours too, though it is no parameter of its own: give it the token table.",
        'RuntimeError: Error(s) in loading state_dict for GPT: Missing key(s) in state_dict: "layers.0.self_attn.q_proj.bias"': "biases of queries, keys and values are missing. `c_attn.bias` is cut in three like the matrix. If it was left out as a mask: its name, too, ends in `attn.bias`, but not in `.attn.bias`.",
        "RuntimeError: Error(s) in loading state_dict for GPT: ...Unexpected key(s) in state_dict: ...self_attn.c_attn": "`c_attn` is no entry of ours. Its matrix and its bias are cut in three each, for `q_proj`, `k_proj` and `v_proj`.",
        'RuntimeError: Error(s) in loading state_dict for GPT: ...Unexpected key(s) in state_dict: "layers.0.attn.': "the masks of a checkpoint, `attn.bias` and `attn.masked_bias`, are no weights: leave them out.",
        'RuntimeError: Error(s) in loading state_dict for GPT: ...Unexpected key(s) in state_dict: "lm_head.weight"': "`lm_head.weight` is the token table once more, and has no place of that name in ours: leave it out.",
        "RuntimeError: Error(s) in loading state_dict for GPT: size mismatch for layers": "a matrix stands the other way round. Those of `c_attn`, `c_proj` and `c_fc` are (features in, features out) and want `.T`; of `c_attn`, queries, keys and values lie side by side in what comes *out*.",
        "RuntimeError: Error(s) in loading state_dict for GPT: size mismatch for token_embedding.weight": "a table is no matrix of a layer: those of tokens and positions stand as ours do, (how many, features), and want no `.T`.",
        "KeyError: 'lm_head.weight'": "the checkpoint need not hold `lm_head.weight`: the head is `wte.weight`.",
    },
)


def theirs(
    draw: Draw, config: Any, prefix: str = "transformer.", extras: bool = True, name: str = ""
) -> dict[str, Tensor]:
    """A state dict under the names and in the shapes of a GPT-2 of Hugging Face."""
    d, d_ff = config.d_model, config.d_ff
    shapes: dict[str, tuple[int, ...]] = {"wte.weight": (config.vocab_size, d), "wpe.weight": (config.max_len, d)}
    for number in range(config.num_layers):
        block = {
            "ln_1.weight": (d,),
            "ln_1.bias": (d,),
            "ln_2.weight": (d,),
            "ln_2.bias": (d,),
            "attn.c_attn.weight": (d, 3 * d),
            "attn.c_attn.bias": (3 * d,),
            "attn.c_proj.weight": (d, d),
            "attn.c_proj.bias": (d,),
            "mlp.c_fc.weight": (d, d_ff),
            "mlp.c_fc.bias": (d_ff,),
            "mlp.c_proj.weight": (d_ff, d),
            "mlp.c_proj.bias": (d,),
        }
        shapes |= {f"h.{number}.{part}": shape for part, shape in block.items()}
    shapes |= {"ln_f.weight": (d,), "ln_f.bias": (d,)}
    found = {prefix + part: draw.tensor(name + part, *shape) for part, shape in shapes.items()}
    if extras:
        size = config.max_len
        for number in range(config.num_layers):
            found[f"{prefix}h.{number}.attn.bias"] = torch.ones(1, 1, size, size).tril()
            found[f"{prefix}h.{number}.attn.masked_bias"] = torch.tensor(-1e4)
        found["lm_head.weight"] = found[f"{prefix}wte.weight"]
    return found


def sizes(**other: Any) -> Any:
    """Of a model that GPT-2's weights fit."""
    return small(num_layers=2, activation="gelu_tanh", **other)


def taken(model: Any, like: str = "") -> dict[str, Tensor]:
    """The parameters whose names hold some text."""
    return {name: one.detach().clone() for name, one in model.named_parameters() if like in name}


def filled(draw: Draw) -> Any:
    """A model with drawn numbers, so that what is not loaded shows."""
    return draw.fill(right.GPT(sizes()))


@load_gpt2.probe("gives attention its queries, keys and values, and the matrix after them")
def attention_parts(load_gpt2: Callable, draw: Draw) -> Any:
    model = filled(draw)
    load_gpt2(model, theirs(draw, sizes()))
    return taken(model, "self_attn")


@load_gpt2.probe("gives the feed-forward networks their matrices")
def network_parts(load_gpt2: Callable, draw: Draw) -> Any:
    model = filled(draw)
    load_gpt2(model, theirs(draw, sizes()))
    return taken(model, "feed_forward")


@load_gpt2.probe("gives the model its tables and its norms, the last one too; the head is the token table")
def ends_and_norms(load_gpt2: Callable, draw: Draw) -> Any:
    model = filled(draw)
    load_gpt2(model, theirs(draw, sizes()))
    tied = model.head.weight is model.token_embedding.weight
    return {
        **taken(model, "norm"),
        **taken(model, "_embedding"),
        "head": model.head.weight.detach().clone(),
        "still tied": tied,
        "still trained": all(one.requires_grad for one in model.parameters()),
    }


@load_gpt2.probe("makes a model that computes what theirs does")
def computes_the_same(load_gpt2: Callable, draw: Draw) -> Any:
    model = filled(draw).eval()
    load_gpt2(model, theirs(draw, sizes()))
    return model(draw.integers("ids", 2, 5, high=11)) / 10


@load_gpt2.probe('takes names without "transformer.", and a state dict without masks and lm_head.weight', rung="edges")
def bare_names(load_gpt2: Callable, draw: Draw) -> Any:
    model = filled(draw)
    load_gpt2(model, theirs(draw, sizes(), prefix="", extras=False))
    other = filled(draw)
    load_gpt2(other, theirs(draw, sizes(), prefix="", name="again "))
    return {"without both": taken(model), "with masks": taken(other)}


@load_gpt2.probe("copies: a later change of theirs changes nothing here, and theirs keep all entries", rung="edges")
def own_memory(load_gpt2: Callable, draw: Draw) -> Any:
    model, given = filled(draw), {name: one.clone() for name, one in theirs(draw, sizes()).items()}
    load_gpt2(model, given)
    before, left = [one.clone() for one in model.state_dict().values()], len(given)
    for one in given.values():
        one.add_(1)
    kept = [torch.equal(a, b) for a, b in zip(before, model.state_dict().values(), strict=True)]
    return {"entries of ours that changed": kept.count(False), "entries that theirs have afterwards": left}


@load_gpt2.probe("raises a ValueError for a model with rotary positions, or with the exact GELU", rung="edges")
def refuses_models(load_gpt2: Callable, draw: Draw) -> Any:
    given = theirs(draw, sizes())
    load_gpt2(filled(draw), given)  # the blank stub must show as blank
    rotary = {name: one for name, one in given.items() if "wpe" not in name}
    return {
        "the exact GELU": raised(lambda: load_gpt2(right.GPT(small(num_layers=2)), given)),
        "rotary positions": raised(lambda: load_gpt2(right.GPT(sizes(positions="rotary")), rotary)),
        "rotary positions, and a table of them": raised(lambda: load_gpt2(right.GPT(sizes(positions="rotary")), given)),
    }


@load_gpt2.probe("leaves no entry missing, unknown or of another size", rung="invariants")
def all_that_fits(load_gpt2: Callable, draw: Draw) -> Any:
    model, told = filled(draw), ""
    try:
        load_gpt2(model, theirs(draw, sizes()))
    except NotImplementedError:  # the blank stub must show as blank
        raise
    except RuntimeError as error:
        told = str(error)
        if "Error(s) in loading state_dict" not in told:
            raise
    missing, _, unknown = told.partition("Unexpected key")
    return {
        "missing": sorted(re.findall(r'"([\w.]+)"', missing)),
        "unknown": sorted(re.findall(r'"([\w.]+)"', unknown)),
        "of another size": sorted(re.findall(r"size mismatch for ([\w.]+)", told)),
        "loaded all the same": model.layers[-1].self_attn.out_proj.weight.detach().clone(),
    }


@load_gpt2.probe("lets nothing missing, unknown or misshapen pass", rung="edges")
def refuses_entries(load_gpt2: Callable, draw: Draw) -> Any:
    given = theirs(draw, sizes())
    load_gpt2(filled(draw), given)  # as above

    def refused(changed: dict[str, Tensor]) -> bool:
        return raised(lambda: load_gpt2(filled(draw), changed)) != "no exception"

    name = "transformer.h.1.mlp.c_fc.weight"
    return {
        "one is missing": refused({key: one for key, one in given.items() if key != name}),
        "one is unknown": refused(given | {"transformer.h.1.mlp.c_more.bias": torch.zeros(3)}),
        "one has another shape": refused(given | {name: given[name][:, :-1]}),
        "one is larger": refused(given | {name: given[name].repeat(1, 2)}),
        "a block too many": refused(given | {"transformer.h.2.ln_1.weight": torch.ones(8)}),
    }
