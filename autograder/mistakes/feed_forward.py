"""Wrong ways of lesson 05."""

from collections.abc import Mapping

from autograder.checks.feed_forward import add_norm, feed_forward, gelu, swiglu
from autograder.probing.mistake import Way, edit, way_of

# gelu ----------------------------------------------------------------------------

ERF, TANH = "torch.erf(", "torch.tanh("
CUBE = "0.044715 * x**3"
WHICH = 'approximate == "tanh"'


def returning(wrong: str) -> tuple[dict[str, str], ...]:
    """Edits of the last line of gelu: `wrong` is returned in both forms, in the one with tanh, in the one with erf."""
    right = "0.5 * x * (1 + curve)"
    lines = (wrong, f"({wrong}) if {WHICH} else {right}", f"{right} if {WHICH} else ({wrong})")
    return tuple({f"return {right}": f"return {line}"} for line in lines)


gelu.mistake(
    "always the exact form",
    "`approximate` changes nothing: you always compute the form with erf. The two differ by 5e-4 at most, so nobody notices; but a model that was trained with one form does not "
    'give quite the same numbers with the other. Ask for `approximate == "tanh"`.',
    {WHICH: "False"},
)

gelu.mistake(
    "always the form with tanh",
    "`approximate` changes nothing: you always compute the form with tanh. Most articles have this form. It is an approximation, off by up to 5e-4. "
    '`approximate="none"` asks for the exact form, with erf.',
    {WHICH: "True"},
)

gelu.mistake(
    "the two forms exchanged",
    'The two forms have changed places. "none" means: no approximation, so erf. "tanh" is the approximation.',
    {WHICH: 'approximate == "none"'},
)

gelu.mistake(
    "sigmoid instead of the normal distribution",
    "You multiply x by its sigmoid. That is another activation, called SiLU or swish. gelu has the normal distribution where SiLU has the sigmoid: ½ (1 "
    "+ erf(x / √2)), which lies between 0 and 1.",
    *returning("x * torch.sigmoid(x)"),
)

gelu.mistake(
    "QuickGELU",
    "You compute x · sigmoid(1.702 x). That is another convention, known as QuickGELU; CLIP was trained with it. It is off from gelu by up to 0.02, and "
    "weights trained with one do not give the same numbers with the other. Here gelu is computed with erf, or with tanh.",
    *returning("x * torch.sigmoid(1.702 * x)"),
)

gelu.mistake(
    "relu instead of gelu",
    "You compute relu: negative numbers become 0, positive numbers stay. gelu is smooth, and slightly negative for small negative numbers. Multiply x "
    "by the share that passes.",
    *returning("torch.relu(x)"),
)

gelu.mistake(
    "x missing",
    "The share that passes is returned, not what passes. ½ (1 + curve) lies between 0 and 1; the result is x times that.",
    *returning("0.5 * (1 + curve)"),
)

gelu.mistake(
    "height of the bell instead of the area",
    "You multiply x by the height of the bell curve, e^(-x²/2) / √(2π). gelu takes the area under the bell to the left of x, which is the probability "
    "that a normal draw lies below x; erf gives this area.",
    *returning("x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)"),
)

gelu.mistake(
    "brackets missing",
    "The brackets around 1 + curve are missing. Without them the curve is added to half of x; but half of x has to be multiplied by (1 + curve).",
    *returning("0.5 * x * 1 + curve"),
    *returning("0.5 * (x + curve)"),
)

gelu.mistake(
    "half missing",
    "The half is missing. 1 + curve lies between 0 and 2, and a large x would come out doubled. The share that passes is half of 1 + curve.",
    {"0.5 * x": "x"},
    {TANH: "1 + 2 * torch.tanh("},
    {ERF: "1 + 2 * torch.erf("},
)

gelu.mistake(
    "1 missing",
    "The 1 in 1 + curve is missing. The curve runs from -1 to 1; adding 1 and halving brings it between 0 and 1. As it stands, a large negative number comes out positive.",
    {"(1 + curve)": "curve"},
    {TANH: "-1 + torch.tanh("},
    {ERF: "-1 + torch.erf("},
)

gelu.mistake(
    "x times the bare curve",
    "½ and 1 + are missing: you return x times the curve. The curve runs from -1 to 1, so a large negative number would come out positive. "
    "The share that passes is ½ (1 + curve).",
    *returning("x * curve"),
)

gelu.mistake(
    "1 minus the curve",
    "You subtract the curve from 1; it should be 1 + curve. With your sign negative numbers pass and positive numbers are stopped.",
    *returning("0.5 * x * (1 - curve)"),
)

gelu.mistake(
    "erfc instead of erf",
    "You call erfc, which is 1 - erf: it falls from 2 to 0 where erf rises from -1 to 1. So a large positive number is halved, and a large "
    "negative one grows by half instead of becoming 0. The formula has erf.",
    {ERF: "torch.erfc("},
)

gelu.mistake(
    "wrong argument of erf",
    "erf is taken of the wrong number: it should be x / √2. erf belongs to a bell of variance ½, and dividing by √2 makes it a bell of variance 1, the "
    "standard normal distribution. Look at the argument of `torch.erf`.",
    *(
        {"x / math.sqrt(2))": f"{argument})"}
        for argument in (
            "x",
            "x / 2",
            "x * math.sqrt(2)",
            "x * math.sqrt(2 / math.pi)",
            "x * 2",
            "x / math.sqrt(2 * math.pi)",
            "x) / (math.sqrt(2)",
        )
    ),
)

