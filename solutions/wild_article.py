"""The article at the end of lesson 21, put right: a small Transformer with all that it needs, in one piece."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PAD = 0


class Norm(nn.Module):
    """Layer normalization: over the features of each token; eps stands inside the root."""

    def __init__(self, d_model: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d_model))
        self.bias = nn.Parameter(torch.zeros(d_model))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(-1, keepdim=True)
        var = x.var(-1, keepdim=True, correction=0)
        return self.weight * (x - mean) / (var + self.eps).sqrt() + self.bias


def sinusoids(max_len: int, d_model: int) -> Tensor:
    """Positions as sines and cosines: (max_len, d_model)."""
    rate = 10000 ** (-torch.arange(0, d_model, 2) / d_model)
    angle = torch.arange(max_len)[:, None] * rate
    table = torch.zeros(max_len, d_model)
    table[:, 0::2] = angle.sin()
    table[:, 1::2] = angle.cos()
    return table


class Attention(nn.Module):
    """Multi-head attention; a mask is True where a query may look."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def split(self, x: Tensor) -> Tensor:
        batch, length, d_model = x.shape
        return x.view(batch, length, self.num_heads, d_model // self.num_heads).transpose(1, 2)

    def merge(self, x: Tensor) -> Tensor:
        batch, num_heads, length, d_head = x.shape
        return x.transpose(1, 2).reshape(batch, length, num_heads * d_head)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        q = self.split(self.q_proj(query))
        k = self.split(self.k_proj(key))
        v = self.split(self.v_proj(value))
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        weights = scores.masked_fill(~mask, -1e9).softmax(-1)
        return self.out_proj(self.merge(weights @ v))


class FeedForward(nn.Module):
    """Two layers, the first to d_ff features, with a ReLU between them."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(F.relu(self.linear1(x)))


class Residual(nn.Module):
    """A sublayer with its shortcut, and the norm after it."""

    def __init__(self, d_model: int, sublayer: nn.Module) -> None:
        super().__init__()
        self.sublayer = sublayer
        self.shortcut = nn.Identity()
        self.norm = Norm(d_model)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        """The sublayer is given x and whatever else it needs."""
        return self.norm(self.shortcut(x) + self.sublayer(x, *others))


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention = Residual(d_model, Attention(d_model, num_heads))
        self.feed_forward = Residual(d_model, FeedForward(d_model, d_ff))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return self.feed_forward(self.attention(x, x, x, mask))


class DecoderLayer(nn.Module):
    """Self-attention over the target, cross-attention over the memory, then the feed-forward network."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attention = Residual(d_model, Attention(d_model, num_heads))
        self.cross_attention = Residual(d_model, Attention(d_model, num_heads))
        self.feed_forward = Residual(d_model, FeedForward(d_model, d_ff))

    def forward(self, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        x = self.self_attention(x, x, x, tgt_mask)
        x = self.cross_attention(x, memory, memory, src_mask)
        return self.feed_forward(x)


class WildTransformer(nn.Module):
    """An encoder, a decoder, and what it costs to be wrong; post-norm, one vocabulary."""

    table: Tensor

    def __init__(
        self,
        vocab_size: int,
        d_model: int = 64,
        num_heads: int = 4,
        d_ff: int = 256,
        num_layers: int = 2,
        max_len: int = 12,
    ) -> None:
        super().__init__()
        # BEGIN SOLUTION
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.register_buffer("table", sinusoids(max_len, d_model))
        self.encoder = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.output = nn.Linear(d_model, vocab_size)
        # END SOLUTION

    def embed(self, ids: Tensor) -> Tensor:
        """Ids to vectors that know their places."""
        vectors = self.embedding(ids) * math.sqrt(self.embedding.embedding_dim)
        return vectors + self.table[: ids.size(1)]

    def masks(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
        """Who may look at whom, for all that reads the source and for all that reads the target."""
        future = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).triu(1)
        src_mask = (src != PAD)[:, None, None, :]
        tgt_mask = (tgt != PAD)[:, None, None, :] & ~future
        return src_mask, tgt_mask

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """The memory: a vector for each token of the source."""
        x = self.embed(src)
        for layer in self.encoder:
            x = layer(x, src_mask)
        return x

    def decode(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        """A vector for each token of the target."""
        x = self.embed(tgt)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask, src_mask)
        return x

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Scores of the token that follows each token of tgt."""
        src_mask, tgt_mask = self.masks(src, tgt)
        memory = self.encode(src, src_mask)
        return self.output(self.decode(tgt, memory, tgt_mask, src_mask))

    def loss(self, src: Tensor, tgt: Tensor) -> Tensor:
        """The mean cross-entropy of the target's tokens, each given those before it; padding does not count."""
        scores = self(src, tgt[:, :-1])
        return F.cross_entropy(scores.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=PAD)
