"""Lesson 15: the head that scores tokens, and the loss."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.feed_forward import gelu
from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import correct, disguise, slips, unlisted

HEAD = "MaskedLanguageHead"
LOSS = "masked_loss"

# MaskedLanguageHead ----------------------------------------------------------------------------


class Parts(nn.Module):
    """The parts, and a forward made of steps."""

    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__()
        vocab, width = embedding.weight.shape
        self.norm: Any = LayerNorm(width)
        self.transform: Any = nn.Linear(width, width)
        self.output: Any = nn.Linear(width, vocab)
        self.tie(embedding)

    def tie(self, embedding: nn.Embedding) -> None:
        """One table."""
        self.output.weight = embedding.weight

    def bend(self, x: Tensor) -> Tensor:
        """GELU in full."""
        return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))

    def prepare(self, x: Tensor) -> Tensor:
        """All but the output."""
        return self.norm(self.bend(self.transform(x)))

    def score(self, x: Tensor) -> Tensor:
        """The output."""
        return torch.matmul(x, self.output.weight.mT) + self.output.bias

    def forward(self, hidden: Tensor) -> Tensor:
        """Step after step."""
        return self.score(self.prepare(hidden))


correct(HEAD)(Parts)


@correct(HEAD)
class Registered(Parts):
    """Tied in another way."""

    def tie(self, embedding: nn.Embedding) -> None:
        del self.output.weight
        self.output.register_parameter("weight", embedding.weight)


# Trunks ----------------------------------------------------------------------------


class Stepwise(nn.Module):
    """As many write it."""

    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__()
        d = config.d_model
        self.transform = nn.Linear(d, d)
        self.norm = LayerNorm(d)
        self.output = nn.Linear(d, config.vocab_size)  # scores
        self.output.weight = embedding.weight  # tied

    def forward(self, hidden: Tensor) -> Tensor:
        h = self.transform(hidden)
        h = F.gelu(h)
        h = self.norm(h)
        scores = self.output(h)
        return scores


slips(
    HEAD,
    Stepwise,
    {
        "the matrix is not the table": [
            {"self.output.weight = embedding.weight  # tied": ""},
            {"= embedding.weight  # tied": "= nn.Parameter(torch.clone(embedding.weight))"},
            {
                "self.output.weight = embedding.weight  # tied": (
                    "self.output.weight = nn.Parameter(embedding.weight.data)"
                )
            },
        ],
        "the table learns nothing from the head": {
            "self.output(h)": "F.linear(h, self.output.weight.data, self.output.bias)"
        },
        "no bias": [
            {"config.vocab_size)": "config.vocab_size, bias=False)"},
            {"self.output(h)": "F.linear(h, self.output.weight)"},
        ],
        "no transform": [
            {"h = self.transform(hidden)": "h = hidden"},
            {"h = self.transform(hidden)": "h = hidden", "h = F.gelu(h)": "pass"},
            {"self.output(h)": "self.output(hidden)"},
        ],
        "no GELU": [{"h = F.gelu(h)": "F.gelu(h)"}, {"h = F.gelu(h)": "pass"}],
        "another activation": [
            {"F.gelu(h)": "F.relu(h)"},
            {"F.gelu(h)": "torch.tanh(h)"},
            {"F.gelu(h)": "F.gelu(h, approximate='tanh')"},
        ],
        "no norm": [{"h = self.norm(h)": "self.norm(h)"}, {"h = self.norm(h)": "pass"}],
        "the norm before GELU": {
            "F.gelu(h)": "self.norm(h)",
            "h = self.norm(h)\n        scores": "h = F.gelu(h)\n        scores",
        },
        "the norm before the transform": {
            "self.transform(hidden)": "self.transform(self.norm(hidden))",
            "        h = self.norm(h)\n": "",
        },
        "GELU before the transform": {
            "self.transform(hidden)": "self.transform(F.gelu(hidden))",
            "        h = F.gelu(h)\n": "",
        },
        "what is read is added": [{"self.norm(h)": "self.norm(h + hidden)"}, {"self.norm(h)": "self.norm(h) + hidden"}],
        "a token is left out": [
            {"return scores": "return scores[..., :-1]"},
            {"return scores": "return scores[..., 1:]"},
        ],
        "probabilities": [
            {"return scores": "return torch.softmax(scores, -1)"},
            {"return scores": "return F.log_softmax(scores, dim=-1)"},
            {"return scores": "return torch.sigmoid(scores)"},
        ],
        "scores divided by √d_model": {"return scores": "return scores / math.sqrt(hidden.shape[-1])"},
        "no bias + no GELU": {"h = F.gelu(h)": "pass", "config.vocab_size)": "config.vocab_size, bias=False)"},
    },
)


class OneLine(nn.Module):
    """The table comes in first, and the scores in one expression."""

    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__()
        output = nn.Linear(embedding.embedding_dim, embedding.num_embeddings)
        output.weight = embedding.weight  # one parameter
        self.output, self.norm = output, LayerNorm(config.d_model)
        self.transform = nn.Linear(embedding.embedding_dim, config.d_model)

    def forward(self, hidden: Tensor) -> Tensor:
        turned = gelu(hidden @ self.transform.weight.T + self.transform.bias)
        return torch.einsum("...d,vd->...v", self.norm(turned), self.output.weight) + self.output.bias


slips(
    HEAD,
    OneLine,
    {
        "the matrix is not the table": {
            "output.weight = embedding.weight  # one parameter": "output.weight.data.copy_(embedding.weight)"
        },
        "the table learns nothing from the head": {
            "self.norm(turned), self.output.weight)": "self.norm(turned), self.output.weight.detach())"
        },
        "no bias": [
            {"embedding.num_embeddings)": "embedding.num_embeddings, bias=False)", " + self.output.bias": ""},
            {" + self.output.bias": ""},
        ],
        "no GELU": {
            (
                "gelu(hidden @ self.transform.weight.T + self.transform.bias)"
            ): "hidden @ self.transform.weight.T + self.transform.bias"
        },
        "no norm": {"self.norm(turned)": "turned"},
        "another activation": {"gelu(hidden": "torch.relu(hidden"},
        "the norm before GELU": {
            "gelu(hidden @ self.transform.weight.T + self.transform.bias)": "gelu(self.norm(self.transform(hidden)))",
            "self.norm(turned)": "turned",
        },
        "what is read is added": {"self.norm(turned)": "self.norm(turned + hidden)"},
        "scores divided by √d_model": {" + self.output.bias": " / len(self.output.weight.T) ** 0.5 + self.output.bias"},
        "no transform": {"hidden @ self.transform.weight.T + self.transform.bias": "hidden"},
    },
)


class InSequence(nn.Module):
    """An nn.Sequential that is made in `forward`."""

    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__()
        sizes = {"in_features": config.d_model, "out_features": config.d_model}
        self.transform, self.norm = nn.Linear(**sizes), LayerNorm(config.d_model)
        sizes["out_features"] = config.vocab_size
        self.output = nn.Linear(**sizes)
        self.output._parameters["weight"] = embedding.weight

    def forward(self, hidden: Tensor) -> Tensor:
        steps = [self.transform, nn.GELU(), self.norm, self.output]
        for step in steps:
            hidden = step(hidden)
        return hidden


slips(
    HEAD,
    InSequence,
    {
        "the matrix is not the table": {'self.output._parameters["weight"] = embedding.weight': "pass"},
        "no bias": {"self.output = nn.Linear(**sizes)": "self.output = nn.Linear(**sizes, bias=False)"},
        "no transform": [
            {"[self.transform, nn.GELU(),": "[nn.GELU(),"},
            {"[self.transform, nn.GELU(), self": "[self"},
            {"[self.transform, nn.GELU(), self.norm, self": "[self"},
        ],
        "no GELU": {"nn.GELU(), ": ""},
        "another activation": [
            {"nn.GELU()": "nn.ReLU()"},
            {"nn.GELU()": "nn.Tanh()"},
            {"nn.GELU()": 'nn.GELU("tanh")'},
        ],
        "no norm": {"self.norm, self.output]": "self.output]"},
        "the norm before GELU": {"nn.GELU(), self.norm": "self.norm, nn.GELU()"},
        "the norm before the transform": {
            "[self.transform, nn.GELU(), self.norm": "[self.norm, self.transform, nn.GELU()"
        },
        "GELU before the transform": {"self.transform, nn.GELU()": "nn.GELU(), self.transform"},
        "probabilities": [
            {"self.output]": "self.output, nn.Softmax(-1)]"},
            {"self.output]": "self.output, nn.LogSoftmax(-1)]"},
        ],
        "a token is left out": {"return hidden": "return hidden[..., :-1]"},
    },
)

# In full ----------------------------------------------------------------------------


@disguise(HEAD, "the matrix is not the table")
class Own(Parts):
    def tie(self, embedding: nn.Embedding) -> None:
        self.output.weight = nn.Parameter(torch.empty_like(embedding.weight).copy_(embedding.weight.detach()))


@disguise(HEAD, "a copy of the table")
class Copied(Parts):
    def tie(self, embedding: nn.Embedding) -> None:
        super().tie(embedding)
        self.copied = torch.stack([row.detach() for row in embedding.weight])

    def score(self, x: Tensor) -> Tensor:
        return F.linear(x, self.copied, self.output.bias)


@disguise(HEAD, "the norm twice")
class NormedTwice(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.norm(super().prepare(x))


@disguise(HEAD, "the table learns nothing from the head")
class Detached(Parts):
    def score(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            table = self.output.weight * 1
        return F.linear(x, table, self.output.bias)


@disguise(HEAD, "no bias")
class Unbiased(Parts):
    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__(config, embedding)
        self.output.bias = None

    def score(self, x: Tensor) -> Tensor:
        return x @ self.output.weight.T


@disguise(HEAD, "no bias")
class BiasUnused(Parts):
    def score(self, x: Tensor) -> Tensor:
        return x @ self.output.weight.T


@disguise(HEAD, "no transform")
class Untransformed(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.norm(self.bend(x))


@disguise(HEAD, "no transform")
class Bare(Parts):
    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__(config, embedding)
        del self.transform, self.norm

    def prepare(self, x: Tensor) -> Tensor:
        return x


@disguise(HEAD, "no GELU")
class Unbent(Parts):
    def bend(self, x: Tensor) -> Tensor:
        return x


@disguise(HEAD, "another activation")
class Rectified(Parts):
    def bend(self, x: Tensor) -> Tensor:
        return torch.where(x > 0, x, 0)


@disguise(HEAD, "another activation")
class ByTanh(Parts):
    def bend(self, x: Tensor) -> Tensor:
        return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@disguise(HEAD, "no norm")
class Unnormed(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.bend(self.transform(x))


@disguise(HEAD, "the norm before GELU")
class NormThenBend(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.bend(self.norm(self.transform(x)))


@disguise(HEAD, "the norm before the transform")
class NormFirst(Unnormed):
    def prepare(self, x: Tensor) -> Tensor:
        return super().prepare(self.norm(x))


@disguise(HEAD, "GELU before the transform")
class BendFirst(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.norm(self.transform(self.bend(x)))


@disguise(HEAD, "what is read is added")
class Residual(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return x + super().prepare(x)


@disguise(HEAD, "what is read is added")
class ResidualInside(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.norm(x + self.bend(self.transform(x)))


@disguise(HEAD, "a token is left out")
class OneLess(Parts):
    def score(self, x: Tensor) -> Tensor:
        return F.linear(x, self.output.weight[1:], self.output.bias[1:])


@disguise(HEAD, "probabilities")
class Probable(Parts):
    def score(self, x: Tensor) -> Tensor:
        logits = super().score(x)
        made = (logits - logits.amax(-1, keepdim=True)).exp()
        return made / made.sum(-1, keepdim=True)


@disguise(HEAD, "probabilities")
class LogProbable(Parts):
    def score(self, x: Tensor) -> Tensor:
        logits = super().score(x)
        return logits - logits.logsumexp(-1, keepdim=True)


@disguise(HEAD, "scores divided by √d_model")
class Divided(Parts):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x) / math.sqrt(x.shape[-1])


@disguise(HEAD, "scores divided by √d_model")
class ProductsDivided(Parts):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x * x.shape[-1] ** -0.5)


@unlisted(HEAD)
class Twice(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return super().prepare(super().prepare(x))


@unlisted(HEAD)
class Negative(Parts):
    def score(self, x: Tensor) -> Tensor:
        return -super().score(x)


@unlisted(HEAD)
class BiasTurned(Parts):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x) - 2 * self.output.bias


@disguise(HEAD, "the table is given away")
class Given(Parts):
    def tie(self, embedding: nn.Embedding) -> None:
        embedding.weight = self.output.weight


@disguise(HEAD, "dropout in the head")
class Dropping(Parts):
    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__(config, embedding)
        self.share = config.dropout

    def prepare(self, x: Tensor) -> Tensor:
        return F.dropout(super().prepare(x), p=self.share, training=self.training)


@disguise(HEAD, "the bias twice")
class BiasTwice(Parts):
    def score(self, x: Tensor) -> Tensor:
        return super().score(x).add(self.output.bias)


@disguise(HEAD, "the transform has no bias")
class NoFirstBias(Parts):
    def __init__(self, config: Any, embedding: nn.Embedding) -> None:
        super().__init__(config, embedding)
        self.transform.bias = None


@disguise(HEAD, "no GELU")
class TwoLayers(Parts):
    def prepare(self, x: Tensor) -> Tensor:
        return self.transform(x)


@disguise(HEAD, "another activation")
class Swish(Parts):
    def bend(self, x: Tensor) -> Tensor:
        return x / (1 + torch.exp(-x))


# masked_loss ----------------------------------------------------------------------------


def by_gathering(logits: Tensor, labels: Tensor) -> Tensor:
    """Log-softmax, then the label's entry."""
    mask = labels.ne(-100)
    log_probs = logits.log_softmax(-1)
    picked = log_probs.gather(-1, (labels * mask).unsqueeze(-1)).squeeze(-1)
    total = (picked * mask).sum()
    return -total / mask.sum().clamp(min=1)


