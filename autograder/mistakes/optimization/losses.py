"""Wrong ways of the decoder's input and of the loss."""

from autograder.checks.optimization.losses import label_smoothed_cross_entropy, shift_right
from autograder.probing.mistake import edit

# shift_right ----------------------------------------------------------------------------

FIRST = "torch.full_like(tgt[:, :1], bos_id)"
TOKENS = "tgt[:, :-1]"
JOINED = "torch.cat([first, tgt[:, :-1]], dim=1)"

shift_right.mistake(
    "one token too long",
    "Your result is one token too long. It still holds the last token of the target. Nothing comes after that token, so the decoder need not read it, "
    "and with it the logits no longer line up with the targets. Leave the last column out.",
    {TOKENS: "tgt"},
)

shift_right.mistake(
    "one token too short",
    "Your result is one token too short. Only the last token of the target goes: bos_id takes its room, so the decoder reads as many tokens as it writes.",
    {TOKENS: "tgt[:, :-2]"},
    {JOINED: "torch.cat([first, tgt[:, :-1]], dim=1)[:, :-1]"},  # of one token, nothing is left
    edit(
        {JOINED: "torch.cat([first, tgt[:, 1:-1]], dim=1)"},
        says="Your result is one token too short. The target lost its first token and its last. Only the last token goes: the first token is what the decoder reads when it is asked for the second.",
    ),
)

shift_right.mistake(
    "shifted to the left",
    "The target is shifted to the left. At every place the decoder reads the token *after* the one that it has to predict, so it reads ahead instead of "
    "back. Put the new token first, and drop the last.",
    {JOINED: "torch.cat([tgt[:, 1:], first], dim=1)"},
    {JOINED: "tgt.roll(-1, dims=1)"},
    edit(
        {JOINED: "tgt[:, 1:]"},
        says="The target is shifted to the left, and one token too short. The first token is gone, and nothing has come in front. At every place the decoder reads the token *after* the one that it has to predict. Put bos_id in front, and drop the last token.",
    ),
    {JOINED: "torch.cat([tgt[:, 1:], torch.zeros_like(tgt[:, :1])], dim=1)"},
    {JOINED: "torch.cat([tgt[:, 1:], tgt[:, -1:]], dim=1)"},
    edit(
        {TOKENS: "tgt.roll(-1, dims=1)[:, 1:]"},
        says="The target is shifted to the left. bos_id stands in front, and behind it at every place the token *after* the one that the decoder has to predict. Shift to the right, `roll(1, ...)`, and put bos_id in the first column.",
    ),
)

shift_right.mistake(
    "bos_id comes last",
    "bos_id stands at the end. What comes before it is not shifted: at every place the decoder reads the token that it should predict there. Put bos_id in front, and the tokens behind it.",
    {JOINED: "torch.cat([tgt[:, :-1], first], dim=1)"},
    edit(
        {JOINED: "torch.cat([tgt, first], dim=1)"},
        says="bos_id stands at the end, and nothing was left out. So your result is one token too long, and at every place the decoder reads the token that it should predict there. Put bos_id in front, and drop the last token.",
    ),
    *(
        edit(
            {FIRST: fill, JOINED: f"{JOINED}.index_fill(1, torch.tensor(tgt.size(1) - 1), bos_id)"},
            says=f"bos_id stands at the end, and {what} in front. The tokens are shifted, and the last of them is written over. The place of bos_id is the first column, `[:, 0]`.",
        )
        for fill, what in (
            ("tgt[:, -1:]", "the last token of the target"),
            ("tgt[:, :1]", "the first token of the target once more"),
            ("torch.zeros_like(tgt[:, :1])", "a 0"),
        )
    ),
)

