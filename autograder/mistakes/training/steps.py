"""Wrong ways of the training step."""

from autograder.probing.mistake import Mistake

# train_step ----------------------------------------------------------------------------

STEP = "train_step"
ZERO_GRAD = "optimizer.zero_grad()"
BACKWARD = "loss.backward()"
SHARE = " / len(micro_batches)"
TOTAL = "total += loss.item()"
IF_CLIP = "if max_norm is not None:"
CLIPPING = "clip_gradients_(model.parameters(), max_norm)"
DO_STEP = "optimizer.step()"
RETURN = "return total"
AUTOCAST = 'torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None)'
CLIP_HERE = f"{IF_CLIP}\n            {CLIPPING}"


def in_step(name: str, says: str, edits: dict[str, str]) -> Mistake:
    """A mistake in the training step."""
    return Mistake(name, of=STEP, swaps=edits, says=says)


not_cleared = in_step(
    "gradients are not cleared",
    "The gradients are never cleared. `backward` adds to what is there, so every step follows the sum of all gradients since the beginning. Call `optimizer.zero_grad()` once, before the micro-batches.",
    {ZERO_GRAD: "pass"},
)

CLEARED_BETWEEN = "The gradients are cleared between the micro-batches. Only the last one is left when the step is made, and the others were computed for nothing. Clear once, before the loop."
cleared_between = in_step(
    "cleared between the micro-batches",
    CLEARED_BETWEEN,
    {ZERO_GRAD: "pass", BACKWARD: f"{ZERO_GRAD}\n        {BACKWARD}"},
)

CLEARED_BEFORE = "The gradients are cleared between `backward` and the step. The step then finds nothing, and the model never changes. Clear before the first `backward`."
cleared_before_step = in_step("cleared before the step", CLEARED_BEFORE, {DO_STEP: f"{ZERO_GRAD}\n    {DO_STEP}"})

no_backward = in_step(
    "no backward",
    "No gradient ever reaches the model. Either `backward` is not called, or the loss was cut off before it: `detach`, `.item()`, a new tensor.",
    {BACKWARD: "pass"},
)

SUMMED = "The losses of the micro-batches are added up, not averaged. With four of them the gradient is four times too long, and the same learning rate means something else than for one large batch. Each brings its share: divide by their number before `backward`."
micro_summed = in_step("micro-batches are summed", SUMMED, {SHARE: ""})
micro_summed_mean_told = in_step("micro-batches are summed", SUMMED, {SHARE: "", RETURN: f"{RETURN}{SHARE}"})

share_twice = in_step(
    "the share is taken twice",
    "The gradient is divided by the number of micro-batches twice. It is as much too short as there are micro-batches. Divide the loss once, before `backward`.",
    {BACKWARD: f"(loss{SHARE}).backward()"},
)

run_back_again = in_step(
    "the sum so far is run back each time",
    "`backward` runs through the sum of all losses so far. The first micro-batch then counts as often as there are micro-batches, the last one once; and every graph is kept. Call `backward` on the loss of each alone.",
    {BACKWARD: "total = total + loss\n        total.backward(retain_graph=True)", TOTAL: "pass", RETURN: "return total.item()"},
)  # fmt: skip

sum_told = in_step(
    "the sum of the losses is returned",
    "You return the sum of the losses. The step is right; the number to report is the mean over the micro-batches.",
    {RETURN: f"{RETURN} * len(micro_batches)"},
)

LAST_TOLD = "You return the loss of the last micro-batch alone. The mean over all of them is wanted: add up as you go."
last_told = in_step("the last loss is returned", LAST_TOLD, {RETURN: "return loss.item() * len(micro_batches)"})
last_share_told = in_step("the last loss is returned", LAST_TOLD, {RETURN: "return loss.item()"})

told_too_small = in_step(
    "the returned loss is divided twice",
    "The returned loss is divided by the number of micro-batches twice. Each share has been divided already; add the shares up.",
    {RETURN: f"{RETURN}{SHARE}"},
)

