"""Wrong ways of reading entities off tags, and of measuring them."""

from autograder.checks.fine_tuning.entities import span_f1, spans
from autograder.probing.mistake import Way, edit

# spans ----------------------------------------------------------------------------

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

# span_f1 ----------------------------------------------------------------------------

SETS = "set(spans(target)), set(spans(prediction))"
BOTH = "len(wanted & found)"
MADE = "predicted += len(found)"
THERE = "there += len(wanted)"
F1 = "2 * right / (predicted + there) if predicted + there else 0.0"
SHARE = "2 * right / (predicted + there)"
START = "right = predicted = there = 0"
WHOLE = f"""for target, prediction in zip(targets, predictions, strict=True):
        wanted, found = {SETS}
        right += {BOTH}
        {MADE}
        {THERE}
"""

span_f1.mistake(
    "mean of the texts",
    "You take F1 of each text, and the mean of these. One entity in a short text then weighs as much as ten in a long one, and a text without entities counts 0. Add up over all texts, then divide once.",
    {
        START: "right = predicted = there = 0\n    each = []",
        THERE: "there += len(wanted)\n        each.append(2 * len(wanted & found) / max(1, len(wanted) + len(found)))",
        F1: "sum(each) / max(1, len(each))",
    },
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each += [2 * len(wanted & found) / (len(wanted) + len(found))] if wanted or found else []",
            F1: "sum(each) / max(1, len(each))",
        },
        says="You take F1 of each text, and the mean of these, without the texts in which there is no entity. One entity in a short text then weighs as much as ten in a long one. Add up over all texts, then divide once.",
    ),
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each += [2 * len(wanted & found) / (len(wanted) + len(found)) if wanted or found else 1.0]",
            F1: "sum(each) / max(1, len(each))",
        },
        says="You take F1 of each text, and the mean of these, and a text without an entity counts 1. One entity in a short text then weighs as much as ten in a long one, and texts where nothing is to be found lift the mean. Add up over all texts, then divide once.",
    ),
    edit(
        {
            START: "right = predicted = there = 0\n    each = []",
            THERE: "there += len(wanted)\n        each.append((len(wanted & found) / max(1, len(found)), len(wanted & found) / max(1, len(wanted))))",
            F1: "(lambda p, r: 2 * p * r / (p + r) if p + r else 0.0)(*(sum(one) / len(each) for one in zip(*each))) if each else 0.0",
        },
        says="You take precision and recall of each text, and F1 of their means. One entity in a short text then weighs as much as ten in a long one. Add up over all texts, then divide once.",
    ),
)

span_f1.mistake(
    "texts are mixed up",
    "A span found in one text counts as right because another text has it at the same place. A span is a kind and two places *of its text*: compare text by text, or keep the number of the text with it.",
    {
        WHOLE: """wanted = {one for target in targets for one in spans(target)}
    found = {one for prediction in predictions for one in spans(prediction)}
    right, predicted, there = len(wanted & found), len(found), len(wanted)
"""
    },
    {
        WHOLE: """wanted = [one for target in targets for one in spans(target)]
    found = [one for prediction in predictions for one in spans(prediction)]
    right, predicted, there = sum(one in wanted for one in found), len(found), len(wanted)
"""
    },
    {
        WHOLE: """wanted = [one for target in targets for one in spans(target)]
    found = [one for prediction in predictions for one in spans(prediction)]
    right, predicted, there = len(set(wanted) & set(found)), len(found), len(wanted)
"""
    },
)

span_f1.mistake(
    "texts run into one another",
    "The texts are put behind one another before the spans are read. Where one ends in an entity and the next begins with an I-, two entities become one. Read the spans text by text.",
    {
        WHOLE: """wanted = set(spans([tag for target in targets for tag in target]))
    found = set(spans([tag for prediction in predictions for tag in prediction]))
    right, predicted, there = len(wanted & found), len(found), len(wanted)
"""
    },
)

