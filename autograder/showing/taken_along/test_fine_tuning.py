"""How good answers are."""

import torch
from my_transformer import confusion_matrix, span_f1


def test_mistakes_are_counted_by_what_was_taken_for_what() -> None:
    counted = confusion_matrix(torch.tensor([0, 1, 1]), torch.tensor([0, 0, 1]), 2)
    assert counted.tolist() == [[1, 0], [1, 1]]


def test_all_entities_found_is_one() -> None:
    tags = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
    assert span_f1(tags, tags) == 1.0
