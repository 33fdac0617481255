"""Lesson 11: the decoder that uses the cache."""

import copy
import functools
import math
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins import decoding as stand_in
from autograder.stand_ins.feed_forward import add_norm
from autograder.stand_ins.multi_head_attention import merge_heads, split_heads
from tests.variants import correct, disguise, slips, unlisted


class Rolled(nn.Module):
    """All layers in one method, caches in a dictionary by layer; every part can be replaced."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        self.kept: dict[Any, Any] = {}

    @property
    def length(self) -> int:
        return self.kept[0, "self"][0].size(2) if self.kept else 0

    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if name in self.kept:
            k, v = (torch.cat(two, dim=2) for two in zip(self.kept[name], (k, v), strict=True))
        self.kept[name] = (k, v)
        return k, v

    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return split_heads(part.k_proj(x), part.num_heads), split_heads(part.v_proj(x), part.num_heads)

    def mask(self, before: int, new: int) -> Tensor | None:
        return torch.ones(new, before + new, dtype=torch.bool).tril(before)

    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return part.out_proj(merge_heads(scores.softmax(-1) @ v))

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        return self.ask(layer.self_attn, h, *self.grown((number, "self"), *self.keys(layer.self_attn, h)), mask)

    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        if (number, "cross") not in self.kept:
            self.kept[number, "cross"] = self.keys(layer.cross_attn, memory)
        return self.ask(layer.cross_attn, h, *self.kept[number, "cross"], mask)

    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        drop = layer.dropout
        return x + drop(sublayer(norm(x))) if layer.norm_first else norm(x + drop(sublayer(x)))

    def finish(self, x: Tensor) -> Tensor:
        return self.decoder.norm(x) if self.decoder.norm is not None else x

    def order(self) -> list:
        return list(enumerate(self.decoder.layers))

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number, layer in self.order():
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)


WHOLE = "x + drop(sublayer(norm(x))) if layer.norm_first else norm(x + drop(sublayer(x)))"

slips(
    "CachedDecoder",
    Rolled,
    {
        "the mask begins at position 0 again": {".tril(before)": ".tril()"},
        "new tokens see those after them": {".tril(before)": ""},
        "the mask is for the new tokens only": {
            "torch.ones(new, before + new": "torch.ones(new, new",
            ".tril(before)": ".tril()",
        },
        "the mask is made when the cache has grown": {
            "mask=mask), layer.norm1": "mask=self.mask(self.length, x.size(1))), layer.norm1"
        },
        "queries are cached as keys": {"split_heads(part.k_proj(x)": "split_heads(part.q_proj(x)"},
        "keys are asked in the place of queries": {"q = split_heads(part.q_proj": "q = split_heads(part.k_proj"},
        "keys are cached as values": {"part.v_proj": "part.k_proj"},
        "the memory is projected at every call": {'if (number, "cross") not in self.kept:': "if True:"},
        "one cache for all layers": {'grown((number, "self")': 'grown((0, "self")'},
        "one cache for target and source": {
            'self.ask(layer.cross_attn, h, *self.kept[number, "cross"], mask)': (
                'self.ask(layer.cross_attn, h, *self.kept[number, "self"], mask)'
            )
        },
        "no norm at the end": {"self.decoder.norm(x) if self.decoder.norm is not None else x": "x"},
        "the source's mask is not used": {"mask=cross_mask": "mask=None"},
        "the memory is normalized": {
            "self.keys(layer.cross_attn, memory)": "self.keys(layer.cross_attn, layer.norm2(memory))"
        },
        "the feed-forward network is missing": {
            "            x = self.around(x, layer.feed_forward, layer.norm3, layer)\n": ""
        },
        "one norm for several sublayers": [
            {"layer.norm2": "layer.norm1"},
            {"layer.norm2": "layer.norm1", "layer.norm3": "layer.norm1"},
        ],
        "only the first layer is run": {"enumerate(self.decoder.layers)": "enumerate(self.decoder.layers[:1])"},
        "pre-norm is ignored": {WHOLE: "norm(x + drop(sublayer(x)))"},
        "post-norm is ignored": {WHOLE: "x + drop(sublayer(norm(x)))"},
        "no output projection": {
            "part.out_proj(merge_heads(scores.softmax(-1) @ v))": "merge_heads(scores.softmax(-1) @ v)"
        },
        "only the last new token is returned": {"return self.finish(x)": "return self.finish(x)[:, -1:]"},
        "the cross-attention reads the target": {
            "self.keys(layer.cross_attn, memory)": "self.keys(layer.cross_attn, h)"
        },
        "the mask is one row off": {".tril(before)": ".tril(before + 1)"},
        "the mask has rows of old tokens": {
            "torch.ones(new, before + new, dtype=torch.bool).tril(before)": (
                "torch.ones(before + new, before + new, dtype=torch.bool).tril()"
            )
        },
        "one of the two is not projected": [{"part.k_proj(x)": "x"}, {"part.v_proj(x)": "x"}],
        "the source is not read": {"            x = self.around(x, source, layer.norm2, layer)\n": ""},
        "a layer is left out": {"enumerate(self.decoder.layers)": "list(enumerate(self.decoder.layers))[:-1]"},
        "the last layer is run first": {"enumerate(self.decoder.layers)": "list(enumerate(self.decoder.layers))[::-1]"},
        "one attention for target and source": {
            "*self.keys(layer.self_attn, h)": "*self.keys(layer.cross_attn, h)",
            "self.ask(layer.self_attn": "self.ask(layer.cross_attn",
        },
        "norms exchanged": {"layer.norm2": "layer.norm3", "layer.norm3": "layer.norm2"},
        "heads cut in the wrong order": {
            "q = split_heads(part.q_proj(x), part.num_heads)": (
                "q = part.q_proj(x).view(len(x), part.num_heads, x.size(1), -1)"
            )
        },
        "the decoder is copied": {"self.decoder = decoder": "self.decoder = copy.deepcopy(decoder)"},
        "queries are cached as keys + no norm at the end": {
            "split_heads(part.k_proj(x)": "split_heads(part.q_proj(x)",
            "self.decoder.norm(x) if self.decoder.norm is not None else x": "x",
        },
    },
)


class InOneMethod(nn.Module):
    """Flat, with einsum; keys and values in lists by layer, heads next to last."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.stack = decoder
        self.reset()

    def reset(self) -> None:
        self.target: list = [None for _ in self.stack.layers]
        self.source: list = [None for _ in self.stack.layers]

    @property
    def length(self) -> int:
        return 0 if self.target[0] is None else self.target[0][0].size(1)

    def heads(self, linear: Any, x: Tensor, layer: Any) -> Tensor:
        return linear(x).unflatten(-1, (layer.self_attn.num_heads, -1))

    def look(self, q: Tensor, kept: Any, mask: Tensor | None) -> Tensor:
        scores = torch.einsum("bqhd,bkhd->bhqk", q, kept[0]) * q.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask.logical_not(), -1e30)
        return torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), kept[1]).flatten(2)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        old, new = self.length, x.size(1)
        may_look = torch.arange(old + new) <= torch.arange(old, old + new)[:, None]
        for i, layer in enumerate(self.stack.layers):
            own, other, first, drop = layer.self_attn, layer.cross_attn, layer.norm_first, layer.dropout
            h = layer.norm1(x) if first else x
            k, v = self.heads(own.k_proj, h, layer), self.heads(own.v_proj, h, layer)
            if self.target[i] is not None:
                k, v = torch.cat([self.target[i][0], k], 1), torch.cat([self.target[i][1], v], 1)
            self.target[i] = (k, v)
            x = x + drop(own.out_proj(self.look(self.heads(own.q_proj, h, layer), self.target[i], may_look)))
            x = x if first else layer.norm1(x)
            h = layer.norm2(x) if first else x
            if self.source[i] is None:
                self.source[i] = self.heads(other.k_proj, memory, layer), self.heads(other.v_proj, memory, layer)
            x = x + drop(other.out_proj(self.look(self.heads(other.q_proj, h, layer), self.source[i], cross_mask)))
            x = x if first else layer.norm2(x)
            net = layer.feed_forward
            x = x + drop(net(layer.norm3(x))) if first else layer.norm3(x + drop(net(x)))
        return self.stack.norm(x) if self.stack.norm else x


