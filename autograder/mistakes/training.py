"""Wrong ways of lesson 09. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.probing.mistake import Mistake

# shift_right ----------------------------------------------------------------------------

SHIFT = "shift_right"
JOINED = "torch.cat([first, tgt[:, :-1]], dim=1)"

LENGTH = (
    "Your result is one token too long. The last token of the target is still in it; nothing is to be found after that one, so nobody needs to read it, and the "
    "logits would no longer line up with the targets. Leave the last column out."
)
one_too_long = Mistake("one token too long", of=SHIFT, swap=JOINED, by="torch.cat([first, tgt], dim=1)", says=LENGTH)

LEFT = (
    "The target is shifted to the left. At every place stands the token *after* the one that is to be found, so the decoder reads ahead instead of back. "
    "The new token comes first, and the last one goes."
)
to_the_left = Mistake(
    "shifted to the left", of=SHIFT, swap=JOINED, by="torch.cat([tgt[:, 1:], first], dim=1)", says=LEFT
)

first_lost = Mistake(
    "the first token is written over",
    of=SHIFT,
    swap=JOINED,
    by="torch.cat([first, tgt[:, 1:]], dim=1)",
    says="The first token is replaced, and nothing is shifted. From the second place on the decoder is handed the very token it should find: the loss falls to 0 and nothing is learned. "
    "Keep the first token, drop the last.",
)

NOT_SHIFTED = (
    "Nothing is shifted. The decoder reads at every place the token that it should find there; the loss falls to 0 within a few steps, and the model can write nothing. "
    "Put bos_id in front and drop the last token."
)
not_shifted = Mistake("not shifted", of=SHIFT, swap=JOINED, by="tgt.clone()", says=NOT_SHIFTED)

rolled = Mistake(
    "the last token comes first",
    of=SHIFT,
    swap=JOINED,
    by="tgt.roll(1, dims=1)",
    says="The last token has become the first. `roll` turns the row round in a circle, so what falls off at the end appears at the start, and the model reads the end of the "
    "sentence before it begins. The first column is bos_id.",
)

over_the_batch = Mistake(
    "shifted along the batch",
    of=SHIFT,
    swap=JOINED,
    by="torch.cat([torch.full_like(tgt[:1], bos_id), tgt[:-1]], dim=0)",
    says="It is the sentences that are shifted, not the tokens. Dimension 0 is the batch: every sentence got its neighbour's words. Tokens lie in dimension 1.",
)

zeros_first = Mistake(
    "bos_id is not used",
    of=SHIFT,
    swap="torch.full_like(tgt[:, :1], bos_id)",
    by="torch.zeros_like(tgt[:, :1])",
    says="The first column holds 0, not bos_id. 0 is padding in this course, and a mask would hide it: the decoder would have nothing to begin with. Fill the column with bos_id.",
)

of_floats = Mistake(
    "floats, not token ids",
    of=SHIFT,
    swap=JOINED,
    by="torch.cat([first, tgt[:, :-1]], dim=1).float()",
    says="Your token ids have become floats. `torch.ones` and `torch.full` of a float make float tensors, and what is joined with them becomes float too; an embedding takes whole numbers only. "
    "`torch.full_like(tgt[:, :1], bos_id)` has the dtype of `tgt`.",
)

no_bos = Mistake(
    "bos_id is missing",
    of=SHIFT,
    swap=JOINED,
    by="tgt[:, :-1]",
    says="The last token is gone, and nothing has come in front. That is the cut of lesson 08, where the target began with <bos>. Here it does not: put a column of bos_id before it, and it has its old length again.",
)

# label_smoothed_cross_entropy ----------------------------------------------------------------------------

LOSS = "label_smoothed_cross_entropy"
LOG_PROBS = "logits.log_softmax(dim=-1)"
OF_ALL = "of_all = -log_probs.mean(dim=-1)"
MIX = "(1 - smoothing) * of_target + smoothing * of_all"
MEAN = "losses[real].mean()"

padding_learned = Mistake(
    "padding is learned too",
    of=LOSS,
    swap=MEAN,
    by="losses.mean()",
    says="Padding is asked for like any word. The places where the target is pad_id are in your mean, with their losses: the model learns to write padding, which is easy, and "
    "the loss looks better than it is. Take the mean over the places where `real` is True.",
)

PAD_COUNTED = (
    "Padding counts in the mean. Its losses are 0 in your sum, and still you divide by all places: a batch with much padding gets a small loss and a small gradient. Divide by the "
    "number of real places. Articles with one-hot targets do this."
)
padding_counted = Mistake(
    "padding counts in the mean", of=LOSS, swap=MEAN, by="(losses * real).mean()", says=PAD_COUNTED
)

by_sentence = Mistake(
    "every sentence weighs the same",
    of=LOSS,
    swap=MEAN,
    by="((losses * real).sum(-1) / real.sum(-1)).mean()",
    says="You average each sentence first, then the sentences. A word in a short sentence then counts more than one in a long one. That is a choice some make; here, as in torch, "
    "every real place of the batch counts the same.",
)

per_sentence = Mistake(
    "divided by the number of sentences",
    of=LOSS,
    swap=MEAN,
    by="losses[real].sum() / len(targets)",
    says="You divide by the number of sentences, not of places. Long sentences then have large losses, and the learning rate means something else for every batch. Divide by the number of real places.",
)

summed = Mistake(
    "summed, not averaged",
    of=LOSS,
    swap=MEAN,
    by="losses[real].sum()",
    says="The losses are added up, not averaged. The gradient grows with the batch, and so would every step. Take the mean over the real places.",
)

divided_by_classes = Mistake(
    "divided by the number of classes",
    of=LOSS,
    swap=MEAN,
    by="losses[real].mean() / logits.size(-1)",
    says="Your mean runs over the classes too. The cross-entropy of a place is a *sum* over its classes; only places are averaged. Yours is smaller by the size of the vocabulary. "
    "`nn.KLDivLoss` with its default reduction does this.",
)

NO_MEAN = "You return a loss for every place. `backward` needs one number: the mean over the real places."
no_mean = Mistake("one loss for every place", of=LOSS, swap=MEAN, by="losses[real]", says=NO_MEAN)
no_mean_at_all = Mistake("one loss for every place", of=LOSS, swap=MEAN, by="losses * real", says=NO_MEAN)

others_only = Mistake(
    "mass on the other classes only",
    of=LOSS,
    swap=OF_ALL,
    by="of_all = (-log_probs.sum(dim=-1) - of_target) / (logits.size(-1) - 1)",
    says="The share `smoothing` is spread over the other classes only. That is another convention, in which the target keeps exactly 1 - smoothing. Here, as in the paper that introduced "
    "it and in torch, the target gets its part of the spread as well: the mean is over all classes.",
)

others_but_padding = Mistake(
    "mass on the other classes, without padding",
    of=LOSS,
    swap=OF_ALL,
    by="of_all = (-log_probs.sum(dim=-1) - of_target + log_probs[..., pad_id]) / (logits.size(-1) - 2)",
    says="The share `smoothing` is spread over V - 2 classes: not the target, not padding. That is the convention of the best known annotated implementation. Here, as in torch, it is "
    "spread over all V.",
)

not_on_padding = Mistake(
    "no mass on padding",
    of=LOSS,
    swap=OF_ALL,
    by="of_all = (-log_probs.sum(dim=-1) + log_probs[..., pad_id]) / (logits.size(-1) - 1)",
    says="Padding gets no part of the spread. That is a sensible convention, as padding is never right; here, as in torch, the share `smoothing` is spread over all V classes, pad_id included.",
)

spread_summed = Mistake(
    "the sum over all classes, not the mean",
    of=LOSS,
    swap=OF_ALL,
    by="of_all = -log_probs.sum(dim=-1)",
    says="Every class gets the whole share `smoothing`. It is to be divided among them: the mean of the log-probabilities, not their sum.",
)

exchanged_shares = Mistake(
    "the two shares exchanged",
    of=LOSS,
    swap=MIX,
    by="smoothing * of_target + (1 - smoothing) * of_all",
    says="The two shares have changed places. With smoothing=0.1 your target gets a tenth, and nine tenths are spread over everything. The target gets 1 - smoothing.",
)

no_smoothing = Mistake(
    "smoothing is not used",
    of=LOSS,
    swap=MIX,
    by="of_target",
    says="Nothing is smoothed. You ask for certainty, whatever `smoothing` says. Mix the loss of the target with the mean over all classes.",
)

more_than_one = Mistake(
    "the shares sum to more than 1",
    of=LOSS,
    swap=MIX,
    by="of_target + smoothing * of_all",
    says="Your shares sum to 1 + smoothing. What the other classes get must be taken from the target: it keeps 1 - smoothing.",
)

LOGS = (
    "You take the softmax first and then the logarithm. A probability below 1e-38 is 0 in float32, and the logarithm of 0 is infinite; a small number added to it only hides that, and gives a wrong "
    "loss just where the model is most wrong. `log_softmax` never leaves the logarithm."
)
log_of_softmax = Mistake(
    "logarithm of the softmax", of=LOSS, swap=LOG_PROBS, by="logits.softmax(dim=-1).log()", says=LOGS
)


def with_eps(eps: str) -> Mistake:
    """The logarithm of the softmax plus a small number."""
    return Mistake(
        "logarithm of the softmax", of=LOSS, swap=LOG_PROBS, by=f"(logits.softmax(dim=-1) + {eps}).log()", says=LOGS
    )


log_eps_6, log_eps_7, log_eps_8, log_eps_9, log_eps_10, log_eps_12 = map(
    with_eps, ("1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12")
)
log_clamped = Mistake(
    "logarithm of the softmax", of=LOSS, swap=LOG_PROBS, by="logits.softmax(dim=-1).clamp(min=1e-9).log()", says=LOGS
)

no_log = Mistake(
    "the logarithm is missing",
    of=LOSS,
    swap=LOG_PROBS,
    by="logits.softmax(dim=-1)",
    says="The logarithm is missing. You average probabilities, and a place where the model was sure and wrong costs hardly more than any other. The loss is minus the *logarithm*: `log_softmax`.",
)
no_softmax = Mistake(
    "no softmax",
    of=LOSS,
    swap=LOG_PROBS,
    by="logits",
    says="The scores are taken as they are. They are no log-probabilities yet: the loss could be lowered without end by raising all of them. `log_softmax` first.",
)

softmax_twice = Mistake(
    "the softmax is taken twice",
    of=LOSS,
    swap=LOG_PROBS,
    by="logits.softmax(dim=-1).log_softmax(dim=-1)",
    says="The softmax is taken twice. Probabilities lie between 0 and 1, so a second softmax makes them nearly equal, and the loss cannot fall far. `log_softmax` takes the logits as they are.",
)

DIM_SAYS = "The softmax runs over the wrong dimension. It must be the last, the vocabulary: at every place the probabilities of all words sum to 1. In torch's own function classes stand second; here they stand last."
over_places = Mistake(
    "softmax over the wrong dimension", of=LOSS, swap=LOG_PROBS, by="logits.log_softmax(dim=-2 if logits.dim() > 1 else -1)", says=DIM_SAYS
)  # fmt: skip
over_batch = Mistake(
    "softmax over the wrong dimension", of=LOSS, swap=LOG_PROBS, by="logits.log_softmax(dim=0)", says=DIM_SAYS
)
over_second = Mistake(
    "softmax over the wrong dimension", of=LOSS, swap=LOG_PROBS, by="logits.log_softmax(dim=1)", says=DIM_SAYS
)

SIGN = "The sign is wrong. Log-probabilities are negative and the loss is minus their mean; yours would be driven towards minus infinity, away from the targets."

wrong_sign = Mistake(
    "minus sign missing",
    of=LOSS,
    swap=MEAN,
    by="-losses[real].mean()",
    says=SIGN,
)

ONE_SIGN = "One of your two losses lacks its minus sign. Log-probabilities are negative, and both losses are minus a log-probability: that of the target, and the mean over all classes."
one_sign_of_all = Mistake(
    "one minus sign missing", of=LOSS, swap=OF_ALL, by="of_all = log_probs.mean(dim=-1)", says=ONE_SIGN
)
one_sign_of_target = Mistake(
    "one minus sign missing", of=LOSS, swap="of_target = -log_probs", by="of_target = log_probs", says=ONE_SIGN
)

wrong_sign_of_both = Mistake("minus sign missing", of=LOSS, swap=MIX, by=f"-({MIX})", says=SIGN)

all_squeezed = Mistake(
    "every dimension of one is squeezed",
    of=LOSS,
    swap=".squeeze(-1)",
    by=".squeeze()",
    says="`squeeze()` takes out every dimension of size 1. You mean the last one; where sentences have a single token, or the batch a single sentence, another one goes too. `squeeze(-1)`.",
)

in_bits = Mistake(
    "in bits",
    of=LOSS,
    swap=MEAN,
    by="losses[real].mean() / math.log(2)",
    says="Your loss is in bits. The logarithm to base 2 is what information theory likes; the course, as torch, uses the natural one.",
)

divergence = Mistake(
    "the divergence, not the cross-entropy",
    of=LOSS,
    swap=f"    return {MEAN}",
    by="    each = smoothing / logits.size(-1)\n"
    "    shares = [1 - smoothing + each] + [each] * (logits.size(-1) - 1)\n"
    "    return losses[real].mean() + sum(one * math.log(one) for one in shares if one > 0)",
    says="You return the Kullback-Leibler divergence. It is the cross-entropy minus the entropy of what is asked for, a constant: the gradient is the same, the numbers are not, and they no longer "
    "compare with log V. The best known annotated implementation reports the divergence. The sum of share × -log p is all that is wanted.",
)

perplexity = Mistake(
    "the perplexity",
    of=LOSS,
    swap=MEAN,
    by="losses[real].mean().exp()",
    says="You return the perplexity. e to the power of the loss is a fine number to report; the loss itself is what is trained.",
)

detached = Mistake(
    "cut off from the graph",
    of=LOSS,
    swap=MEAN,
    by="losses[real].detach().mean()",
    says="The number is right, and no gradient flows back. `detach`, `.data`, `.item()` or a new tensor cuts the loss off from the logits; nothing could learn from it.",
)

pad_always_0 = Mistake(
    "pad_id is always 0",
    of=LOSS,
    swap="targets != pad_id",
    by="targets != 0",
    says="pad_id is not read. Your code takes 0 for padding whatever was given. Compare with `pad_id`.",
)

accepts_nothing = Mistake(
    "a batch of nothing but padding is accepted",
    of=LOSS,
    swap="if not real.any():",
    by="if False:",
    says="A batch without a real target gives NaN. The mean of nothing is no number, and one such batch spoils all weights. The given lines refused it: keep them.",
)

accepts_all_smoothing = Mistake(
    "a smoothing of 1 is accepted",
    of=LOSS,
    swap="if not 0 <= smoothing < 1:",
    by="if False:",
    says="A smoothing outside [0, 1) is accepted. With 1 the target no longer counts, and with more it is avoided. The given lines refused it: keep them.",
)

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

# clip_gradients_ ----------------------------------------------------------------------------

CLIP = "clip_gradients_"
LIST = "gradients = [one.grad for one in parameters if one.grad is not None]"
NORM = "math.sqrt(sum(one.square().sum().item() for one in gradients))"
IF_LONG = "if norm > max_norm:"
SCALE = "gradient.mul_(max_norm / norm)"
LOOP = "for gradient in gradients:"

EACH = "Every gradient is shortened on its own. That changes the direction of the step: a layer with a large gradient is held back and its neighbours are not. Compute one length over all parameters, and scale all by one factor."
each_alone = Mistake(
    "each parameter on its own",
    of=CLIP,
    swaps={IF_LONG: "if True:", SCALE: "gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))"},
    says=EACH,
)
each_alone_when_long = Mistake(
    "each parameter on its own",
    of=CLIP,
    swap=SCALE,
    by="gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))",
    says=EACH,
)

each_alone_told = Mistake(
    "each parameter on its own",
    of=CLIP,
    swaps={
        IF_LONG: "lengths = [one.norm().item() for one in gradients]\n    if True:",
        SCALE: "gradient.mul_(min(1.0, max_norm / max(gradient.norm().item(), 1e-12)))",
        "return norm": "return lengths[-1] if lengths else 0.0",
    },
    says=EACH,
)

CUT = (
    "Single numbers are cut off at max_norm, not the whole shortened. That bends the gradient into another direction, and its length can still be large. "
    "Multiply all of it by one factor."
)
values_cut = Mistake(
    "numbers are cut, not the length",
    of=CLIP,
    swaps={IF_LONG: "if True:", SCALE: "gradient.clamp_(-max_norm, max_norm)"},
    says=CUT,
)

no_root = Mistake(
    "no root",
    of=CLIP,
    swap=NORM,
    by="sum(one.square().sum().item() for one in gradients)",
    says="The root is missing. You compare the squared length with max_norm, and scale by it.",
)

lengths_added = Mistake(
    "lengths are added up",
    of=CLIP,
    swap=NORM,
    by="sum(one.norm().item() for one in gradients)",
    says="The lengths of the single gradients are added up. Of one long vector it is the squares that add up: square, add over all parameters, then take one root.",
)

INF = "Your length is the largest single number. Many middling numbers make a long vector as well. Square all, add, take the root."
largest = Mistake(
    "the largest number, not the length",
    of=CLIP,
    swap=NORM,
    by="max([one.abs().max().item() for one in gradients], default=0.0)",
    says=INF,
)

longest = Mistake(
    "the longest gradient's length",
    of=CLIP,
    swap=NORM,
    by="max([one.norm().item() for one in gradients], default=0.0)",
    says="Your length is that of the longest single gradient. All of them make up one vector, and it is longer than any of its parts: square, add over all parameters, take one root.",
)

of_parameters = Mistake(
    "the length of the parameters",
    of=CLIP,
    swaps={LIST: f"parameters = list(parameters)\n    {LIST}", NORM: "math.sqrt(sum(one.detach().square().sum().item() for one in parameters if one.grad is not None))"},
    says="You measure the parameters, not their gradients. It is `.grad` whose length counts.",
)  # fmt: skip

absolute = Mistake(
    "the sum of the absolute values",
    of=CLIP,
    swap=NORM,
    by="sum(one.abs().sum().item() for one in gradients)",
    says="Your length is the sum of the absolute values. The length of a vector is the root of its squares' sum.",
)

mean_square = Mistake(
    "the mean, not the sum, of the squares",
    of=CLIP,
    swap=NORM,
    by="math.sqrt(sum(one.square().sum().item() for one in gradients) / max(1, sum(one.numel() for one in gradients)))",
    says="You take the mean of the squares. That is the size of a typical number, not the length of all: with a million parameters it is a thousand times smaller.",
)

mean_square_of_each = Mistake(
    "the mean, not the sum, of the squares",
    of=CLIP,
    swap=NORM,
    by="math.sqrt(sum(one.square().mean().item() for one in gradients))",
    says="You take the mean of the squares. That is the size of a typical number, not the length of all: with a million parameters it is a thousand times smaller.",
)

only_short = Mistake(
    "the wrong ones are scaled",
    of=CLIP,
    swap=IF_LONG,
    by="if 0 < norm < max_norm:",
    says="The comparison is the wrong way round. Gradients that are too long stay as they are, and short ones are made longer. Scale where norm > max_norm.",
)

LONGER = (
    "A short gradient is made longer. Near the end of training gradients are small for a good reason, and yours would always take a step of full length. Clipping only ever shortens: that is why it does not "
    "help against gradients that vanish."
)
made_longer = Mistake("short gradients are made longer", of=CLIP, swap=IF_LONG, by="if norm > 0:", says=LONGER)
made_longer_dividing = Mistake("short gradients are made longer", of=CLIP, swap=IF_LONG, by="if True:", says=LONGER)
made_longer_eps = Mistake(
    "short gradients are made longer", of=CLIP, swaps={IF_LONG: "if True:", SCALE: "gradient.mul_(max_norm / (norm + 1e-6))"}, says=LONGER
)  # fmt: skip

length_after = Mistake(
    "the length afterwards is returned",
    of=CLIP,
    swap="return norm",
    by="return min(norm, max_norm)",
    says="You return the length that the gradient has now. What one wants to plot is the length that it *had*: a curve of it shows when training is in trouble. Return what you computed first.",
)

length_measured_after = Mistake(
    "the length afterwards is returned",
    of=CLIP,
    swap="return norm",
    by=f"return {NORM}",
    says="You return the length that the gradient has now. What one wants to plot is the length that it *had*: a curve of it shows when training is in trouble. Return what you computed first.",
)

factor_returned = Mistake(
    "the factor is returned",
    of=CLIP,
    swap="return norm",
    by="return min(1.0, max_norm / max(norm, 1e-12))",
    says="You return the factor. The length that the gradient had is wanted.",
)

nothing_returned = Mistake(
    "no length is returned",
    of=CLIP,
    swap="return norm",
    by="return None",
    says="Nothing is returned. The gradients are right; the length that they had is wanted as well.",
)

tensor_returned = Mistake(
    "a tensor, not a number",
    of=CLIP,
    swap="return norm",
    by="return torch.tensor(norm)",
    says="You return a tensor. The signature says float, and a list of plain numbers is what one plots: `.item()` makes one.",
)

upside_down = Mistake(
    "the factor is upside down",
    of=CLIP,
    swap="max_norm / norm",
    by="norm / max_norm",
    says="The factor is upside down. norm / max_norm makes a long gradient longer still. It is max_norm / norm.",
)

to_one = Mistake(
    "shortened to 1",
    of=CLIP,
    swap="max_norm / norm",
    by="1.0 / norm",
    says="The gradient is shortened to the length 1, whatever max_norm says. The factor is max_norm / norm.",
)

NOT_IN_PLACE = "The gradients are as they were. `mul` and `*` make new tensors and leave `.grad` alone. `mul_`, with the underscore, changes what is there."
not_in_place = Mistake("not in place", of=CLIP, swap=SCALE, by="gradient.mul(max_norm / norm)", says=NOT_IN_PLACE)

NONE_FAILS = "A parameter without a gradient stops your code. Whatever took no part in the loss has `.grad` None: frozen layers, unused branches. Leave those out."
HAS_GRADIENT = " if one.grad is not None]"
none_fails = Mistake("a parameter without a gradient", of=CLIP, swap=HAS_GRADIENT, by="]", says=NONE_FAILS)
none_squared = Mistake(  # None ** 2 is another exception than None.square()
    "a parameter without a gradient",
    of=CLIP,
    swaps={HAS_GRADIENT: "]", "one.square()": "(one**2)"},
    says=NONE_FAILS,
)

READ_TWICE = "The parameters are read twice. `model.parameters()` is a generator: after the first loop it is empty, so nothing is scaled, and no error says so. Make a list of the gradients first."
HAVING = "(p.grad for p in parameters if p.grad is not None)"
read_twice = Mistake(
    "parameters are read twice",
    of=CLIP,
    swaps={LIST: "pass", NORM: NORM.replace("gradients", HAVING), LOOP: f"for gradient in {HAVING}:"},
    says=READ_TWICE,
)

parameters_scaled = Mistake(
    "parameters are shortened, not gradients",
    of=CLIP,
    swaps={
        LIST: f"parameters = list(parameters)\n    {LIST}",
        LOOP: "for gradient in [p.data for p in parameters if p.grad is not None]:",
    },
    says="It is the parameters that you shrink. The step is made with the gradients, which are as long as before. Scale `.grad`.",
)

# AdamW ----------------------------------------------------------------------------

ADAM = "AdamW"
COUNT = 'state["step"] += 1'
DECAY = "parameter.mul_(1 - lr * weight_decay)"
MEAN_ALPHA, SQUARE_VALUE = "alpha=1 - beta1", "value=1 - beta2"
ADD_SQUARE = ".addcmul_(gradient, gradient, value=1 - beta2)"
CORRECT_MEAN, CORRECT_SQUARE = ' / (1 - beta1 ** state["step"])', ' / (1 - beta2 ** state["step"])'
ROOT = "(square.sqrt() + eps)"
UPDATE = "parameter.sub_(lr * mean / (square.sqrt() + eps))"
OWN_STATE = "self.state[parameter]"


def adam(name: str, says: str, edits: dict[str, str]) -> Mistake:
    """A mistake somewhere in the class."""
    return Mistake(name, of=ADAM, swaps=edits, says=says)


L2 = (
    "Weight decay is added to the gradient. There it goes through the running means and is divided by the root: weights with large gradients hardly decay at all. That is Adam with L2, which AdamW was made to put right. "
    "Shrink the parameter itself: times 1 - lr · weight_decay."
)
decay_as_l2 = adam("weight decay as L2", L2, {DECAY: "gradient = gradient + weight_decay * parameter"})
decay_as_l2_in_place = adam("weight decay as L2", L2, {DECAY: "gradient.add_(weight_decay * parameter)"})

decay_as_l2_of_mean = adam(
    "weight decay as L2", L2, {"add_(gradient, alpha": "add_(gradient + weight_decay * parameter, alpha", DECAY: "pass"}
)

decayed_twice = adam(
    "decayed twice",
    "The weight decays twice. Once it loses lr · weight_decay of itself, as it should, and once more the decay is in the gradient. Leave the gradient alone.",
    {DECAY: f"{DECAY}\n        gradient = gradient + weight_decay * parameter"},
)

decay_divided = adam(
    "the decay is divided by the root",
    "The decay is divided by the root. Beside the mean, in the numerator, it gets each number's own pace: weights with large gradients hardly decay at all. Shrink the parameter itself: times 1 - lr · weight_decay.",
    {DECAY: "pass", "lr * mean": "lr * (mean + weight_decay * parameter)"},
)

decay_without_lr = adam(
    "decay without the learning rate",
    "The decay is not multiplied by lr. With lr=0.001 yours is a thousand times too strong, and it does not fall with the schedule. A weight loses lr · weight_decay of itself.",
    {DECAY: "parameter.mul_(1 - weight_decay)"},
)

no_decay = adam(
    "no weight decay",
    "Nothing decays. This is Adam without the W: before the update, the parameter is multiplied by 1 - lr · weight_decay.",
    {DECAY: "pass"},
)

decay_last = adam(
    "decay after the update",
    "The parameter decays after the update. Then a part of the fresh step decays with it. It is little, but torch decays first, and so does the paper: its decay is of the weight as it was.",
    {DECAY: "pass", UPDATE: f"{UPDATE}\n        {DECAY}"},
)

grows = adam(
    "weights grow",
    "The weights grow instead of decaying. The factor is 1 *minus* lr · weight_decay.",
    {DECAY: "parameter.mul_(1 + lr * weight_decay)"},
)

no_correction = adam(
    "no bias correction",
    "There is no bias correction. Both running means start at 0 and know little at first: the mean is too small by 1 - beta1, the root by √(1 - beta2), so that the first steps are about three times too long with the usual betas. Divide by 1 - beta^step.",
    {CORRECT_MEAN: "", CORRECT_SQUARE: ""},
)
ONE_CORRECTED = "Only one of the two running means is corrected. Both start at 0, and both are too small at first: divide the one by 1 - beta1^step and the other by 1 - beta2^step."
mean_not_corrected = adam("only one mean is corrected", ONE_CORRECTED, {CORRECT_MEAN: ""})
square_not_corrected = adam("only one mean is corrected", ONE_CORRECTED, {CORRECT_SQUARE: ""})

FIRST_STEP = "You divide by 1 - beta at every step. That is right at the first one only: what the running mean has not seen yet is beta^step, which soon is nothing. The power is missing."
always_first = adam(
    "the power of beta is missing", FIRST_STEP, {CORRECT_MEAN: " / (1 - beta1)", CORRECT_SQUARE: " / (1 - beta2)"}
)
always_first_mean = adam("the power of beta is missing", FIRST_STEP, {CORRECT_MEAN: " / (1 - beta1)"})
always_first_square = adam("the power of beta is missing", FIRST_STEP, {CORRECT_SQUARE: " / (1 - beta2)"})

same_beta = adam(
    "both are corrected with one beta",
    "Both running means are corrected with beta1. The mean of the squares forgets at its own pace, beta2, and needs its own correction.",
    {CORRECT_SQUARE: ' / (1 - beta1 ** state["step"])'},
)

corrected_after_root = adam(
    "corrected after the root",
    "The mean square is corrected after its root was taken. The correction belongs under the root; outside, it would have to be the root of 1 - beta2^step.",
    {ROOT: '(state["square"].sqrt() / (1 - beta2 ** state["step"]) + eps)'},
)

counted_late = adam(
    "the step is counted too late",
    "The step is not counted before it is used. At the first step 1 - beta^0 is 0, and you divide by it. Count first, then use the number.",
    {COUNT: "pass", UPDATE: f"{UPDATE}\n        {COUNT}"},
)

ONE_COUNT = "There is one step count for all parameters. Each parameter has its own: it begins with its first gradient, and it is part of what is saved. Keep it in `state`."
counted_for_all = adam(
    "one step count for all parameters",
    ONE_COUNT,
    {COUNT: 'self._count = getattr(self, "_count", 0) + 1\n        state["step"] = self._count'},
)
counted_by_calls = adam(
    "one step count for all parameters",
    ONE_COUNT,
    {"for group in self.param_groups:": 'self._count = getattr(self, "_count", 0) + 1\n        for group in self.param_groups:', COUNT: 'state["step"] = self._count'},
)  # fmt: skip

EPS_INSIDE = "eps stands inside the root. There it is in the unit of a squared gradient, and 1e-8 counts like 1e-4. √square + eps."
eps_inside = adam("eps inside the root", EPS_INSIDE, {ROOT: "(square + eps).sqrt()"})

eps_early = adam(
    "eps before the correction",
    "eps is added before the bias correction. That is the short form in section 2 of the Adam paper; there eps weighs more in the first steps. Here, as in algorithm 1 and in torch, it is added to the root of the corrected mean square.",
    {ROOT: '((state["square"].sqrt() + eps) / (1 - beta2 ** state["step"]) ** 0.5)'},
)

no_eps = adam(
    "no eps",
    "eps is not used. Where the gradient has been 0 so far, you divide 0 by 0, and the parameter becomes NaN.",
    {ROOT: "square.sqrt()"},
)

fixed_eps = adam(
    "eps is always 1e-8",
    "eps is not read. Your code takes 1e-8 whatever was given. The setting stands in `group`, and the given lines take it out.",
    {ROOT: "(square.sqrt() + 1e-8)"},
)

betas_exchanged = adam(
    "betas exchanged",
    "The two betas have changed places. The first is for the gradient, the second, nearer to 1, for its square.",
    {'beta1, beta2 = group["betas"]': 'beta2, beta1 = group["betas"]'},
)

not_squared = adam(
    "the gradient is not squared",
    "The second running mean is one of the gradient, not of its square. It can be negative, and then its root is NaN.",
    {ADD_SQUARE: ".add_(gradient, alpha=1 - beta2)"},
)

squared_mean = adam(
    "the square of the mean",
    "You square the running mean, not the gradient. Where gradients change sign their mean is near 0, and you would divide by next to nothing just where care is due. It is the mean of the squared gradient.",
    {ADD_SQUARE: '.addcmul_(state["mean"], state["mean"], value=1 - beta2)'},
)

no_square_root = adam(
    "no root",
    "The root is missing. You divide by the mean *square*: parameters with small gradients take giant steps. √square has the unit of a gradient, and that unit has to cancel.",
    {ROOT: "(square + eps)"},
)

SUMS = "A running sum in the place of a running mean. What is new enters with the full weight 1; it should be 1 - beta, so that the two shares make 1."
sums = adam("running sums, not means", SUMS, {MEAN_ALPHA: "alpha=1", SQUARE_VALUE: "value=1"})
sum_of_mean = adam("running sums, not means", SUMS, {MEAN_ALPHA: "alpha=1"})
sum_of_squares = adam("running sums, not means", SUMS, {SQUARE_VALUE: "value=1"})

EXCHANGED = "Old and new have exchanged their shares. A running mean keeps beta of what it was and takes 1 - beta of what is new; yours forgets nearly everything at each step."
MEAN_LINE = 'state["mean"].mul_(beta1).add_(gradient, alpha=1 - beta1)'
SQUARE_KEEP = 'state["square"].mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)'
TURNED_MEAN = {MEAN_LINE: 'state["mean"].mul_(1 - beta1).add_(gradient, alpha=beta1)'}
TURNED_SQUARE = {SQUARE_KEEP: 'state["square"].mul_(1 - beta2).addcmul_(gradient, gradient, value=beta2)'}
exchanged_both = adam("shares of old and new exchanged", EXCHANGED, TURNED_MEAN | TURNED_SQUARE)
exchanged_mean = adam("shares of old and new exchanged", EXCHANGED, TURNED_MEAN)
exchanged_square = adam("shares of old and new exchanged", EXCHANGED, TURNED_SQUARE)

uphill = adam(
    "uphill",
    "The parameter moves with the gradient, not against it. The loss would grow: subtract.",
    {"parameter.sub_(": "parameter.add_("},
)

NEW_TENSOR = "The parameter is not changed. `parameter = parameter - ...` makes a new tensor that nobody but this function knows; the model keeps the old one. Change it in place: `sub_`, `mul_`, or `-=`."
new_tensor = adam("a new tensor, not the parameter", NEW_TENSOR, {"parameter.sub_(": "parameter = parameter.sub("})
new_tensors = adam(
    "a new tensor, not the parameter",
    NEW_TENSOR,
    {"parameter.sub_(": "parameter = parameter.sub(", DECAY: "parameter = parameter * (1 - lr * weight_decay)"},
)

BACK = "The corrected mean goes back into the state. At the next step it is corrected again, and again. The correction is for this step only; the state keeps the plain running mean."
corrected_state = adam("the correction goes into the state", BACK, {'mean = state["mean"] /': 'mean = state["mean"] = state["mean"] /', 'square = state["square"] /': 'square = state["square"] = state["square"] /'})  # fmt: skip
corrected_state_mean = adam("the correction goes into the state", BACK, {'mean = state["mean"] /': 'mean = state["mean"] = state["mean"] /'})  # fmt: skip
corrected_state_square = adam("the correction goes into the state", BACK, {'square = state["square"] /': 'square = state["square"] = state["square"] /'})  # fmt: skip

root_kept = adam(
    "the root goes into the state",
    "The root is written into the state. `sqrt_`, with the underscore, changes the running mean of the squares itself, and the next step goes on from a root. `sqrt` makes a new tensor.",
    {ROOT: '(state["square"].sqrt_() / (1 - beta2 ** state["step"]) ** 0.5 + eps)'},
)

NOT_KEPT = 'A running mean is not kept. What you compute stays in a variable of this call; `state` still holds 0, so every step begins anew. Change the state itself, `state["mean"].mul_(...)`, or write the new tensor back into it.'
MEAN_FOR_NOW = {
    MEAN_LINE: 'mean = beta1 * state["mean"] + (1 - beta1) * gradient',
    'mean = state["mean"] /': "mean = mean /",
}
SQUARE_FOR_NOW = {
    SQUARE_KEEP: 'square = beta2 * state["square"] + (1 - beta2) * gradient**2',
    'square = state["square"] /': "square = square /",
}
neither_kept = adam("running means are not kept", NOT_KEPT, MEAN_FOR_NOW | SQUARE_FOR_NOW)
mean_not_kept = adam("running means are not kept", NOT_KEPT, MEAN_FOR_NOW)
square_not_kept = adam("running means are not kept", NOT_KEPT, SQUARE_FOR_NOW)

GROUPS = "The groups' own settings are not read. Each parameter must be updated with the lr, betas, eps and weight_decay of *its* group: that is how biases are kept from decaying, and how a schedule changes the learning rate."
first_group = adam(
    "settings of the groups are ignored", GROUPS, {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.param_groups[0])"}
)
defaults_only = adam(
    "settings of the groups are ignored", GROUPS, {f"{OWN_STATE}, group)": f"{OWN_STATE}, self.defaults)"}
)

not_saved = adam(
    "running means are not saved",
    "The running means live outside `self.state`. `state_dict()` does not see them there, so a checkpoint loses them, and training that is taken up again starts with means of 0. Keep them in `self.state[parameter]`.",
    {OWN_STATE: 'self.__dict__.setdefault("own", {}).setdefault(parameter, {})'},
)

one_state = adam(
    "one state for all parameters",
    "All parameters share one state. The running means of one are mixed with those of the next, or do not fit in shape. `self.state[parameter]` is a dictionary for each.",
    {OWN_STATE: 'self.state.setdefault("all", {})'},
)

none_as_zero = adam(
    "no gradient is taken for a gradient of 0",
    "A parameter without a gradient is changed. It took no part in the loss, and torch leaves it alone: no decay, no count, no running mean. Pass over it.",
    {"if parameter.grad is not None:": "if parameter.grad is None:\n                    parameter.grad = torch.zeros_like(parameter)\n                if True:"},
)  # fmt: skip

none_decays = adam(
    "parameters without a gradient decay",
    "A parameter without a gradient decays all the same. It took no part in the loss, and torch leaves it alone. Decay inside the `if`.",
    {DECAY: "pass", "if parameter.grad is not None:": 'parameter.mul_(1 - group["lr"] * group["weight_decay"])\n                if parameter.grad is not None:'},
)  # fmt: skip

no_momentum = adam(
    "the gradient itself, not its mean",
    "The step follows the gradient of the moment, not its running mean. That is RMSProp. The numerator is the corrected running mean.",
    {f'mean = state["mean"]{CORRECT_MEAN}': "mean = gradient"},
)

not_divided = adam(
    "not divided by the root",
    "The running mean is not divided by the root of the mean square. That is momentum with one pace for all; Adam gives every number its own, and this division is how.",
    {f" / {ROOT}": ""},
)

no_lr = adam(
    "no learning rate in the step",
    "The step is not multiplied by lr. Each of your steps has a length near 1 in every number.",
    {"lr * mean": "mean"},
)

GRADIENT_WRITTEN = "The gradient is written over. Whoever looks at it after the step, to plot its length for instance, finds something else. Compute new tensors from it: `gradient.square()`, without the underscore."
gradient_written = adam(
    "the gradient is written over", GRADIENT_WRITTEN, {ADD_SQUARE: ".add_(gradient.square_(), alpha=1 - beta2)"}
)

# decay_groups ----------------------------------------------------------------------------

GROUP = "decay_groups"
ALL = "parameters = list(model.parameters())"
WIDE, NARROW = "if one.dim() > 1]", "if one.dim() <= 1]"
NOT_DECAYING = '"weight_decay": 0.0}'
ALL_OF = "[one for one in parameters "
SECOND = f'\n        {{"params": {ALL_OF}{NARROW}, {NOT_DECAYING},'
BY_NAME = "names = {id(one): name for name, one in model.named_parameters()}\n    "

EVERYTHING = "Everything decays. A norm's scale is drawn towards 0, where it silences the feature, and a bias has nothing to gain from being small. The second group, with norms and biases, gets 0.0."
everything_decays = Mistake(
    "everything decays", of=GROUP, swap=NOT_DECAYING, by='"weight_decay": weight_decay}', says=EVERYTHING
)
everything_in_one = Mistake("everything decays", of=GROUP, swaps={WIDE: "]", SECOND: ""}, says=EVERYTHING)
everything_first = Mistake("everything decays", of=GROUP, swaps={WIDE: "]", NARROW: "if False]"}, says=EVERYTHING)

NOTHING = (
    "Nothing decays. The first group, with the weights of layers and tables, gets the weight_decay that was given."
)
nothing_decays = Mistake(
    "nothing decays", of=GROUP, swap='"weight_decay": weight_decay}', by='"weight_decay": 0.0}', says=NOTHING
)
nothing_first = Mistake("nothing decays", of=GROUP, swaps={WIDE: "if False]", NARROW: "]"}, says=NOTHING)

turned_round = Mistake(
    "the groups are exchanged",
    of=GROUP,
    swaps={WIDE: "if one.dim() <= 1]", NARROW: "if one.dim() > 1]"},
    says="The groups are exchanged. Norms and biases decay, and the weights of layers do not.",
)

second_first = Mistake(
    "the group that does not decay comes first",
    of=GROUP,
    swaps={
        WIDE: "if one.dim() <= 1]",
        '"weight_decay": weight_decay}': NOT_DECAYING,
        NARROW: "if one.dim() > 1]",
        NOT_DECAYING: '"weight_decay": weight_decay}',
    },
    says="The group that does not decay comes first. An optimizer would not mind; whoever reads or changes the decay later looks into the first group for it. First what decays, then the norms and biases.",
)

norms_decay = Mistake(
    "norms decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if not names[id(one)].endswith("bias")]',
        NARROW: 'if names[id(one)].endswith("bias")]',
    },
    says="The scales of the norms decay. You look for \"bias\" in the names, and a norm's scale is called weight. Tell them by their number of dimensions: a layer's weight has two or more.",
)

norms_by_name = Mistake(
    "norms are known by their name",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if not names[id(one)].endswith("bias") and "norm" not in names[id(one)]]',
        NARROW: 'if names[id(one)].endswith("bias") or "norm" in names[id(one)]]',
    },
    says="Norms are known by their name only. One that is called otherwise, or stands in an nn.Sequential, where names are numbers, decays. Tell them by their number of dimensions.",
)

KNOWN_NORMS = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.LayerNorm) for one in part.parameters()}\n    "
)
norms_by_class = Mistake(
    "only torch's own norms are known",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{KNOWN_NORMS}{ALL}",
        WIDE: 'if id(one) not in known and not names[id(one)].endswith("bias")]',
        NARROW: 'if id(one) in known or names[id(one)].endswith("bias")]',
    },
    says="Only torch's own norms are spared. The LayerNorm that you wrote in lesson 01 is none of them, and its scale decays. Tell them by their number of dimensions, not by their class.",
)

biases_decay = Mistake(
    "biases decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if one.dim() > 1 or names[id(one)].endswith("bias")]',
        NARROW: 'if one.dim() <= 1 and not names[id(one)].endswith("bias")]',
    },
    says="The biases decay. Only the scales of the norms are spared; whatever has one dimension belongs to the second group.",
)

KNOWN_TABLES = (
    "known = {id(one) for part in model.modules() if isinstance(part, nn.Embedding) for one in part.parameters()}\n    "
)
KNOWN_OTHERS = (
    "others = {id(one) for part in model.modules() if not isinstance(part, nn.Embedding) "
    "for one in part.parameters(recurse=False)}\n    known -= others\n    "
)
SPARED = "Embedding tables are spared from decay. That is the convention of some codebases; here, as in most, a table counts as a weight: it has two dimensions."
BUT_TABLES = {
    WIDE: "if one.dim() > 1 and id(one) not in known]",
    NARROW: "if one.dim() <= 1 or id(one) in known]",
}
tables_spared = Mistake("tables do not decay", of=GROUP, swaps={ALL: f"{KNOWN_TABLES}{ALL}", **BUT_TABLES}, says=SPARED)
own_tables_spared = Mistake(  # one that is an output layer too counts as a layer
    "tables do not decay", of=GROUP, swaps={ALL: f"{KNOWN_TABLES}{KNOWN_OTHERS}{ALL}", **BUT_TABLES}, says=SPARED
)

tables_by_name = Mistake(
    "tables do not decay",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}{ALL}",
        WIDE: 'if one.dim() > 1 and "emb" not in names[id(one)]]',
        NARROW: 'if one.dim() <= 1 or "emb" in names[id(one)]]',
    },
    says=SPARED,
)

by_class = Mistake(
    "sorted by the class of the layer",
    of=GROUP,
    swaps={
        ALL: f"{BY_NAME}known = {{id(one) for part in model.modules() if isinstance(part, (nn.LayerNorm, nn.Embedding)) for one in part.parameters()}}\n    {ALL}",
        WIDE: 'if id(one) not in known and not names[id(one)].endswith("bias")]',
        NARROW: 'if id(one) in known or names[id(one)].endswith("bias")]',
    },
    says="You sort by the class of the layer. So torch's own norms and tables are spared, and the LayerNorm that you wrote in lesson 01 decays. That is the way of a popular small GPT. Here the number of dimensions decides: a table has two and decays, a norm has one, whoever made it.",
)

not_two = Mistake(
    "weights of two dimensions do not decay",
    of=GROUP,
    swaps={WIDE: "if one.dim() > 2]", NARROW: "if one.dim() <= 2]"},
    says="Weights of two dimensions do not decay, and nearly all weights of a Transformer have two. Two dimensions *or more* go to the first group: `dim() > 1`.",
)

only_two = Mistake(
    "only weights of two dimensions decay",
    of=GROUP,
    swaps={WIDE: "if one.dim() == 2]", NARROW: "if one.dim() != 2]"},
    says="A weight of three dimensions does not decay. Convolutions have such weights. Two dimensions *or more*.",
)
three_lost = Mistake(
    "weights of three dimensions are left out",
    of=GROUP,
    swap=WIDE,
    by="if one.dim() == 2]",
    says="A weight of three dimensions is in neither group. Convolutions have such weights, and yours would never learn. Two dimensions *or more* go to the first group.",
)

KNOWN_LAYERS = "known = {id(part.weight) for part in model.modules() if isinstance(part, nn.Linear)}\n    "
linear_only = Mistake(
    "only linear layers decay",
    of=GROUP,
    swaps={ALL: f"{KNOWN_LAYERS}{ALL}", WIDE: "if id(one) in known]", NARROW: "if id(one) not in known]"},
    says="Only the weights of nn.Linear decay. Tables and convolutions are passed by, and so is any layer that somebody else wrote. Tell them by their number of dimensions, not by their class.",
)

STRENGTH = "weight_decay is not read. Your first group has a number of its own, whatever was given."
strength_001 = Mistake(
    "weight_decay is not read",
    of=GROUP,
    swap='"weight_decay": weight_decay}',
    by='"weight_decay": 0.01}',
    says=STRENGTH,
)
strength_01 = Mistake(
    "weight_decay is not read", of=GROUP, swap='"weight_decay": weight_decay}', by='"weight_decay": 0.1}', says=STRENGTH
)


LEFT_OUT = "Norms and biases are in neither group. An optimizer changes only what it is given: they would never learn. They belong to the second group, with weight_decay 0.0."
left_out = Mistake("norms and biases are left out", of=GROUP, swap=f"{ALL_OF}{NARROW}", by="[]", says=LEFT_OUT)
one_group_only = Mistake("norms and biases are left out", of=GROUP, swap=SECOND, by="", says=LEFT_OUT)

no_setting = Mistake(
    "no weight_decay in the second group",
    of=GROUP,
    swap=f", {NOT_DECAYING}",
    by="}",
    says="The second group says nothing of weight_decay. Then the optimizer's own default applies, which is 0.01 for AdamW: they decay after all. Write 0.0.",
)

listed_twice = Mistake(
    "what is shared is listed twice",
    of=GROUP,
    swap="list(model.parameters())",
    by="[one for part in model.modules() for one in part.parameters(recurse=False)]",
    says="A parameter that two parts share is listed twice. The optimizer would move it twice at every step, or refuse. `model.parameters()` lists it once.",
)

names_listed = Mistake(
    "names, not parameters",
    of=GROUP,
    swaps={
        ALL: f"named = list(model.named_parameters())\n    {ALL}",
        f"[one for one in parameters {WIDE}": "[name for name, one in named if one.dim() > 1]",
        f"[one for one in parameters {NARROW}": "[name for name, one in named if one.dim() <= 1]",
    },
    says="Your groups hold names. An optimizer changes parameters, and has no model in which to look names up.",
)

parts_left_out = Mistake(
    "the parameters of parts are left out",
    of=GROUP,
    swap="list(model.parameters())",
    by="list(model.parameters(recurse=False))",
    says="Only the model's own parameters are listed, not those of its parts. Nearly all parameters belong to layers inside layers. `model.parameters()` goes through all.",
)

# train_step ----------------------------------------------------------------------------

STEP = "train_step"
ZERO_GRAD = "optimizer.zero_grad()"
BACKWARD = "loss.backward()"
SHARE = " / len(micro_batches)"
TOTAL = "total += loss.item()"
IF_CLIP = "if max_norm is not None:"
CLIPPING = "clip_gradients_(model.parameters(), max_norm)"
DO_STEP = "optimizer.step()"
RETURN = "return total"
AUTOCAST = 'torch.autocast("cpu", dtype=autocast_dtype, enabled=autocast_dtype is not None)'
CLIP_HERE = f"{IF_CLIP}\n            {CLIPPING}"


def in_step(name: str, says: str, edits: dict[str, str]) -> Mistake:
    """A mistake in the training step."""
    return Mistake(name, of=STEP, swaps=edits, says=says)


not_cleared = in_step(
    "gradients are not cleared",
    "The gradients are never cleared. `backward` adds to what is there, so every step follows the sum of all gradients since the beginning. Call `optimizer.zero_grad()` once, before the micro-batches.",
    {ZERO_GRAD: "pass"},
)

CLEARED_BETWEEN = "The gradients are cleared between the micro-batches. Only the last one is left when the step is made, and the others were computed for nothing. Clear once, before the loop."
cleared_between = in_step(
    "cleared between the micro-batches",
    CLEARED_BETWEEN,
    {ZERO_GRAD: "pass", BACKWARD: f"{ZERO_GRAD}\n        {BACKWARD}"},
)

CLEARED_BEFORE = "The gradients are cleared between `backward` and the step. The step then finds nothing, and the model never changes. Clear before the first `backward`."
cleared_before_step = in_step("cleared before the step", CLEARED_BEFORE, {DO_STEP: f"{ZERO_GRAD}\n    {DO_STEP}"})

no_backward = in_step(
    "no backward",
    "No gradient ever reaches the model. Either `backward` is not called, or the loss was cut off before it: `detach`, `.item()`, a new tensor.",
    {BACKWARD: "pass"},
)

SUMMED = "The losses of the micro-batches are added up, not averaged. With four of them the gradient is four times too long, and the same learning rate means something else than for one large batch. Each brings its share: divide by their number before `backward`."
micro_summed = in_step("micro-batches are summed", SUMMED, {SHARE: ""})
micro_summed_mean_told = in_step("micro-batches are summed", SUMMED, {SHARE: "", RETURN: f"{RETURN}{SHARE}"})

share_twice = in_step(
    "the share is taken twice",
    "The gradient is divided by the number of micro-batches twice. It is as much too short as there are micro-batches. Divide the loss once, before `backward`.",
    {BACKWARD: f"(loss{SHARE}).backward()"},
)

run_back_again = in_step(
    "the sum so far is run back each time",
    "`backward` runs through the sum of all losses so far. The first micro-batch then counts as often as there are micro-batches, the last one once; and every graph is kept. Call `backward` on the loss of each alone.",
    {BACKWARD: "total = total + loss\n        total.backward(retain_graph=True)", TOTAL: "pass", RETURN: "return total.item()"},
)  # fmt: skip

sum_told = in_step(
    "the sum of the losses is returned",
    "You return the sum of the losses. The step is right; the number to report is the mean over the micro-batches.",
    {RETURN: f"{RETURN} * len(micro_batches)"},
)

LAST_TOLD = "You return the loss of the last micro-batch alone. The mean over all of them is wanted: add up as you go."
last_told = in_step("the last loss is returned", LAST_TOLD, {RETURN: "return loss.item() * len(micro_batches)"})
last_share_told = in_step("the last loss is returned", LAST_TOLD, {RETURN: "return loss.item()"})

told_too_small = in_step(
    "the returned loss is divided twice",
    "The returned loss is divided by the number of micro-batches twice. Each share has been divided already; add the shares up.",
    {RETURN: f"{RETURN}{SHARE}"},
)

TENSOR_TOLD = "You return a tensor. A loss that is still a tensor may keep its whole graph alive, and a list of them fills the memory. `loss.item()` is a plain number."
tensor_told = in_step("a tensor, not a number", TENSOR_TOLD, {TOTAL: "total += loss"})
tensor_told_detached = in_step("a tensor, not a number", TENSOR_TOLD, {TOTAL: "total += loss.detach()"})

EVERY = "A step is made after every micro-batch. They are to act as one large batch: collect the gradients of all, then make one step."
CLIP_AND_STEP = f"{BACKWARD}\n        {CLIP_HERE}\n        {DO_STEP}"
every_one = in_step(
    "a step for every micro-batch", EVERY, {BACKWARD: CLIP_AND_STEP, IF_CLIP: "if False:", f"\n    {DO_STEP}": ""}
)
every_one_cleared = in_step(
    "a step for every micro-batch",
    EVERY,
    {
        ZERO_GRAD: "pass",
        BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}",
        IF_CLIP: "if False:",
        f"\n    {DO_STEP}": "",
    },
)
every_one_whole = in_step(
    "a step for every micro-batch",
    EVERY,
    {ZERO_GRAD: "pass", SHARE: "", BACKWARD: f"{ZERO_GRAD}\n        {CLIP_AND_STEP}", IF_CLIP: "if False:", f"\n    {DO_STEP}": "", RETURN: f"{RETURN}{SHARE}"},
)  # fmt: skip

every_one_clipped_late = in_step(
    "a step for every micro-batch", EVERY, {BACKWARD: f"{BACKWARD}\n        {DO_STEP}", f"\n    {DO_STEP}": ""}
)
every_one_clipped_late_cleared = in_step(
    "a step for every micro-batch",
    EVERY,
    {BACKWARD: f"{BACKWARD}\n        {DO_STEP}\n        {ZERO_GRAD}", f"\n    {DO_STEP}": ""},
)

NOT_WHOLE = "The gradient is clipped before it is whole. Inside the loop, only a part of the micro-batches has been added; what is clipped there is not the gradient of the step. Clip once, after the last `backward`."
clipped_in_loop = in_step(
    "clipped before the gradient is whole",
    NOT_WHOLE,
    {BACKWARD: f"{BACKWARD}\n        {CLIP_HERE}", IF_CLIP: "if False:"},
)
clipped_before_backward = in_step(
    "clipped before the gradient is whole",
    NOT_WHOLE,
    {BACKWARD: f"{CLIP_HERE}\n        {BACKWARD}", IF_CLIP: "if False:"},
)

NOT_CLIPPED = "The step is made with the gradient as it came. Either max_norm is not used, or the gradient is clipped when the step has been made and it has done its work. Clip between the last `backward` and the step."
clipped_late = in_step(
    "not clipped when the step is made",
    NOT_CLIPPED,
    {f"{IF_CLIP}\n        {CLIPPING}\n    {DO_STEP}": f"{DO_STEP}\n    {IF_CLIP}\n        {CLIPPING}"},
)
never_clipped = in_step("not clipped when the step is made", NOT_CLIPPED, {IF_CLIP: "if False:"})

numbers_cut = in_step(
    "numbers are cut, not the length",
    "Single numbers are cut off at max_norm. `clip_grad_value_` does that, and bends the gradient into another direction. Your `clip_gradients_` shortens the whole.",
    {CLIPPING: "nn.utils.clip_grad_value_(model.parameters(), max_norm)"},
)

each_clipped = in_step(
    "each parameter is clipped on its own",
    "Every parameter's gradient is clipped on its own. That changes the direction of the step. Hand all parameters to one call: `clip_gradients_(model.parameters(), max_norm)`.",
    {CLIPPING: "for one in model.parameters():\n            nn.utils.clip_grad_norm_([one], max_norm)"},
)

scaled_clip = in_step(
    "clipped while still scaled",
    "The gradient is clipped while it is still scaled. Multiplied by 65536, nearly any gradient is too long; clipped and then divided again, next to nothing is left. With a GradScaler, `unscale_` comes before clipping; with bfloat16 there is no need for one.",
    {BACKWARD: "(loss * 65536).backward()", DO_STEP: f"for one in model.parameters():\n        if one.grad is not None:\n            one.grad.div_(65536)\n    {DO_STEP}"},
)  # fmt: skip

MODE = "The model is not put into train mode. After an evaluation it would go on without dropout, and nothing would say so. `model.train()` comes first."
mode_forgotten = in_step("train mode forgotten", MODE, {"model.train()": "pass"})
mode_turned = in_step("train mode forgotten", MODE, {"model.train()": "model.eval()"})

mode_late = in_step("train mode forgotten", MODE, {"model.train()": "pass", RETURN: f"model.train()\n    {RETURN}"})

no_autocast = in_step(
    "no autocast",
    'autocast_dtype is not used. If it is given, the loss is computed inside `torch.autocast("cpu", dtype=autocast_dtype)`.',
    {"enabled=autocast_dtype is not None": "enabled=False"},
)

always_autocast = in_step(
    "autocast is always on",
    "Autocast is on even if no dtype is given. It then falls back on bfloat16, with two to three digits, and nobody has asked for that. `enabled=autocast_dtype is not None`.",
    {"enabled=autocast_dtype is not None": "enabled=True"},
)

model_cast = in_step(
    "the model itself is cast",
    "You turn the model's own parameters into the small dtype. A step of 0.001 on a weight of 1 is lost in bfloat16, which knows no number between 1 and 1.0078. Autocast computes in it and keeps the parameters in float32.",
    {"model.train()": "model.train()\n    if autocast_dtype is not None:\n        model.to(autocast_dtype)"},
)

no_step = in_step(
    "no step",
    "The optimizer never makes a step. The gradients are there, and the model stays as it is: `optimizer.step()` at the end.",
    {DO_STEP: "pass"},
)

left_in_eval = in_step(
    "left in evaluation mode",
    "The model is switched to evaluation at the end of the step. Who evaluates does that; a step leaves the model in train mode, as it says.",
    {DO_STEP: f"{DO_STEP}\n    model.eval()"},
)

held_at_once = in_step(
    "all micro-batches are held at once",
    "There is one `backward` for all micro-batches. The numbers are right, but every graph is kept until the end, and that memory is what micro-batches are meant to save. Call `backward` for each as soon as its loss is there.",
    {BACKWARD: "pass", TOTAL: "total = total + loss", f"    {IF_CLIP}": f"    total.backward()\n    {IF_CLIP}", RETURN: "return total.item()"},
)  # fmt: skip

ONLY_ONE = "Only one of the micro-batches is used. The step should follow the mean over all of them."
only_first = in_step(
    "only one micro-batch is used", ONLY_ONE, {"for batch in micro_batches:": "for batch in micro_batches[:1]:"}
)
only_first_whole = in_step(
    "only one micro-batch is used",
    ONLY_ONE,
    {"for batch in micro_batches:": "for batch in micro_batches[:1]:", SHARE: ""},
)
only_last_whole = in_step(
    "only one micro-batch is used",
    ONLY_ONE,
    {"for batch in micro_batches:": "for batch in micro_batches[-1:]:", SHARE: ""},
)

NOT_REFUSED = "An empty list of micro-batches is not refused. Whoever passes one has lost the data somewhere, and should read so at once, not a division by zero or nothing at all. The given lines raise a ValueError: keep them."
accepts_no_batches = in_step("an empty list is not refused", NOT_REFUSED, {"if not micro_batches:": "if False:"})
divides_by_no_batches = in_step(
    "an empty list is not refused", NOT_REFUSED, {"if not micro_batches:": "if 1 / len(micro_batches) == 0:"}
)

# Checkpoints ----------------------------------------------------------------------------

SAVE, LOAD = "save_checkpoint", "load_checkpoint"

optimizer_lost = Mistake(
    "the optimizer is not saved",
    of=SAVE,
    swap='        "optimizer": optimizer.state_dict(),\n',
    by="",
    says='The optimizer is not saved. Its running means would start at 0 again, and a training that is taken up goes on with a jolt. Keep `optimizer.state_dict()` under "optimizer".',
)

random_lost = Mistake(
    "random numbers are not saved",
    of=SAVE,
    swap='        "rng": torch.get_rng_state(),\n',
    by="",
    says='Where the random numbers stand is not saved. Dropout and the order of the data would go on elsewhere. Keep `torch.get_rng_state()` under "rng".',
)

seed_saved = Mistake(
    "the seed, not the state",
    of=SAVE,
    swap="torch.get_rng_state()",
    by="torch.initial_seed()",
    says="You keep the seed with which it all began, not where the random numbers stand now. Starting from the seed repeats the random numbers of step 1. `torch.get_rng_state()` is the present state.",
)

step_lost = Mistake(
    "the step is not saved",
    of=SAVE,
    swap='        "step": step,\n',
    by="",
    says="The number of the step is not saved. Learning rates are functions of it: without it the warm-up would begin anew.",
)

step_ahead = Mistake(
    "the step is saved as the next one",
    of=SAVE,
    swap='"step": step,',
    by='"step": step + 1,',
    says="You save step + 1. `step` is how many steps have been made; it goes in as it is, and `load_checkpoint` gives it back.",
)

buffers_lost = Mistake(
    "buffers are not saved",
    of=SAVE,
    swap="model.state_dict()",
    by="dict(model.named_parameters())",
    says="The parameters are saved and the buffers are not. A BatchNorm's statistics or a counter live in buffers, and loading would miss them. `model.state_dict()` has both.",
)

OBJECTS = "You save objects, not their state. Such a file holds code to be run at loading, breaks as soon as a class is moved or renamed, and is refused by `torch.load(..., weights_only=True)`. Keep what `state_dict()` gives."
objects_saved = Mistake("objects, not their state", of=SAVE, swap="model.state_dict()", by="model", says=OBJECTS)
objects_saved_too = Mistake(
    "objects, not their state", of=SAVE, swaps={"model.state_dict()": "model", "optimizer.state_dict()": "optimizer"}, says=OBJECTS
)  # fmt: skip
optimizer_object = Mistake(
    "objects, not their state", of=SAVE, swap="optimizer.state_dict()", by="optimizer", says=OBJECTS
)

OTHER_NAMES = 'The entries have other names. `load_checkpoint` looks for "model", "optimizer", "step" and "rng".'
other_names = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
    },
    says=OTHER_NAMES,
)

other_names_all = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
        '"step": step': '"epoch": step',
        '"rng": torch': '"rng_state": torch',
    },
    says=OTHER_NAMES,
)
other_names_but_step = Mistake(
    "other names for the entries",
    of=SAVE,
    swaps={
        '"model": model': '"model_state_dict": model',
        '"optimizer": optimizer': '"optimizer_state_dict": optimizer',
        '"rng": torch': '"rng_state": torch',
    },
    says=OTHER_NAMES,
)

written_over = Mistake(
    "the earlier checkpoint is written over",
    of=SAVE,
    swap='f"{path}.unfinished"',
    by="path",
    says="The new checkpoint is written straight over the earlier one. A crash in the middle leaves neither. The given lines wrote it beside the old one and put it in its place when it was whole: keep them.",
)

config_lost = Mistake(
    "the configuration is thrown away",
    of=SAVE,
    swap="checkpoint |= {",
    by="checkpoint = {",
    says="The configuration is no longer in the checkpoint. The given line put it there; your dictionary took its place. Without it nobody can say whether a checkpoint fits a model. Add to `checkpoint`.",
)

settings_only = Mistake(
    "the optimizer's settings without its running means",
    of=SAVE,
    swap='"optimizer": optimizer.state_dict()',
    by='"optimizer": {**optimizer.state_dict(), "state": {}}',
    says="The optimizer's settings are saved, its running means are not. They are what it has learned of the gradients. `optimizer.state_dict()` has both.",
)

model_not_loaded = Mistake(
    "the model is not loaded",
    of=LOAD,
    swap='model.load_state_dict(checkpoint["model"])',
    by="pass",
    says="The model keeps the numbers that it had. `model.load_state_dict(...)` copies the saved ones into it.",
)

optimizer_not_loaded = Mistake(
    "the optimizer is not loaded",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by="pass",
    says="The optimizer starts anew. Its running means are 0 and its settings those of its constructor, so the next step is another one than without the interruption.",
)

random_not_loaded = Mistake(
    "random numbers are not put back",
    of=LOAD,
    swap='torch.set_rng_state(checkpoint["rng"])',
    by="pass",
    says="The random numbers go on from wherever they are. Dropout then drops other features than it would have, and the run cannot be repeated bit for bit. `torch.set_rng_state(...)`.",
)

seeded = Mistake(
    "seeded, not put back",
    of=LOAD,
    swap='torch.set_rng_state(checkpoint["rng"])',
    by='torch.manual_seed(checkpoint["step"])',
    says="You seed the random numbers with the step. That gives the same numbers every time, and not those with which the training would have gone on. Put the saved state back: `torch.set_rng_state(...)`.",
)

step_not_returned = Mistake(
    "the step is not returned",
    of=LOAD,
    swap='return checkpoint["step"]',
    by="return None",
    says="The number of steps is not returned. Whoever goes on needs it: learning rates are functions of the step.",
)

next_step = Mistake(
    "the next step is returned",
    of=LOAD,
    swap='return checkpoint["step"]',
    by='return checkpoint["step"] + 1',
    says="You return one more than was saved. The checkpoint holds how many steps *have been* made, and that is what is to be returned; a loop that counts from 0 goes on with just that number.",
)

evaluating = Mistake(
    "left in evaluation mode",
    of=LOAD,
    swap='return checkpoint["step"]',
    by='model.eval()\n    return checkpoint["step"]',
    says="The model is switched to evaluation. Training would go on without dropout. Loading puts numbers back; the mode is for the caller to choose.",
)

means_lost = Mistake(
    "the running means start at 0",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by='optimizer.load_state_dict({**checkpoint["optimizer"], "state": {}})',
    says="The optimizer gets its settings and not its running means. They are what it has learned of the gradients. Load the whole entry.",
)

settings_kept = Mistake(
    "the optimizer keeps its own settings",
    of=LOAD,
    swap='optimizer.load_state_dict(checkpoint["optimizer"])',
    by='optimizer.load_state_dict({**checkpoint["optimizer"], "param_groups": optimizer.state_dict()["param_groups"]})',
    says="The optimizer gets its running means and not its settings. Learning rate, betas and decay stay those of the constructor. Load the whole entry.",
)

buffers_not_loaded = Mistake(
    "buffers are not loaded",
    of=LOAD,
    swap='model.load_state_dict(checkpoint["model"])',
    by='for name, one in model.named_parameters():\n        one.data.copy_(checkpoint["model"][name])',
    says="The parameters are loaded and the buffers are not. Statistics and counters live in buffers. `model.load_state_dict(...)` loads both.",
)

config_accepted = Mistake(
    "another configuration is accepted",
    of=LOAD,
    swap="if different:",
    by="if False:",
    says="A checkpoint of another configuration is accepted. Where shapes agree, as with another dropout, nobody would ever notice. The given lines refused it: keep them.",
)
