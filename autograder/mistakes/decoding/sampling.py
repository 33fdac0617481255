"""Wrong ways of making the distribution of the next token, and of drawing from it."""

from autograder.checks.decoding import next_token_probs, sample_next
from autograder.probing.mistake import edit

# next_token_probs ----------------------------------------------------------------------------

REFUSAL = "if not temperature > 0:"
DIVIDED = "logits = logits / temperature"
CUT_K = 'logits = logits.masked_fill(logits < best[..., -1:], float("-inf"))'
SOFTMAX = "probs = logits.softmax(dim=-1)"
CUT_P = "kept = ordered.masked_fill(before >= top_p, 0.0)"
# The order was found before anything was cut.
BY_SCORES = {
    DIVIDED: f"{DIVIDED}\n    order = logits.argsort(dim=-1, descending=True)",
    "probs.sort(dim=-1, descending=True)": "probs.gather(-1, order), order",
}
UNSORTED = "probs = torch.zeros_like(probs).scatter(-1, tokens, kept)"
RENORM = "probs = probs / probs.sum(dim=-1, keepdim=True)"
NO_NAN = "probs = (probs / probs.sum(dim=-1, keepdim=True)).nan_to_num()"  # where nothing is left, nothing comes back

next_token_probs.mistake(
    "multiplied by the temperature",
    "You multiply by the temperature. Then a high temperature makes the distribution sharper, and a low temperature makes it flatter. It should be the "
    "opposite: divide the scores by the temperature.",
    {DIVIDED: "logits = logits * temperature"},
)

next_token_probs.mistake(
    "the temperature changes nothing",
    "The temperature changes nothing. Divide the scores by it, *before* the softmax: dividing probabilities by a number and making them sum to 1 again "
    "changes nothing.",
    {DIVIDED: ""},
)

next_token_probs.mistake(
    "probabilities divided by the temperature",
    "The temperature divides the probabilities. They do not sum to 1 any more, and their ratios are as before, so nothing has become sharper. Divide "
    "the scores, before the softmax.",
    {DIVIDED: "", SOFTMAX: "probs = logits.softmax(dim=-1) / temperature"},
)

next_token_probs.mistake(
    "the token that crosses top_p is cut",
    "The token that crosses top_p is cut. It should stay: only with this token does the set reach top_p. Otherwise, where a single token has more than "
    "top_p, nothing at all would be left. "
    "Look at what stands *before* each token, without its own share.",
    {CUT_P: "kept = ordered.masked_fill(before + ordered > top_p, 0.0)"},
    {CUT_P: "kept = ordered.masked_fill(before + ordered >= top_p, 0.0)"},
    # Added and taken off, a share leaves rounding behind: at top_p = 1 the shorter way of writing it gives something else.
    {"ordered.cumsum(dim=-1) - ordered": "ordered.cumsum(dim=-1)"},
    {"ordered.cumsum(dim=-1) - ordered": "ordered.cumsum(dim=-1)", RENORM: NO_NAN},
    {"ordered.cumsum(dim=-1) - ordered": "ordered.cumsum(dim=-1)", CUT_P: CUT_P.replace(">=", ">")},
    {CUT_P: "kept = ordered.masked_fill((before + ordered > top_p) & (before > 0), 0.0)"},
    {CUT_P: "kept = ordered.masked_fill((before + ordered >= top_p) & (before > 0), 0.0)"},
)

next_token_probs.mistake(
    "one token too many for top_p",
    "One token too many stays. With the token that crosses top_p the set already has top_p; the next token has to be cut. A mask that was shifted by "
    "one place twice does this.",
    {CUT_P: "kept = ordered.masked_fill(before - torch.nn.functional.pad(ordered, (1, 0))[..., :-1] >= top_p, 0.0)"},
)

next_token_probs.mistake(
    "one token too many where top_p is met exactly",
    "Where a few tokens together have exactly top_p, one token more stays. With two halves and top_p = 0.5 the first is enough. Cut a token when those "
    "before it have top_p *or more*: `>=`, not `>`. Some much used code has `>`.",
    {CUT_P: CUT_P.replace(">=", ">")},
)

next_token_probs.mistake(
    "top_p before the temperature",
    "top_p goes by the probabilities that a temperature of 1 would give. It should use the probabilities that temperature and top_k have left: a high "
    "temperature makes the set larger.",
    {DIVIDED: "", "return probs": "return (probs.log() / temperature).softmax(dim=-1)"},
)

next_token_probs.mistake(
    "one token too many for top_k",
    "top_k + 1 tokens stay. Cut all scores below the k-th; the k-th score itself stays.",
    {"min(top_k, logits.size(-1))": "min(top_k + 1, logits.size(-1))"},
)

next_token_probs.mistake(
    "equal scores counted once",
    "Tokens of equal scores count as one for top_k, so more than top_k tokens stay. Two tokens whose scores are the same are two: sort the scores, or take `topk`; `unique` leaves out what stands there twice.",
    {
        "logits.topk(min(top_k, logits.size(-1)), dim=-1).values": "torch.stack([row.unique().flip(0)[:top_k][-1:] for row in logits.reshape(-1, logits.size(-1))]).reshape(*logits.shape[:-1], 1)"
    },
)

