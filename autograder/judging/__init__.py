"""Decides: the reference and its edits, stored answers, what is right, and what explains what is not."""
