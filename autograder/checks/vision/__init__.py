"""Checks of lesson 18: patches, a model that reads them, and where it looks."""

from autograder.checks.vision.embedding import patch_embedding
from autograder.checks.vision.model import article_vision_transformer, vision_transformer
from autograder.checks.vision.patches import patchify, unpatchify
from autograder.checks.vision.positions import interpolate_positions
from autograder.checks.vision.rollout import attention_rollout

EXERCISES = (
    patchify,
    unpatchify,
    patch_embedding,
    vision_transformer,
    article_vision_transformer,
    attention_rollout,
    interpolate_positions,
)
