"""Wrong ways of clipping."""

from autograder.checks.optimization.clipping import clip_gradients_
from autograder.probing.mistake import edit

LIST = "gradients = [one.grad for one in parameters if one.grad is not None]"
NORM = "math.sqrt(sum(one.square().sum().item() for one in gradients))"
IF_LONG = "if norm > max_norm:"
SCALE = "gradient.mul_(max_norm / norm)"
LOOP = "for gradient in gradients:"

SCALE_ALONE = "gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))"
clip_gradients_.mistake(
    "each parameter on its own",
    "Every gradient is shortened on its own. That changes the direction of the step: a layer with a large gradient is slowed down and its neighbours "
    "are not. Compute one length over all parameters, and scale all by one factor.",
    {IF_LONG: "if True:", SCALE: SCALE_ALONE},
    {SCALE: SCALE_ALONE},
    *(
        edit(
            one | {SCALE: "gradient.mul_(max_norm / gradient.norm())"},
            says="Every gradient is scaled on its own, to the length max_norm. That changes the direction of the step, and makes short gradients longer. Compute one length over all parameters, and scale all by one factor.",
        )
        for one in ({}, {IF_LONG: "if True:"}, {IF_LONG: "if norm > 0:"})
    ),
    {
        IF_LONG: "lengths = [one.norm().item() for one in gradients]\n    if True:",
        SCALE: SCALE_ALONE,
        "return norm": "return lengths[-1] if lengths else 0.0",
    },
)

clip_gradients_.mistake(
    "numbers are cut, not the length",
    "Single numbers are cut off at max_norm. That turns the gradient into another direction, and its length can still be large. Multiply the whole "
    "gradient by one factor.",
    {IF_LONG: "if True:", SCALE: "gradient.clamp_(-max_norm, max_norm)"},
)

clip_gradients_.mistake(
    "no root",
    "The root is missing. You compare the squared length with max_norm, and scale by it.",
    {NORM: "sum(one.square().sum().item() for one in gradients)"},
    {NORM: "sum(one.square().sum().item() for one in gradients)", "return norm": "return math.sqrt(norm)"},
)

clip_gradients_.mistake(
    "the square is returned",
    "You return the square of the length. The gradients are as they should be; the length that they had is the root of what you return.",
    {"return norm": "return norm**2"},
)

clip_gradients_.mistake(
    "a length beside a square",
    "A length is compared with a square. The length of the gradient belongs beside max_norm, and nothing is squared there any more. Look at the comparison.",
    edit(
        {IF_LONG: "if norm**2 > max_norm:"},
        says="The squared length is compared with max_norm. A gradient that is short enough is then taken for too long, and your factor makes it longer. Compare the length: take the root first.",
    ),
    edit(
        {IF_LONG: "if norm > max_norm**2:"},
        says="The length is compared with the square of max_norm. A gradient between the two is too long and stays as it is. Compare the length with max_norm itself.",
    ),
)

clip_gradients_.mistake(
    "lengths are added up",
    "The lengths of the single gradients are added up. For the length of one long vector the squares add up: square, add over all parameters, then take "
    "one root.",
    {NORM: "sum(one.norm().item() for one in gradients)"},
    edit(
        {NORM: "(sum(one.norm().item() for one in gradients) / max(1, len(gradients)))"},
        says="Your length is the mean of the lengths of the single gradients. For the length of one long vector the squares add up: square, add over all parameters, then take one root.",
    ),
)

clip_gradients_.mistake(
    "summed before it is squared",
    "You add up first and square then. Numbers above and below 0 cancel in such a sum, and a long gradient can look short. Square every number, then add.",
    {NORM: "math.sqrt(sum(one.sum().square().item() for one in gradients))"},
    {NORM: "abs(sum(one.sum().item() for one in gradients))"},
)

