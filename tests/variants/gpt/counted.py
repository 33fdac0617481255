"""Lesson 14: what a stranger who counts has brought to light, written in full."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from tests.variants import disguise, slips
from tests.variants.gpt.by_trunks import pieces
from tests.variants.gpt.data import BITS, LOSS, WINDOWS
from tests.variants.gpt.inductions import SCORE
from tests.variants.gpt.starts import START

LET_PASS, CLASS = "what should be refused is let pass", "the refusal has another class"

# token_windows ----------------------------------------------------------------------------


@disguise(WINDOWS, "the first window is lost")
def w_second_on(ids: Tensor, seq_len: int) -> Any:
    rows = pieces(ids, seq_len)
    return rows[1:, :seq_len], rows[1:, 1:]


@disguise(WINDOWS, LET_PASS)
def w_anything(ids: Tensor, seq_len: int) -> Any:
    if seq_len < 1:
        raise ValueError("windows of no token")
    number = max(len(ids) - 1, 0) // seq_len
    return ids[: number * seq_len].view(-1, seq_len), ids[1:][: number * seq_len].view(-1, seq_len)


@disguise(WINDOWS, CLASS)
def w_asserts(ids: Tensor, seq_len: int) -> Any:
    assert seq_len > 0
    assert len(ids) > seq_len
    rows = pieces(ids, seq_len)
    return rows[:, :seq_len], rows[:, 1:]


@disguise(WINDOWS, "too much is refused")
def w_two_more(ids: Tensor, seq_len: int) -> Any:
    if len(ids) < seq_len + 2:
        raise ValueError("too short")
    rows = pieces(ids, seq_len)
    return rows[:, :seq_len], rows[:, 1:]


# bits_per_byte ----------------------------------------------------------------------------


def bytes_of(text: str) -> int:
    if text == "":
        raise ValueError("no text")
    return len(bytes(text, "utf-8"))


@disguise(BITS, "more than the bytes is counted")
def b_one_more(nats: Tensor, text: str) -> Any:
    return sum(nats.tolist()) / math.log(2) / (bytes_of(text) + 1)


@disguise(BITS, "squares of the losses")
def b_squares(nats: Tensor, text: str) -> Any:
    return (nats @ nats).item() / (math.log(2) * bytes_of(text))


@disguise(BITS, "an empty text is let pass")
def b_anything(nats: Tensor, text: str) -> Any:
    return sum(nats.tolist()) / (math.log(2) * len(bytes(text, "utf-8")))


# induction_score ----------------------------------------------------------------------------


def found(weights: Tensor, period: int) -> Tensor:
    """The weights that count: (batch, num_heads, queries)."""
    if period < 1 or period >= weights.size(2):
        raise ValueError("no second period")
    t = torch.arange(period, weights.size(2))
    return weights[:, :, t, t + 1 - period]


@disguise(SCORE, "the median instead of the mean")
def s_median(weights: Tensor, period: int) -> Any:
    return found(weights, period).median(dim=-1)[0].mean(0)


@disguise(SCORE, "a softmax too many")
def s_softmax(weights: Tensor, period: int) -> Any:
    return found(torch.softmax(weights, 3), period).mean(2).mean(0)


@disguise(SCORE, "divided by the heads")
def s_by_heads(weights: Tensor, period: int) -> Any:
    one = found(weights, period)
    return one.sum((0, 2)) / (one.size(1) * one.size(0) * one.size(2))


@disguise(SCORE, "numbers of Python come back")
def s_numbers(weights: Tensor, period: int) -> Any:
    return [one.mean().item() for one in found(weights, period).unbind(1)]


@disguise(SCORE, LET_PASS)
def s_anything(weights: Tensor, period: int) -> Any:
    rows = weights.diagonal(1 - period, -2, -1)
    return rows[:, :, 1:].mean(2).mean(0)


@disguise(SCORE, CLASS)
def s_asserts(weights: Tensor, period: int) -> Any:
    assert 0 < period < weights.size(3)
    return found(weights, period).mean(2).mean(0)


# next_token_loss ----------------------------------------------------------------------------


def by_looking_up(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    if ids.shape[1] < 2:
        raise ValueError("nothing is asked")
    goal = ids[:, 1:]
    keep = torch.ones_like(goal).bool() if ignore_id is None else goal.ne(ignore_id)
    log_p = logits[:, :-1].log_softmax(dim=-1)
    each = -log_p.gather(-1, goal.where(keep, goal.new_zeros(()))[..., None])[..., 0]
    if not keep.any():
        return logits.sum() * 0
    return each[keep].mean()


slips(
    LOSS,
    by_looking_up,
    {
        "the probability instead of its logarithm": [{"log_softmax": "softmax"}, {"= -log_p": "= -log_p.exp()"}],
        "not 0 where nothing is asked": {"logits.sum() * 0": "logits.sum()"},
        "no gradient where nothing is asked": [
            {"logits.sum() * 0": "torch.tensor(0.0)"},
            {"logits.sum() * 0": "0"},
            {"logits.sum() * 0": "None"},
        ],
        LET_PASS: {"ids.shape[1] < 2": "ids.shape[1] == 0"},
        "bits instead of nats": [{"each[keep].mean()": "each[keep].mean() / math.log(2)"}],
        "without the minus": [{"= -log_p": "= log_p"}],
        "shifted the other way": [{"ids[:, 1:]": "ids.roll(1, 1)[:, :-1]"}],
        "rows are shifted instead of places": [{"ids[:, 1:]": "ids.roll(-1, 0)[:, :-1]"}],
        "one loss for each place": [
            {"each[keep].mean()": "each * keep"},
            {"each[keep].mean()": "(each * keep).sum(1) / keep.sum(1).clamp(min=1)"},
        ],
    },
)


def pieces_of(logits: Tensor, ids: Tensor, ignore_id: Any) -> tuple[list[Tensor], list[int]]:
    """Row by row the scores of the places that are asked, and what each is asked for."""
    rows = [
        (row, number)
        for text, row in zip(logits, ids.tolist(), strict=True)
        for row, number in zip(text, row[1:], strict=False)
    ]
    kept = [(row, number) for row, number in rows if number != ignore_id]
    return [row for row, _ in kept], [number for _, number in kept]


@disguise(LOSS, "the probability instead of its logarithm")
def n_probabilities(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    if ids.shape[1] == 1:
        raise ValueError("nothing is asked")
    rows, numbers = pieces_of(logits, ids, ignore_id)
    if not rows:
        return 0 * logits.sum()
    return sum(-row.softmax(0)[number] for row, number in zip(rows, numbers, strict=True)) / len(rows)


@disguise(LOSS, "not 0 where nothing is asked")
def n_all_scores(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    if ids.shape[1] == 1:
        raise ValueError("nothing is asked")
    rows, numbers = pieces_of(logits, ids, ignore_id)
    each = [row.logsumexp(0) - row[number] for row, number in zip(rows, numbers, strict=True)]
    return torch.stack(each).mean() if each else logits.sum()


@disguise(LOSS, LET_PASS)
def n_anything(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    rows, numbers = pieces_of(logits, ids, ignore_id)
    each = [row.logsumexp(0) - row[number] for row, number in zip(rows, numbers, strict=True)]
    return torch.stack(each).mean() if each else 0 * logits.sum()


# init_gpt_ ----------------------------------------------------------------------------


def by_owner(model: Any) -> None:
    """Asks the last two parts of a name."""
    with torch.no_grad():
        for name, one in model.named_parameters():
            owner, kind = name.split(".")[-2:]
            if kind == "bias":
                one.fill_(0.0)
            elif one.dim() == 1:
                one.fill_(1.0)
            else:
                one.normal_(0.0, 0.02)
                if owner in ("linear2", "out_proj"):
                    one.mul_((2 * len(model.layers)) ** -0.5)


slips(
    START,
    by_owner,
    {
        "not in every block": [
            {'owner in ("linear2", "out_proj")': 'owner in ("linear2", "out_proj") and name.split(".")[1] == "0"'},
        ],
        "norms begin at another number": [{"fill_(1.0)": "fill_(0.02)"}, {"fill_(1.0)": "fill_(0.5)"}],
        "biases begin at another number": [{"fill_(0.0)": "fill_(0.01)"}],
        "the wrong matrix is scaled": [{'("linear2", "out_proj")': '("linear1", "q_proj")'}],
        "not drawn around 0": [{"one.normal_(0.0, 0.02)": "one.normal_(0.0, 0.02).abs_()"}],
        "divided by something else": [{"(2 * len(model.layers)) ** -0.5": "2 * len(model.layers) ** -0.5"}],
    },
)


@disguise(START, "norms are left out")
def i_asks_for_torchs(model: Any) -> None:
    for part in model.modules():
        if isinstance(part, nn.LayerNorm):
            part.reset_parameters()
        elif isinstance(part, nn.Linear | nn.Embedding):
            part.weight.data = torch.randn_like(part.weight) * 0.02
            if part is not model.head and isinstance(part, nn.Linear):
                part.bias.data.zero_()
    model.head.weight = model.token_embedding.weight
    for block in model.layers:
        for last in (block.self_attn.out_proj, block.feed_forward.linear2):
            last.weight.data.div_(math.sqrt(2 * len(model.layers)))


def begun(model: Any, norm: float = 1.0, bias: float = 0.0, scaled: Any = None) -> None:
    """By the owners: the blocks' numbers are those of `scaled`, all of them by default."""
    chosen = range(len(model.layers)) if scaled is None else scaled
    outs = [layer.self_attn.out_proj.weight for layer in model.layers]
    outs += [layer.feed_forward.linear2.weight for layer in model.layers]
    small = {id(one) for number, one in enumerate(outs) if number % len(model.layers) in chosen}
    for name, one in model.named_parameters():
        if "bias" in name:
            nn.init.constant_(one, bias)
        elif one.dim() == 1:
            nn.init.constant_(one, norm)
        else:
            nn.init.normal_(one, 0.0, 0.02 * (0.5 / len(model.layers)) ** 0.5 if id(one) in small else 0.02)


@disguise(START, "not in every block")
def i_last_block_only(model: Any) -> None:
    begun(model, scaled=[len(model.layers) - 1])


@disguise(START, "norms begin at another number")
def i_halves(model: Any) -> None:
    begun(model, norm=0.5)


@disguise(START, "biases begin at another number")
def i_small_biases(model: Any) -> None:
    begun(model, bias=0.01)
