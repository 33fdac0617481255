"""What reading beforehand is worth: `python -m course.fine_tuning_table` trains all that the table compares.

Two tasks whose labels authors have written down without knowing it, with 50, 200 and 1,000 of them, three draws each,
for three who learn: BERT with the weights that ship, the same BERT from scratch, and a logistic regression. Each has
three settings, its learning rate or its penalty; the first draw tries all, and the other draws take the one that was
best on validation data. Every training is a row of `course/data/fine_tuning.csv`; the same command goes on from there.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, TypeVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm.auto import tqdm

from course.bert_pieces import BertPieces
from course.code_in_prose import tagged_sentences
from course.pretrain_bert import NOBODY, build_bert
from course.sections import SECTIONS, placed_sentences
from course.shipped import DATA, Shipped, read_shipped

STEPS = {50: 40, 200: 100, 1000: 100}
"""Labelled sentences → steps of fine-tuning."""

SEEDS = 3
RATES = (5e-4, 2e-3, 5e-3)
PENALTIES = (3.0, 30.0, 300.0)
"""scikit-learn's C: the smaller, the more large weights cost."""

HEAD_RATE, WEIGHT_DECAY, BATCH, MAX_LEN = 2e-3, 0.01, 16, 64
HEAD_RATES = (1e-4, 5e-4, HEAD_RATE, 1e-2)
"""Tried where all the rest learns at the first of RATES; everywhere else the head has a rate of HEAD_RATE."""

VALIDATION = 400
"""Sentences to choose a setting by."""

MOST = (290, 60)
"""Sentences of a section at most, to learn from and held out; two of three stand in the section of parameters."""

READ, SCRATCH, COUNTED = LEARNERS = ("has read", "from scratch", "regression")
CODE, SECTION = "code in prose", "section of a sentence"
SHOWN = (CODE, 200)
"""Of this task and number of labels all draws try all settings, and rates of the head: lesson 16 shows them."""

TAGS = ("O", "B-code", "I-code")
COLUMNS = ("task", "labels", "seed", "learner", "setting", "head", "validation", "held_out", "sentences", "weights")
LOG = "fine_tuning.csv"

Row = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Example:
    """A labelled sentence.

    Attributes:
        words: what stands between spaces.
        classes: the right class of each word, or one for the whole.
        ids: the tokens of BERT, [CLS] and [SEP] included.
        labels: for each token the class that is asked for, or -100; for a whole sentence as `classes`.
    """

    words: list[str]
    classes: list[int]
    ids: list[int]
    labels: list[int]


@dataclass(frozen=True)
class Task:
    """What is to be learned.

    Attributes:
        name: of the task.
        classes: their names.
        by_word: whether every word has a class, or the sentence one.
        pool: what the labelled sentences are drawn from.
        validation: what settings are chosen by.
        held_out: what is reported on, which BERT has not read.
    """

    name: str
    classes: Sequence[str]
    by_word: bool
    pool: list[Example]
    validation: list[Example]
    held_out: list[Example]

    def drawn(self, labels: int, seed: int) -> list[Example]:
        """The labelled sentences of one draw; a larger one holds the smaller."""
        order = torch.randperm(len(self.pool), generator=torch.Generator().manual_seed(seed))
        return [self.pool[at] for at in order[:labels].tolist()]

    def f1(self, examples: Sequence[Example], predictions: Tensor) -> float:
        """F1 of entities where words have classes, and the mean of the classes' F1 where sentences have."""
        from my_transformer import precision_recall_f1, span_f1

        if not self.by_word:
            targets = torch.tensor([one.classes[0] for one in examples])
            macro: float = precision_recall_f1(targets, predictions, len(self.classes), "macro")[2]
            return macro
        rows = predictions.split([len(one.words) for one in examples])
        targets_of = [[self.classes[tag] for tag in one.classes] for one in examples]
        found: float = span_f1(targets_of, [[self.classes[tag] for tag in row.tolist()] for row in rows])
        return found


