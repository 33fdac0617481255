"""The web book: every lesson with what a run gave, and widgets that live without a kernel. `autograder book`."""
