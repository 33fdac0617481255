"""Wrong ways of spans."""

from autograder.checks.fine_tuning.entities import spans
from autograder.probing.mistake import edit

PLACES = 'enumerate([*tags, "O"])'
ENDS = 'if kind and tag != f"I-{kind}":'
FOUND = "found.append((kind, start, place))"
BEGINS = 'if not kind and tag != "O":'
OPEN = "kind, start = tag[2:], place"

spans.mistake(
    "the entity at the end is lost",
    "An entity that goes to the end of the text is missing. No tag comes behind it that would end it. Close what is open after the loop, or go on for one more place.",
    {PLACES: "enumerate(tags)"},
)

spans.mistake(
    "an I- without its B- is ignored",
    "An I- that continues nothing begins no entity with you. Models predict such tags all the time, and here they count: after an O, at the start of a text, or after another kind, an I- begins an entity.",
    {BEGINS: 'if not kind and tag.startswith("B-"):'},
    {FOUND: 'found.extend([(kind, start, place)] * (tags[start][0] == "B"))'},
    edit(
        {FOUND: 'found.extend([(kind, start, place)] * (tags[start][0] == "B" or not start))'},
        says="An I- that continues nothing begins no entity with you, but at the start of a text. Models predict such tags all the time, and here they count: after an O or after another kind, an I- begins an entity, too.",
    ),
    edit(
        {BEGINS: 'if not kind and tag != "O" and (tag[0] == "B" or (place and tags[place - 1] != "O")):'},
        says="An I- behind an O, or at the start of a text, begins no entity with you; the I- behind it does, one place late. Models predict such tags all the time, and here they count: the first I- begins the entity.",
    ),
    edit(
        {
            'kind, start = "", 0  # no entity is open': 'kind, start, ended = "", 0, False',
            ENDS: f"ended = False\n        {ENDS}",
            'kind = ""\n': 'kind, ended = "", True\n',
            BEGINS: 'if not kind and tag != "O" and (tag[0] == "B" or ended):',
        },
        says="An I- behind an O, or at the start of a text, begins no entity with you; behind another kind it does. Models predict such tags all the time, and here they all count.",
    ),
)

spans.mistake(
    "an I- that begins an entity has one token",
    "An entity that begins with an I- ends after one token with you, and the next I- begins another. It is an entity like any other, and goes on as long as I- of its kind follow: keep it open.",
    {ENDS: 'if kind and (tag != f"I-{kind}" or tags[start][0] == "I"):'},
)

spans.mistake(
    "O is a kind like any other",
    "Stretches of O come back as entities. O says that a token belongs to no entity: it ends what is open, and begins nothing.",
    {
        ENDS: 'if kind and tag != f"I-{kind}" and not (kind == tag == "O" and place < len(tags)):',
        BEGINS: "if not kind and place < len(tags):",
        OPEN: 'kind, start = tag[2:] or "O", place',
    },
    {
        ENDS: 'if kind and (tag != f"I-{kind}" or kind == "O"):',
        BEGINS: "if not kind and place < len(tags):",
        OPEN: 'kind, start = tag[2:] or "O", place',
    },
    *(
        edit(
            {
                "return found": f"return sorted([*found, *(({kind}, at, at + 1) for at, tag in enumerate(tags) if tag == 'O')], key=lambda one: one[1])"
            },
            says="Each O comes back as an entity of one token. O says that a token belongs to no entity: it ends what is open, and begins nothing. Ask for it first.",
        )
        for kind in ("''", "'O'")
    ),
)

spans.mistake(
    "from back to front",
    "Your entities are right, and the last comes first. They come in the order in which they stand in the text.",
    {"return found": "return found[::-1]"},
)

spans.mistake(
    "what ends an entity begins none",
    "A tag that ends an entity begins none. A B- behind an entity does both at one place, and so does an I- of another kind: after what ends, ask again whether something begins. Is it `elif` where it should be `if`, or is a place jumped over?",
    {
        'kind, start = "", 0  # no entity is open': 'kind, start, ended = "", 0, False',
        ENDS: f"ended = False\n        {ENDS}",
        'kind = ""\n': 'kind, ended = "", True\n',
        BEGINS: 'if not kind and tag != "O" and not ended:',
    },
)

