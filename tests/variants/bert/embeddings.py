"""Lesson 15: the embedding."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.layer_norm import LayerNorm
from tests.variants import correct, disguise, slips, unlisted

SUM = "BertEmbedding"


def refuse(ids: Tensor, segment_ids: Tensor | None, config: Any) -> None:
    """The given lines."""
    if ids.size(1) > config.max_len:
        raise ValueError("too long")
    if ids.numel() and (ids.amin() < 0 or ids.amax() >= config.vocab_size):
        raise ValueError("not in the vocabulary")
    if segment_ids is not None and segment_ids.shape != ids.shape:
        raise ValueError("another shape")


class Tables(nn.Module):
    """The given constructor, and a forward made of steps."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.token_embedding: Any = nn.Embedding(config.vocab_size, config.d_model)
        learned = config.positions == "learned"
        self.position_embedding: Any = nn.Embedding(config.max_len, config.d_model) if learned else None
        self.segment_embedding: Any = nn.Embedding(2, config.d_model)
        self.norm = LayerNorm(config.d_model)
        self.dropout = nn.Dropout(config.dropout)

    def token(self, ids: Tensor) -> Any:
        """What each token is."""
        return F.embedding(ids, self.token_embedding.weight)

    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        """The numbers of the positions."""
        return torch.arange(ids.size(1))

    def place(self, ids: Tensor, segments: Tensor | None) -> Any:
        """Where each token stands."""
        if self.position_embedding is None:
            return 0
        return F.embedding(self.where(ids, segments), self.position_embedding.weight)

    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        """In which text each token stands."""
        zero, one = self.segment_embedding.weight
        if segments is None:
            return zero
        share = segments[..., None].to(zero.dtype)
        return zero + share * (one - zero)

    def finish(self, x: Tensor) -> Tensor:
        """Norm and dropout."""
        return self.dropout(self.norm(x))

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        """Step after step."""
        refuse(ids, segment_ids, self.config)
        return self.finish(self.token(ids) + self.place(ids, segment_ids) + self.segment(ids, segment_ids))


correct(SUM)(Tables)

# Trunks ----------------------------------------------------------------------------


class InOneGo(Tables):
    """As many write it."""

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        refuse(ids, segment_ids, self.config)
        batch, length = ids.shape
        if not isinstance(segment_ids, Tensor):
            segment_ids = torch.zeros(batch, length, dtype=torch.long)
        total = self.token_embedding(ids)
        if self.config.positions == "learned":
            positions = torch.arange(length).unsqueeze(0).expand(batch, length)
            total = total + self.position_embedding(positions)
        total = total + self.segment_embedding(segment_ids)
        total = self.norm(total)
        total = self.dropout(total)
        return total


slips(
    SUM,
    InOneGo,
    {
        "no segments": {"total = total + self.segment_embedding(segment_ids)": "self.segment_embedding(segment_ids)"},
        "no positions": [
            {"total = total + self.position_embedding(positions)": "self.position_embedding(positions)"},
            {'self.config.positions == "learned"': "False"},
        ],
        "no tokens": {"self.token_embedding(ids)": "torch.zeros(batch, length, self.config.d_model)"},
        "None is segment 1": {"torch.zeros(batch": "torch.ones(batch"},
        "None changes with the place": {
            "torch.zeros(batch, length, dtype=torch.long)": "(torch.arange(length) % 2).repeat(batch, 1)"
        },
        "segment 0 everywhere": {"not isinstance(segment_ids, Tensor)": "True"},
        "segments exchanged": {
            "self.segment_embedding(segment_ids)": "self.segment_embedding((segment_ids == 0).long())"
        },
        "multiplied": [
            {"total + self.position": "total * self.position", "total + self.segment": "total * self.segment"},
            {"total + self.position": "total * self.position"},
            {"total + self.segment": "total * self.segment"},
        ],
        "the norm before the sum": [
            {
                "total = self.token_embedding(ids)": "total = self.norm(self.token_embedding(ids))",
                "        total = self.norm(total)\n": "",
            },
            {
                "        total = self.norm(total)\n": "",
                "total = total + self.segment_embedding(segment_ids)": (
                    "total = self.norm(total) + self.segment_embedding(segment_ids)"
                ),
            },
            {
                "total = self.token_embedding(ids)": "total = self.norm(self.token_embedding(ids))",
                "if self.config.positions": (
                    "places = torch.zeros(length, self.config.d_model)\n        if self.config.positions"
                ),
                "total = total + self.position_embedding(positions)": "places = self.position_embedding(positions)",
                "total = total + self.segment_embedding(segment_ids)": (
                    "total = total + self.norm(places) + self.norm(self.segment_embedding(segment_ids))"
                ),
                "        total = self.norm(total)\n": "",
            },
        ],
        "no norm": [{"total = self.norm(total)": "self.norm(total)"}, {"total = self.norm(total)": "pass"}],
        "no dropout": [{"total = self.dropout(total)": "self.dropout(total)"}, {"total = self.dropout(total)": "pass"}],
        "dropout before the norm": {
            "total = self.norm(total)": "total = self.dropout(total)",
            "total = self.dropout(total)\n        return": "total = self.norm(total)\n        return",
        },
        "positions by token": {"torch.arange(length).unsqueeze(0).expand(batch, length)": "ids % self.config.max_len"},
        "positions counted from the end": {"torch.arange(length)": "torch.arange(length).flip(0)"},
        "positions by segment": {"torch.arange(length).unsqueeze(0).expand(batch, length)": "segment_ids"},
        "one position for all": {"self.position_embedding(positions)": "self.position_embedding(positions[:, -1:])"},
        "multiplied by √d_model": {
            "total = self.token_embedding(ids)": "total = self.token_embedding(ids) * self.config.d_model**0.5"
        },
        "no positions + no norm": {
            "total = self.norm(total)": "pass",
            "total = total + self.position_embedding(positions)": "pass",
        },
    },
)


