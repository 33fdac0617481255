"""Wrong ways of lesson 10. Several edits may carry one name: the same mistake is written in several ways."""

from typing import Any

from torch import Tensor

from autograder.probing.mistake import Mistake

# greedy_decode and greedy_decode_cached ----------------------------------------------------------------------------

GREEDY = "greedy_decode"
CACHED = "greedy_decode_cached"
LOGITS = "model(src_ids, tgt_ids)[:, -1]"
BEST = "logits.argmax(dim=-1).masked_fill(finished, pad_id)"
FINISHED = "finished = finished | (best == eos_id)"
STOP = "if finished.all():"
RETURN = "return tgt_ids[:, 1:]"

LAST_ONLY = (
    "The decoder is fed the last token and nothing else. Without a cache it knows nothing of what it has written before, and takes every token for the first. "
    "Hand over all that has been written so far."
)
last_only = Mistake(
    "feeds only the last token", of=GREEDY, swap=LOGITS, by="model(src_ids, tgt_ids[:, -1:])[:, -1]", says=LAST_ONLY
)

WHOLE_BATCH = (
    "One argmax is taken over the whole batch. All rows get the token of the one row that is surest, or a number that is no token at all. "
    "Each row has a best token of its own: `argmax(dim=-1)`."
)
ARGMAX = "logits.argmax(dim=-1)"
NO_SOURCE = "The source is never read. Whatever you put in, the same comes out: your model's encoder is given something else. `model(src_ids, tgt_ids)`: first the source, then what has been written."
target_as_source = Mistake(
    "the source is not read", of=GREEDY, swap=LOGITS, by="model(tgt_ids, tgt_ids)[:, -1]", says=NO_SOURCE
)
zeros_as_source = Mistake(
    "the source is not read",
    of=GREEDY,
    swap=LOGITS,
    by="model(torch.zeros_like(src_ids), tgt_ids)[:, -1]",
    says=NO_SOURCE,
)

reads_nothing = Mistake(
    "neither the source nor the target so far is read",
    of=GREEDY,
    swap=LOGITS,
    by="model(tgt_ids, tgt_ids[:, -1:])[:, -1]",
    says="Your model is handed neither the source nor all that has been written. In the source's place stands the target, and in the target's place its last token alone. While that is so, all rows come out "
    "alike, and nothing else that may be wrong with them can show: one argmax for all rows, a stop for all at once. `model(src_ids, tgt_ids)` first; then see what is left.",
)

FIRST_PLACE = "You take the logits of the first place. They say what comes after bos_id, at every step the same. What comes next stands at the last place: `[:, -1]`."
first_place = Mistake(
    "the logits of the first place", of=GREEDY, swap=LOGITS, by="model(src_ids, tgt_ids)[:, 0]", says=FIRST_PLACE
)

NO_STOP = (
    "Nothing happens at eos_id. Every target goes on to max_len and says whatever comes after its end. Who has written eos_id gets pad_id from then on, "
    "and when all have, you are done."
)
WRITES_ON = "A target that has ended is written on, while others of the batch are not done. What stands after its eos_id means nothing. Give pad_id to those that are finished."
UP_TO_MAX = (
    "You go on when all are finished. The columns of padding at the end cost a run of the model each, and the result is wider than its longest target. "
    "Stop as soon as all have written eos_id."
)


def _in_both(
    name: str, says: str, greedy: dict[str, str], cached: dict[str, str] | None = None
) -> tuple[Mistake, Mistake]:
    """A slip of the loop that both functions have."""
    return (
        Mistake(name, of=GREEDY, swaps=greedy, says=says),
        Mistake(name, of=CACHED, swaps=cached or greedy, says=says),
    )


whole_batch, whole_batch_cached = _in_both(
    "argmax over the whole batch", WHOLE_BATCH, {ARGMAX: "(logits.argmax() % logits.size(-1)).expand(len(logits))"}
)
whole_index, whole_index_cached = _in_both(
    "argmax over the whole batch", WHOLE_BATCH, {ARGMAX: "logits.argmax().expand(len(logits))"}
)
no_stop, no_stop_cached = _in_both(
    "no stop at eos_id", NO_STOP, {".masked_fill(finished, pad_id)": "", STOP: "if False:"}
)
writes_on, writes_on_cached = _in_both("writes on after eos_id", WRITES_ON, {".masked_fill(finished, pad_id)": ""})
up_to_max, up_to_max_cached = _in_both("goes on when all are finished", UP_TO_MAX, {STOP: "if False:"})

first_stops, first_stops_cached = _in_both(
    "stops when the first has ended",
    "You stop as soon as one target has ended. The others are cut off in the middle. Go on until `finished.all()`.",
    {STOP: "if finished.any():"},
)

FORGETS = "You forget who was finished. `finished` holds only those that wrote eos_id in this very step; one step later they write again. Once finished, always finished: `finished | (best == eos_id)`."
forgets, forgets_cached = _in_both("forgets who was finished", FORGETS, {FINISHED: "finished = best == eos_id"})

eos_again, eos_again_cached = _in_both(
    "eos_id in the place of padding",
    "After its end a target is filled up with eos_id. A target ends once; what comes after it is padding, model.config.pad_id, so that nobody takes it for a token.",
    {".masked_fill(finished, pad_id)": ".masked_fill(finished, eos_id)"},
)