gelu.mistake(
    "wrong factor in the tanh",
    "The factor in the tanh is wrong: it should be √(2/π), 0.798. The root is taken of the whole fraction. It gives tanh the slope that the exact curve "
    "has at 0.",
    *(
        {"math.sqrt(2 / math.pi)": factor}
        for factor in (
            "(2 / math.pi)",
            "(math.sqrt(2) / math.pi)",
            "math.sqrt(2 * math.pi)",
            "math.sqrt(math.pi / 2)",
            "1",
            "math.sqrt(2)",
            "(2 / math.sqrt(math.pi))",
            "(1 / math.sqrt(2 * math.pi))",
            "(1 / math.sqrt(2))",
        )
    ),
)

gelu.mistake(
    "wrong number before x³",
    "The number before x³ is wrong: it should be 0.044715. One digit or zero too many or too few changes the curve a little everywhere, and a model "
    "that was trained with the right number no longer gives the same. Count the digits, and look what is cubed: x alone.",
    *(
        {"0.044715 *": f"{number} *"}
        for number in (
            "0.44715",
            "0.0044715",
            "0.04715",
            "0.047715",
            "0.04",
            "0.44175",
            "0.4715",
            "0.044175",
            "0.04475",
            "0.045715",
            "0.044715**3",
        )
    ),
)

gelu.mistake(
    "square instead of cube",
    "x is squared where it should be cubed. The curve has to be odd, the same to the left and to the right but for the sign, and a square is not.",
    {"x**3": "x**2"},
)

gelu.mistake(
    "x³ missing",
    "The term 0.044715 x³ is missing. Without it tanh rises too slowly away from 0, and the approximation is off by 0.02 instead of 5e-4.",
    {f" + {CUBE}": ""},
)

gelu.mistake(
    "the whole bracket cubed",
    "The whole bracket is cubed. Only x is, and only in the second term: x + 0.044715 x³. `**` acts on what stands directly before it, so x**3 belongs inside the bracket.",
    {f"(x + {CUBE})": "(x + 0.044715 * x) ** 3"},
    {f"(x + {CUBE})": "(x + 0.044715) ** 3"},
)

gelu.mistake(
    "the curve of the other form",
    "One form has the curve of the other form. erf goes with x / √2, tanh with √(2/π) (x + 0.044715 x³); the two numbers are chosen so that the curves nearly agree.",
    edit(
        {ERF: "torch.tanh("},
        says="In the exact form the curve is a tanh. It is erf(x / √2); tanh belongs to the other form, where its argument is another number.",
    ),
    edit(
        {TANH: "torch.erf("},
        says='For `approximate="tanh"` the curve is an erf. It is tanh(√(2/π) (x + 0.044715 x³)); erf belongs to the exact form, where its argument is x / √2.',
    ),
)

gelu.mistake(
    "x missing in the tanh",
    "Inside the tanh, x itself is missing. It is x + 0.044715 x³: the cube only corrects a little, away from 0.",
    {f"(x + {CUBE})": f"({CUBE})"},
)

gelu.mistake(
    "the factor reaches x only",
    "√(2/π) multiplies x only, not the cube. The brackets around x + 0.044715 x³ are missing.",
    {f"(x + {CUBE})": f"x + {CUBE}"},
)

gelu.mistake(
    "tanh that overflows",
    "For large numbers your tanh becomes NaN. Written out with exponentials, it is ∞ divided by ∞ there, and one NaN spoils a whole batch. `torch.tanh` "
    "does not overflow.",
    {
        TANH: "((lambda u: (torch.exp(u) - torch.exp(-u)) / (torch.exp(u) + torch.exp(-u)))(",
        CUBE: f"{CUBE})",
    },
    {TANH: "((lambda u: (torch.exp(2 * u) - 1) / (torch.exp(2 * u) + 1))(", CUBE: f"{CUBE})"},
)

gelu.mistake(
    "any word is accepted",
    'A word that is neither none nor tanh is not refused. `approximate="quick"` should raise an error that says that there is no such form, and not silently give another form. '
    "Keep the lines that were given.",
    {'if approximate not in ("none", "tanh"):': "if False:"},
    {'if approximate not in ("none", "tanh"):': "if False:", WHICH: 'approximate != "none"'},
)

gelu.mistake(
    "writes into its input",
    "Your code writes into the tensor it was given. The caller still needs that tensor. Compute a new one: `x = x * ...`, not `x *= ...`, and no method "
    "that ends in `_`.",
    *returning("x.mul_(0.5 * (1 + curve))"),
)

# FeedForward ----------------------------------------------------------------------------

NARROWED = "return self.linear2(self.dropout(widened))"
DROPPED = "self.dropout(widened)"
LINEAR1, LINEAR2 = "self.linear1 = nn.Linear(d_model, d_ff)", "self.linear2 = nn.Linear(d_ff, d_model)"
SQUARE = "self.linear1 = nn.Linear(d_model, d_model)"
CHOICE = 'torch.relu if activation == "relu" else gelu'
ACTIVATED, READS = "self.activation(", "(self.linear1(x))"
# Around the last line in small pieces, so that two slips in it go together.
BENT_LAST = {"self.linear2(": "self.activation(self.linear2(", "  # (..., d_model)": ")"}

feed_forward.mistake(
    "no activation",
    "There is no activation. Two linear layers in a row are one linear layer, however wide the middle is: the two can do nothing that a single matrix "
    "could not do. The activation belongs between `linear1` and `linear2`.",
    {ACTIVATED: "("},
    edit(
        {CHOICE: 'torch.relu if activation == "relu" else (lambda z: z)'},
        says='With activation="gelu" there is no activation. Two linear layers in a row are one linear layer, however wide the middle is. The constructor keeps the chosen function as `self.activation`: call that.',
    ),
)

