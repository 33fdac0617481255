"""Mistakes of MultiHeadAttention, and those that GroupedQueryAttention has in common with it."""

from autograder.checks.multi_head_attention.attending import multi_head_attention
from autograder.checks.multi_head_attention.grouped import grouped_query_attention
from autograder.mistakes.multi_head_attention.heads import KEY, QUERY, VALUE
from autograder.probing.mistake import edit

ATTENTION = "scaled_dot_product_attention"
CALL = f"{ATTENTION}(q, k, v, mask)"
OUTPUT = "self.out_proj(merge_heads(heads))"
RETURN = f"{OUTPUT}, weights"
MIX = "self.dropout(weights) @ v"
Q_LAYER, K_LAYER, V_LAYER, OUT_LAYER = (
    f"self.{name}_proj = nn.Linear(d_model, d_model)" for name in ("q", "k", "v", "out")
)
GROUPED_K_LAYER, GROUPED_V_LAYER = (
    f"self.{name}_proj = nn.Linear(d_model, num_kv_heads * d_head)" for name in ("k", "v")
)

# A slip that is the same edit in either of them, each in its own reference, is written once, in a loop over both.
BOTH = (multi_head_attention, grouped_query_attention)

# The projections ----------------------------------------------------------------------------

for module in BOTH:
    module.mistake(
        "no output projection",
        "There is no output projection. The merged heads lie side by side and nothing ever mixes them: feature 0 of the output depends only on head 0. "
        "`out_proj`, a "
        "linear layer over all d_model features, is the last step. Many articles leave it out.",
        {OUTPUT: "merge_heads(heads)"},
        {OUTPUT: "merge_heads(heads)", OUT_LAYER: "pass"},
    )

multi_head_attention.mistake(
    "another projection in place of out_proj",
    "The last layer is one of the first three. What the heads found goes through `out_proj`, a layer of its own: with one of the others it would have to learn two things at once.",
    *({OUTPUT: f"self.{name}_proj(merge_heads(heads))"} for name in "vqk"),
)

WITHIN_HEADS = "self.out_proj.weight * torch.block_diag(*[torch.ones(heads.size(-1), heads.size(-1))] * self.num_heads)"
multi_head_attention.mistake(
    "out_proj within each head",
    "The output projection works on each head by itself. So the heads still never meet: feature 0 of the output depends only on head 0. Merge the heads first, and let `out_proj` read all d_model features.",
    {OUTPUT: f"nn.functional.linear(merge_heads(heads), {WITHIN_HEADS}, self.out_proj.bias)"},
)

multi_head_attention.mistake(
    "one projection for several",
    "Query, key and value do not each have a projection of their own. Two of them go through the same layer, so they cannot learn different roles. "
    "`q_proj` reads `query`, `k_proj` reads `key`, `v_proj` reads `value`.",
    {KEY: "self.q_proj(key)", VALUE: "self.q_proj(value)"},
    {KEY: "self.q_proj(key)"},
    {VALUE: "self.k_proj(value)"},
    {QUERY: "self.k_proj(query)", VALUE: "self.k_proj(value)"},
    {KEY: "self.q_proj(key)", VALUE: "self.q_proj(value)", K_LAYER: "pass", V_LAYER: "pass"},
    {K_LAYER: "self.k_proj = self.q_proj", V_LAYER: "self.v_proj = self.q_proj"},
)

SWAPPED = (
    "Key and value have changed places. Keys are what a query is compared with, values are what is taken; in self-attention they come from the same tokens, "
    "but not through the same projection. Look at the order of the arguments."
)
multi_head_attention.mistake(
    "key and value swapped",
    SWAPPED,
    {KEY: "self.k_proj(value)", VALUE: "self.v_proj(key)"},
    {KEY: "self.v_proj(key)", VALUE: "self.k_proj(value)"},
    {CALL: f"{ATTENTION}(q, v, k, mask)", MIX: "self.dropout(weights) @ k"},
)