BOS_KEPT = "bos_id is still in the result. It was put there to begin with, and is nothing that the model wrote. Leave the first column out."
bos_kept = Mistake("bos_id is in the result", of=GREEDY, swap=RETURN, by="return tgt_ids", says=BOS_KEPT)
bos_kept_cached = Mistake(
    "bos_id is in the result",
    of=CACHED,
    swap="written: list[Tensor] = []",
    by="written: list[Tensor] = [newest]",
    says=BOS_KEPT,
)

EOS_LOST = "eos_id is not in the result. It tells a target that has ended from one that max_len has cut off, so it is kept. Append the best token first, and look whether it was the end after that."
eos_replaced = Mistake(
    "eos_id is not in the result",
    of=GREEDY,
    swap=RETURN,
    by="return tgt_ids[:, 1:].masked_fill(tgt_ids[:, 1:] == eos_id, pad_id)",
    says=EOS_LOST,
)
finished_first = Mistake(
    "eos_id is not in the result",
    of=GREEDY,
    swaps={
        BEST: "logits.argmax(dim=-1)\n        finished = finished | (best == eos_id)\n        best = best.masked_fill(finished, pad_id)",
        FINISHED: "",
    },
    says=EOS_LOST,
)
LAST_LOST = "The last column is lost. You leave the loop before the tokens of that step are appended, so that the target that ended last has no eos_id. Append first, then ask who is finished."
last_lost = Mistake(
    "the last step is lost",
    of=GREEDY,
    swaps={
        "tgt_ids = torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)": "before, tgt_ids = tgt_ids, torch.cat([tgt_ids, best.unsqueeze(1)], dim=1)",
        "            break\n    return tgt_ids[:, 1:]": "            return before[:, 1:]\n    return tgt_ids[:, 1:]",
    },
    says=LAST_LOST,
)

ONE_LESS = "You write one token less than max_len. bos_id does not count: max_len is the number of tokens that the model writes. `range(max_len)`."
last_lost_cached = Mistake(
    "the last step is lost",
    of=CACHED,
    swap="return torch.cat(written, dim=1)",
    by="return torch.cat(written, dim=1)[:, :-1]",
    says="The last column is lost. With it goes the eos_id of the target that ended last. bos_id was never put into `written`, so there is nothing to cut off.",
)

one_less, one_less_cached = _in_both(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max_len - 1)"},
    {"range(max_len)": "range(max(1, max_len - 1))"},
)
one_less_or_none = Mistake(
    "one token too few", of=CACHED, swap="range(max_len)", by="range(max_len - 1)", says=ONE_LESS
)
one_more, one_more_cached = _in_both(
    "one token too many",
    "You write one token more than max_len. `range(max_len)` runs max_len times, which is what is wanted.",
    {"range(max_len)": "range(max_len + 1)"},
)

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

# beam_search ----------------------------------------------------------------------------

BEAM = "beam_search"
SO_FAR = "so_far + logits.log_softmax(dim=-1)"
PLACES = "places = min(beam_size - len(ended), totals.numel())"
SCORE = "total / ((5 + len(tokens)) / 6) ** length_penalty"
SORT = "return sorted(scored, key=lambda one: one[1], reverse=True)"
ASIDE = "ended += [one for one in continued if one[0][-1] == eos_id]"
GO_ON = "beams = [one for one in continued if one[0][-1] != eos_id]"
NO_BEAM = "if not beams:"

not_added = Mistake(
    "log-probabilities are not added up",
    of=BEAM,
    swap=SO_FAR,
    by="0 * so_far + logits.log_softmax(dim=-1)",
    says="Only the last token counts. A target is as probable as all its tokens together, and the logarithm of a product is a sum. Add the beam's total to the log-probabilities of its next token.",
)

PROBABILITIES = "Probabilities are added up, not their logarithms. The probability of a text is the *product* of those of its tokens; a sum grows with every token, however unlikely. Take `log_softmax`."
of_probabilities = Mistake(
    "probabilities are added, not logarithms",
    of=BEAM,
    swap=SO_FAR,
    by="so_far + logits.softmax(dim=-1)",
    says=PROBABILITIES,
)

RAW = "Scores before the softmax are added up. They compare the tokens of one place with each other and say nothing across places or beams: only `log_softmax` makes logarithms of probabilities of them."
raw_logits = Mistake("logits are added up as they are", of=BEAM, swap=SO_FAR, by="so_far + logits", says=RAW)

each_best = Mistake(
    "each beam is continued with its best token only",
    of=BEAM,
    swap=SO_FAR,
    by="so_far + logits.log_softmax(dim=-1).masked_fill((logits < logits.amax(-1, keepdim=True)) & (so_far < 0), -1e9)",
    says="From the second step on every beam goes its own greedy way. The two best continuations of one beam may both be better than the best of another. Look for the best in the whole table of beams and tokens.",
)

EQUAL_BEAMS = "You begin with several equal beams. All of them have the same continuations, and the best one is found as often as there are beams. There is one beginning: one beam with the total 0."
equal_beams = Mistake(
    "begins with several equal beams",
    of=BEAM,
    swap="= [([], 0.0)]",
    by="= [([], 0.0)] * beam_size",
    says=EQUAL_BEAMS,
)

