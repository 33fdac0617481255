"""Wrong ways of lesson 03. Several edits may carry one name: the same mistake is written in several ways."""

import itertools

from autograder.probing.mistake import Mistake

MULTI, GROUPED = "MultiHeadAttention", "GroupedQueryAttention"
BOTH = (MULTI, GROUPED)
SPLIT_IN = ("split_heads", MULTI, GROUPED)
MERGE_IN = ("merge_heads", MULTI, GROUPED)
ATTENTION = "scaled_dot_product_attention"

RESHAPE = "x.reshape(batch, seq_len, num_heads, d_model // num_heads)"
JOIN = "slices.reshape(batch, seq_len, num_heads * d_head)"
QUERY, KEY, VALUE = "self.q_proj(query)", "self.k_proj(key)", "self.v_proj(value)"
CALL = f"{ATTENTION}(q, k, v, mask)"
OUTPUT = "self.out_proj(merge_heads(heads))"
RETURN = f"{OUTPUT}, weights"
MIX = "self.dropout(weights) @ v"
LINEARS = {
    MULTI: [f"self.{name}_proj = nn.Linear(d_model, d_model)" for name in ("q", "k", "v", "out")],
    GROUPED: [
        "self.q_proj = nn.Linear(d_model, d_model)",
        "self.k_proj = nn.Linear(d_model, num_kv_heads * d_head)",
        "self.v_proj = nn.Linear(d_model, num_kv_heads * d_head)",
        "self.out_proj = nn.Linear(d_model, d_model)",
    ],
}


def in_both(name: str, edits: dict[str, str], says: str) -> tuple[Mistake, Mistake]:
    """One mistake that can be made in either of the two modules."""
    first, second = (Mistake(name, of=module, swaps=edits, says=says) for module in BOTH)
    return first, second


# Splitting ----------------------------------------------------------------------------

VIEW_SAYS = (
    "You reshape straight to (batch, num_heads, seq_len, d_head). The shape is right and the numbers are not: a reshape reads memory in order, "
    "so each head gets all features of some tokens instead of some features of all tokens. Cut the last dimension first, then transpose."
)
view_only = Mistake(
    "view instead of view and transpose",
    of=SPLIT_IN,
    inside="split_heads",
    swaps={
        RESHAPE: "x.reshape(batch, num_heads, seq_len, d_model // num_heads)",
        "slices.transpose(1, 2)": "slices",
    },
    says=VIEW_SAYS,
)
# `view` raises on memory that is not contiguous, where `reshape` computes something wrong.
really_view_only = Mistake(
    "view instead of view and transpose",
    of="split_heads",
    swaps={RESHAPE: "x.view(batch, num_heads, seq_len, d_model // num_heads)", "slices.transpose(1, 2)": "slices"},
    says=VIEW_SAYS,
)

not_transposed = Mistake(
    "heads left behind the tokens",
    of="split_heads",
    swap="slices.transpose(1, 2)",
    by="slices",
    says="The heads are not in front of the tokens. You return (batch, seq_len, num_heads, d_head); attention works on the last two dimensions, so "
    "every token would compare its own heads with each other. Exchange the dimensions 1 and 2.",
)

DEALT_SAYS = (
    "Features are dealt out to the heads in turn. Your head 0 gets every num_heads-th feature; it should get the first d_head in one piece. Untrained, "
    "nobody would notice, but weights from torch no longer fit. Reshape to (…, num_heads, d_head), not (…, d_head, num_heads)."
)
dealt_in_turn = Mistake(
    "features dealt out in turn",
    of=SPLIT_IN,
    inside="split_heads",
    swap=RESHAPE,
    by="x.reshape(batch, seq_len, d_model // num_heads, num_heads).transpose(2, 3)",
    says=DEALT_SAYS,
)

sizes_exchanged = Mistake(
    "num_heads and d_head exchanged",
    of=("split_heads", MULTI),
    inside="split_heads",
    swap=RESHAPE,
    by="x.reshape(batch, seq_len, d_model // num_heads, num_heads)",
    says="num_heads and d_head have changed places. You make d_head heads of num_heads features each. The last dimension is cut into (num_heads, d_head), in "
    "that order.",
)

heads_first = Mistake(
    "heads in front of the batch",
    of="split_heads",
    swap="slices.transpose(1, 2)",
    by="slices.permute(2, 0, 1, 3)",
    says="Your heads come first, in front of the batch. The course puts the batch first everywhere: (batch, num_heads, seq_len, d_head). It is only the dimensions 1 and 2 "
    "that are exchanged.",
)

