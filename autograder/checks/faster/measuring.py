"""Checks of stopwatch, flops and memory."""

from collections.abc import Callable
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.checks.faster.shared import Machine, costs, small_gpt
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

# stopwatch ----------------------------------------------------------------------------

stopwatch = Exercise(
    "stopwatch",
    points=3,
    hints=(
        "You hand a letter to a messenger and ask for the time: has it arrived? On a GPU `run()` returns when the work is handed over. What do you have to wait for before the second reading? And if an earlier letter is still on its way: what before the first?",
        "```python\nfor _ in range(warmup):\n    ...\ntimes = []\nfor _ in range(repeats):\n    ...            # nothing is left to do\n    start = ...\n    ...\n    ...            # nothing is left to do\n    times.append(...)\nreturn ...\n```",
        "`synchronize()` stands directly before `start = clock()`, and again between `run()` and the second `clock()`. `statistics.median(times)` takes the mean of the two in the middle where their number is even; `torch.median` does not.",
    ),
    traps={
        "TypeError: unsupported operand type(s) for -: 'function' and 'function'": "`clock` is a function: the time is `clock()`.",
        "TypeError: unsupported operand type(s) for -: 'method' and 'method'": "`clock` is a function: the time is `clock()`.",
        "TypeError: 'float' object is not callable": "`clock()` gives the time; keep it under another name.",
        "TypeError: median(): argument 'input' (position 1) must be Tensor, not list": "`torch.median` takes a tensor, and gives the lower of two in the middle. `statistics.median` takes a list.",
        "StatisticsError: no median for empty data": "nothing was measured. Append a time for every measured call.",
    },
)


def measured(stopwatch: Callable, machine: Machine, warmup: int, repeats: int) -> dict[str, Any]:
    """What the stopwatch says, and how often it ran what it measures."""
    seconds = stopwatch(machine.run, machine.clock, machine.synchronize, warmup, repeats)
    return {"seconds": seconds if machine.readings else "by another clock", "calls of run": machine.runs}


@stopwatch.probe("gives the median of five calls on a device, after two that are long and do not count")
def five_calls(stopwatch: Callable, draw: Draw) -> Any:
    return measured(stopwatch, Machine(costs(draw, 7, warmup=2)), 2, 5)


@stopwatch.probe("gives the mean of the two in the middle where there are four")
def four_calls(stopwatch: Callable, draw: Draw) -> Any:
    return measured(stopwatch, Machine(costs(draw, 5, warmup=1)), 1, 4)


@stopwatch.probe("waits for the device before the first reading, as there may be earlier work")
def busy_before(stopwatch: Callable, draw: Draw) -> Any:
    return {
        "busy with the warm-up": measured(stopwatch, Machine(costs(draw, 4, warmup=3)), 3, 1),
        "busy with something else": measured(stopwatch, Machine(costs(draw, 1), busy=5.0), 0, 1),
    }


@stopwatch.probe("is not moved by one call that was disturbed")
def disturbed(stopwatch: Callable, draw: Draw) -> Any:
    long = costs(draw, 6, warmup=1)
    long[3] *= 100.0
    return measured(stopwatch, Machine(long), 1, 5)


@stopwatch.probe("measures a processor that does the work itself", rung="edges")
def without_device(stopwatch: Callable, draw: Draw) -> Any:
    return measured(stopwatch, Machine(costs(draw, 4, warmup=1), device=False, wait=0.0), 1, 3)


@stopwatch.probe("works without warm-up, and for calls that take next to no time", rung="edges")
def stopwatch_edges(stopwatch: Callable, draw: Draw) -> Any:
    return {
        "no warm-up": measured(stopwatch, Machine(costs(draw, 3)), 0, 3),
        "no time": measured(stopwatch, Machine([0.0], launch=0.0, wait=0.0), 2, 2),
    }


@stopwatch.probe("raises a ValueError for a warm-up below 0, and for nothing to measure", rung="invariants")
def refuses_counts(stopwatch: Callable, draw: Draw) -> Any:
    machine = Machine([1.0])
    measured(stopwatch, machine, 1, 1)  # the blank stub must show as blank
    return {
        "warmup=-1": raised(lambda: measured(stopwatch, machine, -1, 3)),
        "repeats=0": raised(lambda: measured(stopwatch, machine, 1, 0)),
    }


blog_stopwatch = Exercise(
    "BlogStopwatch",
    points=2,
    repairs=stopwatch,
    hints=(
        "Two of its lines are wrong, and one is not there. Follow it with a device that works for one second, and a processor that hands work over in a hundredth of one.",
        "When the second reading is taken, where is the work? Which calls are in `times`? And one call that was disturbed: what does it do to a mean?",
        "`synchronize()` belongs before the first reading and between `run()` and the second. The warm-up calls are not measured. `median`, not the mean.",
    ),
)

# flops ----------------------------------------------------------------------------

WHOLE = "`//` and whole numbers: sizes are counts."

flops = Exercise(
    "flops",
    points=2,
    forbidden=("nn.Module",),
    hints=(
        "(3 × 4) times (4 × 5): how many multiplications stand behind each of the 15 results, and how many in all? Then write down the two shapes of every matrix product in a block. In the attention there are as many of each as heads, and each head has d_model / num_heads features.",
        "```python\nprojections = ...   # q, k, v, out: (seq_len, d_model) @ (d_model, d_model)\nattention = ...     # (seq_len, d_head) @ (d_head, seq_len), (seq_len, seq_len) @ (seq_len, d_head), all heads\nfeed_forward = ...  # to d_ff, and back\nhead = ...          # (seq_len, d_model) @ (d_model, vocab_size)\nreturn ...\n```",
        "`projections = 4 * 2 * seq_len * d_model**2`, `attention = 2 * 2 * seq_len**2 * d_model`, `feed_forward = 2 * 2 * seq_len * d_model * d_ff`, `head = 2 * seq_len * d_model * vocab_size`. The first three times num_layers, plus the head.",
    ),
    traps={
        "AttributeError: 'GPTConfig' object has no attribute ...": "the sizes are `vocab_size`, `d_model`, `num_heads`, `num_layers`, `d_ff` and `max_len`.",
        "NameError: name ... is not defined": "sizes stand in the config: `config.d_model`.",
    },
)


