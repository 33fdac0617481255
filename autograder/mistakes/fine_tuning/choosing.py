"""Wrong ways of best_span."""

from autograder.checks.fine_tuning.choosing import best_span
from autograder.probing.mistake import edit

FIRSTS = "range(len(start))"
LASTS = "range(first, min(first + max_len, len(start)))"
FORBIDDEN = "if not allowed[last]:\n                break  # nor may a longer one from here"
SCORE = "(start[first] + end[last]).item()"
BEST = "_, first, stop = max(found)"
OR_NONE = f"if not found:\n        return None\n    {BEST}"
DONE = "return first, stop"
APPEND = "found.append(((start[first] + end[last]).item(), first, last + 1))"

SEEN = "start.masked_fill(~allowed, float('-inf'))"
SEEN_END = "end.masked_fill(~allowed, float('-inf'))"

best_span.mistake(
    "start and end each by itself",
    "You take the best start and the best end, each by itself. Together they may be no span: the end may stand before the start, or too far behind it, or across what is not allowed. Compare whole spans, by the sum of their two scores.",
    {DONE: f"return int({SEEN}.argmax()), int({SEEN_END}.argmax()) + 1"},
    edit(
        {DONE: "return int(start.argmax()), int(end.argmax()) + 1"},
        says="You take the best start and the best end, each by itself and wherever they stand, also where no answer may lie. Compare whole spans that may be answers, by the sum of their two scores.",
    ),
    {BEST: f"first, stop = int({SEEN}.argmax()), int({SEEN_END}.argmax()) + 1"},
)

best_span.mistake(
    "the best start first",
    "You take the best start and then the best end that fits it. A start that is nearly as good may have a much better end. Compare whole spans, by the sum of their two scores.",
    {BEST: f"best = int({SEEN}.argmax())\n    _, first, stop = max(one for one in found if one[1] == best)"},
    edit(
        {
            BEST: "best = max(found, key=lambda one: start[one[1]])[1]\n    _, first, stop = max(one for one in found if one[1] == best)"
        },
        says="You take the best start and then the best end that fits it. A start that is nearly as good may have a much better end. Compare whole spans, by the sum of their two scores.",
    ),
    {FIRSTS: f"[int({SEEN}.argmax())]"},
)

best_span.mistake(
    "the best end first",
    "You take the best end and then the best start that fits it. An end that is nearly as good may have a much better start. Compare whole spans, by the sum of their two scores.",
    {BEST: f"best = int({SEEN_END}.argmax()) + 1\n    _, first, stop = max(one for one in found if one[2] == best)"},
    {APPEND: f"if last == int({SEEN_END}.argmax()):\n                {APPEND}"},
)

WITHIN = "range(max(0, first - max_len + 1), min(first + max_len, len(start)))"
BEFORE = "range(min(first + max_len, len(start)))"

best_span.mistake(
    "the end may stand before the start",
    "Spans that end before they start are compared too, and one of them won. An answer is read forwards: its last token does not stand before its first.",
    *(
        {LASTS: lasts, FORBIDDEN: f"if not {free}:\n                continue"}
        for lasts in (BEFORE, WITHIN, "range(len(start))")
        for free in (  # of the whole row and both ends, each would be chosen by itself
            "(allowed[first : last + 1].all() and allowed[last + 1 : first + 1].all())",
            "(allowed[first] and allowed[last])",
            "allowed[first : last + 1].all()",
            "allowed[min(first, last) : max(first, last) + 1].all()",
            "(allowed[first : last + 1].all() and allowed[last + 1 : first].all())",
            "allowed[last]",
        )
        if lasts != "range(len(start))" or free != "(allowed[first] and allowed[last])"
    ),
)

best_span.mistake(
    "the end is the last token itself",
    "The second number that you return is the place of the answer's last token. `ids[first:stop]` then lacks that token: the stop is the place behind it.",
    {DONE: "return first, stop - 1"},
)

best_span.mistake(
    "the length instead of the stop",
    "The second number that you return is how many tokens the answer has. What is promised is the place behind its last token.",
    {DONE: "return first, stop - first"},
    edit(
        {DONE: "return first, stop - 1 - first"},
        says="The second number that you return is how far the answer's last token is from its first. What is promised is the place behind the last token, counted from the start of the row.",
    ),
)

best_span.mistake(
    "one token too long",
    "Your spans have one token more than max_len allows. A span from `first` to `last` has last - first + 1 tokens.",
    {LASTS: "range(first, min(first + max_len + 1, len(start)))"},
)

