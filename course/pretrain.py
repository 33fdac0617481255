"""Trains the weights that the course ships: `python -m course.pretrain gpt`, or bert.

It reads the docstrings of everything in `course.docstrings.LICENCES` that is installed, learns byte pairs on
what is not held out, and trains the model that `my_transformer` has, yours or its stand-in. It can be stopped;
the same command goes on. At the end the folder has NAME.safetensors, NAME.csv (the log) and NAME.png (the curve).
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.docstrings import LICENCES, Prose, read_prose
from course.from_tokenizers import Pair
from course.kneser_ney import KneserNey
from course.long_run import LongRun
from course.pieces import learn_pieces, library_tokenizer, to_ids
from course.pretrain_bert import pretrain_bert
from course.run_files import write_run
from course.shipped import DATA
from course.token_losses import token_losses

VOCAB_SIZE, SEQ_LEN, BATCH, RATE, MINUTES = 4096, 64, 32, 2e-3, 35.0
SIZES = {"d_model": 128, "num_heads": 4, "num_layers": 4, "d_ff": 512, "dropout": 0.0, "max_len": SEQ_LEN}
MEASURED = 64
"""Windows of held-out text on which a run is measured while it goes on."""


@dataclass
class Corpus:
    """A text as one row of ids, on both sides of the split.

    Attributes:
        known: what is learned from, (length,).
        held_out: what is measured on, (length,).
        held_bytes: the bytes of the held-out text.
        merges: the byte pairs, learned on what is known.
        versions: package → version.
    """

    known: Tensor
    held_out: Tensor
    held_bytes: int
    merges: list[Pair]
    versions: dict[str, str]

    def fingerprint(self) -> str:
        """Tells this text from another."""
        return hashlib.sha256(self.known.numpy().tobytes()).hexdigest()[:16]


def corpus_of(prose: Prose, vocab_size: int = VOCAB_SIZE) -> Corpus:
    """Learn the byte pairs of a text, and cut it with them."""
    merges = learn_pieces(prose.known, vocab_size)
    tokenizer = library_tokenizer(merges)
    held_out = to_ids(prose.held_out, tokenizer)
    size = len(tokenizer.decode(held_out.tolist()).encode())
    return Corpus(to_ids(prose.known, tokenizer), held_out, size, merges, prose.versions)


def batch_of(ids: Tensor, step: int, batch: int = BATCH, seq_len: int = SEQ_LEN) -> Tensor:
    """The rows of step number `step`, (batch, seq_len + 1): every pass cuts the text elsewhere, and shuffles."""
    windows = len(ids) // seq_len - 2  # wherever a pass begins, so many have all their tokens
    if windows < 1:
        raise ValueError(f"{len(ids)} tokens are too few for windows of {seq_len}; give {3 * seq_len} or more")
    batch = min(batch, windows)
    turn, place = divmod(step, windows // batch)
    generator = torch.Generator().manual_seed(turn)
    first = int(torch.randint(seq_len, (), generator=generator))
    chosen = torch.randperm(windows, generator=generator)[place * batch : (place + 1) * batch]
    return ids[first + chosen[:, None] * seq_len + torch.arange(seq_len + 1)]


def next_loss(model: nn.Module, rows: Tensor) -> Tensor:
    """The mean loss of every token of the rows but the first."""
    return F.cross_entropy(model(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())


@torch.no_grad()
def held_out_loss(model: nn.Module, ids: Tensor, windows: int | None = None, seq_len: int = SEQ_LEN) -> float:
    """Nats a token on windows that lie side by side; all of them where `windows` is None."""
    rows = ids.unfold(0, seq_len + 1, seq_len)[:windows]
    model.eval()
    losses = [next_loss(model, some).item() * len(some) for some in rows.split(16)]
    model.train()
    return sum(losses) / len(rows)


def measured_on(corpus: Corpus, model: nn.Module) -> dict[str, float]:
    """Nats a token and bits a byte of the held-out text, for the model and for three that count."""
    vocab_size, held_out = len(corpus.merges) + 256, corpus.held_out
    found = {"held_out": token_losses(model, held_out, SEQ_LEN)}
    for name, order in {"unigram": 1, "bigram": 2, "five_gram": 5}.items():
        found[name] = -KneserNey(corpus.known, vocab_size, order).log_probs(held_out)[1:]
    per_token = corpus.held_bytes / len(held_out)
    nats = {name: round(losses.mean().item(), 4) for name, losses in found.items()}
    return nats | {f"{name}_bits": round(one / math.log(2) / per_token, 4) for name, one in nats.items()}


def build_gpt(vocab_size: int) -> tuple[nn.Module, dict[str, Any]]:
    """A new GPT of the learner's, and its choices."""
    from my_transformer import GPT, GPTConfig, init_gpt_

    torch.manual_seed(0)
    config = {"vocab_size": vocab_size, **SIZES, "positions": "rotary"}
    model = GPT(GPTConfig(**config))
    init_gpt_(model)
    return model, config


def pretrain_gpt(folder: Path, minutes: float, packages: Sequence[str] = tuple(LICENCES)) -> bool:
    """Train, measure and write; False if it was interrupted."""
    corpus = corpus_of(read_prose(packages))
    counts = f"{len(corpus.known):,} tokens to learn from, {len(corpus.held_out):,} held out"
    print(f"{counts}, of {len(corpus.versions)} packages", flush=True)
    model, config = build_gpt(len(corpus.merges) + 256)
    run = LongRun(
        model=model,
        rows_of=lambda step: batch_of(corpus.known, step),
        loss_of=lambda rows: next_loss(model, rows),
        measure=lambda: held_out_loss(model, corpus.held_out, MEASURED),
        minutes=minutes,
        rate=RATE,
        checkpoint=folder / "gpt.checkpoint",
        text=corpus.fingerprint(),
    )
    if not run.run():
        return False
    write_run(
        run,
        folder / "gpt.safetensors",
        config=config,
        merges=corpus.merges,
        versions=corpus.versions,
        tokens=len(corpus.known),
        measured=lambda: measured_on(corpus, model),
    )
    return True


MODELS = {"bert": pretrain_bert, "gpt": pretrain_gpt}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if the weights are written, 130 if it was interrupted, 2 if it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m course.pretrain", description=__doc__)
    parser.add_argument("model", choices=MODELS, help="which model")
    parser.add_argument("--to", type=Path, default=DATA, metavar="FOLDER", help="where to write (course/data)")
    parser.add_argument("--minutes", type=float, default=MINUTES, help=f"processor time to train for ({MINUTES:g})")
    options = parser.parse_args(arguments)
    if options.minutes <= 0:
        parser.error(f"--minutes {options.minutes:g}; give more than 0")
    torch.set_num_threads(1)
    options.to.mkdir(parents=True, exist_ok=True)
    try:
        return 0 if MODELS[options.model](options.to, options.minutes) else 130
    except (OSError, ValueError) as error:
        print(f"pretrain: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
