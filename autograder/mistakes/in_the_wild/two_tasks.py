"""Wrong ways of room 7."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.two_tasks import shows_unlearned_class, two_task_loss
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

TOKENS = "F.cross_entropy(token_scores.flatten(0, 1), token_labels.flatten(), ignore_index=0)"
PAIRS = "F.cross_entropy(pair_scores, pair_labels)"

two_task_loss.mistake(
    "pairs of class 0 ignored",
    "Pairs of class 0 are left out of your loss. In the tokens 0 stands for *nothing is asked*, and in the pairs it is one of the two answers: whoever ignores it never learns it, and a loss over the other class alone falls to 0. Ignore 0 in the tokens and nothing in the pairs.",
    {PAIRS: "F.cross_entropy(pair_scores, pair_labels, ignore_index=0)"},
    {PAIRS: "F.cross_entropy(pair_scores, pair_labels, weight=torch.tensor([0.0, 1.0]).to(pair_scores))"},
    edit(
        {PAIRS: "torch.nan_to_num(F.cross_entropy(pair_scores, pair_labels, ignore_index=0))"},
        says="Pairs of class 0 are left out of your loss, and where there are no others you turn NaN into 0. In the pairs 0 is one of the two answers: whoever ignores it never learns it. Ignore 0 in the tokens and nothing in the pairs.",
    ),
)
two_task_loss.mistake(
    "pairs of class 1 ignored",
    "Pairs of class 1 are left out of your loss. Both classes of the pairs are answers: ignore nothing there.",
    {PAIRS: "F.cross_entropy(pair_scores, pair_labels, ignore_index=1)"},
)
two_task_loss.mistake(
    "another weight",
    "The two tasks do not weigh the same in your loss. It is the sum of the two means.",
    *({"tokens + pairs": f"{one}tokens + {other}pairs"} for one, other in (("", "0.5 * "), ("0.5 * ", ""), ("2 * ", ""), ("", "2 * "))),
    edit({"tokens + pairs": "tokens * token_labels.size(1) + pairs"}, says="The loss of the tokens is multiplied by the length of the rows. It is the mean of the tokens that have a label."),
)  # fmt: skip
two_task_loss.mistake(
    "a sum over the tokens",
    "The losses of the tokens are added up and not divided by how many have a label. Take the mean.",
    {", ignore_index=0": ", ignore_index=0, reduction='sum'"},
)
two_task_loss.mistake(
    "pairs the other way round",
    "Your pairs have their labels exchanged: 0 is taken for 1, and 1 for 0.",
    {PAIRS: "F.cross_entropy(pair_scores, 1 - pair_labels)"},
)
two_task_loss.mistake(
    "no gradient for the tokens",
    "No gradient reaches the scores of the tokens. `detach`, `.item()` and `no_grad` cut the loss off from what it was made of: the number is right, and nothing is learned from it.",
    {TOKENS: f"{TOKENS}.detach()"},
)
two_task_loss.mistake(
    "scores reshaped",
    "The scores of the tokens are brought into another shape by `view` or `reshape`, so a score of one id comes to stand for another. `F.cross_entropy` wants the classes in dimension 1: `transpose(1, 2)`, or flatten batch and places.",
    {TOKENS: "F.cross_entropy(token_scores.reshape(len(token_scores), token_scores.size(2), -1), token_labels, ignore_index=0)"},
)  # fmt: skip
two_task_loss.mistake(
    "tokens without a label count",
    "Tokens without a label count in your loss, as if id 0 were to be named there. Their label says that nothing is asked: leave them out, with `ignore_index=0` or by picking the others.",
    {", ignore_index=0": ""},
)
two_task_loss.mistake(
    "tokens without a label divide",
    "Tokens without a label are left out of the sum and counted in the number that divides it. The mean is that of the tokens that have a label.",
    {TOKENS: f"{TOKENS} * (token_labels != 0).sum() / token_labels.numel()"},
)
two_task_loss.mistake(
    "the pairs are left out",
    "The loss of the pairs is missing. The sum of both tasks is asked for.",
    {"tokens + pairs": "tokens"},
)
two_task_loss.mistake(
    "the tokens are left out",
    "The loss of the tokens is missing. The sum of both tasks is asked for.",
    {"tokens + pairs": "pairs"},
)
two_task_loss.mistake(
    "half the sum",
    "Your loss is half of what it should be. It is the sum of the two means, as in BERT, and not the mean of the two.",
    {"tokens + pairs": "(tokens + pairs) / 2"},
)
two_task_loss.mistake(
    "a sum over the pairs",
    "The pairs are added up and not divided by how many there are, so their share of the loss grows with the batch. Take the mean.",
    {PAIRS: 'F.cross_entropy(pair_scores, pair_labels, reduction="sum")'},
)
two_task_loss.mistake(
    "no gradient for the pairs",
    "No gradient reaches the scores of the pairs. `detach`, `.item()` and `no_grad` cut the loss off from what it was made of: the number is right, and nothing is learned from it.",
    {PAIRS: f"{PAIRS}.detach()"},
    edit(
        {
            PAIRS: "F.cross_entropy(torch.where(pair_labels[:, None] == 0, pair_scores.detach(), pair_scores), pair_labels)"
        },
        says="No gradient reaches the scores of pairs of class 0. The number is right, and that class is never learned.",
    ),
)

FAR = "not torch.allclose(got, wanted, atol=1e-4)"


def zeros_are_seen(implementation: Callable[..., Tensor]) -> bool:
    """Whether the pairs of class 0 change anything."""
    tokens, labels, zeros = torch.zeros(2, 3, 4), torch.ones(2, 3, dtype=torch.long), torch.tensor([1, 0])
    costs = [float(implementation(tokens, labels, torch.tensor([[0.0, 0.0], [x, 0.0]]), zeros)) for x in (1.0, -1.0)]
    return costs[0] == costs[1]


everywhere(shows_unlearned_class, solutions.shows_unlearned_class, shown_alone=[zeros_are_seen])
shows_unlearned_class.mistake(
    "no gradient is looked at",
    "Your probe looks at the loss and not at its gradient. A loss can have the right value and teach nothing: cut off by `detach`, of the pairs or of some of them. Call `backward` and look at what arrives at the scores.",
    {
        "for one in (tokens, pairs)": "for one in ()",
        "    if not got.requires_grad:\n            return True\n": "    pass\n",
    },
)
shows_unlearned_class.mistake(
    "all tokens have a label",
    "In your batches every token has a label, or none has. Code that lets tokens without a label count, or that divides by them, then passes. Let some have the label 0.",
    {"labels[0, 1:], labels[1, :2] = 0, 0": "labels.clamp_(min=1)"},
)
shows_unlearned_class.mistake(
    "pairs of one class alone",
    "All pairs in your batches have one class. Code that loses the other one passes, and so does code that counts it wrongly. Try both, and a mixed batch.",
    {"([0, 0, 0], [1, 1, 1], [0, 1, 0])": "([0, 0, 0],)"},
    edit(
        {"([0, 0, 0], [1, 1, 1], [0, 1, 0])": "([1, 1, 1],)"},
        says="All pairs in your batches have class 1. It is the other one that the code on the page loses. Try both, and a mixed batch.",
    ),
)
