"""Encoder: slips in other people's stacks."""

import copy
from typing import Any

import torch
from torch import nn

from tests.variants import slips
from tests.variants.encoder.parts import Good

STACK = "Encoder"
PAST = "torch.ones(x.size(1), x.size(1)).tril().bool()"
FUTURE = PAST.replace("tril", "triu")


def instead(mask: str) -> str:
    """Another mask, where one is given."""
    return f"None if mask is None else {mask}"


class AsksWhenAsked(nn.Module):
    """A loop with weights and a loop without; where no norm is wanted, one that does nothing."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(Good(d_model, num_heads, d_ff, dropout, norm_first))
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, x: torch.Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """Two answers."""
        if not return_weights:
            for block in self.layers:
                x = block(x, mask)
            return self.norm(x)
        seen = []
        for one in self.layers:
            x, w = one(x, mask, True)
            seen.append(w)
        return self.norm(x), seen


NEW = "same = Good(d_model, num_heads, d_ff, dropout, norm_first)"
NO_WEIGHTS, WITH_WEIGHTS = "block(x, mask)", "one(x, mask, True)"


def handed(mask: str) -> dict[str, str]:
    """Another mask in both loops."""
    return {NO_WEIGHTS: f"block(x, {mask})", WITH_WEIGHTS: f"one(x, {mask}, True)"}


slips(
    STACK,
    AsksWhenAsked,
    {
        "one layer for all": [
            {
                "self.layers = nn.ModuleList()": f"{NEW}; self.layers = nn.ModuleList()",
                "self.layers.append(Good(d_model, num_heads, d_ff, dropout, norm_first))": "self.layers.append(same)",
            },
            {NO_WEIGHTS: "self.layers[0](x, mask)", WITH_WEIGHTS: "self.layers[0](x, mask, True)"},
        ],
        "layers in a plain list": {"nn.ModuleList()": "[]"},
        "wrong number of layers": [
            {"range(num_layers)": f"range({count})"}
            for count in ("num_layers - 1", "num_layers + 1", "6", "1, num_layers")
        ],
        "final norm in post-norm": {"nn.LayerNorm(d_model) if norm_first else nn.Identity()": "nn.LayerNorm(d_model)"},
        "no final norm in pre-norm": [
            {"nn.LayerNorm(d_model) if norm_first else nn.Identity()": "nn.Identity()"},
            {"return self.norm(x)\n": "return x\n"},
            {"return self.norm(x), seen": "return x, seen"},
            {"return self.norm(x)\n": "return x\n", "return self.norm(x), seen": "return x, seen"},
        ],
        "final norm the wrong way round": {"if norm_first else": "if not norm_first else"},
        "final norm after every layer": {
            "x = block(x, mask)": "x = self.norm(block(x, mask))",
            "return self.norm(x)\n": "return x\n",
            "seen.append(w)": "seen.append(w)\n            x = self.norm(x)",
            "return self.norm(x), seen": "return x, seen",
        },
        "final norm before the layers": {
            "if not return_weights:": "x = self.norm(x)\n        if not return_weights:",
            "return self.norm(x)\n": "return x\n",
            "return self.norm(x), seen": "return x, seen",
        },
        "final norm shared with a layer": {"nn.LayerNorm(d_model) if": "self.layers[-1].norm2 if"},
        "layers in reverse": {
            "for block in self.layers": "for block in self.layers[::-1]",
            "for one in self.layers": "for one in self.layers[::-1]",
        },
        "every layer reads the input": {
            "if not return_weights:": "y = x\n        if not return_weights:",
            NO_WEIGHTS: "block(y, mask)",
            WITH_WEIGHTS: "one(y, mask, True)",
        },
        "result of a layer not kept": [
            {"x = block(x, mask)": "block(x, mask)", "x, w = one": "_, w = one"},
            {"x = block(x, mask)": "block(x, mask)"},
        ],
        "only the first layer runs": [
            {
                "            return self.norm(x)\n        seen": "                return self.norm(x)\n        seen",
                "        return self.norm(x), seen": "            return self.norm(x), seen",
            },
            {"            return self.norm(x)\n        seen": "                return x\n        seen"},
        ],
        "residual around whole layers": {
            "x = block(x, mask)": "x = x + block(x, mask)",
            "x, w = one(x, mask, True)": "y, w = one(x, mask, True)\n            x = x + y",
        },
        "mask not passed on": [
            {NO_WEIGHTS: "block(x)", WITH_WEIGHTS: "one(x, return_weights=True)"},
            {NO_WEIGHTS: "block(x)"},
            {WITH_WEIGHTS: "one(x, return_weights=True)"},
        ],
        "mask inverted": handed(instead("~mask")),
        "mask on the queries": handed(instead("mask.mT")),
        "mask on the queries as well": handed(instead("mask & mask.mT")),
        "causal": [
            handed(f"{PAST} if mask is None else mask & {PAST}"),
            handed(PAST),
            handed(f"{PAST} if mask is None else mask"),
        ],
        "past hidden": handed(f"{FUTURE} if mask is None else mask & {FUTURE}"),
        "weights of one layer only": [
            {"return self.norm(x), seen": "return self.norm(x), w"},
            {"return self.norm(x), seen": "return self.norm(x), seen[-1]"},
            {"return self.norm(x), seen": "return self.norm(x), seen[0]"},
        ],
        "weights joined into one tensor": [
            {"return self.norm(x), seen": f"return self.norm(x), torch.{joined}"}
            for joined in ("stack(seen)", "cat(seen)", "stack(seen, dim=1)", "cat(seen, 1)")
        ],
        "weights taken apart": [{"seen.append(w)": "seen.extend(w)"}, {"seen.append(w)": "seen += w"}],
        "weights in reverse order": [
            {"seen.append(w)": "seen.insert(0, w)"},
            {"self.norm(x), seen": "self.norm(x), seen[::-1]"},
        ],
        "tokens in place of the weights": {"seen.append(w)": "seen.append(x)"},
        "weights averaged over the layers": {"self.norm(x), seen": "self.norm(x), sum(seen) / len(seen)"},
        "weights averaged over the heads": {"seen.append(w)": "seen.append(w.mean(1))"},
        "weights not returned": {"self.norm(x), seen": "self.norm(x)"},
        "weights always returned": {"if not return_weights:": "if False:"},
        "return_weights the wrong way round": {"if not return_weights:": "if return_weights:"},
        "weights and output swapped": {"self.norm(x), seen": "seen, self.norm(x)"},
        "norm_first not handed to the layers": {"d_ff, dropout, norm_first)": "d_ff, dropout)"},
        "neither dropout nor norm_first handed to the layers": {"d_ff, dropout, norm_first)": "d_ff)"},
        "norm_first handed over as dropout": {"d_ff, dropout, norm_first)": "d_ff, norm_first)"},
        "dropout and norm_first exchanged": {"d_ff, dropout, norm_first)": "d_ff, norm_first, dropout)"},
        "one vector for the whole sentence": [
            {
                "return self.norm(x)\n": f"return self.norm(x){pooled}\n",
                "self.norm(x), seen": f"self.norm(x){pooled}, seen",
            }
            for pooled in (".mean(1)", "[:, 0]", "[:, -1]")
        ],
        "mask not passed on + weights of one layer only": {
            NO_WEIGHTS: "block(x)",
            WITH_WEIGHTS: "one(x, return_weights=True)",
            "self.norm(x), seen": "self.norm(x), w",
        },
    },
)


class Copies(nn.Module):
    """Copies of one layer, by number; the weights in a dictionary."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        first = Good(d_model, num_heads, d_ff, dropout=dropout, norm_first=norm_first)
        self.layers = nn.ModuleList(copy.deepcopy(first) for _ in range(num_layers))
        self.norm = None
        if norm_first:
            self.norm = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """Number after number."""
        weights = {}
        for number in range(len(self.layers)):
            layer = self.layers[number]
            x, weights[number] = layer(x, mask=mask, return_weights=True)
        out = x
        if self.norm:
            out = self.norm(x)
        return (out, list(weights.values())) if return_weights else out


