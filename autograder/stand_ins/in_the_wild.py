"""Lesson 21, the rooms once more: repairs and probes, written another way."""

import itertools
import math
import statistics
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.gpt import GPT, GPTConfig

GIVEN = ("Device",)
"""What the lesson gives ready-made."""


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


# The article ----------------------------------------------------------------------------


class Attention(nn.Module):
    """Every head at once, by torch's own function."""

    def __init__(self, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d_model, d_model) for _ in range(4))
        self.num_heads = num_heads

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        """What each query reads."""
        projected = (self.q_proj(query), self.k_proj(key), self.v_proj(value))
        q, k, v = (one.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for one in projected)
        read = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(read.transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    """Two matrices."""

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """Token by token."""
        return self.linear2(self.linear1(x).relu())


class Residual(nn.Module):
    """A sublayer, its shortcut and its norm."""

    def __init__(self, d_model: int, sublayer: nn.Module) -> None:
        super().__init__()
        self.sublayer, self.norm = sublayer, nn.LayerNorm(d_model, eps=1e-6)

    def forward(self, x: Tensor, *others: Tensor) -> Tensor:
        """Post-norm."""
        return self.norm(self.sublayer(x, *others) + x)


class EncoderLayer(nn.Module):
    """Reads the source."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.attention = Residual(d_model, Attention(d_model, num_heads))
        self.feed_forward = Residual(d_model, FeedForward(d_model, d_ff))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """One vector for each token."""
        return self.feed_forward(self.attention(x, x, x, mask))


class DecoderLayer(nn.Module):
    """Reads the target and the memory."""

    def __init__(self, d_model: int, num_heads: int, d_ff: int) -> None:
        super().__init__()
        self.self_attention = Residual(d_model, Attention(d_model, num_heads))
        self.cross_attention = Residual(d_model, Attention(d_model, num_heads))
        self.feed_forward = Residual(d_model, FeedForward(d_model, d_ff))

    def forward(self, x: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        """One vector for each token of the target."""
        x = self.self_attention(x, x, x, tgt_mask)
        return self.feed_forward(self.cross_attention(x, memory, memory, src_mask))


def angles(max_len: int, d_model: int) -> Tensor:
    """The table of positions, as complex numbers turned."""
    rate = 10000.0 ** (-torch.arange(0, d_model, 2) / d_model)
    turned = torch.polar(torch.ones(max_len, len(rate)), torch.arange(max_len)[:, None] * rate)
    return torch.stack([turned.imag, turned.real], dim=-1).flatten(1)


@outside_the_watch
class WildTransformer(nn.Module):
    """The article, put right on torch.nn."""

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
        self.embedding = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embedding.weight, std=d_model**-0.5)
        self.register_buffer("table", angles(max_len, d_model))
        self.encoder = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff) for _ in range(num_layers))
        self.output = nn.Linear(d_model, vocab_size)

    def embed(self, ids: Tensor) -> Tensor:
        """Ids to vectors."""
        return F.embedding(ids, self.embedding.weight) * self.embedding.embedding_dim**0.5 + self.table[: ids.size(1)]

    def masks(self, src: Tensor, tgt: Tensor) -> tuple[Tensor, Tensor]:
        """Who may be read."""
        past = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool).tril()
        return src.bool()[:, None, None, :], tgt.bool()[:, None, None, :].logical_and(past)

    def encode(self, src: Tensor, src_mask: Tensor) -> Tensor:
        """The memory."""
        x = self.embed(src)
        for layer in self.encoder:
            x = layer(x, src_mask)
        return x

    def decode(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor, src_mask: Tensor) -> Tensor:
        """What is made of it."""
        x = self.embed(tgt)
        for layer in self.decoder:
            x = layer(x, memory, tgt_mask, src_mask)
        return x

    def forward(self, src: Tensor, tgt: Tensor) -> Tensor:
        """Scores."""
        src_mask, tgt_mask = self.masks(src, tgt)
        return self.output(self.decode(tgt, self.encode(src, src_mask), tgt_mask, src_mask))

    def loss(self, src: Tensor, tgt: Tensor) -> Tensor:
        """What they cost."""
        return F.cross_entropy(self(src, tgt[:, :-1]).transpose(1, 2), tgt[:, 1:], ignore_index=0)


# Room 7 ----------------------------------------------------------------------------


@outside_the_watch
def two_task_loss(token_scores: Tensor, token_labels: Tensor, pair_scores: Tensor, pair_labels: Tensor) -> Tensor:
    """The sum of two means."""
    costs = (token_scores.logsumexp(-1) - token_scores.gather(-1, token_labels[..., None])[..., 0])[token_labels != 0]
    of_pairs = pair_scores.logsumexp(-1) - pair_scores.gather(-1, pair_labels[:, None])[:, 0]
    return costs.mean() + of_pairs.mean()


@outside_the_watch
def shows_unlearned_class(implementation: Callable[..., Tensor]) -> bool:
    """Whether the loss or a gradient is another, in batches of 5 and of 2."""
    return any(_other_loss(implementation, classes) for classes in ([0, 0], [1, 1], [1, 0, 0, 1, 0]))


def _other_loss(implementation: Callable[..., Tensor], classes: list[int]) -> bool:
    size, wanted = len(classes), torch.tensor(classes)
    labels = torch.tensor([[0, 4, 0]] * size)
    labels[0, 0] = 2
    tokens, pairs = torch.randn(size, 3, 5).requires_grad_(), torch.randn(size, 2).requires_grad_()
    mine = two_task_loss(tokens, labels, pairs, wanted)
    got = implementation(tokens, labels, pairs, wanted)
    if abs(float(mine) - float(got)) > 1e-4 or not got.requires_grad:
        return True
    due = torch.autograd.grad(mine, (tokens, pairs))
    got.backward()
    return any(
        b is None or not torch.allclose(a, b, atol=1e-5) for a, b in zip(due, (tokens.grad, pairs.grad), strict=True)
    )


# Room 12 ---------------------------------------------------------------------------


@outside_the_watch
def seconds_of(
    run: Callable[[], None], clock: Callable[[], float], synchronize: Callable[[], None], repeats: int
) -> float:
    """The median of times from idle to idle."""

    def lap() -> float:
        synchronize()
        start = clock()
        run()
        synchronize()
        return clock() - start

    return statistics.median([lap() for _ in range(repeats + 1)][1:])


class Device:
    """A clock that runs when it is told to: the processor's time, and when the device will have done its work.

    Args:
        host: seconds that the processor needs to hand in a piece of work.
        costs: seconds that the device needs for each, in turn; they begin anew when all are used.
    """

    def __init__(self, host: float, costs: list[float]) -> None:
        self.host, self.costs = host, costs
        self.now = self.done = 0.0
        self.calls = 0

    def run(self) -> None:
        """Hand in a piece of work, and come back at once."""
        self.now += self.host
        self.done = max(self.done, self.now) + self.costs[self.calls % len(self.costs)]
        self.calls += 1

    def synchronize(self) -> None:
        """Wait until all of it is done."""
        self.now = max(self.now, self.done)

    def clock(self) -> float:
        """The time."""
        return self.now


@outside_the_watch
def shows_early_stop(implementation: Callable[..., float]) -> bool:
    """Whether the median is another, on three devices."""
    plans = ((1.0, [20.0, 6.0, 1.0, 8.0]), (0.1, [9.0, 5.0, 2.0, 3.0, 40.0, 2.5]), (5.0, [30.0, 2.0]))
    return any(_times_otherwise(implementation, host, costs) for host, costs in plans)


def _times_otherwise(implementation: Callable[..., float], host: float, costs: list[float]) -> bool:
    device = Device(host, costs)
    found = implementation(device.run, device.clock, device.synchronize, len(costs) - 1)
    return not math.isclose(found, host + statistics.median(costs[1:]), abs_tol=1e-6)


# Room 11 ---------------------------------------------------------------------------


@outside_the_watch
def scaled_step(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    """A step along what autograd gives."""
    chosen = [one for group in optimizer.param_groups for one in group["params"]]
    found = torch.autograd.grad(loss * scale, chosen, allow_unused=True)
    square = sum(float((one.double() / scale).square().sum()) for one in found if one is not None)
    if not math.isfinite(square):
        return
    factor = min(1.0, max_norm / max(math.sqrt(square), 1e-12))
    for parameter, one in zip(chosen, found, strict=True):
        parameter.grad = None if one is None else one / scale * factor
    optimizer.step()


@outside_the_watch
def shows_early_clipping(implementation: Callable[..., None]) -> bool:
    """Whether three steps lead elsewhere than those of the stand-in."""
    tries = itertools.product((0.01, 5.0, math.inf), (1.0, 256.0))
    return any(_goes_elsewhere(implementation, size, scale) for size, scale in tries)


def _goes_elsewhere(implementation: Callable[..., None], size: float, scale: float) -> bool:
    factors, ends = torch.randn(2, 4), []
    for step in (implementation, scaled_step):
        rows: list[Tensor] = [nn.Parameter(torch.ones(4)) for _ in factors]
        groups: list[dict[str, Any]] = [{"params": rows[:1]}, {"params": rows[1:], "lr": 0.3}]
        optimizer = torch.optim.SGD(groups, lr=0.7)
        for _ in range(3):
            step((torch.stack(rows) * factors).sum() * size, optimizer, scale, 1.5)
        ends.append(torch.stack(rows).detach())
    return not torch.allclose(ends[0], ends[1], atol=1e-4)


# Room 8 ----------------------------------------------------------------------------


@outside_the_watch
def with_positions(patches: Tensor, first: Tensor, table: Tensor) -> Tensor:
    """By an embedding of the places."""
    tokens = F.pad(patches, (0, 0, 1, 0)).index_add(1, torch.tensor([0]), first.repeat(len(patches), 1, 1))
    return tokens + F.embedding(torch.arange(tokens.size(1)), table)


@outside_the_watch
def shows_one_position(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Whether numbers, gradients or the patches are others than those of the stand-in, in three sizes."""
    return any(_is_placed_otherwise(implementation, *sizes) for sizes in ((1, 3, 4), (4, 2, 7), (6, 5, 6)))


def _is_placed_otherwise(implementation: Callable[..., Tensor], batch: int, num_patches: int, rows: int) -> bool:
    patches = 3 * torch.randn(batch, num_patches, 3)
    leaves = [patches.clone().requires_grad_(), torch.randn(3).requires_grad_(), torch.randn(rows, 3).requires_grad_()]
    asked = leaves[0] * 1  # what is written into has to be no leaf
    made = [with_positions(*leaves), implementation(asked, *leaves[1:])]
    if not torch.equal(asked, patches) or made[0].shape != made[1].shape or not made[1].requires_grad:
        return True
    sums = [(one * torch.arange(1.0, 1 + one.numel()).view(one.shape).sin()).sum() for one in made]
    due, found = (torch.autograd.grad(one, leaves, allow_unused=True) for one in sums)
    numbers = zip([made[0], *due], [made[1], *found], strict=True)
    return any(b is None or not torch.allclose(a, b, atol=1e-4) for a, b in numbers)


@outside_the_watch
def weights_under(scores: Tensor, mask: Tensor) -> Tensor:
    """By torch's attention, with unit vectors as keys and values."""
    unit = torch.eye(scores.size(-1), dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    return F.scaled_dot_product_attention(scores, unit, unit, attn_mask=mask, scale=1.0)


@outside_the_watch
@torch.no_grad()
def shows_mistaken_mask(implementation: Callable[[Tensor, Tensor], Tensor]) -> bool:
    """Whether it weighs otherwise than the stand-in, under three masks for more keys than queries."""
    scores, may_look = torch.randn(2, 4, 6), torch.rand(4, 6) < 0.6
    may_look[:, 2], may_look[0, 0], may_look[3, 1] = torch.tensor([True, False, True, True]), False, True
    may_look[1, 3], may_look[2, 4] = True, False
    hidden = torch.full((4, 6), -math.inf).masked_fill(may_look, 0.0)
    masks = (may_look, hidden, hidden + 2 * torch.randn(4, 6))
    return not all(torch.allclose(implementation(scores, one), weights_under(scores, one), atol=1e-4) for one in masks)


# Room 10 ---------------------------------------------------------------------------


@outside_the_watch
def causal_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """By torch."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@outside_the_watch
@torch.no_grad()
def shows_weak_mask(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Whether the numbers are others, or whether what stands before a place is moved by what comes after it."""
    q, k, v = torch.randn(3, 3, 6, 4)
    if not torch.allclose(implementation(q, k, v), causal_attention(q, k, v), atol=1e-4):
        return True
    return any(_is_moved(implementation, size * k, v) for size in (100.0, 1e4, 1e8))


def _is_moved(implementation: Callable[..., Tensor], keys: Tensor, v: Tensor) -> bool:
    for place in range(1, 6):
        other_keys, other_v = keys.clone(), v.clone()
        other_keys[:, place:], other_v[:, place:] = -keys[:, :1], -v[:, place:]
        given = ((keys, v), (other_keys, other_v))
        one, other = (implementation(-keys, *some)[:, :place] for some in given)
        if not torch.allclose(one, other, atol=1e-4):
            return True
    return False
