"""Writes `course/data/digits.md` and its log `digits.csv`: who names digits best, and what its attention is worth.

`python -m course.digits_table`

Three seeds, and with each other digits held out. Before that, every side chooses among four settings, by 300 of the
digits that the first seed lets it learn from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import torch
from my_transformer import VisionConfig, VisionTransformer, attention_rollout, unpatchify
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from torch import Tensor, nn
from torch.nn.functional import cosine_similarity

from course.digits import PATCH, Digits, accuracy, fit, ink, read_digits, without_patches
from course.over_seeds import by_seed, kept
from course.shipped import DATA

SEEDS = (0, 1, 2)
STEPS = 600
CHOSEN_BY = 300
BLANKED = 4
SIDES = (
    "logistic regression",
    "nearest neighbours",
    "SVM, RBF kernel",
    "the same on the ink alone",
    "Vision Transformer",
    "the same without positions",
    "the same on strips",
)
COLUMNS = ("seed", "what", "setting", "measure", "value")
Row = tuple[int, str, str, str, float]


def of_sklearn(make: Callable[..., Any], known: Digits, held_out: Digits, **setting: Any) -> float:
    """The accuracy of one of scikit-learn's, on rows of 64 numbers."""
    made = make(**setting).fit(known.rows().numpy(), known.labels.numpy())
    return float(made.score(held_out.rows().numpy(), held_out.labels.numpy()))


def vision_transformer(known: Digits, seed: int, rate: float, dropout: float, positions: bool = True) -> nn.Module:
    """One that has learned; positions=False keeps all of them at zero."""
    torch.manual_seed(seed)
    model = VisionTransformer(VisionConfig(dropout=dropout))
    if not positions:
        nn.init.zeros_(model.positions).requires_grad_(False)
    fit(model, known, steps=STEPS, rate=rate, seed=seed, label=f"rate {rate}, dropout {dropout}", curve=False)
    return model


def on_strips(digits: Digits) -> Digits:
    """Pictures whose patches are the strips of these: what a model reads that cuts pictures up by `reshape` alone."""
    count, channels, height, width = digits.images.shape
    strips = digits.images.reshape(count, -1, channels * PATCH * PATCH)
    return Digits(unpatchify(strips, PATCH, height, width), digits.labels)


def on_ink(digits: Digits) -> Digits:
    """Of each picture one number: how much ink there is in all."""
    return Digits(digits.images.mean(dim=(1, 2, 3), keepdim=True), digits.labels)


def settings(side: str) -> list[dict[str, Any]]:
    """The four that a side may choose from."""
    if side == "logistic regression":
        return [{"C": strength, "max_iter": 2000} for strength in (0.1, 1.0, 10.0, 100.0)]
    if side == "nearest neighbours":
        return [{"n_neighbors": count} for count in (1, 3, 5, 10)]
    if side in ("SVM, RBF kernel", "the same on the ink alone"):
        return [{"C": strength, "gamma": width} for strength, width in product((1.0, 10.0), ("scale", 0.1))]
    return [{"rate": rate, "dropout": dropout} for rate, dropout in product((1e-3, 3e-3), (0.0, 0.1))]


def score(
    side: str, setting: dict[str, Any], known: Digits, held_out: Digits, seed: int
) -> tuple[float, nn.Module | None]:
    """The accuracy of a side, and its model where that is one of torch."""
    classic = {
        "logistic regression": LogisticRegression,
        "nearest neighbours": KNeighborsClassifier,
        "SVM, RBF kernel": SVC,
        "the same on the ink alone": SVC,
    }
    if side == "the same on the ink alone":
        known, held_out = on_ink(known), on_ink(held_out)
    if side in classic:
        return of_sklearn(classic[side], known, held_out, **setting), None
    if side == "the same on strips":
        known, held_out = on_strips(known), on_strips(held_out)
    model = vision_transformer(known, seed, positions=side != "the same without positions", **setting)
    return accuracy(model, held_out), model


