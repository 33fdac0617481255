"""Lesson 17: what adversaries have written and no list had; and right code that loops, with nothing to loop over."""

import math
from collections import Counter
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.semantic_matching import contrastive_loss, cosine_scores, mean_pool
from tests.variants import correct, disguise, unlisted
from tests.variants.semantic_matching import comparing, encoding, losses, searching
from tests.variants.semantic_matching.counting import counted, idf, scored, usual
from tests.variants.semantic_matching.measures import all_places, given, hits, mean, measured, part, ranked
from tests.variants.semantic_matching.pooling import given as given_a_mask

POOL, COSINE, LOSS, SEARCH = "mean_pool", "cosine_scores", "contrastive_loss", "search"
RECALL, RANK, TERMS, FUSE = "recall_at_k", "mean_reciprocal_rank", "tf_idf", "fuse"
ENCODER = "BiEncoder"

# mean_pool ----------------------------------------------------------------------------


def row_after_row(make: Any, real: Any = None) -> Any:
    """Each row by itself: its vectors, the mask's, and how many tokens each row has."""

    def pool(hidden: Tensor, mask: Tensor) -> Tensor:
        given_a_mask(hidden, mask)
        counts = mask.sum(dim=1).tolist()
        kept = [(real or of_the_mask)(row) for row in mask]
        return torch.stack([make(hidden[at], kept[at], counts) for at in range(len(hidden))])

    return pool


def of_the_mask(row: Tensor) -> Tensor:
    return row


def tokens(hidden: Tensor, real: Tensor) -> Tensor:
    return (hidden * real[:, None].to(hidden)).sum(0)


def without_the_first(row: Tensor) -> Tensor:
    return row & (row.cumsum(0) > 1)


def without_the_last(row: Tensor) -> Tensor:
    return row & (row.flip(0).cumsum(0).flip(0) > 1)


def filled(hidden: Tensor, real: Tensor, fill: float) -> Tensor:
    return torch.stack(
        [one if is_real else torch.full_like(one, fill) for one, is_real in zip(hidden, real, strict=True)]
    )


def average(hidden: Tensor, real: Tensor, counts: Any) -> Tensor:
    return hidden[real].mean(0) if real.any() else hidden.new_zeros(hidden.size(1))


correct(POOL)(row_after_row(average))
disguise(POOL, "padding becomes -inf")(
    row_after_row(lambda h, m, counts: filled(h, m, -math.inf).sum(0) / max(1, int(m.sum())))
)
disguise(POOL, "divided twice")(row_after_row(lambda h, m, counts: tokens(h, m) / len(m) / max(1, int(m.sum()))))
disguise(POOL, "divided by the longest text")(row_after_row(lambda h, m, counts: tokens(h, m) / max(1, *counts)))
disguise(POOL, "one token too few")(row_after_row(lambda h, m, counts: tokens(h, m) / max(1, int(m.sum()) - 1)))
disguise(POOL, "one token counts as two")(row_after_row(lambda h, m, counts: tokens(h, m) / max(2, int(m.sum()))))
disguise(POOL, "numbers that are zero are not counted")(
    row_after_row(lambda h, m, counts: tokens(h, m) / (h[m] != 0).sum(0).clamp(min=1))
)
disguise(POOL, "the first token is left out")(row_after_row(average, without_the_first))
disguise(POOL, "the last token is left out")(row_after_row(average, without_the_last))
disguise(POOL, "an empty row is not zeros")(row_after_row(lambda h, m, counts: h[m].mean(0) if m.any() else h.mean(0)))
unlisted(POOL)(row_after_row(lambda h, m, counts: average(h, m, counts).abs()))

# cosine_scores ----------------------------------------------------------------------------


def as_it_is(rows: Tensor) -> Tensor:
    return rows


disguise(COSINE, "negative distances")(comparing.looped(comparing.unit, lambda left, row: -(left - row).norm(dim=-1)))
disguise(COSINE, "negative cosines are lost")(
    comparing.looped(comparing.unit, lambda left, row: comparing.dot(left, row).relu())
)


