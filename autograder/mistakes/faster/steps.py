"""Wrong ways of a step in mixed precision, and of averaging gradients."""

from autograder.checks.faster import amp_step, average_gradients
from autograder.probing.mistake import edit

CLEAR = "optimizer.zero_grad()"
LOSS = "loss = loss_fn(model, batch)"
BACKWARD = "(loss if used is None else used.scale(loss)).backward()"
CLIP = "clip_gradients_(model.parameters(), max_norm)"
UNSCALE = "if used is not None:\n            used.unscale_(optimizer)\n        clip"
WHOLE_CLIP = (
    f"if max_norm is not None:\n        if used is not None:\n            used.unscale_(optimizer)\n        {CLIP}"
)
STEP = "used.step(optimizer)\n        used.update()"
SCALED_LOSS = "return (loss if used is None else used.scale(loss)).item()"
SHOWN = {
    BACKWARD: "shown = loss if used is None else used.scale(loss)\n    shown.backward()",
    "return loss.item()": "return shown.item()",
}
"""The loss is returned as backward had it; with SCALED_LOSS it has the scale of the next step."""
NEED = "scaler if dtype == torch.float16 else None"

amp_step.mistake(
    "clipped before unscaling",
    "The gradient is clipped while it is still scaled. It looks far too long, is cut to max_norm, and then divided by the scale: your step is too short by that factor. `scaler.unscale_(optimizer)` comes before clipping. An example of a much used framework had it the other way round.",
    {UNSCALE: "clip"},
    {UNSCALE: "clip", STEP: "used.unscale_(optimizer)\n        used.step(optimizer)\n        used.update()"},
    *(
        edit(
            {UNSCALE: "clip", NEED: "scaler"} | shown,
            says="The gradient is clipped while it is still scaled, and then divided by the scale: your step is too short by that factor. Besides, the scaler is used in bfloat16 too, which needs none, and what you return is the loss times the scale.",
        )
        for shown in ({"return loss.item()": SCALED_LOSS}, SHOWN)
    ),
)

amp_step.mistake(
    "a scaler with bfloat16",
    "The scaler is used in bfloat16 too. No number differs: bfloat16 has the range of float32, so its small gradients do not become 0. But the scaler looks at all gradients in every step for nothing. Use it for float16 alone.",
    {NEED: "scaler"},
)

amp_step.mistake(
    "scaled loss returned",
    "What you return is the loss times the scale. The scaled loss is there for `backward`; a curve of it jumps whenever the scale changes. Return the loss itself.",
    {"return loss.item()": SCALED_LOSS},
    SHOWN,
    edit(
        SHOWN | {"return loss.item()": "return shown.item() / (1.0 if used is None else used.get_scale())"},
        says="What you return is the scaled loss by the scale of the next step: `scaler.update()` may have made it another one by then. Keep the loss as it was before it was scaled, and return that.",
    ),
)

amp_step.mistake(
    "step without unscaling",
    "The step is made with the scaled gradient: it is too long by the scale. `scaler.step(optimizer)` divides first; a plain `optimizer.step()` does not.",
    {STEP: "optimizer.step()\n        used.update()"},
    {STEP: "optimizer.step()"},
)

amp_step.mistake(
    "steps that are not finite are taken",
    "A step whose gradient is not finite is made all the same, and the parameters are lost. `scaler.step(optimizer)` leaves such a step out; a plain `optimizer.step()` does not.",
    {BACKWARD: f"{BACKWARD}\n    if used is not None:\n        used.unscale_(optimizer)", UNSCALE: "clip", STEP: "optimizer.step()\n        used.update()"},
    {BACKWARD: f"{BACKWARD}\n    if used is not None:\n        used.unscale_(optimizer)", UNSCALE: "clip", STEP: "optimizer.step()"},
)  # fmt: skip

amp_step.mistake(
    "the loss is not scaled",
    "Backward starts at the loss itself, and the scaler divides the gradient by a scale that was never in it: your steps are too short by that factor. It is `scaler.scale(loss).backward()`.",
    {BACKWARD: "loss.backward()"},
    {BACKWARD: "used is not None and used.scale(loss)\n    loss.backward()"},
)

amp_step.mistake(
    "scaler never used",
    "The scaler is not asked for anything. In float16 small gradients then become 0, and nothing notices a gradient that is not finite.",
    {NEED: "None"},
)

amp_step.mistake(
    "scale never updated",
    "`scaler.update()` is missing. It makes the scale smaller after a step whose gradient was not finite, and larger after many that were. Without it the next step begins with what this one left.",
    {STEP: "used.step(optimizer)"},
)

