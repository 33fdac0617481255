"""Wrong ways of the cache of keys and values."""

from autograder.checks.decoding import kv_cache
from autograder.probing.mistake import edit

# KVCache ----------------------------------------------------------------------------

KEEP_K = "self.k = torch.cat([self.k, k], dim=-2)"
KEEP_V = "self.v = torch.cat([self.v, v], dim=-2)"
ALL = "return self.k, self.v"

LENGTH = "return 0 if self.k is None else self.k.size(-2)"
FIRST = "if self.k is None or self.v is None:"


def _noted(what: str) -> dict[str, str]:
    """`length` is a number of its own, worked out at every call."""
    return {LENGTH: 'return getattr(self, "count", 0)', FIRST: f"self.count = {what}\n        {FIRST}"}


COUNTED = _noted('getattr(self, "count", 0) + k.size(-2)')

kv_cache.mistake(
    "the old ones are replaced",
    "Each call replaces what was in the cache. Only the newest keys and values are left, and the next token can look at nothing before them. Append the "
    "new keys and values to those that are kept.",
    {KEEP_K: "self.k = k", KEEP_V: "self.v = v"},
)

kv_cache.mistake(
    "new ones in front",
    "The new keys and values stand in front. Attention itself does not depend on the order, but a causal mask does: key i has to belong to token i. The "
    "oldest comes first.",
    {KEEP_K: "self.k = torch.cat([k, self.k], dim=-2)", KEEP_V: "self.v = torch.cat([v, self.v], dim=-2)"},
    edit(
        {KEEP_K: "self.k = torch.cat([k, self.k], dim=-2)"},
        says="The new keys stand in front, and the new values behind. A query then reads the value of another token than the one whose key it was compared with. The oldest comes first, in both.",
    ),
    edit(
        {KEEP_V: "self.v = torch.cat([v, self.v], dim=-2)"},
        says="The new values stand in front, and the new keys behind. A query then reads the value of another token than the one whose key it was compared with. The oldest comes first, in both.",
    ),
)

kv_cache.mistake(
    "joined along another dimension",
    "The new keys are joined along another dimension. Then there are longer keys, more heads or more texts, but not more tokens. In (batch, num_heads, "
    "length, d_head) `length` has to grow: `dim=-2`. `torch.cat` takes dimension 0 unless told otherwise.",
    *(
        {KEEP_K: f"self.k = torch.cat([self.k, k], dim={dim})", KEEP_V: f"self.v = torch.cat([self.v, v], dim={dim})"}
        for dim in (-1, 1, 0)
    ),
    *(
        COUNTED
        | {KEEP_K: f"self.k = torch.cat([self.k, k], dim={dim})", KEEP_V: f"self.v = torch.cat([self.v, v], dim={dim})"}
        for dim in (-1, 1, 0)
    ),
    *(
        edit(
            {keep: keep.replace("dim=-2", f"dim={dim}")},
            says=f"The new {name} are joined along another dimension. In (batch, num_heads, length, d_head) `length` has to grow, for keys and values alike: `dim=-2`. `torch.cat` takes dimension 0 unless told otherwise.",
        )
        for keep, name in ((KEEP_K, "keys"), (KEEP_V, "values"))
        for dim in (-1, 1, 0)
    ),
)

kv_cache.mistake(
    "keys among the values",
    "What you keep, or return, as values are keys. Queries are compared with a token's key, and read its value: these are different numbers, and attention needs "
    "both. `v` goes into `self.v`.",
    {KEEP_V: "self.v = torch.cat([self.v, k], dim=-2)"},
    {"self.k, self.v = k, v": "self.k, self.v = k, k"},
    {"self.k, self.v = k, v": "self.k, self.v = k, k", KEEP_V: "self.v = torch.cat([self.v, k], dim=-2)"},
)

kv_cache.mistake(
    "what is joined is not kept",
    "What you join is returned, but not kept. At the next call the cache is as it was before, and the tokens of this call are missing. Write the joined "
    "keys and values into `self.k` and `self.v`.",
    {
        KEEP_K: "k = torch.cat([self.k, k], dim=-2)",
        KEEP_V: "v = torch.cat([self.v, v], dim=-2)\n            return k, v",
    },
    COUNTED
    | {
        KEEP_K: "k = torch.cat([self.k, k], dim=-2)",
        KEEP_V: "v = torch.cat([self.v, v], dim=-2)\n            return k, v",
    },
)

kv_cache.mistake(
    "keys and values exchanged",
    "Keys and values come back exchanged. `append` returns first the keys, then the values.",
    {ALL: "return self.v, self.k"},
)

