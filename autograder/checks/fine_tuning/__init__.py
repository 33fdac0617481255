"""Checks of lesson 16: labels for pieces, heads, what an optimizer gets, and how a classifier is measured."""

from autograder.checks.fine_tuning.adapters import lora_linear
from autograder.checks.fine_tuning.choosing import best_span
from autograder.checks.fine_tuning.confusion import confusion_matrix
from autograder.checks.fine_tuning.entities import spans
from autograder.checks.fine_tuning.evaluating import article_f1, evaluate, macro_f1
from autograder.checks.fine_tuning.groups import fine_tune_groups
from autograder.checks.fine_tuning.heads import sequence_classifier, token_classifier
from autograder.checks.fine_tuning.labels import align_labels
from autograder.checks.fine_tuning.metrics import precision_recall_f1
from autograder.checks.fine_tuning.questions import span_reader
from autograder.checks.fine_tuning.ranking import roc_auc
from autograder.checks.fine_tuning.span_scores import span_f1

EXERCISES = (
    align_labels,
    sequence_classifier,
    token_classifier,
    fine_tune_groups,
    evaluate,
    confusion_matrix,
    precision_recall_f1,
    macro_f1,
    article_f1,
    spans,
    span_f1,
    roc_auc,
    span_reader,
    best_span,
    lora_linear,
)
