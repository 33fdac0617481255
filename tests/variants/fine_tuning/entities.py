"""Lesson 16: entities out of tags."""

import re
from itertools import groupby, pairwise
from typing import Any

from autograder.stand_ins.fine_tuning import spans
from tests.variants import correct, disguise, slips, unlisted

SPANS = "spans"


def written(tags: Any) -> None:
    """The given ValueError."""
    if any(not re.fullmatch("O|[BI]-.+", tag) for tag in tags):
        raise ValueError("a tag")


def while_inside(tags: Any) -> list[Any]:
    """From the first token of an entity to its last."""
    written(tags)
    out, i = [], 0
    while i < len(tags):
        if tags[i] == "O":
            i += 1
            continue
        kind, j = tags[i][2:], i + 1
        while j < len(tags) and tags[j] == "I-" + kind:
            j += 1
        out.append((kind, i, j))
        i = j
    return out


slips(
    SPANS,
    while_inside,
    {
        "an I- without its B- is ignored": {'if tags[i] == "O":': 'if tags[i][0] != "B":'},
        "an I- of another kind goes on": {'tags[j] == "I-" + kind': 'tags[j][0] == "I"'},
        "entities that touch are one": {'tags[j] == "I-" + kind': "tags[j][2:] == kind"},
        "a B- ends nothing": {'tags[j] == "I-" + kind': '(tags[j] == "I-" + kind or tags[j][0] == "B")'},
        "the end is inclusive": {"(kind, i, j)": "(kind, i, j - 1)"},
        "the end is one too far": {"(kind, i, j)": "(kind, i, j + 1)"},
        "the length instead of the end": {"(kind, i, j)": "(kind, i, j - i)"},
        "each tag is an entity": {'tags[j] == "I-" + kind': "False"},
        "only the first token": {"(kind, i, j)": "(kind, i, i + 1)"},
        "the prefix belongs to the kind": {"(kind, i, j)": "(tags[i], i, j)"},
        "start and end first": [
            {"(kind, i, j)": "(i, j, kind)"},
            {"(kind, i, j)": "(i, kind, j)"},
            {"(kind, i, j)": "(kind, j, i)"},
        ],
        "from back to front": {"return out": "return out[::-1]"},
        "what ends an entity begins none": {"        i = j\n": "        i = j + 1\n"},
        "each tag begins an entity": {"        i = j\n": "        i += 1\n"},
        "two tokens at most": {"while j < len(tags) and": "if j < len(tags) and"},
        "the last tag is not read": {"    written(tags)\n": "    written(tags)\n    tags = tags[:-1]\n"},
        "every entity begins at 0": {"(kind, i, j)": "(kind, 0, j)"},
        "an I- behind its B- begins another": {'tags[j] == "I-" + kind': 'tags[j] == "I-" + kind == tags[j - 1]'},
        "O is a kind like any other": {'        if tags[i] == "O":\n            i += 1\n            continue\n': ""},
        "B- goes on, and I- begins": {'tags[j] == "I-" + kind': 'tags[j] == "B-" + kind'},
        "the entity at the end is lost": {"out.append((kind, i, j))": "out += [(kind, i, j)] if j < len(tags) else []"},
        "an I- without its B- is ignored + the end is inclusive": {
            'if tags[i] == "O":': 'if tags[i][0] != "B":',
            "(kind, i, j)": "(kind, i, j - 1)",
        },
    },
)


def with_an_open_one(tags: Any) -> list[Any]:
    """Three branches, and what is open is closed behind the loop."""
    written(tags)
    entities: list[Any] = []
    label, begin = None, -1
    for position, tag in enumerate(tags):
        prefix, _, name = tag.partition("-")
        if prefix == "I" and name == label:
            continue
        if label is not None:
            entities.append((label, begin, position))
        label, begin = (name, position) if prefix in "BI" else (None, -1)
    if label is not None:
        entities.append((label, begin, len(tags)))
    return entities


