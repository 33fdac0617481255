"""What a long training leaves behind: weights, log and curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from course.from_tokenizers import Pair
from course.long_run import LongRun, write_log
from course.shipped import read_shipped, save_shipped

FILE_LIMIT = 4_000_000


def write_run(
    run: LongRun,
    place: Path,
    *,
    config: Mapping[str, Any],
    merges: list[Pair],
    versions: Mapping[str, str],
    tokens: int,
    measured: Callable[[], Mapping[str, float]],
) -> None:
    """Write NAME.safetensors, and beside it NAME.csv and NAME.png; say what was measured.

    Args:
        run: the training, at its end.
        place: where the weights go.
        config: the model's sizes and choices.
        merges: the byte pairs of its vocabulary.
        versions: package → version, of the text.
        tokens: how many there were to learn from.
        measured: measures the model. It is called when the model has the numbers that are shipped, in float16.
    """
    figures: dict[str, float] = {"steps": run.step, "minutes": round(run.seconds / 60, 1), "tokens": tokens}

    def save() -> None:
        save_shipped(place, run.model, config=config, merges=merges, versions=versions, figures=figures)

    save()
    read_shipped(place).fill_(run.model)
    figures |= measured()
    save()
    write_log(run.rows, place.with_suffix(".csv"))
    draw_log(run.rows, place.with_suffix(".png"))
    print(", ".join(f"{name} {value:,}" for name, value in figures.items()))
    if place.stat().st_size > FILE_LIMIT:
        print(f"{place} has {place.stat().st_size:,} bytes, and the course ships at most {FILE_LIMIT:,}")


def draw_log(rows: list[dict[str, float]], path: Path) -> None:
    """The curve of a run: what was read, and what was held out."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.2), layout="constrained")
    ax = figure.subplots()
    ax.plot([row["step"] for row in rows], [row["loss"] for row in rows], label="as it learns")
    measured = [row for row in rows if "held_out" in row]
    ax.plot([row["step"] for row in measured], [row["held_out"] for row in measured], "o-", label="held out")
    ax.set(xlabel="step", ylabel="loss, nats a token")
    ax.legend(frameon=False)
    figure.savefig(path, dpi=110)