slips(
    "CachedDecoder",
    InOneMethod,
    {
        "the mask begins at position 0 again": {"torch.arange(old, old + new)[:, None]": "torch.arange(new)[:, None]"},
        "new tokens see those after them": {"self.target[i], may_look": "self.target[i], None"},
        "the mask is for the new tokens only": {
            "torch.arange(old + new) <= torch.arange(old, old + new)": "torch.arange(new) <= torch.arange(new)"
        },
        "queries are cached as keys": {
            "self.heads(own.k_proj, h": "self.heads(own.q_proj, h",
            "self.heads(other.k_proj": "self.heads(other.q_proj",
        },
        "keys are asked in the place of queries": {
            "look(self.heads(own.q_proj": "look(self.heads(own.k_proj",
            "look(self.heads(other.q_proj": "look(self.heads(other.k_proj",
        },
        "keys are cached as values": {
            "self.heads(own.v_proj": "self.heads(own.k_proj",
            "self.heads(other.v_proj": "self.heads(other.k_proj",
        },
        "the memory is projected at every call": {"if self.source[i] is None:": "if memory is not None:"},
        "one cache for all layers": {
            "self.source[i] is None": "self.source[0] is None",
            "self.source[i] = ": "self.source[0] = ",
            "self.source[i], cross_mask": "self.source[0], cross_mask",
        },
        "one cache for target and source": {"self.source[i], cross_mask": "self.target[i], cross_mask"},
        "no norm at the end": {"self.stack.norm(x) if self.stack.norm else x": "x"},
        "the source's mask is not used": {"self.source[i], cross_mask": "self.source[i], None"},
        "keys and values of tokens before the norm": {
            "own.k_proj, h": "own.k_proj, x",
            "own.v_proj, h": "own.v_proj, x",
        },
        "queries of tokens before the norm": {"own.q_proj, h": "own.q_proj, x"},
        "the memory is normalized": {
            "other.k_proj, memory": "other.k_proj, layer.norm2(memory)",
            "other.v_proj, memory": "other.v_proj, layer.norm2(memory)",
        },
        "the feed-forward network is missing": {
            "x + drop(net(layer.norm3(x))) if first else layer.norm3(x + drop(net(x)))": "x"
        },
        "one norm for several sublayers": {
            "h = layer.norm2(x)": "h = layer.norm1(x)",
            "else layer.norm2(x)": "else layer.norm1(x)",
        },
        "only the first layer is run": {"enumerate(self.stack.layers)": "enumerate(self.stack.layers[:1])"},
        "pre-norm is ignored": {"layer.cross_attn, layer.norm_first": "layer.cross_attn, False"},
        "post-norm is ignored": {"layer.cross_attn, layer.norm_first": "layer.cross_attn, True"},
        "no output projection": {"drop(own.out_proj(": "drop((", "drop(other.out_proj(": "drop(("},
        "the target is not read": {
            "x = x + drop(own.out": "_ = x + drop(own.out",
            "x = x if first else layer.norm1(x)": "pass",
        },
        "no residual connection": {
            "x = x + drop(own.out": "x = drop(own.out",
            "x = x + drop(other.out": "x = drop(other.out",
            "x + drop(net(layer.norm3(x)))": "drop(net(layer.norm3(x)))",
            "layer.norm3(x + drop(": "layer.norm3(drop(",
        },
        "the normalized tokens are added": [
            {"x = x + drop(own.out": "x = h + drop(own.out"},
            {"x = x + drop(other.out": "x = h + drop(other.out"},
        ],
        "the feed-forward network reads tokens before the norm": {"net(layer.norm3(x))": "net(x)"},
        "nothing is dropped in training": {"layer.norm_first, layer.dropout": "layer.norm_first, nn.Identity()"},
        "new tokens see what comes after them": {
            "torch.arange(old + new) <= torch.arange(old": "torch.arange(old + new) >= torch.arange(old"
        },
        "only the last new token is returned": {
            "self.stack.norm(x) if self.stack.norm else x": "(self.stack.norm or nn.Identity())(x)[:, -1:]"
        },
        "no norm at the end + the source's mask is not used": {
            "self.source[i], cross_mask": "self.source[i], None",
            "self.stack.norm(x) if self.stack.norm else x": "x",
        },
    },
)