GOES_ON = "A target that has ended is continued. After eos_id nothing follows; what the model writes there means nothing, and spoils the total. Put those aside that end with eos_id, and go on with the rest."
go_on = Mistake("targets that have ended go on", of=BEAM, swaps={ASIDE: "", GO_ON: "beams = continued"}, says=GOES_ON)
aside_and_on = Mistake(
    "targets that have ended go on",
    of=BEAM,
    swaps={GO_ON: "beams = continued", NO_BEAM: "if len(ended) >= beam_size:"},
    says=GOES_ON,
)
FULL = (
    "The places of ended targets are filled again. Here a target that ends keeps its place, so that the search narrows and ends by itself. Many implementations keep the beam full, as yours does, and then need "
    "a rule for when to stop; that is another convention."
)
stays_full = Mistake(
    "the beam is filled up again",
    of=BEAM,
    swaps={PLACES: "places = min(beam_size, totals.numel())", SORT: SORT + "[:beam_size]"},
    says=FULL,
)
stays_full_uncut = Mistake(
    "the beam is filled up again",
    of=BEAM,
    swap=PLACES,
    by="places = min(beam_size, totals.numel())",
    says=FULL + " (And whatever has ended comes back, so that there may be more than beam_size.)",
)
full_until = Mistake(
    "the beam is filled up again",
    of=BEAM,
    swaps={
        PLACES: "places = min(beam_size, totals.numel())",
        NO_BEAM: "if not beams or len(ended) >= beam_size:",
        SORT: SORT + "[:beam_size]",
    },
    says=FULL,
)
full_until_ended = Mistake(
    "the beam is filled up again",
    of=BEAM,
    swaps={
        PLACES: "places = min(beam_size, totals.numel())",
        NO_BEAM: "if not beams or len(ended) >= beam_size:",
    },
    says=FULL,
)

ended_lost = Mistake(
    "targets that have ended are lost",
    of=BEAM,
    swap="in ended + beams]",
    by="in beams]",
    says="Targets that ended early are not in the result. They were put aside, and are complete: they belong into the ranking with the others.",
)
UNENDED_LOST = "Targets that max_len cuts off are not in the result. They have not ended, but they are what the search has found; with a small max_len there may be nothing else. Rank `ended + beams`."
unended_lost = Mistake(
    "targets that have not ended are lost", of=BEAM, swap="in ended + beams]", by="in ended]", says=UNENDED_LOST
)

first_ends_all = Mistake(
    "stops when the first has ended",
    of=BEAM,
    swap=NO_BEAM,
    by="if ended or not beams:",
    says="The search stops as soon as one target has ended. A longer one may be more probable, or score better. Go on until no beam is left, or max_len is reached.",
)

NO_LENGTH = "Targets are compared without regard to their length. Every token makes a target less probable, so the shortest wins, often an empty one. Divide by ((5 + n) / 6)^length_penalty before you rank."
no_length = Mistake("the length does not count", of=BEAM, swap=SCORE, by="total", says=NO_LENGTH)

BY_LENGTH = "You divide by the length to the power of length_penalty. Some libraries do; here, as in the paper that is cited, it is ((5 + n) / 6)^length_penalty, which is 1 for a single token and gentler on short targets."
by_length = Mistake(
    "divided by the length itself",
    of=BEAM,
    swap=SCORE,
    by="total / len(tokens) ** length_penalty",
    says=BY_LENGTH,
)

mean = Mistake("divided by the length itself", of=BEAM, swap=SCORE, by="total / len(tokens)", says=BY_LENGTH)

IN_PART = (
    "Only a part of the targets is divided by the penalty. Scores then stand beside bare log-probabilities, which are further from 0, and those that have ended and those that max_len cuts off cannot be compared. "
    "The same formula for all, at the very end."
)
ended_only = Mistake(
    "the length counts for a part only",
    of=BEAM,
    swap=f"[(tokens, {SCORE}) for tokens, total in ended + beams]",
    by=f"[(tokens, {SCORE}) for tokens, total in ended] + beams",
    says=IN_PART,
)
going_only = Mistake(
    "the length counts for a part only",
    of=BEAM,
    swap=f"[(tokens, {SCORE}) for tokens, total in ended + beams]",
    by=f"ended + [(tokens, {SCORE}) for tokens, total in beams]",
    says=IN_PART,
)

times_penalty = Mistake(
    "multiplied by the penalty",
    of=BEAM,
    swap=SCORE,
    by="total * ((5 + len(tokens)) / 6) ** length_penalty",
    says="You multiply by the penalty. Log-probabilities are negative: multiplying makes long targets worse still. Divide.",
)

counted_bos = Mistake(
    "bos_id counts in the length",
    of=BEAM,
    swap=SCORE,
    by="total / ((6 + len(tokens)) / 6) ** length_penalty",
    says="Your length is one too large. bos_id was given and is no part of the target: n is the number of tokens written, eos_id included.",
)
eos_uncounted = Mistake(
    "eos_id does not count in the length",
    of=BEAM,
    swap=SCORE,
    by="total / ((5 + len(tokens) - (tokens[-1] == eos_id)) / 6) ** length_penalty",
    says="Your length is one too small where a target has ended. eos_id is a token that the model wrote, with a probability of its own: n counts it.",
)