next_token_probs.mistake(
    "a top_k below 1 is not refused",
    "A top_k below 1 is accepted. With 0 there would be nothing to draw from, so such a top_k is a mistake of the caller: raise a ValueError, as the "
    "given lines did.",
    {"if top_k is not None and top_k < 1:": "if False:"},
    {
        "if top_k is not None and top_k < 1:": "if top_k and top_k < 1:",
        "if top_k is not None:\n        best": "if top_k:\n        best",
    },
    {
        "if top_k is not None and top_k < 1:": "if False:",
        "if top_k is not None:\n        best": "if top_k and top_k > 0:\n        best",
    },
    {"if top_k is not None and top_k < 1:": "if top_k and top_k < 1:"},
)

next_token_probs.mistake(
    "a top_p out of range is not refused",
    "A top_p outside its range is accepted. top_p is a share, above 0 and at most 1. Raise a ValueError for any other number, as the given lines did.",
    {"if top_p is not None and not 0 < top_p <= 1:": "if False:"},
    {"not 0 < top_p <= 1": "not 0 <= top_p <= 1"},
    {"not 0 < top_p <= 1": "not 0 < top_p"},
)

next_token_probs.mistake(
    "a top_p of 1 is refused",
    "A top_p of 1 is refused. It is allowed, and cuts nothing.",
    {"not 0 < top_p <= 1": "not 0 < top_p < 1"},
)

next_token_probs.mistake(
    "no renormalising after top_k",
    "After top_k the probabilities do not sum to 1. The probabilities that were cut are missing from the sum, so the others have to grow. Set the cut "
    "*scores* to -inf before the softmax; then the softmax does this.",
    {
        CUT_K: "",
        SOFTMAX: SOFTMAX
        + "\n    if top_k is not None:\n        probs = probs.masked_fill(logits < best[..., -1:], 0.0)",
    },
)

next_token_probs.mistake(
    "no renormalising after top_p",
    "After top_p the probabilities do not sum to 1. `torch.multinomial` accepts that, but it is not a distribution: the probabilities are too small. "
    "Divide by their sum.",
    {RENORM: ""},
)

WEIGHTS = "(logits - logits.amax(dim=-1, keepdim=True)).exp()"

next_token_probs.mistake(
    "top_p keeps the best alone",
    "Whatever top_p is, only the most probable token is left. Every token up to the one that crosses top_p belongs to the set. Where exponentials are added up that do not sum to 1 yet, the first of them is enough to reach any top_p: divide by their sum before.",
    {CUT_P: "kept = ordered * (torch.arange(ordered.size(-1)) == 0)"},
    {SOFTMAX: f"probs = {WEIGHTS}", "return probs": "return probs / probs.sum(dim=-1, keepdim=True)"},
)

next_token_probs.mistake(
    "the softmax overflows",
    "Where scores are large, all is NaN; where all are far below 0, too. e¹⁰⁰ is more than float32 can hold, and e⁻¹⁰⁰⁰ is 0. `softmax` takes the largest score off first.",
    {SOFTMAX: "probs = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)"},
    {
        CUT_K: "",
        SOFTMAX: "probs = logits.exp()\n    if top_k is not None:\n        probs = probs * (logits >= best[..., -1:])\n    probs = probs / probs.sum(dim=-1, keepdim=True)",
    },
)

ALIKE = {
    DIVIDED: f"{DIVIDED}\n    left = torch.ones_like(logits, dtype=torch.bool)",
    CUT_K: f"left = logits >= best[..., -1:]\n        {CUT_K}",
    RENORM: "left = left & torch.zeros_like(left).scatter(-1, tokens, before < top_p)",
    "return probs": "return left / left.sum(dim=-1, keepdim=True)",
}
next_token_probs.mistake(
    "every token alike",
    "Every token that is left gets the same probability. They keep the probabilities that they have, divided by their sum.",
    ALIKE,
    edit(
        {CUT_P: "kept = (before < top_p).to(probs.dtype)"},
        says="With top_p every token that is left gets the same probability. They keep the probabilities that they have, divided by their sum.",
    ),
    {"return probs": "return (probs > 0) / (probs > 0).sum(dim=-1, keepdim=True)"},
)

next_token_probs.mistake(
    "another shape than the scores have",
    "What comes back has another shape than the scores. There is one probability for every score, whatever dimensions stand in front: the shape of `logits`.",
    {"return probs": "return probs.reshape(-1, probs.size(-1))"},
    {"return probs": "return probs.flatten()"},
    {"return probs": "return probs.squeeze()"},
)