slips(
    LOSS,
    by_gathering,
    {
        "all places in the divisor": {"mask.sum().clamp(min=1)": "mask.numel()"},
        "all places are asked": [
            {"(picked * mask).sum()": "picked.sum()", "mask.sum().clamp(min=1)": "mask.numel()"},
        ],
        "token 0 is never learned": {"labels.ne(-100)": "labels > 0"},
        "sum instead of mean": {" / mask.sum().clamp(min=1)": ""},
        "NaN where nothing is asked": {".clamp(min=1)": ""},
        "softmax first": {"logits.log_softmax": "logits.softmax(-1).log_softmax"},
        "probabilities instead of their logarithms": [
            {"logits.log_softmax(-1)": "logits.softmax(-1)"},
            {"logits.log_softmax(-1)": "logits"},
        ],
        "bits instead of nats": {"-total /": "-total / math.log(2) /"},
        "one place further": {"mask = labels": "logits, labels = logits[:, :-1], labels[:, 1:]\n    mask = labels"},
        "mean of the rows' means": [
            {
                "(picked * mask).sum()": "(picked * mask).sum(1) / mask.sum(1).clamp(min=1)",
                "-total / mask.sum().clamp(min=1)": "-total.mean()",
            },
            {
                "(picked * mask).sum()": "(picked * mask).sum(1) / mask.sum(1).clamp(min=1)",
                "-total / mask.sum().clamp(min=1)": "-total.sum() / mask.any(1).sum().clamp(min=1)",
            },
        ],
        "exp of it": {
            "return -total / mask.sum().clamp(min=1)": "return (-total / mask.sum()).exp() if mask.any() else total"
        },
    },
)