feed_forward.mistake(
    "another activation",
    "The activation is neither relu nor gelu. The paper has relu, BERT and the GPTs have gelu, and weights that were trained with one do not fit another. The constructor keeps the chosen function as `self.activation`: call "
    "that.",
    *(
        edit({f"{ACTIVATED}self.linear1(x))": other})
        for other in (
            "torch.sigmoid(self.linear1(x))",
            "torch.tanh(self.linear1(x))",
            "nn.functional.silu(self.linear1(x))",
            "self.linear1(x).softmax(-1)",
        )
    ),
    *(
        edit(
            {CHOICE: f'nn.functional.{other} if activation == "relu" else gelu'},
            says=f'With activation="relu" you do not compute relu but {words}. The paper has relu, 0 for what is negative and the number itself for the rest: `torch.relu`, or the function that the constructor keeps as `self.activation`.',
        )
        for other, words in (
            ("leaky_relu", "a leaky one, which lets a hundredth of what is negative pass"),
            ("relu6", "one that is cut off at 6"),
            ("silu", "silu, which is smooth"),
        )
    ),
    edit(
        {CHOICE: 'torch.relu if activation == "relu" else nn.functional.silu'},
        says='With activation="gelu" you compute silu, x · sigmoid(x). It looks much like gelu, and its numbers are others: call the function that the constructor keeps as `self.activation`.',
    ),
)

LATE = (
    "The activation comes after `linear2`. So nothing stands between the two layers, which are then one linear layer, and what comes out can never be negative with relu: this network could "
    "only ever add to a feature, never take away. Activate between the two."
)
LATE_DROPPED = LATE + " The dropout goes with it, between the two."
feed_forward.mistake(
    "activation after linear2",
    LATE,
    {ACTIVATED: "(", **BENT_LAST},
    edit({ACTIVATED: "(", NARROWED: "return self.dropout(self.activation(self.linear2(widened)))"}, says=LATE_DROPPED),
    edit({ACTIVATED: "(", NARROWED: "return self.activation(self.dropout(self.linear2(widened)))"}, says=LATE_DROPPED),
)

feed_forward.mistake(
    "activation also after linear2",
    "The activation is applied twice, after `linear1` and again after `linear2`. What comes out is added to the tokens, and has to be free to be negative: nothing follows "
    "`linear2`.",
    BENT_LAST,
)

feed_forward.mistake(
    "activation before linear1",
    "The activation comes before `linear1`. It cuts off what is negative in the tokens themselves, and between the two layers there is no activation. "
    "Widen first, then activate.",
    {"self.activation(self.linear1(x))": "self.linear1(self.activation(x))"},
)

feed_forward.mistake(
    "activation also before linear1",
    "The activation is applied to x as well, before `linear1`. It cuts off what is negative in the tokens themselves. Activate once, between the two layers.",
    {READS: "(self.linear1(self.activation(x)))"},
)

feed_forward.mistake(
    "activation ignored",
    "`activation` changes nothing: it is always relu. The constructor keeps the chosen function as `self.activation`; call `self.activation`.",
    {CHOICE: "torch.relu"},
    edit(
        {CHOICE: "gelu"},
        says="`activation` changes nothing: it is always gelu. The constructor keeps the chosen function as `self.activation`; call `self.activation`.",
    ),
)

feed_forward.mistake(
    "the approximate gelu",
    'For activation="gelu" you take the form with tanh. The exact form is meant, with erf, as is the default in torch.',
    {CHOICE: 'torch.relu if activation == "relu" else (lambda z: gelu(z, "tanh"))'},
)

feed_forward.mistake(
    "relu and gelu exchanged",
    "relu and gelu have changed places. Look at the line that chooses.",
    {CHOICE: 'gelu if activation == "relu" else torch.relu'},
)

ONE = (
    "There is one linear layer. The network of the paper has two, d_model → d_ff → d_model, with the activation between them; a single matrix and a bend cannot form "
    "features, look at them, and put them back together. Articles that write FFN(x) = GELU(Linear(x)) leave half of it out."
)
ONE_AND_ADDS = ONE + " And x is added inside; that is the task of the `add_norm` around it."
ONE_LAYER = {LINEAR1: SQUARE, LINEAR2: "pass"}
LINEAR_ALONE = {LINEAR1: "self.linear = nn.Linear(d_model, d_model)", LINEAR2: "pass", READS: "(self.linear(x))"}
feed_forward.mistake(
    "one linear layer",
    ONE,
    {**ONE_LAYER, NARROWED: "return self.dropout(widened)"},
    {**ONE_LAYER, NARROWED: "return widened"},
    {**ONE_LAYER, READS: "(self.dropout(self.linear1(x)))", NARROWED: "return widened"},
    edit({**ONE_LAYER, NARROWED: "return x + self.dropout(widened)"}, says=ONE_AND_ADDS),
    edit({**ONE_LAYER, NARROWED: "return x + widened"}, says=ONE_AND_ADDS),
    # The same under another name, or d_ff wide, or with the second layer made and forgotten.
    {**LINEAR_ALONE, NARROWED: "return self.dropout(widened)"},
    edit({**LINEAR_ALONE, NARROWED: "return x + self.dropout(widened)"}, says=ONE_AND_ADDS),
    {LINEAR2: "pass", NARROWED: "return self.dropout(widened)"},
    {NARROWED: "return self.dropout(widened)"},
    {LINEAR1: SQUARE, NARROWED: "return self.dropout(widened)"},
)

