"""Checks of checkpoints."""

import contextlib
import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise
from autograder.probing.watch import outside_the_watch


@dataclass
class SmallConfig:
    """A configuration, as a model's `config` holds it."""

    width: int = 4
    dropout: float = 0.5


class SteadyDropout(nn.Dropout):
    """Dropout that drops the same under every version of torch: torch's own draws differ between 2.4 and 2.13."""

    def forward(self, x: Tensor) -> Tensor:
        """What is left of x, made larger for what is not."""
        if not self.training or not self.p:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1 - self.p)


class SmallModel(nn.Module):
    """A model with parameters, a buffer that training changes, dropout, and a config."""

    def __init__(self, config: SmallConfig | None = None) -> None:
        super().__init__()
        self.config = config or SmallConfig()
        self.layer = nn.Linear(self.config.width, 3)
        self.dropout = SteadyDropout(self.config.dropout)
        self.seen: Tensor
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: Tensor) -> Tensor:
        """The layer, with dropout before it; counts what it has seen."""
        self.seen.add_(len(x))
        return self.layer(self.dropout(x))


def train_on(model: nn.Module, optimizer: Any, draw: Draw, steps: Iterable[int]) -> None:
    """Steps with dropout, on drawn inputs."""
    for step in steps:
        optimizer.zero_grad()
        model(draw.tensor(f"x {step}", 5, 4)).square().mean().backward()
        optimizer.step()


def two_groups(model: SmallModel, rates: tuple[float, float], **settings: Any) -> Any:
    """An optimizer whose two groups have learning rates of their own."""
    parameters = (model.layer.weight, model.layer.bias)
    groups = [{"params": [one], "lr": rate} for one, rate in zip(parameters, rates, strict=True)]
    return torch.optim.AdamW(groups, **settings)


def begun(draw: Draw, steps: int = 2) -> tuple[SmallModel, Any]:
    """A model and its optimizer after some steps."""
    model = SmallModel()
    draw.fill(model)
    optimizer = two_groups(model, (0.05, 0.02), betas=(0.5, 0.7))
    if steps:
        torch.default_generator.manual_seed(int(draw.integers("dropout", 1, high=1000)))
    train_on(model, optimizer, draw, range(steps))
    return model, optimizer


def another() -> tuple[SmallModel, Any]:
    """A model of the same configuration with other numbers, and an optimizer with other settings."""
    model = SmallModel()
    nn.init.constant_(model.layer.weight, 0.3)
    nn.init.constant_(model.layer.bias, 0.1)
    return model, two_groups(model, (0.5, 0.5))


def rates_of(groups: Iterable[dict[str, Any]]) -> list[Any]:
    """The learning rate of every group; None where it is missing."""
    return [group.get("lr") for group in groups]


def gone_on(model: nn.Module, optimizer: Any, draw: Draw) -> dict[str, Any]:
    """What further steps make of a model, the settings of its optimizer included."""
    train_on(model, optimizer, draw, (10, 11))
    return {
        "learning rates of the groups": rates_of(optimizer.param_groups),
        "after two more steps": {name: one.clone() for name, one in model.state_dict().items()},
    }


# What one exercise writes the other reads, so each is checked against a counterpart. These stand here and not in the
# stand-ins: where students are checked, or graded, there are none of their own lesson.


@outside_the_watch
def put_down(path: str, model: SmallModel, optimizer: Any, step: int) -> None:
    """A checkpoint as the page describes it."""
    states = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
    torch.save({"config": asdict(model.config), "step": step, **states}, path)


@outside_the_watch
def put_where_it_was(path: str, **parts: Any) -> None:
    """Give a model, an optimizer, or both, their entry; what else is in the checkpoint, or missing, is not looked at."""
    found = torch.load(path, weights_only=True)
    for name, part in parts.items():
        part.load_state_dict(found[name])


@outside_the_watch
def read(path: str) -> dict[str, Any]:
    """What is in a checkpoint."""
    found: dict[str, Any] = torch.load(path, weights_only=True)
    return found


class TorchsNumbers:
    """Torch's random numbers, as something that has a state like a model."""

    def load_state_dict(self, state: Tensor) -> None:
        """Go on from there."""
        torch.set_rng_state(state)


