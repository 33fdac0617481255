"""Wrong ways of lesson 10. Several edits may carry one name: the same mistake is written in several ways."""

from autograder.mistakes.decoding.beam import *  # noqa: F403
from autograder.mistakes.decoding.cache import *  # noqa: F403
from autograder.mistakes.decoding.greedy import *  # noqa: F403
from autograder.mistakes.decoding.sampling import *  # noqa: F403
