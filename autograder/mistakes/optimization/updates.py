"""Wrong ways of AdamW and of the groups in which weights decay."""

from autograder.checks.optimization.updates import adam_w, decay_groups
from autograder.probing.mistake import edit

# AdamW ----------------------------------------------------------------------------

COUNT = 'state["step"] += 1'
DECAY = "parameter.mul_(1 - lr * weight_decay)"
MEAN_LINE = 'state["mean"].mul_(beta1).add_(gradient, alpha=1 - beta1)'
SQUARE_LINE = 'state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)'
MEAN_ALPHA, SQUARE_VALUE = "alpha=1 - beta1", "value=1 - beta2"
ADD_SQUARE = ".addcmul_(gradient, gradient, value=1 - beta2)"
CORRECT_MEAN, CORRECT_SQUARE = ' / (1 - beta1 ** state["step"])', ' / (1 - beta2 ** state["step"])'
ROOT = "(square.sqrt() + eps)"
UPDATE = "parameter.sub_(lr * mean / (square.sqrt() + eps))"
OWN_STATE = "self.state[parameter]"

adam_w.mistake(
    "weight decay as L2",
    "Weight decay is added to the gradient. There it goes through the running means and is divided by the root: weights with large gradients hardly "
    "decay at all. That is Adam with L2; AdamW was made to correct it. Shrink the parameter itself: times 1 - lr · weight_decay.",
    {DECAY: "gradient = gradient + weight_decay * parameter"},
    {DECAY: "gradient.add_(weight_decay * parameter)"},
    {"add_(gradient, alpha": "add_(gradient + weight_decay * parameter, alpha", DECAY: "pass"},
    {DECAY: "gradient = gradient + lr * weight_decay * parameter"},
)

adam_w.mistake(
    "decayed twice",
    "The weight decays twice. It loses lr · weight_decay of itself, as it should, and the decay is in the gradient too. Leave the gradient alone.",
    {DECAY: f"{DECAY}\n        gradient = gradient + weight_decay * parameter"},
    {DECAY: f"gradient = gradient + weight_decay * parameter\n        {DECAY}"},
)

adam_w.mistake(
    "the decay is divided by the root",
    "The decay is divided by the root. It stands beside the mean in the numerator, so weights with large gradients hardly decay at all. Shrink the "
    "parameter itself: times 1 - lr · weight_decay.",
    {DECAY: "pass", "lr * mean": "lr * (mean + weight_decay * parameter)"},
)

adam_w.mistake(
    "decay without the learning rate",
    "The decay is not multiplied by lr. With lr=0.001 your decay is a thousand times too strong, and it does not fall with the schedule. A weight loses "
    "lr · weight_decay of itself.",
    {DECAY: "parameter.mul_(1 - weight_decay)"},
)

adam_w.mistake(
    "the same decay for every weight",
    "Every weight loses the same amount, lr · weight_decay, however large it is. A weight below 0 moves away from 0 like that, and one near 0 is carried past it. What a weight loses is that share of *itself*: lr · weight_decay · parameter.",
    {DECAY: "parameter.sub_(lr * weight_decay)"},
)

adam_w.mistake(
    "only the decay is left of the weight",
    "The weight becomes the share that it should lose. It is multiplied by lr · weight_decay, and next to nothing is left. What stays is 1 - lr · weight_decay of it.",
    {DECAY: "parameter.mul_(lr * weight_decay)"},
)

adam_w.mistake(
    "the decay is corrected too",
    "The decay is divided by the bias correction. Torch keeps lr / (1 - beta1^step) in a variable of its own, and that rate is for the mean only. A weight loses lr · weight_decay of itself at every step.",
    {DECAY: 'parameter.mul_(1 - lr / (1 - beta1 ** state["step"]) * weight_decay)'},
)

adam_w.mistake(
    "only matrices decay",
    "Parameters of one dimension do not decay. Which parameters decay is for the groups to say, and the optimizer does to each what its group says. Let everything decay by the weight_decay of its group.",
    {DECAY: f"if parameter.dim() > 1:\n            {DECAY}"},
)

adam_w.mistake(
    "no weight decay",
    "Nothing decays. This is Adam without the W: before the update, the parameter is multiplied by 1 - lr · weight_decay.",
    {DECAY: "pass"},
)

adam_w.mistake(
    "decay after the update",
    "The parameter decays after the update. Then a part of the new step decays too. The difference is small, but torch and the paper decay first: they "
    "take the decay from the weight as it was.",
    {DECAY: "pass", UPDATE: f"{UPDATE}\n        {DECAY}"},
)

adam_w.mistake(
    "weights grow",
    "The weights grow instead of decaying. The factor is 1 *minus* lr · weight_decay.",
    {DECAY: "parameter.mul_(1 + lr * weight_decay)"},
)

adam_w.mistake(
    "no bias correction",
    "There is no bias correction. Both running means start at 0 and are too small at first: the mean by a factor 1 - beta1, the root by √(1 - beta2), "
    "so that the first steps are about three times too long with the usual betas. Divide by 1 - beta^step.",
    {CORRECT_MEAN: "", CORRECT_SQUARE: ""},
)

adam_w.mistake(
    "only one mean is corrected",
    "Only one of the two running means is corrected. Both start at 0, and both are too small at first: divide the mean by 1 - beta1^step and the mean "
    "square by 1 - beta2^step.",
    {CORRECT_MEAN: ""},
    {CORRECT_SQUARE: ""},
)

