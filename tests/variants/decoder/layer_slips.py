"""DecoderLayer: slips in other people's layers."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import slips
from tests.variants.decoder.parts import Attention, Network

LAYER = "DecoderLayer"


def turned(mask: str) -> str:
    """The opposite of a mask, if there is one."""
    return f"None if {mask} is None else ~{mask}"


def causal(tokens: str) -> str:
    """A mask of its own."""
    return f"torch.ones({tokens}.size(1), {tokens}.size(1)).tril().bool()"


class TwoForms(nn.Module):
    """Post-norm and pre-norm written out, each by itself."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.self_attn = Attention(d_model, num_heads, dropout)
        self.cross_attn = Attention(d_model, num_heads, p=dropout)
        self.feed_forward = Network(d_model, d_ff, dropout)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        """Names of their own in each branch."""
        if self.pre:
            h = self.norm1(x)
            a, own = self.self_attn(h, h, h, self_mask)
            s = x + self.drop(a)
            b, source = self.cross_attn(self.norm2(s), memory, memory, cross_mask)
            t = s + self.drop(b)
            c = self.feed_forward(self.norm3(t))
            out = t + self.drop(c)
        else:
            d, own = self.self_attn(x, x, x, self_mask)
            y = self.norm1(x + self.drop(d))
            e, source = self.cross_attn(y, memory, memory, mask=cross_mask)
            z = self.norm2(y + self.drop(e))
            f = self.feed_forward(z)
            out = self.norm3(z + self.drop(f))
        if return_weights:
            return out, (own, source)
        return out


PRE_SELF, POST_SELF = "self.self_attn(h, h, h, self_mask)", "self.self_attn(x, x, x, self_mask)"
PRE_CROSS = "self.cross_attn(self.norm2(s), memory, memory, cross_mask)"
POST_CROSS = "self.cross_attn(y, memory, memory, mask=cross_mask)"
PRE_SUMS = ("x + self.drop(a)", "s + self.drop(b)", "t + self.drop(c)")
POST_SUMS = ("x + self.drop(d)", "y + self.drop(e)", "z + self.drop(f)")
POST_ENDS = tuple(f"self.norm{number}({total})" for number, total in enumerate(POST_SUMS, start=1))


def reads(own: str, source: str) -> dict[str, str]:
    """Other masks in the four calls."""
    return {
        PRE_SELF: PRE_SELF.replace("self_mask", own),
        POST_SELF: POST_SELF.replace("self_mask", own),
        PRE_CROSS: PRE_CROSS.replace("cross_mask", source),
        POST_CROSS: POST_CROSS.replace("mask=cross_mask", f"mask={source}"),
    }


def without_sum(step: int) -> dict[str, str]:
    """What a step made is not added, in both forms."""
    return {total: total[4:] for total in (PRE_SUMS[step], POST_SUMS[step])}


def undropped(*totals: str) -> dict[str, str]:
    """Sums without dropout."""
    return {total: total.replace("self.drop", "") for total in totals}


def dropped(total: str) -> str:
    """Dropout around a sum."""
    return f"self.drop({total.replace('self.drop', '')})"