def with_torch(logits: Tensor, labels: Tensor) -> Tensor:
    """As many write it, with torch's own way of passing over -100."""
    size = logits.shape[-1]
    count = (labels != -100).sum()
    total = F.cross_entropy(logits.reshape(-1, size), labels.reshape(-1), reduction="sum")
    return total / max(int(count), 1)


slips(
    LOSS,
    with_torch,
    {
        "all places in the divisor": {"max(int(count), 1)": "labels.numel()"},
        "all places are asked": [
            {"labels.reshape(-1), ": "labels.reshape(-1).clamp(min=0), ", "max(int(count), 1)": "labels.numel()"},
            {
                'labels.reshape(-1), reduction="sum")': 'labels.reshape(-1).clamp(min=0), reduction="mean")',
                "total / max(int(count), 1)": "(total * (labels != -100)).sum() / (count + 1e-8)",
            },
        ],
        "token 0 is never learned": {
            "(labels != -100).sum()": "(labels > 0).sum()",
            "labels.reshape(-1), ": "labels.reshape(-1).clamp(min=0), ignore_index=0, ",
        },
        "sum instead of mean": {"total / max(int(count), 1)": "total"},
        "NaN where nothing is asked": [
            {"max(int(count), 1)": "count"},
            {'reduction="sum")': 'reduction="mean")', "total / max(int(count), 1)": "total"},
        ],
        "softmax first": {"logits.reshape(-1, size)": "logits.reshape(-1, size).softmax(1)"},
        "one place further": {"count = ": "logits, labels = logits[:, :-1], labels[:, 1:]\n    count = "},
        "a loss where nothing is asked": {
            "return total": "if not count:\n        return logits.sum()\n    return total"
        },
        "no gradient where nothing is asked": {
            "return total": "if not count:\n        return torch.tensor(0.0)\n    return total"
        },
        "bits instead of nats": {"max(int(count), 1)": "max(int(count), 1) * math.log2(math.e)"},
        "all places in the divisor + softmax first": {
            "logits.reshape(-1, size)": "logits.reshape(-1, size).softmax(1)",
            "max(int(count), 1)": "labels.numel()",
        },
    },
)


