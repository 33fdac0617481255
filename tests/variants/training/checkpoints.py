"""Checkpoints."""

import copy
import dataclasses
import itertools
import os
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from tests.variants import correct, disguise, unlisted

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


@saver(unlisted(SAVE))
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


@saver(disguise(SAVE, "buffers are not saved"))
def s_no_buffers(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: p.detach() for name, p in model.named_parameters()}


@saver(disguise(SAVE, "objects, not their state"))
def s_objects(e: dict, model: nn.Module, optimizer: Any) -> None:
    e.update(model=model, optimizer=optimizer)


@saver(disguise(SAVE, "other names for the entries"))
def s_names(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model_state_dict"], e["optimizer_state_dict"] = e.pop("model"), e.pop("optimizer")


@saver(disguise(SAVE, "the configuration is thrown away"))
def s_no_config(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {name: entry for name, entry in e.items() if name != "config"}


@saver(disguise(SAVE, "the optimizer's settings without its running means"))
def s_settings(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["optimizer"] = {"state": {}, "param_groups": e["optimizer"]["param_groups"]}


@saver(correct(SAVE))
def saver_same(e: dict, model: nn.Module, optimizer: Any) -> None:
    pass


@saver(correct(SAVE))
def sr_copies(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.clone() for name, one in e["model"].items()}
    e["optimizer"] = copy.deepcopy(e["optimizer"])


@saver(correct(SAVE))
def sr_more(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["torch"] = str(torch.__version__)


@correct(SAVE)
def sr_plain(path, model, optimizer, step):
    checkpoint = {"config": configuration(model)}
    for name, part in (("model", model), ("optimizer", optimizer)):
        checkpoint[name] = part.state_dict()
    checkpoint.update(rng=torch.default_generator.get_state(), step=int(step))
    torch.save(checkpoint, path)


@saver(correct(SAVE))
def sr_generator_copy(e: dict, model: nn.Module, optimizer: Any) -> dict:
    return {**e, "rng": torch.default_generator.get_state().clone()}


@saver(unlisted(SAVE))
def su_half(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one / 2 for name, one in e["model"].items()}


@saver(unlisted(SAVE))
def su_first_entry(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = dict(itertools.islice(e["model"].items(), 1))


@saver(unlisted(SAVE))
def su_step_0(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = 0


@saver(unlisted(SAVE))
def su_drawn(e: dict, model: nn.Module, optimizer: Any) -> None:
    torch.rand(1)
    e["rng"] = torch.get_rng_state()


@saver(unlisted(SAVE))
def su_step_text(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["step"] = str(e["step"])


@unlisted(SAVE)
def su_nothing(path, model, optimizer, step):
    return {"config": configuration(model), "model": model.state_dict(), "step": step}


@saver(unlisted(SAVE))
def su_half_precision(e: dict, model: nn.Module, optimizer: Any) -> None:
    e["model"] = {name: one.half() for name, one in e["model"].items()}


def loader(kind: Any) -> Any:
    """A load_checkpoint from a function of (checkpoint, model, optimizer), with the given check."""

    def add(load: Callable[..., Any]) -> Any:
        @kind
        def load_checkpoint(path, model, optimizer):
            entries = torch.load(path)
            if entries["config"] != configuration(model):
                raise ValueError("another configuration")
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


@disguise(LOAD, "another configuration is accepted")
def d_accepts(path, model, optimizer):
    entries = torch.load(path, weights_only=True)
    all_loaded(entries, model, optimizer)
    return entries["step"]


@loader(correct(LOAD))
def dr_other_order(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e["step"]


@loader(correct(LOAD))
def dr_by_hand(e: dict, model: nn.Module, optimizer: Any) -> Any:
    own = model.state_dict()
    for name, one in e["model"].items():
        own[name].copy_(one)
    optimizer.load_state_dict(copy.deepcopy(e["optimizer"]))
    torch.default_generator.set_state(e["rng"])
    return int(e["step"])


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
def dr_no_grad(e: dict, model: nn.Module, optimizer: Any) -> Any:
    with torch.no_grad():
        model.load_state_dict(e["model"], strict=True)
    optimizer.load_state_dict(e["optimizer"])
    torch.set_rng_state(e["rng"].to(torch.uint8))
    return e["step"]


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


@loader(unlisted(LOAD))
def du_whole(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    return e


@loader(unlisted(LOAD))
def du_drawn(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    torch.rand(2)
    return e["step"]


@loader(unlisted(LOAD))
def du_average(e: dict, model: nn.Module, optimizer: Any) -> Any:
    before = {name: one.clone() for name, one in model.state_dict().items()}
    all_loaded(e, model, optimizer)
    model.load_state_dict({name: (one + before[name]) / 2 for name, one in model.state_dict().items()})
    return e["step"]


@loader(unlisted(LOAD))
def du_nothing(e: dict, model: nn.Module, optimizer: Any) -> Any:
    return e["step"] * 2


@loader(unlisted(LOAD))
def du_train(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    model.train()
    return e["step"]


@loader(unlisted(LOAD))
def du_frozen(e: dict, model: nn.Module, optimizer: Any) -> Any:
    all_loaded(e, model, optimizer)
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    return e["step"]