folded = Mistake(
    "heads folded into the batch",
    of="split_heads",
    swap="slices.transpose(1, 2)",
    by="slices.transpose(1, 2).flatten(0, 1)",
    says="Heads and batch share one dimension. torch does that inside; here they stay apart, (batch, num_heads, seq_len, d_head), so that a mask of shape "
    "(batch, 1, 1, key_len) fits without being copied.",
)

folded_heads_first = Mistake(
    "heads folded into the batch",
    of="split_heads",
    swap="slices.transpose(1, 2)",
    by="slices.permute(2, 0, 1, 3).flatten(0, 1)",
    says=folded.says,
)

features_before_tokens = Mistake(
    "features in front of the tokens",
    of="split_heads",
    swap="slices.transpose(1, 2)",
    by="slices.permute(0, 2, 3, 1)",
    says="The last two dimensions are exchanged. You return (batch, num_heads, d_head, seq_len); tokens are rows, with their features last. The keys are transposed later, "
    "inside `attention_scores`.",
)

SIZES_SAYS = (
    "A width that does not fit is not refused. 10 features cannot be cut into 3 equal slices, and whoever asks for that should read so at once: "
    "raise a ValueError with both numbers in it, as the given lines did."
)
split_accepts = Mistake(
    "sizes that do not fit are accepted",
    of="split_heads",
    swap="if num_heads < 1 or d_model % num_heads != 0:",
    by="if False:",
    says=SIZES_SAYS,
)
module_accepts = Mistake(
    "sizes that do not fit are accepted",
    of=MULTI,
    inside="MultiHeadAttention.__init__",
    swap="if num_heads < 1 or d_model % num_heads != 0:",
    by="if False:",
    says=SIZES_SAYS,
)

# Merging ----------------------------------------------------------------------------

UNMERGED_SAYS = (
    "The heads are merged without moving them back behind the tokens. The reshape then joins neighbouring tokens of one head instead of the heads of one token, and "
    "the shape does not show it. Transpose the dimensions 1 and 2 first."
)
merged_untransposed_view = Mistake(
    "merge without transposing back",
    of="merge_heads",
    swaps={"x.transpose(1, 2)": "x", JOIN: "slices.view(batch, seq_len, num_heads * d_head)"},
    says=UNMERGED_SAYS,
)
merged_untransposed = Mistake(
    "merge without transposing back",
    of=MERGE_IN,
    inside="merge_heads",
    swap="x.transpose(1, 2)",
    by="x",
    says=UNMERGED_SAYS,
)

woven = Mistake(
    "features woven together",
    of=MERGE_IN,
    inside="merge_heads",
    swap=JOIN,
    by="slices.transpose(2, 3).reshape(batch, seq_len, num_heads * d_head)",
    says="The heads are woven together instead of put side by side. Your token starts with the first feature of every head; it should start with all features of head 0. "
    "The last two dimensions before the reshape are (num_heads, d_head).",
)

wrong_pair = Mistake(
    "the wrong two dimensions transposed",
    of=MERGE_IN,
    inside="merge_heads",
    swap="x.transpose(1, 2)",
    by="x.transpose(2, 3)",
    says="You exchange the last two dimensions, tokens and features. It is heads and tokens, the dimensions 1 and 2, that change places before the reshape.",
)

ADDED_SAYS = (
    "The heads are added up, or averaged, instead of joined. What they found is put side by side, num_heads · d_head features again; adding throws away which head found what, and the "
    "width shrinks to d_head."
)
added = Mistake("heads added up", of="merge_heads", swap=JOIN, by="slices.sum(dim=2)", says=ADDED_SAYS)
averaged = Mistake("heads added up", of="merge_heads", swap=JOIN, by="slices.mean(dim=2)", says=ADDED_SAYS)

one_behind_the_other = Mistake(
    "heads one behind the other",
    of="merge_heads",
    swaps={"x.transpose(1, 2)": "x", JOIN: "slices.reshape(batch, num_heads * seq_len, d_head)"},
    says="The heads are put one behind the other, along the tokens. A sentence of 4 tokens comes out with num_heads · 4. It is the features that are joined.",
)

