"""Checks of lesson 11: greedy decoding, sampling, beam search, the cache of keys and values, and a repair."""

from autograder.checks.decoding.beam import beam_search
from autograder.checks.decoding.cache import cached_decoder
from autograder.checks.decoding.greedy import article_decode, greedy_decode, greedy_decode_cached
from autograder.checks.decoding.keys_and_values import kv_cache
from autograder.checks.decoding.sampling import next_token_probs, sample_next

EXERCISES = (
    greedy_decode,
    next_token_probs,
    sample_next,
    beam_search,
    kv_cache,
    cached_decoder,
    greedy_decode_cached,
    article_decode,
)
