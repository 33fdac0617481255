"""How the transcriber of lesson 19 is trained and asked, in the notebook and for the table alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course.tones import BOS, EOS, HOP, PAD, SIZE, VOCAB_SIZE, Sound, keys_of, padded, some_sounds, texts

STEPS, BATCH, WARM_UP, RATE, WEIGHT = 600, 64, 100, 2e-3, 0.3
SEED_OF_BATCHES = 1_000_000
"""Training, validation and test are told apart by their seeds."""


@dataclass(frozen=True)
class Parts:
    """What the learner has written in the lesson."""

    log_spectrogram: Callable[..., Tensor]
    downsample_mask: Callable[[Tensor], Tensor]
    Transcriber: Callable[..., nn.Module]
    TranscriberConfig: Callable[..., Any]
    ctc_greedy: Callable[..., list[list[int]]]
    joint_loss: Callable[..., Tensor]
    error_rate: Callable[..., float]


def parts_of_the_library() -> Parts:
    """Those that have passed their checks, and stand-ins for the others."""
    import my_transformer

    return Parts(**{name: getattr(my_transformer, name) for name in Parts.__annotations__})


def heard(sounds: Sequence[Sound], parts: Parts) -> tuple[Tensor, Tensor]:
    """Spectrograms in one batch, (batch, frames, bins), and the mask of their frames."""
    signals, mask = padded(sounds)
    return parts.log_spectrogram(signals, SIZE, HOP)[:, : mask.size(1)], mask


def new_transcriber(parts: Parts, seed: int) -> nn.Module:
    """A transcriber with random numbers in it."""
    torch.manual_seed(seed)
    return parts.Transcriber(parts.TranscriberConfig(num_bins=SIZE // 2 + 1, vocab_size=VOCAB_SIZE, pad_id=PAD))


def training_step(
    model: Any,
    parts: Parts,
    weight: float = WEIGHT,
    rate: float = RATE,
    steps: int = STEPS,
    seed: int = 0,
    **sounds: Any,
) -> Callable[[int], float]:
    """What `course.training.train` calls at every step: a new batch, both losses, AdamW.

    Args:
        model: a transcriber.
        parts: what it is trained with.
        weight: of CTC.
        rate: the largest learning rate; it rises for 100 steps and falls as a cosine.
        steps: how many there will be.
        seed: of the sounds.
        sounds: see `some_sounds`.
    """
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    warm_up = min(WARM_UP, steps // 2) / steps
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 1, pct_start=max(warm_up, 1e-6))

    def step(number: int) -> float:
        batch = some_sounds(BATCH, SEED_OF_BATCHES * (seed + 1) + number, **sounds)
        spectrogram, mask = heard(batch, parts)
        read, write = texts(batch)
        model.train()
        logits, log_probs = model(spectrogram, mask, read)
        loss = parts.joint_loss(logits, log_probs, write, parts.downsample_mask(mask), weight, PAD, EOS)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        return float(loss.item())

    return step


@torch.no_grad()
def written(model: Any, spectrogram: Tensor, mask: Tensor, longest: int = 16) -> list[list[int]]:
    """What the decoder writes, token by token the likeliest."""
    model.eval()
    memory, memory_mask = model.encode(spectrogram, mask)
    ids = torch.full((len(memory), 1), BOS)
    ended = torch.zeros(len(ids), dtype=torch.bool)
    for _ in range(longest):
        best = model.decode(ids, memory, memory_mask)[:, -1].argmax(dim=-1).masked_fill(ended, PAD)
        ids = torch.cat([ids, best[:, None]], dim=1)
        ended |= best == EOS
        if ended.all():
            break
    return ids[:, 1:].tolist()


@torch.no_grad()
def both_readings(model: Any, parts: Parts, sounds: Sequence[Sound], longest: int = 16) -> tuple[list[str], list[str]]:
    """The keys that the decoder writes, and those that are read off the CTC head."""
    spectrogram, mask = heard(sounds, parts)
    model.eval()
    memory, _ = model.encode(spectrogram, mask)
    log_probs = F.log_softmax(model.ctc_head(memory), dim=-1)
    by_ctc = parts.ctc_greedy(log_probs, parts.downsample_mask(mask), PAD)
    return [keys_of(row) for row in written(model, spectrogram, mask, longest)], [keys_of(row) for row in by_ctc]


def key_error_rate(outputs: Sequence[str], sounds: Sequence[Sound], parts: Parts) -> float:
    """Edits for each key that was dialled."""
    return float(parts.error_rate(outputs, [one.keys for one in sounds]))