FIRST_ORDER = (
    f"{DIVIDED}\n    order = logits.reshape(-1, logits.size(-1))[0].argsort(descending=True).expand_as(logits)"
)
next_token_probs.mistake(
    "the first row stands for all",
    "What is cut in the first row decides for all rows. Every row has a k-th score and an order of its own: keep the dimension, `[..., -1:]`.",
    {"best[..., -1:]": "best.reshape(-1)[min(top_k, logits.size(-1)) - 1]"},
    edit(
        {
            DIVIDED: FIRST_ORDER,
            "logits.topk(min(top_k, logits.size(-1)), dim=-1).values": "logits.gather(-1, order)[..., : min(top_k, logits.size(-1))]",
            "probs.sort(dim=-1, descending=True)": "probs.gather(-1, order), order",
        },
        says="The tokens of every row are put into the order of the first row. Every row has an order of its own: sort each.",
    ),
    edit(
        {DIVIDED: FIRST_ORDER, "probs.sort(dim=-1, descending=True)": "probs.gather(-1, order), order"},
        says="For top_p the tokens of every row are put into the order of the first row. Every row has an order of its own: sort each.",
    ),
)

next_token_probs.mistake(
    "divided by the sum of all rows",
    "After top_p you divide by the sum of all rows together. Each row is a distribution of its own and has to sum to 1 by itself: `sum(dim=-1, keepdim=True)`.",
    {RENORM: "probs = probs / probs.sum()"},
)

next_token_probs.mistake(
    "left in sorted order",
    "The probabilities come back sorted. After top_p the first number is the largest, whichever token it belongs to. Undo the sorting: put every number where its token stands.",
    {UNSORTED: "probs = kept"},
    edit(
        {UNSORTED: "probs = probs.masked_fill(before >= top_p, 0.0)"},
        says="What is cut was found in sorted order, and is cut in the order of the vocabulary. So it hits tokens that have nothing to do with it: with two tokens to keep, those of ids 0 and 1 stay. Undo the sorting first: "
        "`torch.zeros_like(mask).scatter(-1, tokens, mask)` puts every True and False where its token stands.",
    ),
    # Sorted at once, whatever is cut.
    {"return probs": "return probs.sort(dim=-1, descending=True).values"},
)

next_token_probs.mistake(
    "sorting undone the wrong way",
    "You undo the sorting with the order that made it. `gather(-1, tokens)` applies the same order again: a permutation is undone by its inverse. "
    "`scatter(-1, tokens, kept)` puts the number of rank i where token "
    "tokens[i] stands.",
    {UNSORTED: "probs = kept.gather(-1, tokens)"},
    {UNSORTED: "probs = probs.masked_fill((before >= top_p).gather(-1, tokens), 0.0)"},
    *(
        BY_SCORES | {UNSORTED: wrong} | more
        for wrong in (
            "probs = probs.masked_fill((before >= top_p).gather(-1, tokens), 0.0)",
            "probs = kept.gather(-1, tokens)",
        )
        for more in ({}, {RENORM: NO_NAN})
    ),
    {
        DIVIDED: f"order = logits.argsort(dim=-1, descending=True)\n    {DIVIDED}",
        "return probs": "return probs.gather(-1, order).gather(-1, order)",
    },
)

next_token_probs.mistake(
    "the most probable are cut",
    "You add up from the smallest. Then the tail fills top_p, and the most probable tokens are cut. Sort with `descending=True`.",
    {"probs.sort(dim=-1, descending=True)": "probs.sort(dim=-1)"},
    edit(
        {
            "min(top_k, logits.size(-1)), dim=-1)": "min(top_k, logits.size(-1)), dim=-1, largest=False)",
            "probs.sort(dim=-1, descending=True)": "probs.sort(dim=-1)",
        },
        says="Your tokens are sorted from the smallest. top_k then cuts below the k-th *smallest* score, and the tail fills top_p. Sort with `descending=True`.",
    ),
    edit(
        {
            "min(top_k, logits.size(-1)), dim=-1)": "min(top_k, logits.size(-1)), dim=-1, largest=False)",
            "logits < best[..., -1:]": "logits > best[..., -1:]",
            "probs.sort(dim=-1, descending=True)": "probs.masked_fill(probs == 0, 2.0).sort(dim=-1).indices",
            "ordered, tokens = ": "tokens = ",
            "before = ": "ordered = probs.gather(-1, tokens)\n        before = ",
        },
        says="Your tokens are sorted from the smallest. top_k then keeps the tokens of the *lowest* scores, and top_p begins with the least probable. Sort with `descending=True`.",
    ),
)

next_token_probs.mistake(
    "each token is measured by itself",
    "Each token is measured by its own probability. Whether a token stays depends on what all *more probable* tokens have together. Measured by its own "
    "probability, hardly any token could stay with top_p=0.9.",
    {CUT_P: "kept = ordered.masked_fill((ordered < top_p) & (before > 0), 0.0)"},
    {CUT_P: "kept = ordered.masked_fill(ordered < top_p, 0.0)"},
)

next_token_probs.mistake(
    "cut tokens get a score of 0",
    "What top_k cuts gets a score of 0. 0 is a score like any other, and often a good one: e⁰ is 1. Only a score of -inf gets the probability 0.",
    {CUT_K: "logits = logits.masked_fill(logits < best[..., -1:], 0.0)"},
    {CUT_K: "logits = logits.masked_fill(logits < best[..., -1:], 0.0)", **BY_SCORES},
)

