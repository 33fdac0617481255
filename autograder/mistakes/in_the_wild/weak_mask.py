"""Wrong ways of room 10."""

import math
from collections.abc import Callable, Iterator
from itertools import combinations

import torch
from torch import Tensor

from autograder.checks.in_the_wild.weak_mask import as_shown, causal_attention, shows_weak_mask
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import Way, edit
from solutions import in_the_wild as solutions

SCALED = "scores = q @ k.mT / math.sqrt(q.size(-1))"
HIDDEN = "scores.masked_fill(future, -math.inf)"
LAST = f"return {HIDDEN}.softmax(-1) @ v"

causal_attention.mistake(
    "a number that scores can go below",
    "Your later tokens have a score that is a number, and where all others lie below it they are read: a training that gains by reading the answer can bring the scores there. Below minus infinity nothing lies.",
    {"-math.inf": "-1e4"},
    {"-math.inf": "-1e9"},
    {"-math.inf": "-1e3"},
    {"-math.inf": "-100.0"},
    {"-math.inf": "-1e7"},
    {"-math.inf": "-1e8"},
    {"-math.inf": "-30.0"},
    {"-math.inf": "-10.0"},
    {"-math.inf": "-1e30"},
    *(
        {HIDDEN: f"(scores - scores.amax(-1, keepdim=True)).masked_fill(future, {number})"}
        for number in ("-1e4", "-1e9")
    ),
    *({HIDDEN: f"scores.masked_fill(future, {number} / math.sqrt(q.size(-1)))"} for number in ("-1e4", "-1e9")),
    *(
        edit(
            {
                LAST: f"weights = scores.masked_fill(future, {number}).softmax(-1).tril()\n    return weights{shared} @ v"
            },
            says="You fill later scores with a number, and take the weights of later tokens away afterwards. Where all others lie below that number, nothing is left of the row. Below minus infinity nothing lies.",
        )
        for number in ("-1e4", "-1e9")
        for shared in ("", " / weights.sum(-1, keepdim=True)")
    ),
)
causal_attention.mistake(
    "a number that is added to later scores",
    "You add a large negative number to the scores of later tokens. A later score that is larger than the others by more than that is read all the same. With minus infinity none is.",
    {HIDDEN: "(scores - 1e4 * future)"},
    {HIDDEN: "(scores - 1e9 * future)"},
    {HIDDEN: "(scores - 1e3 * future)"},
    {HIDDEN: "(scores - 100 * future)"},
    {HIDDEN: "(scores - 1e7 * future)"},
    {HIDDEN: "(scores - 1e8 * future)"},
    {HIDDEN: "(scores - 1e30 * future)"},
    {HIDDEN: "(scores + torch.finfo(torch.float32).min * future)"},
)
causal_attention.mistake(
    "a number below the smallest score",
    "You fill with the smallest score, or with a little less than it. A hidden score has to be far below all others, and below minus infinity nothing lies.",
    {HIDDEN: "torch.where(future, scores.min() - 1, scores)"},
    {HIDDEN: "torch.where(future, scores.min(), scores)"},
    {HIDDEN: "torch.where(future, scores.min() - 100, scores)"},
    {HIDDEN: "torch.where(future, scores.min() - 1e4, scores)"},
    {HIDDEN: "torch.where(future, scores.amin(-1, keepdim=True) - 1, scores)"},
    {HIDDEN: "torch.where(future, scores.amin(-1, keepdim=True), scores)"},
    *({HIDDEN: f"scores.masked_fill(future, scores.min().item(){less})"} for less in ("", " - 1", " - 10", " - 100")),
)
causal_attention.mistake(
    "divided again after the softmax",
    "You take later weights away after the softmax, and divide by what is left. Where a later score was much larger than all others, nothing is left: 0 divided by 0 (or, with a number added, by almost nothing). Hide the scores before the softmax.",
    {LAST: "weights = scores.softmax(-1).tril()\n    return weights / weights.sum(-1, keepdim=True) @ v"},
    {LAST: "weights = scores.softmax(-1).tril()\n    return weights / (weights.sum(-1, keepdim=True) + 1e-9) @ v"},
    {LAST: "weights = scores.softmax(-1).tril()\n    return weights / weights.sum(-1, keepdim=True).clamp(min=1e-9) @ v"},
)  # fmt: skip
causal_attention.mistake(
    "0 times infinity",
    "You multiply a mask by infinity and add it. Where it is 0 that makes 0 times infinity, which is no number. `masked_fill` puts in minus infinity where it belongs, and touches nothing else.",
    {HIDDEN: "(scores - math.inf * future)"},
)
causal_attention.mistake(
    "infinity without its minus",
    "You fill later scores with infinity, and no weight is a number then. What is hidden has a score of *minus* infinity.",
    {"-math.inf": "math.inf"},
    {f"{HIDDEN}.softmax(-1)": "scores.masked_fill(future, math.inf).softmax(-1).nan_to_num()"},
)
causal_attention.mistake(
    "e to a score that is large",
    "You raise e to the scores as they are. A score of 100 is too large for that, and of one of -200 nothing is left: 0 divided by 0. A softmax takes the largest score off first; `.softmax(-1)` does.",
    {LAST: "raised = scores.exp().tril()\n    return raised / raised.sum(-1, keepdim=True) @ v"},
    {LAST: "raised = scores.exp().tril()\n    return raised / raised.sum(-1, keepdim=True).clamp(min=1e-9) @ v"},
    {LAST: "raised = scores.exp().tril()\n    return raised / (raised.sum(-1, keepdim=True) + 1e-9) @ v"},
)
causal_attention.mistake(
    "the keys in the place of the values",
    "What is read are the keys. The weights belong to the values: `... @ v`.",
    {LAST: f"return {HIDDEN}.softmax(-1) @ k"},
)
causal_attention.mistake(
    "taken away after the softmax",
    "You take later weights away after the softmax, and the rest of the row no longer sums to 1. Hide the scores before it.",
    {LAST: "return scores.softmax(-1).tril() @ v"},
)
causal_attention.mistake(
    "later scores are 0",
    "You set later scores to 0. That is a score like any other, and e⁰ = 1 is a weight. A hidden score is -inf.",
    {"-math.inf": "0.0"},
)
causal_attention.mistake(
    "scores are cut off",
    "You cut the scores off at some number, so that what is filled in lies below. Then all scores beyond it are alike, and what they said is lost. Leave the scores as they are, and fill with minus infinity.",
    {HIDDEN: "scores.clamp(min=-9e3).masked_fill(future, -1e4)"},
    {HIDDEN: "scores.clamp(min=-9e3, max=9e3).masked_fill(future, -math.inf)"},
    {HIDDEN: "scores.clamp(min=-9e3).masked_fill(future, -math.inf)"},
    {HIDDEN: "scores.clamp(min=-1e4, max=1e4).masked_fill(future, -math.inf)"},
    {HIDDEN: "scores.clamp(min=-1e3, max=1e3).masked_fill(future, -math.inf)"},
)
causal_attention.mistake(
    "one token further",
    "Every token reads the one that follows it as well. `triu(1)` begins above the diagonal; the diagonal is the token itself.",
    {".triu(1)": ".triu(2)"},
)
causal_attention.mistake(
    "the token itself hidden",
    "A token reads those before it, and not itself. The first one has nothing to read then. `triu(1)` begins above the diagonal.",
    {".triu(1)": ".triu()"},
    {".triu(1)": ".triu()", f"{HIDDEN}.softmax(-1)": f"torch.nan_to_num({HIDDEN}.softmax(-1))"},
    *(
        edit(
            {".triu(1)": ".triu()", "-math.inf": number},
            says="A token reads those before it, and not itself: `triu(1)` begins above the diagonal. And what you fill in is a number that scores can go below; below minus infinity nothing lies.",
        )
        for number in ("-1e9", "-1e4")
    ),
)
causal_attention.mistake(
    "the past hidden",
    "Every token reads itself and what stands *behind* it. Hide what lies above the diagonal, and not what lies below.",
    {".triu(1)": ".tril(-1)"},
    *(
        edit(
            {HIDDEN: f"scores.masked_fill(~future, {number})", ".softmax(-1)": ".softmax(-1).nan_to_num()"}
            if tidy
            else {HIDDEN: f"scores.masked_fill(~future, {number})"},
            says="Every token reads what stands *behind* it, and neither itself nor what stands before: the mask is upside down. `masked_fill` fills where it is True.",
        )
        for number in ("-math.inf", "-1e9", "-1e4")
        for tidy in (False, True)
    ),
)
causal_attention.mistake(
    "no mask",
    "Every token reads all others, later ones too.",
    {HIDDEN: "scores"},
)
causal_attention.mistake(
    "not scaled",
    "The scores are not divided by the root of d_head.",
    {" / math.sqrt(q.size(-1))": ""},
    edit(
        {" / math.sqrt(q.size(-1))": " * math.sqrt(q.size(-1))"},
        says="The scores are multiplied by the root of d_head. They are divided by it.",
    ),
)
causal_attention.mistake(
    "divided by the width",
    "The scores are divided by d_head, not by its root.",
    {"math.sqrt(q.size(-1))": "q.size(-1)"},
)
causal_attention.mistake(
    "divided by the length",
    "The scores are divided by the root of the number of tokens. It is the root of d_head, the last dimension of the queries.",
    {"math.sqrt(q.size(-1))": "math.sqrt(q.size(-2))"},
    edit(
        {"math.sqrt(q.size(-1))": "q.size(-2)"},
        says="The scores are divided by the number of tokens. It is the root of d_head, the last dimension of the queries.",
    ),
)
causal_attention.mistake(
    "softmax over the queries",
    "Your softmax runs over the queries. It runs over the keys, the last dimension.",
    {".softmax(-1)": ".softmax(-2)"},
)
causal_attention.mistake(
    "queries and keys exchanged",
    "Queries and keys have changed places: rows are the tokens that ask.",
    {"q @ k.mT": "k @ q.mT"},
)
causal_attention.mistake(
    "not a weight in it",
    "What comes back is the values as they came, or their mean: the scores have no say.",
    edit({LAST: "return v"}, says="What comes back are the values as they came."),
    edit(
        {SCALED: "scores = torch.zeros(q.size(-2), q.size(-2), dtype=v.dtype)"},
        says="Every token takes the plain mean of the values that it may read: queries and keys have no say.",
    ),
)


