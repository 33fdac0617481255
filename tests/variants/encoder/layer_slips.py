"""EncoderLayer: slips in other people's layers."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import slips
from tests.variants.encoder.parts import Attend, Feed

LAYER = "EncoderLayer"


def seen(mask: str) -> str:
    """No mask stays none; else this one."""
    return f"None if mask is None else {mask}"


def ones(tokens: str) -> str:
    """Every place with every place."""
    return f"torch.ones({tokens}.size(1), {tokens}.size(1))"


def both(mask: str) -> str:
    """A mask of its own, and the one given, if any."""
    return f"({mask} if mask is None else mask & {mask})"


class TwoForms(nn.Module):
    """Post-norm and pre-norm written out, each by itself."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.self_attn = Attend(d_model, num_heads, dropout)
        self.feed_forward = Feed(d_model, d_ff, dropout)
        self.drop = nn.Dropout(dropout)
        self.pre = norm_first

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """Names of their own in each branch."""
        if self.pre:
            h = self.norm1(x)
            found, weights = self.self_attn(h, h, h, mask)
            s = x + self.drop(found)
            thought = self.feed_forward(self.norm2(s))
            out = s + self.drop(thought)
        else:
            heard, weights = self.self_attn(x, x, x, mask)
            y = self.norm1(x + self.drop(heard))
            z = self.feed_forward(y)
            out = self.norm2(y + self.drop(z))
        if return_weights:
            return out, weights
        return out


PRE_READS, POST_READS = "self.self_attn(h, h, h, mask)", "self.self_attn(x, x, x, mask)"
NEW_NORMS = "self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)"
GIVES_BACK = "if return_weights:\n            return out, weights\n        return out"


def masked(pre: str, post: str) -> dict[str, str]:
    """Other masks in the two branches of TwoForms."""
    return {PRE_READS: PRE_READS.replace("mask", pre), POST_READS: POST_READS.replace("mask", post)}


