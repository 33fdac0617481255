"""Wrong ways of lesson 05. Several edits may carry one name: the same mistake is written in several ways."""

from collections.abc import Mapping

from autograder.probing.mistake import Mistake

# gelu ----------------------------------------------------------------------------

ERF, TANH = "torch.erf(", "torch.tanh("
ERF_OF, TANH_OF = "x / math.sqrt(2))", "math.sqrt(2 / math.pi)"
CUBE = "0.044715 * x**3"
WHICH = 'approximate == "tanh"'
RETURN = "return 0.5 * x * (1 + curve)"


def of_gelu(name: str, edits: Mapping[str, str], says: str) -> Mistake:
    """A mistake in gelu."""
    return Mistake(name, of="gelu", swaps=edits, says=says)


def returning(name: str, wrong: str, says: str) -> tuple[Mistake, ...]:
    """Another last line, in both forms or in one of them."""
    right = RETURN.removeprefix("return ")
    only_tanh = f"return ({wrong}) if {WHICH} else {right}"
    only_erf = f"return {right} if {WHICH} else ({wrong})"
    return tuple(of_gelu(name, {RETURN: line}, says) for line in (f"return {wrong}", only_tanh, only_erf))


always_exact = of_gelu(
    "always the exact form", {WHICH: "False"},
    "`approximate` changes nothing: you always compute the form with erf. The two differ by 5e-4 at most, which is why nobody notices; a model that was trained with the one does not "
    'give quite the same numbers with the other. Ask for `approximate == "tanh"`.',
)  # fmt: skip
always_tanh = of_gelu(
    "always the form with tanh", {WHICH: "True"},
    "`approximate` changes nothing: you always compute the form with tanh. It is the one in most articles, and an approximation, off by up to 5e-4. The exact one, "
    "with erf, is what `approximate=\"none\"` asks for.",
)  # fmt: skip
forms_exchanged = of_gelu(
    "the two forms exchanged", {WHICH: 'approximate == "none"'},
    'The two forms have changed places. "none" means: no approximation, so erf. "tanh" is the approximation.',
)  # fmt: skip

SIGMOID = (
    "You multiply x by its sigmoid. That is another activation, called SiLU or swish. gelu takes the normal distribution in the place of the sigmoid, which is erf of x / √2, brought "
    "from between -1 and 1 to between 0 and 1."
)
sigmoid, sigmoid_in_tanh, sigmoid_in_erf = returning("sigmoid instead of the normal distribution", "x * torch.sigmoid(x)", SIGMOID)  # fmt: skip

QUICK = (
    "You compute x · sigmoid(1.702 x). That is another convention, known as QuickGELU; CLIP was trained with it. It is off from gelu by up to 0.02, and weights trained with the one do "
    "not give the same numbers with the other. Here it is erf, or tanh."
)
quick, quick_in_tanh, quick_in_erf = returning("QuickGELU", "x * torch.sigmoid(1.702 * x)", QUICK)

RELU = "You compute relu: negative numbers become 0, positive ones stay. gelu is smooth, and slightly negative between. Multiply x by the share that passes."
relu, relu_in_tanh, relu_in_erf = returning("relu instead of gelu", "torch.relu(x)", RELU)

NO_X = "The share that passes is returned, not what passes. ½ (1 + curve) lies between 0 and 1; the result is x times that."
no_x, no_x_in_tanh, no_x_in_erf = returning("x missing", "0.5 * (1 + curve)", NO_X)

DENSITY = (
    "You multiply x by the height of the bell curve, e^(-x²/2) / √(2π). What is wanted is the area below the bell to the left of x, the probability that a normal draw "
    "lies below x; erf gives that."
)
density, density_in_tanh, density_in_erf = returning(
    "height of the bell instead of the area", "x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)", DENSITY
)

BRACKETS = "The brackets around 1 + curve are missing. Without them half of x is one number, and the curve another that is added to it; it is (1 + curve) that x is multiplied by."
brackets, brackets_in_tanh, brackets_in_erf = returning("brackets missing", "0.5 * x * 1 + curve", BRACKETS)
halved, halved_in_tanh, halved_in_erf = returning("brackets missing", "0.5 * (x + curve)", BRACKETS)

NO_HALF = "The half is missing. 1 + curve lies between 0 and 2, and a large x would come out doubled; half of it is the share that passes."
no_half = of_gelu("half missing", {"0.5 * x": "x"}, NO_HALF)
no_half_in_tanh = of_gelu("half missing", {TANH: "1 + 2 * torch.tanh("}, NO_HALF)
no_half_in_erf = of_gelu("half missing", {ERF: "1 + 2 * torch.erf("}, NO_HALF)

NO_ONE = (
    "The 1 in 1 + curve is missing. The curve runs from -1 to 1; adding 1 and halving brings it between 0 and 1. As it stands, a large negative number comes out positive."
)  # fmt: skip
no_one = of_gelu("1 missing", {"(1 + curve)": "curve"}, NO_ONE)
no_one_in_tanh = of_gelu("1 missing", {TANH: "-1 + torch.tanh("}, NO_ONE)
no_one_in_erf = of_gelu("1 missing", {ERF: "-1 + torch.erf("}, NO_ONE)

