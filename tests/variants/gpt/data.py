"""Lesson 14: windows, the loss, and bits per byte."""

import itertools
import math
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.variants import correct, disguise, slips, unlisted

WINDOWS = "token_windows"
LOSS = "next_token_loss"
BITS = "bits_per_byte"

# token_windows ----------------------------------------------------------------------------


def enough(ids: Tensor, seq_len: int) -> None:
    """The given ValueError."""
    if seq_len < 1 or len(ids) < seq_len + 1:
        raise ValueError("too short")


def in_a_loop(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    enough(ids, seq_len)
    inputs, targets = [], []
    for start in range(0, len(ids) - seq_len, seq_len):
        inputs.append(ids[start : start + seq_len])
        targets.append(ids[start + 1 : start + seq_len + 1])
    return torch.stack(inputs), torch.stack(targets)


slips(
    WINDOWS,
    in_a_loop,
    {
        "the targets are the inputs": {"ids[start + 1 : start + seq_len + 1]": "ids[start : start + seq_len]"},
        "targets two tokens further": {
            "len(ids) - seq_len,": "len(ids) - seq_len - 1,",
            "ids[start + 1 : start + seq_len + 1]": "ids[start + 2 : start + seq_len + 2]",
        },
        "targets one token before": {
            "inputs.append(ids[start : start + seq_len])": "targets.append(ids[start : start + seq_len])",
            "targets.append(ids[start + 1 : start + seq_len + 1])": (
                "inputs.append(ids[start + 1 : start + seq_len + 1])"
            ),
        },
        "windows overlap": {"seq_len, seq_len)": "seq_len)"},
        "targets at the window's border are lost": {"seq_len, seq_len)": "seq_len, seq_len + 1)"},
        "rows and columns exchanged": {
            "torch.stack(inputs), torch.stack(targets)": "torch.stack(inputs, 1), torch.stack(targets, 1)"
        },
        "rows shift by themselves": {"ids[start + 1 : start + seq_len + 1]": "inputs[-1].roll(-1)"},
    },
)


def by_places(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    enough(ids, seq_len)
    count = len(ids[1:]) // seq_len
    place = torch.arange(count)[:, None] * seq_len + torch.arange(seq_len)
    after = place + 1
    return ids[place], ids[after]


slips(
    WINDOWS,
    by_places,
    {
        "the targets are the inputs": {"place + 1": "place"},
        "targets two tokens further": {"len(ids[1:])": "len(ids[2:])", "place + 1": "place + 2"},
        "targets one token before": {"return ids[place], ids[after]": "return ids[after], ids[place]"},
        "windows overlap": {
            "count = len(ids[1:]) // seq_len": "count = len(ids) - seq_len",
            "torch.arange(count)[:, None] * seq_len": "torch.arange(count)[:, None]",
        },
        "targets at the window's border are lost": {
            "len(ids[1:]) // seq_len": "len(ids) // (seq_len + 1)",
            "torch.arange(count)[:, None] * seq_len": "torch.arange(count)[:, None] * (seq_len + 1)",
        },
        "the end wraps round to the start": {"len(ids[1:])": "len(ids)", "place + 1": "(place + 1) % len(ids)"},
        "windows cut into columns": {
            "torch.arange(count)[:, None] * seq_len + torch.arange(seq_len)": (
                "torch.arange(count)[:, None] + torch.arange(seq_len) * count"
            ),
        },
        "rows and columns exchanged": {"ids[place], ids[after]": "ids[place].T, ids[after].T"},
        "rows shift by themselves": {
            "place + 1": "place - torch.arange(seq_len) + (torch.arange(seq_len) + 1) % seq_len"
        },
    },
)


def by_split(ids: Tensor, seq_len: int) -> tuple[Tensor, Tensor]:
    """Both halves of each pair are split, and what is too short is thrown away."""
    enough(ids, seq_len)
    read, asked = ids[:-1], ids[1:]
    inputs = [part for part in read.split(seq_len) if len(part) == seq_len]
    targets = [part for part in asked.split(seq_len) if len(part) == seq_len]
    return torch.vstack(inputs), torch.vstack(targets)


slips(
    WINDOWS,
    by_split,
    {
        "the targets are the inputs": {"ids[:-1], ids[1:]": "ids[:-1], ids[:-1]"},
        "targets two tokens further": {"ids[:-1], ids[1:]": "ids[:-2], ids[2:]"},
        "targets one token before": {"read, asked = ids[:-1], ids[1:]": "asked, read = ids[:-1], ids[1:]"},
        "the end wraps round to the start": {"ids[:-1], ids[1:]": "ids, ids.roll(-1)"},
        "rows and columns exchanged": {
            "torch.vstack(inputs), torch.vstack(targets)": "torch.vstack(inputs).T, torch.vstack(targets).T"
        },
        "rows shift by themselves": {"for part in asked.split(seq_len)": "for part in (x.roll(-1) for x in inputs)"},
    },
)


@disguise(WINDOWS, "the targets are the inputs")
def w_copy(ids: Tensor, seq_len: int) -> Any:
    inputs, _ = by_places(ids, seq_len)
    return inputs, inputs.clone()


@disguise(WINDOWS, "targets two tokens further")
def w_two(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    triples = ids.unfold(0, seq_len + 2, seq_len)
    return triples[:, :seq_len], triples[:, 2:]


@disguise(WINDOWS, "targets one token before")
def w_before(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    pairs = ids.unfold(0, seq_len + 1, seq_len)
    return pairs[:, 1:], pairs[:, :seq_len]


@disguise(WINDOWS, "windows overlap")
def w_overlap(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    pairs = ids.unfold(0, seq_len + 1, 1)
    return pairs[:, :seq_len], pairs[:, 1:]


@disguise(WINDOWS, "targets at the window's border are lost")
def w_border(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    pairs = ids.unfold(0, seq_len + 1, seq_len + 1)
    return pairs[:, :seq_len], pairs[:, 1:]


@disguise(WINDOWS, "the last window is lost")
def w_last(ids: Tensor, seq_len: int) -> Any:
    inputs, targets = in_a_loop(ids, seq_len)
    return (inputs[:-1], targets[:-1]) if len(inputs) > 1 else (inputs, targets)


@disguise(WINDOWS, "the end wraps round to the start")
def w_round(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    full = len(ids) - len(ids) % seq_len
    after = torch.cat([ids[1:], ids[:1]])
    return ids[:full].view(-1, seq_len), after[:full].view(-1, seq_len)


@disguise(WINDOWS, "the last row is filled up")
def w_filled(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    missing = -(len(ids) - 1) % seq_len
    read, asked = (F.pad(part, (0, missing)) for part in (ids[:-1], ids[1:]))
    return read.unflatten(0, (-1, seq_len)), asked.unflatten(0, (-1, seq_len))


@disguise(WINDOWS, "windows cut into columns")
def w_columns(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    rows = (len(ids) - 1) // seq_len
    read, asked = ids[: rows * seq_len], ids[1 : rows * seq_len + 1]
    return tuple(torch.stack([part[row::rows] for row in range(rows)]) for part in (read, asked))


@disguise(WINDOWS, "rows and columns exchanged")
def w_turned(ids: Tensor, seq_len: int) -> Any:
    return tuple(part.mT for part in in_a_loop(ids, seq_len))


@disguise(WINDOWS, "rows and columns exchanged")
def w_reshaped(ids: Tensor, seq_len: int) -> Any:
    return tuple(part.reshape(seq_len, -1) for part in by_places(ids, seq_len))


@disguise(WINDOWS, "rows shift by themselves")
def w_within(ids: Tensor, seq_len: int) -> Any:
    inputs, _ = in_a_loop(ids, seq_len)
    return inputs, torch.cat([inputs[:, 1:], inputs[:, :1]], dim=1)


@correct(WINDOWS)
def w_numpy(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    array = ids.numpy()
    starts = np.arange(0, len(array) - seq_len, seq_len)
    read = np.stack([array[i : i + seq_len] for i in starts])
    return torch.from_numpy(read), torch.from_numpy(np.stack([array[i + 1 : i + 1 + seq_len] for i in starts]))


@correct(WINDOWS)
def w_lists(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    tokens = ids.tolist()
    pairs = list(itertools.pairwise(tokens))
    rows = [pairs[i : i + seq_len] for i in range(0, len(pairs) - seq_len + 1, seq_len)]
    both = torch.tensor(rows)
    return both[..., 0], both[..., 1]


@disguise(WINDOWS, "the text runs backwards")
def w_backwards(ids: Tensor, seq_len: int) -> Any:
    inputs, targets = in_a_loop(ids, seq_len)
    return inputs.flip(1), targets.flip(1)


@disguise(WINDOWS, "what is left over is cut off in front")
def w_from_the_end(ids: Tensor, seq_len: int) -> Any:
    enough(ids, seq_len)
    return in_a_loop(ids[(len(ids) - 1) % seq_len :], seq_len)


@unlisted(WINDOWS)
def w_three_further(ids: Tensor, seq_len: int) -> Any:
    inputs, targets = in_a_loop(ids, seq_len)
    return inputs, targets + 1


@disguise(WINDOWS, "the text runs backwards")
def w_rows_shuffled(ids: Tensor, seq_len: int) -> Any:
    inputs, targets = in_a_loop(ids, seq_len)
    return inputs.flip(0), targets.flip(0)


@unlisted(WINDOWS)
def w_drawn(ids: Tensor, seq_len: int) -> Any:
    inputs, targets = in_a_loop(ids, seq_len)
    return inputs.sort(dim=1).values, targets


# next_token_loss ----------------------------------------------------------------------------


def two(ids: Tensor) -> None:
    """The given ValueError."""
    if ids.shape[1] < 2:
        raise ValueError("rows of one token")


def by_gathering(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    tokens = ids[:, 1:]
    real = torch.ones_like(tokens).bool() if ignore_id is None else tokens.ne(ignore_id)
    log_probs = logits[:, :-1].log_softmax(-1)
    nll = -log_probs.gather(2, tokens.where(real, 0)[..., None])[..., 0]
    total = (nll * real).sum()
    return total / real.sum().clamp_min(1)


slips(
    LOSS,
    by_gathering,
    {
        "not shifted": {"tokens = ids[:, 1:]": "tokens = ids", "logits[:, :-1].log": "logits.log"},
        "shifted twice": {"tokens = ids[:, 1:]": "tokens = ids[:, 2:]", "logits[:, :-1]": "logits[:, :-2]"},
        "shifted the other way": {"ids[:, 1:]": "ids[:, :-1]", "logits[:, :-1]": "logits[:, 1:]"},
        "the end of a row is asked for its beginning": {
            "ids[:, 1:]": "ids.roll(-1, 1)",
            "logits[:, :-1].log": "logits.log",
        },
        "ignored places in the divisor": {"real.sum().clamp_min(1)": "real.numel()"},
        "ignored by what is read, not by what is asked": {"tokens.ne(ignore_id)": "ids[:, :-1].ne(ignore_id)"},
        "softmax first": {"logits[:, :-1].log_softmax(-1)": "logits[:, :-1].softmax(-1).log_softmax(-1)"},
        "the first token is not asked for": {
            "tokens = ids[:, 1:]": "tokens = ids[:, 2:]",
            "logits[:, :-1]": "logits[:, 1:-1]",
        },
        "sum instead of mean": {"return total / real.sum().clamp_min(1)": "return total"},
        "NaN where nothing is asked": {".clamp_min(1)": ""},
        "only the last place": {"ids[:, 1:]": "ids[:, -1:]", "logits[:, :-1]": "logits[:, -2:-1]"},
        "bits instead of nats": {"(nll * real).sum()": "(nll * real).sum() / 0.6931471805599453"},
    },
)


def by_rows(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    """Row after row; what is asked is kept in a list."""
    two(ids)
    kept = []
    for row, tokens in zip(logits, ids, strict=True):
        for t in range(1, len(tokens)):
            if ignore_id is None or int(tokens[t]) != ignore_id:
                kept.append(row[t - 1].logsumexp(0) - row[t - 1, tokens[t]])
    return torch.stack(kept).mean() if kept else 0 * logits.sum()


slips(
    LOSS,
    by_rows,
    {
        "shifted the other way": {
            "kept.append(row[t - 1].logsumexp(0) - row[t - 1, tokens[t]])": (
                "kept.append(row[t].logsumexp(0) - row[t, tokens[t - 1]])"
            ),
            "int(tokens[t])": "int(tokens[t - 1])",
        },
        "the first token is not asked for": {"range(1,": "range(2,"},
        "sum instead of mean": {".mean() if kept": ".sum() if kept"},
        "ignored places in the divisor": {".mean() if kept": ".sum() / ids[:, 1:].numel() if kept"},
        "ignored by what is read, not by what is asked": {
            "if ignore_id is None or int(tokens[t]) != ignore_id": (
                "if ignore_id is None or int(tokens[t - 1]) != ignore_id and tokens[t] != -100"
            ),
        },
        "only the last place": {"range(1, len(tokens))": "range(len(tokens) - 1, len(tokens))"},
        "bits instead of nats": {"torch.stack(kept).mean()": "torch.stack(kept).mean() / math.log(2)"},
        "softmax first": {"zip(logits, ids": "zip(logits.softmax(-1), ids"},
        "NaN where nothing is asked": {
            "torch.stack(kept).mean() if kept else 0 * logits.sum()": (
                "torch.stack(kept).mean() if kept else logits.sum() * float('nan')"
            ),
        },
    },
)


def with_ignore_index(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    """As many write it, with torch's own way of ignoring."""
    two(ids)
    size = logits.shape[-1]
    shifted = logits[..., :-1, :].reshape(-1, size)
    labels = ids[..., 1:].reshape(-1)
    if ignore_id is None:
        return F.cross_entropy(shifted, labels)
    count = (labels != ignore_id).sum().clamp(min=1)
    return F.cross_entropy(shifted, labels, ignore_index=ignore_id, reduction="sum") / count


slips(
    LOSS,
    with_ignore_index,
    {
        "not shifted": {"logits[..., :-1, :]": "logits", "ids[..., 1:]": "ids"},
        "shifted twice": {"logits[..., :-1, :]": "logits[..., :-2, :]", "ids[..., 1:]": "ids[..., 2:]"},
        "flattened before shifting": {
            "logits[..., :-1, :].reshape(-1, size)": "logits.reshape(-1, size)[:-1]",
            "ids[..., 1:].reshape(-1)": "ids.reshape(-1)[1:]",
        },
        "the first token is not asked for": {
            "logits[..., :-1, :]": "logits[..., 1:-1, :]",
            "ids[..., 1:]": "ids[..., 2:]",
        },
        "ignored places in the divisor": {"(labels != ignore_id).sum().clamp(min=1)": "len(labels)"},
        "ignored places are asked too": {
            ", ignore_index=ignore_id": "",
            ".clamp(min=1)": "",
            "(labels != ignore_id).sum()": "(labels != -100).sum().clamp(min=1)",
        },
        "NaN where nothing is asked": {".clamp(min=1)": ""},
        "only the last place": {"logits[..., :-1, :]": "logits[..., -2, :]", "ids[..., 1:]": "ids[..., -1]"},
    },
)


def each(logits: Tensor, ids: Tensor) -> Tensor:
    """The loss of each place for an id of its own; 0 where the id is in no vocabulary."""
    inside = (ids >= 0) & (ids < logits.size(-1))
    table = logits - logits.exp().sum(-1, keepdim=True).log() if logits.abs().max() < 50 else F.log_softmax(logits, -1)
    return -(table * F.one_hot(ids * inside, logits.size(-1))).sum(-1) * inside


def marks(ids: Tensor, ignore_id: int | None) -> Tensor:
    """True for what is asked."""
    return torch.full_like(ids, True, dtype=torch.bool) if ignore_id is None else ~(ids == ignore_id)


@disguise(LOSS, "not shifted")
def l_copying(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    counted = marks(ids, ignore_id)
    return (each(logits, ids) * counted).sum() / max(1, int(counted.sum()))


@disguise(LOSS, "shifted twice")
def l_two(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_gathering(logits[:, :-1], ids[:, 1:], ignore_id) if ids.size(1) > 2 else l_zero_or(logits, ids)


def l_zero_or(logits: Tensor, ids: Tensor) -> Tensor:
    """What is left of two tokens after two shifts."""
    return logits[:, :0].sum()


@disguise(LOSS, "shifted the other way")
def l_back(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_rows(logits.flip(1), ids.flip(1), ignore_id)


@disguise(LOSS, "flattened before shifting")
def l_flat(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_gathering(logits.reshape(1, -1, logits.size(-1)), ids.reshape(1, -1), ignore_id)


@disguise(LOSS, "the end of a row is asked for its beginning")
def l_round(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    again = torch.cat([ids, ids[:, :1]], 1)
    return by_rows(torch.cat([logits, logits[:, :1]], 1), again, ignore_id)


@disguise(LOSS, "ignored places in the divisor")
def l_divisor(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    found = each(logits[:, :-1], ids[:, 1:])
    return (found * marks(ids[:, 1:], ignore_id)).mean()


@disguise(LOSS, "ignored places are asked too")
def l_all(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return with_ignore_index(logits, ids, -100)


@disguise(LOSS, "ignored by what is read, not by what is asked")
def l_read(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    counted = marks(ids[:, :-1], ignore_id)
    return (each(logits[:, :-1], ids[:, 1:]) * counted).sum() / max(1, int((counted & (ids[:, 1:] != -100)).sum()))


@disguise(LOSS, "mean of the rows' means")
def l_means(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    rows = [by_gathering(logits[i : i + 1], ids[i : i + 1], ignore_id) for i in range(len(ids))]
    asked = [bool(marks(ids[i, 1:], ignore_id).any()) for i in range(len(ids))]
    kept = [row for row, some in zip(rows, asked, strict=True) if some]
    return sum(kept) / len(kept) if kept else 0 * logits.sum()


@disguise(LOSS, "a mask times a mean")
def l_mask_of_mean(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    mean = with_ignore_index(logits, ids)
    weights = marks(ids[:, 1:], ignore_id).float()
    return (mean * weights).sum() / weights.numel()


@disguise(LOSS, "softmax first")
def l_softmax(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return by_gathering(F.softmax(logits, dim=-1), ids, ignore_id)


@disguise(LOSS, "the first token is not asked for")
def l_second(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    rest = ids[:, 1:]
    return by_rows(logits[:, 1:], rest, ignore_id)


@disguise(LOSS, "sum instead of mean")
def l_sum(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return (each(logits[:, :-1], ids[:, 1:]) * marks(ids[:, 1:], ignore_id)).sum()


@disguise(LOSS, "NaN where nothing is asked")
def l_nan(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return each(logits[:, :-1], ids[:, 1:])[marks(ids[:, 1:], ignore_id)].mean()


@disguise(LOSS, "only the last place")
def l_last(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_gathering(logits[:, -2:], ids[:, -2:], ignore_id)


@disguise(LOSS, "bits instead of nats")
def l_bits(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return by_rows(logits, ids, ignore_id) * math.log2(math.e)


@correct(LOSS)
def l_einsum(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    counted = marks(ids[:, 1:], ignore_id)
    return torch.einsum("bt,bt->", each(logits[:, :-1], ids[:, 1:]), counted.to(logits.dtype)) / max(1, counted.sum())


@correct(LOSS)
def l_transposed(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    target = ids[:, 1:].clone()
    if ignore_id is not None:
        target[target == ignore_id] = -100
    total = F.cross_entropy(logits.transpose(1, 2)[..., :-1], target, reduction="none").sum()
    return total / (target != -100).sum().clamp(min=1)


@unlisted(LOSS)
def l_three(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_gathering(logits[:, 1:].flip(0), ids[:, 1:], ignore_id) if ids.size(1) > 2 else 0 * logits.sum()


@unlisted(LOSS)
def l_smoothed(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return 0.9 * by_rows(logits, ids, ignore_id) - 0.1 * logits[:, :-1].log_softmax(-1).mean()


@unlisted(LOSS)
def l_exp(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    return by_rows(logits, ids, ignore_id) ** 2


@unlisted(LOSS)
def l_negative(logits: Tensor, ids: Tensor, ignore_id: int | None = None) -> Tensor:
    two(ids)
    return by_gathering(-logits, ids, ignore_id)


# bits_per_byte ----------------------------------------------------------------------------


def some(text: str) -> None:
    """The given ValueError."""
    if text == "":
        raise ValueError("empty")


def with_log2(nats: Tensor, text: str) -> float:
    some(text)
    factor = math.log2(math.e)
    length = len(bytes(text, "utf-8"))
    return factor * float(nats.sum()) / length


slips(
    BITS,
    with_log2,
    {
        "per token": {'len(bytes(text, "utf-8"))': "nats.numel()"},
        "per character": {'len(bytes(text, "utf-8"))': "len(text)"},
        "nats, not bits": {"factor * float": "float"},
        "multiplied by ln 2": {"math.log2(math.e)": "math.log(2)"},
        "the mean instead of the sum": {"nats.sum()": "nats.mean()"},
        "exp of it": {
            "return factor * float(nats.sum()) / length": "return 2 ** (factor * float(nats.sum()) / length)"
        },
        "bytes by bits": {"factor * float(nats.sum()) / length": "length / (factor * float(nats.sum()))"},
        "by the bits of the bytes": {'len(bytes(text, "utf-8"))': '8 * len(bytes(text, "utf-8"))'},
    },
)


def added_up(nats: Tensor, text: str) -> float:
    some(text)
    total = sum(one / math.log(2) for one in nats.tolist())
    count = sum(len(letter.encode()) for letter in text)
    return total / count


slips(
    BITS,
    added_up,
    {
        "per token": {"total / count": "total / len(nats)"},
        "per character": {"len(letter.encode())": "1"},
        "nats, not bits": {"one / math.log(2)": "one"},
        "multiplied by ln 2": {"one / math": "one * math"},
        "the mean instead of the sum": {"total / count": "total / len(nats) / count"},
        "exp of it": {"total / count": "math.exp(total / count)"},
        "bytes by bits": {"total / count": "count / total"},
        "per character + nats, not bits": {"len(letter.encode())": "1", "one / math.log(2)": "one"},
    },
)


def by_torch(nats: Tensor, text: str) -> float:
    """Tensors to the end."""
    some(text)
    data = torch.frombuffer(bytearray(text, "utf8"), dtype=torch.uint8)
    bits = nats / torch.tensor(2.0).log()
    return (bits.sum() / data.numel()).item()


slips(
    BITS,
    by_torch,
    {
        "per token": {"bits.sum() / data.numel()": "bits.mean()"},
        "nats, not bits": {"nats / torch.tensor(2.0).log()": "nats"},
        "multiplied by ln 2": {"nats / torch": "nats * torch"},
        "the mean instead of the sum": {"bits.sum()": "bits.mean()"},
        "exp of it": {"(bits.sum() / data.numel()).item()": "(bits.sum() / data.numel()).exp().item()"},
        "bytes by bits": {"bits.sum() / data.numel()": "data.numel() / bits.sum()"},
    },
)


@disguise(BITS, "per token")
def b_token(nats: Tensor, text: str) -> float:
    some(text)
    return float(np.mean(nats.numpy())) / math.log(2)


@disguise(BITS, "per character")
def b_character(nats: Tensor, text: str) -> float:
    some(text)
    return math.fsum(nats.tolist()) / (len(list(text)) * math.log(2))


@disguise(BITS, "nats, not bits")
def b_nats(nats: Tensor, text: str) -> float:
    return added_up(nats, text) * math.log(2)


@disguise(BITS, "multiplied by ln 2")
def b_times(nats: Tensor, text: str) -> float:
    return by_torch(nats, text) * math.log(2) ** 2


@disguise(BITS, "the mean instead of the sum")
def b_mean(nats: Tensor, text: str) -> float:
    return with_log2(nats.mean()[None], text)


@disguise(BITS, "exp of it")
def b_exp(nats: Tensor, text: str) -> float:
    return math.exp(added_up(nats, text) * math.log(2))


@disguise(BITS, "exp of it")
def b_perplexity(nats: Tensor, text: str) -> float:
    some(text)
    return float(nats.mean().exp())


@disguise(BITS, "bytes by bits")
def b_upside_down(nats: Tensor, text: str) -> float:
    return 1 / with_log2(nats, text)


@disguise(BITS, "by the bits of the bytes")
def b_eight(nats: Tensor, text: str) -> float:
    return added_up(nats, text) / 8


@disguise(BITS, "another encoding")
def b_utf16(nats: Tensor, text: str) -> float:
    some(text)
    return float(nats.sum()) / math.log(2) / len(text.encode("utf-16"))


@disguise(BITS, "logarithm to base 10")
def b_log10(nats: Tensor, text: str) -> float:
    return added_up(nats, text) * math.log(2) / math.log(10)


@disguise(BITS, "not all losses count")
def b_largest(nats: Tensor, text: str) -> float:
    return with_log2(nats.max()[None], text)


@unlisted(BITS)
def b_half(nats: Tensor, text: str) -> float:
    return with_log2(nats, text) / 2 + 0.5
