"""Wrong ways of lesson 01."""

from autograder.checks.layer_norm import layer_norm, normalize, rms_norm
from autograder.probing.mistake import edit

DIVISION = "torch.sqrt(variance + eps)"
FORWARD = "self.weight * normalize(x, self.eps) + self.bias"

# The dimensions of mean and variance alone, so that an edit of the rest of the line goes together with them.
MEAN_DIM = "x.mean(dim=-1, keepdim=True)"
VARIANCE_DIM = "dim=-1, keepdim=True)  #"
MEAN_OF_SQUARES = ".square().mean("

normalize.mistake(
    "variance over n - 1",
    "Your variance is divided by n - 1, not by n. `var` and `std` of torch do this unless told otherwise: they estimate the "
    "variance of a population from a sample, and a token's features are no sample. Look at the line that computes the variance.",
    {MEAN_OF_SQUARES: ".var("},
    also=[layer_norm],
)

normalize.mistake(
    "std + eps",
    "You divide by `x.std(-1) + eps`. Two slips in one: `std` divides by n - 1 instead of n, and eps belongs inside the root, √(variance + eps). "
    "The best known annotated implementation of the paper has both, and articles copied it.",
    {MEAN_OF_SQUARES: ".var(", DIVISION: "(torch.sqrt(variance) + eps)"},
    also=[layer_norm],
)

normalize.mistake(
    "eps outside the root",
    "Your eps is added outside the root. The formula is √(variance + eps), not √variance + eps: for a token of small "
    "variance the two differ a lot, and at variance 0 the root alone has an infinite slope. Look at the division.",
    {DIVISION: "(torch.sqrt(variance) + eps)"},
    also=[layer_norm],
)

normalize.mistake(
    "no eps",
    "Your eps is not used. A token whose features are all equal has variance 0 and becomes NaN, and one NaN "
    "spoils the whole batch. Add eps to the variance before the root.",
    {DIVISION: "torch.sqrt(variance)"},
    also=[layer_norm],
)

LOWER_BOUND = (
    "Your eps is a lower bound: it counts only where the spread is smaller, and to all other tokens nothing is added. "
    "`clamp(min=eps)`, `max` and the eps of `F.normalize` do this. In the formula eps is always added, inside the root."
)
normalize.mistake(
    "eps as a lower bound",
    LOWER_BOUND,
    {DIVISION: "torch.sqrt(variance).clamp(min=eps)"},
    {DIVISION: "torch.sqrt(variance.clamp(min=eps))"},
    # The length of the centred token, √n times its spread, as `F.normalize` bounds it.
    {DIVISION: "((x - mean).norm(dim=-1, keepdim=True).clamp(min=eps) / x.size(-1) ** 0.5)"},
    also=[layer_norm],
)

normalize.mistake(
    "a guard instead of eps",
    "Your eps is not used; something else prevents 0 / 0. Replacing a variance of 0, or a NaN, gives zeros where all features are equal, but a token of "
    "tiny variance is still scaled up to full size. Add eps to the variance of every token, before the root.",
    {DIVISION: "torch.sqrt(torch.where(variance == 0, 1.0, variance))"},
    {"return (x - mean) / torch.sqrt(variance + eps)": "return torch.nan_to_num((x - mean) / torch.sqrt(variance))"},
    {DIVISION: "torch.sqrt(variance.clamp(min=1e-12))"},
)

normalize.mistake(
    "eps added at the end",
    "Your eps is added to the result. `/` binds tighter than `+`: the eps in `(x - mean) / torch.sqrt(variance) + eps` is not part of the root. Add it "
    "to the variance: √(variance + eps).",
    {DIVISION: "torch.sqrt(variance) + eps"},
    also=[layer_norm],
)

normalize.mistake(
    "no root",
    "You divide by the variance, not by its root. The spread of a token is its standard deviation, √(variance + eps); dividing by the variance makes "
    "large tokens small and small tokens large.",
    {DIVISION: "(variance + eps)"},
    also=[layer_norm],
)

