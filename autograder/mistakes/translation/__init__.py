"""Wrong ways of lesson 12."""

from autograder.mistakes.translation import alignments, matches, scores, vocabularies

__all__ = ["alignments", "matches", "scores", "vocabularies"]
