"""Wrong ways of packing texts, and of taking tokens out."""

from autograder.checks.bert import mask_tokens, pack_pair
from autograder.probing.mistake import edit

# pack_pair ----------------------------------------------------------------------------

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
        for counted in (0, 1, "needed - 1")
    ),
    edit(
        {
            OVER: "second is None and len(kept) + len(behind) + needed > max_len:",
            RETURN: "return ids[:max_len], segments[:max_len]",
        },
        says="A row of two texts that is too long loses its end, the last [SEP] included. Cut the texts first, and put the special tokens around what is left: they are never cut.",
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
    {
        CUT: """behind = behind[: max(0, max_len - needed - len(kept))]
    kept = kept[: max_len - needed]"""
    },
)

pack_pair.mistake(
    "only the first text is shortened",
    "The first text loses tokens even where the second is the longer one. Each token comes off the text that is longer at that moment.",
    {LONGER: "(kept or behind).pop()"},
    {LONGER: "kept.pop()"},
    {CUT: "kept = kept[: max(0, max_len - needed - len(behind))]"},
    {
        CUT: """kept = kept[: max(0, max_len - needed - len(behind))]
    behind = behind[: max_len - needed]"""
    },
)

pack_pair.mistake(
    "the shorter text is shortened",
    "The *shorter* text loses tokens. It has less to lose, and soon nothing is left of it. Turn the comparison round: the longer one loses its last token.",
    {LONGER: "(kept if 0 < len(kept) < len(behind) or not behind else behind).pop()"},
    {LONGER: "(kept if len(kept) < len(behind) else behind).pop()"},
    {LONGER: "(kept if len(kept) <= len(behind) else behind).pop()"},
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
        CUT: """loser = kept if len(kept) > len(behind) else behind
    while len(kept) + len(behind) + needed > max_len:
        loser.pop()"""
    },
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
)

pack_pair.mistake(
    "a place too many is kept free",
    "A text loses a token too many, so that a place stays empty. A row may have max_len tokens: go on cutting while there are *more* than that.",
    {OVER: "len(kept) + len(behind) + needed >= max_len:"},
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
    {FIRST: "segments = [0] * (len(ids) - (second is not None))", SECOND: "segments += [1] * (len(behind) + 2)"},
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
    {FIRST: "segments = [0] * len(kept)", SECOND: "segments += [1] * len(behind)"},
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
)

pack_pair.mistake(
    "the given texts are changed",
    "The texts that you are given are shorter afterwards: what calls you has lost their tokens. `list(first)` makes a copy, from which tokens may be taken.",
    {COPIES: "kept, behind = first, second or []"},
    {COPIES: "kept, behind = first, list(second or ())"},
    {COPIES: "kept, behind = list(first), second or []"},
    {COPIES: "kept, behind = first, list(second or ())", IDS: "ids = [cls_id] + kept + [sep_id]"},
    {
        COPIES: "kept, behind = first, second or []",
        IDS: "ids = [cls_id] + kept + [sep_id]",
        MORE: "ids += behind + [sep_id]",
    },
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
)

pack_pair.mistake(
    "one list instead of two",
    "One list comes back, that of the ids. Two are asked for: the ids, and the number of the text of each.",
    {RETURN: "return ids"},
    edit(
        {RETURN: "return list(zip(ids, segments, strict=False))"},
        says="One list comes back, of pairs. Two are asked for: the ids, and the number of the text of each.",
    ),
)

# mask_tokens ----------------------------------------------------------------------------

ASKED = "asked = maskable & (chosen < 0.15)"
LABELS = "labels = torch.where(asked, ids, -100)"
TAKEN = "inputs = torch.where(asked & (fate < 0.8), mask_id, ids)"
SWAPPED = "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"
GIVEN = "return inputs, labels"
FATES = "Of ten tokens that are asked for, eight become [MASK], one another token, and one stays."

mask_tokens.mistake(
    "nothing is ever taken out",
    "Nothing is taken out: the model reads every token that it is asked for. It learns to copy, and its loss falls to nothing. A draw that is compared with a share of itself, `fate < fate * 0.8`, is never below it; a well known BERT in PyTorch did this. Compare with 0.8.",
    {TAKEN: "inputs = ids.clone()", SWAPPED: "pass"},
)

