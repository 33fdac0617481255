"""Wrong ways of the learning rates."""

from collections.abc import Iterator

from autograder.checks.optimization.rates import cosine_lr, warmup_lr
from autograder.probing.mistake import edit

# warmup_lr ----------------------------------------------------------------------------

RISING = "step * warmup_steps**-1.5"
SMALLER = "min(step**-0.5, step * warmup_steps**-1.5)"
WHOLE = f"d_model**-0.5 * {SMALLER}"


def by_stretches(rising: str = RISING, falling: str = "step**-0.5") -> Iterator[dict[str, str]]:
    """Up, then down, without a minimum: where the curves do not meet, it tells which of them holds at warmup_steps."""
    for sign in ("<", "<="):
        yield {SMALLER: f"({rising} if step {sign} warmup_steps else {falling})"}


warmup_lr.mistake(
    "the larger of the two",
    "You take the larger of the two curves. It starts high, falls until warmup_steps, and then rises without end. The smaller of the two rises first "
    "and falls later.",
    {"min(step**-0.5": "max(step**-0.5"},
    # The stretches have changed places: another curve, where a line with another slope is the larger one elsewhere.
    *(
        {"min(step**-0.5": f"(lambda fall, rise: fall if step {sign} warmup_steps else rise)(step**-0.5"}
        for sign in ("<", "<=")
    ),
)

warmup_lr.mistake(
    "times the root of d_model",
    "d_model enters upside down. A wider model gets a *smaller* learning rate: d_model^-½, one over its root.",
    {"d_model**-0.5": "d_model**0.5"},
)

warmup_lr.mistake(
    "d_model is not used",
    "d_model has no influence. The paper scales the whole curve by d_model^-½, so that wider models take smaller steps.",
    {"d_model**-0.5 * ": ""},
    edit(
        {"d_model**-0.5": "512**-0.5"},
        says="d_model is not read. Your numbers are those of a width of 512, the paper's. Use `d_model`.",
    ),
)

warmup_lr.mistake(
    "warmup_steps is not used",
    "warmup_steps is not read. Your numbers are those of 4,000 steps of warm-up, the paper's. Use `warmup_steps`.",
    {"warmup_steps**-1.5": "4000**-1.5"},
)

warmup_lr.mistake(
    "d_model without its root",
    "You divide by d_model, not by its root. At d_model=512 that is 23 times too little.",
    {"d_model**-0.5": "d_model**-1"},
    edit(
        {"d_model**-0.5": "d_model**-2"},
        says="You divide by the square of d_model, not by its root. d_model has the power -½.",
    ),
    edit(
        {"d_model**-0.5": "d_model**-1.5"},
        says="d_model has the power -1½, which belongs to warmup_steps. d_model has -½: one over its root.",
    ),
)

warmup_lr.mistake(
    "wrong power of warmup_steps",
    "The power of warmup_steps is wrong. The rising line must meet the falling curve at warmup_steps, and step · warmup_steps^-1½ does: there it is warmup_steps^-½. Yours meets it elsewhere.",
    {RISING: "step * warmup_steps**-0.5"},
    {RISING: "step / warmup_steps"},
    {RISING: "step * warmup_steps**-2"},
    {RISING: "step * warmup_steps**-2.5"},
    {RISING: "step * warmup_steps**-3"},
    {RISING: "step * warmup_steps ** (-2 / 3)"},
    *by_stretches("step / warmup_steps"),
    *by_stretches("step * warmup_steps**-0.5"),
    *by_stretches("step * warmup_steps**-2"),
    *by_stretches("step * warmup_steps**-2.5"),
    *by_stretches("step * warmup_steps**-3"),
    *by_stretches("step * warmup_steps ** (-2 / 3)"),
    *by_stretches("step * warmup_steps**1.5"),
    edit(
        {RISING: "(step * warmup_steps)**-1.5"},
        says="The power takes in the step too. Only warmup_steps has the power -1½; the step stands before it as it is, so that the line rises.",
    ),
)

