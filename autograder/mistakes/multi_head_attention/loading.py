"""Mistakes of load_from_torch."""

import itertools

from autograder.checks.multi_head_attention.loading import load_from_torch
from autograder.probing.mistake import edit

PAIRING = "(ours.q_proj, ours.k_proj, ours.v_proj)"
WEIGHT, BIAS = "projection.weight.copy_(weight)", "projection.bias.copy_(bias)"
OUT_TRANSPOSED = "ours.out_proj.weight.copy_(theirs.out_proj.weight.T); ours.out_proj.bias.copy_(theirs.out_proj.bias)"
OUT = "ours.out_proj.load_state_dict(theirs.out_proj.state_dict())"

load_from_torch.mistake(
    "thirds in the wrong order",
    "The thirds went into the wrong projections. `in_proj_weight` holds the rows of the query first, then those of the key, then those of the value; "
    "the module loads without an error and computes something else.",
    # Every order but the first, which is the right one.
    *(
        {PAIRING: f"(ours.{q}_proj, ours.{k}_proj, ours.{v}_proj)"}
        for q, k, v in list(itertools.permutations("qkv"))[1:]
    ),
    *(
        edit(
            {f"{PAIRING}, weights, biases": f"{PAIRING}, {ordered}"},
            says=f"The thirds of the {kind} went into the wrong projections. In `in_proj_weight` and in `in_proj_bias`, the query comes first, then the key, then the value; the order is right for one of the two, and not for the {kind}.",
        )
        for order in list(itertools.permutations(range(3)))[1:]
        for kind, ordered in (
            ("weights", f"[weights[i] for i in {order}], biases"),
            ("biases", f"weights, [biases[i] for i in {order}]"),
        )
    ),
)

load_from_torch.mistake(
    "weights transposed",
    "The matrices are transposed. `nn.Linear` keeps its weight as (out_features, in_features), and so does `in_proj_weight`: cut along the first dimension and copy as it is. A square matrix "
    "fits either way, so no error warns you.",
    {WEIGHT: "projection.weight.copy_(weight.T)"},
    {
        WEIGHT: "projection.weight.copy_(weight.T)",
        OUT: OUT_TRANSPOSED,
    },
    edit(
        {OUT: OUT_TRANSPOSED},
        says="The matrix of `out_proj` is transposed. Both modules keep it as (out_features, in_features): copy it as it is. A square matrix fits either way, so no error warns you.",
    ),
)

load_from_torch.mistake(
    "rows dealt out in turn",
    "The rows are dealt out in turn. Query, key and value lie in `in_proj_weight` in three blocks of d_model rows, one below the other, not row by row: `chunk(3)` cuts blocks.",
    {
        "theirs.in_proj_weight.chunk(3)": "[theirs.in_proj_weight[i::3] for i in range(3)]",
        "theirs.in_proj_bias.chunk(3)": "[theirs.in_proj_bias[i::3] for i in range(3)]",
    },
    {"theirs.in_proj_weight.chunk(3)": "[theirs.in_proj_weight[i::3] for i in range(3)]"},
)

load_from_torch.mistake(
    "rows dealt out head by head",
    "The rows are dealt out head by head. Some models fuse query, key and value within each head; torch does not: first come all rows of the query, of all heads, then those of the key, then those of the value.",
    {
        "theirs.in_proj_weight.chunk(3)": "theirs.in_proj_weight.view(ours.num_heads, 3, -1, theirs.embed_dim).transpose(0, 1).reshape(3, -1, theirs.embed_dim)",
        "theirs.in_proj_bias.chunk(3)": "theirs.in_proj_bias.view(ours.num_heads, 3, -1).transpose(0, 1).reshape(3, -1)",
    },
)

load_from_torch.mistake(
    "a third forgotten",
    "One of the three projections is not filled. It keeps numbers that it had. Each of `q_proj`, `k_proj` and `v_proj` gets a third of the weights and a third of the biases.",
    *(
        {of: f"_ = projection is ours.{one}_proj or {of}" for of in which}
        for one in "qkv"
        for which in ((WEIGHT,), (BIAS,), (WEIGHT, BIAS))
    ),
)

