"""Wrong ways of the training step."""

from autograder.checks.training.steps import train_step
from autograder.probing.mistake import edit

TRAIN = "model.train()"
ZERO_GRAD = "optimizer.zero_grad()"
EACH = "for batch in micro_batches:"
BACKWARD = "loss.backward()"
SHARE = " / len(micro_batches)"
TOTAL = "total += loss.item()"
IF_CLIP = "if max_norm is not None:"
CLIPPING = "clip_gradients_(model.parameters(), max_norm)"
DO_STEP = "optimizer.step()"
RETURN = "return total"
DIVIDED = "for one in model.parameters():\n        if one.grad is not None:\n            one.grad.div_({})"
CLIP_HERE = f"{IF_CLIP}\n            {CLIPPING}"

train_step.mistake(
    "gradients are not cleared",
    "The gradients of the steps before are still there. `backward` adds to what is there, so every step follows the sum of all gradients since the beginning. Call `optimizer.zero_grad()` once in every step, before the micro-batches.",
    {ZERO_GRAD: "pass"},
    {  # and what is left over is divided once more
        ZERO_GRAD: "pass",
        SHARE: "",
        f"    {IF_CLIP}": f"    {DIVIDED.format('len(micro_batches)')}\n    {IF_CLIP}",
        TOTAL: f"{TOTAL}{SHARE}",
    },
)

train_step.mistake(
    "cleared only with or without clipping",
    "Whether old gradients are cleared depends on max_norm. They must not count in any step, clipped or not. Call `optimizer.zero_grad()` outside the `if`, before the micro-batches.",
    edit(
        {ZERO_GRAD: f"if max_norm is None:\n        {ZERO_GRAD}"},
        says="Where max_norm is given, old gradients are not cleared. They must not count in any step, clipped or not. Call `optimizer.zero_grad()` outside the `if`, before the micro-batches.",
    ),
    edit(
        {ZERO_GRAD: f"if max_norm is not None:\n        {ZERO_GRAD}"},
        says="Old gradients are cleared only where max_norm is given. They must not count in any step, clipped or not. Call `optimizer.zero_grad()` outside the `if`, before the micro-batches.",
    ),
)

train_step.mistake(
    "cleared only after the step",
    "The gradients are not cleared before the first `backward`. Between two of your own steps that makes no difference. But gradients from any other "
    "`backward` before, such as an interrupted step, are added to those of the first step. Clear at the beginning.",
    {ZERO_GRAD: "pass", DO_STEP: f"{DO_STEP}\n    {ZERO_GRAD}"},
    {  # and what is left over is divided once more
        ZERO_GRAD: "pass",
        SHARE: "",
        f"    {IF_CLIP}": f"    {DIVIDED.format('len(micro_batches)')}\n    {IF_CLIP}",
        DO_STEP: f"{DO_STEP}\n    {ZERO_GRAD}",
        TOTAL: f"{TOTAL}{SHARE}",
    },
)

train_step.mistake(
    "cleared between the micro-batches",
    "The step is made with the gradient of the last micro-batch alone. Either the gradients are cleared between the micro-batches, and the others were computed for nothing, or `backward` is called for the last one only. Clear once, before the loop, and run `backward` in every round.",
    {ZERO_GRAD: "pass", BACKWARD: f"{ZERO_GRAD}\n        {BACKWARD}"},
    {BACKWARD: f"if batch is micro_batches[-1]:\n            {BACKWARD}"},
)

train_step.mistake(
    "cleared before the step",
    "The step finds no gradient, and the model never changes. Either the gradients are cleared between `backward` and the step, or the step stands before `backward`. Clear first, run `backward` for every micro-batch, then make the step.",
    {DO_STEP: f"{ZERO_GRAD}\n    {DO_STEP}"},
    {ZERO_GRAD: f"{ZERO_GRAD}\n    {DO_STEP}", DO_STEP: "pass"},
    {BACKWARD: DO_STEP, DO_STEP: BACKWARD},
)

train_step.mistake(
    "no backward",
    "No gradient ever reaches the model. Either `backward` is not called, or the loss was cut off before it: `detach`, `.item()`, a new tensor.",
    {BACKWARD: "pass"},
    {"loss_fn(model, batch)": "loss_fn(model, batch).detach().requires_grad_()"},
)

