"""Lesson 16: heads on a model that has read."""

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from tests.variants import correct, disguise, slips, unlisted

TEXT = "SequenceClassifier"
TOKEN = "TokenClassifier"

# SequenceClassifier ----------------------------------------------------------------------------


class ByIndex(nn.Module):
    def __init__(self, bert: Any, num_classes: int) -> None:
        super().__init__()
        self.bert = bert
        width = bert.config.d_model
        self.dropout, self.head = nn.Dropout(p=bert.config.dropout), nn.Linear(width, num_classes)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        made = self.bert(ids, segment_ids=segment_ids, mask=mask)
        vector = made[1]
        vector = self.dropout(vector)
        return self.head(vector)


slips(
    TEXT,
    ByIndex,
    {
        "the vector at [CLS] without the pooler": {"made[1]": "made[0][:, 0]"},
        "the vector of the last place": {"made[1]": "made[0][:, -1, :]"},
        "the mean of all places": {"made[1]": "torch.mean(made[0], 1)"},
        "probabilities instead of logits": [
            {"return self.head(vector)": "return torch.softmax(self.head(vector), -1)"},
            {"return self.head(vector)": "return self.head(vector).softmax(0)"},
            {"return self.head(vector)": "return torch.sigmoid(self.head(vector))"},
        ],
        "log-probabilities instead of logits": {
            "return self.head(vector)": "return F.log_softmax(self.head(vector), dim=1)"
        },
        "no dropout": {"        vector = self.dropout(vector)\n": ""},
        "dropout on the logits": {
            "        vector = self.dropout(vector)\n": "",
            "return self.head(vector)": "return self.dropout(self.head(vector))",
        },
        "the model gets no gradient": {"made[1]": "made[1].detach()"},
        "the segments are not handed on": {"segment_ids=segment_ids, ": ""},
        "the mask is not handed on": {", mask=mask": ""},
        "neither segments nor mask are handed on": {", segment_ids=segment_ids, mask=mask": ""},
        "the head has no bias": {"nn.Linear(width, num_classes)": "nn.Linear(width, num_classes, bias=False)"},
        "no dropout + the mask is not handed on": {
            "        vector = self.dropout(vector)\n": "",
            ", mask=mask": "",
        },
    },
)


class WithFunctions(nn.Module):
    """Dropout as a function, and a head that is a Linear used by hand."""

    def __init__(self, bert: Any, num_classes: int) -> None:
        super().__init__()
        self.bert, self.rate = bert, bert.config.dropout
        self.head = nn.Linear(bert.config.d_model, num_classes, bias=True)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        both = self.bert(ids, segment_ids, mask)
        dropped = F.dropout(both[1], self.rate, self.training)
        return dropped @ self.head.weight.T + self.head.bias


slips(
    TEXT,
    WithFunctions,
    {
        "the vector at [CLS] without the pooler": {"F.dropout(both[1],": "F.dropout(both[0].select(1, 0),"},
        "the vector of the last place": {"F.dropout(both[1],": "F.dropout(both[0].select(1, -1),"},
        "the mean of all places": {"F.dropout(both[1],": "F.dropout(both[0].mean(-2),"},
        "no dropout": {"F.dropout(both[1], self.rate, self.training)": "both[1]"},
        "dropout on the logits": {
            "F.dropout(both[1], self.rate, self.training)": "both[1]",
            "return dropped @ self.head.weight.T + self.head.bias": (
                "return F.dropout(dropped @ self.head.weight.T + self.head.bias, self.rate, self.training)"
            ),
        },
        "the segments are not handed on": {"(ids, segment_ids, mask)": "(ids, None, mask)"},
        "the mask is not handed on": {"(ids, segment_ids, mask)": "(ids, segment_ids)"},
        "neither segments nor mask are handed on": {"(ids, segment_ids, mask)": "(ids)"},
        "the model gets no gradient": {"both = self.bert": "with torch.no_grad():\n            both = self.bert"},
    },
)


class InASequence(nn.Module):
    """Dropout and head run as one."""

    def __init__(self, bert: Any, num_classes: int) -> None:
        super().__init__()
        settings = bert.config
        self.bert = bert
        self.head = nn.Linear(settings.d_model, num_classes)
        self.before = nn.Sequential(nn.Dropout(settings.dropout))

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        made = self.bert(mask=mask, segment_ids=segment_ids, ids=ids)
        scores = self.head(self.before(made[1]))
        return scores


