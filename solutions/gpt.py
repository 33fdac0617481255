"""GPT (Radford et al. 2018, 2019): an encoder that may not look ahead, asked for the next token at every place."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from solutions.attention import causal_mask
from solutions.decoding import sample_next
from solutions.feed_forward import FeedForward, add_norm, gelu
from solutions.layer_norm import LayerNorm
from solutions.multi_head_attention import MultiHeadAttention
from solutions.positional_encoding import RotaryAttention


def token_windows(
    ids: Int[Tensor, " length"], seq_len: int
) -> tuple[Int[Tensor, "windows seq_len"], Int[Tensor, "windows seq_len"]]:
    """Cut a long text into windows that lie side by side, and give every place its next token.

    Args:
        ids: the tokens of a text, or of many behind one another.
        seq_len: how many tokens a window has.

    Returns:
        The inputs, and the targets: the token that follows at each place of the inputs. Every
        target stands there once. What does not fill a window at the end is left out.

    Raises:
        ValueError: if seq_len is below 1, or the text has no window and a token after it.
    """
    if not 1 <= seq_len < len(ids):
        raise ValueError(f"{len(ids)} tokens and seq_len={seq_len}; give 1 or more, and at least one token more in ids")
    # 1. how many windows have a next token for every place of theirs?
    # 2. the inputs: that many windows from the first token on
    # 3. the targets: as many tokens, from the second token on
    # BEGIN SOLUTION
    windows = (len(ids) - 1) // seq_len  # the last token has none after it
    used = windows * seq_len
    return ids[:used].reshape(windows, seq_len), ids[1 : used + 1].reshape(windows, seq_len)
    # END SOLUTION


@dataclass
class GPTConfig:
    """All sizes and choices of a GPT; those of the smallest GPT-2 by default.

    Attributes:
        vocab_size: number of different tokens.
        d_model: number of features of a token.
        num_heads: number of heads of each attention.
        num_layers: number of blocks.
        d_ff: number of features inside the feed-forward networks.
        dropout: share of numbers that training sets to zero.
        max_len: how many tokens the model reads at most.
        positions: "learned" for a vector of each position, added once at the start; "rotary" for
            queries and keys that are turned in every block.
        activation: "gelu", or "gelu_tanh" for the approximation that GPT-2 was trained with.

    Raises:
        ValueError: if positions or activation is another word.
    """

    vocab_size: int
    d_model: int = 768
    num_heads: int = 12
    num_layers: int = 12
    d_ff: int = 3072
    dropout: float = 0.1
    max_len: int = 1024
    positions: str = "learned"
    activation: str = "gelu"

    def __post_init__(self) -> None:
        if self.positions not in ("learned", "rotary"):
            raise ValueError(f"positions={self.positions!r}; give 'learned' or 'rotary'")
        if self.activation not in ("gelu", "gelu_tanh"):
            raise ValueError(f"activation={self.activation!r}; give 'gelu' or 'gelu_tanh'")


class GPTBlock(nn.Module):
    """Let every token read itself and those before it, then let each think by itself.

    Args:
        config: sizes and choices. With rotary positions the attention weights have no dropout.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Radford et al., "Improving Language Understanding by Generative Pre-Training" (2018),
    section 3.1; pre-norm since Radford et al., "Language Models are Unsupervised Multitask
    Learners" (2019), section 2.3.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.self_attn = (
            RotaryAttention(config.d_model, config.num_heads)
            if config.positions == "rotary"
            else MultiHeadAttention(config.d_model, config.num_heads, config.dropout)
        )
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout, "gelu")
        if config.activation == "gelu_tanh":
            self.feed_forward.activation = partial(gelu, approximate="tanh")
        self.norm1 = LayerNorm(config.d_model)
        self.norm2 = LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, x: Float[Tensor, "batch seq_len d_model"]
    ) -> tuple[Float[Tensor, "batch seq_len d_model"], Float[Tensor, "batch num_heads seq_len seq_len"]]:
        """Run attention and the feed-forward network, in pre-norm.

        Args:
            x: tokens.

        Returns:
            The tokens, and the attention weights of every head.
        """
        # 1. who may look at whom: a token at itself and at those before it
        # 2. self-attention with Add & Norm (norm1), in pre-norm; keep its weights
        # 3. the feed-forward network with Add & Norm (norm2), in pre-norm
        # BEGIN SOLUTION
        mask = causal_mask(x.size(1)).to(x.device)  # (seq_len, seq_len)
        h = self.norm1(x)
        attended, weights = self.self_attn(h, h, h, mask)
        x = x + self.dropout(attended)
        x = add_norm(x, self.feed_forward, self.norm2, self.dropout, norm_first=True)
        return x, weights
        # END SOLUTION


