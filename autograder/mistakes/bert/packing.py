"""Wrong ways of packing texts."""

from autograder.checks.bert import pack_pair
from autograder.probing.mistake import edit

COPIES = "kept, behind = list(first), list(second or ())"
CUT = """while len(kept) + len(behind) + needed > max_len:
        (kept if len(kept) > len(behind) else behind).pop()"""
LONGER = "(kept if len(kept) > len(behind) else behind).pop()"
OVER = "len(kept) + len(behind) + needed > max_len:"
IDS = "ids = [cls_id, *kept, sep_id]"
FIRST = "segments = [0] * len(ids)"
THERE = "if second is not None:"
MORE = "ids += [*behind, sep_id]"
SECOND = "segments += [1] * (len(behind) + 1)"
RETURN = "return ids, segments"

pack_pair.mistake(
    "the last [SEP] is missing",
    "Behind the second text there is no [SEP]. Each text is closed by one, so a row of two texts has two of them. Add it after the second text, with its segment.",
    {MORE: "ids += behind", SECOND: "segments += [1] * len(behind)"},
    edit(
        {
            OVER: "len(kept) + len(behind) + 2 > max_len:",
            MORE: "ids += behind",
            SECOND: "segments += [1] * len(behind)",
        },
        says="A row of two texts ends without a [SEP], and there is room for one token more. Each text is closed by a [SEP]; three places of a row belong to special tokens.",
    ),
    edit(
        {RETURN: "return ids[:-1], segments[:-1]"},
        says="No row ends with a [SEP], neither one of two texts nor one of a text alone. Each text is closed by one: add it as the last token, with the segment of its text.",
    ),
    edit(
        {OVER: "len(kept) + len(behind) + needed - 1 > max_len:", RETURN: "return ids[:-1], segments[:-1]"},
        says="No row ends with a [SEP], and there is room for one token more. Each text is closed by one, which takes a place: two places of a text alone belong to special tokens, three of a pair.",
    ),
    edit(
        {IDS: "ids = [cls_id, *kept, sep_id] if second is not None else [cls_id, *kept]"},
        says="Behind a text alone there is no [SEP]. Each text is closed by one: [CLS] first [SEP].",
    ),
)

pack_pair.mistake(
    "the last [SEP] is cut off",
    "A row that is too long loses its end, the last [SEP] included. Cut the texts first, and put the special tokens around what is left: they are never cut.",
    {CUT: "pass", RETURN: "return ids[:max_len], segments[:max_len]"},
    *(
        edit(
            {
                OVER: f"len(kept) + len(behind) + {counted} > max_len:",
                RETURN: "return ids[:max_len], segments[:max_len]",
            },
            says="The last [SEP] is cut off: the texts are shortened too little, as not every special token is counted, and what is then too long loses its end. Cut the texts first, and count [CLS] and each [SEP]; they are never cut.",
        )
        for counted in (0, 1, 2, "needed - 1")
    ),
    edit(
        {
            OVER: "second is None and len(kept) + len(behind) + needed > max_len:",
            RETURN: "return ids[:max_len], segments[:max_len]",
        },
        says="A row of two texts that is too long loses its end, the last [SEP] included. Cut the texts first, and put the special tokens around what is left: they are never cut.",
    ),
    *(
        edit(
            {
                CUT: "pass",
                RETURN: f"""left, right = ids[: len(kept) + 2], ids[len(kept) + 2 :]
    while len(left) + len(right) > max_len:
        (left if len(left){less} > len(right) else right).pop()
    return left + right, [0] * len(left) + [1] * len(right)""",
            },
            says="You shorten the texts when their [SEP]s are there already, so that the [SEP]s come off first. Cut the texts before, and put the special tokens around what is left: they are never cut.",
        )
        for less in (" - 1", "")
    ),
)

pack_pair.mistake(
    "the row is cut at its end",
    "A row that is too long is cut at its end, whichever text is the longer one. A short second text is then lost, and of a long first text nothing. Each token comes off the text that is longer at that moment.",
    {
        CUT: "pass",
        RETURN: "ids, segments = ids[:max_len], segments[:max_len]\n    ids[-1] = sep_id\n    return ids, segments",
    },
    {
        CUT: "pass",
        RETURN: "over = max(0, len(ids) - max_len)\n    at = len(ids) - 1 - over\n    return ids[:at] + ids[-1:], segments[:at] + segments[-1:]",
    },
)