amp_step.mistake(
    "gradients not cleared",
    "The gradients of the step before are still there, and this step's are added to them. Clear them first: `optimizer.zero_grad()`.",
    {CLEAR: "None"},
    edit(
        {CLEAR: "None", "return loss.item()": "optimizer.zero_grad()\n    return loss.item()"},
        says="You clear the gradients at the end of the step. What somebody else has left before it still counts. Clear them first: `optimizer.zero_grad()`.",
    ),
)

amp_step.mistake(
    "gradients cleared before the step",
    "The model does not move: the gradients are cleared between backward and the step.",
    {BACKWARD: f"{BACKWARD}\n    optimizer.zero_grad()"},
    {BACKWARD: f"{BACKWARD}\n    optimizer.zero_grad(set_to_none=False)"},
)

amp_step.mistake(
    "no step",
    "The parameters do not change: nothing makes a step. With a scaler it is `scaler.step(optimizer)`, without one `optimizer.step()`.",
    {STEP: "used.update()", "if used is None:\n        optimizer.step()": "if used is None:\n        pass"},
    {STEP: "pass", "if used is None:\n        optimizer.step()": "if used is None:\n        pass"},
    {NEED: "None", "if used is None:\n        optimizer.step()": "if used is None:\n        pass"},
    edit(
        {"if used is None:\n        optimizer.step()": "if used is None:\n        pass"},
        says="Without a scaler, and in bfloat16, the parameters do not change: nothing makes a step. There it is `optimizer.step()`.",
    ),
    *(
        edit(
            {STEP: other},
            says="With a scaler, in float16, the parameters do not change: nothing makes a step. There it is `scaler.step(optimizer)`.",
        )
        for other in ("used.update()", "pass")
    ),
)

amp_step.mistake(
    "two steps",
    "With a scaler two steps are made: `scaler.step(optimizer)` calls `optimizer.step()` already, where the gradient is finite. Call the optimizer yourself only where there is no scaler.",
    {STEP: f"{STEP}\n        optimizer.step()"},
    {STEP: f"optimizer.step()\n        {STEP}"},
)

amp_step.mistake(
    "clipped unasked",
    "The gradient is clipped where max_norm is None too. None means that nothing is clipped.",
    {CLEAR: f"{CLEAR}\n    max_norm = max_norm or 1.0"},
)

amp_step.mistake(
    "loss after the step",
    "What you return is the loss after the step. It is computed a second time, which costs a forward pass; return the one that the step was made of.",
    {"return loss.item()": f"with torch.autocast(device, dtype=dtype):\n        {LOSS}\n    return loss.item()"},
    {"return loss.item()": f"{LOSS}\n    return loss.item()"},
)

amp_step.mistake(
    "mode put back",
    "The model is put into train mode, and afterwards back into the mode that it had. Promised is that it is in train mode: `model.train()`, and no more.",
    {"model.train()": "was = model.training\n    model.train()", "return loss.item()": "model.train(was)\n    return loss.item()"},
    {"return loss.item()": "model.eval()\n    return loss.item()"},
)  # fmt: skip

amp_step.mistake(
    "backward under autocast",
    "Backward and what follows stand inside `with torch.autocast(...)`. The gradient is then computed in the smaller dtype also where the forward pass did not choose it. Only the loss is computed inside.",
    {BACKWARD: f"with torch.autocast(device, dtype=dtype):\n        {BACKWARD}"},
)

amp_step.mistake(
    "not clipped",
    "The step is made with a gradient that is not clipped. Where max_norm is given, it is cut to that length after it is unscaled, and before the step; behind the step it no longer matters.",
    {WHOLE_CLIP: "pass"},
    {WHOLE_CLIP: "pass", "return loss.item()": f"if max_norm is not None:\n        {CLIP}\n    return loss.item()"},
    edit(
        {"if max_norm is not None:\n        if used": "if max_norm is not None and used is not None:\n        if used"},
        says="Without a scaler, and in bfloat16, the step is made with a gradient that is not clipped. max_norm holds there too: clip between backward and the step.",
    ),
    edit(
        {"if max_norm is not None:\n        if used": "if max_norm is not None and used is None:\n        if used"},
        says="With a scaler, in float16, the step is made with a gradient that is not clipped. Clipping comes after backward and `scaler.unscale_(optimizer)`, and before the step.",
    ),
)

