"""From a loss to a step (Vaswani et al. 2017, section 5): what is asked, how wrong it was, what is done about it."""

import math
from collections.abc import Iterable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn


def shift_right(tgt: Int[Tensor, "batch tgt_len"], bos_id: int) -> Int[Tensor, "batch tgt_len"]:
    """Make the decoder's input: the target moved one place to the right, with bos_id in front.

    Args:
        tgt: what is to be written.
        bos_id: the token that stands before the first.

    Returns:
        bos_id, then all of `tgt` but its last token: the shape of `tgt`.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.1: outputs are offset by one
    position.
    """
    # BEGIN SOLUTION
    first = torch.full_like(tgt[:, :1], bos_id)  # (batch, 1)
    return torch.cat([first, tgt[:, :-1]], dim=1)  # (batch, tgt_len)
    # END SOLUTION


def label_smoothed_cross_entropy(
    logits: Float[Tensor, "... vocab_size"],
    targets: Int[Tensor, "..."],
    smoothing: float = 0.1,
    pad_id: int = 0,
) -> Float[Tensor, ""]:
    """Measure how far the model's distribution is from one that is almost sure of the target.

    The distribution asked for has a share of 1 - smoothing on the target, and spreads the share
    `smoothing` evenly over all classes, the target and pad_id included.

    Args:
        logits: scores before the softmax.
        targets: the tokens that are right.
        smoothing: from 0, which asks for certainty, to below 1.
        pad_id: a token of the vocabulary; places where it is the target do not count.

    Returns:
        The cross-entropy in nats: the mean over all places that count, those of all sequences alike.

    Raises:
        ValueError: if no place counts, or smoothing lies outside [0, 1).

    Source: Szegedy et al., "Rethinking the Inception Architecture" (2016), section 7; Vaswani et al.
    (2017), section 5.4; equals F.cross_entropy(..., label_smoothing=smoothing, ignore_index=pad_id).
    """
    if not 0 <= smoothing < 1:
        raise ValueError(f"smoothing={smoothing}; give a share from 0 to below 1")
    real = targets != pad_id  # (...)
    if not real.any():
        raise ValueError(f"no target counts: all {targets.numel()} of them are pad_id={pad_id}")
    # 1. the log-probability of every class at every place
    # 2. two losses for every place: of the target, and the mean over all classes; mix them
    # 3. the mean over the places that are no padding
    # BEGIN SOLUTION
    log_probs = logits.log_softmax(dim=-1)  # (..., vocab_size)
    of_target = -log_probs.gather(-1, targets.unsqueeze(-1)).squeeze(-1)  # (...)
    of_all = -log_probs.mean(dim=-1)  # (...)
    losses = (1 - smoothing) * of_target + smoothing * of_all  # (...)
    return losses[real].mean()
    # END SOLUTION


def warmup_lr(step: int, d_model: int, warmup_steps: int) -> float:
    """The paper's learning rate: up in a straight line, then down with one over the root of the step.

    Args:
        step: the number of the step, counted from 1.
        d_model: number of features of a token.
        warmup_steps: how long it rises.

    Returns:
        d_model^-½ · min(step^-½, step · warmup_steps^-1½).

    Raises:
        ValueError: if step is below 1.

    Source: Vaswani et al., "Attention Is All You Need" (2017), section 5.3, equation 3.
    """
    if step < 1:
        raise ValueError(f"step={step}; steps are counted from 1")
    # BEGIN SOLUTION
    return d_model**-0.5 * min(step**-0.5, step * warmup_steps**-1.5)
    # END SOLUTION


def cosine_lr(
    step: int,
    max_lr: float,
    warmup_steps: int,
    total_steps: int,
    min_lr: float = 0.0,
) -> float:
    """A learning rate that goes up in a straight line to max_lr, then down half a cosine to min_lr.

    Args:
        step: the number of the step.
        max_lr: reached at step = warmup_steps.
        warmup_steps: how long it rises, from 0 at step 0.
        total_steps: the step at which min_lr is reached; from there on it stays.
        min_lr: the rate at the end.

    Returns:
        The learning rate of that step.

    Raises:
        ValueError: if the warm-up is not over before the end.

    Source: Loshchilov, Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts" (2017),
    equation 5, once, after a linear warm-up.
    """
    if not 0 <= warmup_steps < total_steps:
        limits = f"0 to below total_steps={total_steps}"
        raise ValueError(f"warmup_steps={warmup_steps} does not lie in {limits}")
    # 1. while step < warmup_steps: the straight line
    # 2. after that: how far along it is, 0 at warmup_steps, 1 at total_steps and later
    # 3. half a cosine: 1 at 0, 0 at 1; from max_lr down to min_lr
    # BEGIN SOLUTION
    if step < warmup_steps:
        return max_lr * step / warmup_steps
    progress = min(1.0, (step - warmup_steps) / (total_steps - warmup_steps))
    return min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * progress)) / 2
    # END SOLUTION