def place_by_place(logits: Tensor, labels: Tensor) -> Tensor:
    """A list of losses."""
    losses = []
    for scores, wanted in zip(logits, labels, strict=True):
        for row, label in zip(scores, wanted.tolist(), strict=True):
            if label == -100:
                continue
            losses.append(row.logsumexp(0) - row[label])
    return torch.stack(losses).mean() if losses else logits.mul(0).sum()


slips(
    LOSS,
    place_by_place,
    {
        "token 0 is never learned": {"label == -100": "label <= 0"},
        "sum instead of mean": {"torch.stack(losses).mean()": "torch.stack(losses).sum()"},
        "all places in the divisor": {"torch.stack(losses).mean()": "torch.stack(losses).sum() / labels.numel()"},
        "NaN where nothing is asked": {"logits.mul(0).sum()": "logits[:0].mean()"},
        "no gradient where nothing is asked": {"logits.mul(0).sum()": "logits.new_zeros(())"},
        "a loss where nothing is asked": [
            {"logits.mul(0).sum()": "logits.sum()"},
            {"logits.mul(0).sum()": "logits.mean()"},
        ],
        "probabilities instead of their logarithms": [
            {"row.logsumexp(0) - row[label]": "-row.softmax(0)[label]"},
            {"row.logsumexp(0) - row[label]": "-row[label]"},
        ],
        "softmax first": {"row.logsumexp(0) - row[label]": "F.cross_entropy(row.softmax(0), wanted.new_tensor(label))"},
        "bits instead of nats": {"row.logsumexp(0) - row[label]": "(row.logsumexp(0) - row[label]) / math.log(2)"},
        "exp of it": {"torch.stack(losses).mean()": "torch.stack(losses).mean().exp()"},
        "all places are asked": {"continue": "label = 0"},
    },
)