normalize.mistake(
    "eps fixed",
    "Your eps is a fixed number. The function takes eps as an argument: use the argument.",
    {DIVISION: "torch.sqrt(variance + 1e-5)"},
)

layer_norm.mistake(
    "eps fixed",
    "The eps given to the constructor is not used. `normalize` falls back to its own default; pass it `self.eps`.",
    {"normalize(x, self.eps)": "normalize(x)"},
)

for exercise in (normalize, layer_norm):
    exercise.mistake(
        "another default for eps",
        "Your default for eps is not that of the signature, which says eps=1e-5; 1e-6, 1e-8 and 1e-12 are the defaults of "
        "other codebases. For a token of small variance the result depends on it.",
        *({"eps: float = 1e-5": f"eps: float = {other}"} for other in ("1e-6", "1e-8", "1e-12")),
    )

normalize.mistake(
    "sum of squares",
    "You divide by the root of the sum of squares. The variance is their mean: the sum over all n features, divided by n. "
    "With your code every token gets length 1 instead of variance 1.",
    {MEAN_OF_SQUARES: ".square().sum("},
    also=[layer_norm],
)

normalize.mistake(
    "mean divided by n - 1",
    "Your mean is divided by n - 1. A mean is the sum over n, `x.mean(dim=-1, keepdim=True)`; and the variance too is divided by n. With yours the tokens are not centred on 0.",
    {MEAN_DIM: "(x.sum(dim=-1, keepdim=True) / (x.size(-1) - 1))"},
    also=[layer_norm],
)

normalize.mistake(
    "eps squared",
    "Your eps is squared before it is added. It is added to the variance as it is: √(variance + eps). For a token of small variance the result depends on it.",
    {DIVISION: "torch.sqrt(variance + eps**2)"},
    also=[layer_norm],
)

normalize.mistake(
    "mean distance instead of the root of the variance",
    "You divide by the mean distance from the mean, not by the root of the mean square. The variance is the mean of (x - mean)²: square, take the mean, add eps, and take the root.",
    {MEAN_OF_SQUARES: ".abs().mean(", DIVISION: "(variance + eps)"},
    edit(
        {MEAN_OF_SQUARES: ".abs().mean("},
        says="You take the mean of the distances where the mean of their squares should stand. The variance is the mean of (x - mean)².",
    ),
    also=[layer_norm],
)

normalize.mistake(
    "nothing is divided",
    "The mean is subtracted, and nothing is divided. The tokens are centred on 0 and as loud as before. Divide by √(variance + eps).",
    {"return (x - mean) / torch.sqrt(variance + eps)": "return x - mean"},
    also=[layer_norm],
)

normalize.mistake(
    "multiplied by the root",
    "You multiply by √(variance + eps). Loud tokens get louder. Divide by it.",
    {"/ torch.sqrt(variance + eps)": "* torch.sqrt(variance + eps)"},
    also=[layer_norm],
)

normalize.mistake(
    "only the mean is divided",
    "Only the mean is divided. `/` binds tighter than `-`: put brackets around x - mean, which is to be divided.",
    {"return (x - mean) / torch.sqrt(variance + eps)": "return x - mean / torch.sqrt(variance + eps)"},
    also=[layer_norm],
)

normalize.mistake(
    "root taken twice",
    "The root is taken twice. The standard deviation is a root already. Take the variance, add eps, and then take one root.",
    {DIVISION: "torch.sqrt(torch.sqrt(variance) + eps)"},
    edit(
        {MEAN_OF_SQUARES: ".var(", DIVISION: "torch.sqrt(torch.sqrt(variance) + eps)"},
        says="The root is taken twice. `std` is a root already, and it also divides by n - 1. Take `var` with `correction=0`, add eps, and then take one root.",
    ),
    also=[layer_norm],
)

normalize.mistake(
    "mean not subtracted",
    "The mean is not subtracted. Your numbers are divided by the right spread, but they are not centred on 0. Divide (x - mean).",
    {"(x - mean) /": "x /"},
    also=[layer_norm],
)