adam_w.mistake(
    "the power of beta is missing",
    "You divide by 1 - beta at every step. That is right at the first step only: the part that is missing from the running mean is beta^step, which "
    "soon is next to nothing. The power is missing.",
    edit(
        {CORRECT_MEAN: " / (1 - beta1)", CORRECT_SQUARE: " / (1 - beta2)"},
        says="You divide by 1 - beta at every step. That is right at the first step only: the part that is missing from the running mean is beta^step, "
        "which soon is next to nothing. Either the power is missing, or the number of the step stays 1.",
    ),
    {CORRECT_MEAN: " / (1 - beta1)"},
    {CORRECT_SQUARE: " / (1 - beta2)"},
    edit(
        {CORRECT_MEAN: ' / (1 - beta1 * state["step"])', CORRECT_SQUARE: ' / (1 - beta2 * state["step"])'},
        says="You multiply beta by the number of the step. That is right at the first step only; then 1 - beta · step falls below 0. It is the *power*, beta^step.",
    ),
)

adam_w.mistake(
    "multiplied by the correction",
    "You multiply by 1 - beta^step. Both running means are too small at first, and like that they become smaller still. Divide.",
    {'mean = state["mean"] /': 'mean = state["mean"] *', 'square = state["square"] /': 'square = state["square"] *'},
    {'mean = state["mean"] /': 'mean = state["mean"] *'},
    {'square = state["square"] /': 'square = state["square"] *'},
)

adam_w.mistake(
    "both are corrected with one beta",
    "Both running means are corrected with beta1. The mean of the squares has its own beta2, and needs its own correction.",
    {CORRECT_SQUARE: ' / (1 - beta1 ** state["step"])'},
    edit(
        {CORRECT_MEAN: ' / (1 - beta2 ** state["step"])'},
        says="Both running means are corrected with beta2. The mean of the gradient has its own beta1, and needs its own correction.",
    ),
    edit(
        {CORRECT_MEAN: ' / (1 - beta2 ** state["step"])', CORRECT_SQUARE: ' / (1 - beta1 ** state["step"])'},
        says="The two corrections have exchanged their betas. The mean of the gradient is corrected with beta1, that of the squares with beta2.",
    ),
)

adam_w.mistake(
    "corrected after the root",
    "The mean square is corrected after its root was taken. The correction belongs under the root; outside, it would have to be the root of 1 - beta2^step.",
    {ROOT: '(state["square"].sqrt() / (1 - beta2 ** state["step"]) + eps)'},
)

adam_w.mistake(
    "the step is counted too late",
    "The step is not counted before it is used. At the first step 1 - beta^0 is 0, and you divide by 0. Count first, then use the number.",
    {COUNT: "pass", UPDATE: f"{UPDATE}\n        {COUNT}"},
)

adam_w.mistake(
    "the step is counted too far",
    "The number of the step is too large. Your corrections are those of a later step, so the first steps are made with means that are still too small. Add 1, once for every step.",
    {CORRECT_MEAN: ' / (1 - beta1 ** (state["step"] + 1))', CORRECT_SQUARE: ' / (1 - beta2 ** (state["step"] + 1))'},
    {COUNT: 'state["step"] += 2'},
)

COUNT_FOR_ALL = 'self._count = getattr(self, "_count", 0) + 1\n        '
adam_w.mistake(
    "one step count for all parameters",
    "There is one step count for all parameters. Each parameter has its own: it begins with its first gradient, and it is part of what is saved. Keep it in `state`.",
    {COUNT: f'{COUNT_FOR_ALL}state["step"] = self._count'},
    {
        "for group in self.param_groups:": f"{COUNT_FOR_ALL}for group in self.param_groups:",
        COUNT: 'state["step"] = self._count',
    },
    edit(
        {COUNT: 'state["step"] = group["count"] = group.get("count", 0) + 1'},
        says="There is one step count for a whole group, and every parameter of it counts on. Each parameter has its own: it begins with its first gradient, and it is part of what is saved. Keep it in `state`.",
    ),
)

adam_w.mistake(
    "eps inside the root",
    "eps stands inside the root. There it is added to a squared gradient, so that 1e-8 counts like 1e-4. Write √square + eps.",
    {ROOT: "(square + eps).sqrt()"},
)

adam_w.mistake(
    "eps before the correction",
    "eps is added before the bias correction. That is the short form in section 2 of the Adam paper; there eps weighs more in the first steps. Here, as in algorithm 1 and in torch, it is added to the root of the corrected mean square.",
    {ROOT: '((state["square"].sqrt() + eps) / (1 - beta2 ** state["step"]) ** 0.5)'},
)

adam_w.mistake(
    "no eps",
    "eps is not used. Where the gradient has been 0 so far, you divide 0 by 0, and the parameter becomes NaN.",
    {ROOT: "square.sqrt()"},
)

adam_w.mistake(
    "eps is always 1e-8",
    "eps is not read. Your code takes 1e-8 whatever was given. The setting stands in `group`, and the given lines read it from there.",
    {ROOT: "(square.sqrt() + 1e-8)"},
)

adam_w.mistake(
    "the root is at least eps",
    "eps is a lower bound of your root, and is not added. Where the gradient is small that makes a difference: it is mean / (√square + eps).",
    {ROOT: "square.sqrt().clamp(min=eps)"},
)

adam_w.mistake(
    "eps beside the quotient",
    "eps is added to the quotient, not to the root. Where the gradient is 0 you divide 0 by 0, and elsewhere every step is eps too long. Put the sum into brackets: mean / (√square + eps).",
    {f"mean / {ROOT}": "mean / square.sqrt() + eps"},
    {f"lr * mean / {ROOT}": "lr * (mean / square.sqrt() + eps)"},
)