next_token_probs.mistake(
    "one token too few for top_k",
    "top_k - 1 tokens stay. The k-th best token belongs to the set: cut scores that are *smaller* than the k-th score, not the k-th score itself.",
    {CUT_K: 'logits = logits.masked_fill((logits <= best[..., -1:]) & (logits < best[..., :1]), float("-inf"))'},
    {CUT_K: 'logits = logits.masked_fill(logits <= best[..., -1:], float("-inf"))'},
    edit(
        {
            "logits.topk(min(top_k, logits.size(-1)), dim=-1).values": "logits.sort(dim=-1, descending=True).values",
            "best[..., -1:]": "best[..., min(top_k, logits.size(-1)) - 2].unsqueeze(-1)",
        },
        says="Of the sorted scores you take the one at top_k - 2. Counted from 0 the k-th stands at top_k - 1; and top_k = 1 gives -1, the smallest of all, so that nothing is cut.",
    ),
    {
        CUT_K: 'logits = logits.masked_fill(logits <= best[..., -1:], float("-inf"))',
        SOFTMAX: SOFTMAX + ".nan_to_num()",
        RENORM: NO_NAN,
    },
)

next_token_probs.mistake(
    "top_k cuts nothing",
    "top_k changes nothing: every token can still be drawn. What is not asked for does that, and so does a `masked_fill` whose result is not kept. The scores below the k-th become -inf, in the scores that the softmax reads.",
    {CUT_K: "pass"},
)

next_token_probs.mistake(
    "top_p cuts nothing",
    "top_p changes nothing: every token can still be drawn. What is not asked for does that, and so does a `masked_fill` whose result is not kept. What has top_p or more before it becomes 0, in the probabilities that are returned.",
    {CUT_P: "kept = ordered"},
)

next_token_probs.mistake(
    "top_k keeps the best alone",
    "Only the best token is left, whatever top_k is. Of the top_k best scores the *last* is the measure, `[..., -1:]`; the first is the best of all, and every other lies below it.",
    {"best[..., -1:]": "best[..., :1]"},
)

next_token_probs.mistake(
    "top_k cuts the best",
    "top_k cuts the best tokens, and leaves the others. Cut what is *smaller* than the k-th score.",
    {"logits < best[..., -1:]": "logits > best[..., -1:]"},
    edit(
        {"logits < best[..., -1:]": "logits >= best[..., -1:]"},
        says="top_k cuts the top_k best tokens, and leaves the others. Where there are no others nothing is left, and all is NaN. Cut what is *smaller* than the k-th score.",
    ),
    edit(
        {
            "min(top_k, logits.size(-1)), dim=-1)": "min(top_k, logits.size(-1)), dim=-1, largest=False)",
            "logits < best[..., -1:]": "logits > best[..., -1:]",
        },
        says="top_k keeps the tokens of the *lowest* scores. `topk` gives the largest unless told otherwise, and what is smaller than the k-th of these is cut.",
    ),
)

next_token_probs.mistake(
    "top_k along the batch",
    "top_k looks along the batch. There it compares what several texts have for one token. Those that compete are the tokens of one row: `topk(k, dim=-1)`.",
    {
        "logits.topk(min(top_k, logits.size(-1)), dim=-1).values": "logits.topk(min(top_k, logits.size(0)), dim=0).values",
        "best[..., -1:]": "best[-1:]",
    },
)

next_token_probs.mistake(
    "an order taken for ranks",
    "An order is taken for ranks. `argsort` says which token has the first rank, the second, and so on; you read it as the rank that each token has. The `argsort` of that order gives the ranks.",
    {CUT_K: 'logits = logits.masked_fill(logits.argsort(dim=-1, descending=True) >= top_k, float("-inf"))'},
)

next_token_probs.mistake(
    "not sorted before top_p",
    "top_p adds up in the order of the vocabulary. What stands before a token there are those with smaller ids, however probable. Sort first, the most probable in front.",
    {
        "probs.sort(dim=-1, descending=True)": "probs, torch.arange(probs.size(-1)).expand_as(probs)",
    },
)

next_token_probs.mistake(
    "top_p cuts what should stay",
    "top_p cuts the most probable tokens, and leaves the tail. Your mask is True for those that have *less* than top_p before them, and these should stay.",
    {CUT_P: CUT_P.replace(">=", "<")},
)

next_token_probs.mistake(
    "top_p taken for the share to be cut",
    "You compare with 1 - top_p. top_p is the share that stays: 0.9 keeps nine tenths and cuts the tail.",
    {CUT_P: CUT_P.replace("top_p", "1 - top_p")},
    {CUT_P: "kept = ordered.masked_fill(before + ordered > 1 - top_p, 0.0)"},
    {CUT_P: "kept = ordered.masked_fill(before > 1 - top_p, 0.0)"},
    {CUT_P: "kept = ordered.masked_fill((before + ordered > 1 - top_p) & (before > 0), 0.0)"},
)

