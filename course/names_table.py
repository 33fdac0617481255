"""Writes `course/data/names.md` and `names.csv`: who finds the English name of a thing that nobody has shown them?

`python -m course.names_table` takes about ten minutes of one core. What each side can choose is chosen on one thing in
five of those that models may learn from: the runs of characters of TF-IDF, the learning rate of the encoder. Then both
are asked about the things that are held out, the encoders with three seeds.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any

import torch
from my_transformer import BiEncoder, cosine_scores, fuse, mean_reciprocal_rank, recall_at_k
from torch import Tensor

from course import matching
from course.matching import Collection
from course.names import Characters, Name, Names, all_names, is_held_out
from course.shipped import DATA

SEEDS = (0, 1, 2)
RATES = (3e-3, 6e-3)
RUNS = ((1, 3), (1, 4), (2, 4))
HARD_STEPS, HARD_RATE = 150, 2e-3
FIELDS = ("who", "seed", "recall@1", "recall@10", "MRR", "Latin", "Cyrillic and Greek", "seconds")

HEAD = """# Names across languages: the table of lesson 17

{known:,} names of {things:,} things in 14 languages to learn from; {held_out:,} names of {others:,} other things to be
found among all {english:,} English ones. Seconds are of processor time of one thread, training only. Three seeds: the
mean, and in brackets the smallest and the largest. `names.csv` has every run. Written by `python -m course.names_table`
with Babel {babel}; nothing of it is drawn by hand.

