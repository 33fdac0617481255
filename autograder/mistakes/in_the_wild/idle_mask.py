"""Wrong ways of room 5."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.idle_mask import as_shown, loss_where_asked, shows_idle_mask
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

LOSSES = 'losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")'
MEAN = "(losses * counts).sum() / counts.sum().clamp(min=1)"

loss_where_asked.mistake(
    "the mask does nothing",
    'Your loss is the mean over all places, asked or not. `F.cross_entropy` takes the mean by itself, and a single number times a mask, divided by the mask, is that number again. Keep a loss for each place: `reduction="none"`.',
    {', reduction="none")': ")"},
    {MEAN: "losses.mean() * counts.any()"},
    {MEAN: "losses.mean()"},
    edit(
        {', reduction="none")': ', reduction="sum")'},
        says='Your loss is the sum over all places, asked or not. `reduction="sum"` gives a single number, and a single number times a mask, divided by the mask, is that number again. Keep a loss for each place: `reduction="none"`.',
    ),
)
loss_where_asked.mistake(
    "divided by all places",
    "What is not asked adds nothing to your sum, and counts below it. Then a batch with much padding has a small loss. Divide by how many places are asked.",
    {MEAN: "(losses * counts).mean()"},
)
loss_where_asked.mistake(
    "a mean of means",
    "You take the mean of every row, and then the mean of the rows. A row of one token weighs as much as a row of a hundred. Add up over the whole batch, and divide once.",
    {MEAN: "((losses * counts).view(labels.shape).sum(1) / asked.sum(1).clamp(min=1)).mean()"},
    {
        MEAN: "((losses * counts).view(labels.shape).sum(1) / asked.sum(1).clamp(min=1)).sum() / asked.any(1).sum().clamp(min=1)"
    },
)
loss_where_asked.mistake(
    "divided by the rows",
    "You add up what is asked and divide by the number of rows. Divide by how many places are asked.",
    {MEAN: "(losses * counts).sum() / len(asked)"},
)
loss_where_asked.mistake(
    "one place too far",
    "You move logits and labels against each other. Here a place's label stands at that place: whoever calls this has shifted them. Shift in one place only.",
    {
        LOSSES: 'losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), reduction="none")',
        "counts = asked.flatten()": "counts = asked[:, 1:].flatten()",
    },
    {
        LOSSES: 'losses = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten(), reduction="none")',
        "counts = asked.flatten()": "counts = asked[:, :-1].flatten()",
    },
)
loss_where_asked.mistake(
    "a sum",
    "You add the losses up and do not divide by how many there are.",
    {MEAN: "(losses * counts).sum()"},
)
loss_where_asked.mistake(
    "NaN where nothing is asked",
    "Where nothing is asked your loss is 0 divided by 0. It should be 0: one such batch, and every weight is NaN. `.clamp(min=1)` below the fraction.",
    {".clamp(min=1)": ""},
)
loss_where_asked.mistake(
    "the mask upside down",
    "You take the loss of the places that are *not* asked.",
    {"counts = asked.flatten()": "counts = (~asked).flatten()"},
)
loss_where_asked.mistake(
    "what is not asked counts as a uniform guess",
    "You set the logits to 0 where nothing is asked, and take the mean over all places. Logits of 0 are a guess with equal chances, and its loss is log(vocab_size), not 0. Mask the losses.",
    edit(
        {
            LOSSES: 'losses = F.cross_entropy((logits * asked[..., None]).flatten(0, 1), labels.flatten(), reduction="none")',
            MEAN: "losses.mean()",
        }
    ),
)


def example(chances: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Logits, labels, and a mask with one chance for each row."""
    asked = torch.rand(len(chances), 6) < chances[:, None]
    asked[0, 0] = True
    return 2 * torch.randn(len(chances), 6, 7), torch.randint(7, (len(chances), 6)), asked


def is_the_mean_of_all(implementation: Callable[..., Tensor]) -> bool:
    """Whether it is the loss of the page."""
    given = example(torch.tensor([0.3, 0.6, 0.9]))
    return torch.allclose(implementation(*given), as_shown(*given), atol=1e-4)


def minds_gaps(implementation: Callable[..., Tensor]) -> bool:
    """Whether other logits move it, where nothing is asked: here and there."""
    return _moves(implementation, torch.tensor([[1, 0, 1, 0], [0, 1, 1, 1], [0, 0, 0, 1]]).bool())


def minds_padding(implementation: Callable[..., Tensor]) -> bool:
    """The same at the ends of rows, of which the first is the shortest."""
    return _moves(implementation, torch.arange(6) < torch.tensor([[2], [4], [5]]))


def _moves(implementation: Callable[..., Tensor], asked: Tensor) -> bool:
    logits, labels = torch.randn(*asked.shape, 7), torch.randint(7, asked.shape)
    other = torch.where(asked[..., None], logits, logits + torch.randn_like(logits))
    return not torch.allclose(implementation(logits, labels, asked), implementation(other, labels, asked), atol=1e-5)


MASKS = "for lengths in ([1, 3, 5], [4, 0, 2], [0, 0, 0]):"

everywhere(shows_idle_mask, solutions.shows_idle_mask, shown_alone=[is_the_mean_of_all])
shows_idle_mask.mistake(
    "what is not asked and nothing else",
    "Your probe changes what is not asked and looks whether the loss moves. A mask that does nothing is found, and a wrong divisor passes: a sum, a mean over all places, a mean of means. Work out the loss that is promised.",
    minds_gaps,
    minds_padding,
)
shows_idle_mask.mistake(
    "all rows equally long",
    "In your probe as much is asked in every row, and a mean of the rows' means is the mean of all then. Take rows of several lengths.",
    {MASKS: "for lengths in ([3, 3, 3], [0, 0, 0]):"},
)
shows_idle_mask.mistake(
    "NaN passes",
    "Your probe lets pass what gives NaN where nothing is asked; the promise is 0. Either it never tries a mask that asks for nothing, or it asks whether a difference is larger than something: of NaN that is never true. `torch.allclose`, or `not difference < something`, says that a NaN is wrong.",
    {MASKS: "for lengths in ([1, 3, 5], [4, 0, 2]):"},
    {
        "not torch.allclose(implementation(logits, labels, asked), right, atol=1e-4)": "(implementation(logits, labels, asked) - right).abs() > 1e-4"
    },
)
shows_idle_mask.mistake(
    "everything is asked",
    "In your probe every place is asked, so a mask that does nothing is right. Leave some out.",
    {MASKS: "for lengths in ([5, 5, 5],):"},
)
shows_idle_mask.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is a sum. Promised is the mean over the places that are asked.",
    {"losses.mean() if": "losses.sum() if"},
    edit(
        {"losses.mean() if": "losses.sum() / labels.numel() if"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours divides by all places. Promised is the mean over the places that are asked.",
    ),
)