adam_w.mistake(
    "betas exchanged",
    "The two betas have changed places. The first is for the gradient, the second, nearer to 1, for its square.",
    {'beta1, beta2 = group["betas"]': 'beta2, beta1 = group["betas"]'},
    edit(
        {
            MEAN_LINE: 'state["mean"].mul_(beta2).add_(gradient, alpha=1 - beta2)',
            SQUARE_LINE: 'state["square"].mul_(beta1).addcmul_(gradient, gradient, value=1 - beta1)',
        },
        says="The running means have exchanged their betas. The gradient's takes beta1, that of the squares beta2, as in the corrections below them.",
    ),
)

adam_w.mistake(
    "the gradient is not squared",
    "The second running mean is one of the gradient, not of its square. It can be negative, and then its root is NaN.",
    {ADD_SQUARE: ".add_(gradient, alpha=1 - beta2)"},
    edit(
        {ADD_SQUARE: ".add_(gradient.abs(), alpha=1 - beta2)"},
        says="The second running mean is one of the gradient's absolute value, not of its square. Its root does not have the unit of a gradient, so the size of the gradient does not cancel. Square it.",
    ),
)

KEPT_MEAN, KEPT_SQUARE = '["mean"].mul_(beta1)', '["square"].mul_(beta2)'
adam_w.mistake(
    "a beta in the wrong mean",
    "One of the running means takes the other's beta. The mean of the gradient keeps beta1 of what it was and takes 1 - beta1 of what is new; that of the squares has beta2 in both places.",
    {KEPT_SQUARE: '["square"].mul_(beta1)', SQUARE_VALUE: "value=1 - beta1"},
    {SQUARE_VALUE: "value=1 - beta1"},
    {KEPT_SQUARE: '["square"].mul_(beta1)'},
    {KEPT_MEAN: '["mean"].mul_(beta2)', MEAN_ALPHA: "alpha=1 - beta2"},
    {MEAN_ALPHA: "alpha=1 - beta2"},
    {KEPT_MEAN: '["mean"].mul_(beta2)'},
)

adam_w.mistake(
    "one pace for a whole parameter",
    "All numbers of a parameter get one pace. Your second mean is one of the mean of all squares, and Adam keeps one for every number: square the gradient, and average over steps only.",
    {ADD_SQUARE: ".add_(gradient.square().mean(), alpha=1 - beta2)"},
    {ADD_SQUARE: ".add_(gradient.square().sum(), alpha=1 - beta2)"},
)

adam_w.mistake(
    "the square of the mean",
    "You square the running mean, not the gradient. Where gradients change sign their mean is near 0, and you would divide by next to nothing just "
    "where steps should be small. Keep the mean of the squared gradient.",
    {ADD_SQUARE: '.addcmul_(state["mean"], state["mean"], value=1 - beta2)'},
)

adam_w.mistake(
    "no root",
    "The root is missing. You divide by the mean *square*: parameters with small gradients take giant steps. √square has the unit of a gradient, and that unit has to cancel.",
    {ROOT: "(square + eps)"},
)

adam_w.mistake(
    "running sums, not means",
    "You keep a running sum, not a running mean. The new number enters with the full weight 1; its weight should be 1 - beta, so that the two weights "
    "sum to 1.",
    {MEAN_ALPHA: "alpha=1", SQUARE_VALUE: "value=1"},
    {MEAN_ALPHA: "alpha=1"},
    {SQUARE_VALUE: "value=1"},
    *(
        edit(
            one,
            says="You keep a running sum, not a running mean. Nothing that was there is ever forgotten: what was should be multiplied by beta before the new number comes on top, so that the two weights sum to 1.",
        )
        for one in (
            {KEPT_MEAN: '["mean"]', KEPT_SQUARE: '["square"]'},
            {KEPT_MEAN: '["mean"]'},
            {KEPT_SQUARE: '["square"]'},
        )
    ),
)

TURNED_MEAN = {MEAN_LINE: 'state["mean"].mul_(1 - beta1).add_(gradient, alpha=beta1)'}
TURNED_SQUARE = {SQUARE_LINE: 'state["square"].mul_(1 - beta2).addcmul_(gradient, gradient, value=beta2)'}
adam_w.mistake(
    "shares of old and new exchanged",
    "Old and new have exchanged their shares. A running mean keeps beta of what it was and takes 1 - beta of what is new; your mean forgets nearly "
    "everything at each step.",
    TURNED_MEAN | TURNED_SQUARE,
    TURNED_MEAN,
    TURNED_SQUARE,
)

adam_w.mistake(
    "uphill",
    "The parameter moves with the gradient, not against it. The loss would grow. Subtract.",
    {"parameter.sub_(": "parameter.add_("},
)

adam_w.mistake(
    "the update does not reach the parameter",
    "The update does not reach the parameter: it decays, and that is all. An update that is not written yet leaves it so, and so does "
    "`parameter = parameter - ...`, which makes a new tensor that only this function knows. So does a running mean that stays 0, because the results of "
    "`mul` and `add` are not kept. Change all of them in place: `sub_`, `mul_`, `add_`, or `-=`.",
    {"parameter.sub_(": "parameter = parameter.sub("},
    edit(
        {"parameter.sub_(": "parameter = parameter.sub(", DECAY: "parameter = parameter * (1 - lr * weight_decay)"},
        says="The parameter is not changed. Decay and update that are not written yet leave it so, and so does `parameter = parameter - ...`: it makes a "
        "new tensor that only this function knows, and the model keeps the old tensor. Change it in place: `sub_`, `mul_`, or `-=`.",
    ),
)

