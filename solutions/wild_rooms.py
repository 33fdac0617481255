"""Rooms 7 to 12 of lesson 21: repairs, and the probes that show what was wrong."""

import math
import statistics
from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

# Room 7 ----------------------------------------------------------------------------


def two_task_loss(
    token_scores: Float[Tensor, "batch seq_len vocab_size"],
    token_labels: Int[Tensor, "batch seq_len"],
    pair_scores: Float[Tensor, "batch 2"],
    pair_labels: Int[Tensor, "batch"],
) -> Float[Tensor, ""]:
    """Add the losses of two tasks: which words are hidden, and do two sentences follow each other?

    Args:
        token_scores, token_labels: a score for every id; the id that is asked for, and 0 where nothing is asked.
        pair_scores, pair_labels: a score for no and for yes; 0 or 1.

    Returns:
        The mean cross-entropy of the tokens that have a label, plus that of all pairs.

    Source: Devlin et al., "BERT" (2019), appendix A.2.
    """
    # BEGIN SOLUTION
    tokens = F.cross_entropy(token_scores.flatten(0, 1), token_labels.flatten(), ignore_index=0)
    pairs = F.cross_entropy(pair_scores, pair_labels)
    return tokens + pairs
    # END SOLUTION


def shows_unlearned_class(implementation: Callable[..., Tensor]) -> bool:
    """Say whether an implementation of `two_task_loss` breaks its promise, in its value or in what is learned from it.

    Args:
        implementation: called as `two_task_loss`; its code is not looked at.
    """
    # 1. batches with pairs of one class, of the other, of both; some tokens without a label, more in some rows
    # 2. the loss by hand
    # 3. what the implementation gives, and the gradients of both scores
    # BEGIN SOLUTION
    for classes in ([0, 0, 0], [1, 1, 1], [0, 1, 0]):
        tokens, pairs = torch.randn(3, 4, 6, requires_grad=True), torch.randn(3, 2, requires_grad=True)
        labels, wanted_pairs = torch.randint(1, 6, (3, 4)), torch.tensor(classes)
        labels[0, 1:], labels[1, :2] = 0, 0
        costs = -tokens.log_softmax(-1).gather(-1, labels[..., None])[..., 0]
        wanted = costs[labels > 0].mean() - pairs.log_softmax(-1)[torch.arange(3), wanted_pairs].mean()
        got = implementation(tokens, labels, pairs, wanted_pairs)
        if not torch.allclose(got, wanted, atol=1e-4):
            return True
        if not got.requires_grad:
            return True
        for one in (tokens, pairs):
            (due,) = torch.autograd.grad(wanted, one, retain_graph=True)
            (found,) = torch.autograd.grad(got, one, retain_graph=True, allow_unused=True)
            if found is None or not torch.allclose(found, due, atol=1e-5):
                return True
    return False
    # END SOLUTION


# Room 8 ----------------------------------------------------------------------------


def with_positions(
    patches: Float[Tensor, "batch num_patches d_model"],
    first: Float[Tensor, "d_model"],
    table: Float[Tensor, "max_len d_model"],
) -> Float[Tensor, "batch 1+num_patches d_model"]:
    """Put the class token in front of a picture's patches, and tell every token its place.

    Args:
        patches: a picture's patches, in the order of reading; they are not changed.
        first: the class token, one for all pictures.
        table: a row for every place, that of the class token first: as many rows as there are tokens, or more.

    Returns:
        All tokens, each plus the row of its own place. `patches`, `first` and the rows that are used learn from it.

    Source: Dosovitskiy et al., "An Image is Worth 16x16 Words" (2021), section 3.1.
    """
    # BEGIN SOLUTION
    tokens = torch.cat([first.expand(len(patches), 1, -1), patches], dim=1)
    return tokens + table[: tokens.size(1)]
    # END SOLUTION