TENSOR_TOLD = "You return a tensor. A loss that is still a tensor may keep its whole graph alive, and a list of them fills the memory. `loss.item()` is a plain number."
tensor_told = in_step("a tensor, not a number", TENSOR_TOLD, {TOTAL: "total += loss"})
tensor_told_detached = in_step("a tensor, not a number", TENSOR_TOLD, {TOTAL: "total += loss.detach()"})

EVERY = "A step is made after every micro-batch. They are to act as one large batch: collect the gradients of all, then make one step."
CLIP_AND_STEP = f"{BACKWARD}\n        {CLIP_HERE}\n        {DO_STEP}"
every_one = in_step(
    "a step for every micro-batch", EVERY, {BACKWARD: CLIP_AND_STEP, IF_CLIP: "if False:", f"\n    {DO_STEP}": ""}
)
every_one_cleared = in_step(
    "a step for every micro-batch",
    EVERY,
    {
        ZERO_GRAD: "pass",
        BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}",
        IF_CLIP: "if False:",
        f"\n    {DO_STEP}": "",
    },
)
every_one_whole = in_step(
    "a step for every micro-batch",
    EVERY,
    {ZERO_GRAD: "pass", SHARE: "", BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}", IF_CLIP: "if False:", f"\n    {DO_STEP}": "", RETURN: f"{RETURN}{SHARE}"},
)  # fmt: skip

every_one_clipped_late = in_step(
    "a step for every micro-batch", EVERY, {BACKWARD: f"{BACKWARD}\n        {DO_STEP}", f"\n    {DO_STEP}": ""}
)
every_one_clipped_late_cleared = in_step(
    "a step for every micro-batch",
    EVERY,
    {BACKWARD: f"{BACKWARD}\n        {DO_STEP}\n        {ZERO_GRAD}", f"\n    {DO_STEP}": ""},
)

NOT_WHOLE = "The gradient is clipped before it is whole. Inside the loop, only a part of the micro-batches has been added; what is clipped there is not the gradient of the step. Clip once, after the last `backward`."
clipped_in_loop = in_step(
    "clipped before the gradient is whole",
    NOT_WHOLE,
    {BACKWARD: f"{BACKWARD}\n        {CLIP_HERE}", IF_CLIP: "if False:"},
)
clipped_before_backward = in_step(
    "clipped before the gradient is whole",
    NOT_WHOLE,
    {BACKWARD: f"{CLIP_HERE}\n        {BACKWARD}", IF_CLIP: "if False:"},
)

NOT_CLIPPED = "The step is made with the gradient as it came. Either max_norm is not used, or the gradient is clipped when the step has been made and it has done its work. Clip between the last `backward` and the step."
clipped_late = in_step(
    "not clipped when the step is made",
    NOT_CLIPPED,
    {f"{IF_CLIP}\n        {CLIPPING}\n    {DO_STEP}": f"{DO_STEP}\n    {IF_CLIP}\n        {CLIPPING}"},
)
never_clipped = in_step("not clipped when the step is made", NOT_CLIPPED, {IF_CLIP: "if False:"})

numbers_cut = in_step(
    "numbers are cut, not the length",
    "Single numbers are cut off at max_norm. `clip_grad_value_` does that, and bends the gradient into another direction. Your `clip_gradients_` shortens the whole.",
    {CLIPPING: "nn.utils.clip_grad_value_(model.parameters(), max_norm)"},
)

each_clipped = in_step(
    "each parameter is clipped on its own",
    "Every parameter's gradient is clipped on its own. That changes the direction of the step. Hand all parameters to one call: `clip_gradients_(model.parameters(), max_norm)`.",
    {CLIPPING: "for one in model.parameters():\n            nn.utils.clip_grad_norm_([one], max_norm)"},
)

