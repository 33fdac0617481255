"""Wrong ways of CTC's loss, and of weighing two losses."""

import torch
from torch import Tensor

from autograder.checks.hearing.losses import ctc_loss, joint_loss
from autograder.probing.mistake import edit

# joint_loss ----------------------------------------------------------------------------

CE = "F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)"
LENGTHS = "lengths = mask.sum(dim=1), is_token.sum(dim=1)  # (batch,) each"
CTC = 'F.ctc_loss(ctc_log_probs.transpose(0, 1), labels[is_token], *lengths, blank=pad_id, reduction="sum")'
SUM = "return (1 - weight) * cross_entropy + weight * ctc / is_token.sum()"
FIRST = "cross_entropy = F"
SUMMED, EACH_TEXT = '"sum"', '"none"'

joint_loss.mistake(
    "CTC's sum beside a mean",
    "Your CTC losses are added up over all texts and not divided, beside a cross-entropy that is a mean over tokens. CTC is then hundreds of times as large, and the weight means nothing. Divide by the number of tokens.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc"},
)

joint_loss.mistake(
    "CTC for each text",
    "Your CTC losses are divided by the number of texts, and the cross-entropy by that of tokens. So CTC is as many times larger as a text has tokens. Divide by the tokens.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / len(labels)"},
    edit(
        {SUM: "return (1 - weight) * cross_entropy + weight * ctc / is_token.sum(dim=1).max()"},
        says="Your CTC losses are divided by the number of tokens of the longest text. The more texts there are, the larger CTC is. Divide by the tokens of all texts.",
    ),
    edit(
        {SUM: "return (1 - weight) * cross_entropy + weight * ctc / (is_token.sum(dim=1).max() * len(labels))"},
        says="Your CTC losses are divided as if every text had as many tokens as the longest. Divide by the tokens that there are.",
    ),
)

joint_loss.mistake(
    "CTC as a mean of the texts' means",
    "You divide each text's CTC loss by its own tokens, and take the mean over the texts; so does `reduction=\"mean\"`, torch's default. A text of one key then weighs as much as one of eight. Add up over all texts, and divide once.",
    {CTC: CTC.replace('"sum"', '"mean"'), SUM: "return (1 - weight) * cross_entropy + weight * ctc"},
    edit(
        {
            CTC: CTC.replace(SUMMED, EACH_TEXT),
            SUM: "return (1 - weight) * cross_entropy + weight * (ctc / is_token.sum(dim=1).clamp(min=1)).sum()",
        },
        says="You divide each text's CTC loss by its own tokens, and add them up over the texts. A text of one key then weighs as much as one of eight, and more texts cost more. Add up over all texts, and divide once.",
    ),
)

joint_loss.mistake(
    "the weights are exchanged",
    "The weight is given to the cross-entropy, and the rest to CTC. It is the other way round: `(1 - weight) * cross_entropy + weight * ctc`.",
    {SUM: "return weight * cross_entropy + (1 - weight) * ctc / is_token.sum()"},
    edit(
        {SUM: "return (1 - weight) * (cross_entropy + ctc / is_token.sum())"},
        says="Both losses are multiplied by 1 - weight. That is the share of the cross-entropy; CTC's is `weight`.",
    ),
    edit(
        {SUM: "return weight * (cross_entropy + ctc / is_token.sum())"},
        says="Both losses are multiplied by the weight. That is CTC's share; the cross-entropy's is 1 - weight.",
    ),
    edit(
        {SUM: "return (1 - weight) * (cross_entropy + weight * ctc / is_token.sum())"},
        says="CTC's loss is multiplied by the weight, and by 1 - weight as well. Does a bracket close too late? `(1 - weight) * cross_entropy + weight * ctc`.",
    ),
    edit(
        {SUM: "return weight * (ctc / is_token.sum() + (1 - weight) * cross_entropy)"},
        says="The cross-entropy is multiplied by 1 - weight, and by the weight as well. Does a bracket close too late? `(1 - weight) * cross_entropy + weight * ctc`.",
    ),
)

joint_loss.mistake(
    "the graph is cut",
    "No gradient comes through CTC: its loss is cut off by `detach`, `.item()`, `torch.no_grad()` or a new tensor. The encoder then learns nothing of it.",
    {CTC: f"{CTC}.detach()"},
    edit(
        {CE: f"{CE}.detach()"},
        says="No gradient comes through the cross-entropy: it is cut off by `detach`, `.item()`, `torch.no_grad()` or a new tensor. The decoder then learns nothing.",
    ),
    edit(
        {"return (1 - weight)": "cross_entropy, ctc = cross_entropy.detach(), ctc.detach()\n    return (1 - weight)"},
        says="No gradient comes through: the losses are cut off by `detach`, `.item()`, `torch.no_grad()` or a new tensor. Nothing is then learned.",
    ),
)

