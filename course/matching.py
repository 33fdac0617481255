"""Training and asking models that match names: two encoders side by side, and one that reads both names at once.

Both sides of the table in `course/data`, and the notebook, use the same functions.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from my_transformer import BERT, BertConfig, SequenceClassifier, pack_pair
from torch import Tensor, nn

from course.names import LATIN, Characters, Name, Names, padded, transliterate
from course.training import train

WIDTH, HEADS, LAYERS, D_FF = 64, 4, 2, 128
STEPS, BATCH, RATE, TEMPERATURE = 400, 128, 6e-3, 0.07
CROSS_STEPS, CROSS_BATCH, CROSS_RATE, CANDIDATES = 300, 24, 3e-3, 5
PIECE = 256
"""How many names are encoded at once: little memory, and little padding once they are sorted."""


def new_bert(chars: Characters, seed: int, max_len: int = 24) -> Any:
    """A small BERT that has read nothing, for ids of characters."""
    torch.manual_seed(seed)
    bert = BERT(
        BertConfig(
            chars.vocab_size,
            WIDTH,
            HEADS,
            LAYERS,
            D_FF,
            dropout=0.0,
            max_len=max_len,
            pad_id=chars.pad_id,
            positions="rotary",
        )
    )
    for name, parameter in bert.named_parameters():
        if "embedding" in name and parameter.dim() > 1:
            nn.init.normal_(parameter, std=0.3)  # all tables of characters begin alike, whoever wrote the part
    return bert


@dataclass
class Collection:
    """What is searched, and what is looked for.

    Attributes:
        queries: names in other languages.
        texts: English names, each once.
        relevant: (queries, texts), True where the text is what the query is called in English.
    """

    queries: list[Name]
    texts: list[str]
    relevant: Tensor

    @classmethod
    def of(cls, queries: Sequence[Name], texts: Sequence[str]) -> Collection:
        """The queries with the texts that they look for."""
        where = {text: number for number, text in enumerate(texts)}
        relevant = torch.zeros(len(queries), len(texts), dtype=torch.bool)
        relevant[torch.arange(len(queries)), torch.tensor([where[one.english] for one in queries])] = True
        return cls(list(queries), list(texts), relevant)

    @classmethod
    def some(cls, queries: Sequence[Name], texts: Sequence[str], count: int) -> Collection:
        """The same for some of the queries, drawn once and for all."""
        return cls.of(random.Random(0).sample(list(queries), min(count, len(queries))), texts)

    def latin(self) -> Tensor:
        """(queries,), True where the query is written in Latin letters."""
        return torch.tensor([one.language in LATIN for one in self.queries])


def optimize(
    model: nn.Module, rate: float, steps: int, loss_of: Callable[[int], Tensor], label: str, curve: bool = True
) -> list[float]:
    """Train with AdamW: the rate rises for a tenth of the steps, and falls to nothing."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps, pct_start=0.1)

    def step(number: int) -> Tensor:
        loss = loss_of(number)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return loss.detach()

    model.train()
    losses = train(step, steps, label=label, curve=curve)
    model.eval()
    return losses


