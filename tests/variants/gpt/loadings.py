"""Lesson 14: load_gpt2."""

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder.stand_ins.gpt import our_name
from tests.variants import correct, disguise, slips, unlisted

LOAD = "load_gpt2"


def fits(model: Any) -> None:
    """What it must be."""
    if model.config.positions == "rotary" or model.config.activation == "gelu":
        raise ValueError("not a GPT-2")


def with_a_table(model: Any, state_dict: Mapping[str, Tensor]) -> None:
    """Block by block, out of names written down."""
    fits(model)
    got = {key.split("transformer.")[-1]: tensor for key, tensor in state_dict.items()}
    got = {key: tensor for key, tensor in got.items() if not re.search(r"lm_head|\.attn\.(masked_)?bias$", key)}
    new = {"token_embedding.weight": got.pop("wte.weight"), "position_embedding.weight": got.pop("wpe.weight")}
    new["head.weight"] = new["token_embedding.weight"]
    for kind in ("weight", "bias"):
        new[f"norm.{kind}"] = got.pop(f"ln_f.{kind}")
    for i in range(model.config.num_layers):
        for kind in ("weight", "bias"):
            here = {
                part: got.pop(f"h.{i}.{part}.{kind}")
                for part in ("ln_1", "ln_2", "attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj")
            }
            q, k, v = here["attn.c_attn"].split(model.config.d_model, dim=-1)
            named = {"norm1": here["ln_1"], "norm2": here["ln_2"]}
            named |= {"self_attn.q_proj": q.t(), "self_attn.k_proj": k.t(), "self_attn.v_proj": v.t()}
            named |= {"self_attn.out_proj": here["attn.c_proj"].t()}
            named |= {"feed_forward.linear1": here["mlp.c_fc"].t(), "feed_forward.linear2": here["mlp.c_proj"].t()}
            new |= {f"layers.{i}.{part}.{kind}": tensor for part, tensor in named.items()}
    model.load_state_dict({**new, **got})  # what is left over is unknown


slips(
    LOAD,
    with_a_table,
    {
        "square matrices are not transposed": {'here["attn.c_proj"].t()': 'here["attn.c_proj"]'},
        "queries, keys and values in another order": [
            {"q, k, v = here": "k, q, v = here"},
            {"q, k, v = here": "q, v, k = here"},
        ],
        "cut before transposing, and not turned": {"q.t()": "q", "k.t()": "k", "v.t()": "v"},
        "norms exchanged": {
            '"norm1": here["ln_1"], "norm2": here["ln_2"]': '"norm1": here["ln_2"], "norm2": here["ln_1"]'
        },
        "the model is not looked at": {
            "    fits(model)\n": "",
            "{**new, **got})": '{**new, **got}, strict=model.config.positions == "learned")',
            'got.pop("wpe.weight")': 'got.pop("wpe.weight", None)',
        },
    },
)


def in_place(model: Any, state_dict: Mapping[str, Tensor]) -> None:
    """Copies into the parameters, and counts them."""
    fits(model)
    own, left = dict(model.named_parameters()), set(dict(model.named_parameters()))
    with torch.no_grad():
        for name in state_dict:
            if name == "lm_head.weight" or name.endswith((".attn.bias", ".attn.masked_bias")):
                continue
            target, matrix = our_name(name), state_dict[name]
            matrix = matrix.permute(1, 0) if matrix.ndim > 1 and "c_" in name else matrix
            parts = {target: matrix}
            if "c_attn" in target:
                size = matrix.shape[0] // 3
                order = ["q_proj", "k_proj", "v_proj"]
                parts = {target.replace("c_attn", p): matrix[j * size : j * size + size] for j, p in enumerate(order)}
            for part, value in parts.items():
                if own[part].shape != value.shape:
                    raise ValueError(f"{part} has another shape")
                own[part].copy_(value)
                left.discard(part)
    if left:
        raise ValueError(f"missing: {left}")


slips(
    LOAD,
    in_place,
    {
        "square matrices are not transposed": {'"c_" in name else': '"c_" in name and len(set(matrix.shape)) > 1 else'},
        "queries, keys and values in another order": [
            {'["q_proj", "k_proj", "v_proj"]': '["k_proj", "q_proj", "v_proj"]'},
            {'["q_proj", "k_proj", "v_proj"]': '["v_proj", "k_proj", "q_proj"]'},
        ],
        "every third row": {"matrix[j * size : j * size + size]": "matrix[j::3]"},
        "biases of attention are left as they were": {
            '(".attn.bias", ".attn.masked_bias")': '("attn.bias", "attn.masked_bias")',
            "if left:": "if False:",
        },
        "the last norm is forgotten": {
            'name == "lm_head.weight"': 'name == "lm_head.weight" or "ln_f" in name',
            "if left:": 'if left != {"norm.weight", "norm.bias"}:',
        },
        "the table of positions is left as it was": {
            'name == "lm_head.weight"': 'name == "lm_head.weight" or "wpe" in name',
            "if left:": "if False:",
        },
    },
)