MEAN_BACK = {'mean = state["mean"] /': 'mean = state["mean"] = state["mean"] /'}
SQUARE_BACK = {'square = state["square"] /': 'square = state["square"] = state["square"] /'}
adam_w.mistake(
    "the correction goes into the state",
    "The corrected mean goes back into the state. At the next step it is corrected again, and again. The correction is for this step only; the state keeps the plain running mean.",
    MEAN_BACK | SQUARE_BACK,
    MEAN_BACK,
    SQUARE_BACK,
)

adam_w.mistake(
    "the root goes into the state",
    "The root is written into the state. `sqrt_`, with the underscore, changes the running mean of the squares itself, and the next step starts from a "
    "root. `sqrt` makes a new tensor.",
    {ROOT: '(state["square"].sqrt_() / (1 - beta2 ** state["step"]) ** 0.5 + eps)'},
)

MEAN_FOR_NOW = {
    MEAN_LINE: 'mean = beta1 * state["mean"] + (1 - beta1) * gradient',
    'mean = state["mean"] /': "mean = mean /",
}
SQUARE_FOR_NOW = {
    SQUARE_LINE: 'square = beta2 * state["square"] + (1 - beta2) * gradient**2',
    'square = state["square"] /': "square = square /",
}
adam_w.mistake(
    "running means are not kept",
    'A running mean is not kept. What you compute stays in a variable of this call; `state` still holds 0, so every step begins anew. Change the state itself, `state["mean"].mul_(...)`, or write the new tensor back into it.',
    MEAN_FOR_NOW | SQUARE_FOR_NOW,
    MEAN_FOR_NOW,
    SQUARE_FOR_NOW,
    # Beside a slip in the line of the mean itself.
    {UPDATE: f'{UPDATE}\n        state["mean"].zero_()'},
    {UPDATE: f'{UPDATE}\n        state["square"].zero_()'},
)

adam_w.mistake(
    "settings of the groups are ignored",
    "The groups' own settings are not read. Each parameter must be updated with the lr, betas, eps and weight_decay of *its* group: that is how biases are kept from decaying, and how a schedule changes the learning rate.",
    {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.param_groups[0])"},
    {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.defaults)"},
    *(
        edit(
            {f'group["{name}"]': f'self.defaults["{name}"]'},
            says=f"The group's own {name} is not read; yours is that of the constructor. Each parameter must be updated with the settings of *its* group: that is how biases are kept from decaying, and how a schedule changes the learning rate.",
        )
        for name in ("lr", "betas", "weight_decay")
    ),
    edit(
        {"lr * mean": 'self.defaults["lr"] * mean'},
        says="The step is made with the constructor's lr, not with the group's. A schedule changes the group's lr, and your steps would stay as long as at first.",
    ),
    edit(
        {DECAY: 'parameter.mul_(1 - self.defaults["lr"] * weight_decay)'},
        says="The decay takes the constructor's lr, not the group's. A schedule changes the group's lr, and the decay falls with it.",
    ),
    edit(
        {
            COUNT: f'lr, weight_decay = self.param_groups[0]["lr"], self.param_groups[0]["weight_decay"]\n        {COUNT}'
        },
        says="Every parameter gets lr and weight_decay of the first group. Each parameter must be updated with the settings of *its* group: that is how biases are kept from decaying.",
    ),
    *(
        edit(
            {f'group["{name}"]': value},
            says=f"The {name} that was asked for is not read: your numbers are those of {value}, the value that it has when nobody says another. Each parameter must be updated with the settings of *its* group.",
        )
        for name, value in (("lr", "1e-3"), ("betas", "(0.9, 0.999)"), ("weight_decay", "0.01"))
    ),
)

adam_w.mistake(
    "running means are not saved",
    "The running means live outside `self.state`. `state_dict()` does not see them there, so a checkpoint loses them, and training that is taken up again starts with means of 0. Keep them in `self.state[parameter]`.",
    {OWN_STATE: 'self.__dict__.setdefault("own", {}).setdefault(parameter, {})'},
    *(
        edit(
            {
                line: f'{kept} = self.__dict__.setdefault("{kept}", {{}}).setdefault(parameter, state["{kept}"].clone())\n        '
                + line.replace(f'state["{kept}"]', kept),
                f'{kept} = state["{kept}"] /': f"{kept} = {kept} /",
            },
            says="One of the two running means lives outside `self.state`. `state_dict()` does not see it there, so a checkpoint loses it. Keep both in `state`.",
        )
        for kept, line in (("mean", MEAN_LINE), ("square", SQUARE_LINE))
    ),
)

adam_w.mistake(
    "one state for all parameters",
    "All parameters share one state. The running means of one are mixed with those of the next, or do not fit in shape. `self.state[parameter]` is a dictionary for each.",
    {OWN_STATE: 'self.state.setdefault("all", {})'},
)

adam_w.mistake(
    "no gradient is taken for a gradient of 0",
    "A parameter without a gradient is changed. It took no part in the loss, and torch does not change it: no decay, no count, no running mean. Skip it.",
    {
        "if parameter.grad is not None:": "if parameter.grad is None:\n                    parameter.grad = torch.zeros_like(parameter)\n                if True:"
    },
)

adam_w.mistake(
    "parameters without a gradient decay",
    "A parameter without a gradient still decays. It took no part in the loss, and torch does not change it. Decay inside the `if`.",
    {
        DECAY: "pass",
        "if parameter.grad is not None:": 'parameter.mul_(1 - group["lr"] * group["weight_decay"])\n                if parameter.grad is not None:',
    },
)