clip_gradients_.mistake(
    "the root of a sum of lengths",
    "A root is taken, and nothing was squared before. Under the root of a length stand squares; yours has the lengths of the single gradients there, as they are. Square each, add over all parameters, then take one root.",
    {NORM: "math.sqrt(sum(one.norm().item() for one in gradients))"},
    edit(
        {NORM: "math.sqrt(sum(one.abs().sum().item() for one in gradients))"},
        says="A root is taken, and nothing was squared before. Under the root of a length stand squares; yours has the absolute values there. Square all numbers, add over all parameters, then take one root.",
    ),
)

clip_gradients_.mistake(
    "the largest number, not the length",
    "Your length is the largest single number. Many middling numbers make a long vector as well. Square all, add, take the root.",
    {NORM: "max([one.abs().max().item() for one in gradients], default=0.0)"},
    {NORM: "torch.cat([torch.zeros(0), *(one.flatten() for one in gradients)]).norm(math.inf).item()"},
)

clip_gradients_.mistake(
    "the longest gradient's length",
    "Your length is that of the longest single gradient. All gradients together form one vector, which is longer than any of its parts: square, add "
    "over all parameters, take one root.",
    {NORM: "max([one.norm().item() for one in gradients], default=0.0)"},
)

clip_gradients_.mistake(
    "one gradient's length alone",
    "Your length is that of one gradient alone. It is the last gradient's where each takes the place of the one before, `total = ...` for `total += ...`. All gradients together form one vector: add up the squares of all.",
    {NORM: "(gradients[-1].norm().item() if gradients else 0.0)"},
    edit(
        {NORM: "(gradients[0].norm().item() if gradients else 0.0)"},
        says="Your length is that of the first gradient alone. All gradients together form one vector: add up the squares of all.",
    ),
)

clip_gradients_.mistake(
    "scaled before the length is known",
    "Gradients are scaled before the length is known. The first are measured alone, the next together with those before them, so each gets another factor. Go through all once for the length, then once more to scale.",
    {
        IF_LONG: "so_far = 0.0\n    if True:",
        SCALE: "so_far += gradient.square().sum().item()\n            gradient.mul_(min(1.0, max_norm / max(so_far**0.5, 1e-12)))",
    },
    edit(
        {
            IF_LONG: "if True:",
            SCALE: f"norm = {NORM}\n            if norm > max_norm:\n                {SCALE}",
        },
        says="The length is computed anew for every gradient, when the first have been scaled already. So each gets another factor, and all but the first stay nearly as they are. Compute one length, then scale all by one factor.",
    ),
)

clip_gradients_.mistake(
    "the length of the parameters",
    "You measure the parameters, not their gradients. The length of `.grad` counts.",
    {
        LIST: f"parameters = list(parameters)\n    {LIST}",
        NORM: "math.sqrt(sum(one.detach().square().sum().item() for one in parameters if one.grad is not None))",
    },
)

clip_gradients_.mistake(
    "the sum of the absolute values",
    "Your length is the sum of the absolute values. The length of a vector is the root of the sum of its squares.",
    {NORM: "sum(one.abs().sum().item() for one in gradients)"},
)

clip_gradients_.mistake(
    "the mean, not the sum, of the squares",
    "You take the mean of the squares. That is the size of a typical number, not the length of all: with a million parameters it is a thousand times smaller.",
    {
        NORM: "math.sqrt(sum(one.square().sum().item() for one in gradients) / max(1, sum(one.numel() for one in gradients)))"
    },
    {NORM: "math.sqrt(sum(one.square().mean().item() for one in gradients))"},
    {NORM: "torch.cat([torch.zeros(0), *(one.flatten() for one in gradients)]).square().mean().sqrt().item()"},
    edit(
        {NORM: "math.sqrt(sum(one.square().sum().item() for one in gradients) / max(1, len(gradients)))"},
        says="You divide the sum of the squares by the number of parameters. The length of all is the root of the *sum*; nothing is averaged.",
    ),
)

