"""Lesson 16: the first and the last token of an answer."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

READER = "SpanReader"


class ByIndex(nn.Module):
    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = bert
        width = bert.config.d_model
        self.head = nn.Linear(width, 2)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        vectors = self.bert(ids, segment_ids=segment_ids, mask=mask)[0]
        both = self.head(vectors)
        return both[:, :, 0], both[:, :, 1]


slips(
    READER,
    ByIndex,
    {
        "start and end exchanged": {"both[:, :, 0], both[:, :, 1]": "both[:, :, 1], both[:, :, 0]"},
        "start and end in one tensor": [
            {"both[:, :, 0], both[:, :, 1]": "both"},
            {"both[:, :, 0], both[:, :, 1]": "both.transpose(1, 2)"},
            {"both[:, :, 0], both[:, :, 1]": "both.permute(2, 0, 1)"},
        ],
        "the last dimension is kept": {"both[:, :, 0], both[:, :, 1]": "both[:, :, :1], both[:, :, 1:]"},
        "one number for both": [
            {"both[:, :, 0], both[:, :, 1]": "both[:, :, 0], both[:, :, 0]"},
            {"both[:, :, 0], both[:, :, 1]": "both[:, :, 1], both[:, :, 1]"},
            {"(width, 2)": "(width, 1)", "both[:, :, 0], both[:, :, 1]": "both[:, :, 0], both[:, :, 0]"},
        ],
        "the text's vector for every token": {"mask=mask)[0]": "mask=mask)[1].unsqueeze(1).repeat(1, ids.size(1), 1)"},
        "probabilities instead of logits": [
            {"both[:, :, 0], both[:, :, 1]": "both[:, :, 0].softmax(1), both[:, :, 1].softmax(1)"},
            {"self.head(vectors)": "self.head(vectors).softmax(2)"},
            {"self.head(vectors)": "torch.sigmoid(self.head(vectors))"},
        ],
        "log-probabilities instead of logits": {"self.head(vectors)": "F.log_softmax(self.head(vectors), 1)"},
        "the model gets no gradient": {"self.head(vectors)": "self.head(vectors.detach())"},
        "the segments are not handed on": {"segment_ids=segment_ids, ": ""},
        "the mask is not handed on": {", mask=mask": ""},
        "neither segments nor mask are handed on": {", segment_ids=segment_ids, mask=mask": ""},
        "the head has no bias": {"(width, 2)": "(width, 2, bias=False)"},
        "the model is frozen": {"width = ": "bert.requires_grad_(False)\n        width = "},
        "start and end exchanged + the mask is not handed on": {
            ", mask=mask": "",
            "both[:, :, 0], both[:, :, 1]": "both[:, :, 1], both[:, :, 0]",
        },
    },
)


class BySplit(nn.Module):
    """As the much used one."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert, self.head = bert, nn.Linear(bert.config.d_model, 2, bias=True)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        made = self.bert(ids, segment_ids, mask)
        logits = self.head(made[0])
        first, last = logits.split(1, dim=-1)
        return first.squeeze(-1), last.squeeze(-1)


slips(
    READER,
    BySplit,
    {
        "start and end exchanged": {"first, last = ": "last, first = "},
        "the last dimension is kept": {"first.squeeze(-1), last.squeeze(-1)": "first, last"},
        "one number for both": {"first.squeeze(-1), last.squeeze(-1)": "first.squeeze(-1), first.squeeze(-1)"},
        "numbers of other tokens": {"logits.split(1, dim=-1)": "logits.reshape(2, *ids.shape, 1)"},
        "the text's vector for every token": {"made[0]": "made[1]"},
        "the segments are not handed on": {"(ids, segment_ids, mask)": "(ids, None, mask)"},
        "the mask is not handed on": {"(ids, segment_ids, mask)": "(ids, segment_ids)"},
        "neither segments nor mask are handed on": {"(ids, segment_ids, mask)": "(ids)"},
        "the model gets no gradient": {"made = ": "with torch.no_grad():\n            made = "},
        "the head has no bias": {"bias=True": "bias=False"},
    },
)


