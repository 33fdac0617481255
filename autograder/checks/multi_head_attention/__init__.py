"""Checks of lesson 03: the head split and its inverse, MultiHeadAttention, torch's weights, grouped queries, and a repair."""

from autograder.checks.multi_head_attention.attending import article, multi_head_attention
from autograder.checks.multi_head_attention.grouped import grouped_query_attention
from autograder.checks.multi_head_attention.heads import merge_heads, split_heads
from autograder.checks.multi_head_attention.loading import load_from_torch

EXERCISES = (split_heads, merge_heads, multi_head_attention, load_from_torch, grouped_query_attention, article)
