"""Wrong ways of the decoder that uses the cache."""

from autograder.checks.decoding import cached_decoder
from autograder.probing.mistake import edit

# CachedDecoder ----------------------------------------------------------------------------

RESET = "CachedDecoder.reset"
ATTEND = "CachedDecoder.attend"
RUN = "CachedDecoder.run_layer"
FORWARD = "CachedDecoder.forward"
SELF_CACHES = "self.self_caches = [KVCache() for _ in self.decoder.layers]"
CROSS_CACHES = "self.cross_caches = [KVCache() for _ in self.decoder.layers]"
BOTH_CACHES = "own, cross = self.self_caches[number], self.cross_caches[number]"
MASK = "causal_mask(self.length + x.size(1))[self.length :]"
ONE_LAYER = "x = self.run_layer(number, x, memory, self_mask, cross_mask)"
ALL_LAYERS = f"for number in range(len(self.decoder.layers)):\n            {ONE_LAYER}"
OWN = "self.attend(layer.self_attn, h, h, own, self_mask)"
ATTENDED = "output, _ = scaled_dot_product_attention(q, cache.k, cache.v, mask)"
CROSS = "self.attend(layer.cross_attn, h, unread, cross, cross_mask)"
UNREAD = "unread = memory if cross.length == 0 else None"
TARGET_READ = "x = add_norm(x, read_target, layer.norm1, layer.dropout, layer.norm_first)"
SOURCE_READ = "x = add_norm(x, read_source, layer.norm2, layer.dropout, layer.norm_first)"
LOOP = "range(len(self.decoder.layers))"
QUERIES = "q = split_heads(attention.q_proj(query), heads)"

cached_decoder.mistake(
    "the mask begins at position 0 again",
    "Your mask begins at position 0 again. The new tokens are taken for the first tokens of the text, and see as little as those. But they come after "
    "everything in the cache: take the *last* rows of the causal mask.",
    edit({MASK: "causal_mask(self.length + x.size(1))[: x.size(1)]"}, inside=FORWARD),
)

cached_decoder.mistake(
    "the mask is for the new tokens only",
    "Your mask has columns for the new tokens only. With one token at a time that does not show, because its single True holds for every key. With "
    "several tokens at once it does not fit: they look at everything in the cache. The mask needs a row for each new token and a column for every token "
    "so far.",
    edit({MASK: "causal_mask(x.size(1))"}, inside=FORWARD),
)

cached_decoder.mistake(
    "the mask the wrong way round",
    'Your mask hides what may be seen and shows what may not. Here True means "may look", as in every lesson of this course; no `~` is needed.',
    edit({MASK: f"~{MASK}"}, inside=FORWARD),
    edit(
        {ATTENDED: ATTENDED.replace("mask)", "None if mask is None else ~mask)")},
        inside=ATTEND,
        says='Both masks are turned round: what may be seen is hidden, and what may not is shown. Here True means "may look", as in every lesson of this course; what is filled with -inf is `~mask`.',
    ),
    edit(
        {CROSS: CROSS.replace("cross_mask)", "None if cross_mask is None else ~cross_mask)")},
        inside=RUN,
        says='The mask of the source is turned round: its padding is read, and nothing else. Here True means "may look", as in every lesson of this course; no `~` is needed.',
    ),
)

cached_decoder.mistake(
    "new tokens see those after them",
    "New tokens that come together see each other's future. With one token at a time there is nothing to hide; with two at a time, the first must not "
    "see the second. Each new token needs its own row of the causal mask.",
    edit({MASK: "causal_mask(self.length + x.size(1)).new_ones(x.size(1), self.length + x.size(1))"}, inside=FORWARD),
    *(
        edit(
            {OWN: OWN.replace("self_mask", seen)},
            inside=RUN,
            says=f"In {name} new tokens that come together see each other's future. Whatever the order of the norms, each needs its own row of the causal mask.",
        )
        for seen, name in (
            ("None if layer.norm_first else self_mask", "pre-norm"),
            ("self_mask if layer.norm_first else None", "post-norm"),
        )
    ),
    edit(
        {MASK: f"{MASK} if self.length == 0 else torch.ones(x.size(1), self.length + x.size(1), dtype=torch.bool)"},
        inside=FORWARD,
        says="From the second call on, new tokens that come together see each other's future. With one token at a time there is nothing to hide; with "
        "two at a time, the first must not see the second, whatever is in the cache already.",
    ),
)

