"""Wrong ways of BLEU."""

from autograder.checks.translation import corpus_bleu
from autograder.probing.mistake import edit

PAIRS = "[(ngrams(one, n), ngrams(other, n)) for one, other in both]"
MATCHES = "(one & other).total()"
TOTAL = "one.total() for one, _ in pairs"
PRECISION = "matches / sum(one.total() for one, _ in pairs)"
ORDERS = "range(1, max_n + 1)"
BREVITY = "min(1.0, math.exp(1 - right / written))"
MEAN = "math.exp(sum(logs) / max_n)"
OF_SOME = "math.exp(sum(logs) / max_n + 0 * min(logs))"  # raises where `min(precisions)` would, too
NOTHING = "if matches == 0:"

corpus_bleu.mistake(
    "every occurrence counts",
    "An n-gram counts as often as it is written. By its single tokens `zwei zwei zwei zwei` would be perfect wherever the reference has a `zwei`. An "
    "n-gram counts at most as often as it stands in the reference: `&` of two Counters.",
    {MATCHES: "sum(count for gram, count in one.items() if gram in other)"},
)
corpus_bleu.mistake(
    "counted as often as the reference has it",
    "An n-gram that is written counts as often as it stands in the *reference*. Written once and standing there twice, it counts twice, and a precision can exceed 1. It counts as often as it is written, and at most as often as it stands there: `&` of two Counters.",
    {MATCHES: "sum(count for gram, count in other.items() if gram in one)"},
)
corpus_bleu.mistake(
    "the larger count of the two",
    "An n-gram counts as often as the side has it that has it more often. `|` of two Counters, or `max`, does that; it counts at most as often as both have it: `&`, or `min`.",
    {MATCHES: "(one | other).total()"},
    {MATCHES: "(one | other).total()", NOTHING: "if not any(one for one, _ in pairs):"},
    {MATCHES: "sum(max(count, other[gram]) for gram, count in one.items())"},
    {MATCHES: "sum(max(count, other[gram]) for gram, count in one.items() if gram in other)"},
)
corpus_bleu.mistake(
    "the n-grams that do not match",
    "You count the n-grams that do *not* stand in the reference. `-` of two Counters leaves what is too much; `&` keeps what both have.",
    {MATCHES: "(one - other).total()"},
)
corpus_bleu.mistake(
    "only n-grams at the same place",
    "An n-gram counts only if it stands at the same place in the reference. Wherever it stands there, it counts: one word too many at the beginning would spoil everything behind it.",
    {
        "sum((one & other).total() for one, other in pairs)": "sum(list(one[i : i + n]) == list(other[i : i + n]) for one, other in zip(outputs, references, strict=True) for i in range(len(one) - n + 1))"
    },
)
corpus_bleu.mistake(
    "only one sentence counts",
    "Matches or n-grams of one sentence alone are taken. Add them up over all sentences, `+=`, and divide then.",
    {PAIRS: f"{PAIRS}[-1:]"},
    {PAIRS: f"{PAIRS}[:1]"},
    {"sum((one & other).total() for one, other in pairs)": "(pairs[-1][0] & pairs[-1][1]).total()"},
    {TOTAL: "one.total() for one, _ in pairs[-1:] if one"},
)
corpus_bleu.mistake(
    "divided by the n-grams of both sides",
    "You do not divide by the n-grams of the outputs alone. Precision asks which share of what was written is right; n-grams of the references have no place in it, and brevity takes the place of recall.",
    {TOTAL: "(one | other).total() for one, other in pairs"},
    {TOTAL: "max(one.total(), other.total()) for one, other in pairs"},
    {PRECISION: "2 * matches / sum(one.total() + other.total() for one, other in pairs)"},
    {PRECISION: "matches / max(sum(one.total() for one, _ in pairs), sum(other.total() for _, other in pairs))"},
)
corpus_bleu.mistake(
    "n-grams of short sentences counted wrongly",
    "The number of n-grams is wrong for sentences that are shorter than n. They have none: `max(len(output) - n + 1, 0)`, or `.total()` of the Counter.",
    {PRECISION: "matches / sum(len(one) - n + 1 for one in outputs)"},
    {PRECISION: "matches / sum(max(len(one) - n + 1, 1) for one in outputs)"},
    edit(
        {PRECISION: "matches / sum(max(len(one) - n, 0) for one in outputs)"},
        says="You count one n-gram too few in every sentence. A sentence of 8 tokens has 7 pairs: len - n + 1.",
    ),
    edit(
        {PRECISION: "matches / sum(len(one) - n for one in outputs)"},
        says="You count one n-gram too few in every sentence. A sentence of 8 tokens has 7 pairs: len - n + 1.",
    ),
)
corpus_bleu.mistake(
    "n-grams at the end of a sentence",
    "The n-grams at the end of a sentence are not as they should be.",
    *(
        edit(
            {PAIRS: f"[({one}, {other}) for one, other in both]"},
            says="The last n-gram of a sentence is missing. A sentence of 8 tokens has 7 pairs, and the last begins at token 6: `range(len(tokens) - n + 1)`.",
        )
        for one, other in (
            ("ngrams(one[:-1], n)", "ngrams(other[:-1], n)"),
            ("ngrams(one[:-1], n)", "ngrams(other, n)"),
            ("ngrams(one, n)", "ngrams(other[:-1], n)"),
        )
    ),
    edit(
        {
            PAIRS: "[(Counter(tuple(one[i : i + n]) for i in range(len(one))), Counter(tuple(other[i : i + n]) for i in range(len(other)))) for one, other in both]"
        },
        says="At the end of each sentence there are n-grams that are too short. The last of n tokens begins at len - n: `range(len(tokens) - n + 1)`.",
    ),
)
corpus_bleu.mistake(
    "every n-gram counts once",
    "Every different n-gram counts once. An n-gram that stands twice in the output and twice in the reference has to count twice: use `.total()` of the "
    "Counter, not `len`.",
    {MATCHES: "len(one & other)", TOTAL: "len(one) for one, _ in pairs"},
    {TOTAL: "len(one) for one, _ in pairs"},
    {MATCHES: "len(one & other)"},
    # What does not match is counted, each n-gram once.
    {MATCHES: "(one.total() - len(one - other))"},
)
corpus_bleu.mistake(
    "no brevity",
    "Outputs that are too short cost nothing. Precision asks whether what was written is right; a model that writes only what it is sure of would win. "
    "Brevity prevents that.",
    {"brevity * ": ""},
)
corpus_bleu.mistake(
    "brevity the wrong way round",
    "Brevity is the wrong way round: yours is below 1 where the outputs are longer than the references. An output that is too long has a lower "
    "precision already; an output that is too short has not.",
    {"right / written": "written / right"},
    {"1 - right / written": "right / written - 1"},
    *(
        edit(
            {BREVITY: f"1.0 if written >= right else math.exp({power})"},
            says="Brevity is the wrong way round: yours is above 1 where the outputs are too short, and so they gain. It is exp(1 - r / o) there, which is below 1.",
        )
        for power in ("1 - written / right", "right / written - 1")
    ),
    edit(
        {BREVITY: "1.0 if written <= right else math.exp(1 - right / written)"},
        says="Brevity is the wrong way round: outputs that are too short cost nothing, and those that are too long gain. It is 1 for o ≥ r, and exp(1 - r / o) below.",
    ),
)
corpus_bleu.mistake(
    "brevity above 1",
    "Your brevity rises above 1 for outputs that are longer than the references. Length earns nothing: brevity is 1 for them.",
    {BREVITY: "math.exp(1 - right / written)"},
)
corpus_bleu.mistake(
    "another exponent in brevity",
    "The 1 is missing in the exponent of brevity. It is exp(1 - r / o), which is 1 where the outputs are as long as the references; without the 1 it is about 0.37 there.",
    {BREVITY: "(1.0 if written >= right else math.exp(-right / written))"},
    edit(
        {BREVITY: "math.exp(-right / written)"},
        says="The 1 is missing in the exponent of brevity. It is exp(1 - r / o), which is 1 where the outputs are as long as the references; without the 1 it is about 0.37 there, and below 1 for longer ones too.",
    ),
    edit(
        {"1 - right / written": "(1 - right) / written"},
        says="The exponent of brevity is (1 - r) / o. Division comes before subtraction: 1 - r / o, so that it is 0 where the outputs are as long as the references.",
    ),
    edit(
        {BREVITY: "(1.0 if written >= right else math.exp((1 - right) / written))"},
        says="The exponent of brevity is (1 - r) / o. Division comes before subtraction: 1 - r / o, so that it is 0 where the outputs are as long as the references.",
    ),
)
corpus_bleu.mistake(
    "brevity as a ratio",
    "Your brevity is the ratio of the lengths. It is exp(1 - r / o), which falls faster.",
    {BREVITY: "min(1.0, written / right)"},
    edit(
        {BREVITY: "(1.0 if written >= right else 1 - written / right)"},
        says="Your brevity is 1 - o / r where the outputs are too short, which is near 0 where a little is missing. It is exp(1 - r / o).",
    ),
    edit(
        {BREVITY: "(1.0 if written >= right else max(0.0, 2 - right / written))"},
        says="Your brevity is 1 + (1 - r / o) where the outputs are too short. It is the exponential of that difference, exp(1 - r / o).",
    ),
)
corpus_bleu.mistake(
    "brevity in the mean",
    "Brevity is not a factor of its own. BLEU is brevity times the mean of the precisions, and the mean is of these alone.",
    {f"100 * brevity * {MEAN}": "100 * math.exp((sum(logs) + math.log(brevity)) / max_n)"},
    {f"100 * brevity * {MEAN}": "100 * math.exp((sum(logs) + math.log(brevity)) / (max_n + 1))"},
    {f"100 * brevity * {MEAN}": f"100 * (brevity + {MEAN}) / 2"},
    {f"100 * brevity * {MEAN}": f"100 * brevity**max_n * {MEAN}"},
)
corpus_bleu.mistake(
    "brevity sentence by sentence",
    "Brevity is taken sentence by sentence. It should compare the tokens of all outputs with the tokens of all references, so that a longer sentence "
    "can make up for a short one.",
    {
        BREVITY: "sum(min(1.0, math.exp(1 - len(b) / max(len(a), 1e-2))) "
        "for a, b in zip(outputs, references, strict=True)) / len(outputs)"
    },
    *(
        {
            BREVITY: f"math.prod(min(1.0, math.exp(1 - len(b) / {length})) "
            "for a, b in zip(outputs, references, strict=True))"
        }
        for length in ("max(len(a), 1)", "max(len(a), 1e-2)")
    ),
    {
        BREVITY: "sum(min(1.0, math.exp(1 - len(b) / max(len(a), 1))) "
        "for a, b in zip(outputs, references, strict=True)) / len(outputs)"
    },
    *(
        {
            BREVITY: f"math.prod(min(1.0, math.exp(1 - len(b) / {length})) "
            "for a, b in zip(outputs, references, strict=True)) ** (1 / len(outputs))"
        }
        for length in ("max(len(a), 1)", "max(len(a), 1e-2)")
    ),
)
corpus_bleu.mistake(
    "brevity all or nothing",
    "Outputs that are too short get 0, however little is missing. Brevity is exp(1 - r / o) there: one token too few of a hundred costs one per cent.",
    {BREVITY: "(1.0 if written >= right else 0.0)"},
)
LENGTHS = "written, right = sum(map(len, outputs)), sum(map(len, references))"
corpus_bleu.mistake(
    "brevity of other lengths",
    "Brevity does not compare the tokens of all outputs with the tokens of all references.",
    *(
        edit(
            {LENGTHS: f"written, right = {lengths}"},
            says=f"Brevity compares {what}. It compares the tokens of all outputs with the tokens of all references.",
        )
        for lengths, what in (
            (
                'len(" ".join(one for side in outputs for one in side)), len(" ".join(one for side in references for one in side))',
                "numbers of characters",
            ),
            (
                'sum(len(" ".join(one)) for one in outputs), sum(len(" ".join(one)) for one in references)',
                "numbers of characters",
            ),
            (
                'sum(len("".join(one)) for one in outputs), sum(len("".join(one)) for one in references)',
                "numbers of characters",
            ),
            (
                "sum(map(len, outputs)), min(map(len, references)) * len(references)",
                "the shortest reference, taken for all,",
            ),
            (
                "sum(map(len, outputs)), max(map(len, references)) * len(references)",
                "the longest reference, taken for all,",
            ),
            ("min(map(len, outputs)) or 1, min(map(len, references))", "the shortest of both sides"),
            ("max(map(len, outputs)), max(map(len, references))", "the longest of both sides"),
            ("len(outputs[0]), len(references[0])", "the first sentences alone"),
            ("len(outputs[-1]) or 1, len(references[-1])", "the last sentences alone"),
        )
    ),
)
corpus_bleu.mistake(
    "the arithmetic mean",
    "You take the arithmetic mean of the precisions. BLEU takes the geometric mean: precisions shrink fast with n, and in a sum the precision of single "
    "tokens would outweigh the others.",
    {MEAN: "(sum(math.exp(one) for one in logs) / max_n)"},
    {
        NOTHING: "if False:",
        f"math.log({PRECISION})": "matches / max(sum(one.total() for one, _ in pairs), 1)",
        "1 - right / written": "1 - right / max(written, 1)",
        MEAN: "(sum(logs) / max_n)",
    },
)
corpus_bleu.mistake(
    "the harmonic mean",
    "You take the harmonic mean of the precisions. BLEU takes the geometric mean: the exponential of the mean of their logarithms.",
    {MEAN: "max_n / sum(math.exp(-one) for one in logs)"},
)
corpus_bleu.mistake(
    "the mean of the logarithms as it is",
    "You return the mean of the logarithms, which is below 0. The geometric mean is its exponential: `math.exp(sum(logs) / max_n)`.",
    {MEAN: "(sum(logs) / max_n)"},
)
corpus_bleu.mistake(
    "the lengths weighed differently",
    "The precisions do not weigh alike in your mean. The geometric mean of max_n numbers is the max_n-th root of their product; each has the weight 1 / max_n.",
    {MEAN: "math.exp(sum(one / n for n, one in enumerate(logs, 1)) / sum(1 / n for n in range(1, max_n + 1)))"},
    {MEAN: "math.exp(sum(one / n for n, one in enumerate(logs, 1)))"},
    {MEAN: "math.exp(sum(one / 2**n for n, one in enumerate(logs, 1)))"},
    edit(
        {MEAN: "math.exp(sum(logs) / 2)"},
        says="You take the square root of the product, whatever max_n is. The geometric mean of four numbers is the fourth root of their product: divide the sum of the logarithms by max_n.",
    ),
    *(
        edit(
            {MEAN: f"math.exp(sum(logs) / {root})"},
            says="You take another root of the product than the max_n-th. There are max_n precisions, and the geometric mean of four numbers is the fourth root of their product: divide the sum of the logarithms by max_n.",
        )
        for root in ("(max_n + 1)", "max(max_n - 1, 1)")
    ),
    edit(
        {MEAN: "math.exp(sum(logs) * max_n)"},
        says="You take a power of the product where a root is needed. The geometric mean of four numbers is the fourth root of their product, `** (1 / 4)`.",
    ),
    edit(
        {MEAN: "(math.exp(sum(logs)) / max_n)"},
        says="You divide the product of the precisions by max_n. The geometric mean is a root: the max_n-th root of their product, `** (1 / max_n)`.",
    ),
)
corpus_bleu.mistake(
    "one precision for all",
    "You take one of the precisions for all of them.",
    edit(
        {ORDERS: "range(1, 2)", MEAN: "math.exp(sum(logs))"},
        says="Only single tokens are counted, whatever max_n is. Asked is the geometric mean of the precisions of all lengths, from 1 to max_n.",
    ),
    *(
        edit(
            {MEAN: f"math.exp({one})"},
            says=f"You take the {which} of the precisions. Asked is their geometric mean, in which every length has its part.",
        )
        for one, which in (
            ("sorted(logs)[len(logs) // 2]", "median"),
            ("sorted(logs)[(len(logs) - 1) // 2]", "median"),
            ("(sorted(logs)[len(logs) // 2] + sorted(logs)[(len(logs) - 1) // 2]) / 2", "median"),
            ("max(logs)", "largest"),
            ("logs[0]", "first"),
        )
    ),
    edit(
        {MEAN: "((math.exp(sorted(logs)[len(logs) // 2]) + math.exp(sorted(logs)[(len(logs) - 1) // 2])) / 2)"},
        says="You take the median of the precisions. Asked is their geometric mean, in which every length has its part.",
    ),
)
corpus_bleu.mistake(
    "the order of the tokens ignored",
    "The order of the tokens in an n-gram does not count for you: `und zwei` matches `zwei und`. An n-gram is n tokens in a row, in their order; without it the outputs might be shuffled.",
    *(
        {
            PAIRS: f"[[Counter({gathered}(gram) for gram in ngrams(side, n).elements()) for side in sides] for sides in both]"
        }
        for gathered in ("frozenset", "(lambda gram: tuple(sorted(gram)))")
    ),
)
corpus_bleu.mistake(
    "a length without n-grams counts as right",
    "Where the outputs are too short for n-grams of some length, you take its precision for 1. Nothing matches there, so the precision is 0, and so is BLEU.",
    {
        NOTHING: "if not any(one for one, _ in pairs):\n            logs.append(0.0)\n            continue\n        if matches == 0:"
    },
)
corpus_bleu.mistake(
    "the product of the precisions",
    "The precisions are multiplied, and no root is taken. The geometric mean of four numbers is the fourth root of their product: divide the sum of the logarithms by max_n.",
    {MEAN: "math.exp(sum(logs))"},
)
corpus_bleu.mistake(
    "always divided by 4",
    "The sum of the logarithms is divided by 4, whatever max_n is. 4 is only the default, so it works until somebody asks for pairs only. There are "
    "max_n precisions.",
    {"sum(logs) / max_n": "sum(logs) / 4"},
)
corpus_bleu.mistake(
    "from 0 to 1",
    "Your result goes from 0 to 1. BLEU is reported from 0 to 100, by sacrebleu and in papers.",
    {"100 * ": ""},
)
corpus_bleu.mistake(
    "recall instead of precision",
    "You divide by the n-grams of the references. That is recall: how much of the reference was found. Precision divides by the n-grams of the outputs, "
    "and brevity takes the place of recall.",
    {TOTAL: "other.total() for _, other in pairs"},
)
corpus_bleu.mistake(
    "the mean of sentences",
    "You take BLEU of each sentence, and the mean of these. A sentence without a single match of four tokens is then 0, however good. First add up "
    "matches and totals over the whole corpus, then divide.",
    {
        "logs = []": "if len(outputs) > 1:\n"
        "        alone = [corpus_bleu([one], [other], max_n) for one, other in zip(outputs, references, strict=True)]\n"
        "        return sum(alone) / len(alone)\n"
        "    logs = []"
    },
    *(
        edit(
            {
                "logs = []": "if len(outputs) > 1:\n"
                f"        alone = [corpus_bleu([one], [other], max_n) * len({side}) for one, other in zip(outputs, references, strict=True)]\n"
                f"        return sum(alone) / max(sum(map(len, {sides})), 1)\n"
                "    logs = []"
            },
            says="You take BLEU of each sentence, and the mean of these, weighed by their lengths. A sentence without a single match of four tokens is then 0, however good. First add up matches and totals over the whole corpus, then divide.",
        )
        for side, sides in (("one", "outputs"), ("other", "references"))
    ),
)
corpus_bleu.mistake(
    "the mean of the sentences' precisions",
    "You take the precision of each sentence, and the mean of these. Then a short sentence weighs as much as a long one. First add up matches and "
    "totals over the whole corpus, then divide.",
    {PRECISION: "sum((one & other).total() / max(one.total(), 1) for one, other in pairs) / len(pairs)"},
    {
        PRECISION: "sum((one & other).total() / one.total() for one, other in pairs if one) / "
        "sum(1 for one, _ in pairs if one)"
    },
)
corpus_bleu.mistake(
    "n-grams across sentences",
    "All sentences are put into one before n-grams are taken. Then there are n-grams that begin in one sentence and end in the next, and a token may "
    "match in another sentence than its own. Go sentence by sentence.",
    {PAIRS: "[(ngrams(sum(map(list, outputs), []), n), ngrams(sum(map(list, references), []), n))]"},
)
corpus_bleu.mistake(
    "looked for in all references",
    "The n-grams of all outputs are looked for in all references together. An n-gram counts only if it stands in the reference of its own sentence. Take matches sentence by sentence, then add them up.",
    {
        PAIRS: "[(sum((ngrams(one, n) for one in outputs), Counter()), "
        "sum((ngrams(one, n) for one in references), Counter()))]"
    },
    {PAIRS: "[(ngrams(one, n), sum((ngrams(other, n) for other in references), Counter())) for one in outputs]"},
)
corpus_bleu.mistake(
    "the longest n-grams only",
    "Only n-grams of length max_n are counted. All lengths from 1 on are asked for, and the mean of their precisions.",
    {ORDERS: "range(max_n, max_n + 1)", MEAN: "math.exp(sum(logs))"},
    edit(
        {"logs.append(": "logs[:] = (", "pairs)))": "pairs)),)"},
        says="Only n-grams of length max_n are in the mean, divided by max_n all the same. The logarithm of each length has to be added to those of the lengths before it, as with `+=` or `append`.",
    ),
)
corpus_bleu.mistake(
    "lengths from 0",
    "Your lengths begin with 0. Of an n-gram of no tokens every sentence has some, and all of them match; the longest are missing in turn. `range(1, max_n + 1)`.",
    {ORDERS: "range(max_n)"},
    {ORDERS: "range(max_n + 1)"},
)
corpus_bleu.mistake(
    "empty outputs left out",
    "Outputs that are empty are left out, with their references. They have no n-gram, but brevity is for them: what should have been written and was not counts in r.",
    {
        "right = sum(map(len, outputs)), sum(map(len, references))": "right = sum(map(len, outputs)), sum(len(other) for one, other in zip(outputs, references, strict=True) if one)"
    },
)
corpus_bleu.mistake(
    "a corpus of nothing accepted",
    "No outputs at all are not refused. There is no BLEU of nothing: a 0 would look like a translator that is always wrong. Raise a ValueError, as the given lines did.",
    {" or len(outputs) == 0": ""},
    {" or len(outputs) == 0": "", NOTHING: "if outputs and matches == 0:"},
)
corpus_bleu.mistake(
    "one length too few",
    "The longest n-grams are missing: `range(1, max_n)` ends one before max_n. BLEU goes up to n-grams of four tokens.",
    {ORDERS: "range(1, max_n)"},
    {ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / max(len(logs), 1))"},
    {ORDERS: "range(1, max_n)", MEAN: "math.exp(sum(logs) / len(logs))"},
    {ORDERS: "range(1, max_n)", MEAN: OF_SOME},
)
corpus_bleu.mistake(
    "one length too many",
    "Your lengths go up to max_n + 1. `range(1, max_n + 1)` ends with max_n.",
    {ORDERS: "range(1, max_n + 2)"},
    {ORDERS: "range(1, max_n + 2)", "sum(logs) / max_n": "sum(logs) / len(logs)"},
)
corpus_bleu.mistake(
    "another max_n by default",
    "Without max_n your lengths do not go up to 4. Leave the default as it was given, `max_n: int = 4`.",
    *({"max_n: int = 4": f"max_n: int = {n}"} for n in (1, 2, 3, 5)),
)
corpus_bleu.mistake(
    "no number where nothing matches",
    "Where nothing of some length matches, no plain 0 comes back. The geometric mean of anything and 0 is 0, and what is built on it expects a number: `return 0.0`.",
    *({"return 0.0": f"return {what}"} for what in ("None", "math.nan", "-math.inf", "1.0", "100.0")),
)
corpus_bleu.mistake(
    "no plain number comes back",
    "A tensor comes back, and a number is promised. Comparing and printing work as well with a tensor, but rounding or writing to a file do not: return the float.",
    *(
        {f"return 100 * brevity * {MEAN}": f"return __import__('torch').tensor(100 * brevity * {MEAN})"} | zero
        for zero in ({}, {"return 0.0": "return __import__('torch').tensor(0.0)"})
    ),
)
corpus_bleu.mistake(
    "max_n not used",
    "You count n-grams of up to four tokens, whatever max_n is. 4 is only the default, so it works until somebody asks for pairs only. Use the argument.",
    {ORDERS: "range(1, 5)", "sum(logs) / max_n": "sum(logs) / 4"},
    {ORDERS: "range(1, 5)"},
)
corpus_bleu.mistake(
    "lengths without a match left out",
    "A length of which no n-gram matches is left out of the mean. So an output without a single right pair is judged only by its single tokens. The "
    "geometric mean of anything and 0 is 0: return it at once.",
    {"return 0.0": "continue"},
    {"return 0.0": "continue", MEAN: "(math.exp(sum(logs) / len(logs)) if logs else 0.0)"},
    {
        "return 0.0": "continue",
        MEAN: "(math.exp(sum(logs) / len(logs)) if logs else 0.0)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
    {
        "return 0.0": "continue",
        "sum(logs) / max_n": "sum(logs) / max(len(logs), 1)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
    {
        "return 0.0": "continue",
        "sum(logs) / max_n": "(sum(logs) / len(logs) if logs else math.nan)",
        "1 - right / written": "1 - right / max(written, 1e-9)",
    },
)

ADD_ONE = {PRECISION: "(matches + 1) / (sum(one.total() for one, _ in pairs) + 1)"}
corpus_bleu.mistake(
    "smoothed",
    "You add one to the counts. That is a smoothing for single sentences. Over a corpus no smoothing is needed, and with it your numbers cannot be "
    "compared with those of others.",
    {NOTHING: "if False:"} | ADD_ONE,
    *(
        edit(
            {"return 0.0": f"matches = {least}"} | whole,
            says="Where nothing matches you put a small number in place of 0. That is a smoothing for single sentences. Over a corpus no smoothing is needed: the mean with a 0 in it is 0, `return 0.0`.",
        )
        for least in ("1e-9", "1e-8", "1e-10", "1e-12", "1e-7", "1e-6", "1e-3", "0.01", "0.1", "0.5", "1")
        for whole in ({}, {PRECISION: "matches / max(sum(one.total() for one, _ in pairs), 1)"})
    ),
    {PRECISION: "(matches + (n > 1)) / (sum(one.total() for one, _ in pairs) + (n > 1))"},
    ADD_ONE,
)
corpus_bleu.mistake(
    "a logarithm of another base",
    "Your logarithm has another base than your exponential. `math.exp` undoes `math.log`, the natural one.",
    {"math.log(matches": "math.log10(matches"},
    {"math.log(matches": "math.log2(matches"},
)
corpus_bleu.mistake(
    "outputs and references exchanged",
    "Outputs and references are exchanged: you ask how much of the references stands in the outputs, and whether the references are too short. Precision is about what was written.",
    {
        PAIRS: "[(ngrams(other, n), ngrams(one, n)) for one, other in both]",
        "written, right = sum(map(len, outputs)), sum(map(len, references))": "right, written = sum(map(len, outputs)), sum(map(len, references))",
    },
)
corpus_bleu.mistake(
    "single tokens left out",
    "The precision of single tokens is missing: your lengths begin with 2. n goes from 1 to max_n.",
    {ORDERS: "range(2, max_n + 1)"},
    {ORDERS: "range(2, max_n + 1)", MEAN: "math.exp(sum(logs) / max(len(logs), 1))"},
    {ORDERS: "range(2, max_n + 1)", MEAN: OF_SOME},
)
corpus_bleu.mistake(
    "rounded",
    "Your BLEU is rounded. Papers print one or two digits. The function should return the number as it is; the caller rounds it.",
    *(
        {f"return 100 * brevity * {MEAN}": f"return {rounded}"}
        for rounded in (
            *(f"round(100 * brevity * {MEAN}, {digits})" for digits in (0, 1, 2)),
            f"int(100 * brevity * {MEAN})",
            f"100 * round(brevity * {MEAN}, 2)",
            f"100 * round(brevity * {MEAN}, 4)",
        )
    ),
)
corpus_bleu.mistake(
    "made lower case",
    "`Zwei` matches `zwei` for you. Compare tokens as they are; whether capitals matter is decided when the text is cut.",
    {
        PAIRS: "[([Counter(tuple(map(str.lower, gram)) for gram in ngrams(side, n).elements()) for side in both_sides]) for both_sides in both]"
    },
)
corpus_bleu.mistake(
    "short sentences left out",
    "Sentences that are shorter than n-grams are long are left out with all that is in them. An output that is too short for n-grams of some length "
    "adds nothing anyway; but when the *reference* is short, the output's n-grams do not match, and they count.",
    {"for one, other in both]": "for one, other in both if len(one) >= n and len(other) >= n]"},
    {"for one, other in both]": "for one, other in both if len(one) >= max_n]"},
    {"for one, other in both]": "for one, other in both if len(one) >= max_n and len(other) >= max_n]"},
)
corpus_bleu.mistake(
    "divided by the number of tokens",
    "You divide by the number of tokens, for every n. A sentence of 8 tokens has 7 pairs and 5 n-grams of four: divide by the number of all n-grams of "
    "that length.",
    {PRECISION: "matches / sum(map(len, outputs))"},
)
corpus_bleu.mistake(
    "another number of references accepted",
    "A number of references that differs from the number of outputs is not refused. Then some sentences are left out, and no error says so. Raise a "
    "ValueError, as the given lines did.",
    {
        "len(outputs) != len(references) or ": "",
        "zip(outputs, references, strict=True)": "zip(outputs, references, strict=False)",
    },
    edit(
        {
            "if len(outputs) != len(references) or len(outputs) == 0:": "if False:",
            "zip(outputs, references, strict=True)": "zip(outputs, references, strict=False)",
        },
        says="Neither another number of references than of outputs is refused, nor a corpus of nothing. Then some sentences are left out, and nobody hears of it. Raise a ValueError, as the given lines did.",
    ),
)
