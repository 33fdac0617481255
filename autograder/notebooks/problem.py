"""What goes wrong for a reason that a person can act on."""


class Problem(Exception):
    """One sentence for the person at the terminal: what is wrong, and what would do."""
