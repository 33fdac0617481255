"""Checks of lesson 21: rooms, each with a repair and a probe that shows what was wrong."""

from autograder.checks.in_the_wild.added_mask import shows_mistaken_mask, weights_under
from autograder.checks.in_the_wild.article import article
from autograder.checks.in_the_wild.clipping import scaled_step, shows_early_clipping
from autograder.checks.in_the_wild.copied_table import shows_copied_table, tied_model
from autograder.checks.in_the_wild.double_shift import shows_double_shift, training_loss
from autograder.checks.in_the_wild.idle_mask import loss_where_asked, shows_idle_mask
from autograder.checks.in_the_wild.nothing_hidden import hide_tokens, shows_nothing_hidden
from autograder.checks.in_the_wild.one_position import shows_one_position, with_positions
from autograder.checks.in_the_wild.residuals import init_residuals_, shows_unscaled_residuals
from autograder.checks.in_the_wild.stopwatch import seconds_of, shows_early_stop
from autograder.checks.in_the_wild.two_tasks import shows_unlearned_class, two_task_loss
from autograder.checks.in_the_wild.upside_down import shows_upside_down_mask, torch_attention
from autograder.checks.in_the_wild.weak_mask import causal_attention, shows_weak_mask

EXERCISES = (
    init_residuals_,
    shows_unscaled_residuals,
    training_loss,
    shows_double_shift,
    torch_attention,
    shows_upside_down_mask,
    tied_model,
    shows_copied_table,
    loss_where_asked,
    shows_idle_mask,
    hide_tokens,
    shows_nothing_hidden,
    two_task_loss,
    shows_unlearned_class,
    with_positions,
    shows_one_position,
    weights_under,
    shows_mistaken_mask,
    causal_attention,
    shows_weak_mask,
    scaled_step,
    shows_early_clipping,
    seconds_of,
    shows_early_stop,
    article,
)
