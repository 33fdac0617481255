"""Wrong ways of beam search."""

from autograder.checks.decoding import beam_search
from autograder.mistakes.decoding.greedy import LAST_ONLY, NO_SOURCE, ONE_LESS
from autograder.probing.mistake import edit

IN_MODEL = "model(src_ids.expand(len(beams), -1), tgt_ids)[:, -1]"
SO_FAR = "so_far + logits.log_softmax(dim=-1)"
PLACES = "places = min(beam_size - len(ended), totals.numel())"
SCORE = "total / ((5 + len(tokens)) / 6) ** length_penalty"
ALL_SCORED = f"[(tokens, {SCORE}) for tokens, total in ended + beams]"
SORT = "return sorted(scored, key=lambda one: one[1], reverse=True)"
GO_ON = "beams = [one for one in continued if one[0][-1] != eos_id]"
NO_BEAM = "if not beams:"

beam_search.mistake(
    "log-probabilities are not added up",
    "Only the last token counts. A target is as probable as all its tokens together, and the logarithm of a product is a sum. Add the beam's total to the log-probabilities of its next token.",
    {SO_FAR: "0 * so_far + logits.log_softmax(dim=-1)"},
)

beam_search.mistake(
    "probabilities are added, not logarithms",
    "Probabilities are added up, not their logarithms. The probability of a text is the *product* of the probabilities of its tokens; a sum grows with "
    "every token, however unlikely. Take `log_softmax`.",
    {SO_FAR: "so_far + logits.softmax(dim=-1)"},
)

beam_search.mistake(
    "logits are added up as they are",
    "Scores before the softmax are added up. Such scores compare the tokens of one place with each other; they cannot be compared between places or "
    "beams. `log_softmax` turns them into logarithms of probabilities.",
    {SO_FAR: "so_far + logits"},
)

beam_search.mistake(
    "each beam is continued with its best token only",
    "From the second step on every beam is continued greedily. The two best continuations of one beam may both be better than the best continuation of "
    "another. Look for the best in the whole table of beams and tokens.",
    {
        SO_FAR: "so_far + logits.log_softmax(dim=-1).masked_fill((logits < logits.amax(-1, keepdim=True)) & (so_far < 0), -1e9)"
    },
    edit(
        {
            "best = totals.flatten().topk(places)": "best = totals.max(dim=-1)",
            "best.indices.tolist(), strict=True": "(best.indices + torch.arange(len(totals)) * totals.size(1)).tolist(), strict=True",
        },
        says="Every beam is continued with its best token only, from the first step on. The search begins with one beam, so there is never more than "
        "one, and it is what greedy decoding writes. Look for the best in the "
        "whole table of beams and tokens.",
    ),
)

beam_search.mistake(
    "begins with several equal beams",
    "You begin with several equal beams. They all have the same continuations, and the best continuation is found as often as there are beams. Begin "
    "with a single beam, with the total 0.",
    {"= [([], 0.0)]": "= [([], 0.0)] * beam_size"},
)

beam_search.mistake(
    "targets that have ended go on",
    "A target that has ended is continued. What the model writes after eos_id means nothing, and changes the total. Put targets that end with eos_id "
    "aside, and go on with the rest.",
    {"ended += [one for one in continued if one[0][-1] == eos_id]": "", GO_ON: "beams = continued"},
    {GO_ON: "beams = continued", NO_BEAM: "if len(ended) >= beam_size:"},
    {GO_ON: "beams = continued"},
)

FULL = (
    "The places of ended targets are filled again. Here a target that ends keeps its place, so that the search narrows and ends by itself. Many implementations keep the beam full, as yours does, and then need "
    "a rule for when to stop; that is another convention."
)
FILLED = {PLACES: "places = min(beam_size, totals.numel())"}

beam_search.mistake(
    "the beam is filled up again",
    FULL,
    FILLED | {SORT: SORT + "[:beam_size]"},
    edit(FILLED, says=FULL + " (And you return all targets that have ended, which may be more than beam_size.)"),
    FILLED | {NO_BEAM: "if not beams or len(ended) >= beam_size:", SORT: SORT + "[:beam_size]"},
    FILLED | {NO_BEAM: "if not beams or len(ended) >= beam_size:"},
)

beam_search.mistake(
    "targets that have ended are lost",
    "Targets that ended early are not in the result. They are complete, and have to be ranked with the others.",
    {"in ended + beams]": "in beams]"},
)

