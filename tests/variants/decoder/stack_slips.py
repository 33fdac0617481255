"""Decoder: slips in other people's stacks."""

import copy
from typing import Any

import torch
from torch import nn

from autograder.stand_ins.decoder import DecoderLayer
from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import slips

STACK = "Decoder"
PAST = "torch.ones(x.size(1), x.size(1)).tril().bool()"
NO_SELF, NO_CROSS = "None if self_mask is None else ~self_mask", "None if cross_mask is None else ~cross_mask"


class AsksWhenAsked(nn.Module):
    """A loop with weights and a loop without; where no norm is wanted, one that does nothing."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first))
        self.norm = LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        self_mask: Any = None,
        cross_mask: Any = None,
        return_weights: bool = False,
    ) -> Any:
        """Two answers."""
        own, source = [], []
        for block in self.layers:
            if return_weights:
                x, (v, w) = block(x, memory, self_mask, cross_mask, True)
                own.append(v)
                source.append(w)
            else:
                x = block(x, memory, self_mask=self_mask, cross_mask=cross_mask)
        if return_weights:
            return self.norm(x), (own, source)
        return self.norm(x)


ASKED, PLAIN = (
    "block(x, memory, self_mask, cross_mask, True)",
    "block(x, memory, self_mask=self_mask, cross_mask=cross_mask)",
)
NEW = "DecoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first)"
ENDS = "return self.norm(x), (own, source)\n        return self.norm(x)"
START = "own, source = [], []"
FIT = "not (self_mask is None or cross_mask is None) and x.size(1) == memory.size(1)"
JOINED = f"\n        if {FIT}:\n            cross_mask = self_mask = self_mask & cross_mask"


def handed(own: str, source: str) -> dict[str, str]:
    """Other masks in both calls."""
    return {
        ASKED: f"block(x, memory, {own}, {source}, True)",
        PLAIN: f"block(x, memory, self_mask={own}, cross_mask={source})",
    }


slips(
    STACK,
    AsksWhenAsked,
    {
        "self_mask ignored": handed("None", "cross_mask"),
        "cross_mask ignored": handed("self_mask", "None"),
        "masks exchanged": handed("cross_mask", "self_mask"),
        "one mask for both attentions": [
            handed("self_mask", "self_mask"),
            handed("cross_mask", "cross_mask"),
            {START: f"{START}\n        cross_mask = self_mask = self_mask if cross_mask is None else cross_mask"},
            {START: f"{START}\n        cross_mask = self_mask = cross_mask if self_mask is None else self_mask"},
            {START: f"{START}{JOINED}"},
        ],
        "mask inverted": [handed(NO_SELF, NO_CROSS), handed(NO_SELF, "cross_mask"), handed("self_mask", NO_CROSS)],
        "always causal": [
            {START: f"{START}\n        self_mask = {PAST} if self_mask is None else self_mask"},
            {START: f"{START}\n        self_mask = {PAST} if self_mask is None else self_mask & {PAST}"},
        ],
        "memory normalized on the way": {START: f"{START}\n        memory = self.norm(memory)"},
        "memory cut off from the graph": {START: f"{START}\n        memory = memory.detach()"},
        "the memory is not handed on": {START: f"{START}\n        memory = x"},
        "residual around whole layers": {
            START: f"{START}\n        first = x",
            "own.append(v)": "own.append(v)\n                x = x + first",
            PLAIN: f"first + {PLAIN}",
        },
        "memory replaced by the layer's output": {
            "own.append(v)": "own.append(v)\n                memory = x",
            "x = block(": "x = memory = block(",
        },
        "one layer repeated": [
            {"for block in self.layers": "for block in [self.layers[0]] * len(self.layers)"},
            {
                "self.layers = nn.ModuleList()": f"same = {NEW}; self.layers = nn.ModuleList()",
                f"append({NEW})": "append(same)",
            },
        ],
        "layers in a plain list": {"nn.ModuleList()": "[]"},
        "every layer starts from the input": {
            START: f"{START}\n        given = x",
            ASKED: "block(given, memory, self_mask, cross_mask, True)",
            PLAIN: "block(given, memory, self_mask=self_mask, cross_mask=cross_mask)",
        },
        "final norm missing": [
            {"LayerNorm(d_model) if norm_first else nn.Identity()": "nn.Identity()"},
            {ENDS: ENDS.replace("self.norm(x)", "x")},
        ],
        "final norm in post-norm": [
            {"LayerNorm(d_model) if norm_first else nn.Identity()": "LayerNorm(d_model)"},
            {"if norm_first else": "if not norm_first else"},
        ],
        "final norm after every layer": {
            "own.append(v)": "own.append(v)\n                x = self.norm(x)",
            PLAIN: f"self.norm({PLAIN})",
        },
        "final norm before the layers": {
            START: f"{START}\n        x = self.norm(x)",
            ENDS: ENDS.replace("self.norm(x)", "x"),
        },
        "norm_first not handed to the layers": {", norm_first=norm_first": ""},
        "dropout not handed to the layers": {"dropout=dropout, ": ""},
        "masks in the first layer only": [
            {
                "own.append(v)": "own.append(v)\n                self_mask = cross_mask = None",
                PLAIN: f"{PLAIN}\n                self_mask = cross_mask = None",
            },
        ],
        "weights in the wrong order": {"(own, source)": "(source, own)"},
        "weights not in a pair": {"(own, source)": "own, source"},
        "weights of one attention only": [{"(own, source)": "own"}, {"(own, source)": "source"}],
        "weights returned unasked": {
            "            if return_weights:\n": "            if True:\n",
            "        if return_weights:\n            return": "        if True:\n            return",
        },
        "weights not returned": {"return self.norm(x), (own, source)": "return self.norm(x)"},
        "weights of the last layer only": {"(own, source)": "(v, w)"},
        "a list of pairs instead of two lists": {"(own, source)": "list(zip(own, source, strict=True))"},
        "weights stacked into a tensor": {"(own, source)": "(torch.stack(own), torch.stack(source))"},
        "weights of an earlier call": {START: "own, source = self.__dict__.setdefault('kept', ([], []))"},
        "masks exchanged + weights in the wrong order": handed("cross_mask", "self_mask")
        | {"(own, source)": "(source, own)"},
    },
)


class Copies(nn.Module):
    """Copies of one layer, by number; pairs are kept and taken apart at the end."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        first = DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first)
        self.layers = nn.ModuleList([copy.deepcopy(first) for _ in range(num_layers)])
        self.norm = None
        if norm_first:
            self.norm = LayerNorm(d_model)

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        self_mask: Any = None,
        cross_mask: Any = None,
        return_weights: bool = False,
    ) -> Any:
        """Number after number."""
        pairs, source = [], memory
        for number in range(len(self.layers)):
            one = self.layers[number]
            x, pair = one(x, source, self_mask, cross_mask, return_weights=True)
            pairs.append(pair)
        out = self.norm(x) if self.norm else x
        if not return_weights:
            return out
        return out, ([v for v, _ in pairs], [w for _, w in pairs])


