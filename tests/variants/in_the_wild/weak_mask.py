"""Room 10."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.checks.in_the_wild.weak_mask import causal_attention, shows_weak_mask
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_weak_mask.name
ATTENDS = causal_attention.name
Attend = Callable[[Tensor, Tensor, Tensor], Tensor]

of_the_line_up(causal_attention, "weak_mask")
of_all_probes(shows_weak_mask, stand_ins.shows_weak_mask)


def off(implementation: Attend) -> bool:
    """Whether the numbers are others than torch's, at an ordinary size."""
    q, k, v = (torch.randn(2, 6, 8) for _ in range(3))
    right = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return not bool(((implementation(q, k, v) - right).abs() < 1e-4).all())


def leaks(implementation: Attend, size: float) -> bool:
    """Whether the first token, which dislikes itself and likes the last, reads anything but itself."""
    towards = torch.zeros(1, 6, 8)
    towards[..., 0] = size
    k = towards.clone()
    k[:, -1] *= -1
    v = torch.randn(1, 6, 8)
    found = implementation(-towards, k, v)[:, 0]
    return not torch.allclose(found, v[:, 0], atol=1e-3)


@correct(SHOWS)
def the_first_token(implementation: Attend) -> bool:
    """It may read itself alone, so its value comes back."""
    return off(implementation) or any(leaks(implementation, size) for size in (1e3, 1e6, 1e12))


@correct(SHOWS)
def by_the_gradient(implementation: Attend) -> bool:
    """Values that are read have a gradient, later ones have none."""
    if off(implementation):
        return True
    for size in (1.0, 1e4, 1e10):
        k = size * torch.randn(2, 5, 4)
        liked = torch.cat([k[:, :-1], -k[:, :1]], 1)
        for keys in (k, liked):
            v = torch.randn(2, 5, 4, requires_grad=True)
            with torch.enable_grad():
                found = implementation(-k, keys, v)
                (read,) = torch.autograd.grad(found[:, 0].sum(), v)
            if not torch.allclose(read[:, 0], torch.ones(2, 4), atol=1e-3) or not torch.equal(
                read[:, 1:], read[:, 1:] * 0
            ):
                return True
    return False


@correct(SHOWS)
def by_a_shorter_row(implementation: Attend) -> bool:
    """What a row of two tokens gives is what the first two of five give."""
    if off(implementation):
        return True
    for size in (1e3, 1e5, 1e11):
        k = size * (torch.rand(3, 5, 4) + 0.5)
        k[:, 3] *= -1
        v = torch.randn(3, 5, 4)
        short = [implementation(-k[:, :end], k[:, :end], v[:, :end])[:, -1] for end in (1, 2)]
        if not torch.allclose(implementation(-k, k, v)[:, :2], torch.stack(short, 1), atol=1e-3):
            return True
        if not torch.allclose(short[0], v[:, 0], atol=1e-3):
            return True
    return False


@disguise(SHOWS, "the shown fault alone")
def the_mean_of_what_comes(implementation: Attend) -> bool:
    """Whether the first token reads all later ones alike."""
    towards = torch.full((2, 5, 4), 1e3)
    v = torch.randn(2, 5, 4)
    return torch.allclose(implementation(-towards, towards, v)[:, 0], v[:, 1:].mean(1), atol=1e-3)


@disguise(SHOWS, "ordinary sizes alone")
def as_in_any_test(implementation: Attend) -> bool:
    """Random numbers, and a change of the last token."""
    if off(implementation):
        return True
    q, k, v = (torch.randn(2, 6, 8) for _ in range(3))
    before = implementation(q, k, v)
    v[:, -1] += 1
    return not torch.allclose(before[:, :-1], implementation(q, k, v)[:, :-1], atol=1e-5)


@disguise(SHOWS, "scores below -1e4, and not much further")
def below_ten_thousand(implementation: Attend) -> bool:
    """A size of a thousand."""
    return off(implementation) or leaks(implementation, 1e3)


