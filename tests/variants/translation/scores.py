"""BLEU."""

import itertools
import math
import operator
from collections import Counter
from typing import Any

import numpy as np
import torch

from tests.variants import correct, disguise, slips, unlisted


def grams(tokens: Any, n: int) -> Counter:
    return Counter(zip(*(tokens[i:] for i in range(n)), strict=False))


def fits(outputs: Any, references: Any) -> None:
    if not outputs or len(outputs) != len(references):
        raise ValueError("not as many")


# Right, and slips in it ----------------------------------------------------------------------------


def precisions_multiplied(outputs: Any, references: Any, max_n: int = 4) -> float:
    """Counts in loops, a product, a root at the end."""
    fits(outputs, references)
    product = 1.0
    for size in range(1, max_n + 1):
        hits = total = 0
        for one, other in zip(outputs, references, strict=True):
            mine, theirs = grams(one, size), grams(other, size)
            hits += sum(min(count, theirs[gram]) for gram, count in mine.items())
            total += sum(mine.values())
        if not hits:
            return 0.0
        product *= hits / total
    written, wanted = sum(len(one) for one in outputs), sum(len(one) for one in references)
    penalty = 1.0 if written >= wanted else math.exp(1 - wanted / written)
    return 100 * penalty * product ** (1 / max_n)


slips(
    "corpus_bleu",
    precisions_multiplied,
    {
        "every occurrence counts": {
            "min(count, theirs[gram])": "count",
            "in mine.items())": "in mine.items() if gram in theirs)",
        },
        "every n-gram counts once": [
            {"min(count, theirs[gram]) for gram, count in mine.items()": "gram in theirs for gram in mine"},
            {"sum(mine.values())": "len(mine)"},
            {
                "min(count, theirs[gram]) for gram, count in mine.items()": "gram in theirs for gram in mine",
                "sum(mine.values())": "len(mine)",
            },
        ],
        "no brevity": {"penalty * product": "product"},
        "brevity the wrong way round": {
            "written >= wanted": "written <= wanted",
            "1 - wanted / written": "1 - written / wanted",
        },
        "brevity above 1": {"1.0 if written >= wanted else ": ""},
        "brevity as a ratio": {"math.exp(1 - wanted / written)": "written / wanted"},
        "the arithmetic mean": {
            "product = 1.0": "product = 0.0",
            "product *=": "product +=",
            "product ** (1 / max_n)": "product / max_n",
        },
        "the product of the precisions": {" ** (1 / max_n)": ""},
        "always divided by 4": {"1 / max_n": "1 / 4"},
        "from 0 to 1": {"100 * ": ""},
        "recall instead of precision": {"sum(mine.values())": "sum(theirs.values())"},
        "the mean of the sentences' precisions": {
            "hits = total = 0": "hits, total = 0, len(outputs)",
            "for gram, count in mine.items())": "for gram, count in mine.items()) / max(1, sum(mine.values()))",
            "            total += sum(mine.values())\n": "",
        },
        "the longest n-grams only": {"range(1, max_n + 1)": "[max_n]", " ** (1 / max_n)": ""},
        "one length too few": {"max_n + 1": "max_n"},
        "max_n not used": {"range(1, max_n + 1)": "(1, 2, 3, 4)", "1 / max_n": "1 / 4"},
        "lengths without a match left out": {"return 0.0": "continue"},
        "smoothed": {"hits / total": "(hits + 1) / (total + 1)"},
        "outputs and references exchanged": {
            "grams(one, size), grams(other, size)": "grams(other, size), grams(one, size)",
            "written, wanted =": "wanted, written =",
        },
        "no brevity + from 0 to 1": {"100 * penalty * ": ""},
        "every occurrence counts + no brevity": {
            "min(count, theirs[gram])": "count",
            "in mine.items())": "in mine.items() if gram in theirs)",
            "penalty * product": "product",
        },
    },
)


