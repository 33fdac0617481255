"""Wrong ways of lesson 02. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

SDPA = "scaled_dot_product_attention"
BOTH = ("attention_scores", SDPA)

# Scores ----------------------------------------------------------------------------

PRODUCT = "q @ k.transpose(-2, -1)"
SCALE = "scores / math.sqrt(d_head)"

no_scale = Mistake(
    "no scale",
    of=BOTH,
    swap=SCALE,
    by="scores",
    says="Your scores are not divided by √d_head. A dot product of d_head features has a variance of about d_head, so the wider a "
    "head, the harder its softmax settles on a single key. Divide by the root of d_head.",
)
scale_by_d = Mistake(
    "scale by d",
    of=BOTH,
    swap="math.sqrt(d_head)",
    by="d_head",
    says="Your scores are divided by d_head, not by its root. The variance of a dot product grows as d_head, its spread as √d_head: that "
    "is what has to be divided out. Is the root missing, or is the scale applied twice, once in `attention_scores` and once more?",
)
PRECEDENCE = (
    "Your scale is no root. Was it written `d_head ** 1 / 2`? A power is taken before a division, so that is (d_head ** 1) / 2. Write `d_head ** 0.5` or "
    "`math.sqrt(d_head)`."
)
half_of_d = Mistake("d ** 1 / 2 is no root", of=BOTH, swap="math.sqrt(d_head)", by="(d_head / 2)", says=PRECEDENCE)
d_and_half = Mistake("d ** 1 / 2 is no root", of=BOTH, swap=SCALE, by="scores / d_head / 2", says=PRECEDENCE)
multiplied = Mistake(
    "multiplied by √d",
    of=BOTH,
    swap=SCALE,
    by="scores * math.sqrt(d_head)",
    says="Your scores are multiplied by √d_head instead of divided. Wide heads give large dot products; the scale has to shrink them. "
    "(d_head ** -0.5 is a factor, d_head ** 0.5 a divisor.)",
)
scale_by_key_len = Mistake(
    "scale by √key_len",
    of=BOTH,
    swap=SCALE,
    by="scores / math.sqrt(k.size(-2))",
    says="Your scores are divided by the root of the number of keys. It is the number of features that makes a dot product large, "
    "however many keys there are. d_head is the last dimension, `q.size(-1)`.",
)
scale_by_query_len = Mistake(
    "scale by √query_len",
    of=BOTH,
    swap=SCALE,
    by="scores / math.sqrt(q.size(-2))",
    says="Your scores are divided by the root of the number of queries. It is the number of features that makes a dot product large. "
    "d_head is the last dimension, `q.size(-1)`; an index such as `size(1)` counts from the front.",
)
scale_by_dim_1 = Mistake("scale by √query_len", of=BOTH, swap=SCALE, by="scores / math.sqrt(q.size(1))",
                         says=scale_by_query_len.says)  # fmt: skip
scale_by_dim_0 = Mistake("scale by √query_len", of=BOTH, swap=SCALE, by="scores / math.sqrt(q.size(0))",
                         says=scale_by_query_len.says)  # fmt: skip
CHANNELS = (
    "You compute qᵀk where qkᵀ is meant. With tokens in rows that compares features with features, not tokens with tokens; it goes "
    "unnoticed only while there are as many tokens as features. Articles print softmax(QᵀK/√d): there the tokens stand in columns. "
    "Here the keys are transposed: `q @ k.transpose(-2, -1)`."
)
channels = Mistake("qᵀk instead of qkᵀ", of=BOTH, swap=PRODUCT, by="q.transpose(-2, -1) @ k", says=CHANNELS)
channels_of_v = Mistake(
    "qᵀk instead of qkᵀ",
    of=SDPA,
    swaps={
        "attention_scores(q, k)": "q.transpose(-2, -1) @ k / math.sqrt(q.size(-1))",
        "output = weights @ v": "output = v @ weights",
    },
    says=CHANNELS,
)
transposed_scores = Mistake(
    "scores transposed",
    of=BOTH,
    swap=PRODUCT,
    by="k @ q.transpose(-2, -1)",
    says="Your scores have keys in rows and queries in columns. Whoever reads row i expects the scores of query i, one for each key. It is "
    "q that stands first: q @ kᵀ.",
)
RESHAPED = (
    "Your keys are given another shape instead of being transposed. `reshape` and `view` keep the numbers in the order in which they lie in memory and "
    "only cut them into other rows, so a column holds pieces of several keys. No error tells. `k.transpose(-2, -1)` exchanges the two dimensions."
)
reshaped = Mistake(
    "reshape instead of transpose", of=BOTH, says=RESHAPED, swap=PRODUCT,
    by="q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))",
)  # fmt: skip
viewed = Mistake(
    "reshape instead of transpose", of=BOTH, says=RESHAPED, swap=PRODUCT,
    by="q @ k.view(*k.shape[:-2], k.size(-1), k.size(-2))",
)  # fmt: skip
FIXED = (
    "Your code fits one number of dimensions and no other. Somewhere a dimension is counted from the front (`transpose(1, 2)`, `dim=3`) or "
    "spelled out (`b, h, n, d = q.shape`, an einsum without dots). Count from the end, `transpose(-2, -1)` and `dim=-1`: then anything may "
    "stand in front, and there will soon be heads."
)


def fits_one(product: str) -> Mistake:
    """A product that works for one number of dimensions only."""
    return Mistake("fits one number of dimensions", of=BOTH, swap=PRODUCT, by=product, says=FIXED)


fixed_12 = fits_one("q @ k.transpose(1, 2)")
fixed_01 = fits_one("q @ k.transpose(0, 1)")
fixed_23 = fits_one("q @ k.transpose(2, 3)")
fixed_t = fits_one("q @ k.T")
einsum_2 = fits_one('torch.einsum("qd,kd->qk", q, k)')
einsum_3 = fits_one('torch.einsum("bqd,bkd->bqk", q, k)')
einsum_4 = fits_one('torch.einsum("bhqd,bhkd->bhqk", q, k)')
unpacked_2 = fits_one(f"[{PRODUCT} for n, d in [q.shape]][0]")
unpacked_3 = fits_one(f"[{PRODUCT} for b, n, d in [q.shape]][0]")
unpacked_4 = fits_one(f"[{PRODUCT} for b, h, n, d in [q.shape]][0]")
IN_PLACE = (
    "Your code writes into the tensor it was given. Whoever called it still needs that tensor: the same queries are often used again. "
    "`q /= root` and `q.div_(root)` do this; `q = q / root` does not."
)
q_in_place = Mistake(
    "writes into its input", of=BOTH, says=IN_PLACE,
    swaps={PRODUCT: "q.div_(math.sqrt(d_head)) @ k.transpose(-2, -1)", SCALE: "scores"},
)  # fmt: skip
k_in_place = Mistake(
    "writes into its input", of=BOTH, says=IN_PLACE,
    swaps={PRODUCT: "q @ k.div_(math.sqrt(d_head)).transpose(-2, -1)", SCALE: "scores"},
)  # fmt: skip
softmaxed_scores = Mistake(
    "softmax already",
    of="attention_scores",
    swap=SCALE,
    by="torch.softmax(scores / math.sqrt(d_head), dim=-1)",
    says="Your scores have gone through a softmax already. The mask has to act between scores and softmax, so the scores are handed on as "
    "they are: any real number.",
)
softmaxed_products = Mistake(
    "softmax already",
    of="attention_scores",
    swap=SCALE,
    by="torch.softmax(scores, dim=-1)",
    says=f"{softmaxed_scores.says} And they are not divided by √d_head.",
)
distances = Mistake(
    "cosine instead of dot product",
    of="attention_scores",
    swap=PRODUCT,
    by="torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).transpose(-2, -1)",
    says="You compare directions only: queries and keys are brought to length 1 first. A dot product also counts how long they are, and a "
    "query uses its length to say how choosy it is.",
)
DETACHED_SCORES = (
    "Your scores are cut off from the graph. The values are right, but queries and keys would never learn anything. Look for `detach`, "
    "`.data`, `.item()`, `no_grad` or a tensor made anew."
)
detached_scores = Mistake("scores detached", of=BOTH, swap=SCALE, by=f"({SCALE}).detach()", says=DETACHED_SCORES)
detached_product = Mistake("scores detached", of=BOTH, swap=PRODUCT, by=f"({PRODUCT}).detach()", says=DETACHED_SCORES)

# Masks ----------------------------------------------------------------------------

ONES = "torch.ones(seq_len, seq_len, dtype=torch.bool)"

causal_inverted = Mistake(
    "inverted",
    of="causal_mask",
    swap=".tril()",
    by=".triu(1)",
    says='Your mask is True where a query may not look. In this course True means "may look". nn.MultiheadAttention has it the other way '
    "round, and code from elsewhere often follows that.",
)
causal_transposed = Mistake(
    "looks at the future",
    of="causal_mask",
    swap=".tril()",
    by=".triu()",
    says="Your mask lets every token look at itself and at what comes after it. Rows ask and columns are read: query i may look at key j where "
    "j <= i, and that is the lower triangle.",
)
causal_strict = Mistake(
    "excludes itself",
    of="causal_mask",
    swap=".tril()",
    by=".tril(-1)",
    says="In your mask a token may not look at itself. The first one then has nothing to look at at all. The diagonal belongs to the "
    "triangle: j <= i, not j < i.",
)
causal_next = Mistake(
    "sees the next token",
    of="causal_mask",
    swap=".tril()",
    by=".tril(1)",
    says="Your mask lets every token look at the next one. In a model that predicts the next token that is the answer itself: training "
    "would look wonderful, and nothing would be learned. Keep j <= i, without an offset.",
)
causal_everything = Mistake(
    "hides nothing",
    of="causal_mask",
    swap=".tril()",
    by="",
    says="Your mask is True everywhere. The square of ones is only the beginning: keep its lower triangle.",
)
NUMBERS = (
    "Your mask holds numbers, not booleans. Then `~mask` does something else, or nothing, and 1 is added where True was meant. Give "
    "`dtype=torch.bool` to the square of ones, or compare."
)
causal_floats = Mistake(
    "numbers instead of booleans", of="causal_mask", swap="dtype=torch.bool", by="dtype=torch.float", says=NUMBERS
)
causal_integers = Mistake(
    "numbers instead of booleans", of="causal_mask", swap="dtype=torch.bool", by="dtype=torch.long", says=NUMBERS
)
causal_additive = Mistake(
    "0 and -inf instead of booleans",
    of="causal_mask",
    swap=f"{ONES}.tril()",
    by='torch.full((seq_len, seq_len), float("-inf")).triu(1)',
    says="Your mask is one to be added to scores: 0 and -inf. PyTorch takes such masks too, and its own helper for causal masks makes them. "
    'In this course a mask is boolean and True means "may look".',
)
causal_additive_large = Mistake(
    "0 and -inf instead of booleans",
    of="causal_mask",
    swap=f"{ONES}.tril()",
    by="torch.full((seq_len, seq_len), -1e9).triu(1)",
    says=causal_additive.says,
)
causal_extra = Mistake(
    "dimensions too many",
    of="causal_mask",
    swap="torch.ones(seq_len",
    by="torch.ones(1, 1, seq_len",
    says="Your mask has dimensions in front for batch and heads. They are not needed: a mask of shape (seq_len, seq_len) broadcasts to both, "
    "and it also fits where there is neither.",
)
causal_extra_1 = Mistake(
    "dimensions too many",
    of="causal_mask",
    swap="torch.ones(seq_len",
    by="torch.ones(1, seq_len",
    says=causal_extra.says,
)

REAL = "token_ids != pad_id"
LINED_UP = "real[:, None, None, :]"

padding_inverted = Mistake(
    "inverted",
    of="padding_mask",
    swap="token_ids !=",
    by="token_ids ==",
    says='Your mask is True at the padding. In this course True means "may look", so it is True at the real tokens. The `key_padding_mask` of '
    "nn.MultiheadAttention has it the other way round.",
)
padding_flat = Mistake(
    "dimensions missing",
    of="padding_mask",
    swap=LINED_UP,
    by="real",
    says="Your mask has shape (batch, key_len). Broadcasting lines up the last dimensions, so against scores of shape (batch, heads, query_len, "
    "key_len) the batch would be taken for the queries. Put two dimensions of size 1 in between: (batch, 1, 1, key_len).",
)
padding_three = Mistake("dimensions missing", of="padding_mask", swap=LINED_UP, by="real[:, None, :]", says=(
    "Your mask has shape (batch, 1, key_len). Against scores of shape (batch, heads, query_len, key_len) the batch would be taken for the heads. "
    "It takes two dimensions of size 1: (batch, 1, 1, key_len)."
))  # fmt: skip
padding_over_queries = Mistake(
    "over queries",
    of="padding_mask",
    swap=LINED_UP,
    by="real[:, None, :, None]",
    says="Your mask lies along the queries: shape (batch, 1, key_len, 1). It would stop padding from asking and let everyone read it. What "
    "has to be hidden are the keys, the last dimension.",
)
padding_both = Mistake(
    "queries hidden as well",
    of="padding_mask",
    swap=LINED_UP,
    by="real[:, None, None, :] * real[:, None, :, None]",
    says="Your mask hides padded keys and padded queries. What a padded position computes is thrown away later, so it may look at what it likes, "
    "and the mask has to serve queries of another sequence too. Only keys are hidden: (batch, 1, 1, key_len).",
)
padding_expanded = Mistake(
    "expanded to all queries",
    of="padding_mask",
    swap=LINED_UP,
    by="real[:, None, None, :].expand(-1, 1, real.size(1), -1)",
    says="Your mask has a row for every key of its own sequence. The queries may belong to another sequence, of another length: in the "
    "decoder they do. Leave that dimension at size 1 and let it broadcast.",
)
padding_square = Mistake(
    "expanded to all queries",
    of="padding_mask",
    swap=LINED_UP,
    by="real[:, None, :].expand(-1, real.size(1), -1)",
    says="Your mask has shape (batch, key_len, key_len): a row for every key, and no dimension for the heads. The queries may belong to another "
    "sequence, of another length. Two dimensions of size 1 broadcast to both: (batch, 1, 1, key_len).",
)
padding_in_front = Mistake(
    "dimensions in front",
    of="padding_mask",
    swap=LINED_UP,
    by="real[None, None]",
    says="Your dimensions of size 1 stand in front: (1, 1, batch, key_len). Then the batch is taken for the queries. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
)
padding_behind = Mistake(
    "dimensions behind",
    of="padding_mask",
    swap=LINED_UP,
    by="real[:, :, None, None]",
    says="Your dimensions of size 1 stand behind: (batch, key_len, 1, 1). Then the keys are taken for the heads. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
)
padding_zero = Mistake(
    "pad_id not used",
    of="padding_mask",
    swap=" pad_id  #",
    by=" 0  #",
    says="Your pad_id is a fixed 0. The function takes it as an argument: another vocabulary has another id for padding, and there 0 is a token.",
)
padding_above = Mistake(
    "> instead of !=",
    of="padding_mask",
    swap=REAL,
    by="token_ids > pad_id",
    says="You hide every id up to pad_id. Ids below it are real tokens; only the one that equals pad_id is padding. It looks right as long as "
    "pad_id is 0.",
)
PADDING_NUMBERS = "Your mask holds numbers, not booleans. A comparison gives booleans by itself, and `~` needs them: leave out the `.float()` or `.int()`."
padding_floats = Mistake(
    "numbers instead of booleans", of="padding_mask", says=PADDING_NUMBERS, swap="    return ", by="    real = real.float()\n    return "
)  # fmt: skip
padding_integers = Mistake(
    "numbers instead of booleans", of="padding_mask", says=PADDING_NUMBERS, swap="    return ", by="    real = real.long()\n    return "
)  # fmt: skip
padding_additive = Mistake(
    "0 and -inf instead of booleans",
    of="padding_mask",
    swap=REAL,
    by='torch.zeros(token_ids.shape).masked_fill(token_ids == pad_id, float("-inf"))',
    says='Your mask is one to be added to scores: 0 and -inf. In this course a mask is boolean and True means "may look".',
)
padding_additive_large = Mistake(
    "0 and -inf instead of booleans",
    of="padding_mask",
    swap=REAL,
    by="(token_ids == pad_id) * -1e9",
    says="Your mask is one to be added to scores: 0 and a large negative number. "
    'In this course a mask is boolean and True means "may look".',
)
padding_additive_lowest = Mistake(
    "0 and -inf instead of booleans",
    of="padding_mask",
    swap=REAL,
    by="(token_ids == pad_id) * torch.finfo(torch.float32).min",
    says=padding_additive_large.says,
)
padding_at_end = Mistake(
    "padding only at the end",
    of="padding_mask",
    swap=REAL,
    by="torch.arange(token_ids.size(1)) < (token_ids != pad_id).sum(1, keepdim=True)",
    says="You count the real tokens and take that many from the left. Padding may also stand at the beginning: many generating models "
    "pad on the left. Ask each id by itself.",
)

# Attention ----------------------------------------------------------------------------

SCORES = "attention_scores(q, k)"
FILL = 'scores.masked_fill(~mask, float("-inf"))'
SOFTMAX = "torch.softmax(scores, dim=-1)"
ZERO = "weights.masked_fill(~mask, 0.0)"
OUTPUT = "weights @ v"
RETURN = "return output, weights"

no_v = Mistake(
    "weights used without v",
    of=SDPA,
    swap=OUTPUT,
    by="weights",
    says="Your output is the weights themselves. They say how much each value counts; the output is the values, mixed in that measure: "
    "`weights @ v`.",
)
keys_mixed = Mistake(
    "keys instead of values",
    of=SDPA,
    swap=OUTPUT,
    by="weights @ k",
    says="You mix the keys, not the values. Keys say who is asked for, values say what is handed over. The output is `weights @ v`.",
)
turned_weights = Mistake(
    "weights transposed",
    of=SDPA,
    swap=OUTPUT,
    by="weights.transpose(-2, -1) @ v",
    says="Your weights are transposed before they meet the values. Row i of the weights belongs to query i and gives row i of the output: "
    "`weights @ v`.",
)
swapped = Mistake(
    "returns (weights, output)",
    of=SDPA,
    swap=RETURN,
    by="return weights, output",
    says="The two results are in the wrong order. All attention of this course returns the output first: `return output, weights`.",
)
only_output = Mistake(
    "weights not returned",
    of=SDPA,
    swap=RETURN,
    by="return output",
    says="Only the output comes back. The weights are wanted too, to be looked at: `return output, weights`.",
)
scores_returned = Mistake(
    "scores returned as weights",
    of=SDPA,
    swap=RETURN,
    by="return output, scores",
    says="What you return second are the scores. The weights are what the softmax made of them, and what the output was mixed with.",
)
unmasked_scores_returned = Mistake(
    "scores returned as weights", of=SDPA, swap=RETURN, by=f"return output, {SCORES}", says=scores_returned.says
)
weights_cut = Mistake(
    "weights detached",
    of=SDPA,
    swap=OUTPUT,
    by="weights.detach() @ v",
    says="Your weights are cut off from the graph before they meet the values. The output is right, but queries and keys would never learn. "
    "Look for `detach`, `.data` or `no_grad`.",
)
returned_cut = Mistake(
    "returned weights detached",
    of=SDPA,
    swap=RETURN,
    by="return output, weights.detach()",
    says="The weights you return are cut off from the graph. To look at them that is enough, but a loss on attention weights could not be "
    "trained. Return them as they are; whoever plots them can detach them.",
)

scale_late = Mistake(
    "scale after the softmax",
    of=SDPA,
    swaps={SCORES: PRODUCT, SOFTMAX: f"{SOFTMAX} / math.sqrt(q.size(-1))"},
    says="Your scale comes after the softmax. There it only makes all weights smaller, so that they no longer sum to 1, and the softmax has "
    "already settled on one key. Divide the scores.",
)
scale_output = Mistake(
    "scale after the softmax",
    of=SDPA,
    swaps={SCORES: PRODUCT, OUTPUT: f"{OUTPUT} / math.sqrt(q.size(-1))"},
    says=scale_late.says,
)
scale_by_value = Mistake(
    "scale by √d of the values",
    of=SDPA,
    swap=SCORES,
    by=f"{PRODUCT} / math.sqrt(v.size(-1))",
    says="Your scores are divided by the root of the values' width. The scores are made of queries and keys; values may have another width "
    "and have no part in them. Use `q.size(-1)`.",
)

over_queries = Mistake(
    "softmax over queries",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.softmax(scores, dim=-2)",
    says="Your softmax runs over the queries. Then the columns sum to 1 and the rows do not: how much a query reads of one key "
    "would depend on what the other queries want. It runs over the keys, the last dimension.",
)
over_queries_nan = Mistake(
    "softmax over queries",
    of=SDPA,
    swaps={SOFTMAX: "torch.softmax(scores, dim=-2)", ZERO: "weights"},
    says=f"{over_queries.says} After it, set masked weights to 0: a query that may look at nothing is NaN otherwise.",
)
FROM_THE_FRONT = (
    "Your softmax counts its dimension from the front, or was not told any. Keys stand in the last one, whatever stands before: `dim=-1`. With "
    "`dim=1` and heads in the tensor it runs over the heads."
)
over_dim_1 = Mistake(
    "softmax over a fixed dimension", of=SDPA, swap=SOFTMAX, by="torch.softmax(scores, dim=1)", says=FROM_THE_FRONT
)
over_dim_0 = Mistake(
    "softmax over a fixed dimension", of=SDPA, swap=SOFTMAX, by="torch.softmax(scores, dim=0)", says=FROM_THE_FRONT
)
over_dim_2 = Mistake(
    "softmax over a fixed dimension", of=SDPA, swap=SOFTMAX, by="torch.softmax(scores, dim=2)", says=FROM_THE_FRONT
)
no_dim = Mistake(
    "softmax over a fixed dimension",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.nn.functional.softmax(scores)",
    says=FROM_THE_FRONT,
)
over_all = Mistake(
    "softmax over all scores",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.softmax(scores.flatten(-2), dim=-1).unflatten(-1, scores.shape[-2:])",
    says="Your softmax runs over all scores of a sequence at once. Then the queries compete with each other for one total of 1. Every query "
    "has a distribution of its own: one softmax a row, `dim=-1`.",
)
# A softmax by hand is only another way of writing it, and may have another mistake in it.
over_queries_by_hand = Mistake(
    "softmax over queries",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.exp(scores) / torch.exp(scores).sum(dim=-2, keepdim=True)",
    says=over_queries.says,
)
OVERFLOWS = (
    "Your softmax is written by hand and takes the exponential of the scores as they are. For scores beyond 88 it overflows float32, for scores far below 0 "
    "it vanishes, and inf/inf and 0/0 are NaN. Subtract the largest score of each row first, as in lesson 00, or use `torch.softmax`."
)
SUM = "torch.exp(scores).sum(dim=-1, keepdim=True)"
overflows = Mistake(
    "exponentials that overflow", of=SDPA, swap=SOFTMAX, by=f"torch.exp(scores) / {SUM}", says=OVERFLOWS
)
overflows_to_zero = Mistake(
    "exponentials that overflow", of=SDPA, swap=SOFTMAX, by=f"(torch.exp(scores) / {SUM}).nan_to_num()", says=OVERFLOWS
)
overflows_above = Mistake(
    "exponentials that overflow", of=SDPA, swap=SOFTMAX, by=f"torch.exp(scores) / {SUM}.clamp(min=1e-30)", says=OVERFLOWS
)  # fmt: skip
overflows_everywhere = Mistake(
    "exponentials that overflow", of=SDPA, says=OVERFLOWS,
    swaps={
        SOFTMAX: f"torch.exp(scores) / {SUM}",
        ZERO: "weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)",
    },
)  # fmt: skip
TWICE = (
    "Your scores go through a softmax twice. The first one already leaves numbers between 0 and 1; the second cannot tell them far apart, so every weight comes "
    "out nearly even, and what was hidden is read again. Is there one in `attention_scores` as well?"
)
twice = Mistake("softmax twice", of=SDPA, swap=SOFTMAX, by=f"torch.softmax({SOFTMAX}, dim=-1)", says=TWICE)
softmax_before_mask = Mistake("softmax twice", of=SDPA, swap=SCORES, by=f"torch.softmax({SCORES}, dim=-1)", says=TWICE)
softmax_at_the_end = Mistake(
    "softmax twice", of=SDPA, says=TWICE,
    swap="output = weights", by="weights = torch.softmax(weights, dim=-1)\n    output = weights",
)  # fmt: skip
exponential = Mistake(
    "exponential without normalization",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.exp(scores)",
    says="Your weights are exponentials that nobody divided by their sum. They have to sum to 1 over the keys, or the output grows with the number "
    "of keys and with every large score. A softmax is both: exp, then divide by the sum of the row.",
)
by_sum = Mistake(
    "divided by the sum, without exp",
    of=SDPA,
    swap=SOFTMAX,
    by="scores / scores.sum(dim=-1, keepdim=True)",
    says="Your scores are divided by their sum. Scores may be negative, and their sum may be near 0, so what comes out is no distribution. "
    "The exponential makes them positive first; that is the softmax.",
)
sigmoid = Mistake(
    "sigmoid instead of softmax",
    of=SDPA,
    swap=SOFTMAX,
    by="torch.sigmoid(scores)",
    says="Your weights come from a sigmoid. It judges every key alone, so a row does not sum to 1. In attention the keys compete: softmax over "
    "the last dimension.",
)

INVERTED = (
    'Your mask is read the wrong way round: True means "may look" here, and you hide what is True. With a causal mask every token would read '
    "exactly its future, and the training loss would fall beautifully, because the model reads the answer. nn.MultiheadAttention does mean "
    "the opposite by True, so code written for it has to be turned round: fill where `~mask`."
)
mask_inverted = Mistake(
    "mask inverted", of=SDPA, says=INVERTED,
    swaps={FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights.masked_fill(mask, 0.0)"},
)  # fmt: skip
mask_inverted_nan = Mistake(
    "mask inverted", of=SDPA, says=INVERTED,
    swaps={FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights"},
)  # fmt: skip
mask_inverted_large = Mistake(
    "mask inverted", of=SDPA, says=INVERTED,
    swaps={FILL: "scores.masked_fill(mask, -1e9)", ZERO: "weights"},
)  # fmt: skip
mask_inverted_added = Mistake(
    "mask inverted", of=SDPA, says=INVERTED, swaps={FILL: "scores + mask * -1e9", ZERO: "weights"}
)  # fmt: skip
# At the beginning, so that it goes together with every other mistake in the use of the mask.
mask_turned_first = Mistake(
    "mask inverted", of=SDPA, says=INVERTED,
    swap=f"scores = {SCORES}", by=f"mask = mask if mask is None else ~mask\n    scores = {SCORES}",
)  # fmt: skip
TWO_WAYS = (
    "Your mask is read in two ways: once True hides, once it shows. What the softmax was allowed to read is set to 0 afterwards, so nothing is left. True means "
    '"may look" in both places: fill the scores where `~mask`, and zero the weights where `~mask`.'
)
mask_two_ways = Mistake(
    "mask read in two ways", of=SDPA, swap=FILL, by='scores.masked_fill(mask, float("-inf"))', says=TWO_WAYS
)
mask_two_ways_large = Mistake(
    "mask read in two ways", of=SDPA, swap=FILL, by="scores.masked_fill(mask, -1e9)", says=TWO_WAYS
)
mask_two_ways_after = Mistake(
    "mask read in two ways", of=SDPA, swap=ZERO, by="weights.masked_fill(mask, 0.0)", says=TWO_WAYS
)
mask_two_ways_clean = Mistake(
    "mask read in two ways", of=SDPA, says=TWO_WAYS,
    swaps={FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights.masked_fill(~mask, 0.0).nan_to_num()"},
)  # fmt: skip
TIMES_INFINITY = (
    "Your mask is multiplied by infinity, and 0 · inf is NaN: exactly where nothing should change, everything is lost. Fill instead of computing: "
    '`scores.masked_fill(~mask, float("-inf"))`.'
)
times_infinity = Mistake(
    "0 · inf", of=SDPA, says=TIMES_INFINITY, swaps={FILL: 'scores + ~mask * float("-inf")', ZERO: "weights"}
)  # fmt: skip
times_infinity_zeroed = Mistake(
    "0 · inf", of=SDPA, says=TIMES_INFINITY, swap=FILL, by='scores + ~mask * float("-inf")'
)  # fmt: skip
mask_ignored = Mistake(
    "mask ignored",
    of=SDPA,
    swaps={FILL: "scores", ZERO: "weights"},
    says="Your mask changes nothing. `scores.masked_fill(...)` returns a new tensor and leaves `scores` as it is: keep what it "
    "returns, `scores = scores.masked_fill(...)`.",
)
mask_after_use = Mistake(
    "mask applied only to what is returned",
    of=SDPA,
    swaps={
        FILL: "scores",
        ZERO: "weights",
        RETURN: "return output, weights if mask is None else weights.masked_fill(~mask, 0.0)",
    },
    says="Your output was made before the mask came. The weights you return look masked, the output is not. Mask the scores first.",
)
ZEROED_SCORES = (
    "Your mask sets scores to 0. Zero is a score like any other: e⁰ = 1, so what is hidden still gets its share, often a larger one "
    "than before. What may not be read needs a score of -inf. (A fill of 1e-9, where -1e9 was meant, is the same slip.)"
)
zeroed_scores = Mistake(
    "masked scores set to 0", of=SDPA, swaps={FILL: "scores * mask", ZERO: "weights"}, says=ZEROED_SCORES
)
zeroed_then_zeroed = Mistake("masked scores set to 0", of=SDPA, swap=FILL, by="scores * mask", says=ZEROED_SCORES)
ADDED = (
    "Your mask is added to the scores. Added as numbers, True raises a score by 1 and False leaves it: nothing is hidden. Masks of 0 and -inf are "
    "made to be added; a boolean one says where to fill in -inf."
)
mask_added = Mistake("mask added to the scores", of=SDPA, swaps={FILL: "scores + mask", ZERO: "weights"}, says=ADDED)
MINUS_ONE = (
    "Your masked scores are set to a small negative number, and e⁻¹ is still 0.37. Whatever is hidden keeps a share of the weight. "
    "Use -inf: its exponential is exactly 0."
)
minus_one = Mistake(
    "-1 as fill", of=SDPA, swaps={FILL: "scores.masked_fill(~mask, -1.0)", ZERO: "weights"}, says=MINUS_ONE
)  # fmt: skip
LARGE = (
    "Your fill is a large negative number, and a query that may look at nothing looks at everything: all its scores are "
    "equally low, and a softmax only asks which are higher than others. Set masked weights to 0 after the softmax; then such a row is zero."
)
large_fill = Mistake(
    "-1e9 as fill", of=SDPA, swaps={FILL: "scores.masked_fill(~mask, -1e9)", ZERO: "weights"}, says=LARGE
)  # fmt: skip
large_added = Mistake(
    "-1e9 as fill", of=SDPA, swaps={FILL: "scores + (~mask) * -1e9", ZERO: "weights"}, says=LARGE
)  # fmt: skip
smaller_added = Mistake(
    "-1e9 as fill", of=SDPA, swaps={FILL: "scores + (~mask) * -1e4", ZERO: "weights"}, says=LARGE
)  # fmt: skip
smaller_fill = Mistake(
    "-1e9 as fill", of=SDPA, swaps={FILL: "scores.masked_fill(~mask, -1e4)", ZERO: "weights"}, says=LARGE
)  # fmt: skip
small_fill = Mistake(
    "-1e9 as fill", of=SDPA, swaps={FILL: "scores.masked_fill(~mask, -100.0)", ZERO: "weights"}, says=LARGE
)  # fmt: skip
INFINITE = (
    "Your masked scores are set to +inf, so what should be hidden wins every comparison, and the softmax of infinity is NaN. It is minus "
    'infinity that vanishes: `float("-inf")`.'
)
plus_inf = Mistake("+inf as fill", of=SDPA, swap=FILL, by='scores.masked_fill(~mask, float("inf"))', says=INFINITE)
plus_inf_only = Mistake(
    "+inf as fill", of=SDPA, swaps={FILL: 'scores.masked_fill(~mask, float("inf"))', ZERO: "weights"}, says=INFINITE
)  # fmt: skip
no_mask = Mistake(
    "works only with a mask",
    of=SDPA,
    swap="if mask is not None:\n        scores =",
    by="if True:\n        scores =",
    says="Your code needs a mask. `mask` is None when nothing is to be hidden, and None can be neither inverted nor filled with. Do the "
    "masking under `if mask is not None:`.",
)
nan_rows = Mistake(
    "NaN on fully masked rows",
    of=SDPA,
    swap=ZERO,
    by="weights",
    says="A query that may look at nothing becomes NaN. All its scores are -inf, and the softmax divides 0 by 0. One such row, a sentence "
    "of padding only, poisons the loss of the whole batch. Set masked weights to 0 after the softmax, before they meet the values.",
)
nan_output = Mistake(
    "NaN on fully masked rows", of=SDPA, says=nan_rows.says,
    swaps={ZERO: "weights", RETURN: "return output, weights if mask is None else weights.masked_fill(~mask, 0.0)"},
)  # fmt: skip
nan_weights = Mistake(
    "NaN on fully masked rows", of=SDPA, says=nan_rows.says,
    swaps={ZERO: "weights", RETURN: "return output.nan_to_num(), weights"},
)  # fmt: skip
not_renormalized = Mistake(
    "weights zeroed after the softmax",
    of=SDPA,
    swap=FILL,
    by="scores",
    says="Your mask acts only after the softmax. The hidden weights are 0, but the others were made while the hidden keys still took "
    "their share, and no longer sum to 1. Fill the scores with -inf, so that the softmax shares out what is left.",
)
REGARDED_AS_QUERIES = (
    "Your mask hides queries instead of keys. Rows ask, columns are read: query i may look at key j where mask[i, j] is True. Look "
    "for a transpose of the mask, or for a dimension that was added in the wrong place."
)
mask_transposed = Mistake(
    "mask over queries", of=SDPA, says=REGARDED_AS_QUERIES,
    swaps={
        FILL: 'scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))',
        ZERO: "weights.masked_fill(~mask.transpose(-2, -1), 0.0)",
    },
)  # fmt: skip
mask_transposed_first = Mistake(
    "mask over queries", of=SDPA, says=REGARDED_AS_QUERIES,
    swap=f"scores = {SCORES}", by=f"mask = mask if mask is None else mask.transpose(-2, -1)\n    scores = {SCORES}",
)  # fmt: skip
mask_transposed_nan = Mistake(
    "mask over queries", of=SDPA, says=REGARDED_AS_QUERIES,
    swaps={FILL: 'scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))', ZERO: "weights"},
)  # fmt: skip
MASK_IN_PLACE = (
    "Your code writes into the mask it was given. The same mask serves every layer: the second one would get it changed. "
    "`mask.logical_not_()` writes, `~mask` makes a new one."
)
mask_in_place = Mistake(
    "writes into the mask", of=SDPA, says=MASK_IN_PLACE,
    swaps={FILL: 'scores.masked_fill(mask.logical_not_(), float("-inf"))', ZERO: "weights.masked_fill(mask, 0.0)"},
)  # fmt: skip

# Masks for torch ----------------------------------------------------------------------------

EXPANDED = "mask.expand(-1, num_heads, -1, -1)"
INVERTED_HEADS = "~per_head"
JOINED = ".flatten(0, 1)"

kept_polarity = Mistake(
    "not inverted",
    of="to_torch_mask",
    swap=INVERTED_HEADS,
    by="per_head",
    says='Your mask still means "may look" by True. nn.MultiheadAttention takes True for "may not look", and would not complain: it would read '
    "exactly what should be hidden. Invert it with `~`.",
)
not_repeated = Mistake(
    "heads not repeated",
    of="to_torch_mask",
    swap=EXPANDED,
    by="mask",
    says="Your mask is there once for each sequence, not once for each head. nn.MultiheadAttention wants batch · num_heads masks: expand the "
    "second dimension before you join the two.",
)
squeezed = Mistake(
    "heads not repeated",
    of="to_torch_mask",
    swaps={EXPANDED: "mask", JOINED: ".squeeze(1)"},
    says=not_repeated.says,
)
NEIGHBOURS = (
    "Your masks are in the wrong order: the heads come first and the batch inside them. nn.MultiheadAttention wants all heads of the first sequence, "
    "then all heads of the second. As it is, sequences get each other's masks, and no error tells."
)
heads_first = Mistake(
    "heads before batch", of="to_torch_mask", says=NEIGHBOURS, swap=JOINED, by=".transpose(0, 1).flatten(0, 1)"
)  # fmt: skip
batch_repeated = Mistake(
    "heads before batch", of="to_torch_mask", says=NEIGHBOURS,
    swaps={EXPANDED: "mask.repeat(num_heads // mask.size(1), 1, 1, 1)"},
)  # fmt: skip
batch_repeated_again = Mistake(
    "heads before batch", of="to_torch_mask", says=NEIGHBOURS, swap=EXPANDED, by="mask.repeat(num_heads, 1, 1, 1)"
)  # fmt: skip
batch_repeated_flat = Mistake(
    "heads before batch", of="to_torch_mask", says=NEIGHBOURS,
    swaps={EXPANDED: "mask.squeeze(1).repeat(num_heads, 1, 1)", JOINED: ""},
)  # fmt: skip
not_joined = Mistake(
    "four dimensions left",
    of="to_torch_mask",
    swap=JOINED,
    by="",
    says="Your mask has four dimensions. nn.MultiheadAttention wants three, with batch and heads in one: `flatten(0, 1)`.",
)
additive = Mistake(
    "0 and -inf instead of booleans",
    of="to_torch_mask",
    swap="~per_head.flatten(0, 1)",
    by='torch.zeros(per_head.flatten(0, 1).shape).masked_fill(~per_head.flatten(0, 1), float("-inf"))',
    says="Your mask is one to be added: 0 and -inf. nn.MultiheadAttention takes those too, but asked for is the boolean one, True where a "
    "query may not look.",
)
TORCH_NUMBERS = (
    "Your mask holds numbers, not booleans. nn.MultiheadAttention adds a mask of numbers to the scores: 1 where nothing may be read, and nothing is "
    "hidden. It is `~` that inverts a boolean mask and leaves it boolean."
)
torch_floats = Mistake(
    "numbers instead of booleans", of="to_torch_mask", says=TORCH_NUMBERS,
    swap="~per_head.flatten(0, 1)", by="(~per_head.flatten(0, 1)).float()",
)  # fmt: skip
torch_integers = Mistake(
    "numbers instead of booleans", of="to_torch_mask", says=TORCH_NUMBERS,
    swap="~per_head.flatten(0, 1)", by="(~per_head.flatten(0, 1)).long()",
)  # fmt: skip
first_head = Mistake(
    "first head's mask for all",
    of="to_torch_mask",
    swap=EXPANDED,
    by="mask[:, :1].expand(-1, num_heads, -1, -1)",
    says="Every head gets the first head's mask. Where the mask has a row for every head, each keeps its own; only a dimension of "
    "size 1 is spread.",
)
first_sequence = Mistake(
    "first sequence's mask for all",
    of="to_torch_mask",
    swap=EXPANDED,
    by="mask[:1].expand(mask.size(0), num_heads, -1, -1)",
    says="Every sequence gets the first one's mask. Sequences of a batch are padded differently; each keeps its own.",
)
repeated_again = Mistake(
    "heads' own masks repeated",
    of="to_torch_mask",
    swap=EXPANDED,
    by="mask.repeat_interleave(num_heads, dim=1)",
    says="A mask that already has num_heads heads is repeated once more. Only a second dimension of size 1 needs copies; `expand` leaves the others "
    "alone.",
)
tiled_again = Mistake(
    "heads' own masks repeated", of="to_torch_mask", swap=EXPANDED, by="mask.repeat(1, num_heads, 1, 1)", says=repeated_again.says
)  # fmt: skip
batch_tiled = Mistake(
    "heads' own masks repeated",
    of="to_torch_mask",
    swaps={EXPANDED: "mask.repeat_interleave(num_heads, dim=0)", JOINED: ".squeeze(1)"},
    says=repeated_again.says,
)
turned = Mistake(
    "queries and keys exchanged",
    of="to_torch_mask",
    swap=JOINED,
    by=".flatten(0, 1).transpose(-2, -1)",
    says="Your mask has keys in rows and queries in columns. Both conventions agree here: queries in rows, keys in columns.",
)
torch_mask_in_place = Mistake(
    "writes into the mask",
    of="to_torch_mask",
    swaps={EXPANDED: "mask.logical_not_().expand(-1, num_heads, -1, -1)", INVERTED_HEADS: "per_head"},
    says=MASK_IN_PLACE,
)
