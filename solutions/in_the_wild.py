"""Faults that much used projects have shipped: each repaired, and a probe that shows it, whoever wrote the code."""

import math
from collections import OrderedDict
from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.gpt import GPT, GPTConfig
from solutions.wild_article import WildTransformer as WildTransformer
from solutions.wild_rooms import Device as Device
from solutions.wild_rooms import causal_attention as causal_attention
from solutions.wild_rooms import scaled_step as scaled_step
from solutions.wild_rooms import seconds_of as seconds_of
from solutions.wild_rooms import shows_early_clipping as shows_early_clipping
from solutions.wild_rooms import shows_early_stop as shows_early_stop
from solutions.wild_rooms import shows_mistaken_mask as shows_mistaken_mask
from solutions.wild_rooms import shows_one_position as shows_one_position
from solutions.wild_rooms import shows_unlearned_class as shows_unlearned_class
from solutions.wild_rooms import shows_weak_mask as shows_weak_mask
from solutions.wild_rooms import two_task_loss as two_task_loss
from solutions.wild_rooms import weights_under as weights_under
from solutions.wild_rooms import with_positions as with_positions

# Room 1 ----------------------------------------------------------------------------


def init_residuals_(model: GPT) -> None:
    """Draw the matrices of a GPT that write to the tokens anew, the smaller the more blocks there are.

    They are the attention's `out_proj.weight` and the feed-forward network's `linear2.weight` of every block: normal
    around 0 with a standard deviation of 0.02 / √(2 · num_layers). All other parameters stay as they are.

    Args:
        model: a GPT; these of its parameters are changed.

    Source: Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), section 2.3.
    """
    # BEGIN SOLUTION
    smaller = 0.02 / math.sqrt(2 * len(model.layers))
    for name, parameter in model.named_parameters():
        if name.endswith(("out_proj.weight", "linear2.weight")):
            nn.init.normal_(parameter, std=smaller)
    # END SOLUTION


@torch.no_grad()
def shows_unscaled_residuals(implementation: Callable[[GPT], None]) -> bool:
    """Say whether an implementation of `init_residuals_` breaks its promise.

    Args:
        implementation: takes a GPT and changes it; its code is not looked at.

    Returns:
        True where some matrix that writes to the tokens is more than a tenth off its spread, or where a parameter is
        another than before that should stay.
    """
    # 1. GPTs of several depths, each wide enough that chance moves a spread by little
    # 2. their parameters before, and after the implementation has been called
    # 3. what should have its spread, and what should have stayed
    # BEGIN SOLUTION
    for num_layers in (2, 5):
        model = GPT(GPTConfig(7, d_model=48, num_heads=2, num_layers=num_layers, d_ff=64, max_len=4))
        before = {name: parameter.clone() for name, parameter in model.named_parameters()}
        implementation(model)
        wanted = 0.02 / math.sqrt(2 * num_layers)
        for name, parameter in model.named_parameters():
            if name.endswith(("out_proj.weight", "linear2.weight")):
                if abs(parameter.std() / wanted - 1) > 0.1:
                    return True
            elif not torch.equal(parameter, before[name]):
                return True
    return False
    # END SOLUTION


# Room 2 ----------------------------------------------------------------------------


def training_loss(
    model: Callable[[Int[Tensor, "batch seq_len"]], Float[Tensor, "batch seq_len vocab_size"]],
    ids: Int[Tensor, "batch seq_len"],
) -> Float[Tensor, ""]:
    """Ask a model at every place of every row for the token that follows there.

    Args:
        model: ids to logits. It is causal, and may be given rows with or without their last token.
        ids: tokens, two or more in a row. Every id counts, 0 as well.

    Returns:
        The mean cross-entropy of all batch · (seq_len - 1) tokens that have one before them in their row.
    """
    # BEGIN SOLUTION
    inputs, labels = ids[:, :-1], ids[:, 1:]
    logits = model(inputs)
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten())
    # END SOLUTION


@torch.no_grad()
def shows_double_shift(implementation: Callable[[Callable[[Tensor], Tensor], Tensor], Tensor]) -> bool:
    """Say whether an implementation of `training_loss` breaks its promise.

    Args:
        implementation: takes a model and ids, and returns a loss; its code is not looked at.

    Returns:
        True where the loss is another than the mean over all tokens that have one before them in their row.
    """
    # 1. a model of your own: causal, and the logits of a place tell which tokens stand before it
    # 2. the loss that is promised, and the one that comes back
    # BEGIN SOLUTION
    table = 2 * torch.randn(7, 7)

    def model(ids: Tensor) -> Tensor:
        return table[ids].cumsum(1)  # (batch, seq_len, 7)

    ids = torch.randint(7, (4, 6))
    ids[:, 2] = 0
    right = model(ids)[:, :-1].log_softmax(-1).gather(-1, ids[:, 1:, None])
    return bool(abs(implementation(model, ids) + right.mean()) > 1e-3)
    # END SOLUTION