NORMED = "x = self.norm(x) if self.norm else x"
ALL, GIVEN = "list(weights.values())", "mask=mask"
slips(
    STACK,
    Copies,
    {
        "one layer for all": [{"copy.deepcopy(first)": "first"}, {"self.layers[number]": "self.layers[0]"}],
        "wrong number of layers": [{"range(num_layers)": "range(1)"}, {"range(num_layers)": "range(1, num_layers)"}],
        "final norm in post-norm": [
            {"if norm_first:": "if True:"},
            {"self.norm = None": "self.norm = nn.LayerNorm(d_model)"},
        ],
        "no final norm in pre-norm": [
            {"if norm_first:\n            self.norm = nn.LayerNorm(d_model)": ""},
            {"out = self.norm(x)": "self.norm(x)"},
        ],
        "final norm the wrong way round": {"if norm_first:": "if not norm_first:"},
        "final norm after every layer": [
            {
                "return_weights=True)": f"return_weights=True)\n            {NORMED}",
                "out = self.norm(x)": "pass",
            },
            {"return_weights=True)": f"return_weights=True)\n            {NORMED}"},
        ],
        "final norm before the layers": {
            "weights = {}": "weights = {}\n        x = self.norm(x) if self.norm else x",
            "out = self.norm(x)": "pass",
        },
        "final norm shared with a layer": {
            "self.norm = nn.LayerNorm(d_model)": "self.norm = self.layers[num_layers - 1].norm2"
        },
        "layers in reverse": [{"self.layers[number]": "self.layers[-1 - number]"}],
        "every layer reads the input": [
            {
                "out = x\n": "\n",
                "x, weights[number]": "out, weights[number]",
                "out = self.norm(x)": "out = self.norm(out)",
            },
        ],
        "result of a layer not kept": {"x, weights[number]": "out, weights[number]"},
        "only the first layer runs": {"return_weights=True)": "return_weights=True)\n            break"},
        "residual around whole layers": {
            "x, weights[number] = layer(x, mask=mask, return_weights=True)": (
                "added, weights[number] = layer(x, mask=mask, return_weights=True)\n            x = x + added"
            )
        },
        "mask in the first layer only": [
            {GIVEN: "mask=mask if number == 0 else None"},
            {"return_weights=True)": "return_weights=True)\n            mask = None"},
        ],
        "mask not passed on": {", mask=mask": ""},
        "mask inverted": {GIVEN: "mask=" + instead("mask.logical_not()")},
        "mask on the queries": {GIVEN: "mask=" + instead("mask.transpose(2, 3)")},
        "mask on the queries as well": {GIVEN: "mask=" + instead("mask * mask.transpose(2, 3)")},
        "causal": [
            {GIVEN: f"mask={PAST} if mask is None else mask & {PAST}"},
            {GIVEN: "mask=" + instead(f"mask & {PAST}")},
            {GIVEN: f"mask={PAST}"},
        ],
        "weights of one layer only": [{ALL: "weights[number]"}, {ALL: "[weights[number]]"}, {ALL: "weights[0]"}],
        "weights joined into one tensor": [{ALL: f"torch.stack({ALL})"}, {ALL: f"torch.cat({ALL})"}],
        "weights taken apart": {ALL: f"[sentence for layer in {ALL} for sentence in layer]"},
        "weights in reverse order": {ALL: f"{ALL}[::-1]"},
        "weights averaged over the layers": {ALL: f"torch.stack({ALL}).mean(0)"},
        "weights averaged over the heads": {ALL: "[one.mean(dim=1) for one in weights.values()]"},
        "weights not returned": {f"(out, {ALL}) if return_weights else out": "out"},
        "weights always returned": [
            {f"(out, {ALL}) if return_weights else out": f"(out, {ALL})"},
            {f"(out, {ALL}) if return_weights else out": f"(out, {ALL} if return_weights else None)"},
        ],
        "return_weights the wrong way round": {"if return_weights else out": "if not return_weights else out"},
        "weights and output swapped": {f"(out, {ALL})": f"({ALL}, out)"},
        "norm_first not handed to the layers": {", norm_first=norm_first": ""},
        "dropout not handed to the layers": {"dropout=dropout, ": ""},
        "neither dropout nor norm_first handed to the layers": {", dropout=dropout, norm_first=norm_first": ""},
        "norm_first handed over as dropout": {"dropout=dropout, norm_first=norm_first": "dropout=norm_first"},
        "dropout and norm_first exchanged": {
            "dropout=dropout, norm_first=norm_first": "dropout=norm_first, norm_first=dropout"
        },
        "one vector for the whole sentence": {"out = x\n": "out = x = x.mean(dim=1)\n"},
        "final norm after every layer + mask in the first layer only": {
            "return_weights=True)": f"return_weights=True)\n            {NORMED}; mask = None",
            "out = self.norm(x)": "pass",
        },
    },
)


