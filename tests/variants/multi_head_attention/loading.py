"""Lesson 03: torch's numbers in our module."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted


def must_fit(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """The given lines."""
    fits = ours.num_heads == theirs.num_heads and ours.q_proj.in_features == theirs.embed_dim
    if not fits or theirs.in_proj_weight is None or theirs.in_proj_bias is None:
        raise ValueError("they must be alike")


def fill(ours: Any, w: Any, b: Any) -> None:
    """Fill the three projections."""
    for name, weight, bias in zip("qkv", w, b, strict=True):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.data[:] = weight
        layer.bias.data[:] = bias


def fill_out(ours: Any, theirs: Any) -> None:
    """Fill out_proj."""
    ours.out_proj.weight[:] = theirs.out_proj.weight
    ours.out_proj.bias[:] = theirs.out_proj.bias


def cut3(x: Tensor) -> list[Tensor]:
    """Three blocks of rows."""
    d = len(x) // 3
    return [x[:d], x[d : 2 * d], x[2 * d :]]


# load_from_torch, slips ----------------------------------------------------------------------------


def load_by_rows(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """Cut out the rows of each projection."""
    must_fit(ours, theirs)
    d = theirs.embed_dim
    with torch.no_grad():
        for block, layer in enumerate((ours.q_proj, ours.k_proj, ours.v_proj)):
            rows = slice(block * d, (block + 1) * d)
            layer.weight.copy_(theirs.in_proj_weight[rows])
            layer.bias.copy_(theirs.in_proj_bias[rows])
        ours.out_proj.weight.copy_(theirs.out_proj.weight)
        ours.out_proj.bias.copy_(theirs.out_proj.bias)


COPY_WEIGHT, COPY_BIAS = (
    "layer.weight.copy_(theirs.in_proj_weight[rows])",
    "layer.bias.copy_(theirs.in_proj_bias[rows])",
)
OUT_WEIGHT = "ours.out_proj.weight.copy_(theirs.out_proj.weight)"
OUT_BIAS = "ours.out_proj.bias.copy_(theirs.out_proj.bias)"
slips(
    "load_from_torch",
    load_by_rows,
    {
        "thirds in the wrong order": [
            {"(ours.q_proj, ours.k_proj, ours.v_proj)": f"(ours.{one}_proj, ours.{two}_proj, ours.{three}_proj)"}
            for one, two, three in ("kqv", "qvk", "vkq")
        ],
        "weights transposed": [
            {"theirs.in_proj_weight[rows]": "theirs.in_proj_weight[rows].T"},
            {
                "theirs.in_proj_weight[rows]": "theirs.in_proj_weight[rows].t()",
                "(theirs.out_proj.weight)": "(theirs.out_proj.weight.t())",
            },
        ],
        "rows dealt out in turn": [
            {"slice(block * d, (block + 1) * d)": "slice(block, None, 3)"},
            {"theirs.in_proj_weight[rows]": "theirs.in_proj_weight[block::3]"},
        ],
        "biases of the projections forgotten": {COPY_BIAS: "pass"},
        "weights of the projections forgotten": {COPY_WEIGHT: "pass"},
        "weight of out_proj forgotten": {OUT_WEIGHT: "pass"},
        "a third forgotten": [
            {COPY_WEIGHT: f"block == 1 or {COPY_WEIGHT}"},
            {COPY_BIAS: f"block == 2 or {COPY_BIAS}"},
        ],
        "parameters frozen": {OUT_BIAS: f"{OUT_BIAS}\n        ours.requires_grad_(False)"},
        "out_proj forgotten": {OUT_WEIGHT: "pass", OUT_BIAS: "pass"},
        "bias of out_proj forgotten": {OUT_BIAS: "pass"},
        "memory shared with torch's module": [
            {COPY_WEIGHT: "layer.weight.data = theirs.in_proj_weight[rows]"},
            {
                COPY_WEIGHT: "layer.weight = nn.Parameter(theirs.in_proj_weight[rows])",
                COPY_BIAS: "layer.bias = nn.Parameter(theirs.in_proj_bias[rows])",
            },
            {
                OUT_WEIGHT: "ours.out_proj.weight = theirs.out_proj.weight",
                OUT_BIAS: "ours.out_proj.bias = theirs.out_proj.bias",
            },
        ],
        "copied the wrong way": {
            COPY_WEIGHT: "theirs.in_proj_weight[rows].copy_(layer.weight)",
            COPY_BIAS: "theirs.in_proj_bias[rows].copy_(layer.bias)",
            OUT_WEIGHT: "theirs.out_proj.weight.copy_(ours.out_proj.weight)",
            OUT_BIAS: "theirs.out_proj.bias.copy_(ours.out_proj.bias)",
        },
        "one third for all three": [
            {"block * d, (block + 1) * d": "0, d"},
            {"block * d, (block + 1) * d": "2 * d, 3 * d"},
        ],
        "biases of the projections forgotten + bias of out_proj forgotten": {COPY_BIAS: "pass", OUT_BIAS: "pass"},
        "weights transposed + out_proj forgotten": {
            "theirs.in_proj_weight[rows]": "theirs.in_proj_weight[rows].T",
            OUT_WEIGHT: "pass",
            OUT_BIAS: "pass",
        },
    },
)


def load_by_state(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """Make a state_dict that ours understands."""
    must_fit(ours, theirs)
    given = theirs.state_dict()
    state = {name: given[name] for name in ("out_proj.weight", "out_proj.bias")}
    for kind in ("weight", "bias"):
        query, key, value = given[f"in_proj_{kind}"].split(theirs.embed_dim)
        state |= {f"q_proj.{kind}": query, f"k_proj.{kind}": key, f"v_proj.{kind}": value}
    ours.load_state_dict(state)


LOAD, LOAD_SOME = "load_state_dict(state)", "load_state_dict(state, strict=False)"
CUT = ".split(theirs.embed_dim)"
slips(
    "load_from_torch",
    load_by_state,
    {
        "thirds in the wrong order": [
            {"query, key, value =": "key, query, value ="},
            {"query, key, value =": "value, key, query ="},
            {'"q_proj.{kind}": query, f"k_proj.{kind}": key': '"q_proj.{kind}": key, f"k_proj.{kind}": query'},
        ],
        "weights transposed": {CUT: ".t().split(theirs.embed_dim, dim=-1)"},
        "rows dealt out in turn": {CUT: ".unflatten(0, (-1, 3)).unbind(1)"},
        "biases of the projections forgotten": {'("weight", "bias")': '("weight",)', LOAD: LOAD_SOME},
        "out_proj forgotten": {'("out_proj.weight", "out_proj.bias")': "()", LOAD: LOAD_SOME},
        "bias of out_proj forgotten": {'("out_proj.weight", "out_proj.bias")': '("out_proj.weight",)', LOAD: LOAD_SOME},
        "memory shared with torch's module": {LOAD: "load_state_dict(state, assign=True)"},
        "one third for all three": {"query, key, value =": "query, *_ =", "key, f": "query, f", "value}": "query}"},
        "biases of the projections forgotten + bias of out_proj forgotten": {
            '("weight", "bias")': '("weight",)',
            '("out_proj.weight", "out_proj.bias")': '("out_proj.weight",)',
            LOAD: LOAD_SOME,
        },
    },
)


def load_by_letter(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """Give every layer new memory."""
    must_fit(ours, theirs)
    d_model = theirs.embed_dim
    matrices = theirs.in_proj_weight.detach().view(3, d_model, d_model)
    offsets = theirs.in_proj_bias.detach().view(3, d_model)
    for number, letter in enumerate("qkv"):
        layer = ours.get_submodule(f"{letter}_proj")
        layer.weight.data = matrices[number].clone()
        layer.bias.data = offsets[number].clone()
    ours.out_proj.weight.data = theirs.out_proj.weight.data.clone()
    ours.out_proj.bias.data = theirs.out_proj.bias.data.clone()


slips(
    "load_from_torch",
    load_by_letter,
    {
        "thirds in the wrong order": [{'"qkv"': '"kqv"'}, {'"qkv"': '"kvq"'}, {'"qkv"': '"vqk"'}],
        "weights transposed": [
            {"matrices[number].clone()": "matrices[number].T.clone()"},
            {
                "matrices[number].clone()": "matrices[number].mT.clone()",
                "theirs.out_proj.weight.data.clone()": "theirs.out_proj.weight.data.mT.clone()",
            },
        ],
        "rows dealt out in turn": {
            "view(3, d_model, d_model)": "view(d_model, 3, d_model)",
            "view(3, d_model)": "view(d_model, 3)",
            "matrices[number]": "matrices[:, number]",
            "offsets[number]": "offsets[:, number]",
        },
        "biases of the projections forgotten": {"layer.bias.data = offsets[number].clone()": "pass"},
        "out_proj forgotten": {
            "ours.out_proj.weight.data = theirs.out_proj.weight.data.clone()": "pass",
            "ours.out_proj.bias.data = theirs.out_proj.bias.data.clone()": "pass",
        },
        "bias of out_proj forgotten": {"ours.out_proj.bias.data = theirs.out_proj.bias.data.clone()": "pass"},
        "memory shared with torch's module": [
            {"matrices[number].clone()": "matrices[number]"},
            {"matrices[number].clone()": "matrices[number]", "offsets[number].clone()": "offsets[number]"},
            {
                "theirs.out_proj.weight.data.clone()": "theirs.out_proj.weight.data",
                "theirs.out_proj.bias.data.clone()": "theirs.out_proj.bias.data",
            },
        ],
        "one third for all three": {"matrices[number]": "matrices[0]", "offsets[number]": "offsets[0]"},
    },
)


def load_row_by_row(ours: Any, theirs: nn.MultiheadAttention) -> None:
    """Copy a row and a number at a time."""
    must_fit(ours, theirs)
    d = theirs.embed_dim
    layers = [ours.q_proj, ours.k_proj, ours.v_proj]
    with torch.no_grad():
        for row in range(3 * d):
            layer, at = layers[row // d], row % d
            layer.weight[at] = theirs.in_proj_weight[row]
            layer.bias[at] = theirs.in_proj_bias[row]
        fill_out(ours, theirs)


slips(
    "load_from_torch",
    load_row_by_row,
    {
        "thirds in the wrong order": [
            {"ours.q_proj, ours.k_proj": "ours.k_proj, ours.q_proj"},
            {"ours.k_proj, ours.v_proj": "ours.v_proj, ours.k_proj"},
        ],
        "weights transposed": {"layer.weight[at]": "layer.weight[:, at]"},
        "rows dealt out in turn": {"layers[row // d], row % d": "layers[row % 3], row // 3"},
        "biases of the projections forgotten": {"layer.bias[at] = theirs.in_proj_bias[row]": "pass"},
        "out_proj forgotten": {"fill_out(ours, theirs)": "pass"},
        "copied the wrong way": {
            "layer.weight[at] = theirs.in_proj_weight[row]": "theirs.in_proj_weight[row] = layer.weight[at]",
            "layer.bias[at] = theirs.in_proj_bias[row]": "theirs.in_proj_bias[row] = layer.bias[at]",
            "fill_out(ours, theirs)": "fill_out(theirs, ours)",
        },
        "one third for all three": {
            "in_proj_weight[row]": "in_proj_weight[at]",
            "in_proj_bias[row]": "in_proj_bias[at]",
        },
    },
)
FILL_OUT_BIAS = "ours.out_proj.bias[:] = theirs.out_proj.bias"
slips("load_from_torch", load_row_by_row, {"bias of out_proj forgotten": {FILL_OUT_BIAS: "pass"}}, inside="fill_out")

# load_from_torch, wrong ----------------------------------------------------------------------------


def loader(kind: str, mistake: str = "") -> Any:
    """A load_from_torch from its body."""

    def add(body: Callable) -> Any:
        def load_from_torch(ours: Any, theirs: nn.MultiheadAttention) -> None:
            must_fit(ours, theirs)
            with torch.no_grad():
                body(ours, theirs)

        marks = {"correct": correct, "unlisted": unlisted}
        (marks[kind]("load_from_torch") if kind in marks else disguise("load_from_torch", mistake))(load_from_torch)
        return body

    return add


@loader("disguise", "thirds in the wrong order")
def key_first(ours: Any, theirs: Any) -> None:
    (k, q, v), (kb, qb, vb) = cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias)
    fill(ours, (q, k, v), (qb, kb, vb))
    fill_out(ours, theirs)


@loader("disguise", "weights transposed")
def columns(ours: Any, theirs: Any) -> None:
    fill(ours, theirs.in_proj_weight.T.chunk(3, dim=1), cut3(theirs.in_proj_bias))
    fill_out(ours, theirs)


@loader("disguise", "rows dealt out in turn")
def viewed_rows(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    fill(ours, theirs.in_proj_weight.view(d, 3, d).unbind(1), theirs.in_proj_bias.view(d, 3).unbind(1))
    fill_out(ours, theirs)


@loader("disguise", "biases of the projections forgotten")
def weights_alone(ours: Any, theirs: Any) -> None:
    fill(
        ours,
        cut3(theirs.in_proj_weight),
        (ours.q_proj.bias.clone(), ours.k_proj.bias.clone(), ours.v_proj.bias.clone()),
    )
    fill_out(ours, theirs)


@loader("disguise", "out_proj forgotten")
def without_out(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))


@loader("disguise", "bias of out_proj forgotten")
def without_out_bias(ours: Any, theirs: Any) -> None:
    without_out(ours, theirs)
    ours.out_proj.weight.data = theirs.out_proj.weight.clone()


@loader("disguise", "memory shared with torch's module")
def assigned(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    for i, layer in enumerate((ours.q_proj, ours.k_proj, ours.v_proj)):
        layer.weight = nn.Parameter(theirs.in_proj_weight[i * d : (i + 1) * d])
        layer.bias = nn.Parameter(theirs.in_proj_bias[i * d : (i + 1) * d])
    ours.out_proj = theirs.out_proj


@loader("disguise", "copied the wrong way")
def theirs_filled(ours: Any, theirs: Any) -> None:
    theirs.in_proj_weight.copy_(torch.cat([ours.q_proj.weight, ours.k_proj.weight, ours.v_proj.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.q_proj.bias, ours.k_proj.bias, ours.v_proj.bias]))
    fill_out(theirs, ours)


@loader("disguise", "one third for all three")
def same_third(ours: Any, theirs: Any) -> None:
    d = ours.q_proj.in_features
    fill(ours, [theirs.in_proj_weight[:d]] * 3, [theirs.in_proj_bias[:d]] * 3)
    fill_out(ours, theirs)


@loader("disguise", "new parameters")
def new_parameters(ours: Any, theirs: Any) -> None:
    for name, w, b in zip("qkv", cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias), strict=True):
        setattr(ours, f"{name}_proj", nn.Linear(w.size(1), w.size(0)))
        layer = getattr(ours, f"{name}_proj")
        layer.weight, layer.bias = nn.Parameter(w.detach().clone()), nn.Parameter(b.detach().clone())
    ours.out_proj = copy.deepcopy(theirs.out_proj)


@loader("disguise", "new parameters")
def a_copied_layer(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))
    ours.out_proj = copy.deepcopy(theirs.out_proj)


@loader("disguise", "only out_proj copied")
def what_has_the_same_name(ours: Any, theirs: Any) -> None:
    ours.load_state_dict(theirs.state_dict(), strict=False)


@loader("correct")
def new_data(ours: Any, theirs: Any) -> None:
    for name, w, b in zip("qkv", cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias), strict=True):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.data, layer.bias.data = w.detach().clone(), b.detach().clone()
    fill_out(ours, theirs)


@loader("correct")
def through_numpy(ours: Any, theirs: Any) -> None:
    w = theirs.in_proj_weight.detach().numpy().copy().reshape(3, -1, theirs.embed_dim)
    b = theirs.in_proj_bias.detach().numpy().copy().reshape(3, -1)
    fill(ours, torch.from_numpy(w), torch.from_numpy(b))
    fill_out(ours, theirs)


@loader("unlisted")
def doubled(ours: Any, theirs: Any) -> None:
    fill(ours, [2 * w for w in cut3(theirs.in_proj_weight)], cut3(theirs.in_proj_bias))
    fill_out(ours, theirs)


@loader("disguise", "thirds in the wrong order")
def biases_in_another_order(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias)[::-1])
    fill_out(ours, theirs)


@loader("disguise", "parameters frozen")
def frozen(ours: Any, theirs: Any) -> None:
    load_by_state(ours, theirs)
    ours.requires_grad_(False)


@loader("disguise", "a third forgotten")
def without_the_key(ours: Any, theirs: Any) -> None:
    state = theirs.state_dict()
    for name, block in (("q", 0), ("v", 2)):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.copy_(cut3(state["in_proj_weight"])[block])
        layer.bias.copy_(cut3(state["in_proj_bias"])[block])
    fill_out(ours, theirs)


@loader("disguise", "weights of the projections forgotten")
def into_a_copy(ours: Any, theirs: Any) -> None:
    for name, w, b in zip("qkv", cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias), strict=True):
        layer = getattr(ours, f"{name}_proj")
        layer.weight.clone().copy_(w)
        layer.bias.copy_(b)
    fill_out(ours, theirs)


@loader("disguise", "weight of out_proj forgotten")
def out_bias_alone(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))
    ours.out_proj.bias[...] = theirs.out_proj.bias


@disguise("load_from_torch", "sizes that do not fit are accepted")
def heads_not_compared(ours: Any, theirs: nn.MultiheadAttention) -> None:
    if ours.q_proj.in_features != theirs.embed_dim or theirs.in_proj_weight is None or theirs.in_proj_bias is None:
        raise ValueError("another width")
    with torch.no_grad():
        fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))
        fill_out(ours, theirs)


@disguise("load_from_torch", "a module without the fused parameters accepted")
def skips_what_is_missing(ours: Any, theirs: nn.MultiheadAttention) -> None:
    if (ours.num_heads, ours.q_proj.in_features) != (theirs.num_heads, theirs.embed_dim):
        raise ValueError("another size")
    if theirs.in_proj_weight is None:
        raise ValueError("three matrices")
    with torch.no_grad():
        for name, w in zip("qkv", cut3(theirs.in_proj_weight), strict=True):
            getattr(ours, f"{name}_proj").weight.copy_(w)
        ours.out_proj.weight.copy_(theirs.out_proj.weight)
        if theirs.in_proj_bias is not None:
            for name, b in zip("qkv", cut3(theirs.in_proj_bias), strict=True):
                getattr(ours, f"{name}_proj").bias.copy_(b)
            ours.out_proj.bias.copy_(theirs.out_proj.bias)


@loader("disguise", "nothing copied")
def nothing_copied(ours: Any, theirs: Any) -> None:
    pass


@loader("unlisted")
def query_alone(ours: Any, theirs: Any) -> None:
    ours.q_proj.weight.copy_(theirs.in_proj_weight[: ours.q_proj.in_features])
    fill_out(ours, theirs)


@loader("disguise", "rows dealt out head by head")
def fused_by_head(ours: Any, theirs: Any) -> None:
    """As models that fuse query, key and value head by head have it."""
    h, d = ours.num_heads, theirs.embed_dim
    w = theirs.in_proj_weight.view(h, 3, -1, d).transpose(0, 1).reshape(3, d, d)
    fill(ours, w, theirs.in_proj_bias.view(h, 3, -1).transpose(0, 1).reshape(3, d))
    fill_out(ours, theirs)


@loader("unlisted")
def added_on(ours: Any, theirs: Any) -> None:
    for name, w in zip("qkv", cut3(theirs.in_proj_weight), strict=True):
        getattr(ours, f"{name}_proj").weight.add_(w)
    fill_out(ours, theirs)


@loader("disguise", "weights transposed")
def out_transposed(ours: Any, theirs: Any) -> None:
    load_by_state(ours, theirs)
    ours.out_proj.weight.copy_(theirs.out_proj.weight.T)


@loader("unlisted")
def leaves_theirs_in_evaluation(ours: Any, theirs: Any) -> None:
    fill(ours, cut3(theirs.in_proj_weight), cut3(theirs.in_proj_bias))
    fill_out(ours, theirs.eval())