BRACKETS = "The brackets of the penalty are not where they belong. 5 + n is divided by 6 first, and all of that is raised to the power: `total / ((5 + n) / 6) ** length_penalty`. In Python `**` comes before `/`, and `a / b / c` divides twice."
six_powered = Mistake(
    "the brackets of the penalty",
    of=BEAM,
    swap=SCORE,
    by="total / (5 + len(tokens)) / 6**length_penalty",
    says=BRACKETS,
)
length_by_six = Mistake(
    "the brackets of the penalty",
    of=BEAM,
    swap=SCORE,
    by="total / (5 + len(tokens) / 6) ** length_penalty",
    says=BRACKETS,
)
under_six = Mistake(
    "the brackets of the penalty",
    of=BEAM,
    swap=SCORE,
    by="total / ((5 + len(tokens)) / 6**length_penalty)",
    says=BRACKETS,
)
score_powered = Mistake(
    "the brackets of the penalty",
    of=BEAM,
    swap=SCORE,
    by="total / (5 + len(tokens)) ** length_penalty / 6",
    says=BRACKETS,
)

unsorted = Mistake(
    "the result is not sorted by score",
    of=BEAM,
    swap=SORT,
    by="return scored",
    says="The targets come in the order in which they ended. The caller wants the best first: sort by score, the highest first.",
)
worst_first = Mistake(
    "the worst comes first",
    of=BEAM,
    swap=SORT,
    by="return sorted(scored, key=lambda one: one[1])",
    says="The worst target comes first. `sorted` begins with the smallest: `reverse=True`. A score closer to 0 is the better one.",
)
bare_ranking = Mistake(
    "ranked before the penalty",
    of=BEAM,
    swap="in ended + beams]",
    by="in sorted(ended + beams, key=lambda one: -one[1])]",
    swaps={SORT: "return scored"},
    says="You rank by log-probability and work out the scores afterwards. Then the penalty changes numbers, and no order. Sort by score.",
)

BOS_THERE = "bos_id is still in the targets. It was given, not written. Leave it out."
bos_there = Mistake(
    "bos_id is in the result",
    of=BEAM,
    swap="scored = [(tokens, ",
    by="scored = [([bos_id, *tokens], ",
    says=BOS_THERE,
)

IN_MODEL = "model(src_ids.expand(len(beams), -1), tgt_ids)[:, -1]"
last_of_beam = Mistake(
    "feeds only the last token",
    of=BEAM,
    swap=IN_MODEL,
    by="model(src_ids.expand(len(beams), -1), tgt_ids[:, -1:])[:, -1]",
    says=LAST_ONLY,
)
beam_as_source = Mistake(
    "the source is not read", of=BEAM, swap=IN_MODEL, by="model(tgt_ids, tgt_ids)[:, -1]", says=NO_SOURCE
)
one_less_of_beam = Mistake("one token too few", of=BEAM, swap="range(max_len)", by="range(max_len - 1)", says=ONE_LESS)
ONE_LIST = "Beams write into one list. `append` changes the list of the beam that is continued, and all its continuations are that same list; each of them grows by the tokens of the others. Make a new one: `[*tokens, token]`."
one_list = Mistake(
    "beams share one list",
    of=BEAM,
    swap="continued.append(([*beams[beam][0], token], total))",
    by="beams[beam][0].append(token)\n            continued.append((beams[beam][0], total))",
    says=ONE_LIST,
)
only_best = Mistake(
    "only the best is returned",
    of=BEAM,
    swap=SORT,
    by=SORT + "[:1]",
    says="You return one target. The caller wants all that were kept, each with its score: how far ahead the best one is, is worth knowing.",
)

# KVCache ----------------------------------------------------------------------------

CACHE = "KVCache"
KEEP_K = "self.k = torch.cat([self.k, k], dim=-2)"
KEEP_V = "self.v = torch.cat([self.v, v], dim=-2)"
ALL = "return self.k, self.v"
COUNT = "return 0 if self.k is None else self.k.size(-2)"

FORGOTTEN = "The cache forgets: each call replaces what was there. Only the newest keys and values are left, and the next token can look at nothing before. Put them *behind* those that are kept."
replaced = Mistake(
    "the old ones are replaced", of=CACHE, swaps={KEEP_K: "self.k = k", KEEP_V: "self.v = v"}, says=FORGOTTEN
)

in_front = Mistake(
    "new ones in front",
    of=CACHE,
    swaps={KEEP_K: "self.k = torch.cat([k, self.k], dim=-2)", KEEP_V: "self.v = torch.cat([v, self.v], dim=-2)"},
    says="The new keys and values stand in front. Attention itself would not notice, but a causal mask goes by places: key i belongs to token i. The oldest comes first.",
)


ELSEWHERE = (
    "The new keys are joined on along another dimension. Then there are longer keys, more heads or more texts, but no more tokens. Of (batch, num_heads, length, d_head) it is `length` that grows: "
    "`dim=-2`. `torch.cat` takes dimension 0 unless told otherwise."
)


def _joined(dim: int) -> Mistake:
    return Mistake(
        "joined along another dimension",
        of=CACHE,
        swaps={
            KEEP_K: f"self.k = torch.cat([self.k, k], dim={dim})",
            KEEP_V: f"self.v = torch.cat([self.v, v], dim={dim})",
        },
        says=ELSEWHERE,
    )