joint_loss.mistake(
    "the weight is not used",
    "You take the mean of the two losses, whatever `weight` says. It is the share of CTC: `(1 - weight) * cross_entropy + weight * ctc`.",
    {SUM: "return (cross_entropy + ctc / is_token.sum()) / 2"},
    edit(
        {SUM: "return cross_entropy + ctc / is_token.sum()"},
        says="You add up the two losses, whatever `weight` says. It is the share of CTC: `(1 - weight) * cross_entropy + weight * ctc`.",
    ),
    edit(
        {SUM: "return cross_entropy"},
        says="You return the cross-entropy alone. CTC's share is `weight`.",
    ),
    edit(
        {SUM: "return ctc / is_token.sum()"},
        says="You return CTC's loss alone. The share of the cross-entropy is 1 - weight.",
    ),
    edit(
        {SUM: "return 0.7 * cross_entropy + 0.3 * ctc / is_token.sum()"},
        says="You weigh CTC with 0.3, whatever `weight` says. It is the share of CTC: `(1 - weight) * cross_entropy + weight * ctc`.",
    ),
    edit(
        {SUM: "return 1 - weight * cross_entropy + weight * ctc / is_token.sum()"},
        says="Brackets are missing: `1 - weight * cross_entropy` takes the product from 1. `(1 - weight) * cross_entropy`.",
    ),
    edit(
        {SUM: "return cross_entropy * 1 - weight + weight * ctc / is_token.sum()"},
        says="Brackets are missing: `cross_entropy * 1 - weight` takes the weight from the loss. `cross_entropy * (1 - weight)`.",
    ),
)

joint_loss.mistake(
    "a loss with the wrong sign",
    "CTC's loss is taken away from the other one, so training makes it larger. `F.ctc_loss` is positive already: add the two.",
    {SUM: "return (1 - weight) * cross_entropy - weight * ctc / is_token.sum()"},
    edit(
        {SUM: "return weight * ctc / is_token.sum() - (1 - weight) * cross_entropy"},
        says="The cross-entropy is taken away from CTC's loss, so training makes it larger. It is *minus* the logarithm of the right token's probability.",
    ),
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
    edit(
        {CE: CE.replace("=pad_id", "=0")},
        says="The cross-entropy leaves token 0 out, whatever `pad_id` says, and counts the places of the padding. `ignore_index=pad_id`.",
    ),
    edit(
        {CE: 'F.cross_entropy(logits.transpose(1, 2), labels, reduction="sum") / (labels != pad_id).sum()'},
        says="The cross-entropy adds up the places of the padding too, and divides by the number of the others. Leave them out of both: `ignore_index=pad_id`.",
    ),
)

joint_loss.mistake(
    "the decoder is not asked for the end",
    "The cross-entropy leaves the end tokens out. The decoder then never learns to stop, and goes on writing when the sound is over. It is asked for all labels but padding.",
    {CE: "F.cross_entropy(logits[is_token], labels[is_token])"},
    {FIRST: f"labels = labels.masked_fill(labels == eos_id, pad_id)\n    {FIRST}"},
    edit(
        {CE: CE.replace("pad_id", "eos_id")},
        says="The cross-entropy leaves the end tokens out, and counts the padding: it is told to ignore `eos_id`. It is asked for all labels but padding: `ignore_index=pad_id`.",
    ),
    edit(
        {
            CE: 'F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=eos_id, reduction="sum") / (labels != pad_id).sum()'
        },
        says="The cross-entropy leaves the end tokens out, and adds up the padding: it is told to ignore `eos_id`. It is asked for all labels but padding: `ignore_index=pad_id`.",
    ),
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
    edit(
        {LENGTHS: "lengths = (~mask).sum(dim=1), is_token.sum(dim=1)"},
        says="CTC is told how many vectors of each sound are padding. True means real: `mask.sum(dim=1)`.",
    ),
    edit(
        {LENGTHS: "lengths = mask.sum(dim=1) - 1, is_token.sum(dim=1)"},
        says="CTC does not read the last real vector of each sound: `mask.sum(dim=1)` counts them all.",
    ),
)

joint_loss.mistake(
    "CTC of the last text alone",
    "CTC's loss is that of the last text: each one takes the place of the one before. Add them up.",
    {CTC: CTC.replace(SUMMED, EACH_TEXT) + "[-1]"},
    edit(
        {CTC: CTC.replace(SUMMED, EACH_TEXT) + "[0]"},
        says="CTC's loss is that of the first text. Does `return`, or the sum, stand within the loop? Add up those of all texts.",
    ),
    *(
        edit(
            {
                CTC: CTC.replace(SUMMED, EACH_TEXT) + f"[{at}]",
                SUM: f"return (1 - weight) * cross_entropy + weight * ctc / {tokens}",
            },
            says=f"CTC's loss is that of the {which} text, divided by its own tokens. Add up those of all texts, and divide once by all tokens.",
        )
        for at, which in ((0, "first"), (-1, "last"))
        for tokens in (f"is_token[{at}].sum()", f"is_token[{at}].sum().clamp(min=1)")
    ),
)