slips(
    LAYER,
    TwoForms,
    {
        "no residual around attention": [
            {"s = x + self.drop(found)": "s = self.drop(found)", "x + self.drop(heard)": "self.drop(heard)"},
            {"s = x + self.drop(found)": "s = self.drop(found)"},
            {"x + self.drop(heard)": "self.drop(heard)"},
        ],
        "no residual around the feed-forward network": [
            {"s + self.drop(thought)": "self.drop(thought)", "y + self.drop(z)": "self.drop(z)"},
            {"s + self.drop(thought)": "self.drop(thought)"},
            {"y + self.drop(z)": "self.drop(z)"},
        ],
        "no residuals": [
            {
                "s = x + self.drop(found)": "s = self.drop(found)",
                "x + self.drop(heard)": "self.drop(heard)",
                "s + self.drop(thought)": "self.drop(thought)",
                "y + self.drop(z)": "self.drop(z)",
            },
            {"x + self.drop(heard)": "self.drop(heard)", "y + self.drop(z)": "self.drop(z)"},
            {"s = x + self.drop(found)": "s = self.drop(found)", "s + self.drop(thought)": "self.drop(thought)"},
        ],
        "second residual adds the layer's input": [
            {"s + self.drop(thought)": "x + self.drop(thought)", "y + self.drop(z)": "x + self.drop(z)"},
            {"s + self.drop(thought)": "x + self.drop(thought)"},
            {"y + self.drop(z)": "x + self.drop(z)"},
        ],
        "feed-forward network on the wrong tensor": [
            {"self.norm2(s)": "self.norm2(x)", "self.feed_forward(y)": "self.feed_forward(x)"},
            {"self.feed_forward(y)": "self.feed_forward(x)"},
            {"self.feed_forward(y)": "self.feed_forward(heard)"},
            {"self.norm2(s)": "self.norm2(x)"},
            {"self.norm2(s)": "h"},
            {"self.norm2(s)": "self.norm2(found)"},
        ],
        "added twice": [
            {
                "s = x +": "s = x + x +",
                "self.norm1(x +": "self.norm1(x + x +",
                "out = s +": "out = s + s +",
                "self.norm2(y +": "self.norm2(y + y +",
            },
        ],
        "written over in place": [
            {"s = x + self.drop(found)": "x += self.drop(found)\n            s = x"},
            {
                "s = x + self.drop(found)": "s = x.add_(self.drop(found))",
                "x + self.drop(heard)": "x.add_(self.drop(heard))",
            },
        ],
        "norms swapped": [
            {
                "h = self.norm1(x)": "h = self.norm2(x)",
                "self.norm2(s)": "self.norm1(s)",
                "y = self.norm1(": "y = self.norm2(",
                "out = self.norm2(": "out = self.norm1(",
            },
            {"h = self.norm1(x)": "h = self.norm2(x)", "self.norm2(s)": "self.norm1(s)"},
            {"y = self.norm1(": "y = self.norm2(", "out = self.norm2(": "out = self.norm1("},
        ],
        "one norm for both sublayers": [
            {NEW_NORMS: "self.norm1 = self.norm2 = nn.LayerNorm(d_model)"},
            {"self.norm2(s)": "self.norm1(s)", "out = self.norm2(": "out = self.norm1("},
            {"self.norm2(s)": "self.norm1(s)"},
            {"out = self.norm2(": "out = self.norm1("},
            {"h = self.norm1(x)": "h = self.norm2(x)"},
            {"y = self.norm1(": "y = self.norm2("},
        ],
        "a norm left out": [
            {"self.norm2(s)": "s"},
            {"y = self.norm1(": "y = ("},
            {"out = self.norm2(": "out = ("},
            {"h = self.norm1(x)": "h = x", "self.norm2(s)": "s"},
            {"y = self.norm1(": "y = (", "out = self.norm2(": "out = ("},
            {"self.norm2(s)": "s", "out = self.norm2(": "out = ("},
        ],
        "norm_first ignored": [{"if self.pre:": "if False:"}, {"if self.pre:": "if True:"}],
        "norm_first the wrong way round": [{"if self.pre:": "if not self.pre:"}, {"= norm_first": "= not norm_first"}],
        "norm before the addition": [
            {"self.norm1(x + self.drop(heard))": "x + self.norm1(self.drop(heard))"},
            {"self.norm2(y + self.drop(z))": "y + self.norm2(self.drop(z))"},
            {
                "self.norm1(x + self.drop(heard))": "x + self.norm1(self.drop(heard))",
                "self.norm2(y + self.drop(z))": "y + self.norm2(self.drop(z))",
            },
        ],
        "sum normalized in pre-norm": [
            {"x + self.drop(found)": "self.norm1(x + self.drop(found))"},
            {"s + self.drop(thought)": "self.norm2(s + self.drop(thought))"},
        ],
        "normalized tokens added in pre-norm": [
            {"s = x +": "s = h +"},
            {"h = self.norm1(x)": "x = self.norm1(x)", PRE_READS: "self.self_attn(x, x, x, mask)"},
            {"self.feed_forward(self.norm2(s))": "self.feed_forward(s := self.norm2(s))"},
        ],
        "keys or values not normalized": [
            {PRE_READS: "self.self_attn(h, x, x, mask)"},
            {PRE_READS: "self.self_attn(h, h, x, mask)"},
            {PRE_READS: "self.self_attn(h, x, h, mask)"},
        ],
        "query not normalized": {PRE_READS: "self.self_attn(x, h, h, mask)"},
        "attention reads raw tokens in pre-norm": {
            "h = self.norm1(x)": "self.norm1(x)",
            PRE_READS: "self.self_attn(x, x, x, mask)",
        },
        "norm_first in one step only": [
            {"self.norm2(s)": "s", "out = s + self.drop(thought)": "out = self.norm2(s + self.drop(thought))"},
            {
                "h = self.norm1(x)\n": "\n",
                PRE_READS: "self.self_attn(x, x, x, mask)",
                "s = x + self.drop(found)": "s = self.norm1(x + self.drop(found))",
            },
        ],
        "a dropout left out": [
            {"self.drop(found)": "found", "self.drop(heard)": "heard"},
            {"self.drop(thought)": "thought", "self.drop(z)": "z"},
            {"self.drop(found)": "found"},
            {"self.drop(heard)": "heard"},
            {"self.drop(thought)": "thought"},
            {"self.drop(z)": "z"},
            {"self.drop(heard)": "heard", "self.drop(z)": "z"},
            {"self.drop(found)": "found", "self.drop(thought)": "thought"},
        ],
        "dropout on the sum": [
            {
                "x + self.drop(found)": "self.drop(x + found)",
                "x + self.drop(heard)": "self.drop(x + heard)",
                "s + self.drop(thought)": "self.drop(s + thought)",
                "y + self.drop(z)": "self.drop(y + z)",
            },
            {"x + self.drop(found)": "self.drop(x + found)", "s + self.drop(thought)": "self.drop(s + thought)"},
            {"x + self.drop(heard)": "self.drop(x + heard)", "y + self.drop(z)": "self.drop(y + z)"},
            {"y + self.drop(z)": "self.drop(y + z)"},
            {"y + self.drop(z)": "self.drop(y + self.drop(z))"},
        ],
        "dropout after the norm": [
            {
                "self.norm1(x + self.drop(heard))": "self.drop(self.norm1(x + heard))",
                "self.norm2(y + self.drop(z))": "self.drop(self.norm2(y + z))",
            },
            {"self.norm1(x + self.drop(heard))": "self.drop(self.norm1(x + heard))"},
            {"self.norm1(x + self.drop(heard))": "self.drop(self.norm1(x + self.drop(heard)))"},
            {"        if return_weights:": "        out = self.drop(out)\n        if return_weights:"},
        ],
        "dropout on the residual": [
            {
                "x + self.drop(found)": "self.drop(x) + found",
                "x + self.drop(heard)": "self.drop(x) + heard",
                "s + self.drop(thought)": "self.drop(s) + thought",
                "y + self.drop(z)": "self.drop(y) + z",
            },
            {"y + self.drop(z)": "self.drop(y) + z"},
            {"x + self.drop(heard)": "self.drop(x) + self.drop(heard)"},
        ],
        "dropout on what a sublayer reads": [
            {"self.feed_forward(y)": "self.feed_forward(self.drop(y))"},
            {"self.feed_forward(self.norm2(s))": "self.feed_forward(self.drop(self.norm2(s)))"},
            {"h = self.norm1(x)": "h = self.drop(self.norm1(x))"},
        ],
        "dropout in evaluation": {"self.drop = nn.Dropout(dropout)": "self.drop = lambda t: F.dropout(t, dropout)"},
        "dropout not handed to the parts": [
            {"Attend(d_model, num_heads, dropout)": "Attend(d_model, num_heads)"},
            {"Feed(d_model, d_ff, dropout)": "Feed(d_model, d_ff)"},
            {
                "Attend(d_model, num_heads, dropout)": "Attend(d_model, num_heads)",
                "Feed(d_model, d_ff, dropout)": "Feed(d_model, d_ff)",
            },
            {"nn.Dropout(dropout)": "nn.Dropout()"},
        ],
        "mask not passed on": [
            {PRE_READS: "self.self_attn(h, h, h)", POST_READS: "self.self_attn(x, x, x)"},
            {PRE_READS: "self.self_attn(h, h, h)"},
            {POST_READS: "self.self_attn(x, x, x)"},
        ],
        "mask inverted": masked(*[seen("~mask")] * 2),
        "mask on the queries": masked(*[seen("mask.transpose(-2, -1)")] * 2),
        "mask on the queries as well": masked(*[seen("mask & mask.mT")] * 2),
        "weights averaged over the heads": {"return out, weights": "return out, weights.mean(dim=1)"},
        "weights not returned": {GIVES_BACK: "return out"},
        "weights always returned": [
            {GIVES_BACK: "return out, weights"},
            {GIVES_BACK: "return out, weights if return_weights else None"},
        ],
        "return_weights the wrong way round": {"if return_weights:": "if not return_weights:"},
        "weights in a list": {"return out, weights": "return out, [weights]"},
        "weights and output swapped": {"return out, weights": "return weights, out"},
        "weights returned after dropout": {"return out, weights": "return out, self.drop(weights)"},
        "weights of a second call": [
            {"return out, weights": "return out, self.self_attn(x, x, x, mask)[1]"},
            {"return out, weights": "return out, self.self_attn(out, out, out, mask)[1]"},
        ],
        "no feed-forward network": {
            "out = s + self.drop(thought)": "out = s",
            "out = self.norm2(y + self.drop(z))": "out = y",
        },
        "one linear layer for the feed-forward network": {
            "Feed(d_model, d_ff, dropout)": "nn.Linear(d_model, d_model)"
        },
        "d_ff ignored": {"Feed(d_model, d_ff, dropout)": "Feed(d_model, 4 * d_model, dropout)"},
        "no residuals + one linear layer for the feed-forward network": {
            "s = x + self.drop(found)": "s = self.drop(found)",
            "x + self.drop(heard)": "self.drop(heard)",
            "s + self.drop(thought)": "self.drop(thought)",
            "y + self.drop(z)": "self.drop(z)",
            "Feed(d_model, d_ff, dropout)": "nn.Linear(d_model, d_model)",
        },
    },
)