cached_decoder.mistake(
    "no mask is used",
    "No mask reaches your attention. New tokens that come together see each other's future, and the padding of the source is read. Hand `mask` on.",
    edit({ATTENDED: ATTENDED.replace("mask)", "None)")}, inside=ATTEND),
)

cached_decoder.mistake(
    "the mask is made when the cache has grown",
    "The mask is made anew for every layer. But `self.length` has grown once the first layer has run: from the second layer on your mask has columns for tokens that do not exist. "
    "Make it once, before the first layer.",
    edit(
        {
            ONE_LAYER: "x = self.run_layer(number, x, memory, causal_mask(self.length + x.size(1))[-x.size(1) :], cross_mask)"
        },
        inside=FORWARD,
    ),
)

cached_decoder.mistake(
    "queries are cached as keys",
    "What you put into the cache as keys are queries. A query is used once, by its own token, and never needed again; later tokens look at keys. "
    "`k_proj` makes them.",
    edit({"split_heads(attention.k_proj(new), heads)": "split_heads(attention.q_proj(new), heads)"}, inside=ATTEND),
    *(
        edit(
            {"attention.k_proj(new)": f"(attention.q_proj(query) if {own} else attention.k_proj(new))"},
            inside=ATTEND,
            says="What the self-attention puts into the cache as keys are queries. A query is used once, by its own token, and never needed again; later tokens look at keys. `k_proj` makes them.",
        )
        for own in ("new is query", "new.size(1) == query.size(1)")
    ),
)