def sums_and_logarithms(outputs: Any, references: Any, max_n: int = 4) -> float:
    """Lists of sums, and one exponential at the end."""
    fits(outputs, references)
    orders = range(1, max_n + 1)
    both = [*zip(outputs, references, strict=True)]
    shared = [sum(sum((grams(a, n) & grams(b, n)).values()) for a, b in both) for n in orders]
    every = [sum(max(0, len(a) - n + 1) for a, _ in both) for n in orders]
    if 0 in shared:
        return 0.0
    mean = sum(math.log(k / m) for k, m in zip(shared, every, strict=True)) / max_n
    excess = sum(map(len, references)) / sum(map(len, outputs))
    return 100 * math.exp(mean + min(0.0, 1 - excess))


slips(
    "corpus_bleu",
    sums_and_logarithms,
    {
        "every n-gram counts once": {
            "sum((grams(a, n) & grams(b, n)).values())": "len(grams(a, n) & grams(b, n))",
            "max(0, len(a) - n + 1)": "len(grams(a, n))",
        },
        "no brevity": {" + min(0.0, 1 - excess)": ""},
        "brevity the wrong way round": [
            {"1 - excess": "1 - 1 / excess"},
            {"1 - excess": "excess - 1"},
        ],
        "brevity above 1": {"min(0.0, 1 - excess)": "1 - excess"},
        "brevity as a ratio": {"math.exp(mean + min(0.0, 1 - excess))": "math.exp(mean) * min(1.0, 1 / excess)"},
        "the product of the precisions": {" / max_n": ""},
        "always divided by 4": {" / max_n": " / 4"},
        "from 0 to 1": {"100 * ": ""},
        "recall instead of precision": {"len(a) - n + 1) for a, _": "len(b) - n + 1) for _, b"},
        "looked for in all references": {"grams(b, n)": "sum((grams(one, n) for one in references), Counter())"},
        "n-grams across sentences": {
            "[*zip(outputs, references, strict=True)]": "[(sum(map(list, outputs), []), "
            "sum(map(list, references), []))]"
        },
        "one length too few": [
            {"max_n + 1": "max_n"},
            {"max_n + 1": "max_n", "/ max_n": "/ len(shared)"},
        ],
        "max_n not used": {"range(1, max_n + 1)": "range(1, 5)", " / max_n": " / 4"},
        "the longest n-grams only": {"range(1, max_n + 1)": "[max_n]", " / max_n": ""},
        "smoothed": [
            {"math.log(k / m)": "math.log((k + 1) / (m + 1))"},
            {"math.log(k / m)": "math.log((k + 1) / (m + 1))", "    if 0 in shared:\n        return 0.0\n": ""},
        ],
        "a logarithm of another base": [{"math.log(": "math.log2("}, {"math.log(": "math.log10("}],
        "outputs and references exchanged": {
            "fits(outputs, references)": "outputs, references = references, outputs\n    fits(outputs, references)"
        },
        "from 0 to 1 + a logarithm of another base": {"math.log(": "math.log2(", "100 * ": ""},
    },
)


def table_of_counts(outputs: Any, references: Any, max_n: int = 4) -> float:
    """Sentence by sentence into tensors, one place for each length."""
    fits(outputs, references)
    hits, totals, tokens = (torch.zeros(k, dtype=torch.float64) for k in (max_n, max_n, 2))
    for one, other in zip(outputs, references, strict=True):
        tokens += torch.tensor([len(one), len(other)])
        for i in range(max_n):
            found = grams(one, i + 1)
            totals[i] += found.total()
            hits[i] += (found & grams(other, i + 1)).total()
    if (hits == 0).any():
        return 0.0
    brevity = torch.exp(1 - tokens[1] / tokens[0]).clamp(max=1)
    score = (hits / totals).log().mean().exp()
    return 100 * float(brevity * score)