spans.mistake(
    "an entity that has ended stays open",
    "An entity that has ended is still taken for open, so its end is noted again at later places, and none can begin behind it. Forget its kind where it ends.",
    {'            kind = ""\n': ""},
)

spans.mistake(
    "each tag begins an entity",
    "An entity begins at each of its tags, and all of these go to the same end. An I- that goes on with an entity begins none: go on behind the end of what was found.",
    {"return found": "return [(kind, at, end) for kind, start, end in found for at in range(start, end)]"},
)

spans.mistake(
    "two tokens at most",
    "An entity ends after two tokens, and what is left of it begins another. It goes on as long as I- of its kind follow: is it `if` where it should be `while`?",
    {ENDS: 'if kind and (place == start + 2 or tag != f"I-{kind}"):'},
)

spans.mistake(
    "the last tag is not read",
    "The last tag of a text is not read. An entity that ends there lacks a token, or is missing. Tags go from 0 to `len(tags) - 1`, and an entity may go to the end.",
    {PLACES: 'enumerate([*tags[:-1], "O"])'},
)

spans.mistake(
    "every entity ends with the text",
    "The end of all your entities is that of the text. An entity ends at the first tag that does not go on with it; only one that is still open at the last tag ends with the text.",
    {FOUND: "found.append((kind, start, len(tags)))"},
)

spans.mistake(
    "every entity begins at 0",
    "All your entities begin at place 0. Keep the place where an entity begins, together with its kind.",
    {OPEN: "kind = tag[2:]"},
)

spans.mistake(
    "an I- behind its B- begins another",
    "An I- right behind its B- begins another entity. The two *tags* differ and the *kinds* do not: an I- goes on with an entity of its own kind, whether B- or I- stands before it.",
    {ENDS: 'if kind and not (tag == f"I-{kind}" == tags[place - 1]):'},
)

spans.mistake(
    "B- goes on, and I- begins",
    "A B- goes on with an entity of its kind, and an I- begins another. It is the other way round: B- *begins*, and I- stands *inside*.",
    {ENDS: 'if kind and tag != f"B-{kind}":'},
)

spans.mistake(
    "entities of one token are lost",
    "Entities of one token are missing. A B- alone is an entity, from its place to the one behind it.",
    {FOUND: "found.extend([(kind, start, place)] * (place - start > 1))"},
    edit(
        {FOUND: "found.extend([(kind, start, place)] * (place - start == 1))"},
        says="Entities of several tokens are missing. An entity goes on as long as I- of its kind follow, and comes back as one.",
    ),
)

spans.mistake(
    "sorted by kind",
    "Your entities are sorted by their kinds. They come in the order in which they stand in the text.",
    {"return found": "return sorted(found)"},
)

spans.mistake(
    "an I- of another kind goes on",
    "An I- of another kind goes on with the entity that is open. So a place that turns into a time counts as one long place. Compare the kinds: only an I- of the same kind goes on.",
    {ENDS: 'if kind and not tag.startswith("I-"):'},
    edit(
        {ENDS: 'if kind and not tag.startswith("I-"):', FOUND: "found.append((tags[place - 1][2:], start, place))"},
        says="An I- of another kind goes on with the entity that is open, and the kind is that of the last tag. So a place that turns into a time counts as one long time. Compare the kinds: only an I- of the same kind goes on.",
    ),
)

spans.mistake(
    "an I- of another kind begins nothing",
    "An I- of another kind ends the entity that is open, and begins none. It does begin one, of its own kind, at this very place.",
    {BEGINS: 'if not kind and tag != "O" and not (tag[0] == "I" and place and tags[place - 1] != "O"):'},
    {
        'kind, start = "", 0  # no entity is open': 'kind, start, ended = "", 0, False',
        ENDS: f"ended = False\n        {ENDS}",
        'kind = ""\n': 'kind, ended = "", True\n',
        BEGINS: 'if not kind and tag != "O" and not (ended and tag[0] == "I"):',
    },
)

spans.mistake(
    "entities that touch are one",
    "Two entities of one kind that touch are found as one. A B- begins an entity also where another one is open: that is what B- is for.",
    {ENDS: "if kind and tag[2:] != kind:"},
)

