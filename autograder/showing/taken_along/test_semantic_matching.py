"""Near and far."""

import torch
from my_transformer import cosine_scores, mean_pool, recall_at_k, search


def test_padding_does_not_move_a_text() -> None:
    hidden, mask = torch.randn(1, 3, 4), torch.tensor([[True, True, False]])
    other = hidden.clone()
    other[:, 2] = 100.0
    assert torch.allclose(mean_pool(hidden, mask), mean_pool(other, mask), atol=1e-6)


def test_a_vector_is_nearest_to_itself() -> None:
    vectors = torch.randn(5, 8)
    assert torch.allclose(cosine_scores(vectors, vectors).diag(), torch.ones(5), atol=1e-5)
    assert search(vectors, vectors, 1)[1].flatten().tolist() == [0, 1, 2, 3, 4]


def test_recall_counts_what_was_found() -> None:
    scores, relevant = torch.tensor([[3.0, 2.0, 1.0]]), torch.tensor([[True, False, True]])
    assert recall_at_k(scores, relevant, 2) == 0.5