sequence_first = Mistake(
    "sequence in front of the batch",
    of="merge_heads",
    swaps={
        "x.transpose(1, 2)": "x.permute(2, 0, 1, 3)",
        JOIN: "slices.reshape(seq_len, batch, num_heads * d_head)",
    },
    says="The sequence stands in front of the batch. That is torch's old habit (`batch_first=False`); in this course the batch is first, always.",
)

# The projections ----------------------------------------------------------------------------

NO_OUT = (
    "There is no output projection. The merged heads lie side by side and nothing ever mixes them: feature 0 of the output knows only head 0. `out_proj`, a "
    "linear layer over all d_model features, is the last step. Many articles leave it out."
)
no_out, grouped_no_out = in_both("no output projection", {OUTPUT: "merge_heads(heads)"}, NO_OUT)
no_out_at_all, grouped_no_out_at_all = in_both(
    "no output projection",
    {OUTPUT: "merge_heads(heads)", "self.out_proj = nn.Linear(d_model, d_model)": "pass"},
    NO_OUT,
)

SHARED = (
    "Query, key and value do not each have a projection of their own. With one for two of them, what a token asks for and what it offers are the same vector; the roles can "
    "not be learned apart. `q_proj` reads `query`, `k_proj` reads `key`, `v_proj` reads `value`."
)


def shared(edits: dict[str, str]) -> Mistake:
    """One projection used for several of query, key and value."""
    return Mistake("one projection for several", of=MULTI, swaps=edits, says=SHARED)


k_by_q = {KEY: "self.q_proj(key)"}
v_by_q = {VALUE: "self.q_proj(value)"}
shared_all = shared(k_by_q | v_by_q)
shared_query_key = shared(k_by_q)
shared_key_value = shared({VALUE: "self.k_proj(value)"})
shared_by_key = shared({QUERY: "self.k_proj(query)", VALUE: "self.k_proj(value)"})
shared_all_at_all = shared(
    k_by_q
    | v_by_q
    | {"self.k_proj = nn.Linear(d_model, d_model)": "pass", "self.v_proj = nn.Linear(d_model, d_model)": "pass"}
)
shared_storage = shared(
    {
        "self.k_proj = nn.Linear(d_model, d_model)": "self.k_proj = self.q_proj",
        "self.v_proj = nn.Linear(d_model, d_model)": "self.v_proj = self.q_proj",
    }
)

SWAPPED = (
    "Key and value have changed places. Keys are what a query is compared with, values are what is taken; in self-attention they come from the same tokens, "
    "but not through the same projection. Look at the order of the arguments."
)
swapped, grouped_swapped = in_both(
    "key and value swapped", {KEY: "self.k_proj(value)", VALUE: "self.v_proj(key)"}, SWAPPED
)
swapped_projections, grouped_swapped_projections = in_both(
    "key and value swapped", {KEY: "self.v_proj(key)", VALUE: "self.k_proj(value)"}, SWAPPED
)
swapped_later = Mistake(
    "key and value swapped", of=MULTI, swaps={CALL: f"{ATTENTION}(q, v, k, mask)", MIX: "self.dropout(weights) @ k"}, says=SWAPPED
)  # fmt: skip
grouped_swapped_later = Mistake(
    "key and value swapped", of=GROUPED, swap=CALL, by=f"{ATTENTION}(q, v, k, mask)", says=SWAPPED
)

SELF_ONLY = (
    "Keys and values are made from `query`. That is self-attention and nothing else: whatever is passed as `key` and `value` is never read, and a decoder could not look "
    "at the source. `k_proj` reads `key`, `v_proj` reads `value`."
)
self_only, grouped_self_only = in_both(
    "key and value made from the query", {KEY: "self.k_proj(query)", VALUE: "self.v_proj(query)"}, SELF_ONLY
)

VALUE_FROM_KEY = "The values are made from `key`; the argument `value` is never read. In most calls the two are the same tensor and nobody notices. `v_proj` reads `value`."
value_from_key, grouped_value_from_key = in_both("value made from the key", {VALUE: "self.v_proj(key)"}, VALUE_FROM_KEY)

