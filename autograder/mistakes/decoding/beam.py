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
ENDED = "ended += [one for one in continued if one[0][-1] == eos_id]"
CONTINUED = "continued.append(([*beams[beam][0], token], total))"
BEAM_AND_TOKEN = "beam, token = divmod(index, totals.size(1))"
BEST = "best = totals.flatten().topk(places)"

beam_search.mistake(
    "log-probabilities are not added up",
    "Only the last token counts. A target is as probable as all its tokens together, and the logarithm of a product is a sum. Add the beam's total to the log-probabilities of its next token.",
    {SO_FAR: "0 * so_far + logits.log_softmax(dim=-1)"},
    edit(
        {CONTINUED: "continued.append(([*beams[beam][0], token], total - beams[beam][1]))"},
        says="What a beam keeps is the log-probability of its last token. A target is as probable as all its tokens together: keep the sum, the number by which the continuation was chosen.",
    ),
)

beam_search.mistake(
    "probabilities are added, not logarithms",
    "Probabilities are added up, not their logarithms. The probability of a text is the *product* of the probabilities of its tokens; a sum grows with "
    "every token, however unlikely. Take `log_softmax`.",
    {SO_FAR: "so_far + logits.softmax(dim=-1)"},
)

beam_search.mistake(
    "log-probabilities are multiplied",
    "Log-probabilities are multiplied. The probabilities of tokens are multiplied, so their logarithms are added: each step adds one number to a beam's total.",
    {SO_FAR: "torch.where(so_far == 0, 1.0, so_far) * logits.log_softmax(dim=-1)"},
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
    edit(
        {"in ended + beams]": "in (beams or ended)]"},
        says="Targets that ended early are in your result only where none goes on. They are complete, and have to be ranked with the others: `ended + beams`.",
    ),
    edit(
        {ENDED: ""},
        says="Targets that have ended are put nowhere. They are complete, keep their places, and have to be ranked with the others: `ended` takes them.",
    ),
    edit(
        {ENDED: "ended += [one for one in continued if one[0][-1] == eos_id][:1]"},
        says="Of several targets that end at one step only the first is kept. All of them are complete, and have to be ranked with the others.",
    ),
    edit(
        {CONTINUED: f"{CONTINUED}\n            if token == eos_id:\n                break"},
        says="After a target that ends, the rest of the step is lost. `break` leaves the loop over the continuations: the others are still to be sorted.",
    ),
)

beam_search.mistake(
    "more continuations than places",
    "You keep more continuations than there are places. Here as many stay as there are places: beam_size, less one for every target that has ended before.",
    *(
        {PLACES: "places = min(2 * beam_size, totals.numel())"} | more
        for more in (
            {SORT: SORT + "[:beam_size]"},
            {},
            {GO_ON: f"{GO_ON}[:beam_size]", SORT: SORT + "[:beam_size]"},
            {
                GO_ON: f"{GO_ON}[:beam_size]",
                SORT: SORT + "[:beam_size]",
                NO_BEAM: "if not beams or len(ended) >= beam_size:",
            },
            {GO_ON: f"{GO_ON}[: beam_size - len(ended)]"},
        )
    ),
    {PLACES: "places = min(beam_size + 1 - len(ended), totals.numel())"},
    edit(
        {PLACES: "places = beam_size - len(ended)"},
        says="You ask for more continuations than there are. With one beam there are as many as the vocabulary has tokens, and beam_size may be more: `min(places, totals.numel())`.",
    ),
)

beam_search.mistake(
    "a place too few",
    "You keep one continuation fewer than there are places. beam_size targets are kept, less one for every target that has ended *before*.",
    {PLACES: "places = min(max(beam_size - 1 - len(ended), 1), totals.numel())"},
    {PLACES: "places = min(beam_size - 1 - len(ended), totals.numel())"},
    {PLACES: "places = max(min(beam_size - len(ended), totals.numel()) - 1, 1)"},
)

beam_search.mistake(
    "places given beam by beam",
    "The places go to the continuations of the first beams. You take the best of each beam, and then as many from the front of the list as there are places. Sort the continuations of all beams together.",
    *(
        {
            BEST: f"few = totals.topk(min({each}, totals.size(1)))\n        indices = few.indices + torch.arange(len(totals)).unsqueeze(1) * totals.size(1)",
            "zip(best.values.tolist(), best.indices.tolist(), strict=True)": "zip(few.values.flatten().tolist()[:places], indices.flatten().tolist()[:places], strict=True)",
        }
        for each in ("places", "beam_size")
    ),
)

beam_search.mistake(
    "the least probable are kept",
    "You keep the least probable continuations. Log-probabilities are negative, and the best are those closest to 0, the largest.",
    {BEST: "best = totals.flatten().topk(places, largest=False)"},
)

