"""Checks of lesson 10: a training step, its repair, and checkpoints."""

from autograder.checks.training.checkpoints import load_checkpoint, save_checkpoint
from autograder.checks.training.steps import forum_train_step, train_step

EXERCISES = (train_step, forum_train_step, save_checkpoint, load_checkpoint)