train_step.mistake(
    "micro-batches are summed",
    "The losses of the micro-batches are added up, not averaged. With four micro-batches the gradient is four times too long, and the same learning "
    "rate means something else than for one large batch. Divide each loss by the number of micro-batches before `backward`.",
    {SHARE: ""},
    {SHARE: "", TOTAL: f"{TOTAL}{SHARE}"},
)

train_step.mistake(
    "the share is taken twice",
    "The gradient is divided by the number of micro-batches twice. With four micro-batches it is four times too short. Divide the loss once, before "
    "`backward`.",
    {BACKWARD: f"(loss{SHARE}).backward()"},
)

train_step.mistake(
    "divided by another number",
    "The gradient is divided by another number than that of the micro-batches. A mean over n micro-batches is their sum divided by n: `len(micro_batches)`. The length of one micro-batch is something else, and `loss_fn` has taken the mean over it already.",
    *(
        way
        for other in ("len(batch)", "(len(micro_batches) + 1)", "max(len(micro_batches) - 1, 1)", "len(batch[0])")
        for way in (
            {SHARE: f" / {other}"},
            {BACKWARD: f"(loss * len(micro_batches) / {other}).backward()"},
        )
    ),
    *(
        edit(
            {EACH: "for number, batch in enumerate(micro_batches, start=1):", **way},
            says="Each loss is divided by its own number: the first by 1, the second by 2. A mean over n micro-batches is their sum divided by n, which is the same in every round: `len(micro_batches)`.",
        )
        for way in (
            {SHARE: " / number"},
            {BACKWARD: "(loss * len(micro_batches) / number).backward()"},
        )
    ),
)

SIZES = "sum(len(one[0]) for one in micro_batches)"
train_step.mistake(
    "micro-batches weigh by their size",
    "A larger micro-batch weighs more than a smaller one. Here all weigh the same: `loss_fn` has taken the mean over what is in a micro-batch, and every loss is divided by `len(micro_batches)`.",
    {SHARE: f" * len(batch[0]) / {SIZES}"},
    {BACKWARD: f"(loss * len(micro_batches) * len(batch[0]) / {SIZES}).backward()"},
    edit(
        {BACKWARD: "(loss * len(batch[0])).backward()"},
        says="Each loss is multiplied by the size of its micro-batch, and never divided by the sum of the sizes. Here all micro-batches weigh the same: `loss_fn` has taken the mean over what is in one, and every loss is divided by `len(micro_batches)`.",
    ),
)

EVERY_ROUND = DIVIDED.format("len(micro_batches)").replace("\n", "\n    ")
train_step.mistake(
    "what has been added up is divided in every round",
    "What has been added up is divided in every round. The gradient of the first micro-batch is then divided as often as there are micro-batches, that of the last once. Divide each loss once, before its `backward`.",
    {SHARE: "", BACKWARD: f"{BACKWARD}\n        {EVERY_ROUND}", TOTAL: f"{TOTAL}{SHARE}"},
    {BACKWARD: f"{BACKWARD}\n        {EVERY_ROUND}"},
)

train_step.mistake(
    "the sum so far is run back each time",
    "`backward` runs through the sum of all losses so far. The first micro-batch then counts as often as there are micro-batches, the last micro-batch "
    "once; and every graph is kept. Call `backward` on the loss of each micro-batch alone.",
    {
        BACKWARD: "total = total + loss\n        total.backward(retain_graph=True)",
        TOTAL: "pass",
        RETURN: "return total.item()",
    },
)

train_step.mistake(
    "the sum of the losses is returned",
    "You return the sum of the losses. The step is right; the number to report is the mean over the micro-batches.",
    {RETURN: f"{RETURN} * len(micro_batches)"},
)

train_step.mistake(
    "the last loss is returned",
    "What you return comes from the last micro-batch alone: its loss, or its share of the mean. Return the mean over all micro-batches: add up as you go.",
    {RETURN: "return loss.item() * len(micro_batches)"},
    {RETURN: "return loss.item()"},
)

train_step.mistake(
    "the first loss is returned",
    "What you return is the loss of the first micro-batch alone. Return the mean over all micro-batches: add up as you go.",
    {TOTAL: "total = total or loss.item() * len(micro_batches)"},
    {TOTAL: "total = total or loss.item()"},
)

train_step.mistake(
    "another loss than the mean is returned",
    "What you return is the loss of one micro-batch, and not the mean. Return the mean over all micro-batches: add up as you go.",
    *(
        edit(
            {TOTAL: f"total = {which}(total or loss.item(){scale}, loss.item(){scale})"},
            says=f"What you return is the {name} loss of a micro-batch. Return the mean over all micro-batches: add up as you go.",
        )
        for which, name in (("max", "largest"), ("min", "smallest"))
        for scale in (" * len(micro_batches)", "")
    ),
)

