"""Lesson 07 on the stand-ins of the lessons before."""

from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.feed_forward import FeedForward, add_norm
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.multi_head_attention import MultiHeadAttention


@outside_the_watch
class DecoderLayer(nn.Module):
    """Let the target's tokens read each other, then the source, then let each think by itself."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1, self.norm2, self.norm3 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        self_mask: Tensor | None = None,
        cross_mask: Tensor | None = None,
        return_weights: bool = False,
    ) -> Tensor | tuple:
        """Two attentions and the feed-forward network, each with Add & Norm."""
        read = self.norm1(x) if self.norm_first else x
        attended, self_weights = self.self_attn(read, read, read, self_mask)
        x = x + self.dropout(attended)
        x = x if self.norm_first else self.norm1(x)
        read = self.norm2(x) if self.norm_first else x
        attended, cross_weights = self.cross_attn(read, memory, memory, cross_mask)
        x = x + self.dropout(attended)
        x = x if self.norm_first else self.norm2(x)
        x = add_norm(x, self.feed_forward, self.norm3, self.dropout, self.norm_first)
        return (x, (self_weights, cross_weights)) if return_weights else x


@outside_the_watch
class Decoder(nn.Module):
    """A stack of decoder layers that all read the same memory."""

    def __init__(
        self, num_layers: int, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.0, norm_first: bool = False
    ) -> None:
        super().__init__()
        layers = [DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(layers)
        self.norm = LayerNorm(d_model) if norm_first else None

    def forward(
        self,
        x: Tensor,
        memory: Tensor,
        self_mask: Tensor | None = None,
        cross_mask: Tensor | None = None,
        return_weights: bool = False,
    ) -> Tensor | tuple:
        """Run the layers one after another."""
        kept = []
        for layer in self.layers:
            x, weights = layer(x, memory, self_mask, cross_mask, return_weights=True)
            kept.append(weights)
        x = self.norm(x) if self.norm else x
        return (x, tuple(map(list, zip(*kept, strict=True)))) if return_weights else x
