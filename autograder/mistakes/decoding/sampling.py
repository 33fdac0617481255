"""Wrong ways of making the distribution of the next token, and of drawing from it."""

from autograder.probing.mistake import Mistake

# next_token_probs ----------------------------------------------------------------------------

PROBS = "next_token_probs"
DIVIDED = "logits = logits / temperature"
CUT_K = 'logits = logits.masked_fill(logits < best[..., -1:], float("-inf"))'
SOFTMAX = "probs = logits.softmax(dim=-1)"
CUT_P = "kept = ordered.masked_fill(before >= top_p, 0.0)"
UNSORTED = "probs = torch.zeros_like(probs).scatter(-1, tokens, kept)"
RENORM = "probs = probs / probs.sum(dim=-1, keepdim=True)"

multiplied = Mistake(
    "multiplied by the temperature",
    of=PROBS,
    swap=DIVIDED,
    by="logits = logits * temperature",
    says="You multiply by the temperature. Then a high one makes the distribution sharper, and a low one flatter: the other way round. Divide the scores by it.",
)

NOT_USED = "The temperature changes nothing. Divide the scores by it, *before* the softmax: dividing probabilities by a number and making them sum to 1 again gives what was there before."
temperature_unused = Mistake("the temperature changes nothing", of=PROBS, swap=DIVIDED, by="", says=NOT_USED)

AFTER_SOFTMAX = "The temperature divides the probabilities. They do not sum to 1 any more, and their proportions are as before: nothing has become sharper. Divide the scores, before the softmax."
after_softmax = Mistake(
    "probabilities divided by the temperature",
    of=PROBS,
    swaps={DIVIDED: "", SOFTMAX: "probs = logits.softmax(dim=-1) / temperature"},
    says=AFTER_SOFTMAX,
)

CROSSES = (
    "The token that crosses top_p is cut. It should stay: only with it does the set have top_p. Without it, a token that has more than top_p alone would leave nothing at all. "
    "Look at what stands *before* each token, without its own share."
)
crossing = Mistake(
    "the token that crosses top_p is cut",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill(before + ordered > top_p, 0.0)",
    says=CROSSES,
)
crossing_or_reaching = Mistake(
    "the token that crosses top_p is cut",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill(before + ordered >= top_p, 0.0)",
    says=CROSSES,
)
# Added and taken off, a share leaves rounding behind: at top_p = 1 the shorter way of writing it gives something else.
crossing_as_summed = Mistake(
    "the token that crosses top_p is cut",
    of=PROBS,
    swap="ordered.cumsum(dim=-1) - ordered",
    by="ordered.cumsum(dim=-1)",
    says=CROSSES,
)
crossing_above = Mistake(
    "the token that crosses top_p is cut",
    of=PROBS,
    swaps={"ordered.cumsum(dim=-1) - ordered": "ordered.cumsum(dim=-1)", CUT_P: CUT_P.replace(">=", ">")},
    says=CROSSES,
)
crossing_first_kept = Mistake(
    "the token that crosses top_p is cut",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill((before + ordered > top_p) & (before > 0), 0.0)",
    says=CROSSES,
)

one_beyond = Mistake(
    "one token too many for top_p",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill(before - torch.nn.functional.pad(ordered, (1, 0))[..., :-1] >= top_p, 0.0)",
    says="One token too many stays. The set has top_p already when the token that crosses it is in; the next one goes. A mask that was shifted by one place twice does this.",
)

K_NOT_RENORMED = "After top_k the probabilities do not sum to 1. What was cut is gone from the sum; the others have to grow. Set the cut *scores* to -inf before the softmax, and it sees to that."
k_not_renormed = Mistake(
    "no renormalising after top_k",
    of=PROBS,
    swaps={
        CUT_K: "",
        SOFTMAX: SOFTMAX
        + "\n    if top_k is not None:\n        probs = probs.masked_fill(logits < best[..., -1:], 0.0)",
    },
    says=K_NOT_RENORMED,
)

not_renormed = Mistake(
    "no renormalising after top_p",
    of=PROBS,
    swap=RENORM,
    by="",
    says="After top_p the probabilities do not sum to 1. `torch.multinomial` would not mind, but this is no distribution, and whoever reads a probability from it reads too little. Divide by what is left.",
)

SORTED = "The probabilities come back sorted. After top_p the first number is the largest, whichever token it belongs to. Undo the sorting: put every number where its token stands."
sum_of_all = Mistake(
    "divided by the sum of all rows",
    of=PROBS,
    swap=RENORM,
    by="probs = probs / probs.sum()",
    says="After top_p you divide by the sum of all rows together. Each row is a distribution of its own and has to sum to 1 by itself: `sum(dim=-1, keepdim=True)`.",
)

left_sorted = Mistake("left in sorted order", of=PROBS, swap=UNSORTED, by="probs = kept", says=SORTED)

wrong_way = Mistake(
    "sorting undone the wrong way",
    of=PROBS,
    swap=UNSORTED,
    by="probs = kept.gather(-1, tokens)",
    says="You undo the sorting with the order that made it. `gather(-1, tokens)` sorts once more: a permutation is undone by its inverse. `scatter(-1, tokens, kept)` puts the number of rank i where token "
    "tokens[i] stands.",
)