amp_step.mistake(
    "every number clipped by itself",
    "Each number of the gradient is cut by itself, which turns the gradient. To clip a gradient is to scale all of it by one factor, so that its length is max_norm: `clip_gradients_`.",
    {CLIP: "torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)"},
    *(
        edit(
            {
                CLIP: f"clip_gradients_(model.parameters(), max_norm) if used is {which} else torch.nn.utils.clip_grad_value_(model.parameters(), max_norm)"
            },
            says=f"{where} each number of the gradient is cut by itself, which turns the gradient. To clip a gradient is to scale all of it by one factor, so that its length is max_norm: `clip_gradients_`.",
        )
        for which, where in (("None", "With a scaler"), ("not None", "Without a scaler, and in bfloat16,"))
    ),
)

amp_step.mistake(
    "every parameter clipped by itself",
    "Each parameter's gradient is cut to max_norm by itself. The length that counts is that of all of them together.",
    {CLIP: "for one in model.parameters():\n            clip_gradients_([one], max_norm)"},
)

amp_step.mistake(
    "no autocast",
    "The forward pass computes in float32: the model's output has that dtype. `with torch.autocast(device, dtype=dtype):` stands around the loss.",
    {"torch.autocast(device, dtype=dtype)": "torch.autocast(device, enabled=False)"},
)

amp_step.mistake(
    "always the same dtype",
    "The forward pass computes in the same dtype, whatever dtype says: hand it to `torch.autocast`.",
    {"torch.autocast(device, dtype=dtype)": "torch.autocast(device, dtype=torch.bfloat16)"},
    {"torch.autocast(device, dtype=dtype)": "torch.autocast(device, dtype=torch.float16)"},
)

amp_step.mistake(
    "the model itself is cast",
    "The model's parameters have become numbers of the smaller dtype. Small steps are then lost when they are added. Parameters stay in float32; autocast casts what it needs, for one forward pass.",
    {LOSS: "loss = loss_fn(model.to(dtype), batch)"},
)

amp_step.mistake(
    "no train mode",
    "The model is left in evaluation mode, so dropout does not act while it learns. `model.train()` comes first.",
    {"model.train()": "model.training"},
    edit(
        {"model.train()": "model.eval()"},
        says="The model is put into evaluation mode, so dropout does not act while it learns. `model.train()` comes first.",
    ),
)

# average_gradients ----------------------------------------------------------------------------

PARTS = "parts = [size / examples * one for one, (_, size) in zip(column, shards, strict=True) if one is not None]"
ADD = "torch.stack(parts).sum(dim=0)"
TOTAL = "examples = sum(sizes)"
KNOWN = "known = [size for one, (_, size) in zip(column, shards, strict=True) if one is not None]"

average_gradients.mistake(
    "sum over ranks",
    "You add the gradients of all ranks. Each is a mean already, so your gradient grows with the number of processes, and the learning rate with it. Weigh each by its shard's share of all examples.",
    {"size / examples * one": "one"},
)

average_gradients.mistake(
    "mean of means",
    "Every rank counts the same, however many examples it has. Where shards differ, an example in a small one then counts more than one in a large one. Weigh each rank by its shard's share of all examples.",
    {"size / examples * one": "one / len(shards)"},
    {"size / examples * one": "one / len(sizes)"},
)

average_gradients.mistake(
    "a rank without a gradient left out",
    "Where a rank has no gradient for a parameter, you leave its examples out of the count. Its gradient is 0, and its examples count: their mean includes them.",
    {PARTS: f"{KNOWN}\n        parts = [size / sum(known) * one for one, (_, size) in zip(column, shards, strict=True) if one is not None]"},
    edit(
        {PARTS: "parts = [one / len([other for other in column if other is not None]) for one in column if one is not None]"},
        says="You take the mean over the ranks that have a gradient. One that has none has a gradient of 0 and counts all the same; and each counts with the size of its shard.",
    ),
)  # fmt: skip

average_gradients.mistake(
    "weighted, and not divided",
    "You multiply by the sizes of the shards and do not divide by the number of all examples. Your gradient is that of a sum, not of a mean.",
    {"size / examples * one": "size * one"},
)

