"""Lesson 08 on the stand-ins of the lessons before."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.attention import causal_mask, padding_mask
from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.positional_encoding import PositionalEncoding

GIVEN = ("TransformerConfig",)
"""What a lesson gives ready-made, so that it is served without being checked."""


@outside_the_watch
class TokenEmbedding(nn.Module):
    """Look up the vector of every token, times √d_model, zero for padding."""

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pad_id = pad_id
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, token_ids: Tensor) -> Tensor:
        """One vector for each token."""
        table = self.embedding.weight
        if token_ids.numel() > 0 and not 0 <= int(token_ids.min()) <= int(token_ids.max()) < len(table):
            found = f"{int(token_ids.min())} to {int(token_ids.max())}"
            raise ValueError(f"token_ids go from {found}; they must lie in 0 to {len(table) - 1}")
        real = (token_ids != self.pad_id).to(table.dtype)
        return torch.einsum("bsd,bs->bsd", F.embedding(token_ids, table), real) * table.size(1) ** 0.5


@outside_the_watch
def make_masks(src_ids: Tensor, tgt_ids: Tensor, pad_id: int) -> tuple[Tensor, Tensor]:
    """Nobody looks at padding, and no target token at those after it."""
    if src_ids.size(0) != tgt_ids.size(0):
        raise ValueError(f"{src_ids.size(0)} sources and {tgt_ids.size(0)} targets; every source needs one target")
    return padding_mask(src_ids, pad_id), padding_mask(tgt_ids, pad_id).logical_and(causal_mask(tgt_ids.size(1)))


@dataclass
class TransformerConfig:
    """All sizes and choices of a Transformer; those of the paper's base model by default."""

    src_vocab_size: int
    tgt_vocab_size: int
    d_model: int = 512
    num_heads: int = 8
    num_layers: int = 6
    d_ff: int = 2048
    dropout: float = 0.1
    max_len: int = 5000
    pad_id: int = 0
    norm_first: bool = False
    share_embeddings: bool = False
    tie_output: bool = False

    def __post_init__(self) -> None:
        if self.share_embeddings and self.src_vocab_size != self.tgt_vocab_size:
            raise ValueError(
                f"share_embeddings needs one vocabulary, and src_vocab_size={self.src_vocab_size} "
                f"is not tgt_vocab_size={self.tgt_vocab_size}"
            )


@outside_the_watch
class Transformer(nn.Module):
    """Read a source, and score for every place of the target which token comes next."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        stack = (config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout, config.norm_first)
        source = TokenEmbedding(config.src_vocab_size, config.d_model, config.pad_id)
        target = TokenEmbedding(config.tgt_vocab_size, config.d_model, config.pad_id)
        self.src_embedding = source
        self.tgt_embedding = source if config.share_embeddings else target
        self.positions = PositionalEncoding(config.d_model, config.max_len, config.dropout)
        self.encoder = Encoder(*stack)
        self.decoder = Decoder(*stack)
        self.output = nn.Linear(config.d_model, config.tgt_vocab_size, bias=False)
        if config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight

    def encode(self, src_ids: Tensor) -> Tensor:
        """One vector for every token of the source."""
        x = self.positions(self.src_embedding(src_ids))
        return self.encoder(x, padding_mask(src_ids, self.config.pad_id))

    def decode(self, tgt_ids: Tensor, memory: Tensor, src_mask: Tensor) -> Tensor:
        """One vector for every token of the target."""
        _, tgt_mask = make_masks(tgt_ids, tgt_ids, self.config.pad_id)
        return self.decoder(self.positions(self.tgt_embedding(tgt_ids)), memory, tgt_mask, src_mask)

    def forward(self, src_ids: Tensor, tgt_ids: Tensor) -> Tensor:
        """Logits for every place of the target."""
        src_mask, _ = make_masks(src_ids, tgt_ids, self.config.pad_id)
        return self.output(self.decode(tgt_ids, self.encode(src_ids), src_mask))


@outside_the_watch
def parameter_count(config: TransformerConfig) -> int:
    """Count the parameters by building the model where it takes no memory."""
    with torch.device("meta"):
        return sum(one.numel() for one in Transformer(config).parameters())
