"""Grades notebooks: a batch, workers here or on a cluster, one notebook, one exercise."""
