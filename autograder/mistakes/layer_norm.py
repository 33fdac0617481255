"""Wrong ways of lesson 01. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

BOTH = ("normalize", "LayerNorm")
DIVISION = "torch.sqrt(variance + eps)"
FORWARD = "self.weight * normalize(x, self.eps) + self.bias"

STATISTICS = "The mean and the variance of a token are taken over its own features, the last dimension (`dim=-1`)."


# The dimensions of mean and variance alone, so that an edit of the rest of the line goes together with them.
MEAN_DIM = "x.mean(dim=-1, keepdim=True)"
VARIANCE_DIM = "dim=-1, keepdim=True)  #"
MEAN_OF_SQUARES = ".square().mean("


def over(name: str, dim: str, says: str) -> Mistake:
    """Mean and variance over other dimensions."""
    edits = {MEAN_DIM: f"x.mean(dim={dim}, keepdim=True)", VARIANCE_DIM: f"dim={dim}, keepdim=True)  #"}
    return Mistake(name, of=BOTH, swaps=edits, says=says)


n_minus_1 = Mistake(
    "variance over n - 1",
    of=BOTH,
    swap=MEAN_OF_SQUARES,
    by=".var(",
    says="Your variance is divided by n - 1, not by n. `var` and `std` of torch do this unless told otherwise: they estimate the "
    "variance of a population from a sample, and a token's features are no sample. Look at the line that computes the variance.",
)

std_plus_eps = Mistake(
    "std + eps",
    of=BOTH,
    swaps={MEAN_OF_SQUARES: ".var(", DIVISION: "(torch.sqrt(variance) + eps)"},
    says="You divide by `x.std(-1) + eps`. Two slips in one: `std` counts n - 1 features instead of n, and eps belongs inside the "
    "root, √(variance + eps). The best known annotated implementation of the paper has both, and articles copied it.",
)

eps_outside = Mistake(
    "eps outside the root",
    of=BOTH,
    swap=DIVISION,
    by="(torch.sqrt(variance) + eps)",
    says="Your eps is added outside the root. The formula is √(variance + eps), not √variance + eps: for a token of small "
    "variance the two differ a lot, and at variance 0 the root alone has an infinite slope. Look at the division.",
)

no_eps = Mistake(
    "no eps",
    of=BOTH,
    swap=DIVISION,
    by="torch.sqrt(variance)",
    says="Your eps is not used. A token whose features are all equal has variance 0 and becomes NaN, and one NaN "
    "spoils the whole batch. Add eps to the variance before the root.",
)


def lower_bound(of: str | tuple[str, ...], swap: str, by: str) -> Mistake:
    return Mistake(
        "eps as a lower bound",
        of=of,
        swap=swap,
        by=by,
        says="Your eps is a lower bound: it counts only where the spread is smaller, and to all other tokens nothing is added. "
        "`clamp(min=eps)`, `max` and the eps of `F.normalize` do this. In the formula eps is always added, inside the root.",
    )


clamped_std = lower_bound(BOTH, DIVISION, "torch.sqrt(variance).clamp(min=eps)")
clamped_variance = lower_bound(BOTH, DIVISION, "torch.sqrt(variance.clamp(min=eps))")
# The length of the centred token, √n times its spread, as `F.normalize` bounds it.
clamped_length = lower_bound(
    BOTH, DIVISION, "((x - mean).norm(dim=-1, keepdim=True).clamp(min=eps) / x.size(-1) ** 0.5)"
)

no_root = Mistake(
    "no root",
    of=BOTH,
    swap=DIVISION,
    by="(variance + eps)",
    says="You divide by the variance, not by its root. The spread of a token is its standard deviation, √(variance + eps); dividing "
    "by the variance leaves large tokens small and small ones large.",
)

eps_squared_root_only = Mistake(
    "eps fixed",
    of="normalize",
    swap=DIVISION,
    by="torch.sqrt(variance + 1e-5)",
    says="Your eps is a fixed number. The function takes it as an argument; use that one.",
)

eps_not_passed = Mistake(
    "eps fixed",
    of="LayerNorm",
    swap="normalize(x, self.eps)",
    by="normalize(x)",
    says="The eps given to the constructor is not used. `normalize` falls back to its own default; pass it `self.eps`.",
)


def default_eps(of: str, given: str, other: str) -> Mistake:
    """Another default for eps, as other codebases have it."""
    says = (
        f"Your eps is another one when none is given. The signature says eps={given}; 1e-6, 1e-8 and 1e-12 are the defaults of "
        "other codebases. For a token of small variance the result depends on it."
    )
    return Mistake(
        "another default for eps", of=of, swap=f"eps: float = {given}", by=f"eps: float = {other}", says=says
    )


normalize_eps_6, layer_eps_6 = default_eps("normalize", "1e-5", "1e-6"), default_eps("LayerNorm", "1e-5", "1e-6")
normalize_eps_8, layer_eps_8 = default_eps("normalize", "1e-5", "1e-8"), default_eps("LayerNorm", "1e-5", "1e-8")
normalize_eps_12, layer_eps_12 = default_eps("normalize", "1e-5", "1e-12"), default_eps("LayerNorm", "1e-5", "1e-12")
rms_eps_5 = default_eps("RMSNorm", "1e-6", "1e-5")
rms_eps_8, rms_eps_12 = default_eps("RMSNorm", "1e-6", "1e-8"), default_eps("RMSNorm", "1e-6", "1e-12")

length = Mistake(
    "sum of squares",
    of=BOTH,
    swap=MEAN_OF_SQUARES,
    by=".square().sum(",
    says="You divide by the root of the sum of squares. The variance is their mean: the sum over all n features, divided by n. "
    "As it stands every token gets length 1 instead of variance 1.",
)

only_mean_divided = Mistake(
    "only the mean is divided",
    of=BOTH,
    swap="return (x - mean) / torch.sqrt(variance + eps)",
    by="return x - mean / torch.sqrt(variance + eps)",
    says="Only the mean is divided. `/` binds tighter than `-`: what is to be divided, x - mean, needs brackets.",
)

root_twice = Mistake(
    "root taken twice",
    of=BOTH,
    swap=DIVISION,
    by="torch.sqrt(torch.sqrt(variance) + eps)",
    says="The root is taken twice. The standard deviation is a root already; take the variance, add eps, and then one root.",
)
root_twice_n_minus_1 = Mistake(
    "root taken twice",
    of=BOTH,
    swaps={MEAN_OF_SQUARES: ".var(", DIVISION: "torch.sqrt(torch.sqrt(variance) + eps)"},
    says="The root is taken twice. `std` is a root already, and it counts n - 1 features besides: take `var` with "
    "`correction=0`, add eps, and then one root.",
)

no_mean = Mistake(
    "mean not subtracted",
    of=BOTH,
    swap="(x - mean) /",
    by="x /",
    says="The mean is not subtracted. Your numbers are divided by the right spread, but they are not centred on 0. "
    "It is (x - mean) that is divided.",
)

root_mean_square = Mistake(
    "RMSNorm instead of LayerNorm",
    of=BOTH,
    swaps={"variance = (x - mean)": "variance = x", "(x - mean) /": "x /"},
    says="This is RMSNorm, not layer normalization. It divides by the root mean square and never subtracts the mean. "
    "Both are in use; here the mean has to go, and the variance is taken around it.",
)

around_zero = Mistake(
    "mean square instead of variance",
    of=BOTH,
    swap="variance = (x - mean)",
    by="variance = x",
    says="Your variance is taken around 0, not around the mean. The variance is the mean of (x - mean)², the squares of the "
    "distances from the mean.",
)

over_sequence = over(
    "over the sequence",
    "-2",
    f"You normalize over the sequence, not over the features. {STATISTICS} Over the sequence, a token would change when "
    "another one does, and the future would leak into the past.",
)
over_dim_1 = over("over the sequence", "1", over_sequence.says)
over_batch = over(
    "over the batch",
    "tuple(range(x.dim() - 1))",
    f"You normalize each feature over the batch and the tokens. That is batch normalization, and a Transformer does not use it. {STATISTICS}",
)
over_dim_0 = over("over the batch", "0", over_batch.says)
over_dims_0_1 = over("over the batch", "(0, 1)", over_batch.says)
over_everything = over(
    "over everything",
    "tuple(range(x.dim()))",
    f"You take one mean and one variance for the whole input. {STATISTICS} As it stands every token depends on all others, "
    "those of other sequences included.",
)
over_whole_sequence = over(
    "over a whole sequence at once",
    "(-2, -1)",
    f"You take one mean and one variance for all tokens of a sequence together. {STATISTICS}",
)
over_all_but_the_batch = over(
    "over a whole sequence at once", "tuple(range(1, x.dim())) or (0,)", over_whole_sequence.says
)

KEEPDIM = (
    "A statistic lost its dimension. `x.mean(dim=-1)` of shape (3, 4) has shape (3) and does not line up with the tokens; with "
    "`keepdim=True` it is (3, 1). On a square input torch would not even complain."
)
NO_MEAN_DIM, NO_VARIANCE_DIM = "x.mean(dim=-1)", "dim=-1)  #"
OWN_MEAN = {"variance = (x - mean)": "variance = (x - x.mean(-1, keepdim=True))"}

no_keepdim_mean = Mistake("no keepdim", of=BOTH, swap=MEAN_DIM, by=NO_MEAN_DIM, says=KEEPDIM)
no_keepdim_variance = Mistake(
    "no keepdim",
    of=BOTH,
    swap=VARIANCE_DIM,
    by=NO_VARIANCE_DIM,
    says=f"{KEEPDIM} Pass it by name: in `x.var(-1, True)` the True is not keepdim, it asks for n - 1.",
)
no_keepdim = Mistake("no keepdim", of=BOTH, swaps={MEAN_DIM: NO_MEAN_DIM, VARIANCE_DIM: NO_VARIANCE_DIM}, says=KEEPDIM)
# `var` subtracts a mean of its own, which is right.
no_keepdim_mean_var = Mistake("no keepdim", of=BOTH, swaps={MEAN_DIM: NO_MEAN_DIM, **OWN_MEAN}, says=KEEPDIM)
no_keepdim_var = Mistake(
    "no keepdim", of=BOTH, swaps={MEAN_DIM: NO_MEAN_DIM, VARIANCE_DIM: NO_VARIANCE_DIM, **OWN_MEAN}, says=KEEPDIM
)

DETACHED = (
    "The statistics are cut off from the graph. The values are right, but mean and variance depend on x too, and the "
    "gradient has to pass through them. Look for `detach`, `.data`, `.item()` or `no_grad`."
)


def cut(line: str) -> Mistake:
    """A line before the return that takes statistics out of the graph; it goes together with edits of the others."""
    return Mistake("statistics detached", of=BOTH, says=DETACHED, swap="return", by=f"{line}\n    return")


detached = cut("mean, variance = mean.detach(), variance.detach()")
detached_mean = cut("mean = mean.detach()")
detached_variance = cut("variance = variance.detach()")

in_place = Mistake(
    "writes into its input",
    of=BOTH,
    swap="(x - mean) /",
    by="x.sub_(mean) /",
    says="Your code writes into the tensor it was given. Whoever called it still needs that tensor: the residual connection around "
    "every layer does. `x -= mean` and `x.sub_(mean)` do this; `x = x - mean` does not.",
)

no_weight = Mistake(
    "weight missing",
    of="LayerNorm",
    swap="self.weight * normalize",
    by="normalize",
    says="The weight is not used. After normalizing, every feature is multiplied by its own learned weight.",
)
no_weight_at_all = Mistake(
    "weight missing",
    of="LayerNorm",
    swaps={
        "self.weight * normalize": "normalize",
        "self.weight = nn.Parameter(torch.ones(d_model))": "pass",
    },
    says=no_weight.says,
)
no_bias = Mistake(
    "bias missing",
    of="LayerNorm",
    swap=" + self.bias",
    by="",
    says="The bias is not used. After the weight, every feature gets its own learned bias added.",
)
no_bias_at_all = Mistake(
    "bias missing",
    of="LayerNorm",
    swaps={" + self.bias": "", "self.bias = nn.Parameter(torch.zeros(d_model))": "pass"},
    says=no_bias.says,
)
swapped = Mistake(
    "weight and bias swapped",
    of="LayerNorm",
    swap=FORWARD,
    by="self.bias * normalize(x, self.eps) + self.weight",
    says="Weight and bias have changed places. The weight multiplies, the bias is added. At the start the weight is 1 and the bias 0: "
    "swapped, every output would be 1.",
)
before = Mistake(
    "weight and bias before normalizing",
    of="LayerNorm",
    swap=FORWARD,
    by="normalize(self.weight * x + self.bias, self.eps)",
    says="Weight and bias are applied before normalizing. The normalization then undoes much of what they did. First normalize, "
    "then scale and shift.",
)
weight_before = Mistake(
    "weight and bias before normalizing",
    of="LayerNorm",
    swap=FORWARD,
    by="normalize(self.weight * x, self.eps) + self.bias",
    says="The weight is applied before normalizing. The normalization then undoes much of what it did. First normalize, "
    "then multiply by the weight.",
)
bias_scaled = Mistake(
    "bias scaled by the weight",
    of="LayerNorm",
    swap=FORWARD,
    by="self.weight * (normalize(x, self.eps) + self.bias)",
    says="The bias is multiplied by the weight. It is added last: weight · normalized + bias. Look at the brackets.",
)
ONE_NUMBER = "The parameters are one number each. Every feature needs a weight and a bias of its own, so both have length d_model."
one_weight = Mistake(
    "weight of shape (1,)",
    of="LayerNorm",
    swap="torch.ones(d_model)",
    by="torch.ones(1)",
    says=ONE_NUMBER,
)
one_weight_and_bias = Mistake(
    "weight of shape (1,)",
    of="LayerNorm",
    swaps={"torch.ones(d_model)": "torch.ones(1)", "torch.zeros(d_model)": "torch.zeros(1)"},
    says=ONE_NUMBER,
)
one_number_each = Mistake(
    "weight of shape (1,)",
    of="LayerNorm",
    swaps={"torch.ones(d_model)": "torch.tensor(1.0)", "torch.zeros(d_model)": "torch.tensor(0.0)"},
    says=ONE_NUMBER,
)
no_parameters = Mistake(
    "weight and bias are no parameters",
    of="LayerNorm",
    swaps={
        "nn.Parameter(torch.ones(d_model))": "torch.ones(d_model)",
        "nn.Parameter(torch.zeros(d_model))": "torch.zeros(d_model)",
    },
    says="Weight and bias are no parameters of your layer. An optimizer sees only what is an `nn.Parameter`: anything else, a plain "
    "tensor or a buffer, stays at 1 and 0 for ever.",
)
random_start = Mistake(
    "wrong start",
    of="LayerNorm",
    swap="torch.ones(d_model)",
    by="torch.zeros(d_model)",
    says="The weight starts at 0. Then every output of the fresh layer is 0 and so is every gradient behind it. It starts at 1.",
)
bias_starts_at_one = Mistake(
    "wrong start",
    of="LayerNorm",
    swap="torch.zeros(d_model)",
    by="torch.ones(d_model)",
    says="The bias starts at 1. A fresh layer should only normalize: weight 1, bias 0.",
)

# RMSNorm ----------------------------------------------------------------------------

# Three pieces of one line, so that slips in one go together with slips in another.
SQUARE_MEAN, SQUARE_DIM, SQUARE_END = "x.square().mean(", "dim=-1", "keepdim=True)"
VARIANCE_END = "keepdim=True, correction=0)"
RMS_DIVISION = "torch.sqrt(mean_square + self.eps)"

rms_layer_norm = Mistake(
    "LayerNorm instead of RMSNorm",
    of="RMSNorm",
    swaps={
        SQUARE_MEAN: "x.var(",
        SQUARE_END: VARIANCE_END,
        "self.weight * x /": "self.weight * (x - x.mean(dim=-1, keepdim=True)) /",
    },
    says="This is layer normalization without a bias. RMSNorm never subtracts the mean, and it divides by the root of the mean of the squares. "
    "That is its whole point: one pass less.",
)
rms_variance = Mistake(
    "variance instead of mean square",
    of="RMSNorm",
    swaps={SQUARE_MEAN: "x.var(", SQUARE_END: VARIANCE_END},
    says="You divide by the standard deviation. RMSNorm knows no mean: it squares x itself, takes the mean of that, and the root.",
)
rms_centred = Mistake(
    "mean subtracted",
    of="RMSNorm",
    swap="self.weight * x /",
    by="self.weight * (x - x.mean(dim=-1, keepdim=True)) /",
    says="You subtract the mean. RMSNorm does not: it only divides by the root mean square.",
)
rms_sum = Mistake(
    "sum of squares",
    of="RMSNorm",
    swap=SQUARE_MEAN,
    by="x.square().sum(",
    says="You divide by the root of the sum of the squares. It is their mean: divide the sum by the number of features.",
)
rms_eps_outside = Mistake(
    "eps outside the root",
    of="RMSNorm",
    swap=RMS_DIVISION,
    by="(torch.sqrt(mean_square) + self.eps)",
    says="Your eps is added outside the root. The formula is √(mean square + eps). Look at the division.",
)
rms_no_eps = Mistake(
    "no eps",
    of="RMSNorm",
    swap=RMS_DIVISION,
    by="torch.sqrt(mean_square)",
    says="Your eps is not used. A token of zeros becomes NaN. Add eps to the mean square before the root.",
)
rms_clamped = lower_bound("RMSNorm", RMS_DIVISION, "torch.sqrt(mean_square).clamp(min=self.eps)")
rms_clamped_square = lower_bound("RMSNorm", RMS_DIVISION, "torch.sqrt(mean_square.clamp(min=self.eps))")
rms_clamped_length = lower_bound(
    "RMSNorm", RMS_DIVISION, "(x.norm(dim=-1, keepdim=True).clamp(min=self.eps) / x.size(-1) ** 0.5)"
)
rms_no_root = Mistake(
    "no root",
    of="RMSNorm",
    swap=RMS_DIVISION,
    by="(mean_square + self.eps)",
    says="You divide by the mean square, not by its root. The R in RMS is missing.",
)
rms_square_of_mean = Mistake(
    "square of the mean",
    of="RMSNorm",
    swaps={SQUARE_MEAN: "x.mean(", SQUARE_END: "keepdim=True).square()"},
    says="You take the square of the mean. It is the mean of the squares: square first, then average. For a token whose features "
    "cancel out, the square of the mean is zero.",
)
rms_no_weight = Mistake(
    "weight missing",
    of="RMSNorm",
    swap="self.weight * x /",
    by="x /",
    says="The weight is not used. After dividing, every feature is multiplied by its own learned weight.",
)
rms_weight_before = Mistake(
    "weight before normalizing",
    of="RMSNorm",
    swap=SQUARE_MEAN,
    by="(self.weight * x).square().mean(",
    says="The weight is applied before the root mean square is taken. The division then undoes much of what it did. First divide, then "
    "multiply by the weight.",
)


def rms_over(name: str, dim: str, says: str) -> Mistake:
    """The mean square over other dimensions."""
    says += " It belongs to one token: take it over the last dimension, with `keepdim=True`."
    return Mistake(name, of="RMSNorm", swap=SQUARE_DIM, by=f"dim={dim}", says=says)


RMS_SEQUENCE = "The mean square is taken over the sequence."
rms_sequence = rms_over("over the sequence", "-2", RMS_SEQUENCE)
rms_dim_1 = rms_over("over the sequence", "1", RMS_SEQUENCE)
RMS_BATCH = "The mean square is taken over the batch, one for each feature."
rms_batch = rms_over("over the batch", "tuple(range(x.dim() - 1))", RMS_BATCH)
rms_dim_0 = rms_over("over the batch", "0", RMS_BATCH)
rms_everything = rms_over("over everything", "tuple(range(x.dim()))", "One mean square is taken for the whole input.")
rms_whole_sequence = rms_over(
    "over a whole sequence at once", "(-2, -1)", "One mean square is taken for all tokens of a sequence together."
)
rms_detached = Mistake(
    "statistics detached",
    of="RMSNorm",
    swap="return",
    by="mean_square = mean_square.detach()\n        return",
    says="The mean square is cut off from the graph. The values are right, but it depends on x too, and the gradient has to pass through it.",
)
rms_in_place = Mistake(
    "writes into its input",
    of="RMSNorm",
    swap="self.weight * x / torch.sqrt(mean_square + self.eps)",
    by="x.div_(torch.sqrt(mean_square + self.eps)) * self.weight",
    says="Your code writes into the tensor it was given. Whoever called it still needs that tensor. Compute a new one: `x / ...` and not "
    "`x /= ...`.",
)
rms_eps_fixed = Mistake(
    "eps fixed",
    of="RMSNorm",
    swap=RMS_DIVISION,
    by="torch.sqrt(mean_square + 1e-6)",
    says="The eps given to the constructor is not used. Keep it as `self.eps`, and add that.",
)
rms_bias = Mistake(
    "a bias too many",
    of="RMSNorm",
    swaps={
        "self.weight = nn.Parameter(torch.ones(d_model))": "self.weight = nn.Parameter(torch.ones(d_model))\n"
        "        self.bias = nn.Parameter(torch.zeros(d_model))",
        RMS_DIVISION: f"{RMS_DIVISION} + self.bias",
    },
    says="Your RMSNorm has a bias. It leaves out both the mean and the bias of layer normalization; `weight` is its only parameter.",
)
rms_one_weight = Mistake(
    "weight of shape (1,)",
    of="RMSNorm",
    swap="torch.ones(d_model)",
    by="torch.ones(1)",
    says="The weight is one number. Every feature needs a weight of its own, so it has length d_model.",
)
rms_no_weight_at_all = Mistake(
    "weight missing",
    of="RMSNorm",
    swaps={"self.weight * x /": "x /", "self.weight = nn.Parameter(torch.ones(d_model))": "pass"},
    says="There is no weight. After dividing, every feature is multiplied by its own learned weight.",
)
rms_weight_from_one = Mistake(
    "weight counted from 1",
    of="RMSNorm",
    swaps={"torch.ones(d_model)": "torch.zeros(d_model)", "self.weight * x /": "(1 + self.weight) * x /"},
    says="Your features are multiplied by 1 + weight, and the weight starts at 0. Gemma does this; it is another convention, and weights "
    "do not carry over from one to the other. Here the weight itself multiplies, and starts at 1.",
)
rms_no_keepdim = Mistake("no keepdim", of="RMSNorm", swap=SQUARE_END, by="keepdim=False)", says=KEEPDIM)
rms_starts_at_zero = Mistake(
    "wrong start",
    of="RMSNorm",
    swap="torch.ones(d_model)",
    by="torch.zeros(d_model)",
    says=random_start.says,
)
