"""The edition for students: notebooks and checks without the reference."""