shift_right.mistake(
    "bos_id more than once",
    "bos_id stands there more than once. The decoder needs one token before the first; with more it is told nothing new, and the tokens stand too far to the right. Put one column of bos_id in front.",
    {JOINED: "torch.cat([first, first, tgt[:, :-1]], dim=1)"},
    {JOINED: "torch.cat([first, first, tgt], dim=1)[:, : tgt.size(1)]"},
    {JOINED: "torch.cat([first, first, tgt[:, :-2]], dim=1)"},  # of one token, two are made
    {JOINED: "nn.functional.pad(tgt, (2, -2), value=bos_id)"},  # of one token, torch cannot take off two
    {JOINED: "torch.cat([first, torch.full_like(tgt[:, [1]], bos_id), tgt[:, :-2]], dim=1)"},  # of one token, an error
    edit(
        {JOINED: "torch.cat([first, tgt[:, :-1], first], dim=1)[:, [*range(tgt.size(1) - 1), -1]]"},
        says="bos_id stands in front, and at the end once more. The decoder begins with it; at the end it takes the room of a token that the decoder should read. Put one column of bos_id in front, and leave the rest as it is.",
    ),
    edit(
        {JOINED: "torch.cat([first, first, tgt], dim=1)"},
        says="bos_id stands there twice, and no token was left out. The decoder needs one token before the first. Put one column of bos_id in front, and drop the last token.",
    ),
    edit(
        {JOINED: "torch.cat([torch.full_like(tgt, bos_id), tgt[:, :-1]], dim=1)"},
        says="A whole block of bos_id stands in front, as large as the target. It should be one column: `torch.full_like(tgt[:, :1], bos_id)`.",
    ),
    edit(
        {TOKENS: "torch.full_like(tgt[:, 1:], bos_id)"},
        says="bos_id stands at every place. Where a loop copies from the tensor that it writes into, what it wrote first goes on and on. Take what you copy from `tgt`.",
    ),
)

shift_right.mistake(
    "shifted by two places",
    "The tokens stand two places later, not one. When the decoder is asked for a token, it has not read the token just before. Move everything by one place.",
    {TOKENS: "tgt.roll(2, dims=1)[:, 1:]"},
    {TOKENS: "tgt[:, [max(place - 2, 0) for place in range(1, tgt.size(1))]]"},
)

shift_right.mistake(
    "the first token is copied on and on",
    "The first token of the target stands at every place behind bos_id. Your loop reads from the tensor that it writes into, so what it copied first goes on and on. Take what you copy from `tgt`.",
    {TOKENS: "tgt[:, :1].expand_as(tgt)[:, 1:]"},
)

shift_right.mistake(
    "the first token is written over",
    "The first token is replaced, and nothing is shifted. From the second place on the decoder reads the very token that it should predict: the loss "
    "falls to 0 and nothing is learned. Keep the first token, drop the last.",
    {TOKENS: "tgt[:, 1:]"},
)

shift_right.mistake(
    "not shifted",
    "Nothing is shifted. At every place the decoder reads the token that it should predict there; the loss falls to 0 within a few steps, and the model "
    "can write nothing. Put bos_id in front and drop the last token.",
    {JOINED: "tgt.clone()"},
)

shift_right.mistake(
    "the last token comes first",
    "The last token has become the first. `roll` turns the row round in a circle, so what falls off at the end appears at the start, and the model reads the end of the sentence before it begins. The first column is bos_id.",
    {JOINED: "tgt.roll(1, dims=1)"},
    {FIRST: "tgt[:, -1:]"},
)

IN_SECOND = (
    ".index_fill(1, torch.tensor(1), bos_id)",
    ".scatter(1, torch.ones_like(first), bos_id)",
    ".where(torch.arange(tgt.size(1)) != 1, bos_id)",  # also of one token
)
shift_right.mistake(
    "bos_id in the second place",
    "bos_id stands in the second place, not in the first. Places are counted from 0: the first column is `[:, 0]`. What stands there now is no <bos>, and the first token of the target is gone.",
    *(
        {FIRST: fill, JOINED: f"{JOINED}{written}"}
        for fill in ("tgt[:, -1:]", "torch.zeros_like(tgt[:, :1])")
        for written in IN_SECOND
    ),
    *(
        edit(
            {FIRST: "tgt[:, :1]", JOINED: f"{JOINED}{written}"},
            says="bos_id stands in the second place, behind the first token of the target. Places are counted from 0: the first column is `[:, 0]`.",
        )
        for written in IN_SECOND
    ),
)

shift_right.mistake(
    "turned round",
    "The tokens are turned round. The decoder reads the end of a sentence before it begins. The tokens keep their order: bos_id in front, then all of them but the last.",
    {TOKENS: "tgt.flip(1)[:, 1:]"},
    {TOKENS: "tgt.flip(1)[:, :-1]"},
    {JOINED: "torch.cat([tgt.flip(1)[:, :-1], first], dim=1)"},
    {JOINED: "tgt.flip(1)"},
)

shift_right.mistake(
    "shifted along the batch",
    "The sentences are shifted, not the tokens. Dimension 0 is the batch: every sentence got the words of its neighbour. Tokens lie in dimension 1.",
    {JOINED: "torch.cat([torch.full_like(tgt[:1], bos_id), tgt[:-1]], dim=0)"},
    {JOINED: "torch.cat([torch.full_like(tgt[:1], bos_id), tgt], dim=0)"},
    *({TOKENS: f"tgt.roll({by}, dims=0)[:, 1:]"} for by in (1, -1, 2)),
    {TOKENS: "tgt.roll(1, dims=0)[:, :-1]"},
    {JOINED: "tgt.roll(1, dims=0)"},
)

