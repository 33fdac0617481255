"""Lesson 17: BiEncoder and the article's."""

import math
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.semantic_matching import contrastive_loss, mean_pool
from tests.variants import correct, disguise, slips, unlisted

ENCODER = "BiEncoder"


class Parts(nn.Module):
    """The given constructor."""

    def __init__(self, bert: Any, temperature: float = 0.1) -> None:
        super().__init__()
        if not temperature > 0:
            raise ValueError("temperature")
        self.bert = bert
        self.log_temperature = nn.Parameter(torch.tensor(math.log(temperature)))


class Plain(Parts):
    """Names for everything."""

    def encode(self, ids: Tensor) -> Tensor:
        made = self.bert(ids)[0]
        real = ids.ne(self.bert.config.pad_id)
        return mean_pool(made, real)

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        q = self.encode(query_ids)
        d = self.encode(document_ids)
        warmth = torch.exp(self.log_temperature)
        return contrastive_loss(q, d, warmth, same=same)


slips(
    ENCODER,
    Plain,
    {
        "mean over the padding": [
            {"mean_pool(made, real)": "made.mean(1)"},
            {"ids.ne(self.bert.config.pad_id)": "ids.ne(-100)"},
        ],
        "divided by the padded length": {"mean_pool(made, real)": "(made * real[..., None]).mean(1)"},
        "the vector at place 0": {"mean_pool(made, real)": "made[:, 0, :]"},
        "the pooled vector": {"self.bert(ids)[0]": "self.bert(ids)[1]", "mean_pool(made, real)": "made"},
        "padding is taken for id 0": {"ids.ne(self.bert.config.pad_id)": "ids.bool()"},
        "the mask upside down": {"ids.ne(": "ids.eq("},
        "the temperature upside down": {"torch.exp(self.log_temperature)": "1 / torch.exp(self.log_temperature)"},
        "a temperature of 1": {"torch.exp(self.log_temperature)": "1"},
        "the temperature does not learn": {
            "torch.exp(self.log_temperature)": "torch.exp(self.log_temperature).detach()"
        },
        "same is not handed on": {", same=same": ""},
        "one side compared with itself": [
            {"self.encode(document_ids)": "self.encode(query_ids)"},
            {"self.encode(query_ids)": "self.encode(document_ids)"},
        ],
        "the documents get no gradient": {
            "d = self.encode(document_ids)": "with torch.no_grad():\n            d = self.encode(document_ids)"
        },
        "the model gets no gradient": {
            "made = self.bert(ids)[0]": "with torch.no_grad():\n            made = self.bert(ids)[0]"
        },
        "mean over the padding + same is not handed on": {"mean_pool(made, real)": "made.mean(1)", ", same=same": ""},
    },
)


class AllByHand(Parts):
    """Neither of the two functions."""

    def encode(self, ids: Tensor) -> Tensor:
        made = self.bert(ids)[0]
        weights = (ids != self.bert.config.pad_id)[..., None].to(made.dtype)
        return (made * weights).sum(1) / weights.sum(1).clamp(min=1)

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        first, second = (F.normalize(self.encode(one)) for one in (query_ids, document_ids))
        table = first @ second.mT * torch.exp(-self.log_temperature)
        if same is not None:
            table = table.masked_fill(same.clone().fill_diagonal_(False), -torch.inf)
        wanted = torch.arange(table.size(0))
        return F.cross_entropy(table, wanted) / 2 + F.cross_entropy(table.mT, wanted) / 2


slips(
    ENCODER,
    AllByHand,
    {
        "mean over the padding": {
            "return (made * weights).sum(1) / weights.sum(1).clamp(min=1)": "return made.sum(1) / made.size(1)"
        },
        "divided by the padded length": {"weights.sum(1).clamp(min=1)": "made.size(1)"},
        "the temperature upside down": {"torch.exp(-self.log_temperature)": "torch.exp(self.log_temperature)"},
        "a temperature of 1": {" * torch.exp(-self.log_temperature)": ""},
        "distances as scores": {"first @ second.mT * torch": "torch.cdist(first, second) * torch"},
        "one direction": {
            "F.cross_entropy(table, wanted) / 2 + F.cross_entropy(table.mT, wanted) / 2": (
                "F.cross_entropy(table, wanted)"
            )
        },
        "same is not handed on": {"table = table.masked_fill(": "table.masked_fill("},
        "padding is taken for id 0": {"ids != self.bert.config.pad_id": "ids != 0"},
        "mean over the padding + one direction": {
            "return (made * weights).sum(1) / weights.sum(1).clamp(min=1)": "return made.mean(1)",
            "F.cross_entropy(table, wanted) / 2 + F.cross_entropy(table.mT, wanted) / 2": (
                "F.cross_entropy(table, wanted)"
            ),
        },
    },
)