mask_tokens.mistake(
    "all become [MASK]",
    f"All tokens that are asked for become [MASK]. {FATES} Otherwise the model learns to work where it sees [MASK], and nowhere else; and in use there is none.",
    {TAKEN: "inputs = torch.where(asked, mask_id, ids)", SWAPPED: "pass"},
)

mask_tokens.mistake(
    "no other token ever",
    "No token is ever replaced by another one. Those with a fate from 0.8 to below 0.9 should be. One `fate` decides among the three: below 0.8, from there to below 0.9, and the rest. (With a second draw of its own, half of what is left would be `< 0.5`; here it is not.)",
    {SWAPPED: "pass"},
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.5), replacement, inputs)"},
    edit(
        {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), mask_id, inputs)"},
        says="Nine of ten tokens that are asked for become [MASK], and none becomes another one. Those with a fate from 0.8 to below 0.9 are replaced by the token in `replacement`.",
    ),
)

mask_tokens.mistake(
    "none stays itself",
    "No token that is asked for stays itself. Those with a fate of 0.9 or more should: the model then has to doubt what it reads, and keeps a vector of the true word. Ask for `fate < 0.9` too.",
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8), replacement, inputs)"},
    edit(
        {TAKEN: "inputs = torch.where(asked, mask_id, ids)"},
        says="No token that is asked for stays itself: [MASK] stands where `fate` is 0.9 or more, too. There the token stays; the model then has to doubt what it reads, and keeps a vector of the true word. [MASK] belongs where `fate < 0.8`.",
    ),
)

mask_tokens.mistake(
    "the replacement takes a part of [MASK]'s share",
    "The replacement stands where `fate` is below 0.1, over a [MASK] that was there. That leaves seven of ten for [MASK], and two that stay. Its share lies from 0.8 to below 0.9.",
    {SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)"},
)

mask_tokens.mistake(
    "the places instead of the labels",
    "What you return second says where tokens are asked for, and not which. The labels are the tokens themselves there, and -100 everywhere else.",
    {GIVEN: "return inputs, asked"},
)

mask_tokens.mistake(
    "the other token overwrites [MASK]",
    "No [MASK] is left: the replacement stands in its place too. `fate < 0.9` is true of everything below 0.8 as well. Ask for both borders, or write the replacement first and [MASK] over it. (Or is it the border of [MASK] that no draw is below? None is below a share of itself.)",
    {SWAPPED: "inputs = torch.where(asked & (fate < 0.9), replacement, inputs)"},
    {TAKEN: "inputs = ids", SWAPPED: "inputs = torch.where(asked & (fate < 0.9), replacement, ids)"},
)

mask_tokens.mistake(
    "the other token's step begins anew",
    "No [MASK] is left, though the other tokens are there. Either the condition of [MASK] never holds: no draw is below a share of *itself*, as in `fate < fate * 0.8`. Or the step that puts in the other tokens begins with the ids as they came, so what the first step did is lost: `torch.where(..., replacement, inputs)` begins with what it made.",
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement, ids)"},
)

mask_tokens.mistake(
    "[MASK] and the other token exchanged",
    "[MASK] and the replacement are exchanged: eight of ten tokens that are asked for become another token, and one becomes [MASK]. It is the other way round.",
    {
        TAKEN: "inputs = torch.where(asked & (fate < 0.8), replacement, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), mask_id, inputs)",
    },
)

mask_tokens.mistake(
    "the last two fates exchanged",
    "The last two fates are exchanged: tokens are replaced where they should stay, and stay where they should be replaced. The replacement belongs to fates from 0.8 to below 0.9, the token itself to 0.9 and more.",
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.9), replacement, inputs)"},
)