equal_lengths = Mistake(
    "only for equal lengths",
    of=MULTI,
    swaps={KEY: "self.k_proj(key).reshape(query.shape)", VALUE: "self.v_proj(value).reshape(query.shape)"},
    says="It works only when there are as many keys as queries. In cross-attention 4 tokens may read 5 others, and then your shapes do not fit. Take the length of keys and "
    "values from `key`, not from `query`.",
)
grouped_equal_lengths = Mistake(
    "only for equal lengths",
    of=GROUPED,
    swaps={
        KEY: "self.k_proj(key).reshape(*query.shape[:2], self.k_proj.out_features)",
        VALUE: "self.v_proj(value).reshape(*query.shape[:2], self.v_proj.out_features)",
    },
    says=equal_lengths.says,
)

RELU = (
    "There is a ReLU on the projections. Query, key and value are linear in the tokens: a ReLU cuts off every negative direction, and two tokens that should repel each "
    "other can no longer do so. The softmax is the only bend in attention."
)


def rectified(wrapped: tuple[str, ...], pattern: str = "torch.relu({})") -> dict[str, str]:
    """A ReLU around these projections."""
    return {one: pattern.format(one) for one in wrapped}


relu, grouped_relu = in_both("ReLU on the projections", rectified((QUERY, KEY, VALUE)), RELU)
relu_on_scores = Mistake("ReLU on the projections", of=MULTI, swaps=rectified((QUERY, KEY)), says=RELU)
relu_on_value = Mistake("ReLU on the projections", of=MULTI, swaps=rectified((VALUE,)), says=RELU)
# As keras-multi-head has it: all four layers.
relu_on_all, grouped_relu_on_all = in_both("ReLU on the projections", rectified((QUERY, KEY, VALUE, OUTPUT)), RELU)

LEFT_OUT = (
    "A projection is left out. Its layer exists and is never called, so its parameters never learn, and a head sees the raw features instead of what it could make of "
    "them. All three, query, key and value, go through a projection before they are split."
)


def left_out(*names: str) -> Mistake:
    """Projections that are not applied."""
    all_three = {"query": QUERY, "key": KEY, "value": VALUE}
    return Mistake("a projection left out", of=MULTI, swaps={all_three[name]: name for name in names}, says=LEFT_OUT)


left_out_all = left_out("query", "key", "value")
left_out_query, left_out_key, left_out_value = left_out("query"), left_out("key"), left_out("value")
left_out_query_key = left_out("query", "key")

NO_BIAS = (
    "The linear layers have no bias. All linear layers of the course have one, as torch's module does; without it, its weights cannot be loaded. `nn.Linear(d_model, d_model)` "
    "has a bias unless told otherwise."
)


def unbiased(module: str, *numbers: int) -> Mistake:
    """Some of the linear layers without bias."""
    lines = [LINEARS[module][number] for number in numbers]
    return Mistake("bias missing", of=module, swaps={one: one[:-1] + ", bias=False)" for one in lines}, says=NO_BIAS)


no_bias, no_bias_but_out, no_out_bias = unbiased(MULTI, 0, 1, 2, 3), unbiased(MULTI, 0, 1, 2), unbiased(MULTI, 3)
grouped_no_bias, grouped_no_bias_but_out = unbiased(GROUPED, 0, 1, 2, 3), unbiased(GROUPED, 0, 1, 2)
grouped_no_kv_bias = unbiased(GROUPED, 1, 2)

BIAS_UNUSED = (
    "The biases are not added. The layers have them, and you multiply by the weights alone: the biases never learn, and torch's weights give other results. Call the layer, "
    "`self.q_proj(query)`, and it does both."
)
NO_OUT_BIAS = {OUTPUT: "merge_heads(heads) @ self.out_proj.weight.T"}
NO_IN_BIAS = {
    one: f"{name} @ self.{name[0]}_proj.weight.T" for one, name in ((QUERY, "query"), (KEY, "key"), (VALUE, "value"))
}
bias_unused, grouped_bias_unused = in_both("biases not added", NO_IN_BIAS | NO_OUT_BIAS, BIAS_UNUSED)
in_bias_unused, grouped_in_bias_unused = in_both("biases not added", NO_IN_BIAS, BIAS_UNUSED)
out_bias_unused, grouped_out_bias_unused = in_both("biases not added", NO_OUT_BIAS, BIAS_UNUSED)

RESIDUAL = (
    "The input is added to the output. That residual connection belongs to the layer around attention, which lesson 05 builds; with it inside as well, the input "
    "would be added twice."
)
residual, grouped_residual = in_both("residual connection inside", {RETURN: f"query + {RETURN}"}, RESIDUAL)

# The mask ----------------------------------------------------------------------------