warmup_lr.mistake(
    "the rise is no straight line",
    "The rise is not a straight line. The step has a power there, or was rounded. The paper's rate rises by the same amount at each step: step · warmup_steps^-1½, with the step as it is.",
    {RISING: "step**1.5 * warmup_steps**-1.5"},
    {RISING: "step**0.5 / warmup_steps"},
    {RISING: "step**2 * warmup_steps**-2.5"},
    {RISING: "step**1.5 * warmup_steps**-2"},
    *({RISING: f"step**{power} * warmup_steps**-1.5"} for power in (0.5, 2)),
    *(way for power in (0.5, 1.5, 2) for way in by_stretches(f"step**{power} * warmup_steps**-1.5")),
    {RISING: "(step // warmup_steps) * warmup_steps**-0.5"},
    {RISING: "step // warmup_steps**1.5"},
)

warmup_lr.mistake(
    "the top is always the same",
    "Your curve reaches the same highest rate whatever warmup_steps is. In the paper the top is (d_model · warmup_steps)^-½: a longer warm-up leads to a lower top. The factor warmup_steps^-½ is missing.",
    {SMALLER: "min(step / warmup_steps, (warmup_steps / step) ** 0.5)"},
    {"d_model**-0.5": "d_model**-0.5 * warmup_steps**0.5"},  # beside another slip in the curves
    edit(
        {SMALLER: "min(step / warmup_steps, 1.0)"},
        says="Your curve rises to d_model^-½ and stays there. In the paper it rises to (d_model · warmup_steps)^-½, and falls from there with one over the root of the step.",
    ),
)

warmup_lr.mistake(
    "a factor in front",
    "There is a factor in front of your curve. Some code has one, to be chosen anew for every model; the paper's has none.",
    *({WHOLE: f"{factor} * {WHOLE}"} for factor in ("2", "0.5", "10")),
    edit(
        {WHOLE: f"-{WHOLE}"},
        says="Your rate is negative. A step would go uphill: the optimizer takes rate times gradient *away* by itself.",
    ),
)

warmup_lr.mistake(
    "the rate is rounded",
    "The rate is rounded. The paper's highest rate is 0.0007, and with a few digits nothing is left of a warm-up. Return the number as it is, and round where it is printed.",
    *({WHOLE: f"round({WHOLE}, {digits})"} for digits in (2, 3, 4, 5, 6)),
)

warmup_lr.mistake(
    "two arguments exchanged",
    "Two arguments have changed places: d_model stands where warmup_steps should, and the reverse. d_model has the power -½ and scales all; warmup_steps has -1½ and belongs to the rising line.",
    {"d_model**-0.5": "warmup_steps**-0.5", "warmup_steps**-1.5": "d_model**-1.5"},
    *({"d_model**-0.5": "warmup_steps**-0.5", **way} for way in by_stretches("step * d_model**-1.5")),
    edit(
        {SMALLER: "min(warmup_steps**-0.5, warmup_steps * step**-1.5)"},
        says="step and warmup_steps have changed places. The step alone has the power -½, and times warmup_steps^-1½ it rises.",
    ),
)

warmup_lr.mistake(
    "both curves at once",
    "Both curves count at once. Their product or their sum is another curve. The *smaller* of the two counts: `min`.",
    {SMALLER: "(step**-0.5 * step * warmup_steps**-1.5)"},
    {SMALLER: "(step**-0.5 + step * warmup_steps**-1.5)"},
    edit(
        {SMALLER: "(step**-0.5 + step * warmup_steps**-1.5) / 2"},
        says="You take the mean of the two curves. It is too high nearly everywhere, as the larger of the two counts in it. The *smaller* of the two counts: `min`.",
    ),
)