mask_tokens.mistake(
    "the fates in another order",
    "Your fates have the right shares in another order. [MASK] belongs to fates below 0.8, the replacement from there to below 0.9, the token itself to the rest. Whoever draws the same numbers should get the same text.",
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.9), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
    },
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.2), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
    },
    {
        TAKEN: "inputs = torch.where(asked & (fate >= 0.2), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.2), replacement, inputs)",
    },
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (chosen / 0.15 < 0.9), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
        },
        says="You replace one token of ten first, and make [MASK] of nine tenths of the rest: 81, 10 and 9 of a hundred. A much used implementation does so. Here one draw decides all: [MASK] below 0.8, the replacement from there to below 0.9, and the rest stays.",
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.91), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate < 0.1), replacement, inputs)",
        },
        says="The replacement stands where `fate` is below 0.1, and [MASK] from there to below 0.91: 10, 81 and 9 of a hundred, as in a much used implementation. [MASK] belongs to fates below 0.8, the replacement from there to below 0.9, the token itself to the rest.",
    ),
)

mask_tokens.mistake(
    "[MASK] where a token stays",
    "[MASK] stands where `fate` is 0.8 or more, and what is below stays. That is the wrong way round: eight of ten tokens that are asked for become [MASK].",
    {TAKEN: "inputs = torch.where(asked & (fate >= 0.8), mask_id, ids)", SWAPPED: "pass"},
    {TAKEN: "inputs = torch.where(asked & (fate >= 0.9), mask_id, ids)"},
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate < 0.1), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate >= 0.1) & (fate < 0.2), replacement, inputs)",
        },
        says="[MASK] stands where `fate` is below 0.1, and eight of ten tokens that are asked for stay. It is the other way round: eight of ten become [MASK].",
    ),
)

mask_tokens.mistake(
    "other borders of the fates",
    "[MASK], the replacement and the token itself have other shares than eight, one and one of ten: a border of `fate` is not where it should be. The borders are 0.8 and 0.9.",
    *(
        {
            TAKEN: f"inputs = torch.where(asked & (fate < {first}), mask_id, ids)",
            SWAPPED: f"inputs = torch.where(asked & (fate >= {first}) & (fate < {second}), replacement, inputs)",
        }
        for first, second in (
            (0.85, 0.9),
            (0.8, 0.95),
            (0.8, 0.85),
            (0.5, 0.9),
            (0.6, 0.8),
            (0.7, 0.8),
            (0.7, 0.85),
            (0.7, 0.9),
            (0.75, 0.9),
            (0.9, 0.95),
            (0.08, 0.09),
            (0.8, 0.81),
            (0.8, 0.82),
            (0.8, 0.88),
            (1 / 3, 2 / 3),
        )
    ),
    edit(
        {
            TAKEN: "inputs = torch.where(asked & (fate < 0.15 * 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (fate >= 0.15 * 0.8) & (fate < 0.15 * 0.9), replacement, inputs)",
        },
        says="You compare `fate` with shares of 0.15. It decides among the tokens that are asked for alone, and is a draw of its own from 0 to 1: its borders are 0.8 and 0.9.",
    ),
)

mask_tokens.mistake(
    "the fates befall all tokens",
    "Tokens are taken out that nobody asks for. The fates belong to the 15 % that are asked for; of all others every one stays. Use `asked` in each of the conditions.",
    {
        TAKEN: "inputs = torch.where(fate < 0.8, mask_id, ids)",
        SWAPPED: "inputs = torch.where((fate >= 0.8) & (fate < 0.9), replacement, inputs)",
    },
    {
        TAKEN: "inputs = torch.where(maskable & (fate < 0.8), mask_id, ids)",
        SWAPPED: "inputs = torch.where(maskable & (fate >= 0.8) & (fate < 0.9), replacement, inputs)",
    },
    edit(
        {TAKEN: "inputs = torch.where(fate < 0.8, mask_id, ids)"},
        says="[MASK] stands at places that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of [MASK] too.",
    ),
    edit(
        {TAKEN: "inputs = torch.where(maskable & (fate < 0.8), mask_id, ids)"},
        says="[MASK] stands at places that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of [MASK] too.",
    ),
    edit(
        {SWAPPED: "inputs = torch.where((fate >= 0.8) & (fate < 0.9), replacement, inputs)"},
        says="Tokens are replaced that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of the replacement too.",
    ),
    edit(
        {SWAPPED: "inputs = torch.where(maskable & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"},
        says="Tokens are replaced that nobody asks for. The fates belong to the 15 % that are asked for. Use `asked` in the condition of the replacement too.",
    ),
)