pack_pair.mistake(
    "only the second text is shortened",
    "Only the second text loses tokens. A long first text leaves nothing of it, or does not fit at all. Each token comes off the text that is longer at that moment.",
    {LONGER: "behind.pop()"},
    {LONGER: "(behind or kept).pop()"},
    {CUT: "behind = behind[: max(0, max_len - needed - len(kept))]"},
    {CUT: "behind = behind[: max_len - needed - len(kept)]"},
)

pack_pair.mistake(
    "only the first text is shortened",
    "The first text loses tokens even where the second is the longer one. Each token comes off the text that is longer at that moment.",
    {LONGER: "(kept or behind).pop()"},
    {LONGER: "kept.pop()"},
    {CUT: "kept = kept[: max(0, max_len - needed - len(behind))]"},
)

pack_pair.mistake(
    "the shorter text is shortened",
    "The *shorter* text loses tokens. It has less to lose, and soon nothing is left of it. Turn the comparison round: the longer one loses its last token.",
    {LONGER: "(kept if 0 < len(kept) < len(behind) or not behind else behind).pop()"},
    {LONGER: "(kept if len(kept) < len(behind) else behind).pop()"},
    {LONGER: "(kept if len(kept) <= len(behind) else behind).pop()"},
    {LONGER: "(kept if 0 < len(kept) <= len(behind) or not behind else behind).pop()"},
    {LONGER: "(kept if second is None or len(kept) <= len(behind) else behind).pop()"},
    {LONGER: "(kept if second is None or len(kept) < len(behind) else behind).pop()"},
)

pack_pair.mistake(
    "cut from the front",
    "A text that is too long loses its *first* tokens. It should lose its last ones: `pop()` takes off the end.",
    {LONGER: "(kept if len(kept) > len(behind) else behind).pop(0)"},
    edit(
        {LONGER: "behind.pop() if len(behind) >= len(kept) else kept.pop(0)"},
        says="The first text loses its *first* tokens where it is too long. It should lose its last ones: `pop()` takes off the end.",
    ),
    edit(
        {LONGER: "kept.pop() if len(kept) > len(behind) else behind.pop(0)"},
        says="The second text loses its *first* tokens where it is too long. It should lose its last ones: `pop()` takes off the end.",
    ),
    edit(
        {LONGER: "kept.pop(0) if second is None else (kept if len(kept) > len(behind) else behind).pop()"},
        says="A text alone loses its *first* tokens where it is too long. It should lose its last ones: `first[:room]` keeps the start.",
    ),
    edit(
        {IDS: f"if second is None:\n        kept = list(first)[needed - max_len :]\n    {IDS}"},
        says="A text alone loses its *first* tokens where it is too long, and none where no place is left for it. It should lose its last ones: `first[:room]` keeps the start.",
    ),
    edit(
        {LONGER: "longer = kept if len(kept) > len(behind) else behind\n        longer.remove(longer[-1])"},
        says="You take a token away by `remove`, which finds the first one that is equal. Where a token stands twice, that is not the last. `pop()` takes off the end.",
    ),
)

pack_pair.mistake(
    "the texts lose tokens by turns",
    "The two texts lose their tokens by turns, also while one is longer than the other. A short text is cut although the other has tokens to spare. Compare their lengths each time: the longer one loses its last token.",
    {
        CUT: """turn = 0
    while len(kept) + len(behind) + needed > max_len:
        (kept if kept and (turn % 2 == 0 or not behind) else behind).pop()
        turn += 1"""
    },
    {
        CUT: """turn = 1
    while len(kept) + len(behind) + needed > max_len:
        (kept if kept and (turn % 2 == 0 or not behind) else behind).pop()
        turn += 1"""
    },
)

pack_pair.mistake(
    "a text alone is not cut",
    "A text alone is not cut, however long it is. max_len holds for a row of one text too: it has two special tokens, and all others are the text's.",
    {OVER: "second is not None and len(kept) + len(behind) + needed > max_len:"},
)

