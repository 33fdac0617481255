"""Writes `course/data/blanks.md` and its log `blanks.csv`: how the small BERT of lesson 15 learns to fill blanks.

`python -m course.blanks_table` trains for half an hour of one core.

Three seeds of the lesson's minute of training, and of one that is longer, each with rotary positions and with learned
ones. On the way the lesson's own training is asked what it goes by: its neighbours, or what stands in the place itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
import torch.nn.functional as F
from my_transformer import BERT, BertConfig, MaskedLanguageHead, masked_loss
from torch import Tensor, nn

from course.bert_pieces import BertPieces
from course.docstrings import read_prose
from course.over_seeds import by_seed, kept
from course.pieces import learn_pieces
from course.pretrain_bert import NOBODY, blanks_of, masked, sentence_rows
from course.shipped import DATA
from course.training import train

SEEDS = (0, 1, 2)
VOCAB, MAX_LEN, BATCH, RATE = 1024, 64, 64, 3e-3
SHORT, LONG = 300, 1000
LOOKED_AT = (80, 120)
"""Steps of the lesson's training after which it is asked."""

POSITIONS = ("rotary", "learned")
UNIGRAM = "none: the unigram"
COLUMNS = ("seed", "positions", "steps", "at", "measure", "value")
Row = tuple[int, str, int, int, str, float]

NATS, RIGHT, EXCHANGED = "nats", "right", "nats, neighbours exchanged"
HIDDEN, OTHER, STAYS = FATES = ("right behind [MASK]", "right behind another token", "right where the token stands")


@dataclass
class Text:
    """networkx's sentences as lesson 15 reads them, and the blanks of the held-out ones.

    Attributes:
        pieces: the vocabulary.
        known: the ids of each sentence that is learned from.
        inputs, labels: the held-out sentences with their blanks.
    """

    pieces: BertPieces
    known: list[list[int]]
    inputs: Tensor
    labels: Tensor

    @cached_property
    def unigram(self) -> float:
        """Nats of whoever knows how often each token occurs."""
        counts = torch.tensor([one for some in self.known for one in some]).bincount(minlength=self.pieces.vocab_size)
        shares = (counts + 1.0) / (counts + 1.0).sum()
        return float(-shares.log()[self.labels[self.labels != NOBODY]].mean())

    def masked(self, sentences: Sequence[list[int]], generator: torch.Generator | None = None) -> tuple[Tensor, Tensor]:
        """What is read of some sentences, and what is asked."""
        return masked(sentence_rows(sentences, self.pieces, MAX_LEN), self.pieces, generator)

    def exchanged(self) -> Tensor:
        """The held-out sentences with their blanks, and every other word drawn from all of them."""
        words = (self.inputs < self.pieces.number) & (self.labels == NOBODY)
        found = self.inputs.clone()
        drawn = torch.randperm(int(words.sum()), generator=torch.Generator().manual_seed(0))
        found[words] = self.inputs[words][drawn]
        return found


def read_text() -> Text:
    """The text of the lesson."""
    prose = read_prose()
    pieces = BertPieces(learn_pieces(prose.known, VOCAB))
    blanks = blanks_of(pieces.encode_all(prose.held_out), pieces, MAX_LEN)
    return Text(pieces, pieces.encode_all(prose.known), blanks.inputs, blanks.labels)


