"""Checks of lesson 13: cutting text, counting and merging pairs, byte-pair encoding and back, special tokens, WordPiece."""

from autograder.checks.tokenization.coding import article, byte_pair_decode, byte_pair_encode
from autograder.checks.tokenization.cutting import pretokenize, split_special
from autograder.checks.tokenization.learning import byte_pair_train, byte_pair_train_fast
from autograder.checks.tokenization.pairs import count_pairs, merge_pair
from autograder.checks.tokenization.word_piece import word_piece_encode

EXERCISES = (
    pretokenize,
    count_pairs,
    merge_pair,
    byte_pair_train,
    byte_pair_encode,
    byte_pair_decode,
    split_special,
    byte_pair_train_fast,
    word_piece_encode,
    article,
)