class RowByRow(Parts):
    """Every text read by itself, without its padding."""

    def encode(self, ids: Tensor) -> Tensor:
        found = []
        for row in ids:
            text = row[row != self.bert.config.pad_id]
            tokens = self.bert(text[None])[0][0]
            found.append(tokens.mean(0))
        return torch.stack(found)

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        sides = [self.encode(one) for one in (query_ids, document_ids)]
        return contrastive_loss(sides[0], sides[1], self.log_temperature.exp(), same)


slips(
    ENCODER,
    RowByRow,
    {
        "the vector at place 0": {"tokens.mean(0)": "tokens[0]"},
        "the pooled vector": {"[0][0]": "[1][0]", "tokens.mean(0)": "tokens"},
        "divided by the padded length": {"tokens.mean(0)": "tokens.sum(0) / len(row)"},
        "a temperature of 1": {"self.log_temperature.exp()": "1.0"},
        "the temperature does not learn": {"self.log_temperature.exp()": "math.exp(self.log_temperature)"},
        "one side compared with itself": {"sides[0], sides[1]": "sides[0], sides[0]"},
        "same is not handed on": {"exp(), same)": "exp())"},
        "the documents get no gradient": [
            {"sides[0], sides[1]": "sides[0], sides[1].data"},
            {"sides[0], sides[1]": "sides[0].data, sides[1]"},
        ],
        "the model gets no gradient": {"found.append(tokens.mean(0))": "found.append(tokens.mean(0).detach())"},
    },
)


def model(pool: Any, loss: Any, label: str = "Model") -> Any:
    """A class out of two functions."""

    class Model(Parts):
        def encode(self, ids: Tensor) -> Tensor:
            hidden, pooled = self.bert(ids)
            return pool(hidden, pooled, ids, self.bert.config.pad_id)

        def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
            return loss(self.encode(query_ids), self.encode(document_ids), self.log_temperature, same)

    Model.__name__ = Model.__qualname__ = label
    return Model


def pool(hidden: Tensor, pooled: Tensor, ids: Tensor, pad: int) -> Tensor:
    holes = hidden.masked_fill((ids == pad).unsqueeze(2), torch.nan)
    return holes.nanmean(1)


def loss(q: Tensor, d: Tensor, log: Tensor, same: Any) -> Tensor:
    return contrastive_loss(q, d, log.exp(), same)


def one_way(table: Tensor) -> Tensor:
    return -table.log_softmax(1).diagonal().mean()


def hidden_twins(table: Tensor, same: Any) -> Tensor:
    return table if same is None else table - 1e30 * (same & ~torch.eye(len(table)).bool())


def by_distance(q: Tensor, d: Tensor, log: Tensor, same: Any) -> Tensor:
    apart = hidden_twins((F.normalize(q)[:, None] - F.normalize(d)[None]).norm(dim=2) / log.exp(), same)
    return (one_way(apart) + one_way(apart.mT)) / 2


def forwards(q: Tensor, d: Tensor, log: Tensor, same: Any) -> Tensor:
    return one_way(hidden_twins(F.normalize(q) @ F.normalize(d).mT / log.exp(), same))


correct(ENCODER)(model(pool, loss))
disguise(ENCODER, "mean over the padding")(model(lambda hidden, pooled, ids, pad: torch.mean(hidden, 1), loss))
disguise(ENCODER, "divided by the padded length")(
    model(
        lambda hidden, pooled, ids, pad: (
            torch.einsum("bsd,bs->bd", hidden, (ids != pad).to(hidden.dtype)) / ids.size(1)
        ),
        loss,
    )
)
disguise(ENCODER, "the vector at place 0")(model(lambda hidden, pooled, ids, pad: hidden.select(1, 0), loss))
disguise(ENCODER, "the pooled vector")(model(lambda hidden, pooled, ids, pad: pooled, loss))
disguise(ENCODER, "padding is taken for id 0")(
    model(lambda hidden, pooled, ids, pad: mean_pool(hidden, ids.gt(0)), loss)
)
disguise(ENCODER, "the mask upside down")(model(lambda hidden, pooled, ids, pad: mean_pool(hidden, ids.eq(pad)), loss))
disguise(ENCODER, "the temperature upside down")(
    model(pool, lambda q, d, log, same: contrastive_loss(q, d, log.neg().exp(), same))
)
disguise(ENCODER, "a temperature of 1")(model(pool, lambda q, d, log, same: contrastive_loss(q, d, 1.0, same)))
disguise(ENCODER, "the temperature does not learn")(
    model(pool, lambda q, d, log, same: contrastive_loss(q, d, log.data.exp(), same))
)
disguise(ENCODER, "same is not handed on")(model(pool, lambda q, d, log, same: contrastive_loss(q, d, log.exp(), None)))
disguise(ENCODER, "one side compared with itself")(
    model(pool, lambda q, d, log, same: contrastive_loss(q, q, log.exp(), same))
)
disguise(ENCODER, "the documents get no gradient")(
    model(pool, lambda q, d, log, same: contrastive_loss(q, d.detach(), log.exp(), same))
)
disguise(ENCODER, "the model gets no gradient")(model(lambda *given: pool(*given).detach(), loss))
disguise(ENCODER, "distances as scores")(model(pool, by_distance))
disguise(ENCODER, "one direction")(model(pool, forwards))
disguise("ArticleBiEncoder", "mean over the padding")(
    model(lambda hidden, pooled, ids, pad: hidden.sum(1) / hidden.size(1), loss, "ArticleBiEncoder")
)
disguise("ArticleBiEncoder", "distances as scores")(model(pool, by_distance, "ArticleBiEncoder"))
correct("ArticleBiEncoder")(model(pool, loss, "ArticleBiEncoder"))


