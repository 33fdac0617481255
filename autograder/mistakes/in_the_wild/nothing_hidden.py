"""Wrong ways of room 6."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.nothing_hidden import hide_tokens, shows_nothing_hidden
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

HIDE = "ids.masked_fill(chance < 0.15 * 0.8, mask_id)"
OTHER = "(chance >= 0.15 * 0.8) & (chance < 0.15 * 0.9)"
DRAWN = "drawn = torch.randint(vocab_size, ids.shape)"
LABELS = "labels = ids.masked_fill(~chosen, -100)"
DONE = f"return torch.where({OTHER}, drawn, inputs), labels"

hide_tokens.mistake(
    "nothing is hidden",
    "Tokens are chosen, and all of them stay as they are: the model reads what it is asked for. No number is smaller than 0.8 of itself. Compare with 0.8 of 0.15, the share that is chosen.",
    {HIDE: "ids.masked_fill(chance < chance * 0.8, mask_id)", OTHER: "chosen & (chance < chance * 0.9)"},
    {HIDE: "ids", OTHER: "chosen & ~chosen"},
    edit(
        {HIDE: "ids", OTHER: "chance < 0.15 * 0.9"},
        says="No token is hidden: 90 % of the chosen ones are exchanged for others. 80 % should be hidden. Where one comparison was mended, look at the one before it, and at which of the two has the last word.",
    ),
)
hide_tokens.mistake(
    "a part of the vocabulary",
    "The first token of the vocabulary, or the last, is never drawn where others are exchanged. They come from the *whole* vocabulary: `torch.randint(vocab_size, ...)` begins with 0 and ends before vocab_size by itself.",
    {DRAWN: "drawn = torch.randint(vocab_size - 1, ids.shape)"},
    {DRAWN: "drawn = torch.randint(1, vocab_size, ids.shape)"},
)
hide_tokens.mistake(
    "labels of the others",
    "The tokens that were *not* chosen have a label, and the chosen ones have none. It is the other way round.",
    {LABELS: "labels = ids.masked_fill(chosen, -100)"},
)
hide_tokens.mistake(
    "another number for no label",
    "Where nothing is asked your label is another number than -100. -100 is what `F.cross_entropy` leaves out; others count, or are no id.",
    *({LABELS: f"labels = ids.masked_fill(~chosen, {other})"} for other in (0, -1)),
)
hide_tokens.mistake(
    "the same each time",
    "The same tokens are chosen each time: the generator is set in your function. In training other tokens should be hidden each time that a text is read.",
    {"chance = torch.rand(ids.shape)": "torch.manual_seed(0)\n    chance = torch.rand(ids.shape)"},
)
hide_tokens.mistake(
    "results exchanged",
    "The labels come first, and then the tokens to be read. Promised is the other order.",
    {DONE: f"return labels, torch.where({OTHER}, drawn, inputs)"},
)
hide_tokens.mistake(
    "everything chosen is hidden",
    "All that is chosen becomes the id that hides. A tenth should be another token and a tenth should stay: outside of training nothing is hidden, and the model has to know tokens, too.",
    {HIDE: "ids.masked_fill(chosen, mask_id)", OTHER: "chosen & ~chosen"},
)
hide_tokens.mistake(
    "hidden and exchanged trade places",
    "A tenth of the chosen tokens is hidden, and 80 % are exchanged for others. It is the other way round.",
    {HIDE: "ids.masked_fill(chance < 0.15 * 0.1, mask_id)", OTHER: "(chance >= 0.15 * 0.1) & (chance < 0.15 * 0.9)"},
)
hide_tokens.mistake(
    "nothing is exchanged",
    "No chosen token becomes another one: 80 % are hidden, and all others stay. A tenth should be exchanged. Where one comparison was mended, look at the one after it.",
    {OTHER: "chosen & ~chosen"},
)
hide_tokens.mistake(
    "chosen ones without a label",
    "The chosen tokens that stay as they are have no label. They are asked for all the same: a model that is never asked for what it reads need not know it.",
    {LABELS: "labels = ids.masked_fill(chance >= 0.15 * 0.9, -100)"},
    edit(
        {LABELS: "labels = ids.masked_fill(chance >= 0.15 * 0.8, -100)"},
        says="Only the tokens that are hidden have a label. Those that are exchanged and those that stay are chosen too, and are asked for all the same.",
    ),
)
hide_tokens.mistake(
    "nothing chosen stays",
    "Of the chosen tokens 80 % are hidden and all others exchanged. A tenth should stay as it is, and be asked for all the same.",
    {OTHER: "(chance >= 0.15 * 0.8) & chosen"},
)
hide_tokens.mistake(
    "labels everywhere",
    "Every token is asked for, not those alone that were chosen. The others can be read off the input. Their label is -100.",
    {LABELS: "labels = ids.clone()"},
)
hide_tokens.mistake(
    "labels after hiding",
    "Your labels are what is read, with the id that hides among them. They should be the tokens as they were.",
    {DONE: f"inputs = torch.where({OTHER}, drawn, inputs)\n    return inputs, inputs.masked_fill(~chosen, -100)"},
)
hide_tokens.mistake(
    "one token drawn for all",
    "One token is drawn, and put into all places that are exchanged. Draw one for each place.",
    {DRAWN: "drawn = torch.randint(vocab_size, ()).expand(ids.shape)"},
)
hide_tokens.mistake(
    "a neighbour instead of a drawn one",
    "Tokens are exchanged for a token that hangs on them, such as the next id: nothing is drawn. Whoever knows the rule can take it back. Draw one for each place, `torch.randint(vocab_size, ids.shape)`.",
    {DRAWN: "drawn = (ids + 1) % vocab_size"},
)
hide_tokens.mistake(
    "its input is changed",
    "You write into the ids that you are given. Whoever called you still needs them. `ids.clone()` first, or `torch.where`.",
    {DONE: f"return ids.copy_(torch.where({OTHER}, drawn, inputs)), labels"},
    edit(
        {DONE: f"ids.copy_(torch.where({OTHER}, drawn, inputs))\n    return ids, ids.masked_fill(~chosen, -100)"},
        says="You write into the ids that you are given, and the labels are made of what was written. Whoever called you still needs the ids, and so do the labels. `ids.clone()` first, or `torch.where`.",
    ),
)


def hidden_at_all(implementation: Callable[..., tuple[Tensor, Tensor]]) -> bool:
    """Whether mask_id occurs."""
    inputs, _ = implementation(torch.randint(1, 500, (50, 50)), 0, 500)
    return not bool((inputs == 0).sum() > 20)


SHARE = "if not 0.13 < chosen.float().mean() < 0.17 or not torch.equal(ids, before):"
REST = "if not torch.equal(labels[chosen], before[chosen]) or not torch.equal(inputs[~chosen], before[~chosen]):"
SHARES = "shares = 0.76 < hidden.float().mean() < 0.84 and 0.07 < other.float().mean() < 0.13"
SPREAD = "return not shares or len(drawn.unique()) < 100 or not drawn.min() < 50 < 450 < drawn.max()"

everywhere(shows_nothing_hidden, solutions.shows_nothing_hidden, shown_alone=[hidden_at_all])
shows_nothing_hidden.mistake(
    "which tokens are drawn is not looked at",
    "Your probe counts how many tokens are exchanged, and not for which. It lets pass what draws one token for all places, or from a part of the vocabulary. Count how many different ones there are, and from where to where they go.",
    {SPREAD: "return not shares"},
)
shows_nothing_hidden.mistake(
    "labels and the rest are not looked at",
    "Your probe looks at the shares, and not at the labels and at what is not chosen. It lets pass what asks for hidden ids, or exchanges tokens that nobody is asked for. The label of a chosen token is the token as it was; all others stay.",
    {REST: "if False:"},
)
shows_nothing_hidden.mistake(
    "the ids are not looked at afterwards",
    "Your probe does not look whether the ids that it gave are what they were. Keep a clone before the call, and compare with that.",
    {SHARE: "if not 0.13 < chosen.float().mean() < 0.17:"},
)
shows_nothing_hidden.mistake(
    "the hidden ones alone are counted",
    "Your probe counts the hidden tokens, and lets pass what exchanges, or keeps, all others. There are three shares: 80, 10 and 10 %.",
    {
        SHARES: "shares = 0.76 < hidden.float().mean() < 0.84",
        SPREAD: "return not shares or 0 < len(drawn.unique()) < 100 or not drawn.min() < 50 < 450 < drawn.max()",
    },
)
shows_nothing_hidden.mistake(
    "how many are chosen is not looked at",
    "Your probe looks at the shares among the chosen tokens, and not at how many are chosen. It should be 15 % of all.",
    {SHARE: "if not torch.equal(ids, before):"},
)
shows_nothing_hidden.mistake(
    "narrower than chance",
    "Your probe accuses right code whose shares are off by what chance does. A share p of n tokens is off by about √(p(1 - p)/n). Allow several times that.",
    {"0.76 < hidden.float().mean() < 0.84": "0.7999 < hidden.float().mean() < 0.8001"},
)
