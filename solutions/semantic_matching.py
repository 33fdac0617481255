"""Semantic matching: texts become vectors, and what means the same lies close together."""

import math
from collections import Counter
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.bert import BERT


def mean_pool(
    hidden: Float[Tensor, "batch seq_len d_model"], mask: Bool[Tensor, "batch seq_len"]
) -> Float[Tensor, "batch d_model"]:
    """Make one vector of each text: the mean of the vectors of its tokens.

    Args:
        hidden: a vector for each token.
        mask: True for a token, False for padding, wherever it stands.

    Returns:
        The mean over the tokens of each row. A row without a token gets zeros.

    Raises:
        ValueError: if the mask is not boolean, or not one for each vector.

    Source: Reimers and Gurevych, "Sentence-BERT" (2019), section 3.
    """
    if mask.dtype != torch.bool or mask.shape != hidden.shape[:2]:
        found = f"mask is {mask.dtype} of shape {tuple(mask.shape)}, hidden has {tuple(hidden.shape)}"
        raise ValueError(f"{found}; give a boolean mask of shape (batch, seq_len)")
    # 1. what stands on padding becomes zeros
    # 2. the sum over the tokens
    # 3. divided by how many tokens each row has; a row of none stays zeros
    # BEGIN SOLUTION
    kept = hidden.masked_fill(~mask.unsqueeze(-1), 0.0)  # (batch, seq_len, d_model)
    counts = mask.sum(dim=1, keepdim=True)  # (batch, 1)
    return kept.sum(dim=1) / counts.clamp(min=1)
    # END SOLUTION


def cosine_scores(
    queries: Float[Tensor, "queries d_model"], documents: Float[Tensor, "documents d_model"]
) -> Float[Tensor, "queries documents"]:
    """Compare every query with every document by the cosine of the angle between their vectors.

    Args:
        queries: a vector each.
        documents: a vector each; there may be more or fewer of them than queries.

    Returns:
        Scores from -1 to 1: row i, column j for query i and document j. A vector of zeros has no angle, and scores 0.

    Raises:
        ValueError: if the vectors of the two sides are not of one width.
    """
    if queries.size(-1) != documents.size(-1):
        raise ValueError(f"queries have {queries.size(-1)} features, documents {documents.size(-1)}; give as many")
    # BEGIN SOLUTION
    return F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1).T
    # END SOLUTION