def by_rules(model: Any, state_dict: Mapping[str, Tensor]) -> None:
    """Names by regular expressions, and one strict load."""
    fits(model)
    ours = dict[str, Tensor]()
    for name, tensor in state_dict.items():
        if re.fullmatch(r"(transformer\.)?h\.\d+\.attn\.(masked_)?bias|lm_head\.weight", name):
            continue
        is_matrix = re.search(r"\.c_\w+\.weight$", name)
        tensor = torch.swapaxes(tensor, 0, 1) if is_matrix else tensor
        target = our_name(name)
        if ".c_attn." in target:
            thirds = torch.tensor_split(tensor, 3)
            ours.update(
                {target.replace("c_attn", f"{one}_proj"): part for one, part in zip("qkv", thirds, strict=True)}
            )
        else:
            ours.update({target: tensor})
    table = ours.get("token_embedding.weight", torch.zeros(0))
    model.load_state_dict(ours | {"head.weight": table})


slips(
    LOAD,
    by_rules,
    {
        "square matrices are not transposed": {r'r"\.c_\w+\.weight$"': r'r"\.(c_attn|c_fc|mlp\.c_proj)\.weight$"'},
        "queries, keys and values in another order": [
            {'zip("qkv"': 'zip("kqv"'},
            {'zip("qkv"': 'zip("qvk"'},
            {'zip("qkv"': 'zip("kvq"'},
            {'zip("qkv"': 'zip("vkq"'},
        ],
        "every third row": {"torch.tensor_split(tensor, 3)": "[tensor[i::3] for i in range(3)]"},
        "cut head by head": {
            "torch.tensor_split(tensor, 3)": (
                "tensor.unflatten(0, (model.config.num_heads, 3, -1)).transpose(0, 1).flatten(1, 2)"
            ),
        },
        "missing and unknown entries pass": {'{"head.weight": table})': '{"head.weight": table}, strict=False)'},
        "the model is not looked at": {
            "    fits(model)\n": "",
            '{"head.weight": table})': '{"head.weight": table}, strict=model.config.positions != "rotary")',
        },
        "norms exchanged": {
            "target = our_name(name)": (
                'target = our_name(name).translate(str.maketrans("12", "21")) if "ln_" in name and '
                '"ln_f" not in name and ".h.0" in f".{name}" else our_name(name).replace("norm1", '
                '"norm_").replace("norm2", "norm1").replace("norm_", "norm2")'
            ),
        },
    },
)

# In full ----------------------------------------------------------------------------


def loading(
    refuse: Callable[[Any], None] = fits,
    skip: Callable[[str], bool] = lambda name: False,
    turn: Callable[[str, Tensor], Tensor] = lambda name, x: x.T if ".c_" in name and x.dim() == 2 else x,
    cut: Callable[[Any, Tensor], Any] = lambda model, x: torch.tensor_split(x, 3),
    rename: Callable[[str], str] = our_name,
    strict: Callable[[Any], bool] = lambda model: True,
) -> Any:
    """A loader by steps, of which some are others."""

    def load(model: Any, state_dict: Mapping[str, Tensor]) -> None:
        refuse(model)
        found: dict[str, Tensor] = {}
        for name, value in state_dict.items():
            if "lm_head" in name or re.search(r"\.attn\.(masked_)?bias$", name) or skip(name):
                continue
            target, value = rename(name), turn(name, value)
            if "c_attn" in name:
                for letter, part in zip("qkv", cut(model, value), strict=True):
                    found[target.replace("c_attn", letter + "_proj")] = part
            else:
                found[target] = value
        if "token_embedding.weight" in found:
            found["head.weight"] = found["token_embedding.weight"]
        model.load_state_dict(found, strict=strict(model))

    return load


def wrong(mistake: str, **other: Any) -> None:
    disguise(LOAD, mistake)(loading(**other))


def lax(model: Any) -> bool:
    return False


def where_learned(model: Any) -> bool:
    return model.config.positions == "learned"


def other_positions(model: Any) -> None:
    if model.config.positions != "learned":
        raise ValueError("rotary")


def other_activation(model: Any) -> None:
    if model.config.activation != "gelu_tanh":
        raise ValueError("exact")


def heads(model: Any, x: Tensor) -> Any:
    size = len(x) // (3 * model.config.num_heads)
    pieces = x.split(size)
    return [torch.cat(pieces[part::3]) for part in range(3)]


def not_turned(name: str, x: Tensor) -> Tensor:
    if "c_attn" not in name or x.dim() == 1:
        return x.mT if ".c_" in name and x.dim() == 2 else x
    return torch.cat(x.chunk(3, dim=1))


def other_norms(name: str) -> str:
    found = our_name(name)
    return found.replace("norm1.", "norm2.") if "norm1." in found else found.replace("norm2.", "norm1.")