adam_w.mistake(
    "the newest gradient counts once more",
    "The gradient of this step is mixed into the corrected mean once more. That looks a step ahead, as Nesterov's momentum and NAdam do; AdamW takes the corrected mean as it is.",
    {f'mean = state["mean"]{CORRECT_MEAN}': f'mean = beta1 * (state["mean"]{CORRECT_MEAN}) + (1 - beta1) * gradient'},
    {
        f'mean = state["mean"]{CORRECT_MEAN}': f'mean = beta1 * (state["mean"]{CORRECT_MEAN}) + (1 - beta1) * gradient{CORRECT_MEAN}'
    },
)

adam_w.mistake(
    "the gradient itself, not its mean",
    "The step follows the gradient of the moment, not its running mean. That is RMSProp. The numerator is the corrected running mean.",
    {f'mean = state["mean"]{CORRECT_MEAN}': "mean = gradient"},
)

adam_w.mistake(
    "not divided by the root",
    "The running mean is not divided by the root of the mean square. That is momentum with one pace for all numbers. Adam gives every number a pace of "
    "its own by this division.",
    {f" / {ROOT}": ""},
)

adam_w.mistake(
    "lr twice in the step",
    "The step is multiplied by lr twice. With lr=0.001 each of your steps is a thousand times too short. The factor is lr, once.",
    {"lr * mean": "lr * lr * mean"},
)

adam_w.mistake(
    "lr is always 1e-3",
    "lr is not read in the step. Yours is 1e-3, whatever was given. The setting stands in `group`, and the given lines read it from there.",
    {"lr * mean": "1e-3 * mean"},
)

adam_w.mistake(
    "only the sign of the mean",
    "Every number moves by lr, whatever its gradients were. You take the sign of the mean; its size beside the root says how far the gradients agree. It is mean / (√square + eps).",
    {f"mean / {ROOT}": "mean.sign()"},
)

adam_w.mistake(
    "the largest mean square so far",
    "You divide by the largest mean square so far. That is AMSGrad, another optimizer, whose paces never grow again. Divide by the running mean of the squares as it is now.",
    {
        'square = state["square"] /': 'state["top"] = torch.maximum(state.get("top", state["square"]), state["square"]).clone()\n        square = state["top"] /'
    },
)

adam_w.mistake(
    "the correction is one step behind",
    "Your corrections are one step behind. The first two steps are corrected alike, and from then on the means are made too large. Count the step first, and use that number.",
    {
        CORRECT_MEAN: ' / (1 - beta1 ** max(state["step"] - 1, 1))',
        CORRECT_SQUARE: ' / (1 - beta2 ** max(state["step"] - 1, 1))',
    },
)

adam_w.mistake(
    "no learning rate in the step",
    "The step is not multiplied by lr. Each of your steps has a length near 1 in every number.",
    {"lr * mean": "mean"},
    edit(
        {"lr * mean": "mean", DECAY: "parameter.mul_(1 - weight_decay)"},
        says="Nothing is multiplied by lr, neither the step nor the decay. Each of your steps has a length near 1 in every number, and a weight loses weight_decay of itself.",
    ),
)

adam_w.mistake(
    "the gradient is written over",
    "The gradient is written over. Code that reads it after the step, to plot its length for instance, finds something else. Compute new tensors from "
    "it: `gradient.square()`, without the underscore.",
    {ADD_SQUARE: ".add_(gradient.square_(), alpha=1 - beta2)"},
)

# decay_groups ----------------------------------------------------------------------------

ALL = "parameters = list(model.parameters())"
WIDE, NARROW = "if one.dim() > 1]", "if one.dim() <= 1]"
DECAYING, NOT_DECAYING = '"weight_decay": weight_decay}', '"weight_decay": 0.0}'
ALL_OF = "[one for one in parameters "
SECOND = f'\n        {{"params": {ALL_OF}{NARROW}, {NOT_DECAYING},'
END = ",\n    ]"
# Lines before the list, by which a parameter can be told from its name or its layer.
BY_NAME = "names = {id(one): name for name, one in model.named_parameters()}\n    "
KNOWN_NORMS = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.LayerNorm) for one in part.parameters()}\n    "
)
KNOWN_TABLES = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.Embedding) for one in part.parameters()}\n    "
)
KNOWN_BOTH = "known = {id(one) for part in model.modules() if isinstance(part, (nn.LayerNorm, nn.Embedding)) for one in part.parameters()}\n    "
IS_BIAS = 'names[id(one)].endswith("bias")'


def by_class(asked: str) -> str:
    """A line before the list, by which the parameters of some layers are known."""
    return f"known = {{id(one) for part in model.modules() if {asked} for one in part.parameters(recurse=False)}}\n    "


TORCH_NORM, ANY_NORM = "isinstance(part, nn.LayerNorm)", '"Norm" in type(part).__name__'
LINEAR, A_LAYER = "isinstance(part, nn.Linear)", "isinstance(part, (nn.Linear, nn.Conv1d, nn.Conv2d))"
DECAYS_TOO = {WIDE: "if one.dim() > 1 or id(one) in known]", NARROW: "if one.dim() <= 1 and id(one) not in known]"}

decay_groups.mistake(
    "everything decays",
    "Everything decays. A norm's scale is pulled towards 0, which would remove the feature, and a bias gains nothing from being small. The second "
    "group, with norms and biases, gets 0.0.",
    {NOT_DECAYING: DECAYING},
    {WIDE: "]", SECOND: ""},
    {WIDE: "]", NARROW: "if False]"},
)

decay_groups.mistake(
    "nothing decays",
    "Nothing decays. The first group, with the weights of layers and tables, gets the weight_decay that was given.",
    {DECAYING: NOT_DECAYING},
    {WIDE: "if False]", NARROW: "]"},
)

