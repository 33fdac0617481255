"""Learning rates."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.variants import correct, disguise, slips, unlisted

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


@warm(correct(WARM))
def wr_numpy(n: int, d: int, w: int) -> float:
    return float(np.minimum(n**-0.5, n * w**-1.5) / np.sqrt(d))


@warm(correct(WARM))
def wr_torch(n: int, d: int, w: int) -> float:
    return torch.tensor([n**-0.5, n / w**1.5], dtype=torch.float64).min().item() / d**0.5


@warm(disguise(WARM, "the rise is no straight line"))
def w_bent(n: int, d: int, w: int) -> float:
    return min(1.0, n / w) / math.sqrt(d * n)


@warm(disguise(WARM, "the top is always the same"))
def w_top(n: int, d: int, w: int) -> float:
    share = n / w if n < w else math.sqrt(w / n)
    return share / math.sqrt(d)


@warm(disguise(WARM, "two arguments exchanged"))
def w_exchanged(n: int, w: int, d: int) -> float:
    return (n / w**1.5 if n / w**1.5 < 1 / math.sqrt(n) else 1 / math.sqrt(n)) / math.sqrt(d)


@warm(disguise(WARM, "both curves at once"))
def w_both(n: int, d: int, w: int) -> float:
    return math.sqrt(n / d) / (w * math.sqrt(w))


@warm(disguise(WARM, "the fall is counted from warmup_steps"))
def w_anew(n: int, d: int, w: int) -> float:
    return (1 / math.sqrt(n - w) if n > w else n / w**1.5) / math.sqrt(d)


@warm(disguise(WARM, "both curves at once"))
def wu_mean(n: int, d: int, w: int) -> float:
    return (n**-0.5 + n * w**-1.5) / 2 * d**-0.5


@warm(unlisted(WARM))
def wu_log(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(1 / (1 + math.log(n)), n * w**-1.5)


@warm(disguise(WARM, "d_model is not used"))
def wu_512(n: int, d: int, w: int) -> float:
    return 512**-0.5 * min(n**-0.5, n * w**-1.5)


@warm(disguise(WARM, "warmup_steps is not used"))
def wu_steps(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(n**-0.5, n * 4000**-1.5)


@warm(disguise(WARM, "the rate is rounded"))
def wu_six_digits(n: int, d: int, w: int) -> float:
    return round(d**-0.5 * min(n**-0.5, n * w**-1.5), 6)


@warm(unlisted(WARM))
def wu_cubic_root(n: int, d: int, w: int) -> float:
    return d**-0.5 * min(n ** (-1 / 3), n * w**-1.5)


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


@warm(disguise(WARM, "d_model on one curve only"))
def w_one_curve(step: int, d: int, w: int) -> float:
    return min(1 / math.sqrt(d * step), step / w**1.5)


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


# warmup_lr, slips in right code ----------------------------------------------------------------------------


def wr_two_stretches(step: int, d_model: int, warmup_steps: int) -> float:
    """Up, or down: whichever it is."""
    if step <= 0:
        raise ValueError("the first step is step 1")
    scale = 1 / math.sqrt(d_model)
    if step < warmup_steps:
        return scale * step / warmup_steps**1.5
    return scale / math.sqrt(step)


slips(
    WARM,
    wr_two_stretches,
    {
        "the larger of the two": {"step < warmup": "step > warmup"},
        "times the root of d_model": {"1 / math.sqrt(d_model)": "math.sqrt(d_model)"},
        "d_model is not used": {"1 / math.sqrt(d_model)": "1"},
        "d_model without its root": {"1 / math.sqrt(d_model)": "1 / d_model"},
        "wrong power of warmup_steps": [
            {"warmup_steps**1.5": "warmup_steps"},
            {"warmup_steps**1.5": "warmup_steps**0.5"},
            {"warmup_steps**1.5": "warmup_steps**2"},
            {"step < warmup": "step <= warmup", "warmup_steps**1.5": "warmup_steps"},
        ],
        "a power taken apart": [
            {"warmup_steps**1.5": "warmup_steps**3/2"},
            {"1 / math.sqrt(d_model)": "d_model**-1/2"},
            {"scale / math.sqrt(step)": "scale * step**-1/2"},
        ],
        "d_model on one curve only": [
            {"return scale * step": "return step"},
            {"return scale / math.sqrt(step)": "return 1 / math.sqrt(step)"},
        ],
        "one step behind": [
            {"    scale": "    step -= 1\n    scale"},
            {"    scale": "    step = max(step - 1, 1)\n    scale"},
        ],
        "no warm-up": {"    if step < warmup_steps:\n        return scale * step / warmup_steps**1.5\n": ""},
        "never falls": {"if step < warmup_steps:": "if warmup_steps:"},
        "stays at the top": {"math.sqrt(step)": "math.sqrt(warmup_steps)"},
        "falls with one over the step": {"math.sqrt(step)": "step"},
        "one step ahead": {"    scale": "    step += 1\n    scale"},
        "step 0 is accepted": [
            {"step <= 0": "step < 0"},
            {'        raise ValueError("the first step is step 1")': "        step = 1"},
        ],
    },
)


def wr_from_the_peak(step: int, d_model: int, warmup_steps: int) -> float:
    """The highest rate, times a share of it."""
    if not step >= 1:
        raise ValueError(f"there is no step {step}")
    peak = (d_model * warmup_steps) ** -0.5
    way = step / warmup_steps
    return peak * min(way, way**-0.5)


slips(
    WARM,
    wr_from_the_peak,
    {
        "the larger of the two": {"min(": "max("},
        "times the root of d_model": {"(d_model * warmup_steps) ** -0.5": "(d_model / warmup_steps) ** 0.5"},
        "d_model is not used": {"(d_model * warmup_steps)": "warmup_steps"},
        "d_model without its root": {"(d_model * warmup_steps) ** -0.5": "warmup_steps**-0.5 / d_model"},
        "a power taken apart": [{" ** -0.5": " ** -1 / 2"}, {"way**-0.5": "way**-1/2"}],
        "no warm-up": {"min(way, way**-0.5)": "way**-0.5"},
        "never falls": {"min(way, way**-0.5)": "way"},
        "stays at the top": {"way**-0.5": "1"},
        "falls with one over the step": {"way**-0.5": "1 / way"},
        "one step ahead": {"= step /": "= (step + 1) /"},
        "one step behind": {"= step /": "= max(step - 1, 1) /"},
        "step 0 is accepted": {'    if not step >= 1:\n        raise ValueError(f"there is no step {step}")\n': ""},
    },
)


def wr_two_curves(step: int, d_model: int, warmup_steps: int) -> float:
    """Both curves, and the lower of them."""
    if step <= 0:
        raise ValueError("steps count from 1")
    rising = step * math.pow(warmup_steps, -1.5)
    falling = math.pow(step, -0.5)
    lower = rising if rising < falling else falling
    return lower * math.pow(d_model, -0.5)


slips(
    WARM,
    wr_two_curves,
    {
        "the larger of the two": {"rising < falling": "rising > falling"},
        "times the root of d_model": {"math.pow(d_model, -0.5)": "math.pow(d_model, 0.5)"},
        "d_model is not used": {" * math.pow(d_model, -0.5)": ""},
        "d_model without its root": {" * math.pow(d_model, -0.5)": " / d_model"},
        "wrong power of warmup_steps": [
            {"math.pow(warmup_steps, -1.5)": "math.pow(warmup_steps, -0.5)"},
            {"math.pow(warmup_steps, -1.5)": "math.pow(warmup_steps, -2)"},
            {"* math.pow(warmup_steps, -1.5)": "/ warmup_steps"},
        ],
        "a power taken apart": [
            {"math.pow(d_model, -0.5)": "d_model**-1/2"},
            {"math.pow(step, -0.5)": "step**-1/2"},
            {"math.pow(warmup_steps, -1.5)": "warmup_steps**-3/2"},
            {"math.pow(d_model, -0.5)": "d_model**-1/2", "math.pow(step, -0.5)": "step**-1/2"},
        ],
        "d_model on one curve only": [
            {"return lower * math.pow(d_model, -0.5)": "return lower", "= step": "= d_model**-0.5 * step"},
            {"lower * math.pow(d_model, -0.5)": "lower", "math.pow(step, -0.5)": "math.pow(step * d_model, -0.5)"},
        ],
        "no warm-up": {"return lower": "return falling"},
        "never falls": {"return lower": "return rising"},
        "stays at the top": {"falling = math.pow(step,": "falling = math.pow(warmup_steps,"},
        "falls with one over the step": {"math.pow(step, -0.5)": "math.pow(step, -1)"},
        "one step ahead": {"= step *": "= (step + 1) *", "pow(step,": "pow(step + 1,"},
        "d_model is not used + falls with one over the step": {
            " * math.pow(d_model, -0.5)": "",
            "math.pow(step, -0.5)": "1 / step",
        },
    },
)


def wr_one_fraction(step: int, d_model: int, warmup_steps: int) -> float:
    """One fraction, with the larger of two below the line."""
    if step <= 0:
        raise ValueError(step)
    below = max(step**0.5, warmup_steps**1.5 / step)
    return 1 / (below * d_model**0.5)


slips(
    WARM,
    wr_one_fraction,
    {
        "the larger of the two": {"max(": "min("},
        "times the root of d_model": {"1 / (below * d_model**0.5)": "d_model**0.5 / below"},
        "d_model is not used": {" * d_model**0.5": ""},
        "d_model without its root": {"d_model**0.5": "d_model"},
        "wrong power of warmup_steps": [
            {"warmup_steps**1.5": "warmup_steps**0.5"},
            {"warmup_steps**1.5": "warmup_steps"},
            {"warmup_steps**1.5": "warmup_steps**2"},
        ],
        "d_model on one curve only": [
            {" * d_model**0.5": "", "(step**0.5": "((d_model * step) ** 0.5"},
            {" * d_model**0.5": "", "/ step)": "/ step * d_model**0.5)"},
        ],
        "no warm-up": {"max(step**0.5, warmup_steps**1.5 / step)": "step**0.5"},
        "never falls": {"max(step**0.5, warmup_steps**1.5 / step)": "warmup_steps**1.5 / step"},
        "stays at the top": {"(step**0.5": "(warmup_steps**0.5"},
        "falls with one over the step": {"(step**0.5": "(step"},
        "one step ahead": {"    below": "    step = step + 1\n    below"},
        "one step behind": {"    below": "    step = step - 1 or 1\n    below"},
        "step 0 is accepted": {"step <= 0": "step < 0"},
        "the larger of the two + times the root of d_model": {
            "max(": "min(",
            "1 / (below * d_model**0.5)": "d_model**0.5 / below",
        },
    },
)


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
def cr_numpy(n: int, hi: float, w: int, t: int, lo: float) -> float:
    fall = 0.5 * (1 + np.cos(np.pi * np.clip((n - w) / (t - w), 0, 1)))
    return float(np.where(n < w, hi * n / max(w, 1), lo + (hi - lo) * fall))


@cosine(correct(COSINE))
def cr_complex(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi - hi * (w - n) / w
    share = (min(n, t) - w) / (t - w)
    return lo + (hi - lo) * (1 + ((-1) ** share).real) / 2


@cosine(disguise(COSINE, "no fall until the end"))
def c_jump(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n >= t:
        return lo
    return hi * min(1.0, n / w) if w else hi


@cosine(disguise(COSINE, "min_lr right after the warm-up"))
def c_at_once(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n < w:
        return hi * n / w
    return lo + (hi - lo) * half(1 if n < t else (n - w) / (t - w))


@cosine(disguise(COSINE, "the wave lies too low or is too high"))
def c_low(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else (hi - lo) * (half(done(n, w, t)) - 0.5)


@cosine(disguise(COSINE, "max_lr after the end"))
def c_top_again(n: int, hi: float, w: int, t: int, lo: float) -> float:
    if n > t:
        return hi
    return hi * n / w if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "the warm-up is one step behind"))
def c_behind(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return (n - 1) / w * hi if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "the warm-up does not lead to max_lr"))
def c_share(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return n / w if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "line and cosine exchanged"))
def c_exchanged(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return lo + (hi - lo) * half(done(n, w, t)) if n <= w else hi / w * n


@cosine(unlisted(COSINE))
def cu_in_three(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * round(3 * half(done(n, w, t))) / 3


@cosine(unlisted(COSINE))
def cu_cubed(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(done(n, w, t)) ** 3


@cosine(unlisted(COSINE))
def cu_exponential(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * 0.05 ** done(n, w, t)


@cosine(disguise(COSINE, "the warm-up is no straight line"))
def cu_squared_warmup(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * (n / w) ** 2 if n < w else lo + (hi - lo) * half(done(n, w, t))


@cosine(disguise(COSINE, "the fall is one step off"))
def cu_stops_early(n: int, hi: float, w: int, t: int, lo: float) -> float:
    return hi * n / w if n < w else lo + (hi - lo) * half(min(1, (n - w) / max(1, t - w - 1)))


@cosine(unlisted(COSINE))
def cu_tensor(n: int, hi: float, w: int, t: int, lo: float) -> Any:
    return torch.tensor(cr_square(n, hi, w, t, lo))


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
def c_zero_afterwards(step, top, warm, total, low):
    done = (step - warm) / (total - warm)
    fall = (low + (top - low) * math.cos(math.pi / 2 * done) ** 2) * (done <= 1)
    return step / warm * top if step < warm else fall


@cosine(correct(COSINE))
def c_numpy(step, top, warm, total, low):
    done = np.clip((step - warm) / (total - warm), 0, 1)
    return step / warm * top if step < warm else low + (top - low) * (1 + np.cos(np.pi * done)) / 2


# cosine_lr, slips in right code ----------------------------------------------------------------------------


def cr_three_stretches(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    """Over, or before it, or in it: around the middle of both rates."""
    if warmup_steps < 0 or total_steps <= warmup_steps:
        raise ValueError("the warm-up has to be over before the end")
    if step >= total_steps:
        return min_lr
    if warmup_steps > step:
        return step / warmup_steps * max_lr
    angle = math.pi * (step - warmup_steps) / (total_steps - warmup_steps)
    middle, swing = (max_lr + min_lr) / 2, (max_lr - min_lr) / 2
    return middle + swing * math.cos(angle)


slips(
    COSINE,
    cr_three_stretches,
    {
        "no warm-up": [
            {"return step / warmup_steps * max_lr": "return max_lr"},
            {"    if warmup_steps > step:\n        return step / warmup_steps * max_lr\n": ""},
        ],
        "the fall is counted from step 0": [
            {"(step - warmup_steps) / (total_steps - warmup_steps)": "step / total_steps"},
            {"(step - warmup_steps) /": "step /"},
        ],
        "the fall takes too long": {"/ (total_steps - warmup_steps)": "/ total_steps"},
        "min_lr is not used": [
            {"(max_lr + min_lr) / 2, (max_lr - min_lr)": "max_lr / 2, max_lr"},
            {"(max_lr + min_lr) / 2, (max_lr - min_lr)": "max_lr / 2, max_lr", "return min_lr": "return 0.0"},
        ],
        "min_lr comes on top": {"(max_lr + min_lr) / 2, (max_lr - min_lr)": "min_lr + max_lr / 2, max_lr"},
        "a whole wave": {"math.pi *": "2 * math.pi *"},
        "not halved": {"(max_lr + min_lr) / 2, (max_lr - min_lr) / 2": "max_lr, max_lr - min_lr"},
        "below zero": {"(max_lr + min_lr) / 2, (max_lr - min_lr) / 2": "min_lr, max_lr - min_lr"},
        "pi is missing": {"math.pi * ": ""},
        "degrees, not radians": {"math.pi *": "180 *"},
        "it rises where it should fall": [
            {"middle + swing": "middle - swing"},
            {"(max_lr - min_lr)": "(min_lr - max_lr)"},
        ],
        "0 after the end": {"return min_lr": "return 0.0"},
        "sine, not cosine": {"math.cos": "math.sin"},
        "rises again after the end": {"    if step >= total_steps:\n        return min_lr\n": ""},
        "the warm-up starts at min_lr": {"/ warmup_steps * max_lr": "/ warmup_steps * (max_lr - min_lr) + min_lr"},
        "the warm-up is one step ahead": [
            {"return step / warmup_steps": "return (step + 1) / warmup_steps"},
            {"return step / warmup_steps": "return (step + 1) / (warmup_steps + 1)"},
        ],
        "a warm-up of 0 steps divides by zero": {"warmup_steps > step:": "warmup_steps >= step:"},
        "a warm-up that is never over is accepted": [
            {"total_steps <= warmup": "total_steps < warmup"},
            {
                "    if warmup_steps < 0 or total_steps <= warmup_steps:\n"
                '        raise ValueError("the warm-up has to be over before the end")\n': ""
            },
        ],
        "no warm-up + sine, not cosine": {
            "return step / warmup_steps * max_lr": "return max_lr",
            "math.cos": "math.sin",
        },
    },
)


def cr_small_gpt(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    """In the order of a popular small GPT."""
    if not total_steps > warmup_steps >= 0:
        raise ValueError(f"{warmup_steps} steps of warm-up in {total_steps}")
    if warmup_steps > step:
        return max_lr * (step / warmup_steps)
    if step > total_steps:
        return min_lr
    ratio = (step - warmup_steps) / (total_steps - warmup_steps)
    coeff = 0.5 * (1.0 + math.cos(math.pi * ratio))
    return min_lr + coeff * (max_lr - min_lr)


slips(
    COSINE,
    cr_small_gpt,
    {
        "no warm-up": {"return max_lr * (step / warmup_steps)": "return max_lr"},
        "the fall is counted from step 0": [
            {"(step - warmup_steps) / (total_steps - warmup_steps)": "step / total_steps"},
            {"= (step - warmup_steps)": "= step"},
        ],
        "the fall takes too long": {"/ (total_steps - warmup_steps)": "/ total_steps"},
        "min_lr is not used": [
            {"min_lr + coeff * (max_lr - min_lr)": "coeff * max_lr"},
            {"min_lr + coeff * (max_lr - min_lr)": "coeff * max_lr", "return min_lr\n": "return 0.0\n"},
        ],
        "min_lr comes on top": {"(max_lr - min_lr)": "max_lr"},
        "min_lr as a floor": {"min_lr + coeff * (max_lr - min_lr)": "max(min_lr, coeff * max_lr)"},
        "a whole wave": {"math.pi * ratio": "2 * math.pi * ratio"},
        "a quarter of a wave": {"0.5 * (1.0 + math.cos(math.pi * ratio))": "math.cos(0.5 * math.pi * ratio)"},
        "a straight fall": {"0.5 * (1.0 + math.cos(math.pi * ratio))": "1.0 - ratio"},
        "not halved": {"0.5 * (1.0": "(1.0"},
        "below zero": {"0.5 * (1.0 + math.cos(math.pi * ratio))": "math.cos(math.pi * ratio)"},
        "pi is missing": {"math.pi * ratio": "ratio"},
        "degrees, not radians": {"math.pi * ratio": "180 * ratio"},
        "it rises where it should fall": {"1.0 + math": "1.0 - math"},
        "0 after the end": {"return min_lr\n": "return 0.0\n"},
        "sine, not cosine": {"math.cos": "math.sin"},
        "rises again after the end": {"    if step > total_steps:\n        return min_lr\n": ""},
        "the warm-up starts at min_lr": {"max_lr * (step / warm": "min_lr + (max_lr - min_lr) * (step / warm"},
        "the warm-up is one step ahead": [
            {"(step / warmup_steps)": "(step + 1) / warmup_steps"},
            {"(step / warmup_steps)": "(step + 1) / (warmup_steps + 1)"},
        ],
        "a warm-up of 0 steps divides by zero": {"warmup_steps > step:": "warmup_steps >= step:"},
        "a warm-up that is never over is accepted": {"total_steps > warmup_steps": "total_steps >= warmup_steps"},
        "min_lr comes on top + not halved": {"(max_lr - min_lr)": "max_lr", "0.5 * (1.0": "(1.0"},
    },
)


def cr_what_is_left(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    """Counted from the end, with the square of a sine."""
    if warmup_steps not in range(total_steps):
        raise ValueError("the warm-up is longer than the training")
    if warmup_steps > step:
        return max_lr - max_lr * (warmup_steps - step) / warmup_steps
    left = max(0, total_steps - step) / (total_steps - warmup_steps)
    share = math.sin(math.pi / 2 * left) ** 2
    return share * max_lr + (1 - share) * min_lr


slips(
    COSINE,
    cr_what_is_left,
    {
        "no warm-up": {
            "    if warmup_steps > step:\n        return max_lr - max_lr * (warmup_steps - step) / warmup_steps\n": ""
        },
        "the fall is counted from step 0": {"/ (total_steps - warmup_steps)": "/ total_steps"},
        "min_lr is not used": {" + (1 - share) * min_lr": ""},
        "min_lr comes on top": {"(1 - share) * min_lr": "min_lr"},
        "min_lr as a floor": {"share * max_lr + (1 - share) * min_lr": "max(min_lr, share * max_lr)"},
        "a whole wave + it rises where it should fall": {"math.pi / 2 *": "math.pi *"},
        "a quarter of a wave": {" * left) ** 2": " * left)"},
        "a straight fall": {"math.sin(math.pi / 2 * left) ** 2": "left"},
        "not halved": {"math.sin(math.pi / 2 * left) ** 2": "2 * math.sin(math.pi / 2 * left) ** 2"},
        "degrees, not radians": {"math.pi / 2 *": "90 *"},
        "it rises where it should fall": [
            {"math.sin": "math.cos"},
            {"share * max_lr + (1 - share) * min_lr": "share * min_lr + (1 - share) * max_lr"},
        ],
        "0 after the end": {"    left": "    if step > total_steps:\n        return 0.0\n    left"},
        "rises again after the end": {"max(0, total_steps - step)": "(total_steps - step)"},
        "the warm-up starts at min_lr": {"max_lr - max_lr *": "max_lr - (max_lr - min_lr) *"},
        "the warm-up is one step ahead": {"(warmup_steps - step)": "(warmup_steps - step - 1)"},
        "a warm-up of 0 steps divides by zero": {"warmup_steps > step:": "warmup_steps >= step:"},
        "a warm-up that is never over is accepted": {"range(total_steps)": "range(total_steps + 1)"},
    },
)


def cr_two_factors(step: int, max_lr: float, warmup_steps: int, total_steps: int, min_lr: float = 0.0) -> float:
    """No stretches, but two shares of a way, each of which stays within 0 and 1."""
    if warmup_steps < 0 or warmup_steps >= total_steps:
        raise ValueError("no room for the warm-up")
    up = min(1.0, step / warmup_steps) if warmup_steps else 1.0
    down = min(1.0, max(0, step - warmup_steps) / (total_steps - warmup_steps))
    wave = (math.cos(down * math.pi) + 1) / 2
    return up * (wave * (max_lr - min_lr) + min_lr)


slips(
    COSINE,
    cr_two_factors,
    {
        "no warm-up": {"return up * ": "return "},
        "warm-up and cosine multiplied": {
            "max(0, step - warmup_steps) / (total_steps - warmup_steps)": "step / total_steps"
        },
        "the fall takes too long": {"/ (total_steps - warmup_steps)": "/ total_steps"},
        "min_lr is not used": {"(wave * (max_lr - min_lr) + min_lr)": "wave * max_lr"},
        "min_lr comes on top": {
            "up * (wave * (max_lr - min_lr) + min_lr)": "up * wave * max_lr + (step >= warmup_steps) * min_lr"
        },
        "min_lr as a floor": {"(wave * (max_lr - min_lr) + min_lr)": "max(wave * max_lr, min_lr)"},
        "a whole wave": {"down * math.pi": "2 * down * math.pi"},
        "a quarter of a wave": {"(math.cos(down * math.pi) + 1) / 2": "math.cos(down * math.pi / 2)"},
        "a straight fall": {"(math.cos(down * math.pi) + 1) / 2": "1 - down"},
        "pi is missing": {"down * math.pi": "down"},
        "degrees, not radians": {"down * math.pi": "down * 180"},
        "rises again after the end": {
            "down = min(1.0, max(0, step - warmup_steps)": "down = (max(0, step - warmup_steps)"
        },
        "the warm-up starts at min_lr": {
            "up * (wave * (max_lr - min_lr) + min_lr)": "up * wave * (max_lr - min_lr) + min_lr"
        },
        "the warm-up is one step ahead": {"step / warmup_steps)": "(step + 1) / warmup_steps)"},
        "a warm-up of 0 steps divides by zero": {" if warmup_steps else 1.0": ""},
        "a warm-up that is never over is accepted": {"warmup_steps >= total_steps": "warmup_steps > total_steps"},
        "a straight fall + the warm-up starts at min_lr": {
            "(math.cos(down * math.pi) + 1) / 2": "1 - down",
            "up * (wave * (max_lr - min_lr) + min_lr)": "up * wave * (max_lr - min_lr) + min_lr",
        },
    },
)