smallest_first = Mistake(
    "the most probable are cut",
    of=PROBS,
    swap="probs.sort(dim=-1, descending=True)",
    by="probs.sort(dim=-1)",
    says="You add up from the smallest. Then the tail fills top_p, and what is cut are the most probable tokens. Sort with `descending=True`.",
)

MIN_P = "Each token is measured by its own probability. A token stays or goes by what all *more probable* ones have together; by its own share, with top_p=0.9 hardly any token could ever stay."
own_share = Mistake(
    "each token is measured by itself",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill((ordered < top_p) & (before > 0), 0.0)",
    says=MIN_P,
)

own_share_alone = Mistake(
    "each token is measured by itself",
    of=PROBS,
    swap=CUT_P,
    by="kept = ordered.masked_fill(ordered < top_p, 0.0)",
    says=MIN_P,
)

zero_score = Mistake(
    "cut tokens get a score of 0",
    of=PROBS,
    swap=CUT_K,
    by="logits = logits.masked_fill(logits < best[..., -1:], 0.0)",
    says="What top_k cuts gets a score of 0. That is a score like any other, often a good one: e⁰ is 1. The score whose softmax is 0 is -inf.",
)

K_LESS = "top_k - 1 tokens stay. The k-th best is in the set as well: cut what is *smaller* than the k-th score, not what equals it."
one_fewer = Mistake(
    "one token too few for top_k",
    of=PROBS,
    swap=CUT_K,
    by='logits = logits.masked_fill((logits <= best[..., -1:]) & (logits < best[..., :1]), float("-inf"))',
    says=K_LESS,
)
one_fewer_none = Mistake(
    "one token too few for top_k",
    of=PROBS,
    swap=CUT_K,
    by='logits = logits.masked_fill(logits <= best[..., -1:], float("-inf"))',
    says=K_LESS,
)

one_for_all = Mistake(
    "one top_k for all rows together",
    of=PROBS,
    swap="logits.topk(min(top_k, logits.size(-1)), dim=-1).values",
    by="logits.flatten().topk(min(top_k, logits.size(-1))).values",
    says="top_k is taken from all rows together. A row with low scores then keeps nothing. Every row has a k-th score of its own: `topk(k, dim=-1)`.",
)

P_FIRST = (
    "top_p comes before top_k here. It then goes by shares that include tokens which top_k cuts. Both orders are in use; here, as in the best known library, the order is temperature, top_k, top_p, and top_p sees what the "
    "others have left."
)
p_first = Mistake(
    "top_p before top_k",
    of=PROBS,
    swaps={
        CUT_K: "pass",
        RENORM: RENORM
        + "\n    if top_k is not None:\n        probs = probs.masked_fill(logits < best[..., -1:], 0.0)\n        probs = probs / probs.sum(dim=-1, keepdim=True)",
        "if top_p is not None:\n        ordered, tokens": "if top_p is None:\n        top_p = 1.0\n    if True:\n        ordered, tokens",
    },
    says=P_FIRST,
)

logarithms = Mistake(
    "logarithms, not probabilities",
    of=PROBS,
    swap=SOFTMAX,
    by="probs = logits.log_softmax(dim=-1)",
    says="You return logarithms of probabilities. They are negative, and adding them up for top_p means nothing. Take the softmax.",
)

wrong_dim = Mistake(
    "softmax over the batch",
    of=PROBS,
    swap=SOFTMAX,
    by="probs = logits.softmax(dim=0)",
    says="Your softmax runs over the rows. It is the tokens of one row that compete, not the texts of a batch for one token. The vocabulary is the last dimension: `dim=-1`.",
)

no_refusal = Mistake(
    "a temperature of 0 is not refused",
    of=PROBS,
    swap="if not temperature > 0:",
    by="if temperature < 0:",
    says="A temperature of 0 goes through. It divides by 0: the best score becomes infinite, and infinity minus infinity is NaN. Refuse it with a ValueError.",
)

ZERO = "A temperature of 0 goes through. It stands for no distribution: dividing by it gives NaN, and a distribution that is only a disguised argmax is not what is asked for. Refuse it with a ValueError."
REFUSED = 'raise ValueError(f"temperature={temperature}; give more than 0 (argmax is the best token)")'
nothing_refused = Mistake(
    "a temperature of 0 is not refused", of=PROBS, swap="if not temperature > 0:", by="if False:", says=ZERO
)
best_at_zero = Mistake(
    "a temperature of 0 is not refused",
    of=PROBS,
    swaps={
        "if not temperature > 0:": "if temperature < 0:",
        DIVIDED: "if temperature == 0:\n        return torch.nn.functional.one_hot(logits.argmax(dim=-1), logits.size(-1)).to(logits.dtype)\n    logits = logits / temperature",
    },
    says=ZERO,
)
small_for_zero = Mistake(
    "a temperature of 0 is not refused",
    of=PROBS,
    swaps={REFUSED: "temperature = 1e-8"},
    says=ZERO,
)