RESIDUAL = (
    "x is added inside. The addition is a step of its own, the `add_norm` around every sublayer, which also knows about dropout and the norm; if the "
    "network added x too, x would count twice. "
    "A feed-forward network returns only what it has to add."
)
RESIDUAL_AND_DROPS = (
    RESIDUAL
    + " Dropout acts on the output as well, which is also the task of `add_norm`; the dropout of this module belongs after the activation."
)
feed_forward.mistake(
    "residual connection inside",
    RESIDUAL,
    {"return ": "return x + "},
    edit({NARROWED: "return x + self.dropout(self.linear2(widened))"}, says=RESIDUAL_AND_DROPS),
    edit({NARROWED: "return x + self.dropout(self.linear2(self.dropout(widened)))"}, says=RESIDUAL_AND_DROPS),
    edit({NARROWED: "return self.dropout(x + self.linear2(widened))"}, says=RESIDUAL_AND_DROPS),
)

BY_WEIGHT = {"self.linear1(x)": "x @ self.linear1.weight.T"}
NARROWED_BY_WEIGHT = {NARROWED: "return self.dropout(widened) @ self.linear2.weight.T"}
feed_forward.mistake(
    "biases not added",
    "The biases are not added. The layers have them, and your numbers are those of the weights alone: such biases never learn. Call the layer, `self.linear1(x)`, and it does both.",
    {**BY_WEIGHT, **NARROWED_BY_WEIGHT},
    BY_WEIGHT,
    NARROWED_BY_WEIGHT,
)

feed_forward.mistake(
    "no dropout",
    "No dropout reaches your result. In training it sets a share of the features in between to zero, after the activation and before `linear2`: what `self.dropout` gives is what goes on.",
    {DROPPED: "widened"},
)

feed_forward.mistake(
    "dropout after linear2",
    "Dropout acts on the output, after `linear2`. There the dropout of `add_norm` acts already. The dropout of this module belongs in between, on the "
    "widened features, so that the network does not rely on a single feature.",
    {NARROWED: "return self.dropout(self.linear2(widened))"},
)

feed_forward.mistake(
    "dropout twice",
    "Dropout acts twice, before and after `linear2`. The second belongs to `add_norm`, which drops what any sublayer has made before adding it.",
    {NARROWED: "return self.dropout(self.linear2(self.dropout(widened)))"},
)

feed_forward.mistake(
    "dropout on the input",
    "Dropout acts on x, before `linear1`. It belongs in between, after the activation: it drops features that the network has formed, not features of "
    "the token.",
    {READS: "(self.linear1(self.dropout(x)))", DROPPED: "widened"},
)

feed_forward.mistake(
    "dropout before the activation",
    "Dropout acts before the activation. With relu that makes no difference. gelu is curved, so numbers that dropout scales up before gelu come out "
    "differently. Activate, then drop.",
    {READS: "(self.dropout(self.linear1(x)))", DROPPED: "widened"},
)

feed_forward.mistake(
    "dropout in evaluation",
    "Dropout acts in evaluation as well. `F.dropout(x, p)` drops unless told `training=False`. Use the `nn.Dropout` of the constructor, or pass `training=self.training`.",
    {DROPPED: "nn.functional.dropout(widened, self.dropout.p)"},
)

RATE = "self.dropout = nn.Dropout(dropout)"
feed_forward.mistake(
    "another rate of dropout",
    "Another share is dropped than was asked for. `dropout` is the share that is set to zero, and `nn.Dropout(dropout)` takes it as it is; without a number it drops half.",
    {RATE: "self.dropout = nn.Dropout()"},
    edit(
        {RATE: "self.dropout = nn.Dropout(1 - dropout)"},
        says="What should be dropped is kept, and what should be kept is dropped. `dropout` is the share that is set to zero, and `nn.Dropout(dropout)` takes it as it is. (Some older code was given the share to keep.)",
    ),
)

feed_forward.mistake(
    "dropout without scaling up",
    "What dropout leaves is not scaled up. With a share p dropped, the rest is divided by 1 - p, so that `linear2` sees the same amount in training and in evaluation. `nn.Dropout` does that.",
    {DROPPED: "(self.dropout(widened) * (1 - self.dropout.p) if self.training else widened)"},
)

feed_forward.mistake(
    "d_ff ignored",
    "`d_ff` is not used: both layers are square. In between a token has d_ff features, four times as many as outside in the paper. linear1 leads from d_model to d_ff, linear2 back.",
    {LINEAR1: SQUARE, LINEAR2: "self.linear2 = nn.Linear(d_model, d_model)"},
)

feed_forward.mistake(
    "bias missing",
    "The linear layers have no bias. In this course all linear layers have a bias unless the lesson says otherwise. torch's layers have biases too, and "
    "without them torch's weights cannot be loaded.",
    {
        LINEAR1: "self.linear1 = nn.Linear(d_model, d_ff, bias=False)",
        LINEAR2: "self.linear2 = nn.Linear(d_ff, d_model, bias=False)",
    },
)

feed_forward.mistake(
    "any activation is accepted",
    'An activation that is neither relu nor gelu is not refused. `activation="swish"` should raise an error that says that there is no such choice, and not silently give another activation. '
    "Keep the lines that were given.",
    {'if activation not in ("relu", "gelu"):': "if False:"},
)

# add_norm ----------------------------------------------------------------------------

# Every piece occurs once, and they overlap as little as can be, so that two slips go together.
BEGIN = "# BEGIN SOLUTION"
DOCSTRING_END = 'table 1 (pre-norm).\n    """'
IF = "if norm_first:"
PRE, POST = "return x + dropout(sublayer(norm(x)))", "return norm(x + dropout(sublayer(x)))"
PRE_ADD, POST_ADD = "return x + ", "norm(x + "
PRE_MADE, POST_MADE = "dropout(sublayer(norm(x)))", "dropout(sublayer(x))"