shift_right.mistake(
    "shifted as one long row",
    "The batch is shifted as if it were one long row. What falls off at the end of a sentence comes in at the start of the next. `flatten`, and `roll` without `dims`, know of no sentences: shift along dimension 1, and put bos_id in front of every sentence.",
    {JOINED: "torch.cat([first[0], tgt.flatten()[:-1]]).view(tgt.shape)"},
    {JOINED: "tgt.roll(1)"},
)

# What stands first where bos_id was not put, and everything else where it belongs. Some put bos_id there before, some after.
FILLS = ("torch.zeros_like(tgt[:, :1])", "tgt[:, :1]", "tgt[:, -1:]")
FIRST_ROW = ".index_fill(0, torch.tensor(0), bos_id)"
FIRST_CELL = ".index_put((torch.tensor(0), torch.tensor(0)), tgt.new_tensor(bos_id))"
shift_right.mistake(
    "the first row for the first column",
    "bos_id stands in the first sentence only. The others begin with something else. In a tensor of (batch, tgt_len) `[0]` is the first row, a whole sentence; the first place of every sentence is the first column, `[:, 0]`.",
    *({FIRST: fill, JOINED: f"{JOINED}{written}"} for written in (FIRST_CELL, FIRST_ROW) for fill in FILLS),
)

shift_right.mistake(
    "bos_id is not used",
    "The first column holds 0, not bos_id. 0 is padding in this course, and a mask would hide it: the decoder would have nothing to begin with. Fill the column with bos_id.",
    {FIRST: "torch.zeros_like(tgt[:, :1])"},
    # Written into the second column, and then written over. Of one token there is no second.
    {FIRST: "torch.zeros_like(tgt[:, [1]])"},
    *(
        edit(
            {"first = ": f"bos_id = {number}\n    first = "},
            says=f"bos_id is not read. Your first column holds {number}, whatever bos_id is. Fill the column with bos_id.",
        )
        for number in (1, 2)
    ),
    edit(
        {FIRST: "tgt[:, :1]"},
        says="bos_id is nowhere, and the first token stands twice. The decoder would read the first token before it has to write it. The first column is bos_id.",
    ),
)

shift_right.mistake(
    "the target is written over",
    "The target is written over. The loss compares with it after the model has read, and would compare with what the decoder was given. Make a new tensor: `torch.cat` does, or begin with `tgt.clone()`.",
    {JOINED: f"tgt.copy_({JOINED})"},
    edit(
        {JOINED: "tgt.copy_(torch.cat([first, tgt[:, :1].expand_as(tgt)[:, 1:]], dim=1))"},
        says="The target is written over, and its first token is copied from place to place. Begin with a new tensor, and take what you copy from `tgt`.",
    ),
)

shift_right.mistake(
    "the tokens are not copied",
    "Behind bos_id there is nothing but zeros. The decoder reads all tokens of the target but the last: they come behind bos_id.",
    {TOKENS: "torch.zeros_like(tgt[:, 1:])"},
)

shift_right.mistake(
    "another shape",
    "Your result has another shape than the target. There is a row for every sentence and a column for every place, (batch, tgt_len).",
    edit(
        {JOINED: f"{JOINED}.T"},
        says="Rows and columns are exchanged. There is a row for every sentence and a column for every place, (batch, tgt_len).",
    ),
    edit(
        {JOINED: f"{JOINED}.flatten()"},
        says="All sentences come back as one long row. There is a row for every sentence and a column for every place, (batch, tgt_len).",
    ),
    {JOINED: f"{JOINED}[0]"},
    {JOINED: f"{JOINED}.unsqueeze(-1)"},
)

shift_right.mistake(
    "floats, not token ids",
    "Your token ids have become floats. `torch.ones` and `torch.full` of a float make float tensors, and what is joined with them becomes float too; an embedding takes whole numbers only. `torch.full_like(tgt[:, :1], bos_id)` has the dtype of `tgt`.",
    {JOINED: f"{JOINED}.float()"},
)

shift_right.mistake(
    "bos_id is missing",
    "The last token is gone, and nothing has come in front. That is the cut of lesson 08, where the target began with <bos>. Here the target has no "
    "<bos>: put a column of bos_id in front, and the result has the length of the target again.",
    {JOINED: "tgt[:, :-1]"},
    # Of one token nothing is left: a list of nothing is a tensor of floats, and nothing cannot be stacked.
    {JOINED: "torch.tensor([row[:-1] for row in tgt.tolist()])"},
    {JOINED: "torch.stack(tgt.unbind(1)[:-1], dim=1)"},
)

