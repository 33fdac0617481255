"""Wrong ways of lesson 00."""

from autograder.checks.start_here import softmax
from autograder.probing.mistake import edit

LARGEST = "x.amax(dim=dim, keepdim=True)"
FILLED = "largest.masked_fill(largest == -torch.inf, 0.0)"
DIFFERENCE = "x - largest"
POWERS = "torch.exp(x - largest)"
TOTAL = "powers.sum(dim=dim, keepdim=True)"
DIVISOR = "total.masked_fill(total == 0.0, 1.0)"
RESULT = f"powers / {DIVISOR}"

# Guarded against a row of -inf, but only against that: other rows whose powers are all 0 or inf become NaN, or zeros.
MASKED_ONLY = "(powers / total).masked_fill((x == -torch.inf).all(dim=dim, keepdim=True), 0.0)"

OVERFLOW = (
    "Your exponentials overflow: the largest score is not subtracted first. In float32, e to the power of 89 is more than the largest number that fits: "
    "it becomes inf, and inf / inf is NaN. Subtract the largest score itself along `dim`; that changes no weight, and the largest "
    "power is then 1. (With `dim`, `max` gives two things: the scores, and then where they stand.)"
)
softmax.mistake(
    "no max subtraction",
    OVERFLOW,
    {DIFFERENCE: "x"},
    edit(
        {DIFFERENCE: "x", DIVISOR: "total"},
        says=f"{OVERFLOW} This is the plain textbook formula, and articles copy it. A row of nothing but -inf breaks it too: its sum is 0, and 0 / 0 is NaN.",
    ),
    {DIFFERENCE: "x", RESULT: MASKED_ONLY},
    edit(
        {DIFFERENCE: "x + largest"},
        says="The largest score is added, not subtracted, so your exponentials overflow even sooner: e to the power of 89 is more than the largest number that fits in float32, and inf / inf is NaN.",
    ),
    edit(
        {DIFFERENCE: "x", RESULT: "torch.nan_to_num(powers / total, nan=0.0)"},
        says=f"{OVERFLOW} Turning NaN into 0 afterwards hides the overflow: the largest score of all ends up with no weight.",
    ),
    edit(
        {DIFFERENCE: "x", DIVISOR: "(total + 1e-8)"},
        says=f"{OVERFLOW} A small number added to the sum does not help: it prevents 0 / 0 and does not prevent inf / inf.",
    ),
    edit(
        {DIFFERENCE: "x", RESULT: "torch.exp(x - torch.log(total))"},
        says=f"{OVERFLOW} Going through the logarithm of the sum does not help when the sum is inf already.",
    ),
)

GLOBAL = (
    "You subtract the largest score of the whole tensor. That is enough until rows lie far apart: next to a row of scores about 1000, "
    "a row about 0 becomes e to the power of -1000, which is 0, and its weights are lost. Each row needs its own largest "
    "score: `x.amax(dim=dim, keepdim=True)`."
)
softmax.mistake(
    "global max",
    GLOBAL,
    {LARGEST: "x.max()"},
    edit(
        {LARGEST: "x.max()", DIVISOR: "total"},
        says=f"{GLOBAL} If all powers of a row are 0, as in a row of -inf, dividing gives 0 / 0, which is NaN.",
    ),
    {LARGEST: "x.max()", RESULT: MASKED_ONLY},
    {LARGEST: "x.max()", DIVISOR: "(total + 1e-8)"},
)

softmax.mistake(
    "NaN on a row of -inf",
    "A row of nothing but -inf becomes NaN. Either of two places is enough for that: -inf minus the row's largest score, which is -inf too, "
    "is NaN; and where all powers are 0, so is their sum, and 0 / 0 is NaN. Such rows come up whenever a mask hides everything, and one NaN "
    "spoils the batch. Such a row has to give zeros. Look at both places, and whether the values that you put there are the ones used afterwards.",
    {FILLED: "largest", DIVISOR: "total"},
    {FILLED: "largest"},
    {DIVISOR: "total"},
)

softmax.mistake(
    "even weights on a row of -inf",
    "A row of nothing but -inf gets even weights. Putting a number such as -1e9 in the place of -inf makes all its scores equal, and "
    "equal scores share the weight: what should see nothing sees everything. Such a row has to give zeros.",
    {"# BEGIN SOLUTION": "x = x.clamp(min=-1e9)"},
)

softmax.mistake(
    "a score of 0 taken for masked",
    "A score of exactly 0 gets no weight. 0 is a score like any other: two tokens that have nothing in common get it. Only a token that must not be "
    "seen has the score -inf.",
    {"# BEGIN SOLUTION": "x = x.masked_fill(x == 0, -torch.inf)"},
)

softmax.mistake(
    "dim ignored",
    "You always work along the last dimension. The function takes `dim` as an argument: use it for the largest score and for the sum.",
    {LARGEST: "x.amax(dim=-1, keepdim=True)", TOTAL: "powers.sum(dim=-1, keepdim=True)"},
    {TOTAL: "powers.sum(dim=-1, keepdim=True)"},
)