@disguise("CachedDecoder", "the mask begins at position 0 again")
class d_restart(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, before + new, dtype=torch.bool).tril()


@disguise("CachedDecoder", "new tokens see those after them")
class d_open(Rolled):
    def mask(self, before: int, new: int) -> None:
        return None


@disguise("CachedDecoder", "the mask is made when the cache has grown")
class d_late_mask(Rolled):
    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        late = super().mask(self.length, h.size(1))
        return super().read_target(number, layer, h, late)


@disguise("CachedDecoder", "queries are cached as keys")
class d_queries(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        return split_heads(part.q_proj(x), part.num_heads), split_heads(part.v_proj(x), part.num_heads)


@disguise("CachedDecoder", "keys are asked in the place of queries")
class d_keys_ask(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        heads = F.scaled_dot_product_attention(split_heads(part.k_proj(x), part.num_heads), k, v, mask)
        return part.out_proj(merge_heads(heads))


@disguise("CachedDecoder", "keys are cached as values")
class d_keys_twice(Rolled):
    def keys(self, part: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        k = split_heads(part.k_proj(x), part.num_heads)
        return k, k


@disguise("CachedDecoder", "the memory is appended at every call")
class d_memory_again(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        k, v = self.grown((number, "cross"), *self.keys(layer.cross_attn, memory))
        return self.ask(layer.cross_attn, h, k, v, mask)


@disguise("CachedDecoder", "the memory is projected at every call")
class d_recomputed(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return layer.cross_attn(h, memory, memory, mask)[0]


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache(Rolled):
    def __init__(self, decoder: Any) -> None:
        super().__init__(decoder)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        k, v = self.grown((0, "self"), *self.keys(layer.self_attn, h))
        return self.ask(layer.self_attn, h, k, v, mask)


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache_of_both(Rolled):
    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().grown((0, name[1]), k, v)

    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(0, layer, h, memory, mask)


@disguise("CachedDecoder", "one cache for target and source")
class d_source_behind_target(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        if (number, "cross") not in self.kept:
            self.kept[number, "cross"] = self.grown((number, "self"), *self.keys(layer.cross_attn, memory))
        return self.ask(layer.cross_attn, h, *self.kept[number, "self"], mask)


@disguise("CachedDecoder", "the mask is for the new tokens only")
class d_new_columns(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, new, dtype=torch.bool).tril()


@disguise("CachedDecoder", "the mask the wrong way round")
class d_turned_mask(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return torch.ones(new, before + new, dtype=torch.bool).triu(before + 1)

    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return part.out_proj(merge_heads(scores.softmax(-1).nan_to_num(0.0) @ v))


@disguise("CachedDecoder", "queries of tokens before the norm")
class d_asks_unnormed(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        self.raw = x
        return super().around(x, sublayer, norm, layer)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        found = self.grown((number, "self"), *self.keys(layer.self_attn, h))
        return self.ask(layer.self_attn, self.raw, *found, mask)


@disguise("CachedDecoder", "the memory is normalized")
class d_memory_normed(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(number, layer, h, layer.norm2(memory), mask)


@disguise("CachedDecoder", "the feed-forward network is missing")
class d_no_feed_forward(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return x if sublayer is layer.feed_forward else super().around(x, sublayer, norm, layer)


@disguise("CachedDecoder", "one norm for several sublayers")
class d_one_norm(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return super().around(x, sublayer, layer.norm1, layer)


class Slices(Rolled):
    """Runs other layers than all in their turn."""

    def numbers(self) -> list[int]:
        return []

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number in self.numbers():
            layer: Any = self.decoder.layers[number]
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)


@disguise("CachedDecoder", "only the first layer is run")
class d_first_layer(Slices):
    def numbers(self) -> list[int]:
        return [0]


@disguise("CachedDecoder", "every layer is the first")
class d_first_layer_again(Slices):
    def numbers(self) -> list[int]:
        return [0] * len(self.decoder.layers)


@disguise("CachedDecoder", "post-norm is ignored")
class d_pre(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return x + layer.dropout(sublayer(norm(x)))


@disguise("CachedDecoder", "two texts share one cache")
class d_on_the_decoder(Rolled):
    @property
    def kept(self) -> dict:
        return self.__dict__["decoder_"].caches

    @kept.setter
    def kept(self, value: dict) -> None:
        self.__dict__["decoder_"] = self.decoder
        self.decoder.__dict__["caches"] = value


@disguise("CachedDecoder", "the target is not cached")
class d_alone(Rolled):
    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        self.kept[number, "self"] = self.keys(layer.self_attn, h)
        return layer.self_attn(h, h, h)[0]

    @property
    def length(self) -> int:
        return 0


@disguise("CachedDecoder", "no norm at the end")
class d_no_norm(Rolled):
    def finish(self, x: Tensor) -> Tensor:
        return x


@disguise("CachedDecoder", "the source's mask is not used")
class d_unmasked(Rolled):
    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        return super().forward(x, memory)


@disguise("CachedDecoder", "keys and values of tokens before the norm")
class d_unnormed(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        self.raw = x
        return super().around(x, sublayer, norm, layer)

    def read_target(self, number: int, layer: Any, h: Tensor, mask: Tensor | None) -> Tensor:
        found = self.grown((number, "self"), *self.keys(layer.self_attn, self.raw))
        return self.ask(layer.self_attn, h, *found, mask)


@disguise("CachedDecoder", "pre-norm is ignored")
class d_post(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return norm(x + layer.dropout(sublayer(x)))


@disguise("CachedDecoder", "no output projection")
class d_no_out(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        return merge_heads(F.scaled_dot_product_attention(q, k, v, mask))


@disguise("CachedDecoder", "only the last new token is returned")
class d_last(Rolled):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(x)[:, -1:]


# CachedDecoder, right ----------------------------------------------------------------------------


@correct("CachedDecoder")
class d_fused(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split_heads(part.q_proj(x), part.num_heads)
        return part.out_proj(merge_heads(F.scaled_dot_product_attention(q, k, v, mask)))


@correct("CachedDecoder")
class d_einsum(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = part.q_proj(x).unflatten(-1, (part.num_heads, -1))
        scores = torch.einsum("bqhd,bhkd->bhqk", q, k) / math.sqrt(q.size(-1))
        if mask is not None:
            scores = torch.where(mask, scores, -1e30)
        return part.out_proj(torch.einsum("bhqk,bhkd->bqhd", scores.softmax(-1), v).flatten(2))


@correct("CachedDecoder")
class d_no_mask_for_one(Rolled):
    def mask(self, before: int, new: int) -> Tensor | None:
        return None if new == 1 else super().mask(before, new)


class d_inputs_of_one_token(nn.Module):
    """Several new tokens are read one after the other; with add_norm and partials."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.stack = decoder
        self.reset()

    def reset(self) -> None:
        self.caches = [(stand_in.KVCache(), stand_in.KVCache()) for _ in self.stack.layers]

    length = property(lambda self: self.caches[0][0].length)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        return torch.cat([self.one(token, memory, cross_mask) for token in x.split(1, dim=1)], dim=1)

    def write(self, part: Any, cache: Any, x: Tensor) -> None:
        k, v = part.k_proj(x), part.v_proj(x)
        cache.append(split_heads(k, part.num_heads), split_heads(v, part.num_heads))

    def ask(self, part: Any, cache: Any, mask: Tensor | None, h: Tensor) -> Tensor:
        q = split_heads(part.q_proj(h), part.num_heads)
        return part.out_proj(merge_heads(F.scaled_dot_product_attention(q, cache.k, cache.v, mask)))

    def read(self, part: Any, cache: Any, h: Tensor) -> Tensor:
        self.write(part, cache, h)
        return self.ask(part, cache, None, h)

    def one(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None) -> Tensor:
        for layer, (own, cross) in zip(self.stack.layers, self.caches, strict=True):
            if cross.length == 0:
                self.write(layer.cross_attn, cross, memory)
            target = functools.partial(self.read, layer.self_attn, own)
            source = functools.partial(self.ask, layer.cross_attn, cross, cross_mask)
            for sublayer, norm in ((target, layer.norm1), (source, layer.norm2), (layer.feed_forward, layer.norm3)):
                x = add_norm(x, sublayer, norm, layer.dropout, layer.norm_first)
        return self.stack.norm(x) if self.stack.norm is not None else x


slips(
    "CachedDecoder",
    d_inputs_of_one_token,
    {
        "queries are cached as keys": {"k, v = part.k_proj(x)": "k, v = part.q_proj(x)"},
        "keys are asked in the place of queries": {"part.q_proj(h)": "part.k_proj(h)"},
        "keys are cached as values": {"part.v_proj(x)": "part.k_proj(x)"},
        "the memory is appended at every call": {
            "        return torch.cat([self.one": (
                "        for layer, (_, cross) in zip(self.stack.layers, self.caches, strict=True):\n"
                "            self.write(layer.cross_attn, cross, memory)\n"
                "        return torch.cat([self.one"
            ),
            "            if cross.length == 0:\n                self.write(layer.cross_attn, cross, memory)\n": "",
        },
        "no norm at the end": {"self.stack.norm(x) if self.stack.norm is not None else x": "x"},
        "the source's mask is not used": {"cross, cross_mask)": "cross, None)"},
        "the memory is normalized": {"cross, memory)": "cross, layer.norm2(memory))"},
        "the feed-forward network is missing": {", (layer.feed_forward, layer.norm3)": ""},
        "one norm for several sublayers": [
            {"layer.norm2": "layer.norm1"},
            {"layer.norm2": "layer.norm1", "layer.norm3": "layer.norm1"},
        ],
        "only the first layer is run": {
            "zip(self.stack.layers, self.caches, strict=True)": "zip(self.stack.layers[:1], self.caches)"
        },
        "nothing is dropped in training": {"layer.dropout": "nn.Identity()"},
        "the target is not read": {"(target, layer.norm1), ": ""},
        "pre-norm is ignored": {", layer.norm_first": ""},
        "post-norm is ignored": {"layer.norm_first": "True"},
        "no output projection": {"part.out_proj(": "("},
        "only the last new token is returned": {"], dim=1)": "][-1:], dim=1)"},
    },
)


@correct("CachedDecoder")
class d_reserved(Rolled):
    """Keys in one tensor with room for 16 tokens."""

    def grown(self, name: Any, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        room, filled = self.kept.get((name, "room"), (k.new_zeros(2, *k.shape[:2], 16, k.size(3)), 0))
        end = filled + k.size(2)
        room[0, :, :, filled:end], room[1, :, :, filled:end] = k, v
        self.kept[name, "room"] = room, end
        self.kept[name] = room[0, :, :, :end], room[1, :, :, :end]
        return self.kept[name]


# CachedDecoder, wrong in other ways ----------------------------------------------------------------------------


@disguise("CachedDecoder", "the decoder is copied")
class d_copied(Rolled):
    def __init__(self, decoder: Any) -> None:
        super().__init__(copy.deepcopy(decoder))


@unlisted("CachedDecoder")
class d_recomputes(nn.Module):
    """Right numbers, and everything is computed again at every call."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.decoder = decoder
        self.reset()

    def reset(self) -> None:
        self.seen: list[Tensor] = []

    @property
    def length(self) -> int:
        return sum(one.size(1) for one in self.seen)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        self.seen.append(x)
        every = torch.cat(self.seen, 1)
        mask = torch.ones(every.size(1), every.size(1), dtype=torch.bool).tril()
        return self.decoder(every, memory, mask, cross_mask)[:, -x.size(1) :]


@disguise("CachedDecoder", "no residual connection")
class d_no_residual(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return layer.dropout(sublayer(norm(x))) if layer.norm_first else norm(layer.dropout(sublayer(x)))


@unlisted("CachedDecoder")
class d_no_source(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return 0 * h


@disguise("CachedDecoder", "the scores have another scale")
class d_unscaled(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        return super().ask(part, x, k * k.size(-1) ** 0.5, v, mask)


@disguise("CachedDecoder", "reset forgets a part")
class d_reset_keeps_source(Rolled):
    def reset(self) -> None:
        self.kept = {name: pair for name, pair in getattr(self, "kept", {}).items() if name[1] == "cross"}

    @property
    def length(self) -> int:
        return self.kept[0, "self"][0].size(2) if (0, "self") in self.kept else 0


@unlisted("CachedDecoder")
class d_window(Rolled):
    def mask(self, before: int, new: int) -> Tensor:
        return super().mask(before, new).triu(before - 1)


@disguise("CachedDecoder", "the first text's mask for every text")
class d_mask_by_shape(Rolled):
    """Keeps the mask of a source for the next of its shape."""

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        known = self.__dict__.setdefault("known_masks", {})
        if cross_mask is not None:
            cross_mask = known.setdefault(tuple(cross_mask.shape), cross_mask)
        return super().forward(x, memory, cross_mask)


# CachedDecoder, of a second adversary ----------------------------------------------------------------------------


def rolled(mistake: str, **parts: Any) -> None:
    """Add a decoder with replaced parts."""
    disguise("CachedDecoder", mistake)(type("Own", (Rolled,), parts))


def viewed(x: Tensor, heads: int) -> Tensor:
    return x.reshape(x.size(0), heads, x.size(1), x.size(2) // heads)


def asks_with(split: Callable, joined: Callable = merge_heads, kept: bool = False) -> Callable:
    def ask(self: Any, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        q = split(part.q_proj(x), part.num_heads)
        if kept:
            old = self.kept.get((part, "asked"))
            q = self.kept[part, "asked"] = q if old is None else torch.cat([old, q], dim=2)
        scores = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        return part.out_proj(joined(scores.softmax(-1) @ v)[:, -x.size(1) :])

    return ask


def in_one_head(x: Tensor, heads: int) -> Tensor:
    return x.unsqueeze(1)


rolled("a layer is left out", order=lambda self: list(enumerate(self.decoder.layers))[:-1])
rolled("the last layer is run first", order=lambda self: list(enumerate(self.decoder.layers))[::-1])
rolled("heads cut in the wrong order", ask=asks_with(viewed))
rolled("queries are kept too", ask=asks_with(split_heads, kept=True))
rolled(
    "one head",
    ask=asks_with(in_one_head),
    keys=lambda self, part, x: (part.k_proj(x).unsqueeze(1), part.v_proj(x).unsqueeze(1)),
)
rolled(
    "one of the two is not projected",
    keys=lambda self, part, x: (split_heads(part.k_proj(x), part.num_heads), split_heads(x, part.num_heads)),
)
rolled(
    "the cross-attention reads the target",
    read_source=lambda self, number, layer, h, memory, mask: Rolled.read_source(self, number, layer, h, h, mask),
)
rolled("the mask is one row off", mask=lambda self, before, new: torch.ones(new, before + new).bool().tril(before + 1))
rolled(
    "the mask has rows of old tokens",
    mask=lambda self, before, new: torch.ones(before + new, before + new, dtype=torch.bool).tril(),
)
rolled(
    "new tokens see what comes after them",
    mask=lambda self, before, new: torch.ones(new, before + new).bool().triu(before),
)
rolled(
    "nothing is dropped in training",
    around=lambda self, x, sublayer, norm, layer: x + sublayer(norm(x)) if layer.norm_first else norm(x + sublayer(x)),
)
rolled(
    "one sublayer ignores pre-norm",
    around=lambda self, x, sublayer, norm, layer: (
        norm(x + layer.dropout(sublayer(x))) if norm is layer.norm3 else Rolled.around(self, x, sublayer, norm, layer)
    ),
)
rolled(
    "one sublayer ignores post-norm",
    around=lambda self, x, sublayer, norm, layer: (
        x + layer.dropout(sublayer(norm(x))) if norm is layer.norm1 else Rolled.around(self, x, sublayer, norm, layer)
    ),
)
rolled(
    "the target is not read",
    around=lambda self, x, sublayer, norm, layer: (
        (x, sublayer(x))[0] if norm is layer.norm1 else Rolled.around(self, x, sublayer, norm, layer)
    ),
)
rolled(
    "the normalized tokens are added",
    around=lambda self, x, sublayer, norm, layer: (
        norm(x) + layer.dropout(sublayer(norm(x))) if layer.norm_first else norm(x + layer.dropout(sublayer(x)))
    ),
)
rolled(
    "the feed-forward network reads tokens before the norm",
    around=lambda self, x, sublayer, norm, layer: (
        x + layer.dropout(sublayer(x))
        if norm is layer.norm3 and layer.norm_first
        else Rolled.around(self, x, sublayer, norm, layer)
    ),
)
rolled(
    "the source is not read",
    around=lambda self, x, sublayer, norm, layer: (
        x if norm is layer.norm2 else Rolled.around(self, x, sublayer, norm, layer)
    ),
)
rolled(
    "queries of other tokens for the source",
    around=lambda self, x, sublayer, norm, layer: (
        x + layer.dropout(sublayer(x))
        if norm is layer.norm2 and layer.norm_first
        else Rolled.around(self, x, sublayer, norm, layer)
    ),
)


@disguise("CachedDecoder", "the source is read first")
class SourceFirst(Rolled):
    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number, layer in self.order():
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)
