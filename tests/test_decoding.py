"""Lesson 11's reference: the cache changes no number, one beam is greedy, and the draws are what they should be."""

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from autograder import registry
from autograder.checks.decoding import shared as checks
from autograder.checks.decoding.sampling import QUARTERS, TENTHS
from autograder.probing.draws import Draw
from autograder.probing.run import run_probe
from solutions.attention import causal_mask, padding_mask
from solutions.decoder import Decoder
from solutions.decoding import CachedDecoder, beam_search, greedy_decode, greedy_decode_cached, next_token_probs
from solutions.transformer import Transformer, TransformerConfig
from tests.tiers import by_turns

LONG = 40
LOOK_FOR = checks._look_for


def some_model(seed: int) -> Transformer:
    torch.manual_seed(seed)
    model = Transformer(TransformerConfig(11, 11, 16, 2, 2, 32, dropout=0.0, max_len=LONG, pad_id=0)).eval()
    with torch.no_grad():
        model.positions.table.normal_()
        model.output.weight.normal_()
        model.output.weight[0] = 0.0  # padding is hardly ever the best token
    return model


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("pieces", [[1] * LONG, [5, 1, 7, 27], [LONG]])
@torch.no_grad()
def test_cached_and_whole_decoder_agree_at_every_step(norm_first: bool, pieces: list[int]) -> None:
    torch.manual_seed(0)
    decoder = Decoder(3, 32, 4, 64, norm_first=norm_first).eval()
    x, memory = torch.randn(4, LONG, 32), torch.randn(4, 9, 32)
    mask = padding_mask(torch.arange(9).lt(torch.tensor([9, 1, 5, 7])[:, None]).long(), 0)
    whole = decoder(x, memory, causal_mask(LONG), mask)
    cached = CachedDecoder(decoder)
    found = torch.cat([cached(piece, memory, mask) for piece in x.split(pieces, dim=1)], dim=1)
    assert (found - whole).abs().amax() < 1e-5
    assert cached.length == LONG


@pytest.mark.parametrize("seed", range(6))
def test_the_cache_writes_the_same_and_one_beam_is_greedy(seed: int) -> None:
    model = some_model(seed)
    sources = torch.randint(1, 11, (5, 6))
    sources[1, 4:] = sources[3, 1:] = 0
    written = greedy_decode(model, sources, 1, 2, LONG)
    assert (written != 0).any(dim=0).all(), "a column of nothing but padding"
    assert torch.equal(written, greedy_decode_cached(model, sources, 1, 2, LONG))
    for source, row in zip(sources, written, strict=True):
        [(tokens, _)] = beam_search(model, source[None], 1, 2, LONG, beam_size=1)
        assert tokens == row[: len(tokens)].tolist()


@pytest.mark.parametrize("seed", range(3))
def test_with_enough_beams_the_search_is_exhaustive(seed: int) -> None:
    model, source = some_model(seed), torch.tensor([[3, 4, 5]])
    found = beam_search(model, source, 1, 2, 2, beam_size=200, length_penalty=0.0)
    assert len(found) == 1 + 10 * 11  # eos_id alone, and two tokens of which the first is none
    assert math.fsum(math.exp(score) for _, score in found) == pytest.approx(1, abs=1e-5)


def test_what_is_left_is_the_smallest_set_that_reaches_top_p() -> None:
    torch.manual_seed(0)
    logits = torch.randn(500, 30) * 2
    plain, left = logits.softmax(-1), next_token_probs(logits, top_p=0.8)
    kept = (plain * (left > 0)).sum(-1)
    least = plain.masked_fill(left == 0, 2.0).amin(-1)
    assert (kept >= 0.8 - 1e-6).all() and (kept - least < 0.8 + 1e-6).all()
    assert torch.allclose(left.sum(-1), torch.ones(500))


def test_the_check_of_draws_hardly_ever_raises_a_false_alarm() -> None:
    shares = 300  # of a check's draws, all implementations together
    for parts, times in (TENTHS, QUARTERS):
        assert shares * 2 * math.exp(-2 * times * (0.5 / parts) ** 2) < 1e-6


@pytest.mark.parametrize("name", ["greedy_decode", "beam_search", "greedy_decode_cached"])
def test_a_probe_that_looks_for_a_telling_source_finds_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []

    def looked_for(draw: Draw, lengths: Sequence[int], tells: checks.Tells, *kind: Any) -> tuple[int, int]:
        number, group = LOOK_FOR(draw, lengths, tells, *kind)
        told = list(tells(checks.writer(draw, number, *kind), checks.pool(draw, number, lengths)))
        found.append(bool(told[group]))
        return number, group

    monkeypatch.setattr(checks, "_found", {})
    monkeypatch.setattr(checks, "_look_for", looked_for)
    for probe in registry.exercise(name).probes:
        for seed in by_turns(range(700, 706), 3):
            run_probe(probe, lambda *given, **named: None, seed)
    assert len(found) >= 2 and all(found)


def test_what_was_found_once_need_not_be_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = registry.exercise("beam_search").probes[0]
    first = run_probe(probe, beam_search, 41)
    monkeypatch.setattr(checks, "_found", {})
    monkeypatch.setattr(checks, "_look_for", lambda *given: pytest.fail("it is known"))
    again = run_probe(probe, beam_search, 41, settled=first.settled)
    assert again.returned == first.returned
