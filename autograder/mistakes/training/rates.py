"""Wrong ways of the learning rates."""

from autograder.probing.mistake import Mistake

# warmup_lr ----------------------------------------------------------------------------

WARM = "warmup_lr"
RISING = "step * warmup_steps**-1.5"
SMALLER = "min(step**-0.5, step * warmup_steps**-1.5)"

larger = Mistake(
    "the larger of the two",
    of=WARM,
    swap="min(step**-0.5",
    by="max(step**-0.5",
    says="You take the larger of the two curves. It starts high, falls until warmup_steps, and then rises without end. The smaller one rises first and falls later.",
)

ROOT_D = "d_model enters upside down. A wider model gets a *smaller* learning rate: d_model^-½, one over its root."
times_root = Mistake("times the root of d_model", of=WARM, swap="d_model**-0.5", by="d_model**0.5", says=ROOT_D)

no_d_model = Mistake(
    "d_model is not used",
    of=WARM,
    swap="d_model**-0.5 * ",
    by="",
    says="d_model has no influence. The paper scales the whole curve by d_model^-½, so that wider models take smaller steps.",
)

d_model_no_root = Mistake(
    "d_model without its root",
    of=WARM,
    swap="d_model**-0.5",
    by="d_model**-1",
    says="You divide by d_model, not by its root. At d_model=512 that is 23 times too little.",
)

POWER = "The power of warmup_steps is wrong. The rising line must meet the falling curve at warmup_steps, and step · warmup_steps^-1½ does: there it is warmup_steps^-½. Yours meets it elsewhere."
power_half = Mistake("wrong power of warmup_steps", of=WARM, swap=RISING, by="step * warmup_steps**-0.5", says=POWER)
power_one = Mistake("wrong power of warmup_steps", of=WARM, swap=RISING, by="step / warmup_steps", says=POWER)
power_two = Mistake("wrong power of warmup_steps", of=WARM, swap=RISING, by="step * warmup_steps**-2", says=POWER)

power_branches = Mistake(
    "wrong power of warmup_steps", of=WARM, swap=SMALLER, by="(step / warmup_steps if step < warmup_steps else step**-0.5)", says=POWER
)  # fmt: skip
power_branches_later = Mistake(
    "wrong power of warmup_steps", of=WARM, swap=SMALLER, by="(step / warmup_steps if step <= warmup_steps else step**-0.5)", says=POWER
)  # fmt: skip

APART = "A power was taken apart. `**` binds tighter than `/`: `step**-1/2` is 1 / step, halved. Write `step**-0.5` or `step ** (-1 / 2)`."
D_HALF, STEP_HALF, WARM_HALF = ({of: of.split("*")[0] + by} for of, by in (("d_model**-0.5", "**-1/2"), ("step**-0.5", "**-1/2"), ("warmup_steps**-1.5", "**-3/2")))  # fmt: skip
apart_d_model = Mistake("a power taken apart", of=WARM, swaps=D_HALF, says=APART)
apart_step = Mistake("a power taken apart", of=WARM, swaps=STEP_HALF, says=APART)
apart_warm = Mistake("a power taken apart", of=WARM, swaps=WARM_HALF, says=APART)
apart_two = Mistake("a power taken apart", of=WARM, swaps=D_HALF | STEP_HALF, says=APART)
apart_all = Mistake("a power taken apart", of=WARM, swaps=D_HALF | STEP_HALF | WARM_HALF, says=APART)

ONE_CURVE = "d_model scales one of the two curves only. It belongs before the minimum, where it scales both; otherwise they no longer meet at warmup_steps."
d_model_falling = Mistake(
    "d_model on one curve only", of=WARM, swap=f"d_model**-0.5 * {SMALLER}", by="min(d_model**-0.5 * step**-0.5, step * warmup_steps**-1.5)", says=ONE_CURVE
)  # fmt: skip
d_model_rising = Mistake(
    "d_model on one curve only", of=WARM, swap=f"d_model**-0.5 * {SMALLER}", by="min(step**-0.5, d_model**-0.5 * step * warmup_steps**-1.5)", says=ONE_CURVE
)  # fmt: skip

BEHIND = "Your curve is one step behind. The first step is called 1 here, so nothing has to be taken off."
behind_from_one = Mistake(
    "one step behind", of=WARM, swap=SMALLER, by="min(max(step - 1, 1) ** -0.5, max(step - 1, 1) * warmup_steps**-1.5)", says=BEHIND
)  # fmt: skip

no_warmup = Mistake(
    "no warm-up",
    of=WARM,
    swap=SMALLER,
    by="step**-0.5",
    says="There is no warm-up. The first step is the largest of all. The smaller of two curves is wanted, and the other one rises.",
)

only_warmup = Mistake(
    "never falls",
    of=WARM,
    swap=SMALLER,
    by="(step * warmup_steps**-1.5)",
    says="The learning rate rises without end. After warmup_steps it should fall with step^-½: take the smaller of the two.",
)

