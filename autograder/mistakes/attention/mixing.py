"""Wrong ways of mixing values by what the scores give."""

from autograder.checks.attention import scaled_dot_product_attention
from autograder.mistakes.attention.scores import PRODUCT
from autograder.probing.mistake import edit

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
    "a result transposed",
    "The weights you return are transposed. Row i holds how much query i reads of each key: shape (..., query_len, key_len).",
    {"    return ": "    weights = weights.transpose(-2, -1)\n    return "},
    edit(
        {"    return ": "    output = output.transpose(-2, -1)\n    return "},
        says="Your output is transposed. Row i is what query i has read, as wide as the values: shape (..., query_len, d_value).",
    ),
)

scaled_dot_product_attention.mistake(
    "a query is left out",
    "A query has no row, the first or the last. Every query gets an output and its weights. If you go through the queries in a loop, look at where it begins and ends.",
    *(
        {
            "    return ": f"    output, weights = (torch.stack(rows.unbind(-2)[{kept}], dim=-2) for rows in (output, weights))\n    return "
        }
        for kept in ("1:", ":-1")
    ),
)

scaled_dot_product_attention.mistake(
    "weights averaged over heads",
    "The weights you return are a mean over a dimension in front. nn.MultiheadAttention averages its weights over the heads unless told otherwise. Here every head keeps its own: shape (..., query_len, key_len).",
    {"    return ": "    weights = weights.mean(1)\n    return "},
    {"    return ": "    weights = weights.mean(-3)\n    return "},
)

scaled_dot_product_attention.mistake(
    "output scaled",
    "Your output is divided by a root as well. The weights sum to 1, so the output is as large as the values are. Only scores are divided, by √d_head.",
    {"    return ": "    output = output / math.sqrt(v.size(-1))\n    return "},
    {"    return ": "    output = output / math.sqrt(q.size(-1))\n    return "},
)

scaled_dot_product_attention.mistake(
    "softmax of the output",
    "Your output goes through a softmax. The softmax makes weights of scores; what the weights mix is the result, and it may hold any numbers.",
    {"    return ": "    output = torch.softmax(output, dim=-1)\n    return "},
)

BEST = "torch.nn.functional.one_hot(scores.argmax(dim=-1), scores.size(-1)).to(scores)"
scaled_dot_product_attention.mistake(
    "only the best key is read",
    "Your weights are 1 for the best key and 0 for all others. Which key is best has no gradient, so queries and keys would never learn. A softmax gives most to the best key and something to the others.",
    {SOFTMAX: BEST},
    edit(
        {SOFTMAX: BEST, ZERO: "weights"},
        says="Your weights are 1 for the best key and 0 for all others, and a query that may look at nothing reads some key as well. Which key is best has no gradient, so queries and keys would never learn. A softmax gives most to the best key and something to the others.",
    ),
)

scaled_dot_product_attention.mistake(
    "causal where no mask is given",
    "Without a mask your code hides what comes later. None hides nothing: whoever wants a causal mask gives one.",
    *(
        {
            "    scores = attention": f"    if mask is None{where}:\n        mask = torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).tril()\n    scores = attention"
        }
        for where in ("", " and q.size(-2) == k.size(-2)")
    ),
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
    {"    return ": "    weights = weights.detach()\n    return "},
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
    {
        f"scores = {SCORES}": f"mask = torch.zeros(q.size(-2), k.size(-2), dtype=torch.bool) if mask is None else ~mask\n    scores = {SCORES}"
    },
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

ROWS = "if k.size(-2) != v.size(-2):"
KIND = "if mask is not None and mask.dtype != torch.bool:"
AS_GIVEN = "Raise a ValueError, as the given lines did."
LOOSE_KEYS = "another number of values than of keys is not refused. Every key needs a value; without the check another error comes later and says less, or some keys are left out in silence."
LOOSE_MASK = "a mask of numbers is not refused. Made to be added to the scores, it holds 0 where a query may look, and a boolean mask True: taken for each other, they hide the wrong keys."
scaled_dot_product_attention.mistake(
    "arguments that do not fit are not refused",
    f"Neither other numbers of values than of keys nor masks of numbers are refused. Another error comes later and says less, or none, and the wrong keys are hidden. {AS_GIVEN}",
    {ROWS: "if False:", KIND: "if False:"},
    *(
        edit({line: "if False:" if more is None else more}, says=f"{says[0].upper()}{says[1:]} {AS_GIVEN}")
        for line, says, more in (
            (ROWS, LOOSE_KEYS, None),
            (KIND, LOOSE_MASK, None),
            (KIND, LOOSE_MASK, "if mask is not None and mask.is_floating_point():"),
        )
    ),
)
