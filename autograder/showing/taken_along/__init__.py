"""Tests that an exported library takes along, a file for a lesson: what is known of its parts without the course.

Each test stands by itself. `autograder export` takes those whose parts the learner has, and leaves out the others.
"""
