"""Checks of the ears: downsample_mask, AudioEmbedding, and a repair."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.checks.hearing.shared import BINS, mask_of, real_only
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# downsample_mask ----------------------------------------------------------------------------

downsample_mask = Exercise(
    "downsample_mask",
    points=1,
    hints=(
        "The convolution with stride 2 puts the middle of its window on frame 0, then on frame 2, then on frame 4. Which entries of the mask belong to these?",
        "```python\nreturn ...  # every other frame, from the first one on: a slice with a step\n```",
        "A slice `[start::step]` in the second dimension. It begins with 0, so that of 5 frames 3 stay.",
    ),
)


@downsample_mask.probe("keeps a vector for frame 0, 2, 4, ... and says whether it is real")
def halves(downsample_mask: Callable, draw: Draw) -> Any:
    return downsample_mask(mask_of(draw, 8, 5, 4, 1, name="even"))


@downsample_mask.probe("keeps the last frame of an odd number")
def odd_halves(downsample_mask: Callable, draw: Draw) -> Any:
    return downsample_mask(mask_of(draw, 7, 6, 2, 9, name="odd"))


@downsample_mask.probe("keeps (n + 1) // 2 vectors of every sound, and as many real ones")
def sizes_of_masks(downsample_mask: Callable, draw: Draw) -> Any:
    found = {}
    for frames in (10, 11):
        half = downsample_mask(mask_of(draw, frames, 7, 4, name=f"{frames} frames"))
        if not isinstance(half, Tensor):
            return half
        sizes = dict(zip(("sounds", "vectors", "beyond"), half.shape, strict=False))
        found[f"{frames} frames"] = {**sizes, "real ones": half.sum(dim=-1)}
    return found


@downsample_mask.probe(
    "works for two frames, for three, where nothing is real, and with padding behind the longest sound", rung="edges"
)
def half_edges(downsample_mask: Callable, draw: Draw) -> Any:
    return {
        "two frames": downsample_mask(mask_of(draw, 2, 1, name="two")),
        "three frames": downsample_mask(mask_of(draw, 3, 1, 2, name="three")),
        "a sound without a frame": downsample_mask(mask_of(draw, 3, 0, name="none")),
        "padding behind the longest": downsample_mask(mask_of(draw, 5, 2, name="wide", beyond=3)),
    }


# AudioEmbedding ----------------------------------------------------------------------------

audio_embedding = Exercise(
    "AudioEmbedding",
    points=4,
    forbidden=["transformer_layer"],
    hints=(
        "A convolution of width 3 looks one frame to each side, so the last real frame looks at the first one of the padding. And after the first convolution padding is no longer 0: it has a bias. When do zeros have to be put there?",
        "```python\nreal = ...  # the mask as (batch, 1, num_frames)\nx = ...     # (batch, num_bins, num_frames), zeros where there is padding\nx = ...     # conv1, GELU, zeros where there is padding\nx = ...     # conv2, GELU\nreturn ...  # (batch, half, d_model), with positions\n```",
        "`spectrogram.transpose(1, 2).masked_fill(~real, 0.0)`, then `F.gelu(self.conv1(x)).masked_fill(~real, 0.0)`, then `F.gelu(self.conv2(x))`. The positions want the vectors in dimension 1: `self.positions(x.transpose(1, 2))`.",
    ),
    traps={
        "RuntimeError: Given groups=1, weight of size [...], expected input[...] to have ... channels, but got ... channels instead": "a convolution wants its channels, here the frequencies, in dimension 1: `spectrogram.transpose(1, 2)`.",
        "RuntimeError: The size of tensor a (...) must match the size of tensor b (...) at non-singleton dimension ...": "the mask is (batch, num_frames), and what it is to fill has three dimensions: give the mask one more with `unsqueeze`, where the features are.",
        "TypeError: bad operand type for unary ~: 'Tensor'": "`~` turns a boolean mask round. Is it still boolean?",
    },
)


@audio_embedding.probe("hears every frame with its neighbours, and puts positions on what it heard", float64=True)
def whole_sounds(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears = draw.module(AudioEmbedding, BINS, 8)
    return {
        "6 frames": ears(draw.tensor("even", 2, 6, BINS), mask_of(draw, 6, 6, name="even mask")),
        "7 frames": ears(draw.tensor("odd", 3, 7, BINS), mask_of(draw, 7, 7, 7, name="odd mask")),
    }


@audio_embedding.probe("makes the same of a sound alone as of one beside a longer one", float64=True)
def alone_and_together(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears, lengths = draw.module(AudioEmbedding, BINS, 6), (4, 9, 7)
    x, mask = draw.tensor("x", 3, 9, BINS), mask_of(draw, *lengths)
    found = {"together": real_only(ears(x, mask), mask[:, ::2])}
    for row, length in enumerate(lengths):
        found[f"the one of {length} frames alone"] = ears(x[row : row + 1, :length], mask[row : row + 1, :length])
    return found


@audio_embedding.probe("does not hear what stands in the padding, zeros or anything else", float64=True)
def deaf_to_padding(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears, mask = draw.module(AudioEmbedding, BINS, 6), mask_of(draw, 5, 8, 2)
    x, other = draw.tensor("x", 3, 8, BINS), draw.tensor("other", 3, 8, BINS, scale=3)
    changed = draw.keep("changed", x.where(mask[..., None], other))
    silent = draw.keep("silent", x.masked_fill(~mask[..., None], 0.0))
    found = {
        name: real_only(ears(one, mask), mask[:, ::2])
        for name, one in {"some padding": x, "other padding": changed, "zeros": silent}.items()
    }
    wide = mask_of(draw, 4, 3, name="wide mask", beyond=3)
    return {**found, "behind the longest": real_only(ears(draw.tensor("wide", 2, 7, BINS), wide), wide[:, ::2])}


@audio_embedding.probe("has the right gradients for parameters and sound", rung="gradients")
def ear_gradients(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears, mask = draw.module(AudioEmbedding, BINS, 6), mask_of(draw, 7, 4)
    x = draw.tensor("x", 2, 7, BINS, requires_grad=True)
    output: Tensor = real_only(ears(x, mask), mask[:, ::2])
    return draw.gradients(output, x=x, **dict(ears.named_parameters()))


@audio_embedding.probe("works for one frame, for two, and on memory that is not contiguous", rung="edges", float64=True)
def ear_edges(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears, x = draw.module(AudioEmbedding, BINS, 6), draw.tensor("x", 2, 5, BINS)
    mask = mask_of(draw, 5, 5)
    return {
        "one frame": ears(x[:, :1], mask[:, :1]),
        "two frames": ears(x[:1, :2], mask[:1, :2]),
        "not contiguous": ears(draw.tensor("turned", BINS, 5, 2).transpose(0, 2), mask),
    }


@audio_embedding.probe("raises a ValueError for a mask of another shape, and for other bins", rung="invariants")
def refuses_sounds(AudioEmbedding: Callable, draw: Draw) -> Any:
    ears, x, mask = draw.fill(AudioEmbedding(BINS, 6)), draw.tensor("x", 2, 5, BINS), mask_of(draw, 5, 3)
    ears(x, mask)  # the blank stub must show as blank
    return {
        "a mask for 4 frames": raised(lambda: ears(x, mask[:, :4])),
        "a mask that is halved already": raised(lambda: ears(x, mask[:, ::2])),
        "4 bins": raised(lambda: ears(x[..., :4], mask)),
    }


# In the wild ----------------------------------------------------------------------------

article_ears = Exercise(
    "ArticleEars",
    points=2,
    repairs=audio_embedding,
    hints=(
        "A batch holds sounds of different lengths. What stands behind the end of a short one, and which frames look at it?",
        "The article puts zeros at the padding once, behind both convolutions: by then the last real vectors have heard the padding. At which two moments does the padding have to be zero?",
        "In your `AudioEmbedding` zeros are put at the padding in front of *each* convolution, by the mask. The article's zeros come behind the second one, where nothing hears them any more.",
    ),
)
