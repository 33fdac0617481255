"""Room 10: ways of letting tokens read what stands before them."""

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.lineup import right, wrong


def products(q: Tensor, k: Tensor) -> Tensor:
    return torch.einsum("...qd,...kd->...qk", q, k) * q.size(-1) ** -0.5


def later(scores: Tensor) -> Tensor:
    places = torch.arange(scores.size(-1))
    return places > places[:, None]


@right("asks torch's attention for a causal one")
def causal_by_torch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@right("gives torch's attention a mask")
def masked_by_torch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    past = torch.ones(q.size(-2), q.size(-2), dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(q, k, v, attn_mask=past)


@right("adds minus infinity above the diagonal")
def added_infinity(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return (scores + torch.full_like(scores, -torch.inf).triu(1)).softmax(-1) @ v


@right("writes minus infinity into the places above the diagonal")
def written(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k).clone()
    row, column = torch.triu_indices(q.size(-2), q.size(-2), offset=1)
    scores[..., row, column] = -torch.inf
    return torch.einsum("...qk,...kd->...qd", scores.softmax(-1), v)


@right("goes token by token, and never has the later ones")
def by_tokens(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    made = []
    for place in range(q.size(-2)):
        scores = products(q[..., place : place + 1, :], k[..., : place + 1, :])
        made.append(scores.softmax(-1) @ v[..., : place + 1, :])
    return torch.cat(made, dim=-2)


@right("subtracts the largest of the scores that may be seen, and multiplies the later ones with 0")
def by_hand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    seen = (~later(scores)).to(scores.dtype)
    top = scores.masked_fill(later(scores), -torch.inf).amax(-1, keepdim=True)
    raised = torch.where(seen > 0, scores - top, 0.0).exp() * seen
    return raised / raised.sum(-1, keepdim=True) @ v


@right("computes in float64")
def precisely(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q.double(), k.double())
    return (torch.where(later(scores), -torch.inf, scores).softmax(-1) @ v.double()).to(v.dtype)


@right("keeps a running maximum and a running sum")
def running(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    top, total, read = scores.new_full(q.shape[:-1], -torch.inf), scores.new_zeros(q.shape[:-1]), torch.zeros_like(v)
    for key in range(k.size(-2)):
        may = torch.arange(q.size(-2)) >= key
        score = torch.where(may, scores[..., key], -torch.inf)
        new = torch.maximum(top, score)
        safe = torch.where(new == -torch.inf, 0.0, new)
        old, fresh = (top - safe).exp(), (score - safe).exp()
        total = total * old + fresh
        read = read * old[..., None] + fresh[..., None] * v[..., key : key + 1, :]
        top = new
    return read / total[..., None]


@right("raises e to the logarithm of the softmax")
def by_logarithm(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k).masked_fill(later(q @ k.mT), -torch.inf)
    return F.log_softmax(scores, dim=-1).exp() @ v


# Wrong ----------------------------------------------------------------------------


@wrong("fills with -10000 by `where`", mistake="a number that scores can go below")
def ten_thousand(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return torch.where(later(scores), torch.tensor(-10000.0, dtype=scores.dtype), scores).softmax(-1) @ v


@wrong("fills with the smallest number of float16", mistake="a number that scores can go below", kin=True)
def half_precision(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return scores.masked_fill(later(scores), torch.finfo(torch.float16).min).softmax(-1) @ v


@wrong("fills with -100", mistake="a number that scores can go below", kin=True)
def hundred(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return scores.masked_fill(later(scores), -100.0).softmax(-1) @ v


@wrong("fills with a thousand million below zero", mistake="a number that scores can go below", kin=True)
def thousand_million(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    past = (~later(scores)).to(scores.dtype)
    return (scores * past - 1e9 * (1 - past)).softmax(-1) @ v


@wrong("gives torch's attention a mask of 0 and -1e4", mistake="a number that is added to later scores", kin=True)
def added_by_torch(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    added = torch.zeros(q.size(-2), q.size(-2), dtype=q.dtype).masked_fill(later(q @ k.mT), -1e4)
    return F.scaled_dot_product_attention(q, k, v, attn_mask=added)


@wrong("adds -1e9 to later scores", mistake="a number that is added to later scores", kin=True)
def added_lower(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return (scores + later(scores) * -1e9).softmax(-1) @ v


@wrong(
    "takes later weights away after the softmax, and divides by what is left",
    mistake="divided again after the softmax",
    kin=True,
)
def divided_again(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = products(q, k).softmax(-1).tril()
    return weights / weights.sum(-1, keepdim=True) @ v


@wrong("raises e to the scores as they are, and divides by the sum", mistake="e to a score that is large", kin=True)
def raised_as_they_are(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    raised = torch.where(later(q @ k.mT), 0.0, products(q, k).exp())
    return raised / raised.sum(-1, keepdim=True) @ v


@wrong("takes later weights away after the softmax", mistake="taken away after the softmax")
def taken_away(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return products(q, k).softmax(-1).tril() @ v


@wrong("sets later scores to 0", mistake="later scores are 0")
def zeros(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return products(q, k).tril().softmax(-1) @ v


@wrong("hides nothing", mistake="no mask")
def open_to_all(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v)


@wrong("hides what stands before", mistake="the past hidden")
def backwards(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return scores.masked_fill(later(scores).mT, -torch.inf).softmax(-1) @ v


@wrong("lets a token read those before it, and not itself", mistake="the token itself hidden")
def never_itself(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(0)
    return torch.nan_to_num(scores.masked_fill(hidden, -torch.inf).softmax(-1)) @ v


@wrong("does not divide by the root of the width", mistake="not scaled")
def unscaled(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0)


@wrong("divides by the width", mistake="divided by the width")
def by_width(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=1 / q.size(-1))


@wrong("sums over the queries", mistake="softmax over the queries")
def over_queries(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = products(q, k)
    return scores.masked_fill(later(scores), -torch.inf).softmax(-2) @ v


@wrong("exchanges queries and keys", mistake="queries and keys exchanged")
def exchanged(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(k, q, v, is_causal=True)
