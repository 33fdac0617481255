"""Wrong ways of AdamW and of the groups in which weights decay."""

from autograder.probing.mistake import Mistake

# AdamW ----------------------------------------------------------------------------

ADAM = "AdamW"
COUNT = 'state["step"] += 1'
DECAY = "parameter.mul_(1 - lr * weight_decay)"
MEAN_ALPHA, SQUARE_VALUE = "alpha=1 - beta1", "value=1 - beta2"
ADD_SQUARE = ".addcmul_(gradient, gradient, value=1 - beta2)"
CORRECT_MEAN, CORRECT_SQUARE = ' / (1 - beta1 ** state["step"])', ' / (1 - beta2 ** state["step"])'
ROOT = "(square.sqrt() + eps)"
UPDATE = "parameter.sub_(lr * mean / (square.sqrt() + eps))"
OWN_STATE = "self.state[parameter]"


def adam(name: str, says: str, edits: dict[str, str]) -> Mistake:
    """A mistake somewhere in the class."""
    return Mistake(name, of=ADAM, swaps=edits, says=says)


L2 = (
    "Weight decay is added to the gradient. There it goes through the running means and is divided by the root: weights with large gradients hardly decay at all. That is Adam with L2, which AdamW was made to put right. "
    "Shrink the parameter itself: times 1 - lr · weight_decay."
)
decay_as_l2 = adam("weight decay as L2", L2, {DECAY: "gradient = gradient + weight_decay * parameter"})
decay_as_l2_in_place = adam("weight decay as L2", L2, {DECAY: "gradient.add_(weight_decay * parameter)"})

decay_as_l2_of_mean = adam(
    "weight decay as L2", L2, {"add_(gradient, alpha": "add_(gradient + weight_decay * parameter, alpha", DECAY: "pass"}
)

decayed_twice = adam(
    "decayed twice",
    "The weight decays twice. Once it loses lr · weight_decay of itself, as it should, and once more the decay is in the gradient. Leave the gradient alone.",
    {DECAY: f"{DECAY}\n        gradient = gradient + weight_decay * parameter"},
)

decay_divided = adam(
    "the decay is divided by the root",
    "The decay is divided by the root. Beside the mean, in the numerator, it gets each number's own pace: weights with large gradients hardly decay at all. Shrink the parameter itself: times 1 - lr · weight_decay.",
    {DECAY: "pass", "lr * mean": "lr * (mean + weight_decay * parameter)"},
)

decay_without_lr = adam(
    "decay without the learning rate",
    "The decay is not multiplied by lr. With lr=0.001 yours is a thousand times too strong, and it does not fall with the schedule. A weight loses lr · weight_decay of itself.",
    {DECAY: "parameter.mul_(1 - weight_decay)"},
)

no_decay = adam(
    "no weight decay",
    "Nothing decays. This is Adam without the W: before the update, the parameter is multiplied by 1 - lr · weight_decay.",
    {DECAY: "pass"},
)

decay_last = adam(
    "decay after the update",
    "The parameter decays after the update. Then a part of the fresh step decays with it. It is little, but torch decays first, and so does the paper: its decay is of the weight as it was.",
    {DECAY: "pass", UPDATE: f"{UPDATE}\n        {DECAY}"},
)

grows = adam(
    "weights grow",
    "The weights grow instead of decaying. The factor is 1 *minus* lr · weight_decay.",
    {DECAY: "parameter.mul_(1 + lr * weight_decay)"},
)

no_correction = adam(
    "no bias correction",
    "There is no bias correction. Both running means start at 0 and know little at first: the mean is too small by 1 - beta1, the root by √(1 - beta2), so that the first steps are about three times too long with the usual betas. Divide by 1 - beta^step.",
    {CORRECT_MEAN: "", CORRECT_SQUARE: ""},
)
ONE_CORRECTED = "Only one of the two running means is corrected. Both start at 0, and both are too small at first: divide the one by 1 - beta1^step and the other by 1 - beta2^step."
mean_not_corrected = adam("only one mean is corrected", ONE_CORRECTED, {CORRECT_MEAN: ""})
square_not_corrected = adam("only one mean is corrected", ONE_CORRECTED, {CORRECT_SQUARE: ""})