mask_tokens.mistake(
    "special tokens are taken out",
    "Tokens are asked for that are not maskable: [CLS], [SEP] and padding. There is nothing to learn from these, and the row loses its form. A token is asked for where `chosen` is below 0.15 *and* it is maskable.",
    {ASKED: "asked = chosen < 0.15"},
    edit(
        {
            TAKEN: "inputs = torch.where((chosen < 0.15) & (fate < 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where((chosen < 0.15) & (fate >= 0.8) & (fate < 0.9), replacement, inputs)",
        },
        says="Special tokens and padding are taken out of what is read, although they have no label. `maskable` holds for both: make one `asked` and use it everywhere.",
    ),
    edit(
        {LABELS: "labels = torch.where(chosen < 0.15, ids, -100)"},
        says="Special tokens and padding have labels, although they are not taken out. `maskable` holds for both: make one `asked` and use it everywhere.",
    ),
    edit(
        {TAKEN: "inputs = torch.where((chosen < 0.15) & (fate < 0.8), mask_id, ids)"},
        says="[MASK] stands in the place of special tokens and padding. The labels, and the replacements, ask `maskable`; [MASK] does not. Make one `asked` and use it everywhere.",
    ),
    edit(
        {SWAPPED: "inputs = torch.where((chosen < 0.15) & (fate >= 0.8) & (fate < 0.9), replacement, inputs)"},
        says="Special tokens and padding are replaced by other tokens. The labels, and [MASK], ask `maskable`; the replacement does not. Make one `asked` and use it everywhere.",
    ),
    edit(
        {GIVEN: "return torch.where(maskable, inputs, mask_id), labels"},
        says="[MASK] stands at every special token and at all padding. `maskable` is False where a token may *not* be asked for: there it stays as it is.",
    ),
)

mask_tokens.mistake(
    "maskable or chosen",
    "A token is asked for where it is maskable *or* its draw is below 0.15. Almost nothing is left to read. Both have to hold: `maskable & (chosen < 0.15)`.",
    {ASKED: "asked = maskable | (chosen < 0.15)"},
)

mask_tokens.mistake(
    "maskable the wrong way round",
    "Exactly the tokens are asked for that may not be. True in `maskable` means that a token may be asked for.",
    {ASKED: "asked = ~maskable & (chosen < 0.15)"},
)

mask_tokens.mistake(
    "85 of a hundred are asked for",
    "Asked for are the tokens whose draw is *above* 0.15: 85 of a hundred. Little is left from which the rest could be guessed. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen >= 0.15)"},
    {ASKED: "asked = maskable & (chosen > 0.15)"},
    {ASKED: "asked = maskable & (chosen < 0.85)"},
)

mask_tokens.mistake(
    "the other end of the draws",
    "Asked for are the tokens whose draw is 0.85 or more. That is 15 of a hundred too, but not the same ones: whoever draws the same numbers should get the same text. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen >= 0.85)"},
    {ASKED: "asked = maskable & (1 - chosen < 0.15)"},
)

mask_tokens.mistake(
    "12 of a hundred are asked for",
    "Asked for are 12 of a hundred. That is how many *become [MASK]*, eight tenths of 15; the rest is asked for too. `chosen < 0.15`.",
    {ASKED: "asked = maskable & (chosen < 0.15 * 0.8)"},
    {
        ASKED: "asked = maskable & (chosen < 0.15 * 0.8)",
        TAKEN: "inputs = torch.where(asked, mask_id, ids)",
        SWAPPED: "pass",
    },
)

mask_tokens.mistake(
    "another share is asked for",
    "Not 15 of a hundred tokens are asked for: the border that you compare `chosen` with is another one. It is 0.15, for [MASK], replacements and tokens that stay taken together.",
    *(
        {ASKED: f"asked = maskable & (chosen < {border})"}
        for border in (0.015, 0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 0.8, 0.9)
    ),
)

mask_tokens.mistake(
    "every token is asked for",
    "Every token that may be asked for is: `chosen` has no effect. Then there is hardly a text left to read. `chosen < 0.15` picks about 15 of a hundred.",
    {ASKED: "asked = maskable"},
)