best_span.mistake(
    "one token too short",
    "Your spans have one token less than max_len allows. A span from `first` to `last` has last - first + 1 tokens, and that may be max_len.",
    {LASTS: "range(first, max(first + 1, min(first + max_len - 1, len(start))))"},
    edit(
        {
            LASTS: "range(first, min(first + max_len - 1, len(start)))",
            BEST: "_, first, stop = max(found, default=(0, 0, 0))",
        },
        says="Your spans have one token less than max_len allows, and where it allows one token there is none. A span from `first` to `last` has last - first + 1 tokens, and that may be max_len.",
    ),
)

best_span.mistake(
    "no limit to the length",
    "Your spans may be of any length: max_len is passed over. A start in one sentence and an end in another then make a long answer that nobody would give.",
    {LASTS: "range(first, len(start))"},
)

best_span.mistake(
    "a single token is no answer",
    "Your spans have two tokens at least: the end may not be the start itself. Many answers are a single token, which is both the first and the last.",
    {APPEND: f"if last > first:\n                {APPEND}"},
    *(
        {APPEND: f"if {which}:\n                {APPEND}", BEST: OR_NONE}
        for which in ("last > first", "last > first or max_len == 1")
    ),
    {APPEND: f"if last > first or max_len == 1:\n                {APPEND}"},
    {LASTS: "range(first + 1, min(first + max_len, len(start)))"},
)

best_span.mistake(
    "what is not allowed is passed over",
    "Your answer lies where none may lie: `allowed` is passed over. The question, [CLS], [SEP] and the padding have scores like all tokens.",
    {FORBIDDEN: "pass"},
)

best_span.mistake(
    "only the two ends are asked",
    "Your answer begins and ends where it may, and between these runs over a token that is not allowed. All tokens of the answer are to be allowed.",
    {"break  #": "continue  #", "if not allowed[last]": "if not (allowed[first] and allowed[last])"},
)

best_span.mistake(
    "one allowed token is enough",
    "A span counts as soon as one of its tokens is allowed. All tokens of the answer are such: `all()`, not `any()`.",
    {FORBIDDEN: "if not allowed[first : last + 1].any():\n                continue"},
)

best_span.mistake(
    "only the first token is asked",
    "Only the answer's first token is asked whether it is allowed. The answer may then end in what is no text, such as the padding.",
    {"if not allowed[last]": "if not allowed[first]"},
)

best_span.mistake(
    "only the last token is asked",
    "Only the answer's last token is asked whether it is allowed. The answer may then begin in the question.",
    {"break  #": "continue  #"},
)

best_span.mistake(
    "allowed the wrong way round",
    "Your answer lies where none may lie: `allowed` is read the wrong way round. True means that an answer may lie there.",
    {"if not allowed[last]": "if allowed[last]"},
    *(
        {"if not allowed[last]": "if allowed[last]", BEST: f"_, first, stop = max(found, default=(0, 0, {stop}))"}
        for stop in (0, 1)
    ),
)

OF_EQUALS_THE_FIRST = {BEST: "_, first, stop = max(found, key=lambda one: one[0])"}
EACH_AS_0 = {FORBIDDEN: "pass", SCORE: "((start * allowed)[first] + (end * allowed)[last]).item()"}
WHOLE_AS_0 = {FORBIDDEN: "pass", SCORE: "((start[first] + end[last]) * allowed[first : last + 1].all()).item()"}
ENDS_AS_0 = {FORBIDDEN: "pass", SCORE: "((start[first] + end[last]) * allowed[first] * allowed[last]).item()"}

best_span.mistake(
    "what is not allowed counts as 0",
    "What is not allowed has the score 0 in your code. Where all other scores are below 0, that is the best. Leave it out, or give it minus infinity.",
    *(way | more for way in (EACH_AS_0, WHOLE_AS_0, ENDS_AS_0) for more in ({}, OF_EQUALS_THE_FIRST)),
)

best_span.mistake(
    "places among the allowed tokens",
    "The places that you return are counted among the allowed tokens alone. In the whole text they stand elsewhere: what is in front of them, such as the question, counts too.",
    {DONE: "before = (~allowed).cumsum(0).tolist()\n    return first - before[first], stop - before[stop - 1]"},
    edit(
        {DONE: "lead = allowed.tolist().index(True)\n    return first - lead, stop - lead"},
        says="The places that you return are counted from the first allowed token. In the whole text they stand further on: what is in front of it, such as the question, counts too.",
    ),
)