kv_cache.mistake(
    "values among the keys",
    "What you keep, or return, as keys are values. Queries are compared with a token's key, and read its value: these are different numbers, and attention needs both. `k` goes into `self.k`.",
    {ALL: "return self.v, self.v"},
    {KEEP_K: "self.k = torch.cat([self.k, v], dim=-2)"},
    {"self.k, self.v = k, v": "self.k, self.v = v, v"},
)

PARTS = f'self.parts = [*getattr(self, "parts", []), (k, v)]\n        {FIRST}'
kv_cache.mistake(
    "not a pair of tensors",
    "What comes back is not a pair of tensors, all keys and all values.",
    edit(
        {FIRST: PARTS, ALL: "return [one for one, _ in self.parts], [one for _, one in self.parts]"},
        says="Lists come back, with a tensor for every call. Attention needs one tensor of all keys and one of all values: `torch.cat`.",
    ),
    edit(
        {
            FIRST: f'self.ks, self.vs = getattr(self, "ks", []), getattr(self, "vs", [])\n        self.ks.append(k)\n        self.vs.append(v)\n        {FIRST}',
            ALL: "return self.ks, self.vs",
        },
        says="Lists come back, with a tensor for every call. Attention needs one tensor of all keys and one of all values: `torch.cat`.",
    ),
    edit(
        {ALL: 'return {"k": self.k, "v": self.v}'},
        says="A dictionary comes back, and taken apart it gives its names. `append` returns two tensors: the keys, then the values.",
    ),
    edit({ALL: "return self.k"}, says="Only the keys come back. `append` returns first the keys, then the values."),
    edit({ALL: "return self.v"}, says="Only the values come back. `append` returns first the keys, then the values."),
    edit(
        {ALL: "return None"},
        says="What comes back cannot be taken apart into keys and values. `append` returns two tensors; without a `return` it gives None.",
    ),
)

kv_cache.mistake(
    "stacked instead of joined",
    "The keys and values of the calls are stacked. `torch.stack` makes a dimension more, and needs calls of the same length. `torch.cat` joins along one that is there: `dim=-2`.",
    *(
        {
            FIRST: PARTS,
            ALL: f"return torch.stack([one for one, _ in self.parts], dim={dim}), torch.stack([one for _, one in self.parts], dim={dim})",
        }
        for dim in (-2, 2, 0, 1)
    ),
)

kv_cache.mistake(
    "what was there before is returned",
    "From the second call on you return what was there before the call. A new token looks at itself, too: append first, then return everything.",
    {
        "self.k, self.v = k, v": "self.k, self.v = k, v\n            return k, v",
        KEEP_K: f"before = self.k, self.v\n            {KEEP_K}",
        KEEP_V: f"{KEEP_V}\n            return before",
    },
)

kv_cache.mistake(
    "only the last of the new tokens is kept",
    "Of several new tokens only the last is kept. A call may bring many, and each has a key and a value: keep all.",
    {KEEP_K: KEEP_K.replace(", k]", ", k[..., -1:, :]]"), KEEP_V: KEEP_V.replace(", v]", ", v[..., -1:, :]]")},
    {FIRST: f"k, v = k[..., -1:, :], v[..., -1:, :]\n        {FIRST}"},
)

kv_cache.mistake(
    "new ones are kept twice",
    "New keys and values are kept twice. Every token has one key and one value: join the new ones once.",
    {FIRST: f"k, v = torch.cat([k, k], dim=-2), torch.cat([v, v], dim=-2)\n        {FIRST}"},
    {KEEP_K: KEEP_K.replace(", k]", ", k, k]"), KEEP_V: KEEP_V.replace(", v]", ", v, v]")},
    {FIRST: "if self.k is None:\n            self.k, self.v = k, v\n        if False:"},
)

kv_cache.mistake(
    "the old ones are lost, and their places stay",
    "The places of the old keys and values are there, and hold zeros. Copy what was kept into the longer tensor, in front of what is new.",
    {
        KEEP_K: "self.k = torch.cat([torch.zeros_like(self.k), k], dim=-2)",
        KEEP_V: "self.v = torch.cat([torch.zeros_like(self.v), v], dim=-2)",
    },
)

kv_cache.mistake(
    "the first ones alone are kept",
    "What a later call brings is not kept. The cache holds the keys or the values of the first call and nothing else: append at every call.",
    *(
        edit({keep: "pass" for keep in which} | more, says=says)
        for which, says in (
            (
                (KEEP_K,),
                "Keys that a later call brings are not kept. Every value needs its key: append both, at every call.",
            ),
            (
                (KEEP_V,),
                "Values that a later call brings are not kept. Every key needs its value: append both, at every call.",
            ),
            ((KEEP_K, KEEP_V), ""),
        )
        for more in ({}, COUNTED)
    ),
)