beam_search.mistake(
    "targets that have not ended are lost",
    "Targets that max_len cuts off are not in the result. They have not ended, but the search has found them; with a small max_len there may be nothing "
    "else. Rank `ended + beams`.",
    {"in ended + beams]": "in ended]"},
    edit(
        {"in ended + beams]": "in (ended or beams)]"},
        says="Targets that max_len cuts off are in your result only where none has ended. The search has found them too, and they may be more probable "
        "than targets that have ended. Rank `ended + beams`.",
    ),
)

beam_search.mistake(
    "stops when the first has ended",
    "The search stops as soon as one target has ended. A longer target may be more probable, or score better. Go on until no beam is left, or max_len "
    "is reached.",
    {NO_BEAM: "if ended or not beams:"},
)

beam_search.mistake(
    "the length does not count",
    "Targets are compared without regard to their length. Every token makes a target less probable, so the shortest target wins, often an empty one. "
    "Divide by ((5 + n) / 6)^length_penalty before you rank.",
    {SCORE: "total"},
)

beam_search.mistake(
    "divided by the length itself",
    "You divide by the length to the power of length_penalty. Some libraries do; here, as in the paper that is cited, it is ((5 + n) / "
    "6)^length_penalty, which is 1 for a single token and changes short targets less.",
    {SCORE: "total / len(tokens) ** length_penalty"},
    {SCORE: "total / len(tokens)"},
)

beam_search.mistake(
    "the length counts for a part only",
    "Only a part of the targets is divided by the penalty. Scores are then ranked together with plain log-probabilities, which are further from 0, so "
    "targets that have ended cannot be compared with targets that max_len cuts off. Use the same formula for all, at the very end.",
    {ALL_SCORED: f"[(tokens, {SCORE}) for tokens, total in ended] + beams"},
    {ALL_SCORED: f"ended + [(tokens, {SCORE}) for tokens, total in beams]"},
)

beam_search.mistake(
    "multiplied by the penalty",
    "You multiply by the penalty. Log-probabilities are negative: multiplying makes long targets worse still. Divide.",
    {SCORE: "total * ((5 + len(tokens)) / 6) ** length_penalty"},
)

beam_search.mistake(
    "bos_id counts in the length",
    "Your length is one too large. bos_id was given and is not part of the target: n is the number of tokens written, eos_id included.",
    {SCORE: "total / ((6 + len(tokens)) / 6) ** length_penalty"},
)

beam_search.mistake(
    "eos_id does not count in the length",
    "Your length is one too small where a target has ended. eos_id is a token that the model wrote, with a probability of its own: n counts it.",
    {SCORE: "total / ((5 + len(tokens) - (tokens[-1] == eos_id)) / 6) ** length_penalty"},
)

beam_search.mistake(
    "the brackets of the penalty",
    "The brackets of the penalty are in the wrong place. 5 + n is divided by 6 first, and the quotient is raised to the power: `total / ((5 + n) / 6) "
    "** length_penalty`. In Python `**` comes before `/`, and `a / b / c` divides twice.",
    {SCORE: "total / (5 + len(tokens)) / 6**length_penalty"},
    {SCORE: "total / (5 + len(tokens) / 6) ** length_penalty"},
    {SCORE: "total / ((5 + len(tokens)) / 6**length_penalty)"},
    {SCORE: "total / (5 + len(tokens)) ** length_penalty / 6"},
    {SCORE: "total / ((5 + len(tokens)) ** length_penalty / 6)"},
    edit(
        {SCORE: "total / (5 + len(tokens)) ** length_penalty"},
        says="The 6 of the penalty is missing. The formula is ((5 + n) / 6)^length_penalty, so that a target of one token is divided by 1.",
    ),
)

beam_search.mistake(
    "the penalty during the search",
    "The penalty is applied at every step, to totals that were divided before. The total of a beam has to stay a sum of log-probabilities until the "
    "very end; during the search all continuations have the same length and need no penalty.",
    {SO_FAR: f"({SO_FAR}) / ((5 + tgt_ids.size(1)) / 6) ** length_penalty"},
)

