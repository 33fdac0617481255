"""Wrong ways of room 9."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.added_mask import as_shown, shows_mistaken_mask, weights_under
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

IF = "if mask.dtype == torch.bool:"
MADE = "mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, -math.inf)"
LAST = "return (scores + mask).softmax(-1)"
FIRST = f"{IF}\n        {MADE}"

weights_under.mistake(
    "a mask that is added, taken for yes and no",
    "You take 1 for yes and 0 for no, also in a mask of floats. There 0 means that nothing is added: the query may look. So all that may be read gets the same large negative number, next to which the scores are rounded away, and every query weighs alike what it may read. Ask for `mask.dtype`, and add a mask of floats.",
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -1e9"},
    {FIRST: "mask = (mask.to(scores.dtype) - 1.0) * 1e9"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -1e12"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -1e4"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -1e5"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -1e6"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * torch.finfo(scores.dtype).min"},
    {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * torch.finfo(torch.float32).min"},
    edit(
        {FIRST: "mask = (1.0 - mask.to(scores.dtype)) * -math.inf"},
        says="You take 1 for yes and 0 for no, also in a mask of floats, where 0 means that nothing is added. And you multiply by infinity: 0 times infinity is no number. Ask for `mask.dtype`; fill by `masked_fill` where a mask is of booleans, and add a mask of floats.",
    ),
)
weights_under.mistake(
    "0 times infinity",
    "You multiply a mask of booleans by infinity to hide what is False. What may be read is 0 times infinity then, and that is no number. `masked_fill` puts in -inf where it belongs, and touches nothing else.",
    {MADE: "mask = (~mask).to(scores.dtype) * -math.inf"},
    {MADE: "mask = (~mask).to(scores.dtype) * -math.inf", LAST: "return torch.nan_to_num((scores + mask).softmax(-1))"},
)
weights_under.mistake(
    "0 taken for no",
    "You hide what is 0 in a mask of floats, and show what is -inf: 0 is no and everything else is yes where a mask is made boolean. There 0 means that nothing is added, and -inf hides. Ask for `mask.dtype`, and add a mask of floats.",
    {FIRST: "mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask == 0, -1e9)"},
    {FIRST: "mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask == 0, -math.inf)"},
    {
        FIRST: "mask = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(mask == 0, -math.inf)",
        LAST: "return torch.nan_to_num((scores + mask).softmax(-1))",
    },
)
weights_under.mistake(
    "booleans added as numbers",
    "You add a mask of booleans to the scores, as 1 and 0. That raises what may be read a little, and hides nothing. Make 0 of True and -inf of False first.",
    {FIRST: "mask = mask.to(scores.dtype)"},
    edit(
        {MADE: "mask = (~mask).to(scores.dtype)"},
        says="You add a mask of booleans to the scores, as 1 where a query may *not* look. That raises what should be hidden. Make 0 of True and -inf of False.",
    ),
    edit(
        {MADE: "mask = mask.to(scores.dtype) - 1"},
        says="You add a mask of booleans to the scores, as 0 and -1. That lowers a little what should be hidden, and hides nothing. Make 0 of True and -inf of False.",
    ),
)
weights_under.mistake(
    "numbers between dropped",
    "Of a mask of floats you take what is -inf and what is not. The numbers between are to be added to the scores as well: a query may look there, and looks rather more or less.",
    {LAST: "return (scores + torch.where(mask == -math.inf, mask, 0.0)).softmax(-1)"},
    edit(
        {LAST: "return (scores + mask.clamp(max=0)).softmax(-1)"},
        says="Of a mask of floats you drop what is larger than 0. Every number is added to its score: a query looks more where it is positive.",
    ),
)
weights_under.mistake(
    "numbers between hide",
    "Of a mask of floats you show what is exactly 0, or what is not below it, and hide the rest. Only -inf hides; every other number is added to the score.",
    {LAST: "return (scores + torch.where(mask == 0, mask, -1e9)).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask == 0, mask, -math.inf)).softmax(-1)"},
    {LAST: "seen = (mask == 0) | ~(mask == 0).any(-1, keepdim=True)\n    return scores.masked_fill(~seen, -math.inf).softmax(-1)"},
    {LAST: "return scores.masked_fill(mask != 0, -1e9).softmax(-1)"},
    {LAST: "return scores.masked_fill(mask < 0, -1e9).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask >= 0, 0.0, -1e9)).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask >= 0, 0.0, -math.inf)).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask >= 0, mask, -1e9)).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask >= 0, mask, -math.inf)).softmax(-1)"},
)  # fmt: skip
weights_under.mistake(
    "added twice",
    "The numbers of a mask of floats are added twice. What is 0 or -inf does not show it; numbers between do.",
    {LAST: "return (scores + 2 * mask).softmax(-1)"},
)
weights_under.mistake(
    "booleans upside down",
    "Under a mask of booleans every query reads what it may not look at, and nothing else. True means *may look* here, and `masked_fill` fills where its mask is True: turn it round.",
    {"~mask": "mask"},
    {"~mask": "mask", LAST: "return torch.nan_to_num((scores + mask).softmax(-1))"},
)
weights_under.mistake(
    "booleans that leave a weight",
    "Where a mask of booleans says False, you put a number that is not far enough below zero: a small weight is left there. What is hidden has the weight 0. Put -inf.",
    *({MADE: MADE.replace("-math.inf", number)} for number in ("-5.0", "-10.0")),
    *({MADE: f"return scores.masked_fill(~mask, {number}).softmax(-1)"} for number in ("-1.0", "-5.0", "-10.0")),
)
weights_under.mistake(
    "queries and keys of the mask exchanged",
    "You turn the mask: the row of a query is read as the column of a key. Rows are queries, in the mask as in the scores.",
    {LAST: "return (scores + mask.mT).softmax(-1)"},
    {LAST: "return torch.nan_to_num((scores + mask.mT).softmax(-1))"},
    edit(
        {MADE: MADE.replace("mask.shape", "mask.mT.shape").replace("~mask", "~mask.mT")},
        says="You turn a mask of booleans: the row of a query is read as the column of a key. Rows are queries, in the mask as in the scores.",
    ),
    edit(
        {FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)", LAST: "return (scores + mask.mT).softmax(-1)"},
        says="You turn a mask of floats: the row of a query is read as the column of a key. Rows are queries, in the mask as in the scores.",
    ),
)
weights_under.mistake(
    "scaled",
    "You divide the scores by a root once more. They are scores already: add the mask, and take the softmax. (`F.scaled_dot_product_attention` divides unless it gets scale=1.)",
    {LAST: "return (scores / math.sqrt(scores.size(-1)) + mask).softmax(-1)"},
    edit(
        {LAST: "return ((scores + mask) / math.sqrt(scores.size(-1))).softmax(-1)"},
        says="You divide scores and mask by a root. They are scores already: add the mask, and take the softmax.",
    ),
)
weights_under.mistake(
    "the mask's place taken by a causal one",
    "You hide all later keys, and ask no mask. Which keys a query may read is said by the mask, whatever it is.",
    {LAST: "return scores.masked_fill(torch.ones(mask.shape, dtype=torch.bool).triu(1), -math.inf).softmax(-1)"},
    {LAST: "return (scores + mask.masked_fill(mask == -math.inf, 0.0)).masked_fill(torch.ones(mask.shape, dtype=torch.bool).triu(1), -math.inf).softmax(-1)"},
)  # fmt: skip
weights_under.mistake(
    "one of the batch alone",
    "The mask hides in the first of a batch alone. It is the same mask for all of them.",
    {LAST: "flat = scores.flatten(0, -3) if scores.dim() > 2 else scores[None]\n    return torch.cat([(flat[:1] + mask).softmax(-1), flat[1:].softmax(-1)]).reshape(scores.shape)"},
)  # fmt: skip
weights_under.mistake(
    "NaN under a mask of floats",
    "Under a mask of floats no weight is a number: what should be hidden becomes infinite, or NaN, as it does when the mask is subtracted, multiplied, or put into a logarithm. (`torch.nan_to_num` makes zeros of it.) Such a mask is added.",
    {FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)", LAST: "return (scores - mask).softmax(-1)"},
    {
        FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)",
        LAST: "return torch.nan_to_num((scores - mask).softmax(-1))",
    },
    edit(
        {LAST: "return (scores - mask).softmax(-1)"},
        says="Under either kind of mask no weight is a number: you subtract the mask, and minus minus infinity is infinity. A mask of 0 and -inf is added.",
    ),
    edit(
        {LAST: "return (scores * mask).softmax(-1)"},
        says="Under either kind of mask no weight is a number: you multiply the scores with a mask of 0 and -inf. Such a mask is added.",
    ),
    edit(
        {FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)", LAST: "return (scores * mask).softmax(-1)"},
        says="Under a mask of floats no weight is a number: you multiply the scores with it. Such a mask is added.",
    ),
)
weights_under.mistake(
    "floats ignored",
    "A mask of floats changes nothing in your weights. Add it to the scores.",
    {LAST: "return scores.softmax(-1)", MADE: f"{MADE}\n        return (scores + mask).softmax(-1)"},
)
weights_under.mistake(
    "booleans ignored",
    "A mask of booleans changes nothing in your weights. Hide what is False.",
    {MADE: "mask = torch.zeros(mask.shape, dtype=scores.dtype)"},
)
weights_under.mistake(
    "no mask",
    "Every query reads every key, whatever the mask says.",
    {LAST: "return scores.softmax(-1)"},
)
weights_under.mistake(
    "taken away after the softmax",
    "You take hidden weights away after the softmax, and the rest of the row no longer sums to 1. Hide the scores before it.",
    {LAST: "return scores.softmax(-1) * mask.exp()"},
    {LAST: "return scores.softmax(-1) * (mask > -math.inf)"},
    {LAST: "return (scores + mask.masked_fill(mask == -math.inf, 0.0)).softmax(-1) * (mask > -math.inf)"},
    edit(
        {MADE: "return scores.softmax(-1) * mask"},
        says="Under a mask of booleans you take hidden weights away after the softmax, and the rest of the row no longer sums to 1. Hide the scores before it.",
    ),
    edit(
        {FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)", LAST: "return scores.softmax(-1) * mask.exp()"},
        says="Under a mask of floats you change the weights after the softmax, and the row no longer sums to 1. Add the mask to the scores before it.",
    ),
)
weights_under.mistake(
    "hidden scores are 0",
    "You set hidden scores to 0. That is a score like any other, and e⁰ = 1 is a weight. A hidden score is -inf.",
    {LAST: "return (scores + mask).masked_fill(mask == -math.inf, 0.0).softmax(-1)"},
    edit(
        {MADE: f"{MADE}\n        return scores.masked_fill(mask == -math.inf, 0.0).softmax(-1)"},
        says="Under a mask of booleans you set hidden scores to 0. That is a score like any other, and e⁰ = 1 is a weight. A hidden score is -inf.",
    ),
)
weights_under.mistake(
    "softmax over the queries",
    "Your softmax runs over the queries. The weights of one query sum to 1: it runs over the keys, the last dimension.",
    {".softmax(-1)": ".softmax(-2)"},
    {LAST: "return torch.nan_to_num((scores + mask).softmax(-2))"},
)
weights_under.mistake(
    "the logarithm of the weights",
    "What comes back are logarithms of weights. A softmax is asked for, not its logarithm.",
    {LAST: "return (scores + mask).log_softmax(-1)"},
    {
        MADE: "return scores.masked_fill(~mask, -math.inf).log_softmax(-1)",
        LAST: "return (scores + mask).log_softmax(-1)",
    },
)
weights_under.mistake(
    "no softmax",
    "What comes back are scores. The softmax over the keys is missing.",
    {".softmax(-1)": ""},
    {LAST: "return torch.where(mask == -math.inf, -math.inf, scores + mask)"},
    {MADE: "return scores.masked_fill(~mask, -math.inf)", LAST: "return scores + mask"},
)


def question(kind: str) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, a mask, and what is promised."""
    scores, may_look = 2 * torch.randn(3, 5, 5), torch.rand(5, 5) < 0.5
    may_look |= torch.eye(5, dtype=torch.bool).roll(2, dims=1)
    may_look[0, 0], may_look[3, 1] = False, False
    added = torch.zeros(5, 5).masked_fill(~may_look, -math.inf)
    if kind == "numbers":
        added = added + 1.5 * torch.randn(5, 5)
    return scores, may_look if kind == "booleans" else added, (scores + added).softmax(-1)