NO_HALF_NO_ONE = (
    "½ and 1 + are missing: you return x times the curve. The curve runs from -1 to 1, so a large negative number would come out positive. "
    "The share that passes is ½ (1 + curve)."
)
bare, bare_in_tanh, bare_in_erf = returning("x times the bare curve", "x * curve", NO_HALF_NO_ONE)

MINUS = "It is 1 + curve, and you subtract. As it stands small numbers pass and large ones are stopped, the wrong way round."
minus, minus_in_tanh, minus_in_erf = returning("1 minus the curve", "0.5 * x * (1 - curve)", MINUS)


def inside_erf(of: str) -> Mistake:
    """erf of something else."""
    says = (
        "erf is taken of the wrong thing: it is x / √2. erf belongs to a bell of variance ½, and dividing by √2 makes it one of variance 1, "
        "the standard normal. Look at the argument of `torch.erf`."
    )
    return of_gelu("wrong argument of erf", {ERF_OF: f"{of})"}, says)


erf_of_x, erf_of_half, erf_of_double = inside_erf("x"), inside_erf("x / 2"), inside_erf("x * math.sqrt(2)")
erf_of_root_pi, erf_of_two = inside_erf("x * math.sqrt(2 / math.pi)"), inside_erf("x * 2")
erf_of_root, erf_closed_early = inside_erf("x / math.sqrt(2 * math.pi)"), inside_erf("x) / (math.sqrt(2)")


def factor(by: str) -> Mistake:
    """Another factor in the tanh."""
    says = (
        "The factor in the tanh is wrong: it is √(2/π), 0.798. The root is taken of the whole fraction. It gives tanh the slope that the exact curve has at 0."
    )  # fmt: skip
    return of_gelu("wrong factor in the tanh", {TANH_OF: by}, says)


factor_no_root, factor_half_root = factor("(2 / math.pi)"), factor("(math.sqrt(2) / math.pi)")
factor_product, factor_turned = factor("math.sqrt(2 * math.pi)"), factor("math.sqrt(math.pi / 2)")
factor_missing, factor_root_two, factor_over_root = factor("1"), factor("math.sqrt(2)"), factor("(2 / math.sqrt(math.pi))")  # fmt: skip
factor_root_pi, factor_divided = factor("(1 / math.sqrt(2 * math.pi))"), factor("(1 / math.sqrt(2))")


def cubic(by: str) -> Mistake:
    """Another constant before x³."""
    says = (
        "The number before x³ is wrong: it is 0.044715. One digit or zero too many or too few changes the curve a little everywhere, and the comparison with published "
        "weights by a lot. Count the digits."
    )
    return of_gelu("wrong number before x³", {"0.044715 *": f"{by} *"}, says)


cubic_ten, cubic_tenth, cubic_short = cubic("0.44715"), cubic("0.0044715"), cubic("0.04715")
cubic_typo, cubic_round, cubic_four = cubic("0.047715"), cubic("0.04"), cubic("0.44175")
cubic_lost, cubic_turned, cubic_five = cubic("0.4715"), cubic("0.044175"), cubic("0.045715")

squared = of_gelu(
    "square instead of cube", {"x**3": "x**2"},
    "x is squared where it should be cubed. The curve has to be odd, the same to the left and to the right but for the sign, and a square is not.",
)  # fmt: skip
no_cube = of_gelu(
    "x³ missing", {f" + {CUBE}": ""},
    "The term 0.044715 x³ is missing. Without it tanh rises too slowly away from 0, and the approximation is off by 0.02 instead of 5e-4.",
)  # fmt: skip
cube_only = of_gelu(
    "x missing in the tanh", {f"(x + {CUBE})": f"({CUBE})"},
    "Inside the tanh, x itself is missing. It is x + 0.044715 x³: the cube only corrects a little, away from 0.",
)  # fmt: skip
cube_of_all = of_gelu(
    "the factor reaches x only", {f"(x + {CUBE})": f"x + {CUBE}"},
    "√(2/π) multiplies x only, not the cube. The brackets around x + 0.044715 x³ are missing.",
)  # fmt: skip

OVERFLOW = (
    "For large numbers your tanh becomes NaN. Written out with exponentials, it is ∞ divided by ∞ there, and one NaN spoils a whole batch. `torch.tanh` knows what to do."
)  # fmt: skip
OVERFLOWING = "((lambda u: (torch.exp(u) - torch.exp(-u)) / (torch.exp(u) + torch.exp(-u)))("
overflowing = of_gelu(
    "tanh that overflows", {TANH: OVERFLOWING, CUBE: f"{CUBE})"}, OVERFLOW,
)  # fmt: skip
overflowing_double = of_gelu(
    "tanh that overflows",
    {TANH: "((lambda u: (torch.exp(2 * u) - 1) / (torch.exp(2 * u) + 1))(", CUBE: f"{CUBE})"},
    OVERFLOW,
)

