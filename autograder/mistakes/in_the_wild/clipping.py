"""Wrong ways of room 11."""

from collections.abc import Callable

import torch
from torch import nn

from autograder.checks.in_the_wild.clipping import scaled_step, shows_early_clipping
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

UNSCALE = "    for one in gradients:\n        one.div_(scale)\n"
CLIP = "    norm = nn.utils.clip_grad_norm_(parameters, max_norm)\n"
ZERO, STEP = "    optimizer.zero_grad()\n", "    if norm.isfinite():\n        optimizer.step()\n"

scaled_step.mistake(
    "clipped before unscaling",
    "Your gradient is clipped as one that is still scaled. It is `scale` times too long then, so all but the shortest are cut, and what is left in the end has a norm of max_norm / scale: every step is tiny. Divide by the scale first, then clip at max_norm.",
    {UNSCALE + CLIP: CLIP + UNSCALE},
    *(
        edit(
            {UNSCALE + CLIP: order},
            says="You clip at max_norm / scale, so every gradient that is longer than that is cut, and your steps are tiny. After it is divided by the scale, the gradient is clipped at max_norm; before, it would be max_norm * scale.",
        )
        for order in (CLIP.replace("max_norm)", "max_norm / scale)") + UNSCALE, UNSCALE + CLIP.replace("max_norm)", "max_norm / scale)"))
    ),
)  # fmt: skip
scaled_step.mistake(
    "multiplied the wrong way",
    "What the loss is multiplied by and what the gradient is divided by do not cancel.",
    edit({"(loss * scale).backward()": "loss.backward()"}, says="Backward starts at the loss itself, and then the gradient is divided by a scale that was never in it: your steps are too short by that factor. It is `(loss * scale).backward()`."),
    edit({"(loss * scale).backward()": "(loss / scale).backward()"}, says="You divide the loss by the scale, and then the gradient once more. The loss is multiplied: that keeps small gradients from becoming 0."),
    edit({"one.div_(scale)": "one.mul_(scale)"}, says="The gradient is multiplied by the scale once more. It is divided by it."),
)  # fmt: skip
scaled_step.mistake(
    "another norm",
    "Your gradient is clipped by another length than the norm of all gradients together, at max_norm.",
    edit({CLIP: "    norm = nn.utils.clip_grad_norm_(parameters, max_norm, norm_type=1)\n"}, says="You clip by the sum of absolute values. The norm is the root of the sum of squares."),
    edit({CLIP: "    norm = nn.utils.clip_grad_norm_(parameters, max_norm, norm_type=float('inf'))\n"}, says="You clip by the largest number of the gradient. The norm is the root of the sum of squares."),
    edit({CLIP: "    norm = nn.utils.clip_grad_norm_(parameters, 1.0)\n"}, says="You clip at a length of 1, whatever max_norm says."),
)  # fmt: skip
scaled_step.mistake(
    "one group alone",
    "Parameters of further groups are left out: they are neither unscaled nor clipped. An optimizer may have several groups, and the norm is that of all gradients together.",
    {"for group in optimizer.param_groups for": "for group in optimizer.param_groups[:1] for"},
)
scaled_step.mistake(
    "two steps",
    "The optimizer steps twice.",
    {STEP: f"{STEP}        optimizer.step()\n"},
)
scaled_step.mistake(
    "never unscaled",
    "Your gradient is never divided by the scale. A short one makes a step that is `scale` times too long.",
    {UNSCALE: ""},
)
scaled_step.mistake(
    "unscaled twice",
    "Your gradient is divided by the scale twice, the second time after it was clipped. Once is enough, before.",
    {STEP: f"{UNSCALE}{STEP}"},
)
scaled_step.mistake(
    "not clipped",
    "Your gradient is not clipped before the step. One that is longer than max_norm has to be made as long as that, all of it by one factor.",
    {CLIP: "    norm = nn.utils.get_total_norm(gradients)\n"},
)
scaled_step.mistake(
    "numbers clipped one by one",
    "You clip every number by itself. That turns the gradient: what should be shortened is the whole, by one factor. `clip_grad_norm_`, not `clip_grad_value_`.",
    {CLIP: "    norm = nn.utils.get_total_norm(gradients)\n    nn.utils.clip_grad_value_(parameters, max_norm)\n"},
)
scaled_step.mistake(
    "parameters clipped one by one",
    "You clip the gradient of every parameter by itself. The norm is that of all of them together, and they share one factor.",
    {
        CLIP: "    norm = nn.utils.get_total_norm(gradients)\n    for one in gradients if norm.isfinite() else ():\n        one.mul_(min(1.0, max_norm / (float(one.norm()) + 1e-12)))\n"
    },
)
scaled_step.mistake(
    "short gradients made longer",
    "A gradient that is shorter than max_norm is made longer. Clipping shortens, and leaves alone what is short enough: the factor is at most 1.",
    {CLIP: f"{CLIP}    for one in gradients if norm < max_norm else ():\n        one.mul_(max_norm / norm)\n"},
)
scaled_step.mistake(
    "a step with what is not finite",
    "You make a step although the gradient is infinite or no number. A scaled loss overflows now and then; that step has to be left out, or every parameter is lost.",
    {STEP: "    optimizer.step()\n"},
    edit({"norm.isfinite()": "not norm.isinf()"}, says="You make a step where the gradient is no number (NaN): only an infinite one is left out. `isfinite()` is False of both."),
    edit({"norm.isfinite()": "not norm.isnan()"}, says="You make a step where the gradient is infinite: only NaN is left out. `isfinite()` is False of both."),
    edit({"norm.isfinite()": "loss.isfinite()"}, says="You ask whether the *loss* is finite. Its gradient may be infinite, or no number, all the same: ask the norm of the gradient."),
    edit({"one.div_(scale)": "one.div_(scale).nan_to_num_()"}, says="Where the gradient is no number, you put 0 there and make the step. Such a step is left out as a whole: nothing moves."),
)  # fmt: skip
scaled_step.mistake(
    "gradients not zeroed",
    "The gradient of the last step is still there. `backward` adds to what it finds: zero the gradients first.",
    {ZERO: ""},
    *(
        edit(
            {ZERO: "", STEP: behind},
            says="You clear the gradients behind the step. What somebody else has left before it still counts. Clear them first: `optimizer.zero_grad()`.",
        )
        for behind in (f"{STEP}    optimizer.zero_grad()\n", f"{STEP}        optimizer.zero_grad()\n")
    ),
)

