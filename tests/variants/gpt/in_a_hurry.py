"""Lesson 14: what somebody in a hurry wrote, who had the student's page alone."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.decoding import sample_next
from autograder.stand_ins.gpt import GPTBlock, our_name
from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import disguise, unlisted
from tests.variants.gpt.data import by_gathering, enough, two
from tests.variants.gpt.loadings import fits
from tests.variants.gpt.models import Given
from tests.variants.gpt.writing import refuse

WINDOWS, START, LOSS, BITS = "token_windows", "init_gpt_", "next_token_loss", "bits_per_byte"
MODEL, WRITE, HEADS, LOAD = "GPT", "generate", "induction_score", "load_gpt2"

# token_windows ----------------------------------------------------------------------------


@disguise(WINDOWS, "targets a whole window further")
def next_window(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = torch.stack([ids[at : at + seq_len] for at in range(0, len(ids) - seq_len, seq_len)])
    return rows[0:-1], rows[1:]


@disguise(WINDOWS, "the last row is filled up")
def full_rows(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = math.ceil((len(ids) - 1) / seq_len)
    long = F.pad(ids, (0, rows * seq_len + 1 - len(ids)))
    return long[:-1].view(rows, seq_len), long[1:].view(rows, seq_len)


@unlisted(WINDOWS)
def halves(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = len(ids) / seq_len
    return ids[: rows * seq_len], ids[1 : rows * seq_len]  # type: ignore[misc]


# next_token_loss ----------------------------------------------------------------------------


def asked(ids: Tensor, ignore_id: int | None) -> Tensor:
    return ids[:, 1:] if ignore_id is None else ids[:, 1:].masked_fill(ids[:, 1:] == ignore_id, -100)


def summed(logits: Tensor, ids: Tensor, ignore_id: int | None) -> Tensor:
    two(ids)
    return F.cross_entropy(logits[:, :-1].mT, asked(ids, ignore_id), reduction="sum")


@disguise(LOSS, "divided by all tokens")
def by_all_tokens(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return summed(logits, ids, ignore_id) / torch.ones_like(ids).sum()


@disguise(LOSS, "divided by the number of rows")
def by_rows(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return summed(logits, ids, ignore_id) / ids.shape[0]


@disguise(LOSS, "one loss for each place")
def not_averaged(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    rows, columns = torch.ones_like(ids[:, 1:]).nonzero().T
    if ignore_id is not None:
        rows, columns = (ids[:, 1:] != ignore_id).nonzero().T
    scores = logits[rows, columns]
    if not len(rows):
        return scores.sum()
    return scores.logsumexp(-1) - scores.gather(-1, ids[rows, columns + 1, None])[:, 0]


@disguise(LOSS, "only the ignored are asked")
def only_padding(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    if ignore_id is None:
        return by_gathering(logits, ids)
    two(ids)
    scores = logits[:, :-1][ids[:, 1:] == ignore_id]
    target = ids[:, 1:][ids[:, 1:] == ignore_id]
    return F.cross_entropy(scores, target) if len(target) else 0 * logits.sum()


@disguise(LOSS, "ignored tokens are taken out before the shift")
def closed_gaps(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    if ignore_id is None:
        return by_gathering(logits, ids)
    two(ids)
    left = ids != ignore_id
    scores, found = logits[left][:-1], ids[left][1:]
    return F.cross_entropy(scores, found) if len(found) else 0 * logits.sum()


@disguise(LOSS, "no softmax at all")
def scores_as_they_are(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    target = asked(ids, ignore_id)
    counted = target != -100
    picked = logits[:, :-1].gather(-1, target.clamp(min=0)[..., None])[..., 0]
    return -(picked * counted).sum() / counted.sum().clamp(min=1)


@unlisted(LOSS)
def none_to_torch(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return F.cross_entropy(logits[:, :-1].transpose(1, 2), ids[:, 1:], ignore_index=ignore_id)  # type: ignore[arg-type]


@unlisted(LOSS)
def plain_zero(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    return by_gathering(logits, ids, ignore_id) if (ids[:, 1:] != ignore_id).any() else 0.0


@unlisted(LOSS)
def new_zero(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    return by_gathering(logits, ids, ignore_id) if (ids[:, 1:] != ignore_id).any() else torch.tensor(0.0)


# bits_per_byte ----------------------------------------------------------------------------


@disguise(BITS, "the logarithm of a loss")
def logged(nats: Tensor, text: str) -> float:
    if text == "":
        raise ValueError("nothing")
    return sum(math.log(one, 2) for one in nats.tolist()) / len(text.encode())


# GPT ----------------------------------------------------------------------------


@disguise(MODEL, "two parameters share the table's numbers")
class TwoNames(Given):
    def make(self) -> None:
        super().make()
        self.head.weight = nn.Parameter(self.token_embedding.weight.data)


@disguise(MODEL, "another sum around every block")
class SumsAgain(Given):
    def run(self, x: Tensor) -> Any:
        kept = []
        for layer in self.layers:
            made = layer(x)
            kept.append(made[1])
            x = made[0] + x
        return x, kept


@disguise(MODEL, "the last place is not scored")
class OneShort(Given):
    def score(self, x: Tensor) -> Tensor:
        return self.head(self.norm(x[:, : x.size(1) - 1]))


@disguise(MODEL, "the weights are no list of blocks")
class Extends(Given):
    def run(self, x: Tensor) -> Any:
        kept: list[Tensor] = []
        for layer in self.layers:
            x, weights = layer(x)
            kept.extend(weights)
        return x, kept


@disguise(MODEL, "the weights are no list of blocks")
class Stacks(Given):
    def run(self, x: Tensor) -> Any:
        x, kept = super().run(x)
        return x, torch.stack(kept, dim=0)


@disguise(MODEL, "old weights are still in the list")
class Collects(Given):
    def make(self) -> None:
        super().make()
        self.seen: list[Tensor] = []

    def run(self, x: Tensor) -> Any:
        for layer in self.layers:
            x, weights = layer(x)
            self.seen.append(weights)
        return x, self.seen


@unlisted(MODEL)
class NoNorm(Given):
    def make(self) -> None:
        self.layers = nn.ModuleList(GPTBlock(self.config) for _ in range(self.config.num_layers + 1))
        self.norm = LayerNorm(self.config.d_model)
        self.head = nn.Linear(self.config.d_model, self.config.vocab_size, bias=False)
        self.head.weight = self.token_embedding.weight


# init_gpt_ ----------------------------------------------------------------------------


def begin(
    model: Any, spread: float = 0.02, small: float | None = None, adds: tuple[str, ...] = ("out_proj", "linear2")
) -> None:
    """All as it should be, but for what is asked."""
    small = spread / math.sqrt(2 * len(model.layers)) if small is None else small
    for path, part in model.named_modules():
        if hasattr(part, "weight") and part.weight.dim() == 2:
            part.weight.data.normal_(std=small if path.endswith(adds) else spread)
        elif hasattr(part, "weight"):
            part.weight.data.fill_(1.0)
        if getattr(part, "bias", None) is not None:
            part.bias.data.zero_()


@disguise(START, "matrices are left as they were")
def only_named(model: Any) -> None:
    for name, one in model.named_parameters():
        if one.dim() == 1:
            one.data.fill_(0.0 if "bias" in name else 1.0)
        else:
            one = torch.randn(one.shape) * 0.02


@disguise(START, "matrices are left as they were")
def writers_thrown_away(model: Any) -> None:
    before = {name: one.detach().clone() for name, one in model.named_parameters()}
    begin(model)
    for name, one in model.named_parameters():
        if "out_proj.w" in name or "linear2.w" in name:
            one.data.copy_(before[name])


@disguise(START, "a spread of 1")
def mean_of_a_fiftieth(model: Any) -> None:
    begin(model)
    small = 0.02 / math.sqrt(2 * len(model.layers))
    for name, one in model.named_parameters():
        if one.dim() > 1:
            torch.nn.init.normal_(one.data, small if name.endswith(("out_proj.weight", "linear2.weight")) else 0.02)


@disguise(START, "only matrices are drawn")
def applied(model: Any) -> None:
    def start(part: nn.Module) -> None:
        if isinstance(part, nn.Linear | nn.Embedding):
            nn.init.normal_(part.weight.data, std=0.02)

    model.apply(start)


@disguise(START, "biases of the norms begin at 1")
def norms_first(model: Any) -> None:
    begin(model)
    for name, one in model.named_parameters():
        if "norm" in name:
            one.data.fill_(1)


@disguise(START, "biases begin at 1")
def ones(model: Any) -> None:
    begin(model)
    for one in model.parameters():
        if one.dim() == 1:
            one.data.fill_(1)


@disguise(START, "a norm is missed")
def last_norm_drawn(model: Any) -> None:
    begin(model)
    model.norm.weight.data.normal_(0, 0.02)


@disguise(START, "a standard deviation of 0.02²")
def squared(model: Any) -> None:
    begin(model, 0.0004)


@disguise(START, "multiplied by the root")
def larger(model: Any) -> None:
    begin(model, small=0.02 * math.sqrt(2 * len(model.layers)))


@disguise(START, "both matrices of the feed-forward network are scaled")
def both_linear(model: Any) -> None:
    begin(model, adds=("out_proj", "linear1", "linear2"))


@disguise(START, "the head gets a parameter of its own")
def head_anew(model: Any) -> None:
    begin(model)
    model.head.weight = nn.Parameter(0.02 * torch.randn(model.head.weight.shape))


# generate ----------------------------------------------------------------------------


def written(model: Any, ids: Tensor, number: int, pick: Any) -> Tensor:
    refuse(ids, number)
    mode, _ = model.training, model.eval()
    with torch.no_grad():
        for _step in range(number):
            ids = torch.cat((ids, pick(model(ids[:, -model.config.max_len :]))[:, None]), dim=-1)
    model.train(mode)
    return ids


@disguise(WRITE, "nothing is written")
def not_kept(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    written(model, ids, max_new_tokens, lambda scores: sample_next(scores[:, -1], *given, **named))
    return ids


@disguise(WRITE, "probabilities for scores")
def twice_softmax(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return written(
        model, ids, max_new_tokens, lambda scores: sample_next(F.softmax(scores, -1)[:, -1], *given, **named)
    )


def one_by_one(model: Any, ids: Tensor, number: int, read: Any, append: Any) -> Tensor:
    refuse(ids, number)
    with torch.no_grad():
        for _step in range(number):
            ids = append(ids, sample_next(read(model, ids)))
    return ids


def column(ids: Tensor, new: Tensor) -> Tensor:
    return torch.cat([ids, new[:, None]], dim=1)


@unlisted(WRITE)
def as_a_row(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return one_by_one(
        model, ids, max_new_tokens, lambda m, x: m(x[:, -5:])[:, -1], lambda x, new: torch.cat([x, new[None]], dim=1)
    )


@unlisted(WRITE)
def flat(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return one_by_one(
        model, ids, max_new_tokens, lambda m, x: m(x[:, -5:])[:, -1], lambda x, new: torch.cat([x, new], 1)
    )


@unlisted(WRITE)
def every_place(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return one_by_one(model, ids, max_new_tokens, lambda m, x: m(x[:, -5:]), column)


@unlisted(WRITE)
def from_the_model(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return one_by_one(model, ids, max_new_tokens, lambda m, x: m(x[:, -m.max_len :])[:, -1], column)


@unlisted(WRITE)
def with_the_weights(model: Any, ids: Tensor, max_new_tokens: int, *given: Any, **named: Any) -> Tensor:
    return one_by_one(model, ids, max_new_tokens, lambda m, x: m(x[:, -5:], True)[:, -1], column)


# induction_score ----------------------------------------------------------------------------


def second_period(weights: Tensor, period: int, back: int) -> Tensor:
    if not 0 < period < weights.size(-1):
        raise ValueError("no second period")
    t = torch.arange(period, weights.size(-1))
    return weights[:, :, t, t - back]


@disguise(HEADS, "the token before it")
def what_came_before(weights: Tensor, period: int) -> Tensor:
    return second_period(weights, period, period + 1).mean(-1).mean(0)


@disguise(HEADS, "a head that looks one place back")
def one_back(weights: Tensor, period: int) -> Tensor:
    return second_period(weights, period, 1).mean(-1).mean(0)


@disguise(HEADS, "a query is left out")
def late(weights: Tensor, period: int) -> Tensor:
    return second_period(weights, period, period - 1)[..., 1:].mean(-1).mean(0)


@disguise(HEADS, "divided by one query too many")
def too_many(weights: Tensor, period: int) -> Tensor:
    return second_period(weights, period, period - 1).sum(-1).mean(0) / (weights.size(-1) - period + 1)


@disguise(HEADS, "all earlier periods count")
def every_earlier(weights: Tensor, period: int) -> Tensor:
    second_period(weights, period, 0)
    queries = []
    for t in range(period, weights.size(-1)):
        keys = [k for k in range(t) if (t - k) % period == period - 1] if period > 1 else list(range(t + 1))
        queries.append(weights[:, :, t, keys].sum(-1))
    return torch.stack(queries).mean((0, 1))


@disguise(HEADS, "a block instead of a diagonal")
def every_pair(weights: Tensor, period: int) -> Tensor:
    second_period(weights, period, 0)
    t = torch.arange(period, weights.size(-1))
    return weights[:, :, t][..., t - period + 1].flatten(2).mean(2).mean(0)


@disguise(HEADS, "one number for each text and head")
def text_by_text(weights: Tensor, period: int) -> Tensor:
    return second_period(weights, period, period - 1).mean(dim=-1)


# load_gpt2 ----------------------------------------------------------------------------


def gathered(state_dict: Any, size: int) -> dict[str, Tensor]:
    """Their entries under our names."""
    found = {}
    for name, one in state_dict.items():
        if name.split(".attn.")[-1] in ("bias", "masked_bias") or name.startswith("lm_head"):
            continue
        one = one.mT if one.dim() == 2 and "c_" in name else one
        parts = {"": one} if "c_attn" not in name else dict(zip("qkv", one.split(size), strict=True))
        for letter, part in parts.items():
            found[our_name(name).replace("c_attn", f"{letter}_proj")] = part
    return found | {"head.weight": found["token_embedding.weight"]}


@disguise(LOAD, "the model is not looked at")
def unasked(model: Any, state_dict: Any) -> None:
    model.load_state_dict(gathered(state_dict, model.config.d_model))


@disguise(LOAD, "the positions are not looked at")
def activation_alone(model: Any, state_dict: Any) -> None:
    if model.config.activation == "gelu":
        raise ValueError("exact")
    unasked(model, state_dict)


@disguise(LOAD, "the checkpoint loses entries")
def taken_out(model: Any, state_dict: Any) -> None:
    fits(model)
    if "lm_head.weight" in state_dict:
        del state_dict["lm_head.weight"]
    model.load_state_dict(gathered(state_dict, model.config.d_model))


@disguise(LOAD, "the entries are not loaded")
def in_vain(model: Any, state_dict: Any) -> None:
    fits(model)
    if gathered(state_dict, model.config.d_model).keys() != model.state_dict().keys():
        return


@disguise(LOAD, "the model takes the checkpoint's tensors")
def put_in(model: Any, state_dict: Any) -> None:
    fits(model)
    entries = gathered(state_dict, model.config.d_model)
    if {name: one.shape for name, one in entries.items()} != {k: v.shape for k, v in model.state_dict().items()}:
        raise RuntimeError("does not fit")
    for name, one in entries.items():
        inside, _, last = name.rpartition(".")
        setattr(model.get_submodule(inside), last, nn.Parameter(one))


@disguise(LOAD, "head.weight is left out")
def without_a_head(model: Any, state_dict: Any) -> None:
    fits(model)
    entries = gathered(state_dict, model.config.d_model)
    model.load_state_dict({name: one for name, one in entries.items() if "head" not in name})


@disguise(LOAD, "tables are transposed too")
def tables_turned(model: Any, state_dict: Any) -> None:
    fits(model)
    entries = gathered(state_dict, model.config.d_model)
    model.load_state_dict({name: one.T if "embedding" in name else one for name, one in entries.items()})


@disguise(LOAD, "a matrix is not transposed")
def square_only(model: Any, state_dict: Any) -> None:
    fits(model)
    entries = gathered(state_dict, model.config.d_model)
    model.load_state_dict({name: one.T if "linear1.w" in name else one for name, one in entries.items()})


@unlisted(LOAD)
def not_turned(model: Any, state_dict: Any) -> None:
    fits(model)
    model.load_state_dict({our_name(name): one for name, one in state_dict.items()})