class BlocksAsMethods(nn.Module):
    """torch's own structure: two blocks, two dropouts, and the feed-forward network written out."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.dropout1, self.dropout2 = nn.Dropout(dropout), nn.Dropout(dropout)
        for name in ("norm2", "norm1"):
            self.add_module(name, nn.LayerNorm(d_model, eps=1e-5))
        self.feed_forward = nn.ModuleDict({"linear2": nn.Linear(d_ff, d_model), "linear1": nn.Linear(d_model, d_ff)})
        self.inner = nn.Dropout(dropout)
        self.self_attn = Attend(d_model, num_heads, dropout)
        self.order = "pre" if norm_first else "post"

    def _sa(self, tokens: Tensor, mask: Any) -> tuple[Tensor, Tensor]:
        a, seen = self.self_attn(query=tokens, key=tokens, value=tokens, mask=mask)
        return self.dropout1(a), seen

    def _ff(self, tokens: Tensor) -> Tensor:
        hidden = self.feed_forward["linear1"](tokens)
        hidden = self.inner(F.relu(hidden))
        return self.dropout2(self.feed_forward["linear2"](hidden))

    def forward(self, src: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """A block adds to `src`, one after the other."""
        if self.order == "post":
            attended, seen = self._sa(src, mask)
            src = self.norm1(src + attended)
            src = self.norm2(src + self._ff(src))
        else:
            attended, seen = self._sa(self.norm1(src), mask)
            src = src + attended
            src = src + self._ff(self.norm2(src))
        return [src, seen] if return_weights else src


PAST = f"{ones('tokens')}.tril().bool()"
ATTENDED = "attended, seen = self._sa(src, mask)\n            src = self.norm1(src + attended)"
THOUGHT = "src = self.norm2(src + self._ff(src))"
PRE_ATTENDED = "attended, seen = self._sa(self.norm1(src), mask)\n            src = src + attended"
PRE_THOUGHT = "src = src + self._ff(self.norm2(src))"
MADE = 'self.feed_forward["linear2"](hidden)'
slips(
    LAYER,
    BlocksAsMethods,
    {
        "no residual around attention": [
            {"self.norm1(src + attended)": "self.norm1(attended)", "src = src + attended": "src = attended"},
            {"self.norm1(src + attended)": "self.norm1(attended)"},
        ],
        "no residual around the feed-forward network": [
            {"self.norm2(src + self._ff(src))": "self.norm2(self._ff(src))", "src + self._ff(self.": "self._ff(self."},
            {"src + self._ff(self.": "self._ff(self."},
        ],
        "feed-forward network before attention": {
            ATTENDED: THOUGHT,
            THOUGHT: ATTENDED,
            PRE_ATTENDED: PRE_THOUGHT,
            PRE_THOUGHT: PRE_ATTENDED,
        },
        "result of add_norm not kept": {
            "src = self.norm1(src + attended)": "self.norm1(src + attended)",
            "src = src + attended": "src + attended",
        },
        "added twice": [
            {"return self.dropout1(a), seen": "return self.dropout1(tokens + a), seen"},
            {f"self.dropout2({MADE})": f"self.dropout2(tokens + {MADE})"},
        ],
        "written over in place": [
            {"src = src + attended": "src += attended"},
            {"src = src + attended": "src += attended", "self.norm1(src + attended)": "self.norm1(src.add_(attended))"},
        ],
        "norms swapped": {
            "self.norm1(src + attended)": "self.norm2(src + attended)",
            "self.norm2(src + self._ff(src))": "self.norm1(src + self._ff(src))",
            "self.norm1(src), mask": "self.norm2(src), mask",
            "self._ff(self.norm2(src))": "self._ff(self.norm1(src))",
        },
        "one norm for both sublayers": [
            {
                "self.norm1(src + attended)": "self.norm2(src + attended)",
                "self.norm1(src), mask": "self.norm2(src), mask",
            },
            {"self._ff(self.norm2(src))": "self._ff(self.norm1(src))"},
        ],
        "a norm left out": [{"self._ff(self.norm2(src))": "self._ff(src)"}],
        "norm_first ignored": {'"pre" if norm_first else "post"': '"post"'},
        "norm_first the wrong way round": [
            {'"pre" if norm_first else "post"': '"post" if norm_first else "pre"'},
            {'self.order == "post"': 'self.order == "pre"'},
        ],
        "norm before the addition": {"self.norm1(src + attended)": "src + self.norm1(attended)"},
        "sum normalized in pre-norm": [
            {"src = src + attended": "src = self.norm1(src + attended)"},
            {"src = src + self._ff(self.norm2(src))": "src = self.norm2(src + self._ff(self.norm2(src)))"},
        ],
        "normalized tokens added in pre-norm": [
            {"self._sa(self.norm1(src), mask)": "self._sa(src := self.norm1(src), mask)"},
            {"src + self._ff(self.norm2(src))": "self.norm2(src) + self._ff(self.norm2(src))"},
        ],
        "keys or values not normalized": {
            "def _sa(self, tokens: Tensor, mask: Any)": "def _sa(self, tokens: Tensor, mask: Any, raw: Any = None)",
            "key=tokens, value=tokens": "key=tokens if raw is None else raw, value=tokens if raw is None else raw",
            "self.norm1(src), mask": "self.norm1(src), mask, src",
        },
        "attention reads raw tokens in pre-norm": {"self._sa(self.norm1(src), mask)": "self._sa(src, mask)"},
        "norm_first in one step only": {
            "src = src + self._ff(self.norm2(src))": "src = self.norm2(src + self._ff(src))\n",
        },
        "a dropout left out": [
            {"self.dropout1(a), seen": "a, seen"},
            {f"self.dropout2({MADE})": MADE},
            {
                "self.dropout1(a), seen": "a, seen",
                f"self.dropout2({MADE})": MADE,
            },
        ],
        "dropout on what a sublayer reads": {
            "self.dropout1(a), seen": "a, seen",
            "query=tokens, key=tokens": "query=(tokens := self.dropout1(tokens)), key=tokens",
            'self.feed_forward["linear1"](tokens)': 'self.feed_forward["linear1"](self.dropout2(tokens))',
            f"self.dropout2({MADE})": MADE,
        },
        "dropout not handed to the parts": [
            {"Attend(d_model, num_heads, dropout)": "Attend(d_model, num_heads)"},
            {"self.inner(F.relu(hidden))": "F.relu(hidden)"},
            {
                "Attend(d_model, num_heads, dropout)": "Attend(d_model, num_heads)",
                "self.inner(F.relu(hidden))": "F.relu(hidden)",
            },
        ],
        "dropout in evaluation": [
            {"self.dropout1(a)": "F.dropout(a, self.dropout1.p)"},
            {f"self.dropout2({MADE})": f"F.dropout({MADE}, self.dropout2.p)"},
        ],
        "mask not passed on": [
            {", mask=mask": ""},
            {"self._sa(src, mask)": "self._sa(src, None)"},
            {"self.norm1(src), mask": "self.norm1(src), None"},
        ],
        "mask inverted": {"mask=mask": "mask=mask if mask is None else mask.logical_not()"},
        "mask on the queries": {"mask=mask": "mask=mask if mask is None else mask.swapaxes(2, 3)"},
        "mask on the queries as well": {
            "mask=mask": "mask=mask if mask is None else mask.logical_and(mask.transpose(3, 2))"
        },
        "causal": [
            {"mask=mask": f"mask={both(PAST)}"},
            {"mask=mask": f"mask={PAST} if mask is None else mask"},
            {"mask=mask": f"mask={PAST}"},
            {"mask=mask": f"mask={both(PAST.replace('tril()', 'tril(-1)'))}"},
        ],
        "past hidden": {"mask=mask": f"mask={both(PAST.replace('tril', 'triu'))}"},
        "weights averaged over the heads": [
            {"self.dropout1(a), seen": "self.dropout1(a), seen.mean(1)"},
            {"[src, seen]": "[src, seen.mean(1, keepdim=True)]"},
        ],
        "weights not returned": {"return [src, seen] if return_weights else src": "return src"},
        "weights always returned": {"[src, seen] if return_weights else src": "[src, seen]"},
        "return_weights the wrong way round": {
            "[src, seen] if return_weights else src": "src if return_weights else [src, seen]"
        },
        "weights and output swapped": {"[src, seen]": "[seen, src]"},
        "None for the weights": {"[src, seen]": "[src, None]"},
        "weights returned after dropout": {"self.dropout1(a), seen": "self.dropout1(a), self.dropout1(seen)"},
        "weights of a second call": {"[src, seen]": "[src, self._sa(src, mask)[1]]"},
        "no feed-forward network": {
            "src = self.norm2(src + self._ff(src))\n": "\n",
            "src = src + self._ff(self.norm2(src))\n": "\n",
        },
        "d_ff ignored": {
            "nn.Linear(d_ff, d_model)": "nn.Linear(4 * d_model, d_model)",
            "nn.Linear(d_model, d_ff)": "nn.Linear(d_model, 4 * d_model)",
        },
        "norms swapped + mask not passed on": {
            "self.norm1(src + attended)": "self.norm2(src + attended)",
            "self.norm2(src + self._ff(src))": "self.norm1(src + self._ff(src))",
            "self.norm1(src), mask": "self.norm2(src), mask",
            "self._ff(self.norm2(src))": "self._ff(self.norm1(src))",
            ", mask=mask": "",
        },
    },
)


class Connected(nn.Module):
    """One method for what goes around a sublayer."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.feed_forward = Feed(d_model, d_ff, dropout=dropout)
        self.self_attn = Attend(d_model, num_heads, dropout=dropout)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.drop = nn.Dropout(p=dropout)
        self.pre_norm = bool(norm_first)

    def connect(self, tokens: Tensor, part: Callable, norm: Callable, drop: Callable) -> Tensor:
        """Add and norm."""
        if self.pre_norm:
            return drop(part(norm(tokens))) + tokens
        made = drop(part(tokens))
        return norm(made + tokens)

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """The weights are put aside in a dictionary."""
        seen = {}

        def look(tokens: Tensor) -> Tensor:
            found, seen["weights"] = self.self_attn(tokens, tokens, tokens, mask)
            return found

        y = self.connect(x, look, self.norm1, self.drop)
        z = self.connect(y, self.feed_forward, self.norm2, self.drop)
        if not return_weights:
            return z
        return z, seen["weights"]