beam_search.mistake(
    "beam and token mixed up",
    "Beam and token are not read from the place as they lie in the table. A row of the flattened table has as many entries as the vocabulary has tokens: `divmod(index, totals.size(1))` gives the beam, then the token.",
    {BEAM_AND_TOKEN: "beam, token = index % len(totals), index // len(totals)"},
    {BEAM_AND_TOKEN: "beam, token = index % len(totals), index % totals.size(1)"},
    edit(
        {
            BEAM_AND_TOKEN: "beam, token = sorted(one // totals.size(1) for one in best.indices.tolist())[len(continued)], index % totals.size(1)"
        },
        says="Tokens are put behind other beams than those they belong to. Beams and tokens have to stay in one order: that of their totals.",
    ),
    edit(
        {CONTINUED: "continued.append(([*beams[0][0], token], total))"},
        says="Every continuation is made of the first beam. Its total is that of another beam: take the tokens of the beam in whose row the place lies.",
    ),
)

beam_search.mistake(
    "written from the end to the beginning",
    "Your targets stand the wrong way round. A new token comes behind those that the beam has: `[*tokens, token]`.",
    edit(
        {
            CONTINUED: "continued.append(([token, *beams[beam][0]], total))",
            ENDED: "ended += [one for one in continued if one[0][0] == eos_id]",
            GO_ON: "beams = [one for one in continued if one[0][0] != eos_id]",
        },
        says="A new token is put in front of the others. The model reads from left to right: a new token comes behind those that the beam has, `[*tokens, token]`.",
    ),
    {"scored = [(tokens, ": "scored = [(tokens[::-1], "},
)

beam_search.mistake(
    "eos_id costs nothing",
    "A target that ends keeps the total that it had before eos_id. The model wrote that token too, and its log-probability is a part of the sum.",
    {CONTINUED: "continued.append(([*beams[beam][0], token], beams[beam][1] if token == eos_id else total))"},
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
    "another length in the penalty",
    "The length in your penalty is not the number of tokens of the target. It is ((5 + n) / 6)^length_penalty for a target of n tokens, eos_id included.",
    edit(
        {SCORE: "total / ((4 + len(tokens)) / 6) ** length_penalty"},
        says="Your length is one too small for every target. n is the number of tokens written, the first and eos_id among them.",
    ),
    edit(
        {SCORE: "total / (len(tokens) / 6) ** length_penalty"},
        says="The 5 of the penalty is missing. It is ((5 + n) / 6)^length_penalty, so that a target of one token is divided by 1.",
    ),
    edit(
        {SCORE: "total / ((5 + len(tokens)) / 5) ** length_penalty"},
        says="You divide 5 + n by 5. It is ((5 + n) / 6)^length_penalty, so that a target of one token is divided by 1.",
    ),
    edit(
        {SCORE: "total / ((1 + len(tokens)) / 6) ** length_penalty"},
        says="You add 1 to the length, where the formula adds 5: ((5 + n) / 6)^length_penalty.",
    ),
    edit(
        {SCORE: "total / ((5 + max_len) / 6) ** length_penalty"},
        says="You divide all targets by the same number: its length is max_len. It is the length of each target, which is what the penalty is for.",
    ),
    edit(
        {SCORE: "total / ((5 + tgt_ids.size(1)) / 6) ** length_penalty"},
        says="You divide all targets by the same number: its length is that of the last step. It is the length of each target, which is what the penalty is for.",
    ),
)

beam_search.mistake(
    "length_penalty is not used",
    "The exponent of your penalty is always the same. length_penalty is an argument: 0 ranks by log-probability, and more favours the longer.",
    {SCORE: "total / ((5 + len(tokens)) / 6) ** 0.6"},
    {SCORE: "total / ((5 + len(tokens)) / 6)"},
)

beam_search.mistake(
    "multiplied where a power is needed",
    "The penalty is not ((5 + n) / 6) *raised to the power of* length_penalty. In Python that is `**`.",
    {SCORE: "total / ((5 + len(tokens)) / 6 * length_penalty)"},
    {SCORE: "(total / ((5 + len(tokens)) / 6 * length_penalty) if length_penalty else total)"},
)

beam_search.mistake(
    "added instead of divided",
    "You add something for each token, or take it off. The score here is a quotient: the log-probability divided by ((5 + n) / 6)^length_penalty.",
    *(
        {SCORE: f"total {sign} {what}"}
        for sign in "+-"
        for what in ("length_penalty * len(tokens)", "((5 + len(tokens)) / 6) ** length_penalty")
    ),
)