along_features, along_heads, along_batch = _joined(-1), _joined(1), _joined(0)

KEYS_TWICE = "What you keep as values are keys. A token is found by its key, and gives its value: they are different numbers, and attention needs both. `v` goes into `self.v`."
keys_behind = Mistake(
    "keys among the values", of=CACHE, swap=KEEP_V, by="self.v = torch.cat([self.v, k], dim=-2)", says=KEYS_TWICE
)
keys_at_first = Mistake(
    "keys among the values", of=CACHE, swap="self.k, self.v = k, v", by="self.k, self.v = k, k", says=KEYS_TWICE
)

NOT_KEPT = "What you join is returned, but not kept. At the next call the cache is as it was before, and the tokens of this call are missing. Write it into `self.k` and `self.v`."
not_kept = Mistake(
    "what is joined is not kept",
    of=CACHE,
    swaps={
        KEEP_K: "k = torch.cat([self.k, k], dim=-2)",
        KEEP_V: "v = torch.cat([self.v, v], dim=-2)\n            return k, v",
    },
    says=NOT_KEPT,
)

exchanged = Mistake(
    "keys and values exchanged",
    of=CACHE,
    swap=ALL,
    by="return self.v, self.k",
    says="Keys and values come back in each other's place. `append` returns first the keys, then the values.",
)

ONLY_NEW = "You return the new keys and values only. Attention needs all that have been read: return what is kept, after appending."
only_new = Mistake("returns only the new ones", of=CACHE, swap=ALL, by="return k, v", says=ONLY_NEW)

values_lost = Mistake(
    "only the keys are kept",
    of=CACHE,
    swap=KEEP_V,
    by="self.v = v",
    says="The keys grow, the values do not. Every key needs its value: what is found under it. Append both.",
)

keys_lost = Mistake(
    "only the values are kept",
    of=CACHE,
    swap=KEEP_K,
    by="self.k = k",
    says="The values grow, the keys do not. Every value needs its key, by which it is found. Append both.",
)

calls_counted = Mistake(
    "counts calls, not tokens",
    of=CACHE,
    swaps={
        "return 0 if self.k is None else self.k.size(-2)": 'return getattr(self, "calls", 0)',
        "if self.k is None or self.v is None:": 'self.calls = getattr(self, "calls", 0) + 1\n        if self.k is None or self.v is None:',
    },
    says="`length` counts the calls of `append`. A call may bring several tokens. Take the size of what is kept.",
)

WRONG_SIZE = "`length` is the size of another dimension. Tokens lie in dimension -2 of (batch, num_heads, length, d_head); the other three never change."
of_heads = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(1)", says=WRONG_SIZE
)
of_batch = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(0)", says=WRONG_SIZE
)
of_features = Mistake(
    "the size of another dimension", of=CACHE, swap="self.k.size(-2)", by="self.k.size(-1)", says=WRONG_SIZE
)

# CachedDecoder ----------------------------------------------------------------------------

DECODER = "CachedDecoder"
ATTEND = "CachedDecoder.attend"
RUN = "CachedDecoder.run_layer"
FORWARD = "CachedDecoder.forward"
MASK = "causal_mask(self.length + x.size(1))[self.length :]"
KEYS = "split_heads(attention.k_proj(new), heads)"
VALUES = "split_heads(attention.v_proj(new), heads)"
OWN = "self.attend(layer.self_attn, h, h, own, self_mask)"
CROSS = "self.attend(layer.cross_attn, h, unread, cross, cross_mask)"
UNREAD = "unread = memory if cross.length == 0 else None"

RESTART = "Your mask begins at position 0 again. The new tokens are taken for the first ones of the text, and see as little as those. They stand behind all that is in the cache: take the *last* rows of the causal mask."
restarts = Mistake(
    "the mask begins at position 0 again",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(self.length + x.size(1))[: x.size(1)]",
    says=RESTART,
)

MASK_NEW = "Your mask has columns for the new tokens only. One token at a time that does not show, because its single True stands for every key. Several at once, it does not fit: they look at all that is in the cache. A row for each new token, a column for every token so far."
new_columns = Mistake(
    "the mask is for the new tokens only",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(x.size(1))",
    says=MASK_NEW,
)
turned_mask = Mistake(
    "the mask the wrong way round",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by=f"~{MASK}",
    says='Your mask hides what may be seen and shows what may not. Here True means "may look", as in every lesson of this course; no `~` is needed.',
)

NO_MASK = "New tokens that come together see each other's future. One at a time there is nothing to hide, so nothing shows; two at a time, the first must not see the second. Each new token needs its own row of the causal mask."
no_mask = Mistake(
    "new tokens see those after them",
    of=DECODER,
    inside=FORWARD,
    swap=MASK,
    by="causal_mask(self.length + x.size(1)).new_ones(x.size(1), self.length + x.size(1))",
    says=NO_MASK,
)

mask_too_late = Mistake(
    "the mask is made when the cache has grown",
    of=DECODER,
    inside=FORWARD,
    swap="x = self.run_layer(number, x, memory, self_mask, cross_mask)",
    by="x = self.run_layer(number, x, memory, causal_mask(self.length + x.size(1))[-x.size(1) :], cross_mask)",
    says="The mask is made anew for every layer. But `self.length` has grown once the first layer has run: from the second layer on your mask has columns for tokens that do not exist. "
    "Make it once, before the first layer.",
)