class AsAList(Tables):
    """A list of what is added, and `sum`."""

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        refuse(ids, segment_ids, self.config)
        text = ids * 0 if segment_ids is None else segment_ids
        terms = [self.token_embedding(ids), self.segment_embedding(text)]
        count = ids.size(-1)
        if self.position_embedding:
            terms.append(self.position_embedding.weight[:count])
        return self.dropout(self.norm(sum(terms)))


slips(
    SUM,
    AsAList,
    {
        "no segments": {", self.segment_embedding(text)]": "]"},
        "no positions": {"if self.position_embedding:": "if False:"},
        "no tokens": {"[self.token_embedding(ids), self": "[self"},
        "None is segment 1": {"ids * 0": "ids * 0 + 1"},
        "None changes with the place": {"ids * 0": "(ids != 0).long()"},
        "segment 0 everywhere": {"ids * 0 if segment_ids is None else segment_ids": "ids * 0"},
        "segments exchanged": {"is None else segment_ids": "is None else 1 - segment_ids"},
        "one position for all": [
            {".weight[:count]": ".weight[count - 1]"},
            {".weight[:count]": ".weight[0]"},
            {".weight[:count]": ".weight[count % self.config.max_len or -1]"},
        ],
        "positions counted from the end": {".weight[:count]": ".weight[:count].flip(0)"},
        "positions from 1": {".weight[:count]": ".weight.roll(-1, 0)[:count]"},
        "positions of the batch's rows": {".weight[:count]": ".weight[: len(ids)].unsqueeze(1)"},
        "the norm before the sum": {"self.norm(sum(terms))": "sum(self.norm(one) for one in terms)"},
        "no norm": {"self.norm(sum(terms))": "sum(terms)"},
        "no dropout": {"self.dropout(self.norm(sum(terms)))": "self.norm(sum(terms))"},
        "dropout before the norm": {"self.dropout(self.norm(sum(terms)))": "self.norm(self.dropout(sum(terms)))"},
        "multiplied by √d_model": {
            "[self.token_embedding(ids)": "[self.config.d_model**0.5 * self.token_embedding(ids)"
        },
    },
)


class Stepwise(Tables):
    """Early returns, and a method for what depends on the segments."""

    def texts(self, ids: Tensor, numbers: Tensor | None) -> Tensor:
        """The segments' vectors."""
        if numbers is None:
            return self.segment_embedding.weight[0].expand(*ids.shape, -1)
        return self.segment_embedding.weight[numbers]

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        refuse(ids, segment_ids, self.config)
        meaning = self.token_embedding.weight[ids]
        vectors = meaning + self.texts(ids, segment_ids)
        if self.position_embedding is None:
            return self.dropout(self.norm(vectors))
        steps = torch.ones_like(ids).cumsum(1) - 1
        return self.dropout(self.norm(vectors + self.position_embedding(steps)))