beam_search.mistake(
    "the sign of the score",
    "Your scores have the wrong sign. Log-probabilities are negative, and so are scores; the best is the one closest to 0.",
    {SCORE: "-total / ((5 + len(tokens)) / 6) ** length_penalty"},
    {
        SCORE: "-total / ((5 + len(tokens)) / 6) ** length_penalty",
        SORT: "return sorted(scored, key=lambda one: one[1])",
    },
)

beam_search.mistake(
    "rounded",
    "Your scores are rounded. Two targets may differ in the third digit; whoever prints a score rounds it.",
    *({SCORE: f"round({SCORE}, {digits})"} for digits in (0, 1, 2, 3)),
)

beam_search.mistake(
    "other numbers by default",
    "Without beam_size or length_penalty something else happens than was given: 4 beams and 0.6. Leave the defaults as they are.",
    *({"beam_size: int = 4": f"beam_size: int = {n}"} for n in (1, 2, 3, 5)),
    *({"length_penalty: float = 0.6": f"length_penalty: float = {n}"} for n in (0.0, 1.0)),
)

beam_search.mistake(
    "wrong arguments accepted",
    "Arguments that make no sense are not refused. Raise a ValueError for more or fewer sources than one, and for max_len or beam_size below 1, as the given lines did.",
    {"if max_len < 1 or beam_size < 1:": "if False:"},
    {"if len(src_ids) != 1:": "if False:"},
    {"if max_len < 1 or beam_size < 1:": "if False:", "if len(src_ids) != 1:": "if False:"},
    {"max_len < 1 or beam_size < 1": "beam_size < 1"},
    {"max_len < 1 or beam_size < 1": "max_len < 1"},
)

beam_search.mistake(
    "eos_id does not count in the length",
    "Your length is one too small where a target has ended. eos_id is a token that the model wrote, with a probability of its own: n counts it.",
    {SCORE: "total / ((5 + len(tokens) - (tokens[-1] == eos_id)) / 6) ** length_penalty"},
)