@disguise(COSINE, "a softmax of the scores")
def c_shares(queries: Tensor, documents: Tensor) -> Any:
    comparing.given(queries, documents)
    powers = cosine_scores(queries, documents).exp()
    return powers / powers.sum(dim=1)[:, None]


@disguise(COSINE, "the scores are normalized, not the vectors")
def c_rows_of_scores(queries: Tensor, documents: Tensor) -> Any:
    comparing.given(queries, documents)
    raw = torch.einsum("qd,nd->qn", queries, documents)
    return raw / raw.pow(2).sum(dim=1, keepdim=True).sqrt().clamp(min=1e-12)


@disguise(COSINE, "one side with itself")
def c_with_itself(queries: Tensor, documents: Tensor) -> Any:
    comparing.given(queries, documents)
    unit = F.normalize(queries, dim=1)
    return torch.mm(unit, unit.t())


unlisted(COSINE)(comparing.looped(comparing.unit, lambda left, row: comparing.dot(left, row) ** 3))
unlisted(COSINE)(comparing.looped(comparing.unit, lambda left, row: torch.maximum(left, row).sum(-1)))
disguise(COSINE, "the sum instead of the length")(
    comparing.looped(lambda rows: rows / rows.abs().amax(1, keepdim=True).clamp(min=1e-12), comparing.dot)
)

# contrastive_loss ----------------------------------------------------------------------------