normalize.mistake(
    "RMSNorm instead of LayerNorm",
    "This is RMSNorm, not layer normalization. It divides by the root mean square and never subtracts the mean. "
    "Both are in use. Here the mean has to be subtracted, and the variance is taken around it.",
    {"variance = (x - mean)": "variance = x", "(x - mean) /": "x /"},
    also=[layer_norm],
)

normalize.mistake(
    "mean square instead of variance",
    "Your variance is taken around 0, not around the mean. The variance is the mean of (x - mean)², the squares of the "
    "distances from the mean.",
    {"variance = (x - mean)": "variance = x"},
    also=[layer_norm],
)

STATISTICS = "The mean and the variance of a token are taken over its own features, the last dimension (`dim=-1`)."


def over(dim: str) -> dict[str, str]:
    """Mean and variance over other dimensions."""
    return {MEAN_DIM: f"x.mean(dim={dim}, keepdim=True)", VARIANCE_DIM: f"dim={dim}, keepdim=True)  #"}


normalize.mistake(
    "over the sequence",
    f"You normalize over the sequence, not over the features. {STATISTICS} Over the sequence, a token would change when another token does, and the "
    f"future would leak into the past.",
    over("-2"),
    over("1"),
    also=[layer_norm],
)

normalize.mistake(
    "over the batch",
    f"You normalize each feature over the batch and the tokens. That is batch normalization, and a Transformer does not use it. {STATISTICS}",
    over("tuple(range(x.dim() - 1))"),
    edit(
        over("0"),
        says=f"You normalize over the first dimension. In a batch these are the sentences; in a single sentence they are the tokens. {STATISTICS}",
    ),
    over("(0, 1)"),
    also=[layer_norm],
)

normalize.mistake(
    "over everything",
    f"You take one mean and one variance for the whole input. {STATISTICS} With your code every token depends on all others, even on tokens of other "
    f"sequences.",
    over("tuple(range(x.dim()))"),
    also=[layer_norm],
)

normalize.mistake(
    "over a whole sequence at once",
    f"You take one mean and one variance for all tokens of a sequence together. {STATISTICS}",
    over("(-2, -1)"),
    over("tuple(range(1, x.dim())) or (0,)"),
    also=[layer_norm],
)

KEEPDIM = (
    "A statistic lost its dimension. `x.mean(dim=-1)` of shape (3, 4) has shape (3) and does not line up with the tokens; with "
    "`keepdim=True` it is (3, 1). On a square input torch would not even complain."
)
NO_MEAN_DIM, NO_VARIANCE_DIM = "x.mean(dim=-1)", "dim=-1)  #"
OWN_MEAN = {"variance = (x - mean)": "variance = (x - x.mean(-1, keepdim=True))"}
normalize.mistake(
    "no keepdim",
    KEEPDIM,
    {MEAN_DIM: NO_MEAN_DIM},
    edit(
        {VARIANCE_DIM: NO_VARIANCE_DIM},
        says=f"{KEEPDIM} Pass `keepdim` by name: in `x.var(-1, True)` the True is not keepdim but asks for n - 1.",
    ),
    {MEAN_DIM: NO_MEAN_DIM, VARIANCE_DIM: NO_VARIANCE_DIM},
    # `var` subtracts a mean of its own, which is right.
    {MEAN_DIM: NO_MEAN_DIM, **OWN_MEAN},
    {MEAN_DIM: NO_MEAN_DIM, VARIANCE_DIM: NO_VARIANCE_DIM, **OWN_MEAN},
    also=[layer_norm],
)

normalize.mistake(
    "statistics detached",
    "The statistics are cut off from the graph. The values are right, but mean and variance depend on x too, and the "
    "gradient has to pass through them. Look for `detach`, `.data`, `.item()` or `no_grad`.",
    # A line before the return, so that it goes together with edits of the others.
    {"return": "mean, variance = mean.detach(), variance.detach()\n    return"},
    {"return": "mean = mean.detach()\n    return"},
    {"return": "variance = variance.detach()\n    return"},
    also=[layer_norm],
)