clip_gradients_.mistake(
    "the wrong ones are scaled",
    "The comparison is the wrong way round. Gradients that are too long stay as they are, and short ones are made longer. Scale where norm > max_norm.",
    {IF_LONG: "if 0 < norm < max_norm:"},
    # What has no length is divided by it, as a number or as a tensor.
    {IF_LONG: "if norm < max_norm:"},
    {IF_LONG: "if norm < max_norm:", SCALE: "gradient.div_(norm).mul_(max_norm)"},
)

clip_gradients_.mistake(
    "short gradients are made longer",
    "A short gradient is made longer. Near the end of training gradients are small for a good reason, and your code would always take a step of full "
    "length. Clipping only shortens, so it does not help against gradients that vanish.",
    {IF_LONG: "if norm > 0:"},
    {IF_LONG: "if True:"},
    {IF_LONG: "if True:", SCALE: "gradient.div_(norm).mul_(max_norm)"},
    {IF_LONG: "if True:", SCALE: "gradient.mul_(max_norm / (norm + 1e-6))"},
    edit(
        {IF_LONG: "if norm > 1:"},
        says="The length is compared with 1, not with max_norm. Between the two a gradient is scaled the wrong way: one that is short enough is made longer, one that is too long stays as it is. Scale where norm > max_norm.",
    ),
)

clip_gradients_.mistake(
    "the length afterwards is returned",
    "You return the length that the gradient has now. The length that it *had* should be returned: its curve shows when training is in trouble. Return "
    "the length that you computed first.",
    {"return norm": "return min(norm, max_norm)"},
    {"return norm": f"return {NORM}"},
)

clip_gradients_.mistake(
    "the factor is returned",
    "You return the factor. Return the length that the gradient had.",
    {"return norm": "return min(1.0, max_norm / max(norm, 1e-12))"},
    {"return norm": "return min(1.0, max_norm / max(norm, 1e-12)) if gradients else 0.0"},
)

clip_gradients_.mistake(
    "max_norm is returned",
    "You return max_norm. Whoever calls this function knows it already. Return the length that the gradient had, also where it was short enough.",
    {"return norm": "return max_norm"},
    {"return norm": "return float(max_norm) if gradients else 0.0"},
)

clip_gradients_.mistake(
    "the returned length is rounded",
    "The length that you return is rounded. Late in training lengths are small, and a rounded curve of them stands still. Return the number as it is, and round where it is printed.",
    *({"return norm": f"return round(norm, {digits})"} for digits in (1, 2, 3, 4)),
    {"return norm": "return float(round(norm))"},
    edit(
        {"return norm": "return int(norm)"},
        says="The length that you return is cut to a whole number. Late in training lengths are below 1, and your curve would be 0. Return the number as it is.",
    ),
)

clip_gradients_.mistake(
    "long gradients are set to 0",
    "A gradient that is too long is set to 0. The step is then lost, and where all gradients are long nothing is ever learned. Clipping keeps the direction: multiply by max_norm / norm.",
    {SCALE: "gradient.zero_()"},
)

clip_gradients_.mistake(
    "no length is returned",
    "Nothing is returned. The gradients are right, but the length that they had has to be returned as well.",
    {"return norm": "return None"},
    {"return norm": "return None if gradients else 0.0"},
    edit(
        {"return norm": "return norm if gradients else None"},
        says="Where no parameter has a gradient, nothing is returned. The length is 0 then.",
    ),
    edit(
        {"return norm": "return norm if norm > max_norm else None"},
        says="Where nothing is shortened, nothing is returned. The `return` stands inside the `if`. The length is asked for in any case.",
    ),
    edit(
        {"return norm": "return norm if norm > 0 else None"},
        says="Where the length is 0, nothing is returned. The `return` stands inside the `if`. The length is asked for in any case.",
    ),
)

clip_gradients_.mistake(
    "a tensor, not a number",
    "You return a tensor. The signature says float, and a list of plain numbers is what one plots: `.item()` makes one.",
    {"return norm": "return torch.tensor(norm)"},
    {"return norm": "return torch.tensor(norm) if gradients else 0.0"},
)