IGNORED = "The mask is not used. Every token sees padding and future. `scaled_dot_product_attention` takes it as its fourth argument; does yours arrive there?"
ignored, grouped_ignored = in_both("mask ignored", {CALL: f"{ATTENTION}(q, k, v)"}, IGNORED)

INVERTED = (
    'Your mask means the opposite. In this course True says "may look"; you hide exactly what should be seen. `nn.MultiheadAttention` has it the other way round, and so do '
    "many articles."
)
inverted, grouped_inverted = in_both(
    "mask inverted", {CALL: f"{ATTENTION}(q, k, v, None if mask is None else ~mask)"}, INVERTED
)

FIRST_HEAD = (
    "The mask reaches the first head only; the others see padding and future. A mask of size 1 in the dimension of the heads holds for all of them: leave it to "
    "broadcasting, and index nothing."
)
first_head_only = Mistake(
    "mask not broadcast over the heads",
    of=MULTI,
    swap=CALL,
    by=f"{ATTENTION}(q, k, v, None if mask is None else mask | (torch.arange(self.num_heads) > 0)[:, None, None])",
    says=FIRST_HEAD,
)

ONE_MASK = (
    "All heads get the mask of head 0. A mask may differ from head to head: of shape (batch, num_heads, query_len, key_len), it has one for each. Pass it on whole; "
    "where its second dimension is 1, broadcasting does the rest."
)
one_mask, grouped_one_mask = in_both(
    "mask of head 0 for all heads",
    {CALL: f"{ATTENTION}(q, k, v, mask[:, :1] if mask is not None and mask.dim() == 4 else mask)"},
    ONE_MASK,
)

WRONG_ORDER = (
    "The copies of the mask are dealt out in the wrong order: sequences get the masks of other sequences. `repeat` gives the masks of sentences 0 1 2 0 1 2, and heads and batch "
    "folded together need 0 0 1 1 2 2, which is `repeat_interleave`. Better still: do not copy; a mask of (batch, 1, 1, key_len) broadcasts."
)
wrong_order = Mistake(
    "mask copied in the wrong order",
    of=MULTI,
    swap=CALL,
    by=f"{ATTENTION}(q, k, v, None if mask is None else mask.expand(len(q), 1, q.size(2), k.size(2))"
    ".repeat(self.num_heads, 1, 1, 1).reshape(len(q), self.num_heads, q.size(2), k.size(2)))",
    says=WRONG_ORDER,
)

NAN_ROW = (
    "A query that may look at nothing becomes NaN. The softmax of a row of -inf is 0 divided by 0, and one such row, at the end of a padded sentence, spoils the whole batch. "
    "Set the weights to zero where the mask is False, after the softmax, as your `scaled_dot_product_attention` does."
)
nan_row = Mistake(
    "NaN for a query that may look at nothing",
    of=BOTH, inside=ATTENTION, swap="weights = weights.masked_fill(~mask, 0.0)", by="pass", says=NAN_ROW,
)  # fmt: skip

LARGE_NUMBER = (
    "Masked scores are filled with a large negative number. As long as a row has anything to look at, that is the same; a row with nothing comes out even, looking at "
    "everything that is hidden. Fill with -inf, and set such rows to zero after the softmax."
)
large_number = Mistake(
    "a large negative number instead of -inf", of=BOTH, inside=ATTENTION, says=LARGE_NUMBER,
    swaps={'float("-inf")': "-1e9", "weights = weights.masked_fill(~mask, 0.0)": "pass"},
)  # fmt: skip

# Scores and softmax ----------------------------------------------------------------------------

BY_D_MODEL = (
    "The scores are divided by √d_model. Each head compares vectors of d_head features, so it is √d_head: as it stands, all weights are too even, by a factor √num_heads "
    "in the scores. Scale after the split, not before."
)
by_d_model, grouped_by_d_model = in_both(
    "scaled by √d_model", {CALL: f"{ATTENTION}(q / self.num_heads**0.5, k, v, mask)"}, BY_D_MODEL
)

NO_SCALE = (
    "The scores are not divided by √d_head. Dot products grow with the number of features, and the softmax turns large scores into a choice of one token. Your "
    "`scaled_dot_product_attention` scales; use it, or divide."
)
no_scale, grouped_no_scale = in_both("no scale", {CALL: f"{ATTENTION}(q * q.size(-1) ** 0.5, k, v, mask)"}, NO_SCALE)

