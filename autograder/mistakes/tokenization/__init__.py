"""Wrong ways of lesson 12. Several edits may carry one name: the same mistake is written in several ways."""

# ruff: noqa: F403, I001
# The mistakes of pairs also show in what is built on pairs, and are named first there.
from autograder.mistakes.tokenization.cutting import *
from autograder.mistakes.tokenization.pairs import *
from autograder.mistakes.tokenization.learning import *
from autograder.mistakes.tokenization.coding import *
from autograder.mistakes.tokenization.word_piece import *
