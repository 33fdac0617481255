"""Writes `course/data/copying.md` and its log `copying.csv`: how many blocks a GPT needs to repeat what it has read.

`python -m course.copying_table`

The small models of lesson 14, with three seeds: one block, two blocks, and one block for more than five times as long.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from my_transformer import GPT, GPTConfig, induction_score, init_gpt_, next_token_loss
from torch import Tensor

from course.over_seeds import by_seed, kept
from course.shipped import DATA
from course.training import train

SEEDS = (0, 1, 2)
SYMBOLS, LENGTH, PERIODS, PERIOD = 40, 48, (8, 20), 12
BATCH, RATE = 32, 3e-3
MODELS = {"one block, 450 steps": (1, 450), "two blocks, 450 steps": (2, 450), "one block, 2,500 steps": (1, 2500)}
"""Name → blocks and steps."""

COLUMNS = ("seed", "model", "measure", "block", "value")
Row = tuple[int, str, str, int, float]
FOUND, SCORE, BEFORE = "found", "best induction score", "best weight of the token before"


def repeated(number: int) -> Tensor:
    """Rows that repeat themselves after 8 to 20 symbols, all different within a period, (number, LENGTH)."""
    rows = []
    for _ in range(number):
        period = int(torch.randint(PERIODS[0], PERIODS[1] + 1, ()))
        rows.append(torch.randperm(SYMBOLS)[:period].repeat(LENGTH // period + 1)[:LENGTH])
    return torch.stack(rows)


def learned(blocks: int, steps: int, seed: int) -> Any:
    """A GPT that has read such rows."""
    torch.manual_seed(seed)
    model = GPT(GPTConfig(SYMBOLS, 64, 4, blocks, 64, dropout=0.0, max_len=LENGTH, positions="rotary"))
    init_gpt_(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)

    def step(number: int) -> Tensor:
        ids = repeated(BATCH)
        loss: Tensor = next_token_loss(model(ids), ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    train(step, steps, label=f"{blocks} of {steps:,}, seed {seed}", curve=False)
    return model


@torch.no_grad()
def share_found(model: Any) -> float:
    """How often the likeliest token is right from the second period on."""
    torch.manual_seed(1)
    ids = repeated(64)
    best = model(ids).argmax(-1)
    known = PERIODS[1]
    return float((best[:, known:-1] == ids[:, known + 1 :]).float().mean())


@torch.no_grad()
def of_heads(model: Any) -> Iterator[tuple[str, int, float]]:
    """Of each block the best head's weight on what came after the same symbol, and on the token just before."""
    torch.manual_seed(2)
    ids = torch.stack([torch.randperm(SYMBOLS)[:PERIOD].repeat(LENGTH // PERIOD) for _ in range(16)])
    _, weights = model(ids, return_weights=True)
    for block, one in enumerate(weights):
        yield SCORE, block, float(induction_score(one, PERIOD).max())
        yield BEFORE, block, float(one.diagonal(-1, -2, -1).mean(dim=(0, -1)).max())


def all_rows() -> Iterator[Row]:
    """Everything, model by model."""
    for name, (blocks, steps) in MODELS.items():
        for seed in SEEDS:
            model = learned(blocks, steps, seed)
            yield seed, name, FOUND, -1, share_found(model)
            for measure, block, value in of_heads(model):
                yield seed, name, measure, block, value


def page(rows: Sequence[Row]) -> str:
    """The table, in Markdown."""
    head = f"""# Repeating what was read, three seeds

Written by `python -m course.copying_table`; `copying.csv` is its log. Rows of {LENGTH} symbols, out of {SYMBOLS},
repeat themselves after {PERIODS[0]} to {PERIODS[1]}. "Found" is how often the likeliest symbol is the right one where
the row has been seen once. A head's weights are the mean over rows that repeat themselves after {PERIOD}; of each block
the best head is shown.
"""
    return "\n".join([head, *by_seed(rows, ["model", "measure"], _named)]) + "\n"


def _named(row: Row) -> tuple[str, str]:
    _, model, measure, block, _ = row
    return model, f"{measure}, block {block}" if block >= 0 else measure


def main() -> None:
    """Train, measure, and write both files."""
    torch.set_num_threads(1)
    rows = kept(all_rows(), COLUMNS, DATA / "copying.csv")
    (DATA / "copying.md").write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    main()
