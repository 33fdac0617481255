"""Checks of lesson 19."""

from autograder.probing.exercise import Exercise

EXERCISES = tuple(Exercise(name, points=1) for name in ("frames","log_spectrogram","downsample_mask","AudioEmbedding","Transcriber","ctc_greedy","ctc_loss","joint_loss","edit_distance","error_rate"))
