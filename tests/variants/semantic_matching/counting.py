"""Lesson 17: tf_idf and fuse."""

import math
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import torch
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

TERMS, FUSE = "tf_idf", "fuse"


# tf_idf ----------------------------------------------------------------------------


def in_numpy(texts: Any, vocabulary: Any) -> Tensor:
    counts = np.array([[Counter(text)[term] for term in vocabulary] for text in texts], float)
    counts = counts.reshape(len(texts), len(vocabulary))
    having = np.count_nonzero(counts, axis=0)
    table = counts * (np.log((len(texts) + 1) / (having + 1)) + 1)
    sizes = np.sqrt((table**2).sum(1, keepdims=True))
    return torch.tensor(table / np.where(sizes == 0, 1, sizes)).to(torch.get_default_dtype())


slips(
    TERMS,
    in_numpy,
    {
        "no weights": {" * (np.log((len(texts) + 1) / (having + 1)) + 1)": ""},
        "rows of any length": {" / np.where(sizes == 0, 1, sizes)": ""},
        "rows that add up to 1": {"np.sqrt((table**2).sum(1, keepdims=True))": "table.sum(1, keepdims=True)"},
        "columns of length 1": {".sum(1, keepdims=True)": ".sum(0, keepdims=True)"},
        "without the 1 in front": {"/ (having + 1)) + 1)": "/ (having + 1)))"},
        "the ones are missing from the fraction": [
            {"(len(texts) + 1) / (having + 1)": "len(texts) / np.maximum(having, 1)"},
            {"(len(texts) + 1) / (having + 1)": "len(texts) / (having + 1)"},
        ],
        "the fraction upside down": {"(len(texts) + 1) / (having + 1)": "(having + 1) / (len(texts) + 1)"},
        "a logarithm of another base": [{"np.log(": "np.log10("}, {"np.log(": "np.log2("}],
        "no logarithm": {"np.log((len(texts) + 1) / (having + 1))": "(len(texts) + 1) / (having + 1)"},
        "how often, not in how many texts": {"np.count_nonzero(counts, axis=0)": "counts.sum(0)"},
        "there or not there": {"table = counts *": "table = (counts > 0) *"},
        "an empty row becomes NaN": {"np.where(sizes == 0, 1, sizes)": "sizes"},
        "weighed twice": {
            "(np.log((len(texts) + 1) / (having + 1)) + 1)": "(np.log((len(texts) + 1) / (having + 1)) + 1) ** 2"
        },
        "rows of any length + there or not there": {
            " / np.where(sizes == 0, 1, sizes)": "",
            "table = counts *": "table = (counts > 0) *",
        },
    },
)


def one_loop(texts: Any, vocabulary: Any) -> Tensor:
    seen: Any = Counter(term for text in texts for term in set(text))
    rows = torch.zeros(len(texts), len(vocabulary))
    for number, text in enumerate(texts):
        for place, term in enumerate(vocabulary):
            worth = 1 + math.log1p(len(texts)) - math.log1p(seen[term])
            rows[number, place] = text.count(term) * worth
        size = math.hypot(*rows[number].tolist())
        if size:
            rows[number] /= size
    return rows


slips(
    TERMS,
    one_loop,
    {
        "no weights": {"text.count(term) * worth": "text.count(term)"},
        "rows of any length": {"            rows[number] /= size": "            pass"},
        "rows that add up to 1": {"math.hypot(*rows[number].tolist())": "sum(rows[number].tolist())"},
        "without the 1 in front": {"worth = 1 + math": "worth = math"},
        "the fraction upside down": {
            "math.log1p(len(texts)) - math.log1p(seen[term])": "math.log1p(seen[term]) - math.log1p(len(texts))"
        },
        "how often, not in how many texts": {"for term in set(text))": "for term in text)"},
        "there or not there": {"text.count(term) * worth": "(term in text) * worth"},
        "the logarithm of the counts": {
            "text.count(term) * worth": "(1 + math.log(text.count(term)) if term in text else 0) * worth"
        },
        "weighed twice": {"text.count(term) * worth": "text.count(term) * worth**2"},
    },
)


