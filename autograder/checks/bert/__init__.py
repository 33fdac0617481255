"""Checks of lesson 15: what a BERT reads and is asked, the model, its head and its losses, and two repairs."""

from autograder.checks.bert.data import article_masking, mask_tokens
from autograder.checks.bert.embedding import bert_embedding
from autograder.checks.bert.head import masked_head, masked_loss
from autograder.checks.bert.model import article_bert, bert
from autograder.checks.bert.neighbours import next_sentences
from autograder.checks.bert.packing import pack_pair

EXERCISES = (
    pack_pair,
    mask_tokens,
    article_masking,
    bert_embedding,
    bert,
    article_bert,
    masked_head,
    masked_loss,
    next_sentences,
)