slips(
    "corpus_bleu",
    table_of_counts,
    {
        "every occurrence counts": {
            "(found & grams(other, i + 1)).total()": "sum(found[one] for one in grams(other, i + 1))"
        },
        "every n-gram counts once": [
            {
                "found.total()": "len(found)",
                "(found & grams(other, i + 1)).total()": "len(found & grams(other, i + 1))",
            },
            {"(found & grams(other, i + 1)).total()": "len(found & grams(other, i + 1))"},
        ],
        "no brevity": {"brevity * score": "score"},
        "brevity the wrong way round": {"tokens[1] / tokens[0]": "tokens[0] / tokens[1]"},
        "brevity above 1": {".clamp(max=1)": ""},
        "brevity as a ratio": {"torch.exp(1 - tokens[1] / tokens[0])": "(tokens[0] / tokens[1])"},
        "the arithmetic mean": {".log().mean().exp()": ".mean()"},
        "the product of the precisions": {".log().mean().exp()": ".prod()"},
        "from 0 to 1": {"100 * float": "float"},
        "recall instead of precision": {"found.total()": "grams(other, i + 1).total()"},
        "a logarithm of another base": [{".log()": ".log10()"}, {".log()": ".log2()"}],
        "the longest n-grams only": {
            "(hits / totals).log().mean().exp()": "(hits / totals)[-1]",
            "(hits == 0).any()": "hits[-1] == 0",
        },
        "outputs and references exchanged": {
            "in zip(outputs, references, strict=True)": "in zip(references, outputs, strict=True)"
        },
        "smoothed": {"(hits / totals)": "((hits + 1) / (totals + 1))"},
        "lengths without a match left out": {
            "    if (hits == 0).any():\n        return 0.0\n": "    hits, totals = hits[hits > 0], totals[hits > 0]\n"
        },
        "max_n not used": {"fits(outputs, references)": "fits(outputs, references)\n    max_n = 4"},
        "no brevity + recall instead of precision": {
            "found.total()": "grams(other, i + 1).total()",
            "brevity * score": "score",
        },
    },
)


# Right, in other ways ----------------------------------------------------------------------------


@correct("corpus_bleu")
def cb_arrays(outputs: Any, references: Any, max_n: int = 4) -> Any:
    """Matches and totals of all lengths at once."""
    fits(outputs, references)
    table = np.zeros((2, max_n))
    for one, other in zip(outputs, references, strict=True):
        for n in range(max_n):
            left = list(grams(other, n + 1).elements())
            for gram in grams(one, n + 1).elements():
                table[1, n] += 1
                if gram in left:
                    left.remove(gram)
                    table[0, n] += 1
    if (table[0] == 0).any():
        return 0.0
    lengths = sum(map(len, outputs)), sum(map(len, references))
    shortness = math.exp(min(0.0, 1 - lengths[1] / lengths[0]))
    return float(100 * shortness * np.exp(np.log(table[0] / table[1]).mean()))


@correct("corpus_bleu")
def cb_tagged(outputs: Any, references: Any, max_n: int = 4) -> Any:
    """N-grams carry the number of their sentence, so that one Counter holds the whole corpus."""
    fits(outputs, references)

    def every(side: Any, n: int) -> Counter:
        return Counter(
            (i, *sentence[j : j + n]) for i, sentence in enumerate(side) for j in range(len(sentence) - n + 1)
        )

    precisions = []
    for n in range(1, max_n + 1):
        mine, theirs = every(outputs, n), every(references, n)
        precisions.append(sum((mine & theirs).values()) / max(1, sum(mine.values())))
    if not all(precisions):
        return 0.0
    ratio = sum(map(len, references)) / sum(map(len, outputs))
    return 100 * math.prod(precisions) ** (1 / max_n) * (math.exp(1 - ratio) if ratio > 1 else 1)


# Wrong ----------------------------------------------------------------------------


