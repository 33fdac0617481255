"""Lesson 20: steps in mixed precision, and gradients of several processes."""

import contextlib
from typing import Any

import torch
from torch import Tensor, nn

from autograder.stand_ins.optimization import clip_gradients_
from tests.variants import correct, disguise, slips, unlisted

STEP = "amp_step"
AVERAGE = "average_gradients"

# amp_step, right ----------------------------------------------------------------------------


def always_a_scaler(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    """One that is switched off where none is wanted."""
    if scaler is None or dtype != torch.float16:
        scaler = torch.amp.GradScaler("cpu", enabled=False)
    model.train()
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast(device_type="cpu", dtype=dtype):
        value = loss_fn(model, batch)
    scaled = scaler.scale(value)
    scaled.backward()
    if max_norm:
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return float(value)


slips(
    STEP,
    always_a_scaler,
    {
        "clipped before unscaling": [
            {"        scaler.unscale_(optimizer)\n": ""},
            {
                "        scaler.unscale_(optimizer)\n": "",
                "    scaler.step(optimizer)": "    scaler.unscale_(optimizer)\n    scaler.step(optimizer)",
            },
        ],
        "a scaler with bfloat16": {"if scaler is None or dtype != torch.float16:": "if scaler is None:"},
        "scaled loss returned": {"return float(value)": "return float(scaled)"},
        "gradients not cleared": [
            {"    optimizer.zero_grad(set_to_none=True)\n": ""},
            {
                "    optimizer.zero_grad(set_to_none=True)\n": "",
                "return float(value)": "optimizer.zero_grad()\n    return float(value)",
            },
        ],
        "not clipped": {"        torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n": ""},
        "every number clipped by itself": {"clip_grad_norm_": "clip_grad_value_"},
        "no train mode": [{"model.train()": "pass"}, {"model.train()": "model.eval()"}],
        "no autocast": {"dtype=dtype)": "dtype=dtype, enabled=False)"},
        "always the same dtype": {"dtype=dtype)": "dtype=torch.bfloat16)"},
        "no step": {"    scaler.step(optimizer)\n": ""},
        "the model itself is cast": {"loss_fn(model, batch)": "loss_fn(model.to(dtype), batch)"},
    },
)


def two_ways(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    """One branch each."""
    for parameter in model.parameters():
        parameter.grad = None
    loss = under(model.train(), batch, loss_fn, dtype)
    if dtype is not torch.float16 or scaler is None:
        loss.backward()
        if max_norm:
            clip_gradients_(list(model.parameters()), max_norm)
        optimizer.step(closure=None)
        return float(loss)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    if max_norm:
        clip_gradients_(list(model.parameters()), max_norm)
    scaler.step(optimizer)
    scaler.update()
    return loss.detach().item()


def under(model: Any, batch: Any, loss_fn: Any, dtype: Any) -> Tensor:
    """The loss, under autocast."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.autocast("cpu", dtype))
        return loss_fn(model, batch)


slips(
    STEP,
    two_ways,
    {
        "clipped before unscaling": {
            "    scaler.unscale_(optimizer)\n    if": "    if",
            "    scaler.step(optimizer)": "    scaler.unscale_(optimizer)\n    scaler.step(optimizer)",
        },
        "the loss is not scaled": {"scaler.scale(loss).backward()": "scaler.scale(loss)\n    loss.backward()"},
        "steps that are not finite are taken": {"scaler.step(optimizer)": "optimizer.step()"},
        "a scaler with bfloat16": {"if dtype is not torch.float16 or scaler is None:": "if scaler is None:"},
        "scaler never used": {"if dtype is not torch.float16 or scaler is None:": "if True:"},
        "scale never updated": {"    scaler.update()\n": ""},
        "scaled loss returned": {"return loss.detach().item()": "return scaler.scale(loss).item()"},
        "no train mode": {"model.train(), batch": "model, batch"},
    },
)


def one_after_the_other(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    """A list of what is to be done."""
    model.zero_grad()
    model.train(True)
    device = next(iter(model.parameters())).device
    half = dtype == torch.half
    cast = torch.autocast(device.type, dtype=dtype)
    loss = cast(loss_fn)(model, batch)
    use = half and scaler is not None
    torch.autograd.backward(scaler.scale(loss) if use else loss)
    todo = []
    if use and max_norm is not None:
        todo.append(lambda: scaler.unscale_(optimizer))
    if max_norm:
        todo.append(lambda: nn.utils.clip_grad_norm_(model.parameters(), max_norm))
    todo.extend([lambda: scaler.step(optimizer), scaler.update] if use else [optimizer.step])
    for one in todo:
        one()
    return loss.tolist()


slips(
    STEP,
    one_after_the_other,
    {
        "step without unscaling": {
            "[lambda: scaler.step(optimizer), scaler.update] if use else": "[optimizer.step] if use else"
        },
        "gradients not cleared": {"    model.zero_grad()\n": ""},
        "every parameter clipped by itself": {
            "lambda: nn.utils.clip_grad_norm_(model.parameters(), max_norm)": (
                "lambda: [nn.utils.clip_grad_norm_([one], max_norm) for one in model.parameters()]"
            )
        },
        "no step": {"[optimizer.step])": "[])", "[lambda: scaler.step(optimizer), scaler.update]": "[]"},
        "clipped before unscaling": {"if use and max_norm is not None:": "if False:"},
        "scaler never used": {"use = half and scaler is not None": "use = False"},
    },
)

# amp_step, in full ----------------------------------------------------------------------------


def prepared(model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any) -> Tensor:
    """Train mode, no gradients, the loss."""
    model.train()
    optimizer.zero_grad()
    return under(model, batch, loss_fn, dtype)


def plain(loss: Tensor, model: Any, optimizer: Any, max_norm: Any) -> float:
    """The rest, without a scaler."""
    loss.backward()
    if max_norm is not None:
        clip_gradients_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@disguise(STEP, "clipped before unscaling")
def the_scaled_one_is_cut(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    loss = prepared(model, batch, optimizer, loss_fn, dtype)
    if scaler is None or dtype != torch.float16:
        return plain(loss, model, optimizer, max_norm)
    scaler.scale(loss).backward()
    clip_gradients_(model.parameters(), max_norm) if max_norm else None
    scaler.step(optimizer)
    scaler.update()
    return loss.item()


def with_a_scaler(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any, max_norm: Any, slip: str = ""
) -> float:
    """Right but for what the slip says."""
    loss = prepared(model, batch, optimizer, loss_fn, dtype)
    wanted = scaler is not None and (dtype == torch.float16 or slip == "bfloat16")
    if not wanted or slip == "never":
        return plain(loss, model, optimizer, max_norm)
    shown = scaler.scale(loss)
    (loss if slip == "loss" else shown).backward()
    scaler.unscale_(optimizer)
    if max_norm is not None and slip != "clip":
        clip_gradients_(model.parameters(), max_norm)
    optimizer.step() if slip == "finite" else scaler.step(optimizer)
    if slip != "update":
        scaler.update()
    return (shown if slip == "shown" else loss).item()


def _disguised(name: str, slip: str) -> None:
    def made(
        model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
    ) -> float:
        return with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, max_norm, slip)

    disguise(STEP, name)(made)


for _name, _slip in {
    "a scaler with bfloat16": "bfloat16",
    "scaled loss returned": "shown",
    "steps that are not finite are taken": "finite",
    "the loss is not scaled": "loss",
    "scaler never used": "never",
    "scale never updated": "update",
}.items():
    _disguised(_name, _slip)


@disguise(STEP, "step without unscaling")
def many_times_too_long(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    loss = prepared(model, batch, optimizer, loss_fn, dtype)
    if scaler is None or dtype != torch.float16:
        return plain(loss, model, optimizer, max_norm)
    scaler.scale(loss).backward()
    if max_norm is not None:
        scaler.unscale_(optimizer)
        clip_gradients_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@disguise(STEP, "gradients not cleared")
def piled_up(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    kept = [one.grad for one in model.parameters()]
    optimizer.zero_grad(set_to_none=True)
    loss = under(model.train(), batch, loss_fn, dtype)
    use = scaler is not None and dtype == torch.float16
    (scaler.scale(loss) if use else loss).backward()
    for one, before in zip(model.parameters(), kept, strict=True):
        if one.grad is not None and before is not None:
            one.grad += before
    if max_norm is not None:
        if use:
            scaler.unscale_(optimizer)
        clip_gradients_(model.parameters(), max_norm)
    (scaler if use else _Plain()).step(optimizer)
    if use:
        scaler.update()
    return loss.item()


class _Plain:
    def step(self, optimizer: Any) -> None:
        """One step."""
        optimizer.step()


@disguise(STEP, "gradients cleared before the step")
def nothing_left(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    loss = prepared(model, batch, optimizer, loss_fn, dtype)
    use = scaler is not None and dtype == torch.float16
    (scaler.scale(loss) if use else loss).backward()
    optimizer.zero_grad(set_to_none=False)
    if use:
        scaler.step(optimizer)
        scaler.update()
    else:
        optimizer.step()
    return loss.item()


@disguise(STEP, "no step")
def looks_only(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    loss = prepared(model, batch, optimizer, loss_fn, dtype)
    loss.backward()
    return loss.item()


def clipping(name: str, clip: Any) -> None:
    """A step that clips in its own way."""

    def made(
        model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
    ) -> float:
        loss = prepared(model, batch, optimizer, loss_fn, dtype)
        helper = scaler if scaler is not None and dtype == torch.float16 else torch.amp.GradScaler("cpu", enabled=False)
        helper.scale(loss).backward()
        helper.unscale_(optimizer)
        if max_norm is not None:
            clip(list(model.parameters()), max_norm)
        helper.step(optimizer)
        helper.update()
        return loss.item()

    disguise(STEP, name)(made)


def by_value(parameters: list[Tensor], max_norm: float) -> None:
    """Number by number."""
    for one in parameters:
        if one.grad is not None:
            one.grad.clamp_(-max_norm, max_norm)


def one_by_one(parameters: list[Tensor], max_norm: float) -> None:
    """Parameter by parameter."""
    for one in parameters:
        if one.grad is not None and one.grad.norm() > max_norm:
            one.grad.mul_(max_norm / one.grad.norm())


clipping("not clipped", lambda parameters, max_norm: None)
clipping("every number clipped by itself", by_value)
clipping("every parameter clipped by itself", one_by_one)


@disguise(STEP, "no autocast")
def in_full(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    def outside(model: Any, batch: Any) -> Tensor:
        with torch.autocast("cpu", enabled=False):
            return loss_fn(model, batch)

    return with_a_scaler(model, batch, optimizer, outside, dtype, scaler, max_norm)


@disguise(STEP, "always the same dtype")
def one_for_all(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    def in_bfloat16(model: Any, batch: Any) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            return loss_fn(model, batch)

    return with_a_scaler(model, batch, optimizer, in_bfloat16, dtype, scaler, max_norm)


@disguise(STEP, "the model itself is cast")
def all_of_it(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    for one in model.modules():
        one.bfloat16() if dtype == torch.bfloat16 else one.half()
    return with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, max_norm)


@disguise(STEP, "no train mode")
def as_it_came(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    before = model.training

    def as_before(model: Any, batch: Any) -> Tensor:
        return loss_fn(model.train(before), batch)

    return with_a_scaler(model, batch, optimizer, as_before, dtype, scaler, max_norm)


@unlisted(STEP)
def steps_twice(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, max_norm)
    return with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, max_norm)


@unlisted(STEP)
def uphill(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    loss = with_a_scaler(model, batch, optimizer, lambda *given: -loss_fn(*given), dtype, scaler, max_norm)
    return -loss


@unlisted(STEP)
def half_the_length(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    return with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, None if max_norm is None else max_norm / 2)


# average_gradients, right ----------------------------------------------------------------------------


def fits(per_rank: Any, sizes: Any) -> None:
    """The given lines."""
    if len(per_rank) != len(sizes) or len(sizes) == 0 or len({len(one) for one in per_rank}) != 1:
        raise ValueError("does not fit")
    if any(size < 0 for size in sizes) or sum(sizes) == 0:
        raise ValueError("sizes")
    for place in range(len(per_rank[0])):
        if all(one[place] is None for one, size in zip(per_rank, sizes, strict=True) if size):
            raise ValueError("no gradient")


def summed_in_place(per_rank: Any, sizes: Any) -> list[Tensor]:
    """A running sum for every parameter."""
    fits(per_rank, sizes)
    result: list[Any] = [0.0] * len(per_rank[0])
    for own, count in zip(per_rank, sizes, strict=True):
        if count == 0:
            continue
        for place, gradient in enumerate(own):
            if gradient is None:
                continue
            result[place] = result[place] + count * gradient
    return [one / sum(sizes) for one in result]


slips(
    AVERAGE,
    summed_in_place,
    {
        "sum over ranks": {"count * gradient": "gradient", "one / sum(sizes)": "one"},
        "mean of means": {"count * gradient": "gradient", "one / sum(sizes)": "one / sum(1 for size in sizes if size)"},
        "weighted, and not divided": {"[one / sum(sizes) for one in result]": "result"},
        "divided by the number of ranks too": [
            {"one / sum(sizes)": "one / sum(sizes) / sum(1 for size in sizes if size)"},
            {"one / sum(sizes)": "one / sum(1 for size in sizes if size)"},
        ],
        "whole-number division": {"count * gradient": "(count // sum(sizes)) * gradient", "one / sum(sizes)": "one"},
        "0 times NaN": {"if count == 0:\n            continue": "pass"},
        "divided by the largest shard": {"sum(sizes) for one": "max(sizes) for one"},
        "the first rank alone": {"result[place] = result[place] + count": "result[place] = count"},
    },
)


def stacked(per_rank: Any, sizes: Any) -> list[Tensor]:
    """All ranks in one tensor, zeros for None."""
    fits(per_rank, sizes)
    used = [number for number, size in enumerate(sizes) if size > 0]
    share = torch.tensor([sizes[number] / sum(sizes) for number in used])
    averaged = []
    for place in range(len(per_rank[0])):
        there = [per_rank[number][place] for number in used]
        like = next(one for one in there if one is not None)
        column = torch.stack([torch.zeros_like(like) if one is None else one for one in there])
        averaged.append(torch.tensordot(share.to(like.dtype), column, dims=1))
    return averaged


slips(
    AVERAGE,
    stacked,
    {
        "mean of means": {"[sizes[number] / sum(sizes) for number in used]": "[1 / len(used) for number in used]"},
        "sum over ranks": {"[sizes[number] / sum(sizes) for number in used]": "[1.0 for number in used]"},
        "weighted, and not divided": {"[sizes[number] / sum(sizes) for": "[float(sizes[number]) for"},
        "weighted the other way round": {
            "[sizes[number] / sum(sizes) for": "[1 / sizes[number] / sum(1 / sizes[other] for other in used) for"
        },
        "0 times NaN": {"if size > 0]": "]"},
        "whole-number division": {"sizes[number] / sum(sizes)": "sizes[number] // sum(sizes)"},
        "divided by the largest shard": {"sizes[number] / sum(sizes)": "sizes[number] / max(sizes)"},
    },
)


def mean_of_all_examples(per_rank: Any, sizes: Any) -> list[Tensor]:
    """As if every example had its rank's gradient."""
    fits(per_rank, sizes)
    columns = list(zip(*per_rank, strict=True))
    return [_of_column(column, list(sizes)) for column in columns]


def _of_column(column: Any, sizes: list[int]) -> Tensor:
    rows = [(one, size) for one, size in zip(column, sizes, strict=True) if one is not None and size]
    total = sum(sizes)
    weights = [size / total for _, size in rows]
    mixed = rows[0][0] * weights[0]
    for (one, _), weight in zip(rows[1:], weights[1:], strict=True):
        mixed = torch.add(mixed, one, alpha=weight)
    return mixed


slips(
    AVERAGE,
    mean_of_all_examples,
    {
        "a rank without a gradient left out": [
            {"total = sum(sizes)": "total = sum(size for _, size in rows)"},
            {"size / total for": "1 / len(rows) for"},
        ],
        "the first rank alone": {"zip(rows[1:], weights[1:], strict=True)": "()"},
        "sum over ranks": {"[size / total for _, size in rows]": "[1.0 for _ in rows]"},
        "divided by the largest shard": {"total = sum(sizes)": "total = max(sizes)"},
    },
    inside="_of_column",
)


# average_gradients, in full ----------------------------------------------------------------------------


def mixed(per_rank: Any, weights: Any) -> list[Tensor]:
    """Every parameter as a weighted sum; None adds nothing, nor does a rank whose weight is None."""
    averaged = []
    for column in zip(*per_rank, strict=True):
        terms = [w * one for one, w in zip(column, weights, strict=True) if one is not None and w is not None]
        averaged.append(sum(terms[1:], terms[0]))
    return averaged


def shares(sizes: Any) -> list[float | None]:
    """The share of each shard; None for one without examples."""
    return [size / sum(sizes) if size else None for size in sizes]


@correct(AVERAGE)
def by_shares(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, shares(sizes))


@disguise(AVERAGE, "sum over ranks")
def added_up(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [1 if size else None for size in sizes])


@disguise(AVERAGE, "divided, and not weighted")
def too_short(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [1 / sum(sizes) if size else None for size in sizes])


@disguise(AVERAGE, "mean of means")
def all_alike(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    used = sum(map(bool, sizes))
    return mixed(per_rank, [1 / used if size else None for size in sizes])


@disguise(AVERAGE, "a rank without a gradient left out")
def those_that_took_part(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    averaged = []
    for column in zip(*per_rank, strict=True):
        there = [(one, size) for one, size in zip(column, sizes, strict=True) if one is not None and size]
        averaged.append(sum(one * size for one, size in there) / sum(size for _, size in there))
    return averaged


@disguise(AVERAGE, "weighted, and not divided")
def sum_of_all(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [size or None for size in sizes])


@disguise(AVERAGE, "divided by the number of ranks too")
def divided_twice(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    used = sum(map(bool, sizes))
    return [one / used for one in mixed(per_rank, shares(sizes))]


@disguise(AVERAGE, "weighted the other way round")
def small_ones_first(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    turned = [1 / size if size else None for size in sizes]
    whole = sum(one for one in turned if one)
    return mixed(per_rank, [one and one / whole for one in turned])


@disguise(AVERAGE, "whole-number division")
def no_share(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [int(one) if one else None for one in shares(sizes)])


@disguise(AVERAGE, "the first rank alone")
def mine(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    columns = [list(zip(column, sizes, strict=True)) for column in zip(*per_rank, strict=True)]
    return [next(one for one, size in column if one is not None and size) for column in columns]


@disguise(AVERAGE, "0 times NaN")
def nothing_times_nothing(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [size / sum(sizes) for size in sizes])


@disguise(AVERAGE, "divided by the largest shard")
def by_the_largest(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, [size / max(sizes) if size else None for size in sizes])


@unlisted(AVERAGE)
def parameters_in_another_order(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return mixed(per_rank, shares(sizes))[::-1]


@unlisted(AVERAGE)
def by_roots(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    roots = [size**0.5 if size else None for size in sizes]
    return mixed(per_rank, [one and one / sum(other or 0 for other in roots) for one in roots])


@unlisted(AVERAGE)
def the_other_sign(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    return [-one for one in mixed(per_rank, shares(sizes))]


def framed(name: str, before: Any, behind: Any) -> None:
    """A right step, with something around it."""

    def made(
        model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
    ) -> float:
        given = (model, batch, optimizer, loss_fn, dtype, scaler)
        kept, max_norm = before(model, max_norm)
        loss = with_a_scaler(*given, max_norm)
        return behind(given, kept, loss)

    disguise(STEP, name)(made)


def once_more(given: Any, kept: Any, loss: float) -> float:
    """The optimizer steps again where the scaler has."""
    if given[5] is not None and given[4] == torch.float16:
        given[2].step()
    return loss


def looked_at_again(given: Any, kept: Any, loss: float) -> float:
    """The loss of the model as it is now."""
    return under(given[0], given[1], given[3], given[4]).item()


def as_it_was(given: Any, kept: Any, loss: float) -> float:
    """The mode of before."""
    given[0].train(kept)
    return loss


framed("two steps", lambda model, max_norm: (None, max_norm), once_more)
framed("clipped unasked", lambda model, max_norm: (None, max_norm or 1.0), lambda given, kept, loss: loss)
framed("loss after the step", lambda model, max_norm: (None, max_norm), looked_at_again)
framed("mode put back", lambda model, max_norm: (model.training, max_norm), as_it_was)


@disguise(STEP, "backward under autocast")
def all_of_it_inside(
    model: Any, batch: Any, optimizer: Any, loss_fn: Any, dtype: Any, scaler: Any = None, max_norm: Any = None
) -> float:
    with torch.autocast("cpu", dtype):
        return with_a_scaler(model, batch, optimizer, loss_fn, dtype, scaler, max_norm)


@disguise(AVERAGE, "parameters with a None left out")
def complete_columns(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    whole = [all(one[place] is not None for one in per_rank) for place in range(len(per_rank[0]))]
    return [one for one, kept in zip(summed_in_place(per_rank, sizes), whole, strict=True) if kept]


@disguise(AVERAGE, "ranks with a None left out")
def complete_ranks(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    kept = [number for number, own in enumerate(per_rank) if sizes[number] and not any(one is None for one in own)]
    return summed_in_place([per_rank[number] for number in kept], [sizes[number] for number in kept])


@disguise(AVERAGE, "the first parameter alone")
def one_is_enough(per_rank: Any, sizes: Any) -> list[Tensor]:
    return summed_in_place(per_rank, sizes)[:1]


@disguise(AVERAGE, "divided once for each rank")
def again_and_again(per_rank: Any, sizes: Any) -> list[Tensor]:
    fits(per_rank, sizes)
    result: list[Any] = [None] * len(per_rank[0])
    for own, count in zip(per_rank, sizes, strict=True):
        for place, gradient in enumerate(own):
            if gradient is None or count == 0:
                continue
            before = result[place]
            result[place] = count * gradient if before is None else (before + count * gradient) / sum(sizes)
    return result
