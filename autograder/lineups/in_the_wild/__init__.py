"""Lesson 21: a module for each room."""