train_step.mistake(
    "the returned loss is rounded",
    "The loss that you return is rounded. Where losses are small, a rounded curve stands still while the model goes on learning. Return the number as it is, and round where it is printed.",
    *({RETURN: f"return round(total, {digits})"} for digits in (1, 2, 3, 4)),
)

train_step.mistake(
    "something else than one number is returned",
    "You return something else than one number. The curve needs the mean loss, a float.",
    *(
        edit(
            {TOTAL: f"total = [*(total or []), loss.item(){scale}]"},
            says="You return a list, with a number for every micro-batch. The curve needs one number, their mean.",
        )
        for scale in (" * len(micro_batches)", "")
    ),
    edit({RETURN: "return None"}, says="You return nothing. The curve needs the mean loss, a float: `return total`."),
    edit(
        {RETURN: "return total, model"},
        says="Something comes back beside the loss. The curve needs one number, the mean loss.",
    ),
)

train_step.mistake(
    "the gradient's length is returned",
    "You return the length of the gradient where it is clipped. `clip_gradients_` gives it back; the number to report is the mean loss.",
    {f"        {CLIPPING}": f"        total = {CLIPPING}"},
)

CAST = 'with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None)'
AFTERWARDS = "sum(loss_fn(model, one).item() for one in micro_batches) / len(micro_batches)"
train_step.mistake(
    "the loss after the step is returned",
    "The loss that you return is computed after the step. That takes one more forward pass for every micro-batch, and is not the loss whose gradient was followed. Add up the losses inside the loop.",
    *(
        {RETURN: f"{context}return {AFTERWARDS}"}
        for context in (
            "",
            "with torch.no_grad():\n        ",
            f"{CAST}:\n        ",
            f"with torch.no_grad(), {CAST.removeprefix('with ')}:\n        ",
        )
    ),
)

train_step.mistake(
    "the returned loss is divided twice",
    "The returned loss is divided by the number of micro-batches twice. Each share has been divided already; add the shares up.",
    {RETURN: f"{RETURN}{SHARE}"},
)

train_step.mistake(
    "a tensor, not a number",
    "You return a tensor. A loss that is still a tensor may keep its whole graph alive, and a list of them fills the memory. `loss.item()` is a plain number.",
    {TOTAL: "total += loss"},
    {TOTAL: "total += loss.detach()"},
)

CLIP_AND_STEP = f"{BACKWARD}\n        {CLIP_HERE}\n        {DO_STEP}"
LAST_LINE = f"\n    {DO_STEP}"
train_step.mistake(
    "a step for every micro-batch",
    "A step is made after every micro-batch. The micro-batches should act as one large batch: collect the gradients of all, then make one step.",
    {BACKWARD: CLIP_AND_STEP, IF_CLIP: "if False:", LAST_LINE: ""},
    {
        ZERO_GRAD: "pass",
        BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}",
        IF_CLIP: "if False:",
        LAST_LINE: "",
    },
    {
        ZERO_GRAD: "pass",
        SHARE: "",
        BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}",
        IF_CLIP: "if False:",
        LAST_LINE: "",
        TOTAL: f"{TOTAL}{SHARE}",
    },
    {BACKWARD: f"{BACKWARD}\n        {DO_STEP}", LAST_LINE: ""},
    {BACKWARD: f"{BACKWARD}\n        {DO_STEP}\n        {ZERO_GRAD}", LAST_LINE: ""},
)

train_step.mistake(
    "clipped before the gradient is whole",
    "The gradient is clipped before it is whole. Inside the loop only some of the micro-batches have been added, so you clip something else than the "
    "gradient of the step. Clip once, after the last `backward`.",
    {BACKWARD: f"{BACKWARD}\n        {CLIP_HERE}", IF_CLIP: "if False:"},
    {BACKWARD: f"{CLIP_HERE}\n        {BACKWARD}", IF_CLIP: "if False:"},
)

train_step.mistake(
    "not clipped when the step is made",
    "The step is made with the gradient as it came. max_norm is not used, or what is clipped is not this gradient: too early, before there is one; too late, when the step has been made; or something else than the parameters of the model. Clip `model.parameters()` between the last `backward` and the step.",
    {f"{IF_CLIP}\n        {CLIPPING}\n    {DO_STEP}": f"{DO_STEP}\n    {IF_CLIP}\n        {CLIPPING}"},
    {IF_CLIP: "if False:"},
)