# label_smoothed_cross_entropy ----------------------------------------------------------------------------

LOG_PROBS = "logits.log_softmax(dim=-1)"
OF_ALL = "of_all = -log_probs.mean(dim=-1)"
MIX = "(1 - smoothing) * of_target + smoothing * of_all"
# Classes that get no share, so laid into the mean that they go with another sum, or another number of classes.
OF_CLASSES = "of_all = -log_probs"
BUT_PADDING = ".index_fill(-1, torch.tensor(pad_id), 0.0)"
BUT_TARGET = ".scatter(-1, targets.unsqueeze(-1), 0.0)"
MEAN = "losses[real].mean()"

label_smoothed_cross_entropy.mistake(
    "padding is learned too",
    "Padding is asked for like any word. The places where the target is pad_id are in your mean, with their losses: the model learns to write padding, which is easy, and the loss looks better than it is. Take the mean over the places where `real` is True.",
    {MEAN: "losses.mean()"},
    edit(
        {MEAN: "losses.sum() / real.sum()"},
        says="Padding is in your sum, and not in your count. You divide by the number of real places, but add up the losses of padding too: the model learns to write padding, and a batch with much padding gets a large loss. Add up the places where `real` is True.",
    ),
)

label_smoothed_cross_entropy.mistake(
    "padding counts like a guess",
    "The scores of padding are set to 0, and its losses are in your mean. Scores that are all 0 make every word equally likely, so each such place costs log V. Take the mean over the places where `real` is True.",
    {LOG_PROBS: "(logits * real.unsqueeze(-1)).log_softmax(dim=-1)", MEAN: "losses.mean()"},
    {LOG_PROBS: "logits.masked_fill(~real.unsqueeze(-1), 0.0).log_softmax(dim=-1)", MEAN: "losses.mean()"},
)

label_smoothed_cross_entropy.mistake(
    "padding alone counts",
    "Your mean runs over padding alone. `real` is True where a target counts, and you take the other places. Take those where `real` is True.",
    {"losses[real]": "losses[~real]"},
)

ONE_LOSS = ".squeeze(-1)"
OF_PADDING = "One of your two losses knows nothing of padding. The loss of the target and the mean over all classes are both for real places only: mix them place by place, and take the mean where `real` is True."
label_smoothed_cross_entropy.mistake(
    "padding in one of the two losses",
    OF_PADDING,
    {OF_ALL: "of_all = -log_probs.mean()"},
    {OF_ALL: "of_all = -log_probs.mean(dim=-1).sum() / real.sum()"},
    {OF_ALL: "of_all = (-log_probs.mean(dim=-1) * real).mean()"},
    {ONE_LOSS: ".squeeze(-1).mean()"},
    {ONE_LOSS: ".squeeze(-1).sum() / real.sum()"},
    {ONE_LOSS: ".squeeze(-1).mul(real).mean()"},
)

label_smoothed_cross_entropy.mistake(
    "padding counts in the mean",
    "Padding counts in the mean. The losses of padding are 0 in your sum, but you divide by all places: a batch with much padding gets a small loss and "
    "a small gradient. Divide by the number of real places. Articles with one-hot targets do this.",
    {MEAN: "(losses * real).mean()"},
)

label_smoothed_cross_entropy.mistake(
    "every sentence weighs the same",
    "You average each sentence first, then the sentences. A word in a short sentence then counts more than a word in a long sentence. Some code does "
    "that; here, as in torch, every real place of the batch counts the same.",
    {MEAN: "((losses * real).sum(-1) / real.sum(-1)).mean()"},
    # A sentence of nothing but padding: 0 divided by 1, or not there.
    {MEAN: "((losses * real).sum(-1) / real.sum(-1).clamp(min=1)).mean()"},
    {MEAN: "((losses * real).sum(-1)[real.any(-1)] / real.sum(-1)[real.any(-1)]).mean()"},
    {MEAN: "torch.stack([one[kept].mean() for one, kept in zip(losses, real) if kept.any()]).mean()"},
)

label_smoothed_cross_entropy.mistake(
    "divided by the number of sentences",
    "You divide by the number of sentences, not of places. Long sentences then have large losses, and the learning rate means something else for every batch. Divide by the number of real places.",
    {MEAN: "losses[real].sum() / len(targets)"},
)