joint_loss.mistake(
    "the cross-entropy of one text alone",
    "Your cross-entropy is that of the last text: each one takes the place of the one before. Take the mean over the labels of all texts.",
    *(
        edit(
            {CE: f"F.cross_entropy(logits[{at}], labels[{at}], ignore_index=pad_id{share}"},
            says=f"Your cross-entropy is that of the {which} text alone. Take the mean over the labels of all texts.",
        )
        for at, which in ((-1, "last"), (0, "first"))
        for share in (")", ', reduction="sum") / (labels != pad_id).sum()')
    ),
)

joint_loss.mistake(
    "half of the loss",
    "Your loss is half of what it should be: you take the mean of the two weighed losses. The weights add up to 1 already, so that the two are added.",
    {SUM: f"{SUM.replace('return ', 'return (')}) / 2"},
)

joint_loss.mistake(
    "CTC's texts backwards",
    "CTC's targets run from the last token of each text to the first. The sound says the first one first: take `labels[is_token]` as it is.",
    {CTC: CTC.replace("labels[is_token]", "torch.cat([row[keep].flip(0) for row, keep in zip(labels, is_token)])")},
    edit(
        {CTC: CTC.replace("labels[is_token]", "labels[is_token].flip(0)")},
        says="CTC's targets run from the last token of all texts to the first. The sound says the first one first: take `labels[is_token]` as it is.",
    ),
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
    edit(
        {SUM: "return (1 - weight) * cross_entropy + weight * ctc / labels.numel()"},
        says="You divide CTC by the number of all labels, end tokens and padding included. It is asked for none of these: divide by the number of the tokens that it is asked for.",
    ),
)

joint_loss.mistake(
    "CTC for each vector",
    "You divide CTC by the number of vectors. The cross-entropy is a mean over tokens, so CTC has to be one as well: the longer a sound lasts, the less would its text count.",
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / mask.sum()"},
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / mask.numel()"},
    {SUM: "return (1 - weight) * cross_entropy + weight * ctc / mask.size(1)"},
)

joint_loss.mistake(
    "CTC is divided twice",
    'You divide CTC by the tokens, and `reduction="mean"` has done it before. Take the sum, and divide once.',
    {CTC: CTC.replace('"sum"', '"mean"')},
    edit(
        {CTC: CTC.replace(SUMMED, EACH_TEXT) + ".mean()"},
        says="You take the mean of the texts' CTC losses, and divide it by the tokens as well. Take the sum, and divide once.",
    ),
    edit(
        {CTC: f"({CTC.replace(SUMMED, EACH_TEXT)} / is_token.sum(dim=1).clamp(min=1)).sum()"},
        says="You divide each text's CTC loss by its own tokens, and their sum by all tokens once more. Take the sum, and divide once.",
    ),
)

joint_loss.mistake(
    "CTC keeps its full weight",
    "CTC is not multiplied by the weight. With weight 0 it should be gone.",
    {SUM: "return (1 - weight) * cross_entropy + ctc / is_token.sum()"},
)

joint_loss.mistake(
    "CTC gets probabilities",
    "`F.ctc_loss` wants the logarithms of probabilities, and yours are probabilities: `exp` or `softmax` is one step too many. `ctc_log_probs` comes as it is wanted.",
    {CTC: CTC.replace("ctc_log_probs.transpose(0, 1)", "ctc_log_probs.transpose(0, 1).exp()")},
    edit(
        {CTC: CTC.replace("ctc_log_probs.", "ctc_log_probs.log_softmax(dim=1).")},
        says="You take a log_softmax of `ctc_log_probs`, and along the vectors, so that moments compete for a token. They are logarithms of probabilities already, and come as `F.ctc_loss` wants them.",
    ),
    edit(
        {CTC: CTC.replace("ctc_log_probs.", "ctc_log_probs.log_softmax(dim=0).")},
        says="You take a log_softmax of `ctc_log_probs`, and along the batch, so that sounds compete for a token. They are logarithms of probabilities already, and come as `F.ctc_loss` wants them.",
    ),
)

joint_loss.mistake(
    "CTC is asked for the padding",
    "CTC's targets hold the padding: each text is said to be as long as the longest. Its own number of tokens is wanted, `is_token.sum(dim=1)`.",
    {CTC: CTC.replace("labels[is_token], *lengths", "labels, lengths[0], torch.full_like(lengths[1], labels.size(1))")},
)

joint_loss.mistake(
    "another token for the blank",
    "CTC takes the end token for the blank. Here the blank is `pad_id`: `blank=pad_id`.",
    {CTC: CTC.replace("blank=pad_id", "blank=eos_id")},
    edit(
        {CTC: CTC.replace("blank=pad_id", "blank=logits.size(-1) - 1")},
        says="CTC takes the last token of the vocabulary for the blank. Here the blank is `pad_id`: `blank=pad_id`.",
    ),
)