def tasks_of(pieces: BertPieces) -> list[Task]:
    """Both tasks, cut into tokens."""
    return [code_in_prose(pieces), sections(pieces)]


def code_in_prose(pieces: BertPieces) -> Task:
    """Which words of networkx's sentences are code?"""
    from my_transformer import align_labels

    sides: list[list[Example]] = []
    for sentences in tagged_sentences():
        found = []
        for one in sentences:
            classes, words = [TAGS.index(tag) for tag in one.tags], [pieces.encode(word) for word in one.words]
            ids = [pieces.cls_id, *(token for word in words for token in word), pieces.sep_id]
            numbers = [None, *(number for number, word in enumerate(words) for _ in word), None]
            if len(ids) <= MAX_LEN:
                found.append(Example(one.words, classes, ids, align_labels(classes, numbers)))
        sides.append(found)
    return _divided(CODE, TAGS, True, *sides)


def sections(pieces: BertPieces) -> Task:
    """Which section of a docstring is a sentence from?"""
    sides: list[list[Example]] = []
    for placed, most in zip(placed_sentences(), MOST, strict=True):
        of_each = ([one for one in _shuffled(placed) if one.section == number] for number in range(len(SECTIONS)))
        sentences = [one for some in of_each for one in some[:most]]
        rows = zip(sentences, pieces.encode_all([one.text for one in sentences]), strict=True)
        found = [
            Example(one.text.split(), [one.section], [pieces.cls_id, *ids, pieces.sep_id], [one.section])
            for one, ids in rows
            if len(ids) <= MAX_LEN - 2
        ]
        sides.append(found)
    return _divided(SECTION, SECTIONS, False, *sides)


def _divided(
    name: str, classes: Sequence[str], by_word: bool, known: Sequence[Example], held_out: Sequence[Example]
) -> Task:
    known = _shuffled(known)
    validation, pool = known[:VALIDATION], known[VALIDATION:]
    by_length = [sorted(some, key=lambda one: len(one.ids)) for some in (validation, held_out)]  # less padding
    return Task(name, classes, by_word, pool, *by_length)


def _shuffled(some: Sequence[T]) -> list[T]:
    order = torch.randperm(len(some), generator=torch.Generator().manual_seed(0))
    return [some[at] for at in order.tolist()]


def batch_of(task: Task, examples: Sequence[Example], pieces: BertPieces) -> tuple[Tensor, Tensor]:
    """Ids filled up with [PAD], and the labels: of each token, or of each sentence."""
    ids = pieces.padded([one.ids for one in examples])
    if not task.by_word:
        return ids, torch.tensor([one.labels[0] for one in examples])
    return ids, torch.tensor([[*one.labels, *[NOBODY] * (ids.size(1) - len(one.labels))] for one in examples])


def of_bert(
    task: Task, labelled: Sequence[Example], rates: tuple[float, float], seed: int, shipped: Shipped, read: bool
) -> list[float]:
    """Fine-tune at two rates, that of the head last, and measure: F1 on validation data and on held-out sentences."""
    from my_transformer import SequenceClassifier, TokenClassifier, evaluate

    pieces = BertPieces(shipped.merges)
    parts, _ = build_bert(pieces.vocab_size, pieces.pad_id, shipped.config["positions"], seed)
    if read:
        shipped.fill_(parts)
    model = (TokenClassifier if task.by_word else SequenceClassifier)(parts["bert"], len(task.classes))
    fine_tune(task, model, labelled, rates, seed, pieces)
    found = []
    for examples in (task.validation, task.held_out):
        batches = [batch_of(task, examples[at : at + 32], pieces) for at in range(0, len(examples), 32)]
        found.append(task.f1(examples, evaluate(model, batches)[1]))
    return found


