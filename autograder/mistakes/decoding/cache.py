"""Wrong ways of the cache of keys and values, and of the decoder that uses it."""

from autograder.probing.mistake import Mistake

# KVCache ----------------------------------------------------------------------------

CACHE = "KVCache"
KEEP_K = "self.k = torch.cat([self.k, k], dim=-2)"
KEEP_V = "self.v = torch.cat([self.v, v], dim=-2)"
ALL = "return self.k, self.v"
COUNT = "return 0 if self.k is None else self.k.size(-2)"

FORGOTTEN = "The cache forgets: each call replaces what was there. Only the newest keys and values are left, and the next token can look at nothing before. Put them *behind* those that are kept."
replaced = Mistake(
    "the old ones are replaced", of=CACHE, swaps={KEEP_K: "self.k = k", KEEP_V: "self.v = v"}, says=FORGOTTEN
)

in_front = Mistake(
    "new ones in front",
    of=CACHE,
    swaps={KEEP_K: "self.k = torch.cat([k, self.k], dim=-2)", KEEP_V: "self.v = torch.cat([v, self.v], dim=-2)"},
    says="The new keys and values stand in front. Attention itself would not notice, but a causal mask goes by places: key i belongs to token i. The oldest comes first.",
)


ELSEWHERE = (
    "The new keys are joined on along another dimension. Then there are longer keys, more heads or more texts, but no more tokens. Of (batch, num_heads, length, d_head) it is `length` that grows: "
    "`dim=-2`. `torch.cat` takes dimension 0 unless told otherwise."
)


def _joined(dim: int) -> Mistake:
    return Mistake(
        "joined along another dimension",
        of=CACHE,
        swaps={
            KEEP_K: f"self.k = torch.cat([self.k, k], dim={dim})",
            KEEP_V: f"self.v = torch.cat([self.v, v], dim={dim})",
        },
        says=ELSEWHERE,
    )


along_features, along_heads, along_batch = _joined(-1), _joined(1), _joined(0)

KEYS_TWICE = "What you keep as values are keys. A token is found by its key, and gives its value: they are different numbers, and attention needs both. `v` goes into `self.v`."
keys_behind = Mistake(
    "keys among the values", of=CACHE, swap=KEEP_V, by="self.v = torch.cat([self.v, k], dim=-2)", says=KEYS_TWICE
)
keys_at_first = Mistake(
    "keys among the values", of=CACHE, swap="self.k, self.v = k, v", by="self.k, self.v = k, k", says=KEYS_TWICE
)

NOT_KEPT = "What you join is returned, but not kept. At the next call the cache is as it was before, and the tokens of this call are missing. Write it into `self.k` and `self.v`."
not_kept = Mistake(
    "what is joined is not kept",
    of=CACHE,
    swaps={
        KEEP_K: "k = torch.cat([self.k, k], dim=-2)",
        KEEP_V: "v = torch.cat([self.v, v], dim=-2)\n            return k, v",
    },
    says=NOT_KEPT,
)

exchanged = Mistake(
    "keys and values exchanged",
    of=CACHE,
    swap=ALL,
    by="return self.v, self.k",
    says="Keys and values come back in each other's place. `append` returns first the keys, then the values.",
)

ONLY_NEW = "You return the new keys and values only. Attention needs all that have been read: return what is kept, after appending."
only_new = Mistake("returns only the new ones", of=CACHE, swap=ALL, by="return k, v", says=ONLY_NEW)

values_lost = Mistake(
    "only the keys are kept",
    of=CACHE,
    swap=KEEP_V,
    by="self.v = v",
    says="The keys grow, the values do not. Every key needs its value: what is found under it. Append both.",
)

keys_lost = Mistake(
    "only the values are kept",
    of=CACHE,
    swap=KEEP_K,
    by="self.k = k",
    says="The values grow, the keys do not. Every value needs its key, by which it is found. Append both.",
)

calls_counted = Mistake(
    "counts calls, not tokens",
    of=CACHE,
    swaps={
        "return 0 if self.k is None else self.k.size(-2)": 'return getattr(self, "calls", 0)',
        "if self.k is None or self.v is None:": 'self.calls = getattr(self, "calls", 0) + 1\n        if self.k is None or self.v is None:',
    },
    says="`length` counts the calls of `append`. A call may bring several tokens. Take the size of what is kept.",
)