joint_loss.mistake(
    "softmax before the cross-entropy",
    "Your logits go through a softmax, and then into the cross-entropy, which takes one itself. Hand it the logits.",
    {CE: CE.replace("logits.", "logits.softmax(dim=-1).")},
    edit(
        {CE: "F.nll_loss(logits.log_softmax(dim=1).transpose(1, 2), labels, ignore_index=pad_id)"},
        says="The decoder's log_softmax goes along the places of the text, so that places compete for a token. Tokens compete for a place: the last dimension of the logits. `F.cross_entropy` does it in dimension 1, when they are turned.",
    ),
    edit(
        {CE: CE.replace("ignore_index=pad_id", "ignore_index=pad_id, label_smoothing=0.1")},
        says="Your cross-entropy smooths its labels by 0.1. It is asked for as it is.",
    ),
)

joint_loss.mistake(
    "the logits are taken for logarithms",
    "`nll_loss` wants the logarithms of probabilities, and gets logits. `F.cross_entropy` takes the log_softmax itself.",
    {CE: CE.replace("cross_entropy", "nll_loss")},
    edit(
        {CE: CE.replace("cross_entropy", "nll_loss").replace("logits.", "logits.softmax(dim=-1).")},
        says="`nll_loss` wants the logarithms of probabilities, and gets probabilities. `F.cross_entropy` takes the log_softmax of the logits itself.",
    ),
)

joint_loss.mistake(
    "the labels are shifted again",
    "You compare each logit with the label behind its own. The labels are shifted already: the decoder was given the text without its end, and place i of both belong together.",
    {CE: "F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=pad_id)"},
    {
        CE: 'F.cross_entropy(logits[:, :-1].transpose(1, 2), labels[:, 1:], ignore_index=pad_id, reduction="sum") / (labels != pad_id).sum()'
    },
)

joint_loss.mistake(
    "reshaped instead of turned",
    "You bring the classes into dimension 1 by `reshape` or `view`, which only counts the numbers through: what should be one place's logits are then those of several. To turn takes `transpose(1, 2)`.",
    {CE: "F.cross_entropy(logits.reshape(len(logits), logits.size(-1), -1), labels, ignore_index=pad_id)"},
    edit(
        {CTC: CTC.replace("transpose(0, 1)", "reshape(mask.size(1), len(mask), -1)")},
        says="You bring CTC's vectors into dimension 0 by `reshape` or `view`, which only counts the numbers through: a sound then has vectors of other sounds. To turn takes `transpose(0, 1)`.",
    ),
)

MERGED_LABELS = "is_token = is_token & (labels != F.pad(labels[:, :-1], (1, 0), value=pad_id))"
OF_EACH = 'F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id, reduction="none")'

joint_loss.mistake(
    "the cross-entropy is divided by something else",
    "Your cross-entropy is added up and divided by the number of all labels, padding included. The longer the padding, the less it counts. A mean over all labels but padding is asked for.",
    {CE: f"{OF_EACH}.mean()"},
    edit(
        {CE: f"{OF_EACH}.sum() / is_token.sum()"},
        says="Your cross-entropy is divided by the tokens without the ends, and is asked for the ends as well. The mean over all labels but padding is asked for.",
    ),
    edit(
        {CE: f"{OF_EACH}.sum() / len(labels)"},
        says="Your cross-entropy is divided by the number of texts, and CTC by that of tokens. The mean over all labels but padding is asked for.",
    ),
    edit(
        {CE: f"({OF_EACH}.sum(dim=1) / (labels != pad_id).sum(dim=1)).mean()"},
        says="Your cross-entropy is the mean of the texts' means. A text of one key then weighs as much as one of eight. Add up over all texts, and divide once.",
    ),
    edit(
        {CE: f"({OF_EACH}.sum(dim=1) / (labels != pad_id).sum(dim=1)).sum()"},
        says="Your cross-entropy adds up the means of the texts. It grows with every text, and one of one key weighs as much as one of eight. Add up over all labels but padding, and divide once.",
    ),
)

joint_loss.mistake(
    "repeats are merged in the text",
    "You merge equal tokens of the text before CTC gets it. Repeats are merged in what is said at each vector; a text with the same key twice has both.",
    {LENGTHS: f"{MERGED_LABELS}\n    {LENGTHS}"},
    {LENGTHS: f"of_all = is_token\n    {MERGED_LABELS}\n    {LENGTHS}", SUM: SUM.replace("is_token", "of_all")},
)

joint_loss.mistake(
    "a text without a token is left out",
    "The CTC loss of a text without a token is left out. Its sound is to be read as blanks alone, and how unlikely that is counts like any other text's loss.",
    {CTC: CTC.replace(SUMMED, EACH_TEXT) + "[is_token.any(dim=1)].sum()"},
)

joint_loss.mistake(
    "no single tensor",
    "You return a Python number. Training calls `backward()`, so a tensor without dimensions is promised: leave `.item()` out.",
    {SUM: f"{SUM.replace('return ', 'return (')}).item()"},
    edit(
        {SUM: f"{SUM.replace('return ', 'return (')})[None]"},
        says="Your loss has shape (1,). One number is promised, a tensor without dimensions.",
    ),
    edit(
        {SUM: "return (1 - weight) * cross_entropy, weight * ctc / is_token.sum()"},
        says="You return two losses. One number is promised: their sum.",
    ),
    edit(
        {SUM: "return torch.stack([(1 - weight) * cross_entropy, weight * ctc / is_token.sum()])"},
        says="You return two losses in one tensor. One number is promised: their sum.",
    ),
    edit(
        {SUM: "return cross_entropy, ctc / is_token.sum()"},
        says="You return two losses. One number is promised: `(1 - weight) * cross_entropy + weight * ctc`.",
    ),
)

