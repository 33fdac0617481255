"""The course: what a learner opens, and the widgets and data that the lessons use."""

from autograder import homes as _homes  # noqa: F401  an instructor's own lessons may bring modules and data of their own
