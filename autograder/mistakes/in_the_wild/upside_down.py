"""Wrong ways of room 3."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder.checks.in_the_wild.upside_down import as_shown, shows_upside_down_mask, torch_attention
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

MASK = "attn_mask=~may_look"
SPLIT = "q, k, v = (x @ attention.in_proj_weight.T + attention.in_proj_bias).chunk(3, -1)\n    q, k, v = (one.unflatten(-1, (attention.num_heads, -1)).transpose(1, 2) for one in (q, k, v))"
ALL = "read, _ = attention(x, x, x, attn_mask=~may_look, need_weights=False)  # True is *hidden* there"

torch_attention.mistake(
    "the mask upside down",
    "Every token reads what it may not look at, and nothing else. In our masks True means *may look*; in the `attn_mask` of `nn.MultiheadAttention` it means *hidden*. Turn the mask round with `~`, once.",
    {MASK: "attn_mask=may_look"},
    {ALL: "read = torch.nan_to_num(attention(x, x, x, attn_mask=may_look)[0])"},
    {MASK: "attn_mask=may_look.to(x.dtype) * -1e9"},
)
torch_attention.mistake(
    "no mask",
    "Every token reads every other. The mask never gets to the attention.",
    {MASK: "attn_mask=None"},
)
torch_attention.mistake(
    "the mask turned",
    "Who asks and who is read have changed places. Rows are the tokens that ask, in our masks and in torch's.",
    {MASK: "attn_mask=~may_look.T"},
    {ALL: "read = torch.nan_to_num(attention(x, x, x, attn_mask=~may_look.T)[0])"},
)
torch_attention.mistake(
    "always causal",
    "The future is hidden and nothing else, whatever the mask says. Hand on the mask that you are given.",
    {MASK: "attn_mask=torch.ones_like(may_look).triu(1)"},
)
torch_attention.mistake(
    "the diagonal opened",
    "Every token may look at itself, also where the mask forbids it. Hand on the mask as it is.",
    {MASK: "attn_mask=~(may_look | torch.eye(len(may_look), dtype=torch.bool))"},
)
torch_attention.mistake(
    "the diagonal hidden",
    "No token may look at itself, also where the mask allows it. Hand on the mask as it is.",
    {MASK: "attn_mask=~may_look | torch.eye(len(may_look), dtype=torch.bool)"},
    {
        ALL: "read = torch.nan_to_num(attention(x, x, x, attn_mask=~may_look | torch.eye(len(may_look), dtype=torch.bool))[0])"
    },
    {
        ALL: "read = attention(x, x, x, attn_mask=~may_look | torch.eye(len(may_look), dtype=torch.bool))[0]",
    },
)
torch_attention.mistake(
    "0 times -inf",
    "Nothing that comes back is a result: infinity is multiplied by the mask, and 0 · inf is NaN where nothing should be added. (`torch.nan_to_num` makes zeros of it.) Write -inf only where the mask is False, or hand on a boolean mask.",
    {ALL: "read = torch.nan_to_num(attention(x, x, x, attn_mask=(~may_look) * -torch.inf)[0])"},
    {MASK: "attn_mask=(~may_look) * -torch.inf"},
)
torch_attention.mistake(
    "a part of the attention left out",
    "What the attention holds is not all used.",
    edit({ALL: f"{SPLIT}\n    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=may_look)\n    read = mixed.transpose(1, 2).flatten(2)"}, says="The output projection is left out: the heads are put side by side, and `attention.out_proj` comes last."),
    edit({ALL: f"{SPLIT.replace(' + attention.in_proj_bias', '')}\n    mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=may_look)\n    read = attention.out_proj(mixed.transpose(1, 2).flatten(2))"}, says="The biases of the three projections are left out: `attention.in_proj_bias` holds them, one behind the other."),
)  # fmt: skip
torch_attention.mistake(
    "added as a number",
    "The mask is added to the scores as 0 and 1. A mask of floats is added, and one of booleans hides: keep it boolean, or fill a float one with -inf where nothing may be read.",
    {MASK: "attn_mask=may_look.to(x.dtype)"},
    {MASK: "attn_mask=(~may_look).to(x.dtype)"},
)


@torch.no_grad()
def is_the_page(implementation: Callable[..., Tensor]) -> bool:
    """Whether it gives what the page's code gives."""
    attention, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(2, 6, 8)
    may_look = (torch.rand(6, 6) < 0.4) | torch.eye(6, dtype=torch.bool).roll(2, dims=1)
    may_look &= ~torch.eye(6, dtype=torch.bool).roll(1, dims=1)
    return torch.allclose(implementation(attention, x, may_look), as_shown(attention, x, may_look), atol=1e-4)