WRONG_SIZE = "`length` is the size of another dimension. Tokens lie in dimension -2 of (batch, num_heads, length, d_head); the other three never change."
of_heads = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(1)", says=WRONG_SIZE
)
of_batch = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(0)", says=WRONG_SIZE
)
of_features = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(-1)", says=WRONG_SIZE
)

# CachedDecoder ----------------------------------------------------------------------------

DECODER = "CachedDecoder"
ATTEND = "CachedDecoder.attend"
RUN = "CachedDecoder.run_layer"
FORWARD = "CachedDecoder.forward"
MASK = "causal_mask(self.length + x.size(1))[self.length :]"
KEYS = "split_heads(attention.k_proj(new), heads)"
VALUES = "split_heads(attention.v_proj(new), heads)"
OWN = "self.attend(layer.self_attn, h, h, own, self_mask)"
CROSS = "self.attend(layer.cross_attn, h, unread, cross, cross_mask)"
UNREAD = "unread = memory if cross.length == 0 else None"

RESTART = "Your mask begins at position 0 again. The new tokens are taken for the first ones of the text, and see as little as those. They stand behind all that is in the cache: take the *last* rows of the causal mask."
restarts = Mistake(
    "the mask begins at position 0 again",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(self.length + x.size(1))[: x.size(1)]",
    says=RESTART,
)

MASK_NEW = "Your mask has columns for the new tokens only. One token at a time that does not show, because its single True stands for every key. Several at once, it does not fit: they look at all that is in the cache. A row for each new token, a column for every token so far."
new_columns = Mistake(
    "the mask is for the new tokens only",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(x.size(1))",
    says=MASK_NEW,
)
turned_mask = Mistake(
    "the mask the wrong way round",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by=f"~{MASK}",
    says='Your mask hides what may be seen and shows what may not. Here True means "may look", as in every lesson of this course; no `~` is needed.',
)

NO_MASK = "New tokens that come together see each other's future. One at a time there is nothing to hide, so nothing shows; two at a time, the first must not see the second. Each new token needs its own row of the causal mask."
no_mask = Mistake(
    "new tokens see those after them",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(self.length + x.size(1)).new_ones(x.size(1), self.length + x.size(1))",
    says=NO_MASK,
)

mask_too_late = Mistake(
    "the mask is made when the cache has grown",
    of=DECODER,
    inside=FORWARD,
    swap="x = self.run_layer(number, x, memory, self_mask, cross_mask)",
    by="x = self.run_layer(number, x, memory, causal_mask(self.length + x.size(1))[-x.size(1) :], cross_mask)",
    says="The mask is made anew for every layer. But `self.length` has grown once the first layer has run: from the second layer on your mask has columns for tokens that do not exist. "
    "Make it once, before the first layer.",
)

QUERIES_KEPT = "What you put into the cache as keys are queries. A query is asked once, by its own token, and never needed again; what later tokens look at are keys. `k_proj` makes them."
queries_kept = Mistake(
    "queries are cached as keys",
    of=DECODER,
    inside=ATTEND,
    swap=KEYS,
    by="split_heads(attention.q_proj(new), heads)",
    says=QUERIES_KEPT,
)
keys_ask = Mistake(
    "keys are asked in the place of queries",
    of=DECODER,
    inside=ATTEND,
    swap="split_heads(attention.q_proj(query), heads)",
    by="split_heads(attention.k_proj(query), heads)",
    says="Your queries are made by `k_proj`. Each of the three projections has its task: `q_proj` makes what is asked.",
)
keys_as_values = Mistake(
    "keys are cached as values",
    of=DECODER,
    inside=ATTEND,
    swap=VALUES,
    by="split_heads(attention.k_proj(new), heads)",
    says="Keys and values in your cache are the same. A token presents itself by its key and gives its value; `v_proj` makes the values.",
)

AGAIN = (
    "The memory is put into the cache at every call. It is the same at every call: after the first its keys and values are there. Without a mask the result is right all the same, as everything "
    "stands there equally often, and only the work grows. Append it when the cross-attention's cache is empty."
)
memory_again = Mistake(
    "the memory is appended at every call", of=DECODER, inside=RUN, swap=UNREAD, by="unread = memory", says=AGAIN
)

RECOMPUTED = "The source's keys and values are computed anew for every token. The numbers are right, and the work is what a cache is there to save: the memory never changes. Keep what was computed at the first call."
memory_recomputed = Mistake(
    "the memory is projected at every call",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, memory, KVCache(), cross_mask)",
    says=RECOMPUTED,
)