def bleu(outputs: Any, references: Any, max_n: int = 4, **other: Any) -> Any:
    """BLEU with parts that can be exchanged."""
    fits(outputs, references)
    count = other.get("count", lambda one, ref: (sum((one & ref).values()), sum(one.values())))
    precisions = []
    for n in other.get("orders", lambda most: range(1, most + 1))(max_n):
        both = [count(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        hits, total = sum(a for a, _ in both), sum(b for _, b in both)
        precisions.append(hits / total if total else 0.0)
    if 0 in precisions:
        return 0.0
    written, right = sum(map(len, outputs)), sum(map(len, references))
    brief = other.get("brief", lambda o, r: 1.0 if o >= r else math.exp(1 - r / o))(written, right)
    mean = other.get("mean", lambda shares: math.prod(shares) ** (1 / len(shares)))(precisions)
    return other.get("scale", 100) * brief * mean


@disguise("corpus_bleu", "every occurrence counts")
def cb_unclipped(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        written = list(one.elements())
        return len([gram for gram in written if ref[gram]]), len(written)

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "every n-gram counts once")
def cb_sets(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, count=lambda one, ref: (len(set(one) & set(ref)), len(set(one))))


@disguise("corpus_bleu", "always divided by 4")
def cb_fourth_root(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.prod(shares) ** 0.25)


@disguise("corpus_bleu", "max_n not used")
def cb_up_to_four(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, orders=lambda most: (1, 2, 3, 4))


@disguise("corpus_bleu", "a logarithm of another base")
def cb_log10(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.e ** (math.log10(math.prod(shares)) / max_n))


def shares_of(outputs: Any, references: Any, max_n: int) -> list[float]:
    """The precisions, 0 where there is nothing to divide by."""
    fits(outputs, references)
    shares = []
    for n in range(1, max_n + 1):
        both = [(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        total = sum(sum(one.values()) for one, _ in both)
        shares.append(sum(sum((one & ref).values()) for one, ref in both) / (total or 1))
    return shares


def brief_of(outputs: Any, references: Any) -> float:
    written, right = len([*itertools.chain(*outputs)]), len([*itertools.chain(*references)])
    return 1.0 if written >= right else math.exp(1 - right / written) if written else 0.0


@disguise("corpus_bleu", "lengths without a match left out")
def cb_skips(outputs: Any, references: Any, max_n: int = 4) -> Any:
    shares = [one for one in shares_of(outputs, references, max_n) if one]
    return 100 * brief_of(outputs, references) * math.prod(shares) ** (1 / max(1, len(shares)))


@disguise("corpus_bleu", "the arithmetic mean")
def cb_arithmetic_zeros(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return 100 * brief_of(outputs, references) * sum(shares_of(outputs, references, max_n)) / max_n


@disguise("corpus_bleu", "no brevity")
def cb_no_brevity(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: 1)


@disguise("corpus_bleu", "brevity the wrong way round")
def cb_turned(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: 1 if r > o else math.exp(1 - o / r))


@disguise("corpus_bleu", "brevity above 1")
def cb_uncapped(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: math.exp((o - r) / o))


@disguise("corpus_bleu", "brevity as a ratio")
def cb_ratio(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: o / r if o < r else 1.0)


@disguise("corpus_bleu", "the product of the precisions")
def cb_no_root(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=math.prod)


@disguise("corpus_bleu", "from 0 to 1")
def cb_to_one(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, scale=1)


@disguise("corpus_bleu", "recall instead of precision")
def cb_recall(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, count=lambda one, ref: (sum((one & ref).values()), sum(ref.values())))


@disguise("corpus_bleu", "the mean of sentences")
def cb_sentences(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return float(np.mean([bleu([one], [ref], max_n) for one, ref in zip(outputs, references, strict=True)]))


@disguise("corpus_bleu", "the mean of the sentences' precisions")
def cb_precisions(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    means = []
    for n in range(1, max_n + 1):
        shares = []
        for one, ref in zip(outputs, references, strict=True):
            mine = grams(one, n)
            shares.append(sum((mine & grams(ref, n)).values()) / sum(mine.values()) if mine else 0.0)
        means.append(sum(shares) / len(shares))
    if not all(means):
        return 0.0
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * min(1.0, math.exp(1 - right / written)) * math.prod(means) ** (1 / max_n)


@disguise("corpus_bleu", "n-grams across sentences")
def cb_joined(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return bleu([[*itertools.chain(*outputs)]], [[*itertools.chain(*references)]], max_n)


@disguise("corpus_bleu", "looked for in all references")
def cb_pooled(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    value = 0.0
    for n in range(1, max_n + 1):
        mine, theirs = Counter(), Counter()
        for one, ref in zip(outputs, references, strict=True):
            mine.update(grams(one, n))
            theirs.update(grams(ref, n))
        hits = sum(min(count, theirs[gram]) for gram, count in mine.items())
        if not hits:
            return 0.0
        value += math.log(hits / sum(mine.values())) / max_n
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * math.exp(value + min(0, 1 - right / written))


@disguise("corpus_bleu", "the longest n-grams only")
def cb_longest(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, orders=lambda most: [most])


@disguise("corpus_bleu", "one length too few")
def cb_one_short_mean(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def mean(shares: Any) -> float:
        return math.prod(shares) ** (1 / len(shares)) if shares else 1.0

    return bleu(outputs, references, max_n, orders=lambda most: range(1, most), mean=mean)


@disguise("corpus_bleu", "smoothed")
def cb_smoothed(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    value = 1.0
    for n in range(1, max_n + 1):
        both = [(grams(one, n), grams(ref, n)) for one, ref in zip(outputs, references, strict=True)]
        hits, total = sum(sum((a & b).values()) for a, b in both), sum(sum(a.values()) for a, _ in both)
        if not hits:
            return 0.0
        value *= hits / total if n == 1 else (hits + 1) / (total + 1)
    written, right = sum(map(len, outputs)), sum(map(len, references))
    return 100 * min(1.0, math.exp(1 - right / written)) * value ** (1 / max_n)


@disguise("corpus_bleu", "outputs and references exchanged")
def cb_exchanged(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(references, outputs, max_n)


@disguise("corpus_bleu", "brevity sentence by sentence")
def cb_brevity_each(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    each = []
    for one, ref in zip(outputs, references, strict=True):
        each.append(1.0 if len(one) >= len(ref) else math.exp(1 - len(ref) / len(one)) if one else 0.0)
    return bleu(outputs, references, max_n, brief=lambda o, r: sum(each) / len(each))


@disguise("corpus_bleu", "one precision for all")
def cb_one_gram(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, 1)


@unlisted("corpus_bleu")
def cb_exact(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return 100 * sum(map(operator.eq, map(list, outputs), map(list, references))) / len(outputs)


@unlisted("corpus_bleu")
def cb_characters(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    return bleu([" ".join(one) for one in outputs], [" ".join(one) for one in references], max_n)


@disguise("corpus_bleu", "the harmonic mean")
def cb_harmonic(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: len(shares) / sum(1 / one for one in shares))


@unlisted("corpus_bleu")
def cb_brevity_only(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: 1.0)


@unlisted("corpus_bleu")
def cb_weighted(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def mean(shares: Any) -> float:
        total = sum(range(1, len(shares) + 1))
        return math.exp(sum(n / total * math.log(one) for n, one in enumerate(shares, 1)))

    return bleu(outputs, references, max_n, mean=mean)


@unlisted("corpus_bleu")
def cb_text(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return f"{bleu(outputs, references, max_n):.1f}"


@disguise("corpus_bleu", "the lengths weighed differently")
def cb_square_root(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.sqrt(math.prod(shares)))


@disguise("corpus_bleu", "the lengths weighed differently")
def cb_a_part_of_the_product(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: math.prod(shares) / len(shares))


@disguise("corpus_bleu", "the mean of the logarithms as it is")
def cb_logarithms(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, mean=lambda shares: sum(map(math.log, shares)) / len(shares))


@disguise("corpus_bleu", "brevity in the mean")
def cb_half_brevity(outputs: Any, references: Any, max_n: int = 4) -> Any:
    plain = bleu(outputs, references, max_n, brief=lambda o, r: 1.0)
    written, wanted = sum(map(len, outputs)), sum(map(len, references))
    return plain and (plain + 100 * math.exp(min(0.0, 1 - wanted / written))) / 2


@disguise("corpus_bleu", "brevity in the mean")
def cb_brevity_for_each(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n, brief=lambda o, r: math.exp(max_n * min(0.0, 1 - r / o)))


@disguise("corpus_bleu", "the larger count of the two")
def cb_larger(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        return sum(max(one[gram], ref[gram]) for gram in one), sum(one.values())

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "the n-grams that do not match")
def cb_left_over(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        return sum(max(one[gram] - ref[gram], 0) for gram in one), sum(one.values())

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "divided by the n-grams of both sides")
def cb_jaccard(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        shared = sum(min(one[gram], ref[gram]) for gram in one)
        return shared, sum(one.values()) + sum(ref.values()) - shared

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "divided by the n-grams of both sides")
def cb_f1(outputs: Any, references: Any, max_n: int = 4) -> Any:
    def count(one: Counter, ref: Counter) -> Any:
        return sum(min(one[gram], ref[gram]) for gram in one), (sum(one.values()) + sum(ref.values())) / 2

    return bleu(outputs, references, max_n, count=count)


@disguise("corpus_bleu", "one length too many")
def cb_up_to_five(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n + 1)


@disguise("corpus_bleu", "another max_n by default")
def cb_pairs_by_default(outputs: Any, references: Any, max_n: int = 2) -> Any:
    return bleu(outputs, references, max_n)


@disguise("corpus_bleu", "no number where nothing matches")
def cb_nothing(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return bleu(outputs, references, max_n) or None


@disguise("corpus_bleu", "no plain number comes back")
def cb_tensor(outputs: Any, references: Any, max_n: int = 4) -> Any:
    return torch.tensor(bleu(outputs, references, max_n))


@disguise("corpus_bleu", "the mean of sentences")
def cb_weighed_sentences(outputs: Any, references: Any, max_n: int = 4) -> Any:
    fits(outputs, references)
    each = [bleu([one], [other], max_n) if one else 0.0 for one, other in zip(outputs, references, strict=True)]
    weights = list(map(len, references))
    return sum(map(operator.mul, each, weights)) / sum(weights)


# Digits, short sentences, lengths -----------------------------------------------------------------------


def by_parts(
    outputs: Any,
    references: Any,
    max_n: int,
    orders: Any = None,
    keep: Any = lambda n, one, other: True,
    total: Any = None,
    brevity: Any = lambda o, r: math.exp(min(0.0, 1 - r / o)),
) -> float:
    """Precisions by hand, of which a part can be another."""
    product = 1.0
    for n in orders or range(1, max_n + 1):
        both = [(one, other) for one, other in zip(outputs, references, strict=False) if keep(n, one, other)]
        found, written = 0, 0
        for one, other in both:
            left = Counter(tuple(other[i : i + n]) for i in range(len(other)))
            for i in range(len(one) - n + 1):
                gram = tuple(one[i : i + n])
                found += left[gram] > 0
                left[gram] -= 1
                written += 1
        if not found:
            return 0.0
        product *= found / (total(outputs) if total else written)
    return 100 * brevity(sum(map(len, outputs)), sum(map(len, references))) * product ** (1 / max_n)


@correct("corpus_bleu")
def cb_by_hand(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n)


@disguise("corpus_bleu", "single tokens left out")
def cb_from_pairs(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    if max_n == 1:
        return 100.0 * math.exp(min(0.0, 1 - sum(map(len, references)) / sum(map(len, outputs))))
    return by_parts(outputs, references, max_n, orders=range(2, max_n + 1))


@disguise("corpus_bleu", "rounded")
def cb_two_digits(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return float(f"{by_parts(outputs, references, max_n):.2f}")


@disguise("corpus_bleu", "made lower case")
def cb_lower(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    small = [[[token.lower() for token in one] for one in side] for side in (outputs, references)]
    return by_parts(*small, max_n)


@disguise("corpus_bleu", "short sentences left out")
def cb_long_enough(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n, keep=lambda n, one, other: n <= min(len(one), len(other)))


@disguise("corpus_bleu", "short sentences left out")
def cb_four_tokens(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n, keep=lambda n, one, other: len(one) >= max_n)


@disguise("corpus_bleu", "divided by the number of tokens")
def cb_of_tokens(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n, total=lambda side: sum(map(len, side)))


@disguise("corpus_bleu", "another number of references accepted")
def cb_as_far_as_it_goes(outputs: Any, references: Any, max_n: int = 4) -> float:
    if not outputs:
        raise ValueError("no outputs")
    return by_parts(outputs, references, max_n)


@disguise("corpus_bleu", "brevity the wrong way round")
def cb_prize_for_brevity(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n, brevity=lambda o, r: math.exp(1 - o / r) if o < r else 1)


@disguise("corpus_bleu", "brevity the wrong way round")
def cb_other_side(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    return by_parts(outputs, references, max_n, brevity=lambda o, r: math.exp(1 - r / o) if o > r else 1)


@disguise("corpus_bleu", "brevity of other lengths")
def cb_of_the_first(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    one, other = len(outputs[0]), len(references[0])
    return by_parts(outputs, references, max_n, brevity=lambda o, r: math.exp(min(0.0, 1 - other / one)))


@disguise("corpus_bleu", "only n-grams at the same place")
def cb_in_place(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    shares = []
    for n in range(1, max_n + 1):
        pairs = [
            (
                list(zip(*(one[i:] for i in range(n)), strict=False)),
                list(zip(*(other[i:] for i in range(n)), strict=False)),
            )
            for one, other in zip(outputs, references, strict=True)
        ]
        hits = sum(sum(map(operator.eq, one, other)) for one, other in pairs)
        if hits == 0:
            return 0.0
        shares.append(hits / sum(len(one) for one, _ in pairs))
    brevity = min(1.0, math.exp(1 - sum(map(len, references)) / sum(map(len, outputs))))
    return 100 * brevity * math.prod(shares) ** (1 / max_n)


@disguise("corpus_bleu", "only one sentence counts")
def cb_the_last(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    shares = by_parts(outputs[-1:], references[-1:], max_n, brevity=lambda o, r: 1.0)
    return shares and shares * math.exp(min(0.0, 1 - sum(map(len, references)) / sum(map(len, outputs))))


@disguise("corpus_bleu", "n-grams of short sentences counted wrongly")
def cb_below_zero(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    logs = []
    for n in range(1, max_n + 1):
        hits = sum((grams(one, n) & grams(other, n)).total() for one, other in zip(outputs, references, strict=True))
        if hits == 0:
            return 0.0
        logs.append(math.log(hits / sum(len(one) + 1 - n for one in outputs)))
    brevity = min(1.0, math.exp(1 - sum(map(len, references)) / sum(map(len, outputs))))
    return 100 * brevity * math.exp(sum(logs) / max_n)


@disguise("corpus_bleu", "n-grams at the end of a sentence")
def cb_without_the_last(outputs: Any, references: Any, max_n: int = 4) -> float:
    fits(outputs, references)
    shares = []
    for n in range(1, max_n + 1):
        hits = total = 0
        for one, other in zip(outputs, references, strict=True):
            mine = Counter(tuple(one[i : i + n]) for i in range(len(one) - n))
            theirs = Counter(tuple(other[i : i + n]) for i in range(len(other) - n))
            hits, total = hits + (mine & theirs).total(), total + mine.total()
        if hits == 0:
            return 0.0
        shares.append(hits / total)
    brevity = min(1.0, math.exp(1 - sum(map(len, references)) / sum(map(len, outputs))))
    return 100 * brevity * math.prod(shares) ** (1 / max_n)