REFUSE = 'if approximate not in ("none", "tanh"):'
accepts_words = of_gelu(
    "any word is accepted", {REFUSE: "if False:"},
    "A word that is neither none nor tanh is not refused. Whoever writes `approximate=\"quick\"` should read at once that there is no such form, and not get another one silently. "
    "Leave the lines that were given.",
)  # fmt: skip

GELU_IN_PLACE = "Your code writes into the tensor it was given. Whoever called it still needs that tensor. Compute a new one: `x = x * ...`, not `x *= ...`, and no method that ends in `_`."
gelu_in_place, gelu_in_place_tanh, gelu_in_place_erf = returning(
    "writes into its input", "x.mul_(0.5 * (1 + curve))", GELU_IN_PLACE
)

# FeedForward ----------------------------------------------------------------------------

FF = "FeedForward"
WIDENED = "self.activation(self.linear1(x))"
NARROWED = "return self.linear2(self.dropout(widened))"
LINEAR1, LINEAR2 = "self.linear1 = nn.Linear(d_model, d_ff)", "self.linear2 = nn.Linear(d_ff, d_model)"
CHOICE = 'torch.relu if activation == "relu" else gelu'
READS = "(self.linear1(x))"
# Around the last line in small pieces, so that two slips in it go together.
BENT_LAST = {"self.linear2(": "self.activation(self.linear2(", "  # (..., d_model)": ")"}


def of_ff(name: str, edits: Mapping[str, str], says: str) -> Mistake:
    """A mistake in FeedForward."""
    return Mistake(name, of=FF, swaps=edits, says=says)


NO_ACTIVATION = (
    "There is no activation. Two linear layers in a row are one linear layer, however wide it is in between: all the parameters, and nothing that one matrix could not do. "
    "It belongs between `linear1` and `linear2`."
)
no_activation = of_ff("no activation", {"self.activation(": "("}, NO_ACTIVATION)

LATE = (
    "The activation comes after `linear2`. So nothing stands between the two layers, which are then one linear layer, and what comes out can never be negative with relu: this network could "
    "only ever add to a feature, never take away. Activate between the two."
)
late = of_ff("activation after linear2", {"self.activation(": "(", **BENT_LAST}, LATE)
late_dropped, late_dropped_before = (
    of_ff("activation after linear2", {"self.activation(": "(", NARROWED: last}, LATE + " The dropout goes with it, between the two.")
    for last in ("return self.dropout(self.activation(self.linear2(widened)))", "return self.activation(self.dropout(self.linear2(widened)))")
)  # fmt: skip
BOTH = (
    "The activation is applied twice, after `linear1` and again after `linear2`. What comes out is added to the tokens, and has to be free to be negative: nothing follows "
    "`linear2`."
)
on_both = of_ff("activation also after linear2", BENT_LAST, BOTH)
early = of_ff(
    "activation before linear1", {"self.activation(self.linear1(x))": "self.linear1(self.activation(x))"},
    "The activation comes before `linear1`. It cuts off what is negative in the tokens themselves, and between the two layers there is none. Widen first, then activate.",
)  # fmt: skip
on_all = of_ff(
    "activation also before linear1", {READS: "(self.linear1(self.activation(x)))"},
    "The activation is applied to x as well, before `linear1`. It cuts off what is negative in the tokens themselves. One is enough, between the two layers.",
)  # fmt: skip

always_relu = of_ff(
    "activation ignored", {CHOICE: "torch.relu"},
    "`activation` changes nothing: it is always relu. The constructor was told which one to use and keeps it as `self.activation`; call that.",
)  # fmt: skip
always_gelu = of_ff(
    "activation ignored", {CHOICE: "gelu"},
    "`activation` changes nothing: it is always gelu. The constructor was told which one to use and keeps it as `self.activation`; call that.",
)  # fmt: skip
approximate_gelu = of_ff(
    "the approximate gelu", {CHOICE: 'torch.relu if activation == "relu" else (lambda z: gelu(z, "tanh"))'},
    'For activation="gelu" you take the form with tanh. The exact one is meant, with erf, as torch has it unless told otherwise.',
)  # fmt: skip
activations_exchanged = of_ff(
    "relu and gelu exchanged", {CHOICE: 'gelu if activation == "relu" else torch.relu'},
    "relu and gelu have changed places. Look at the line that chooses.",
)  # fmt: skip

