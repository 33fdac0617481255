"""Lesson 15 on torch.nn.functional and the stand-ins of the lessons before."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.encoder import EncoderLayer
from autograder.stand_ins.feed_forward import FeedForward
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.positional_encoding import RotaryAttention

GIVEN = ("BertConfig", "bert_layer")
"""What a lesson gives ready-made, so that it is served without being checked."""


@outside_the_watch
def pack_pair(
    first: Sequence[int], second: Sequence[int] | None, cls_id: int, sep_id: int, max_len: int
) -> tuple[list[int], list[int]]:
    """[CLS] first [SEP] second [SEP], and to which text each token belongs."""
    texts = [first] if second is None else [first, second]
    room = max_len - 1 - len(texts)
    if room < 0:
        raise ValueError(f"max_len={max_len}; give {1 + len(texts)} or more, for [CLS] and [SEP]")
    kept = [min(len(first), room)]
    if second is not None:
        # The shorter text stays whole as long as it fills no more than its half; the first has the odd token.
        kept = [min(len(first), max(room - len(second), (room + 1) // 2))]
        kept.append(min(len(second), room - kept[0]))
    ids, segments = [cls_id], [0]
    for number, (text, size) in enumerate(zip(texts, kept, strict=True)):
        ids.extend([*text[:size], sep_id])
        segments.extend([number] * (size + 1))
    return ids, segments


@outside_the_watch
def mask_tokens(
    ids: Tensor, maskable: Tensor, mask_id: int, chosen: Tensor, fate: Tensor, replacement: Tensor
) -> tuple[Tensor, Tensor]:
    """What is read, and the labels."""
    asked = (chosen < 0.15).logical_and(maskable)
    read, labels = ids.clone(), torch.full_like(ids, -100)
    labels[asked] = ids[asked]
    read[asked & (fate < 0.9)] = replacement[asked & (fate < 0.9)]
    read[asked & (fate < 0.8)] = mask_id
    return read, labels


@dataclass
class BertConfig:
    """All sizes and choices of a BERT; by default one that a laptop can train."""

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


@outside_the_watch
class BertEmbedding(nn.Module):
    """A vector of each token: what it is, where it stands, and in which text."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position_embedding = (
            nn.Embedding(config.max_len, config.d_model) if config.positions == "learned" else None
        )
        self.segment_embedding = nn.Embedding(2, config.d_model)
        self.norm = LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        """The sum of the vectors, normalized."""
        size, longest, vocab = ids.shape[1], self.config.max_len, self.config.vocab_size
        if size > longest:
            raise ValueError(f"{size} tokens, and max_len={longest}; give at most {longest}")
        if ((ids < 0) | (ids >= vocab)).any():
            raise ValueError(f"ids go from {int(ids.min())} to {int(ids.max())}; give 0 to {vocab - 1}")
        if segment_ids is not None and segment_ids.shape != ids.shape:
            given = f"{tuple(segment_ids.shape)} and ids {tuple(ids.shape)}"
            raise ValueError(f"segment_ids has shape {given}; give one for each id")
        x = F.embedding(ids, self.token_embedding.weight)
        zero, one = self.segment_embedding.weight
        x = x + (zero if segment_ids is None else torch.where(segment_ids[..., None] == 1, one, zero))
        if self.position_embedding is not None:
            x = x + self.position_embedding.weight[:size]
        return self.dropout(self.norm(x))


def bert_layer(config: BertConfig) -> EncoderLayer:
    """Your encoder layer of lesson 06, post-norm, with the parts in which BERT differs: GELU, and rotary positions."""
    layer = EncoderLayer(config.d_model, config.num_heads, config.d_ff, config.dropout)
    layer.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout, "gelu")
    if config.positions == "rotary":
        layer.self_attn = RotaryAttention(config.d_model, config.num_heads)
    return layer


@outside_the_watch
class BERT(nn.Module):
    """A vector for every token, and one for the row."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = BertEmbedding(config)
        self.layers = nn.ModuleList([bert_layer(config) for _ in range(config.num_layers)])
        self.pooler = nn.Linear(config.d_model, config.d_model)

    def forward(
        self, ids: Tensor, segment_ids: Tensor | None = None, mask: Tensor | None = None, return_weights: bool = False
    ) -> tuple:
        """(hidden, pooled), and the weights of every layer if asked for."""
        seen = (ids != self.config.pad_id)[:, None, None] if mask is None else mask
        stages, maps = [self.embedding(ids, segment_ids)], []
        for layer in self.layers:
            made, weights = layer(stages[-1], seen, return_weights=True)
            stages.append(made)
            maps.append(weights)
        row = F.linear(stages[-1].select(1, 0), self.pooler.weight, self.pooler.bias).tanh()
        return (stages[-1], row, maps) if return_weights else (stages[-1], row)


@outside_the_watch
class MaskedLanguageHead(nn.Module):
    """Score, at every place, every token that might stand there."""

    def __init__(self, config: BertConfig, embedding: nn.Embedding) -> None:
        super().__init__()
        self.transform = nn.Linear(config.d_model, config.d_model)
        self.norm = LayerNorm(config.d_model)
        self.output = nn.Linear(config.d_model, config.vocab_size)
        self.output.weight = embedding.weight

    def forward(self, hidden: Tensor) -> Tensor:
        """The logits."""
        return self.norm(F.gelu(self.transform(hidden))) @ self.output.weight.T + self.output.bias


@outside_the_watch
def masked_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean loss of what is asked."""
    asked = labels != -100
    log_probs = F.log_softmax(logits, dim=-1).gather(-1, labels.where(asked, 0).unsqueeze(-1)).squeeze(-1)
    return -log_probs.masked_fill(~asked, 0.0).sum() / asked.sum().clamp(min=1)


@outside_the_watch
def next_sentences(documents: Sequence[Sequence[str]], draws: Iterator[float]) -> list[tuple[str, str, bool]]:
    """Neighbours, half of them replaced."""
    if len(documents) < 2 or not all(map(len, documents)):
        raise ValueError(f"documents of {list(map(len, documents))} sentences; give two or more, none of them empty")
    found = []
    for at, document in enumerate(documents):
        for place in range(1, len(document)):
            second, stays = document[place], next(draws) < 0.5
            if not stays:
                number = int(next(draws) * (len(documents) - 1))
                other = documents[number + (number >= at)]
                second = other[int(next(draws) * len(other))]
            found.append((document[place - 1], second, stays))
    return found