ASKED = (
    "Query and key have changed places. The rows of the weights belong to the tokens that ask; in your code the tokens that are read ask, and where the "
    "two differ in number nothing fits. `q_proj(query)` has to come first."
)
PROJECTIONS_EXCHANGED = {QUERY: "self.k_proj(query)", KEY: "self.q_proj(key)"}
BY_EACH_OTHERS = (
    "Query and key go through each other's projections. `q_proj` reads `query` and `k_proj` reads `key`. In an untrained layer nobody would notice, but "
    "weights from torch no longer fit."
)
ASKED_BY_KEYS = {QUERY: "self.q_proj(key)", KEY: "self.k_proj(query)"}
multi_head_attention.mistake(
    "query and key swapped",
    ASKED,
    ASKED_BY_KEYS,
    {CALL: f"{ATTENTION}(k, q, v, mask)"},
    edit(PROJECTIONS_EXCHANGED, says=BY_EACH_OTHERS),
    # Where the product of weights and values raises, and not the attention function.
    {**ASKED_BY_KEYS, CALL: f"{ATTENTION}(q, k, k, mask)"},
    {CALL: f"{ATTENTION}(k, q, q, mask)"},
)

grouped_query_attention.mistake(
    "key and value swapped",
    SWAPPED,
    {KEY: "self.k_proj(value)", VALUE: "self.v_proj(key)"},
    {KEY: "self.v_proj(key)", VALUE: "self.k_proj(value)"},
    {CALL: f"{ATTENTION}(q, v, k, mask)"},
)

for module in BOTH:
    module.mistake(
        "key and value made from the query",
        "Keys and values are made from `query`. So the module can only do self-attention: what is passed as `key` and `value` is never read, and a "
        "decoder could not look at the source. `k_proj` reads `key`, `v_proj` reads `value`.",
        {KEY: "self.k_proj(query)", VALUE: "self.v_proj(query)"},
    )

for module in BOTH:
    module.mistake(
        "value made from the key",
        "The values are made from `key`; the argument `value` is never read. In most calls the two are the same tensor and nobody notices. `v_proj` reads `value`.",
        {VALUE: "self.v_proj(key)"},
    )

EQUAL_LENGTHS = (
    "It works only when there are as many keys as queries. In cross-attention 4 tokens may read 5 other tokens, and then your shapes do not fit. Take "
    "the length of keys and "
    "values from `key`, not from `query`."
)
multi_head_attention.mistake(
    "only for equal lengths",
    EQUAL_LENGTHS,
    {KEY: "self.k_proj(key).reshape(query.shape)", VALUE: "self.v_proj(value).reshape(query.shape)"},
)

grouped_query_attention.mistake(
    "only for equal lengths",
    EQUAL_LENGTHS,
    {
        KEY: "self.k_proj(key).reshape(*query.shape[:2], self.k_proj.out_features)",
        VALUE: "self.v_proj(value).reshape(*query.shape[:2], self.v_proj.out_features)",
    },
)

RELU = (
    "There is a ReLU on the projections. Query, key and value are linear in the tokens. A ReLU sets their negative numbers to 0, and what those numbers "
    "said is lost. The softmax is the only nonlinear step in attention."
)


def rectified(*projections: str) -> dict[str, str]:
    """A ReLU around these projections."""
    return {one: f"torch.relu({one})" for one in projections}


multi_head_attention.mistake(
    "ReLU on the projections",
    RELU,
    rectified(QUERY, KEY, VALUE),
    rectified(QUERY, KEY),
    rectified(VALUE),
    # As keras-multi-head has it: all four layers.
    rectified(QUERY, KEY, VALUE, OUTPUT),
)

grouped_query_attention.mistake(
    "ReLU on the projections", RELU, rectified(QUERY, KEY, VALUE), rectified(QUERY, KEY, VALUE, OUTPUT)
)

