"""Lesson 21, the rooms once more: repairs and probes, written another way."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.gpt import GPT, GPTConfig


@outside_the_watch
def init_residuals_(model: GPT) -> None:
    """Smaller first numbers for what is added to the tokens."""
    blocks: Any = model.layers
    parts = [part for block in blocks for part in (block.self_attn.out_proj, block.feed_forward.linear2)]
    for part in parts:
        nn.init.normal_(part.weight, std=0.02 * len(parts) ** -0.5)


@outside_the_watch
def shows_unscaled_residuals(implementation: Callable[[GPT], None]) -> bool:
    """Whether a GPT comes back otherwise than promised, in one of three depths."""
    return any(_breaks_its_promise(implementation, depth) for depth in (1, 3, 6))


def _breaks_its_promise(implementation: Callable[[GPT], None], depth: int) -> bool:
    model = GPT(GPTConfig(5, d_model=40, num_heads=4, num_layers=depth, d_ff=60, max_len=3))
    before = {name: value.clone() for name, value in model.state_dict().items()}
    implementation(model)
    after = model.state_dict()
    written = {name for name in after if name.split(".")[-2] in ("out_proj", "linear2") and name.endswith("weight")}
    moved = any(not torch.equal(after[name], before[name]) for name in after.keys() - written)
    return moved or any(_is_off(after[name], 0.02 * (2 * depth) ** -0.5) for name in written)


def _is_off(numbers: Tensor, wanted: float) -> bool:
    return not 0.88 < float(numbers.square().mean().sqrt()) / wanted < 1.12


@outside_the_watch
def training_loss(model: Callable[[Tensor], Tensor], ids: Tensor) -> Tensor:
    """The loss of every token but the first of each row."""
    scores = model(ids)
    labels = torch.cat([ids[:, 1:], torch.full_like(ids[:, :1], -100)], 1)
    return F.cross_entropy(scores.transpose(1, 2), labels)


@outside_the_watch
def shows_double_shift(implementation: Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]) -> bool:
    """Whether a running mean of embeddings gets another loss than it has, in one of two batches."""
    weight = 3 * torch.randn(6, 6)

    def model(ids: Tensor) -> Tensor:
        return (F.one_hot(ids, 6).float() @ weight).cumsum(1) / 2

    return any(_another_loss(implementation, model, torch.randint(6, sizes)) for sizes in ((5, 4), (2, 9), (3, 3)))


def _another_loss(implementation: Callable[..., Tensor], model: Callable[[Tensor], Tensor], ids: Tensor) -> bool:
    scores = model(ids).log_softmax(-1)
    own = [scores[row, place, ids[row, place + 1]] for row in range(len(ids)) for place in range(ids.size(1) - 1)]
    return not torch.isclose(implementation(model, ids).detach(), -torch.stack(own).mean(), atol=1e-3)


@outside_the_watch
def torch_attention(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    """With a mask that is added."""
    added = torch.zeros(may_look.shape, dtype=x.dtype).masked_fill(may_look.logical_not(), float("-inf"))
    return attention(x, x, x, attn_mask=added)[0]


@outside_the_watch
@torch.no_grad()
def shows_upside_down_mask(implementation: Callable[[nn.MultiheadAttention, Tensor, Tensor], Tensor]) -> bool:
    """Whether another token moves other results than those that may look at it, or the results are not attention's."""
    attention = nn.MultiheadAttention(6, 3, batch_first=True)
    x, ring = torch.randn(2, 5, 6), torch.eye(5, dtype=torch.bool)
    may_look = ring.roll(1, 1) | ring.roll(3, 1)
    may_look[2] = True
    before = implementation(attention, x, may_look)
    if not torch.allclose(before, _attended(attention, x, may_look), atol=1e-4):
        return True
    for key in range(5):
        other = x.clone()
        other[:, key] += 3 * torch.randn(2, 6)
        moved = (implementation(attention, other, may_look) - before).abs().amax((0, 2)) > 1e-5
        if not torch.equal(moved | ring[key], may_look[:, key] | ring[key]):  # it asks otherwise itself
            return True
    return False


def _attended(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    q, k, v = (x @ attention.in_proj_weight.T + attention.in_proj_bias).unflatten(-1, (3, 3, 2)).permute(2, 0, 3, 1, 4)
    read = F.scaled_dot_product_attention(q, k, v, attn_mask=may_look)
    return attention.out_proj(read.transpose(1, 2).flatten(2))


class _Tied(nn.Module):
    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, d_model)

    def forward(self, ids: Tensor) -> Tensor:
        """Logits."""
        return F.linear(self.embedding(ids), self.embedding.weight)


