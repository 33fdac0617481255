"""Implementations on which a learner's probe is tried, right and wrong. Trusted side only."""