scaled_clip = in_step(
    "clipped while still scaled",
    "The gradient is clipped while it is still scaled. Multiplied by 65536, nearly any gradient is too long; clipped and then divided again, next to nothing is left. With a GradScaler, `unscale_` comes before clipping; with bfloat16 there is no need for one.",
    {BACKWARD: "(loss * 65536).backward()", DO_STEP: f"for one in model.parameters():\n        if one.grad is not None:\n            one.grad.div_(65536)\n    {DO_STEP}"},
)  # fmt: skip

MODE = "The model is not put into train mode. After an evaluation it would go on without dropout, and nothing would say so. `model.train()` comes first."
mode_forgotten = in_step("train mode forgotten", MODE, {"model.train()": "pass"})
mode_turned = in_step("train mode forgotten", MODE, {"model.train()": "model.eval()"})

mode_late = in_step("train mode forgotten", MODE, {"model.train()": "pass", RETURN: f"model.train()\n    {RETURN}"})

no_autocast = in_step(
    "no autocast",
    'autocast_dtype is not used. If it is given, the loss is computed inside `torch.autocast("cpu", dtype=autocast_dtype)`.',
    {"enabled=autocast_dtype is not None": "enabled=False"},
)

always_autocast = in_step(
    "autocast is always on",
    "Autocast is on even if no dtype is given. It then falls back on bfloat16, with two to three digits, and nobody has asked for that. `enabled=autocast_dtype is not None`.",
    {"enabled=autocast_dtype is not None": "enabled=True"},
)

model_cast = in_step(
    "the model itself is cast",
    "You turn the model's own parameters into the small dtype. A step of 0.001 on a weight of 1 is lost in bfloat16, which knows no number between 1 and 1.0078. Autocast computes in it and keeps the parameters in float32.",
    {"model.train()": "model.train()\n    if autocast_dtype is not None:\n        model.to(autocast_dtype)"},
)

no_step = in_step(
    "no step",
    "The optimizer never makes a step. The gradients are there, and the model stays as it is: `optimizer.step()` at the end.",
    {DO_STEP: "pass"},
)

left_in_eval = in_step(
    "left in evaluation mode",
    "The model is switched to evaluation at the end of the step. Who evaluates does that; a step leaves the model in train mode, as it says.",
    {DO_STEP: f"{DO_STEP}\n    model.eval()"},
)

held_at_once = in_step(
    "all micro-batches are held at once",
    "There is one `backward` for all micro-batches. The numbers are right, but every graph is kept until the end, and that memory is what micro-batches are meant to save. Call `backward` for each as soon as its loss is there.",
    {BACKWARD: "pass", TOTAL: "total = total + loss", f"    {IF_CLIP}": f"    total.backward()\n    {IF_CLIP}", RETURN: "return total.item()"},
)  # fmt: skip

ONLY_ONE = "Only one of the micro-batches is used. The step should follow the mean over all of them."
only_first = in_step(
    "only one micro-batch is used", ONLY_ONE, {"for batch in micro_batches:": "for batch in micro_batches[:1]:"}
)
only_first_whole = in_step(
    "only one micro-batch is used",
    ONLY_ONE,
    {"for batch in micro_batches:": "for batch in micro_batches[:1]:", SHARE: ""},
)
only_last_whole = in_step(
    "only one micro-batch is used",
    ONLY_ONE,
    {"for batch in micro_batches:": "for batch in micro_batches[-1:]:", SHARE: ""},
)

NOT_REFUSED = "An empty list of micro-batches is not refused. Whoever passes one has lost the data somewhere, and should read so at once, not a division by zero or nothing at all. The given lines raise a ValueError: keep them."
accepts_no_batches = in_step("an empty list is not refused", NOT_REFUSED, {"if not micro_batches:": "if False:"})
divides_by_no_batches = in_step(
    "an empty list is not refused", NOT_REFUSED, {"if not micro_batches:": "if 1 / len(micro_batches) == 0:"}
)