train_step.mistake(
    "numbers are cut, not the length",
    "Single numbers are cut off at max_norm. `clip_grad_value_` does that, and turns the gradient into another direction. Your `clip_gradients_` "
    "shortens the whole gradient.",
    {CLIPPING: "nn.utils.clip_grad_value_(model.parameters(), max_norm)"},
)

train_step.mistake(
    "each parameter is clipped on its own",
    "Every parameter's gradient is clipped on its own. That changes the direction of the step. Pass all parameters to one call: "
    "`clip_gradients_(model.parameters(), max_norm)`.",
    {CLIPPING: "for one in model.parameters():\n            nn.utils.clip_grad_norm_([one], max_norm)"},
)

train_step.mistake(
    "each group is clipped on its own",
    "Every group of the optimizer is clipped on its own, or one alone. The length that counts is that of the whole gradient. Pass all parameters to one call: `clip_gradients_(model.parameters(), max_norm)`.",
    {CLIPPING: 'for group in optimizer.param_groups:\n            clip_gradients_(group["params"], max_norm)'},
    {CLIPPING: 'clip_gradients_(optimizer.param_groups[0]["params"], max_norm)'},
)

train_step.mistake(
    "clipped without being asked",
    "The gradient is clipped although max_norm is None. None means that it is left as it is: clip only `if max_norm is not None`.",
    {f"{IF_CLIP}\n        {CLIPPING}": "clip_gradients_(model.parameters(), max_norm or 1.0)"},
)

train_step.mistake(
    "clipped to another length than max_norm",
    "The gradient is clipped, and to another length than max_norm. How long it may be is said by whoever calls `train_step`: pass max_norm on as it is.",
    *(
        edit(
            {CLIPPING: f"clip_gradients_(model.parameters(), {length})"},
            says=f"The gradient is clipped to the length {length}, whatever max_norm says. How long it may be is said by whoever calls `train_step`: pass max_norm on.",
        )
        for length in ("1.0", "0.5", "5.0")
    ),
    edit(
        {CLIPPING: "clip_gradients_(model.parameters(), max_norm * len(micro_batches))"},
        says="The gradient may be max_norm long for each micro-batch. What is clipped is the gradient of their mean, one gradient, and it may be max_norm long: pass max_norm on as it is.",
    ),
    {CLIPPING: "clip_gradients_(model.parameters(), max_norm**2)"},
)

train_step.mistake(
    "short gradients are made longer",
    "Every gradient is brought to the length max_norm, short ones too. Near the end of training, where gradients are small, the steps would stay as large as ever. Clipping only shortens: `clip_gradients_` leaves alone what is short enough.",
    {
        CLIPPING: "length = nn.utils.get_total_norm([one.grad for one in model.parameters() if one.grad is not None])\n        for one in model.parameters():\n            if one.grad is not None:\n                one.grad.mul_(max_norm / length)"
    },
)

train_step.mistake(
    "clipped while still scaled",
    "The gradient is clipped while it is still scaled. Multiplied by 65536, nearly any gradient is too long; clipped and then divided again, next to "
    "nothing is left. With a GradScaler, `unscale_` comes before clipping; with bfloat16 no scaler is needed.",
    *(
        {BACKWARD: f"(loss * {scale}).backward()", DO_STEP: f"{DIVIDED.format(scale)}\n    {DO_STEP}"}
        for scale in (65536, 1024)
    ),
    edit(
        {
            SHARE: "",
            DO_STEP: f"{DIVIDED.format('len(micro_batches)')}\n    {DO_STEP}",
            TOTAL: f"{TOTAL}{SHARE}",
        },
        says="The gradient is cut to max_norm divided by the number of micro-batches. That happens when the gradient is clipped while it is still a sum "
        "and divided afterwards, or when max_norm is divided. The mean may have the length max_norm: divide first, then clip.",
    ),
)

train_step.mistake(
    "the scale stays in the gradient",
    "The loss is made larger before `backward`, and the gradient is never made smaller again. The step is then too long by that factor. If a loss is "
    "scaled, for float16, the gradients have to be divided by the scale before clipping and step; bfloat16 needs no scale.",
    *({BACKWARD: f"(loss * {scale}).backward()"} for scale in (65536, 1024)),
)

