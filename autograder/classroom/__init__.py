"""Makes an nbgrader course of the lessons."""