next_token_probs.mistake(
    "nothing is left where one token has top_p",
    "Where one token has top_p by itself, nothing is left, and all is NaN. That token crosses top_p, so it stays. In code that shifts a mask by one place, the first place has to be set to False.",
    {CUT_P: "kept = ordered.masked_fill((before >= top_p) | (ordered[..., :1] >= top_p), 0.0)"},
    {CUT_P: "kept = ordered.masked_fill((before > top_p) | (ordered[..., :1] > top_p), 0.0)"},
)

next_token_probs.mistake(
    "divided by top_p",
    "After top_p you divide by top_p. What is left has *at least* top_p together, mostly more, so the result sums to more than 1. Divide by what is left: the sum.",
    {RENORM: "probs = probs / top_p"},
)

next_token_probs.mistake(
    "a softmax of probabilities",
    "A softmax is taken of probabilities. They lie between 0 and 1, so to a softmax they are nearly alike: what was cut comes back, and what was sure is flat. One softmax is enough, of the scores.",
    {"return probs": "return probs.softmax(dim=-1)"},
    {DIVIDED: "logits = logits.softmax(dim=-1) / temperature"},
    edit(
        {RENORM: "probs = probs.softmax(dim=-1)"},
        says="After top_p a softmax is taken of probabilities. It gives what was cut a share again, as e⁰ is 1, and flattens the rest. To make numbers sum to 1, divide by their sum.",
    ),
)

next_token_probs.mistake(
    "no softmax",
    "What comes back are scores. Nobody can draw from them: they do not sum to 1, and some are below 0. Take the softmax.",
    {SOFTMAX: "probs = logits"},
    {"return probs": "return logits"},
    {"return probs": 'return logits.masked_fill(probs == 0, float("-inf"))'},
    ALIKE | {"return probs": 'return logits.masked_fill(~left, float("-inf"))'},
)

next_token_probs.mistake(
    "one top_k for all rows together",
    "top_k is taken from all rows together. A row with low scores then keeps nothing. Every row has a k-th score of its own: `topk(k, dim=-1)`.",
    {
        "logits.topk(min(top_k, logits.size(-1)), dim=-1).values": "logits.flatten().topk(min(top_k, logits.size(-1))).values"
    },
)

next_token_probs.mistake(
    "top_p before top_k",
    "top_p goes by the probabilities that there were before top_k. They count the tokens that top_k cuts. Both orders are in use; here, as in the best known library, "
    "the order is temperature, top_k, top_p: top_p works on what the other two have left, divided by its sum.",
    {
        CUT_K: "pass",
        RENORM: RENORM
        + "\n    if top_k is not None:\n        probs = probs.masked_fill(logits < best[..., -1:], 0.0)\n        probs = probs / probs.sum(dim=-1, keepdim=True)",
        "if top_p is not None:\n        ordered, tokens": "if top_p is None:\n        top_p = 1.0\n    if True:\n        ordered, tokens",
    },
)

next_token_probs.mistake(
    "logarithms, not probabilities",
    "You return logarithms of probabilities. Logarithms are negative, and adding them up for top_p makes no sense. Take the softmax.",
    {SOFTMAX: "probs = logits.log_softmax(dim=-1)"},
    {SOFTMAX: 'probs = logits.log_softmax(dim=-1).masked_fill(logits == float("-inf"), 0.0)'},
    {"return probs": "return probs.log()"},
)

next_token_probs.mistake(
    "softmax over the batch",
    "Your softmax runs over the rows. The tokens of a row have to sum to 1, not the texts of a batch for one token. The vocabulary is the last "
    "dimension: `dim=-1`.",
    {SOFTMAX: "probs = logits.softmax(dim=0)"},
    *(
        edit(
            {SOFTMAX: f"probs = {WEIGHTS}\n    probs = probs / probs.sum(dim=0, keepdim=True)"} | order,
            says="What you divide by is summed over the rows. The tokens of a row have to sum to 1, not the texts of a batch for one token. The vocabulary is the last dimension: `sum(dim=-1, keepdim=True)`.",
        )
        for order in ({}, BY_SCORES)
    ),
    {"return probs": "return probs.log().softmax(dim=0)"},
    # Of sorted scores: the best of every row compete with each other.
    {
        **BY_SCORES,
        SOFTMAX: "probs = torch.zeros_like(logits).scatter(-1, order, logits.gather(-1, order).softmax(dim=0))",
    },
    # Before top_k, which then goes by what the rows are given.
    {
        CUT_K: "pass",
        SOFTMAX: """probs = logits.softmax(dim=0)
    if top_k is not None:
        probs = probs.masked_fill(probs < probs.topk(min(top_k, probs.size(-1)), dim=-1).values[..., -1:], 0.0)
        probs = probs / probs.sum(-1, keepdim=True)""",
    },
)

ZERO = "A temperature of 0 is accepted. No distribution belongs to it: dividing by 0 gives NaN, and a distribution that always picks the argmax is not what this function promises. Refuse a temperature of 0 with a ValueError."