slips(
    LAYER,
    TwoForms,
    {
        "self_mask ignored": [
            {PRE_SELF: "self.self_attn(h, h, h)", POST_SELF: "self.self_attn(x, x, x)"},
            {PRE_SELF: "self.self_attn(h, h, h)"},
            {POST_SELF: "self.self_attn(x, x, x)"},
        ],
        "cross_mask ignored": [
            {", memory, cross_mask)": ", memory)", ", mask=cross_mask)": ")"},
            {", memory, cross_mask)": ", memory)"},
            {", mask=cross_mask)": ")"},
        ],
        "masks exchanged": reads("cross_mask", "self_mask"),
        "one mask for both attentions": [reads("self_mask", "self_mask"), reads("cross_mask", "cross_mask")],
        "mask inverted": [
            reads(turned("self_mask"), turned("cross_mask")),
            reads(turned("self_mask"), "cross_mask"),
            reads("self_mask", turned("cross_mask")),
        ],
        "always causal": [
            reads(causal("x"), "cross_mask"),
            reads(f"{causal('x')} if self_mask is None else self_mask", "cross_mask"),
            reads(f"{causal('x')} if self_mask is None else self_mask & {causal('x')}", "cross_mask"),
        ],
        "self-attention reads memory": [
            {
                PRE_SELF: "self.self_attn(h, memory, memory, self_mask)",
                POST_SELF: "self.self_attn(x, memory, memory, self_mask)",
            },
        ],
        "query of the cross-attention from memory": [
            {
                PRE_CROSS: "self.cross_attn(memory, *[self.norm2(s)] * 2, cross_mask)",
                POST_CROSS: "self.cross_attn(memory, y, y, cross_mask)",
            },
            {
                PRE_CROSS: "self.cross_attn(memory, memory, memory, cross_mask)",
                POST_CROSS: "self.cross_attn(memory, memory, memory, cross_mask)",
            },
        ],
        "key or value of the cross-attention from x": [
            {
                PRE_CROSS: "self.cross_attn(self.norm2(s), self.norm2(s), memory, cross_mask)",
                POST_CROSS: "self.cross_attn(y, y, memory, cross_mask)",
            },
            {
                PRE_CROSS: "self.cross_attn(self.norm2(s), memory, self.norm2(s), cross_mask)",
                POST_CROSS: "self.cross_attn(y, memory, y, cross_mask)",
            },
        ],
        "cross-attention reads the target": [
            {
                PRE_CROSS: "self.cross_attn(*[self.norm2(s)] * 3, cross_mask)",
                POST_CROSS: "self.cross_attn(y, y, y, cross_mask)",
            },
            {
                PRE_CROSS: "self.cross_attn(*[self.norm2(s)] * 3, self_mask)",
                POST_CROSS: "self.cross_attn(y, y, y, self_mask)",
            },
        ],
        "memory normalized on the way": [
            {PRE_CROSS: f"self.cross_attn(self.norm2(s), *[self.norm{number}(memory)] * 2, cross_mask)"}
            for number in (1, 2)
        ],
        "memory cut off from the graph": {"if self.pre:": "memory = memory.detach()\n        if self.pre:"},
        "one attention for both": [
            {
                PRE_CROSS: PRE_CROSS.replace("cross_attn", "self_attn"),
                POST_CROSS: POST_CROSS.replace("cross_attn", "self_attn"),
            },
            {"self.cross_attn = Attention(d_model, num_heads, p=dropout)": "self.cross_attn = self.self_attn"},
        ],
        "attentions exchanged": {
            one: one.replace(name, other)
            for one, name, other in (
                (PRE_SELF, "self_attn", "cross_attn"),
                (POST_SELF, "self_attn", "cross_attn"),
                (PRE_CROSS, "cross_attn", "self_attn"),
                (POST_CROSS, "cross_attn", "self_attn"),
            )
        },
        "a step is lost": [
            {
                "self.norm2(s)": "self.norm2(x)",
                "t = s +": "t = x +",
                "self.cross_attn(y": "self.cross_attn(x",
                "self.norm2(y +": "self.norm2(x +",
            },
            {
                "self.norm3(t)": "self.norm3(s)",
                "out = t +": "out = s +",
                "self.feed_forward(z)": "self.feed_forward(y)",
                "self.norm3(z +": "self.norm3(y +",
            },
            {"out = t + self.drop(c)": "out = t", "out = self.norm3(z + self.drop(f))": "out = z"},
        ],
        "cross-attention asks with the layer's input": [
            {"self.norm2(s)": "self.norm2(x)", "self.cross_attn(y": "self.cross_attn(x"},
            {"self.norm2(s)": "self.norm2(x)"},
            {"self.cross_attn(y": "self.cross_attn(x"},
        ],
        "first residual missing": [without_sum(0), {PRE_SUMS[0]: "self.drop(a)"}, {POST_SUMS[0]: "self.drop(d)"}],
        "second residual missing": [without_sum(1), {PRE_SUMS[1]: "self.drop(b)"}, {POST_SUMS[1]: "self.drop(e)"}],
        "third residual missing": [without_sum(2), {PRE_SUMS[2]: "self.drop(c)"}, {POST_SUMS[2]: "self.drop(f)"}],
        "no residuals": without_sum(0) | without_sum(1) | without_sum(2),
        "feed-forward network reads older tokens": [
            {"self.norm3(t)": "self.norm3(s)", "self.feed_forward(z)": "self.feed_forward(y)"},
            {"self.norm3(t)": "self.norm3(x)", "self.feed_forward(z)": "self.feed_forward(x)"},
            {"self.norm3(t)": "self.norm3(s)"},
            {"self.feed_forward(z)": "self.feed_forward(y)"},
        ],
        "the normalized tokens are added to": [
            {"s = x +": "s = h +"},
            {"self.cross_attn(self.norm2(s)": "self.cross_attn(s := self.norm2(s)"},
            {"self.feed_forward(self.norm3(t))": "self.feed_forward(t := self.norm3(t))"},
        ],
        "a later step adds to older tokens": [
            {"t = s +": "t = x +", "self.norm2(y +": "self.norm2(x +"},
            {"t = s +": "t = x +"},
            {"self.norm2(y +": "self.norm2(x +"},
            {"out = t +": "out = s +", "self.norm3(z +": "self.norm3(y +"},
            {"out = t +": "out = x +", "self.norm3(z +": "self.norm3(x +"},
            {"out = t +": "out = x +"},
            {"self.norm3(z +": "self.norm3(x +"},
            {"out = t +": "out = s +"},
            {"self.norm3(z +": "self.norm3(y +"},
        ],
        "norm before the addition": [
            {POST_ENDS[0]: "x + self.norm1(self.drop(d))"},
            {POST_ENDS[1]: "y + self.norm2(self.drop(e))"},
            {POST_ENDS[2]: "z + self.norm3(self.drop(f))"},
            {
                POST_ENDS[0]: "x + self.norm1(self.drop(d))",
                POST_ENDS[1]: "y + self.norm2(self.drop(e))",
                POST_ENDS[2]: "z + self.norm3(self.drop(f))",
            },
        ],
        "the input is written over": {
            "s = x + self.drop(a)": "s = x.add_(self.drop(a))",
            "self.norm1(x + self.drop(d))": "self.norm1(x.add_(self.drop(d)))",
        },
        "a step reads x, not what it is given": [
            {PRE_SELF: "self.self_attn(x, x, x, self_mask)"},
            {"self.norm2(s)": "s"},
            {"self.norm3(t)": "t"},
            {PRE_SELF: "self.self_attn(h, x, x, self_mask)"},
        ],
        "norm_first ignored": [{"if self.pre:": "if False:"}, {"if self.pre:": "if True:"}],
        "norm_first inverted": [{"if self.pre:": "if not self.pre:"}, {"= norm_first\n": "= not norm_first\n"}],
        "norms swapped": [
            {
                "h = self.norm1": "h = self.norm2",
                "self.norm2(s)": "self.norm1(s)",
                "y = self.norm1": "y = self.norm2",
                "z = self.norm2": "z = self.norm1",
            },
            {
                "self.norm2(s)": "self.norm3(s)",
                "self.norm3(t)": "self.norm2(t)",
                "z = self.norm2": "z = self.norm3",
                "out = self.norm3": "out = self.norm2",
            },
        ],
        "one norm for several steps": [
            {"self.norm2(s)": "self.norm1(s)", "z = self.norm2": "z = self.norm1"},
            {"self.norm3(t)": "self.norm2(t)", "out = self.norm3": "out = self.norm2"},
        ],
        "a norm left out": [
            {"y = self.norm1(": "y = ("},
            {"z = self.norm2(": "z = ("},
            {"out = self.norm3(": "out = ("},
            {"z = self.norm2(": "z = (", "self.norm2(s)": "s"},
        ],
        "no dropout before an addition": [
            undropped(*PRE_SUMS, *POST_SUMS),
            undropped(PRE_SUMS[0], POST_SUMS[0]),
            undropped(PRE_SUMS[1], POST_SUMS[1]),
            undropped(PRE_SUMS[2], POST_SUMS[2]),
        ],
        "dropout not handed to the parts": [
            {
                "Attention(d_model, num_heads, dropout)": "Attention(d_model, num_heads)",
                "Attention(d_model, num_heads, p=dropout)": "Attention(d_model, num_heads)",
                "Network(d_model, d_ff, dropout)": "Network(d_model, d_ff)",
            },
            {"Network(d_model, d_ff, dropout)": "Network(d_model, d_ff)"},
            {
                "Attention(d_model, num_heads, dropout)": "Attention(d_model, num_heads)",
                "Attention(d_model, num_heads, p=dropout)": "Attention(d_model, num_heads)",
            },
            {"Attention(d_model, num_heads, p=dropout)": "Attention(d_model, num_heads)"},
        ],
        "dropout after the norm": {end: dropped(end) for end in POST_ENDS},
        "dropout on the sum": {total: dropped(total) for total in (*PRE_SUMS, *POST_SUMS)},
        "dropout in evaluation": {"self.drop = nn.Dropout(dropout)": "self.drop = lambda h: F.dropout(h, dropout)"},
        "weights in the wrong order": {"(own, source)": "(source, own)"},
        "weights not in a pair": {"(own, source)": "own, source"},
        "weights of one attention only": [{"(own, source)": "source"}, {"(own, source)": "own"}],
        "weights returned unasked": {"if return_weights:": "if True:"},
        "weights not returned": {"if return_weights:": "if False:"},
        "masks exchanged + weights in the wrong order": reads("cross_mask", "self_mask")
        | {"(own, source)": "(source, own)"},
    },
)


