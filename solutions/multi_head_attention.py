"""Multi-head attention (Vaswani et al. 2017, section 3.2.2): several attentions, each on a slice of the features."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from solutions.attention import scaled_dot_product_attention


def split_heads(
    x: Float[Tensor, "batch seq_len d_model"], num_heads: int
) -> Float[Tensor, "batch num_heads seq_len d_head"]:
    """Cut the features of every token into equal slices, one for each head.

    Args:
        x: tokens; head 0 gets their first d_head features, head 1 the next d_head, and so on.
        num_heads: number of slices; d_head = d_model / num_heads.

    Returns:
        For every head all tokens, each with its slice of the features.

    Raises:
        ValueError: if the features cannot be cut into num_heads equal slices.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2; laid out as in torch.nn.
    """
    batch, seq_len, d_model = x.shape
    if num_heads < 1 or d_model % num_heads != 0:
        raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
    # 1. cut the last dimension, d_model, into two: num_heads and d_head
    # 2. move the heads in front of the tokens
    # BEGIN SOLUTION
    slices = x.reshape(batch, seq_len, num_heads, d_model // num_heads)  # (batch, seq_len, num_heads, d_head)
    return slices.transpose(1, 2)  # (batch, num_heads, seq_len, d_head)
    # END SOLUTION


def merge_heads(x: Float[Tensor, "batch num_heads seq_len d_head"]) -> Float[Tensor, "batch seq_len d_model"]:
    """Put the slices of all heads side by side again, undoing `split_heads`.

    Args:
        x: for every head all tokens, each with its slice of the features.

    Returns:
        Tokens with the features of head 0 first, then those of head 1, and so on; d_model = num_heads · d_head.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2: Concat.
    """
    batch, num_heads, seq_len, d_head = x.shape
    # 1. move the heads back behind the tokens
    # 2. num_heads and d_head become one dimension
    # BEGIN SOLUTION
    slices = x.transpose(1, 2)  # (batch, seq_len, num_heads, d_head)
    return slices.reshape(batch, seq_len, num_heads * d_head)  # (batch, seq_len, d_model)
    # END SOLUTION


class MultiHeadAttention(nn.Module):
    """Let every head attend on its own slice of the features, then mix what the heads found.

    Args:
        d_model: number of features of a token.
        num_heads: number of heads; each works on d_model / num_heads features.
        dropout: share of the attention weights that training sets to zero.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2; equals torch.nn.MultiheadAttention.
    """

    def __init__(self, d_model: int, num_heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        query: Float[Tensor, "batch query_len d_model"],
        key: Float[Tensor, "batch key_len d_model"],
        value: Float[Tensor, "batch key_len d_model"],
        mask: Bool[Tensor, "#batch #num_heads #query_len #key_len"] | Bool[Tensor, "#query_len #key_len"] | None = None,
    ) -> tuple[Float[Tensor, "batch query_len d_model"], Float[Tensor, "batch num_heads query_len key_len"]]:
        """Let the tokens of `query` read those of `key` and `value`.

        Args:
            query: the tokens that ask.
            key: the tokens that are read, as they present themselves.
            value: the same tokens, as what is taken from them. Self-attention passes one tensor three times.
            mask: True where a query may look at a key; broadcast to the weights. None hides nothing.

        Returns:
            The output, and the weights of every head as they were before dropout.

        Raises:
            ValueError: if the mask does not fit the weights.
        """
        sizes = (query.size(0), self.num_heads, query.size(1), key.size(1))
        shape = () if mask is None else tuple(mask.shape)
        if any(size not in (1, full) for size, full in zip(shape[::-1], sizes[::-1], strict=False)):
            wanted = f"(batch, num_heads, query_len, key_len) = {sizes}"
            raise ValueError(f"mask has shape {shape}; give {wanted}, where any size may also be 1")
        # 1. project query, key and value, each with its own layer, and split each into heads
        # 2. the weights of every head: `scaled_dot_product_attention` does all heads at once
        # 3. dropout on the weights, then mix the values with what is left
        # 4. merge the heads and let `out_proj` mix them; return (output, the weights before dropout)
        # BEGIN SOLUTION
        q = split_heads(self.q_proj(query), self.num_heads)  # (batch, num_heads, query_len, d_head)
        k = split_heads(self.k_proj(key), self.num_heads)  # (batch, num_heads, key_len, d_head)
        v = split_heads(self.v_proj(value), self.num_heads)  # (batch, num_heads, key_len, d_head)
        # Dropout comes between the weights and the values, so the function's own output is of no use here.
        _, weights = scaled_dot_product_attention(q, k, v, mask)  # (batch, num_heads, query_len, key_len)
        heads = self.dropout(weights) @ v  # (batch, num_heads, query_len, d_head)
        return self.out_proj(merge_heads(heads)), weights
        # END SOLUTION


def load_from_torch(ours: MultiHeadAttention, theirs: nn.MultiheadAttention) -> None:
    """Copy the parameters of torch's module into ours.

    torch keeps the three projections in one matrix: `in_proj_weight` has shape (3 · d_model, d_model), the rows of
    the query projection first, then those of the key, then those of the value; `in_proj_bias` likewise.

    Args:
        ours: receives the numbers in its own memory.
        theirs: gives them, and stays as it is.

    Raises:
        ValueError: if the two differ in width or heads, or theirs lacks the fused matrix or its bias.

    Source: the parameters of torch.nn.MultiheadAttention.
    """
    sizes = (ours.q_proj.in_features, ours.num_heads), (theirs.embed_dim, theirs.num_heads)
    if sizes[0] != sizes[1]:
        raise ValueError(f"ours has (d_model, num_heads) = {sizes[0]} and theirs {sizes[1]}; they must be the same")
    if theirs.in_proj_weight is None or theirs.in_proj_bias is None:
        raise ValueError(
            "theirs has no in_proj_weight or no in_proj_bias; make it with bias=True, without kdim and vdim"
        )
    # 1. cut in_proj_weight and in_proj_bias into three
    # 2. copy each third into its projection
    # 3. copy the weight and the bias of out_proj
    with torch.no_grad():  # copying numbers is no step of a computation that needs gradients
        # BEGIN SOLUTION
        weights = theirs.in_proj_weight.chunk(3)  # three of (d_model, d_model)
        biases = theirs.in_proj_bias.chunk(3)  # three of (d_model,)
        for projection, weight, bias in zip((ours.q_proj, ours.k_proj, ours.v_proj), weights, biases, strict=True):
            projection.weight.copy_(weight)
            projection.bias.copy_(bias)
        ours.out_proj.load_state_dict(theirs.out_proj.state_dict())
        # END SOLUTION


class GroupedQueryAttention(nn.Module):
    """Multi-head attention in which several query heads share one head of keys and values.

    Args:
        d_model: number of features of a token.
        num_heads: number of query heads; d_head = d_model / num_heads.
        num_kv_heads: number of key and value heads. Query heads 0 to num_heads / num_kv_heads - 1 read the first, the
            next as many the second, and so on.

    Raises:
        ValueError: if d_model is not divisible by num_heads, or num_heads not by num_kv_heads.

    Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models" (2023), section 2.2.
    """

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        if num_heads < 1 or d_model % num_heads != 0:
            raise ValueError(f"d_model={d_model} is not divisible by num_heads={num_heads}")
        if num_kv_heads < 1 or num_heads % num_kv_heads != 0:
            raise ValueError(f"num_heads={num_heads} is not divisible by num_kv_heads={num_kv_heads}")
        d_head = d_model // num_heads
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.q_proj = nn.Linear(d_model, d_model)
        self.k_proj = nn.Linear(d_model, num_kv_heads * d_head)
        self.v_proj = nn.Linear(d_model, num_kv_heads * d_head)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(
        self,
        query: Float[Tensor, "batch query_len d_model"],
        key: Float[Tensor, "batch key_len d_model"],
        value: Float[Tensor, "batch key_len d_model"],
        mask: Bool[Tensor, "#batch #num_heads #query_len #key_len"] | Bool[Tensor, "#query_len #key_len"] | None = None,
    ) -> tuple[Float[Tensor, "batch query_len d_model"], Float[Tensor, "batch num_heads query_len key_len"]]:
        """Let the tokens of `query` read those of `key` and `value`.

        Args:
            query: the tokens that ask.
            key: the tokens that are read, as they present themselves.
            value: the same tokens, as what is taken from them.
            mask: True where a query may look at a key; broadcast to the weights. None hides nothing.

        Returns:
            The output, and the weights of every query head.
        """
        # 1. project; split the queries into num_heads, keys and values into num_kv_heads
        # 2. repeat every key and value head for all the query heads that share it
        # 3. attend, merge, project
        # BEGIN SOLUTION
        q = split_heads(self.q_proj(query), self.num_heads)  # (batch, num_heads, query_len, d_head)
        k = split_heads(self.k_proj(key), self.num_kv_heads)  # (batch, num_kv_heads, key_len, d_head)
        v = split_heads(self.v_proj(value), self.num_kv_heads)  # (batch, num_kv_heads, key_len, d_head)
        group = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(group, dim=1)  # (batch, num_heads, key_len, d_head)
        v = v.repeat_interleave(group, dim=1)  # (batch, num_heads, key_len, d_head)
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.out_proj(merge_heads(heads)), weights
        # END SOLUTION