mask_tokens.mistake(
    "one draw for both questions",
    "Whether a token is asked for and what befalls it come from one draw. `fate` has no effect: you compare `chosen` with shares of 0.15. With one draw the shares would be right too; here each question has its own, so that the same draws give the same text.",
    {
        TAKEN: "inputs = torch.where(asked & (chosen < 0.15 * 0.8), mask_id, ids)",
        SWAPPED: "inputs = torch.where(asked & (chosen >= 0.15 * 0.8) & (chosen < 0.15 * 0.9), replacement, inputs)",
    },
    edit(
        {TAKEN: "inputs = torch.where(asked & (chosen < 0.15 * 0.8), mask_id, ids)"},
        says="Where [MASK] stands is decided by `chosen`, which has said already that the token is asked for; the other fates are decided by `fate`, and come on top. `fate` decides all three.",
    ),
    edit(
        {ASKED: "asked = maskable & (fate < 0.15)"},
        says="Which tokens are asked for is decided by `fate`. Of these it is below 0.15, and so below 0.8: all become [MASK]. Whether a token is asked for stands in `chosen`.",
    ),
    edit(
        {
            ASKED: "asked = maskable & (fate < 0.15)",
            TAKEN: "inputs = torch.where(asked & (chosen < 0.8), mask_id, ids)",
            SWAPPED: "inputs = torch.where(asked & (chosen >= 0.8) & (chosen < 0.9), replacement, inputs)",
        },
        says="The two draws are exchanged: `chosen` says whether a token is asked for, `fate` what befalls it.",
    ),
)

mask_tokens.mistake(
    "labels everywhere",
    "Every token has a label, also where nothing is asked. The loss then counts mostly tokens that the model can read, and copying them is all that it learns. Where nothing is asked the label is -100.",
    {LABELS: "labels = ids.clone()"},
    edit(
        {LABELS: "labels = torch.where(maskable, ids, -100)"},
        says="Every token that *may* be asked for has a label, also where nothing is asked. The loss then counts mostly tokens that the model can read. Labels belong where `asked` is True.",
    ),
)

mask_tokens.mistake(
    "labels where nothing is asked",
    "The labels are the wrong way round: they stand where nothing is asked, and where something is there is -100. The model is never asked for what was taken out.",
    {LABELS: "labels = torch.where(asked, -100, ids)"},
    {LABELS: "labels = torch.where(maskable & ~asked, ids, -100)"},
)

mask_tokens.mistake(
    "no labels",
    "All labels are -100: nothing is ever asked, and nothing learned. Where `asked` is True the label is the token that was there.",
    {LABELS: "labels = torch.full_like(ids, -100)"},
    edit(
        {GIVEN: "return inputs"},
        says="What the model reads comes back alone. The labels follow it: the tokens that were there where something is asked, and -100 everywhere else.",
    ),
    edit(
        {GIVEN: "return labels"},
        says="The labels come back alone. In front of them stands what the model reads.",
    ),
)

mask_tokens.mistake(
    "labels only at [MASK]",
    "Labels stand only where a token was changed. Those that stay are asked for too, and those that are replaced: nobody tells the model which they are, so it has to keep every word in mind. Labels belong wherever `asked` is True.",
    {LABELS: "labels = torch.where(asked & (fate < 0.8), ids, -100)"},
    {LABELS: "labels = torch.where(asked & (fate < 0.9), ids, -100)"},
    {GIVEN: f"labels = torch.where(inputs != ids, ids, -100)\n    {GIVEN}"},
    {GIVEN: f"labels = torch.where(inputs == mask_id, ids, -100)\n    {GIVEN}"},
)

mask_tokens.mistake(
    "labels of what is read",
    "The labels are what stands in the text *after* tokens were taken out. The model is asked for [MASK] where it reads [MASK]. Take the labels from `ids`.",
    {LABELS: "pass", GIVEN: "return inputs, torch.where(asked, inputs, -100)"},
    {LABELS: "pass", GIVEN: "return inputs, inputs.clone()"},
)

mask_tokens.mistake(
    "the replacement is the label",
    "Where a token is replaced, the label is the replacement. Asked for is the token that was there: the labels come from `ids`.",
    {LABELS: "labels = torch.where(asked, replacement, -100)"},
    {LABELS: "labels = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement, torch.where(asked, ids, -100))"},
)