plateau = Mistake(
    "stays at the top",
    of=WARM,
    swap="min(step**-0.5",
    by="min(warmup_steps**-0.5",
    says="After the warm-up your learning rate stays where it is. In the paper it falls from there with one over the root of the step.",
)

one_over_step = Mistake(
    "falls with one over the step",
    of=WARM,
    swap="min(step**-0.5",
    by="min(step**-1",
    says="It falls with 1 / step, and too fast. The paper has one over the *root* of the step.",
)

one_ahead = Mistake(
    "one step ahead",
    of=WARM,
    swap=SMALLER,
    by="min((step + 1) ** -0.5, (step + 1) * warmup_steps**-1.5)",
    says="Your curve is one step ahead. Whoever counts from 0 has to add 1; here the first step is already called 1.",
)

ZERO = "Step 0 is accepted. 0^-½ is a division by zero, and whoever counts from 0 should read so at once instead of training with another curve. The given lines refused it: keep them."
zero_divides = Mistake("step 0 is accepted", of=WARM, swap="if step < 1:", by="if False:", says=ZERO)
zero_as_one = Mistake(
    "step 0 is accepted", of=WARM, swaps={"if step < 1:": "if False:", SMALLER: "min(max(step, 1) ** -0.5, step * warmup_steps**-1.5)"}, says=ZERO
)  # fmt: skip

zero_as_first = Mistake(
    "step 0 is accepted", of=WARM, swap='raise ValueError(f"step={step}; steps are counted from 1")', by="step = 1", says=ZERO
)  # fmt: skip

# cosine_lr ----------------------------------------------------------------------------

COSINE = "cosine_lr"
LINE = "max_lr * step / warmup_steps"
PROGRESS = "(step - warmup_steps) / (total_steps - warmup_steps)"
HALF = "(1 + math.cos(math.pi * progress)) / 2"
RANGE = "min_lr + (max_lr - min_lr) *"

NO_RISE = "There is no warm-up. The first step is made with the full learning rate, or near it. Before warmup_steps it is a straight line from 0."
no_rise = Mistake("no warm-up", of=COSINE, swap=LINE, by="max_lr", says=NO_RISE)
no_rise_at_all = Mistake("no warm-up", of=COSINE, swap="if step < warmup_steps:", by="if False:", says=NO_RISE)

FROM_ZERO = "The fall is counted from step 0. At warmup_steps a part of it is already over, so the learning rate drops the moment the warm-up ends. What counts is the share of the way from warmup_steps to total_steps."
from_zero = Mistake(
    "the fall is counted from step 0", of=COSINE, swap=PROGRESS, by="step / total_steps", says=FROM_ZERO
)

from_zero_too_early = Mistake(
    "the fall is counted from step 0",
    of=COSINE,
    swap=PROGRESS,
    by="step / (total_steps - warmup_steps)",
    says=FROM_ZERO,
)
multiplied = Mistake(
    "warm-up and cosine multiplied",
    of=COSINE,
    swaps={LINE: "step / warmup_steps * (min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * step / total_steps)) / 2)", PROGRESS: "step / total_steps"},
    says="Your cosine begins at step 0, and the warm-up is a factor before it. The two overlap, and max_lr is never reached. Here one follows the other: a straight line to max_lr, then the cosine.",
)  # fmt: skip

too_late = Mistake(
    "the fall takes too long",
    of=COSINE,
    swap=PROGRESS,
    by="(step - warmup_steps) / total_steps",
    says="The fall is not over at total_steps. It begins warmup_steps late, and you still give it total_steps. There are only total_steps - warmup_steps left.",
)

no_minimum = Mistake(
    "min_lr is not used",
    of=COSINE,
    swap=RANGE,
    by="max_lr *",
    says="Your learning rate falls to 0, whatever min_lr says. It goes from max_lr down to min_lr.",
)

on_top = Mistake(
    "min_lr comes on top",
    of=COSINE,
    swap=RANGE,
    by="min_lr + max_lr *",
    says="min_lr is added on top of everything. The fall then begins at max_lr + min_lr, with a jump. What shrinks is max_lr - min_lr.",
)

floor = Mistake(
    "min_lr as a floor",
    of=COSINE,
    swap=f"{RANGE} {HALF}",
    by=f"max(min_lr, max_lr * {HALF})",
    says="The cosine falls to 0 and is cut off at min_lr. That is another convention; here the cosine itself ends at min_lr, and nothing is cut.",
)

whole_wave = Mistake(
    "a whole wave",
    of=COSINE,
    swap="math.pi * progress",
    by="2 * math.pi * progress",
    says="It falls and rises again. cos(2π · progress) is a whole wave and ends where it began. Half a wave is cos(π · progress).",
)