D_HALF = {"d_model**-0.5": "d_model**-1/2"}
STEP_HALF = {"step**-0.5": "step**-1/2"}
WARM_HALF = {"warmup_steps**-1.5": "warmup_steps**-3/2"}
warmup_lr.mistake(
    "a power taken apart",
    "A power was taken apart. `**` binds tighter than `/`: `step**-1/2` is 1 / step, halved. Write `step**-0.5` or `step ** (-1 / 2)`.",
    D_HALF,
    STEP_HALF,
    WARM_HALF,
    D_HALF | STEP_HALF,
    D_HALF | WARM_HALF,
    STEP_HALF | WARM_HALF,
    D_HALF | STEP_HALF | WARM_HALF,
    *by_stretches(rising="step * warmup_steps**-3/2"),
    *by_stretches(falling="step**-1/2"),
    # Of the highest rate, and of the share of the way to it.
    {WHOLE: "(d_model * warmup_steps)**-1/2 * min(step / warmup_steps, (step / warmup_steps)**-0.5)"},
    {SMALLER: f"min({RISING}, warmup_steps**-0.5 * (step / warmup_steps)**-1/2)"},
)

warmup_lr.mistake(
    "d_model on one curve only",
    "d_model scales one of the two curves only. It belongs before the minimum, where it scales both; otherwise they no longer meet at warmup_steps.",
    {WHOLE: "min(d_model**-0.5 * step**-0.5, step * warmup_steps**-1.5)"},
    {WHOLE: "min(step**-0.5, d_model**-0.5 * step * warmup_steps**-1.5)"},
    *by_stretches(falling="step**-0.5 * d_model**0.5"),
    *by_stretches(rising=f"{RISING} * d_model**0.5"),
)

warmup_lr.mistake(
    "one step behind",
    "Your curve is one step behind. The first step is called 1 here, so nothing has to be subtracted.",
    {"    return ": "    step = max(step - 1, 1)\n    return "},
    {SMALLER: "((step - 1) * warmup_steps**-1.5 if step <= warmup_steps else (step - 1) ** -0.5)"},
    {RISING: "(step - 1) * warmup_steps**-1.5"},
    *by_stretches("(step - 1) * warmup_steps**-1.5"),
)

warmup_lr.mistake(
    "no warm-up",
    "There is no warm-up. The first step is the largest of all. Take the smaller of two curves, and see that one of them rises: step · warmup_steps^-1½, which begins low and meets the other at warmup_steps.",
    {SMALLER: "step**-0.5"},
    edit(
        {RISING: "warmup_steps**-1.5"},
        says="Your line does not rise. The step is missing in it: the same small rate stands at every step until the other curve is smaller. It is step · warmup_steps^-1½.",
    ),
    *(
        edit(
            way,
            says="Your line does not rise. The step is missing in it: the same small rate stands at every step until warmup_steps. It is step · warmup_steps^-1½.",
        )
        for way in by_stretches("warmup_steps**-1.5")
    ),
    edit(
        {RISING: "warmup_steps**-0.5"},
        says="There is no warm-up. The rate is at its top from the first step on, and falls after warmup_steps. Until then it rises in a line: step · warmup_steps^-1½.",
    ),
)

warmup_lr.mistake(
    "never falls",
    "The learning rate rises without end. After warmup_steps it should fall with step^-½: take the smaller of the two.",
    {SMALLER: "(step * warmup_steps**-1.5)"},
    {"min(step**-0.5": "min(step**0.5"},
    *by_stretches(falling="step**0.5 / warmup_steps"),
    *by_stretches(falling="step**0.5"),
)

warmup_lr.mistake(
    "stays at the top",
    "After the warm-up your learning rate stays where it is. In the paper it falls from there with one over the root of the step.",
    {"min(step**-0.5": "min(warmup_steps**-0.5"},
)

warmup_lr.mistake(
    "falls with one over the step",
    "It falls with 1 / step, and too fast. The paper has one over the *root* of the step.",
    {"min(step**-0.5": "min(step**-1"},
    *by_stretches(falling="1 / step"),
    {"min(step**-0.5": "min(warmup_steps**0.5 / step"},  # begins where the line ends
    edit(
        {"min(step**-0.5": "min(step**-1.5"},
        says="It falls with step^-1½, and too fast. That power belongs to warmup_steps; the falling curve is step^-½.",
    ),
    *(
        edit(way, says="It falls with step^-1½, and too fast. The falling curve is step^-½.")
        for falling in ("step**-1.5", "warmup_steps * step**-1.5")
        for way in by_stretches(falling=falling)
    ),
)