ONE = (
    "There is one linear layer. The network of the paper has two, d_model → d_ff → d_model, with the activation between them; a single matrix and a bend cannot form "
    "features, look at them, and put them back together. Articles that write FFN(x) = GELU(Linear(x)) leave half of it out."
)
ONE_LAYER = {LINEAR1: "self.linear1 = nn.Linear(d_model, d_model)", LINEAR2: "pass"}
one_layer = of_ff("one linear layer", {**ONE_LAYER, NARROWED: "return self.dropout(widened)"}, ONE)
one_layer_no_dropout = of_ff("one linear layer", {**ONE_LAYER, NARROWED: "return widened"}, ONE)
one_layer_dropped_before = of_ff(
    "one linear layer", {**ONE_LAYER, READS: "(self.dropout(self.linear1(x)))", NARROWED: "return widened"}, ONE
)
AND_ADDS = " And x is added inside; that is the task of the `add_norm` around it."
one_layer_added = of_ff("one linear layer", {**ONE_LAYER, NARROWED: "return x + self.dropout(widened)"}, ONE + AND_ADDS)
one_layer_added_bare = of_ff("one linear layer", {**ONE_LAYER, NARROWED: "return x + widened"}, ONE + AND_ADDS)
# The same under another name, or d_ff wide, or with the second layer made and forgotten.
SQUARE = "self.linear1 = nn.Linear(d_model, d_model)"
LINEAR_ALONE = {LINEAR1: "self.linear = nn.Linear(d_model, d_model)", LINEAR2: "pass", READS: "(self.linear(x))"}
one_linear = of_ff("one linear layer", {**LINEAR_ALONE, NARROWED: "return self.dropout(widened)"}, ONE)
one_linear_added = of_ff(
    "one linear layer", {**LINEAR_ALONE, NARROWED: "return x + self.dropout(widened)"}, ONE + AND_ADDS
)
one_layer_wide = of_ff("one linear layer", {LINEAR2: "pass", NARROWED: "return self.dropout(widened)"}, ONE)
one_layer_wide_kept = of_ff("one linear layer", {NARROWED: "return self.dropout(widened)"}, ONE)
one_layer_kept = of_ff("one linear layer", {LINEAR1: SQUARE, NARROWED: "return self.dropout(widened)"}, ONE)

RESIDUAL = (
    "x is added inside. The addition is a step of its own, the `add_norm` around every sublayer, which also knows about dropout and the norm; added here as well, x would count twice. "
    "A feed-forward network returns only what it has to add."
)
residual = of_ff("residual connection inside", {"return ": "return x + "}, RESIDUAL)

AND_DROPS = " Dropout acts on the output as well, which is the task of `add_norm` too; the one here belongs after the activation."
residual_dropped = of_ff(
    "residual connection inside", {NARROWED: "return x + self.dropout(self.linear2(widened))"}, RESIDUAL + AND_DROPS
)
residual_dropped_twice = of_ff(
    "residual connection inside",
    {NARROWED: "return x + self.dropout(self.linear2(self.dropout(widened)))"},
    RESIDUAL + AND_DROPS,
)
residual_sum_dropped = of_ff(
    "residual connection inside", {NARROWED: "return self.dropout(x + self.linear2(widened))"}, RESIDUAL + AND_DROPS
)

no_ff_dropout = of_ff(
    "no dropout", {"self.dropout(widened)": "widened"},
    "The dropout of the constructor is never applied. In training it sets a share of the features in between to zero, after the activation and before `linear2`.",
)  # fmt: skip
dropout_last = of_ff(
    "dropout after linear2", {NARROWED: "return self.dropout(self.linear2(widened))"},
    "Dropout acts on the output, after `linear2`. There the dropout of `add_norm` acts already; this one belongs in between, on the widened features, so that none of them is relied on alone.",
)  # fmt: skip
dropout_twice = of_ff(
    "dropout twice", {NARROWED: "return self.dropout(self.linear2(self.dropout(widened)))"},
    "Dropout acts twice, before and after `linear2`. The second belongs to `add_norm`, which drops what any sublayer has made before adding it.",
)  # fmt: skip
dropout_first = of_ff(
    "dropout on the input", {READS: "(self.linear1(self.dropout(x)))", "self.dropout(widened)": "widened"},
    "Dropout acts on x, before `linear1`. It belongs in between, after the activation: the features that the network has formed are dropped, not the token's.",
)  # fmt: skip
dropout_early = of_ff(
    "dropout before the activation", {READS: "(self.dropout(self.linear1(x)))", "self.dropout(widened)": "widened"},
    "Dropout acts before the activation. With relu that is the same; gelu is curved, and what dropout scales up before it comes out differently. Activate, then drop.",
)  # fmt: skip
dropout_always = of_ff(
    "dropout in evaluation", {"self.dropout(widened)": "nn.functional.dropout(widened, self.dropout.p)"},
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`. Use the `nn.Dropout` of the constructor, or pass `training=self.training`.",
)  # fmt: skip
dropout_unscaled = of_ff(
    "dropout without scaling up",
    {"self.dropout(widened)": "(self.dropout(widened) * (1 - self.dropout.p) if self.training else widened)"},
    "What dropout leaves is not scaled up. With a share p dropped, the rest is divided by 1 - p, so that `linear2` sees the same amount in training and in evaluation. `nn.Dropout` does that.",
)  # fmt: skip

d_ff_ignored = of_ff(
    "d_ff ignored", {LINEAR1: SQUARE, LINEAR2: "self.linear2 = nn.Linear(d_model, d_model)"},
    "`d_ff` is not used: both layers are square. In between a token has d_ff features, four times as many as outside in the paper. linear1 leads from d_model to d_ff, linear2 back.",
)  # fmt: skip
NO_BIAS = "The linear layers have no bias. In this course all have one unless it is said otherwise, as torch's have, and torch's weights could not be loaded without."
no_biases = of_ff(
    "bias missing",
    {LINEAR1: "self.linear1 = nn.Linear(d_model, d_ff, bias=False)", LINEAR2: "self.linear2 = nn.Linear(d_ff, d_model, bias=False)"},
    NO_BIAS,
)  # fmt: skip
accepts_activations = of_ff(
    "any activation is accepted", {'if activation not in ("relu", "gelu"):': "if False:"},
    "An activation that is neither relu nor gelu is not refused. Whoever writes `activation=\"swish\"` should read at once that there is no such choice, and not get another one silently. "
    "Leave the lines that were given.",
)  # fmt: skip