normalize.mistake(
    "writes into its input",
    "Your code writes into the tensor it was given. The caller still needs that tensor: the residual connection around "
    "every layer does. `x -= mean` and `x.sub_(mean)` do this; `x = x - mean` does not.",
    {"(x - mean) /": "x.sub_(mean) /"},
    # A table of all tokens is a view of the input where memory allows it, and else a copy.
    {"(x - mean) /": "x.reshape(-1, x.size(-1)).sub_(mean.reshape(-1, 1)).reshape(x.shape) /"},
    also=[layer_norm],
)

layer_norm.mistake(
    "weight missing",
    "The weight is not used. After normalizing, every feature is multiplied by its own learned weight.",
    {"self.weight * normalize": "normalize"},
    {"self.weight * normalize": "normalize", "self.weight = nn.Parameter(torch.ones(d_model))": "pass"},
)

layer_norm.mistake(
    "bias missing",
    "The bias is not used. After the weight, every feature gets its own learned bias added.",
    {" + self.bias": ""},
    {" + self.bias": "", "self.bias = nn.Parameter(torch.zeros(d_model))": "pass"},
)

layer_norm.mistake(
    "nothing is normalized",
    "Your numbers are the input times the weight, plus the bias. Nothing brings a token to mean 0 and variance 1 first. Weight and bias have to act on "
    "the result of `normalize`.",
    {"normalize(x, self.eps)": "x"},
)

layer_norm.mistake(
    "weight and bias swapped",
    "Weight and bias have changed places. The weight multiplies, the bias is added. At the start the weight is 1 and the bias 0; swapped, they make "
    "every output 1.",
    {FORWARD: "self.bias * normalize(x, self.eps) + self.weight"},
)

layer_norm.mistake(
    "weight and bias before normalizing",
    "Weight and bias are applied before normalizing. The normalization then undoes much of what they did. First normalize, "
    "then scale and shift.",
    {FORWARD: "normalize(self.weight * x + self.bias, self.eps)"},
    edit(
        {FORWARD: "normalize(self.weight * x, self.eps) + self.bias"},
        says="The weight is applied before normalizing. The normalization then undoes much of what it did. First normalize, "
        "then multiply by the weight.",
    ),
)

layer_norm.mistake(
    "bias scaled by the weight",
    "The bias is multiplied by the weight. It is added last: weight · normalized + bias. Look at the brackets.",
    {FORWARD: "self.weight * (normalize(x, self.eps) + self.bias)"},
)

layer_norm.mistake(
    "weight of shape (1,)",
    "The parameters are one number each. Every feature needs a weight and a bias of its own, so both have length d_model.",
    {"torch.ones(d_model)": "torch.ones(1)"},
    {"torch.ones(d_model)": "torch.ones(1)", "torch.zeros(d_model)": "torch.zeros(1)"},
    {"torch.ones(d_model)": "torch.tensor(1.0)", "torch.zeros(d_model)": "torch.tensor(0.0)"},
    edit(
        {"torch.zeros(d_model)": "torch.zeros(1)"},
        says="The bias is a single number. Every feature needs a bias of its own, so it has length d_model, as the weight has.",
    ),
)

layer_norm.mistake(
    "residual connection inside",
    "x is added to the result. That addition is a step of its own, which a later lesson builds around every layer; here only the normalized tokens come back, scaled and shifted.",
    {FORWARD: f"x + {FORWARD}"},
)

layer_norm.mistake(
    "1 added to the weight",
    "You multiply by 1 + weight. Some models do that, with a weight that starts at 0 (Gemma's norm is one). Here the weight starts at 1 and multiplies as it is; with yours a fresh layer doubles every feature.",
    {"self.weight * normalize": "(1 + self.weight) * normalize"},
)

layer_norm.mistake(
    "bias subtracted",
    "The bias is subtracted. It is added. Training would find the other sign, but weights from torch do not fit.",
    {" + self.bias": " - self.bias"},
)

layer_norm.mistake(
    "normalized twice",
    "The tokens are normalized twice. After the first time their mean is 0 and their variance 1, but for eps, and the second time brings it closer to 1 than it should be. Once is enough.",
    {"normalize(x, self.eps)": "normalize(normalize(x, self.eps), self.eps)"},
)

