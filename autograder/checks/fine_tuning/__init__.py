"""Checks of lesson 16: labels for pieces, heads, what an optimizer gets, and how a classifier is measured."""

from autograder.checks.fine_tuning.entities import span_f1, spans
from autograder.checks.fine_tuning.heads import sequence_classifier, token_classifier
from autograder.checks.fine_tuning.labels import align_labels
from autograder.checks.fine_tuning.metrics import confusion_matrix, precision_recall_f1

EXERCISES = (
    align_labels,
    sequence_classifier,
    token_classifier,
    confusion_matrix,
    precision_recall_f1,
    spans,
    span_f1,
)