slips(
    SPANS,
    with_an_open_one,
    {
        "the entity at the end is lost": {
            "    if label is not None:\n        entities.append((label, begin, len(tags)))\n": ""
        },
        "an I- without its B- is ignored": {'prefix in "BI" else': 'prefix == "B" else'},
        "an I- of another kind goes on": {
            'if prefix == "I" and name == label:': 'if prefix == "I" and label is not None:'
        },
        "entities that touch are one": {
            'if prefix == "I" and name == label:': "if label is not None and name == label:"
        },
        "the end is inclusive": {
            "(label, begin, position)": "(label, begin, position - 1)",
            "(label, begin, len(tags))": "(label, begin, len(tags) - 1)",
        },
        "the end is one too far": {
            "(label, begin, position)": "(label, begin, position + 1)",
            "(label, begin, len(tags))": "(label, begin, len(tags) + 1)",
        },
        "the length instead of the end": {
            "(label, begin, position)": "(label, begin, position - begin)",
            "(label, begin, len(tags))": "(label, begin, len(tags) - begin)",
        },
        "each tag is an entity": {'if prefix == "I" and name == label:': "if False:"},
        "start and end first": {
            "(label, begin, position)": "(begin, position, label)",
            "(label, begin, len(tags))": "(begin, len(tags), label)",
        },
        "a kind with a dash is cut": {'tag.partition("-")': '[*tag.split("-"), "", ""][0], "", [*tag.split("-")][-1]'},
        "the entity at the end is cut": {"(label, begin, len(tags))": "(label, begin, len(tags) - 1)"},
        "the entity at the end is lost + entities that touch are one": {
            "    if label is not None:\n        entities.append((label, begin, len(tags)))\n": "",
            'if prefix == "I" and name == label:': "if label is not None and name == label:",
        },
    },
)


def by_starts(tags: Any) -> list[Any]:
    """First all starts, then an end for each."""
    written(tags)
    padded = ["O", *tags, "O"]
    goes_on = [now[0] == "I" and before[2:] == now[2:] for before, now in pairwise(padded)]
    starts = [place for place, tag in enumerate(tags) if tag != "O" and not goes_on[place]]
    ends = [next(e for e in range(place + 1, len(goes_on)) if not goes_on[e]) for place in starts]
    return [(tags[place][2:], place, end) for place, end in zip(starts, ends, strict=True)]


slips(
    SPANS,
    by_starts,
    {
        "an I- without its B- is ignored": {'tag != "O" and not goes_on[place]': 'tag[0] == "B"'},
        "each tag is an entity": {"now[0] ==": "now[0] is None and now[0] =="},
        "entities that touch are one": {'now[0] == "I" and': 'now[0] != "O" and'},
        "only the first token": {"place, end) for": "place, place + 1) for"},
        "the end is inclusive": {"place, end) for": "place, end - 1) for"},
        "the end is one too far": {"place, end) for": "place, end + 1) for"},
        "the length instead of the end": {"place, end) for": "place, end - place) for"},
        "the prefix belongs to the kind": {"(tags[place][2:], place": "(tags[place], place"},
        "start and end first": {"(tags[place][2:], place, end)": "(place, end, tags[place][2:])"},
    },
)


def after_all(change: Any) -> Any:
    """Right, then changed entity by entity."""
    return lambda tags: [change(*one) for one in spans(tags)]


disguise(SPANS, "the end is inclusive")(after_all(lambda kind, start, end: (kind, start, end - 1)))

disguise(SPANS, "the end is one too far")(after_all(lambda kind, start, end: (kind, start, end + 1)))

disguise(SPANS, "the length instead of the end")(after_all(lambda kind, start, end: (kind, start, end - start)))

disguise(SPANS, "only the first token")(after_all(lambda kind, start, end: (kind, start, start + 1)))

disguise(SPANS, "start and end first")(after_all(lambda kind, start, end: (start, end, kind)))


@disguise(SPANS, "the entity at the end is lost")
def e_at_the_end(tags: Any) -> Any:
    return [one for one in while_inside(tags) if one[2] != len(tags)]


@disguise(SPANS, "the entity at the end is cut")
def e_cut_at_the_end(tags: Any) -> Any:
    found = while_inside(tags)
    if found and found[-1][2] == len(tags):
        found[-1] = (*found[-1][:2], len(tags) - 1)
    return found


@disguise(SPANS, "an I- without its B- is ignored")
def e_strict(tags: Any) -> Any:
    return [(kind, start, end) for kind, start, end in spans(tags) if tags[start].startswith("B-")]


