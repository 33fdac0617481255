"""What a machine has for the course, and what makes commands start sooner. Standard library only."""

from autograder.setup import doctor

__all__ = ["doctor"]