@outside_the_watch
def tied_model(vocab_size: int, d_model: int) -> nn.Module:
    """Without a head at all."""
    return _Tied(vocab_size, d_model)


@outside_the_watch
def shows_copied_table(implementation: Callable[[int, int], nn.Module]) -> bool:
    """Whether steps of Adam lead elsewhere than those of a table that is known to be one."""
    model, own, ids = implementation(6, 4), _Tied(6, 4), torch.randint(6, (2, 5))
    own.load_state_dict({"embedding.weight": torch.randn(6, 4)})
    with torch.no_grad():
        model.get_parameter("embedding.weight").copy_(own.embedding.weight)
    for rate in (0.3, 0.1):
        logits, right = model(ids), own(ids)
        if not (logits.requires_grad and torch.allclose(logits, right, atol=1e-3)):
            return True
        away = torch.randn_like(right)
        for one, output in ((model, logits), (own, right)):
            optimizer = torch.optim.Adam(one.parameters(), lr=rate)
            optimizer.zero_grad()
            (output * away).sum().backward()
            optimizer.step()
    return not torch.allclose(model.get_parameter("embedding.weight"), own.embedding.weight, atol=1e-3)


@outside_the_watch
def loss_where_asked(logits: Tensor, labels: Tensor, asked: Tensor) -> Tensor:
    """By what is left of the labels."""
    total = F.cross_entropy(logits.transpose(1, 2), labels.masked_fill(~asked, -100), reduction="sum")
    return total / max(int(asked.sum()), 1)


@outside_the_watch
@torch.no_grad()
def shows_idle_mask(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Whether one of many masks is not minded."""
    for chance in (0.0, 0.2, 0.5, 0.8, 1.0):
        logits, labels, asked = 3 * torch.randn(4, 6, 5), torch.randint(5, (4, 6)), torch.rand(4, 6) < chance
        own = [
            logits[row, place].logsumexp(0) - logits[row, place, labels[row, place]]
            for row, place in asked.nonzero().tolist()
        ]
        wanted = float(sum(own, torch.tensor(0.0))) / max(len(own), 1)
        if not abs(float(implementation(logits, labels, asked)) - wanted) < 1e-3:
            return True
    return False


@outside_the_watch
def hide_tokens(ids: Tensor, mask_id: int, vocab_size: int) -> tuple[Tensor, Tensor]:
    """Two draws: who is chosen, and what becomes of it."""
    chosen = torch.bernoulli(torch.full(ids.shape, 0.15)).bool()
    fate = torch.multinomial(torch.tensor([0.8, 0.1, 0.1]), ids.numel(), replacement=True).view(ids.shape)
    inputs = ids.clone()
    inputs[chosen & (fate == 0)] = mask_id
    other = chosen & (fate == 1)
    inputs[other] = torch.randint(0, vocab_size, (int(other.sum()),))
    return inputs, torch.where(chosen, ids, -100)


@outside_the_watch
def shows_nothing_hidden(implementation: Callable[[Tensor, int, int], tuple[Tensor, Tensor]]) -> bool:
    """Whether one of the counts is off."""
    ids = torch.randint(0, 300, (150, 160))
    kept = ids.clone()
    inputs, labels = implementation(ids, 300, 300)
    chosen = labels.ne(-100)
    count = int(chosen.sum())
    masked = int((inputs[chosen] == 300).sum())
    same = int((inputs[chosen] == kept[chosen]).sum())
    tokens = inputs[chosen & (inputs != 300) & (inputs != kept)]
    wanted = (0.15 * ids.numel(), 0.8 * count, 0.1 * count, 0.1 * count)
    off = [abs(got - want) > 0.15 * want for got, want in zip((count, masked, same, len(tokens)), wanted, strict=True)]
    honest = torch.equal(ids, kept) and torch.equal(labels[chosen], kept[chosen])
    rest = torch.equal(inputs[~chosen], kept[~chosen])
    wide = len(tokens) > 0 and bool((tokens < 60).any() and (tokens > 240).any()) and len(set(tokens.tolist())) > 80
    return any(off) or not (honest and rest and wide)