# Room 3 ----------------------------------------------------------------------------


def torch_attention(
    attention: nn.MultiheadAttention,
    x: Float[Tensor, "batch seq_len d_model"],
    may_look: Bool[Tensor, "seq_len seq_len"],
) -> Float[Tensor, "batch seq_len d_model"]:
    """Let tokens read each other through torch's attention, under a mask of ours.

    Args:
        attention: made with batch_first=True; it has no dropout.
        x: tokens.
        may_look: True where a token (row) may look at another (column). Every row has a True, and that need not
            be the token itself.

    Returns:
        What the attention gives where every token reads those alone that it may look at.
    """
    # BEGIN SOLUTION
    read, _ = attention(x, x, x, attn_mask=~may_look, need_weights=False)  # True is *hidden* there
    return read
    # END SOLUTION


@torch.no_grad()
def shows_upside_down_mask(implementation: Callable[[nn.MultiheadAttention, Tensor, Tensor], Tensor]) -> bool:
    """Say whether an implementation of `torch_attention` breaks its promise.

    Args:
        implementation: takes an nn.MultiheadAttention, tokens and a mask; its code is not looked at.

    Returns:
        True where some token reads what it may not look at, or does not read what it may.
    """
    # 1. an attention, tokens, and a mask that is neither symmetric nor causal
    # 2. what comes back, and what should: another way to it, or what changes when one token is another
    # BEGIN SOLUTION
    attention = nn.MultiheadAttention(8, 2, batch_first=True)
    x = torch.randn(3, 6, 8)
    may_look = torch.rand(6, 6) < 0.4
    may_look |= torch.eye(6, dtype=torch.bool).roll(2, dims=1)  # nobody is blind
    may_look[0, 0], may_look[1, 4], may_look[4, 1] = False, True, False
    hidden = torch.zeros(6, 6).masked_fill(~may_look, -math.inf)
    right, _ = attention(x, x, x, attn_mask=hidden)
    return not torch.allclose(implementation(attention, x, may_look), right, atol=1e-4)
    # END SOLUTION


# Room 4 ----------------------------------------------------------------------------


def tied_model(vocab_size: int, d_model: int) -> nn.Module:
    """Make a model that reads and writes tokens with one table.

    Args:
        vocab_size, d_model: the table's sizes.

    Returns:
        A module. `model.embedding` is an nn.Embedding, and `model(ids)` gives the product of every token's row
        with all rows of that same table, (batch, seq_len, vocab_size): now, and after every step of training. The
        table learns from both.

    Source: Press and Wolf, "Using the Output Embedding to Improve Language Models" (2017).
    """
    # BEGIN SOLUTION
    embedding, head = nn.Embedding(vocab_size, d_model), nn.Linear(d_model, vocab_size, bias=False)
    head.weight = embedding.weight
    return nn.Sequential(OrderedDict(embedding=embedding, head=head))
    # END SOLUTION


def shows_copied_table(implementation: Callable[[int, int], nn.Module]) -> bool:
    """Say whether an implementation of `tied_model` breaks its promise.

    Args:
        implementation: takes two sizes and makes a model; its code is not looked at.

    Returns:
        True where the model reads and writes with tables that are not one, in value or in training.
    """
    # 1. a model; write other numbers into `model.embedding.weight` (under `torch.no_grad()`)
    # 2. are the logits those of the new table?
    # 3. does the table's gradient hold both of its uses?
    # BEGIN SOLUTION
    model, ids = implementation(7, 5), torch.randint(7, (3, 4))
    table = model.get_parameter("embedding.weight")
    with torch.no_grad():
        table.normal_()
    own = table.detach().clone().requires_grad_()
    logits, right = model(ids), own[ids] @ own.T
    if not torch.allclose(logits, right, atol=1e-4) or not logits.requires_grad:
        return True
    away = torch.randn_like(right)
    (logits * away).sum().backward()
    (both_uses,) = torch.autograd.grad((right * away).sum(), own)
    return table.grad is None or not torch.allclose(table.grad, both_uses, atol=1e-4)
    # END SOLUTION


# Room 5 ----------------------------------------------------------------------------


