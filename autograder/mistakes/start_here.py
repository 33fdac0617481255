"""Wrong ways of lesson 00. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

LARGEST = "x.amax(dim=dim, keepdim=True)"
FILLED = "largest.masked_fill(largest == -torch.inf, 0.0)"
DIFFERENCE = "x - largest"
POWERS = "torch.exp(x - largest)"
TOTAL = "powers.sum(dim=dim, keepdim=True)"
DIVISOR = "total.masked_fill(total == 0.0, 1.0)"

OVERFLOW = (
    "Your exponentials are taken of the scores as they are. In float32, e to the power of 89 is more than the largest number there is: it "
    "becomes inf, and inf / inf is NaN. Subtract the largest score along `dim` first; that changes no weight, and the largest "
    "power is then 1."
)
no_max = Mistake("no max subtraction", of="softmax", swap=DIFFERENCE, by="x", says=OVERFLOW)
textbook = Mistake(
    "no max subtraction",
    of="softmax",
    swaps={DIFFERENCE: "x", DIVISOR: "total"},
    says=f"{OVERFLOW} It is the textbook formula as it stands, and articles copy it. A row of nothing but -inf breaks it too: its sum is 0, and 0 / 0 is NaN.",
)

# Guarded against a row of -inf, but only against that: other rows whose powers are all 0 or inf become NaN, or zeros.
MASKED_ONLY = "(powers / total).masked_fill((x == -torch.inf).all(dim=dim, keepdim=True), 0.0)"
RESULT = f"powers / {DIVISOR}"
no_max_masked_only = Mistake(
    "no max subtraction", of="softmax", swaps={DIFFERENCE: "x", RESULT: MASKED_ONLY}, says=OVERFLOW
)
no_max_nan_to_zero = Mistake(
    "no max subtraction",
    of="softmax",
    swaps={DIFFERENCE: "x", RESULT: "torch.nan_to_num(powers / total, nan=0.0)"},
    says=f"{OVERFLOW} Turning NaN into 0 afterwards hides the overflow: the largest score of all ends up with no weight.",
)
no_max_eps = Mistake(
    "no max subtraction",
    of="softmax",
    swaps={DIFFERENCE: "x", DIVISOR: "(total + 1e-8)"},
    says=f"{OVERFLOW} A small number added to the sum does not help: it keeps 0 / 0 away, not inf / inf.",
)

no_max_log = Mistake(
    "no max subtraction",
    of="softmax",
    swaps={DIFFERENCE: "x", RESULT: "torch.exp(x - torch.log(total))"},
    says=f"{OVERFLOW} Going through the logarithm of the sum does not help when the sum is inf already.",
)

GLOBAL = (
    "You subtract the largest score of the whole tensor. That is enough until rows lie far apart: next to a row of scores about 1000, "
    "a row about 0 becomes e to the power of -1000, which is 0, and its weights are lost. Each row needs its own largest "
    "score: `x.amax(dim=dim, keepdim=True)`."
)
global_max = Mistake("global max", of="softmax", swap=LARGEST, by="x.max()", says=GLOBAL)
global_max_nan = Mistake(
    "global max",
    of="softmax",
    swaps={LARGEST: "x.max()", DIVISOR: "total"},
    says=f"{GLOBAL} If all powers of a row are 0, as in a row of -inf, dividing gives 0 / 0, which is NaN.",
)
global_max_masked_only = Mistake(
    "global max", of="softmax", swaps={LARGEST: "x.max()", RESULT: MASKED_ONLY}, says=GLOBAL
)
global_max_eps = Mistake("global max", of="softmax", swaps={LARGEST: "x.max()", DIVISOR: "(total + 1e-8)"}, says=GLOBAL)

NAN_ROW = (
    "A row of nothing but -inf becomes NaN. Its largest score is -inf, and -inf minus -inf is NaN; its powers sum to 0, and 0 / 0 is NaN. "
    "Such rows come up whenever a mask hides everything, and one NaN spoils the batch. Give the row zeros: look at both places."
)
nan_row = Mistake("NaN on a row of -inf", of="softmax", swaps={FILLED: "largest", DIVISOR: "total"}, says=NAN_ROW)
nan_difference = Mistake("NaN on a row of -inf", of="softmax", swap=FILLED, by="largest", says=NAN_ROW)
nan_quotient = Mistake("NaN on a row of -inf", of="softmax", swap=DIVISOR, by="total", says=NAN_ROW)

even_row = Mistake(
    "even weights on a row of -inf",
    of="softmax",
    swap="# BEGIN SOLUTION",
    by="x = x.clamp(min=-1e9)",
    says="A row of nothing but -inf gets even weights. Putting a number such as -1e9 in the place of -inf makes all its scores equal, and "
    "equal scores share the weight: what should see nothing sees everything. Such a row has to give zeros.",
)

zero_masked = Mistake(
    "a score of 0 taken for masked",
    of="softmax",
    swap="# BEGIN SOLUTION",
    by="x = x.masked_fill(x == 0, -torch.inf)",
    says="A score of exactly 0 gets no weight. 0 is a score like any other: two tokens that have nothing in common have it. What must not be "
    "seen has the score -inf.",
)

IGNORED = "You always work along the last dimension. The function takes `dim` as an argument; use that one, for the largest score and for the sum."
dim_ignored = Mistake(
    "dim ignored",
    of="softmax",
    swaps={LARGEST: "x.amax(dim=-1, keepdim=True)", TOTAL: "powers.sum(dim=-1, keepdim=True)"},
    says=IGNORED,
)
sum_ignores_dim = Mistake("dim ignored", of="softmax", swap=TOTAL, by="powers.sum(dim=-1, keepdim=True)", says=IGNORED)
max_ignores_dim = Mistake(
    "dim ignored for the max",
    of="softmax",
    swap=LARGEST,
    by="x.amax(dim=-1, keepdim=True)",
    says="You take the largest score along the last dimension, whatever `dim` says. What is subtracted has to be one number for all "
    "scores that are weighed against each other, or the weights change: take it along `dim` too.",
)

OTHER = (
    "You normalize over another dimension than the one asked for. The weights have to sum to 1 along `dim`, and that is the last one if "
    "nothing is said. Look at the dimension of the largest score and of the sum."
)


def along(dim: str) -> Mistake:
    """Largest score and sum along a fixed dimension that is not the last."""
    swaps = {LARGEST: f"x.amax(dim={dim}, keepdim=True)", TOTAL: f"powers.sum(dim={dim}, keepdim=True)"}
    return Mistake("over the wrong dimension", of="softmax", swaps=swaps, says=OTHER)


along_first = along("0")
along_second = along("1")
along_last_but_one = along("-2")
other_default = Mistake("over the wrong dimension", of="softmax", swap="dim: int = -1", by="dim: int = 0", says=OTHER)
sum_along_first = Mistake(
    "over the wrong dimension", of="softmax", swap=TOTAL, by="powers.sum(dim=0, keepdim=True)", says=OTHER
)

EVERYTHING = (
    "You divide by one sum for the whole tensor. Then all weights together sum to 1, and no single row does. Sum along `dim`, "
    "with `keepdim=True`."
)
over_everything = Mistake(
    "over everything", of="softmax", swaps={LARGEST: "x.max()", TOTAL: "powers.sum()"}, says=EVERYTHING
)
sum_of_everything = Mistake("over everything", of="softmax", swap=TOTAL, by="powers.sum()", says=EVERYTHING)

KEEPDIM = (
    "A reduction lost its dimension. Without `keepdim=True` a sum along the last dimension of (3, 4) has shape (3) and does not line up "
    "with the rows. On a square of scores torch does not even complain: it lines the sums up with the columns."
)
no_keepdim = Mistake("no keepdim", of="softmax", swap=TOTAL, by="powers.sum(dim=dim)", says=KEEPDIM)
no_keepdim_max = Mistake("no keepdim", of="softmax", swap=LARGEST, by="x.amax(dim=dim)", says=KEEPDIM)
no_keepdim_both = Mistake(
    "no keepdim", of="softmax", swaps={LARGEST: "x.amax(dim=dim)", TOTAL: "powers.sum(dim=dim)"}, says=KEEPDIM
)

SUMS = (
    "You divide the scores by their sum, without exponentials. Scores may be negative: then weights are too, and a sum near 0 makes "
    "them huge. Take e to the power of each score first; that is never negative."
)
plain_sum = Mistake("no exponentials", of="softmax", swap=POWERS, by="x", says=SUMS)
plain_difference = Mistake("no exponentials", of="softmax", swap=POWERS, by="(x - largest)", says=SUMS)

score_sum = Mistake(
    "divided by the sum of the scores",
    of="softmax",
    swap=TOTAL,
    by="x.sum(dim=dim, keepdim=True)",
    says="You divide the powers by the sum of the scores. The weights of a row sum to 1 only when each power is divided by the sum of the powers.",
)
half_shifted = Mistake(
    "max subtracted in one place only",
    of="softmax",
    swap="return powers /",
    by="return torch.exp(x) /",
    says="The largest score is subtracted below the fraction line and not above it. The subtraction cancels only when both have it. "
    "Compute the powers once and use them in both places.",
)
turned = Mistake(
    "sign turned",
    of="softmax",
    swap=DIFFERENCE,
    by="largest - x",
    says="Large scores get small weights. You subtract the score from the largest one; it is the other way round, score minus largest.",
)
log_weights = Mistake(
    "logarithm of the weights",
    of="softmax",
    swap=RESULT,
    by="x - largest - torch.log(total)",
    says="You return the logarithm of the weights. A loss function often wants that; here the weights themselves are asked for.",
)

CUT = (
    "The sum is cut off from the graph. The values are right, but every weight depends on every score of its row through the sum, and the "
    "gradient has to pass through it. Look for `detach`, `.data`, `.item()` or `no_grad`. (The largest score may be cut off: it cancels.)"
)
cut_sum = Mistake("sum detached", of="softmax", swap=TOTAL, by=f"{TOTAL}.detach()", says=CUT)
cut_both = Mistake(
    "sum detached", of="softmax", swaps={LARGEST: f"{LARGEST}.detach()", TOTAL: f"{TOTAL}.detach()"}, says=CUT
)

WRITES = (
    "Your code writes into the tensor it was given. Whoever called it still needs those scores. `x -= largest` and `x.exp_()` do "
    "this; `x = x - largest` does not."
)
in_place = Mistake("writes into its input", of="softmax", swap=DIFFERENCE, by="x.sub_(largest)", says=WRITES)
textbook_in_place = Mistake(
    "writes into its input",
    of="softmax",
    swaps={POWERS: "x.exp_()", DIVISOR: "total"},
    says=f"{WRITES} And nothing is subtracted before the exponential, which overflows from 89 on.",
)
