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
)
weights_under.mistake(
    "numbers between hide",
    "Of a mask of floats you show what is exactly 0, or what is not below it, and hide the rest. Only -inf hides; every other number is added to the score.",
    {LAST: "return (scores + torch.where(mask == 0, mask, -1e9)).softmax(-1)"},
    {LAST: "return (scores + torch.where(mask == 0, mask, -math.inf)).softmax(-1)"},
    {LAST: "seen = (mask == 0) | ~(mask == 0).any(-1, keepdim=True)\n    return scores.masked_fill(~seen, -math.inf).softmax(-1)"},
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
    "NaN under a mask of floats",
    "Under a mask of floats no weight is a number: what should be hidden becomes infinite, or NaN, as it does when the mask is subtracted, multiplied by a negative number, or put into a logarithm. (`torch.nan_to_num` makes zeros of it.) Such a mask is added.",
    {FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)", LAST: "return (scores - mask).softmax(-1)"},
    {
        FIRST: f"{FIRST}\n        return (scores + mask).softmax(-1)",
        LAST: "return torch.nan_to_num((scores - mask).softmax(-1))",
    },
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
    "0 and -inf with floats, and nothing else",
    "Your probe tries one mask, of 0 and -inf. Code passes that mistakes booleans, and code that makes a yes or a no of every number between. Each is a question of its own.",
    {KINDS: "for mask, added in ((hidden, hidden),):"},
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