load_from_torch.mistake(
    "weights of the projections forgotten",
    "`in_proj_weight` does not arrive. Your projections keep the weights that they had; only biases are copied. `copy_` has to be called on the parameters themselves, not on a copy of them.",
    {WEIGHT: "pass"},
)

load_from_torch.mistake(
    "biases of the projections forgotten",
    "`in_proj_bias` is not copied. Like `in_proj_weight` it is in three parts, 3 · d_model numbers, a third for each projection. Your biases keep the "
    "numbers they had.",
    {BIAS: "pass"},
)

load_from_torch.mistake(
    "out_proj forgotten",
    "`out_proj` is not copied. Both modules have a layer of this name, so it is easily forgotten beside the fused projections. Copy its weight and its bias.",
    {OUT: "pass"},
)

load_from_torch.mistake(
    "bias of out_proj forgotten",
    "The weight of `out_proj` is copied, its bias is not. Your bias keeps the numbers it had.",
    {OUT: "ours.out_proj.weight.copy_(theirs.out_proj.weight)"},
)

load_from_torch.mistake(
    "weight of out_proj forgotten",
    "The bias of `out_proj` is copied, its weight is not. Your matrix keeps the numbers it had.",
    {OUT: "ours.out_proj.bias.copy_(theirs.out_proj.bias)"},
)

load_from_torch.mistake(
    "parameters frozen",
    "The parameters can no longer be trained. They have their numbers, and `requires_grad` is off. `torch.no_grad()` around the copying is enough: leave the parameters as they are.",
    {OUT: f"{OUT}; ours.requires_grad_(False)"},
)

HEADS_COMPARED, WIDTHS_COMPARED = "if sizes[0][1] != sizes[1][1]:", "if sizes[0][0] != sizes[1][0]:"
COMPARED = "if sizes[0] != sizes[1]:"
load_from_torch.mistake(
    "sizes that do not fit are accepted",
    "A module of another size is not refused. With another number of heads the numbers fit and mean something else; with another width they do not fit at all. Compare both, and raise the ValueError that was given.",
    {COMPARED: "if False:"},
    edit(
        {COMPARED: WIDTHS_COMPARED},
        says="Another number of heads is not refused. The matrices have the same shape then, so every number fits, and the heads are cut elsewhere. Compare width and heads, as the given lines do.",
    ),
    edit(
        {COMPARED: HEADS_COMPARED},
        says="Another width is not refused. The copying then ends in an error about sizes, with a part of the numbers copied. Compare width and heads, as the given lines do.",
    ),
)

MISSES = "if theirs.in_proj_weight is None or theirs.in_proj_bias is None:"
load_from_torch.mistake(
    "a module without the fused parameters accepted",
    "A module of torch's that lacks `in_proj_bias` or `in_proj_weight` is not refused. `bias=False` leaves the bias out, and with `kdim` or `vdim` there are three matrices instead of one. Raise the ValueError that was given.",
    *({MISSES: kept} for kept in ("if False:", "if theirs.in_proj_weight is None:", "if theirs.in_proj_bias is None:")),
    # Copies what there is.
    {
        MISSES: "if theirs.in_proj_weight is None:",
        "theirs.in_proj_bias.chunk(3)": "[None] * 3 if theirs.in_proj_bias is None else theirs.in_proj_bias.chunk(3)",
        BIAS: f"_ = bias is None or {BIAS}",
        OUT: "ours.out_proj.load_state_dict(theirs.out_proj.state_dict(), strict=False)",
    },
)

load_from_torch.mistake(
    "nothing copied",
    "Nothing arrives in your module: its parameters hold what they held before. `copy_` has to be called on the parameters themselves, not on a copy of them.",
    {WEIGHT: "pass", BIAS: "pass", OUT: "pass"},
)