pack_pair.mistake(
    "of two equally long texts the first is shortened",
    "Where both texts are equally long, your first one loses a token. Here the second does: the first is shortened only where it is longer, `>` and not `>=`.",
    {LONGER: "(kept if len(kept) >= len(behind) else behind).pop()"},
)

pack_pair.mistake(
    "one text loses all that is too much",
    "All that is too much comes off one text. Longest at the start, it can end much shorter than the other. Take off one token at a time, and compare the two anew each time.",
    {
        CUT: """over = max(0, len(kept) + len(behind) + needed - max_len)
    if len(kept) > len(behind):
        kept = kept[: max(0, len(kept) - over)]
    else:
        behind = behind[: max(0, len(behind) - over)]"""
    },
    {
        CUT: """over = len(kept) + len(behind) + needed - max_len
    if over > 0:
        if len(kept) > len(behind):
            kept = kept[: len(kept) - over]
        else:
            behind = behind[: len(behind) - over]"""
    },
    {
        CUT: """loser = kept if len(kept) > len(behind) else behind
    while len(kept) + len(behind) + needed > max_len:
        loser.pop()"""
    },
    edit(
        {
            CUT: """even = min(len(kept), len(behind))
    while len(kept) + len(behind) + needed > max_len:
        (kept if len(kept) > even or not behind else behind).pop()"""
        },
        says="Once both texts are equally long, the second loses all that is still too much. From there on they lose tokens by turns: compare their lengths anew each time.",
    ),
)

pack_pair.mistake(
    "each text gets one half",
    "Each text gets one half of the row, although the other one does not fill its own. Places stay empty while tokens are thrown away. Only what does not fit in all is taken off.",
    {CUT: "kept, behind = kept[: (max_len - needed + 1) // 2], behind[: (max_len - needed) // 2]"},
    {CUT: "kept, behind = kept[: (max_len - needed) // 2], behind[: (max_len - needed) // 2]"},
    {
        CUT: """if second is None:
        kept = kept[: max_len - needed]
    else:
        kept, behind = kept[: (max_len - needed + 1) // 2], behind[: (max_len - needed) // 2]"""
    },
    {
        CUT: """if second is None:
        kept = kept[: max_len - needed]
    else:
        kept, behind = kept[: (max_len - needed) // 2], behind[: (max_len - needed) // 2]"""
    },
)

pack_pair.mistake(
    "each text is cut to one half",
    "Where the row is too long, each text is cut to one half of it, although the other one may not fill its own. Places stay empty while tokens are thrown away. Take off one token at a time, from the text that is longer at that moment.",
    *(
        {
            CUT: f"""room = max_len - needed
    if {also}len(kept) + len(behind) > room:
        kept, behind = kept[: {half}], behind[: room // 2]
    kept = kept[:room]"""
        }
        for also in ("", "second is not None and ")
        for half in ("room - room // 2", "room // 2")
    ),
)

pack_pair.mistake(
    "the first text gets half the row at most",
    "The first text is cut to half of the row, also where the second one is short. What the second one does not need is the first one's: take off one token at a time, from the text that is longer at that moment.",
    *(
        {
            CUT: f"""room = max_len - needed
    if len(kept) + len(behind) > room:
        kept = kept[:{half}]
        behind = behind[: room - len(kept)]"""
        }
        for half in ("room // 2", "(room + 1) // 2")
    ),
)

pack_pair.mistake(
    "both texts lose a token at a time",
    "Both texts lose a token at the same time. A short text is cut although the other is the longer one, and a row can end with a free place. One token comes off, of the longer text.",
    {LONGER: "kept, behind = (kept[:-1], behind[:-1]) if kept or behind else [][0]"},
    edit(
        {
            LONGER: "tie = len(kept) == len(behind)\n        (kept if len(kept) > len(behind) else behind).pop()\n        if tie and kept:\n            kept.pop()"
        },
        says="Where both texts are equally long, both lose a token. A row can then end with a free place. Of two equally long ones the second loses a token, and then their lengths are compared again.",
    ),
)