decay_groups.mistake(
    "the groups are exchanged",
    "The groups are exchanged. Norms and biases decay, and the weights of layers do not.",
    {WIDE: NARROW, NARROW: WIDE},
    {DECAYING: NOT_DECAYING, NOT_DECAYING: DECAYING},
)

decay_groups.mistake(
    "the group that does not decay comes first",
    "The group that does not decay comes first. An optimizer works with either order, but code that reads or changes the decay later looks into the "
    "first group. Put what decays first, then the norms and biases.",
    {WIDE: NARROW, NARROW: WIDE, DECAYING: NOT_DECAYING, NOT_DECAYING: DECAYING},
    {"return [": "return list(reversed([", END: ",\n    ]))"},  # beside another way of sorting
)

BOTH = "A parameter stands in both groups. The optimizer would change it twice at every step, or refuse. Every parameter belongs to one group: two dimensions or more to the first, one to the second."
decay_groups.mistake(
    "parameters in both groups",
    BOTH,
    {WIDE: "]", NARROW: "]"},
    {WIDE: "]"},
    {NARROW: "]"},
    {NARROW: "if one.dim() <= 2]"},
)

FIRST = f'\n        {{"params": {ALL_OF}{WIDE}, {DECAYING},'
decay_groups.mistake(
    "the weights of layers are left out",
    "The weights of layers and tables are in neither group. An optimizer changes only what it is given: they would never learn. They belong to the first group, with weight_decay.",
    {f"{ALL_OF}{WIDE}": "[]"},
    {FIRST: ""},
    {END: f"{END}[1:]"},  # beside another way of sorting
    {"return [": 'return [{"params": [], "weight_decay": weight_decay}, *[', END: f"{END}[1:]]"},
)

decay_groups.mistake(
    "copies, not the parameters",
    "Your groups hold other tensors than the model. `.data`, `.detach()`, `.clone()` and `state_dict()` make new tensors; an optimizer would change these or see no gradient, and the model would not learn. Put the parameters themselves in.",
    {
        f"{ALL_OF}{WIDE}": f"[one.data for one in parameters {WIDE}",
        f"{ALL_OF}{NARROW}": f"[one.data for one in parameters {NARROW}",
    },
    {
        f"{ALL_OF}{WIDE}": f"[one.clone() for one in parameters {WIDE}",
        f"{ALL_OF}{NARROW}": f"[one.clone() for one in parameters {NARROW}",
    },
    {f"{ALL_OF}{WIDE}": f"[one.data for one in parameters {WIDE}"},
    {f"{ALL_OF}{NARROW}": f"[one.data for one in parameters {NARROW}"},
    *(  # beside another way of sorting
        {
            "return [": f"return [dict(group, params=[getattr(one, 'data', one) for one in group['params']]{where}) for group in [",
            END: f"{END}]",
        }
        for where in (
            "",
            " if group['weight_decay'] else group['params']",
            " if not group['weight_decay'] else group['params']",
        )
    ),
    {"list(model.parameters())": "[nn.Parameter(one.detach().clone()) for one in model.parameters()]"},
    {"model.parameters()": "model.state_dict().values()"},
)

decay_groups.mistake(
    "buffers are taken for parameters",
    "Your groups hold buffers too. A buffer is a tensor that a model carries and does not learn, such as a table of positions; it has no gradient, and must not decay. `model.parameters()` leaves buffers out.",
    {ALL: f"{ALL} + list(model.buffers())"},
)

decay_groups.mistake(
    "norms decay",
    "The scales of the norms decay. You look for \"bias\" in the names, and a norm's scale is called weight. Tell them by their number of dimensions: a layer's weight has two or more.",
    {
        ALL: f"{BY_NAME}{ALL}",
        WIDE: f"if not {IS_BIAS}]",
        NARROW: f"if {IS_BIAS}]",
    },
    *(
        edit(
            {ALL: f"{by_class(asked)}{ALL}"} | DECAYS_TOO,
            says=f"{whose} decay, scales and biases. A scale that is pulled towards 0 takes its feature away. Whatever has one dimension belongs to the second group, with 0.0.",
        )
        for asked, whose in ((ANY_NORM, "The norms"), (TORCH_NORM, "torch's own norms"))
    ),
)

decay_groups.mistake(
    "norms are known by their name",
    "Norms are recognised by their name only. A norm with another name, or in an nn.Sequential, where names are numbers, decays. Tell them by their "
    "number of dimensions.",
    {
        ALL: f"{BY_NAME}{ALL}",
        WIDE: f'if not {IS_BIAS} and "norm" not in names[id(one)]]',
        NARROW: f'if {IS_BIAS} or "norm" in names[id(one)]]',
    },
    edit(
        {ALL: f"{BY_NAME}{ALL}", WIDE: 'if "norm" not in names[id(one)]]', NARROW: 'if "norm" in names[id(one)]]'},
        says='Only what is called "norm" is spared. Biases decay, and so does a norm of another name, or in an nn.Sequential, where names are numbers. Tell them by their number of dimensions.',
    ),
)

decay_groups.mistake(
    "only torch's own norms are known",
    "Only torch's own norms are spared. The LayerNorm that you wrote in lesson 01 is not one of torch's, and its scale decays. Tell them by their "
    "number of dimensions, not by their class.",
    {
        ALL: f"{BY_NAME}{KNOWN_NORMS}{ALL}",
        WIDE: f"if id(one) not in known and not {IS_BIAS}]",
        NARROW: f"if id(one) in known or {IS_BIAS}]",
    },
    edit(
        {ALL: f"{by_class(TORCH_NORM)}{ALL}", WIDE: "if id(one) not in known]", NARROW: "if id(one) in known]"},
        says="Only torch's own norms are spared. The biases of layers decay, and so does the LayerNorm that you wrote in lesson 01. Tell them by their number of dimensions, not by their class.",
    ),
)

