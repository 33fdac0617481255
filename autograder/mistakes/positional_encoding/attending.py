"""Wrong ways of attention with rotations."""

from autograder.checks.positional_encoding import rotary_attention
from autograder.probing.mistake import edit

PROJECT_Q, PROJECT_K, PROJECT_V = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"
TURN_Q = "apply_rotary(q, torch.arange(query.size(1), device=q.device))"
TURN_K = "apply_rotary(k, torch.arange(key.size(1), device=k.device))"
CALL = "scaled_dot_product_attention(q, k, v, mask)"
OUTPUT, ZEROS = "self.out_proj(merge_heads(heads))", "weights = weights.masked_fill(~mask, 0.0)"

rotary_attention.mistake(
    "values turned too",
    "The values are turned as well. Positions decide where a token looks, so only queries and keys are turned. A turned value arrives turned: what is read from a token then depends on its place, and nothing turns it back.",
    {
        "split_heads(self.v_proj(value), self.num_heads)": "apply_rotary(split_heads(self.v_proj(value), self.num_heads), torch.arange(value.size(1)))"
    },
    {PROJECT_V: "apply_rotary(self.v_proj(value), torch.arange(value.size(1)))"},
)

rotary_attention.mistake(
    "turned before the head split",
    "You turn before the heads are split. The pairs' frequencies then run over all d_model features: the first head gets the fast ones, the last the slow ones. Each head needs the whole range: split first, then turn.",
    {
        PROJECT_Q: "apply_rotary(self.q_proj(query), torch.arange(query.size(1)))",
        PROJECT_K: "apply_rotary(self.k_proj(key), torch.arange(key.size(1)))",
        TURN_Q: "q",
        TURN_K: "k",
    },
)

rotary_attention.mistake(
    "turned before the projection",
    "You turn the tokens before they are projected. A projection mixes the pairs again, and scores no longer depend on distance alone. Project, split, then turn.",
    *(
        {
            PROJECT_Q: "self.q_proj(apply_rotary(query, torch.arange(query.size(1))))",
            PROJECT_K: "self.k_proj(apply_rotary(key, torch.arange(key.size(1))))",
            TURN_Q: "q",
            TURN_K: "k",
            **values,
        }
        for values in ({}, {PROJECT_V: "self.v_proj(apply_rotary(value, torch.arange(value.size(1))))"})
    ),
)

AGAIN_Q, AGAIN_K = (
    f"apply_rotary({TURN_Q}, torch.arange(query.size(1)))",
    f"apply_rotary({TURN_K}, torch.arange(key.size(1)))",
)
TWICE_AND_ONCE = "{} are turned twice, {} once. A score then depends on more than the distance of two tokens. Turn each once, after the split."
rotary_attention.mistake(
    "turned twice",
    "Queries and keys are turned twice. Every distance then counts double: the scores are those of tokens that stand twice as far apart. Turn once, after the split.",
    {TURN_Q: AGAIN_Q, TURN_K: AGAIN_K},
    edit({TURN_Q: AGAIN_Q}, says=TWICE_AND_ONCE.format("The queries", "the keys")),
    edit({TURN_K: AGAIN_K}, says=TWICE_AND_ONCE.format("The keys", "the queries")),
)

rotary_attention.mistake(
    "the output turned",
    "What attention has found is turned. The weights say already which token is read; what is read from it needs no position, and nothing turns it back. Turn queries and keys, and nothing else.",
    {OUTPUT: "self.out_proj(merge_heads(apply_rotary(heads, torch.arange(query.size(1)))))"},
)

rotary_attention.mistake(
    "only the queries turned",
    "Only the queries are turned. Scores depend on distance because both sides are turned, each by its own position; with only queries turned they depend on where the query stands. Turn the keys as well.",
    {TURN_K: "k"},
)

rotary_attention.mistake(
    "only the keys turned",
    "Only the keys are turned. Scores depend on distance because both sides are turned, each by its own position; with only keys turned they depend on where the key stands. Turn the queries as well.",
    {TURN_Q: "q"},
)

rotary_attention.mistake(
    "nothing turned",
    "Turning has no effect. Your numbers are those of MultiHeadAttention, which cannot tell the first token from the last. Either `apply_rotary` is not called, or its result is not kept (`q = apply_rotary(q, ...)`, and `k` likewise), or all tokens are turned alike: by one position, or by the number of the head.",
    {TURN_Q: "q", TURN_K: "k"},
)