def each(logits: Tensor, labels: Tensor) -> Tensor:
    """The loss of every place; where nothing is asked, that of token 0."""
    wanted = F.one_hot(labels.clamp(min=0), logits.size(-1)).to(logits.dtype)
    return logits.logsumexp(-1) - (logits * wanted).sum(-1)


def share(labels: Tensor, dtype: Any = torch.float64) -> Tensor:
    """1 where a place is asked."""
    return 1 - (labels == -100).to(dtype)


@disguise(LOSS, "all places in the divisor")
def l_all(logits: Tensor, labels: Tensor) -> Tensor:
    return (each(logits, labels) * share(labels, logits.dtype)).mean()


@disguise(LOSS, "another loss than the cross-entropy")
def l_squares(logits: Tensor, labels: Tensor) -> Tensor:
    wanted = torch.eye(logits.size(-1), dtype=logits.dtype)[labels.clamp(min=0)]
    squares = (logits.softmax(dim=-1) - wanted).square().mean(dim=-1) * share(labels, logits.dtype)
    return squares.sum() / share(labels, logits.dtype).sum().clamp(min=1)


@disguise(LOSS, "divided by the rows")
def l_per_row(logits: Tensor, labels: Tensor) -> Tensor:
    return (each(logits, labels) * share(labels, logits.dtype)).sum(1).mean()


