"""The course: what a learner opens, and the widgets and data that the lessons use."""