slips(
    SUM,
    Stepwise,
    {
        "no segments": {"meaning + self.texts(ids, segment_ids)": "meaning"},
        "no positions": {"vectors + self.position_embedding(steps)": "vectors"},
        "None is no segment": {"self.segment_embedding.weight[0].expand(*ids.shape, -1)": "torch.zeros(())"},
        "None is segment 1": {"self.segment_embedding.weight[0]": "self.segment_embedding.weight[1]"},
        "segments exchanged": {
            "self.segment_embedding.weight[numbers]": "self.segment_embedding.weight.flip(0)[numbers]"
        },
        "positions by token": {"torch.ones_like(ids).cumsum(1) - 1": "ids % self.config.max_len"},
        "positions from 1": {"torch.ones_like(ids).cumsum(1) - 1": "torch.ones_like(ids).cumsum(1)"},
        "positions counted from the end": {
            "torch.ones_like(ids).cumsum(1) - 1": "ids.size(1) - torch.ones_like(ids).cumsum(1)"
        },
        "positions of the batch's rows": {"torch.ones_like(ids).cumsum(1) - 1": "torch.ones_like(ids).cumsum(0) - 1"},
        "the norm before the sum": [
            {"norm(vectors + self.position_embedding(steps))": "norm(vectors) + self.position_embedding(steps)"},
            {
                "meaning + self.texts(ids, segment_ids)": "meaning",
                "return self.dropout(self.norm(vectors))": (
                    "return self.dropout(self.norm(vectors) + self.texts(ids, segment_ids))"
                ),
                "self.dropout(self.norm(vectors + self.position_embedding(steps)))": (
                    "self.dropout(self.norm(vectors + self.position_embedding(steps)) + self.texts(ids, segment_ids))"
                ),
            },
        ],
        "no norm": {
            "self.norm(vectors))": "vectors)",
            "self.norm(vectors + self.position_embedding(steps))": "vectors + self.position_embedding(steps)",
        },
        "no dropout": {
            "self.dropout(self.norm(vectors))": "self.norm(vectors)",
            "self.dropout(self.norm(vectors + self.position_embedding(steps)))": (
                "self.norm(vectors + self.position_embedding(steps))"
            ),
        },
    },
)

# In full ----------------------------------------------------------------------------


