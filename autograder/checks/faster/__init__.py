"""Checks of lesson 20: attention by blocks, measuring, steps of training, and smaller models."""

from autograder.checks.faster.attention import online_softmax_attention
from autograder.checks.faster.measuring import blog_stopwatch, flops, memory, stopwatch
from autograder.checks.faster.smaller import prune_magnitude, quantize_rows, quantized_linear
from autograder.checks.faster.speculative import speculative_step
from autograder.checks.faster.steps import amp_step, average_gradients, tutorial_amp_step

EXERCISES = (
    online_softmax_attention,
    stopwatch,
    blog_stopwatch,
    flops,
    memory,
    amp_step,
    tutorial_amp_step,
    average_gradients,
    quantize_rows,
    quantized_linear,
    prune_magnitude,
    speculative_step,
)