pack_pair.mistake(
    "special tokens are not counted",
    "Your rows are longer than max_len: you count the tokens of the texts, and not [CLS] and [SEP]. max_len holds for the whole row.",
    {OVER: "len(kept) + len(behind) > max_len:"},
    edit(
        {OVER: "len(kept) + len(behind) + 1 > max_len:"},
        says="Your rows are longer than max_len: of the special tokens you count one. [CLS] and each [SEP] take a place.",
    ),
    edit(
        {OVER: "len(kept) + len(behind) + (0 if second is None else 3) > max_len:"},
        says="A row of one text is longer than max_len: you count the tokens of the text, and not [CLS] and [SEP]. max_len holds for the whole row.",
    ),
)

pack_pair.mistake(
    "a place too many is kept free",
    "A text loses a token too many, so that a place stays empty. A row may have max_len tokens: go on cutting while there are *more* than that.",
    {OVER: "len(kept) + len(behind) + needed >= max_len:"},
    {OVER: "(kept or behind) and len(kept) + len(behind) + needed >= max_len:"},
    {
        CUT: """room = max_len - needed - 1
    one, two = len(kept), len(behind)
    while second is not None and one + two > room:
        one, two = (one - 1, two) if one > two else (one, two - 1)
    kept, behind = kept[: one if second is not None else room], behind[:two]"""
    },
    {
        CUT: """one, two = len(kept), len(behind)
    while one + two + needed >= max_len:
        one, two = (one - 1, two) if one > two else (one, two - 1)
    kept, behind = kept[:one], behind[:two]"""
    },
    edit(
        {OVER: "len(kept) + len(behind) + 3 > max_len:"},
        says="A single text loses a token too many: you keep three places free, also where there is one [SEP]. One text takes two special tokens.",
    ),
)

pack_pair.mistake(
    "a place too few is kept free",
    "Your rows are one token too long where there are two texts: you keep two places free. [CLS] and *two* [SEP]s take three.",
    {OVER: "len(kept) + len(behind) + 2 > max_len:"},
    {OVER: "len(kept) + len(behind) + needed > max_len + 1:"},
)

pack_pair.mistake(
    "nothing is cut",
    "Texts that are too long are not cut. A row has max_len tokens at most, as the model has no vector for later positions.",
    {CUT: "pass"},
    edit(
        {CUT: "if len(kept) + len(behind) + needed > max_len:\n        raise ValueError(max_len)"},
        says="Texts that are too long raise an error. An error belongs where there is no room even for [CLS] and the [SEP]s; texts are cut until they fit.",
    ),
)

pack_pair.mistake(
    "one token at most is cut",
    "One token at most is cut. `if` asks once, and a row may have many too many: `while` asks again until all fit.",
    {"while len(kept)": "if len(kept)"},
)

pack_pair.mistake(
    "the first [SEP] in segment 1",
    "The [SEP] between the texts is in segment 1. It closes the first text, so it belongs to that: 0 up to and with the first [SEP].",
    {FIRST: "segments = [0] * (len(ids) - 1) + [int(second is not None)]"},
    {FIRST: "segments = [0] * (len(ids) - 1) + [1]"},
    edit(
        {FIRST: "segments = [0] * (len(ids) - 1)", SECOND: "segments += [1] * (len(behind) + 2)"},
        says="The first [SEP] has segment 1, and of a text alone it has none: there is a segment too few. It closes the first text, and belongs to it: 0 up to and with the first [SEP].",
    ),
)

pack_pair.mistake(
    "the last [SEP] in segment 0",
    "The last [SEP] is in segment 0. It closes the second text, so it belongs to that: everything behind the first [SEP] has a 1.",
    {SECOND: "segments += [1] * len(behind) + [0]"},
)

pack_pair.mistake(
    "segments all 0",
    "All tokens have segment 0. The model then cannot tell which text a token belongs to. Behind the first [SEP] each has a 1.",
    {SECOND: "segments += [0] * (len(behind) + 1)"},
    edit(
        {
            SECOND: "segments += [1] * (len(behind) + 1)\n        segments = [1] * len(segments)",
            FIRST: "segments = [1] * len(ids)",
        },
        says="All tokens have segment 1. The model then cannot tell which text a token belongs to. The first text, [CLS] and the first [SEP] have a 0.",
    ),
    edit(
        {FIRST: "segments = [int(second is None)] * len(ids)"},
        says="A text alone has segment 1. It is the first text, and there is no other: 0 for each token.",
    ),
)

