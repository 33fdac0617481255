"""Room 3: ways of handing a mask to torch's attention."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.probing.lineup import right, wrong


def parts(attention: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    projected = F.linear(x, attention.in_proj_weight, attention.in_proj_bias)
    heads = attention.num_heads
    q, k, v = projected.chunk(3, dim=-1)
    split = [one.unflatten(-1, (heads, -1)).transpose(1, 2) for one in (q, k, v)]
    return split[0], split[1], split[2]


def joined(attention: Any, read: Tensor) -> Tensor:
    out: Tensor = attention.out_proj(read.transpose(1, 2).flatten(-2))
    return out


def by_hand(attention: Any, x: Tensor, change: Any) -> Tensor:
    q, k, v = parts(attention, x)
    scores = change(q @ k.mT / q.size(-1) ** 0.5)
    return joined(attention, scores.softmax(-1) @ v)


@right("asks torch with `logical_not`, and for the weights too")
def with_weights(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    out, _ = attention(query=x, key=x, value=x, attn_mask=torch.logical_not(may_look))
    return out


@right("compares the mask with False")
def compared(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, attn_mask=may_look == False, need_weights=False)[0]  # noqa: E712


@right("adds minus infinity")
def added_infinity(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    zero, far = torch.tensor(0.0, dtype=x.dtype), torch.tensor(-torch.inf, dtype=x.dtype)
    return attention(x, x, x, attn_mask=torch.where(may_look, zero, far))[0]


@right("adds a number that is merely very small")
def added_small(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, attn_mask=(1.0 - may_look.to(x.dtype)) * -1e9)[0]


@right("repeats the mask for every sentence and head")
def repeated(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    hidden = (~may_look).expand(len(x) * attention.num_heads, -1, -1)
    return attention(x, x, x, attn_mask=hidden, need_weights=False)[0]


@right("goes sentence by sentence")
def one_by_one(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return torch.cat([attention(one[None], one[None], one[None], attn_mask=~may_look)[0] for one in x])


@right("computes the projections itself and asks `scaled_dot_product_attention`, where True may look")
def fused(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    q, k, v = parts(attention, x)
    return joined(attention, F.scaled_dot_product_attention(q, k, v, attn_mask=may_look))


@right("computes everything itself")
def own_softmax(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return by_hand(attention, x, lambda scores: scores.masked_fill(~may_look, -torch.inf))


@right("asks query by query, with the keys that it may look at and no others")
def own_keys(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    found = [attention(x[:, at : at + 1], x[:, row], x[:, row])[0] for at, row in enumerate(may_look)]
    return torch.cat(found, dim=1)


# Wrong ----------------------------------------------------------------------------


@wrong("gives torch a mask in which True may look", mistake="the mask upside down")
def same_word(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return torch.nan_to_num(attention(query=x, key=x, value=x, attn_mask=may_look, need_weights=False)[0])


@wrong("turns the mask round for an interface in which True may look", mistake="the mask upside down")
def turned_for_nothing(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    q, k, v = parts(attention, x)
    read = F.scaled_dot_product_attention(q, k, v, attn_mask=~may_look)
    return torch.nan_to_num(joined(attention, read))


@wrong("turns the mask round twice", mistake="the mask upside down")
def twice(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    hidden = ~may_look
    return torch.nan_to_num(attention(x, x, x, attn_mask=hidden.logical_not(), need_weights=False)[0])


@wrong("loses the mask on the way", mistake="no mask")
def lost(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, None, False)[0]


@wrong("takes the mask of queries for that of keys", mistake="the mask turned", kin=True)
def columns(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return torch.nan_to_num(by_hand(attention, x, lambda scores: scores.masked_fill(~may_look.mT, -torch.inf)))


@wrong("hides the future, whatever the mask says", mistake="always causal", kin=True)
def future(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    hidden = torch.ones_like(may_look).triu(1)
    return attention(x, x, x, attn_mask=hidden)[0]


@wrong("lets every token look at itself as well", mistake="the diagonal opened")
def itself_too(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    open_ = may_look | torch.eye(len(may_look), dtype=torch.bool)
    return attention(x, x, x, attn_mask=~open_, need_weights=False)[0]


@wrong("adds 1 where a token may look", mistake="added as a number", kin=True)
def one_more(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return by_hand(attention, x, lambda scores: scores + may_look)


@wrong("sets hidden scores to 0", kin=True)
def zero_scores(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return by_hand(attention, x, lambda scores: scores * may_look)


@wrong("takes hidden weights away, and the rest no longer sums to 1")
def after_the_softmax(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    q, k, v = parts(attention, x)
    weights = (q @ k.mT / q.size(-1) ** 0.5).softmax(-1) * may_look
    return joined(attention, weights @ v)


@wrong("takes the first row of the mask for all", kin=True)
def first_row(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, key_padding_mask=~may_look[0].expand(len(x), -1))[0]


@wrong("sets the tokens to 0 that nobody but themselves may look at")
def zeroed(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    seen = (may_look & ~torch.eye(len(may_look), dtype=torch.bool)).any(0)
    return attention(x * seen[:, None], x * seen[:, None], x * seen[:, None])[0]


@wrong("hides what it should, and the future besides")
def more_hidden(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    hidden = ~may_look | torch.ones_like(may_look).triu(1)
    return torch.nan_to_num(attention(x, x, x, attn_mask=hidden)[0])


@wrong("hides what it should from the first head alone")
def first_head(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    hidden = torch.zeros(attention.num_heads, *may_look.shape, dtype=torch.bool)
    hidden[0] = ~may_look
    return attention(x, x, x, attn_mask=hidden.repeat(len(x), 1, 1))[0]


@wrong("takes 4 off the scores that it should hide", kin=True)
def four_less(attention: Any, x: Tensor, may_look: Tensor) -> Tensor:
    return attention(x, x, x, attn_mask=-4.0 * (~may_look).to(x.dtype))[0]
