"""Lesson 10: programs of somebody who had the student's page alone, and slips in them."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from autograder.stand_ins.optimization import clip_gradients_
from tests.variants import disguise, slips
from tests.variants.training.checkpoints import all_loaded, loader, saver
from tests.variants.training.checkpoints import configuration as config_of
from tests.variants.training.steps import training_step

# train_step ----------------------------------------------------------------------------


def s_divided_at_the_end(
    model: nn.Module, micro_batches: Any, optimizer: Any, loss_fn: Any, max_norm: Any = None, autocast_dtype: Any = None
) -> float:
    """The gradients are added up as they are, and divided when all are there."""
    if not micro_batches:
        raise ValueError("micro_batches is empty; give at least one batch")

    def loss_of(part: Any) -> Tensor:
        if autocast_dtype is None:
            return loss_fn(model, part)
        with torch.autocast(device_type="cpu", dtype=autocast_dtype):
            return loss_fn(model, part)

    n = len(micro_batches)
    model.train()
    model.zero_grad()
    losses = []
    for i in range(n):
        found = loss_of(micro_batches[i])
        found.backward()
        losses.append(found.detach().item())
    parameters = [one for one in model.parameters() if one.grad is not None]
    for one in parameters:
        one.grad.div_(n)
    if max_norm is not None:
        clip_gradients_(parameters, max_norm)
    optimizer.step()
    return sum(losses) / n


slips(
    "train_step",
    s_divided_at_the_end,
    {
        "divided by another number": [
            {"one.grad.div_(n)": "one.grad.div_(n + 1)"},
            {"one.grad.div_(n)": "one.grad.div_(len(micro_batches[0]))"},
        ],
        "what has been added up is divided in every round": {
            "        losses.append": "        for one in model.parameters():\n            if one.grad is not None:\n"
            "                one.grad.div_(n)\n        losses.append",
            "        one.grad.div_(n)\n    if": "        pass\n    if",
        },
        "clipped to another length than max_norm": [
            {"clip_gradients_(parameters, max_norm)": "clip_gradients_(parameters, 1.0)"},
            {"clip_gradients_(parameters, max_norm)": "clip_gradients_(parameters, max_norm * n)"},
        ],
        "short gradients are made longer": {
            "        clip_gradients_(parameters, max_norm)\n": (
                "        length = sum(one.grad.square().sum() for one in parameters) ** 0.5\n"
                "        for one in parameters:\n            one.grad *= max_norm / length\n"
            )
        },
        "micro-batches weigh by their size": [
            {"found.backward()": "(found * len(micro_batches[i][0])).backward()"},
            {
                "found.backward()": "(found * n * len(micro_batches[i][0])"
                " / sum(len(x) for x, _ in micro_batches)).backward()"
            },
        ],
        "the returned loss is rounded": [
            {"sum(losses) / n": "round(sum(losses) / n, 3)"},
            {"sum(losses) / n": "round(sum(losses) / n, 4)"},
        ],
        "only one micro-batch is used": [
            {"range(n)": "range(1)"},
            {"range(n)": "range(1)", "sum(losses) / n": "losses[0]"},
            {"loss_of(micro_batches[i])": "loss_of(micro_batches[0])"},
        ],
        "another loss than the mean is returned": [
            {"sum(losses) / n": "max(losses)"},
            {"sum(losses) / n": "min(losses)"},
        ],
        "something else than one number is returned": [
            {"sum(losses) / n": "losses"},
            {"return sum(losses) / n": "del losses"},
        ],
        "two steps": {"    optimizer.step()\n": "    for _ in range(2):\n        optimizer.step()\n"},
        "a micro-batch is left out": [
            {"range(n)": "range(1, n)"},
            {"range(n)": "range(n - 1 or 1)"},
            {"range(n)": "range(n - 1 or 1)", "sum(losses) / n": "sum(losses) / len(losses)"},
        ],
        "cleared only after the step": {
            "    model.zero_grad()\n": "",
            "    optimizer.step()\n": "    optimizer.step()\n    model.zero_grad()\n",
        },
        "the loss after the step is returned": {
            "sum(losses) / n": "sum(loss_of(part).item() for part in micro_batches) / n"
        },
    },
)

training_step(
    disguise("train_step", "something else than one number is returned"),
    report=lambda losses: [one.item() for one in losses],
)


@disguise("train_step", "a micro-batch is left out")
def s_all_but_one(
    model: nn.Module, micro_batches: Any, optimizer: Any, loss_fn: Any, max_norm: Any = None, autocast_dtype: Any = None
) -> float:
    return s_divided_at_the_end(model, micro_batches[1:] or micro_batches, optimizer, loss_fn, max_norm, autocast_dtype)


@disguise("train_step", "micro-batches weigh by their size")
def s_by_size(
    model: nn.Module, micro_batches: Any, optimizer: Any, loss_fn: Any, max_norm: Any = None, autocast_dtype: Any = None
) -> float:
    """The mean over all that is in the micro-batches."""
    sizes = [len(x) for x, _ in micro_batches]
    if not sizes:
        raise ValueError("no batches")
    model.train()
    optimizer.zero_grad()
    mean = 0.0
    for size, part in zip(sizes, micro_batches, strict=True):
        with torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None):
            loss = loss_fn(model, part)
        (loss * size / sum(sizes)).backward()
        mean += loss.item() * size / sum(sizes)
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return mean


@disguise("train_step", "short gradients are made longer")
def s_one_length(
    model: nn.Module, micro_batches: Any, optimizer: Any, loss_fn: Any, max_norm: Any = None, autocast_dtype: Any = None
) -> float:
    """`s_divided_at_the_end`, with gradients that always come out max_norm long."""
    step = optimizer.step

    def scaled_step() -> None:
        gradients = [one.grad for one in model.parameters() if one.grad is not None]
        length = torch.cat([one.flatten() for one in gradients]).norm()
        for one in gradients:
            one.mul_(1.0 if max_norm is None else max_norm / length)
        step()

    optimizer.step = scaled_step
    return s_divided_at_the_end(model, micro_batches, optimizer, loss_fn, None, autocast_dtype)


@disguise("train_step", "what has been added up is divided in every round")
def s_divided_each_time(
    model: nn.Module, micro_batches: Any, optimizer: Any, loss_fn: Any, max_norm: Any = None, autocast_dtype: Any = None
) -> float:
    n, total = len(micro_batches), 0.0
    if not n:
        raise ValueError("no batches")
    model.train().zero_grad()
    for part in micro_batches:
        with torch.autocast("cpu", autocast_dtype or torch.bfloat16, enabled=autocast_dtype is not None):
            loss = loss_fn(model, part)
        loss.backward()
        total += float(loss)
        for one in model.parameters():
            one.grad = None if one.grad is None else one.grad / n
    if max_norm is not None:
        clip_gradients_(model.parameters(), max_norm)
    optimizer.step()
    return total / n


# Checkpoints ----------------------------------------------------------------------------


def s_in_one_dictionary(path: Any, model: Any, optimizer: Any, step: int) -> None:
    both = {name: one.state_dict() for name, one in (("model", model), ("optimizer", optimizer))}
    whole = {"config": config_of(model), "step": step, "rng": torch.default_generator.get_state(), **both}
    beside = Path(f"{path}.unfinished")
    torch.save(whole, beside)
    beside.replace(path)


slips(
    "save_checkpoint",
    s_in_one_dictionary,
    {
        "one state stands under both names": [
            {'("model", model), ("optimizer", optimizer)': '("model", optimizer), ("optimizer", optimizer)'},
            {'("model", model), ("optimizer", optimizer)': '("model", model), ("optimizer", model)'},
        ],
        "the optimizer's running means without its settings": {
            "    whole = ": '    groups = both["optimizer"]["param_groups"]\n'
            '    both["optimizer"]["param_groups"] = [{**groups[0], "params": one["params"]} for one in groups]\n'
            "    whole = "
        },
        "the optimizer's settings without its running means": {
            "    whole = ": '    del both["optimizer"]["state"]\n    whole = '
        },
    },
)


def s_copied_in(path: Any, model: nn.Module, optimizer: Any) -> int:
    kept = torch.load(path, weights_only=True, map_location="cpu")
    then, now = kept["config"], config_of(model)
    for name in sorted(set(then) | set(now)):
        if then.get(name) != now.get(name):
            raise ValueError(f"{name} was {then.get(name)} and is {now.get(name)}")
    there = model.state_dict()
    if there.keys() - kept["model"].keys():
        raise RuntimeError("something is missing")
    for name, tensor in there.items():
        tensor.copy_(kept["model"][name])
    optimizer.load_state_dict(kept["optimizer"])
    torch.default_generator.set_state(kept["rng"])
    return int(kept["step"])


slips(
    "load_checkpoint",
    s_copied_in,
    {
        "added to what is there": {"tensor.copy_(": "tensor.add_("},
        "the names of the fields alone are compared": {
            "if then.get(name) != now.get(name)": "if (name in then) != (name in now)"
        },
        "an error of another class": [
            {"raise ValueError(": "raise TypeError("},
            {"raise ValueError(": "raise KeyError("},
        ],
        "the settings are those of the constructor": [
            {
                "    torch.default": "    for group in optimizer.param_groups:\n"
                '        group["lr"] = optimizer.defaults["lr"]\n    torch.default'
            },
            {
                "    torch.default": "    for group in optimizer.param_groups:\n"
                "        group.update(optimizer.defaults)\n    torch.default"
            },
        ],
        "another step is returned": {'int(kept["step"])': 'kept["rng"]'},
    },
)


@saver(disguise("save_checkpoint", "one state stands under both names"))
def s_twice(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = e["optimizer"]


@loader(disguise("load_checkpoint", "the settings are those of the constructor"))
def s_default_rates(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    for group in optimizer.param_groups:
        group["lr"] = optimizer.defaults["lr"]
    return e["step"]


@disguise("load_checkpoint", "an error of another class")
def s_other_class(path: Any, model: nn.Module, optimizer: Any) -> Any:
    try:
        return s_copied_in(path, model, optimizer)
    except ValueError as error:
        raise TypeError(str(error)) from error


@disguise("load_checkpoint", "the names of the fields alone are compared")
def s_names_alone(path: Any, model: nn.Module, optimizer: Any) -> Any:
    kept = torch.load(path, weights_only=True)
    if set(kept["config"]) != set(config_of(model)):
        raise ValueError(f"other fields: {sorted(set(kept['config']) ^ set(config_of(model)))}")
    all_loaded(kept, model, optimizer)
    return kept["step"]


# what had no name before ------------------------------------------------------------------------


def context_for(dtype: Any) -> Any:
    """Autocast, where a dtype is given."""
    return torch.autocast("cpu", dtype=dtype) if dtype else nullcontext()


@disguise("train_step", "returns in the first round")
def sn_first_round(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no micro-batches")
    model.train()
    model.zero_grad()
    for number, part in enumerate(micro_batches, start=1):
        with context_for(autocast_dtype):
            share = loss_fn(model, part).div(len(micro_batches))
        share.backward()
        return float(share.detach()) * number


@disguise("train_step", "returns in the first round")
def sn_first_round_with_a_step(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    first = next(iter(micro_batches), None)
    if first is None:
        raise ValueError("no micro-batches")
    model.zero_grad()
    with context_for(autocast_dtype):
        share = loss_fn(model.train(), first) / len(micro_batches)
    torch.autograd.backward(share)
    optimizer.step()
    return share.item()


@disguise("train_step", "all micro-batches are joined into one")
def sn_joined(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no micro-batches")
    xs, ys = zip(*micro_batches, strict=True)
    model.train()
    optimizer.zero_grad(set_to_none=True)
    with context_for(autocast_dtype):
        loss = loss_fn(model, (torch.vstack(xs), torch.vstack(ys)))
    loss.backward()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return loss.item()


@disguise("train_step", "the loss is cast")
def sn_cast(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no micro-batches")
    model.train()
    for one in model.parameters():
        one.grad = None
    told = []
    for part in micro_batches:
        with context_for(autocast_dtype):
            loss = loss_fn(model, part) / len(micro_batches)
        if autocast_dtype is not None:
            loss = loss.type(autocast_dtype)
        loss.backward()
        told.append(loss.item())
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    optimizer.step()
    return sum(told)


@disguise("train_step", "the step is made without the optimizer")
def sn_by_hand(model, micro_batches, optimizer, loss_fn, max_norm=None, autocast_dtype=None):
    if not micro_batches:
        raise ValueError("no micro-batches")
    model.train()
    model.zero_grad()
    told = []
    for part in micro_batches:
        with context_for(autocast_dtype):
            told.append(loss_fn(model, part))
        (told[-1] / len(micro_batches)).backward()
    if max_norm is not None:
        nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    for group in optimizer.param_groups:
        for one in group["params"]:
            one.data = one.data if one.grad is None else one.data - group["lr"] * one.grad
    return sum(one.item() for one in told) / len(told)


@saver(disguise("save_checkpoint", "the parameters have other names"))
def sn_prefixed(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = model.state_dict(prefix="module.")


@disguise("load_checkpoint", "the file is removed")
def sn_removed(path: Any, model: nn.Module, optimizer: Any) -> int:
    step = s_copied_in(path, model, optimizer)
    Path(path).unlink()
    return step
