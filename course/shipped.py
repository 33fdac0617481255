"""Weights that the course brings: one file each, with all that is needed to use them and to say where they are from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from course.from_tokenizers import Pair
from course.pieces import merges_as_ids, merges_from_ids

DATA = Path(__file__).resolve().parent / "data"


@dataclass(frozen=True)
class Shipped:
    """A model's weights, and what they were made of.

    Attributes:
        config: the sizes and choices, by name.
        merges: the byte pairs of its vocabulary, in order. Only with these do its ids mean anything.
        versions: package → version, of the text that it has read.
        figures: what was measured when it was made, by name: losses in nats a token, steps, minutes.
        state: name → weights, in float32.
    """

    config: dict[str, Any]
    merges: list[Pair]
    versions: dict[str, str]
    figures: dict[str, float]
    state: dict[str, Tensor]

    def fill_(self, model: nn.Module) -> None:
        """Put the weights into a model of the same sizes, in place.

        Raises:
            ValueError: if a parameter of the model has no weights here, other sizes, or weights here have no
                parameter there; says which.
        """
        own = dict(model.named_parameters(remove_duplicate=False))
        wrong = [f"{name} is missing" for name in own if name not in self.state]
        wrong += [f"{name} is not the model's" for name in self.state if name not in own]
        for name, weights in self.state.items():
            if name in own and own[name].shape != weights.shape:
                wrong.append(f"{name} is {tuple(weights.shape)} and the model's {tuple(own[name].shape)}")
        if wrong:
            raise ValueError(f"these weights do not fit the model: {'; '.join(wrong[:5])}")
        with torch.no_grad():
            for name, weights in self.state.items():
                own[name].copy_(weights)

    def note(self, here: Mapping[str, str]) -> str:
        """A line about the text that is read here, against the one that these weights have read."""
        others = self.other_versions(here)
        if not others:
            return "Your text is part of what these weights have read: the same versions of the same packages."
        listed = ", ".join(f"{name} {mine} (they read {theirs})" for name, (theirs, mine) in others.items())
        return f"Your text is another than these weights have read: {listed}. Your figures differ from ours for that."

    def other_versions(self, here: Mapping[str, str]) -> dict[str, tuple[str, str]]:
        """Packages of which another version is read here: name → (theirs, here's)."""
        pairs = {name: (self.versions.get(name, "none"), version) for name, version in here.items()}
        return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def save_shipped(
    path: Path,
    model: nn.Module,
    *,
    config: Mapping[str, Any],
    merges: list[Pair],
    versions: Mapping[str, str],
    figures: Mapping[str, float],
) -> None:
    """Write a model's parameters in float16, a shared one once, and beside them in the same file what they are."""
    kept: dict[str, Tensor] = {}
    shared: dict[str, str] = {}
    places: dict[int, str] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if id(parameter) in places:
            shared[name] = places[id(parameter)]
        else:
            places[id(parameter)] = name
            kept[name] = parameter.detach().cpu().to(torch.float16).contiguous()
    about = {
        "config": dict(config),
        "merges": merges_as_ids(merges),
        "versions": dict(versions),
        "figures": dict(figures),
        "shared": shared,
    }
    save_file(kept, path, {name: json.dumps(value) for name, value in about.items()})


def read_shipped(path: Path) -> Shipped:
    """Read what `save_shipped` wrote.

    Raises:
        OSError: if there is no such file.
        ValueError: if it is damaged, or was not written by `save_shipped`.
    """
    if not path.is_file():
        raise FileNotFoundError(path)
    try:
        with safe_open(path, "pt") as file:
            about = {name: json.loads(value) for name, value in (file.metadata() or {}).items()}
            state = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        state |= {name: state[other] for name, other in about["shared"].items()}
        merges = merges_from_ids(about["merges"])
        return Shipped(about["config"], merges, about["versions"], about["figures"], state)
    except (SafetensorError, json.JSONDecodeError, KeyError, IndexError, TypeError) as error:
        raise ValueError(f"{path.name} is damaged ({type(error).__name__}: {error})") from error


def load_shipped(name: str, folder: Path = DATA) -> Shipped | None:
    """The weights that the course ships under a name, or None and a line that says how to make them.

    Args:
        name: "gpt" or "bert".
        folder: where to look.
    """
    make = f"`python -m course.pretrain {name}` makes it anew"
    try:
        return read_shipped(folder / f"{name}.safetensors")
    except FileNotFoundError:
        print(f"There is no {name}.safetensors in course/data; {make}. The lesson goes on without it.")
    except (OSError, ValueError) as error:
        print(f"{error}; {make}. The lesson goes on without it.")
    return None