Chosen on one thing in five of the known ones (recall@1): {chosen}.
"""


def main() -> None:
    """Run everything, and write the table and its log."""
    torch.set_num_threads(1)
    names = all_names()
    rows: list[dict[str, Any]] = []
    tuned, log = tune(names)
    collection = Collection.of(names.held_out, names.english)
    for latin_letters, name in ((False, "TF-IDF"), (True, "TF-IDF, transliterated")):
        scores = matching.tf_idf_scores(collection, latin_letters, *tuned[name])
        rows.append(row_of(name, 0, scores, collection, 0.0))
    for seed in SEEDS:
        rows += of_seed(seed, names, collection, tuned, scores)
        write(names, rows, log)


def tune(names: Names) -> tuple[dict[str, Any], list[str]]:
    """What each side can choose, chosen on known things; and what was found there."""
    other = [one for one in names.known if is_for_choosing(one.english)]
    known = [one for one in names.known if not is_for_choosing(one.english)]
    collection = Collection.of(other, names.english)
    found: dict[str, dict[Any, float]] = {"TF-IDF": {}, "TF-IDF, transliterated": {}, "bi-encoder": {}}
    for least, most in RUNS:
        for name in ("TF-IDF", "TF-IDF, transliterated"):
            scores = matching.tf_idf_scores(collection, name != "TF-IDF", least, most)
            found[name][least, most] = first(scores, collection)
    for rate in RATES:
        model, chars = new_encoder(known, 0)
        matching.train_encoder(model, known, chars, rate=rate, curve=False)
        found["bi-encoder"][rate] = first(scores_of(model, chars, collection), collection)
    log = [f"{name}: " + ", ".join(f"{key} {value:.3f}" for key, value in one.items()) for name, one in found.items()]
    return {name: max(one, key=lambda key: one[key]) for name, one in found.items()}, log


def is_for_choosing(english: str) -> bool:
    """One thing in five of the known ones."""
    return is_held_out(f"{english} is for choosing")


def of_seed(
    seed: int, names: Names, collection: Collection, tuned: dict[str, Any], counted: Tensor
) -> list[dict[str, Any]]:
    """All that is trained with one seed."""
    rows: list[dict[str, Any]] = []
    rate = tuned["bi-encoder"]

    model, chars = new_encoder(names.known, seed)
    start = time.process_time()
    matching.train_encoder(model, names.known, chars, seed=seed, rate=rate, curve=False)
    seconds = time.process_time() - start
    scores = scores_of(model, chars, collection)
    rows.append(row_of("bi-encoder", seed, scores, collection, seconds))
    rows.append(row_of("bi-encoder and TF-IDF, by ranks", seed, fused_scores(scores, counted), collection, 0.0))
    near = matching.nearest_known(model, chars, names)
    cross, start = matching.new_cross_encoder(chars, seed), time.process_time()
    matching.train_cross_encoder(cross, names.known, chars, near, seed=seed, curve=False)
    seconds = time.process_time() - start
    again = matching.rerank(cross, chars, collection, scores)
    rows.append(row_of("cross-encoder on the 10 best", seed, again, collection, seconds))
    both = fused_scores(scores, again, counted)
    rows.append(row_of("all three, by ranks", seed, both, collection, 0.0))
    start = time.process_time()
    groups = matching.hard_groups(names.known, near, seed)
    matching.train_encoder(
        model, names.known, chars, seed=seed, steps=HARD_STEPS, rate=HARD_RATE, groups=groups, curve=False
    )
    seconds = time.process_time() - start
    rows.append(
        row_of(
            "bi-encoder, 150 more steps on hard negatives",
            seed,
            scores_of(model, chars, collection),
            collection,
            seconds,
        )
    )
    return rows


def new_encoder(known: Sequence[Name], seed: int) -> tuple[Any, Characters]:
    """One that has read nothing."""
    chars = Characters(text for one in known for text in (one.text, one.english))
    return BiEncoder(matching.new_bert(chars, seed), matching.TEMPERATURE), chars


def scores_of(model: Any, chars: Characters, collection: Collection) -> Tensor:
    """The cosines of all queries with all English names."""
    queries = matching.encode_all(model, chars, [one.text for one in collection.queries])
    with torch.no_grad():
        return cosine_scores(queries, matching.encode_all(model, chars, collection.texts))


def fused_scores(*all_scores: Tensor, best: int = 50) -> Tensor:
    """One table of scores of several, by the ranks of the `best` of each query alone; 0 for all others."""
    orders = [scores.sort(dim=1, descending=True, stable=True).indices[:, :best].tolist() for scores in all_scores]
    made = torch.zeros_like(all_scores[0])
    for row, rankings in enumerate(zip(*orders, strict=True)):
        for document, value in fuse(rankings).items():
            made[row, document] = value
    return made


def first(scores: Tensor, collection: Collection) -> float:
    """The share of queries whose best document is the right one."""
    return recall_at_k(scores, collection.relevant, 1)


def row_of(name: str, seed: int, scores: Tensor, collection: Collection, seconds: float) -> dict[str, Any]:
    """One line of the log."""
    latin, relevant = collection.latin(), collection.relevant
    row = {
        "who": name,
        "seed": seed,
        "recall@1": recall_at_k(scores, relevant, 1),
        "recall@10": recall_at_k(scores, relevant, 10),
        "MRR": mean_reciprocal_rank(scores, relevant),
        "Latin": recall_at_k(scores[latin], relevant[latin], 1),
        "Cyrillic and Greek": recall_at_k(scores[~latin], relevant[~latin], 1),
        "seconds": seconds,
    }
    print({key: f"{value:.3f}" if isinstance(value, float) else value for key, value in row.items()}, flush=True)
    return row


def write(names: Names, rows: Sequence[dict[str, Any]], log: Sequence[str], folder: Path = DATA) -> None:
    """Write both files."""
    with (folder / "names.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({key: f"{value:.4f}" if isinstance(value, float) else value for key, value in row.items()})
    (folder / "names.md").write_text(page(names, rows, log), encoding="utf-8")


def page(names: Names, rows: Sequence[dict[str, Any]], log: Sequence[str]) -> str:
    """The table, and what it is made of."""
    import babel

    head = HEAD.format(
        known=len(names.known),
        things=len({one.english for one in names.known}),
        held_out=len(names.held_out),
        others=len({one.english for one in names.held_out}),
        english=len(names.english),
        babel=babel.__version__,
        chosen="; ".join(log),
    )
    lines = ["| | " + " | ".join(FIELDS[2:]) + " |", "| --- " * (len(FIELDS) - 1) + "|"]
    for who in dict.fromkeys(row["who"] for row in rows):
        runs = [row for row in rows if row["who"] == who]
        lines.append(f"| {who} | " + " | ".join(_cell(key, [row[key] for row in runs]) for key in FIELDS[2:]) + " |")
    return head + "\n" + "\n".join(lines) + "\n"


def _cell(key: str, values: Sequence[float]) -> str:
    if key == "seconds":
        return f"{mean(values):.0f}" if max(values) > 0 else ""
    return f"{mean(values):.3f}" + (f" ({min(values):.3f} to {max(values):.3f})" if len(values) > 1 else "")


if __name__ == "__main__":
    os.environ.setdefault("TQDM_DISABLE", "1")
    main()
    print(DATA / "names.md")