FIRST_STEP = "You divide by 1 - beta at every step. That is right at the first one only: what the running mean has not seen yet is beta^step, which soon is nothing. The power is missing."
always_first = adam(
    "the power of beta is missing", FIRST_STEP, {CORRECT_MEAN: " / (1 - beta1)", CORRECT_SQUARE: " / (1 - beta2)"}
)
always_first_mean = adam("the power of beta is missing", FIRST_STEP, {CORRECT_MEAN: " / (1 - beta1)"})
always_first_square = adam("the power of beta is missing", FIRST_STEP, {CORRECT_SQUARE: " / (1 - beta2)"})

same_beta = adam(
    "both are corrected with one beta",
    "Both running means are corrected with beta1. The mean of the squares forgets at its own pace, beta2, and needs its own correction.",
    {CORRECT_SQUARE: ' / (1 - beta1 ** state["step"])'},
)

corrected_after_root = adam(
    "corrected after the root",
    "The mean square is corrected after its root was taken. The correction belongs under the root; outside, it would have to be the root of 1 - beta2^step.",
    {ROOT: '(state["square"].sqrt() / (1 - beta2 ** state["step"]) + eps)'},
)

counted_late = adam(
    "the step is counted too late",
    "The step is not counted before it is used. At the first step 1 - beta^0 is 0, and you divide by it. Count first, then use the number.",
    {COUNT: "pass", UPDATE: f"{UPDATE}\n        {COUNT}"},
)

ONE_COUNT = "There is one step count for all parameters. Each parameter has its own: it begins with its first gradient, and it is part of what is saved. Keep it in `state`."
counted_for_all = adam(
    "one step count for all parameters",
    ONE_COUNT,
    {COUNT: 'self._count = getattr(self, "_count", 0) + 1\n        state["step"] = self._count'},
)
counted_by_calls = adam(
    "one step count for all parameters",
    ONE_COUNT,
    {"for group in self.param_groups:": 'self._count = getattr(self, "_count", 0) + 1\n        for group in self.param_groups:', COUNT: 'state["step"] = self._count'},
)  # fmt: skip

EPS_INSIDE = "eps stands inside the root. There it is in the unit of a squared gradient, and 1e-8 counts like 1e-4. √square + eps."
eps_inside = adam("eps inside the root", EPS_INSIDE, {ROOT: "(square + eps).sqrt()"})

eps_early = adam(
    "eps before the correction",
    "eps is added before the bias correction. That is the short form in section 2 of the Adam paper; there eps weighs more in the first steps. Here, as in algorithm 1 and in torch, it is added to the root of the corrected mean square.",
    {ROOT: '((state["square"].sqrt() + eps) / (1 - beta2 ** state["step"]) ** 0.5)'},
)

no_eps = adam(
    "no eps",
    "eps is not used. Where the gradient has been 0 so far, you divide 0 by 0, and the parameter becomes NaN.",
    {ROOT: "square.sqrt()"},
)

fixed_eps = adam(
    "eps is always 1e-8",
    "eps is not read. Your code takes 1e-8 whatever was given. The setting stands in `group`, and the given lines take it out.",
    {ROOT: "(square.sqrt() + 1e-8)"},
)

betas_exchanged = adam(
    "betas exchanged",
    "The two betas have changed places. The first is for the gradient, the second, nearer to 1, for its square.",
    {'beta1, beta2 = group["betas"]': 'beta2, beta1 = group["betas"]'},
)

not_squared = adam(
    "the gradient is not squared",
    "The second running mean is one of the gradient, not of its square. It can be negative, and then its root is NaN.",
    {ADD_SQUARE: ".add_(gradient, alpha=1 - beta2)"},
)

squared_mean = adam(
    "the square of the mean",
    "You square the running mean, not the gradient. Where gradients change sign their mean is near 0, and you would divide by next to nothing just where care is due. It is the mean of the squared gradient.",
    {ADD_SQUARE: '.addcmul_(state["mean"], state["mean"], value=1 - beta2)'},
)

no_square_root = adam(
    "no root",
    "The root is missing. You divide by the mean *square*: parameters with small gradients take giant steps. √square has the unit of a gradient, and that unit has to cancel.",
    {ROOT: "(square + eps)"},
)