spans.mistake(
    "a B- ends nothing",
    "A B- inside of an entity that is open is passed over, whatever its kind. It ends the entity that is open, and begins another.",
    {ENDS: 'if kind and tag[0] != "B" and tag != f"I-{kind}":'},
    edit(
        {ENDS: 'if kind and tag == "O":'},
        says="Only an O ends an entity with you. A B- ends the entity that is open, and begins another; so does an I- of another kind.",
    ),
    edit(
        {"return found": 'return [(kind, start, [*tags, "O"].index("O", start)) for kind, start, _ in found]'},
        says="An entity goes on to the next O, over all that begin in between, which come back as well. A B- ends the entity that is open, and so does an I- of another kind.",
    ),
)

spans.mistake(
    "O does not end an entity",
    "An O does not end the entity that is open; it goes on until the next one begins, O's included. What is outside of all entities belongs to none.",
    {ENDS: 'if kind and (tag[0] == "B" or tag not in ("O", f"I-{kind}") or place == len(tags)):'},
    {ENDS: 'if kind and (tag[0] == "B" or place == len(tags)):'},
    edit(
        {ENDS: 'if kind and tag != f"I-{kind}" and not (tag == "O" and place < len(tags) and tags[place - 1] != "O"):'},
        says="A single O does not end the entity that is open; only the second one does. What is outside of all entities belongs to none: the first O ends it.",
    ),
    edit(
        {
            "return found": """def stop(kind, start):
        end = start + 1
        while end < len(tags) and tags[end] in ("O", f"I-{kind}"):
            end += 1
        return end

    return [(kind, start, stop(kind, start)) for kind, start, _ in found]"""
        },
        says="An entity goes on over O's, as far as its own I- and O's follow, so that one entity may run over the next. The first O ends it: what is outside of all entities belongs to none.",
    ),
    edit(
        {
            "return found": "stops = [*(start for _, start, _ in found[1:]), len(tags)]\n    return [(kind, start, stop) for (kind, start, _), stop in zip(found, stops)]"
        },
        says="An entity goes on to where the next one begins, or to the end of the text, O's included. The first O ends it: what is outside of all entities belongs to none.",
    ),
)

spans.mistake(
    "an I- behind a gap goes on",
    "An I- goes on with the last entity of its kind, although O's stand between the two, which then belong to the entity. Only an I- right behind the entity goes on with it; this one begins another.",
    {
        FOUND: 'joins = bool(found) and tags[start][0] == "I" and found[-1][0] == kind and found[-1][2] < start\n            found[len(found) - joins :] = [(kind, found[-1][1] if joins else start, place)]'
    },
)

spans.mistake(
    "the end is inclusive",
    "Your ends are inclusive, the place of the last token. Here the end is exclusive, as in Python's slices: `tags[start:end]` is the entity.",
    {FOUND: "found.append((kind, start, place - 1))"},
    edit(
        {FOUND: "found.append((kind, start, place - (place < len(tags))))"},
        says="The end of an entity is the place of its last token, unless it ends with the text. The end is exclusive, as in Python's slices: `tags[start:end]` is the entity, wherever it stands.",
    ),
)

spans.mistake(
    "the end is one too far",
    "Your ends are one place too far: the token behind the entity is counted in. The end is the first place that no longer belongs to it.",
    {FOUND: "found.append((kind, start, place + 1))"},
)

spans.mistake(
    "the entity at the end is cut",
    "An entity that goes to the end of the text lacks its last token. Its end is `len(tags)`: the end is exclusive there as everywhere.",
    {FOUND: "found.append((kind, start, min(place, len(tags) - 1)))"},
)

spans.mistake(
    "the length instead of the end",
    "The third number is the length of the entity. What is asked for is its end, exclusive: start + length.",
    {FOUND: "found.append((kind, start, place - start))"},
)

spans.mistake(
    "each tag is an entity",
    "Each tag that is not O is an entity of its own. That counts tokens: an entity of three tokens counts three times. Tags that belong together make one entity.",
    {ENDS: "if kind:"},
)

spans.mistake(
    "only the first token",
    "Your entities have one token each, the first. An entity goes on as long as I- of its kind follow.",
    {FOUND: "found.append((kind, start, start + 1))"},
)