def in_pre_norm(says: str) -> str:
    """The same explanation, of pre-norm alone."""
    return f"In pre-norm, {says[0].lower()}{says[1:]}"


def in_post_norm(says: str) -> str:
    """The same explanation, of post-norm alone."""
    return f"In post-norm, {says[0].lower()}{says[1:]}"


def in_both_or_one(says: str, pre: Mapping[str, str], post: Mapping[str, str]) -> tuple[Way, ...]:
    """What somebody writes in pre-norm and in post-norm, or in one of the two alone."""
    return way_of({**pre, **post}), edit(pre, says=in_pre_norm(says)), edit(post, says=in_post_norm(says))


NO_ADD = (
    "Nothing is added. What comes out is what the sublayer made, and x itself is gone: each layer would have to carry everything through that later ones may need, and the gradient has no "
    "short way back. It is x plus what the sublayer made. (`nn.Identity` in an `nn.Sequential` does not add either.)"
)
add_norm.mistake(
    "no add",
    NO_ADD,
    *in_both_or_one(NO_ADD, {PRE_ADD: "return "}, {POST_ADD: "norm("}),
)

add_norm.mistake(
    "norm_first ignored: always post-norm",
    "`norm_first` changes nothing: the sum is always normalized. With norm_first=True the norm has to act on what the sublayer reads, and the sum is "
    "not normalized.",
    {IF: "if False:"},
)

add_norm.mistake(
    "norm_first ignored: always pre-norm",
    "`norm_first` changes nothing: it is always pre-norm. With norm_first=False, the default, the sublayer reads x as it is, and the sum is normalized, "
    "as in the paper.",
    {IF: "if True:"},
)

add_norm.mistake(
    "pre-norm and post-norm exchanged",
    "Pre-norm and post-norm have changed places. Pre-norm (norm_first=True) normalizes what the sublayer reads; post-norm, which is the paper's, normalizes the sum.",
    {IF: "if not norm_first:"},
)

add_norm.mistake(
    "the stream itself is normalized",
    "In pre-norm, what is added to is normalized as well. The sublayer reads norm(x), but x itself has to be carried on: only then does a straight path "
    "lead from the first layer to the last. Do not write `x = norm(x)`; give the normalized tensor a name of its own.",
    {PRE_ADD: "return norm(x) + "},
    {PRE: "x = norm(x); return x + dropout(sublayer(norm(x)))"},
    {IF: f"{IF}\n        x, norm = norm(x), lambda t: t"},
)

add_norm.mistake(
    "the norm on the wrong branch",
    "In pre-norm, the norm is on the wrong branch. You normalize what is carried past the sublayer, and the sublayer reads x as it is. Exchange the "
    "two: x is carried past untouched, and the sublayer reads norm(x).",
    {PRE: "return norm(x) + dropout(sublayer(x))"},
)

add_norm.mistake(
    "x is normalized, not the sum",
    "In post-norm, you normalize x alone, and add to the result. The sum of x and what the sublayer made has to be normalized.",
    {POST_ADD: "(norm(x) + "},
)

ONLY_MADE = (
    "Only what the sublayer made is normalized, and x is added afterwards. In post-norm the norm comes last, on the sum; in pre-norm it comes first, on what the sublayer reads. "
    "Add first, then normalize; or normalize, then call the sublayer."
)
add_norm.mistake(
    "added after the norm",
    ONLY_MADE,
    *in_both_or_one(
        ONLY_MADE, {PRE: "return x + norm(dropout(sublayer(x)))"}, {POST: "return x + norm(dropout(sublayer(x)))"}
    ),
    *in_both_or_one(
        ONLY_MADE, {PRE: "return x + dropout(norm(sublayer(x)))"}, {POST: "return x + dropout(norm(sublayer(x)))"}
    ),
)

MADE_TOO = (
    "What the sublayer made is normalized as well, before it is added. There is one norm to a step: on the sum in post-norm, on what the sublayer reads in pre-norm. "
    "(Some later models have norms in both places; those are two norms, each with weights of its own.)"
)
add_norm.mistake(
    "what the sublayer made is normalized too",
    MADE_TOO,
    *in_both_or_one(MADE_TOO, {PRE_MADE: f"norm({PRE_MADE})"}, {POST_MADE: f"norm({POST_MADE})"}),
    *in_both_or_one(
        MADE_TOO, {PRE_MADE: "dropout(norm(sublayer(norm(x))))"}, {POST_MADE: "dropout(norm(sublayer(x)))"}
    ),
)

add_norm.mistake(
    "the sum normalized in pre-norm too",
    "In pre-norm, the sum is normalized as well. The sublayer reads norm(x), and the sum is not normalized, so that x can pass from layer to layer "
    "unchanged. (A norm at the end of the whole stack takes care of the size of the sum.)",
    {PRE: "return norm(x + dropout(sublayer(norm(x))))"},
)

add_norm.mistake(
    "the sublayer reads norm(x) in post-norm too",
    "In post-norm, the sublayer reads norm(x). It should read x as it is; the norm comes once, on the sum.",
    {"sublayer(x)": "sublayer(norm(x))"},
)

NO_NORM = (
    "Nothing is normalized. Every layer adds about as much as it was given, and after a few dozen the numbers have grown out of all bounds. In post-norm the sum is normalized, in pre-norm "
    "what the sublayer reads."
)
add_norm.mistake(
    "no norm",
    NO_NORM,
    {DOCSTRING_END: f"{DOCSTRING_END}\n    norm = lambda t: t"},
    edit({IF: f"{IF}\n        norm = lambda t: t"}, says=in_pre_norm(NO_NORM)),
    edit({POST_ADD: "(x + "}, says=in_post_norm(NO_NORM)),
    edit({"norm(x)": "x"}, says=in_pre_norm(NO_NORM)),  # goes together with what begins at `if`
)