class AllThatWasMade(nn.Module):
    """Keeps the tokens of every depth; the norm is there only where it is needed."""

    def __init__(
        self, num_layers: int, d_model: int, *sizes: Any, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        num_heads, d_ff, *more = sizes
        dropout, norm_first = [*more, *(dropout, norm_first)[len(more) :]]
        made = [Good(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(made)
        self.pre = norm_first
        if self.pre:
            self.norm = nn.LayerNorm(d_model)

    def forward(self, x: torch.Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """Each layer reads the newest."""
        depths, looks = [x], []
        for block in self.layers:
            y, look = block(depths[-1], mask, return_weights=True)
            depths.append(y)
            looks.append(look)
        last = self.norm(depths[-1]) if self.pre else depths[-1]
        return [last, looks] if return_weights else last


LAST = "self.norm(depths[-1]) if self.pre else depths[-1]"
slips(
    STACK,
    AllThatWasMade,
    {
        "one layer for all": {
            "[Good(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]": (
                "[Good(d_model, num_heads, d_ff, dropout, norm_first)] * num_layers"
            )
        },
        "layers in a plain list": {"nn.ModuleList(made)": "made"},
        "wrong number of layers": {"range(num_layers)": "range(num_layers + 1)"},
        "final norm in post-norm": [
            {"if self.pre:": "if True:", LAST: "self.norm(depths[-1])"},
            {"if self.pre:": "if True:"},
        ],
        "no final norm in pre-norm": [
            {LAST: "depths[-1]"},
            {"self.norm(depths[-1]) if self.pre": "self.norm(depths[-1]) if self.pre and return_weights"},
            {"self.norm(depths[-1]) if self.pre": "self.norm(depths[-1]) if self.pre and not return_weights"},
        ],
        "final norm the wrong way round": {"self.pre = norm_first": "self.pre = not norm_first"},
        "final norm after every layer": {
            "depths.append(y)": "depths.append(self.norm(y) if self.pre else y)",
            LAST: "depths[-1]",
        },
        "final norm before the layers": {
            "depths, looks = [x], []": "depths, looks = [self.norm(x) if self.pre else x], []",
            LAST: "depths[-1]",
        },
        "layers in reverse": {"in self.layers:": "in reversed(self.layers):"},
        "every layer reads the input": [{"block(depths[-1],": "block(x,"}, {"block(depths[-1],": "block(depths[0],"}],
        "result of a layer not kept": {"depths.append(y)\n": "\n"},
        "only the first layer runs": {"looks.append(look)": "looks.append(look)\n            break"},
        "residual around whole layers": {"depths.append(y)": "depths.append(depths[-1] + y)"},
        "mask in the first layer only": {"mask, return_weights=True": "None if looks else mask, return_weights=True"},
        "mask not passed on": {"mask, return_weights=True": "return_weights=True"},
        "mask inverted": {"mask, return_weights=True": f"{instead('mask == 0')}, return_weights=True"},
        "weights of one layer only": [{"[last, looks]": "[last, look]"}, {"[last, looks]": "[last, looks[-1:]]"}],
        "weights joined into one tensor": {"[last, looks]": "[last, torch.stack(looks)]"},
        "weights taken apart": {"looks.append(look)": "looks += look"},
        "weights in reverse order": {"looks.append(look)": "looks = [look, *looks]"},
        "tokens in place of the weights": [
            {"looks.append(look)": "looks.append(y)"},
            {"[last, looks]": "[last, depths[1:]]"},
        ],
        "weights averaged over the heads": {"looks.append(look)": "looks.append(look.mean(1))"},
        "weights not returned": {"return [last, looks] if return_weights else last": "return last"},
        "weights always returned": {"[last, looks] if return_weights else last": "[last, looks]"},
        "return_weights the wrong way round": {
            "[last, looks] if return_weights else last": "last if return_weights else [last, looks]"
        },
        "weights and output swapped": {"[last, looks]": "[looks, last]"},
        "norm_first not handed to the layers": {"d_ff, dropout, norm_first)": "d_ff, dropout)"},
        "dropout not handed to the layers": {"d_ff, dropout, norm_first)": "d_ff, norm_first=norm_first)"},
        "one vector for the whole sentence": [
            {LAST: f"({LAST}){pooled}"} for pooled in ("[:, 0]", "[:, -1]", ".mean(-2)")
        ],
    },
)