decay_groups.mistake(
    "biases decay",
    "The biases decay. Only the scales of the norms are spared; whatever has one dimension belongs to the second group.",
    {
        ALL: f"{BY_NAME}{ALL}",
        WIDE: f"if one.dim() > 1 or {IS_BIAS}]",
        NARROW: f"if one.dim() <= 1 and not {IS_BIAS}]",
    },
    *(
        edit(
            {ALL: f"{by_class(asked)}{ALL}"} | DECAYS_TOO,
            says=f"The biases of {whose} decay. They have one dimension, and whatever has one dimension belongs to the second group, with 0.0.",
        )
        for asked, whose in ((LINEAR, "linear layers"), (A_LAYER, "layers"))
    ),
)

KNOWN_OTHERS = (
    "others = {id(one) for part in model.modules() if not isinstance(part, nn.Embedding) "
    "for one in part.parameters(recurse=False)}\n    known -= others\n    "
)
BUT_TABLES = {
    WIDE: "if one.dim() > 1 and id(one) not in known]",
    NARROW: "if one.dim() <= 1 or id(one) in known]",
}
decay_groups.mistake(
    "tables do not decay",
    "Embedding tables are spared from decay. That is the convention of some codebases; here, as in most, a table counts as a weight: it has two dimensions.",
    {ALL: f"{KNOWN_TABLES}{ALL}", **BUT_TABLES},
    # One that is an output layer too counts as a layer.
    {ALL: f"{KNOWN_TABLES}{KNOWN_OTHERS}{ALL}", **BUT_TABLES},
    {
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if one.dim() > 1 and "emb" not in names[id(one)]]',
        NARROW: 'if one.dim() <= 1 or "emb" in names[id(one)]]',
    },
)

decay_groups.mistake(
    "sorted by the class of the layer",
    "You sort by the class of the layer. So torch's own norms and tables are spared, and the LayerNorm that you wrote in lesson 01 decays. That is the "
    "way of a popular small GPT. Here the number of dimensions decides: a table has two and decays, a norm has one and does not, whoever wrote it.",
    {
        ALL: f"{BY_NAME}{KNOWN_BOTH}{ALL}",
        WIDE: f"if id(one) not in known and not {IS_BIAS}]",
        NARROW: f"if id(one) in known or {IS_BIAS}]",
    },
)

decay_groups.mistake(
    "weights of two dimensions do not decay",
    "Weights of two dimensions do not decay, and nearly all weights of a Transformer have two. Two dimensions *or more* go to the first group: `dim() > 1`.",
    {WIDE: "if one.dim() > 2]", NARROW: "if one.dim() <= 2]"},
)

decay_groups.mistake(
    "only weights of two dimensions decay",
    "A weight of three dimensions does not decay. Convolutions have such weights. Two dimensions *or more*.",
    {WIDE: "if one.dim() == 2]", NARROW: "if one.dim() != 2]"},
)

decay_groups.mistake(
    "weights of three dimensions are left out",
    "A weight of three dimensions is in neither group. Convolutions have such weights, and they would never learn. Two dimensions *or more* go to the "
    "first group.",
    {WIDE: "if one.dim() == 2]"},
    edit(
        {WIDE: "if one.dim() in (2, 3)]"},
        says="A weight of four dimensions is in neither group. A convolution over pictures has such a weight, and it would never learn. Two dimensions *or more* go to the first group.",
    ),
)

decay_groups.mistake(
    "sizes are asked, not dimensions",
    "You ask how large a parameter is, not how many dimensions it has. A weight with a row of one number has two dimensions, and a bias with many numbers has one. `dim()` counts the dimensions.",
    *(
        {WIDE: f"if {size} > {least}]", NARROW: f"if {size} <= {least}]"}
        for size, least in (
            ("one.size(0)", 1),
            ("one.size(-1)", 1),
            ("one.numel()", "one.size(0)"),
            ("one.numel()", "max(one.shape)"),
            ("one.numel()", "1"),
            ("one.numel()", "one.size(-1)"),
        )
    ),
)

KNOWN_LAYERS = "known = {id(part.weight) for part in model.modules() if isinstance(part, nn.Linear)}\n    "
decay_groups.mistake(
    "only linear layers decay",
    "Only the weights of nn.Linear decay. Tables and convolutions do not decay, nor does any layer that somebody else wrote. Tell them by their number "
    "of dimensions, not by their class.",
    {ALL: f"{KNOWN_LAYERS}{ALL}", WIDE: "if id(one) in known]", NARROW: "if id(one) not in known]"},
    {  # one that is a table too counts as a table
        ALL: f"{KNOWN_LAYERS}known -= {{id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)}}\n    {ALL}",
        WIDE: "if id(one) in known]",
        NARROW: "if id(one) not in known]",
    },
    edit(  # part by part, so one that is a table too stands in both groups
        {
            ALL: f"{KNOWN_LAYERS}{ALL}\n    others = [one for part in model.modules() for name, one in part.named_parameters(recurse=False) "
            'if not (isinstance(part, nn.Linear) and name == "weight")]',
            WIDE: "if id(one) in known]",
            f"{ALL_OF}{NARROW}": "others",
        },
    ),
    *(
        edit(
            {ALL: known, WIDE: "if id(one) in known]", NARROW: "if id(one) not in known]"},
            says="Whatever belongs to an nn.Linear decays, its bias too, and nothing else does: tables and convolutions are spared. Tell them by their number of dimensions, not by the class of their layer.",
        )
        for known in (
            f"{by_class(LINEAR)}{ALL}",
            f"{by_class(LINEAR)}known -= {{id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)}}\n    {ALL}",
        )
    ),
)