train_step.mistake(
    "train mode forgotten",
    "The losses are computed with a model that is not in train mode. After an evaluation the training would go on without dropout, and no error would "
    "say so. Call `model.train()` first.",
    {TRAIN: "pass"},
    {TRAIN: "model.eval()"},
    {TRAIN: "pass", RETURN: f"{TRAIN}\n    {RETURN}"},
)

train_step.mistake(
    "no autocast",
    'The model computes in float32, though autocast_dtype is given. The call of `loss_fn` has to stand inside `torch.autocast("cpu", dtype=autocast_dtype)`.',
    {"enabled=autocast_dtype is not None": "enabled=False"},
)

train_step.mistake(
    "autocast is always on",
    "Autocast is on even if no dtype is given. It then uses bfloat16, with two to three digits, although no dtype was asked for. Write "
    "`enabled=autocast_dtype is not None`.",
    {"enabled=autocast_dtype is not None": "enabled=True"},
    edit(
        {"dtype=autocast_dtype, enabled=autocast_dtype is not None": "dtype=torch.bfloat16"},
        says="Autocast is on even if no dtype is given, and always with bfloat16, which has two to three digits. Pass on the dtype that is given, and "
        "switch autocast off where there is none: `dtype=autocast_dtype, enabled=autocast_dtype is not None`.",
    ),
)

train_step.mistake(
    "autocast is on just where no dtype is given",
    "Autocast is on where autocast_dtype is None, and off where a dtype is given. That is the wrong way round: `enabled=autocast_dtype is not None`.",
    {"enabled=autocast_dtype is not None": "enabled=autocast_dtype is None"},
    {
        "dtype=autocast_dtype, enabled=autocast_dtype is not None": "dtype=torch.bfloat16, enabled=autocast_dtype is None"
    },
)

train_step.mistake(
    "bfloat16 whatever dtype is given",
    "Whatever autocast_dtype says, the model computes in bfloat16. With float16 you get other numbers than were asked for. Pass the dtype on: "
    "`dtype=autocast_dtype`.",
    {"dtype=autocast_dtype, enabled": "dtype=torch.bfloat16, enabled"},
)

train_step.mistake(
    "the model itself is cast",
    "You turn the model's own parameters into the small dtype. A step of 0.001 on a weight of 1 is lost in bfloat16, which knows no number between 1 and 1.0078. Autocast computes in it and keeps the parameters in float32.",
    {TRAIN: f"{TRAIN}\n    if autocast_dtype is not None:\n        model.to(autocast_dtype)"},
    {  # and what it is given is not
        TRAIN: f"{TRAIN}\n    if autocast_dtype is not None:\n        model.to(autocast_dtype)",
        "enabled=autocast_dtype is not None": "enabled=False",
    },
)

train_step.mistake(
    "the loss is cast",
    "The loss is turned into autocast_dtype before `backward`. bfloat16 has two to three digits, and the loss keeps no more of them. Autocast chooses what is computed in the small dtype, and leaves the loss as it is: do the same.",
    *(
        {BACKWARD: f"loss = {cast}\n        {BACKWARD}"}
        for cast in ("loss if autocast_dtype is None else loss.to(autocast_dtype)",)
    ),
)

train_step.mistake(
    "no step",
    "The optimizer never makes a step. The gradients are there, and the model stays as it is: `optimizer.step()` at the end.",
    {DO_STEP: "pass"},
)

train_step.mistake(
    "the step is made without the optimizer",
    "The parameters are changed by hand, and the optimizer is not asked. Momentum, running means and decay are its own: `optimizer.step()`.",
    *(
        {
            DO_STEP: f"with torch.no_grad():\n        for group in optimizer.param_groups:\n            for one in group['params']:\n                if one.grad is not None:\n                    one.sub_({rate} * one.grad)"
        }
        for rate in ("group['lr']", "optimizer.param_groups[0]['lr']")
    ),
)

train_step.mistake(
    "two steps",
    "The optimizer makes two steps with one gradient. That is another learning rate, and running means that have seen every gradient twice: one `optimizer.step()`, at the end.",
    {DO_STEP: f"{DO_STEP}\n    {DO_STEP}"},
)

train_step.mistake(
    "left in evaluation mode",
    "The model is in evaluation mode when the step is over. An evaluation switches to evaluation mode by itself; a step puts the model into train mode "
    "and leaves it there.",
    {DO_STEP: f"{DO_STEP}\n    model.eval()"},
)

