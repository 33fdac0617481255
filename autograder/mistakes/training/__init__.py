"""Wrong ways of lesson 09."""

from autograder.mistakes.training.checkpoints import *  # noqa: F403
from autograder.mistakes.training.clipping import *  # noqa: F403
from autograder.mistakes.training.losses import *  # noqa: F403
from autograder.mistakes.training.rates import *  # noqa: F403
from autograder.mistakes.training.steps import *  # noqa: F403
from autograder.mistakes.training.updates import *  # noqa: F403