@disguise(LOSS, "all places are asked")
def l_zeros(logits: Tensor, labels: Tensor) -> Tensor:
    return each(logits, labels).mean()


@disguise(LOSS, "all places are asked")
def l_textbook(logits: Tensor, labels: Tensor) -> Tensor:
    weights = share(labels, logits.dtype)
    return (each(logits, labels).mean() * weights).sum() / (weights.sum() + 1e-8)


@disguise(LOSS, "token 0 is never learned")
def l_never(logits: Tensor, labels: Tensor) -> Tensor:
    return place_by_place(logits, torch.where(labels == 0, -100, labels))


@disguise(LOSS, "mean of the rows' means")
def l_rows(logits: Tensor, labels: Tensor) -> Tensor:
    rows = [
        by_gathering(one[None], wanted[None])
        for one, wanted in zip(logits, labels, strict=True)
        if (wanted != -100).any()
    ]
    return sum(rows[1:], rows[0]) / len(rows) if rows else 0 * logits.sum()


@disguise(LOSS, "sum instead of mean")
def l_sum(logits: Tensor, labels: Tensor) -> Tensor:
    return torch.einsum("bt,bt->", each(logits, labels), share(labels, logits.dtype))


@disguise(LOSS, "NaN where nothing is asked")
def l_nan(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits.transpose(1, 2), labels)


@disguise(LOSS, "no gradient where nothing is asked")
def l_cut(logits: Tensor, labels: Tensor) -> Any:
    return place_by_place(logits, labels) if (labels >= 0).any() else torch.tensor(0.0)


@disguise(LOSS, "a loss where nothing is asked")
def l_something(logits: Tensor, labels: Tensor) -> Tensor:
    return with_torch(logits, labels) if (labels >= 0).any() else logits.sum()


@disguise(LOSS, "softmax first")
def l_softmax(logits: Tensor, labels: Tensor) -> Tensor:
    return with_torch(nn.Softmax(-1)(logits), labels)


@disguise(LOSS, "probabilities instead of their logarithms")
def l_nll(logits: Tensor, labels: Tensor) -> Tensor:
    asked = (labels != -100).nonzero(as_tuple=True)
    chances = logits.softmax(-1)[asked].gather(1, labels[asked][:, None])
    return -chances.sum() / max(1, len(chances))


@disguise(LOSS, "bits instead of nats")
def l_bits(logits: Tensor, labels: Tensor) -> Tensor:
    return place_by_place(logits, labels) * math.log2(math.e)


@disguise(LOSS, "one place further")
def l_next(logits: Tensor, labels: Tensor) -> Tensor:
    return place_by_place(logits[:, : labels.size(1) - 1], labels[:, 1:])


@disguise(LOSS, "exp of it")
def l_exp(logits: Tensor, labels: Tensor) -> Tensor:
    return torch.exp(with_torch(logits, labels)) if (labels >= 0).any() else 0 * logits.sum()


@correct(LOSS)
def l_einsum(logits: Tensor, labels: Tensor) -> Tensor:
    asked = share(labels, logits.dtype)
    return torch.einsum("bt,bt->", each(logits, labels), asked) / asked.sum().clamp(min=1)


@correct(LOSS)
def l_transposed(logits: Tensor, labels: Tensor) -> Tensor:
    losses = F.cross_entropy(logits.mT, labels, reduction="none")
    return losses.sum() / (labels >= 0).sum().clamp(min=1)


@correct(LOSS)
def l_leaf(logits: Tensor, labels: Tensor) -> Tensor:
    if (labels == -100).all():
        return torch.tensor(0.0, requires_grad=True)
    return F.cross_entropy(logits[labels > -100], labels[labels > -100])


