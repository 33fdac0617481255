"""For every question in words three graded answers, which an instructor sees beside a student's in the formgrader.

A file a lesson, by the lesson's name without its number; in it a part for each question, by the question's slug.
Nothing of this folder is handed out: neither a release nor a sandbox nor what students install has any of `classroom`.
"""