def fine_tune(
    task: Task, model: nn.Module, labelled: Sequence[Example], rates: tuple[float, float], seed: int, pieces: BertPieces
) -> None:
    """As in the lesson: the head at a rate of its own, a warm-up of a tenth of the steps, a cosine behind it."""
    from my_transformer import fine_tune_groups

    steps = STEPS[len(labelled)]
    optimizer = torch.optim.AdamW(fine_tune_groups(model, model.head, *rates, WEIGHT_DECAY))
    highest = [group["lr"] for group in optimizer.param_groups]
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, highest, total_steps=steps, pct_start=0.1)
    generator = torch.Generator().manual_seed(seed)
    passes = range(1 + steps * BATCH // len(labelled))
    order = torch.cat([torch.randperm(len(labelled), generator=generator) for _ in passes]).tolist()
    model.train()
    for step in range(steps):
        chosen = [labelled[at] for at in order[step * BATCH : (step + 1) * BATCH]]
        ids, labels = batch_of(task, chosen, pieces)
        loss = F.cross_entropy(model(ids).flatten(0, -2), labels.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()


def of_regression(task: Task, labelled: Sequence[Example], penalty: float) -> list[float]:
    """A logistic regression: on a word with its neighbours and its looks, or on TF-IDF of one word and of two."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    features = DictVectorizer() if task.by_word else TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    learner = make_pipeline(features, LogisticRegression(C=penalty, max_iter=1000))
    learner.fit(_seen(task, labelled), [one for example in labelled for one in example.classes])
    guesses = [learner.predict(_seen(task, some)) for some in (task.validation, task.held_out)]
    sides = zip((task.validation, task.held_out), guesses, strict=True)
    return [task.f1(examples, torch.from_numpy(guess)) for examples, guess in sides]


def _seen(task: Task, examples: Sequence[Example]) -> list[Any]:
    """What a regression sees of each word, or of each sentence."""
    if not task.by_word:
        return [" ".join(one.words) for one in examples]
    return [looks(one.words, place) for one in examples for place in range(len(one.words))]


def looks(words: Sequence[str], place: int) -> dict[str, int]:
    """A word, two before it and two behind it, and how it is written: capitals, signs, digits, its last letters."""
    found = {}
    for offset in range(-2, 3):
        inside = 0 <= place + offset < len(words)
        word = words[place + offset].lower().strip(".,:;()") if inside else "edge of the sentence"
        found[f"{offset} {word}"] = 1
    shape = words[place]
    for letters, sign in ((r"[a-z]+", "a"), (r"[A-Z]+", "A"), (r"\d+", "0")):
        shape = re.sub(letters, sign, shape)
    return found | {f"shape {shape}": 1, f"end {words[place][-3:]}": 1}


def settings_of(rows: Sequence[Row], learner: str, seed: int, task: str, labels: int) -> Sequence[float]:
    """What is to be tried, given the rows of the draws before."""
    if seed and (task, labels) != SHOWN:
        return [best_setting(_rows_of(rows, task, labels, learner))]
    return PENALTIES if learner == COUNTED else RATES


def heads_of(learner: str, task: str, labels: int, setting: float) -> Sequence[float]:
    """The rates of the head that are to be tried; 0 where there is none."""
    if learner == COUNTED:
        return [0.0]
    many = (learner, task, labels, setting) == (READ, *SHOWN, RATES[0])
    return HEAD_RATES if many else [HEAD_RATE]


def trained(task: Task, row: Row, shipped: Shipped) -> Row:
    """A row with its two F1, and the number of sentences of the second."""
    labelled = task.drawn(row["labels"], row["seed"])
    if row["learner"] == COUNTED:
        both = of_regression(task, labelled, row["setting"])
    else:
        rates = row["setting"], row["head"]
        both = of_bert(task, labelled, rates, row["seed"], shipped, row["learner"] == READ)
    validation, held_out = (round(one, 4) for one in both)
    return row | {"validation": validation, "held_out": held_out, "sentences": len(task.held_out)}


def mark_of(path: Path) -> str:
    """Tells one file of weights from another."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def read_log(path: Path) -> list[Row]:
    """The rows of a log, numbers as numbers; none where there is no file."""
    if not path.is_file():
        return []
    numbers: dict[str, Callable[[str], Any]] = dict.fromkeys(("labels", "seed", "sentences"), int)
    numbers |= dict.fromkeys(("setting", "head", "validation", "held_out"), float)
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: numbers.get(name, str)(value) for name, value in row.items()} for row in csv.DictReader(file)]