class ByVectors(nn.Module):
    """A vector for the start and one for the end, as the paper tells it."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = bert
        self.head = nn.Linear(in_features=bert.config.d_model, out_features=2)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        states, _ = self.bert(mask=mask, segment_ids=segment_ids, ids=ids)
        of_start, of_end = self.head.weight
        start = states @ of_start + self.head.bias[0]
        end = states @ of_end + self.head.bias[1]
        return [start, end]


slips(
    READER,
    ByVectors,
    {
        "start and end exchanged": {
            "of_start, of_end = ": "of_end, of_start = ",
            "bias[0]": "bias[1 - 0]",
            "bias[1]": "bias[0]",
        },
        "start and end in one tensor": {"[start, end]": "torch.stack((start, end), 2)"},
        "one number for both": {"[start, end]": "[start, start]"},
        "probabilities instead of logits": {"[start, end]": "[F.softmax(start, -1), F.softmax(end, -1)]"},
        "log-probabilities instead of logits": {
            "[start, end]": "[start - start.logsumexp(1, True), end - end.logsumexp(1, True)]"
        },
        "the model gets no gradient": {"        of_start": "        states = states.data\n        of_start"},
        "neither segments nor mask are handed on": {"mask=mask, segment_ids=segment_ids, ": ""},
    },
)


class Given(nn.Module):
    """The parts of a reader, and what goes on with them."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = self.taken(bert)
        self.head = self.made(bert.config.d_model)

    def taken(self, bert: Any) -> Any:
        return bert

    def made(self, width: int) -> nn.Linear:
        return nn.Linear(width, 2)

    def read(self, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
        return self.bert(ids, segment_ids, mask)

    def score(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        return self.head(hidden)

    def apart(self, scores: Tensor) -> Any:
        return scores.select(-1, 0), scores.select(-1, 1)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.apart(self.score(*self.read(ids, segment_ids, mask)))


correct(READER)(Given)


def another(**methods: Any) -> type:
    """With some of its parts written otherwise."""
    return type("Given", (Given,), methods)


def copied(self: Any, bert: Any) -> Any:
    other = type(bert)(bert.config.dropout)
    other.load_state_dict(bert.state_dict())
    return other


def frozen(self: Any, bert: Any) -> Any:
    for one in bert.parameters():
        one.requires_grad = False
    return bert


def as_one_row(self: Any, scores: Tensor) -> Any:
    numbers = scores.reshape(len(scores), -1)
    return numbers.tensor_split(2, dim=1)


WAYS: dict[str, dict[str, Any]] = {
    "start and end exchanged": {"apart": lambda self, scores: scores.flip(-1).unbind(-1)},
    "start and end in one tensor": {"apart": lambda self, scores: scores.clone()},
    "the last dimension is kept": {"apart": lambda self, scores: scores.chunk(2, -1)},
    "numbers of other tokens": {"apart": as_one_row},
    "one number for both": {"apart": lambda self, scores: (scores[..., 0],) * 2},
    "the text's vector for every token": {
        "score": lambda self, hidden, pooled: self.head(pooled[:, None].expand_as(hidden))
    },
    "probabilities instead of logits": {"apart": lambda self, scores: F.softmax(scores, dim=1).unbind(-1)},
    "log-probabilities instead of logits": {"apart": lambda self, scores: scores.softmax(1).log().unbind(-1)},
    "the model gets no gradient": {"score": lambda self, hidden, pooled: self.head(hidden.data)},
    "the segments are not handed on": {
        "read": lambda self, ids, segment_ids, mask: self.bert(ids, torch.zeros_like(ids), mask)
    },
    "the mask is not handed on": {"read": lambda self, ids, segment_ids, mask: self.bert(ids, segment_ids, None)},
    "neither segments nor mask are handed on": {"read": lambda self, ids, segment_ids, mask: self.bert(ids)},
    "the head has no bias": {"made": lambda self, width: nn.Linear(width, 2, False)},
    "a copy of the model": {"taken": copied},
    "the model is frozen": {"taken": frozen},
    "the text's vector is added": {
        "score": lambda self, hidden, pooled: F.linear(hidden + pooled[:, None], self.head.weight, self.head.bias)
    },
    "tokens are cut off": {"apart": lambda self, scores: tuple(scores[:, 1:].movedim(-1, 0))},
}

for mistake, methods in WAYS.items():
    disguise(READER, mistake)(another(**methods))


disguise(READER, "bent in front of the head")(another(score=lambda self, hidden, pooled: self.head(hidden.relu())))

unlisted(READER)(another(apart=lambda self, scores: (2 * scores[..., 0], 2 * scores[..., 1])))

unlisted(READER)(another(apart=lambda self, scores: (scores[..., 0] ** 2, scores[..., 1])))

disguise(READER, "the two numbers of a token are mixed")(
    another(apart=lambda self, scores: (scores[..., 0], scores.sum(-1)))
)


disguise(READER, "bent behind the head")(another(apart=lambda self, scores: F.relu(scores).unbind(-1)))

disguise(READER, "places instead of scores")(another(apart=lambda self, scores: scores.max(1).indices.unbind(-1)))

disguise(READER, "from the last token to the first")(
    another(score=lambda self, hidden, pooled: self.head(torch.flip(hidden, (1,))))
)


disguise(READER, "the head's bias does not count once")(
    another(score=lambda self, hidden, pooled: hidden @ self.head.weight.T)
)


@unlisted(READER)
class Unpacks(Given):
    """Takes the pairs apart for the two numbers."""

    def apart(self, scores: Tensor) -> Any:
        start, end = scores
        return start, end


@unlisted(READER)
class OfBoth(Given):
    """Gives the head all that the model gives."""

    def read(self, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
        return self.bert(ids, segment_ids, mask), None


@unlisted(READER)
class Unmade(nn.Module):
    """Without a head."""

    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = bert

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return self.head(self.bert(ids, segment_ids, mask)[0]).unbind(-1)


@disguise(READER, "dropout in front of the head")
class Dropping(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        vectors, _ = self.bert(ids, segment_ids, mask)
        return self.head(F.dropout(vectors, 0.2, self.training)).unbind(2)


@disguise(READER, "a seed of its own")
class Seeded(ByIndex):
    def __init__(self, bert: Any) -> None:
        torch.manual_seed(7)
        super().__init__(bert)


@disguise(READER, "segments and mask exchanged")
class Exchanged(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return super().forward(ids, mask, segment_ids)


@disguise(READER, "the mask is turned round")
class TurnedRound(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        return super().forward(ids, segment_ids, None if mask is None else torch.logical_not(mask))


@disguise(READER, "a dimension of size one is lost")
class Squeezed(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        start, end = self.head(self.bert(ids, segment_ids, mask)[0]).split(1, dim=-1)
        return torch.squeeze(start), torch.squeeze(end)


@disguise(READER, "the model is always in evaluation mode")
class Calmed(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        self.bert.train(False)
        return super().forward(ids, segment_ids, mask)


@disguise(READER, "bent in front of the head")
class Bent(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        vectors, _ = self.bert(ids, segment_ids, mask)
        return tuple(
            torch.tanh(vectors) @ row + bias for row, bias in zip(self.head.weight, self.head.bias, strict=True)
        )


@disguise(READER, "some tokens score minus infinity")
class TextAlone(ByIndex):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        start, end = super().forward(ids, segment_ids, mask)
        if segment_ids is None:
            return start, end
        of_text = segment_ids.bool()
        return torch.where(of_text, start, -torch.inf), torch.where(of_text, end, -torch.inf)


disguise(READER, "numbers of other tokens")(another(apart=lambda self, scores: (scores[0], scores[1])))

disguise(READER, "segments are made up")(
    another(
        read=lambda self, ids, segment_ids, mask: self.bert(ids, ids**0 if segment_ids is None else segment_ids, mask)
    )
)


for bent in (nn.ReLU, nn.Tanh):
    disguise(READER, "more than one layer in the head")(
        another(made=lambda self, width, bent=bent: nn.Sequential(nn.Linear(width, width), bent(), nn.Linear(width, 2)))
    )


disguise(READER, "two layers for the head")(
    another(
        made=lambda self, width: nn.ModuleList([nn.Linear(width, 1), nn.Linear(width, 1)]),
        score=lambda self, hidden, pooled: torch.cat([self.head[0](hidden), self.head[1](hidden)], dim=-1),
    )
)


@disguise(READER, "two layers for the head")
class StartAndEnd(nn.Module):
    def __init__(self, bert: Any) -> None:
        super().__init__()
        self.bert = bert
        self.start = nn.Linear(bert.config.d_model, 1)
        self.end = nn.Linear(bert.config.d_model, 1)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Any:
        hidden = self.bert(ids, segment_ids, mask)[0]
        return self.start(hidden)[..., 0], self.end(hidden)[..., 0]
