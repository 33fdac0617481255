"""Lesson 15: the model."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.stand_ins.bert import BertEmbedding as Summed
from autograder.stand_ins.bert import bert_layer
from tests.variants import correct, disguise, slips, unlisted

MODEL = "BERT"


class Given(nn.Module):
    """The given constructor, and a forward made of steps."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config
        self.embedding = Summed(config)
        self.layers: Any = nn.ModuleList([bert_layer(config) for _ in range(config.num_layers)])
        self.pooler: Any = nn.Linear(config.d_model, config.d_model)

    def look(self, ids: Tensor, mask: Tensor | None) -> Tensor | None:
        """Who may look at whom."""
        return (ids != self.config.pad_id)[:, None, None, :] if mask is None else mask

    def start(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        """What the first layer reads."""
        return self.embedding(ids, segments)

    def run(self, x: Tensor, mask: Any) -> tuple[list[Tensor], Any]:
        """What every layer makes of it, the embedding first; and the weights."""
        stages, kept = [x], []
        for layer in self.layers:
            made, weights = layer(stages[-1], mask, return_weights=True)
            stages.append(made)
            kept.append(weights)
        return stages, kept

    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        """The vector of the row before the pooler."""
        return stages[-1][:, 0]

    def pool(self, x: Tensor) -> Tensor:
        """The vector of the row."""
        return self.pooler(x).tanh()

    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        """What comes back."""
        return (hidden, pooled, kept) if wanted else (hidden, pooled)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        """Step after step."""
        stages, kept = self.run(self.start(ids, segment_ids), self.look(ids, mask))
        return self.result(stages[-1], self.pool(self.gather(stages, ids)), kept, return_weights)


correct(MODEL)(Given)

# Trunks ----------------------------------------------------------------------------


class Plain(Given):
    """As many write it."""

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        if not isinstance(mask, Tensor):
            visible = ids != self.config.pad_id
            mask = visible.unsqueeze(1).unsqueeze(2)
        x = self.embedding(ids, segment_ids)
        maps = []
        for block in self.layers:
            x, w = block(x, mask=mask, return_weights=True)
            maps.append(w)
        cls = x[:, 0, :]
        row = self.pooler(cls)
        row = row.tanh()
        if return_weights:
            return x, row, maps
        return x, row


slips(
    MODEL,
    Plain,
    {
        "causal": [
            {"unsqueeze(2)": "unsqueeze(2) & torch.ones(ids.size(1), ids.size(1)).tril().bool()"},
            {"visible.unsqueeze(1).unsqueeze(2)": "torch.ones(ids.size(1), ids.size(1)).tril().bool()"},
        ],
        "padding is read": [{"mask=mask, return": "mask=None if mask.size(-2) == 1 else mask, return"}],
        "padding is read from the second layer on": [{"maps.append(w)": "maps.append(w)\n            mask = None"}],
        "only padding is read": {"ids != self": "ids == self"},
        "padding may not ask": {"unsqueeze(2)": "unsqueeze(3)"},
        "padding neither asks nor is read": {
            "visible.unsqueeze(1).unsqueeze(2)": "(visible[:, :, None] & visible[:, None]).unsqueeze(1)"
        },
        "the given mask is ignored": {"not isinstance(mask, Tensor)": "True"},
        "0 is taken for the padding": {"ids != self.config.pad_id": "ids != 0"},
        "segments are not handed on": {"(ids, segment_ids)\n        maps": "(ids)\n        maps"},
        "pooled by the mean": [
            {"x[:, 0, :]": "x.mean(1)"},
            {
                "x[:, 0, :]": "(x * (ids != self.config.pad_id).unsqueeze(-1)).sum(1)"
                " / (ids != self.config.pad_id).sum(1, keepdim=True).clamp(min=1)"
            },
        ],
        "pooled by the largest": {"x[:, 0, :]": "x.max(dim=1).values"},
        "pooled by the sum": {"x[:, 0, :]": "x.sum(1)"},
        "pooled by the last token": {"x[:, 0, :]": "x[:, -1, :]"},
        "pooled from the first row": {"x[:, 0, :]": "x[0]"},
        "every token is pooled": [{"x[:, 0, :]": "x"}, {"x[:, 0, :]": "x[:, :1, :]"}],
        "the pooler without tanh": [{"row = row.tanh()": "row.tanh()"}, {"row = row.tanh()": "pass"}],
        "another function for tanh": [
            {"row.tanh()": "row.relu()"},
            {"row.tanh()": "row.sigmoid()"},
            {"row.tanh()": "F.gelu(row)"},
            {"row.tanh()": "row.softmax(1)"},
        ],
        "no pooler": [
            {"self.pooler(cls)": "cls"},
            {"self.pooler(cls)": "cls", "row = row.tanh()": "pass"},
            {"self.pooler(cls)": "self.pooler(cls.tanh())", "row = row.tanh()": "pass"},
        ],
        "only one layer runs": {
            "            maps.append(w)\n": "            maps.append(w)\n            break\n",
        },
        "no layer runs": {"x, w = block": "_, w = block"},
        "the last layer does not run": [
            {"in self.layers:": "in self.layers[:-1]:"},
            {"in self.layers:": "in self.layers[1:]:"},
        ],
        "the layers in reverse order": {"in self.layers:": "in self.layers[::-1]:"},
        "hidden and pooled exchanged": {
            "return x, row, maps\n        return x, row": "return row, x, maps\n        return row, x"
        },
        "weights of the last layer only": {"x, row, maps": "x, row, w"},
        "the mean of the heads' weights": {"maps.append(w)": "maps.append(w.mean(1))"},
        "padding is read from the second layer on + the pooler without tanh": {
            "maps.append(w)": "maps.append(w)\n            mask = None",
            "row = row.tanh()": "pass",
        },
    },
)


class Looking(Given):
    """Numbers instead of loops over layers, and the mask in a method of its own."""

    def seen(self, ids: Tensor, mask: Any) -> Any:
        """All but padding, unless somebody knows better."""
        return torch.ne(ids, self.config.pad_id).reshape(len(ids), 1, 1, -1) if mask is None else mask

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        outputs: list[Any] = [(self.embedding(ids, segment_ids), None)]
        allowed = self.seen(ids, mask)
        for number in range(self.config.num_layers):
            outputs += [self.layers[number](outputs[-1][0], allowed, True)]
        last = outputs[-1][0]
        first = last.narrow(1, 0, 1).squeeze(1)
        summary = torch.tanh(F.linear(first, self.pooler.weight, self.pooler.bias))
        found = [last, summary]
        if return_weights:
            found.append([one for _, one in outputs[1:]])
        return tuple(found)


slips(
    MODEL,
    Looking,
    {
        "padding is read": {"reshape(len(ids), 1, 1, -1) if mask": "new_ones(1, 1, 1, 1) if mask"},
        "only padding is read": {"torch.ne": "torch.eq"},
        "padding may not ask": {"(len(ids), 1, 1, -1)": "(len(ids), 1, -1, 1)"},
        "the given mask is ignored": {"self.seen(ids, mask)": "self.seen(ids, None)"},
        "padding is hidden from the given mask as well": {
            "allowed = self.seen(ids, mask)": "allowed = self.seen(ids, None) & (True if mask is None else mask)"
        },
        "0 is taken for the padding": {"torch.ne(ids, self.config.pad_id)": "torch.ne(ids, 0)"},
        "segments are not handed on": {"self.embedding(ids, segment_ids)": "self.embedding(ids)"},
        "pooled by the mean": {"last.narrow(1, 0, 1).squeeze(1)": "last.mean(dim=-2)"},
        "pooled by the last token": {"last.narrow(1, 0, 1)": "last.narrow(1, last.size(1) - 1, 1)"},
        "every token is pooled": [{".narrow(1, 0, 1).squeeze(1)": ""}, {".squeeze(1)": ""}],
        "the pooler without tanh": {
            "torch.tanh(F.linear(first, self.pooler.weight, self.pooler.bias))": "self.pooler(first)"
        },
        "no pooler": {"F.linear(first, self.pooler.weight, self.pooler.bias)": "first"},
        "pooled from an earlier stage": [
            {"first = last": "first = outputs[-2][0]"},
            {"first = last": "first = outputs[0][0]"},
            {"first = last": "first = outputs[1][0]"},
            {"first = last": "first = outputs[1:][-2][0]"},
        ],
        "weights in front of the row's vector": [
            {"found.append(": "found.insert(0, "},
            {"found.append(": "found.insert(1, "},
        ],
        "every layer reads the embedding": {"(outputs[-1][0], allowed": "(outputs[0][0], allowed"},
        "the last layer does not run": {"range(self.config.num_layers)": "range(self.config.num_layers - 1)"},
        "the layers in reverse order": {"self.layers[number]": "self.layers[-number - 1]"},
        "hidden and pooled exchanged": {"[last, summary]": "[summary, last]"},
        "weights of the last layer only": {"[one for _, one in outputs[1:]]": "outputs[-1][1]"},
        "the mean of the heads' weights": [
            {"[one for _, one": "[one.mean(1) for _, one"},
            {"[one for _, one": "[one.narrow(1, 0, 1) for _, one"},
        ],
        "the weights in one tensor": [
            {"found.append(": "found.extend("},
            {"[one for _, one in outputs[1:]]": "torch.stack([one for _, one in outputs[1:]]).sum(0)"},
        ],
    },
)


class Built(Given):
    """Its own constructor, and a private walk through the layers."""

    def __init__(self, config: Any) -> None:
        nn.Module.__init__(self)
        self.pooler = nn.Linear(config.d_model, config.d_model)
        self.layers = nn.ModuleList()
        for _ in range(config.num_layers):
            self.layers.append(bert_layer(config))
        self.embedding, self.config = Summed(config), config

    def walk(self, state: Tensor, mask: Tensor, maps: list[Tensor]) -> Tensor:
        """Layer after layer."""
        for block in self.layers:
            state, here = block(state, mask, return_weights=True)
            maps.append(here)
        return state

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        padding = ids.eq(self.config.pad_id)[:, None, None]
        maps: list[Tensor] = []
        state = self.walk(self.embedding(ids, segment_ids), ~padding if mask is None else mask, maps)
        pooled = self.pooler(state.select(1, 0))
        pooled = 2 * torch.sigmoid(2 * pooled) - 1
        return (state, pooled, maps) if return_weights else (state, pooled)


slips(
    MODEL,
    Built,
    {
        "one layer used over and over": {
            "self.layers.append(bert_layer(config))": (
                "self.layers.append(self.layers[0] if len(self.layers) else bert_layer(config))"
            )
        },
        "causal": {
            "maps: list[Tensor] = []": (
                "maps: list[Tensor] = []\n"
                "        padding = padding | torch.ones(ids.size(1), ids.size(1)).bool().triu(1)"
            )
        },
        "only padding is read": {"~padding if": "padding if"},
        "padding is hidden from the given mask as well": {"is None else mask,": "is None else mask & ~padding,"},
        "the given mask is ignored": {"~padding if mask is None else mask": "~padding"},
        "padding may not ask": {"[:, None, None]": "[:, None, :, None]"},
        "0 is taken for the padding": {"ids.eq(self.config.pad_id)": "ids.eq(0)"},
        "segments are not handed on": {"(ids, segment_ids), ~": "(ids), ~"},
        "pooled by the last token": {"select(1, 0)": "select(1, -1)"},
        "pooled from the first row": {"select(1, 0)": "select(0, 0)"},
        "the pooler without tanh": {"pooled = 2 * torch.sigmoid(2 * pooled) - 1": "pass"},
        "another function for tanh": {"2 * torch.sigmoid(2 * pooled) - 1": "torch.sigmoid(pooled)"},
        "every layer reads the embedding": {
            "state, here = block(state": "end, here = block(state",
            "return state\n": "return end\n",
        },
        "padding is read from the second layer on": {
            "maps.append(here)": "maps.append(here)\n            mask = torch.ones_like(mask)"
        },
        "weights of the last layer only": [{"maps.append(here)": "maps[:] = [here]"}],
        "no layer runs": {"state = self.walk(": "state = self.embedding(ids, segment_ids)\n        self.walk("},
    },
)

# In full ----------------------------------------------------------------------------


def square(ids: Tensor) -> Tensor:
    """True on and below the diagonal."""
    return torch.ones(ids.size(1), ids.size(1)).bool().tril()


@disguise(MODEL, "causal")
class Causal(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        seen = super().look(ids, mask)
        return seen & square(ids) if mask is None else seen


@disguise(MODEL, "causal")
class CausalAlways(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        seen: Any = super().look(ids, mask)
        return seen & square(ids)


@disguise(MODEL, "causal")
class OnlyBehind(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        seen: Any = super().look(ids, mask)
        return seen & square(ids).mT if mask is None else seen


@disguise(MODEL, "no mask reaches the layers")
class Maskless(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return None


@disguise(MODEL, "padding is read")
class Unmasked(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return torch.ones(1, 1, dtype=torch.bool) if mask is None else mask


@disguise(MODEL, "padding is read from the second layer on")
class OnceMasked(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = [x], []
        for number, layer in enumerate(self.layers):
            made, weights = layer(stages[-1], mask if number == 0 else None, return_weights=True)
            stages.append(made)
            kept.append(weights)
        return stages, kept


@disguise(MODEL, "only padding is read")
class Inverted(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return (ids == self.config.pad_id)[:, None, None] if mask is None else mask


@disguise(MODEL, "padding may not ask")
class Queries(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return (ids != self.config.pad_id)[:, None, :, None] if mask is None else mask


@disguise(MODEL, "padding neither asks nor is read")
class Both(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        real = (ids != self.config.pad_id).int()
        return torch.einsum("bq,bk->bqk", real, real)[:, None].bool() if mask is None else mask


@disguise(MODEL, "the given mask is ignored")
class Deaf(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return super().look(ids, None)


@disguise(MODEL, "padding is hidden from the given mask as well")
class Strict(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        real: Any = super().look(ids, None)
        return real if mask is None else real.logical_and(mask)


@disguise(MODEL, "0 is taken for the padding")
class Zero(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return ids.bool()[:, None, None] if mask is None else mask


@disguise(MODEL, "segments are not handed on")
class OneText(Given):
    def start(self, ids: Tensor, segments: Any) -> Tensor:
        if segments is not None and segments.shape != ids.shape:
            return self.embedding(ids[:, : segments.size(1)])
        return self.embedding(ids)


class Gathering(Given):
    """Another vector of the row."""


@disguise(MODEL, "pooled by the mean")
class Mean(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1].sum(1) / ids.size(1)


@disguise(MODEL, "pooled by the mean")
class RealMean(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        real = (ids != self.config.pad_id).to(stages[-1].dtype)
        return torch.einsum("btd,bt->bd", stages[-1], real) / real.sum(1, keepdim=True).clamp(min=1)


@disguise(MODEL, "pooled by the largest")
class Largest(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return F.adaptive_max_pool1d(stages[-1].transpose(1, 2), 1).squeeze(-1)


@disguise(MODEL, "pooled by the sum")
class Total(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return torch.einsum("btd->bd", stages[-1])


@disguise(MODEL, "pooled by the last token")
class LastPlace(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1].flip(1)[:, 0]


@disguise(MODEL, "pooled by the last token")
class LastReal(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        lengths = (ids != self.config.pad_id).sum(1).tolist()
        return torch.stack([row[max(length, 1) - 1] for row, length in zip(stages[-1], lengths, strict=True)])


@disguise(MODEL, "pooled from the first row")
class FirstRow(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1].select(0, 0)


@disguise(MODEL, "every token is pooled")
class Everything(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1]


@disguise(MODEL, "pooled from an earlier stage")
class BeforeLast(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-2][:, 0]


@disguise(MODEL, "pooled from an earlier stage")
class FromTheStart(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[0][:, 0]


@disguise(MODEL, "every token flattened")
class Flattened(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.pooler = nn.Linear(config.d_model * config.max_len, config.d_model)

    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        missing = self.config.max_len - ids.size(1)
        return F.pad(stages[-1], (0, 0, 0, missing)).reshape(len(ids), -1)


@disguise(MODEL, "the pooler without tanh")
class Straight(Given):
    def pool(self, x: Tensor) -> Tensor:
        return x @ self.pooler.weight.T + self.pooler.bias


@disguise(MODEL, "another function for tanh")
class Rectified(Given):
    def pool(self, x: Tensor) -> Tensor:
        return self.pooler(x).clamp(min=0)


@disguise(MODEL, "no pooler")
class TanhOnly(Given):
    def pool(self, x: Tensor) -> Tensor:
        return nn.Tanh()(x)


@disguise(MODEL, "no pooler")
class TanhFirst(Given):
    def pool(self, x: Tensor) -> Tensor:
        return self.pooler(x.tanh())


@disguise(MODEL, "every layer reads the embedding")
class NotAChain(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        pairs = [layer(x, mask, return_weights=True) for layer in self.layers]
        return [x, *(made for made, _ in pairs)], [weights for _, weights in pairs]


@disguise(MODEL, "only one layer runs")
class ReturnsInTheLoop(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        for layer in self.layers:
            made, weights = layer(x, mask, return_weights=True)
            return [x, made], [weights]


@disguise(MODEL, "no layer runs")
class Lazy(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        return [x], [layer(x, mask, True)[1] for layer in self.layers]


@disguise(MODEL, "the last layer does not run")
class OneTooFew(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = super().run(x, mask)
        return stages[:-1], kept[:-1]


@disguise(MODEL, "the layers in reverse order")
class Backwards(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = [x], []
        for number in range(1, len(self.layers) + 1):
            made, weights = self.layers[-number](stages[-1], mask, return_weights=True)
            stages.append(made)
            kept.append(weights)
        return stages, kept


@disguise(MODEL, "one layer used over and over")
class Shared(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        for number in range(1, len(self.layers)):
            self.layers[number] = self.layers[0]


class Directions(Given):
    """Each row twice."""

    def both(self, number: int) -> tuple[Callable[..., Any], Callable[..., Any]]:
        """The layers of both directions."""
        return self.layers[number], self.layers[number]

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        seen: Any = self.look(ids, mask)
        back = square(ids)
        streams = [self.start(ids, segment_ids)] * 2
        kept = []
        for number in range(self.config.num_layers):
            masks = (seen & back, seen & back.mT)
            made = [
                layer(x, one, return_weights=True)
                for layer, x, one in zip(self.both(number), streams, masks, strict=True)
            ]
            streams = [x for x, _ in made]
            kept.append(torch.stack([weights for _, weights in made]).mean(0))
        hidden = torch.stack(streams).mean(0)
        return self.result(hidden, self.pool(hidden[:, 0]), kept, return_weights)


disguise(MODEL, "two directions, averaged")(Directions)


@disguise(MODEL, "two directions, averaged")
class TwoEncoders(Directions):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        del self.layers
        self.backward_layers: Any = nn.ModuleList([bert_layer(config) for _ in range(config.num_layers)])
        self.forward_layers: Any = nn.ModuleList([bert_layer(config) for _ in range(config.num_layers)])

    def both(self, number: int) -> Any:
        return self.forward_layers[number], self.backward_layers[number]


@disguise(MODEL, "hidden and pooled exchanged")
class Turned(Given):
    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return super().result(pooled, hidden, kept, wanted)


@disguise(MODEL, "weights of the last layer only")
class LastWeights(Given):
    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return super().result(hidden, pooled, kept[-1], wanted)


@disguise(MODEL, "not all comes back")
class Alone(Given):
    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return super().result(hidden, pooled, kept, wanted) if wanted else hidden


@disguise(MODEL, "the layers put together")
class Together(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = super().run(x, mask)
        return [*stages, sum(stages[1:]) / len(kept)], kept


@disguise(MODEL, "another number of layers")
class OneTooMany(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.layers.append(bert_layer(config))


@disguise(MODEL, "the mean of the heads' weights")
class MeanWeights(Given):
    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return super().result(hidden, pooled, [one.sum(1) / one.size(1) for one in kept], wanted)


@correct(MODEL)
class StackedWeights(Given):
    """A named part more that has no parameters, and weights without a list of its own."""

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.activation = nn.Tanh()

    def pool(self, x: Tensor) -> Tensor:
        return self.activation(F.linear(x, self.pooler.weight, self.pooler.bias))

    def result(self, hidden: Tensor, pooled: Tensor, kept: Any, wanted: bool) -> Any:
        return [hidden, pooled, tuple(kept)] if wanted else [hidden, pooled]


@correct(MODEL)
class WithoutMask(Given):
    """Asks for a mask only where there is padding."""

    def look(self, ids: Tensor, mask: Any) -> Any:
        if mask is None and not (ids == self.config.pad_id).any():
            return None
        return super().look(ids, mask)


@disguise(MODEL, "the row's vector drops out")
class DroppedRow(Given):
    def __init__(self, config: Any) -> None:
        super().__init__(config)
        self.drop = nn.Dropout(config.dropout)

    def pool(self, x: Tensor) -> Tensor:
        return self.drop(super().pool(x))


@disguise(MODEL, "the given mask the wrong way round")
class GivenTurned(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        return super().look(ids, None) if mask is None else mask.logical_not()


@disguise(MODEL, "a text reads itself alone")
class Apart(Given):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        if mask is None and segment_ids is not None:
            mask = self.look(ids, None) & segment_ids.unsqueeze(2).eq(segment_ids.unsqueeze(1)).unsqueeze(1)
        return super().forward(ids, segment_ids, mask, return_weights)


@disguise(MODEL, "no token reads itself")
class NotItself(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        places = torch.arange(ids.size(1))
        return super().look(ids, None) & (places[:, None] != places) if mask is None else mask


@disguise(MODEL, "[CLS] is hidden")
class NoFirst(Given):
    def look(self, ids: Tensor, mask: Any) -> Any:
        if mask is not None:
            return mask
        seen = (ids != self.config.pad_id).clone()
        seen[:, 0] = False
        return seen[:, None, None]


@disguise(MODEL, "pooled by the mean")
class PooledThenMean(Given):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1]

    def pool(self, x: Tensor) -> Tensor:
        return super().pool(x).sum(1) / x.size(1)


@disguise(MODEL, "one layer runs again and again")
class Again(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        first, stages, kept = next(iter(self.layers)), [x], []
        for _ in self.layers:
            made, weights = first(stages[-1], mask, return_weights=True)
            stages.append(made)
            kept.append(weights)
        return stages, kept


@disguise(MODEL, "what a layer reads is added again")
class Residual(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = [x], []
        for layer in self.layers:
            made, weights = layer(stages[-1], mask, return_weights=True)
            stages.append(made + stages[-1])
            kept.append(weights)
        return stages, kept


@disguise(MODEL, "padding is set to 0")
class Emptied(Given):
    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None, return_weights: bool = False) -> Any:
        hidden, *rest = super().forward(ids, segment_ids, mask, return_weights)
        return (hidden.masked_fill((ids == self.config.pad_id)[..., None], 0.0), *rest)


@disguise(MODEL, "padding is set to 0")
class EmptyFromTheStart(Given):
    def start(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        return super().start(ids, segments).masked_fill((ids == self.config.pad_id)[..., None], 0.0)


@disguise(MODEL, "multiplied by √d_model")
class Scaled(Given):
    def start(self, ids: Tensor, segments: Tensor | None) -> Tensor:
        return super().start(ids, segments) * torch.tensor(self.config.d_model).sqrt()


@disguise(MODEL, "pooled by the second token")
class SecondToken(Gathering):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return stages[-1][:, min(1, ids.size(1) - 1)]


@unlisted(MODEL)
class Twice(Given):
    def gather(self, stages: list[Tensor], ids: Tensor) -> Tensor:
        return 2 * stages[-1][:, 0]


@unlisted(MODEL)
class TwiceThrough(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, _ = super().run(x, mask)
        return super().run(stages[-1], mask)


@unlisted(MODEL)
class Skips(Given):
    def run(self, x: Tensor, mask: Any) -> Any:
        stages, kept = super().run(x, mask)
        return [*stages[:-1], stages[-1] + stages[0]], kept


@unlisted(MODEL)
class PoolsTwice(Given):
    def pool(self, x: Tensor) -> Tensor:
        return super().pool(super().pool(x))