label_smoothed_cross_entropy.mistake(
    "summed, not averaged",
    "The losses are added up, not averaged. The gradient grows with the batch, and so would every step. Take the mean over the real places.",
    {MEAN: "losses[real].sum()"},
    *(
        edit(
            one,
            says="One of your two losses is added up, and the other is averaged. The sum grows with the batch and soon outweighs the mean. Mix the two place by place, and take the mean over the real places.",
        )
        for one in (
            {ONE_LOSS: ".squeeze(-1)[real].sum()"},
            {OF_ALL: "of_all = -log_probs.mean(dim=-1)[real].sum()"},
        )
    ),
)

label_smoothed_cross_entropy.mistake(
    "divided by the number of classes",
    "Your mean runs over the classes too. The cross-entropy of a place is a *sum* over its classes; only places are averaged. Your loss is too small by "
    "a factor, the size of the vocabulary. `nn.KLDivLoss` with its default reduction does this.",
    {MEAN: "losses[real].mean() / logits.size(-1)"},
)

label_smoothed_cross_entropy.mistake(
    "the median, not the mean",
    "You take the median of the losses. One place alone then decides, and all others get no gradient. Take the mean.",
    {MEAN: "losses[real].median()"},
)

label_smoothed_cross_entropy.mistake(
    "one loss for every place",
    "You return a loss for every place. `backward` needs one number: the mean over the real places.",
    {MEAN: "losses[real]"},
    {MEAN: "losses * real"},
)

label_smoothed_cross_entropy.mistake(
    "mass on the other classes only",
    "The share `smoothing` is spread over the other classes only. That is another convention, in which the target keeps exactly 1 - smoothing. Here, as "
    "in torch and in the paper that introduced smoothing, the target gets its part of the share as well: the mean is over all classes.",
    {OF_ALL: "of_all = (-log_probs.sum(dim=-1) - of_target) / (logits.size(-1) - 1)"},
    {OF_CLASSES: f"of_all = -logits.size(-1) / (logits.size(-1) - 1) * log_probs{BUT_TARGET}"},
)

label_smoothed_cross_entropy.mistake(
    "mass on the other classes, without padding",
    "The share `smoothing` is spread over V - 2 classes: not the target, not padding. That is the convention of the best known annotated implementation. Here, as in torch, it is spread over all V.",
    {OF_ALL: "of_all = (-log_probs.sum(dim=-1) - of_target + log_probs[..., pad_id]) / (logits.size(-1) - 2)"},
    {OF_CLASSES: f"of_all = -logits.size(-1) / (logits.size(-1) - 2) * log_probs{BUT_PADDING}{BUT_TARGET}"},
)

label_smoothed_cross_entropy.mistake(
    "no mass on padding",
    "Padding gets no part of the share `smoothing`. That is a sensible convention, as padding is never right; but here, as in torch, the share "
    "`smoothing` is spread over all V classes, pad_id included.",
    {OF_ALL: "of_all = (-log_probs.sum(dim=-1) + log_probs[..., pad_id]) / (logits.size(-1) - 1)"},
    {OF_CLASSES: f"of_all = -logits.size(-1) / (logits.size(-1) - 1) * log_probs{BUT_PADDING}"},
    edit(
        {OF_ALL: "of_all = -log_probs[..., 1:].mean(dim=-1)"},
        says="Class 0 gets no part of the share `smoothing`, whatever pad_id is. Here, as in torch, the share is spread over all V classes.",
    ),
)

label_smoothed_cross_entropy.mistake(
    "the sum over all classes, not the mean",
    "Every class gets the whole share `smoothing`. The share has to be divided among them: take the mean of the log-probabilities, not their sum.",
    {OF_ALL: "of_all = -log_probs.sum(dim=-1)"},
    edit(
        {OF_ALL: "of_all = logits.logsumexp(dim=-1) - logits.sum(dim=-1)"},
        says="The scores are added up over the classes, and what `logsumexp` gives is taken once. The mean of the log-probabilities is `logsumexp` less the *mean* of the scores.",
    ),
)

label_smoothed_cross_entropy.mistake(
    "another number of classes",
    "The share `smoothing` is divided by another number than that of the classes. Every word of the vocabulary gets smoothing / V, and V is the size of the last dimension: `logits.size(-1)`.",
    *(
        {OF_ALL: f"of_all = -log_probs.sum(dim=-1) / {number}"}
        for number in (
            "(logits.size(-1) - 2)",
            "(logits.size(-1) + 1)",
            "logits.size(-2 if logits.dim() > 1 else 0)",
            "logits.size(0)",
            "(int(targets.max()) + 1)",
            "int(targets.max())",
            "real.sum()",
        )
    ),
)