class BlocksAsMethods(nn.Module):
    """torch's own structure: three blocks, three dropouts."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.dropout1, self.dropout2, self.dropout3 = (nn.Dropout(dropout) for _ in range(3))
        self.feed_forward = Network(d_ff=d_ff, d_model=d_model, p=1.0 * dropout)
        self.cross_attn = Attention(d_model, num_heads, dropout)
        self.self_attn = Attention(d_model=d_model, num_heads=num_heads, p=dropout)
        self.norm_first = norm_first

    def _sa(self, tgt: Tensor, tgt_mask: Any) -> Tensor:
        made, self.own = self.self_attn(tgt, tgt, tgt, tgt_mask)
        return self.dropout1(made)

    def _mha(self, tgt: Tensor, mem: Tensor, memory_mask: Any) -> Tensor:
        made, self.source = self.cross_attn(tgt, mem, mem, memory_mask)
        return self.dropout2(made)

    def _ff(self, tgt: Tensor) -> Tensor:
        return self.dropout3(self.feed_forward(tgt))

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        """Block after block."""
        tgt = x
        if self.norm_first:
            tgt = tgt + self._sa(self.norm1(tgt), self_mask)
            tgt = tgt + self._mha(self.norm2(tgt), memory, cross_mask)
            tgt = tgt + self._ff(self.norm3(tgt))
        else:
            tgt = self.norm1(tgt + self._sa(tgt, self_mask))
            tgt = self.norm2(tgt + self._mha(tgt, memory, cross_mask))
            tgt = self.norm3(tgt + self._ff(tgt))
        return [tgt, [self.own, self.source]] if return_weights else tgt


LINE = "\n        "
ONE_MASK = f"{LINE}self_mask = cross_mask = mask"
OWN, SOURCE = "self.self_attn(tgt, tgt, tgt, tgt_mask)", "self.cross_attn(tgt, mem, mem, memory_mask)"
GIVES, BOTH = "[tgt, [self.own, self.source]] if return_weights else tgt", "[self.own, self.source]"
PRE_BLOCKS = (
    "tgt = tgt + self._sa(self.norm1(tgt), self_mask)",
    "tgt = tgt + self._mha(self.norm2(tgt), memory, cross_mask)",
    "tgt = tgt + self._ff(self.norm3(tgt))",
)
POST_BLOCKS = (
    "tgt = self.norm1(tgt + self._sa(tgt, self_mask))",
    "tgt = self.norm2(tgt + self._mha(tgt, memory, cross_mask))",
    "tgt = self.norm3(tgt + self._ff(tgt))",
)


def reordered(*order: int) -> dict[str, str]:
    """The blocks in another order."""
    return {
        blocks[place]: blocks[other]
        for blocks in (PRE_BLOCKS, POST_BLOCKS)
        for place, other in enumerate(order)
        if place != other
    }


slips(
    LAYER,
    BlocksAsMethods,
    {
        "self_mask ignored": [
            {OWN: "self.self_attn(tgt, tgt, tgt)"},
            {"self._sa(tgt, self_mask)": "self._sa(tgt, None)"},
        ],
        "cross_mask ignored": [
            {SOURCE: "self.cross_attn(tgt, mem, mem)"},
            {"self.norm2(tgt), memory, cross_mask": "self.norm2(tgt), memory, None"},
        ],
        "one mask for both attentions": [
            {"tgt = x\n": f"tgt = x{LINE}mask = self_mask if cross_mask is None else cross_mask{ONE_MASK}\n"},
            {"tgt = x\n": f"tgt = x{LINE}mask = cross_mask if self_mask is None else self_mask{ONE_MASK}\n"},
        ],
        "mask inverted": [
            {
                "tgt, tgt_mask)\n": f"tgt, {turned('tgt_mask')})\n",
                "mem, memory_mask)\n": f"mem, {turned('memory_mask')})\n",
            },
            {"mem, memory_mask)\n": f"mem, {turned('memory_mask')})\n"},
        ],
        "always causal": {"tgt, tgt_mask)\n": f"tgt, {causal('tgt')} if tgt_mask is None else tgt_mask)\n"},
        "self-attention reads memory": {
            "tgt = x\n": "tgt, self.memory = x, memory\n",
            OWN: "self.self_attn(tgt, self.memory, self.memory, tgt_mask)",
        },
        "query of the cross-attention from memory": [
            {SOURCE: "self.cross_attn(mem, tgt, tgt, memory_mask)"},
            {SOURCE: "self.cross_attn(mem, mem, mem, memory_mask)"},
            {SOURCE: "self.cross_attn(mem, tgt, mem, memory_mask)"},
            {SOURCE: "self.cross_attn(mem, mem, tgt, memory_mask)"},
        ],
        "key or value of the cross-attention from x": [
            {SOURCE: "self.cross_attn(tgt, tgt, mem, memory_mask)"},
            {SOURCE: "self.cross_attn(tgt, mem, tgt, memory_mask)"},
        ],
        "cross-attention reads the target": {SOURCE: "self.cross_attn(tgt, tgt, tgt, memory_mask)"},
        "memory normalized on the way": [
            {"self._mha(self.norm2(tgt), memory": "self._mha(self.norm2(tgt), self.norm2(memory)"},
            {SOURCE: "self.cross_attn(tgt, self.norm2(mem), self.norm2(mem), memory_mask)"},
        ],
        "source encoded again": {
            "tgt = x\n": (
                "tgt = x\n"
                "        if self.norm_first:\n"
                "            memory = memory + self._sa(self.norm1(memory), cross_mask)\n"
                "            memory = memory + self._ff(self.norm3(memory))\n"
                "        else:\n"
                "            memory = self.norm1(memory + self._sa(memory, cross_mask))\n"
                "            memory = self.norm3(memory + self._ff(memory))\n"
            )
        },
        "memory cut off from the graph": {SOURCE: "self.cross_attn(tgt, mem.data, mem.data, memory_mask)"},
        "one attention for both": [
            {SOURCE: "self.self_attn(tgt, mem, mem, memory_mask)"},
            {OWN: "self.cross_attn(tgt, tgt, tgt, tgt_mask)"},
        ],
        "attentions exchanged": {
            OWN: "self.cross_attn(tgt, tgt, tgt, tgt_mask)",
            SOURCE: "self.self_attn(tgt, mem, mem, memory_mask)",
        },
        "cross-attention before self-attention": reordered(1, 0, 2),
        "feed-forward network before cross-attention": reordered(0, 2, 1),
        "a step is lost": [
            {PRE_BLOCKS[number]: PRE_BLOCKS[number][6:], POST_BLOCKS[number]: POST_BLOCKS[number][6:]}
            for number in range(3)
        ],
        "first residual missing": {"tgt + self._sa(self": "self._sa(self", "tgt + self._sa(tgt": "self._sa(tgt"},
        "second residual missing": {"tgt + self._mha(self": "self._mha(self", "tgt + self._mha(tgt": "self._mha(tgt"},
        "third residual missing": [
            {"tgt + self._ff(self": "self._ff(self", "tgt + self._ff(tgt": "self._ff(tgt"},
            {"tgt + self._ff(self": "self._ff(self"},
        ],
        "no residuals": {
            f"tgt + self.{block}({read}": f"self.{block}({read}"
            for block in ("_sa", "_mha", "_ff")
            for read in ("self", "tgt")
        },
        "feed-forward network reads older tokens": {
            "self._ff(self.norm3(tgt))": "self._ff(self.norm3(x))",
            "self._ff(tgt)": "self._ff(x)",
        },
        "the normalized tokens are added to": [
            {PRE_BLOCKS[0]: "tgt = self.norm1(tgt)\n            tgt = tgt + self._sa(tgt, self_mask)"},
            {PRE_BLOCKS[1]: "tgt = self.norm2(tgt)\n            tgt = tgt + self._mha(tgt, memory, cross_mask)"},
            {PRE_BLOCKS[2]: "tgt = self.norm3(tgt)\n            tgt = tgt + self._ff(tgt)"},
        ],
        "a later step adds to older tokens": {
            "tgt + self._mha(self": "x + self._mha(self",
            "tgt + self._mha(tgt": "x + self._mha(tgt",
            "tgt + self._ff(self": "x + self._ff(self",
            "tgt + self._ff(tgt": "x + self._ff(tgt",
        },
        "norm before the addition": {
            POST_BLOCKS[0]: "tgt = tgt + self.norm1(self._sa(tgt, self_mask))",
            POST_BLOCKS[1]: "tgt = tgt + self.norm2(self._mha(tgt, memory, cross_mask))",
            POST_BLOCKS[2]: "tgt = tgt + self.norm3(self._ff(tgt))",
        },
        "the input is written over": [
            {PRE_BLOCKS[0]: "tgt += self._sa(self.norm1(tgt), self_mask)"},
            {
                PRE_BLOCKS[0]: "tgt += self._sa(self.norm1(tgt), self_mask)",
                POST_BLOCKS[0]: "tgt += self._sa(tgt, self_mask)\n            tgt = self.norm1(tgt)",
            },
        ],
        "a step reads x, not what it is given": [
            {"self.norm1(tgt), self_mask": "tgt, self_mask"},
            {"self.norm2(tgt), memory": "tgt, memory"},
            {"self._ff(self.norm3(tgt))": "self._ff(tgt)"},
        ],
        "norm_first ignored": {"self.norm_first = norm_first": "self.norm_first = False"},
        "norm_first inverted": {"if self.norm_first:": "if not self.norm_first:"},
        "norms swapped": {
            "self.norm1(tgt), self_mask": "self.norm3(tgt), self_mask",
            "self._ff(self.norm3(tgt))": "self._ff(self.norm1(tgt))",
            "self.norm1(tgt + ": "self.norm3(tgt + ",
            "self.norm3(tgt + ": "self.norm1(tgt + ",
        },
        "one norm for several steps": [
            {"(nn.LayerNorm(d_model) for _ in range(3))": "[nn.LayerNorm(d_model)] * 3"},
            {"self._ff(self.norm3(tgt))": "self._ff(self.norm1(tgt))", "self.norm3(tgt + ": "self.norm1(tgt + "},
        ],
        "a norm left out": [
            {POST_BLOCKS[2]: "tgt = tgt + self._ff(tgt)"},
            {POST_BLOCKS[1]: "tgt = tgt + self._mha(tgt, memory, cross_mask)"},
        ],
        "no dropout before an addition": [
            {f"self.dropout{number}({made})": made}
            for number, made in ((1, "made"), (2, "made"), (3, "self.feed_forward(tgt)"))
        ],
        "dropout not handed to the parts": [
            {", p=1.0 * dropout)": ")"},
            {"Attention(d_model, num_heads, dropout)": "Attention(d_model, num_heads)", ", p=dropout)": ")"},
            {
                ", p=1.0 * dropout)": ")",
                "Attention(d_model, num_heads, dropout)": "Attention(d_model, num_heads)",
                ", p=dropout)": ")",
            },
        ],
        "dropout in evaluation": {"(nn.Dropout(dropout) for _ in range(3))": "[lambda h: F.dropout(h, dropout)] * 3"},
        "weights in the wrong order": {BOTH: "[self.source, self.own]"},
        "weights not in a pair": {BOTH: "self.own, self.source"},
        "weights of one attention only": [
            {BOTH: "self.source"},
            {BOTH: "self.own"},
            {BOTH: "[self.own, self.own]"},
            {BOTH: "[self.source] * 2"},
        ],
        "weights returned unasked": {GIVES: "[tgt, [self.own, self.source]]"},
        "weights of an earlier call": {
            "tgt = x\n": "tgt, self.kept = x, getattr(self, 'kept', [])\n",
            f"return {GIVES}": f"self.kept += {BOTH}\n        return [tgt, self.kept[:2]] if return_weights else tgt",
        },
        "weights not returned": {GIVES: "tgt"},
        "self_mask ignored + no residuals": {
            OWN: "self.self_attn(tgt, tgt, tgt)",
        }
        | {
            f"tgt + self.{block}({read}": f"self.{block}({read}"
            for block in ("_sa", "_mha", "_ff")
            for read in ("self", "tgt")
        },
    },
)


class Connected(nn.Module):
    """One method for what goes around a step, and a dictionary for what was seen."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.pre_norm, self.rate = norm_first, dropout
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)
        self.self_attn, self.cross_attn = Attention(d_model, num_heads, dropout), Attention(d_model, num_heads, dropout)
        self.feed_forward = Network(d_model, d_ff, p=dropout)

    def drop(self, made: Tensor) -> Tensor:
        """Follows the mode."""
        return F.dropout(made, self.rate, self.training)

    def connect(self, old: Tensor, part: Callable, norm: Callable, drop: Callable) -> Tensor:
        """Add and norm."""
        if self.pre_norm:
            return torch.add(old, drop(part(norm(old))))
        total = drop(part(old)) + old
        return norm(total)

    def forward(
        self, x: Tensor, memory: Tensor, self_mask: Any = None, cross_mask: Any = None, return_weights: bool = False
    ) -> Any:
        """Write, read, think."""
        seen: dict[str, Any] = {}

        def write(h: Tensor) -> Tensor:
            found, seen["own"] = self.self_attn(h, h, h, mask=self_mask)
            return found

        def read(h: Tensor) -> Tensor:
            found, seen["source"] = self.cross_attn(h, memory, memory, mask=cross_mask)
            return found

        first = self.connect(x, write, self.norm1, self.drop)
        second = self.connect(first, read, self.norm2, self.drop)
        third = self.connect(second, self.feed_forward, self.norm3, self.drop)
        if not return_weights:
            return third
        return third, (seen["own"], seen["source"])