warmup_lr.mistake(
    "the fall is counted from warmup_steps",
    "The fall is counted from warmup_steps. The power is taken of the steps since then, so the rate jumps to the highest of all after the warm-up. It is step^-½ of the whole number of the step: that is where the two curves meet.",
    *by_stretches(falling="(step - warmup_steps + 1)**-0.5"),
    {SMALLER: f"({RISING} if step <= warmup_steps else (step - warmup_steps)**-0.5)"},
    {SMALLER: f"({RISING} if step <= warmup_steps else (warmup_steps * (step - warmup_steps))**-0.5)"},
)

warmup_lr.mistake(
    "one step ahead",
    "Your curve is one step ahead. One adds 1 only when steps are counted from 0; here the first step is already called 1.",
    {"    return ": "    step = step + 1\n    return "},
    {RISING: "(step + 1) * warmup_steps**-1.5"},
    *by_stretches("(step + 1) * warmup_steps**-1.5"),
    {"min(step**-0.5": "min((step + 1)**-0.5"},
)

warmup_lr.mistake(
    "step 0 is accepted",
    "Step 0 is accepted. 0^-½ is a division by zero. Who counts from 0 should get an error that says so, and not train with another curve. The given "
    "lines refused step 0: keep them.",
    {"if step < 1:": "if False:"},
    {"if step < 1:": "if False:", SMALLER: "min(max(step, 1) ** -0.5, step * warmup_steps**-1.5)"},
    {'raise ValueError(f"step={step}; steps are counted from 1")': "step = 1"},
    edit(
        {'raise ValueError(f"step={step}; steps are counted from 1")': "return 0.0"},
        says="Step 0 is accepted, and has a rate of 0. Who counts from 0 should get an error that says so, and not make a step for nothing. The given lines refused step 0: keep them.",
    ),
)

warmup_lr.mistake(
    "an error of another class",
    "Step 0 is refused with an error of another class. Promised is a ValueError: whoever calls this function catches that.",
    *(
        {"raise ValueError(f": f"raise {other}(f"}
        for other in ("IndexError", "TypeError", "RuntimeError", "AssertionError")
    ),
)

# cosine_lr ----------------------------------------------------------------------------

LINE = "max_lr * step / warmup_steps"
PROGRESS = "(step - warmup_steps) / (total_steps - warmup_steps)"
HALF = "(1 + math.cos(math.pi * progress)) / 2"
RANGE = "min_lr + (max_lr - min_lr) *"
FALL = "progress = min("


def ended_early(swaps: dict[str, str]) -> list[dict[str, str]]:
    """A slip in the cosine where min_lr is returned before the cosine is asked."""
    return [{**swaps, FALL: f"if step {sign} total_steps:\n        return min_lr\n    {FALL}"} for sign in (">=", ">")]


# Where a warm-up of no steps is thought of, step = warmup_steps can be on the line: right, and other slips show there.
TO_THE_TOP = {"if step < warmup_steps:": "if 0 < step <= warmup_steps:"}


def whatever_the_top(*slips: dict[str, str]) -> list[dict[str, str]]:
    """The same slips, with the top on the curve and on the line."""
    return [way for swaps in slips for way in (swaps, swaps | TO_THE_TOP)]


def whatever_the_end(swaps: dict[str, str]) -> list[dict[str, str]]:
    """The same slip, with top and end as they are here and as others have them."""
    return [swaps, swaps | TO_THE_TOP, *ended_early(swaps)]


cosine_lr.mistake(
    "no warm-up",
    "There is no warm-up. The first step is made with the full learning rate, or near it. Before warmup_steps it is a straight line from 0.",
    {LINE: "max_lr"},
    {"if step < warmup_steps:": "if False:"},
)

cosine_lr.mistake(
    "the fall is counted from step 0",
    "The fall is counted from step 0. At warmup_steps a part of it is already over, so the learning rate drops the moment the warm-up ends. Count the "
    "share of the way from warmup_steps to total_steps.",
    *whatever_the_top({PROGRESS: "step / total_steps"}, {PROGRESS: "step / (total_steps - warmup_steps)"}),
    # Where min_lr is returned first nothing holds the progress down, and the curve rises again before the end.
    *ended_early({f"1.0, {PROGRESS}": "math.inf, step / (total_steps - warmup_steps)"}),
)

