"""Room 9."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.added_mask import shows_mistaken_mask, weights_under
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_mistaken_mask.name
WEIGHTS = weights_under.name
Weigh = Callable[[Tensor, Tensor], Tensor]

of_the_line_up(weights_under, "added_mask")
of_all_probes(shows_mistaken_mask, stand_ins.shows_mistaken_mask)

LOOKS = torch.tensor([[0, 1, 0, 1], [1, 1, 0, 0], [0, 1, 0, 1], [1, 0, 1, 1]]).bool()
ADDED = LOOKS.double().log().float()
RATHER = ADDED + torch.tensor([[9, 1, 9, -2], [0.5, -1, 9, 9], [9, 9, 9, 3], [-3, 9, 1, 0]])


def by_loops(scores: Tensor, added: Tensor) -> Tensor:
    """Key by key."""
    made = torch.zeros_like(scores)
    for query, row in enumerate(added.tolist()):
        raised = [scores[..., query, key].exp() * math.exp(one) for key, one in enumerate(row)]
        for key, one in enumerate(raised):
            made[..., query, key] = one / torch.stack(raised).sum(0)
    return made


def off(implementation: Weigh, mask: Tensor, added: Tensor) -> bool:
    """Whether it weighs otherwise; NaN is otherwise."""
    scores = torch.randn(2, 4, 4) * 1.5
    return not bool(((implementation(scores, mask) - by_loops(scores, added)).abs() < 1e-4).all())


@correct(SHOWS)
def three_masks(implementation: Weigh) -> bool:
    """One of each."""
    return any(off(implementation, *one) for one in ((LOOKS, ADDED), (ADDED, ADDED), (RATHER, RATHER)))


@correct(SHOWS)
def by_torchs_own_assertion(implementation: Weigh) -> bool:
    """An exception, caught."""
    scores = torch.randn(3, 4, 4)
    try:
        for mask, added in ((LOOKS, ADDED), (ADDED, ADDED), (RATHER, RATHER)):
            torch.testing.assert_close(implementation(scores, mask), by_loops(scores, added))
    except AssertionError:
        return True
    return False


@correct(SHOWS)
def with_scores_of_any_size(implementation: Weigh) -> bool:
    """Hidden scores are the largest by far, and numbers between are large as well."""
    scores = torch.randn(2, 4, 4)
    loud = scores + 300 * (~LOOKS)
    strong = torch.where(LOOKS, 200 * torch.randn(4, 4), -math.inf)
    wanted = (scores.double() + strong.double()).softmax(-1).float()
    if not torch.allclose(implementation(scores, strong), wanted, atol=1e-3):
        return True
    for mask in (LOOKS, ADDED):
        if not torch.allclose(implementation(loud, mask), by_loops(scores, ADDED), atol=1e-4):
            return True
    return off(implementation, RATHER, RATHER)


@correct(SHOWS)
def known_weights(implementation: Weigh) -> bool:
    """Scores of 0: the weights are simple fractions."""
    scores = torch.zeros(1, 4, 4)
    scores[..., 1] = math.log(3)
    even = torch.tensor([[0, 3 / 4, 0, 1 / 4], [1 / 4, 3 / 4, 0, 0], [0, 3 / 4, 0, 1 / 4], [1 / 3, 0, 1 / 3, 1 / 3]])
    some = torch.full((4, 4), math.log(2))
    some[:, 3] = -math.inf
    thirds = torch.tensor([1 / 5, 3 / 5, 1 / 5, 0]).expand(4, 4)
    some[0, 0] = math.log(6)
    first = torch.tensor([6, 6, 2, 0]) / 14
    found = [implementation(scores, mask)[0] for mask in (LOOKS, ADDED, some)]
    wanted = [even, even, torch.cat([first[None], thirds[1:]])]
    return not all(torch.allclose(a, b, atol=1e-4) for a, b in zip(found, wanted, strict=True))


@correct(SHOWS)
def one_kind_against_the_other(implementation: Weigh) -> bool:
    """Both kinds have to agree, numbers between are scores, and one of them has to be right."""
    scores = torch.randn(3, 4, 4)
    booleans = implementation(scores, LOOKS)
    added = implementation(scores, ADDED)
    rather = torch.randn(4, 4)
    moved = implementation(scores, ADDED + rather)
    as_scores = implementation(scores + rather, LOOKS)
    same = torch.allclose(booleans, added, atol=1e-5) and torch.allclose(moved, as_scores, atol=1e-5)
    return not same or off(implementation, LOOKS, ADDED)


@disguise(SHOWS, "the shown fault alone")
def weighs_alike(implementation: Weigh) -> bool:
    """Whether all that may be read has one weight."""
    found = implementation(torch.randn(4, 4), ADDED)
    alike = ADDED.exp() / ADDED.exp().sum(-1, keepdim=True)
    return torch.allclose(found, alike, atol=1e-4)


@disguise(SHOWS, "booleans alone")
def as_ever(implementation: Weigh) -> bool:
    """The masks of this course."""
    return off(implementation, LOOKS, ADDED) or off(implementation, LOOKS.flip(0), ADDED.flip(0))


@disguise(SHOWS, "floats alone")
def added_alone(implementation: Weigh) -> bool:
    """The other kind."""
    return off(implementation, ADDED, ADDED) or off(implementation, RATHER, RATHER)


@disguise(SHOWS, "no numbers between")
def yes_and_no(implementation: Weigh) -> bool:
    """Two ways of saying yes and no."""
    return off(implementation, LOOKS, ADDED) or off(implementation, ADDED, ADDED)


@disguise(SHOWS, "0 and -inf with floats, and nothing else")
def one_mask(implementation: Weigh) -> bool:
    """That of the page."""
    return off(implementation, ADDED, ADDED)


@disguise(SHOWS, "what is hidden and nothing else")
def a_weight_where_none_is(implementation: Weigh) -> bool:
    """Whether anything hidden is read."""
    scores = torch.randn(2, 4, 4)
    found = [implementation(scores, mask) for mask in (LOOKS, ADDED, RATHER)]
    return not all((one[:, ~LOOKS] == 0).all() for one in found)


@disguise(SHOWS, "a mask that is its own mirror image")
def both_ways(implementation: Weigh) -> bool:
    """Who is looked at looks back."""
    mirrored = LOOKS & LOOKS.mT
    added = torch.zeros(4, 4).masked_fill(~mirrored, -math.inf)
    liked = added + (RATHER.nan_to_num(neginf=0) + RATHER.mT.nan_to_num(neginf=0))
    return any(off(implementation, *one) for one in ((mirrored, added), (added, added), (liked, liked)))


@unlisted(SHOWS)
def rows_that_sum_to_one(implementation: Weigh) -> bool:
    """All that is asked of a softmax."""
    scores = torch.randn(2, 4, 4)
    found = [implementation(scores, mask).sum(-1) for mask in (LOOKS, ADDED, RATHER)]
    return not all(torch.allclose(one, torch.ones(2, 4), atol=1e-4) for one in found)


@unlisted(SHOWS)
def one_key_each(implementation: Weigh) -> bool:
    """Every query may look at one key, so there is nothing to weigh."""
    single = torch.eye(4).roll(1, 0)
    return not torch.allclose(implementation(torch.randn(2, 4, 4), single.log()), single.expand(2, 4, 4), atol=1e-4)


@unlisted(SHOWS)
def the_mask_first(implementation: Weigh) -> bool:
    """Exchanges two arguments."""
    scores = torch.randn(4, 4)
    return not torch.allclose(implementation(ADDED, scores), by_loops(scores, ADDED), atol=1e-4)


@disguise(WEIGHTS, "NaN under a mask of floats")
def logarithms(scores: Tensor, mask: Tensor) -> Tensor:
    """Of floats, too."""
    return (scores + mask.to(scores.dtype).log()).softmax(-1)


@unlisted(WEIGHTS)
def a_softer_mask(scores: Tensor, mask: Tensor) -> Tensor:
    """Half of each number between."""
    added = mask if mask.dtype != torch.bool else torch.where(mask, 0.0, -math.inf)
    return (scores + added / 2).softmax(-1)


@disguise(WEIGHTS, "NaN under a mask of floats")
def taken_away(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return scores.masked_fill(~mask, -1e30).softmax(-1)
    return (scores - mask).softmax(-1)


@disguise(WEIGHTS, "no mask")
def everything_is_seen(scores: Tensor, mask: Tensor) -> Tensor:
    raised = (scores - scores.amax(-1, keepdim=True)).exp()
    return raised / raised.sum(-1, keepdim=True)


@disguise(WEIGHTS, "no softmax")
def scores_alone(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask, scores, -math.inf) if mask.dtype == torch.bool else scores + mask


@unlisted(SHOWS)
def without_a_mask(implementation: Callable[..., Tensor]) -> bool:
    """Forgets an argument."""
    return bool(implementation(torch.randn(4, 4)).sum() > 0)


@unlisted(WEIGHTS)
def turned_whatever_it_is(scores: Tensor, mask: Tensor) -> Tensor:
    """Only booleans can be turned round."""
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


@unlisted(WEIGHTS)
def filled_whatever_it_is(scores: Tensor, mask: Tensor) -> Tensor:
    """Only booleans can say where to fill."""
    return scores.masked_fill(1 - mask.to(scores.dtype), -math.inf).softmax(-1)


@unlisted(WEIGHTS)
def where_whatever_it_is(scores: Tensor, mask: Tensor) -> Tensor:
    """Only booleans can be asked."""
    return torch.where(mask, scores, -math.inf).softmax(-1)


@disguise(WEIGHTS, "0 times infinity")
def nothing_times_everything(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return (scores - math.inf * (1 - mask.to(scores.dtype))).softmax(-1)
    return (scores + mask).softmax(-1)


@disguise(WEIGHTS, "booleans that leave a weight")
def ten_below(scores: Tensor, mask: Tensor) -> Tensor:
    moved = torch.where(mask, scores, -10.0) if mask.dtype == torch.bool else scores + mask
    return torch.softmax(moved, dim=-1)


@disguise(WEIGHTS, "queries and keys of the mask exchanged")
def rows_as_columns(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == torch.bool:
        return scores.masked_fill(mask.logical_not().T, -math.inf).softmax(-1)
    return scores.add(mask.T).softmax(-1)


@disguise(WEIGHTS, "scaled")
def divided_by_attention(scores: Tensor, mask: Tensor) -> Tensor:
    unit = torch.eye(scores.size(-1), dtype=scores.dtype).expand(*scores.shape[:-2], -1, -1)
    return torch.nn.functional.scaled_dot_product_attention(scores, unit, unit, attn_mask=mask)


@disguise(WEIGHTS, "the mask's place taken by a causal one")
def only_what_stands_before(scores: Tensor, mask: Tensor) -> Tensor:
    queries, keys = mask.shape
    before = torch.arange(queries)[:, None] >= torch.arange(keys)
    return torch.where(before, scores, -math.inf).softmax(-1)


@disguise(WEIGHTS, "the logarithm of the weights")
def with_a_logarithm(scores: Tensor, mask: Tensor) -> Tensor:
    moved = torch.where(mask, scores, -math.inf) if mask.dtype == torch.bool else scores + mask
    return moved - moved.logsumexp(-1, keepdim=True)


@disguise(SHOWS, "masks that are causal")
def from_left_to_right(implementation: Weigh) -> bool:
    """As a GPT reads."""
    before = torch.ones(4, 4).tril().bool()
    added = torch.zeros(4, 4).masked_fill(~before, -math.inf)
    rather = added + torch.randn(4, 4)
    return any(off(implementation, *one) for one in ((before, added), (added, added), (rather, rather)))


@disguise(SHOWS, "NaN is let pass")
def further_than_a_little(implementation: Weigh) -> bool:
    """Whether some difference is larger."""
    scores = torch.randn(2, 4, 4)
    pairs = ((LOOKS, ADDED), (ADDED, ADDED), (RATHER, RATHER))
    return any(
        bool((implementation(scores, one) - by_loops(scores, added)).abs().gt(1e-4).any()) for one, added in pairs
    )


@disguise(WEIGHTS, "one of the batch alone")
def the_first_of_them(scores: Tensor, mask: Tensor) -> Tensor:
    added = torch.where(mask, 0.0, -math.inf) if mask.dtype == torch.bool else mask
    flat = scores.reshape(-1, *mask.shape)
    made = [one.add(added if number == 0 else 0.0).softmax(-1) for number, one in enumerate(flat)]
    return torch.stack(made).view(scores.shape)


@disguise(SHOWS, "nothing is hidden")
def liked_and_disliked(implementation: Weigh) -> bool:
    """Numbers alone."""
    rather = torch.randn(4, 4)
    return off(implementation, rather, rather) or off(implementation, -2 * rather, -2 * rather)