span_f1.mistake(
    "F1 of tokens",
    "Your number counts tokens, not entities. Half of an entity is then half right, and a long entity counts more than a short one. An entity is found, with its kind and both its ends, or it is not.",
    {
        SETS: "({i: t for i, t in enumerate(target) if t != 'O'}.items()), ({i: t for i, t in enumerate(prediction) if t != 'O'}.items())"
    },
    {
        SETS: "{(i, t[2:]) for i, t in enumerate(target) if t != 'O'}, {(i, t[2:]) for i, t in enumerate(prediction) if t != 'O'}"
    },
    *(
        edit(
            {
                F1: "(lambda names: precision_recall_f1(*(torch.tensor([names.index(t) for row in rows for t in row]) for rows in (targets, predictions)), len(names), 'AVERAGE')[2])(sorted({t for row in [*targets, *predictions] for t in row})) if predicted + there else 0.0".replace(
                    "AVERAGE", average
                )
            },
            says=f"Your number is {average} F1 over the tags of all tokens. Half of an entity is then half right, and O is a class like any other. An entity is found, with its kind and both of its ends, or it is not.",
        )
        for average in ("macro", "micro", "weighted")
    ),
)

span_f1.mistake(
    "O counts too",
    "Your number counts tokens, and O is one of the things to be found. Most tokens are O, so a tagger that finds nothing gets a wonderful number. Only entities count.",
    {SETS: "set(enumerate(target)), set(enumerate(prediction))"},
    edit(
        {
            SETS: "set(spans(target)) | {i for i, t in enumerate(target) if t == 'O'}, set(spans(prediction)) | {i for i, t in enumerate(prediction) if t == 'O'}"
        },
        says="Each O is one of the things to be found. Most tokens are O, so a tagger that finds nothing gets a wonderful number. Only entities count.",
    ),
)


def loosely(part: str, what: str) -> Way:
    """Right is what is alike in a part, and missed is what is not alike as a whole."""
    loose = f"sum(one[{part}] in [other[{part}] for other in wanted] for one in found)"
    return edit(
        {BOTH: loose, THERE: f"there += len(wanted) - len(wanted & found) + {loose}"},
        says=f"A predicted entity counts as right {what}, and only where you look for what was missed do you compare it as a whole. Kind, start and end have to be right, in both places.",
    )


span_f1.mistake(
    "the kind is not compared",
    "An entity counts as right whatever its kind. Start and end are not all: kind, start and end have to be right.",
    {SETS: "{one[1:] for one in spans(target)}, {one[1:] for one in spans(prediction)}"},
    loosely("1:", "whatever its kind"),
    edit(
        {SETS: "({*spans([t if t == 'O' else f'{t[:2]}x' for t in row])} for row in (target, prediction))"},
        says="Kinds are taken off the tags before the spans are read. An entity then counts as right whatever its kind, and an I- of another kind goes on with what is open. Kind, start and end have to be right.",
    ),
)

span_f1.mistake(
    "the end is not compared",
    "An entity counts as right wherever it ends. Kind, start and end have to be right: half of a name is not the name.",
    {SETS: "{one[:2] for one in spans(target)}, {one[:2] for one in spans(prediction)}"},
    loosely(":2", "wherever it ends"),
)

span_f1.mistake(
    "the start is not compared",
    "An entity counts as right wherever it begins. Kind, start and end have to be right: half of a name is not the name.",
    {SETS: "{(one[0], one[2]) for one in spans(target)}, {(one[0], one[2]) for one in spans(prediction)}"},
    loosely("::2", "wherever it begins"),
)

span_f1.mistake(
    "an overlap is enough",
    "An entity counts as right as soon as it shares a token with one of its kind. Kind, start and end have to be right: half of a name is not the name.",
    {BOTH: "sum(any(k == kind and s < end and start < e for k, s, e in wanted) for kind, start, end in found)"},
    {BOTH: "sum(any(k == kind and s < end and start < e for k, s, e in found) for kind, start, end in wanted)"},
    {
        BOTH: "(hits := sum(any(k == kind and s < end and start < e for k, s, e in wanted) for kind, start, end in found))",
        THERE: "there += hits + sum(not any(k == kind and s < end and start < e for k, s, e in found) for kind, start, end in wanted)",
    },
    edit(
        {BOTH: "sum(any(s < end and start < e for _, s, e in wanted) for _, start, end in found)"},
        says="An entity counts as right as soon as it shares a token with another one, whatever the kinds. Kind, start and end have to be right: half of a name is not the name.",
    ),
)