joint_loss.mistake(
    "CTC of a text that is cut",
    "CTC's targets lack the first token of each text. The labels begin with a real token: the start token went to the decoder. Take all of `labels[is_token]`.",
    {LENGTHS: f"is_token = is_token & F.pad(is_token[:, :-1], (1, 0))\n    {LENGTHS}"},
    edit(
        {
            LENGTHS: f"of_all = is_token\n    is_token = is_token & F.pad(is_token[:, :-1], (1, 0))\n    {LENGTHS}",
            SUM: SUM.replace("is_token", "of_all"),
        }
    ),
    edit(
        {LENGTHS: f"is_token = is_token & F.pad(is_token[:, 1:], (0, 1))\n    {LENGTHS}"},
        says="CTC's targets lack the last token of each text. The end token is out already, as `is_token` leaves it out: take all of `labels[is_token]`.",
    ),
    edit(
        {
            LENGTHS: f"of_all = is_token\n    is_token = is_token & F.pad(is_token[:, 1:], (0, 1))\n    {LENGTHS}",
            SUM: SUM.replace("is_token", "of_all"),
        },
        says="CTC's targets lack the last token of each text. The end token is out already, as `is_token` leaves it out: take all of `labels[is_token]`.",
    ),
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
    edit(
        {MAY: MAY.replace("states[2:] != states[:-2]", "states[2:] == states[:-2]")},
        says="Your paths may go two states ahead to the *same* token, and to no other. It is the other way round: between two equal tokens a blank has to be said.",
    ),
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
    edit(
        {START: START.replace("> 1", "!= 1")},
        says="All your paths begin on the first token, so an empty text has none. A blank may stand before the first token: paths begin in the first two states.",
    ),
)

ctc_loss.mistake(
    "the best path alone",
    "You follow the best path and leave the others out. The probability of a text is the *sum* over all paths that give it: `logsumexp` in place of the largest.",
    {STEP: STEP.replace(".logsumexp(dim=0)", ".amax(dim=0)"), LOSS: "loss = -paths[-2:].amax(dim=0)"},
    {STEP: STEP.replace(".logsumexp(dim=0)", ".amax(dim=0)")},
    edit(
        {LOSS: "loss = -paths[-2:].amax(dim=0)"},
        says="At the end you take the better of the last two states. A text's paths end in the one or in the other, and their probabilities are added up: `logsumexp`.",
    ),
)

ctc_loss.mistake(
    "the sign",
    "Your number is the logarithm of the probability. The loss is its negative.",
    {"return loss if": "return -loss if"},
)

ctc_loss.mistake(
    "the graph is cut",
    "No gradient comes through: the loss is cut off by `detach`, `.item()`, `torch.no_grad()` or a new tensor. What gave these log-probabilities then learns nothing.",
    {"return loss if": "return loss.detach() if"},
)

ctc_loss.mistake(
    "the text backwards",
    "Your states run from the last token to the first. Paths go from left to right, and so does the text.",
    {STATES: STATES.replace("= target", "= target.flip(0)")},
)

ctc_loss.mistake(
    "for each token",
    "Your loss is divided by the number of tokens. This function gives the loss of one text as it is.",
    {LOSS: "loss = -paths[-2:].logsumexp(dim=0) / max(1, len(target))"},
    {"return loss if": "return loss / max(1, len(target)) if"},
    edit(
        {"return loss if": "return loss / len(log_probs) if"},
        says="Your loss is divided by the number of vectors. This function gives the loss of one text as it is.",
    ),
    edit(
        {LOSS: "loss = -paths[-2:].logsumexp(dim=0) / len(log_probs)"},
        says="Your loss is divided by the number of vectors. This function gives the loss of one text as it is.",
    ),
)

ctc_loss.mistake(
    "the blank is taken to be 0",
    "You take token 0 for the blank, whatever `blank` says.",
    {"(2 * len(target) + 1,), blank)": "(2 * len(target) + 1,), 0)", MAY: MAY.replace("!= blank", "!= 0")},
    {"(2 * len(target) + 1,), blank)": "(2 * len(target) + 1,), 0)"},
    edit(
        {MAY: MAY.replace("!= blank", "!= 0")},
        says="Where a path may skip you ask whether a state is 0, whatever `blank` says. So a path with you cannot skip to token 0.",
    ),
)