# add_norm ----------------------------------------------------------------------------

# Every piece occurs once, and they overlap as little as can be, so that two slips go together.
BEGIN = "# BEGIN SOLUTION"
DOCSTRING_END = 'table 1 (pre-norm).\n    """'
IF = "if norm_first:"
PRE, POST = "return x + dropout(sublayer(norm(x)))", "return norm(x + dropout(sublayer(x)))"
PRE_ADD, POST_ADD = "return x + ", "norm(x + "
PRE_MADE, POST_MADE = "dropout(sublayer(norm(x)))", "dropout(sublayer(x))"
PRE_READ, POST_READ = "norm(x)", "sublayer(x)"


def of_add(name: str, says: str, *edits: Mapping[str, str]) -> tuple[Mistake, ...]:
    """One mistake of add_norm in several ways of making it."""
    return tuple(Mistake(name, of="add_norm", swaps=one, says=says) for one in edits)


def in_either(name: str, says: str, pre: Mapping[str, str], post: Mapping[str, str]) -> tuple[Mistake, ...]:
    """A mistake that can be made in both forms, in pre-norm alone, and in post-norm alone."""
    ways = (("", {**pre, **post}), ("In pre-norm, ", pre), ("In post-norm, ", post))
    return tuple(Mistake(name, of="add_norm", swaps=edits, says=_only(where, says)) for where, edits in ways)


def _only(where: str, says: str) -> str:
    return f"{where}{says[0].lower()}{says[1:]}" if where else says


no_add, no_add_pre, no_add_post = in_either(
    "no add",
    "Nothing is added. What comes out is what the sublayer made, and x itself is gone: each layer would have to carry everything through that later ones may need, and the gradient has no "
    "short way back. It is x plus what the sublayer made. (`nn.Identity` in an `nn.Sequential` does not add either.)",
    {PRE_ADD: "return "},
    {POST_ADD: "norm("},
)

(always_post,) = of_add(
    "norm_first ignored: always post-norm",
    "`norm_first` changes nothing: the sum is always normalized. With norm_first=True the norm acts on what the sublayer reads, and the sum stays as it is.",
    {IF: "if False:"},
)
(always_pre,) = of_add(
    "norm_first ignored: always pre-norm",
    "`norm_first` changes nothing: it is always pre-norm. Unless told otherwise, the sublayer reads x as it is, and the sum is normalized; that is how the paper has it.",
    {IF: "if True:"},
)
(exchanged,) = of_add(
    "pre-norm and post-norm exchanged",
    "Pre-norm and post-norm have changed places. Pre-norm (norm_first=True) normalizes what the sublayer reads; post-norm, which is the paper's, normalizes the sum.",
    {IF: "if not norm_first:"},
)

stream_normed, stream_normed_by_name, stream_normed_first = of_add(
    "the stream itself is normalized",
    "In pre-norm, what is added to is normalized as well. The sublayer reads norm(x), but it is x itself that is carried on: only then does a straight path lead from the first layer to the last. "
    "Do not write `x = norm(x)`; give the normalized one a name of its own.",
    {PRE_ADD: "return norm(x) + "},
    {PRE: "x = norm(x); return x + dropout(sublayer(norm(x)))"},
    {IF: f"{IF}\n        x, norm = norm(x), lambda t: t"},
)
(wrong_branch,) = of_add(
    "the norm on the wrong branch",
    "In pre-norm, the norm is on the wrong branch. You normalize what is carried past the sublayer, and the sublayer reads x as it is. It is the other way round: x is carried past untouched, "
    "and the sublayer reads norm(x).",
    {PRE: "return norm(x) + dropout(sublayer(x))"},
)
(post_stream_normed,) = of_add(
    "x is normalized, not the sum",
    "In post-norm, you normalize x alone, and add to that. It is the sum of x and what the sublayer made that is normalized.",
    {POST_ADD: "(norm(x) + "},
)