NO_DROPOUT = "No dropout reaches your result. In training it sets a part of what the sublayer made to zero, before that is added to x."
add_norm.mistake(
    "no dropout",
    NO_DROPOUT,
    {BEGIN: "dropout = lambda t: t"},
    edit({IF: f"{IF}\n        dropout = lambda t: t"}, says=in_pre_norm(NO_DROPOUT)),
    edit({"dropout(sublayer(x)": "(sublayer(x)"}, says=in_post_norm(NO_DROPOUT)),
)

ON_SUM = (
    "Dropout acts on the sum. So it sets features of x to zero too, in every layer anew, and hardly anything of the first layer's input would reach the "
    "last layer. Drop what the sublayer made, and "
    "only then add."
)
add_norm.mistake(
    "dropout on the sum",
    ON_SUM,
    *in_both_or_one(
        ON_SUM, {PRE: "return dropout(x + sublayer(norm(x)))"}, {POST: "return norm(dropout(x + sublayer(x)))"}
    ),
    {
        PRE_ADD: "return (lambda t: dropout(x + t))(",
        "(sublayer(norm(x)))": "(sublayer(norm(x))))",
        POST_ADD: "norm((lambda t: dropout(x + t))(",
        "(sublayer(x)))": "(sublayer(x))))",
    },
    edit(
        {PRE_ADD: "return (lambda t: dropout(x + t))(", "(sublayer(norm(x)))": "(sublayer(norm(x))))"},
        says=in_pre_norm(ON_SUM),
    ),
    edit(
        {POST_ADD: "norm((lambda t: dropout(x + t))(", "(sublayer(x)))": "(sublayer(x))))"},
        says=in_post_norm(ON_SUM),
    ),
)

SKIP = "Dropout acts on x, the part that is carried past the sublayer. What is set to zero there is lost to all later layers. Dropout belongs on what the sublayer made."
add_norm.mistake(
    "dropout on the skip path",
    SKIP,
    *in_both_or_one(
        SKIP, {PRE: "return dropout(x) + sublayer(norm(x))"}, {POST: "return norm(dropout(x) + sublayer(x))"}
    ),
    *in_both_or_one(SKIP, {PRE_ADD: "return dropout(x) + "}, {POST_ADD: "norm(dropout(x) + "}),
)

ON_READ = "Dropout acts on what the sublayer reads. It should act on what the sublayer made, before that is added: sublayer first, then dropout."
add_norm.mistake(
    "dropout on what the sublayer reads",
    ON_READ,
    *in_both_or_one(
        ON_READ, {PRE: "return x + sublayer(dropout(norm(x)))"}, {POST: "return norm(x + sublayer(dropout(x)))"}
    ),
)

add_norm.mistake(
    "dropout after the norm",
    "Dropout acts last, on what the norm gives. So it sets features of x to zero too. Drop what the sublayer made, add it to x, and then normalize: "
    "sublayer, dropout, addition, norm.",
    {POST: "return dropout(norm(x + sublayer(x)))"},
    {POST: "return dropout(norm(x + sublayer(x)))", PRE: "return dropout(x + sublayer(norm(x)))"},
)

DROPPED_TWICE = (
    "Dropout acts twice on what the sublayer made. With two dropouts more is dropped than was asked for. Keep one."
)
add_norm.mistake(
    "dropout twice",
    DROPPED_TWICE,
    *in_both_or_one(DROPPED_TWICE, {PRE_MADE: f"dropout({PRE_MADE})"}, {POST_MADE: f"dropout({POST_MADE})"}),
)

ADDED_TWICE = "x is added twice. x is carried past the sublayer once; added twice, it counts double in every layer. Is x already added in another line, or inside the dropout?"
add_norm.mistake(
    "x added twice",
    ADDED_TWICE,
    *in_both_or_one(ADDED_TWICE, {PRE_ADD: "return x + x + "}, {POST_ADD: "norm(x + x + "}),
    *in_both_or_one(ADDED_TWICE, {PRE_MADE: "dropout(x + sublayer(norm(x)))"}, {POST_MADE: "dropout(x + sublayer(x))"}),
    {PRE_MADE: "dropout(norm(x) + sublayer(norm(x)))", POST_MADE: "dropout(x + sublayer(x))"},
    edit({PRE_MADE: "dropout(norm(x) + sublayer(norm(x)))"}, says=in_pre_norm(ADDED_TWICE)),
)

LEFT_OUT = "The sublayer is never called. What is added to x is what `sublayer` makes of it, not x again."
add_norm.mistake(
    "the sublayer is left out",
    LEFT_OUT,
    *in_both_or_one(LEFT_OUT, {PRE_MADE: "dropout(norm(x))"}, {POST_MADE: "dropout(x)"}),
)

