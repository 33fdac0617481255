"""Lesson 17, written another way than the reference."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch

GIVEN = ("refuse_unanswerable",)


@outside_the_watch
def mean_pool(hidden: Tensor, mask: Tensor) -> Tensor:
    """(batch, d_model): the mean over the tokens of each row; zeros for a row without a token."""
    if mask.dtype != torch.bool or mask.shape != hidden.shape[:2]:
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; give a boolean mask of shape (batch, seq_len)"
        )
    weights = mask / mask.sum(dim=1, keepdim=True).clamp(min=1)  # shares of each row
    return (weights.to(hidden.dtype)[:, None] @ hidden)[:, 0]


@outside_the_watch
def cosine_scores(queries: Tensor, documents: Tensor) -> Tensor:
    """(queries, documents): the cosine of each pair; 0 for a vector of zeros."""
    if queries.size(-1) != documents.size(-1):
        raise ValueError(f"queries have {queries.size(-1)} features, documents {documents.size(-1)}; give as many")
    dots = torch.einsum("qd,nd->qn", queries, documents)
    lengths = queries.norm(dim=1)[:, None] * documents.norm(dim=1)
    return dots / lengths.clamp(min=1e-12)


@outside_the_watch
def contrastive_loss(
    queries: Tensor, documents: Tensor, temperature: float | Tensor, same: Tensor | None = None
) -> Tensor:
    """The mean of two cross-entropies: of each query's document, and of each document's query."""
    if len(queries) != len(documents) or not len(queries):
        raise ValueError(f"{len(queries)} queries and {len(documents)} documents; give one for each, and at least one")
    if not temperature > 0:
        raise ValueError(f"temperature={float(temperature)}; give a number above 0")
    if same is not None and (same.dtype != torch.bool or same.shape != (len(queries), len(queries))):
        raise ValueError(f"same is {same.dtype} of shape {tuple(same.shape)}; give a boolean for each pair")
    scores = cosine_scores(queries, documents) / temperature
    if same is not None:
        scores = scores.masked_fill(same.clone().fill_diagonal_(False), -torch.inf)
    both = torch.stack([scores.log_softmax(dim=1).diagonal(), scores.log_softmax(dim=0).diagonal()])
    return -both.mean()


@outside_the_watch
class BiEncoder(nn.Module):
    """Read queries and documents by one model, each by itself."""

    def __init__(self, bert: nn.Module, temperature: float = 0.1) -> None:
        super().__init__()
        if not temperature > 0:
            raise ValueError(f"temperature={temperature}; give a number above 0")
        self.bert = bert
        self.log_temperature = nn.Parameter(torch.tensor(math.log(temperature)))

    def encode(self, ids: Tensor) -> Tensor:
        """(batch, d_model): a vector of each text."""
        config = self.bert.config
        return mean_pool(self.bert(ids)[0], ids.ne(config.pad_id))  # type: ignore[union-attr,arg-type]

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Tensor | None = None) -> Tensor:
        """The contrastive loss of a batch."""
        vectors = [self.encode(ids) for ids in (query_ids, document_ids)]
        return contrastive_loss(vectors[0], vectors[1], torch.exp(self.log_temperature), same)


@outside_the_watch
def refuse_unanswerable(scores: Tensor, relevant: Tensor) -> None:
    """Raise a ValueError where nothing can be measured."""
    if relevant.dtype != torch.bool or relevant.shape != scores.shape or not len(scores):
        raise ValueError(
            f"scores have shape {tuple(scores.shape)}, relevant is {relevant.dtype} of {tuple(relevant.shape)}; "
            "give a score and a boolean for each query and document, and at least one query"
        )
    if not relevant.any(dim=1).all():
        raise ValueError("a query has no relevant document; leave it out")


def _in_order(scores: Tensor, relevant: Tensor) -> list[list[bool]]:
    """For each query, which documents are relevant, from the best to the worst; in a tie those that are not first."""
    rows = [
        sorted(zip(row.tolist(), wanted.tolist(), strict=True), key=lambda one: (-one[0], one[1]))
        for row, wanted in zip(scores, relevant, strict=True)
    ]
    return [[wanted for _, wanted in row] for row in rows]


@outside_the_watch
def recall_at_k(scores: Tensor, relevant: Tensor, k: int) -> float:
    """The share of a query's relevant documents among its k best, as a mean over the queries."""
    refuse_unanswerable(scores, relevant)
    if not 1 <= k <= scores.size(1):
        raise ValueError(f"k={k}; give a number from 1 to {scores.size(1)}, the number of documents")
    shares = [sum(row[:k]) / sum(row) for row in _in_order(scores, relevant)]
    return sum(shares) / len(shares)


@outside_the_watch
def mean_reciprocal_rank(scores: Tensor, relevant: Tensor) -> float:
    """1 / rank of the first relevant document, as a mean over the queries."""
    refuse_unanswerable(scores, relevant)
    ranks = [1 + row.index(True) for row in _in_order(scores, relevant)]
    return sum(1 / rank for rank in ranks) / len(ranks)


@outside_the_watch
def search(queries: Tensor, documents: Tensor, k: int, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Cosines and indices of the k nearest documents of each query."""
    if not 1 <= k <= len(documents):
        raise ValueError(f"k={k}; give a number from 1 to {len(documents)}, the number of documents")
    if mask is not None and (mask.dtype != torch.bool or mask.shape != (len(queries), len(documents))):
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; give a boolean for each query and document"
        )
    if mask is not None and len(mask) and int(mask.sum(dim=1).min()) < k:
        raise ValueError(f"a query may find {int(mask.sum(dim=1).min())} documents; give no larger k than that")
    scores = cosine_scores(queries, documents)
    if mask is not None:
        scores = torch.where(mask, scores, -torch.inf)
    order = (-scores).argsort(dim=1, stable=True)[:, :k]
    return scores.gather(1, order), order


@outside_the_watch
def tf_idf(texts: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> Tensor:
    """(texts, terms): counts, the more the rarer the term is, in rows of length 1."""
    counts = torch.tensor([[list(text).count(term) for term in vocabulary] for text in texts])
    weights = [math.log((1 + len(texts)) / (1 + sum(term in text for text in texts))) + 1 for term in vocabulary]
    rows = counts.reshape(len(texts), len(vocabulary)) * torch.tensor(weights)
    lengths = rows.square().sum(dim=1, keepdim=True).sqrt()
    return rows / lengths.where(lengths > 0, torch.ones_like(lengths))


@outside_the_watch
def fuse(rankings: Sequence[Sequence[int]], k: int = 60) -> dict[int, float]:
    """Document → the sum of 1 / (k + rank) over the rankings that have it."""
    if k < 0 or any(len(set(ranking)) < len(ranking) for ranking in rankings):
        raise ValueError(f"k={k}, and a ranking may hold a document once; give 0 or more, and no document twice")
    found = {document for ranking in rankings for document in ranking}
    return {one: sum(1 / (k + 1 + list(ranking).index(one)) for ranking in rankings if one in ranking) for one in found}
