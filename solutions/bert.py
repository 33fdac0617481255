"""BERT (Devlin et al. 2018): an encoder that reads both ways, asked for words that were taken out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.attention import padding_mask
from solutions.encoder import EncoderLayer
from solutions.feed_forward import FeedForward, gelu
from solutions.layer_norm import LayerNorm
from solutions.positional_encoding import RotaryAttention


def pack_pair(
    first: Sequence[int], second: Sequence[int] | None, cls_id: int, sep_id: int, max_len: int
) -> tuple[list[int], list[int]]:
    """Make one row of two texts: [CLS] first [SEP] second [SEP].

    Args:
        first: the tokens of a text.
        second: those of the text behind it. None for [CLS] first [SEP].
        cls_id: the id that opens every row.
        sep_id: the id that closes each text.
        max_len: how many tokens a row has at most, these included.

    Returns:
        The ids, and for each the number of its text: 0 up to and with the first [SEP], 1 after it.
        Where there are too many, the longer text loses its last token until they fit; of two
        equally long ones the second does. `first` and `second` themselves stay as they are.

    Raises:
        ValueError: if max_len has no room for [CLS] and the [SEP]s.

    Source: Devlin et al., "BERT" (2018), section 3 and figure 2; what is cut: appendix A.2.
    """
    needed = 2 if second is None else 3
    if max_len < needed:
        raise ValueError(f"max_len={max_len}; give {needed} or more, for [CLS] and [SEP]")
    # 1. copies that may be shortened
    # 2. while both and the special tokens do not fit: the longer one loses its last token
    # 3. the ids, and 0 or 1 for each
    # BEGIN SOLUTION
    kept, behind = list(first), list(second or ())
    while len(kept) + len(behind) + needed > max_len:
        (kept if len(kept) > len(behind) else behind).pop()
    ids = [cls_id, *kept, sep_id]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*behind, sep_id]
        segments += [1] * (len(behind) + 1)
    return ids, segments
    # END SOLUTION


def mask_tokens(
    ids: Int[Tensor, "*shape"],
    maskable: Bool[Tensor, "*shape"],
    mask_id: int,
    chosen: Float[Tensor, "*shape"],
    fate: Float[Tensor, "*shape"],
    replacement: Int[Tensor, "*shape"],
) -> tuple[Int[Tensor, "*shape"], Int[Tensor, "*shape"]]:
    """Take tokens out of texts, and say which they were.

    A token is asked for where `chosen` is below 0.15 and it is maskable. Of those that are asked for,
    [MASK] stands where `fate` is below 0.8, the replacement where it is from 0.8 to below 0.9, and the
    token itself where it is 0.9 or more.

    Args:
        ids: the texts.
        maskable: True where a token may be asked for; False on special tokens and padding.
        mask_id: the id of [MASK].
        chosen: a uniform draw from [0, 1) for each token.
        fate: another.
        replacement: a random id for each token.

    Returns:
        What the model reads, and the labels: the token itself where it is asked for, and -100,
        which `F.cross_entropy` passes over, everywhere else. `ids` stays as it is.

    Source: Devlin et al., "BERT" (2018), section 3.1, "Masked LM".
    """
    # 1. where is a token asked for?
    # 2. the labels
    # 3. what is read: three fates, only where a token is asked for
    # BEGIN SOLUTION
    asked = maskable & (chosen < 0.15)
    labels = torch.where(asked, ids, -100)
    inputs = torch.where(asked & (fate < 0.8), mask_id, ids)
    inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement, inputs)
    return inputs, labels
    # END SOLUTION


@dataclass
class BertConfig:
    """All sizes and choices of a BERT; by default one that a laptop can train.

    Attributes:
        vocab_size: number of different tokens.
        d_model: number of features of a token.
        num_heads: number of heads of each attention.
        num_layers: number of layers.
        d_ff: number of features inside the feed-forward networks.
        dropout: share of numbers that training sets to zero.
        max_len: how many tokens the model reads at most.
        pad_id: the id that fills short rows, and that nobody may read.
        positions: "learned" for a vector of each position, added once at the start, as in the paper;
            "rotary" for queries and keys that are turned in every layer.

    Raises:
        ValueError: if positions is another word.
    """

    vocab_size: int
    d_model: int = 128
    num_heads: int = 4
    num_layers: int = 4
    d_ff: int = 512
    dropout: float = 0.1
    max_len: int = 128
    pad_id: int = 0
    positions: str = "learned"

    def __post_init__(self) -> None:
        if self.positions not in ("learned", "rotary"):
            raise ValueError(f"positions={self.positions!r}; give 'learned' or 'rotary'")


class BertEmbedding(nn.Module):
    """Make a vector of each token: what it is, where it stands, and in which text.

    Args:
        config: sizes and choices.

    Source: Devlin et al., "BERT" (2018), section 3, "Input/Output Representations"; norm and dropout: its code.
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        learned = config.positions == "learned"
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position_embedding = nn.Embedding(config.max_len, config.d_model) if learned else None
        self.segment_embedding = nn.Embedding(2, config.d_model)
        self.norm = LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, ids: Int[Tensor, "batch seq_len"], segment_ids: Int[Tensor, "batch seq_len"] | None = None
    ) -> Float[Tensor, "batch seq_len d_model"]:
        """Add the three vectors of every token, then normalize, then drop out.

        Args:
            ids: the tokens.
            segment_ids: 0 or 1 for each, as `pack_pair` gives them. None for 0 everywhere.

        Raises:
            ValueError: if there are more tokens than config.max_len, an id is not in the vocabulary,
                or segment_ids has another shape.
        """
        seq_len, config = ids.size(1), self.config
        if seq_len > config.max_len:
            raise ValueError(f"{seq_len} tokens, and max_len={config.max_len}; give at most {config.max_len}")
        if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < config.vocab_size:
            found = f"{int(ids.min())} to {int(ids.max())}"
            raise ValueError(
                f"ids go from {found}; with vocab_size={config.vocab_size} give 0 to {config.vocab_size - 1}"
            )
        if segment_ids is not None and segment_ids.shape != ids.shape:
            raise ValueError(
                f"segment_ids has shape {tuple(segment_ids.shape)} and ids {tuple(ids.shape)}; give one for each id"
            )
        # 1. the vector of each token
        # 2. plus the vector of each position 0, 1, ..., where positions are learned
        # 3. plus the vector of each token's segment; None is segment 0 everywhere
        # 4. the norm, then dropout
        # BEGIN SOLUTION
        if segment_ids is None:
            segment_ids = torch.zeros_like(ids)
        x = self.token_embedding(ids) + self.segment_embedding(segment_ids)  # (batch, seq_len, d_model)
        if self.position_embedding is not None:
            x = x + self.position_embedding(torch.arange(seq_len, device=ids.device))
        return self.dropout(self.norm(x))
        # END SOLUTION