class Learner:
    """The lesson's small BERT with its head, and its training.

    Args:
        text: what it reads.
        positions: "rotary" or "learned".
        steps: how many it is to make.
        seed: of its start, and of the order of sentences and blanks.
    """

    def __init__(self, text: Text, positions: str, steps: int, seed: int) -> None:
        torch.manual_seed(seed)
        self.text, self.steps = text, steps
        config: dict[str, Any] = {"d_model": 128, "num_heads": 4, "num_layers": 2, "d_ff": 256, "dropout": 0.0}
        config |= {"max_len": MAX_LEN, "pad_id": text.pieces.pad_id, "positions": positions}
        self.bert = BERT(BertConfig(text.pieces.vocab_size, **config))
        self.head = MaskedLanguageHead(self.bert.config, self.bert.embedding.token_embedding)
        self.parameters = list(nn.ModuleList([self.bert, self.head]).parameters())
        for one in self.parameters:
            if one.dim() > 1:
                nn.init.normal_(one, std=0.02)
        self.optimizer = torch.optim.AdamW(self.parameters, lr=RATE, betas=(0.9, 0.98), weight_decay=0.1)
        self.schedule = torch.optim.lr_scheduler.OneCycleLR(self.optimizer, RATE, total_steps=steps, pct_start=0.2)
        passes = range(1 + steps * BATCH // len(text.known))
        self.order = torch.cat([torch.randperm(len(text.known)) for _ in passes]).tolist()

    def step(self, number: int) -> Tensor:
        """One step on the next sentences."""
        chosen = self.order[number * BATCH : (number + 1) * BATCH]
        inputs, labels = self.text.masked([self.text.known[one] for one in chosen])
        hidden, _ = self.bert(inputs)
        asked = labels != NOBODY
        loss: Tensor = masked_loss(self.head(hidden[asked])[None], labels[asked][None])
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.optimizer.step()
        self.schedule.step()
        return loss

    @torch.no_grad()
    def scores(self, inputs: Tensor) -> Tensor:
        """The logits of every token at each place that is asked for, (asked, vocab_size)."""
        asked = (self.text.labels != NOBODY).split(64)
        return torch.cat([self.head(self.bert(ids)[0][at]) for ids, at in zip(inputs.split(64), asked, strict=True)])

    def measured(self, *, exchanged: bool) -> Iterator[tuple[str, float]]:
        """On the held-out sentences: the loss, how many are right, and how many by what stands in the place."""
        text, asked = self.text, self.text.labels != NOBODY
        answers, read = text.labels[asked], text.inputs[asked]
        scores = self.scores(text.inputs)
        right = scores.argmax(-1) == answers
        yield NATS, F.cross_entropy(scores, answers).item()
        yield RIGHT, right.double().mean().item()
        hidden, stays = read == text.pieces.mask_id, read == answers
        for name, rows in zip(FATES, (hidden, ~hidden & ~stays, stays), strict=True):
            yield name, right[rows].double().mean().item()
        if exchanged:
            yield EXCHANGED, F.cross_entropy(self.scores(text.exchanged()), answers).item()


def all_rows(text: Text) -> Iterator[Row]:
    """The landmark, then training by training."""
    for seed in SEEDS:
        yield seed, UNIGRAM, 0, 0, NATS, text.unigram
    for steps in (SHORT, LONG):
        for positions in POSITIONS:
            for seed in SEEDS:
                yield from _of_one(Learner(text, positions, steps, seed), positions, seed)


def _of_one(learner: Learner, positions: str, seed: int) -> Iterator[Row]:
    own = positions == "rotary" and learner.steps == SHORT
    made = 0
    for until in (*(LOOKED_AT if own else ()), learner.steps):
        label = f"{positions}, {until} of {learner.steps}, seed {seed}"
        train(lambda number, made=made: learner.step(made + number), until - made, label=label, curve=False)  # type: ignore[misc]
        made = until
        for measure, value in learner.measured(exchanged=own):
            yield seed, positions, learner.steps, made, measure, value


def page(rows: Sequence[Row]) -> str:
    """The table, in Markdown."""
    return "\n".join([_HEAD, *by_seed(rows, ["positions", "steps", "measure"], _named)]) + "\n"


def _named(row: Row) -> tuple[str, str, str]:
    _, positions, steps, at, measure, _ = row
    return positions, f"{steps:,}" if at == steps else f"{at} of {steps}", measure


_HEAD = """# Filling blanks, three seeds

Written by `python -m course.blanks_table`; `blanks.csv` is its log. The small BERT of lesson 15 on the sentences of
networkx, asked for 15 % of the tokens of those that are held out, of which most are [MASK]. The unigram knows only how
often each token occurs. "Neighbours exchanged" means that every word that is not asked for has changed places with
another one of all these sentences.
"""


def main() -> None:
    """Train, measure, and write both files."""
    torch.set_num_threads(1)
    rows = kept(all_rows(read_text()), COLUMNS, DATA / "blanks.csv")
    (DATA / "blanks.md").write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    main()