def with_scores(end: Any, score: Any = None) -> Any:
    """A loss from the scores, in which pairs of one meaning are left out already."""

    def loss(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Tensor:
        losses.given(queries, documents, temperature, same)
        table = (score or losses.divided)(queries, documents, temperature)
        if same is not None:
            table = torch.where(same.logical_and(torch.eye(len(table)) == 0), -torch.inf, table)
        return end(table)

    return loss


def likely(table: Tensor) -> tuple[Tensor, Tensor]:
    """The probabilities of the right answers, in both directions."""
    return table.softmax(1).diagonal(), table.softmax(0).diagonal()


def both(table: Tensor) -> Tensor:
    wanted = torch.arange(len(table))
    return F.cross_entropy(table, wanted) / 2 + F.cross_entropy(table.mT, wanted) / 2


def minus_distances(q: Tensor, d: Tensor, t: Any) -> Tensor:
    return -(F.normalize(q, dim=1)[:, None] - F.normalize(d, dim=1)[None]).norm(dim=-1) / t


disguise(LOSS, "negative distances as scores")(with_scores(both, minus_distances))
disguise(LOSS, "one side as it is")(with_scores(both, lambda q, d, t: F.normalize(q, dim=1) @ d.mT / t))
disguise(LOSS, "e to the temperature")(
    with_scores(both, lambda q, d, t: cosine_scores(q, d) / (math.e ** torch.as_tensor(t)))
)
disguise(LOSS, "the loss has the wrong sign")(
    with_scores(lambda table: (table.log_softmax(1) + table.log_softmax(0)).diagonal().mean() / 2)
)
disguise(LOSS, "probabilities without a logarithm")(with_scores(lambda table: -torch.cat(likely(table)).mean()))
disguise(LOSS, "the logarithm of a mean")(
    with_scores(lambda table: -sum(torch.log(one.mean()) for one in likely(table)) / 2)
)
disguise(LOSS, "divided by all pairs")(with_scores(lambda table: both(table) / len(table)))
disguise(LOSS, "probabilities that underflow")(with_scores(lambda table: -torch.cat(likely(table)).log().mean()))


@disguise(LOSS, "the same meaning as a right answer")
def l_many_right(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    losses.given(queries, documents, temperature, same)
    table = cosine_scores(queries, documents) / temperature
    own = torch.eye(len(table), dtype=torch.bool)
    right = (own if same is None else same.logical_or(own)).to(table.dtype)
    rows = (table.log_softmax(1) * right).sum(1) / right.sum(1)
    columns = (table.log_softmax(0) * right).sum(0) / right.sum(0)
    return -(rows.mean() + columns.mean()) / 2


@disguise(LOSS, "a yes or no for each pair")
def l_yes_or_no(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    losses.given(queries, documents, temperature, same)
    table = cosine_scores(queries, documents) / temperature
    signs = 2 * torch.eye(len(table), dtype=table.dtype) - 1
    return -F.logsigmoid(table * signs).mean()


@disguise(LOSS, "everything in one softmax")
def l_all_of_the_batch(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    losses.given(queries, documents, temperature, same)
    size, everything = len(queries), torch.cat([queries, documents])
    table = cosine_scores(everything, everything) / temperature
    hidden = torch.eye(2 * size, dtype=torch.bool)
    if same is not None:
        left_out = same & ~torch.eye(size, dtype=torch.bool)
        hidden[:size, size:], hidden[size:, :size] = left_out, left_out.T
    return F.cross_entropy(table.masked_fill(hidden, -torch.inf), torch.arange(2 * size).roll(size))


disguise(LOSS, "no mean of the two directions")(with_scores(lambda table: both(table) / 2))
unlisted(LOSS)(with_scores(lambda table: both(table) + both(table.flip(0))))
unlisted(LOSS)(with_scores(lambda table: both(table) + 0.01 * table.diagonal().square().mean()))

# search ----------------------------------------------------------------------------


def in_order(made: Any, score: Any = None, fills: float = -math.inf) -> Any:
    """A search from the sorted scores and indices, the scores, and k."""

    def find(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
        searching.given(queries, documents, k, mask)
        table = (score or cosine_scores)(queries, documents)
        table = table if mask is None else table.where(mask, torch.full_like(table, fills))
        values, places = table.sort(dim=-1, stable=True, descending=True)
        return made(values, places, table, k)

    return find


def best(values: Tensor, places: Tensor, table: Tensor, k: int) -> Any:
    return values[:, :k], places[:, :k]


disguise(SEARCH, "negative distances")(
    searching.found(lambda q, d: -(F.normalize(q)[:, None] - F.normalize(d)).square().sum(dim=-1).sqrt())
)
disguise(SEARCH, "a softmax of the scores")(
    in_order(lambda v, p, table, k: (table.softmax(1).take_along_dim(p, 1)[:, :k], p[:, :k]))
)
disguise(SEARCH, "the scores of other documents")(in_order(lambda v, p, table, k: (table.narrow(1, 0, k), p[:, :k])))
disguise(SEARCH, "places instead of documents")(
    in_order(lambda v, p, table, k: (v[:, :k], torch.argsort(p, dim=1).narrow(1, 0, k)))
)
disguise(SEARCH, "k is not used")(in_order(lambda v, p, table, k: (v, p)))
disguise(SEARCH, "the farthest documents")(in_order(best, lambda q, d: -cosine_scores(q, d)))


@disguise(SEARCH, "document i is never found for query i")
def s_never_itself(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    searching.given(queries, documents, k, mask)
    table = cosine_scores(queries, documents).fill_diagonal_(-torch.inf)
    if isinstance(mask, Tensor):
        table[~mask] = -torch.inf
    values, places = table.sort(dim=1, descending=True, stable=True)
    return values[:, :k], places[:, :k]


@disguise(SEARCH, "sorted over the queries")
def s_down_the_columns(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    searching.given(queries, documents, k, mask)
    table = cosine_scores(queries, documents)
    if isinstance(mask, Tensor):
        table = table.masked_fill(mask.logical_not(), -torch.inf)
    places = torch.argsort(table, dim=0, descending=True, stable=True)
    return torch.gather(table, 0, places)[:, :k], places[:, :k]


# recall_at_k and mean_reciprocal_rank ----------------------------------------------------------------------------

disguise(RECALL, "a count, not a share")(measured(hits, lambda count, there, k: count))
disguise(RECALL, "squares or roots of the shares")(measured(hits, lambda count, there, k: (count / there) ** 0.5))
unlisted(RECALL)(measured(hits, lambda count, there, k: count / there**2))
disguise(RECALL, "the k-th place alone")(
    measured(lambda row, wanted, k: hits(row, wanted, k) - hits(row, wanted, k - 1), part)
)
disguise(RECALL, "the first place alone")(measured(lambda row, wanted, k: hits(row, wanted, 1), part))
disguise(RECALL, "all or nothing")(measured(hits, lambda count, there, k: count // there))
disguise(RECALL, "only what scores more than the k-th")(
    measured(lambda row, wanted, k: sum(w and one > sorted(row)[-k] for one, w in zip(row, wanted, strict=True)), part)
)
disguise(RECALL, "relevant ones take no place")(
    measured(
        lambda row, wanted, k: sum(
            sum(other >= one and not w for other, w in zip(row, wanted, strict=True)) < k
            for one, here in zip(row, wanted, strict=True)
            if here
        ),
        part,
    )
)
disguise(RECALL, "relevant ones stand in each other's way")(
    measured(
        lambda row, wanted, k: sum(
            sum(other >= one for other in row) <= k for one, here in zip(row, wanted, strict=True) if here
        ),
        part,
    )
)
disguise(RECALL, "found by score")(
    measured(
        lambda row, wanted, k: sum(
            one in [two for two, here in zip(row, wanted, strict=True) if here] for one in sorted(row)[-k:]
        ),
        part,
    )
)


@disguise(RECALL, "divided by all documents")
def m_of_the_collection(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    rows = zip(scores.tolist(), relevant.tolist(), strict=True)
    return sum(hits(row, wanted, k) for row, wanted in rows) / scores.numel()


@disguise(RECALL, "the first query alone")
def m_returns_early(scores: Tensor, relevant: Tensor, k: int) -> Any:
    given(scores, relevant, k)
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        return hits(row, wanted, k) / sum(wanted)
    return 0.0


disguise(RANK, "average precision")(
    ranked(
        all_places,
        lambda rows: mean(mean((number + 1) / (place + 1) for number, place in enumerate(row)) for row in rows),
    )
)
disguise(RANK, "the first place alone")(ranked(all_places, lambda rows: mean(1 // (1 + row[0]) for row in rows)))
disguise(RANK, "the first query alone")(ranked(all_places, lambda rows: 1 / (1 + rows[0][0])))
disguise(RANK, "all relevant documents")(
    ranked(all_places, lambda rows: mean(sum(1 / (1 + place) for place in row) for row in rows))
)
disguise(RANK, "all relevant documents")(
    ranked(
        lambda row, wanted: all_places(row, wanted, lambda w, at: at),
        lambda rows: mean(mean(1 / (1 + place) for place in row) for row in rows),
    )
)
disguise(RANK, "what stands behind is counted")(
    ranked(
        lambda row, wanted: [
            sum(
                not here and one <= max(two for two, w in zip(row, wanted, strict=True) if w)
                for one, here in zip(row, wanted, strict=True)
            )
        ],
        lambda rows: mean(1 / (1 + row[0]) for row in rows),
    )
)


@disguise(RANK, "a tie counts half")
def r_halves(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    worths = []
    for row, wanted in zip(scores, relevant, strict=True):
        wrong, top = row[~wanted], row[wanted].max()
        worths.append(1 / (1 + int((wrong > top).sum()) + 0.5 * int((wrong == top).sum())))
    return mean(worths)


@disguise(RANK, "divided by the number of documents")
def r_of_the_collection(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    rows = [all_places(row, wanted) for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True)]
    return sum(1 / (1 + row[0]) for row in rows) / scores.shape[1]


@disguise(RANK, "the places of another order")
def r_old_order(scores: Tensor, relevant: Tensor) -> Any:
    given(scores, relevant)
    worths = []
    for row, wanted in zip(scores.tolist(), relevant.tolist(), strict=True):
        pushed = [one for one, w in zip(row, wanted, strict=True) if not w]
        pushed += [one for one, w in zip(row, wanted, strict=True) if w]
        order = sorted(range(len(row)), key=lambda at: -pushed[at])
        worths.append(1 / (1 + next(place for place, at in enumerate(order) if wanted[at])))
    return mean(worths)


# tf_idf and fuse ----------------------------------------------------------------------------

disguise(TERMS, "one length for all rows")(counted(idf, end=lambda rows: rows / max(float(rows.norm()), 1e-12)))
disguise(TERMS, "the 1 inside the logarithm")(counted(lambda n, d: math.log1p((n + 1) / (d + 1))))
disguise(TERMS, "the weights of BM25")(counted(lambda n, d: math.log((n - d + 0.5) / (d + 0.5) + 1)))
disguise(TERMS, "divided by squares")(
    counted(idf, end=lambda rows: torch.nan_to_num(rows / (rows * rows).sum(1)[:, None]))
)
disguise(TERMS, "shares of the text")(
    counted(idf, count=lambda text, term: list(text).count(term) / max(1, len(text)), end=lambda rows: rows)
)


@disguise(TERMS, "n is the number of terms")
def t_terms(texts: Any, vocabulary: Any) -> Any:
    return counted(lambda n, d: 1 + math.log((1 + len(vocabulary)) / (1 + d)))(texts, vocabulary)


@disguise(TERMS, "columns in another order")
def t_sorted(texts: Any, vocabulary: Any) -> Any:
    return counted(idf)(texts, sorted(vocabulary))


@disguise(TERMS, "normalized before it is weighed")
def t_too_early(texts: Any, vocabulary: Any) -> Any:
    rows = [[float(Counter(text)[term]) for term in vocabulary] for text in texts]
    counts = torch.tensor(rows).reshape(len(texts), len(vocabulary))
    weights = torch.tensor([idf(len(texts), int(have)) for have in counts.count_nonzero(dim=0)])
    return F.normalize(counts, dim=-1) * weights


unlisted(TERMS)(counted(lambda n, d: 1 / (3 + d)))
disguise(TERMS, "the root of the counts")(counted(idf, count=lambda text, term: list(text).count(term) ** 0.5))

disguise(FUSE, "ranks from 2")(scored(lambda rank, k, size: 1 / (k + rank + 1)))
disguise(FUSE, "the ranks are added up")(scored(lambda rank, k, size: k + rank))
disguise(FUSE, "one fraction of all ranks")(
    scored(lambda rank, k, size: (k, rank), lambda values, n: 1 / (values[0][0] + sum(rank for _, rank in values)))
)
disguise(FUSE, "the worst ranking alone")(scored(usual, lambda values, n: min(values)))
disguise(FUSE, "points by the length of the ranking")(scored(lambda rank, k, size: size + 1 - rank))
disguise(FUSE, "only what all rankings have")(
    lambda rankings, k=60: {
        one: value
        for one, value in scored(usual)(rankings, k).items()
        if sum(one in ranking for ranking in rankings) == len(rankings)
    }
)
disguise(FUSE, "the first ranking alone")(lambda rankings, k=60: scored(usual)(rankings, k) and first(rankings, k))


def first(rankings: Any, k: int) -> Any:
    return {one: 1 / (k + rank) for rank, one in enumerate(rankings[0], 1)}


@disguise(FUSE, "ranks go on over the rankings")
def f_on_and_on(rankings: Any, k: int = 60) -> Any:
    scored(usual)(rankings, k)
    total: dict[Any, float] = {}
    rank = 0
    for ranking in rankings:
        for one in ranking:
            rank += 1
            total[one] = total.get(one, 0) + 1 / (rank + k)
    return total


@disguise(FUSE, "a document's number taken for its rank")
def f_by_number(rankings: Any, k: int = 60) -> Any:
    scored(usual)(rankings, k)
    total: dict[Any, float] = {}
    for ranking in rankings:
        for rank in ranking:
            total[rank] = total.get(rank, 0) + 1 / (rank + k)
    return total


@disguise(FUSE, "scaled")
def f_scaled(rankings: Any, k: int = 60) -> Any:
    found = scored(usual)(rankings, k)
    top = max(found.values(), default=1.0)
    return {one: value / top for one, value in found.items()}


@disguise(FUSE, "a list, not a dict")
def f_listed(rankings: Any, k: int = 60) -> Any:
    found = scored(usual)(rankings, k)
    return sorted(found, key=found.__getitem__, reverse=True)


disguise(FUSE, "the worth falls in another way")(scored(lambda rank, k, size: math.exp(-rank / (k + 1))))
disguise(FUSE, "the worth falls in another way")(scored(lambda rank, k, size: 1 / math.log(k + rank + 2)))

# BiEncoder ----------------------------------------------------------------------------

model, pool, loss = encoding.model, encoding.pool, encoding.loss


def own_loss(end: Any, score: Any = None, leave_out: Any = None) -> Any:
    """A loss written inside of `forward`."""

    def made(q: Tensor, d: Tensor, log: Tensor, same: Any) -> Tensor:
        table = (score or cosine_scores)(q, d) / log.exp()
        return end(table if same is None else (leave_out or encoding.hidden_twins)(table, same))

    return made


def by_minus_distance(q: Tensor, d: Tensor) -> Tensor:
    return -(F.normalize(q, dim=-1)[:, None] - F.normalize(d, dim=-1)[None]).norm(dim=-1)


def without_twins(table: Tensor, same: Tensor) -> Tensor:
    return table.masked_fill(same.clone().fill_diagonal_(False), -math.inf)


def to_the_first(table: Tensor) -> Tensor:
    return -(table.log_softmax(1)[:, 0].mean() + table.log_softmax(0)[0].mean()) / 2


disguise(ENCODER, "a sum, not a mean")(
    model(lambda hidden, pooled, ids, pad: (hidden * (ids != pad)[..., None]).sum(1), loss)
)
disguise(ENCODER, "the largest of each feature")(
    model(lambda hidden, pooled, ids, pad: torch.where((ids != pad)[..., None], hidden, -1e30).max(1)[0], loss)
)
disguise(ENCODER, "vectors of length 1")(
    model(lambda *made: pool(*made) / pool(*made).norm(dim=1, keepdim=True).clamp(min=1e-12), loss)
)
disguise(ENCODER, "the first token is left out")(
    model(lambda hidden, pooled, ids, pad: mean_pool(hidden, (ids != pad) & (torch.arange(ids.size(1)) > 0)), loss)
)
disguise(ENCODER, "the last token's vector")(
    model(lambda hidden, pooled, ids, pad: hidden[range(len(ids)), (ids != pad).sum(1).sub(1)], loss)
)
disguise(ENCODER, "the padding counts in the sum")(
    model(lambda hidden, pooled, ids, pad: hidden.sum(1) / (ids != pad).sum(1)[:, None], loss)
)
disguise(ENCODER, "divided by the tokens of the whole batch")(
    model(
        lambda hidden, pooled, ids, pad: (
            torch.einsum("bsd,bs->bd", hidden, (ids != pad).to(hidden)) / (ids != pad).sum()
        ),
        loss,
    )
)
disguise(ENCODER, "another function than exp")(
    model(pool, lambda q, d, log, same: contrastive_loss(q, d, torch.log1p(log.exp()), same))
)
disguise(ENCODER, "a temperature of 0.1")(model(pool, lambda q, d, log, same: contrastive_loss(q, d, 0.1, same)))
disguise(ENCODER, "queries and documents exchanged")(
    model(pool, lambda q, d, log, same: contrastive_loss(d, q, log.exp(), same))
)
disguise(ENCODER, "dot products, not cosines")(model(pool, own_loss(both, lambda q, d: q @ d.mT)))
disguise(ENCODER, "negative distances as scores")(model(pool, own_loss(both, by_minus_distance)))
disguise(ENCODER, "two losses added up")(model(pool, own_loss(lambda table: 2 * both(table))))
disguise(ENCODER, "lengths taken over the batch")(
    model(pool, own_loss(both, lambda q, d: (q / q.norm(dim=0)) @ (d / d.norm(dim=0)).mT))
)
disguise(ENCODER, "every label is 0")(model(pool, own_loss(to_the_first, leave_out=without_twins)))
disguise(ENCODER, "the right pair is left out, too")(
    model(pool, own_loss(both, leave_out=lambda table, same: table.masked_fill(same, -torch.inf)))
)
disguise(ENCODER, "same upside down")(
    model(
        pool,
        own_loss(
            both,
            leave_out=lambda table, same: table.where(same | torch.eye(len(same)).bool(), torch.tensor(-torch.inf)),
        ),
    )
)
disguise(ENCODER, "a score of 0 for what is left out")(
    model(pool, own_loss(both, leave_out=lambda table, same: table * ~(same & ~torch.eye(len(same)).bool())))
)
disguise("ArticleBiEncoder", "negative distances as scores")(
    model(pool, own_loss(both, by_minus_distance), "ArticleBiEncoder")
)