def bert_layer(config: BertConfig) -> EncoderLayer:
    """Your encoder layer of lesson 06, post-norm, with the parts in which BERT differs: GELU, and rotary positions.

    Source: Devlin et al., "BERT" (2018), appendix A.2.
    """
    layer = EncoderLayer(config.d_model, config.num_heads, config.d_ff, config.dropout)
    layer.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout, "gelu")
    if config.positions == "rotary":
        layer.self_attn = RotaryAttention(config.d_model, config.num_heads)  # type: ignore[assignment]
    return layer


class BERT(nn.Module):
    """Read texts from both sides: a vector for every token, and one for the row.

    Args:
        config: sizes and choices.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Devlin et al., "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding" (2018).
    """

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = BertEmbedding(config)
        self.layers = nn.ModuleList(bert_layer(config) for _ in range(config.num_layers))
        self.pooler = nn.Linear(config.d_model, config.d_model)

    def forward(
        self,
        ids: Int[Tensor, "batch seq_len"],
        segment_ids: Int[Tensor, "batch seq_len"] | None = None,
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
        return_weights: bool = False,
    ) -> (
        tuple[Float[Tensor, "batch seq_len d_model"], Float[Tensor, "batch d_model"]]
        | tuple[
            Float[Tensor, "batch seq_len d_model"],
            Float[Tensor, "batch d_model"],
            list[Float[Tensor, "batch num_heads seq_len seq_len"]],
        ]
    ):
        """Read rows of one length.

        Args:
            ids: the tokens, [CLS] first in each row.
            segment_ids: 0 or 1 for each. None for 0 everywhere.
            mask: True where a token may look at another; it is used as it is given, for padding too.
                None lets every token look at all of its row but the padding.
            return_weights: whether to return the attention weights too.

        Returns:
            `(hidden, pooled)`: the last layer's vector of each token, and tanh of a linear layer of
            the one that stands at [CLS]. With return_weights a list follows, one tensor for each layer.

        Raises:
            ValueError: see BertEmbedding.
        """
        # 1. no mask? Then everything but padding may be read
        # 2. the embedding, then layer after layer with this mask; keep the weights of each
        # 3. pooled: the vector at [CLS], through self.pooler and tanh
        # BEGIN SOLUTION
        if mask is None:
            mask = padding_mask(ids, self.config.pad_id)  # (batch, 1, 1, seq_len)
        hidden = self.embedding(ids, segment_ids)  # (batch, seq_len, d_model)
        all_weights = []
        for layer in self.layers:
            hidden, weights = layer(hidden, mask, return_weights=True)
            all_weights.append(weights)
        pooled = torch.tanh(self.pooler(hidden[:, 0]))  # (batch, d_model)
        return (hidden, pooled, all_weights) if return_weights else (hidden, pooled)
        # END SOLUTION