def train_encoder(
    model: Any,
    known: Sequence[Name],
    chars: Characters,
    *,
    seed: int = 0,
    steps: int = STEPS,
    rate: float = RATE,
    mark_same: bool = True,
    groups: Sequence[Sequence[Name]] | None = None,
    curve: bool = True,
) -> list[float]:
    """Train `model(query_ids, document_ids, same)` on batches of known names with their English ones.

    Args:
        model: a BiEncoder.
        known: what it may learn from.
        chars: turns names into ids.
        seed: which batches.
        steps: how many.
        rate: the largest learning rate.
        mark_same: whether to say which pairs of a batch mean the same.
        groups: names that are hard to tell apart; batches are then made of whole groups.
        curve: whether to draw the loss.
    """
    chance = random.Random(seed)

    def loss_of(number: int) -> Tensor:
        if groups is None:
            batch = chance.sample(known, BATCH)
        else:
            chosen = chance.sample(groups, BATCH // len(groups[0]))
            batch = [one for group in chosen for one in group]
        numbers: dict[str, int] = {}
        meaning = torch.tensor([numbers.setdefault(one.english, len(numbers)) for one in batch])
        same = meaning[:, None] == meaning if mark_same else None
        return model(chars.batch([one.text for one in batch]), chars.batch([one.english for one in batch]), same)

    return optimize(model, rate, steps, loss_of, "bi-encoder", curve)


@torch.no_grad()
def encode_all(model: Any, chars: Characters, texts: Sequence[str]) -> Tensor:
    """A vector of each text, in its order: short ones are encoded together, and so are long ones."""
    order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    parts = [
        model.encode(chars.batch([texts[at] for at in order[one : one + PIECE]])) for one in range(0, len(order), PIECE)
    ]
    return torch.cat(parts)[torch.tensor(order).argsort()]


def runs(text: str, least: int, most: int) -> list[str]:
    """All runs of that many characters inside the words of a text, a space on each side of a word."""
    words = [f" {word} " for word in text.split()]
    return [
        word[at : at + size] for word in words for size in range(least, most + 1) for at in range(len(word) - size + 1)
    ]


def tf_idf_scores(collection: Collection, latin_letters: bool, least: int = 1, most: int = 3) -> Tensor:
    """Scores by counted runs of characters, with scikit-learn's TF-IDF; nothing dense is made but the scores."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    written = transliterate if latin_letters else str
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(least, most))
    documents = vectorizer.fit_transform([written(text) for text in collection.texts])
    queries = vectorizer.transform([written(one.text) for one in collection.queries])
    return torch.from_numpy((queries @ documents.T).toarray()).float()


def pairs_of(chars: Characters, pairs: Sequence[tuple[str, str]]) -> tuple[Tensor, Tensor]:
    """Rows [CLS] one [SEP] other [SEP], and for each token the number of its name."""
    rows = [pack_pair(chars.encode(one), chars.encode(other), chars.cls_id, chars.sep_id, 51) for one, other in pairs]
    return padded([ids for ids, _ in rows], chars.pad_id), padded([numbers for _, numbers in rows], 0)


def new_cross_encoder(chars: Characters, seed: int) -> Any:
    """A model that reads both names at once, and gives the pair a score."""
    return SequenceClassifier(new_bert(chars, seed, max_len=51), 1)


def train_cross_encoder(
    model: Any,
    known: Sequence[Name],
    chars: Characters,
    near: dict[str, list[str]],
    *,
    seed: int = 0,
    steps: int = CROSS_STEPS,
    curve: bool = True,
) -> list[float]:
    """Train it to find the right English name among those that the bi-encoder takes for near.

    Args:
        model: gives a score for each pair.
        known: what it may learn from.
        chars: turns names into ids.
        near: for the text of a known name, the English names that the bi-encoder finds nearest, the right one or not.
        seed: which batches.
        steps: how many.
        curve: whether to draw the loss.
    """
    chance = random.Random(seed)

    def loss_of(number: int) -> Tensor:
        batch = chance.sample(known, CROSS_BATCH)
        pairs = []
        for one in batch:
            wrong = [text for text in near[one.text] if text != one.english]
            pairs += [(one.text, text) for text in [one.english, *chance.sample(wrong, CANDIDATES - 1)]]
        ids, segments = pairs_of(chars, pairs)
        scores = model(ids, segments).reshape(len(batch), CANDIDATES)
        return F.cross_entropy(scores, torch.zeros(len(batch), dtype=torch.long))

    return optimize(model, CROSS_RATE, steps, loss_of, "cross-encoder", curve)


@torch.no_grad()
def rerank(model: Any, chars: Characters, collection: Collection, scores: Tensor, count: int = 10) -> Tensor:
    """New scores, in which the `count` best of each query stand in the order of the cross-encoder, above all others."""
    best = scores.topk(count, dim=1).indices
    pairs = [
        (query.text, collection.texts[at])
        for query, row in zip(collection.queries, best.tolist(), strict=True)
        for at in row
    ]
    order = sorted(range(len(pairs)), key=lambda at: sum(map(len, pairs[at])))
    parts = []
    for start in range(0, len(order), PIECE):
        parts.append(model(*pairs_of(chars, [pairs[at] for at in order[start : start + PIECE]]))[:, 0])
    found = torch.cat(parts)[torch.tensor(order).argsort()].reshape(best.shape)
    above = found - found.amin(dim=1, keepdim=True) + scores.amax() + 1
    return scores.scatter(1, best, above)


def nearest_known(model: Any, chars: Characters, names: Names, count: int = 12) -> dict[str, list[str]]:
    """For the text of every known name, the English names of known things that are nearest to it."""
    texts = sorted({one.english for one in names.known})
    written = sorted({one.text for one in names.known})
    documents = F.normalize(encode_all(model, chars, texts), dim=-1)
    found = {}
    for start in range(0, len(written), 2000):  # a part of the table at a time: less memory
        part = written[start : start + 2000]
        indices = (encode_all(model, chars, part) @ documents.T).topk(count, dim=1).indices
        found.update({text: [texts[at] for at in row] for text, row in zip(part, indices.tolist(), strict=True)})
    return found


def hard_groups(known: Sequence[Name], near: dict[str, list[str]], seed: int = 0, size: int = 4) -> list[list[Name]]:
    """Every known name with names of the things that the bi-encoder takes for nearest to it, but for its own."""
    chance = random.Random(seed)
    named: dict[str, list[Name]] = {}
    for one in known:
        named.setdefault(one.english, []).append(one)
    groups = []
    for one in known:
        wrong = [text for text in near[one.text] if text != one.english][: size - 1]
        groups.append([one, *(chance.choice(named[text]) for text in wrong)])
    return groups
