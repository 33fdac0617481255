"""The encoder (Vaswani et al. 2017, section 3.1): layers that let every token read all others, one after another."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.feed_forward import FeedForward, add_norm
from solutions.layer_norm import LayerNorm
from solutions.multi_head_attention import MultiHeadAttention


class EncoderLayer(nn.Module):
    """Let the tokens read each other, then let each think by itself.

    Args:
        d_model: number of features of a token.
        num_heads: number of heads.
        d_ff: number of features inside the feed-forward network.
        dropout: share set to zero in training: of the attention weights, inside the feed-forward
            network, and of what each of the two adds.
        norm_first: False for post-norm, as in the paper; True for pre-norm.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.1 and 5.4; equals
    torch.nn.TransformerEncoderLayer.
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
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm_first = norm_first

    def forward(
        self,
        x: Float[Tensor, "batch seq_len d_model"],
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "batch seq_len d_model"]
        | tuple[
            Float[Tensor, "batch seq_len d_model"],
            Float[Tensor, "batch num_heads seq_len seq_len"],
        ]
    ):
        """Run the two sublayers, each with Add & Norm around it.

        Args:
            x: tokens.
            mask: True where a token may look at another. None hides nothing.
            return_weights: whether to return the attention weights too.

        Returns:
            The tokens, or `(tokens, weights)`.
        """
        # 1. self-attention with Add & Norm (norm1). It returns two things, and `add_norm` wants a
        #    function of one tensor that returns one: put the weights aside
        # 2. the feed-forward network with Add & Norm (norm2)
        # 3. the tokens, and with return_weights=True the weights too
        # BEGIN SOLUTION
        kept: list[Tensor] = []

        def attend(h: Tensor) -> Tensor:
            output, weights = self.self_attn(h, h, h, mask)
            kept.append(weights)
            return output

        x = add_norm(x, attend, self.norm1, self.dropout, self.norm_first)
        x = add_norm(x, self.feed_forward, self.norm2, self.dropout, self.norm_first)
        return (x, kept[0]) if return_weights else x
        # END SOLUTION


class Encoder(nn.Module):
    """A stack of encoder layers: same shape in, same shape out, one vector for every token.

    Args:
        num_layers: number of layers, each with parameters of its own.
        d_model: number of features of a token.
        num_heads: number of heads.
        d_ff: number of features inside the feed-forward networks.
        dropout: see `EncoderLayer`.
        norm_first: see `EncoderLayer`. Pre-norm needs one more norm at the end of the stack, as no
            layer has normalized the sums.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.1; Xiong et al., "On Layer
    Normalization in the Transformer Architecture" (2020), table 1, for the final norm of pre-norm.
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
        # 1. `self.layers`: an nn.ModuleList of layers
        # 2. `self.norm`: a LayerNorm when norm_first, else None
        # BEGIN SOLUTION
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)
        )
        self.norm = LayerNorm(d_model) if norm_first else None
        # END SOLUTION

    def forward(
        self,
        x: Float[Tensor, "batch seq_len d_model"],
        mask: Bool[Tensor, "#batch #num_heads #seq_len #seq_len"] | None = None,
        return_weights: bool = False,
    ) -> (
        Float[Tensor, "batch seq_len d_model"]
        | tuple[
            Float[Tensor, "batch seq_len d_model"],
            list[Float[Tensor, "batch num_heads seq_len seq_len"]],
        ]
    ):
        """Run the layers one after another.

        Args:
            x: tokens.
            mask: True where a token may look at another, for all layers. None hides nothing.
            return_weights: whether to return the attention weights too.

        Returns:
            The tokens, or `(tokens, weights)` with a list of one tensor for each layer.
        """
        # 1. layer after layer, each with the mask; keep the weights of each
        # 2. the final norm, where there is one
        # BEGIN SOLUTION
        all_weights = []
        for layer in self.layers:
            x, weights = layer(x, mask, return_weights=True)
            all_weights.append(weights)
        if self.norm is not None:
            x = self.norm(x)
        return (x, all_weights) if return_weights else x
        # END SOLUTION