spans.mistake(
    "the prefix belongs to the kind",
    'Your kinds still have "B-" or "I-" in front. An entity that begins with I- would then be of another kind than one that begins with B-. The kind is what stands behind the first "-".',
    {ENDS: 'if kind and tag != f"I-{kind[2:]}":', OPEN: "kind, start = tag, place"},
    {FOUND: "found.append((tags[start], start, place))"},
    *(
        edit(
            {FOUND: f"found.append((f'{front}{{kind}}', start, place))"},
            says=f'Your kinds have "{front}" in front. The kind is what stands behind the first "-": `tag[2:]`.',
        )
        for front in ("-", "B-", "I-")
    ),
)

spans.mistake(
    "a kind with a dash is cut",
    'A kind that has a "-" in it is cut. It is all that stands behind the *first* "-": `tag[2:]`.',
    {
        OPEN: 'kind, start = tag.split("-")[-1], place',
        ENDS: 'if kind and (tag[0] != "I" or tag.split("-")[-1] != kind):',
    },
    {OPEN: 'kind, start = tag.split("-")[1], place', ENDS: 'if kind and (tag[0] != "I" or tag.split("-")[1] != kind):'},
    # The same, held against the whole of the tag: such an entity ends at once.
    {OPEN: 'kind, start = tag.split("-")[-1], place'},
    {OPEN: 'kind, start = tag.split("-")[1], place'},
    *({FOUND: f'found.append((kind.split("-")[{which}], start, place))'} for which in (0, -1)),
)

spans.mistake(
    "the letters of the kind are changed",
    "Your kinds are written in small letters, whatever they are in the tags. The kind is what stands behind the first dash, letter by letter.",
    {FOUND: "found.append((kind.lower(), start, place))"},
    edit(
        {FOUND: "found.append((kind.upper(), start, place))"},
        says="Your kinds are written in capitals, whatever they are in the tags. The kind is what stands behind the first dash, letter by letter.",
    ),
)

BARE = 'tag.lstrip("BI-")'

spans.mistake(
    "letters of the kind are cut off",
    "A kind that begins with B, I or a dash loses these letters: `lstrip` takes off every character that it is given, in any order, and no prefix. The kind is `tag[2:]`.",
    {OPEN: f"kind, start = {BARE}, place", ENDS: f'if kind and (tag[0] != "I" or {BARE} != kind):'},
    {OPEN: f"kind, start = {BARE}, place"},
    edit(
        {FOUND: "found.append((kind[0], start, place))"},
        says="Of each kind the first letter is left. The kind is all that stands behind the first dash: `tag[2:]`.",
    ),
)

spans.mistake(
    "an entity at place 0 counts as none",
    "Whether an entity is open is asked of its start, and a start of 0 counts as False. So an entity that begins the text is lost, or begins one place late. Ask `start is not None`.",
    {
        'kind, start = "", 0  # no entity is open': 'kind, start = "", None',
        ENDS: 'if start and tag != f"I-{kind}":',
        'kind = ""\n': "start = None\n",
        BEGINS: 'if not start and tag != "O":',
    },
    {
        'kind, start = "", 0  # no entity is open': 'kind, start = "", None',
        ENDS: 'if start is not None and tag != f"I-{kind}":',
        FOUND: f"{FOUND} if start else None",
        'kind = ""\n': "start = None\n",
        BEGINS: 'if start is None and tag != "O":',
    },
)

spans.mistake(
    "an entity is lost where another begins",
    "An entity that another one follows at once is missing. A B- ends what is open and begins another, and so does an I- of another kind: put what ends into the list first.",
    {FOUND: 'found.extend([(kind, start, place)] if tag == "O" else [])'},
    edit(
        {FOUND: 'found.extend([(kind, start, place)] if tag[0] != "I" else [])'},
        says="An entity that an I- of another kind follows at once is missing. That I- ends what is open and begins another, as a B- does: put what ends into the list first.",
    ),
)

spans.mistake(
    "the first tag that is alike",
    "The place of a tag is looked up by `index`, and that gives the first tag that is written so. The second entity of a kind then begins where the first does. Count the places as you go: `enumerate`.",
    {OPEN: "kind, start = tag[2:], tags.index(tag)"},
    {
        "return found": "return [(kind, first := tags.index(tags[start]), first + end - start) for kind, start, end in found]"
    },
    edit(
        {
            "return found": """ends = {}
    for _, start, end in found:
        ends.setdefault(tags[start], (start, end))
    return [(kind, *ends[tags[start]]) for kind, start, _ in found]"""
        },
        says="The place of a tag is looked up by `index`, and that gives the first tag that is written so. All entities of a kind are then the first one. Count the places as you go: `enumerate`.",
    ),
)