kv_cache.mistake(
    "returns only the new ones",
    "You return the new keys and values only. Attention needs all keys and values so far: return what is kept, after appending.",
    {ALL: "return k, v"},
)

kv_cache.mistake(
    "only the keys are kept",
    "The keys grow, the values do not. Every key needs its value. Append both.",
    {KEEP_V: "self.v = v"},
)

kv_cache.mistake(
    "only the values are kept",
    "The values grow, the keys do not. Every value needs its key. Append both.",
    {KEEP_K: "self.k = k"},
)

kv_cache.mistake(
    "counts calls, not tokens",
    "`length` counts the calls of `append`. A call may bring several tokens. Take the size of what is kept.",
    _noted('getattr(self, "count", 0) + 1'),
    edit(
        _noted('getattr(self, "count", 0) + k.size(0)'),
        says="`length` grows by the number of texts at every call. It is the number of tokens, and a call may bring several. Tokens lie in dimension -2 of (batch, num_heads, length, d_head).",
    ),
    edit(
        _noted('getattr(self, "count", 0) + k.size(1)'),
        says="`length` grows by the number of heads at every call. It is the number of tokens, and a call may bring several. Tokens lie in dimension -2 of (batch, num_heads, length, d_head).",
    ),
)

kv_cache.mistake(
    "not all tokens are counted",
    "`length` counts only a part of the tokens. It is the number of all that have been appended: the size of what is kept.",
    edit(
        _noted("k.size(-2)"),
        says="`length` is the number of tokens of the last call. It is the number of all that have been appended: the size of what is kept.",
    ),
    edit(
        _noted('getattr(self, "count", k.size(-2))'),
        says="`length` is the number of tokens of the first call. It is the number of all that have been appended: the size of what is kept.",
    ),
    edit(
        {LENGTH: "return 0"},
        says="`length` is always 0. It is the number of tokens that have been appended: the size of what is kept.",
    ),
    edit(
        _noted('getattr(self, "count", -k.size(-2)) + k.size(-2)'),
        says="The tokens of the first call are not counted. `length` is the number of all that have been appended: the size of what is kept.",
    ),
    edit(
        _noted('getattr(self, "count", 0) + (k.size(-2) if getattr(self, "count", 0) or k.size(-2) > 1 else 0)'),
        says="A single token is not counted when it is the first. `length` is the number of all that have been appended: the size of what is kept.",
    ),
)

kv_cache.mistake(
    "the length is off by one",
    "`length` is off by one. It is the number of tokens in the cache, 0 at first, and so the position of the next one.",
    {LENGTH: "return 1 if self.k is None else self.k.size(-2) + 1"},
    {LENGTH: "return 0 if self.k is None else self.k.size(-2) + 1"},
    {LENGTH: "return 0 if self.k is None else self.k.size(-2) - 1"},
    {LENGTH: "return -1 if self.k is None else self.k.size(-2) - 1"},
    edit(
        {LENGTH: "return 1 if self.k is None else self.k.size(-2)"},
        says="The length of an empty cache is 1. It holds no token, so it is 0.",
    ),
)

kv_cache.mistake(
    "length has to be called",
    "`length` has to be called. It is a property: `cache.length` is a number, without brackets. Leave `@property` above it.",
    {"@property\n    def length": "def length"},
)

kv_cache.mistake(
    "an empty cache has no length",
    "An empty cache has no length. It holds no token, so it is 0: `self.k` is None then.",
    edit(
        {LENGTH: "return None if self.k is None else self.k.size(-2)"},
        says="The length of an empty cache is None. It holds no token, so it is 0.",
    ),
    {LENGTH: "return self.k.size(-2)"},
    {LENGTH: "return len(self.k[0, 0])"},
    {LENGTH: "return ([] if self.k is None else [self.k])[0].size(-2)"},
    {LENGTH: 'return ({} if self.k is None else {"k": self.k})["k"].size(-2)'},
    {LENGTH: "return torch.cat([] if self.k is None else [self.k]).size(-2)"},
)

kv_cache.mistake(
    "the size of another dimension",
    "`length` is the size of another dimension. Tokens lie in dimension -2 of (batch, num_heads, length, d_head); the other three never change.",
    {"self.k.size(-2)": "self.k.size(1)"},
    {"self.k.size(-2)": "self.k.size(0)"},
    {"self.k.size(-2)": "self.k.size(-1)"},
    edit(
        {"self.k.size(-2)": "self.k.size(-2) * self.k.size(1)"},
        says="`length` counts every head of a token. Tokens lie in dimension -2 of (batch, num_heads, length, d_head): its size alone.",
    ),
    edit(
        {"self.k.size(-2)": "self.k.numel()"},
        says="`length` counts all numbers. Tokens lie in dimension -2 of (batch, num_heads, length, d_head): its size alone.",
    ),
)