TRIL = f"{ones('x')}.tril().bool()"
PRE_SUM = "drop(part(norm(tokens))) + tokens"
FIRST = "self.connect(x, look, self.norm1, self.drop)"
SECOND = "self.connect(y, self.feed_forward, self.norm2, self.drop)"
LOOKS = "self.self_attn(tokens, tokens, tokens, mask)"
slips(
    LAYER,
    Connected,
    {
        "no residuals": [
            {PRE_SUM: "drop(part(norm(tokens)))", "norm(made + tokens)": "norm(made)"},
            {PRE_SUM: "drop(part(norm(tokens)))"},
            {"norm(made + tokens)": "norm(made)"},
        ],
        "feed-forward network on the wrong tensor": {
            "self.connect(y, self.feed_forward,": (
                "self.connect(y, lambda _: self.feed_forward(self.norm2(x) if self.pre_norm else x),"
            )
        },
        "added twice": [
            {
                PRE_SUM: "drop(part(norm(tokens))) + 2 * tokens",
                "norm(made + tokens)": "norm(made + tokens + tokens)",
            },
            {"return found": "return tokens + found"},
            {"self.connect(y, self.feed_forward,": "self.connect(y, lambda t: t + self.feed_forward(t),"},
            {
                "return found": "return found + tokens",
                "self.connect(y, self.feed_forward,": "self.connect(y, lambda t: self.feed_forward(t) + t,",
            },
            {"y = self.connect(": "y = x + self.connect(", "z = self.connect(": "z = y + self.connect("},
        ],
        "result of add_norm not kept": [
            {"self.connect(y, self.feed_forward": "self.connect(x, self.feed_forward"},
            {"y = self.connect(": "y = x\n        self.connect(", "z = self.connect(": "z = y\n        self.connect("},
        ],
        "norm and dropout exchanged": [
            {"self.norm1, self.drop": "self.drop, self.norm1", "self.norm2, self.drop": "self.drop, self.norm2"},
            {"self.norm1, self.drop": "self.drop, self.norm1"},
            {"self.norm2, self.drop": "self.drop, self.norm2"},
            {"norm: Callable, drop: Callable": "drop: Callable, norm: Callable"},
        ],
        "written over in place": [
            {f"return {PRE_SUM}": "tokens += drop(part(norm(tokens)))\n            return tokens"},
            {
                "return drop(part(norm(tokens))) + tokens": "return tokens.add_(drop(part(norm(tokens))))",
                "norm(made + tokens)": "norm(tokens.add_(made))",
            },
        ],
        "norms swapped": {
            "look, self.norm1": "look, self.norm2",
            "self.feed_forward, self.norm2": "self.feed_forward, self.norm1",
        },
        "one norm for both sublayers": [
            {"look, self.norm1": "look, self.norm2"},
            {"self.feed_forward, self.norm2": "self.feed_forward, self.norm1"},
            {
                "self.norm1 = nn.LayerNorm(d_model)": "self.norm = nn.LayerNorm(d_model)",
                "self.norm2 = nn.LayerNorm(d_model)\n": "\n",
                "look, self.norm1": "look, self.norm",
                "self.feed_forward, self.norm2": "self.feed_forward, self.norm",
            },
            {"self.norm2 = nn.LayerNorm(d_model)": "self.norm2 = self.norm1"},
        ],
        "a norm left out": [
            {"look, self.norm1": "look, nn.Identity()"},
            {"self.feed_forward, self.norm2": "self.feed_forward, nn.Identity()"},
            {"part(norm(tokens))": "part(tokens)"},
            {"norm(made + tokens)": "made + tokens"},
        ],
        "norm_first ignored": [{"bool(norm_first)": "False"}, {"if self.pre_norm:": "if True:"}],
        "norm_first the wrong way round": {"if self.pre_norm:": "if not self.pre_norm:"},
        "norm before the addition": {"norm(made + tokens)": "norm(made) + tokens"},
        "sum normalized in pre-norm": {PRE_SUM: "norm(drop(part(norm(tokens))) + tokens)"},
        "normalized tokens added in pre-norm": {
            f"return {PRE_SUM}": "tokens = norm(tokens)\n            return drop(part(tokens)) + tokens"
        },
        "normalized once more": {
            FIRST: f"self.norm1({FIRST})",
            SECOND: f"self.norm2({SECOND})",
        },
        "keys or values not normalized": [
            {LOOKS: "self.self_attn(tokens, x, x, mask)"},
            {LOOKS: "self.self_attn(tokens, tokens, x, mask)"},
        ],
        "query not normalized": {LOOKS: "self.self_attn(x, tokens, tokens, mask)"},
        "attention reads raw tokens in pre-norm": {LOOKS: "self.self_attn(x, x, x, mask)"},
        "a dropout left out": [
            {"self.norm1, self.drop": "self.norm1, nn.Identity()"},
            {"self.norm2, self.drop": "self.norm2, nn.Identity()"},
            {"drop(part(norm(tokens)))": "part(norm(tokens))"},
            {"made = drop(part(tokens))": "made = part(tokens)"},
        ],
        "dropout on the sum": [
            {
                PRE_SUM: "drop(part(norm(tokens)) + tokens)",
                "made = drop(part(tokens))": "made = part(tokens)",
                "norm(made + tokens)": "norm(drop(made + tokens))",
            },
        ],
        "dropout after the norm": [
            {"made = drop(part(tokens))": "made = part(tokens)", "norm(made + tokens)": "drop(norm(made + tokens))"},
            {"return norm(made + tokens)": "return drop(norm(made + tokens))"},
            {
                "made = drop(part(tokens))": "made = part(tokens)",
                "norm(made + tokens)": "drop(norm(made + tokens))",
                PRE_SUM: "drop(part(norm(tokens)) + tokens)",
            },
        ],
        "dropout on the residual": {
            PRE_SUM: "part(norm(tokens)) + drop(tokens)",
            "made = drop(part(tokens))": "made = part(tokens)",
            "norm(made + tokens)": "norm(made + drop(tokens))",
        },
        "dropout on what a sublayer reads": {
            "drop(part(norm(tokens)))": "part(drop(norm(tokens)))",
            "drop(part(tokens))": "part(drop(tokens))",
        },
        "dropout in evaluation": {"nn.Dropout(p=dropout)": "lambda t: F.dropout(t, p=dropout, training=True)"},
        "dropout not handed to the parts": [
            {"d_ff, dropout=dropout": "d_ff"},
            {"num_heads, dropout=dropout": "num_heads"},
            {"nn.Dropout(p=dropout)": "nn.Dropout(p=0.5)"},
        ],
        "mask not passed on": {LOOKS: "self.self_attn(tokens, tokens, tokens)"},
        "mask inverted": {"seen = {}": "seen = {}\n        mask = None if mask is None else ~mask"},
        "mask on the queries": {"seen = {}": "seen = {}\n        mask = None if mask is None else mask.mT"},
        "causal": [
            {"seen = {}": f"seen = {{}}\n        mask = {both(TRIL)}"},
            {"seen = {}": f"seen = {{}}\n        if mask is not None:\n            mask = mask & {TRIL}"},
            {"seen = {}": f"seen = {{}}\n        if mask is None:\n            mask = {TRIL}"},
        ],
        "past hidden": {"seen = {}": f"seen = {{}}\n        mask = {both(TRIL.replace('tril', 'triu'))}"},
        "weights averaged over the heads": {'return z, seen["weights"]': 'return z, seen["weights"].mean(1)'},
        "weights not returned": {"if not return_weights:": "if True:"},
        "weights always returned": {"if not return_weights:\n            return z\n        return": "return"},
        "return_weights the wrong way round": {"if not return_weights": "if return_weights"},
        "None for the weights": {
            'found, seen["weights"] =': "found, weights =",
            'z, seen["weights"]': 'z, seen.get("weights")',
        },
        "weights in a list": {'z, seen["weights"]': "z, list(seen.values())"},
        "weights and output swapped": {'return z, seen["weights"]': 'return seen["weights"], z'},
        "weights of a second call": [
            {'z, seen["weights"]': "z, self.self_attn(x, x, x, mask)[1]"},
            {'z, seen["weights"]': "z, self.self_attn(y, y, y, mask)[1]"},
            {"return found": 'seen["weights"] = self.self_attn(tokens, tokens, tokens)[1]\n            return found'},
        ],
        "no feed-forward network": {SECOND: "y"},
        "attention in both steps": {"self.connect(y, self.feed_forward,": "self.connect(y, look,"},
        "feed-forward network before attention": [
            {
                "x, look, self.norm1": "x, self.feed_forward, self.norm2",
                "y, self.feed_forward, self.norm2": "y, look, self.norm1",
            },
            {"x, look,": "x, self.feed_forward,", "y, self.feed_forward,": "y, look,"},
        ],
        "one linear layer for the feed-forward network": [
            {"Feed(d_model, d_ff, dropout=dropout)": "nn.Linear(d_model, d_model)"},
            {"Feed(d_model, d_ff, dropout=dropout)": "nn.Sequential(nn.Linear(d_model, d_model), nn.ReLU())"},
        ],
        "d_ff ignored": {"Feed(d_model, d_ff,": "Feed(d_model, d_model * 4,"},
        "no residuals + mask not passed on": {
            PRE_SUM: "drop(part(norm(tokens)))",
            "norm(made + tokens)": "norm(made)",
            LOOKS: "self.self_attn(tokens, tokens, tokens)",
        },
    },
)