next_token_probs.mistake(
    "a temperature of 0 is not refused",
    "A temperature of 0 is accepted. Dividing by 0 makes the best score infinite, and infinity minus infinity is NaN. Refuse a temperature of 0 with a "
    "ValueError.",
    {REFUSAL: "if temperature < 0:"},
    edit({REFUSAL: "if False:"}, says=ZERO),
    edit(
        {
            REFUSAL: "if temperature < 0:",
            DIVIDED: "if temperature == 0:\n        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)\n    logits = logits / temperature",
        },
        says=ZERO,
    ),
    edit(
        {
            'raise ValueError(f"temperature={temperature}; give more than 0 (argmax is the best token)")': "temperature = 1e-8"
        },
        says=ZERO,
    ),
)

next_token_probs.mistake(
    "top_k may not exceed the vocabulary",
    "A top_k above the size of the vocabulary ends in an error. Nothing has to be cut then: take at most `logits.size(-1)` tokens.",
    {"min(top_k, logits.size(-1))": "top_k"},
)

# sample_next ----------------------------------------------------------------------------

ASKED = "next_token_probs(logits, temperature, top_k, top_p)"
DRAWN = "torch.multinomial(probs, 1, generator=generator).squeeze(1)"

sample_next.mistake(
    "always the best token",
    "Nothing is drawn: you take the most probable token, every time. That is greedy decoding. `torch.multinomial` draws a token as often as it is probable.",
    {DRAWN: "probs.argmax(dim=-1)"},
    edit(
        {DRAWN: "probs.argmax(dim=-1, keepdim=True)"},
        says="Nothing is drawn, and a column comes back. You take the most probable token, every time, which is greedy decoding; `torch.multinomial` draws a token as often as it is probable. Then make (batch,) of what is "
        "(batch, 1).",
    ),
)

sample_next.mistake(
    "top_k and top_p exchanged",
    "`top_k` and `top_p` arrive in each other's place. `next_token_probs` takes the temperature, then top_k, then top_p, and refuses a top_p of 3 and a "
    "top_k below 1. Pass them in that order, or by their names.",
    {ASKED: "next_token_probs(logits, temperature, top_p, top_k)"},
)

sample_next.mistake(
    "multiplied by the temperature",
    "You multiply by the temperature. A high temperature then makes the draw surer, and a low one less sure. `next_token_probs` divides by it: pass it on as it is.",
    {ASKED: "next_token_probs(logits, 1 / temperature, top_k, top_p)"},
    {ASKED: "next_token_probs(logits * temperature, 1.0, top_k, top_p)"},
)

sample_next.mistake(
    "one setting takes the place of another",
    "Of two settings that are given only one has an effect. They work one after the other: the temperature, then top_k, then top_p. Pass all three to `next_token_probs`, whatever the others are.",
    *(
        edit(
            {ASKED: f"next_token_probs(logits, {passed})"},
            says=f"{what} Pass all three to `next_token_probs`, whatever the others are.",
        )
        for passed, what in (
            (
                "temperature, top_k, top_p if top_k is None else None",
                "`top_p` has no effect where `top_k` is given. top_p works on what top_k has left.",
            ),
            (
                "temperature, top_k if top_p is None else None, top_p",
                "`top_k` has no effect where `top_p` is given. top_k cuts first, and top_p works on what it has left.",
            ),
            (
                "temperature if top_k is None and top_p is None else 1.0, top_k, top_p",
                "The temperature has no effect where `top_k` or `top_p` is given. It comes first, and the others work on what it has made.",
            ),
        )
    ),
)

SUMS = "probs.cumsum(dim=-1) / probs.sum(dim=-1, keepdim=True)"
NUMBERS = "torch.rand(len(probs), 1, generator=generator)"
PER_ROW = "torch.cat([torch.multinomial(row, 1, generator=generator) for row in probs])"

sample_next.mistake(
    "one random number for all rows",
    "All rows are drawn with one random number. Rows that are alike then get the same token, and the texts of a batch are not drawn for each by itself. Take a random number for every row.",
    *(
        {DRAWN: f"({SUMS} <= {number}).sum(dim=-1)"}
        for number in (
            "torch.rand(1, 1, generator=generator)",
            "torch.rand((), generator=generator)",
            "torch.rand(1, 1, generator=generator, dtype=torch.float64)",
        )
    ),
)

sample_next.mistake(
    "a random number for every token",
    "Every token is compared with a random number of its own. What is counted then comes of several draws, and no token is drawn as often as it is probable. A row needs one random number: (batch, 1).",
    {DRAWN: f"({SUMS} <= torch.rand(probs.shape, generator=generator)).sum(dim=-1)"},
)

sample_next.mistake(
    "another token than the one that was drawn",
    "The tokens that come back stand beside those that were drawn, or opposite them. A token is its place in the vocabulary, counted from 0: the first at which the sum of the probabilities exceeds the random number.",
    *(
        {DRAWN: f"{drawn}{beside}"}
        for drawn in (DRAWN, f"({SUMS} <= {NUMBERS}).sum(dim=-1)")
        for beside in (
            ".add(1).clamp(max=probs.size(-1) - 1)",
            ".sub(1).clamp(min=0)",
            ".add(1)",
            ".sub(1)",
            ".add(1).remainder(probs.size(-1))",
            ".sub(1).remainder(probs.size(-1))",
        )
    ),
    edit(
        {DRAWN: f"({SUMS} > {NUMBERS}).sum(dim=-1)"},
        says="You count the sums above the random number. The token is the first of these, and before it stand as many as there are sums at or below the number: count those, `<=`.",
    ),
    {DRAWN: f"probs.size(-1) - 1 - {DRAWN}"},
)

