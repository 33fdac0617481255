"""The labels of the second task of fine-tuning: which section of a docstring a sentence stands in."""

from __future__ import annotations

from course.docstrings import fingerprint, is_held_out, sentences_of
from course.sections import SECTIONS, placed, placed_sentences

DOCSTRING = """Find the shortest path.

It stands before all sections, and is not asked for.

Parameters
----------
G : graph
    The graph in which it is looked for.
weight : string
    The attribute that holds the weight
    of an edge.

Returns
-------
path : list
    All nodes of the path in order.

See Also
--------
It stands in a section of another name.

Notes
-----
The time grows with the number of edges. It is
not known for negative weights.

Not a heading
of anything at all here.
"""


def test_sentences_belong_to_the_heading_before_them() -> None:
    found = [(SECTIONS[one.section], one.text) for one in placed(DOCSTRING)]
    assert found == [
        ("Parameters", "The graph in which it is looked for."),
        ("Parameters", "The attribute that holds the weight of an edge."),
        ("Returns", "All nodes of the path in order."),
        ("Notes", "It is not known for negative weights."),
        ("Notes", "Not a heading of anything at all here."),
    ]


def test_sentences_are_those_that_bert_has_read() -> None:
    assert {one.text for one in placed(DOCSTRING)} < set(sentences_of(DOCSTRING))
    assert "Notes ----- The time grows with the number of edges." in sentences_of(DOCSTRING)
    assert not list(placed("There is no section in this one."))


def test_the_sides_are_those_of_the_text_that_bert_has_read() -> None:
    known, held_out = placed_sentences(["networkx"])
    keys = [fingerprint(one.text) for one in (*known, *held_out)]
    assert len(set(keys)) == len(keys)
    assert [is_held_out(key) for key in keys] == [False] * len(known) + [True] * len(held_out)
    assert {one.section for one in held_out} == set(range(len(SECTIONS)))