train_step.mistake(
    "all micro-batches are held at once",
    "All losses are computed before the first `backward`. The numbers are right, but every graph is kept until then, and micro-batches are meant to "
    "save this memory. Call `backward` for each as soon as its loss is there.",
    {
        BACKWARD: "pass",
        TOTAL: "total = total + loss",
        f"    {IF_CLIP}": f"    total.backward()\n    {IF_CLIP}",
        RETURN: "return total.item()",
    },
)

train_step.mistake(
    "only one micro-batch is used",
    "Only one of the micro-batches is used. The step should follow the mean over all micro-batches.",
    {EACH: "for batch in micro_batches[:1]:"},
    {EACH: "for batch in micro_batches[:1]:", SHARE: ""},
    {EACH: "for batch in micro_batches[-1:]:", SHARE: ""},
    {EACH: "for batch in micro_batches[-1:]:"},
    {EACH: "for batch in micro_batches[:1]:", RETURN: f"{RETURN} * len(micro_batches)"},
    {EACH: "for batch in micro_batches[-1:]:", RETURN: f"{RETURN} * len(micro_batches)"},
    *(
        edit(
            {"loss_fn(model, batch)": f"loss_fn(model, micro_batches[{place}])"},
            says=f"Every round uses the {name} micro-batch. The loop goes on to the next, and `loss_fn` has to be given that.",
        )
        for place, name in (("0", "first"), ("-1", "last"))
    ),
    edit(
        {BACKWARD: f"if batch is micro_batches[0]:\n            {BACKWARD}"},
        says="The step is made with the gradient of the first micro-batch alone. The losses of the others are computed for nothing: run `backward` in every round.",
    ),
)

ONE_ROUND = "The first round of the loop is the last. The other micro-batches are never seen"
train_step.mistake(
    "returns in the first round",
    f"{ONE_ROUND}. What stands behind the loop, clipping and step, belongs behind it together with `return`: look at how far it is indented.",
    edit(
        {TOTAL: f"{TOTAL}\n        {RETURN}"},
        says=f"{ONE_ROUND}, and no step is made. `return` belongs behind the loop, after the step: look at how far it is indented.",
    ),
    edit(
        {TOTAL: f"{TOTAL}\n        {DO_STEP}\n        {RETURN}"},
        says=f"{ONE_ROUND}, and nothing is clipped. Step and `return` belong behind the loop, after clipping: look at how far they are indented, and whether there is a `break`.",
    ),
)

train_step.mistake(
    "all micro-batches are joined into one",
    "The micro-batches are joined into one batch. They are together too large for the memory, which is why they are given one by one; and in one batch a larger micro-batch weighs more than a smaller one. Call `loss_fn` for each, and `backward` at once.",
    {EACH: "for batch in [tuple(map(torch.cat, zip(*micro_batches)))]:", SHARE: ""},
)

train_step.mistake(
    "a micro-batch is left out",
    "One of the micro-batches is left out. The step should follow the mean over all micro-batches.",
    *(
        edit(
            {EACH: f"for batch in {some}:"} | more,
            says=f"The {name} micro-batch is left out. The step should follow the mean over all micro-batches.",
        )
        for part, name in (("[1:]", "first"), ("[:-1]", "last"))
        for some in (f"micro_batches{part}", f"(micro_batches{part} or micro_batches)")
        for more in (
            {},
            {SHARE: " / max(len(micro_batches) - 1, 1)"},
            {RETURN: f"{RETURN} * len(micro_batches) / max(len(micro_batches) - 1, 1)"},
            # Of one micro-batch nothing is left, and there is no mean of nothing.
            {RETURN: f"{RETURN} * len(micro_batches) / (len(micro_batches) - 1)"},
            {RETURN: f"{RETURN} * len(micro_batches) / (len(micro_batches) - 1 or len(torch.stack([])))"},
        )
    ),
)

train_step.mistake(
    "an empty list is not refused",
    "An empty list of micro-batches is not refused. An empty list means that the data were lost somewhere; that needs a clear error, not a division by "
    "zero or no error at all. The given lines raise a ValueError: keep them.",
    {"if not micro_batches:": "if False:"},
    {"if not micro_batches:": "if 1 / len(micro_batches) == 0:"},
    {
        "if not micro_batches:": "if False:",
        RETURN: "return total if micro_batches else float('nan')",
    },  # the mean of nothing
)