save_checkpoint = Exercise(
    "save_checkpoint",
    points=1,
    hints=(
        "What would be different tomorrow if you kept the weights alone? The optimizer's running means would start at 0, and dropout would draw other numbers.",
        '```python\ncheckpoint["model"] = ...      # its state_dict\ncheckpoint["optimizer"] = ...  # likewise\ncheckpoint["step"] = ...\ncheckpoint["rng"] = ...        # the state of torch\'s random numbers\n```',
        "`model.state_dict()` holds parameters and buffers, `optimizer.state_dict()` running means and settings. `torch.get_rng_state()` is the state "
        "of torch's random numbers.",
    ),
    traps={
        "KeyError": "the checkpoint needs the four entries `model`, `optimizer`, `step` and `rng`, under these names.",
        "KeyError: 'param_groups'": "the entry `optimizer` is the whole of what `optimizer.state_dict()` gives.",
        "TypeError: cannot pickle 'generator' object": "`model.parameters()` is read once, and cannot be kept. What can be kept is `model.state_dict()`.",
        "FileNotFoundError": "no file is there. The given lines at the end write it beside the earlier one and put it into its place: a `return` before them leaves none, and so does taking the earlier one away.",
        "UnpicklingError": "keep `state_dict()`s, not the objects themselves: a file of plain tensors and numbers can be read without running code.",
    },
)


@save_checkpoint.probe(
    "keeps what it should under the names that are agreed: all parameters, frozen ones too, and buffers"
)
def kept(save_checkpoint: Callable, draw: Draw) -> Any:
    model, optimizer = begun(draw)
    model.layer.bias.requires_grad_(False)  # what is frozen is a part of the model as well
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(Path(folder, "checkpoint.pt"), model, optimizer, 7)
        found = torch.load(Path(folder, "checkpoint.pt"), weights_only=False)  # written a line above
    entries = [name for name in ("model", "optimizer", "step", "rng") if name in found]
    rng, means_and_settings = found.get("rng"), found.get("optimizer")
    return {
        "entries": entries,
        "model": found.get("model"),
        "the optimizer's parts": sorted(map(str, means_and_settings))
        if isinstance(means_and_settings, dict)
        else type(means_and_settings).__name__,
        "step": found.get("step"),
        "the model's configuration": found.get("config") == asdict(model.config),
        "rng is": str(rng.dtype) if isinstance(rng, Tensor) else type(rng).__name__,
        "mode after saving": "training" if model.training else "evaluation",
    }


@save_checkpoint.probe(
    "keeps the optimizer's running means and settings: training goes on as if nothing had happened", float64=True
)
def kept_optimizer(save_checkpoint: Callable, draw: Draw) -> Any:
    model, optimizer = begun(draw)
    found = another()
    model.dropout.p = found[0].dropout.p = 0.0  # random numbers are for the next probe
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", model, optimizer, 2)
        train_on(model, optimizer, draw, (10, 11))  # what happens later is not in it
        put_where_it_was(f"{folder}/checkpoint.pt", model=found[0], optimizer=found[1])
    return {**gone_on(*found, draw), "the one that was saved": model.state_dict()}


@save_checkpoint.probe("keeps the random numbers: dropout goes on where it was", float64=True)
def kept_random_numbers(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        torch.default_generator.manual_seed(int(draw.integers("seed", 1, high=1000)))
        torch.rand(3)
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        at_once = torch.rand(4)
        torch.default_generator.manual_seed(0)
        torch.rand(5)
        put_where_it_was(f"{folder}/checkpoint.pt", rng=TorchsNumbers())
    return {"drawn after loading": torch.rand(4), "drawn right after saving": at_once}


@save_checkpoint.probe("neither draws random numbers nor sets them", rung="edges")
def draws_go_on(save_checkpoint: Callable, draw: Draw) -> Any:
    torch.default_generator.manual_seed(int(draw.integers("seed", 1, high=1000)))
    torch.rand(3)
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 0), 1)
    return torch.rand(4)