def by_scatter(texts: Any, vocabulary: Any) -> Tensor:
    known = list(vocabulary)
    table = torch.zeros(len(texts), len(known))
    for row, text in zip(table, texts, strict=True):
        places = [known.index(term) for term in text if term in known]
        row.index_add_(0, torch.tensor(places, dtype=torch.long), torch.ones(len(places)))
    texts_having = table.sign().sum(0)
    table = table * torch.log(math.e * (len(texts) + 1) / (texts_having + 1))
    return table / torch.linalg.vector_norm(table, dim=-1, keepdim=True).clamp(min=1e-12)


slips(
    TERMS,
    by_scatter,
    {
        "no weights": {"    table = table * torch.log(math.e * (len(texts) + 1) / (texts_having + 1))\n": ""},
        "rows of any length": {
            "return table / torch.linalg.vector_norm(table, dim=-1, keepdim=True).clamp(min=1e-12)": "return table"
        },
        "rows that add up to 1": {"vector_norm(table, dim": "vector_norm(table, ord=1, dim"},
        "columns of length 1": {"dim=-1, keepdim=True": "dim=0, keepdim=True"},
        "without the 1 in front": {"math.e * ": ""},
        "how often, not in how many texts": {"table.sign().sum(0)": "table.sum(0)"},
        "an empty row becomes NaN": {".clamp(min=1e-12)": ""},
        "no logarithm": {
            "torch.log(math.e * (len(texts) + 1) / (texts_having + 1))": "((len(texts) + 1) / (texts_having + 1))"
        },
    },
)


def counted(weigh: Any, count: Any = None, end: Any = None, having: Any = None) -> Any:
    """TF-IDF out of functions."""

    def make(texts: Any, vocabulary: Any) -> Any:
        n = len(texts)
        found = []
        for text in texts:
            row = []
            for term in vocabulary:
                d = (having or texts_with)(texts, term)
                row.append((count or how_often)(text, term) * weigh(n, d))
            found.append(row)
        return (end or length_one)(torch.tensor(found).reshape(n, len(vocabulary)))

    return make


def texts_with(texts: Any, term: str) -> int:
    return sum(term in text for text in texts)


def how_often(text: Any, term: str) -> float:
    return float(sum(one == term for one in text))


def idf(n: int, d: int) -> float:
    return math.log((1 + n) / (1 + d)) + 1


def length_one(rows: Tensor) -> Tensor:
    return torch.nan_to_num(rows / rows.square().sum(1, keepdim=True).sqrt(), nan=0.0)


def size_of(rows: Tensor, dim: int) -> Tensor:
    return rows / rows.square().sum(dim, keepdim=True).sqrt().clamp(min=1e-12)


correct(TERMS)(counted(idf))
disguise(TERMS, "no weights")(counted(lambda n, d: 1.0))
disguise(TERMS, "rows of any length")(counted(idf, end=lambda rows: rows))
disguise(TERMS, "rows that add up to 1")(
    counted(idf, end=lambda rows: rows / rows.sum(1, keepdim=True).clamp(min=1e-12))
)
disguise(TERMS, "columns of length 1")(counted(idf, end=lambda rows: size_of(rows, 0)))
disguise(TERMS, "without the 1 in front")(counted(lambda n, d: math.log(1 + n) - math.log(1 + d)))
disguise(TERMS, "the ones are missing from the fraction")(counted(lambda n, d: 1 + math.log(n) - math.log(max(d, 1))))
disguise(TERMS, "the fraction upside down")(counted(lambda n, d: 1 - math.log((1 + n) / (1 + d))))
disguise(TERMS, "a logarithm of another base")(counted(lambda n, d: 1 + math.log((1 + n) / (1 + d), 2)))
disguise(TERMS, "no logarithm")(counted(lambda n, d: (n + d + 2) / (1 + d)))
disguise(TERMS, "how often, not in how many texts")(
    counted(idf, having=lambda texts, term: sum(how_often(text, term) for text in texts))
)
disguise(TERMS, "there or not there")(counted(idf, count=lambda text, term: 1.0 if term in text else 0.0))
disguise(TERMS, "the logarithm of the counts")(
    counted(idf, count=lambda text, term: 1 + math.log(how_often(text, term)) if term in text else 0.0)
)
disguise(TERMS, "an empty row becomes NaN")(
    counted(idf, end=lambda rows: rows / rows.square().sum(1, keepdim=True).sqrt())
)
disguise(TERMS, "weighed twice")(counted(lambda n, d: idf(n, d) * idf(n, d)))


