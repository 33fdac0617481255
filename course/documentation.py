"""A text in English that every Python brings along: its own documentation, without the paragraphs that it repeats."""

from __future__ import annotations

from pydoc_data.topics import topics


def python_documentation() -> str:
    """About 0.4 MB of English, with tables and examples. Its length differs a little from one Python to the next."""
    paragraphs = "\n\n".join(topics.values()).split("\n\n")
    return "\n\n".join(dict.fromkeys(paragraphs))