spans.mistake(
    "a list for each entity",
    "Each of your entities is a list. What is promised is a tuple, `(kind, start, end)`: a set holds tuples and no lists, and `span_f1` compares sets.",
    {FOUND: "found.append([kind, start, place])"},
)

spans.mistake(
    "no list comes back",
    "Your entities come back as a set. It knows no order, and the order of the text is asked for: return the list itself.",
    {"return found": "return set(found)"},
    edit(
        {"return found": "return (one for one in found)"},
        says="A generator comes back. It can be gone through once, and has no length. Make a list of it: `list(...)`, or square brackets.",
    ),
    edit(
        {"return found": "yield from found"},
        says="Your function is a generator: it has a `yield`. What comes back can be gone through once, and nothing runs before that, nor is the ValueError raised. Collect the entities in a list and return it.",
    ),
)

spans.mistake(
    "the tags are changed",
    'You put something into the tags that you were given, and whoever called has one tag more. They may also be a tuple, which cannot be changed. `[*tags, "O"]` makes a new list.',
    *(
        {'kind, start = "", 0  # no entity is open': f'kind, start = "", 0\n    {change}', PLACES: "enumerate(tags)"}
        for change in ('tags.append("O")', 'tags += ["O"]')
    ),
)

spans.mistake(
    "a tuple of tags is refused",
    'Your code adds a list to the tags, and that fails where they are a tuple. Any sequence of tags is to be read: `[*tags, "O"]` makes a list of either.',
    {PLACES: 'enumerate(tags + ["O"])'},
)

spans.mistake(
    "the kind is missing",
    "Your entities have a start and an end, and no kind. What is asked for is `(kind, start, end)`: of two kinds, the same place is not the same entity.",
    {FOUND: "found.append((start, place))"},
)

spans.mistake(
    "places are counted from 1",
    "Your places are counted from 1. Here the first token of a text has the place 0, and `tags[start:end]` is the entity.",
    {FOUND: "found.append((kind, start + 1, place + 1))"},
    edit(
        {FOUND: "found.append((kind, start + 1, place))"},
        says="Your places are counted from 1, and the end is that of the last token. Here the first token of a text has the place 0 and the end is exclusive: `tags[start:end]` is the entity.",
    ),
    edit(
        {FOUND: "found.append((kind, start + 1, place + (place < len(tags))))"},
        says="Your places are counted from 1, but for the end of an entity that ends with the text. Here the first token of a text has the place 0, and `tags[start:end]` is the entity.",
    ),
)

spans.mistake(
    "an I- that begins the text is ignored",
    "An I- at the start of a text begins no entity with you. Nothing stands before it that it could continue, so it begins one, as after an O.",
    {BEGINS: 'if not kind and tag != "O" and (place or tag[0] == "B"):'},
    {BEGINS: 'if not kind and tag != "O" and (tag[0] == "B" or tags[max(place - 1, 0)] != tag):'},
    {FOUND: 'found.extend([(kind, start, place)] * (start > 0 or tags[0][0] == "B"))'},
    *(
        edit(
            {BEGINS: f'if not kind and tag != "O" and (place or tag[0] == "B" or {other}):'},
            says=f"The first tag is compared with the last: `tags[-1]` is the end of a list, and no error. So an I- at the start of a text begins no entity where the text ends with the same {same}. Nothing stands before the first tag.",
        )
        for other, same in (("tags[-1][2:] != tag[2:]", "kind"), ("tags[-1] != tag", "tag"))
    ),
)

spans.mistake(
    "start and end first",
    "Your entities are (start, end, kind). The order is kind, start, end.",
    {FOUND: "found.append((start, place, kind))"},
    edit(
        {FOUND: "found.append((start, kind, place))"},
        says="Your entities are (start, kind, end). The order is kind, start, end.",
    ),
    edit(
        {FOUND: "found.append((kind, place, start))"},
        says="Your entities are (kind, end, start). The order is kind, start, end.",
    ),
)
