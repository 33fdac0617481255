"""Wrong ways of CTC, and of weighing two losses."""

import torch
from torch import Tensor

from autograder.checks.hearing.reading import ctc_greedy, ctc_loss, joint_loss
from autograder.probing.mistake import edit

# ctc_greedy ----------------------------------------------------------------------------

MERGED = "merged = torch.unique_consecutive(best[real]).tolist()"
KEPT = "texts.append([token for token in merged if token != blank])"

ctc_greedy.mistake(
    "blanks dropped before repeats are merged",
    "You drop the blanks first, and merge what then stands side by side. So `a _ a` becomes one a, and no text can have a key twice in a row. Merge first: the blank is there to keep equal tokens apart.",
    {MERGED: "merged = torch.unique_consecutive(best[real & (best != blank)]).tolist()"},
)

ctc_greedy.mistake(
    "the padding is read",
    "You read the vectors of the padding too, so a short sound gets tokens from behind its end. Only real vectors: `best[real]`.",
    {MERGED: "merged = torch.unique_consecutive(best).tolist()"},
)

ctc_greedy.mistake(
    "repeats are not merged",
    "Tokens that repeat stand in your text as often as there are vectors. A key lasts for several vectors: of those that repeat without a break, one stays.",
    {MERGED: "merged = best[real].tolist()"},
)

ctc_greedy.mistake(
    "blanks are kept",
    "The blanks stand in your text. A blank is no token of it: drop it, when repeats are merged.",
    {KEPT: "texts.append(merged)"},
)

ctc_greedy.mistake(
    "a token only once",
    "Each token comes only once in a text of yours. Only repeats *without a break* are one: `torch.unique_consecutive`, not `unique` or a set.",
    {MERGED: "merged = list(dict.fromkeys(best[real].tolist()))"},
    {MERGED: "merged = best[real].unique().tolist()"},
)

ctc_greedy.mistake(
    "the blank is taken to be 0",
    "You take token 0 for the blank, whatever `blank` says.",
    {KEPT: KEPT.replace("!= blank", "!= 0")},
)

ctc_greedy.mistake(
    "the last vector is lost",
    "The last real vector is not read. It may hold the last key.",
    {MERGED: "merged = torch.unique_consecutive(best[real][:-1]).tolist()"},
)


def across_sounds(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """What was said last is remembered into the next sound."""
    texts, before = [], None
    for best, real in zip(log_probs.argmax(dim=-1), mask, strict=True):
        text = []
        for token in best[real].tolist():
            if token not in (before, blank):
                text.append(token)
            before = token
        texts.append(text)
    return texts


def flattened(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """Each vector beside the one before it in the whole batch."""
    best = log_probs.argmax(dim=-1)
    before = torch.cat([best.new_tensor([-1]), best.flatten()[:-1]]).view_as(best)
    return [row[keep].tolist() for row, keep in zip(best, (best != before) & (best != blank) & mask, strict=True)]


ctc_greedy.mistake(
    "merged across sounds",
    "A sound that begins with what the one before it ended with loses its first token: you merge across the border. Each sound is read for itself, and begins with nothing before it.",
    across_sounds,
    flattened,
)

ctc_greedy.mistake(
    "a 0 at the front is lost",
    "A text that begins with token 0 lacks it, though 0 is not the blank. Does your comparison begin as if a 0 stood before the first vector? Nothing stands there: None, or the blank.",
    {MERGED: MERGED + "\n        merged = merged[merged[:1] == [0] :]"},
)

ctc_greedy.mistake(
    "what is said first is lost",
    "What a sound says first is lost, up to the first change. The first vector has none before it to differ from, and counts nevertheless.",
    {MERGED: MERGED + "\n        merged = merged[1:]"},
)

ctc_greedy.mistake(
    "what is said last is lost",
    "What a sound says last is lost, from the last change on. No other token comes after it to end it, and it counts nevertheless.",
    {MERGED: MERGED + "\n        merged = merged[:-1]"},
)

ctc_greedy.mistake(
    "the least likely",
    "You take the least likely token at each vector. Of logarithms, too, the largest is the likeliest: `argmax`.",
    {"log_probs.argmax(dim=-1)": "log_probs.argmin(dim=-1)"},
    {"log_probs.argmax(dim=-1)": "log_probs.abs().argmax(dim=-1)"},
)

# joint_loss ----------------------------------------------------------------------------

CE = "F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)"
LENGTHS = "lengths = mask.sum(dim=1), is_token.sum(dim=1)  # (batch,) each"
CTC = 'F.ctc_loss(ctc_log_probs.transpose(0, 1), labels[is_token], *lengths, blank=pad_id, reduction="sum")'
SUM = "return (1 - weight) * cross_entropy + weight * ctc / is_token.sum()"

joint_loss.mistake(
    "CTC's sum beside a mean",
    "Your CTC losses are added up over all texts and not divided, beside a cross-entropy that is a mean over tokens. CTC is then hundreds of times as large, and the weight means nothing. Divide by the number of tokens.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc"},
)

joint_loss.mistake(
    "CTC for each text",
    "Your CTC losses are divided by the number of texts, and the cross-entropy by that of tokens. So CTC is as many times larger as a text has tokens. Divide by the tokens.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / len(labels)"},
)