cosine_lr.mistake(
    "warm-up and cosine multiplied",
    "Your cosine begins at step 0, and the warm-up is a factor before it. The two overlap, and max_lr is never reached. Here the cosine follows the "
    "warm-up: a straight line to max_lr, then the cosine.",
    {
        LINE: "step / warmup_steps * (min_lr + (max_lr - min_lr) * (1 + math.cos(math.pi * step / total_steps)) / 2)",
        PROGRESS: "step / total_steps",
    },
)

cosine_lr.mistake(
    "the fall takes too long",
    "The fall is not over at total_steps. It begins warmup_steps late, and you still give it total_steps. There are only total_steps - warmup_steps left.",
    *whatever_the_end({PROGRESS: "(step - warmup_steps) / total_steps"}),
    {f"min(1.0, {PROGRESS})": "(min(step, total_steps) - warmup_steps) / total_steps"},
    edit(
        {"(total_steps - warmup_steps)": "(total_steps + warmup_steps)"},
        says="The fall is not over at total_steps. You give it total_steps + warmup_steps, and there are total_steps - warmup_steps left.",
    ),
)

cosine_lr.mistake(
    "the fall is one step off",
    "The fall is one step off. At warmup_steps the rate is still max_lr, and at total_steps it is min_lr, not before and not later: step - warmup_steps of total_steps - warmup_steps.",
    {"(total_steps - warmup_steps)": "(total_steps - warmup_steps - 1)"},
    *whatever_the_end({"(total_steps - warmup_steps)": "(total_steps - warmup_steps + 1)"}),
    *whatever_the_end({"(step - warmup_steps)": "(step - warmup_steps + 1)"}),
    {FALL: f"if step >= total_steps - 1:\n        return min_lr\n    {FALL}"},
)

cosine_lr.mistake(
    "no fall until the end",
    "The rate stays at max_lr until total_steps, and is min_lr from there. `//` does this: it drops what is left over by a division, so the share of the way is 0 up to the last step. Write `/`, and let the rate fall along half a cosine.",
    {") / (total": ") // (total"},
)

cosine_lr.mistake(
    "min_lr right after the warm-up",
    "The rate is min_lr right after the warm-up. Your progress is *at least* 1, as `max(1.0, ...)` makes it; it should be at most 1: `min(1.0, ...)`.",
    {"min(1.0": "max(1.0"},
)

cosine_lr.mistake(
    "min_lr is not used",
    "Your learning rate falls to 0, whatever min_lr says. It goes from max_lr down to min_lr.",
    {RANGE: "max_lr *"},
    edit(
        {"min_lr + (max_lr": "(max_lr"},
        says="min_lr is taken away and never added. Your fall begins at max_lr - min_lr, with a jump, and ends at 0. It is min_lr plus what is left of max_lr - min_lr.",
    ),
    *(
        edit(
            one,
            says="min_lr is taken away and never added. Your fall begins at max_lr - min_lr, with a jump, goes to 0, and jumps to min_lr. It is min_lr plus what is left of max_lr - min_lr.",
        )
        for one in ended_early({"min_lr + (max_lr": "(max_lr"})
    ),
    *(
        edit(one, says="Your learning rate falls to 0 and then jumps to min_lr. It goes from max_lr down to min_lr.")
        for one in ended_early({RANGE: "max_lr *"})
    ),
)

cosine_lr.mistake(
    "min_lr comes on top",
    "min_lr is added on top of everything. The fall then begins at max_lr + min_lr, with a jump. What shrinks is max_lr - min_lr.",
    *whatever_the_top({RANGE: "min_lr + max_lr *"}),
    edit(
        {"max_lr - min_lr": "max_lr + min_lr"},
        says="min_lr comes on top twice. The fall begins at max_lr + 2 · min_lr, with a jump. What shrinks is max_lr *minus* min_lr.",
    ),
)