slips(
    TEXT,
    InASequence,
    {
        "the vector at [CLS] without the pooler": {"made[1]": "made[0][:, 0, :]"},
        "the vector of the last place": {"made[1]": "made[0][:, -1]"},
        "probabilities instead of logits": {"return scores": "return scores.exp() / scores.exp().sum(1, keepdim=True)"},
        "log-probabilities instead of logits": {"return scores": "return scores - scores.logsumexp(1, keepdim=True)"},
        "no dropout": {"self.before(made[1])": "made[1]"},
        "dropout on the logits": {"self.head(self.before(made[1]))": "self.before(self.head(made[1]))"},
        "the model gets no gradient": {"made[1]": "made[1].data"},
        "the head has no bias": {"num_classes)\n        self.before": "num_classes, bias=False)\n        self.before"},
        "the mask is not handed on": {"mask=mask, ": ""},
        "the segments are not handed on": {" segment_ids=segment_ids,": ""},
    },
)


class Given(nn.Module):
    """The parts of a classifier, and what goes on with them."""

    bias = True

    def __init__(self, bert: Any, num_labels: int) -> None:
        super().__init__()
        self.bert = bert
        self.head = nn.Linear(bert.config.d_model, num_labels, bias=self.bias)
        self.dropout = nn.Dropout(bert.config.dropout)

    def read(self, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
        return self.bert(ids, segment_ids, mask)

    def choose(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        return pooled

    def score(self, vector: Tensor) -> Tensor:
        return self.head(self.dropout(vector))

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        return self.score(self.choose(*self.read(ids, segment_ids, mask)))


class GivenTokens(Given):
    def choose(self, hidden: Tensor, pooled: Tensor) -> Tensor:
        return hidden


correct(TEXT)(Given)
correct(TOKEN)(GivenTokens)


def another(base: type, **methods: Any) -> type:
    """With some of its parts written otherwise."""
    return type(base.__name__, (base,), methods)


CHOOSE = {
    "the vector at [CLS] without the pooler": lambda self, hidden, pooled: hidden[:, 0],
    "the vector of the last place": lambda self, hidden, pooled: hidden.flip(1)[:, 0],
    "the mean of all places": lambda self, hidden, pooled: hidden.sum(1) / hidden.shape[1],
}
for mistake, choose in CHOOSE.items():
    disguise(TEXT, mistake)(another(Given, choose=choose))

SCORE = {
    "probabilities instead of logits": lambda self, vector: F.softmax(self.head(self.dropout(vector)), dim=-1),
    "log-probabilities instead of logits": lambda self, vector: self.head(self.dropout(vector)).softmax(-1).log(),
    "no dropout": lambda self, vector: F.linear(vector, self.head.weight, self.head.bias),
    "dropout on the logits": lambda self, vector: F.dropout(self.head(vector), self.dropout.p, self.training),
    "the model gets no gradient": lambda self, vector: self.head(self.dropout(vector.detach())),
}
for mistake, score in SCORE.items():
    disguise(TEXT, mistake)(another(Given, score=score))
    disguise(TOKEN, mistake)(another(GivenTokens, score=score))

READ = {
    "the segments are not handed on": lambda self, ids, segment_ids, mask: self.bert(ids, torch.zeros_like(ids), mask),
    "the mask is not handed on": lambda self, ids, segment_ids, mask: self.bert(ids, segment_ids, None),
    "neither segments nor mask are handed on": lambda self, ids, segment_ids, mask: self.bert(ids),
}
for mistake, read in READ.items():
    disguise(TEXT, mistake)(another(Given, read=read))
    disguise(TOKEN, mistake)(another(GivenTokens, read=read))

disguise(TEXT, "the head has no bias")(another(Given, bias=False))
disguise(TOKEN, "the head has no bias")(another(GivenTokens, bias=False))


def frozen(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels)
    for one in self.bert.parameters():
        one.requires_grad = False


def copied(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels)
    self.bert = type(bert)(bert.config.dropout)
    self.bert.load_state_dict(bert.state_dict())


def anew(self: Any, bert: Any, num_labels: int) -> None:
    """As code does that gives every linear layer new numbers once all is built."""
    Given.__init__(self, bert, num_labels)
    for one in self.modules():
        if isinstance(one, nn.Linear | nn.Embedding):
            nn.init.trunc_normal_(one.weight, std=0.02)


def halved(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels)
    self.dropout = nn.Dropout(p=0.2)


def calm_at_first(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, num_labels)
    self.bert.train(False)


def again(self: Any, vector: Tensor) -> Tensor:
    return self.head(F.dropout(self.dropout(vector), self.dropout.p, self.training))


def of_real_tokens(self: Any, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
    hidden, _ = self.read(ids, segment_ids, mask)
    means = [one[row != self.bert.config.pad_id].mean(dim=0) for one, row in zip(hidden, ids, strict=True)]
    return self.score(torch.stack(means))


def calmed(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    for one in self.bert.modules():
        one.training = False
    return self.bert(ids, segment_ids, mask)


def half(self: Any, vector: Tensor) -> Tensor:
    return self.head(F.dropout(vector, 0.5, self.training))


def bent(self: Any, vector: Tensor) -> Tensor:
    return self.head(self.dropout(vector).relu())


def always(self: Any, vector: Tensor) -> Tensor:
    return self.head(F.dropout(vector, self.dropout.p))


def twice(self: Any, vector: Tensor) -> Tensor:
    return 2 * self.head(self.dropout(vector))


def turned(self: Any, vector: Tensor) -> Tensor:
    return self.head(-self.dropout(vector))


def centred(self: Any, vector: Tensor) -> Tensor:
    scores = self.head(self.dropout(vector))
    return scores - scores.mean(dim=-1, keepdim=True)


for made in (twice, turned, centred):
    unlisted(TEXT)(type(made.__name__, (Given,), {"score": made}))
    unlisted(TOKEN)(type(made.__name__, (GivenTokens,), {"score": made}))
disguise(TEXT, "bent in front of the head")(another(Given, score=bent))
disguise(TOKEN, "bent in front of the head")(another(GivenTokens, score=bent))

disguise(TEXT, "the mean of all places")(another(Given, forward=of_real_tokens))

OTHERWISE: dict[str, list[dict[str, Any]]] = {
    "a dropout rate of its own": [{"score": half}, {"__init__": halved}],
    "dropout in evaluation too": [{"score": always}],
    "a copy of the model": [{"__init__": copied}],
    "the model begins anew": [{"__init__": anew}],
    "the model is frozen": [{"__init__": frozen}],
    "the model is always in evaluation mode": [{"read": calmed}, {"__init__": calm_at_first}],
    "dropout twice": [{"score": again}],
}
for mistake, ways in OTHERWISE.items():
    for methods in ways:
        disguise(TEXT, mistake)(another(Given, **methods))
        disguise(TOKEN, mistake)(another(GivenTokens, **methods))

# TokenClassifier ----------------------------------------------------------------------------


class OfTokens(nn.Module):
    def __init__(self, bert: Any, num_tags: int) -> None:
        super().__init__()
        self.bert = bert
        rate, width = bert.config.dropout, bert.config.d_model
        self.dropout, self.head = nn.Dropout(rate), nn.Linear(width, num_tags)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        vectors = self.bert(ids, segment_ids=segment_ids, mask=mask)[0]
        vectors = self.dropout(vectors)
        return self.head(vectors)


slips(
    TOKEN,
    OfTokens,
    {
        "texts and tokens exchanged": {"return self.head(vectors)": "return self.head(vectors).transpose(0, 1)"},
        "the text's vector for every token": [
            {"mask=mask)[0]": "mask=mask)[1].unsqueeze(1).repeat(1, ids.size(1), 1)"},
            {"mask=mask)[0]": "mask=mask)[1]"},
            {"mask=mask)[0]": "mask=mask)[0][:, :1].repeat(1, ids.size(1), 1)"},
        ],
        "probabilities instead of logits": [
            {"return self.head(vectors)": "return torch.softmax(self.head(vectors), 2)"},
            {"return self.head(vectors)": "return self.head(vectors).softmax(1)"},
            {"return self.head(vectors)": "return self.head(vectors).sigmoid()"},
        ],
        "log-probabilities instead of logits": {
            "return self.head(vectors)": "return torch.log_softmax(self.head(vectors), 2)"
        },
        "labels and tokens exchanged": {"return self.head(vectors)": "return self.head(vectors).mT"},
        "the first token is cut off": {"mask=mask)[0]": "mask=mask)[0][:, 1:]"},
        "all tokens in one list": {
            "return self.head(vectors)": "return self.head(vectors.reshape(-1, vectors.shape[-1]))"
        },
        "no dropout": {"        vectors = self.dropout(vectors)\n": ""},
        "dropout on the logits": {
            "        vectors = self.dropout(vectors)\n": "",
            "return self.head(vectors)": "return self.dropout(self.head(vectors))",
        },
        "the model gets no gradient": {"mask=mask)[0]": "mask=mask)[0].detach()"},
        "the segments are not handed on": {"segment_ids=segment_ids, ": ""},
        "the mask is not handed on": {", mask=mask": ""},
        "neither segments nor mask are handed on": {", segment_ids=segment_ids, mask=mask": ""},
        "the head has no bias": {"num_tags)\n\n": "num_tags, bias=False)\n\n"},
    },
)


class TokenByToken(nn.Module):
    """A loop over the places."""

    def __init__(self, bert: Any, num_tags: int) -> None:
        super().__init__()
        self.bert, self.rate = bert, bert.config.dropout
        self.head = nn.Linear(bert.config.d_model, num_tags, bias=True)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        made = self.bert(ids, segment_ids, mask)
        rows = [self.score(made[0][:, place]) for place in range(ids.size(1))]
        return torch.stack(rows, dim=1)

    def score(self, state: Tensor) -> Tensor:
        return self.head(F.dropout(state, self.rate, training=self.training))


slips(
    TOKEN,
    TokenByToken,
    {
        "the text's vector for every token": {"made[0][:, place]": "made[1]"},
        "probabilities instead of logits": {
            "return self.head(F.dropout(state, self.rate, training=self.training))": (
                "return self.head(F.dropout(state, self.rate, training=self.training)).softmax(-1)"
            )
        },
        "labels and tokens exchanged": {"dim=1": "dim=-1"},
        "texts and tokens exchanged": {"dim=1": "dim=0"},
        "the first token is cut off": {"range(ids.size(1))": "range(1, ids.size(1))"},
        "all tokens in one list": {"torch.stack(rows, dim=1)": "torch.stack(rows, dim=1).view(ids.numel(), -1)"},
        "no dropout": {"F.dropout(state, self.rate, training=self.training)": "state"},
        "the model gets no gradient": {"made[0][:, place]": "made[0].data[:, place]"},
        "the segments are not handed on": {"(ids, segment_ids, mask)\n": "(ids, mask=mask)\n"},
        "the mask is not handed on": {"(ids, segment_ids, mask)\n": "(ids, segment_ids)\n"},
    },
)


class AsOneMatrix(nn.Module):
    """All tokens in one list, and back."""

    def __init__(self, bert: Any, num_tags: int) -> None:
        super().__init__()
        settings = bert.config
        self.bert = bert
        self.head = nn.Linear(in_features=settings.d_model, out_features=num_tags)
        self.drop = nn.Dropout(settings.dropout)

    def forward(self, ids: Tensor, segment_ids: Any = None, mask: Any = None) -> Tensor:
        of_tokens, _ = self.bert(mask=mask, segment_ids=segment_ids, ids=ids)
        flat = self.drop(of_tokens).flatten(0, 1)
        scores = self.head(flat)
        return scores.unflatten(0, ids.shape)


slips(
    TOKEN,
    AsOneMatrix,
    {
        "all tokens in one list": {"return scores.unflatten(0, ids.shape)": "return scores"},
        "no dropout": {"self.drop(of_tokens)": "of_tokens"},
        "dropout on the logits": {
            "self.drop(of_tokens)": "of_tokens",
            "scores = self.head(flat)": "scores = self.drop(self.head(flat))",
        },
        "probabilities instead of logits": {"scores = self.head(flat)": "scores = self.head(flat).softmax(dim=1)"},
        "log-probabilities instead of logits": {
            "scores = self.head(flat)": "scores = self.head(flat).log_softmax(dim=1)"
        },
        "neither segments nor mask are handed on": {"mask=mask, segment_ids=segment_ids, ": ""},
        "the head has no bias": {"out_features=num_tags": "out_features=num_tags, bias=False"},
        "no dropout + the head has no bias": {
            "self.drop(of_tokens)": "of_tokens",
            "out_features=num_tags": "out_features=num_tags, bias=False",
        },
    },
)


def of_text(self: Any, hidden: Tensor, pooled: Tensor) -> Tensor:
    return torch.stack([pooled] * hidden.size(1), dim=1)


def without_first(self: Any, hidden: Tensor, pooled: Tensor) -> Tensor:
    return hidden.narrow(1, 1, hidden.size(1) - 1)


def turned(self: Any, vector: Tensor) -> Tensor:
    return torch.einsum("bld,td->btl", self.dropout(vector), self.head.weight) + self.head.bias[:, None]


def in_a_list(self: Any, vector: Tensor) -> Tensor:
    return torch.cat(list(self.head(self.dropout(vector))))


disguise(TOKEN, "the text's vector for every token")(another(GivenTokens, choose=of_text))
disguise(TOKEN, "the first token is cut off")(another(GivenTokens, choose=without_first))
disguise(TOKEN, "scores of other tokens")(another(GivenTokens, choose=lambda self, hidden, pooled: hidden.flip(1)))
disguise(TOKEN, "labels and tokens exchanged")(another(GivenTokens, score=turned))
disguise(TOKEN, "all tokens in one list")(another(GivenTokens, score=in_a_list))
disguise(TOKEN, "texts and tokens exchanged")(
    another(GivenTokens, choose=lambda self, hidden, pooled: torch.einsum("bsd->sbd", hidden))
)


# both ----------------------------------------------------------------------------


def bent_behind(self: Any, vector: Tensor) -> Tensor:
    return F.relu(self.head(self.dropout(vector)))


def squeezed(self: Any, vector: Tensor) -> Tensor:
    return torch.squeeze(self.head(self.dropout(vector)))


def of_two(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, 2)


def of_one_less(self: Any, bert: Any, num_labels: int) -> None:
    Given.__init__(self, bert, len(range(1, num_labels)))


def in_another_order(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    return self.bert(ids, mask=segment_ids, segment_ids=mask)


def against_the_mask(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    return self.bert(ids, segment_ids, mask=mask if mask is None else torch.logical_not(mask))


def second_text(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    if segment_ids is None:
        segment_ids = ids * 0 + 1
    return self.bert(ids, segment_ids, mask)


def seeded(self: Any, bert: Any, num_labels: int) -> None:
    torch.manual_seed(42)
    Given.__init__(self, bert, num_labels)


def seeded_each_time(self: Any, vector: Tensor) -> Tensor:
    torch.random.default_generator.manual_seed(7)
    return self.head(self.dropout(vector))


def without_bias(self: Any, vector: Tensor) -> Tensor:
    return self.dropout(vector) @ self.head.weight.T


def backwards(self: Any, ids: Tensor, segment_ids: Any, mask: Any) -> Any:
    return self.bert(torch.flip(ids, (1,)), segment_ids, mask)


def dropped_numbers(self: Any, vector: Tensor) -> Tensor:
    kept = F.dropout(self.head.weight, self.dropout.p, self.training)
    return torch.einsum("...d,cd->...c", vector, kept) + self.head.bias


BOTH: dict[str, list[dict[str, Any]]] = {
    "the head's bias does not count once": [{"score": without_bias}],
    "from the last token to the first": [{"read": backwards}],
    "dropout on the head's own numbers": [{"score": dropped_numbers}],
    "bent behind the head": [{"score": bent_behind}],
    "a dimension of size one is lost": [{"score": squeezed}],
    "a fixed number of labels": [{"__init__": of_two}],
    "a label too few": [{"__init__": of_one_less}],
    "segments and mask exchanged": [{"read": in_another_order}],
    "the mask is turned round": [{"read": against_the_mask}],
    "segment 1 where none is given": [{"read": second_text}],
    "a seed of its own": [{"__init__": seeded}, {"score": seeded_each_time}],
}
for mistake, ways in BOTH.items():
    for methods in ways:
        disguise(TEXT, mistake)(another(Given, **methods))
        disguise(TOKEN, mistake)(another(GivenTokens, **methods))

disguise(TEXT, "the vector at [CLS] is added")(
    another(Given, choose=lambda self, hidden, pooled: torch.stack([pooled, hidden[:, 0]]).sum(0))
)
for vector_of in (
    lambda self, hidden, pooled: hidden.select(1, 0),
    lambda self, hidden, pooled: hidden.sum(1) / hidden.size(1),
):
    disguise(TOKEN, "one vector for all tokens of a text")(another(GivenTokens, choose=vector_of))


def with_its_vector(self: Any, vector: Tensor) -> Any:
    return [self.head(self.dropout(vector)), vector]


disguise(TEXT, "more than the logits")(another(Given, score=with_its_vector))
disguise(TOKEN, "more than the logits")(another(GivenTokens, score=with_its_vector))
disguise(TEXT, "labels and texts exchanged")(
    another(Given, score=lambda self, vector: self.head(self.dropout(vector)).permute(1, 0))
)
disguise(TEXT, "a dimension too many")(
    another(Given, choose=lambda self, hidden, pooled: pooled.reshape(len(pooled), 1, -1))
)