ctc_loss.mistake(
    "no blanks between the tokens",
    "Your states are the tokens alone, without the blanks between, in front and behind. Then no vector can say that nothing new is there, and equal tokens run together.",
    {STATES: "states = target.clone()"},
    {STATES: "states = target.clone() if len(target) else torch.tensor([blank])"},
    *(
        {STATES: f"states = target.clone() if len(target) else torch.tensor([blank][:{kept}])", MAY: "pass"}
        for kept in (0, 1)
    ),
    edit(
        {STATES: "states = torch.tensor([blank, *target.tolist(), blank])"},
        says="Your states have a blank in front and one behind, and none between the tokens. Then no vector between two tokens can say that nothing new is there, and equal tokens run together. A blank stands behind each token.",
    ),
    {STATES: "states = target.clone()", MAY: "pass", START: START.replace("> 1", "> 0"), LOSS: "loss = -paths[-1]"},
    {
        STATES: "states = target.clone() if len(target) else torch.tensor([blank])",
        MAY: "pass",
        START: START.replace("> 1", "> 0"),
        LOSS: "loss = -paths[-1]",
    },
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
    edit(
        {INF: 'if loss >= -impossible / 2:\n        raise ValueError("too few vectors")\n    return loss'},
        says="Where the vectors are too few for the text you raise a ValueError. The probability is 0 there, and the loss is inf: no exception is promised.",
    ),
)

ctc_loss.mistake(
    "paths may begin anywhere",
    "Your paths may begin in any state, and the tokens before it are then never said. At the first vector a path stands in the first or the second state.",
    {START: "paths = scores[0]"},
    edit(
        {START: START.replace("> 1", "> 2")},
        says="Your paths may begin in the third state too, the blank behind the first token, which is then never said. At the first vector a path stands in the first or the second state: 0 or 1.",
    ),
)

ctc_loss.mistake(
    "paths may end anywhere",
    "Your paths may end in any state, and the tokens behind it are then never said. At the end a path stands in one of the last two states.",
    {LOSS: "loss = -paths.logsumexp(dim=0)"},
    edit(
        {LOSS: "loss = -paths[-3:].logsumexp(dim=0)"},
        says="Your paths may end in any of the last three states. The third from the end is the blank in front of the last token, which is then never said. Two states: the last token, and the blank behind it.",
    ),
)

ctc_loss.mistake(
    "no blank at one end",
    "No blank stands behind the last token in your row of states. A sound may go on when the last token is over: the row ends with a blank.",
    {STATES: STATES + "\n    states = states[: max(1, 2 * len(target))]"},
    {STATES: STATES + "\n    states = states[: 2 * len(target)]"},
    edit(
        {STATES: STATES + "\n    states = states[min(1, len(target)) :]"},
        says="No blank stands before the first token in your row of states. A sound may begin before the first token does: the row begins with a blank.",
    ),
    edit(
        {
            STATES: STATES + "\n    states = states[1:-1] if len(target) else states",
            START: START.replace("> 1", "> 0"),
            LOSS: "loss = -paths[-1]",
        },
        says="Your row of states has blanks between the tokens alone, and none at its ends. A sound may begin before its first token, and go on behind its last: the row begins and ends with a blank.",
    ),
)

EACH = "for score in scores[1:]:"
ONE = "one, two = F.pad(paths, (1, 0), value=impossible)[:-1], F.pad(paths, (2, 0), value=impossible)[:-2]"

ctc_loss.mistake(
    "the first vector counts twice",
    "The first vector counts twice: to begin with, and once more in the loop. The loop goes over the others.",
    {EACH: "for score in scores:"},
    edit(
        {EACH: "for score in scores[:-1]:"},
        says="Your loop is a vector late: it takes the score of the vector before, so the first one counts twice and the last one is not read. The loop goes over all vectors but the first.",
    ),
)

ctc_loss.mistake(
    "the last vector is left out",
    "The last vector is not read. The loop goes over all vectors but the first.",
    {EACH: "for score in scores[1:-1]:"},
    edit(
        {"scores = log_probs[:, states]": "scores = log_probs[min(1, len(log_probs) - 1) :, states]"},
        says="The first vector is not read. Paths begin there.",
    ),
)

ctc_loss.mistake(
    "the first vector is not scored",
    "What the first vector says of the first two states does not count with you. A path that stands there has that probability to begin with.",
    {START: START.replace("scores[0]", "torch.zeros_like(scores[0])")},
)

ctc_loss.mistake(
    "from the last state to the first",
    "Your paths go from the last states to the first ones: `roll` brings round what falls out at the end. Nothing comes before the first state: fill with a number like -1e30.",
    {ONE: "one, two = paths.roll(1), paths.roll(2)"},
    *(
        edit(
            {MAY: "may_skip = (states != blank) & (states != states.roll(2))", ONE: f"one, two = {one}, paths.roll(2)"},
            says="Your paths skip from the last states to the first ones: `roll` brings round what falls out at the end, of the states and of the paths. Nothing comes before the first state: fill with a number like -1e30.",
        )
        for one in ("F.pad(paths, (1, 0), value=impossible)[:-1]", "paths.roll(1)")
    ),
)