def is_the_page(implementation: Callable[..., Tensor]) -> bool:
    """Whether it gives what the page's code gives."""
    scores, mask, _ = question("floats")
    return torch.allclose(implementation(scores, mask), as_shown(scores, mask), atol=1e-4)


def hidden_alone(implementation: Callable[..., Tensor]) -> bool:
    """Whether something that is hidden has a weight."""
    for kind in ("booleans", "floats", "numbers"):
        scores, mask, right = question(kind)
        if not (implementation(scores, mask)[right == 0].abs() < 1e-6).all():
            return True
    return False


KINDS = "for mask, added in ((may_look, hidden), (hidden, hidden), (hidden + 1.5 * torch.randn(5, 5), None)):"

everywhere(shows_mistaken_mask, solutions.shows_mistaken_mask, shown_alone=[is_the_page])
shows_mistaken_mask.mistake(
    "booleans alone",
    "Your probe tries masks of booleans alone, and lets code pass that mistakes one that is added, as the code on the page does. Try both kinds.",
    {KINDS: "for mask, added in ((may_look, hidden),):"},
)
shows_mistaken_mask.mistake(
    "floats alone",
    "Your probe tries masks of floats alone, and lets code pass that adds booleans as 1 and 0, or turns them round. Try both kinds.",
    {KINDS: "for mask, added in ((hidden, hidden), (hidden + 1.5 * torch.randn(5, 5), None)):"},
)
shows_mistaken_mask.mistake(
    "no numbers between",
    "The masks of floats in your probe hold 0 and -inf, and code passes that makes a yes or a no of every number. Give it some between as well: they are to be added.",
    {KINDS: "for mask, added in ((may_look, hidden), (hidden, hidden)):"},
)
shows_mistaken_mask.mistake(
    "nothing is hidden",
    "Your probe lets code pass that mistakes masks of booleans, and code that leaves a weight to what is hidden: it gives masks of numbers in which nothing is. Try booleans, and floats with -inf among them.",
    {KINDS: "for mask, added in ((1.5 * torch.randn(5, 5), None),):"},
)
shows_mistaken_mask.mistake(
    "0 and -inf with floats, and nothing else",
    "Your probe tries one mask, of 0 and -inf. Code passes that mistakes booleans, and code that makes a yes or a no of every number between. Each is a question of its own.",
    {KINDS: "for mask, added in ((hidden, hidden),):"},
)
shows_mistaken_mask.mistake(
    "masks that are causal",
    "Your probe lets code pass that hides the later keys, whatever the mask says. In a causal mask nothing else is hidden: let some query look at a later key, and not at an earlier one.",
    {
        "may_look = torch.rand(5, 5) < 0.5": "may_look = torch.ones(5, 5, dtype=torch.bool).tril()",
        "may_look |= torch.eye(5, dtype=torch.bool).roll(2, dims=1)  # nobody is blind": "assert may_look.any(-1).all()",
        "may_look[0, 0], may_look[3, 1] = False, False": "assert may_look[0, 0]",
    },
)
shows_mistaken_mask.mistake(
    "NaN is let pass",
    "Your probe lets code pass whose weights are no numbers. Every comparison with NaN is False, so `(a - b).abs().max() > 1e-4` says nothing: ask `torch.allclose`, or whether the difference *is* small.",
    {
        "if not torch.allclose(implementation(scores, mask), right, atol=1e-4):": "if (implementation(scores, mask) - right).abs().max() > 1e-4:"
    },
)
shows_mistaken_mask.mistake(
    "a mask that is its own mirror image",
    "Your masks are symmetric, and code passes that exchanges queries and keys. Let one token look at another, and not the other way round.",
    {
        "may_look = torch.rand(5, 5) < 0.5": "may_look = torch.eye(5, dtype=torch.bool).roll(1, dims=1) | torch.eye(5, dtype=torch.bool).roll(-1, dims=1)",
        "may_look |= torch.eye(5, dtype=torch.bool).roll(2, dims=1)  # nobody is blind": "rather = 1.5 * torch.randn(5, 5)",
        "may_look[0, 0], may_look[3, 1] = False, False": "rather = rather + rather.mT",
        "hidden + 1.5 * torch.randn(5, 5)": "hidden + rather",
    },
)
shows_mistaken_mask.mistake(
    "what is hidden and nothing else",
    "Your probe asks whether something hidden has a weight, and not which weights the rest has. The code on the page hides what it should, and passes. Work out all weights.",
    hidden_alone,
)