average_gradients.mistake(
    "divided by the number of ranks too",
    "You weigh by the sizes and divide by the number of ranks.",
    edit({"size / examples * one": "size / examples * one / len(shards)"}, says="You weigh each rank by its share of the examples, and then divide by the number of ranks as well. The shares already sum to 1."),
    edit({"size / examples * one": "size / len(shards) * one"}, says="You weigh by the sizes and divide by the number of ranks. Divide by the number of all examples."),
    edit({"size / examples * one": "size / len(sizes) * one"}, says="You weigh by the sizes and divide by the number of ranks. Divide by the number of all examples."),
    edit({ADD: "torch.stack(parts).mean(dim=0)", "size / examples * one": "size * one"}, says="You weigh by the sizes and divide by the number of ranks that have a gradient. Divide by the number of all examples."),
    edit({ADD: "torch.stack(parts).mean(dim=0)"}, says="You weigh each rank by its share of the examples, and then take the mean over the ranks as well. The shares already sum to 1: add up."),
)  # fmt: skip

average_gradients.mistake(
    "divided, and not weighted",
    "You add the gradients and divide by the number of all examples. Each is a mean over its own shard already: multiply it by the size of that shard first.",
    {"size / examples * one": "one / examples"},
)

average_gradients.mistake(
    "weighted the other way round",
    "A small shard counts more than a large one: you divide by its size where you should multiply.",
    {"size / examples * one": "one / size / sum(1 / other for _, other in shards)"},
    {"size / examples * one": "examples / size * one"},
    {"size / examples * one": "one / size"},
    {"size / examples * one": "one / size / examples"},
)

average_gradients.mistake(
    "whole-number division",
    "Your gradient is 0 wherever no shard holds all examples: `//` makes the share of a shard a whole number.",
    {"size / examples * one": "size // examples * one"},
    edit(
        {"size / examples * one": "size * one", ADD: "torch.stack(parts).sum(dim=0) // examples"},
        says="Your gradient is rounded down to whole numbers: `//` does that to a tensor as well. It is `/`.",
    ),
)

average_gradients.mistake(
    "the first rank alone",
    "Your gradient is that of the first rank: the others are never read.",
    {PARTS: "parts = [one for one in column if one is not None][:1]"},
    {ADD: "column[0]"},
    edit({ADD: "parts[0]"}, says="Your gradient is the first rank's share alone: the others are never added."),
    edit({PARTS: "parts = [one for one in column if one is not None][-1:]"}, says="Your gradient is that of the last rank: it takes the place of the others."),
    edit({ADD: "parts[-1]"}, says="Your gradient is the last rank's share alone: it takes the place of the others."),
)  # fmt: skip

average_gradients.mistake(
    "parameters with a None left out",
    "A parameter is left out of your list where some rank has no gradient for it. The other ranks have one: a None counts as 0, and what comes back has a gradient for every parameter.",
    {PARTS: f"if any(one is None for one in column):\n            continue\n        {PARTS}"},
)

average_gradients.mistake(
    "ranks with a None left out",
    "A rank that has no gradient for some parameter is left out for all parameters. Its other gradients count, and its examples do.",
    {TOTAL: f"{TOTAL}\n    shards = [(own, size) for own, size in shards if all(one is not None for one in own)] or shards"},
    {TOTAL: "shards = [(own, size) for own, size in shards if all(one is not None for one in own)] or shards\n    examples = sum(size for _, size in shards)"},
)  # fmt: skip

average_gradients.mistake(
    "the first parameter alone",
    "Your list ends after the first parameter: `return` stands inside the loop, or something else ends it. All parameters come first.",
    {"    return averaged": "        break\n    return averaged"},
)

average_gradients.mistake(
    "divided once for each rank",
    "What is added up is divided by the number of all examples for every rank anew, so early ranks are divided several times. Add up first, and divide once.",
    {
        PARTS: "parts = [size * one for one, (_, size) in zip(column, shards, strict=True) if one is not None]\n        made = parts[0]\n        for part in parts[1:]:\n            made = (made + part) / examples",
        ADD: "made",
    },
    {
        PARTS: "parts = [size * one for one, (_, size) in zip(column, shards, strict=True) if one is not None]\n        made = torch.zeros_like(parts[0])\n        for part in parts:\n            made = (made + part) / examples",
        ADD: "made",
    },
)

average_gradients.mistake(
    "0 times NaN",
    "A shard without examples spoils the gradient. The mean of nothing is NaN, and 0 times NaN is NaN too: leave such a rank out, as `shards` does.",
    {
        f"zip(*(gradients for gradients, _ in shards), strict=True):\n        {PARTS}": "zip(*per_rank, strict=True):\n        parts = [size / examples * one for one, size in zip(column, sizes, strict=True) if one is not None]"
    },
)

average_gradients.mistake(
    "divided by the largest shard",
    "You divide by the largest shard, not by the number of all examples.",
    {TOTAL: "examples = max(sizes)"},
)