def clip_gradients_(parameters: Iterable[nn.Parameter], max_norm: float) -> float:
    """Shorten the gradient, all parameters taken together as one long vector, to at most max_norm.

    Args:
        parameters: those whose `.grad` is scaled in place; those without one are left out.
        max_norm: the length that it may have.

    Returns:
        The length that it had; 0 if there is no gradient at all.

    Source: Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural networks" (2013),
    algorithm 1; as torch.nn.utils.clip_grad_norm_, which adds 1e-6 to the length it divides by.
    """
    # 1. the length of the long vector: the root of the sum of all squares
    # 2. one factor for all gradients; nothing is made longer
    # BEGIN SOLUTION
    gradients = [one.grad for one in parameters if one.grad is not None]
    norm = math.sqrt(sum(one.square().sum().item() for one in gradients))
    if norm > max_norm:
        for gradient in gradients:
            gradient.mul_(max_norm / norm)
    return norm
    # END SOLUTION


class AdamW(torch.optim.Optimizer):
    """Follow a running mean of the gradient, each number at its own pace; decay weights separately.

    Args:
        params: parameters, or groups of them as in torch.optim.
        lr: learning rate.
        betas: how much of the two running means is kept at each step.
        eps: added to the root, in the unit of a gradient.
        weight_decay: at every step a weight loses lr · weight_decay of itself.

    Source: Loshchilov, Hutter, "Decoupled Weight Decay Regularization" (2019), algorithm 2, with
    the decay multiplied by lr as well, as torch.optim.AdamW has it.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]
        """Change every parameter that has a gradient."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, parameter.grad, self.state[parameter], group)

    def _update(
        self,
        parameter: Tensor,
        gradient: Tensor,
        state: dict[str, Any],
        group: dict[str, Any],
    ) -> None:
        """Change one parameter in place, and leave its gradient as it is.

        `state` is the parameter's own dictionary: empty at first, kept from step to step, and saved
        with the optimizer.
        """
        if not state:
            state.update(step=0, mean=torch.zeros_like(parameter), square=torch.zeros_like(parameter))
        lr, eps, weight_decay = group["lr"], group["eps"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        # 1. count the step
        # 2. decay: the parameter loses lr · weight_decay of itself
        # 3. the running means of the gradient and of its square
        # 4. both start at 0, so divide them by 1 - beta^step
        # 5. lr · mean / (√square + eps)
        # BEGIN SOLUTION
        state["step"] += 1
        parameter.mul_(1 - lr * weight_decay)
        state["mean"].mul_(beta1).add_(gradient, alpha=1 - beta1)
        state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)
        mean = state["mean"] / (1 - beta1 ** state["step"])
        square = state["square"] / (1 - beta2 ** state["step"])
        parameter.sub_(lr * mean / (square.sqrt() + eps))
        # END SOLUTION


def decay_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Sort a model's parameters into those whose weights decay and those that are left alone.

    Args:
        model: any module.
        weight_decay: for the first group.

    Returns:
        Two groups for an optimizer, each `{"params": [...], "weight_decay": ...}`. The first has
        weight_decay and holds all weights of layers and tables, which have two dimensions or more; the
        second has 0.0 and holds norms and biases, which have one. What is shared is listed once.

    Source: the practice since Radford et al., "Improving Language Understanding by Generative
    Pre-Training" (2018), section 4.1: L2 "on all non bias or gain weights".
    """
    # BEGIN SOLUTION
    parameters = list(model.parameters())
    return [
        {"params": [one for one in parameters if one.dim() > 1], "weight_decay": weight_decay},
        {"params": [one for one in parameters if one.dim() <= 1], "weight_decay": 0.0},
    ]
    # END SOLUTION
