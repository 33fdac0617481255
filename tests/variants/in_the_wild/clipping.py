"""Room 11: probes in other styles, and probes that miss something."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from autograder.checks.in_the_wild.clipping import scaled_step, shows_early_clipping
from autograder.stand_ins import in_the_wild as stand_ins
from tests.variants import correct, disguise, unlisted
from tests.variants.in_the_wild.shared import of_all_probes, of_the_line_up

SHOWS = shows_early_clipping.name
Step = Callable[..., None]

of_the_line_up(scaled_step, "clipping")
of_all_probes(shows_early_clipping, stand_ins.shows_early_clipping)

FACTORS = (torch.tensor([3.0, -4.0]), torch.tensor([[1.0], [2.0], [-0.5]]))


def moved(step: Step, size: float, scale: float, max_norm: float, *, times: int = 2, count: int = 2) -> list[Tensor]:
    """How far each parameter has gone, by plain SGD from 0."""
    parts = [nn.Parameter(torch.zeros_like(one)) for one in FACTORS[:count]]
    optimizer = torch.optim.SGD([{"params": [one]} for one in parts], lr=1.0)
    for _ in range(times):
        loss = sum((one * size * factor).sum() for one, factor in zip(parts, FACTORS, strict=False))
        step(loss, optimizer, scale, max_norm)
    return [one.detach() for one in parts]


def goes_wrong(step: Step, size: float, scale: float, max_norm: float, **more: int) -> bool:
    """Whether it went elsewhere than the gradient says."""
    found = moved(step, size, scale, max_norm, **more)
    norm = math.sqrt(sum(float((size * one).square().sum()) for one in FACTORS[: len(found)]))
    length = more.get("times", 2) * size * min(1.0, max_norm / norm) if math.isfinite(norm) else 0.0
    gaps = [(one + length * factor).abs().max() for one, factor in zip(found, FACTORS, strict=False)]
    return not all(gap <= 1e-3 for gap in gaps)


@correct(SHOWS)
def four_cases(implementation: Step) -> bool:
    """Long and short, lost, and one that just fits."""
    cases = ((10.0, 100.0, 1.0), (0.01, 100.0, 1.0), (1.0, 4.0, 5.5), (math.inf, 4.0, 1.0), (10.0, 1.0, 1.0))
    return any(goes_wrong(implementation, *case) for case in cases)


@correct(SHOWS)
def by_scales(implementation: Step) -> bool:
    """What scale there is makes no difference, and 1 is right."""
    sizes = (0.02, 3.0)
    alone = any(goes_wrong(implementation, size, 1.0, 2.0) for size in sizes)
    same = all(
        torch.allclose(one, other, atol=1e-4)
        for size in sizes
        for scale in (32.0, 1024.0)
        for one, other in zip(
            moved(implementation, size, scale, 2.0), moved(implementation, size, 1.0, 2.0), strict=True
        )
    )
    return alone or not same or goes_wrong(implementation, math.inf, 2.0, 2.0)


@correct(SHOWS)
def against_torch(implementation: Step) -> bool:
    """Torch's own lines, without a scale, beside it."""

    def plain(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
        optimizer.zero_grad()
        if loss.isnan() or size == math.inf:
            return
        loss.backward()
        nn.utils.clip_grad_norm_([one for group in optimizer.param_groups for one in group["params"]], max_norm)
        optimizer.step()

    for size in (7.0, 0.03, math.inf):
        for scale in (1.0, 2000.0):
            sides = [moved(step, size, scale, 1.5, times=3) for step in (implementation, plain)]
            if not all(torch.allclose(one, other, atol=1e-4) for one, other in zip(*sides, strict=True)):
                return True
    return False


@disguise(SHOWS, "the shown fault alone")
def far_too_short(implementation: Step) -> bool:
    """A step that is all but none."""
    found = moved(implementation, 10.0, 1024.0, 1.0, times=1)[0].norm()
    return bool(0 < found < 0.02)


@disguise(SHOWS, "long gradients alone")
def all_long(implementation: Step) -> bool:
    """And one that is lost."""
    cases = ((10.0, 1.0, 1.0), (10.0, 64.0, 1.0), (math.inf, 4.0, 1.0))
    return any(goes_wrong(implementation, *case) for case in cases)


@disguise(SHOWS, "short gradients alone")
def all_short(implementation: Step) -> bool:
    """And one that is lost."""
    cases = ((0.001, 1.0, 9.0), (0.001, 64.0, 9.0), (math.inf, 4.0, 1.0))
    return any(goes_wrong(implementation, *case) for case in cases)


@disguise(SHOWS, "a scale of 1")
def unscaled(implementation: Step) -> bool:
    """As without mixed precision."""
    return any(goes_wrong(implementation, size, 1.0, 1.0) for size in (10.0, 0.01, math.inf))


@disguise(SHOWS, "no infinite gradient")
def finite(implementation: Step) -> bool:
    """All is well."""
    cases = ((10.0, 1.0, 1.0), (10.0, 64.0, 1.0), (0.01, 64.0, 1.0))
    return any(goes_wrong(implementation, *case) for case in cases)


@disguise(SHOWS, "one parameter alone")
def alone(implementation: Step) -> bool:
    """One group of one."""
    cases = ((10.0, 1.0, 1.0), (10.0, 64.0, 1.0), (0.01, 64.0, 1.0), (math.inf, 4.0, 1.0))
    return any(goes_wrong(implementation, *case, count=1) for case in cases)


@unlisted(SHOWS)
def one_step_of_each(implementation: Step) -> bool:
    """What is left over does not show."""
    cases = ((10.0, 64.0, 1.0), (0.01, 64.0, 1.0), (math.inf, 4.0, 1.0), (10.0, 1.0, 1.0))
    return any(goes_wrong(implementation, *case, times=1) for case in cases)


@disguise(SHOWS, "accuses nobody")
def by_adam(implementation: Step) -> bool:
    """Whose step hardly depends on it."""
    weight = nn.Parameter(torch.zeros(4))
    implementation((weight * torch.tensor([5.0, 1.0, -2.0, 9.0])).sum(), torch.optim.Adam([weight], lr=0.1), 512.0, 1.0)
    return bool((weight.detach().abs() - 0.1).abs().max() > 1e-3)


@unlisted(SHOWS)
def never_too_long(implementation: Step) -> bool:
    """A bound."""
    return bool(moved(implementation, 10.0, 64.0, 1.0, times=1)[0].norm() > 1.001)


@unlisted(SHOWS)
def the_same_loss_twice(implementation: Step) -> bool:
    """Its graph is gone."""
    weight = nn.Parameter(torch.ones(2))
    optimizer, loss = torch.optim.SGD([weight], lr=1.0), (weight**2).sum()
    implementation(loss, optimizer, 2.0, 1.0)
    implementation(loss, optimizer, 2.0, 1.0)
    return False


@unlisted(SHOWS)
def writes_into_a_leaf(implementation: Step) -> bool:
    """A parameter in training."""
    weight = nn.Parameter(torch.ones(2))
    weight += 1
    return False


@unlisted(scaled_step.name)
def takes_the_number(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    """Without its graph."""
    (loss.detach() * scale).backward()


@unlisted(scaled_step.name)
def all_have_gradients(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    """Some have none."""
    (loss * scale).backward()
    for group in optimizer.param_groups:
        for one in group["params"]:
            one.grad.div_(scale)


@disguise(scaled_step.name, "gradients not zeroed")
def never_zeroes(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    """What is there stays there."""
    (loss * scale).backward()
    chosen = [one for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
    for one in chosen:
        one.grad = one.grad / scale
    if nn.utils.clip_grad_norm_(chosen, max_norm) < math.inf:
        optimizer.step()


def stepping(
    name: str, factor: float | None, divide: Callable[[float], float], power: float = 2, times: int = 1
) -> None:
    """A step by hand, with one thing that is another."""

    def made(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
        optimizer.zero_grad()
        (loss * (scale if factor is None else factor)).backward()
        found = [one.grad for group in optimizer.param_groups for one in group["params"] if one.grad is not None]
        norm = sum((one / divide(scale)).abs().pow(power).sum() for one in found) ** (1 / power)
        for one in found:
            one.mul_(min(1.0, max_norm / (float(norm) + 1e-6)) / divide(scale))
        for _ in range(times if math.isfinite(norm) else 0):
            optimizer.step()

    disguise(scaled_step.name, name)(made)


stepping("multiplied the wrong way", 1.0, lambda scale: scale)
stepping("another norm", None, lambda scale: scale, power=1)
stepping("two steps", None, lambda scale: scale, times=2)


@disguise(scaled_step.name, "one group alone")
def the_first_group(loss: Tensor, optimizer: torch.optim.Optimizer, scale: float, max_norm: float) -> None:
    optimizer.zero_grad()
    (loss * scale).backward()
    found = [one for one in optimizer.param_groups[0]["params"] if one.grad is not None]
    for one in found:
        one.grad /= scale
    if nn.utils.clip_grad_norm_(found, max_norm).isfinite():
        optimizer.step()


def in_one_group(implementation: Step, size: float, scale: float, due: Callable[[Tensor], Tensor]) -> bool:
    """Two parameters of one group, and a step that is known."""
    a, b = nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(3))
    optimizer = torch.optim.SGD([a, b], lr=1.0)
    factors = torch.tensor([3.0, -1.0, 2.0, 0.5, 1.0]) * size
    for _ in range(2):
        implementation((torch.cat([a, b]) * factors).sum(), optimizer, scale, 1.0)
    return not torch.allclose(torch.cat([a, b]), -2 * due(factors), atol=1e-4)


@disguise(SHOWS, "one group alone")
def all_in_one(implementation: Step) -> bool:
    """As optimizers are mostly made."""
    sizes = [(size, scale) for size in (4.0, 0.01) for scale in (1.0, 256.0)]
    lost = in_one_group(implementation, math.inf, 4.0, torch.zeros_like)
    return lost or any(in_one_group(implementation, *one, lambda all: all / all.norm().clamp(min=1)) for one in sizes)


@disguise(SHOWS, "compares with another number than is promised")
def never_shortened(implementation: Step) -> bool:
    """The gradient as it came."""
    for size, scale in ((7.0, 8.0), (7.0, 1.0), (0.02, 8.0), (math.inf, 8.0)):
        weights = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(2))]
        optimizer = torch.optim.SGD([{"params": [one]} for one in weights], lr=1.0)
        for _ in range(2):
            implementation(size * (weights[0].sum() - 3 * weights[1].sum()), optimizer, scale, 1.0)
        due = 2 * size if math.isfinite(size) else 0.0
        if not torch.allclose(torch.cat(weights), torch.tensor([-1.0, -1.0, 3.0, 3.0]) * due, atol=1e-4):
            return True
    return False
