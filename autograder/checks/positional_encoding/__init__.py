"""Checks of lesson 04: the table of sinusoids, the two layers that add positions, rotations, and a repair."""

from autograder.checks.positional_encoding.adding import article, positional_encoding
from autograder.checks.positional_encoding.attending import rotary_attention
from autograder.checks.positional_encoding.learned import learned_positional_encoding
from autograder.checks.positional_encoding.tables import sinusoidal_encoding
from autograder.checks.positional_encoding.turning import apply_rotary

EXERCISES = (
    sinusoidal_encoding,
    positional_encoding,
    learned_positional_encoding,
    apply_rotary,
    rotary_attention,
    article,
)
