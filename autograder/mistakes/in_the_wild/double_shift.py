"""Wrong ways of room 2."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder.checks.in_the_wild.double_shift import as_shown, shows_double_shift, training_loss
from autograder.mistakes.of_probes import everywhere
from autograder.probing.mistake import edit
from solutions import in_the_wild as solutions

LOADER = "inputs, labels = ids[:, :-1], ids[:, 1:]"
LOSS = "F.cross_entropy(logits.flatten(0, 1), labels.flatten())"

training_loss.mistake(
    "shifted twice",
    "Every place is asked for the token after the next. The labels are the next tokens already, and the loss moves them once more. Shift in one place: in the loader or in the loss.",
    {LOSS: "F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())"},
)
training_loss.mistake(
    "not shifted at all",
    "Every place is asked for the token that it reads. That is easy, and teaches nothing. The label of a place is the token that follows.",
    {LOADER: "inputs, labels = ids[:, :-1], ids[:, :-1]"},
    {LOADER: "inputs, labels = ids, ids"},
    {LOADER: "inputs, labels = ids[:, 1:], ids[:, 1:]"},
    {LOSS: "F.cross_entropy(logits[:, 1:].flatten(0, 1), labels[:, :-1].flatten())"},
    edit(
        {LOADER: "inputs, labels = ids, ids[:, 1:]", "model(inputs)": "model(inputs)[:, 1:]"},
        says="Every place but the first is asked for the token that it reads: the first place is cut off the logits, and it is the last that has nothing to say. That is easy, and teaches nothing.",
    ),
)
training_loss.mistake(
    "places left out",
    "Some places are not asked. Every token that has one before it in its row counts.",
    edit({LOSS: "F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, :-1].flatten())"}, says="The last token of every row is asked of nobody: the last place is cut off logits and labels alike. Logits and labels fit place by place once the loader has shifted them; cut nothing more."),
    edit({LOSS: "F.cross_entropy(logits[:, 1:].flatten(0, 1), labels[:, 1:].flatten())"}, says="The second token of every row is asked of nobody: the first place is cut off logits and labels alike. Every token that has one before it counts."),
    edit({LOSS: "F.cross_entropy(logits[:, 1:-1].flatten(0, 1), labels[:, 1:-1].flatten())"}, says="The second and the last token of every row are asked of nobody: the first and the last place are cut off logits and labels alike. Every token that has one before it counts."),
    edit({LOSS: "F.cross_entropy(logits[:, -1:].flatten(0, 1), labels[:, -1:].flatten())"}, says="Only the last place of every row is asked. Every place but the last of the row has a token that follows, and each counts."),
)  # fmt: skip
training_loss.mistake(
    "shifted backwards",
    "Every place is asked for the token before it. The label of place i is token i + 1: `ids[:, 1:]` belongs to `ids[:, :-1]`.",
    {LOADER: "inputs, labels = ids, ids[:, :-1]", "model(inputs)": "model(inputs)[:, 1:]"},
    {LOADER: "inputs, labels = ids[:, 1:], ids[:, :-1]"},
)
training_loss.mistake(
    "one row's end asks for another's beginning",
    "The rows are laid one behind the other before they are shifted, so the last place of a row is asked for the first token of the next. Shift within the rows, and flatten then.",
    {LOADER: "inputs, labels = ids, ids", LOSS: "F.cross_entropy(logits.flatten(0, 1)[:-1], labels.flatten()[1:])"},
)
training_loss.mistake(
    "the last place is asked too",
    "The last place of every row is asked for the first token of that row. Nothing follows it, so it is asked for nothing.",
    {LOADER: "inputs, labels = ids, ids.roll(-1, dims=1)"},
)
training_loss.mistake(
    "id 0 is left out",
    "Tokens with id 0 do not count in your loss. Here 0 is a token as any other. Which ids are ignored has to be said by whoever pads.",
    {LOSS: "F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=0)"},
)
training_loss.mistake(
    "softmax before the loss",
    "`F.cross_entropy` takes logits and has the softmax in it. With probabilities it still falls, and stops far too high.",
    {LOSS: "F.cross_entropy(logits.softmax(-1).flatten(0, 1), labels.flatten())"},
)
training_loss.mistake(
    "no softmax",
    "The logits are taken for logarithms of probabilities. `F.nll_loss` wants those; `F.cross_entropy` makes them of logits by itself.",
    {LOSS: "F.nll_loss(logits.flatten(0, 1), labels.flatten())"},
)
training_loss.mistake(
    "a sum, or another mean",
    "Your loss is the promised one times a number that depends on the sizes of the batch. It is the mean over all places that are asked.",
    {LOSS: 'F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="sum")'},
    {LOSS: f"{LOSS} * labels.size(1)"},
    {LOSS: f"{LOSS} * labels.numel() / ids.numel()"},
)


@torch.no_grad()
def asks_for_the_one_after_the_next(implementation: Callable[..., Tensor]) -> bool:
    """Whether the loss is that of the page."""
    table, ids = torch.randn(7, 7), torch.randint(7, (3, 6))

    def model(given: Tensor) -> Tensor:
        return table[given].cumsum(1)

    return bool(torch.isclose(implementation(model, ids), as_shown(model, ids), atol=1e-4))


@torch.no_grad()
def certain_alone(implementation: Callable[..., Tensor]) -> bool:
    """A model that knows what follows should have no loss."""
    table = 50 * torch.eye(7).roll(1, dims=1)
    ids = (torch.arange(6) + torch.tensor([[0], [2], [5]])) % 7
    return bool(implementation(lambda given: table[given], ids) > 0.01)


MODEL = "return table[ids].cumsum(1)  # (batch, seq_len, 7)"

everywhere(shows_double_shift, solutions.shows_double_shift, shown_alone=[asks_for_the_one_after_the_next])
shows_double_shift.mistake(
    "one row alone",
    "Your probe gives a single row, so code whose rows leak into each other, or that counts rows wrongly, passes. Give several rows that differ.",
    {"(4, 6)": "(1, 6)"},
)
shows_double_shift.mistake(
    "a model that is certain, and no other",
    "Your probe has a model that knows the next token, and asks whether the loss is small. A sum of zeros is zero as well, and so is the mean of some of them: a wrong count passes. Take a model that is unsure, and compare with the loss that you work out.",
    certain_alone,
)
shows_double_shift.mistake(
    "no id is 0",
    "Your probe has no id 0 among the tokens that are asked, and lets code pass that leaves those out. Every id counts, 0 as well.",
    {"torch.randint(7, (4, 6))": "torch.randint(1, 7, (4, 6))", "    ids[:, 2] = 0\n": ""},
)
shows_double_shift.mistake(
    "too large alone",
    "Your probe asks whether the loss is larger than it should be, and lets pass what is too small. Ask for both sides: `abs(...)`.",
    {
        "bool(abs(implementation(model, ids) + right.mean()) > 1e-3)": "bool(implementation(model, ids) + right.mean() > 1e-3)"
    },
)
shows_double_shift.mistake(
    "compares with another number than is promised",
    "Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours asks every place for the token that stands there. Each place is asked for the next token, and the last place for none.",
    {
        "right = model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])": "right = model(ids).log_softmax(-1).gather(-1, ids[..., None])"
    },
    edit(
        {
            "right = model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])": "right = model(ids)[:, :-2].log_softmax(-1).gather(-1, ids[:, 2:, None])"
        },
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours asks every place for the next token but one, as the page does. Each place is asked for the next token.",
    ),
    edit(
        {"right.mean()": "right.sum()"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is a sum. Promised is the mean over all tokens that have one before them.",
    ),
    edit(
        {"right.mean()": "right.sum(1).mean()"},
        says="Your probe accuses right code and lets wrong code pass, as what it compares with is not what is promised. Yours is a sum over each row. Promised is the mean over all tokens that have one before them.",
    ),
)