ONE_CACHE = "All layers share one cache. Each layer makes keys of its own from its own tokens, and must find no other layer's among them. One cache for every layer: a list of different objects."
one_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside="CachedDecoder.reset",
    swap="self.self_caches = [KVCache() for _ in self.decoder.layers]",
    by="self.self_caches = [KVCache()] * len(self.decoder.layers)",
    says=ONE_CACHE,
)

every_self_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside=RUN,
    swap="own, cross = self.self_caches[number], self.cross_caches[number]",
    by="own, cross = self.self_caches[0], self.cross_caches[0]",
    says=ONE_CACHE,
)
both_multiplied = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside="CachedDecoder.reset",
    swaps={
        "self.self_caches = [KVCache() for _ in self.decoder.layers]": "self.self_caches = [KVCache()] * len(self.decoder.layers)",
        "self.cross_caches = [KVCache() for _ in self.decoder.layers]": "self.cross_caches = [KVCache()] * len(self.decoder.layers)",
    },
    says=ONE_CACHE,
)
one_cross_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside=RUN,
    swap="self.cross_caches[number]",
    by="self.cross_caches[0]",
    says=ONE_CACHE,
)

ONE_FOR_BOTH = "Target and source share one cache. The tokens that were written and those of the memory then stand behind each other, and each attention reads both. `own` is the target's, `cross` the source's."
one_for_both = Mistake(
    "one cache for target and source",
    of=DECODER,
    inside="CachedDecoder.reset",
    swap="self.cross_caches = [KVCache() for _ in self.decoder.layers]",
    by="self.cross_caches = self.self_caches",
    says=ONE_FOR_BOTH,
)
own_for_both = Mistake(
    "one cache for target and source",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, None, own, cross_mask)",
    says=ONE_FOR_BOTH,
)

SHARED = (
    "Two texts share one cache. Yours hang on the decoder's layers, and there is one decoder: a second CachedDecoder, for another text or another beam, writes into what the first one reads. "
    "Each has caches of its own, `self.self_caches` and `self.cross_caches`."
)
on_the_layers = Mistake(
    "two texts share one cache",
    of=DECODER,
    swaps={
        "self.self_caches = [KVCache() for _ in self.decoder.layers]": "self.self_caches = [vars(one).__setitem__('own', KVCache()) for one in self.decoder.layers]",
        "self.cross_caches = [KVCache() for _ in self.decoder.layers]": "self.cross_caches = [vars(one).__setitem__('cross', KVCache()) for one in self.decoder.layers]",
        "own, cross = self.self_caches[number], self.cross_caches[number]": "own, cross = vars(layer)['own'], vars(layer)['cross']",
        "return self.self_caches[0].length": "return vars(self.decoder.layers[0])['own'].length",
    },
    says=SHARED,
)

no_cache = Mistake(
    "the target is not cached",
    of=DECODER,
    inside=RUN,
    swap=OWN,
    by="self.attend(layer.self_attn, h, h, KVCache(), None)",
    says="New tokens see only each other. What was read before is in no cache, so that every token is alone with itself. Append its keys and values to the layer's own cache, and attend to all that is in it.",
)

NORM_LOST = "The norm at the end of the stack is missing. With pre-norm nothing else normalizes the sum that leaves the last layer. `self.decoder.norm`, where it is not None."
norm_lost = Mistake(
    "no norm at the end",
    of=DECODER,
    inside=FORWARD,
    swap="return x if self.decoder.norm is None else self.decoder.norm(x)",
    by="return x",
    says=NORM_LOST,
)

CROSS_OPEN = (
    "The source's padding is read. `cross_mask` says where the source has real tokens; hand it to the cross-attention."
)
cross_open = Mistake(
    "the source's mask is not used",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, unread, cross, None)",
    says=CROSS_OPEN,
)

UNNORMED = "Into the cache goes x, not what the norm made of it. With pre-norm the sublayer reads the *normalized* tokens: the queries are made of those, and so must be keys and values. Both come from `h`, the sublayer's argument."
unnormed = Mistake(
    "keys and values of tokens before the norm",
    of=DECODER,
    inside=RUN,
    swaps={
        UNREAD: "unread, before = memory if cross.length == 0 else None, x",
        OWN: "self.attend(layer.self_attn, h, before, own, self_mask)",
    },
    says=UNNORMED,
)