pack_pair.mistake(
    "segment 1 begins behind [CLS]",
    "The first text has segment 1, and only [CLS] has 0. Segments number the texts: 0 up to and with the first [SEP], with [CLS] in it.",
    {FIRST: "segments = [0] + [1] * (len(ids) - 1)"},
    edit(
        {FIRST: "segments = [0] + [1] * (len(ids) - 1)", SECOND: "segments += [2] * (len(behind) + 1)"},
        says="Your texts have the numbers 1 and 2, and [CLS] has 0. There are two segments, 0 and 1: [CLS] belongs to the first text.",
    ),
    edit(
        {FIRST: "segments = [1] + [0] * (len(ids) - 1)"},
        says="[CLS] has segment 1, and what follows it has 0. [CLS] belongs to the first text: 0 up to and with the first [SEP].",
    ),
)

pack_pair.mistake(
    "segments 1 and 2",
    "Your segments are counted from 1. The table of segments has two rows, 0 and 1: the first text has 0.",
    {FIRST: "segments = [1] * len(ids)", SECOND: "segments += [2] * (len(behind) + 1)"},
    edit(
        {SECOND: "segments += [2] * (len(behind) + 1)"},
        says="The second text has segment 2. The table of segments has two rows, 0 and 1: the second text has 1.",
    ),
)

pack_pair.mistake(
    "tensors instead of lists",
    "You return tensors. What comes back are lists: rows of different lengths are filled up later, and put into one tensor then.",
    {RETURN: "import torch\n\n    return torch.tensor(ids), torch.tensor(segments)"},
)

pack_pair.mistake(
    "segments exchanged",
    "Your segments are the wrong way round: the first text has 1 and the second 0. A model that was trained the other way takes each text for the other.",
    {FIRST: "segments = [1] * len(ids)", SECOND: "segments += [0] * (len(behind) + 1)"},
    {FIRST: "segments = [int(second is not None)] * len(ids)", SECOND: "segments += [0] * (len(behind) + 1)"},
)

pack_pair.mistake(
    "too few segments",
    "There are fewer segments than ids. Every token has one, [CLS] and [SEP] too.",
    {SECOND: "segments += [1] * len(behind)"},
    {FIRST: "segments = [0] * (len(ids) - 1)"},
    {FIRST: "segments = [0] * (len(ids) - 2)", SECOND: "segments += [1] * len(behind)"},
    {FIRST: "segments = [0] * (len(ids) - 1)", SECOND: "segments += [1] * len(behind)"},
    *(
        edit(
            {RETURN: f"return ids, segments if second is not None else {none}"},
            says="A text alone has no segments. Every token has one, [CLS] and [SEP] too: here all are 0.",
        )
        for none in ("[]", "None")
    ),
)

pack_pair.mistake(
    "another token opens the row",
    "Your row does not open with `cls_id`. The first place is [CLS]: its vector stands for the whole row, and the model knows it by its id.",
    {IDS: "ids = [sep_id, *kept, sep_id]"},
    edit(
        {IDS: "ids = [sep_id, *kept, cls_id]", MORE: "ids += [*behind, cls_id]"},
        says="[CLS] and [SEP] are exchanged: `sep_id` opens your row, and `cls_id` closes the texts. [CLS] stands first, once; a [SEP] closes each text.",
    ),
)

pack_pair.mistake(
    "no [CLS]",
    "Your row does not begin with [CLS]. The vector at that place is what stands for the whole row; without it the first word has to serve.",
    {IDS: "ids = [*kept, sep_id]"},
    {IDS: "ids = [*kept, sep_id]", OVER: "len(kept) + len(behind) + needed - 1 > max_len:"},
    edit(
        {IDS: "ids = [cls_id, *kept, sep_id] if second is None else [*kept, sep_id]"},
        says="A row of two texts does not begin with [CLS]. The vector at that place is what stands for the whole row; without it the first word has to serve.",
    ),
)