cosine_lr.mistake(
    "the wave lies too low or is too high",
    "Your wave lies at the wrong height. Its middle is (max_lr + min_lr) / 2, and from there it goes up and down by (max_lr - min_lr) / 2.",
    *(
        way
        for middle, height in (
            ("max_lr / 2", "(max_lr - min_lr) / 2"),
            ("(max_lr + min_lr) / 2", "max_lr / 2"),
            ("0", "(max_lr - min_lr) / 2"),
            ("min_lr", "(max_lr - min_lr) / 2"),
            ("(max_lr + min_lr) / 2", "(max_lr - min_lr)"),
            ("(max_lr + min_lr) / 2", "(max_lr + min_lr) / 2"),
            ("(max_lr - min_lr) / 2", "(max_lr + min_lr) / 2"),
            ("(max_lr + min_lr)", "(max_lr - min_lr)"),
        )
        for way in whatever_the_end({f"{RANGE} {HALF}": f"{middle} + {height} * math.cos(math.pi * progress)"})
    ),
)

cosine_lr.mistake(
    "min_lr as a floor",
    "The cosine falls to 0 and is cut off at min_lr. That is another convention; here the cosine itself ends at min_lr, and nothing is cut off.",
    {f"{RANGE} {HALF}": f"max(min_lr, max_lr * {HALF})"},
)

cosine_lr.mistake(
    "a whole wave",
    "It falls and rises again. cos(2π · progress) is a whole wave and ends where it began. Half a wave is cos(π · progress).",
    *whatever_the_end({"math.pi * progress": "2 * math.pi * progress"}),
)

cosine_lr.mistake(
    "a quarter of a wave",
    "Your curve is a quarter of a wave. It ends at the right place, with its steepest slope there. (1 + cos(π · progress)) / 2 is level at both ends.",
    {HALF: "math.cos(math.pi / 2 * progress)"},
    edit(
        {"math.pi * progress": "math.pi / 2 * progress"},
        says="Only a quarter of the wave is gone through. cos goes from 1 to 0, so your rate ends half way between max_lr and min_lr. Half a wave is cos(π · progress).",
    ),
)

cosine_lr.mistake(
    "a straight fall",
    "It falls in a straight line. The cosine is missing: (1 + cos(π · progress)) / 2 in the place of 1 - progress.",
    {HALF: "(1 - progress)"},
)

cosine_lr.mistake(
    "not halved",
    "1 + cos goes from 2 to 0. Half of it goes from 1 to 0, and only then does the fall begin at max_lr.",
    {HALF: "(1 + math.cos(math.pi * progress))"},
    edit(
        {HALF: "(1 + math.cos(math.pi * progress) / 2)"},
        says="Only the cosine is halved, not the sum. Yours goes from 1½ to ½: `/` binds tighter than `+`. Write (1 + cos) / 2.",
    ),
)

cosine_lr.mistake(
    "below zero",
    "The cosine goes from 1 to -1, and your learning rate with it. Lifted by 1 and halved it goes from 1 to 0.",
    *whatever_the_end({HALF: "math.cos(math.pi * progress)"}),
)

cosine_lr.mistake(
    "pi is missing",
    "π is missing. cos takes an angle, and half a wave is an angle of π, not of 1: your rate ends at three quarters of max_lr. Write cos(π · progress).",
    *whatever_the_end({"math.pi * progress": "progress"}),
)

cosine_lr.mistake(
    "degrees, not radians",
    "You give the cosine degrees. `math.cos` counts in radians, where half a wave is π and not 180: your rate goes up and down dozens of times. Write "
    "cos(π · progress).",
    *whatever_the_end({"math.pi * progress": "180 * progress"}),
    {"1 + math.cos(math.pi * progress)": "1 - math.cos(180 * (1 - progress))"},  # of what is left
)