@disguise(SHOWS, "what moves and nothing else")
def is_anything_later_read(implementation: Attend) -> bool:
    """At all sizes; and what is hidden too much is not asked."""
    for size in (1.0, 1e3, 1e10):
        k, v = size * torch.randn(2, 5, 4), torch.randn(2, 5, 4)
        other_k, other_v = k.clone(), v + 0
        other_k[:, 2:], other_v[:, 2:] = -k[:, :1], v[:, 2:] + 1
        one, other = implementation(-k, k, v), implementation(-k, other_k, other_v)
        if not torch.allclose(one[:, :2], other[:, :2], atol=1e-5):
            return True
    return False


@disguise(SHOWS, "no later score is large")
def all_alike(implementation: Attend) -> bool:
    """Every score is the same, far below zero."""
    for size in (1e3, 1e9):
        k, v = torch.full((2, 5, 4), size), torch.randn(2, 5, 4)
        if not torch.allclose(implementation(-k, k, v)[:, 0], v[:, 0], atol=1e-3):
            return True
    return off(implementation)


@unlisted(SHOWS)
def large_scores_alone(implementation: Attend) -> bool:
    """Upwards, where a fill below zero is as good as any."""
    k, v = torch.full((2, 5, 4), 1e4), torch.randn(2, 5, 4)
    return not torch.allclose(implementation(k, k, v)[:, 0], v[:, 0], atol=1e-3)


@unlisted(SHOWS)
def only_at_one_size(implementation: Attend) -> bool:
    """Large, and no ordinary one."""
    return leaks(implementation, 1e3)


@unlisted(SHOWS)
def numbers_of_one_token(implementation: Attend) -> bool:
    """A row that has no later ones."""
    q, k, v = (torch.randn(2, 1, 4) for _ in range(3))
    return not torch.allclose(implementation(q, k, v), v, atol=1e-4)


@unlisted(SHOWS)
def two_arguments(implementation: Attend) -> bool:
    """Forgets the values."""
    q = torch.randn(2, 3, 4)
    return bool(implementation(q, q).sum() > 0)