TWO_READINGS = "The sublayer is applied to two things, to x and to norm(x). It should read one of them: norm(x) in pre-norm, x in post-norm. A sublayer called twice also costs twice."
BOTH_MADE = "dropout(sublayer(norm(x)) + sublayer(x))"
BOTH_DROPPED = "dropout(sublayer(norm(x))) + dropout(sublayer(x))"
add_norm.mistake(
    "sublayer applied to x and to norm(x)",
    TWO_READINGS,
    *in_both_or_one(TWO_READINGS, {PRE_MADE: BOTH_MADE}, {POST_MADE: BOTH_MADE}),
    *in_both_or_one(TWO_READINGS, {PRE_MADE: BOTH_DROPPED}, {POST_MADE: BOTH_DROPPED}),
    edit(
        {PRE_MADE: BOTH_MADE, POST_MADE: "dropout(sublayer(x) + sublayer(x))"},
        says="The sublayer is called twice and the two results are added, in pre-norm that of x and that of norm(x). It should read one of them, once: norm(x) in pre-norm, x in post-norm.",
    ),
    {PRE: "return x + sublayer(x) + dropout(sublayer(norm(x)))"},
    {PRE: "return sublayer(x) + dropout(sublayer(norm(x)))"},
    {
        PRE: "return sublayer(x) + dropout(sublayer(norm(x)))",
        POST: "return norm(sublayer(x) + dropout(sublayer(norm(x))))",
    },
)

READS_SUM = "x is added to what the sublayer reads. The sublayer reads norm(x) in pre-norm and x in post-norm, as it is; x is added once, to what the sublayer made."
SUM_READ_PRE, SUM_READ_POST = "dropout(sublayer(norm(x) + x))", "dropout(sublayer(x + x))"
add_norm.mistake(
    "x added to what the sublayer reads",
    READS_SUM,
    *in_both_or_one(READS_SUM, {PRE_MADE: SUM_READ_PRE}, {POST_MADE: SUM_READ_POST}),
)

TO_ITSELF = "What the sublayer made is added to itself, and x is gone. It is x plus what the sublayer made: keep x under a name that nothing overwrites."
DOUBLED = "(lambda made: made + made)({})"
add_norm.mistake(
    "what the sublayer made is added to itself",
    TO_ITSELF,
    *in_both_or_one(
        TO_ITSELF, {PRE: f"return {DOUBLED.format(PRE_MADE)}"}, {POST: f"return norm({DOUBLED.format(POST_MADE)})"}
    ),
    *in_both_or_one(
        TO_ITSELF, {PRE: f"return {PRE_MADE} + {PRE_MADE}"}, {POST: f"return norm({POST_MADE} + {POST_MADE})"}
    ),
)

MINUS = "What the sublayer made is subtracted. It is added to x: `x + dropout(sublayer(...))`."
add_norm.mistake(
    "subtracted, not added",
    MINUS,
    *in_both_or_one(MINUS, {PRE_ADD: "return x - "}, {POST_ADD: "norm(x - "}),
)

TIMES = "x is multiplied by what the sublayer made. The two are added: only a sum lets x through where the sublayer has nothing to say."
add_norm.mistake(
    "multiplied, not added",
    TIMES,
    *in_both_or_one(TIMES, {PRE_ADD: "return x * "}, {POST_ADD: "norm(x * "}),
)

NOT_TAKEN = "What the sublayer made does not reach the result. It is called, and what it gives is lost: add that to x."
add_norm.mistake(
    "what the sublayer made is lost",
    NOT_TAKEN,
    *in_both_or_one(NOT_TAKEN, {PRE: f"{PRE_MADE}; return x"}, {POST: f"{POST_MADE}; return norm(x)"}),
)

TWICE = "The sublayer is called twice. The result is the same as long as the sublayer has no state, and costs twice; with dropout inside, the two calls differ. Keep the result of the first call in a variable."
add_norm.mistake(
    "sublayer called twice",
    TWICE,
    {BEGIN: "sublayer(norm(x) if norm_first else x)"},
    edit({IF: f"{IF}\n        sublayer(norm(x))"}, says=in_pre_norm(TWICE)),
    edit({BEGIN: "if not norm_first: sublayer(x)"}, says=in_post_norm(TWICE)),
)

IN_PLACE = "You add into x itself: `x += ...` writes into the tensor that was passed in. The caller still needs it as it was, and so does the gradient. `x + ...` makes a new tensor."
add_norm.mistake(
    "in-place add",
    IN_PLACE,
    *in_both_or_one(
        IN_PLACE,
        {PRE: "return x.add_(dropout(sublayer(norm(x))))"},
        {POST: "return norm(x.add_(dropout(sublayer(x))))"},
    ),
)

INTO_MADE = (
    "You add x into the tensor that the sublayer gave. The sublayer may keep that tensor, or return x itself, and then x is changed; and a gradient may "
    "need it as it was. `x + ...` makes a new tensor."
)
add_norm.mistake(
    "adds into what the sublayer gave",
    INTO_MADE,
    *in_both_or_one(
        INTO_MADE,
        {PRE: "return dropout(sublayer(norm(x))).add_(x)"},
        {POST: "return norm(dropout(sublayer(x)).add_(x))"},
    ),
)

# SwiGLU ----------------------------------------------------------------------------

PRODUCT = "gates * torch.sigmoid(gates) * self.up(x)"
SWISH = "gates * torch.sigmoid(gates)"
UP = "self.up(x)"

swiglu.mistake(
    "no gate",
    "Nothing is gated. This is a plain feed-forward network with swish as its activation: one of the layers `gate` and `up` is made and never used. "
    "swish(gate(x)) is multiplied by up(x), feature by feature.",
    {f" * {UP}": ""},
    {PRODUCT: "self.up(x) * torch.sigmoid(self.up(x))"},
    edit(
        {f"{SWISH} * {UP}": UP},
        says="Nothing is gated, and nothing is bent: you narrow what `up` makes, which is two linear layers in a row, and `gate` is never used. swish(gate(x)) is multiplied by up(x), feature by feature.",
    ),
)

swiglu.mistake(
    "gate and up exchanged",
    "gate and up have changed places: you take the swish of `up` and multiply by `gate`. In a model trained from scratch nobody would notice, but the "
    "weights of a published model would not fit.",
    {"self.gate(x)": "self.up(x)", UP: "self.gate(x)"},
)

