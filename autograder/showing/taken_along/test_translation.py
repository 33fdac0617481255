"""Batches of sentences."""

from my_transformer import build_vocabulary, pad_batch


def test_sentences_become_rows_of_ids() -> None:
    ids = build_vocabulary([["two", "three"], ["two"]])
    assert len(ids) == len(set(ids.values())) and {"two", "three"} <= ids.keys()
    assert pad_batch([[4, 5, 6], [7]]).tolist() == [[4, 5, 6], [7, 0, 0]]