beam_search.mistake(
    "the whole quotient raised",
    "You raise the log-probability to the power as well. Only (5 + n) / 6 is raised: `total / ((5 + n) / 6) ** length_penalty`. A negative number to such a power is a complex number in Python.",
    {SCORE: "-((-total / ((5 + len(tokens)) / 6)) ** length_penalty)"},
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

JUDGED = f"judged = totals.clone()\n        judged[:, eos_id] /= ((5 + tgt_ids.size(1)) / 6) ** length_penalty\n        {BEST.replace('totals', 'judged')}"
VALUES = "zip(best.values.tolist()"
PLACED = "zip(totals.flatten()[best.indices].tolist()"
ONCE = f"total if tokens[-1] == eos_id else {SCORE}"

beam_search.mistake(
    "the penalty during the search",
    "The penalty is applied at every step, to totals that were divided before. The total of a beam has to stay a sum of log-probabilities until the "
    "very end; during the search all continuations have the same length and need no penalty.",
    {SO_FAR: f"({SO_FAR}) / ((5 + tgt_ids.size(1)) / 6) ** length_penalty"},
    *(
        edit(
            {BEST: JUDGED} | more,
            says="Continuations that end are divided by the penalty when the best are chosen, and the others are not. During the search all continuations have the same length: they are compared by their totals.",
        )
        for more in ({VALUES: PLACED}, {}, {SCORE: ONCE})
    ),
    edit(
        {
            CONTINUED: CONTINUED.replace(
                ", total)", ", total / ((6 + len(beams[beam][0])) / 6) ** (length_penalty * (token == eos_id)))"
            )
        },
        says="Targets that have ended are divided by the penalty twice: once when they are put aside, and once more at the end. Their totals have to stay sums of log-probabilities until then.",
    ),
    edit(
        {
            CONTINUED: CONTINUED.replace(
                ", total)", ", total / ((6 + len(beams[beam][0])) / 6) ** (length_penalty * (token != eos_id)))"
            )
        },
        says="Beams that go on are divided by the penalty at every step. The total of a beam has to stay a sum of log-probabilities until the very end.",
    ),
)

beam_search.mistake(
    "probabilities, not their logarithms",
    "Your scores are made of probabilities, not of their logarithms. A target of log-probability p scores p / ((5 + n) / 6)^length_penalty; a "
    "probability that is divided by a larger number for a longer target favours short targets.",
    {SCORE: f"2.718281828459045 ** {SCORE}"},
    edit(
        {SCORE: f"2.718281828459045 ** ({SCORE})"},
        says="You return the exponential of the score. The score is the log-probability divided by the penalty, and it stays below 0.",
    ),
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
    edit(
        {
            SO_FAR: f"({SO_FAR}).index_fill(1, torch.tensor([eos_id] if tgt_ids.size(1) == 1 else [], dtype=torch.long), float('-inf'))"
        },
        says="No target may end with its first token. It may, if the model finds that probable: a target is continued with *every* token of the vocabulary.",
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
    edit(
        {SORT: "return sorted(scored, reverse=True)"},
        says="You sort by the tokens. `sorted` compares pairs by what stands first in them: give it the score as its key.",
    ),
    edit(
        {SORT: "return sorted(scored)"},
        says="You sort by the tokens. `sorted` compares pairs by what stands first in them: give it the score as its key.",
    ),
    edit(
        {SORT: "return sorted(scored, key=lambda one: len(one[0]))"},
        says="You sort by length. The caller needs the best target first: sort by score, the highest first.",
    ),
    edit(
        {SORT: "return scored[::-1]"},
        says="The targets come in the reverse of the order in which they ended. The caller needs the best target first: sort by score, the highest first.",
    ),
)

beam_search.mistake(
    "those that have ended come first",
    "Targets that have ended come first, and those that max_len cuts off behind them. There is one ranking: sort all by score.",
    {SORT: "return sorted(scored, key=lambda one: (one[0][-1] == eos_id, one[1]), reverse=True)"},
    {SCORE: f"({SCORE} if tokens[-1] == eos_id else float('-inf'))"},
)

beam_search.mistake(
    "eos_id put behind what max_len cuts off",
    "Targets that max_len cuts off come back with eos_id behind them. They have not ended: a target without eos_id tells the caller so.",
    {"scored = [(tokens, ": "scored = [(tokens if tokens[-1] == eos_id else [*tokens, eos_id], "},
)

beam_search.mistake(
    "other things in the pairs",
    "What comes back is not made of pairs of a target and its score, in this order.",
    edit(
        {SORT: SORT.replace("return ", "return [one[::-1] for one in ") + "]"},
        says="The score comes first in your pairs. Promised are a target and its score, in this order.",
    ),
    edit(
        {SORT: SORT.replace("return ", "return [one[0] for one in ") + "]"},
        says="The targets come back without their scores. Promised are pairs of a target and its score, so that the caller sees how far ahead the best is.",
    ),
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
    "told without the penalty",
    "You rank by score, and return log-probabilities. What stands beside a target should be its score: the log-probability divided by the penalty.",
    {
        SORT: "return [one for one, _ in sorted(zip(ended + beams, scored), key=lambda both: both[1][1], reverse=True)]",
    },
)

beam_search.mistake(
    "bos_id is in the result",
    "bos_id is still in the targets. It was given, and the model did not write it. Leave it out.",
    {"scored = [(tokens, ": "scored = [([bos_id, *tokens], "},
    edit(
        {"scored = [(tokens, ": "scored = [([bos_id, *tokens], ", "((5 + len(tokens))": "((6 + len(tokens))"},
        says="bos_id is still in the targets, and counts in their length. It was given, and the model did not write it. Leave it out of both.",
    ),
)

beam_search.mistake(
    "a token of every target is lost",
    "A token of every target is not in the result. `tokens` holds what the model wrote, without bos_id: leave nothing out.",
    *(
        edit({"scored = [(tokens, ": f"scored = [(tokens{part}, "} | more, says=says)
        for part, says in (
            (
                "[:-1]",
                "The last token of every target is not in the result. It is eos_id where a target has ended, and belongs to the target.",
            ),
            (
                "[1:]",
                "The first token of every target is not in the result. bos_id alone is left out, and only where it stands in the list.",
            ),
        )
        for more in ({}, {"((5 + len(tokens))": "((4 + len(tokens))"})
    ),
)

beam_search.mistake(
    "feeds only the last token",
    LAST_ONLY,
    {IN_MODEL: "model(src_ids.expand(len(beams), -1), tgt_ids[:, -1:])[:, -1]"},
)

beam_search.mistake(
    "begins with another token",
    "The model is not given bos_id to begin with. It learned to write behind bos_id, and behind any other token it writes something else.",
    {"[[bos_id, *tokens] for": "[[eos_id, *tokens] for"},
    {"[[bos_id, *tokens] for": "[[0, *tokens] for"},
    {"[[bos_id, *tokens] for": "[[model.config.pad_id, *tokens] for"},
)

beam_search.mistake(
    "normalized over other numbers",
    "The log-probabilities are not those of a beam's next token. They are normalized over the vocabulary, for each beam by itself: `log_softmax(dim=-1)`.",
    {SO_FAR: "so_far + logits.flatten().log_softmax(dim=0).view_as(logits)"},
    {SO_FAR: "so_far + torch.nn.functional.logsigmoid(logits)"},
)

beam_search.mistake(
    "a logarithm of another base",
    "Your logarithm has another base. Log-probabilities are natural logarithms here: take `log_softmax`.",
    {SO_FAR: "so_far + logits.softmax(dim=-1).log10()"},
    {SO_FAR: "so_far + logits.softmax(dim=-1).log2()"},
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