@torch.no_grad()
def leaks_alone(implementation: Callable[..., Tensor]) -> bool:
    """Whether a hidden token moves a result."""
    attention, x = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(2, 6, 8)
    may_look = (torch.rand(6, 6) < 0.4) | torch.eye(6, dtype=torch.bool).roll(2, dims=1)
    may_look[0, 0], may_look[1, 4], may_look[4, 1] = False, True, False
    before = implementation(attention, x, may_look)
    for key in range(6):
        other = x.clone()
        other[:, key] += 1
        moved = (implementation(attention, other, may_look) - before).abs().amax((0, 2)) > 1e-6
        if (moved & ~may_look[:, key] & (torch.arange(6) != key)).any():
            return True
    return False


RANDOM = "may_look = torch.rand(6, 6) < 0.4"
NOT_BLIND = "may_look |= torch.eye(6, dtype=torch.bool).roll(2, dims=1)  # nobody is blind"
UNEVEN = "may_look[0, 0], may_look[1, 4], may_look[4, 1] = False, True, False"

everywhere(shows_upside_down_mask, solutions.shows_upside_down_mask, shown_alone=[is_the_page])
shows_upside_down_mask.mistake(
    "a causal mask and no other",
    "Your probe tries the causal mask alone, and lets code pass that hides the future whatever it is told. The mask is anybody's: try one that is not causal.",
    {RANDOM: "may_look = torch.ones(6, 6, dtype=torch.bool).tril()", NOT_BLIND: "pass", UNEVEN: "pass"},
)
shows_upside_down_mask.mistake(
    "a mask that is its own mirror image",
    "Your probe tries a symmetric mask, and lets code pass that exchanges who asks and who is read. Try a mask in which one token may look at another and not the other way round.",
    {
        RANDOM: "may_look = torch.arange(6)[:, None] % 2 == torch.arange(6) % 2",
        NOT_BLIND: "may_look[range(6), range(6)] = False",
        UNEVEN: "pass",
    },
)
shows_upside_down_mask.mistake(
    "what is hidden and nothing else",
    "Your probe asks whether a hidden token moves a result, and lets code pass that hides too much, or weighs wrongly what it reads. Ask for both: what may be read is read, with attention's own numbers.",
    leaks_alone,
)
shows_upside_down_mask.mistake(
    "a mask in which everybody sees itself",
    "In your probe's mask every token may look at itself, so code passes that always allows it. The promise says that a token need not see itself: leave one out.",
    {NOT_BLIND: "may_look |= torch.eye(6, dtype=torch.bool)", UNEVEN: "may_look[1, 4], may_look[4, 1] = True, False"},
)
shows_upside_down_mask.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours hides what may be read. In the mask that an implementation is given True means *may look*; where torch is asked, True in `attn_mask` means hidden.",
    {"masked_fill(~may_look, -math.inf)": "masked_fill(may_look, -math.inf)"},
    edit(
        {"masked_fill(~may_look, -math.inf)": "masked_fill(~may_look.T, -math.inf)"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours exchanges who asks and who is read. A row of the mask is a token that asks.",
    ),
    edit(
        {"right, _ = attention(x, x, x, attn_mask=hidden)": "right, _ = attention(x, x, x)"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours hides nothing. Hand the mask on, turned round where True means hidden.",
    ),
)