@flops.probe("counts the matrix products of a small GPT")
def a_small_one(flops: Callable, draw: Draw) -> Any:
    return flops(small_gpt(), 7)


@flops.probe("follows every size by itself")
def every_size(flops: Callable, draw: Draw) -> Any:
    others = [{"vocab_size": 40}, {"d_model": 24}, {"num_heads": 6}, {"num_layers": 5}, {"d_ff": 33}, {"max_len": 90}]
    return {f"{name}={size}": flops(small_gpt(**{name: size}), 7) for one in others for name, size in one.items()}


@flops.probe("counts a short text, and a long one in which the attention is most of it")
def short_and_long(flops: Callable, draw: Draw) -> Any:
    config = small_gpt(max_len=5000)
    return {f"{length} tokens": flops(config, length) for length in (2, 100, 5000)}


@flops.probe("counts the smallest GPT-2")
def gpt2(flops: Callable, draw: Draw) -> Any:
    return flops(small_gpt(vocab_size=50_257, d_model=768, num_heads=12, num_layers=12, d_ff=3072, max_len=1024), 1024)


@flops.probe("works for one token, one layer, and rotary positions", rung="edges")
def flops_edges(flops: Callable, draw: Draw) -> Any:
    return {
        "one token": flops(small_gpt(), 1),
        "one layer": flops(small_gpt(num_layers=1), 14),
        "rotary": flops(small_gpt(positions="rotary"), 7),
    }


@flops.probe("raises a ValueError for no token, and for more than max_len", rung="invariants")
def refuses_lengths(flops: Callable, draw: Draw) -> Any:
    flops(small_gpt(), 7)  # the blank stub must show as blank
    return {"0 tokens": raised(lambda: flops(small_gpt(), 0)), "15 tokens": raised(lambda: flops(small_gpt(), 15))}


# memory ----------------------------------------------------------------------------

memory = Exercise(
    "memory",
    points=3,
    forbidden=("nn.Module",),
    hints=(
        "First the parameters of one block: what does `nn.Linear(d_model, d_ff)` hold, and what a LayerNorm? Then what stands outside the blocks. For the activations go through a block and stop at every matrix product: what does it read that is no parameter, and was it counted already?",
        "```python\ntokens = batch * seq_len\nlinears = ...      # of a block: four projections, two of the feed-forward network, with biases\nnorm = ...\npositions = ...    # 0 where they are rotary\nparameters = ...   # token table, positions, blocks with two norms each, the last norm\nattention = ...    # the weights of all heads, for all texts\nkept = ...         # blocks, and what the head reads\n...                # four bytes each\n```",
        "A block keeps `6 * tokens * d_model` (after norm1, queries, keys, values, mixed values, after norm2), `tokens * d_ff` (after the activation), and `batch * num_heads * seq_len**2`. The head reads `tokens * d_model`. Parameters of a block: `4 * (d_model**2 + d_model) + 2 * d_model * d_ff + d_ff + d_model + 4 * d_model`.",
    ),
    traps={
        "AttributeError: 'GPTConfig' object has no attribute ...": "the sizes are `vocab_size`, `d_model`, `num_heads`, `num_layers`, `d_ff` and `max_len`.",
        "NameError: name ... is not defined": "sizes stand in the config: `config.d_model`.",
    },
)


@memory.probe("counts the bytes of a small GPT")
def bytes_of_a_small_one(memory: Callable, draw: Draw) -> Any:
    return memory(small_gpt(), 3, 7)


@memory.probe("follows every size by itself")
def bytes_by_size(memory: Callable, draw: Draw) -> Any:
    others = [{"vocab_size": 40}, {"d_model": 24}, {"num_heads": 6}, {"num_layers": 5}, {"d_ff": 33}, {"max_len": 90}]
    return {f"{name}={size}": memory(small_gpt(**{name: size}), 3, 7) for one in others for name, size in one.items()}


@memory.probe("has no table of positions where they are rotary")
def bytes_with_rotary(memory: Callable, draw: Draw) -> Any:
    return memory(small_gpt(positions="rotary"), 2, 5)


@memory.probe("follows the number of texts, and their length")
def bytes_by_batch(memory: Callable, draw: Draw) -> Any:
    config = small_gpt(max_len=300)
    return {
        f"{batch} texts of {length}": memory(config, batch, length) for batch, length in ((1, 40), (5, 9), (2, 300))
    }


@memory.probe("works for one text, one token, one layer", rung="edges")
def memory_edges(memory: Callable, draw: Draw) -> Any:
    return {"one of all": memory(small_gpt(num_layers=1), 1, 1), "as long as may be": memory(small_gpt(), 1, 14)}


@memory.probe("raises a ValueError for no text, no token, and more than max_len", rung="invariants")
def refuses_texts(memory: Callable, draw: Draw) -> Any:
    memory(small_gpt(), 1, 7)  # the blank stub must show as blank
    return {
        "0 texts": raised(lambda: memory(small_gpt(), 0, 7)),
        "0 tokens": raised(lambda: memory(small_gpt(), 1, 0)),
        "15 tokens": raised(lambda: memory(small_gpt(), 1, 15)),
    }