best_span.mistake(
    "the product of the scores",
    "You multiply the two scores. Of two scores below 0 that makes a large number, and the worst span may win. Logits are added. (Probabilities may be multiplied; their logarithms are added.)",
    {SCORE: "(start[first] * end[last]).item()"},
)

best_span.mistake(
    "the difference of the scores",
    "You take the end score off the start score, so that a bad end is a good one. Logits are added.",
    {SCORE: "(start[first] - end[last]).item()"},
    edit(
        {SCORE: "(end[last] - start[first]).item()"},
        says="You take the start score off the end score, so that a bad start is a good one. Logits are added.",
    ),
)

best_span.mistake(
    "the longest span",
    "You take the longest span that may be an answer, whatever its scores. The span with the largest sum of two scores is wanted.",
    {BEST: "_, first, stop = max(found, key=lambda one: one[2] - one[1])"},
    {BEST: "_, first, stop = max(found, key=lambda one: (one[2] - one[1], one[0]))"},
)

best_span.mistake(
    "probabilities are added",
    "You add probabilities. A start that is nearly certain then wins with any end. Multiply probabilities, or add the logits, which comes to the same.",
    {SCORE: "(start.softmax(0)[first] + end.softmax(0)[last]).item()"},
    edit(
        {SCORE: "(start.sigmoid()[first] + end.sigmoid()[last]).item()"},
        says="You add sigmoids of the scores. A start that is nearly certain then wins with any end. Add the logits themselves.",
    ),
)

