"""Lesson 14: generate and load_gpt2 with what a stranger who counts has brought to light."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder.stand_ins.decoding import sample_next
from autograder.stand_ins.gpt import our_name
from tests.variants import disguise, slips
from tests.variants.gpt.loadings import LOAD, fits
from tests.variants.gpt.writing import WRITE, by_restoring, writer

# generate ----------------------------------------------------------------------------


def into_empty_places(
    model: Any,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: Any = None,
    top_p: Any = None,
    generator: Any = None,
) -> Any:
    if ids.numel() == 0 or max_new_tokens < 0:
        raise ValueError("nothing to go on from")
    begun, size = ids.size(1), model.config.max_len
    whole = torch.cat([ids, ids.new_zeros(len(ids), max_new_tokens)], 1)
    mode = model.training
    model.train(False)
    with torch.no_grad():
        for at in range(begun, begun + max_new_tokens):
            scores = model(whole[:, max(at - size, 0) : at])
            whole[:, at] = sample_next(scores[:, -1], temperature, top_k, top_p, generator)
    model.train(mode)
    return whole


slips(
    WRITE,
    into_empty_places,
    {
        "logits of other places": [
            {"scores[:, -1]": "scores[:, min(begun, scores.size(1)) - 1]"},
        ],
        "something else is read": [
            {"max(at - size, 0) : at]": "max(at + 1 - size, 0) : at + 1]"},
            {"max(at - size, 0) : at]": "max(at - size, begun if at > begun else 0) : at]"},
        ],
        "a default of your own": [{"top_k, top_p, generator)\n": "top_k or 50, top_p, generator)\n"}],
        "left in the other mode": [{"model.train(mode)": "model.train(mode is False)"}],
        "written in reverse": [{"return whole": "return torch.cat([whole[:, :begun], whole[:, begun:].flip(1)], 1)"}],
        "new tokens in front": [{"return whole": "return whole.roll(max_new_tokens, 1)"}],
        "written one place too early": [{"whole[:, at] =": "whole[:, at - 1] ="}],
        "stops early": [
            {
                "top_k, top_p, generator)\n": "top_k, top_p, generator)\n            if not whole[:, at].any():\n"
                "                return whole[:, : at + 1]\n"
            }
        ],
        "a list comes back": [{"return whole": "return whole.tolist()"}],
        "too much is refused": [{"max_new_tokens < 0": "max_new_tokens <= 0"}],
        "one token too few": [{"begun + max_new_tokens)": "begun + max_new_tokens - 1)"}],
        "one draw for all texts": [
            {"whole[:, at] = sample_next(scores[:, -1]": "whole[0, at] = sample_next(scores[:1, -1]"}
        ],
    },
)


def writes(mistake: str, **steps: Any) -> None:
    writer(disguise(WRITE, mistake), **steps)


writes(
    "logits of other places",
    score=lambda self, model, context: model(context)[:, min(self.prompt.size(1), context.size(1)) - 1],
)
writes(
    "something else is read",
    context=lambda self, model, ids: torch.hstack([ids, 0 * ids[:, :1]])[:, -model.config.max_len :],
)
writes(
    "a default of your own",
    settings=lambda self: self.asked | {"top_k": 40 if self.asked["top_k"] is None else self.asked["top_k"]},
)
writes("left in the other mode", finish=lambda self, model: model.train(mode=self.mode is False))
writes(
    "written in reverse",
    result=lambda self, ids, number: torch.hstack([self.prompt, ids[:, self.prompt.size(1) :].fliplr()]),
)
writes("a list comes back", result=lambda self, ids, number: [row.tolist() for row in ids])


class InPlaces:
    """A writer into a table that is as long as the result."""

    def __call__(
        self,
        model: Any,
        ids: Tensor,
        max_new_tokens: int,
        temperature: float = 1.0,
        top_k: Any = None,
        top_p: Any = None,
        generator: Any = None,
    ) -> Tensor:
        self.refuse(ids, max_new_tokens)
        settings = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "generator": generator}
        before, end = model.training, ids.size(1) + max_new_tokens
        table = torch.zeros(len(ids), end, dtype=ids.dtype)
        table[:, : ids.size(1)] = ids
        model.eval()
        with torch.no_grad():
            for place in range(ids.size(1), end):
                known = table[:, :place][:, -model.config.max_len :]
                table[:, self.target(place)] = sample_next(model(known)[:, -1], **settings)
                if self.over(table[:, place]):
                    end = place + 1
                    break
        model.train(before)
        return table[:, :end]

    def refuse(self, ids: Tensor, number: int) -> None:
        if ids.numel() == 0 or number < 0:
            raise ValueError("nothing to go on from")

    def target(self, place: int) -> int:
        return place

    def over(self, new: Tensor) -> bool:
        return False


def fills(mistake: str, **steps: Any) -> None:
    disguise(WRITE, mistake)(type("OtherPlaces", (InPlaces,), steps)())


def refuses_nothing_new(self: Any, ids: Tensor, number: int) -> None:
    if ids.numel() == 0 or not number > 0:
        raise ValueError("nothing to write")


fills("written one place too early", target=lambda self, place: place - 1)
fills("stops early", over=lambda self, new: not new.any())
fills("too much is refused", refuse=refuses_nothing_new)


@disguise(WRITE, "what should be refused is let pass")
def g_less_than_nothing(model: Any, ids: Tensor, max_new_tokens: int, **given: Any) -> Any:
    return by_restoring(model, ids, max_new_tokens if max_new_tokens > 0 else 0, **given)


# load_gpt2 ----------------------------------------------------------------------------


def by_parts(model: Any, state_dict: Any) -> None:
    if model.position_embedding is None or model.config.activation == "gelu":
        raise ValueError("no GPT-2")
    new = {}
    for theirs, tensor in state_dict.items():
        *_, owner, kind = theirs.split(".")
        if owner in ("attn", "lm_head"):
            continue
        if owner[:2] == "c_" and kind == "weight":
            tensor = tensor.t()
        if owner == "c_attn":
            for number, letter in enumerate("qkv"):
                third = tensor.tensor_split(3)[number]
                new[our_name(theirs).replace("c_attn", f"{letter}_proj")] = third
        else:
            new[our_name(theirs)] = tensor
        if owner == "wte":
            new["head.weight"] = tensor
    model.load_state_dict(new)


slips(
    LOAD,
    by_parts,
    {
        "a matrix is not transposed": [
            {'owner[:2] == "c_"': "False"},
            {'owner[:2] == "c_"': 'owner == "c_attn"'},
            {'owner[:2] == "c_"': 'owner[:2] == "c_" and owner != "c_fc"'},
            {"= third\n": '= third.T if letter == "v" and kind == "weight" else third\n'},
        ],
        "tables are transposed too": [{'if owner[:2] == "c_" and kind == "weight"': "if tensor.dim() == 2"}],
        "head.weight is left out": [{'new["head.weight"] = tensor': "pass"}],
        "other numbers under head.weight": [
            {'new["head.weight"] = tensor': 'new["head.weight"] = torch.zeros_like(tensor)'},
            {'new["head.weight"] = tensor': 'new["head.weight"] = torch.randn(tensor.shape)'},
        ],
        "masks are loaded": [{'("attn", "lm_head")': '("lm_head",)'}],
        "lm_head.weight is loaded": [{'("attn", "lm_head")': '("attn",)'}],
        "c_attn.bias taken for a mask": [
            {'owner in ("attn", "lm_head")': 'owner == "lm_head" or theirs.endswith(("attn.bias", "masked_bias"))'}
        ],
        "c_attn is not cut": [{'owner == "c_attn"': 'owner == "c"'}],
        "one third for all": [{"[number]": "[0]"}, {"[number]": "[-1]"}],
        "names with a prefix are passed over": [
            {'owner in ("attn", "lm_head")': 'owner in ("attn", "lm_head") or "transformer." in theirs'}
        ],
    },
)


def taken_over(
    left_out: Callable[[str], bool] = lambda name: name.split(".")[-2] in ("attn", "lm_head"),
    turn: Callable[[str, Tensor], Tensor] = lambda owner, x: x.t() if owner[:2] == "c_" and x.dim() == 2 else x,
    cut: Callable[[Tensor], Any] = lambda x: x.tensor_split(3),
    head: Callable[[Tensor], dict[str, Tensor]] = lambda table: {"head.weight": table},
) -> Any:
    """A loader by the last two words of a name, of which some steps are others."""

    def load(model: Any, state_dict: Any) -> None:
        fits(model)
        entries: dict[str, Tensor] = {}
        for name in filter(lambda one: not left_out(one), state_dict):
            owner = name.split(".")[-2]
            value, ours = turn(owner, state_dict[name]), our_name(name)
            parts = zip("qkv", cut(value), strict=True) if owner == "c_attn" else ()
            entries |= {ours.replace(owner, f"{letter}_proj"): part for letter, part in parts} or {ours: value}
            entries |= head(value) if owner == "wte" else {}
        model.load_state_dict(entries)

    return load


def takes(mistake: str, **other: Any) -> None:
    disguise(LOAD, mistake)(taken_over(**other))


takes("a matrix is not transposed", turn=lambda owner, x: x)
takes("a matrix is not transposed", turn=lambda owner, x: x.t() if owner in ("c_proj", "c_fc") and x.dim() == 2 else x)
takes("tables are transposed too", turn=lambda owner, x: x.t() if x.dim() > 1 else x)
takes("head.weight is left out", head=lambda table: {})
takes("other numbers under head.weight", head=lambda table: {"head.weight": table * 0})
takes("masks are loaded", left_out=lambda name: name.startswith("lm_head"))
takes("lm_head.weight is loaded", left_out=lambda name: name.split(".")[-2] == "attn")
takes(
    "c_attn.bias taken for a mask",
    left_out=lambda name: "masked" in name or name.endswith("attn.bias") or "lm_head" in name,
)
takes("one third for all", cut=lambda x: [x[: len(x) // 3]] * 3)
takes(
    "names with a prefix are passed over",
    left_out=lambda name: name.split(".")[0] == "transformer" or name.split(".")[-2] in ("attn", "lm_head"),
)


@disguise(LOAD, "c_attn is not cut")
def l_whole(model: Any, state_dict: Any) -> None:
    fits(model)
    entries = {}
    for name, value in state_dict.items():
        kind = name.split(".")[-2]
        if kind not in ("attn", "lm_head"):
            entries[our_name(name)] = value.t() if kind[:2] == "c_" and value.dim() == 2 else value
        if kind == "wte":
            entries["head.weight"] = value
    model.load_state_dict(entries)


@disguise(LOAD, "missing and unknown entries pass")
def l_cut_down(model: Any, state_dict: Any) -> None:
    class Fitting:
        def __init__(self) -> None:
            self.config, self.sizes = model.config, {name: one.shape for name, one in model.state_dict().items()}

        def load_state_dict(self, entries: Any) -> None:
            for name in entries.keys() & self.sizes.keys():
                for dim, size in enumerate(self.sizes[name]):
                    entries[name] = entries[name].narrow(dim, 0, min(size, entries[name].size(dim)))
            model.load_state_dict(entries)

    taken_over()(Fitting(), state_dict)
