"""Checks of lesson 09: the decoder's input, the loss, learning rates, clipping, AdamW, a step, checkpoints, and a repair."""

from autograder.checks.training.checkpoints import load_checkpoint, save_checkpoint
from autograder.checks.training.clipping import clip_gradients_
from autograder.checks.training.losses import label_smoothed_cross_entropy, shift_right
from autograder.checks.training.rates import cosine_lr, warmup_lr
from autograder.checks.training.steps import forum_train_step, train_step
from autograder.checks.training.updates import adam_w, decay_groups

EXERCISES = (
    shift_right,
    label_smoothed_cross_entropy,
    warmup_lr,
    cosine_lr,
    clip_gradients_,
    adam_w,
    decay_groups,
    train_step,
    forum_train_step,
    save_checkpoint,
    load_checkpoint,
)
