"""Wrong ways of lesson 03."""

import itertools

from autograder.checks.multi_head_attention import (
    grouped_query_attention,
    load_from_torch,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from autograder.probing.mistake import edit

ATTENTION = "scaled_dot_product_attention"
FITS = "if num_heads < 1 or d_model % num_heads != 0:"
RESHAPE = "x.reshape(batch, seq_len, num_heads, d_model // num_heads)"
JOIN = "slices.reshape(batch, seq_len, num_heads * d_head)"
QUERY, KEY, VALUE = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"
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

SEQUENCE_FIRST = "The sequence stands in front of the batch. That is torch's default (`batch_first=False`); in this course the batch always comes first."
CUT_OFF = "No gradient reaches `x`. Something cuts it off (`detach`, `.data`, a tensor made anew), so the projection that made it would never learn. Cut and join `x` itself."

# Splitting ----------------------------------------------------------------------------

split_heads.mistake(
    "view instead of view and transpose",
    "You reshape straight to (batch, num_heads, seq_len, d_head). The shape is right and the numbers are not: a reshape reads memory in order, "
    "so each head gets all features of some tokens instead of some features of all tokens. Cut the last dimension first, then transpose.",
    {RESHAPE: "x.reshape(batch, num_heads, seq_len, d_model // num_heads)", "slices.transpose(1, 2)": "slices"},
    # `view` raises on memory that is not contiguous, where `reshape` computes something wrong.
    edit(
        {RESHAPE: "x.view(batch, num_heads, seq_len, d_model // num_heads)", "slices.transpose(1, 2)": "slices"},
        of=[split_heads],
    ),
    # Who splits three times can slip once.
    *(
        edit(
            {f"split_heads({one}, self.num_heads)": f"{one}.reshape(len(query), self.num_heads, {given}.size(1), -1)"},
            inside="MultiHeadAttention.forward",
            of=[multi_head_attention],
        )
        for one, given in ((QUERY, "query"), (KEY, "key"), (VALUE, "value"))
    ),
    also=[multi_head_attention, grouped_query_attention],
)

split_heads.mistake(
    "heads left behind the tokens",
    "The heads are not in front of the tokens. You return (batch, seq_len, num_heads, d_head); attention works on the last two dimensions, so "
    "every token would compare its own heads with each other. Exchange the dimensions 1 and 2.",
    {"slices.transpose(1, 2)": "slices"},
)

split_heads.mistake(
    "features dealt out in turn",
    "Features are dealt out to the heads in turn. Your head 0 gets every num_heads-th feature; it should get the first d_head in one piece. In an "
    "untrained module nobody would notice, but weights from torch no longer fit. Reshape to (…, num_heads, d_head), not (…, d_head, num_heads).",
    {RESHAPE: "x.reshape(batch, seq_len, d_model // num_heads, num_heads).transpose(2, 3)"},
    also=[multi_head_attention, grouped_query_attention],
)

split_heads.mistake(
    "num_heads and d_head exchanged",
    "num_heads and d_head have changed places. You make d_head heads of num_heads features each. The last dimension is cut into (num_heads, d_head), in "
    "that order.",
    {RESHAPE: "x.reshape(batch, seq_len, d_model // num_heads, num_heads)"},
    also=[multi_head_attention],
)

split_heads.mistake(
    "heads in front of the batch",
    "Your heads come first, in front of the batch. The course puts the batch first everywhere: (batch, num_heads, seq_len, d_head). Only the dimensions "
    "1 and 2 are exchanged.",
    {"slices.transpose(1, 2)": "slices.permute(2, 0, 1, 3)"},
)

split_heads.mistake(
    "heads folded into the batch",
    "Heads and batch share one dimension. torch does this internally; here they stay apart, (batch, num_heads, seq_len, d_head), so that a mask of shape "
    "(batch, 1, 1, key_len) fits without being copied.",
    {"slices.transpose(1, 2)": "slices.transpose(1, 2).flatten(0, 1)"},
    {"slices.transpose(1, 2)": "slices.permute(2, 0, 1, 3).flatten(0, 1)"},
)

split_heads.mistake(
    "features in front of the tokens",
    "The last two dimensions are exchanged. You return (batch, num_heads, d_head, seq_len); tokens are rows, with their features last. The keys are transposed later, "
    "inside `attention_scores`.",
    {"slices.transpose(1, 2)": "slices.permute(0, 2, 3, 1)"},
)

split_heads.mistake(
    "sizes that do not fit are accepted",
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and who asks for that should get an error that says so. "
    "Raise a ValueError that names both numbers, as the given lines did.",
    {FITS: "if False:"},
    edit({FITS: "if num_heads < 1:"}, of=[split_heads]),
    # Where no reshape raises: slices leave out the features at the end, and a place that is computed may not exist.
    *(
        edit({FITS: refuses, RESHAPE: cut}, of=[split_heads])
        for refuses in ("if False:", "if num_heads < 1:")
        for cut in (
            RESHAPE.replace("x.", "x[..., : d_model // num_heads * num_heads].", 1),
            "x[..., torch.arange(-(-d_model // num_heads) * num_heads).view(num_heads, -1)]",
        )
    ),
    edit(
        {FITS: "if False:"},
        inside="MultiHeadAttention.__init__",
        of=[multi_head_attention],
    ),
)

split_heads.mistake(
    "no heads accepted",
    "A number of heads below 1 is not refused. The remainder by 0 raises a ZeroDivisionError, and every width can be divided by -1. No features can be cut into 0 or -1 slices, so this is a ValueError, too: keep `num_heads < 1`.",
    {FITS: "if d_model % num_heads != 0:"},
)

split_heads.mistake(
    "the wrong two dimensions transposed",
    "You exchange the wrong two dimensions. After the reshape the sizes are (batch, seq_len, num_heads, d_head), and heads and tokens change places: dimensions 1 and 2.",
    *({"slices.transpose(1, 2)": f"slices.transpose({pair})"} for pair in ("2, 3", "1, 3", "0, 2")),
)

split_heads.mistake(
    "transposed before the cut",
    "You transpose before the last dimension is cut. The reshape that follows then reads numbers of different tokens into one slice, and the shape does not show it. Cut d_model into (num_heads, d_head) first, then exchange dimensions 1 and 2.",
    {
        RESHAPE: "x.transpose(1, 2).reshape(batch, num_heads, seq_len, d_model // num_heads)",
        "slices.transpose(1, 2)": "slices",
    },
)

HEADS_BACKWARDS = (
    "The heads are in the opposite order. Head 0 has the first d_head features of a token, head 1 the next, and so on."
)
split_heads.mistake(
    "heads in the opposite order", HEADS_BACKWARDS, {"slices.transpose(1, 2)": "slices.flip(2).transpose(1, 2)"}
)

split_heads.mistake(
    "the first slice for every head",
    "Every head gets the first slice. Their features are the same, so all heads would find the same; the other features of a token are lost. Slice `h` begins at feature h · d_head.",
    {"slices.transpose(1, 2)": "slices[:, :, :1].expand_as(slices).transpose(1, 2)"},
)

split_heads.mistake(
    "slices overlap",
    "The slices overlap. Each begins one feature after the slice before it, so most features are in several heads and the last ones in none. Slice `h` begins at feature h · d_head.",
    {RESHAPE: "x.unfold(2, d_model // num_heads, 1)[:, :, :num_heads]"},
)

split_heads.mistake(
    "the tokens cut",
    "You cut the tokens, not their features. A head then has all features of some tokens, and the rest of the sentence is hidden from it. The features are the last dimension.",
    {"slices.transpose(1, 2)": "torch.stack(x.chunk(num_heads, dim=1), dim=1)"},
)

split_heads.mistake(
    "sequence in front of the batch",
    SEQUENCE_FIRST,
    {"slices.transpose(1, 2)": "slices.permute(1, 0, 2, 3)"},
    {"slices.transpose(1, 2)": "slices.permute(1, 2, 0, 3)"},
)

split_heads.mistake("cut off from the gradient", CUT_OFF, {"slices.transpose(1, 2)": "slices.transpose(1, 2).detach()"})

split_heads.mistake(
    "a list of heads",
    "You return a list with a tensor for each head. Attention takes all heads in one tensor: `torch.stack(heads, dim=1)` gives them a dimension of their own, behind the batch.",
    {"slices.transpose(1, 2)": "list(slices.unbind(2))"},
    {"slices.transpose(1, 2)": "[one.unsqueeze(1) for one in slices.unbind(2)]"},
)

# Merging ----------------------------------------------------------------------------

merge_heads.mistake(
    "merge without transposing back",
    "The heads are merged without moving them back behind the tokens. The reshape then joins neighbouring tokens of one head instead of the heads of one token, and "
    "the shape does not show it. Transpose the dimensions 1 and 2 first.",
    edit({"x.transpose(1, 2)": "x", JOIN: "slices.view(batch, seq_len, num_heads * d_head)"}, of=[merge_heads]),
    {"x.transpose(1, 2)": "x"},
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "features woven together",
    "The heads are woven together instead of put side by side. Your token starts with the first feature of every head; it should start with all features of head 0. "
    "The last two dimensions before the reshape are (num_heads, d_head).",
    {JOIN: "slices.transpose(2, 3).reshape(batch, seq_len, num_heads * d_head)"},
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "the wrong two dimensions transposed",
    "You exchange the last two dimensions, tokens and features. Before the reshape heads and tokens have to change places, the dimensions 1 and 2.",
    {"x.transpose(1, 2)": "x.transpose(2, 3)"},
    *(
        edit(
            {"x.transpose(1, 2)": f"x.transpose({pair})"},
            of=[merge_heads],
            says=f"You exchange the dimensions {pair.replace(', ', ' and ')}. Before the reshape heads and tokens have to change places, the dimensions 1 and 2.",
        )
        for pair in ("0, 1", "0, 2", "1, 3")
    ),
    also=[multi_head_attention, grouped_query_attention],
)

merge_heads.mistake(
    "heads added up",
    "The heads are added up, or averaged, instead of joined. What the heads found has to stand side by side, num_heads · d_head features again. Adding "
    "loses which head found what, and the width shrinks to d_head.",
    {JOIN: "slices.sum(dim=2)"},
    {JOIN: "slices.mean(dim=2)"},
)

merge_heads.mistake(
    "heads one behind the other",
    "The heads are put one after the other, along the tokens. A sentence of 4 tokens comes out with num_heads · 4 tokens. Join the heads along the features.",
    {"x.transpose(1, 2)": "x", JOIN: "slices.reshape(batch, num_heads * seq_len, d_head)"},
)

merge_heads.mistake(
    "sequence in front of the batch",
    SEQUENCE_FIRST,
    {"x.transpose(1, 2)": "x.permute(2, 0, 1, 3)", JOIN: "slices.reshape(seq_len, batch, num_heads * d_head)"},
)

merge_heads.mistake("heads in the opposite order", HEADS_BACKWARDS, {"x.transpose(1, 2)": "x.flip(1).transpose(1, 2)"})

merge_heads.mistake(
    "heads never joined",
    "The heads are moved back and never joined. You return (batch, seq_len, num_heads, d_head); the last two dimensions become one, num_heads · d_head. `reshape` gives a new tensor: return what it gives.",
    {JOIN: "slices"},
)

merge_heads.mistake(
    "one head only",
    "Only one head is left. What the others found is lost, and the width shrinks to d_head. All heads stand side by side, num_heads · d_head features.",
    {JOIN: "slices[:, :, 0]"},
    {JOIN: "slices[:, :, -1]"},
)

merge_heads.mistake(
    "tokens joined too",
    "More than heads and features is joined. Tokens, or whole sentences, have become one row. Only the last two dimensions become one: (batch, seq_len, num_heads · d_head).",
    {JOIN: "slices.flatten(1)"},
    {JOIN: "slices.flatten(2).flatten(0, 1)"},
)

merge_heads.mistake(
    "features in front of the tokens",
    "The last two dimensions are exchanged. You return (batch, d_model, seq_len); tokens are rows, with their features last.",
    {JOIN: f"{JOIN}.transpose(1, 2)"},
    {JOIN: "slices.reshape(batch, num_heads * d_head, seq_len)"},
    {"x.transpose(1, 2)": "x", JOIN: "slices.transpose(2, 3).reshape(batch, num_heads * d_head, seq_len)"},
)

merge_heads.mistake("cut off from the gradient", CUT_OFF, {JOIN: f"{JOIN}.detach()"})

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

# load_from_torch ----------------------------------------------------------------------------

PAIRING = "(ours.q_proj, ours.k_proj, ours.v_proj)"
WEIGHT, BIAS = "projection.weight.copy_(weight)", "projection.bias.copy_(bias)"
OUT_TRANSPOSED = "ours.out_proj.weight.copy_(theirs.out_proj.weight.T); ours.out_proj.bias.copy_(theirs.out_proj.bias)"
OUT = "ours.out_proj.load_state_dict(theirs.out_proj.state_dict())"

load_from_torch.mistake(
    "thirds in the wrong order",
    "The thirds went into the wrong projections. `in_proj_weight` holds the rows of the query first, then those of the key, then those of the value; "
    "the module loads without an error and computes something else.",
    # Every order but the first, which is the right one.
    *(
        {PAIRING: f"(ours.{q}_proj, ours.{k}_proj, ours.{v}_proj)"}
        for q, k, v in list(itertools.permutations("qkv"))[1:]
    ),
    *(
        edit(
            {f"{PAIRING}, weights, biases": f"{PAIRING}, {ordered}"},
            says=f"The thirds of the {kind} went into the wrong projections. In `in_proj_weight` and in `in_proj_bias`, the query comes first, then the key, then the value; the order is right for one of the two, and not for the {kind}.",
        )
        for order in list(itertools.permutations(range(3)))[1:]
        for kind, ordered in (
            ("weights", f"[weights[i] for i in {order}], biases"),
            ("biases", f"weights, [biases[i] for i in {order}]"),
        )
    ),
)

load_from_torch.mistake(
    "weights transposed",
    "The matrices are transposed. `nn.Linear` keeps its weight as (out_features, in_features), and so does `in_proj_weight`: cut along the first dimension and copy as it is. A square matrix "
    "fits either way, so no error warns you.",
    {WEIGHT: "projection.weight.copy_(weight.T)"},
    {
        WEIGHT: "projection.weight.copy_(weight.T)",
        OUT: OUT_TRANSPOSED,
    },
    edit(
        {OUT: OUT_TRANSPOSED},
        says="The matrix of `out_proj` is transposed. Both modules keep it as (out_features, in_features): copy it as it is. A square matrix fits either way, so no error warns you.",
    ),
)

load_from_torch.mistake(
    "rows dealt out in turn",
    "The rows are dealt out in turn. Query, key and value lie in `in_proj_weight` in three blocks of d_model rows, one below the other, not row by row: `chunk(3)` cuts blocks.",
    {
        "theirs.in_proj_weight.chunk(3)": "[theirs.in_proj_weight[i::3] for i in range(3)]",
        "theirs.in_proj_bias.chunk(3)": "[theirs.in_proj_bias[i::3] for i in range(3)]",
    },
    {"theirs.in_proj_weight.chunk(3)": "[theirs.in_proj_weight[i::3] for i in range(3)]"},
)

load_from_torch.mistake(
    "rows dealt out head by head",
    "The rows are dealt out head by head. Some models fuse query, key and value within each head; torch does not: first come all rows of the query, of all heads, then those of the key, then those of the value.",
    {
        "theirs.in_proj_weight.chunk(3)": "theirs.in_proj_weight.view(ours.num_heads, 3, -1, theirs.embed_dim).transpose(0, 1).reshape(3, -1, theirs.embed_dim)",
        "theirs.in_proj_bias.chunk(3)": "theirs.in_proj_bias.view(ours.num_heads, 3, -1).transpose(0, 1).reshape(3, -1)",
    },
)

load_from_torch.mistake(
    "a third forgotten",
    "One of the three projections is not filled. It keeps numbers that it had. Each of `q_proj`, `k_proj` and `v_proj` gets a third of the weights and a third of the biases.",
    *(
        {of: f"_ = projection is ours.{one}_proj or {of}" for of in which}
        for one in "qkv"
        for which in ((WEIGHT,), (BIAS,), (WEIGHT, BIAS))
    ),
)

load_from_torch.mistake(
    "weights of the projections forgotten",
    "`in_proj_weight` does not arrive. Your projections keep the weights that they had; only biases are copied. `copy_` has to be called on the parameters themselves, not on a copy of them.",
    {WEIGHT: "pass"},
)

load_from_torch.mistake(
    "biases of the projections forgotten",
    "`in_proj_bias` is not copied. Like `in_proj_weight` it is in three parts, 3 · d_model numbers, a third for each projection. Your biases keep the "
    "numbers they had.",
    {BIAS: "pass"},
)

load_from_torch.mistake(
    "out_proj forgotten",
    "`out_proj` is not copied. Both modules have a layer of this name, so it is easily forgotten beside the fused projections. Copy its weight and its bias.",
    {OUT: "pass"},
)

load_from_torch.mistake(
    "bias of out_proj forgotten",
    "The weight of `out_proj` is copied, its bias is not. Your bias keeps the numbers it had.",
    {OUT: "ours.out_proj.weight.copy_(theirs.out_proj.weight)"},
)

load_from_torch.mistake(
    "weight of out_proj forgotten",
    "The bias of `out_proj` is copied, its weight is not. Your matrix keeps the numbers it had.",
    {OUT: "ours.out_proj.bias.copy_(theirs.out_proj.bias)"},
)

load_from_torch.mistake(
    "parameters frozen",
    "The parameters can no longer be trained. They have their numbers, and `requires_grad` is off. `torch.no_grad()` around the copying is enough: leave the parameters as they are.",
    {OUT: f"{OUT}; ours.requires_grad_(False)"},
)

HEADS_COMPARED, WIDTHS_COMPARED = "if sizes[0][1] != sizes[1][1]:", "if sizes[0][0] != sizes[1][0]:"
COMPARED = "if sizes[0] != sizes[1]:"
load_from_torch.mistake(
    "sizes that do not fit are accepted",
    "A module of another size is not refused. With another number of heads the numbers fit and mean something else; with another width they do not fit at all. Compare both, and raise the ValueError that was given.",
    {COMPARED: "if False:"},
    edit(
        {COMPARED: WIDTHS_COMPARED},
        says="Another number of heads is not refused. The matrices have the same shape then, so every number fits, and the heads are cut elsewhere. Compare width and heads, as the given lines do.",
    ),
    edit(
        {COMPARED: HEADS_COMPARED},
        says="Another width is not refused. The copying then ends in an error about sizes, with a part of the numbers copied. Compare width and heads, as the given lines do.",
    ),
)

MISSES = "if theirs.in_proj_weight is None or theirs.in_proj_bias is None:"
load_from_torch.mistake(
    "a module without the fused parameters accepted",
    "A module of torch's that lacks `in_proj_bias` or `in_proj_weight` is not refused. `bias=False` leaves the bias out, and with `kdim` or `vdim` there are three matrices instead of one. Raise the ValueError that was given.",
    *({MISSES: kept} for kept in ("if False:", "if theirs.in_proj_weight is None:", "if theirs.in_proj_bias is None:")),
    # Copies what there is.
    {
        MISSES: "if theirs.in_proj_weight is None:",
        "theirs.in_proj_bias.chunk(3)": "[None] * 3 if theirs.in_proj_bias is None else theirs.in_proj_bias.chunk(3)",
        BIAS: f"_ = bias is None or {BIAS}",
        OUT: "ours.out_proj.load_state_dict(theirs.out_proj.state_dict(), strict=False)",
    },
)

load_from_torch.mistake(
    "nothing copied",
    "Nothing arrives in your module: its parameters hold what they held before. `copy_` has to be called on the parameters themselves, not on a copy of them.",
    {WEIGHT: "pass", BIAS: "pass", OUT: "pass"},
)

load_from_torch.mistake(
    "only out_proj copied",
    "Only `out_proj` is copied. It is the only layer with the same name on both sides, so `load_state_dict(..., strict=False)` finds nothing else. "
    "The projections have to be cut out of `in_proj_weight` and `in_proj_bias`.",
    {WEIGHT: "pass", BIAS: "pass"},
)

load_from_torch.mistake(
    "new parameters",
    "Your module gets new parameters instead of new numbers. An optimizer that was made before still holds the old parameters, and now trains tensors "
    "that nobody uses. `copy_` writes into the "
    "parameters that are there; `nn.Parameter(...)`, a new layer and `deepcopy` do not.",
    {WEIGHT: "projection.weight = nn.Parameter(weight.clone())", BIAS: "projection.bias = nn.Parameter(bias.clone())"},
    {WEIGHT: "projection.weight = nn.Parameter(weight.clone())"},
    {BIAS: "projection.bias = nn.Parameter(bias.clone())"},
    {OUT: "ours.out_proj = __import__('copy').deepcopy(theirs.out_proj)"},
    {
        OUT: "ours.out_proj.weight = nn.Parameter(theirs.out_proj.weight.clone());"
        " ours.out_proj.bias = nn.Parameter(theirs.out_proj.bias.clone())"
    },
    {
        WEIGHT: "projection.weight = nn.Parameter(weight.clone())",
        BIAS: "projection.bias = nn.Parameter(bias.clone())",
        OUT: "ours.out_proj.weight = nn.Parameter(theirs.out_proj.weight.clone());"
        " ours.out_proj.bias = nn.Parameter(theirs.out_proj.bias.clone())",
    },
)

load_from_torch.mistake(
    "memory shared with torch's module",
    "The two modules share memory. You tied ours to torch's numbers instead of copying them, so training one changes the other. `copy_` writes into memory that is already there; an assignment, "
    "also to `.data`, does not.",
    {WEIGHT: "projection.weight.data = weight"},
    {WEIGHT: "projection.weight.data = weight", BIAS: "projection.bias.data = bias"},
    {OUT: "ours.out_proj = theirs.out_proj"},
    {
        OUT: "ours.out_proj.weight.data = theirs.out_proj.weight.data;"
        " ours.out_proj.bias.data = theirs.out_proj.bias.data"
    },
    {OUT: "ours.out_proj.weight = theirs.out_proj.weight; ours.out_proj.bias = theirs.out_proj.bias"},
    {WEIGHT: "projection.weight = nn.Parameter(weight)", BIAS: "projection.bias = nn.Parameter(bias)"},
    {
        WEIGHT: "projection.weight = nn.Parameter(weight)",
        BIAS: "projection.bias = nn.Parameter(bias)",
        OUT: "ours.out_proj.load_state_dict(theirs.out_proj.state_dict(), assign=True)",
    },
    {
        WEIGHT: "projection.weight.data = weight",
        BIAS: "projection.bias.data = bias",
        OUT: "ours.out_proj = theirs.out_proj",
    },
)

load_from_torch.mistake(
    "copied the wrong way",
    "You copied our numbers into torch's module. `a.copy_(b)` writes into a: fill `ours`, and leave `theirs` as it is.",
    {
        WEIGHT: "weight.copy_(projection.weight)",
        BIAS: "bias.copy_(projection.bias)",
        OUT: "theirs.out_proj.load_state_dict(ours.out_proj.state_dict())",
    },
    {OUT: "theirs.out_proj.load_state_dict(ours.out_proj.state_dict())"},
)

load_from_torch.mistake(
    "one third for all three",
    "All three projections got the same third, the query's. The key's rows come after it and the value's last.",
    {f"zip({PAIRING}, weights, biases, strict=True)": f"zip({PAIRING}, weights[:1] * 3, biases[:1] * 3, strict=True)"},
    edit(
        {
            f"zip({PAIRING}, weights, biases, strict=True)": f"zip({PAIRING}, weights[2:] * 3, biases[2:] * 3, strict=True)"
        },
        says="All three projections got the same third, the value's. The query's rows come first, the key's after it.",
    ),
)

# GroupedQueryAttention ----------------------------------------------------------------------------

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