pack_pair.mistake(
    "[CLS] at the end",
    "[CLS] closes your row. It opens it: the model learned that the vector of the first place stands for the whole row. (Some later models read the last place; BERT does not.)",
    *(
        {IDS: "ids = [*kept, sep_id]", RETURN: f"return [*ids, cls_id], [*segments, {segment}]"}
        for segment in ("segments[-1]", "0", "1")
    ),
    {IDS: "ids = [*kept, sep_id]", RETURN: "return [*ids, cls_id], [0, *segments]"},
    edit(
        {RETURN: "return [*ids, cls_id], [*segments, segments[-1]]"},
        says="A second [CLS] closes your row. There is one, at its start, and a [SEP] stands last.",
    ),
)

pack_pair.mistake(
    "no [SEP] between the texts",
    "Between the two texts there is no [SEP]. One closes each text; without it the end of the first cannot be seen in the ids.",
    {IDS: "ids = [cls_id, *kept] if second is not None else [cls_id, *kept, sep_id]"},
    {
        IDS: "ids = [cls_id, *kept] if second is not None else [cls_id, *kept, sep_id]",
        OVER: "len(kept) + len(behind) + 2 > max_len:",
    },
    {IDS: "ids = [cls_id, *kept]"},
    *(
        edit(
            {IDS: f"ids = [cls_id, *kept, {closing}]"},
            says="Behind the first text stands [CLS]. Each text is closed by a [SEP]; [CLS] opens the row, and stands there once.",
        )
        for closing in ("cls_id", "cls_id if second is not None else sep_id")
    ),
)

pack_pair.mistake(
    "[CLS] in front of the second text too",
    "The second text begins with a [CLS] of its own. A row has one, at its start: it stands for both texts.",
    {MORE: "ids += [cls_id, *behind, sep_id]", SECOND: "segments += [1] * (len(behind) + 2)"},
    {
        MORE: "ids += [cls_id, *behind, sep_id]",
        SECOND: "segments += [1] * (len(behind) + 2)",
        OVER: "len(kept) + len(behind) + needed + (second is not None) > max_len:",
    },
)

pack_pair.mistake(
    "two [SEP]s between the texts",
    "Between your texts stand two [SEP]s. RoBERTa does so; here one closes each text: [CLS] first [SEP] second [SEP].",
    {MORE: "ids += [sep_id, *behind, sep_id]", SECOND: "segments += [1] * (len(behind) + 2)"},
    {
        MORE: "ids += [sep_id, *behind, sep_id]",
        SECOND: "segments += [1] * (len(behind) + 2)",
        OVER: "len(kept) + len(behind) + needed + (second is not None) > max_len:",
    },
)

pack_pair.mistake(
    "None is taken for an empty text",
    "A text alone is closed twice: you treat None as an empty second text. Where `second` is None, the row is [CLS] first [SEP].",
    {THERE: "if True:"},
    {THERE: "if True:", OVER: "len(kept) + len(behind) + 3 > max_len:"},
)

pack_pair.mistake(
    "an empty text is taken for None",
    "An empty second text is treated like None. An empty list is false, as None is: ask `second is not None`, and the empty text gets its [SEP].",
    {THERE: "if second:"},
    {THERE: "if behind:"},
    edit(
        {THERE: "if behind:", OVER: "len(kept) + len(behind) + (3 if behind else 2) > max_len:"},
        says="An empty second text is treated like None, or one of which nothing is left. An empty list is false: ask `second is not None`, and the empty text gets its [SEP].",
    ),
    *(
        edit(
            {OVER: f"len(kept) + len(behind) + (3 if {text} else 2) > max_len:"},
            says="Where the second text is empty, you keep no place free for its [SEP], and the row can be one token too long. An empty list is false: ask `second is not None`.",
        )
        for text in ("second", "behind")
    ),
)