def write_log(rows: Sequence[Row], path: Path) -> None:
    """All rows, in the order of COLUMNS."""
    half = path.with_suffix(".half")
    with half.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    half.replace(path)


def run(folder: Path) -> None:
    """Train what the log does not have yet, and what depends on the weights last. Rows of other weights go."""
    weights = folder / "bert.safetensors"
    shipped, mark = read_shipped(weights), mark_of(weights)
    rows = [row for row in read_log(folder / LOG) if row["learner"] != READ or row["weights"] == mark]
    tasks = tasks_of(BertPieces(shipped.merges))
    cells = list(product(reversed(LEARNERS), range(SEEDS), tasks, STEPS))
    for learner, seed, task, labels in tqdm(cells, desc="training", unit="cell"):
        settings = settings_of(rows, learner, seed, task.name, labels)
        for setting, head in ((one, head) for one in settings for head in heads_of(learner, task.name, labels, one)):
            new = dict(zip(COLUMNS, (task.name, labels, seed, learner, setting, head), strict=False))
            if not any(new.items() <= row.items() for row in rows):
                found = trained(task, new, shipped)
                rows.append(found | {"weights": mark if learner == READ else ""})
                write_log(rows, folder / LOG)


def table_of(rows: Sequence[Row]) -> list[str]:
    """The page's first part: each task, number of labels and learner, at the setting that was chosen."""
    names = {(row["task"], row["labels"]): None for row in rows}
    table = [
        "| task | labels | " + " | ".join(LEARNERS) + " |",
        "| --- | --- |" + " --- |" * len(LEARNERS),
    ]
    for task, labels in names:
        cells = []
        for learner in LEARNERS:
            best = best_setting(_rows_of(rows, task, labels, learner))
            cells.append(f"{_held_out(_rows_of(rows, task, labels, learner), best)} ({best:g})")
        table.append(f"| {task} | {labels:,} | " + " | ".join(cells) + " |")
    return table


def rates_of(rows: Sequence[Row]) -> list[str]:
    """The page's second part: what lesson 16 shows, at all rates."""
    table = [f"| rate of all but the head | {READ} | {SCRATCH} |", "| --- | --- | --- |"]
    for rate in RATES:
        cells = [_held_out(_rows_of(rows, *SHOWN, learner), rate) for learner in (READ, SCRATCH)]
        table.append(f"| {rate:g} | " + " | ".join(cells) + " |")
    return table


def heads_table(rows: Sequence[Row]) -> list[str]:
    """The page's third part: what the rate of the head is worth."""
    table = [f"| rate of the head | {READ} |", "| --- | --- |"]
    for head in HEAD_RATES:
        table.append(f"| {head:g} | {_held_out(_rows_of(rows, *SHOWN, READ, head), RATES[0])} |")
    return table


def best_setting(rows: Sequence[Row]) -> float:
    """The setting that was best on validation data in the first draw; of equals the first."""
    best: float = max((row for row in rows if row["seed"] == 0), key=lambda row: row["validation"])["setting"]
    return best


def _rows_of(rows: Sequence[Row], task: str, labels: int, learner: str, head: float = HEAD_RATE) -> list[Row]:
    wanted = (task, labels, learner, 0 if learner == COUNTED else head)
    return [row for row in rows if (row["task"], row["labels"], row["learner"], row["head"]) == wanted]


def _held_out(rows: Sequence[Row], setting: float) -> str:
    return ", ".join(f"{row['held_out']:.2f}" for row in rows if row["setting"] == setting)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if all rows are there, 2 if it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m course.fine_tuning_table", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, default=DATA, help="where the weights are and the log goes (course/data)"
    )
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    try:
        run(options.folder)
    except (OSError, ValueError) as error:
        print(f"fine_tuning_table: {error}", file=sys.stderr)
        return 2
    print("\n".join(table_of(read_log(options.folder / LOG))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