sample_next.mistake(
    "random numbers that are not uniform",
    "The sums of the probabilities are compared with numbers from a normal distribution. Half of these lie below 0, and then the first token is drawn. The numbers have to be uniform between 0 and 1: `torch.rand`, not `torch.randn`.",
    {DRAWN: f"({SUMS} <= {NUMBERS.replace('rand', 'randn')}).sum(dim=-1)"},
    {DRAWN: f"({SUMS} <= {NUMBERS.replace('rand', 'randn')}).sum(dim=-1).clamp(max=probs.size(-1) - 1)"},
)

sample_next.mistake(
    "probabilities added up along the batch",
    "The probabilities are added up along the batch. A row's sums say where its tokens begin and end; what other rows have belongs to other texts: `cumsum(dim=-1)`.",
    *(
        {DRAWN: f"({sums} <= {NUMBERS}).sum(dim=-1)"}
        for sums in ("probs.cumsum(dim=0)", "probs.cumsum(dim=0) / probs.cumsum(dim=0)[:, -1:]")
    ),
)

sample_next.mistake(
    "no ids, or not one for every row",
    "What comes back is not one id for every row.",
    edit(
        {DRAWN: f"{DRAWN}.float()"},
        says="Your tokens are floats. A token is an id, a whole number: an embedding refuses anything else.",
    ),
    edit(
        {DRAWN: "probs.amax(dim=-1)"},
        says="Nothing is drawn, and you return the largest probability of every row. Promised is a token, drawn with `torch.multinomial`.",
    ),
    edit(
        {DRAWN: "probs.gather(1, torch.multinomial(probs, 1, generator=generator)).squeeze(1)"},
        says="You return probabilities. Promised is the token itself, the place that `torch.multinomial` gives.",
    ),
    edit({DRAWN: f"{DRAWN}.tolist()"}, says="A list comes back, and a tensor of ids is promised, one for every row."),
    *(
        edit(
            {DRAWN: drawn},
            says="You draw two tokens of every row. The next token is one: `torch.multinomial(probs, 1)`.",
        )
        for drawn in (
            "torch.multinomial(probs, 2, generator=generator)",
            "torch.multinomial(probs, 2, generator=generator).flatten()",
        )
    ),
)

sample_next.mistake(
    "the rows in another order",
    "The tokens come back in another order than the rows, the last first. Each belongs to the text of its row: put new ones behind those that were drawn before.",
    {DRAWN: f"{DRAWN}.flip(0)"},
)

sample_next.mistake(
    "temperature is not passed on",
    "`temperature` has no effect. Whatever it is, the draw is the same. Pass it to `next_token_probs`.",
    {ASKED: "next_token_probs(logits, 1.0, top_k, top_p)"},
)

sample_next.mistake(
    "top_k is not passed on",
    "`top_k` has no effect. Whatever it is, the draw is the same. Pass it to `next_token_probs`.",
    {ASKED: "next_token_probs(logits, temperature, None, top_p)"},
)

sample_next.mistake(
    "top_p is not passed on",
    "`top_p` has no effect. Whatever it is, the draw is the same. Pass it to `next_token_probs`.",
    {ASKED: "next_token_probs(logits, temperature, top_k, None)"},
)

sample_next.mistake(
    "no setting is passed on",
    "None of the settings has an effect. You draw from the plain softmax, whatever temperature, top_k and top_p are. Pass all three to `next_token_probs`.",
    {ASKED: "logits.softmax(dim=-1)"},
)

sample_next.mistake(
    "neither top_k nor top_p is passed on",
    "`top_k` and `top_p` have no effect. Whatever they are, the draw is the same. Pass them to `next_token_probs`, with the temperature.",
    {ASKED: "next_token_probs(logits, temperature)"},
    {ASKED: "(logits / temperature).softmax(dim=-1)"},
)

sample_next.mistake(
    "drawn from the whole table",
    "You draw from all rows together. Then a row gets tokens that another row finds probable. Every row is a distribution of its own, and "
    "`torch.multinomial` draws from each row by itself: neither flatten the rows nor take their mean.",
    {DRAWN: "torch.multinomial(probs.flatten(), len(probs), replacement=True, generator=generator) % probs.size(1)"},
    {DRAWN: "(torch.multinomial(probs.flatten(), 1, generator=generator) % probs.size(1)).expand(len(probs))"},
    {DRAWN: "torch.multinomial(probs.mean(dim=0), len(probs), replacement=True, generator=generator)"},
    {DRAWN: "torch.multinomial(probs.mean(dim=0, keepdim=True).expand_as(probs), 1, generator=generator).squeeze(1)"},
)