multi_head_attention.mistake(
    "a projection left out",
    "A projection is left out. Its layer exists and is never called, so its parameters never learn, and a head works on the token's own features "
    "instead of projected ones. All three, query, key and value, go through a projection before they are split.",
    {QUERY: "query", KEY: "key", VALUE: "value"},
    {QUERY: "query"},
    {KEY: "key"},
    {VALUE: "value"},
    {QUERY: "query", KEY: "key"},
)

NO_BIAS = (
    "Linear layers have no bias; the report says which. All linear layers of the course have a bias, as in torch's module; without biases, torch's "
    "weights cannot be loaded. `nn.Linear(d_model, d_model)` "
    "has a bias unless told otherwise."
)


def unbiased(*layers: str) -> dict[str, str]:
    """These linear layers without bias."""
    return {one: one.removesuffix(")") + ", bias=False)" for one in layers}


multi_head_attention.mistake(
    "bias missing",
    NO_BIAS,
    unbiased(Q_LAYER, K_LAYER, V_LAYER, OUT_LAYER),
    unbiased(Q_LAYER, K_LAYER, V_LAYER),
    unbiased(OUT_LAYER),
)

grouped_query_attention.mistake(
    "bias missing",
    NO_BIAS,
    unbiased(Q_LAYER, GROUPED_K_LAYER, GROUPED_V_LAYER, OUT_LAYER),
    unbiased(Q_LAYER, GROUPED_K_LAYER, GROUPED_V_LAYER),
    unbiased(GROUPED_K_LAYER, GROUPED_V_LAYER),
)

NO_OUT_BIAS = {OUTPUT: "merge_heads(heads) @ self.out_proj.weight.T"}
NO_IN_BIAS = {
    QUERY: "query @ self.q_proj.weight.T",
    KEY: "key @ self.k_proj.weight.T",
    VALUE: "value @ self.v_proj.weight.T",
}
for module in BOTH:
    module.mistake(
        "biases not added",
        "The biases are not added. The layers have them, and you multiply by the weights alone: the biases never learn, and torch's weights give other results. Call the layer, "
        "`self.q_proj(query)`, and it does both.",
        NO_IN_BIAS | NO_OUT_BIAS,
        NO_IN_BIAS,
        NO_OUT_BIAS,
    )

for module in BOTH:
    module.mistake(
        "residual connection inside",
        "The input is added to the output. That residual connection belongs to the layer around attention, which lesson 05 builds. If attention added "
        "the input too, it would be added twice.",
        {RETURN: f"query + {RETURN}"},
    )

# The mask ----------------------------------------------------------------------------

for module in BOTH:
    module.mistake(
        "mask ignored",
        "The mask is not used. Every token sees padding and future. `scaled_dot_product_attention` takes it as its fourth argument; does yours arrive there?",
        {CALL: f"{ATTENTION}(q, k, v)"},
    )

for module in BOTH:
    module.mistake(
        "mask inverted",
        'Your mask means the opposite. In this course True means "may look"; you hide exactly what should be seen. In `nn.MultiheadAttention` True '
        "means the opposite, and many articles follow it.",
        {CALL: f"{ATTENTION}(q, k, v, None if mask is None else ~mask)"},
    )

multi_head_attention.mistake(
    "mask not broadcast over the heads",
    "The mask reaches the first head only; the others see padding and future. A mask of size 1 in the dimension of the heads holds for all heads: leave "
    "that to broadcasting, and do not index the mask.",
    {CALL: f"{ATTENTION}(q, k, v, None if mask is None else mask | (torch.arange(self.num_heads) > 0)[:, None, None])"},
)

for module in BOTH:
    module.mistake(
        "mask of head 0 for all heads",
        "All heads get the mask of head 0. A mask may differ from head to head: with shape (batch, num_heads, query_len, key_len) it holds one mask for "
        "each head. Pass the mask on whole; where its second dimension is 1, broadcasting does the rest.",
        {CALL: f"{ATTENTION}(q, k, v, mask[:, :1] if mask is not None and mask.dim() == 4 else mask)"},
    )