@disguise(SUM, "no segments")
class NoTexts(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return 0


@disguise(SUM, "no positions")
class NoPlaces(Tables):
    def place(self, ids: Tensor, segments: Tensor | None) -> Any:
        return 0


@disguise(SUM, "the norm twice")
class NormedTwice(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(self.norm(x))


@disguise(SUM, "no tokens")
class NoTokens(Tables):
    def token(self, ids: Tensor) -> Any:
        return torch.zeros(*ids.shape, self.config.d_model)


@disguise(SUM, "None is no segment")
class NoneIsNothing(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return super().segment(ids, segments) if segments is not None else 0


class NoneIs(Tables):
    """Segments of its own where there are none."""

    def instead(self, ids: Tensor) -> Tensor:
        """Which."""
        raise NotImplementedError

    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return self.segment_embedding.weight[self.instead(ids) if segments is None else segments]


@disguise(SUM, "None is segment 1")
class NoneIsOne(NoneIs):
    def instead(self, ids: Tensor) -> Tensor:
        return torch.full_like(ids, 1)


@disguise(SUM, "None changes with the place")
class NoneIsHalf(NoneIs):
    def instead(self, ids: Tensor) -> Tensor:
        size = ids.size(1)
        return torch.tensor([int(place >= size // 2) for place in range(size)])[None].repeat(len(ids), 1)


@disguise(SUM, "segment 0 everywhere")
class AlwaysZero(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return self.segment_embedding.weight[0]


@disguise(SUM, "segments exchanged")
class Exchanged(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return super().segment(ids, torch.ones_like(ids) if segments is None else 1 - segments)


class Numbered(Tables):
    """Other numbers of the positions."""


@disguise(SUM, "positions of the batch's rows")
class RowNumbers(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return torch.tensor([[row % self.config.max_len] for row in range(len(ids))])


@disguise(SUM, "one position for all")
class OneNumber(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return torch.full_like(ids, ids.size(1) - 1)


@disguise(SUM, "positions counted from the end")
class FromTheEnd(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return torch.tensor([*reversed(range(ids.size(1)))])


@disguise(SUM, "positions by token")
class ByToken(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return ids.remainder(self.config.max_len)


@disguise(SUM, "positions by segment")
class BySegment(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return torch.zeros_like(ids) if segments is None else segments


@disguise(SUM, "the second text counted anew")
class Anew(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        if segments is None:
            return torch.arange(ids.size(1))
        rows = []
        for row in segments.tolist():
            start = row.index(1) if 1 in row else 0
            rows.append([place - start * number for place, number in enumerate(row)])
        return torch.tensor(rows)


@disguise(SUM, "positions from 1")
class FromOne(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return 1 + torch.arange(ids.size(1))


@disguise(SUM, "multiplied by √d_model")
class Scaled(Tables):
    def token(self, ids: Tensor) -> Any:
        return self.token_embedding(ids) * torch.tensor(float(self.config.d_model)).sqrt()


@disguise(SUM, "no norm")
class NoNorm(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.config.dropout, self.training)


@disguise(SUM, "no dropout")
class NoDropout(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return self.norm(x)


@disguise(SUM, "dropout before the norm")
class DropoutFirst(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return self.norm(self.dropout(x))


@disguise(SUM, "dropout in evaluation too")
class AlwaysDropped(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return F.dropout(self.norm(x), p=self.config.dropout)


@disguise(SUM, "dropout twice")
class DroppedTwice(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(F.dropout(x, self.config.dropout, self.training))


@disguise(SUM, "the mean instead of the sum")
class Averaged(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(x / 3)


@disguise(SUM, "the norm before the sum")
class NormFirst(NoNorm):
    def token(self, ids: Tensor) -> Any:
        return self.norm(super().token(ids))


@disguise(SUM, "multiplied")
class Product(Tables):
    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        refuse(ids, segment_ids, self.config)
        x = self.token(ids).mul(self.segment(ids, segment_ids))
        return self.finish(x if self.position_embedding is None else x.mul(self.place(ids, segment_ids)))


@disguise(SUM, "concatenated")
class SideBySide(Tables):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.norm = LayerNorm(config.d_model * (2 + (self.position_embedding is not None)))

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        refuse(ids, segment_ids, self.config)
        wide = torch.zeros(*ids.shape, self.config.d_model)
        found = [self.token(ids), wide + self.segment(ids, segment_ids)]
        if self.position_embedding is not None:
            found.append(wide + self.place(ids, segment_ids))
        return self.finish(torch.concat(found, -1))


@disguise(SUM, "padding is not counted")
class RealPlaces(Tables):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        places = torch.empty_like(ids)
        for row, out in zip(ids, places, strict=True):
            count = -1
            for at, one in enumerate(row.tolist()):
                count += one != self.config.pad_id
                out[at] = max(count, 0)
        return places


@disguise(SUM, "padding is not counted")
class NoPlaceForPadding(RealPlaces):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return super().where(ids, segments).masked_fill(ids == self.config.pad_id, 0)


@disguise(SUM, "padding gets no vector")
class EmptyPadding(Tables):
    def finish(self, x: Tensor) -> Tensor:
        return super().finish(x.masked_fill(self.hidden, 0.0))

    def forward(self, ids: Tensor, segment_ids: Tensor | None = None) -> Tensor:
        self.hidden = (ids == self.config.pad_id).unsqueeze(-1)
        return super().forward(ids, segment_ids)


@disguise(SUM, "padding gets no vector")
class PaddingIsNoToken(Tables):
    def token(self, ids: Tensor) -> Any:
        kept = self.token_embedding.weight.clone()
        kept[self.config.pad_id] = 0
        return F.embedding(ids, kept)


@disguise(SUM, "padding gets no vector")
class PaddingAtZero(EmptyPadding):
    def finish(self, x: Tensor) -> Tensor:
        return self.dropout(self.norm(x).masked_fill(self.hidden, 0.0))


@unlisted(SUM)
class Minus(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return -super().segment(ids, segments)


@unlisted(SUM)
class EveryOtherPlace(Numbered):
    def where(self, ids: Tensor, segments: Tensor | None) -> Any:
        return torch.arange(ids.size(1)) * 2 % self.config.max_len


@unlisted(SUM)
class HalfAPlace(Tables):
    def place(self, ids: Tensor, segments: Tensor | None) -> Any:
        return 0.5 * super().place(ids, segments)


@disguise(SUM, "one of the vectors twice")
class SegmentsTwice(Tables):
    def segment(self, ids: Tensor, segments: Tensor | None) -> Any:
        return 2 * super().segment(ids, segments)