QUERIES_KEPT = "What you put into the cache as keys are queries. A query is asked once, by its own token, and never needed again; what later tokens look at are keys. `k_proj` makes them."
queries_kept = Mistake(
    "queries are cached as keys",
    of=DECODER,
    inside=ATTEND,
    swap=KEYS,
    by="split_heads(attention.q_proj(new), heads)",
    says=QUERIES_KEPT,
)
keys_ask = Mistake(
    "keys are asked in the place of queries",
    of=DECODER,
    inside=ATTEND,
    swap="split_heads(attention.q_proj(query), heads)",
    by="split_heads(attention.k_proj(query), heads)",
    says="Your queries are made by `k_proj`. Each of the three projections has its task: `q_proj` makes what is asked.",
)
keys_as_values = Mistake(
    "keys are cached as values",
    of=DECODER,
    inside=ATTEND,
    swap=VALUES,
    by="split_heads(attention.k_proj(new), heads)",
    says="Keys and values in your cache are the same. A token presents itself by its key and gives its value; `v_proj` makes the values.",
)

AGAIN = (
    "The memory is put into the cache at every call. It is the same at every call: after the first its keys and values are there. Without a mask the result is right all the same, as everything "
    "stands there equally often, and only the work grows. Append it when the cross-attention's cache is empty."
)
memory_again = Mistake(
    "the memory is appended at every call", of=DECODER, inside=RUN, swap=UNREAD, by="unread = memory", says=AGAIN
)

RECOMPUTED = "The source's keys and values are computed anew for every token. The numbers are right, and the work is what a cache is there to save: the memory never changes. Keep what was computed at the first call."
memory_recomputed = Mistake(
    "the memory is projected at every call",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, memory, KVCache(), cross_mask)",
    says=RECOMPUTED,
)

ONE_CACHE = "All layers share one cache. Each layer makes keys of its own from its own tokens, and must find no other layer's among them. One cache for every layer: a list of different objects."
one_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside="CachedDecoder.reset",
    swap="self.self_caches = [KVCache() for _ in self.decoder.layers]",
    by="self.self_caches = [KVCache()] * len(self.decoder.layers)",
    says=ONE_CACHE,
)

every_self_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside=RUN,
    swap="own, cross = self.self_caches[number], self.cross_caches[number]",
    by="own, cross = self.self_caches[0], self.cross_caches[0]",
    says=ONE_CACHE,
)
both_multiplied = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside="CachedDecoder.reset",
    swaps={
        "self.self_caches = [KVCache() for _ in self.decoder.layers]": "self.self_caches = [KVCache()] * len(self.decoder.layers)",
        "self.cross_caches = [KVCache() for _ in self.decoder.layers]": "self.cross_caches = [KVCache()] * len(self.decoder.layers)",
    },
    says=ONE_CACHE,
)
one_cross_cache = Mistake(
    "one cache for all layers",
    of=DECODER,
    inside=RUN,
    swap="self.cross_caches[number]",
    by="self.cross_caches[0]",
    says=ONE_CACHE,
)

ONE_FOR_BOTH = "Target and source share one cache. The tokens that were written and those of the memory then stand behind each other, and each attention reads both. `own` is the target's, `cross` the source's."
one_for_both = Mistake(
    "one cache for target and source",
    of=DECODER,
    inside="CachedDecoder.reset",
    swap="self.cross_caches = [KVCache() for _ in self.decoder.layers]",
    by="self.cross_caches = self.self_caches",
    says=ONE_FOR_BOTH,
)
own_for_both = Mistake(
    "one cache for target and source",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, None, own, cross_mask)",
    says=ONE_FOR_BOTH,
)

SHARED = (
    "Two texts share one cache. Yours hang on the decoder's layers, and there is one decoder: a second CachedDecoder, for another text or another beam, writes into what the first one reads. "
    "Each has caches of its own, `self.self_caches` and `self.cross_caches`."
)
on_the_layers = Mistake(
    "two texts share one cache",
    of=DECODER,
    swaps={
        "self.self_caches = [KVCache() for _ in self.decoder.layers]": "self.self_caches = [vars(one).__setitem__('own', KVCache()) for one in self.decoder.layers]",
        "self.cross_caches = [KVCache() for _ in self.decoder.layers]": "self.cross_caches = [vars(one).__setitem__('cross', KVCache()) for one in self.decoder.layers]",
        "own, cross = self.self_caches[number], self.cross_caches[number]": "own, cross = vars(layer)['own'], vars(layer)['cross']",
        "return self.self_caches[0].length": "return vars(self.decoder.layers[0])['own'].length",
    },
    says=SHARED,
)

no_cache = Mistake(
    "the target is not cached",
    of=DECODER,
    inside=RUN,
    swap=OWN,
    by="self.attend(layer.self_attn, h, h, KVCache(), None)",
    says="New tokens see only each other. What was read before is in no cache, so that every token is alone with itself. Append its keys and values to the layer's own cache, and attend to all that is in it.",
)