def ways_of_choosing(model: nn.Module, images: Tensor) -> dict[str, Tensor]:
    """For every patch a score by which the first four are blanked."""
    with torch.no_grad():
        _, weights = model(images, return_weights=True)
    rolled = attention_rollout(weights)[:, 0, 1:]
    chance, dark = torch.rand(rolled.shape, generator=torch.Generator().manual_seed(0)), ink(images)
    return {
        "none": torch.zeros_like(rolled),
        "most ink": dark,
        "most attention of the last layer": weights[-1].mean(1)[:, 0, 1:],
        "most rollout": rolled,
        "at random": chance,
        "at random, of those with ink": chance + (dark > 0),
        "least rollout": -rolled,
    }


def blanked(model: nn.Module, held_out: Digits) -> Iterator[tuple[str, float]]:
    """The accuracy when four patches are paper."""
    for name, scores in ways_of_choosing(model, held_out.images).items():
        count = 0 if name == "none" else BLANKED
        shown = Digits(without_patches(held_out.images, scores, count), held_out.labels)
        yield name, accuracy(model, shown)


def nearness(positions: Tensor, down: int = 4) -> tuple[float, float]:
    """The mean cosine of the positions of patches side by side, and of all other pairs."""
    places = torch.arange(positions.size(1) - 1)
    rows, columns = places // down, places % down
    apart = (rows[:, None] - rows).abs() + (columns[:, None] - columns).abs()
    grid = positions[0, 1:].detach()
    alike = cosine_similarity(grid[:, None], grid[None], dim=-1)
    return alike[apart == 1].mean().item(), alike[apart > 1].mean().item()


def chosen() -> Iterator[tuple[dict[str, dict[str, Any]], Row]]:
    """The setting of each side so far, beside a row of the log; all of it with the first seed."""
    known, _ = read_digits(SEEDS[0])
    chosen_by, learned = known.part(torch.arange(CHOSEN_BY)), known.part(torch.arange(CHOSEN_BY, len(known)))
    best: dict[str, dict[str, Any]] = {}
    for side in SIDES:
        tried = []
        for setting in settings(side):
            tried.append(score(side, setting, learned, chosen_by, SEEDS[0])[0])
            best[side] = settings(side)[tried.index(max(tried))]
            yield best, (SEEDS[0], side, str(setting), "chosen by", tried[-1])


def measure(seed: int, best: dict[str, dict[str, Any]]) -> Iterator[Row]:
    """All that is measured with one seed."""
    known, held_out = read_digits(seed)
    for side in SIDES:
        found, model = score(side, best[side], known, held_out, seed)
        setting = str(best[side])
        yield seed, side, setting, "held out", found
        if side == "Vision Transformer" and model is not None:
            for name, value in blanked(model, held_out):
                yield seed, name, setting, "blanked", value
            near, far = nearness(model.positions)  # type: ignore[arg-type]
            yield seed, "side by side", setting, "cosine", near
            yield seed, "all other pairs", setting, "cosine", far


def all_rows() -> Iterator[Row]:
    """The settings are chosen, then every seed is measured."""
    best: dict[str, dict[str, Any]] = {}
    for best, row in chosen():  # noqa: B007
        yield row
    for seed in SEEDS:
        yield from measure(seed, best)


def _table(rows: list[Row], measured: str, head: str) -> list[str]:
    return by_seed(rows, [head], lambda row: (row[1],) if row[3] == measured else None)


def page(rows: list[Row]) -> str:
    """The tables, in Markdown."""
    parts = [
        "# Digits, three seeds",
        "",
        "Written by `python -m course.digits_table`; `digits.csv` is its log. With each seed other 500 digits are held",
        "out, and the other 1,297 are learned from. Before that, every side chose among four settings, by",
        f"{CHOSEN_BY} digits that it did not learn from, with the first seed.",
        "",
        *_table(rows, "held out", "right on what is held out"),
        "",
        f"{BLANKED} of 16 patches are made paper. What the Vision Transformer then gets right:",
        "",
        *_table(rows, "blanked", "which patches"),
        "",
        "The learned positions of two patches, mean cosine:",
        "",
        *_table(rows, "cosine", "which pairs"),
    ]
    return "\n".join(parts) + "\n"


def main() -> None:
    """Measure, and write both files; the log grows row by row."""
    torch.set_num_threads(1)
    rows = kept(all_rows(), COLUMNS, DATA / "digits.csv")
    (DATA / "digits.md").write_text(page(rows), encoding="utf-8")
    print(page(rows))


if __name__ == "__main__":
    main()