clip_gradients_.mistake(
    "the factor is upside down",
    "The factor is upside down. norm / max_norm makes a long gradient longer still. It is max_norm / norm.",
    {"max_norm / norm": "norm / max_norm"},
    edit(
        {IF_LONG: "if norm < max_norm:", "max_norm / norm": "norm / max_norm"},
        says="The factor is upside down. The smaller of 1 and norm / max_norm leaves a long gradient as it is and shortens a short one. It is max_norm / norm.",
    ),
)

clip_gradients_.mistake(
    "shortened to 1",
    "The gradient is shortened to the length 1, whatever max_norm says. The factor is max_norm / norm.",
    {"max_norm / norm": "1.0 / norm"},
    {IF_LONG: "if norm > 1:", "max_norm / norm": "1.0 / norm"},
)

clip_gradients_.mistake(
    "the factor without the length",
    "Your factor does not know how long the gradient is. It is max_norm alone, or one over it; a gradient of any length would get the same. The factor is max_norm / norm.",
    {"max_norm / norm": "max_norm"},
    {"max_norm / norm": "1.0 / max_norm"},
)

clip_gradients_.mistake(
    "a power in the factor",
    "There is a power or a root in your factor. The gradient does not come out as long as max_norm. Scaling twice does this too. The factor is max_norm / norm, once.",
    {"max_norm / norm": "max_norm / norm**2"},
    {"max_norm / norm": "(max_norm / norm) ** 2"},
    {"max_norm / norm": "(max_norm / norm) ** 0.5"},
    {"max_norm / norm": "max_norm**2 / norm"},
)

clip_gradients_.mistake(
    "not all gradients are scaled",
    "Only one gradient is scaled, the first or the last. All have to be multiplied by the same factor, so that the direction stays. Look at what stands inside the loop.",
    {LOOP: "for gradient in gradients[-1:]:"},
    {LOOP: "for gradient in gradients[:1]:"},
    *(
        edit(
            {LOOP: f"for gradient in gradients[{part}]:"},
            says=f"The {which} gradient is not scaled. All have to be multiplied by the same factor, so that the direction stays. Look at what the loop goes through.",
        )
        for part, which in (("1:", "first"), (":-1", "last"))
    ),
)

clip_gradients_.mistake(
    "not in place",
    "The gradients are as they were. Either new tensors are made, as `mul` and `*` do, where `mul_`, with the underscore, changes what is there. Or the loop that scales goes through nothing, as a generator of gradients can be read once: make a list.",
    {SCALE: "gradient.mul(max_norm / norm)"},
)

LISTED = f"parameters = list(parameters)\n    {LIST}"
EACH_WITH_ONE = "for one in [p for p in parameters if p.grad is not None]:"
COPIED = (
    "parameters = [one for one in parameters if one.grad is not None]\n"
    "    for one in parameters:\n"
    "        one.grad = one.grad.clone()\n"
    "    gradients = [one.grad for one in parameters]"
)
clip_gradients_.mistake(
    "new gradients, not the old ones scaled",
    "The gradients that were there are as long as before: `.grad` now holds other tensors. The underscore in the name promises to change the tensors "
    "that are there, which other code may hold too. `gradient.mul_(...)` does.",
    {LIST: LISTED, LOOP: EACH_WITH_ONE, SCALE: "one.grad = one.grad * (max_norm / norm)"},
    {LIST: COPIED},  # beside another way of scaling
)

HAS_GRADIENT = " if one.grad is not None]"
clip_gradients_.mistake(
    "a parameter without a gradient",
    "A parameter without a gradient stops your code. A parameter that took no part in the loss has `.grad` None, as in frozen layers and unused "
    "branches. Leave such parameters out.",
    {HAS_GRADIENT: "]"},
    {HAS_GRADIENT: "]", "one.square()": "(one**2)"},  # None ** 2 is another exception than None.square()
)