load_from_torch.mistake(
    "only out_proj copied",
    "Only `out_proj` is copied. It is the only layer with the same name on both sides, so `load_state_dict(..., strict=False)` finds nothing else. "
    "The projections have to be cut out of `in_proj_weight` and `in_proj_bias`.",
    {WEIGHT: "pass", BIAS: "pass"},
)

load_from_torch.mistake(
    "new parameters",
    "Your module gets new parameters instead of new numbers. An optimizer that was made before still holds the old parameters, and now trains tensors "
    "that nobody uses. `copy_` writes into the "
    "parameters that are there; `nn.Parameter(...)`, a new layer and `deepcopy` do not.",
    {WEIGHT: "projection.weight = nn.Parameter(weight.clone())", BIAS: "projection.bias = nn.Parameter(bias.clone())"},
    {WEIGHT: "projection.weight = nn.Parameter(weight.clone())"},
    {BIAS: "projection.bias = nn.Parameter(bias.clone())"},
    {OUT: "ours.out_proj = __import__('copy').deepcopy(theirs.out_proj)"},
    {
        OUT: "ours.out_proj.weight = nn.Parameter(theirs.out_proj.weight.clone());"
        " ours.out_proj.bias = nn.Parameter(theirs.out_proj.bias.clone())"
    },
    {
        WEIGHT: "projection.weight = nn.Parameter(weight.clone())",
        BIAS: "projection.bias = nn.Parameter(bias.clone())",
        OUT: "ours.out_proj.weight = nn.Parameter(theirs.out_proj.weight.clone());"
        " ours.out_proj.bias = nn.Parameter(theirs.out_proj.bias.clone())",
    },
)

load_from_torch.mistake(
    "memory shared with torch's module",
    "The two modules share memory. You tied ours to torch's numbers instead of copying them, so training one changes the other. `copy_` writes into memory that is already there; an assignment, "
    "also to `.data`, does not.",
    {WEIGHT: "projection.weight.data = weight"},
    {WEIGHT: "projection.weight.data = weight", BIAS: "projection.bias.data = bias"},
    {OUT: "ours.out_proj = theirs.out_proj"},
    {
        OUT: "ours.out_proj.weight.data = theirs.out_proj.weight.data;"
        " ours.out_proj.bias.data = theirs.out_proj.bias.data"
    },
    {OUT: "ours.out_proj.weight = theirs.out_proj.weight; ours.out_proj.bias = theirs.out_proj.bias"},
    {WEIGHT: "projection.weight = nn.Parameter(weight)", BIAS: "projection.bias = nn.Parameter(bias)"},
    {
        WEIGHT: "projection.weight = nn.Parameter(weight)",
        BIAS: "projection.bias = nn.Parameter(bias)",
        OUT: "ours.out_proj.load_state_dict(theirs.out_proj.state_dict(), assign=True)",
    },
    {
        WEIGHT: "projection.weight.data = weight",
        BIAS: "projection.bias.data = bias",
        OUT: "ours.out_proj = theirs.out_proj",
    },
)

load_from_torch.mistake(
    "copied the wrong way",
    "You copied our numbers into torch's module. `a.copy_(b)` writes into a: fill `ours`, and leave `theirs` as it is.",
    {
        WEIGHT: "weight.copy_(projection.weight)",
        BIAS: "bias.copy_(projection.bias)",
        OUT: "theirs.out_proj.load_state_dict(ours.out_proj.state_dict())",
    },
    {OUT: "theirs.out_proj.load_state_dict(ours.out_proj.state_dict())"},
)

load_from_torch.mistake(
    "one third for all three",
    "All three projections got the same third, the query's. The key's rows come after it and the value's last.",
    {f"zip({PAIRING}, weights, biases, strict=True)": f"zip({PAIRING}, weights[:1] * 3, biases[:1] * 3, strict=True)"},
    edit(
        {
            f"zip({PAIRING}, weights, biases, strict=True)": f"zip({PAIRING}, weights[2:] * 3, biases[2:] * 3, strict=True)"
        },
        says="All three projections got the same third, the value's. The query's rows come first, the key's after it.",
    ),
)