@unlisted(ENCODER)
class ThreeTimes(Plain):
    """The loss of the batch, three times."""

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        return 3 * super().forward(query_ids, document_ids, same)


@unlisted(ENCODER)
class Squared(Plain):
    """Vectors of squares."""

    def encode(self, ids: Tensor) -> Tensor:
        return super().encode(ids).square()


@unlisted(ENCODER)
class Halved(Plain):
    """The first token counts twice."""

    def encode(self, ids: Tensor) -> Tensor:
        return super().encode(ids) + self.bert(ids)[0][:, 0] / 10


@disguise(ENCODER, "put into evaluation mode")
class Calming(Plain):
    def encode(self, ids: Tensor) -> Tensor:
        self.bert.train(False)
        return super().encode(ids)


@disguise(ENCODER, "the mask is handed on as segments")
class Segmented(Plain):
    def encode(self, ids: Tensor) -> Tensor:
        real = ids.ne(self.bert.config.pad_id)
        return mean_pool(self.bert(ids, segment_ids=real.int())[0], real)


@disguise(ENCODER, "multiplied by the number of pairs")
class Summed(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        return super().forward(query_ids, document_ids, same) * query_ids.size(0)


@disguise(ENCODER, "the scores for the loss")
class Scoring(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        q, d = F.normalize(self.encode(query_ids), dim=1), F.normalize(self.encode(document_ids), dim=1)
        return q @ d.T / self.log_temperature.exp()


@disguise(ENCODER, "the vectors beside the loss")
class Telling(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        return super().forward(query_ids, document_ids, same), self.encode(query_ids), self.encode(document_ids)


@disguise(ENCODER, "a number of Python's for the loss")
class Numbered(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Any:
        return float(super().forward(query_ids, document_ids, same))


@disguise(ENCODER, "bent behind the mean")
class Bent(Plain):
    def encode(self, ids: Tensor) -> Tensor:
        return torch.tanh(super().encode(ids))


@disguise(ENCODER, "a softmax before the cross-entropy")
class Twice(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        q, d = F.normalize(self.encode(query_ids), dim=1), F.normalize(self.encode(document_ids), dim=1)
        table = q @ d.T / self.log_temperature.exp()
        if same is not None:
            table = table.masked_fill(same & ~torch.eye(len(q)).bool(), -torch.inf)
        right = torch.arange(len(q))
        return (F.cross_entropy(table.softmax(1), right) + F.cross_entropy(table.T.softmax(1), right)) / 2


@disguise(ENCODER, "the temperature begins elsewhere")
class BegunAtOne(Plain):
    def __init__(self, bert: Any, temperature: float = 0.1) -> None:
        super().__init__(bert, temperature)
        self.log_temperature = nn.Parameter(torch.zeros(()) + temperature)


@disguise(ENCODER, "the logarithm is not undone")
class Undone(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        q, d = F.normalize(self.encode(query_ids), dim=1), F.normalize(self.encode(document_ids), dim=1)
        table = q @ d.T / self.log_temperature
        if same is not None:
            table = table.masked_fill(same & ~torch.eye(len(q)).bool(), -torch.inf)
        return (table.logsumexp(0) + table.logsumexp(1) - 2 * table.diag()).mean() / 2


@disguise(ENCODER, "another power of the temperature")
class DividedTwice(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        warmth = self.log_temperature.exp()
        return contrastive_loss(self.encode(query_ids), self.encode(document_ids), warmth * warmth, same)


@disguise(ENCODER, "the temperature is held back")
class HeldBack(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        scale = (-self.log_temperature).exp().clamp(max=100)
        return contrastive_loss(self.encode(query_ids), self.encode(document_ids), 1 / scale, same)


@disguise(ENCODER, "kept from an earlier call")
class Remembering(Plain):
    kept: Any = None

    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        if self.kept is None or len(self.kept) != len(document_ids):
            self.kept = self.encode(document_ids)
        return contrastive_loss(self.encode(query_ids), self.kept, self.log_temperature.exp(), same)


@disguise(ENCODER, "each token's vector is normalized")
class TokenByToken(Plain):
    def encode(self, ids: Tensor) -> Tensor:
        rows = self.bert(ids)[0]
        return mean_pool(rows / rows.norm(dim=2, keepdim=True), ids.ne(self.bert.config.pad_id))


@disguise(ENCODER, "something is done to the loss")
class Away(Plain):
    def forward(self, query_ids: Tensor, document_ids: Tensor, same: Any = None) -> Tensor:
        return super().forward(query_ids, document_ids, same).neg()