class MaskedLanguageHead(nn.Module):
    """Score, at every place, every token that might stand there.

    Args:
        config: sizes.
        embedding: the table of tokens that the model reads with; the head writes with the same.

    Source: Devlin et al., "BERT" (2018), section 3.1; the layer and the norm in front: its code.
    """

    def __init__(self, config: BertConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        # 1. `self.transform`: a linear layer that keeps the width
        # 2. `self.norm`: a LayerNorm
        # 3. `self.output`: a linear layer to vocab_size; its weight *is* the token table, its bias its own
        # BEGIN SOLUTION
        self.transform = nn.Linear(config.d_model, config.d_model)
        self.norm = LayerNorm(config.d_model)
        self.output = nn.Linear(config.d_model, config.vocab_size)
        self.output.weight = embedding.weight
        # END SOLUTION

    def forward(self, hidden: Float[Tensor, "... d_model"]) -> Float[Tensor, "... vocab_size"]:
        """The logits: transform, GELU, norm, output.

        Args:
            hidden: what BERT made of the tokens.
        """
        # BEGIN SOLUTION
        return self.output(self.norm(gelu(self.transform(hidden))))
        # END SOLUTION


def masked_loss(
    logits: Float[Tensor, "batch seq_len vocab_size"], labels: Int[Tensor, "batch seq_len"]
) -> Float[Tensor, ""]:
    """Judge the guesses at the places that are asked for, and at no other.

    Args:
        logits: the scores of every token at every place, before the softmax.
        labels: the tokens that were there; -100 where nothing is asked.

    Returns:
        The mean cross-entropy, in nats, of all that is asked in the whole batch; 0 where nothing is,
        and then a gradient of zeros.

    Source: Devlin et al., "BERT" (2018), appendix A.2.
    """
    # 1. the places that are asked for
    # 2. nothing is asked? The mean of nothing is no number
    # 3. the mean cross-entropy there
    # BEGIN SOLUTION
    asked = labels != -100
    if not asked.any():
        return logits[asked].sum()  # of nothing: 0, and a gradient of zeros
    return F.cross_entropy(logits[asked], labels[asked])
    # END SOLUTION


def next_sentences(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> list[tuple[str, str, bool]]:
    """Make pairs of sentences, of which half do not belong together.

    For every sentence that has a neighbour behind it in its document, in order, the next draw decides:
    below 0.5 the pair stays as it is. Otherwise two more draws choose what comes second: with u the first,
    n the number of the other documents, document number ⌊u · n⌋ of those (in their order); with the next
    one a sentence of it in the same way.

    Args:
        documents: the sentences of each text, in order.
        draws: uniform numbers from [0, 1), one after another. Take no more than are needed.

    Returns:
        `(first, second, is_next)` for each such sentence.

    Raises:
        ValueError: if there are fewer than two documents, or one has no sentence.

    Source: Devlin et al., "BERT" (2018), section 3.1, "Next Sentence Prediction".
    """
    if len(documents) < 2 or not all(documents):
        sizes = [len(document) for document in documents]
        raise ValueError(f"documents of {sizes} sentences; give two or more, and none that is empty")
    # 1. document after document, pair of neighbours after pair of neighbours
    # 2. one draw: does the pair stay?
    # 3. if not: two more, for another document and for a sentence of it
    # BEGIN SOLUTION
    pairs = []
    for number, document in enumerate(documents):
        others = [*documents[:number], *documents[number + 1 :]]
        for first, second in pairwise(document):
            is_next = next(draws) < 0.5
            if not is_next:
                other = others[int(next(draws) * len(others))]
                second = other[int(next(draws) * len(other))]
            pairs.append((first, second, is_next))
    return pairs
    # END SOLUTION