@disguise(SPANS, "an I- of another kind goes on")
def e_any_inside(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag.startswith("I-") and out and out[-1][2] == i:
            out[-1] = (*out[-1][:2], i + 1)
        elif tag != "O":
            out.append((tag[2:], i, i + 1))
    return out


@disguise(SPANS, "an I- of another kind begins nothing")
def e_dropped(tags: Any) -> Any:
    """Runs of tags without an O between them: an I- counts where it opens the run or goes on with a kind."""
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag == "O":
            continue
        if tag[0] == "B" or i == 0 or tags[i - 1] == "O":
            out.append([tag[2:], i, i + 1])
        elif out[-1][2] == i and out[-1][0] == tag[2:]:
            out[-1][2] = i + 1
    return [tuple(one) for one in out]


@disguise(SPANS, "entities that touch are one")
def e_grouped(tags: Any) -> Any:
    written(tags)
    out, at = [], 0
    for kind, run in groupby(tag[2:] for tag in tags):
        long = len(list(run))
        if kind:
            out.append((kind, at, at + long))
        at += long
    return out


@disguise(SPANS, "a B- ends nothing")
def e_b_inside(tags: Any) -> Any:
    written(tags)
    out, kind, start = [], None, 0
    for i, tag in enumerate([*tags, "O"]):
        if kind is None:
            if tag != "O":
                kind, start = tag[2:], i
        elif tag == "O":
            out.append((kind, start, i))
            kind = None
        elif tag[0] == "I" and tag[2:] != kind:
            out.append((kind, start, i))
            kind, start = tag[2:], i
    return out


@disguise(SPANS, "O does not end an entity")
def e_to_the_next(tags: Any) -> Any:
    written(tags)
    begins = [i for i, tag in enumerate(tags) if tag[0] == "B" or (tag != "O" and not any(t != "O" for t in tags[:i]))]
    ends = [*begins[1:], len(tags)]
    return [(tags[i][2:], i, end) for i, end in zip(begins, ends, strict=False)]


@disguise(SPANS, "each tag is an entity")
def e_tokens(tags: Any) -> Any:
    written(tags)
    return [(tag[2:], i, i + 1) for i, tag in enumerate(tags) if tag != "O"]


@disguise(SPANS, "the prefix belongs to the kind")
def e_prefix(tags: Any) -> Any:
    return [(tags[start], start, end) for _, start, end in with_an_open_one(tags)]


@disguise(SPANS, "a kind with a dash is cut")
def e_cut(tags: Any) -> Any:
    written(tags)
    return spans([tag if tag == "O" else f"{tag[0]}-{tag.rsplit('-', 1)[1]}" for tag in tags])


@correct(SPANS)
def e_by_pattern(tags: Any) -> Any:
    """A letter a tag, and a regular expression for each kind."""
    written(tags)
    out = []
    for kind in {tag[2:] for tag in tags if tag != "O"}:
        letters = "".join("." if tag[2:] != kind else tag[0] for tag in tags)
        out += [(kind, *match.span()) for match in re.finditer("[BI]I*", letters)]
    return sorted(out, key=lambda one: one[1])


@correct(SPANS)
def e_backwards(tags: Any) -> Any:
    """From the end to the start."""
    written(tags)
    out: list[Any] = []
    end = len(tags)
    for i in reversed(range(len(tags))):
        kind = tags[i][2:]
        if tags[i] == "O":
            end = i
        elif tags[i][0] == "B" or i == 0 or tags[i - 1][2:] != kind:
            out.insert(0, (kind, i, end))
            end = i
    return out


@disguise(SPANS, "entities of one token are lost")
def e_longest(tags: Any) -> Any:
    return [one for one in spans(tags) if one[2] - one[1] > 1]


@disguise(SPANS, "sorted by kind")
def e_sorted(tags: Any) -> Any:
    return sorted(spans(tags))


@disguise(SPANS, "places are counted from 1")
def e_from_one(tags: Any) -> Any:
    return [(kind, start + 1, end + 1) for kind, start, end in spans(tags)]


@disguise(SPANS, "the letters of the kind are changed")
def e_lower(tags: Any) -> Any:
    return [(kind.upper(), start, end) for kind, start, end in spans(tags)]


disguise(SPANS, "the kind is missing")(after_all(lambda kind, start, end: (start, end)))

disguise(SPANS, "places are counted from 1")(after_all(lambda kind, start, end: (kind, start + 1, end)))


@disguise(SPANS, "a kind with a dash is cut")
def e_cut_and_compared(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        prefix, _, _ = tag.partition("-")
        if prefix == "I" and out and out[-1][2] == i and tag == "I-" + out[-1][0]:
            out[-1] = (*out[-1][:2], i + 1)
        elif prefix != "O":
            out.append((tag.split("-")[1], i, i + 1))
    return out


def opened(begins: Any, ends: Any) -> Any:
    """A start that is None while no entity is open."""

    def read(tags: Any) -> Any:
        written(tags)
        out: list[Any] = []
        start: Any = None
        kind = ""
        for i, tag in enumerate([*tags, "O"]):
            if ends(start) and tag != "I-" + kind:
                out.append((kind, start, i))
                start = None
            if begins(start) and tag != "O":
                start, kind = i, tag[2:]
        return out

    return read


correct(SPANS)(opened(lambda start: start is None, lambda start: start is not None))

disguise(SPANS, "an entity at place 0 counts as none")(opened(lambda start: not start, bool))


@disguise(SPANS, "an entity at place 0 counts as none")
def e_found_late(tags: Any) -> Any:
    return [one for one in spans(tags) if one[1]]


@disguise(SPANS, "an I- that begins the text is ignored")
def e_not_first(tags: Any) -> Any:
    return spans(["O" if tag[:1] == "I" and {*tags[: i + 1]} == {tag} else tag for i, tag in enumerate(tags)])


@disguise(SPANS, "an entity is lost where another begins")
def e_overwritten(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    current: Any = None
    for i, tag in enumerate(tags):
        if tag == "O":
            out += [] if current is None else [(*current, i)]
            current = None
        elif current is None or tag != "I-" + current[0]:
            current = (tag[2:], i)
    return out if current is None else [*out, (*current, len(tags))]


@unlisted(SPANS)
def e_by_its_end(tags: Any) -> Any:
    """Takes one kind for another whose name ends alike."""
    written(tags)
    out: list[Any] = []
    for i, tag in enumerate(tags):
        if tag[0] == "I" and out and out[-1][2] == i and tag.endswith(out[-1][0]):
            out[-1] = (*out[-1][:2], i + 1)
        elif tag != "O":
            out.append((tag[2:], i, i + 1))
    return out


@disguise(SPANS, "an I- behind a gap goes on")
def e_over_a_gap(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    for place, tag in enumerate(tags):
        if tag[0] == "I" and out and out[-1][0] == tag[2:]:
            out[-1] = (*out[-1][:2], place + 1)
        elif tag != "O":
            out.append((tag[2:], place, place + 1))
    return out


@disguise(SPANS, "letters of the kind are cut off")
def e_stripped(tags: Any) -> Any:
    written(tags)
    out: list[Any] = []
    kind, start = "", 0
    for place, tag in enumerate([*tags, "O"]):
        bare = "" if tag == "O" else tag.lstrip("IB-")
        if kind and (tag[0] != "I" or bare != kind):
            out.append((kind, start, place))
            kind = ""
        if bare and not kind:
            kind, start = bare, place
    return out


@disguise(SPANS, "from back to front")
def e_last_first(tags: Any) -> Any:
    return list(reversed(by_starts(tags)))


@disguise(SPANS, "what ends an entity begins none")
def e_one_or_the_other(tags: Any) -> Any:
    written(tags)
    out, now = [], None
    for place, tag in enumerate([*tags, "O"]):
        if now is not None and tag == f"I-{tags[now][2:]}":
            continue
        if now is not None:
            out.append((tags[now][2:], now, place))
            now = None
        elif tag != "O":
            now = place
    return out


@disguise(SPANS, "an entity that has ended stays open")
def e_never_closed(tags: Any) -> Any:
    written(tags)
    first = next((place for place, tag in enumerate(tags) if tag != "O"), None)
    if first is None:
        return []
    kind = tags[first][2:]
    places = [place for place in range(first + 1, len(tags) + 1) if [*tags, "O"][place] != "I-" + kind]
    return [(kind, first, place) for place in places]


@disguise(SPANS, "each tag begins an entity")
def e_each_begins(tags: Any) -> Any:
    return [(kind, place, end) for kind, start, end in by_starts(tags) for place in range(start, end)]


@disguise(SPANS, "two tokens at most")
def e_in_twos(tags: Any) -> Any:
    return [
        (kind, place, min(place + 2, end)) for kind, start, end in by_starts(tags) for place in range(start, end, 2)
    ]


@disguise(SPANS, "the last tag is not read")
def e_unread(tags: Any) -> Any:
    written(tags)
    return by_starts(tags[:-1])


@disguise(SPANS, "every entity begins at 0")
def e_from_zero(tags: Any) -> Any:
    return [(kind, 0, end) for kind, _, end in by_starts(tags)]


@disguise(SPANS, "an I- behind its B- begins another")
def e_whole_tags(tags: Any) -> Any:
    written(tags)
    out, place = [], 0
    for tag, run in groupby(tags):
        many = len(list(run))
        if tag[0] == "B":
            out += [(tag[2:], at, at + 1) for at in range(place, place + many)]
        elif tag != "O":
            out.append((tag[2:], place, place + many))
        place += many
    return out


@disguise(SPANS, "B- goes on, and I- begins")
def e_exchanged(tags: Any) -> Any:
    written(tags)
    return by_starts([tag if tag == "O" else {"B": "I", "I": "B"}[tag[0]] + tag[1:] for tag in tags])


@disguise(SPANS, "every entity ends with the text")
def e_to_the_end(tags: Any) -> Any:
    return [(kind, start, len(tags)) for kind, start, _ in by_starts(tags)]