layer_norm.mistake(
    "weight and bias are no parameters",
    "Weight and bias are not parameters of your layer. An optimizer sees only what is an `nn.Parameter`: anything else, a plain "
    "tensor or a buffer, stays at 1 and 0 for ever.",
    {
        "nn.Parameter(torch.ones(d_model))": "torch.ones(d_model)",
        "nn.Parameter(torch.zeros(d_model))": "torch.zeros(d_model)",
    },
)

STARTS_AT_ZERO = "The weight starts at 0. Then every output of a fresh layer is 0, and so is every gradient that flows back through it. The weight has to start at 1."
layer_norm.mistake(
    "wrong start",
    STARTS_AT_ZERO,
    {"torch.ones(d_model)": "torch.zeros(d_model)"},
    edit(
        {"torch.zeros(d_model)": "torch.ones(d_model)"},
        says="The bias starts at 1. A fresh layer should only normalize: weight 1, bias 0.",
    ),
)

# RMSNorm ----------------------------------------------------------------------------

# Three pieces of one line, so that slips in one go together with slips in another.
SQUARE_MEAN, SQUARE_DIM, SQUARE_END = "x.square().mean(", "dim=-1", "keepdim=True)"
VARIANCE_END = "keepdim=True, correction=0)"
RMS_DIVISION = "torch.sqrt(mean_square + self.eps)"

rms_norm.mistake(
    "another default for eps",
    "Your default for eps is not that of the signature, which says eps=1e-6; 1e-5, 1e-8 and 1e-12 are the defaults of "
    "other codebases. For a token of small numbers the result depends on it.",
    *({"eps: float = 1e-6": f"eps: float = {other}"} for other in ("1e-5", "1e-8", "1e-12")),
)

rms_norm.mistake(
    "LayerNorm instead of RMSNorm",
    "This is layer normalization without a bias. RMSNorm never subtracts the mean, and it divides by the root of the mean of the squares. "
    "That is its whole point: one pass less.",
    {
        SQUARE_MEAN: "x.var(",
        SQUARE_END: VARIANCE_END,
        "self.weight * x /": "self.weight * (x - x.mean(dim=-1, keepdim=True)) /",
    },
    {"mean_square =": "x = x - x.mean(dim=-1, keepdim=True)\n        mean_square ="},
    # With the n - 1 of `var`.
    {SQUARE_MEAN: "x.var(", "self.weight * x /": "self.weight * (x - x.mean(dim=-1, keepdim=True)) /"},
)

AROUND_THE_MEAN = "You divide by the standard deviation. RMSNorm subtracts no mean: it squares x itself, takes the mean of the squares, and then the root."
OVER_N_MINUS_1 = "`var` and `std` also divide by n - 1 unless told otherwise, not by n."
rms_norm.mistake(
    "variance instead of mean square",
    AROUND_THE_MEAN,
    {SQUARE_MEAN: "x.var(", SQUARE_END: VARIANCE_END},
    edit({SQUARE_MEAN: "x.var("}, says=f"{AROUND_THE_MEAN} {OVER_N_MINUS_1}"),
    edit(
        {SQUARE_MEAN: "x.var(", RMS_DIVISION: "(torch.sqrt(mean_square) + self.eps)"},
        says=f"{AROUND_THE_MEAN} {OVER_N_MINUS_1} And eps belongs inside the root.",
    ),
)

rms_norm.mistake(
    "mean square over n - 1",
    "The sum of the squares is divided by n - 1, not by n. A mean is the sum divided by the number of features, and `mean` computes that.",
    {SQUARE_MEAN: "x.size(-1) / (x.size(-1) - 1) * x.square().mean("},
)