def loss_where_asked(
    logits: Float[Tensor, "batch seq_len vocab_size"],
    labels: Int[Tensor, "batch seq_len"],
    asked: Bool[Tensor, "batch seq_len"],
) -> Float[Tensor, ""]:
    """Take the loss of those places alone that are asked.

    Args:
        logits: what a model made of every place.
        labels: the right token of every place; of any id where nothing is asked.
        asked: True where a place counts.

    Returns:
        The mean cross-entropy of all places that are asked, in the whole batch; 0 where none is.
    """
    # BEGIN SOLUTION
    losses = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
    counts = asked.flatten().to(losses.dtype)
    return (losses * counts).sum() / counts.sum().clamp(min=1)
    # END SOLUTION


@torch.no_grad()
def shows_idle_mask(implementation: Callable[[Tensor, Tensor, Tensor], Tensor]) -> bool:
    """Say whether an implementation of `loss_where_asked` breaks its promise.

    Args:
        implementation: takes logits, labels and a mask; its code is not looked at.

    Returns:
        True where the loss is another than the mean over the places that are asked, or not 0 where none is.
    """
    # 1. logits and labels; masks with rows of several lengths, and one that asks for nothing
    # 2. for each the loss that is promised, and the one that comes back
    # BEGIN SOLUTION
    logits, labels = 2 * torch.randn(3, 5, 7), torch.randint(7, (3, 5))
    places = torch.arange(5)
    for lengths in ([1, 3, 5], [4, 0, 2], [0, 0, 0]):
        asked = places < torch.tensor(lengths)[:, None]  # (3, 5)
        losses = -logits.log_softmax(-1).gather(-1, labels[..., None])[..., 0][asked]
        right = losses.mean() if len(losses) else torch.tensor(0.0)
        if not torch.allclose(implementation(logits, labels, asked), right, atol=1e-4):
            return True
    return False
    # END SOLUTION


# Room 6 ----------------------------------------------------------------------------


def hide_tokens(
    ids: Int[Tensor, "batch seq_len"], mask_id: int, vocab_size: int
) -> tuple[Int[Tensor, "batch seq_len"], Int[Tensor, "batch seq_len"]]:
    """Choose 15 % of the tokens to be guessed, and hide most of these.

    Of those that are chosen, 80 % become mask_id, 10 % a token drawn from the whole vocabulary, each for itself, and
    10 % stay. What is not chosen stays. Each share is one of many tokens: chance decides on the single one.

    Args:
        ids: tokens; they are not changed.
        mask_id: the id that hides a token.
        vocab_size: number of ids.

    Returns:
        The tokens to be read, and the labels: the token itself where one is chosen, elsewhere -100.

    Source: Devlin et al., "BERT" (2018), section 3.1.
    """
    # BEGIN SOLUTION
    chance = torch.rand(ids.shape)
    chosen = chance < 0.15
    labels = ids.masked_fill(~chosen, -100)
    inputs = ids.masked_fill(chance < 0.15 * 0.8, mask_id)
    drawn = torch.randint(vocab_size, ids.shape)
    return torch.where((chance >= 0.15 * 0.8) & (chance < 0.15 * 0.9), drawn, inputs), labels
    # END SOLUTION


def shows_nothing_hidden(implementation: Callable[[Tensor, int, int], tuple[Tensor, Tensor]]) -> bool:
    """Say whether an implementation of `hide_tokens` breaks its promise.

    Args:
        implementation: takes ids, the id that hides, and the size of the vocabulary; its code is not looked at.

    Returns:
        True where a share is off by more than chance explains, or something else is not as promised.
    """
    # 1. many ids: of n tokens, a share p is off by about √(p(1 - p)/n)
    # 2. which are chosen (by the labels), and of these: which are masked, which are another token, which stay
    # 3. the labels, and what is not chosen
    # BEGIN SOLUTION
    ids = torch.randint(1, 500, (100, 200))
    before = ids.clone()
    inputs, labels = implementation(ids, 0, 500)
    chosen = labels != -100
    hidden, other = inputs[chosen] == 0, (inputs[chosen] != 0) & (inputs[chosen] != before[chosen])
    if not 0.13 < chosen.float().mean() < 0.17 or not torch.equal(ids, before):
        return True
    if not torch.equal(labels[chosen], before[chosen]) or not torch.equal(inputs[~chosen], before[~chosen]):
        return True
    drawn = inputs[chosen][other]
    shares = 0.76 < hidden.float().mean() < 0.84 and 0.07 < other.float().mean() < 0.13
    return not shares or len(drawn.unique()) < 100 or not drawn.min() < 50 < 450 < drawn.max()
    # END SOLUTION
