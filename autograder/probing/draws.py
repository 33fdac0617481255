"""Draws: the inputs and weights of a probe, the same for every implementation.

Each is keyed by (seed, probe, name) and has a generator of its own, so neither the order of calls nor the global
generator matters. An implementation always gets fresh memory: it can spoil nothing for the next one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from autograder.probing.outcome import ATOL

PRACTICE = (1, 2)
"""The seeds of practice; grading draws its own, and more."""

Signature = dict[str, tuple[str, tuple[int, ...], str]]
"""state_dict name → (kind, shape, the first name in the alphabet that shares its storage)."""


class NotAModule(TypeError):
    """A class that should be an nn.Module made something else."""


class Draw:
    """Hands out the drawn inputs and weights of one run of one probe.

    Args:
        seed: which draw; practice uses fixed seeds, grading secret ones.
        probe: the probe's name.
        settled: see below, where it is known from an earlier run.

    Attributes:
        settled: which of many possible inputs a probe has settled on that looks for telling ones; () for none. To look
            takes long, so whoever runs the probe again on this draw says it.
        signatures: the parameters and buffers of every module made, in order.
        seen: what the probe saw an implementation do that is forbidden.
    """

    def __init__(self, seed: int, probe: str, settled: Sequence[int] = ()) -> None:
        self.seed = seed
        self.probe = probe
        self.settled = tuple(settled)
        self.signatures: list[Signature] = []
        self.seen: list[str] = []
        self._handed_out: dict[str, tuple[Tensor, Tensor]] = {}

    def tensor(
        self,
        name: str,
        *shape: int,
        scale: float = 1.0,
        shift: float = 0.0,
        requires_grad: bool = False,
    ) -> Tensor:
        """A normal draw of the default dtype: mean `shift`, standard deviation `scale`."""
        drawn = torch.randn(shape, dtype=torch.float64, generator=self._generator(name))
        value = (drawn * scale + shift).to(torch.get_default_dtype())
        return self._hand_out(name, value.requires_grad_(requires_grad))

    def integers(self, name: str, *shape: int, low: int = 0, high: int) -> Tensor:
        """Whole numbers from `low` up to but without `high`, as int64."""
        return self._hand_out(name, torch.randint(low, high, shape, generator=self._generator(name)))

    def booleans(self, name: str, *shape: int, chance: float = 0.5) -> Tensor:
        """True with the given chance."""
        drawn = torch.rand(shape, dtype=torch.float32, generator=self._generator(name))  # the same by either default
        return self._hand_out(name, drawn < chance)

    def keep(self, name: str, value: Tensor) -> Tensor:
        """Hand out a tensor the probe made itself, so that a change to it is noticed as well."""
        return self._hand_out(name, value)

    def module(self, make: Callable[..., Any], *args: Any, **kwargs: Any) -> nn.Module:
        """Construct a module, note its parameters, and fill them with drawn numbers.

        Raises:
            NotAModule: when what was made is no nn.Module.
        """
        module = make(*args, **kwargs)
        if not isinstance(module, nn.Module):
            raise NotAModule(f"made a {type(module).__name__}, which is not an nn.Module")
        self.signatures.append(signature(module))
        return self.fill(module)

    def fill(self, module: nn.Module) -> nn.Module:
        """Replace every parameter by a draw keyed by its name: fan-in scale for matrices, 1 for vectors.

        Nothing stays at ones and zeros, which would hide a missing weight or bias. Shared parameters are drawn
        once, under the first of their names in the alphabet: the order in which a constructor makes its parts is
        nobody's mistake. Buffers stay as they are.
        """
        drawn_already: set[int] = set()
        with torch.no_grad():
            for name, parameter in _by_name(module.named_parameters(remove_duplicate=False)):
                if id(parameter) in drawn_already:
                    continue
                drawn_already.add(id(parameter))
                parameter.copy_(_weights(self._key(f"@{name}"), parameter.shape))
        return module

    def gradients(self, output: Tensor, **wanted: Tensor) -> dict[str, Tensor | None]:
        """Pull a drawn cotangent back through `output`.

        Args:
            output: what the implementation returned.
            wanted: the tensors whose gradient is asked for, by name.

        Returns:
            Name → gradient; None where no gradient arrives or where it is zero, which is the same.
        """
        if not output.requires_grad:
            return dict.fromkeys(wanted)
        cotangent = self.tensor("@cotangent", *output.shape).to(output.dtype)
        tensors = list(wanted.values())
        # Not as `grad_outputs`: for these torch imports an algebra system, for a quarter of a second.
        found = torch.autograd.grad((output * cotangent).sum(), tensors, allow_unused=True)
        return {name: one if _arrives(one) else None for name, one in zip(wanted, found, strict=True)}

    def changed(self) -> list[str]:
        """The names of handed-out tensors that no longer hold what they held."""
        return [
            name
            for name, (handed_out, kept) in self._handed_out.items()
            if handed_out.shape != kept.shape or not torch.equal(handed_out.detach(), kept)
        ]

    def _hand_out(self, name: str, value: Tensor) -> Tensor:
        self._handed_out[name] = (value, value.detach().clone())
        return value

    def _generator(self, name: str) -> torch.Generator:
        return torch.Generator().manual_seed(self._key(name))

    def _key(self, name: str) -> int:
        text = f"{self.seed}/{self.probe}/{name}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


# The reference, each of its mistakes and the learner's module get the same weights.
@lru_cache(maxsize=2_000)
def _weights(key: int, shape: tuple[int, ...]) -> Tensor:
    drawn = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(key))
    return drawn / max(shape[-1] if len(shape) > 1 else 1, 1) ** 0.5


def _by_name(entries: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return sorted(entries, key=lambda entry: entry[0])


def _arrives(gradient: Tensor | None) -> bool:
    """Whether a gradient is more than rounding, that of float32 included: a softmax in float32 is common, and right."""
    return gradient is not None and bool((gradient.abs() > ATOL).any() or gradient.isnan().any())


def signature(module: nn.Module) -> Signature:
    """Name, kind, shape and shared storage of all entries of a module's state_dict."""
    parameters = dict(module.named_parameters(remove_duplicate=False))
    entries = nn.Module.state_dict(module, keep_vars=True)
    tensors = {name: entry for name, entry in entries.items() if isinstance(entry, Tensor)}
    owners: dict[int, str] = {}
    for name, entry in _by_name(tensors.items()):
        owners.setdefault(_storage(entry), name)
    return {
        name: ("parameter" if name in parameters else "buffer", tuple(entry.shape), owners[_storage(entry)])
        for name, entry in tensors.items()
    }


def _storage(entry: Tensor) -> int:
    return entry.data_ptr() or id(entry)
