"""Lesson 20 against torch, and what its page measures with."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from autograder.probing.sizes import sizes
from course.measuring import PretendDevice, held, kept_for_backward, measure_attention, where_time_goes
from course.two_processes import start
from solutions.faster import amp_step, flops, memory, online_softmax_attention, speculative_step, stopwatch
from solutions.gpt import GPT, GPTConfig

CONFIG = GPTConfig(37, d_model=24, num_heads=3, num_layers=2, d_ff=40, dropout=0.0, max_len=20)


@pytest.mark.parametrize("block", [1, 5, 64])
def test_attention_by_blocks_is_torchs(block):
    q, k, v = (torch.randn(2, 3, 13, 8) for _ in range(3))
    ours = online_softmax_attention(q, k, v, torch.ones(13, 13, dtype=torch.bool).tril(), block)
    torch.testing.assert_close(ours, F.scaled_dot_product_attention(q, k, v, is_causal=True))


def test_the_formula_counts_what_a_model_computes():
    # With learned positions our MultiHeadAttention mixes the values twice: once more with dropped weights.
    config = GPTConfig(37, 24, 3, 2, 40, 0.0, 20, "rotary")
    model = GPT(config)
    with FlopCounterMode(display=False) as counter:
        model(torch.zeros(1, 7, dtype=torch.int64))
    assert flops(config, 7) == counter.get_total_flops()


@pytest.mark.parametrize("positions", ["learned", "rotary"])
def test_the_formula_counts_what_a_model_holds(positions):
    config = GPTConfig(37, 24, 3, 2, 40, 0.0, 20, positions)
    model = GPT(config)
    counted = memory(config, 3, 7)
    assert counted["weights"] == 4 * sum(one.numel() for one in model.parameters())
    kept = kept_for_backward(lambda: model(torch.zeros(3, 7, dtype=torch.int64)), model)
    assert counted["activations"] <= kept <= 4 * counted["activations"]


def test_adamw_holds_what_is_counted():
    model = GPT(CONFIG)
    optimizer = torch.optim.AdamW(model.parameters())
    amp_step(model, torch.zeros(1, 5, dtype=torch.int64), optimizer, lambda m, x: m(x).float().mean(), torch.bfloat16)
    kept = [one for state in optimizer.state.values() for name, one in state.items() if name != "step"]
    assert memory(CONFIG, 1, 5)["optimizer"] == 4 * sum(one.numel() for one in kept)


def test_speculative_text_is_the_targets():
    q, p = torch.tensor([[0.7, 0.2, 0.1]]), torch.tensor([[0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    chance, count, draws = torch.Generator().manual_seed(0), torch.zeros(3), 4000
    for _ in range(draws):
        ids = torch.multinomial(q[0], 1, generator=chance)
        numbers = torch.rand(2, generator=chance)
        count[speculative_step(ids, q, p, numbers[:1], numbers[1].item())[0]] += 1
    assert (count / draws - p[0]).abs().max() < 0.03


def test_sizes_follow_memory_from_its_making_to_its_end():
    with sizes() as seen:
        x = torch.zeros(1000)
        y = x[:10].add_(1)  # a view, written in place
        z = x + 1
        del z
        w = torch.ones(500)
    assert (seen.bytes, seen.peak) == (6000, 8000)
    assert seen.largest["zeros"] == 1000 and len(y) + len(w) == 510


def test_held_is_the_peak_of_a_call():
    if not torch.cuda.is_available():
        assert held(lambda: (torch.zeros(100) + 1).sum()) == 800  # two rows of 100; the sum comes when one is gone


def test_the_pretend_device_reverses_a_ranking():
    large, small = (1, 1e-5, 8e-3), (40, 1e-5, 1e-4)
    right = [
        stopwatch(one.run, one.clock, one.synchronize, 1, 3) for one in (PretendDevice(*large), PretendDevice(*small))
    ]
    early = [
        stopwatch(one.run, one.clock, lambda: None, 0, 1) for one in (PretendDevice(*large), PretendDevice(*small))
    ]
    assert right[0] > right[1] and early[0] < early[1]


def test_a_table_of_attention(capsys):
    def attend(q, k, v, mask):
        return online_softmax_attention(q, k, v, mask, 8)

    found = measure_attention({"blocked": attend}, [16, 32], heads=1, d_head=4)
    assert set(found["blocked"]) == {16, 32} and found["blocked"][32][1] > found["blocked"][16][1] > 0
    assert "blocked" in capsys.readouterr().out


def test_the_profiler_says_nothing_on_stderr(capfd):
    layer = nn.Linear(64, 64)
    shares = where_time_goes(lambda: layer(torch.ones(8, 64)).sum().backward(), rows=4)
    assert len(shares) == 4 and 0 < sum(share for _, share in shares) <= 1.0001
    assert capfd.readouterr().err == ""


@pytest.mark.slow
@pytest.mark.turns(4, "course/two_processes.py", "solutions/faster.py", at=0)
def test_two_processes_are_one_and_a_dead_one_is_missed():
    said = start("--shards", "4,4", "6,2")
    away = [float(line.split()[0]) for line in said.splitlines() if " with a mean" in line or " weighted" in line]
    assert len(away) == 4, said
    assert max(away[0], away[1], away[3]) < 1e-12 and away[2] > 1e-3, said
    assert "the other process is gone" in start("--dies")