mask_tokens.mistake(
    "another label for nothing",
    "Where nothing is asked your label is not -100.",
    edit(
        {LABELS: "labels = torch.where(asked, ids, 0)"},
        says="Where nothing is asked your label is 0. That is a token like any other: either the model is asked for it everywhere, or, where a loss passes over 0, never learns it. -100 is no token.",
    ),
    edit(
        {LABELS: "labels = torch.where(asked, ids, -1)"},
        says="Where nothing is asked your label is -1. `F.cross_entropy` passes over -100 unless it is told otherwise, and this course does too.",
    ),
    edit(
        {LABELS: "labels = torch.where(asked, ids, mask_id)"},
        says="Where nothing is asked your label is [MASK]. The model would be asked to write [MASK] at almost every place. The label for nothing is -100.",
    ),
    edit(
        {LABELS: "labels = torch.where(asked, ids, 100)"},
        says="Where nothing is asked your label is 100, without the minus. That is a token; -100 is none.",
    ),
)

mask_tokens.mistake(
    "the given ids are changed",
    "`ids` is changed: the text that you are given has lost its tokens. Whoever reads it again masks what is masked already. `torch.where` and `ids.clone()` make a new tensor.",
    {GIVEN: f"inputs = ids.copy_(inputs)\n    {GIVEN}"},
    edit(
        {GIVEN: f"labels = ids.copy_(labels)\n    {GIVEN}"},
        says="`ids` is changed: where nothing is asked it is -100 now. `labels = ids` gives the same tensor another name. `torch.where` and `ids.clone()` make a new one.",
    ),
    {TAKEN: "inputs = ids.masked_fill_(asked & (fate < 0.8), mask_id)"},
    edit(
        {GIVEN: f"inputs = labels = ids.copy_(torch.where(asked, inputs, labels))\n    {GIVEN}"},
        says="`ids` is changed, and what you return twice is `ids`: `inputs` and `labels` are other names of the same tensor. `torch.where` and `ids.clone()` make new ones.",
    ),
)

mask_tokens.mistake(
    "one draw for a whole row",
    "One draw decides for a whole row, or for all: its tokens are asked for together or not at all. Every token has a draw of its own, at its own place.",
    {ASKED: "asked = maskable & (chosen[..., :1] < 0.15)"},
    {ASKED: "asked = maskable & (chosen.flatten()[0] < 0.15)"},
    {ASKED: "asked = maskable & (chosen[:1] < 0.15)"},
    {ASKED: "asked = maskable & (chosen[..., -1:] < 0.15)"},
    {ASKED: "asked = maskable & (chosen < 0.15).any(-1, keepdim=True)"},
    {ASKED: "asked = maskable & (chosen < 0.15).any()"},
    edit(
        {TAKEN: f"fate = fate.masked_scatter(asked, fate)\n    {TAKEN}"},
        says="The fates are taken from the start of `fate`, one after another. Every token has one of its own, at its own place: `fate[asked]`.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate[..., :1]"},
        says="One draw decides what befalls all tokens of a row. Every token has a fate of its own, at its own place.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate.flatten()[0]"},
        says="One draw decides what befalls all tokens. Every token has a fate of its own, at its own place.",
    ),
    edit(
        {ASKED: "asked = maskable & (chosen < 0.15)\n    fate = fate[:1]"},
        says="The first row's draws decide what befalls the tokens of all rows. Every token has a fate of its own, at its own place.",
    ),
)

mask_tokens.mistake(
    "one other token for all",
    "One token stands wherever a token is replaced. Every place has a replacement of its own, in `replacement`.",
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement.flatten()[0], inputs)"},
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement[..., :1], inputs)"},
    {SWAPPED: "inputs = torch.where(asked & (fate >= 0.8) & (fate < 0.9), replacement[:1], inputs)"},
    edit(
        {
            SWAPPED: "swapped = asked & (fate >= 0.8) & (fate < 0.9)\n    inputs[swapped] = replacement.flatten()[: int(swapped.sum())]"
        },
        says="The replacements are taken from the start of `replacement`, one after another. Every place has one of its own, at the same place: `replacement[swapped]`.",
    ),
)