ONLY_MADE = (
    "Only what the sublayer made is normalized, and x is added afterwards. In post-norm the norm comes last, on the sum; in pre-norm it comes first, on what the sublayer reads. "
    "Add first, then normalize; or normalize, then call the sublayer."
)
added_after, added_after_pre, added_after_post = in_either(
    "added after the norm",
    ONLY_MADE,
    {PRE: "return x + norm(dropout(sublayer(x)))"},
    {POST: "return x + norm(dropout(sublayer(x)))"},
)
added_after_dropped, added_after_dropped_pre, added_after_dropped_post = in_either(
    "added after the norm",
    ONLY_MADE,
    {PRE: "return x + dropout(norm(sublayer(x)))"},
    {POST: "return x + dropout(norm(sublayer(x)))"},
)

MADE_TOO = (
    "What the sublayer made is normalized as well, before it is added. There is one norm to a step: on the sum in post-norm, on what the sublayer reads in pre-norm. "
    "(Some later models put one in both places; then these are two norms, each with weights of its own.)"
)
made_too, made_too_pre, made_too_post = in_either(
    "what the sublayer made is normalized too",
    MADE_TOO,
    {PRE_MADE: f"norm({PRE_MADE})"},
    {POST_MADE: f"norm({POST_MADE})"},
)
made_then_dropped, made_then_dropped_pre, made_then_dropped_post = in_either(
    "what the sublayer made is normalized too",
    MADE_TOO,
    {PRE_MADE: "dropout(norm(sublayer(norm(x))))"},
    {POST_MADE: "dropout(norm(sublayer(x)))"},
)

(normed_again,) = of_add(
    "the sum normalized in pre-norm too",
    "In pre-norm, the sum is normalized as well. The sublayer reads norm(x), and the sum stays as it is: nothing may stand in the way of what is carried from layer to layer. (A norm at the "
    "end of the whole stack takes care of its size.)",
    {PRE: f"return norm({PRE.removeprefix('return ')})"},
)
(read_normed,) = of_add(
    "the sublayer reads norm(x) in post-norm too",
    "In post-norm, the sublayer reads norm(x). It reads x as it is; the norm comes once, on the sum.",
    {POST_READ: "sublayer(norm(x))"},
)

NO_NORM = (
    "Nothing is normalized. Every layer adds about as much as it was given, and after a few dozen the numbers have grown out of all bounds. In post-norm the sum is normalized, in pre-norm "
    "what the sublayer reads."
)
(no_norm,) = of_add("no norm", NO_NORM, {DOCSTRING_END: f"{DOCSTRING_END}\n    norm = lambda t: t"})
no_norm_pre, no_norm_post = in_either(
    "no norm", NO_NORM, {IF: f"{IF}\n        norm = lambda t: t"}, {POST_ADD: "(x + "}
)[1:]
no_norm_read = in_either("no norm", NO_NORM, {PRE_READ: "x"}, {})[1]  # goes together with what begins at `if`

NO_DROPOUT = "`dropout` is never called. In training it sets a part of what the sublayer made to zero, before that is added to x."
(no_dropout,) = of_add("no dropout", NO_DROPOUT, {BEGIN: "dropout = lambda t: t"})
no_dropout_pre, no_dropout_post = in_either(
    "no dropout",
    NO_DROPOUT,
    {IF: f"{IF}\n        dropout = lambda t: t"},
    {"dropout(sublayer(x)": "(sublayer(x)"},
)[1:]

ON_SUM = (
    "Dropout acts on the sum. So it wipes out features of x too, in every layer anew, and of what came in at the bottom hardly anything would arrive at the top. Drop what the sublayer made, and "
    "only then add."
)
on_sum, on_sum_pre, on_sum_post = in_either(
    "dropout on the sum",
    ON_SUM,
    {PRE: "return dropout(x + sublayer(norm(x)))"},
    {POST: "return norm(dropout(x + sublayer(x)))"},
)
on_sum_too, on_sum_too_pre, on_sum_too_post = in_either(
    "dropout on the sum",
    ON_SUM,
    {PRE_ADD: "return (lambda t: dropout(x + t))(", "(sublayer(norm(x)))": "(sublayer(norm(x))))"},
    {POST_ADD: "norm((lambda t: dropout(x + t))(", "(sublayer(x)))": "(sublayer(x))))"},
)
SKIP = "Dropout acts on x, the part that is carried past the sublayer. That way has to stay open: what is wiped out there is lost to all later layers. Dropout belongs on what the sublayer made."
on_skip, on_skip_pre, on_skip_post = in_either(
    "dropout on the skip path",
    SKIP,
    {PRE: "return dropout(x) + sublayer(norm(x))"},
    {POST: "return norm(dropout(x) + sublayer(x))"},
)
on_skip_too, on_skip_too_pre, on_skip_too_post = in_either(
    "dropout on the skip path",
    SKIP,
    {PRE_ADD: "return dropout(x) + "},
    {POST_ADD: "norm(dropout(x) + "},
)
on_read, on_read_pre, on_read_post = in_either(
    "dropout on what the sublayer reads",
    "Dropout acts on what the sublayer reads. It acts on what the sublayer made, before that is added: sublayer first, then dropout.",
    {PRE: "return x + sublayer(dropout(norm(x)))"},
    {POST: "return norm(x + sublayer(dropout(x)))"},
)
before_norm, after_norm = of_add(
    "dropout after the norm",
    "Dropout acts last, on what the norm gives. So it wipes out features of x too. Drop what the sublayer made, add it to x, and then normalize: sublayer, dropout, addition, norm.",
    {POST: "return dropout(norm(x + sublayer(x)))"},
    {POST: "return dropout(norm(x + sublayer(x)))", PRE: "return dropout(x + sublayer(norm(x)))"},
)
dropped_twice, dropped_twice_pre, dropped_twice_post = in_either(
    "dropout twice",
    "Dropout acts twice on what the sublayer made. Once is meant; twice, more is dropped than was asked for.",
    {PRE_MADE: "dropout(dropout(sublayer(norm(x))))"},
    {POST_MADE: "dropout(dropout(sublayer(x)))"},
)

