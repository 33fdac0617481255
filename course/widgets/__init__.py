"""Explorables that are fed by the learner's own functions."""

from course.widgets.norms import NormExplorer
from course.widgets.playground import MaskPlayground
from course.widgets.stepper import AttentionStepper

__all__ = ["AttentionStepper", "MaskPlayground", "NormExplorer"]