joint_loss.mistake(
    "CTC as a mean of the texts' means",
    "You divide each text's CTC loss by its own tokens, and take the mean over the texts; so does `reduction=\"mean\"`, torch's default. A text of one key then weighs as much as one of eight. Add up over all texts, and divide once.",
    {CTC: CTC.replace('"sum"', '"mean"'), SUM: "return (1 - weight) * cross_entropy + weight * ctc"},
)

joint_loss.mistake(
    "the weights are exchanged",
    "The weight is given to the cross-entropy, and the rest to CTC. It is the other way round: `(1 - weight) * cross_entropy + weight * ctc`.",
    {SUM: "return weight * cross_entropy + (1 - weight) * ctc / is_token.sum()"},
)

joint_loss.mistake(
    "the cross-entropy keeps its full weight",
    "The cross-entropy is not multiplied by 1 - weight. With weight 1 it should be gone.",
    {SUM: "return cross_entropy + weight * ctc / is_token.sum()"},
)

joint_loss.mistake(
    "the decoder is asked for padding",
    "The cross-entropy counts the places of the padding. Long padding then decides the loss. `ignore_index=pad_id` leaves it out.",
    {CE: "F.cross_entropy(logits.transpose(1, 2), labels)"},
)

joint_loss.mistake(
    "the decoder is not asked for the end",
    "The cross-entropy leaves the end tokens out. The decoder then never learns to stop, and goes on writing when the sound is over. It is asked for all labels but padding.",
    {CE: "F.cross_entropy(logits[is_token], labels[is_token])"},
)

joint_loss.mistake(
    "CTC is asked for the end token",
    "CTC's targets hold the end token. No moment of the sound says it; CTC ends where the sound ends. Take out eos_id, as `is_token` does.",
    {
        LENGTHS: "is_token = labels != pad_id\n    lengths = mask.sum(dim=1), is_token.sum(dim=1)  # (batch,) each",
    },
    edit(
        {
            LENGTHS: "asked = labels != pad_id\n    lengths = mask.sum(dim=1), asked.sum(dim=1)  # (batch,) each",
            CTC: CTC.replace("labels[is_token]", "labels[asked]"),
        }
    ),
)

joint_loss.mistake(
    "CTC reads the padding of the sounds",
    "CTC reads all vectors of the batch, those of the padding too: the first of the two lengths is how many vectors of each sound are real, `mask.sum(dim=1)`.",
    {LENGTHS: "lengths = torch.full_like(mask.sum(dim=1), mask.size(1)), is_token.sum(dim=1)"},
)

joint_loss.mistake(
    "the cross-entropy is a sum",
    "Your cross-entropy is a sum over all tokens, beside a CTC loss for each token. Both are to be means over tokens.",
    {CE: 'F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id, reduction="sum")'},
)

joint_loss.mistake(
    "the blank is taken to be 0",
    "CTC takes token 0 for the blank, as it does unless it is told otherwise. Here the blank is `pad_id`: `blank=pad_id`.",
    {CTC: CTC.replace("blank=pad_id, ", "")},
)

joint_loss.mistake(
    "the end tokens count for CTC",
    "You divide CTC by the number of all labels, end tokens included. It is asked for none of these: divide by the number of the tokens that it is asked for.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / (labels != pad_id).sum()"},
)

# ctc_loss ----------------------------------------------------------------------------

MAY = "may_skip[2:] = (states[2:] != blank) & (states[2:] != states[:-2])"
START = "paths = scores[0].masked_fill(torch.arange(len(states)) > 1, impossible)"
STEP = "paths = torch.stack([paths, one, two.masked_fill(~may_skip, impossible)]).logsumexp(dim=0) + score"
LOSS = "loss = -paths[-2:].logsumexp(dim=0)"
STATES = "states = torch.full((2 * len(target) + 1,), blank)\n    states[1::2] = target"

ctc_loss.mistake(
    "skipping from a token to the same",
    "Your paths may go from a token to the same token without the blank between. But then nobody could tell two from one. Two states ahead only to *another* token.",
    {MAY: "may_skip[2:] = states[2:] != blank"},
)

ctc_loss.mistake(
    "skipping over tokens",
    "Your paths may go from a blank to the next blank, over the token between them. The text that is read off then lacks it. Only from a token to a token.",
    {MAY: "may_skip[2:] = True"},
    {MAY: "may_skip[2:] = (states[2:] == blank) | (states[2:] != states[:-2])"},
)

ctc_loss.mistake(
    "no path without a blank",
    "Your paths stand on a blank between any two tokens. It is needed between *equal* ones only: from a token to another one a path may go at once.",
    {MAY: "pass"},
)