rms_norm.mistake(
    "mean of absolute values",
    "You take the mean of the absolute values. RMSNorm takes the mean of the squares, adds eps, and then takes the root, so that large features count for more.",
    {SQUARE_MEAN: "x.abs().mean(", RMS_DIVISION: "(mean_square + self.eps)"},
    edit(
        {SQUARE_MEAN: "x.abs().mean("},
        says="You take the mean of the absolute values where the mean of the squares should stand.",
    ),
    edit(
        {SQUARE_MEAN: "x.abs().mean(", RMS_DIVISION: "mean_square"},
        says="You divide by the mean of the absolute values. RMSNorm divides by the root of the mean of the squares plus eps.",
    ),
)

rms_norm.mistake(
    "mean subtracted",
    "You subtract the mean. RMSNorm does not: it only divides by the root mean square.",
    {"self.weight * x /": "self.weight * (x - x.mean(dim=-1, keepdim=True)) /"},
    # A line before the return, so that it goes together with edits of the return.
    {"return": "x = x - x.mean(dim=-1, keepdim=True)\n        return"},
)

rms_norm.mistake(
    "sum of squares",
    "You divide by the root of the sum of the squares. RMSNorm takes their mean: divide the sum by the number of features.",
    {SQUARE_MEAN: "x.square().sum("},
    *(
        edit(
            {SQUARE_MEAN: "x.square().sum(", RMS_DIVISION: length},
            says="You divide by the length of the token, which is the root of the sum of its squares. `norm` and `F.normalize` compute the length. RMSNorm takes the mean of the squares, adds eps, "
            "and then takes the root; a length has no place for eps.",
        )
        for length in ("torch.sqrt(mean_square)", "torch.sqrt(mean_square).clamp(min=1e-12)")
    ),
)

rms_norm.mistake(
    "eps outside the root",
    "Your eps is added outside the root. The formula is √(mean square + eps). Look at the division.",
    {RMS_DIVISION: "(torch.sqrt(mean_square) + self.eps)"},
)

rms_norm.mistake(
    "no eps",
    "Your eps is not used. A token of zeros becomes NaN. Add eps to the mean square before the root.",
    {RMS_DIVISION: "torch.sqrt(mean_square)"},
)

rms_norm.mistake(
    "eps as a lower bound",
    LOWER_BOUND,
    {RMS_DIVISION: "torch.sqrt(mean_square).clamp(min=self.eps)"},
    {RMS_DIVISION: "torch.sqrt(mean_square.clamp(min=self.eps))"},
    {RMS_DIVISION: "(x.norm(dim=-1, keepdim=True).clamp(min=self.eps) / x.size(-1) ** 0.5)"},
)

rms_norm.mistake(
    "eps added at the end",
    "Your eps is added to the result. `/` binds tighter than `+`: the eps in `x / torch.sqrt(mean_square) + eps` is not part of the root. Add it to the mean square: √(mean square + eps).",
    {RMS_DIVISION: "torch.sqrt(mean_square) + self.eps"},
)

rms_norm.mistake(
    "multiplied by the root",
    "You multiply by the root mean square. Loud tokens get louder. Divide by it.",
    {f"x / {RMS_DIVISION}": f"x * {RMS_DIVISION}"},
)

rms_norm.mistake(
    "no root",
    "You divide by the mean square, not by its root. The R in RMS is missing.",
    {RMS_DIVISION: "(mean_square + self.eps)"},
)

rms_norm.mistake(
    "square of the mean",
    "You take the square of the mean. RMSNorm takes the mean of the squares: square first, then average. For a token whose features "
    "cancel out, the square of the mean is zero.",
    {SQUARE_MEAN: "x.mean(", SQUARE_END: "keepdim=True).square()"},
)

rms_norm.mistake(
    "weight missing",
    "The weight is not used. After dividing, every feature is multiplied by its own learned weight.",
    {"self.weight * x /": "x /"},
    edit(
        {"self.weight * x /": "x /", "self.weight = nn.Parameter(torch.ones(d_model))": "pass"},
        says="There is no weight. After dividing, every feature is multiplied by its own learned weight.",
    ),
)

rms_norm.mistake(
    "weight added",
    "The weight is added. It multiplies: every feature has a scale of its own, which starts at 1.",
    {"self.weight * x /": "self.weight + x /"},
)