rotary_attention.mistake(
    "queries and keys turned opposite ways",
    "Queries are turned one way and keys the other. A score then depends on the sum of the two positions instead of their distance. Turn both by the same function, each by its own positions.",
    {TURN_K: "apply_rotary(k, -torch.arange(key.size(1), device=k.device))"},
    {TURN_Q: "apply_rotary(q, -torch.arange(query.size(1), device=q.device))"},
)

rotary_attention.mistake(
    "keys counted like the queries",
    "The keys get the positions of the queries. There may be more keys than queries, and then the sizes do not fit: keys count their own positions, `key.size(1)`.",
    {TURN_K: "apply_rotary(k, torch.arange(query.size(1)))"},
)

rotary_attention.mistake(
    "queries counted like the keys",
    "The queries get the positions of the keys. There may be fewer queries than keys, and then the sizes do not fit: queries count their own positions, `query.size(1)`.",
    {TURN_Q: "apply_rotary(q, torch.arange(key.size(1)))"},
)

rotary_attention.mistake(
    "queries and keys begin at different positions",
    "Queries and keys do not begin at the same position. In your code the first query and the first key are a step or more apart, so each distance is off by that much. In this module both are counted from 0.",
    {TURN_K: "apply_rotary(k, torch.arange(1, key.size(1) + 1))"},
    {TURN_Q: "apply_rotary(q, torch.arange(1, query.size(1) + 1))"},
    {TURN_K: "apply_rotary(k, torch.arange(query.size(1), query.size(1) + key.size(1)))"},
    {TURN_Q: "apply_rotary(q, torch.arange(key.size(1), query.size(1) + key.size(1)))"},
)

rotary_attention.mistake(
    "keys counted from the end",
    "One side is counted backwards. The last token gets position 0, so a distance on one side does not mean what it means on the other. Both count 0, 1, 2, ... from their first token.",
    {TURN_K: "apply_rotary(k, torch.arange(key.size(1)).flip(0))"},
    {TURN_Q: "apply_rotary(q, torch.arange(query.size(1)).flip(0))"},
)

rotary_attention.mistake(
    "positions taken from the heads",
    "The positions are counted along the heads. After the split `q` is (batch, num_heads, query_len, d_head): `q.size(1)` is the number of heads, the tokens are `q.size(2)`, or `query.size(1)` as long as they are whole.",
    {TURN_Q: "apply_rotary(q, torch.arange(q.size(1)))", TURN_K: "apply_rotary(k, torch.arange(k.size(1)))"},
)

rotary_attention.mistake(
    "queries placed at the end of the keys",
    "Your queries are counted so that the last query stands where the last key does. That is another convention, useful when keys of earlier tokens are kept (lesson 11). In this module queries and keys are each counted from 0.",
    {TURN_Q: "apply_rotary(q, torch.arange(key.size(1) - query.size(1), key.size(1)))"},
)

rotary_attention.mistake(
    "no output projection",
    "There is no output projection. The merged heads lie side by side and nothing ever mixes them. `out_proj` is the last step, as in MultiHeadAttention.",
    {OUTPUT: "merge_heads(heads)"},
    {OUTPUT: "merge_heads(heads)", "self.out_proj = nn.Linear(d_model, d_model)": "pass"},
)

rotary_attention.mistake(
    "merged without the transpose",
    "The heads are merged without moving them back behind the tokens. A reshape from (batch, num_heads, seq_len, d_head) joins neighbouring tokens of one head, not the heads of one token. Exchange dimensions 1 and 2 first; `merge_heads` does it.",
    {OUTPUT: "self.out_proj(heads.reshape(query.shape))"},
)

rotary_attention.mistake(
    "mask ignored",
    "The mask is not used. Every token sees padding and future. `scaled_dot_product_attention` takes it as its fourth argument; does yours arrive there?",
    {CALL: "scaled_dot_product_attention(q, k, v)"},
)

rotary_attention.mistake(
    "the mask gets one dimension more",
    "Your mask gets an additional dimension. Masks of this course already have a dimension for the heads, (batch, 1, query_len, key_len), or are (query_len, key_len), which fits too. With `unsqueeze(1)` they have one dimension too many, and so have the heads. Pass the mask on as it is.",
    {CALL: "scaled_dot_product_attention(q, k, v, None if mask is None else mask.unsqueeze(1))"},
)