@save_checkpoint.probe("writes over an earlier checkpoint, and leaves nothing else behind", rung="edges", float64=True)
def kept_twice(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        model, optimizer = begun(draw)
        save_checkpoint(f"{folder}/checkpoint.pt", model, optimizer, 2)
        files = sorted(os.listdir(folder))
        found, _ = another()
        put_where_it_was(f"{folder}/checkpoint.pt", model=found)
        step = read(f"{folder}/checkpoint.pt")["step"]
    return {"files": files, "step": step, "model": found.state_dict()}


class Crash:
    """Something whose writing fails in the middle."""

    def __reduce__(self) -> Any:
        raise OSError("no space left")


@save_checkpoint.probe("leaves the earlier checkpoint whole when writing fails", rung="edges", float64=True)
def kept_in_a_crash(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw), 2)
        with contextlib.suppress(Exception):  # whatever is said of it
            save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw, 3), Crash())
        with full_disk(), contextlib.suppress(Exception):
            save_checkpoint(f"{folder}/checkpoint.pt", *begun(draw), 2)
        model, _ = another()
        put_where_it_was(f"{folder}/checkpoint.pt", model=model)
    return model.state_dict()


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """Of what torch saves, half is written. (What is written by other means is written.)"""
    kept = torch.save

    def half(what: Any, to: Any, *more: Any, **settings: Any) -> None:
        written = io.BytesIO()
        kept(what, written, *more, **settings)
        with to if hasattr(to, "write") else open(to, "wb") as file:
            file.write(written.getvalue()[: len(written.getvalue()) // 2])
        raise OSError("no space left")

    cut_off: Any = half
    torch.save = cut_off
    try:
        yield
    finally:
        torch.save = kept


@contextlib.contextmanager
def crash_before_naming(name: str) -> Iterator[None]:
    """The first file that is to be called `name` does not get its name."""
    kept = os.replace, os.rename

    def crash(source: Any, target: Any, **more: Any) -> None:
        if Path(target).name != name:
            return kept[0](source, target, **more)
        os.replace, os.rename = kept
        raise OSError("the machine went down")

    crashing: Any = crash
    os.replace = os.rename = crashing
    try:
        yield
    finally:
        os.replace, os.rename = kept


@save_checkpoint.probe("takes nothing away before the new checkpoint is in its place", rung="edges")
def kept_until_replaced(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "checkpoint.pt")
        save_checkpoint(path, *begun(draw), 2)
        with crash_before_naming(path.name), contextlib.suppress(Exception):  # whatever is said of it
            save_checkpoint(path, *begun(draw, 3), 3)
        return "the earlier checkpoint, or the new one" if path.exists() else "no checkpoint"


def with_far_digits(draw: Draw) -> tuple[SmallModel, Any]:
    """A model and an optimizer in float64, in which a weight and a running mean hold what float32 rounds away."""
    model, optimizer = begun(draw)
    digits = draw.tensor("digits", 3).round(decimals=2)
    for one in (model.layer.bias.data, optimizer.state[model.layer.bias]["exp_avg"]):
        one.copy_(1 + digits * 2.0**-36)
    return model, optimizer


def far_digits(model: SmallModel, optimizer: Any) -> dict[str, Tensor]:
    """What is left of these digits."""
    means = optimizer.state[model.layer.bias]["exp_avg"]
    return {"of a weight": (model.layer.bias - 1) * 2.0**36, "of a running mean": (means - 1) * 2.0**36}


@save_checkpoint.probe("keeps parameters of float64 to their last digit", rung="edges", float64=True)
def kept_digits(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *with_far_digits(draw), 2)
        model, optimizer = begun(draw)
        put_where_it_was(f"{folder}/checkpoint.pt", model=model)
    return far_digits(model, optimizer)["of a weight"]


@save_checkpoint.probe("keeps running means of float64 to their last digit", rung="edges", float64=True)
def kept_digits_of_means(save_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", *with_far_digits(draw), 2)
        model, optimizer = begun(draw)
        put_where_it_was(f"{folder}/checkpoint.pt", optimizer=optimizer)
    return far_digits(model, optimizer)["of a running mean"]


@save_checkpoint.probe("keeps the configuration, by which another model is told", rung="invariants")
def kept_config(save_checkpoint: Callable, draw: Draw) -> Any:
    model = SmallModel(SmallConfig(dropout=0.25))
    with tempfile.TemporaryDirectory() as folder:
        save_checkpoint(f"{folder}/checkpoint.pt", model, two_groups(model, (0.1, 0.2)), 3)
        kept = read(f"{folder}/checkpoint.pt")["config"]
    return {"fits its own model": kept == asdict(model.config), "fits another model": kept == asdict(SmallConfig())}


load_checkpoint = Exercise(
    "load_checkpoint",
    points=2,
    hints=(
        "The counterpart of every line of `save_checkpoint`. Three things are put back where they were; one is returned.",
        "```python\n"
        "...         # the model's state\n"
        "...         # the optimizer's\n"
        "...         # torch's random numbers\n"
        "return ...  # how many steps have been made\n"
        "```",
        "`model.load_state_dict(checkpoint[\"model\"])`, likewise for the optimizer, `torch.set_rng_state(checkpoint[\"rng\"])`.",
    ),
    traps={
        "RuntimeError: Error(s) in loading state_dict": "the entries do not fit the model. Does the model get the model's entry, and not the optimizer's?",
        "KeyError": "the entries are called `model`, `optimizer`, `step` and `rng`, as `save_checkpoint` has them.",
        "ValueError: only one element tensors can be converted to Python scalars": "`torch.manual_seed` takes a seed, with which random numbers begin "
        "anew. `torch.set_rng_state` puts their saved state back.",
        "TypeError: expected a torch.ByteTensor": "`torch.set_rng_state` takes what `torch.get_rng_state` gave: the entry `rng`.",
    },
)  # fmt: skip


@load_checkpoint.probe("puts parameters and buffers back, and returns the number of the step")
def put_back(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw), 7)
        model, optimizer = another()
        model.layer.bias.requires_grad_(False)  # what is frozen is a part of the model as well
        step = load_checkpoint(f"{folder}/checkpoint.pt", model, optimizer)
    return {"step": step, "can be counted to": _is_whole(step), "model": model.state_dict()}


def _is_whole(step: Any) -> bool:
    """Whether `range` takes it."""
    try:
        range(step)
    except TypeError:
        return False
    return True


@load_checkpoint.probe(
    "puts the optimizer's running means and settings back: training goes on as if nothing had happened", float64=True
)
def put_back_optimizer(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw), 2)
        model, optimizer = another()
        for one in model.parameters():
            one.grad = torch.ones_like(one)  # a step made while loading would show
        load_checkpoint(f"{folder}/checkpoint.pt", model, optimizer)
    model.dropout.p = 0.0  # random numbers are for the next probe
    return gone_on(model, optimizer, draw)


@load_checkpoint.probe("puts the random numbers back: dropout goes on where it was", float64=True)
def put_back_random_numbers(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        torch.default_generator.manual_seed(int(draw.integers("seed", 1, high=1000)))
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        torch.default_generator.manual_seed(0)
        load_checkpoint(Path(folder, "checkpoint.pt"), *another())
    return torch.rand(4)


@load_checkpoint.probe("puts numbers of float64 back to their last digit", rung="edges", float64=True)
def digits_put_back(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *with_far_digits(draw), 2)
        model, optimizer = begun(draw)
        load_checkpoint(f"{folder}/checkpoint.pt", model, optimizer)
    return far_digits(model, optimizer)


@load_checkpoint.probe("leaves a model in train mode that was in it", rung="edges")
def mode_stays(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        model, optimizer = another()
        load_checkpoint(f"{folder}/checkpoint.pt", model.train(), optimizer)
    return {"in train mode": model.training, "its dropout": model.dropout.training}


@load_checkpoint.probe("refuses a file that lacks a parameter of the model", rung="invariants")
def lacking(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/checkpoint.pt"
        put_down(path, *begun(draw, 0), 0)
        load_checkpoint(path, *another())  # the blank stub must show as blank
        found = torch.load(path, weights_only=True)
        del found["model"]["layer.bias"]
        torch.save(found, path)
        try:
            load_checkpoint(path, *another())
        except Exception:  # of whatever class
            return "refused"
        return "taken"


@load_checkpoint.probe("raises a ValueError when the model was made with another configuration", rung="invariants")
def other_config(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        put_down(f"{folder}/checkpoint.pt", *begun(draw, 0), 0)
        load_checkpoint(f"{folder}/checkpoint.pt", *another())  # the blank stub must show as blank
        model = SmallModel(SmallConfig(dropout=0.25))
        return load_checkpoint(f"{folder}/checkpoint.pt", model, two_groups(model, (0.1, 0.2)))


@dataclass
class LargerConfig(SmallConfig):
    """A configuration with a field more."""

    depth: int = 2


@load_checkpoint.probe("says which field differs, and refuses a model with a field more as well", rung="invariants")
def field_told(load_checkpoint: Callable, draw: Draw) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/checkpoint.pt"
        put_down(path, *begun(draw, 0), 0)
        load_checkpoint(path, *another())  # the blank stub must show as blank
        said = _said(load_checkpoint, path, SmallConfig(dropout=0.25))
        larger = _said(load_checkpoint, path, LargerConfig())
    return {
        "another dropout is": "taken" if said is None else "refused",
        "and named": "dropout" in (said or ""),
        "a field more is": "taken" if larger is None else "refused",
    }


def _said(load_checkpoint: Callable, path: str, config: SmallConfig) -> str | None:
    """With which words a model of this configuration is refused; None where it is not."""
    model = SmallModel(config)
    try:
        load_checkpoint(path, model, two_groups(model, (0.1, 0.2)))
    except ValueError as error:
        return str(error)
    return None
