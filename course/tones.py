"""Touch tones, made by code: every key of a telephone is two sines at once (ITU-T Recommendation Q.23)."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

KEYS = "123A456B789C*0#D"
"""Row by row, as on the keypad."""

ROWS, COLUMNS = (697, 770, 852, 941), (1209, 1336, 1477, 1633)
"""The frequencies, in hertz."""

RATE, SIZE, HOP = 4000, 128, 80
"""Samples a second; samples of a frame, and from one to the next."""

PAD, BOS, EOS = 0, 1, 2
VOCAB_SIZE = 3 + len(KEYS)


@dataclass(frozen=True)
class Sound:
    """A message that was dialled.

    Attributes:
        keys: what was dialled.
        signal: the samples.
        spans: first and last sample of each key, the last exclusive.
    """

    keys: str
    signal: Tensor
    spans: tuple[tuple[int, int], ...]


def ids_of(keys: str) -> list[int]:
    """The ids of keys, from 3 on.

    Raises:
        ValueError: if something is no key.
    """
    unknown = [one for one in keys if one not in KEYS]
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no key; give some of {KEYS}")
    return [3 + KEYS.index(one) for one in keys]


def keys_of(ids: Sequence[int]) -> str:
    """The keys of ids up to the first EOS; what is no key is left out."""
    ids = list(ids)
    if EOS in ids:
        ids = ids[: ids.index(EOS)]
    return "".join(KEYS[one - 3] for one in ids if one >= 3)


def some_keys(chance: random.Random, shortest: int = 3, longest: int = 8) -> str:
    """Keys at random."""
    return "".join(chance.choices(KEYS, k=chance.randint(shortest, longest)))


def dial(
    keys: str, chance: random.Random | None = None, noise: float = 0.0, rate: int = RATE, steady: bool = False
) -> Sound:
    """Dial keys.

    Args:
        keys: some of KEYS.
        chance: draws how long keys and breaks are, phases, and noise.
        noise: the standard deviation of white noise. Each of a key's two sines has an amplitude of 1.
        rate: samples a second.
        steady: 80 ms for every key and every break, where it is 40 to 120 otherwise.

    Raises:
        ValueError: if something is no key, the noise is below 0, or the rate is too low for the highest tone.
    """
    ids_of(keys)
    if noise < 0:
        raise ValueError(f"noise={noise}; give 0 or more")
    if rate <= 2 * max(COLUMNS):
        raise ValueError(f"rate={rate} is too low for {max(COLUMNS)} Hz; give more than {2 * max(COLUMNS)}")
    chance = chance or random.Random(0)
    lengths = [round((0.08 if steady else chance.uniform(0.04, 0.12)) * rate) for _ in range(2 * len(keys) + 1)]
    repeats = torch.tensor(lengths)
    total = int(repeats.sum())
    time = torch.arange(total) / rate
    places = [KEYS.index(one) for one in keys]
    signal = torch.zeros(total)
    for tones in ([ROWS[one // 4] for one in places], [COLUMNS[one % 4] for one in places]):
        of_part = torch.zeros(len(lengths), 3)  # frequency, phase, amplitude: of breaks and of keys by turns
        of_part[1::2, 0] = torch.tensor(tones, dtype=torch.float32)
        of_part[1::2, 1] = torch.tensor([chance.uniform(0, 2 * math.pi) for _ in keys])
        of_part[1::2, 2] = 1.0
        frequency, phase, amplitude = of_part.repeat_interleave(repeats, dim=0).T
        signal += amplitude * torch.sin(2 * math.pi * frequency * time + phase)
    if noise:
        generator = torch.Generator().manual_seed(chance.getrandbits(48))
        signal += noise * torch.randn(total, generator=generator)
    ends = [0, *repeats.cumsum(0).tolist()]
    return Sound(keys, signal, tuple((ends[i], ends[i + 1]) for i in range(1, len(lengths), 2)))


def some_sounds(
    count: int,
    seed: int,
    noise: tuple[float, float] = (0.2, 1.0),
    shortest: int = 3,
    longest: int = 8,
    silent: float = 0.0,
) -> list[Sound]:
    """Messages at random.

    Args:
        count: how many.
        seed: the same seed gives the same messages.
        noise: the least and the most; drawn for each message.
        shortest, longest: how many keys.
        silent: the share of messages without any noise.
    """
    chance = random.Random(seed)
    made = []
    for _ in range(count):
        level = 0.0 if chance.random() < silent else chance.uniform(*noise)
        made.append(dial(some_keys(chance, shortest, longest), chance, level))
    return made


def padded(sounds: Sequence[Sound]) -> tuple[Tensor, Tensor]:
    """Signals in one batch, filled up with zeros, and the mask of the frames that are whole: (batch, frames).

    Raises:
        ValueError: if there is no sound, or one is shorter than a frame.
    """
    shortest = min((len(one.signal) for one in sounds), default=0)
    if shortest < SIZE:
        raise ValueError(f"{len(sounds)} sounds, the shortest of {shortest} samples; give at least one, of {SIZE}")
    signals = torch.nn.utils.rnn.pad_sequence([one.signal for one in sounds], batch_first=True)
    counts = torch.tensor([1 + (len(one.signal) - SIZE) // HOP for one in sounds])
    return signals, torch.arange(int(counts.max())) < counts[:, None]


def texts(sounds: Sequence[Sound]) -> tuple[Tensor, Tensor]:
    """What the decoder reads, and what it has to write: BOS and keys, keys and EOS; filled up with PAD."""
    rows = [ids_of(one.keys) for one in sounds]
    longest = max(len(row) for row in rows)
    read, write = (torch.full((len(rows), longest + 1), PAD) for _ in range(2))
    for number, row in enumerate(rows):
        read[number, : len(row) + 1] = torch.tensor([BOS, *row])
        write[number, : len(row) + 1] = torch.tensor([*row, EOS])
    return read, write
