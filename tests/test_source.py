"""Python text, read as text: `autograder/probing/source.py`."""

import pytest

from autograder.probing.source import without_docstrings

CODE = '''"""A module."""

class Norm:
    """A layer.

    Args:
        width: its features.
    """

    width = "no docstring"

    def forward(self):
        """Compute."""
        return """text"""
'''


def test_a_text_without_docstrings_keeps_its_code() -> None:
    left = without_docstrings(CODE)
    assert [line for line in left.splitlines() if line.strip()] == [
        "class Norm:",
        '    width = "no docstring"',
        "    def forward(self):",
        '        return """text"""',
    ]


@pytest.mark.parametrize("text", ['def f(): "in one line"\n', 'def f():\n    "shared"; return 1\n'])
def test_a_docstring_beside_code_stays(text: str) -> None:
    assert without_docstrings(text) == text
