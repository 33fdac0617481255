"""Writes `course/data/README.md`: what the shipped weights are, from what stands in their files.

`python -m course.weights_table`
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from course.docstrings import HELD_OUT, LICENCES
from course.fine_tuning_table import (
    BATCH,
    CODE,
    LOG,
    MOST,
    RATES,
    SECTION,
    SEEDS,
    SHOWN,
    STEPS,
    Row,
    heads_table,
    rates_of,
    read_log,
    table_of,
)
from course.shipped import DATA, Shipped, read_shipped

HEAD = """# The weights that the course ships

Made by `python -m course.pretrain NAME`, which any machine can run again; `NAME.csv` is the log and `NAME.png` the
curve of the run that made them. A file holds, beside the parameters in float16, the byte pairs of its vocabulary, the
sizes of the model and the versions of the packages whose docstrings it has read. The text itself is part of nobody's
checkout: it is read from the installation, and the licences of all these packages allow that.

One sentence in {held_out} is held out, by a hash of its own letters (`course/docstrings.py`). It may have neighbours
on the other side that differ from it by a word or two: figures of a 5-gram profit from that, and those of a model too.
The rate in a log jumps where the run was stopped and taken up for another number of minutes.
This page is written by `python -m course.weights_table`.
"""

EVEN = "A text that was exchanged had as many sentences as the true one, and as many tokens."


def page(folder: Path = DATA) -> str:
    """The text of the page, for all weights in a folder."""
    files = sorted(folder.glob("*.safetensors"))
    parts = [HEAD.format(held_out=HELD_OUT), *(_part(path, read_shipped(path)) for path in files)]
    rows = read_log(folder / LOG)
    return "\n".join([*parts, _fine_tuned(rows)] if rows else parts)


def _part(path: Path, shipped: Shipped) -> str:
    figures = shipped.figures
    sizes = ", ".join(f"{name} {value}" for name, value in shipped.config.items())
    table = _of_blanks(path.stem, figures) if "one_blank" in figures else _of_a_text(path.stem, figures)
    texts = ", ".join(f"{name} {version} ({LICENCES[name]})" for name, version in shipped.versions.items())
    return f"""## {path.stem}

{sizes}. One seed, {figures["steps"]:,} steps in {figures["minutes"]:g} minutes of processor time of one thread on a
busy machine, from {figures["tokens"]:,} tokens.

{chr(10).join(table)}

Read: {texts}.
"""


def _of_a_text(name: str, figures: dict[str, float]) -> list[str]:
    rows = {name: "held_out", "5-gram (Kneser-Ney)": "five_gram", "bigram": "bigram", "unigram": "unigram"}
    table = [f"| {name} | {figures[key]:.2f} | {figures[f'{key}_bits']:.2f} |" for name, key in rows.items()]
    return ["| on all that is held out | nats a token | bits a byte |", "| --- | --- | --- |", *table]


def _of_blanks(name: str, figures: dict[str, float]) -> list[str]:
    """Of a model that fills blanks: what it pays for them and how often it is right, and what counting does."""
    some = f"{figures['counted']:,} of them"
    rows = {
        f"{name}, 15 % of the tokens of every sentence": "held_out",
        f"{name}, one blank in every sentence": "one_blank",
        "unigram, the same blanks": "unigram",
        f"{name}, {some}": "one_blank_of_these",
        f"5-gram (Kneser-Ney), from the left, {some}": "five_gram_left",
        f"the same, weighed by what stands behind it, {some}": "five_gram_both",
    }
    table = [f"| {row} | {figures[key]:.2f} | {figures[f'{key}_right']:.1%} |" for row, key in rows.items()]
    follows = "Whether a held-out sentence follows the one before it, or another one was put there"
    return [
        "| on held-out sentences | nats a blank | right |",
        "| --- | --- | --- |",
        *table,
        "",
        f"{follows}: right {figures['follows_right']:.1%} of the time, where chance is 50 %.",
        EVEN,
    ]


def _fine_tuned(rows: Sequence[Row]) -> str:
    """What reading beforehand is worth, from the log of `course.fine_tuning_table`."""
    held_out = {row["task"]: row["sentences"] for row in rows}
    table, rates, heads = ("\n".join(one) for one in (table_of(rows), rates_of(rows), heads_table(rows)))
    return f"""## bert, fine-tuned

F1 on held-out sentences, for {SEEDS} draws of labelled ones, and in brackets the setting: a learning rate, or the C
of a logistic regression. Each learner has as many settings to choose from; the one is taken that was best on validation
data in the first draw. "{CODE}" is the F1 of entities in {held_out[CODE]:,} sentences of networkx, and
"{SECTION}" the mean F1 of five sections in {held_out[SECTION]:,} sentences of networkx, numpy and matplotlib, of
which no section has more than {MOST[1]}, as it has no more than {MOST[0]} of those that are drawn from.

With {_listed(STEPS)} labels BERT takes {_listed(STEPS.values())} steps of {BATCH} sentences. From scratch means the
same sizes and random numbers. The regression sees of a word how it is written, two words before
it and two behind it; and of a sentence the TF-IDF of its words and pairs of words.

{table}

All rates, for {SHOWN[0]} with {SHOWN[1]} labels:

{rates}

The same where all but the head learns at {RATES[0]:g}, for other rates of the head:

{heads}

`python -m course.fine_tuning_table` has made `{LOG}`, a row for each training.
"""


def _listed(numbers: Iterable[int]) -> str:
    *some, last = (f"{one:,}" for one in numbers)
    return f"{', '.join(some)} and {last}"


if __name__ == "__main__":
    (DATA / "README.md").write_text(page(), encoding="utf-8")
    print(DATA / "README.md")