span_f1.mistake(
    "the tags of an entity are compared",
    "An entity counts as right where the predicted tags at its places are the right ones. A prediction that goes on behind it then passes, and one that begins with an I- does not. `spans` of both say what is an entity: compare these.",
    {BOTH: "sum(list(target[a:b]) == list(prediction[a:b]) for _, a, b in wanted)"},
    edit(
        {BOTH: "sum(list(target[a:b]) == list(prediction[a:b]) for _, a, b in found)"},
        says="A predicted entity counts as right where the tags at its places are the right ones. An entity of which it has only the first tokens then passes, and one that begins with an I- does not. `spans` of both say what is an entity: compare these.",
    ),
)

span_f1.mistake(
    "recall instead of F1",
    "Your number is recall: how many of the entities that are there were found. Whoever predicts very many finds most. F1 looks at what was predicted, too: 2 · right / (predicted + there).",
    {F1: "right / there if there else 0.0"},
    {"(predicted + there) if": "max(1, there + there) if"},
)

span_f1.mistake(
    "precision instead of F1",
    "Your number is precision: how many of the predicted entities are right. Whoever predicts a single one, a safe one, gets 1. F1 looks at what is there, too: 2 · right / (predicted + there).",
    {F1: "right / predicted if predicted else 0.0"},
    {"(predicted + there) if": "max(1, predicted + predicted) if"},
)

span_f1.mistake(
    "the arithmetic mean for F1",
    "Your number is the arithmetic mean of precision and recall. F1 is the harmonic mean, which is near the smaller of the two: 2 · right / (predicted + there).",
    {SHARE: "(right / max(1, predicted) + right / max(1, there)) / 2"},
)

span_f1.mistake(
    "F1 without the 2",
    "Your number is half of F1: the 2 is missing. Where all is right, right / (predicted + there) is one half.",
    {"2 * right": "right"},
)

