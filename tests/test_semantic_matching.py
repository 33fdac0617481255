"""Lesson 17: the reference and its stand-ins against scikit-learn and each other, on what the checks do not draw."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from sklearn import metrics
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from autograder import registry
from autograder.learner.examine import examine
from autograder.stand_ins import semantic_matching as stand_ins
from solutions import semantic_matching as reference

BOTH = pytest.mark.parametrize("ours", [reference, stand_ins], ids=["reference", "stand-in"])


@BOTH
def test_cosines_are_scikit_learns(ours: Any) -> None:
    queries, documents = torch.randn(7, 5).double(), torch.randn(9, 5).double()
    documents[3] = 0
    theirs = torch.from_numpy(cosine_similarity(queries.numpy(), documents.numpy()))
    assert torch.allclose(ours.cosine_scores(queries, documents), theirs, atol=1e-12)


@BOTH
def test_tf_idf_is_scikit_learns(ours: Any) -> None:
    texts = ["peru", "pérou", "chad", "tchad", "côte d'ivoire", "mali"]
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 2))
    theirs = torch.from_numpy(vectorizer.fit_transform(texts).toarray()).float()
    split = vectorizer.build_analyzer()
    found = ours.tf_idf([split(text) for text in texts], vectorizer.get_feature_names_out().tolist())
    assert torch.allclose(found.float(), theirs, atol=1e-6)


@BOTH
def test_the_reciprocal_rank_of_one_relevant_document_is_scikit_learns_average_precision(ours: Any) -> None:
    scores = torch.rand(20, 11, generator=torch.Generator().manual_seed(0))
    relevant = F.one_hot(torch.arange(20) % 11, 11).bool()
    theirs = metrics.label_ranking_average_precision_score(relevant.numpy(), scores.numpy())
    assert ours.mean_reciprocal_rank(scores, relevant) == pytest.approx(theirs, abs=1e-6)


@BOTH
def test_recall_of_first_answers_is_scikit_learns_top_k_accuracy(ours: Any) -> None:
    scores = torch.rand(40, 6, generator=torch.Generator().manual_seed(1))
    right = torch.arange(40) % 6
    for k in (1, 3, 6):
        theirs = metrics.top_k_accuracy_score(right.numpy(), scores.numpy(), k=k, labels=range(6)) if k < 6 else 1.0
        assert ours.recall_at_k(scores, F.one_hot(right, 6).bool(), k) == pytest.approx(theirs)


@BOTH
def test_a_batch_of_equal_scores_costs_the_logarithm_of_its_size(ours: Any) -> None:
    same = torch.ones(8, 3)
    assert ours.contrastive_loss(same, same, 0.1).item() == pytest.approx(math.log(8), abs=1e-5)


@BOTH
def test_the_loss_falls_by_steps_and_its_gradients_stay_finite_at_doubles(ours: Any) -> None:
    torch.manual_seed(0)
    queries, documents = torch.randn(6, 4, requires_grad=True), torch.randn(6, 4, requires_grad=True)
    log_temperature = torch.zeros((), requires_grad=True)
    same = torch.eye(6, dtype=torch.bool)
    same[0, 3] = same[3, 0] = True
    optimizer = torch.optim.Adam([queries, documents, log_temperature], lr=0.05)
    losses = []
    for _ in range(60):
        loss = ours.contrastive_loss(queries, documents, log_temperature.exp(), same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.1 < losses[0] and math.isfinite(log_temperature.item())


@BOTH
@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda ours: ours.contrastive_loss(torch.ones(0, 3), torch.ones(0, 3), 0.1), "0 queries and 0 documents"),
        (lambda ours: ours.contrastive_loss(torch.ones(2, 3), torch.ones(2, 3), -1.0), "temperature=-1.0"),
        (lambda ours: ours.mean_pool(torch.ones(2, 3, 4), torch.ones(2, 3)), "give a boolean mask"),
        (lambda ours: ours.cosine_scores(torch.ones(2, 3), torch.ones(2, 4)), "3 features, documents 4"),
        (lambda ours: ours.search(torch.ones(1, 3), torch.ones(2, 3), 3), "k=3; give a number from 1 to 2"),
        (lambda ours: ours.search(torch.ones(1, 3), torch.ones(2, 3), 1, torch.ones(1, 2)), "mask is torch.float32"),
        (lambda ours: ours.recall_at_k(torch.ones(1, 2), torch.zeros(1, 2).bool(), 1), "no relevant document"),
        (lambda ours: ours.recall_at_k(torch.ones(1, 2), torch.ones(1, 2).bool(), 3), "k=3; give a number from 1 to 2"),
        (lambda ours: ours.mean_reciprocal_rank(torch.ones(0, 2), torch.ones(0, 2).bool()), "at least one query"),
        (lambda ours: ours.fuse([[1, 1]]), "no document twice"),
    ],
)
def test_bad_input_says_what_was_given_and_what_would_do(ours: Any, call: Any, words: str) -> None:
    with pytest.raises(ValueError) as error:
        call(ours)
    assert words in str(error.value)


def test_of_many_missing_documents_the_first_are_named() -> None:
    def ten_of_each(rankings: Any, k: int = 60) -> Any:
        if k < 0:
            raise ValueError("k")
        return {
            one: sum(1 / (k + ranking.index(one) + 1) for ranking in rankings if one in ranking[:10])
            for one in dict.fromkeys(one for ranking in rankings for one in ranking[:10])
        }

    report = str(examine(registry.exercise("fuse"), ten_of_each))
    assert re.search(r"[Mm]issing (document \d+, ){5}document \d+ and \d+ more\.", report), report