pack_pair.mistake(
    "the given texts are changed",
    "The texts that you are given are shorter afterwards: what calls you has lost their tokens. `list(first)` makes a copy, from which tokens may be taken.",
    {COPIES: "kept, behind = first, second or []"},
    {COPIES: "kept, behind = first, list(second or ())"},
    {COPIES: "kept, behind = list(first), second or []"},
    {COPIES: "kept, behind = first, list(second or ())", IDS: "ids = [cls_id] + kept + [sep_id]"},
    *(
        {COPIES: f"kept, behind = {one}, {two}"}
        for one, two in (
            ("list(first)", "second if isinstance(second, list) else list(second or ())"),
            ("first if isinstance(first, list) else list(first)", "list(second or ())"),
            (
                "first if isinstance(first, list) else list(first)",
                "second if isinstance(second, list) else list(second or ())",
            ),
        )
    ),
    *(
        {COPIES: f"kept, behind = {one}, second or []", LONGER: "del (kept if len(kept) > len(behind) else behind)[-1]"}
        for one in ("first", "list(first)")
    ),
    edit(
        {IDS: f"first.insert(0, cls_id)\n    {IDS}"},
        says="[CLS] is put into the first text itself: it stands there afterwards, for what calls you too, and a tuple has no `insert`. Begin the row as a new list, `[cls_id, *first]`.",
    ),
    *(
        edit(
            {
                COPIES: f"kept, behind = {text}, list(second or ())",
                IDS: "ids = kept\n    ids.insert(0, cls_id)\n    ids.append(sep_id)",
            },
            says="The first text becomes the row: afterwards [CLS], [SEP] and the second text stand in it, and what calls you has lost its own. Begin the row as a new list, `[cls_id, *first]`.",
        )
        for text in ("first", "first if isinstance(first, list) else list(first)")
    ),
)

pack_pair.mistake(
    "the texts exchanged",
    "The second text stands in front of the first. The first one follows [CLS].",
    {
        COPIES: "kept, behind = (list(first), []) if second is None else (list(second), list(first))",
    },
    {
        IDS: "ids = [cls_id, *(kept if second is None else behind), sep_id]",
        MORE: "ids += [*kept, sep_id]",
        SECOND: "segments += [1] * (len(kept) + 1)",
    },
    {
        RETURN: """if second is not None:
        at = len(kept) + 2
        ids, segments = ids[at:] + ids[:at], segments[at:] + segments[:at]
    return ids, [0] * (len(behind) + 1) + [1] * (len(kept) + 2) if second is not None else segments"""
    },
    edit(
        {RETURN: "at = len(kept) + 2\n    return ids[at:] + ids[:at], segments"},
        says="The second text stands in front of the first and of [CLS]. [CLS] opens the row, and the first text follows it.",
    ),
    edit(
        {COPIES: "kept, behind = list(second or ()), list(first)"},
        says="The second text stands in front of the first, and of a text alone nothing is left. The first one follows [CLS].",
    ),
)

pack_pair.mistake(
    "the first text twice",
    "The first text stands in both places, and the second one nowhere. Behind the first [SEP] come the tokens of `second`.",
    {MORE: "ids += [*kept, sep_id]"},
    {MORE: "ids += [*kept, sep_id]", SECOND: "segments += [1] * (len(kept) + 1)"},
    {
        MORE: "again = first[: len(behind)]\n        ids += [*again, sep_id]",
        SECOND: "segments += [1] * (len(again) + 1)",
    },
)

pack_pair.mistake(
    "filled up to max_len",
    "Your rows are filled up to max_len. A row is as long as its texts; padding is what a batch needs, and it is put there when a batch is made.",
    {
        RETURN: """free = max_len - len(ids)
    return ids + [0] * free, segments + [0] * free"""
    },
    {
        RETURN: """free = max_len - len(ids)
    return ids + [0] * free, segments + [1] * free"""
    },
)

pack_pair.mistake(
    "segments and ids exchanged",
    "You return the segments first. The ids come first, then the number of the text of each.",
    {RETURN: "return segments, ids"},
    edit(
        {RETURN: "return (segments, ids) if second is not None else (ids, segments)"},
        says="Of two texts you return the segments first. The ids come first, then the number of the text of each.",
    ),
)