span_f1.mistake(
    "Jaccard for F1",
    "Your number is right / (predicted + there - right), the Jaccard index: the share of what is in both among what is in either. F1 is 2 · right / (predicted + there).",
    {F1: "right / (predicted + there - right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "the geometric mean for F1",
    "Your number is the root of precision times recall, their geometric mean. F1 is the harmonic mean: 2 · right / (predicted + there).",
    {SHARE: "(right / max(1, predicted) * right / max(1, there)) ** 0.5"},
)

span_f1.mistake(
    "a percentage",
    "Your number is a hundred times as large. Papers print it so; F1 is a share, between 0 and 1.",
    {F1: F1.replace("2 *", "200 *")},
)

span_f1.mistake(
    "the last text alone",
    "What comes back is of the last text alone. Each text replaces what was counted before it: add up, `+=`, and begin at 0 in front of the loop.",
    {
        "right += len(wanted & found)": "right = len(wanted & found)",
        "predicted += len(found)": "predicted = len(found)",
        THERE: "there = len(wanted)",
    },
    {
        START: "",
        "right += len(wanted & found)": "right = len(wanted & found)",
        "predicted += len(found)": "predicted = len(found)",
        THERE: "there = len(wanted)",
    },
    edit(
        {THERE: f"{THERE}\n        break"},
        says="What comes back is of the first text alone. Does something return, or end the loop, inside of it?",
    ),
    edit(
        {THERE: f"{THERE}\n        return {F1}"},
        says="What comes back is of the first text alone. Does something return, or end the loop, inside of it?",
    ),
    edit(
        {THERE: f"{THERE}\n        return {F1}", f"    return {F1}": "    return None"},
        says="What comes back is of the first text alone: the function returns inside the loop. Return behind it, where all texts are added up.",
    ),
)

span_f1.mistake(
    "entities are compared in step",
    "You compare the first entity with the first, the second with the second. Where one is missed, all behind it stand beside another and count as wrong. An entity is right if it is among those that are there.",
    {BOTH: "sum(one == other for one, other in zip(spans(target), spans(prediction)))"},
)

span_f1.mistake(
    "texts are passed over",
    "A text in which there is no entity is passed over. What was predicted there is wrong, and counts below the line.",
    {"predicted += len(found)": "predicted += len(found) if wanted else 0"},
    edit(
        {THERE: "there += len(wanted) if found else 0"},
        says="A text in which nothing was predicted is passed over. What is there was missed, and counts below the line.",
    ),
    edit(
        {
            "predicted += len(found)": "predicted += len(found) if wanted else 0",
            THERE: "there += len(wanted) if found else 0",
        },
        says="A text in which there is no entity, or none was predicted, is passed over. What is predicted and not there is wrong, what is there and not predicted was missed, and both count below the line.",
    ),
    {SETS: f"{SETS}\n        if not wanted:\n            continue"},
    edit(
        {SETS: f"{SETS}\n        if not found:\n            continue"},
        says="A text in which nothing was predicted is passed over. What is there was missed, and counts below the line.",
    ),
)

span_f1.mistake(
    "1 where no entity is",
    "Where no entity is there and none was predicted, your result is 1. By convention it is 0 here: nothing was shown.",
    {"else 0.0": "else 1.0"},
)

span_f1.mistake(
    "NaN where no entity is",
    "Where no entity is there and none was predicted, your result is NaN. By convention it is 0 here. Ask before you divide.",
    {"else 0.0": "else float('nan')"},
)

span_f1.mistake(
    "no number where no entity is",
    "Where no entity is there and none was predicted, you divide by zero. By convention F1 is 0 there. Ask before you divide.",
    {F1: "2 * right / (predicted + there)"},
    edit(
        {F1: "(lambda p, r: 2 * p * r / (p + r))(right / predicted, right / there)"},
        says="Where nothing was predicted, where nothing is there, or where nothing is right, you divide by zero. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
    edit(
        {F1: "(lambda p, r: 2 * p * r / (p + r) if p + r else 0.0)(right / predicted, right / there)"},
        says="Where nothing was predicted, or nothing is there, you divide by zero. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
    edit(
        {
            F1: "(lambda p, r: 2 * p * r / (p + r))(right / predicted if predicted else 0.0, right / there if there else 0.0)"
        },
        says="Where nothing is right, precision and recall are 0, and you divide by their sum. By convention F1 is 0 there, and 2 · right / (predicted + there) needs a single question.",
    ),
)

span_f1.mistake(
    "the targets against themselves",
    "The targets are compared with themselves, so everything is right. The spans of one of the two are read twice: those of `prediction` have to be compared with those of `target`.",
    {SETS: "set(spans(target)), set(spans(target))"},
    edit(
        {SETS: "set(spans(prediction)), set(spans(prediction))"},
        says="The predictions are compared with themselves, so everything is right. The spans of one of the two are read twice: those of `prediction` have to be compared with those of `target`.",
    ),
)

span_f1.mistake(
    "a predicted I- without its B- does not count",
    "A predicted entity that begins with an I- does not count. By the convention of `spans` it is an entity, and right or wrong like any other.",
    {SETS: "set(spans(target)), {one for one in spans(prediction) if prediction[one[1]][0] == 'B'}"},
    edit(
        {
            SETS: "{one for one in spans(target) if target[one[1]][0] == 'B'}, {one for one in spans(prediction) if prediction[one[1]][0] == 'B'}"
        },
        says="An entity that begins with an I- does not count, whether it is there or was predicted. By the convention of `spans` it is an entity, and right or wrong like any other.",
    ),
    edit(
        {
            MADE: "predicted += sum(tag[0] == 'B' for tag in prediction)",
            THERE: "there += sum(tag[0] == 'B' for tag in target)",
        },
        says="Below the line you count each `B-`, so that an entity that begins with an I- is missing there. By the convention of `spans` it is one: count what `spans` gives.",
    ),
)

span_f1.mistake(
    "mean over the kinds",
    "You take F1 of each kind, and the mean of these. That is macro F1, where a rare kind counts as much as a frequent one. Here all entities count alike, whatever their kind: add up, then divide once.",
    {
        F1: "(lambda kinds: sum(span_f1(*([[t if t[2:] == k else 'O' for t in row] for row in rows] for rows in (targets, predictions))) for k in kinds) / max(1, len(kinds)) if len(kinds) > 1 else 2 * right / (predicted + there) if predicted + there else 0.0)(sorted({t[2:] for rows in (targets, predictions) for row in rows for t in row if t != 'O'}))"
    },
)

ONE_BY_ONE = {SETS: "{{one[{0}] for one in spans(target)}}, {{one[{0}] for one in spans(prediction)}}"}

span_f1.mistake(
    "one of the three is compared alone",
    "You compare where an entity begins, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    {SETS: ONE_BY_ONE[SETS].format(1)},
    edit(
        {SETS: ONE_BY_ONE[SETS].format(2)},
        says="You compare where an entity ends, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    ),
    edit(
        {SETS: ONE_BY_ONE[SETS].format(0)},
        says="You compare which kinds of entity occur in a text, and nothing else. An entity is right if its kind, its start *and* its end are: compare the whole of what `spans` gives.",
    ),
    loosely("1:2", "as soon as it begins where one that is there does"),
)

span_f1.mistake(
    "the product for F1",
    "Your F1 is precision times recall: a step of it is left out. The harmonic mean of p and r is 2·p·r / (p + r), or 2 · right / (predicted + there).",
    {SHARE: "right / max(predicted, 1) * right / max(there, 1)"},
)

span_f1.mistake(
    "a text is lost",
    "The last text is missing. What stands in it counts like everything else.",
    {"zip(targets, predictions, strict=True)": "zip(targets[:-1], predictions[:-1], strict=True)"},
    edit(
        {"zip(targets, predictions, strict=True)": "zip(targets[1:], predictions[1:], strict=True)"},
        says="The first text is missing. What stands in it counts like everything else.",
    ),
)

span_f1.mistake(
    "right of the last text alone",
    "What is right is counted in the last text alone, and the two other sums go over all. Each of the three is added up: `+=`.",
    {f"right += {BOTH}": f"right = {BOTH}"},
)

span_f1.mistake(
    "right is what either has",
    "You count as right what is there *or* was predicted. Right is what is both: `wanted & found`.",
    {BOTH: "len(wanted | found)"},
    edit(
        {BOTH: "len(wanted ^ found)"},
        says="You count as right what is there or was predicted, but not both: that is all that is wrong. Right is what is both: `wanted & found`.",
    ),
    edit(
        {BOTH: "len(wanted)"},
        says="You count as right all that is there, whatever was predicted. Right is what is both: `wanted & found`.",
    ),
    edit(
        {BOTH: "len(found)"},
        says="You count as right all that was predicted, whatever is there. Right is what is both: `wanted & found`.",
    ),
)

span_f1.mistake(
    "one kind of error does not count",
    "What is there and was not found does not count. An entity that is missed lowers recall: below the line stand all that were predicted *and* all that are there.",
    {F1: "2 * right / (predicted + right) if predicted + right else 0.0"},
    edit(
        {F1: "2 * right / (there + right) if there + right else 0.0"},
        says="What was predicted and is not there does not count. An entity too many lowers precision: below the line stand all that were predicted *and* all that are there.",
    ),
    *(
        edit(
            {"(predicted + there) if": f"max(1, 2 * {which}(predicted, there)) if"},
            says=f"Below the line stands twice the {size} of what was predicted and what is there: the {other} of precision and recall. F1 has the sum of the two below the line.",
        )
        for which, size, other in (("max", "larger", "smaller"), ("min", "smaller", "larger"))
    ),
    edit(
        {MADE: f"predicted += {BOTH}"},
        says="What was predicted and is not there does not count. An entity too many lowers precision: below the line stand all that were predicted *and* all that are there.",
    ),
    {THERE: f"there += {BOTH}"},
)

span_f1.mistake(
    "what is right counts as an error too",
    "What is right stands once more below the line, as missed or as wrong. Missed is what is there and was *not* predicted, wrong what was predicted and is *not* there.",
    {F1: "2 * right / (predicted + there + right) if predicted + there else 0.0"},
    {F1: "2 * right / (predicted + there + 2 * right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "below the line stands one of the two alone",
    "What was predicted is not counted below the line, so that 1 is not the best any more: where all is right, your number is 2. Below the line stand all that were predicted *and* all that are there.",
    {MADE: "predicted += 0"},
    edit(
        {THERE: "there += 0"},
        says="What is there is not counted below the line, so that 1 is not the best any more: where all is right, your number is 2. Below the line stand all that were predicted *and* all that are there.",
    ),
)

span_f1.mistake(
    "one less F1",
    "Your number is 1 less F1: it is small where much is right.",
    {F1: "1 - 2 * right / (predicted + there) if predicted + there else 0.0"},
)

span_f1.mistake(
    "what is right counts twice",
    "What is right is counted where you go through the predicted entities and again where you go through those that are there. Count it in one of the two loops.",
    {F1: "4 * right / (predicted + there + 2 * right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "three numbers come back",
    "Precision, recall and F1 come back. What is promised is F1 alone, one number.",
    {F1: f"right / max(1, predicted), right / max(1, there), {F1}"},
    *(
        {F1: f"(right / predicted, right / there, {F1}) if {asked} else 0.0"}
        for asked in ("right", "predicted and there")
    ),
    {F1: f"(right / max(1, predicted), right / max(1, there), {F1}) if predicted + there else 0.0"},
)

span_f1.mistake(
    "right once below the line",
    "Above the line stands twice what is right, and below it what is right only once, beside what is wrong and what is missed. It counts twice there too: as predicted, and as there.",
    {F1: "2 * right / (predicted + there - right) if predicted + there else 0.0"},
)

span_f1.mistake(
    "rounded",
    "Your F1 is rounded. Round where you print: what is rounded cannot be compared any more.",
    {F1: "round(2 * right / (predicted + there), 2) if predicted + there else 0.0"},
    {F1: "round(2 * right / (predicted + there), 3) if predicted + there else 0.0"},
)

span_f1.mistake(
    "a tensor for a number",
    "Your result is a tensor. What is promised is a number of Python's, a float.",
    {F1: f"__import__('torch').tensor({F1})"},
    {F1: "__import__('torch').tensor(2 * right / (predicted + there)) if predicted + there else 0.0"},
)

span_f1.mistake(
    "divided without a rest",
    "Your F1 is 0 or 1: it is divided as whole numbers, `//`, and what is left over is lost. Divide by `/`.",
    {F1: "2 * right // (predicted + there) if predicted + there else 0"},
)

span_f1.mistake(
    "whole texts are compared",
    "You count texts in which everything is right. One error in a long text then costs all that was found in it. Count entities.",
    {BOTH: "(wanted == found)", MADE: "predicted += 1", THERE: "there += 1"},
    edit(
        {BOTH: "(wanted == found)"},
        says="What is right goes up by 1 for a text in which everything is right, and by nothing for any other. Right is a number of entities: `len(wanted & found)`.",
    ),
)

span_f1.mistake(
    "only B- is compared",
    "You compare where a `B-` stands. Where an entity ends and of which kind it is does not count then, and an `I-` without its `B-` is no entity. `spans` says all three.",
    {
        SETS: "{place for place, tag in enumerate(target) if tag[0] == 'B'}, {place for place, tag in enumerate(prediction) if tag[0] == 'B'}"
    },
    edit(
        {
            SETS: "{(place, tag) for place, tag in enumerate(target) if tag[0] == 'B'}, {(place, tag) for place, tag in enumerate(prediction) if tag[0] == 'B'}"
        },
        says="You compare where a `B-` stands, and its kind. Where an entity ends does not count then, and an `I-` without its `B-` is no entity. `spans` says all three.",
    ),
)