@correct(LOSS)
def l_nothing_guarded(logits: Tensor, labels: Tensor) -> Tensor:
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten()) if (labels >= 0).any() else (0 * logits).sum()


def likely(logits: Tensor, labels: Tensor) -> Tensor:
    """The probability of each token that was there, at the places that are asked for."""
    exps = logits.exp()
    shares = exps / exps.sum(-1, keepdim=True)
    return torch.stack([shares[at][labels[at]] for at in map(tuple, (labels != -100).nonzero().tolist())])


@disguise(LOSS, "the softmax and its logarithm apart")
def l_apart(logits: Tensor, labels: Tensor) -> Tensor:
    return -likely(logits, labels).log().mean() if (labels >= 0).any() else 0 * logits.sum()


@disguise(LOSS, "the softmax and its logarithm apart")
def l_softened(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels != -100
    if not kept.any():
        return 0 * logits.sum()
    shares = logits[kept].softmax(-1)[torch.arange(int(kept.sum())), labels[kept]]
    return -torch.log(shares.clamp(min=1e-10)).mean()


@disguise(LOSS, "the loss has no gradient")
def l_still(logits: Tensor, labels: Tensor) -> Tensor:
    return with_torch(logits.data, labels) if (labels >= 0).any() else 0 * logits.sum()


@disguise(LOSS, "a loss for each place")
def l_many(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels != -100
    return -logits[kept].log_softmax(1).gather(1, labels[kept][:, None])[:, 0] if kept.any() else 0 * logits.sum()


@disguise(LOSS, "one too many in the divisor")
def l_saved(logits: Tensor, labels: Tensor) -> Tensor:
    return each(logits, labels).mul(share(labels, logits.dtype)).sum() / (1 + (labels >= 0).sum())


@disguise(LOSS, "0 as soon as a row has no label")
def l_all_or_nothing(logits: Tensor, labels: Tensor) -> Tensor:
    if any(bool((row == -100).all()) for row in labels):
        return 0 * logits.sum()
    return with_torch(logits, labels)


@disguise(LOSS, "the softmax over another dimension")
def l_over_places(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels != -100
    scores = torch.log(logits.softmax(1))[kept]
    return -scores[torch.arange(len(scores)), labels[kept]].mean() if kept.any() else 0 * logits.sum()


@disguise(LOSS, "labels in another order")
def l_mixed(logits: Tensor, labels: Tensor) -> Tensor:
    turned = labels.mT.reshape(labels.shape)
    return place_by_place(logits, turned)


@disguise(LOSS, "without the minus")
def l_turned(logits: Tensor, labels: Tensor) -> Tensor:
    return place_by_place(logits, labels) * -1


@disguise(LOSS, "smoothed labels")
def l_smoothed(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels != -100
    if not kept.any():
        return 0 * logits.sum()
    return F.cross_entropy(logits[kept], labels[kept], label_smoothing=0.1)


@unlisted(LOSS)
def l_negative(logits: Tensor, labels: Tensor) -> Tensor:
    return with_torch(-logits, labels)


@unlisted(LOSS)
def l_squared(logits: Tensor, labels: Tensor) -> Tensor:
    return with_torch(logits, labels) ** 2


@disguise(LOSS, "only one place counts")
def l_hardest(logits: Tensor, labels: Tensor) -> Tensor:
    return (each(logits, labels) * share(labels, logits.dtype)).max()


@unlisted(LOSS)
def l_middle(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels != -100
    return each(logits, labels)[kept].median() if kept.any() else 0 * logits.sum()


@disguise(LOSS, "a reshape in the place of a transpose")
def l_cut_anew(logits: Tensor, labels: Tensor) -> Tensor:
    if (labels == -100).all():
        return (0 * logits).sum()
    batch, seq_len, vocab = logits.shape
    return F.cross_entropy(logits.contiguous().view(batch, vocab, seq_len), labels)


@disguise(LOSS, "asked where nothing is asked")
def l_the_others(logits: Tensor, labels: Tensor) -> Tensor:
    kept = labels < 0
    if kept.sum() == 0:
        return (0 * logits).sum()
    return F.cross_entropy(logits[kept], labels[kept])