def hides_nothing_later(implementation: Callable[..., Tensor], size: float) -> bool:
    """Whether a later token moves an earlier result, at some size."""
    k, v = size * torch.randn(2, 3, 5, 4), torch.randn(2, 3, 5, 4)
    q = -k
    before = implementation(q, k, v)
    other_k, other_v = k.clone(), v.clone()
    other_k[..., -1, :], other_v[..., -1, :] = q[..., 0, :], torch.randn(2, 3, 4)
    after = implementation(q, other_k, other_v)
    return not torch.allclose(before[..., :-1, :], after[..., :-1, :], atol=1e-4)


def numbers_differ(implementation: Callable[..., Tensor]) -> bool:
    """Whether it is another attention at an ordinary size."""
    q, k, v = torch.randn(3, 2, 4, 5, 6)
    scores = (q @ k.mT / 6**0.5).masked_fill(torch.ones(5, 5).triu(1).bool(), -math.inf)
    return not torch.allclose(implementation(q, k, v), scores.softmax(-1) @ v, atol=1e-4)


def is_the_page(implementation: Callable[..., Tensor]) -> bool:
    """Whether it gives what the page's code gives, where that is wrong."""
    k, v = 1e3 * (1 + torch.rand(2, 3, 5, 4)), torch.randn(2, 3, 5, 4)
    found, wanted = implementation(-k, k, v)[..., 0, :], as_shown(-k, k, v)[..., 0, :]
    return torch.allclose(found, wanted, atol=1e-3)


