"""The Transformer (Vaswani et al. 2017): embeddings, encoder, decoder, and a score for every word of the vocabulary."""

import math
from dataclasses import dataclass

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.attention import causal_mask, padding_mask
from solutions.decoder import Decoder
from solutions.encoder import Encoder
from solutions.positional_encoding import PositionalEncoding


class TokenEmbedding(nn.Module):
    """Look up the vector of every token.

    Args:
        vocab_size: number of different tokens.
        d_model: number of features of a token.
        pad_id: the id that stands for "no token here".

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.4.
    """

    def __init__(self, vocab_size: int, d_model: int, pad_id: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.pad_id = pad_id
        # With this spread the features have variance 1 once they are multiplied by √d_model.
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)

    def forward(self, token_ids: Int[Tensor, "batch seq_len"]) -> Float[Tensor, "batch seq_len d_model"]:
        """Look up the tokens' rows and multiply them by √d_model.

        Args:
            token_ids: numbers from 0 to vocab_size - 1.

        Returns:
            One vector for each token; zeros where the id is pad_id, whatever the table holds there.

        Raises:
            ValueError: if an id is not in the vocabulary.
        """
        vocab_size, d_model = self.embedding.weight.shape
        lowest, highest = (int(token_ids.min()), int(token_ids.max())) if token_ids.numel() else (0, 0)
        if not 0 <= lowest <= highest < vocab_size:
            raise ValueError(
                f"token_ids go from {lowest} to {highest}; "
                f"with vocab_size={vocab_size} they must lie in 0 to {vocab_size - 1}"
            )
        # 1. look up, multiply by √d_model
        # 2. zeros where the id is pad_id
        # BEGIN SOLUTION
        vectors = self.embedding(token_ids) * math.sqrt(d_model)  # (batch, seq_len, d_model)
        is_pad = (token_ids == self.pad_id).unsqueeze(-1)  # (batch, seq_len, 1)
        return vectors.masked_fill(is_pad, 0.0)
        # END SOLUTION


def make_masks(
    src_ids: Int[Tensor, "batch src_len"], tgt_ids: Int[Tensor, "batch tgt_len"], pad_id: int
) -> tuple[Bool[Tensor, "batch 1 1 src_len"], Bool[Tensor, "batch 1 tgt_len tgt_len"]]:
    """Say who may look at whom: nobody at padding, and no target token at those after it.

    Args:
        src_ids: the source, padded to one length.
        tgt_ids: the target, padded to one length.
        pad_id: the id that stands for "no token here".

    Returns:
        The mask for everything that reads the source (the encoder's self-attention, the decoder's
        cross-attention), and the mask of the decoder's self-attention. True where a query may look.

    Raises:
        ValueError: if there are not as many targets as sources.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3.
    """
    if src_ids.size(0) != tgt_ids.size(0):
        given = f"{src_ids.size(0)} sources and {tgt_ids.size(0)} targets"
        raise ValueError(f"{given}; every source needs one target")
    # BEGIN SOLUTION
    src_mask = padding_mask(src_ids, pad_id)  # (batch, 1, 1, src_len)
    tgt_mask = padding_mask(tgt_ids, pad_id) & causal_mask(tgt_ids.size(1))  # (batch, 1, tgt_len, tgt_len)
    return src_mask, tgt_mask
    # END SOLUTION


@dataclass
class TransformerConfig:
    """All sizes and choices of a Transformer; by default the sizes of the paper's base model, which shares its tables.

    Attributes:
        src_vocab_size: number of different source tokens.
        tgt_vocab_size: number of different target tokens.
        d_model: number of features of a token.
        num_heads: number of heads of each attention.
        num_layers: number of layers in the encoder, and in the decoder.
        d_ff: number of features inside the feed-forward networks.
        dropout: share of numbers that training sets to zero, see `EncoderLayer`.
        max_len: number of positions.
        pad_id: the id that stands for "no token here", in source and target.
        norm_first: False for post-norm, as in the paper; True for pre-norm.
        share_embeddings: one table for source and target.
        tie_output: the output layer uses the target's table as its weight.

    Raises:
        ValueError: if embeddings are to be shared between vocabularies of different size.
    """

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


