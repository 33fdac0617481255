"""`python -m autograder`, for where the command `autograder` is not on the path."""

import sys

from autograder.cli import main

if __name__ == "__main__":
    sys.exit(main())
