"""The learner's side: checking, the library, hints, progress."""