def shows_one_position(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Say whether an implementation of `with_positions` breaks its promise.

    Args:
        implementation: takes patches, a class token and a table of positions; its code is not looked at.

    Returns:
        True where a token is not itself plus the row of its own place, where patches were changed, or where something
        does not learn that should.
    """
    # 1. patches of several pictures, a class token, and a table: as long as needed, and longer
    # 2. every token by hand, and what comes back
    # 3. the gradients of all three
    # BEGIN SOLUTION
    for batch, num_patches, rows in ((3, 5, 6), (2, 4, 9)):
        given = [torch.randn(batch, num_patches, 4), torch.randn(4), torch.randn(rows, 4)]
        before = [one.clone().requires_grad_() for one in given]
        patches, first, table = before
        places = [first.expand(batch, -1) + table[0]]
        places += [patches[:, place] + table[place + 1] for place in range(num_patches)]
        right = torch.stack(places, dim=1)
        implementation(*given)
        if any(not torch.equal(one, copy) for one, copy in zip(given, before, strict=True)):
            return True
        learned = [one.requires_grad_() for one in given]
        got = implementation(*learned)
        if got.shape != right.shape or not torch.allclose(got, right, atol=1e-4) or not got.requires_grad:
            return True
        away = torch.randn_like(right)
        due = torch.autograd.grad((right * away).sum(), before)
        found = torch.autograd.grad((got * away).sum(), learned, allow_unused=True)
        if any(a is None or not torch.allclose(a, b, atol=1e-4) for a, b in zip(found, due, strict=True)):
            return True
    return False
    # END SOLUTION


# Room 9 ----------------------------------------------------------------------------


def weights_under(
    scores: Float[Tensor, "*batch queries keys"],
    mask: Bool[Tensor, "queries keys"] | Float[Tensor, "queries keys"],
) -> Float[Tensor, "*batch queries keys"]:
    """Turn scores into attention weights, under a mask of either kind.

    Args:
        scores: of every query (row) for every key (column).
        mask: booleans, True where a query may look. Or floats, which are added to the scores: 0 where a query may look,
            -inf where it may not, any other number where it should look more, or less. Every query may look somewhere.

    Returns:
        The softmax over the keys. What is hidden has the weight 0.
    """
    # BEGIN SOLUTION
    if mask.dtype == torch.bool:
        mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -math.inf)
    return (scores + mask).softmax(-1)
    # END SOLUTION


@torch.no_grad()
def shows_mistaken_mask(implementation: Callable[[Tensor, Tensor], Tensor]) -> bool:
    """Say whether an implementation of `weights_under` breaks its promise.

    Args:
        implementation: takes scores and a mask; its code is not looked at.

    Returns:
        True where some weight is not the one that the mask asks for, whichever of the two kinds it is.
    """
    # 1. scores; who may look where: neither symmetric nor causal
    # 2. the same as booleans, as 0 and -inf, and with other numbers
    # 3. the weights by hand, and those that come back
    # BEGIN SOLUTION
    scores = 2 * torch.randn(3, 5, 5)
    may_look = torch.rand(5, 5) < 0.5
    may_look |= torch.eye(5, dtype=torch.bool).roll(2, dims=1)  # nobody is blind
    may_look[0, 0], may_look[3, 1] = False, False
    hidden = torch.zeros(5, 5).masked_fill(~may_look, -math.inf)
    for mask, added in ((may_look, hidden), (hidden, hidden), (hidden + 1.5 * torch.randn(5, 5), None)):
        raised = (scores + (mask if added is None else added)).exp()
        right = raised / raised.sum(-1, keepdim=True)
        if not torch.allclose(implementation(scores, mask), right, atol=1e-4):
            return True
    return False
    # END SOLUTION


# Room 10 ---------------------------------------------------------------------------


def causal_attention(
    q: Float[Tensor, "*batch seq_len d_head"],
    k: Float[Tensor, "*batch seq_len d_head"],
    v: Float[Tensor, "*batch seq_len d_head"],
) -> Float[Tensor, "*batch seq_len d_head"]:
    """Let every token read itself and the tokens before it.

    Args:
        q, k, v: queries, keys and values. Their scores may be as large, and as far below zero, as float32 can hold:
            a training may bring them there.

    Returns:
        softmax(q kᵀ / √d_head) v, in which no token reads a later one.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.3.
    """
    # BEGIN SOLUTION
    scores = q @ k.mT / math.sqrt(q.size(-1))
    future = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -math.inf).softmax(-1) @ v
    # END SOLUTION


@torch.no_grad()
def shows_weak_mask(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Say whether an implementation of `causal_attention` breaks its promise.

    Args:
        implementation: takes queries, keys and values; its code is not looked at.

    Returns:
        True where it is not attention's result that comes back, or where a token reads a later one, however large the
        scores are.
    """
    # 1. at an ordinary size: the numbers, worked out another way
    # 2. at sizes that a training may reach: scores far below zero, and later tokens that change
    # 3. what must not move then
    # BEGIN SOLUTION
    q, k, v = torch.randn(3, 2, 4, 5, 6)
    read = []
    for place in range(5):
        scores = (q[:, :, place : place + 1] * k[:, :, : place + 1]).sum(-1) / math.sqrt(6)
        read.append((scores.softmax(-1)[..., None] * v[:, :, : place + 1]).sum(-2))
    if not torch.allclose(implementation(q, k, v), torch.stack(read, dim=-2), atol=1e-4):
        return True
    for size in (1e3, 1e9):
        keys, queries = size * k, -size * k  # every token's own score is far below zero
        before = implementation(queries, keys, v)
        later_keys, later_v = keys.clone(), v.clone()
        later_keys[:, :, -1], later_v[:, :, -1] = queries[:, :, 0], torch.randn(2, 4, 6)
        after = implementation(queries, later_keys, later_v)
        if not torch.allclose(before[:, :, :-1], after[:, :, :-1], atol=1e-4):
            return True
    return False
    # END SOLUTION


# Room 11 ---------------------------------------------------------------------------


def scaled_step(loss: Float[Tensor, ""], optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    """Make a step of training with a loss that is multiplied, so that small gradients survive in float16.

    The optimizer sees the gradient of the loss itself, shortened to a norm of max_norm if it is longer: the norm of all
    gradients together, and one factor for all. Where the gradient is not finite, nothing moves.

    Args:
        loss: a number with its graph.
        optimizer: of the parameters; gradients from before are dropped.
        scale: by which the loss is multiplied before it is sent back.
        max_norm: the longest that a gradient may be.

    Source: Micikevicius et al., "Mixed Precision Training" (2018), section 3.2.
    """
    # BEGIN SOLUTION
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    optimizer.zero_grad()
    (loss * scale).backward()
    gradients = [one.grad for one in parameters if one.grad is not None]
    for one in gradients:
        one.div_(scale)
    norm = nn.utils.clip_grad_norm_(parameters, max_norm)
    if norm.isfinite():
        optimizer.step()
    # END SOLUTION


def shows_early_clipping(implementation: Callable[..., None]) -> bool:
    """Say whether an implementation of `scaled_step` breaks its promise.

    Args:
        implementation: called as `scaled_step`; its code is not looked at.
    """
    # 1. parameters in two groups of the optimizer, and a loss whose gradient is known: long, short, infinite;
    #    scales that differ
    # 2. two calls with plain SGD, so that what is left of a gradient shows
    # 3. where the parameters should be, and where they are
    # BEGIN SOLUTION
    for size, scale in ((6.0, 512.0), (6.0, 1.0), (0.05, 512.0), (0.05, 1.0), (math.inf, 8.0)):
        weights = [nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2, 2))]
        optimizer = torch.optim.SGD([{"params": [one]} for one in weights], lr=1.0)
        factors = [torch.randn_like(one) for one in weights]
        norm = size * torch.cat([one.flatten() for one in factors]).norm()
        for _ in range(2):
            parts = [(one * factor).sum() for one, factor in zip(weights, factors, strict=True)]
            implementation(size * sum(parts), optimizer, scale, 2.0)
        length = 2 * size * min(1.0, 2.0 / norm) if math.isfinite(size) else 0.0  # of two steps, in factors
        for one, factor in zip(weights, factors, strict=True):
            if not torch.allclose(one, -length * factor, atol=1e-4):
                return True
    return False
    # END SOLUTION