ATTENTION = "Attention(d_model, num_heads, dropout)"
WRITES, READS = "self.self_attn(h, h, h, mask", "self.cross_attn(h, memory, memory, mask"
STEPS = ("(x, write, self.norm1", "(first, read, self.norm2", "(second, self.feed_forward, self.norm3")
PRE_ADD, POST_ADD = "torch.add(old, drop(part(norm(old))))", "drop(part(old)) + old"
PAIR = '(seen["own"], seen["source"])'
DROPS = "return F.dropout(made, self.rate, self.training)"
slips(
    LAYER,
    Connected,
    {
        "self_mask ignored": {", mask=self_mask)": ")"},
        "cross_mask ignored": {", mask=cross_mask)": ")"},
        "masks exchanged": {"mask=self_mask": "mask=cross_mask", "mask=cross_mask": "mask=self_mask"},
        "one mask for both attentions": [{"mask=self_mask": "mask=cross_mask"}, {"mask=cross_mask": "mask=self_mask"}],
        "mask inverted": [
            {"mask=self_mask": f"mask={turned('self_mask')}", "mask=cross_mask": f"mask={turned('cross_mask')}"},
            {"mask=self_mask": f"mask={turned('self_mask')}"},
        ],
        "always causal": [
            {"mask=self_mask": f"mask={causal('h')}"},
            {"mask=self_mask": f"mask={causal('h')} if self_mask is None else self_mask & {causal('h')}"},
        ],
        "self-attention reads memory": [
            {WRITES: "self.self_attn(h, memory, memory, mask"},
            {WRITES: "self.self_attn(h, h, memory, mask"},
        ],
        "query of the cross-attention from memory": {READS: "self.cross_attn(memory, h, h, mask"},
        "key or value of the cross-attention from x": [
            {READS: "self.cross_attn(h, h, memory, mask"},
            {READS: "self.cross_attn(h, memory, h, mask"},
        ],
        "cross-attention reads the target": [
            {READS: "self.cross_attn(h, h, h, mask"},
        ],
        "memory normalized on the way": {READS: "self.cross_attn(h, self.norm2(memory), self.norm2(memory), mask"},
        "source encoded again": {
            "seen: dict[str, Any] = {}": (
                "seen: dict[str, Any] = {}\n"
                "        look = lambda h: self.self_attn(h, h, h, cross_mask)[0]\n"
                "        memory = self.connect(memory, look, self.norm1, self.drop)\n"
                "        memory = self.connect(memory, self.feed_forward, self.norm3, self.drop)"
            )
        },
        "memory cut off from the graph": {READS: "self.cross_attn(h, memory.detach(), memory.detach(), mask"},
        "one attention for both": [
            {READS: "self.self_attn(h, memory, memory, mask"},
            {f"{ATTENTION}, {ATTENTION}": f"[{ATTENTION}] * 2"},
        ],
        "attentions exchanged": {
            WRITES: "self.cross_attn(h, h, h, mask",
            READS: "self.self_attn(h, memory, memory, mask",
        },
        "cross-attention before self-attention": [
            {"(x, write, self.norm1": "(x, read, self.norm2", "(first, read, self.norm2": "(first, write, self.norm1"},
            {"(x, write,": "(x, read,", "(first, read,": "(first, write,"},
        ],
        "feed-forward network before cross-attention": [
            {STEPS[1]: "(first, self.feed_forward, self.norm3", STEPS[2]: "(second, read, self.norm2"},
            {"(first, read,": "(first, self.feed_forward,", "(second, self.feed_forward,": "(second, read,"},
        ],
        "a step is lost": [
            {"(first, read": "(x, read"},
            {"(second, self": "(first, self"},
            {"return third\n": "return second\n", "return third, ": "return second, "},
        ],
        "no residuals": {PRE_ADD: "drop(part(norm(old)))", POST_ADD: "drop(part(old))"},
        "the normalized tokens are added to": {PRE_ADD: "torch.add(norm(old), drop(part(norm(old))))"},
        "norm before the addition": [
            {"drop(part(old)) + old": "norm(drop(part(old))) + old", "norm(total)": "total"},
            {"drop(part(old)) + old": "drop(norm(part(old))) + old", "norm(total)": "total"},
        ],
        "the input is written over": [
            {PRE_ADD: "old.add_(drop(part(norm(old))))"},
            {PRE_ADD: "old.add_(drop(part(norm(old))))", POST_ADD: "old.add_(drop(part(old)))"},
        ],
        "a step reads x, not what it is given": [
            {WRITES: "self.self_attn(x, x, x, mask"},
            {WRITES: "self.self_attn(h, x, x, mask"},
        ],
        "cross-attention asks with the layer's input": {
            READS: "self.cross_attn(self.norm2(x) if self.pre_norm else x, memory, memory, mask"
        },
        "norm_first ignored": [{"if self.pre_norm:": "if False:"}, {"if self.pre_norm:": "if True:"}],
        "norm_first inverted": {"= norm_first, dropout": "= not norm_first, dropout"},
        "norm and dropout exchanged": {
            f"self.norm{number}, self.drop": f"self.drop, self.norm{number}" for number in (1, 2, 3)
        },
        "norms swapped": {
            "read, self.norm2": "read, self.norm3",
            "self.feed_forward, self.norm3": "self.feed_forward, self.norm2",
        },
        "one norm for several steps": [
            {"read, self.norm2": "read, self.norm1", "self.feed_forward, self.norm3": "self.feed_forward, self.norm1"},
            {"read, self.norm2": "read, self.norm1", "self.feed_forward, self.norm3": "self.feed_forward, self.norm2"},
            {"self.norm3 = nn.LayerNorm(d_model)": "self.norm3 = self.norm2"},
        ],
        "a norm left out": [
            {"write, self.norm1": "write, nn.Identity()"},
            {"read, self.norm2": "read, nn.Identity()"},
            {"self.feed_forward, self.norm3": "self.feed_forward, nn.Identity()"},
        ],
        "no dropout before an addition": [
            {DROPS: "return made"},
            {"self.norm1, self.drop": "self.norm1, nn.Identity()"},
            {"self.norm3, self.drop": "self.norm3, nn.Identity()"},
        ],
        "dropout not handed to the parts": [
            {", p=dropout": ""},
            {f"{ATTENTION}, {ATTENTION}": "Attention(d_model, num_heads), Attention(d_model, num_heads)"},
        ],
        "dropout after the norm": {"return norm(total)": "return drop(norm(total))", POST_ADD: "part(old) + old"},
        "dropout on the sum": {
            PRE_ADD: "drop(old + part(norm(old)))",
            POST_ADD: "drop(part(old) + old)",
        },
        "dropout in evaluation": [{"self.rate, self.training": "self.rate"}, {"self.training": "training=True"}],
        "weights in the wrong order": {PAIR: '(seen["source"], seen["own"])'},
        "weights not in a pair": {PAIR: 'seen["own"], seen["source"]'},
        "weights of one attention only": [{PAIR: 'seen["source"]'}, {PAIR: 'seen["own"]'}],
        "weights returned unasked": [
            {"if not return_weights:": "if False:"},
            {"return third\n": "return third, None\n"},
        ],
        "None for the weights": {
            'found, seen["own"] =': "found, own =",
            'found, seen["source"] =': "found, source =",
            PAIR: '(seen.get("own"), seen.get("source"))',
        },
        "weights not returned": {f"return third, {PAIR}": "return third"},
        "cross_mask ignored + dropout on the sum": {
            ", mask=cross_mask)": ")",
            PRE_ADD: "drop(old + part(norm(old)))",
            POST_ADD: "drop(part(old) + old)",
        },
    },
)