cosine_lr.mistake(
    "it rises where it should fall",
    "From min_lr it rises to max_lr where it should fall. 1 - cos goes from 0 to 2; 1 + cos goes from 2 to 0.",
    *whatever_the_end({"1 + math.cos": "1 - math.cos"}),
    edit(
        {RANGE: "max_lr + (min_lr - max_lr) *"},
        says="From min_lr it rises to max_lr where it should fall. The half cosine goes from 1 to 0, so it belongs to max_lr - min_lr, on top of min_lr.",
    ),
)

cosine_lr.mistake(
    "0 after the end",
    "After total_steps your learning rate is 0. It should stay at min_lr from there on. (Where min_lr is 0 this makes no difference.)",
    {FALL: f"if step >= total_steps:\n        return 0.0\n    {FALL}"},
    {FALL: f"if step > total_steps:\n        return 0.0\n    {FALL}"},
)

cosine_lr.mistake(
    "max_lr after the end",
    "After the last step your learning rate is max_lr. It should stay at min_lr from total_steps on.",
    {FALL: f"if step >= total_steps:\n        return max_lr\n    {FALL}"},
    {FALL: f"if step > total_steps:\n        return max_lr\n    {FALL}"},
)

cosine_lr.mistake(
    "sine, not cosine",
    "The sine starts at 0 where the cosine starts at 1. Your learning rate would begin in the middle. `math.cos`.",
    *whatever_the_end({"math.cos(": "math.sin("}),
)

cosine_lr.mistake(
    "rises again after the end",
    "After total_steps it rises again. The cosine does not stop by itself; in a training run that goes on a little longer the rate would rise to max_lr "
    "again. progress must not exceed 1.",
    {f"min(1.0, {PROGRESS})": PROGRESS},
    edit(
        {f"min(1.0, {PROGRESS})": f"{PROGRESS}; progress = progress if progress <= 1 else progress % 1.0"},
        says="After total_steps it starts anew at max_lr. That is a schedule with restarts; here there is one fall, and the rate stays at min_lr from total_steps on: `min(1.0, ...)`.",
    ),
    edit(
        {f"min(1.0, {PROGRESS})": f"{PROGRESS} % 1.0"},
        says="At total_steps it starts anew at max_lr. The remainder begins at 0 again there; here the rate stays at min_lr from total_steps on. progress must not exceed 1: `min(1.0, ...)`.",
    ),
)

cosine_lr.mistake(
    "the warm-up starts at min_lr",
    "Your warm-up starts at min_lr. That is another convention; here it starts at 0, and min_lr is where the fall ends.",
    {LINE: "min_lr + (max_lr - min_lr) * step / warmup_steps"},
    {LINE: "min_lr + max_lr * step / warmup_steps"},
    {LINE: "max(min_lr, max_lr * step / warmup_steps)"},
)

cosine_lr.mistake(
    "the warm-up is one step ahead",
    "Your warm-up is one step ahead. It reaches max_lr before warmup_steps. At step 0 the rate is 0, at warmup_steps it is max_lr: step / warmup_steps of it.",
    *whatever_the_top({LINE: "max_lr * (step + 1) / warmup_steps"}, {LINE: "max_lr * (step + 1) / (warmup_steps + 1)"}),
)

cosine_lr.mistake(
    "the warm-up is one step behind",
    "Your warm-up is one step behind. At step 0 the rate is 0, not at step 1, and at warmup_steps it is max_lr: step / warmup_steps of it.",
    {LINE: "max_lr * (step - 1) / warmup_steps"},
    {LINE: "max_lr * max(step - 1, 0) / warmup_steps"},
)

cosine_lr.mistake(
    "the warm-up does not lead to max_lr",
    "Your warm-up does not lead to max_lr, so the rate jumps at warmup_steps. It is a straight line from 0 to max_lr: max_lr · step / warmup_steps.",
    *whatever_the_top(
        {LINE: "max_lr * step / total_steps"},
        {LINE: "max_lr * step / (total_steps - warmup_steps)"},
        {LINE: "(max_lr - min_lr) * step / warmup_steps"},
    ),
    *(
        edit(
            one,
            says="Your warm-up rises to 1, whatever max_lr is. step / warmup_steps is a share: multiply it by max_lr.",
        )
        for one in whatever_the_top({LINE: "step / warmup_steps"})
    ),
    edit(
        {LINE: "0.0"},
        says="Your rate is 0 during the whole warm-up, and jumps to max_lr then. `//` does that: it drops the rest, and a step below warmup_steps holds no whole warm-up. It is max_lr · step / warmup_steps.",
    ),
)

