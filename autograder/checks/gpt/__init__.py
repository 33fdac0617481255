"""Checks of lesson 14: a language model from its windows to its texts, what its heads do, and a repair."""

from autograder.checks.gpt.data import article_loss, next_token_loss, token_windows
from autograder.checks.gpt.induction import induction_score
from autograder.checks.gpt.loading import load_gpt2
from autograder.checks.gpt.measuring import bits_per_byte
from autograder.checks.gpt.model import gpt, gpt_block
from autograder.checks.gpt.starts import init_gpt_
from autograder.checks.gpt.writing import generate

EXERCISES = (
    token_windows,
    gpt_block,
    gpt,
    init_gpt_,
    next_token_loss,
    article_loss,
    bits_per_byte,
    generate,
    induction_score,
    load_gpt2,
)