class Transformer(nn.Module):
    """Read a source, and score for every place of the target which token comes next.

    Args:
        config: sizes and choices.

    Raises:
        ValueError: if d_model is odd, or not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3 and figure 1. The output
    layer has no bias: the paper mentions none, and what it shares (section 3.4) is the matrix alone.
    """

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        sizes = (config.d_model, config.num_heads, config.d_ff, config.dropout, config.norm_first)
        self.src_embedding = TokenEmbedding(config.src_vocab_size, config.d_model, config.pad_id)
        self.tgt_embedding = TokenEmbedding(config.tgt_vocab_size, config.d_model, config.pad_id)
        self.positions = PositionalEncoding(config.d_model, config.max_len, config.dropout)
        self.encoder = Encoder(config.num_layers, *sizes)
        self.decoder = Decoder(config.num_layers, *sizes)
        self.output = nn.Linear(config.d_model, config.tgt_vocab_size, bias=False)
        # 1. if config.share_embeddings: one embedding serves both sides
        # 2. if config.tie_output: the output layer's weight *is* the target's table, no copy of it
        # BEGIN SOLUTION
        if config.share_embeddings:
            self.tgt_embedding = self.src_embedding
        if config.tie_output:
            self.output.weight = self.tgt_embedding.embedding.weight
        # END SOLUTION

    def encode(self, src_ids: Int[Tensor, "batch src_len"]) -> Float[Tensor, "batch src_len d_model"]:
        """Read the source: one vector for every token of it, the memory.

        Args:
            src_ids: the source, padded with config.pad_id.
        """
        # embed, add positions, run the encoder with a mask that hides padding
        # BEGIN SOLUTION
        src_mask = padding_mask(src_ids, self.config.pad_id)  # (batch, 1, 1, src_len)
        return self.encoder(self.positions(self.src_embedding(src_ids)), src_mask)
        # END SOLUTION

    def decode(
        self,
        tgt_ids: Int[Tensor, "batch tgt_len"],
        memory: Float[Tensor, "batch src_len d_model"],
        src_mask: Bool[Tensor, "batch 1 1 src_len"],
    ) -> Float[Tensor, "batch tgt_len d_model"]:
        """Read the target so far, and the memory: one vector for every token of the target.

        Args:
            tgt_ids: the target so far, padded with config.pad_id; no place reads a later one.
            memory: what `encode` gave.
            src_mask: True where the source has a real token.
        """
        # embed, add positions, run the decoder with both masks
        # BEGIN SOLUTION
        tgt_mask = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.size(1))
        return self.decoder(self.positions(self.tgt_embedding(tgt_ids)), memory, tgt_mask, src_mask)
        # END SOLUTION

    def forward(
        self, src_ids: Int[Tensor, "batch src_len"], tgt_ids: Int[Tensor, "batch tgt_len"]
    ) -> Float[Tensor, "batch tgt_len tgt_vocab"]:
        """Score, for every place of the target, every token that might come next.

        Args:
            src_ids: the source, padded with config.pad_id.
            tgt_ids: the target so far: begins with a start token, and lacks the last one.

        Returns:
            Logits: the softmax of a row is the model's distribution for the token after that place.

        Raises:
            ValueError: if there are not as many targets as sources, or an id is in no vocabulary.
        """
        # BEGIN SOLUTION
        src_mask, _ = make_masks(src_ids, tgt_ids, self.config.pad_id)
        return self.output(self.decode(tgt_ids, self.encode(src_ids), src_mask))
        # END SOLUTION


def parameter_count(config: TransformerConfig) -> int:
    """Count the parameters of a Transformer without building it.

    Args:
        config: sizes and choices.

    Returns:
        The number of numbers that training adjusts; what is shared is counted once.

    Source: Vaswani et al., "Attention Is All You Need" (2017), table 3: 65 million for the base model.
    """
    # 1. an attention: four linear layers; a feed-forward network: two; all with biases
    # 2. an encoder layer: an attention, a feed-forward network, two norms of 2 · d_model
    # 3. a decoder layer: the same, and one attention and one norm more
    # 4. with pre-norm, one norm more at the end of each stack
    # 5. the tables of source, target and output (no bias); what is shared or tied, once
    # BEGIN SOLUTION
    d, d_ff = config.d_model, config.d_ff
    attention = 4 * (d * d + d)
    feed_forward = (d * d_ff + d_ff) + (d_ff * d + d)
    norm = 2 * d
    encoder_layer = attention + feed_forward + 2 * norm
    decoder_layer = 2 * attention + feed_forward + 3 * norm
    final_norms = 2 * norm if config.norm_first else 0
    tables = config.src_vocab_size * d
    if not config.share_embeddings:
        tables += config.tgt_vocab_size * d
    if not config.tie_output:
        tables += config.tgt_vocab_size * d
    return config.num_layers * (encoder_layer + decoder_layer) + final_norms + tables
    # END SOLUTION