best_span.mistake(
    "the mean of all scores in the span",
    "You add up the scores of all tokens of the span. Only two count: the start of its first token and the end of its last.",
    {SCORE: "(start[first : last + 1] + end[first : last + 1]).sum().item()"},
    edit(
        {SCORE: "(start[first : last + 1] + end[first : last + 1]).mean().item()"},
        says="You take the mean of the scores of all tokens of the span. Only two scores count: the start of its first token and the end of its last.",
    ),
    *(
        edit(
            {SCORE: "((start[first] + end[last]) / (last - first + 1)).item()"} | more,
            says="You divide the sum of the two scores by the number of tokens, so that a short span beats a long one. The sum itself is what counts.",
        )
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "start and end exchanged",
    "You read the start scores at the last token and the end scores at the first.",
    {SCORE: "(end[first] + start[last]).item()"},
)

best_span.mistake(
    "the worst span",
    "You take the span with the smallest sum. The larger the sum, the more speaks for the span.",
    {BEST: "_, first, stop = min(found)"},
    edit(
        {
            BEST: "every = [(first, stop) for first in range(len(start)) for stop in range(1, len(start) + 1)]\n    first, stop = next((one for one in every if one not in [place[1:] for place in found]), min(found)[1:])"
        },
        says="You take the smallest sum of a table, in which what is no answer has minus infinity, so that you take just that. The larger the sum, the more speaks for the span.",
    ),
)

ALONE = f"int({SEEN}.argmax()), int({SEEN_END}.argmax())"

best_span.mistake(
    "put into order afterwards",
    "You take the best start and the best end, each by itself, and exchange them where the end comes first. What stands between the two is then no span that anything speaks for: its first token was a good last one. Compare whole spans.",
    {DONE: f"first, last = sorted(({ALONE}))\n    return first, last + 1"},
    {DONE: "first, last = sorted((int(start.argmax()), int(end.argmax())))\n    return first, last + 1"},
    edit(
        {DONE: f"first, last = sorted(({ALONE}))\n    return first, min(last + 1, first + max_len)"},
        says="You take the best start and the best end, each by itself, exchange them where the end comes first, and cut off what is too long. What is left is a span that nothing speaks for. Compare whole spans.",
    ),
)

best_span.mistake(
    "the end is moved to the start",
    "You take the best start and the best end, each by itself, and where the end stands before the start it is moved there: one token is left. Another span may have a much larger sum. Compare whole spans.",
    *(
        {DONE: f"first, last = {alone}\n    return first, {stop}"}
        for alone in (ALONE, "int(start.argmax()), int(end.argmax())")
        for stop in ("max(first, last) + 1", "min(max(first, last) + 1, first + max_len)")
    ),
)

best_span.mistake(
    "what is no span counts as 0",
    "Pairs of tokens that are no span, because the end stands before the start or too far behind it, have the score 0 in your code: `triu` and `tril` put zeros there, and so does a mask that is multiplied. Where the sums of all spans are below 0, such a pair is the best. Give them minus infinity.",
    *(
        {
            LASTS: "range(len(start))",
            FORBIDDEN: "pass",
            SCORE: f"(({SEEN[:-14]}-1e9)[first] + {SEEN_END[:-14]}-1e9)[last]) * (0 <= last - first < max_len)).item()",
        }
        | more
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
    *(
        edit(
            {
                LASTS: "range(len(start))",
                FORBIDDEN: "pass",
                SCORE: f"((start[first] + end[last]).item() if 0 <= last - first < max_len and allowed[first : last + 1].all() else {score})",
            }
            | more,
            says=f"What is no span, or runs over what is not allowed, has the score {score} in your code. Where all other sums are below that, it is the best. Leave it out, or give it minus infinity.",
        )
        for score in (0.0, -1.0, -100.0, -1e3, -1e4)
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "only spans that are read backwards",
    "You compare the spans whose end stands before their start, and leave those out that are read forwards: the wrong triangle of the table of all pairs. Rows are starts and columns ends, so the spans lie above its diagonal.",
    {
        LASTS: "range(max(0, first - max_len + 1), first + 1)",
        FORBIDDEN: "if not (allowed[first] and allowed[last]):\n                continue",
    },
    {LASTS: "range(first + 1)", FORBIDDEN: "if not (allowed[first] and allowed[last]):\n                continue"},
)

best_span.mistake(
    "the two places exchanged",
    "You return the place of the end first and that of the start behind it. In a table of all pairs the row is the start and the column the end; the number of a cell, divided by the length of a row, is its row.",
    {DONE: "return stop - 1, first + 1"},
    {DONE: "return stop, first"},
    {DONE: "return stop - 1, first"},
)

best_span.mistake(
    "one of the two scores alone",
    "Only one of the two scores counts in your code. A good start with a bad end is no good answer: add both.",
    *({SCORE: f"{one}.item()"} | more for one in ("start[first]", "end[last]") for more in ({}, OF_EQUALS_THE_FIRST)),
)

best_span.mistake(
    "chosen among the allowed tokens alone",
    "You take the allowed tokens out and choose among them. Tokens that stood apart are neighbours there, so an answer may run over what was taken out; and what is counted among them has another place in the text.",
    {"found = []": "start, end, allowed = start[allowed], end[allowed], allowed[allowed]\n    found = []"},
    edit(
        {
            "found = []": "where = allowed.nonzero().flatten().tolist()\n    start, end, allowed = start[allowed], end[allowed], allowed[allowed]\n    found = []",
            DONE: "return where[first], where[stop - 1] + 1",
        },
        says="You take the allowed tokens out and choose among them. Tokens that stood apart are neighbours there, so your answer may run over what was taken out.",
    ),
)

best_span.mistake(
    "no sum below 0 is good enough",
    "Where the sums of all spans are below 0, you take none of them: the best so far begins at 0. Scores are logits and may all be below 0. Begin with minus infinity, or with the first span.",
    {BEST: "_, first, stop = max([(0.0, 0, 0), *found])"},
    {BEST: "_, first, stop = max([(0.0, 0, 1), *found])"},
    {BEST: "_, first, stop = max([(-1.0, 0, 0), *found])"},
    *({"found = []": f"found = [(0.0, 0, {stop})]"} for stop in (0, 1)),
    *({DONE: f"return (first, stop) if max(found)[0] > 0 else {none}"} for none in ("None", "(-1, -1)")),
    edit(
        {DONE: "if max(found)[0] > 0:\n        answer = first, stop\n    return answer"},
        says="Where the sums of all spans are below 0, you take none of them, and then there is no answer to return: the best so far begins at 0. Scores are logits and may all be below 0. Begin with minus infinity, or with the first span.",
    ),
)

best_span.mistake(
    "the end score of the token behind",
    "You read the end score at the stop, which is the place *behind* the answer. The end score that counts is that of the answer's last token, at stop - 1.",
    {
        LASTS: "range(first + 1, min(first + max_len + 1, len(start)))",
        FORBIDDEN: "if not allowed[first:last].all():\n                break",
        "first, last + 1))": "first, last))",
    },
    {SCORE: "(start[first] + end[min(last + 1, len(end) - 1)]).item()"},
    {SCORE: "(start[first] + end[min(last + 1, len(end) - 1)]).item()"} | OF_EQUALS_THE_FIRST,
)

best_span.mistake(
    "an end of the row is never reached",
    "No answer of yours ends with the last token of the row. `range(n)` ends before n by itself: `range(len(start))` has every place.",
    {LASTS: "range(first, min(first + max_len, len(start) - 1))"},
    {LASTS: "range(first, min(first + max_len, len(start) - 1))", BEST: OR_NONE},
    {LASTS: "range(first, max(first + 1, min(first + max_len, len(start) - 1)))"},
    {FIRSTS: "range(len(start) - 1)"},
    {FIRSTS: "range(len(start) - 1)", BEST: OR_NONE},
    *(
        edit(
            {FIRSTS: "range(1, len(start))"} | more,
            says="No answer of yours begins with the first token of the row. Places begin at 0, and whether an answer may lie there is for `allowed` to say.",
        )
        for more in (
            {},
            {BEST: "_, first, stop = max(found, default=(0, 0, 1))"},
            {BEST: "_, first, stop = max(found, default=(0, 0, 0))"},
            {BEST: OR_NONE},
        )
    ),
)

best_span.mistake(
    "tensors for numbers",
    "The two places that you return are tensors. What is promised are two whole numbers of Python's: `.item()` or `int(...)` makes one of what `argmax` gives.",
    *(
        {DONE: f"return {both}"}
        for both in (
            "torch.tensor(first), torch.tensor(stop)",
            "torch.tensor(first), stop",
            "first, torch.tensor(stop)",
        )
    ),
    edit(
        {DONE: "return torch.tensor([first, stop])"},
        says="The two places come back in one tensor. What is promised are two whole numbers of Python's, `(first, stop)`.",
    ),
)

best_span.mistake(
    "a list for the two places",
    "The two places come back in a list. What is promised is a tuple, `(first, stop)`. A list never equals a tuple, so whoever compares your answer with `(2, 5)` finds it wrong.",
    {DONE: "return [first, stop]"},
)

best_span.mistake(
    "the score comes back too",
    "Three things come back: the two places, and the score. What is promised is `(first, stop)` alone, and whoever unpacks two of three gets an error.",
    {DONE: "return max(found)"},
    *({DONE: f"return first, stop, max(found)[0]{more}"} for more in ("", " / 2")),
    edit(
        {DONE: "return max(found)[0], (first, stop)"},
        says="The score comes back beside the two places. What is promised is `(first, stop)` alone.",
    ),
)

best_span.mistake(
    "only answers of max_len tokens",
    "Your answers have exactly max_len tokens. That is the most that an answer may have: all shorter ones count, down to a single token.",
    *(
        {APPEND: f"if last - first + 1 == max_len:\n                {APPEND}", BEST: f"_, first, stop = {best}"}
        for best in ("max(found, default=(0, 0, 0))", "max(found, default=(0, 0, 1))", "max(found)")
    ),
    {APPEND: f"if last - first + 1 == max_len:\n                {APPEND}", BEST: OR_NONE},
)

best_span.mistake(
    "the sign of the scores is lost",
    "You compare the sums by their size, without their sign. The span with the most that speaks *against* it then wins over one that nothing speaks for. The largest sum is wanted.",
    {SCORE: "(start[first] + end[last]).abs().item()"},
    edit(
        {SCORE: "(start[first].abs() + end[last].abs()).item()"},
        says="You take the scores without their sign. What speaks most *against* a token then counts as what speaks for it. The largest sum is wanted, and scores below 0 are small.",
    ),
)

best_span.mistake(
    "a cell of the table is read wrongly",
    "The number of the best cell is taken apart by another length than that of a row. In a table of n rows with n cells each, cell k stands in row k // n and column k % n; with max_len cells in a row, divide by max_len.",
    {DONE: "cell = first * len(start) + stop - 1\n    return cell // max_len, cell % max_len + 1"},
    *(
        {DONE: f"cell = first * max_len + stop - 1 - first\n    return cell // len(start), cell % len(start) + {more}"}
        for more in ("1", "cell // len(start) + 1")
    ),
)

best_span.mistake(
    "allowed from the first to the last",
    "You let the answer lie anywhere from the first allowed token to the last. Between these some may not be allowed. Ask every token of the span.",
    {
        "found = []": "after, before = allowed.cumsum(0), allowed.flip(0).cumsum(0).flip(0)\n    allowed = (after > 0) & (before > 0)\n    found = []"
    },
)

best_span.mistake(
    "only the first stretch that is allowed",
    "You look at the first stretch of allowed tokens and at no other. What is allowed may lie in several stretches, and the best answer in any of them.",
    {
        "found = []": "gaps = (~allowed).cumsum(0)\n    allowed = allowed & (gaps == gaps[allowed.tolist().index(True)])\n    found = []"
    },
)

best_span.mistake(
    "the best so far is not kept",
    "Only the last start counts: the best score so far is forgotten with every new one, or never written down. Set it once, in front of both loops. Where a span is better, both change, the score and the places.",
    {BEST: "_, first, stop = max(one for one in found if one[1] == found[-1][1])"},
    edit(
        {BEST: "_, first, stop = max(found, key=lambda one: (one[2] - one[1], one[1]))"},
        says="Your answer is the span that your loops come to last, whatever its score: the best score so far is never written down. Where a span is better, both change, the score and the places.",
    ),
)

best_span.mistake(
    "the loops end too soon",
    "Only spans with the first start count: your function returns, or stops, after one round of the outer loop. Return when both loops are through.",
    {BEST: "_, first, stop = max(one for one in found if one[1] == found[0][1])"},
    edit(
        {BEST: "_, first, stop = found[0]"},
        says="Your answer is the span that your loops come to first, whatever its score: the function returns within the loops. Return when both are through.",
    ),
)

FEW = {
    k: {
        FIRSTS: f"start.topk(min({k}, len(start))).indices.tolist()",
        APPEND: f"if last in end.topk(min({k}, len(end))).indices.tolist():\n                {APPEND}",
    }
    for k in (5, 10, 20)
}
OF_ALLOWED = "start, end = (one.masked_fill(~allowed, float('-inf')) for one in (start, end))\n    found = []"

best_span.mistake(
    "only the best few starts and ends",
    "You compare the best few starts with the best few ends, and no others. Programs for long texts do that to save time. But the best span may have neither: its sum is the largest, not each of its scores. Compare all spans.",
    *(
        few | seen | {BEST: f"_, first, stop = {best}"}
        for few in FEW.values()
        for seen in ({}, {"found = []": OF_ALLOWED})
        for best in ("max(found, default=(0, 0, 0))", "max(found, default=(0, 0, 1))", "max(found)")
    ),
)

best_span.mistake(
    "fractions for the two places",
    "The two places are fractions, 3.0 and 6.0. A list or a tensor takes no fraction as a place: `ids[3.0:6.0]` is a TypeError. Make whole numbers of them, `int(...)`.",
    {DONE: "return float(first), float(stop)"},
)

best_span.mistake(
    "the larger or the smaller of the two scores",
    "A span counts as much as the larger one of its two scores. A good start with a bad end is no good answer: add both.",
    *({SCORE: "torch.maximum(start[first], end[last]).item()"} | more for more in ({}, OF_EQUALS_THE_FIRST)),
    *(
        edit(
            {SCORE: "torch.minimum(start[first], end[last]).item()"} | more,
            says="A span counts as much as the smaller one of its two scores. Their sum is what counts: add both.",
        )
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)

best_span.mistake(
    "a place is one off",
    "The start that you return is one too early: the token in front of the answer is counted in. The answer is `ids[first:stop]`.",
    {DONE: "return first - 1, stop"},
    edit(
        {DONE: "return first + 1, stop"},
        says="The start that you return is one too late: the answer lacks its first token. The answer is `ids[first:stop]`.",
    ),
    edit(
        {DONE: "return first, stop + 1"},
        says="The stop that you return is one too far. It is the place right behind the answer's last token: is 1 added twice?",
    ),
    edit(
        {DONE: "return first + 1, stop + 1"},
        says="Both places are one too far. Places begin at 0, and the answer is `ids[first:stop]`.",
    ),
)

CHANCES = f"({SEEN}.log_softmax(0)[first] + {SEEN_END}.log_softmax(0)[last]).item()"

best_span.mistake(
    "logarithms beside zeros",
    "You add logarithms of probabilities, which are all below 0, and what is no span counts as 0: `triu` and `tril` put zeros there. So what is no span is always best. Give it minus infinity.",
    *(
        {LASTS: "range(len(start))", FORBIDDEN: "pass", SCORE: f"{CHANCES} if 0 <= last - first < max_len else 0.0"}
        | more
        for more in ({}, OF_EQUALS_THE_FIRST)
    ),
)