class GPT(nn.Module):
    """Score, at every place of a text, every token that might come next.

    Args:
        config: sizes and choices.

    Raises:
        ValueError: if d_model is not divisible by num_heads.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        learned = config.positions == "learned"
        self.position_embedding = nn.Embedding(config.max_len, config.d_model) if learned else None
        self.dropout = nn.Dropout(config.dropout)
        # 1. `self.layers`: an nn.ModuleList of blocks
        # 2. `self.norm`: the LayerNorm after the last block, which pre-norm needs
        # 3. `self.head`: a linear layer to vocab_size without bias; its weight *is* the token table
        # BEGIN SOLUTION
        self.layers = nn.ModuleList(GPTBlock(config) for _ in range(config.num_layers))
        self.norm = LayerNorm(config.d_model)
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight
        # END SOLUTION

    def forward(
        self, ids: Int[Tensor, "batch seq_len"], return_weights: bool = False
    ) -> (
        Float[Tensor, "batch seq_len vocab_size"]
        | tuple[
            Float[Tensor, "batch seq_len vocab_size"],
            list[Float[Tensor, "batch num_heads seq_len seq_len"]],
        ]
    ):
        """Read texts of one length.

        Args:
            ids: their tokens.
            return_weights: whether to return the attention weights too.

        Returns:
            Logits, or `(logits, weights)` with a list of one tensor for each block. The softmax of
            a place's logits is the model's distribution for the token *after* it.

        Raises:
            ValueError: if there are more tokens than config.max_len, or an id is not in the vocabulary.
        """
        seq_len, config = ids.size(1), self.config
        if seq_len > config.max_len:
            raise ValueError(f"{seq_len} tokens, and max_len={config.max_len}; give the last {config.max_len} of them")
        if ids.numel() and not 0 <= int(ids.min()) <= int(ids.max()) < config.vocab_size:
            found = f"{int(ids.min())} to {int(ids.max())}"
            raise ValueError(
                f"ids go from {found}; with vocab_size={config.vocab_size} give 0 to {config.vocab_size - 1}"
            )
        # 1. look up the tokens; where positions are learned, add the vectors of 0, 1, ...; drop out
        # 2. block after block; keep the weights of each
        # 3. the norm, then the head
        # BEGIN SOLUTION
        x = self.token_embedding(ids)  # (batch, seq_len, d_model)
        if self.position_embedding is not None:
            x = x + self.position_embedding(torch.arange(seq_len, device=ids.device))
        x = self.dropout(x)
        all_weights = []
        for layer in self.layers:
            x, weights = layer(x)
            all_weights.append(weights)
        logits = self.head(self.norm(x))  # (batch, seq_len, vocab_size)
        return (logits, all_weights) if return_weights else logits
        # END SOLUTION


@torch.no_grad()
def init_gpt_(model: GPT) -> None:
    """Give a GPT its first numbers, in place.

    Matrices and tables are drawn from a normal distribution around 0 with a standard deviation of
    0.02, biases are 0, norms begin as if they did nothing. For the two matrices of a block whose
    results are added to the tokens it is 0.02 / √(2 · num_layers): there are 2 · num_layers such sums.

    Args:
        model: a GPT; its parameters are changed.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
    """
    # for every parameter and its name, as `model.named_parameters()` gives them:
    # 1. biases 0
    # 2. the weights of the norms 1
    # 3. everything else is drawn; `out_proj.weight` and `linear2.weight` write to the tokens
    # BEGIN SOLUTION
    smaller = 0.02 / math.sqrt(2 * model.config.num_layers)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
        elif "norm" in name:
            nn.init.ones_(parameter)
        elif name.endswith(("out_proj.weight", "linear2.weight")):
            nn.init.normal_(parameter, std=smaller)
        else:
            nn.init.normal_(parameter, std=0.02)
    # END SOLUTION


def next_token_loss(
    logits: Float[Tensor, "batch seq_len vocab_size"],
    ids: Int[Tensor, "batch seq_len"],
    ignore_id: int | None = None,
) -> Float[Tensor, ""]:
    """Ask every place for the token that follows it in its own row.

    Args:
        logits: what the model made of ids, before the softmax.
        ids: the tokens that it read.
        ignore_id: an id that nobody is asked for, padding for instance; it need not be in the
            vocabulary, and may stand anywhere in a row. None ignores nothing.

    Returns:
        The mean cross-entropy, in nats, of all that is asked in the whole batch; 0 where nothing is.

    Raises:
        ValueError: if rows have fewer than two tokens.

    Source: Radford et al., "Improving Language Understanding by Generative Pre-Training" (2018),
    equation 1.
    """
    if ids.size(1) < 2:
        raise ValueError(f"rows of {ids.size(1)} tokens; give 2 or more, or nothing is asked")
    # 1. which places are asked, and for which tokens?
    # 2. of these only those that are not ignore_id
    # 3. their mean cross-entropy (`F.cross_entropy` takes logits and ids)
    # BEGIN SOLUTION
    scores = logits[:, :-1].flatten(0, 1)  # (batch · (seq_len - 1), vocab_size); after the last place comes nothing
    asked = ids[:, 1:].flatten()  # (batch · (seq_len - 1),); nobody stands before the first token
    if ignore_id is not None:
        counted = asked != ignore_id
        scores, asked = scores[counted], asked[counted]
    if len(asked) == 0:
        return scores.sum()  # of nothing: 0, and a gradient of zeros
    return F.cross_entropy(scores, asked)
    # END SOLUTION


def bits_per_byte(nats: Float[Tensor, " tokens"], text: str) -> float:
    """Measure how well a text was predicted, whatever its tokens are.

    Args:
        nats: the loss of each of the text's tokens, by the natural logarithm.
        text: the text that these tokens make.

    Returns:
        How many bits the model needs for a byte of the text in UTF-8.

    Raises:
        ValueError: if the text is empty.

    Source: Gao et al., "The Pile" (2020), section 3.1.
    """
    if not text:
        raise ValueError("the text is empty; give at least one character")
    # 1. the bits of the whole text: a bit is ln 2 nats
    # 2. by the bytes of the whole text
    # BEGIN SOLUTION
    bits = nats.sum().item() / math.log(2)
    return bits / len(text.encode("utf-8"))
    # END SOLUTION


@torch.no_grad()
def generate(
    model: GPT,
    ids: Int[Tensor, "batch seq_len"],
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Int[Tensor, "batch longer"]:
    """Continue texts, one token after another.

    Args:
        model: `model(ids)` gives logits; it reads at most model.config.max_len tokens.
        ids: the texts so far, the prompts. They may be longer than max_len.
        max_new_tokens: how many tokens to write.
        temperature: see `sample_next`.
        top_k: see `sample_next`.
        top_p: see `sample_next`.
        generator: see `sample_next`.

    Returns:
        The prompts with what was written behind them. The model is left in the mode, training or
        evaluation, in which it came; it writes in evaluation mode.

    Raises:
        ValueError: if a prompt has no token, or max_new_tokens is negative.
    """
    if ids.size(1) < 1 or max_new_tokens < 0:
        given = f"prompts of {ids.size(1)} tokens and max_new_tokens={max_new_tokens}"
        raise ValueError(f"{given}; give prompts of 1 or more, and 0 or more to write")
    # 1. remember the model's mode (`model.training`), and switch to evaluation
    # 2. max_new_tokens times: the logits of the last place; draw a token for each row; append it.
    #    The model reads the last max_len tokens
    # 3. the mode as it was
    # BEGIN SOLUTION
    was_training = model.training
    model.eval()
    for _ in range(max_new_tokens):
        logits = model(ids[:, -model.config.max_len :])[:, -1]  # (batch, vocab_size)
        new = sample_next(logits, temperature, top_k, top_p, generator)  # (batch,)
        ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
    model.train(was_training)
    return ids
    # END SOLUTION


def induction_score(
    weights: Float[Tensor, "batch num_heads seq_len seq_len"], period: int
) -> Float[Tensor, " num_heads"]:
    """Measure how much each head looks at what came next the last time.

    Args:
        weights: the attention weights of one block, for texts that repeat themselves after `period`
            tokens: query t stands on the token that stood at t - period.
        period: after how many tokens the texts begin again.

    Returns:
        For every head the mean weight, over all texts and all queries from the second period on, of
        the key right after the same token's earlier place.

    Raises:
        ValueError: if there is no second period.

    Source: Olsson et al., "In-context Learning and Induction Heads" (2022), prefix matching.
    """
    if not 1 <= period < weights.size(-1):
        raise ValueError(f"period={period} and {weights.size(-1)} tokens; give 1 or more, and more tokens than that")
    # 1. query t looks at key t - period + 1: these entries lie on a diagonal
    # 2. only the queries from t = period on
    # 3. the mean over texts and queries
    # BEGIN SOLUTION
    diagonal = weights.diagonal(offset=1 - period, dim1=-2, dim2=-1)  # (batch, num_heads, from query period - 1 on)
    return diagonal[..., 1:].mean(dim=(0, 2))
    # END SOLUTION


def our_name(name: str) -> str:
    """What an entry of a GPT-2 of Hugging Face is called in a GPT of this lesson; only `c_attn` keeps its name."""
    pairs = (
        ("transformer.", ""),
        ("wte.", "token_embedding."),
        ("wpe.", "position_embedding."),
        ("ln_f.", "norm."),
        ("ln_1.", "norm1."),
        ("ln_2.", "norm2."),
        ("attn.c_attn.", "self_attn.c_attn."),
        ("attn.c_proj.", "self_attn.out_proj."),
        ("mlp.c_fc.", "feed_forward.linear1."),
        ("mlp.c_proj.", "feed_forward.linear2."),
        ("h.", "layers."),
    )
    for theirs, ours in pairs:
        name = name.replace(theirs, ours)
    return name


def load_gpt2(model: GPT, state_dict: Mapping[str, Tensor]) -> None:
    """Take over the weights of a GPT-2, under the names and in the shapes that Hugging Face gives them.

    A matrix of theirs is (features in, features out), the transpose of nn.Linear's. Queries, keys
    and values come from one matrix, `c_attn`: first the columns of all queries, then the keys', then
    the values'. Tables are as ours.

    Args:
        model: a GPT of the same sizes, with learned positions and the activation "gelu_tanh".
        state_dict: `wte.weight`, `wpe.weight`, `h.0.ln_1.weight`, ..., with or without
            "transformer." in front. Masks (`attn.bias`, `attn.masked_bias`) and `lm_head.weight`,
            which is `wte.weight` once more, may be there and are not needed.

    Raises:
        ValueError: if the model has other positions or another activation.
        RuntimeError: from `load_state_dict`, if entries are missing, unknown or of other sizes; says which.

    Source: Radford et al. (2019); names and shapes: Hugging Face, `transformers`, GPT2LMHeadModel.
    """
    # 1. refuse a model with other positions or another activation
    # for every entry, by `our_name`:
    # 2. leave out masks and `lm_head.weight`
    # 3. transpose the matrices `c_attn`, `c_proj` and `c_fc`
    # 4. `c_attn`: cut in three for `q_proj`, `k_proj` and `v_proj`, matrix and bias
    # 5. `load_state_dict`; there `head.weight` is an entry too, the token table
    # BEGIN SOLUTION
    config = model.config
    if config.positions != "learned" or config.activation != "gelu_tanh":
        given = f"positions={config.positions!r} and activation={config.activation!r}"
        raise ValueError(f"{given}; GPT-2 was trained with 'learned' and 'gelu_tanh'")
    ours: dict[str, Tensor] = {}
    for name, value in state_dict.items():
        if name.endswith((".attn.bias", ".attn.masked_bias", "lm_head.weight")):
            continue
        turned = value.T if ".c_" in name and name.endswith("weight") else value  # (out, in), as nn.Linear has it
        mine = our_name(name)
        if "c_attn" in name:
            for part, third in zip(("q_proj", "k_proj", "v_proj"), turned.chunk(3), strict=True):
                ours[mine.replace("c_attn", part)] = third
        else:
            ours[mine] = turned
        if mine == "token_embedding.weight":
            ours["head.weight"] = turned
    model.load_state_dict(ours)
    # END SOLUTION
