"""Sounds, and texts that were heard."""

import torch
from my_transformer import ctc_greedy, edit_distance, error_rate, frames


def test_a_sound_is_cut_into_frames() -> None:
    assert frames(torch.arange(6.0), 4, 2).tolist() == [[0.0, 1.0, 2.0, 3.0], [2.0, 3.0, 4.0, 5.0]]


def test_repeats_are_merged_and_blanks_dropped() -> None:
    said = torch.nn.functional.one_hot(torch.tensor([[1, 1, 0, 1, 2]]), 3).float().log()
    assert ctc_greedy(said, torch.ones(1, 5, dtype=torch.bool), 0) == [[1, 1, 2]]


def test_edits_are_counted() -> None:
    assert edit_distance([1, 2, 3], [1, 3]) == 1 and error_rate([[1, 3]], [[1, 2, 3, 4]]) == 0.5