# Room 12 ---------------------------------------------------------------------------


def seconds_of(
    run: Callable[[], None], clock: Callable[[], float], synchronize: Callable[[], None], repeats: int
) -> float:
    """Time a piece of work on a device that takes work in and does it later.

    Args:
        run: hands in the work, and comes back at once.
        clock: the time in seconds.
        synchronize: comes back when the device has done all that it was given.
        repeats: how many calls are timed, each by itself, from a device that is idle to one that is idle again.

    Returns:
        The median of these times, in seconds. One call before them is not counted.
    """
    # BEGIN SOLUTION
    run()  # not counted
    synchronize()
    times = []
    for _ in range(repeats):
        start = clock()
        run()
        synchronize()
        times.append(clock() - start)
    return statistics.median(times)
    # END SOLUTION


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


def shows_early_stop(implementation: Callable[..., float]) -> bool:
    """Say whether an implementation of `seconds_of` breaks its promise.

    Args:
        implementation: called as `seconds_of`; its code is not looked at.
    """
    # 1. devices whose calls cost different times, the first one most; processors that take time too
    # 2. several calls, and a single one
    # 3. the median of all but the first
    # BEGIN SOLUTION
    for host, costs in ((0.2, [9.0, 2.0, 5.0, 3.0, 30.0, 4.0]), (3.0, [50.0, 1.0, 2.0, 4.0]), (1.0, [9.0, 4.0])):
        device = Device(host, costs)
        found = implementation(device.run, device.clock, device.synchronize, len(costs) - 1)
        wanted = host + statistics.median(costs[1:])
        if abs(found - wanted) > 1e-6:
            return True
    return False
    # END SOLUTION
