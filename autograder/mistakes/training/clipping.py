"""Wrong ways of clipping."""

from autograder.probing.mistake import Mistake

CLIP = "clip_gradients_"
LIST = "gradients = [one.grad for one in parameters if one.grad is not None]"
NORM = "math.sqrt(sum(one.square().sum().item() for one in gradients))"
IF_LONG = "if norm > max_norm:"
SCALE = "gradient.mul_(max_norm / norm)"
LOOP = "for gradient in gradients:"

EACH = "Every gradient is shortened on its own. That changes the direction of the step: a layer with a large gradient is held back and its neighbours are not. Compute one length over all parameters, and scale all by one factor."
each_alone = Mistake(
    "each parameter on its own",
    of=CLIP,
    swaps={IF_LONG: "if True:", SCALE: "gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))"},
    says=EACH,
)
each_alone_when_long = Mistake(
    "each parameter on its own",
    of=CLIP,
    swap=SCALE,
    by="gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))",
    says=EACH,
)

each_alone_told = Mistake(
    "each parameter on its own",
    of=CLIP,
    swaps={
        IF_LONG: "lengths = [one.norm().item() for one in gradients]\n    if True:",
        SCALE: "gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))",
        "return norm": "return lengths[-1] if lengths else 0.0",
    },
    says=EACH,
)

CUT = (
    "Single numbers are cut off at max_norm, not the whole shortened. That bends the gradient into another direction, and its length can still be large. "
    "Multiply all of it by one factor."
)
values_cut = Mistake(
    "numbers are cut, not the length",
    of=CLIP,
    swaps={IF_LONG: "if True:", SCALE: "gradient.clamp_(-max_norm, max_norm)"},
    says=CUT,
)

no_root = Mistake(
    "no root",
    of=CLIP,
    swap=NORM,
    by="sum(one.square().sum().item() for one in gradients)",
    says="The root is missing. You compare the squared length with max_norm, and scale by it.",
)

lengths_added = Mistake(
    "lengths are added up",
    of=CLIP,
    swap=NORM,
    by="sum(one.norm().item() for one in gradients)",
    says="The lengths of the single gradients are added up. Of one long vector it is the squares that add up: square, add over all parameters, then take one root.",
)

INF = "Your length is the largest single number. Many middling numbers make a long vector as well. Square all, add, take the root."
largest = Mistake(
    "the largest number, not the length",
    of=CLIP,
    swap=NORM,
    by="max([one.abs().max().item() for one in gradients], default=0.0)",
    says=INF,
)

longest = Mistake(
    "the longest gradient's length",
    of=CLIP,
    swap=NORM,
    by="max([one.norm().item() for one in gradients], default=0.0)",
    says="Your length is that of the longest single gradient. All of them make up one vector, and it is longer than any of its parts: square, add over all parameters, take one root.",
)

of_parameters = Mistake(
    "the length of the parameters",
    of=CLIP,
    swaps={LIST: f"parameters = list(parameters)\n    {LIST}", NORM: "math.sqrt(sum(one.detach().square().sum().item() for one in parameters if one.grad is not None))"},
    says="You measure the parameters, not their gradients. It is `.grad` whose length counts.",
)  # fmt: skip

absolute = Mistake(
    "the sum of the absolute values",
    of=CLIP,
    swap=NORM,
    by="sum(one.abs().sum().item() for one in gradients)",
    says="Your length is the sum of the absolute values. The length of a vector is the root of its squares' sum.",
)

mean_square = Mistake(
    "the mean, not the sum, of the squares",
    of=CLIP,
    swap=NORM,
    by="math.sqrt(sum(one.square().sum().item() for one in gradients) / max(1, sum(one.numel() for one in gradients)))",
    says="You take the mean of the squares. That is the size of a typical number, not the length of all: with a million parameters it is a thousand times smaller.",
)

mean_square_of_each = Mistake(
    "the mean, not the sum, of the squares",
    of=CLIP,
    swap=NORM,
    by="math.sqrt(sum(one.square().mean().item() for one in gradients))",
    says="You take the mean of the squares. That is the size of a typical number, not the length of all: with a million parameters it is a thousand times smaller.",
)

only_short = Mistake(
    "the wrong ones are scaled",
    of=CLIP,
    swap=IF_LONG,
    by="if 0 < norm < max_norm:",
    says="The comparison is the wrong way round. Gradients that are too long stay as they are, and short ones are made longer. Scale where norm > max_norm.",
)