asks_unnormed = Mistake(
    "queries of tokens before the norm",
    of=DECODER,
    inside=RUN,
    swaps={
        UNREAD: "unread, before = memory if cross.length == 0 else None, x",
        OWN: "self.attend(layer.self_attn, before, h, own, self_mask)",
    },
    says="The queries are made of x, not of what the norm made of it. With pre-norm the sublayer reads the *normalized* tokens, for queries, keys and values alike: `h`, the sublayer's argument.",
)
memory_normed = Mistake(
    "the memory is normalized",
    of=DECODER,
    inside=RUN,
    swap=UNREAD,
    by="unread = layer.norm2(memory) if cross.length == 0 else None",
    says="The memory goes through the layer's norm. That norm is for the target's tokens; the encoder has dealt with its own. Hand the memory over as it comes.",
)

NO_SUBLAYER = "The feed-forward network is not run. A decoder layer has three sublayers: self-attention, cross-attention, and after them `layer.feed_forward`, with `norm3`."
no_feed_forward = Mistake(
    "the feed-forward network is missing",
    of=DECODER,
    inside=RUN,
    swap="return add_norm(x, layer.feed_forward, layer.norm3, layer.dropout, layer.norm_first)",
    by="return x",
    says=NO_SUBLAYER,
)
ONE_NORM = "One norm serves several sublayers. Each has its own: `norm1` for the self-attention, `norm2` for the cross-attention, `norm3` for the feed-forward network."
one_norm = Mistake(
    "one norm for several sublayers",
    of=DECODER,
    inside=RUN,
    swap="layer.norm2",
    by="layer.norm1",
    says=ONE_NORM,
)
one_norm_of_three = Mistake(
    "one norm for several sublayers",
    of=DECODER,
    inside=RUN,
    swaps={"layer.norm2": "layer.norm1", "layer.norm3": "layer.norm1"},
    says=ONE_NORM,
)

LAYERS = "Not every layer is run in its turn. The stack has several, each with its own weights and its own two caches. `run_layer(number, ...)` for every number, each on what the one before has made."
first_layer_only = Mistake(
    "every layer is the first",
    of=DECODER,
    inside=FORWARD,
    swap="self.run_layer(number, x",
    by="self.run_layer(0, x",
    says=LAYERS,
)
one_layer_only = Mistake(
    "only the first layer is run",
    of=DECODER,
    inside=FORWARD,
    swap="range(len(self.decoder.layers))",
    by="range(1)",
    says=LAYERS,
)

ALWAYS_POST = "Every layer runs as post-norm. `layer.norm_first` says which it is; hand it to `add_norm`, which otherwise takes the paper's order."
always_post = Mistake(
    "pre-norm is ignored",
    of=DECODER,
    inside=RUN,
    swaps={
        "layer.norm1, layer.dropout, layer.norm_first": "layer.norm1, layer.dropout",
        "layer.norm2, layer.dropout, layer.norm_first": "layer.norm2, layer.dropout",
        "layer.norm3, layer.dropout, layer.norm_first": "layer.norm3, layer.dropout",
    },
    says=ALWAYS_POST,
)

always_pre = Mistake(
    "post-norm is ignored",
    of=DECODER,
    inside=RUN,
    swaps={
        "layer.norm1, layer.dropout, layer.norm_first": "layer.norm1, layer.dropout, True",
        "layer.norm2, layer.dropout, layer.norm_first": "layer.norm2, layer.dropout, True",
        "layer.norm3, layer.dropout, layer.norm_first": "layer.norm3, layer.dropout, True",
    },
    says="Every layer runs as pre-norm. `layer.norm_first` says which it is; hand it to `add_norm`.",
)

no_out = Mistake(
    "no output projection",
    of=DECODER,
    inside=ATTEND,
    swap="attention.out_proj(merge_heads(output))",
    by="merge_heads(output)",
    says="The heads stand side by side and never mix. After merging comes `attention.out_proj`, as in MultiHeadAttention.",
)

last_one = Mistake(
    "only the last new token is returned",
    of=DECODER,
    inside=FORWARD,
    swap="for number in range(len(self.decoder.layers)):\n            x = self.run_layer(number, x, memory, self_mask, cross_mask)",
    by="for number in range(len(self.decoder.layers)):\n            x = self.run_layer(number, x, memory, self_mask, cross_mask)\n        x = x[:, -1:]",
    says="Only the last of the new tokens comes back. Whoever hands over three wants three; picking the last place is the caller's affair.",
)