SUMS = "A running sum in the place of a running mean. What is new enters with the full weight 1; it should be 1 - beta, so that the two shares make 1."
sums = adam("running sums, not means", SUMS, {MEAN_ALPHA: "alpha=1", SQUARE_VALUE: "value=1"})
sum_of_mean = adam("running sums, not means", SUMS, {MEAN_ALPHA: "alpha=1"})
sum_of_squares = adam("running sums, not means", SUMS, {SQUARE_VALUE: "value=1"})

EXCHANGED = "Old and new have exchanged their shares. A running mean keeps beta of what it was and takes 1 - beta of what is new; yours forgets nearly everything at each step."
MEAN_LINE = 'state["mean"].mul_(beta1).add_(gradient, alpha=1 - beta1)'
SQUARE_KEEP = 'state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)'
TURNED_MEAN = {MEAN_LINE: 'state["mean"].mul_(1 - beta1).add_(gradient, alpha=beta1)'}
TURNED_SQUARE = {SQUARE_KEEP: 'state["square"].mul_(1 - beta2).addcmul_(gradient, gradient, value=beta2)'}
exchanged_both = adam("shares of old and new exchanged", EXCHANGED, TURNED_MEAN | TURNED_SQUARE)
exchanged_mean = adam("shares of old and new exchanged", EXCHANGED, TURNED_MEAN)
exchanged_square = adam("shares of old and new exchanged", EXCHANGED, TURNED_SQUARE)

uphill = adam(
    "uphill",
    "The parameter moves with the gradient, not against it. The loss would grow: subtract.",
    {"parameter.sub_(": "parameter.add_("},
)

NEW_TENSOR = "The parameter is not changed. `parameter = parameter - ...` makes a new tensor that nobody but this function knows; the model keeps the old one. Change it in place: `sub_`, `mul_`, or `-=`."
new_tensor = adam("a new tensor, not the parameter", NEW_TENSOR, {"parameter.sub_(": "parameter = parameter.sub("})
new_tensors = adam(
    "a new tensor, not the parameter",
    NEW_TENSOR,
    {"parameter.sub_(": "parameter = parameter.sub(", DECAY: "parameter = parameter * (1 - lr * weight_decay)"},
)

BACK = "The corrected mean goes back into the state. At the next step it is corrected again, and again. The correction is for this step only; the state keeps the plain running mean."
corrected_state = adam("the correction goes into the state", BACK, {'mean = state["mean"] /': 'mean = state["mean"] = state["mean"] /', 'square = state["square"] /': 'square = state["square"] = state["square"] /'})  # fmt: skip
corrected_state_mean = adam("the correction goes into the state", BACK, {'mean = state["mean"] /': 'mean = state["mean"] = state["mean"] /'})  # fmt: skip
corrected_state_square = adam("the correction goes into the state", BACK, {'square = state["square"] /': 'square = state["square"] = state["square"] /'})  # fmt: skip

root_kept = adam(
    "the root goes into the state",
    "The root is written into the state. `sqrt_`, with the underscore, changes the running mean of the squares itself, and the next step goes on from a root. `sqrt` makes a new tensor.",
    {ROOT: '(state["square"].sqrt_() / (1 - beta2 ** state["step"]) ** 0.5 + eps)'},
)

NOT_KEPT = 'A running mean is not kept. What you compute stays in a variable of this call; `state` still holds 0, so every step begins anew. Change the state itself, `state["mean"].mul_(...)`, or write the new tensor back into it.'
MEAN_FOR_NOW = {
    MEAN_LINE: 'mean = beta1 * state["mean"] + (1 - beta1) * gradient',
    'mean = state["mean"] /': "mean = mean /",
}
SQUARE_FOR_NOW = {
    SQUARE_KEEP: 'square = beta2 * state["square"] + (1 - beta2) * gradient**2',
    'square = state["square"] /': "square = square /",
}
neither_kept = adam("running means are not kept", NOT_KEPT, MEAN_FOR_NOW | SQUARE_FOR_NOW)
mean_not_kept = adam("running means are not kept", NOT_KEPT, MEAN_FOR_NOW)
square_not_kept = adam("running means are not kept", NOT_KEPT, SQUARE_FOR_NOW)

