"""Lesson 17: programs that stop with an exception, as the help for it says."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins.semantic_matching import contrastive_loss, cosine_scores, mean_pool
from tests.variants import disguise, unlisted
from tests.variants.semantic_matching.encoding import Parts

# mean_pool, cosine_scores ----------------------------------------------------------------------------


@unlisted("mean_pool")
def without_a_dimension(hidden: Tensor, mask: Tensor) -> Any:
    return (hidden * mask).sum(1) / mask.sum(1, keepdim=True)


@unlisted("mean_pool")
def mean_of_booleans(hidden: Tensor, mask: Tensor) -> Any:
    return hidden.mean(1) / mask.mean(1)


@unlisted("mean_pool")
def one_less_a_mask(hidden: Tensor, mask: Tensor) -> Any:
    return hidden.masked_fill(1 - mask, 0.0).mean(1)


@unlisted("mean_pool")
def turned_too_late(hidden: Tensor, mask: Tensor) -> Any:
    return hidden.masked_fill(~mask.to(hidden.dtype), 0.0).mean(1)


@unlisted("cosine_scores")
def not_turned_over(queries: Tensor, documents: Tensor) -> Any:
    return F.normalize(queries, dim=-1) @ F.normalize(documents, dim=-1)


@unlisted("cosine_scores")
def row_with_row(queries: Tensor, documents: Tensor) -> Any:
    return (F.normalize(queries, dim=-1) * F.normalize(documents, dim=-1)).sum(-1)


# contrastive_loss, BiEncoder ----------------------------------------------------------------------------


@unlisted("contrastive_loss")
def eye_of_numbers(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    scores = cosine_scores(queries, documents) / temperature
    return F.cross_entropy(scores.masked_fill(~torch.eye(len(scores)), -torch.inf), torch.arange(len(scores)))


@unlisted("contrastive_loss")
def a_right_answer_for_each_pair(queries: Tensor, documents: Tensor, temperature: Any, same: Any = None) -> Any:
    scores = cosine_scores(queries, documents) / temperature
    return F.cross_entropy(scores, torch.eye(len(scores), dtype=torch.long))


@unlisted("BiEncoder")
class TakesBoth(Parts):
    """What the model gives goes on as it is."""

    def encode(self, ids: Tensor) -> Any:
        return self.bert(ids).mean(1)

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        return contrastive_loss(self.encode(query_ids), self.encode(document_ids), self.log_temperature.exp(), same)


@disguise("BiEncoder", "the logarithm is not undone")
class LogarithmAsItIs(Parts):
    """The temperature is stored as its logarithm."""

    def encode(self, ids: Tensor) -> Any:
        return mean_pool(self.bert(ids)[0], ids != self.bert.config.pad_id)

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        return contrastive_loss(self.encode(query_ids), self.encode(document_ids), self.log_temperature, same)


@unlisted("BiEncoder")
class MaskOfFour(LogarithmAsItIs):
    """The mask that attention takes."""

    def encode(self, ids: Tensor) -> Any:
        return mean_pool(self.bert(ids)[0], (ids != self.bert.config.pad_id)[:, None, None])


# search and its measures ----------------------------------------------------------------------------


@unlisted("search")
def pairs_alone(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    return torch.sort((queries * documents).sum(-1), descending=True)


@unlisted("search")
def product_without_turning(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    return torch.sort(queries @ documents, descending=True)


@unlisted("search")
def other_names(queries: Tensor, documents: Tensor, k: int, mask: Any = None) -> Any:
    found = cosine_scores(queries, documents).sort(dim=1, descending=True)
    return found.scores[:, :k], found.indices[:, :k]


@unlisted("recall_at_k")
def mean_of_counts(scores: Tensor, relevant: Tensor, k: int) -> Any:
    best = scores.argsort(dim=1, descending=True)[:, :k]
    return relevant.gather(1, best).mean()


@unlisted("recall_at_k")
def one_row_of_indices(scores: Tensor, relevant: Tensor, k: int) -> Any:
    return relevant.gather(1, scores[0].argsort()[:k]).double().mean().item()


@unlisted("mean_reciprocal_rank")
def without_keepdim(scores: Tensor, relevant: Tensor) -> Any:
    best = scores.masked_fill(~relevant, -torch.inf).amax(dim=1)
    return (1 / (1 + (scores > best).sum(1))).mean().item()


@unlisted("mean_reciprocal_rank")
def mean_of_whole_ranks(scores: Tensor, relevant: Tensor) -> Any:
    best = scores.masked_fill(~relevant, -torch.inf).amax(dim=1, keepdim=True)
    return 1 / (1 + (scores > best).sum(1)).mean()


@unlisted("mean_reciprocal_rank")
def divides_by_a_place(scores: Tensor, relevant: Tensor) -> Any:
    order = scores.argsort(dim=1, descending=True)
    places = relevant.gather(1, order).int().argmax(dim=1).tolist()
    return sum(1 / place for place in places) / len(places)


# tf_idf, fuse ----------------------------------------------------------------------------


@unlisted("tf_idf")
def every_term_is_known(texts: Any, vocabulary: Any) -> Any:
    column = {term: number for number, term in enumerate(vocabulary)}
    return [[column[term] for term in text] for text in texts]


@unlisted("tf_idf")
def logarithm_of_a_number(texts: Any, vocabulary: Any) -> Any:
    return torch.log((1 + len(texts)) / 2)  # type: ignore[arg-type]


@unlisted("fuse")
def adds_to_nothing(rankings: Any, k: int = 60) -> Any:
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, document in enumerate(ranking, start=1):
            fused[document] += 1 / (k + rank)
    return fused