ctc_loss.mistake(
    "certain before the first state",
    "In front of the first state stands a 0 with you, and that is the logarithm of 1: paths come out of nowhere. Fill with a number like -1e30.",
    {ONE: "one, two = F.pad(paths, (1, 0))[:-1], F.pad(paths, (2, 0))[:-2]"},
    edit(
        {STEP: STEP.replace("masked_fill(~may_skip, impossible)", "masked_fill(~may_skip, 0.0)")},
        says="Where a path may not skip you put a 0, and that is the logarithm of 1: paths come out of nowhere. Fill with a number like -1e30.",
    ),
)

ctc_loss.mistake(
    "minus infinity on the way",
    "Your loss is right and its gradient is NaN: a logsumexp of nothing but minus infinity has none. Take a number like -1e30 for what is impossible.",
    {IMPOSSIBLE: 'impossible = -float("inf")', INF: "return loss"},
    {
        IMPOSSIBLE: 'impossible = -float("inf")',
        INF: "return loss",
        START: "paths = torch.full((len(states),), impossible)\n    paths[:2] = 0.0\n    paths = paths + scores[0]",
    },
)


def in_a_product(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Logarithms are added up, of the ways that there are."""
    states = [blank, *(state for token in target.tolist() for state in (token, blank))]
    paths: list[Tensor | None] = [log_probs[0, state] if place < 2 else None for place, state in enumerate(states)]
    for scores in log_probs[1:]:
        before, paths = paths, []
        for place, state in enumerate(states):
            jumps = place > 1 and state not in (blank, states[place - 2])
            ways = [one for one in before[max(0, place - 1 - jumps) : place + 1] if one is not None]
            paths.append(torch.stack(ways).sum(dim=0) + scores[state] if ways else None)
    ends = [one for one in paths[-2:] if one is not None]
    return -torch.stack(ends).logsumexp(dim=0) if ends else log_probs.new_tensor(float("inf"))


ctc_loss.mistake(
    "what is impossible is not small enough",
    "You fill what is impossible with -100. A path of 30 vectors may be as unlikely as that, so forbidden paths count beside the right ones. Take a number like -1e30.",
    {IMPOSSIBLE: "impossible = -100.0", INF: "return loss"},
    edit(
        {IMPOSSIBLE: "impossible = -1000.0", INF: "return loss"},
        says="You fill what is impossible with -1000. A path of 200 vectors may be as unlikely as that, so forbidden paths count beside the right ones. Take a number like -1e30.",
    ),
    edit(
        {IMPOSSIBLE: "impossible = -1e4", INF: "return loss"},
        says="You fill what is impossible with -10000. A path of vectors that are all unlikely may reach that, so forbidden paths count beside the right ones. Take a number like -1e30.",
    ),
    *(
        edit(
            {START: START.replace("impossible)", f"{number})"), INF: "return loss"},
            says=f"What is impossible at the first vector is {number} with you. A longer path may be as unlikely as that, so forbidden paths count beside the right ones. Take a number like -1e30, and give inf where no path is possible.",
        )
        for number in ("-100.0", "-1000.0", "-10000.0")
    ),
    *(
        edit(
            {IMPOSSIBLE: f"impossible = {number}"},
            says="Where many vectors are unlikely your loss is infinite, and there are paths: the number that stands for the impossible, or that you compare with at the end, is too near to what a long path adds up to. Take a number like -1e30, and compare with -1e29.",
        )
        for number in ("-1e4", "-2e3")
    ),
)

ctc_loss.mistake(
    "a path never stays",
    "Your paths never stay in a state, so each state is said at one vector at most. A key lasts for several vectors: a path may also stay where it is.",
    {STEP: STEP.replace("[paths, one, ", "[one, ")},
    edit(
        {STEP: STEP.replace("[paths, one, ", "[paths.masked_fill(states != blank, impossible), one, ")},
        says="Your paths never stay on a token, so each token is said at one vector only. A key lasts for several vectors, and repeats are read as one: a path may also stay.",
    ),
    edit(
        {STEP: STEP.replace("[paths, one, ", "[paths.masked_fill(states == blank, impossible), one, ")},
        says="Your paths never stay on a blank, so a break may last for one vector only. A path may stay on a blank as it may on a token.",
    ),
    edit(
        {
            STEP: STEP.replace("[paths, one, ", "[paths.masked_fill(states != blank, impossible), one, "),
            MAY: "may_skip[2:] = states[2:] != blank",
        },
        says="Repeats are not one with you: `a a` reads as two tokens, so a path may not stay on a token, and needs no blank between two equal ones. It is the other way round.",
    ),
)

ctc_loss.mistake(
    "a path never goes on by one",
    "Your paths stay, or go on by two, and never by one. So none gets from a blank to the token behind it, or from a token to the blank. All three ways are added up.",
    {STEP: STEP.replace("[paths, one, ", "[paths, ")},
)

ctc_loss.mistake(
    "logarithms are added up",
    "You add up logarithms where paths meet, and the sum of logarithms is the logarithm of a *product*. The probabilities are to be added up: `logsumexp`.",
    {STEP: STEP.replace(".logsumexp(dim=0)", ".sum(dim=0)")},
    in_a_product,
    edit(
        {LOSS: "loss = -paths[-2:].mean(dim=0)\n    loss = loss if loss < 1e30 else -impossible"},
        says="At the end you take the mean of two logarithms. A text's paths end in the one state or in the other: add up the probabilities, `logsumexp`.",
    ),
    edit(
        {
            STEP: STEP.replace(
                "+ score", "- (1.0 + (torch.arange(len(states)) > 0) + may_skip).to(scores.dtype).log() + score"
            )
        },
        says="Where paths meet you take the mean of their probabilities. Each of them gives the text, so they are added up: `logsumexp`, and nothing is divided.",
    ),
    edit(
        {LOSS: "loss = -paths[-2:].sum(dim=0)"},
        says="At the end you add up two logarithms, and the sum of logarithms is the logarithm of a *product*. A text's paths end in the one state or in the other: add up the probabilities, `logsumexp`.",
    ),
)

ctc_loss.mistake(
    "the vectors behind the first are not scored",
    "Your loop moves the paths on and does not add what each vector says of the states. Then only the first vector counts. Add its score behind the `logsumexp`.",
    {STEP: STEP.replace(".logsumexp(dim=0) + score", ".logsumexp(dim=0)")},
)

ctc_loss.mistake(
    "probabilities in place of logarithms",
    "You add up probabilities as if they were logarithms: `exp` is taken, and the rest is written for logarithms. Leave the logarithms as they are given.",
    {"scores = log_probs[:, states]": "scores = log_probs.exp()[:, states]"},
    edit(
        {"scores = log_probs[:, states]": "scores = log_probs.log_softmax(dim=0)[:, states]"},
        says="You take a log_softmax of `log_probs`, and along the vectors, so that moments compete for a token. They are logarithms of probabilities already: take them as they are.",
    ),
)

ctc_loss.mistake(
    "a loss in another form",
    "You return a Python number. Training calls `backward()`, so a tensor without dimensions is promised: leave `.item()` out.",
    {INF: 'return (loss if loss < -impossible / 2 else loss.new_tensor(float("inf"))).item()'},
    edit(
        {INF: 'return (loss if loss < -impossible / 2 else loss.new_tensor(float("inf")))[None]'},
        says="Your loss has shape (1,). One number is promised, a tensor without dimensions.",
    ),
    edit(
        {"return loss if": "return loss[None] if"},
        says="Your loss has shape (1,) where a path is possible. One number is promised, a tensor without dimensions.",
    ),
    edit({"return loss if": "return loss.item() if"}),
)

ctc_loss.mistake(
    "the probability itself",
    "You return the probability, without its logarithm. Of a long sound it is too small for a float. The loss is minus the logarithm.",
    {INF: "return (-loss).exp()"},
)


def in_one_row(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Each state is written over before the next one is read."""
    states = [blank, *(state for token in target.tolist() for state in (token, blank))]
    low = log_probs.new_tensor(-1e30)
    paths = [score if place < 2 else low for place, score in enumerate(log_probs[0, states])]
    for scores in log_probs[1:]:
        for place, state in enumerate(states):
            ways = paths[max(0, place - 1) : place + 1]
            if place > 1 and state not in (blank, states[place - 2]):
                ways = paths[place - 2 : place + 1]
            paths[place] = torch.stack(ways).logsumexp(dim=0) + scores[state]
    loss = -torch.stack(paths[-2:]).logsumexp(dim=0)
    return loss if loss < 1e29 else loss.new_tensor(float("inf"))


ctc_loss.mistake(
    "the row is written over",
    "You keep one row and write over it, from the first state on. A path can then run through several states at one vector. Make a new row for each vector.",
    in_one_row,
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
    edit(
        {STEP: STEP.replace(".logsumexp(dim=0)", ".exp().sum(dim=0).log()")},
        says="Where paths meet you add up `exp` of their logarithms. After a few dozen vectors that is too small for a float and becomes 0, and its logarithm is minus infinity. `logsumexp` does the same and takes the largest out first.",
    ),
)

ctc_loss.mistake(
    "another text",
    "The last token of the text is not among your states. All tokens are, each with a blank before it and behind it.",
    {STATES: f"target = target[:-1]\n    {STATES}"},
    edit(
        {STATES: f"target = target[1:]\n    {STATES}"},
        says="The first token of the text is not among your states. All tokens are, each with a blank before it and behind it.",
    ),
    edit(
        {STATES: f"target = torch.unique_consecutive(target)\n    {STATES}"},
        says="You merge equal tokens of the text. Repeats are merged in what is said at each vector; a text with the same token twice has both.",
    ),
)

ctc_loss.mistake(
    "an empty text is certain",
    "The loss of an empty text is 0 with you. It is read off where every vector says blank, and that has a probability too: minus the sum of the blanks' logarithms.",
    {STATES: f"if not len(target):\n        return log_probs.new_zeros(())\n    {STATES}"},
    edit(
        {STATES: f"if not len(target):\n        return log_probs.new_tensor(float('inf'))\n    {STATES}"},
        says="The loss of an empty text is infinite with you. It is read off where every vector says blank: minus the sum of the blanks' logarithms.",
    ),
)