multi_head_attention.mistake(
    "mask copied in the wrong order",
    "The copies of the mask are dealt out in the wrong order: sequences get the masks of other sequences. `repeat` gives the masks of sentences 0 1 2 0 "
    "1 2, but heads and batch in one dimension need 0 0 1 1 2 2, which `repeat_interleave` gives. Better still, do not copy: a mask of (batch, 1, 1, "
    "key_len) broadcasts.",
    {
        CALL: f"{ATTENTION}(q, k, v, None if mask is None else mask.expand(len(q), 1, q.size(2), k.size(2))"
        ".repeat(self.num_heads, 1, 1, 1).reshape(len(q), self.num_heads, q.size(2), k.size(2)))"
    },
)

MASK_FILL, MASK_ZERO = 'scores.masked_fill(~mask, float("-inf"))', "weights.masked_fill(~mask, 0.0)"
multi_head_attention.mistake(
    "NaN for a query that may look at nothing",
    "A query that may look at nothing becomes NaN. The softmax of a row of -inf is 0 divided by 0, and one such row, at the end of a padded sentence, spoils the whole batch. "
    "Set the weights to zero where the mask is False, after the softmax, as your `scaled_dot_product_attention` does.",
    edit({"weights = weights.masked_fill(~mask, 0.0)": "pass"}, inside=ATTENTION),
    also=[grouped_query_attention],
)

multi_head_attention.mistake(
    "a large negative number instead of -inf",
    "Masked scores are filled with a large negative number. For a row that may look at something, this makes no difference; a row that may look at "
    "nothing looks evenly at everything that is hidden. Fill with -inf, and set such rows to zero after the softmax.",
    edit({'float("-inf")': "-1e9", "weights = weights.masked_fill(~mask, 0.0)": "pass"}, inside=ATTENTION),
    also=[grouped_query_attention],
)

multi_head_attention.mistake(
    "masked scores set to 0",
    "Masked scores are set to 0. Zero is a score like any other: e⁰ = 1, so what is hidden still gets its share. What may not be read needs a score of -inf, and a weight of 0 after the softmax.",
    edit({MASK_FILL: "scores * mask", MASK_ZERO: "weights"}, inside=ATTENTION),
    edit({MASK_FILL: "scores * mask"}, inside=ATTENTION),
)

multi_head_attention.mistake(
    "-1 as fill",
    "Masked scores are set to a small negative number, and e⁻¹ is still 0.37. Whatever is hidden keeps a share of the weight. Use -inf: its exponential is exactly 0.",
    edit({MASK_FILL: "scores.masked_fill(~mask, -1.0)", MASK_ZERO: "weights"}, inside=ATTENTION),
)

# Scores and softmax ----------------------------------------------------------------------------

for module in BOTH:
    module.mistake(
        "scaled by √d_model",
        "The scores are divided by √d_model. Each head compares vectors of d_head features, so the divisor is √d_head. Yours makes the scores too small "
        "by a factor √num_heads, and all weights too even. Scale after the split, not before.",
        {CALL: f"{ATTENTION}(q / self.num_heads**0.5, k, v, mask)"},
    )

for module in BOTH:
    module.mistake(
        "no scale",
        "The scores are not divided by √d_head. Dot products grow with the number of features, and with large scores the softmax gives nearly all the "
        "weight to one token. Your "
        "`scaled_dot_product_attention` scales; use it, or divide.",
        {CALL: f"{ATTENTION}(q * q.size(-1) ** 0.5, k, v, mask)"},
    )

for module in BOTH:
    module.mistake(
        "scaled twice",
        "The scores are divided by √d_head twice, that is, by d_head, and the weights come out too even. `scaled_dot_product_attention` already scales: "
        "leave the query alone. "
        "If you scale yourself, look whether the root is missing.",
        {CALL: f"{ATTENTION}(q / q.size(-1) ** 0.5, k, v, mask)"},
    )

