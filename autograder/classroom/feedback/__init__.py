"""The feedback page: what a student gets back of a graded notebook, in a page that needs no network."""