beam_search.mistake(
    "probabilities, not their logarithms",
    "Your scores are made of probabilities, not of their logarithms. A target of log-probability p scores p / ((5 + n) / 6)^length_penalty; a "
    "probability that is divided by a larger number for a longer target favours short targets.",
    {SCORE: f"2.718281828459045 ** {SCORE}"},
    edit(
        {SCORE: "2.718281828459045**total"},
        says="Your scores are the probabilities of the targets. A target of log-probability p scores p / ((5 + n) / 6)^length_penalty: take the logarithm, and divide it.",
    ),
)

beam_search.mistake(
    "eos_id is not in the result",
    "eos_id is not in the targets. eos_id tells a target that has ended from a target that max_len has cut off, so it is kept.",
    {"scored = [(tokens, ": "scored = [([one for one in tokens if one != eos_id], "},
    edit(
        {
            "scored = [(tokens, ": "scored = [([one for one in tokens if one != eos_id], ",
            "(5 + len(tokens))": "(5 + len(tokens) - (tokens[-1] == eos_id))",
        },
        says="eos_id is neither in the targets nor in their length. eos_id tells a target that has ended from a target that max_len has cut off, and it "
        "is a token that the model wrote, with a probability of its own.",
    ),
)

beam_search.mistake(
    "some tokens are never written",
    "You leave tokens out of the search. A target is continued with *every* token of the vocabulary, even bos_id and padding: the model says how "
    "improbable they are.",
    *(
        {SO_FAR: f"({SO_FAR}).index_fill(1, torch.tensor([{ids}]), float('-inf'))"}
        for ids in ("model.config.pad_id", "bos_id", "model.config.pad_id, bos_id")
    ),
)

beam_search.mistake(
    "one token too many",
    "You write one token more than max_len. `range(max_len)` runs max_len times, as it should.",
    {"range(max_len)": "range(max_len + 1)"},
)

beam_search.mistake(
    "the result is not sorted by score",
    "The targets come in the order in which they ended. The caller needs the best target first: sort by score, the highest first.",
    {SORT: "return scored"},
)

beam_search.mistake(
    "the worst comes first",
    "The worst target comes first. `sorted` begins with the smallest: `reverse=True`. A score closer to 0 is better.",
    {SORT: "return sorted(scored, key=lambda one: one[1])"},
)

beam_search.mistake(
    "ranked before the penalty",
    "You rank by log-probability and work out the scores afterwards. Then the penalty changes the scores but not the order. Sort by score.",
    {"in ended + beams]": "in sorted(ended + beams, key=lambda one: -one[1])]", SORT: "return scored"},
)

beam_search.mistake(
    "bos_id is in the result",
    "bos_id is still in the targets. It was given, and the model did not write it. Leave it out.",
    {"scored = [(tokens, ": "scored = [([bos_id, *tokens], "},
)

beam_search.mistake(
    "feeds only the last token",
    LAST_ONLY,
    {IN_MODEL: "model(src_ids.expand(len(beams), -1), tgt_ids[:, -1:])[:, -1]"},
)

beam_search.mistake(
    "the source is not read",
    NO_SOURCE,
    {IN_MODEL: "model(tgt_ids, tgt_ids)[:, -1]"},
)

beam_search.mistake(
    "one token too few",
    ONE_LESS,
    {"range(max_len)": "range(max_len - 1)"},
)

beam_search.mistake(
    "beams share one list",
    "Beams write into one list. `append` changes the list of the beam that is continued, and all its continuations share this list, so each of them "
    "grows by the tokens of the others. Make a new list: `[*tokens, token]`.",
    {
        "continued.append(([*beams[beam][0], token], total))": "beams[beam][0].append(token)\n            continued.append((beams[beam][0], total))"
    },
)

beam_search.mistake(
    "only the best is returned",
    "You return one target. Return all that were kept, each with its score, so that the caller sees how far ahead the best target is.",
    {SORT: SORT + "[:1]"},
    {SORT: SORT + "[0]"},
)

SORTED = "return sorted(scored, key=lambda one: one[1], reverse=True)"

beam_search.mistake(
    "no lists",
    "What comes back is not made of lists. A list of pairs is promised, and in each pair the target as a list of tokens, so that `[bos_id, *tokens]` and `tokens == other` do what one expects.",
    {SORTED: f"{SORTED.replace('return ', 'return tuple(')})"},
    {SORTED: f"{SORTED.replace('return ', 'return [(torch.tensor(tokens), score) for tokens, score in ')}]"},
    {SORTED: f"{SORTED.replace('return ', 'return [(tuple(tokens), score) for tokens, score in ')}]"},
)