mask_tokens.mistake(
    "what is not asked for is lost",
    "Where nothing is asked, the model no longer reads the token: 0, -100 or [MASK] stands there. Then nothing is left to guess from. Only the *labels* are -100 where nothing is asked; what is read keeps its token.",
    *({GIVEN: f"return torch.where(asked, inputs, {lost}), labels"} for lost in ("0", "-100", "mask_id")),
)

mask_tokens.mistake(
    "inputs and labels are one tensor",
    "What is read and the labels hold the same numbers: both are -100 where nothing is asked, and both have [MASK] elsewhere. Two names of one tensor, as in `inputs = labels = ids.clone()`, do that: what you write into one stands in the other. Make two copies.",
    {GIVEN: "labels = torch.where(asked, inputs, -100)\n    return labels, labels"},
)

mask_tokens.mistake(
    "0 instead of [MASK]",
    "What is taken out becomes 0. An article says so, to hide a word; but 0 is a token of its own, the padding as a rule. [MASK] has the id `mask_id`.",
    {TAKEN: "inputs = torch.where(asked & (fate < 0.8), 0, ids)"},
    edit(
        {TAKEN: "inputs = torch.where(asked & (fate < 0.8), -100, ids)"},
        says="What is taken out becomes -100. That is the label for nothing, and no token: the table has no such row. [MASK] has the id `mask_id`.",
    ),
)

mask_tokens.mistake(
    "a draw on a border",
    "A draw that lies exactly on a border is counted to what is below. As `torch.rand` can give 0 and never 1, shares come out exactly when each is from its lower border to *below* its upper: `<`, and `>=`.",
    {ASKED: "asked = maskable & (chosen <= 0.15)"},
    {TAKEN: "inputs = torch.where(asked & (fate <= 0.8), mask_id, ids)", "(fate >= 0.8)": "(fate > 0.8)"},
    {"(fate < 0.9)": "(fate <= 0.9)"},
    {ASKED: "asked = maskable & (chosen <= 0.15)", "(fate < 0.9)": "(fate <= 0.9)"},
    {
        TAKEN: "inputs = torch.where(asked & (fate <= 0.8), mask_id, ids)",
        "(fate >= 0.8) & (fate < 0.9)": "(fate > 0.8) & (fate <= 0.9)",
    },
    {
        ASKED: "asked = maskable & (chosen <= 0.15)",
        TAKEN: "inputs = torch.where(asked & (fate <= 0.8), mask_id, ids)",
        "(fate >= 0.8) & (fate < 0.9)": "(fate > 0.8) & (fate <= 0.9)",
    },
    edit(
        {"(fate >= 0.8)": "(fate > 0.8)"},
        says="A fate of exactly 0.8 leaves the token as it is. It belongs to the replacement: from 0.8 to below 0.9.",
    ),
)

mask_tokens.mistake(
    "inputs and labels exchanged",
    "You return the labels first. What the model reads comes first, then the labels.",
    {GIVEN: "return labels, inputs"},
)

mask_tokens.mistake(
    "another kind of whole number",
    "Ids and labels come back as whole numbers of 32 bits or fewer. `F.cross_entropy` takes labels of 64 bits alone, and raises an error otherwise. Leave the kind of number that `ids` has.",
    {GIVEN: "return inputs.int(), labels.int()"},
    edit(
        {GIVEN: "return inputs, labels.int()"},
        says="Your labels are whole numbers of 32 bits or fewer. `F.cross_entropy` takes labels of 64 bits alone, and raises an error otherwise. Leave the kind of number that `ids` has.",
    ),
    edit(
        {GIVEN: "return inputs.float(), labels.float()"},
        says="Ids and labels come back as floats. A table is looked up by whole numbers, and `F.cross_entropy` takes floats for probabilities. Leave the kind of number that `ids` has.",
    ),
)

mask_tokens.mistake(
    "all texts in one row",
    "What comes back is one long row. Ids and labels have the shape of `ids`: every token at its own place.",
    {GIVEN: "return inputs.flatten(), labels.flatten()"},
    edit(
        {GIVEN: "return inputs.flatten(), labels"},
        says="What the model reads comes back as one long row. It has the shape of `ids`: every token at its own place.",
    ),
    edit(
        {GIVEN: "return inputs, labels.flatten()"},
        says="The labels come back as one long row. They have the shape of `ids`: every label at the place of its token.",
    ),
)