TWICE = (
    "The scores are divided by √d_head twice, which is by d_head, and the weights come out too even. `scaled_dot_product_attention` already scales: leave the query alone. "
    "If you scale yourself, look whether the root is missing."
)
twice, grouped_twice = in_both("scaled twice", {CALL: f"{ATTENTION}(q / q.size(-1) ** 0.5, k, v, mask)"}, TWICE)

over_queries = Mistake(
    "softmax over the queries",
    of=MULTI,
    inside=ATTENTION,
    swap="dim=-1",
    by="dim=-2",
    says="The softmax runs over the queries. Each query has a share of 1 to give to the keys, so rows sum to 1 and the softmax runs over the last dimension. As it stands every key "
    "hands out a share of 1, and a token can end up with nothing.",
)
over_heads = Mistake(
    "softmax over the heads",
    of=MULTI,
    inside=ATTENTION,
    swap="dim=-1",
    by="dim=1",
    says="The softmax runs over the heads. They compete for each pair of tokens, and the weights of a query do not sum to 1. Every head is an attention of its own: the softmax runs over the "
    "keys, `dim=-1`. `dim=1` was right once, for scores without heads.",
)

across_heads = Mistake(
    "heads attend to each other",
    of=MULTI,
    swaps={
        CALL: f"{ATTENTION}(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), mask)",
        MIX: "(self.dropout(weights) @ v.transpose(1, 2)).transpose(1, 2)",
    },
    says="The heads of one token attend to each other, and no token sees another. Attention works on the last two dimensions; yours are (num_heads, d_head) where (seq_len, d_head) has "
    "to be. The transpose after the head split is missing.",
)

one_head = Mistake(
    "one head only",
    of=MULTI,
    swaps={f"{one}, self.num_heads": f"{one}, 1" for one in (QUERY, KEY, VALUE)},
    says="There is only one head. `num_heads` is stored and not used, and all d_model features make one set of weights. Split query, key and value with `split_heads` before attention.",
)

# Dropout and what is returned ----------------------------------------------------------------------------

