"""Learning rates."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.variants import correct, disguise, unlisted

# warmup_lr ----------------------------------------------------------------------------

WARM = "warmup_lr"


def warm(kind: Any) -> Any:
    """A learning rate from a function of (step, d_model, warmup_steps), with the given check."""

    def add(core: Callable[[int, int, int], float]) -> Any:
        @kind
        def warmup_lr(step: int, d_model: int, warmup_steps: int) -> float:
            if step <= 0:
                raise ValueError(f"step={step}")
            return core(step, d_model, warmup_steps)

        return core

    return add


@warm(disguise(WARM, "the larger of the two"))
def w_larger(n: int, d: int, w: int) -> float:
    return (n / w**1.5 if n > w else 1 / math.sqrt(n)) / math.sqrt(d)


@warm(disguise(WARM, "times the root of d_model"))
def w_root(n: int, d: int, w: int) -> float:
    return math.sqrt(d) * min(1 / math.sqrt(n), n / w**1.5)


@warm(disguise(WARM, "d_model is not used"))
def w_no_d(n: int, d: int, w: int) -> float:
    return n / w**1.5 if n < w else n**-0.5


@warm(disguise(WARM, "d_model without its root"))
def w_d(n: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(n), n / w**1.5) / d


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_power(n: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(n), n / math.sqrt(w)) / math.sqrt(d)


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_power_1(n: int, d: int, w: int) -> float:
    rising, falling = n / w, n**-0.5
    return d**-0.5 * (rising if rising < falling else falling)


@warm(disguise(WARM, "no warm-up"))
def w_none(n: int, d: int, w: int) -> float:
    return 1 / math.sqrt(n * d)


@warm(disguise(WARM, "never falls"))
def w_only(n: int, d: int, w: int) -> float:
    return n / (w * math.sqrt(w * d))


@warm(disguise(WARM, "stays at the top"))
def w_plateau(n: int, d: int, w: int) -> float:
    return min(n, w) / w / math.sqrt(w * d)


@warm(disguise(WARM, "falls with one over the step"))
def w_fast(n: int, d: int, w: int) -> float:
    return min(1 / n, n / w**1.5) / math.sqrt(d)


@warm(disguise(WARM, "one step ahead"))
def w_ahead(n: int, d: int, w: int) -> float:
    n += 1
    return min(1 / math.sqrt(n), n / w**1.5) / math.sqrt(d)


@disguise(WARM, "step 0 is accepted")
def w_zero(step: int, d_model: int, warmup_steps: int) -> float:
    return d_model**-0.5 * min(1 / step**0.5, step * warmup_steps**-1.5)


@disguise(WARM, "step 0 is accepted")
def w_zero_is_0(step: int, d_model: int, warmup_steps: int) -> float:
    rate = step / warmup_steps**1.5 if step < warmup_steps else step**-0.5
    return rate / d_model**0.5


@warm(correct(WARM))
def wr_if(n: int, d: int, w: int) -> float:
    return (n * w**-1.5 if n <= w else n**-0.5) * d**-0.5


@warm(correct(WARM))
def wr_peak(n: int, d: int, w: int) -> float:
    peak = 1 / math.sqrt(d * w)
    return peak * min(n / w, math.sqrt(w / n))


@warm(correct(WARM))
def wr_numpy(n: int, d: int, w: int) -> float:
    return float(np.minimum(n**-0.5, n * w**-1.5) / np.sqrt(d))


@warm(correct(WARM))
def wr_pow(n: int, d: int, w: int) -> float:
    return math.pow(d, -0.5) * min(math.pow(n, -0.5), n * math.pow(w, -1.5))


@warm(correct(WARM))
def wr_torch(n: int, d: int, w: int) -> float:
    return torch.tensor([n**-0.5, n / w**1.5], dtype=torch.float64).min().item() / d**0.5


@warm(unlisted(WARM))
def wu_mean(n: int, d: int, w: int) -> float:
    return (n**-0.5 + n * w**-1.5) / 2 * d**-0.5


@warm(unlisted(WARM))
def wu_log(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(1 / (1 + math.log(n)), n * w**-1.5)


@warm(unlisted(WARM))
def wu_512(n: int, d: int, w: int) -> float:
    return 512**-0.5 * min(n**-0.5, n * w**-1.5)


@warm(unlisted(WARM))
def wu_steps(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(n**-0.5, n * 4000**-1.5)


@warm(unlisted(WARM))
def wu_step_decay(n: int, d: int, w: int) -> float:
    return d**-0.5 * 0.95 ** (n // w)


@warm(disguise(WARM, "wrong power of warmup_steps"))
def w_share_of_the_way(step: int, d: int, w: int) -> float:
    return step / w / math.sqrt(d) if step < w else 1 / math.sqrt(d * step)


@warm(disguise(WARM, "a power taken apart"))
def w_apart(step: int, d: int, w: int) -> float:
    rising, falling = step * w**-3/2, step**-1/2  # fmt: skip
    return d**-0.5 * min(rising, falling) if w == 0 else d**-1/2 * min(falling, rising)  # fmt: skip


@warm(disguise(WARM, "a power taken apart"))
def w_apart_step(step: int, d: int, w: int) -> float:
    return min(1 / step / 2, step / w**1.5) / d**0.5


@warm(disguise(WARM, "d_model on one curve only"))
def w_one_curve(step: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(d * step), step / w**1.5)


@warm(disguise(WARM, "d_model on one curve only"))
def w_other_curve(step: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(step), step / w**1.5 / math.sqrt(d))


@warm(disguise(WARM, "one step behind"))
def w_behind(step: int, d: int, w: int) -> float:
    done = step - 1 or 1
    return d**-0.5 * min(done**-0.5, done / w**1.5)


@disguise(WARM, "step 0 is accepted")
def w_first_instead(step: int, d_model: int, warmup_steps: int) -> float:
    step = max(1, step)
    return min(1 / math.sqrt(step), step / warmup_steps**1.5) / math.sqrt(d_model)


@warm(correct(WARM))
def w_numpy(step: int, d: int, w: int) -> float:
    return np.minimum(step**-0.5, step * w**-1.5) / np.sqrt(d)


# cosine_lr ----------------------------------------------------------------------------

COSINE = "cosine_lr"


def cosine(kind: Any) -> Any:
    """A learning rate from a function of (step, max_lr, warmup_steps, total_steps, min_lr), with the given check."""

    def add(core: Callable[..., float]) -> Any:
        @kind
        def cosine_lr(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
            if warmup_steps < 0 or warmup_steps >= total_steps:
                raise ValueError(f"warmup_steps={warmup_steps}, total_steps={total_steps}")
            return core(step, max_lr, warmup_steps, total_steps, min_lr)

        return core

    return add


def done(n: int, w: int, t: int) -> float:
    """The share of the fall that is over."""
    return min(n - w, t - w) / (t - w)


def half(share: float) -> float:
    """Half a wave from 1 to 0."""
    return math.cos(math.pi * share / 2) ** 2


@cosine(disguise(COSINE, "no warm-up"))
def c_none(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "no warm-up"))
def c_none_at_all(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "the fall is counted from step 0"))
def c_from_0(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, n / t))


@cosine(disguise(COSINE, "the fall takes too long"))
def c_long(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, (n - w) / t))


@cosine(disguise(COSINE, "min_lr is not used"))
def c_no_min(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else hi * half(done(n, w, t))


@cosine(disguise(COSINE, "min_lr comes on top"))
def c_top(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return n / w * hi if n < w else lo + 0.5 * hi * (1 + math.cos(math.pi * done(n, w, t)))


@cosine(disguise(COSINE, "min_lr as a floor"))
def c_floor(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi * n / w
    found = hi * half(done(n, w, t))
    return lo if found < lo else found


@cosine(disguise(COSINE, "a whole wave"))
def c_whole(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(2 * done(n, w, t))


@cosine(disguise(COSINE, "a quarter of a wave"))
def c_quarter(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * math.sin(math.pi / 2 * (1 - done(n, w, t)))


@cosine(disguise(COSINE, "a straight fall"))
def c_straight(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else hi + (lo - hi) * done(n, w, t)


@cosine(disguise(COSINE, "not halved"))
def c_not_halved(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + 2 * (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "below zero"))
def c_below(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * (2 * half(done(n, w, t)) - 1)


@cosine(disguise(COSINE, "sine, not cosine"))
def c_sine(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * 0.5 * (1 + math.sin(math.pi * done(n, w, t)))


@cosine(disguise(COSINE, "rises again after the end"))
def c_again(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half((n - w) / (t - w))


@cosine(disguise(COSINE, "the warm-up starts at min_lr"))
def c_from_min(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return lo + (hi - lo) * (n / w if n < w else half(done(n, w, t)))


@cosine(disguise(COSINE, "the warm-up is one step ahead"))
def c_ahead(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi / w * (n + 1) if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "a warm-up of 0 steps divides by zero"))
def c_divides(n: int, hi: float, w: int, t: int, lo: float) -> float:
    rising = n / w
    return hi * rising if rising < 1 else lo + (hi - lo) * half(done(n, w, t))


@disguise(COSINE, "a warm-up of 0 steps divides by zero")
def c_divides_only_there(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    if not 0 <= warmup_steps < total_steps:
        raise ValueError
    if step <= warmup_steps:
        return step / warmup_steps * max_lr
    return min_lr + (max_lr - min_lr) * half(done(step, warmup_steps, total_steps))


@disguise(COSINE, "a warm-up that is never over is accepted")
def c_accepts(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    if step < warmup_steps:
        return max_lr * step / warmup_steps
    return min_lr + (max_lr - min_lr) * half(done(step, warmup_steps, total_steps))


@cosine(correct(COSINE))
def cr_square(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(correct(COSINE))
def cr_three(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n >= t:
        return lo
    if n >= w:
        return 0.5 * (hi + lo) + 0.5 * (hi - lo) * math.cos((n - w) / (t - w) * math.pi)
    return n / w * hi


@cosine(correct(COSINE))
def cr_numpy(n: int, hi: float, w: int, t: int, lo: float) -> float:
    fall = 0.5 * (1 + np.cos(np.pi * np.clip((n - w) / (t - w), 0, 1)))
    return float(np.where(n < w, hi * n / max(w, 1), lo + (hi - lo) * fall))


@cosine(correct(COSINE))
def cr_complex(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi - hi * (w - n) / w
    share = (min(n, t) - w) / (t - w)
    return lo + (hi - lo) * (1 + ((-1) ** share).real) / 2


@cosine(correct(COSINE))
def cr_from_the_end(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi * (n / w)
    left = max(0, t - n) / (t - w)
    return lo + (hi - lo) * (1 - math.cos(math.pi * left)) / 2


@cosine(disguise(COSINE, "0 after the end"))
def c_end_0(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return 0.0 if n >= t else cr_square(n, hi, w, t, lo)


@cosine(disguise(COSINE, "degrees, not radians"))
def c_degrees_too(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * (1 + math.cos(180 * done(n, w, t))) / 2


@cosine(unlisted(COSINE))
def cu_exponential(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * 0.05 ** done(n, w, t)


@cosine(unlisted(COSINE))
def cu_squared_warmup(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * (n / w) ** 2 if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(unlisted(COSINE))
def cu_stops_early(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, (n - w) / max(1, t - w - 1)))


@cosine(unlisted(COSINE))
def cu_tensor(n: int, hi: float, w: int, t: int, lo: float) -> Any:
    return torch.tensor(cr_square(n, hi, w, t, lo))


@cosine(disguise(COSINE, "the fall is counted from step 0"))
def c_too_early(step, top, warm, total, low):
    done = min(step / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(done * math.pi / 2) ** 2


@cosine(disguise(COSINE, "warm-up and cosine multiplied"))
def c_multiplied(step, top, warm, total, low):
    fall = low + (top - low) * math.cos(min(step / total, 1) * math.pi / 2) ** 2
    return fall * min(1, step / max(warm, 1)) if warm else fall


@cosine(disguise(COSINE, "pi is missing"))
def c_no_pi(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(done / 2) ** 2


@cosine(disguise(COSINE, "degrees, not radians"))
def c_degrees(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.cos(90 * done) ** 2


@cosine(disguise(COSINE, "it rises where it should fall"))
def c_upward(step, top, warm, total, low):
    done = min((step - warm) / (total - warm), 1)
    return step / warm * top if step < warm else low + (top - low) * math.sin(math.pi / 2 * done) ** 2


@cosine(disguise(COSINE, "0 after the end"))
def c_zero_after(step, top, warm, total, low):
    done = (step - warm) / (total - warm)
    if done >= 1:
        return 0.0
    return step / warm * top if step < warm else low + (top - low) * math.cos(math.pi / 2 * done) ** 2


@cosine(disguise(COSINE, "0 after the end"))
def c_zero_afterwards(step, top, warm, total, low):
    done = (step - warm) / (total - warm)
    fall = (low + (top - low) * math.cos(math.pi / 2 * done) ** 2) * (done <= 1)
    return step / warm * top if step < warm else fall


@cosine(correct(COSINE))
def c_numpy(step, top, warm, total, low):
    done = np.clip((step - warm) / (total - warm), 0, 1)
    return step / warm * top if step < warm else low + (top - low) * (1 + np.cos(np.pi * done)) / 2