NORM_LOST = "The norm at the end of the stack is missing. With pre-norm nothing else normalizes the sum that leaves the last layer. `self.decoder.norm`, where it is not None."
norm_lost = Mistake(
    "no norm at the end",
    of=DECODER,
    inside=FORWARD,
    swap="return x if self.decoder.norm is None else self.decoder.norm(x)",
    by="return x",
    says=NORM_LOST,
)

CROSS_OPEN = (
    "The source's padding is read. `cross_mask` says where the source has real tokens; hand it to the cross-attention."
)
cross_open = Mistake(
    "the source's mask is not used",
    of=DECODER,
    inside=RUN,
    swap=CROSS,
    by="self.attend(layer.cross_attn, h, unread, cross, None)",
    says=CROSS_OPEN,
)

UNNORMED = "Into the cache goes x, not what the norm made of it. With pre-norm the sublayer reads the *normalized* tokens: the queries are made of those, and so must be keys and values. Both come from `h`, the sublayer's argument."
unnormed = Mistake(
    "keys and values of tokens before the norm",
    of=DECODER,
    inside=RUN,
    swaps={
        UNREAD: "unread, before = memory if cross.length == 0 else None, x",
        OWN: "self.attend(layer.self_attn, h, before, own, self_mask)",
    },
    says=UNNORMED,
)

asks_unnormed = Mistake(
    "queries of tokens before the norm",
    of=DECODER,
    inside=RUN,
    swaps={
        UNREAD: "unread, before = memory if cross.length == 0 else None, x",
        OWN: "self.attend(layer.self_attn, before, h, own, self_mask)",
    },
    says="The queries are made of x, not of what the norm made of it. With pre-norm the sublayer reads the *normalized* tokens, for queries, keys and values alike: `h`, the sublayer's argument.",
)
memory_normed = Mistake(
    "the memory is normalized",
    of=DECODER,
    inside=RUN,
    swap=UNREAD,
    by="unread = layer.norm2(memory) if cross.length == 0 else None",
    says="The memory goes through the layer's norm. That norm is for the target's tokens; the encoder has dealt with its own. Hand the memory over as it comes.",
)

NO_SUBLAYER = "The feed-forward network is not run. A decoder layer has three sublayers: self-attention, cross-attention, and after them `layer.feed_forward`, with `norm3`."
no_feed_forward = Mistake(
    "the feed-forward network is missing",
    of=DECODER,
    inside=RUN,
    swap="return add_norm(x, layer.feed_forward, layer.norm3, layer.dropout, layer.norm_first)",
    by="return x",
    says=NO_SUBLAYER,
)
ONE_NORM = "One norm serves several sublayers. Each has its own: `norm1` for the self-attention, `norm2` for the cross-attention, `norm3` for the feed-forward network."
one_norm = Mistake(
    "one norm for several sublayers",
    of=DECODER,
    inside=RUN,
    swap="layer.norm2",
    by="layer.norm1",
    says=ONE_NORM,
)
one_norm_of_three = Mistake(
    "one norm for several sublayers",
    of=DECODER,
    inside=RUN,
    swaps={"layer.norm2": "layer.norm1", "layer.norm3": "layer.norm1"},
    says=ONE_NORM,
)

LAYERS = "Not every layer is run in its turn. The stack has several, each with its own weights and its own two caches. `run_layer(number, ...)` for every number, each on what the one before has made."
first_layer_only = Mistake(
    "every layer is the first",
    of=DECODER,
    inside=FORWARD,
    swap="self.run_layer(number, x",
    by="self.run_layer(0, x",
    says=LAYERS,
)
one_layer_only = Mistake(
    "only the first layer is run",
    of=DECODER,
    inside=FORWARD,
    swap="range(len(self.decoder.layers))",
    by="range(1)",
    says=LAYERS,
)

ALWAYS_POST = "Every layer runs as post-norm. `layer.norm_first` says which it is; hand it to `add_norm`, which otherwise takes the paper's order."
always_post = Mistake(
    "pre-norm is ignored",
    of=DECODER,
    inside=RUN,
    swaps={
        "layer.norm1, layer.dropout, layer.norm_first": "layer.norm1, layer.dropout",
        "layer.norm2, layer.dropout, layer.norm_first": "layer.norm2, layer.dropout",
        "layer.norm3, layer.dropout, layer.norm_first": "layer.norm3, layer.dropout",
    },
    says=ALWAYS_POST,
)

always_pre = Mistake(
    "post-norm is ignored",
    of=DECODER,
    inside=RUN,
    swaps={
        "layer.norm1, layer.dropout, layer.norm_first": "layer.norm1, layer.dropout, True",
        "layer.norm2, layer.dropout, layer.norm_first": "layer.norm2, layer.dropout, True",
        "layer.norm3, layer.dropout, layer.norm_first": "layer.norm3, layer.dropout, True",
    },
    says="Every layer runs as pre-norm. `layer.norm_first` says which it is; hand it to `add_norm`.",
)

no_out = Mistake(
    "no output projection",
    of=DECODER,
    inside=ATTEND,
    swap="attention.out_proj(merge_heads(output))",
    by="merge_heads(output)",
    says="The heads stand side by side and never mix. After merging comes `attention.out_proj`, as in MultiHeadAttention.",
)