swiglu.mistake(
    "sigmoid instead of swish",
    "`gate` or `up` goes through a sigmoid. That is the plain gated linear unit, GLU. SwiGLU takes swish of the gate, z · sigmoid(z), where z itself "
    "stays as a factor.",
    {SWISH: "torch.sigmoid(gates)"},
    {PRODUCT: "gates * torch.sigmoid(self.up(x))"},
)

swiglu.mistake(
    "relu instead of swish",
    "The gate goes through a relu. That is ReGLU, a relative of SwiGLU; swish is z · sigmoid(z).",
    {SWISH: "torch.relu(gates)"},
)

swiglu.mistake(
    "gelu instead of swish",
    "The gate goes through a gelu. That is GEGLU, a relative of SwiGLU; swish is z · sigmoid(z).",
    {SWISH: "gelu(gates)"},
    {SWISH: 'gelu(gates, "tanh")'},
    edit(
        {SWISH: "gates * torch.sigmoid(1.702 * gates)"},
        says="The gate goes through x · sigmoid(1.702 x), an approximation of gelu that is known as QuickGELU. swish is z · sigmoid(z), without a factor.",
    ),
)

swiglu.mistake(
    "tanh instead of swish",
    "The gate goes through a tanh. swish is z · sigmoid(z), which stops large negative gates and lets large positive ones grow.",
    {SWISH: "torch.tanh(gates)"},
)

swiglu.mistake(
    "sign turned in the sigmoid",
    "The sigmoid has the wrong sign: you compute z · sigmoid(-z), which lets small gates pass and stops large ones. Written out, swish is z / (1 + e^(-z)).",
    {SWISH: "gates * torch.sigmoid(-gates)"},
)

swiglu.mistake(
    "swish before the gate",
    "swish is taken of x, before `gate`. Take swish of what `gate` makes of x: z · sigmoid(z), with z = gate(x).",
    {"gates = self.gate(x)": "gates = self.gate(x * torch.sigmoid(x))", SWISH: "gates"},
)

swiglu.mistake(
    "no swish",
    "The gate does not go through swish: you multiply two linear layers. That is the bilinear layer, a relative of SwiGLU; here take swish of the gate "
    "first, z · sigmoid(z).",
    {SWISH: "gates"},
)

swiglu.mistake(
    "swish of the product",
    "swish is taken of the product. Take swish of the gate alone, and multiply the result by up(x).",
    {PRODUCT: "gates * self.up(x) * torch.sigmoid(gates * self.up(x))"},
)

swiglu.mistake(
    "swish of both",
    "swish is taken of `gate` and of `up`. Take swish of the gate alone; `up` stays as it is, so that what passes may have either sign.",
    {UP: "self.up(x) * torch.sigmoid(self.up(x))"},
)

swiglu.mistake(
    "added instead of multiplied",
    "You add the gate and `up`. A gate multiplies: where it is near 0 nothing of the feature passes.",
    {f" * {UP}": f" + {UP}"},
)

swiglu.mistake(
    "swish after down",
    "swish is taken at the end, of what `down` gives. Take swish of the gate, in between; nothing follows `down`.",
    {f"return self.down({PRODUCT})": "h = self.down(gates * self.up(x)); return h * torch.sigmoid(h)"},
    edit(
        {f"return self.down({PRODUCT})": f"h = self.down({PRODUCT}); return h * torch.sigmoid(h)"},
        says="swish is taken once more at the end, of what `down` gives. Only the gate goes through swish; nothing follows `down`.",
    ),
)

swiglu.mistake(
    "down left out",
    "`down` is never used, so a token comes back with d_ff features. The product of swish(gate(x)) and up(x) goes through `down`, which narrows it to d_model.",
    {f"self.down({PRODUCT})": PRODUCT},
)

swiglu.mistake(
    "the gate multiplied by itself",
    "The gate is multiplied by itself, and `up` is never used. swish(gate(x)) times up(x): two layers, two roles.",
    {UP: "gates"},
    edit(
        {"self.gate(x)": UP, UP: "gates"},
        says="`up` is multiplied by its own swish, and `gate` is never used. swish(gate(x)) times up(x): two layers, two roles.",
    ),
)

swiglu.mistake(
    "biases too many",
    "At least one of your layers has a bias. The SwiGLU of the paper, and of the models that use it, has no biases: `bias=False` in all three layers.",
    {
        "self.gate = nn.Linear(d_model, d_ff, bias=False)": "self.gate = nn.Linear(d_model, d_ff)",
        "self.up = nn.Linear(d_model, d_ff, bias=False)": "self.up = nn.Linear(d_model, d_ff)",
        "self.down = nn.Linear(d_ff, d_model, bias=False)": "self.down = nn.Linear(d_ff, d_model)",
    },
    {"self.down = nn.Linear(d_ff, d_model, bias=False)": "self.down = nn.Linear(d_ff, d_model)"},
    {"self.gate = nn.Linear(d_model, d_ff, bias=False)": "self.gate = nn.Linear(d_model, d_ff)"},
    {
        "self.gate = nn.Linear(d_model, d_ff, bias=False)": "self.gate = nn.Linear(d_model, d_ff)",
        "self.up = nn.Linear(d_model, d_ff, bias=False)": "self.up = nn.Linear(d_model, d_ff)",
    },
)

swiglu.mistake(
    "residual connection inside",
    "x is added inside. The addition is the task of the `add_norm` around every sublayer; here only what is to be added is returned.",
    {"return self.down(": "return x + self.down("},
)