rms_norm.mistake(
    "divided by the weight",
    "You divide by the weight. It multiplies. If the weight stands under the fraction bar together with the root, look at the brackets.",
    {"self.weight * x /": "x / self.weight /"},
)

rms_norm.mistake(
    "weight before normalizing",
    "The weight is applied before the root mean square is taken. The division then undoes much of what it did. First divide, then "
    "multiply by the weight.",
    {SQUARE_MEAN: "(self.weight * x).square().mean("},
)

OWN_SQUARES = "Each token has a mean square of its own: take it over the last dimension, with `keepdim=True`."
rms_norm.mistake(
    "over the sequence",
    f"The mean square is taken over the sequence. {OWN_SQUARES}",
    {SQUARE_DIM: "dim=-2"},
    {SQUARE_DIM: "dim=1"},
)

rms_norm.mistake(
    "over the batch",
    f"The mean square is taken over the batch, one for each feature. {OWN_SQUARES}",
    {SQUARE_DIM: "dim=tuple(range(x.dim() - 1))"},
    {SQUARE_DIM: "dim=0"},
)

rms_norm.mistake(
    "over everything",
    f"One mean square is taken for the whole input. {OWN_SQUARES}",
    {SQUARE_DIM: "dim=tuple(range(x.dim()))"},
)

rms_norm.mistake(
    "over a whole sequence at once",
    f"One mean square is taken for all tokens of a sequence together. {OWN_SQUARES}",
    {SQUARE_DIM: "dim=(-2, -1)"},
)

rms_norm.mistake(
    "statistics detached",
    "The mean square is cut off from the graph. The values are right, but it depends on x too, and the gradient has to pass through it.",
    {"return": "mean_square = mean_square.detach()\n        return"},
)

rms_norm.mistake(
    "writes into its input",
    "Your code writes into the tensor it was given. The caller still needs that tensor. Compute a new one: `x / ...` and not "
    "`x /= ...`.",
    {f"self.weight * x / {RMS_DIVISION}": "x.div_(torch.sqrt(mean_square + self.eps)) * self.weight"},
    {
        f"x / {RMS_DIVISION}": f"x.reshape(-1, x.size(-1)).div_({RMS_DIVISION}.reshape(-1, 1)).reshape(x.shape)",
    },
)

rms_norm.mistake(
    "eps fixed",
    "The eps given to the constructor is not used. Keep it as `self.eps`, and add `self.eps`.",
    {RMS_DIVISION: "torch.sqrt(mean_square + 1e-6)"},
)

rms_norm.mistake(
    "a bias too many",
    "Your RMSNorm has a bias. It leaves out both the mean and the bias of layer normalization; `weight` is its only parameter.",
    {
        "self.weight = nn.Parameter(torch.ones(d_model))": "self.weight = nn.Parameter(torch.ones(d_model))\n"
        "        self.bias = nn.Parameter(torch.zeros(d_model))",
        RMS_DIVISION: f"{RMS_DIVISION} + self.bias",
    },
)

rms_norm.mistake(
    "weight of shape (1,)",
    "The weight is one number. Every feature needs a weight of its own, so it has length d_model.",
    {"torch.ones(d_model)": "torch.ones(1)"},
)

rms_norm.mistake(
    "weight counted from 1",
    "Your features are multiplied by 1 + weight, and the weight starts at 0. Gemma does this. It is another convention, and weights of one convention "
    "do not fit the other. Here the weight itself multiplies, and starts at 1.",
    {"torch.ones(d_model)": "torch.zeros(d_model)", "self.weight * x /": "(1 + self.weight) * x /"},
    edit(
        {"self.weight * x /": "(1 + self.weight) * x /"},
        says="You multiply by 1 + weight. Gemma does that, with a weight that starts at 0. Here the weight starts at 1 and multiplies as it is; with yours a fresh layer doubles every feature.",
    ),
)

rms_norm.mistake("no keepdim", KEEPDIM, {SQUARE_END: "keepdim=False)"})

rms_norm.mistake("wrong start", STARTS_AT_ZERO, {"torch.ones(d_model)": "torch.zeros(d_model)"})