def moved_alone(implementation: Callable[..., Tensor]) -> bool:
    """Whether a later token moves an earlier result, at three sizes."""
    return any(hides_nothing_later(implementation, size) for size in (1.0, 1e3, 1e9))


SIZES = "for size in (1e3, 1e9):"
NUMBERS = "if not torch.allclose(implementation(q, k, v), torch.stack(read, dim=-2), atol=1e-4):\n        return True"

everywhere(shows_weak_mask, solutions.shows_weak_mask, shown_alone=[is_the_page])
shows_weak_mask.mistake(
    "ordinary sizes alone",
    "Your probe tries scores of an ordinary size, and there -1e4 is as good as minus infinity. The code on the page passes. Make the scores so small that they lie below what somebody may have filled in.",
    numbers_differ,
    lambda implementation: numbers_differ(implementation) or hides_nothing_later(implementation, 1.0),
)
SHALLOW = {SIZES: "for size in (1e3,):"}
UNWEIGHED = {NUMBERS: "pass"}
LOW = {
    "later_keys[:, :, -1], later_v[:, :, -1] = queries[:, :, 0], torch.randn(2, 4, 6)": "later_v[:, :, -1] = torch.randn(2, 4, 6)",
    "keys, queries = size * k, -size * k": "keys = size * torch.ones_like(k)\n        queries = -keys",
}

