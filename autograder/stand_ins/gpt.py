"""Lesson 14 on torch.nn.functional and the stand-ins of the lessons before."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.decoding import sample_next
from autograder.stand_ins.feed_forward import FeedForward, gelu
from autograder.stand_ins.layer_norm import LayerNorm
from autograder.stand_ins.multi_head_attention import MultiHeadAttention
from autograder.stand_ins.positional_encoding import RotaryAttention

GIVEN = ("GPTConfig", "our_name")
"""What a lesson gives ready-made, so that it is served without being checked."""


@outside_the_watch
def token_windows(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    """Windows side by side, and the token after each place."""
    if seq_len < 1 or len(ids) <= seq_len:
        raise ValueError(f"{len(ids)} tokens and seq_len={seq_len}; give 1 or more, and at least one token more in ids")
    pairs = ids.unfold(0, seq_len + 1, seq_len)  # each window with the token after it
    return pairs[:, :-1].clone(), pairs[:, 1:].clone()


@dataclass
class GPTConfig:
    """All sizes and choices of a GPT; those of the smallest GPT-2 by default."""

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


@outside_the_watch
class GPTBlock(nn.Module):
    """Let every token read itself and those before it, then let each think by itself."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        sizes = (config.d_model, config.num_heads)
        rotary = config.positions == "rotary"
        self.self_attn = RotaryAttention(*sizes) if rotary else MultiHeadAttention(*sizes, config.dropout)
        self.feed_forward = FeedForward(config.d_model, config.d_ff, config.dropout, "gelu")
        if config.activation == "gelu_tanh":
            self.feed_forward.activation = partial(gelu, approximate="tanh")
        self.norm1, self.norm2 = LayerNorm(config.d_model), LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The tokens after attention and the feed-forward network, and the attention weights."""
        places = torch.arange(x.size(1), device=x.device)
        read = self.norm1(x)
        found, weights = self.self_attn(read, read, read, places <= places[:, None])
        x = x + self.dropout(found)
        return x + self.dropout(self.feed_forward(self.norm2(x))), weights


@outside_the_watch
class GPT(nn.Module):
    """Score, at every place of a text, every token that might come next."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position_embedding = (
            nn.Embedding(config.max_len, config.d_model) if config.positions == "learned" else None
        )
        self.dropout = nn.Dropout(config.dropout)
        self.layers = nn.ModuleList([GPTBlock(config) for _ in range(config.num_layers)])
        self.norm = LayerNorm(config.d_model)
        self.head = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight

    def forward(self, ids: Tensor, return_weights: bool = False) -> Tensor | tuple[Tensor, list[Tensor]]:
        """Logits for the token after each place, and the weights of every block if asked for."""
        size, table = ids.shape[1], self.token_embedding.weight
        if size > self.config.max_len:
            raise ValueError(f"{size} tokens, and max_len={self.config.max_len}; give the last {self.config.max_len}")
        if ((ids < 0) | (ids >= len(table))).any():
            raise ValueError(f"ids go from {int(ids.min())} to {int(ids.max())}; give 0 to {len(table) - 1}")
        x = F.embedding(ids, table)
        if self.position_embedding is not None:
            x = x + self.position_embedding.weight[:size]
        x, kept = self.dropout(x), []
        for layer in self.layers:
            x, weights = layer(x)
            kept.append(weights)
        logits = self.norm(x) @ table.T
        return (logits, kept) if return_weights else logits


@outside_the_watch
@torch.no_grad()
def init_gpt_(model: GPT) -> None:
    """First numbers: small, and smaller where they are added to the tokens."""
    nn.init.normal_(model.token_embedding.weight, std=0.02)
    if model.position_embedding is not None:
        nn.init.normal_(model.position_embedding.weight, std=0.02)
    for module in model.modules():
        if isinstance(module, nn.Linear) and module is not model.head:
            nn.init.normal_(module.weight, std=0.02)
            nn.init.zeros_(module.bias)
        elif isinstance(module, LayerNorm):
            nn.init.ones_(module.weight)
            nn.init.zeros_(module.bias)
    for name, parameter in model.layers.named_parameters():
        if name.endswith((".out_proj.weight", ".linear2.weight")):
            nn.init.normal_(parameter, std=0.02 * (2 * len(model.layers)) ** -0.5)


