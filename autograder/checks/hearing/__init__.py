"""Checks of lesson 19: a sound in frames, ears, a transcriber, CTC, and how errors are counted."""

from autograder.checks.hearing.ears import article_ears, audio_embedding, downsample_mask
from autograder.checks.hearing.errors import article_error_rate, edit_distance, error_rate
from autograder.checks.hearing.losses import ctc_loss, joint_loss
from autograder.checks.hearing.model import transcriber
from autograder.checks.hearing.reading import ctc_greedy
from autograder.checks.hearing.sound import frames, log_spectrogram

EXERCISES = (
    frames,
    log_spectrogram,
    downsample_mask,
    audio_embedding,
    article_ears,
    transcriber,
    ctc_greedy,
    joint_loss,
    edit_distance,
    error_rate,
    article_error_rate,
    ctc_loss,
)
