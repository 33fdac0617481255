"""Checks of spans."""

from collections.abc import Callable, Sequence
from typing import Any

from autograder.checks.decoding.shared import raised
from autograder.checks.fine_tuning.confusion import LIBRARIES
from autograder.probing.draws import Draw
from autograder.probing.exercise import Exercise

spans = Exercise(
    "spans",
    points=3,
    forbidden=LIBRARIES,
    hints=(
        "Go from tag to tag with a finger on the entity that is open, if one is. Which tag leaves it open? Every other tag ends it, and each of these but one begins a new one at the same place.",
        '```python\nfound, kind, start = [], "", 0        # "": no entity is open\nfor place, tag in enumerate(...):     # one more place at the end closes what is open\n    if ...:                           # one is open, and this tag does not go on with it\n        ...                           # it ends here\n    if ...:                           # none is open (any more), and this tag is not O\n        ...                           # one begins here\nreturn found\n```',
        '`for place, tag in enumerate([*tags, "O"])`. Only `f"I-{kind}"` goes on with an entity: `if kind and tag != f"I-{kind}"` it ends, `found.append((kind, start, place))`. Then `if not kind and tag != "O"` one begins: `kind, start = tag[2:], place`.',
    ),
    traps={
        "ValueError: not enough values to unpack (expected 2, got 1)": '"O" has no kind: `"O".split("-")` is one text. Ask for it first, or take `tag[2:]`, which is "" there.',
        "ValueError: too many values to unpack (expected 2)": 'a kind may have a "-" in it. `tag.split("-", 1)` cuts once, and so does `tag[2:]`.',
        "ValueError: too many values to unpack (expected 2, got 3)": 'a kind may have a "-" in it. `tag.split("-", 1)` cuts once, and so does `tag[2:]`.',
        "IndexError: list index out of range": "the last tag has none behind it, and an entity may go to the end of the text.",
    },
)

KINDS = ("code", "place", "time")


def tagged(pieces: str, kinds: Sequence[str] = KINDS) -> list[str]:
    """Tags in short: "Ba Ia O Ib" for kinds a, b, c."""
    names = dict(zip("abc", kinds, strict=True))
    return ["O" if one == "O" else f"{one[0]}-{names[one[1]]}" for one in pieces.split()]


def shuffled(draw: Draw) -> list[str]:
    """The kinds in a drawn order."""
    return [KINDS[place] for place in draw.tensor("kinds", len(KINDS)).argsort().tolist()]


def drawn_tags(draw: Draw, name: str, length: int, clean: bool = True) -> list[str]:
    """Entities of one to three tokens and gaps between them; some touch. Not clean: any tag may follow any other."""
    kinds = shuffled(draw)
    if not clean:
        chosen = draw.integers(f"{name} tags", length, high=9).tolist()
        tags = ["O", "O", "O", *(f"B-{one}" for one in kinds), *(f"I-{one}" for one in kinds)]
        return [tags[one] for one in chosen]
    tags = []
    for number in range(length):
        kind, long, gap = draw.integers(f"{name} {number}", 3, high=3).tolist()
        tags += [f"B-{kinds[kind]}", *[f"I-{kinds[kind]}"] * long, *["O"] * gap]
    return tags[:length]


@spans.probe("finds kind, start and end of each entity, the end exclusive")
def clean_tags(spans: Callable, draw: Draw) -> Any:
    return {
        "apart": spans(tagged("O Ba Ia O O Bb O Bc Ic Ic O", shuffled(draw))),
        "drawn": spans(drawn_tags(draw, "clean", 14)),
    }


@spans.probe("sees an entity that ends with the text, and one that begins it")
def at_the_ends(spans: Callable, draw: Draw) -> Any:
    kinds = shuffled(draw)
    return {
        "at the end": spans(tagged("O O Ba Ia", kinds)),
        "a single token at the end": spans(tagged("Ba Ia O Bb", kinds)),
        "at the start": spans(tagged("Bb Ib O O", kinds)),
        "the whole text": spans(tagged("Bc Ic Ic Ic", kinds)),
    }


@spans.probe("keeps entities apart that touch, of one kind or of two")
def touching(spans: Callable, draw: Draw) -> Any:
    kinds = shuffled(draw)
    return {
        "of one kind": spans(tagged("O Ba Ia Ba Ia Ia O", kinds)),
        "of two kinds": spans(tagged("O Ba Ia Bb Ib O", kinds)),
        "single tokens": spans(tagged("Ba Ba Bb Ba", kinds)),
    }


@spans.probe("begins an entity at an I- that continues nothing")
def inside_alone(spans: Callable, draw: Draw) -> Any:
    kinds = shuffled(draw)
    return {
        "after O": spans(tagged("O Ia Ia O Bb", kinds)),
        "at the start": spans(tagged("Ia Ia O Bb Ib", kinds)),
        "after another kind": spans(tagged("O Ba Ib Ib O Ic Ia O", kinds)),
        "back to the first kind": spans(tagged("Ba Ib Ia O", kinds)),
    }


@spans.probe("reads any order of tags")
def any_tags(spans: Callable, draw: Draw) -> Any:
    return spans(drawn_tags(draw, "any", 40, clean=False))


@spans.probe('works for no tags, no entity, one tag, and kinds with a "-" in them', rung="edges")
def odd_tags(spans: Callable, draw: Draw) -> Any:
    return {
        "no tags": spans([]),
        "no entity": spans(["O", "O"]),
        "one tag": spans(["B-code"]),
        "one tag inside": spans(["I-code"]),
        "a kind with a dash": spans(["B-inline-code", "I-inline-code", "I-inline", "O"]),
        "kinds that end alike": spans(["B-code", "I-code", "I-inline-code", "I-code", "B-inline-code", "I-code"]),
        "kinds that begin alike": spans(["B-code", "I-codes", "O", "B-codes", "I-code", "I-code"]),
        "short kinds": spans(["B-O", "I-O", "O", "I-B", "B-I", "I-I"]),
        "a tuple": spans(("O", "B-code", "I-code")),
    }


@spans.probe("leaves the tags as they were", rung="invariants")
def tags_stay(spans: Callable, draw: Draw) -> Any:
    tags = tagged("O Ba Ia Bb")
    spans(tags)
    return tags


@spans.probe("gives each entity as a tuple, which a set can hold", rung="invariants")
def entities_as_tuples(spans: Callable, draw: Draw) -> Any:
    found = spans(tagged("O Ba Ia Bb"))
    return ["a tuple" if isinstance(one, tuple) else f"a {type(one).__name__}" for one in found]


@spans.probe("raises a ValueError for a tag that is written in another way", rung="invariants")
def refuses_tags(spans: Callable, draw: Draw) -> Any:
    spans(["O", "B-code"])  # the blank stub must show as blank
    return {tag: raised(lambda tag=tag: spans(["O", tag, "O"])) for tag in ("code", "b-code", "S-code", "B-", "0", "")}  # type: ignore[misc]
