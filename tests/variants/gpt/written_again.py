"""Lesson 14: windows, losses, bits and first numbers, written by somebody else, with likely slips."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import correct, disguise, slips, unlisted
from tests.variants.gpt.data import enough, two

WINDOWS, BITS, START, LOSS = "token_windows", "bits_per_byte", "init_gpt_", "next_token_loss"

# token_windows ----------------------------------------------------------------------------


def while_there_is_more(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    xs, ys = [], []
    start = 0
    while start + seq_len + 1 <= len(ids):
        xs.append(ids[start : start + seq_len])
        ys.append(ids[start + 1 : start + seq_len + 1])
        start += seq_len
    return torch.stack(xs), torch.stack(ys)


BOTH_STACKED = "return torch.stack(xs), torch.stack(ys)"

slips(
    WINDOWS,
    while_there_is_more,
    {
        "windows overlap": [
            {"start += seq_len": "start += max(1, seq_len // 2)"},
            {"start += seq_len": "start += 1"},
        ],
        "the first token is left out": {"start = 0": "start = 1"},
        "targets at the window's border are lost": {"start += seq_len": "start += seq_len + 1"},
        "the last window is lost": {"seq_len + 1 <= len(ids)": "seq_len + 1 < len(ids)"},
        "the last row is short": {
            BOTH_STACKED: (
                "if len(ids) - 1 > start:\n        xs.append(ids[start:-1])\n        ys.append(ids[start + 1 :])\n"
                "    return xs, ys"
            )
        },
        "lists of windows": {BOTH_STACKED: "return xs, ys"},
        "not cut into windows": {BOTH_STACKED: "return torch.cat(xs), torch.cat(ys)"},
        "one tensor for both": {BOTH_STACKED: "return torch.stack([torch.stack(two) for two in zip(xs, ys)])"},
        "the targets are the inputs + windows overlap": {
            "ids[start + 1 : start + seq_len + 1]": "ids[start : start + seq_len]",
            "start += seq_len": "start += 1",
        },
        "targets two tokens further + windows overlap": {
            "ids[start + 1 : start + seq_len + 1]": "ids[start + 2 : start + seq_len + 2]",
            "start + seq_len + 1 <= len": "start + seq_len + 2 <= len",
            "start += seq_len": "start += 1",
        },
    },
)


def of_views(data: Tensor, block_size: int) -> Any:
    enough(data, block_size)
    n = (data.numel() - 1) // block_size
    x = data[:-1][: n * block_size].view(n, block_size)
    y = data[1:][: n * block_size].view(n, block_size)
    return x, y


slips(
    WINDOWS,
    of_views,
    {
        "targets two tokens further": {"data[1:][: n * block_size]": "data.roll(-2)[: n * block_size]"},
        "the first token is left out": {
            "data[:-1][:": "data[1:-1][:",
            "data[1:][:": "data[2:][:",
            "(data.numel() - 1)": "(data.numel() - 2)",
        },
        "the last window is lost": [
            {"(data.numel() - 1) // block_size": "data.numel() // block_size - 1"},
            {"(data.numel() - 1) // block_size": "data.numel() // (block_size + 1)"},
        ],
        "windows one token short": {"return x, y": "return x[:, :-1], x[:, 1:]"},
        "one tensor for both": {"return x, y": "return x"},
    },
)


def by_a_grid(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = list(range(0, len(ids) - seq_len, seq_len))
    grid = torch.tensor(rows)[:, None] + torch.arange(seq_len)[None, :]
    return ids[grid], ids[grid + 1]


slips(
    WINDOWS,
    by_a_grid,
    {
        "the end wraps round to the start": [
            {
                "len(ids) - seq_len, seq_len": "len(ids), seq_len",
                "return ids[grid], ids[grid + 1]": "return ids[grid % len(ids)], ids[(grid + 1) % len(ids)]",
            },
            {"len(ids) - seq_len,": "len(ids) - seq_len + 1,", "ids[grid + 1]": "ids[(grid + 1) % len(ids)]"},
        ],
        "targets two tokens further": {"ids[grid + 1]": "ids[(grid + 2).clamp(max=len(ids) - 1)]"},
        "targets one token before": {"ids[grid + 1]": "ids[grid - 1]"},
        "the first token is left out": {"range(0,": "range(1,"},
    },
)


@disguise(WINDOWS, "the first token is left out")
def from_the_second(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    both = ids[1:].unfold(0, seq_len + 1, seq_len)
    return both[:, :seq_len], both[:, 1:]


@disguise(WINDOWS, "the last row is short")
def ragged(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    starts = range(0, ids.numel() - 1, seq_len)
    return [ids[one : min(one + seq_len, len(ids) - 1)] for one in starts], [
        ids[one + 1 : one + seq_len + 1] for one in starts
    ]


@disguise(WINDOWS, "windows one token short")
def within_the_row(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = torch.stack(ids[: len(ids) // seq_len * seq_len].split(seq_len))
    return rows[:, : seq_len - 1], rows[:, 1:seq_len]


@disguise(WINDOWS, "not cut into windows")
def one_long_row(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    end = len(ids) - 1 - (len(ids) - 1) % seq_len
    return ids[:end], ids[1:][:end]


@disguise(WINDOWS, "lists of windows")
def in_two_lists(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    both = ids.unfold(0, seq_len + 1, seq_len)
    return [row[:-1] for row in both], [row[1:] for row in both]


@disguise(WINDOWS, "lists of windows")
def in_couples(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    return [(row[:-1], row[1:]) for row in ids.unfold(0, seq_len + 1, seq_len)]


@disguise(WINDOWS, "one tensor for both")
def both_in_one(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    return ids.unfold(0, seq_len + 1, seq_len)


# bits_per_byte ----------------------------------------------------------------------------


def bits_of(nats: Tensor, text: str) -> float:
    if not text:
        raise ValueError("no text")
    return math.fsum(nats.tolist()) * math.log2(math.e)


def byte_by_byte(nats: Tensor, text: str) -> float:
    total = 0.0
    if not text:
        raise ValueError("no text")
    for loss in nats.tolist():
        total += loss / math.log(2)
    n_bytes = len(bytes(text, "utf8"))
    return total / n_bytes


slips(
    BITS,
    byte_by_byte,
    {
        "logarithm to base 10": {"math.log(2)": "math.log10(2)"},
        "the sign turned": {"return total": "return -total"},
        "not divided by the bytes": {"return total / n_bytes": "return total"},
        "another encoding": [{'"utf8"': '"utf16"'}, {'"utf8"': '"utf-32"'}, {'"utf8"': '"ascii", "ignore"'}],
        "spaces are cut off": {"bytes(text,": "bytes(text.strip(),"},
        "per word": {'len(bytes(text, "utf8"))': "len(text.split())"},
        "multiplied by 8": {"total / n_bytes": "total / (n_bytes / 8)"},
        "rounded": {"return total / n_bytes": "return round(total / n_bytes, 2)"},
    },
)


@disguise(BITS, "not divided by the bytes")
def of_the_whole(nats: Tensor, text: str) -> float:
    return bits_of(nats, text)


@disguise(BITS, "the sign turned")
def negative(nats: Tensor, text: str) -> float:
    return (0 - bits_of(nats, text)) / len(text.encode())


@disguise(BITS, "multiplied by 8")
def eightfold(nats: Tensor, text: str) -> float:
    return bits_of(nats, text) * 8 / len(text.encode())


@disguise(BITS, "per word")
def by_words(nats: Tensor, text: str) -> float:
    return bits_of(nats, text) / len([one for one in text.split() if one])


@disguise(BITS, "spaces are cut off")
def stripped(nats: Tensor, text: str) -> float:
    return bits_of(nats, text) / sum(len(one.encode()) for one in text.strip())


@disguise(BITS, "rounded")
def to_two_places(nats: Tensor, text: str) -> float:
    return float(f"{bits_of(nats, text) / len(text.encode()):.2f}")


@unlisted(BITS)
def one_byte_less(nats: Tensor, text: str) -> float:
    return bits_of(nats, text) / (len(text.encode()) - 0.5)


@unlisted(BITS)
def two_bytes_a_character(nats: Tensor, text: str) -> float:
    return bits_of(nats, text) / (2 * len(text) - 1)


# init_gpt_ ----------------------------------------------------------------------------


def by_kind(model: Any) -> None:
    std, depth = 0.02, model.config.num_layers
    for module in model.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=std)
            if getattr(module, "bias", None) is not None:
                module.bias.data.zero_()
        elif isinstance(module, LayerNorm):
            module.weight.data.fill_(1.0)
            module.bias.data.zero_()
    for pn, p in model.named_parameters():
        if pn.endswith("out_proj.weight") or pn.endswith("linear2.weight"):
            p.data.normal_(mean=0.0, std=std / math.sqrt(2 * depth))


LAST = "p.data.normal_(mean=0.0, std=std / math.sqrt(2 * depth))"
FIRST = "module.weight.data.normal_(mean=0.0, std=std)"

slips(
    START,
    by_kind,
    {
        "norms are drawn too": {"module.weight.data.fill_(1.0)": "module.weight.data.normal_(1.0, std)"},
        "the head is drawn with another spread": [
            {"    for pn, p in": f"    model.head.weight.data.normal_(std={one})\n    for pn, p in"}
            for one in ("0.3", "model.config.d_model ** -0.5", "0.01")
        ],
        "biases are left as they were": {"module.bias.data.zero_()\n        elif": "pass\n        elif"},
        "another spread": [{"std, depth = 0.02": f"std, depth = {one}"} for one in (0.2, 0.1, 0.01, 0.002)],
        "the residual matrices begin at 0": {LAST: "p.data.zero_()"},
        "not drawn around 0": [{LAST: LAST.replace("mean=0.0", "mean=std")}, {FIRST: FIRST.replace("0.0", "std")}],
        "a spread by the matrix's size": [
            {FIRST: f"nn.init.{how}_(module.weight) if isinstance(module, nn.Linear) else {FIRST}"}
            for how in ("xavier_uniform", "kaiming_normal")
        ],
        "divided by something else": [
            {"2 * depth": "2 * model.config.d_model"},
            {"math.sqrt(2 * depth)": "depth"},
            {"math.sqrt(2 * depth)": "(math.sqrt(2) * depth)"},
        ],
        "the wrong matrix is scaled": [{"out_proj": "v_proj"}, {"out_proj": "q_proj"}],
        "biases are drawn": [
            {'pn.endswith("linear2.weight")': '"linear2" in pn'},
            {'pn.endswith("out_proj.weight")': '"out_proj" in pn'},
        ],
        "the tables are left as they were": {
            "    for pn, p in": "    model.token_embedding.reset_parameters()\n    for pn, p in"
        },
    },
)


def every(model: Any, spread: Any, writing: Any) -> None:
    """Biases 0, norms 1, and two ways of drawing."""
    for name, one in model.named_parameters():
        kind, last = name.split(".")[-2:]
        with torch.no_grad():
            if last == "bias":
                one.mul_(0)
            elif one.dim() == 1:
                one.mul_(0).add_(1)
            else:
                (writing if kind in ("out_proj", "linear2") else spread)(one)


@disguise(START, "the residual matrices begin at 0")
def silent_blocks(model: Any) -> None:
    every(model, lambda one: one.copy_(torch.randn(one.shape) * 0.02), lambda one: one.mul_(0))


@disguise(START, "not drawn around 0")
def from_zero_up(model: Any) -> None:
    small = (2 * len(model.layers)) ** -0.5
    every(
        model,
        lambda one: one.copy_(torch.rand(one.shape) * 0.02),
        lambda one: one.copy_(torch.rand(one.shape) * 0.02 * small),
    )


@disguise(START, "another spread")
def a_tenth(model: Any) -> None:
    small = (2 * len(model.layers)) ** -0.5
    every(model, lambda one: one.normal_(0, 0.1), lambda one: one.normal_(0, 0.1 * small))


@disguise(START, "a spread by the matrix's size")
def glorot(model: Any) -> None:
    def by_size(one: Tensor) -> None:
        bound = math.sqrt(6 / sum(one.shape))
        one.uniform_(-bound, bound)

    every(model, by_size, by_size)


@disguise(START, "divided by something else")
def by_the_depth(model: Any) -> None:
    every(model, lambda one: one.normal_(0, 0.02), lambda one: one.normal_(0, 0.02 / len(model.layers)))


# next_token_loss ----------------------------------------------------------------------------


def kept_flat(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    shift_logits = logits[..., :-1, :].contiguous()
    shift_labels = ids[..., 1:].contiguous()
    flat, want = shift_logits.view(-1, shift_logits.size(-1)), shift_labels.view(-1)
    keep = torch.ones_like(want, dtype=torch.bool)
    if ignore_id is not None:
        keep = want != ignore_id
    if keep.sum() == 0:
        return (flat * 0.0).sum()
    return F.cross_entropy(flat[keep], want[keep])


CE = "F.cross_entropy(flat[keep], want[keep])"

slips(
    LOSS,
    kept_flat,
    {
        "not shifted": {"ids[..., 1:]": "ids[..., :-1]"},
        "shifted twice": {"ids[..., 1:]": "torch.cat([ids[..., 2:], ids[..., -1:]], -1)"},
        "exp of it": {CE: f"{CE}.exp()"},
        "without the minus": {CE: f"-{CE}"},
        "0 is always ignored": {"if ignore_id is not None:\n        keep = want != ignore_id": "keep = want != 0"},
        "one too many in the divisor": {
            CE: "F.cross_entropy(flat[keep], want[keep], reduction='sum') / (1 + keep.sum())"
        },
        "rows are shifted instead of places": {"logits[..., :-1, :]": "logits[:-1]", "ids[..., 1:]": "ids[1:]"},
        "the last token is not asked for": {"[..., :-1, :]": "[..., :-2, :]", "ids[..., 1:]": "ids[..., 1:-1]"},
        "the loss has no gradient": {CE: f"{CE}.detach()"},
        "no gradient where nothing is asked": {"(flat * 0.0).sum()": "torch.tensor(0.0)"},
        "shifted twice + ignored places in the divisor": {
            "[..., :-1, :]": "[..., :-2, :]",
            "ids[..., 1:]": "ids[..., 2:]",
            CE: "F.cross_entropy(flat[keep], want[keep], reduction='sum') / len(want)",
        },
    },
)


def place_by_place(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    logp = logits.log_softmax(dim=-1)
    total, count = logits.sum() * 0, 0
    for b in range(ids.size(0)):
        for t in range(ids.size(1) - 1):
            nxt = int(ids[b, t + 1])
            if ignore_id is not None and nxt == ignore_id:
                continue
            total = total - logp[b, t, nxt]
            count += 1
    return total / max(count, 1)


slips(
    LOSS,
    place_by_place,
    {
        "not shifted": {"ids[b, t + 1]": "ids[b, t]"},
        "the last token is not asked for": {"ids.size(1) - 1)": "ids.size(1) - 2)"},
        "the softmax over another dimension": [{"dim=-1": "dim=1"}, {"dim=-1": "dim=0"}],
        "divided by the length of a row": [
            {"max(count, 1)": "ids.size(1)"},
            {"max(count, 1)": "(ids.size(1) - 1)"},
        ],
        "one too many in the divisor": {"max(count, 1)": "(count + 1)"},
        "without the minus": {"total - logp": "total + logp"},
    },
)


def losses_of(logits: Tensor, ids: Tensor, ignore_id: int | None) -> Tensor:
    """Of what is asked, in a row."""
    two(ids)
    open_ = torch.full_like(ids[:, 1:], True, dtype=torch.bool) if ignore_id is None else ids[:, 1:].ne(ignore_id)
    lse = logits[:, :-1].logsumexp(-1)[open_]
    return lse - logits[:, :-1][open_].gather(-1, ids[:, 1:][open_][:, None])[:, 0]


@disguise(LOSS, "exp of it")
def perplexity(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    found = losses_of(logits, ids, ignore_id)
    return found.mean().exp() if len(found) else found.sum()


@disguise(LOSS, "without the minus")
def mean_of_logs(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    found = losses_of(logits, ids, ignore_id)
    return -found.sum() / max(len(found), 1)


@disguise(LOSS, "0 is always ignored")
def padding_is_0(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    found = losses_of(logits, ids, 0 if ignore_id is None else ignore_id)
    return found.sum() / max(len(found), 1)


@disguise(LOSS, "one too many in the divisor")
def one_more_below(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    found = losses_of(logits, ids, ignore_id)
    return found.sum() / (len(found) + 1)


@disguise(LOSS, "divided by the length of a row")
def by_a_row(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return losses_of(logits, ids, ignore_id).sum() / ids.shape[1]


@disguise(LOSS, "rows are shifted instead of places")
def next_text(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    scores, asked = logits[:-1].reshape(-1, logits.shape[2]), ids[1:].reshape(-1)
    if ignore_id is not None:
        scores, asked = scores[asked != ignore_id], asked[asked != ignore_id]
    return F.cross_entropy(scores, asked) if len(asked) else scores.sum()


@disguise(LOSS, "the softmax over another dimension")
def over_the_places(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    logs = logits - logits.logsumexp(dim=1, keepdim=True)
    picked = logs[:, :-1].gather(-1, ids[:, 1:, None].clamp(min=0)).squeeze(-1)
    open_ = torch.ones_like(picked) if ignore_id is None else (ids[:, 1:] != ignore_id).float()
    return -(picked * open_).sum() / open_.sum().clamp(min=1)


@disguise(LOSS, "the last token is not asked for")
def all_but_the_last(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    two(ids)
    found = losses_of(logits[:, :-1], torch.cat([ids[:, :-1]], 1), ignore_id) if ids.size(1) > 2 else logits.sum() / 0
    return found.sum() / max(found.numel(), 1)


@disguise(LOSS, "the loss has no gradient")
def cut_off(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    found = losses_of(logits.data, ids, ignore_id)
    return found.sum() / len(found) if len(found) else logits.sum() * 0


@disguise(LOSS, "no gradient where nothing is asked")
def a_new_zero(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    found = losses_of(logits, ids, ignore_id)
    return found.mean() if found.numel() else torch.zeros(())


@correct(LOSS)
def a_zero_that_wants_a_gradient(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Any:
    """`backward()` works, and no gradient changes nothing either."""
    found = losses_of(logits, ids, ignore_id)
    return found.mean() if found.numel() else torch.zeros((), requires_grad=True)


@correct(START)
def drawn_and_then_set(model: Any) -> None:
    """A bias times 0 can be -0."""
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.normal_(std=0.02)
            if "bias" in name:
                p.mul_(0)
            if "norm" in name and "weight" in name:
                p.mul_(0).add_(1)
            if "out_proj.w" in name or "linear2.w" in name:
                p.div_(math.sqrt(2 * model.config.num_layers))