decay_groups.mistake(
    "weight_decay is not read",
    "weight_decay is not read. Your first group has a fixed number, whatever was given.",
    {DECAYING: '"weight_decay": 0.01}'},
    {DECAYING: '"weight_decay": 0.1}'},
    edit(
        {DECAYING: '"weight_decay": -weight_decay}'},
        says="Your first group has minus weight_decay. The optimizer takes the decay away by itself; with a minus the weights would grow. Give it as it is.",
    ),
)

decay_groups.mistake(
    "norms and biases are left out",
    "Norms and biases are in neither group. An optimizer changes only what it is given: they would never learn. They belong to the second group, with weight_decay 0.0.",
    {f"{ALL_OF}{NARROW}": "[]"},
    {SECOND: ""},
    {END: f"{END}[:1]"},  # beside another way of sorting
    {END: END + '[:1] + [{"params": [], "weight_decay": 0.0}]'},
)

decay_groups.mistake(
    "no weight_decay in the second group",
    "The second group says nothing of weight_decay. Then the optimizer's own default applies, which is 0.01 for AdamW: they decay after all. Write 0.0.",
    {f", {NOT_DECAYING}": "}"},
    edit(
        {NOT_DECAYING: '"weight_decay": None}'},
        says="The second group has a weight_decay of None. An optimizer computes with it, and None is no number. Write 0.0.",
    ),
)

decay_groups.mistake(
    "no weight_decay in the first group",
    'The first group says nothing of weight_decay. Then the optimizer\'s own default applies, whatever was given. Write `"weight_decay": weight_decay`.',
    {f", {DECAYING}": "}"},
)

decay_groups.mistake(
    "what is shared is listed twice",
    "A parameter that two parts share is listed twice. The optimizer would change it twice at every step, or refuse. `model.parameters()` lists it once.",
    {"list(model.parameters())": "[one for part in model.modules() for one in part.parameters(recurse=False)]"},
    edit(
        {"list(model.parameters())": "[one for part in model.modules() for one in part.parameters()]"},
        says="A parameter is listed once for every part that holds it. `model.modules()` goes through all parts, and `part.parameters()` through all parts of these again. `model.parameters()` alone lists each once.",
    ),
)

decay_groups.mistake(
    "a set, not a list",
    "Your groups hold sets. A set has no order, and an optimizer refuses it: the numbers that it keeps of a parameter are found again by its place in the list. Collect the parameters in a list.",
    {
        f"{ALL_OF}{WIDE}": f"set({ALL_OF}{WIDE})",
        f"{ALL_OF}{NARROW}": f"set({ALL_OF}{NARROW})",
    },
    {f"{ALL_OF}{WIDE}": f"set({ALL_OF}{WIDE})"},
    {f"{ALL_OF}{NARROW}": f"set({ALL_OF}{NARROW})"},
)

NAMES_OF = "['its name' for one in parameters "  # which name it is, no probe asks
decay_groups.mistake(
    "names, not parameters",
    "Your groups hold names. An optimizer needs the parameters; it has no model in which to look up names.",
    {f"{ALL_OF}{WIDE}": f"{NAMES_OF}{WIDE}", f"{ALL_OF}{NARROW}": f"{NAMES_OF}{NARROW}"},
    *(
        edit(
            {f"{ALL_OF}{asked}": f"{NAMES_OF}{asked}"},
            says=f"Your {which} group holds names. An optimizer needs the parameters; it has no model in which to look up names.",
        )
        for asked, which in ((WIDE, "first"), (NARROW, "second"))
    ),
)

decay_groups.mistake(
    "the parameters of parts are left out",
    "Only the model's own parameters are listed, not those of its parts. Nearly all parameters belong to layers inside layers. `model.parameters()` goes through all.",
    {"list(model.parameters())": "list(model.parameters(recurse=False))"},
    {
        "list(model.parameters())": "list({id(one): one for part in model.children() for one in part.parameters(recurse=False)}.values())"
    },
    edit(
        {"list(model.parameters())": "[one for part in model.children() for one in part.parameters(recurse=False)]"},
        says="Only the parameters of the model's direct parts are listed, not those of the parts of these. `model.parameters()` goes through all.",
    ),
)

decay_groups.mistake(
    "a group for every parameter",
    "Every parameter has a group of its own. The docstring promises two groups: code that changes the decay later looks into the first group, and finds a single parameter. Collect what decays in one list, and the rest in another.",
    {
        "return [": "return [dict(params=[one], weight_decay=group['weight_decay']) for group in [",
        END: ',\n    ] for one in group["params"]]',
    },
    {
        "return [": "return [dict(params=[one], weight_decay=weight_decay if one.dim() > 1 else 0.0) for one in parameters]\n    return ["
    },
)

decay_groups.mistake(
    "norms and biases are frozen",
    "Norms and biases are frozen on the way. `requires_grad_(False)` takes them out of the training; they are to be trained, and only not to decay. A weight_decay of 0.0 does that alone.",
    {f"{ALL_OF}{NARROW}": f"[one.requires_grad_(False) for one in parameters {NARROW}"},
)

decay_groups.mistake(
    "an empty group is left out",
    "Where a group is empty, it is left out. The docstring promises two groups, the one that decays first: code that reads the second would stop, or take norms and biases for what decays. An optimizer takes an empty group.",
    {"return [": "return [group for group in [", END: ',\n    ] if group["params"]]'},
)