label_smoothed_cross_entropy.mistake(
    "the two shares exchanged",
    "The two shares have changed places. With smoothing=0.1 your target gets a tenth, and nine tenths are spread over everything. The target gets 1 - smoothing.",
    {MIX: "smoothing * of_target + (1 - smoothing) * of_all"},
)

label_smoothed_cross_entropy.mistake(
    "smoothing is not used",
    "Nothing is smoothed. You ask for certainty, whatever `smoothing` says. Mix the loss of the target with the mean over all classes.",
    {MIX: "of_target"},
    edit(
        {MIX: "0.9 * of_target + 0.1 * of_all"},
        says="smoothing is not read. Your shares are 0.9 and 0.1, whatever `smoothing` says. The target keeps 1 - smoothing.",
    ),
    *(
        edit(
            {MIX: one},
            says="smoothing is read in one of two places. One of your shares is that of a smoothing of 0.1, whatever `smoothing` says: the target keeps 1 - smoothing, and all classes together get smoothing.",
        )
        for one in ("(1 - smoothing) * of_target + 0.1 * of_all", "0.9 * of_target + smoothing * of_all")
    ),
)

label_smoothed_cross_entropy.mistake(
    "smoothing is divided by V twice",
    "Your target keeps too much. You take smoothing / V from it, and give as much to the mean over all classes. A mean is divided by V already: the target keeps 1 - smoothing, and the mean gets smoothing.",
    {MIX: "(1 - smoothing / logits.size(-1)) * of_target + smoothing / logits.size(-1) * of_all"},
)

label_smoothed_cross_entropy.mistake(
    "the shares sum to more than 1",
    "Your shares sum to 1 + smoothing. What the other classes get must be taken from the target: it keeps 1 - smoothing.",
    {MIX: "of_target + smoothing * of_all"},
    *(
        edit(
            one,
            says="Your shares sum to more than 1. You divide the share `smoothing` by V - 1, and give a part of it to all V classes. Divide it by V.",
        )
        for one in (
            {OF_ALL: "of_all = -log_probs.sum(dim=-1) / (logits.size(-1) - 1)"},
            {"smoothing * of_all": "smoothing * logits.size(-1) / (logits.size(-1) - 1) * of_all"},
        )
    ),
)

label_smoothed_cross_entropy.mistake(
    "the shares sum to less than 1",
    "Your shares sum to less than 1. What is taken from the target must go to the classes: the target keeps 1 - smoothing, and every class gets smoothing / V on top.",
    {MIX: "(1 - smoothing) * of_target"},
    edit(
        {OF_CLASSES: f"{OF_CLASSES}{BUT_TARGET}"},
        says="Your shares sum to less than 1. The others get smoothing / V each, and the target exactly 1 - smoothing. Its own part of the share is missing: 1 - smoothing + smoothing / V.",
    ),
    edit(
        {"smoothing * of_all": "smoothing / logits.size(-1) * of_all"},
        says="Your shares sum to less than 1. You divide by the number of classes twice: a mean is a sum divided by V already. Either the mean times smoothing, or the sum times smoothing / V.",
    ),
    edit(
        {OF_CLASSES: f"of_all = -logits.size(-1) / (logits.size(-1) - 1) * log_probs{BUT_PADDING}{BUT_TARGET}"},
        says="Your shares sum to less than 1. Neither the target nor padding gets a part of the share `smoothing`, and you divide it by V - 1. Here, as in torch, every class gets smoothing / V, target and padding included.",
    ),
    edit(
        {OF_CLASSES: f"{OF_CLASSES}{BUT_PADDING}"},
        says="Your shares sum to less than 1. Padding gets nothing, and its part is not given to the others. Here, as in torch, every class gets smoothing / V, pad_id included.",
    ),
)

label_smoothed_cross_entropy.mistake(
    "logarithm of the softmax",
    "You take the softmax first and then the logarithm. A probability below 1e-38 is 0 in float32, and the logarithm of 0 is infinite; a small number added to it only hides that, and gives a wrong loss just where the model is most wrong. `log_softmax` never leaves the logarithm.",
    {LOG_PROBS: "logits.softmax(dim=-1).log()"},
    *(
        {LOG_PROBS: f"(logits.softmax(dim=-1) + {eps}).log()"}
        for eps in ("1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12")
    ),
    *(
        {LOG_PROBS: f"logits.softmax(dim=-1).clamp(min={least}).log()"}
        for least in ("1e-6", "1e-7", "1e-8", "1e-9", "1e-10", "1e-12")
    ),
    {LOG_PROBS: "logits.softmax(dim=-1).clamp(2**-23, 1 - 2**-23).log()"},  # as torch.distributions does with `probs`
)

