"""Hearing: from sound to text, with the encoder and the decoder of lesson 08 and other ears."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from solutions.attention import causal_mask, padding_mask
from solutions.decoder import Decoder
from solutions.encoder import Encoder
from solutions.positional_encoding import PositionalEncoding
from solutions.transformer import TokenEmbedding


def frames(signal: Float[Tensor, "... samples"], size: int, hop: int) -> Float[Tensor, "... num_frames size"]:
    """Cut a sound into pieces of one size that may overlap.

    Args:
        signal: the sound, or several of one length.
        size: samples of a frame.
        hop: samples from the start of a frame to the start of the next.

    Returns:
        Frame i holds the samples from i · hop on. Only whole frames; what is left at the end is dropped.

    Raises:
        ValueError: if the signal is shorter than a frame, or size or hop is below 1.
    """
    if size < 1 or hop < 1 or signal.size(-1) < size:
        given = f"{signal.size(-1)} samples, size={size}, hop={hop}"
        raise ValueError(f"{given}; give at least one frame of samples, and 1 or more for size and hop")
    # BEGIN SOLUTION
    return signal.unfold(-1, size, hop)
    # END SOLUTION


def log_spectrogram(
    signal: Float[Tensor, "... samples"], size: int, hop: int, floor: float = 1e-2
) -> Float[Tensor, "... num_frames num_bins"]:
    """Say how strong each frequency is in each frame.

    Args:
        signal: see frames.
        size: see frames.
        hop: see frames.
        floor: added to the power, so that silence has a logarithm.

    Returns:
        The natural logarithm of power + floor; the power of a bin is the squared magnitude of the Fourier
        transform of the frame under a periodic Hann window. There are size // 2 + 1 bins.

    Raises:
        ValueError: see frames; and if floor is not above 0.

    Source: Allen and Rabiner, "A Unified Approach to Short-Time Fourier Analysis and Synthesis" (1977); equals
    torch.stft with `center=False`.
    """
    if not floor > 0:
        raise ValueError(f"floor={floor}; give more than 0, so that silence has a logarithm")
    # 1. the frames, each times the window: `torch.hann_window(size)`
    # 2. `torch.fft.rfft`, and of each complex number the square of its magnitude
    # 3. add the floor, take the logarithm
    # BEGIN SOLUTION
    window = torch.hann_window(size, dtype=signal.dtype)
    power = torch.fft.rfft(frames(signal, size, hop) * window).abs() ** 2  # (..., num_frames, num_bins)
    return (power + floor).log()
    # END SOLUTION


def downsample_mask(mask: Bool[Tensor, "batch num_frames"]) -> Bool[Tensor, "batch half"]:
    """Say which vectors are real once a convolution of width 3, padding 1 and stride 2 has halved the frames.

    Args:
        mask: True for real frames.

    Returns:
        True where the middle of the convolution's window, frame 0, 2, 4, ..., is real: n frames leave (n + 1) // 2.
    """
    # BEGIN SOLUTION
    return mask[:, ::2]
    # END SOLUTION


class AudioEmbedding(nn.Module):
    """The ears: frames of a spectrogram to half as many vectors.

    Args:
        num_bins: frequencies of a frame.
        d_model: number of features of a vector; even.
        max_len: number of positions.

    Source: Radford et al., "Robust Speech Recognition via Large-Scale Weak Supervision" (2022), section 2.2. There
    every sound is cut or filled up to 30 seconds; here padding is kept out by a mask.
    """

    def __init__(self, num_bins: int, d_model: int, max_len: int = 1000) -> None:
        super().__init__()
        self.conv1 = nn.Conv1d(num_bins, d_model, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(d_model, d_model, kernel_size=3, stride=2, padding=1)
        self.positions = PositionalEncoding(d_model, max_len)

    def forward(
        self, spectrogram: Float[Tensor, "batch num_frames num_bins"], mask: Bool[Tensor, "batch num_frames"]
    ) -> Float[Tensor, "batch half d_model"]:
        """Hear.

        Args:
            spectrogram: one frame after another, filled up to one length.
            mask: True for real frames. Whatever numbers stand in the others, they change no vector that is real.

        Returns:
            One vector for every two frames, see downsample_mask. What stands where padding was has no meaning.

        Raises:
            ValueError: if the mask has another shape, or there are other bins than num_bins.
        """
        batch, num_frames, num_bins = spectrogram.shape
        if mask.shape != (batch, num_frames) or num_bins != self.conv1.in_channels:
            given = f"spectrogram {tuple(spectrogram.shape)}, mask {tuple(mask.shape)}"
            raise ValueError(f"{given}; give (batch, frames, {self.conv1.in_channels}) and (batch, frames)")
        # 1. a convolution wants (batch, channels, frames)
        # 2. zeros where there is padding, conv1, GELU; zeros again, conv2, GELU
        # 3. back to (batch, half, d_model), and the positions
        # BEGIN SOLUTION
        real = mask.unsqueeze(1)  # (batch, 1, num_frames)
        x = spectrogram.transpose(1, 2).masked_fill(~real, 0.0)  # (batch, num_bins, num_frames)
        x = F.gelu(self.conv1(x)).masked_fill(~real, 0.0)  # (batch, d_model, num_frames)
        x = F.gelu(self.conv2(x))  # (batch, d_model, half)
        return self.positions(x.transpose(1, 2))
        # END SOLUTION


@dataclass
class TranscriberConfig:
    """All sizes of a Transcriber.

    Attributes:
        num_bins: frequencies of a frame.
        vocab_size: number of different tokens, special ones included.
        d_model: number of features of a vector.
        num_heads: number of heads of each attention.
        num_layers: number of layers in the encoder, and in the decoder.
        d_ff: number of features inside the feed-forward networks.
        dropout: see `EncoderLayer`.
        max_len: number of positions.
        pad_id: the id that stands for "no token here", and for CTC's blank.
    """

    num_bins: int
    vocab_size: int
    d_model: int = 64
    num_heads: int = 4
    num_layers: int = 2
    d_ff: int = 128
    dropout: float = 0.0
    max_len: int = 1000
    pad_id: int = 0


class Transcriber(nn.Module):
    """Hear a sound, and score for every place of its text which token comes next.

    Args:
        config: sizes.

    Raises:
        ValueError: if d_model is odd, or not divisible by num_heads.

    Source: Radford et al. (2022), figure 1, for ears, encoder and decoder; Watanabe et al., "Hybrid CTC/Attention
    Architecture for End-to-End Speech Recognition" (2017), for the second head.
    """

    def __init__(self, config: TranscriberConfig) -> None:
        super().__init__()
        self.config = config
        sizes = (config.num_layers, config.d_model, config.num_heads, config.d_ff, config.dropout)
        self.ears = AudioEmbedding(config.num_bins, config.d_model, config.max_len)
        self.encoder = Encoder(*sizes, norm_first=True)
        self.embedding = TokenEmbedding(config.vocab_size, config.d_model, config.pad_id)
        self.positions = PositionalEncoding(config.d_model, config.max_len, config.dropout)
        self.decoder = Decoder(*sizes, norm_first=True)
        self.output = nn.Linear(config.d_model, config.vocab_size, bias=False)
        self.ctc_head = nn.Linear(config.d_model, config.vocab_size)

    def encode(
        self, spectrogram: Float[Tensor, "batch num_frames num_bins"], mask: Bool[Tensor, "batch num_frames"]
    ) -> tuple[Float[Tensor, "batch half d_model"], Bool[Tensor, "batch 1 1 half"]]:
        """Hear: the memory, and who may be read in it.

        Args:
            spectrogram: see AudioEmbedding.
            mask: True for real frames.

        Returns:
            `(memory, memory_mask)`; the mask is what attentions want.
        """
        # BEGIN SOLUTION
        memory_mask = downsample_mask(mask)[:, None, None, :]  # (batch, 1, 1, half)
        return self.encoder(self.ears(spectrogram, mask), memory_mask), memory_mask
        # END SOLUTION

    def decode(
        self,
        tgt_ids: Int[Tensor, "batch tgt_len"],
        memory: Float[Tensor, "batch half d_model"],
        memory_mask: Bool[Tensor, "batch 1 1 half"],
    ) -> Float[Tensor, "batch tgt_len vocab_size"]:
        """Score the next token at every place of the text so far.

        Args:
            tgt_ids: the text so far, padded with config.pad_id; no place reads a later one.
            memory: what `encode` gave.
            memory_mask: the same.

        Returns:
            Logits.
        """
        # embed, add positions, run the decoder with both masks, then `self.output`
        # BEGIN SOLUTION
        tgt_mask = padding_mask(tgt_ids, self.config.pad_id) & causal_mask(tgt_ids.size(1))
        x = self.positions(self.embedding(tgt_ids))  # (batch, tgt_len, d_model)
        return self.output(self.decoder(x, memory, tgt_mask, memory_mask))
        # END SOLUTION

    def forward(
        self,
        spectrogram: Float[Tensor, "batch num_frames num_bins"],
        mask: Bool[Tensor, "batch num_frames"],
        tgt_ids: Int[Tensor, "batch tgt_len"],
    ) -> tuple[Float[Tensor, "batch tgt_len vocab_size"], Float[Tensor, "batch half vocab_size"]]:
        """Both readings of a sound.

        Args:
            spectrogram: see AudioEmbedding.
            mask: True for real frames.
            tgt_ids: the text so far: begins with a start token, and lacks the last one.

        Returns:
            `(logits, ctc_log_probs)`: the decoder's logits for the token after each place, and the logarithms of the
            probabilities that `ctc_head` gives every token at each vector of the memory.
        """
        # BEGIN SOLUTION
        memory, memory_mask = self.encode(spectrogram, mask)
        return self.decode(tgt_ids, memory, memory_mask), self.ctc_head(memory).log_softmax(dim=-1)
        # END SOLUTION


def ctc_greedy(
    log_probs: Float[Tensor, "batch half vocab_size"], mask: Bool[Tensor, "batch half"], blank: int
) -> list[list[int]]:
    """Read a text off what stands at each vector: the likeliest token, repeats once, blanks never.

    Args:
        log_probs: the logarithm of each token's probability, or any scores.
        mask: True for real vectors; see downsample_mask.
        blank: the token that stands for "nothing new here".

    Returns:
        The tokens of each sound. A sound of padding alone has none, and no sound gives no text.

    Source: Graves et al., "Connectionist Temporal Classification" (2006), section 3.2, best path decoding.
    """
    # 1. the likeliest token at each real vector
    # 2. of tokens that repeat without a break, one
    # 3. without the blanks
    # BEGIN SOLUTION
    texts = []
    for best, real in zip(log_probs.argmax(dim=-1), mask, strict=True):
        merged = torch.unique_consecutive(best[real]).tolist()
        texts.append([token for token in merged if token != blank])
    return texts
    # END SOLUTION


def ctc_loss(
    log_probs: Float[Tensor, "half vocab_size"], target: Int[Tensor, " tgt_len"], blank: int
) -> Float[Tensor, ""]:
    """The negative logarithm of the probability that a text is read off, over all paths that give it.

    Args:
        log_probs: the logarithm of each token's probability at each vector.
        target: the text, without blanks; may be empty.
        blank: the token that stands for "nothing new here".

    Returns:
        -log of the probability; inf where the vectors are too few for the text. Where it is finite, no gradient is NaN.

    Source: Graves et al., "Connectionist Temporal Classification" (2006), section 4.1, in logarithms.
    """
    # 1. the states: a blank, the first token, a blank, the second token, ..., a blank
    # 2. at the first vector a path stands in the first or the second state
    # 3. at each further one: it stays, or goes on by one; or by two, from a token to another token, unless they are
    #    the same. Add up probabilities with `logsumexp`
    # 4. at the end it stands in one of the last two states
    # BEGIN SOLUTION
    states = torch.full((2 * len(target) + 1,), blank)
    states[1::2] = target
    may_skip = torch.zeros(len(states), dtype=torch.bool)
    may_skip[2:] = (states[2:] != blank) & (states[2:] != states[:-2])
    scores = log_probs[:, states]  # (half, states)
    impossible = torch.finfo(scores.dtype).min / 4  # -inf would make the gradient NaN
    paths = scores[0].masked_fill(torch.arange(len(states)) > 1, impossible)
    for score in scores[1:]:
        one, two = F.pad(paths, (1, 0), value=impossible)[:-1], F.pad(paths, (2, 0), value=impossible)[:-2]
        paths = torch.stack([paths, one, two.masked_fill(~may_skip, impossible)]).logsumexp(dim=0) + score
    loss = -paths[-2:].logsumexp(dim=0)
    return loss if loss < -impossible / 2 else loss.new_tensor(float("inf"))
    # END SOLUTION


def joint_loss(
    logits: Float[Tensor, "batch tgt_len vocab_size"],
    ctc_log_probs: Float[Tensor, "batch half vocab_size"],
    labels: Int[Tensor, "batch tgt_len"],
    mask: Bool[Tensor, "batch half"],
    weight: float,
    pad_id: int,
    eos_id: int,
) -> Float[Tensor, ""]:
    """What training minimizes: cross-entropy of the decoder and CTC of the encoder, both for each token.

    Args:
        logits: the decoder's.
        ctc_log_probs: of `ctc_head`, where pad_id is the blank.
        labels: the right tokens, each text with eos_id at its end, filled up with pad_id.
        mask: True for real vectors; see downsample_mask.
        weight: of CTC; 1 - weight is that of the cross-entropy.
        pad_id: asked of nobody.
        eos_id: asked of the decoder, and not of CTC, which ends where the sound ends.

    Returns:
        (1 - weight) · the mean cross-entropy over all labels but padding + weight · the CTC losses of all texts,
        added up and divided by the number of all their tokens but eos_id.
        A text with too few vectors has an infinite CTC loss. Keep it, or leave it out by `zero_infinity=True`.

    Raises:
        ValueError: if weight lies outside 0 to 1, or no text has a token besides eos_id.

    Source: Kim, Hori and Watanabe, "Joint CTC-Attention Based End-to-End Speech Recognition Using Multi-Task
    Learning" (2017), equation 8; there CTC is not divided by tokens.
    """
    is_token = (labels != pad_id) & (labels != eos_id)
    if not 0 <= weight <= 1 or not is_token.any():
        raise ValueError(f"weight={weight}, {int(is_token.sum())} tokens; give a weight from 0 to 1, and a token")
    # 1. the cross-entropy, which wants the classes in dimension 1
    # 2. `F.ctc_loss` with reduction="sum" wants (half, batch, vocab_size), all targets behind one another, and
    #    two lengths for each text: of its real vectors, and of its tokens
    # BEGIN SOLUTION
    cross_entropy = F.cross_entropy(logits.transpose(1, 2), labels, ignore_index=pad_id)
    lengths = mask.sum(dim=1), is_token.sum(dim=1)  # (batch,) each
    ctc = F.ctc_loss(ctc_log_probs.transpose(0, 1), labels[is_token], *lengths, blank=pad_id, reduction="sum")
    return (1 - weight) * cross_entropy + weight * ctc / is_token.sum()
    # END SOLUTION


def edit_distance(a: Sequence[int], b: Sequence[int]) -> int:
    """Count the fewest edits that make one text of another.

    Args:
        a: tokens.
        b: tokens.

    Returns:
        How many tokens have to be inserted, deleted or replaced by another; each counts 1.

    Source: Levenshtein, "Binary Codes Capable of Correcting Deletions, Insertions, and Reversals" (1966).
    """
    # a row of numbers: what it takes to make the first 0, 1, 2, ... tokens of b of nothing; then of one token of a
    # more, row after row. Each number is the least of three: from the left, from above, from the corner
    # BEGIN SOLUTION
    row = list(range(len(b) + 1))
    for i, of_a in enumerate(a):
        new = [i + 1]
        for j, of_b in enumerate(b):
            new.append(min(new[j] + 1, row[j + 1] + 1, row[j] + (of_a != of_b)))
        row = new
    return row[-1]
    # END SOLUTION


def error_rate(outputs: Sequence[Sequence[int]], references: Sequence[Sequence[int]]) -> float:
    """Edits for each token of the references: the word error rate, where tokens are words.

    Args:
        outputs: what was written.
        references: what is right, as many.

    Returns:
        The edits of all texts over the tokens of all references. Above 1 where more is wrong than there is to write.

    Raises:
        ValueError: if there are not as many outputs as references, or the references have no token at all.
    """
    tokens = sum(len(one) for one in references)
    if len(outputs) != len(references) or not tokens:
        given = f"{len(outputs)} outputs, {len(references)} references with {tokens} tokens"
        raise ValueError(f"{given}; give an output for each reference, and at least one token")
    # BEGIN SOLUTION
    edits = sum(edit_distance(output, reference) for output, reference in zip(outputs, references, strict=True))
    return edits / tokens
    # END SOLUTION