class StepsInALoop(nn.Module):
    """Pairs of a sublayer and its norm, and one loop over them."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.self_attn, self.feed_forward = Attend(d_model, num_heads, dropout), Feed(d_model, d_ff, dropout)
        for number in "12":
            setattr(self, f"norm{number}", nn.LayerNorm(d_model))
        self.rate, self.norm_first = dropout, norm_first

    def forward(self, x: Tensor, mask: Any = None, return_weights: bool = False) -> Any:
        """Before, sublayer, dropout, sum, after."""
        weights = None
        for norm, sublayer in ((self.norm1, self.self_attn), (self.norm2, self.feed_forward)):
            read = norm(x) if self.norm_first else x
            if sublayer is self.self_attn:
                made, weights = sublayer(read, read, read, mask)
            else:
                made = sublayer(read)
            x = torch.add(x, F.dropout(made, self.rate, self.training))
            x = x if self.norm_first else norm(x)
        return (x, weights) if return_weights else x


AFTER = "x if self.norm_first else norm(x)"
SUM = "torch.add(x, F.dropout(made, self.rate, self.training))"
slips(
    LAYER,
    StepsInALoop,
    {
        "no residuals": {SUM: "F.dropout(made, self.rate, self.training)"},
        "second residual adds the layer's input": {
            "weights = None": "weights, given = None, x",
            "torch.add(x, F": "torch.add(given, F",
        },
        "added twice": {"torch.add(x, F": "torch.add(x + x, F"},
        "written over in place": {f"x = {SUM}": "x += F.dropout(made, self.rate, self.training)"},
        "norms swapped": {"(self.norm1, self.self_attn), (self.norm2,": "(self.norm2, self.self_attn), (self.norm1,"},
        "one norm for both sublayers": {"(self.norm2, self.feed_forward)": "(self.norm1, self.feed_forward)"},
        "a norm left out": [
            {"norm(x) if self.norm_first else x\n": "x\n"},
            {"x = x if self.norm_first else norm(x)\n": "\n"},
        ],
        "norm_first ignored": {
            "self.rate, self.norm_first = dropout, norm_first": "self.rate, self.norm_first = dropout, False"
        },
        "norm_first the wrong way round": {"dropout, norm_first\n": "dropout, not norm_first\n"},
        "sum normalized in pre-norm": {"x = x if self.norm_first else norm(x)": "x = norm(x)"},
        "normalized tokens added in pre-norm": {"torch.add(x, F": "torch.add(read, F"},
        "normalized once more": {
            "x = x if self.norm_first else norm(x)": "x = norm(x) if self.norm_first else norm(norm(x))"
        },
        "keys or values not normalized": [
            {"sublayer(read, read, read, mask)": "sublayer(read, x, x, mask)"},
            {"sublayer(read, read, read, mask)": "sublayer(read, x, read, mask)"},
        ],
        "query not normalized": {"sublayer(read, read, read, mask)": "sublayer(x, read, read, mask)"},
        "attention reads raw tokens in pre-norm": {"sublayer(read, read, read, mask)": "sublayer(x, x, x, mask)"},
        "a dropout left out": {SUM: "torch.add(x, made)"},
        "dropout on the sum": {SUM: "F.dropout(x + made, self.rate, self.training)"},
        "dropout after the norm": {
            SUM: "torch.add(x, made)",
            AFTER: "F.dropout(x if self.norm_first else norm(x), self.rate, self.training)",
        },
        "dropout on the residual": {SUM: "torch.add(F.dropout(x, self.rate, self.training), made)"},
        "dropout on what a sublayer reads": {
            SUM: "torch.add(x, made)",
            "read = norm(x) if self.norm_first else x": (
                "read = F.dropout(norm(x) if self.norm_first else x, self.rate, self.training)"
            ),
        },
        "dropout in evaluation": {", self.rate, self.training)": ", self.rate)"},
        "dropout not handed to the parts": {
            "Attend(d_model, num_heads, dropout)": "Attend(d_model, num_heads)",
            "Feed(d_model, d_ff, dropout)": "Feed(d_model, d_ff)",
        },
        "mask not passed on": {"read, read, mask)": "read, read)"},
        "mask inverted": {"weights = None": "weights, mask = None, mask if mask is None else mask == 0"},
        "mask on the queries as well": {
            "weights = None": "weights, mask = None, mask if mask is None else mask * mask.mT"
        },
        "weights not returned": {"return (x, weights) if return_weights else x": "return x"},
        "weights always returned": [
            {"(x, weights) if return_weights else x": "(x, weights)"},
            {"(x, weights) if return_weights else x": "(x, weights if return_weights else None)"},
        ],
        "weights in a list": {"(x, weights) if": "(x, (weights,)) if"},
        "weights returned after dropout": {"(x, weights) if": "(x, F.dropout(weights, self.rate, self.training)) if"},
        "None for the weights": {"made, weights = sublayer(": "made, _ = sublayer("},
        "no feed-forward network": {", (self.norm2, self.feed_forward)": ","},
        "attention in both steps": {
            "if sublayer is self.self_attn:": "if True:",
            "made, weights = sublayer(": "made, weights = self.self_attn(",
        },
        "feed-forward network before attention": {
            "(self.norm1, self.self_attn), (self.norm2, self.feed_forward)": (
                "(self.norm2, self.feed_forward), (self.norm1, self.self_attn)"
            )
        },
        "norms swapped + a dropout left out": {
            "(self.norm1, self.self_attn), (self.norm2,": "(self.norm2, self.self_attn), (self.norm1,",
            SUM: "torch.add(x, made)",
        },
    },
)