clip_gradients_.mistake(
    "a gradient where there was none",
    "A parameter without a gradient gets one of zeros. Then an optimizer takes it for a parameter of the loss and changes it, by decay for instance. Leave out parameters without a gradient.",
    {
        LIST: "parameters = list(parameters)\n    for one in parameters:\n        one.grad = torch.zeros_like(one) if one.grad is None else one.grad\n"
        f"    {LIST}"
    },
)

clip_gradients_.mistake(
    "a length of 0 divides by zero",
    "A gradient of length 0 divides by zero. Then there is nothing to shorten. Compute the factor only where norm > max_norm.",
    {IF_LONG: "factor = min(1.0, max_norm / norm)\n    if True:", SCALE: "gradient.mul_(factor)"},
)

clip_gradients_.mistake(
    "no gradient at all stops it",
    "Your code stops where no parameter has a gradient. `torch.cat` and `torch.stack` cannot join nothing, and nothing has no largest. The length is 0 then.",
    {NORM: "torch.cat([one.flatten() for one in gradients]).norm().item()"},
    {NORM: "torch.stack([one.norm() for one in gradients]).norm().item()"},
)

HAVING = "(p.grad for p in parameters if p.grad is not None)"
clip_gradients_.mistake(
    "parameters are read twice",
    "The parameters are read twice. `model.parameters()` is a generator: after the first loop it is empty, so nothing is scaled, and no error says so. Make a list of the gradients first.",
    {LIST: "pass", NORM: NORM.replace("gradients", HAVING), LOOP: f"for gradient in {HAVING}:"},
    # The root of a sum of tensors, which is no tensor where there is none.
    {
        LIST: "pass",
        NORM: f"torch.sqrt(sum(one.square().sum() for one in {HAVING})).item()",
        LOOP: f"for gradient in {HAVING}:",
    },
    edit(
        {LIST: f"any(one.grad is None for one in parameters)\n    {LIST}"},
        says="The parameters are read twice. `model.parameters()` is a generator: when your loop over it comes, some or all of them have gone by already, and no error says so. Make a list of the gradients first.",
    ),
)

clip_gradients_.mistake(
    "parameters are shortened, not gradients",
    "You shrink the parameters. The step is made with the gradients, which are as long as before. Scale `.grad`.",
    {
        LIST: f"parameters = list(parameters)\n    {LIST}",
        LOOP: "for gradient in [p.data for p in parameters if p.grad is not None]:",
    },
    {
        LIST: f"parameters = [one for one in parameters if one.grad is not None]\n    {LIST}",
        LOOP: "for one in parameters:",
        SCALE: "one.data = one.data * (max_norm / norm)",
    },
    edit(
        {LIST: "gradients = [one.data for one in parameters if one.grad is not None]"},
        says="You take the parameters for their gradients. Their length is measured, and they are shrunk; the step is made with the gradients, which are as long as before. It is `.grad` that is measured and scaled.",
    ),
)

clip_gradients_.mistake(
    "a gradient a little too long stays",
    "A gradient that is a little longer than max_norm stays as it is. Your comparison leaves room above max_norm, and the docstring leaves none: at most max_norm. Compare the length with max_norm itself.",
    {IF_LONG: "if norm > max_norm + 1:"},
    {IF_LONG: "if norm > 1.1 * max_norm:"},
    {IF_LONG: "if norm > 2 * max_norm:"},
)

TRAINED = "if one.grad is not None and one.requires_grad]"
clip_gradients_.mistake(
    "frozen parameters are left out",
    "The gradient of a frozen parameter is left out. A parameter that was frozen after `backward` still has a gradient, and only those without one are left out. Ask for `.grad`, not for `.requires_grad`.",
    {LIST: f"gradients = [one.grad for one in parameters {TRAINED}"},
    edit(
        {
            LIST: f"parameters = list(parameters)\n    {LIST}",
            LOOP: f"for gradient in [one.grad for one in parameters {TRAINED}:",
        },
        says="The gradient of a frozen parameter counts in the length and is not scaled. All gradients are multiplied by the same factor, so that the direction stays. Ask for `.grad`, not for `.requires_grad`.",
    ),
)
