"""The parts of lessons 09 and 10 against torch and against bad input, on the reference and on the stand-ins."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

PACKAGES = ("solutions", "autograder.stand_ins")
EACH = pytest.mark.parametrize("parts", PACKAGES, indirect=True)


@pytest.fixture
def parts(request: pytest.FixtureRequest) -> Any:
    """The two lessons' modules, in one of the packages."""
    homes = [importlib.import_module(f"{request.param}.{name}") for name in ("optimization", "training")]
    return SimpleNamespace(**{name: part for home in homes for name, part in vars(home).items()})


def transformer(**changes: Any) -> nn.Module:
    """A tiny Transformer with dropout."""
    home = importlib.import_module("solutions.transformer")
    sizes: dict[str, Any] = {"d_model": 8, "num_heads": 2, "num_layers": 1, "d_ff": 12, "dropout": 0.2, "max_len": 6}
    torch.manual_seed(0)
    made: nn.Module = home.Transformer(home.TransformerConfig(9, 9, **{**sizes, **changes}))
    return made


def loss_fn(model: nn.Module, ids: Tensor) -> Tensor:
    """A loss that needs all parameters."""
    found: Tensor = model(ids, ids).square().mean()
    return found


def numbers(model: nn.Module) -> Tensor:
    return torch.cat([one.detach().flatten() for one in model.parameters()])


def trained(parts: Any, optimizer: Any, clip: Callable[..., Any], steps: int = 50) -> Tensor:
    """Fifty steps in float64 with groups, a schedule and clipping."""
    model = transformer(dropout=0.0).double()
    held = optimizer(parts.decay_groups(model, 0.1), lr=0.01, betas=(0.9, 0.98))
    for step in range(steps):
        for group in held.param_groups:
            group["lr"] = parts.cosine_lr(step + 1, 0.01, 10, steps)
        held.zero_grad()
        loss_fn(model, torch.randint(1, 9, (2, 5))).backward()
        clip(model.parameters(), 1e9)  # as long as nothing is clipped, torch's 1e-6 does not show
        held.step()
    return numbers(model)


@EACH
def test_adamw_with_groups_is_torchs_over_fifty_steps(parts: Any) -> None:
    ours = trained(parts, parts.AdamW, parts.clip_gradients_)
    theirs = trained(parts, torch.optim.AdamW, nn.utils.clip_grad_norm_)
    assert torch.allclose(ours, theirs, rtol=0, atol=1e-10)
    assert not torch.allclose(ours, numbers(transformer()).double(), atol=0.05)


@EACH
def test_the_loss_is_torchs(parts: Any) -> None:
    logits = torch.randn(3, 4, 7, dtype=torch.float64, requires_grad=True)
    targets = torch.tensor([[1, 2, 3, 4], [5, 6, 0, 0], [2, 0, 0, 0]])
    for smoothing in (0.0, 0.1, 0.9):
        options: dict[str, Any] = {"label_smoothing": smoothing, "ignore_index": 0}
        theirs = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), **options)
        ours = parts.label_smoothed_cross_entropy(logits, targets, smoothing, 0)
        pulled = [torch.autograd.grad(one, logits)[0] for one in (ours, theirs)]
        assert torch.allclose(ours, theirs) and torch.allclose(pulled[0], pulled[1])


@EACH
def test_clipping_is_torchs(parts: Any) -> None:
    lengths = []
    for clip in (parts.clip_gradients_, nn.utils.clip_grad_norm_):
        model = transformer(dropout=0.0)
        (1000 * loss_fn(model, torch.tensor([[1, 2, 3]]))).backward()
        before = float(clip(model.parameters(), 0.5))
        assert before > 1
        gradients = [one.grad for one in model.parameters() if one.grad is not None]
        lengths.append((before, float(torch.cat([one.flatten() for one in gradients]).norm())))
    assert lengths[0] == pytest.approx(lengths[1], rel=1e-4)


def steps(parts: Any, model: nn.Module, optimizer: Any, first: int, last: int) -> None:
    for _ in range(first, last):
        parts.train_step(model, [torch.randint(1, 9, (2, 5)) for _ in range(2)], optimizer, loss_fn, 1.0)


@EACH
def test_training_resumes_bit_for_bit(parts: Any, tmp_path: Path) -> None:
    def begin() -> tuple[nn.Module, Any]:
        model = transformer()
        return model, parts.AdamW(parts.decay_groups(model, 0.1), lr=0.01)

    whole = begin()
    steps(parts, *whole, 0, 6)
    stopped = begin()
    steps(parts, *stopped, 0, 3)
    parts.save_checkpoint(tmp_path / "night.pt", *stopped, 3)
    resumed = begin()
    step = parts.load_checkpoint(tmp_path / "night.pt", *resumed)
    steps(parts, *resumed, step, 6)
    assert torch.equal(numbers(whole[0]), numbers(resumed[0]))
    assert not torch.equal(numbers(whole[0]), numbers(stopped[0]))
    assert [path.name for path in tmp_path.iterdir()] == ["night.pt"]


LOGITS, RIGHT, PADDING = torch.zeros(2, 3, 5), torch.ones(2, 3).long(), torch.zeros(2, 3).long()
BAD: list[tuple[str, Callable[[Any], Any], str]] = [
    ("smoothing 1", lambda p: p.label_smoothed_cross_entropy(LOGITS, RIGHT, 1.0), "smoothing=1.0"),
    ("smoothing < 0", lambda p: p.label_smoothed_cross_entropy(LOGITS, RIGHT, -0.1), "smoothing=-0.1"),
    ("all padding", lambda p: p.label_smoothed_cross_entropy(LOGITS, PADDING), "all 6 of them are pad_id=0"),
    ("an empty batch", lambda p: p.label_smoothed_cross_entropy(LOGITS[:0], PADDING[:0]), "no target counts"),
    ("step 0", lambda p: p.warmup_lr(0, 8, 10), "step=0; steps are counted from 1"),
    ("no end", lambda p: p.cosine_lr(1, 1.0, 10, 10), "warmup_steps=10 does not lie in 0 to below total_steps=10"),
    ("no batches", lambda p: p.train_step(transformer(), [], None, loss_fn), "micro_batches is empty"),
]  # fmt: skip


@EACH
@pytest.mark.parametrize(("call", "words"), [one[1:] for one in BAD], ids=[one[0] for one in BAD])
def test_bad_input_says_what_was_given(parts: Any, call: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(ValueError) as error:
        call(parts)
    assert words in str(error.value)


@EACH
def test_a_checkpoint_of_another_configuration_says_which_fields_differ(parts: Any, tmp_path: Path) -> None:
    model = transformer()
    parts.save_checkpoint(tmp_path / "one.pt", model, parts.AdamW(model.parameters()), 1)
    other = transformer(dropout=0.5, d_ff=16)
    before = numbers(other)
    with pytest.raises(ValueError) as error:
        parts.load_checkpoint(tmp_path / "one.pt", other, parts.AdamW(other.parameters()))
    assert "d_ff=12, here 16" in str(error.value) and "dropout=0.2, here 0.5" in str(error.value)
    assert "d_model" not in str(error.value)
    assert torch.equal(numbers(other), before)