pack_pair.mistake(
    "one list instead of two",
    "One list comes back, that of the ids. Two are asked for: the ids, and the number of the text of each.",
    {RETURN: "return ids"},
    edit(
        {RETURN: "return list(zip(ids, segments, strict=False))"},
        says="One list comes back, of pairs. Two are asked for: the ids, and the number of the text of each.",
    ),
    edit(
        {RETURN: "return ids, segments, [1] * len(ids)"},
        says="Three lists come back. Two are asked for: the ids, and the number of the text of each. Which tokens are padding is found out later, from the ids.",
    ),
    edit(
        {RETURN: "return (ids, segments) if second is not None else ids"},
        says="For a text alone one list comes back, that of the ids. Two are asked for: the ids, and a 0 for each.",
    ),
)

pack_pair.mistake(
    "segments of texts that are not yet cut",
    "Your segments are counted by the lengths that the texts had before they were cut. In a row that was too long they no longer belong to the ids. Count what is left of the texts.",
    {FIRST: "segments = [0] * (len(first) + 2)", SECOND: "segments += [1] * (len(second) + 1)"},
    {FIRST: "segments = [0] * (len(first) + 2)"},
    {SECOND: "segments += [1] * (len(second) + 1)"},
    {RETURN: "return ids, [int(at > len(first) + 1) for at in range(len(ids))]"},
)

pack_pair.mistake(
    "segments that are no whole numbers",
    "Your segments are no whole numbers. A table is looked up by them: 0 and 1.",
    edit(
        {RETURN: "return ids, [float(one) for one in segments]"},
        says="Your segments are floats, 0.0 and 1.0. A table is looked up by whole numbers: 0 and 1.",
    ),
    edit(
        {RETURN: "return ids, [bool(one) for one in segments]"},
        says="Your segments are False and True. A table is looked up by whole numbers: 0 and 1.",
    ),
)

pack_pair.mistake(
    "tokens in another order",
    "The tokens of a text stand in another order. A text is read as it was written: only what is too much comes off, at its end.",
    {IDS: "ids = [cls_id, *kept[::-1], sep_id]"},
    {MORE: "ids += [*behind[::-1], sep_id]"},
    {IDS: "ids = [cls_id, *kept[::-1], sep_id]", MORE: "ids += [*behind[::-1], sep_id]"},
    {IDS: "ids = [cls_id, *sorted(kept), sep_id]"},
    {IDS: "ids = [cls_id, *sorted(kept), sep_id]", MORE: "ids += [*sorted(behind), sep_id]"},
)

pack_pair.mistake(
    "a list within the row",
    "Within your row a whole text stands as a list of its own. A row is one list of ids: `*text` or `extend` puts in its tokens, `append` the list itself.",
    {IDS: "ids = [cls_id, kept, sep_id]"},
    {MORE: "ids += [behind, sep_id]"},
    {IDS: "ids = [cls_id, kept, sep_id]", MORE: "ids += [behind, sep_id]"},
    {IDS: "ids = [cls_id, kept, sep_id]", FIRST: "segments = [0] * (len(kept) + 2)"},
    {
        IDS: "ids = [cls_id, kept, sep_id]",
        FIRST: "segments = [0] * (len(kept) + 2)",
        MORE: "ids += [behind, sep_id]",
    },
    {IDS: "ids = [cls_id, kept, sep_id]", MORE: "ids += [behind, sep_id]", SECOND: "segments += [1, 1]"},
)

pack_pair.mistake(
    "a text alone is an error",
    "A text alone raises an error, as `second` is None then. It is not a list, and has no length: ask `second is None` before you count its tokens or go through them.",
    {COPIES: "kept, behind = list(first), list(second)"},
    edit(
        {LONGER: "(kept if second is not None and len(kept) > len(behind) else behind).pop()"},
        says="A text alone that is too long raises an error: you take a token from the second text, and there is none. A text alone loses its own last tokens.",
    ),
)

pack_pair.mistake(
    "only lists are taken",
    "Texts that are tuples raise an error: `+` joins a list with lists only. A text may be any sequence. `list(first)` makes a list of it, and `[cls_id, *first]` takes either.",
    {IDS: "ids = [cls_id] + first[: len(kept)] + [sep_id]"},
)
