"""Explorables that are fed by the learner's own functions."""

from course.widgets.alignment import CrossAttentionStepper
from course.widgets.blanks import BlankExplorer
from course.widgets.dashboard import TrainingDashboard
from course.widgets.finder import NameFinder
from course.widgets.losses import LossExplorer
from course.widgets.norms import NormExplorer
from course.widgets.pictures import PictureReader
from course.widgets.playground import MaskPlayground
from course.widgets.positions import PositionExplorer
from course.widgets.residuals import ResidualExplorer
from course.widgets.sampling import SamplingLab
from course.widgets.stepper import AttentionStepper
from course.widgets.tone_pad import TonePad

__all__ = [
    "AttentionStepper",
    "BlankExplorer",
    "CrossAttentionStepper",
    "LossExplorer",
    "MaskPlayground",
    "NameFinder",
    "NormExplorer",
    "PictureReader",
    "PositionExplorer",
    "ResidualExplorer",
    "SamplingLab",
    "TonePad",
    "TrainingDashboard",
]
