"""Builds the notebooks from lessons and reference."""