unlisted(TERMS)(counted(lambda n, d: math.sqrt(idf(n, d)), end=lambda rows: rows / 2))
disguise(TERMS, "the largest number is 1")(
    counted(idf, end=lambda rows: rows / rows.amax(1, keepdim=True).clamp(min=1e-12))
)


# fuse ----------------------------------------------------------------------------


def refuse(rankings: Any, k: int) -> None:
    """The given ValueError."""
    if k < 0 or any(len(one) > len(set(one)) for one in rankings):
        raise ValueError("rankings")


def by_default(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    total: Any = defaultdict(float)
    for found in rankings:
        for place in range(len(found)):
            total[found[place]] += 1 / (k + place + 1)
    return dict(total)


slips(
    FUSE,
    by_default,
    {
        "ranks from 0": {"1 / (k + place + 1)": "1 / (k + place)"},
        "1 / k + rank": {"1 / (k + place + 1)": "(1 / k if k else 0.0) + place + 1"},
        "k is not used": {"(k + place + 1)": "(place + 1)"},
        "60 whatever k is": {"(k + place + 1)": "(60 + place + 1)"},
        "the last ranking decides": {"+= 1": "= 1"},
        "the worst first": {"total[found[place]]": "total[found[-1 - place]]"},
        "a mean over the rankings": {"1 / (k + place + 1)": "1 / (k + place + 1) / len(rankings)"},
        "k is not used + the worst first": {
            "(k + place + 1)": "(place + 1)",
            "total[found[place]]": "total[found[-1 - place]]",
        },
    },
)


def by_counter(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    points: Any = Counter()
    for one in rankings:
        points.update({name: (rank + k) ** -1 for rank, name in enumerate(one, 1)})
    return {**points}


slips(
    FUSE,
    by_counter,
    {
        "k is not used": {"(rank + k) ** -1": "rank ** -1"},
        "60 whatever k is": {"(rank + k)": "(rank + 60)"},
        "the worst first": {"enumerate(one, 1)": "enumerate(one[::-1], 1)"},
        "a mean over the rankings": {"(rank + k) ** -1": "(rank + k) ** -1 / len(rankings)"},
    },
)


def by_places(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    lists = [list(one) for one in rankings]
    everyone = sorted({name for one in lists for name in one})
    return {name: math.fsum(1.0 / (one.index(name) + 1 + k) for one in lists if name in one) for name in everyone}


slips(
    FUSE,
    by_places,
    {
        "k is not used": {"(one.index(name) + 1 + k)": "(one.index(name) + 1)"},
        "60 whatever k is": {"1 + k)": "61)"},
        "the best ranking alone": {"math.fsum(": "max("},
        "a mean over the rankings": {
            "1.0 / (one.index(name) + 1 + k) for": "1.0 / len(lists) / (one.index(name) + 1 + k) for"
        },
        "missing documents stand last": {
            "1.0 / (one.index(name) + 1 + k) for one in lists if name in one": (
                "1.0 / ((one.index(name) if name in one else len(one)) + 1 + k) for one in lists"
            )
        },
    },
)


def scored(worth: Any, join: Any = None) -> Any:
    """A worth for each rank, and what becomes of several."""

    def make(rankings: Any, k: int = 60) -> Any:
        refuse(rankings, k)
        found: dict[int, list[float]] = {}
        for ranking in rankings:
            size = len(ranking)
            for rank, one in zip(range(1, size + 1), ranking, strict=True):
                found.setdefault(one, []).append(worth(rank, k, size))
        return {one: (join or add)(values, len(rankings)) for one, values in found.items()}

    return make


def add(values: list[float], rankings: int) -> float:
    return sum(values)


def usual(rank: int, k: int, size: int) -> float:
    return 1 / (k + rank)


correct(FUSE)(scored(usual))
disguise(FUSE, "ranks from 0")(scored(lambda rank, k, size: 1 / (k + rank - 1)))
disguise(FUSE, "1 / k + rank")(scored(lambda rank, k, size: rank + (1 / k if k else 0)))
disguise(FUSE, "k is not used")(scored(lambda rank, k, size: rank**-1))
disguise(FUSE, "60 whatever k is")(scored(lambda rank, k, size: 1 / (rank + 60)))
disguise(FUSE, "the last ranking decides")(scored(usual, lambda values, rankings: values[-1]))
disguise(FUSE, "the best ranking alone")(scored(usual, lambda values, rankings: max(values)))
disguise(FUSE, "a mean over the rankings")(scored(usual, lambda values, rankings: sum(values) / rankings))
disguise(FUSE, "the worst first")(scored(lambda rank, k, size: 1 / (k + size - rank + 1)))


@disguise(FUSE, "missing documents stand last")
def f_last(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    names = {one for ranking in rankings for one in ranking}
    total = dict.fromkeys(names, 0.0)
    for ranking in rankings:
        behind = [one for one in names if one not in ranking]
        for place, one in enumerate(ranking):
            total[one] += 1 / (k + 1 + place)
        for one in behind:
            total[one] += 1 / (k + 1 + len(ranking))
    return total


unlisted(FUSE)(scored(lambda rank, k, size: (size - rank) / (k + 1)))
disguise(FUSE, "the worth falls in another way")(scored(lambda rank, k, size: 1 / (k + rank) ** 2))
disguise(FUSE, "a product instead of a sum")(scored(usual, lambda values, rankings: math.prod(values)))


def parts_of_terms(texts: Any, vocabulary: Any) -> Any:
    counts = torch.tensor([[float(sum(one in term for term in text)) for one in vocabulary] for text in texts])
    counts = counts.reshape(len(texts), len(vocabulary))
    weights = [1 + math.log((1 + len(texts)) / (1 + having)) for having in (counts > 0).sum(0).tolist()]
    return torch.nn.functional.normalize(counts * torch.tensor(weights), dim=1)


disguise(TERMS, "terms inside other terms are counted")(parts_of_terms)


def given_rankings(rankings: Any, k: int) -> None:
    if k < 0 or any(len(set(one)) < len(one) for one in rankings):
        raise ValueError("k or a document twice")


def ten_of_each(rankings: Any, k: int = 60) -> Any:
    given_rankings(rankings, k)
    every = {one for ranking in rankings for one in ranking[:10]}
    return {one: sum(1 / (k + r[:10].index(one) + 1) for r in rankings if one in r[:10]) for one in every}


def text_for_document(rankings: Any, k: int = 60) -> Any:
    given_rankings(rankings, k)
    every = {one for ranking in rankings for one in ranking}
    return {str(one): sum(1 / (k + r.index(one) + 1) for r in rankings if one in r) for one in every}


unlisted("fuse")(ten_of_each)
disguise("fuse", "texts for documents")(text_for_document)


def fused_by(worth: Any) -> Any:
    def fused(rankings: Any, k: int = 60) -> Any:
        refuse(rankings, k)
        made: dict[Any, float] = {}
        for ranking in rankings:
            for place, one in enumerate(ranking):
                made[one] = made.get(one, 0) + worth(place + 1, k)
        return made

    return fused


disguise(FUSE, "times k")(fused_by(lambda rank, k: k / (k + rank)))
disguise(FUSE, "upside down")(fused_by(lambda rank, k: -1 / (rank + k)))
disguise(FUSE, "divided without a rest")(fused_by(lambda rank, k: 1 // (rank + k)))
unlisted(FUSE)(fused_by(lambda rank, k: 1 / (k + 3 * rank)))


@disguise(FUSE, "the last ranking is lost")
def f_without_the_last(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    return by_default(list(rankings)[: max(0, len(rankings) - 1)], k)


@disguise(FUSE, "rounded")
def f_rounded(rankings: Any, k: int = 60) -> Any:
    return {one: float(f"{value:.3f}") for one, value in by_default(rankings, k).items()}


@disguise(FUSE, "ranks for documents")
def f_of_ranks(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    made: Any = defaultdict(float)
    for ranking in rankings:
        for place in range(1, len(ranking) + 1):
            made[place] += 1 / (k + place)
    return dict(made)


@disguise(FUSE, "begun anew with each ranking")
def f_last_alone(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    made: dict[Any, float] = {}
    for ranking in rankings:
        made = {one: 1 / (k + place) for place, one in enumerate(ranking, start=1)}
    return made


@disguise(FUSE, "another k where none is given")
def f_ten(rankings: Any, k: int = 10) -> Any:
    return by_default(rankings, k)


def weighed(weigh: Any) -> Any:
    """Another way from counts and weights to rows."""

    def rows(texts: Any, vocabulary: Any) -> Any:
        counts = torch.tensor([[float(list(text).count(term)) for term in vocabulary] for text in texts])
        counts = counts.reshape(len(texts), len(vocabulary))
        having = counts.bool().sum(0)
        made = weigh(counts, having, len(texts))
        return made / made.norm(dim=1, keepdim=True).clamp(min=1e-12)

    return rows


def natural(having: Tensor, many: float) -> Tensor:
    return torch.log((many + 1) / (having + 1)) + 1


disguise(TERMS, "the root of the counts")(weighed(lambda c, d, n: c.sqrt() * natural(d, n)))
disguise(TERMS, "the weights are added")(weighed(lambda c, d, n: natural(d, n) + c))
disguise(TERMS, "divided by the weights")(weighed(lambda c, d, n: c / natural(d, n)))
disguise(TERMS, "another number in the fraction")(weighed(lambda c, d, n: c * (1 + torch.log((n + 2) / (d + 2)))))
unlisted(TERMS)(weighed(lambda c, d, n: c.square() * natural(d, n)))


@disguise(TERMS, "n is the number of all terms")
def t_of_all_terms(texts: Any, vocabulary: Any) -> Any:
    many = sum(len(text) for text in texts)
    return weighed(lambda c, d, n: c * natural(d, many))(texts, vocabulary)


@disguise(TERMS, "a text is lost")
def t_without_the_last(texts: Any, vocabulary: Any) -> Any:
    def shorter(c: Tensor, d: Tensor, n: int) -> Tensor:
        kept = torch.cat([c[:-1], torch.zeros_like(c[-1:])])
        return kept * natural(kept.bool().sum(0), n)

    return weighed(shorter)(texts, vocabulary)


@disguise(TERMS, "shares of a softmax")
def t_softmax(texts: Any, vocabulary: Any) -> Any:
    counts = torch.tensor([[float(list(text).count(term)) for term in vocabulary] for text in texts])
    return torch.softmax(counts * natural(counts.bool().sum(0), len(texts)), dim=-1)


@disguise(TERMS, "rows and columns exchanged")
def t_turned(texts: Any, vocabulary: Any) -> Any:
    return in_numpy(texts, vocabulary).mT


@disguise(TERMS, "lists instead of a tensor")
def t_lists(texts: Any, vocabulary: Any) -> Any:
    return in_numpy(texts, vocabulary).tolist()


@disguise(TERMS, "unknown terms are counted")
def t_unknown(texts: Any, vocabulary: Any) -> Any:
    known = list(vocabulary)
    return in_numpy([[term if term in known else known[-1] for term in text] for text in texts], vocabulary)


@disguise(TERMS, "the first term is taken for none")
def t_first_lost(texts: Any, vocabulary: Any) -> Any:
    return in_numpy([[term for term in text if term != vocabulary[0]] for text in texts], vocabulary)


disguise(TERMS, "the brackets of the fraction are lost")(weighed(lambda c, d, n: c * (1 + torch.log1p(n / (d + 1.0)))))


@disguise(TERMS, "unknown terms count in the length")
def unknown_in_a_column(texts: Any, vocabulary: Any) -> Tensor:
    known = list(vocabulary)
    return in_numpy([[term if term in known else None for term in text] for text in texts], [*known, None])[:, :-1]


@disguise(TERMS, "texts without a known term are not in n")
def only_those_with_terms(texts: Any, vocabulary: Any) -> Tensor:
    full = [number for number, text in enumerate(texts) if set(text) & set(vocabulary)]
    table = torch.zeros(len(texts), len(vocabulary))
    table[full] = in_numpy([texts[number] for number in full], vocabulary)
    return table


@disguise(TERMS, "what all texts have weighs nothing")
def stop_words(texts: Any, vocabulary: Any) -> Tensor:
    counts = torch.tensor([[float(list(text).count(term)) for term in vocabulary] for text in texts])
    having = counts.gt(0).sum(0)
    table = counts * (1 + ((1 + len(texts)) / (1 + having)).log())
    table[:, having == len(texts)] = 0
    return table / table.norm(dim=1, keepdim=True).clamp(min=1e-12)


@disguise(FUSE, "the last of each ranking is lost")
def one_place_early(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for place in range(len(ranking) - 1):
            total[ranking[place]] += 1 / (k + place + 1)
    return dict(total)


@disguise(FUSE, "k documents of each ranking")
def first_k(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for place, document in zip(range(k), ranking, strict=False):
            total[document] += 1 / (k + place + 1)
    return dict(total)


@disguise(FUSE, "cut to the shortest ranking")
def zipped(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = defaultdict(float)
    for rank, documents in enumerate(zip(*rankings, strict=False), start=1):
        for document in documents:
            total[document] += 1 / (k + rank)
    return dict(total)


@disguise(FUSE, "documents that no ranking has")
def a_table_of_all(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    table = [0.0] * (1 + max((one for ranking in rankings for one in ranking), default=-1))
    for ranking in rankings:
        for place, document in enumerate(ranking):
            table[document] += 1 / (k + place + 1)
    return dict(enumerate(table))


@disguise(FUSE, "tensors for numbers")
def sums_in_tensors(rankings: Any, k: int = 60) -> Any:
    refuse(rankings, k)
    total: dict[int, Tensor] = {}
    for ranking in rankings:
        for place, document in enumerate(ranking, start=1):
            total[document] = total.get(document, torch.zeros(())) + torch.tensor(1 / (k + place))
    return total


@disguise(FUSE, "changed on the way out")
def fused_percent(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = defaultdict(float)
    for ranking in rankings:
        for place, document in enumerate(ranking, start=1):
            total[document] += 100 / (k + place)
    return dict(total)


@disguise(FUSE, "rankings count by their number")
def later_ones_count_more(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = defaultdict(float)
    for number, ranking in enumerate(rankings):
        for place, document in enumerate(ranking, start=1):
            total[document] += (number + 1) / (k + place)
    return dict(total)


@disguise(FUSE, "ranks do not go up by 1")
def never_raised(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = {}
    for ranking in rankings:
        rank = 1
        for document in ranking:
            total[document] = total.get(document, 0) + 1 / (k + rank)
    return total


@disguise(FUSE, "the first time, a document gets nothing")
def begun_with_nothing(rankings: Any, k: int = 60) -> dict[int, float]:
    refuse(rankings, k)
    total: dict[int, float] = {}
    for ranking in rankings:
        for place, document in enumerate(ranking):
            if document not in total:
                total[document] = 0
            else:
                total[document] += 1 / (k + place + 1)
    return total


@disguise(TERMS, "rounded")
def to_two_places(texts: Any, vocabulary: Any) -> Any:
    return torch.tensor([[round(number, 2) for number in row] for row in in_numpy(texts, vocabulary).tolist()]).reshape(
        len(texts), len(vocabulary)
    )