ctc_loss.mistake(
    "the last two states are not added up",
    "Only paths that end on a blank count with you. A path may also end on the last token: add up the last two states.",
    {LOSS: "loss = -paths[-1]"},
    edit(
        {LOSS: "loss = -paths[-2:][0]"},
        says="Only paths that end on the last token count with you. A path may also end on the blank behind it: add up the last two states.",
    ),
)

ctc_loss.mistake(
    "paths begin on a blank only",
    "All your paths begin on a blank. The first token may stand at the first vector: the first two states.",
    {START: START.replace("> 1", "> 0")},
    edit(
        {START: "paths = scores[0].masked_fill(torch.arange(len(states)) != min(1, len(target)), impossible)"},
        says="All your paths begin on the first token. A blank may stand before it: the first two states.",
    ),
)

ctc_loss.mistake(
    "the best path alone",
    "You follow the best path and leave the others out. The probability of a text is the *sum* over all paths that give it: `logsumexp` in place of the largest.",
    {STEP: STEP.replace(".logsumexp(dim=0)", ".amax(dim=0)"), LOSS: "loss = -paths[-2:].amax(dim=0)"},
    {STEP: STEP.replace(".logsumexp(dim=0)", ".amax(dim=0)")},
)

ctc_loss.mistake(
    "the sign",
    "Your number is the logarithm of the probability. The loss is its negative.",
    {"return loss if": "return -loss if"},
)

ctc_loss.mistake(
    "for each token",
    "Your loss is divided by the number of tokens. This function gives the loss of one text as it is.",
    {LOSS: "loss = -paths[-2:].logsumexp(dim=0) / max(1, len(target))"},
    edit(
        {LOSS: "loss = -paths[-2:].logsumexp(dim=0) / len(log_probs)"},
        says="Your loss is divided by the number of vectors. This function gives the loss of one text as it is.",
    ),
)

ctc_loss.mistake(
    "the blank is taken to be 0",
    "You take token 0 for the blank, whatever `blank` says.",
    {"(2 * len(target) + 1,), blank)": "(2 * len(target) + 1,), 0)", MAY: MAY.replace("!= blank", "!= 0")},
)

ctc_loss.mistake(
    "no blanks between the tokens",
    "Your states are the tokens alone, without the blanks between, in front and behind. Then no vector can say that nothing new is there, and equal tokens run together.",
    {STATES: "states = target.clone()", MAY: "pass", START: START.replace("> 1", "> 0"), LOSS: "loss = -paths[-1]"},
)


INF = 'return loss if loss < -impossible / 2 else loss.new_tensor(float("inf"))'
IMPOSSIBLE = "impossible = torch.finfo(scores.dtype).min / 4"

ctc_loss.mistake(
    "a large number for infinity",
    "Where the vectors are too few for the text you give a huge number. It stood for minus infinity on the way; no path gives the text, so the loss is inf: turn it into `inf` at the end.",
    {INF: "return loss"},
    {INF: "return loss", IMPOSSIBLE: "impossible = -1e30"},
    {INF: "return loss", IMPOSSIBLE: "impossible = -1e9"},
    edit(
        {INF: "return loss if loss < -impossible / 2 else loss.new_tensor(0.0)"},
        says="Where the vectors are too few for the text your loss is 0, as if the text were certain. It is impossible: inf.",
    ),
)

ctc_loss.mistake(
    "paths may begin anywhere",
    "Your paths may begin in any state, and the tokens before it are then never said. At the first vector a path stands in the first or the second state.",
    {START: "paths = scores[0]"},
)

ctc_loss.mistake(
    "paths may end anywhere",
    "Your paths may end in any state, and the tokens behind it are then never said. At the end a path stands in one of the last two states.",
    {LOSS: "loss = -paths.logsumexp(dim=0)"},
)

ctc_loss.mistake(
    "no blank at one end",
    "No blank stands behind the last token in your row of states. A sound may go on when the last token is over: the row ends with a blank.",
    {STATES: STATES + "\n    states = states[: max(1, 2 * len(target))]"},
    edit(
        {STATES: STATES + "\n    states = states[min(1, len(target)) :]"},
        says="No blank stands before the first token in your row of states. A sound may begin before the first token does: the row begins with a blank.",
    ),
)


def small_probabilities(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """The forward algorithm without logarithms."""
    states = torch.full((2 * len(target) + 1,), blank)
    states[1::2] = target
    probs = log_probs.exp()[:, states]
    paths = probs[0] * (torch.arange(len(states)) < 2)
    for now in probs[1:]:
        one, two = torch.zeros_like(paths), torch.zeros_like(paths)
        one[1:], two[2:] = paths[:-1], paths[:-2]
        skips = torch.zeros_like(paths)
        skips[2:] = ((states[2:] != blank) & (states[2:] != states[:-2])).to(paths.dtype)
        paths = (paths + one + skips * two) * now
    return -paths[-2:].sum().log()


ctc_loss.mistake(
    "probabilities that become 0",
    "You multiply probabilities. After a few dozen vectors they are too small for a float and become 0, and the loss is infinite. Add logarithms, and add probabilities up with `logsumexp`.",
    small_probabilities,
)