ADDED_TWICE = "x is added twice. One x is carried past the sublayer; with two, what was there before counts double in every layer. Is it added in another line, or inside the dropout, already?"
added_twice, added_twice_pre, added_twice_post = in_either(
    "x added twice",
    ADDED_TWICE,
    {PRE_ADD: "return x + x + "},
    {POST_ADD: "norm(x + x + "},
)
added_inside, added_inside_pre, added_inside_post = in_either(
    "x added twice",
    ADDED_TWICE,
    {PRE_MADE: "dropout(x + sublayer(norm(x)))"},
    {POST_MADE: "dropout(x + sublayer(x))"},
)
read_added, read_added_pre = in_either(
    "x added twice",
    ADDED_TWICE,
    {PRE_MADE: "dropout(norm(x) + sublayer(norm(x)))"},
    {POST_MADE: "dropout(x + sublayer(x))"},
)[:2]
left_out, left_out_pre, left_out_post = in_either(
    "the sublayer is left out",
    "The sublayer is never called. What is added to x is what `sublayer` makes of it, not x again.",
    {PRE_MADE: "dropout(norm(x))"},
    {POST_MADE: "dropout(x)"},
)

TWO_READINGS = "The sublayer is applied to two things, to x and to norm(x). It has one thing to read: norm(x) in pre-norm, x in post-norm. A sublayer called twice also costs twice."
both_read, both_read_pre, both_read_post = in_either(
    "sublayer applied to x and to norm(x)",
    TWO_READINGS,
    {PRE_MADE: "dropout(sublayer(norm(x)) + sublayer(x))"},
    {POST_MADE: "dropout(sublayer(norm(x)) + sublayer(x))"},
)
both_dropped, both_dropped_pre, both_dropped_post = in_either(
    "sublayer applied to x and to norm(x)",
    TWO_READINGS,
    {PRE_MADE: "dropout(sublayer(norm(x))) + dropout(sublayer(x))"},
    {POST_MADE: "dropout(sublayer(norm(x))) + dropout(sublayer(x))"},
)
(raw_added,) = of_add(
    "sublayer applied to x and to norm(x)",
    TWO_READINGS,
    {PRE: "return x + sublayer(x) + dropout(sublayer(norm(x)))"},
)
made_first, made_first_post = of_add(
    "sublayer applied to x and to norm(x)",
    TWO_READINGS,
    {PRE: "return sublayer(x) + dropout(sublayer(norm(x)))"},
    {PRE: "return sublayer(x) + dropout(sublayer(norm(x)))", POST: "return norm(sublayer(x) + dropout(sublayer(norm(x))))"},
)  # fmt: skip

TWICE = "The sublayer is called twice. The result is the same as long as it has no state, and costs twice; with dropout inside, the two differ. Keep what it gave in a variable."
(called_twice,) = of_add("sublayer called twice", TWICE, {BEGIN: "sublayer(norm(x) if norm_first else x)"})
called_twice_pre, called_twice_post = in_either(
    "sublayer called twice",
    TWICE,
    {IF: f"{IF}\n        sublayer(norm(x))"},
    {BEGIN: "if not norm_first: sublayer(x)"},
)[1:]

IN_PLACE = "You add into x itself: `x += ...` writes into the tensor that was handed over. Whoever called this still needs it as it was, and so does the gradient. `x + ...` makes a new tensor."
in_place, in_place_pre, in_place_post = in_either(
    "in-place add",
    IN_PLACE,
    {PRE: "return x.add_(dropout(sublayer(norm(x))))"},
    {POST: "return norm(x.add_(dropout(sublayer(x))))"},
)
in_place_made, in_place_made_pre, in_place_made_post = in_either(
    "adds into what the sublayer gave",
    "You add x into the tensor that the sublayer gave. That tensor is not yours: a sublayer may keep it, or give back x itself, and then x is changed; and a gradient may need it as it was. "
    "`x + ...` makes a new one.",
    {PRE: "return dropout(sublayer(norm(x))).add_(x)"},
    {POST: "return norm(dropout(sublayer(x)).add_(x))"},
)