sample_next.mistake(
    "every token alike",
    "Every token that is left is drawn as often as any other. Their probabilities are not asked. `torch.multinomial(probs, 1)` draws a token as often as it is probable.",
    {DRAWN: "torch.multinomial((probs > 0).float(), 1, generator=generator).squeeze(1)"},
)

sample_next.mistake(
    "no row accepted",
    "Scores without a row are not refused. There is no text to go on with; raise a ValueError, as the given lines did.",
    {'raise ValueError("logits has no row; give at least 1")': "return torch.zeros(0, dtype=torch.long)"},
    {"if len(logits) == 0:": "if False:"},
)

sample_next.mistake(
    "the temperature counts twice",
    "The temperature is applied twice. `next_token_probs` divides by it already. Pass the scores as they are.",
    {ASKED: "next_token_probs(logits / temperature, temperature, top_k, top_p)"},
)

sample_next.mistake(
    "the generator is not used",
    "Your random numbers do not come from the generator. With the same seed the generator should give the same text, whatever else draws numbers in the "
    "meantime. `torch.multinomial` takes `generator=generator`.",
    {", generator=generator)": ")"},
    edit(
        {DRAWN: 'torch.tensor([__import__("random").choices(range(len(row)), row.tolist())[0] for row in probs])'},
        says="Your random numbers come neither from the generator nor from torch. So no torch seed repeats them. `torch.multinomial` takes "
        "`generator=generator`, and uses torch's own generator where that is None.",
    ),
)

sample_next.mistake(
    "a column, not one token for every row",
    "You return a column. `torch.multinomial` can draw several tokens from a row and so gives (batch, 1). `squeeze(1)` makes (batch,) of it.",
    {".squeeze(1)": ""},
    edit(
        {".squeeze(1)": ".squeeze(0)"},
        says="You return a column. `squeeze(0)` takes away the first dimension, the rows, and only where it has size 1. `torch.multinomial` has added "
        "the second dimension: `squeeze(1)`.",
    ),
)

sample_next.mistake(
    "a single row loses its dimension",
    "For a single row you return a bare number. `squeeze()` takes every dimension of size 1 away, the batch too when it holds one text. Say which: `squeeze(1)`.",
    {".squeeze(1)": ".squeeze()"},
)

sample_next.mistake(
    "a softmax of probabilities",
    "You take a softmax of what is a distribution already. Probabilities lie between 0 and 1, so their softmax is almost flat, and tokens that were cut "
    "get a chance again. Draw from `probs` as they are.",
    {"torch.multinomial(probs,": "torch.multinomial(probs.softmax(dim=-1),"},
)

sample_next.mistake(
    "not the probabilities themselves",
    "You draw by a power of the probabilities. That changes them as a temperature does, without being asked. Draw from `probs` as they are.",
    edit(
        {"torch.multinomial(probs,": "torch.multinomial(probs.square(),"},
        says="You draw by the squares of the probabilities. That sharpens them as a temperature of 0.5 does, without being asked. Draw from `probs` as they are.",
    ),
    edit(
        {"torch.multinomial(probs,": "torch.multinomial(probs.sqrt(),"},
        says="You draw by the square roots of the probabilities. That flattens them as a temperature of 2 does, without being asked. Draw from `probs` as they are.",
    ),
)

sample_next.mistake(
    "one draw for all rows",
    "All rows get the token that was drawn for the first. Each row has a distribution and needs a draw of its own. `torch.multinomial` does a whole "
    "batch at once.",
    {DRAWN: "torch.multinomial(probs[0], 1, generator=generator).expand(len(probs))"},
    *(
        edit(
            {DRAWN: f"torch.multinomial(probs[{row}], len(probs), replacement=True, generator=generator)"},
            says=f"All rows are drawn from the distribution of the {name}. Each has one of its own. `torch.multinomial` does a whole batch at once.",
        )
        for row, name in ((0, "first"), (-1, "last"))
    ),
    *(
        edit(
            {DRAWN: f"{drawn}[-1:].expand(len(probs))"},
            says="All rows get the token that was drawn for the last. Each row has a draw of its own: keep them all.",
        )
        for drawn in (DRAWN, PER_ROW)
    ),
)

sample_next.mistake(
    "the same draw at every call",
    "Every call draws the same. A seed that is set inside the function starts the random numbers over at every call, so every step of a text would use "
    "the same random number. Leave the seed to the caller.",
    {DRAWN: "torch.multinomial(probs, 1, generator=torch.Generator().manual_seed(0)).squeeze(1)"},
    {DRAWN: "(torch.default_generator.manual_seed(0), torch.multinomial(probs, 1, generator=generator))[1].squeeze(1)"},
    {DRAWN: "torch.multinomial(probs, 1, generator=generator and generator.manual_seed(0)).squeeze(1)"},
    {
        DRAWN: "torch.multinomial(probs, 1, generator=generator and generator.manual_seed(generator.initial_seed())).squeeze(1)"
    },
    {DRAWN: "torch.multinomial(probs, 1, generator=generator or torch.Generator().manual_seed(0)).squeeze(1)"},
)