GROUPS = "The groups' own settings are not read. Each parameter must be updated with the lr, betas, eps and weight_decay of *its* group: that is how biases are kept from decaying, and how a schedule changes the learning rate."
first_group = adam(
    "settings of the groups are ignored", GROUPS, {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.param_groups[0])"}
)
defaults_only = adam(
    "settings of the groups are ignored", GROUPS, {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.defaults)"}
)

not_saved = adam(
    "running means are not saved",
    "The running means live outside `self.state`. `state_dict()` does not see them there, so a checkpoint loses them, and training that is taken up again starts with means of 0. Keep them in `self.state[parameter]`.",
    {OWN_STATE: 'self.__dict__.setdefault("own", {}).setdefault(parameter, {})'},
)

one_state = adam(
    "one state for all parameters",
    "All parameters share one state. The running means of one are mixed with those of the next, or do not fit in shape. `self.state[parameter]` is a dictionary for each.",
    {OWN_STATE: 'self.state.setdefault("all", {})'},
)

none_as_zero = adam(
    "no gradient is taken for a gradient of 0",
    "A parameter without a gradient is changed. It took no part in the loss, and torch leaves it alone: no decay, no count, no running mean. Pass over it.",
    {"if parameter.grad is not None:": "if parameter.grad is None:\n                    parameter.grad = torch.zeros_like(parameter)\n                if True:"},
)  # fmt: skip

none_decays = adam(
    "parameters without a gradient decay",
    "A parameter without a gradient decays all the same. It took no part in the loss, and torch leaves it alone. Decay inside the `if`.",
    {DECAY: "pass", "if parameter.grad is not None:": 'parameter.mul_(1 - group["lr"] * group["weight_decay"])\n                if parameter.grad is not None:'},
)  # fmt: skip

no_momentum = adam(
    "the gradient itself, not its mean",
    "The step follows the gradient of the moment, not its running mean. That is RMSProp. The numerator is the corrected running mean.",
    {f'mean = state["mean"]{CORRECT_MEAN}': "mean = gradient"},
)

not_divided = adam(
    "not divided by the root",
    "The running mean is not divided by the root of the mean square. That is momentum with one pace for all; Adam gives every number its own, and this division is how.",
    {f" / {ROOT}": ""},
)

no_lr = adam(
    "no learning rate in the step",
    "The step is not multiplied by lr. Each of your steps has a length near 1 in every number.",
    {"lr * mean": "mean"},
)

GRADIENT_WRITTEN = "The gradient is written over. Whoever looks at it after the step, to plot its length for instance, finds something else. Compute new tensors from it: `gradient.square()`, without the underscore."
gradient_written = adam(
    "the gradient is written over", GRADIENT_WRITTEN, {ADD_SQUARE: ".add_(gradient.square_(), alpha=1 - beta2)"}
)

# decay_groups ----------------------------------------------------------------------------

GROUP = "decay_groups"
ALL = "parameters = list(model.parameters())"
WIDE, NARROW = "if one.dim() > 1]", "if one.dim() <= 1]"
NOT_DECAYING = '"weight_decay": 0.0}'
ALL_OF = "[one for one in parameters "
SECOND = f'\n        {{"params": {ALL_OF}{NARROW}, {NOT_DECAYING},'
BY_NAME = "names = {id(one): name for name, one in model.named_parameters()}\n    "

EVERYTHING = "Everything decays. A norm's scale is drawn towards 0, where it silences the feature, and a bias has nothing to gain from being small. The second group, with norms and biases, gets 0.0."
everything_decays = Mistake(
    "everything decays", of=GROUP, swap=NOT_DECAYING, by='"weight_decay": weight_decay}', says=EVERYTHING
)
everything_in_one = Mistake("everything decays", of=GROUP, swaps={WIDE: "]", SECOND: ""}, says=EVERYTHING)
everything_first = Mistake("everything decays", of=GROUP, swaps={WIDE: "]", NARROW: "if False]"}, says=EVERYTHING)