@outside_the_watch
def next_token_loss(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    """Mean loss of every token but the first of each row."""
    if ids.size(1) < 2:
        raise ValueError(f"rows of {ids.size(1)} tokens; give 2 or more, or nothing is asked")
    asked = ids[:, 1:]
    counted = torch.ones_like(asked, dtype=torch.bool) if ignore_id is None else asked != ignore_id
    log_probs = F.log_softmax(logits[:, :-1], dim=-1)
    found = log_probs.gather(-1, asked.masked_fill(~counted, 0).unsqueeze(-1)).squeeze(-1)
    return -found.masked_fill(~counted, 0.0).sum() / counted.sum().clamp(min=1)


@outside_the_watch
def bits_per_byte(nats: Tensor, text: str) -> float:
    """Bits for a byte of the text."""
    if not text:
        raise ValueError("the text is empty; give at least one character")
    return float(nats.double().sum()) * math.log2(math.e) / len(text.encode())


@outside_the_watch
@torch.no_grad()
def generate(
    model: GPT,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Prompts, with what was written behind them."""
    if ids.size(1) < 1 or max_new_tokens < 0:
        given = f"prompts of {ids.size(1)} tokens and max_new_tokens={max_new_tokens}"
        raise ValueError(f"{given}; give prompts of 1 or more, and 0 or more to write")
    mode, start, longest = model.training, ids.size(1), model.config.max_len
    written = F.pad(ids, (0, max_new_tokens))
    model.train(False)
    for place in range(start, start + max_new_tokens):
        scores = model(written[:, max(0, place - longest) : place])
        written[:, place] = sample_next(scores[:, -1], temperature, top_k, top_p, generator)
    model.train(mode)
    return written


@outside_the_watch
def induction_score(weights: Tensor, period: int) -> Tensor:
    """Mean weight of the key after the same token's earlier place."""
    seq_len = weights.size(-1)
    if not 1 <= period < seq_len:
        raise ValueError(f"period={period} and {seq_len} tokens; give 1 or more, and more tokens than that")
    queries = torch.arange(period, seq_len)
    return weights[:, :, queries, queries - period + 1].mean(dim=-1).mean(dim=0)


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


@outside_the_watch
@torch.no_grad()
def load_gpt2(model: GPT, state_dict: Mapping[str, Tensor]) -> None:
    """Take over the weights of a GPT-2."""
    if (model.config.positions, model.config.activation) != ("learned", "gelu_tanh"):
        given = f"positions={model.config.positions!r} and activation={model.config.activation!r}"
        raise ValueError(f"{given}; GPT-2 was trained with 'learned' and 'gelu_tanh'")
    needed = {name: value for name, value in state_dict.items() if not name.endswith((".attn.bias", ".masked_bias"))}
    needed.pop("lm_head.weight", None)
    found: dict[str, Tensor] = {}
    for name, value in needed.items():
        *path, kind = our_name(name).split(".")
        matrix = value.mT if name.rsplit(".", 2)[-2].startswith("c_") and kind == "weight" else value
        if path[-1] != "c_attn":
            found[".".join([*path, kind])] = matrix
            continue
        width = len(matrix) // 3
        for number, part in enumerate(("q_proj", "k_proj", "v_proj")):
            found[".".join([*path[:-1], part, kind])] = matrix[number * width : (number + 1) * width]
    if "token_embedding.weight" in found:
        found["head.weight"] = found["token_embedding.weight"]
    model.load_state_dict(found)