shows_weak_mask.mistake(
    "scores below -1e4, and not much further",
    "Your probe finds a fill of -1e4, and lets -1e9 pass. The promise says: however far below zero. Make the scores smaller by ten zeros more.",
    SHALLOW,
)
shows_weak_mask.mistake(
    "what moves and nothing else",
    "Your probe asks whether a later token moves an earlier result, and lets code pass that hides too much or weighs otherwise than attention does. Ask for the numbers as well, at an ordinary size.",
    UNWEIGHED,
    moved_alone,
)
shows_weak_mask.mistake(
    "no later score is large",
    "Your probe lets code pass that adds a number to the scores of later tokens. That shows where a later score is much larger than those that may be read: give a later token a key that an earlier query likes.",
    LOW,
)

shows_weak_mask.mistake(
    "NaN is let pass",
    "Your probe lets code pass whose results are no numbers where scores are large. Every comparison with NaN is False, so `(a - b).abs().max() > 1e-4` says nothing: ask `torch.allclose`, or whether the difference *is* small.",
    {
        "if not torch.allclose(before[:, :, :-1], after[:, :, :-1], atol=1e-4):": "if (before - after)[:, :, :-1].abs().max() > 1e-4:"
    },
)

ASKED = (
    (
        UNWEIGHED,
        "hides too much, or weighs otherwise than attention does",
        "Ask for the numbers as well, at an ordinary size.",
    ),
    (SHALLOW, "fills with -1e9", "Make the scores smaller by ten zeros more."),
    (LOW, "adds a number to the scores of later tokens", "Give a later token a key that an earlier query likes."),
)


def several() -> Iterator[Way]:
    """Two and three of these at once."""
    for count in (2, 3):
        for missing in combinations(ASKED, count):
            edits = {old: new for one, _, _ in missing for old, new in one.items()}
            passing = ", and code that ".join(passes for _, passes, _ in missing)
            advice = " ".join(advice for _, _, advice in missing)
            yield edit(edits, says=f"Your probe lets code pass that {passing}. {advice}")
    yield edit(
        {**LOW, SIZES: "for size in (1e2,):"},
        says="Your probe lets code pass that fills with a number not much lower than the page's, and code that adds a number to the scores of later tokens. Make the scores smaller by many zeros more, and give a later token a key that an earlier query likes.",
    )


shows_weak_mask.mistake(
    "several things not asked",
    "Your probe asks for less than is promised, in more than one respect.",
    *several(),
)
