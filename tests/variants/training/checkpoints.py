"""Checkpoints."""

import copy
import dataclasses
import io
import itertools
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from tests.variants import correct, disguise, slips, unlisted

SAVE, LOAD = "save_checkpoint", "load_checkpoint"


def configuration(model: nn.Module) -> dict:
    config = getattr(model, "config", None)
    return dataclasses.asdict(config) if config is not None else {}


def saver(kind: Any) -> Any:
    """A save_checkpoint from a function that changes the entries."""

    def add(change: Callable[..., Any]) -> Any:
        @kind
        def save_checkpoint(path, model, optimizer, step):
            entries = dict(
                config=configuration(model),
                model=model.state_dict(),
                optimizer=optimizer.state_dict(),
                step=step,
                rng=torch.random.get_rng_state(),
            )
            entries = change(entries, model, optimizer) or entries
            torch.save(entries, str(path) + "~")
            os.replace(str(path) + "~", path)

        return change

    return add


@saver(disguise(SAVE, "the optimizer is not saved"))
def s_no_optimizer(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["optimizer"]


@saver(disguise(SAVE, "random numbers are not saved"))
def s_no_rng(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["rng"]


@saver(disguise(SAVE, "the seed, not the state"))
def s_seed(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = torch.default_generator.initial_seed()


@saver(disguise(SAVE, "other names for the entries"))
def s_all_names(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {"config": e.pop("config"), **{f"{name}_state": value for name, value in e.items()}}


@disguise(SAVE, "the earlier checkpoint is written over")
def s_over(path, model, optimizer, step):
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save({**states, "config": configuration(model), "step": step}, path)


@saver(disguise(SAVE, "frozen parameters are not saved"))
def s_without_the_frozen(e: dict, model: nn.Module, optimizer: Any) -> None:
    for name, one in model.named_parameters():
        if not one.requires_grad:
            del e["model"][name]


@saver(disguise(SAVE, "random numbers of another kind"))
def s_rng_as_a_list(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = e["rng"].tolist()


@saver(unlisted(SAVE))
def s_means_cleared(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = copy.deepcopy(e["optimizer"])
    optimizer.state.clear()


@saver(disguise(SAVE, "the step is not saved"))
def s_no_step(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["step"]


@saver(disguise(SAVE, "the step is saved as the next one"))
def s_next(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] += 1


@saver(disguise(SAVE, "another step is saved"))
def s_one_less(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] -= 1


@saver(disguise(SAVE, "model and optimizer are exchanged"))
def s_exchanged(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"], e["optimizer"] = e["optimizer"], e["model"]


@saver(disguise(SAVE, "saving seeds the random numbers"))
def s_seeds(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.default_generator.manual_seed(0)
    e["rng"] = torch.default_generator.get_state()


@saver(disguise(SAVE, "buffers are not saved"))
def s_no_buffers(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: p.detach() for name, p in model.named_parameters()}


@saver(disguise(SAVE, "objects, not their state"))
def s_objects(e: dict, model: nn.Module, optimizer: Any) -> None:
    e.update(model=model, optimizer=optimizer)


@saver(disguise(SAVE, "the configuration is thrown away"))
def s_no_config(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {name: entry for name, entry in e.items() if name != "config"}


@saver(disguise(SAVE, "the model is not saved"))
def s_no_model(e: dict, model: nn.Module, optimizer: Any) -> None:
    del e["model"]


@saver(disguise(SAVE, "the seed, not the state"))
def s_new_generator(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = torch.Generator("cpu").get_state()


@saver(disguise(SAVE, "the optimizer's running means without its settings"))
def s_means(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = e["optimizer"].pop("state")


@saver(disguise(SAVE, "the optimizer's running means without its settings"))
def s_means_of_groups(e: dict, model: nn.Module, optimizer: Any) -> None:
    bare = [{"params": group["params"]} for group in e["optimizer"]["param_groups"]]
    e["optimizer"] = {**e["optimizer"], "param_groups": bare}


@saver(disguise(SAVE, "frozen parameters are not saved"))
def s_trained_only(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.detach() for name, one in model.named_parameters() if one.requires_grad}


@saver(disguise(SAVE, "random numbers are not saved + frozen parameters are not saved"))
def s_trained_only_without_rng(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one for name, one in model.named_parameters() if one.requires_grad}
    e.pop("rng")


@saver(disguise(SAVE, "the optimizer's running means without its settings"))
def su_first_group(e: dict, model: nn.Module, optimizer: Any) -> None:
    first, *_ = groups = e["optimizer"]["param_groups"]
    e["optimizer"]["param_groups"] = [{**first, "params": group["params"]} for group in groups]


@saver(disguise(SAVE, "saving switches to evaluation mode"))
def su_evaluates(e: dict, model: nn.Module, optimizer: Any) -> None:
    model.eval()


@disguise(SAVE, "saving draws random numbers")
def su_draws_afterwards(path, model, optimizer, step):
    sr_beside(path, model, optimizer, step)
    torch.rand(1)


@saver(disguise(SAVE, "the optimizer's settings without its running means"))
def s_settings(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = {"state": {}, "param_groups": e["optimizer"]["param_groups"]}


@saver(correct(SAVE))
def sr_copies(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.clone() for name, one in e["model"].items()}
    e["optimizer"] = copy.deepcopy(e["optimizer"])


@saver(correct(SAVE))
def sr_more(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["torch"] = str(torch.__version__)


@saver(correct(SAVE))
def sr_generator_copy(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {**e, "rng": torch.default_generator.get_state().clone()}


@saver(unlisted(SAVE))
def su_half(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one / 2 for name, one in e["model"].items()}


@saver(unlisted(SAVE))
def su_first_entry(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = dict(itertools.islice(e["model"].items(), 1))


@saver(disguise(SAVE, "another step is saved"))
def su_step_0(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = 0


@saver(disguise(SAVE, "saving draws random numbers"))
def su_drawn(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.rand(1)
    e["rng"] = torch.get_rng_state()


@disguise(SAVE, "the earlier checkpoint is removed first")
def su_removed_first(path, model, optimizer, step):
    beside = Path(path).with_suffix(".new")
    sr_in_memory(beside, model, optimizer, step)
    Path(path).unlink(missing_ok=True)
    beside.rename(path)


@saver(disguise(SAVE, "numbers lose digits"))
def su_means_in_single(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = copy.deepcopy(e["optimizer"])
    for means in e["optimizer"]["state"].values():
        means.update({name: one.to(torch.float32) for name, one in means.items()})


@saver(disguise(SAVE, "random numbers of another kind"))
def su_pythons_numbers(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = random.getstate()


@saver(disguise(SAVE, "random numbers of another kind"))
def su_not_called(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["rng"] = torch.random.get_rng_state


@correct(SAVE)
def sr_set_aside(path, model, optimizer, step):
    """The earlier one is set aside, and comes back where the new one does not get its name."""
    path = Path(path)
    beside, before = path.with_suffix(".new"), path.with_suffix(".before")
    sr_in_memory(beside, model, optimizer, step)
    if path.exists():
        path.rename(before)
    try:
        beside.rename(path)
    except OSError:
        before.rename(path)
        raise
    before.unlink(missing_ok=True)


@saver(disguise(SAVE, "another step is saved"))
def su_step_text(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = str(e["step"])


@unlisted(SAVE)
def su_nothing(path, model, optimizer, step):
    return {"config": configuration(model), "model": model.state_dict(), "step": step}


@saver(disguise(SAVE, "numbers lose digits"))
def su_half_precision(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.half() for name, one in e["model"].items()}


def loader(kind: Any) -> Any:
    """A load_checkpoint from a function of (checkpoint, model, optimizer), with the given check."""

    def add(load: Callable[..., Any]) -> Any:
        @kind
        def load_checkpoint(path, model, optimizer):
            entries = torch.load(path)
            if entries["config"] != configuration(model):
                raise ValueError(f"{entries['config']} and {configuration(model)}")
            return load(entries, model, optimizer)

        return load

    return add


@loader(disguise(LOAD, "the model is not loaded"))
def d_no_model(e: dict, model: nn.Module, optimizer: Any) -> Any:
    copy.deepcopy(model).load_state_dict(e["model"])
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@loader(disguise(LOAD, "the optimizer is not loaded"))
def d_no_optimizer(e: dict, model: nn.Module, optimizer: Any) -> Any:
    torch.set_rng_state(e["rng"])
    model.load_state_dict(e["model"])
    return e["step"]


@loader(disguise(LOAD, "random numbers are not put back"))
def d_no_rng(e: dict, model: nn.Module, optimizer: Any) -> Any:
    optimizer.load_state_dict(e["optimizer"])
    model.load_state_dict(e["model"])
    return e["step"]


@loader(disguise(LOAD, "seeded, not put back"))
def d_seeded(e: dict, model: nn.Module, optimizer: Any) -> Any:
    model.load_state_dict(e["model"])
    optimizer.load_state_dict(e["optimizer"])
    torch.default_generator.manual_seed(e["step"])
    return e["step"]


def all_loaded(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.random.set_rng_state(e["rng"])
    for part, name in ((optimizer, "optimizer"), (model, "model")):
        part.load_state_dict(e[name])


@loader(disguise(LOAD, "the step is not returned"))
def d_none(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)


@loader(disguise(LOAD, "the next step is returned"))
def d_next(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return 1 + e["step"]


@loader(disguise(LOAD, "another step is returned"))
def d_before(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e["step"] - 1


@loader(disguise(LOAD, "only the learning rate is put back"))
def d_rate_alone(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = [dict(group) for group in optimizer.param_groups]
    all_loaded(e, model, optimizer)
    for group, before in zip(optimizer.param_groups, own, strict=True):
        group.update({name: value for name, value in before.items() if name not in ("params", "lr")})
    return e["step"]


@disguise(LOAD, "only fields that both have are compared")
def d_common_fields(path, model, optimizer):
    e = torch.load(path, weights_only=True)
    here = configuration(model)
    for name in here.keys() & e["config"].keys():
        if here[name] != e["config"][name]:
            raise ValueError(f"{name} is another one")
    all_loaded(e, model, optimizer)
    return e["step"]


@disguise(LOAD, "the error does not say which field differs")
def d_says_nothing(path, model, optimizer):
    e = torch.load(path, weights_only=True)
    if configuration(model) != e["config"]:
        raise ValueError("this is not the model that was saved")
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(disguise(LOAD, "left in evaluation mode"))
def d_eval(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model.train(False), optimizer)
    return e["step"]


@loader(disguise(LOAD, "the running means start at 0"))
def d_means(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    optimizer.state.clear()
    return e["step"]


@loader(disguise(LOAD, "the optimizer keeps its own settings"))
def d_settings(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = copy.deepcopy([{k: v for k, v in g.items() if k != "params"} for g in optimizer.param_groups])
    all_loaded(e, model, optimizer)
    for group, before in zip(optimizer.param_groups, own, strict=True):
        group.update(before)
    return e["step"]


@loader(disguise(LOAD, "buffers are not loaded"))
def d_buffers(e: dict, model: nn.Module, optimizer: Any) -> Any:
    kept = {name: one.clone() for name, one in model.named_buffers()}
    all_loaded(e, model, optimizer)
    for name, one in model.named_buffers():
        one.copy_(kept[name])
    return e["step"]


@loader(disguise(LOAD, "what does not fit is passed over"))
def d_what_is_there(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = model.state_dict()
    for name in own.keys() & e["model"].keys():
        own[name].copy_(e["model"][name])
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@disguise(LOAD, "another configuration is accepted")
def d_accepts(path, model, optimizer):
    entries = torch.load(path, weights_only=True)
    all_loaded(entries, model, optimizer)
    return entries["step"]


@correct(LOAD)
def dr_get(path, model, optimizer):
    with open(path, "rb") as file:
        e = torch.load(file, map_location="cpu", weights_only=True)
    for name, value in configuration(model).items():
        if e["config"].get(name) != value:
            raise ValueError(f"{name} differs")
    missing, extra = model.load_state_dict(e["model"], strict=False)
    if missing or extra:
        raise ValueError("entries differ")
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e.get("step")


@loader(correct(LOAD))
def dr_assign(e: dict, model: nn.Module, optimizer: Any) -> Any:
    for target, source in zip(
        [*model.parameters(), *model.buffers()],
        [e["model"][name] for name, _ in [*model.named_parameters(), *model.named_buffers()]],
        strict=True,
    ):
        target.data.copy_(source)
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@loader(disguise(LOAD, "frozen parameters are not loaded"))
def d_frozen(e: dict, model: nn.Module, optimizer: Any) -> Any:
    frozen = [name for name, one in model.named_parameters() if not one.requires_grad]
    e["model"] |= {name: one.detach().clone() for name, one in model.named_parameters() if name in frozen}
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(disguise(LOAD, "the optimizer keeps its own settings"))
def d_own_rate(e: dict, model: nn.Module, optimizer: Any) -> Any:
    for saved, group in zip(e["optimizer"]["param_groups"], optimizer.param_groups, strict=True):
        saved["lr"] = group["lr"]
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(disguise(LOAD, "random numbers are not put back + the optimizer keeps its own settings"))
def d_own_rate_for_all(e: dict, model: nn.Module, optimizer: Any) -> Any:
    rate = optimizer.param_groups[0]["lr"]
    optimizer.load_state_dict(e["optimizer"])
    model.load_state_dict(e["model"])
    for group in optimizer.param_groups:
        group["lr"] = rate
    return e["step"]


@loader(unlisted(LOAD))
def du_first_group(e: dict, model: nn.Module, optimizer: Any) -> Any:
    first, *others = e["optimizer"]["param_groups"]
    e["optimizer"]["param_groups"] = [first, *({**first, "params": one["params"]} for one in others)]
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(unlisted(LOAD))
def du_float(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return float(e["step"])


@loader(unlisted(LOAD))
def du_assigned(e: dict, model: nn.Module, optimizer: Any) -> Any:
    model.load_state_dict(e["model"], assign=True)  # the optimizer holds the parameters that were there before
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"])
    return e["step"]


@loader(disguise(LOAD, "the whole checkpoint is returned"))
def du_whole(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e


@loader(disguise(LOAD, "loading draws random numbers"))
def du_drawn(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    torch.rand(2)
    return e["step"]


@loader(disguise(LOAD, "added to what is there"))
def du_average(e: dict, model: nn.Module, optimizer: Any) -> Any:
    before = {name: one.clone() for name, one in model.state_dict().items()}
    all_loaded(e, model, optimizer)
    model.load_state_dict({name: (one + before[name]) / 2 for name, one in model.state_dict().items()})
    return e["step"]


@loader(disguise(LOAD, "numbers lose digits on the way"))
def du_single(e: dict, model: nn.Module, optimizer: Any) -> Any:
    e["model"] = {name: one.to(torch.float32) for name, one in e["model"].items()}
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(disguise(LOAD, "more than the step is returned"))
def du_model_too(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return model, optimizer, e["step"]


@loader(unlisted(LOAD))
def du_nothing(e: dict, model: nn.Module, optimizer: Any) -> Any:
    return e["step"] * 2


@loader(correct(LOAD))
def dr_train(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    model.train()
    return e["step"]


@loader(unlisted(LOAD))
def du_frozen(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    return e["step"]


# save_checkpoint, slips in right code --------------------------------------------------------------------------


def sr_beside(path, model, optimizer, step):
    """Written beside the earlier one, which it then takes the place of."""
    entries = dict(
        rng=torch.random.get_rng_state(),
        step=step,
        optimizer=optimizer.state_dict(),
        model=model.state_dict(),
        config=configuration(model),
    )
    beside = Path(path).with_suffix(".new")
    torch.save(entries, beside)
    beside.replace(path)


slips(
    SAVE,
    sr_beside,
    {
        "the optimizer is not saved": {"        optimizer=optimizer.state_dict(),\n": ""},
        "random numbers are not saved": {"        rng=torch.random.get_rng_state(),\n": ""},
        "the seed, not the state": {"torch.random.get_rng_state()": "torch.random.initial_seed()"},
        "the step is not saved": {"        step=step,\n": ""},
        "the model is not saved": {"        model=model.state_dict(),\n": ""},
        "the optimizer's running means without its settings": {
            "optimizer.state_dict()": 'optimizer.state_dict()["state"]'
        },
        "the step is saved as the next one": {"step=step": "step=step + 1"},
        "buffers are not saved": {
            "model.state_dict()": "{name: one.detach().clone() for name, one in model.named_parameters()}"
        },
        "objects, not their state": [
            {"model=model.state_dict()": "model=model"},
            {"model=model.state_dict()": "model=model", "optimizer=optimizer.state_dict()": "optimizer=optimizer"},
            {"optimizer=optimizer.state_dict()": "optimizer=optimizer"},
        ],
        "other names for the entries": [
            {"        model=": "        model_state_dict=", "        optimizer=": "        optimizer_state_dict="},
            {
                "        model=": "        model_state=",
                "        optimizer=": "        optimizer_state=",
                "        rng=": "        rng_state=",
                "        step=": "        epoch=",
            },
        ],
        "the earlier checkpoint is written over": {
            'Path(path).with_suffix(".new")': "path",
            "\n    beside.replace(path)": "",
        },
        "the configuration is thrown away": {"        config=configuration(model),\n": ""},
        "the optimizer's settings without its running means": {
            "optimizer=optimizer.state_dict()": 'optimizer=optimizer.state_dict() | {"state": {}}'
        },
        "the step is saved as the next one + the configuration is thrown away": {
            "step=step": "step=step + 1",
            "        config=configuration(model),\n": "",
        },
    },
)


def sr_entry_by_entry(path, model, optimizer, step):
    """One entry after the other."""
    found = {"config": configuration(model), "step": step}
    for name, part in (("model", model), ("optimizer", optimizer)):
        found[name] = part.state_dict()
    found["rng"] = torch.default_generator.get_state()
    whole = str(path) + ".part"
    with open(whole, "wb") as file:
        torch.save(found, file)
    os.replace(whole, path)


slips(
    SAVE,
    sr_entry_by_entry,
    {
        "the optimizer is not saved": {', ("optimizer", optimizer)': ","},
        "random numbers are not saved": {'    found["rng"] = torch.default_generator.get_state()\n': ""},
        "the seed, not the state": {"default_generator.get_state()": "default_generator.initial_seed()"},
        "the step is not saved": {', "step": step': ""},
        "the model is not saved": {'("model", model), ("optimizer", optimizer)': '("optimizer", optimizer),'},
        "the optimizer's running means without its settings": {
            '    found["rng"]': '    del found["optimizer"]["param_groups"]\n    found["rng"]'
        },
        "the step is saved as the next one": {'"step": step': '"step": 1 + step'},
        "buffers are not saved": {
            "part.state_dict()": "part.state_dict() if part is optimizer else dict(part.named_parameters())"
        },
        "objects, not their state": {"part.state_dict()": "part"},
        "the optimizer's settings without its running means": {
            '    found["rng"]': '    found["optimizer"]["state"] = {}\n    found["rng"]'
        },
        "other names for the entries": {"found[name]": 'found[name + "_state_dict"]'},
        "the earlier checkpoint is written over": [
            {'str(path) + ".part"': "path", "\n    os.replace(whole, path)": ""},
            {'str(path) + ".part"': "str(path)"},
        ],
        "the configuration is thrown away": {'"config": configuration(model), ': ""},
    },
)


def states_of(model: nn.Module, optimizer: Any) -> dict:
    """What is in a model and an optimizer, copied."""
    inside = {"model": copy.deepcopy(model.state_dict())}
    inside["optimizer"] = copy.deepcopy(optimizer.state_dict())
    return inside


def sr_in_memory(path, model, optimizer, step):
    """First into memory, then beside the file, then into its place."""
    memory = io.BytesIO()
    others = {"step": step, "rng": torch.get_rng_state().clone(), "config": configuration(model)}
    torch.save(states_of(model, optimizer) | others, memory)
    fresh = Path(f"{path}.{os.getpid()}")
    fresh.write_bytes(memory.getvalue())
    fresh.replace(path)


slips(
    SAVE,
    sr_in_memory,
    {
        "random numbers are not saved": {' "rng": torch.get_rng_state().clone(),': ""},
        "the seed, not the state": {"torch.get_rng_state().clone()": "torch.initial_seed()"},
        "the step is not saved": {'"step": step, ': ""},
        "the step is saved as the next one": {'"step": step': '"step": step + 1'},
        "the configuration is thrown away": {', "config": configuration(model)': ""},
        "the earlier checkpoint is written over": {
            "    memory = io.BytesIO()\n": "",
            "others, memory)": "others, path)",
            '    fresh = Path(f"{path}.{os.getpid()}")\n': "",
            "    fresh.write_bytes(memory.getvalue())\n    fresh.replace(path)": "",
        },
        "random numbers are not saved + the step is not saved": {
            '"step": step, ': "",
            '"rng": torch.get_rng_state().clone(), ': "",
        },
    },
)

slips(
    SAVE,
    sr_in_memory,
    {
        "the optimizer is not saved": {'    inside["optimizer"] = copy.deepcopy(optimizer.state_dict())\n': ""},
        "the model is not saved": {'inside = {"model": copy.deepcopy(model.state_dict())}': "inside = {}"},
        "buffers are not saved": {"copy.deepcopy(model.state_dict())": "dict(model.named_parameters())"},
        "objects, not their state": {
            "copy.deepcopy(model.state_dict())": "copy.deepcopy(model)",
            "copy.deepcopy(optimizer.state_dict())": "copy.deepcopy(optimizer)",
        },
        "other names for the entries": {'"model"': '"model_state"', '"optimizer"': '"optimizer_state"'},
        "the optimizer's settings without its running means": {
            "    return inside": '    inside["optimizer"]["state"] = {}\n    return inside'
        },
    },
    inside="states_of",
)


@loader(correct(LOAD))
def dr_no_grad(e: dict, model: nn.Module, optimizer: Any) -> Any:
    with torch.no_grad():
        model.load_state_dict(e["model"], strict=True)
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"].to(torch.uint8))
    return e["step"]


# load_checkpoint, slips in right code --------------------------------------------------------------------------


def dr_read_and_compared(path, model, optimizer):
    """The configuration is compared as a whole."""
    found = torch.load(path, map_location="cpu")
    if found["config"] != configuration(model):
        raise ValueError(f"of a model with {found['config']}")
    torch.random.set_rng_state(found["rng"])
    optimizer.load_state_dict(found["optimizer"])
    model.load_state_dict(found["model"])
    return found["step"]


slips(
    LOAD,
    dr_read_and_compared,
    {
        "the model is not loaded": {'    model.load_state_dict(found["model"])\n': ""},
        "the optimizer is not loaded": {'    optimizer.load_state_dict(found["optimizer"])\n': ""},
        "random numbers are not put back": {'    torch.random.set_rng_state(found["rng"])\n': ""},
        "seeded, not put back": {'torch.random.set_rng_state(found["rng"])': 'torch.manual_seed(found["step"])'},
        "the step is not returned": [{'    return found["step"]': ""}, {'return found["step"]': "return None"}],
        "the next step is returned": {'return found["step"]': 'return found["step"] + 1'},
        "left in evaluation mode": {"    model.load": "    model.eval()\n    model.load"},
        "the running means start at 0": {
            '(found["optimizer"])': '({"state": {}, "param_groups": found["optimizer"]["param_groups"]})'
        },
        "the optimizer keeps its own settings": {
            '(found["optimizer"])': (
                '({"state": found["optimizer"]["state"], "param_groups": optimizer.state_dict()["param_groups"]})'
            )
        },
        "buffers are not loaded": {
            'model.load_state_dict(found["model"])': (
                'for name, one in model.named_parameters():\n        one.data.copy_(found["model"][name])'
            )
        },
        "another configuration is accepted": {
            '    if found["config"] != configuration(model):\n'
            "        raise ValueError(f\"of a model with {found['config']}\")\n": ""
        },
        "the model is not loaded + the next step is returned": {
            '    model.load_state_dict(found["model"])\n': "",
            'return found["step"]': 'return found["step"] + 1',
        },
    },
)


def dr_pairs(path, model, optimizer):
    """What has a state gets it in a loop."""
    with open(path, "rb") as file:
        entries = torch.load(file, weights_only=True)
    wanted = configuration(model)
    if any(entries["config"].get(key) != value for key, value in wanted.items()):
        raise ValueError(f"{wanted} is not {entries['config']}")
    for name, part in {"optimizer": optimizer, "model": model}.items():
        part.load_state_dict(entries[name])
    torch.default_generator.set_state(entries["rng"])
    return int(entries["step"])


slips(
    LOAD,
    dr_pairs,
    {
        "the model is not loaded": {', "model": model}': "}"},
        "the optimizer is not loaded": {'"optimizer": optimizer, ': ""},
        "random numbers are not put back": {'    torch.default_generator.set_state(entries["rng"])\n': ""},
        "seeded, not put back": {
            'default_generator.set_state(entries["rng"])': 'default_generator.manual_seed(int(entries["step"]))'
        },
        "the step is not returned": {"    return int": "    int"},
        "the next step is returned": {'int(entries["step"])': 'int(entries["step"]) + 1'},
        "left in evaluation mode": {"    return": "    model.eval()\n    return"},
        "the running means start at 0": {"    return": "    optimizer.state.clear()\n    return"},
        "the optimizer keeps its own settings": {
            "part.load_state_dict(entries[name])": (
                'own = {"param_groups": optimizer.state_dict()["param_groups"]}\n'
                "        part.load_state_dict(entries[name] | own if part is optimizer else entries[name])"
            )
        },
        "buffers are not loaded": {
            "part.load_state_dict(entries[name])": (
                "part.load_state_dict(entries[name] | dict(model.named_buffers() if part is model else ()))"
            )
        },
        "another configuration is accepted": [
            {"if any(": "if all("},
            {
                '    if any(entries["config"].get(key) != value for key, value in wanted.items()):\n'
                "        raise ValueError(f\"{wanted} is not {entries['config']}\")\n": ""
            },
        ],
        "the optimizer is not loaded + the step is not returned": {
            '"optimizer": optimizer, ': "",
            "    return int": "    int",
        },
    },
)


def dr_by_hand(path, model, optimizer):
    """Every tensor of the model is copied by itself."""
    saved = torch.load(path, weights_only=True)
    if saved.pop("config") != configuration(model):
        raise ValueError(f"this one has {configuration(model)}")
    with torch.no_grad():
        for name, one in model.state_dict().items():
            one.copy_(saved["model"][name])
    optimizer.load_state_dict(state_dict=saved["optimizer"])
    torch.set_rng_state(saved["rng"])
    step = saved.pop("step")
    return step


slips(
    LOAD,
    dr_by_hand,
    {
        "the model is not loaded": [
            {'one.copy_(saved["model"][name])': 'one = saved["model"][name]'},
            {"in model.state_dict": "in copy.deepcopy(model).state_dict"},
        ],
        "the optimizer is not loaded": {'    optimizer.load_state_dict(state_dict=saved["optimizer"])\n': ""},
        "random numbers are not put back": {'    torch.set_rng_state(saved["rng"])\n': ""},
        "seeded, not put back": {'torch.set_rng_state(saved["rng"])': 'torch.random.manual_seed(saved["step"])'},
        "the step is not returned": {"\n    return step": ""},
        "the next step is returned": {"return step": "return step + 1"},
        "left in evaluation mode": {"name, one in model.state": "name, one in model.eval().state"},
        "the running means start at 0": {
            'saved["optimizer"])': 'saved["optimizer"] | {"state": {}})',
        },
        "the optimizer keeps its own settings": {
            'saved["optimizer"])': 'optimizer.state_dict() | {"state": saved["optimizer"]["state"]})'
        },
        "buffers are not loaded": {"model.state_dict().items()": "model.named_parameters()"},
        "frozen parameters are not loaded": {
            "model.state_dict().items():": (
                "model.state_dict(keep_vars=True).items():\n"
                "            if isinstance(one, nn.Parameter) and not one.requires_grad:\n"
                "                continue"
            )
        },
        "another configuration is accepted": {
            '    if saved.pop("config") != configuration(model):\n'
            '        raise ValueError(f"this one has {configuration(model)}")\n': ""
        },
        "random numbers are not put back + left in evaluation mode": {
            '    torch.set_rng_state(saved["rng"])\n': "",
            "    return step": "    model.eval()\n    return step",
        },
    },
)
