"""Mistakes that GroupedQueryAttention alone has."""

from autograder.checks.multi_head_attention.grouped import grouped_query_attention
from autograder.mistakes.multi_head_attention.attending import GROUPED_K_LAYER, GROUPED_V_LAYER, K_LAYER, V_LAYER
from autograder.mistakes.multi_head_attention.heads import FITS, KEY, VALUE
from autograder.probing.mistake import edit

GROUPS_FIT = "if num_kv_heads < 1 or num_heads % num_kv_heads != 0:"
REPEAT_K, REPEAT_V = "k.repeat_interleave(group, dim=1)", "v.repeat_interleave(group, dim=1)"

grouped_query_attention.mistake(
    "key and value heads dealt out in turn",
    "The query heads read the key and value heads in turn, 0 1 0 1 0 1. Neighbours form a group: 0 0 0 1 1 1. `repeat` copies the whole row of heads, `repeat_interleave` "
    "copies each head. In an untrained module nobody would notice, but weights of a published model would not fit.",
    {REPEAT_K: "k.repeat(1, group, 1, 1)", REPEAT_V: "v.repeat(1, group, 1, 1)"},
    *(
        edit(
            {repeat: f"{name[0]}.repeat(1, group, 1, 1)"},
            says=f"The query heads read the {name} heads in turn, 0 1 0 1 0 1. Neighbours form a group, for keys and values alike: `repeat_interleave` copies each head, `repeat` copies the whole row of heads.",
        )
        for name, repeat in (("key", REPEAT_K), ("value", REPEAT_V))
    ),
)

grouped_query_attention.mistake(
    "sizes that do not fit are accepted",
    "Sizes that do not fit are not refused. d_model has to be divisible by num_heads, and num_heads by num_kv_heads: keep both ValueErrors that were given.",
    *(edit({given: "if False:"}, inside="GroupedQueryAttention.__init__") for given in (FITS, GROUPS_FIT)),
    edit(
        {GROUPS_FIT: "if num_kv_heads < 1 or max(num_heads, num_kv_heads) % min(num_heads, num_kv_heads) != 0:"},
        says="More key and value heads than query heads are accepted. num_heads has to be divisible by num_kv_heads, and 2 is not divisible by 4: nobody would read the heads that are left over. Ask for `num_heads % num_kv_heads`, in this order.",
    ),
)

grouped_query_attention.mistake(
    "only the first key and value head",
    "All query heads read the first key and value head; the others are computed and never used. Each key and value head serves num_heads / num_kv_heads "
    "query heads.",
    {REPEAT_K: "k[:, :1].expand(-1, self.num_heads, -1, -1)", REPEAT_V: "v[:, :1].expand(-1, self.num_heads, -1, -1)"},
)

grouped_query_attention.mistake(
    "as many key and value heads as query heads",
    "This is MultiHeadAttention: there is a key and a value head for every query head. With groups there are fewer of them, so that less has to be kept "
    "in memory when text is written token by token: "
    "`k_proj` and `v_proj` lead to num_kv_heads · d_head features.",
    {
        GROUPED_K_LAYER: K_LAYER,
        GROUPED_V_LAYER: V_LAYER,
        f"{KEY}, self.num_kv_heads": f"{KEY}, self.num_heads",
        f"{VALUE}, self.num_kv_heads": f"{VALUE}, self.num_heads",
        REPEAT_K: "k",
        REPEAT_V: "v",
    },
)