k_too_large = Mistake(
    "top_k may not exceed the vocabulary",
    of=PROBS,
    swap="min(top_k, logits.size(-1))",
    by="top_k",
    says="A top_k above the size of the vocabulary ends in an error. Nothing is to be cut then: take at most `logits.size(-1)` of them.",
)

# sample_next ----------------------------------------------------------------------------

SAMPLE = "sample_next"
ASKED = "next_token_probs(logits, temperature, top_k, top_p)"
DRAWN = "torch.multinomial(probs, 1, generator=generator).squeeze(1)"

always_best = Mistake(
    "always the best token",
    of=SAMPLE,
    swap=DRAWN,
    by="probs.argmax(dim=-1)",
    says="Nothing is drawn: you take the most probable token, every time. That is greedy decoding. `torch.multinomial` draws a token as often as it is probable.",
)


def _unused(name: str, by: str) -> Mistake:
    return Mistake(
        f"{name} is not passed on",
        of=SAMPLE,
        swap=ASKED,
        by=by,
        says=f"`{name}` does not arrive. Whatever it is set to, the same is drawn. Hand it to `next_token_probs`.",
    )


no_temperature = _unused("temperature", "next_token_probs(logits, 1.0, top_k, top_p)")
no_top_k = _unused("top_k", "next_token_probs(logits, temperature, None, top_p)")
no_top_p = _unused("top_p", "next_token_probs(logits, temperature, top_k, None)")
nothing_passed = Mistake(
    "no setting is passed on",
    of=SAMPLE,
    swap=ASKED,
    by="logits.softmax(dim=-1)",
    says="None of the settings arrives. You draw from the plain softmax, whatever temperature, top_k and top_p say. Hand all three to `next_token_probs`.",
)

temperature_twice = Mistake(
    "the temperature counts twice",
    of=SAMPLE,
    swap=ASKED,
    by="next_token_probs(logits / temperature, temperature, top_k, top_p)",
    says="The temperature is applied twice. `next_token_probs` divides by it already. Hand it the scores as they are.",
)

no_generator = Mistake(
    "the generator is not used",
    of=SAMPLE,
    swap=", generator=generator)",
    by=")",
    says="Your random numbers do not come from the generator. With the same seed it should give the same text, whatever else draws numbers meanwhile. `torch.multinomial` takes `generator=generator`.",
)

column = Mistake(
    "a column, not one token for every row",
    of=SAMPLE,
    swap=".squeeze(1)",
    by="",
    says="You return a column. `torch.multinomial` can draw several tokens from a row and so gives (batch, 1). `squeeze(1)` makes (batch,) of it.",
)

column_of_one = Mistake(
    "a column, not one token for every row",
    of=SAMPLE,
    swap=".squeeze(1)",
    by=".squeeze(0)",
    says="You return a column. `squeeze(0)` takes the first dimension away, and only where it has size 1: the rows. It is the second that `torch.multinomial` has added: `squeeze(1)`.",
)
bare_number = Mistake(
    "a single row loses its dimension",
    of=SAMPLE,
    swap=".squeeze(1)",
    by=".squeeze()",
    says="For a single row you return a bare number. `squeeze()` takes every dimension of size 1 away, the batch too when it holds one text. Say which: `squeeze(1)`.",
)

softmax_again = Mistake(
    "a softmax of probabilities",
    of=SAMPLE,
    swap="torch.multinomial(probs,",
    by="torch.multinomial(probs.softmax(dim=-1),",
    says="You take a softmax of what is a distribution already. Probabilities lie between 0 and 1, so the softmax of them is almost flat, and what was cut gets a chance again. Draw from `probs` as they are.",
)

one_draw = Mistake(
    "one draw for all rows",
    of=SAMPLE,
    swap=DRAWN,
    by="torch.multinomial(probs[0], 1, generator=generator).expand(len(probs))",
    says="All rows get the token that was drawn for the first. Each has a distribution of its own, and each is drawn for by itself. `torch.multinomial` does a whole batch at once.",
)

SAME_DRAW = "Every call draws the same. A seed that is set inside the function starts the random numbers over each time; a text would be made of one and the same stroke of luck. Leave the seed to the caller."
same_draw = Mistake(
    "the same draw at every call",
    of=SAMPLE,
    swap=DRAWN,
    by="torch.multinomial(probs, 1, generator=torch.Generator().manual_seed(0)).squeeze(1)",
    says=SAME_DRAW,
)
seeded_without_one = Mistake(
    "the same draw at every call",
    of=SAMPLE,
    swap=DRAWN,
    by="(torch.default_generator.manual_seed(0), torch.multinomial(probs, 1, generator=generator))[1].squeeze(1)",
    says=SAME_DRAW,
)
generator_reseeded = Mistake(
    "the same draw at every call",
    of=SAMPLE,
    swap=DRAWN,
    by="torch.multinomial(probs, 1, generator=generator and generator.manual_seed(0)).squeeze(1)",
    says=SAME_DRAW,
)