label_smoothed_cross_entropy.mistake(
    "the exponentials overflow",
    "You take the exponentials of the scores as they are. e to the power of 89 is infinite in float32, and a loss that is infinite or NaN ends a training. `log_softmax` and `logsumexp` take the largest score away first.",
    {LOG_PROBS: "logits - logits.exp().sum(dim=-1, keepdim=True).log()"},
    {LOG_PROBS: "(logits.exp() / logits.exp().sum(dim=-1, keepdim=True)).log()"},
)

label_smoothed_cross_entropy.mistake(
    "the score of padding is hidden",
    "The score of padding is made very small before the softmax. Then padding gets no probability at any place, and the part of `smoothing` that belongs to it costs nearly everything. Leave the scores as they are: only places whose *target* is padding do not count.",
    *(
        {LOG_PROBS: f"logits.index_fill(-1, torch.tensor(pad_id), {least}).log_softmax(dim=-1)"}
        for least in ("-1e9", "-math.inf", "-1e4")
    ),
)

label_smoothed_cross_entropy.mistake(
    "the logits are written over",
    "The logits are written over. Whoever called this function finds other numbers in them afterwards, and autograd may refuse to go back. Compute new tensors from them: methods that end in an underscore change what is there.",
    {LOG_PROBS: "logits.sub_(logits.amax(dim=-1, keepdim=True)).log_softmax(dim=-1)"},
)

label_smoothed_cross_entropy.mistake(
    "the logarithm is missing",
    "The logarithm is missing. You average probabilities, and a place where the model was sure and wrong costs hardly more than any other. The loss is minus the *logarithm*: `log_softmax`.",
    {LOG_PROBS: "logits.softmax(dim=-1)"},
)

label_smoothed_cross_entropy.mistake(
    "no softmax",
    "The scores are taken as they are. They are not log-probabilities yet: the loss could be lowered without end by raising all scores. `log_softmax` first.",
    {LOG_PROBS: "logits"},
    *(
        edit(
            one,
            says="One of your two losses takes the scores as they are. They are not log-probabilities: what `logsumexp` gives has to be taken from every score. `log_softmax` does it for both.",
        )
        for one in (
            {"of_target = -log_probs": "of_target = -logits"},
            {OF_ALL: "of_all = -logits.mean(dim=-1)"},
        )
    ),
)

label_smoothed_cross_entropy.mistake(
    "the softmax is taken twice",
    "The softmax is taken twice. Probabilities lie between 0 and 1, so a second softmax makes them nearly equal, and the loss cannot fall far. `log_softmax` takes the logits as they are.",
    {LOG_PROBS: "logits.softmax(dim=-1).log_softmax(dim=-1)"},
)

label_smoothed_cross_entropy.mistake(
    "softmax over the wrong dimension",
    "The softmax runs over the wrong dimension. It must run over the last dimension, the vocabulary: at every place the probabilities of all words sum "
    "to 1. In torch's own function classes stand second; here they stand last.",
    {LOG_PROBS: "logits.log_softmax(dim=-2 if logits.dim() > 1 else -1)"},
    {LOG_PROBS: "logits.log_softmax(dim=0)"},
    {LOG_PROBS: "logits.log_softmax(dim=1)"},
)

label_smoothed_cross_entropy.mistake(
    "minus sign missing",
    "The sign is wrong. Log-probabilities are negative and the loss is minus their mean; yours would be driven towards minus infinity, away from the targets.",
    {MEAN: "-losses[real].mean()"},
    {MIX: f"-({MIX})"},
)

label_smoothed_cross_entropy.mistake(
    "one minus sign missing",
    "One of your two losses lacks its minus sign. Log-probabilities are negative, and both losses are minus a log-probability: that of the target, and the mean over all classes.",
    {OF_ALL: "of_all = log_probs.mean(dim=-1)"},
    {"of_target = -log_probs": "of_target = log_probs"},
)

label_smoothed_cross_entropy.mistake(
    "every dimension of one is squeezed",
    "`squeeze()` takes out every dimension of size 1. Only the last should go. Where sentences have a single token, or the batch a single sentence, "
    "another dimension goes too. Write `squeeze(-1)`.",
    {".squeeze(-1)": ".squeeze()"},
    {".squeeze(-1)": ".squeeze()", MEAN: "losses.masked_select(real).mean()"},  # takes what no index would
)