softmax.mistake(
    "dim ignored for the max",
    "You take the largest score along the last dimension, whatever `dim` says. What is subtracted has to be one number for all "
    "scores that are weighed against each other, or the weights change: take it along `dim` too.",
    {LARGEST: "x.amax(dim=-1, keepdim=True)"},
)

softmax.mistake(
    "over the wrong dimension",
    "You normalize over another dimension than `dim`. The weights have to sum to 1 along `dim`, which is the last dimension by default. Look at the "
    "dimension of the largest score and of the sum.",
    *(
        {LARGEST: f"x.amax(dim={dim}, keepdim=True)", TOTAL: f"powers.sum(dim={dim}, keepdim=True)"}
        for dim in ("0", "1", "-2")
    ),
    {"dim: int = -1": "dim: int = 0"},
    {"dim: int = -1": "dim: int = 1"},
    {TOTAL: "powers.sum(dim=0, keepdim=True)"},
)

softmax.mistake(
    "over everything",
    "You divide by one sum for the whole tensor. Then all weights together sum to 1, and no single row does. Sum along `dim`, "
    "with `keepdim=True`.",
    {LARGEST: "x.max()", TOTAL: "powers.sum()"},
    {TOTAL: "powers.sum()"},
)

softmax.mistake(
    "no keepdim",
    "A reduction lost its dimension. Without `keepdim=True` a sum along the last dimension of (3, 4) has shape (3) and does not line up "
    "with the rows. On a square of scores torch does not even complain: it lines the sums up with the columns.",
    {TOTAL: "powers.sum(dim=dim)"},
    {LARGEST: "x.amax(dim=dim)"},
    {LARGEST: "x.amax(dim=dim)", TOTAL: "powers.sum(dim=dim)"},
    # `logsumexp` subtracts a largest score of its own, which is right.
    {RESULT: "torch.exp(x - (largest + torch.log(total)).squeeze(dim))"},
)

softmax.mistake(
    "no exponentials",
    "You divide the scores by their sum, without exponentials. Scores may be negative: then weights are negative too, and a sum near 0 makes them huge. "
    "Take e to the power of each score first; a power of e is never negative.",
    {POWERS: "x"},
    {POWERS: "x", RESULT: MASKED_ONLY},
    {POWERS: "(x - largest)"},
    # A guard against a sum of 0 as one writes it where nothing is negative.
    {POWERS: "(x - largest)", DIVISOR: "total.masked_fill(total <= 0.0, 1.0)"},
)

softmax.mistake(
    "divided by the sum of the scores",
    "You divide the powers by the sum of the scores. The weights of a row sum to 1 only when each power is divided by the sum of the powers.",
    {TOTAL: "x.sum(dim=dim, keepdim=True)"},
)

softmax.mistake(
    "not divided by the sum",
    "Your powers are not divided by their sum. They are positive, and the largest is 1, but a row does not sum to 1. Divide each by the sum "
    "of the powers along `dim`.",
    {RESULT: "powers"},
    edit(
        {DIFFERENCE: "x", RESULT: "powers"},
        says="What you return are the exponentials of the scores. A row of them does not sum to 1: divide each by the sum of the powers "
        "along `dim`. (And subtract the largest score before: e to the power of 89 is inf.)",
    ),
)

softmax.mistake(
    "divided by their number",
    "You divide the powers by their number. Softmax divides by their sum, so that the weights of a row sum to 1.",
    {RESULT: "powers / x.size(dim)"},
    {RESULT: "powers / len(x)"},
    {RESULT: "powers / x.size(-1)"},
    {RESULT: "powers / x.numel()"},
    {RESULT: "powers.mean(dim=dim, keepdim=True)"},
)

softmax.mistake(
    "divided by the mean of the powers",
    "You divide the powers by their mean. It is their sum divided by their number, so a row sums to that number and not to 1. Take the sum along `dim`.",
    {TOTAL: "powers.mean(dim=dim, keepdim=True)"},
)

softmax.mistake(
    "a number added to the sum",
    "A number is added to the sum, so a row sums to less than 1. If it is meant to keep 0 / 0 away: put 1 in the place of a sum that is 0, and leave all other sums as they are.",
    *({DIVISOR: f"(total + {number})"} for number in ("1.0", "0.1", "0.01", "0.001")),
    edit(
        {DIFFERENCE: "x", DIVISOR: "(total + 1.0)"},
        says="1 is added to the sum, so a row sums to less than 1. Some call this softmax one, or quiet attention; here every row has to sum to 1. (And subtract the largest score before: e to the power of 89 is inf.)",
    ),
)

softmax.mistake(
    "another score than the largest subtracted",
    "What you subtract is not the largest score. Any number that is the same for a whole row gives the same weights, as long as nothing overflows; only with the largest no power is above 1. "
    "With another one a score far above it becomes inf, and inf / inf is NaN. Look at how the number that is subtracted is found.",
    {LARGEST: "x.mean(dim=dim, keepdim=True)"},
    {LARGEST: "x.median(dim=dim, keepdim=True).values"},
    {LARGEST: "x.narrow(dim, 0, 1)"},
    {LARGEST: "x.amin(dim=dim, keepdim=True)"},
)

