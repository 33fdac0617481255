"""Training for longer than a notebook lasts: stopped at any step, it goes on from there as if nothing had been."""

from __future__ import annotations

import csv
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm.auto import tqdm

from course.training import QUICK_STEPS, quick

WARM_UP_STEPS, LOWEST = 600, 0.05
SECONDS_BETWEEN_SAVES = 60.0
LOG_EVERY, MEASURE_EVERY = 50, 500
KEPT = ("text", "step", "seconds", "rows", "losses")
ROWS_AT_ONCE = 16
"""Gradients add up over parts of a batch. What stays in the cache of a processor takes a quarter less time."""


@dataclass
class LongRun:
    """One training, as far as it has come.

    Args:
        model: what is trained.
        rows_of: the rows of step number i, whatever was done before.
        loss_of: the mean loss of some rows.
        measure: the loss on held-out text.
        minutes: of processor time, over all the times that it is taken up again. The learning rate falls with it.
        rate: the largest learning rate.
        checkpoint: the file that keeps the state.
        text: tells one text from another; a state that has read another is not taken up.
        warm_up: steps in which the rate rises.
    """

    model: nn.Module
    rows_of: Callable[[int], Tensor]
    loss_of: Callable[[Tensor], Tensor]
    measure: Callable[[], float]
    minutes: float
    rate: float
    checkpoint: Path
    text: str
    warm_up: int = WARM_UP_STEPS
    step: int = 0
    seconds: float = 0.0
    rows: list[dict[str, float]] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    """Those since the last row."""

    def __post_init__(self) -> None:
        matrices = [one for one in self.model.parameters() if one.dim() > 1]
        vectors = [one for one in self.model.parameters() if one.dim() < 2]
        groups = [{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=self.rate, betas=(0.9, 0.98))
        if self.checkpoint.is_file():
            self._take_up()

    def run(self) -> bool:
        """Train until the minutes are over; False if it was interrupted, and has been saved."""
        saved = began = time.process_time() - self.seconds
        saved += self.seconds
        total = max(1, round(60 * self.minutes))
        with tqdm(total=total, initial=min(total, round(self.seconds)), desc="training", unit="s") as bar:
            try:
                while self.seconds < 60 * self.minutes and not (quick() and self.step >= QUICK_STEPS):
                    self.losses.append(self._one_step())
                    self.seconds = time.process_time() - began
                    if self.step % LOG_EVERY == 0:
                        self._log()
                    bar.set_postfix(step=self.step, loss=f"{self.rows[-1]['loss']:.3f}" if self.rows else "")
                    bar.update(min(total, round(self.seconds)) - bar.n)
                    if time.process_time() - saved > SECONDS_BETWEEN_SAVES:
                        self._save()
                        saved = time.process_time()
            except KeyboardInterrupt:
                self._save()
                print(f"Stopped after {self.step} steps. The same command goes on from there.")
                return False
        if self.losses:
            self._log(measured=True)
        self._save()
        return True

    def rate_now(self) -> float:
        """Rises for the warm-up, then falls as a cosine to a twentieth, by the share of the minutes that is used."""
        share = min(1.0, self.seconds / (60 * self.minutes))
        falling = LOWEST + (1 - LOWEST) * (1 + math.cos(math.pi * share)) / 2
        return self.rate * min(1.0, (self.step + 1) / self.warm_up) * falling

    def _one_step(self) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = self.rate_now()
        self.optimizer.zero_grad()
        rows, total = self.rows_of(self.step), 0.0
        for some in rows.split(ROWS_AT_ONCE):
            loss = self.loss_of(some) * (len(some) / len(rows))
            loss.backward()
            total += loss.item()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        self.step += 1
        if not math.isfinite(total):
            raise ValueError(f"the loss at step {self.step} is {total}; a smaller rate may help")
        return total

    def _log(self, measured: bool = False) -> None:
        row = {"step": self.step, "minutes": round(self.seconds / 60, 2), "rate": float(f"{self.rate_now():.3g}")}
        row["loss"] = round(sum(self.losses) / len(self.losses), 4)
        if measured or self.step % MEASURE_EVERY == 0:
            row["held_out"] = round(self.measure(), 4)
        self.rows.append(row)
        self.losses.clear()

    def _save(self) -> None:
        state = {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "run": {name: getattr(self, name) for name in KEPT},
        }
        half = self.checkpoint.with_suffix(".half")
        torch.save(state, half)
        half.replace(self.checkpoint)

    def _take_up(self) -> None:
        state = torch.load(self.checkpoint, weights_only=True)
        if state["run"]["text"] != self.text:
            raise ValueError(f"{self.checkpoint} has read another text; remove it to begin anew")
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        for name in KEPT:
            setattr(self, name, state["run"].get(name, []))


def write_log(rows: list[dict[str, float]], path: Path) -> None:
    """The rows of a run as a table: step, minutes, rate, loss, and where it was measured, held_out."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, ["step", "minutes", "rate", "loss", "held_out"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
