"""Wrong ways of the decoder's input and of the loss."""

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