last_one = Mistake(
    "only the last new token is returned",
    of=DECODER,
    inside=FORWARD,
    swap="for number in range(len(self.decoder.layers)):\n            x = self.run_layer(number, x, memory, self_mask, cross_mask)",
    by="for number in range(len(self.decoder.layers)):\n            x = self.run_layer(number, x, memory, self_mask, cross_mask)\n        x = x[:, -1:]",
    says="Only the last of the new tokens comes back. Whoever hands over three wants three; picking the last place is the caller's affair.",
)

# greedy_decode_cached, what it has of its own ----------------------------------------------------------------------------

START = "model.positions(model.tgt_embedding(newest), start=decoder.length)"
RUN_ALL = "model.output(decoder(x, memory, src_mask))"

AT_ZERO = "Every token is told that it stands at position 0. The decoder sees one new token at a time, but that does not make it the first of the text. It stands where the cache ends: `start=decoder.length`."
at_zero = Mistake(
    "positions restart at 0", of=CACHED, swap=START, by="model.positions(model.tgt_embedding(newest))", says=AT_ZERO
)

from_one = Mistake(
    "positions are one too large",
    of=CACHED,
    swap=START,
    by="model.positions(model.tgt_embedding(newest), start=decoder.length + 1)",
    says="Every token is placed one too far. The first stands at position 0, where the cache is empty: `start=decoder.length`, read before the decoder runs.",
)

no_positions = Mistake(
    "positions are not added",
    of=CACHED,
    swap=START,
    by="model.tgt_embedding(newest)",
    says="The tokens have no positions. `model.decode` adds them; the decoder alone does not. `model.positions(..., start=decoder.length)`.",
)

EVERYTHING_AGAIN = "All that has been written is fed again at every step. The cache holds those tokens already, and now holds them twice, at wrong positions. With a cache, hand over the newest token only."
GROWING = "written.append(best.unsqueeze(1))\n        newest = torch.cat([newest, best.unsqueeze(1)], dim=1)"
NEWEST = "newest = best.unsqueeze(1)\n        written.append(newest)"
everything_again_at_zero = Mistake(
    "the whole target is fed again",
    of=CACHED,
    swaps={NEWEST: GROWING, START: "model.positions(model.tgt_embedding(newest))"},
    says=EVERYTHING_AGAIN,
)
bos_again = Mistake(
    "bos_id is fed at every step",
    of=CACHED,
    swap=NEWEST,
    by="written.append(best.unsqueeze(1))",
    says="The decoder is handed bos_id at every step. `newest` is never renewed, so the decoder does not learn what it has written. The best tokens of a step are the newest of the next.",
)
everything_again = Mistake("the whole target is fed again", of=CACHED, swap=NEWEST, by=GROWING, says=EVERYTHING_AGAIN)

EMPTIED = "The cache is emptied at every step. Then the newest token is all that the decoder knows. Make the CachedDecoder once, before the loop."
emptied = Mistake(
    "the cache is emptied at every step",
    of=CACHED,
    swap=START,
    by="(decoder.reset(), model.positions(model.tgt_embedding(newest), start=len(written)))[1]",
    says=EMPTIED,
)
emptied_at_zero = Mistake(
    "the cache is emptied at every step",
    of=CACHED,
    swap=START,
    by="(decoder.reset(), model.positions(model.tgt_embedding(newest)))[1]",
    says=EMPTIED,
)

padding_read = Mistake(
    "the source's padding is read",
    of=CACHED,
    swap=RUN_ALL,
    by="model.output(decoder(x, memory))",
    says="The decoder reads the source's padding. In a batch the shorter sources are padded, and the memory has a vector there too. Hand over the source's mask.",
)

padding_alone_read = Mistake(
    "the source's mask the wrong way round",
    of=CACHED,
    swap="padding_mask(src_ids, pad_id)",
    by="~padding_mask(src_ids, pad_id)",
    says='The decoder reads the source\'s padding, and nothing else of it. True means "may look": it stands where there is a real token, `src_ids != pad_id`, which is what `padding_mask` gives.',
)

source_table = Mistake(
    "the source's table for the target",
    of=CACHED,
    swap=START,
    by="model.positions(model.src_embedding(newest), start=decoder.length)",
    says="The target's tokens are looked up in the source's table. They have one of their own: `model.tgt_embedding`.",
)

features_for_tokens = Mistake(
    "the output layer is left out",
    of=CACHED,
    swap=RUN_ALL,
    by="decoder(x, memory, src_mask)",
    says="You take the largest *feature* for a token. What leaves the decoder is a vector of d_model features; `model.output` makes a score for every token of it.",
)

WITHOUT = "The cache is not used. The targets are right, and everything is computed again at every step, which is what this function is there to avoid. Encode once, and hand the CachedDecoder one new token at a time."


def _uncached(model: Any, src_ids: Tensor, bos_id: int, eos_id: int, max_len: int) -> Tensor:
    from solutions.decoding import greedy_decode

    return greedy_decode(model, src_ids, bos_id, eos_id, max_len)


without = Mistake("everything is computed again", of=CACHED, instead=_uncached, says=WITHOUT)
encoded_again = Mistake(
    "the source is encoded at every step",
    of=CACHED,
    swap=RUN_ALL,
    by="model.output(decoder(x, model.encode(src_ids), src_mask))",
    says="The source is encoded at every step. It does not change, and its keys and values are in the cache after the first. Encode before the loop.",
)