softmax.mistake(
    "another base than e",
    "You take powers of another number than e. Small scores then weigh too much, or too little: softmax is e to the power of each score, `torch.exp`.",
    {POWERS: "2.0 ** (x - largest)"},
    {POWERS: "10.0 ** (x - largest)"},
)

softmax.mistake(
    "max subtracted in one place only",
    "The largest score is subtracted in the denominator and not in the numerator. The subtraction cancels only when both have it. "
    "Compute the powers once and use them in both places.",
    {"return powers /": "return torch.exp(x) /"},
)

softmax.mistake(
    "sign turned",
    "Large scores get small weights. You compute largest minus score; it should be score minus largest.",
    {DIFFERENCE: "largest - x"},
    # The weights of -x, from which its own largest number is subtracted.
    {LARGEST: "x.amin(dim=dim, keepdim=True)", DIFFERENCE: "largest - x"},
)

softmax.mistake(
    "logarithm of the weights",
    "You return the logarithm of the weights. A loss function often needs the logarithm; here the weights themselves are asked for.",
    {RESULT: "x - largest - torch.log(total)"},
    {RESULT: f"x - largest - torch.log({DIVISOR})"},
    {RESULT: f"torch.log({RESULT})"},
    {FILLED: "largest", RESULT: "torch.log(powers / total)"},
    {DIFFERENCE: "x", RESULT: "x - torch.log(total)"},
    {DIFFERENCE: "x", RESULT: "torch.log(powers / total)"},
)

softmax.mistake(
    "sum detached",
    "The sum is cut off from the graph. The values are right, but every weight depends on every score of its row through the sum, and the "
    "gradient has to pass through it. Look for `detach`, `.data`, `.item()` or `no_grad`. (The largest score may be cut off: it cancels.)",
    {TOTAL: f"{TOTAL}.detach()"},
    {LARGEST: f"{LARGEST}.detach()", TOTAL: f"{TOTAL}.detach()"},
)

softmax.mistake(
    "cut off from the gradient",
    "No gradient reaches the scores. The values are right, but whatever made the scores would never learn. Look for `detach`, `.data`, `no_grad` or a tensor made anew.",
    {RESULT: f"({RESULT}).detach()"},
    edit(
        {POWERS: "torch.exp(x.detach() - largest)"},
        says="The scores are cut off from the graph before the exponential. The values are right, but whatever made the scores would never learn. Look for `detach`, `.data` or `no_grad`.",
    ),
)

softmax.mistake(
    "scores divided as well",
    "Your scores are divided by a number before the exponential. The weights come out too even. Attention divides its scores by √d before they reach the softmax, and a temperature is an argument of its own: here the scores are taken as they are.",
    {DIFFERENCE: "(x - largest) / x.size(dim) ** 0.5"},
    {DIFFERENCE: "(x - largest) / x.size(-1) ** 0.5"},
    {DIFFERENCE: "(x - largest) / 2"},
)

softmax.mistake(
    "only the largest gets a weight",
    "The largest score gets 1 and all others 0. That is a choice, which has no gradient. The weights of a softmax grow with the scores: powers of e, divided by their sum.",
    {RESULT: "(x == largest).to(x)"},
    edit(
        {RESULT: f"(x == {LARGEST}).to(x)"},
        says="The largest score gets 1 and all others 0, and in a row of nothing but -inf all get 1. That is a choice, which has no gradient. The weights of a softmax grow with the scores: powers of e, divided by their sum.",
    ),
)

softmax.mistake(
    "weights rounded",
    "Your weights are rounded. Small ones become 0, a row no longer sums to 1, and rounding has no gradient. Return them as they are; a print can round.",
    *({RESULT: f"({RESULT}).round(decimals={places})"} for places in (2, 3, 4)),
)

softmax.mistake(
    "sigmoid instead of the exponential",
    "You take a sigmoid where the exponential is meant. A sigmoid is never above 1, so large scores hardly stand out. Take e to the power of each score.",
    {POWERS: "torch.sigmoid(x - largest)"},
    {POWERS: "torch.sigmoid(x)"},
    {POWERS: "torch.sigmoid(x)", RESULT: MASKED_ONLY},
    edit(
        {RESULT: "torch.sigmoid(x)"},
        says="Your weights come from a sigmoid. It looks at every score alone, so a row does not sum to 1. Take e to the power of each score, and divide by the sum.",
    ),
)

WRITES = (
    "Your code writes into the tensor it was given. The caller still needs those scores. `x -= largest` and `x.exp_()` do "
    "this; `x = x - largest` does not."
)
softmax.mistake(
    "writes into its input",
    WRITES,
    {DIFFERENCE: "x.sub_(largest)"},
    {RESULT: f"torch.exp(x.sub_(largest + torch.log({DIVISOR})))"},
    edit(
        {POWERS: "x.exp_()", DIVISOR: "total"},
        says=f"{WRITES} And nothing is subtracted before the exponential, which overflows from 89 on.",
    ),
)
