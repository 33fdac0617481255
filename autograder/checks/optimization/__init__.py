"""Checks of lesson 09: the decoder's input, the loss, learning rates, clipping, AdamW, and groups of parameters."""

from autograder.checks.optimization.clipping import clip_gradients_
from autograder.checks.optimization.losses import label_smoothed_cross_entropy, shift_right
from autograder.checks.optimization.rates import cosine_lr, warmup_lr
from autograder.checks.optimization.updates import adam_w, decay_groups

EXERCISES = (
    shift_right,
    label_smoothed_cross_entropy,
    warmup_lr,
    cosine_lr,
    clip_gradients_,
    adam_w,
    decay_groups,
)
