"""Lesson 14: programs of somebody who had the student's page alone, and slips in them."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from autograder.stand_ins import decoding
from autograder.stand_ins.gpt import our_name
from tests.variants import disguise, slips
from tests.variants.gpt import models
from tests.variants.gpt.blocks import Given
from tests.variants.gpt.loadings import with_a_table
from tests.variants.gpt.writing import Steps

# token_windows ----------------------------------------------------------------------------


def by_places(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    if seq_len < 1 or len(ids) <= seq_len:
        raise ValueError("too short")
    rows = (len(ids) - 1) // seq_len
    at = torch.arange(rows * seq_len).view(rows, seq_len)
    return ids[at], ids[at + 1]


slips(
    "token_windows",
    by_places,
    {
        "targets two tokens further": {"ids[at + 1]": "ids[at + 2]", "(len(ids) - 1)": "(len(ids) - 2)"},
        "the end wraps round to the start": {"ids[at + 1]": "ids[(at + 1) % at.numel()]"},
    },
)

# init_gpt_ ----------------------------------------------------------------------------


def by_kind(model: Any) -> None:
    spread = 0.02 * (2 * len(model.layers)) ** -0.5
    for name, one in model.named_parameters():
        if one.dim() == 1:
            one.data.fill_(float(name.endswith("weight")))
        else:
            wide = spread if name.endswith(("out_proj.weight", "linear2.weight")) else 0.02
            one.data.copy_(wide * torch.randn(one.shape))


slips(
    "init_gpt_",
    by_kind,
    {
        "the same numbers again": [
            {"    spread =": "    torch.manual_seed(7)\n    spread ="},
            {"torch.randn(one.shape)": "torch.randn(one.shape, generator=torch.Generator().manual_seed(7))"},
        ],
        "biases are drawn": {
            'one.data.fill_(float(name.endswith("weight")))': "drawn = 0.02 * torch.randn(one.shape)\n"
            "            one.data.copy_(drawn if name.endswith('bias') else torch.ones(one.shape))"
        },
    },
)

# next_token_loss ----------------------------------------------------------------------------


def by_logsumexp(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    if ids.size(1) < 2:
        raise ValueError("nothing is asked")
    asked, scores = ids[:, 1:], logits[:, :-1]
    keep = torch.ones_like(asked, dtype=torch.bool)
    if ignore_id is not None:
        keep = asked != ignore_id
    known = asked.clamp(0, logits.size(-1) - 1).unsqueeze(-1)
    losses = scores.logsumexp(-1) - scores.gather(-1, known).squeeze(-1)
    return losses[keep].sum() / keep.sum().clamp(min=1)


SHIFTED = "asked, scores = ids[:, 1:], logits[:, :-1]"
FLAT = "asked, scores = ids.roll(-1, 1).flatten()[1:], logits.flatten(0, 1)[:-1]"

slips(
    "next_token_loss",
    by_logsumexp,
    {
        "what follows an ignored token is not asked": [
            {"keep = asked != ignore_id": "keep = (asked != ignore_id) & (ids[:, :-1] != ignore_id)"},
            {"keep = asked != ignore_id": "keep = (asked == ignore_id).cummax(1).values.logical_not()"},
        ],
        "0 taken for nothing to ignore": {"if ignore_id is not None:": "if ignore_id:"},
        "as the article has it": [
            {SHIFTED: FLAT},
            {SHIFTED: FLAT, "keep.sum().clamp(min=1)": "ids.numel()"},
            {SHIFTED: "asked, scores = ids.roll(-1, 1), logits", "keep.sum().clamp(min=1)": "ids.numel()"},
        ],
        "not shifted": {SHIFTED: "asked, scores = ids[:, 1:], logits[:, 1:]"},
    },
)

# GPT ----------------------------------------------------------------------------


@disguise("GPT", "the norm after every block")
class NormedOften(models.Given):
    def run(self, x: Tensor) -> Any:
        kept = []
        for layer in self.layers:
            x, weights = layer(x)
            x, kept = self.norm(x), [*kept, weights]
        return x, kept


# GPTBlock ----------------------------------------------------------------------------


@disguise("GPTBlock", "the mean of the heads' weights")
class OneMap(Given):
    def forward(self, x: Tensor) -> Any:
        out, weights = super().forward(x)
        return out, weights.sum(1) / weights.size(1)


def attending(queries: bool, values: bool) -> type:
    """A block of which some tokens come to attention as they are."""

    class Own(Given):
        def forward(self, x: Tensor) -> Any:
            h, mask = self.norm1(x), torch.ones(x.size(1), x.size(1)).tril().bool()
            found, weights = self.self_attn(x if queries else h, h, x if values else h, mask)
            x = x + self.dropout(found)
            return x + self.dropout(self.feed_forward(self.norm2(x))), weights

    return Own


disguise("GPTBlock", "values or queries are not normalized")(attending(True, False))
disguise("GPTBlock", "values or queries are not normalized")(attending(False, True))

# generate ----------------------------------------------------------------------------


def in_a_frame(
    model: Any,
    ids: Tensor,
    max_new_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: Any = None,
) -> Tensor:
    if not ids.size(1) or max_new_tokens < 0:
        raise ValueError("nothing to go on with")
    mode, given = model.training, ids.size(1)
    model.train(False)
    out = F.pad(ids, (0, max_new_tokens))
    for end in range(given, given + max_new_tokens):
        with torch.no_grad():
            scores = model(out[:, max(0, end - model.config.max_len) : end])
        out[:, end] = decoding.sample_next(scores[:, -1], temperature, top_k, top_p, generator)
    model.train(mode)
    return out


slips(
    "generate",
    in_a_frame,
    {
        "the temperature counts twice": {"scores[:, -1], temperature": "scores[:, -1] / temperature, temperature"},
        "every draw begins anew": [
            {"    for end": "    torch.manual_seed(1)\n    for end"},
            {"top_p, generator)": "top_p, generator and generator.manual_seed(generator.initial_seed()))"},
        ],
        "top_k and top_p exchanged": {"top_k, top_p, generator)": "top_p, top_k, generator)"},
        "one draw for all texts": {"top_p, generator)": "top_p, generator)[0]"},
        "the prompt is lost": {"return out": "return out[:, -1:]"},
        "written in train mode": {"model.train(False)": "model.train(True)"},
    },
)

# load_gpt2 ----------------------------------------------------------------------------


def entry_by_entry(model: Any, state_dict: Any) -> None:
    config = model.config
    if (config.positions, config.activation) != ("learned", "gelu_tanh"):
        raise ValueError("no GPT-2")
    found = {}
    for theirs, value in state_dict.items():
        if theirs.split(".attn.")[-1] in ("bias", "masked_bias") or theirs == "lm_head.weight":
            continue
        ours = our_name(theirs)
        if value.dim() == 2 and "embedding" not in ours:
            value = torch.t(value)
        if "c_attn" in ours:
            for which, part in zip("qkv", value.split(len(value) // 3), strict=True):
                found[ours.replace("c_attn", f"{which}_proj")] = part
        else:
            found[ours] = value
    if "token_embedding.weight" in found:
        found["head.weight"] = found["token_embedding.weight"]
    model.load_state_dict(found)


COPIED = "\n    model.head.weight = torch.nn.Parameter(model.head.weight.data.clone())"

slips(
    "load_gpt2",
    entry_by_entry,
    {
        "reshaped instead of transposed": {"torch.t(value)": "value.reshape(tuple(reversed(value.shape)))"},
        "the head is a copy": {"model.load_state_dict(found)": "model.load_state_dict(found)" + COPIED},
        "the head's numbers in the token table": {'= found["token_embedding.weight"]': "= model.head.weight.data + 0"},
    },
)


# Written in full ----------------------------------------------------------------------------


@disguise("init_gpt_", "the same numbers again")
def with_a_seed_of_its_own(model: Any) -> None:
    torch.default_generator.manual_seed(42)
    by_kind(model)


@disguise("next_token_loss", "what follows an ignored token is not asked")
def neither_read_nor_asked(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    if ids.size(1) < 2:
        raise ValueError("nothing is asked")
    marked = torch.zeros_like(ids, dtype=torch.bool) if ignore_id is None else ids == ignore_id
    asked = ids.masked_fill(marked, -100)[:, 1:].masked_fill(marked[:, :-1], -100)
    total = F.cross_entropy(logits[:, :-1].transpose(1, 2), asked, reduction="sum")
    return total / max(1, int((asked != -100).sum()))


@disguise("next_token_loss", "0 taken for nothing to ignore")
def falsy_id(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return by_logsumexp(logits, ids, ignore_id or None)


@disguise("next_token_loss", "as the article has it")
def the_article(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    if ids.size(1) < 2:
        raise ValueError("nothing is asked")
    moved = torch.cat([ids[:, 1:], ids[:, :1]], dim=1).flatten()[1:]
    losses = F.cross_entropy(logits.flatten(0, 1)[:-1], moved.clamp(0, logits.size(-1) - 1), reduction="none")
    return (losses * (moved != ignore_id)).sum() / len(losses.new_empty(ids.shape).flatten())


class Twice(Steps):
    def settings(self) -> dict[str, Any]:
        return self.asked

    def score(self, model: Any, context: Tensor) -> Tensor:
        return super().score(model, context) / self.asked["temperature"]


class Anew(Steps):
    def settings(self) -> dict[str, Any]:
        given = self.asked["generator"]
        return self.asked | {"generator": given and torch.Generator().manual_seed(given.initial_seed())}


class Exchanged(Steps):
    def settings(self) -> dict[str, Any]:
        return self.asked | {"top_k": self.asked["top_p"], "top_p": self.asked["top_k"]}


class ForAll(Steps):
    def choose(self, logits: Tensor) -> Tensor:
        return super().choose(logits)[0].repeat(len(logits))


for made, mistake in (
    (Twice, "the temperature counts twice"),
    (Anew, "every draw begins anew"),
    (Exchanged, "top_k and top_p exchanged"),
    (ForAll, "one draw for all texts"),
):
    disguise("generate", mistake)(made())


@disguise("load_gpt2", "reshaped instead of transposed")
def read_row_by_row(model: Any, state_dict: Any) -> None:
    turned = {
        name: value.reshape(value.size(1), value.size(0)).T if ".c_" in name and value.dim() == 2 else value
        for name, value in state_dict.items()
    }
    with_a_table(model, turned)


@disguise("load_gpt2", "the head's numbers in the token table")
def head_kept(model: Any, state_dict: Any) -> None:
    before = model.head.weight.detach().clone()
    with_a_table(model, state_dict)
    with torch.no_grad():
        model.head.weight.copy_(before)


@disguise("load_gpt2", "the head is a copy")
def cut_off(model: Any, state_dict: Any) -> None:
    with_a_table(model, state_dict)
    model.head.weight = torch.nn.Parameter(model.token_embedding.weight.data + 0)