BY_RESHAPE = "{0}.reshape({1}.size(0), self.num_heads, {1}.size(1), -1)"
SPLIT = "split_heads({}, self.num_heads)"
PROJECTED = {PROJECT_Q: "query", PROJECT_K: "key", PROJECT_V: "value"}
RESHAPED = {SPLIT.format(made): BY_RESHAPE.format(made, of) for made, of in PROJECTED.items()}
rotary_attention.mistake(
    "heads cut by a reshape alone",
    "The heads are cut by a reshape alone. (batch, seq_len, d_model) reshaped to (batch, num_heads, seq_len, d_head) has the right sizes, but a head then gets pieces of some tokens instead of a piece of each token. Reshape to (batch, seq_len, num_heads, d_head), then transpose; `split_heads` "
    "does it.",
    RESHAPED,
    {**RESHAPED, OUTPUT: "self.out_proj(heads.reshape(query.shape))"},
)

rotary_attention.mistake(
    "mask inverted",
    'Your mask means the opposite. In this course True means "may look"; you hide exactly what should be seen.',
    {CALL: "scaled_dot_product_attention(q, k, v, None if mask is None else ~mask)"},
)

rotary_attention.mistake(
    "no scale",
    "The scores are not divided by √d_head. Turning changes no length, so the scale is needed as before. Your `scaled_dot_product_attention` scales; use it, or divide.",
    {CALL: "scaled_dot_product_attention(q * q.size(-1) ** 0.5, k, v, mask)"},
)

rotary_attention.mistake(
    "scaled by √d_model",
    "The scores are divided by √d_model. Each head compares vectors of d_head features, so the divisor is √d_head. With yours all weights are too even. Scale after the split, not before.",
    {CALL: "scaled_dot_product_attention(q / self.num_heads**0.5, k, v, mask)"},
)

rotary_attention.mistake(
    "scaled twice",
    "The scores are divided by √d_head twice, that is, by d_head. The weights come out too even. `scaled_dot_product_attention` scales already; in code of your own, divide once by the square root.",
    {CALL: "scaled_dot_product_attention(q / q.size(-1) ** 0.5, k, v, mask)"},
)

SOFTMAX = "torch.softmax(scores, dim=-1)"
rotary_attention.mistake(
    "softmax over the queries",
    "The softmax runs over the queries. Each query shares out a weight of 1 among the keys, and keys lie in the last dimension: `dim=-1`.",
    edit({SOFTMAX: "torch.softmax(scores, dim=-2)"}, inside="scaled_dot_product_attention"),
    edit({SOFTMAX: "torch.softmax(scores, dim=-2)", ZEROS: "pass"}, inside="scaled_dot_product_attention"),
)

rotary_attention.mistake(
    "softmax over the heads",
    "The softmax runs over the heads. They then compete for each pair of tokens, and the weights of a query do not sum to 1. Keys lie in the last dimension: `dim=-1`.",
    edit({SOFTMAX: "torch.softmax(scores, dim=1)"}, inside="scaled_dot_product_attention"),
    edit({SOFTMAX: "torch.softmax(scores, dim=1)", ZEROS: "pass"}, inside="scaled_dot_product_attention"),
)

rotary_attention.mistake(
    "scores returned, not weights",
    "You return the scores, not the weights. Weights are what the softmax makes of the scores: rows of numbers from 0 to 1 that sum to 1.",
    edit({"return output, weights": "return output, scores"}, inside="scaled_dot_product_attention"),
    edit({"return output, weights": "return output, attention_scores(q, k)"}, inside="scaled_dot_product_attention"),
)

rotary_attention.mistake(
    "weights and output swapped",
    "Output and weights have changed places. Attention functions of this course return (output, weights), in that order.",
    {f"{OUTPUT}, weights": f"weights, {OUTPUT}"},
)

rotary_attention.mistake(
    "one projection for several",
    "Query, key and value do not each have a projection of their own. Two of them go through the same layer, so they cannot learn different roles. `q_proj` reads the query, `k_proj` the key, `v_proj` the value.",
    {PROJECT_K: "self.q_proj(key)"},
    {PROJECT_K: "self.q_proj(key)", PROJECT_V: "self.q_proj(value)"},
    {PROJECT_V: "self.k_proj(value)"},
)

