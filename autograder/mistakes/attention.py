"""Wrong ways of lesson 02."""

from autograder.checks.attention import (
    attention_scores,
    causal_mask,
    padding_mask,
    scaled_dot_product_attention,
    to_torch_mask,
)
from autograder.probing.mistake import edit

# Scores ----------------------------------------------------------------------------

PRODUCT = "q @ k.transpose(-2, -1)"
SCALE = "scores / math.sqrt(d_head)"

attention_scores.mistake(
    "no scale",
    "Your scores are not divided by √d_head. A dot product of d_head features has a variance of about d_head, so the wider a "
    "head, the harder its softmax settles on a single key. Divide by the root of d_head.",
    {SCALE: "scores"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by d",
    "Your scores are divided by d_head, not by its root. The variance of a dot product grows as d_head, and its spread as √d_head: the spread has to be "
    "divided out. Is the root missing, or is the scale applied twice, in `attention_scores` and again outside?",
    {"math.sqrt(d_head)": "d_head"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "d ** 1 / 2 is no root",
    "Your scale is no root. Was it written `d_head ** 1 / 2`? A power is taken before a division, so that is (d_head ** 1) / 2. Write `d_head ** 0.5` or "
    "`math.sqrt(d_head)`.",
    {"math.sqrt(d_head)": "(d_head / 2)"},
    {SCALE: "scores / d_head / 2"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "multiplied by √d",
    "Your scores are multiplied by √d_head instead of divided. Wide heads give large dot products; the scale has to shrink them. "
    "(d_head ** -0.5 is a factor, d_head ** 0.5 a divisor.)",
    {SCALE: "scores * math.sqrt(d_head)"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by √key_len",
    "Your scores are divided by the root of the number of keys. A dot product grows with the number of features, however many keys there are. d_head is "
    "the last dimension, `q.size(-1)`.",
    {SCALE: "scores / math.sqrt(k.size(-2))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scale by √query_len",
    "Your scores are divided by the root of the number of queries. A dot product grows with the number of features. d_head is the last dimension, "
    "`q.size(-1)`; an index such as `size(1)` counts from the front.",
    {SCALE: "scores / math.sqrt(q.size(-2))"},
    {SCALE: "scores / math.sqrt(q.size(1))"},
    {SCALE: "scores / math.sqrt(q.size(0))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "qᵀk instead of qkᵀ",
    "You compute qᵀk where qkᵀ is meant. With tokens in rows that compares features with features, not tokens with tokens; it goes "
    "unnoticed only while there are as many tokens as features. Articles print softmax(QᵀK/√d): there the tokens stand in columns. "
    "Here the keys are transposed: `q @ k.transpose(-2, -1)`.",
    {PRODUCT: "q.transpose(-2, -1) @ k"},
    edit(
        {
            "attention_scores(q, k)": "q.transpose(-2, -1) @ k / math.sqrt(q.size(-1))",
            "output = weights @ v": "output = v @ weights",
        },
        inside="scaled_dot_product_attention",
        of=[scaled_dot_product_attention],
    ),
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "scores transposed",
    "Your scores have keys in rows and queries in columns. Row i should hold the scores of query i, one for each key. So q stands first: q @ kᵀ.",
    {PRODUCT: "k @ q.transpose(-2, -1)"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "reshape instead of transpose",
    "Your keys are given another shape instead of being transposed. `reshape` and `view` keep the numbers in the order in which they lie in memory and "
    "only cut them into other rows, so a column holds pieces of several keys. No error shows it. `k.transpose(-2, -1)` exchanges the two dimensions.",
    {PRODUCT: "q @ k.reshape(*k.shape[:-2], k.size(-1), k.size(-2))"},
    {PRODUCT: "q @ k.view(*k.shape[:-2], k.size(-1), k.size(-2))"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "fits one number of dimensions",
    "Your code works for only one number of dimensions. Somewhere a dimension is counted from the front (`transpose(1, 2)`, `dim=3`) or "
    "spelled out (`b, h, n, d = q.shape`, an einsum without dots). Count from the end, `transpose(-2, -1)` and `dim=-1`: then any dimensions may stand "
    "in front, and lesson 03 puts heads there.",
    {PRODUCT: "q @ k.transpose(1, 2)"},
    {PRODUCT: "q @ k.transpose(0, 1)"},
    {PRODUCT: "q @ k.transpose(2, 3)"},
    {PRODUCT: "q @ k.T"},
    {PRODUCT: 'torch.einsum("qd,kd->qk", q, k)'},
    {PRODUCT: 'torch.einsum("bqd,bkd->bqk", q, k)'},
    {PRODUCT: 'torch.einsum("bhqd,bhkd->bhqk", q, k)'},
    {PRODUCT: "(q.unsqueeze(2) * k.unsqueeze(1)).sum(-1)"},
    {PRODUCT: "(q.unsqueeze(3) * k.unsqueeze(2)).sum(-1)"},
    {PRODUCT: f"[{PRODUCT} for n, d in [q.shape]][0]"},
    {PRODUCT: f"[{PRODUCT} for b, n, d in [q.shape]][0]"},
    {PRODUCT: f"[{PRODUCT} for b, h, n, d in [q.shape]][0]"},
    also=[scaled_dot_product_attention],
)

attention_scores.mistake(
    "writes into its input",
    "Your code writes into the tensor it was given. The caller still needs that tensor: the same queries are often used again. "
    "`q /= root` and `q.div_(root)` do this; `q = q / root` does not.",
    {PRODUCT: "q.div_(math.sqrt(d_head)) @ k.transpose(-2, -1)", SCALE: "scores"},
    {PRODUCT: "q @ k.div_(math.sqrt(d_head)).transpose(-2, -1)", SCALE: "scores"},
    also=[scaled_dot_product_attention],
)

SOFTMAXED = (
    "Your scores have gone through a softmax already. The mask has to act between scores and softmax, so return the scores themselves, which may be any "
    "real numbers."
)
attention_scores.mistake(
    "softmax already",
    SOFTMAXED,
    {SCALE: "torch.softmax(scores / math.sqrt(d_head), dim=-1)"},
    edit({SCALE: "torch.softmax(scores, dim=-1)"}, says=f"{SOFTMAXED} And they are not divided by √d_head."),
)

attention_scores.mistake(
    "cosine instead of dot product",
    "You compare directions only: queries and keys are brought to length 1 first. A dot product also depends on their lengths: the longer a query, the "
    "more its weights go to the best keys.",
    {PRODUCT: "torch.nn.functional.normalize(q, dim=-1) @ torch.nn.functional.normalize(k, dim=-1).transpose(-2, -1)"},
)

attention_scores.mistake(
    "scores detached",
    "Your scores are cut off from the graph. The values are right, but queries and keys would never learn anything. Look for `detach`, "
    "`.data`, `.item()`, `no_grad` or a tensor made anew.",
    {SCALE: f"({SCALE}).detach()"},
    {PRODUCT: f"({PRODUCT}).detach()"},
    also=[scaled_dot_product_attention],
)

# Masks ----------------------------------------------------------------------------

ONES = "torch.ones(seq_len, seq_len, dtype=torch.bool)"

causal_mask.mistake(
    "inverted",
    'Your mask is True where a query may not look. In this course True means "may look". In nn.MultiheadAttention True means the opposite, and code '
    "from elsewhere often follows it.",
    {".tril()": ".triu(1)"},
)

causal_mask.mistake(
    "looks at the future",
    "Your mask lets every token look at itself and at what comes after it. Rows ask and columns are read: query i may look at key j where j <= i, which "
    "is the lower triangle.",
    {".tril()": ".triu()"},
)

causal_mask.mistake(
    "excludes itself",
    "In your mask a token may not look at itself. Then the first token has nothing at all to look at. The diagonal belongs to the "
    "triangle: j <= i, not j < i.",
    {".tril()": ".tril(-1)"},
)

causal_mask.mistake(
    "sees the next token",
    "Your mask lets every token look at the next one. In a model that predicts the next token, that token is the answer: the training loss would fall "
    "fast, and nothing would be learned. Keep j <= i, without an offset.",
    {".tril()": ".tril(1)"},
)

causal_mask.mistake(
    "hides nothing",
    "Your mask is True everywhere. The square of ones is only the beginning: keep its lower triangle.",
    {".tril()": ""},
)

causal_mask.mistake(
    "only the first row filled",
    "Only the first token may look, at itself. All other rows of your mask are empty. If you fill it in a loop: does `return` stand inside the loop, so that it ends after the first round?",
    {".tril()": ".tril() & (torch.arange(seq_len) == 0)[:, None]"},
)

causal_mask.mistake(
    "a query sees nothing",
    "One row of your mask is empty, the first or the last. Every token may look at itself at least. If you fill the mask in a loop, look at where the loop begins and where it ends.",
    {".tril()": ".tril() & (torch.arange(seq_len) != 0)[:, None]"},
    {".tril()": ".tril() & (torch.arange(seq_len) != seq_len - 1)[:, None]"},
)

causal_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. `~mask` raises an error for floats and gives -1 and -2 for whole numbers, and a mask of numbers is "
    "often added to the scores. Give "
    "`dtype=torch.bool` to the square of ones, or compare.",
    {"dtype=torch.bool": "dtype=torch.float"},
    {"dtype=torch.bool": "dtype=torch.long"},
)

causal_mask.mistake(
    "0 and -inf instead of booleans",
    "Your mask is made to be added to scores: it holds 0 and -inf. PyTorch takes such masks too, and its own helper for causal masks makes them. "
    'In this course a mask is boolean and True means "may look".',
    {f"{ONES}.tril()": 'torch.full((seq_len, seq_len), float("-inf")).triu(1)'},
    {f"{ONES}.tril()": "torch.full((seq_len, seq_len), -1e9).triu(1)"},
)

causal_mask.mistake(
    "dimensions too many",
    "Your mask has dimensions in front for batch and heads. They are not needed: a mask of shape (seq_len, seq_len) broadcasts to both, and it also "
    "fits without batch and heads.",
    {"torch.ones(seq_len": "torch.ones(1, 1, seq_len"},
    {"torch.ones(seq_len": "torch.ones(1, seq_len"},
)

REAL = "token_ids != pad_id"
LINED_UP = "real[:, None, None, :]"

padding_mask.mistake(
    "inverted",
    'Your mask is True at the padding. In this course True means "may look", so it is True at the real tokens. In the `key_padding_mask` of '
    "nn.MultiheadAttention True means the opposite.",
    {"token_ids !=": "token_ids =="},
)

padding_mask.mistake(
    "dimensions missing",
    "Your mask has shape (batch, key_len). Broadcasting lines up the last dimensions, so against scores of shape (batch, heads, query_len, "
    "key_len) the batch would be taken for the queries. Put two dimensions of size 1 in between: (batch, 1, 1, key_len).",
    {LINED_UP: "real"},
    edit(
        {LINED_UP: "real[:, None, :]"},
        says="Your mask has shape (batch, 1, key_len). Against scores of shape (batch, heads, query_len, key_len) the batch would be taken for the heads. "
        "Two dimensions of size 1 are needed: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "over queries",
    "Your mask lies along the queries: shape (batch, 1, key_len, 1). It would stop padding from asking and let every query read it. The keys have to be "
    "hidden, the last dimension.",
    {LINED_UP: "real[:, None, :, None]"},
)

padding_mask.mistake(
    "queries hidden as well",
    "Your mask hides padded keys and padded queries. What a padded position computes is thrown away later, so it may look at anything, and the mask has "
    "to serve queries of another sequence too. Only keys are hidden: (batch, 1, 1, key_len).",
    {LINED_UP: "real[:, None, None, :] * real[:, None, :, None]"},
)

padding_mask.mistake(
    "expanded to all queries",
    "Your mask has a row for every key of its own sequence. The queries may belong to another sequence of another length, as they do in the decoder. "
    "Leave that dimension at size 1 and let it broadcast.",
    {LINED_UP: "real[:, None, None, :].expand(-1, 1, real.size(1), -1)"},
    edit(
        {LINED_UP: "real[:, None, :].expand(-1, real.size(1), -1)"},
        says="Your mask has shape (batch, key_len, key_len): a row for every key, and no dimension for the heads. The queries may belong to another "
        "sequence, of another length. Two dimensions of size 1 broadcast to both: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "dimensions in front",
    "Your dimensions of size 1 stand in front: (1, 1, batch, key_len). Then the batch is taken for the queries. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
    {LINED_UP: "real[None, None]"},
    edit(
        {LINED_UP: "real[None, :, None]"},
        says="One dimension of size 1 stands in front: (1, batch, 1, key_len). Then the batch is taken for the heads. Both belong between batch and keys: (batch, 1, 1, key_len).",
    ),
)

padding_mask.mistake(
    "causal mask built in",
    "Your mask hides what comes later, too. Here only padding is hidden, for every query alike: (batch, 1, 1, key_len). Where both are wanted, the two masks are joined by `&`; an encoder wants padding alone.",
    {LINED_UP: "real[:, None, None, :] & torch.ones(real.size(1), real.size(1), dtype=torch.bool).tril()"},
)

padding_mask.mistake(
    "dimensions behind",
    "Your dimensions of size 1 stand behind: (batch, key_len, 1, 1). Then the keys are taken for the heads. They belong between "
    "batch and keys: (batch, 1, 1, key_len).",
    {LINED_UP: "real[:, :, None, None]"},
)

padding_mask.mistake(
    "pad_id not used",
    "Your pad_id is a fixed 0. The function takes it as an argument: another vocabulary has another id for padding, and there 0 is a token.",
    {" pad_id  #": " 0  #"},
    edit(
        {REAL: "token_ids > 0"},
        says="Your pad_id is not used: you take every id above 0 for a token. The function takes the id of padding as an argument, and in another vocabulary 0 is a token.",
    ),
)

padding_mask.mistake(
    "> instead of !=",
    "You hide every id up to pad_id. Ids below pad_id are real tokens; only pad_id itself is padding. The mistake does not show while pad_id is 0.",
    {REAL: "token_ids > pad_id"},
)

padding_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. A comparison gives booleans by itself, and `~` needs them: leave out the `.float()` or `.int()`.",
    {"    return ": "    real = real.float()\n    return "},
    {"    return ": "    real = real.long()\n    return "},
)

LARGE_NUMBER = (
    "Your mask is made to be added to scores: it holds 0 and a large negative number. "
    'In this course a mask is boolean and True means "may look".'
)
padding_mask.mistake(
    "0 and -inf instead of booleans",
    'Your mask is made to be added to scores: it holds 0 and -inf. In this course a mask is boolean and True means "may look".',
    {REAL: 'torch.zeros(token_ids.shape).masked_fill(token_ids == pad_id, float("-inf"))'},
    edit({REAL: "(token_ids == pad_id) * -1e9"}, says=LARGE_NUMBER),
    edit({REAL: "(token_ids == pad_id) * torch.finfo(torch.float32).min"}, says=LARGE_NUMBER),
)

padding_mask.mistake(
    "padding only at the end",
    "You count the real tokens and take that many from the left. Padding may also stand at the beginning: many models that write text pad on the left. "
    "Compare each id by itself.",
    {REAL: "torch.arange(token_ids.size(1)) < (token_ids != pad_id).sum(1, keepdim=True)"},
    edit(
        {REAL: "(token_ids == pad_id).cumsum(1) == 0"},
        says="You hide everything from the first padding on. Padding may also stand at the beginning: many models that write text pad on the left. Compare each id by itself.",
    ),
    edit(
        {REAL: "(token_ids != pad_id).flip(1).cumsum(1).flip(1) > 0"},
        says="You hide padding at the end of a row only. It may also stand at the beginning, or in between: many models that write text pad on the left. Compare each id by itself.",
    ),
)

# Attention ----------------------------------------------------------------------------

SCORES = "attention_scores(q, k)"
FILL = 'scores.masked_fill(~mask, float("-inf"))'
SOFTMAX = "torch.softmax(scores, dim=-1)"
ZERO = "weights.masked_fill(~mask, 0.0)"
OUTPUT = "weights @ v"
RETURN = "return output, weights"

scaled_dot_product_attention.mistake(
    "weights used without v",
    "Your output is the weights themselves. They say how much each value counts. The output is the values, mixed by these weights: `weights @ v`.",
    {OUTPUT: "weights"},
)

scaled_dot_product_attention.mistake(
    "keys instead of values",
    "You mix the keys, not the values. Keys are compared with queries, values are what is read. The output is `weights @ v`.",
    {OUTPUT: "weights @ k"},
)

scaled_dot_product_attention.mistake(
    "weights transposed",
    "Your weights are transposed before they meet the values. Row i of the weights belongs to query i and gives row i of the output: "
    "`weights @ v`.",
    {OUTPUT: "weights.transpose(-2, -1) @ v"},
)

scaled_dot_product_attention.mistake(
    "returns (weights, output)",
    "The two results are in the wrong order. All attention of this course returns the output first: `return output, weights`.",
    {RETURN: "return weights, output"},
)

scaled_dot_product_attention.mistake(
    "weights not returned",
    "Only the output comes back. The weights are needed too, so that one can look at them: `return output, weights`.",
    {RETURN: "return output"},
)

scaled_dot_product_attention.mistake(
    "scores returned as weights",
    "What you return second are the scores. The weights are what the softmax makes of the scores, and what the values are mixed by.",
    {RETURN: "return output, scores"},
    {RETURN: f"return output, {SCORES}"},
    {FILL: "scores.masked_fill(~mask, -1e9)", RETURN: "return output, scores"},
)

scaled_dot_product_attention.mistake(
    "weights detached",
    "Your weights are cut off from the graph before they meet the values. The output is right, but queries and keys would never learn. "
    "Look for `detach`, `.data` or `no_grad`.",
    {OUTPUT: "weights.detach() @ v"},
)

scaled_dot_product_attention.mistake(
    "returned weights detached",
    "The weights you return are cut off from the graph. That is enough for looking at them, but a loss on attention weights could not be trained. "
    "Return them as they are; who plots them can detach them.",
    {RETURN: "return output, weights.detach()"},
)

scaled_dot_product_attention.mistake(
    "scale after the softmax",
    "Your scale comes after the softmax. There it only makes all weights smaller, so that they no longer sum to 1, and the softmax has "
    "already settled on one key. Divide the scores.",
    {SCORES: PRODUCT, SOFTMAX: f"{SOFTMAX} / math.sqrt(q.size(-1))"},
    {SCORES: PRODUCT, OUTPUT: f"{OUTPUT} / math.sqrt(q.size(-1))"},
)

scaled_dot_product_attention.mistake(
    "scale by √d of the values",
    "Your scores are divided by the root of the values' width. The scores are made of queries and keys; values may have another width "
    "and have no part in them. Use `q.size(-1)`.",
    {SCORES: f"{PRODUCT} / math.sqrt(v.size(-1))"},
)

# A softmax by hand, up to the division.
POWERS = "torch.exp(scores - scores.amax(dim=-1, keepdim=True).clamp(min=-1e30))"
# The largest score may be cut off from the graph; where no division follows, that shows.
POWERS_OF_A_CONSTANT = POWERS.replace("keepdim=True)", "keepdim=True).detach()")

OVER_QUERIES = (
    "Your softmax runs over the queries. Then the columns sum to 1 and the rows do not: how much a query reads of one key would depend on the other "
    "queries. The softmax has to run over the keys, the last dimension."
)
scaled_dot_product_attention.mistake(
    "softmax over queries",
    OVER_QUERIES,
    {SOFTMAX: "torch.softmax(scores, dim=-2)"},
    edit(
        {SOFTMAX: "torch.softmax(scores, dim=-2)", ZERO: "weights"},
        says=f"{OVER_QUERIES} After it, set masked weights to 0: a query that may look at nothing is NaN otherwise.",
    ),
    # A softmax by hand is only another way of writing it, and may have another mistake in it.
    {SOFTMAX: "torch.exp(scores) / torch.exp(scores).sum(dim=-2, keepdim=True)"},
    edit(
        {SOFTMAX: f"(lambda e: e / e.sum(dim=-2, keepdim=True))({POWERS})"},
        says="The sum under your exponentials runs over the queries. Then the columns sum to 1 and the rows do not: how much a query reads of one key would depend on the other queries. Sum over the keys, the last dimension.",
    ),
)

scaled_dot_product_attention.mistake(
    "softmax over a fixed dimension",
    "Your softmax counts its dimension from the front, or no dimension was given. Keys stand in the last dimension, whatever stands in front: `dim=-1`. With "
    "`dim=1` and heads in the tensor it runs over the heads.",
    {SOFTMAX: "torch.softmax(scores, dim=1)"},
    {SOFTMAX: "torch.softmax(scores, dim=0)"},
    {SOFTMAX: "torch.softmax(scores, dim=2)"},
    {SOFTMAX: "torch.nn.functional.softmax(scores)"},
)

scaled_dot_product_attention.mistake(
    "softmax over all scores",
    "Your softmax runs over all scores of a sequence at once. Then the queries compete with each other for one total of 1. Every query needs a "
    "distribution of its own: a softmax for each row, `dim=-1`.",
    {SOFTMAX: "torch.softmax(scores.flatten(-2), dim=-1).unflatten(-1, scores.shape[-2:])"},
    *(
        edit(
            wrong,
            says="The exponentials are divided by one sum for the whole tensor, so all queries of the batch compete for one total of 1. Every query needs a distribution of its own: sum along the last dimension, "
            "`sum(dim=-1, keepdim=True)`.",
        )
        for wrong in (
            {SOFTMAX: f"(lambda e: e / e.sum())({POWERS})"},
            {SOFTMAX: "torch.softmax(scores.flatten(), dim=0).view_as(scores)"},
            *(
                {
                    FILL: "scores",
                    SOFTMAX: powers,
                    "output = weights": "weights = weights / weights.sum()\n    output = weights",
                }
                for powers in (POWERS, POWERS_OF_A_CONSTANT)
            ),
        )
    ),
)

SUM = "torch.exp(scores).sum(dim=-1, keepdim=True)"
scaled_dot_product_attention.mistake(
    "exponentials that overflow",
    "Your softmax is written by hand and takes the exponential of the scores as they are. For scores beyond 88 it overflows float32, for scores far below 0 "
    "it vanishes, and inf/inf and 0/0 are NaN. Subtract the largest score of each row first, as in lesson 00, or use `torch.softmax`.",
    {SOFTMAX: f"torch.exp(scores) / {SUM}"},
    {SOFTMAX: f"(torch.exp(scores) / {SUM}).nan_to_num()"},
    {SOFTMAX: f"torch.exp(scores) / {SUM}.clamp(min=1e-30)"},
    {SOFTMAX: f"torch.exp(scores) / {SUM}", ZERO: "weights.masked_fill(~mask.any(dim=-1, keepdim=True), 0.0)"},
)

scaled_dot_product_attention.mistake(
    "softmax twice",
    "Your scores go through a softmax twice. The first softmax gives numbers between 0 and 1. The second makes such close numbers nearly equal, so "
    "every weight comes out nearly even, and what was hidden is read again. Is there a softmax in `attention_scores` as well?",
    {SOFTMAX: f"torch.softmax({SOFTMAX}, dim=-1)"},
    {SCORES: f"torch.softmax({SCORES}, dim=-1)"},
    {"output = weights": "weights = torch.softmax(weights, dim=-1)\n    output = weights"},
)

scaled_dot_product_attention.mistake(
    "no softmax",
    "Your weights are the scores: no softmax has made a distribution of them. Weights are never negative, and each row sums to 1. "
    "Take the softmax over the keys, after the mask has acted on the scores.",
    {SOFTMAX: "scores"},
    {SOFTMAX: "scores", ZERO: "weights"},
    {FILL: "scores.masked_fill(~mask, -1e9)", SOFTMAX: "scores", ZERO: "weights"},
)

scaled_dot_product_attention.mistake(
    "exponential without normalization",
    "Your weights are exponentials that are not divided by their sum. Weights have to sum to 1 over the keys, or the output grows with the number of "
    "keys and with every large score. A softmax takes the exponentials and then divides by the sum of the row.",
    {SOFTMAX: "torch.exp(scores)"},
    {SOFTMAX: POWERS},
    {SOFTMAX: POWERS_OF_A_CONSTANT},
    # The mask acts on the powers alone, as a factor.
    {FILL: "scores", SOFTMAX: POWERS},
    {FILL: "scores", SOFTMAX: POWERS_OF_A_CONSTANT},
)

FAR_BELOW = "(lambda e: e / e.sum(dim=-1, keepdim=True){})(torch.exp(scores - scores.amax()))"
scaled_dot_product_attention.mistake(
    "largest score of all subtracted",
    "Your softmax subtracts the largest score of the whole tensor. A row that lies far below it has only exponentials of 0, and its weights are lost: 0 / 0. Subtract the largest score of each row, "
    "`amax(dim=-1, keepdim=True)`.",
    {SOFTMAX: FAR_BELOW.format("")},
    {SOFTMAX: FAR_BELOW.format(".clamp(min=1e-30)")},
)

scaled_dot_product_attention.mistake(
    "divided by the sum, without exp",
    "Your scores are divided by their sum. Scores may be negative, and their sum may be near 0, so the result is not a distribution. A softmax first "
    "makes the scores positive, by the exponential.",
    {SOFTMAX: "scores / scores.sum(dim=-1, keepdim=True)"},
)

scaled_dot_product_attention.mistake(
    "sigmoid instead of softmax",
    "Your weights come from a sigmoid. A sigmoid looks at every key alone, so a row does not sum to 1. In attention the keys compete: softmax over "
    "the last dimension.",
    {SOFTMAX: "torch.sigmoid(scores)"},
)

INVERTED_BIAS = 'torch.zeros(mask.shape).masked_fill(mask, float("-inf"))'
scaled_dot_product_attention.mistake(
    "mask inverted",
    'Your mask is read the wrong way round: True means "may look" here, and you hide what is True. With a causal mask every token would read exactly '
    "its future, and the training loss would fall far too low, because the model reads the answer. In nn.MultiheadAttention True does mean the "
    "opposite, so code written for it has to be changed: fill where `~mask`.",
    {FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights.masked_fill(mask, 0.0)"},
    {FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights"},
    {FILL: "scores.masked_fill(mask, -1e9)", ZERO: "weights"},
    {FILL: "scores + mask * -1e9", ZERO: "weights"},
    # Added, -inf lets NaN through to the gradients of the scores.
    {FILL: f"scores + {INVERTED_BIAS}", ZERO: "weights"},
    {FILL: f"scores + {INVERTED_BIAS}", ZERO: "weights.nan_to_num()"},
    {FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights.nan_to_num()"},
    # A mask of True that is made where none was given hides everything.
    {
        "if mask is not None:\n        scores =": "if mask is None:\n        mask = torch.ones_like(scores, dtype=torch.bool)\n    if mask is not None:\n        scores =",
        FILL: 'scores.masked_fill(mask, float("-inf"))',
        ZERO: "weights.nan_to_num()",
    },
    # At the beginning, so that it goes together with every other mistake in the use of the mask.
    {f"scores = {SCORES}": f"mask = mask if mask is None else ~mask\n    scores = {SCORES}"},
)

scaled_dot_product_attention.mistake(
    "mask read in two ways",
    "Your mask is read in two ways: in one place True hides, in the other it shows. What the softmax was allowed to read is set to 0 afterwards, so "
    "nothing is left. True means "
    '"may look" in both places: fill the scores where `~mask`, and zero the weights where `~mask`.',
    {FILL: 'scores.masked_fill(mask, float("-inf"))'},
    {FILL: "scores.masked_fill(mask, -1e9)"},
    {ZERO: "weights.masked_fill(mask, 0.0)"},
    {FILL: "scores.masked_fill(~mask, -1e9)", ZERO: "weights.masked_fill(mask, 0.0)"},
    {FILL: 'scores.masked_fill(mask, float("-inf"))', ZERO: "weights.masked_fill(~mask, 0.0).nan_to_num()"},
)

scaled_dot_product_attention.mistake(
    "0 · inf",
    "Your mask is multiplied by infinity, and 0 · inf is NaN: the scores that should stay as they are become NaN. Fill instead of multiplying: "
    '`scores.masked_fill(~mask, float("-inf"))`.',
    {FILL: 'scores + ~mask * float("-inf")', ZERO: "weights"},
    {FILL: 'scores + ~mask * float("-inf")'},
)

scaled_dot_product_attention.mistake(
    "mask ignored",
    "Your mask changes nothing: your numbers are those of attention without a mask. Either it is not used, or what it gives is not kept: "
    "`scores.masked_fill(...)` "
    "returns a new tensor and leaves `scores` as it is.",
    {FILL: "scores", ZERO: "weights"},
)

scaled_dot_product_attention.mistake(
    "mask applied only to what is returned",
    "Your output was made before the mask came. The weights you return look masked, the output is not. Mask the scores first.",
    {
        FILL: "scores",
        ZERO: "weights",
        RETURN: "return output, weights if mask is None else weights.masked_fill(~mask, 0.0)",
    },
)

scaled_dot_product_attention.mistake(
    "masked scores set to 0",
    "Your mask sets scores to 0. Zero is a score like any other: e⁰ = 1, so what is hidden still gets its share, often a larger one "
    "than before. What may not be read needs a score of -inf. (A fill of 1e-9, where -1e9 was meant, is the same slip.)",
    {FILL: "scores * mask", ZERO: "weights"},
    {FILL: "scores * mask"},
)

scaled_dot_product_attention.mistake(
    "mask added to the scores",
    "Your mask is added to the scores. Added as numbers, True raises a score by 1 and False leaves it: nothing is hidden. Masks of 0 and -inf are made "
    "to be added; a boolean mask says where to fill in -inf.",
    {FILL: "scores + mask", ZERO: "weights"},
)

scaled_dot_product_attention.mistake(
    "-1 as fill",
    "Your masked scores are set to a small negative number, and e⁻¹ is still 0.37. Whatever is hidden keeps a share of the weight. "
    "Use -inf: its exponential is exactly 0.",
    {FILL: "scores.masked_fill(~mask, -1.0)", ZERO: "weights"},
    *(
        edit(
            {FILL: low, ZERO: "weights"},
            says="What is hidden is only lowered by 10 or set to -10, and e⁻¹⁰ is still 0.00005: where the other scores are low too, it is read. Use -inf: its exponential is exactly 0.",
        )
        for low in ("scores.masked_fill(~mask, -10.0)", "scores + ~mask * -10.0")
    ),
)

scaled_dot_product_attention.mistake(
    "-1e9 as fill",
    "Your fill is a large negative number, and a query that may look at nothing looks at everything: all its scores are equally low, and a softmax "
    "depends only on the differences between scores. Set masked weights to 0 after the softmax; then such a row is zero.",
    {FILL: "scores.masked_fill(~mask, -1e9)", ZERO: "weights"},
    {FILL: "scores + (~mask) * -1e9", ZERO: "weights"},
    {FILL: "scores + (~mask) * -1e4", ZERO: "weights"},
    {FILL: "scores.masked_fill(~mask, -1e4)", ZERO: "weights"},
    {FILL: "scores.masked_fill(~mask, -100.0)", ZERO: "weights"},
)

HUGE = (
    "Your masked scores are set to a huge positive number, so what should be hidden gets the highest scores and all the weight. A minus is missing: "
    'fill with `float("-inf")`, which vanishes in the softmax.'
)
scaled_dot_product_attention.mistake(
    "+inf as fill",
    "Your masked scores are set to +inf, so what should be hidden gets the highest scores, and the softmax of infinity is NaN. The exponential of minus "
    'infinity is 0: `float("-inf")`.',
    {FILL: 'scores.masked_fill(~mask, float("inf"))'},
    {FILL: 'scores.masked_fill(~mask, float("inf"))', ZERO: "weights"},
    edit(
        {FILL: 'scores.masked_fill(~mask, float("inf"))', ZERO: "weights.nan_to_num(0.0)"},
        says="Your masked scores are set to +inf, and the softmax of infinity is NaN. Turning NaN into 0 afterwards leaves no weight at all to a query from which anything is hidden. The exponential of minus infinity is 0: "
        '`float("-inf")`.',
    ),
    edit({FILL: "scores.masked_fill(~mask, 1e9)"}, says=HUGE),
    edit({FILL: "scores.masked_fill(~mask, 1e9)", ZERO: "weights"}, says=HUGE),
    edit({FILL: "scores + ~mask * 1e9"}, says=HUGE),
    edit({FILL: "scores + ~mask * 1e9", ZERO: "weights"}, says=HUGE),
)

scaled_dot_product_attention.mistake(
    "works only with a mask",
    "Your code needs a mask. `mask` is None when nothing is to be hidden, and None can be neither inverted nor filled with. Do the "
    "masking under `if mask is not None:`.",
    {"if mask is not None:\n        scores =": "if True:\n        scores ="},
    # None has no methods either, and says so with another exception.
    {
        "if mask is not None:\n        scores =": "if True:\n        scores =",
        FILL: 'scores.masked_fill(mask.logical_not(), float("-inf"))',
    },
)

scaled_dot_product_attention.mistake(
    "NaN on fully masked rows",
    "A query that may look at nothing becomes NaN. All its scores are -inf, and the softmax divides 0 by 0. One such row, in a sentence of padding "
    "only, makes the loss of the whole batch NaN. Set masked weights to 0 after the softmax, before they meet the values, by `masked_fill`: a product, "
    "`weights * mask`, leaves them as they are, as NaN · 0 is NaN.",
    {ZERO: "weights"},
    {ZERO: "weights * mask"},
    {ZERO: "weights", RETURN: "return output, weights if mask is None else weights.masked_fill(~mask, 0.0)"},
    {ZERO: "weights", RETURN: "return output.nan_to_num(), weights"},
)

HALF_ZEROED = "{} of a query that may look at nothing {} not 0. Both are: set the weights to 0 where the mask is False, after the softmax, and make the output of these weights."
scaled_dot_product_attention.mistake(
    "only one of the two results zeroed",
    HALF_ZEROED.format("The weights", "are"),
    {
        FILL: "scores.masked_fill(~mask, -1e9)",
        ZERO: "weights",
        OUTPUT: "(weights if mask is None else weights * mask) @ v",
    },
    edit(
        {
            FILL: "scores.masked_fill(~mask, -1e9)",
            ZERO: "weights",
            RETURN: "return output, weights if mask is None else weights * mask",
        },
        says=HALF_ZEROED.format("The output", "is"),
    ),
)

scaled_dot_product_attention.mistake(
    "weights zeroed after the softmax",
    "Your mask acts only after the softmax. The hidden weights are 0, but the softmax still gave the hidden keys their share, so the other weights no "
    "longer sum to 1. Fill the scores with -inf before the softmax; then it shares out the whole weight among the visible keys.",
    {FILL: "scores"},
)

scaled_dot_product_attention.mistake(
    "mask over queries",
    "Your mask hides queries instead of keys. Rows ask, columns are read: query i may look at key j where mask[i, j] is True. Look "
    "for a transpose of the mask, or for a dimension that was added in the wrong place.",
    {
        FILL: 'scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))',
        ZERO: "weights.masked_fill(~mask.transpose(-2, -1), 0.0)",
    },
    {f"scores = {SCORES}": f"mask = mask if mask is None else mask.transpose(-2, -1)\n    scores = {SCORES}"},
    {FILL: 'scores.masked_fill(~mask.transpose(-2, -1), float("-inf"))', ZERO: "weights"},
)

MASK_IN_PLACE = (
    "Your code writes into the mask it was given. The same mask serves every layer, and the second layer would get a changed mask. "
    "`mask.logical_not_()` writes into the mask, `~mask` makes a new one."
)
scaled_dot_product_attention.mistake(
    "writes into the mask",
    MASK_IN_PLACE,
    {FILL: 'scores.masked_fill(mask.logical_not_(), float("-inf"))', ZERO: "weights.masked_fill(mask, 0.0)"},
)

# Masks for torch ----------------------------------------------------------------------------

EXPANDED = "mask.expand(-1, num_heads, -1, -1)"
INVERTED_HEADS = "~per_head"
JOINED = ".flatten(0, 1)"

to_torch_mask.mistake(
    "not inverted",
    'Your mask still means "may look" by True. nn.MultiheadAttention takes True for "may not look". It would raise no error and read exactly what '
    "should be hidden. Invert it with `~`.",
    {INVERTED_HEADS: "per_head"},
    edit(
        {INVERTED_HEADS: "(~per_head if mask.size(1) == 1 else per_head)"},
        says="Your mask is inverted only where one mask serves all heads. A mask that has num_heads heads already means the opposite too: invert it in both cases.",
    ),
    edit(
        {INVERTED_HEADS: "(per_head if mask.size(1) == 1 else ~per_head)"},
        says="Your mask is inverted only where every head has a mask of its own. A mask that serves all heads is not inverted, or is inverted twice, which gives what it was. Invert once, in both cases.",
    ),
)

to_torch_mask.mistake(
    "heads not repeated",
    "Your mask is there once for each sequence, not once for each head. nn.MultiheadAttention needs batch · num_heads masks: expand the second "
    "dimension before you join it with the first.",
    {EXPANDED: "mask"},
    {EXPANDED: "mask", JOINED: ".squeeze(1)"},
)

to_torch_mask.mistake(
    "heads before batch",
    "Your masks are in the wrong order: the heads come first and the batch inside them. nn.MultiheadAttention expects all heads of the first sequence, "
    "then all heads of the second. In your order sequences get each other's masks, and no error shows it.",
    {JOINED: ".transpose(0, 1).flatten(0, 1)"},
    {EXPANDED: "mask.repeat(num_heads // mask.size(1), 1, 1, 1)"},
    {EXPANDED: "mask.repeat(num_heads, 1, 1, 1)"},
    {EXPANDED: "mask.squeeze(1).repeat(num_heads, 1, 1)", JOINED: ""},
)

to_torch_mask.mistake(
    "four dimensions left",
    "Your mask has four dimensions. nn.MultiheadAttention expects three, with batch and heads in one: `flatten(0, 1)`.",
    {JOINED: ""},
)

to_torch_mask.mistake(
    "0 and -inf instead of booleans",
    "Your mask is made to be added to scores: it holds 0 and -inf. nn.MultiheadAttention takes such masks too, but here a boolean mask is asked for, "
    "True where a query may not look.",
    {
        "~per_head.flatten(0, 1)": 'torch.zeros(per_head.flatten(0, 1).shape).masked_fill(~per_head.flatten(0, 1), float("-inf"))'
    },
)

to_torch_mask.mistake(
    "numbers instead of booleans",
    "Your mask holds numbers, not booleans. nn.MultiheadAttention adds a mask of numbers to the scores: a score rises by 1 where nothing may be read, "
    "and nothing is hidden. `~` inverts a boolean mask and leaves it boolean.",
    {"~per_head.flatten(0, 1)": "(~per_head.flatten(0, 1)).float()"},
    {"~per_head.flatten(0, 1)": "(~per_head.flatten(0, 1)).long()"},
)

to_torch_mask.mistake(
    "first head's mask for all",
    "Every head gets the first head's mask. Where the mask holds a mask for every head, each head keeps its own; only a dimension of size 1 is expanded.",
    {EXPANDED: "mask[:, :1].expand(-1, num_heads, -1, -1)"},
)

to_torch_mask.mistake(
    "one mask for all heads",
    "All heads get one and the same mask. Where the mask holds a mask for every head, each head keeps its own; only a dimension of size 1 is expanded.",
    *(
        {EXPANDED: f"mask{one}.expand(-1, num_heads, -1, -1)"}
        for one in (".any(1, keepdim=True)", ".all(1, keepdim=True)", "[:, -1:]")
    ),
)

to_torch_mask.mistake(
    "heads joined with queries",
    "The heads share a dimension with the queries. They share one with the batch: the first dimension has batch · num_heads masks, each with one row for each query. Look at which two dimensions you "
    "join, and along which you repeat.",
    {JOINED: ".flatten(1, 2)"},
    {EXPANDED: "mask.repeat(1, 1, num_heads, 1)"},
    {EXPANDED: "(mask.repeat(1, 1, num_heads, 1) if mask.size(1) == 1 else mask)"},
)

to_torch_mask.mistake(
    "first sequence's mask for all",
    "Every sequence gets the first sequence's mask. Sequences of a batch are padded differently, so each needs its own mask.",
    {EXPANDED: "mask[:1].expand(mask.size(0), num_heads, -1, -1)"},
)

to_torch_mask.mistake(
    "heads' own masks repeated",
    "A mask that already has num_heads heads is repeated again. Only a second dimension of size 1 needs copies; `expand` leaves any other size alone.",
    {EXPANDED: "mask.repeat_interleave(num_heads, dim=1)"},
    {EXPANDED: "mask.repeat(1, num_heads, 1, 1)"},
    {EXPANDED: "mask.repeat_interleave(num_heads, dim=0)", JOINED: ".squeeze(1)"},
)

to_torch_mask.mistake(
    "queries and keys exchanged",
    "Your mask has keys in rows and queries in columns. This course and PyTorch agree here: queries in rows, keys in columns.",
    {JOINED: ".flatten(0, 1).transpose(-2, -1)"},
)

to_torch_mask.mistake(
    "writes into the mask",
    MASK_IN_PLACE,
    {EXPANDED: "mask.logical_not_().expand(-1, num_heads, -1, -1)", INVERTED_HEADS: "per_head"},
    # What was repeated is a copy, and only a mask that has all its heads is written into.
    {
        EXPANDED: "(mask.repeat(1, num_heads, 1, 1) if mask.size(1) == 1 else mask)",
        INVERTED_HEADS: "per_head.logical_not_()",
    },
)