multi_head_attention.mistake(
    "softmax over the queries",
    "The softmax runs over the queries. Each query shares out a weight of 1 among the keys, so rows sum to 1 and the softmax runs over the last "
    "dimension. In your code every key shares out a weight of 1 among the queries.",
    edit({"dim=-1": "dim=-2"}, inside=ATTENTION),
)

multi_head_attention.mistake(
    "softmax over the heads",
    "The softmax runs over the heads. They compete for each pair of tokens, and the weights of a query do not sum to 1. Every head is an attention of its own: the softmax runs over the "
    "keys, `dim=-1`. `dim=1` was right once, for scores without heads.",
    edit({"dim=-1": "dim=1"}, inside=ATTENTION),
)

multi_head_attention.mistake(
    "heads attend to each other",
    "The heads of one token attend to each other, and no token sees another. Attention works on the last two dimensions; yours are (num_heads, d_head) where (seq_len, d_head) has "
    "to be. The transpose after the head split is missing.",
    {
        CALL: f"{ATTENTION}(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), mask)",
        MIX: "(self.dropout(weights) @ v.transpose(1, 2)).transpose(1, 2)",
    },
)

ONE_HEAD = {f"{one}, self.num_heads": f"{one}, 1" for one in (QUERY, KEY, VALUE)}
multi_head_attention.mistake(
    "one head only",
    "There is only one head. `num_heads` is stored and not used, and all d_model features make one set of weights. Split query, key and value with `split_heads` before attention.",
    ONE_HEAD,
    # With a mask for each head there are as many tokens too many, where the reshape counts none.
    ONE_HEAD | {"merge_heads(heads)": "heads.transpose(1, 2).reshape(len(query), -1, query.size(2))"},
)

# Dropout and what is returned ----------------------------------------------------------------------------

multi_head_attention.mistake(
    "heads never split",
    "Nothing is split into heads. All d_model features make one set of weights for each token, and the result has no dimension for the heads. Project first, then split: "
    "`split_heads(self.q_proj(query), self.num_heads)`, and likewise for key and value.",
    {
        f"split_heads({QUERY}, self.num_heads)": QUERY,
        f"split_heads({KEY}, self.num_heads)": KEY,
        f"split_heads({VALUE}, self.num_heads)": VALUE,
        "merge_heads(heads)": "heads",
    },
)

multi_head_attention.mistake(
    "dropout without a factor",
    "Your dropout does not make up for what it drops. What is left has to be divided by 1 - p. Then the mean stays what it was without dropout, and "
    "nothing has to change in evaluation. "
    "`nn.Dropout` does both.",
    {"self.dropout(weights)": "(weights * (torch.rand_like(weights) >= self.dropout.p) if self.training else weights)"},
)

multi_head_attention.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and a flag outside the module does not follow `eval()`. Use the `nn.Dropout` "
    "of the constructor, or pass `training=self.training`.",
    {"self.dropout(weights)": "nn.functional.dropout(weights, self.dropout.p)"},
)

multi_head_attention.mistake(
    "weights returned after dropout",
    "The returned weights are those after dropout. These weights mix the values; but to see where a head looks one needs the weights before dropout, "
    "with rows that sum to 1. Give the weights after dropout another name. (torch's own module returns them after dropout.)",
    {f"heads = {MIX}": "weights = self.dropout(weights); heads = weights @ v"},
)

multi_head_attention.mistake(
    "dropout on the returned weights alone",
    "Dropout acts on the weights that you return, and not on those that mix the values. It belongs the other way round: weights after dropout make the output, "
    "and the weights before dropout are returned, as they show where a head looks. What `self.dropout` gives is what meets `v`.",
    {MIX: "weights @ v", RETURN: f"{OUTPUT}, self.dropout(weights)"},
)

multi_head_attention.mistake(
    "no dropout",
    "No dropout reaches your output. In training it sets a share of the weights to zero, between the softmax and the values; what `self.dropout` gives is what meets the values.",
    {"self.dropout(weights)": "weights"},
)