# SwiGLU ----------------------------------------------------------------------------

GLU = "SwiGLU"
PRODUCT = "gates * torch.sigmoid(gates) * self.up(x)"
SWISH = "gates * torch.sigmoid(gates)"
UP = "self.up(x)"


def of_glu(name: str, says: str, *edits: Mapping[str, str]) -> tuple[Mistake, ...]:
    """One mistake of SwiGLU in several ways of making it."""
    return tuple(Mistake(name, of=GLU, swaps=one, says=says) for one in edits)


NO_GATE = "Nothing is gated. This is a plain feed-forward network with swish for an activation: one of the two layers is made and never used. swish(gate(x)) is multiplied by up(x), feature by feature."
no_up, no_gate = of_glu("no gate", NO_GATE, {f" * {UP}": ""}, {PRODUCT: "self.up(x) * torch.sigmoid(self.up(x))"})
(gates_exchanged,) = of_glu(
    "gate and up exchanged",
    "gate and up have changed places: you take the swish of `up` and multiply by `gate`. Trained from scratch nobody would notice; the weights of a published model would not fit.",
    {"self.gate(x)": "self.up(x)", UP: "self.gate(x)"},
)
sigmoid_gate, sigmoid_up = of_glu(
    "sigmoid instead of swish",
    "One of the two goes through a sigmoid. That is the plain gated linear unit, GLU; here it is the gate that is bent, and by swish, z · sigmoid(z): z itself stays as a factor.",
    {SWISH: "torch.sigmoid(gates)"},
    {PRODUCT: "gates * torch.sigmoid(self.up(x))"},
)
(relu_gate,) = of_glu(
    "relu instead of swish",
    "The gate goes through a relu. That is another member of the family, ReGLU; swish is z · sigmoid(z).",
    {SWISH: "torch.relu(gates)"},
)
gelu_gate, tanh_gelu_gate = of_glu(
    "gelu instead of swish",
    "The gate goes through a gelu. That is another member of the family, GEGLU; swish is z · sigmoid(z).",
    {SWISH: "gelu(gates)"},
    {SWISH: 'gelu(gates, "tanh")'},
)
(no_swish,) = of_glu(
    "no swish",
    "The gate is not bent: you multiply two linear layers. That is the bilinear member of the family; here swish is taken of the gate first, z · sigmoid(z).",
    {SWISH: "gates"},
)
(on_the_product,) = of_glu(
    "swish of the product",
    "swish is taken of the product. It is taken of the gate alone, and the result multiplied by up(x), which stays as it is.",
    {PRODUCT: "gates * self.up(x) * torch.sigmoid(gates * self.up(x))"},
)
(both_bent,) = of_glu(
    "swish of both",
    "swish is taken of `gate` and of `up`. Of the gate alone; `up` stays as it is, so that what passes may have either sign.",
    {UP: "self.up(x) * torch.sigmoid(self.up(x))"},
)
(added_gate,) = of_glu(
    "added instead of multiplied",
    "You add the gate and `up`. A gate multiplies: where it is near 0 nothing of the feature passes.",
    {f" * {UP}": f" + {UP}"},
)
(last_swish,) = of_glu(
    "swish after down",
    "swish is taken at the end, of what `down` gives. It is taken of the gate, in between; nothing follows `down`.",
    {f"return self.down({PRODUCT})": "h = self.down(gates * self.up(x)); return h * torch.sigmoid(h)"},
)
(gate_of_itself,) = of_glu(
    "the gate multiplied by itself",
    "The gate is multiplied by itself, and `up` is never used. swish(gate(x)) times up(x): two layers, two roles.",
    {UP: "gates"},
)
biased, biased_twice = of_glu(
    "biases too many",
    "Your layers have biases. The SwiGLU of the paper, and of the models that use it, has none: `bias=False` in all three.",
    {
        "self.gate = nn.Linear(d_model, d_ff, bias=False)": "self.gate = nn.Linear(d_model, d_ff)",
        "self.up = nn.Linear(d_model, d_ff, bias=False)": "self.up = nn.Linear(d_model, d_ff)",
        "self.down = nn.Linear(d_ff, d_model, bias=False)": "self.down = nn.Linear(d_ff, d_model)",
    },
    {"self.down = nn.Linear(d_ff, d_model, bias=False)": "self.down = nn.Linear(d_ff, d_model)"},
)
(glu_residual,) = of_glu(
    "residual connection inside",
    "x is added inside. The addition is the task of the `add_norm` around every sublayer; here only what is to be added is returned.",
    {"return self.down(": "return x + self.down("},
)
