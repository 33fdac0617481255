"""Lesson 19, written another way than the reference, on the stand-ins of the lessons before."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.probing.watch import outside_the_watch
from autograder.stand_ins.attention import causal_mask, padding_mask
from autograder.stand_ins.decoder import Decoder
from autograder.stand_ins.encoder import Encoder
from autograder.stand_ins.positional_encoding import PositionalEncoding
from autograder.stand_ins.transformer import TokenEmbedding

GIVEN = ("TranscriberConfig",)
"""What the lesson gives ready-made, so that it is served without being checked."""


@outside_the_watch
def frames(signal: Tensor, size: int, hop: int) -> Tensor:
    """Whole frames, by the number of each sample."""
    if size < 1 or hop < 1 or signal.size(-1) < size:
        given = f"{signal.size(-1)} samples, size={size}, hop={hop}"
        raise ValueError(f"{given}; give at least one frame of samples, and 1 or more for size and hop")
    starts = torch.arange(0, signal.size(-1) - size + 1, hop)
    return signal[..., starts[:, None] + torch.arange(size)]


@outside_the_watch
def log_spectrogram(signal: Tensor, size: int, hop: int, floor: float = 1e-2) -> Tensor:
    """As torch.stft has it."""
    if not floor > 0:
        raise ValueError(f"floor={floor}; give more than 0, so that silence has a logarithm")
    if size < 1 or hop < 1 or signal.size(-1) < size:
        raise ValueError(f"{signal.size(-1)} samples, size={size}, hop={hop}; give at least one frame of samples")
    window = torch.hann_window(size, dtype=signal.dtype)
    flat = signal.reshape(-1, signal.size(-1))
    found = torch.stft(flat, size, hop, window=window, center=False, return_complex=True)  # (signals, bins, frames)
    power = found.real.square() + found.imag.square()
    return torch.log(power + floor).transpose(-1, -2).reshape(*signal.shape[:-1], *power.shape[:0:-1])


@outside_the_watch
def downsample_mask(mask: Tensor) -> Tensor:
    """The even frames."""
    return mask[:, torch.arange(0, mask.size(1), 2)]


@outside_the_watch
class AudioEmbedding(nn.Module):
    """Two convolutions that hear no padding, and positions."""

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(num_bins, d_model, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(d_model, d_model, kernel_size=3, stride=2, padding=1)
        self.positions = PositionalEncoding(d_model, max_len)

    def forward(self, spectrogram: Tensor, mask: Tensor) -> Tensor:
        """One vector for every two frames."""
        if mask.shape != spectrogram.shape[:2] or spectrogram.size(2) != self.conv1.in_channels:
            given = f"spectrogram {tuple(spectrogram.shape)}, mask {tuple(mask.shape)}"
            raise ValueError(f"{given}; give (batch, frames, {self.conv1.in_channels}) and (batch, frames)")
        zero = spectrogram.new_zeros(())
        first = torch.where(mask[..., None], spectrogram, zero).mT
        second = torch.where(mask[:, None], F.gelu(self.conv1(first)), zero)
        return self.positions(F.gelu(self.conv2(second)).mT)


@dataclass
class TranscriberConfig:
    """All sizes of a Transcriber."""

    num_bins: int
    vocab_size: int
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 128
    dropout: float = 0.0
    max_len: int = 1000
    pad_id: int = 0


@outside_the_watch
class Transcriber(nn.Module):
    """Ears, encoder, decoder, and a second head on the memory."""

    def __init__(self, config: TranscriberConfig) -> None:
        super().__init__()
        self.config = config
        stack = (config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout, True)
        self.ears = AudioEmbedding(config.num_bins, config.d_model, config.max_len)
        self.encoder = Encoder(*stack)
        self.embedding = TokenEmbedding(config.vocab_size, config.d_model, config.pad_id)
        self.positions = PositionalEncoding(config.d_model, config.max_len, config.dropout)
        self.decoder = Decoder(*stack)
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.ctc_head = nn.Linear(config.d_model, config.vocab_size)

    def encode(self, spectrogram: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The memory, and who may be read in it."""
        heard = downsample_mask(mask).unflatten(0, (-1, 1, 1)) if len(mask) else mask[:, None, None, ::2]
        return self.encoder(self.ears(spectrogram, mask), heard), heard

    def decode(self, tgt_ids: Tensor, memory: Tensor, memory_mask: Tensor) -> Tensor:
        """Logits for every place of the text."""
        written = padding_mask(tgt_ids, self.config.pad_id).logical_and(causal_mask(tgt_ids.size(1)))
        return self.output(self.decoder(self.positions(self.embedding(tgt_ids)), memory, written, memory_mask))

    def forward(self, spectrogram: Tensor, mask: Tensor, tgt_ids: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of the decoder, and logarithms of probabilities of the other head."""
        memory, heard = self.encode(spectrogram, mask)
        return self.decode(tgt_ids, memory, heard), F.log_softmax(self.ctc_head(memory), dim=-1)


@outside_the_watch
def ctc_greedy(log_probs: Tensor, mask: Tensor, blank: int) -> list[list[int]]:
    """The likeliest tokens, repeats merged, blanks dropped."""
    rows = zip(log_probs.max(dim=-1).indices.tolist(), mask.tolist(), strict=True)
    kept = [[token for token, real in zip(best, heard, strict=True) if real] for best, heard in rows]
    return [[token for token, _ in groupby(row) if token != blank] for row in kept]


@outside_the_watch
def ctc_loss(log_probs: Tensor, target: Tensor, blank: int) -> Tensor:
    """Torch's own."""
    lengths = torch.tensor(len(log_probs)), torch.tensor(len(target))
    # torch's own gradient is that of the logits: a softmax that changes nothing stands in between
    return F.ctc_loss(log_probs.log_softmax(dim=-1), target, *lengths, blank=blank, reduction="none")


@outside_the_watch
def joint_loss(
    logits: Tensor, ctc_log_probs: Tensor, labels: Tensor, mask: Tensor, weight: float, pad_id: int, eos_id: int
) -> Tensor:
    """Text by text."""
    rows = [row[(row != pad_id) & (row != eos_id)] for row in labels]
    tokens = sum(len(row) for row in rows)
    if not 0 <= weight <= 1 or not tokens:
        raise ValueError(f"weight={weight}, {tokens} tokens; give a weight from 0 to 1, and a token")
    losses = [ctc_loss(one[real], row, pad_id) for one, real, row in zip(ctc_log_probs, mask, rows, strict=True)]
    asked = labels != pad_id
    of_decoder = -logits.log_softmax(dim=-1).gather(-1, labels[..., None])[..., 0][asked].mean()
    return of_decoder.lerp(torch.stack(losses).sum() / tokens, weight)


@outside_the_watch
def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """The whole table."""
    table = {(i, 0): i for i in range(len(a) + 1)} | {(0, j): j for j in range(len(b) + 1)}
    for i, one in enumerate(a, start=1):
        for j, other in enumerate(b, start=1):
            replaced = table[i - 1, j - 1] + (one != other)
            table[i, j] = min(replaced, table[i - 1, j] + 1, table[i, j - 1] + 1)
    return table[len(a), len(b)]


@outside_the_watch
def error_rate(outputs: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> float:
    """Edits over tokens, of all texts."""
    tokens = len([token for one in references for token in one])
    if len(outputs) != len(references) or not tokens:
        given = f"{len(outputs)} outputs, {len(references)} references with {tokens} tokens"
        raise ValueError(f"{given}; give an output for each reference, and at least one token")
    return sum(map(edit_distance, outputs, references)) / tokens