cosine_lr.mistake(
    "the warm-up is no straight line",
    "Your warm-up is not a straight line. Its ends are right, and between them it bends. By the same amount at each step: max_lr · step / warmup_steps.",
    {LINE: "max_lr * (step / warmup_steps) ** 0.5"},
    {LINE: "max_lr * (step / warmup_steps) ** 2"},
    {LINE: "max_lr * (1 - math.cos(math.pi * step / warmup_steps)) / 2"},
    {LINE: "max_lr * math.sin(math.pi / 2 * step / warmup_steps)"},
)

cosine_lr.mistake(
    "line and cosine exchanged",
    "The line and the cosine have changed places. Before warmup_steps you compute the cosine, and after it the line, which rises without end. Ask `step < warmup_steps` for the line.",
    {"if step < warmup_steps:": "if step > warmup_steps:"},
    {"if step < warmup_steps:": "if step >= warmup_steps:"},
)

cosine_lr.mistake(
    "a warm-up of 0 steps divides by zero",
    "With warmup_steps=0 you divide by zero. Step 0 is not *before* a warm-up of no steps: ask `step < warmup_steps`; then a warm-up of 0 steps goes "
    "straight to the cosine.",
    {"if step < warmup_steps:": "if step <= warmup_steps:"},
)

cosine_lr.mistake(
    "a warm-up of 0 steps is refused",
    "A warm-up of 0 steps is refused. Promised is an error where the warm-up is not over before the end; none at all is over at once, and goes straight to the cosine. The given lines accept it: `0 <= warmup_steps`.",
    {"0 <= warmup_steps <": "0 < warmup_steps <"},
)

cosine_lr.mistake(
    "the rate is rounded",
    "The rate is rounded. Learning rates are small numbers, and with a few digits the curve has steps or nothing is left of it. Return the number as it is, and round where it is printed.",
    *({f"return {RANGE} {HALF}": f"return round({RANGE} {HALF}, {digits})"} for digits in (2, 3, 4, 5, 6)),
    *(
        {f"return {RANGE} {HALF}": f"return round({RANGE} {HALF}, {digits})", LINE: f"round({LINE}, {digits})"}
        for digits in (2, 3, 4, 5, 6)
    ),
)

cosine_lr.mistake(
    "min_lr has another default",
    "Where nobody gives a min_lr, your rate does not fall to 0. The signature says `min_lr: float = 0.0`: keep it.",
    *({"min_lr: float = 0.0": f"min_lr: float = {other}"} for other in ("1e-4", "1e-5", "1e-6")),
)

cosine_lr.mistake(
    "min_lr is taken for a share",
    "min_lr is taken for a share of max_lr. Some code has such a share; here min_lr is a rate by itself, and the fall ends there.",
    {RANGE: "max_lr * min_lr + (max_lr - max_lr * min_lr) *"},
)

cosine_lr.mistake(
    "a power of the wave",
    "There is a power in your fall. Squared, the half cosine falls faster and is no wave any more. It is (1 + cos(π · progress)) / 2, as it is.",
    {HALF: "((1 + math.cos(math.pi * progress)) / 2) ** 2"},
    {HALF: "(1 + math.cos(math.pi * progress**2)) / 2"},
    {HALF: "(1 + math.cos(math.pi * progress**0.5)) / 2"},
)

cosine_lr.mistake(
    "a warm-up that is never over is accepted",
    "A warm-up as long as the training is accepted. No step would be left for the fall. The given lines refused such a warm-up: keep them.",
    {"if not 0 <= warmup_steps < total_steps:": "if False:"},
    {  # divided by before it is asked what the step is
        "if not 0 <= warmup_steps < total_steps:": "if False:",
        "if step < warmup_steps:": "if 1 / (total_steps - warmup_steps) and step < warmup_steps:",
    },
)