label_smoothed_cross_entropy.mistake(
    "in bits",
    "Your loss is in bits. Information theory often uses the logarithm to base 2; this course, like torch, uses the natural logarithm.",
    {MEAN: "losses[real].mean() / math.log(2)"},
)

label_smoothed_cross_entropy.mistake(
    "the divergence, not the cross-entropy",
    "You return the Kullback-Leibler divergence. It is the cross-entropy minus a constant, the entropy of the smoothed target. The gradient is the "
    "same, but the numbers differ and cannot be compared with log V. The best known annotated implementation reports the divergence. Here only the sum "
    "of share × -log p is asked for.",
    {
        f"    return {MEAN}": "    each = smoothing / logits.size(-1)\n"
        "    shares = [1 - smoothing + each] + [each] * (logits.size(-1) - 1)\n"
        "    return losses[real].mean() + sum(one * math.log(one) for one in shares if one > 0)"
    },
    {  # place by place, beside another mean
        MIX: f"{MIX} + sum(one * math.log(one) for one in [1 - smoothing + smoothing / logits.size(-1)] + [smoothing / logits.size(-1)] * (logits.size(-1) - 1) if one > 0)"
    },
    {  # 0 · log 0 is no number, so it fails without smoothing
        f"    return {MEAN}": "    each = smoothing / logits.size(-1)\n"
        "    shares = torch.tensor([1 - smoothing + each] + [each] * (logits.size(-1) - 1))\n"
        "    return losses[real].mean() + (shares * shares.log()).sum()"
    },
)

label_smoothed_cross_entropy.mistake(
    "the perplexity",
    "You return the perplexity. The perplexity, e to the power of the loss, is a good number to report; but training needs the loss itself.",
    {MEAN: "losses[real].mean().exp()"},
)

label_smoothed_cross_entropy.mistake(
    "cut off from the graph",
    "The number is right, and no gradient flows back. `detach`, `.data`, `.item()` or a new tensor cuts the loss off from the logits; nothing could learn from it.",
    {MEAN: "losses[real].detach().mean()"},
    {MEAN: "losses[real].mean().item()"},
    *(
        edit(
            one,
            says="One of your two losses is cut off from the graph. The number is right, and a part of the gradient is missing: `detach`, `.data` or a new tensor stands in the line of that loss.",
        )
        for one in ({OF_ALL: "of_all = -log_probs.detach().mean(dim=-1)"}, {ONE_LOSS: ".squeeze(-1).detach()"})
    ),
    *(
        edit(
            {LOG_PROBS: log_probs},
            says="What `logsumexp` gives is cut off from the graph. The number is right, and the gradient raises the right scores without lowering the others.",
        )
        for log_probs in (
            "logits - logits.logsumexp(dim=-1, keepdim=True).detach()",
            "logits - (top := logits.amax(dim=-1, keepdim=True)) - (logits - top).logsumexp(dim=-1, keepdim=True).detach()",
        )
    ),
)

label_smoothed_cross_entropy.mistake(
    "pad_id is always 0",
    "pad_id is not read. Your code takes 0 for padding, whatever pad_id is. Compare with `pad_id`.",
    {"targets != pad_id": "targets != 0"},
    {"losses[real]": "losses[targets != 0]"},
    {ONE_LOSS: ".squeeze(-1)[targets != 0].mean()"},
    edit(
        {"losses[real]": "losses[targets > pad_id]"},
        says="Every id below pad_id is taken for padding. That makes no difference where pad_id is 0, the smallest. Compare with `!=`: `real` does.",
    ),
)

label_smoothed_cross_entropy.mistake(
    "places that cost nothing do not count",
    "A real place whose loss is 0 is left out of the mean. A loss of 0 does not mean padding: places that the model has learned perfectly have it too, "
    "and without them the mean is too high. Count the places where `real` is True.",
    {"losses[real]": "losses[real & (losses != 0)]"},
)

label_smoothed_cross_entropy.mistake(
    "a batch of nothing but padding is accepted",
    "A batch without a real target gives NaN. The mean of nothing is NaN, and one such batch makes all weights NaN. The given lines refused such a "
    "batch: keep them.",
    {"if not real.any():": "if False:"},
)

label_smoothed_cross_entropy.mistake(
    "a smoothing of 1 is accepted",
    "A smoothing outside [0, 1) is accepted. With 1 the target no longer counts, and with more the model learns to avoid it. The given lines refused "
    "such a smoothing: keep them.",
    {"if not 0 <= smoothing < 1:": "if False:"},
)