LONGER = (
    "A short gradient is made longer. Near the end of training gradients are small for a good reason, and yours would always take a step of full length. Clipping only ever shortens: that is why it does not "
    "help against gradients that vanish."
)
made_longer = Mistake("short gradients are made longer", of=CLIP, swap=IF_LONG, by="if norm > 0:", says=LONGER)
made_longer_dividing = Mistake("short gradients are made longer", of=CLIP, swap=IF_LONG, by="if True:", says=LONGER)
made_longer_eps = Mistake(
    "short gradients are made longer", of=CLIP, swaps={IF_LONG: "if True:", SCALE: "gradient.mul_(max_norm / (norm + 1e-6))"}, says=LONGER
)  # fmt: skip

length_after = Mistake(
    "the length afterwards is returned",
    of=CLIP,
    swap="return norm",
    by="return min(norm, max_norm)",
    says="You return the length that the gradient has now. What one wants to plot is the length that it *had*: a curve of it shows when training is in trouble. Return what you computed first.",
)

length_measured_after = Mistake(
    "the length afterwards is returned",
    of=CLIP,
    swap="return norm",
    by=f"return {NORM}",
    says="You return the length that the gradient has now. What one wants to plot is the length that it *had*: a curve of it shows when training is in trouble. Return what you computed first.",
)

factor_returned = Mistake(
    "the factor is returned",
    of=CLIP,
    swap="return norm",
    by="return min(1.0, max_norm / max(norm, 1e-12))",
    says="You return the factor. The length that the gradient had is wanted.",
)

nothing_returned = Mistake(
    "no length is returned",
    of=CLIP,
    swap="return norm",
    by="return None",
    says="Nothing is returned. The gradients are right; the length that they had is wanted as well.",
)

tensor_returned = Mistake(
    "a tensor, not a number",
    of=CLIP,
    swap="return norm",
    by="return torch.tensor(norm)",
    says="You return a tensor. The signature says float, and a list of plain numbers is what one plots: `.item()` makes one.",
)

upside_down = Mistake(
    "the factor is upside down",
    of=CLIP,
    swap="max_norm / norm",
    by="norm / max_norm",
    says="The factor is upside down. norm / max_norm makes a long gradient longer still. It is max_norm / norm.",
)

to_one = Mistake(
    "shortened to 1",
    of=CLIP,
    swap="max_norm / norm",
    by="1.0 / norm",
    says="The gradient is shortened to the length 1, whatever max_norm says. The factor is max_norm / norm.",
)

NOT_IN_PLACE = "The gradients are as they were. `mul` and `*` make new tensors and leave `.grad` alone. `mul_`, with the underscore, changes what is there."
not_in_place = Mistake("not in place", of=CLIP, swap=SCALE, by="gradient.mul(max_norm / norm)", says=NOT_IN_PLACE)

NONE_FAILS = "A parameter without a gradient stops your code. Whatever took no part in the loss has `.grad` None: frozen layers, unused branches. Leave those out."
HAS_GRADIENT = " if one.grad is not None]"
none_fails = Mistake("a parameter without a gradient", of=CLIP, swap=HAS_GRADIENT, by="]", says=NONE_FAILS)
none_squared = Mistake(  # None ** 2 is another exception than None.square()
    "a parameter without a gradient",
    of=CLIP,
    swaps={HAS_GRADIENT: "]", "one.square()": "(one**2)"},
    says=NONE_FAILS,
)

READ_TWICE = "The parameters are read twice. `model.parameters()` is a generator: after the first loop it is empty, so nothing is scaled, and no error says so. Make a list of the gradients first."
HAVING = "(p.grad for p in parameters if p.grad is not None)"
read_twice = Mistake(
    "parameters are read twice",
    of=CLIP,
    swaps={LIST: "pass", NORM: NORM.replace("gradients", HAVING), LOOP: f"for gradient in {HAVING}:"},
    says=READ_TWICE,
)

parameters_scaled = Mistake(
    "parameters are shortened, not gradients",
    of=CLIP,
    swaps={
        LIST: f"parameters = list(parameters)\n    {LIST}",
        LOOP: "for gradient in [p.data for p in parameters if p.grad is not None]:",
    },
    says="It is the parameters that you shrink. The step is made with the gradients, which are as long as before. Scale `.grad`.",
)
