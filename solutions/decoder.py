"""The decoder (Vaswani et al. 2017, section 3.1): layers that read what has been written and what the encoder made."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.feed_forward import FeedForward, add_norm
from solutions.layer_norm import LayerNorm
from solutions.multi_head_attention import MultiHeadAttention


class DecoderLayer(nn.Module):
    """Let the target's tokens read each other, then the source, then let each think by itself.

    Args:
        d_model: number of features of a token, in source and target.
        num_heads: number of heads of each attention.
        d_ff: number of features inside the feed-forward network.
        dropout: on the attention weights, inside the feed-forward network, and on what each
            sublayer adds.
        norm_first: False for post-norm, as in the paper; True for pre-norm.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.1, 3.2.3 and 5.4; equals
    torch.nn.TransformerDecoderLayer.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.0,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.norm3 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Float[Tensor, "batch tgt_len d_model"],
        memory: Float[Tensor, "batch src_len d_model"],
        self_mask: Bool[Tensor, "#batch #num_heads #tgt_len #tgt_len"] | None = None,
        cross_mask: Bool[Tensor, "#batch #num_heads #tgt_len #src_len"] | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "batch tgt_len d_model"]
        | tuple[
            Float[Tensor, "batch tgt_len d_model"],
            tuple[
                Float[Tensor, "batch num_heads tgt_len tgt_len"],
                Float[Tensor, "batch num_heads tgt_len src_len"],
            ],
        ]
    ):
        """Run the three sublayers, each with Add & Norm around it.

        Args:
            x: the target's tokens.
            memory: what the encoder made of the source's tokens.
            self_mask: True where a target token may look at another; causal when tokens are
                written one by one.
            cross_mask: True where a target token may look at a source token.
            return_weights: whether to return the attention weights too.

        Returns:
            The target's tokens, or `(tokens, (self_weights, cross_weights))`.
        """
        # 1. self-attention on the target (norm1)
        # 2. cross-attention: the target asks, the memory is read (norm2)
        # 3. the feed-forward network (norm3)
        # BEGIN SOLUTION
        kept: list[Tensor] = []

        def attend(h: Tensor) -> Tensor:
            output, weights = self.self_attn(h, h, h, self_mask)
            kept.append(weights)
            return output

        def read_source(h: Tensor) -> Tensor:
            output, weights = self.cross_attn(h, memory, memory, cross_mask)
            kept.append(weights)
            return output

        x = add_norm(x, attend, self.norm1, self.dropout, self.norm_first)
        x = add_norm(x, read_source, self.norm2, self.dropout, self.norm_first)
        x = add_norm(x, self.feed_forward, self.norm3, self.dropout, self.norm_first)
        return (x, (kept[0], kept[1])) if return_weights else x
        # END SOLUTION


class Decoder(nn.Module):
    """A stack of decoder layers that all read the same memory.

    Args:
        num_layers: number of layers, each with parameters of its own.
        d_model: number of features of a token, in source and target.
        num_heads: number of heads of each attention.
        d_ff: number of features inside the feed-forward networks.
        dropout: see `DecoderLayer`.
        norm_first: see `DecoderLayer`. Pre-norm needs one more norm at the end of the stack.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.1.
    """

    def __init__(
        self,
        num_layers: int,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float = 0.0,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        # `self.layers`: an nn.ModuleList of layers
        # `self.norm`: a LayerNorm when norm_first, else None
        # BEGIN SOLUTION
        self.layers = nn.ModuleList(
            DecoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else None
        # END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch tgt_len d_model"],
        memory: Float[Tensor, "batch src_len d_model"],
        self_mask: Bool[Tensor, "#batch #num_heads #tgt_len #tgt_len"] | None = None,
        cross_mask: Bool[Tensor, "#batch #num_heads #tgt_len #src_len"] | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "batch tgt_len d_model"]
        | tuple[
            Float[Tensor, "batch tgt_len d_model"],
            tuple[
                list[Float[Tensor, "batch num_heads tgt_len tgt_len"]],
                list[Float[Tensor, "batch num_heads tgt_len src_len"]],
            ],
        ]
    ):
        """Run the layers one after another; each reads the same memory.

        Args:
            x: the target's tokens.
            memory: what the encoder made of the source's tokens.
            self_mask: True where a target token may look at another.
            cross_mask: True where a target token may look at a source token.
            return_weights: whether to return the attention weights too.

        Returns:
            The target's tokens, or `(tokens, (self_weights, cross_weights))`: two lists with one
            tensor for each layer.
        """
        # BEGIN SOLUTION
        all_self, all_cross = [], []
        for layer in self.layers:
            x, weights = layer(x, memory, self_mask, cross_mask, return_weights=True)
            all_self.append(weights[0])
            all_cross.append(weights[1])
        if self.norm is not None:
            x = self.norm(x)
        return (x, (all_self, all_cross)) if return_weights else x
        # END SOLUTION
