"""What the checks of lesson 14 share."""

from typing import Any

from autograder.stand_ins.gpt import GPTConfig


def small(**other: Any) -> GPTConfig:
    """Sizes of a tiny model, all different."""
    sizes: dict[str, Any] = dict(d_model=8, num_heads=2, num_layers=3, d_ff=12, dropout=0.0, max_len=6)
    return GPTConfig(**dict(vocab_size=11) | sizes | other)
