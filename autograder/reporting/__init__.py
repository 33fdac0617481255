"""From a verdict to words, and from words to what a notebook, a terminal and nbgrader show."""