def contrastive_loss(
    queries: Float[Tensor, "batch d_model"],
    documents: Float[Tensor, "batch d_model"],
    temperature: float | Float[Tensor, ""],
    same: Bool[Tensor, "batch batch"] | None = None,
) -> Float[Tensor, ""]:
    """Ask every query which document of the batch is its own, and every document which query.

    Args:
        queries: a vector each.
        documents: a vector each; document i belongs to query i.
        temperature: what the cosines are divided by; it may be learned.
        same: True at (i, j) where query i and document j mean the same. Such a pair is no negative: outside of the
            diagonal it does not count at all. What stands on the diagonal does not matter, as a pair is always its
            own right answer. None if nothing occurs twice.

    Returns:
        The mean of two cross-entropies, in nats: of the right document of each query, and of the right query of
        each document.

    Raises:
        ValueError: if the batch is empty, there are not as many queries as documents, the temperature is not
            above 0, or `same` is not a boolean for each pair.

    Source: van den Oord et al., "Representation Learning with Contrastive Predictive Coding" (2018); in both
    directions: Radford et al., "Learning Transferable Visual Models From Natural Language Supervision" (2021).
    """
    if len(queries) != len(documents) or not len(queries):
        raise ValueError(f"{len(queries)} queries and {len(documents)} documents; give one for each, and at least one")
    if not temperature > 0:
        raise ValueError(f"temperature={float(temperature)}; give a number above 0")
    if same is not None and (same.dtype != torch.bool or same.shape != (len(queries), len(queries))):
        raise ValueError(f"same is {same.dtype} of shape {tuple(same.shape)}; give a boolean for each pair")
    # 1. the scores of all pairs, by the temperature
    # 2. -inf where a pair means the same and is not the row's own
    # 3. the right answer of row i is column i: a cross-entropy, of the scores and of the scores turned over
    # BEGIN SOLUTION
    scores = cosine_scores(queries, documents) / temperature  # (batch, batch)
    if same is not None:
        own = torch.eye(len(scores), dtype=torch.bool, device=scores.device)
        scores = scores.masked_fill(same & ~own, -torch.inf)
    right = torch.arange(len(scores), device=scores.device)
    return (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2
    # END SOLUTION


class BiEncoder(nn.Module):
    """Read queries and documents by one model, each by itself, and bring together what means the same.

    Args:
        bert: a model that gives `(hidden, pooled)`; it becomes a part of this one.
        temperature: where the temperature begins; it is learned.

    Raises:
        ValueError: if the temperature is not above 0.

    Source: Reimers and Gurevych, "Sentence-BERT" (2019); the learned temperature: Radford et al. (2021), section 2.3.
    """

    def __init__(self, bert: BERT, temperature: float = 0.1) -> None:
        super().__init__()
        if not temperature > 0:
            raise ValueError(f"temperature={temperature}; give a number above 0")
        self.bert = bert
        self.log_temperature = nn.Parameter(torch.tensor(math.log(temperature)))

    def encode(self, ids: Int[Tensor, "batch seq_len"]) -> Float[Tensor, "batch d_model"]:
        """Make a vector of each text: the mean over its tokens, without the padding.

        Args:
            ids: the texts, filled up with `bert.config.pad_id`.
        """
        # BEGIN SOLUTION
        hidden, _ = self.bert(ids)  # (batch, seq_len, d_model)
        return mean_pool(hidden, ids != self.bert.config.pad_id)
        # END SOLUTION

    def forward(
        self,
        query_ids: Int[Tensor, "batch query_len"],
        document_ids: Int[Tensor, "batch document_len"],
        same: Bool[Tensor, "batch batch"] | None = None,
    ) -> Float[Tensor, ""]:
        """The contrastive loss of a batch, at the temperature that has been learned.

        Args:
            query_ids: texts.
            document_ids: a text for each of them that means the same.
            same: see contrastive_loss.
        """
        # BEGIN SOLUTION
        queries, documents = self.encode(query_ids), self.encode(document_ids)
        return contrastive_loss(queries, documents, self.log_temperature.exp(), same)
        # END SOLUTION


def refuse_unanswerable(
    scores: Float[Tensor, "queries documents"], relevant: Bool[Tensor, "queries documents"]
) -> None:
    """Raise a ValueError where nothing can be measured: shapes differ, no query, or one without a relevant document."""
    if relevant.dtype != torch.bool or relevant.shape != scores.shape or not len(scores):
        found = f"scores have shape {tuple(scores.shape)}, relevant is {relevant.dtype} of {tuple(relevant.shape)}"
        raise ValueError(f"{found}; give a score and a boolean for each query and document, and at least one query")
    if not relevant.any(dim=1).all():
        row = int(relevant.any(dim=1).int().argmin())
        raise ValueError(f"query {row} has no relevant document; leave it out")


def recall_at_k(
    scores: Float[Tensor, "queries documents"], relevant: Bool[Tensor, "queries documents"], k: int
) -> float:
    """Measure how much of what a query looks for stands among its k best documents.

    A tie counts against you: of documents with equal scores, those that are not relevant stand in front.

    Args:
        scores: of every document for every query; the larger, the better.
        relevant: True where the document is one that the query looks for; there may be several.
        k: how many documents are looked at.

    Returns:
        The share of a query's relevant documents that are among its k best, as a mean over the queries.

    Raises:
        ValueError: if there is no query, one has no relevant document, or k is not from 1 to the number of documents.

    Source: Manning et al., "Introduction to Information Retrieval" (2008), chapter 8.
    """
    refuse_unanswerable(scores, relevant)
    if not 1 <= k <= scores.size(1):
        raise ValueError(f"k={k}; give a number from 1 to {scores.size(1)}, the number of documents")
    # 1. put the documents of each query into an order in which those that are not relevant come first
    # 2. sort them by score without changing the order of equal ones, and keep the k best
    # 3. how many of these are relevant, of how many that there are?
    # BEGIN SOLUTION
    order = relevant.int().argsort(dim=1, stable=True)  # (queries, documents)
    best = scores.gather(1, order).argsort(dim=1, descending=True, stable=True)[:, :k]
    found = relevant.gather(1, order).gather(1, best).sum(dim=1)  # (queries,)
    return (found / relevant.sum(dim=1)).mean().item()
    # END SOLUTION


def mean_reciprocal_rank(
    scores: Float[Tensor, "queries documents"], relevant: Bool[Tensor, "queries documents"]
) -> float:
    """Measure how far down a reader has to go to the first document that helps.

    A tie counts against you, as in recall_at_k.

    Args:
        scores: see recall_at_k.
        relevant: see recall_at_k.

    Returns:
        1 / rank of the first relevant document, the best document having rank 1, as a mean over the queries.

    Raises:
        ValueError: if there is no query, or one has no relevant document.

    Source: Voorhees, "The TREC-8 Question Answering Track Report" (1999).
    """
    refuse_unanswerable(scores, relevant)
    # 1. the best score of a relevant document, for each query
    # 2. the rank is one more than the number of documents that are not relevant and score as much or more
    # BEGIN SOLUTION
    best = scores.masked_fill(~relevant, -torch.inf).amax(dim=1, keepdim=True)  # (queries, 1)
    in_front = ((scores >= best) & ~relevant).sum(dim=1)  # (queries,)
    return (1 / (1 + in_front)).mean().item()
    # END SOLUTION


def search(
    queries: Float[Tensor, "queries d_model"],
    documents: Float[Tensor, "documents d_model"],
    k: int,
    mask: Bool[Tensor, "queries documents"] | None = None,
) -> tuple[Float[Tensor, "queries k"], Int[Tensor, "queries k"]]:
    """Find the k documents that are nearest to each query.

    Args:
        queries: a vector each.
        documents: a vector each.
        k: how many to find.
        mask: True where the query may find the document, such as everything but itself. None for everywhere.

    Returns:
        `(scores, indices)`: the cosines of the k best documents, the best first, and which documents they are. Of
        documents with equal scores the one with the smaller index stands in front.

    Raises:
        ValueError: if k is not from 1 to the number of documents, the mask is not a boolean for each pair, or a query
            may find fewer than k documents.
    """
    if not 1 <= k <= len(documents):
        raise ValueError(f"k={k}; give a number from 1 to {len(documents)}, the number of documents")
    if mask is not None and (mask.dtype != torch.bool or mask.shape != (len(queries), len(documents))):
        raise ValueError(
            f"mask is {mask.dtype} of shape {tuple(mask.shape)}; give a boolean for each query and document"
        )
    if mask is not None and len(mask) and int(mask.sum(dim=1).min()) < k:
        raise ValueError(f"a query may find {int(mask.sum(dim=1).min())} documents; give no larger k than that")
    # BEGIN SOLUTION
    scores = cosine_scores(queries, documents)
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    found = scores.sort(dim=1, descending=True, stable=True)
    return found.values[:, :k], found.indices[:, :k]
    # END SOLUTION


def tf_idf(texts: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> Float[Tensor, "texts terms"]:
    """Make a vector of each text by counting: frequent in this text, rare in the others.

    Args:
        texts: each a list of its terms, such as all runs of three characters.
        vocabulary: the terms that count, each once; others are passed over.

    Returns:
        count · (1 + ln((1 + n) / (1 + d))) for each text and term, where n is the number of texts and d the number
        of those that have the term; then each row is divided by its Euclidean length. A text without a known term is a
        row of zeros.

    Source: Spärck Jones, "A Statistical Interpretation of Term Specificity" (1972); as in scikit-learn.
    """
    column = {term: number for number, term in enumerate(vocabulary)}
    # 1. the counts, (texts, terms)
    # 2. in how many texts is each term?
    # 3. the products, and each row by its length
    # BEGIN SOLUTION
    counts = torch.zeros(len(texts), len(column))
    for row, text in enumerate(texts):
        for term, count in Counter(text).items():
            if term in column:
                counts[row, column[term]] = count
    texts_with = (counts > 0).sum(dim=0)  # (terms,)
    weights = 1 + torch.log((1 + len(texts)) / (1 + texts_with))
    return F.normalize(counts * weights, dim=1)
    # END SOLUTION


def fuse(rankings: Sequence[Sequence[int]], k: int = 60) -> dict[int, float]:
    """Make one ranking of several, by ranks alone: scores of different kinds need no common scale.

    Args:
        rankings: documents, the best first, as each of several searches found them. A document may be missing in
            some of them.
        k: the larger, the less a first place is worth beside a later one.

    Returns:
        document → the sum of 1 / (k + rank) over the rankings that have it, the best having rank 1.

    Raises:
        ValueError: if a document stands twice in one ranking, or k is below 0.

    Source: Cormack et al., "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods" (2009).
    """
    if k < 0 or any(len(set(ranking)) < len(ranking) for ranking in rankings):
        raise ValueError(f"k={k}, and a ranking may hold a document once; give 0 or more, and no document twice")
    # BEGIN SOLUTION
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            fused[document] = fused.get(document, 0.0) + 1 / (k + rank)
    return fused
    # END SOLUTION