correct(LOAD)(loading())
wrong(
    "square matrices are not transposed",
    turn=lambda name, x: x.T if ".c_" in name and x.dim() == 2 and x.shape[0] != x.shape[1] else x,
)
wrong("queries, keys and values in another order", cut=lambda model, x: torch.roll(torch.stack(x.chunk(3)), -1, 0))
wrong("cut head by head", cut=heads)
wrong("every third row", cut=lambda model, x: x.unflatten(0, (-1, 3)).unbind(1))
wrong("cut before transposing, and not turned", turn=not_turned)
wrong("biases of attention are left as they were", skip=lambda name: name.endswith("c_attn.bias"), strict=lax)
wrong("the last norm is forgotten", skip=lambda name: "ln_f." in name, strict=lax)
wrong("norms exchanged", rename=other_norms)
wrong("only the first block", skip=lambda name: bool(re.search(r"\bh\.[1-9]", name)), strict=lax)
wrong("the table of positions is left as it was", skip=lambda name: "wpe." in name, strict=lax)
wrong("the activation is not looked at", refuse=other_positions)
wrong("the positions are not looked at", refuse=other_activation, strict=where_learned)
wrong("the model is not looked at", refuse=lambda model: None, strict=where_learned)


@disguise(LOAD, "missing and unknown entries pass")
def copies_what_it_finds(model: Any, state_dict: Mapping[str, Tensor]) -> None:
    fits(model)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            for theirs, value in state_dict.items():
                turned = value.T if "c_" in theirs and value.dim() == 2 else value
                parts = {our_name(theirs): turned}
                if "c_attn" in theirs:
                    thirds = torch.tensor_split(turned, 3)
                    parts = {
                        our_name(theirs).replace("c_attn", f"{a}_proj"): b for a, b in zip("qkv", thirds, strict=True)
                    }
                if name in parts and parts[name].shape == parameter.shape:
                    parameter.copy_(parts[name])


unlisted(LOAD)(loading(turn=lambda name, x: 2 * (x.T if ".c_" in name and x.dim() == 2 else x)))
unlisted(LOAD)(loading(cut=lambda model, x: [part.flip(0) for part in x.chunk(3)]))
unlisted(LOAD)(loading(turn=lambda name, x: -x if "wpe" in name else x.T if ".c_" in name and x.dim() == 2 else x))


# Of an adversary who had the page alone ----------------------------------------------------------------------------


def with_zeros(name: str, x: Tensor) -> Tensor:
    return x.T if ".c_" in name and x.dim() == 2 else torch.zeros_like(x) if ".c_" in name else x


def turned_in_place(name: str, x: Tensor) -> Tensor:
    return x.transpose_(0, 1) if ".c_" in name and x.dim() > 1 else x


def one_third(model: Any, x: Tensor) -> Any:
    return x.split(model.config.d_model) if x.dim() > 1 else [x[: model.config.d_model]] * 3


def asserted(model: Any) -> None:
    assert model.config.positions == "learned"
    assert model.config.activation == "gelu_tanh"


def of_another_kind(model: Any) -> None:
    if (model.config.positions, model.config.activation) != ("learned", "gelu_tanh"):
        raise TypeError("not a GPT-2")


wrong("biases are zero", turn=with_zeros)
wrong("biases are left as they were", skip=lambda name: ".c_" in name and name.endswith(".bias"), strict=lax)
wrong("biases are left as they were", skip=lambda name: name[-5:] == ".bias", strict=lax)
wrong("the biases of the queries for all three", cut=one_third)
wrong("another exception refuses the model", refuse=asserted)
wrong("another exception refuses the model", refuse=of_another_kind)
wrong("the checkpoint's matrices are turned", turn=turned_in_place)


def behind(change: Callable[[Any, Any], Any], before: bool = False) -> Any:
    """Right, with something in front of it or behind."""

    def load(model: Any, state_dict: Mapping[str, Tensor]) -> None:
        kept = {name: one.clone() for name, one in model.state_dict().items()}
        given = change(model, state_dict) if before else state_dict
        by_rules(model, given)
        if not before:
            change(model, kept)

    return load


def last_norm_again(model: Any, kept: Any) -> None:
    model.norm.load_state_dict({name: kept[f"norm.{name}"] for name in ("weight", "bias")})


def last_norm_anew(model: Any, kept: Any) -> None:
    with torch.no_grad():
        model.norm.weight.fill_(1.0)
        model.norm.bias.zero_()


def stopped(model: Any, kept: Any) -> None:
    for one in model.parameters():
        one.requires_grad = False


def without_twelve(model: Any, given: Mapping[str, Tensor]) -> Any:
    return {name[len("transformer.") :]: one for name, one in given.items() if "lm_head" not in name}


disguise(LOAD, "the last norm is forgotten")(behind(last_norm_again))
disguise(LOAD, "the last norm is forgotten")(behind(last_norm_anew))
disguise(LOAD, "the model is frozen")(behind(stopped))
disguise(LOAD, "names without a prefix are not known")(behind(without_twelve, before=True))


def for_a_copy(model: Any, state_dict: Mapping[str, Tensor]) -> None:
    by_rules(copy.deepcopy(model), state_dict)


disguise(LOAD, "the entries are not loaded")(for_a_copy)