ALWAYS = (
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`, and a flag outside the module does not follow `eval()`. Use the `nn.Dropout` "
    "of the constructor, or pass `training=self.training`."
)
always = Mistake(
    "dropout in evaluation",
    of=MULTI,
    swap="self.dropout(weights)",
    by="nn.functional.dropout(weights, self.dropout.p)",
    says=ALWAYS,
)

after_dropout = Mistake(
    "weights returned after dropout",
    of=MULTI,
    swap=f"heads = {MIX}",
    by="weights = self.dropout(weights); heads = weights @ v",
    says="The returned weights are those after dropout. They mix the values, but who wants to see where a head looks wants them whole, with rows that sum to 1. Give the dropped ones "
    "another name. (torch's own module returns them after dropout.)",
)

no_dropout = Mistake(
    "no dropout",
    of=MULTI,
    swap="self.dropout(weights)",
    by="weights",
    says="The dropout of the constructor is never applied. In training it sets a share of the weights to zero, between the softmax and the values.",
)

scores_dropped = Mistake(
    "dropout before the softmax",
    of=MULTI,
    # Not the scores but the queries, which are at hand here: the checks drop everything, or have a single key.
    swaps={CALL: f"{ATTENTION}(self.dropout(q), k, v, mask)", MIX: "weights @ v"},
    says="Dropout acts before the softmax. A score of 0 hides nothing: its key gets a share like any other, and the weights that are returned are no longer those of the tokens. "
    "It comes after the softmax, between the weights and the values.",
)

heads_dropped = Mistake(
    "dropout on the heads",
    of=MULTI,
    swap=MIX,
    by="self.dropout(weights @ v)",
    says="Dropout acts on what the heads found, not on the weights. It should hide whole tokens from a query, for one head at a time; as it stands it blots out single features. "
    "It comes between the softmax and the values.",
)

output_dropped = Mistake(
    "dropout on the output",
    of=MULTI,
    swaps={MIX: "weights @ v", OUTPUT: f"self.dropout({OUTPUT})"},
    says="Dropout acts on the output instead of the weights. Dropping the output is the task of the layer around attention (lesson 05); here it comes between the softmax and the values.",
)

AVERAGED = (
    "The weights are averaged over the heads. The heads look at different things, and the average shows none of them: return (batch, num_heads, query_len, key_len). torch's module averages "
    "unless told `average_attn_weights=False`."
)
averaged_weights, grouped_averaged_weights = in_both(
    "weights averaged over the heads", {RETURN: f"{OUTPUT}, weights.mean(dim=1)"}, AVERAGED
)
averaged_kept, grouped_averaged_kept = in_both(
    "weights averaged over the heads", {RETURN: f"{OUTPUT}, weights.mean(dim=1, keepdim=True)"}, AVERAGED
)

TURNED = "Output and weights have changed places. Attention functions of this course return (output, weights), in that order."
turned, grouped_turned = in_both("weights and output swapped", {RETURN: f"weights, {OUTPUT}"}, TURNED)

OUTPUT_ALONE = "Only the output is returned. Attention functions of this course return two things, (output, weights): without the weights nobody can see where a head looks."
output_alone, grouped_output_alone = in_both("weights not returned", {RETURN: OUTPUT}, OUTPUT_ALONE)

keys_mixed = Mistake(
    "keys mixed instead of values",
    of=MULTI,
    swap=MIX,
    by="self.dropout(weights) @ k",
    says="The weights mix the keys. Keys are only there to be compared with; what is taken from a token is its value. The last product is weights times v.",
)
grouped_keys_mixed = Mistake(
    "keys mixed instead of values", of=GROUPED, swap=CALL, by=f"{ATTENTION}(q, k, k, mask)", says=keys_mixed.says
)

# load_from_torch ----------------------------------------------------------------------------

PAIRING = "(ours.q_proj, ours.k_proj, ours.v_proj)"
WEIGHT, BIAS = "projection.weight.copy_(weight)", "projection.bias.copy_(bias)"
OUT = "ours.out_proj.load_state_dict(theirs.out_proj.state_dict())"
THIRDS = ("theirs.in_proj_weight.chunk(3)", "theirs.in_proj_bias.chunk(3)")

THIRDS_SAYS = (
    "The thirds went into the wrong projections. `in_proj_weight` holds the rows of the query first, then those of the key, then those of the value; the module loads without a complaint and computes "
    "something else."
)


def thirds(q: str, k: str, v: str) -> Mistake:
    """The three projections filled in another order."""
    order = f"(ours.{q}_proj, ours.{k}_proj, ours.{v}_proj)"
    return Mistake("thirds in the wrong order", of="load_from_torch", swap=PAIRING, by=order, says=THIRDS_SAYS)


kqv, vkq, qvk, kvq, vqk = (thirds(*order) for order in itertools.permutations("qkv") if order != ("q", "k", "v"))

turned_weights = Mistake(
    "weights transposed",
    of="load_from_torch",
    swap=WEIGHT,
    by="projection.weight.copy_(weight.T)",
    says="The matrices are transposed. `nn.Linear` keeps its weight as (out_features, in_features), and so does `in_proj_weight`: cut along the first dimension and copy as it is. A square matrix "
    "fits either way, so no error warns you.",
)
turned_with_out = Mistake(
    "weights transposed",
    of="load_from_torch",
    swaps={
        WEIGHT: "projection.weight.copy_(weight.T)",
        OUT: "ours.out_proj.weight.copy_(theirs.out_proj.weight.T); ours.out_proj.bias.copy_(theirs.out_proj.bias)",
    },
    says=turned_weights.says,
)

DEALT = "The rows are dealt out in turn. Query, key and value lie in `in_proj_weight` in three blocks of d_model rows, one below the other, not row by row: `chunk(3)` cuts blocks."
rows_in_turn = Mistake(
    "rows dealt out in turn",
    of="load_from_torch",
    swaps={one: f"[{one.removesuffix('.chunk(3)')}[i::3] for i in range(3)]" for one in THIRDS},
    says=DEALT,
)
weight_rows_in_turn = Mistake(
    "rows dealt out in turn",
    of="load_from_torch",
    swap=THIRDS[0],
    by="[theirs.in_proj_weight[i::3] for i in range(3)]",
    says=DEALT,
)

no_biases = Mistake(
    "biases of the projections forgotten",
    of="load_from_torch",
    swap=BIAS,
    by="pass",
    says="`in_proj_bias` is not copied. It is fused as `in_proj_weight` is, 3 · d_model numbers, and starts at zero: with a fresh module nobody notices, with a trained one the results differ.",
)

no_output = Mistake(
    "out_proj forgotten",
    of="load_from_torch",
    swap=OUT,
    by="pass",
    says="`out_proj` is not copied. It is the one layer that both modules hold under the same name, and easily forgotten beside the fused ones: weight and bias.",
)
no_output_bias = Mistake(
    "bias of out_proj forgotten",
    of="load_from_torch",
    swap=OUT,
    by="ours.out_proj.weight.copy_(theirs.out_proj.weight)",
    says="The weight of `out_proj` is copied, its bias is not. It starts at zero, so a fresh module of torch's hides this.",
)

SHARES = (
    "The two modules share memory. You tied ours to torch's numbers instead of copying them, so training one changes the other. `copy_` writes into memory that is already there; an assignment, "
    "also to `.data`, does not."
)
shares = Mistake(
    "memory shared with torch's module",
    of="load_from_torch",
    swap=WEIGHT,
    by="projection.weight.data = weight",
    says=SHARES,
)
shares_all = Mistake(
    "memory shared with torch's module",
    of="load_from_torch",
    swaps={WEIGHT: "projection.weight.data = weight", BIAS: "projection.bias.data = bias"},
    says=SHARES,
)
shares_out = Mistake(
    "memory shared with torch's module",
    of="load_from_torch",
    swap=OUT,
    by="ours.out_proj = theirs.out_proj",
    says=SHARES,
)
shares_everything = Mistake(
    "memory shared with torch's module",
    of="load_from_torch",
    swaps={**shares_all.swaps, OUT: "ours.out_proj = theirs.out_proj"},
    says=SHARES,
)

backwards = Mistake(
    "copied the wrong way",
    of="load_from_torch",
    swaps={
        WEIGHT: "weight.copy_(projection.weight)",
        BIAS: "bias.copy_(projection.bias)",
        OUT: "theirs.out_proj.load_state_dict(ours.out_proj.state_dict())",
    },
    says="You copied our numbers into torch's module. `a.copy_(b)` writes into a: it is ours that is filled, and theirs stays as it is.",
)

one_third = Mistake(
    "one third for all three",
    of="load_from_torch",
    swap="zip((ours.q_proj, ours.k_proj, ours.v_proj), weights, biases, strict=True)",
    by="zip((ours.q_proj, ours.k_proj, ours.v_proj), weights[:1] * 3, biases[:1] * 3, strict=True)",
    says="All three projections got the same third, the query's. The key's rows come after it and the value's last.",
)

# GroupedQueryAttention ----------------------------------------------------------------------------

REPEAT_K, REPEAT_V = "k.repeat_interleave(group, dim=1)", "v.repeat_interleave(group, dim=1)"

kv_in_turn = Mistake(
    "key and value heads dealt out in turn",
    of=GROUPED,
    swaps={REPEAT_K: "k.repeat(1, group, 1, 1)", REPEAT_V: "v.repeat(1, group, 1, 1)"},
    says="The query heads read the key and value heads in turn, 0 1 0 1 0 1. Neighbours form a group: 0 0 0 1 1 1. `repeat` copies the whole row of heads, `repeat_interleave` "
    "copies each head. Untrained nobody would notice; weights of a published model would not fit.",
)

kv_first = Mistake(
    "only the first key and value head",
    of=GROUPED,
    swaps={
        REPEAT_K: "k[:, :1].expand(-1, self.num_heads, -1, -1)",
        REPEAT_V: "v[:, :1].expand(-1, self.num_heads, -1, -1)",
    },
    says="All query heads read the first key and value head; the others are computed and never used. Each of them serves num_heads / num_kv_heads query heads.",
)

full_kv = Mistake(
    "as many key and value heads as query heads",
    of=GROUPED,
    swaps={
        "self.k_proj = nn.Linear(d_model, num_kv_heads * d_head)": "self.k_proj = nn.Linear(d_model, d_model)",
        "self.v_proj = nn.Linear(d_model, num_kv_heads * d_head)": "self.v_proj = nn.Linear(d_model, d_model)",
        f"{KEY}, self.num_kv_heads": f"{KEY}, self.num_heads",
        f"{VALUE}, self.num_kv_heads": f"{VALUE}, self.num_heads",
        REPEAT_K: "k",
        REPEAT_V: "v",
    },
    says="This is MultiHeadAttention: there is a key and a value head for every query head. The point of grouping is to have fewer, and so less to keep in memory when text is written token by token: "
    "`k_proj` and `v_proj` lead to num_kv_heads · d_head features.",
)