cached_decoder.mistake(
    "keys are asked in the place of queries",
    "Your queries are made by `k_proj`. Each of the three projections has its task: `q_proj` makes the queries.",
    edit({"split_heads(attention.q_proj(query), heads)": "split_heads(attention.k_proj(query), heads)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "keys are cached as values",
    "Keys and values in your cache are the same. Queries are compared with a token's key and read its value; `v_proj` makes the values.",
    edit({"split_heads(attention.v_proj(new), heads)": "split_heads(attention.k_proj(new), heads)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "queries are cached as values",
    "What you put into the cache as values are queries. Queries are compared with a token's key and read its value; `v_proj` makes the values.",
    edit({"attention.v_proj(new)": "attention.q_proj(new)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "values are cached as keys",
    "What you put into the cache as keys are values. Queries are compared with a token's key; `k_proj` makes the keys.",
    edit({"attention.k_proj(new)": "attention.v_proj(new)"}, inside=ATTEND),
)

BY_HAND = """scores = q @ cache.k.transpose(-2, -1) / cache.k.size(-1) ** 0.5
        scores = scores if mask is None else scores.masked_fill(~mask, float("-inf"))
        output = scores.softmax(dim={dim}){more} @ cache.v"""

cached_decoder.mistake(
    "softmax along another dimension",
    "The weights of a query do not sum to 1: your softmax runs along the queries, not along the keys. Each query shares its attention out among the keys, the last dimension of the scores.",
    *(edit({ATTENDED: BY_HAND.format(dim=-2, more=more)}, inside=ATTEND) for more in ("", ".nan_to_num(0.0)")),
)

cached_decoder.mistake(
    "the scores have another scale",
    "The scores are not divided by the square root of d_head. `scaled_dot_product_attention` does it; where the scores are made by hand, d_head is the width of one head, `q.size(-1)`.",
    *(
        edit({ATTENDED: ATTENDED.replace("(q, ", f"(q * {by}, ")}, inside=ATTEND, says=says)
        for by, says in (
            ("q.size(-1) ** 0.5", ""),
            (
                "(q.size(-1) / query.size(-1)) ** 0.5",
                "The scores are divided by the square root of d_model. Each head compares vectors of d_head features, so it is the square root of d_head, `q.size(-1)`.",
            ),
            (
                "q.size(-1) ** -0.5",
                "The scores are divided by d_head, or by its square root twice. Once is right: `scaled_dot_product_attention` does it already.",
            ),
        )
    ),
)

cached_decoder.mistake(
    "the memory is appended at every call",
    "The memory is put into the cache at every call. The memory is the same at every call: after the first call its keys and values are there. Without "
    "a mask the result is still right, because everything stands there equally often, and only the work grows. Append it when the cross-attention's "
    "cache is empty.",
    edit({UNREAD: "unread = memory"}, inside=RUN),
    edit(
        {UNREAD: "unread = memory if cross.length == 0 or number else None"},
        inside=RUN,
        says="From the second layer on the memory is put into the cache at every call. Every layer has a cache of its own, and each is asked by itself whether it is still empty: `cross.length == 0`.",
    ),
)

cached_decoder.mistake(
    "the memory is projected at every call",
    "The source's keys and values are computed anew for every token. The numbers are right, but a cache should save this work: the memory never "
    "changes. Keep what was computed at the first call.",
    edit({CROSS: "self.attend(layer.cross_attn, h, memory, KVCache(), cross_mask)"}, inside=RUN),
)

cached_decoder.mistake(
    "one cache for all layers",
    "All layers share one cache. Each layer makes keys of its own from its own tokens, and must not find keys of another layer among them. Each layer "
    "needs its own cache: a list of different objects.",
    edit({SELF_CACHES: "self.self_caches = [KVCache()] * len(self.decoder.layers)"}, inside=RESET),
    edit({BOTH_CACHES: "own, cross = self.self_caches[0], self.cross_caches[0]"}, inside=RUN),
    edit(
        {
            SELF_CACHES: "self.self_caches = [KVCache()] * len(self.decoder.layers)",
            CROSS_CACHES: "self.cross_caches = [KVCache()] * len(self.decoder.layers)",
        },
        inside=RESET,
    ),
    edit({"self.cross_caches[number]": "self.cross_caches[0]"}, inside=RUN),
    edit({"self.self_caches[number]": "self.self_caches[0]"}, inside=RUN),
    edit({"self.self_caches[number]": "self.self_caches[-1]"}, inside=RUN),
)

cached_decoder.mistake(
    "one cache for target and source",
    "Target and source share one cache. The tokens that were written and the memory then stand in one row, and each attention reads both. `own` is the "
    "cache of the target, `cross` the cache of the source.",
    edit({CROSS_CACHES: "self.cross_caches = self.self_caches"}, inside=RESET),
    edit({CROSS: "self.attend(layer.cross_attn, h, None, own, cross_mask)"}, inside=RUN),
)

cached_decoder.mistake(
    "two texts share one cache",
    "Two texts share one cache. Your caches belong to the decoder's layers, and there is only one decoder: a second CachedDecoder, for another text or "
    "another beam, writes into what the first one reads. Each CachedDecoder needs caches of its own, `self.self_caches` and `self.cross_caches`.",
    {
        SELF_CACHES: "self.self_caches = [vars(one).__setitem__('own', KVCache()) for one in self.decoder.layers]",
        CROSS_CACHES: "self.cross_caches = [vars(one).__setitem__('cross', KVCache()) for one in self.decoder.layers]",
        BOTH_CACHES: "own, cross = vars(layer)['own'], vars(layer)['cross']",
        "return self.self_caches[0].length": "return vars(self.decoder.layers[0])['own'].length",
    },
)

cached_decoder.mistake(
    "the target is not cached",
    "New tokens see only each other. No cache holds the tokens that were read before. Append the keys and values of new tokens to the layer's own "
    "cache, and attend to everything in it.",
    edit({OWN: "self.attend(layer.self_attn, h, h, KVCache(), None)"}, inside=RUN),
    edit({OWN: "self.attend(layer.self_attn, h, h, KVCache(), self_mask)"}, inside=RUN),
    edit(
        {
            ATTENDED: "k, v = (cache.k, cache.v) if new is None else (k, v)\n        "
            + ATTENDED.replace("cache.k, cache.v, mask", "k, v, mask if mask is None else mask[..., -k.size(-2) :]")
        },
        inside=ATTEND,
        says="New tokens see only each other. The tokens that were read before are in the cache, but you attend only to the new keys and values: take "
        "everything that the cache holds, `cache.k` and `cache.v`.",
    ),
    edit(
        {"cache.append(k, v)": "cache.k, cache.v = k, v"},
        inside=ATTEND,
        says="The keys and values of new tokens take the place of the old ones. From the second call on your mask has columns for tokens that are gone, and does not fit. `cache.append` keeps both.",
    ),
    edit(
        {"self_mask = causal_mask": "self.reset()\n        self_mask = causal_mask"},
        inside=FORWARD,
        says="New tokens see only each other. The caches are emptied at every call, so they are always empty. `reset` is for the next text.",
    ),
)

cached_decoder.mistake(
    "keys and values exchanged",
    "Keys and values are exchanged. `k_proj` makes the keys and `v_proj` the values, and `append` takes the keys first.",
    edit({"cache.append(k, v)": "cache.append(v, k)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "the queries are not projected",
    "Your queries are the tokens themselves. `q_proj` makes the queries, as in MultiHeadAttention.",
    edit({"split_heads(attention.q_proj(query), heads)": "split_heads(query, heads)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "keys and values are not projected",
    "You put the tokens themselves into the cache. `k_proj` makes their keys and `v_proj` their values, as in MultiHeadAttention.",
    edit(
        {
            "split_heads(attention.k_proj(new), heads)": "split_heads(new, heads)",
            "split_heads(attention.v_proj(new), heads)": "split_heads(new, heads)",
        },
        inside=ATTEND,
    ),
)

cached_decoder.mistake(
    "heads put together in the wrong order",
    "The heads are not put together as they were split. (batch, num_heads, new_len, d_head) read row by row mixes tokens and heads; with a single new "
    "token this does not show. `merge_heads` exchanges the two dimensions first.",
    edit({"merge_heads(output)": "output.reshape(query.shape)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "one attention for target and source",
    "Both attentions are `layer.self_attn`. A layer has two, with weights of their own: the memory is read by `layer.cross_attn`.",
    edit({"layer.cross_attn": "layer.self_attn"}, inside=RUN),
    edit(
        {"layer.self_attn": "layer.cross_attn"},
        inside=RUN,
        says="Both attentions are `layer.cross_attn`. A layer has two, with weights of their own: the target is read by `layer.self_attn`.",
    ),
)

cached_decoder.mistake(
    "the last norm after every layer",
    "The stack's norm runs after every layer. It should run once, at the end of the stack, after the loop.",
    edit(
        {
            ONE_LAYER: ONE_LAYER + "\n            x = x if self.decoder.norm is None else self.decoder.norm(x)",
            "return x if self.decoder.norm is None else self.decoder.norm(x)": "return x",
        },
        inside=FORWARD,
    ),
    edit(
        {ONE_LAYER: ONE_LAYER + "\n            x = x if self.decoder.norm is None else self.decoder.norm(x)"},
        inside=FORWARD,
    ),
)

cached_decoder.mistake(
    "no norm at the end",
    "The norm at the end of the stack is missing. With pre-norm nothing else normalizes the sum that leaves the last layer. `self.decoder.norm`, where it is not None.",
    edit({"return x if self.decoder.norm is None else self.decoder.norm(x)": "return x"}, inside=FORWARD),
)

cached_decoder.mistake(
    "a post-norm stack raises an exception",
    "A post-norm stack cannot be run: a TypeError comes. Such a stack has no norm at the end, `self.decoder.norm` is None, and whoever calls it without asking gets this error.",
    edit(
        {"return x if self.decoder.norm is None else self.decoder.norm(x)": "return self.decoder.norm(x)"},
        inside=FORWARD,
    ),
)

cached_decoder.mistake(
    "the source's mask is not used",
    "The source's padding is read. `cross_mask` says where the source has real tokens; pass it to the cross-attention.",
    edit({CROSS: "self.attend(layer.cross_attn, h, unread, cross, None)"}, inside=RUN),
    *(
        edit(
            {CROSS: CROSS.replace("cross_mask", seen)},
            inside=RUN,
            says=f"In {name} the source's padding is read. `cross_mask` says where the source has real tokens, whatever the order of the norms; pass it to the cross-attention.",
        )
        for seen, name in (
            ("None if layer.norm_first else cross_mask", "pre-norm"),
            ("cross_mask if layer.norm_first else None", "post-norm"),
        )
    ),
    edit(
        {CROSS: "self.attend(layer.cross_attn, h, unread, cross, cross_mask if h.size(1) > 1 else None)"},
        inside=RUN,
        says="The source's padding is read where a single token comes. One new token needs no mask for the target, but it does for the source: `cross_mask` says where the source has real tokens.",
    ),
)

cached_decoder.mistake(
    "keys and values of tokens before the norm",
    "You put x into the cache, not what the norm made of x. With pre-norm the sublayer reads the *normalized* tokens: queries, keys and values are all "
    "made from them. Use `h`, the sublayer's argument.",
    edit(
        {
            UNREAD: "unread, before = memory if cross.length == 0 else None, x",
            OWN: "self.attend(layer.self_attn, h, before, own, self_mask)",
        },
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "queries of tokens before the norm",
    "The queries are made from x, not from what the norm made of x. With pre-norm the sublayer reads the *normalized* tokens, for queries, keys and "
    "values alike. Use `h`, the sublayer's argument.",
    edit(
        {
            UNREAD: "unread, before = memory if cross.length == 0 else None, x",
            OWN: "self.attend(layer.self_attn, before, h, own, self_mask)",
        },
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "the memory is normalized",
    "The memory goes through the layer's norm. That norm is for the target's tokens. Pass the memory on as it is.",
    edit({UNREAD: "unread = layer.norm2(memory) if cross.length == 0 else None"}, inside=RUN),
)

cached_decoder.mistake(
    "the feed-forward network is missing",
    "The feed-forward network is not run. A decoder layer has three sublayers: self-attention, cross-attention, and after them `layer.feed_forward`, with `norm3`.",
    edit(
        {"return add_norm(x, layer.feed_forward, layer.norm3, layer.dropout, layer.norm_first)": "return x"}, inside=RUN
    ),
)

cached_decoder.mistake(
    "one norm for several sublayers",
    "One norm serves several sublayers. Each sublayer has its own norm: `norm1` for the self-attention, `norm2` for the cross-attention, `norm3` for "
    "the feed-forward network.",
    edit({"layer.norm2": "layer.norm1"}, inside=RUN),
    edit({"layer.norm2": "layer.norm1", "layer.norm3": "layer.norm1"}, inside=RUN),
    edit({"layer.norm3": "layer.norm2"}, inside=RUN),
    *(edit({f"layer.norm{one}": f"layer.norm{other}"}, inside=RUN) for one, other in ((1, 2), (1, 3), (2, 3), (3, 1))),
    *(
        edit(
            {f"layer.norm{one}": f"(layer.norm{other} if {when} else layer.norm{one})"},
            inside=RUN,
            says=f"In {name} one norm serves several sublayers. Each sublayer has its own norm: `norm1` for the self-attention, `norm2` for the cross-attention, `norm3` for the feed-forward network.",
        )
        for one, other in ((1, 2), (1, 3), (2, 1), (2, 3), (3, 1), (3, 2))
        for when, name in (("layer.norm_first", "pre-norm"), ("not layer.norm_first", "post-norm"))
    ),
)

cached_decoder.mistake(
    "norms exchanged",
    "Two norms are exchanged. `norm1` belongs to the self-attention, `norm2` to the cross-attention, `norm3` to the feed-forward network.",
    edit({"layer.norm1": "layer.norm2", "layer.norm2": "layer.norm1"}, inside=RUN),
    edit({"layer.norm2": "layer.norm3", "layer.norm3": "layer.norm2"}, inside=RUN),
    edit({"layer.norm1": "layer.norm3", "layer.norm3": "layer.norm1"}, inside=RUN),
)

LAYERS = "Not every layer is run in its turn. The stack has several layers, each with its own weights and its own two caches. Call `run_layer(number, ...)` for every number, each on the result of the layer before."

cached_decoder.mistake(
    "every layer is the first",
    LAYERS,
    edit({"self.run_layer(number, x": "self.run_layer(0, x"}, inside=FORWARD),
)

cached_decoder.mistake(
    "only the first layer is run",
    LAYERS,
    edit({"range(len(self.decoder.layers))": "range(1)"}, inside=FORWARD),
)

cached_decoder.mistake(
    "pre-norm is ignored",
    "Every layer runs as post-norm. `layer.norm_first` says whether it is pre-norm; pass it to `add_norm`, which otherwise runs post-norm.",
    edit(
        {f"layer.norm{i}, layer.dropout, layer.norm_first": f"layer.norm{i}, layer.dropout" for i in (1, 2, 3)},
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "one sublayer ignores pre-norm",
    "One sublayer runs as post-norm always. `layer.norm_first` says whether a layer is pre-norm; pass it to `add_norm` all three times.",
    *(
        edit({f"layer.norm{i}, layer.dropout, layer.norm_first": f"layer.norm{i}, layer.dropout"}, inside=RUN)
        for i in (1, 2, 3)
    ),
)

cached_decoder.mistake(
    "one sublayer ignores post-norm",
    "One sublayer runs as pre-norm always. `layer.norm_first` says whether a layer is pre-norm; pass it to `add_norm` all three times.",
    *(
        edit({f"layer.norm{i}, layer.dropout, layer.norm_first": f"layer.norm{i}, layer.dropout, True"}, inside=RUN)
        for i in (1, 2, 3)
    ),
)

SUBLAYERS = {1: "self-attention", 2: "cross-attention", 3: "feed-forward network"}


def _summed(what: str, *sublayers: int) -> dict[str, str]:
    """Something else than x is added to what these sublayers give: `what` is added to it beforehand, and x taken off."""
    return {
        f"layer.norm{i}, layer.dropout": f"layer.norm{i}, lambda given, kept=x: layer.dropout(given) + {what.format(i)} - kept"
        for i in sublayers
    }


NORMED = "(layer.norm{0}(kept) if layer.norm_first else kept)"

cached_decoder.mistake(
    "no residual connection",
    "What goes into a sublayer is not added to what comes out. A layer adds to its input three times; `add_norm` does so.",
    *(
        edit(
            _summed("0", i),
            inside=RUN,
            says=f"What goes into the {name} is not added to what comes out. A layer adds to its input three times; `add_norm` does so.",
        )
        for i, name in SUBLAYERS.items()
    ),
    edit(_summed("0", 1, 2, 3), inside=RUN),
    *(
        edit(
            _summed(added, *which),
            inside=RUN,
            says=f"In {name} what goes into a sublayer is not added to what comes out. A layer adds to its input three times, whatever the order of the norms; `add_norm` does so.",
        )
        for added, name in (
            ("(0 if layer.norm_first else kept)", "pre-norm"),
            ("(kept if layer.norm_first else 0)", "post-norm"),
        )
        for which in ((1,), (2,), (3,), (1, 2, 3))
    ),
)

cached_decoder.mistake(
    "the normalized tokens are added",
    "With pre-norm you add what a sublayer gives to what the norm made of x. The sum goes on from x itself, so that a layer's input reaches the end of the stack unchanged: x + sublayer(norm(x)).",
    *(edit(_summed(NORMED, i), inside=RUN) for i in SUBLAYERS),
    edit(_summed(NORMED, 1, 2, 3), inside=RUN),
)

cached_decoder.mistake(
    "the feed-forward network reads tokens before the norm",
    "The feed-forward network is given x, not what the norm made of x. With pre-norm a sublayer reads the *normalized* tokens: `norm3` comes before `layer.feed_forward`.",
    edit({"x, layer.feed_forward": "x, lambda _, kept=x: layer.feed_forward(kept)"}, inside=RUN),
)

cached_decoder.mistake(
    "nothing is dropped in training",
    "In training nothing is dropped. A DecoderLayer drops some of what each sublayer gives, by `layer.dropout`, and so does `add_norm` where it is handed over. In evaluation that does not show.",
    edit({f"layer.norm{i}, layer.dropout": f"layer.norm{i}, nn.Identity()" for i in (1, 2, 3)}, inside=RUN),
    *(
        edit(
            {f"layer.norm{i}, layer.dropout": f"layer.norm{i}, nn.Identity()"},
            inside=RUN,
            says="In training one sublayer drops nothing. A DecoderLayer drops some of what each of its three sublayers gives, by `layer.dropout`. In evaluation that does not show.",
        )
        for i in (1, 2, 3)
    ),
    *(
        edit(
            {f"layer.norm{i}, layer.dropout": f"layer.norm{i}, {kept} if layer.norm_first else {other}" for i in which},
            inside=RUN,
            says=f"In {name} not everything is dropped in training that a DecoderLayer drops. It drops some of what each of its three sublayers gives, whatever the order of the norms. In evaluation that does not show.",
        )
        for kept, other, name in (
            ("nn.Identity()", "layer.dropout", "pre-norm"),
            ("layer.dropout", "nn.Identity()", "post-norm"),
        )
        for which in ((1,), (2,), (3,), (1, 2, 3))
    ),
    edit(
        {"self.decoder = decoder": "self.decoder = decoder.eval()"},
        inside="CachedDecoder.__init__",
        says="You put the decoder into evaluation. The decoder belongs to the caller, who may want to train it: leave its mode as it is.",
    ),
)

cached_decoder.mistake(
    "post-norm is ignored",
    "Every layer runs as pre-norm. `layer.norm_first` says whether it is pre-norm; pass it to `add_norm`.",
    edit(
        {f"layer.norm{i}, layer.dropout, layer.norm_first": f"layer.norm{i}, layer.dropout, True" for i in (1, 2, 3)},
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "no output projection",
    "The heads stand side by side and never mix. After merging comes `attention.out_proj`, as in MultiHeadAttention.",
    edit({"attention.out_proj(merge_heads(output))": "merge_heads(output)"}, inside=ATTEND),
)

cached_decoder.mistake(
    "only the last new token is returned",
    "Only the last of the new tokens comes back. For three new tokens return three vectors; the caller picks the last place.",
    edit({ALL_LAYERS: ALL_LAYERS + "\n        x = x[:, -1:]"}, inside=FORWARD),
)

cached_decoder.mistake(
    "the first text's mask for every text",
    "The mask of the first text is used for the next text too. A mask fits only the text whose padding it hides: at every call use the mask that is passed in.",
    edit(
        {
            "x = self.run_layer(number, x, memory, self_mask, cross_mask)": "self.kept_mask = getattr(self, 'kept_mask', cross_mask)\n            x = self.run_layer(number, x, memory, self_mask, self.kept_mask)"
        },
        inside=FORWARD,
    ),
)

cached_decoder.mistake(
    "the cross-attention reads the target",
    "Keys and values of the cross-attention are made of the target's tokens. Its queries are the target's, and what it reads is the memory: `new` is the memory, the first time only.",
    edit({CROSS: "self.attend(layer.cross_attn, h, h if cross.length == 0 else None, cross, cross_mask)"}, inside=RUN),
    edit({CROSS: "self.attend(layer.cross_attn, h, h, cross, cross_mask)"}, inside=RUN),
    edit({UNREAD: "unread = x if cross.length == 0 else None"}, inside=RUN),
    edit({UNREAD: "unread = x"}, inside=RUN),
)

cached_decoder.mistake(
    "the self-attention reads the memory",
    "Keys and values of the self-attention are made of the memory. It reads the target: what asks is also what is read, `h` and `h`.",
    edit({OWN: OWN.replace("h, h,", "h, memory,")}, inside=RUN),
    *(
        edit({OWN: OWN.replace("h, h,", f"h, {read},")}, inside=RUN)
        for read in ("memory if layer.norm_first else h", "h if layer.norm_first else memory")
    ),
)

cached_decoder.mistake(
    "queries are kept too",
    "Queries are kept as well. A query is asked once, by its own token: only keys and values are needed again. With the old queries your table has rows of tokens that are done.",
    edit(
        {QUERIES: f"{QUERIES}\n        q = vars(cache).setdefault('q', q)[..., -query.size(1) :, :]"},
        inside=ATTEND,
        says="The queries of the first call are kept, and asked again at every call. A query is asked once, by its own token: make new ones from `query` each time.",
    ),
    edit(
        {
            QUERIES: f"{QUERIES}\n        vars(cache)['q'] = q = torch.cat([vars(cache).get('q', q[..., :0, :]), q], dim=-2)",
            "merge_heads(output)": "merge_heads(output[..., -query.size(1) :, :])",
        },
        inside=ATTEND,
    ),
)

cached_decoder.mistake(
    "the mask is one row off",
    "Your mask is one row off. The new tokens are the last rows of the causal mask: the first of them stands at position `self.length`, and sees itself and all before it.",
    edit({MASK: "causal_mask(self.length + x.size(1))[max(self.length - 1, 0) :][: x.size(1)]"}, inside=FORWARD),
    *(
        edit(
            {MASK: f"torch.ones(x.size(1), self.length + x.size(1), dtype=torch.bool).tril(self.length {one})"},
            inside=FORWARD,
        )
        for one in ("- 1", "+ 1")
    ),
)

cached_decoder.mistake(
    "new tokens see what comes after them",
    "A new token sees itself and those after it, and nothing before. The causal mask is True at and *below* its diagonal (`tril`): key i for query j where i <= j.",
    edit({MASK: "torch.ones(x.size(1), self.length + x.size(1), dtype=torch.bool).triu(self.length)"}, inside=FORWARD),
    edit(
        {MASK: "torch.ones(self.length + x.size(1), self.length + x.size(1), dtype=torch.bool).triu()[: x.size(1)]"},
        inside=FORWARD,
    ),
)

cached_decoder.mistake(
    "the mask has rows of old tokens",
    "Your mask has a row for every token. Only the new tokens ask: keep the rows from `self.length` on. At the first call these are all rows, so that it works there.",
    edit({MASK: "causal_mask(self.length + x.size(1))"}, inside=FORWARD),
)

cached_decoder.mistake(
    "one of the two is not projected",
    "Of keys and values one is not projected. `k_proj` makes the keys and `v_proj` the values, as in MultiHeadAttention.",
    edit(
        {"attention.k_proj(new)": "new"},
        inside=ATTEND,
        says="Your keys are the tokens themselves. `k_proj` makes the keys, as in MultiHeadAttention.",
    ),
    edit(
        {"attention.v_proj(new)": "new"},
        inside=ATTEND,
        says="Your values are the tokens themselves. `v_proj` makes the values, as in MultiHeadAttention.",
    ),
)

cached_decoder.mistake(
    "queries of other tokens for the source",
    "The queries of the cross-attention are not made from its own input. It reads what the self-attention has left, through its norm with pre-norm: `h`, the sublayer's argument.",
    edit({CROSS: "self.attend(layer.cross_attn, x, unread, cross, cross_mask)"}, inside=RUN),
    edit(
        {
            UNREAD: "unread, before = memory if cross.length == 0 else None, x",
            CROSS: "self.attend(layer.cross_attn, before, unread, cross, cross_mask)",
        },
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "the source is not read",
    "The source is not read. A decoder layer has three sublayers: self-attention, cross-attention with `norm2`, and the feed-forward network. Each goes on from the result of the one before.",
    edit({SOURCE_READ: "pass"}, inside=RUN),
    edit({SOURCE_READ: SOURCE_READ.replace("x = ", "_ = ")}, inside=RUN),
)

cached_decoder.mistake(
    "the target is not read",
    "The target so far is not read. A decoder layer has three sublayers: self-attention with `norm1`, in which the new tokens look at all before them, cross-attention, and the feed-forward network.",
    edit({TARGET_READ: "pass"}, inside=RUN),
    edit({TARGET_READ: TARGET_READ.replace("x = ", "_ = ")}, inside=RUN),
)

cached_decoder.mistake(
    "the source is read first",
    "The source is read before the target. In a decoder layer self-attention comes first, then cross-attention.",
    edit({TARGET_READ: SOURCE_READ, SOURCE_READ: TARGET_READ}, inside=RUN),
    edit(
        {"add_norm(x, read_target": "add_norm(x, read_source", "add_norm(x, read_source": "add_norm(x, read_target"},
        inside=RUN,
    ),
)

cached_decoder.mistake(
    "a layer is left out",
    "One layer is not run. Layers are numbered from 0 to their number less one: `range(len(self.decoder.layers))`.",
    edit({LOOP: "range(len(self.decoder.layers) - 1)"}, inside=FORWARD),
    edit({LOOP: "range(1, len(self.decoder.layers))"}, inside=FORWARD),
)

cached_decoder.mistake(
    "the last layer is run first",
    "The layers are run from the last to the first. Each goes on from the result of the layer before.",
    edit({LOOP: "reversed(range(len(self.decoder.layers)))"}, inside=FORWARD),
)

cached_decoder.mistake(
    "reset forgets a part",
    "`reset` leaves something of the text before. The next text has another memory, and its first token sees nothing: every layer gets two empty caches.",
    edit(
        {
            CROSS_CACHES: "self.cross_caches = getattr(self, 'cross_caches', None) or [KVCache() for _ in self.decoder.layers]"
        },
        inside=RESET,
    ),
    edit(
        {
            SELF_CACHES: "self.self_caches = getattr(self, 'self_caches', None) or [KVCache() for _ in self.decoder.layers]"
        },
        inside=RESET,
    ),
    edit(
        {
            SELF_CACHES: "self.self_caches = getattr(self, 'self_caches', None) or [KVCache() for _ in self.decoder.layers]",
            CROSS_CACHES: "self.cross_caches = getattr(self, 'cross_caches', None) or [KVCache() for _ in self.decoder.layers]",
        },
        inside=RESET,
    ),
)

cached_decoder.mistake(
    "one head",
    "All features form one head. `attention.num_heads` says how many there are; each compares and weighs by itself.",
    edit({"heads = attention.num_heads": "heads = 1"}, inside=ATTEND),
)

VIEWED = "{0}.view(len({0}), heads, {0}.size(1), -1)"
HEADS_OF = {
    "q": "split_heads(attention.q_proj(query), heads)",
    "k": "split_heads(attention.k_proj(new), heads)",
    "v": "split_heads(attention.v_proj(new), heads)",
}

cached_decoder.mistake(
    "heads cut in the wrong order",
    "The heads are cut in the wrong order. `view` to (batch, num_heads, len, d_head) mixes tokens and features; with a single token this does not show. `split_heads` exchanges the two dimensions.",
    *(
        edit(
            {
                HEADS_OF[one]: VIEWED.format(HEADS_OF[one].removeprefix("split_heads(").removesuffix(", heads)"))
                for one in which
            },
            inside=ATTEND,
        )
        for which in ("q", "k", "v", "kv", "qkv")
    ),
)

cached_decoder.mistake(
    "the decoder is copied",
    "You work on a copy of the decoder. When its parameters change, in training or by another checkpoint, the copy stays as it was: keep the decoder itself.",
    edit(
        {"self.decoder = decoder": "self.decoder = __import__('copy').deepcopy(decoder)"},
        inside="CachedDecoder.__init__",
    ),
)