PLANS = "for size, scale in ((6.0, 512.0), (6.0, 1.0), (0.05, 512.0), (0.05, 1.0), (math.inf, 8.0)):"


def moves_hardly(implementation: Callable[..., None]) -> bool:
    """Whether a long gradient is cut to almost nothing."""
    weight = nn.Parameter(torch.zeros(3))
    implementation((weight * 5).sum(), torch.optim.SGD([weight], lr=1.0), 1000.0, 1.0)
    return 0 < float(weight.detach().norm()) < 0.01


everywhere(shows_early_clipping, solutions.shows_early_clipping, shown_alone=[moves_hardly])
shows_early_clipping.mistake(
    "long gradients alone",
    "All gradients in your probe are longer than max_norm. What never unscales then looks right, as clipping hides the scale, and so does what makes short gradients longer. Try a short one as well.",
    {PLANS: "for size, scale in ((6.0, 1.0), (6.0, 512.0), (math.inf, 8.0)):"},
)
shows_early_clipping.mistake(
    "short gradients alone",
    "All gradients in your probe are shorter than max_norm, so nothing is clipped, early or late. Try a long one as well, whose scaled form is longer still.",
    {PLANS: "for size, scale in ((0.0005, 1.0), (0.0005, 512.0), (math.inf, 8.0)):"},
)
shows_early_clipping.mistake(
    "a scale of 1",
    "The scale in your probe is 1. Before or after unscaling is then the same. Take 512.",
    {PLANS: "for size, scale in ((6.0, 1.0), (0.05, 1.0), (math.inf, 1.0)):"},
)
shows_early_clipping.mistake(
    "no infinite gradient",
    "Your probe knows finite gradients alone. That a step is left out where the gradient is not finite is promised as well: let one be infinite, and see that nothing moves.",
    {PLANS: "for size, scale in ((6.0, 512.0), (6.0, 1.0), (0.05, 512.0), (0.05, 1.0)):"},
)
shows_early_clipping.mistake(
    "one group alone",
    'Your optimizer has one group of parameters. An optimizer can have several, and the norm is that of all gradients together: code that clips those of the first group alone passes. Give SGD two groups: `[{"params": [a]}, {"params": [b]}]`.',
    {'[{"params": [one]} for one in weights]': "weights"},
)
shows_early_clipping.mistake(
    "one parameter alone",
    "Your probe has one parameter. Clipped by itself or with all others is then the same. Take two, of different lengths, in two groups of the optimizer.",
    {
        "weights = [nn.Parameter(torch.zeros(3)), nn.Parameter(torch.zeros(2, 2))]": "weights = [nn.Parameter(torch.zeros(3))]",
    },
)
shows_early_clipping.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is not clipped. A gradient that is longer than max_norm is shortened to it.",
    {"length = 2 * size * min(1.0, 2.0 / norm)": "length = 2 * size"},
    edit(
        {"length = 2 * size * min(1.0, 2.0 / norm)": "length = 2 * size * 2.0 / norm"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours makes every gradient as long as max_norm, the short ones too. A gradient that is shorter stays as it is: `min(1, max_norm / norm)`.",
    ),
)
