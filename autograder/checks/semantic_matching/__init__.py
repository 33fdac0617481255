"""Checks of lesson 17: vectors of texts, how they are compared, trained and searched, and how a search is measured."""

from autograder.checks.semantic_matching.counting import fuse, tf_idf
from autograder.checks.semantic_matching.encoding import article_bi_encoder, bi_encoder
from autograder.checks.semantic_matching.finding import search
from autograder.checks.semantic_matching.losses import contrastive_loss
from autograder.checks.semantic_matching.measures import mean_reciprocal_rank, recall_at_k
from autograder.checks.semantic_matching.vectors import cosine_scores, mean_pool

EXERCISES = (
    mean_pool,
    cosine_scores,
    contrastive_loss,
    bi_encoder,
    article_bi_encoder,
    search,
    recall_at_k,
    mean_reciprocal_rank,
    tf_idf,
    fuse,
)