multi_head_attention.mistake(
    "dropout before the softmax",
    "Dropout acts before the softmax. A score of 0 hides nothing: its key gets a share like any other, and the returned weights have been through "
    "dropout. Dropout belongs after the softmax, between the weights and the values.",
    # Not the scores but the queries, which are at hand here: the checks drop everything, or have a single key.
    {CALL: f"{ATTENTION}(self.dropout(q), k, v, mask)", MIX: "weights @ v"},
)

multi_head_attention.mistake(
    "dropout on the heads",
    "Dropout acts on what the heads found, not on the weights. Dropout should hide whole tokens from a query, in one head at a time; yours sets single "
    "features to zero. It belongs between the softmax and the values.",
    {MIX: "self.dropout(weights @ v)"},
)

multi_head_attention.mistake(
    "dropout on the output",
    "Dropout acts on the output instead of the weights. Dropping the output is the task of the layer around attention (lesson 05); here it comes between the softmax and the values.",
    {MIX: "weights @ v", OUTPUT: f"self.dropout({OUTPUT})"},
)

for module in BOTH:
    module.mistake(
        "weights averaged over the heads",
        "The weights are averaged over the heads. The heads look at different things, and the average shows none of them: return (batch, num_heads, query_len, key_len). torch's module averages "
        "unless told `average_attn_weights=False`.",
        {RETURN: f"{OUTPUT}, weights.mean(dim=1)"},
        {RETURN: f"{OUTPUT}, weights.mean(dim=1, keepdim=True)"},
    )

multi_head_attention.mistake(
    "weights of one head only",
    "The weights of one head come back. Each head looks elsewhere, so all of them are returned: (batch, num_heads, query_len, key_len). If you go through the heads in a loop, collect their weights and stack them in dimension 1.",
    {RETURN: f"{OUTPUT}, weights[:, -1]"},
    {RETURN: f"{OUTPUT}, weights[:, 0]"},
    {RETURN: f"{OUTPUT}, weights[:, -1:]"},
    {RETURN: f"{OUTPUT}, weights[:, :1]"},
)

multi_head_attention.mistake(
    "weights with the heads elsewhere",
    "The weights come back with the heads in another dimension. They are (batch, num_heads, query_len, key_len), the batch first and the heads second, as everywhere in this course. If you stack the weights of the heads, "
    "`dim=1` puts them there.",
    {RETURN: f"{OUTPUT}, weights.transpose(0, 1)"},
    {RETURN: f"{OUTPUT}, weights.transpose(1, 2)"},
    {RETURN: f"{OUTPUT}, weights.permute(0, 2, 3, 1)"},
    {RETURN: f"{OUTPUT}, weights.flatten(0, 1)"},
)

OF_ONE_HEAD = "All heads read the {} of one head. Each head has {} of its own, its slice of the projection: with one for all, the heads can hardly look at different things. If you cut slices in a loop, cut all three alike."
multi_head_attention.mistake(
    "keys or values of one head for all",
    OF_ONE_HEAD.format("values", "values"),
    {MIX: "self.dropout(weights) @ v[:, :1]"},
    edit({CALL: f"{ATTENTION}(q, k[:, :1], v, mask)"}, says=OF_ONE_HEAD.format("keys", "keys")),
)

for module in BOTH:
    module.mistake(
        "weights and output swapped",
        "Output and weights have changed places. Attention functions of this course return (output, weights), in that order.",
        {RETURN: f"weights, {OUTPUT}"},
    )

for module in BOTH:
    module.mistake(
        "weights not returned",
        "Only the output is returned. Attention functions of this course return two things, (output, weights): without the weights nobody can see where a head looks.",
        {RETURN: OUTPUT},
    )

KEYS_MIXED = "The weights mix the keys. Keys are only compared with queries; what is taken from a token is its value. The last product is weights times v."
multi_head_attention.mistake("keys mixed instead of values", KEYS_MIXED, {MIX: "self.dropout(weights) @ k"})

grouped_query_attention.mistake("keys mixed instead of values", KEYS_MIXED, {CALL: f"{ATTENTION}(q, k, k, mask)"})
