"""Wrong ways of beam search."""

from autograder.mistakes.decoding.greedy import LAST_ONLY, NO_SOURCE, ONE_LESS
from autograder.probing.mistake import Mistake

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
