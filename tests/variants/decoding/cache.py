"""Lesson 10: the cache of keys and values, and the decoder that uses it."""

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
from tests.variants import correct, disguise, unlisted

# KVCache, wrong ----------------------------------------------------------------------------


class Lists:
    """A cache that keeps lists of what it was given."""

    def __init__(self) -> None:
        self.keys: list[Tensor] = []
        self.values: list[Tensor] = []

    @property
    def length(self) -> int:
        return sum(one.size(2) for one in self.keys)

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys.append(k)
        self.values.append(v)
        return self.all_of(self.keys), self.all_of(self.values)

    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2)


@disguise("KVCache", "the old ones are replaced")
class c_replaced(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys, self.values = [k], [v]
        return k, v


@disguise("KVCache", "new ones in front")
class c_front(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[::-1], dim=2)


@disguise("KVCache", "joined along another dimension")
class c_longer_keys:
    def __init__(self) -> None:
        self.both: tuple[Tensor, Tensor] | None = None

    @property
    def length(self) -> int:
        return self.both[0].shape[2] if self.both else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.both = (
            (k, v) if self.both is None else tuple(torch.cat(two, -1) for two in zip(self.both, (k, v), strict=True))
        )
        return self.both


@disguise("KVCache", "joined along another dimension")
class c_more_texts:
    def __init__(self) -> None:
        self.kept: list[Tensor] = []

    @property
    def length(self) -> int:
        return self.kept[0].shape[2] if self.kept else 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.kept = [torch.cat(two) for two in zip(self.kept, (k, v), strict=False)] or [k, v]
        return self.kept[0], self.kept[1]


@disguise("KVCache", "keys and values exchanged")
class c_exchanged(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[::-1]


@disguise("KVCache", "returns only the new ones")
class c_only_new(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        super().append(k, v)
        return k, v


@disguise("KVCache", "only the keys are kept")
class c_keys_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v)[0], v


@disguise("KVCache", "only the values are kept")
class c_values_only(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.keys = []
        return k, super().append(k, v)[1]


@disguise("KVCache", "keys among the values")
class c_keys_among(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, k if self.keys else v)


@disguise("KVCache", "keys among the values")
class c_keys_first(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        return super().append(k, v if self.keys else k)


@disguise("KVCache", "what is joined is not kept")
class c_not_kept(Lists):
    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        if not self.keys:
            return super().append(k, v)
        return torch.cat([self.keys[0], k], dim=2), torch.cat([self.values[0], v], dim=2)


@disguise("KVCache", "counts calls, not tokens")
class c_calls(Lists):
    @property
    def length(self) -> int:
        return len(self.keys)


@disguise("KVCache", "the size of another dimension")
class c_heads(Lists):
    @property
    def length(self) -> int:
        return self.keys[0].shape[1] if self.keys else 0


@disguise("KVCache", "the size of another dimension")
class c_texts(Lists):
    @property
    def length(self) -> int:
        return len(torch.cat(self.keys, 2)) if self.keys else 0


# KVCache, right ----------------------------------------------------------------------------

correct("KVCache")(Lists)


@correct("KVCache")
class c_counted:
    def __init__(self) -> None:
        self.length = 0
        self.pair = None

    def append(self, k: Tensor, v: Tensor) -> list[Tensor]:
        self.length += k.shape[-2]
        self.pair = (
            [k, v] if self.pair is None else [torch.cat(two, dim=-2) for two in zip(self.pair, [k, v], strict=True)]
        )
        return self.pair


@correct("KVCache")
class c_stacked:
    """Keys and values in one tensor."""

    def __init__(self) -> None:
        self.both = None

    length = property(lambda self: 0 if self.both is None else self.both.shape[3])

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        new = torch.stack([k, v])
        self.both = new if self.both is None else torch.cat([self.both, new], 3)
        return self.both.unbind(0)


@correct("KVCache")
class c_reserved:
    """Room is reserved, and doubled when it is full."""

    def __init__(self) -> None:
        self.room: Tensor | None = None
        self.length = 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        end = self.length + k.size(2)
        if self.room is None or end > self.room.size(3):
            room = k.new_empty(2, k.size(0), k.size(1), 2 * end, k.size(3))
            if self.room is not None:
                room[:, :, :, : self.length] = self.room[:, :, :, : self.length]
            self.room = room
        self.room[0, :, :, self.length : end], self.room[1, :, :, self.length : end] = k, v
        self.length = end
        return self.room[0, :, :, :end], self.room[1, :, :, :end]


@correct("KVCache")
class c_module(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("k", None)
        self.register_buffer("v", None)

    @property
    def length(self) -> int:
        return 0 if self.k is None else self.k.shape[2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k = k.clone() if self.k is None else torch.concat((self.k, k), 2)
        self.v = v.clone() if self.v is None else torch.concat((self.v, v), 2)
        return self.k.clone(), self.v.clone()


# KVCache, wrong in other ways ----------------------------------------------------------------------------


@unlisted("KVCache")
class c_one_for_all(Lists):
    keys: list[Tensor] = []  # noqa: RUF012
    values: list[Tensor] = []  # noqa: RUF012

    def __init__(self) -> None:
        pass


@unlisted("KVCache")
class c_flat(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept, dim=2).flatten(0, 1)


@unlisted("KVCache")
class c_last_two(Lists):
    def all_of(self, kept: list[Tensor]) -> Tensor:
        return torch.cat(kept[-2:], dim=2)


@unlisted("KVCache")
class c_added:
    def __init__(self) -> None:
        self.k, self.v, self.length = 0, 0, 0

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        self.k, self.v, self.length = self.k + k, self.v + v, self.length + k.size(2)
        return self.k, self.v


@unlisted("KVCache")
class c_one_less(Lists):
    @property
    def length(self) -> int:
        return max(0, super().length - 1)


# CachedDecoder ----------------------------------------------------------------------------


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
        return x + sublayer(norm(x)) if layer.norm_first else norm(x + sublayer(x))

    def finish(self, x: Tensor) -> Tensor:
        return x if self.decoder.norm is None else self.decoder.norm(x)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        mask = self.mask(self.length, x.size(1))
        for number, layer in enumerate(self.decoder.layers):
            x = self.around(x, functools.partial(self.read_target, number, layer, mask=mask), layer.norm1, layer)
            source = functools.partial(self.read_source, number, layer, memory=memory, mask=cross_mask)
            x = self.around(x, source, layer.norm2, layer)
            x = self.around(x, layer.feed_forward, layer.norm3, layer)
        return self.finish(x)


correct("CachedDecoder")(Rolled)


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


@disguise("CachedDecoder", "one cache for all layers")
class d_one_cache_of_the_source(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return super().read_source(0, layer, h, memory, mask)


@disguise("CachedDecoder", "one cache for target and source")
class d_source_among_target(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return self.ask(layer.cross_attn, h, *self.kept[number, "self"], mask)


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


@disguise("CachedDecoder", "one norm for several sublayers")
class d_two_norms(Rolled):
    def around(self, x: Tensor, sublayer: Any, norm: Any, layer: Any) -> Tensor:
        return super().around(x, sublayer, layer.norm1 if norm is layer.norm2 else norm, layer)


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
        return x + sublayer(norm(x))


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
        return norm(x + sublayer(x))


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


@correct("CachedDecoder")
class d_inputs_of_one_token(nn.Module):
    """Several new tokens are read one after the other; with add_norm and lambdas."""

    def __init__(self, decoder: Any) -> None:
        super().__init__()
        self.stack = decoder
        self.reset()

    def reset(self) -> None:
        self.caches = [(stand_in.KVCache(), stand_in.KVCache()) for _ in self.stack.layers]

    length = property(lambda self: self.caches[0][0].length)

    def forward(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None = None) -> Tensor:
        return torch.cat([self.one(token, memory, cross_mask) for token in x.split(1, dim=1)], dim=1)

    def one(self, x: Tensor, memory: Tensor, cross_mask: Tensor | None) -> Tensor:
        for layer, (own, cross) in zip(self.stack.layers, self.caches, strict=True):
            if cross.length == 0:
                cross.append(*stand_in._keys(layer.cross_attn, memory))

            def target(h: Tensor, layer: Any = layer, own: Any = own) -> Tensor:
                found = own.append(*stand_in._keys(layer.self_attn, h))
                return stand_in._attend(layer.self_attn, h, found, None)

            def source(h: Tensor, layer: Any = layer, cross: Any = cross) -> Tensor:
                return stand_in._attend(layer.cross_attn, h, (cross.k, cross.v), cross_mask)

            for sublayer, norm in ((target, layer.norm1), (source, layer.norm2), (layer.feed_forward, layer.norm3)):
                x = add_norm(x, sublayer, norm, layer.dropout, layer.norm_first)
        return self.stack.norm(x) if self.stack.norm is not None else x


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


@unlisted("CachedDecoder")
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


@unlisted("CachedDecoder")
class d_no_residual(Rolled):
    def around(self, x: Tensor, sublayer: Callable, norm: Any, layer: Any) -> Tensor:
        return sublayer(norm(x)) if layer.norm_first else norm(sublayer(x))


@unlisted("CachedDecoder")
class d_no_source(Rolled):
    def read_source(self, number: int, layer: Any, h: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        return 0 * h


@unlisted("CachedDecoder")
class d_unscaled(Rolled):
    def ask(self, part: Any, x: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
        return super().ask(part, x, k * k.size(-1) ** 0.5, v, mask)


@unlisted("CachedDecoder")
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
