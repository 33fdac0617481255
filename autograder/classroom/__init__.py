"""For a class: an nbgrader course, trusted grading, an edition for students, and a report on the class.

`saving` and `export` stand here, beside the wings, because the configuration of a course names them.
"""