quarter = Mistake(
    "a quarter of a wave",
    of=COSINE,
    swap=HALF,
    by="math.cos(math.pi / 2 * progress)",
    says="Your curve is a quarter of a wave. It ends at the right place, with its steepest slope there. (1 + cos(π · progress)) / 2 is level at both ends.",
)

straight = Mistake(
    "a straight fall",
    of=COSINE,
    swap=HALF,
    by="(1 - progress)",
    says="It falls in a straight line. The cosine is missing: (1 + cos(π · progress)) / 2 in the place of 1 - progress.",
)

not_halved = Mistake(
    "not halved",
    of=COSINE,
    swap=HALF,
    by="(1 + math.cos(math.pi * progress))",
    says="1 + cos goes from 2 to 0. Half of it goes from 1 to 0, and only then does the fall begin at max_lr.",
)

not_lifted = Mistake(
    "below zero",
    of=COSINE,
    swap=HALF,
    by="math.cos(math.pi * progress)",
    says="The cosine goes from 1 to -1, and your learning rate with it. Lifted by 1 and halved it goes from 1 to 0.",
)

no_pi = Mistake(
    "pi is missing",
    of=COSINE,
    swap="math.pi * progress",
    by="progress",
    says="π is missing. cos takes an angle, and half a wave is π of it, not 1: yours ends at three quarters of max_lr. cos(π · progress).",
)

in_degrees = Mistake(
    "degrees, not radians",
    of=COSINE,
    swap="math.pi * progress",
    by="180 * progress",
    says="You hand the cosine degrees. `math.cos` counts in radians, where half a wave is π and not 180: yours goes up and down dozens of times. cos(π · progress).",
)

upward = Mistake(
    "it rises where it should fall",
    of=COSINE,
    swap="1 + math.cos",
    by="1 - math.cos",
    says="From min_lr it rises to max_lr where it should fall. 1 - cos goes from 0 to 2; 1 + cos goes from 2 to 0.",
)
upward_by_ends = Mistake(
    "it rises where it should fall",
    of=COSINE,
    swap=RANGE,
    by="max_lr + (min_lr - max_lr) *",
    says="From min_lr it rises to max_lr where it should fall. The half cosine goes from 1 to 0, so it belongs to max_lr - min_lr, on top of min_lr.",
)

AFTER = (
    "After total_steps your learning rate is 0. It stays at min_lr from there on; where that is 0 the two are the same."
)
zero_after = Mistake(
    "0 after the end", of=COSINE, swap="progress = min(", by="if step >= total_steps:\n        return 0.0\n    progress = min(", says=AFTER
)  # fmt: skip
zero_afterwards = Mistake(
    "0 after the end", of=COSINE, swap="progress = min(", by="if step > total_steps:\n        return 0.0\n    progress = min(", says=AFTER
)  # fmt: skip

SINE = "The sine starts at 0 where the cosine starts at 1. Your learning rate would begin in the middle. `math.cos`."
sine = Mistake("sine, not cosine", of=COSINE, swap="math.cos(", by="math.sin(", says=SINE)

rises_again = Mistake(
    "rises again after the end",
    of=COSINE,
    swap=f"min(1.0, {PROGRESS})",
    by=PROGRESS,
    says="After total_steps it rises again. The cosine does not stop by itself; whoever trains a little longer would be thrown back to max_lr. progress must not exceed 1.",
)

from_minimum = Mistake(
    "the warm-up starts at min_lr",
    of=COSINE,
    swap=LINE,
    by="min_lr + (max_lr - min_lr) * step / warmup_steps",
    says="Your warm-up starts at min_lr. That is another convention; here it starts at 0, and min_lr is where the fall ends.",
)

AHEAD = "Your warm-up is one step ahead. It reaches max_lr before warmup_steps. At step 0 the rate is 0, at warmup_steps it is max_lr: step / warmup_steps of it."
ahead = Mistake(
    "the warm-up is one step ahead", of=COSINE, swap=LINE, by="max_lr * (step + 1) / warmup_steps", says=AHEAD
)
ahead_slower = Mistake(
    "the warm-up is one step ahead", of=COSINE, swap=LINE, by="max_lr * (step + 1) / (warmup_steps + 1)", says=AHEAD
)

divides_by_none = Mistake(
    "a warm-up of 0 steps divides by zero",
    of=COSINE,
    swap="if step < warmup_steps:",
    by="if step <= warmup_steps:",
    says="With warmup_steps=0 you divide by zero. Step 0 is not *before* a warm-up of no steps: ask `step < warmup_steps`, and that case goes straight to the cosine.",
)

accepts_long = Mistake(
    "a warm-up that is never over is accepted",
    of=COSINE,
    swap="if not 0 <= warmup_steps < total_steps:",
    by="if False:",
    says="A warm-up as long as the training is accepted. Nothing would be left for the fall. The given lines refused it: keep them.",
)