CALL, TWO = "one(x, source, self_mask, cross_mask, ", "([v for v, _ in pairs], [w for _, w in pairs])"
KEPT, NORMED = "pairs.append(pair)", "self.norm(x) if self.norm else x"
AFTER = f"{KEPT}\n            "
slips(
    STACK,
    Copies,
    {
        "self_mask ignored": {CALL: "one(x, source, None, cross_mask, "},
        "cross_mask ignored": {CALL: "one(x, source, self_mask, "},
        "masks exchanged": {CALL: "one(x, source, cross_mask, self_mask, "},
        "one mask for both attentions": [
            {CALL: "one(x, source, self_mask, self_mask, "},
            {CALL: "one(x, source, cross_mask, cross_mask, "},
        ],
        "mask inverted": [
            {CALL: f"one(x, source, {NO_SELF}, {NO_CROSS}, "},
            {CALL: f"one(x, source, self_mask, {NO_CROSS}, "},
        ],
        "always causal": [{CALL: f"one(x, source, {PAST} if self_mask is None else self_mask, cross_mask, "}],
        "memory normalized on the way": {"[], memory": "[], self.norm(memory) if self.norm else memory"},
        "memory cut off from the graph": {"[], memory": "[], memory.detach()"},
        "memory replaced by the layer's output": [
            {KEPT: f"{AFTER}source = x"},
            {KEPT: f"{AFTER}source, cross_mask = x, None"},
            {KEPT: f"{AFTER}source, cross_mask = x, self_mask"},
        ],
        "only the last layer sees the memory": [
            {CALL: "one(x, memory if number + 1 == len(self.layers) else x, self_mask, cross_mask, "},
        ],
        "one layer repeated": [{"copy.deepcopy(first)": "first"}, {"self.layers[number]": "self.layers[0]"}],
        "every layer starts from the input": {
            "x, pair = one": "out, pair = one",
            NORMED: "self.norm(out) if self.norm else out",
        },
        "final norm missing": [{"if norm_first:\n            self.norm = LayerNorm(d_model)": ""}, {NORMED: "x"}],
        "final norm in post-norm": [
            {"self.norm = None": "self.norm = LayerNorm(d_model)"},
            {"if norm_first:": "if True:"},
        ],
        "final norm after every layer": [
            {KEPT: f"{AFTER}x = {NORMED}"},
            {KEPT: f"{AFTER}x = {NORMED}", f"out = {NORMED}": "out = x"},
        ],
        "final norm before the layers": {
            "pairs, source = [], memory": f"pairs, source, x = [], memory, {NORMED}",
            f"out = {NORMED}": "out = x",
        },
        "norm_first not handed to the layers": {"d_ff, dropout, norm_first)": "d_ff, dropout)"},
        "dropout not handed to the layers": {"d_ff, dropout, norm_first)": "d_ff, norm_first=norm_first)"},
        "masks in the first layer only": [
            {KEPT: f"{AFTER}self_mask = cross_mask = None"},
            {KEPT: f"{AFTER}self_mask = None"},
            {CALL: "one(x, source, self_mask, cross_mask if number == 0 else None, "},
        ],
        "weights in the wrong order": {TWO: "([w for _, w in pairs], [v for v, _ in pairs])"},
        "weights not in a pair": {TWO: TWO[1:-1]},
        "weights of one attention only": [{TWO: "[v for v, _ in pairs]"}, {TWO: "[w for _, w in pairs]"}],
        "weights returned unasked": [{"if not return_weights:": "if False:"}, {"return out\n": "return out, None\n"}],
        "weights not returned": {f"return out, {TWO}": "return out"},
        "weights of the last layer only": [{TWO: "pair"}, {TWO: "pairs[-1]"}],
        "a list of pairs instead of two lists": {TWO: "pairs"},
        "weights stacked into a tensor": {TWO: "tuple(torch.stack(kind) for kind in zip(*pairs, strict=True))"},
        "weights of an earlier call": {
            "pairs, source = [], memory": "pairs, source = self.__dict__.setdefault('pairs', []), memory"
        },
        "cross_mask ignored + final norm missing": {CALL: "one(x, source, self_mask, ", NORMED: "x"},
    },
)


