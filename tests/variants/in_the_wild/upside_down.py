"""Room 3."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.checks.in_the_wild.upside_down import shows_upside_down_mask, torch_attention
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_upside_down_mask.name
ATTENTION = torch_attention.name
Read = Callable[..., Tensor]

of_the_line_up(torch_attention, "upside_down")
of_all_probes(shows_upside_down_mask, stand_ins.shows_upside_down_mask)


def some(d_model: int = 12, heads: int = 3) -> nn.MultiheadAttention:
    """One of torch's."""
    return nn.MultiheadAttention(d_model, heads, batch_first=True).eval()


def right(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    """By torch's other interface, where True may look."""
    heads = attention.num_heads
    parts = F.linear(x, attention.in_proj_weight, attention.in_proj_bias).chunk(3, -1)
    q, k, v = (one.unflatten(-1, (heads, -1)).transpose(1, 2) for one in parts)
    scores = (q @ k.mT) * q.size(-1) ** -0.5
    weights = scores.masked_fill(may_look.logical_not(), -torch.inf).softmax(-1)
    return attention.out_proj((weights @ v).transpose(1, 2).flatten(2))


def off(implementation: Read, mask: Tensor, batch: int = 2) -> bool:
    """Whether it gives other numbers than it should under this mask."""
    attention, x = some(), torch.randn(batch, len(mask), 12)
    with torch.no_grad():
        return not torch.allclose(implementation(attention, x, mask), right(attention, x, mask), atol=1e-4)


UNEVEN = torch.tensor([[0, 1, 0, 1, 0], [1, 1, 0, 0, 0], [0, 0, 0, 1, 0], [1, 0, 1, 0, 1], [0, 0, 1, 1, 1]]).bool()


@correct(SHOWS)
def one_written_mask(implementation: Read) -> bool:
    """A mask that was thought out."""
    return off(implementation, UNEVEN)


@correct(SHOWS)
def many_masks(implementation: Read) -> bool:
    """Masks of all kinds, and one sentence too."""
    for size in (3, 4, 7):
        mask = torch.rand(size, size) < 0.5
        mask[torch.arange(size), (torch.arange(size) + 1) % size] = True
        mask[0, 0] = False
        if off(implementation, mask) or off(implementation, mask.T.contiguous() | UNEVEN[:1, 1:2], 1):
            return True
    return off(implementation, UNEVEN)


@correct(SHOWS)
def by_single_keys(implementation: Read) -> torch.Tensor:
    """Where only one token may be read, its value comes back; where two, something between."""
    attention, x = some(), torch.randn(2, 5, 12)
    value = F.linear(x, attention.in_proj_weight[24:], attention.in_proj_bias[24:])
    order = torch.tensor([3, 0, 4, 2, 1])
    single = F.one_hot(order, 5).bool()
    alone = attention.out_proj(value[:, order])
    first = (implementation(attention, x, single) - alone).abs().max() > 1e-4
    mixed = (implementation(attention, x, UNEVEN) - right(attention, x, UNEVEN)).abs().max() > 1e-4
    return first | mixed


@disguise(SHOWS, "the shown fault alone")
def the_opposite(implementation: Read) -> bool:
    """Whether what is read is exactly what is hidden."""
    attention, x = some(), torch.randn(2, 5, 12)
    return torch.allclose(implementation(attention, x, UNEVEN), right(attention, x, ~UNEVEN), atol=1e-4)


@disguise(SHOWS, "a causal mask and no other")
def the_usual_mask(implementation: Read) -> bool:
    """As in every decoder."""
    return off(implementation, torch.tril(torch.ones(6, 6)).bool())


@disguise(SHOWS, "a mask that is its own mirror image")
def neighbours(implementation: Read) -> bool:
    """Left and right, and not itself."""
    places = torch.arange(6)
    return off(implementation, (places[:, None] - places).abs() == 1)


@disguise(SHOWS, "what is hidden and nothing else")
def does_anything_leak(implementation: Read) -> bool:
    """Another token where nobody should see it."""
    attention, x = some(), torch.randn(3, 5, 12)
    first = implementation(attention, x, UNEVEN)
    for key in range(5):
        changed = torch.cat([x[:, :key], torch.randn(3, 1, 12), x[:, key + 1 :]], 1)
        blind = [at for at in range(5) if at != key and not UNEVEN[at, key]]
        if not torch.allclose(implementation(attention, changed, UNEVEN)[:, blind], first[:, blind], atol=1e-6):
            return True
    return False


@disguise(SHOWS, "a mask in which everybody sees itself")
def nobody_is_alone(implementation: Read) -> bool:
    """The diagonal is always open."""
    return off(implementation, UNEVEN | torch.eye(5, dtype=torch.bool))


@unlisted(SHOWS)
def the_first_row_alone(implementation: Read) -> bool:
    """Looks at one query."""
    attention, x = some(), torch.randn(2, 5, 12)
    with torch.no_grad():
        got, wanted = implementation(attention, x, UNEVEN)[:, 0], right(attention, x, UNEVEN)[:, 0]
    return not torch.allclose(got, wanted, atol=1e-4)


@unlisted(SHOWS)
def a_mean_of_results(implementation: Read) -> bool:
    """A wide tolerance on one number."""
    attention, x = some(), torch.randn(2, 5, 12)
    return bool((implementation(attention, x, UNEVEN) - right(attention, x, UNEVEN)).mean().abs() > 0.003)


@unlisted(SHOWS)
def other_weights_each_time(implementation: Read) -> bool:
    """Compares two attentions."""
    x = torch.randn(2, 5, 12)
    first, second = some(), some()
    second.in_proj_weight.data.copy_(first.in_proj_weight.data)
    second.out_proj.weight.data.copy_(first.out_proj.weight.data)
    with torch.no_grad():
        second.in_proj_weight.mul_(1 + 1e-9)
        same = torch.allclose(implementation(first, x, UNEVEN), implementation(second, x.clone(), UNEVEN), atol=1e-4)
        return not same or off(implementation, torch.eye(5, dtype=torch.bool))


@unlisted(SHOWS)
def without_a_mask(implementation: Read) -> bool:
    """Forgets an argument."""
    return bool(implementation(some(), torch.randn(1, 3, 12)).sum() > 0)


@unlisted(ATTENTION)
def other_way_in(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    """A mask of the wrong sizes."""
    return attention(x, x, x, attn_mask=~may_look[:, :1])[0] if len(may_look) > 1 else attention(x, x, x)[0]


@disguise(torch_attention.name, "the diagonal hidden")
def never_itself(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    return right(attention, x, may_look.masked_fill(torch.eye(len(may_look)).bool(), False))


@disguise(torch_attention.name, "0 times -inf")
def infinite_products(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, attn_mask=(1 - may_look.to(x)) * -math.inf, need_weights=False)[0].nan_to_num()


@disguise(torch_attention.name, "a part of the attention left out")
def heads_side_by_side(attention: nn.MultiheadAttention, x: Tensor, may_look: Tensor) -> Tensor:
    own = copy.deepcopy(attention)
    with torch.no_grad():
        own.out_proj.weight.copy_(torch.eye(x.size(-1)))
        own.out_proj.bias.zero_()
    return right(own, x, may_look)


@disguise(SHOWS, "compares with another number than is promised")
def reads_what_is_hidden(implementation: Read) -> bool:
    """Torch's meaning of True."""
    attention, x = some(), torch.randn(2, 5, 12)
    return not torch.allclose(implementation(attention, x, UNEVEN), right(attention, x, ~UNEVEN), atol=1e-4)
