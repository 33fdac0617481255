"""Checks of how a language model is measured: bits per byte."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder.checks.decoding.shared import raised
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

bits_per_byte = Exercise(
    "bits_per_byte",
    points=1,
    hints=(
        "Two conversions, both of the whole text: nats to bits, and characters to bytes. How many nats is the choice between two equally likely things?",
        "```python\nbits = ...    # the sum of the losses, in bits\nlength = ...  # of the text in UTF-8\nreturn ...\n```",
        "`nats.sum().item() / math.log(2)`, divided by `len(text.encode())`.",
    ),
    traps={
        "TypeError: log(): argument 'input' (position 1) must be Tensor": "`torch.log` wants a tensor. For a number of Python's take `math.log(2)`.",
    },
)

LETTERS = "abcdeé ßж大🙂"
"""Of one, two, three and four bytes."""


def some_text(draw: Draw, name: str, length: int) -> str:
    """A text of letters of different lengths in UTF-8, with each kind in it."""
    drawn = draw.integers(name, length, high=len(LETTERS)).tolist()
    return "".join(LETTERS[one] for one in drawn) + "aéж大🙂"


def losses(draw: Draw, name: str, tokens: int) -> Tensor:
    """Positive numbers, one a token."""
    return draw.keep(f"{name} losses", draw.tensor(name, tokens).abs() + 0.5)


@bits_per_byte.probe("divides the bits of the whole text by its bytes")
def one_text(bits_per_byte: Callable, draw: Draw) -> Any:
    return bits_per_byte(losses(draw, "nats", 7), some_text(draw, "text", 11))


@bits_per_byte.probe("gives the same for the same sum, however many tokens it comes from")
def other_tokens(bits_per_byte: Callable, draw: Draw) -> Any:
    nats, text = losses(draw, "nats", 6), some_text(draw, "text", 5)
    pieces = draw.keep("pieces", nats.repeat_interleave(2) / 2)
    return {"6 tokens": bits_per_byte(nats, text), "12 tokens": bits_per_byte(pieces, text)}


@bits_per_byte.probe("works for one token, for plain English, and for a text of one long character", rung="edges")
def bits_edges(bits_per_byte: Callable, draw: Draw) -> Any:
    nats = losses(draw, "nats", 3)
    return {
        "one token": bits_per_byte(nats[:1], "cat"),
        "as many characters as bytes": bits_per_byte(nats, "the cat sat"),
        "one character": bits_per_byte(nats, "🙂"),
        "spaces at both ends": bits_per_byte(nats, "  cat\n"),
        "a letter that is shorter when it is small": bits_per_byte(nats, "GROẞ"),
    }


@bits_per_byte.probe("gives a number of Python's", rung="invariants")
def plain_number(bits_per_byte: Callable, draw: Draw) -> Any:
    return isinstance(bits_per_byte(losses(draw, "nats", 3), "cat"), float)


@bits_per_byte.probe("raises a ValueError for an empty text", rung="invariants")
def refuses_nothing(bits_per_byte: Callable, draw: Draw) -> Any:
    nats = losses(draw, "nats", 2)
    bits_per_byte(nats, "a")  # the blank stub must show as blank
    return {
        "an empty text": raised(lambda: bits_per_byte(nats, "")),
        "a space is refused": raised(lambda: bits_per_byte(nats, " ")) == "ValueError",
    }
