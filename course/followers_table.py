"""Writes `course/data/followers.md` and its log `followers.csv`: what tells whether one text follows another.

`python -m course.followers_table`

Lesson 15 asks the BERT that ships whether a sentence follows another, or was put there. How well it does depends on
where the other sentence comes from; and rows that are made carelessly give the answer away by their length.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import torch
from torch import nn

from course.bert_pieces import BertPieces
from course.docstrings import LICENCES, packages_in_order, read_in_order
from course.over_seeds import by_seed, kept
from course.pretrain_bert import NOBODY, Rows, build_bert, packed, said_to_follow
from course.shipped import DATA, read_shipped

SEEDS = (0, 1, 2)
PAIRS, STEPS = 2000, 200
ANYWHERE, ELSEWHERE, AT_HOME = FROM = ("any package", "another package", "the same package")
COLUMNS = ("seed", "what", "measure", "value")
Row = tuple[int, str, str, float]
RIGHT, FULL, EXCHANGED, BY_LENGTH = "right", "full", "exchanged, of the full ones", "right by length alone"


class OfAnyLength(Rows):
    """Rows in which an exchanged text has as many sentences as the true one, and not as many tokens."""

    def size_of(self, sentences: int, tokens: int) -> tuple[int, ...]:
        """The number of sentences alone."""
        return (sentences,)


WAYS: dict[str, type[Rows]] = {"as many sentences and tokens": Rows, "as many sentences": OfAnyLength}
"""What an exchanged text shares with the true one → rows that are made so."""


class Neighbours:
    """Held-out sentences with the one before each, and the package of both."""

    def __init__(self, pieces: BertPieces) -> None:
        packages = tuple(LICENCES)
        in_order, homes = read_in_order(packages), packages_in_order(packages)
        self.pieces = pieces
        self.ids = pieces.encode_all([sentence for sentence, _ in in_order])
        self.held = [held for _, held in in_order]
        self.pairs = [i for i in range(1, len(homes)) if self.held[i] and homes[i - 1] == homes[i]]
        self.homes = homes

    def known(self) -> list[list[int]]:
        """The ids of every sentence that is learned from, in order."""
        return [ids for ids, held in zip(self.ids, self.held, strict=True) if not held]

    def other(self, place: int, source: str, chance: random.Random) -> int:
        """A held-out sentence to put in the place of one."""
        while True:
            found = chance.choice(self.pairs)
            alike = self.homes[found] == self.homes[place]
            if found != place and (source == ANYWHERE or alike == (source == AT_HOME)):
                return found


def right_of(model: nn.ModuleDict, text: Neighbours, source: str, seed: int) -> float:
    """How often the layer on the pooled vector is right, where half of the sentences come from somewhere else."""
    chance, rows, follows = random.Random(seed), [], []
    for place in chance.sample(text.pairs, PAIRS):
        follows.append(chance.random() < 0.5)
        second = place if follows[-1] else text.other(place, source, chance)
        rows.append(packed(text.ids[place - 1], text.ids[second], text.pieces))
    said = said_to_follow(model, rows, text.pieces.pad_id)
    return float((said == torch.tensor(follows)).double().mean())


def lengths_of(rows: Rows, seed: int) -> dict[str, float]:
    """What the length of a row of two texts tells of whether the second was exchanged."""
    full, follows = [], []
    for step in range(seed * STEPS, (seed + 1) * STEPS):
        ids, _, _, said = rows(step).unbind(1)
        pairs = said[:, 0] != NOBODY
        full.append((ids[pairs] != rows.pieces.pad_id).all(dim=1))
        follows.append(said[pairs, 0] == 1)
    is_full, is_true = torch.cat(full), torch.cat(follows)
    shares = {FULL: is_full, EXCHANGED: ~is_true[is_full], BY_LENGTH: is_full != is_true}
    return {name: float(found.double().mean()) for name, found in shares.items()}


def all_rows() -> Iterator[Row]:
    """Both tables' rows."""
    shipped = read_shipped(DATA / "bert.safetensors")
    pieces = BertPieces(shipped.merges)
    model, _ = build_bert(pieces.vocab_size, pieces.pad_id, shipped.config["positions"])
    shipped.fill_(model)
    text = Neighbours(pieces)
    for source in FROM:
        for seed in SEEDS:
            yield seed, source, RIGHT, right_of(model, text, source, seed)
    for name, made in WAYS.items():
        rows = made(text.known(), pieces)
        for seed in SEEDS:
            for measure, value in lengths_of(rows, seed).items():
                yield seed, name, measure, value


def page(rows: Sequence[Row]) -> str:
    """The tables, in Markdown."""
    parts = [
        "# Does it follow?",
        "",
        "Written by `python -m course.followers_table`; `followers.csv` is its log.",
        "",
        f"The BERT that ships, asked of {PAIRS:,} held-out sentences whether they follow the one before. Half of",
        "them do; in the place of the others stands another held-out sentence. A seed draws the pairs. It is right on",
        "",
        *by_seed(rows, ["the other sentence is from"], lambda row: (row[1],) if row[1] in FROM else None),
        "",
        "Rows of two texts as they are made for its training, and as they would be if an exchanged text had to share",
        f"nothing but its number of sentences; those of {STEPS} steps for each seed. Whoever goes by length alone says",
        'of a row "exchanged" where it is full to its last place, and "follows" where it is not.',
        "",
        *by_seed(rows, ["an exchanged text has", "of the rows"], lambda row: row[1:3] if row[1] in WAYS else None),
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Measure, and write both files."""
    torch.set_num_threads(1)
    rows = kept(all_rows(), COLUMNS, DATA / "followers.csv")
    (DATA / "followers.md").write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    main()