NOTHING = (
    "Nothing decays. The first group, with the weights of layers and tables, gets the weight_decay that was given."
)
nothing_decays = Mistake(
    "nothing decays", of=GROUP, swap='"weight_decay": weight_decay}', by='"weight_decay": 0.0}', says=NOTHING
)
nothing_first = Mistake("nothing decays", of=GROUP, swaps={WIDE: "if False]", NARROW: "]"}, says=NOTHING)

turned_round = Mistake(
    "the groups are exchanged",
    of=GROUP,
    swaps={WIDE: "if one.dim() <= 1]", NARROW: "if one.dim() > 1]"},
    says="The groups are exchanged. Norms and biases decay, and the weights of layers do not.",
)

second_first = Mistake(
    "the group that does not decay comes first",
    of=GROUP,
    swaps={
        WIDE: "if one.dim() <= 1]",
        '"weight_decay": weight_decay}': NOT_DECAYING,
        NARROW: "if one.dim() > 1]",
        NOT_DECAYING: '"weight_decay": weight_decay}',
    },
    says="The group that does not decay comes first. An optimizer would not mind; whoever reads or changes the decay later looks into the first group for it. First what decays, then the norms and biases.",
)

norms_decay = Mistake(
    "norms decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if not names[id(one)].endswith("bias")]',
        NARROW: 'if names[id(one)].endswith("bias")]',
    },
    says="The scales of the norms decay. You look for \"bias\" in the names, and a norm's scale is called weight. Tell them by their number of dimensions: a layer's weight has two or more.",
)

norms_by_name = Mistake(
    "norms are known by their name",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if not names[id(one)].endswith("bias") and "norm" not in names[id(one)]]',
        NARROW: 'if names[id(one)].endswith("bias") or "norm" in names[id(one)]]',
    },
    says="Norms are known by their name only. One that is called otherwise, or stands in an nn.Sequential, where names are numbers, decays. Tell them by their number of dimensions.",
)

KNOWN_NORMS = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.LayerNorm) for one in part.parameters()}\n    "
)
norms_by_class = Mistake(
    "only torch's own norms are known",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{KNOWN_NORMS}{ALL}",
        WIDE: 'if id(one) not in known and not names[id(one)].endswith("bias")]',
        NARROW: 'if id(one) in known or names[id(one)].endswith("bias")]',
    },
    says="Only torch's own norms are spared. The LayerNorm that you wrote in lesson 01 is none of them, and its scale decays. Tell them by their number of dimensions, not by their class.",
)

biases_decay = Mistake(
    "biases decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if one.dim() > 1 or names[id(one)].endswith("bias")]',
        NARROW: 'if one.dim() <= 1 and not names[id(one)].endswith("bias")]',
    },
    says="The biases decay. Only the scales of the norms are spared; whatever has one dimension belongs to the second group.",
)

KNOWN_TABLES = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.Embedding) for one in part.parameters()}\n    "
)
KNOWN_OTHERS = (
    "others = {id(one) for part in model.modules() if not isinstance(part, nn.Embedding) "
    "for one in part.parameters(recurse=False)}\n    known -= others\n    "
)
SPARED = "Embedding tables are spared from decay. That is the convention of some codebases; here, as in most, a table counts as a weight: it has two dimensions."
BUT_TABLES = {
    WIDE: "if one.dim() > 1 and id(one) not in known]",
    NARROW: "if one.dim() <= 1 or id(one) in known]",
}
tables_spared = Mistake("tables do not decay", of=GROUP, swaps={ALL: f"{KNOWN_TABLES}{ALL}", **BUT_TABLES}, says=SPARED)
own_tables_spared = Mistake(  # one that is an output layer too counts as a layer
    "tables do not decay", of=GROUP, swaps={ALL: f"{KNOWN_TABLES}{KNOWN_OTHERS}{ALL}", **BUT_TABLES}, says=SPARED
)

tables_by_name = Mistake(
    "tables do not decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if one.dim() > 1 and "emb" not in names[id(one)]]',
        NARROW: 'if one.dim() <= 1 or "emb" in names[id(one)]]',
    },
    says=SPARED,
)