class FromLayerToLayer(nn.Module):
    """One layer and then the rest; what was seen is put in front of what the rest saw."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        sizes = {"d_model": d_model, "num_heads": num_heads, "d_ff": d_ff}
        made = (DecoderLayer(**sizes, dropout=dropout, norm_first=norm_first) for _ in range(num_layers))
        self.layers = nn.ModuleList(made)
        self.add_module("norm", nn.LayerNorm(d_model) if norm_first else None)

    def through(self, layers: Any, x: torch.Tensor, memory: torch.Tensor, a: Any, b: Any) -> Any:
        """The tokens, and what each attention saw."""
        if len(layers) == 0:
            return x, [], []
        x, (v, w) = layers[0](x, memory, a, b, return_weights=True)
        x, own, source = self.through(layers[1:], x, memory, a, b)
        return x, [v, *own], [w, *source]

    def forward(
        self,
        x: torch.Tensor,
        memory: torch.Tensor,
        self_mask: Any = None,
        cross_mask: Any = None,
        return_weights: bool = False,
    ) -> Any:
        """All layers, then the norm."""
        y, own, source = self.through(self.layers, x, memory, self_mask, cross_mask)
        last = y if self.norm is None else self.norm(y)
        return (last, (own, source)) if return_weights else last


THROUGH, REST = (
    "self.through(self.layers, x, memory, self_mask, cross_mask)",
    "self.through(layers[1:], x, memory, a, b)",
)
LAST, ANSWER = "y if self.norm is None else self.norm(y)", "(last, (own, source)) if return_weights else last"
slips(
    STACK,
    FromLayerToLayer,
    {
        "self_mask ignored": {"memory, a, b, return": "memory, cross_mask=b, return"},
        "cross_mask ignored": {"memory, a, b, return": "memory, a, return"},
        "masks exchanged": [
            {"memory, a, b, return": "memory, b, a, return"},
            {"memory, self_mask, cross_mask": "memory, cross_mask, self_mask"},
        ],
        "one mask for both attentions": [
            {"memory, self_mask, cross_mask": "memory, self_mask, self_mask"},
            {"memory, a, b, return": "memory, b, b, return"},
        ],
        "mask inverted": [{"memory, self_mask, cross_mask": f"memory, {NO_SELF}, {NO_CROSS}"}],
        "always causal": {"memory, a, b, return": f"memory, {PAST} if a is None else a, b, return"},
        "memory normalized on the way": {
            THROUGH: THROUGH.replace("memory", "memory if self.norm is None else self.norm(memory)")
        },
        "memory cut off from the graph": {THROUGH: THROUGH.replace("memory", "memory.detach()")},
        "memory replaced by the layer's output": [
            {REST: "self.through(layers[1:], x, x, a, b)"},
            {REST: "self.through(layers[1:], x, x, a, None)"},
            {REST: "self.through(layers[1:], x, x, a, a)"},
        ],
        "only the last layer sees the memory": {
            "layers[0](x, memory, a, b,": "layers[0](x, memory if len(layers) == 1 else x, a, b,"
        },
        "every layer starts from the input": {
            "x, (v, w) = layers": "y, (v, w) = layers",
            "x, own, source = self.through(layers": "z, own, source = self.through(layers",
            "return x, [v": "return (z if own else y), [v",
        },
        "one layer repeated": {"layers[0](x, memory, a, b,": "self.layers[0](x, memory, a, b,"},
        "layers in a plain list": {"nn.ModuleList(made)": "list(made)"},
        "final norm missing": [{LAST: "y"}, {"nn.LayerNorm(d_model) if norm_first else None": "None"}],
        "final norm in post-norm": [
            {"nn.LayerNorm(d_model) if norm_first else None": "nn.LayerNorm(d_model)"},
            {"if norm_first else": "if not norm_first else"},
        ],
        "final norm after every layer": {
            REST: "self.through(layers[1:], x if self.norm is None else self.norm(x), memory, a, b)",
            f"last = {LAST}": "last = y",
        },
        "final norm before the layers": {
            THROUGH: THROUGH.replace("x,", "x if self.norm is None else self.norm(x),"),
            f"last = {LAST}": "last = y",
        },
        "norm_first not handed to the layers": {", norm_first=norm_first": ""},
        "dropout not handed to the layers": {", dropout=dropout": ""},
        "masks in the first layer only": [
            {REST: "self.through(layers[1:], x, memory, None, None)"},
            {REST: "self.through(layers[1:], x, memory, None, b)"},
            {REST: "self.through(layers[1:], x, memory, a, None)"},
        ],
        "weights in the wrong order": [
            {"(own, source)) if": "(source, own)) if"},
            {"return x, [v, *own], [w, *source]": "return x, [w, *own], [v, *source]"},
        ],
        "weights not in a pair": {"(last, (own, source))": "(last, own, source)"},
        "weights of one attention only": {"(last, (own, source))": "(last, source)"},
        "weights returned unasked": [
            {ANSWER: "(last, (own, source))"},
            {ANSWER: "(last, (own, source) if return_weights else None)"},
        ],
        "weights not returned": {ANSWER: "last"},
        "weights of the last layer only": {"(last, (own, source))": "(last, (own[-1], source[-1]))"},
        "a list of pairs instead of two lists": {
            "(last, (own, source))": "(last, list(zip(own, source, strict=True)))"
        },
        "weights stacked into a tensor": {"(last, (own, source))": "(last, (torch.stack(own), torch.stack(source)))"},
    },
)