@unlisted(ATTENDS)
def a_window(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """The last three tokens alone."""
    seen = torch.ones(q.size(-2), q.size(-2), dtype=torch.bool).tril().triu(-2)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


@unlisted(ATTENDS)
def values_scaled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Divides what is read, too."""
    return F.scaled_dot_product_attention(q, k, v, is_causal=True) / math.sqrt(v.size(-1))


@disguise(ATTENDS, "a number below the smallest score")
def a_little_less(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("...id,...jd->...ij", q, k) / q.size(-1) ** 0.5
    past = torch.ones_like(scores).tril()
    return (scores * past + (scores.min() - 1) * (1 - past)).softmax(-1) @ v


@disguise(ATTENDS, "divided again after the softmax")
def what_is_left(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = torch.softmax(q @ k.mT * q.size(-1) ** -0.5, -1)
    weights = torch.where(torch.ones_like(weights).tril() > 0, weights, 0.0)
    return F.normalize(weights, p=1, dim=-1, eps=0.0) @ v


@disguise(ATTENDS, "scores are cut off")
def between_two_numbers(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = (q @ k.mT * q.size(-1) ** -0.5).clamp(-9000, 9000)
    return torch.where(torch.ones_like(scores).tril() > 0, scores, -torch.inf).softmax(-1) @ v


@disguise(ATTENDS, "one token further")
def sees_the_next(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    seen = torch.ones(q.size(-2), q.size(-2), dtype=torch.bool).tril(1)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


@disguise(ATTENDS, "not a weight in it")
def a_running_mean(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return v.cumsum(-2) / torch.arange(1, v.size(-2) + 1)[:, None]


@unlisted(ATTENDS)
def a_mask_of_the_width(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As long as a token is wide."""
    hidden = torch.ones(q.size(-1), q.size(-1)).triu(1) * -torch.inf
    return (q @ k.mT / math.sqrt(q.size(-1)) + hidden.nan_to_num(nan=0.0, neginf=-torch.inf)).softmax(-1) @ v


@correct(ATTENDS)
def the_smallest_number(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """As a library mended it."""
    scores = q @ k.mT / math.sqrt(q.size(-1))
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.where(past, scores, torch.finfo(scores.dtype).min).softmax(-1) @ v


@correct(SHOWS)
def at_the_end_of_float32(implementation: Attend) -> bool:
    """Scores that are equal, and as far below zero as can be: two values are read in halves."""
    if off(implementation):
        return True
    for deep in (1e5, 1e20, torch.finfo(torch.float32).max):
        k = torch.tensor([[-deep], [-deep], [deep]])
        found = implementation(torch.ones(3, 1), k, torch.tensor([[1.0], [2.0], [50.0]]))
        if not torch.allclose(found, torch.tensor([[1.0], [1.5], [50.0]])):
            return True
    return False


@correct(SHOWS)
def with_values_that_tell_weights(implementation: Attend) -> bool:
    """Unit vectors as values: what comes back are the weights."""
    unit = torch.eye(5)
    q, k = torch.randn(5, 5), torch.randn(5, 5)
    scores = (q @ k.mT / 5**0.5).masked_fill(torch.ones(5, 5).triu(1).bool(), -math.inf)
    if not torch.allclose(implementation(q, k, unit), scores.softmax(-1), atol=1e-4):
        return True
    for size in (1e2, 1e6, 1e12, 1e30):
        k = -torch.ones(5, 5)
        k[-1] = 1
        weights = implementation(torch.full((5, 5), size), k, unit)
        if weights.triu(1).any() or not torch.allclose(weights.sum(-1), torch.ones(5)):
            return True
    return False


@disguise(ATTENDS, "0 times infinity")
def infinity_by_product(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT * q.size(-1) ** -0.5
    return (scores + torch.ones_like(scores).triu(1) * -math.inf).softmax(-1) @ v


@disguise(ATTENDS, "e to a score that is large")
def by_its_formula(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    raised = torch.exp(torch.einsum("...id,...jd->...ij", q, k) / q.size(-1) ** 0.5)
    raised = torch.where(torch.ones_like(raised).tril() > 0, raised, 0.0)
    return torch.einsum("...ij,...jd->...id", raised / raised.sum(-1, keepdim=True), v)


@disguise(ATTENDS, "the keys in the place of the values")
def reads_keys(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, k, is_causal=True)


@disguise(ATTENDS, "divided by the length")
def by_the_tokens(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=q.size(-2) ** -0.5)


@disguise(SHOWS, "several things not asked")
def the_page_and_no_further(implementation: Attend) -> bool:
    """Scores of -2,000,000, all alike, and another last value."""
    if off(implementation):
        return True
    k, v = torch.full((2, 5, 4), 1e3), torch.randn(2, 5, 4)
    other = v.clone()
    other[:, -1] += 5
    return not torch.equal(implementation(-k, k, v)[:, :-1], implementation(-k, k, other)[:, :-1])


@disguise(ATTENDS, "infinity without its minus")
def the_largest_of_all(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = q @ k.mT * q.size(-1) ** -0.5
    past = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return torch.where(past, scores, torch.inf).softmax(-1) @ v


@disguise(SHOWS, "NaN is let pass")
def moved_further_than_a_little(implementation: Attend) -> bool:
    """Whether some difference is larger."""
    if off(implementation):
        return True
    for size in (1e3, 1e10):
        k, v = torch.full((2, 5, 4), size), torch.randn(2, 5, 4)
        k[:, -1] *= -1
        other = v.clone()
        other[:, -1] += 5
        moved = implementation(-k.abs(), k, v) - implementation(-k.abs(), k, other)
        if moved[:, :-1].abs().gt(1e-4).any():
            return True
    return False