by_class = Mistake(
    "sorted by the class of the layer",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}known = {{id(one) for part in model.modules() if isinstance(part, (nn.LayerNorm, nn.Embedding)) for one in part.parameters()}}\n    {ALL}",
        WIDE: 'if id(one) not in known and not names[id(one)].endswith("bias")]',
        NARROW: 'if id(one) in known or names[id(one)].endswith("bias")]',
    },
    says="You sort by the class of the layer. So torch's own norms and tables are spared, and the LayerNorm that you wrote in lesson 01 decays. That is the way of a popular small GPT. Here the number of dimensions decides: a table has two and decays, a norm has one, whoever made it.",
)

not_two = Mistake(
    "weights of two dimensions do not decay",
    of=GROUP,
    swaps={WIDE: "if one.dim() > 2]", NARROW: "if one.dim() <= 2]"},
    says="Weights of two dimensions do not decay, and nearly all weights of a Transformer have two. Two dimensions *or more* go to the first group: `dim() > 1`.",
)

only_two = Mistake(
    "only weights of two dimensions decay",
    of=GROUP,
    swaps={WIDE: "if one.dim() == 2]", NARROW: "if one.dim() != 2]"},
    says="A weight of three dimensions does not decay. Convolutions have such weights. Two dimensions *or more*.",
)
three_lost = Mistake(
    "weights of three dimensions are left out",
    of=GROUP,
    swap=WIDE,
    by="if one.dim() == 2]",
    says="A weight of three dimensions is in neither group. Convolutions have such weights, and yours would never learn. Two dimensions *or more* go to the first group.",
)

KNOWN_LAYERS = "known = {id(part.weight) for part in model.modules() if isinstance(part, nn.Linear)}\n    "
linear_only = Mistake(
    "only linear layers decay",
    of=GROUP,
    swaps={ALL: f"{KNOWN_LAYERS}{ALL}", WIDE: "if id(one) in known]", NARROW: "if id(one) not in known]"},
    says="Only the weights of nn.Linear decay. Tables and convolutions are passed by, and so is any layer that somebody else wrote. Tell them by their number of dimensions, not by their class.",
)

STRENGTH = "weight_decay is not read. Your first group has a number of its own, whatever was given."
strength_001 = Mistake(
    "weight_decay is not read",
    of=GROUP,
    swap='"weight_decay": weight_decay}',
    by='"weight_decay": 0.01}',
    says=STRENGTH,
)
strength_01 = Mistake(
    "weight_decay is not read", of=GROUP, swap='"weight_decay": weight_decay}', by='"weight_decay": 0.1}', says=STRENGTH
)


LEFT_OUT = "Norms and biases are in neither group. An optimizer changes only what it is given: they would never learn. They belong to the second group, with weight_decay 0.0."
left_out = Mistake("norms and biases are left out", of=GROUP, swap=f"{ALL_OF}{NARROW}", by="[]", says=LEFT_OUT)
one_group_only = Mistake("norms and biases are left out", of=GROUP, swap=SECOND, by="", says=LEFT_OUT)

no_setting = Mistake(
    "no weight_decay in the second group",
    of=GROUP,
    swap=f", {NOT_DECAYING}",
    by="}",
    says="The second group says nothing of weight_decay. Then the optimizer's own default applies, which is 0.01 for AdamW: they decay after all. Write 0.0.",
)

listed_twice = Mistake(
    "what is shared is listed twice",
    of=GROUP,
    swap="list(model.parameters())",
    by="[one for part in model.modules() for one in part.parameters(recurse=False)]",
    says="A parameter that two parts share is listed twice. The optimizer would move it twice at every step, or refuse. `model.parameters()` lists it once.",
)

names_listed = Mistake(
    "names, not parameters",
    of=GROUP,
    swaps={
        ALL: f"named = list(model.named_parameters())\n    {ALL}",
        f"[one for one in parameters {WIDE}": "[name for name, one in named if one.dim() > 1]",
        f"[one for one in parameters {NARROW}": "[name for name, one in named if one.dim() <= 1]",
    },
    says="Your groups hold names. An optimizer changes parameters, and has no model in which to look names up.",
)

parts_left_out = Mistake(
    "the parameters of parts are left out",
    of=GROUP,
    swap="list(model.parameters())",
    by="list(model.parameters(recurse=False))",
    says="Only the model's own parameters are listed, not those of its parts. Nearly all parameters belong to layers inside layers. `model.parameters()` goes through all.",
)