rotary_attention.mistake(
    "a projection left out",
    "A projection is left out. Its layer exists and is never called, so its parameters never learn. `q_proj`, `k_proj` and `v_proj` each project what they are named after, before the split.",
    {PROJECT_V: "value"},
    {PROJECT_Q: "query"},
    {PROJECT_K: "key"},
)

rotary_attention.mistake(
    "query and key swapped",
    "Queries and keys have changed places. Each row of the scores belongs to a query and has a number for every key; yours are the other way round. Look at the order of the arguments.",
    {CALL: "scaled_dot_product_attention(k, q, v, mask)"},
)

rotary_attention.mistake(
    "key made from the query",
    "The keys are made from `query`. The argument `key` is never read, so each query compares itself with the other queries. `k_proj` reads `key`.",
    {PROJECT_K: "self.k_proj(query)"},
)

rotary_attention.mistake(
    "key and value swapped",
    "Key and value have changed places. Keys are what a query is compared with, values are what is taken; they do not come through the same projection. Look at the order of the arguments.",
    {PROJECT_K: "self.k_proj(value)", PROJECT_V: "self.v_proj(key)"},
    {PROJECT_K: "self.v_proj(key)", PROJECT_V: "self.k_proj(value)"},
    {CALL: "scaled_dot_product_attention(q, v, k, mask)"},
)

rotary_attention.mistake(
    "key and value made from the query",
    "Keys and values are made from `query`. So the module can only do self-attention: what is passed as `key` and `value` is never read. `k_proj` reads `key`, `v_proj` reads `value`.",
    {PROJECT_K: "self.k_proj(query)", PROJECT_V: "self.v_proj(query)", "key.size(1)": "query.size(1)"},
)

rotary_attention.mistake(
    "value made from the key",
    "The values are made from `key`; the argument `value` is never read. In most calls the two are the same tensor and nobody notices. `v_proj` reads `value`.",
    {PROJECT_V: "self.v_proj(key)"},
)

rotary_attention.mistake(
    "weights averaged over the heads",
    "The weights are averaged over the heads. The heads look at different things, and the average shows none of them: return (batch, num_heads, query_len, key_len).",
    {f"{OUTPUT}, weights": f"{OUTPUT}, weights.mean(dim=1)"},
)

rotary_attention.mistake(
    "weights not returned",
    "Only the output is returned. Attention functions of this course return two things, (output, weights).",
    {f"{OUTPUT}, weights": OUTPUT},
)

rotary_attention.mistake(
    "NaN for a query that may look at nothing",
    "A query that may look at nothing becomes NaN. The softmax of a row of -inf is 0 divided by 0, and one such row spoils the whole batch. Set the weights to zero where the mask is False, after the softmax, as your `scaled_dot_product_attention` does.",
    edit({ZEROS: "pass"}, inside="scaled_dot_product_attention"),
)

rotary_attention.mistake(
    "a large negative number instead of -inf",
    "Masked scores are filled with a large negative number. For a row that may look at something, this makes no difference; a row that may look at nothing looks evenly at everything that is hidden. Fill with -inf, and set such rows to zero after the softmax, as your "
    "`scaled_dot_product_attention` does.",
    edit(
        {'float("-inf")': "-1e9", ZEROS: "pass"},
        inside="scaled_dot_product_attention",
    ),
)

rotary_attention.mistake(
    "odd heads accepted",
    "A head with an odd number of features is not refused. Features are turned in pairs, and one would be left alone. Keep the `raise ValueError` that was given, or let `apply_rotary` raise its own.",
    {
        "if (d_model // num_heads) % 2 != 0:": "if False:",
        TURN_Q: "apply_rotary(q, torch.arange(query.size(1))) if q.size(-1) % 2 == 0 else q",
        TURN_K: "apply_rotary(k, torch.arange(key.size(1))) if k.size(-1) % 2 == 0 else k",
    },
)

rotary_attention.mistake(
    "sizes that do not fit are accepted",
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and who asks for that should get an error that says so: keep the `raise ValueError` that was given.",
    {"if num_heads < 1 or d_model % num_heads != 0:": "if False:"},
)
